"""The actions that run more seeds."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.trials.replicate_controller import ReplicateController
from gems_gui.trials.sensitivity_controller import SensitivityController

REPLICATE_ACTIONS: tuple[ActionSpec[ReplicateController], ...] = in_section(
    "Run",
    "More seeds",
    ActionSpec(
        "replicate",
        "Replicate…",
        "Run more seeds of the current run in the background",
        ("Ctrl+K",),
        do=ReplicateController.replicate,
        refusal=ReplicateController.replicate_refusal,
        words="seeds repeat trials statistics",
    ),
    ActionSpec(
        "more_seeds",
        "Replicate with 100 more seeds",
        "Run 100 more seeds of the current run in the background",
        do=ReplicateController.add_hundred,
        refusal=ReplicateController.replicate_refusal,
    ),
    ActionSpec(
        "find_failing",
        "Find a failing seed",
        "Search for a seed with which the current run fails, and open that run",
        ("Ctrl+Shift+K",),
        do=ReplicateController.find_failing,
        refusal=ReplicateController.find_failing_refusal,
        words="wrong error counterexample",
    ),
)
SENSITIVITY_ACTIONS: tuple[ActionSpec[SensitivityController], ...] = in_section(
    "Run",
    "More seeds",
    ActionSpec(
        "sensitivity",
        "Sensitivity…",
        "Show how one parameter of the form affects τ and success",
        ("Ctrl+J",),
        do=SensitivityController.sensitivity,
        words="parameter sweep",
    ),
)
