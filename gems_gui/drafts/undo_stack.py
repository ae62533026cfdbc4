"""The states of something that is edited, for undo and redo; independent of Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from gems_gui.drafts.undo_order import next_turn

Edited = TypeVar("Edited")
LONGEST = 100
"""Number of steps kept by default."""


@dataclass(frozen=True)
class _Edit(Generic[Edited]):
    became: Edited
    what: str
    merge: str
    turn: int


@dataclass(frozen=True)
class Bookmark(Generic[Edited]):
    """All steps of a stack at one moment."""

    steps: tuple[_Edit[Edited], ...]
    at: int
    latest: int


class UndoStack(Generic[Edited]):
    """A list of states and the position of the current one; a subclass records new states.

    Parameters
    ----------
    first
        The state before any change.
    longest
        Number of steps kept.
    """

    def __init__(self, first: Edited, longest: int = LONGEST) -> None:
        self._steps: list[_Edit[Edited]] = [_Edit(first, "", "", 0)]
        self._at = 0
        self._longest = longest
        self.latest = 0

    @property
    def now(self) -> Edited:
        """The current state."""
        return self._steps[self._at].became

    def _record(self, changed: Edited, words: Callable[[Edited, Edited], str], merge: str) -> None:
        """Record a change, described by the state at the start of its step and the new one; redo is cleared.

        Consecutive changes with the same `merge` are one step, until :meth:`seal`. A step that ends where it
        began is dropped.
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
        """End the current step: the next change is not merged with it."""
        self._steps[self._at] = replace(self._steps[self._at], merge="")

    def substitute(self, state: Edited) -> None:
        """Replace the current state by another without a step, which ends the current one."""
        self._steps[self._at] = replace(self._steps[self._at], became=state, merge="")

    def bookmark(self) -> Bookmark[Edited]:
        """All steps as they are now."""
        return Bookmark(tuple(self._steps), self._at, self.latest)

    def go_back(self, to: Bookmark[Edited]) -> Edited:
        """Restore the steps at a bookmark, as if nothing had been recorded since; redo is possible again too."""
        self._steps, self._at, self.latest = list(to.steps), to.at, to.latest
        self.seal()
        return self.now

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was undone and nothing has changed since."""
        return self._at < len(self._steps) - 1

    @property
    def undo_text(self) -> str:
        """A description of what undo would undo, such as "change of δ"; empty if nothing."""
        return self._steps[self._at].what if self.can_undo else ""

    @property
    def redo_text(self) -> str:
        """A description of what redo would redo; empty if nothing."""
        return self._steps[self._at + 1].what if self.can_redo else ""

    @property
    def undo_turn(self) -> int:
        """When the step that undo would undo was made."""
        return self._steps[self._at].turn if self.can_undo else 0

    @property
    def redo_turn(self) -> int:
        """When the step that redo would redo was undone."""
        return self._steps[self._at + 1].turn if self.can_redo else 0

    def undo(self) -> Edited:
        """Go back one step if there is one."""
        if self.can_undo:
            self._note()
            self._at -= 1
        self.seal()
        return self.now

    def redo(self) -> Edited:
        """Go forward one step if there is one."""
        if self.can_redo:
            self._at += 1
            self._note()
        self.seal()
        return self.now

    def _note(self) -> None:
        """Set the time of this step to now."""
        self._steps[self._at] = replace(self._steps[self._at], turn=next_turn())


class EditHistory(UndoStack[Edited]):
    """Undo for the stories of a run and for the design debugger."""

    def record(self, changed: Edited, what: str, merge: str = "") -> None:
        """Record a change with its description; those with the same `merge` are one step, for example typing."""
        self._record(changed, lambda before, after: what, merge)
