"""Runs the tests of two_screens.py in a process whose platform has two screens."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_USUAL = {"y": 0, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
SCREENS = (
    {"name": "laptop", "x": 0, "width": 1280, "height": 800, **_USUAL},
    {"name": "projector", "x": 1280, "width": 1920, "height": 1080, **_USUAL},
)


def test_talks_on_two_screens(tmp_path):
    file = tmp_path / "screens.json"
    file.write_text(json.dumps({"screens": SCREENS}))
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "tests/gui/two_screens.py"]
    platform = {**os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={file}"}
    done = subprocess.run(command, cwd=ROOT, env=platform, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "[100%]" in done.stdout
    assert "s" not in done.stdout.partition("[")[0], "none is skipped"
