"""A view that fails shows its error; all others show the cursor, and the log has the report."""

import pytest
from PySide6.QtGui import QGuiApplication

from gems_gui.appearance import Appearance
from gems_gui.board.board import Board
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.creation import BrokenView
from gems_gui.views.error_card import ErrorCard
from gems_gui.workbench.messages import ERROR
from tests.gui.sample_runs import snapshot_of
from tests.gui.window_driver import driven

FIRST, SECOND = 30, 38


class Fails:
    """A method that raises."""

    def __init__(self, words="a number is missing"):
        self.words = words

    def __call__(self, *_):
        raise ValueError(self.words)


def card_of(view):
    cards = view.body.findChildren(ErrorCard)
    return next((each for each in cards if each.isVisibleTo(view.body)), None)


@pytest.fixture
def board(qtbot):
    made = Board(Appearance(LIGHT))
    qtbot.addWidget(made)
    made.resize(1600, 1100)
    made.show()
    return made


def settled_at(board, cursor):
    board.show_snapshot(snapshot_of("paper-hard", cursor))
    board.settle()


def test_all_other_views_are_at_the_cursor(board):
    for name in VIEWS:
        with pytest.MonkeyPatch.context() as patch:
            _fail_one(board, patch, name)
        settled_at(board, SECOND)
        assert card_of(board.views[name]) is None


def _fail_one(board, patch, name):
    board.show_view(name)
    settled_at(board, FIRST)
    painted = {}
    for each, view in board.views.items():
        patch.setattr(view, "paint", _noting(view.paint, painted, each))
    broken = board.views[name]
    patch.setattr(broken, "paint", Fails())
    reports = []
    broken.failed.connect(lambda *said: reports.append(said))
    settled_at(board, SECOND)
    visible = {each for each, dock in board.docks.items() if dock.exposed}
    assert name in visible
    assert painted == dict.fromkeys(visible - {name}, SECOND)
    assert all(card_of(board.views[each]) is None for each in visible - {name})
    card = card_of(broken)
    title = broken.head.title.text()
    assert card.sentence.text() == f'The view "{title}" cannot be drawn: ValueError: a number is missing'
    assert card.geometry() == broken.body.rect()  # nothing of the earlier moment is visible
    assert broken.head.subtitle.text() == ""
    settled_at(board, FIRST)
    assert [sentence for sentence, _ in reports] == [card.sentence.text()]  # not again for every snapshot
    assert f"View {name} at event {SECOND}" in reports[0][1]
    assert "ValueError: a number is missing" in reports[0][1]


def _noting(paint, painted, name):
    def noting(snapshot):
        paint(snapshot)
        painted[name] = snapshot.cursor

    return noting


def test_the_card_copies_its_report_and_tries_again(board, monkeypatch):
    board.show_view("gaps")
    settled_at(board, FIRST)
    view = board.views["gaps"]
    monkeypatch.setattr(view, "paint", Fails("<b>no markup</b>"))
    settled_at(board, SECOND)
    card = card_of(view)
    card.copy.click()
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith(f"{card.sentence.text()}\n\nView gaps at event {SECOND}\n")
    assert "Traceback" in copied
    assert "<b>no markup</b>" in card.sentence.text()
    view.appearance.set_theme(DARK)  # does not hide it
    view.appearance.set_theme(LIGHT)
    assert card_of(view) is card
    monkeypatch.undo()
    card.retry.click()
    assert card_of(view) is None
    assert view.snapshot.cursor == SECOND


def test_a_failure_while_a_plot_is_fitted_is_not_hidden_by_the_rest(board, monkeypatch):
    board.show_view("survivors")
    settled_at(board, FIRST)
    view = board.views["survivors"]
    monkeypatch.setattr(view, "range_changed", Fails())
    view.plot.box.setXRange(0, 3)
    assert card_of(view) is not None
    monkeypatch.undo()
    settled_at(board, SECOND)
    assert card_of(view) is None


def test_a_view_that_cannot_be_created_is_replaced_by_its_error(qtbot, monkeypatch):
    monkeypatch.setattr(VIEWS["why"], "make", Fails("no page"))
    with driven(qtbot, layout="debug") as driver:
        driver.start()
        driver.finish()
        board = driver.window.board
        board.show_view("why")
        driver.wait(lambda: board.settled)
        view = board.views["why"]
        assert isinstance(view, BrokenView)
        entry = next(each for each in driver.workbench.messages.entries if each.kind == ERROR)
        assert entry.sentence == card_of(view).sentence.text() == 'The view "Why" cannot be drawn: ValueError: no page'
        assert "Traceback" in entry.details
        assert view.head.title.text() == "Why"
        shown = [each for name, each in board.views.items() if board.docks[name].exposed]
        assert len(shown) > 2
        assert {each.snapshot.cursor for each in shown} == {driver.workbench.snapshot.cursor}
        monkeypatch.undo()
        card_of(view).retry.click()
        driver.wait(lambda: board.settled)
        assert not isinstance(board.views["why"], BrokenView)
        assert card_of(board.views["why"]) is None
        assert board.views["why"].snapshot.cursor == driver.workbench.snapshot.cursor
