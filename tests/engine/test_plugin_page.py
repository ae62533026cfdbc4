"""docs/extending.md: its examples are installed as its entry points say, and their commands run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gems_engine.algorithms.contract_checks import CHECKS
from gems_engine.commands import plugin_groups
from gems_engine.plugin_scaffold import KINDS
from tests.plugin_packages import install

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(
    r"<!-- (?P<group>[\w.]+): (?P<entry>[\w-]+) = \"(?P<module>\w+):(?P<object>\w+)\" -->\n"
    r"```python\n(?P<code>.*?)```\n```sh\ngems (?P<command>[^\n]+)\n```",
    re.DOTALL,
)
EXAMPLES = {found["group"]: found for found in EXAMPLE.finditer(PAGE)}
SAYS = {
    "gems.algorithms": "hundred on soare:",
    "gems.families": "4 in R⁴",
    "gems.metrics": "\nSamples per round (medians",
    "gems.views": "speed of GEMS (fixed confidence) on soare",
    "gems.experiments": "Two arms\n",
    "gems.commands": "Hello, 6 arms in 5 dimensions.\n",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder for the path, with all examples of the page."""
    folder = tmp_path_factory.mktemp("site")
    for group, each in EXAMPLES.items():
        lines = f"{each['entry']} = {each['module']}:{each['object']}"
        install(folder, each["module"], each["code"], group, lines=lines)
    return folder


def gems(folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"}
    answer = subprocess.run(
        [sys.executable, "-m", "gems_engine", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert answer.stderr == ""
    return answer


@pytest.mark.parametrize("group", SAYS)
def test_each_example_works_as_printed(installed, group):
    answer = gems(installed, *shlex.split(EXAMPLES[group]["command"]))
    assert answer.returncode == 0
    assert SAYS[group] in answer.stdout


def test_the_examples_meet_their_contracts_but_for_what_the_page_says(installed):
    lines = gems(installed, "plugin", "check", "--all").stdout.splitlines()
    failed = [line.split()[1] for line in lines if line.startswith("  ✗")]
    assert failed == ["documented", "cap"], lines  # of the smallest algorithm
    checked = [line.split() for line in lines if not line.startswith(" ")]
    assert sorted(name for _, name in checked) == ["corner", "hundred", "per_round", "speed", "two-arms"]


def test_the_page_lists_every_group_kind_and_check():
    groups = {group.group for group in plugin_groups()} | {"gems.commands"}
    assert set(SAYS) == set(EXAMPLES) == groups
    assert set(re.findall(r"^\| `(gems\.\w+)`", PAGE, re.MULTILINE)) == groups
    table = PAGE.partition("| check of an algorithm | holds if |\n|---|---|\n")[2].partition("\n\n")[0]
    assert [row.split(" | ")[0].strip("| ") for row in table.splitlines()] == [about for about, _ in CHECKS]
    assert all(f"`{kind}`" in PAGE or f"--kind {kind}" in PAGE for kind in KINDS if kind != "algorithm")


def test_the_path_from_an_empty_folder_to_a_picture(tmp_path):
    """The lines of the page, with an installation that needs no network, and without the one that opens the window."""
    block = PAGE.partition("```sh\n")[2].partition("```")[0]
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert [line[:2] for line in lines] == [
        ["gems", "plugin"],
        ["pip", "install"],
        ["gems", "plugin"],
        ["gems", "run"],
        ["gems", "run.gems"],
        ["gems", "render"],
    ]
    for words in lines:
        if words[0] == "pip":
            module, name = "my_algorithm", "my-algorithm"
            code = (tmp_path / name / module / "__init__.py").read_text(encoding="utf-8")
            install(tmp_path, module, code, lines=f"{name} = {module}:MY_ALGORITHM")
        elif words[1:] != ["run.gems"]:
            assert gems(tmp_path, *words[1:]).returncode == 0
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
