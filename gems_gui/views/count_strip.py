"""The number of survivors above the columns of a plot: as numbers where they fit, else as a line."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF

from gems_engine.arrays import Floats, Integers
from gems_engine.terminal import number
from gems_gui.theme import LIGHT, Theme
from gems_gui.views.items import CurveItem
from gems_gui.views.number_axis import NumberAxis
from gems_gui.views.plot import Plot

_LEFT = "|Ŝ|"
_LOW = 13  # lines of text: a lower plot has no line


class CountStrip:
    """The numbers, or the line with its own axis; at most one of them is shown above the plot."""

    def __init__(self, plot: Plot) -> None:
        self._plot = plot
        self._theme = LIGHT
        self._room: tuple[bool, bool, Theme] | None = None
        self.numbers = NumberAxis("top")
        self.numbers.setStyle(tickLength=0, autoExpandTextSpace=False)
        self.numbers.linkToView(plot.box)
        plot.grid.addItem(self.numbers, 1, 1)
        self._label = pg.LabelItem(justify="right")
        plot.grid.addItem(self._label, 1, 0)
        self.box = pg.ViewBox(enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self.axis = NumberAxis("left")
        self.axis.linkToView(self.box)
        self.line = CurveItem(self.box)
        self.box.setXLink(plot.box)
        plot.grid.addItem(self.axis, 0, 0)
        plot.grid.addItem(self.box, 0, 1)
        plot.grid.setAlignment(self.axis, Qt.AlignmentFlag.AlignRight)

    def apply_theme(self, theme: Theme) -> None:
        """Set the colours of the numbers and the line."""
        self._theme = theme
        for axis, pen, text in ((self.numbers, None, theme.dim), (self.axis, theme.line, theme.surviving)):
            axis.setPen(pg.mkPen(pen, width=theme.pen_width(1)))
            axis.setTextPen(pg.mkPen(text))
            axis.setTickFont(theme.font(11))
            axis.setStyle(tickTextOffset=2)
        self.line.setPen(pg.mkPen(theme.surviving, width=theme.pen_width(1)))

    def show_counts(self, edges: Floats, counts: Integers, most: int, shown: Integers, even: bool) -> None:
        """Show a count for every column: all as numbers if they fit, else as a line if the plot is high enough.

        Parameters
        ----------
        edges
            Column j lies between edges j and j + 1.
        most
            The largest possible count.
        shown
            The columns that the line shows, at equal distances.
        even
            Whether all columns are equally wide.
        """
        font = QFontMetricsF(self._theme.font(11))
        widths = np.diff(edges)
        room = font.horizontalAdvance(number(most)) + 10
        if not len(widths) or widths.min() >= room * self._plot.framed_pixel[0]:
            middles = (edges[:-1] + edges[1:]) / 2
            self.show_numbers([(x, number(count)) for x, count in zip(middles.tolist(), counts.tolist(), strict=True)])
        elif self._plot.height() < _LOW * font.height():
            self.empty()
        else:
            same = len(shown) == len(widths) and even
            places = edges if same else np.linspace(0.0, edges[-1], len(shown) + 1)
            self.show_line(places, np.log10(np.maximum(counts[shown], 1)), most)

    def show_numbers(self, numbers: list[tuple[float, str]]) -> None:
        """Show numbers centred above their columns, or nothing."""
        self.numbers.set_tick_labels(numbers)
        self.make_room(bool(numbers), False)
        self.line.empty()

    def show_line(self, edges: Floats, logs: Floats, most: int) -> None:
        """Show a line that keeps each logarithm from its edge to the next, up to that of ``most``."""
        self.numbers.set_tick_labels([])
        self.make_room(False, True)
        top = max(float(np.log10(most)), 0.1)
        self.line.setData(np.repeat(edges, 2)[1:-1], np.repeat(logs, 2))
        self.box.setYRange(-0.4 * top, 1.4 * top, padding=0.0)
        self.axis.set_tick_labels([(0.0, "1"), (top, number(most))])

    def empty(self) -> None:
        """Show nothing."""
        self.show_numbers([])

    def make_room(self, numbers: bool, line: bool) -> None:
        """Reserve space above the columns for numbers or for a line; each change triggers a new layout of the plot."""
        theme = self._theme
        if self._room == (numbers, line, theme):
            return
        self._room = numbers, line, theme
        height, tall = (theme.pixels(16) if numbers else 0), (theme.pixels(34) if line else 0)
        self.numbers.setVisible(numbers)
        self.numbers.setHeight(height)
        self._label.setText(_LEFT if numbers else "", color=theme.dim, size=f"{theme.letters(11)}px")
        for bound in (self._label.setMinimumHeight, self._label.setMaximumHeight):
            bound(height)
        for item in (self.box, self.axis):
            item.setVisible(line)
            item.setMinimumHeight(tall)
            item.setMaximumHeight(tall)
        self._plot.unsettled.emit()
