"""The README is true: its Python runs as it stands, and its shell commands are commands that exist."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_of_the_readme_runs(block):
    answer = subprocess.run([sys.executable, "-W", "error", "-c", block], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout


def test_every_command_of_the_readme_exists():
    from gems_engine.commands import BUILT_IN

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = set(re.findall(r"`gems ([a-z]+)", README))
    assert named == set(BUILT_IN) | set(project["entry-points"]["gems.commands"])
