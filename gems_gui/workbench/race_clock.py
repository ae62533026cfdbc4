"""The clock of a race: a number of samples, at which each of its runs is shown; independent of Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from gems_engine.history import History

SPEED = 0.5
"""The speed at which a race starts, in decades per second: from 100 to 10 million samples in ten seconds."""


class Recording(Protocol):
    """A run of the race: its playback."""

    history: History

    @property
    def ended(self) -> bool:
        """Whether there will be no more events."""


class RaceClock:
    """Counts samples. While it plays, it moves evenly on a logarithmic axis and never beyond what is recorded.

    Parameters
    ----------
    lanes
        The playbacks of the runs, which may still grow.

    Attributes
    ----------
    samples : int
        The number of samples.
    """

    def __init__(self, lanes: Sequence[Recording]) -> None:
        self._lanes = tuple(lanes)
        self.samples = 0
        self._exact = 0.0  # with the fraction of a sample

    @property
    def end(self) -> int:
        """The largest recorded number of samples."""
        return max(_recorded(lane) for lane in self._lanes)

    @property
    def known(self) -> int:
        """The number of samples that every run has reached, except for those that ended before."""
        return min((_recorded(lane) for lane in self._lanes if not lane.ended), default=self.end)

    @property
    def recorded(self) -> bool:
        """Whether all runs have ended."""
        return all(lane.ended for lane in self._lanes)

    @property
    def over(self) -> bool:
        """Whether it is at the end of the race."""
        return self.recorded and self.samples >= self.end

    def advance(self, decades: float) -> None:
        """Multiply the samples by ten for each decade, as far as all runs are known."""
        first = min((int(lane.history.clock.samples[0]) for lane in self._lanes if len(lane.history.clock)), default=0)
        exact = self._exact if round(self._exact) == self.samples else float(self.samples)
        exact = max(exact, first / 2.0)
        exact = math.inf if decades > 300 else exact * 10.0**decades
        self._exact = max(float(self.samples), min(exact, float(self.known)))
        self.samples = round(self._exact)


def _recorded(lane: Recording) -> int:
    samples = lane.history.clock.samples
    return int(samples[-1]) if len(samples) else 0
