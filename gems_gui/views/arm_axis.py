"""A plot of arms side by side: bars, a star below the best arm, a band behind the selected one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF

from gems_engine.arrays import Floats, Integers
from gems_gui.series.arm_order import INDEX, REWARD, SIZE, ArmOrder
from gems_gui.views.bar_labels import BarLabel, BarLabels
from gems_gui.views.items import BarItem, CurveItem
from gems_gui.views.kit import NO_PEN, ItemSpec, marks, pick_band, text_label
from gems_gui.views.option import Option
from gems_gui.views.plot import LEAST_PART, Plot, alike

LINEAR = "linear"
LOG = "log"
SCALE = Option("scale", "Scale", {LINEAR: "Linear", LOG: "Logarithmic"})
"""The scale of the bars."""
WIDE = 60
"""Up to this many arms, bars are wide enough for an outline."""
_NARROW = 300  # with more arms, bars get an outline: those thinner than a pixel would disappear
_DECADES = 6  # of a logarithmic scale, at most
_ABOVE = 20  # pixels above the bars for a name, always kept free: selecting an arm must not change the scale
_NAME = 26  # pixels that the name of an arm needs on the axis
_MOST_NAMES = 60  # bars considered for a name
_MARK = 11  # pixels that a mark takes
_LEAST_BAR = 2  # pixels: lower bars are not seen


def order_option(size: str) -> Option:
    """The option for the order of the arms; ``size`` is the text of the last choice, by size."""
    return Option("order", "Arms", {INDEX: "By index", REWARD: "By true reward", SIZE: size})


class ArmPlot(Plot):
    """Arms from left to right, with bars for numbers of pulls or shares."""

    band = pick_band(z=-10)
    star = marks("star", "best", 11)
    recommended = marks("d", "chosen", 9)
    labels = ItemSpec(
        lambda plot, box: BarLabels(box, lambda at: [*plot.covered(at), *plot.name.covered(at)]),
        lambda item, theme: item.apply_theme(theme),
        z=5,
    )
    name = text_label("text", fill=255, middle=True, z=10)

    def __init__(self) -> None:
        super().__init__(whole_x=True)
        self.order: ArmOrder | None = None
        self.falls_silent = (self.y_axis,)  # the arms are known from the start
        self.box.setMouseEnabled(x=True, y=False)  # bars start at the axis
        self._tops = np.zeros(0)  # the largest drawn value at each position
        self._named: tuple[Integers | Floats, Callable[[int], str]] | None = None
        self.log = False
        self.base = 0.0
        """Where bars start; a logarithm on a logarithmic scale."""
        self._drawn: set[BarItem | CurveItem] = set()
        self.strip = 0.0
        """Pixels at the lower edge that are used by something else."""
        self.box.sigRangeChanged.connect(self._follow)
        self.box.sigResized.connect(self._follow)
        self.empty()

    def empty(self) -> None:
        self.order, self._named = None, None
        self.labels.empty()
        self.x_axis.set_tick_labels([])
        self._set_log(False)
        super().empty()
        self._follow()

    def arrange(
        self,
        order: ArmOrder,
        scale: str,
        values: Sequence[Integers | Floats],
        unit: str,
        by_size: str,
        least: float | None = None,
        strip: float = 0.0,
    ) -> None:
        """Set the order of the arms and the scale of the values; everything drawn afterwards follows them.

        Parameters
        ----------
        values
            All values that will be drawn, one entry for each arm.
        unit
            The unit of the heights, for the axis.
        by_size
            The axis label for the order by size.
        least
            Lower end of a logarithmic scale; by default, the power of ten below the smallest value.
        strip
            Pixels below the bars and their marks that are used by something else.
        """
        if self.order is not None and len(self.order) != len(order):
            self.zoomed = False  # the zoom was for other arms
        self.order, self._named = order, None
        self.strip = strip
        self._drawn.clear()
        self.x_axis.set_tick_labels(order.names)
        self.x_axis.lowest, self.x_axis.highest = 0.0, len(order) - 1.0
        self._set_log(scale == LOG)
        self.label(order.label(by_size), f"{unit} (log)" if self.log else unit, self._theme)
        some = np.concatenate([np.zeros(0), *(each[each > 0] for each in values)])
        high = float(some.max()) if len(some) else 1.0
        if self.log:
            smallest = max(float(some.min()) if len(some) else 0.1, high * 10.0**-_DECADES)
            self.base = math.log10(least) if least else math.floor(math.log10(smallest) - 0.05)
            if self.locked is not None and self.locked.y is not None and self.locked.log[1]:
                self.base = self.locked.y[0]
            high = max(math.log10(high), self.base + 1.0)
        else:
            self.base = 0.0
        every = len(order.positions)
        tops = [each[order.arms] if len(each) == every else each.max() for each in values if len(each)]  # or a level
        self._tops = np.max([np.zeros(len(order)), *(np.broadcast_to(each, len(order)) for each in tops)], axis=0)
        margin = max(0.1, 0.02 * len(order))
        below = self._marks_height(order) + strip
        edges = (-0.5 - margin, len(order) - 0.5 + margin)
        self.frame(edges, (self.base, high), self._above(), below)
        if self.zoomed:
            self._fit_heights()
        self._follow()

    def _above(self) -> float:
        """Pixels above the bars: also the smallest text has room with its lower blank edge."""
        edge: float = self.name.textItem.document().documentMargin()
        return max(self._theme.pixels(_ABOVE), QFontMetricsF(self._theme.font(11)).height() + edge + _LEAST_BAR)

    def _marks_height(self, order: ArmOrder) -> float:
        """Pixels below the bars for the marks of the best and the recommended arm."""
        marked = order.best is not None or order.recommended is not None
        return self._theme.pixels(8 + 7 * marked + _MARK * self._stacked(order))

    def room_below(self, order: ArmOrder) -> float:
        """The pixels that bars and their marks leave for something else: a low plot keeps a part of it for bars."""
        room = (1.0 - LEAST_PART) * self.box.height()
        return max(0.0, float(room - self._above() - self._marks_height(order)))

    def _visible_positions(self) -> slice:
        """The positions of the visible arms."""
        left, right = self.box.viewRange()[0]
        return slice(max(0, math.ceil(left - 0.4)), max(0, math.floor(right + 0.4) + 1))

    def _fit_heights(self) -> None:
        """After a horizontal zoom, fit the height to the highest visible bar."""
        if self._whole is None or self.order is None:
            return
        _, (low, high), above, below, *_ = self._whole
        most = float(self._tops[self._visible_positions()].max(initial=0.0))
        if most > 0.0:
            high = max(math.log10(most), low + 1.0) if self.log else most
        wanted = self._with_room(low, high, above, below)
        if not alike(self.box.viewRange()[1], wanted):
            self.box.setYRange(*wanted, padding=0.0)

    def _zoom(self, *_: object) -> None:
        """Limit the range to the arms."""
        super()._zoom()
        if self._whole is not None:
            (first, last), (left, right) = self._whole[0], self.box.viewRange()[0]
            if right - left >= last - first:
                self.show_all()
                return
            inside = min(max(left, first), last - (right - left))
            if inside != left:
                self.box.setXRange(inside, inside + right - left, padding=0.0)
        self._fit_heights()

    def _on_resized(self, *_: object) -> None:
        super()._on_resized()
        if self.zoomed:
            self._fit_heights()

    def draw(
        self,
        item: BarItem,
        role: str,
        values: Integers | Floats,
        width: float = 0.8,
        under: Integers | None = None,
        outline: bool = False,
    ) -> None:
        """Draw values, one for each arm, as bars of one colour; 0 has no bar.

        Parameters
        ----------
        width
            Width of a bar, in arms.
        under
            Values at which the bars start, on a linear scale.
        outline
            Draw only the outlines of the bars.
        """
        self._drawn.add(item)
        x, heights = self._heights(values)
        bottom = self.base if under is None or self.log else under[self._some(values)].astype(float)
        color = self._theme.color(role)
        assert self.order is not None
        thin = len(self.order) > _NARROW
        pen = pg.mkPen(color, width=self._theme.pen_width(1.5 if outline else 1)) if outline or thin else NO_PEN
        brush = QBrush() if outline else QBrush(QColor(color))
        item.setOpts(x=x, height=heights, y0=bottom, width=width, pen=pen, brush=brush)

    def draw_beside(self, item: BarItem, role: str, values: Floats, slot: int, slots: int) -> None:
        """Draw values as bar number ``slot`` of several bars that share the width of each arm."""
        self._drawn.add(item)
        x, heights = self._heights(values)
        width = 0.8 / slots
        color = self._theme.color(role)
        pen = pg.mkPen(color, width=self._theme.pen_width(1, grows=False)) if slots * len(values) > _NARROW else NO_PEN
        at = x + (slot + 0.5) * width - 0.4
        item.setOpts(x=at, height=heights, y0=self.base, width=width, pen=pen, brush=QBrush(color))

    def caps(self, curve: CurveItem, role: str, values: Floats) -> None:
        """Draw values as a short line above each arm."""
        self._drawn.add(curve)
        x, heights = self._heights(values)
        ends = np.stack([x - 0.4, x + 0.4], axis=1).ravel()
        curve.setData(ends, np.repeat(heights + self.base, 2))
        curve.setPen(
            pg.mkPen(getattr(self._theme, role), width=self._theme.pen_width(2), capStyle=Qt.PenCapStyle.FlatCap)
        )

    def finish(self, *items: BarItem | CurveItem) -> None:
        """Empty those of these items that were not drawn since the last :meth:`arrange`, and names of no bars."""
        for item in items:
            if item not in self._drawn:
                item.empty()
        if self._named is None:
            self.labels.empty()

    def _heights(self, values: Integers | Floats) -> tuple[Floats, Floats]:
        """Positions and bar heights of the arms whose value is above 0."""
        assert self.order is not None
        some = self._some(values)
        x = self.order.positions[some].astype(float)
        if not self.log:
            return x, values[some].astype(float)
        return x, np.maximum(np.log10(values[some].astype(float)) - self.base, 0.0)

    def _some(self, values: Integers | Floats) -> NDArray[np.bool_]:
        """The arms that have a bar: they are shown and their value is above 0."""
        assert self.order is not None
        return np.asarray((values > 0) & (self.order.positions >= 0))

    def _crowded(self) -> bool:
        """Whether a scale has no space for the numbers of all visible arms."""
        if self.order is None:
            return False
        left, right = self.box.viewRange()[0]
        many = min(right - left, float(len(self.order))) if self.zoomed else float(len(self.order))
        return bool(many * self._theme.pixels(_NAME) > self.box.width())

    def name_bars(self, values: Integers | Floats, name: Callable[[int], str]) -> None:
        """Where the axis cannot name every arm, name others above their bars, as many as fit, the largest first.

        Parameters
        ----------
        values
            Heights of the bars, one entry for each arm. Bars that cannot be seen have no name, but the recommended and
            the best arm are named even without a bar.
        name
            Maps an arm to its short name.
        """
        self._named = values, name
        self._name_bars()

    def _name_bars(self) -> None:
        order = self.order
        if order is None or self._named is None:
            return
        values, name = self._named
        seen = np.zeros(len(order.positions), dtype=bool)
        seen[order.arms[self._visible_positions()]] = True
        x, heights = self._heights(values)
        high = np.zeros(len(seen), dtype=bool)
        high[self._some(values)] = heights >= self._theme.pixels(_LEAST_BAR) * self.pixel[1]
        arms = np.flatnonzero(high & seen)
        arms = arms[np.argsort(-values[arms], kind="stable")][:_MOST_NAMES].tolist()
        marked = [arm for arm in (order.recommended, order.best) if arm is not None]
        named = dict.fromkeys([*marked, *arms]) if self.x_axis.tick_labels or self._crowded() else ()
        (left, right), known = self.box.viewRange()[0], {order.selected}  # the selected one is named already
        known |= {order.arm_at(at) for at in self.x_axis.shown_labels(left, right, self.box.width())}
        tops = dict(zip(x.tolist(), (heights + self.base).tolist(), strict=True))
        places = [(float(order.positions[arm]), arm) for arm in named if arm not in known]
        labels = [BarLabel(at, tops.get(at, self.base), name(arm), arm in marked) for at, arm in places]
        self.labels.show_labels(labels, (x, heights + self.base))

    def _set_log(self, log: bool) -> None:
        self.log = log
        self.y_axis.set_log(log)

    @staticmethod
    def _stacked(order: ArmOrder) -> bool:
        """Whether an arm with a thin bar has two marks."""
        return order.best is not None and order.best == order.recommended and len(order) > WIDE

    def _follow(self, *_: object) -> None:
        """Keep marks at the edges of the visible range."""
        order = self.order
        self._name_bars()
        (left, right), (low, high) = self.box.viewRange()
        pixel = (high - low) / max(self.box.height(), 1.0)
        best = [] if order is None or order.best is None else [float(order.positions[order.best])]
        row = low + (self.strip + self._theme.pixels(8)) * pixel
        good = [] if order is None or order.recommended is None else [float(order.positions[order.recommended])]
        # Two marks of one arm are next to each other, with the arm in the middle; where they would be below other arms,
        # one is below the other.
        aside = up = 0.0
        if order is not None and self._stacked(order):
            up = self._theme.pixels(_MARK) * pixel
        elif good == best:
            aside = self._theme.pixels(_MARK / 2) * (right - left) / max(self.box.width(), 1.0)
        self.star.setData([x - aside for x in best], [row + up] * len(best))
        self.recommended.setData([x + aside for x in good], [row] * len(good))
        if order is None or order.selected is None:
            self.band.empty()
            self.name.empty()
            return
        x = float(order.positions[order.selected])
        self.band.setOpts(x=[x], height=[high - low], y0=low, width=1.0)
        metrics = QFontMetricsF(self._theme.font(11))
        room = self.box.width()
        said = metrics.elidedText(order.selected_label, Qt.TextElideMode.ElideMiddle, max(room - 12, 0.0))
        half = (metrics.horizontalAdvance(said) / 2 + 6) * (right - left) / max(room, 1.0)
        self.name.set_text(said if left <= x <= right else "")
        above = self._above() - _LEAST_BAR  # the blank edge of the text may lie outside, not on a bar
        up = max(0.0, self.name.boundingRect().height() - above) * pixel
        self.name.setPos(min(max(x, left + half), max(right - half, left + half)), high + up)
