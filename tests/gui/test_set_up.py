"""The first steps of a call: from cursor 0 on its views show the set-up, and the probes as they come."""

from functools import cache

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.terminal import number, with_indices
from gems_engine.trace import Trace
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import build_instance
from gems_gui.drafts.presets import PRESETS
from gems_gui.series.dimension_cost import cost_text
from gems_gui.series.fate_raster import UNDECIDED
from gems_gui.series.first_costs import first_pulls
from gems_gui.series.status import status
from gems_gui.series.to_come import to_come
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from tests.gui.text_boxes import assert_texts_fit, card_of, settle
from tests.gui.window_driver import driven

STEPS = ("gems-c-steps", "gems-b-steps")


@cache
def trace_of(name):
    if name in PRESETS:
        draft = PRESETS[name].draft
        return draft.request(build_instance(draft.source)).run().finish()
    return Run(make("sphere"), name, 1, rounds=3, selection_budget=60.0, max_samples=50_000).finish()


def first(trace, kind):
    return int(trace.positions(kind)[0])


@pytest.mark.parametrize("name", [*STEPS, "gems-m"])
def test_what_is_asked_for_is_what_the_call_begins_with(name):
    trace = trace_of(name)
    said = trace[first(trace, ev.SubroutineStarted)]
    for cursor in (0, 1):
        asked = Snapshot.of(trace, cursor).call
        assert asked is not said
        assert vars(asked) == vars(said)
    if name == "gems-b-steps":
        divided = trace[first(trace, ev.BudgetDivided)]
        assert {first_pulls(Snapshot.of(trace, cursor)) for cursor in range(4)} == {divided.pulls}
    nothing = Snapshot.of(Trace(trace.instance), 0)
    assert (nothing.started, nothing.call, nothing.algorithm) == (None, None, "")
    assert nothing.waits


def test_a_strategy_says_its_subroutine_when_it_begins():
    trace = Run(make("sphere"), "fixed-confidence", 1, max_samples=5000).finish()
    assert Snapshot.of(trace, 0).call is None
    begun = first(trace, ev.SubroutineStarted) + 1
    assert Snapshot.of(trace, begun).call is trace[begun - 1]
    assert [Snapshot.of(trace, at).waits for at in (0, begun, begun + 1)] == [True, True, False]


@pytest.mark.parametrize("name", STEPS)
def test_before_the_first_round_every_view_shows_the_set_up(qtbot, name):
    trace = trace_of(name)
    call, D = trace[first(trace, ev.SubroutineStarted)], trace.instance.D
    views = {
        each: VIEWS[each](Appearance(LIGHT), exporting=True) for each in ("survivors", "cost", "dimension", "gaps")
    }
    views |= {each: VIEWS[each](Appearance(LIGHT)) for each in ("weights", "counts")}
    for view in views.values():
        card = card_of(view, LIGHT)
        qtbot.addWidget(card)
        settle(card, 560, 260)
        view.card = card
    rounds = [str(k) for k in range(1, call.rounds + 1)]
    arms = [str(arm) for arm in range(8)]
    for cursor in range(first(trace, ev.SubroutineStarted) + 2):
        snapshot = Snapshot.of(trace, cursor)
        for view in views.values():
            view.show(snapshot)
            settle(view.card, 560, 260)
            assert_texts_fit(view.card)
        remaining = views["survivors"]
        assert remaining.image.image.tolist() == [[UNDECIDED]] * 8
        assert sorted(words for _, words in remaining.plot.y_axis.tick_labels) == arms
        assert [words for _, words in remaining.plot.x_axis.tick_labels] == rounds
        assert remaining.series.coming.tolist() == list(range(2, call.rounds + 1))
        assert len(remaining.coming.getData()[0]) > 2 * len(rounds)
        assert f"all 8 arms remain · n = {call.rounds} rounds" in remaining.head.subtitle.text()
        cost = views["cost"]
        assert cost.budget.line.value() == pytest.approx(np.log10(call.selection_budget))
        assert not np.isnan(cost.computed.getData()[1]).any()
        assert len(cost.computed.getData()[0]) == D
        assert "computed for this view" in cost.legend.text()
        chosen = views["dimension"]
        assert [words for _, words in chosen.plot.x_axis.tick_labels] == rounds
        assert f"g₁(d) ≤ B = {number(call.selection_budget)}" in chosen.plot.nothing_shown()[0]
        assert not len(chosen.current.getData()[0]), "it has not chosen"
        assert views["weights"].plot.nothing_shown()[0] == "no design yet: round 1 has not started"
        assert views["counts"].plot.nothing_shown()[0] == "no samples yet: round 1 has not started"
        assert views["gaps"].plot.nothing_shown()[0] == "no estimate yet: round 1 has not started"
        assert [words for _, words in views["gaps"].plot.y_axis.tick_labels] == arms
        for each in ("weights", "counts"):
            assert len(views[each].plot.order) == 8
            left, right = views[each].plot.box.viewRange()[0]
            assert left < 0.0
            assert right > 7.0


def test_the_costs_that_are_shown_at_first_are_those_that_the_run_finds():
    trace = trace_of("gems-c-steps")
    view = VIEWS["cost"](Appearance(LIGHT), exporting=True)
    view.show(Snapshot.of(trace, 0))
    curve = view.series.computed
    view.show(Snapshot.of(trace, first(trace, ev.DimensionProbed)))
    assert np.array_equal(curve, view.series.computed)
    design = trace[first(trace, ev.DesignSolved)]
    assert curve[design.d - 1] == pytest.approx(design.cost, rel=1e-6)


def test_above_the_dimension_that_T_allows_no_cost_is_told():
    """With T = 60 for six rounds D̃ is 2: no larger dimension is looked at, whatever it would cost."""
    draft = PRESETS["gems-b-steps"].draft.with_text("algorithm.budget", "60")
    trace = draft.request(build_instance(draft.source)).run().finish()
    cost, chosen = (VIEWS[name](Appearance(LIGHT), exporting=True) for name in ("cost", "dimension"))
    for cursor in range(first(trace, ev.DesignSolved) + 2):
        snapshot = Snapshot.of(trace, cursor)
        for view in (cost, chosen):
            view.show(snapshot)
        series = cost.series
        if not series.tops:
            assert np.isfinite(series.computed).tolist() == [True, True, False, False, False]
            assert ["computed for this view" in cost_text(series, d) for d in range(1, 6)][2:] == [False] * 3
            assert "∞" not in "".join(cost_text(series, d) for d in range(1, 6))
        if cursor > first(trace, ev.TopDimensionChosen) + 1:
            assert "D̃ = 2" in series.subtitle[0]
            assert "D̃ = 2" in chosen.series.subtitle[0]
            assert "r_d exceeds the T′ = 10 pulls" in cost_text(series, 3)


def test_a_call_that_cannot_begin_is_not_said_to_have_had_a_round():
    draft = PRESETS["gems-b-steps"].draft.with_text("algorithm.budget", "12")
    trace = draft.request(build_instance(draft.source)).run().finish()
    said = [status(Snapshot.of(trace, cursor)).place for cursor in range(len(trace) + 1)]
    assert said[-4:] == ["before round 1", "ended before round 1", "ended before round 1", "ended: no dimension fits"]


def test_idle_rounds_are_among_those_in_which_a_call_ended():
    draft = PRESETS["gems-c-steps"].draft.with_text("algorithm.literal", "true")
    trace = draft.request(build_instance(draft.source)).run().finish()
    assert trace[first(trace, ev.IdleRounds)].last == 8
    assert status(Snapshot.of(trace, first(trace, ev.SubroutineFinished) + 1)).place == "ended in round 8 of 8"


def test_rage_plans_no_number_of_rounds():
    trace = Run(make("paper-hard", epsilon=0.05), "rage", 1).finish()
    assert len(trace.rounds) == 4
    assert status(Snapshot.of(trace, first(trace, ev.SubroutineFinished) + 1)).place == "ended in round 4"


def test_words_follow_the_round_and_its_probes():
    trace = Run(make("sphere"), "gems-c", 1, rounds=8, selection_budget=60.0).finish()
    begin, end = first(trace, ev.DimensionProbed), first(trace, ev.DesignSolved)
    for cursor in range(begin + 1, end + 1):
        looked = ", ".join(str(probe.d) for probe in trace[begin:cursor])
        said = to_come(Snapshot.of(trace, cursor), "design").replace("\N{NO-BREAK SPACE}", " ")
        assert said == f"no design yet: round 1 has examined d = {looked}"
    pulls = number(int(trace[first(trace, ev.Allocated)].counts.sum()))
    said = [to_come(Snapshot.of(trace, end + more), "estimate").partition(": ")[2] for more in (1, 2, 3)]
    assert said == [
        "round 1 is rounding its design",
        f"round 1 is about to pull {pulls} samples",
        "round 1 has pulled but not estimated",
    ]


def test_a_hidden_dimension_stays_hidden_before_the_first_event():
    trace = Run(make("paper-hard"), "rage-oracle", 1, max_samples=20_000).finish()
    snapshot = Snapshot.of(trace, 0)
    assert not snapshot.keeps_d
    object.__setattr__(snapshot, "truth", False)
    assert snapshot.keeps_d
    assert snapshot.call is None


def test_the_window_shows_the_set_up_while_it_waits(qtbot):
    with driven(qtbot, PRESETS["gems-c-steps"].draft) as driver:
        driver.start()
        assert driver.cursor == 0
        driver.wait(lambda: driver.board.settled)
        driver.wait(lambda: driver.views["cost"].series.has_curve)
        assert driver.views["cost"].series.budget == 80.0
        assert driver.views["survivors"].series.waits
        driver.board.show_view("dimension")  # in a small window behind the pseudo-code
        driver.wait(lambda: driver.views["dimension"].series is not None)
        assert len(driver.views["dimension"].series.places) == 8
        other = driver.draft.with_text("algorithm.selection_budget", "20")
        assert other != driver.draft
        driver.drafts.set_draft(other)
        assert driver.views["cost"].series.budget == 80.0, "the run's, not the form's"


def test_heads_set_indices_in_type():
    said = {
        "Design weights λ_k": "Design weights λₖ",
        "λ_12 in R⁵ · g_1(d) against B": "λ₁₂ in R⁵ · g₁(d) against B",
        "r_d(ζ) against T′": "r_d(ζ) against T′",
        "x_9 of d_k2": "x_9 of d_k2",
    }
    assert {text: with_indices(text) for text in said} == said
    assert VIEWS["dimension"](Appearance(LIGHT)).head.title.text() == "Chosen dimension dₖ"
