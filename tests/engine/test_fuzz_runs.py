"""Whatever the bytes, a run file gives a trace that works throughout, or one sentence; nothing else escapes."""

import io
import json
import struct
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gems_engine import files
from gems_engine.errors import InputError
from gems_engine.events import EVENTS
from gems_engine.formats import journal
from gems_engine.formats.chunk import SCHEMAS
from gems_engine.gallery import make
from gems_engine.summary import summarise
from gems_engine.trace import Trace
from tests.engine.synthetic_runs import small_instance, synthetic, synthetic_trace
from tests.engine.test_fuzz_files import mutated

FUZZ = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
INSTANCE = small_instance()
HEADER = journal.header(INSTANCE)
START = journal.record(list(synthetic(INSTANCE))[:1], files.Trace(INSTANCE)._sizes)


def in_pieces(trace, size):
    """As a recovery file has it: many small chunks."""
    events, sizes = list(trace), trace._sizes
    records = [journal.record(events[i : i + size], sizes) for i in range(0, len(events), size)]
    return journal.header(trace.instance) + b"".join(records)


SEEDS = [
    in_pieces(synthetic_trace(loops=1, subroutines=1, rounds=2), 1000),
    in_pieces(synthetic_trace(loops=1, subroutines=1, rounds=2), 7),
    in_pieces(synthetic_trace(make("misspecified", D=3, d_star=2, n=4), loops=1, goal="epsilon", finish=False), 20),
]


def read(data):
    found = journal.Journal(io.BytesIO(data), "name", "file")
    trace = Trace(found.instance)
    for record, events in found.records():
        trace.extend_with_record(record, events)
    trace.state_at(len(trace))
    trace.notes.extend(found.notes)
    return trace


def survives(data):
    """A trace that can be walked, shown, summed up and written again, or InputError with one sentence."""
    trace, message = None, "."
    try:
        trace = read(data)
    except InputError as error:
        message = str(error)
    assert message.endswith((".", "?"))
    assert message.isprintable()
    if trace is None:
        return None
    for cursor in range(len(trace), -1, -1):
        state = trace.state_at(cursor)
        assert state.round_counts.shape == (len(trace.instance.arms),)
        assert state.d <= trace.instance.D
    json.dumps(summarise(trace).as_dict())
    assert len(trace.rounds) == len(trace.round_starts)
    assert trace.find(k=1) is None or trace.find(k=1) < len(trace)
    written = journal.header(trace.instance) + b"".join(record for record, _ in trace.records_from(0))
    assert list(read(written)) == list(trace)
    return trace


@FUZZ
@given(st.binary(max_size=300))
def test_random_bytes(data):
    survives(data)
    survives(b"gems-run 1\n" + data)
    survives(HEADER + data)
    survives(HEADER + START + data)


@settings(FUZZ, max_examples=300)
@given(mutated(SEEDS))
def test_mutated_files(data):
    survives(data)


def ends(data):
    """Every byte of what frames a record, and some of what is in it: there all bytes are alike."""
    starts = [at for at in range(len(data)) if data.startswith(b"EVNT", at)]
    near = {at + off for at in starts for off in range(-16, 40)} | set(range(len(data) - 16, len(data)))
    return sorted({*range(starts[0]), *range(0, len(data), 11), *near} & set(range(len(data))))


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_cut_off_anywhere(seed):
    """Up to the instance nothing can be had; after it, what was whole."""
    data = SEEDS[seed]
    whole = list(read(data))
    begins = data.index(b"EVNT")
    lengths = set()
    for end in ends(data):
        if end < begins:
            with pytest.raises(InputError):
                read(data[:end])
            continue
        trace = read(data[:end])
        assert len(trace.notes) <= 1
        assert list(trace) == whole[: len(trace)]
        lengths.add(len(trace))
    assert len(lengths) == data.count(b"EVNT")


@settings(FUZZ, max_examples=150)
@given(st.sampled_from(SEEDS), st.data())
def test_one_bit_anywhere_is_found(data, draw):
    """Behind the version and the instance no change of a bit gives other events: refused, or dropped as a torn end."""
    whole = list(read(data))
    begins = data.index(b"EVNT")
    at = draw.draw(st.integers(begins, len(data) - 1))
    spoiled = bytearray(data)
    spoiled[at] ^= 1 << draw.draw(st.integers(0, 7))
    trace = survives(bytes(spoiled))
    if trace is not None:
        assert list(trace) == whole[: len(trace)]
        assert len(trace) < len(whole)
        assert trace.notes


# -- right checksums around wrong content ------------------------------------------------------------------------

NUMBER = st.integers(-1, 5) | st.integers() | st.floats() | st.sampled_from([2**63, 2**62, 10**400, -(10**20)])
VALUE = st.recursive(
    st.none() | st.booleans() | NUMBER | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
GOOD = {
    "int": st.integers(0, 4),
    "str": st.sampled_from(["fits", "epsilon", "best arm", INSTANCE.digest]),
    "bool": st.booleans(),
    "words": st.dictionaries(st.sampled_from(["epsilon", "delta"]), st.floats(0, 1) | VALUE, max_size=2),
    "floats": st.integers(0, 3),
    "integers": st.integers(0, 3),
}


@st.composite
def chunks(draw):
    """A chunk whose form is nearly right: kinds, columns and raw numbers of about the right number."""
    kinds = draw(st.lists(st.sampled_from(sorted(EVENTS)), min_size=1, max_size=4, unique=True))
    order = draw(st.lists(st.integers(0, len(kinds) - 1), min_size=1, max_size=6))
    tables, raw = {}, b""
    spoil = draw(st.integers(0, 3)) == 0
    for number, kind in enumerate(kinds):
        count = order.count(number)
        column = {name: draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)) for name in ("ell", "i", "k")}
        paired = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
        for name, type_ in SCHEMAS[kind].items():
            if type_ == "float":
                column[name] = "f8"
                raw += struct.pack(f"<{count}d", *draw(st.lists(st.floats(), min_size=count, max_size=count)))
                continue
            entries = draw(st.lists(GOOD[type_], min_size=count, max_size=count))
            if type_ in ("floats", "integers"):
                entries = paired
                size = sum(paired)
                values = draw(
                    st.lists(st.floats() if type_ == "floats" else st.integers(0, 3), min_size=size, max_size=size)
                )
                raw += struct.pack(f"<{size}{'d' if type_ == 'floats' else 'q'}", *values)
            column[name] = entries
        if spoil:
            name = draw(st.sampled_from([*column, "extra"]))
            column[name] = draw(VALUE | st.lists(VALUE, min_size=count, max_size=count))
        tables[kind] = column
    text = json.dumps({"order": order, "kinds": tables}).encode()
    text += b" " * (-len(text) % 8)
    data = len(text).to_bytes(8, "little") + text + raw
    return journal._framed(b"EVNT", zlib.compress(data), len(data), len(order))


@settings(FUZZ, max_examples=120)
@given(st.lists(chunks(), min_size=1, max_size=3))
def test_structured_chunks(records):
    survives(HEADER + START + b"".join(records))


@pytest.mark.long
@pytest.mark.timeout(900)
@settings(FUZZ, max_examples=3000)
@given(st.lists(chunks(), min_size=1, max_size=3))
def test_thousands_of_structured_chunks(records):
    survives(HEADER + START + b"".join(records))


@settings(FUZZ, max_examples=80)
@given(chunks(), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_lengths_that_lie(record, length, count):
    body = record[24:]
    for declared in ((length, count), (length % 2**20, count % 8), (length, 1), (0, 0)):
        survives(HEADER + START + journal._framed(b"EVNT", body, *declared))


@settings(FUZZ, max_examples=100)
@given(st.binary(max_size=200))
def test_any_instance(data):
    survives(b"gems-run 1\n" + journal._framed(b"INST", data, len(data), 0) + START)


@settings(FUZZ, max_examples=60)
@given(st.binary(max_size=60), st.sampled_from([b"", HEADER, HEADER + START]))
def test_the_reader_of_files_says_which_file(tmp_path_factory, data, before):
    path = tmp_path_factory.getbasetemp() / "fuzz.gems"
    path.write_bytes(before + data)
    message = f"{path}: "
    try:
        files.read_run(path)
    except InputError as error:
        message = str(error)
    assert message.startswith(f"{path}: ")
