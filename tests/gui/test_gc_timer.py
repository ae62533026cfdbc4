"""Garbage is collected between events, and not by Python whenever it likes."""

import gc
import weakref

from PySide6.QtCore import QObject

from gems_gui.gc_timer import GcTimer


class Knot:
    def __init__(self):
        self.itself = self


def test_cycles_go_in_the_event_loop_and_not_before(qtbot):
    limits = gc.get_threshold()
    owner = QObject()
    collector = GcTimer(owner)
    assert not gc.isenabled()
    gc.collect()
    seen = weakref.ref(Knot())
    kept = [[] for _ in range(2 * limits[0])]  # more than enough for Python itself to look
    assert seen() is not None
    qtbot.waitUntil(lambda: seen() is None)
    assert len(kept) == 2 * limits[0]
    collector.end()
    assert gc.isenabled()


def test_young_garbage_below_the_limit_costs_nothing(qtbot):
    owner = QObject()
    collector = GcTimer(owner)
    gc.collect()
    seen = weakref.ref(Knot())
    collector.collect()
    assert seen() is not None
    collector.end()
