"""A delegate that paints rows of a list in the current theme."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex
from PySide6.QtWidgets import QStyledItemDelegate

from gems_gui.appearance import Appearance
from gems_gui.theme import Theme

SMALL = 11
"""Pixels of dim lines, as the stylesheet has them."""
Index = QModelIndex | QPersistentModelIndex


class ThemedDelegate(QStyledItemDelegate):
    """Base class of such delegates; a subclass paints."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance

    @property
    def theme(self) -> Theme:
        """Colours and fonts."""
        return self._appearance.theme
