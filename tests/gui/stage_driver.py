"""Tells a story on the stage, as a speaker does, and compares what is shown with its moments."""

from contextlib import contextmanager

from gems_engine.bookmark import Bookmark
from gems_engine.events import Eliminated
from gems_engine.narration import narrate
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.story import Companion, Story, StoryMoment
from gems_gui.painting import transition as ways
from gems_gui.talk import presenter as presenting
from tests.gui.sample_runs import run as sample_run
from tests.gui.window_driver import driven


def hurry_up(monkeypatch):
    """Ways that an audience would not see: a tenth of their time."""
    monkeypatch.setattr(ways, "_SHORTEST", 0.05)
    monkeypatch.setattr(ways, "_LONGEST", 0.3)
    monkeypatch.setattr(presenting, "_FRAME", 4)


@contextmanager
def finished(qtbot, monkeypatch):
    """A window with a finished run, in which a talk takes little time."""
    hurry_up(monkeypatch)
    with driven(qtbot) as driver:
        driver.finished()
        yield driver


def told(driver, **rest):
    """Give the shown run a story of four snapshots, the third of another run."""
    trace, other = driver.trace, sample_run("paper-hard")
    third, last = (int(trace.positions(Eliminated)[at]) + 1 for at in (2, -1))
    moments = (
        StoryMoment(
            Bookmark.of(trace, third), ("survivors", "cost"), "{left} left", notes="Slow: R^9.", arm=1, target=1
        ),
        StoryMoment(Bookmark.of(trace, last), ("dimension",), "d = {d_k} of {rho_star[2]}", dimension=3),
        StoryMoment(Bookmark(end=True), ("survivors",), "{hard.samples}", run=1, **rest),
        StoryMoment(Bookmark.of(trace, 5), ("counts", "weights", "why"), "Back at {event}", seconds=0.05),
    )
    trace.story = Story("Four", moments, "", "main", (Companion("hard", other),))
    driver.actions.refresh()
    return BoundStory(trace)


def presenter(driver):
    return driver.window.talk.presenter


def stage(driver):
    return presenter(driver).stage


def press(driver, keys):
    """A key for the widget with the focus, which in a talk is the stage."""
    driver.wait(lambda: stage(driver) is None or stage(driver).isActiveWindow())
    driver.press(keys)


def begun(driver):
    press(driver, "F5")
    driver.wait(lambda: stage(driver) is not None and stage(driver).hasFocus())
    return stage(driver)


def arrived(driver, at):
    """Wait for a snapshot; what is on the stage is that snapshot."""
    talk = presenter(driver)
    driver.wait(lambda: talk.at == at and talk._transition is None and talk.stage.settled and not talk.waits)
    moment, bound_story = talk.bound_story[at], talk.bound_story
    assert talk.stage.shown == moment.views
    assert talk.stage.caption.words == bound_story.caption(at)
    for name in moment.views:
        shown = talk.stage.views[name].snapshot
        assert shown.trace is bound_story.trace_of(at)
        assert shown.cursor == bound_story.cursor(at)
        assert (shown.selection.arm, shown.selection.target) == (moment.arm, moment.target)
        assert shown.selection.dimension == moment.dimension
    visible = {name for name, view in talk.stage.views.items() if view.body.isVisible()}
    assert visible == set(moment.views)


def said(driver):
    """The narrator's line for what the window shows."""
    snapshot = driver.workbench.snapshot
    return narrate(snapshot.history, snapshot.state, snapshot.truth)
