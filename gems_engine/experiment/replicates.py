"""Replicates: more seeds of one run, overlaid as they are computed, and searched for one that fails.

Replicate number t of a run with the seed s is the same run with the seed s + t: consecutive seeds are easy to type, and
none of them is the run itself. Memory does not grow with the length of a trial, and by a few numbers per trial.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers
from gems_engine.experiment.control import Controlled
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.following import FollowedRow, Following, Place, in_time, most_samples, sample_counts
from gems_engine.experiment.measures import PROBABILITIES, Measured, measured
from gems_engine.experiment.metrics import METRICS, at_least
from gems_engine.experiment.statistics import Proportion, order_statistic, wilson
from gems_engine.experiment.trials import Row, Trial
from gems_engine.instance import Instance

MOST = 10_000
"""The largest number of replicates of one run."""
MOST_FAILING = 200
"""The number of failing trials listed individually; all are counted."""
SEEDS = 2**63
"""Seeds are below this number and wrap around."""

WRONG, UNCERTIFIED = "wrong", "uncertified"
FAILINGS: dict[str, str] = {
    WRONG: "is wrong at the end, or fails",
    UNCERTIFIED: "has a design without a certificate",
}
"""What can be searched for, with its words."""


def fails(row: Row, how: str = WRONG) -> bool:
    """Whether a trial is one that is searched for."""
    if row.error:
        return True
    return isinstance(row, FollowedRow) and row.uncertified > 0 if how == UNCERTIFIED else not row.correct


@dataclass(frozen=True, eq=False)
class Source:
    """The run that is replicated, with everything that it depends on."""

    instance: Instance
    algorithm: str
    seed: int
    parameters: Mapping[str, Any]

    def seed_of(self, number: int) -> int:
        """The seed of a replicate; number 0 is the run itself."""
        return (self.seed + int(number)) % SEEDS

    def trials(self, numbers: Iterable[int]) -> Iterator[Trial]:
        """These replicates, one by one."""
        for number in numbers:
            yield Trial(number, self.instance, self.algorithm, self.seed_of(number), dict(self.parameters))

    @cached_property
    def most(self) -> int:
        """The largest number of samples."""
        return most_samples(self.algorithm, self.parameters)


class _Counts:
    """Histograms of integers for each sample count: exact quantiles in fixed memory."""

    def __init__(self, places: int, largest: int) -> None:
        self._counts: NDArray[np.int32] = np.zeros((places, largest + 1), dtype=np.int32)
        self._rows = np.arange(places)

    def add(self, numbers: NDArray[np.int32]) -> None:
        self._counts[self._rows, numbers] += 1

    def quantiles(self, known: slice) -> Floats:
        """One row per probability: the smallest number that this share of trials does not exceed; NaN if empty."""
        below = np.cumsum(self._counts[known], axis=1)
        total = below[:, -1:]
        found = [(below < np.ceil(each * total - 1e-9)).sum(axis=1) for each in PROBABILITIES]
        return np.where(total[:, 0] > 0, np.array(found, dtype=float), math.nan)


@dataclass(frozen=True, eq=False)
class Bands:
    """Quantiles along an axis.

    Attributes
    ----------
    x
        Sample counts, or indices of positions.
    quantiles
        One row for each of :data:`~gems_engine.experiment.measures.PROBABILITIES`; ∞ if trials were cut off before.
    places
        The positions, if the axis has positions.
    """

    x: Integers
    quantiles: Floats
    places: tuple[Place, ...] = ()


class Replicates:
    """The results of a run's replicates.

    Attributes
    ----------
    source : Source
        The run that is replicated.
    wanted : int
        The number requested.
    failing : list of FollowedRow
        Replicates that are wrong or ended in an error, without their paths, in the order of their seeds.
    """

    def __init__(self, source: Source, wanted: int = 0) -> None:
        self.source, self.wanted = source, wanted
        self.counts = sample_counts(source.most)
        self.failing: list[Row] = []
        self.right = self.errors = self.cut_off = self.wrong_cut_off = self.uncertified = 0
        self.drawn = 0  # the largest number of samples of any trial
        self._survivors = _Counts(len(self.counts), len(source.instance.targets))
        self._dimension = _Counts(len(self.counts), source.instance.D)
        self._numbers = array("q")
        self._taus = array("d")
        self._least = array("d")  # lower bounds on each τ
        self._finals = array("d")  # of each trial that ran: its samples, infinite if it was cut off
        self._passed: list[Place] = []  # the last position of each: earlier ones ended or were skipped
        self._ends: dict[Place, array[float]] = {}  # one number for each trial that ran
        self._kept: dict[str, tuple[int, Any]] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, row: Row) -> None:
        """Add a replicate."""
        self._numbers.append(row.index)
        tau = METRICS["tau"].of(row)
        self._taus.append(tau)
        self._least.append(tau if tau < math.inf else at_least("samples", row, self.source.most))
        self.right += int(METRICS["success"].of(row))
        self.errors += bool(row.error)
        self.drawn = max(self.drawn, min(row.samples or 0, self.source.most))
        if fails(row):
            self._keep_failing(row)
        path = row.path if isinstance(row, FollowedRow) else None
        if isinstance(row, FollowedRow) and path is not None:
            self.uncertified += row.uncertified > 0
            self.cut_off += row.cut_off
            self.wrong_cut_off += row.cut_off and not row.correct
            self._survivors.add(path.survivors)
            self._dimension.add(path.dimension)
            self._add_ends(row)

    def _keep_failing(self, row: Row) -> None:
        plain = {name: value for name, value in vars(row).items() if name not in ("path", "uncertified")}
        self.failing.append(Row(**plain))
        self.failing.sort(key=lambda each: each.index)
        del self.failing[MOST_FAILING:]

    def _add_ends(self, row: FollowedRow) -> None:
        assert row.path is not None
        final = math.inf if row.cut_off else float(row.samples or 0)
        own = dict(zip(row.path.places, row.path.samples, strict=True))
        for place in sorted(own.keys() - self._ends.keys(), key=in_time):
            self._ends[place] = self._came_by(place)
        last = max(map(in_time, own), default=(0, 0, 0))
        passed = max(last, (*row.path.reached, 0))
        before = 0.0
        for place in sorted(self._ends, key=in_time):
            before = float(own.get(place, before))
            self._ends[place].append(before if in_time(place) < passed or place in own else final)
        self._finals.append(final)
        self._passed.append(passed)

    def _came_by(self, place: Place) -> array[float]:
        """Samples of each trial so far at a position that none of them ended in.

        A trial that skipped it has those of the position before; one that never reached it has its last ones.
        """
        known = max((each for each in self._ends if in_time(each) < in_time(place)), key=in_time, default=None)
        before = array("d", bytes(8 * len(self._finals))) if known is None else self._ends[known]
        each = zip(before, self._finals, self._passed, strict=True)
        return array("d", (at if in_time(place) < passed else final for at, final, passed in each))

    # -- what they say ------------------------------------------------------------------------------------------

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        """Compute once for the current number of trials."""
        if self._kept.get(name, (-1,))[0] != len(self):
            self._kept[name] = len(self), make()
        return self._kept[name][1]

    @property
    def success(self) -> Proportion:
        """The share that is right at the end, with Wilson's interval; a trial with an error is not."""
        return wilson(self.right, len(self))

    @property
    def tau(self) -> Measured:
        """τ over all of them; infinite for those that are not right at the end."""
        found: Measured = self._once("tau", lambda: measured(np.array(self._taus), np.array(self._least)))
        return found

    @property
    def taus(self) -> Floats:
        """τ of each, in the order of completion; infinite for those that are not right at the end."""
        return np.array(self._taus)

    @property
    def numbers(self) -> Integers:
        """Their numbers, in the same order."""
        return np.array(self._numbers, dtype=np.int64)

    @property
    def survivors(self) -> Bands:
        """The number of targets that remain after the last round, over samples."""
        return self._over_samples("survivors", self._survivors)

    @property
    def dimension(self) -> Bands:
        """The dimension of the last round, over samples; 0 before it."""
        return self._over_samples("dimension", self._dimension)

    def _over_samples(self, name: str, counts: _Counts) -> Bands:
        known = slice(0, int(np.searchsorted(self.counts, self.drawn, side="right")))
        found: Bands = self._once(name, lambda: Bands(self.counts[known], counts.quantiles(known)))
        return found

    @property
    def samples(self) -> Bands:
        """All samples by the end of each subroutine, or of each round if there is only one subroutine.

        A trial that skipped a subroutine has the samples of the one before. A trial that ended by itself draws no more;
        the further course of one that was cut off is unknown, and it counts as infinite there.
        """
        found: Bands = self._once("samples", self._over_places)
        return found

    def _over_places(self) -> Bands:
        several = sum(place[2] == 0 for place in self._ends) > 1
        places = sorted(place for place in self._ends if (place[2] == 0) == several)
        rows = np.full((len(PROBABILITIES), len(places)), math.nan)
        for at, place in enumerate(places):
            ordered = np.sort(np.array(self._ends[place]))
            for line, each in enumerate(PROBABILITIES):
                rows[line, at] = order_statistic(ordered, each)
        return Bands(np.arange(len(places), dtype=np.int64), rows, tuple(places))


# -- run them ----------------------------------------------------------------------------------------------------


class Replication(Controlled):
    """Runs replicates of a run and follows them; like a harness, it runs in the caller's thread.

    Parameters
    ----------
    source
        The run.
    numbers
        The numbers of the replicates, in order.
    executor
        Runs them; None for this process.
    told
        Called with every row.
    until
        Ends it after the first row for which it is true: trials started before are finished, so that the failing trial
        with the smallest number is reported.
    """

    def __init__(
        self,
        source: Source,
        numbers: Iterable[int],
        executor: Executor | None = None,
        told: Callable[[Row], None] | None = None,
        until: Callable[[Row], bool] | None = None,
    ) -> None:
        super().__init__()
        self._source, self._numbers, self._executor = source, numbers, executor
        self._told, self._until = told, until
        self._found = False

    def run(self) -> None:
        """Run them, until all are done, one is found, or it is cancelled."""
        trials = self._source.trials(self._wanted())
        rows = run_trials(trials, self._executor, control=self.control, work=Following(self._source.most))
        with closing(rows):  # type: ignore[type-var]
            for row in rows:
                self._found = self._found or (self._until is not None and self._until(row))
                if self._told is not None:
                    self._told(row)

    def _wanted(self) -> Iterator[int]:
        for number in self._numbers:
            if self._found:
                return
            yield number
