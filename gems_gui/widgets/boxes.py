"""Layouts in a row, a column or a grid."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Margins = tuple[int, int, int, int]
Layout = TypeVar("Layout", bound=QBoxLayout)
STRETCH = 1
"""Free room, as a part of a row or a column."""
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""What a row or a column contains: a widget or a layout, also with its stretch factor, or free room."""


def hbox(parent: QWidget | None = None, spacing: int | None = None, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """A row without margins, of a widget or to be added to another layout; spacing None: that of the style."""
    return _configured(QHBoxLayout() if parent is None else QHBoxLayout(parent), spacing, margins)


def vbox(parent: QWidget | None = None, spacing: int | None = None, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """A column; see :func:`hbox`."""
    return _configured(QVBoxLayout() if parent is None else QVBoxLayout(parent), spacing, margins)


def grid(
    parent: QWidget | None = None,
    spacing: tuple[int | None, int | None] = (None, None),
    margins: Margins | None = None,
    stretched: int | None = None,
) -> QGridLayout:
    """Rows and columns.

    Parameters
    ----------
    spacing
        Between columns and between rows; None: that of the style.
    margins
        None: those of the style.
    stretched
        The column that takes the room that is left.
    """
    layout = QGridLayout() if parent is None else QGridLayout(parent)
    if margins is not None:
        layout.setContentsMargins(*margins)
    across, down = spacing
    if across is not None:
        layout.setHorizontalSpacing(across)
    if down is not None:
        layout.setVerticalSpacing(down)
    if stretched is not None:
        layout.setColumnStretch(stretched, 1)
    return layout


def _configured(layout: Layout, spacing: int | None, margins: Margins) -> Layout:
    layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    return layout


def fill(layout: Layout, *parts: Part) -> Layout:
    """Add parts to the end of a row or a column, and return it."""
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        content, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, QWidget):
            layout.addWidget(content, stretch)
        else:
            layout.addLayout(content, stretch)
    return layout
