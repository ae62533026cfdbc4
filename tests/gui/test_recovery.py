"""Recovery: what a window has is on disk within a second, a kill leaves it, and the next window offers it."""

import errno
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from gems_engine.bookmark import Bookmark
from gems_engine.errors import InputError
from gems_engine.files import appending, in_use, read_instance, read_recovery, read_run, write_instance
from gems_engine.formats import journal
from gems_engine.formats.event_rules import Sizes
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.talk.story import Companion, Story, StoryMoment
from gems_engine.trace import Trace
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.sources import FromGallery, FromTable
from gems_gui.recovery import folder as folders
from gems_gui.recovery import recorder
from gems_gui.recovery.folder import left_behind
from gems_gui.recovery.recorder import KeptRun, Recorder
from gems_gui.recovery.recovery_banner import offer_text, recovery_root
from gems_gui.runs.runs_model import RECOVERED
from gems_gui.workbench.playback import Playback
from tests.gui.test_closing import asked, edited, save
from tests.gui.window_driver import LONG, SMALL, driven, finished_run, pick

ROOT = Path(__file__).parents[2]
OWN = SMALL.with_table(InstanceTable.of(Instance.linear(np.eye(3), [1.0, 0.5, 0.0])).with_cell("arms", 0, 1, "half"))


def recovery(driver):
    """What offers the runs of a window that was killed."""
    return driver.window.recovery


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        yield made


@pytest.fixture(scope="module")
def trace():
    return finished_run(SMALL)


def kept_files():
    """Names of what is on disk, without the folders and where the cursors are."""
    there = recovery_root().glob("*/*") if recovery_root().is_dir() else []
    return sorted(each.name for each in there if each.name != folders.PLACES)


def abandoned(*traces, draft=None, names=()):
    """What a window that was killed has left, made by the recorder itself."""
    names = names or [f"run {at}" for at in range(len(traces))]
    gone = Recorder(recovery_root())
    gone.keep(draft, [KeptRun(trace, name) for trace, name in zip(traces, names, strict=True)])
    gone.close(leave=True)
    (path,) = [each for each in recovery_root().iterdir() if not in_use(each / folders.LIST)]
    return path


def answered(driver, words):
    driver.wait(recovery(driver).notice.isVisible)
    driver.click(recovery(driver).notice.buttons[words])
    assert not recovery(driver).notice.isVisible()


def test_a_form_with_a_file_is_kept_although_the_window_began_with_it(qtbot, tmp_path):
    write_instance(tmp_path / "mine.json", make("paper-hard", d_star=3, epsilon=0.4))
    opened = SMALL.with_instance(read_instance(tmp_path / "mine.json"), str(tmp_path / "mine.json"))
    with driven(qtbot, opened, layout="talk") as killed:
        killed.wait(lambda: kept_files() == ["draft.json", "window.jsonl"])
        recovery(killed).leave()
    with driven(qtbot, layout="talk") as after:
        answered(after, "Restore")
        after.wait(lambda: after.draft == opened)


# -- a real kill ----------------------------------------------------------------------------------------------------

ENDLESS = Draft.of(
    "sphere",
    seed=1,
    instance={"n": 1000, "D": 60, "d_star": 20, "min_gap": 1e-3},
    parameters={"base": 2, "max_samples": 10**15, "max_loops": 200},
)
"""300 events in the first second of computing, 1,600 after 16 seconds, and then it goes on: no kill is too late."""

VICTIM = """
import json, time
from PySide6.QtCore import QTimer
from gems_gui.application import application
app = application()
from gems_gui.window import MainWindow
from tests.gui.test_recovery import ENDLESS, OWN
window = MainWindow()
window.show()
def look():
    run = window.workbench.active
    if run is None and window.workbench.drafts.instance is not None and window.board.ready:
        if window.workbench.drafts.draft != ENDLESS:
            window.workbench.drafts.set_draft(ENDLESS)
        else:
            window.workbench.run()
            window.workbench.control(lambda playback: playback.follow())
            window.workbench.drafts.set_draft(OWN)
    elif run is not None:
        print(json.dumps([time.time(), len(run.trace)]), flush=True)
timer = QTimer()
timer.timeout.connect(look)
timer.start(50)
app.exec()
"""


def a_second_before(killed, seen):
    """The events that were there a second before the kill; where the window did not look for a while, before that."""
    looks = [when for when, _ in seen[-100:]] + [killed]
    late = max(np.diff(looks).max() - 0.1, 0.0)  # a machine on which the window waits stops all clocks
    return max((events for when, events in seen if when <= killed - 1.0 - late), default=0)


def test_killed_mid_run_the_next_start_has_all_but_the_last_second(qtbot):
    victim = subprocess.Popen([sys.executable, "-c", VICTIM], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    seen = [json.loads(victim.stdout.readline())]
    while a_second_before(seen[-1][0], seen) < 20:
        seen.append(json.loads(victim.stdout.readline()))
    (path,) = recovery_root().iterdir()
    assert in_use(path / folders.LIST)
    assert left_behind(recovery_root()) == ([], []), "while it lives, nothing is taken from it"
    victim.send_signal(signal.SIGKILL)
    killed = time.time()
    rest, _ = victim.communicate()
    seen += [json.loads(line) for line in rest.splitlines()]
    with driven(qtbot, layout="talk") as driver:
        driver.wait(recovery(driver).notice.isVisible)
        sentence = recovery(driver).notice.sentence.text()
        assert re.fullmatch(
            r"GEMS Lab ended unexpectedly; the last change was recorded (on \S+ )?at \d\d:\d\d\. "
            r"Restore a run and a draft\?",
            sentence,
        )
        assert driver.run is None, "nothing happens before an answer"
        before = driver.draft
        answered(driver, "Restore")
        driver.wait(lambda: driver.run is not None)
        run = driver.run
        assert "Restored: a run and a draft." in driver.said()
        assert len(run.trace) >= a_second_before(killed, seen) >= 20
        again = run.request.run()
        assert list(run.trace) == [next(again) for _ in range(len(run.trace))]
        assert (run.recovered, run.saved, run.trace.finished) == (True, False, None)
        assert driver.shown() == len(run.trace), "it was followed: it is at the end of what is there"
        assert driver.draft == OWN
        driver.press("Ctrl+Z")
        assert driver.draft == before
        driver.wait(lambda: not path.exists())
        assert "run-1.gems" in kept_files(), "it is in the recovery of this window now"
        row = driver.window.run_list.runs_dock.model.index(0)
        assert row.data(RECOVERED)
        assert "recovered, not saved" in row.data(Qt.ItemDataRole.ToolTipRole)
    assert kept_files() == []


# -- what is on disk ------------------------------------------------------------------------------------------------


def recovered(file):
    """The events in a recovery file; none while its first line is being written."""
    return list(read_recovery(file)) if file.stat().st_size else []


def test_what_is_unsaved_is_on_disk_and_goes_when_it_is_saved_removed_or_the_window_closed(driver, tmp_path):
    driver.drafts.set_draft(SMALL.with_text("run.seed", "2"))
    driver.wait(lambda: kept_files() == ["draft.json", "window.jsonl"])
    driver.drafts.set_draft(SMALL)
    driver.start()
    driver.finish()
    first = driver.run
    driver.wait(lambda: kept_files() == ["run-1.gems", "window.jsonl"])  # the form is as it was when the window opened
    (file,) = recovery_root().glob("*/run-1.gems")
    driver.wait(lambda: recovered(file) == list(first.trace))
    driver.start()
    driver.wait(lambda: "run-2.gems" in kept_files())
    driver.write_run(first, tmp_path / "kept.gems")
    driver.wait(lambda: kept_files() == ["run-2.gems", "window.jsonl"])
    driver.remove_run(driver.workbench.runs[1])
    driver.wait(lambda: kept_files() == ["window.jsonl"])
    driver.press("Ctrl+Z")
    driver.wait(lambda: kept_files() == ["run-3.gems", "window.jsonl"])
    driver.window.close_without_asking()
    assert list(recovery_root().iterdir()) == []


def test_what_ends_the_program_from_outside_leaves_what_closing_would_ask_about(qtbot):
    with driven(qtbot, LONG, layout="talk") as driver:
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: len(driver.trace) > 50)
        driver.window.end_at_once()
        trace = driver.trace
    (left,), sentences = left_behind(recovery_root())
    assert sentences == []
    (again,) = left.read()
    assert len(again.trace) > 50
    assert list(again.trace) == list(trace[: len(again.trace)])
    left.remove()
    with driven(qtbot, layout="talk") as driver:
        driver.start()
        driver.run.by_hand = False  # as what `--play` starts
        driver.finish()
        driver.window.end_at_once()
    assert left_behind(recovery_root()) == ([], [])


def test_a_cell_that_is_being_typed_is_kept_when_the_program_is_ended_from_outside(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.press("Ctrl+T")
        view = driver.window.instance_table.editor.view
        driver.wait(lambda: view.isVisible() and view.isEnabled())
        driver.click(view.viewport(), view.visualRect(view.model().index(0, 1)).center())
        driver.press("7")
        assert view.state() == view.State.EditingState
        driver.window.end_at_once()
    with driven(qtbot, layout="talk") as driver:
        answered(driver, "Restore")
        driver.wait(lambda: isinstance(driver.draft.source, FromTable) and driver.drafts.instance is not None)
        assert driver.drafts.instance.arms[0, 0] == 7.0


def test_a_custom_instance_that_was_set_aside_comes_back_although_the_form_is_the_same(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        edited(driver, "7")
        form = driver.form.instance_form
        pick(form.family, form.family.findData("paper-hard"))
        driver.wait(lambda: isinstance(driver.draft.source, FromGallery) and driver.drafts.instance is not None)
        (own,) = driver.draft.own
        driver.finished()
        before, run = driver.draft, driver.run.name
        driver.wait(lambda: {each[:4] for each in kept_files()} >= {"draf", "run-", "wind"})
        driver.window.end_at_once()
    with driven(qtbot, replace(before, own=()), layout="talk") as driver:
        answered(driver, "Restore")
        driver.wait(lambda: [each.name for each in driver.workbench.runs] == [run])
        driver.wait(lambda: driver.draft.own == (own,))
        assert driver.workbench.messages.errors == []
        assert [each for each in asked(driver) if "edited earlier" in each]
        driver.press("Ctrl+Z")
        assert driver.draft.own == ()


def test_each_run_is_again_where_it_was_and_the_shown_one_shown(qtbot):
    with driven(qtbot, layout="talk") as driver:
        for seed in ("1", "2"):
            driver.drafts.set_draft(SMALL.with_text("run.seed", seed))
            driver.finished()
        second = driver.run.name
        driver.seek(31)
        driver.show_run(driver.workbench.runs[0])
        driver.seek(57)
        first = driver.run.name
        driver.wait(lambda: any(recovery_root().glob(f"*/{folders.PLACES}")))
        (file,) = recovery_root().glob(f"*/{folders.PLACES}")
        driver.wait(lambda: json.loads(file.read_bytes()) == {"shown": 1, "cursors": {"1": 57, "2": 31}})
        driver.window.end_at_once()
    with driven(qtbot, layout="talk") as driver:
        answered(driver, "Restore")
        driver.wait(lambda: len(driver.workbench.runs) == 2)
        assert (driver.run.name, driver.shown()) == (first, 57)
        assert [(run.name, run.playback.cursor) for run in driver.workbench.runs] == [(first, 57), (second, 31)]
        assert driver.run.playback.playing is False


def test_the_runs_are_again_in_their_order_and_have_their_colours(qtbot):
    """Also a run that was removed and restored, whose file is younger than those of the runs below it."""
    with driven(qtbot, layout="talk") as driver:
        for seed in ("1", "2", "3"):
            driver.type_into("run.seed", seed)
            driver.finished()
        runs = driver.window.run_list.runs_dock
        driver.wait(lambda: "run-3.gems" in kept_files())
        driver.click(runs.list.viewport(), runs.list.visualRect(runs.model.index(0)).center())
        runs.list.setFocus()
        driver.press("Delete")
        driver.wait(lambda: "run-1.gems" not in kept_files())
        driver.press("Ctrl+Z")
        driver.wait(lambda: "run-4.gems" in kept_files())
        before = [(run.name, run.color) for run in driver.workbench.runs]
        assert [run.request.seed for run in driver.workbench.runs] == [1, 2, 3]
        recovery(driver).leave()
    with driven(qtbot, layout="talk") as driver:
        answered(driver, "Restore")
        driver.wait(lambda: len(driver.workbench.runs) == 3)
        assert [(run.name, run.color) for run in driver.workbench.runs] == before


def test_a_run_that_had_a_file_is_saved_there_again(qtbot, tmp_path):
    """It is proposed, not written over: another program may have changed it."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    with driven(qtbot, layout="talk") as driver:
        driver.finished()
        driver.write_run(driver.run, folder / "mine.gems")
        driver.wait(lambda: driver.run.saved)
        driver.press("M")
        driver.wait(lambda: any(each.endswith(".story.gems") for each in kept_files()))
        recovery(driver).leave()
    with driven(qtbot, layout="talk") as driver:
        answered(driver, "Restore")
        driver.wait(lambda: len(driver.workbench.runs) == 1)
        assert not driver.run.saved
        driver.press("Ctrl+S")
        dialog = next(each for each in driver.window.findChildren(QFileDialog) if each.isVisible())
        assert dialog.selectedFiles() == [str(folder / "mine.gems")]
        dialog.reject()


@pytest.mark.parametrize(
    "said",
    [b"", b"[]", b'{"cursors": 3}', b'{"cursors": {"1": -1, "x": 3}, "shown": []}', b'{"cursors": {"1": true}}'],
)
def test_a_run_comes_back_without_its_place_where_that_is_damaged(trace, said):
    path = abandoned(trace)
    (path / folders.PLACES).write_bytes(said)
    (left,), _ = left_behind(recovery_root())
    (again,) = left.read()
    left.postpone()
    assert (list(again.trace), again.cursor, again.shown) == (list(trace), 0, False)
    (path / folders.PLACES).write_bytes(b'{"cursors": {"1": 1000000}, "shown": 1}')
    (left,), _ = left_behind(recovery_root())
    (again,) = left.read()
    left.remove()
    assert (again.cursor, again.shown) == (len(trace), True)


def restored_with_files(driver):
    """Restore, and wait until the files of instances were looked at."""
    with driver.qtbot.waitSignal(driver.window.files.looked_again, timeout=20_000):
        answered(driver, "Restore")
    driver.wait(lambda: driver.drafts.instance is not None)


INSTANCE = "The instance in the form, edited by hand"


@pytest.mark.parametrize("happens", ["nothing", "deleted", "changed"])
def test_closing_does_not_ask_again_about_an_instance_and_a_run_that_were_saved_before_a_crash(
    qtbot, tmp_path, happens
):
    own = tmp_path / "own.json"
    with driven(qtbot, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        edited(driver, "7")
        save(driver, "Ctrl+Shift+I", own)
        edited(driver, "8", "7")  # and back
        driver.start()
        driver.finish()
        save(driver, "Ctrl+S", tmp_path / "kept.gems")
        driver.type_into("run.seed", "2")
        driver.start()
        driver.finish()
        repeatable = driver.run.name
        assert asked(driver) == [(repeatable,)]
        driver.wait(lambda: [each[:4] for each in kept_files()] == ["draf", "run-", "save", "wind"])
        recovery(driver).leave()
    if happens == "deleted":
        own.unlink()
    elif happens == "changed":
        own.write_bytes(own.read_bytes())  # whatever it contains now, another program wrote it
    left = next(recovery_root().iterdir())
    with driven(qtbot, layout="talk") as driver:
        restored_with_files(driver)
        if happens != "nothing":
            assert asked(driver) == [INSTANCE, repeatable]
            return
        assert asked(driver) == [(repeatable,)]
        driver.wait(lambda: not left.exists())
        recovery(driver).leave()
    with driven(qtbot, layout="talk") as driver:  # after a second crash
        restored_with_files(driver)
        assert asked(driver) == [(repeatable,)]
        own.unlink()
        assert asked(driver) == [INSTANCE, repeatable], "the file is still watched"


@pytest.mark.parametrize("happens", ["deleted", "changed"])
def test_an_opened_instance_is_asked_about_after_a_crash_if_its_file_no_longer_has_it(qtbot, tmp_path, happens):
    write_instance(tmp_path / "mine.json", make("paper-hard", d_star=3, epsilon=0.4))
    with driven(qtbot, layout="talk") as driver:
        driver.drop(driver.window, tmp_path / "mine.json")
        driver.wait(lambda: kept_files() == ["draft.json", "saved.json", "window.jsonl"])
        recovery(driver).leave()
    if happens == "deleted":
        (tmp_path / "mine.json").unlink()
    else:
        write_instance(tmp_path / "mine.json", make("soare"))
    with driven(qtbot, layout="talk") as driver:
        restored_with_files(driver)
        assert asked(driver) == [f"The instance in the form, whose file was {happens}"]


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b'{"a": 1}',
        b'[["a", "/b"], ["a", "b", [1, 2, 3]], [1, "/b", [1, 2, 3]], ["a", "/b", [1, 2]], ["a", "/b", ["1", 2, 3]], 7]',
        b'["' + b"x" * 2**20 + b'"]',
    ],
)
def test_a_damaged_list_of_saved_instances_is_ignored(trace, said):
    path = abandoned(trace)
    (path / folders.SAVED).write_bytes(said)
    (left,), _ = left_behind(recovery_root())
    assert left.saved == ()
    assert [list(each.trace) for each in left.read()] == [list(trace)]
    left.remove()


def test_a_name_that_no_file_can_have_is_that_of_a_missing_file(driver, trace):
    path = abandoned(trace)
    (path / folders.SAVED).write_bytes(b'[["a", "/b\\u0000", [1, 2, 3]], ["b", "/\\ud800", [1, 2, 3]]]')
    recovery(driver).recorder.look()
    answered(driver, "Restore")
    driver.wait(lambda: driver.window.closing.files.instances == {"a": "deleted", "b": "deleted"})
    assert driver.workbench.saved_instances == {}


def test_a_run_that_is_replaced_at_once_gets_no_file(trace):
    writer = Recorder(recovery_root())
    soon = time.monotonic() + 4 * recorder.PACE
    writer.keep(None, [KeptRun(trace, "auto-run", since=soon)])
    writer.keep(None, [KeptRun(finished_run(SMALL.with_text("run.seed", "3")), "auto-run", since=soon)])
    while not kept_files():
        threading.Event().wait(0.01)
        assert time.monotonic() < soon + 20
    assert time.monotonic() >= soon
    while "run-1.gems" not in kept_files():
        threading.Event().wait(0.01)
    writer.close()
    assert kept_files() == []


def test_a_story_is_kept_with_the_runs_that_it_tells(trace):
    told, companion = Trace(trace.instance), Trace(trace.instance)
    told.extend(trace[:60])
    companion.extend(trace[:20])
    told.story = Story(
        "Mine", (StoryMoment(Bookmark(end=True), caption="The end"),), "", "A", (Companion("B", companion),)
    )
    abandoned(told, names=["told"])
    (left,), _ = left_behind(recovery_root())
    (again,) = left.read()
    left.remove()
    assert (again.name, list(again.trace)) == ("told", trace[:60])
    assert (again.trace.story.title, again.trace.story.moments) == ("Mine", told.story.moments)
    assert [list(each.trace) for each in again.trace.story.companions] == [trace[:20]]
    assert [each.trace for each in again.histories] == [again.trace, again.trace.story.companions[0].trace]
    assert [each.events for each in again.histories] == [60, 20]


# -- what is offered ------------------------------------------------------------------------------------------------


def test_one_window_at_a_time_has_what_is_left_and_later_means_the_next_start(qtbot, trace):
    path = abandoned(trace, draft=OWN)
    (other,), _ = left_behind(recovery_root())  # as another window does it
    with driven(qtbot, layout="talk") as driver:
        driver.qtbot.wait(2 * 1000 * recorder.PACE)
        assert not recovery(driver).notice.isVisible()
        other.postpone()
        recovery(driver).recorder.look()
        driver.wait(recovery(driver).notice.isVisible)
        assert left_behind(recovery_root()) == ([], [])
        answered(driver, "Later")
        driver.wait(lambda: not in_use(path / folders.LIST))
        recovery(driver).recorder.look()
        answered(driver, "Discard")
        driver.wait(lambda: not path.exists())
        assert driver.run is None
    assert list(recovery_root().iterdir()) == []


def test_a_window_that_closes_without_an_answer_leaves_everything(qtbot, trace):
    path = abandoned(trace)
    with driven(qtbot, layout="talk") as driver:
        driver.wait(recovery(driver).notice.isVisible)
    assert path.is_dir()
    assert not in_use(path / folders.LIST)


def test_damaged_files_give_what_can_be_read_and_a_sentence_each(driver, trace):
    path = abandoned(trace, finished_run(SMALL), finished_run(SMALL), draft=OWN, names=["half", "lost", "fine"])
    sizes = Sizes.of(trace.instance)
    pieces = [journal.record(part, sizes) for part in (trace[:50], trace[50:80], trace[80:])]
    pieces[1] = pieces[1][:-9] + bytes(9)
    (path / "run-1.gems").write_bytes(b"".join((journal.header(trace.instance), *pieces)))
    (path / "run-2.gems").write_bytes(b"gems-run 1\nnonsense")
    (path / "draft.json").write_bytes((path / "draft.json").read_bytes()[:-40])
    with open(path / folders.LIST, "ab") as stream:
        stream.write(b'[1]\n{"run": 3, "name": 7}\n{"ru')
    recovery(driver).recorder.look()
    answered(driver, "Restore")
    driver.wait(lambda: "Restored" in driver.message)
    said = driver.said()
    assert said.startswith("Restored: 2 runs.\nhalf: Chunk 2 is damaged")
    assert "50 events" in said
    assert "Cannot restore lost." in said
    assert "Cannot restore the form." in said
    names = {run.name: run.trace for run in driver.workbench.runs}
    assert set(names) == {"half", "fine"}
    assert list(names["half"]) == trace[:50]
    assert list(names["fine"]) == list(trace)
    driver.wait(lambda: not path.exists())
    assert (path.with_name(f"damaged-{path.name}") / "run-2.gems").is_file(), "what cannot be read is not deleted"
    assert left_behind(recovery_root()) == ([], []), "and not offered"


def test_what_a_newer_version_has_left_is_left_alone(trace):
    path = abandoned(trace)
    lines = (path / folders.LIST).read_bytes().splitlines(keepends=True)
    lines[0] = lines[0].replace(b'"version": 1', b'"version": 2')
    (path / folders.LIST).write_bytes(b"".join(lines))
    found, (sentence,) = left_behind(recovery_root())
    assert found == []
    assert str(path) in sentence
    assert "newer version" in sentence
    assert list(read_run(path / "run-1.gems")) == list(trace)


def aged(path, days):
    then = time.time() - days * 86_400
    for each in (*path.iterdir(), path):
        os.utime(each, (then, then))


def test_what_is_old_is_offered_once_more_and_then_goes(trace):
    path = abandoned(trace)
    aged(path, 31)
    (left,), _ = left_behind(recovery_root())
    assert (datetime.now() - left.ended) > timedelta(days=30)
    left.postpone()
    found, (sentence,) = left_behind(recovery_root())
    assert found == []
    assert f"{left.ended:%Y-%m-%d}" in sentence
    assert list(recovery_root().iterdir()) == []
    young = abandoned(trace)
    for _ in range(3):
        (left,), _ = left_behind(recovery_root())
        left.postpone()
    damaged = young.rename(young.with_name(f"damaged-{young.name}"))
    (recovery_root() / "gone-half").mkdir()
    empty = recovery_root() / "empty"
    empty.mkdir()
    assert left_behind(recovery_root()) == ([], [])
    assert sorted(each.name for each in recovery_root().iterdir()) == [damaged.name, "empty"]
    aged(damaged, 31)
    aged(empty, 1)
    assert left_behind(recovery_root()) == ([], [])
    assert list(recovery_root().iterdir()) == []


def test_the_offer_in_words():
    now = datetime(2026, 3, 5, 15, 0)
    one = SimpleNamespace(ended=datetime(2026, 3, 5, 14, 3), runs=[1, 2], has_draft=True)
    old = SimpleNamespace(ended=datetime(2026, 3, 4, 9, 30), runs=[1], has_draft=False)
    assert offer_text([one], now) == (
        "GEMS Lab ended unexpectedly; the last change was recorded at 14:03. Restore 2 runs and a draft?"
    )
    assert offer_text([old], now) == (
        "GEMS Lab ended unexpectedly; the last change was recorded on 2026-03-04 at 09:30. Restore a run?"
    )
    assert offer_text([old, one], now) == (
        "GEMS Lab ended unexpectedly 2 times; the last change was recorded at 14:03. Restore 3 runs and a draft?"
    )


# -- what cannot be kept --------------------------------------------------------------------------------------------


def test_a_folder_that_cannot_be_made_costs_one_sentence_that_stays_until_it_is_read(qtbot, own_settings, tmp_path):
    (own_settings / "gems-lab").mkdir(exist_ok=True)
    recovery_root().write_text("in the way")
    with driven(qtbot, layout="talk") as driver:
        driver.finished()
        driver.wait(lambda: "Crash recovery is not working" in driver.message)
        sentence = driver.message
        assert str(recovery_root()) in sentence
        assert "\n" not in sentence
        driver.start()  # which says that something else is at hand now
        driver.workbench.messages.show("Something else.", transient=True)
        assert driver.message == f"{sentence}\nSomething else."
        driver.workbench.messages.show("")
        assert driver.message == sentence
        driver.click(driver.notice.buttons["Dismiss"])
        driver.start()
        driver.finish()
        driver.qtbot.wait(2 * 1000 * recorder.PACE)
        assert not driver.message, "it is said once"
        assert [each.sentence for each in driver.window.run_list.log_dock.entries].count(sentence) == 1
        driver.press("End")
        assert driver.shown() == len(driver.trace)
        driver.write_run(driver.run, tmp_path / "elsewhere.gems")
        driver.wait(lambda: driver.run.saved)
        assert list(read_run(tmp_path / "elsewhere.gems")) == list(driver.trace)


def test_a_disk_that_is_full_for_a_while_is_said_for_that_while(driver, monkeypatch):
    true = appending._append

    def append(stream, path, size, data):
        if path.name.startswith("run-"):
            raise InputError(f"Cannot write {path}: no space left on device.")
        return true(stream, path, size, data)

    monkeypatch.setattr(recorder, "_AGAIN", 0.0)
    monkeypatch.setattr(appending, "_append", append)
    driver.finished()
    driver.wait(lambda: "no space left on device" in driver.message)
    assert driver.message
    monkeypatch.setattr(appending, "_append", true)
    driver.wait(lambda: not driver.message)
    assert [len(read_recovery(each)) for each in recovery_root().glob("*/run-*.gems")] == [len(driver.trace)]


def test_a_full_disk_is_said_once_and_when_there_is_room_again_everything_is_there(qtbot, monkeypatch, trace):
    true, full = appending._append, [True]

    def append(stream, path, size, data):
        if full[0] and path.name.startswith("run-"):
            raise InputError(f"Cannot write {path}: no space left on device.")
        return true(stream, path, size, data)

    monkeypatch.setattr(appending, "_append", append)
    said = []
    writer = Recorder(recovery_root())
    writer.write_failed.connect(said.append)
    writer.write_resumed.connect(lambda: said.append("resumed"))
    writer.keep(OWN, [KeptRun(trace, "mine", live=True)])
    qtbot.waitUntil(lambda: bool(said) and "draft.json" in kept_files(), timeout=20_000)
    monkeypatch.setattr(recorder, "_AGAIN", 0.0)
    qtbot.wait(4 * 1000 * recorder.PACE)
    assert len(said) == 1
    full[0] = False
    qtbot.waitUntil(lambda: len(said) > 1, timeout=20_000)
    assert said[1] == "resumed"
    (file,) = recovery_root().glob("*/run-*.gems")
    assert list(read_recovery(file)) == list(trace)
    writer.close()


def test_too_much_is_not_kept_and_room_comes_back(qtbot, monkeypatch, trace):
    monkeypatch.setattr(recorder, "LIMIT", 1000)
    said = []
    writer = Recorder(recovery_root())
    writer.write_failed.connect(said.append)
    first, second = KeptRun(trace, "first"), KeptRun(finished_run(SMALL.with_text("run.seed", "5")), "second")
    writer.keep(None, [first, second])
    qtbot.waitUntil(lambda: bool(said), timeout=20_000)
    assert "Save or remove runs" in said[0]
    assert kept_files() == ["run-1.gems", "window.jsonl"]
    writer.keep(None, [second])
    qtbot.waitUntil(lambda: kept_files() == ["run-2.gems", "window.jsonl"], timeout=20_000)
    writer.close()


def test_a_folder_that_is_deleted_under_a_window_is_made_again(trace):
    writer = Recorder(recovery_root())
    writer.keep(OWN, [KeptRun(trace, "mine")])
    deadline = time.monotonic() + 20
    while len(kept_files()) < 3:
        assert time.monotonic() < deadline
    (path,) = recovery_root().iterdir()
    shutil.rmtree(path)
    writer.keep(OWN, [KeptRun(trace, "mine")])
    while len(kept_files()) < 3:
        assert time.monotonic() < deadline
    writer.close(leave=True)
    (left,), _ = left_behind(recovery_root())
    run, form = left.read()
    assert (list(run.trace), run.name, form.draft) == (list(trace), "mine", OWN)
    left.remove()


# -- a full disk, and who may read ------------------------------------------------------------------------------------


class _FullDisk:
    """A file that takes a number of bytes, then says that the disk is full."""

    def __init__(self, stream, room):
        self._stream, self._room = stream, room

    def write(self, data):
        taken = self._stream.write(data[: self._room[0]])
        self._room[0] -= taken
        if not taken and len(data):
            raise OSError(errno.ENOSPC, "No space left on device")
        return taken

    def __getattr__(self, name):
        return getattr(self._stream, name)


@pytest.mark.parametrize("room", [0, 1, 100, 700, 2_000, 4_000, 100_000])
def test_after_a_full_disk_no_run_without_events_is_offered(monkeypatch, qtbot, trace, room):
    opened, left = appending._open_locked, [room]
    monkeypatch.setattr(appending, "_open_locked", lambda *a, **named: _FullDisk(opened(*a, **named), left))
    monkeypatch.setattr(recorder, "_AGAIN", 0.0)
    writer, said = Recorder(recovery_root()), []
    writer.write_failed.connect(said.append)
    writer.keep(None, [KeptRun(trace, "mine", live=True)])
    qtbot.waitUntil(lambda: bool(said) or (room >= 4_000 and "run-1.gems" in kept_files()), timeout=20_000)
    writer.close(leave=True)
    monkeypatch.undo()
    found, _ = left_behind(recovery_root())
    runs = [each.trace for folder in found for each in folder.read()]
    assert all(each is not None and len(each) for each in runs)
    assert len(runs) == sum(len(folder.runs) for folder in found)
    assert bool(runs) == (room >= 4_000), "the run takes 2,815 bytes, and the list of contents less than 200"
    assert bool(said) == (not runs)
    for folder in found:
        folder.postpone()


def test_files_without_events_of_a_killed_window_are_not_offered(tmp_path, trace):
    own = folders.OwnFolder(tmp_path)
    own.journal(1).write_bytes(b"")
    own.journal(2).write_bytes(journal.header(trace.instance))
    own.leave()
    assert left_behind(tmp_path) == ([], [])
    assert list(tmp_path.iterdir()) == []
    own = folders.OwnFolder(tmp_path)
    own.journal(1).write_bytes(b"")
    own.journal(2).write_bytes(b"damaged")
    with appending.RecoveryFile(own.journal(3), trace):
        own.leave()
    ((left,), _) = left_behind(tmp_path)
    assert [each.name for each in left.runs] == ["run-2.gems", "run-3.gems"]
    damaged, whole = left.read()
    assert "Cannot restore" in damaged.sentence
    assert list(whole.trace) == list(trace)
    left.remove()


_FULL = """
import sys
from pathlib import Path
from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_gui.recovery.folder import OwnFolder, left_behind
from gems_engine.files import RecoveryFile

disk, trace = Path(sys.argv[1]), Run(make("paper-hard", d_star=3), "fixed-confidence", 1, max_samples=20_000).finish()
failed = 0
for room in range(0, 61_440, 4_096):
    (disk / "filler").write_bytes(bytes(61_440 - room))
    try:
        own = OwnFolder(disk / "recovery")
        try:
            RecoveryFile(own.journal(1), trace).close()
        finally:
            own.leave()
    except InputError as error:
        assert "no space left" in str(error), error
        failed += 1
    (disk / "filler").unlink()
    found, sentences = left_behind(disk / "recovery")
    runs = [each for folder in found for each in folder.read()]
    assert sentences == [] and all(len(each.trace) for each in runs), (room, sentences, runs)
    for folder in found:
        folder.remove()
print("failed", failed)
"""


def test_on_a_disk_that_is_really_full_nothing_empty_is_offered(tmp_path):
    disk, script = tmp_path / "disk", tmp_path / "full.py"
    disk.mkdir()
    script.write_text(_FULL)
    mount = f"mount -t tmpfs -o size=64k tmpfs {disk} || exit 77; exec {sys.executable} {script} {disk}"
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare to mount a small disk")
    answer = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    if answer.returncode == 77 or "unshare" in answer.stderr:
        pytest.skip("mounting a small disk is not allowed")
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout.split()[-1]) >= 1, "the disk was never full"


@pytest.mark.skipif(os.name == "nt", reason="permissions of Windows")
def test_only_the_user_may_read_what_is_kept(qtbot, trace):
    before = os.umask(0)
    try:
        recovery_root().mkdir(parents=True)
        recovery_root().chmod(0o755)  # as an older version has left it
        story = Story("Mine", (StoryMoment(Bookmark(end=True)),))
        alone = Trace(trace.instance)
        alone.extend(trace)
        alone.story = story
        writer = Recorder(recovery_root())
        writer.keep(OWN, [KeptRun(alone, "mine", playback=Playback(alone), shown=True)])
        names = ["draft.json", "run-1.gems", "run-1.story.gems", "window.jsonl"]
        qtbot.waitUntil(lambda: kept_files() == names, timeout=20_000)
        writer.close(leave=True)
    finally:
        os.umask(before)
    (folder,) = recovery_root().iterdir()
    assert [stat.S_IMODE(each.stat().st_mode) for each in (recovery_root(), folder)] == [0o700, 0o700]
    assert {each.name: stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == dict.fromkeys(
        [*names, "places.json"], 0o600
    )
