"""Drives the real window as a person does: keys, mouse and menus; and reads from its items what is on screen."""

import os
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QObject, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QStyle, QStyleOptionSlider

from gems_engine.events import DesignSolved, IdleRounds, SubroutineStarted
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_gui.drafts.draft import Draft
from gems_gui.series.fate_raster import SURVIVING, UNDECIDED, squeezed
from gems_gui.series.status import status
from gems_gui.settings import Settings
from gems_gui.snapshot import Snapshot, at_rest
from gems_gui.window import MainWindow
from tests.gui.sample_runs import point

PATIENCE = 20_000  # milliseconds for what takes one second on a quiet machine
LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
SMALL = Draft.of("paper-hard", seed=1, instance={"d_star": 4, "epsilon": 0.3}, parameters={"max_samples": 3000})
"""116 events, computed in a tenth of a second."""
MIDDLE = SMALL.with_text("algorithm.max_samples", "30000")
"""209 events, with eleven eliminations and a recommendation that changes."""
LONG = Draft.of(
    "paper-hard",
    seed=1,
    instance={"epsilon": 1e-5},
    parameters={"base": 2, "max_samples": 10**15, "max_loops": 200},
)
"""42,883 events in some seconds: it does not end before it is stopped."""

TOY = '''
"""An algorithm of another package that blocks between events, raises or never ends, as asked."""
import time
from pathlib import Path
from gems_engine.algorithms.algorithm import SHARED, Algorithm
from gems_engine.events import Place, Recommended, RunFinished
from gems_engine.parameters import Parameter


def steps(context, parameters):
    m = 0
    while parameters["what"] != "raise" or m < 3:
        while parameters["what"] == "block" and not (Path(parameters["folder"]) / f"go-{m}").exists():
            time.sleep(0.005)
        yield Recommended(Place(), m % 2, m, "toy")
        m += 1
    raise ZeroDivisionError("nothing to divide by")


TOY = Algorithm("window-toy", "A toy.", (
    Parameter("folder", "text", "", "Where it looks."),
    Parameter("what", "choice", "endless", "What it does.", choices=("endless", "block", "raise")),
    *SHARED), "epsilon", steps)
'''


@contextmanager
def toy_package(folder):
    """A package with an algorithm, as another project would install it."""
    (folder / "gems_window_toy.py").write_text(TOY)
    about = folder / "gems_window_toy-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gems-window-toy\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[gems.algorithms]\nwindow-toy = gems_window_toy:TOY\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield
    sys.modules.pop("gems_window_toy", None)


def toy_draft(folder, what):
    """A form that asks for the toy."""
    draft = SMALL.with_instance(Instance.linear(np.eye(2), [1.0, 0.0])).with_algorithm("window-toy")
    return draft.with_text("algorithm.folder", str(folder)).with_text("algorithm.what", what)


def visible_box(page, row):
    """The rectangle of a row of pseudo-code in the viewport."""
    return row.box.translated(0, -page.verticalScrollBar().value())


def finished_run(draft):
    """The run of a draft, computed without a window."""
    instance = make(draft.family.name, **draft.family_values())
    return Run(instance, draft.algorithm, draft.seed_value(), **draft.algorithm_values()).finish()


def gone(pid):
    """Whether a process has ended, or waits only to be buried."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


def live_until(condition):
    """Let Qt live until something holds; looks five times as often as a qtbot does, which thousands of waits feel."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"it has not come about in {PATIENCE // 1000} seconds")
        QTest.qWait(2)


class Paints(QObject):
    """Counts how often the plot of each visible view was painted."""

    def __init__(self, board):
        super().__init__()
        seen = {name: view for name, view in board.views.items() if view.body.isVisible()}
        self.counts = dict.fromkeys(seen, 0)
        self._names = {view.plot.viewport(): name for name, view in seen.items()}
        for viewport in self._names:
            viewport.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.counts[self._names[watched]] += 1
        return False


def choose_by_keys(box, *keys):
    """Open the list of a combo box with ↓, press keys in it, and take the row with Enter."""
    QTest.keyClick(box, Qt.Key.Key_Down)
    for key in (*keys, Qt.Key.Key_Return):
        QTest.keyClick(box.view(), key)
    box.window().activateWindow()  # Qt's offscreen platform forgets it when a list closes


def choose_in_list(box, key):
    """Choose the entry of a combo box that has this key, with the keyboard."""
    box.setFocus()  # as Tab does
    choose_by_keys(box, Qt.Key.Key_Home, *[Qt.Key.Key_Down] * box.findData(key))


def pick(box, row):
    """Choose a row of a combo box with the mouse."""
    between = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(1)  # Qt ignores a click on a list that comes so soon after it was opened
    listed, entry = box.view(), box.model().index(row, 0)

    def chosen():
        listed.scrollTo(entry)
        QTest.mouseClick(listed.viewport(), LEFT, pos=listed.visualRect(entry).center())
        return not listed.isVisible()

    try:
        QTest.mouseClick(box, LEFT)
        live_until(listed.isVisible)
        live_until(chosen)
    finally:
        QApplication.setDoubleClickInterval(between)


def write(line, text, end=None):
    """Click a line of text and type another text in place of what it has; with a last key, press that, too."""
    QTest.mouseClick(line, LEFT)
    QTest.keyClick(line, Qt.Key.Key_A, CONTROL)
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, text)
    if end is not None:
        QTest.keyClick(line, end)


def handle(slider, part=QStyle.SubControl.SC_SliderHandle):
    """Where the handle of a slider is, or another part."""
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider)


def slide(slider, place):
    """Drag the handle of a slider to a place, and take the last steps, between pixels, with the arrows."""
    start, groove = handle(slider), handle(slider, QStyle.SubControl.SC_SliderGroove)
    ends = slider.minimum(), slider.maximum(), place, groove.width() - start.width()
    end = QPoint(groove.left() + QStyle.sliderPositionFromValue(*ends) + start.width() // 2, start.center().y())
    QTest.mousePress(slider, LEFT, pos=start.center())
    QTest.mouseMove(slider, end)
    QTest.mouseRelease(slider, LEFT, pos=end)
    while slider.value() != place:
        QTest.keyClick(slider, Qt.Key.Key_Right if slider.value() < place else Qt.Key.Key_Left)


def choose_in_menu(opens, text):
    """Open a menu and click an entry, by its text or its id; Qt may wait in what opens the menu until it closes."""
    clicked = []

    def click():
        menu = QApplication.activePopupWidget()
        try:
            (entry,) = (each for each in menu.actions() if text in (each.text(), each.objectName()))
            assert entry.isEnabled(), text
            QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(entry).center())
            clicked.append(entry)
        finally:
            menu.close()

    QTimer.singleShot(0, click)
    opens()
    live_until(lambda: clicked)


def choose_in_context(widget, text, at=None):
    """Open the context menu of a widget and click an entry, by its text or its id."""
    at = widget.rect().center() if at is None else at
    asks = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
    choose_in_menu(lambda: QApplication.sendEvent(widget, asks), text)


def open_dialog(parent, kind):
    """The dialog of a kind that is open, if one is."""
    near = Qt.FindChildOption.FindDirectChildrenOnly
    return next((each for each in parent.findChildren(kind, options=near) if each.isVisible()), None)


class Driver:
    """A window and the hands of its user.

    Tests reach what several of them are about by these names. A part that one file is about is reached there, once.
    """

    def __init__(self, qtbot, window):
        self.qtbot = qtbot
        self.window = window
        self.actions = window.action_set
        # What the window is about.
        self.workbench = window.workbench
        self.drafts = window.workbench.drafts
        self.engine = window.engine
        # What is always on screen.
        self.board = window.board
        self.transport = window.transport
        self.form = window.form
        self.notice = window.notice
        self.difference_bar = window.difference_bar

    # -- what there is ------------------------------------------------------------------------------------------

    @property
    def views(self):
        return self.board.views

    @property
    def draft(self):
        return self.drafts.draft

    @property
    def run(self):
        return self.workbench.active

    @property
    def playback(self):
        return self.workbench.playback

    @property
    def theme(self):
        return self.window.theme

    @property
    def message(self):
        """What is said over the board, empty if nothing is."""
        return self.notice.sentence.text() if self.notice.isVisible() else ""

    @property
    def trace(self):
        return self.run.trace

    @property
    def cursor(self):
        return self.playback.cursor

    # -- hands --------------------------------------------------------------------------------------------------

    def press(self, keys, times=1):
        """Press keys as they are written in the sheet of keys; they go to the widget with the focus."""
        # Qt's offscreen platform forgets it when fields of the form are replaced.
        if QApplication.activeWindow() is None:
            self.window.activateWindow()
            self.wait(self.window.isActiveWindow)
        combination = QKeySequence(keys)[0]
        for _ in range(times):
            to = QApplication.focusWidget() or self.window
            QTest.keyClick(to, combination.key(), combination.keyboardModifiers())

    def seek(self, cursor):
        """Go to a cursor, as by the line over the run."""
        self.transport.cursor_requested.emit(cursor)

    def set_look(self, theme=None, font_scale=None):
        """Choose a theme and a size of text; without one, it stays."""
        self.window.appearance.choose(theme, font_scale)

    def write_run(self, run, path):
        """Begin to write a run to a file, as if a dialog had been answered."""
        self.window.file_controller.write_run(run, str(path))

    def choose(self, menu, text):
        """Open a menu and click an entry."""
        opened = self.actions.menu(menu)
        opened.popup(self.window.mapToGlobal(self.window.rect().topLeft()))
        actions = [action for action in opened.actions() if action.text() == text]
        assert len(actions) == 1, [action.text() for action in opened.actions()]
        assert actions[0].isEnabled()
        self.click(opened, opened.actionGeometry(actions[0]).center())
        self.window.activateWindow()  # Qt's offscreen platform forgets it when a menu closes

    def choose_in_context(self, widget, text, at=None):
        """Open the context menu of a widget and click an entry, by its text or its id."""
        choose_in_context(widget, text, at)
        self.come_back()

    def choose_option(self, view, text):
        """Click the button in the head of a view, and an entry of its menu."""
        button = self.views[view].head.options
        choose_in_menu(lambda: self.click(button), text)
        self.come_back()

    def come_back(self):
        """Make the window active again, after a dialog or a menu in which Qt waited, as a click on it does."""
        self.window.activateWindow()
        self.wait(self.window.isActiveWindow)

    def do(self, name):
        """Do what an action does: by its key, or from its menu if it has none."""
        spec = next(each for each in self.actions.specs if each.id == name)
        if spec.keys:
            self.press(spec.keys[0])
        else:
            self.choose(spec.menu, self.actions[name].text())

    def show_view(self, name):
        """Show a view by the menu, and wait until it is there."""
        self.choose("View/Views", self.board.docks[name].toggleViewAction().text())
        self.wait(lambda: self.board.docks[name].exposed and self.board.docks[name].view is not None)

    def show_run(self, run):
        """Show a run by the menu."""
        self.choose("Run/Runs", run.name)
        assert self.run is run

    def click_run(self, run):
        """Click the row of a run in the list of runs, which is open."""
        listed = self.window.run_list.runs_dock.list
        row = listed.model().index(self.workbench.runs.index(run), 0)
        listed.scrollTo(row)
        self.click(listed.viewport(), listed.visualRect(row).center())

    def remove_run(self, run):
        """Remove a run in the list of runs, which is shown for that."""
        dock = self.window.run_list.runs_dock
        opens = dock.isHidden()
        if opens:
            self.choose("View", "Runs")
        self.wait(lambda: dock.exposed)
        self.click_run(run)
        QTest.keyClick(dock.list, Qt.Key.Key_Delete)
        assert run not in self.workbench.runs
        if opens:
            self.click(dock.close_button)

    def hide_view(self, name):
        """Hide a view by the menu of its head."""
        self.choose_in_context(self.views[name].head, "Hide")

    def click(self, widget, at=None):
        """Click a widget with the left button."""
        QTest.mouseClick(widget, LEFT, pos=widget.rect().center() if at is None else at)

    def click_plot(self, name, x, y):
        """Click a place of a view's plot, in the units of its axes."""
        self.click(self.views[name].plot.viewport(), point(self.views[name].plot, x, y))

    def type_into(self, key, text):
        """Put another text into a field of the form, key by key."""
        fields = {**self.form.instance_form.list.fields, **self.form.algorithm_form.fields}
        field = fields[key].input
        field.setFocus()  # as Tab does: it may be scrolled out of sight
        field.selectAll()
        QTest.keyClicks(field, text)

    def drop(self, widget, *paths):
        """Drop files on a widget, by the way that Qt takes; whether they were taken."""
        files = QMimeData()
        files.setUrls([path if isinstance(path, QUrl) else QUrl.fromLocalFile(str(path)) for path in paths])
        files.setText("\n".join(map(str, paths)))  # as file managers do
        while not widget.acceptDrops():  # Qt looks for the first that takes anything
            widget = widget.parentWidget()
        middle = widget.rect().center()
        offered = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
        enter = QDragEnterEvent(middle, offered, files, LEFT, SHIFT)  # Shift proposes to move them
        enter.ignore()
        QApplication.sendEvent(widget, enter)
        if not enter.isAccepted():
            return False  # Qt then sends no drop
        drop = QDropEvent(QPointF(middle), offered, files, LEFT, SHIFT)
        QApplication.sendEvent(widget, drop)
        assert drop.dropAction() == Qt.DropAction.CopyAction, "what is moved, a file manager may delete"
        return True

    def answer(self, path):
        """Name a file in the dialog that asks for one."""
        dialog = next(each for each in self.window.findChildren(QFileDialog) if each.isVisible())
        dialog.selectFile(str(path))
        dialog.accept()
        self.window.activateWindow()

    def opened(self, keys, kind):
        """Open a dialog of a kind by its keys, ready to be typed into."""
        self.press(keys)
        dialog = open_dialog(self.window, kind)
        dialog.activateWindow()
        self.wait(dialog.isActiveWindow)
        return dialog

    # -- patience -----------------------------------------------------------------------------------------------

    def wait(self, condition):
        """Let the window live until something holds."""
        live_until(condition)

    def start(self, *keys):
        """Run the form, by Ctrl+R if nothing else is said, and wait until the run is there."""
        before = self.run
        self.wait(lambda: self.drafts.instance is not None)
        for each in keys or ("Ctrl+R",):
            self.press(each)
        self.wait(lambda: self.run is not before)

    def finish(self):
        """Wait for the end of the run."""
        self.wait(lambda: self.playback.ended)

    def finished(self):
        """Run the form to its end, stop the cursor, and go before the first event."""
        self.start()
        self.finish()
        if self.playback.playing:
            self.press("Space")
        self.press("Home")
        assert self.cursor == 0

    def shown(self):
        """Wait until every visible view shows the newest snapshot, compare them with it, and give its cursor."""
        self.wait(lambda: self.board.settled)
        assert_on_screen(self.window)
        return self.cursor

    def said(self):
        """Wait for a message over the board."""
        self.wait(lambda: self.message)
        return self.message

    def kill_worker(self):
        """End the engine's process as the system does when memory runs out."""
        os.kill(self.engine._engine.pid, signal.SIGKILL)


@contextmanager
def driven(qtbot, draft=SMALL, in_thread=True, size=(1150, 760), layout=None, welcome=False):
    """A window with a form, shown and ready for keys; everything of it is gone afterwards.

    Without a size it is as large as it makes itself. With the welcome page, no view has been shown before. Who looks at
    no view asks for a layout with few: half the time of opening a window goes into its views.
    """
    if layout is not None:
        Settings().layout = layout
    window = MainWindow(draft, in_thread=in_thread)
    try:
        if size is not None:
            window.resize(*size)
        if welcome:
            window.begin_with((), False, None, welcome=True, recovers=False)
        window.show()
        window.activateWindow()
        live_until(window.isActiveWindow)
        live_until(lambda: window.begun if welcome else window.board.ready)
        yield Driver(qtbot, window)
    finally:
        window.close_without_asking()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.instance().setStyleSheet("")  # the next window opens in half the time


# -- what is on screen ----------------------------------------------------------------------------------------------


def drawn_bars(items, arms):
    """Heights of bars by arm, those of several items added up; arms are in the order of their index."""
    heights = np.zeros(arms)
    for item in items:
        np.add.at(heights, np.asarray(item.opts["x"], dtype=int), item.opts["height"])
    return heights


def shown_design(trace, state, end=None):
    """The design at the cursor; until a round has its own, that of the round before it in the same subroutine.

    At the end of a run that was stopped in front of one, that of the last round.
    """
    ended = state.finished is not None
    if state.design is not None or state.allocation is not None or not (state.place.k or ended):
        return state.design
    for at in reversed(range(state.cursor if end is None else end)):
        if isinstance(trace[at], DesignSolved):
            return trace[at]
        if isinstance(trace[at], SubroutineStarted | IdleRounds) and not ended:
            return None
    return None


def assert_on_screen(window):
    """What views and transport draw equals the state that the trace itself gives at the cursor."""
    run = window.workbench.active
    shown = Snapshot(run.trace, run.playback.history, run.trace.state_at(run.playback.cursor))
    shown = at_rest(shown)
    state = shown.state
    arms = len(run.trace.instance.arms)
    views = window.board.views
    for name, view in views.items():
        if view.body.isVisible():
            assert view.snapshot is not None, name
            assert view.snapshot.trace is run.trace, name
            assert view.snapshot.cursor == state.cursor, name
    transport = window.transport
    assert transport.counter.text.replace("\N{NARROW NO-BREAK SPACE}", "") == f"{state.cursor} / {run.playback.length}"
    assert transport.scrubber.value() == state.cursor
    said = status(window.workbench.snapshot)
    assert transport.status.text.startswith(said.place)
    seen = {name for name, view in views.items() if view.body.isVisible()}
    if "counts" in seen:
        counts = views["counts"]
        assert np.array_equal(drawn_bars((counts.round, counts.subroutine, counts.run), arms), state.counts)
    if "weights" in seen:
        weights, design = np.zeros(arms), shown_design(run.trace, state, shown.call_end)
        if design is not None:
            weights[design.support] = design.weights
        assert np.allclose(drawn_bars((views["weights"].weights,), arms), weights)
    if "dimension" in seen:
        _, dots = views["dimension"].current.getData()
        now = [] if not state.d or state.round_place.k == 0 else [state.d]
        assert list(dots) == now or state.idle is not None or state.place.k == 0
    if "survivors" in seen and len(views["survivors"].series.rounds):
        order, last = views["survivors"].series.order, views["survivors"].image.image[:, -1]
        remain = np.isin(np.arange(len(order)), state.survivors)[:, None].astype(np.uint8)
        assert np.array_equal(np.isin(last, (SURVIVING, UNDECIDED)), squeezed(remain, order, len(last))[:, 0])
