"""The engine behind the window: nothing of it is left, however the program ends."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from gems_engine.events import ASKED
from gems_gui.background.engine_client import EngineClient
from tests.gui.engine_thread.engine_driver import SECONDS, TO_THE_END, Heard, gone

# -- ends --------------------------------------------------------------------------------------------------------


def test_closing_during_runs_leaves_no_threads_processes_or_pipes(qapp, toy, qtbot):
    def open_files():
        gc.collect()
        return len(os.listdir("/proc/self/fd"))

    before, counts = set(threading.enumerate()), []
    for what in ("quick", "block"):
        engine = EngineClient()
        heard = Heard(engine)
        live = engine.start(toy(what), TO_THE_END)
        qtbot.waitUntil(lambda live=live: len(live.trace) > 0, timeout=SECONDS)
        pid = engine._engine.pid
        engine.close()  # does not wait for an algorithm that blocks: it would wait for ever
        engine.close()
        assert gone(pid)
        assert set(threading.enumerate()) <= before
        assert [each.how for each in heard.endings] == ["stopped"]
        assert live.trace.finished.why == ASKED
        assert not engine.running
        with pytest.raises(RuntimeError, match="closed"):
            engine.start(toy(), TO_THE_END)
        engine.warm()
        assert engine._engine.pid is None
        counts.append(open_files())
    assert counts[0] == counts[1]  # the first may have started what lasts for the whole program


def test_closing_what_never_started(qapp):
    for in_thread in (False, True):
        EngineClient(in_thread=in_thread).close()


SCRIPT = """
    import sys
    from PySide6.QtCore import QCoreApplication, QTimer
    import numpy as np
    from gems_engine.instance import Instance
    from gems_gui.background.engine_client import EngineClient
    from gems_gui.workbench.playback import Credit
    from gems_gui.drafts.run_request import RunRequest

    # No guard: a worker that imported this module would start another, and so on.
    app = QCoreApplication([])
    engine = EngineClient()
    wishes = {"folder": sys.argv[1], "what": sys.argv[2], "events": 5 if sys.argv[2] == "quick" else None}
    live = engine.start(RunRequest(Instance.linear(np.eye(2), [1.0, 0.0]), "toy", 0, wishes), Credit(None))
    forgetful = sys.argv[3:] == ["forgetful"]
    (engine.grew if forgetful else engine.ended).connect(app.quit)
    app.exec()
    print(len(live.trace), flush=True)
    if not forgetful:
        engine.close()
"""


@pytest.mark.parametrize("how", ["script", "module"])
def test_the_process_starts_from_any_kind_of_program(package, toy, how):
    """Neither a script nor a package's main module is imported again, and so Qt is not."""
    program = toy.folder / "program"
    program.mkdir()
    (program / "__main__.py").write_text(textwrap.dedent(SCRIPT))
    start = [str(program / "__main__.py")] if how == "script" else ["-m", "program"]
    ran = _run_program(package, toy, start, "quick")
    out, err = ran.communicate(timeout=30)
    assert (out.strip(), err, ran.returncode) == ("7", "", 0)
    assert "PySide6" not in (toy.folder / "modules").read_text().split()


def test_a_program_that_ends_without_closing_ends(package, toy, qtbot):
    (toy.folder / "program.py").write_text(textwrap.dedent(SCRIPT))
    ran = _run_program(package, toy, [str(toy.folder / "program.py")], "block", "forgetful")
    out, err = ran.communicate(timeout=30)
    assert (out.strip(), err, ran.returncode) == ("1", "", 0)
    pid_file = toy.folder / "pid"
    assert not pid_file.exists() or gone(int(pid_file.read_text()))


def test_the_process_ends_when_its_parent_is_killed(package, toy, qtbot):
    (toy.folder / "program.py").write_text(textwrap.dedent(SCRIPT))
    parent = _run_program(package, toy, [str(toy.folder / "program.py")], "block")
    pid_file = toy.folder / "pid"
    qtbot.waitUntil(lambda: pid_file.exists() and pid_file.read_text() != "", timeout=SECONDS)
    pid = int(pid_file.read_text())
    assert not gone(pid)
    parent.kill()
    parent.communicate(timeout=30)
    qtbot.waitUntil(lambda: gone(pid), timeout=SECONDS)


def _run_program(package, toy, start, *wishes):
    paths = os.pathsep.join([str(package), str(Path(__file__).parents[3])])
    return subprocess.Popen(
        [sys.executable, *start, str(toy.folder), *wishes],
        env=os.environ | {"PYTHONPATH": paths},
        cwd=toy.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
