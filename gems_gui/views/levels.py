"""Additions to the scale of a plot: a second scale on the right, and levels named on the left."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt

from gems_gui.theme import Theme
from gems_gui.views.number_axis import Level, NumberAxis
from gems_gui.views.plot import Plot, alike


class SecondAxis:
    """A second vertical scale on the right, in logarithms, for a quantity of another kind."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self.axis = NumberAxis("right")
        self.axis.setLogMode(False, True)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0.0)
        plot.grid.addItem(self.axis, 2, 3)
        plot.scene().addItem(self.box)
        self.axis.linkToView(self.box)
        self.box.setXLink(plot.box)
        plot.box.sigResized.connect(self._follow)
        self.axis.setZValue(-1)
        self.show(False)

    def _follow(self, *_: object) -> None:
        self.box.setGeometry(self._plot.box.sceneBoundingRect())
        self.box.linkedViewChanged(self._plot.box, self.box.XAxis)

    def show(self, visible: bool) -> None:
        """Show or hide the axis."""
        if visible != self.axis.isVisible():
            self.axis.setVisible(visible)
        self.box.setVisible(visible)

    def empty(self) -> None:
        """Hide the axis."""
        self.show(False)

    def apply_theme(self, theme: Theme, role: str) -> None:
        """Set the colours of lines and numbers; the numbers have the colour of the curve."""
        self.axis.setPen(pg.mkPen(theme.line, width=theme.pen_width(1)))
        self.axis.setTextPen(pg.mkPen(getattr(theme, role)))
        self.axis.setTickFont(theme.font(11))
        self.axis.setStyle(tickTextOffset=4)

    def frame(self, low: float, high: float) -> None:
        """Show exactly this range of logarithms."""
        if not alike(self.box.viewRange()[1], (low, high)):
            self.box.setYRange(low, high, padding=0.0)


class LevelLine:
    """A dashed horizontal line, named at the axis, where no curve crosses the name."""

    def __init__(self, plot: Plot) -> None:
        self._axis = plot.y_axis
        self._color = ""
        self.line = pg.InfiniteLine(angle=0, movable=False)
        plot.addItem(self.line, ignoreBounds=True)
        self.empty()

    def apply_theme(self, theme: Theme, role: str) -> None:
        """Set the colour."""
        self._color = getattr(theme, role)
        self.line.setPen(pg.mkPen(self._color, width=theme.pen_width(1.5), style=Qt.PenStyle.DashLine))

    def show(self, value: float, words: str) -> None:
        """Draw the line at a value."""
        self.line.setValue(value)
        self.line.setVisible(True)
        self._axis.name_levels(self, Level(value, words, self._color))

    def empty(self) -> None:
        self.line.setVisible(False)
        self._axis.name_levels(self)
