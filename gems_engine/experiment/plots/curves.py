"""Curves along x: one for each series, with a band for the confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from gems_engine.experiment.plots.scale import Scale, decade_names, log_scale
from gems_engine.experiment.plots.svg import Canvas, Sheet, series_role, text_width, wrapped
from gems_engine.experiment.specification import shown_value

_HEIGHT = 420.0
_LEFT, _TOP, _BOTTOM, _LINE = 84.0, 62.0, 52.0, 16.0
_ENTRY = 20.0  # height of an entry of the legend


@dataclass(frozen=True)
class Point:
    """A value at x with its interval; infinite if it may be infinite."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """One series.

    Attributes
    ----------
    name
        The label.
    number
        The number that determines its colour and shape.
    points
        The points in the order of x, ascending or descending.
    bounds
        Curves of the theory, by name: pairs of numbers.
    """

    name: str
    number: int
    points: Sequence[Point]
    bounds: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


def draw_curves(title: str, subtitle: str, x_axis: str, y_axis: str, curves: Sequence[Curve], sheet: Sheet) -> str:
    """The picture; in print, its legend is below the curves."""
    names = [curve.name for curve in curves]
    names += [name for curve in curves for name in curve.bounds]
    needed = max(text_width(name, 12) for name in names) + 46
    right = 16.0 if sheet.paper else needed
    width = max(sheet.width, needed if sheet.paper else _LEFT + min(420.0, 0.45 * sheet.width) + right)
    says = wrapped(subtitle, 12, width - 36)
    top = 10.0 if sheet.paper else _TOP + _LINE * (len(says) - 1)
    height = min(_HEIGHT, 0.62 * width) if sheet.paper else _HEIGHT
    below = _ENTRY * len(dict.fromkeys(names)) if sheet.paper else 0.0
    canvas = Canvas(width, height + below, title)
    xs = list(dict.fromkeys(point.x for curve in curves for point in curve.points))
    edges = (_LEFT, width - right)
    x = _across(xs, *(edges if xs[0] <= xs[-1] else edges[::-1]))  # in the given order
    heights = [value for curve in curves for point in curve.points for value in (point.y, point.low, point.high)]
    heights += [value for curve in curves for line in curve.bounds.values() for _, value in line]
    y = log_scale(heights, height - _BOTTOM, top)
    if not sheet.paper:
        canvas.heading(title, says)
    for value, text in y.ticks():
        canvas.line([(_LEFT, y(value)), (edges[1], y(value))], "line")
        canvas.text(_LEFT - 8, y(value) + 4, text, "dim", 11, "end")
    for value, text in zip(xs, _names_of(xs), strict=True):
        canvas.line([(x(value), top), (x(value), y.start)], "line")
        canvas.text(x(value), y.start + 17, text, "dim", 11, "middle")
    canvas.text(sum(edges) / 2, height - 14, x_axis, "dim", 11, "middle")
    canvas.text(20, (top + y.start) / 2, y_axis, "dim", 11, "middle", turned=True)
    for curve in curves:
        _draw(canvas, curve, x, y)
    _legend(canvas, curves, *((20.0, height + 4.0) if sheet.paper else (edges[1] + 22, top + 6)))
    return canvas.svg()


def _names_of(xs: Sequence[float]) -> list[str]:
    """The values at the axis; powers of ten all have the same form."""
    parts = [f"{value:e}".split("e") for value in xs]
    if all(float(mantissa) == 1.0 for mantissa, _ in parts):
        return decade_names([int(exponent) for _, exponent in parts])
    return [shown_value(value) for value in xs]


def _across(xs: Sequence[float], start: float, end: float) -> Scale:
    if min(xs) > 0 and max(xs) / min(xs) > 20:
        return log_scale(xs, start, end)
    room = (max(xs) - min(xs)) * 0.04 or 1.0
    return Scale(min(xs) - room, max(xs) + room, start, end)


def _draw(canvas: Canvas, curve: Curve, x: Scale, y: Scale) -> None:
    role = series_role(curve.number)
    for said, several in groupby(curve.points, lambda each: each.low > 0.0 or each.high < math.inf):
        points = list(several)
        if said and len(points) > 1:  # unbounded bands would cover all others
            band = [(x(each.x), y(each.high)) for each in points]
            canvas.area([*band, *((x(each.x), y(each.low)) for each in reversed(points))], role)
    for line in curve.bounds.values():
        canvas.line([(x(at), y(value)) for at, value in line], role, 1.4, "5 4", 0.8)
    known = [each for each in curve.points if 0.0 < each.y < math.inf]
    if len(known) > 1:
        canvas.line([(x(each.x), y(each.y)) for each in known], role, 2.0)
    for each in curve.points:
        if each in known:
            canvas.marker(x(each.x), y(each.y), role, curve.number)
        else:  # above or below the visible range
            tip, base = (y.end - 8, y.end) if each.y > 0 else (y.start - 1, y.start - 9)
            canvas.area([(x(each.x) - 5, base), (x(each.x), tip), (x(each.x) + 5, base)], role, 1.0)


def _legend(canvas: Canvas, curves: Sequence[Curve], left: float, height: float) -> None:
    for curve in curves:
        canvas.marker(left, height, series_role(curve.number), curve.number)
        canvas.text(left + 12, height + 4, curve.name)
        height += _ENTRY
    seen = dict.fromkeys(name for curve in curves for name in curve.bounds)
    for name in seen:
        canvas.line([(left - 6, height), (left + 6, height)], "dim", 1.4, "5 4")
        canvas.text(left + 12, height + 4, name, "dim", 11)
        height += _ENTRY
