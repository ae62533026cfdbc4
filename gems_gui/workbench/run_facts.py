"""What a run has found and taken so far, read event by event within a budget of time; knows no Qt."""

from __future__ import annotations

import math
import time

from gems_engine.events import RunFinished
from gems_engine.instance import Instance
from gems_engine.summary import Summary, Tally, found_text
from gems_engine.terminal import number
from gems_engine.trace import Trace


class RunFacts:
    """The summary of a trace that may still grow.

    A trace of a million events takes seconds to read: :meth:`follow` reads for as long as it may and goes on next
    time, so that a window never waits for it.

    Attributes
    ----------
    trace
        What is read.
    seconds
        That designs and pulls took, as far as it is read: computing, without the time that the engine waited.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._tally = Tally(trace.instance)
        self._read = 0
        self._summary: Summary | None = None
        self.seconds = 0.0

    @property
    def complete(self) -> bool:
        """Whether everything that is recorded has been read."""
        return self._read == len(self.trace)

    def follow(self, seconds: float = math.inf) -> bool:
        """Read on for so many seconds; whether there was anything new."""
        until = time.perf_counter() + seconds
        before = self._read
        while not self.complete and (self._read == before or time.perf_counter() < until):
            event = self.trace[self._read]
            self._tally.extend([event])
            if not isinstance(event, RunFinished):  # its seconds count the waiting too
                self.seconds += getattr(event, "seconds", 0.0)
            self._read += 1
        if self._read > before:
            self._summary = None
        return self._read > before

    @property
    def summary(self) -> Summary:
        """The facts as far as they are read."""
        if self._summary is None:
            self._summary = self._tally.summary()
        return self._summary


def result_text(summary: Summary, instance: Instance, truth: bool) -> str:
    """What a run found, in a line: «recommends x_9 ✓ right · τ = 1 204 · 30 532 samples».

    Parameters
    ----------
    truth
        Whether it may be said that it is right, and from when on.
    """
    found = found_text(summary, instance, truth)
    since = f"τ = {number(summary.tau)}" if truth and summary.tau is not None else ""
    return " · ".join(filter(None, (found, since, f"{number(summary.samples)} samples")))
