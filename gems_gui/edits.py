"""All that something has been while it was edited: where undo and redo go. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from gems_gui.turns import next_turn

Edited = TypeVar("Edited")
LONGEST = 100
"""Steps that are remembered."""


@dataclass(frozen=True)
class _Step(Generic[Edited]):
    became: Edited
    what: str
    merge: str
    turn: int


class Edits(Generic[Edited]):
    """The stories of a run, or what the design debugger was asked for, and which of them it is now.

    Parameters
    ----------
    first
        What it is before any change.
    """

    def __init__(self, first: Edited) -> None:
        self._steps: list[_Step[Edited]] = [_Step(first, "", "", 0)]
        self._at = 0
        self.latest = 0

    @property
    def now(self) -> Edited:
        """What it is now."""
        return self._steps[self._at].became

    def record(self, changed: Edited, what: str, merge: str = "") -> None:
        """A change, in words; what could be redone is forgotten.

        Consecutive changes with the same `merge` are one step: what is typed into a field is taken back at once.
        """
        if changed == self.now:
            return
        del self._steps[self._at + 1 :]
        if merge and merge == self._steps[self._at].merge:
            self._steps.pop()
        self.latest = next_turn()
        self._steps.append(_Step(changed, what, merge, self.latest))
        del self._steps[: max(0, len(self._steps) - 1 - LONGEST)]
        self._at = len(self._steps) - 1

    def seal(self) -> None:
        """Let the next change be a step of its own."""
        self._steps[self._at] = replace(self._steps[self._at], merge="")

    @property
    def undo_words(self) -> str:
        """What undo would take back; empty if nothing."""
        return self._steps[self._at].what if self._at > 0 else ""

    @property
    def redo_words(self) -> str:
        """What redo would do again; empty if nothing."""
        return self._steps[self._at + 1].what if self._at + 1 < len(self._steps) else ""

    @property
    def undo_turn(self) -> int:
        """When what undo would take back was done."""
        return self._steps[self._at].turn

    @property
    def redo_turn(self) -> int:
        """When what redo would do again was taken back."""
        return self._steps[self._at + 1].turn if self.redo_words else 0

    def undo(self) -> Edited:
        """One step back, where there is one."""
        self.seal()
        if self._at > 0:
            self._note()
            self._at -= 1
        return self.now

    def redo(self) -> Edited:
        """One step on, where there is one."""
        if self.redo_words:
            self._at += 1
            self._note()
        return self.now

    def _note(self) -> None:
        """Something happens to this step now."""
        self._steps[self._at] = replace(self._steps[self._at], turn=next_turn())
