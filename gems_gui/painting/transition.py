"""The transition from one moment of a story to the next, played quickly; does not import Qt."""

from __future__ import annotations

from dataclasses import dataclass

from gems_engine.history import History

_ROUNDS, _SHORTEST, _LONGEST = 6.0, 0.5, 3.0  # rounds per second, and seconds


@dataclass(frozen=True)
class Transition:
    """From one cursor to another in a given time."""

    start: int
    end: int
    seconds: float

    @classmethod
    def between(cls, history: History, start: int, end: int) -> Transition:
        """A duration according to its rounds, within limits."""
        if end <= start:
            return cls(start, end, 0.0)
        stops = history.stops("round")
        rounds = int(((stops > start) & (stops <= end)).sum())
        return cls(start, end, min(max(rounds / _ROUNDS, _SHORTEST), _LONGEST))

    def at(self, seconds: float) -> int:
        """The cursor at a time; the end after the duration."""
        if seconds >= self.seconds:
            return self.end
        return self.start + int((self.end - self.start) * max(seconds, 0.0) / self.seconds)
