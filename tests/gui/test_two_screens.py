"""Runs the tests of two_screens.py in a process whose platform has two screens."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_USUAL = {"y": 0, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
SCREENS = (
    {"name": "laptop", "x": 0, "width": 1280, "height": 800, **_USUAL},
    {"name": "projector", "x": 1280, "width": 1920, "height": 1080, **_USUAL},
)


def run_tests(platform, *words):
    """Run the tests of two_screens.py with these variables of the environment."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n0",
        "-p",
        "no:cacheprovider",
        "tests/gui/two_screens.py",
        *words,
    ]
    environment = {**os.environ, **platform}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "[100%]" in done.stdout
    assert "s" not in done.stdout.partition("[")[0], "none is skipped"


def test_talks_on_two_screens(tmp_path):
    file = tmp_path / "screens.json"
    file.write_text(json.dumps({"screens": SCREENS}))
    run_tests({"QT_QPA_PLATFORM": f"offscreen:configfile={file}"})


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb, which .ci/run installs")
def test_talks_on_two_screens_of_an_x_server():
    sizes = [f"{each['width']}x{each['height']}x24" for each in SCREENS]
    screens = [word for at, size in enumerate(sizes) for word in ("-screen", str(at), size)]
    with subprocess.Popen(
        ["Xvfb", "-displayfd", "1", *screens], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as x:
        try:
            display = x.stdout.readline().decode().strip()
            run_tests({"QT_QPA_PLATFORM": "xcb", "DISPLAY": f":{display}"}, "-k", "other or swapped")
        finally:
            x.terminate()
