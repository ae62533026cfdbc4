"""Run an algorithm: as an iterator of events, to a finished trace, or with rewards from a real experiment."""

from __future__ import annotations

import pickle
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
from gems_engine.observations import Observed, observed_of, sums_of
from gems_engine.parameters import check_all, shown
from gems_engine.plugins import in_words
from gems_engine.rewards import Noise, Rewards
from gems_engine.suggestion import Suggestion, filled_in
from gems_engine.terminal import plural
from gems_engine.version import own_version

if TYPE_CHECKING:
    from gems_engine.trace import Trace

RewardCallback = Callable[[Integers, Integers], "ArrayLike | Observed"]
"""A function from arms and counts to the sum of the rewards of each arm; with lost rewards, to what was observed."""


@dataclass(frozen=True, eq=False)
class _Progress:
    """How far a run is: enough to run another one of the same request to the same event.

    Attributes
    ----------
    events
        The number of events so far.
    last
        The last of them.
    replies
        The rewards from outside so far.
    failure
        Why it is over; None if it is not.
    """

    events: int
    last: Event | None
    replies: tuple[Floats | Observed, ...]
    failure: BaseException | None


_NOT_RESTORED = (
    "The run cannot be restored with this version of the program: run again to the same event, it comes to another one"
)


class Run(Iterator[Event]):
    """An algorithm on an instance, event by event: the same seed gives the same events.

    A run can be copied and pickled at any event; the copy is run again to the same event, with the same rewards.

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
        A custom function from arms and counts to sums of rewards, instead of the instance's noise. If rewards were
        lost for good, it returns :class:`~gems_engine.observations.Observed`.
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
    request
        The arguments that it was made with, except functions and the memo.
    parameters
        All parameters; B and T derived from the instance are known from the first event on.
    suggested
        The suggested values of those, and why.

    Examples
    --------
    >>> from gems_engine import Run, instances
    >>> soare = instances.make("soare")
    >>> next(Run(soare, "rage", seed=1)).kind
    'run started'
    >>> Run(soare, "rage", seed=1).finish().finished.recommendation
    0
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
        self.request: dict[str, Any] = {"instance": instance, "algorithm": algorithm, "seed": seed, **parameters}
        if forks or older:
            self.request |= {"forks": tuple(forks), "older": older}
        if isinstance(parameters.get("noise"), Noise):
            parameters["noise"] = str(parameters["noise"])
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
        self._last: Event | None = None
        self._replies: list[Floats | Observed] = []  # from outside
        self._trace: Trace | None = None  # once it is requested
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
            self._sums, self._asked = self._reply(self._asked), None
        try:
            event = next(self._events)
        except StopIteration:
            raise
        except BaseException as error:
            self._failure = error
            raise
        self._said += 1
        self._last = event
        self._asked = event if isinstance(event, Allocated) and not event.lost else None
        if self._trace is not None:
            self._trace.append(event)
        return event

    def _force(self) -> None:
        """Apply the forced values that take effect before the next event."""
        if self._due and self._due[0].cursor == self._said:
            forced = self._due.pop(0).forced
            if forced.seed is not None:
                self._seed_generator(forced.seed)
            self._context.force(forced)

    @property
    def trace(self) -> Trace:
        """The events so far, and from here on those that follow.

        A run does not keep its events unless this is used. Those before are computed again, with the same rewards.
        """
        if self._trace is None:
            from gems_engine.trace import Trace

            trace = Trace(self.instance)
            if self._said:
                with one_blas_thread():
                    self._again(None, None)._catch_up(self._progress(), trace)
            self._trace = trace
        return self._trace

    def finish(self) -> Trace:
        """Run to the end and return all events, including those before this call.

        After an exception of the function ``rewards``, :attr:`trace` has the events so far, and a further call of
        this method continues.
        """
        trace = self.trace
        with one_blas_thread():
            for _ in self:
                pass
        return trace

    # -- copies -----------------------------------------------------------------------------------------------

    def __copy__(self) -> Run:
        """An independent run at the same event, with the same functions."""
        again = self._again(self._rewards if self._outside else None, self._context.stop)
        again._catch_up(self._progress())
        return again

    def __deepcopy__(self, memo: dict[int, Any]) -> Run:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        rewards, stop = self._rewards if self._outside else None, self._context.stop
        for name, function in (("rewards", rewards), ("stop", stop)):
            try:
                pickle.dumps(function)
            except Exception as error:  # whatever the function consists of
                raise InputError(
                    f"A run cannot be pickled with this function {name}: {in_words(error)} Define it at the top level "
                    "of a module."
                ) from error
        progress = self._progress()
        try:
            pickle.loads(pickle.dumps(progress.failure))
        except Exception:
            assert progress.failure is not None
            progress = replace(progress, failure=InputError(in_words(progress.failure)))
        return _restored, (type(self), self.request, rewards, stop, progress)

    def _again(self, rewards: RewardCallback | None, stop: Callable[[], bool] | None) -> Run:
        """Another run of the same request."""
        if self._outside and rewards is None:
            rewards = _no_rewards
        return _made(type(self), self.request, rewards, stop)

    def _progress(self) -> _Progress:
        return _Progress(self._said, self._last, tuple(self._replies), self._failure)

    def _catch_up(self, progress: _Progress, trace: Trace | None = None) -> None:
        """Run again to the same event, with the same rewards from outside; record it in a trace."""
        from gems_engine.verification import is_alike

        rewards, stop = self._rewards, self._context.stop
        self._context.stop, self._trace = None, trace
        if self._outside:
            replies = iter(progress.replies)
            self._rewards = lambda arms, counts: next(replies)
        try:
            for _ in range(progress.events):
                next(self, None)
        except Exception as error:  # of an algorithm that has changed
            raise InputError(f"{_NOT_RESTORED} ({in_words(error).removesuffix('.')}).") from error
        if not is_alike(progress.last, self._last):
            raise InputError(f"{_NOT_RESTORED}.")
        if self._outside:
            self._rewards = rewards
        self._context.stop, self._trace, self._failure = stop, None, progress.failure

    def continue_with(self, rewards: RewardCallback, trace: Trace) -> None:
        """Take further rewards from this function; the events so far are those of a recorded run."""
        self._rewards, self._trace = rewards, trace

    # -- steps ------------------------------------------------------------------------------------------------

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

    def _reply(self, asked: Allocated) -> Floats:
        """The sums of the requested rewards."""
        assert self._rewards is not None
        try:
            given = self._rewards(asked.arms, asked.counts)
        except StopIteration as error:  # it would look like the end of the run
            raise RuntimeError("The function for rewards raised StopIteration.") from error
        if not self._outside:
            assert not isinstance(given, Observed)
            return frozen(given)
        if not isinstance(given, Observed):
            given = sums_of(given, asked.arms)
            self._replies.append(given)
            return given
        sums, counts = observed_of(given.sums, given.counts, asked.arms, asked.counts)
        self.lose(counts)
        self._replies.append(Observed(sums, counts))
        return sums

    def lose(self, observed: Integers) -> None:
        """Check that the run can use the last request with only these numbers of rewards, and use it so.

        Raises
        ------
        InputError
            If it needs other rewards; it names their arms.
        """
        assert self._asked is not None
        if (observed < self._asked.counts).any():
            self._context.lose(self._asked, observed)

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


def _no_rewards(arms: Integers, counts: Integers) -> ArrayLike:
    raise AssertionError("the rewards of a repeated run are recorded")


def _made(
    kind: type[Run], request: dict[str, Any], rewards: RewardCallback | None, stop: Callable[[], bool] | None
) -> Run:
    given = {"rewards": rewards, "stop": stop}
    return kind(**request, **(given if kind is Run else {"stop": stop}))


def _restored(
    kind: type[Run],
    request: dict[str, Any],
    rewards: RewardCallback | None,
    stop: Callable[[], bool] | None,
    progress: _Progress,
) -> Run:
    """The run of a pickle."""
    again = _made(kind, request, rewards, stop)
    again._catch_up(progress)
    return again


def run(instance: Instance, algorithm: str = "fixed-confidence", seed: int = 0, **rest: Any) -> Run:
    """An algorithm on an instance: iterate over its events, or call ``finish()`` for a trace.

    Parameters
    ----------
    instance, algorithm, seed
        As for a :class:`Run`.
    rest
        The parameters of the algorithm, and ``rewards``, ``stop``, ``forks`` and ``memo``, as for a :class:`Run`.

    Returns
    -------
    Run
        An iterator over events; nothing is computed before the first is asked for.

    Examples
    --------
    >>> from gems_engine import instances, run
    >>> instance = instances.make("paper-hard", epsilon=0.1)
    >>> for event in run(instance, "rage", seed=1, max_samples=100_000):
    ...     if event.kind == "eliminated" and len(event.targets):
    ...         print(event.place.k, event.targets, event.left)
    1 [0 1 2 3 4 5 6 7] 2
    3 [9] 1
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
