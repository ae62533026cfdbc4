"""Everything can be reached and read without a mouse: Tab, names, tips, and «What is this?»."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QColor, QHelpEvent, QStatusTipEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTabBar, QTextBrowser, QWhatsThis, QWidget

from gems_engine.terminal import with_indices
from gems_gui.experiments.page import TABS
from gems_gui.transport.scrubber import Scrubber
from gems_gui.views import VIEWS
from gems_gui.views.card import Body
from gems_gui.workbench.layouts import LAYOUTS
from tests.gui.window_driver import driven

MOST = 300  # stops, after which there is a trap


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, size=(1440, 900)) as made:
        yield made


def spoken(widget):
    """The name by which a screen reader calls a widget."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip()


def name(widget):
    return f"{type(widget).__name__} «{spoken(widget)}» {widget.objectName()} in {widget.parentWidget()}"


def walk(driver, key=Qt.Key.Key_Tab):
    """Where Tab leads, from the first stop until it comes back there."""
    QTest.keyClick(QApplication.focusWidget() or driver.window, key)
    stops = [QApplication.focusWidget()]
    while len(stops) < MOST:
        QTest.keyClick(stops[-1], key)
        now = QApplication.focusWidget()
        assert now is not stops[-1], f"{name(now)} is a trap"
        if now is stops[0]:
            return stops
        assert now not in stops, f"from {name(stops[-1])} Tab goes back to {name(now)}, not to the start"
        stops.append(now)
    raise AssertionError("Tab never comes back to where it began")


def reachable(window):
    """Everything that can take the focus by Tab now."""
    return {
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.isVisible()
        and widget.isEnabled()
        and widget.window() is window
        and widget.focusProxy() is None
    }


def said(widget, what):
    """A text of a widget, or of what it is in: Qt looks there too."""
    while widget is not None:
        if text := getattr(widget, what)():
            return text
        widget = widget.parentWidget()
    return ""


def test_at_the_start_space_plays_and_nothing_opens(driver):
    focus = QApplication.focusWidget()
    assert focus is driver.window.centralWidget()
    driver.finished()
    driver.press("Space")
    assert driver.playback.playing
    driver.press("Space")
    assert not driver.playback.playing


@pytest.mark.parametrize("size", [(1024, 700), pytest.param((1440, 900), marks=pytest.mark.long)])
def test_tab_visits_everything_once_and_comes_back(qtbot, size):
    with driven(qtbot, size=size) as driver:
        driver.finished()
        for layout in LAYOUTS:
            driver.window.layouts.choose(layout)
            driver.shown()
            assert_all_visited(driver)


def test_tab_visits_everything_on_the_page_of_experiments(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        driver.press("Ctrl+Shift+X")
        experiments = driver.window.experiments
        driver.wait(lambda: experiments.choice.specification is not None)
        for tab in TABS:
            experiments.page.show_tab(tab)
            assert_visited(driver)
        assert driver.window.size().toTuple() == (1024, 700)


def assert_all_visited(driver):
    """Tab leads to everything that can take the focus, everything says what it is, and views are in order."""
    stops = assert_visited(driver)
    bodies = [view.body for view in driver.views.values() if view.body.isVisible() and view.is_plot]
    assert set(bodies) <= set(stops)
    places = {stop: at for at, stop in enumerate(stops)}
    for dock in driver.board.docks.values():
        if dock.exposed and dock.view.options and dock.kind.is_plot:
            assert places[dock.view.body] == places[dock.view.head.options] + 1
    assert len({stop for stop in stops if isinstance(stop, QTabBar)}) == sum(
        bar.isVisible() and bar.geometry().right() >= 0 for bar in driver.board.findChildren(QTabBar)
    )


def assert_visited(driver):
    """Tab leads to everything that can take the focus, and everything says what it is; the stops of the way."""
    stops = walk(driver)
    expected = reachable(driver.window)
    missed = sorted(map(name, expected - set(stops)))
    assert not missed
    assert set(stops) == expected
    for stop in stops:
        assert spoken(stop), f"{name(stop)} has no name"
        for what in ("toolTip", "statusTip", "whatsThis"):
            if what == "toolTip" and isinstance(stop, Scrubber | Body | QTextBrowser):
                continue  # these say what is under the mouse, and over a text that is read a tip is in the way
            assert said(stop, what), f"{name(stop)} has no {what}"
    return stops


def test_no_text_or_table_is_a_trap(driver):
    driver.finished()
    driver.press("End")
    for view in (name for name, view in VIEWS.items() if not view.is_plot):
        assert_no_trap(driver, view)


def assert_no_trap(driver, view):
    """Tab leads into a view and out of it."""
    driver.board.show_view(view)
    driver.wait(lambda: driver.board.docks[view].exposed)
    driver.shown()
    stops = walk(driver)
    inside = [stop for stop in stops if driver.views[view].body.isAncestorOf(stop)]
    assert inside
    assert set(stops) == reachable(driver.window)
    for stop in inside:
        assert spoken(stop), name(stop)


def test_backwards_too(driver):
    forwards, backwards = walk(driver), walk(driver, Qt.Key.Key_Backtab)
    assert set(forwards) == set(backwards)


def test_a_view_with_the_focus_shows_it(driver):
    body = driver.views["counts"].body
    driver.window.centralWidget().setFocus()
    dock = driver.board.docks["counts"]
    line, ring = QColor(driver.theme.line), QColor(driver.theme.surviving)
    for focused, colour in ((False, line), (True, ring), (False, line)):
        (body if focused else driver.window.centralWidget()).setFocus()
        image = dock.grab().toImage()
        middle, low, right = dock.width() // 2, dock.height() - 1, dock.width() - 1
        edges = ((middle, 0), (0, 12), (middle, low), (right, low // 2))
        assert [image.pixelColor(*each) for each in edges] == [colour] * 4, "all around"


def test_every_entry_of_every_menu_says_what_it_does(driver):
    driver.start()
    driver.window.layouts.keep("mine")
    seen = 0
    for menu in driver.window.menuBar().findChildren(QMenu):
        for action in menu.actions():
            if not action.isSeparator() and action.menu() is None:
                seen += 1
                assert action.statusTip(), f"{menu.title()}: {action.text()}"
    assert seen > 40


def test_the_line_of_status_tips_lies_beside_the_menus_and_moves_nothing(driver):
    window, tip = driver.window, driver.window.status_tip
    before = driver.board.geometry()
    QApplication.sendEvent(window, QStatusTipEvent("Says what something does."))
    assert tip.isVisible()
    assert tip.text() == "Says what something does."
    menus = window.menuBar()
    last = max(menus.actionGeometry(each).right() for each in menus.actions())
    assert tip.x() > last
    assert tip.geometry().right() < window.width()
    assert tip.geometry().center().y() <= menus.height()
    QApplication.processEvents()
    assert driver.board.geometry() == before
    assert not window.statusBar().isVisible()
    QApplication.sendEvent(window, QStatusTipEvent("x" * 5000))
    assert tip.x() > last
    window.resize(window.width() - 100, window.height())
    QApplication.processEvents()
    assert last < tip.x() < tip.geometry().right() < window.width(), "it follows the edge"
    tabs = menus.cornerWidget()
    assert tip.geometry().right() < tabs.mapTo(window, tabs.rect().topLeft()).x(), "and leaves the tabs to be read"
    QApplication.sendEvent(window, QStatusTipEvent(""))
    assert not tip.isVisible()


def test_a_menu_entry_under_the_mouse_is_explained(driver):
    action = driver.actions["stop"]
    action.setEnabled(True)
    action.hover()
    action.showStatusText(driver.window)
    assert driver.window.status_tip.text() == action.statusTip()


def asked(widget):
    """What «What is this?» says of a widget."""
    event = QHelpEvent(QEvent.Type.WhatsThis, QPoint(5, 5), widget.mapToGlobal(QPoint(5, 5)))
    QApplication.sendEvent(widget, event)
    shown = next(
        (each for each in QApplication.topLevelWidgets() if each.metaObject().className() == "QWhatsThat"), None
    )
    QWhatsThis.hideText()
    return said(widget, "whatsThis"), shown is not None


def test_what_is_this(driver):
    driver.press("Shift+F1")
    assert QWhatsThis.inWhatsThisMode()
    QWhatsThis.leaveWhatsThisMode()
    for view in driver.views.values():
        words, shown = asked(view.body)
        assert words.startswith(with_indices(VIEWS[view.name].about))
        assert shown
    delta = driver.form.algorithm_form.fields["algorithm.delta"]
    assert delta.parameter.help in asked(delta.input)[0]
    assert "rounds per second" in asked(driver.transport.speed)[0]
    assert asked(driver.transport.buttons["play"])[0] == driver.actions["play"].whatsThis()
