"""One row per cell, grouped by x: a label, the measured values on a common scale, and the number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gems_engine.experiment.measures import CellSummary, Measured, Summary
from gems_engine.experiment.plots.scale import Scale
from gems_engine.experiment.plots.svg import Canvas, Sheet, series_role, text_width, wrapped

_ROW = 24.0
_GAP = 12.0
_TOP, _PAPER_TOP = 84.0, 14.0
_LINE = 16.0
_SIZE = 12.0
_CLEAR = 4.5  # pixels between a text and what is marked
BEYOND = 28.0
"""Width in pixels of a box without a known end."""


@dataclass(frozen=True)
class Line:
    """One row of the picture: a cell, the colour and the shape of its series, and the height of its middle."""

    cell: CellSummary
    role: str
    shape: int
    y: float


class RowsPlot:
    """The frame of such a picture.

    Parameters
    ----------
    summary
        The results.
    title, subtitle
        The question, and lines that describe what is shown.
    axis
        The label of the axis.
    scale
        Maps the positions of its two ends to the scale.
    words
        Maps a cell to the text at the right of its row.
    ticks
        Positions and labels of ticks, instead of the scale's own.
    sheet
        The width of the picture, and whether it is for print: then there are no texts at the right, either.
    """

    def __init__(
        self,
        summary: Summary,
        title: str,
        subtitle: Sequence[str],
        axis: str,
        scale: Callable[[float, float], Scale],
        words: Callable[[CellSummary], str],
        ticks: Sequence[tuple[float, str]] | None = None,
        sheet: Sheet = Sheet(),  # noqa: B008 - it is immutable
    ) -> None:
        said = summary.specification
        groups = [said.group(each.cell) for each in summary.cells]
        names = [said.series(each.cell) for each in summary.cells]
        ends = ["" if sheet.paper else words(each) for each in summary.cells]
        first = max((text_width(each, _SIZE) for each in groups), default=0.0)
        second = max(text_width(each, _SIZE) for each in names) + 32
        right = max(text_width(each, _SIZE) for each in ends) + 34
        self._paper = sheet.paper
        self._margin = 4.0 if sheet.paper else 18.0
        left = self._margin + (first + 16 if first else 0) + second
        order = _grouped(groups)
        width = max(sheet.width, left + min(420.0, 0.45 * sheet.width) + right)
        says = [line for text in filter(None, subtitle) for line in wrapped(text, 12, width - 36)]
        self.top = _PAPER_TOP if sheet.paper else _TOP + _LINE * max(0, len(says) - 2)
        height = self.top + len(names) * _ROW + len(order) * _GAP + 44
        self.canvas = Canvas(width, height, f"{title}: {said.title}")
        self.scale = scale(left, width - right)
        self.bottom = height - 44
        self.lines: list[Line] = []
        if not sheet.paper:
            self.canvas.heading(title, says)
        self._grid(axis, ticks)
        y = self.top + _GAP
        for group, cells in order:
            if group:
                self.canvas.text(self._margin, y + _ROW / 2 + 4, group, size=_SIZE, bold=True)
            for at in cells:
                number = said.all_series.index(names[at])
                line = Line(summary.cells[at], series_role(number), number, y + _ROW / 2)
                self.lines.append(line)
                self.canvas.marker(left - second + 6, line.y, line.role, line.shape)
                self.canvas.text(left - second + 16, line.y + 4, names[at], size=_SIZE)
                if ends[at]:
                    self.canvas.text(width - 12, line.y + 4, ends[at], "dim", _SIZE, "end")
                y += _ROW
            y += _GAP

    def _grid(self, axis: str, ticks: Sequence[tuple[float, str]] | None) -> None:
        marks = [(self.scale(value), text) for value, text in (self.scale.ticks() if ticks is None else ticks)]
        for x, _ in marks:
            self.canvas.line([(x, self.top), (x, self.bottom)], "line")
        for x, text in _readable(marks):
            self.canvas.text(x, self.bottom + 17, text, "dim", 11, "middle")
        middle = (self.scale.start + self.scale.end) / 2
        self.canvas.text(middle, self.bottom + 35, axis, "dim", 11, "middle")

    def mark(self, value: float, text: str) -> None:
        """A dashed line over all rows, with a label on top."""
        x = self.scale(value)
        self.canvas.line([(x, self.top), (x, self.bottom)], "dim", 1.2, "4 3")
        self.canvas.text(x, self.top - 3, text, "dim", 11, "middle")

    def interval(self, line: Line, low: float, high: float) -> None:
        """A thin line with ends: the 95 % confidence interval."""
        a, b = self.scale(low), self.scale(high)
        self.canvas.line([(a, line.y), (b, line.y)], line.role, 1.6)
        for x in (a, b):
            self.canvas.line([(x, line.y - 4), (x, line.y + 4)], line.role, 1.6)

    def point(self, line: Line, value: float) -> None:
        """The measured value."""
        self.canvas.marker(self.scale(value), line.y, line.role, line.shape)

    def printed(self, line: Line, value: float) -> None:
        """The number of the paper: a hollow diamond around other markers."""
        self.canvas.marker(self.scale(value), line.y, "text", 2, 7.5, hollow=True)

    def bound(self, line: Line, value: float, lower: bool) -> None:
        """A bound of the theory: a bracket that is open to the side of the true value."""
        x, side = self.scale(value), 5 if lower else -5
        self.canvas.line(
            [(x + side, line.y - 8), (x, line.y - 8), (x, line.y + 8), (x + side, line.y + 8)], "text", 1.4
        )

    def spread(self, line: Line, measured: Measured, above: str, marked: Sequence[float]) -> None:
        """A box from 25 to 75 %, whiskers from 10 to 90 %, the median, and a bar for its confidence interval.

        Infinite values end at the right edge with an arrow. A box without a known end starts at its lower bound; if its
        whisker starts there too, a label gives the lower bound of the median where no text at the right does, clear of
        what is marked at other values.
        """
        p10, p25, p50, p75, p90 = (each.value for each in measured.quantiles.values())
        middle = measured.median
        y, canvas, at = line.y, self.canvas, self.scale
        canvas.line([(at(p75), y), (at(p90), y)], line.role, 1.2)
        says_more = middle.low > 0.0 or math.isfinite(middle.high)  # else the bar would cover the whole axis
        left = at(p25)
        if not math.isfinite(p25):
            least = measured.quantiles[0.25].at_least
            left = min(at(least) if 0.0 < least < math.inf else at.end, at.end - BEYOND)
            canvas.box(left, y - 7, at.end - left, 14, line.role, 0.25)
            says_more &= at(middle.low) < left - 1.0
            if self._paper and not math.isfinite(p10) and not says_more:
                canvas.text(self._clear(above, left, [at(each) for each in marked]), y + 4, above, "dim", 11)
        elif at(p75) > left:
            canvas.box(left, y - 7, at(p75) - left, 14, line.role, 0.25)
        else:  # all values are equal
            canvas.line([(left, y - 7), (left, y + 7)], line.role, 1.2)
        if math.isfinite(p10):
            canvas.line([(at(p10), y), (left, y)], line.role, 1.2)
        if says_more:
            canvas.line([(at(middle.low), y), (at(middle.high), y)], line.role, 4.0, opacity=0.7)
        if math.isfinite(p50):
            canvas.line([(at(p50), y - 8), (at(p50), y + 8)], line.role, 2.4)
        if not math.isfinite(p90):
            edge = at.end
            canvas.area([(edge + 2, y - 5), (edge + 9, y), (edge + 2, y + 5)], line.role, 1.0)

    def _clear(self, text: str, left: float, marked: Sequence[float]) -> float:
        """Where a text begins: left of a box, or in it, where nothing is marked."""
        width = text_width(text, 11)
        starts = [left - 5 - width, left + 5, *(x + 2 * _CLEAR for x in sorted(marked) if x > left)]
        free = (x for x in starts if not any(x - _CLEAR <= each <= x + width + _CLEAR for each in marked))
        return next(free, starts[0])


def _readable(marks: list[tuple[float, str]]) -> list[tuple[float, str]]:
    """The last of some texts on a line, and every second, third, … before it, so that they do not touch."""
    for step in range(1, len(marks) + 1):
        some = marks[::-1][::step][::-1]
        if all(b - a > (text_width(x, 11) + text_width(y, 11)) / 2 for (a, x), (b, y) in pairwise(some)):
            return some
    return []


def _grouped(groups: Sequence[str]) -> list[tuple[str, list[int]]]:
    """The positions of each group, groups in order of appearance."""
    found: dict[str, list[int]] = {}
    for at, group in enumerate(groups):
        found.setdefault(group, []).append(at)
    return list(found.items())
