"""Runs on disk: exact, torn ends dropped, damage refused, a kill survived."""

import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import tracemalloc
import zlib

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine import files
from gems_engine.algorithms import algorithms
from gems_engine.errors import InputError
from gems_engine.events import Place
from gems_engine.files import RecoveryFile, in_use, read_run, write_run
from gems_engine.formats import chunk, journal, json_format
from gems_engine.formats.event_rules import Sizes
from gems_engine.gallery import make
from gems_engine.terminal import plural
from gems_engine.trace import CHUNK, Trace
from tests.engine.synthetic_runs import same_states, small_instance, synthetic, synthetic_trace, wide_instance
from tests.engine.test_trace import short_run

INSTANCE = small_instance()
SIZES = Sizes.of(INSTANCE)
HEAD = 24


def exactly(a, b):
    """Equal in every field to the bit, timings too."""
    return type(a) is type(b) and all(
        value.dtype == b.__dict__[name].dtype and value.tobytes() == b.__dict__[name].tobytes()
        if isinstance(value, np.ndarray)
        else repr(value) == repr(b.__dict__[name])
        for name, value in a.__dict__.items()
    )


def framed(events_json, raw=b"", count=1, length=None):
    """A record with a right checksum around any content."""
    text = json.dumps(events_json).encode() if not isinstance(events_json, bytes) else events_json
    text += b" " * (-len(text) % 8)
    data = len(text).to_bytes(8, "little") + text + raw
    return journal._framed(b"EVNT", zlib.compress(data), len(data) if length is None else length, count)


def read_bytes(tmp_path, data):
    path = tmp_path / "run.gems"
    path.write_bytes(data)
    return read_run(path)


# -- to a file and back ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"loops": 3, "rounds": 60, "subroutines": 3}, {"finish": False}])
def test_a_run_comes_back_to_the_bit(tmp_path, settings):
    trace = synthetic_trace(**settings)
    write_run(tmp_path / "run.gems", trace)
    again = read_run(tmp_path / "run.gems")
    assert len(again) == len(trace)
    assert all(map(exactly, trace, again))
    assert again.instance == trace.instance
    assert again.notes == []
    assert again.round_starts.tolist() == trace.round_starts.tolist()
    assert same_states(again.state_at(len(again)), trace.state_at(len(trace)))
    write_run(tmp_path / "twice.gems", again)
    assert (tmp_path / "twice.gems").read_bytes() == (tmp_path / "run.gems").read_bytes()


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_what_algorithms_really_do_comes_back(tmp_path, name):
    trace = short_run(name)
    write_run(tmp_path / "run.gems", trace)
    assert all(map(exactly, trace, read_run(tmp_path / "run.gems")))


def test_floats_that_json_cannot_carry():
    odd = iter([np.inf, 0.0, -0.0, 5e-324, 1.7976931348623157e308] * 24)
    events = list(synthetic(INSTANCE, loops=1, floats=lambda value: next(odd)))
    data, length = chunk.encode(events, SIZES)
    again = chunk.decode(data, length, len(events), SIZES).events()
    assert all(map(exactly, events, again))
    started = ev.RunStarted(
        Place(), "x", "a", {"a": np.inf, "b": -np.inf, "c": 0.1, "d": 1, "e": None, "f": "ε"}, 2**100, "best arm", {}
    )
    data, length = chunk.encode([started], SIZES)
    assert chunk.decode(data, length, 1, SIZES).event(0) == started
    huge = ev.IdleRounds(Place(1, 1, 3), 3, 4**60, 1, 4**70, 7, "equal")
    data, length = chunk.encode([huge], SIZES)
    assert chunk.decode(data, length, 1, SIZES).event(0) == huge


def test_every_kind_and_nothing_that_is_pickled(tmp_path):
    trace = synthetic_trace()
    assert {type(event) for event in trace} == set(ev.EVENTS.values())
    write_run(tmp_path / "run.gems", trace)
    data = (tmp_path / "run.gems").read_bytes()
    assert data.startswith(journal.LINE)
    assert json_format.to_json(INSTANCE) in data


def test_instances_of_every_sort_travel_with_their_run(tmp_path):
    for instance in (make("transductive", D=3, d_star=2, n=3), make("misspecified", D=3, d_star=2, n=4)):
        trace = Trace(instance)
        trace.extend(list(synthetic(instance))[:5])
        write_run(tmp_path / "run.gems", trace)
        assert read_run(tmp_path / "run.gems").instance == instance


def test_a_wide_run_whose_chunks_end_early(tmp_path):
    wide = wide_instance(20_000, D=2)
    trace = synthetic_trace(wide, loops=1, subroutines=1, rounds=12, support=20_000)
    write_run(tmp_path / "run.gems", trace)
    assert all(map(exactly, trace, read_run(tmp_path / "run.gems")))


def test_names(tmp_path):
    with pytest.raises(InputError, match=r"must end in \.gems"):
        write_run(tmp_path / "run.json", synthetic_trace())
    with pytest.raises(InputError, match="There is no file"):
        read_run(tmp_path / "none.gems")
    with pytest.raises(InputError, match="not a file"):
        read_run(tmp_path)
    with pytest.raises(InputError, match="Cannot write"):
        write_run(tmp_path / "none" / "run.gems", synthetic_trace())


def test_an_instance_too_large_for_json_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(journal, "MOST_INSTANCE", 10)
    with pytest.raises(InputError, match="a run file allows at most 10"):
        write_run(tmp_path / "run.gems", synthetic_trace())
    assert list(tmp_path.iterdir()) == []


def test_an_event_that_could_not_be_read_is_not_written():
    spoiled = [
        ev.Recommended(Place(), 99, 0, ""),
        ev.Recommended(Place(), 0, 0, "two\nlines"),
        ev.Recommended(Place(), np.int64(0), 0, ""),
        ev.Recommended(Place(-1), 0, 0, ""),
        ev.Allocated(Place(), 0, np.array([0]), np.array([1, 2]), 1.0, True),
        ev.Allocated(Place(), 0, np.array([0]), np.array([1]), 1, True),
        ev.Allocated(Place(), 0, np.array([0.0]), np.array([1]), 1.0, True),
        ev.RunStarted(Place(), "x", "a", {"a": [1]}, 0, "best arm", {}),
    ]
    for event in spoiled:
        with pytest.raises(InputError):
            chunk.encode([event], SIZES)


# -- damage ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def three_chunks():
    """The bytes of a file with three chunks, where each begins, and its events."""
    trace = synthetic_trace(loops=3, subroutines=3, rounds=17)
    header = journal.header(INSTANCE)
    records = [record for record, _ in trace.records_from(0)]
    assert len(records) == 3
    starts = np.cumsum([len(header), *map(len, records)]).tolist()
    return b"".join([header, *records]), starts, list(trace)


def test_a_torn_end_is_dropped_and_said(tmp_path, three_chunks):
    data, starts, events = three_chunks
    for end in (starts[2] + 1, starts[2] + 10, starts[2] + HEAD, starts[2] + HEAD + 5, len(data) - 1):
        trace = read_bytes(tmp_path, data[:end])
        assert list(trace) == events[: 2 * CHUNK]
        assert trace.notes == [f"The end of the file is incomplete: only {plural(2 * CHUNK, 'event')} could be read."]
        assert trace.finished is None


def test_a_file_that_ends_between_two_chunks_is_a_shorter_run(tmp_path, three_chunks):
    data, starts, events = three_chunks
    for count, end in enumerate(starts):
        trace = read_bytes(tmp_path, data[:end])
        assert list(trace) == events[: count * CHUNK]
        assert trace.notes == []


def test_zeros_and_garbage_behind_the_last_chunk_are_a_torn_end(tmp_path, three_chunks):
    data, _, events = three_chunks
    for rubbish in (b"\0", bytes(5000), b"EVNT" * 100, os.urandom(300)):
        trace = read_bytes(tmp_path, data + rubbish)
        assert list(trace) == events
        assert len(trace.notes) == 1


def test_damage_before_the_end_is_refused_with_its_chunk(tmp_path, three_chunks):
    data, starts, _ = three_chunks
    for number, start in enumerate(starts[:2], start=1):
        for at in (start, start + 5, start + 9, start + 13, start + 18, start + 22, start + HEAD, start + 200):
            spoiled = bytearray(data)
            spoiled[at] ^= 1
            with pytest.raises(InputError, match=rf"run\.gems: Chunk {number} is damaged"):
                read_bytes(tmp_path, bytes(spoiled))


def test_a_file_without_its_instance_cannot_be_read(tmp_path, three_chunks):
    data, starts, _ = three_chunks
    for end in (11, 15, 11 + HEAD, 100, starts[0] - 1):
        with pytest.raises(InputError, match="The instance of the run is damaged"):
            read_bytes(tmp_path, data[:end])
    for data in (b"", b"gems", b"gems-run x\n", b"GIF89a", b"gems-run -1\n"):
        with pytest.raises(InputError, match="The file is not a run"):
            read_bytes(tmp_path, data)


def test_a_newer_version_is_named(tmp_path, three_chunks):
    data, _, _ = three_chunks
    with pytest.raises(
        InputError, match=r"made by a newer version of this program \(file version 12; this program reads 3"
    ):
        read_bytes(tmp_path, data.replace(journal.LINE, b"gems-run 12\n", 1))


def test_a_run_on_another_instance_is_refused(tmp_path):
    other = make("paper-hard", d_star=3, epsilon=0.25)
    records = [record for record, _ in synthetic_trace().records_from(0)]
    with pytest.raises(InputError, match="another instance"):
        read_bytes(tmp_path, journal.header(other) + b"".join(records))


TABLE = {"ell": [0], "i": [0], "k": [0], "target": [1], "samples": [5], "why": ["so"]}


def recommended(**changes):
    return {"order": [0], "kinds": {"recommended": {**TABLE, **changes}}}


def without(name):
    return {"order": [0], "kinds": {"recommended": {key: value for key, value in TABLE.items() if key != name}}}


ALLOCATED = {"ell": [0], "i": [0], "k": [0], "d": [1], "arms": [2], "counts": [2], "factor": "f8", "guaranteed": [True]}


def allocated(arms=(0, 1), counts=(3, 4), **changes):
    raw = struct.pack(f"<{len(arms)}q{len(counts)}qd", *arms, *counts, 1.0)
    return {"order": [0], "kinds": {"allocated": {**ALLOCATED, **changes}}}, raw


@pytest.mark.parametrize(
    ("said", "raw", "message"),
    [
        (recommended(target=[4]), b"", "target of event 1 (recommended) is 4: it must be from 0 to 3"),
        (recommended(target=[-1]), b"", "target of event 1 (recommended) is -1"),
        (recommended(target=[True]), b"", "is True: it must be a whole number"),
        (recommended(target=[1.0]), b"", "is 1.0: it must be a whole number"),
        (recommended(target=[1, 2]), b"", "must be a list of 1 entries"),
        (recommended(target=1), b"", "must be a list of 1 entries"),
        (recommended(samples=[2**63]), b"", "samples of event 1 (recommended)"),
        (recommended(ell=[-1]), b"", "ell of event 1 (recommended) is -1"),
        (recommended(why=["a\nb"]), b"", "one printable line"),
        (recommended(why=["a" * 2000]), b"", "one printable line"),
        (recommended(why=[None]), b"", "one printable line"),
        (recommended(secret=[1]), b"", 'Unknown field of "recommended" "secret"'),
        (without("why"), b"", 'why of "recommended" must be a list'),
        (without("k"), b"", 'k of "recommended" must be a list'),
        ({"order": [0], "kinds": {"recommend": TABLE}}, b"", 'Unknown kind of event "recommend": did you mean'),
        ({"order": [0], "kinds": {"recommended": 3}}, b"", "they must be a table"),
        ({"order": [0, 0], "kinds": {"recommended": TABLE}}, b"", "the order of 1 events"),
        ({"order": [1], "kinds": {"recommended": TABLE}}, b"", "names a kind that is missing"),
        ({"order": [], "kinds": {}}, b"", "the order of 1 events"),
        ({"order": [0]}, b"", "must have an order and kinds"),
        ([], b"", "must have an order and kinds"),
        (recommended(), bytes(8), "8 bytes more than its events need"),
        (*allocated(arms=(0, 7)), "arms[1] of event 1 (allocated) is 7"),
        (*allocated(arms=(-1, 0)), "arms[0] of event 1 (allocated) is -1"),
        (*allocated(counts=(3, -4)), "counts[1] of event 1 (allocated) is -4"),
        (*allocated(arms=[2], counts=[1]), "are missing"),
        (*allocated(d=[5]), "d of event 1 (allocated) is 5"),
        (*allocated(guaranteed=[1]), "must be true or false"),
        (*allocated(factor=[1.0]), "must be raw floats"),
        (b"[" * 100_000, b"", "The list of its events nests JSON too deeply"),
        (b'{"order": [0], "order": [0]}', b"", "twice"),
        (b'{"order": NaN}', b"", "every number must be finite"),
        (b"\xff\xfe", b"", "not UTF-8"),
    ],
)
def test_what_a_right_checksum_cannot_excuse(tmp_path, said, raw, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_bytes(tmp_path, journal.header(INSTANCE) + framed(said, raw))


def test_lengths_that_differ_are_refused(tmp_path):
    said = {"order": [0], "kinds": {"allocated": {**ALLOCATED, "arms": [1], "counts": [2]}}}
    with pytest.raises(InputError, match="must be equally long"):
        read_bytes(tmp_path, journal.header(INSTANCE) + framed(said, struct.pack("<qqqd", 0, 1, 1, 1.0)))


def test_sums_without_an_allocation_are_refused(tmp_path):
    start = next(synthetic(INSTANCE))
    lost = ev.Pulled(Place(1, 1, 1), np.array([1.0]), 1)
    data = journal.header(INSTANCE) + journal.record([start, lost], SIZES)
    with pytest.raises(InputError, match="do not match the last allocation"):
        read_bytes(tmp_path, data)


# -- sizes -------------------------------------------------------------------------------------------------------


def test_a_bomb_is_refused_before_it_goes_off(tmp_path):
    bomb = zlib.compress(bytes(2**26))  # 64 MiB in 64 KiB
    header = journal.header(INSTANCE)
    for length in (2**26, 1000, 2**32 - 1):
        data = header + journal._framed(b"EVNT", bomb, length, 1)
        tracemalloc.start()
        with pytest.raises(InputError, match="Chunk 1 is damaged"):
            read_bytes(tmp_path, data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20e6


def test_more_events_than_a_chunk_may_hold(tmp_path):
    other = journal._framed(b"WHAT", bytes(5000), 5000, 0)
    data = journal.header(INSTANCE) + framed(recommended(), count=5000) + other
    with pytest.raises(InputError, match="more than a chunk may have"):
        read_bytes(tmp_path, data)


def test_more_events_than_a_run_may_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(journal, "MOST_EVENTS", 100)
    write_run(tmp_path / "run.gems", synthetic_trace())
    with pytest.raises(InputError, match="larger than any run needs"):
        read_run(tmp_path / "run.gems")


def test_a_file_that_is_too_large_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "RUN_LIMIT", 100)
    with pytest.raises(InputError, match="at most 100 can be read back"):
        write_run(tmp_path / "run.gems", synthetic_trace())
    (tmp_path / "run.gems").write_bytes(bytes(101))
    with pytest.raises(InputError, match="larger than 100 bytes"):
        read_run(tmp_path / "run.gems")


# -- recovery ----------------------------------------------------------------------------------------------------


def test_a_recovery_file_can_be_read_at_any_time(tmp_path):
    events = list(synthetic(INSTANCE, loops=3, subroutines=3, rounds=17))
    trace = Trace(INSTANCE)
    path = tmp_path / "a recovery"
    with RecoveryFile(path, trace, interval=3600) as recovery:
        assert list(read_run(path)) == []
        for position, event in enumerate(events):
            trace.append(event)
            recovery.update()
            if position % 97 == 0:
                recovery.flush()
                assert len(read_run(path)) == position + 1
        before = len(read_run(path))
        assert before == 97 * ((len(events) - 1) // 97) + 1  # the interval is long: the rest waits
    again = read_run(path)
    assert all(map(exactly, events, again))
    assert again.notes == []
    write_run(tmp_path / "run.gems", again)
    write_run(tmp_path / "same.gems", trace)
    assert (tmp_path / "run.gems").read_bytes() == (tmp_path / "same.gems").read_bytes()


def test_update_writes_when_events_have_waited_long_or_are_many(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    events = iter(synthetic(INSTANCE))
    trace = Trace(INSTANCE)
    recovery = RecoveryFile(tmp_path / "r", trace, interval=1.0, most=10)
    for seconds, expected in [(0.1, 0), (0.5, 0), (0.6, 3), (0.1, 3), (0.95, 5)]:
        now[0] += seconds
        trace.append(next(events))
        recovery.update()
        assert len(read_run(tmp_path / "r")) == expected
    for count in range(1, 12):
        trace.append(next(events))
        recovery.update()
        assert len(read_run(tmp_path / "r")) == (5 if count < 10 else 15)
    recovery.close()
    recovery.close()
    assert len(read_run(tmp_path / "r")) == 16
    with pytest.raises(InputError, match="the file is closed"):
        recovery.flush()


def test_a_trace_that_has_begun_is_written_at_once_and_whole_chunks_as_they_are(tmp_path):
    trace = synthetic_trace(loops=3, subroutines=3, rounds=17)
    with RecoveryFile(tmp_path / "r", trace):
        assert list(read_run(tmp_path / "r")) == list(trace)
    write_run(tmp_path / "run.gems", trace)
    assert (tmp_path / "r").read_bytes() == (tmp_path / "run.gems").read_bytes()


def test_it_is_locked_while_it_is_open(tmp_path):
    path = tmp_path / "r"
    assert not in_use(path)
    trace = synthetic_trace()
    recovery = RecoveryFile(path, trace)
    assert in_use(path)
    with pytest.raises(InputError, match="another process is using it"):
        RecoveryFile(path, synthetic_trace())
    assert list(read_run(path)) == list(trace)  # the one that was refused did not touch it
    recovery.close()
    assert not in_use(path)
    RecoveryFile(path, synthetic_trace(finish=False)).close()
    assert read_run(path).finished is None
    recovery = RecoveryFile(path, trace)
    recovery.remove()
    recovery.remove()
    assert not path.exists()


def test_what_cannot_be_a_recovery_file(tmp_path):
    with pytest.raises(InputError, match="Cannot write"):
        RecoveryFile(tmp_path / "none" / "r", synthetic_trace())
    with pytest.raises(InputError, match="Cannot write"):
        RecoveryFile(tmp_path, synthetic_trace())


def test_a_disk_that_was_full_for_a_while_leaves_no_half_record(tmp_path):
    class Full(io.FileIO):
        room = 10**9

        def write(self, data):
            if len(data) > Full.room:
                room, Full.room = Full.room, 0
                if not room:
                    raise OSError(28, "No space left on device")
                return super().write(data[:room])
            return super().write(data)

    trace = synthetic_trace(finish=False)
    recovery = RecoveryFile(tmp_path / "r", trace)
    true = recovery._stream
    recovery._stream = Full(os.dup(true.fileno()), "r+")
    true.close()
    known = len(trace)
    trace.append(ev.Recommended(Place(), 1, 10**6, "late"))
    Full.room = 30
    with pytest.raises(InputError, match="no space left"):
        recovery.flush()
    assert len(read_run(tmp_path / "r")) == known
    Full.room = 10**9
    recovery.flush()
    again = read_run(tmp_path / "r")
    assert list(again) == list(trace)
    assert again.notes == []
    recovery.close()


KILLED = """
import sys, time
from gems_engine.files import RecoveryFile
from gems_engine.trace import Trace
from tests.engine.synthetic_runs import small_instance, synthetic

trace = Trace(small_instance())
recovery = RecoveryFile(sys.argv[1], trace, interval=0.05)
for event in synthetic(small_instance(), loops=10**6):
    trace.append(event)
    recovery.update()
    time.sleep(0.001)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_kill_loses_only_what_waited(tmp_path):
    path = tmp_path / "r"
    worker = subprocess.Popen([sys.executable, "-c", KILLED, str(path)])
    try:
        deadline = time.monotonic() + 60
        while not (path.exists() and path.stat().st_size > 5000) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert in_use(path)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert not in_use(path)
    trace = read_run(path)
    assert len(trace) > 10
    for event, expected in zip(trace, synthetic(small_instance(), loops=10**6), strict=False):
        assert event == expected
