"""The views that are a text: why a step happened, and the story of an arm."""

import re
import unicodedata
from dataclasses import replace

import pytest
from PySide6.QtGui import QTextCharFormat, QTextCursor

from gems_engine.explanation import as_text, explain, story_of_arm
from gems_engine.terminal import number
from gems_gui.appearance import Appearance
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.arm_story import ArmStory
from gems_gui.views.why import Why
from tests.engine.synthetic_runs import synthetic_trace
from tests.gui.sample_runs import cursor_after, run, snapshot_of
from tests.gui.text_boxes import card_of, settle


@pytest.fixture
def why(qtbot):
    """The view in its card, 500×400."""
    return shown(qtbot, Why(Appearance(LIGHT)))


@pytest.fixture
def tale(qtbot):
    """The story in its card, 500×400."""
    return shown(qtbot, ArmStory(Appearance(LIGHT)))


def shown(qtbot, view):
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 500, 400)
    view.card = card  # kept as long as the view
    return view


def words_of(view):
    """The page as plain text, one line per paragraph."""
    return [line.strip() for line in view.page.toPlainText().splitlines() if line.strip()]


def plain_lines(told):
    """What a terminal would print, without the title; scripts are written as the page shows them."""
    lines = [line.strip() for line in as_text(told).splitlines()[1:] if line.strip()]
    return [line.replace("_{", "").replace("^{", "").replace("}", "").replace("{", "") for line in lines]


def bare(line):
    """A line with indices as ordinary letters: rich text and plain text write them differently."""
    return re.sub(r"[_^{}]", "", unicodedata.normalize("NFKC", line))


@pytest.mark.parametrize("kind", ["design solved", "allocated", "eliminated", "recommended", "run finished"])
def test_the_page_says_what_the_engine_explains(why, kind):
    snapshot = snapshot_of("paper-hard", cursor_after("paper-hard", kind, -1))
    why.show(snapshot)
    told = explain(snapshot.trace, snapshot.cursor, truth=True)
    assert [bare(line) for line in words_of(why)] == [bare(line) for line in plain_lines(told)]
    assert why.head.subtitle.text() == told.title


def test_numbers_of_the_step_are_on_the_page(why):
    cursor = cursor_after("paper-hard", "allocated", 3)
    why.show(snapshot_of("paper-hard", cursor))
    drawn = int(run("paper-hard")[cursor - 1].counts.sum())
    assert f"Why Nk = {number(drawn)}" in words_of(why)


def test_scripts_and_colours_are_typeset(why):
    why.show(snapshot_of("paper-hard", cursor_after("paper-hard", "design solved", 4)))
    place = why.page.document().find("Why dk")
    letter = QTextCursor(why.page.document())
    letter.setPosition(place.selectionEnd())
    assert letter.charFormat().verticalAlignment() == QTextCharFormat.VerticalAlignment.AlignSubScript
    for theme in (LIGHT, DARK):
        why.appearance.set_theme(theme)
        chosen = why.page.document().find("d = ")
        assert chosen.charFormat().foreground().color().name().upper() == theme.chosen


def test_the_truth_is_hidden(why):
    cursor = cursor_after("paper-hard", "design solved", 2)
    why.show(snapshot_of("paper-hard", cursor))
    assert any("d⋆ = 9" in line for line in words_of(why))
    why.show(snapshot_of("paper-hard", cursor, truth=False))
    assert not any("d⋆" in line for line in words_of(why))


def test_a_picked_arm_is_told_first(why):
    trace = run("paper-hard")
    cursor = cursor_after("paper-hard", "eliminated", -1)
    for target in trace.state_at(cursor).survivors.tolist():
        why.show(Snapshot.of(trace, cursor, Selection.of_target(trace.instance, target)))
        remains = [line for line in words_of(why) if " remains: " in line]
        assert remains[0].startswith(trace.instance.target_label(target))


def test_a_step_within_a_round_does_not_compute_twice_nor_say_something_else(why):
    trace = run("sphere")
    start = int(trace.round_starts[-4])
    for cursor in range(start, min(start + 12, len(trace)) + 1):
        why.show(Snapshot.of(trace, cursor))
        told = explain(trace, cursor, truth=True)
        assert [bare(line) for line in words_of(why)] == [bare(line) for line in plain_lines(told)]
    other = run("paper-hard")  # what was said about another run is forgotten
    why.show(Snapshot.of(other, cursor_after("paper-hard", "eliminated", 0)))
    assert any("x_" in line for line in words_of(why))


def test_the_same_text_is_not_set_again(why, qtbot):
    snapshot = snapshot_of("paper-hard", cursor_after("paper-hard", "eliminated", -1))
    why.show(snapshot)
    bar = why.page.verticalScrollBar()
    assert bar.maximum() > 40
    bar.setValue(30)
    changes = []
    why.page.textChanged.connect(lambda: changes.append(1))
    why.show(replace(snapshot))
    assert (changes, bar.value()) == ([], 30)
    hint, minimum = why.card.sizeHint(), why.card.minimumSizeHint()
    why.show(snapshot_of("paper-hard", 3))
    assert changes
    assert bar.value() == 0  # another step begins at its top
    assert (why.card.sizeHint(), why.card.minimumSizeHint()) == (hint, minimum)  # and asks for no other room


def test_nothing_is_shown_without_a_run(why, tale):
    for view in (why, tale):
        view.show(snapshot_of("paper-hard", 9))
        view.show(None)
        assert view.page.toPlainText() == ""
        assert view.head.subtitle.text() == ""


def test_the_story_is_that_of_the_picked_arm_or_the_recommended(tale):
    trace = run("paper-hard")
    recommended = trace.state_at(len(trace)).recommendation
    tale.show(snapshot_of("paper-hard"))
    assert tale.head.subtitle.text() == f"History of {trace.instance.target_label(recommended)}"
    tale.show(snapshot_of("paper-hard", arm=2))
    told = story_of_arm(trace, 2, truth=True)
    assert [bare(line) for line in words_of(tale)] == [bare(line) for line in plain_lines(told)]
    tale.show(snapshot_of("paper-hard", 0))
    assert "Select an arm" in tale.page.toPlainText()


def test_a_long_run_is_read_beside_the_painting(tale, qtbot):
    trace = synthetic_trace(loops=4, rounds=60, probes=1)
    snapshot = Snapshot.of(trace, None, Selection.of_arm(trace.instance, 0))
    tale.show(snapshot)
    assert "being counted" in tale.page.toPlainText()
    qtbot.waitUntil(lambda: "being counted" not in tale.page.toPlainText(), timeout=20_000)
    told = story_of_arm(trace, 0, truth=True)
    assert [bare(line) for line in words_of(tale)] == [bare(line) for line in plain_lines(told)]


def test_they_are_registered():
    assert VIEWS["why"] is Why
    assert VIEWS["story"] is ArmStory
    assert not Why.is_plot
