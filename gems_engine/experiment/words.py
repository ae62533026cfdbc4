"""Numbers of an experiment as text, for tables, plots and the terminal."""

from __future__ import annotations

import math

from gems_engine.experiment.measures import CellSummary, Measured
from gems_engine.experiment.metrics import METRICS, Kind
from gems_engine.experiment.ratios import CellRatio
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.statistics import Proportion, Quantile
from gems_engine.terminal import number


def share(of: Proportion) -> str:
    """A share with its interval: "96 % [90, 98]"."""
    if not of.total:
        return "–"
    return interval(percent(of.share), (of.low, of.high))


def interval(middle: str, ends: tuple[float, float]) -> str:
    """A share with its interval: "96 % [90, 98]", or "100 % [99.6, 100]" if whole percent would hide its width."""
    digits = int(f"{100 * ends[0]:.0f}" == f"{100 * ends[1]:.0f}")
    low, high = (f"{round(100 * each, digits):g}" for each in ends)
    return f"{middle} [{low}, {high}]"


def percent(part: float) -> str:
    """A share as a percentage, with one digit if it is not whole."""
    return f"{round(100 * part, 1):g} %"


def value(quantity: float, kind: Kind, at_least: float = math.inf, above: bool = True) -> str:
    """A number of samples, or a time; an unknown one is shown with its lower bound.

    "never" means that a run stopped by itself without it; "failed" that nothing is known.
    """
    if math.isnan(quantity):
        return "–"
    if math.isinf(quantity):
        if math.isinf(at_least):
            return "never"
        return f"{'>' if above else '≥'} {value(at_least, kind)}" if at_least > 0.0 else "failed"
    if kind == "share":
        return percent(quantity)
    return seconds(quantity) if kind == "seconds" else number(round(quantity))


def seconds(quantity: float) -> str:
    """A time with a suitable unit."""
    if quantity < 1.0:
        return f"{number(quantity * 1e3, 3)} ms"
    return f"{number(quantity, 3)} s" if quantity < 1000.0 else f"{number(quantity / 60.0, 3)} min"


def mean(of: Measured, kind: Kind) -> str:
    """The mean of the known numbers with its interval: "907 [845, 1 012]"; without one if there is one number."""
    middle = value(of.mean, kind)
    if of.known < 2:
        return middle
    low, high = (value(max(each, 0.0), kind) for each in of.mean_interval)
    return f"{middle} [{low}, {high}]"


def median(cell: CellSummary, metric: str) -> str:
    """The median of a metric with its interval: "907 [845, 1 012]"."""
    measured = cell.measured[metric]
    return quantile(measured.median, METRICS[metric].kind) if measured.total else "–"


def middle_of(of: Quantile, kind: Kind) -> str:
    """A quantile without its interval: "907", "> 10 000", "≥ 9 000" or "never"."""
    return value(of.value, kind, of.at_least, of.above)


def quantile(of: Quantile, kind: Kind) -> str:
    """A quantile and its interval, with the upper end ∞ if it is unbounded; without an interval that adds nothing."""
    middle = middle_of(of, kind)
    if math.isinf(of.value) and of.low == of.at_least:
        return middle
    low, high = ("∞" if math.isinf(each) else value(each, kind) for each in (of.low, of.high))
    return f"{middle} [{low}, {high}]"


def ratio(of: CellRatio) -> str:
    """The median ratio: "×16", "≥ ×238", "≤ ×0.1", "×2 to ×5", "?" if nothing is known, "0 : 0" without a ratio."""
    if not of.trials:
        return "–"
    if of.at_zero == of.trials:
        return "0 : 0"
    if of.known:
        return ratio_value(of.least)
    if math.isinf(of.most):
        return f"≥ {ratio_value(of.least)}" if of.least > 0.0 else "?"
    return f"{ratio_value(of.least)} to {ratio_value(of.most)}" if of.least > 0.0 else f"≤ {ratio_value(of.most)}"


def ratio_interval(of: CellRatio) -> str:
    """The interval of the median ratio: "[14, 18]"; empty without a ratio."""
    if of.trials == of.at_zero:
        return ""
    return f"[{_ratio(of.low)}, {_ratio(of.high)}]"


def cell_of_map(said: Specification, of: CellRatio) -> str:
    """A cell of the map in words, with the trial that a click opens."""
    asked, varied = said.map, of.of.varied
    assert asked is not None
    where = ", ".join(said.setting(name, varied[name]) for name in (asked.y, said.x))
    if of.trial < 0:
        return f"{where}: no trial of both algorithms yet."
    parts = [f"{where}: {ratio(of)} {ratio_interval(of)}".rstrip(), f"{number(of.trials)} trials"]
    parts += [f"{number(of.unknown)} with an unknown ratio"] if of.unknown else []
    parts += [f"{number(of.at_zero)} with τ = 0 for both"] if of.at_zero else []
    return f"{', '.join(parts)}. Click to run both algorithms with the seed of the median trial."


def ratio_value(value: float) -> str:
    """A ratio: "×16"."""
    return f"×{_ratio(value)}"


def _ratio(value: float) -> str:
    if math.isinf(value):
        return "∞"
    return number(round(float(f"{value:.3g}"))) if value >= 100.0 else number(value, 2 if value < 10.0 else 3)


def time_remaining(quantity: float | None) -> str:
    """The remaining time: "about 12 s to go"."""
    if quantity is None:
        return "remaining time unknown"
    if quantity < 90:
        return f"about {quantity:.0f} s to go"
    return f"about {quantity / 60:.0f} min to go" if quantity < 5400 else f"about {quantity / 3600:.1f} h to go"
