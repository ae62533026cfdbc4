"""The pages in the middle of the window, in whatever order the listeners of the workbench are notified."""

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollBar, QWidget

from gems_gui.views.card import Body
from gems_gui.workbench.workbench import Page
from tests.gui.window_driver import SMALL, driven


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "in reversed order"])
def test_pages_do_not_depend_on_the_order_of_listeners(qtbot, backwards):
    with driven(qtbot, SMALL) as driver:
        window, work = driver.window, driver.window.workbench
        if backwards:
            work._publisher._subscriptions.reverse()
        work.show_page(Page.DESIGNS)
        assert window.designs.panel.isVisible()
        assert window.designs.panel.hasFocus()
        work.show_page(Page.EXPERIMENTS)
        assert not window.designs.panel.isVisible()
        assert window.experiments.page.spec_picker.source.hasFocus()
        assert window.experiments.tabs.currentIndex() == 1
        work.show_page(Page.WELCOME)
        assert window.welcome.page.race.hasFocus()
        assert window.experiments.tabs.currentIndex() == 0
        work.show_page(Page.BOARD)
        assert window.centralWidget().hasFocus()
        work.run()
        driver.wait(lambda: work.snapshot is not None and window.board.snapshot is not None)
        assert window.windowTitle().startswith(work.active.name)
        assert window.run_list.runs_dock.chosen is work.active


def where_all_are(window):
    """The place of every visible widget; what is inside a view follows what the view shows."""
    inside = {part for body in window.findChildren(Body) for part in body.findChildren(QWidget)}
    return {
        part: (*part.mapTo(window, QPoint(0, 0)).toTuple(), *part.size().toTuple())
        for part in window.findChildren(QWidget)
        if part.isVisible() and part.window() is window and part not in inside
    }


class FirstPaint(QObject):
    """Where all widgets of a window are when one of them is painted for the first time."""

    def __init__(self, window):
        super().__init__()
        self.window, self.places = window, None
        QApplication.instance().installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and self.places is None and watched is not self.window:
            self.places = where_all_are(self.window)
        return False


def assert_nothing_moves(driver, visit, settled):
    """Visit a page or a tab, and compare its first paint with what is shown at last."""
    window = driver.window
    first = FirstPaint(window)
    visit()
    driver.wait(lambda: first.places is not None and settled())
    QTest.qWait(50)  # what comes late
    QApplication.instance().removeEventFilter(first)
    last = where_all_are(window)
    assert {part: place for part, place in last.items() if first.places.get(part, place) != place} == {}
    assert not [part for part in last.keys() - first.places.keys() if isinstance(part, QScrollBar)]


@pytest.mark.parametrize(("size", "scale"), [((1366, 740), 1.0), ((1024, 700), 1.25), ((1920, 1160), 1.4)])
def test_no_page_or_tab_moves_after_its_first_paint(qtbot, size, scale):
    with driven(qtbot, size=size) as driver:
        window = driver.window
        driver.set_look(font_scale=scale)
        driver.finished()
        driver.shown()
        assert_nothing_moves(
            driver,
            lambda: driver.click(window.experiments.tabs, window.experiments.tabs.tabRect(1).center()),
            lambda: window.experiments.choice.specification is not None,
        )
        page = window.experiments.page
        for at in reversed(range(page.tabs.count())):
            frame = page.stack.geometry()
            assert_nothing_moves(
                driver,
                lambda at=at: driver.click(page.tabs, page.tabs.tabRect(at).center()),
                lambda at=at: page.stack.currentIndex() == at,
            )
            assert page.stack.geometry() == frame
        driver.press("Ctrl+Shift+X")
        assert_nothing_moves(driver, lambda: driver.press("Ctrl+Shift+D"), lambda: window.designs.panel.grid.settled)
        driver.press("Ctrl+Shift+D")
        assert_nothing_moves(driver, lambda: driver.do("welcome"), lambda: window.welcome.page.isVisible())
