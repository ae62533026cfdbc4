"""A window with its design debugger open on a recorded run, and the hands of its user."""

from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from gems_engine.design import DesignProblem
from gems_engine.events import DesignSolved
from tests.gui.sample_runs import point
from tests.gui.window_driver import LEFT, SMALL, drawn_bars, finished_run


@cache
def recorded(d_star=4):
    """A run of a second, which no test changes."""
    return finished_run(SMALL.with_text("instance.d_star", str(d_star)))


class Debugged:
    """A window with its debugger open on a recorded run, and the hands of its user."""

    def __init__(self, driver):
        self.driver = driver
        self.window = driver.window
        driver.workbench.open(recorded(), "run.gems")
        driver.press("Ctrl+Shift+D")
        self.panel, self.debugger = self.window.designs.panel, self.window.designs.debugger
        self.views = self.panel.views

    @property
    def study(self):
        return self.debugger.study

    @property
    def seen(self):
        return self.study.main.examination

    def shown(self):
        """Wait until nothing is computed and every view shows it."""
        self.driver.wait(lambda: not self.debugger.waits and self.panel.grid.settled)
        return self.study

    def go_to_design(self, which):
        """The cursor right behind a design of the run."""
        at = int(self.driver.trace.positions(DesignSolved)[which])
        self.driver.seek(at + 1)
        self.shown()
        return self.driver.trace[at]

    def problem(self, chosen, d):
        instance = self.driver.trace.instance
        return DesignProblem(instance.arms[:, :d], targets=instance.targets[list(chosen), :d])

    def write(self, line, text):
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, text)
        QTest.keyClick(line, Qt.Key.Key_Return)

    def pick_beside(self, solver):
        combo = self.panel.pickers.compared
        combo.setCurrentIndex(combo.findData(solver))
        combo.activated.emit(combo.currentIndex())
        self.shown()

    def rows(self):
        return [row.cells for row in self.views["design-table"].model.rows]

    def bars(self, view, *items):
        return drawn_bars([getattr(self.views[view], each) for each in items], len(self.driver.trace.instance.arms))


def drag(view, arm, share):
    """Drag a bar with the mouse to a height."""
    plot = view.plot
    x = float(view.series.order.positions[arm])
    start = point(plot, x, 0.01)
    end = point(plot, x, share)
    QTest.mousePress(plot.viewport(), LEFT, pos=start)
    for part in (0.3, 0.7, 1.0):
        QTest.mouseMove(plot.viewport(), start + (end - start) * part)
    return end


def save(opened, which):
    menu = opened.panel.save.menu()
    assert isinstance(menu, QMenu)
    menu.actions()[which].trigger()
