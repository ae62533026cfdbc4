"""Interfaces that a workbench needs: an engine, queries, and a timer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from gems_engine.trace import Trace
from gems_gui.drafts.run_request import LiveRun, RunRequest
from gems_gui.workbench.playback import Credit


class EnginePort(Protocol):
    """Computes runs in the background, one at a time, within the granted credit."""

    @property
    def current(self) -> LiveRun | None:
        """The run that was started last."""

    @property
    def running(self) -> bool:
        """Whether that run has not ended."""

    @property
    def rounds_per_second(self) -> float:
        """Its speed."""

    def start(self, request: RunRequest, credit: Credit, unseen: bool = False, trace: Trace | None = None) -> LiveRun:
        """Start a run, recorded in this trace or a new one, and stop the previous one."""

    def grant(self, credit: Credit) -> None:
        """Replace the credit of the current run."""

    def stop(self) -> None:
        """Stop the current run; recorded events are kept."""


class QueryPort(Protocol):
    """Evaluates pure functions in the background; a newer query with the same key replaces an older one."""

    def ask(
        self,
        key: str,
        function: Callable[..., Any],
        *arguments: Any,
        cache_key: Hashable | None = None,
        urgent: bool = False,
    ) -> int:
        """Submit a query; the answer comes later, with this ticket."""

    def cancel(self, key: str) -> None:
        """Cancel a query."""


@dataclass(frozen=True)
class Answer:
    """The answer to a query.

    Attributes
    ----------
    key, ticket
        The query that is answered.
    value
        The result of the function; None if it failed.
    error
        Empty, or one sentence.
    report
        A report to copy after an unexpected failure; empty otherwise.
    """

    key: str
    ticket: int
    value: Any = None
    error: str = ""
    report: str = ""


class TimerPort(Protocol):
    """A single-shot timer."""

    def start(self, milliseconds: int, /) -> None:
        """Fire once after this time; starting again restarts it."""

    def stop(self) -> None:
        """Do not fire."""


TimerFactory = Callable[[Callable[[], None]], TimerPort]
"""Makes a timer that calls a function."""
