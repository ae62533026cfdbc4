"""The actions of "run until": the dialog, forward and back, and cancel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.conditions import CONDITIONS
from gems_engine.errors import InputError
from gems_gui.actions.refusals import needs_run
from gems_gui.services import Services
from gems_gui.widgets.dialogs import LazyDialog
from gems_gui.workbench.changes import Field

if TYPE_CHECKING:
    from gems_engine.conditions import Condition
    from gems_gui.transport.run_until import RunUntil

_HIDDEN = "This condition needs the truth, which is hidden. Show it with T and try again."


class UntilController(QObject):
    """The methods of these actions.

    Attributes
    ----------
    condition
        The last condition, to be repeated.
    """

    def __init__(self, services: Services) -> None:
        super().__init__(services.host)
        self._workbench, self._actions, self._appearance = services.workbench, services.actions, services.appearance
        self._host = services.host
        self.condition: Condition | None = None
        self._last_message = ""
        self._in_dialog = False  # whether the dialog asked last: it shows what came of it
        self._dialog = LazyDialog(self._make_dialog)
        self._workbench.subscribe(self._look_for_missed, Field.ENGINE)
        self._workbench.subscribe(self._show_dialog, Field.ENGINE)

    @property
    def dialog(self) -> RunUntil | None:
        """The dialog, if it is open."""
        return self._dialog.open

    # -- the actions --------------------------------------------------------------------------------------------

    def run_until_refusal(self) -> str:
        """Why there is no run to continue."""
        return needs_run(self._workbench)

    def run_until(self) -> None:
        """Open the dialog."""
        self._dialog.show()
        self._show_dialog()

    def _make_dialog(self) -> RunUntil:
        from gems_gui.transport.run_until import RunUntil  # loaded when it is first opened

        dialog = RunUntil(self._host, self._workbench.snapshot, self._offered(), self._appearance.theme.font_scale)
        dialog.addActions([self._actions[name] for name in ("until_forward", "until_back")])  # with their keys
        dialog.asked.connect(partial(self.go, in_dialog=True))
        dialog.stop_asked.connect(self.stop_waiting)
        return dialog

    def until_forward(self) -> None:
        """Repeat the last condition forward."""
        self._again(True)

    def until_back(self) -> None:
        """Repeat the last condition back."""
        self._again(False)

    def stop_waiting_refusal(self) -> str:
        """Why there is no search to cancel in the shown run."""
        return "" if self._workbench.searching else "No search is in progress. Press U to choose a condition."

    def stop_waiting(self) -> None:
        """Cancel the search; the cursor stays."""
        self._workbench.stop_search()

    def go(self, condition: Condition, forward: bool, in_dialog: bool = False) -> None:
        """Run the shown run until this condition holds, or go back to it."""
        workbench, run = self._workbench, self._workbench.active
        if run is None:
            return
        self.condition, self._in_dialog = condition, in_dialog
        self._show_message("")
        if condition.truth and not workbench.truth:
            self._show_message(_HIDDEN, lambda: not workbench.truth)
            return
        try:
            condition.check(run.trace.instance)
        except InputError as error:
            self._show_message(str(error), lambda: workbench.active is run)
            return
        workbench.control(lambda playback: playback.run_until(condition, forward))

    def _again(self, forward: bool) -> None:
        dialog = self.dialog
        if dialog is not None:
            dialog.ask(forward)
        elif self.condition is None:
            self.run_until()
        else:
            self.go(self.condition, forward)

    def _offered(self) -> Condition | None:
        """The last condition, if it may be shown and the form offers it."""
        condition = self.condition
        if condition is None or condition.name not in CONDITIONS:
            return None
        return None if condition.truth and not self._workbench.truth else condition

    # -- messages -----------------------------------------------------------------------------------------------

    def _look_for_missed(self, *_: object) -> None:
        """Say that the condition holds nowhere before or after the cursor, until that moves."""
        work = self._workbench
        if sentence := work.take_missed():
            at = work.active, work.playback.cursor if work.playback else 0
            self._show_message(sentence, lambda: at == (work.active, work.playback.cursor if work.playback else 0))

    def _show_message(self, sentence: str, holds: Callable[[], bool] | None = None) -> None:
        """Show a message in the dialog if it has asked and is open, else above the board while it holds."""
        messages = self._workbench.messages
        if self._last_message and messages.current == [self._last_message]:
            messages.show("")
        self._last_message = sentence
        show = partial(messages.show, holds=holds, transient=True)
        self._dialog.show_message(sentence if self._in_dialog else "", show)
        if sentence and not self._in_dialog:
            show(sentence)

    def _show_dialog(self, *_: object) -> None:
        """Update the dialog."""
        work, dialog = self._workbench, self.dialog
        if dialog is not None:
            dialog.show_snapshot(work.snapshot, "" if work.playback is None else work.playback.search_text)
