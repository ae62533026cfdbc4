"""Chooses what to undo first among several lists: the newest change in the window; independent of Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from typing import Protocol, TypeVar

next_turn: Callable[[], int] = count(1).__next__
"""The next number, larger than all before it."""


class Undoable(Protocol):
    """A list of changes that can be undone and redone, each with the number of its last change."""

    @property
    def undo_text(self) -> str:
        """A description of what undo would undo; empty if nothing."""

    @property
    def redo_text(self) -> str:
        """A description of what redo would redo; empty if nothing."""

    @property
    def undo_turn(self) -> int:
        """When the change that undo would undo was made."""

    @property
    def redo_turn(self) -> int:
        """When the change that redo would redo was undone."""

    @property
    def latest(self) -> int:
        """When the last new change was made, other than by undo and redo."""


class Editable(Protocol):
    """Something that can be edited, with the list of its edits."""

    @property
    def history(self) -> Undoable:
        """Its edits."""

    def undo(self) -> None:
        """Undo the newest edit."""

    def redo(self) -> None:
        """Redo the edit that was undone last."""


Listed = TypeVar("Listed", bound=Undoable)


def to_undo(lists: Iterable[Listed]) -> Listed | None:
    """The list with the newest change that can be undone."""
    return max((each for each in lists if each.undo_text), key=lambda each: each.undo_turn, default=None)


def to_redo(lists: Iterable[Listed]) -> Listed | None:
    """The list whose change was undone last, unless a new change was made in any list since."""
    lists = tuple(lists)
    latest = max((each.latest for each in lists), default=0)
    undone = (each for each in lists if each.redo_text and each.redo_turn > latest)
    return max(undone, key=lambda each: each.redo_turn, default=None)
