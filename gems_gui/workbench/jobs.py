"""Background jobs of a window other than runs: exports, more seeds, sensitivity, experiments; independent of Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from gems_gui.workbench.changes import Field, Publisher


@dataclass(frozen=True)
class Job:
    """A background job.

    Attributes
    ----------
    title
        Its title in lists.
    stop
        Stops it; results so far are kept.
    done, total
        Progress; a total of 0 means unknown.
    at_close
        What happens to it when the window closes, in a sentence; empty if this need not be mentioned.
    """

    title: str
    stop: Callable[[], None]
    done: int = 0
    total: int = 0
    at_close: str = ""


class Jobs:
    """The running jobs, by their keys."""

    def __init__(self, publisher: Publisher) -> None:
        self._publisher = publisher
        self._running: dict[str, Job] = {}

    @property
    def running(self) -> tuple[Job, ...]:
        """The running jobs in the order in which they started."""
        return tuple(self._running.values())

    def get(self, key: str) -> Job | None:
        """The running job with this key, or None."""
        return self._running.get(key)

    @property
    def at_close(self) -> str:
        """What closing the window does to the jobs, in sentences."""
        return " ".join(job.at_close for job in self.running if job.at_close)

    def begin(self, key: str, title: str, stop: Callable[[], None], at_close: str = "") -> None:
        """Add a job that has started."""
        with self._publisher.changing(Field.JOBS):
            self._running[key] = Job(title, stop, at_close=at_close)

    def progress(self, key: str, done: int, total: int) -> None:
        """Update the progress of a job."""
        if key in self._running:
            with self._publisher.changing(Field.JOBS):
                self._running[key] = replace(self._running[key], done=done, total=total)

    def end(self, key: str) -> None:
        """Remove a job that has ended."""
        if key in self._running:
            with self._publisher.changing(Field.JOBS):
                del self._running[key]
