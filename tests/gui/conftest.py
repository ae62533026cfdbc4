"""What holds for every test of the window: nothing of the user's is touched, and nothing is left behind."""

import gc
import os
import threading
import time
from multiprocessing import active_children, resource_tracker
from pathlib import Path
from tempfile import mkdtemp

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

_PATIENCE = 20.0  # seconds for what is ending to end
QtBot.waitUntil.__kwdefaults__["timeout"] = 20_000  # 5 seconds are few on a busy machine


@pytest.fixture(autouse=True)
def own_settings(tmp_path_factory):
    """Settings, recovery files and other traces of a test go into a folder of its own."""
    folder = Path(mkdtemp(dir=tmp_path_factory.getbasetemp()))  # mktemp of the factory looks at every folder there is
    names = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update({name: str(folder) for name in names})
    (folder / "user-dirs.dirs").write_text(f'XDG_DOCUMENTS_DIR="{folder}/documents"\n')  # where results are
    yield folder
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@pytest.fixture(autouse=True)
def own_look(qapp):
    """The look of the program is afterwards as before: under a style sheet, every later window takes twice as long."""
    sheet, font, palette = qapp.styleSheet(), qapp.font(), qapp.palette()
    yield
    if qapp.styleSheet() != sheet:
        qapp.setStyleSheet(sheet)
    if qapp.font() != font:
        qapp.setFont(font)
    if qapp.palette() != palette:
        qapp.setPalette(palette)


@pytest.fixture(autouse=True)
def nothing_left_behind(own_settings, own_look):
    """Fail a test after which top-level widgets, running timers, threads or child processes of its own remain."""
    threads, processes, widgets = set(_threads()), set(_processes()), set(_widgets())
    gc.freeze()  # what is there already is not listed among the objects below
    gc.disable()  # inside a call of Qt a collection may wait for a lock that the call holds: see gems_gui.gc_timer

    def remains():
        return [
            *(f"thread {each.name}" for each in set(_threads()) - threads),
            *(f"process {each}" for each in set(_processes()) - processes),
            *(f"widget {each!r}" for each in _widgets() if each not in widgets),
            *(f"timer {each!r} of {each.parent()!r}" for each in _running_timers()),
        ]

    yield
    gc.collect()
    try:
        deadline = time.monotonic() + _PATIENCE
        while found := remains():
            if time.monotonic() > deadline:
                pytest.fail(f"left behind: {', '.join(found)}")
            # What ends on its own time: objects to be deleted, cycles, a process that was killed a moment ago.
            gc.collect()
            if QCoreApplication.instance() is not None:
                QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
                QCoreApplication.processEvents()
            threading.Event().wait(0.01)
    finally:
        gc.unfreeze()
        gc.enable()


def _threads():
    # A thread of Qt's that ran Python once has an entry that never goes.
    return [each for each in threading.enumerate() if not isinstance(each, threading._DummyThread)]


def _processes():
    """Children of this process, however they were started."""
    active_children()  # buries those that have ended
    listed = Path("/proc/self/task").glob("*/children")
    pids = {int(pid) for each in listed for pid in _text(each).split()} or {each.pid for each in active_children()}
    return pids - {resource_tracker._resource_tracker._pid}  # one for the whole session


def _text(path):
    try:
        return path.read_text()
    except OSError:  # the thread has just ended
        return ""


def _widgets():
    """Top-level widgets; hidden menus and tool tips belong to Qt and pyqtgraph, which keep them."""
    if not isinstance(QCoreApplication.instance(), QApplication):
        return []
    return [
        each
        for each in QApplication.topLevelWidgets()
        if not (isinstance(each, QMenu) and each.isHidden()) and each.metaObject().className() != "QTipLabel"
    ]


def _running_timers():
    if QCoreApplication.instance() is None:
        return []
    kinds = _with_subclasses(QTimer)
    return [each for each in gc.get_objects() if type(each) in kinds and isValid(each) and each.isActive()]


def _with_subclasses(kind):
    return {kind}.union(*(_with_subclasses(each) for each in kind.__subclasses__()))
