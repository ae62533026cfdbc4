"""Changed runs with correct checksums: what the reader accepts is explained, compared, shown and painted.

A few hundred in the suite. The long test takes 200,000, or GEMS_FUZZ_RUNS, from seed GEMS_FUZZ_SEED on; of the accepted
ones it shows every 20th in every view and paints every 100th.
"""

import os
import warnings
from collections import Counter
from random import Random

import pytest

from gems_engine.errors import InputError
from gems_engine.terminal import THIN
from gems_engine.trace import Trace
from gems_gui.views import EVERY_VIEW
from tests.fuzz.run_consumers import Gallery, Painter, cursors_near, engine_texts, read, snapshot_of
from tests.fuzz.run_mutations import mutated_run

RUNS = int(os.environ.get("GEMS_FUZZ_RUNS", "200000"))
SEED = int(os.environ.get("GEMS_FUZZ_SEED", "1"))


FOUND = (1000001254, 1000005793, 1000006241, 1000007049, 2000003829, 2000017092, 5000000806, 5000002680, 7000000108)
"""Numbers of changed runs that once were accepted and failed later."""


class Fuzz:
    """Counts what happens to changed runs, and keeps each failure once.

    Parameters
    ----------
    shown, painted
        Of the accepted runs, every which one is shown in all views, and painted in one; 0 for none.
    """

    def __init__(self, shown=0, painted=0):
        self.shown, self.painted = shown, painted
        self.counts = Counter()
        self.failures = {}
        self._gallery = Gallery() if shown else None
        self._painter = Painter() if painted else None
        self._unchanged = {}

    def run(self, numbers):
        """Try the changed runs of these numbers; each is a function of its number."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # numbers of absurd size overflow
            for number in numbers:
                try:
                    self._try(number)
                except Exception as error:
                    key = _where(error)
                    self.counts["failures"] += 1
                    self.failures.setdefault(key, number)

    def _try(self, number):
        data, places, (instance, events) = mutated_run(Random(number))
        self.counts["inputs"] += 1
        try:
            trace = read(data)
        except InputError as error:
            said = str(error)
            assert said.replace(THIN, "").isprintable()
            assert said.endswith((".", "?"))
            return
        self.counts["accepted"] += 1
        other, cursors = self._other(instance, events), cursors_near(trace, places)
        engine_texts(trace, cursors, other)
        accepted = self.counts["accepted"]
        if self.shown and accepted % self.shown == 0:
            self.counts["shown"] += 1
            self._gallery.show(snapshot_of(trace, cursors[number % len(cursors)], other))
        if self.painted and accepted % self.painted == 0:
            self.counts["painted"] += 1
            name = list(EVERY_VIEW)[self.counts["painted"] % len(EVERY_VIEW)]
            self._painter.paint(name, snapshot_of(trace, cursors[0], other))

    def _other(self, instance, events):
        """The run as it was before the change."""
        if id(events) not in self._unchanged:
            trace = self._unchanged[id(events)] = Trace(instance)
            trace.extend(events)
        return self._unchanged[id(events)]


def _where(error):
    """The innermost place of the program that raised, with what it said."""
    found, cause = [], error
    while cause is not None:
        frame = cause.__traceback__
        while frame is not None:
            code = frame.tb_frame.f_code
            if "gems_" in code.co_filename:
                found.append(f"{os.path.basename(code.co_filename)}:{frame.tb_lineno}")
            frame = frame.tb_next
        cause = cause.__cause__
    return f"{' < '.join(found[:-4:-1])}: {type(error).__name__}: {str(error)[:100]}"


def test_changed_runs_are_refused_or_shown_in_every_view(qapp):
    fuzz = Fuzz(shown=20, painted=12)
    fuzz.run(range(240))
    assert fuzz.failures == {}
    assert 60 < fuzz.counts["accepted"] < 200
    assert fuzz.counts["shown"] > 3
    assert fuzz.counts["painted"] > 5


def test_changed_runs_that_once_failed(qapp):
    fuzz = Fuzz(shown=1)
    fuzz.run(FOUND)
    assert fuzz.failures == {}
    assert fuzz.counts["inputs"] == len(FOUND)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_changed_runs(qapp, capsys):
    fuzz = Fuzz(shown=20, painted=100)
    fuzz.run(range(SEED * 10**9, SEED * 10**9 + RUNS))
    with capsys.disabled():
        print(f"\n{dict(fuzz.counts)}")
    assert fuzz.failures == {}
