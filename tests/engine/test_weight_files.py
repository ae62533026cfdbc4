"""Files of weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import files
from gems_engine.design import check_weights
from gems_engine.errors import InputError
from tests.engine.instance_files import savez


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 20))
def test_weights_round_trip(tmp_path_factory, seed, n):
    weights = np.random.default_rng(seed).dirichlet(np.ones(n))
    folder = tmp_path_factory.getbasetemp()
    for suffix in ("csv", "npz", "json"):
        files.write_weights(folder / f"w.{suffix}", weights)
        np.testing.assert_array_equal(files.read_weights(folder / f"w.{suffix}", n), weights)


@pytest.mark.parametrize(
    ("name", "text", "weights"),
    [
        ("w.csv", "0.5\n0.25\n0.25\n", [0.5, 0.25, 0.25]),
        ("w.csv", "weight\n2\n1\n1\n", [2, 1, 1]),
        ("w.csv", "0.5,0.25,0.25\n", [0.5, 0.25, 0.25]),
        ("w.csv", " 3, 1, 0\n\n", [3, 1, 0]),
        ("w.csv", "arm,weight\n2,0.5\n0,0.5\n", [0.5, 0, 0.5]),
        ("w.csv", "note,weight,arm\nx,1,b\n", [0, 1, 0]),
        ("w.csv", "0.5;0.25;0.25\n", [0.5, 0.25, 0.25]),
        ("w.csv", "0.5\t0.25\t0.25\n", [0.5, 0.25, 0.25]),
        ("w.csv", "arm;weight\n2;0.5\n0;0.5\n", [0.5, 0, 0.5]),
        ("w.csv", "1e-310\n1e-310\n2e-310\n", [1e-310, 1e-310, 2e-310]),
        ("w.json", "[1e308, 1e308, 1e308]", [1e308, 1e308, 1e308]),
        ("w.json", "[1, 1, 2]", [1, 1, 2]),
        ("w.json", '{"value": 3.0, "weights": [0, 0, 1]}', [0, 0, 1]),
    ],
)
def test_weights_by_hand(tmp_path, name, text, weights):
    path = tmp_path / name
    path.write_text(text)
    np.testing.assert_array_equal(files.read_weights(path, 3, arm_names=["a", "b", "c"]), weights)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("w.csv", "", "The file is empty"),
        ("w.csv", "0.5\n0.5\n", "There are 2 weights: there must be 3"),
        ("w.csv", "0.5\nx\n1\n", 'Line 2, column "weight" is "x"'),
        ("w.csv", "1\n1,2\n1\n", "Line 2 does not have as many cells"),
        ("w.csv", "0.5,0.5\n", "There are 2 weights: there must be 3"),
        (
            "w.csv",
            "1,2,3\n4,5,6\n",
            "several rows of numbers. Give one row, one column, or the columns arm and weight",
        ),
        ("w.csv", "0,5;0,25;0,25\n", "not clear whether commas or semicolons separate"),
        ("w.csv", "1,nan,3\n", 'Line 1, column "weight" is "nan"'),
        ("w.csv", "lambda,arm\n1,0\n", 'There is no column "weight"'),
        ("w.csv", "arm,weight\n0,1\n0,1\n", 'Line 3: "0" appears twice'),
        ("w.csv", "arm,weight\n3,1\n", 'Line 2, column "arm" is "3": write a name such as arm 2, or an index from 0'),
        ("w.csv", "arm,weight\n1\n", "Line 2 does not have as many cells"),
        ("w.csv", "1\n-1\n1\n", r"weights\[1\] is -1.0"),
        ("w.csv", "0\n0\n0\n", "Every weight is 0"),
        ("w.json", "{}", "field weights is missing"),
        ("w.json", "3", "weights is 3: it must be a list"),
        ("w.json", f"[1, 1, 1{'0' * 400}]", "too large"),
        ("w.json", "[1, 1, 1e999]", r"weights\[2\] is inf"),
        ("w.npz", "", "not a complete NPZ"),
        ("w.npy", "", "The array weights has a damaged header"),
        ("w.txt", "", "must end in .json, .npz, .csv or .npy"),
    ],
)
def test_bad_weights_get_one_sentence(tmp_path, name, text, sentence):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=sentence) as caught:
        files.read_weights(path, 3)
    assert str(caught.value).startswith(f"{path}: ")


def test_the_only_array_needs_no_name_and_one_of_several_does(tmp_path):
    path = tmp_path / "w.npz"
    for name in ("weights", "lam"):
        path.write_bytes(savez(**{name: np.array([1, 3])}))
        np.testing.assert_array_equal(files.read_weights(path, 2), [1, 3])
    path.write_bytes(savez(weights=np.array([1, 3]), lam=np.array([5, 6])))
    np.testing.assert_array_equal(files.read_weights(path, 2), [1, 3])
    path.write_bytes(savez(one=np.array([1, 3]), lam=np.array([5, 6])))
    with pytest.raises(
        InputError, match="array weights is missing: if there are several arrays, one must have that name"
    ):
        files.read_weights(path, 2)
    path.write_bytes(savez(lam=np.ones((2, 2))))
    with pytest.raises(InputError, match="weights has 2 dimensions: it must have 1"):
        files.read_weights(path, 2)


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i8", "|u1"])
def test_an_npy_file_is_read(tmp_path, dtype):
    np.save(tmp_path / "w.npy", np.array([1, 3, 0], dtype=dtype))
    found = files.read_weights(tmp_path / "w.npy", 3)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [1, 3, 0])


def test_an_npy_file_is_never_unpickled(tmp_path):
    np.save(tmp_path / "w.npy", np.array([1, "x"], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match='has the type "object": it must have real numbers'):
        files.read_weights(tmp_path / "w.npy", 2)


def test_weights_are_written_with_the_sum_one(tmp_path):
    files.write_weights(tmp_path / "w.csv", [3.0, 1.0])
    np.testing.assert_array_equal(files.read_weights(tmp_path / "w.csv", 2), [0.75, 0.25])


@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (3,)])
def test_an_npy_of_one_row_or_one_column_is_understood(tmp_path, shape):
    np.save(tmp_path / "w.npy", np.reshape([3.0, 1.0, 0.0], shape))
    np.testing.assert_array_equal(files.read_weights(tmp_path / "w.npy", 3), [3, 1, 0])


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e308])
def test_weights_of_any_size_become_proportions(size):
    np.testing.assert_allclose(check_weights([size, size, 0.0], 3), [0.5, 0.5, 0.0], rtol=1e-12)
