"""A folder that appears when all of its files are there."""

import os

import pytest

from gems_engine.errors import InputError
from gems_engine.files import NewFolder


def listed(folder):
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.parametrize("empty_there", [False, True])
def test_it_is_there_when_it_is_whole(tmp_path, empty_there):
    if empty_there:
        (tmp_path / "new").mkdir()
    made = NewFolder(tmp_path / "new")
    made.write("1", b"one")
    made.write("2", b"two")
    assert not empty_there or listed(tmp_path / "new") == []
    assert empty_there or not (tmp_path / "new").exists()
    made.finish()
    assert listed(tmp_path) == ["new"]
    assert {name: (tmp_path / "new" / name).read_bytes() for name in listed(tmp_path / "new")} == {
        "1": b"one",
        "2": b"two",
    }
    made.cancel()  # too late
    assert listed(tmp_path / "new") == ["1", "2"]


def test_cancelled_it_was_never_there(tmp_path):
    made = NewFolder(tmp_path / "new")
    made.write("1", b"one")
    made.cancel()
    assert listed(tmp_path) == []
    with pytest.raises(InputError, match="Cannot write 1 in"):
        made.write("1", b"one")


def test_what_is_there_is_not_touched(tmp_path):
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    for name in ("file", "full"):
        with pytest.raises(InputError, match="new or empty"):
            NewFolder(tmp_path / name)
    with pytest.raises(InputError, match="Cannot create the folder"):
        NewFolder(tmp_path / "nowhere" / "new")
    assert listed(tmp_path) == ["file", "full"]


def test_what_came_meanwhile_stays(tmp_path):
    made = NewFolder(tmp_path / "new")
    made.write("1", b"one")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine").write_text("mine")
    with pytest.raises(InputError, match="Cannot create the folder"):
        made.finish()
    assert listed(tmp_path) == ["new"]
    assert listed(tmp_path / "new") == ["mine"]


def test_the_name_may_be_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    made = NewFolder(tmp_path / "link")
    made.write("1", b"one")
    made.finish()
    assert listed(tmp_path / "real") == ["1"]
    assert (tmp_path / "link").is_symlink()
