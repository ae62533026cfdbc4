"""A summary of a run so far, read event by event within a time budget; independent of Qt."""

from __future__ import annotations

import math
import time

from gems_engine.events import RunFinished
from gems_engine.instance import Instance
from gems_engine.summary import Summary, Tally, found_text
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace


class RunFacts:
    """The summary of a trace that may still grow.

    A trace of a million events takes seconds to read: :meth:`follow` reads for a limited time and continues next
    time, so that the window does not block.

    Attributes
    ----------
    trace
        The trace.
    seconds
        Computing time of designs and pulls read so far, without the time that the engine waited.
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
        """Continue reading for a number of seconds; returns whether anything was new."""
        until = time.perf_counter() + seconds
        before = self._read
        while not self.complete and (self._read == before or time.perf_counter() < until):
            event = self.trace[self._read]
            self._tally.extend([event])
            if not isinstance(event, RunFinished):  # its seconds include waiting
                self.seconds += getattr(event, "seconds", 0.0)
            self._read += 1
        if self._read > before:
            self._summary = None
        return self._read > before

    @property
    def summary(self) -> Summary:
        """The facts read so far."""
        if self._summary is None:
            self._summary = self._tally.summary()
        return self._summary


def result_text(summary: Summary, instance: Instance, truth: bool) -> str:
    """The result of a run in a line: "recommends x_9 ✓ right · τ = 1 204 · 30 532 samples".

    Parameters
    ----------
    truth
        Whether to show that it is right, and since when.
    """
    found = found_text(summary, instance, truth)
    since = f"τ = {number(summary.tau)}" if truth and summary.tau is not None else ""
    return " · ".join(filter(None, (found, since, plural(summary.samples, "sample"))))
