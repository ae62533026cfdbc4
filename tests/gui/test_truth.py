"""Hiding the truth: what is seen of two instances that differ in nothing but the truth is the same to the last pixel.

That says more than a search for words: whatever follows from d⋆, θ⋆, the best arm or the gaps, in a text, a colour, an
order or a place, would make a difference.
"""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QWidget

from gems_engine.complexity.theory_query import KNOWN, query_of
from gems_engine.events import Eliminated, Estimated
from gems_engine.explanation import explain
from gems_engine.recipe import Recipe
from gems_engine.terminal import superscript
from gems_engine.trace import Trace
from gems_engine.verdict import promise_of, verdict_of
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import Draft
from gems_gui.help.how_to_read import page
from gems_gui.painting.render import paint
from gems_gui.painting.rows import BOARD
from gems_gui.series.chosen_dimension import dimension_series
from gems_gui.series.compare_table import result_series
from gems_gui.series.dimension_book import _shelf, book_of
from gems_gui.series.dimension_cost import cost_series
from gems_gui.series.race import LINEAR, lane_series
from gems_gui.series.sample_shares import share_series
from gems_gui.series.side_by_side import CURSOR
from gems_gui.series.subroutine_grid import grid_series
from gems_gui.settings_store import settings_file
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.truth import ORACLE, TOLD
from gems_gui.views import EVERY_VIEW
from gems_gui.views.legend import Legend
from gems_gui.views.plot import Plot
from gems_gui.widgets.fitting_label import FittingLabel
from gems_gui.workbench.changes import Field
from tests.gui.sample_runs import run
from tests.gui.test_gaps import run_of
from tests.gui.text_boxes import card_of, settle, text_boxes
from tests.gui.window_driver import driven

RUNS = ("paper-hard", "transductive")
SEEN = {
    "survivors",
    "dimension",
    "weights",
    "counts",
    "cost",
    "gaps",
    "recommendation",
    "shares",
    "geometry",
    "dimensions",
    "budgets",
    "race",
    "compare-table",
}
"""Views that show something of the truth where they may."""


@cache
def with_another_truth(name):
    """The same events, on an instance whose arms are the same and whose rewards are others."""
    trace = run(name)
    old = trace.instance
    theta = np.linspace(-0.3, 0.4, old.D)
    truth = {
        "theta": theta,
        "rewards": old.arms @ theta,
        "target_rewards": old.targets @ theta,
        "name": f"{old.recipe.family}:d_star={old.D}",
        "recipe": Recipe.of(old.recipe.family, {"d_star": old.D}),
    }
    made = replace(old, **truth)
    assert (made.best, made.d_star) != (old.best, old.d_star)
    other = Trace(made)
    other.extend(replace(event, instance=made.digest) if at == 0 else event for at, event in enumerate(trace))
    return other


def cursor_in(trace):
    """A place where every view has something to show: behind the last round but two that has eliminated arms."""
    return int(trace.positions(Eliminated)[-3]) + 1


@cache
def snapshot_at(trace, cursor):
    """A snapshot of a run, the same for all views."""
    return Snapshot.of(trace, cursor)


def choices():
    """Every view as it is, and with every option that it has."""
    for view in EVERY_VIEW.values():
        yield view.name, {}
        for option in view.options:
            for value in option.choices:
                if value != option.default:
                    yield view.name, {option.name: value}


def seen(name, options, trace, cursor, truth):
    """Everything that a view shows: pixels, texts, and what the mouse finds."""
    # A list reads a little at a time unless it is for a picture: both times the same must have been read.
    view = EVERY_VIEW[name](Appearance(LIGHT), exporting=not EVERY_VIEW[name].is_plot)
    card = card_of(view, LIGHT)
    try:
        for option, value in options.items():
            view.set_option(option, value)
        view.show(replace(snapshot_at(trace, cursor), truth=truth))
        image = settle(card, 640, 420)
        texts = [each.text for each in text_boxes(card)]
        plots = [] if options else card.findChildren(Plot)
        found = [plot.point_at(QPointF(x, y)) for plot in plots for x in range(9, 640, 37) for y in range(5, 420, 17)]
        return bytes(image.constBits()), texts, found
    finally:
        card.close()
        card.deleteLater()


@pytest.fixture(autouse=True)
def empty_books():
    """No dimension's costs are known for one of two instances alone, whatever other tests have computed."""
    book_of.cache_clear()
    _shelf.cache_clear()


@pytest.mark.parametrize(
    ("name", "options"), [pytest.param(*each, marks=[pytest.mark.long] if each[1] else []) for each in choices()]
)
def test_a_view_looks_the_same_whatever_the_hidden_truth_is(qapp, name, options):
    for run_name in RUNS[:1] if options else RUNS:
        trace, other = run(run_name), with_another_truth(run_name)
        (image, texts, found), (image_2, texts_2, found_2) = (
            seen(name, options, each, cursor_in(each), truth=False) for each in (trace, other)
        )
        assert texts == texts_2
        assert found == found_2
        assert image == image_2
        said = [text for text in (*texts, *found) if text != EVERY_VIEW.titles[name]]
        assert not [text for text in said if "d⋆" in text or "true best" in text or "τ" in text]


@pytest.mark.parametrize("name", sorted(SEEN))
def test_the_same_views_do_show_the_truth_where_they_may(qapp, name):
    """Without this the test above could not fail."""
    trace, other = run("paper-hard"), with_another_truth("paper-hard")
    first, second = (seen(name, {}, each, cursor_in(each), truth=True) for each in (trace, other))
    assert first != second


def test_pictures_and_their_captions_hide_it_too(qapp):
    trace, other = run("paper-hard"), with_another_truth("paper-hard")
    for truth in (False, True):
        pictures = [paint(replace(Snapshot.of(each), truth=truth), BOARD, (900, 700), LIGHT) for each in (trace, other)]
        assert (pictures[0] == pictures[1]) is not truth


# -- oracles, whose dimension is the truth itself ---------------------------------------------------------------------

NAMING = ("cost", "dimension", "race", "compare-table", "geometry", "weights", "why")
"""Views that name the dimension of the shown run."""


@pytest.mark.parametrize("algorithm", ["rage-oracle", "static-oracle"])
def test_an_oracles_dimension_is_named_by_no_view_while_the_truth_is_hidden(qapp, algorithm):
    trace = run_of(algorithm, "paper-hard")
    d, cursor = trace.instance.d_star, int(trace.positions(Estimated)[-1]) + 1
    said = re.compile(
        rf"R\^{d}\b|R{superscript(d)}|<sup>{d}</sup> is|d(_k|<sub>k</sub>)? = {d}\b|\b(told|dimension) d?⋆? ?= ?{d}\b"
    )
    named = set()
    for truth in (False, True):
        for name in NAMING:
            _, texts, found = seen(name, {}, trace, cursor, truth)
            if any(said.search(text) for text in (*texts, *found)):
                named.add((name, truth))
    assert not [name for name, truth in named if not truth]
    assert {name for name, truth in named if truth} >= {"race", "geometry", "weights"}
    snapshot = replace(Snapshot.of(trace, cursor), truth=False)
    assert {row[4] for row in lane_series(snapshot, LINEAR, CURSOR).table(snapshot).rows} == {None}
    assert result_series(snapshot, CURSOR).rows[0].cells[5] == "–"
    shares = share_series(snapshot, "dimension").table(snapshot)
    assert {row[0] for row in shares.rows} == {"hidden dimension"}
    assert not grid_series(snapshot, "dimension").d.any()
    assert (cost_series(snapshot).placeholder, dimension_series(snapshot, "run").placeholder) == (TOLD, TOLD)
    told = [str(explain(trace, at, truth=False)) for at in range(1, len(trace) + 1)]
    assert not [words for words in told if re.search(rf"R{superscript(d)}(?![⁰-⁹])|dₖ = {d}\b", words)]
    assert any("this oracle is told the dimension, which is hidden" in words for words in told)


def test_beside_an_oracle_the_window_says_that_its_numbers_tell_and_no_found_seed_stays(qtbot):
    with driven(qtbot) as driver:
        work = driver.workbench
        work.open(run_of("rage-oracle", "paper-hard"), "/somewhere/oracle.gems")
        dock = driver.window.replicates.dock
        dock.put_seed(9)
        driver.press("T")
        assert driver.said() == ORACLE
        assert dock.seed.text() == ""
        driver.press("T")
        assert driver.workbench.messages.current == []
        driver.press("T")
        assert driver.said() == ORACLE
        work.open(run("paper-hard"), "/somewhere/run.gems")
        assert driver.workbench.messages.current != [ORACLE]


# -- the whole window -----------------------------------------------------------------------------------------------


def texts_of(window, truth):
    """Every text of a window but those of its views: of widgets, their tooltips and descriptions, menus and lists."""
    found = [window.windowTitle()]
    hidden = [view for view in window.board.views.values() if not view.body.isVisible()]
    assert not [view.name for view in hidden if view.snapshot is not None and view.snapshot.truth > truth]
    # What a view itself shows is compared above, pixel by pixel at one size; here it depends on how docks came to share
    # the room, and so on the snapshot at which each was made.
    parts = [part for view in window.board.views.values() for part in (view.head, view.body)]
    of_views = {each for part in parts for each in (part, *part.findChildren(QWidget))}
    for widget in (window, *(each for each in window.findChildren(QWidget) if each not in of_views)):
        found += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.whatsThis()]
        if isinstance(widget, QLabel | QAbstractButton):
            found.append(widget.text())
        elif isinstance(widget, QLineEdit):
            found += [widget.text(), widget.placeholderText()]
        elif isinstance(widget, QComboBox):
            found += [widget.currentText(), widget.placeholderText()]
            found += [str(widget.itemData(at, Qt.ItemDataRole.ToolTipRole)) for at in range(widget.count())]
        elif isinstance(widget, FittingLabel):
            found += [widget.text]
        elif isinstance(widget, Legend):
            found += [words for words, _ in widget.boxes()]
    for action in window.findChildren(QAction):
        found += [action.text(), action.toolTip(), action.statusTip()]
    runs = window.run_list.runs_dock
    for row in range(runs.model.rowCount()):
        roles = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
        found += [str(runs.model.index(row).data(role)) for role in roles]
    found += [entry.sentence for entry in window.run_list.log_dock.entries]
    return found


def window_texts(qtbot, draft, trace, truth):
    """The texts of a window that has a form and shows the end of a run, as at the first start."""
    settings_file().unlink(missing_ok=True)
    with driven(qtbot, draft) as driver:
        window = driver.window
        for dock in window.board.docks.values():
            dock.make()
        driver.do("show_log")
        driver.do("list_runs")
        driver.wait(lambda: window.workbench.drafts.assumptions is not None)
        window.workbench.open(trace, "/somewhere/run.gems")
        window.centralWidget().setFocus()
        driver.press("End")
        driver.wait(lambda: driver.run.facts.complete and driver.run.problems.complete)
        for _ in range(2 if truth else 1):
            driver.press("T")
        driver.wait(lambda: driver.board.settled)
        for _ in range(3):  # layouts wait for the next pass, and axes give their labels room while they are painted
            QApplication.sendPostedEvents()
            window.grab()
        return set(texts_of(window, truth))


def test_no_text_of_the_window_depends_on_the_hidden_truth(qtbot):
    drafts = [Draft.of("verifiability", instance={"case": case}) for case in (1, 2)]  # the same arms
    traces = [run("paper-hard"), with_another_truth("paper-hard")]
    hidden = [window_texts(qtbot, *each, truth=False) for each in zip(drafts, traces, strict=True)]
    assert hidden[0] ^ hidden[1] == set()
    secrets = ("✓ right", "✗ wrong", "τ = ", "✓ Right", "✗ Wrong", "(τ)", "from sample", "theory:")
    judged = [text for text in hidden[0] if any(secret in text for secret in secrets)]
    assert judged == []
    KNOWN.find(query_of(traces[0].started, traces[0].instance))
    shown = window_texts(qtbot, drafts[0], traces[0], truth=True)
    said = verdict_of(traces[0]).sentence(promise=promise_of(traces[0]))
    assert "✓ Right: x_9, from sample " in said
    assert sum(said in text for text in shown) >= 2, "in the list of runs and its tooltip"
    assert any(text.startswith("✓ Right: x_9, from sample ") for text in shown), "in the strip"


def test_one_key_takes_the_truth_away_and_brings_it_back(qtbot):
    with driven(qtbot) as driver:
        driver.finished()
        driver.press("End")
        driver.shown()
        workbench, acts = driver.workbench, driver.actions
        before = driver.views["dimension"].legend.text(), driver.views["survivors"].head.subtitle.text()
        heard = []
        workbench.subscribe(lambda change: heard.append(workbench.truth), Field.TRUTH)
        assert acts["toggle_truth"].isChecked()
        driver.press("Shift+T")
        assert acts["toggle_truth"].isChecked(), "only T is its key"
        driver.press("T")
        assert not acts["toggle_truth"].isChecked()
        driver.shown()
        assert not driver.views["survivors"].snapshot.truth
        assert "true reward" not in driver.views["survivors"].head.subtitle.text()
        driver.press("T")
        driver.shown()
        assert (driver.views["dimension"].legend.text(), driver.views["survivors"].head.subtitle.text()) == before
        assert heard == [False, True]


def test_the_form_says_hidden_takes_nothing_and_keeps_what_was_there(qtbot):
    with driven(qtbot) as driver:
        form, controller = driver.form, driver.drafts
        driver.wait(lambda: controller.assumptions is not None)
        driver.press("T")
        field = form.instance_form.list.fields["instance.d_star"]
        assert (field.text, field.input.placeholderText(), field.input.isEnabled()) == ("", "hidden", False)
        assert "Press T to show it" in field.input.toolTip()
        fixed = form.instance_form.list.fields["instance.D"]
        assert "D = 5. Fixed by the family." in fixed.instead.text_shown, "how d⋆ follows from D is not said"
        assert "d⋆" not in fixed.instead.toolTip()
        said = [label.text() for label in form.assumptions.findChildren(QLabel)]
        assert any("unique is hidden" in text for text in said)
        assert not any("x_4" in text for text in said)
        draft = controller.draft
        driver.start()
        assert controller.draft == draft
        assert driver.run.request.instance.d_star == 4
        driver.press("T")
        field = form.instance_form.list.fields["instance.d_star"]
        assert (field.text, field.input.isEnabled()) == ("4", True)
        assert any("x_4" in label.text() for label in form.assumptions.findChildren(QLabel))


def test_a_refusal_does_not_say_what_is_hidden(qtbot):
    draft = Draft.of("sphere", instance={"d_star": 7}).with_text("instance.D", "5")
    with driven(qtbot, draft) as driver:
        driver.press("T")
        driver.press("Ctrl+R")
        form = driver.form
        said = [driver.said(), form.run.toolTip(), *(label.text() for label in form.findChildren(QLabel))]
        assert not any("7" in text for text in said if "fit" in text or "d⋆ =" in text)
        assert "press T to show it" in driver.said()
        driver.press("T")
        driver.press("Ctrl+R")
        assert "7" in driver.said()


def test_the_page_on_how_to_read_says_when_the_truth_is_hidden():
    assert "</span> the true best" in page(LIGHT)
    assert "</span> the true best" not in page(LIGHT, truth=False)
    assert "Press T to show it" in page(LIGHT, truth=False)
