"""What is remembered between two starts, and that no settings file can keep the window from opening."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QSettings

from gems_gui.settings import LARGEST_SCALE, SMALLEST_SCALE, Settings
from gems_gui.theme import CHOICES
from tests.gui.window_driver import driven


def store():
    return QSettings("gems-lab", "gems-lab")


def test_defaults():
    fresh = Settings()
    assert (fresh.theme, fresh.font_scale, fresh.recent()) == ("system", 1.0, [])
    assert fresh.bytes_of("geometry").isEmpty()


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


values = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**31), 2**31 - 1), st.floats(), st.text(max_size=8), st.binary(max_size=8)
)


@settings(max_examples=60)
@given(st.dictionaries(st.sampled_from(["theme", "font_scale", "geometry", "board", "recent"]), values, min_size=1))
def test_whatever_stands_there_settings_make_sense(garbage):
    kept = store()
    kept.clear()
    for name, value in garbage.items():
        kept.setValue(name, QByteArray(value) if isinstance(value, bytes) else value)
    read = Settings()
    assert read.theme in CHOICES
    assert SMALLEST_SCALE <= read.font_scale <= LARGEST_SCALE
    assert isinstance(read.bytes_of("geometry"), QByteArray)
    assert all(isinstance(path, str) and path for path in read.recent())
    read.add_recent("/tmp/new.json")
    assert read.recent()[0] == "/tmp/new.json"
    kept.clear()


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
        assert second.window.theme.dark
        assert second.window.theme.font_scale == pytest.approx(1 / 1.1)
        assert second.acts["theme_dark"].isChecked()
        assert second.window.height() == 717
        assert second.board.docks["dimension"].isHidden()
        assert second.board.docks["counts"].isVisible()
        second.choose("File/Recent", "kept.gems")
        second.wait(lambda: second.run is not None)
        assert second.run.name == "kept.gems"


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\xff\xfe garbage [[[ \n===\n",
        b"[General]\ntheme=@Variant(\\0\\0\\0\\x7f)\nfont_scale=-3\ngeometry=@ByteArray(nonsense)\n"
        b'board=@ByteArray(\\0\\0\\0\\xff\\0\\0)\nrecent=1, 2, ""\n',
    ],
    ids=["bytes", "values"],
)
def test_a_corrupt_settings_file_does_not_keep_the_window_from_opening(qtbot, garbage):
    file = Path(store().fileName())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(garbage)
    with driven(qtbot) as driver:
        assert driver.window.settings.theme == "system"
        assert driver.window.theme.font_scale == 1.0
        assert all(driver.board.docks[name].isVisible() for name in ("survivors", "dimension", "weights", "counts"))
        driver.finished()
        driver.press("End")
        assert driver.shown() == len(driver.trace)
