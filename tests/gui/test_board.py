"""The board: which views are painted, when, and that what is seen is the newest snapshot."""

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gems_engine.terminal import with_indices
from gems_gui.appearance import Appearance
from gems_gui.board.board import Board
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.number_dialog import NumberDialog
from gems_gui.workbench.layouts import LAYOUTS, fronts_of, names_in
from tests.gui.sample_runs import snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle
from tests.gui.window_driver import Paints, choose_in_context, driven, open_dialog, write

SIZE = (900, 700)
PART = LAYOUTS["explore"].part(*SIZE)
PLACED = [name for name in VIEWS if name in fronts_of(PART)]
BEHIND = [name for name in VIEWS if name in names_in(PART) and name not in PLACED]


class Shown:
    """A board on screen, and the cursors that each of its views was asked to show."""

    def __init__(self, board, appearance, qtbot):
        self.board, self.appearance, self.qtbot = board, appearance, qtbot
        self.cursors = {name: [] for name in board.views}
        for name, view in board.views.items():
            view.paint = self._noting(name, view.paint)

    def _noting(self, name, paint):
        def noting(snapshot):
            self.cursors[name].append(snapshot.cursor)
            paint(snapshot)

        return noting

    def forget(self):
        for cursors in self.cursors.values():
            cursors.clear()

    def settle(self):
        self.qtbot.waitUntil(lambda: self.board.settled, timeout=10_000)


@pytest.fixture
def shown(qtbot):
    appearance = Appearance(LIGHT)
    board = Board(appearance)
    qtbot.addWidget(board)
    board.resize(*SIZE)
    board.show()
    made = Shown(board, appearance, qtbot)
    made.settle()
    return made


def seen(board):
    return [name for name, dock in board.docks.items() if dock.exposed]


def test_every_view_has_a_dock_and_those_in_front_are_seen_and_made(shown):
    docks = shown.board.docks
    assert list(docks) == list(VIEWS)
    assert seen(shown.board) == PLACED == list(shown.board.views)
    assert BEHIND, "some are tabs"
    for name, dock in docks.items():
        assert (name, dock.toggleViewAction().text()) == (VIEWS[name].name, VIEWS[name].title), "as its line says"
        assert dock.windowTitle() == VIEWS.tabs[name]
        assert dock.whatsThis() == with_indices(VIEWS[name].about)
        assert dock.objectName() == name
        assert dock.isHidden() == (name not in PLACED + BEHIND)
    rows = [[docks[name] for name in fronts_of(part)] for part in PART.parts]
    assert [len({dock.y() for dock in row}) for row in rows] == [1] * len(rows)
    assert sorted(rows, key=lambda row: row[0].y()) == rows


def test_views_that_a_layout_makes_show_the_moment_that_there_is(shown):
    shown.board.show_snapshot(snapshot_of("paper-hard", 70))
    shown.settle()
    assert "recommendation" not in shown.board.views
    shown.board.arrange(LAYOUTS["talk"])
    assert "recommendation" in seen(shown.board)
    shown.settle()
    assert {shown.board.views[name].snapshot.cursor for name in seen(shown.board)} == {70}


def test_each_visible_view_is_painted_once_for_a_moment(shown):
    shown.board.show_snapshot(snapshot_of("paper-hard", 100))
    assert not shown.board.settled
    assert not any(shown.cursors.values()), "not before it is its turn"
    shown.settle()
    assert shown.cursors == {name: [100] for name in PLACED}
    assert all(view.snapshot.cursor == 100 for view in shown.board.views.values())
    QApplication.processEvents()
    assert shown.cursors == {name: [100] for name in PLACED}


def test_moments_that_come_too_fast_are_left_out_and_the_last_one_is_seen(shown):
    for cursor in range(150):
        shown.board.show_snapshot(snapshot_of("paper-hard", cursor))
    shown.settle()
    assert {name: cursors[-1] for name, cursors in shown.cursors.items()} == dict.fromkeys(PLACED, 149)
    assert all(len(cursors) == 1 for cursors in shown.cursors.values())


def test_all_views_of_a_round_of_painting_show_one_moment(shown, qtbot):
    """A snapshot that comes while some are painted is for the next round, in which all of them have it."""
    shown.board.show_snapshot(snapshot_of("paper-hard", 40))
    qtbot.waitUntil(lambda: any(shown.cursors.values()), timeout=10_000)
    assert not all(shown.cursors.values()), "one view in each pass"
    shown.board.show_snapshot(snapshot_of("paper-hard", 41))
    shown.settle()
    assert shown.cursors == {name: [40, 41] for name in PLACED}


def test_other_things_happen_between_two_views(shown, qtbot):
    """One view in each pass of the event loop: what was posted meanwhile comes before the next."""
    shown.board.show_snapshot(snapshot_of("paper-hard", 50))
    states = []
    while not shown.board.settled:
        QApplication.processEvents()
        states.append(sum(map(len, shown.cursors.values())))
    assert states[-1] == len(PLACED)
    assert len(set(states) - {0}) > 1, "they did not come all at once"


def test_a_hidden_view_is_not_painted_until_it_is_shown(shown, qtbot):
    dock = shown.board.docks["weights"]
    shown.board.show_snapshot(snapshot_of("paper-hard", 20))
    shown.settle()
    choose_in_context(dock.view.head, "Hide")
    shown.forget()
    for cursor in (30, 40):
        shown.board.show_snapshot(snapshot_of("paper-hard", cursor))
        shown.settle()
    assert shown.cursors["weights"] == []
    assert shown.board.views["weights"].snapshot.cursor == 20
    dock.toggleViewAction().trigger()
    qtbot.waitUntil(lambda: shown.cursors["weights"] == [40], timeout=10_000)
    shown.forget()
    dock.hide()
    dock.show()
    shown.settle()
    QApplication.processEvents()
    assert not any(shown.cursors.values()), "nothing is new"


def test_views_that_were_never_seen_show_the_moment_when_they_are_asked_for(shown, qtbot):
    shown.board.show_snapshot(snapshot_of("paper-hard", 77))
    shown.settle()
    for name in (name for name in VIEWS if name not in PLACED):
        dock = shown.board.docks[name]
        assert name not in shown.board.views
        if dock.isHidden():
            dock.toggleViewAction().trigger()
        dock.raise_()
        qtbot.waitUntil(lambda name=name: name in shown.board.views and shown.board.settled, timeout=10_000)
        assert shown.board.views[name].snapshot.cursor == 77


def test_a_floating_view_goes_on(shown):
    shown.board.docks["counts"].setFloating(True)
    shown.board.show_snapshot(snapshot_of("paper-hard", 60))
    shown.settle()
    assert shown.cursors["counts"][-1] == 60
    shown.board.reset()
    assert not shown.board.docks["counts"].isFloating()


def test_no_run_clears_every_view(shown):
    shown.board.show_snapshot(snapshot_of("paper-hard"))
    shown.settle()
    assert len(shown.board.views["counts"].run.opts["x"])
    shown.board.show_snapshot(None)
    shown.settle()
    assert all(view.snapshot is None for view in shown.board.views.values())
    assert not len(shown.board.views["counts"].run.opts["x"])


def test_settle_paints_at_once_what_is_seen(shown):
    shown.board.docks["dimension"].hide()
    shown.board.show_snapshot(snapshot_of("paper-hard", 10))
    shown.board.settle()
    assert shown.board.settled
    assert shown.cursors == {name: [] if name == "dimension" else [10] for name in PLACED}


def places(board):
    return {name: board.docks[name].geometry().getRect() for name in seen(board)}


def test_the_layout_can_be_reset(shown):
    before = places(shown.board)
    shown.board.docks["counts"].hide()
    shown.board.docks["survivors"].setFloating(True)
    shown.board.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, shown.board.docks["dimension"])
    assert places(shown.board) != before
    shown.board.reset()
    assert places(shown.board) == before


def test_a_theme_reaches_views_that_are_hidden_or_not_made_yet(shown):
    shown.board.show_snapshot(snapshot_of("paper-hard", 30))
    shown.board.docks["weights"].hide()
    shown.appearance.set_theme(DARK)
    assert all(view.theme is DARK for view in shown.board.views.values())
    for dock in shown.board.docks.values():
        dock.show()
        dock.raise_()
    assert all(view.theme is DARK for view in shown.board.views.values())
    assert list(shown.board.views) == list(VIEWS)


def test_only_what_changed_is_painted_in_the_window(qtbot):
    with driven(qtbot) as driver:
        driver.finished()
        driver.shown()
        driver.hide_view("counts")
        driver.qtbot.wait(80)
        paints = Paints(driver.board)
        assert "counts" not in paints.counts
        driver.press("H")
        driver.press("]")
        driver.qtbot.wait(80)
        assert not any(paints.counts.values()), "another speed changes no view"
        driver.press("End")  # from before the first event, where every plot is empty
        driver.wait(lambda: all(paints.counts.values()))
        assert driver.shown() == driver.cursor
        assert driver.views["counts"].snapshot.cursor != driver.cursor
        driver.choose("View/Layout", "Reset layout")
        driver.wait(lambda: driver.views["counts"].body.isVisible())
        driver.wait(lambda: driver.board.settled)
        assert driver.views["counts"].snapshot.cursor == driver.cursor


def test_the_menu_of_a_view_says_what_is_chosen(qtbot):
    with driven(qtbot) as driver:
        view = driver.views["survivors"]
        menu = view.head.options.menu()
        words = [(each.text(), each.isEnabled()) for each in menu.actions() if not each.isSeparator()]
        assert [text for text, enabled in words if not enabled] == [option.label for option in view.options]
        assert [text for text, enabled in words if enabled] == [
            choice for option in view.options for choice in option.choices.values()
        ]
        driver.show_view("geometry")
        view = driver.views["geometry"]
        driver.choose_option("geometry", "Truncation in percent…")
        dialog = view.head.findChild(NumberDialog)
        write(dialog.field, "140")
        driver.click(dialog.button)
        assert "from 0 to 100" in dialog.sentence.text()
        write(dialog.field, "40")
        driver.click(dialog.button)
        assert view.settings["truncation"] == "40"
        driver.show_view("budgets")
        view = driver.views["budgets"]
        asked = next(each for each in view.head.options.menu().actions() if "budget B" in each.text())
        for text, found in (("1 000 000 000 000", "1000000000000"), ("2.5", "2.5"), ("1e3", "1000")):
            driver.choose_option("budgets", asked.text())
            write(open_dialog(view.head, NumberDialog).field, text, Qt.Key.Key_Return)
            assert view.settings["budget"] == found, "more than a spin box holds, and as the engine has it"
        for text in ("-1", "nan", "1e19", "many"):
            assert not view.options[1].allows(text)


class Arrangements(QObject):
    """The sets of views that are visible whenever something of the board is painted."""

    def __init__(self, board):
        super().__init__()
        self.board, self.found = board, set()
        board.window().installEventFilter(self)
        for view in board.views.values():
            for part in (view.body, *view.body.findChildren(QWidget)):
                part.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and watched.isVisible():
            self.found.add((self.board.width(), *seen(self.board)))
        return False


def test_a_dock_that_opens_or_closes_shows_no_other_arrangement_on_the_way(qtbot):
    with driven(qtbot, size=(1440, 900), layout="explore") as driver:
        driver.finished()
        driver.shown()
        for _ in range(2):
            before = driver.board.width()
            arrangements = Arrangements(driver.board)
            driver.press("Ctrl+Shift+T")
            driver.wait(lambda before=before: driver.board.width() != before)
            driver.wait(lambda: driver.board.settled)
            QTest.qWait(20)
            after = driver.board.width(), *seen(driver.board)
            assert {each for each in arrangements.found if each[0] != before} == {after}
            assert len({each for each in arrangements.found if each[0] == before}) <= 1


@pytest.mark.parametrize("name", ["dimension", "why", "counts", "weights", "gaps", "survivors"])
def test_no_text_of_a_plot_in_another_size_is_on_another_in_its_first_picture(qtbot, name):
    view = VIEWS[name](Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    view.show(snapshot_of("paper-hard"))
    for size in ((300, 150), (351, 194), (280, 320), (700, 320)):
        settle(card, 620, 260)
        card.setFixedSize(*size)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)  # as before every painting
        card.grab()
        assert_texts_fit(card)
