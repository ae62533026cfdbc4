"""The README is true: its Python runs unchanged, and its shell commands are commands that exist."""

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


@pytest.mark.parametrize("command", ["pip install -e . && gems demo", 'pip install -e ".[test]" && pytest'])
def test_the_packages_that_qt_needs_are_next_to_the_commands(command):
    """With their dependencies on Debian 12, these are all packages that the program may name."""
    from gems_gui.start_checks import FONTS, PAINTING, PLATFORMS

    (block,) = [each for each in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if f"{command}\n" in each]
    named = set(block.partition("apt-get install ")[2].partition("#")[0].replace("\\", "").split())
    assert named <= {FONTS, *PAINTING.values(), *PLATFORMS["xcb"].values()}
    assert {FONTS, "libegl1", "libgl1", "libglib2.0-0", "libfontconfig1", "libdbus-1-3", "libxcb-cursor0"} <= named


def test_every_algorithm_is_in_the_readme():
    from gems_engine.algorithms import BUILT_IN, algorithm_title

    table = README.partition("| algorithm | title | what it is |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z-]+)`", table)) == set(BUILT_IN), (
        'README.md: the table "| algorithm | title | what it is |" has a row for each algorithm in _ALGORITHMS of '
        "gems_engine/algorithms/__init__.py: | `name` | title | what it is |"
    )
    titles = {title for row in table.splitlines()[2:] for title in row.split("|")[2].strip().split("; ")}
    assert titles == {algorithm_title(name) for name in BUILT_IN}


def test_every_key_and_name_of_the_first_look_is_true():
    from gems_engine.talk.shipped import SHIPPED
    from gems_gui.action_table import ACTIONS
    from gems_gui.drafts.presets import PRESETS
    from gems_gui.views import VIEWS

    first_look = README.partition("## A first look")[2].partition("\n## ")[0]
    keys = {key.replace("Left", "←").replace("Right", "→") for act in ACTIONS for key in act.keys}
    named = re.findall(r"\*\*(.+?)\*\*", first_look)
    assert len(named) > 10
    assert set(named) <= keys
    known = {each.title for each in PRESETS.values()} | set(VIEWS.titles.values())
    for words in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", first_look):
        assert any(name.startswith(words) for name in known), words
    assert "one of four stories" in first_look
    assert len(SHIPPED) == 4
