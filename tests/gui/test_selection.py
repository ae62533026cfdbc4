"""Linked selection: an arm picked in one view is marked in all that show arms."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gems_gui.drafts.draft import Draft
from gems_gui.help.help_window import HelpWindow
from gems_gui.series.names import typeset_name
from tests.gui.window_driver import driven

TRANSDUCTIVE = Draft.of("transductive", seed=1, parameters={"max_samples": 5000})


@pytest.fixture
def driver(qtbot):
    with driven(qtbot) as made:
        made.finished()
        made.press("Ctrl+Right", 4)
        made.press("Shift+Right")
        made.shown()
        yield made


def middle(driver, name):
    return sum(driver.views[name].plot.box.viewRange()[1]) / 2


def marked_arms(driver):
    """The arm over which each of the two bar plots has its band, None for none."""
    found = []
    for name in ("weights", "counts"):
        plot = driver.views[name].plot
        places = list(plot.band.opts["x"])
        assert plot.name.isVisible() == bool(places)
        found.append(int(plot.order.arms[int(places[0])]) if places else None)
    return found


def marked_target(driver):
    """The target whose row has a frame, None for none."""
    view = driver.views["survivors"]
    if not view.chosen_row.isVisible():
        return None
    return int(view.series.order[int(view.chosen_row.rect().center().y())])


def test_an_arm_clicked_on_its_bar_or_in_its_row_is_marked_everywhere(driver):
    for name in ("weights", "counts"):
        driver.click_plot(name, 3.1, middle(driver, name))
        driver.shown()
        assert marked_arms(driver) == [3, 3]
        assert marked_target(driver) == 3
        assert driver.views["counts"].plot.name.toPlainText() == typeset_name(driver.trace.instance.arm_label(3))
        driver.click_plot(name, 2, middle(driver, name))
        driver.shown()
        assert (*marked_arms(driver), marked_target(driver)) == (2, 2, 2)
        driver.click_plot(name, 2, middle(driver, name))
        driver.shown()
        assert (*marked_arms(driver), marked_target(driver)) == (None, None, None)
    view = driver.views["survivors"]
    target = int(view.series.order[3])
    driver.click_plot("survivors", float(view.series.edges[-1]) / 2, 3.5)
    driver.shown()
    assert marked_target(driver) == target
    assert marked_arms(driver) == [target, target]
    driver.click_plot("survivors", float(view.series.edges[-1]) / 2, 3.5)
    driver.shown()
    assert marked_target(driver) is None


def test_escape_clears_it_also_after_the_help_is_closed(driver):
    driver.click_plot("counts", 3, middle(driver, "counts"))
    shown = driver.opened("F1", HelpWindow)
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    driver.window.activateWindow()  # as a desktop does
    driver.shown()
    assert marked_arms(driver) == [3, 3], "this Esc closes the help"
    driver.press("Esc")
    driver.shown()
    assert (*marked_arms(driver), marked_target(driver)) == (None, None, None)
    assert not driver.actions["leave_maximised"].isEnabled()


def test_a_selection_stays_while_the_cursor_moves_and_belongs_to_its_run(driver):
    driver.click_plot("counts", 3, middle(driver, "counts"))
    for keys in ("Right", "Ctrl+Left", "Home", "End"):
        driver.press(keys)
        driver.shown()
        assert (*marked_arms(driver), marked_target(driver)) == (3, 3, 3)
    first = driver.run
    driver.start()
    driver.finish()
    driver.shown()
    assert marked_arms(driver) == [None, None]
    driver.choose("Run/Runs", first.name)
    driver.shown()
    assert marked_arms(driver) == [3, 3]


def test_bars_in_another_order_are_marked_where_they_stand(driver):
    options = driver.views["counts"].options
    driver.choose_option("counts", next(each for each in options if each.name == "order").choices["size"])
    order = driver.views["counts"].plot.order
    driver.click_plot("counts", 0, middle(driver, "counts"))
    driver.shown()
    assert marked_arms(driver) == [order.arms[0]] * 2
    assert driver.trace.state_at(driver.cursor).counts.argmax() == order.arms[0]


def test_where_targets_are_not_arms_each_marks_its_own(qtbot):
    with driven(qtbot, TRANSDUCTIVE) as driver:
        driver.finished()
        driver.press("End")
        driver.shown()
        instance = driver.trace.instance
        places = instance.target_arms
        lonely = 1 if places is None else next(arm for arm in range(len(instance.arms)) if arm not in set(places))
        driver.click_plot("counts", lonely, middle(driver, "counts"))
        driver.shown()
        assert marked_arms(driver) == [lonely, lonely]
        assert marked_target(driver) is None
        driver.click_plot("survivors", float(driver.views["survivors"].series.edges[-1]) / 2, 0.5)
        driver.shown()
        target = int(driver.views["survivors"].series.order[0])
        assert marked_target(driver) == target
        expected = None if places is None else int(places[target])
        assert marked_arms(driver) == [expected, expected]


def test_a_hidden_view_marks_the_arm_as_soon_as_it_is_shown(driver):
    driver.hide_view("weights")
    driver.click_plot("counts", 4, middle(driver, "counts"))
    driver.shown()
    driver.show_view("weights")
    driver.shown()
    assert marked_arms(driver) == [4, 4]
