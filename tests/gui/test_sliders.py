"""Sliders under the fields: their scales, that field and slider follow each other, and one step of undo for a drag."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_engine.algorithms import algorithms
from gems_engine.gallery import FAMILIES
from gems_gui.drafts.draft import RUN_SEED, Draft
from gems_gui.drafts.presets import PRESETS
from gems_gui.drafts.scale import Scale, scale_of
from gems_gui.field_text import ALGORITHM, INSTANCE, RUN, parsed, refusal_of, text_of
from gems_gui.panels.form_panel import FormPanel
from tests.gui.window_driver import LEFT, SMALL, driven, handle, slide

PARAMETERS = [
    *((each, INSTANCE) for family in FAMILIES.values() for each in family.parameters),
    *((each, ALGORITHM) for algorithm in algorithms().values() for each in algorithm.parameters),
    (RUN_SEED, RUN),
]
WITH_SLIDER = [(parameter, scope) for parameter, scope in PARAMETERS if scale_of(parameter, scope) is not None]


# -- scales ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("parameter", "scope"), WITH_SLIDER)
def test_every_place_of_every_slider_is_an_allowed_value_and_its_own(parameter, scope):
    scale = scale_of(parameter, scope)
    values = [scale.value(place) for place in range(scale.places + 1)]
    assert values == sorted(set(values)), "each step changes something"
    for place, value in enumerate(values):
        text = text_of(parameter, value if parameter.kind == "int" else float(value))
        assert not refusal_of(parameter, text, scope)
        assert parsed(parameter, text) == value
        assert scale.place(value) == place, "the slider stays where it was put"


def test_what_the_paper_names_has_a_slider():
    names = {(scope, parameter.name) for parameter, scope in WITH_SLIDER}
    assert names >= {
        (INSTANCE, "epsilon"),
        (INSTANCE, "d_star"),
        (INSTANCE, "D"),
        (INSTANCE, "seed"),
        (ALGORITHM, "epsilon"),
        (ALGORITHM, "delta"),
        (ALGORITHM, "selection_budget"),
        (ALGORITHM, "budget"),
        (RUN, "seed"),
    }


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_the_values_of_presets_are_on_their_sliders(preset):
    """So that a slider can go back to the value that the preset sets."""
    draft = preset.draft
    family, algorithm = FAMILIES[draft.source.family], algorithms()[draft.algorithm]
    for scope, parameters in ((INSTANCE, family.parameters), (ALGORITHM, algorithm.parameters)):
        for parameter in parameters:
            value = parsed(parameter, draft.text(f"{scope}.{parameter.name}"))
            scale = scale_of(parameter, scope)
            if scale is not None and value is not None:
                assert scale.low <= value <= scale.high, parameter.name


@given(value=st.floats(1e-12, 1e12))
def test_a_value_beyond_the_scale_is_at_its_end_and_others_at_the_nearest_place(value):
    scale = Scale(1e-3, 10.0, factors=True)
    place = scale.place(value)
    assert 0 <= place <= scale.places
    if value <= 1e-3:
        assert place == 0
    elif value >= 10.0:
        assert place == scale.places
    else:
        step = math.log(1e4) / scale.places
        assert abs(math.log(scale.value(place) / value)) <= step, "two digits and half a step away"


def test_a_scale_can_end_elsewhere():
    assert Scale(1, 30).up_to(5).places == 4
    assert Scale(1, 30).up_to(0).value(0) == 1


# -- in the form ----------------------------------------------------------------------------------------------------


@pytest.fixture
def form(qtbot):
    made = FormPanel(SMALL)
    qtbot.addWidget(made)
    made.resize(296, 900)
    made.show()
    return made


def fields(form):
    return {**form.instance_form.list.fields, **form.algorithm_form.fields}


def test_sliders_are_there_on_request_and_only_for_what_takes_input(form):
    sliders = {key: field.slider for key, field in fields(form).items() if field.slider is not None}
    assert not any(slider.isVisible() for slider in sliders.values())
    form.show_sliders(True)
    for key, slider in sliders.items():
        assert slider.isVisible() == fields(form)[key].input.isEnabled()
        assert slider.accessibleName().endswith(", slider")
    assert not sliders["algorithm.epsilon"].isVisible(), "the goal of this algorithm has no ε"
    form.set_draft(SMALL.with_family("sphere"))
    QApplication.processEvents()
    assert fields(form)["instance.D"].slider.isVisible(), "also where the fields are new"
    form.show_sliders(False)
    assert not fields(form)["instance.D"].slider.isVisible()


@pytest.mark.parametrize("width", [260, 296, 340])
def test_sliders_fit_the_form(form, width):
    form.resize(width, 900)
    form.show_sliders(True)
    QApplication.processEvents()
    column = form._column
    for field in fields(form).values():
        if field.slider is not None and field.slider.isVisible():
            box = field.slider.rect().translated(field.slider.mapTo(column, field.slider.rect().topLeft()))
            assert column.rect().contains(box)
            assert box.width() > 150
            above = field.input.rect().translated(field.input.mapTo(column, field.input.rect().topLeft()))
            assert box.top() >= above.bottom()


def test_field_and_slider_follow_each_other(form):
    form.show_sliders(True)
    epsilon = fields(form)["instance.epsilon"]
    assert epsilon.slider.value() == epsilon.slider.scale.place(0.3)
    drafts = []
    form.edited.connect(drafts.append)
    slide(epsilon.slider, epsilon.slider.scale.place(0.1))
    assert epsilon.text == "0.1"
    assert drafts[-1].text("instance.epsilon") == "0.1"
    epsilon.input.setFocus()
    epsilon.input.selectAll()
    QTest.keyClicks(epsilon.input, "0.5")
    assert epsilon.slider.value() == epsilon.slider.scale.place(0.5)
    there = epsilon.slider.value()
    epsilon.input.selectAll()
    QTest.keyClicks(epsilon.input, "nonsense")
    assert epsilon.slider.value() == there, "a text that is no number moves nothing"
    form.set_draft(SMALL.with_text("instance.epsilon", "0.02"))
    assert epsilon.slider.value() == epsilon.slider.scale.place(0.02)


def test_the_slider_of_d_star_ends_at_D(form):
    form.set_draft(Draft.of("sphere", instance={"D": 12, "d_star": 3}))
    d_star = fields(form)["instance.d_star"].slider
    assert d_star.scale.value(d_star.maximum()) == 12
    form.set_draft(Draft.of("sphere", instance={"D": 7, "d_star": 3}))
    assert d_star.scale.value(d_star.maximum()) == 7
    assert d_star.scale.value(d_star.value()) == 3


def test_the_wheel_scrolls_past_and_keys_move(form, qtbot):
    form.show_sliders(True)
    seed = fields(form)["run.seed"].slider
    middle = QPointF(seed.rect().center())
    none = Qt.KeyboardModifier.NoModifier
    args = (Qt.MouseButton.NoButton, none, Qt.ScrollPhase.NoScrollPhase, False)
    wheel = QWheelEvent(middle, middle, QPointF(0, 0).toPoint(), QPointF(0, 120).toPoint(), *args)
    QApplication.sendEvent(seed, wheel)
    assert not wheel.isAccepted()
    assert form.draft.seed == "1"
    form.activateWindow()
    seed.setFocus()
    qtbot.waitUntil(seed.hasFocus)
    QTest.keyClick(seed, Qt.Key.Key_Right)
    assert form.draft.seed == "2"


# -- in the window --------------------------------------------------------------------------------------------------


def test_a_drag_is_one_step_of_undo_and_the_next_drag_another(qtbot):
    with driven(qtbot) as driver:
        window = driver.window
        driver.wait(lambda: window.workbench.drafts.instance is not None)
        window.form.show_sliders(True)
        delta = fields(window.form)["algorithm.delta"].slider
        window.form._scroll.ensureWidgetVisible(delta)
        texts = [window.workbench.drafts.draft.text("algorithm.delta")]
        for direction in (1, 1):
            start = handle(delta).center()
            QTest.mousePress(delta, LEFT, pos=start)
            for step in range(1, 6):
                QTest.mouseMove(delta, start + type(start)(direction * 6 * step, 0))
            QTest.mouseRelease(delta, LEFT, pos=start + type(start)(direction * 30, 0))
            texts.append(window.workbench.drafts.draft.text("algorithm.delta"))
        assert len(set(texts)) == 3
        driver.press("Ctrl+Z")
        assert window.workbench.drafts.draft.text("algorithm.delta") == texts[1]
        assert delta.scale.value(delta.value()) == pytest.approx(float(texts[1]), rel=0.06)
        driver.press("Ctrl+Z")
        assert window.workbench.drafts.draft == SMALL
