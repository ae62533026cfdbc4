"""Many trials over any ``concurrent.futures.Executor``, one row each: the only module that knows executors.

A trial is a pure function of itself: its row, but for the seconds, depends neither on the executor nor on the order. A
row is all that is kept of a trial, never its events.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from itertools import islice
from statistics import NormalDist
from typing import Any

import numpy as np

from gems_engine.blas import one_blas_thread
from gems_engine.errors import InputError
from gems_engine.gallery import make_from_spec, parse_spec
from gems_engine.instance import Instance, Recipe
from gems_engine.running import Run
from gems_engine.summary import Tally

AHEAD = 256
"""Trials handed to an executor and not yet back: enough for a cluster, few enough to take millions one by one."""

Progress = Callable[[int], None]
"""Told the number of rows so far."""


@dataclass(frozen=True)
class Trial:
    """One run to be made.

    Attributes
    ----------
    index
        Its number in the experiment.
    instance
        A text like ``sphere:D=50,seed=3``, made where the trial runs, or an instance.
    algorithm, parameters, seed
        As :class:`~gems_engine.running.Run` takes them.
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
    """What is left of a trial; where it failed, `error` is a sentence and what was not reached is None.

    Attributes
    ----------
    index, instance, algorithm, seed
        Of the trial; the instance by its text or name.
    correct, recommendation, samples, tau, first_right, changes, rounds, finish
        As :class:`~gems_engine.summary.Summary` has them.
    seconds
        Of the run, without making its instance: the only field that differs from one time to the next.
    error
        Empty unless the trial failed.
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
    finish: str | None = None
    seconds: float = field(default=0.0, compare=False)
    error: str = ""

    def as_dict(self) -> dict[str, Any]:
        """For tables and JSON."""
        return asdict(self)


# -- which trials ------------------------------------------------------------------------------------------------


def trial_seed(experiment_seed: int, number: int) -> int:
    """The run's seed of a trial: a function of these two alone, below 2⁵³ so that every reader of JSON keeps it."""
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
    """So many trials of one algorithm, one by one.

    Trial number t has the same seed for every algorithm and instance, so that comparisons are paired.

    Parameters
    ----------
    instance
        A text like ``sphere:D=50``, or an instance.
    algorithm, parameters
        As :class:`~gems_engine.running.Run` takes them.
    count
        How many trials.
    seed
        Of the experiment.
    new_instances
        Whether trial number t has an instance of its own: with the family's seed t more than the text says.
    first
        Index of the first trial, where several series make one experiment.
    """
    specs = _members(instance, count) if new_instances else (instance for _ in range(count))
    for number, each in enumerate(specs):
        yield Trial(first + number, each, algorithm, trial_seed(seed, number), dict(parameters))


def _members(spec: str | Instance, count: int) -> Iterator[str]:
    if isinstance(spec, Instance):
        raise InputError("New instances for every trial need a family, as in sphere:D=50, not a finished instance.")
    family, values = parse_spec(spec)
    defaults = {each.name: each.default for each in family.parameters}
    if "seed" not in defaults:
        raise InputError(f"{family.name}: nothing about it is random, so that there are no new instances of it.")
    start = int(values.get("seed", defaults["seed"]) or 0)
    for number in range(count):
        yield Recipe.of(family.name, {**values, "seed": start + number}).spec


# -- run them ----------------------------------------------------------------------------------------------------

_FROM_SUMMARY = ("correct", "recommendation", "samples", "tau", "first_right", "changes", "rounds", "finish")


def run_trial(trial: Trial) -> Row:
    """The row of one trial; what goes wrong is said in it, so that the others go on."""
    row: dict[str, Any] = {}
    started = time.perf_counter()
    try:
        with one_blas_thread():
            instance = make_from_spec(trial.instance) if isinstance(trial.instance, str) else trial.instance
            started = time.perf_counter()
            run = Run(instance, trial.algorithm, trial.seed, **trial.parameters)
            found = Tally(run.instance).extend(run).summary()
            row.update((name, getattr(found, name)) for name in _FROM_SUMMARY)
    except Exception as error:
        row["error"] = _sentence(error)
    seconds = time.perf_counter() - started
    return Row(trial.index, trial.name, trial.algorithm, trial.seed, **row, seconds=seconds)


def run_trials(
    trials: Iterable[Trial], executor: Executor | None = None, progress: Progress | None = None
) -> Iterator[Row]:
    """One row per trial: in the order of the trials without an executor, else as they are done (`index` says which).

    Trials are taken from the iterable as they are needed, at most :data:`AHEAD` of them before their rows. Closing the
    iterator cancels those that have not begun. A trial whose worker dies has a row that says so.

    Parameters
    ----------
    trials
        What to run.
    executor
        Where, or None for this process.
    progress
        Called after every row with the number of rows so far.
    """
    rows = _rows_of(executor, iter(trials)) if executor is not None else (run_trial(trial) for trial in trials)
    with closing(rows):
        for done, row in enumerate(rows, start=1):
            if progress is not None:
                progress(done)
            yield row


def _rows_of(executor: Executor, trials: Iterator[Trial]) -> Generator[Row, None, None]:
    pending: dict[Future[Row], Trial] = {}
    try:
        while True:
            for trial in islice(trials, AHEAD - len(pending)):
                pending[_submitted(executor, trial)] = trial
            if not pending:
                return
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=lambda each: pending[each].index):
                yield _row_of(future, pending.pop(future))
    finally:
        for future in pending:
            future.cancel()


def _submitted(executor: Executor, trial: Trial) -> Future[Row]:
    """A future in any case: a broken executor refuses what it is handed."""
    try:
        return executor.submit(run_trial, trial)
    except Exception as error:
        refused: Future[Row] = Future()
        refused.set_exception(error)
        return refused


def _row_of(future: Future[Row], trial: Trial) -> Row:
    try:
        return future.result()
    except Exception as error:  # the worker died, the executor is broken, or somebody cancelled it
        return Row(trial.index, trial.name, trial.algorithm, trial.seed, error=_sentence(error))


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"


def local_executor(jobs: int) -> ProcessPoolExecutor:
    """So many worker processes of this machine, each with one BLAS thread; spawned, as a fork would copy locks."""
    return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_one_thread_for_good)


_for_good = ExitStack()


def _one_thread_for_good() -> None:
    _for_good.enter_context(one_blas_thread())


# -- what they say -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Proportion:
    """So many of so many, and where the true share lies with the given confidence (Wilson's interval)."""

    count: int
    total: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """count/total; NaN of nothing."""
        return self.count / self.total if self.total else float("nan")


def wilson(count: int, total: int, confidence: float = 0.95) -> Proportion:
    """Wilson's score interval, which stays in [0, 1] and means something at 0 and at all of them too."""
    if not 0 <= count <= total or not 0.0 < confidence < 1.0:
        raise ValueError("a count is from 0 to the total, and a confidence is between 0 and 1")
    if total == 0:
        return Proportion(0, 0, 0.0, 1.0)
    z2 = NormalDist().inv_cdf(0.5 + confidence / 2.0) ** 2
    share = count / total
    middle = share + z2 / (2.0 * total)
    half = (z2 * (share * (1.0 - share) / total + z2 / (4.0 * total**2))) ** 0.5
    scale = 1.0 + z2 / total
    # At the ends the interval touches them exactly; rounding must not say otherwise.
    low = 0.0 if count == 0 else (middle - half) / scale
    high = 1.0 if count == total else (middle + half) / scale
    return Proportion(count, total, low, high)


@dataclass(frozen=True)
class Findings:
    """What a set of rows says.

    Attributes
    ----------
    success
        Right at the end, of the trials that ran.
    failed
        Trials that ended in an error; they are in no other number.
    lucky
        Trials whose first guess was right and stayed: τ = 0.
    quantiles
        Of τ over the trials that were right and not lucky, by probability; empty if there are none.
    """

    success: Proportion
    failed: int
    lucky: int
    quantiles: dict[float, float]

    @property
    def median(self) -> float:
        """Of the non-zero τ; NaN if there is none."""
        return self.quantiles.get(0.5, float("nan"))


def findings(
    rows: Iterable[Row], probabilities: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9), confidence: float = 0.95
) -> Findings:
    """How often the trials were right, with Wilson's interval, and after how many samples: quantiles of non-zero τ."""
    kept = list(rows)
    ran = [row for row in kept if not row.error]
    taus = [row.tau for row in ran if row.tau is not None]
    later = [tau for tau in taus if tau > 0]
    quantiles = dict(zip(probabilities, np.quantile(later, probabilities).tolist(), strict=True)) if later else {}
    success = wilson(sum(bool(row.correct) for row in ran), len(ran), confidence)
    return Findings(success, len(kept) - len(ran), len(taus) - len(later), quantiles)
