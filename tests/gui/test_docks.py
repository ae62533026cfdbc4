"""Docks on the real window: moved, tabbed, floated, closed, shown, maximised, and remembered."""

import json
from itertools import product

import pytest
from PySide6.QtCore import QByteArray, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabBar, QToolButton

from gems_gui.board.layout_dialog import LayoutDialog
from gems_gui.drafts.presets import PRESETS
from gems_gui.settings import Settings
from gems_gui.settings_store import settings_file
from gems_gui.views import VIEWS
from gems_gui.workbench.layouts import LAYOUTS, fronts_of
from tests.gui.window_driver import LEFT, driven, write

SIZE = (1440, 900)


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, size=SIZE) as made:
        yield made


def exposed_views(window):
    return {name for name, dock in window.board.docks.items() if dock.exposed}


def places(window):
    return {name: dock.geometry().getRect() for name, dock in window.board.docks.items() if dock.exposed}


def head(driver, name):
    return driver.views[name].head


def double_click(driver, name):
    QTest.mouseDClick(head(driver, name).title, LEFT)


def restarted(qtbot, first):
    """Close a window and open the next one."""
    first.press("Ctrl+Q")
    assert not first.window.isVisible()
    return driven(qtbot, size=SIZE)


def test_a_double_click_on_the_head_gives_a_view_all_the_room_and_another_takes_it_back(driver):
    driver.finished()
    before = places(driver.window)
    double_click(driver, "weights")
    assert places(driver.window) == {"weights": (0, 0, *driver.board.size().toTuple())}
    driver.press("End")
    driver.shown()
    double_click(driver, "weights")
    assert places(driver.window) == before
    driver.shown()
    assert not driver.board.moved


def test_keys_maximise_the_view_under_the_mouse_or_with_the_focus(driver):
    seen = exposed_views(driver.window)
    place = QPointF(20, 20)
    QApplication.sendEvent(driver.views["cost"].body, QEnterEvent(place, place, place))
    assert driver.board.current == "cost"
    assert not driver.actions["leave_maximised"].isEnabled()
    driver.press("Ctrl+M")
    assert exposed_views(driver.window) == {"cost"}
    assert driver.actions["maximise_view"].text() == "Restore view"
    driver.press("Esc")
    assert exposed_views(driver.window) == seen
    driver.views["counts"].body.setFocus()
    driver.press("Ctrl+M")
    assert exposed_views(driver.window) == {"counts"}
    driver.press("Ctrl+M")
    assert exposed_views(driver.window) == seen
    assert driver.actions["maximise_view"].text() == "Maximise view"


def test_a_view_dragged_out_by_its_head_floats_and_a_double_click_brings_it_back(driver):
    dock, bar = driver.board.docks["counts"], head(driver, "counts")
    grip = QPoint(bar.width() // 2, 8)
    QTest.mousePress(bar, LEFT, pos=grip)
    for step in (QPoint(12, 12), QPoint(60, -300), QPoint(64, -310)):
        QTest.mouseMove(bar, grip + step)
        QTest.qWait(5)
    QTest.mouseRelease(bar, LEFT, pos=grip)
    assert dock.isFloating()
    assert dock.float_action.isChecked()
    assert driver.board.moved
    driver.finished()
    driver.press("End")
    driver.shown()
    assert dock.view.snapshot.cursor == driver.cursor
    double_click(driver, "counts")
    assert not dock.isFloating()
    assert "counts" in exposed_views(driver.window)
    assert put_back(driver, "counts") is None


def put_back(driver, name):
    """The button in the head of a view that puts it back, None if there is none."""
    buttons = [each for each in head(driver, name).findChildren(QToolButton) if each.isVisible() and each.text()]
    return next(iter(buttons), None)


def edge_color(widget):
    """The colour at the middle of the left edge of a widget."""
    return widget.grab().toImage().pixelColor(0, widget.height() // 2)


def test_a_floating_view_has_a_frame_and_a_button_that_puts_it_back(driver):
    dock, view = driver.board.docks["counts"], driver.views["counts"]
    parts = (view.head, view.body)
    assert [edge_color(part) for part in parts] == [driver.theme.color("line")] * 2
    place = QPointF(20, 20)
    QApplication.sendEvent(view.body, QEnterEvent(place, place, place))
    driver.press("Ctrl+Shift+M")
    assert dock.isFloating()
    assert [edge_color(part) for part in parts] == [driver.theme.color("dim")] * 2
    button = put_back(driver, "counts")
    assert button.text() == "Put back"
    assert button.toolTip().startswith("Put this view back")
    driver.click(button)
    assert not dock.isFloating()
    assert "counts" in exposed_views(driver.window)
    assert put_back(driver, "counts") is None
    assert [edge_color(part) for part in parts] == [driver.theme.color("surviving")] * 2, "it has the focus"


def test_a_floating_view_is_on_the_screen_and_aside(qtbot):
    with driven(qtbot, size=(800, 780)) as driver:
        seen = exposed_views(driver.window)
        assert len(seen) > 1
        for name in seen:
            dock = driver.board.docks[name]
            driver.click(driver.views[name].body)
            before = dock.mapToGlobal(QPoint())
            driver.press("Ctrl+Shift+M")
            assert dock.isFloating()
            after = dock.mapToGlobal(QPoint())
            assert after.x() != before.x()
            assert after.y() != before.y()
            assert dock.screen().availableGeometry().contains(dock.frameGeometry()), name
            driver.click(put_back(driver, name))


def test_a_view_is_hidden_and_shown_again_from_the_menu_and_comes_from_behind_another_tab(driver):
    driver.finished()
    driver.press("End")
    driver.hide_view("dimension")
    assert "dimension" not in exposed_views(driver.window)
    assert not driver.board.docks["dimension"].toggleViewAction().isChecked()
    driver.press("Left")
    driver.show_view("dimension")
    driver.shown()
    driver.show_view("shares")
    driver.shown()
    assert driver.views["shares"].snapshot.cursor == driver.cursor
    driver.choose("View/Layout", "Reset layout")
    assert exposed_views(driver.window) == set(fronts_of(LAYOUTS["explore"].part(*driver.board.room)))
    driver.wait(lambda: driver.board.settled)
    dock, before = driver.board.docks["grid"], set(places(driver.window).values())
    bar = next(each for each in driver.board.findChildren(QTabBar) if VIEWS.tabs["grid"] in titles(each))
    order = titles(bar)
    assert not dock.isHidden()
    assert not dock.exposed
    driver.show_view("grid")
    driver.wait(lambda: driver.board.settled)
    assert titles(bar) == order
    assert set(places(driver.window).values()) == before
    assert not driver.board.moved
    driver.choose("View/Views", VIEWS.titles["grid"])
    assert dock.isHidden()
    driver.show_view("grid")


def test_a_view_asked_for_while_another_is_maximised_is_shown_beside_the_others(driver):
    before = exposed_views(driver.window)
    double_click(driver, "survivors")
    driver.choose("View/Views", "Recommendation")
    driver.wait(lambda: "recommendation" in exposed_views(driver.window))
    assert driver.board.maximised is None
    assert exposed_views(driver.window) >= before - {"gaps"}


def test_tabs_show_the_view_behind_which_only_then_exists(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        driver.finished()
        driver.press("End")
        driver.shown()
        assert "gaps" not in driver.views
        bar = next(each for each in driver.board.findChildren(QTabBar) if "Gaps" in titles(each))
        at = titles(bar).index("Gaps")
        QTest.mouseClick(bar, LEFT, pos=bar.tabRect(at).center())
        driver.wait(lambda: "gaps" in exposed_views(driver.window))
        driver.shown()
        assert driver.views["gaps"].snapshot.cursor == driver.cursor
        widths = {name: driver.board.docks[name].width() for name in ("dimension", "gaps")}
        assert abs(widths["dimension"] - widths["gaps"]) <= 2, "a view that is made takes no room from its neighbours"
        assert "cost" not in exposed_views(driver.window)
        behind = driver.views["cost"]
        assert not behind.body.isVisible()
        driver.press("Left")
        driver.shown()
        assert behind.snapshot.cursor == driver.cursor + 1, "a hidden view is not painted"
        bar.setFocus()
        QTest.keyClick(bar, Qt.Key.Key_Left)
        driver.wait(lambda: "cost" in exposed_views(driver.window))
        driver.shown()
        assert behind.snapshot.cursor == driver.cursor


def titles(bar):
    return [bar.tabText(at) for at in range(bar.count())]


def test_every_part_has_its_share_also_where_views_are_made_only_then(qtbot):
    with driven(qtbot, size=SIZE) as driver:
        driver.press("Ctrl+2")
        driver.wait(lambda: driver.board.settled)
        docks = driver.board.docks
        columns = [docks[name].width() for name in ("survivors", "why", "events")]
        assert max(columns) - min(columns) <= 3
        bar = next(each for each in driver.board.findChildren(QTabBar) if "Problems" in titles(each))
        below = docks["problems"].height() + bar.height()  # its tabs are of its share
        assert docks["events"].height() / below == pytest.approx(3 / 2, rel=0.03)
        visit_every_tab(driver)


class PaintedPlaces(QObject):
    """Where each of some docks was painted."""

    def __init__(self, docks):
        super().__init__()
        self.places = set()
        for dock in docks:
            dock.installEventFilter(self)

    def eventFilter(self, dock, event):
        if event.type() == QEvent.Type.Paint:
            self.places.add(dock.geometry().getRect())
        return False


def visit_every_tab(driver):
    """Click every tab that can be seen: the first visit of a view moves nothing, not even for one frame."""
    before, made = set(places(driver.window).values()), len(driver.views)
    painted = PaintedPlaces(driver.board.docks.values())
    bars = [bar for bar in driver.board.findChildren(QTabBar) if bar.isVisible() and bar.geometry().right() >= 0]
    for bar in bars:
        for at, title in enumerate(titles(bar)):
            if bar.rect().contains(bar.tabRect(at)):
                QTest.mouseClick(bar, LEFT, pos=bar.tabRect(at).center())
                QTest.qWait(1)
                driver.wait(lambda: driver.board.settled)
                assert set(places(driver.window).values()) == before, title
    assert len(driver.views) >= made + 3
    assert {place for place in painted.places if place[0] >= 0} <= before


def docked(driver, keys):
    """The side dock that these keys open and close."""
    return driver.window.run_list.runs_dock if keys == "Ctrl+L" else driver.window.instance_table.dock


def assert_a_dock_moves_no_columns(driver, keys):
    """Open and close it by mouse and keys, on the board and on another page: the board is as before."""
    driver.wait(lambda: driver.board.settled)
    alone, window, transport = places(driver.window), driver.window.size(), driver.transport.geometry()
    for opens, closes in product(("board", "page"), repeat=2):
        if opens == "page":
            driver.press("Ctrl+Shift+X")
        driver.press(keys)
        QTest.qWait(1)
        if opens == "page":
            driver.press("Ctrl+Shift+X")
        driver.wait(lambda: driver.board.settled)
        dock = docked(driver, keys)
        assert dock.isFloating() or places(driver.window) != alone
        if closes == "page":
            driver.press("Ctrl+Shift+X")
        driver.click(dock.close_button)
        assert dock.isHidden()
        if closes == "page":
            driver.press("Ctrl+Shift+X")
        driver.wait(lambda: driver.board.settled)
        QTest.qWait(1)
        now = places(driver.window)
        assert (driver.window.size(), driver.transport.geometry()) == (window, transport)
        assert now.keys() == alone.keys()
        assert all(now[name] == pytest.approx(alone[name], abs=2) for name in now), (now, alone)


def test_first_visits_of_tabs_and_docks_closed_on_another_page_move_no_columns(qtbot):
    with driven(qtbot, size=(2560, 1440), layout="explore") as driver:
        driver.press("Ctrl+=", 2)
        driver.wait(lambda: driver.board.settled)
        visit_every_tab(driver)
        assert_a_dock_moves_no_columns(driver, "Ctrl+L")


@pytest.mark.parametrize("keys", ["Ctrl+L", "Ctrl+T"])
@pytest.mark.parametrize("layout", ["explore", "debug"])
@pytest.mark.parametrize(
    ("size", "larger"), [((1024, 700), 0), ((1280, 800), 1), ((1024, 700), 1)], ids=["small", "larger text", "tight"]
)
def test_docks_closed_on_another_page_move_no_columns_in_a_small_window(qtbot, size, larger, layout, keys):
    with driven(qtbot, size=size, layout=layout) as driver:
        driver.press("Ctrl+=", larger)
        driver.finished()
        driver.press("End")
        driver.shown()
        assert_a_dock_moves_no_columns(driver, keys)


@pytest.mark.parametrize("size", [(1700, 900), (2560, 1400), (3000, 1400)])
def test_a_board_that_is_first_shown_in_a_larger_window_shares_its_room(qtbot, size):
    """The window is maximised while it shows the welcome page, so that the board has no size yet."""
    with driven(qtbot, size=(1440, 900), welcome=True) as driver:
        driver.window.resize(*size)
        QTest.qWait(1)
        assert driver.window.welcome.is_open
        driver.press("Ctrl+1")
        driver.wait(lambda: driver.board.isVisible() and driver.board.settled)
        docks = driver.board.docks
        widths = [docks[name].width() for name in ("dimension", "cost", "weights", "counts")]
        assert max(widths) - min(widths) <= 2
        first, *others = (docks[name].height() for name in ("survivors", "dimension", "weights"))
        assert max(others) - min(others) <= 2
        assert first == pytest.approx(others[0] * 9 / 7, abs=3)


def test_docks_closed_on_another_page_keep_columns_that_the_user_has_made_uneven(qtbot):
    with driven(qtbot, size=(2560, 1440), layout="explore") as driver:
        driver.wait(lambda: driver.board.settled)
        left = driver.board.docks["dimension"].geometry()
        grip = left.topRight() + QPoint(4, left.height() // 2)
        QTest.mousePress(driver.board, LEFT, pos=grip)
        for by in (40, 120):
            QTest.mouseMove(driver.board, grip + QPoint(by, 0))
            QTest.qWait(5)
        QTest.mouseRelease(driver.board, LEFT, pos=grip + QPoint(120, 0))
        assert driver.board.docks["dimension"].width() > left.width() + 60
        assert_a_dock_moves_no_columns(driver, "Ctrl+L")


@pytest.mark.parametrize("layout", ["explore", "debug", "talk"])
@pytest.mark.parametrize(("size", "scale"), [((1366, 768), 1.75), ((1440, 900), 2.0)])
def test_the_first_visit_of_a_tab_fills_a_board_of_one_place(qtbot, size, scale, layout):
    Settings().font_scale = scale
    with driven(qtbot, size=size, layout=layout) as driver:
        driver.wait(lambda: driver.board.settled)
        (whole,) = places(driver.window).values()
        bars = [each for each in driver.board.findChildren(QTabBar) if each.isVisible()]
        (bar,) = (each for each in bars if each.geometry().right() >= 0)
        made = len(driver.views)
        for at in range(bar.count()):
            driver.click(bar, bar.tabRect(at).center())
            driver.wait(lambda: driver.board.settled)
            QTest.qWait(1)
            assert list(places(driver.window).values()) == [whole], bar.tabText(at)
        assert len(driver.views) > made


@pytest.mark.parametrize("layout", ["explore", "debug", "talk"])
def test_first_visits_of_tabs_move_nothing_where_all_views_share_one_place(qtbot, layout):
    Settings().font_scale = 1.75
    with driven(qtbot, size=(1366, 768), layout=layout) as driver:
        driver.wait(lambda: driver.board.settled)
        assert len(exposed_views(driver.window)) == 1
        visit_every_tab(driver)


def inside(driver):
    """The place of the content of each visible plot."""
    views = {name: view for name, view in driver.views.items() if driver.board.docks[name].exposed and view.is_plot}
    plots = {name: view.plot for name, view in views.items() if hasattr(view, "plot")}
    return {name: plot.mapFromScene(plot.box.sceneBoundingRect()).boundingRect() for name, plot in plots.items()}


def test_heads_are_as_high_as_before_after_larger_text(qtbot):
    with driven(qtbot, size=(1024, 740), layout="explore") as driver:
        driver.wait(lambda: driver.board.settled)

        def heads():
            driver.wait(lambda: driver.board.settled)
            return {name: view.head.geometry() for name, view in driver.views.items() if view.head.isVisible()}

        before = heads()
        driver.press("Ctrl+=", 6)
        driver.wait(lambda: heads() != before)
        driver.press("Ctrl+0")
        driver.wait(lambda: heads() == before)


@pytest.mark.parametrize(
    ("size", "layout"), [((1440, 900), "explore"), ((1440, 900), "debug"), ((1920, 1080), "explore")]
)
def test_first_visits_of_tabs_move_no_plot_inside_its_view(qtbot, size, layout):
    """Its axes have had wider numbers at the end of the run, and keep their space."""
    with driven(qtbot, PRESETS["paper-hard"].draft, size=size, layout=layout) as driver:
        driver.finished()
        driver.press("End")
        driver.shown()
        driver.wait(lambda: driver.board.settled)
        before = inside(driver)
        assert len(before) > 4
        driver.seek(40)
        driver.shown()
        driver.wait(lambda: driver.board.settled)
        assert inside(driver) == before
        visited = 0
        for bar in [bar for bar in driver.board.findChildren(QTabBar) if bar.isVisible()]:
            for at, title in enumerate(titles(bar)):
                if bar.rect().contains(bar.tabRect(at)):
                    driver.click(bar, bar.tabRect(at).center())
                    driver.wait(lambda: driver.board.settled)
                    QTest.qWait(1)
                    now = inside(driver)
                    assert {name: now[name] for name in before if name in now} == {
                        name: place for name, place in before.items() if name in now
                    }, title
                    visited += 1
        assert visited >= 4


def test_a_view_that_had_another_size_has_space_for_its_numbers_only(qtbot):
    with driven(qtbot, PRESETS["paper-hard"].draft, size=SIZE, layout="debug") as driver:
        driver.finished()
        driver.press("End")
        driver.shown()
        driver.seek(40)
        driver.shown()
        before = inside(driver)["cost"]
        for _ in range(2):  # maximise it and put it back
            double_click(driver, "cost")
            driver.wait(lambda: driver.board.settled)
            QTest.qWait(1)
        now = inside(driver)["cost"]
        assert now.height() == before.height()
        assert now.left() < before.left() - 20


def test_the_next_start_finds_everything_as_it_was(qtbot):
    with driven(qtbot, size=SIZE) as first:
        first.choose_option("counts", "Logarithmic")
        first.press("Ctrl+2")
        first.hide_view("gaps")
        double_click(first, "weights")  # this one is not remembered
        with restarted(qtbot, first) as second:
            assert second.board.layout_name == "debug"
            assert second.actions["layout_debug"].isChecked()
            second.wait(lambda: "why" in exposed_views(second.window))
            assert exposed_views(second.window) == {*fronts_of(LAYOUTS["debug"].wide)} - {"gaps"}
            assert second.board.docks["counts"].options["scale"] == "log"
            assert second.views["weights"].settings["scale"] == "linear"
            second.choose("View/Layout", "Reset layout")
            assert "gaps" in exposed_views(second.window)


def test_options_of_a_view_that_nobody_opened_are_not_lost(qtbot):
    Settings().keep_view_options({"shares": {"by": "loop", "old": "x"}, "gone": {"a": "b"}, "counts": {"scale": "?"}})
    with driven(qtbot, size=SIZE) as first:
        assert "shares" not in first.views
        assert first.views["counts"].settings["scale"] == "linear"
        with restarted(qtbot, first) as second:
            second.show_view("shares")
            assert second.views["shares"].settings["by"] == "loop"


def name_layout(driver, name):
    """Say «Save layout as…» and type a name."""
    driver.choose("View/Layout", "Save layout as…")
    dialog = driver.window.findChild(LayoutDialog)
    QTest.keyClicks(dialog.name, name)
    return dialog


def test_a_layout_of_ones_own_is_kept_chosen_and_deleted(qtbot, driver):
    driver.press("Ctrl+3")
    driver.hide_view("dimension")
    mine = exposed_views(driver.window)
    dialog = name_layout(driver, "for Monday")
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    driver.wait(lambda: driver.window.findChild(LayoutDialog) is None)
    driver.window.activateWindow()
    driver.press("Ctrl+1")
    assert exposed_views(driver.window) != mine
    with restarted(qtbot, driver) as second:
        second.choose("View/Layout", "for Monday")
        second.wait(lambda: exposed_views(second.window) == mine)
        assert second.board.layout_name == "for Monday"
        second.choose("View/Layout/Delete", "for Monday")
        assert "for Monday" not in [action.text() for action in second.actions.menu("View/Layout").actions()]
        assert Settings().layouts() == {}


def test_a_name_of_the_program_is_refused_and_one_of_ones_own_replaced(driver):
    driver.window.layouts.keep("mine")
    dialog = name_layout(driver, "Debug")
    assert dialog.sentence.text() == '"Debug" is a built-in layout: choose another name.'
    QTest.keyClick(dialog.name, Qt.Key.Key_Return)
    assert dialog.isVisible()
    write(dialog.name, "mine")
    assert dialog.sentence.text() == 'This replaces your layout "mine".'
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert list(Settings().layouts()) == ["mine"]


def test_a_layout_that_cannot_be_read_says_so_and_changes_nothing(driver):
    driver.window.settings.keep_layout("odd", QByteArray(b"nonsense"))
    driver.window.layouts.fill_own()
    before = places(driver.window)
    driver.choose("View/Layout", "odd")
    assert "Cannot read the layout" in driver.said()
    assert driver.board.layout_name == "explore"
    assert set(places(driver.window)) == set(before)


def test_settings_that_make_no_sense_are_the_first_start(qtbot):
    senseless = {key: ["no", "sense"] for key in ("layout", "layouts", "view_options", "board")}
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(json.dumps(senseless))
    assert (Settings().layouts(), Settings().view_options(), Settings().layout) == ({}, {}, "")
    with driven(qtbot, size=SIZE) as driver:
        assert exposed_views(driver.window) == set(fronts_of(LAYOUTS["explore"].part(*driver.board.room)))


def test_a_cell_of_the_grid_moves_the_cursor_to_where_it_starts(driver):
    driver.finished()
    driver.press("End")
    driver.show_view("grid")
    driver.shown()
    grid = driver.views["grid"]
    at = 1
    event = int(grid.series.event[at])
    driver.click_plot("grid", grid.series.column[at] + 0.5, grid.series.row[at] + 0.5)
    assert driver.cursor == event + 1
    assert driver.shown() == event + 1
    assert grid.series.current == at


def test_floating_views_go_with_the_window(qtbot):
    with driven(qtbot, size=SIZE) as driver:
        dock = driver.board.docks["counts"]
        driver.choose_in_context(head(driver, "counts"), "Float")
        assert dock.isFloating()
        driver.choose_in_context(driver.views["counts"].plot.viewport(), "Float")
        assert not dock.isFloating(), "the plot has the menu of its head"
        driver.choose_in_context(driver.views["counts"].plot.viewport(), "Float")
        assert dock.isFloating()
        assert dock.isVisible()
        driver.press("Ctrl+Q")
        assert not dock.isVisible()
    with driven(qtbot, size=SIZE) as driver:
        assert driver.board.docks["counts"].isFloating()
        assert put_back(driver, "counts") is not None


def test_a_floating_view_that_was_hidden_and_put_back_can_be_hidden_again(driver):
    dock, title = driver.board.docks["counts"], VIEWS.titles["counts"]
    driver.views["counts"].body.setFocus()
    driver.press("Ctrl+Shift+M")
    assert dock.isFloating()
    driver.choose("View/Views", title)
    assert dock.isHidden()
    driver.choose("View/Layout", "Reset layout")
    assert not dock.isFloating()
    assert not dock.isHidden()
    driver.choose("View/Views", title)
    assert dock.isHidden()
    driver.choose("View/Views", title)
    assert not dock.isHidden()
