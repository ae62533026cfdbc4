"""The kinds of items that views declare, with the roles of their colours, their sizes and their axes.

A view's class has a line for each item, such as ``steps = line("surviving", 2)``; items declared first are drawn below.
:class:`gems_gui.views.plot_view.PlotView` creates the items, sets their colours, empties them and shows the legend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from gems_gui.theme import Theme
from gems_gui.views.band import Band
from gems_gui.views.captions import Captions
from gems_gui.views.count_strip import CountStrip
from gems_gui.views.heat_map import HeatMap
from gems_gui.views.item_spec import ItemGroup as ItemGroup
from gems_gui.views.item_spec import ItemSpec as ItemSpec
from gems_gui.views.items import (
    BarItem,
    CurveItem,
    DotItem,
    HatchItem,
    MarkItem,
    OutlineItem,
    RasterItem,
    SizedMarkItem,
    WordItem,
)
from gems_gui.views.levels import LevelLine, SecondAxis
from gems_gui.views.named_lines import NamedLines

SOLID, DASHED, DOTTED = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine
NO_PEN = QPen(Qt.PenStyle.NoPen)


@dataclass(frozen=True)
class Stroke:
    """The look of a line.

    Attributes
    ----------
    width
        In pixels; it scales with the text if ``grows``.
    alpha
        Opacity, of 255.
    """

    role: str
    width: float = 1.0
    style: Qt.PenStyle = SOLID
    alpha: int = 255
    grows: bool = True

    def pen(self, theme: Theme) -> QPen:
        """The pen in a theme's colours."""
        width = theme.pen_width(self.width, self.grows)
        made: QPen = pg.mkPen(theme.color(self.role, self.alpha), width=width, style=self.style)
        return made


def hairline(role: str, alpha: int = 255) -> Stroke:
    """A line of one pixel, independent of the size of the text."""
    return Stroke(role, alpha=alpha, grows=False)


def line(
    role: str,
    width: float = 1.0,
    style: Qt.PenStyle = SOLID,
    alpha: int = 255,
    grows: bool = True,
    connect: str = "all",
    on: str = "",
    z: float = 0.0,
) -> ItemSpec[CurveItem]:
    """A line; ``connect`` is "finite" for one with gaps, "pairs" for segments between every two points."""
    stroke = Stroke(role, width, style, alpha, grows)

    def apply_theme(item: CurveItem, theme: Theme) -> None:
        item.setPen(stroke.pen(theme))

    return ItemSpec(lambda plot, box: CurveItem(box, connect=connect), apply_theme, on, z)


def dashes() -> ItemSpec[CurveItem]:
    """Short lines above bars; the colour is set when they are drawn."""
    return ItemSpec(lambda plot, box: CurveItem(box, connect="pairs"))


def marks(
    symbol: str,
    role: str = "",
    size: float = 0.0,
    alpha: int = 255,
    rim: Stroke | None = None,
    like_text: bool = True,
    z: float = 0.0,
) -> ItemSpec[MarkItem]:
    """Symbols of one kind. Their size scales with the text or, like the width of a line, only grows with it.

    A role or size that is not given is set when they are drawn.
    """
    return ItemSpec(lambda plot, box: MarkItem(box, symbol), _mark_look(role, size, alpha, rim, like_text), z=z)


def sized_marks(symbol: str, role: str, rim: Stroke | None = None) -> ItemSpec[SizedMarkItem]:
    """Symbols of one kind with individual sizes."""
    return ItemSpec(lambda plot, box: SizedMarkItem(box, symbol), _mark_look(role, 0.0, 255, rim, False))


def _mark_look(
    role: str, size: float, alpha: int, rim: Stroke | None, like_text: bool
) -> Callable[[MarkItem, Theme], None]:
    def apply_theme(item: MarkItem, theme: Theme) -> None:
        if role:
            item.setBrush(theme.color(role, alpha))
        if rim is not None:
            item.setPen(rim.pen(theme))
        if size:
            item.setSize(theme.pixels(size) if like_text else theme.stroke(size))

    return apply_theme


def round_dots() -> ItemSpec[DotItem]:
    """Round dots; the look is set when they are drawn."""
    return ItemSpec(lambda plot, box: DotItem(box))


def bars(role: str = "", alpha: int = 255, rim: Stroke | None = None, z: float = 0.0) -> ItemSpec[BarItem]:
    """Vertical bars; without a role, the colour is set when they are drawn."""
    return ItemSpec(lambda plot, box: BarItem(box, x=[], height=[], width=0.8), _bar_look(role, alpha, rim), z=z)


def level_bars(height: float, role: str = "", alpha: int = 255, rim: Stroke | None = None) -> ItemSpec[BarItem]:
    """Horizontal bars of a given height."""
    return ItemSpec(lambda plot, box: BarItem(box, x0=[], y=[], width=[], height=height), _bar_look(role, alpha, rim))


def _bar_look(role: str, alpha: int, rim: Stroke | None) -> Callable[[BarItem, Theme], None]:
    def apply_theme(item: BarItem, theme: Theme) -> None:
        if role:
            item.setOpts(brush=theme.color(role, alpha), pen=NO_PEN if rim is None else rim.pen(theme))

    return apply_theme


def pick_band(z: float = 0.0) -> ItemSpec[BarItem]:
    """The mark of the selected arm, row or dimension: a faint bar with an outline."""
    return bars("text", 14, hairline("text", 150), z)


def outline(stroke: Stroke, fill: int = 0) -> ItemSpec[OutlineItem]:
    """A rectangle, filled with the text colour at opacity ``fill``."""

    def apply_theme(item: OutlineItem, theme: Theme) -> None:
        item.setPen(stroke.pen(theme))
        if fill:
            item.setBrush(theme.color("text", fill))

    return ItemSpec(lambda plot, box: OutlineItem(box), apply_theme)


def hatching(role: str) -> ItemSpec[HatchItem]:
    """Hatched rows of a rectangle."""
    return ItemSpec(lambda plot, box: HatchItem(box), lambda item, theme: item.set_color(theme.color(role)))


def band(role: str, alpha: int) -> ItemSpec[Band]:
    """The area between two step functions."""
    return ItemSpec(lambda plot, box: Band(box), lambda item, theme: item.set_color(theme.color(role, alpha)))


def raster(colors: Callable[[Theme], Mapping[int, QColor]] = lambda theme: {}, z: float = 0.0) -> ItemSpec[RasterItem]:
    """Cells as an image; ``colors`` maps a theme to the colour of each code."""

    def apply_theme(item: RasterItem, theme: Theme) -> None:
        item.set_colors(colors(theme), theme.color("card"))

    return ItemSpec(lambda plot, box: RasterItem(box), apply_theme, z=z)


def heat_map(full: str, infinite: str) -> ItemSpec[HeatMap]:
    """A square of cells in shades of a role's colour up to the largest value, with another role for infinity."""
    return ItemSpec(lambda plot, box: HeatMap(box), lambda item, theme: item.apply_theme(theme, full, infinite))


def count_strip() -> ItemSpec[CountStrip]:
    """A count for every column, above the plot."""
    return ItemSpec(lambda plot, box: CountStrip(plot), CountStrip.apply_theme)


def captions(at_the_bottom: bool = False) -> ItemSpec[Captions]:
    """Texts, each in its own rectangle."""

    def make(plot: object, box: pg.ViewBox) -> Captions:
        item = Captions(at_the_bottom)
        box.addItem(item, ignoreBounds=True)
        return item

    return ItemSpec(make, lambda item, theme: item.set_font(theme.font(11)))


def text_label(
    role: str = "", fill: int = 0, bold: bool = False, middle: bool = False, z: float = 0.0
) -> ItemSpec[WordItem]:
    """One line of text on the colour of the card; without a role, its colour is set when it is drawn."""

    def apply_theme(item: WordItem, theme: Theme) -> None:
        item.setFont(theme.font(11, bold=bold))
        item.set_fill(theme.color("card", fill))
        if role:
            item.setColor(theme.color(role))

    return ItemSpec(lambda plot, box: WordItem(box, 0.5 if middle else 0.0), apply_theme, z=z)


def level(role: str) -> ItemSpec[LevelLine]:
    """A dashed line at a height that is named at the axis."""
    return ItemSpec(lambda plot, box: LevelLine(plot), lambda item, theme: item.apply_theme(theme, role))


def named_lines(most: int) -> ItemSpec[NamedLines]:
    """Dashed vertical lines with names at their upper ends; the colours are set when they are drawn."""
    return ItemSpec(lambda plot, box: NamedLines(plot, most))


def right_axis(role: str) -> ItemSpec[SecondAxis]:
    """A second vertical scale on the right, in logarithms."""
    return ItemSpec(lambda plot, box: SecondAxis(plot), lambda item, theme: item.apply_theme(theme, role))
