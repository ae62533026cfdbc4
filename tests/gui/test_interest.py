"""The next and the previous event of interest: an elimination, or a change of d_k or of the recommendation."""

import pytest

from gems_engine.conditions import EventOfInterest
from gems_engine.events import Allocated, DesignSolved, Eliminated, IdleRounds, Recommended, RunFinished
from gems_engine.history import History
from gems_engine.trace import Trace
from gems_engine.until import Search, Watcher
from tests.engine.explained_runs import run_of
from tests.gui.sample_runs import run as sample_run
from tests.gui.window_driver import SMALL, driven


def of_interest(trace):
    """The cursors at events of interest, by a loop over the events."""
    found, d, said = [], None, None
    for at, event in enumerate(trace, 1):
        hit = isinstance(event, Eliminated) and len(event.targets) > 0
        if isinstance(event, DesignSolved | Allocated | IdleRounds) and event.place.k and event.d:
            hit, d = d is not None and event.d != d, event.d
        target = getattr(event, "target", -1) if isinstance(event, Recommended) else -1
        target = event.recommendation if isinstance(event, RunFinished) else target
        if target >= 0:
            hit, said = said is not None and target != said, target
        if hit:
            found.append(at)
    return found


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "fixed-budget", "misspecified", "rage", "gems-b"])
@pytest.mark.parametrize("family", ["paper-hard", "sphere", "equal"])
def test_they_are_those_of_a_loop_over_the_events(algorithm, family):
    trace = run_of(algorithm, family)
    expected, condition, history = of_interest(trace), EventOfInterest(), History(trace)
    assert expected
    assert (condition.positions(history) + 1).tolist() == expected
    watcher, seen = Watcher(condition, trace, 0), []
    while (found := watcher.update()) is not None:
        seen.append(found)
    assert seen == expected
    for start in (0, len(trace) // 3, len(trace) - 1):
        after = next((each for each in expected if each > start), None)
        assert Search(trace, condition, start, True, history).update() == after
        grown = Trace(trace.instance)
        grown.extend(trace[:start])
        waiting = Search(grown, condition, start, True, History(grown))
        assert waiting.update() is None
        grown.extend(trace[start:])
        assert waiting.update() == after, "in a run that grows"
        before = next((each for each in reversed(expected) if each < start), None)
        assert Search(trace, condition, start, False, history).update() == before


def test_by_keys_and_buttons_both_ways(qtbot):
    trace = sample_run("sphere")
    expected = of_interest(trace)
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.workbench.open(trace, "/somewhere/run.gems")
        for cursor in expected[:4]:
            driver.press("N")
            assert driver.cursor == cursor
        driver.click(driver.transport.buttons["interest_forward"])
        assert driver.cursor == expected[4]
        driver.click(driver.transport.buttons["interest_back"])
        assert driver.cursor == expected[3]
        driver.press("Shift+N")
        assert driver.shown() == expected[2]
        driver.seek(expected[-1])
        driver.press("N")
        assert "Not found after the cursor" in driver.said()


def test_the_engine_computes_up_to_it(qtbot):
    with driven(qtbot, SMALL, layout="talk") as driver:
        driver.workbench.set_look_ahead(0)
        driver.start()
        driver.press("Space")
        driver.press("Home")
        driver.press("N")
        driver.wait(lambda: driver.playback.search is None and driver.cursor > 0)
        assert driver.cursor in of_interest(driver.trace)
