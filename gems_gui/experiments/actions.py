"""The actions on experiments."""

from __future__ import annotations

from gems_gui.actions.spec import ActionSpec, in_section, where
from gems_gui.experiments.experiment_controller import ExperimentController

EXPERIMENT_ACTIONS: tuple[ActionSpec[ExperimentController], ...] = (
    *in_section(
        "Experiment",
        "Experiments",
        ActionSpec(
            "experiments",
            "Experiments",
            "Set up and run experiments of many trials, and follow their results",
            ("Ctrl+Shift+X",),
            toggle=ExperimentController.experiments,
            checked=lambda experiments: experiments.is_open,
        ),
        ActionSpec(
            "experiment_open",
            "Open specification…",
            "Open an experiment specification (TOML)",
            do=ExperimentController.experiment_open,
        ),
        ActionSpec(
            "experiment_results",
            "Open results…",
            "Open a folder of results, and continue the experiment",
            do=ExperimentController.experiment_results,
        ),
        *where(
            ExperimentController.save_refusal,
            ActionSpec(
                "experiment_save",
                "Save specification",
                "Save the specification to its file",
                do=ExperimentController.experiment_save,
            ),
            ActionSpec(
                "experiment_save_as",
                "Save specification as…",
                "Save the specification to another file",
                do=ExperimentController.experiment_save_as,
            ),
        ),
    ),
    *in_section(
        "Experiment",
        "Trials",
        ActionSpec(
            "experiment_start",
            "Start experiment",
            "Run the trials that are missing in the results folder",
            do=ExperimentController.experiment_start,
            refusal=ExperimentController.start_refusal,
        ),
        ActionSpec(
            "experiment_pause",
            "Pause experiment",
            "Start no new trials until the experiment is resumed",
            toggle=ExperimentController.experiment_pause,
            refusal=ExperimentController.pause_refusal,
            checked=ExperimentController.is_paused,
        ),
        ActionSpec(
            "experiment_cancel",
            "Cancel experiment",
            "Cancel immediately; keep the finished trials",
            do=ExperimentController.experiment_cancel,
            refusal=ExperimentController.cancel_refusal,
        ),
    ),
    *in_section(
        "Experiment",
        "Results",
        *where(
            ExperimentController.results_refusal,
            ActionSpec(
                "experiment_report",
                "Write report",
                "Write plots, tables and an HTML page to the results folder, and open the page",
                do=ExperimentController.experiment_report,
            ),
            ActionSpec(
                "experiment_markdown",
                "Copy tables as Markdown",
                "Copy the result tables as Markdown",
                do=ExperimentController.experiment_markdown,
            ),
            ActionSpec(
                "experiment_csv",
                "Copy summary as CSV",
                "Copy all numbers of the summary as CSV",
                do=ExperimentController.experiment_csv,
            ),
        ),
    ),
)
