"""Functions that are called later."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal


def repeating(parent: QObject, call: Callable[[], object], interval: int) -> QTimer:
    """A timer that calls a function again and again after it was started (milliseconds)."""
    timer = QTimer(parent)
    timer.setInterval(interval)
    timer.timeout.connect(call)
    return timer


def single_shot(parent: QObject, call: Callable[[], object], interval: int = 0) -> QTimer:
    """A timer that calls a function once after each start, by default as soon as Qt is idle (milliseconds)."""
    timer = repeating(parent, call, interval)
    timer.setSingleShot(True)
    return timer


class _Later(QObject):
    due = Signal()


def soon(parent: QObject, call: Callable[[], object]) -> None:
    """Call a function once, after the events that are posted already, unless the parent is deleted before.

    Its errors are reported like those of any slot. ``QTimer.singleShot`` leaves them pending instead, and PySide 6.10
    crashes if Qt then calls a method that Python overrides, such as the height of a layout.
    """
    later = _Later(parent)
    later.due.connect(call, Qt.ConnectionType.QueuedConnection)
    later.due.connect(later.deleteLater, Qt.ConnectionType.QueuedConnection)
    later.due.emit()
