"""The guide is true: the Python and the commands of each page are run in their order in an empty folder.

A command that opens a window, needs a cluster or takes minutes is parsed instead.
"""

import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path

import pytest

from gems_engine.cli import command_parser, main
from gems_engine.commands import commands

ROOT = Path(__file__).parents[1]
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs" / "guide").glob("*.md"))}
PAGES["README"] = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"(?:<!-- (?P<file>\S+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)```", re.DOTALL)
OTHERS = {"pip", "git", "apt-get", "dask", "cd"}
"""Programs whose command lines are not ours to check; .ci/run tries them."""
LONG = ("paper-table-1", "where-it-pays")
"""Experiments that take seconds or minutes with all of their trials."""


def lines(text):
    """The command lines of a block: continued lines joined, comments and && resolved."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while "&&" in words:
            at = words.index("&&")
            yield words[:at]
            words = words[at + 1 :]
        if words:
            yield words


def only_parsed(words):
    """Whether a command of gems opens a window, needs a cluster or takes long."""
    opens = not words or words[0] not in commands() or (words[0] == "window" and "--screenshot" not in words)
    return opens or words[0] == "demo" or "--scheduler" in words or (words[0] == "experiment" and words[1] in LONG)


def follow(words):
    program, *rest = words
    if program in OTHERS or (program, *rest) == ("pytest",):
        return
    if program == "python":
        assert rest[0] == "-m"
        assert find_spec(rest[1]), rest[1]
        return
    assert program == "gems", words
    if only_parsed(rest):
        name = rest[0] if rest and rest[0] in commands() else "window"
        command_parser(name).parse_args(rest[1:] if name != "window" or rest[:1] == ["window"] else rest)
        return
    assert main(rest) in ({0, 1} if rest[0] == "diff" else {0}), words  # 1: the runs differ


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_work_in_its_order(qapp, name, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    done = 0
    with chdir(tmp_path):
        for block in BLOCK.finditer(PAGES[name]):
            if block["file"]:
                Path(block["file"]).write_text(block["text"], encoding="utf-8")
            elif block["language"] == "python":
                answer = subprocess.run(
                    [sys.executable, "-W", "error", "-c", block["text"]],
                    capture_output=True,
                    encoding="utf-8",
                    env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                )
                assert answer.returncode == 0, answer.stderr
                assert answer.stdout
            elif block["language"] == "sh":
                for words in lines(block["text"]):
                    follow(words)
            else:
                assert block["language"] in ("bibtex", "csv"), block["text"]
            done += 1
    capsys.readouterr()
    assert done or name in ("first-steps", "command-lines")


def test_every_command_has_a_row_in_the_overview():
    rows = re.findall(r"^\| `gems[ `].*", PAGES["command-lines"], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`gems ([a-z]+)", row)}
    assert named == set(commands()), "docs/guide/command-lines.md has a row for each command"
    written = {name for text in PAGES.values() for name in re.findall(r"`gems ([a-z]+)[ `]", text)}
    assert written <= set(commands())


def test_every_algorithm_has_a_row_in_the_overview():
    from gems_engine.algorithms import BUILT_IN, algorithm_title

    table = PAGES["command-lines"].partition("| algorithm | title | what it is |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([a-z-]+)`", table)) == set(BUILT_IN), (
        'docs/guide/command-lines.md: the table "| algorithm | title | what it is |" has a row for each algorithm in '
        "_ALGORITHMS of gems_engine/algorithms/__init__.py: | `name` | title | what it is |"
    )
    titles = {title for row in table.splitlines()[2:] for title in row.split("|")[2].strip().split("; ")}
    assert titles == {algorithm_title(name) for name in BUILT_IN}


def test_every_built_in_experiment_has_a_row():
    from gems_engine.experiment.library import built_in

    table = PAGES["run-experiments"].partition("| experiment | what it measures |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == sorted(built_in())


@pytest.mark.parametrize("name", PAGES)
def test_keys_and_names_are_those_of_the_window(name):
    from gems_engine.talk.shipped import SHIPPED
    from gems_gui.action_table import EVERY_ACTION
    from gems_gui.drafts.presets import PRESETS
    from gems_gui.views import EVERY_VIEW

    text = " ".join(re.sub(r"```.*?```|`[^`\n]*`", "", PAGES[name], flags=re.DOTALL).split())
    keys = {key.replace("Left", "←").replace("Right", "→") for act in EVERY_ACTION for key in act.keys}
    bold = {words for words in re.findall(r"\*\*(.+?)\*\*", text) if KEY.fullmatch(words)}
    assert bold <= keys, bold - keys
    known = {each.title for each in PRESETS.values()} | {each.title for each in SHIPPED.values()} | OTHER_NAMES
    known |= set(EVERY_VIEW.titles.values())
    for words in re.findall(r"(?<![*\w])\*([A-Z][^*]+)\*(?![*\w])", text):
        assert any(title.startswith(words) for title in known), words


KEY = re.compile(r"[A-Z]|\W|F\d+|\w+\+\S+|Esc|Space|Home|End")
OTHER_NAMES = {"Arms", "Debug", "Earlier", "Experiments", "Later", "RAGE, told d⋆"}
"""A card of the form, a layout, a tab, two buttons of the dialog of a CSV file, and an algorithm."""


def test_the_first_steps_press_many_keys_and_count_the_stories():
    from gems_engine.talk.shipped import SHIPPED

    assert len(set(re.findall(r"\*\*(.+?)\*\*", PAGES["first-steps"]))) > 10
    assert "one of four stories" in PAGES["first-steps"]
    assert len(SHIPPED) == 4


def test_pages_are_short_and_their_lines_are_readable():
    for name, text in PAGES.items():
        long = [line for line in text.splitlines() if len(line) > 120 and not line.startswith("|") and "](" not in line]
        assert not long, (name, long)
        assert len(text.splitlines()) <= (150 if name == "README" else 130), name


def test_performance_names_commands_that_exist():
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    modules = set(re.findall(r"`python -m (tests\.bench\.\w+)", text))
    assert len(modules) > 8
    assert all(find_spec(each) for each in modules)
    tables = len(re.findall(r"^\|[-|: ]+\|$", text, re.MULTILINE))
    sections = [part for part in re.split(r"^##+ ", text, flags=re.MULTILINE)[2:] if "|" in part]
    assert tables > 15
    for part in sections:
        assert re.search(r"Recorded on \d{4}-\d\d-\d\d \(commit [0-9a-f]{8}", part), part[:60]
        assert re.search(r"`(python -m tests\.bench\.|gems |pytest )", part), part[:60]
