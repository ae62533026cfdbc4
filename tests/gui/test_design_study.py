"""What the design debugger shows, before anything is drawn: which problem, which designs, and every number of them."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.design import DesignProblem, solve_design
from gems_engine.design.examination import examine
from gems_engine.design.result import how_proven
from gems_engine.errors import InputError
from gems_engine.events import Allocated, DesignSolved
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.terminal import number
from gems_gui.analysis.inquiry import Inquiry, chosen_from, method_from, pulls_from, reweighted, tolerance_text
from gems_gui.design_study import FRANK_WOLFE, CustomWeights, Method, Study, answer, custom_entry, entry_of, needs
from gems_gui.painting.frames import Look
from gems_gui.painting.render import PictureSheet
from gems_gui.series.arm_order import INDEX, SIZE
from gems_gui.series.design.arms import (
    equivalence_series,
    percent,
    rounding_series,
    studied_weight_series,
    studied_weight_text,
)
from gems_gui.series.design.bounds import ITERATIONS, TIME, bound_series, bound_text
from gems_gui.series.design.comparison import COLUMNS, _digits, comparison_series
from gems_gui.series.design.directions import direction_series, direction_text
from gems_gui.series.design.spectrum import spectrum_series
from gems_gui.series.design.study import study_of, subject_at
from gems_gui.snapshot import Selection, Snapshot
from tests.gui.sample_runs import RUNS, cut, run, snapshot_of

VECTORS = json.loads((Path(__file__).parent.parent / "data" / "designs.json").read_text())
FW = Method(FRANK_WOLFE)
FIVE = Instance.linear(np.eye(5), np.ones(5))


def designs(name):
    """Positions of some designs of a run: the first, some in the middle, the last."""
    found = run(name).positions(DesignSolved).tolist()
    return found[:: max(1, len(found) // 5)] + found[-1:]


def survivors_before(trace, position):
    """Who is left at an event, by reading the eliminations of its subroutine."""
    left = set(range(len(trace.instance.targets)))
    for event in trace[:position]:
        if event.kind == "subroutine started":
            left = set(range(len(trace.instance.targets)))
        elif event.kind == "eliminated":
            left -= set(event.targets.tolist())
    return tuple(sorted(left))


def study_with(snapshot, *, compared=None, weights=None):
    """The study of a snapshot's own design, with others to compare it with."""
    subject = subject_at(snapshot)
    solved = answer(subject.question(subject.method))
    parts = {name: answer(subject.question(method)) for name, method in needs(subject.method, compared).items()}
    study = Study(
        subject,
        entry_of(subject.method, solved),
        entry_of(compared, parts["compared"]) if "compared" in parts else None,
        pulls=subject.pulls,
    )
    known = tuple(each.design for each in study.entries)
    if weights is None:
        return study
    return replace(study, custom=custom_entry(subject, CustomWeights("by hand", weights), known))


@cache
def sphere():
    """A snapshot of the run on the sphere whose design took many iterations."""
    trace = run("sphere")
    at = max(trace.positions(DesignSolved).tolist(), key=lambda each: trace[each].iterations)
    return Snapshot.of(trace, at + 1)


@pytest.mark.parametrize("name", RUNS)
def test_a_design_of_the_run_is_found_again_to_the_last_digit(name):
    trace = run(name)
    for position in designs(name):
        event = trace[position]
        study = study_of(Snapshot.of(trace, position + 1))
        assert study.subject.recorded == event
        assert study.subject.chosen == survivors_before(trace, position)
        assert (study.subject.d, study.subject.method) == (event.d, Method(event.solver, event.tolerance))
        design = study.solved.design
        assert (design.value, design.lower_bound, design.iterations) == (
            event.value,
            event.lower_bound,
            event.iterations,
        )
        assert design.support.tolist() == event.support.tolist()
        assert design.weights[design.support].tobytes() == event.weights.tobytes()


@pytest.mark.parametrize("name", RUNS)
def test_the_rounding_is_that_of_the_round_once_it_has_allocated(name):
    trace = run(name)
    for position in trace.positions(Allocated).tolist()[::7]:
        event = trace[position]
        if not event.d:
            continue
        before, after = (subject_at(Snapshot.of(trace, cursor)) for cursor in (position, position + 1))
        assert not before.allocated
        assert after.allocated
        study = study_of(Snapshot.of(trace, position + 1))
        assert study.pulls == event.counts.sum()
        assert np.flatnonzero(study.rounding.counts).tolist() == event.arms.tolist()
        assert study.rounding.counts[event.arms].tolist() == event.counts.tolist()
        assert study.rounding.factor == event.factor
        series = rounding_series(Snapshot.of(trace, position + 1), study, INDEX)
        assert series.wanted.sum() == pytest.approx(study.pulls)
        assert "of this round" in series.subtitle[0]


@pytest.mark.parametrize("name", RUNS)
def test_between_two_designs_the_last_one_stays_and_nothing_later_is_known(name):
    trace = run(name)
    first, second = trace.positions(DesignSolved).tolist()[:2]
    assert subject_at(Snapshot.of(trace, first)) is None
    assert study_of(Snapshot.of(trace, 0)) is None
    for cursor in range(first + 1, second + 1):
        snapshot = Snapshot.of(trace, cursor)
        here, alone = subject_at(snapshot), subject_at(cut(snapshot))
        assert here.recorded == trace[first]
        assert (here.key, here.pulls, here.words) == (alone.key, alone.pulls, alone.words)


def test_the_oracle_has_no_design_of_survivors():
    trace = Run(make("paper-hard"), "static-oracle", 1).finish()
    assert len(trace.positions(DesignSolved)) == 1
    assert study_of(Snapshot.of(trace)) is None


# -- what a user picks --------------------------------------------------------------------------------------------


def test_any_set_and_dimension_can_be_picked():
    snapshot = snapshot_of("paper-hard")
    subject = Inquiry(chosen=(0, 8, 9), d=9).subject(snapshot)
    assert (subject.chosen, subject.d, subject.recorded, subject.words) == ((0, 8, 9), 9, None, "custom")
    assert subject.pulls == 9 * 9 + 9 + 2  # r_9(1)
    plain = solve_design(DesignProblem(snapshot.instance.arms[:, :9], targets=snapshot.instance.targets[[0, 8, 9], :9]))
    assert answer(subject.question(subject.method)).design.value == plain.value
    early = Inquiry(d=3).subject(snapshot_of("paper-hard", 1))
    assert (early.chosen, early.d) == (tuple(range(10)), 3)
    first = Inquiry().subject(snapshot_of("paper-hard", 1))
    assert (first.chosen, first.d, first.recorded) == (tuple(range(10)), 10, None)


def test_what_is_picked_stays_and_what_is_not_follows():
    trace = run("paper-hard")
    first, last = trace.positions(DesignSolved).tolist()[0], trace.positions(DesignSolved).tolist()[-1]
    early, late = Snapshot.of(trace, first + 1), Snapshot.of(trace, last + 1)
    there = subject_at(early)
    pinned = Inquiry(method=FW).pinned_to(there)
    assert pinned.pinned
    assert pinned.subject(early).recorded == trace[first]
    later = pinned.subject(late)
    assert later.key == there.key
    assert (later.recorded, later.pulls, later.words) == (trace[first], there.pulls, there.words)
    follows = pinned.following()
    assert not follows.pinned
    assert follows.subject(late).key == subject_at(late).key
    assert follows.subject(late).method == FW


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda: chosen_from("0,x", FIVE), "Targets: there is no target x. Write them as 0,3,7"),
        (lambda: chosen_from("0,7", FIVE), "Targets: there is no target 7"),
        (lambda: chosen_from("3", FIVE), "Give at least two"),
        (lambda: method_from("certified", "much"), 'The tolerance "much" is not allowed'),
        (lambda: method_from("certified", "0.9"), "at most 0.5"),
        (lambda: pulls_from("0"), 'N "0" is not allowed'),
        (lambda: pulls_from("many"), 'N "many" is not allowed'),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(read, words):
    with pytest.raises(InputError, match=words) as refused:
        read()
    assert str(refused.value).count("\n") == 0


def test_what_is_written_is_read_again():
    assert chosen_from(" 0-2, 4 ", FIVE) == (0, 1, 2, 4)
    assert chosen_from("  ", FIVE) is None
    assert pulls_from("1 234") == 1234
    assert tolerance_text(method_from("certified", "1e-6")) == "1e−6"
    assert method_from("certified", "1e−6") == method_from("certified", "1e-6")
    assert pulls_from("") is None
    for tolerance in (1e-6, 0.25, 1e-12):
        method = Method("certified", tolerance)
        assert method_from("certified", tolerance_text(method)) == method
    assert tolerance_text(FW) == ""


@given(st.lists(st.just(0.0) | st.floats(1e-3, 1.0), min_size=2, max_size=8), st.data())
def test_a_dragged_weight_leaves_the_proportions_of_the_others(raw, data):
    weights = np.array(raw) if any(raw) else np.ones(len(raw))
    weights = weights / weights.sum()
    arm, share = data.draw(st.integers(0, len(raw) - 1)), data.draw(st.floats(-0.5, 1.5))
    changed = reweighted(weights, arm, share)
    assert changed.sum() == pytest.approx(1.0)
    assert (changed >= 0.0).all()
    assert changed[arm] == pytest.approx(min(max(share, 0.0), 1.0))
    others = np.delete(weights, arm)
    if others.any():
        assert np.delete(changed, arm) == pytest.approx(others * (1 - changed[arm]) / others.sum())
    else:
        assert np.ptp(np.delete(changed, arm)) == pytest.approx(0.0)


def test_a_weight_that_is_no_number_is_refused():
    with pytest.raises(InputError, match="from 0 to 1"):
        reweighted(np.ones(2) / 2, 0, float("nan"))


# -- designs side by side -----------------------------------------------------------------------------------------


def test_a_certified_design_is_the_measure_of_those_that_are_not():
    assert set(needs(Method(), None)) == {"solved"}
    assert set(needs(Method(), FW)) == {"solved", "compared"}
    assert set(needs(FW, None)) == {"solved", "reference"}
    assert set(needs(FW, Method("certified", 1e-3))) == {"solved", "compared"}
    assert set(needs(FW, FW)) == {"solved", "reference"}


def test_how_wrong_is_frank_wolfe_stopped_at_one_percent():
    snapshot = sphere()
    study = study_with(snapshot, compared=FW)
    certified, published = study.solved.design, study.compared.design
    assert study.bound == pytest.approx(certified.lower_bound, rel=1e-6)
    assert study.excess(study.compared) == pytest.approx(published.value / certified.lower_bound - 1.0, rel=1e-5)
    assert study.excess(study.compared) > 0.1
    assert study.excess(study.solved) <= 1e-6
    rows = comparison_series(study).rows
    assert [(row.main, row.optimal) for row in rows] == [(True, True), (False, False)]
    cells = dict(zip(COLUMNS, rows[1].cells, strict=True))
    assert cells["design"] == "Frank–Wolfe, 1 %"
    assert float(cells["value"]) == pytest.approx(published.value, rel=1e-6)
    assert float(cells["above the bound"].removesuffix(" %")) == pytest.approx(
        100 * study.excess(study.compared), rel=1e-2
    )
    table = comparison_series(study).table(snapshot)
    values = [row[table.columns.index("value")] for row in table.rows]
    assert values == pytest.approx([certified.value, published.value], rel=1e-12)
    picture = equivalence_series(snapshot, study, INDEX)
    assert picture.g.max() <= 1.0 + 1e-3
    assert picture.g @ picture.weights == pytest.approx(1.0, abs=1e-9)
    assert not picture.above.any()
    assert picture.subtitle[0] == "none above 1.001: optimal, proven"
    assert picture.compared.max() > 1.5


def test_the_picture_of_an_unfinished_frank_wolfe_is_above_one():
    subject = replace(subject_at(sphere()), method=FW)
    parts = {name: entry_of(method, answer(subject.question(method))) for name, method in needs(FW, None).items()}
    study = Study(subject, parts["solved"], reference=parts["reference"], pulls=subject.pulls)
    picture = equivalence_series(sphere(), study, SIZE)
    known = [each.design for each in parts.values()]
    loaded = examine(subject.problem, study.solved.design.weights, known, thorough=True)  # as weights from a file are
    assert picture.g.tolist() == loaded.equivalence.g.tolist()
    assert picture.g @ picture.weights == pytest.approx(1.0, abs=1e-9)
    assert study.solved.examination.own_bound > 1.2 * study.solved.design.lower_bound  # one direction proves little
    assert picture.above.any()
    assert picture.below.any()
    assert picture.subtitle[0].startswith(f"{picture.above.sum()} arm")
    assert f"{picture.below.sum()} below 1 with weight: take some away" in picture.subtitle[0]
    assert picture.g[picture.order.arms[0]] == picture.most
    assert study.bound == pytest.approx(parts["reference"].design.lower_bound, rel=1e-6)
    assert len(comparison_series(study).rows) == 2


def test_weights_by_hand_are_what_the_pictures_show():
    snapshot = sphere()
    before = study_with(snapshot)
    arm = int(before.main.examination.support[0])
    weights = reweighted(before.main.examination.weights, arm, 0.6)
    study = study_with(snapshot, weights=weights)
    arms, targets = (
        snapshot.instance.arms[:, : study.subject.d],
        snapshot.instance.targets[list(study.subject.chosen), : study.subject.d],
    )
    inverse = np.linalg.inv(arms.T @ (weights[:, None] * arms))
    norms = np.array([[(a - b) @ inverse @ (a - b) for a in targets] for b in targets])
    assert study.main.examination.value == pytest.approx(norms.max(), rel=1e-9)
    assert study.excess(study.main) == pytest.approx(norms.max() / before.solved.design.lower_bound - 1.0, rel=1e-6)
    heat = direction_series(snapshot, study)
    assert heat.norms == pytest.approx(norms, rel=1e-9, abs=1e-12)
    assert heat.shares.max() == pytest.approx(1.0)
    assert norms[heat.worst] == pytest.approx(norms.max())
    shown = studied_weight_series(snapshot, study, SIZE)
    assert shown.by_hand
    assert shown.order.arms[0] == arm
    assert shown.compared.tolist() == before.main.examination.weights.tolist()
    assert f"λ = {0.6:g}" in studied_weight_text(snapshot, shown, 0.0)
    assert spectrum_series(study).values == pytest.approx(np.linalg.eigvalsh(np.linalg.inv(inverse))[::-1], rel=1e-9)
    assert len(bound_series(study, ITERATIONS).courses) == 1  # a hand has no iterations


def test_active_pairs_are_those_within_a_small_part_of_the_longest():
    study = study_with(sphere())
    heat = direction_series(sphere(), study)
    design = study.solved.design
    floor = design.value * (1.0 - max(1e-5, 4.0 * design.gap))
    upper = np.triu(heat.norms, 1)
    assert set(heat.active) == set(zip(*map(np.ndarray.tolist, np.nonzero(upper >= floor)), strict=True))
    assert heat.active_count == len(heat.active)
    assert heat.w.sum() == pytest.approx(1.0)
    i, j = heat.active[int(heat.w.argmax())]
    words = direction_text(heat, study, j + 0.5, i + 0.5)
    assert study.subject.label(i) in words
    assert study.subject.label(j) in words
    assert "active with w" in words
    assert direction_text(heat, study, i + 0.5, i + 0.5) == ""
    table = heat.table(sphere())
    assert len(table.rows) == len(heat) * (len(heat) - 1) // 2
    assert sum(row[-1] or 0.0 for row in table.rows) == pytest.approx(1.0)


def test_the_w_of_the_proof_is_told_with_the_bound_and_nowhere_else():
    """The proof spreads over pairs that are not active; the picture does not show them."""
    study = study_with(sphere(), compared=FW)
    rows = comparison_series(study).rows
    best = max((each.examination for each in study.entries), key=lambda each: each.own_bound)
    assert best.own_bound == study.bound
    heaviest = study.subject.pair(best.proof_pairs[int(best.proof_weights.argmax())])
    for row, entry in zip(rows, study.entries, strict=True):
        assert row.proof.startswith(f"{how_proven(study.proof)}, with the w of these pairs: {heaviest}")
        # Each row shows the bound that its "above the bound" refers to.
        assert row.cells[2] == number(study.bound, 7)
        assert row.cells[3] == percent(max(0.0, entry.examination.upper_bound / study.bound - 1.0))
    assert len(study.solved.examination.proof_pairs) > len(direction_series(sphere(), study).active)


def test_the_hard_instance_has_36_active_pairs_in_r9():
    """Not 45: x_9 and x_10 differ by 0.01 in R^9 (designs.md, 3)."""
    snapshot = Snapshot.of(Run(make("paper-hard"), "fixed-confidence", 1, max_samples=100).finish())
    subject = Inquiry(chosen=tuple(range(10)), d=9).subject(snapshot)
    study = Study(subject, entry_of(subject.method, answer(subject.question(subject.method))), pulls=subject.pulls)
    heat = direction_series(snapshot, study)
    assert (heat.active_count, len(heat.active)) == (36, 36)
    assert (8, 9) not in heat.active
    assert "36 active" in heat.subtitle[0]
    assert len(study.solved.design.dual_keys) == 45  # the proof has another w


def test_the_marked_target_is_found_in_the_set():
    chosen = subject_at(sphere()).chosen
    marked = replace(sphere(), selection=Selection.of_target(sphere().instance, chosen[3]))
    assert direction_series(marked, study_with(sphere())).selected == 3
    assert direction_series(sphere(), study_with(sphere())).selected is None


def test_bounds_against_iterations_and_time():
    study = study_with(sphere(), compared=FW)
    for axis in (ITERATIONS, TIME):
        series = bound_series(study, axis)
        for course, entry in zip(series.courses, (study.solved, study.compared), strict=True):
            assert course.upper.tolist() == entry.design.history[:, 0].tolist()
            assert course.lower.tolist() == entry.design.history[:, 1].tolist()
            at = np.arange(len(course.x)) if axis == ITERATIONS else 1e3 * entry.design.seconds
            assert course.x.tolist() == at.tolist()
        assert series.bound == study.solved.design.lower_bound
        table = series.table(sphere())
        assert ("milliseconds" in table.columns) is (axis == TIME)
        assert [row[-1] for row in table.rows] == [*series.courses[0].lower, *series.courses[1].lower]
    words = bound_text(bound_series(study, ITERATIONS), 2.2)
    assert words.count("iteration 2") == 2
    assert "ms" in bound_series(study, TIME).subtitle[0]


def test_a_run_that_recorded_another_value_is_told_so():
    study = study_with(sphere())
    other = replace(study.subject.recorded, value=2 * study.subject.recorded.value)
    told = replace(study, subject=replace(study.subject, recorded=other))
    assert [row.cells[0] for row in comparison_series(told).rows] == ["certified, 1e−6", "as the run recorded it"]
    assert len(comparison_series(study).rows) == 1


@pytest.mark.parametrize("width", [600, 900, 1400])
def test_a_picture_of_the_table_leaves_columns_out_whole_and_has_no_scroll_bar(qapp, width):
    sheet = PictureSheet(("design-table",), Look((width, 300)))
    sheet.show(sphere())
    table = sheet.views[0].table
    assert not table.horizontalScrollBar().isVisible()
    assert not table.verticalScrollBar().isVisible()
    widths = [table.columnWidth(column) for column in range(len(COLUMNS)) if not table.isColumnHidden(column)]
    assert sum(widths) <= table.viewport().width()
    value = _digits(1.029413e-10)
    assert value == "1.0294e−10"
    assert table.fontMetrics().horizontalAdvance(value) < table.columnWidth(COLUMNS.index("value"))
    assert table.fontMetrics().horizontalAdvance(comparison_series(study_with(sphere())).rows[0].cells[-1]) < widths[-1]
    assert (len(widths) == len(COLUMNS)) is (width == 1400)
    sheet.close()


def test_targets_that_are_equal_need_no_design():
    instance = Instance.linear(np.eye(3), [1.0, 0.5, 0.2])
    snapshot = Snapshot.of(Run(instance, "fixed-confidence", 1, max_samples=1000).finish())
    subject = Inquiry(chosen=(1, 2), d=1).subject(snapshot)
    study = Study(subject, entry_of(subject.method, answer(subject.question(subject.method))), pulls=subject.pulls)
    assert study.main.examination.value == 0.0
    assert "any weights are optimal" in comparison_series(study).subtitle[0]
    assert "equal" in direction_series(snapshot, study).subtitle[0]
    assert "all directions are zero" in equivalence_series(snapshot, study, INDEX).subtitle[0]


@pytest.mark.parametrize("case", VECTORS[:6], ids=lambda case: case["name"])
def test_reference_problems(case):
    arms, targets = (np.array(case[key]) for key in ("arms", "targets"))
    instance = Instance.from_rewards(arms, np.arange(len(arms), dtype=float), targets, np.arange(len(targets)) * 1.0)
    snapshot = Snapshot.of(Run(instance, "fixed-confidence", 1, max_samples=100).finish())
    subject = Inquiry(chosen=tuple(range(len(targets))), d=case["d"]).subject(snapshot)
    found = answer(subject.question(subject.method))
    assert found.design.value == pytest.approx(case["value"], rel=1e-6)
