"""Errors that nothing catches and messages of Qt are in the log and in the log file, and never on stderr alone."""

import os
import stat
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, qCritical, qInstallMessageHandler, qWarning

from gems_engine import error_log
from gems_engine.error_log import VARIABLE, append
from gems_engine.errors import InputError
from gems_gui.error_hooks import ErrorHooks, error_hooks
from gems_gui.log_file import log_path
from gems_gui.widgets.timers import soon
from gems_gui.workbench.messages import ERROR, NOTE
from tests.gui.window_driver import driven

ROOT = Path(__file__).parents[2]


@pytest.fixture
def printed(monkeypatch):
    """What goes to the hooks that were there before, which print."""
    said = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: said.append(str(error)))
    monkeypatch.setattr(threading, "excepthook", lambda args: said.append(str(args.exc_value)))
    monkeypatch.setattr(sys, "unraisablehook", lambda args: said.append(str(args.exc_value)))
    monkeypatch.setattr(warnings, "showwarning", lambda message, *rest: said.append(str(message)))
    before = qInstallMessageHandler(lambda kind, context, message: said.append(message))
    yield said
    qInstallMessageHandler(before)


@pytest.fixture
def driver(qtbot, printed):
    with error_hooks() as hooks, driven(qtbot, layout="talk") as made:
        hooks.show_in(made.workbench.messages)
        yield made


def entry_with(driver, words):
    driver.wait(lambda: any(words in each.sentence for each in driver.window.run_list.log_dock.entries))
    return next(each for each in driver.window.run_list.log_dock.entries if words in each.sentence)


def divide():
    return 1 / 0


class Dying:
    def __del__(self):
        raise RuntimeError("not even this")


def in_a_thread():
    thread = threading.Thread(target=divide, name="t21")
    thread.start()
    thread.join()


def collected():
    Dying()


def warned():
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("a doubtful number", RuntimeWarning, stacklevel=2)


HAPPENS = {
    "in a slot": (lambda: soon(QCoreApplication.instance(), divide), "division by zero", ERROR, "in divide"),
    "in a thread": (in_a_thread, "in the thread t21: ZeroDivisionError: division by zero", ERROR, "in divide"),
    "in a collected object": (collected, "not even this", ERROR, "in __del__"),
    "a warning of Python": (warned, "RuntimeWarning: a doubtful number", NOTE, "test_error_hooks.py"),
    "a warning of Qt": (lambda: qWarning("a doubtful widget"), "Qt: a doubtful widget", NOTE, ""),
    "a failure of Qt": (lambda: qCritical("a bad widget"), "Qt: a bad widget", ERROR, ""),
}


@pytest.mark.parametrize("name", HAPPENS)
def test_all_lead_to_the_log_and_its_file(driver, printed, name):
    happen, words, kind, details = HAPPENS[name]
    happen()
    entry = entry_with(driver, words)
    assert entry.kind == kind
    assert details in entry.details
    assert entry.copied.rstrip() in log_path().read_text()
    assert any(words.rpartition(": ")[2] in each for each in printed), "it is printed, too"
    unexpected = kind == ERROR and "Qt" not in words
    assert (words in driver.message) == unexpected
    if unexpected:
        assert "Traceback" in entry.details
        assert driver.message.endswith("The log has the report (View ▸ Log).")


def test_from_a_thread_with_a_file_to_read(driver, monkeypatch):
    monkeypatch.setattr(driver.window.files, "_do", lambda task: divide())
    driver.window.files.open("nothing.json")
    assert "in divide" in entry_with(driver, "ZeroDivisionError").details


def test_what_repeats_is_counted(driver):
    for _ in range(250):
        qWarning("again and again")
    entry_with(driver, "(100 times)")
    said = [each.sentence for each in driver.window.run_list.log_dock.entries if "again" in each.sentence]
    assert said == ["Qt: again and again", "Qt: again and again (10 times)", "Qt: again and again (100 times)"]


def test_what_is_in_the_log_is_in_the_file(driver):
    driver.workbench.messages.show("Something was saved.")
    driver.workbench.messages.log_error("A view failed.", "the report of a view")
    text = log_path().read_text()
    assert "Something was saved.\n" in text
    assert "A view failed.\nthe report of a view\n" in text


@pytest.mark.skipif(os.name == "nt", reason="permissions of Windows")
def test_only_the_user_may_read_the_file(driver):
    log_path().parent.mkdir(parents=True, exist_ok=True)
    log_path().parent.chmod(0o755)
    log_path().touch()
    log_path().chmod(0o644)
    driver.workbench.messages.log("mine")
    modes = [stat.S_IMODE(each.stat().st_mode) for each in (log_path().parent, log_path())]
    assert modes == [0o700, 0o600]


def test_an_error_while_logging_is_printed_and_does_not_repeat(driver, printed, monkeypatch):
    monkeypatch.setattr(driver.workbench.messages, "fail", lambda *_: divide())
    soon(driver.window, divide)
    driver.wait(lambda: printed.count("division by zero") >= 3)  # itself, in the log, and in the log of that
    driver.qtbot.wait(50)
    assert printed.count("division by zero") == 3
    assert log_path().read_text().count("ZeroDivisionError: division by zero. The log") == 2


# -- without a window -----------------------------------------------------------------------------------------------


def test_before_and_after_a_window(qapp, printed):
    def waits():
        return qapp.processEvents() or not log_path().exists()

    with error_hooks():
        qWarning("too early")
        assert waits()
        threading.excepthook(threading.ExceptHookArgs((ValueError, ValueError("too late"), None, None)))
    assert "Qt: too early" in log_path().read_text()
    assert "ValueError: too late" in log_path().read_text()
    assert sys.excepthook(ValueError, ValueError("not ours"), None) is None
    assert "not ours" not in log_path().read_text()
    assert VARIABLE not in os.environ


def test_a_window_that_cannot_be_opened_is_logged(qapp, printed):
    with pytest.raises(ZeroDivisionError), error_hooks():
        divide()
    assert "in divide" in log_path().read_text()
    before = log_path().read_text()
    with pytest.raises(InputError), error_hooks():
        raise InputError("There is no file.")
    assert log_path().read_text() == before, "a sentence for the user is no failure"


def test_ctrl_c_is_no_error(qapp, printed):
    hooks = ErrorHooks()
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt("stop"), None)
    hooks.restore()
    assert printed == ["stop"]
    assert not log_path().exists()


def test_the_file_has_a_limited_size_and_a_predecessor(tmp_path, monkeypatch):
    file = tmp_path / "log" / "gems.log"
    monkeypatch.setenv(VARIABLE, str(file))
    monkeypatch.setattr(error_log, "MOST", 1_000)
    for number in range(100):
        append(f"line {number} {'x' * 80}")
    old = file.with_name("gems.log.old")
    kept = [int(line.split()[1]) for each in (old, file) for line in each.read_text().splitlines()]
    assert kept == list(range(kept[0], 100))
    assert max(each.stat().st_size for each in (old, file)) < 1_200


def test_a_log_that_cannot_be_written_disturbs_nothing(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "gems.log"))
    append("lost")
    monkeypatch.delenv(VARIABLE)
    append("there is no log")


_WORKER = """
import threading
from gems_engine.processes import begin_worker
begin_worker()
thread = threading.Thread(target=lambda: {}["missing"])
thread.start()
thread.join()
raise ValueError("the worker broke")
"""
_WINDOW = """
import sys
from PySide6.QtCore import QObject, qWarning
from gems_gui.launch import Screenshot, show
from gems_gui.widgets.timers import soon
def fails():
    raise ValueError("the window broke")
owner = QObject()
soon(owner, fails)
soon(owner, lambda: qWarning("a doubtful window"))
sys.exit(show(screenshot=Screenshot(1.0))[0])
"""


@pytest.mark.parametrize(("code", "words"), [(_WORKER, ("KeyError: 'missing'", "ValueError: the worker broke"))])
def test_errors_of_a_worker_process(tmp_path, code, words):
    file = tmp_path / "gems.log"
    answer = _run(code, {VARIABLE: str(file)})
    assert answer.returncode == 1
    for each in words:
        assert each in file.read_text()
        assert each in answer.stderr


def test_errors_of_the_program(tmp_path):
    answer = _run(_WINDOW, {"XDG_STATE_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"})
    assert answer.returncode == 0, answer.stderr
    (text,) = (each.read_text() for each in tmp_path.rglob("*.log"))
    for words in ("ValueError: the window broke", "in fails", "a doubtful window"):
        assert words in text
    assert "the window broke" in answer.stderr


def _run(code, environment):
    everything = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, "-c", code], env=everything, capture_output=True, text=True, timeout=120)
