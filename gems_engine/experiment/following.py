"""A followed trial: its row and its course, in a fixed amount of memory.

Step functions of samples are stored only at fixed sample counts, the same for all trials: there they are exact, trials
can be overlaid without storing any, and a trial of hours takes no more memory than a short one.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.algorithms import algorithm_named
from gems_engine.algorithms.run_context import FINISH
from gems_engine.arrays import Integers
from gems_engine.errors import InputError
from gems_engine.events import (
    ASKED,
    CAP,
    DesignSolved,
    Eliminated,
    Event,
    IdleRounds,
    Pulled,
    SubroutineFinished,
    SubroutineStarted,
)
from gems_engine.experiment.trials import Row, Stop, Trial, run_trial
from gems_engine.instance import Instance
from gems_engine.parameters import check_all

PER_DECADE = 60
"""The number of sample counts per power of ten at which trials are overlaid: 4 % apart."""
MOST_PLACES = 200
"""The largest number of ends of subroutines or rounds stored for a trial."""
UNCAPPED = 10_000_000
"""The largest sample count if a run has no cap."""

Place = tuple[int, int, int]
"""ℓ, i and k; with k = 0 a whole subroutine."""


def in_time(place: Place) -> Place:
    """The key that sorts positions in time: a subroutine ends after its rounds."""
    return place[0], place[1], place[2] or sys.maxsize


def most_samples(algorithm: str, parameters: Mapping[str, Any]) -> int:
    """The largest number of samples of a run with these parameters."""
    values = check_all(algorithm_named(algorithm).parameters, parameters)
    for name in ("max_samples", "budget", "pulls"):
        if isinstance(most := values.get(name), int):
            return 2 * most - 1 if values.get("last_round") == FINISH else most
    return UNCAPPED


@lru_cache(16)
def sample_counts(most: int) -> Integers:
    """From 1 to the cap, evenly on a logarithmic axis, each once."""
    steps = int(np.ceil(PER_DECADE * np.log10(max(most, 2)))) + 1
    counts = np.unique(np.rint(np.geomspace(1.0, float(max(most, 2)), steps)).astype(np.int64))
    counts.flags.writeable = False
    return counts


@dataclass(frozen=True, eq=False)
class Path:
    """The course of a trial.

    Attributes
    ----------
    survivors
        At each sample count, the number of targets that remain after the last round drawn by then; all of them before
        the first round.
    dimension
        The dimension of that round; 0 before the first.
    places, samples
        Ends of subroutines (k = 0) and of the first one's rounds, with all samples by then.
    reached
        ℓ and i of the last subroutine started; earlier ones that are not in ``places`` were skipped.
    """

    survivors: NDArray[np.int32]
    dimension: NDArray[np.int32]
    places: tuple[Place, ...]
    samples: tuple[int, ...]
    reached: tuple[int, int]


@dataclass(frozen=True)
class FollowedRow(Row):
    """A row with the course of its trial.

    Attributes
    ----------
    path
        The course; None if the trial failed.
    uncertified
        Designs that did not reach their tolerance.
    """

    path: Path | None = field(default=None, compare=False)
    uncertified: int = 0

    @property
    def cut_off(self) -> bool:
        """Whether it was cut off, so that its further course is unknown."""
        return self.finish in (CAP, ASKED)


class Follower:
    """Reads the events of a run, and collects what a :class:`Path` needs."""

    def __init__(self, instance: Instance) -> None:
        self._left = self._targets = len(instance.targets)
        self._d = 0
        self._steps: list[tuple[int, int, int]] = []
        self._ends: list[tuple[Place, int]] = []
        self._reached = (0, 0)
        self.uncertified = 0

    def add(self, event: Event) -> None:
        """Add an event."""
        place = event.place
        if isinstance(event, DesignSolved):
            self._d = event.d
            self.uncertified += event.gap > event.tolerance
        elif isinstance(event, SubroutineStarted):
            self._left = self._targets
            self._reached = max(self._reached, (place.ell, place.i))
        elif isinstance(event, Pulled) and place.k:  # a validation is not a round
            self._steps.append((event.samples, self._left, self._d))
            self._end((place.ell, place.i, place.k), event.samples)
        elif isinstance(event, Eliminated) and self._steps:
            self._left = event.left
            self._steps[-1] = (self._steps[-1][0], self._left, self._d)
        elif isinstance(event, IdleRounds):
            self._d = event.d
            self._steps.append((event.samples, self._left, self._d))
            self._end((place.ell, place.i, event.last), event.samples)
        elif isinstance(event, SubroutineFinished):
            self._end((place.ell, place.i, 0), event.samples)

    def _end(self, place: Place, samples: int) -> None:
        first = self._ends[0][0][:2] if self._ends else place[:2]
        if len(self._ends) < MOST_PLACES and (not place[2] or place[:2] == first):
            self._ends.append((place, samples))

    def path(self, counts: Integers) -> Path:
        """The course at these sample counts."""
        largest = int(counts[-1]) + 1  # samples of idle rounds may exceed 64 bits
        at = [min(samples, largest) for samples, _, _ in self._steps]
        last = np.searchsorted(np.array(at, dtype=np.int64), counts, side="right")
        survivors = np.array([self._targets, *(left for _, left, _ in self._steps)], dtype=np.int32)[last]
        dimension = np.array([0, *(d for _, _, d in self._steps)], dtype=np.int32)[last]
        places, samples = tuple(place for place, _ in self._ends), tuple(at for _, at in self._ends)
        return Path(survivors, dimension, places, samples, self._reached)


@dataclass(frozen=True)
class Following:
    """Runs trials and follows them, as the work of :func:`~gems_engine.experiment.run_trials`.

    Attributes
    ----------
    most
        The largest sample count.
    """

    most: int

    def __call__(self, trial: Trial, stop: Stop | None = None) -> FollowedRow:
        """The row of a trial, with its path."""
        if isinstance(trial.instance, str):
            raise InputError("Following trials needs a finished instance, not a family.")
        follower = Follower(trial.instance)
        row = run_trial(trial, stop, follower.add)
        path = None if row.error else follower.path(sample_counts(self.most))
        return FollowedRow(**vars(row), path=path, uncertified=follower.uncertified)
