"""Views of a run that is one call of a subroutine: they know its rounds by k alone, and show all of them."""

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gems_engine import events as ev
from gems_engine.conditions import CONDITIONS
from gems_engine.errors import InputError
from gems_engine.terminal import number
from gems_engine.wording import ONE_CALL, place_text
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import Draft
from gems_gui.painting.cursor_parser import cursor_at
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.chosen_dimension import dimension_series
from gems_gui.series.event_list import EventList
from gems_gui.series.scrubber import position_text
from gems_gui.series.status import status
from gems_gui.series.surviving_arms import INDEX, ROUNDS, survival_series
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.transport.go_to import GoTo
from gems_gui.transport.run_until import RunUntil
from gems_gui.views import VIEWS
from tests.gui.one_call_runs import PARAMETERS, after, shown_by, snapshot_of, trace_of
from tests.gui.sample_runs import color_at
from tests.gui.sample_runs import snapshot_of as strategy
from tests.gui.text_boxes import assert_texts_fit, settle, text_boxes
from tests.gui.window_driver import choose_in_list, driven, write

OVER = "too dear"  # the recorded verdict
COUNTERS = re.compile(r"ℓ ?\d|\b[ij] ?\d")
"""Counters of subroutines: «ℓ1», «i 1»."""


@pytest.fixture
def shown(qtbot):
    return shown_by(qtbot)


# -- rounds have no counter but k ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARAMETERS)
def test_no_line_names_the_only_call(name):
    trace = trace_of(name)
    snapshot, listed = snapshot_of(name), EventList(trace)
    for cursor in range(1, len(trace) + 1):
        here = Snapshot(trace, snapshot.history, trace.state_at(cursor))
        event = trace[cursor - 1]
        said = [str(status(here)), position_text(snapshot.history, cursor), place_text(event.place, name)]
        said += listed.line(event)[:1]
        assert not any(COUNTERS.search(words) for words in said), said
        assert (f"k {event.place.k}" in place_text(event.place, name)) == bool(event.place.k)
        assert status(here).place


def test_every_one_call_algorithm_is_tried():
    assert set(PARAMETERS) == set(ONE_CALL)


@pytest.mark.parametrize("view", VIEWS)
def test_no_view_names_the_only_call(shown, view):
    trace = trace_of("gems-c")
    made, card = shown(view)
    for cursor in (1, 3, 6, 12, 20, len(trace)):
        snapshot = snapshot_of("gems-c", cursor, selection=Selection.of_arm(trace.instance, 10))
        made.show(snapshot.with_runs([snapshot, snapshot]) if view.startswith(("compare", "race")) else snapshot)
        settle(card, 700, 320)
        texts = [box.text for box in text_boxes(card)]
        assert not any(COUNTERS.search(text) for text in texts), texts
        if made.has_numbers and made.series is not None:
            assert not {"ℓ", "i", "j"} & set(made.as_table().columns)


def test_a_place_is_a_round_where_there_is_one_call():
    trace = trace_of("gems-c")
    assert cursor_at(trace, "k=2") == after("gems-c", ev.Eliminated, 1)
    with pytest.raises(InputError, match=r"the run does not reach this position; its last round is k 3\.$"):
        cursor_at(trace, "k=7")
    with pytest.raises(InputError, match=r"such as k=3\.$"):
        cursor_at(trace, "m=7")
    snapshot = snapshot_of("gems-c", 20)
    kind = CONDITIONS["place"]
    condition = kind(**kind.suggested(trace, snapshot.state))
    assert condition.words(trace.instance, "gems-c") == "k 3 starts"


# -- the axis of rounds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gems-c", "gems-b", "gems-m", "idle"])
def test_columns_keep_their_room_until_the_end(name):
    planned = next(event.rounds for event in trace_of(name) if isinstance(event, ev.SubroutineStarted))
    for cursor in range(after(name, ev.SubroutineStarted), len(trace_of(name)) + 1):
        snapshot = snapshot_of(name, cursor)
        for series in (survival_series(snapshot, RUN, INDEX, ROUNDS), dimension_series(snapshot, RUN)):
            assert series.width == planned
            done = [text for _, text in series.places]
            assert done[-1].split("–")[-1] == str(planned)
            assert [x for x, _ in series.places] == sorted(x for x, _ in series.places)


def test_idle_rounds_are_as_wide_as_they_are_many():
    snapshot = snapshot_of("idle")
    idle = next(event for event in trace_of("idle") if isinstance(event, ev.IdleRounds))
    assert idle.last == 8
    series = survival_series(snapshot, SUBROUTINE, INDEX, ROUNDS)
    assert np.diff(series.edges).tolist() == [1.0] * (idle.first - 1) + [idle.last - idle.first + 1]
    assert not series.even
    assert series.places[-1] == ((idle.first - 1 + 8) / 2, f"{idle.first}–8")


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_round_has_a_tick_and_d_begins_at_one(shown, theme):
    view, card = shown("dimension", theme)
    view.show(snapshot_of("gems-c"))
    settle(card, 700, 320)
    ticks = view.plot.x_axis.tickValues(*view.plot.box.viewRange()[0], view.plot.box.width())[0][1]
    assert ticks == [k - 0.5 for k in range(1, 9)]
    texts = [box.text for box in assert_texts_fit(card)]
    assert {"1", "D = 25", "d⋆ = 5", *map(str, range(1, 9))} <= set(texts)
    assert view.plot.x_axis.labelText == "round k"
    low = view.plot.box.viewRange()[1][0]
    pixel = (view.plot.box.viewRange()[1][1] - low) / view.plot.box.height()
    assert low < 1.0 <= low + 12 * pixel  # nothing but room for a mark lies below 1
    assert "0" not in texts
    assert not view.budget.axis.isVisible()


def test_d_begins_at_one_in_a_strategy_too(shown):
    view, card = shown("dimension")
    view.show(strategy("paper-hard"))
    settle(card, 700, 320)
    assert view.plot.y_axis.lowest == 1.0
    assert view.budget.axis.isVisible()  # B is another in each subroutine
    assert view.series.constant is None
    assert len(view.series.unfit)
    low = view.plot.box.viewRange()[1][0]
    assert all(low < y < 1.0 for y in view.unfit.getData()[1])


# -- a constant B -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gems-c", "gems-b", "gems-m"])
def test_the_line_of_b_lies_under_the_first_dimension_that_costs_more(name):
    trace = trace_of(name)
    snapshot = snapshot_of(name)
    series = dimension_series(snapshot, RUN)
    assert series.constant == 60.0
    found = 0
    for row, d in enumerate(series.d.tolist()):
        k = int(snapshot.history.rounds.k[row])
        over = {each.d for each in trace if isinstance(each, ev.DimensionProbed) and each.place.k == k}
        over = {each.d for each in trace if getattr(each, "verdict", "") == OVER and each.place.k == k} & over
        if np.isnan(series.ceiling[row]):
            assert not over
        else:
            assert series.ceiling[row] == d + 0.5
            assert min(over) == d + 1
            found += 1
    assert found


def test_within_one_subroutine_of_a_strategy_b_is_a_line_too(shown):
    view, card = shown("dimension", scope=SUBROUTINE)
    view.show(strategy("sphere", 100))
    settle(card, 700, 320)
    assert view.series.constant == 64.0
    assert not view.budget.axis.isVisible()
    assert view.ceiling.getData()[1].tolist() == [4.5, 4.5]
    assert view.head.subtitle.text() == "ℓ7 i1 · B = 64 · per round of this call"


def test_the_line_of_b_is_drawn_and_named(shown):
    view, card = shown("dimension")
    view.show(snapshot_of("gems-c"))
    image = settle(card, 700, 320)
    x, y = view.ceiling.getData()
    assert (x.tolist(), y.tolist()) == ([0.0, 2.0, 2.0, 3.0], [4.5, 4.5, 1.5, 1.5])
    assert "over budget, B = 60" in view.legend.text()
    assert color_at(card, image, view.plot, 1.0, 15.0) != LIGHT.card
    assert color_at(card, image, view.plot, 5.0, 15.0) == LIGHT.card
    assert view.head.subtitle.text() == "GEMS-c · B = 60 · per round"


# -- the first steps ----------------------------------------------------------------------------------------------


def test_probes_are_drawn_as_they_come(shown):
    view, _ = shown("dimension")
    trace = trace_of("gems-c")
    first = after("gems-c", ev.DimensionProbed)
    for cursor in range(first, first + 5):
        view.show(snapshot_of("gems-c", cursor))
        probes = trace[first - 1 : cursor]
        over = sorted(each.d for each in probes if each.verdict == OVER)
        fits = sorted(each.d for each in probes if each.verdict != OVER)
        assert view.over.getData()[1].tolist() == over
        assert view.fitting.getData()[1].tolist() == fits
        assert set(view.over.getData()[0]) | set(view.fitting.getData()[0]) == {0.5}
    view.show(snapshot_of("gems-c", after("gems-c", ev.SubroutineStarted)))
    assert view.plot.placeholder == ("round 1 will take the largest d ≤ D with g₁(d) ≤ B = 60",)
    assert len(view.series.places) == 8


def test_a_picture_of_the_set_up_has_the_costs_of_the_first_round(qapp):
    trace = trace_of("gems-c")
    view = VIEWS["cost"](Appearance(LIGHT), exporting=True)
    view.show(snapshot_of("gems-c", after("gems-c", ev.SubroutineStarted)))
    curve = view.series.computed
    assert not np.isnan(curve).any()
    assert (np.diff(curve) > 0).all()
    for probe in (each for each in trace if isinstance(each, ev.DimensionProbed) and each.place.k == 1):
        low = max(4.0 * probe.lower, probe.rounding_samples)
        assert low * (1 - 1e-9) <= curve[probe.d - 1]
        assert curve[probe.d - 1] <= max(4.0 * probe.upper, probe.rounding_samples) * (1 + 1e-6)
    chosen = next(each for each in trace if isinstance(each, ev.DesignSolved))
    assert curve[chosen.d - 1] <= 60.0 < curve[chosen.d]
    assert np.allclose(10 ** view.computed.getData()[1], curve)
    assert view.budget.line.value() == pytest.approx(np.log10(60.0))
    assert "computed for this view" in view.legend.text()
    view.show(snapshot_of("gems-c", after("gems-c", ev.DimensionProbed, 6)))
    assert not view.series.has_curve  # in a later round others remain
    assert not view.computed.isVisible()


def test_the_window_asks_for_the_costs_while_the_cursor_rests(qtbot):
    draft = Draft.of("sphere", "gems-c", 1, {"n": 12, "D": 5, "d_star": 3}, {"rounds": 5, "selection_budget": 40.0})
    with driven(qtbot, draft, size=(1400, 900)) as driver:
        driver.finished()
        while not isinstance(driver.trace[driver.cursor - 1], ev.SubroutineStarted):
            before = driver.cursor
            driver.press("Right")
            driver.wait(lambda before=before: driver.cursor > before)
        driver.shown()
        view = driver.views["cost"]
        assert view.series.d.tolist() == []
        driver.wait(lambda: not np.isnan(view.series.computed).any())
        assert view.computed.isVisible()
        assert len(driver.views["dimension"].series.places) == 5


# -- the grid -----------------------------------------------------------------------------------------------------


def test_the_grid_has_the_rounds_of_a_call(shown):
    view, card = shown("grid")
    view.show(snapshot_of("gems-c"))
    settle(card, 700, 320)
    assert view.head.title.text() == VIEWS.tab_of("grid") == "Calls"
    assert view.head.subtitle.text().startswith("arms remaining, by round")
    rounds = view.snapshot.history.rounds
    assert view.series.event.tolist() == rounds.event.tolist()
    assert view.series.survivors.tolist() == [6, 5, 1]
    assert view.series.d.tolist() == [4, 4, 1]
    assert view.series.samples.tolist() == rounds.pulls.tolist()
    texts = [text for text, _ in view.texts.shown()]
    assert texts[:2] == ["6 remain", "d 4"]
    assert "1 remains" in texts
    picked = []
    view.place_picked.connect(picked.append)
    view._pick(1.5, 0.5)
    assert picked == [int(rounds.event[1])]
    words = view._describe(1.5, 0.5).split("\n")
    assert words[0].startswith("k2: d = 4, cost 43.7")
    assert words[0].endswith(" ≤ B = 60")
    assert words[1] == f"5 of 100 arms remain · {number(int(rounds.pulls[1]))} samples"
    view.show(strategy("paper-hard"))
    assert view.head.title.text() == "Calls"


# -- dialogs ------------------------------------------------------------------------------------------------------


def test_dialogs_ask_for_the_round_alone(qtbot):
    draft = Draft.of("sphere", "gems-c", 1, None, {"rounds": 8, "selection_budget": 60.0})
    with driven(qtbot, draft, layout="talk") as driver:
        driver.finished()
        dialog = driver.opened("Ctrl+G", GoTo)
        assert [field.accessibleName() for field in dialog.fields] == ["k, the round"]
        write(dialog.fields[0], "7", Qt.Key.Key_Return)
        assert dialog.sentence.text() == "This run has no k 7: it ended at k 3."
        write(dialog.fields[0], "2", Qt.Key.Key_Return)
        assert driver.playback.state.place.k == 2
        assert driver.playback.state.probes
        until = driver.opened("U", RunUntil)
        choose_in_list(until.conditions, "place")
        assert list(until.form.names) == ["k"]
        assert until.words(until.value()) == "Until k 3 starts."
        QTest.keyClick(until, Qt.Key.Key_Escape)
