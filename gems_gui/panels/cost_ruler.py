"""A ruler under a field: shows which dimension each value buys and the current value, and lets the user change it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_engine.suggestion import rounded_up
from gems_gui.drafts.rulers import Ruler, RulerMark
from gems_gui.icons import current_theme

_EDGE = 8  # pixels at both ends, for half of the pointer
_POINTER, _TICK = 7, 6  # pixels
_NEAR = 4  # pixels within which the mouse snaps to a mark
_GAP = 5  # pixels between two labels


class CostRuler(QWidget):
    """Marks of dimensions on a logarithmic scale of values, with a pointer at the current value.

    Signals
    -------
    begun
        A drag starts: all changes until the next such signal are one undo step.
    chosen
        A value chosen by the user: by a click, a drag, or with the arrow keys from mark to mark.
    """

    begun = Signal()
    chosen = Signal(float)

    def __init__(self, symbol: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ruler: Ruler | None = None
        self._held: Ruler | None = None  # the scale is fixed from a drag on until the mouse leaves
        self._dragged = False
        self.setAccessibleName(f"{symbol}, ruler of dimensions")
        self.setToolTip(f"Click or drag to choose {symbol}; ← and → go from mark to mark. The numbers are dimensions.")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_ruler(self, ruler: Ruler) -> None:
        """Show another ruler, or another current value on it."""
        if ruler != self.ruler:
            self.ruler = ruler
            self.setAccessibleDescription(ruler.words)
            self.update()

    # -- positions -------------------------------------------------------------------------------------------

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
        """The value at a pixel, snapped to a nearby mark; None while no mark is known."""
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
        """The marks on the scale, from left to right."""
        found = [] if self.ruler is None else [mark for mark in self.ruler.marks if 0.0 < mark.value < float("inf")]
        return sorted(found, key=lambda mark: (mark.value, mark.d))

    def labels(self) -> list[tuple[float, str]]:
        """Positions and numbers of the labels that do not overlap; D always has one."""
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
        return QSize(100, _POINTER + _TICK + 2 + self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.sizeHint().height())

    # -- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
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
        if event.button() == Qt.MouseButton.LeftButton and self._scale is not None:
            self._held, self._dragged = self._scale, True
            self.begun.emit()
            self._choose(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged:
            self._choose(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = False

    def leaveEvent(self, event: QEvent) -> None:
        """Fit the scale to the marks and the value again: the pointer is no longer under the mouse."""
        super().leaveEvent(event)
        if not self._dragged:
            self._held = None
            self.update()

    def event(self, event: QEvent) -> bool:
        """Claim ← and → before the shortcuts of the window get them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
            if plain and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
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
