"""What the acts about «run until» do: the dialog, going on and back, and ending it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.conditions import CONDITIONS
from gems_engine.errors import InputError
from gems_gui.widgets.dialogs import open_dialog

if TYPE_CHECKING:
    from gems_engine.conditions import Condition
    from gems_gui.transport.run_until import RunUntil
    from gems_gui.window import MainWindow

_HIDDEN = "This asks about the truth, which is hidden: Shift+T shows it, and then it can be run until this."


class UntilController(QObject):
    """The methods behind these acts.

    Attributes
    ----------
    condition
        What was run until last, to be repeated.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.condition: Condition | None = None
        self._said = ""
        self._kind: type[RunUntil] | None = None  # loaded when somebody asks for it
        window.workspace.missed.connect(self._missed)

    @property
    def waiting(self) -> bool:
        """Whether the shown run goes on until something happens, or looks where it happened."""
        playback = self._window.workspace.playback
        return playback is not None and playback.search is not None

    @property
    def dialog(self) -> RunUntil | None:
        """The dialog, if it is open."""
        return open_dialog(self._window, self._kind)

    # -- the acts -----------------------------------------------------------------------------------------------

    def run_until(self) -> None:
        """Open the dialog."""
        from gems_gui.transport.run_until import RunUntil

        self._kind = RunUntil
        window = self._window
        dialog = RunUntil(window, window.workspace.snapshot, self._offered(), window.theme.font_scale)
        dialog.addActions([window.acts[name] for name in ("until_forward", "until_back")])  # its keys hold there too
        dialog.asked.connect(self.go)
        dialog.stop_asked.connect(self.stop_waiting)
        dialog.show()
        self.show_state()

    def until_forward(self) -> None:
        """Once more, forward."""
        self._again(True)

    def until_back(self) -> None:
        """Once more, back."""
        self._again(False)

    def stop_waiting(self) -> None:
        """Let the cursor stand where it is."""
        self.stop()

    def stop(self) -> bool:
        """End what the run is run until; whether it was."""
        playback = self._window.workspace.playback
        if playback is None or playback.search is None:
            return False
        playback.pause()
        self._window.workspace.refresh()
        return True

    def go(self, condition: Condition, forward: bool) -> None:
        """Run the shown run until this, or go back to it."""
        workspace, playback = self._window.workspace, self._window.workspace.playback
        if playback is None:
            return
        self.condition = condition
        self._say("")
        if condition.truth and not workspace.truth:
            self._say(_HIDDEN)
            return
        try:
            condition.check(playback.trace.instance)
        except InputError as error:
            self._say(str(error))
            return
        playback.run_until(condition, forward)
        workspace.refresh()

    def _again(self, forward: bool) -> None:
        dialog = self.dialog
        if dialog is not None:
            dialog.ask(forward)
        elif self.condition is None:
            self.run_until()
        else:
            self.go(self.condition, forward)

    def _offered(self) -> Condition | None:
        """What was asked for last, as long as it may be shown, and where the form can ask for it."""
        condition = self.condition
        if condition is None or condition.name not in CONDITIONS:
            return None
        return None if condition.truth and not self._window.workspace.truth else condition

    # -- what is said -------------------------------------------------------------------------------------------

    def _missed(self, sentence: str) -> None:
        self._say(sentence)

    def _say(self, sentence: str) -> None:
        """In the dialog if it is open, else over the board, where it does not outlive the next question."""
        dialog, notice = self.dialog, self._window.notice
        if self._said and notice.said == self._said:
            notice.say("")
        self._said = sentence
        if dialog is not None:
            dialog.say(sentence)
        elif sentence:
            self._window.say(sentence)

    def show_state(self) -> None:
        """Let menus and the dialog say how things are."""
        window, playback = self._window, self._window.workspace.playback
        window.acts.enable(("run_until", "until_forward", "until_back"), playback is not None)
        window.acts.enable(("stop_waiting",), self.waiting)
        window.layouts.show_escape()
        dialog = self.dialog
        if dialog is not None:
            dialog.show_snapshot(window.workspace.snapshot, "" if playback is None else playback.search_words)
