"""What every dimension costs and what a budget buys: against OPT, closed forms and a textbook solver."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.algorithms import BUILT_IN
from gems_engine.complexity import complexities
from gems_engine.dimension import Selection as Asked
from gems_engine.dimension import choose_dimension
from gems_engine.events import DesignSolved, Eliminated, SubroutineStarted
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.rounding import rounding_samples
from gems_engine.running import Run
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import Draft
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.budget_map import STEPS, budget_map, budget_of, budget_text, place_of
from gems_gui.series.dimension_book import CostCurve, DimensionBook, book_of, gamma_bounds, iota_bounds, rho_bounds
from gems_gui.series.dimension_rounds import RoundCosts, current_set, round_costs, sets_of, wanted
from gems_gui.series.dimensions import EVERYONE, SURVIVORS, dimensions_series, dimensions_text, shown_set
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from tests.bench.reference_run import Reference
from tests.gui.sample_runs import run, snapshot_of
from tests.gui.window_driver import driven

COSTS = st.sampled_from([0.0, 1.0, 2.0, 4.0, 8.0, np.inf])
REAL = ("paper-hard", "fixed-budget", "transductive")


def filled(snapshot, scope=RUN):
    """Everything that is shown of a snapshot, computed."""
    book_of(snapshot.instance).fill(wanted(snapshot, scope), truth=True)
    return snapshot


# -- the curves ------------------------------------------------------------------------------------------------------


def test_on_the_hard_instance_iota_is_twice_the_dimension():
    instance = make("paper-hard")
    bounds = iota_bounds(instance.arms, instance.targets, tuple(range(1, 11)))
    assert [upper for _, upper in bounds] == pytest.approx([2.0 * d for d in (0.5, *range(2, 11))], rel=1e-8)
    assert all(lower <= upper <= lower * (1 + 1e-8) for lower, upper in bounds)


def test_a_textbook_solver_finds_the_same_iota():
    random = np.random.default_rng(3)
    arms = random.normal(size=(5, 3))
    reference = Reference(arms, arms[:, 0], iterations=4_000, change=0.0, both_signs=False)
    reference.started = 0.0
    for chosen in ((0, 1, 2, 3, 4), (1, 2, 4)):
        bounds = iota_bounds(arms, arms[list(chosen)], (1, 2, 3))
        for d, (lower, upper) in enumerate(bounds, 1):
            _, value = reference._frank_wolfe(list(chosen), d)
            assert lower <= value * (1 + 1e-9)
            assert upper <= value * (1 + 1e-9)
            assert value <= upper * 1.01


def test_the_book_has_what_gems_complexity_prints():
    instance = make("paper-hard", epsilon=0.3)
    book = DimensionBook(instance)
    everyone = tuple(range(len(instance.targets)))
    asked = []
    while (question := book.next_question([everyone], truth=True)) is not None:
        asked.append(question.what)
        book.take(question, question.function(*question.arguments))
    assert asked[0] == "iota"
    assert {"iota", "rho", "gamma"} == set(asked)
    table = complexities(instance)
    assert book.curve(everyone).upper == pytest.approx([row.iota.value for row in table.dimensions], rel=1e-5)
    assert book.rho.upper == pytest.approx([row.rho_star.value for row in table.dimensions], rel=1e-5)
    assert book.gamma.upper == pytest.approx([row.gamma_tilde for row in table.dimensions])
    assert DimensionBook(instance).next_question([], truth=False) is None


def test_what_has_no_answer_is_infinite_or_nothing():
    tied = Instance.linear(np.eye(2), [1.0, 1.0])
    assert rho_bounds(tied, (1, 2)) == [(np.inf, np.inf)] * 2
    assert iota_bounds(np.eye(2), np.eye(2)[:1], (1, 2)) == [(0.0, 0.0)] * 2
    assert len(gamma_bounds(tied)) == 2
    outside = iota_bounds(np.eye(2)[:1], np.array([[1.0, 0.0], [0.0, 1.0]]), (1, 2))
    assert outside[1] == (np.inf, np.inf)


# -- what a budget buys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REAL)
def test_with_its_own_budget_every_round_gets_the_dimension_that_opt_chose(name):
    snapshot = filled(snapshot_of(name))
    found = round_costs(snapshot, RUN)
    chosen = {
        (event.place.ell, event.place.i, event.place.k): event.d
        for event in snapshot.trace
        if isinstance(event, DesignSolved) and event.place.k
    }
    table = snapshot.history.rounds
    bought = found.buys(found.budget)
    for row, d in zip(found.rows.tolist(), bought.tolist(), strict=True):
        place = int(table.ell[row]), int(table.i[row]), int(table.k[row])
        assert d == chosen.get(place, 0) or table.idle[row], place
    assert len(chosen) > 10


@pytest.mark.parametrize("name", REAL)
def test_the_sets_are_those_that_a_walk_finds(name):
    snapshot = snapshot_of(name)
    found = dict(zip(round_costs(snapshot, RUN).rows.tolist(), round_costs(snapshot, RUN).sets, strict=True))
    left, walked = set(), []
    rounds = set(snapshot.trace.round_starts.tolist())
    for at, event in enumerate(snapshot.trace):
        if isinstance(event, SubroutineStarted):
            left = set(range(len(snapshot.instance.targets)))
        if at in rounds:
            walked.append(tuple(sorted(left)))
        if isinstance(event, Eliminated):
            left -= set(event.targets.tolist())
    assert [found[row] for row in sorted(found)] == walked[-len(found) :]


def test_any_budget_buys_what_an_exhaustive_search_finds():
    instance = make("paper-hard", d_star=3, epsilon=0.5)
    trace = Run(instance, "fixed-confidence", 1, max_samples=3000).finish()
    snapshot = filled(Snapshot.of(trace))
    found = round_costs(snapshot, RUN)
    table = snapshot.history.rounds
    for at in range(0, len(found.rows), 3):
        k = int(table.k[found.rows[at]])
        for B in (1.0, 4.0, 7.9, 8.0, 16.0, 33.0, 64.0, 1000.0):
            asked = Asked(
                instance.arms, instance.targets, found.sets[at], k, B, lambda d: rounding_samples(d, 1.0), instance.D
            )
            expected = choose_dimension(asked)
            assert found.buys(B)[at] == (expected.d or 0), (at, B)
            tied = [probe.d for probe in expected.probes if probe.reason == "tie" and probe.rounding_samples < B]
            assert not tied or found.ties(B)[at] >= max(tied)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(COSTS, min_size=4, max_size=4).map(sorted), min_size=1),
    st.sampled_from([0.5, 1.0, 2.0, 3.0, 8.0]),
)
def test_buying_is_the_largest_that_fits(rows, B):
    lower = np.array(rows)
    many = len(rows)
    costs = RoundCosts(np.arange(many), ((0, 1),) * many, lower, lower, np.full(many, B), np.zeros(many, dtype=int))
    expected = [max([d for d in range(1, 5) if row[d - 1] <= B], default=0) for row in rows]
    assert costs.buys(B).tolist() == expected
    assert costs.ties(B).tolist() == [max([d for d in range(1, 5) if row[d - 1] == B], default=0) for row in rows]


def test_what_is_not_known_is_not_said():
    snapshot = snapshot_of("paper-hard")
    book = DimensionBook(snapshot.instance)
    costs = np.full((1, 3), np.nan)
    open_ = RoundCosts(np.arange(1), ((0, 1),), costs, costs, np.array([4.0]), np.zeros(1, dtype=int))
    assert open_.buys(4.0).tolist() == [-1]
    known = np.array([[1.0, 9.0, np.nan]])
    assert replace(open_, lower=known, upper=known).buys(4.0).tolist() == [1]
    known = np.array([[1.0, np.nan, np.nan]])
    assert replace(open_, lower=known, upper=known).buys(4.0).tolist() == [-1]
    assert CostCurve.unknown(3).known == 0
    assert np.isnan(book.curve((0, 1)).upper).all()


def test_the_slider_doubles_every_eighth_step():
    assert budget_of(0) is None
    assert [place_of(budget_of(place)) for place in range(480)] == list(range(480))
    assert [budget_of(STEPS * n) for n in (1, 5, 10)] == [2.0, 32.0, 1024.0]


# -- series and views ------------------------------------------------------------------------------------------------


def test_the_map_draws_what_is_bought_and_the_words_say_it():
    snapshot = filled(snapshot_of("paper-hard"))
    series = budget_map(snapshot, RUN, 32.0)
    low, high = series.x_range
    middles = low + (np.arange(series.image.shape[1]) + 0.5) * (high - low) / series.image.shape[1]
    for column in range(0, len(middles), 17):
        assert np.array_equal(series.image[:, column], series.costs.buys(10.0 ** middles[column]))
    assert np.array_equal(series.bought, series.costs.buys(32.0))
    assert series.tied[0] == 4  # 2²·ι_4 = 4·8
    assert "B = 32 buys d = 4, d = 5 from 40 on" in budget_text(snapshot, series, np.log10(32.0), 0.5)
    assert budget_text(snapshot, series, 1.0, -1.0) == ""
    own = budget_map(snapshot, SUBROUTINE, None)
    assert np.array_equal(own.bought, own.own)
    table = own.table(snapshot)
    assert [row[table.columns.index("buys")] for row in table.rows] == own.own.tolist()


def test_the_curves_of_the_round_at_the_cursor():
    at = next(at for at in run("paper-hard").positions("design solved").tolist() if run("paper-hard")[at].d == 7) + 1
    snapshot = filled(snapshot_of("paper-hard", at))
    event = snapshot.trace[at - 1]
    series = dimensions_series(snapshot, SURVIVORS)
    assert series.chosen == 7
    assert series.cost[6] == pytest.approx(event.cost, rel=1e-5)
    assert series.iota[6] == pytest.approx(event.value, rel=1e-5)
    assert series.rho[8] == pytest.approx(14.656854, rel=1e-5)
    assert series.d_star == 9
    assert not series.waits
    assert "ρ⋆_d = 14.66" in dimensions_text(series, 9.0)
    hidden = dimensions_series(replace(snapshot, truth=False), EVERYONE)
    assert (hidden.rho, hidden.gamma, hidden.d_star) == (None, None, None)
    assert "ρ⋆" not in dimensions_text(hidden, 9.0)
    assert current_set(Snapshot.of(run("paper-hard"), 0)) == (tuple(range(10)), 1)
    assert sets_of(snapshot, np.zeros(0, dtype=np.int64)) == ()


def test_the_validation_of_a_fixed_budget_shows_the_last_round_with_samples():
    trace = run("fixed-budget")
    kinds = [event.kind for event in trace]
    last = max(at for at, event in enumerate(trace) if event.kind == "design solved" and event.place.k)
    during = snapshot_of("fixed-budget", kinds.index("validated"))
    for snapshot in (during, snapshot_of("fixed-budget", len(trace))):
        series = dimensions_series(snapshot, SURVIVORS)
        assert series.chosen == trace[last].d > 0
    with_samples = snapshot_of("fixed-budget", last + 1)
    assert current_set(with_samples) == shown_set(during, SURVIVORS)


def test_every_algorithm_has_both_pictures_or_a_reason(qapp):
    instance = make("paper-hard", d_star=3, epsilon=0.5)
    for name, algorithm in BUILT_IN.items():
        known = {each.name for each in algorithm.parameters}
        trace = Run(instance, name, 1, **({"max_samples": 2000} if "max_samples" in known else {})).finish()
        for view in (VIEWS[each](Appearance(LIGHT), exporting=True) for each in ("dimensions", "budgets")):
            view.show(Snapshot.of(trace))
            if view.name == "dimensions":
                view.set_option("of", EVERYONE)
                assert not np.isnan([view.series.iota, view.series.cost]).any()
            assert view.series is not None
            if view.name == "budgets" and name in ("rage", "rage-oracle"):
                assert "chooses no dimension" in view.series.placeholder
            elif view.name == "dimensions":
                assert not view.series.waits
            for part in (view.head, view.body):
                part.deleteLater()


# -- the window ------------------------------------------------------------------------------------------------------


def complete(driver, name):
    """Whether a view has all that it waits for."""
    series = driver.views[name].series
    return series is not None and not series.waits


def test_the_window_fills_the_curves_and_the_slider_answers_at_once(qtbot):
    draft = Draft.of("paper-hard", seed=1, instance={"d_star": 5, "epsilon": 0.21}, parameters={"max_samples": 4000})
    with driven(qtbot, draft) as driver:
        driver.finished()
        driver.board.show_view("budgets")
        driver.press("End")
        book = book_of(driver.trace.instance)
        driver.wait(lambda: complete(driver, "budgets"))
        assert book.rho.known == 0, "what follows from the truth is not computed"
        view = driver.views["budgets"]
        view.controls.slider.setValue(5 * STEPS)
        assert view.series.budget == 32.0
        assert np.array_equal(view.series.bought, view.series.costs.buys(32.0))
        driver.board.show_view("dimensions")
        driver.wait(lambda: complete(driver, "dimensions"))
        assert book.rho.known == driver.trace.instance.D
        driver.press("T")
        driver.shown()
        assert driver.views["dimensions"].series.rho is None


def test_nothing_is_known_of_iota_where_features_are_too_small_for_a_design():
    targets = np.array([[1e-320, 1.0], [0.0, 2.0]])
    (small, whole) = iota_bounds(np.eye(2), targets, (1, 2))
    assert small == (0.0, np.inf)
    assert 0.0 < whole[0] <= whole[1] < np.inf
