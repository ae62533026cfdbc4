"""The numbers of an experiment compared with those that the paper prints.

Two numbers agree if their 95 % intervals overlap. The paper's share has Wilson's interval for its number of trials; its
mean number of samples has the interval that the measured spread gives for that number. Times are not compared, because
they depend on the machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from gems_engine.experiment.measures import CellSummary, Summary
from gems_engine.experiment.metrics import METRICS
from gems_engine.experiment.specification import Printed
from gems_engine.experiment.statistics import mean_interval, wilson
from gems_engine.terminal import number

Interval = tuple[float, float]


@dataclass(frozen=True)
class Comparison:
    """A measured number next to one of the paper.

    Attributes
    ----------
    cell
        The measured cell.
    printed
        The paper's table.
    paper, paper_interval
        The paper's number, a share or a mean over the trials that were right, and its interval; None if it is not
        known.
    measured, interval
        The measured number, NaN without trials, and its interval.
    """

    cell: CellSummary
    printed: Printed
    paper: float
    paper_interval: Interval | None
    measured: float
    interval: Interval

    @property
    def difference(self) -> float:
        """The measured number minus the paper's."""
        return self.measured - self.paper

    @property
    def agrees(self) -> bool | None:
        """Whether the intervals overlap; None if the two are not compared."""
        if self.paper_interval is None or not all(map(math.isfinite, (*self.interval, *self.paper_interval))):
            return None
        return self.interval[0] <= self.paper_interval[1] and self.paper_interval[0] <= self.interval[1]

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON; what is not known becomes null."""
        return {
            "cell": self.cell.cell.index,
            "label": self.cell.cell.label,
            "varied": dict(self.cell.cell.varied),
            "metric": self.printed.metric,
            "measured": self.measured,
            "interval": list(self.interval),
            "paper": self.paper,
            "paper_trials": self.printed.trials or None,
            "paper_interval": None if self.paper_interval is None else list(self.paper_interval),
            "difference": self.difference,
            "agrees": self.agrees,
            "where": self.printed.where,
        }


def comparisons(summary: Summary) -> list[Comparison]:
    """All numbers of the paper with the measured ones, in the order of the specification."""
    return [
        _compared(summary.cells[index], printed, value)
        for printed in summary.specification.printed
        for index, value in printed.values.items()
    ]


def comparison_of(summary: Summary, cell: CellSummary | None, metric: str) -> Comparison | None:
    """The comparison of one cell, if the paper has a number for it."""
    for printed in summary.specification.printed:
        if cell is not None and printed.metric == metric and cell.cell.index in printed.values:
            return _compared(cell, printed, printed.values[cell.cell.index])
    return None


def _compared(cell: CellSummary, printed: Printed, value: float) -> Comparison:
    kind, trials = METRICS[printed.metric].kind, printed.trials
    theirs: Interval | None = None
    if kind == "share":
        if trials:
            found = wilson(round(value * trials), trials)
            theirs = found.low, found.high
        own = cell.success
        interval = (own.low, own.high) if own.total else (math.nan, math.nan)
        return Comparison(cell, printed, value, theirs, own.share, interval)
    measured = cell.measured[printed.metric]
    if kind == "samples" and trials:
        theirs = mean_interval(value, measured.deviation, trials)
    return Comparison(cell, printed, value, theirs, measured.mean, measured.mean_interval)


def agreement_text(summary: Summary) -> str:
    """How many cells agree with the paper, and by how much each of the others differs; empty if none is compared."""
    compared = [each for each in comparisons(summary) if each.agrees is not None]
    if not compared:
        return ""
    apart = [each for each in compared if not each.agrees]
    sentences = [
        f"{len(compared) - len(apart)} of {len(compared)} cells agree with the paper: the two 95 % intervals overlap."
    ]
    said = summary.specification
    for each in apart:
        name = ", ".join(filter(None, [said.series(each.cell.cell), said.group(each.cell.cell)]))
        title = METRICS[each.printed.metric].title.lower()
        sentences.append(f"{name} differs: {title} minus the paper's is {difference(each)}.")
    return " ".join(sentences)


def difference(of: Comparison) -> str:
    """The difference in words: "+7.7 points", or a number of samples."""
    if METRICS[of.printed.metric].kind == "share":
        points = round(100 * of.difference, 1)
        return f"{_signed(points)} {'point' if abs(points) == 1 else 'points'}"
    return f"{_signed(round(of.difference))} samples"


def _signed(value: float) -> str:
    return f"+{number(value)}" if value > 0 else number(value)
