"""Collects cyclic garbage between two events of the window, never inside a call of Qt.

Python collects cycles whenever enough objects were created, also while Qt holds the lock of its signals, for example
during a disconnect. Deleting a QObject there needs the same lock, and the program deadlocks. Python also
collects in any thread, which must not delete widgets. So automatic collection is disabled, and a timer in the
thread of the window collects.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY = 500  # milliseconds: objects created in between take a few megabytes at most


class GcTimer(QObject):
    """Replaces the automatic collection until :meth:`end`."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._limits = gc.get_threshold()
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY)
        self._timer.timeout.connect(self.collect)
        QTimer.singleShot(0, self._timer, self._timer.start)  # once events are handled: a window is painted first

    def end(self) -> None:
        """Restore the automatic collection."""
        self._timer.stop()
        gc.enable()
        self.deleteLater()

    def collect(self) -> None:
        """Collect the oldest generation that is due by Python's thresholds, and all younger ones."""
        counts = gc.get_count()
        due = [age for age, (count, limit) in enumerate(zip(counts, self._limits, strict=True)) if count > limit > 0]
        if due:
            gc.collect(max(due))
