"""A ruler under a field: which dimension each value buys, where the present one is, and a place to choose another."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_engine.suggestion import rounded_up
from gems_gui.drafts.rulers import Ruler, RulerMark
from gems_gui.icons import current_theme

_EDGE = 8  # pixels at both ends, which half a pointer needs
_POINTER, _TICK = 7, 6  # pixels
_NEAR = 4  # pixels within which a mark is meant
_GAP = 5  # pixels between two labels


class CostRuler(QWidget):
    """Marks of dimensions on a logarithmic scale of values, and a pointer at the present one.

    Signals
    -------
    begun
        A person takes hold of it: until the next such signal, what follows is one change.
    chosen
        A value that a person has chosen: by a click, a drag, or from mark to mark with the arrow keys.
    """

    begun = Signal()
    chosen = Signal(float)

    def __init__(self, symbol: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ruler: Ruler | None = None
        self._held: Ruler | None = None  # while it is dragged, its scale does not move
        self.setAccessibleName(f"{symbol}, ruler of dimensions")
        self.setToolTip(f"Click or drag to choose {symbol}; ← and → go from mark to mark. The numbers are dimensions.")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_ruler(self, ruler: Ruler) -> None:
        """Show another ruler, or another present value on it."""
        if ruler != self.ruler:
            self.ruler = ruler
            self.setAccessibleDescription(ruler.words)
            self.update()

    # -- where things are ---------------------------------------------------------------------------------------

    @property
    def _scale(self) -> Ruler | None:
        scale = self._held or self.ruler
        return scale if scale is not None and scale.ends is not None else None

    def x_of(self, value: float) -> float:
        """The pixel of a value."""
        scale = self._scale
        assert scale is not None
        return _EDGE + scale.place(value) * (self.width() - 2 * _EDGE)

    def value_at(self, x: float) -> float | None:
        """The value at a pixel: that of a mark where one is near; None while nothing is known."""
        scale = self._scale
        if scale is None:
            return None
        value = scale.value((x - _EDGE) / max(1, self.width() - 2 * _EDGE))
        near = [mark for mark in self.marks() if abs(self.x_of(mark.value) - x) <= _NEAR]
        if near:
            nearest = min(near, key=lambda mark: abs(self.x_of(mark.value) - x))
            return rounded_up(nearest.value)
        return value

    def marks(self) -> list[RulerMark]:
        """The marks that have a place, from left to right."""
        found = [] if self.ruler is None else [mark for mark in self.ruler.marks if 0.0 < mark.value < float("inf")]
        return sorted(found, key=lambda mark: (mark.value, mark.d))

    def labels(self) -> list[tuple[float, str]]:
        """Places and numbers of the labels: the last of those at one place, and none over another; D always."""
        metrics = self.fontMetrics()
        placed: list[tuple[float, str]] = []
        free = float("inf")
        for mark in reversed(self.marks()):
            x, text = self.x_of(mark.value), str(mark.d)
            half = metrics.horizontalAdvance(text) / 2
            if x + half < free:
                placed.append((x, text))
                free = x - half - _GAP
        return placed[::-1]

    def sizeHint(self) -> QSize:
        """Room for the pointer, the ticks and their labels."""
        return QSize(100, _POINTER + _TICK + 2 + self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Any width."""
        return QSize(40, self.sizeHint().height())

    # -- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Line, ticks, labels, pointer."""
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        y = _POINTER + 1
        painter.setPen(QPen(theme.color("surviving" if self.hasFocus() else "dim"), 2 if self.hasFocus() else 1))
        painter.drawLine(_EDGE, y, self.width() - _EDGE, y)
        scale = self._scale
        if self.ruler is None or scale is None:
            return
        present = self.ruler.present
        for mark in self.marks():
            bought = self.ruler.buys(mark)
            painter.setPen(QPen(theme.color("chosen" if bought else "dim"), 2 if bought else 1))
            x = round(self.x_of(mark.value))
            painter.drawLine(x, y, x, y + _TICK)
        painter.setPen(theme.color("text"))
        top, height = y + _TICK, self.fontMetrics().height()
        for at, text in self.labels():
            painter.drawText(QRectF(at - 30, top, 60, height), Qt.AlignmentFlag.AlignCenter, text)
        if present is not None and present > 0:
            at = self.x_of(present)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("budget"))
            corners = [QPointF(at, y + 1), QPointF(at - 5, y - _POINTER), QPointF(at + 5, y - _POINTER)]
            painter.drawPolygon(QPolygonF(corners))

    # -- choosing -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold."""
        if event.button() == Qt.MouseButton.LeftButton and self._scale is not None:
            self._held = self.ruler
            self.begun.emit()
            self._choose(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag."""
        if self._held is not None:
            self._choose(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self._held = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from mark to mark."""
        forward = event.key() == Qt.Key.Key_Right
        if self.ruler is None or not (forward or event.key() == Qt.Key.Key_Left):
            super().keyPressEvent(event)
            return
        value = self.ruler.step(forward)
        if value is not None:
            self.begun.emit()
            self.chosen.emit(value)

    def _choose(self, x: float) -> None:
        value = self.value_at(x)
        if value is not None and (self.ruler is None or value != self.ruler.present):
            self.chosen.emit(value)
