"""Exports from the window: the dialog, the preview, the file in the background, giving up, the clipboard."""

import os
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from gems_gui.exports.export_choice import ExportChoice, Scene
from gems_gui.exports.export_dialog import ExportDialog
from gems_gui.exports.export_fields import SEVERAL
from gems_gui.painting.formats import SUFFIXES
from gems_gui.paths import file_stem
from gems_gui.snapshot import Snapshot
from gems_gui.views import EVERY_VIEW
from tests.gui.sample_runs import run
from tests.gui.window_driver import driven

ROOT = Path(__file__).parents[2]


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        made.finished()
        yield made


def opened(driver, **chosen):
    """The dialog, with something chosen."""
    driver.press("Ctrl+E")
    dialog = driver.window.exports.dialog
    if chosen:
        dialog.choose(replace(dialog.choice, **chosen))
        dialog.changed.emit()
    return dialog


def exported(driver, dialog, file):
    """Ask for a file and wait for it."""
    dialog.go.click()
    driver.answer(file)
    driver.wait(lambda: not driver.window.exports.exports.busy)
    return driver.said()


def headless(lines, folder):
    """Run gems commands in a process of its own that has no display."""
    words = [shlex.split(line) for line in lines]
    assert {each[0] for each in words} == {"gems"}
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    code = f"from gems_engine.cli import main; assert not any([main(each[1:]) for each in {words!r}])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


# -- in a window ------------------------------------------------------------------------------------------------------


def test_the_window_and_the_command_make_the_same_file(driver, tmp_path):
    """Byte by byte, with everything about the look changed that can be."""
    driver.actions["layout_explore"].trigger()
    driver.press("Ctrl+Right", 3)
    driver.views["counts"].set_option("scale", "log")
    driver.workbench.select_arm(2)
    driver.set_look("dark", 1.1)
    driver.press("Ctrl+S")
    driver.answer(tmp_path / "run.gems")
    driver.wait(lambda: driver.run.saved)
    dialog = opened(driver, size="700 × 500", captioned=True)
    driver.wait(lambda: not dialog.preview._pixmap.isNull())
    lines = []
    (tmp_path / "window").mkdir()
    for suffix in (".png", ".svg", ".html"):
        dialog.choose(replace(dialog.choice, suffix=suffix, several=suffix == ".html", last="12"))
        file = tmp_path / "window" / f"run{suffix}"  # a page has the name of its file in it
        assert exported(driver, dialog, file) == f"Exported to {file}."
        driver.wait(lambda: dialog.sentence.isVisible())
        assert dialog.sentence.text() == f"Exported to {file}.", "the window is behind the dialog"
        dialog.command.click()
        assert dialog.sentence.text() == "Copied the command that makes the same file."
        lines.append(QGuiApplication.clipboard().text())
    headless(lines, tmp_path)
    for suffix in (".png", ".svg", ".html"):
        assert (tmp_path / f"run{suffix}").read_bytes() == (tmp_path / "window" / f"run{suffix}").read_bytes()
    with Image.open(tmp_path / "window" / "run.png") as image:
        assert image.size == (700, 500)
        assert np.asarray(image.convert("RGB")).mean() > 200  # light, whatever the window is
    shown = dialog.preview.label.pixmap()
    assert shown.width() / shown.height() == pytest.approx(700 / 500, rel=0.02)


def test_a_film_in_the_background_and_giving_it_up(driver, tmp_path):
    dialog = opened(driver, suffix="", several=True, every="event", size="900 × 600")
    dialog.go.click()
    driver.answer(tmp_path / "film")
    exports = driver.window.exports.exports
    driver.wait(lambda: exports.progress[0] >= 3)
    assert dialog.cancel.isVisible()
    assert not dialog.go.isEnabled()
    assert f" of {len(driver.trace) + 1}" in dialog.far.text()
    before = driver.cursor
    driver.window.activateWindow()
    driver.actions["event_forward"].trigger()
    assert driver.shown() == before + 1  # the window goes on meanwhile
    assert exports.busy
    (job,) = driver.workbench.jobs.running
    assert (job.title, job.total) == (f"Export to {tmp_path / 'film'}", len(driver.trace) + 1)
    driver.click(dialog.cancel)
    driver.wait(lambda: not exports.busy)
    assert not driver.workbench.jobs.running
    assert "was cancelled" in driver.said()
    assert list(tmp_path.iterdir()) == []
    assert not dialog.bar.isVisible()


def test_closing_the_window_gives_up_and_leaves_nothing(driver, tmp_path):
    dialog = opened(driver, suffix="", several=True, every="event", size="900 × 600")
    dialog.go.click()
    driver.answer(tmp_path / "film")
    driver.wait(lambda: driver.window.exports.exports.progress[0] >= 2)
    driver.window.close_without_asking()
    assert list(tmp_path.iterdir()) == []
    assert driver.window.exports.exports.pid is None


@pytest.mark.parametrize("answer", ["discard", "save"])
def test_closing_the_window_while_it_exports_asks(driver, tmp_path, answer):
    """Once, about the file and about the run; the file is waited for, or cancelled."""
    film = {"suffix": "", "several": True, "every": "event"} if answer == "discard" else {"suffix": ".png"}
    dialog = opened(driver, size="900 × 600", **film)
    dialog.go.click()
    file = tmp_path / ("film" if answer == "discard" else "picture.png")
    driver.answer(file)
    window = driver.window
    driver.wait(lambda: window.exports.exports.busy)
    window.closing.asks = True
    window.close()
    asked = window.closing.dialog
    export, run = asked.rows
    assert export.item.title == f"{file.name}, which is being exported"
    assert run.item.runs == tuple(window.workbench.runs)
    driver.click(getattr(export, answer))
    driver.click(run.discard)
    driver.wait(lambda: not window.isVisible())
    assert [each.name for each in tmp_path.iterdir()] == ([] if answer == "discard" else ["picture.png"])


def test_a_process_that_dies_is_said_and_the_next_export_works(driver, tmp_path):
    dialog = opened(driver, suffix="", several=True, every="event", size="900 × 600")
    dialog.go.click()
    driver.answer(tmp_path / "film")
    exports = driver.window.exports.exports
    driver.wait(lambda: exports.progress[0] >= 2)
    assert [each.name.startswith(".film.") for each in tmp_path.iterdir()] == [True]
    os.kill(exports.pid, signal.SIGKILL)
    driver.wait(lambda: not exports.busy)
    assert "ended unexpectedly" in driver.said()
    assert list(tmp_path.iterdir()) == []
    for report in driver.window.findChildren(QWidget, "report"):
        report.close()
    dialog = opened(driver, suffix=".csv", what="counts", several=False)
    driver.workbench.messages.show("")
    assert "Exported to" in exported(driver, dialog, tmp_path / "a.csv")
    rows = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(driver.trace.instance.arms)


def test_the_clipboard(driver):
    size = driver.board.size() * 2
    driver.press("Ctrl+Shift+E")
    driver.wait(lambda: "Copied" in driver.message)
    assert QGuiApplication.clipboard().image().size() == size
    dialog = opened(driver, what="gaps", size="400 × 300")
    driver.workbench.messages.show("")
    driver.click(dialog.copy)
    driver.wait(lambda: "Copied" in driver.message)
    image = QGuiApplication.clipboard().image()
    assert (image.width(), image.height()) == (400, 300)


def test_one_view_from_its_own_menu(driver):
    driver.board.docks["dimension"].export_action.trigger()
    choice = driver.window.exports.dialog.choice
    assert (choice.what, choice.size) == ("dimension", "800 × 500")
    driver.press("Ctrl+E")
    choice = driver.window.exports.dialog.choice
    assert (choice.what, choice.size) == ("board", "1600 × 1000")  # for once only


def test_what_cannot_be_written_is_said(driver, tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").write_text("mine")
    opened(driver, suffix="", several=True, last="3")
    driver.window.exports.export_to(str(tmp_path / "taken"))
    assert "new or empty" in driver.said()
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_no_command_for_what_is_unsaved_or_hidden(driver, tmp_path):
    dialog = opened(driver)
    QGuiApplication.clipboard().clear()
    dialog.command.click()
    assert "Save the run first" in dialog.sentence.text()
    driver.run.path, driver.run.saved_events = "run.gems", len(driver.trace)
    driver.actions["toggle_truth"].trigger()
    dialog.command.click()
    assert "Show the truth first" in dialog.sentence.text()
    assert QGuiApplication.clipboard().text() == ""


# -- the dialog alone -------------------------------------------------------------------------------------------------


@pytest.fixture
def dialog(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    made = ExportDialog(parent, ExportChoice(), Scene(Snapshot.of(run("paper-hard"), 90), ("counts",)))
    made.show()
    yield made
    made.close()


def pick(box, key):
    """Choose an item as a person does."""
    box.setCurrentIndex(box.findData(key))
    box.activated.emit(box.currentIndex())


def test_every_format_and_view_is_offered(dialog):
    assert [dialog.fields.format.itemData(at) for at in range(dialog.fields.format.count())] == list(SUFFIXES)
    assert [dialog.fields.what.itemData(at) for at in range(dialog.fields.what.count())] == ["board", *EVERY_VIEW]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_fields_that_mean_nothing_are_off(dialog, suffix):
    pick(dialog.fields.what, "counts")
    pick(dialog.fields.format, suffix)
    chosen = dialog.chosen_format
    fields = dialog.fields
    assert fields.pixels.isEnabled() == fields.theme.isEnabled() == fields.captioned.isEnabled() == chosen.painted
    assert dialog.fields.steps.isEnabled() == chosen.several
    assert dialog.fields.fps.isEnabled() == chosen.film
    assert (
        dialog.fields.first.isEnabled()
        == dialog.choice.several
        == (chosen.all_rounds and dialog.fields.steps.currentData() == SEVERAL)
    )
    assert dialog.valid
    assert dialog.copy.isEnabled() == chosen.painted


def test_a_page_has_all_rounds_and_the_size_of_a_view(dialog):
    """A size that was typed stays."""
    fields = dialog.fields
    pick(fields.format, ".html")
    assert (fields.steps.currentData(), fields.pixels.text()) == (SEVERAL, "640 × 400")
    assert not fields.scale.isEnabled(), "it is sharp at any size"
    assert dialog.summary.text().endswith(" steps · 640 × 400 pixels for each view")
    pick(fields.format, ".png")
    assert fields.pixels.text() == "1600 × 1000"
    pick(fields.what, "dimension")
    assert fields.what.currentText() == "Chosen dimension dₖ"
    assert fields.pixels.text() == "800 × 500", "the text of one view is readable"
    pick(fields.what, "board")
    assert fields.pixels.text() == "1600 × 1000"
    fields.pixels.setText("900 × 600")
    pick(fields.format, ".html")
    pick(fields.what, "dimension")
    assert fields.pixels.text() == "900 × 600"


def test_what_is_wrong_is_said_at_once(dialog):
    for suffix, size, what, said in (
        (".mp4", "641 × 400", "board", "Use 642 × 400"),
        (".csv", "640 × 400", "why", '"why" shows no numbers'),
        (".png", "10 × 10", "board", "at least 200"),
        (".png", "640", "board", "1600x1000"),
    ):
        dialog.choose(ExportChoice(what, suffix, size))
        assert said in dialog.sentence.text()
        assert not dialog.go.isEnabled()
        assert not dialog.summary.isVisible()
    dialog.choose(ExportChoice(size="640 × 400", scale="2"))
    assert dialog.sentence.text() == ""
    assert dialog.summary.text().replace("\N{NARROW NO-BREAK SPACE}", "") == "after 90 events · 1280 × 800 pixels"


def test_the_style_for_paper_has_its_own_size(dialog):
    fields = dialog.fields
    on_screen = (fields.pixels, fields.scale, fields.theme, fields.captioned)
    assert not fields.paper_size.isEnabled()
    pick(fields.style, "paper")
    assert dialog.choice.style == "paper"
    assert fields.paper_size.isEnabled()
    assert not any(each.isEnabled() for each in on_screen)
    assert dialog.summary.text() == "after 90 events · 6.75 × 6.6 inches", "all views, a page wide"
    pick(fields.what, "survivors")
    assert dialog.summary.text() == "after 90 events · 3.25 × 2.2 inches", "one view, a column wide"
    fields.paper_size.setFocus()
    fields.paper_size.selectAll()
    QTest.keyClicks(fields.paper_size, "8.5 x 6")
    assert "Write WIDTHxHEIGHT with a unit" in dialog.sentence.text()
    assert not dialog.go.isEnabled()
    QTest.keyClicks(fields.paper_size, " cm")
    assert dialog.summary.text() == "after 90 events · 3.35 × 2.36 inches"
    pick(fields.style, "window")
    assert all(each.isEnabled() for each in on_screen)


def test_typing_tells_and_is_counted(dialog, qtbot):
    pick(dialog.fields.format, ".gif")
    with qtbot.waitSignal(dialog.changed):
        dialog.fields.last.setFocus()
        QTest.keyClicks(dialog.fields.last, "30")
    pick(dialog.fields.every, "event")
    dialog.fields.fps.setText("10")
    assert "31 steps · 3.1 seconds" in dialog.summary.text()
    dialog.show_scene(Scene(Snapshot.of(run("paper-hard"), 20), ("counts",)))
    pick(dialog.fields.format, ".png")
    assert "after 20 events" in dialog.summary.text()


def test_how_far_it_is(dialog):
    dialog.show_progress((3, 10), "3 of 10")
    assert (dialog.bar.value(), dialog.bar.maximum(), dialog.far.text()) == (3, 10, "3 of 10")
    assert dialog.cancel.isVisible()
    assert not dialog.go.isEnabled()
    dialog.show_progress(None)
    assert not dialog.cancel.isVisible()
    assert dialog.go.isEnabled()


def test_controls_explain_themselves(dialog):
    for field in dialog.findChildren(QWidget):
        if field.focusPolicy() & Qt.FocusPolicy.TabFocus and field.isVisible() and field.toolTip():
            assert field.statusTip()
            assert field.whatsThis()
    for field in (
        dialog.fields.what,
        dialog.fields.format,
        dialog.fields.pixels,
        dialog.fields.first,
        dialog.fields.fps,
        dialog.go,
        dialog.copy,
    ):
        assert field.toolTip()
        assert field.accessibleName() or field.text()


def test_a_bad_size_moves_nothing_and_the_file_is_called_after_run_and_view(driver, tmp_path):
    driver.finished()
    dialog = opened(driver, style="paper")
    driver.wait(dialog.isVisible)

    def places():
        parts = [*dialog.fields.findChildren(QWidget), dialog.go, dialog.copy, dialog.preview]
        return [(part.mapTo(dialog, QPoint(0, 0)), part.size()) for part in parts if part.isVisible()], dialog.size()

    QApplication.processEvents()
    before = places()
    dialog.choose(replace(dialog.choice, paper_size="abc"))
    QApplication.processEvents()
    assert dialog.sentence.text().count("paper") == 1, dialog.sentence.text()
    assert places() == before
    dialog.choose(replace(dialog.choice, paper_size="8.5x6cm", what="survivors"))
    QApplication.processEvents()
    assert places() == before
    driver.click(dialog.go)
    asks = next(each for each in dialog.findChildren(QFileDialog) if each.isVisible())
    assert Path(asks.selectedFiles()[0]).name == f"{file_stem(driver.run.name)}-survivors.png"
    asks.reject()
