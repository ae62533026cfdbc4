"""The forms: what they show is the draft, what is typed reaches it, and nothing is cut off at any width."""

import gc
import math
import re

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QListView, QWidget

from gems_engine.algorithms import algorithms
from gems_engine.errors import InputError
from gems_engine.files import read_instance, write_instance
from gems_engine.gallery import FAMILIES, make
from gems_engine.running import Run
from gems_engine.terminal import number
from gems_gui import theme
from gems_gui.drafts.advice import advice
from gems_gui.drafts.draft import Draft, build_instance
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.presets import PRESETS
from gems_gui.panels.assumption_list import COMPUTING, AssumptionList
from gems_gui.panels.form_panel import FormPanel
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.series.dimension_book import CostCurve
from gems_gui.widgets.form_widgets import ElidingComboBox, WrappingLabel
from tests.gui.window_driver import choose_by_keys, choose_in_list

FIVE = ("instance.D", "instance.d_star", "instance.epsilon", "algorithm.epsilon", "algorithm.delta")


@pytest.fixture
def make_panel(qtbot):
    """Panels of a given draft and size, shown."""

    def made(draft=None, width=300, height=700):
        panel = FormPanel(draft)
        qtbot.addWidget(panel)
        panel.resize(width, height)
        with qtbot.waitExposed(panel):
            panel.show()
        return panel

    return made


@pytest.fixture
def themed(qapp):
    """The program's look at a scale of its fonts."""
    return lambda scale: theme.apply(qapp, theme.theme_for("light", scale))


def fields(panel):
    return {each.key: each for each in panel.findChildren(ParameterField)}


def type_into(qtbot, field, text):
    field.input.setFocus()
    field.input.selectAll()
    qtbot.keyClick(field.input, Qt.Key.Key_Delete)
    qtbot.keyClicks(field.input, text)


# -- made from the registries -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "family",
    [each if each in ("paper-hard", "sphere") else pytest.param(each, marks=pytest.mark.long) for each in FAMILIES],
)
def test_every_family_with_every_algorithm_makes_a_form_of_its_defaults(make_panel, family):
    panel = make_panel(Draft.of(family))
    for algorithm in algorithms():
        choose_in_list(panel.algorithm_form.algorithm, algorithm)
        assert panel.draft == Draft.of(family, algorithm)
        shown = fields(panel)
        for scope, parameters in (
            ("instance", FAMILIES[family].parameters),
            ("algorithm", algorithms()[algorithm].parameters),
        ):
            for parameter in parameters:
                field = shown.pop(f"{scope}.{parameter.name}")
                assert field.input.isEnabled()
                assert field.parameter.parse(_plain(field.text)) == parameter.default
                if parameter.name != "noise":  # a list of its own
                    assert parameter.help in field.input.toolTip()
                    assert parameter.allowed in field.input.toolTip()
                assert field.input.accessibleName() == field.label.text_shown
                assert field.label.buddy() is field.input
        assert shown.pop("run.seed").text == "0"
        assert set(shown) <= set(FIVE)  # what else is there are those that do not apply
        assert not any(field.input.isEnabled() for field in shown.values())
        assert panel.run.isEnabled()


def test_fields_that_were_replaced_leave_no_python_objects(make_panel, qapp):
    """PySide keeps what `findChildren` has returned, also after Qt has deleted it."""
    panel = make_panel(Draft.of("paper-hard"))

    def lists():
        for name in ("rage", "fixed-budget", "fixed-confidence"):
            choose_in_list(panel.algorithm_form.algorithm, name)
            qapp.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        return sum(isinstance(each, QListView) for each in gc.get_objects())

    before = lists()
    assert [lists() for _ in range(3)] == [before] * 3


def _plain(text):
    return text.replace("\u202f", "").replace("−", "-")


@pytest.mark.parametrize("family", FAMILIES)
def test_what_the_form_says_runs_or_says_why_not(family):
    for algorithm in algorithms():
        draft = Draft.of(family, algorithm)
        instance = build_instance(draft.source)
        request = draft.request(instance)
        if refused := draft.refused_by_algorithm(instance):
            with pytest.raises(InputError) as refusal:
                Run(instance, algorithm, request.seed, **request.parameters)
            assert str(refusal.value) in refused.values()
        else:
            started = next(Run(instance, algorithm, request.seed, **request.parameters))
            asked = {name: value for name, value in draft.algorithm_values().items() if value is not None}
            assert started.parameters.items() >= asked.items()
            assert {name for name, value in started.parameters.items() if value is None} <= {"noise", "pulls"}


@pytest.mark.parametrize(
    ("family", "algorithm", "off"),
    [
        ("paper-hard", "misspecified", {"instance.D": "D = d⋆ + 1."}),
        (
            "sphere",
            "fixed-budget",
            {
                "instance.epsilon": "Min gap below is a lower bound on Δ_min.",
                "algorithm.epsilon": "Not used: the goal is the best arm.",
                "algorithm.delta": "GEMS (fixed budget) is given 2T instead of δ.",
            },
        ),
        (
            "soare",
            "gems-b",
            {
                "instance.d_star": "d⋆ = 1 in this family.",
                "instance.epsilon": "ω determines Δ_min = 2(1 − cos ω).",
                "algorithm.epsilon": "Not used: the goal is the best arm.",
                "algorithm.delta": "GEMS-b is given T instead of δ.",
            },
        ),
    ],
)
def test_the_five_are_always_there_and_those_that_do_not_apply_say_why(make_panel, family, algorithm, off):
    panel = make_panel(Draft.of(family, algorithm))
    shown = fields(panel)
    assert {key for key in FIVE if not shown[key].input.isEnabled()} == off.keys()
    assert {key: field.instead.text_shown for key, field in shown.items() if field.instead.isVisible()} == off
    assert not any(shown[key].input.isVisible() for key in off)


def test_what_the_family_fixes_is_shown_as_soon_as_the_instance_is_known(make_panel):
    panel = make_panel(Draft.of("paper-hard"))
    D = fields(panel)["instance.D"]
    assert D.instead.text_shown == "D = d⋆ + 1."
    instance = make("paper-hard")
    panel.show_instance(instance, instance.assumptions())
    assert D.instead.text_shown == "D = 10. D = d⋆ + 1."
    assert D.instead.height() >= D.instead.heightForWidth(D.instead.width())
    assert "D = 10" in D.label.toolTip()
    panel.set_draft(Draft.of("paper-hard", instance={"d_star": 4}))
    assert D.instead.text_shown == "D = d⋆ + 1."  # another instance, which is not built yet


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_family_says_of_d_and_epsilon_is_true(make_panel, family):
    """Every one of D, d⋆ and ε is a parameter or has a line, and the lines are true of the defaults."""
    known = {each.name for each in FAMILIES[family].parameters}
    without = {"D", "d_star", "epsilon"} - known
    assert FAMILIES[family].instead.keys() == without, (
        f"{family} has no parameters {sorted(without)}: give its Family(..., instead={{name: sentence}}) "
        "a short sentence for each, which says what plays its part"
    )
    instance, values = make(family), {each.name: each.default for each in FAMILIES[family].parameters}
    if family == "paper-hard":
        assert values["d_star"] + 1 == instance.D
    elif family == "soare":
        assert instance.d_star == 1
        assert instance.min_gap == pytest.approx(2 * (1 - math.cos(values["omega"])))
    elif family == "verifiability":
        cases = [make(family, case=case) for case in (1, 2)]
        assert [(each.d_star, each.min_gap) for each in cases] == [(1, 1.0), (instance.D, 1.0)]
    elif family == "sphere":
        assert instance.min_gap >= values["min_gap"]
    elif family == "multivariate":
        assert sum(math.comb(values["m"], size) for size in range(4)) == instance.D
    elif "seed" in values:
        assert make(family, seed=1).min_gap != instance.min_gap
    panel = make_panel(Draft.of(family))
    panel.show_instance(instance, instance.assumptions())
    if "epsilon" not in known:
        assert number(instance.min_gap, 3) in fields(panel)["instance.epsilon"].instead.text_shown


@pytest.mark.parametrize("family", ["sphere", "paper-hard", "misspecified"])
def test_the_five_are_in_sight_without_scrolling_in_a_low_window(make_panel, themed, family):
    themed(1.0)
    panel = make_panel(Draft.of(family, "misspecified"), 290, 580)
    for key in FIVE:
        field = fields(panel)[key]
        assert field.isVisible()
        assert not field.visibleRegion().isEmpty()
        assert field.visibleRegion().boundingRect() == field.rect()


# -- typing -----------------------------------------------------------------------------------------------------------


def test_typing_reaches_the_draft_with_every_key(qtbot, make_panel):
    panel = make_panel(Draft.of("soare"))
    heard = []
    panel.edited.connect(heard.append)
    type_into(qtbot, fields(panel)["algorithm.max_samples"], "10 000")
    assert [each.text("algorithm.max_samples") for each in heard] == ["", "1", "10", "10 ", "10 0", "10 00", "10 000"]
    assert panel.draft == heard[-1]
    assert panel.draft.algorithm_values()["max_samples"] == 10_000
    type_into(qtbot, fields(panel)["algorithm.delta"], "1e-3")
    assert panel.draft.algorithm_values()["delta"] == 0.001
    assert panel.run.isEnabled()


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("instance.d_star", "30", "d⋆ = 30 is not allowed: it must be at most D = 25."),
        ("instance.D", "", "D is missing: it must be a whole number from 2 to 1\N{NARROW NO-BREAK SPACE}000."),
        ("algorithm.delta", "2", "δ = 2 is not allowed: it must be a number of at least 1e-200 and below 1."),
        ("algorithm.tolerance", "x", "Tolerance = x is not allowed: it must be a number from 1e-12 to 0.5."),
        ("run.seed", "-1", "Run seed = -1 is not allowed: it must be a whole number from 0 to"),
    ],
)
def test_an_invalid_value_is_marked_in_place_with_the_reason(qtbot, make_panel, key, text, sentence):
    panel = make_panel(Draft.of("sphere"))
    field = fields(panel)[key]
    panel.algorithm_form.unfold(True)
    type_into(qtbot, field, text)
    assert field.input.property("invalid") is True
    assert field.error.text_shown.startswith(sentence)
    assert field.error.isVisible()
    assert sentence in field.input.toolTip()
    assert field.text == text
    assert not panel.run.isEnabled()
    assert sentence in panel.run.toolTip()
    assert field.label_text in panel.reason.text_shown
    marked = [each for each, other in fields(panel).items() if other.input.property("invalid")]
    assert marked == [key]
    panel.set_draft(Draft.of("sphere"))
    assert field.input.property("invalid") is False
    assert not field.error.isVisible()
    assert panel.run.isEnabled()


def test_an_edit_keeps_the_height_of_the_card_and_a_new_instance_has_its_own(qtbot, make_panel):
    panel = make_panel(Draft.of("sphere"))
    card = panel.instance_form
    tall = card.height()
    table = InstanceTable.of(make("soare"))
    panel.set_draft(Draft.of("sphere").with_table(table))
    QApplication.processEvents()
    assert card.height() == tall, "nothing below it moves"
    panel.set_draft(Draft.of("sphere"))
    QApplication.processEvents()
    panel.set_draft(Draft.of("sphere").with_new_table(table))
    qtbot.waitUntil(lambda: card.height() < tall)


def test_an_edited_number_moves_no_field(qtbot, make_panel):
    panel = make_panel(Draft.of("sphere"), width=285)
    line = fields(panel)["instance.n"].input
    found = []
    for n in (100, 60, 800, 100):
        type_into(qtbot, fields(panel)["instance.n"], str(n))
        instance = make("sphere", n=n)
        panel.show_instance(instance, instance.assumptions())
        QApplication.processEvents()
        places = [each.input.mapTo(panel, QPoint()).toTuple() for each in fields(panel).values()]
        found.append((fields(panel)["instance.epsilon"].instead.text_shown, places))
    assert line is fields(panel)["instance.n"].input
    assert len({words for words, _ in found}) == 3, "the smallest gap has more or fewer digits"
    assert all(places == found[0][1] for _, places in found)


def test_a_double_click_selects_the_whole_number(qtbot, make_panel):
    panel = make_panel(Draft.of("paper-hard"))
    line = fields(panel)["algorithm.delta"].input
    left = Qt.MouseButton.LeftButton
    for text in ("0.05", "1e-4", "1e−4", "10 000 000", number(10**7), "0,5"):
        line.setText(text)
        for place in (3, line.fontMetrics().horizontalAdvance(text)):
            line.deselect()
            at = QPoint(place, line.height() // 2)
            qtbot.mouseClick(line, left, pos=at)
            qtbot.mouseDClick(line, left, pos=at)
            assert line.selectedText() == text
    qtbot.keyClicks(line, "0.1")
    assert panel.draft.text("algorithm.delta") == "0.1"


def test_an_invalid_value_that_is_folded_away_unfolds(make_panel):
    panel = make_panel(Draft.of("soare"))
    zeta = fields(panel)["algorithm.zeta"]
    assert not zeta.isVisible()
    panel.set_draft(panel.draft.with_text("algorithm.zeta", "3"))
    assert zeta.isVisible()
    assert zeta.error.text_shown.startswith("ζ = 3 is not allowed")
    assert panel.algorithm_form.more.text() == "More (1 changed)"


def test_what_only_the_building_or_the_algorithm_refuses_is_shown_at_its_field(make_panel):
    panel = make_panel(Draft.of("multivariate", instance={"d_star": 90}))
    panel.show_instance(None, "multivariate: d_star = 90 is not allowed: 4 factors have 15 features up to triples.")
    assert fields(panel)["instance.d_star"].error.text_shown.startswith("d⋆ = 90 is not allowed: 4 factors")
    assert not panel.run.isEnabled()
    panel.set_draft(Draft.of("transductive", "fixed-budget"))
    assert panel.run.isEnabled()
    instance = make("transductive")
    panel.show_instance(instance, instance.assumptions())
    assert "every target must be an arm" in panel.algorithm_form.error.text_shown
    assert not panel.run.isEnabled()


def test_a_switch_is_switched_by_its_words_too(qtbot, make_panel):
    panel = make_panel(Draft.of("paper-hard"))
    field = fields(panel)["instance.extra_arm"]
    assert isinstance(field.input, QCheckBox)
    qtbot.mouseClick(field.label, Qt.MouseButton.LeftButton)
    assert panel.draft.family_values()["extra_arm"] is True
    qtbot.mouseClick(field.input, Qt.MouseButton.LeftButton, pos=field.input.rect().center())
    assert panel.draft.family_values()["extra_arm"] is False


def test_the_noise_is_a_list_that_says_what_the_instance_has(qtbot, make_panel):
    panel = make_panel(Draft.of("soare"))
    qtbot.mouseClick(panel.algorithm_form.more, Qt.MouseButton.LeftButton)
    field = fields(panel)["algorithm.noise"]
    assert field.input.currentText() == "As the instance says"
    instance = make("soare")
    panel.show_instance(instance)
    assert field.input.shown_text() == "N(0, 1), as the instance says"
    QApplication.processEvents()
    widths = {key: each.input.width() for key, each in fields(panel).items()}
    panel.show_instance(instance.with_noise("gaussian:0.5"))
    assert field.input.currentText() == "N(0, 0.25), as the instance says"
    assert not field.sigma.isVisible()
    for kind, words in (
        ("gaussian:0.5", "N(0, σ²), σ ="),
        ("bernoulli", "Bernoulli: 0 or 1"),
        ("rademacher", "Rademacher: ±1"),
        ("deterministic", "No noise"),
    ):
        field.input.setFocus()
        choose_by_keys(field.input, Qt.Key.Key_Down)
        assert (panel.draft.text(field.key), field.input.currentText()) == (kind, words)
        assert field.sigma.isVisible() == kind.startswith("gaussian")
        QApplication.processEvents()
        moved = {key for key, each in fields(panel).items() if each.input.width() != widths[key]}
        assert moved == ({field.key} if field.sigma.isVisible() else set()), "no other field moves"
    choose_by_keys(field.input, Qt.Key.Key_Home)
    assert panel.draft.text(field.key) == ""
    choose_by_keys(field.input, Qt.Key.Key_Down)
    field.sigma.setFocus()
    field.sigma.selectAll()
    qtbot.keyClicks(field.sigma, "2.5")
    assert panel.draft.text(field.key) == "gaussian:2.5"
    assert build_instance(panel.draft.source).with_noise(panel.draft.text(field.key)).noise.sigma == 2.5
    field.sigma.selectAll()
    qtbot.keyClicks(field.sigma, "0,5")
    assert panel.draft.text(field.key) == "gaussian:0.5"
    assert field.sigma.text() == "0,5"
    field.sigma.selectAll()
    qtbot.keyClick(field.sigma, Qt.Key.Key_Delete)
    assert "it must be a number above 0, such as 0.5" in field.error.text_shown
    assert field.sigma.property("invalid")
    panel.go_to_field(field.key)
    assert field.to_correct is field.sigma
    assert not panel.run.isEnabled()
    panel.set_draft(panel.draft.with_text(field.key, "pink"))
    assert field.input.shown_text() == "pink", "a text that is no noise is kept and marked"
    assert 'Unknown noise "pink"' in field.error.text_shown
    panel.set_draft(panel.draft.with_text(field.key, "gaussian:0.5"))
    assert (field.input.currentText(), field.sigma.text()) == ("N(0, σ²), σ =", "0.5")
    assert not field.error.text_shown


def test_a_choice_reaches_the_draft(make_panel):
    panel = make_panel(Draft.of("sphere"))
    choose_in_list(fields(panel)["instance.theta"].input, "flat")
    assert panel.draft.family_values()["theta"] == "flat"


@pytest.mark.parametrize("key", ["instance.seed", "run.seed"])
def test_the_dice_draws_another_seed(qtbot, make_panel, key):
    panel = make_panel(Draft.of("sphere"))
    seeds = {panel.draft.text(key)}
    for _ in range(3):
        before = panel.draft.text(key)
        qtbot.mouseClick(fields(panel)[key].dice, Qt.MouseButton.LeftButton)
        assert panel.draft.text(key) != before
        seeds.add(panel.draft.text(key))
    assert len(seeds) >= 3
    assert panel.draft.errors() == {}
    assert [field.key for field in fields(panel).values() if field.dice] == ["instance.seed", "run.seed"]


# -- choosing ---------------------------------------------------------------------------------------------------------


def test_another_family_keeps_what_both_have(qtbot, make_panel):
    panel = make_panel(Draft.of("sphere"))
    type_into(qtbot, fields(panel)["instance.D"], "40")
    choose_in_list(panel.instance_form.family, "gaussian")
    assert fields(panel)["instance.D"].text == "40"
    assert "instance.min_gap" not in fields(panel)
    assert panel.instance_form.family.toolTip() == FAMILIES["gaussian"].summary
    choose_in_list(panel.algorithm_form.algorithm, "rage")
    type_into(qtbot, fields(panel)["algorithm.delta"], "0.2")
    choose_in_list(panel.algorithm_form.algorithm, "gems-c")
    assert fields(panel)["algorithm.delta"].text == "0.2"


def test_algorithms_have_their_titles_and_the_id_is_in_the_tooltip(make_panel):
    panel = make_panel(Draft.of("sphere", "gems"))
    box = panel.algorithm_form.algorithm
    assert box.currentText() == "GEMS (fixed confidence)"
    assert box.currentData() == panel.draft.algorithm == "fixed-confidence"
    assert "Id: fixed-confidence" in box.toolTip()
    texts = [box.itemText(at) for at in range(box.count())]
    assert texts == [each.title for each in algorithms().values()]
    choose_in_list(box, "rage-oracle")
    assert box.currentText() == "RAGE, told d⋆"


def test_a_preset_fills_the_form_and_is_named_until_something_changes(qtbot, make_panel):
    panel = make_panel(Draft.of("gaussian"))
    edits = []
    panel.chosen.connect(edits.append)
    assert panel.presets.currentText() == "Presets…"
    choose_in_list(panel.presets, "budget")
    assert edits == [PRESETS["budget"].draft] == [panel.draft]
    assert panel.presets.currentText() == PRESETS["budget"].title
    type_into(qtbot, fields(panel)["run.seed"], "8")
    assert panel.presets.currentText() == "Presets…"


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS.keys())
def test_a_draft_goes_in_and_comes_out_without_an_echo(make_panel, preset):
    panel = make_panel(Draft.of("soare", "gems-m"))
    heard = []
    panel.edited.connect(heard.append)
    panel.set_draft(preset.draft)
    assert panel.draft == preset.draft
    for key, field in fields(panel).items():
        if field.input.isEnabled():
            assert field.text == preset.draft.text(key)
    assert heard == []


def test_an_opened_file_shows_its_name_and_its_dimensions(make_panel, tmp_path):
    path = tmp_path / "mine.json"
    write_instance(path, make("soare", D=6))
    instance = read_instance(path)
    panel = make_panel(Draft.of("sphere"))
    panel.set_draft(panel.draft.with_instance(instance, str(path)))
    panel.show_instance(instance, instance.assumptions())
    assert panel.instance_form.family.currentText() == "File: mine.json"
    shown = fields(panel)
    assert [key for key in shown if key.startswith("instance.")] == list(FIVE[:3])
    assert shown["instance.D"].text == "6"
    assert shown["instance.d_star"].instead.text_shown == "d⋆ = 1. Determined by the rewards of the file."
    assert shown["instance.D"].input.isEnabled(), "another D is asked about"
    assert not shown["instance.d_star"].input.isEnabled()
    choose_in_list(panel.instance_form.family, "gaussian")
    assert panel.draft.family.name == "gaussian"
    assert panel.instance_form.family.findText("File: mine.json") == -1


# -- keyboard ---------------------------------------------------------------------------------------------------------


def test_enter_in_a_field_runs_unless_something_is_invalid(qtbot, make_panel):
    panel = make_panel(Draft.of("soare"))
    asked = []
    panel.run_requested.connect(lambda: asked.append(panel.draft))
    delta = fields(panel)["algorithm.delta"]
    qtbot.keyClick(delta.input, Qt.Key.Key_Return)
    qtbot.keyClick(panel.instance_form.family, Qt.Key.Key_Return)
    qtbot.keyClick(fields(panel)["algorithm.stop_when_verifiable"].input, Qt.Key.Key_Enter)
    qtbot.mouseClick(panel.run, Qt.MouseButton.LeftButton)
    assert len(asked) == 4
    type_into(qtbot, delta, "7")
    qtbot.keyClick(delta.input, Qt.Key.Key_Return)
    assert len(asked) == 4


@pytest.mark.parametrize("family", ["sphere", "paper-hard"])
def test_tab_goes_from_top_to_bottom_through_everything(make_panel, family):
    panel = make_panel(Draft.of("gaussian"), height=1400)
    choose_in_list(panel.instance_form.family, family)  # fields that are new come at the end of Qt's own order
    choose_in_list(panel.algorithm_form.algorithm, "misspecified")
    panel.algorithm_form.unfold(True)
    QApplication.processEvents()
    panel.presets.setFocus()
    seen = [panel.presets]
    while (panel.focusNextChild(), QApplication.focusWidget() not in seen)[1]:
        seen.append(QApplication.focusWidget())
    assert seen[-1] is panel.run
    expected = {each.input for each in panel.findChildren(ParameterField) if each.input.isEnabled()}
    assert expected <= set(seen)
    heights = [each.mapTo(panel, each.rect().center()).y() for each in seen]
    assert heights == sorted(heights)


def test_every_input_has_a_name_for_those_who_cannot_see_it(make_panel):
    panel = make_panel(Draft.of("sphere", "misspecified"))
    focusable = [each for each in panel.findChildren(QWidget) if each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    named = [each for each in focusable if isinstance(each, QLineEdit | QCheckBox | ElidingComboBox)]
    assert len(named) > 12
    assert all(each.accessibleName() for each in named)
    assert len({each.accessibleName() for each in named}) == len(named)


# -- room -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [260, 340])
@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize(
    ("family", "algorithm"),
    [
        ("paper-hard", "misspecified-best-arm"),
        ("sphere", "misspecified-best-arm"),
        ("misspecified", "misspecified-best-arm"),
        ("soare", "gems-b"),
    ],
)
def test_no_text_is_cut_off(qtbot, make_panel, themed, width, scale, family, algorithm):
    themed(scale)
    draft = Draft.of(family, algorithm)
    if algorithm == "gems-b":
        draft = draft.with_text("algorithm.budget", "12000").with_text("algorithm.selection_budget", "47.25")
    else:
        draft = draft.with_text("algorithm.delta", "1" * 60)
    panel = make_panel(draft, width, 600)
    panel.algorithm_form.unfold(True)
    instance = build_instance(draft.source)
    panel.show_instance(instance, instance.assumptions())
    curve = CostCurve(np.arange(1.0, instance.D + 1), np.arange(1.0, instance.D + 1))
    panel.show_advice(advice(draft, instance, curve, truth=True))
    # Wrapped text may take Qt several passes of the event loop to lay out.
    qtbot.waitUntil(lambda: assert_all_fits(panel, width))
    for combo in panel.findChildren(ElidingComboBox):
        if combo.isVisible():
            full = combo.fontMetrics().horizontalAdvance(combo.currentText())
            assert combo.shown_text() == combo.currentText() or full > combo.width() - 60
            assert len(combo.shown_text()) >= 4
    for field in panel.findChildren(ParameterField):
        if isinstance(field.input, QLineEdit) and field.isVisible() and field.key != "algorithm.delta":
            assert field.input.fontMetrics().horizontalAdvance(field.text) <= field.input.width() - 14


def test_larger_letters_find_room_while_the_form_is_shown(qtbot, make_panel, themed):
    themed(1.0)
    panel = make_panel(Draft.of("sphere"), 300, 600)
    small = fields(panel)["instance.D"].input.height()
    themed(1.5)
    qtbot.waitUntil(lambda: assert_all_fits(panel, 300))
    assert fields(panel)["instance.D"].input.height() > small


def assert_all_fits(panel, width):
    column = panel._column
    assert panel.width() == width
    assert column.width() <= panel._scroll.viewport().width()
    for label in panel.findChildren(QLabel):
        if label.isVisible():
            assert_fits(label, column if column.isAncestorOf(label) else panel)
    for field in panel.findChildren(ParameterField):
        if field.isVisible():
            assert field.input.height() >= field.input.sizeHint().height(), field.key


def assert_fits(label, inside):
    where = label.text()
    if isinstance(label, WrappingLabel):
        assert label.height() >= label.heightForWidth(label.width()), where
        words = re.split("[ \u200b]", label.text())  # where it may break
        assert label.width() >= max(map(label.fontMetrics().horizontalAdvance, words)), where
    else:
        assert label.width() >= label.fontMetrics().horizontalAdvance(label.text()), where
    corner = label.mapTo(inside, label.rect().bottomRight())
    assert corner.x() <= inside.width(), where


def test_long_texts_in_a_list_end_with_dots_and_the_opened_list_shows_them(qtbot, themed):
    themed(1.0)
    combo = ElidingComboBox("Names")
    qtbot.addWidget(combo)
    combo.fill([("misspecified-best-arm", "a", "One."), ("b", "b", "Two.")])
    combo.resize(90, 28)
    with qtbot.waitExposed(combo):
        combo.show()
    short = combo.shown_text()
    assert short.endswith("…")
    painted = combo.grab().toImage()
    combo.setItemText(0, short)
    assert combo.grab().toImage() == painted  # it is painted as short as that
    combo.setItemText(0, "misspecified-best-arm")
    combo.showPopup()
    assert combo.view().width() >= combo.fontMetrics().horizontalAdvance("misspecified-best-arm")
    combo.hidePopup()
    combo.resize(300, 28)
    assert combo.shown_text() == "misspecified-best-arm"


# -- assumptions ------------------------------------------------------------------------------------------------------


def test_assumptions_have_a_mark_and_a_sentence_each_and_say_what_breaks(qtbot):
    shown = AssumptionList()
    qtbot.addWidget(shown)
    texts = lambda: [each.text() for each in shown.findChildren(QLabel) if not each.isHidden()]  # noqa: E731
    assert texts() == [COMPUTING]
    found = make("paper-hard").assumptions()
    shown.show_assumptions(found)
    assert [each for each in texts() if each in "✓✗"] == ["✓", "✓", "✗", "✓", "✓", "✓"]
    said = [each.text_shown for each in shown.findChildren(WrappingLabel)]
    assert "The arms span R¹⁰." in said
    assert "1 of 6 does not hold." in said
    assert found[2].consequence in said
    assert found[0].consequence not in said
    shown.show_assumptions("The instance was refused.")
    assert texts() == ["The instance was refused."]
    shown.show_assumptions(None)
    assert texts() == [COMPUTING]
