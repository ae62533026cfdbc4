"""The bar over the board with what is said to the user."""

from __future__ import annotations

from gems_gui.widgets.notice import Notice
from gems_gui.widgets.timers import single_shot
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Workbench

_MOST_LINES = 6  # the log has all of them
_PASSES = 6_000  # milliseconds of a sentence that only confirms what was asked for


class MessageBar(Notice):
    """Shows the messages of a workbench, as many as have room, and lets those go that may."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__("Message", {"Dismiss": workbench.messages.dismiss})
        self._messages = workbench.messages
        self._passes = single_shot(self, self._pass, _PASSES)
        workbench.subscribe(self._show, Field.MESSAGES)

    def _show(self, *_: object) -> None:
        now = self._messages
        persistent, shown = now.persistent[:_MOST_LINES], [*now.errors, *now.current]
        lines = [*persistent, *shown[max(len(shown) + len(persistent) - _MOST_LINES, 0) :]]  # what is said last is seen
        if more := len(now.persistent) + len(shown) - len(lines):
            lines.append(f"… and {more} more: the log has all of them (View/Log).")
        self.show_message("\n".join(lines), error=bool(now.errors))
        if not now.transient:
            self._passes.stop()
        elif not self._passes.isActive():
            self._passes.start()

    def _pass(self) -> None:
        self._messages.show("")
