"""The equivalence picture and *Improve* in the window: what is painted has the average 1, and a click can be undone."""

import json

import numpy as np
import pytest

from gems_engine.design import DesignProblem, equivalence_of, improve, solve_design
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_gui.action_table import ACTIONS
from gems_gui.analysis.inquiry import Inquiry
from gems_gui.design_study import CustomWeights, Study, answer, custom_entry, entry_of, step_text
from gems_gui.painting.frames import Look
from gems_gui.painting.render import PictureSheet
from gems_gui.series.design.arms import equivalence_series, equivalence_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.design.directions import mark_sizes
from tests.gui.debugger_driver import Debugged
from tests.gui.window_driver import drawn_bars, driven

SPHERE = make("sphere", D=12, n=40, d_star=3)


def study_of_weights(instance, weights=None, chosen=None, d=None):
    """A snapshot of a short run with a study of all targets, perhaps with weights by hand."""
    snapshot = Snapshot.of(Run(instance, "fixed-confidence", 1, max_samples=100).finish())
    targets = chosen or tuple(range(len(instance.targets)))
    subject = Inquiry(chosen=targets, d=d or instance.D).subject(snapshot)
    study = Study(subject, entry_of(subject.method, answer(subject.question(subject.method))), pulls=subject.pulls)
    if weights is not None:
        hand = custom_entry(subject, CustomWeights("mine", np.asarray(weights, float)), (study.solved.design,))
        study = Study(subject, study.solved, custom=hand, pulls=subject.pulls)
    return Snapshot(**{**snapshot.__dict__, "study": study}), study


def optimal_but_one():
    weights = solve_design(DesignProblem(SPHERE.arms, targets=SPHERE.arms)).weights.copy()
    weights[int(weights.argmax())] *= 0.15
    return weights


CASES = {
    "optimal": (SPHERE, None, None),
    "uniform": (SPHERE, np.ones(40), None),
    "one arm cut": (SPHERE, optimal_but_one(), None),
    "six digits": (SPHERE, np.round(solve_design(DesignProblem(SPHERE.arms, targets=SPHERE.arms)).weights, 6), None),
    "singular": (SPHERE, None, (0, 1)),
}


@pytest.mark.parametrize("case", CASES)
def test_the_average_of_the_painted_bars_is_one_and_the_words_follow(qapp, case):
    instance, weights, chosen = CASES[case]
    snapshot, study = study_of_weights(instance, weights, chosen)
    sheet = PictureSheet(("design-equivalence",), Look((900, 500), options={"design-equivalence": {"scale": "linear"}}))
    try:
        sheet.show(snapshot)
        view = sheet.views[0]
        seen = study.main.examination.equivalence
        painted = drawn_bars(view.kinds.values(), 40)
        assert float(painted @ seen.weights) == pytest.approx(1.0, abs=1e-9)
        assert painted.tolist() == pytest.approx(seen.g.tolist())
        assert not (painted[seen.weights > 0.0] > 1.0 + 1e-9).all()
        above = drawn_bars([view.kinds["now"]], 40)
        below = drawn_bars([view.kinds["budget"]], 40)
        assert (above > 0.0).tolist() == (seen.g > 1.001).tolist()
        less = (seen.g < 0.999) & (seen.weights > 0.0) & (seen.g > 0.0) & above.any()
        assert (below > 0.0).tolist() == less.tolist()
        legend = view.legend.text()
        if case in ("uniform", "one arm cut"):
            count = int((seen.g > 1.001).sum())
            assert view.series.subtitle[0].startswith(f"{count} arms above 1, up to ")
            assert "give them more weight" in view.series.subtitle[0]
            assert "take some away" in view.series.subtitle[0]
            assert "■ above 1: give more weight" in legend
            assert "■ below 1 with weight: take some away" in legend
        else:
            assert seen.g.max() <= 1.0 + 1e-3
            assert "none above 1.001" in view.series.subtitle[0]
            assert "above 1" not in legend
            assert "take some away" not in legend
    finally:
        sheet.close()


def test_an_infinite_value_has_no_bars_and_names_the_arms_that_restore_it(qapp):
    instance = Instance.linear(np.eye(3), [1.0, 0.5, 0.2])
    snapshot, study = study_of_weights(instance, [0.5, 0.5, 0.0])
    series = equivalence_series(snapshot, study, "index")
    assert np.isnan(series.g).all()
    assert series.subtitle[0].startswith("infinite: ")
    assert series.subtitle[0].endswith(" and 1 more pair cannot be estimated")
    assert series.placeholder.startswith("No g: ")
    assert series.placeholder.endswith(f"and 1 more pair cannot be estimated. Give weight to {instance.arm_label(2)}.")
    assert "no g, no weight, Improve moves 100 % to it" in equivalence_text(snapshot, series, 2.0)
    assert [row[-2] for row in series.table(snapshot).rows] == [None] * 3
    sheet = PictureSheet(("design-equivalence",), Look((900, 500)))
    sheet.show(snapshot)
    assert not drawn_bars(sheet.views[0].kinds.values(), 3).any()
    sheet.close()


def test_the_table_of_the_picture_has_weights_and_g():
    snapshot, study = study_of_weights(SPHERE, np.ones(40))
    table = equivalence_series(snapshot, study, "size").table(snapshot)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert sum(row["weight"] * row["g"] for row in rows) == pytest.approx(1.0, abs=1e-9)
    assert [row["g"] for row in rows] == sorted((row["g"] for row in rows), reverse=True)


def test_marks_are_as_large_as_their_w(qapp):
    assert mark_sizes(np.array([0.0, 0.25, 1.0]), 4.0, 12.0).tolist() == [4.0, 6.0, 12.0]
    assert mark_sizes(np.zeros(2), 4.0, 12.0).tolist() == [4.0, 4.0]
    snapshot, study = study_of_weights(make("paper-hard"), None, d=9)
    sheet = PictureSheet(("design-directions",), Look((900, 700)))
    sheet.show(snapshot)
    view = sheet.views[0]
    assert len(view.active.getData()[0]) == 36
    w, sizes = study.main.examination.equivalence.w, view.active._sizes
    assert sizes[w == w.max()].min() == sizes.max() > sizes[w == 0.0].max()
    sheet.close()


# -- in the window ------------------------------------------------------------------------------------------------


@pytest.fixture
def opened(qtbot):
    with driven(qtbot, size=(1440, 900), layout="talk") as driver:
        yield Debugged(driver)


def improved(opened, click):
    """One step by this click, until it is shown with its best proof."""
    before = opened.debugger.inquiry.custom
    click()
    opened.driver.wait(lambda: not opened.debugger.improving and opened.debugger.inquiry.custom is not before)
    opened.shown()


def test_one_click_takes_a_step_and_undo_takes_it_back(opened):
    opened.go_to_design(0)
    chosen, d = opened.study.subject.chosen, opened.study.subject.d
    problem = opened.problem(chosen, d)
    arms = len(problem.arms)
    start = np.arange(1.0, arms + 1.0)
    opened.debugger.take_weights("mine", start)
    opened.shown()
    expected = improve(problem, start)
    improved(opened, opened.panel.improve.click)
    assert opened.seen.weights == pytest.approx(expected.weights)
    assert opened.seen.value == pytest.approx(expected.value)
    assert expected.value < expected.before
    assert opened.bars("design-weights", "by_hand") == pytest.approx(expected.weights)
    gap = opened.study.excess(opened.study.main)
    assert opened.seen.equivalence.g == pytest.approx(equivalence_of(problem, expected.weights, gap).g, abs=1e-6)
    assert opened.rows()[0][0] == "improved"
    assert opened.panel.step.text == step_text(expected)
    assert "slope predicted −" in opened.panel.step.text
    assert ", measured −" in opened.panel.step.text
    first = opened.seen.value
    improved(opened, lambda: opened.driver.press("Ctrl+I"))
    assert opened.seen.value < first
    opened.driver.press("Ctrl+Z")
    opened.shown()
    assert opened.seen.value == pytest.approx(first)
    assert opened.panel.step.text == step_text(expected)
    opened.driver.press("Ctrl+Z")
    opened.shown()
    assert opened.seen.weights == pytest.approx(start / start.sum())
    assert opened.panel.step.text.startswith("Drag a bar of Weights λ to change it.")
    opened.driver.press("Ctrl+Shift+Z")
    opened.shown()
    assert opened.seen.value == pytest.approx(first)


def test_no_message_moves_the_views_and_the_focused_one_has_a_whole_ring(opened):
    opened.go_to_design(0)
    opened.shown()
    opened.debugger.take_weights("mine", np.arange(1.0, len(opened.driver.trace.instance.arms) + 1.0))
    opened.shown()
    weights = opened.views["design-weights"]
    opened.driver.click(weights.body)
    assert weights.body.hasFocus()
    ring = opened.driver.theme.color("surviving").name()

    def edges():
        head = weights.head.grab().toImage()
        return {head.pixelColor(head.width() // 2, 0).name(), head.pixelColor(0, head.height() // 2).name()}

    assert edges() == {ring}
    place = weights.body.mapTo(opened.panel, weights.body.rect().topLeft())
    size = weights.body.size()

    def assert_there():
        assert weights.body.mapTo(opened.panel, weights.body.rect().topLeft()) == place
        assert weights.body.size() == size

    improved(opened, lambda: opened.driver.press("Ctrl+I"))
    assert_there()
    opened.write(opened.panel.pickers.targets, "x_99")
    opened.driver.wait(opened.panel.error.isVisible)
    opened.window.grab()
    assert_there()
    assert ring not in edges()


def test_at_the_optimum_there_is_no_step_and_that_is_said(opened):
    opened.go_to_design(0)
    opened.write(opened.panel.pickers.targets, "0,1")
    opened.shown()
    assert opened.study.solved.design.status == "exact"
    opened.panel.improve.click()
    opened.driver.wait(lambda: not opened.debugger.improving)
    assert opened.panel.step.text == "Improve found no step that decreases the value."
    assert opened.debugger.inquiry.custom is None
    assert opened.panel.improve.isEnabled()


def test_a_step_from_weights_that_have_changed_meanwhile_is_not_taken(opened):
    opened.go_to_design(0)
    opened.shown()
    arms = len(opened.driver.trace.instance.arms)
    opened.debugger.take_weights("mine", np.arange(1.0, arms + 1.0))
    opened.shown()
    opened.debugger.improve()
    assert not opened.panel.improve.isEnabled()
    opened.debugger.take_weights("other", np.ones(arms))
    opened.driver.wait(lambda: not opened.debugger.improving)
    opened.shown()
    assert opened.debugger.inquiry.custom.label == "other"
    assert opened.panel.improve.isEnabled()


def test_the_command_is_in_the_table_with_a_key():
    act = {each.id: each for each in ACTIONS}["improve_weights"]
    assert (act.text, act.keys, act.menu) == ("Improve weights", ("Ctrl+I",), "Edit")


def test_weights_that_do_not_sum_to_one_are_rescaled_and_it_is_said(opened, tmp_path):
    opened.go_to_design(0)
    arms = len(opened.driver.trace.instance.arms)
    (tmp_path / "mine.json").write_text(json.dumps([2.0] * arms))
    opened.window.designs.load_weights(str(tmp_path / "mine.json"))
    opened.driver.wait(lambda: opened.debugger.inquiry.custom is not None)
    opened.shown()
    assert f"The weights sum to {2 * arms} and were divided by it." in opened.driver.said()
    assert opened.seen.weights == pytest.approx(1.0 / arms)


def test_fifteen_steps_from_uniform_weights_end_near_the_optimum_and_can_all_be_undone(opened):
    """By clicks and keys in turn; what is painted has the λ-average 1 at each of them."""
    opened.driver.workbench.open(Run(SPHERE, "fixed-confidence", 1, max_samples=100).finish(), "sphere.gems")
    opened.driver.seek(0)
    opened.shown()
    assert (len(opened.study.subject.chosen), opened.study.subject.d) == (40, 12)
    opened.debugger.take_weights("uniform", np.ones(40))
    opened.shown()
    view = opened.views["design-equivalence"]
    shown = [opened.seen.weights.tolist()]
    for step in range(15):
        improved(opened, opened.panel.improve.click if step % 2 else lambda: opened.driver.press("Ctrl+I"))
        shown.append(opened.seen.weights.tolist())
        assert float(drawn_bars(view.kinds.values(), 40) @ opened.seen.weights) == pytest.approx(1.0, abs=1e-9)
    assert opened.seen.value <= 1.015 * solve_design(DesignProblem(SPHERE.arms, targets=SPHERE.arms)).value
    for weights in reversed(shown[:-1]):
        opened.driver.press("Ctrl+Z")
        opened.shown()
        assert opened.seen.weights.tolist() == weights
