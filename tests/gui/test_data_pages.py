"""The pages about the data sets: their commands run, and every line of output and every number on them is true.

After a change that is meant to be seen: python -m tests.gui.test_data_pages --renew
"""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

if __name__ == "__main__":  # before anything else knows of a screen
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gems_engine.cli import main
from gems_engine.gallery import make
from gems_engine.gallery.datasets import FOLDER
from gems_engine.terminal import THIN
from tests.gui.test_snapshots import alike, difference

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("wine", "diabetes")
BLOCK = re.compile(r"```(sh|text)\n(.*?)```", re.DOTALL)
CITED = {
    "wine": {"4.0", "10.24432/C5PC7J"},
    "diabetes": {"2004", "www4"},
}
"""Numbers of licences, years and addresses."""


def text_of(name):
    return (DOCS / f"data-{name}.md").read_text(encoding="utf-8")


def output_of(line):
    """What a command prints, before and after its result."""
    program, *words = shlex.split(line)
    assert program == "gems"
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        assert main(words) == 0, line
    return out.getvalue()


def outputs(name):
    """The output of each block of commands, with the blocks of text that follow it."""
    found = []
    for kind, block in BLOCK.findall(text_of(name)):
        if kind == "sh":
            found.append(("".join(map(output_of, block.splitlines())), []))
        else:
            found[-1][1].append(block)
    return found


def facts(name):
    """What the page says about the data themselves."""
    with open(FOLDER / f"{name}.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    instance = make(name)
    if name == "wine":
        assert len(rows) == 178
        assert {row["name"][:3] for row in rows} == {"c1-", "c2-", "c3-"}
        assert round(np.mean([float(row["reward"]) for row in rows])) == 13
        assert pytest.approx(0.29, abs=0.005) == 0.15 * 1.91
        assert 8 * np.sqrt(2 * 178 / 9_998_556) < 1.2 * instance.min_gap, "pulling all equally often is right too"
        return {"178", "13", "19", "0.29", "0.15", "0.3", "1", "1.91"} | {"9", "15"}  # the latter of names
    patients = [int(row["patients"]) for row in rows]
    assert (sum(patients), min(patients), max(patients), len(patients)) == (442, 4, 53, 27)
    assert pytest.approx(0.656, abs=0.0005) == 55.4 / 84.4
    assert {row["name"] for row in rows} == {a + b + c for a in "LMH" for b in "LMH" for c in "LMH"}
    for column, at in (("bmi", 0), ("ltg", 1), ("bp", 2)):
        for level, other in ("LM", "MH"):
            low = [float(row[column]) for row in rows if row["name"][at] == level]
            high = [float(row[column]) for row in rows if row["name"][at] == other]
            assert max(low) < min(high), "groups are thirds"
    return {"442", "27", "4", "53", "55.4", "84.4", "0.656", "1", "0.1"}


@pytest.mark.parametrize("name", PAGES)
def test_every_command_output_number_and_picture_is_true(qapp, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # rendering sets it: the fixture puts it back
    said = outputs(name)
    for output, blocks in said:
        for block in blocks:
            assert block.rstrip("\n") in output.replace(THIN, " ")
    everything = "".join(output for output, _ in said).replace(THIN, "")
    prose = BLOCK.sub("", text_of(name))
    known = facts(name) | CITED[name]
    for cited in CITED[name]:
        prose = prose.replace(cited, "")
    numbers = set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])", prose.replace(THIN, "")))
    missing = {
        each for each in numbers - known if not re.search(rf"(?<![\d.]){re.escape(each)}(?![\d.]*\d)", everything)
    }
    assert not missing, f"no command on the page prints these numbers: {missing}"
    made, kept = QImage(str(tmp_path / f"{name}.png")), QImage(str(DOCS / "data" / f"{name}.png"))
    assert alike(made, kept), difference(made, kept)
    assert sorted(each.name for each in (DOCS / "data").iterdir()) == sorted(f"{each}.png" for each in PAGES)


@pytest.mark.parametrize(("name", "winner"), [("wine", "c1-19"), ("diabetes", "HHH")])
def test_the_linear_fit_prefers_what_the_pages_say(name, winner):
    instance = make(name)
    theta = np.linalg.lstsq(instance.arms, instance.rewards, rcond=None)[0]
    for fit in (theta, instance.linear_fit.theta):
        assert instance.arm_label(int(np.argmax(instance.arms @ fit))) == winner


def test_more_samples_do_not_help_a_linear_model(tmp_path, monkeypatch, capsys):
    """The strategy of the page ends by itself, so all of its loops agree in the end."""
    text = output_of("gems run wine --seed 1")
    assert "ended: last loop done" in text
    assert re.findall(r"c\d-\d+\n", text)[-10:] == ["c1-19\n"] * 10


def test_the_sources_are_named_and_in_the_package():
    text = (FOLDER / "SOURCES.md").read_text(encoding="utf-8")
    assert {each.stem for each in FOLDER.glob("*.csv")} == set(PAGES)
    for name in PAGES:
        assert f"## {name}.csv" in text
    assert "CC BY 4.0" in text
    assert "Efron" in text


if __name__ == "__main__" and "--renew" in sys.argv:
    with TemporaryDirectory() as folder, chdir(folder):
        for name in PAGES:
            for line in (
                line for kind, block in BLOCK.findall(text_of(name)) if kind == "sh" for line in block.splitlines()
            ):
                output_of(line)
            (DOCS / "data" / f"{name}.png").write_bytes(Path(f"{name}.png").read_bytes())
