"""The pages in the middle of the window, in whatever order the listeners of the workbench are notified."""

import pytest

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
