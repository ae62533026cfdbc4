"""Pause, resume and cancel trials from another thread."""

from __future__ import annotations

import threading
import time

from gems_engine.errors import InputError


class Lost(InputError):
    """The executor of the trials is lost; finished trials are saved, and the state of the rest is unknown."""


class Control:
    """Controls running trials from another thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._paused = False
        self._cancelled = False
        self._since: float | None = None
        self._rested = 0.0

    def pause(self) -> None:
        """Start no further trials; those under way are finished."""
        with self._changed:
            if not self._paused:
                self._paused, self._since = True, time.monotonic()

    def go_on(self) -> None:
        """Start trials again."""
        with self._changed:
            self._rested = self._rest()
            self._paused, self._since = False, None
            self._changed.notify_all()

    def cancel(self) -> None:
        """Start no further trials, and drop those under way."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    @property
    def paused(self) -> bool:
        """Whether no trials are started at present."""
        return self._paused

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._cancelled

    @property
    def rested(self) -> float:
        """Seconds paused so far."""
        with self._changed:
            return self._rest()

    def _rest(self) -> float:
        return self._rested + (time.monotonic() - self._since if self._since is not None else 0.0)

    def wait_while_paused(self) -> None:
        """Return when trials may start, or it is cancelled."""
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or not self._paused)


class Controlled:
    """Runs trials that another thread can pause, resume and cancel.

    Attributes
    ----------
    control : Control
    """

    def __init__(self) -> None:
        self.control = Control()

    def pause(self) -> None:
        """Start no further trials until :meth:`go_on`."""
        self.control.pause()

    def go_on(self) -> None:
        """Start trials again."""
        self.control.go_on()

    def cancel(self) -> None:
        """End it; finished trials are kept."""
        self.control.cancel()
