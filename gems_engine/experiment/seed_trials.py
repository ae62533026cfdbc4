"""The same seeds of several algorithms on one instance: which are right at the end, and from which sample on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from typing import Any

from gems_engine.experiment.control import Controlled
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.following import most_samples
from gems_engine.experiment.trials import Row, Trial
from gems_engine.instance import Instance

SEEDS = range(1, 31)
"""The seeds of a race."""


class SeedTrials:
    """Runs with a range of seeds, and their results as they arrive.

    Parameters
    ----------
    instance
        The instance.
    lanes
        The algorithms with their parameters.
    seeds
        The seeds; every algorithm runs with each of them.
    """

    def __init__(
        self, instance: Instance, lanes: Sequence[tuple[str, Mapping[str, Any]]], seeds: range = SEEDS
    ) -> None:
        self.instance, self.lanes, self.seeds = instance, tuple(lanes), seeds
        self._rows: dict[tuple[int, int], Row] = {}

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for equal trials."""
        lanes = tuple((name, tuple(sorted(parameters.items()))) for name, parameters in self.lanes)
        return self.instance.digest, lanes, self.seeds

    @property
    def most(self) -> int:
        """The largest sample cap of the algorithms."""
        return max(most_samples(name, parameters) for name, parameters in self.lanes)

    def missing(self) -> Iterator[Trial]:
        """The trials without a result: all algorithms with the first seed, then with the next."""
        for seed in self.seeds:
            for lane, (name, parameters) in enumerate(self.lanes):
                if (lane, seed) not in self._rows:
                    index = (seed - self.seeds.start) * len(self.lanes) + lane
                    yield Trial(index, self.instance, name, seed, dict(parameters))

    def add(self, row: Row) -> None:
        """Add a result."""
        self._rows[row.index % len(self.lanes), row.seed] = row

    def row(self, lane: int, seed: int) -> Row | None:
        """The result of an algorithm with a seed, or None."""
        return self._rows.get((lane, seed))

    def rows(self, lane: int) -> list[Row]:
        """All results of an algorithm, by seed."""
        return [row for seed in self.seeds if (row := self.row(lane, seed)) is not None]

    def wrong(self, lane: int) -> int:
        """The number of seeds with which an algorithm is not right at the end."""
        return sum(not row.correct for row in self.rows(lane))

    @property
    def complete(self) -> bool:
        """Whether all results are known."""
        return len(self._rows) == len(self.lanes) * len(self.seeds)


class SeedJob(Controlled):
    """Runs the missing trials in the caller's thread, or in an executor.

    Parameters
    ----------
    trials
        The trials.
    executor
        Runs them; None for this process.
    told
        Called with every row.
    """

    def __init__(
        self, trials: SeedTrials, executor: Executor | None = None, told: Callable[[Row], None] | None = None
    ) -> None:
        super().__init__()
        self._missing, self._executor, self._told = list(trials.missing()), executor, told

    def run(self) -> None:
        """Run them, until all are done or it is cancelled."""
        rows = run_trials(self._missing, self._executor, control=self.control)
        with closing(rows):  # type: ignore[type-var]
            for row in rows:
                if self._told is not None:
                    self._told(row)
