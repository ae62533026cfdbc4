"""Playbacks of recorded runs, and an engine that computes no more than it was granted."""

from functools import cache

from gems_engine.history import History
from gems_engine.running import run
from gems_engine.trace import Trace
from gems_gui.workbench.playback import UNITS, Credit, Playback
from tests.engine.finding import find_next
from tests.engine.small_settings import SETTINGS
from tests.engine.test_algorithms import INSTANCES

EXAMPLES = (("fixed-confidence", "hard"), ("fixed-budget", "sphere"), ("rage", "hard"), ("static-oracle", "hard"))


@cache
def recorded(name="fixed-budget", place="hard"):
    return run(INSTANCES[place](), name, 3, **SETTINGS[name]).finish()


class Engine:
    """Does with the events of a recorded run what an engine does with those that it computes: no more than granted."""

    def __init__(self, whole):
        self.whole = whole
        self.trace = Trace(whole.instance)
        self.granted, self.further = None, False
        history = History(whole)
        self.ends = {unit: set(history.stops(unit).tolist()) for unit in UNITS[1:]}

    def could(self, credit, most=10**9):
        """How many events it would add."""
        at = begin = len(self.trace)
        end = len(self.whole) if credit.limit is None else min(credit.limit, len(self.whole))
        if credit.until is not None:
            if credit != self.granted:
                self.granted, self.further = credit, begin != credit.after
            end = begin if self.further else find_next(self.whole, credit.until[0], credit.after) or end
        while at < min(end, begin + most):
            if credit.unit != "event" and at in self.ends[credit.unit] and at > credit.after:
                break
            at += 1
        return at - begin

    def work(self, credit, most=10**9):
        count = self.could(credit, most)
        self.trace.extend(self.whole[len(self.trace) : len(self.trace) + count])
        return count


def replaying(whole=None, **settings):
    return Playback(whole or recorded(), **settings)


def recording(whole=None, events=0, **settings):
    """A run with a number of its events."""
    engine = Engine(whole or recorded())
    engine.work(Credit(events))
    return engine, Playback(engine.trace, **settings)
