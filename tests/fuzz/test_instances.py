"""Instance files with changed values: what a reader accepts is shown, saved again, edited and run.

A few hundred in the suite. The long test takes 100,000, or GEMS_FUZZ_RUNS, from seed GEMS_FUZZ_SEED on; of the accepted
ones it shows every 20th in every view and paints every 100th.
"""

import io
from random import Random

import pytest

from gems_engine.commands.instance import _as_dict, _text
from gems_engine.formats import csv_format, json_format, npz_format
from gems_engine.instance import Instance
from gems_engine.terminal import shown_json
from gems_engine.trace import Trace
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.snapshot import Snapshot
from tests.fuzz.counting import SEED, Counted, inputs
from tests.fuzz.instance_mutations import FORMATS, changed, real_instances
from tests.fuzz.run_again import first_events, sentence_allowed


def _read(data, suffix, how):
    if suffix == ".json":
        return json_format.from_json(data, "name", "file")
    if suffix == ".npz":
        return npz_format.from_npz(io.BytesIO(data), "name", "file")
    items = csv_format.read_items(data)
    arms = csv_format.transform(items.features, how, True)
    return Instance.from_rewards(arms, items.rewards, arm_names=items.names)


class InstanceFuzz(Counted):
    """Changed instances in all three formats."""

    def attempt(self, number):
        """Read one, and use it."""
        random = Random(number)
        suffix = random.choice(list(FORMATS))
        data = FORMATS[suffix](changed(random.choice(real_instances()), random))
        if data is None:  # no arrays
            return
        instance = self.accepted(lambda: _read(data, suffix, random.choice(csv_format.FEATURES)))
        if instance is None:
            return
        self._use(instance, number)
        if self.turn(self.shown):
            self.counts["shown"] += 1
            self.gallery.show(Snapshot.of(first_events(instance, number) or Trace(instance)))
        if self.turn(self.painted):
            self.paint(Snapshot.of(Trace(instance)))

    def _use(self, instance, number):
        assert json_format.from_json(json_format.to_json(instance), "name", "file") == instance
        assert npz_format.from_npz(io.BytesIO(npz_format.to_npz(instance)), "name", "file") == instance
        with sentence_allowed():
            csv_format.read_items(csv_format.to_csv(instance))
        assert _text(instance)
        shown_json(_as_dict(instance))
        table = InstanceTable.of(instance)
        with sentence_allowed():
            assert (table.instance().arms == instance.arms).all()
        if number % 5 == 0:
            first_events(instance, number // 5)


def test_changed_instances_are_refused_or_used(qapp):
    fuzz = InstanceFuzz(shown=30, painted=15)
    fuzz.run(range(400))
    assert fuzz.failures == {}
    assert 50 < fuzz.counts["accepted"] < 350
    assert fuzz.counts["shown"] > 2
    assert fuzz.counts["painted"] > 4


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_changed_instances(qapp, capsys):
    fuzz = InstanceFuzz(shown=20, painted=100)
    fuzz.run(range(SEED * 10**9, SEED * 10**9 + inputs(100_000)))
    with capsys.disabled():
        print(f"\n{dict(fuzz.counts)}")
    assert fuzz.failures == {}
