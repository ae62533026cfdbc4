"""What the benchmarks of the window measure with: a heartbeat, counted pictures, and processor time.

Processor time is the part of a measure that other programs on the machine hardly change, so it is shown with each rate.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QElapsedTimer, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

BEAT = 4  # milliseconds between two heartbeats


class Heartbeat(QObject):
    """Notes how late a precise timer of 4 ms fires: that is how long a click would have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.delays: list[float] = []
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        self._clock.start()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _beat(self) -> None:
        self.delays.append(max(0.0, self._clock.nsecsElapsed() / 1e6 - BEAT))
        self._clock.restart()


@dataclass
class Pictures:
    """What became of one view while it was watched.

    Attributes
    ----------
    turns
        How often it was given another snapshot.
    new
        How often it then painted itself: a snapshot that looks like the one before needs no new picture.
    paints
        All its paint events.
    show, paint
        Processor time that the window's thread took to get ready what is painted, and to paint it; in seconds.
    """

    turns: int = 0
    new: int = 0
    paints: int = 0
    show: float = 0.0
    paint: float = 0.0


class Watch:
    """Counts the pictures of the views of a board that are in sight, and times them."""

    def __init__(self, views: dict[str, object]) -> None:
        self.seen = {name: Pictures() for name in views}
        self._waiting: set[str] = set()
        self._watched = [self._wrap(name, view) for name, view in views.items()]

    def _wrap(self, name: str, view) -> Callable[[], None]:
        noted, show, canvas = self.seen[name], view.show, canvas_of(view)
        paint = canvas.paintEvent

        def timed_show(snapshot) -> None:
            other = view.snapshot is not snapshot
            began = time.thread_time()
            show(snapshot)
            noted.show += time.thread_time() - began
            if other:
                noted.turns += 1
                self._waiting.add(name)

        def timed_paint(event) -> None:
            began = time.thread_time()
            paint(event)
            noted.paint += time.thread_time() - began
            noted.paints += 1
            if name in self._waiting:
                self._waiting.discard(name)
                noted.new += 1

        view.show, canvas.paintEvent = timed_show, timed_paint

        def release() -> None:
            del view.show, canvas.paintEvent

        return release

    def release(self) -> None:
        """Let the views be as they were."""
        for release in self._watched:
            release()


def canvas_of(view) -> QWidget:
    """The widget of a view that is painted when its content changes: its plot, or its text or table."""
    found = view.plot if view.is_plot else view.body.findChild(QAbstractScrollArea)
    assert found is not None, f"the view {view.name} has nothing that scrolls"
    return found


def wait(seconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("waited too long")
        wait(0.02)


def worker_seconds(window) -> float:
    """Processor time of the engine's process so far; 0 where the system does not say it."""
    try:
        with open(f"/proc/{window.engine._engine.pid}/stat") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
