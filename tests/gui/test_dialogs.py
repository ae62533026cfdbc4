"""Dialogs of the window: the sheet of keys, go to, and the error report."""

from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QPushButton
from shiboken6 import isValid

from gems_engine.gallery import make
from gems_engine.running import run
from gems_engine.terminal import THIN
from gems_engine.trace import Trace
from gems_gui import theme as looks
from gems_gui.action_table import ACTIONS, EVERY_ACTION
from gems_gui.actions.spec import sections
from gems_gui.menus.action_set import key_text
from gems_gui.menus.key_sheet import KeySheet, columns
from gems_gui.theme import DARK, LIGHT
from gems_gui.transport.go_to import GoTo
from gems_gui.widgets.dialogs import Dialog, LazyDialog, SpeakingDialog
from gems_gui.widgets.error_report import ErrorReport
from gems_gui.workbench.playback import Playback
from tests.gui.window_driver import driven


@pytest.fixture(scope="module")
def trace():
    return run(make("paper-hard", d_star=3), seed=1, max_samples=20_000).finish()


@pytest.fixture
def window(qtbot):
    made = QMainWindow()
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def look(qapp):
    return lambda theme: looks.apply(qapp, theme)


def opened(window, kind):
    return [each for each in window.findChildren(kind) if each.isVisible()]


def show_report(window, sentence, report):
    dialog = ErrorReport(window, sentence, report)
    dialog.show()
    return dialog


def sheet_of(window):
    return KeySheet(window, EVERY_ACTION)


# -- all of them ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["keys", "go to", "report"])
def test_none_blocks_the_window_and_escape_closes_it(window, trace, qtbot, kind):
    dialog = {
        "keys": lambda: sheet_of(window),
        "go to": lambda: go_to(window, Playback(trace)),
        "report": lambda: show_report(window, "It failed.", "because"),
    }[kind]()
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)  # until then keys are the window's
    assert not dialog.isModal()
    assert QApplication.activeModalWidget() is None
    assert dialog.accessibleName() == dialog.windowTitle()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(dialog))
    assert opened(window, Dialog) == []


def test_the_owner_of_a_dialog_knows_the_one_that_is_open_and_says_things_there_or_elsewhere(window, qtbot):
    owner, said = LazyDialog(partial(SpeakingDialog, window)), []
    owner.close()
    owner.show_message("nothing is open", said.append)
    first = owner.show("One")
    owner.show_message("here", said.append)
    assert owner.open is first
    assert (first.sentence.text(), first.sentence.isHidden()) == ("here", False)
    assert owner.shown("One") is first
    second = owner.show("Two")
    qtbot.waitUntil(lambda: not isValid(first))
    assert owner.open is second
    assert opened(window, Dialog) == [second]
    owner.close()
    assert owner.open is None
    qtbot.waitUntil(lambda: not isValid(second))
    owner.show_message("closed", said.append)
    owner.show_message("", said.append)
    assert said == ["nothing is open", "closed"]
    third = owner.shown("Three")
    assert opened(window, Dialog) == [third]


def test_every_dialog_that_asks_has_a_button_to_leave_it(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.finished()
        driver.finished()
        for keys, words in (
            ("Ctrl+B", "Cancel"),
            ("Ctrl+Shift+B", "Cancel"),
            ("Ctrl+G", "Cancel"),
            ("U", "Close"),
            ("Ctrl+D", "Close"),
            ("Ctrl+E", "Close"),
        ):
            dialog = driver.opened(keys, Dialog)
            button = next(each for each in dialog.findChildren(QPushButton) if each.text() == words)
            assert button.visibleRegion().boundingRect() == button.rect()
            driver.click(button)
            driver.wait(lambda: not isValid(dialog))  # noqa: B023
            assert len(driver.workbench.runs) == 2, keys


# -- keys -----------------------------------------------------------------------------------------------------------


def test_the_sheet_has_every_key_with_what_it_does(window):
    sheet = sheet_of(window)
    texts = [label.text() for label in sheet.findChildren(QLabel)]
    for act in ACTIONS:
        if act.keys:
            assert act.text.removesuffix("…") in texts
            assert any(key_text(act.keys[0]) in text.split(" or ") for text in texts), act.id
    headings = [label.text() for label in sheet.findChildren(QLabel) if label.property("role") == "section"]
    assert headings == [name.upper() for name in (*sections(ACTIONS), "In a talk")]


def test_its_columns_are_about_as_long_and_lose_nothing():
    left, right = columns(sections(ACTIONS))
    assert {**left, **right} == sections(ACTIONS)
    assert [*left, *right] == list(sections(ACTIONS))
    lengths = [sum(len(acts) + 1.5 for acts in side.values()) for side in (left, right)]
    assert abs(lengths[0] - lengths[1]) <= 8


@pytest.mark.parametrize("theme", [LIGHT, DARK.scaled(1.5)], ids=["light", "dark, large"])
def test_nothing_on_the_sheet_is_cut(window, look, theme):
    look(theme)
    sheet = sheet_of(window)
    sheet.show()
    QApplication.processEvents()
    labels = [label for label in sheet.findChildren(QLabel) if not label.wordWrap()]
    for label in labels:
        assert label.width() >= label.sizeHint().width(), label.text()
        assert label.height() >= label.sizeHint().height(), label.text()
    assert sheet.width() <= sheet.screen().availableSize().width()
    assert sheet.height() <= sheet.screen().availableSize().height()


# -- go to ----------------------------------------------------------------------------------------------------------


def go_to(window, playback):
    return GoTo(window, playback, playback.go_to)


def go(dialog, *texts):
    for field, text in zip(dialog.fields, texts, strict=True):
        field.setText(text)
    QTest.keyClick(dialog.fields[0], Qt.Key.Key_Return)


def test_it_goes_to_where_a_round_begins_and_closes(window, trace, qtbot):
    playback = Playback(trace)
    dialog = go_to(window, playback)
    dialog.show()
    go(dialog, "3", "1", "2")
    qtbot.waitUntil(lambda: not isValid(dialog))
    assert playback.cursor == trace.find(3, 1, 2) + 1
    assert (playback.state.place.ell, playback.state.place.i, playback.state.place.k) == (3, 1, 2)


def test_what_is_left_empty_is_the_first(window, trace):
    for texts in (("3", "", ""), ("3", "2", ""), ("(3, 1, 2)", "9", "9"), ("3,2", "9", "9")):
        playback = Playback(trace)
        dialog = go_to(window, playback)
        dialog.show()
        go(dialog, *texts)
        meant = texts[0].strip("()").split(",") if "," in texts[0] else filter(None, texts)
        assert playback.cursor == trace.find(*map(int, meant)) + 1


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (("999", "", ""), "This run has no ℓ 999: it ended at"),
        (("3", "", "2"), "enter its call too"),
        (("", "1", ""), "Enter at least ℓ"),
        (("x", "", ""), "ℓ must be a whole number of at least 1."),
        (("3", "0", ""), "i must be a whole number of at least 1."),
        (("3", "1", "-2"), "k must be a whole number of at least 1."),
        (("9" * 40, "", ""), "ℓ must be a whole number"),
        (("٣", "", ""), "ℓ must be a whole number"),
    ],
)
def test_a_place_that_is_not_there_is_said_and_nothing_moves(window, trace, texts, sentence):
    playback = Playback(trace)
    playback.seek(7)
    dialog = go_to(window, playback)
    dialog.show()
    go(dialog, *texts)
    assert sentence in dialog.sentence.text()
    assert dialog.isVisible()
    assert playback.cursor == 7
    assert [field.text() for field in dialog.fields] == list(texts)
    QTest.keyClicks(dialog.fields[0], "1")
    assert dialog.sentence.text() == ""
    assert not any(field.property("invalid") for field in dialog.fields)


def test_the_field_that_is_wrong_is_marked(window, trace):
    dialog = go_to(window, Playback(trace))
    dialog.show()
    go(dialog, "3", "one", "2")
    assert [bool(field.property("invalid")) for field in dialog.fields] == [False, True, False]


def test_a_run_that_has_not_come_so_far_says_so(window, trace):
    cut = Trace(trace.instance)
    cut.extend(trace[:60])
    dialog = go_to(window, Playback(cut))
    dialog.show()
    go(dialog, "9", "", "")
    assert dialog.sentence.text().startswith("The run has not reached ℓ 9 yet")


def test_it_starts_from_where_the_run_is(window, trace):
    playback = Playback(trace)
    playback.go_to(3, 1, 2)
    assert [field.text() for field in go_to(window, playback).fields] == ["3", "1", "2"]


def test_thin_spaces_are_no_mistake(window, trace):
    dialog = go_to(window, Playback(trace))
    dialog.show()
    go(dialog, f"1{THIN}000", "", "")
    assert "This run has no ℓ 1" in dialog.sentence.text()


def test_a_budget_run_has_its_own_letters(window):
    trace = run(make("paper-hard", d_star=3), "fixed-budget", seed=1).finish()
    playback = Playback(trace)
    playback.seek(20)
    assert go_to(window, playback).names == ("i", "j", "k")


# -- error report ---------------------------------------------------------------------------------------------------


def test_the_report_can_be_read_and_copied_but_not_changed(window):
    report = "Traceback:\n  <b>line</b> 1\nValueError: no"
    dialog = show_report(window, "The engine <i>failed</i>.", report)
    assert dialog.sentence.text() == "The engine <i>failed</i>."
    assert dialog.sentence.textFormat() == Qt.TextFormat.PlainText
    QTest.keyClicks(dialog.details, "changed")
    assert dialog.details.toPlainText() == report
    QTest.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == f"The engine <i>failed</i>.\n\n{report}\n"
    assert dialog.copy.text() == "Copied"


def test_a_long_sentence_has_room(window, look):
    look(LIGHT.scaled(1.5))
    dialog = show_report(window, "It failed for a reason that takes a while to tell. " * 12, "")
    QApplication.processEvents()
    assert dialog.sentence.height() >= dialog.sentence.heightForWidth(dialog.sentence.width())
