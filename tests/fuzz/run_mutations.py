"""Run files with correct checksums around changed content: fields, positions and order of events, the instance."""

import contextlib
import json
import math
from functools import cache
from unittest import mock

import numpy as np

from gems_engine.algorithms import BUILT_IN
from gems_engine.errors import InputError
from gems_engine.events import Place, RunStarted
from gems_engine.files import read_run
from gems_engine.formats import chunk, journal, json_format
from gems_engine.formats.chunk import SCHEMAS
from gems_engine.formats.event_rules import Sizes
from gems_engine.gallery import make
from gems_engine.running import Run
from tests.engine.small_settings import SHORTER
from tests.engine.synthetic_runs import synthetic_trace
from tests.fuzz.instance_mutations import as_json, changed
from tests.fuzz.readers import ROOT

FLOATS = (math.nan, math.inf, -math.inf, 0.0, -0.0, -1.0, 0.5, 1.0, 2.0, 5e-324, 1e-320, 1e-300, 1e300, -1e300, 1.7e308)
WHOLES = (-1, 0, 1, 2, 3, 7, 8, 30, 1000, 2**31, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**70, 2**1023, 2**1025)
TEXTS = (
    *("", "fits", "too dear", "not proven", "forced", "optimal", "stalled", "gems-b", "gems-c", "gems-m", "rage"),
    *("oracle", "fixed-budget", "fixed-confidence", "misspecified", "static-oracle", "synthetic", "first guess"),
    *("singleton", "no dimension fits", "cap", "epsilon", "best arm", "outside", "certified", "frank-wolfe"),
    *("the highest mean in validation", "linear", "quadratic", "gaussian:0.5", "<b>x</b>", "x" * 900, "±∞"),
)
_LENGTHS = (*(8, 12, 16, 20, 24, 32, 48), None)
"""Events of a run that are kept before changes: most runs are short, which takes less time."""


@cache
def real_runs():
    """Short runs of every algorithm, made-up ones, and those of older versions."""
    instances = [make("paper-hard", d_star=2), make("sphere", D=4, d_star=2, n=6, min_gap=0.1, seed=2)]
    runs = []
    for name in BUILT_IN:
        for instance in instances:
            try:
                runs.append(Run(instance, name, 1, **SHORTER[name]).finish())
            except InputError:  # not for this algorithm
                continue
    runs.append(synthetic_trace(loops=1, subroutines=2, rounds=2))
    runs.append(synthetic_trace(make("misspecified", D=3, d_star=2, n=4), loops=1, rounds=2, goal="epsilon"))
    runs.append(synthetic_trace(make("transductive", D=3, d_star=2, n=3), loops=2, rounds=2, finish=False))
    runs += [read_run(path) for path in sorted((ROOT / "tests" / "data" / "runs").glob("*.gems"))]
    return [(run.instance, list(run)) for run in runs]


def mutated_run(random):
    """The bytes of a changed run, the cursors near the changes, and the events as they were."""
    instance, real = random.choice(real_runs())
    events, places = real[: random.choice(_LENGTHS)], []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = _some_event(events, random)
        changed = random.choice(_CHANGES)(events, at, random)
        places.append(at if changed is None else changed)
    if random.random() < 0.1:
        del events[random.randrange(1, len(events) + 1) :]
    start = _instance_record(instance, events, random) if random.random() < 0.12 else journal.beginning(instance)
    with mock.patch.object(chunk, "check", _unchecked):
        records = _records(events, Sizes.of(instance), random.choice((10, 40, 4000, 4000, 4000)))
    return journal.LINE + start + b"".join(records), places, (instance, real)


def _unchecked(*_):
    """As the check of a table of events, without checking anything."""


def _instance_record(instance, events, random):
    """The record of a changed instance; sometimes the first event has its digest."""
    data = as_json(changed(_values(instance), random))
    if isinstance(events[0], RunStarted) and random.random() < 0.7:
        with contextlib.suppress(InputError):
            events[0] = _with(events[0], instance=json_format.from_json(data, "name", "file").digest)
    return journal._framed(journal._INSTANCE, data, len(data), 0)


@cache
def _values(instance):
    return json.loads(json_format.to_json(instance))


def _records(events, sizes, size):
    return [journal.record(events[at : at + size], sizes, 1) for at in range(0, len(events), size)]


def _some_event(events, random):
    """Each kind is equally likely, however rare it is."""
    kind = random.choice(sorted({type(each).__name__ for each in events}))
    return random.choice([at for at, each in enumerate(events) if type(each).__name__ == kind])


def _with(event, **values):
    changed = object.__new__(type(event))
    changed.__dict__.update(event.__dict__, **values)
    return changed


def _field(events, at, random):
    event = events[at]
    schema = SCHEMAS[event.kind]
    name = random.choice(sorted(schema))
    events[at] = _with(event, **{name: _VALUES[schema[name]](getattr(event, name), random)})


def _same_everywhere(events, at, random):
    """The same change in every event of a kind, so that they agree with each other."""
    event = events[at]
    schema = SCHEMAS[event.kind]
    name = random.choice(sorted(schema))
    value = _VALUES[schema[name]](getattr(event, name), random)
    if schema[name] in ("floats", "integers"):
        return
    for number, each in enumerate(events):
        if each.kind == event.kind:
            events[number] = _with(each, **{name: value})


def _place(events, at, random):
    place = events[at].place
    values = {name: getattr(place, name) for name in ("ell", "i", "k")}
    name = random.choice(sorted(values))
    values[name] = _whole(values[name], random)
    events[at] = _with(events[at], place=Place(**values))


def _swap(events, at, random):
    other = min(at + 1, len(events) - 1) if random.random() < 0.7 else random.randrange(len(events))
    events[at], events[other] = events[other], events[at]


def _remove(events, at, random):
    if len(events) > 1:
        del events[at]
    return min(at, len(events) - 1)


def _repeat(events, at, random):
    to = at if random.random() < 0.5 else random.randrange(len(events) + 1)
    events.insert(to, events[at])
    return to


def _move(events, at, random):
    event = events.pop(at)
    to = random.randrange(len(events) + 1)
    events.insert(to, event)
    return to


def _other_kind(events, at, random):
    """An event of another kind at this position, with the values that it has elsewhere."""
    other = events[_some_event(events, random)]
    events[at] = _with(other, place=events[at].place)


def _parameters(events, at, random):
    """The settings of the run: other values, or some or all missing."""
    start = events[0]
    if not isinstance(start, RunStarted):
        return None
    words = start.parameters if random.random() < 0.7 else {}
    for _ in range(random.randint(1, 3)):
        words = _words(words, random)
    if random.random() < 0.3:
        words = {name: value for name, value in words.items() if random.random() < 0.5}
    events[0] = _with(start, parameters=words)
    return 0


_CHANGES = (
    *(_field,) * 10,
    *(_same_everywhere,) * 2,
    _parameters,
    _place,
    _place,
    _swap,
    _remove,
    _repeat,
    _move,
    _other_kind,
)


def _float(value, random):
    ways = (*FLOATS, value * 2.0, -value, value * (1.0 + 1e-12), value / 3.0, value * 1e9, value * 1e-9)
    return float(random.choice(ways))


def _whole(value, random):
    return random.choice((*WHOLES, value + 1, value - 1, 2 * value, -value, value + 7))


def _array(new, dtype):
    def change(value, random):
        entries = value.tolist()
        way = random.randrange(7)
        if way == 0:
            entries = entries[:-1]
        elif way == 1:
            entries = [*entries, new(1, random)]
        elif way == 2:
            entries = [new(each, random) for each in entries]
        elif way == 3:
            entries = entries[::-1]
        elif way == 4 and entries:
            entries[random.randrange(len(entries))] = random.choice(entries)
        elif entries:
            entries[random.randrange(len(entries))] = new(random.choice(entries), random)
        if dtype is np.int64:
            entries = [min(max(each, -(2**63)), 2**63 - 1) for each in entries]
        return np.array(entries, dtype=dtype)

    return change


def _text(value, random):
    return random.choice(TEXTS)


def _words(value, random):
    words = dict(value)
    name = random.choice([*sorted(words), "delta", "epsilon", "zeta", "budget", "solver", "rounding", "extra"])
    if random.random() < 0.2:
        words.pop(name, None)
        return words
    words[name] = random.choice((*FLOATS, *WHOLES, *TEXTS, None, True, False))
    return words


_VALUES = {
    "int": _whole,
    "float": _float,
    "bool": lambda value, random: not value,
    "str": _text,
    "words": _words,
    "floats": _array(_float, np.float64),
    "integers": _array(_whole, np.int64),
}
assert {each for schema in SCHEMAS.values() for each in schema.values()} <= set(_VALUES)
