"""Tells a story on the stage, as a speaker does, and compares what is shown with its moments."""

from gems_engine.bookmark import Bookmark
from gems_engine.events import Eliminated
from gems_engine.talk.story import Companion, Story, StoryMoment
from gems_engine.talk.telling import Telling
from gems_gui.painting import transition as ways
from gems_gui.talk import presenter as presenting
from tests.gui.sample_runs import run as sample_run


def hurry_up(monkeypatch):
    """Ways that an audience would not see: a tenth of their time."""
    monkeypatch.setattr(ways, "_SHORTEST", 0.05)
    monkeypatch.setattr(ways, "_LONGEST", 0.3)
    monkeypatch.setattr(presenting, "_FRAME", 4)


def told(driver, **rest):
    """Give the shown run a story of four snapshots, the third of another run."""
    trace, other = driver.trace, sample_run("paper-hard")
    third, last = (int(trace.positions(Eliminated)[at]) + 1 for at in (2, -1))
    moments = (
        StoryMoment(Bookmark.of(trace, third), ("survivors", "cost"), "{left} left", notes="Slowly.", arm=1, target=1),
        StoryMoment(Bookmark.of(trace, last), ("dimension",), "d = {d_k} of {rho_star[2]}", dimension=3),
        StoryMoment(Bookmark(end=True), ("survivors",), "{hard.samples}", run=1, **rest),
        StoryMoment(Bookmark.of(trace, 5), ("counts", "weights", "why"), "Back at {event}", seconds=0.05),
    )
    trace.story = Story("Four", moments, "", "main", (Companion("hard", other),))
    driver.actions.refresh()
    return Telling(trace)


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
    driver.wait(lambda: talk.at == at and talk._way is None and talk.stage.settled and not talk.waits)
    moment, telling = talk.telling[at], talk.telling
    assert talk.stage.shown == moment.views
    assert talk.stage.caption.words == telling.caption(at)
    for name in moment.views:
        shown = talk.stage.views[name].snapshot
        assert shown.trace is telling.trace_of(at)
        assert shown.cursor == telling.cursor(at)
        assert (shown.selection.arm, shown.selection.target) == (moment.arm, moment.target)
        assert shown.selection.dimension == moment.dimension
    visible = {name for name, view in talk.stage.views.items() if view.body.isVisible()}
    assert visible == set(moment.views)
