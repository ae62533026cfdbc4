"""Change notification: fields of a workbench and their listeners; independent of Qt."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING
from weakref import WeakMethod

if TYPE_CHECKING:
    from gems_gui.drafts.run_request import Ending
    from gems_gui.workbench.run_session import RunSession


class Field(Enum):
    """A part of a workbench that listeners can follow."""

    DRAFT = auto()
    """The draft, its instance, its assumptions, or the error of its instance."""
    RUNS = auto()
    """The list of runs, or facts about one of them."""
    ACTIVE = auto()
    """The run that is shown."""
    SNAPSHOT = auto()
    """The snapshot: cursor, selection, and the runs compared with the shown one."""
    ENGINE = auto()
    """The state of the engine."""
    TRUTH = auto()
    """Whether d⋆, the best arm and what follows from them may be shown."""
    STALE = auto()
    """Why the shown run is out of date."""
    PENDING = auto()
    """The run that is computed in the background by auto-run."""
    PAGE = auto()
    """The page in the middle of the window: the board, or another one."""
    MESSAGES = auto()
    """Messages to the user, and the log."""
    JOBS = auto()
    """Other background jobs and their progress."""


@dataclass(frozen=True)
class Change:
    """One notification: the fields that changed, and the runs that started, ended or failed."""

    fields: frozenset[Field]
    started: tuple[RunSession, ...] = ()
    ended: tuple[RunSession, ...] = ()
    failed: tuple[Ending, ...] = ()

    def __contains__(self, field: Field) -> bool:
        return field in self.fields


Listener = Callable[[Change], object]


class Subscription:
    """A listener and the fields that it follows; a bound method does not keep its object alive."""

    def __init__(self, listener: Listener, fields: frozenset[Field], last: bool = False) -> None:
        self._listener: Callable[[], Listener | None]
        if inspect.ismethod(listener):
            self._listener = WeakMethod(listener)
        else:
            self._listener = lambda: listener
        self.fields = fields
        self.last = last
        self.cancelled = False

    def cancel(self) -> None:
        """Cancel the subscription."""
        self.cancelled = True

    @property
    def over(self) -> bool:
        """Whether it was cancelled, or its object was deleted."""
        return self.cancelled or self._listener() is None

    def notify(self, change: Change) -> None:
        """Call the listener if it follows one of the fields."""
        listener = self._listener()
        if listener is not None and not self.cancelled and (not self.fields or self.fields & change.fields):
            listener(change)


class Publisher:
    """Collects changes and publishes them when the outermost :meth:`changing` block ends.

    A change made by a listener is published after the current one has reached all listeners: every listener sees the
    changes in the same order, and none is called recursively.
    """

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []
        self._depth = 0
        self._publishing = False
        self._fields: set[Field] = set()
        self._started: list[RunSession] = []
        self._ended: list[RunSession] = []
        self._failed: list[Ending] = []

    def subscribe(self, listener: Listener, *fields: Field, last: bool = False) -> Subscription:
        """Call a listener after each change of these fields; without any, after each change.

        Listeners must not rely on each other; those that read results of others subscribe with the option to be last.
        """
        subscription = Subscription(listener, frozenset(fields), last)
        self._subscriptions.append(subscription)
        return subscription

    @contextmanager
    def changing(self, *fields: Field) -> Iterator[None]:
        """A block of changes, which are published at its end."""
        self._depth += 1
        try:
            yield
        finally:
            self._fields.update(fields)
            self._depth -= 1
            if not self._depth:
                self._publish()

    def note(
        self,
        *fields: Field,
        started: RunSession | None = None,
        ended: RunSession | None = None,
        failed: Ending | None = None,
    ) -> None:
        """Publish changes at the end of the block, or at once outside of one."""
        with self.changing(*fields):
            if started is not None:
                self._started.append(started)
            if ended is not None:
                self._ended.append(ended)
            if failed is not None:
                self._failed.append(failed)

    def _publish(self) -> None:
        if self._publishing:
            return
        self._publishing = True
        failed: Exception | None = None
        try:
            while self._fields:
                change = Change(frozenset(self._fields), tuple(self._started), tuple(self._ended), tuple(self._failed))
                self._fields.clear()
                for happened in (self._started, self._ended, self._failed):
                    happened.clear()
                self._subscriptions = [each for each in self._subscriptions if not each.over]
                for subscription in sorted(self._subscriptions, key=lambda each: each.last):
                    try:
                        subscription.notify(change)
                    except Exception as error:  # a failing listener must not prevent the others from being called
                        failed = failed or error
        finally:
            self._publishing = False
        if failed is not None:
            raise failed
