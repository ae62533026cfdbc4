"""The two presets that are stepped through by a key: at every event status line, plots, marked line and values.

What is to be seen at an event is in `SHOWN`, by its kind: a check takes the driver, the event and the state that the
trace gives at the cursor. A further check of every event goes into `ALWAYS`.
"""

from math import ceil, log

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from gems_engine import events as ev
from gems_engine.terminal import THIN, number
from gems_gui.drafts.draft import build_instance
from gems_gui.drafts.presets import PRESETS
from gems_gui.series.fate_raster import SURVIVING, UNDECIDED
from gems_gui.series.pseudocode import value_text
from tests.gui.window_driver import choose_by_keys, drawn_bars, driven, shown_design, visible_box

STEPS = ("gems-c-steps", "gems-b-steps")


# -- what is to be seen -----------------------------------------------------------------------------------------------


def status_line(driver, event, state):
    """Word for word."""
    k, n, left = event.place.k, state.started.parameters["rounds"], len(state.survivors)
    if isinstance(event, ev.RunFinished):
        where = "ended: one arm remains"
    elif k:
        where = f"k {k} of {n}"
    elif isinstance(event, ev.RunStarted):
        where = "start"
    else:
        last = max(each.place.k for each in driver.trace[: state.cursor])
        where = f"ended in round {last} of {n}" if state.subroutine_finished else "before round 1"
    parts = [f"samples {grouped(state.samples)}", f"{left} of 8 arms remain{'s' if left == 1 else ''}"]
    if state.recommended is not None:
        parts.append(f"recommends arm {state.recommended.target}")
    elif state.leader is not None:
        parts.append(f"leader arm {state.leader}")
    assert driver.transport.status.text == f"{where}  {' · '.join(parts)}"


def grouped(count):
    return f"{count:_}".replace("_", THIN)


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
    before = driver.trace.state_at(state.cursor - 1)
    assert event.counts.sum() > 0
    assert drawn_counts(driver).sum() == before.samples == state.samples


def pulls(driver, event, state):
    """Those that were decided, on top of those of the rounds before."""
    before, asked = driver.trace.state_at(state.cursor - 1), driver.trace[state.cursor - 2]
    expected = np.array(before.counts)
    expected[asked.arms] += asked.counts
    assert np.array_equal(drawn_counts(driver), expected)


def drawn_counts(driver):
    counts = driver.views["counts"]
    return drawn_bars((counts.round, counts.subroutine, counts.run), len(driver.trace.instance.arms))


# -- the pseudo-code -------------------------------------------------------------------------------------------------

LINES = {
    ev.RunStarted: "input",
    ev.SubroutineStarted: "begin",
    ev.BudgetDivided: "divide",
    ev.TopDimensionChosen: "top",
    ev.DesignSolved: "design",
    ev.Allocated: "allocate",
    ev.Pulled: "pull",
    ev.Estimated: "estimate",
    ev.Eliminated: "eliminate",
    ev.SubroutineFinished: "single",
    ev.Recommended: "output",
    ev.RunFinished: "output",
}
"""The line of each event; a probe is a line of OPT."""
ROUND = ("k", "δ_k", "|Ŝ_k|", "d_k", "g_k(d_k)")
"""What is always in sight, once it is known."""


def written(trace, cursor):
    """What a reader would write next to the letters, by line: computed from the events and the paper's formulas."""
    given, targets, D = trace[0].parameters, len(trace.instance.targets), trace.instance.D
    n, B, delta, budget = given["rounds"], given["selection_budget"], given.get("delta"), given.get("budget")
    by_budget = trace[0].algorithm == "gems-b"
    call = {("input", "n"): n, ("input", "B"): B, ("begin", "|𝒵|"): targets}
    call |= {("input", "T"): budget, ("allocate", "ζ"): 1} if by_budget else {("input", "δ"): delta, ("pulls", "ζ"): 1}
    now, opt, k, samples, remaining = {}, {}, 0, 0, targets
    for event in trace[:cursor]:
        if event.place.k > k:
            k, low, high = event.place.k, 0, D + 1
            now = {("round", "k"): k, ("cost" if by_budget else "confidence", "|Ŝ_k|"): remaining}
            now |= {("eliminate", "2^{−k}"): 1 / 2**k} if by_budget else {("confidence", "δ_k"): delta / k**2}
        opt = {}
        match event:
            case ev.BudgetDivided():
                call["divide", "T′"] = budget // n
            case ev.TopDimensionChosen():
                top = max(d for d in range(1, D + 1) if d * d + d + 2 <= budget // n)
                call |= {("top", "D̃"): top, ("top", "r_{D̃}(ζ)"): top * top + top + 2}
            case ev.DimensionProbed():
                d, over = event.d, event.verdict == "too dear"
                low, high = (low, min(high, d)) if over else (max(low, d), high)
                least = 0 if by_budget else d * d + d + 2
                costs = [max(4**k * bound, least) for bound in (event.lower, event.upper)]
                assert (costs[0] > B) if over else (costs[1] <= B)
                opt = {("input", "B"): B, ("input", "D"): D, ("probe", "d"): d, ("probe", "by"): event.reason}
                opt |= {("probe", "g(d)"): f"[{number(costs[0])}, {number(costs[1])}]"}
                opt |= {("fits", "d_−"): low, ("over", "d_+"): high}
            case ev.DesignSolved():
                cost = 4**k * event.value if by_budget else max(4**k * event.value, event.d**2 + event.d + 2)
                now |= {("choose", "d_k"): event.d, ("choose", "g_k(d_k)"): cost, ("design", "ι"): event.value}
                now["design", "|supp λ_k|"] = np.count_nonzero(event.weights)
                assert (event.d, event.d + 1) == (low, high)
            case ev.Allocated() if not by_budget:
                now["pulls", "N_k"] = ceil(4 * now["choose", "g_k(d_k)"] * log(remaining**2 * k**2 / delta))
                assert event.counts.sum() == now["pulls", "N_k"]
            case ev.Pulled():
                samples += budget // n if by_budget else now["pulls", "N_k"]
                now["pull", "samples"] = samples
            case ev.Estimated():
                now["estimate", "θ̂_k"] = f"({number(event.theta[0], 3)}, …, {number(event.theta[-1], 3)})"
                if len(event.theta) == 2:
                    now["estimate", "θ̂_k"] = now["estimate", "θ̂_k"].replace("…, ", "")
            case ev.Eliminated():
                remaining -= len(event.targets)
                now |= {("eliminate", "eliminated"): len(event.targets), ("eliminate", "|Ŝ_{k+1}|"): remaining}
                if not by_budget and len(event.targets):
                    widths = [number(min(event.widths)), number(max(event.widths))]
                    now["width", "ω(z′, z)"] = " … ".join(dict.fromkeys(widths))
            case ev.SubroutineFinished():
                call["output", "|Ŝ_{n+1}|"] = remaining
            case ev.Recommended():
                call["output", "ẑ_⋆"] = f"arm {event.target}"
            case ev.RunFinished():
                call["output", "ended"] = "one target remains"
    return [{at: value_text(value) for at, value in each.items()} for each in ({**call, **now}, opt) if each]


def marked_line(driver, event, state):
    """The line of the event alone has the strong mark, and all of it is in sight."""
    page = driver.views["pseudocode"].page
    image, marked = page.viewport().grab().toImage(), []
    for row in page.layout_now.rows:
        box = visible_box(page, row)
        if box.top() >= 0 and box.bottom() <= image.height():
            colour = image.pixelColor(round(box.left() + 1.5), round(box.center().y())).name()
            marked += [(row.depth, row.line.id)] * (colour == driver.theme.surviving.lower())
    probed = isinstance(event, ev.DimensionProbed)
    line = ("over" if event.verdict == "too dear" else "fits") if probed else LINES[type(event)]
    assert marked == [(int(probed), line)]
    tops = [visible_box(page, row).top() for row in page.layout_now.rows]
    assert page.verticalScrollBar().value() == 0 or min(map(abs, tops)) < 1, "no line is cut at the top"


def values(driver, event, state):
    """Every value next to its symbol, in the room that its line has for it; those of the round are in sight."""
    page, expected = driver.views["pseudocode"].page, written(driver.trace, state.cursor)
    shown = [{at: value_text(value) for at, value in frame.values.items()} for frame in page.series.stack]
    assert shown == expected
    for row in page.layout_now.rows:
        for slot in row.slots:
            value, box = expected[row.depth].get((row.line.id, slot.symbol)), visible_box(page, row)
            if value is None:
                continue
            font = page.layout_now.rows[0].runs[0].font
            assert QFontMetricsF(font).horizontalAdvance(value) <= page.room_of(row, slot), (slot.symbol, value)
            if slot.symbol in ROUND and not row.depth:
                assert 0 <= box.top() <= box.bottom() <= page.viewport().height(), slot.symbol


ALWAYS = (status_line, plots, marked_line, values)
SHOWN = {
    ev.DesignSolved: (chosen_dimension,),
    ev.Eliminated: (elimination,),
    ev.Allocated: (allocation,),
    ev.Pulled: (pulls,),
}


# -- the walk ---------------------------------------------------------------------------------------------------------


def alone(name):
    """The same run, computed without a window."""
    draft = PRESETS[name].draft
    return draft.request(build_instance(draft.source)).run().finish()


@pytest.mark.parametrize("name", STEPS)
def test_every_event_by_a_key_shows_what_it_did(qtbot, name):
    expected = list(alone(name))
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.window.welcome.welcome()
        driver.click(driver.window.welcome.page.steps[name])
        driver.wait(lambda: driver.run is not None)
        assert "Press → for one event" in driver.window.strip.text.text
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
        assert seen >= {ev.RunStarted, ev.SubroutineStarted, ev.DimensionProbed, *SHOWN, ev.Estimated}
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
        driver.drafts.set_draft(PRESETS[name].draft.with_text("run.seed", "7"))
        driver.start()
        assert (driver.cursor, driver.playback.playing) == (0, False), "another seed of the same call waits, too"
        driver.drafts.set_draft(PRESETS[name].draft.with_text("instance.seed", "7"))
        driver.start()
        assert driver.playback.playing, "another instance is another run"


def test_the_keys_belong_to_a_run_that_was_chosen_in_the_list(qtbot):
    with driven(qtbot, layout="talk") as driver:
        presets = driver.form.presets
        presets.setFocus()
        choose_by_keys(presets, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * presets.findText("GEMS-b, step by step"))
        assert driver.draft == PRESETS["gems-b-steps"].draft
        assert QApplication.focusWidget() is presets
        driver.start("Ctrl+R")
        assert "Press → for one event" in driver.window.strip.text.text
        driver.press("Right")
        driver.wait(lambda: driver.cursor == 1)
        driver.wait(lambda: not driver.message)


def test_the_keys_belong_to_a_run_after_a_number_was_edited(qtbot):
    with driven(qtbot, PRESETS["gems-b-steps"].draft, layout="talk") as driver:
        driver.type_into("algorithm.selection_budget", "90")
        driver.start("Ctrl+R")
        assert driver.trace.started is None or driver.trace.started.parameters["selection_budget"] == 90.0
        assert (driver.cursor, driver.playback.playing) == (0, False)
        assert "Press → for one event" in driver.window.strip.text.text
        driver.press("Right")
        driver.wait(lambda: driver.cursor == 1)
        assert driver.trace.started.parameters["selection_budget"] == 90.0
        driver.press("Shift+Right")
        driver.wait(lambda: driver.cursor > 2)


def test_with_play_it_plays(qtbot):
    with driven(qtbot, PRESETS["gems-c-steps"].draft, layout="talk") as driver:
        driver.workbench.play_opened = True
        driver.start()
        assert driver.playback.playing


@pytest.mark.parametrize("name", STEPS)
def test_the_pseudo_code_comes_to_the_front_where_it_is_a_tab(qtbot, name):
    with driven(qtbot, size=(1024, 700)) as driver:
        dock = driver.board.docks["pseudocode"]
        assert not dock.exposed
        driver.window.start_preset(name)
        driver.wait(lambda: driver.run is not None and dock.exposed)
        assert not driver.board.moved
        driver.finish()
        driver.press("End")
        driver.shown()
        bar = driver.views["pseudocode"].page.verticalScrollBar()
        assert bar.value() > 0
        driver.start("Ctrl+R")
        driver.shown()
        assert (driver.cursor, bar.value()) == (0, 0), "a new run is shown from its first line"
