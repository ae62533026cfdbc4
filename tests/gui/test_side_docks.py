"""Runs, log and table: docks that share one place next to the board, and leave it its room."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar

from gems_gui.board.side_dock import SideDock
from gems_gui.help.context import page_of
from gems_gui.help.pages import pages as help_pages
from gems_gui.workbench.layouts import LEAST
from tests.gui.window_driver import driven

ACTS = ("list_runs", "show_log", "edit_table")


def docks(window):
    return {"list_runs": window.run_list.runs_dock, "show_log": window.run_list.log_dock,
            "edit_table": window.instance_table.dock}  # fmt: skip


def opened(driver, act):
    """Ask for a dock, and wait until it is in front."""
    driver.do(act)
    dock = docks(driver.window)[act]
    driver.wait(lambda: dock.exposed)
    return dock


@pytest.mark.parametrize("size", [(1024, 700), pytest.param((1440, 900), marks=pytest.mark.long)])
def test_all_of_them_take_no_more_room_than_the_widest(qtbot, size):
    with driven(qtbot, size=size) as driver:
        driver.finished()
        driver.shown()
        board = driver.board
        for act in reversed(ACTS):  # the widest first
            dock = opened(driver, act)
            driver.wait(lambda dock=dock: dock.width() >= 330)
            assert not dock.isFloating()
        driver.shown()
        width = board.width()
        assert driver.window.size().toTuple() == size
        assert width >= LEAST[0] + 60
        assert board.height() >= size[1] - 180, "they are next to the board, not under it"
        for other in ("show_log", "edit_table", "list_runs"):
            opened(driver, other)
            assert board.width() == width
        shared = {each.objectName() for each in driver.window.tabifiedDockWidgets(docks(driver.window)["show_log"])}
        assert shared == {"runs", "instance_table"}
        bars = [each for each in driver.window.findChildren(QTabBar) if "Log" in map(each.tabText, range(each.count()))]
        assert [bar.accessibleName() for bar in bars] == ["Docks in these tabs"]


def test_what_is_asked_for_comes_to_the_front_and_goes_when_it_is_there(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        runs = opened(driver, "list_runs")
        log = opened(driver, "show_log")
        driver.wait(lambda: not runs.exposed)
        assert driver.actions["list_runs"].isChecked(), "it is open, behind the other"
        opened(driver, "list_runs")
        driver.wait(lambda: not log.exposed)
        assert driver.actions["list_runs"].isChecked()
        driver.press("Ctrl+L")
        assert runs.isHidden()
        assert not driver.actions["list_runs"].isChecked()
        driver.wait(lambda: log.exposed)
        driver.click(log.close_button)
        assert log.isHidden()
        assert not driver.actions["show_log"].isChecked()


def test_keys_belong_to_the_run_again_when_one_is_closed(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.finished()
        draft, run = driver.draft, driver.run
        runs = docks(driver.window)["list_runs"]
        for close in (lambda: driver.press("Ctrl+L"), lambda: driver.click(runs.close_button)):
            driver.press("Ctrl+L")
            driver.wait(runs.list.hasFocus)
            close()
            assert runs.isHidden()
            driver.press("End")  # in the list of presets, it chooses the last one
            driver.wait(lambda: driver.cursor == driver.playback.length)
            driver.press("Home")
            driver.wait(lambda: driver.cursor == 0)
        assert (driver.draft, driver.run) == (draft, run)


def test_where_the_board_would_have_no_room_they_float(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        driver.set_look("light", 1.5)
        driver.wait(lambda: driver.board.settled)
        for act in ACTS:
            assert opened(driver, act).isFloating()
            assert driver.window.size().toTuple() == (1024, 700)
        table, runs = (docks(driver.window)[act] for act in ("edit_table", "list_runs"))
        assert table.geometry().topRight() != runs.geometry().topRight(), "the title of each is seen"
        driver.click(table.close_button)
        driver.click(runs.close_button)
        driver.press("Ctrl+T")
        view = driver.window.instance_table.editor.view
        driver.wait(view.hasFocus)
        driver.start("Ctrl+R")
        driver.wait(driver.window.isActiveWindow)
        driver.press("Ctrl+L")
        driver.wait(runs.list.hasFocus)


def test_more_seeds_and_sensitivity_never_widen_the_window_wherever_views_are(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.finished()
        window, board = driver.window, driver.board
        driver.show_view("shares")  # as a user does to see both side by side
        assert board.moved
        driver.shown()
        before = {name for name, dock in board.docks.items() if dock.exposed}
        assert len(before) > 2
        driver.press("Ctrl+J")
        driver.wait(lambda: window.sensitivity.dock.exposed)
        window.resize(1024, 700)
        driver.wait(lambda: sum(dock.exposed for dock in board.docks.values()) < len(before))
        assert window.size().toTuple() == (1024, 700)
        driver.press("Ctrl+K")
        driver.wait(lambda: window.replicates.dock.exposed)
        window.replicates.start(2)  # brings a view into sight
        driver.wait(lambda: board.docks["replicates"].exposed and not window.replicates.replicating.running)
        driver.shown()
        assert window.size().toTuple() == (1024, 700)
        assert window.minimumSizeHint().width() <= 1024
        driver.click(window.replicates.dock.close_button)
        driver.wait(lambda: window.sensitivity.dock.exposed)
        driver.click(window.sensitivity.dock.close_button)
        window.resize(1440, 900)
        driver.wait(lambda: {name for name, dock in board.docks.items() if dock.exposed} >= before - {"shares"})


def test_more_seeds_bring_a_view_and_the_columns_come_back_without_the_dock(qtbot):
    with driven(qtbot, size=(1440, 900)) as driver:
        driver.finished()
        window, board = driver.window, driver.board
        driver.shown()
        before = {name for name, dock in board.docks.items() if dock.exposed}
        driver.press("Ctrl+K")
        driver.wait(lambda: window.replicates.dock.exposed)
        window.replicates.start(2)
        driver.wait(lambda: board.docks["replicates"].exposed and not window.replicates.replicating.running)
        driver.wait(lambda: not board.docks["pseudocode"].exposed)
        driver.click(window.replicates.dock.close_button)
        driver.wait(lambda: board.docks["pseudocode"].exposed)
        assert len({name for name, dock in board.docks.items() if dock.exposed} ^ before) <= 2
        assert not board.docks["replicates"].isHidden()
        assert not board.moved


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5])
@pytest.mark.parametrize("keys", ["Ctrl+L", "Ctrl+T", "Ctrl+K", "Ctrl+J"])
def test_the_first_visit_of_a_dock_never_widens_the_window(qtbot, keys, scale):
    with driven(qtbot, size=(1024, 700)) as driver:
        driver.set_look("light", scale)
        driver.finished()
        driver.wait(lambda: driver.board.settled)
        driver.press(keys)
        (dock,) = (each for each in driver.window.findChildren(SideDock) if each.isVisible())
        driver.wait(lambda: dock.width() > 200 and driver.board.settled)
        qtbot.wait(1)  # its minimum reaches the window later
        assert driver.window.size().toTuple() == (1024, 700)
        driver.click(dock.close_button)
        driver.wait(lambda: driver.board.settled)
        assert driver.window.size().toTuple() == (1024, 700)


def test_larger_text_never_widens_the_window_and_every_button_keeps_its_room(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        driver.finished()
        driver.type_into("algorithm.delta", "0.1")
        runs, transport = opened(driver, "list_runs"), driver.transport
        for scale, floats in ((1.25, False), (1.5, True)):
            driver.set_look("light", scale)
            driver.wait(lambda: driver.board.settled)
            assert (runs.isFloating(), driver.window.size().toTuple()) == (floats, (1024, 700))
            assert driver.difference_bar.geometry().right() <= driver.window.strip.width()
            live = transport.buttons["live"]
            driver.wait(lambda live=live: live.width() >= live.sizeHint().width())
            form = driver.form
            card = form.instance_form
            driver.wait(lambda form=form, card=card: form.presets.width() == card.width() < form.width())
            assert runs.head.title.fontInfo().pixelSize() == driver.theme.pixels(15)


@pytest.mark.long
def test_nor_does_it_with_the_docks_of_trials_and_help_knows_them(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        window, notice = driver.window, driver.difference_bar
        driver.finished()
        driver.type_into("algorithm.delta", "0.1")
        driver.wait(notice.isVisible)
        assert notice.sentence.text() == "The form differs."
        pages = {}
        for handlers, opens in ((window.replicates, None), (window.sensitivity, "delta")):
            window.appearance.choose("light", 1.0)
            handlers.dock.open() if opens is None else handlers.open_for(opens)
            for scale in (0.8, 1.21, 1.46):
                window.appearance.choose("light", scale)
                driver.wait(lambda: driver.board.settled)
                assert window.size().toTuple() == (1024, 700)
                assert window.minimumSizeHint().width() <= 1024
                for line, most in () if opens else ((handlers.dock.count, "10000"), (handlers.dock.tries, "1000000")):
                    assert line.width() > line.fontMetrics().horizontalAdvance(most) + 8
                assert notice.isVisible()
                assert notice.geometry().right() <= window.strip.width()
                parts = (notice.sentence, *notice.buttons.values())
                driver.wait(lambda parts=parts: all(part.width() >= part.sizeHint().width() for part in parts))
                assert notice.sentence.text() == "Form differs."
            pages[handlers.dock.objectName()] = page_of(handlers.dock)
            handlers.dock.hide()
        assert pages == {"replicates": "views/replicates", "sensitivity": "topics/sensitivity"}
        assert set(pages.values()) <= set(help_pages())


def test_a_list_under_the_board_takes_little_of_it_and_keeps_to_the_margins(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        log = opened(driver, "show_log")
        driver.window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, log)
        driver.wait(lambda: log.width() == 1024)
        assert log.height() <= 180
        place = log.head.mapTo(driver.window, log.head.rect().topLeft()).x()
        assert (place, place + log.head.width()) == (8, 1024 - 8)


def test_what_had_to_float_comes_back_when_there_is_room(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        driver.set_look("light", 1.5)
        driver.wait(lambda: driver.board.settled)
        table, log = opened(driver, "edit_table"), opened(driver, "show_log")
        assert table.isFloating()
        assert log.isFloating()
        large = driver.window.centralWidget().minimumSizeHint().width()
        driver.set_look("light", 1.0)
        driver.wait(lambda: driver.window.centralWidget().minimumSizeHint().width() < 0.7 * large)
        driver.click(table.close_button)
        assert not opened(driver, "edit_table").isFloating(), "opened again"
        driver.do("reset_layout")
        driver.wait(lambda: not log.isFloating())
        table.hide()
        table.setFloating(True)  # as a user does
        assert opened(driver, "edit_table").isFloating()
        driver.do("reset_layout")
        driver.wait(lambda: not table.isFloating())
        assert driver.window.size().toTuple() == (1024, 700)
