"""The effect of one parameter on τ and success, as curves with intervals, computed from trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.experiment.measures import CellSummary, Summary
from gems_engine.experiment.sensitivity import Sensitivity
from gems_engine.experiment.specification import shown_value
from gems_engine.experiment.words import median, share
from gems_gui.series.table import Table

_FAR = 20.0  # a larger ratio of the values gets a logarithmic axis
_COLUMNS = ("value", "trials", "median_tau", "median_low", "median_high", "without_tau")
_SUCCESS = ("success", "success_low", "success_high")


@dataclass(frozen=True, eq=False)
class SensitivitySeries:
    """What is drawn, one entry for each value.

    Attributes
    ----------
    x, log_x
        Positions of the values: numbers, their logarithms, or 0, 1, 2, … with `names`.
    tau, success
        Three rows each: the number, and the lower and upper end of its interval; ∞ if τ is not known to be finite,
        NaN if there is no trial yet.
    """

    asked: Sensitivity
    cells: tuple[CellSummary, ...]
    x: Floats
    log_x: bool
    names: list[tuple[float, str]] | None
    tau: Floats
    success: Floats

    @property
    def done(self) -> int:
        """The number of finished trials."""
        return sum(each.success.total for each in self.cells)

    @property
    def present(self) -> int | None:
        """Index of the value in the form; None if it is none of them."""
        value = self.asked.parameters.get(self.asked.name)
        return self.asked.values.index(value) if value in self.asked.values else None

    def table(self) -> Table:
        """One row for each value."""
        rows = []
        for value, cell, tau in zip(self.asked.values, self.cells, self.tau.T, strict=True):
            numbers = [float(each) if np.isfinite(each) else None for each in tau]
            of = cell.success
            shares = (of.share, of.low, of.high) if of.total else (None, None, None)
            rows.append((value, of.total, *numbers, cell.measured["tau"].censored, *shares))
        return Table((self.asked.name, *_COLUMNS[1:], *_SUCCESS), rows)

    def nearest(self, x: float) -> int:
        """Index of the value closest to a position of the axis."""
        return int(np.abs(self.x - x).argmin())

    def words(self, at: int) -> str:
        """A text for a value: "ζ = 0.5 · median τ 907 [845, 1 012] · right 96 % [90, 98] of 100"."""
        cell = self.cells[at]
        setting = self.asked.specification.setting(self.asked.name, self.asked.values[at])
        if not cell.success.total:
            return f"{setting}: no trial yet"
        return f"{setting} · median τ {median(cell, 'tau')} · right {share(cell.success)} of {cell.success.total}"


def sensitivity_series(asked: Sensitivity, summary: Summary) -> SensitivitySeries:
    """The results so far."""
    values = asked.values
    numeric = all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)
    numbers = np.array([float(each) if numeric else at for at, each in enumerate(values)])  # type: ignore[arg-type]
    log_x = numeric and numbers.min() > 0 and numbers.max() / numbers.min() >= _FAR
    medians = [each.measured["tau"].median for each in summary.cells]
    some = [each.success.total > 0 for each in summary.cells]
    shares = [each.success for each in summary.cells]
    tau = np.array([[each.value for each in medians], [each.low for each in medians], [each.high for each in medians]])
    success = np.array([[each.share for each in shares], [each.low for each in shares], [each.high for each in shares]])
    return SensitivitySeries(
        asked,
        summary.cells,
        np.log10(numbers) if log_x else numbers,
        log_x,
        None if numeric else [(float(at), shown_value(each)) for at, each in enumerate(values)],
        np.where(some, tau, np.nan),
        np.where(some, success, np.nan),
    )
