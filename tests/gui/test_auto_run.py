"""Auto-run: every valid change is computed, the newest wins, the place stays, and what is old says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gems_engine.bookmark import Bookmark
from gems_engine.events import SubroutineStarted
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.background.engine_client import EngineClient
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.run_request import RunRequest
from gems_gui.editing.auto_run import COMPUTING, NOT_FINISHED, NOT_VALID
from gems_gui.widgets.error_report import ErrorReport
from gems_gui.workbench.changes import Field
from gems_gui.workbench.playback import Credit
from tests.gui.window_driver import LONG, SMALL, driven, finished_run, slide, toy_draft, toy_package

SECONDS = 20_000


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory):
    with toy_package(tmp_path_factory.mktemp("package")):
        yield


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        made.wait(lambda: made.drafts.instance is not None)
        yield made


def auto(driver):
    return driver.window.auto_run.auto


def settled(driver):
    """Wait until what is shown is what the form asks for."""
    driver.wait(lambda: not auto(driver).busy and driver.run is not None and not driver.workbench.stale)
    assert driver.run.draft == driver.draft
    return driver.run


def change(driver, key, text, wait=True):
    driver.drafts.set_draft(driver.draft.with_text(key, text))
    return settled(driver) if wait else None


# -- the same place -------------------------------------------------------------------------------------------------

_RUNS = [
    Run(make("paper-hard", d_star=4, epsilon=0.3), "fixed-confidence", 1, max_samples=3000).finish(),
    Run(make("paper-hard", d_star=4, epsilon=0.2), "fixed-confidence", 2, max_samples=9000).finish(),
    Run(make("paper-hard", d_star=3, epsilon=0.3), "fixed-budget", 1, budget=900).finish(),
    Run(make("paper-hard", d_star=3, epsilon=0.4), "fixed-budget", 5, budget=400).finish(),
    Run(make("paper-hard", d_star=3, epsilon=0.4), "rage", 5, max_samples=4000).finish(),
]


def history(trace):
    made = History(trace)
    made.update()
    return made


@given(trace=st.sampled_from(_RUNS), data=st.data())
def test_in_the_same_run_every_place_is_found_again(trace, data):
    cursor = data.draw(st.integers(0, len(trace)))
    assert Bookmark.of(trace, cursor).find(history(trace)) == (cursor, True)


@given(pair=st.sampled_from([(0, 1), (1, 0), (2, 3), (3, 2), (0, 4), (4, 1)]), data=st.data())
def test_in_another_run_it_is_the_same_event_or_nothing_behind_it(pair, data):
    old, new = (_RUNS[at] for at in pair)
    cursor = data.draw(st.integers(1, len(old)))
    event = old[cursor - 1]
    mark = Bookmark.of(old, cursor)
    found, exact = mark.find(history(new))
    assert 0 <= found <= len(new)
    same = [at for at, each in enumerate(new) if type(each) is type(event) and each.place == event.place]
    if exact:
        assert same.index(found - 1) == mark.ordinal
    else:
        assert len(same) <= mark.ordinal, "it was not there"
        place = (event.place.ell, event.place.i, event.place.k)
        for each in new[:found]:
            if each.place.k and event.place.k:
                assert (each.place.ell, each.place.i, each.place.k) <= place
        if same and event.place.ell:
            assert found == same[-1] + 1, "the last of fewer"


def test_the_end_stays_the_end_and_the_start_the_start():
    for trace in _RUNS:
        assert Bookmark(end=True).find(history(trace))[0] == len(trace)
        assert Bookmark.of(_RUNS[0], 0).find(history(trace)) == (0, True)
    assert Bookmark.of(_RUNS[0], 50).find(history(Trace(_RUNS[0].instance))) == (0, False)


# -- on -------------------------------------------------------------------------------------------------------------


def test_switched_on_it_runs_the_form_and_shows_the_end(driver):
    driver.press("Ctrl+Shift+R")
    run = settled(driver)
    assert run.name == "auto-run · GEMS (fixed confidence) · paper-hard · seed 1"
    assert list(run.trace) == list(finished_run(SMALL))
    assert driver.shown() == len(run.trace)
    assert driver.actions["auto_run"].isChecked()
    assert driver.window.auto_run.switch.isChecked()
    driver.press("Ctrl+Shift+R")
    assert not auto(driver).on


def test_each_change_replaces_the_one_entry(driver):
    driver.finished()
    own = driver.run
    driver.press("Ctrl+Shift+R")
    assert driver.run is own, "the form's run is shown already"
    for key, text in (
        ("algorithm.delta", "0.2"),
        ("instance.epsilon", "0.4"),
        ("run.seed", "7"),
        ("instance.d_star", "3"),
    ):
        run = change(driver, key, text)
        assert driver.workbench.runs == [own, run]
        assert list(run.trace) == list(finished_run(driver.draft))
        assert run.ending is None or run.ending.how == "finished"
        assert driver.run is run
        assert not driver.difference_bar.isVisible(), "the form differs for a moment only"
    driver.shown()
    driver.press("Ctrl+Z")
    assert settled(driver).draft.text("instance.d_star") == "4", "undo is a change as any"


def test_a_typed_and_a_slid_value_run_at_once(driver):
    driver.press("Ctrl+Shift+R")
    settled(driver)
    driver.type_into("instance.epsilon", "0.5")
    assert settled(driver).request.instance.min_gap == pytest.approx(0.5)
    slider = driver.form.instance_form.list.fields["instance.epsilon"].slider
    assert slider.isVisible()
    slide(slider, slider.scale.place(0.1))
    assert settled(driver).request.instance.min_gap == pytest.approx(0.1)


def test_the_place_the_arm_and_the_speed_stay(driver):
    driver.press("Ctrl+Shift+R")
    trace = settled(driver).trace
    at = next(at for at, event in enumerate(trace) if event.kind == "estimated" and event.place.ell >= 2)
    driver.seek(at + 1)
    driver.workbench.select_arm(2)
    driver.press("]")
    run = change(driver, "run.seed", "5")
    event = run.trace[driver.cursor - 1]
    assert (event.kind, event.place) == ("estimated", trace[at].place)
    assert driver.shown() == run.playback.cursor < len(run.trace)
    assert run.selection.arm == 2
    assert run.playback.speed == 2.0
    run = change(driver, "instance.d_star", "1")
    assert run.selection.arm is None, "there are only two arms"


def test_of_many_quick_changes_only_the_last_is_sure_to_be_seen(driver):
    driver.press("Ctrl+Shift+R")
    settled(driver)
    shown = []
    workbench = driver.workbench
    workbench.subscribe(lambda change: shown.append(workbench.active.draft), Field.ACTIVE)
    for step in range(20):
        change(driver, "algorithm.delta", str(0.05 + step / 100), wait=False)
        QTest.qWait(1)
    run = settled(driver)
    assert run.draft.text("algorithm.delta") == "0.24"
    assert len(driver.workbench.runs) == 1
    assert 1 <= len(shown) <= 20
    order = [float(draft.text("algorithm.delta")) for draft in shown]
    assert order == sorted(order), "never back to an older one"


def test_what_is_kept_is_not_replaced(driver):
    driver.press("Ctrl+Shift+R")
    first = settled(driver)
    driver.workbench.pin(first, True)
    second = change(driver, "run.seed", "2")
    third = change(driver, "run.seed", "3")
    assert driver.workbench.runs == [first, third]
    third.path = "saved.gems"
    fourth = change(driver, "run.seed", "4")
    assert driver.workbench.runs == [first, third, fourth]
    assert second not in driver.workbench.runs
    driver.remove_run(fourth)
    fifth = change(driver, "run.seed", "5")
    assert driver.workbench.runs == [first, third, fifth]


def test_run_gives_a_run_of_its_own(driver):
    driver.press("Ctrl+Shift+R")
    automatic = settled(driver)
    driver.start()
    own = driver.run
    assert not own.name.startswith("auto-run")
    driver.finish()
    assert change(driver, "run.seed", "8") not in (automatic, own)
    assert len(driver.workbench.runs) == 2
    assert own in driver.workbench.runs


# -- what is old ----------------------------------------------------------------------------------------------------


def test_while_a_new_run_is_computed_the_old_picture_stays_and_says_so(qtbot, tmp_path):
    with driven(qtbot, SMALL, in_thread=False, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.press("Ctrl+Shift+R")
        old = settled(driver)
        driver.shown()
        veil = driver.window.auto_run.veil
        assert not veil.isVisible()
        driver.drafts.set_draft(toy_draft(tmp_path, "block"))
        driver.wait(lambda: driver.workbench.pending is not None)
        assert driver.run is old
        assert driver.transport.engine.text == COMPUTING
        assert driver.workbench.snapshot.stale
        assert veil.isVisible()
        assert (veil.reason, veil.accessibleDescription()) == (COMPUTING, COMPUTING)
        driver.wait(lambda: veil.active)
        assert veil.size() == driver.board.size()
        head = driver.views["survivors"].head
        assert veil.label_rect.top() > head.mapTo(driver.board, head.rect().bottomLeft()).y(), "no title is covered"
        driver.shown()
        assert driver.workbench.runs == [old], "nothing that is not there is listed"
        driver.press("Left")
        assert driver.shown() == len(old.trace) - 1, "the old one can be looked at"
        # A blocked algorithm does not yield: its process goes, and the newest run comes all the same.
        pid = driver.engine._engine.pid
        driver.drafts.set_draft(SMALL.with_text("run.seed", "9"))
        qtbot.waitUntil(lambda: driver.run is not old, timeout=SECONDS)
        assert settled(driver).draft.seed == "9"
        assert driver.engine._engine.pid != pid
        assert not veil.isVisible()
        assert not driver.workbench.snapshot.stale
        driver.wait(lambda: driver.transport.engine.text == "done")


def test_a_form_that_is_not_valid_leaves_the_old_run_marked(driver):
    driver.press("Ctrl+Shift+R")
    old = settled(driver)
    change(driver, "algorithm.delta", "2", wait=False)
    assert driver.workbench.stale == NOT_VALID
    assert driver.run is old
    assert driver.transport.engine.text == NOT_VALID
    change(driver, "algorithm.delta", old.draft.text("algorithm.delta"), wait=False)
    assert not driver.workbench.stale, "it is the form's run again"
    assert driver.run is old
    change(driver, "instance.d_star", "9999999", wait=False)
    assert driver.workbench.stale == NOT_VALID
    assert change(driver, "instance.d_star", "3") is not old


def test_stop_ends_the_coming_run_and_the_next_change_brings_another(qtbot, tmp_path):
    with driven(qtbot, SMALL, in_thread=False, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.press("Ctrl+Shift+R")
        old = settled(driver)
        driver.drafts.set_draft(toy_draft(tmp_path, "block"))
        driver.wait(lambda: driver.workbench.pending is not None)
        driver.press("Ctrl+.")
        driver.wait(lambda: driver.workbench.pending is None)
        assert driver.run is old
        assert driver.workbench.stale == NOT_FINISHED
        driver.drafts.set_draft(SMALL.with_text("run.seed", "3"))
        qtbot.waitUntil(lambda: driver.run is not old, timeout=SECONDS)
        settled(driver)


def test_a_run_that_fails_is_told_and_not_shown(qtbot, tmp_path):
    with driven(qtbot, SMALL, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.press("Ctrl+Shift+R")
        old = settled(driver)
        driver.drafts.set_draft(toy_draft(tmp_path, "raise"))
        driver.wait(lambda: driver.window.findChild(ErrorReport) is not None)
        assert "nothing to divide by" in driver.said()
        assert driver.run is old
        assert driver.workbench.stale == NOT_FINISHED
        QTest.keyClick(driver.window.findChild(ErrorReport), Qt.Key.Key_Escape)
        driver.come_back()
        driver.drafts.set_draft(SMALL.with_text("run.seed", "3"))
        settled(driver)


def test_a_long_run_is_shown_where_it_is_and_goes_on(qtbot):
    with driven(qtbot, SMALL, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.press("Ctrl+Shift+R")
        trace = settled(driver).trace
        second = [at for at, event in enumerate(trace) if isinstance(event, SubroutineStarted)][1]
        driver.seek(second + 1)
        driver.drafts.set_draft(LONG)
        driver.wait(lambda: driver.run.draft == LONG)
        assert not driver.playback.ended, "it did not wait for an end that is far away"
        assert driver.trace[driver.cursor - 1].place == trace[second].place
        events = len(driver.trace)
        driver.wait(lambda: len(driver.trace) > events)
        dropped, work = driver.run, driver.workbench
        driver.drafts.set_draft(LONG.with_text("run.seed", "2"))
        driver.wait(lambda: driver.run is not dropped or dropped.ending is not None)
        if driver.run is dropped:  # it may be shown already
            assert work.state_of(dropped) == work.stale == COMPUTING, "it was not stopped"
        driver.wait(lambda: driver.run is not dropped)
        driver.press("Ctrl+.")
        driver.wait(lambda: work.state_of(driver.run) == "stopped")


def test_switched_off_nothing_is_computed_and_the_difference_is_said(driver):
    driver.press("Ctrl+Shift+R")
    old = settled(driver)
    driver.press("Ctrl+Shift+R")
    change(driver, "run.seed", "6", wait=False)
    driver.wait(lambda: driver.drafts.instance is not None)
    assert driver.difference_bar.isVisible()
    assert not driver.workbench.stale
    assert driver.run is old
    assert not auto(driver).busy
    assert not driver.form.algorithm_form.list.fields["run.seed"].slider.isVisible()


# -- the engine -----------------------------------------------------------------------------------------------------


def request(folder, what):
    draft = toy_draft(folder, what)
    return RunRequest(draft.source.instance, draft.algorithm, 1, draft.algorithm_values())


def test_a_run_that_yields_keeps_the_process_and_one_that_does_not_costs_it(qtbot, tmp_path):
    engine = EngineClient()
    try:
        small = RunRequest(make("paper-hard", d_star=4, epsilon=0.3), "fixed-confidence", 1, {"max_samples": 3000})
        endings = []
        engine.ended.connect(endings.append)
        first = engine.start(request(tmp_path, "endless"), Credit(None))
        qtbot.waitUntil(lambda: len(first.trace) > 100, timeout=SECONDS)
        pid = engine._engine.pid
        for number in range(1, 4):
            live = engine.start(small, Credit(None), unseen=True)
            qtbot.waitUntil(lambda live=live: live.trace.finished is not None, timeout=SECONDS)
            assert list(live.trace) == list(finished_run(SMALL))
            assert engine._engine.pid == pid, f"run {number} after one that yielded"
        qtbot.waitUntil(lambda: len(endings) == 4, timeout=SECONDS)
        assert [each.how for each in endings] == ["stopped", "finished", "finished", "finished"]
        blocked = engine.start(request(tmp_path, "block"), Credit(None))
        qtbot.waitUntil(lambda: len(blocked.trace) > 0, timeout=SECONDS)
        live = engine.start(small, Credit(None), unseen=True)
        qtbot.waitUntil(lambda: live.trace.finished is not None, timeout=SECONDS)
        assert list(live.trace) == list(finished_run(SMALL)), "begun again in another process, from its first event"
        assert engine._engine.pid != pid
    finally:
        engine.close()


def test_runs_that_replace_each_other_before_the_process_is_there(qtbot):
    """None of them costs the process that is only starting, and the last one is computed."""
    engine = EngineClient()
    try:
        instance = make("paper-hard", d_star=4, epsilon=0.3)
        lives = [
            engine.start(RunRequest(instance, "fixed-confidence", seed, {"max_samples": 3000}), Credit(None))
            for seed in range(5)
        ]
        qtbot.waitUntil(lambda: lives[-1].trace.finished is not None, timeout=SECONDS)
        assert list(lives[-1].trace) == list(
            finished_run(
                Draft.of("paper-hard", seed=4, instance={"d_star": 4, "epsilon": 0.3}, parameters={"max_samples": 3000})
            )
        )
    finally:
        engine.close()
