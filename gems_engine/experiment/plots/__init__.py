"""The plots of an experiment, each a function from a summary to a picture, and their registry `PLOTS`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gems_engine.algorithms.run_context import FINISH
from gems_engine.experiment import words
from gems_engine.experiment.measures import CellSummary, Summary
from gems_engine.experiment.metrics import METRICS
from gems_engine.experiment.plots.curves import Curve, Point, draw_curves
from gems_engine.experiment.plots.heat_map import draw_map
from gems_engine.experiment.plots.rows import BEYOND, RowsPlot
from gems_engine.experiment.plots.scale import Scale, log_scale
from gems_engine.experiment.plots.svg import Sheet
from gems_engine.experiment.specification import Cell
from gems_engine.experiment.theory import SAMPLE, CellBound

Bounds = Mapping[int, Sequence[CellBound]]
"""The bounds of the theorems by cell."""
Draw = Callable[[Summary, Bounds, Sheet], str | None]
"""A function from a summary, bounds and what it is drawn on to the picture; None if there is nothing to show."""
_PERCENT = [(each / 100.0, f"{each} %") for each in range(0, 101, 20)]
_BOX = "box 25–75 %, whiskers 10–90 %, bar: 95 % interval of the median"
_FINISHED = "the last round is finished, also above the cap"
_BRACKETS = {"lower": "[ lower bound of the theorem, on average", "upper": "] upper bound of the theorem"}
_SIDE_OF = {"stopped": "lower", "tau": "upper"}
"""The theorems bound the samples to the stop from below, and τ from above."""
SIDES = {"upper": "upper bound of the theorem", "error": "upper bound of the theorem"}
"""The labels of curves of the theory."""


def success(summary: Summary, bounds: Bounds, sheet: Sheet) -> str | None:
    """The share of right trials of each cell."""
    printed = _printed(summary, "success")
    subtitle = [
        "share of right recommendations; thin lines: 95 % intervals (Wilson)",
        *(["◇ the paper"] if printed else []),
    ]
    plot = RowsPlot(
        summary,
        "How often is it right?",
        subtitle,
        "right at the end",
        lambda start, end: Scale(0.0, 1.0, start, end),
        lambda each: words.share(each.success),
        _PERCENT,
        sheet,
    )
    for line in plot.lines:
        if line.cell.success.total:
            plot.interval(line, line.cell.success.low, line.cell.success.high)
            plot.point(line, line.cell.success.share)
        if line.cell.cell.index in printed:
            plot.printed(line, printed[line.cell.cell.index])
    return plot.canvas.svg()


def _boxes(metric: str, title: str, axis: str) -> Draw:
    """A box plot of one metric."""
    samples = METRICS[metric].kind == "samples"

    def draw(summary: Summary, bounds: Bounds, sheet: Sheet) -> str | None:
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
                    *(["▶ may be infinite"] if any(_censored(each, metric) for each in summary.cells) else []),
                    *(["◇ the paper's mean"] if printed else []),
                    *(_BRACKETS[side] + _of_some(summary) for side in sides),
                    *([_FINISHED] if cap and any(_finishes(each.cell) for each in summary.cells) else []),
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
            sheet=sheet,
        )
        if cap:
            plot.mark(cap, "cap")
        for line in plot.lines:
            measured, index = line.cell.measured[metric], line.cell.cell.index
            bounded = {side: of[index] for side, of in sides.items() if index in of}
            if measured.known or _censored(line.cell, metric):
                middle = words.middle_of(measured.median, METRICS[metric].kind)
                plot.spread(line, measured, middle, [*([cap] * bool(cap)), *bounded.values()])
            for side, value in bounded.items():
                plot.bound(line, value, side == "lower")
            if index in printed:
                plot.printed(line, printed[index])
        return plot.canvas.svg()

    return draw


def _finishes(cell: Cell) -> bool:
    return cell.parameters.get("last_round") == FINISH


def _endless(cell: CellSummary, metric: str) -> float:
    """The start of a box without a known end; 0 if there is none."""
    first = cell.measured[metric].quantiles[0.25]
    return first.censored_at or 0.0


def _with_numbers(summary: Summary, metric: str) -> Summary:
    """The summary without series that never have a result: that GEMS does not stop is no result."""
    said = summary.specification
    some = {said.series(each.cell) for each in summary.cells if each.tells(metric)}
    return replace(summary, cells=tuple(each for each in summary.cells if said.series(each.cell) in some))


def _median_and_censored(cell: CellSummary, metric: str) -> str:
    """The text at the right of a row: the median, and the number of trials without a value."""
    measured = cell.measured[metric]
    if not measured.total:
        return "–"
    text = words.middle_of(measured.median, METRICS[metric].kind)
    counts = {"censored": _censored(cell, metric), "failed": cell.failed}
    return "; ".join([text, *(f"{count} {what}" for what, count in counts.items() if count)])


def _censored(cell: CellSummary, metric: str) -> int:
    """The number of censored trials, without failed ones."""
    return cell.measured[metric].censored - cell.failed


def _budgeted(summary: Summary) -> bool:
    """Whether every run has a budget, so that its number of samples is not a result."""
    return all("budget" in each.cell.parameters for each in summary.cells)


def _of_some(summary: Summary) -> str:
    """A note on the number of instances behind a bound, if every trial has its own instance."""
    if not any(each.cell.fresh for each in summary.cells):
        return ""
    return f" (median over the first {min(SAMPLE, summary.specification.trials)} instances)"


def growth(summary: Summary, bounds: Bounds, sheet: Sheet) -> str | None:
    """The median sample complexity along x."""
    said = summary.specification
    if not _numeric(summary) or not summary.shows("tau") or _budgeted(summary) or said.map is not None:
        return None  # a map shows it better than a curve for every value of its second parameter

    def point(each: CellSummary) -> Point:
        middle = each.measured["tau"].median
        return Point(_x(summary, each.cell), middle.value, middle.low, middle.high)

    symbol = said.symbols.get(said.x, said.x)
    return draw_curves(
        f"How does the sample complexity change with {symbol}?",
        "median of τ over all trials; bands: 95 % intervals, if there are enough trials; ▲: may be infinite",
        symbol,
        "samples",
        _curves(summary, point, bounds, ("upper",)),
        sheet,
    )


def error(summary: Summary, bounds: Bounds, sheet: Sheet) -> str | None:
    """The share of wrong recommendations along the budget."""
    if summary.specification.x != "budget" or not _numeric(summary):
        return None

    def point(each: CellSummary) -> Point:
        right = each.success
        least = 0.3 / right.total  # below the smallest share that this number of trials can show
        return Point(_x(summary, each.cell), 1.0 - right.share, max(1.0 - right.high, least), 1.0 - right.low)

    return draw_curves(
        "How often is it wrong at each budget?",
        "share of wrong recommendations; bands: 95 % intervals (Wilson); ▼: none was wrong",
        "2T, total samples",
        "wrong",
        _curves(summary, point, bounds, ("error",)),
        sheet,
    )


def ratio_map(summary: Summary, bounds: Bounds, sheet: Sheet) -> str | None:
    """The ratio of two algorithms over two parameters."""
    asked = summary.specification.map
    return None if asked is None else draw_map(summary, asked, sheet)


PLOTS: dict[str, Draw] = {
    "map": ratio_map,
    "success": success,
    "error": error,
    "samples": _boxes("tau", "After how many samples does the recommendation stay right?", "τ, samples"),
    "growth": growth,
    "stopped": _boxes("stopped", "After how many samples does it stop by itself?", "samples to the stop"),
    "verified": _boxes("verified", "After how many samples is the recommendation verifiable?", "samples"),
    "runtime": _boxes("runtime", "How long does it take to reach τ?", "seconds to τ"),
}
"""All plots by name, in order of display; one that has nothing to show returns None."""


def plots_of(summary: Summary, bounds: Bounds, width: float = Sheet.width, paper: bool = False) -> dict[str, str]:
    """Every plot that has something to show, as SVG; wider than ``width`` if texts need more space."""
    drawn = {name: draw(summary, bounds, Sheet(width, paper)) for name, draw in PLOTS.items()} if summary.done else {}
    return {name: svg for name, svg in drawn.items() if svg is not None}


def _printed(summary: Summary, metric: str) -> dict[int, float]:
    """The numbers of the paper for a metric, by cell."""
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
