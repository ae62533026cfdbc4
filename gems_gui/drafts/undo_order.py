"""What is undone first where several lists can be: the newest act of the window; knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Protocol, TypeVar

next_turn: Callable[[], int] = count(1).__next__
"""A number for what happens now, larger than all before it."""


class Undoable(Protocol):
    """A list of acts that can be taken back and made again, each with the turn when that last happened to it."""

    @property
    def undo_text(self) -> str:
        """What undo would take back; empty if nothing."""

    @property
    def redo_text(self) -> str:
        """What redo would make again; empty if nothing."""

    @property
    def undo_turn(self) -> int:
        """When what undo would take back was done."""

    @property
    def redo_turn(self) -> int:
        """When what redo would make again was taken back."""

    @property
    def latest(self) -> int:
        """When something new was done last, other than by undo and redo."""


class Editable(Protocol):
    """Something that is edited, with the list of its edits."""

    @property
    def history(self) -> Undoable:
        """Its edits."""

    def undo(self) -> None:
        """Take the newest edit back."""

    def redo(self) -> None:
        """Make the edit again that was taken back last."""


Listed = TypeVar("Listed", bound=Undoable)


def to_undo(lists: Iterable[Listed]) -> Listed | None:
    """The list whose act is the newest of all that can be taken back."""
    return max((each for each in lists if each.undo_text), key=lambda each: each.undo_turn, default=None)


def to_redo(lists: Iterable[Listed]) -> Listed | None:
    """The list whose act was taken back last, unless something new has been done since, in whichever list."""
    lists = tuple(lists)
    latest = max((each.latest for each in lists), default=0)
    undone = (each for each in lists if each.redo_text and each.redo_turn > latest)
    return max(undone, key=lambda each: each.redo_turn, default=None)
