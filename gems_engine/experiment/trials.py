"""Trials and their rows: except for timings, a row depends only on its trial.

Only the row of a trial is stored, never its events.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from gems_engine.blas import one_blas_thread
from gems_engine.errors import Cancelled, InputError
from gems_engine.events import BecameVerifiable, Event
from gems_engine.gallery import make_from_spec, parse_spec
from gems_engine.gallery.family import Family
from gems_engine.instance import Instance
from gems_engine.parameters import Value
from gems_engine.recipe import Recipe
from gems_engine.running import Run, versions
from gems_engine.summary import Tally

Stop = Callable[[], bool]
"""Called between the iterations of a solver; True ends the trial."""
Told = Callable[[Event], None]
"""Called with every event of a trial."""


@dataclass(frozen=True)
class Trial:
    """One run to do.

    Attributes
    ----------
    index
        Its number in the experiment.
    instance
        A text such as ``sphere:D=50,seed=3``, made where the trial runs, or an instance.
    algorithm, parameters, seed
        As for :class:`~gems_engine.running.Run`.
    """

    index: int
    instance: str | Instance
    algorithm: str
    seed: int
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The instance in words."""
        return self.instance if isinstance(self.instance, str) else self.instance.name


@dataclass(frozen=True)
class Row:
    """The result of a trial; if it failed, `error` is a sentence and missing fields are None.

    Attributes
    ----------
    index, instance, algorithm, seed
        Those of the trial; the instance by its text or name.
    correct, recommendation, samples, tau, first_right, changes, rounds, finish
        As in :class:`~gems_engine.summary.Summary`.
    verified
        The samples until its recommendation first became verifiable, None if it never did.
    error
        Empty unless the trial failed.
    seconds, seconds_to_tau
        Times of the whole run, and of its part up to τ, without making the instance. With the following fields, the
        only ones that differ between repetitions.
    tries
        How often it was started: once more for every worker that died.
    made_by
        Versions and the kind of processor.
    """

    index: int
    instance: str
    algorithm: str
    seed: int
    correct: bool | None = None
    recommendation: int | None = None
    samples: int | None = None
    tau: int | None = None
    first_right: int | None = None
    changes: int | None = None
    rounds: int | None = None
    verified: int | None = None
    finish: str | None = None
    error: str = ""
    seconds: float = field(default=0.0, compare=False)
    seconds_to_tau: float | None = field(default=None, compare=False)
    tries: int = field(default=1, compare=False)
    made_by: str = field(default="", compare=False)

    def as_dict(self) -> dict[str, Any]:
        """For tables and JSON."""
        return dict(vars(self))


# -- which trials ------------------------------------------------------------------------------------------------


@lru_cache(4096)  # the same for all cells of an experiment
def trial_seed(experiment_seed: int, number: int) -> int:
    """The seed of a trial's run: depends only on these two, and is below 2⁵³ so that JSON readers preserve it."""
    sequence = np.random.SeedSequence(experiment_seed, spawn_key=(number,))
    return int(sequence.generate_state(1, np.uint64)[0]) >> 11


def repeated(
    instance: str | Instance,
    algorithm: str,
    count: int,
    seed: int = 0,
    new_instances: bool = False,
    first: int = 0,
    **parameters: Any,
) -> Iterator[Trial]:
    """A number of trials of one algorithm, one by one.

    Trial number t has the same seed for every algorithm and instance, so that comparisons are paired.

    Parameters
    ----------
    instance
        A text such as ``sphere:D=50``, or an instance.
    algorithm, parameters
        As for :class:`~gems_engine.running.Run`.
    count
        The number of trials.
    seed
        The seed of the experiment.
    new_instances
        Whether trial number t has its own instance, with the family's seed increased by t.
    first
        Index of the first trial, if several series form one experiment.

    Returns
    -------
    iterator of Trial
        In the order of their index.

    Examples
    --------
    >>> from gems_engine.experiment import repeated, run_trials
    >>> [row.tau for row in run_trials(repeated("soare", "rage", 3))]
    [1053, 1198, 1541]
    """
    specs = _members(instance, count) if new_instances else (instance for _ in range(count))
    for number, each in enumerate(specs):
        yield Trial(first + number, each, algorithm, trial_seed(seed, number), dict(parameters))


def _members(spec: str | Instance, count: int) -> Iterator[str]:
    if isinstance(spec, Instance):
        raise InputError("New instances for every trial need a family, such as sphere:D=50, not a finished instance.")
    family, values = parse_spec(spec)
    require_random(family)
    start = int(values.get("seed", next(each.default for each in family.parameters if each.name == "seed")) or 0)
    for number in range(count):
        yield seeded(family, values, start + number)


def require_random(family: Family) -> None:
    """Raise InputError for a family that is not random."""
    if not any(each.name == "seed" for each in family.parameters):
        raise InputError(f"{family.name} is not random, so there are no new instances of it.")


def seeded(family: Family, values: Mapping[str, Value], seed: int) -> str:
    """The text of an instance with this seed."""
    return Recipe.of(family.name, {**values, "seed": seed}).spec


# -- run one -----------------------------------------------------------------------------------------------------

_FROM_SUMMARY = ("correct", "recommendation", "samples", "tau", "first_right", "changes", "rounds", "finish")


def run_trial(trial: Trial, stop: Stop | None = None, told: Told | None = None) -> Row:
    """The row of one trial, including an error, so that other trials continue. Only `stop` ends it without a row.

    Parameters
    ----------
    trial : Trial
        The run to do.
    stop : callable, optional
        Called between the iterations of a solver; True ends the run with :class:`~gems_engine.errors.Cancelled`.
    told : callable, optional
        Called with each event.

    Returns
    -------
    Row
        The result, or the error.
    """
    row: dict[str, Any] = {}
    started = time.perf_counter()
    try:
        with one_blas_thread():
            instance = make_from_spec(trial.instance) if isinstance(trial.instance, str) else trial.instance
            started = time.perf_counter()
            run = Run(instance, trial.algorithm, trial.seed, stop=stop, **trial.parameters)
            row.update(_followed(run, started, told))
    except Cancelled:
        raise
    except Exception as error:
        row["error"] = sentence(error)
    seconds = time.perf_counter() - started
    return Row(trial.index, trial.name, trial.algorithm, trial.seed, **row, seconds=seconds, made_by=made_by())


def _followed(run: Run, started: float, told: Told | None) -> dict[str, Any]:
    """The result of a run, when it became verifiable, and the time up to τ."""
    tally = Tally(run.instance)
    clock: list[float] = []  # of every change of the recommendation
    verified: int | None = None
    for event in run:
        tally.add(event)
        if told is not None:
            told(event)
        while len(clock) < tally.recommendations:
            clock.append(time.perf_counter() - started)
        if verified is None and isinstance(event, BecameVerifiable):
            verified = event.samples
    found = tally.summary()
    facts: dict[str, Any] = {name: getattr(found, name) for name in _FROM_SUMMARY}
    facts["verified"] = verified
    if found.tau is not None:
        # The last period of right recommendations starts after the last wrong one.
        wrong = [at for at, (_, target) in enumerate(found.trajectory) if not tally.right(target)]
        facts["seconds_to_tau"] = clock[wrong[-1] + 1 if wrong else 0]
    return facts


def failed(trial: Trial, error: str, tries: int = 1) -> Row:
    """The row of a failed trial."""
    return Row(trial.index, trial.name, trial.algorithm, trial.seed, error=error, tries=tries, made_by=made_by())


def tried(row: Row, tries: int) -> Row:
    """The same row with its number of tries."""
    return row if row.tries == tries else replace(row, tries=tries)


def sentence(error: BaseException) -> str:
    """An error as text, with its type unless it is an InputError."""
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


@cache
def made_by() -> str:
    """The versions that affect a row, and the kind of processor, which affects its last digits."""
    return ", ".join([*(f"{name} {number}" for name, number in versions().items()), platform.machine() or "unknown"])
