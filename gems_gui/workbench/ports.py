"""What a workbench needs from outside: an engine, queries, a timer; it knows no more of them than this."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from gems_engine.trace import Trace
from gems_gui.drafts.run_request import LiveRun, RunRequest
from gems_gui.workbench.playback import Credit


class EnginePort(Protocol):
    """What computes runs in the background, one at a time, and no more of one than was granted."""

    @property
    def current(self) -> LiveRun | None:
        """The run that was started last."""

    @property
    def running(self) -> bool:
        """Whether that run has not ended."""

    @property
    def rounds_per_second(self) -> float:
        """How fast it is."""

    def start(self, request: RunRequest, credit: Credit, unseen: bool = False, trace: Trace | None = None) -> LiveRun:
        """Begin a run, recorded in this trace or in a new one, and end the one before it."""

    def grant(self, credit: Credit) -> None:
        """Replace what the current run may compute."""

    def stop(self) -> None:
        """End the current run; what is recorded stays."""


class QueryPort(Protocol):
    """What computes pure functions in the background; of one key the newest question counts."""

    def ask(
        self,
        key: str,
        function: Callable[..., Any],
        *arguments: Any,
        cache_key: Hashable | None = None,
        urgent: bool = False,
    ) -> int:
        """Ask for a value; the answer comes later, with this ticket."""

    def cancel(self, key: str) -> None:
        """Want no answer any more."""


@dataclass(frozen=True)
class Answer:
    """The answer to a query.

    Attributes
    ----------
    key, ticket
        Whose answer it is.
    value
        What the function returned; None where it failed.
    error
        Empty, or one sentence.
    report
        To be copied where something failed that should not have; empty otherwise.
    """

    key: str
    ticket: int
    value: Any = None
    error: str = ""
    report: str = ""


class TimerPort(Protocol):
    """A single-shot timer."""

    def start(self, milliseconds: int, /) -> None:
        """Fire once after this time; a start before that begins again."""

    def stop(self) -> None:
        """Do not fire."""


TimerFactory = Callable[[Callable[[], None]], TimerPort]
"""Makes a timer that calls a function."""
