"""The plots of an experiment, each a function from what is known to a picture, and their registry `PLOTS`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gems_engine.experiment import words
from gems_engine.experiment.measures import CellSummary, Summary
from gems_engine.experiment.metrics import METRICS
from gems_engine.experiment.plots.curves import Curve, Point, draw_curves
from gems_engine.experiment.plots.rows import BEYOND, WIDTH, RowsPlot
from gems_engine.experiment.plots.scale import Scale, log_scale
from gems_engine.experiment.specification import Cell
from gems_engine.experiment.theory import SAMPLE, CellBound

Bounds = Mapping[int, Sequence[CellBound]]
"""What the theorems say, by cell."""
Draw = Callable[[Summary, Bounds, float], str | None]
"""From what is known, and the width of the picture, to the picture; None where there is nothing to show."""
_PERCENT = [(each / 100.0, f"{each} %") for each in range(0, 101, 20)]
_BOX = "box 25–75 %, whiskers 10–90 %, bar: 95 % interval of the median"
_BRACKETS = {"lower": "[ at least so many on average, by the theorem", "upper": "] at most so many, by the theorem"}
_SIDE_OF = {"stopped": "lower", "tau": "upper"}
"""What the theorems bound: from below when those stop who stop by themselves, from above when they are right (τ)."""
SIDES = {"upper": "most, by the theorem", "error": "most, by the theorem"}
"""What curves of the theory are called."""


def success(summary: Summary, bounds: Bounds, width: float) -> str | None:
    """How often each cell was right."""
    printed = _printed(summary, "success")
    subtitle = ["share of right answers; thin lines: 95 % intervals (Wilson)", *(["◇ the paper"] if printed else [])]
    plot = RowsPlot(
        summary,
        "How often is it right?",
        subtitle,
        "right at the end",
        lambda start, end: Scale(0.0, 1.0, start, end),
        lambda each: words.share(each.success),
        _PERCENT,
        width,
    )
    for line in plot.lines:
        if line.cell.success.total:
            plot.interval(line, line.cell.success.low, line.cell.success.high)
            plot.point(line, line.cell.success.share)
        if line.cell.cell.index in printed:
            plot.printed(line, printed[line.cell.cell.index])
    return plot.canvas.svg()


def _boxes(metric: str, title: str, axis: str) -> Draw:
    """A picture of the spread of one metric."""
    samples = METRICS[metric].kind == "samples"

    def draw(summary: Summary, bounds: Bounds, width: float) -> str | None:
        if not summary.shows(metric) or (metric == "tau" and _budgeted(summary)):
            return None
        printed = _printed(summary, metric)
        if metric != "tau":
            summary = _with_numbers(summary, metric)
        shown = {each.cell.index: bounds.get(each.cell.index, ()) for each in summary.cells}
        sides = {side: of for side, of in _sides(shown).items() if side == _SIDE_OF.get(metric)}
        cap = max((each.cap or 0 for each in summary.cells), default=0) if samples else 0
        numbers = [each.value for cell in summary.cells for each in cell.measured[metric].quantiles.values()]
        numbers += [*printed.values(), *(value for of in sides.values() for value in of.values()), *([cap] * bool(cap))]
        endless = max((_endless(each, metric) for each in summary.cells), default=0.0)
        subtitle = [
            _BOX,
            "; ".join(
                [
                    *(["▶ not known to be finite"] if any(_censored(each, metric) for each in summary.cells) else []),
                    *(["◇ the paper's mean"] if printed else []),
                    *(_BRACKETS[side] + _of_some(summary) for side in sides),
                ]
            ),
        ]
        plot = RowsPlot(
            summary,
            title,
            subtitle,
            axis,
            lambda start, end: log_scale(numbers, start, end).beyond(endless, BEYOND),
            lambda each: _median_and_censored(each, metric),
            width=width,
        )
        if cap:
            plot.mark(cap, "cap")
        for line in plot.lines:
            measured = line.cell.measured[metric]
            if measured.known or _censored(line.cell, metric):
                plot.spread(line, measured, words.middle_of(measured.median, METRICS[metric].kind))
            for side, of in sides.items():
                if line.cell.cell.index in of:
                    plot.bound(line, of[line.cell.cell.index], side == "lower")
            if line.cell.cell.index in printed:
                plot.printed(line, printed[line.cell.cell.index])
        return plot.canvas.svg()

    return draw


def _endless(cell: CellSummary, metric: str) -> float:
    """Where the box of a cell begins of which no end is known; 0 where there is none."""
    first = cell.measured[metric].quantiles[0.25]
    return first.censored_at or 0.0


def _with_numbers(summary: Summary, metric: str) -> Summary:
    """Without the series that never have anything to say: GEMS does not stop, and that is no result."""
    said = summary.specification
    some = {said.series(each.cell) for each in summary.cells if each.tells(metric)}
    return replace(summary, cells=tuple(each for each in summary.cells if said.series(each.cell) in some))


def _median_and_censored(cell: CellSummary, metric: str) -> str:
    """The number at the right of a row: the median, and how many trials have none."""
    measured = cell.measured[metric]
    if not measured.total:
        return "–"
    text = words.middle_of(measured.median, METRICS[metric].kind)
    counts = {"censored": _censored(cell, metric), "failed": cell.failed}
    return "; ".join([text, *(f"{count} {what}" for what, count in counts.items() if count)])


def _censored(cell: CellSummary, metric: str) -> int:
    """How many trials did not get there, without those of which nothing is known."""
    return cell.measured[metric].censored - cell.failed


def _budgeted(summary: Summary) -> bool:
    """Whether every run has a budget, so that its samples are what it was given, and no finding."""
    return all("budget" in each.cell.parameters for each in summary.cells)


def _of_some(summary: Summary) -> str:
    """Of how many instances a bound is the median, where every trial has its own."""
    if not any(each.cell.fresh for each in summary.cells):
        return ""
    return f" (median over the first {min(SAMPLE, summary.specification.trials)} instances)"


def growth(summary: Summary, bounds: Bounds, width: float) -> str | None:
    """The median sample complexity along x."""
    said = summary.specification
    if not _numeric(summary) or not summary.shows("tau") or _budgeted(summary):
        return None

    def point(each: CellSummary) -> Point:
        middle = each.measured["tau"].median
        return Point(_x(summary, each.cell), middle.value, middle.low, middle.high)

    symbol = said.symbols.get(said.x, said.x)
    return draw_curves(
        f"How does the sample complexity change with {symbol}?",
        "median of τ over all trials; bands: 95 % intervals where trials are enough for one; ▲: not known to be finite",
        symbol,
        "samples",
        _curves(summary, point, bounds, ("upper",)),
        width,
    )


def error(summary: Summary, bounds: Bounds, width: float) -> str | None:
    """The share of wrong answers along the budget."""
    if summary.specification.x != "budget" or not _numeric(summary):
        return None

    def point(each: CellSummary) -> Point:
        right = each.success
        least = 0.3 / right.total  # below what so many trials can show
        return Point(_x(summary, each.cell), 1.0 - right.share, max(1.0 - right.high, least), 1.0 - right.low)

    return draw_curves(
        "How often is it wrong, for what budget?",
        "share of wrong answers; bands: 95 % intervals (Wilson); ▼: none was wrong",
        "2T, all samples",
        "wrong",
        _curves(summary, point, bounds, ("error",)),
        width,
    )


PLOTS: dict[str, Draw] = {
    "success": success,
    "error": error,
    "samples": _boxes("tau", "From how many samples on is it right for good?", "τ, samples"),
    "growth": growth,
    "stopped": _boxes("stopped", "After how many samples does it stop by itself?", "samples to the stop"),
    "verified": _boxes("verified", "After how many samples is the answer verifiable?", "samples"),
    "runtime": _boxes("runtime", "How long does it take to get there?", "seconds to τ"),
}
"""All plots by name, in the order in which they are shown; one that has nothing to show says None."""


def plots_of(summary: Summary, bounds: Bounds, width: float = WIDTH) -> dict[str, str]:
    """Every plot that has something to show, as SVG; where texts need the room, wider than that."""
    drawn = {name: draw(summary, bounds, width) for name, draw in PLOTS.items()} if summary.done else {}
    return {name: svg for name, svg in drawn.items() if svg is not None}


def _printed(summary: Summary, metric: str) -> dict[int, float]:
    """What the paper prints of a metric, by cell."""
    return {
        cell: value
        for each in summary.specification.printed
        if each.metric == metric
        for cell, value in each.values.items()
    }


def _sides(bounds: Bounds) -> dict[str, dict[int, float]]:
    """The bounds on samples that hold: by side, by cell."""
    found: dict[str, dict[int, float]] = {}
    for cell, several in bounds.items():
        for bound in several:
            if bound.holds and bound.side != "error":
                found.setdefault(bound.side, {})[cell] = bound.value
    return found


def _numeric(summary: Summary) -> bool:
    """Whether x takes at least three different numbers."""
    xs = summary.specification.xs
    return len(xs) >= 3 and all(isinstance(each, int | float) and not isinstance(each, bool) for each in xs)


def _x(summary: Summary, cell: Cell) -> float:
    return float(cell.varied[summary.specification.x])  # type: ignore[arg-type]


def _curves(
    summary: Summary, point: Callable[[CellSummary], Point], bounds: Bounds, sides: Sequence[str]
) -> list[Curve]:
    """The series along x, with the curves of the theory."""
    said = summary.specification
    cells: dict[str, list[CellSummary]] = {}
    for each in summary.cells:
        if said.x in each.cell.varied and each.success.total:
            cells.setdefault(said.series(each.cell), []).append(each)
    curves = []
    for name, several in cells.items():
        lines: dict[str, list[tuple[float, float]]] = {}
        for each in several:
            for bound in bounds.get(each.cell.index, ()):
                if bound.holds and bound.side in sides and math.isfinite(bound.value):
                    lines.setdefault(SIDES[bound.side], []).append((_x(summary, each.cell), bound.value))
        drawn = {side: line for side, line in lines.items() if len(line) > 1}
        curves.append(Curve(name, said.all_series.index(name), [point(each) for each in several], drawn))
    return curves
