"""The views of the board that a talk shows."""

from __future__ import annotations

from collections.abc import Iterable

from gems_gui.board.board import Board
from gems_gui.views import VIEWS

MOST = 4
"""The most views at once; more would be too small for the last row."""
PSEUDOCODE = "pseudocode"
"""The view by which an audience follows the others."""


def visible_views(board: Board) -> tuple[str, ...]:
    """The maximised view, or the first few visible ones; always with the pseudo-code if it is visible."""
    seen = _all_visible_views(board)
    shown = seen[:MOST]
    return (*shown[:-1], PSEUDOCODE) if PSEUDOCODE in seen[MOST:] else shown


def views_left_out(board: Board) -> int:
    """The number of visible views that do not fit into a talk."""
    return max(0, len(_all_visible_views(board)) - MOST)


def _all_visible_views(board: Board) -> tuple[str, ...]:
    if board.maximised is not None:
        return (board.maximised,)
    return tuple(name for name, dock in board.docks.items() if dock.exposed)


def chosen_options(board: Board, views: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """The options of these views that differ from the default: view, option and value."""
    chosen = board.options
    return tuple(
        (name, option.name, chosen[name][option.name])
        for name in views
        if name in VIEWS and name in chosen
        for option in VIEWS[name].options
        if chosen[name].get(option.name, option.default) != option.default
    )
