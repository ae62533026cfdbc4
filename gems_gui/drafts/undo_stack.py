"""All that something has been while it was edited, without Qt: where undo and redo go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from gems_gui.drafts.undo_order import next_turn

Edited = TypeVar("Edited")
LONGEST = 100
"""Steps that are remembered, where nothing else is said."""


@dataclass(frozen=True)
class _Edit(Generic[Edited]):
    became: Edited
    what: str
    merge: str
    turn: int


class UndoStack(Generic[Edited]):
    """What something was, and which of it it is now; a subclass records what it becomes.

    Parameters
    ----------
    first
        What it is before any change.
    longest
        How many steps are remembered.
    """

    def __init__(self, first: Edited, longest: int = LONGEST) -> None:
        self._steps: list[_Edit[Edited]] = [_Edit(first, "", "", 0)]
        self._at = 0
        self._longest = longest
        self.latest = 0

    @property
    def now(self) -> Edited:
        """What it is now."""
        return self._steps[self._at].became

    def _record(self, changed: Edited, words: Callable[[Edited, Edited], str], merge: str) -> None:
        """A change, in words of what it was when the step began and what it is now; what could be redone is forgotten.

        Consecutive changes with the same `merge` are one step, until :meth:`seal`. What leads back to where its step
        began is none.
        """
        now = self._steps[self._at]
        if changed == now.became:
            return
        del self._steps[self._at + 1 :]
        self.latest = next_turn()
        if merge and merge == now.merge:
            del self._steps[-1]
        before = self._steps[-1].became
        back = changed == before
        if not back:
            self._steps.append(_Edit(changed, words(before, changed), merge, self.latest))
        del self._steps[: max(0, len(self._steps) - 1 - self._longest)]
        self._at = len(self._steps) - 1
        if back:
            self.seal()

    def seal(self) -> None:
        """Let the next change be a step of its own, whatever it could be merged with."""
        self._steps[self._at] = replace(self._steps[self._at], merge="")

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back and nothing has changed since."""
        return self._at < len(self._steps) - 1

    @property
    def undo_text(self) -> str:
        """What undo would take back, as «change of δ»; empty if nothing."""
        return self._steps[self._at].what if self.can_undo else ""

    @property
    def redo_text(self) -> str:
        """What redo would do again; empty if nothing."""
        return self._steps[self._at + 1].what if self.can_redo else ""

    @property
    def undo_turn(self) -> int:
        """When what undo would take back was done."""
        return self._steps[self._at].turn if self.can_undo else 0

    @property
    def redo_turn(self) -> int:
        """When what redo would do again was taken back."""
        return self._steps[self._at + 1].turn if self.can_redo else 0

    def undo(self) -> Edited:
        """One step back, where there is one."""
        if self.can_undo:
            self._note()
            self._at -= 1
        self.seal()
        return self.now

    def redo(self) -> Edited:
        """One step on, where there is one."""
        if self.can_redo:
            self._at += 1
            self._note()
        self.seal()
        return self.now

    def _note(self) -> None:
        """Something happens to this step now."""
        self._steps[self._at] = replace(self._steps[self._at], turn=next_turn())


class EditHistory(UndoStack[Edited]):
    """The stories of a run, or what the design debugger was asked for."""

    def record(self, changed: Edited, what: str, merge: str = "") -> None:
        """A change, in words; those with the same `merge` are one step: what is typed is taken back at once."""
        self._record(changed, lambda before, after: what, merge)
