"""Summary of a run: whether it was right, from which sample on, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gems_engine.events import (
    ASKED,
    EPSILON,
    OUTSIDE,
    RETURNS_A_SET,
    SINGLE_CALLS,
    Eliminated,
    Event,
    IdleRounds,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
)
from gems_engine.instance import Instance
from gems_engine.state import CARRIED, FIRST_GUESS, VALIDATED
from gems_engine.terminal import mark
from gems_engine.wording import remaining

if TYPE_CHECKING:
    from gems_engine.trace import Trace


@dataclass(frozen=True)
class Loop:
    """One loop ℓ.

    Attributes
    ----------
    ell
        ℓ (in a fixed-budget run its i).
    subroutines, rounds
        The number of its subroutines, and of their rounds.
    drawn
        Its samples.
    samples
        All samples by its end.
    recommendation
        The recommendation at its end; None if there is none yet.
    """

    ell: int
    subroutines: int
    rounds: int
    drawn: int
    samples: int
    recommendation: int | None


@dataclass(frozen=True)
class Summary:
    """The facts of a run.

    Attributes
    ----------
    recommendation
        The arm that is judged. A single call has none before its end; GEMS-c, which returns the set of survivors, is
        judged by the leader of that set.
    origin
        ``first guess``, ``carried over`` (from before the last subroutine), ``by validation`` (the arm may be
        eliminated in the last subroutine), or empty.
    correct
        Whether the last recommendation is right: the best target, or a 2ε-optimal one if the goal is ε. None if the
        rewards come from outside: then the best target is not known, and τ is None as well.
    survivors
        Targets that its last subroutine has not eliminated.
    samples
        All samples, including those of idle rounds.
    tau
        τ, the sample after which the recommendation stays right; 0 for a right first guess, None if the last one is
        wrong. For the goal "best arm" it does not change after τ; for a goal with ε, it may change from one right
        target to another.
    first_right
        The sample count at which it was right for the first time, None if it never was.
    changes
        How often the recommendation changed after the first.
    rounds
        All rounds, including idle ones.
    finish
        Why it ended, None if it has not.
    seconds
        The time it took; before its end, that of its designs and pulls. The only field that differs between
        repetitions.
    trajectory
        (samples, target) of the first recommendation and of every change.
    loops
        One for each ℓ.

    Examples
    --------
    >>> from gems_engine import instances, run, summarise
    >>> summary = summarise(run(instances.make("soare"), "rage", seed=1).finish())
    >>> summary.correct, summary.samples, summary.finish
    (True, 8935, 'singleton')
    """

    algorithm: str
    """The id of the algorithm."""
    seed: int | None
    """The seed of the run."""
    goal: str
    """``best arm`` or ``epsilon``."""
    recommendation: int | None
    origin: str
    correct: bool | None
    survivors: tuple[int, ...]
    samples: int
    tau: int | None
    first_right: int | None
    changes: int
    rounds: int
    subroutines: int
    """The number of calls."""
    finish: str | None
    seconds: float
    trajectory: tuple[tuple[int, int], ...]
    loops: tuple[Loop, ...]

    def __repr__(self) -> str:
        from gems_engine.notebook import summary_text

        return f"<Summary {summary_text(self)}>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import summary_html

        return summary_html(self)

    def as_dict(self) -> dict[str, Any]:
        """The summary as printed by ``gems run --json``."""
        names = (
            "algorithm seed goal recommendation origin correct survivors samples tau first_right changes rounds "
            "subroutines finish seconds trajectory"
        )
        said = {name: getattr(self, name) for name in names.split()}
        return {**said, "survivors": list(self.survivors), "trajectory": [list(each) for each in self.trajectory]}


class Tally:
    """A summary that grows event by event, for runs whose events are not stored.

    Parameters
    ----------
    instance : Instance
        The instance, which defines what is right.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._started: RunStarted | None = None
        self._finished: RunFinished | None = None
        self._trajectory: list[tuple[int, int]] = []
        self._survivors = np.ones(len(instance.targets), dtype=bool)
        self._samples = 0
        self._rounds = 0
        self._subroutines = 0
        self._seconds = 0.0
        self._origin = ""
        self._loops: list[Loop] = []
        self._loop: int | None = None
        self._at_loop = (0, 0, 0)  # subroutines, rounds, samples before it

    def add(self, event: Event) -> None:
        """Add an event."""
        self._samples = getattr(event, "samples", self._samples)
        if isinstance(event, Pulled):
            self._rounds += event.place.k > 0  # a validation is not a round
            self._seconds += event.seconds
        elif isinstance(event, Eliminated):
            self._survivors[event.targets] = False
            if self._trajectory and self._trajectory[-1][1] in event.targets:
                self._carry()
        elif isinstance(event, SubroutineStarted):
            self._begin(event)
        elif isinstance(event, SubroutineFinished):
            self._keep(event.survivors)
        elif isinstance(event, IdleRounds):
            self._rounds += event.last - event.first + 1
        elif isinstance(event, Recommended):
            if event.holds(self._algorithm):
                self._recommend(event.target)
                self._origin = FIRST_GUESS if event.is_guess else VALIDATED if event.by_validation else ""
        elif isinstance(event, RunStarted):
            self._started = event
        elif isinstance(event, RunFinished):
            self._finished = event
            self._keep(event.survivors)
            # A single call that was stopped has no recommendation.
            if event.recommendation >= 0 and (self._algorithm not in SINGLE_CALLS or event.why != ASKED):
                self._recommend(event.recommendation)
        else:
            self._seconds += getattr(event, "seconds", 0.0)

    def extend(self, events: Iterable[Event]) -> Tally:
        """Add several events."""
        for event in events:
            self.add(event)
        return self

    def _begin(self, event: SubroutineStarted) -> None:
        if event.place.ell != self._loop:
            self._close()
            self._loop = event.place.ell
            self._at_loop = (self._subroutines, self._rounds, self._samples)
        self._subroutines += 1
        self._survivors[:] = True
        if self._trajectory:
            self._carry()

    def _carry(self) -> None:
        if self._origin != FIRST_GUESS:
            self._origin = CARRIED

    def _close(self) -> None:
        if self._loop is not None:
            self._loops.append(self._current())

    def _current(self) -> Loop:
        assert self._loop is not None
        subroutines, rounds, samples = self._at_loop
        return Loop(
            self._loop,
            self._subroutines - subroutines,
            self._rounds - rounds,
            self._samples - samples,
            self._samples,
            self._trajectory[-1][1] if self._trajectory else None,
        )

    def _keep(self, survivors: Any) -> None:
        self._survivors[:] = False
        self._survivors[survivors] = True

    def _recommend(self, target: int) -> None:
        if not self._trajectory or self._trajectory[-1][1] != target:
            self._trajectory.append((self._samples, target))

    @property
    def _algorithm(self) -> str:
        return "" if self._started is None else self._started.algorithm

    @property
    def recommendations(self) -> int:
        """The number of recommendations so far: the first, and every change."""
        return len(self._trajectory)

    @property
    def graded(self) -> bool:
        """Whether the instance knows what is right: not where the rewards came from outside."""
        return self._started is None or self._started.rewards != OUTSIDE

    def right(self, target: int) -> bool:
        """Whether a recommendation of this target is right for the run's goal, by the instance's own rewards."""
        gap = float(self._instance.gaps[target])
        if self._started is not None and self._started.goal == EPSILON:
            epsilon = self._started.parameters.get("epsilon")
            return isinstance(epsilon, int | float) and gap <= 2 * epsilon
        return gap == 0.0

    def summary(self) -> Summary:
        """The facts so far."""
        started, finished = self._started, self._finished
        right = [self.graded and self.right(target) for _, target in self._trajectory]
        tau = None
        for (samples, _), good in zip(reversed(self._trajectory), reversed(right), strict=True):
            if not good:
                break
            tau = samples
        return Summary(
            algorithm=self._algorithm,
            seed=started.seed if started else None,
            goal=started.goal if started else "",
            recommendation=self._trajectory[-1][1] if self._trajectory else None,
            origin=self._origin if self._trajectory else "",
            correct=(bool(right) and right[-1]) if self.graded else None,
            survivors=tuple(np.flatnonzero(self._survivors).tolist()),
            samples=self._samples,
            tau=tau,
            first_right=next((at for (at, _), good in zip(self._trajectory, right, strict=True) if good), None),
            changes=max(0, len(self._trajectory) - 1),
            rounds=self._rounds,
            subroutines=self._subroutines,
            finish=finished.why if finished else None,
            seconds=finished.seconds if finished else self._seconds,
            trajectory=tuple(self._trajectory),
            loops=(*self._loops, *([self._current()] if self._loop is not None else [])),
        )


def summarise(trace: Trace) -> Summary:
    """The facts of a recorded run.

    Parameters
    ----------
    trace : Trace
        The run, also one that has not ended.

    Returns
    -------
    Summary
        What was found, whether it is right, and after how many samples.

    Examples
    --------
    >>> from gems_engine import instances, run, summarise
    >>> hard = instances.make("paper-hard", epsilon=1e-4)
    >>> trace = run(hard, "fixed-confidence", seed=1, base=4, max_samples=50_000).finish()
    >>> found = summarise(trace)
    >>> found.recommendation, found.correct, found.tau
    (8, True, 41986)
    """
    return Tally(trace.instance).extend(trace).summary()


def found_text(summary: Summary, instance: Instance, truth: bool = True) -> str:
    """The result of a run: "recommends x_9 (carried over) ✓ right", or the set of GEMS-c and its leader.

    Parameters
    ----------
    truth
        Whether the text may show that it is right.
    """
    target, judged = summary.recommendation, truth and summary.correct is not None
    right = "right" if summary.correct else "wrong"
    there = remaining(len(summary.survivors), len(instance.targets), instance.target_kind)
    if target is None:
        if summary.algorithm in SINGLE_CALLS:
            return there
        return "no recommendation yet" if summary.finish is None else "no recommendation"
    name = instance.target_label(target)
    if summary.algorithm == RETURNS_A_SET:
        return f"{there}, leader {name}" + (f" {mark(bool(summary.correct))} {right}" if judged else "")
    origin = f" ({summary.origin})" if summary.origin else ""
    return f"recommends {name}{origin}" + (f" {mark(bool(summary.correct))} {right}" if judged else "")
