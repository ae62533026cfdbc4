"""The strip above the plots: the narrator, the verdict and its buttons; nothing that it shows moves a plot."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect

from gems_engine.complexity.theory_query import KNOWN
from gems_engine.history import History
from gems_engine.narration import narrate
from gems_engine.terminal import THIN, number
from gems_engine.verdict import verdict_of
from gems_gui.drafts.draft import Draft
from gems_gui.series.theory import question_of
from gems_gui.workbench.workbench import Page
from tests.gui.sample_runs import run as sample_run
from tests.gui.window_driver import driven, finished_run


def geometry(driver):
    """Where every visible plot is in the window."""
    views = {name: view for name, view in driver.views.items() if view.body.isVisible()}
    return {name: QRect(view.body.mapTo(driver.window, QPoint(0, 0)), view.body.size()) for name, view in views.items()}


def opened(driver, name="sphere"):
    """A recorded run in the window, before its first event."""
    run = driver.workbench.open(sample_run(name), "/somewhere/run.gems")
    driver.wait(lambda: driver.run is run and driver.board.settled)
    return run.trace


def said(driver):
    return driver.window.strip.text.text


def test_it_narrates_the_event_at_the_cursor_in_every_layout_and_no_plot_moves(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        assert said(driver) == "No run yet. Press Ctrl+R to run the form."
        trace = opened(driver)
        history = History(trace)
        for key in ("Ctrl+1", "Ctrl+2", "Ctrl+3"):
            driver.press(key)
            driver.wait(lambda: driver.board.settled)
            before = geometry(driver)
            for cursor in (0, 1, 30, 46, 99, len(trace) - 1, len(trace)):
                driver.seek(cursor)
                driver.wait(lambda: driver.board.settled)
                assert geometry(driver) == before
                if 0 < cursor < len(trace):
                    assert said(driver) == narrate(history, trace.state_at(cursor))
            assert driver.window.strip.isVisible()


def test_the_end_of_a_run_is_a_verdict_with_its_buttons(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        trace = opened(driver)
        driver.press("End")
        found = verdict_of(trace)
        assert driver.window.strip.text.bold == found.headline()
        assert found.cost() in said(driver)
        buttons = driver.window.strip._verdict
        assert [each.text() for each in buttons if each.isVisible()][-2:] == ["100 more seeds", "Story"]
        driver.press("Left")
        assert not any(each.isVisible() for each in buttons)
        assert driver.window.strip.why.isVisible()


def test_the_whole_verdict_of_the_first_walk_can_be_read_on_a_small_screen(qtbot):
    given = {"base": 4, "max_samples": 10_000_000}
    draft = Draft.of("paper-hard", seed=1, instance={"epsilon": 1e-4}, parameters=given)
    trace = finished_run(draft)
    found = verdict_of(trace)
    with driven(qtbot, draft, size=(1366, 768)) as driver:
        driver.workbench.open(trace, "/somewhere/run.gems")
        driver.press("End")
        driver.wait(lambda: KNOWN.get(question_of(driver.workbench.snapshot)) is not None)
        driver.wait(lambda: "theory: τ ≤ " in said(driver))
        strip = driver.window.strip
        bold, rest = strip.text.shown()
        assert bold == found.headline()
        assert rest == f"{found.cost(brief=True)} · theory: τ ≤ {number(13_400_000)}"
        assert found.cost(brief=True) == f"N = {number(9_233_229)}: 99{THIN}% in R¹⁰"
        assert all(each.isVisible() for each in (strip.why, *strip._verdict)), "with all its buttons"
        assert said(driver).endswith(found.sentence().rpartition(" · ")[2]), "the tooltip has the reason, too"
        driver.workbench.open(finished_run(draft.with_algorithm("rage")), "/somewhere/rage.gems")
        driver.press("End")
        driver.wait(lambda: "theory: " in said(driver))
        driver.drafts.set_draft(draft.with_algorithm("rage"))
        driver.wait(lambda: " samples to stop in Rᴰ" in strip.text.shown()[1])


def test_hidden_truth_is_in_no_part_of_the_verdict(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        trace = opened(driver, "paper-hard")
        driver.press("T")
        driver.press("End")
        strip = driver.window.strip
        told = "\n".join((said(driver), strip.text.toolTip(), strip.text.accessibleDescription()))
        for secret in ("ight", "rong", "from sample", "theory"):
            assert secret not in told.replace("the right", "").replace("right arm", ""), told
        assert strip.text.bold == verdict_of(trace).headline(hide_truth=True) == "Recommends x_9"


def test_why_is_one_click_away(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        opened(driver)
        assert not driver.window.strip.why.isEnabled()
        driver.seek(46)
        driver.click(driver.window.strip.why)
        driver.wait(lambda: "why" in driver.views and driver.views["why"].body.isVisible())


def test_symbols_are_explained_in_the_tooltip(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        trace = opened(driver)
        driver.seek(int(trace.positions("subroutine started")[0]) + 1)
        assert "B = " in said(driver)
        assert "selection budget" in driver.window.strip.text.toolTip()


def test_make_it_a_story_lists_the_start_the_changes_and_the_end(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        trace = opened(driver)
        driver.press("End")
        button = next(each for each in driver.window.strip._verdict if each.text() == "Story")
        trace.story = None
        try:
            driver.click(button)
            assert driver.window.talk.dock.isVisible()
            moments = trace.story.moments
            ends = [each.where.find(driver.playback.history)[0] for each in moments]
            changes = [event.target for event in trace if event.kind == "recommended"]
            changed = sum(one != other for one, other in pairwise(changes))
            assert ends[0] == 1
            assert ends[-1] == len(trace)
            assert len(moments) == 2 + min(changed, 6)
        finally:
            trace.story = None


def test_messages_float_below_the_strip_and_move_no_plot(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        opened(driver)
        before, notice = geometry(driver), driver.notice
        for words in ("One line.", "A much longer message. " * 30):
            driver.workbench.messages.show(words)
            assert notice.isVisible()
            driver.wait(lambda: driver.board.settled)
            assert geometry(driver) == before
            corner = notice.mapTo(driver.window, QPoint(0, 0))
            assert corner == driver.window.strip.mapTo(driver.window, QPoint(0, driver.window.strip.height()))
        driver.wait(lambda: notice.height() > driver.window.strip.height())
        driver.click(notice.buttons["Dismiss"])
        assert not notice.isVisible()


def test_on_another_page_messages_take_room_instead(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.workbench.show_page(Page.WELCOME)
        assert not driver.window.strip.isVisible()
        driver.workbench.messages.show("One line.")
        page = driver.window.welcome.page
        driver.wait(lambda: page.mapTo(driver.window, QPoint(0, 0)).y() > driver.notice.geometry().bottom())


def test_a_changed_form_is_said_in_the_strip(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.start()
        driver.finish()
        driver.press("End")
        driver.wait(lambda: driver.board.settled)
        before = geometry(driver)
        driver.type_into("algorithm.delta", "0.1")
        driver.wait(driver.difference_bar.isVisible)
        assert geometry(driver) == before
        driver.click(driver.difference_bar.buttons["Revert form"])
        assert not driver.difference_bar.isVisible()


@pytest.mark.parametrize("size", [(1024, 700), (1366, 768), (2560, 1440)])
def test_it_fits_into_every_window(qtbot, size):
    with driven(qtbot, size=size) as driver:
        opened(driver)
        driver.press("End")
        driver.wait(lambda: driver.board.settled)
        strip = driver.window.strip
        assert driver.window.size().toTuple() == size
        parts = [strip.text, strip.why, *strip._verdict, driver.difference_bar]
        shown = [each for each in parts if each.isVisible()]
        for left, right in pairwise(shown):
            assert left.geometry().right() < right.geometry().left()
        assert shown[-1].geometry().right() <= strip.width()
        assert strip.text.shown()[0].startswith("✓ Right: ")
        assert "…" not in strip.text.shown()[0]
