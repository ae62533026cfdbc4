"""Changed runs with correct checksums: what the reader accepts is explained, compared, run again, shown and painted.

A few hundred in the suite. The long test takes 200,000, or GEMS_FUZZ_RUNS, from seed GEMS_FUZZ_SEED on; of the accepted
ones it runs every 10th again, shows every 16th in every view and paints every 80th.
"""

from random import Random

import pytest

from gems_engine.trace import Trace
from tests.fuzz.counting import SEED, Counted, inputs
from tests.fuzz.run_again import quoted_and_searched, run_again
from tests.fuzz.run_consumers import cursors_near, engine_texts, read, snapshot_of
from tests.fuzz.run_mutations import mutated_run


class RunFuzz(Counted):
    """Changed runs; of the accepted ones, every which one is run again, and quoted and searched; 0 for none."""

    def __init__(self, shown=0, painted=0, again=0):
        super().__init__(shown, painted)
        self.again = again
        self._unchanged = {}

    def attempt(self, number):
        """Read one, and use it."""
        data, places, (instance, events) = mutated_run(Random(number))
        trace = self.accepted(lambda: read(data))
        if trace is None:
            return
        other, cursors = self._other(instance, events), cursors_near(trace, places)
        engine_texts(trace, cursors, other)
        if self.turn(self.again):
            self.counts["again"] += 1
            quoted_and_searched(trace, cursors[number % len(cursors)], number)
            run_again(trace, cursors[number % len(cursors)], number)
        if self.turn(self.shown):
            self.counts["shown"] += 1
            self.gallery.show(snapshot_of(trace, cursors[number % len(cursors)], other))
        if self.turn(self.painted):
            self.paint(snapshot_of(trace, cursors[0], other))

    def _other(self, instance, events):
        """The run as it was before the change."""
        if id(events) not in self._unchanged:
            trace = self._unchanged[id(events)] = Trace(instance)
            trace.extend(events)
        return self._unchanged[id(events)]


def test_changed_runs_are_refused_or_shown_in_every_view(qapp):
    fuzz = RunFuzz(shown=20, painted=12, again=6)
    fuzz.run(range(240))
    assert fuzz.failures == {}
    assert 60 < fuzz.counts["accepted"] < 200
    assert fuzz.counts["shown"] > 3
    assert fuzz.counts["painted"] > 5
    assert fuzz.counts["again"] > 10


def test_changed_runs_that_a_view_could_not_show(qapp):
    fuzz = RunFuzz(shown=1)
    fuzz.run((1001000080331, 1001000136079, 1001000155991))
    assert fuzz.failures == {}
    assert fuzz.counts["shown"] == 3


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_changed_runs(qapp, capsys):
    fuzz = RunFuzz(shown=16, painted=80, again=10)
    fuzz.run(range(SEED * 10**9, SEED * 10**9 + inputs(200_000)))
    with capsys.disabled():
        print(f"\n{dict(fuzz.counts)}")
    assert fuzz.failures == {}
