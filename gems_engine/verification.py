"""Run a recorded run again from its seed, and report where it differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gems_engine.algorithms.recorded import all_parameters
from gems_engine.arrays import Floats, Integers
from gems_engine.diff import rounding_between
from gems_engine.errors import InputError
from gems_engine.events import ASKED, OUTSIDE, Allocated, DesignSolved, Event, Pulled, RunStarted
from gems_engine.forcing import forks_of
from gems_engine.observations import Observed
from gems_engine.running import RewardCallback, Run, is_older
from gems_engine.trace import Trace


@dataclass(frozen=True)
class Verdict:
    """Whether a repeated run is the same.

    Attributes
    ----------
    same
        Whether every event is the same, except for timings and versions of libraries.
    checked
        The number of events compared.
    recorded, again
        The first two events that differ in more than rounding; None if there are none, or one run ended first.
    rounded
        The first event that differs by rounding, as on another kind of processor; None if there is none.
    rounding
        The largest relative difference that counts as rounding.
    regraded
        The first event in which only the proof differs (bounds, status or reason of a verdict), as between versions of
        this program; None if there is none.
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
        """Whether the runs part at a design as good as the recorded one: the solver differs, not the run."""
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
        """Whether the run made the same decisions again, up to the last digits of its numbers."""
        return self.same or (self.recorded is None and self.again is None)


def verify(trace: Trace, progress: Callable[[int, int], object] | None = None) -> Verdict:
    """Run it again from its seed and compare event by event, up to the first that differs in more than rounding.

    A stopped run is compared up to where it stopped; rewards from outside are taken from the record, and what was
    forced is forced again.
    """
    started = trace.started
    if started is None:
        raise InputError("Cannot verify this run: its first event is missing.")
    if started.instance != trace.instance.digest:
        raise InputError("Cannot verify this run: the instance in the file is not that of the run.")
    finished = trace.finished
    stopped = finished is None or finished.why == ASKED
    count = len(trace) - (1 if finished is not None and stopped else 0)
    again = repeated(trace, started)
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


def repeated(trace: Trace, started: RunStarted) -> Run:
    """The same run again, from its seed; rewards from outside are taken from the record."""
    parameters = {name: value for name, value in started.parameters.items() if name != "noise"}
    rewards = _recorded_rewards(trace) if started.rewards == OUTSIDE else None
    forks = forks_of(started.forced, trace.instance.D)
    return Run(
        trace.instance, started.algorithm, started.seed, rewards, forks=forks, older=is_older(trace), **parameters
    )


def _recorded_rewards(trace: Trace) -> RewardCallback:
    """The recorded rewards, in order."""
    replies = _replies(trace)

    def tell(arms: Integers, counts: Integers) -> Floats | Observed:
        reply = next(replies, None)
        if reply is None:
            raise InputError("The run has no further rewards.")
        return reply

    return tell


def _replies(trace: Trace) -> Iterator[Floats | Observed]:
    """The rewards of each request, without those that were lost; last, what a session has not used yet."""
    asked, rest = None, None
    for at in np.sort(np.concatenate((trace.positions(Allocated), trace.positions(Pulled)))).tolist():
        event = trace[at]
        if isinstance(event, Pulled):
            yield event.sums if rest is None or asked is None else _expanded(asked, rest, event.sums)
            asked, rest = None, None
        elif isinstance(event, Allocated) and event.lost:
            rest = event
        else:
            asked, rest = event, None
    if trace.pending is not None and trace.pending.complete:
        yield Observed(trace.pending.sums, trace.pending.counts)
    elif isinstance(asked, Allocated) and rest is not None:
        yield _expanded(asked, rest, np.zeros(len(rest.arms)))  # the sums come later


def _expanded(asked: Event, rest: Allocated, sums: Floats) -> Observed:
    """What was observed of a request, from what it was used for."""
    assert isinstance(asked, Allocated)
    counts, all_sums = np.zeros_like(asked.counts), np.zeros(len(asked.arms))
    where = np.flatnonzero(np.isin(asked.arms, rest.arms))
    counts[where], all_sums[where] = rest.counts, sums
    return Observed(all_sums, counts)


def is_alike(old: Event | None, new: Event | None) -> bool:
    """Whether an event is the same again, up to rounding, as on another processor."""
    if old is None or new is None:
        return old is new
    return same_again(old, new) or rounding_between(old, new) is not None


def same_again(old: Event | None, new: Event | None) -> bool:
    """Whether a recorded event is reproduced, whatever the versions of libraries."""
    if isinstance(old, RunStarted) and isinstance(new, RunStarted):
        # The noise is part of the instance, and other versions may give the same events.
        mine, theirs = (
            (
                each.instance,
                each.algorithm,
                each.seed,
                each.goal,
                each.rewards,
                each.forced,
                {**all_parameters(each), "noise": None},
            )
            for each in (old, new)
        )
        return mine == theirs
    return old is not None and old == new
