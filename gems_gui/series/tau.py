"""The distribution of τ over the replicates of a run; trials without τ are shown as such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.experiment.replicates import Replicates
from gems_engine.experiment.statistics import Quantile
from gems_engine.experiment.words import quantile as quantile_text
from gems_engine.experiment.words import share
from gems_engine.terminal import number, plural
from gems_gui.series.recommendation import trajectory
from gems_gui.series.replicates import NONE_YET
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

_HIDDEN = ("τ and success depend on the truth, which is hidden: press T to show it", "hidden with the truth")
_COLUMNS = ("seed", "tau", "share_up_to")
EDGE = 0.09
"""The share of the axis for trials without τ; those with τ = 0 have half of it."""


class Censored(NamedTuple):
    """Trials without τ, for one reason."""

    words: str
    role: str
    trials: int


@dataclass(frozen=True, eq=False)
class TauSeries:
    """What the view of τ draws: the share of all trials with at most a given τ.

    Attributes
    ----------
    logs, shares
        log10 of every finite τ above 0 in ascending order, and the share of all trials up to each.
    seeds, taus
        Of all drawn trials, in the same order, those with τ = 0 first.
    zeros
        The share with τ = 0: right from the first guess on.
    censored
        Trials without τ, from the bottom.
    median
        With the interval between two order statistics.
    own
        log10 of the run's own τ at the cursor; None if it is not right there.
    x_range
        The visible range, including the strips at both edges.
    inner
        The range between the strips.
    """

    total: int
    logs: Floats
    shares: Floats
    seeds: Integers
    taus: Floats
    zeros: float
    success: float
    censored: tuple[Censored, ...]
    median: Quantile | None
    own: float | None
    x_range: tuple[float, float]
    inner: tuple[float, float]
    subtitle: Phrasings
    placeholder: Phrasings

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each trial, those without τ last."""
        if self.placeholder or snapshot.replicates is None:
            return Table(_COLUMNS, [])
        found = snapshot.replicates
        order = np.lexsort((found.numbers, found.taus))
        taus = found.taus[order]
        seeds = [found.source.seed_of(int(each)) for each in found.numbers[order]]
        shares = np.searchsorted(taus, taus, side="right") / len(taus)
        known = np.isfinite(taus)
        return by_columns({"seed": seeds, "tau": masked(taus, known), "share_up_to": masked(shares, known)})

    def seed_at(self, x: float) -> int | None:
        """The seed of the drawn trial closest to a position of the axis."""
        if not len(self.seeds):
            return None
        places = np.append(np.full(len(self.taus) - len(self.logs), self.x_range[0]), self.logs)
        return int(self.seeds[int(np.abs(places - x).argmin())])


def tau_series(snapshot: Snapshot) -> TauSeries:
    """τ of all replicates that have ended."""
    found = snapshot.replicates
    if found is None:
        return _placeholder(NONE_YET)
    if not snapshot.truth:
        return _placeholder(_HIDDEN)
    if not len(found):
        return _placeholder(("no replicate has ended yet", "none yet"))
    order = np.lexsort((found.numbers, found.taus))
    taus, numbers = found.taus[order], found.numbers[order]
    known = np.isfinite(taus)
    later = known & (taus > 0)
    logs = np.log10(taus[later])
    path = trajectory(snapshot).tau
    own = float(np.log10(path)) if path else None
    x_range, inner = _ranges(logs, own, found)
    total = len(taus)
    zeros = int((taus == 0).sum())
    return TauSeries(
        total,
        logs,
        (zeros + np.arange(1, len(logs) + 1)) / total,
        np.array([found.source.seed_of(int(each)) for each in numbers[known]], dtype=np.int64),
        taus[known],
        zeros / total,
        int(known.sum()) / total,
        _censored(found),
        found.tau.median,
        own,
        x_range,
        inner,
        _subtitle(found),
        (),
    )


def _placeholder(why: Phrasings) -> TauSeries:
    none, whole = np.zeros(0), (0.0, 1.0)
    seeds = np.zeros(0, dtype=np.int64)
    return TauSeries(0, none, none, seeds, none, 0.0, 0.0, (), None, None, whole, whole, (), why)


def _ranges(logs: Floats, own: float | None, found: Replicates) -> tuple[tuple[float, float], tuple[float, float]]:
    """From slightly below the smallest τ to the cap, and strips at both edges."""
    all_logs = [*logs[:1].tolist(), *logs[-1:].tolist(), *([] if own is None else [own])]
    low = min(all_logs, default=0.0) - 0.1
    high = float(np.log10(max(found.source.most, 2))) if found.tau.censored else max(all_logs, default=1.0)
    high = max(high, *all_logs, low + 0.5) if all_logs else max(high, low + 0.5)
    width = (high - low) / (1.0 - 1.5 * EDGE)
    return (low - 0.5 * EDGE * width, high + EDGE * width), (low, high)


def _censored(found: Replicates) -> tuple[Censored, ...]:
    wrong = found.tau.censored - found.errors
    groups = (
        Censored("wrong at the cap", "budget", found.wrong_cut_off),
        Censored("wrong at the end", "now", wrong - found.wrong_cut_off),
        Censored("ended in an error", "dim", found.errors),
    )
    return tuple(each for each in groups if each.trials)


def _subtitle(found: Replicates) -> Phrasings:
    median = quantile_text(found.tau.median, "samples")
    seeds = plural(len(found), "seed")
    if found.wanted > len(found):
        seeds = f"{number(len(found))} of {plural(found.wanted, 'seed')}"
    right = share(found.success)
    return phrasings((f"right {right}", f"right {right.partition(' [')[0]}"), seeds, f"median τ {median}")


def tau_text(series: TauSeries, x: float) -> str:
    """What is at a position of the axis: "54 % of 100 have τ ≤ 907 · seed 17 has 902"."""
    if not series.total:
        return ""
    low, high = series.inner
    if x > high:
        said = [f"{number(each.trials)} {each.words}" for each in series.censored]
        return f"no τ: {', '.join(said)}" if said else ""
    of = f"of {number(series.total)}"
    if x < low:
        return f"{number(round(series.zeros * series.total))} {of} have τ = 0: right from the first guess on"
    count = int(np.searchsorted(series.logs, x, side="right"))
    part = series.zeros + count / series.total
    words = f"{round(100 * part, 1):g} % {of} have τ ≤ {number(round(10.0**x))}"
    seed = series.seed_at(x)
    if seed is None:
        return words
    at = int(np.flatnonzero(series.seeds == seed)[0])
    return f"{words} · seed {seed} has {number(int(series.taus[at]))}"
