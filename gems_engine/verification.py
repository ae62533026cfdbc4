"""Running a recorded run again from its seed, and saying where it differs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

from gems_engine.errors import InputError
from gems_engine.events import ASKED, Event, RunFinished, RunStarted
from gems_engine.running import Run
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
        The first two that differ; None where one run ended before the other.
    """

    same: bool
    checked: int
    recorded: Event | None = None
    again: Event | None = None


def verify(trace: Trace, progress: Callable[[int, int], object] | None = None) -> Verdict:
    """Run it again from its seed and compare event by event. A run that was stopped is compared up to there."""
    started = trace.started
    if started is None:
        raise InputError("There is no beginning in this run, so it cannot be run again.")
    if started.instance != trace.instance.digest:
        raise InputError("The instance in this file is not the one that the run was made with.")
    recorded = list(trace)
    stopped = isinstance(recorded[-1], RunFinished) and recorded[-1].why == ASKED
    unfinished = not isinstance(recorded[-1], RunFinished)
    if stopped:
        recorded.pop()
    parameters = {name: value for name, value in started.parameters.items() if name != "noise"}
    again = iter(Run(trace.instance, started.algorithm, started.seed, **parameters))
    for position, (old, new) in enumerate(zip_longest(recorded, again)):
        if progress is not None:
            progress(position, len(recorded))
        if old is None and (stopped or unfinished):
            break
        if not _same(old, new):
            return Verdict(False, position, old, new)
    return Verdict(True, len(recorded))


def _same(old: Event | None, new: Event | None) -> bool:
    if isinstance(old, RunStarted) and isinstance(new, RunStarted):
        # The noise is in the instance by now, and other versions may well give the same events.
        mine, theirs = (
            (each.instance, each.algorithm, each.seed, each.goal, {**each.parameters, "noise": None})
            for each in (old, new)
        )
        return mine == theirs
    return old is not None and old == new
