"""The map of an experiment: a plot whose cells open their runs by a click or by key."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip

from gems_engine.experiment.plots.heat_map import CELL
from gems_gui.appearance import Appearance
from gems_gui.experiments.picture import Picture
from gems_gui.markup import plain_text

_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class MapPicture(Picture):
    """A plot with cells.

    Attributes
    ----------
    tips
        What each cell shows, by the number of its cell in the experiment.
    current
        The cell with the keyboard focus; −1 if there is none.
    """

    asked = Signal(int)
    """Open the runs of this cell."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance)
        self.tips: dict[int, str] = {}
        self.current = -1
        self._areas: dict[int, QRectF] = {}
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleDescription("Choose a cell with the arrow keys; Enter opens its runs.")

    def show_svg(self, svg: str) -> None:
        """Show another picture, and find its cells."""
        super().show_svg(svg)
        numbers = [int(each) for each in re.findall(rf'id="{CELL}(\d+)"', svg)]
        self._areas = {each: self.renderer.boundsOnElement(f"{CELL}{each}") for each in numbers}
        if self.current not in self._areas:
            self.current = numbers[0] if numbers else -1

    def area(self, cell: int) -> QRectF:
        """The rectangle of a cell in pixels of the widget."""
        of, scale = self._areas[cell], self.scale
        return QRectF(of.x() * scale, of.y() * scale, of.width() * scale, of.height() * scale)

    def cell_at(self, point: QPointF) -> int | None:
        """The cell at a point."""
        return next((each for each in self._areas if self.area(each).contains(point)), None)

    def event(self, event: QEvent) -> bool:
        """Show what the cell under the mouse says, and take the keys of the map before shortcuts do."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _means(event):
            event.accept()
            return True
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            cell = self.cell_at(QPointF(event.pos()))
            text = "" if cell is None else self.tips.get(cell, "")
            QToolTip.showText(event.globalPos(), plain_text(text) if text else "", self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self.cell_at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(cell)
            self.asked.emit(cell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.current < 0 or not _means(event):
            super().keyPressEvent(event)
        elif event.key() in _ENTER:
            self.asked.emit(self.current)
        else:
            self._choose(self._neighbour(*_STEPS[Qt.Key(event.key())]))

    def _neighbour(self, right: int, down: int) -> int:
        """The nearest cell in a direction, or the current one at the edge."""
        here = self._areas[self.current].center()
        found = {}
        for cell, area in self._areas.items():
            apart = area.center() - here
            along, across = (apart.x() * right, apart.y()) if right else (apart.y() * down, apart.x())
            if along > 1.0 and abs(across) < 1.0:
                found[along] = cell
        return found[min(found)] if found else self.current

    def _choose(self, cell: int) -> None:
        self.current = cell
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus() and self.current >= 0:
            painter = QPainter(self)
            painter.setPen(self.focus_pen())
            painter.drawRect(self.area(self.current).adjusted(2, 2, -2, -2))


def _means(event: QKeyEvent) -> bool:
    """Whether a key moves between cells or opens one."""
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return plain and event.key() in (*_STEPS, *_ENTER)
