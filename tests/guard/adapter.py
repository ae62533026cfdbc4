"""All that the guards know about the inside of gems_gui, in one place: a restructuring changes this file, no guard.

What can be reached by Qt, by the command line or by the driver of the tests is reached that way.
"""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before numpy is loaded

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from unittest.mock import patch

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QTextEdit, QWidget

from gems_engine.cli import main as _gems
from gems_engine.files import read_run, write_run
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.application import application
from gems_gui.painting.rows import BOARD as BOARD
from gems_gui.views import EVERY_VIEW
from tests.gui.window_driver import LONG, SMALL, Driver, driven

PATIENCE = 20.0  # seconds for a window to come to rest
_LASTING = 1000  # milliseconds: a timer with a longer interval changes no picture that is taken at rest

# -- runs: the engine's own, by its own doors ---------------------------------------------------------------------

_EIGHT_ARMS = {"D": 5, "d_star": 2, "n": 8, "min_gap": 0.05, "theta": "flat", "seed": 6}


_RUNS: dict[str, Callable[[], Run]] = {
    "paper-hard": lambda: Run(make("paper-hard", d_star=4, epsilon=0.3), "fixed-confidence", 1, max_samples=30_000),
    "gems-c": lambda: Run(make("sphere", **_EIGHT_ARMS), "gems-c", 1, rounds=8, selection_budget=80.0),
    "gems-b": lambda: Run(make("sphere", **_EIGHT_ARMS), "gems-b", 2, budget=12_000, rounds=6, selection_budget=100.0),
    "sphere": lambda: Run(make("sphere", n=30, D=10), "fixed-confidence", 1, base=4, max_samples=50_000),
}


def sample_runs(*names: str) -> dict[str, Trace]:
    """Small recorded runs by name, always the same: one of several loops, single calls, and one with more arms."""
    return {name: _RUNS[name]().finish() for name in names or _RUNS}


def recorded_runs(folder: Path) -> dict[str, Trace]:
    """The same runs from a folder into which they were recorded, by this commit or by another one."""
    return {name: read_run(folder / f"{name}.gems") for name in _RUNS}


def cursors(trace: Trace) -> dict[str, int]:
    """The fixed cursors of a run: early, in the middle, inside a round, and at its end."""
    allocated = trace.positions("allocated")
    return {
        "early": int(trace.positions("design solved")[0]) + 1,
        "middle": len(trace) // 2,
        "in-round": int(allocated[2 * len(allocated) // 3]) + 1,
        "end": len(trace),
    }


def gems(*words: str) -> int:
    """Run a command of the program here; its exit code."""
    return _gems(list(words))


# -- views --------------------------------------------------------------------------------------------------------


def view_names() -> list[str]:
    """Every view that has a picture."""
    return list(EVERY_VIEW)


def view_options(name: str) -> list[tuple[str, str]]:
    """What can be chosen about a view but is not its default: option and value."""
    options = () if name == BOARD else EVERY_VIEW[name].options
    return [(each.name, value) for each in options for value in each.choices if value != each.default]


@contextmanager
def steady_clock() -> Iterator[None]:
    """While inside, a solver's clock counts how often it is asked: views show milliseconds of solves."""
    asked = count()
    with patch("gems_engine.design.solve.clock", SimpleNamespace(now=lambda: next(asked) / 1000)):
        yield


# -- the window ---------------------------------------------------------------------------------------------------


@contextmanager
def home() -> Iterator[Path]:
    """A folder in the place of the user's own, in which settings, recovery files and runs of a script are."""
    names = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    before, here = {name: os.environ.get(name) for name in names}, Path.cwd()
    with TemporaryDirectory(prefix="gems-guard-") as folder:
        os.environ.update(dict.fromkeys(names, folder))
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(here)
            for name, value in before.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def window(size: tuple[int, int] = (1440, 900), *, long: bool = False, in_thread: bool = True) -> Iterator[Driver]:
    """A window on a small draft, or on one whose run does not end by itself; it is gone afterwards."""
    application()
    QApplication.setCursorFlashTime(0)
    with driven(None, LONG if long else SMALL, in_thread=in_thread, size=size) as driver:
        rest(driver)
        yield driver


def action(driver: Driver, name: str) -> QAction:
    """An action of the window by its id."""
    return next(each for each in driver.window.actions() if each.objectName() == name)


def trigger(driver: Driver, name: str) -> None:
    """Do what an action does, as its menu would, and wait until everything is shown."""
    found = action(driver, name)
    assert found.isEnabled(), name
    found.trigger()
    rest(driver)


@contextmanager
def opened_by(driver: Driver, name: str) -> Iterator[QWidget]:
    """The window or dialog that an action opens; it is closed afterwards."""
    before = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
    action(driver, name).trigger()
    opened = [each for each in QApplication.topLevelWidgets() if each.isVisible() and each not in before]
    assert len(opened) == 1, f"{name} opens {opened}"
    rest(driver)
    try:
        yield opened[0]
    finally:
        opened[0].close()
        rest(driver)


def save_run(path: Path, trace: Trace) -> None:
    """Write a run to a file, whose name gets the ending of runs."""
    write_run(f"{path}.gems", trace)


def open_run(driver: Driver, name: str, trace: Trace) -> None:
    """Open a run from a file and wait until it is shown."""
    save_run(Path(name), trace)
    before = driver.run
    driver.drop(driver.window, Path(f"{name}.gems").absolute())
    driver.wait(lambda: driver.run is not before)
    rest(driver)


def seek(driver: Driver, cursor: int) -> None:
    """Show the run after a number of events."""
    driver.window.transport_controller.seek(cursor)
    rest(driver)


def start_paused(driver: Driver) -> None:
    """Run the form, pause the cursor at the first event, and wait until the engine waits for it."""
    driver.start()
    driver.press("Space")
    seek(driver, 1)
    driver.wait(lambda: driver.workbench.engine_text.startswith("waits"))
    rest(driver)


def widget(driver: Driver) -> QMainWindow:
    """The window itself."""
    window: QMainWindow = driver.window
    return window


def rest(driver: Driver) -> None:
    """Wait until nothing is computed, nothing waits to be painted, and no short timer runs."""
    wait_until(lambda: driver.board.settled and not _ticking(driver.window))
    QTest.qWait(1)
    wait_until(lambda: driver.board.settled and not _ticking(driver.window))


def _ticking(widget: QWidget) -> bool:
    return any(each.isActive() and each.interval() < _LASTING for each in widget.findChildren(QTimer))


def wait_until(condition: Callable[[], bool]) -> None:
    """Let Qt live until something holds, at least for one turn of the event loop."""
    end = time.monotonic() + PATIENCE
    QApplication.processEvents()
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the window does not come to rest")
        QTest.qWait(2)


def picture(widget: QWidget) -> QImage:
    """A picture of a widget, taken when two in a row are the same."""
    for text in widget.findChildren(QTextEdit):
        text.document().size()  # Qt lays a long text out little by little, unless it is asked for its size
    image = widget.grab().toImage()
    for _ in range(50):
        QTest.qWait(5)
        again = widget.grab().toImage()
        if again == image:
            return image
        image = again
    raise TimeoutError("the picture of the window changes all the time")


# -- the path of a click on Run -------------------------------------------------------------------------------------

START_REQUEST = "EngineClient.start"
"""The method by which the window asks the engine for a run."""
SHOW_VIEW = "View.show"
"""The method by which a view is given what it shows; its argument is a moment with a trace."""
COUNTED = {
    "Playback made": "Playback.__init__",
    "Trace made": "Trace.__init__",
    "parameters of the draft checked": "Draft.refused_by_algorithm",
    "all parameters checked by the engine": "check_all",
    "title worked out": "MainWindow.show_title",
}
"""What a click on Run should do once, and the functions that do it."""


def is_of_run(moment: object, driver: Driver) -> bool:
    """Whether what a view is given is of the run that the window shows now."""
    return driver.run is not None and getattr(moment, "trace", None) is driver.run.trace


def view_widget(view: QObject) -> QWidget:
    """What of a view is painted."""
    body: QWidget = view.body  # type: ignore[attr-defined]
    return body


def ready_to_run(driver: Driver) -> bool:
    """Whether the instance of the form is built, so that Run starts at once."""
    return driver.drafts.instance is not None
