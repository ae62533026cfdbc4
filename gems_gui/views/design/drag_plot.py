"""A plot of arms whose bars can be dragged with the mouse."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

from gems_gui.views.arm_axis import ArmPlot
from gems_gui.views.plot import Range

_A_CLICK = 4.0  # pixels: a shorter movement is a click


class DragPlot(ArmPlot):
    """Bars that follow the mouse vertically.

    Attributes
    ----------
    dragged
        Called with an arm and the height to which its bar is dragged; None if bars cannot be dragged.
    dropped
        Called when the bar is released.
    """

    def __init__(self) -> None:
        self.dragging: int | None = None
        super().__init__()
        self.dragged: Callable[[int, float], None] | None = None
        self.dropped: Callable[[], None] | None = None
        self._held: int | None = None
        self._held_at = QPointF()
        self._mouse_at = QPointF()

    def follow(self) -> None:
        """Update the readout at the mouse: the dragged bar has a new height."""
        if self.dragging is not None:
            self.point_at(self._mouse_at)

    @property
    def draggable(self) -> bool:
        """Whether bars can be dragged."""
        return self.dragged is not None

    def frame(
        self, x: Range, y: Range, above: float = 0.0, below: float = 0.0, before: float = 0.0, after: float = 0.0
    ) -> None:
        """Show this range; while a bar is dragged, the range stays the same."""
        if self.dragging is None:
            super().frame(x, y, above, below, before, after)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._held = None
        place = self.place_of(event.position())
        if event.button() == Qt.MouseButton.LeftButton and self.dragged is not None and place is not None:
            self._held = None if self.order is None else self.order.arm_at(place[0])
            self._held_at = event.position()
        if self._held is None:
            super().mousePressEvent(event)
        else:
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None or not event.buttons() & Qt.MouseButton.LeftButton:
            super().mouseMoveEvent(event)
            self._show_hand(event.position())
            return
        if self.dragging is None:
            if (event.position() - self._held_at).manhattanLength() < _A_CLICK:
                return
            self.dragging = self._held
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        height = self.box.mapSceneToView(self.mapToScene(event.position().toPoint())).y()
        self._mouse_at = event.position()
        if self.dragged is not None:
            self.dragged(self.dragging, 10.0**height if self.log else height)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        held, self._held = self._held, None
        if self.release():
            self._show_hand(event.position())
            if self.dropped is not None:
                self.dropped()
        elif held is not None and event.button() == Qt.MouseButton.LeftButton:
            place = self.place_of(event.position())
            if place is not None and self.pick is not None:
                self.pick(*place)
        else:
            super().mouseReleaseEvent(event)

    def release(self) -> bool:
        """Release the bar; returns whether it was dragged."""
        dragged, self.dragging, self._held = self.dragging, None, None
        if dragged is not None:
            self.readout.hide()
            self.unsetCursor()
        return dragged is not None

    def _show_hand(self, position: QPointF) -> None:
        over = self.dragged is not None and self.place_of(position) is not None
        self.setCursor(Qt.CursorShape.OpenHandCursor if over else Qt.CursorShape.ArrowCursor)
