"""Files in the window: opened, dropped, saved, bad, recent; a bad one costs one sentence and nothing else."""

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit

from gems_engine.files import read_instance, read_run, write_instance, write_run
from gems_engine.gallery import make
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.background.file_worker import Reading
from gems_gui.drafts.draft import FromFile, FromTable
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.files.opening_bar import progress_text
from tests.gui.window_driver import LONG, SMALL, choose_by_keys, driven, finished_run


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        yield made


@pytest.fixture(scope="module")
def trace():
    return finished_run(SMALL)


@pytest.fixture
def run_file(tmp_path, trace):
    write_run(tmp_path / "recorded.gems", trace)
    return tmp_path / "recorded.gems"


@pytest.fixture
def instance_file(tmp_path):
    write_instance(tmp_path / "mine.json", make("paper-hard", d_star=3, epsilon=0.4))
    return tmp_path / "mine.json"


def recent(driver):
    return [action.data() for action in driver.actions.menu("File/Recent").actions()]


# -- opening --------------------------------------------------------------------------------------------------------


def test_an_instance_goes_into_the_form_and_can_be_run(driver, instance_file):
    driver.window.open_files([str(instance_file)])
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    assert driver.form.instance_form.family.currentText() == "File: mine.json"
    driver.start()
    driver.finish()
    assert driver.trace.instance.digest == read_instance(instance_file).digest
    assert driver.trace.started.seed == 1, "the rest of the form stays"
    assert recent(driver) == [str(instance_file)]
    family = driver.form.instance_form.family
    family.setFocus()  # as Tab does
    choose_by_keys(family, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * family.findData("sphere"))
    driver.wait(lambda: not family.view().isVisible())
    assert driver.difference_bar.isVisible()
    driver.choose("Edit", "Revert form")
    driver.wait(lambda: driver.drafts.instance is not None)
    assert driver.form.instance_form.family.currentText() == "File: mine.json"
    assert not driver.difference_bar.isVisible()


def test_a_finished_run_is_shown_at_its_end_and_can_be_put_into_the_form(driver, run_file, trace):
    driver.drafts.set_draft(LONG)
    driver.window.open_files([str(run_file)])
    driver.wait(lambda: driver.run is not None)
    assert driver.window.windowTitle() == "recorded.gems – GEMS Lab"
    assert list(driver.trace) == list(trace)
    assert driver.trace.instance == trace.instance
    assert driver.shown() == len(trace)
    assert driver.transport.engine.text == "done"
    assert driver.run.saved
    assert driver.difference_bar.isVisible()
    driver.click(driver.difference_bar.buttons["Revert form"])
    driver.wait(lambda: driver.drafts.instance is not None)
    assert driver.draft == SMALL
    assert not driver.difference_bar.isVisible()


def test_the_first_run_that_is_opened_fills_a_form_that_nobody_has_touched(qtbot, run_file):
    with driven(qtbot, LONG, layout="talk") as driver:
        driver.window.open_files([str(run_file)])
        driver.wait(lambda: driver.run is not None and driver.drafts.instance is not None)
        assert driver.draft == SMALL
        assert not driver.difference_bar.isVisible()
        driver.press("Ctrl+Z")
        assert driver.draft == LONG, "one step of undo"
        assert driver.difference_bar.isVisible()
        driver.remove_run(driver.run)
        driver.window.open_files([str(run_file)])
        driver.wait(lambda: driver.run is not None)
        assert driver.draft == LONG, "the user has used the form"


def test_files_open_alike_however_they_are_opened(driver, run_file, instance_file, tmp_path, trace):
    """Several at once: a run at its verdict, an instance in the form, one sentence about what is not there."""
    files = [str(run_file), str(instance_file), str(tmp_path / "nowhere.json")]

    def chosen():
        driver.press("Ctrl+O")
        dialog = next(each for each in driver.window.findChildren(QFileDialog) if each.isVisible())
        QGuiApplication.clipboard().setText(" ".join(f'"{file}"' for file in files[:2]))  # it refuses a missing one
        QTest.keyClick(dialog.findChild(QLineEdit), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClick(dialog.findChild(QLineEdit), Qt.Key.Key_Return)

    def recently():
        for name in ("recorded.gems", "mine.json"):
            driver.choose("File/Recent", name)

    ways = {
        "dropped on the window": lambda: driver.drop(driver.window, *files),
        "on a plot": lambda: driver.drop(driver.views["survivors"].plot.viewport(), *files),
        "on a text field": lambda: driver.drop(driver.form.instance_form.list.fields["instance.epsilon"].input, *files),
        "Ctrl+O": chosen,
        "Recent": recently,
        "command line": lambda: driver.window.begin_with(files, False, None, welcome=False, recovers=False),
    }
    for way, opens in ways.items():
        if driver.workbench.runs:
            driver.remove_run(driver.run)
        driver.drafts.set_draft(SMALL)
        opens()
        driver.wait(lambda: isinstance(driver.draft.source, FromFile) and len(driver.workbench.runs) == 1)
        if opens not in (chosen, recently):
            assert driver.said() == f"There is no file {tmp_path / 'nowhere.json'}.", way
            driver.click(driver.notice.buttons["Dismiss"])
        assert (driver.run.name, driver.run.path) == ("recorded.gems", str(run_file)), way
        assert driver.shown() == len(trace), way
        assert driver.run.verdict.headline() in driver.window.strip.text.text, way
        assert driver.draft.source.path == str(instance_file), way
        assert recent(driver) == [str(instance_file), str(run_file)], way
        assert not driver.message, way


def test_a_run_that_is_open_is_shown_instead_of_opened_again(driver, run_file, tmp_path):
    driver.drop(driver.window, str(run_file))
    driver.wait(lambda: driver.run is not None)
    opened = driver.run
    driver.press("Home")
    driver.start("Ctrl+R")
    made = driver.run
    driver.finish()
    driver.window.file_controller.write_run(made, str(tmp_path / "made.gems"))
    driver.wait(lambda: made.saved)
    for run, file in ((opened, run_file), (made, tmp_path / "made.gems"), (made, tmp_path / "made.gems")):
        driver.press("Ctrl+Shift+X")
        driver.drop(driver.window.experiments.page, str(file))
        driver.wait(lambda file=file: driver.message == f"{file.name} is already open.")
        assert driver.run is run
        assert driver.board.isVisible()
        assert driver.workbench.runs == [opened, made]
    assert opened.playback.cursor == 0, "where it was left"
    run_file.write_bytes((tmp_path / "made.gems").read_bytes())
    driver.drop(driver.window, str(run_file))
    driver.wait(lambda: len(driver.workbench.runs) == 3)
    assert len(driver.run.trace) == len(made.trace), "another program has changed the file"


def test_what_is_run_or_opened_is_not_out_of_sight(driver, run_file, instance_file):
    """The page of experiments has neither form nor views, so it makes place for them."""

    def leaves_for(seen):
        driver.press("Ctrl+Shift+X")
        assert driver.window.experiments.page.isVisible()
        assert not driver.board.isVisible()
        seen()
        driver.wait(driver.board.isVisible)

    leaves_for(lambda: driver.drop(driver.window.experiments.page, run_file))
    assert driver.run.name == "recorded.gems"
    leaves_for(lambda: driver.drop(driver.window.experiments.page, instance_file))
    assert driver.form.isVisible()
    assert driver.draft.source.path == str(instance_file)
    leaves_for(lambda: driver.press("Ctrl+R"))
    assert len(driver.workbench.runs) == 2


def test_bad_files_cost_a_sentence_each_and_nothing_is_lost(driver, run_file, instance_file, tmp_path):
    driver.finished()
    before, cursor, draft = driver.run, driver.cursor, driver.draft
    torn = tmp_path / "torn.gems"
    torn.write_bytes(run_file.read_bytes()[:100])
    nonsense = tmp_path / "nonsense.json"
    nonsense.write_text("{]")
    for path, words in (
        (torn, "torn.gems"),
        (nonsense, "nonsense.json"),
        (tmp_path / "nowhere.json", "There is no file"),
        (tmp_path, tmp_path.name),
    ):
        driver.window.open_files([str(path)])
        said = driver.said()
        assert words in said
        assert "\n" not in said
        driver.click(driver.notice.buttons["Dismiss"])
        assert not driver.message
    assert driver.workbench.runs == [before]
    assert (driver.run, driver.cursor, driver.draft) == (before, cursor, draft)
    assert recent(driver) == []
    driver.window.open_files([str(nonsense), str(run_file), str(tmp_path / "nowhere.json")])
    driver.wait(lambda: "nowhere.json" in driver.message)
    lines = driver.said().split("\n")
    assert ["nonsense.json" in lines[0], "nowhere.json" in lines[1], len(lines)] == [True, True, 2], (
        "a good file between"
    )
    written = [entry.sentence for entry in driver.window.run_list.log_dock.entries]
    assert written.count(lines[1]) == 2, "once each time"
    missing = [str(tmp_path / f"missing-{number}.json") for number in range(11)]
    assert not driver.drop(driver.board, QUrl("https://example.org/run.gems")), "not a file: the mouse shows it"
    assert driver.drop(driver.board, *missing)
    driver.wait(lambda: "and 5 more" in driver.message)
    lines = driver.said().split("\n")
    assert (len(lines), "missing-10.json" in lines[5]) == (7, True), "the board keeps its room, and the last is seen"
    assert driver.run.name == "recorded.gems"
    driver.window.open_files([str(instance_file)])
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    assert not driver.message, "what could not be opened is shown until it is dismissed or another file is opened"


def test_a_run_with_a_torn_end_is_shown_as_far_as_it_goes_and_says_so(driver, tmp_path, trace):
    cut = Trace(trace.instance)
    cut.extend(trace[:60])
    write_run(tmp_path / "torn.gems", cut)
    whole = (tmp_path / "torn.gems").read_bytes()
    (tmp_path / "torn.gems").write_bytes(whole + whole[-40:-3])
    driver.window.open_files([str(tmp_path / "torn.gems")])
    driver.wait(lambda: driver.run is not None)
    assert driver.said() == " ".join(driver.trace.notes)
    assert driver.shown() == 60, "at its last recorded event"
    assert driver.transport.engine.text == "recorded, not finished"


def test_a_file_without_events_does_not_keep_the_form_from_running(driver, tmp_path, trace):
    write_run(tmp_path / "empty.gems", Trace(trace.instance))
    driver.window.open_files([str(tmp_path / "empty.gems")])
    driver.wait(lambda: driver.run is not None)
    assert driver.difference_bar.isVisible()
    driver.click(driver.difference_bar.buttons["Revert form"])
    assert driver.said() == "This run has no events, so its settings are not known."
    driver.start("Ctrl+Return")
    driver.finish()
    assert driver.trace.finished is not None


@pytest.mark.parametrize("change", [{"algorithm": "of-another-package"}, {"parameters": {"unheard_of": 1}}])
def test_a_run_that_this_program_could_not_make_is_shown(driver, tmp_path, trace, change):
    """Of an algorithm that is not installed, or with parameters of another version."""
    strange = Trace(trace.instance)
    strange.extend([replace(trace[0], **change), *trace[1:]])
    write_run(tmp_path / "strange.gems", strange)
    driver.window.open_files([str(tmp_path / "strange.gems")])
    driver.wait(lambda: driver.run is not None)
    driver.press("End")
    assert driver.shown() == len(trace)
    assert driver.difference_bar.isVisible()
    draft = driver.draft
    driver.click(driver.difference_bar.buttons["Revert form"])
    assert ("of-another-package" if "algorithm" in change else "unheard_of") in driver.said()
    assert driver.draft == draft


# -- saving ---------------------------------------------------------------------------------------------------------


def asked(driver):
    return [each.windowTitle() for each in driver.window.findChildren(QFileDialog) if each.isVisible()]


def test_a_run_is_saved_to_its_file_and_save_as_asks(driver, tmp_path, run_file):
    kept, other, title = tmp_path / "kept.gems", tmp_path / "other.gems", driver.window.windowTitle
    driver.finished()
    saved = driver.run
    assert title() == f"{saved.name}* – GEMS Lab"
    driver.press("Ctrl+S")
    assert asked(driver) == ["Save run"], "it has no file yet"
    driver.answer(kept)
    assert driver.said() == f"Run saved as {kept}."
    assert (saved.path, title()) == (str(kept), "kept.gems – GEMS Lab")
    driver.press("M")  # a moment of its story
    assert title() == "kept.gems* – GEMS Lab"
    driver.press("Ctrl+S")
    assert asked(driver) == [], "it is saved to the file it has"
    driver.wait(lambda: title() == "kept.gems – GEMS Lab")
    assert read_run(kept).story is not None
    driver.press("Ctrl+Shift+S")
    driver.answer(other)
    driver.wait(lambda: title() == "other.gems – GEMS Lab")
    assert list(read_run(other)) == list(read_run(kept)) == list(saved.trace)
    assert driver.drop(driver.window, run_file)
    driver.wait(lambda: driver.run is not saved)
    assert title() == "recorded.gems – GEMS Lab"
    driver.press("M")
    driver.press("Ctrl+S")
    driver.wait(lambda: read_run(run_file).story is not None)
    driver.wait(lambda: title() == "recorded.gems – GEMS Lab")
    driver.press("Ctrl+Shift+S")
    driver.answer(tmp_path / "copy.gems")
    driver.wait(lambda: title() == "copy.gems – GEMS Lab")
    assert driver.run.name == "copy.gems", "a run that is called after its file"
    assert recent(driver) == [str(each) for each in (tmp_path / "copy.gems", run_file, other, kept)]
    run_file.write_bytes(run_file.read_bytes()[:-30])
    driver.window.open_files([str(run_file)])
    driver.wait(lambda: driver.run.trace.notes)
    driver.press("Ctrl+S")
    assert asked(driver) == ["Save run"], "the file has bytes that the run has not"


def test_a_run_can_be_saved_while_it_is_computed(qtbot, tmp_path):
    with driven(qtbot, LONG, layout="talk") as driver:
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: len(driver.trace) > 200)
        driver.press("Ctrl+S")
        assert driver.engine.running, "a dialog does not hold the engine"
        driver.answer(tmp_path / "early.gems")
        assert "early.gems" in driver.said()
        driver.wait(lambda: driver.window.windowTitle() == "early.gems* – GEMS Lab")  # it has grown since
        kept = read_run(tmp_path / "early.gems")
        assert len(kept) > 200
        assert list(kept) == list(driver.trace[: len(kept)])
        driver.press("Ctrl+.")
        driver.finish()


def test_the_form_saves_its_instance(driver, tmp_path):
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.press("Ctrl+Shift+I")
    driver.answer(tmp_path / "form.json")
    assert driver.said() == f"Saved as {tmp_path / 'form.json'}."
    assert read_instance(tmp_path / "form.json").digest == driver.drafts.instance.digest
    driver.click(driver.notice.buttons["Dismiss"])
    driver.type_into("instance.epsilon", "-1")
    driver.press("Ctrl+Shift+I")
    assert driver.said() == "The instance in the form is not valid. Correct the marked fields, then save it again."
    assert not any(each.isVisible() for each in driver.window.findChildren(QFileDialog))


def test_what_cannot_be_written_is_said(driver, tmp_path):
    driver.finished()
    driver.window.files.save_run(str(tmp_path / "no" / "folder.gems"), driver.trace)
    assert "folder.gems" in driver.said()
    assert "\n" not in driver.said()
    assert not driver.run.saved
    assert recent(driver) == []


def test_an_error_stays_until_it_is_read_or_holds_no_more(driver, instance_file, tmp_path):
    broken, long = tmp_path / "broken.json", tmp_path / f"{'long' * 70}.json"
    broken.write_text("{]")
    driver.finished()
    driver.drop(driver.board, broken, long, instance_file)
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    errors = driver.said().split("\n")
    names = ("broken.json", f"{'long' * 10}…{long.name[-19:]}: ")
    assert [name in line for name, line in zip(names, errors, strict=True)] == [True, True]
    assert driver.window.width() == 1150, "a name that is too long for a file does not widen the window"
    saved = tmp_path / "saved.gems"
    driver.write_run(driver.run, saved)
    driver.wait(lambda: driver.run.saved)
    assert driver.said().split("\n") == [*errors, f"Run saved as {saved}."]
    assert driver.notice.property("error")
    driver.start("Ctrl+R")
    assert not driver.message, "it would lie over the new run"
    driver.drop(driver.board, broken)
    driver.wait(lambda: "broken.json" in driver.message)
    broken.write_bytes(instance_file.read_bytes())
    driver.window.open_files([str(broken)])
    driver.wait(lambda: recent(driver)[0] == str(broken))
    assert not driver.message, "opening a file replaces what was said of those before"


def test_a_file_is_remembered_by_where_it_is(driver, instance_file, run_file, monkeypatch):
    monkeypatch.chdir(instance_file.parent)
    driver.window.open_files([instance_file.name, run_file.name])
    driver.wait(lambda: recent(driver) == [str(run_file), str(instance_file)])
    assert (driver.run.path, driver.draft.source.path) == (str(run_file), str(instance_file))


# -- what others do to files ----------------------------------------------------------------------------------------


def edited(driver, instance_file):
    """The form has the instance of a file, changed by hand; the file as it was."""
    driver.window.open_files([str(instance_file)])
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    table = InstanceTable.of(driver.draft.source.instance).with_cell("arms", 0, 0, "0.5")
    driver.drafts.set_draft(driver.draft.with_table(table))
    driver.wait(lambda: driver.drafts.instance is not None)
    return instance_file.read_bytes()


def test_a_file_that_another_program_has_changed_is_not_written_over_unasked(driver, instance_file):
    bar = driver.window.changed_files
    others = edited(driver, instance_file).replace(b"paper-hard", b"of-another")
    instance_file.write_bytes(others)
    driver.press("Ctrl+Shift+I")
    driver.wait(bar.isVisible)
    assert bar.sentence.text() == (
        f"Another program has changed {instance_file} since this window opened or saved it. Nothing was written."
    )
    driver.click(bar.buttons["Keep the file"])
    assert not bar.isVisible()
    assert instance_file.read_bytes() == others
    assert isinstance(driver.draft.source, FromTable), "it is still here, unsaved"
    assert driver.window.windowTitle().startswith("mine.json*")
    driver.press("Ctrl+Shift+I")
    driver.wait(bar.isVisible)
    driver.click(bar.buttons["Overwrite"])
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    assert read_instance(instance_file).arms[0, 0] == 0.5
    edited(driver, instance_file)
    driver.press("Ctrl+Shift+I")
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    assert not bar.isVisible(), "what we wrote ourselves is no change"


def test_a_file_that_was_deleted_is_written_again_and_its_folder_too_is_missed(driver, instance_file, tmp_path):
    edited(driver, instance_file)
    instance_file.unlink()
    driver.press("Ctrl+Shift+I")
    driver.wait(lambda: "deleted" in driver.message)
    assert driver.said().split("\n") == [
        f"Saved as {instance_file}.",
        "The file had been deleted and was written again.",
    ]
    assert read_instance(instance_file).arms[0, 0] == 0.5
    driver.drafts.set_draft(driver.draft.with_table(InstanceTable.of(make("paper-hard", d_star=2))))
    driver.wait(lambda: driver.drafts.instance is not None)
    instance_file.write_bytes(b"of another")
    driver.press("Ctrl+Shift+I")
    driver.wait(driver.window.changed_files.isVisible)
    instance_file.unlink()
    driver.press("Ctrl+Shift+I")
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    assert not driver.window.changed_files.isVisible(), "what the other program wrote is gone"
    driver.finished()
    driver.write_run(driver.run, tmp_path / "mine.gems")
    driver.wait(lambda: driver.run.saved)
    instance_file.parent.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
    driver.write_run(driver.run, driver.run.path)
    driver.wait(lambda: "Cannot write" in driver.message)
    driver.wait(lambda: not driver.run.saved)
    assert "*" in driver.window.windowTitle()


def test_a_run_whose_file_was_changed_is_unsaved_whoever_finds_it_out(driver, run_file, tmp_path):
    driver.window.open_files([str(run_file)])
    driver.wait(lambda: driver.run is not None)
    first, title = driver.run, driver.window.windowTitle
    assert (first.saved, title()) == (True, "recorded.gems – GEMS Lab")
    mine = run_file.read_bytes()
    run_file.write_bytes(mine[:-9])
    driver.write_run(first, run_file)
    driver.wait(driver.window.changed_files.isVisible)
    driver.click(driver.window.changed_files.buttons["Keep the file"])
    assert (first.saved, title()) == (False, "recorded.gems* – GEMS Lab"), "it was refused"
    assert [item.title for item in driver.window.closing.unsaved()] == ["recorded.gems"]
    driver.write_run(first, run_file)
    driver.wait(driver.window.changed_files.isVisible)
    driver.write_run(first, tmp_path / "other.gems")
    driver.wait(lambda: first.saved)
    assert not driver.window.changed_files.isVisible(), "it is saved elsewhere"
    (tmp_path / "other.gems").write_bytes(mine[:-9])
    QCoreApplication.sendEvent(driver.window, QEvent(QEvent.Type.ActivationChange))  # back from the other program
    driver.wait(lambda: title() == "other.gems* – GEMS Lab")
    driver.write_run(first, tmp_path / "third.gems")
    driver.wait(lambda: first.saved)
    driver.window.open_files([str(run_file)])
    driver.wait(lambda: driver.run is not first)
    driver.write_run(driver.run, tmp_path / "third.gems")  # over it, as a dialog has asked
    driver.wait(lambda: driver.run.path.endswith("third.gems"))
    assert (first.saved, driver.run.saved) == (False, True)


@pytest.mark.parametrize("happens", ["deleted", "changed"])
def test_closing_asks_about_what_is_in_no_file_any_more(driver, run_file, instance_file, happens):
    driver.window.open_files([str(run_file), str(instance_file)])
    driver.wait(lambda: len(recent(driver)) == 2 and driver.drafts.instance is not None)
    run_file.unlink()
    if happens == "deleted":
        instance_file.unlink()
    else:
        write_instance(instance_file, make("soare"))
    driver.press("Ctrl+Q")
    assert driver.window.isVisible()
    titles = [item.title for item in driver.window.closing.dialog.items]
    assert titles == [f"The instance in the form, whose file was {happens}", "recorded.gems"]
    QTest.keyClick(driver.window.closing.dialog, Qt.Key.Key_Escape)
    assert len(driver.window.closing.unsaved()) == 2, "it asks again"
    driver.write_run(driver.run, run_file)
    again = instance_file if happens == "deleted" else instance_file.with_stem("again")  # not over what another wrote
    driver.window.file_controller.write_instance(str(again))
    driver.wait(lambda: run_file.exists() and again.exists() and driver.run.saved)
    driver.wait(lambda: not driver.window.closing.unsaved())


@pytest.mark.parametrize(
    ("failing", "error"),
    [
        pytest.param("fsync", errno.ENOSPC, id="full"),
        pytest.param("open", errno.EROFS, id="read-only"),
        pytest.param("open", errno.EACCES, id="forbidden", marks=pytest.mark.long),
        pytest.param("replace", errno.EIO, id="broken", marks=pytest.mark.long),
    ],
)
def test_what_a_disk_refuses_costs_a_sentence_and_can_be_saved_elsewhere(driver, tmp_path, monkeypatch, failing, error):
    driver.finished()
    old = tmp_path / "old.gems"
    old.write_bytes(b"what was there before")
    true = getattr(os, failing)

    def refused(*given, **rest):
        if failing == "fsync" or str(given[0]).startswith(str(tmp_path)):
            raise OSError(error, os.strerror(error))
        return true(*given, **rest)

    monkeypatch.setattr(os, failing, refused)
    driver.write_run(driver.run, old)
    assert driver.said() == f"Cannot write {old}: {os.strerror(error).lower()}."
    assert not driver.run.saved
    assert [each.name for each in tmp_path.iterdir()] == ["old.gems"], "nothing is left behind"
    assert old.read_bytes() == b"what was there before"
    monkeypatch.undo()
    driver.write_run(driver.run, tmp_path / "new.gems")
    driver.wait(lambda: driver.run.saved)
    assert list(read_run(tmp_path / "new.gems")) == list(driver.trace)


# -- recent files, and the end --------------------------------------------------------------------------------------


def test_recent_files_open_again_and_one_that_is_gone_says_so(driver, run_file, instance_file):
    assert not driver.actions.menu("File/Recent").isEnabled()
    file = [each.text() for each in driver.actions.menu("File").actions()]
    assert file.index("Recent") == file.index("Open…") + 1
    assert file[-1] == "Quit"
    driver.window.open_files([str(run_file), str(instance_file)])
    driver.wait(lambda: recent(driver) == [str(instance_file), str(run_file)])
    driver.choose("File/Recent", "recorded.gems")
    driver.wait(lambda: driver.message == "recorded.gems is already open.")
    assert len(driver.workbench.runs) == 1
    driver.wait(lambda: recent(driver) == [str(run_file), str(instance_file)])
    instance_file.unlink()
    driver.choose("File/Recent", "mine.json")
    assert "There is no file" in driver.said()


def test_a_window_closed_while_a_file_is_read_ignores_it(driver, instance_file, run_file):
    before = driver.draft
    driver.window.open_files([str(instance_file), str(run_file)])
    driver.press("Ctrl+Q")
    driver.qtbot.wait(50)
    assert driver.draft == before
    assert driver.run is None


# -- a file that takes a while ---------------------------------------------------------------------------------------


@pytest.fixture
def slow_file(run_file, monkeypatch):
    """A run whose reading goes on until it is cancelled or let go; the event says that it has begun."""
    began, let_go = Event(), Event()

    def slow(path, watch):
        while not let_go.wait(0.01):
            watch(6_200_000, 17_800_000)
            began.set()
        return read_run(path, watch)

    monkeypatch.setattr("gems_gui.background.file_worker.read_run", slow)
    yield run_file, began, let_go
    let_go.set()


def test_opening_shows_its_progress_and_can_be_cancelled(driver, slow_file):
    path, _, _ = slow_file
    bar = driver.window.opening
    driver.window.open_files([str(path)])
    driver.wait(lambda: bar.isVisible())
    assert bar.sentence.text() == "Opening recorded.gems: 6.2 of 17.8 MB."
    driver.click(bar.buttons["Cancel"])
    driver.wait(lambda: driver.said() == f"Opening {path} was cancelled.")
    driver.wait(lambda: not bar.isVisible())
    assert driver.run is None
    assert recent(driver) == []
    assert progress_text(Reading("/x/a.gems", "events", 2_000, 803_054)).endswith(
        f"{number(2_000)} of {number(803_054)} events prepared."
    )


def test_a_slow_file_delays_neither_saving_nor_closing(driver, slow_file, tmp_path):
    path, began, _ = slow_file
    driver.window.open_files([str(path)])
    driver.wait(began.is_set)
    driver.window.file_controller.write_instance(str(tmp_path / "saved.json"))
    driver.wait((tmp_path / "saved.json").exists)
    assert driver.window.files.busy_reading
    driver.press("Ctrl+Q")  # waits for no file that is read
    assert not driver.window.files.reading
    assert driver.run is None


def test_a_slow_file_opens_with_its_history(driver, slow_file, trace):
    path, began, let_go = slow_file
    driver.window.open_files([str(path)])
    driver.wait(began.is_set)
    let_go.set()
    driver.wait(lambda: driver.run is not None)
    assert driver.run.playback.history.events == len(trace)
    driver.wait(lambda: not driver.window.opening.isVisible())


def test_a_dialog_starts_where_the_last_file_was(driver, run_file, tmp_path):
    def starts_in(keys):
        driver.press(keys)
        dialog = next(each for each in driver.window.findChildren(QFileDialog) if each.isVisible())
        folder = dialog.directory().absolutePath()
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        driver.window.activateWindow()
        return folder

    assert starts_in("Ctrl+O") == str(Path.cwd())
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    moved = shutil.copy(run_file, tmp_path / "one" / "run.gems")
    driver.drop(driver.window, moved)
    driver.wait(lambda: driver.run is not None)
    assert starts_in("Ctrl+O") == str(tmp_path / "one")
    driver.press("Ctrl+Shift+S")
    driver.answer(tmp_path / "two" / "run.gems")
    driver.wait(lambda: driver.run.path == str(tmp_path / "two" / "run.gems"))
    assert starts_in("Ctrl+O") == str(tmp_path / "two")
