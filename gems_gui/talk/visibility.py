"""Which views a talk takes over from the board."""

from __future__ import annotations

from collections.abc import Iterable

from gems_gui.board.board import Board
from gems_gui.views import VIEWS

MOST = 4
"""More at once are too small for the last row."""
PSEUDOCODE = "pseudocode"
"""The view that an audience follows the others by."""


def visible_views(board: Board) -> tuple[str, ...]:
    """The maximised view, or the first few that can be seen; the pseudo-code is one wherever it can be seen."""
    seen = _all_visible_views(board)
    shown = seen[:MOST]
    return (*shown[:-1], PSEUDOCODE) if PSEUDOCODE in seen[MOST:] else shown


def views_left_out(board: Board) -> int:
    """How many that can be seen are too many for a talk."""
    return max(0, len(_all_visible_views(board)) - MOST)


def _all_visible_views(board: Board) -> tuple[str, ...]:
    if board.maximised is not None:
        return (board.maximised,)
    return tuple(name for name, dock in board.docks.items() if dock.exposed)


def chosen_options(board: Board, views: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """What is chosen about these views and is not so by default: the view, the option and its value."""
    chosen = board.options
    return tuple(
        (name, option.name, chosen[name][option.name])
        for name in views
        if name in VIEWS and name in chosen
        for option in VIEWS[name].options
        if chosen[name].get(option.name, option.default) != option.default
    )
