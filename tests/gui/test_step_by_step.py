"""The two presets that are stepped through: every event by a key, and at each what the status line and the plots show.

What is to be seen at an event is in `SHOWN`, by its kind: a check takes the driver, the event and the state that the
trace gives at the cursor. A further check of every event goes into `ALWAYS`.
"""

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from gems_engine import events as ev
from gems_engine.terminal import THIN
from gems_gui.drafts.draft import build_instance
from gems_gui.drafts.presets import PRESETS
from gems_gui.series.fate_raster import SURVIVING, UNDECIDED
from tests.gui.window_driver import drawn_bars, driven, shown_design

STEPS = ("gems-c-steps", "gems-b-steps")


# -- what is to be seen -----------------------------------------------------------------------------------------------


def status_line(driver, event, state):
    said = driver.transport.status.text.replace(THIN, "")
    if state.finished is not None:
        assert said.startswith("ended: singleton")
    elif state.place.k:
        assert f"k={state.place.k}" in said.replace(" ", "") or f"k{state.place.k}" in said.replace(" ", ""), said
        assert f"of {state.subroutine.rounds}" in said
    assert f"samples {state.samples}" in said or f"N {state.samples}" in said
    remaining = f"{len(state.survivors)} of {state.targets}"
    assert remaining in said, said


def plots(driver, event, state):
    """The four main plots against the state that the trace gives."""
    arms, views = len(driver.trace.instance.arms), driver.views
    counts = views["counts"]
    assert np.array_equal(drawn_bars((counts.round, counts.subroutine, counts.run), arms), state.counts)
    assert state.counts.sum() == state.samples
    weights, design = np.zeros(arms), shown_design(driver.trace, state)
    if design is not None:
        weights[design.support] = design.weights
    assert np.allclose(drawn_bars((views["weights"].weights,), arms), weights)


def chosen_dimension(driver, event, state):
    """The dot of this round is at d_k."""
    _, dots = driver.views["dimension"].current.getData()
    assert list(dots) == [event.d]
    assert state.d == event.d


def elimination(driver, event, state):
    """Who is gone is gone from the raster."""
    assert not set(event.targets.tolist()) & set(state.survivors.tolist())
    assert len(state.survivors) == event.left
    last = driver.views["survivors"].image.image[:, -1]
    assert np.isin(last, (SURVIVING, UNDECIDED)).sum() == event.left


def allocation(driver, event, state):
    """Pulls are drawn once they are made, not when they are decided."""
    assert state.allocation is not None
    assert event.counts.sum() > 0


ALWAYS = (status_line, plots)
SHOWN = {ev.DesignSolved: (chosen_dimension,), ev.Eliminated: (elimination,), ev.Allocated: (allocation,)}


# -- the walk ---------------------------------------------------------------------------------------------------------


def alone(name):
    """The same run, computed without a window."""
    draft = PRESETS[name].draft
    return draft.request(build_instance(draft.source)).run().finish()


@pytest.mark.parametrize("name", STEPS)
def test_every_event_by_a_key_shows_what_it_did(qtbot, name):
    expected = list(alone(name))
    with driven(qtbot) as driver:
        driver.window.welcome.open()
        driver.click(driver.window.welcome.page.steps[name])
        driver.wait(lambda: driver.run is not None)
        assert "waits for you" in driver.said()
        assert (driver.cursor, driver.playback.playing) == (0, False)
        driver.wait(lambda: driver.board.settled)
        seen = set()
        for at, event in enumerate(expected, 1):
            driver.press("Right")
            driver.wait(lambda at=at: driver.cursor == at)
            assert driver.shown() == at
            recorded = driver.trace[at - 1]
            assert (type(recorded), recorded.place) == (type(event), event.place)
            state = driver.trace.state_at(at)
            for check in (*ALWAYS, *SHOWN.get(type(event), ())):
                check(driver, recorded, state)
            seen.add(type(event))
        assert driver.playback.ended
        assert driver.trace.state_at(driver.cursor).finished.recommendation == driver.trace.instance.best
        assert seen >= {ev.RunStarted, ev.SubroutineStarted, ev.DimensionProbed, *SHOWN, ev.Pulled, ev.Estimated}
        driver.press("Left")
        driver.wait(lambda: driver.cursor == len(expected) - 1)
        assert driver.shown() == len(expected) - 1


@pytest.mark.parametrize("name", STEPS)
def test_it_waits_however_it_is_started_unless_it_is_to_be_played(qtbot, name):
    with driven(qtbot, PRESETS[name].draft, layout="talk") as driver:
        driver.start()
        assert (driver.cursor, driver.playback.playing) == (0, False)
        driver.press("Space")
        assert driver.playback.playing
        driver.finish()
        driver.window.drafting.set_draft(PRESETS[name].draft.with_text("run.seed", "7"))
        driver.start()
        assert (driver.cursor, driver.playback.playing) == (0, False), "another seed of the same call waits, too"
        driver.window.drafting.set_draft(PRESETS[name].draft.with_text("instance.seed", "7"))
        driver.start()
        assert driver.playback.playing, "another instance is another run"


def test_the_keys_belong_to_a_run_that_was_chosen_in_the_list(qtbot):
    with driven(qtbot, layout="talk") as driver:
        presets = driver.window.form.presets
        presets.setFocus()
        driver.press("Home")
        while presets.currentText() != "GEMS-b, step by step":
            driver.press("Down")
        assert driver.window.drafting.draft == PRESETS["gems-b-steps"].draft
        assert QApplication.focusWidget() is presets
        driver.start("Ctrl+R")
        assert "waits for you" in driver.said()
        driver.press("Right")
        driver.wait(lambda: driver.cursor == 1)
        driver.wait(lambda: not driver.window.notice.isVisible())


def test_the_keys_belong_to_a_run_after_a_number_was_edited(qtbot):
    with driven(qtbot, PRESETS["gems-b-steps"].draft, layout="talk") as driver:
        driver.type_into("algorithm.selection_budget", "90")
        driver.start("Ctrl+R")
        assert driver.trace.started is None or driver.trace.started.parameters["selection_budget"] == 90.0
        assert (driver.cursor, driver.playback.playing) == (0, False)
        assert "waits for you" in driver.said()
        driver.press("Right")
        driver.wait(lambda: driver.cursor == 1)
        assert driver.trace.started.parameters["selection_budget"] == 90.0
        driver.press("Shift+Right")
        driver.wait(lambda: driver.cursor > 2)


def test_with_play_it_plays(qtbot):
    with driven(qtbot, PRESETS["gems-c-steps"].draft, layout="talk") as driver:
        driver.window.handlers.play_opened = True
        driver.start()
        assert driver.playback.playing
