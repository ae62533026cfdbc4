"""Features are called as their columns are, through files and tables; else by their number."""

import pickle

import numpy as np
import pytest

from gems_engine.errors import InputError
from gems_engine.files import read_instance, read_items_csv, write_instance
from gems_engine.formats.csv_format import feature_names_of
from gems_engine.instance import Instance

CSV = "name,reward,height,weight\nann,1.0,1.5,2.5\nbob,0.5,1.0,0.0\n"


@pytest.fixture
def people(tmp_path) -> Instance:
    (tmp_path / "people.csv").write_text(CSV, encoding="utf-8")
    return read_items_csv(tmp_path / "people.csv")


def labels(instance: Instance) -> list[str]:
    return [instance.feature_label(j) for j in range(instance.D)]


def test_columns_of_a_csv_are_the_names_of_features(people):
    assert labels(people) == ["height", "weight"]
    assert labels(people.truncated(1)) == ["height"]
    assert labels(people.with_noise("deterministic")) == ["height", "weight"]
    assert labels(pickle.loads(pickle.dumps(people))) == ["height", "weight"]


def test_columns_that_only_count_are_no_names():
    assert feature_names_of(["x1", "x2"]) is None
    assert feature_names_of(["x2", "x1"]) == ("x2", "x1")
    assert feature_names_of(["a", "b" * 300]) == ("a", "")
    assert labels(Instance.linear(np.eye(2), [1.0, 0.0])) == ["feature 1", "feature 2"]


@pytest.mark.parametrize("suffix", [".json", ".npz", ".csv"])
def test_files_keep_them(people, tmp_path, suffix):
    path = tmp_path / f"again{suffix}"
    write_instance(path, people)
    assert labels(read_instance(path)) == ["height", "weight"]


def test_a_file_without_names_is_of_the_first_version(tmp_path, people):
    write_instance(tmp_path / "a.json", Instance.linear(np.eye(2), [1.0, 0.0]))
    assert '"version": 1' in (tmp_path / "a.json").read_text()
    write_instance(tmp_path / "b.json", people)
    assert '"version": 2' in (tmp_path / "b.json").read_text()


@pytest.mark.parametrize("names", [("reward", "b"), ("a", "a"), ("a", ""), ("1", "2")])
def test_names_that_a_csv_cannot_hold_are_numbered(tmp_path, names):
    odd = Instance.linear(np.eye(2), [1.0, 0.0], feature_names=names)
    write_instance(tmp_path / "odd.csv", odd)
    assert (tmp_path / "odd.csv").read_text().startswith("reward,x1,x2\n")


def test_there_is_one_for_each_feature():
    with pytest.raises(InputError, match="feature_names must be 2 texts"):
        Instance.linear(np.eye(2), [1.0, 0.0], feature_names=("a",))
