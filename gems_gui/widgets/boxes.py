"""Layouts in a row or a column, without margins unless some are given."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

Margins = tuple[int, int, int, int]
Layout = TypeVar("Layout", bound=QBoxLayout)


def hbox(parent: QWidget | None = None, spacing: int | None = None, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """A row, of a widget or to be added to another layout; without a spacing it has that of the style."""
    return _configured(QHBoxLayout() if parent is None else QHBoxLayout(parent), spacing, margins)


def vbox(parent: QWidget | None = None, spacing: int | None = None, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """A column; see :func:`hbox`."""
    return _configured(QVBoxLayout() if parent is None else QVBoxLayout(parent), spacing, margins)


def _configured(layout: Layout, spacing: int | None, margins: Margins) -> Layout:
    layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    return layout
