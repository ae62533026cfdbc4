"""The table of all actions of menus, buttons and keys."""

from __future__ import annotations

from gems_gui.actions.run_actions import RUN_ACTIONS
from gems_gui.actions.spec import AnyAction, checked_table, in_menu_order
from gems_gui.actions.window_actions import WINDOW_ACTIONS
from gems_gui.analysis.actions import DESIGN_ACTIONS
from gems_gui.board.actions import LAYOUT_ACTIONS
from gems_gui.closing.actions import CLOSING_ACTIONS
from gems_gui.compare.actions import COMPARE_ACTIONS, COMPARISON_RUN_ACTIONS
from gems_gui.editing.actions import AUTO_RUN_ACTIONS, TABLE_ACTIONS
from gems_gui.experiments.actions import EXPERIMENT_ACTIONS
from gems_gui.exports.actions import EXPORT_ACTIONS
from gems_gui.files.actions import FILE_ACTIONS
from gems_gui.help.actions import HELP_ACTIONS
from gems_gui.race.actions import RACE_ACTIONS
from gems_gui.runs.actions import BRANCH_ACTIONS, RUN_LIST_ACTIONS
from gems_gui.talk.actions import TALK_ACTIONS
from gems_gui.talk.stage_actions import STAGE_ACTIONS
from gems_gui.transport.actions import GO_TO_ACTIONS, UNTIL_ACTIONS
from gems_gui.trials.actions import REPLICATE_ACTIONS, SENSITIVITY_ACTIONS
from gems_gui.welcome.actions import WELCOME_ACTIONS

MENUS = {
    "File": ("Files", "Designs", "Closing", "Program"),
    "Edit": ("Undo", "Instance", "Design", "Form", "Copy"),
    "Run": ("Engine", "Play", "Runs", "More seeds"),
    "Run/Go": ("Step forward", "Step back", "Go"),
    "View": ("Truth", "Lists", "Look", "Views"),
    "View/Layout": ("Layouts", "Own layouts"),
    "View/Theme": ("Theme",),
    "Experiment": ("Experiments", "Trials", "Results"),
    "Talk": ("Talk", "Story"),
    "Help": ("Help", "About"),
}
"""The menus with their sections, in their order."""

ACTIONS: tuple[AnyAction, ...] = in_menu_order(
    (
        *TABLE_ACTIONS,
        *AUTO_RUN_ACTIONS,
        *RUN_ACTIONS,
        *WINDOW_ACTIONS,
        *FILE_ACTIONS,
        *CLOSING_ACTIONS,
        *RUN_LIST_ACTIONS,
        *GO_TO_ACTIONS,
        *UNTIL_ACTIONS,
        *BRANCH_ACTIONS,
        *RACE_ACTIONS,
        *COMPARISON_RUN_ACTIONS,
        *COMPARE_ACTIONS,
        *REPLICATE_ACTIONS,
        *SENSITIVITY_ACTIONS,
        *EXPORT_ACTIONS,
        *LAYOUT_ACTIONS,
        *DESIGN_ACTIONS,
        *EXPERIMENT_ACTIONS,
        *TALK_ACTIONS,
        *HELP_ACTIONS,
        *WELCOME_ACTIONS,
    ),
    MENUS,
)
"""The actions of the window, in the order of its menus."""

EVERY_ACTION: tuple[AnyAction, ...] = checked_table((*ACTIONS, *STAGE_ACTIONS))
"""All actions, with those on the stage of a talk."""
