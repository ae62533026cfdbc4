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


GARBAGE = b"\x00\xff\xfe garbage [[[ \n===\n"


def settings_file():
    file = Path(store().fileName())
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


@pytest.mark.parametrize(
    "garbage",
    [
        GARBAGE,
        b"[General]\nversion=none\ntheme=@Variant(\\0\\0\\0\\x7f)\nfont_scale=-3\ngeometry=@ByteArray(nonsense)\n"
        b'board=@ByteArray(\\0\\0\\0\\xff\\0\\0)\nrecent=1, 2, ""\n',
    ],
    ids=["bytes", "values"],
)
def test_a_corrupt_settings_file_does_not_keep_the_window_from_opening(qtbot, garbage):
    file = settings_file()
    file.write_bytes(garbage)
    with driven(qtbot) as driver:
        assert driver.window.settings.theme == "system"
        assert driver.window.theme.font_scale == 1.0
        assert all(driver.board.docks[name].isVisible() for name in ("survivors", "dimension", "weights", "counts"))
        copy = file.with_name(f"{file.name}.damaged")
        if garbage is GARBAGE:
            assert driver.said() == (
                f"{file}: the settings are damaged; what could be read of them holds, and it is kept as {copy}."
            )
            assert copy.read_bytes() == garbage
        else:
            assert not driver.window.notice.isVisible()
            assert not copy.exists()
        driver.finished()
        driver.press("End")
        assert driver.shown() == len(driver.trace)


def test_settings_of_a_newer_version_are_neither_believed_nor_touched(qtbot):
    file = settings_file()
    file.write_bytes(newer := b"[General]\nfont_scale=2\ntheme=dark\nversion=7\n")
    with driven(qtbot) as first:
        assert not first.window.theme.dark
        assert first.window.theme.font_scale == 1.0
        said = first.said()
        assert said.startswith(
            f"{file}: the settings were written by a newer version of this program (settings version 7"
        )
        first.window.set_theme("dark", 1.21)
    assert file.read_bytes() == newer
    again = Settings()
    assert (again.theme, again.font_scale) == ("dark", 1.21), "this version has its own"
    assert [(each.sentence, each.aloud) for each in again.remarks()] == [(said, False)], "which is said once"
    assert file.read_bytes() == newer


def test_settings_say_their_version_and_older_ones_hold():
    settings_file().write_bytes(b"[General]\nfont_scale=1.1\ntheme=dark\n")
    old = Settings()
    assert (old.theme, old.font_scale, old.remarks()) == ("dark", 1.1, [])
    assert "version" not in store().allKeys(), "reading writes nothing"
    old.theme = "light"
    assert (int(store().value("version")), Settings().theme) == (1, "light")


def test_settings_that_cannot_be_written_are_said_and_hold_until_the_end(tmp_path):
    (tmp_path / "file").write_text("")
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path / "file"))
    kept = Settings()
    (remark,) = kept.remarks()
    assert remark.sentence.startswith(str(tmp_path / "file"))
    assert "cannot be written" in remark.sentence
    kept.theme = "dark"
    assert kept.theme == "dark"
