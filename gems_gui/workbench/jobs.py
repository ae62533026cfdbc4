"""What runs in the background of a window besides its runs: exports, more seeds, sensitivity, experiments; no Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gems_gui.workbench.changes import Field, Publisher


@dataclass(frozen=True)
class Job:
    """One of them.

    Attributes
    ----------
    title
        As a list shows it.
    stop
        Ends it; what it has found so far stays.
    done, total
        How far it is; a total of 0: not known.
    at_close
        What becomes of it when the window closes, in a sentence; empty where that need not be said.
    """

    title: str
    stop: Callable[[], None]
    done: int = 0
    total: int = 0
    at_close: str = ""


class Jobs:
    """The jobs that run now, by their keys."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._running: dict[str, Job] = {}

    @property
    def running(self) -> tuple[Job, ...]:
        """In the order in which they were started."""
        return tuple(self._running.values())

    def get(self, key: str) -> Job | None:
        """The one of this key, if it runs."""
        return self._running.get(key)

    @property
    def at_close(self) -> str:
        """What closing the window would do to them, in sentences."""
        return " ".join(job.at_close for job in self.running if job.at_close)

    def begin(self, key: str, title: str, stop: Callable[[], None], at_close: str = "") -> None:
        """A job has started."""
        with self._publisher.changing(Field.JOBS):
            self._running[key] = Job(title, stop, at_close=at_close)

    def progress(self, key: str, done: int, total: int) -> None:
        """It has come this far."""
        if key in self._running:
            with self._publisher.changing(Field.JOBS):
                self._running[key] = replace(self._running[key], done=done, total=total)

    def end(self, key: str) -> None:
        """It has ended, one way or another."""
        if key in self._running:
            with self._publisher.changing(Field.JOBS):
                del self._running[key]
