"""F1 on the real window: the page of what has the focus or is pointed at, and the window that shows it."""

import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from gems_gui.help.help_window import HelpWindow
from gems_gui.help.pages import START, pages
from gems_gui.theme import DARK, LIGHT
from gems_gui.transport.run_until import RunUntil
from tests.gui.window_driver import LEFT, SMALL, driven

NOWHERE = QPoint(3, 3)


class Reader:
    """Presses F1 in the window, and reads what comes."""

    def __init__(self, driver):
        self.driver = driver
        self.window = driver.window
        self.away()

    @property
    def shown(self):
        return [each for each in self.window.findChildren(HelpWindow) if each.isVisible()]

    @property
    def help(self):
        (only,) = self.shown
        return only

    @property
    def words(self):
        return self.help.browser.toPlainText()

    def away(self):
        self.window.centralWidget().setFocus()
        self.over(self.window.transport, NOWHERE)

    def over(self, widget, at=None):
        """Bring the mouse to a widget."""
        place = widget.mapTo(self.window, widget.rect().center() if at is None else at)
        QTest.mouseMove(self.window.windowHandle(), place)
        QApplication.processEvents()

    def f1(self):
        self.window.activateWindow()
        self.driver.qtbot.waitUntil(self.window.isActiveWindow)
        self.driver.press("F1")
        return self.help.browser.key


@pytest.fixture
def reader(qtbot):
    with driven(qtbot, SMALL) as driver:
        yield Reader(driver)


def field(reader, key):
    form = reader.driver.form
    return {**form.instance_form.list.fields, **form.algorithm_form.fields}[key]


def test_with_the_focus_or_the_mouse_in_a_view_in_a_field_and_elsewhere(reader):
    assert reader.f1() == START
    reader.driver.views["cost"].body.setFocus()
    assert reader.f1() == "views/cost"
    assert reader.help.windowTitle() == "Help: Why this dimension?"
    field(reader, "algorithm.delta").input.setFocus()
    assert reader.f1() == "parameters/algorithm/delta"
    assert reader.words.startswith("δ, the error probability")
    field(reader, "instance.epsilon").input.setFocus()
    assert reader.f1() == "parameters/instance/epsilon"
    field(reader, "run.seed").input.setFocus()
    assert reader.f1() == "parameters/run/seed"
    reader.driver.form.algorithm_form.algorithm.setFocus()
    assert reader.f1() == "algorithms/fixed-confidence"
    reader.driver.form.instance_form.family.setFocus()
    assert reader.f1() == "families/paper-hard"
    reader.driver.form.presets.setFocus()
    assert reader.f1() == START
    reader.away()
    reader.over(reader.driver.views["counts"].body)
    assert reader.f1() == "views/counts"
    reader.over(reader.driver.views["weights"].head)
    assert reader.f1() == "views/weights"
    reader.over(field(reader, "algorithm.base").label)
    assert reader.f1() == "parameters/algorithm/base"


def test_a_view_that_is_pointed_at_wins_over_a_field_unless_one_came_there_by_keys(reader):
    line = field(reader, "algorithm.base").input
    QTest.mouseClick(line, LEFT)
    assert line.hasFocus()
    assert reader.f1() == "parameters/algorithm/base"
    reader.over(reader.driver.views["counts"].body)
    assert reader.f1() == "views/counts"
    QTest.keyClick(line, Qt.Key.Key_Tab)
    assert reader.f1() == "parameters/algorithm/stop_when_verifiable"
    QTest.mouseClick(line, LEFT)
    assert reader.f1() == "views/counts"
    reader.driver.do("how_to_read")
    assert reader.help.browser.key == START
    reader.driver.choose_in_context(reader.driver.views["weights"].head, "Help")
    assert reader.help.browser.key == "views/weights"


def test_in_a_dialog(reader, qtbot):
    reader.driver.start()
    dialog = reader.driver.opened("U", RunUntil)
    who = dialog.form.field("who").input
    who.setFocus()
    reader.over(reader.driver.views["counts"].body)
    QTest.keyClick(who, Qt.Key.Key_F1)
    assert reader.help.browser.key == "parameters/until/who"


def test_one_window_that_blocks_nothing_and_remembers_where_it_was(reader, qtbot):
    reader.f1()
    first = reader.help
    assert not first.isModal()
    assert QApplication.activeModalWidget() is None
    first.resize(700, 500)
    reader.driver.views["cost"].body.setFocus()
    reader.f1()
    assert reader.shown == [first]
    QTest.keyClick(first.browser, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not isValid(first))
    reader.f1()
    assert (reader.help.width(), reader.help.height()) == (700, 500)


def test_back_forward_and_links(reader):
    reader.driver.views["cost"].body.setFocus()
    reader.f1()
    window, browser = reader.help, reader.help.browser
    assert not window.back.isEnabled()
    browser.setSource(QUrl("help:parameters/algorithm/zeta"))  # as a click on a link does
    assert reader.words.startswith("ζ, the loss allowed in rounding")
    assert window.contents.currentItem().text(0) == "ζ, the loss allowed in rounding"
    QTest.mouseClick(window.back, LEFT)
    assert (browser.key, window.back.isEnabled()) == ("views/cost", False)
    assert window.contents.currentItem().text(0) == "Why this dimension?"
    QTest.mouseClick(window.forward, LEFT)
    assert browser.key == "parameters/algorithm/zeta"
    reader.driver.qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(browser, Qt.Key.Key_F1)
    assert browser.key == START
    spots = (QPoint(x, y) for y in range(0, browser.viewport().height(), 3) for x in range(12, 80, 8))
    spot = next(each for each in spots if browser.anchorAt(each))
    target = browser.anchorAt(spot).removeprefix("help:")
    QTest.mouseClick(browser.viewport(), LEFT, pos=spot)
    assert browser.key == target
    assert target in pages()
    browser.setSource(QUrl("help:views/nothing"))
    assert 'There is no page "views/nothing".' in reader.words


def test_the_contents_list_all_pages_and_are_searched(reader):
    reader.f1()
    window = reader.help
    listed = {key for key, item in window._items.items() if not item.isHidden()}
    assert listed == {START, *pages()}
    for control in (window.search, window.contents, window.back, window.forward, window.start):
        assert control.accessibleName()
        assert control.toolTip()
        assert control.statusTip()
        assert control.whatsThis()
    QTest.keyClicks(window.search, "pukelsheim linear")
    listed = [key for key, item in window._items.items() if not item.isHidden()]
    assert listed == ["parameters/algorithm/rounding"]
    groups = [window.contents.topLevelItem(row) for row in range(window.contents.topLevelItemCount())]
    assert [each.text(0) for each in groups if not each.isHidden()] == ["Parameters of algorithms"]
    QTest.keyClick(window.search, Qt.Key.Key_Return)
    assert window.browser.key == "parameters/algorithm/rounding"
    assert window.isVisible()
    window.search.clear()
    item = window._items["views/why"]
    window.contents.scrollToItem(item)
    QTest.mouseClick(window.contents.viewport(), LEFT, pos=window.contents.visualItemRect(item).center())
    assert window.browser.key == "views/why"


def test_it_wears_the_theme_and_hides_the_colour_of_the_truth(reader):
    reader.f1()
    browser = reader.help.browser
    reader.driver.set_look("light")
    assert LIGHT.surviving.lower() in browser.toHtml().lower()
    reader.driver.set_look("dark", 1.5)
    html = browser.toHtml().lower()
    assert DARK.surviving.lower() in html
    assert LIGHT.surviving.lower() not in html
    assert f"font-size:{round(18 * 1.5)}px" in html
    assert DARK.best.lower() in html
    reader.driver.come_back()
    reader.driver.press("T")
    assert DARK.best.lower() not in browser.toHtml().lower()
    assert "The truth is hidden" in reader.words


def test_it_is_not_loaded_before_somebody_asks():
    code = "import sys, gems_gui.window; print(*(name for name in sys.modules if name.startswith('gems_gui.help.')))"
    loaded = subprocess.run([sys.executable, "-c", code], timeout=100, capture_output=True, text=True, check=True)
    assert set(loaded.stdout.split()) == {"gems_gui.help.actions", "gems_gui.help.help_controller"}, "what asks for it"
