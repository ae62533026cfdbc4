"""Which views a talk takes over from the board."""

from __future__ import annotations

from gems_gui.board import Board

MOST = 4
"""More at once are too small for the last row."""


def views_in_sight(board: Board) -> tuple[str, ...]:
    """The maximised view, or those that can be seen, the first few of them."""
    if board.maximised is not None:
        return (board.maximised,)
    return tuple(name for name, dock in board.docks.items() if dock.in_sight)[:MOST]
