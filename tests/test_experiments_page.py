"""docs/experiments.md is true: its Python runs as one script, and its tables name every file and column."""

import csv
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gems_engine.experiment.toml_format import parse_specification

PAGE = (Path(__file__).parents[1] / "docs" / "experiments.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder, said = tmp_path_factory.mktemp("page"), []
    alone = [block for block in BLOCKS if "__main__" in block]  # a script of its own
    for script in ("\n".join(block for block in BLOCKS if block not in alone), *alone):
        (folder / "page.py").write_text(script, encoding="utf-8")
        line = [sys.executable, "-X", "utf8", "page.py"]
        answer = subprocess.run(line, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=200)
        assert answer.returncode == 0, answer.stderr
        said.append(answer.stdout)
    return folder, "".join(said)


def test_the_python_of_the_page_prints_what_it_says(ran):
    said = re.findall(r"print\(.*\)  # (.*)", PAGE)
    assert len(said) == 2
    for line in said:
        assert line in ran[1].splitlines()
    assert "<ExperimentResults verifiability: 16 trials of 16 cells, 16 right>" in ran[1]


def test_the_page_names_every_file(ran):
    table = PAGE.partition("| file | contents |")[2].partition("###")[0]
    named = set(re.findall(r"`([\w.-]+)/?`", table))
    assert named == {each.name for each in (ran[0] / "two-gaps").iterdir()}


def test_the_page_names_every_column(ran):
    table = PAGE.partition("| columns | what they are |")[2].partition("\n\n")[0]
    named = {name for line in table.splitlines() for name in re.findall(r"`(\w+…?)`", line.split(" | ")[0])}
    with (ran[0] / "two-gaps" / "results.csv").open(encoding="utf-8") as file:
        columns = next(csv.reader(file))
    assert {re.sub(r"^(instance|algorithm)_.*", r"\1_…", name) for name in columns} == named


def test_the_table_of_the_paper_is_read():
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert tomllib.loads(block)
    instance = '[instance]\nfamily = "sphere"\nD = [5, 6]\ntheta = ["flat", "inverse-square"]\n'
    algorithm = '[[algorithm]]\nname = "rage"\nlabel = "RAGE"\n'
    (printed,) = parse_specification(f'x = "D"\n{instance}{algorithm}{block}', "page", rehearse=False).printed
    assert (printed.trials, list(printed.values.values())) == (100, [1.0, 0.98])
