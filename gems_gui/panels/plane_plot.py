"""The plot of the arms in the plane: points with names, a grid, and what is at the mouse."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPaintEvent, QPen

from gems_gui.panels.plane_labels import NamedPoint, PlaneLabels
from gems_gui.series.plane import THETA, PlaneSeries, Range, grid_step
from gems_gui.theme import Theme
from gems_gui.views.items import CurveItem, MarkItem
from gems_gui.views.plot import Plot

_MANY = 300  # with more arms, points are drawn small
_ROOM = 18.0  # pixels around the points, for names
_ALONG = 24  # places on the arrow of θ⋆ that no name covers
_SIZES = {"arm": 8.0, "small": 5.0, "best": 15.0, "tip": 18.0, "ring": 15.0}
_ZOOM = 1.25


class PlanePlot(Plot):
    """Arms as points, the best target as a star, targets that are not arms as hollow points, θ⋆ as an arrow.

    The range of the axes changes only by :meth:`fit`, by zooming, and by moving the picture.

    Attributes
    ----------
    selected
        The marked arm, :data:`THETA`, or None.
    dragging
        The point that is being dragged, if any; its name is in the readout.
    """

    def __init__(self) -> None:
        super().__init__()
        self.box.setMouseEnabled(False, False)
        self.box.setAspectLocked(True)
        self.box.disableAutoRange()
        self.origin = CurveItem(self.box, connect="pairs")
        self.grid_lines = CurveItem(self.box, connect="pairs")
        self.arrow = CurveItem(self.box)
        self.others = pg.ScatterPlotItem(symbol="o")  # draws thousands as fast as one
        self.addItem(self.others, ignoreBounds=True)
        self.arms = pg.ScatterPlotItem(symbol="o")
        self.addItem(self.arms, ignoreBounds=True)
        self.tip = MarkItem(self.box, "d")
        self.best = MarkItem(self.box, "star")
        self.ring = MarkItem(self.box, "o")
        self.labels = PlaneLabels(self.box)
        self.series: PlaneSeries | None = None
        self.selected: int | None = None
        self.dragging: int | None = None
        self._names: tuple[str, ...] = ()
        self.box.sigRangeChanged.connect(self._show_rules)

    # -- what it shows ------------------------------------------------------------------------------------------

    def apply_theme_to_points(self, theme: Theme) -> None:
        """Set the colours of all items."""
        self.apply_theme(theme)
        none = pg.mkBrush(None)
        self.origin.setPen(pg.mkPen(theme.line, width=theme.stroke(1)))
        self.grid_lines.setPen(pg.mkPen(theme.color("line", 130), width=theme.stroke(1)))
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
        self.labels.apply_theme(theme)

    def show_series(self, series: PlaneSeries, names: tuple[str, ...], selected: int | None) -> None:
        """Draw an instance in the range that is shown.

        Parameters
        ----------
        names
            Those of the arms.
        """
        self.series, self._names = series, names
        self.selected = selected if selected in series.grips else None
        sizes = self._sizes
        self.arms.setData(*series.arms.T, size=self._arm_size())
        self.others.setVisible(len(series.others) > 0)
        self.others.setData(*series.others.T, size=sizes["arm"])
        self.best.setData(*series.best.T)
        self.arrow.setData(*series.arrow.T)
        self.tip.setData(*series.arrow[1:].T)
        ringed = series.place(self.selected) if self.selected is not None else np.zeros((0, 2))
        self.ring.setData(*ringed.reshape(-1, 2).T)
        self._show_names()
        if self.dragging is None:
            self.readout.hide()  # it may be about the instance before

    def _arm_size(self) -> float:
        assert self.series is not None
        return self._sizes["small" if len(self.series.arms) > _MANY else "arm"]

    def _show_names(self) -> None:
        """Name all points but the dragged one, which the others do not avoid: so their names stay where they are."""
        series = self.series
        assert series is not None
        best = [] if series.best_arm is None else [series.best_arm]
        selected = [] if self.selected is None else [self.selected]
        order = dict.fromkeys([*selected, *best, *series.grips[len(series.arms) :], *series.grips])
        star = series.best.tolist() if series.best_name else []
        named = [NamedPoint(x, y, series.best_name, self._sizes["best"]) for x, y in star]
        for point in order:
            if point != self.dragging:
                kind = "tip" if point == THETA else "best" if point in (*best, self.selected) else "arm"
                x, y = series.place(point).tolist()
                named.append(NamedPoint(x, y, "θ⋆" if point == THETA else self._names[point], self._sizes[kind]))
        named += [NamedPoint(x, y, "", self._sizes["arm"]) for x, y in series.others.tolist()]
        avoided = series.arrow if self.dragging != THETA else series.arrow[2:]
        self.labels.show_names(named, np.linspace(avoided[0], avoided[1], _ALONG) if len(avoided) else avoided)

    def clear_points(self) -> None:
        self.series = None
        for item in (self.arms, self.others, self.best, self.arrow, self.tip, self.ring):
            item.setData([], [])
        self.labels.show_names([], np.zeros((0, 2)))

    # -- range and grid -----------------------------------------------------------------------------------------

    def fit(self) -> None:
        """Show all points."""
        self.zoomed = False
        if self.series is not None:
            self.frame(*self.series.range(), _ROOM, _ROOM, _ROOM, _ROOM)

    def frame(
        self, x: Range, y: Range, above: float = 0.0, below: float = 0.0, before: float = 0.0, after: float = 0.0
    ) -> None:
        super().frame(x, y, above, below, before, after)
        self.y_axis.lowest = -math.inf  # with one scale for both axes, numbers below the points are shown, too

    def outside(self) -> int:
        """How many arms, or θ⋆, are out of view."""
        if self.series is None:
            return 0
        (left, right), (low, high) = self.box.viewRange()
        x, y = np.vstack([self.series.arms, self.series.arrow[1:]]).T
        return int(((x < left) | (x > right) | (y < low) | (y > high)).sum())

    @property
    def step(self) -> float:
        """The step of the grid."""
        return grid_step(self.pixel[0])

    def zoom(self, inwards: bool, around: Range | None = None) -> None:
        """Zoom in or out around a place, or around the centre."""
        factor = 1 / _ZOOM if inwards else _ZOOM
        self.zoomed = True
        self.box.scaleBy((factor, factor), center=None if around is None else QPointF(*around))

    def show_grid(self, on: bool) -> None:
        """Show the grid to which points snap, or hide it."""
        step, ((left, right), (low, high)) = self.step, self.box.viewRange()
        columns, rows = (
            step * np.arange(math.ceil(start / step), math.floor(end / step) + 1) if on else np.zeros(0)
            for start, end in ((left, right), (low, high))
        )
        self.grid_lines.set_rules((left, right), rows, (low, high), columns)

    def _show_rules(self, *_: object) -> None:
        """Draw the axes through 0."""
        (left, right), (low, high) = self.box.viewRange()
        self.origin.set_rules((left, right), np.zeros(1), (low, high), np.zeros(1))

    # -- hit testing -------------------------------------------------------------------------------------------

    def stack_at(self, position: QPointF) -> list[int]:
        """The points at a position of the widget that can be grabbed, the one that moves first.

        Where several are on top of each other, the selected one moves; otherwise an arm moves before θ⋆.
        """
        place = self.place_of(position)
        if place is None or self.series is None:
            return []
        return sorted(self.series.stack(place, self.pixel), key=lambda point: point != self.selected)

    def position_of(self, point: int) -> QPointF:
        """Where a point is on the widget."""
        assert self.series is not None
        return QPointF(self.mapFromScene(self.box.mapViewToScene(QPointF(*self.series.place(point)))))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self._theme.color("surviving"), 1))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))
