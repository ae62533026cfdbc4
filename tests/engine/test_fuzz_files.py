"""Whatever the bytes, a reader returns a value or says one sentence; nothing else escapes."""

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gems_engine import files
from gems_engine.errors import InputError
from gems_engine.formats import csv_format, json_format, npz_format, weights
from gems_engine.gallery import make
from gems_engine.instance import Instance

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
SEEDS = [
    make("paper-hard", d_star=2),
    make("transductive", D=3, d_star=2, n=3),
    make("misspecified", D=3, d_star=2, n=4),
]


def json_instance(data):
    return json_format.from_json(data, "name", "file")


def npz_instance(data):
    return npz_format.from_npz(io.BytesIO(data), "name", "file")


def csv_instance(data):
    items = csv_format.read_items(data)
    made = [csv_format.transform(items.features, how, True) for how in csv_format.FEATURES]
    for arms in made[1:]:
        Instance.from_rewards(arms, items.rewards)
    return Instance.from_rewards(made[0], items.rewards, arm_names=items.names)


def json_weights(data):
    return weights.checked(weights.weights_from_json(data), 3)


def npz_weights(data):
    return weights.checked(weights.weights_from_npz(io.BytesIO(data)), 3)


def npy_weights(data):
    return weights.checked(weights.weights_from_npy(data), 3)


def csv_weights(data):
    return weights.checked(weights.weights_from_csv(data, 3, ["a", "b", "c"]), 3)


READERS = [json_instance, npz_instance, csv_instance, json_weights, npz_weights, npy_weights, csv_weights]


def survives(reader, data):
    """A valid value, or InputError with one sentence."""
    try:
        value = reader(data)
    except InputError as error:
        message = str(error)
    else:
        message = "."
        if isinstance(value, Instance):
            known = value.has_rewards
            assert len(value.assumptions()) == (6 if known else 2)
            assert not known or np.isfinite(value.gaps).all()
            assert not known or value.d_star is None or 1 <= value.d_star <= value.D
        else:
            assert value.shape == (3,)
            assert (value >= 0).all()
            assert weights.scaled(value).sum() == pytest.approx(1)
    assert message.endswith((".", "?"))
    assert message.isprintable()


@FUZZ
@given(st.binary(max_size=300))
def test_random_bytes(data):
    for reader in READERS:
        survives(reader, data)


@FUZZ
@given(st.text(alphabet="rewadnmx,\"';\n\r0123456789.-+eE_ nif\x00üNaN[]{}:", max_size=120))
def test_random_text(text):
    for data in (text.encode(), ("reward,x,name\n" + text).encode(), ("arm,weight\n" + text).encode()):
        for reader in (csv_instance, csv_weights, json_instance, json_weights):
            survives(reader, data)


@FUZZ
@given(
    st.lists(st.tuples(*[st.floats(width=64) | st.sampled_from([0.0, 1.0, 1e308, 5e-324])] * 3), min_size=1, max_size=6)
)
def test_any_numbers_as_csv(rows):
    lines = ["reward,x,y", *(",".join(map(repr, row)) for row in rows)]
    survives(csv_instance, "\n".join(lines).encode())


@st.composite
def mutated(draw, valid):
    """Valid bytes with a few of them changed, cut out or doubled."""
    data = bytearray(draw(st.sampled_from(valid)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data) - 1)) if data else 0
        kind = draw(st.sampled_from(["set", "cut", "insert", "truncate", "double"]))
        if kind == "set" and data:
            data[at] = draw(st.integers(0, 255))
        elif kind == "cut":
            del data[at : at + draw(st.integers(1, 20))]
        elif kind == "insert":
            data[at:at] = draw(st.binary(min_size=1, max_size=8))
        elif kind == "truncate":
            del data[at:]
        else:
            data[at:at] = data[at : at + 50]
    return bytes(data)


@FUZZ
@given(mutated([json_format.to_json(seed) for seed in SEEDS]))
def test_mutated_json(data):
    survives(json_instance, data)
    survives(json_weights, data)


@settings(FUZZ, max_examples=200)
@given(mutated([npz_format.to_npz(seed) for seed in SEEDS] + [weights.to_bytes(".npz", np.full(3, 1 / 3))]))
def test_mutated_npz(data):
    survives(npz_instance, data)
    survives(npz_weights, data)


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


@settings(FUZZ, max_examples=100)
@given(mutated([npy(np.full(3, 1 / 3)), npy(np.arange(3)), npy(np.ones((3, 1)))]))
def test_mutated_npy(data):
    survives(npy_weights, data)


@FUZZ
@given(mutated([csv_format.to_csv(SEEDS[0]), csv_format.to_csv(SEEDS[2]), weights.to_bytes(".csv", np.full(3, 1 / 3))]))
def test_mutated_csv(data):
    survives(csv_instance, data)
    survives(csv_weights, data)


NUMBER = st.floats(allow_nan=False) | st.integers(-3, 3) | st.integers() | st.sampled_from([1e101, 1e-101, 10**400])
VALUE = st.recursive(
    st.none() | st.booleans() | NUMBER | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
VECTOR = st.lists(st.integers(-3, 3), min_size=2, max_size=3) | st.lists(NUMBER, max_size=3) | VALUE
TABLE = st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=2, max_size=3) | st.lists(
    VECTOR, max_size=3
)
FIELDS = {
    "arms": TABLE | VALUE,
    "targets": TABLE | VALUE | st.just("arms"),
    "rewards": VECTOR,
    "target_rewards": VECTOR,
    "theta": VECTOR,
    "noise": st.sampled_from(["gaussian:0.5", "bernoulli", "gaussian:1e400", "gaussian:nan"]) | VALUE,
    "name": VALUE,
    "recipe": VALUE | st.fixed_dictionaries({}, optional={"family": VALUE, "parameters": VALUE, "steps": VALUE}),
    "arm_names": VALUE | st.lists(st.text(max_size=3), min_size=2, max_size=3),
    "target_names": VALUE,
}


@settings(FUZZ, max_examples=200)
@given(st.fixed_dictionaries({"arms": FIELDS.pop("arms")}, optional=FIELDS))
def test_structured_json(fields):
    data = json.dumps({"format": "gems-instance", "version": 1, **fields}).encode()
    survives(json_instance, data)


@FUZZ
@given(VECTOR, st.booleans())
def test_structured_weights(vector, wrapped):
    survives(json_weights, json.dumps({"weights": vector} if wrapped else vector).encode())


@settings(FUZZ, max_examples=200)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.tuples(
                st.sampled_from(["<f8", ">f4", "<i8", "|u1", "|O", "<c16", "<U3", "|b1", "<f2", "<M8[s]"]),
                st.lists(st.integers(-1, 4) | st.sampled_from([10**9, 2**63]), max_size=3),
                st.booleans(),
                st.binary(max_size=64) | st.integers(0, 16).map(lambda n: np.arange(n, dtype="<f8").tobytes()),
            )
            for name in ("arms", "targets", "rewards", "theta", "meta", "weights")
        },
    ),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_structured_npz(members, compression):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as stored:
        for name, (descr, shape, fortran, data) in members.items():
            header = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}}}\n".encode()
            stored.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data)
    survives(npz_instance, buffer.getvalue())
    survives(npz_weights, buffer.getvalue())


@settings(FUZZ, max_examples=60)
@given(st.sampled_from([".json", ".npz", ".csv"]), st.binary(max_size=60))
def test_readers_of_files_say_which_file(tmp_path_factory, suffix, data):
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_bytes(data)
    for read in (files.read_instance, lambda p: files.read_weights(p, 3)):
        try:
            read(path)
        except InputError as error:
            message = str(error)
        else:
            message = f"{path}: "
        assert message.startswith(f"{path}: ")
