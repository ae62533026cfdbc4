"""The actions that compare runs."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section
from gems_gui.compare.compare_controller import CompareController
from gems_gui.compare.comparison_run_controller import ComparisonRunController

COMPARISON_RUN_ACTIONS: tuple[ActionSpec[ComparisonRunController], ...] = in_section(
    "Run",
    "Runs",
    ActionSpec(
        "run_beside",
        "Compare algorithms…",
        "Run other algorithms on the same instance with the same seed, and show them side by side",
        ("Ctrl+Shift+B",),
        do=ComparisonRunController.run_beside,
        refusal=ComparisonRunController.run_beside_refusal,
        words="rage side by side baseline",
    ),
)
COMPARE_ACTIONS: tuple[ActionSpec[CompareController], ...] = in_section(
    "Run",
    "Runs",
    ActionSpec(
        "compare",
        "Compare runs…",
        "Find the first event and the first decision in which another run differs from this one",
        ("Ctrl+D",),
        do=CompareController.compare,
        refusal=CompareController.compare_refusal,
        words="difference diff",
    ),
)
