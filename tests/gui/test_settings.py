"""What is remembered between two starts, and that no settings file can keep the window from opening."""

import json
import os
import stat
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray

from gems_engine.files import exclusive
from gems_gui.settings import Settings
from gems_gui.settings_store import settings_file
from gems_gui.theme import CHOICES, LARGEST_SCALE, SMALLEST_SCALE, text_scale
from tests.gui.window_driver import driven


def write(data):
    """Put something into the place of the settings."""
    file = settings_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return file


def test_defaults():
    fresh = Settings()
    assert (fresh.theme, fresh.font_scale, fresh.recent()) == ("system", 1.0, [])
    assert fresh.bytes_of("geometry").isEmpty()


@pytest.mark.skipif(os.name == "nt", reason="permissions of Windows")
def test_only_the_user_may_read_them():
    file = write(b"damaged")
    file.chmod(0o644)  # as an older version has left them
    file.parent.chmod(0o755)
    Settings().theme = "dark"
    assert Settings().theme == "dark"
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (file.parent, *file.parent.iterdir())}
    names = ("settings.json", "settings.json.damaged", "settings.lock")
    assert modes == {file.parent.name: 0o700, **dict.fromkeys(names, 0o600)}


@pytest.mark.parametrize(
    ("width", "height", "dpi", "scale"),
    [
        (1366, 768, 96, 1.0),
        (1440, 900, 72, 1.0),  # macOS counts 72 in an inch
        (1920, 1080, 96, 1.0),
        (2560, 1440, 96, 1.25),
        (3440, 1440, 96, 1.25),  # not by its width
        (3840, 2160, 96, 1.75),
        (1920, 1080, 144, 1.5),
        (1366, 768, 144, 1.2),  # not more than fits
        (800, 800, 96, 1.0),
        (20_000, 20_000, 96, LARGEST_SCALE),
    ],
)
def test_text_is_larger_on_a_large_screen(width, height, dpi, scale):
    assert text_scale(width, height, dpi) == scale


@given(st.integers(1, 30_000), st.integers(1, 30_000), st.floats(10, 1000))
def test_no_screen_makes_text_too_small_or_too_large(width, height, dpi):
    assert 1.0 <= text_scale(width, height, dpi) <= LARGEST_SCALE
    assert text_scale(width, height, dpi) <= text_scale(width + 100, height + 100, dpi + 10)


def test_everything_comes_back():
    kept = Settings()
    kept.theme, kept.font_scale = "dark", 1.21
    kept.keep_bytes("board", QByteArray(b"\x00\xff"))
    kept.add_recent("/tmp/only.json")
    again = Settings()
    assert (again.theme, again.font_scale, again.recent()) == ("dark", 1.21, ["/tmp/only.json"])
    assert again.bytes_of("board").data() == b"\x00\xff"


def test_recent_files_are_ten_the_newest_first_and_none_twice():
    kept = Settings()
    for number in (*range(14), 9):
        kept.add_recent(f"/tmp/{number}, with a comma.json")
    assert Settings().recent() == [f"/tmp/{number}, with a comma.json" for number in (9, 13, 12, 11, 10, 8, 7, 6, 5, 4)]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
NAMES = ["theme", "font_scale", "geometry", "board", "recent", "experiments", "layout", "layouts", "export", "welcome"]


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from([*NAMES, "view_options"]), values, min_size=1))
def test_whatever_stands_there_settings_make_sense(garbage):
    write(garbage)
    read = Settings()
    assert read.theme in CHOICES
    assert SMALLEST_SCALE <= read.font_scale <= LARGEST_SCALE
    assert isinstance(read.bytes_of("geometry"), QByteArray)
    assert all(isinstance(path, str) and path for path in read.recent() + read.recent_experiments())
    assert isinstance(read.layout, str)
    assert all(isinstance(state, QByteArray) for state in read.layouts().values())
    assert isinstance(read.export_choice(), dict)
    assert all(isinstance(chosen, dict) for chosen in read.view_options().values())
    assert isinstance(read.welcome, bool)
    read.add_recent("/tmp/new.json")
    assert read.recent()[0] == "/tmp/new.json"
    assert Settings().recent()[0] == "/tmp/new.json"


def test_two_windows_keep_what_the_other_has_changed():
    first, second = Settings(), Settings()
    first.theme, second.font_scale = "dark", 1.21
    assert (Settings().theme, Settings().font_scale) == ("dark", 1.21)
    first.add_recent("/x/a.json")
    second.add_recent("/x/b.json")
    first.add_recent_experiment("/x/a.toml")
    second.add_recent_experiment("/x/results")
    assert (second.recent(), Settings().recent()) == (["/x/b.json", "/x/a.json"],) * 2
    assert Settings().recent_experiments() == ["/x/results", "/x/a.toml"]
    first.keep_layout("mine", QByteArray(b"1"))
    second.keep_layout("yours", QByteArray(b"2"))
    assert Settings().layouts() == {"mine": b"1", "yours": b"2"}
    first.forget_layout("yours")
    assert Settings().layouts() == first.layouts() == {"mine": b"1"}
    first.forget_recent(["/x/a.json"])
    assert (first.recent(), Settings().recent()) == (["/x/b.json"],) * 2


def test_changes_of_two_windows_at_the_same_time_are_all_kept():
    """What another window writes between our reading and our writing would be lost."""
    first, second = Settings(), Settings()
    second.theme = "dark"
    waits = threading.Event()

    def change(value):
        other = threading.Thread(target=second._store.set_value, args=("welcome", False))
        other.start()
        waits.wait(0.05)
        assert "welcome" not in json.loads(settings_file().read_text()), "the other window waits"
        started.append(other)
        return 1.21

    started = []
    first._store.change_value("font_scale", change)
    started[0].join()
    now = Settings()
    assert (now.theme, now.font_scale, now.welcome) == ("dark", 1.21, False)


def test_a_lock_that_is_not_released_or_cannot_be_made_does_not_prevent_a_change(tmp_path):
    settings = Settings()
    settings.theme = "dark"
    with exclusive(settings_file().with_suffix(".lock")):
        settings.theme = "light"
    assert Settings().theme == "light"
    settings_file().with_suffix(".lock").unlink()
    settings_file().with_suffix(".lock").mkdir()
    settings.theme = "dark"
    assert Settings().theme == "dark"


def test_a_path_is_kept_so_that_it_is_found_from_everywhere(tmp_path, monkeypatch):
    write({"recent": ["of-some-folder.json", "/x/a.json"]})
    monkeypatch.chdir(tmp_path)
    kept = Settings()
    assert kept.recent() == ["/x/a.json"], "the other one is unknown"
    kept.add_recent("mine.json")
    kept.add_recent_experiment("mine.toml")
    monkeypatch.chdir("/")
    assert Settings().recent() == [str(tmp_path / "mine.json"), "/x/a.json"]
    assert Settings().recent_experiments() == [str(tmp_path / "mine.toml")]


@pytest.mark.parametrize("version", ["2", 2.0, 1.5])
def test_a_newer_version_is_one_however_it_is_written(version):
    file = write({"theme": "dark", "version": version})
    before = file.read_bytes()
    Settings().font_scale = 1.21
    assert (Settings().theme, Settings().font_scale, file.read_bytes()) == ("system", 1.21, before)


def test_no_settings_file_runs_code(tmp_path):
    """Qt's settings unpickle a value that says so; ours are read by nothing that could."""
    evil = b'[General]\ntheme="@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x18PySide::PyObjectWrapper\\0\\0\\0\\0\\x80)"\n'
    old = settings_file().parent / "gems-lab.conf"
    old.parent.mkdir(parents=True, exist_ok=True)
    old.write_bytes(evil)
    write(evil)
    assert Settings().theme == "system"
    (remark,) = Settings().remarks()
    assert "settings.json are damaged" in remark.sentence
    assert os.listdir(tmp_path) == []


def test_a_second_window_looks_as_the_first_was_left(qtbot, tmp_path):
    with driven(qtbot) as first:
        first.choose("View/Theme", "Dark")
        first.press("Ctrl+-")
        first.window.resize(799, 717)  # the offscreen platform's screen has 800×800
        first.choose("View/Views", first.views["dimension"].title)
        assert not first.views["dimension"].body.isVisible()
        first.finished()
        first.press("Ctrl+S")
        first.answer(tmp_path / "kept.gems")
        first.said()
    with driven(qtbot, size=None) as second:
        assert second.theme.dark
        assert second.theme.font_scale == pytest.approx(1 / 1.1)
        assert second.actions["theme_dark"].isChecked()
        assert second.window.height() == 717
        assert second.board.docks["dimension"].isHidden()
        assert second.board.docks["counts"].isVisible()
        second.choose("File/Recent", "kept.gems")
        second.wait(lambda: second.run is not None)
        assert second.run.name == "kept.gems"


GARBAGE = b"\x00\xff\xfe garbage [[[ \n===\n"
SENSELESS = {
    "version": "none",
    "theme": 3,
    "font_scale": -3,
    "geometry": "nonsense",
    "board": "AAA=",
    "recent": [1, ""],
}


@pytest.mark.parametrize("garbage", [GARBAGE, json.dumps(SENSELESS).encode()], ids=["bytes", "values"])
def test_a_corrupt_settings_file_does_not_keep_the_window_from_opening(qtbot, garbage):
    file = write(garbage)
    with driven(qtbot) as driver:
        assert driver.window.settings.theme == "system"
        assert driver.theme.font_scale == 1.0
        assert all(driver.board.docks[name].isVisible() for name in ("survivors", "dimension", "weights", "counts"))
        copy = file.with_name(f"{file.name}.damaged")
        if garbage is GARBAGE:
            assert driver.said() == (
                f"The settings in {file} are damaged. They were saved as {copy}; default settings are used."
            )
            assert copy.read_bytes() == garbage
        else:
            assert not driver.message
            assert not copy.exists()
        driver.finished()
        driver.press("End")
        assert driver.shown() == len(driver.trace)


def test_settings_of_a_newer_version_are_neither_believed_nor_touched(qtbot):
    file = write(newer := b'{"font_scale": 2, "theme": "dark", "version": 7}')
    with driven(qtbot) as first:
        assert not first.theme.dark
        assert first.theme.font_scale == 1.0
        said = first.said()
        assert said.startswith(
            f"The settings in {file} were written by a newer version of this program (settings version 7"
        )
        first.set_look("dark", 1.21)
    assert file.read_bytes() == newer
    again = Settings()
    assert (again.theme, again.font_scale) == ("dark", 1.21), "this version has its own"
    assert [(each.sentence, each.as_message) for each in again.remarks()] == [(said, False)], "which is said once"
    assert file.read_bytes() == newer


def test_settings_that_a_newer_version_writes_meanwhile_are_left_alone_too(qtbot):
    file = write({"theme": "light", "version": 1})
    with driven(qtbot) as driver:
        newer = write(b'{"theme": "system", "version": 7}').read_bytes()
        driver.set_look("dark", 1.21)
        said = driver.said()
        assert said.startswith(f"The settings in {file} were written by a newer version of this program")
        assert driver.theme.dark
        driver.set_look("dark", 1.0)
        assert driver.said() == said, "it is said once"
    assert file.read_bytes() == newer
    again = Settings()
    assert (again.theme, again.font_scale) == ("dark", 1.0)
    assert [(each.sentence, each.as_message) for each in again.remarks()] == [(said, False)]


def test_settings_say_their_version_and_older_ones_hold():
    file = write({"font_scale": 1.1, "theme": "dark"})
    old = Settings()
    assert (old.theme, old.font_scale, old.remarks()) == ("dark", 1.1, [])
    assert "version" not in json.loads(file.read_text()), "reading writes nothing"
    old.theme = "light"
    assert json.loads(file.read_text()) == {"font_scale": 1.1, "theme": "light", "version": 1}


def test_settings_that_cannot_be_written_are_said_and_hold_until_the_end(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    kept = Settings()
    (remark,) = kept.remarks()
    assert remark.sentence.startswith(f"Cannot write the settings to {tmp_path / 'file'}")
    kept.theme = "dark"
    assert kept.theme == "dark"
