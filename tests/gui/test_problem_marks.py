"""Problems on the line over the run: where the engine finds them, in their colours, without what is hidden."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor

from gems_engine.problems import KINDS, problems
from gems_gui.appearance import Appearance
from gems_gui.snapshot import Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.transport.scrubber import Scrubber
from gems_gui.workbench.playback import Playback
from tests.gui.sample_runs import run
from tests.gui.window_driver import driven

NAME = "fixed-budget"
"""A run with errors, warnings and notes, some of which tell of the truth."""


@pytest.fixture
def scrubber(qtbot):
    """A line so wide that every event has its own place on it, with the cursor at the start."""
    appearance = Appearance(LIGHT)
    made = Scrubber(appearance)
    made.look = appearance.set_theme
    qtbot.addWidget(made)
    made.resize(12 + 6 * len(run(NAME)), 24)
    made.show()
    return made


def snapshot_of(truth=True):
    trace = run(NAME)
    playback = Playback(trace)
    snapshot = Snapshot(trace, playback.history, playback.state, truth=truth)
    snapshot.problems.update()
    return playback, snapshot


def expected(truth):
    """Cursors at which errors and other warnings show, from the engine's own list."""
    found = problems(run(NAME), truth=truth)
    errors = sorted({each.event + 1 for each in found if each.severity == "error"})
    warnings = sorted({each.event + 1 for each in found if each.severity == "warning"} - set(errors))
    return errors, warnings


@pytest.mark.parametrize("truth", [True, False])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_they_are_where_the_engine_finds_them_in_their_colours(scrubber, truth, theme):
    scrubber.look(theme)
    scrubber.show_playback(*snapshot_of(truth))
    errors, warnings = expected(truth)
    assert bool(errors) == truth, "that the best is gone is told only with the truth"
    assert (list(scrubber.marks.errors), list(scrubber.marks.warnings)) == (errors, warnings)
    image = scrubber.grab().toImage()
    top = {at for at in range(image.width()) if image.pixelColor(at, 1) != image.pixelColor(0, 23)}
    marked = {round(scrubber.x_of(cursor)) + by for cursor in (*errors, *warnings) for by in (-1, 0, 1)}
    assert top == marked, "nothing else is at the upper edge"
    for cursors, role in ((errors, "now"), (warnings, "best")):
        for cursor in cursors:
            assert image.pixelColor(round(scrubber.x_of(cursor)), 1) == QColor(getattr(theme, role))
    for cursor, longer in (*((each, True) for each in errors), *((each, False) for each in warnings)):
        below = image.pixelColor(round(scrubber.x_of(cursor)) + 1, 5)
        assert (below == QColor(theme.now)) == longer, "an error can be told by its length too"


def test_hiding_the_truth_takes_marks_and_words_away(scrubber):
    playback, shown = snapshot_of()
    scrubber.show_playback(playback, shown)
    secret = expected(True)[0][0]
    assert f"error: {KINDS['best eliminated'][1]}" in scrubber.text_at(scrubber.x_of(secret))
    scrubber.show_playback(*snapshot_of(truth=False))
    assert "error" not in scrubber.text_at(scrubber.x_of(secret))
    assert not len(scrubber.marks.errors)


def test_the_tooltip_says_what_is_wrong_there_and_no_notes(scrubber):
    scrubber.show_playback(*snapshot_of())
    found = problems(run(NAME), truth=True)
    for cursor in (*scrubber.marks.errors, *scrubber.marks.warnings):
        words = scrubber.text_at(scrubber.x_of(int(cursor)))
        here = [each for each in found if each.event + 1 == cursor]
        for each in here:
            assert (KINDS[each.kind][1] in words) == (each.severity != "note")
        assert words.startswith(f"event {cursor} of ")


def test_what_is_not_looked_at_is_not_marked_and_comes_with_looking(scrubber):
    playback = Playback(run(NAME))
    snapshot = Snapshot(run(NAME), playback.history, playback.state)
    scrubber.show_playback(playback, snapshot)
    assert not len(scrubber.marks.warnings)
    while not snapshot.problems.update(0.0):
        marked = {*scrubber.marks.errors.tolist(), *scrubber.marks.warnings.tolist()}
        assert max(marked, default=0) <= snapshot.problems.events
    assert (list(scrubber.marks.errors), list(scrubber.marks.warnings)) == expected(True)
    scrubber.show_playback(Playback(run("paper-hard")), None)
    assert not len(scrubber.marks.warnings), "another run has its own"


def test_many_are_as_few_as_can_be_told_apart(scrubber):
    scrubber.resize(62, 24)
    scrubber.show_playback(*snapshot_of())
    bins = np.concatenate((scrubber.marks.errors, scrubber.marks.warnings)) * 10 // len(run(NAME))
    assert len(bins) <= 10


def test_the_window_looks_by_itself_and_marks_what_the_list_lists(qtbot):
    with driven(qtbot) as driver:
        driver.finished()
        found = problems(driver.trace, truth=True)
        serious = sorted({each.event + 1 for each in found if each.severity != "note"})
        assert serious
        driver.wait(lambda: driver.run.problems.complete)
        scrubber = driver.transport.scrubber
        marked = sorted((*scrubber.marks.errors.tolist(), *scrubber.marks.warnings.tolist()))
        assert set(marked) <= set(serious)
        assert marked[0] == serious[0]
        driver.board.show_view("problems")
        driver.press("End")
        driver.shown()
        view = driver.views["problems"]
        assert view.model.problems == found
        image = scrubber.grab().toImage()
        assert image.pixelColor(QPoint(round(scrubber.x_of(marked[0])), 1)) == QColor(LIGHT.best)
        driver.press("T")
        driver.shown()
        assert view.model.problems == problems(driver.trace)


def test_a_run_that_grows_is_looked_at_as_it_grows(qtbot):
    with driven(qtbot) as driver:
        driver.board.show_view("problems")
        driver.start("Ctrl+R", "L")
        driver.finish()
        driver.wait(lambda: driver.run.problems.complete)
        driver.wait(lambda: driver.views["problems"].model.problems == problems(driver.trace, truth=True))
        assert "looked at" not in driver.views["problems"].head.subtitle.text()
