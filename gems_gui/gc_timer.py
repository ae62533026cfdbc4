"""Collects cyclic garbage between two events of the window, never inside a call of Qt.

Python looks for cycles whenever enough objects were made, also while Qt holds the lock of its signals, as in the middle
of a disconnect: a dead QObject that is found there wants the same lock, and the program stands still for good. It also
looks in whatever thread made the last object, which must not end widgets. So Python is told not to, and a timer of the
window's own thread does it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY = 500  # milliseconds: what is made meanwhile is a few megabytes at most


class GcTimer(QObject):
    """Takes over the collection until its :meth:`end`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._limits = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def end(self) -> None:
        """Give it back to Python."""
        self._timer.stop()
        gc.enable()
        self.deleteLater()

    def collect(self) -> None:
        """Collect the oldest generation whose turn Python itself would say it is, and so all younger ones."""
        counts = gc.get_count()
        due = [age for age, (count, limit) in enumerate(zip(counts, self._limits, strict=True)) if count > limit > 0]
        if due:
            gc.collect(max(due))
