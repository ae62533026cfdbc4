"""The bar above the board with messages to the user."""

from __future__ import annotations

from gems_gui.widgets.notice import Notice
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Workbench

_MOST_LINES = 6  # the log has all messages
_PASSES, _READ = 2_000, 50  # milliseconds for which a message is shown: at least, and for each character


class MessageBar(Notice):
    """Shows the messages of a workbench, as many as fit, and removes confirmations after some seconds.

    A message stays while the mouse is over it, so that no click meant for its button lands on what is below.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__("Message", {"Dismiss": workbench.messages.dismiss})
        self._last: list[str] = []
        self._messages = workbench.messages
        self._passes = single_shot(self, self._pass)
        workbench.subscribe(self._show, Field.MESSAGES)

    def _show(self, *_: object) -> None:
        now = self._messages
        persistent, shown = now.persistent[:_MOST_LINES], [*now.errors, *now.current]
        lines = [*persistent, *shown[max(len(shown) + len(persistent) - _MOST_LINES, 0) :]]  # the newest ones
        if more := len(now.persistent) + len(shown) - len(lines):
            lines.append(f"… and {more} more. The log lists all messages (View ▸ Log).")
        self.show_message("\n".join(lines), error=bool(now.errors))
        if not now.transient or not now.current:
            self._passes.stop()
        elif now.current != self._last or not self._passes.isActive():
            self._passes.start(_PASSES + _READ * sum(map(len, now.current)))
        self._last = list(now.current)

    def _pass(self) -> None:
        if self.underMouse():
            self._passes.start(_PASSES)
        else:
            self._messages.show("")
