"""B, n and T in the form: marks where dimensions are bought, a pointer that chooses, and suggestions that runs take."""

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gems_engine.design import DesignProblem, solve_design
from gems_engine.events import DesignSolved
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.rounding import rounding_samples
from gems_engine.suggestion import Setting, rounded_up
from gems_engine.terminal import number, superscript
from gems_gui.drafts.advice import advice
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.presets import PRESETS
from gems_gui.drafts.rulers import MOST_MARKS, Ruler, RulerMark, cost_ruler, marked_dimensions, sample_ruler
from gems_gui.series.dimension_book import CostCurve
from tests.gui.window_driver import driven

B, T, N = "algorithm.selection_budget", "algorithm.budget", "algorithm.rounds"
SPHERE = Draft.of("sphere", "gems-c", 1, {"D": 6, "d_star": 2, "n": 12})
EVEN = CostCurve(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))


def field(driver, key):
    return driver.form.algorithm_form.fields[key]


def known(driver, key=B, marks=6):
    """Wait until all marks of a ruler are there."""
    driver.wait(lambda: field(driver, key).ruler.ruler is not None and len(field(driver, key).ruler.marks()) == marks)
    return field(driver, key).ruler


def costs(draft, k, rounding=True):
    """g_k(d) of all targets for every d, by designs that are solved here."""
    instance = make(draft.family.name, **draft.family_values())
    found = []
    for d in range(1, instance.D + 1):
        iota = solve_design(DesignProblem(instance.arms[:, :d], targets=instance.targets[:, :d])).value
        found.append(max(4.0**k * iota, rounding_samples(d, 1.0) if rounding else 0.0))
    return found


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, SPHERE, layout="talk") as made:
        yield made


# -- the numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["gems-c", "gems-b", "gems-m"])
def test_the_marks_are_the_costs_of_round_one(qtbot, algorithm):
    with driven(qtbot, SPHERE.with_algorithm(algorithm), layout="talk") as driver:
        ruler = known(driver)
        expected = costs(SPHERE, 1, rounding=algorithm != "gems-b")
        assert [mark.d for mark in ruler.ruler.marks] == [1, 2, 3, 4, 5, 6]
        assert [mark.value for mark in ruler.ruler.marks] == pytest.approx(expected, rel=1e-5)
        places = [ruler.x_of(mark.value) for mark in ruler.ruler.marks]
        assert places == sorted(places)
        logs = np.log(expected)
        assert np.allclose(np.diff(places) / np.diff(logs), (places[-1] - places[0]) / (logs[-1] - logs[0]), rtol=1e-3)


def test_words_say_what_B_buys():
    setting = Setting(3, 5)  # g_1 is 4, 8 and 14, which is r_3
    said = {B: cost_ruler(setting, EVEN, B).words for B in (3.0, 4.0, 9.0, 14.0)}
    assert said == {
        3.0: "B = 3 buys no dimension in round 1: g₁(1) = 4.",
        4.0: "B = 4 buys R¹ in round 1; g₁(2) = 8.",
        9.0: "B = 9 buys R² in round 1; g₁(3) = 14.",
        14.0: "B = 14 buys all of R³ in round 1: g₁(3) = 14.",
    }


def test_a_cost_above_B_does_not_look_like_B():
    for B in (13.96, 13.996, 13.9999):
        assert cost_ruler(Setting(3, 5), EVEN, B).words == f"B = {B} buys R² in round 1; g₁(3) = 14."


def test_no_B_buys_more_than_T_allows():
    setting = Setting(3, 5, given_T=True)  # g_1 is 4, 8 and 12
    said = {(B, top): cost_ruler(setting, EVEN, B, top).words for B in (3.0, 4.0, 9.0, 14.0) for top in (0, 2, 3)}
    no_more = "buys R² in round 1: the limit is D̃ = 2."
    assert (said[9.0, 2], said[14.0, 2]) == (f"B = 9 {no_more}", f"B = 14 {no_more}")
    assert said[9.0, 3] == "B = 9 buys R² in round 1; g₁(3) = 12."
    assert said[4.0, 2] == "B = 4 buys R¹ in round 1; g₁(2) = 8."
    assert said[3.0, 2] == "B = 3 buys no dimension in round 1: g₁(1) = 4."
    assert {said[B, 0] for B in (4.0, 14.0)} == {
        f"B = {B} buys no dimension in round 1: the limit is D̃ = 0." for B in (4, 14)
    }
    ruler = cost_ruler(setting, EVEN, 14.0, 2)
    assert [ruler.buys(mark) for mark in ruler.marks] == [True, True, False]
    few = CostCurve.unknown(500)
    for d in marked_dimensions(500):
        few.lower[d - 1] = few.upper[d - 1] = float(d)
    assert 100 not in marked_dimensions(500)
    words = cost_ruler(Setting(500, 5, given_T=True), few, 1e6, 100).words
    assert words == f"B = {number(1e6)} buys R¹⁰⁰ in round 1: the limit is D̃ = 100."


@pytest.mark.parametrize("budget", [12, 60, 100, 200, None])
def test_what_B_is_said_to_buy_is_what_round_one_works_in(budget):
    draft = PRESETS["gems-b-steps"].draft.with_text("algorithm.budget", "" if budget is None else str(budget))
    instance = make(draft.family.name, **draft.family_values())
    iotas = np.array(costs(draft, 1, rounding=False)) / 4.0
    said = advice(draft, instance, CostCurve(iotas, iotas), True).rulers["selection_budget"].words
    designs = [event for event in draft.request(instance).run().finish() if isinstance(event, DesignSolved)]
    bought = f"R{superscript(designs[0].d)} in round 1" if designs else "no dimension in round 1"
    assert bought in said


def test_what_is_not_computed_is_not_marked_and_loose_bounds_are_said():
    setting = Setting(3, 5)
    partly = CostCurve(np.array([np.nan, 2.0, np.nan]), np.array([np.nan, 2.0, np.nan]))
    ruler = cost_ruler(setting, partly, 9.0)
    assert (ruler.marks, ruler.words) == ((RulerMark(2, 8.0),), "Computing g₁(d): 1 of 3 dimensions.")
    loose = cost_ruler(setting, replace(EVEN, lower=np.array([1.0, 1.8, 3.0])), 9.0)
    assert loose.words.endswith("Costs are proven only within 10 %.")
    assert Ruler((), None, "").ends is None


def test_T_buys_what_its_rounds_can_round():
    setting = Setting(3, 5, given_T=True)  # r_d is 4, 8, 14
    ruler = sample_ruler(setting, 5, 45.0)
    assert [mark.value for mark in ruler.marks] == [20.0, 40.0, 70.0]
    assert ruler.words == "T′ = ⌊T/n⌋ = 9 pulls in each round: D̃ = 2. r_3 = 14."
    assert "D̃ = 3." in sample_ruler(setting, 5, 70.0).words
    assert "too few for any dimension. r_1 = 4." in sample_ruler(setting, 5, 19.0).words


def test_a_large_instance_has_few_marks_and_says_that_there_are_more():
    assert marked_dimensions(3) == (3, 1, 2)
    many = marked_dimensions(500)
    assert (many[0], len(many), min(many)) == (500, MOST_MARKS, 1)
    curve = CostCurve.unknown(500)
    for d in many:
        curve.lower[d - 1] = curve.upper[d - 1] = 1e6 * d
    assert "or more in round 1" in cost_ruler(Setting(500, 5), curve, 1e9).words


def test_places_and_values_are_inverse_and_keys_go_from_mark_to_mark():
    ruler = Ruler((RulerMark(1, 4.0), RulerMark(2, 8.0), RulerMark(3, 14.0)), 9.0, "")
    for value in (4.0, 6.5, 14.0):
        assert ruler.value(ruler.place(value)) == pytest.approx(value, rel=0.01)
    assert (ruler.step(True), ruler.step(False)) == (14.0, 8.0)
    assert replace(ruler, present=20.0).step(True) is None


def test_nothing_of_the_truth_is_suggested_while_it_is_hidden():
    instance = make("soare")
    curve = CostCurve(np.arange(1.0, 6.0), np.arange(1.0, 6.0))
    shown, hidden = (advice(Draft.of("soare", "gems-b"), instance, curve, truth) for truth in (True, False))
    assert shown.value("rounds") is not None
    assert hidden.value("rounds") is None
    assert "Hidden with the truth" in hidden.offers["rounds"].why_none
    for name in ("selection_budget", "budget"):
        assert shown.value(name) == hidden.value(name) is not None
    tied = Instance.linear(np.eye(2), [1.0, 1.0])
    assert "tied" in advice(Draft.of("soare", "gems-c"), tied, EVEN, True).offers["rounds"].why_none
    assert advice(Draft.of("soare"), instance, curve, True) is None


# -- the window -------------------------------------------------------------------------------------------------------


def test_a_run_takes_what_the_empty_field_says(driver):
    known(driver)
    placeholder = field(driver, B).input.placeholderText()
    assert field(driver, B).text == ""
    assert field(driver, B).note.text_shown.count("Suggested: it pays for R⁶ in rounds 1 and 2") == 1
    driver.start()
    driver.wait(lambda: driver.trace.started is not None)
    taken = driver.trace.started.parameters["selection_budget"]
    assert taken == rounded_up(costs(SPHERE, 2)[-1])
    assert placeholder.replace("\N{NARROW NO-BREAK SPACE}", "") == f"{taken:g}"
    assert not driver.difference_bar.isVisible()
    driver.press("Ctrl+Shift+C")
    from PySide6.QtWidgets import QApplication

    assert f"--selection-budget {taken!r}" in QApplication.clipboard().text()


def test_a_click_on_a_mark_buys_its_dimension_and_undo_takes_it_back(driver):
    ruler = known(driver)
    mark = ruler.ruler.marks[3]
    driver.click(ruler, QPoint(round(ruler.x_of(mark.value)), 8))
    assert driver.draft.algorithm_values()["selection_budget"] == rounded_up(mark.value)
    assert "buys R⁴ in round 1" in field(driver, B).note.text_shown
    assert ruler.ruler.present == rounded_up(mark.value)
    driver.start()
    driver.wait(lambda: any(isinstance(each, DesignSolved) for each in driver.trace))
    assert next(each.d for each in driver.trace if isinstance(each, DesignSolved)) == 4
    field(driver, B).input.setFocus()
    driver.press("Ctrl+Z")
    assert field(driver, B).text == ""


def test_a_drag_is_one_change_and_the_scale_stays_while_it_lasts(driver):
    ruler = known(driver)
    ends = ruler.ruler.ends
    QTest.mousePress(ruler, Qt.MouseButton.LeftButton, pos=QPoint(ruler.width() // 2, 8))
    values = []
    for x in range(ruler.width() // 2, 8, -6):
        QTest.mouseMove(ruler, QPoint(x, 8))
        values.append(driver.draft.algorithm_values()["selection_budget"])
    QTest.mouseRelease(ruler, Qt.MouseButton.LeftButton, pos=QPoint(9, 8))
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(ends[0], rel=0.2)
    assert len(set(values)) > 5
    driver.drafts.undo()
    assert field(driver, B).text == ""
    assert not driver.drafts.can_undo


def test_keys_go_from_mark_to_mark(driver):
    ruler = known(driver)
    driver.finished()
    driver.press("Right")
    ruler.setFocus()
    values = [rounded_up(mark.value) for mark in ruler.ruler.marks]
    for expected in reversed(values):
        driver.press("Left")
        assert driver.draft.algorithm_values()["selection_budget"] == expected
    driver.press("Left")
    assert driver.draft.algorithm_values()["selection_budget"] == values[0]
    driver.press("Right")
    assert driver.draft.algorithm_values()["selection_budget"] == values[1]
    assert driver.cursor == 1, "the run does not move"


def test_suggest_fills_the_field_and_says_why(qtbot):
    draft = PRESETS["gems-b-steps"].draft
    with driven(qtbot, draft, layout="talk") as driver:
        known(driver, marks=5)
        cost = f"{costs(draft, 1, rounding=False)[-1]:.3g}"
        assert field(driver, B).note.text_shown == f"B = 100 buys all of R⁵ in round 1: g₁(5) = {cost}."
        driver.type_into(N, "5")
        assert not field(driver, N).note.text_shown, "a value that happens to be the suggested one moves no field"
        for key in (N, B, T):
            button = field(driver, key).suggest
            assert button.isEnabled()
            assert len(button.toolTip()) > 30
            driver.click(button)
            shown = field(driver, key)
            assert "Suggested: " in shown.note.text_shown
            for text in (shown.note.text_shown, button.toolTip(), shown.input.toolTip()):
                assert "g_" not in text, key
        given = driver.draft.algorithm_values()
        assert given["selection_budget"] == rounded_up(costs(draft, 2, rounding=False)[-1])
        assert given["rounds"] == 5
        assert given["budget"] // 5 >= 4 * given["selection_budget"] * math.log(5 * 8 / 0.05)
        driver.press("T")
        assert not field(driver, N).suggest.isEnabled()
        assert "Hidden" in field(driver, N).suggest.toolTip()


def test_the_strategies_have_no_ruler_and_their_T_is_their_own(driver):
    for algorithm in ("fixed-budget", "fixed-confidence", "rage"):
        driver.drafts.set_draft(Draft.of("sphere", algorithm))
        shown = driver.form.algorithm_form.fields.values()
        assert all(each.ruler is None and each.suggest is None for each in shown)
        assert driver.window.suggesting.advice is None


def test_of_two_instances_the_newer_has_its_marks_and_nothing_waits(qtbot):
    """With the process that computes them: the window is never asked to wait, and old answers change nothing."""
    with driven(qtbot, Draft.of("sphere", "gems-c", 1, {"n": 500, "D": 40}), in_thread=False, layout="talk") as driver:
        driver.wait(lambda: driver.window.queries.busy("costs of the form's instance"))
        driver.drafts.set_draft(SPHERE)
        ruler = known(driver)
        assert [mark.value for mark in ruler.ruler.marks] == pytest.approx(costs(SPHERE, 1), rel=1e-5)


def test_what_is_said_while_there_is_no_instance():
    """A valid form is not called invalid while its instance is on its way."""

    def said(draft, **refused):
        known = advice(draft, None, None, True, **refused)
        return known.rulers["selection_budget"].words

    assert said(SPHERE) == "Building the instance …"
    waits = "Computed when the instance is valid."
    assert said(SPHERE.with_text("instance.d_star", "9")) == waits
    assert said(SPHERE, refused=True) == waits


def test_an_invalid_form_says_that_it_waits(driver):
    known(driver)
    driver.type_into("instance.d_star", "9")
    assert field(driver, B).ruler.marks() == []
    assert "when the instance is valid" in field(driver, B).note.text_shown
    assert not field(driver, B).suggest.isEnabled()
    driver.type_into("instance.d_star", "2")
    known(driver)
    driver.type_into(B, "-3")
    assert field(driver, B).error.text_shown.startswith("B = -3 is not allowed")
    assert len(field(driver, B).ruler.marks()) == 6
