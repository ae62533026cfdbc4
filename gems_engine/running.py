"""Run an algorithm: as an iterator of events, to a finished trace, or with rewards from a real experiment."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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
from gems_engine.errors import Cancelled, InputError
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
from gems_engine.instance import NOT_SIMULATED, Instance
from gems_engine.memo import Memo
from gems_engine.observations import sums_of
from gems_engine.parameters import check_all, shown
from gems_engine.plugins import in_words
from gems_engine.rewards import Rewards
from gems_engine.suggestion import Suggestion, filled_in
from gems_engine.terminal import plural
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
        if rewards is None:
            self.instance.require_rewards(NOT_SIMULATED)
            if self.algorithm.goal == BEST_ARM:
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
        self._events = self._steps()
        self._said = 0  # events so far
        self._due = list(self.forks)
        self._asked: Allocated | None = None
        self._sums: Floats | None = None
        self._failure: BaseException | None = None
        self._recommended = NO_ARM

    def _seed_generator(self, seed: int) -> None:
        """Use this seed for random choices and rewards (unless they come from outside) from here on."""
        choices, noise_seed = np.random.SeedSequence(seed).spawn(2)
        self._context.generator = np.random.default_rng(choices)
        if not self._outside:
            self._rewards = Rewards(self.instance.require_rewards()[0], self.instance.noise, noise_seed).sums_of

    def __next__(self) -> Event:
        """The next event.

        An exception of the function ``rewards`` is passed on, and the run can continue: the next call asks it for the
        same rewards again. After any other exception the run is over, and further calls say why.
        """
        if self._failure is not None:
            raise _over(self._failure) from self._failure
        self._force()
        if self._asked is not None:
            self._sums, self._asked = self._answer(self._asked), None
        try:
            event = next(self._events)
        except StopIteration:
            raise
        except BaseException as error:
            self._failure = error
            raise
        self._said += 1
        self._asked = event if isinstance(event, Allocated) else None
        return event

    def _force(self) -> None:
        """Apply the forced values that take effect before the next event."""
        if self._due and self._due[0].cursor == self._said:
            forced = self._due.pop(0).forced
            if forced.seed is not None:
                self._seed_generator(forced.seed)
            self._context.force(forced)

    def finish(self) -> Trace:
        """Run to the end and record it; for a run that has not been iterated over yet."""
        from gems_engine.trace import Trace

        trace = Trace(self.instance)
        with one_blas_thread():
            for event in self:
                trace.append(event)
        return trace

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
        while True:
            answer, self._sums = self._sums, None
            try:
                event = steps.send(answer)
            except StopIteration as end:
                finished = order.finished(end.value)
                break
            order.check(event)
            event = self._context.forcing.apply(event)
            if isinstance(event, Recommended):
                self._recommended = event.target
            if self._context.older and isinstance(event, BudgetDivided | TopDimensionChosen):
                continue
            yield event
        yield replace(finished, seconds=time.perf_counter() - started)

    def _answer(self, asked: Allocated) -> Floats:
        assert self._rewards is not None
        sums = self._rewards(asked.arms, asked.counts)
        return sums_of(sums, asked.arms) if self._outside else frozen(sums)

    def __repr__(self) -> str:
        where = self.instance.name or "an unnamed instance"
        return f"<Run {self.algorithm.name} on {where}, seed {self.seed}: {plural(self._said, 'event')} so far>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import run_html

        return run_html(self)

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


def _over(failure: BaseException) -> Exception:
    """What further requests for events raise after a failure."""
    if isinstance(failure, Cancelled):
        return Cancelled("The run was cancelled.")
    return InputError(f"The run has ended with an error: {in_words(failure)}")


@cache
def _versions() -> dict[str, str]:
    import scipy

    made_by = {"gems-lab": own_version() or "unknown", "numpy": np.__version__, "scipy": scipy.__version__}
    return {**made_by, "python": platform.python_version()}


def versions() -> dict[str, str]:
    """The versions of the program and its libraries, recorded with a run."""
    return dict(_versions())
