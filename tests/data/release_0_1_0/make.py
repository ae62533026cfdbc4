"""Make these files by running release 0.1.0: in a checkout of it, ``python .../release_0_1_0/make.py``.

One window is used and closed, which leaves the settings. Another is killed while it runs, which leaves its recovery
folder. Nothing of the machine stays in the files: the folder of the user is written as ``FOLDER``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")


def leave_settings():
    """Choose a theme, a text size, view options and layouts; save a run, close, open it again."""
    from tests.gui.window_driver import SMALL, driven

    with driven(None, SMALL, size=(799, 717)) as driver:
        driver.choose("View/Theme", "Dark")
        driver.press("Ctrl++")
        driver.acts["layout_talk"].trigger()
        driver.board.docks["events"].toggleViewAction().trigger()
        driver.window.layouts.keep("Mine")
        driver.board.set_options({"weights": {"order": "reward"}, "dimension": {"scope": "subroutine"}})
        driver.finished()
        driver.window.handlers.write_run(driver.run, str(Path.cwd() / "kept.gems"))
        driver.wait(lambda: driver.run.saved)
        driver.window.settings.welcome = False


def leave_recovery():
    """Run a form, look at an event in the middle, type into the form, and wait to be killed."""
    from tests.gui.test_recovery import OWN
    from tests.gui.window_driver import LONG, driven

    with driven(None, LONG) as driver:
        driver.start("Ctrl+R", "L")
        driver.wait(lambda: len(driver.trace) > 60)
        driver.press("Space")
        driver.window.handlers.seek(31)
        driver.window.drafting.set_draft(OWN)
        print("ready", flush=True)
        driver.wait(lambda: False)


def made(what, folder):
    """Call a function of this file in a process whose user has another folder; the process."""
    environment = {**os.environ, **dict.fromkeys(NAMES, str(folder)), "QT_QPA_PLATFORM": "offscreen"}
    script = f"""
import sys
sys.path[:0] = [{str(HERE)!r}, {os.getcwd()!r}]
from gems_gui.showing import application
app = application()
import os
os.chdir({str(folder)!r})
from make import {what}
{what}()
"""
    return subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first = made("leave_settings", folder)
        assert first.wait() == 0
        text = (folder / "gems-lab" / "settings.json").read_text()
        (HERE / "settings.json").write_text(text.replace(str(folder), "FOLDER"))
        shutil.copy(folder / "kept.gems", HERE)
        second = made("leave_recovery", folder)
        assert second.stdout.readline() == "ready\n"
        time.sleep(2.0)  # the recorder writes three times a second
        second.kill()
        second.wait()
        shutil.rmtree(HERE / "recovery", ignore_errors=True)
        (left,) = (folder / "gems-lab" / "recovery").iterdir()
        shutil.copytree(left, HERE / "recovery" / left.name)


if __name__ == "__main__":
    main()
