"""Timers that call one function."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


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
