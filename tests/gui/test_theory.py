"""The theory of a run: bars that are the bounds, conditions as they are; hidden with the truth, and waited for."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gems_engine import events as ev
from gems_engine.algorithms import BUILT_IN
from gems_engine.complexity import guarantees
from gems_engine.complexity.run_theory import THEORY
from gems_engine.complexity.theory_query import KNOWN, Known, answer
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.analysis.theory_scan import TheoryScan
from gems_gui.appearance import Appearance
from gems_gui.background.queries import Queries
from gems_gui.series.recommendation import recommendation_series
from gems_gui.series.subroutine_grid import SURVIVORS, grid_series, grid_text
from gems_gui.series.theory import (
    BOUND,
    HIDDEN,
    SENTENCE,
    WAITING,
    question_of,
    theory_series,
)
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.subroutine_grid import SubroutineGrid
from gems_gui.views.theory import Theory
from gems_gui.workbench.ports import Answer
from gems_gui.workbench.run_facts import RunFacts, result_text
from tests.gui.sample_runs import cut, run, same, snapshot_of
from tests.gui.test_gaps import run_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle
from tests.gui.window_driver import driven


def series_of(snapshot):
    return theory_series(snapshot, Known().find(question_of(snapshot)))


@pytest.fixture(scope="module")
def easy():
    """A run that gets to the subroutines that must succeed: ℓ⋆ = 6."""
    instance = make("paper-hard", d_star=3, epsilon=0.5)
    return Run(instance, "fixed-confidence", 1, base=4, max_samples=20_000_000, max_loops=7).finish()


def test_the_numbers_are_those_of_the_theorems_and_of_the_run():
    snapshot = snapshot_of("paper-hard")
    series, told = series_of(snapshot), guarantees(snapshot.instance, base=4)
    assert {bound.name: bound.value for _, bound in series.bounds} == {
        name: told.bound(name).value for name in ("pac-lower", "non-interactive-lower", "fixed-confidence")
    }
    summary = summarise(snapshot.trace)
    assert (series.samples, series.tau, series.right) == (summary.samples, summary.tau, summary.correct)
    assert [bar.value for bar in series.bars] == [summary.samples, summary.tau, *(b.value for _, b in series.bounds)]
    for _, bound in series.bounds:
        at = next(at for at, row in enumerate(series.rows) if row.kind == BOUND and row.whole == bound.statement)
        said = {row.whole: row.holds for row in series.rows[at + 2 : at + 2 + len(bound.conditions)]}
        assert said == {each.sentence: each.holds for each in bound.conditions}
        assert series.rows[at].holds == bound.holds == all(said.values())
    assert "B⋆ = 938" in series.rows[0].promised
    [complexity] = [row for row in series.rows if row.name == "complexity ρ⋆"]
    assert (complexity.promised, complexity.measured) == (number(float(f"{series.good['rho_star']:.4g}")), "")
    assert series.rows[0].name == "ℓ⋆ = 7, n⋆ = 8"
    table = series.table(snapshot)
    for row in table.rows:
        cells, good = dict(zip(table.columns, row, strict=True)), told.best_arm
        assert (cells["B_star"], cells["n_star"], cells["ell_star"]) == (good.B_star, good.n_star, good.ell_star)
        assert (cells["i_star"], cells["j_star"], cells["guaranteed"]) == (good.i_star, good.j_star, True)


def test_a_branch_and_a_solver_that_proves_nothing_are_guaranteed_nothing():
    snapshot = snapshot_of("paper-hard")
    started = snapshot.state.started
    for other in (
        replace(started, forced={"5.dimension": 1, "5.dimension_for": "from here on"}),
        replace(started, parameters={**started.parameters, "solver": "frank-wolfe", "tolerance": 0.5}),
    ):
        there = replace(snapshot, state=replace(snapshot.state, started=other))
        series = series_of(there)
        upper = next(row for row in series.rows if row.name.startswith("upper"))
        assert (series.rows[0].holds, upper.holds, series.good["guaranteed"]) == (False, False, False)
        assert series.rows[1].name.startswith("Not guaranteed, because a condition fails.")
        grid = grid_series(there, SURVIVORS, Known().find(question_of(there)))
        assert (grid.sure.any(), grid.promise) == (False, "")


def test_what_came_from_outside_is_neither_right_nor_wrong(easy):
    outside = Trace(easy.instance)
    outside.extend([replace(easy[0], rewards=ev.OUTSIDE), *easy[1:]])
    snapshot = Snapshot.of(outside)
    series = series_of(snapshot)
    assert (series.right, series.tau) == (None, None)
    assert series.bars[1].note == ("unknown: external rewards", "unknown")
    said = " ".join(f"{bar.words} {bar.note}" for bar in series.bars[:2])
    said += " ".join(row.measured for row in series.rows)
    assert "right" not in said
    assert "wrong" not in said
    shown = recommendation_series(snapshot, "linear")
    assert (shown.path.right, shown.best) == (None, None)
    assert "wrong" not in str(shown.subtitle)
    assert "true" not in shown.y_label
    facts = RunFacts(outside)
    facts.follow()
    words = result_text(facts.summary, outside.instance, True)
    assert words.startswith("recommends ")
    assert not {"✓", "✗", "τ", "right", "wrong"} & set(words.split())


def test_where_there_is_no_bar_words_say_why_and_no_two_look_alike(shown, easy):
    view, card = shown
    wrong = next(at for at in range(len(easy)) if series_of(Snapshot.of(easy, at)).right is False)
    seen = {}
    for cursor in (1, wrong, len(easy)):
        snapshot = Snapshot.of(easy, cursor)
        KNOWN.find(question_of(snapshot))
        view.show(snapshot)
        settle(card, 700, 460)
        tau = view.series.bars[1]
        assert (tau.value is None) == bool(tau.note)
        seen[cursor] = [text for text, _ in view.notes.shown()]
    first, then, last = seen.values()
    assert first == ["none yet", "no recommendation yet"]
    assert then[-1] == f"✗ not right after {series_of(Snapshot.of(easy, wrong)).samples} samples"
    assert last == ([] if view.series.tau else ["✓ τ = 0: the first guess was right"])
    for text, box in view.notes.shown():
        assert box.left() >= view.plot.box.sceneBoundingRect().left(), text


def test_a_budget_for_which_the_theorem_has_no_bound_is_said_in_place_of_a_bar():
    trace = Run(make("paper-hard", d_star=4, epsilon=0.3), "fixed-budget", 1, budget=2000).finish()
    snapshot = Snapshot.of(trace)
    series = series_of(snapshot)
    [(_, bound)] = series.bounds
    assert bound.value is None
    assert any("the budget is too small" in each for each in bound.failing)
    assert [bar.note[0] for bar in series.bars if bar.name == "error"] == ["no bound: a condition fails"]


@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_every_algorithm_at_every_moment(algorithm):
    trace, known = run_of(algorithm, "paper-hard"), Known()
    for cursor in (0, 1, len(trace) // 2, len(trace)):
        snapshot = Snapshot.of(trace, cursor)
        series = theory_series(snapshot, known.find(question_of(snapshot)))
        assert bool(series.placeholder) != bool(series.bars)
        assert same(series, theory_series(cut(snapshot), known.find(question_of(snapshot))))
        assert all(len(row) == len(series.table(snapshot).columns) for row in series.table(snapshot).rows)
        low, high = series.range()
        assert np.isfinite([low, high]).all()
        assert low < high
        largest = max((bar.value for bar in series.bars if bar.value is not None), default=0.0)
        if series.x_label == "probability of an error" and largest <= 1.0:
            assert high == 0.0, "no axis of probabilities goes on above 1"
    assert ("no theorem" in series.placeholder.lower()) == (algorithm not in THEORY)


def test_it_is_hidden_with_the_truth_and_waits_where_it_is_not_known():
    snapshot = snapshot_of("paper-hard")
    hidden = replace(snapshot, truth=False)
    assert question_of(hidden) is None
    assert (theory_series(hidden, None).placeholder, theory_series(hidden, None).waits) == (HIDDEN, False)
    waiting = theory_series(snapshot, None)
    assert (waiting.placeholder, waiting.waits, waiting.bars) == (WAITING, True, ())
    assert question_of(snapshot_of("paper-hard", 0)) is None


def test_the_answer_is_the_same_for_every_moment_and_every_run_of_an_instance():
    one, other = question_of(snapshot_of("paper-hard", 5)), question_of(snapshot_of("paper-hard"))
    assert one.key == other.key
    assert one.key != question_of(snapshot_of("fixed-budget")).key
    known = Known()
    assert known.get(one) is None
    found = known.find(one)
    assert known.get(other) is found


# -- the view -------------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(qtbot, monkeypatch):
    """A view in its card, 700×460, which knows nothing yet."""
    monkeypatch.setattr(KNOWN, "_answers", type(KNOWN._answers)())
    view = Theory(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 460)
    return view, card


def drawn(view):
    """The ends of the bars, by row."""
    ends = {}
    for bars in view.bars.values():
        opts = bars.opts
        for y, x0, width in zip(opts["y"], opts["x0"], opts["width"], strict=True):
            ends[int(y)] = 10 ** (x0 + width)
    return ends


def test_the_view_says_that_it_waits_and_then_draws_the_bounds(shown):
    view, card = shown
    asked, snapshot = [], snapshot_of("paper-hard")
    view.theory_asked.connect(asked.append)
    view.show(snapshot)
    assert view.plot.placeholder == (WAITING,)
    assert [each.key for each in asked] == [question_of(snapshot).key]
    KNOWN.put(asked[0], answer(asked[0]))
    view.show(snapshot)
    settle(card, 700, 460)
    view.show(snapshot)
    assert drawn(view) == pytest.approx({at: bar.value for at, bar in enumerate(view.series.bars)})
    assert len(asked) == 1
    assert view.table.isVisible()
    assert view.model.rowCount() == len(view.series.rows)
    sentence = next(at for at, row in enumerate(view.series.rows) if row.kind == SENTENCE)
    assert view.table.columnSpan(sentence, 1) == len(view.model.columns) - 1
    failing = next(at for at, row in enumerate(view.series.rows) if row.holds is False)
    assert view.model.data(view.model.index(failing, 0)) == "✗"
    tip = view.model.data(view.model.index(failing, 1), Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("does not hold: ")
    assert "Light bars" in view.about
    assert view.bars["dim", False].opts["y"].tolist() == [3.5], "δ = 0.05 is too large for this bound"
    assert view.plot.x_axis.labelText == "samples"
    assert "at most" in view.plot.describe(5.0, 4.5)
    assert_texts_fit(card)
    view.show(replace(snapshot, truth=False))
    assert drawn(view) == {}
    assert not view.table.isVisible()
    assert view.model.rowCount() == 0


def test_a_picture_says_of_how_many_rows_it_has_no_room(qtbot):
    view = VIEWS["theory"](Appearance(LIGHT), exporting=True)
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    view.show(snapshot_of("paper-hard"))
    settle(card, 700, 400)
    hidden = sum(view.table.isRowHidden(row) for row in range(view.model.rowCount()))
    assert hidden > 0
    assert view.head.subtitle.text().startswith(f"+{hidden} more rows · ")
    settle(card, 700, 1200)
    assert "more rows" not in view.head.subtitle.text()


def test_the_scan_asks_once_for_what_many_moments_want(qtbot, monkeypatch):
    monkeypatch.setattr(KNOWN, "_answers", type(KNOWN._answers)())
    queries = Queries(in_thread=True)
    counted = []
    ask = queries.ask
    monkeypatch.setattr(queries, "ask", lambda *given, **more: (counted.append(given[0]), ask(*given, **more)))
    scan = TheoryScan(queries)
    with qtbot.waitSignal(scan.found):
        for cursor in (5, 9, len(run("paper-hard"))):
            scan.want(question_of(snapshot_of("paper-hard", cursor)))
    assert counted == ["theory"]
    assert KNOWN.get(question_of(snapshot_of("paper-hard"))).bounds
    queries.answered.emit(Answer("theory", 0, None, "gone"))  # of no query: nothing happens
    scan.close()
    queries.close()


def test_the_window_computes_it_for_whoever_looks(qtbot, monkeypatch):
    monkeypatch.setattr(KNOWN, "_answers", type(KNOWN._answers)())
    with driven(qtbot) as driver:
        driver.finished()
        driver.press("End")
        driver.board.show_view("theory")
        driver.wait(lambda: "theory" in driver.views and driver.views["theory"].series is not None)
        driver.wait(lambda: bool(driver.views["theory"].series.bars))
        assert driver.views["theory"].series.samples == driver.workbench.snapshot.state.samples
        driver.press("T")
        driver.shown()
        assert driver.views["theory"].plot.placeholder == (HIDDEN,)


# -- the grid -------------------------------------------------------------------------------------------------------


def test_the_grid_shows_the_calls_that_must_succeed(qtbot, easy, monkeypatch):
    snapshot = Snapshot.of(easy)
    theory = KNOWN.find(question_of(snapshot))
    series = grid_series(snapshot, SURVIVORS, theory)
    good = theory.good
    expected = (series.n >= good.n_star) & (good.B_star <= series.B)
    assert np.array_equal(series.sure, expected)
    assert series.sure.any()
    assert min(series.loops[series.row[series.sure]]) == good.ell_star == 6
    assert series.promise == "guaranteed: i 1 from ℓ 6 on"
    assert series.singleton[series.sure].all(), "and they do"
    at = int(np.flatnonzero(series.sure)[0])
    assert "guaranteed" in grid_text(snapshot, series, series.column[at] + 0.5, series.row[at] + 0.5)
    plain = grid_series(snapshot, SURVIVORS)
    assert not plain.sure.any()
    assert plain.promise == ""
    view = SubroutineGrid(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    view.show(snapshot)
    settle(card, 420, 300)
    x, y = view.sure.getData()
    assert len(x) == 6 * len(np.unique(series.column[series.sure])), "cells below each other have one edge"
    rows = series.row[series.sure]
    assert [np.floor(np.nanmin(y)), np.ceil(np.nanmax(y))] == [rows.min(), rows.max() + 1]
    assert "guaranteed: i 1 from ℓ 6 on" in view.legend.text()
    asked = []
    view.theory_asked.connect(asked.append)
    view.show(replace(snapshot, truth=False))
    assert len(view.sure.getData()[0]) == 0
    assert "guaranteed" not in view.legend.text()
    assert asked == []
    monkeypatch.setattr(KNOWN, "_answers", type(KNOWN._answers)())
    view.show(snapshot)
    assert len(asked) == 1


def test_a_guaranteed_call_that_was_not_made_has_an_empty_cell_with_an_edge(qtbot):
    trace = Run(make("paper-hard", d_star=2, epsilon=0.1), "fixed-confidence", 1, max_loops=13).finish()
    starts = trace.positions("subroutine started").tolist()
    end, early, within = (
        Snapshot.of(trace, cursor)
        for cursor in (len(trace), starts[3], next(at for at in starts if trace[at].place.ell == 11) + 1)
    )
    theory = KNOWN.find(question_of(end))
    assert (theory.good.ell_star, theory.good.j_star) == (11, 3)
    series = grid_series(end, SURVIVORS, theory)
    called = {(event.place.ell, event.place.i) for event in (trace[at] for at in starts)}
    missing = [(ell, 3) for ell in (11, 12, 13) if (ell, 3) not in called]
    assert missing, "or this run shows nothing"
    cells = [(int(series.loops[row]), int(series.calls[column])) for row, column in series.uncalled]
    assert cells == missing
    row, column = series.uncalled[0].tolist()
    words = grid_text(end, series, column + 0.5, row + 0.5)
    assert words.startswith(f"ℓ {missing[0][0]} i 3: not called, the loop ended at i = ")
    assert "it would be guaranteed to succeed" in words
    for ell, _ in missing:  # what the words promise of the earlier singleton
        last = [at for at in starts if trace[at].place.ell == ell][-1]
        ended = Snapshot.of(trace, next(at for at in trace.positions("subroutine finished").tolist() if at > last) + 1)
        assert ended.state.survivors.tolist() == [trace.instance.best]
        assert trace[last].selection_budget >= theory.good.B_star
    assert series.subroutine_at(column + 0.5, row + 0.5) is None
    young = grid_series(early, SURVIVORS, theory)
    assert (len(young.uncalled), young.promise) == (0, "guaranteed: i 3 from ℓ 11 on, not reached yet")
    soon = grid_series(within, SURVIVORS, theory)
    row, column = soon.uncalled[0].tolist()
    assert "not called yet, i = 1 is running" in grid_text(within, soon, column + 0.5, row + 0.5)
    view = SubroutineGrid(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    view.show(end)
    settle(card, 420, 300)
    x, y = view.sure.getData()
    edge = [np.floor(np.nanmin(x)), np.ceil(np.nanmax(x)), np.floor(np.nanmin(y)), np.ceil(np.nanmax(y))]
    assert edge == [2, 3, 10, 13]
    assert_texts_fit(card)


@pytest.mark.parametrize(("name", "part"), [("theory", "table"), ("geometry", "controls"), ("budgets", "controls")])
def test_tables_and_controls_follow_the_room_at_once(qapp, name, part):
    view = VIEWS[name](Appearance(LIGHT))
    snapshot = snapshot_of("paper-hard")
    KNOWN.find(question_of(snapshot))
    view.body.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    view.body.resize(500, 400)
    view.body.show()
    view.show(snapshot)
    seen = []
    for height in (400, 110, 400):
        view.body.resize(500, height)
        seen.append(not getattr(view, part).isHidden())
    assert seen == [True, False, True]
    if name == "theory":
        view.body.resize(500, 110)
        view.set_option("show", "conditions")
        assert view.table.isVisible()
        assert view.plot.isHidden()
    for each in (view.head, view.body):
        each.deleteLater()
