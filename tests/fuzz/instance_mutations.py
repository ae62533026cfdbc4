"""Instances with changed values: numbers, shapes, names, missing fields; as values of JSON and as files."""

import json
import math
from functools import cache

import numpy as np

from gems_engine.formats import csv_cells, json_format, npz_format
from gems_engine.gallery import make

NUMBERS = (
    0,
    0.0,
    -0.0,
    1,
    -1,
    2,
    0.5,
    1e-9,
    1e9,
    5e-324,
    1e-320,
    1e-300,
    1e150,
    1e300,
    -1e300,
    1.7e308,
    2**63,
    10**400,
)
TEXTS = ("", " ", "x", "=1+1", "'-a", "a\tb", "a\nb", "<img src=x>", "a,b;c", "±∞", "x" * 300, "\u202e", "\x00", "12")
NOISES = (
    "gaussian",
    "gaussian:0",
    "gaussian:1e-300",
    "gaussian:1e300",
    "bernoulli",
    "rademacher",
    "deterministic",
    "?",
)
_TABLES, _VECTORS = ("arms", "targets"), ("rewards", "target_rewards", "theta")
_NAMES = ("arm_names", "target_names", "feature_names")
_RECIPES = (
    {},
    {"family": "sphere"},
    {"family": "sphere", "parameters": {"D": 1e300}},
    {"file": "../x"},
    {"steps": "x"},
)


@cache
def real_instances():
    """Small instances of several families, as values of JSON."""
    made = (
        make("paper-hard", d_star=2),
        make("sphere", D=3, d_star=2, n=5, min_gap=0.1, seed=2),
        make("transductive", D=3, d_star=2, n=3),
        make("misspecified", D=3, d_star=2, n=4),
        make("soare", D=2),
    )
    return [json.loads(json_format.to_json(each)) for each in made]


def changed(said, random):
    """Values of an instance with one to three changes."""
    said = json.loads(json.dumps(said))
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        random.choice(_WAYS)(said, random)
    return said


def _number(said, random):
    """One number, sometimes without θ, which the rewards would contradict."""
    name = random.choice([each for each in (*_TABLES, *_VECTORS) if isinstance(said.get(each), list)] or ["rewards"])
    value = said.get(name)
    if not isinstance(value, list) or not value:
        return
    at = random.randrange(len(value))
    if name in _TABLES and isinstance(value[at], list) and value[at]:
        value = value[at]
        at = random.randrange(len(value))
    value[at] = _value(value[at], random)
    if name != "theta" and random.random() < 0.6:
        said.pop("theta", None)


def _value(old, random):
    near = (old * 2.0, -old, old * (1 + 1e-12), old * 1e-9) if type(old) is float else ()
    other = ("1", None, True, [], [1.0]) if random.random() < 0.2 else ()
    return random.choice((*NUMBERS, *near, *other))


def _scale(said, random):
    """All numbers of a table or of all tables times a factor."""
    factor = random.choice((0.0, -1.0, 1e-300, 1e-160, 1e-9, 1e9, 1e150, 1e300, math.pi))
    names = _TABLES if random.random() < 0.5 else (*_TABLES, *_VECTORS)
    for name in names:
        if _is_numeric(said.get(name)):
            said[name] = (np.array(said[name], dtype=float) * factor).tolist()
    if random.random() < 0.7:
        said.pop("theta", None)


def _is_numeric(value):
    try:
        return isinstance(value, list) and np.array(value, dtype=float).size > 0
    except (TypeError, ValueError, OverflowError):
        return False


def _column(said, random):
    """One feature is the same number for every arm, or equal to another feature."""
    rows = said.get("arms")
    if not _is_numeric(rows) or np.array(rows, dtype=float).ndim != 2:
        return
    table = np.array(rows, dtype=float)
    at = random.randrange(table.shape[1])
    table[:, at] = random.choice((0.0, 1.0, 1e-300, table[:, random.randrange(table.shape[1])]))
    said["arms"] = table.tolist()
    for name in ("theta", "targets"):
        if random.random() < 0.7:
            said.pop(name, None)


def _rows(said, random):
    """A row more, less, twice or of another length."""
    name = random.choice((*_TABLES, *_VECTORS))
    value = said.get(name)
    if not isinstance(value, list) or not value:
        return
    at = random.randrange(len(value))
    way = random.randrange(4)
    if way == 0:
        del value[at]
    elif way == 1:
        value.append(value[at])
    elif way == 2 and isinstance(value[at], list):
        value[at] = value[at][:-1]
    else:
        value[at] = value[random.randrange(len(value))]
    if name == "arms" and random.random() < 0.5:  # rewards that go with it
        said.pop("theta", None)
        said["rewards"] = [0.1 * each for each in range(len(value))]


def _names(said, random):
    name = random.choice(_NAMES)
    count = len(said.get("arms") or ()) if random.random() < 0.8 else random.randrange(5)
    if name == "feature_names" and random.random() < 0.8:
        count, said["version"] = len((said.get("arms") or [[]])[0] or ()), 2
    said[name] = [random.choice(TEXTS) for _ in range(count)]


def _word(said, random):
    name, values = random.choice(
        (("name", TEXTS), ("noise", NOISES), ("noise", NOISES), ("recipe", _RECIPES), ("version", (0, 1, 2, 3, "1")))
    )
    said[name] = random.choice(values)


def _missing(said, random):
    said.pop(random.choice(sorted(said)), None) if said else None


_WAYS = (_number, _number, _number, _number, _scale, _scale, _column, _rows, _names, _word, _missing)


def as_json(said):
    """The bytes of a JSON file, with numbers that JSON does not have as Python writes them."""
    return json.dumps(said).encode()


def as_npz(said):
    """The bytes of an NPZ file; None where the values are no arrays."""
    words = {name: value for name, value in said.items() if name not in (*_TABLES, *_VECTORS)}
    arrays = {name: said[name] for name in (*_TABLES, *_VECTORS) if name in said}
    if arrays.get("targets") == "arms":
        del arrays["targets"]
    if not all(map(_is_numeric, arrays.values())):
        return None
    found = {name: np.array(value, dtype=float) for name, value in arrays.items()}
    if "target_rewards" in found and "rewards" in found:
        found["rewards"] = np.append(found["rewards"], found.pop("target_rewards"))
    return npz_format.pack({**found, "meta": np.frombuffer(json.dumps(words).encode(), dtype=np.uint8)})


def as_csv(said):
    """The bytes of a CSV file of the arms, whatever their shapes."""
    rows, rewards = said.get("arms") or [], said.get("rewards") or []
    names = said.get("arm_names") or []
    header = [
        "name",
        "reward",
        *(said.get("feature_names") or [f"x{j}" for j, _ in enumerate(rows[0] if rows else [])]),
    ]
    lines = [[*names[i : i + 1], *rewards[i : i + 1], *_cells(row)] for i, row in enumerate(rows)]
    return csv_cells.csv_text([header if names else header[1:], *lines]).encode()


def _cells(row):
    return row if isinstance(row, list) else [row]


FORMATS = {".json": as_json, ".npz": as_npz, ".csv": as_csv}
