"""Running a recorded run again from its seed, and saying where it differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gems_engine.arrays import Floats, Integers
from gems_engine.diff import rounding_between
from gems_engine.errors import InputError
from gems_engine.events import ASKED, OUTSIDE, DesignSolved, Event, Pulled, RunStarted
from gems_engine.forcing import forks_of
from gems_engine.running import RewardCallback, Run, is_older
from gems_engine.trace import Trace


@dataclass(frozen=True)
class Verdict:
    """Whether a run is the same again.

    Attributes
    ----------
    same
        Every event but its timings (and the versions of the libraries that made it) is the same.
    checked
        How many events were compared.
    recorded, again
        The first two that differ in more than rounding; None where none do, or one run ended before the other.
    rounded
        The first event that differs by rounding, as it does on another kind of processor; None where none does.
    rounding
        The largest relative difference of two numbers that were called rounding.
    regraded
        The first event of which only the proof differs: bounds, status, or by what a verdict was reached, as between
        versions of this program; None where none does.
    """

    same: bool
    checked: int
    recorded: Event | None = None
    again: Event | None = None
    rounded: int | None = None
    rounding: float = 0.0
    regraded: int | None = None

    @property
    def other_design(self) -> bool:
        """Whether the runs part at a design that is as good as the recorded one: by another solver, not another run."""
        old, new = self.recorded, self.again
        if not (isinstance(old, DesignSolved) and isinstance(new, DesignSolved)) or (old.place, old.d) != (
            new.place,
            new.d,
        ):
            return False
        allowed = 1.0 + max(old.tolerance, new.tolerance)
        return max(old.value, new.value) <= allowed * max(min(old.value, new.value), old.lower_bound)

    @property
    def alike(self) -> bool:
        """Whether the run did the same things again, if not to the last digit of every number."""
        return self.same or (self.recorded is None and self.again is None)


def verify(trace: Trace, progress: Callable[[int, int], object] | None = None) -> Verdict:
    """Run it again from its seed and compare event by event, up to the first that differs in more than rounding.

    A run that was stopped is compared up to there; rewards that came from outside are told again as recorded, and what
    a person has forced is forced again.
    """
    started = trace.started
    if started is None:
        raise InputError("There is no beginning in this run, so it cannot be run again.")
    if started.instance != trace.instance.digest:
        raise InputError("The instance in this file is not the one that the run was made with.")
    finished = trace.finished
    stopped = finished is None or finished.why == ASKED
    count = len(trace) - (1 if finished is not None and stopped else 0)
    parameters = {name: value for name, value in started.parameters.items() if name != "noise"}
    rewards = _recorded_rewards(trace) if started.rewards == OUTSIDE else None
    forks = forks_of(started.forced, trace.instance.D)
    again = iter(
        Run(trace.instance, started.algorithm, started.seed, rewards, forks=forks, older=is_older(trace), **parameters)
    )
    rounded, rounding, regraded = None, 0.0, None
    for position in range(count):
        if progress is not None:
            progress(position, count)
        old, new = trace[position], next(again, None)
        if same_again(old, new):
            continue
        between = None if new is None else rounding_between(old, new)
        if between is None:
            return Verdict(False, position, old, new, rounded, rounding, regraded)
        if between > 0.0:
            rounded = position if rounded is None else rounded
            rounding = max(rounding, between)
        else:
            regraded = position if regraded is None else regraded
    if not stopped and (more := next(again, None)) is not None:
        return Verdict(False, count, None, more, rounded, rounding, regraded)
    return Verdict(rounded is None and regraded is None, count, rounded=rounded, rounding=rounding, regraded=regraded)


def _recorded_rewards(trace: Trace) -> RewardCallback:
    """The sums that were told to the run, in their order."""
    positions = iter(trace.positions(Pulled))

    def tell(arms: Integers, counts: Integers) -> Floats:
        event = trace[next(positions)]
        assert isinstance(event, Pulled)
        return event.sums

    return tell


def same_again(old: Event | None, new: Event | None) -> bool:
    """Whether a recorded event came again, whatever versions of libraries made it."""
    if isinstance(old, RunStarted) and isinstance(new, RunStarted):
        # The noise is in the instance by now, and other versions may well give the same events.
        mine, theirs = (
            (
                each.instance,
                each.algorithm,
                each.seed,
                each.goal,
                each.rewards,
                each.forced,
                {**each.parameters, "noise": None},
            )
            for each in (old, new)
        )
        return mine == theirs
    return old is not None and old == new
