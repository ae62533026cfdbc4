"""The plot of the arms in the plane: points that can be hovered, selected and dragged."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent

from gems_gui.series.plane import PlaneSeries
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.plot import Plot

THETA = -1
"""Denotes the tip of θ⋆ where an index denotes an arm."""

_NEAR = 10.0  # pixels within which the mouse hits a point
_A_CLICK = 4.0  # pixels of movement that still count as a click
_MANY = 300  # with more arms, points are drawn small


class PlanePlot(Plot):
    """Arms as points, the best target as a star, targets that are not arms as hollow points, θ⋆ as an arrow.

    Attributes
    ----------
    dragged
        Called with an arm, or :data:`THETA`, and its new position.
    begun, dropped
        Called when a drag starts and ends.
    picked
        Called with the arm that was clicked, or None if no arm was hit.
    """

    def __init__(self) -> None:
        super().__init__()
        for axis in (self.x_axis, self.y_axis):
            axis.hide()
        self.box.setMouseEnabled(False, False)
        self.box.setAspectLocked(True)
        self.box.disableAutoRange()
        self.arrow = CurveItem(self.box)
        self.others = pg.ScatterPlotItem(symbol="o")  # draws thousands as fast as one
        self.addItem(self.others, ignoreBounds=True)
        self.tip = MarkItem(self.box, "d")
        self.arms = pg.ScatterPlotItem(symbol="o")
        self.addItem(self.arms, ignoreBounds=True)
        self.best = MarkItem(self.box, "star")
        self.ring = MarkItem(self.box, "o")
        self.dragged: Callable[[int, tuple[float, float]], None] | None = None
        self.begun: Callable[[], None] | None = None
        self.dropped: Callable[[], None] | None = None
        self.picked: Callable[[int | None], None] | None = None
        self.series: PlaneSeries | None = None
        self.dragging: int | None = None
        self._held: int | None = None
        self._held_at = QPointF()

    # -- what it shows ------------------------------------------------------------------------------------------

    def apply_theme_to_points(self, theme: Theme) -> None:
        """Set the colours of all items."""
        self.apply_theme(theme)
        none = pg.mkBrush(None)
        self.arms.setPen(pg.mkPen(theme.color("card"), width=1))
        self.arms.setBrush(pg.mkBrush(theme.color("surviving")))
        self.others.setPen(pg.mkPen(theme.color("surviving"), width=1.5))
        self.others.setBrush(none)
        self.best.setPen(pg.mkPen(theme.color("card"), width=1))
        self.best.setBrush(theme.color("best"))
        self.arrow.setPen(pg.mkPen(theme.color("chosen"), width=2))
        self.tip.setPen(pg.mkPen(theme.color("chosen"), width=2))
        self.ring.setPen(pg.mkPen(theme.color("text"), width=2))
        for item in (self.tip, self.ring):  # hollow: an arm may be at the tip of θ⋆, as in the hard instance
            item.setBrush(theme.color("card", 0))
        self._sizes = {name: theme.pixels(size) for name, size in _SIZES.items()}
        for name, item in (("best", self.best), ("tip", self.tip), ("ring", self.ring)):
            item.setSize(self._sizes[name])

    def show_series(self, series: PlaneSeries, selected: int | None) -> None:
        """Draw an instance; during a drag the range is fixed, so that points stay under the mouse."""
        self.series = series
        sizes = self._sizes
        small = len(series.arms) > _MANY
        self.arms.setData(*series.arms.T, size=sizes["small" if small else "arm"])
        self.others.setVisible(len(series.others) > 0)
        self.others.setData(*series.others.T, size=sizes["arm"])
        self.best.setData(*series.best.T)
        self.arrow.setData(*series.arrow.T)
        self.tip.setData(*series.arrow[1:].T)
        chosen = [] if selected is None or selected >= len(series.arms) else [selected]
        self.ring.setData(*series.arms[chosen].T)
        if self.dragging is None:
            self.frame(*series.range())

    def clear_points(self) -> None:
        self.series = None
        for item in (self.arms, self.others, self.best, self.arrow, self.tip, self.ring):
            item.setData([], [])

    # -- hit testing -------------------------------------------------------------------------------------------

    def near(self, x: float, y: float, theta_first: bool = False) -> int | None:
        """The arm, or the tip of θ⋆, at a position in the plot; None if nothing is near.

        Parameters
        ----------
        theta_first
            Whether θ⋆ takes precedence if both are near; otherwise the nearer one, or the arm if both are equally near.
        """
        series, place = self.series, (x, y)
        if series is None:
            return None
        x_pixel, y_pixel = self.box.viewPixelSize()
        scale = np.array([x_pixel, y_pixel])
        away = np.hypot(*((series.arms - np.array(place)) / scale).T)
        arm = int(np.argmin(away))
        if len(series.arrow):
            tip = math.hypot(*((series.arrow[1] - np.array(place)) / scale))
            if tip <= _NEAR and (tip < away[arm] or theta_first):
                return THETA
        return arm if away[arm] <= _NEAR else None

    def _near_mouse(self, position: QPointF, theta_first: bool = False) -> int | None:
        place = self.place_of(position)
        return None if place is None else self.near(*place, theta_first)

    # -- mouse --------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._held, self._held_at = self._near_mouse(event.position(), shift), event.position()
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None or not event.buttons() & Qt.MouseButton.LeftButton:
            self.setCursor(self._shape(event.position()))
            self.point_at(event.position())
            return
        if self.dragging is None:
            if (event.position() - self._held_at).manhattanLength() < _A_CLICK:
                return
            self.dragging = self._held
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.readout.hide()
            if self.begun is not None:
                self.begun()
        place = self.box.mapSceneToView(self.mapToScene(event.position().toPoint()))
        if self.dragged is not None:
            self.dragged(self.dragging, (place.x(), place.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        held, self._held = self._held, None
        if self.dragging is not None:
            self.dragging = None
            if self.dropped is not None:
                self.dropped()
        elif self.picked is not None and held != THETA:
            self.picked(held)
        self.setCursor(self._shape(event.position()))

    def _shape(self, position: QPointF) -> Qt.CursorShape:
        draggable = self.dragged is not None and self._near_mouse(position) is not None
        return Qt.CursorShape.OpenHandCursor if draggable else Qt.CursorShape.ArrowCursor

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel, so that the form scrolls."""
        event.ignore()


_SIZES = {"arm": 8.0, "small": 5.0, "best": 15.0, "tip": 18.0, "ring": 15.0}
