"""Statistics of the rows by cell: numbers are added row by row, and a summary can be taken at any time."""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.algorithms import algorithm_named
from gems_engine.experiment.metrics import METRICS, at_least
from gems_engine.experiment.ratios import CellRatio, Numbers, cell_ratio, numbers_of
from gems_engine.experiment.specification import Cell, RatioMap, Specification
from gems_engine.experiment.statistics import Proportion, Quantile, quantile, wilson
from gems_engine.experiment.trials import Row

PROBABILITIES = (0.1, 0.25, 0.5, 0.75, 0.9)
MOST_FAILURES = 50
"""The number of failed trials listed individually; all are counted, and all are in the rows."""


@dataclass(frozen=True)
class Measured:
    """The statistics of one metric in one cell.

    Attributes
    ----------
    total
        The number of trials.
    known
        Trials with a finite number; the others are censored, between a lower bound and infinity.
    mean
        The mean of the known numbers, as in the paper; NaN if there are none.
    zeros
        The number of zeros: for τ, right first guesses.
    quantiles
        Quantiles over all trials, by probability, each with its interval.
    """

    total: int
    known: int
    mean: float
    zeros: int
    quantiles: dict[float, Quantile]

    @property
    def median(self) -> Quantile:
        """The median."""
        return self.quantiles[0.5]

    @property
    def censored(self) -> int:
        """Trials without a finite number."""
        return self.total - self.known

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON; infinity becomes null."""
        return {
            "total": self.total,
            "censored": self.censored,
            "mean_of_known": self.mean,
            "zeros": self.zeros,
            "quantiles": [
                {
                    "probability": each.probability,
                    "value": each.value,
                    "censored_at": each.censored_at,
                    "low": each.low,
                    "high": each.high,
                }
                for each in self.quantiles.values()
            ],
        }


def cap_of(cell: Cell) -> int | None:
    """The samples at which a trial of a cell is cut off, if its algorithm has such a parameter."""
    given = cell.parameters.get("max_samples")
    if given is None:
        for parameter in algorithm_named(cell.algorithm).parameters:
            if parameter.name == "max_samples":
                given = parameter.default
    return int(given) if given is not None else None


@dataclass(frozen=True)
class CellSummary:
    """The results of one cell.

    Attributes
    ----------
    cell
        The cell.
    success
        The share of trials that are right at the end; a failed trial is not right.
    failed
        Trials that ended in an error.
    measured
        The statistics by metric, except shares.
    """

    cell: Cell
    success: Proportion
    failed: int
    measured: dict[str, Measured]

    @property
    def cap(self) -> int | None:
        """The samples at which a trial is cut off, if it has such a parameter."""
        return cap_of(self.cell)

    def tells(self, metric: str) -> bool:
        """Whether it has a result for a metric: a number, or the lack of one where it was to be expected.

        That an algorithm that never stops did not stop is no result; that RAGE was cut off in every trial is one.
        """
        if self.measured[metric].known or metric not in ("stopped", "verified"):
            return bool(self.measured[metric].known)
        return metric == "stopped" and self.success.total > self.failed and algorithm_named(self.cell.algorithm).stops


@dataclass(frozen=True)
class Summary:
    """The results of an experiment so far.

    Attributes
    ----------
    specification
        The experiment.
    cells
        The cells in the order of the grid.
    failures
        The first trials that failed.
    made_by
        The versions that made the rows, with the number of rows.
    ratios
        The ratio of two algorithms at every point of the map, if there is one.
    """

    specification: Specification
    cells: tuple[CellSummary, ...]
    failures: tuple[Row, ...]
    made_by: dict[str, int]
    ratios: tuple[CellRatio, ...] = ()

    @property
    def done(self) -> int:
        """Trials with a row."""
        return sum(each.success.total for each in self.cells)

    @property
    def failed(self) -> int:
        """Trials that ended in an error."""
        return sum(each.failed for each in self.cells)

    def shows(self, metric: str) -> bool:
        """Whether any cell has a result for it."""
        return any(each.tells(metric) for each in self.cells)

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON."""
        said = self.specification
        return {
            "experiment": said.name,
            "title": said.title,
            "seed": said.seed,
            "trials": said.trials,
            "done": self.done,
            "failed": self.failed,
            "made_by": self.made_by,
            "cells": [_cell_dict(each) for each in self.cells],
            **({"map": _map_dict(said.map, self.ratios)} if said.map is not None else {}),
        }


def _map_dict(asked: RatioMap, ratios: Iterable[CellRatio]) -> dict[str, Any]:
    return {"y": asked.y, "ratio": [asked.of, asked.over], "points": [each.as_dict() for each in ratios]}


def _cell_dict(each: CellSummary) -> dict[str, Any]:
    return {
        "instance": each.cell.instance_name,
        "new_each_trial": each.cell.fresh,
        "algorithm": each.cell.algorithm,
        "label": each.cell.label,
        "parameters": dict(each.cell.parameters),
        "varied": dict(each.cell.varied),
        "trials": each.success.total,
        "failed": each.failed,
        "success": {
            "count": each.success.count,
            "share": each.success.share,
            "low": each.success.low,
            "high": each.success.high,
        },
        **{name: measured.as_dict() for name, measured in each.measured.items()},
    }


class _Numbers:
    """The numbers of one cell: eight bytes for each trial and metric, and for the number of the trial.

    A censored number of at least x is stored as −1 − x.
    """

    def __init__(self, cap: int | None) -> None:
        self._cap = cap
        self.right = self.total = self.failed = 0
        self.trials = array("q")
        self._metrics = [metric for metric in METRICS.values() if metric.kind != "share"]
        self.of = {metric.name: array("d") for metric in self._metrics}

    def add(self, row: Row, trial: int) -> None:
        known = [metric.of(row) for metric in self._metrics]  # first: a metric of another package may raise
        self.total += 1
        self.trials.append(trial)
        self.right += int(METRICS["success"].of(row))
        self.failed += bool(row.error)
        for metric, value in zip(self._metrics, known, strict=True):
            stored = value if value < math.inf else -1.0 - at_least(metric.kind, row, self._cap)
            self.of[metric.name].append(stored)

    def forget_failed(self, trial: int) -> None:
        """Remove the row of a trial with an error."""
        at = self.trials.index(trial)
        self.total -= 1
        self.failed -= 1
        del self.trials[at]
        for numbers in self.of.values():
            del numbers[at]


class Measures:
    """Rows in, summaries out, from any thread.

    Parameters
    ----------
    specification
        The experiment of the rows.
    """

    def __init__(self, specification: Specification) -> None:
        self.specification = specification
        self._cells = [_Numbers(cap_of(cell)) for cell in specification.cells]
        self._failures: list[Row] = []
        self._made_by: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, row: Row) -> None:
        """Add a row."""
        with self._lock:
            trial, cell = divmod(row.index, len(self._cells))
            self._cells[cell].add(row, trial)
            self._made_by[row.made_by] = self._made_by.get(row.made_by, 0) + 1
            if row.error and len(self._failures) < MOST_FAILURES:
                self._failures.append(row)

    def forget_failed(self, index: int, made_by: str) -> None:
        """Remove the row of a failed trial, which is replaced by another one."""
        with self._lock:
            trial, cell = divmod(index, len(self._cells))
            self._cells[cell].forget_failed(trial)
            self._made_by[made_by] -= 1
            if not self._made_by[made_by]:
                del self._made_by[made_by]
            self._failures = [row for row in self._failures if row.index != index]

    def extend(self, rows: Iterable[Row]) -> Measures:
        """Add several rows."""
        for row in rows:
            self.add(row)
        return self

    @property
    def done(self) -> int:
        """Rows so far."""
        return sum(each.total for each in self._cells)

    @property
    def failed(self) -> int:
        """Rows with an error so far."""
        return sum(each.failed for each in self._cells)

    def shares(self) -> list[tuple[Cell, int, int]]:
        """The numbers of right and of all trials by cell; cheap, for frequent updates."""
        with self._lock:
            cells = zip(self.specification.cells, self._cells, strict=True)
            return [(cell, each.right, each.total) for cell, each in cells]

    def summary(self) -> Summary:
        """The results so far."""
        with self._lock:
            taken = [
                (each.right, each.total, each.failed, {name: np.array(of) for name, of in each.of.items()})
                for each in self._cells
            ]
            of_map = self._taus()
            failures, made_by = tuple(self._failures), dict(self._made_by)
        cells = tuple(
            CellSummary(
                cell, wilson(right, total), failed, {name: measured(*_apart(of)) for name, of in numbers.items()}
            )
            for cell, (right, total, failed, numbers) in zip(self.specification.cells, taken, strict=True)
        )
        asked = self.specification.map
        ratios = () if asked is None else tuple(cell_ratio(*pair, *_of_pair(pair, of_map)) for pair in asked.cells)
        return Summary(self.specification, cells, failures, made_by, ratios)

    def _taus(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """The trials of the cells of the map and their τ, censored ones as −1 − x."""
        asked = self.specification.map
        indices = [cell.index for pair in asked.cells for cell in pair] if asked is not None else []
        return {each: (np.array(self._cells[each].trials), np.array(self._cells[each].of["tau"])) for each in indices}


def _of_pair(pair: tuple[Cell, Cell], taus: dict[int, tuple[np.ndarray, np.ndarray]]) -> tuple[Numbers, Numbers]:
    return numbers_of(*taus[pair[0].index]), numbers_of(*taus[pair[1].index])


def _apart(kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a metric, infinite if censored, and their lower bounds."""
    return np.where(kept >= 0.0, kept, np.inf), np.where(kept >= 0.0, kept, -1.0 - kept)


def measured(numbers: np.ndarray, least: np.ndarray) -> Measured:
    """The statistics of the numbers of one metric, infinite if censored, with their lower bounds."""
    ordered, lowest = np.sort(numbers), np.sort(least)
    known = int(np.isfinite(ordered).sum())
    return Measured(
        total=len(ordered),
        known=known,
        mean=float(ordered[:known].mean()) if known else math.nan,
        zeros=int((ordered == 0.0).sum()),
        quantiles={each: quantile(ordered, each, least=lowest) for each in PROBABILITIES},
    )
