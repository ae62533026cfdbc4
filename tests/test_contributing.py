"""CONTRIBUTING.md: its examples are taken from the page, put into a copy of the packages, checked and run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(
    r"### (?P<title>[^\n]+)\n<!-- (?P<file>\S+) -->\n```python\n(?P<code>.*?)```\n"
    r"The line, in `(?P<registry>\w+)` of `(?P<home>[^`]+)`: `(?P<line>[^`]+)`\n```sh\ngems (?P<command>[^\n]+)\n```",
    re.DOTALL,
)
EXAMPLES = {found["title"]: found for found in EXAMPLE.finditer(PAGE)}
CACHE = str(ROOT / ".mypy_cache" / "examples")
"""What mypy knows of the modules that the examples import; the first run in a checkout fills it."""


def with_line(text, registry, line):
    """A file in which a registry has one line more, its last."""
    start = re.search(rf"^{registry}\b[^\n]*[({{]\n", text, re.MULTILINE)
    assert start, f"there is no {registry}"
    end = re.compile(r"^(?:    tabs=|[)}])", re.MULTILINE).search(text, start.end()).start()
    return f"{text[:end]}    {line}\n{text[end:]}"


def copied(folder, *titles):
    """A copy of the packages, compiled as far as they are, in which these examples are written as the page says."""
    for package in ("gems_engine", "gems_gui"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("assets", "*.pyc.*"))
    for example in map(EXAMPLES.__getitem__, titles):
        assert not (folder / example["file"]).exists()
        (folder / example["file"]).write_text(example["code"], encoding="utf-8")
        home = folder / example["home"]
        home.write_text(
            with_line(home.read_text(encoding="utf-8"), example["registry"], example["line"]), encoding="utf-8"
        )
    return folder


@pytest.fixture
def extended(tmp_path):
    """Does what an example says, in a copy, and runs its command there."""

    def extend(title):
        example, copy = EXAMPLES[title], copied(tmp_path / "copy", title)
        shutil.copytree(ROOT / "assets", copy / "assets", ignore=shutil.ignore_patterns("*.png"))
        words = [sys.executable, "-m", "gems_engine", *shlex.split(example["command"])]
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONIOENCODING": "utf-8"}
        answer = subprocess.run(words, capture_output=True, cwd=tmp_path, env=environment, encoding="utf-8")
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    return extend


def test_the_page_has_an_example_for_each_of_the_four():
    assert list(EXAMPLES) == ["A family of instances", "An algorithm", "A view", "A format to export to"]


@pytest.mark.timeout(600)  # the first time, mypy reads all that the examples import
def test_the_examples_pass_ruff_and_mypy_as_they_stand(tmp_path):
    """All four at once, under the settings of the repository; `mypy` itself checks the files around them."""
    copy = copied(tmp_path / "copy", *EXAMPLES)
    shutil.copy(ROOT / "pyproject.toml", copy)
    written = sorted({example[part] for example in EXAMPLES.values() for part in ("file", "home")})
    mypy = ["mypy", "--follow-imports=silent", "--cache-dir", CACHE]
    for words in (["ruff", "check"], ["ruff", "format", "--check"], mypy):
        answer = subprocess.run(
            [sys.executable, "-m", *words, *written], capture_output=True, cwd=copy, encoding="utf-8"
        )
        assert answer.returncode == 0, f"{' '.join(words[:2])}: {answer.stdout}{answer.stderr}"


def test_a_family_is_one_file_and_one_line(extended):
    said = extended("A family of instances")
    assert "two-arms:angle=90.0" in said
    assert "2 in R²" in said


def test_an_algorithm_is_one_file_and_one_line(extended):
    said = extended("An algorithm")
    assert "✓ Right: e_1, " in said
    assert "12\N{NARROW NO-BREAK SPACE}000" in said  # six arms, 2,000 pulls of each


def test_a_view_is_one_file_and_one_line(extended, tmp_path):
    extended("A view")
    header, *rows = (tmp_path / "pace.csv").read_text().splitlines()
    assert header == "event,samples"
    samples = [float(row.split(",")[1]) for row in rows]
    assert len(samples) > 5
    assert samples == sorted(samples)


def test_a_format_is_one_file_and_one_line(extended, tmp_path):
    extended("A format to export to")
    with Image.open(tmp_path / "board.bmp") as image:
        assert image.format == "BMP"
        assert image.size == (640, 400)
        assert len(image.convert("RGB").getcolors(640 * 400)) > 10
