"""Run an algorithm: as an iterator of events, to a finished trace, or with rewards from a real experiment."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.algorithms import algorithm_named
from gems_engine.algorithms.algorithm import BEST_ARM, context_settings
from gems_engine.algorithms.contract import EventOrder
from gems_engine.algorithms.run_context import RunContext
from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.blas import one_blas_thread
from gems_engine.errors import InputError
from gems_engine.events import (
    ASKED,
    NO_ARM,
    OUTSIDE,
    SINGLE_CALLS,
    Allocated,
    BudgetDivided,
    DimensionProbed,
    Event,
    Place,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
    TopDimensionChosen,
)
from gems_engine.forcing import Fork, check_forks, fork_text
from gems_engine.instance import Instance
from gems_engine.memo import Memo
from gems_engine.parameters import check_all, shown
from gems_engine.rewards import Rewards
from gems_engine.suggestion import Suggestion, filled_in
from gems_engine.version import own_version

if TYPE_CHECKING:
    from gems_engine.trace import Trace

RewardCallback = Callable[[Integers, Integers], ArrayLike]
"""A function from arms and counts to the sum of the rewards of each arm."""


class Run(Iterator[Event]):
    """An algorithm on an instance, event by event: the same seed gives the same events.

    Parameters
    ----------
    instance
        The problem.
    algorithm
        A registered name.
    seed
        The seed of the rewards (one stream per arm, so that two algorithms with the same seed see the same noise for
        the same pull of the same arm) and of the algorithm's random choices.
    rewards
        A custom function from arms and counts to sums of rewards, instead of the instance's noise.
    stop
        Called between the iterations of a solver; True ends the run with :class:`~gems_engine.errors.Cancelled`.
    forks
        What is forced, and from which event on; to force something on a recorded run, see
        :class:`~gems_engine.branching.Branch`.
    older
        Produce the events of a run before version 2 of the format; see :func:`is_older`.
    memo
        The cache of solved designs, by default that of the process: it saves work and does not change results.
    parameters
        The parameters of the algorithm; omitted ones have their defaults.

    Attributes
    ----------
    parameters
        All parameters; B and T derived from the instance are known from the first event on.
    suggested
        The suggested values of those, and why.
    """

    def __init__(
        self,
        instance: Instance,
        algorithm: str = "fixed-confidence",
        seed: int = 0,
        rewards: RewardCallback | None = None,
        stop: Callable[[], bool] | None = None,
        forks: Sequence[Fork] = (),
        older: bool = False,
        memo: Memo | None = None,
        **parameters: Any,
    ) -> None:
        self.algorithm = algorithm_named(algorithm)
        self.parameters = check_all(self.algorithm.parameters, parameters)
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InputError(f"The seed of a run must be a whole number of at least 0, not {shown(seed)}.")
        self.seed = int(seed)
        noise = self.parameters.get("noise")
        self.instance = instance.with_noise(noise) if isinstance(noise, str) else instance
        if self.algorithm.goal == BEST_ARM and rewards is None:
            self.instance.require_unique_best()
        self.algorithm.refuse(self.instance, self.parameters)
        self.forks = check_forks(forks, self.instance.D)
        self._outside = rewards is not None
        self._context = RunContext(
            self.instance, stop=stop, older=older, memo=memo, **context_settings(self.parameters)
        )
        self.suggested: dict[str, Suggestion] = {}
        self._rewards = rewards
        self._seed_generator(self.seed)
        self._events = self._stream()
        self._recommended = NO_ARM

    def _seed_generator(self, seed: int) -> None:
        """Use this seed for random choices and rewards (unless they come from outside) from here on."""
        choices, noise_seed = np.random.SeedSequence(seed).spawn(2)
        self._context.generator = np.random.default_rng(choices)
        if not self._outside:
            self._rewards = Rewards(self.instance.rewards, self.instance.noise, noise_seed).sums_of

    def __next__(self) -> Event:
        return next(self._events)

    def finish(self) -> Trace:
        """Run to the end and record it; for a run that has not been iterated over yet."""
        from gems_engine.trace import Trace

        trace = Trace(self.instance)
        with one_blas_thread():
            for event in self:
                trace.append(event)
        return trace

    def _stream(self) -> Iterator[Event]:
        """The algorithm's events; forced values take effect right before their event."""
        forks = list(self.forks)
        for said, event in enumerate(self._steps(), 1):
            yield event
            if forks and forks[0].cursor == said:
                forced = forks.pop(0).forced
                if forced.seed is not None:
                    self._seed_generator(forced.seed)
                self._context.force(forced)

    def _steps(self) -> Iterator[Event]:
        started = time.perf_counter()
        stop = self._context.stop
        self.parameters, self.suggested = filled_in(self.instance, self.algorithm.name, self.parameters, stop)
        yield RunStarted(
            Place(),
            self.instance.digest,
            self.algorithm.name,
            dict(self.parameters),
            self.seed,
            self.algorithm.goal,
            versions(),
            OUTSIDE if self._outside else "",
            fork_text(self.forks),
        )
        order = EventOrder(self.algorithm.name)
        steps = order.begun(self.algorithm.steps(self._context, self.parameters))
        answer: Floats | None = None
        while True:
            try:
                event = steps.send(answer)
            except StopIteration as end:
                finished = order.finished(end.value)
                break
            answer = None
            order.check(event)
            event = self._context.forcing.apply(event)
            if isinstance(event, Recommended):
                self._recommended = event.target
            if self._context.older and isinstance(event, BudgetDivided | TopDimensionChosen):
                continue
            yield event
            if isinstance(event, Allocated):
                answer = self._answer(event)
        yield replace(finished, seconds=time.perf_counter() - started)

    def _answer(self, asked: Allocated) -> Floats:
        assert self._rewards is not None
        try:
            sums = frozen(self._rewards(asked.arms, asked.counts))
        except (TypeError, ValueError) as error:
            raise InputError("The rewards are not numbers. Return one sum for each arm.") from error
        if sums.shape != asked.arms.shape or not np.isfinite(sums).all():
            raise InputError(
                f"The rewards do not match the {len(asked.arms)} arms pulled. Return one finite sum for each arm."
            )
        return sums

    def stopped(self) -> RunFinished:
        """The last event of a run that is stopped here."""
        context = self._context
        return RunFinished(Place(), ASKED, self._recommended, context.survivors, context.samples)


def run(instance: Instance, algorithm: str = "fixed-confidence", seed: int = 0, **rest: Any) -> Run:
    """An algorithm on an instance: iterate over its events, or call ``finish()`` for a trace.

    Parameters
    ----------
    instance, algorithm, seed
        As for a :class:`Run`.
    rest
        The parameters of the algorithm, and ``rewards``, ``stop``, ``forks`` and ``memo``, as for a :class:`Run`.
    """
    return Run(instance, algorithm, seed, **rest)


def is_older(trace: Trace) -> bool:
    """Whether a run was recorded before version 2 of the format.

    Then a single call started with a guess, GEMS-c recommended an arm, and GEMS-b did not record T′ and D̃.
    """
    started = trace.started
    if started is not None and started.algorithm in SINGLE_CALLS and len(trace) > 1:
        return isinstance(trace[1], Recommended)
    starts = trace.positions(SubroutineStarted)
    at = int(starts[0]) if len(starts) else len(trace)
    if at + 1 >= len(trace):
        return False
    call = trace[at]
    assert isinstance(call, SubroutineStarted)
    return call.name == "gems-b" and isinstance(trace[at + 1], DimensionProbed | SubroutineFinished)


@dataclass(frozen=True, eq=False)
class Batch:
    """Pulls requested by an algorithm: arm `arms[j]` is pulled `counts[j]` times."""

    arms: Integers
    counts: Integers


class Session:
    """Ask and tell: drive a real experiment with GEMS.

    ``next_batch()`` returns which arms to pull how often; ``observe(sums)`` takes the sums of the rewards (or lists of
    rewards, one list per arm). The instance does not need true rewards for this.

    Parameters
    ----------
    instance, algorithm, seed, parameters
        As for a :class:`Run`; the seed affects only the algorithm's random choices.

    Attributes
    ----------
    trace : Trace
        The events so far.
    """

    def __init__(
        self, instance: Instance, algorithm: str = "fixed-confidence", seed: int = 0, **parameters: Any
    ) -> None:
        from gems_engine.trace import Trace

        self._given: Floats | None = None
        self._run = Run(instance, algorithm, seed, self._told, **parameters)
        self.trace = Trace(self._run.instance)
        self._batch: Batch | None = None

    @property
    def recommendation(self) -> int | None:
        """The current recommendation; None in a single call before its end, and always for GEMS-c."""
        return None if self._run._recommended == NO_ARM else self._run._recommended

    @property
    def finished(self) -> bool:
        """Whether the algorithm has ended."""
        return self.trace.finished is not None

    def next_batch(self) -> Batch | None:
        """The next pulls, the same until they are observed; None at the end."""
        while self._batch is None and not self.finished:
            event = next(self._run)
            self.trace.append(event)
            if isinstance(event, Allocated):
                self._batch = Batch(event.arms, event.counts)
        return self._batch

    def observe(self, rewards: ArrayLike | list[ArrayLike]) -> None:
        """Take the rewards of the last batch: one sum per arm, or one list of rewards per arm."""
        if self._batch is None:
            raise InputError("There is nothing to observe. Call next_batch() first.")
        sums = _sums(rewards, self._batch)
        if not np.isfinite(sums).all():
            raise InputError("Some rewards are not finite numbers. Observe the batch again without them.")
        self._given, self._batch = sums, None

    def _told(self, arms: Integers, counts: Integers) -> ArrayLike:
        assert self._given is not None
        given, self._given = self._given, None
        return given


def _sums(rewards: Any, batch: Batch) -> Floats:
    try:
        if len(rewards) != len(batch.arms):
            raise ValueError
        if all(np.ndim(each) == 0 for each in rewards):
            return np.array([float(each) for each in rewards])
        sums = []
        for each, count in zip(rewards, batch.counts, strict=True):
            values = np.asarray(each, dtype=np.float64)
            if values.shape != (count,):
                raise ValueError
            sums.append(float(values.sum()))
        return np.array(sums)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The rewards do not match the batch of {len(batch.arms)} arms. Give one sum for each arm, or one list "
            "with a reward for each pull of it."
        ) from error


@cache
def _versions() -> dict[str, str]:
    import scipy

    made_by = {"gems-lab": own_version() or "unknown", "numpy": np.__version__, "scipy": scipy.__version__}
    return {**made_by, "python": platform.python_version()}


def versions() -> dict[str, str]:
    """The versions of the program and its libraries, recorded with a run."""
    return dict(_versions())
