"""A map over two parameters: a cell for each pair of values, coloured by the ratio of two algorithms."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gems_engine.experiment import words
from gems_engine.experiment.measures import Summary
from gems_engine.experiment.plots.svg import Canvas, Sheet, series_role, text_width, wrapped
from gems_engine.experiment.ratios import CellRatio
from gems_engine.experiment.specification import RatioMap, shown_value
from gems_engine.parameters import Value

CELL = "cell-"
"""The start of the id of a cell's shape; the number of the first algorithm's cell follows."""
_HEIGHT, _WIDEST, _LINE = 58.0, 132.0, 16.0
_GAP = 2.0
_TOP, _BOTTOM = 62.0, 96.0
_FAINT, _STRONG, _FULL = 0.1, 0.5, 2.0  # opacity from a ratio of 1 to one of 10² or 10⁻²
_HATCH = 8.0

Places = Mapping[tuple[int, int], CellRatio]
"""The cells of the map by column and row."""


def draw_map(summary: Summary, asked: RatioMap, sheet: Sheet) -> str:
    """The picture of the map."""
    width = sheet.width
    said = summary.specification
    xs, ys = said.xs, tuple(dict.fromkeys(of.varied[asked.y] for of, _ in asked.cells))
    y_symbol = said.symbols[asked.y]
    left = 40 + max(text_width(shown_value(each), 12) for each in ys)
    least = max([62.0, *(text_width(text, 11) + 8 for each in summary.ratios for text in _texts(each))])
    wide = max(least, min(_WIDEST, (width - left - 20) / len(xs)))
    width = max(width, left + wide * len(xs) + 20)
    title = f"Where does {asked.over} need fewer samples than {asked.of}?"
    says = wrapped(_subtitle(asked), 12, width - 36)
    top = 4.0 if sheet.paper else _TOP + _LINE * (len(says) - 1)
    bottom = top + _HEIGHT * len(ys)
    canvas = Canvas(width, bottom + _BOTTOM, f"{title} {said.title}")
    if not sheet.paper:
        canvas.heading(title, says)
    grid = _Grid(canvas, asked, said.labels, left, bottom, wide)
    places = {(xs.index(each.of.varied[said.x]), ys.index(each.of.varied[asked.y])): each for each in summary.ratios}
    for place, each in places.items():
        grid.cell(place, each)
    grid.border(places)
    _axes(canvas, grid, xs, ys, said.symbols[said.x], y_symbol)
    grid.legend(bottom + 66)
    return canvas.svg()


def _subtitle(asked: RatioMap) -> str:
    return (
        f"median over trials of τ of {asked.of} divided by τ of {asked.over} with the same instance and seed, and its "
        "95 % interval; bold: the interval excludes 1; thick line: around the cells above 1; hatched: trials were cut "
        "off, and only bounds are known; ◥: some were cut off, but the median is known"
    )


def _texts(each: CellRatio) -> tuple[str, str]:
    """The median and its interval."""
    return words.ratio(each), words.ratio_interval(each)


def _axes(
    canvas: Canvas, grid: _Grid, xs: tuple[Value, ...], ys: tuple[Value, ...], x_symbol: str, y_symbol: str
) -> None:
    for column, value in enumerate(xs):
        x, _ = grid.corner(column, 0)
        canvas.text(x + grid.wide / 2, grid.bottom + 18, shown_value(value), "text", 12, "middle")
    for row, value in enumerate(ys):
        _, y = grid.corner(0, row)
        canvas.text(grid.left - 8, y + _HEIGHT / 2 + 4, shown_value(value), "text", 12, "end")
    canvas.text(grid.left + grid.wide * len(xs) / 2, grid.bottom + 38, x_symbol, "dim", 12, "middle")
    canvas.text(20, grid.bottom - _HEIGHT * len(ys) / 2, y_symbol, "dim", 12, "middle", turned=True)


class _Grid:
    """Draws cells; columns and rows are counted from the lower left one."""

    def __init__(
        self, canvas: Canvas, asked: RatioMap, labels: tuple[str, ...], left: float, bottom: float, wide: float
    ) -> None:
        self._canvas, self._asked = canvas, asked
        self._roles = {each: series_role(labels.index(each)) for each in (asked.of, asked.over)}
        self.left, self.bottom, self.wide = left, bottom, wide

    def corner(self, column: int, row: int) -> tuple[float, float]:
        """The upper left corner of a cell."""
        return self.left + self.wide * column, self.bottom - _HEIGHT * (row + 1)

    def cell(self, place: tuple[int, int], each: CellRatio) -> None:
        """One cell: its colour, the median, the interval, and marks of what is not known."""
        canvas, (x, y) = self._canvas, self.corner(*place)
        wide, high = self.wide - _GAP, _HEIGHT - _GAP
        role, opacity = self._colour(each)
        canvas.box(x, y, wide, high, role, opacity, name=f"{CELL}{each.of.index}")
        if each.trials and not each.known:
            self._hatch(x, y, wide, high)
        elif each.unknown:
            corner = x + wide
            canvas.area([(corner - 12, y), (corner, y), (corner, y + 12)], "dim", 0.9)
        text, interval = _texts(each)
        canvas.text(x + wide / 2, y + high / 2 - 1, text, "text", 14, "middle", bold=each.certain)
        canvas.text(x + wide / 2, y + high / 2 + 16, interval, "text", 11, "middle")

    def _colour(self, each: CellRatio) -> tuple[str, float]:
        if each.pays:
            return self._roles[self._asked.over], _opacity(each.least)
        return (self._roles[self._asked.of], _opacity(each.most)) if each.costs else ("dim", _FAINT)

    def _hatch(self, x: float, y: float, wide: float, high: float) -> None:
        """Lines from the lower left to the upper right, cut at the edges of the cell."""
        at = _HATCH
        while at < wide + high:
            start = (x, y + at) if at <= high else (x + at - high, y + high)
            end = (x + at, y) if at <= wide else (x + wide, y + at - wide)
            self._canvas.line([start, end], "dim", 1.0, opacity=0.35)
            at += _HATCH

    def border(self, places: Places) -> None:
        """A line around the cells in which the second algorithm needs fewer samples."""
        for (column, row), each in places.items():
            if not each.pays:
                continue
            x, y = self.corner(column, row)
            x, y, right, below = x - 1, y - 1, x + self.wide - 1, y + _HEIGHT - 1
            sides = {
                (column - 1, row): [(x, y), (x, below)],
                (column + 1, row): [(right, y), (right, below)],
                (column, row + 1): [(x, y), (right, y)],
                (column, row - 1): [(x, below), (right, below)],
            }
            for neighbour, line in sides.items():
                if neighbour in places and not places[neighbour].pays:
                    self._canvas.line(line, "text", 2.6)

    def legend(self, y: float) -> None:
        """The colours from 1/100 to 100."""
        canvas, x, size = self._canvas, self.left, 26.0
        before = f"{self._asked.of} needs fewer"
        canvas.text(x, y + 12, before, "dim", 11)
        x += text_width(before, 11) + 8
        for exponent in (-2, -1, 0, 1, 2):
            value = 10.0**exponent
            role = "dim" if not exponent else self._roles[self._asked.over if exponent > 0 else self._asked.of]
            canvas.box(x, y, size + 14, 16, role, _opacity(value) if exponent else _FAINT)
            canvas.text(x + size / 2 + 7, y + 12, words.ratio_value(value), "text", 11, "middle")
            x += size + 16
        canvas.text(x + 6, y + 12, f"{self._asked.over} needs fewer", "dim", 11)


def _opacity(ratio: float) -> float:
    size = _FULL if ratio == 0.0 or math.isinf(ratio) else min(_FULL, abs(math.log10(ratio)))
    return _FAINT + (_STRONG - _FAINT) * size / _FULL
