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
            "Choose, edit and run many trials, and watch what they say",
            ("Ctrl+Shift+X",),
            toggle=ExperimentController.experiments,
            checked=lambda experiments: experiments.is_open,
        ),
        ActionSpec(
            "experiment_open",
            "Open specification…",
            "Open an experiment of your own, a TOML file",
            do=ExperimentController.experiment_open,
        ),
        ActionSpec(
            "experiment_results",
            "Open results…",
            "Show what a folder of results holds, and go on with it",
            do=ExperimentController.experiment_results,
        ),
        *where(
            ExperimentController.can_save,
            ActionSpec(
                "experiment_save",
                "Save specification",
                "Save the specification that is edited to its file",
                do=ExperimentController.experiment_save,
            ),
            ActionSpec(
                "experiment_save_as",
                "Save specification as…",
                "Save the specification that is edited as another file",
                do=ExperimentController.experiment_save_as,
            ),
        ),
    ),
    *in_section(
        "Experiment",
        "Trials",
        ActionSpec(
            "experiment_start",
            "Start the experiment",
            "Run the trials that are missing in the folder",
            do=ExperimentController.experiment_start,
            enabled=ExperimentController.can_start,
        ),
        ActionSpec(
            "experiment_pause",
            "Pause the experiment",
            "Begin no further trial until it goes on",
            toggle=ExperimentController.experiment_pause,
            enabled=ExperimentController.can_pause,
            checked=ExperimentController.is_paused,
        ),
        ActionSpec(
            "experiment_cancel",
            "Cancel the experiment",
            "End it at once; the rows that have come are kept",
            do=ExperimentController.experiment_cancel,
            enabled=ExperimentController.can_cancel,
        ),
    ),
    *in_section(
        "Experiment",
        "Results",
        *where(
            ExperimentController.shows_results,
            ActionSpec(
                "experiment_report",
                "Write report",
                "Write plots, tables and a page into the folder, and open the page",
                do=ExperimentController.experiment_report,
            ),
            ActionSpec(
                "experiment_markdown",
                "Copy tables as Markdown",
                "Copy the tables of what was measured, for a README",
                do=ExperimentController.experiment_markdown,
            ),
            ActionSpec(
                "experiment_csv",
                "Copy summary as CSV",
                "Copy every number of the summary, for other programs",
                do=ExperimentController.experiment_csv,
            ),
        ),
    ),
)
