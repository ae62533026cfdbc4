"""Text where the encoding of the output lacks letters, and JSON where it does not matter."""

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from gems_engine import cli, plain_text
from gems_engine.commands import commands
from gems_engine.plain_text import plain
from gems_engine.terminal import mark, table

SMALL = """
title = "T: ζ"
trials = 2
[instance]
family = "paper-hard"
d_star = 2
epsilon = [0.1, 0.3]
[stop]
samples = 2000
[[algorithm]]
name = "gems"
label = "ours, β = 4"
base = 4
[[algorithm]]
name = "rage"
[[paper]]
metric = "success"
label = "RAGE"
values = [0.0, 1.0]
trials = 100
"""


@pytest.fixture
def gems(monkeypatch, tmp_path):
    """Runs a command line with standard output in an encoding; returns what was written, decoded."""
    monkeypatch.setattr("gems_engine.plugins.entry_points", lambda group: [])
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL, encoding="utf-8")

    def run(line, encoding, code=0):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
        monkeypatch.setattr(sys, "stdout", streams[0])
        monkeypatch.setattr(sys, "stderr", streams[1])
        assert cli.main(shlex.split(line)) == code
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return tuple(stream.buffer.getvalue().decode(encoding) for stream in streams)

    return run


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("d⋆, ρ⋆_d and R¹⁰ ≤ 10⁻⁵", "d*, rho*_d and R^10 <= 10^-5"),
        ("θ̂ₖ, Ŝ_k, γ̃(d)", "theta_hat_k, S_hat_k, gamma~(d)"),
        ("2ε and 180 d/ζ²", "2 epsilon and 180 d/zeta^2"),
        ("10\u202f000 … ✓ ✗ ─", "10 000 ... ok x -"),
        ("⌈2·4^k⌉ · 𝒳", "ceil(2 * 4^k) - X"),
        ("· one\n· 2·3", "- one\n- 2 * 3"),
        ("Zürich, λ", "Zurich, lambda"),
        ("表", "?"),
    ],
)
def test_letters_become_ascii_that_reads_the_same(text, expected):
    assert plain(text) == expected
    assert plain(text, "utf-8") == text


def test_an_encoding_keeps_the_letters_that_it_has():
    assert plain("é, d², R¹⁰, δ", "cp1252") == "é, d², R^10, delta"


@pytest.mark.parametrize("package", ["gems_engine", "gems_gui/commands"])
def test_every_letter_in_the_source_has_ascii(package):
    """If this fails, add the letter to _LIKE in gems_engine/plain_text.py."""
    root = Path(plain_text.__file__).parents[1]
    letters = {
        each for file in (root / package).rglob("*.py") for each in file.read_text("utf-8") if not each.isascii()
    }
    lacking = {each for each in letters if "?" in plain(each) or not plain(each).isascii()}
    assert lacking == set()


def test_tables_are_aligned_in_ascii_too(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    lines = plain(table(["ρ⋆", "x"], [["1", mark(True)], ["λ", mark(False)]], left=1)).splitlines()
    assert lines == ["rho*     x", "------  --", "1       ok", "lambda   x"]


LINES = [
    "--help",
    "run --help",
    "run paper-hard:d_star=3 --algorithm gems --max-samples 2000 --watch",
    "run paper-hard:d_star=3 --algorithm GEMS-fixed-budget --budget 2000",
    "design paper-hard --dim 9",
    "complexity paper-hard:epsilon=0.1",
    "instance show sphere:D=5,n=10,d_star=2",
    "instance list",
    "experiment list",
    "experiment small.toml --jobs 0 -o small",
]


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_commands_print_readable_text_in_every_encoding(gems, encoding):
    for line in LINES:
        full, _ = gems(line.replace("-o small", "-o full"), "utf-8")
        text, errors = gems(line, encoding)
        assert text.count("?") == full.count("?"), line  # no letter was replaced by a question mark
        assert "\\u" not in text, line
        assert "\\x" not in text, line
        assert errors == ""
    facts = gems("run paper-hard:d_star=3 --max-samples 2000", encoding)[0].splitlines()[2:8]
    assert facts[2].startswith("  tau ")
    assert all(line[16] == " " != line[17] for line in facts[1:]), facts  # all values start in one column
    _, errors = gems("run paper-hard:θ=1", encoding, code=2)
    assert "theta" in errors


def test_json_is_the_same_document_in_every_encoding(gems, monkeypatch):
    monkeypatch.setattr("gems_engine.benchmarks.benchmarks", lambda seconds: [])  # test_self_test.py has real ones
    gems("run paper-hard:d_star=3 --max-samples 2000 -o run.gems", "utf-8")
    gems("run paper-hard:d_star=3 --max-samples 2000 --seed 1 -o other.gems", "utf-8")
    gems("design paper-hard -o weights.csv --certificate proof.json", "utf-8")
    gems("experiment small.toml --jobs 0 -o small", "utf-8")
    lines = {
        "run": ("run paper-hard:d_star=3 --max-samples 2000 --json --watch", 0),
        "verify": ("verify run.gems --json", 0),
        "diff": ("diff run.gems other.gems --json", 1),
        "instance": ("instance list --json", 0),
        "instance show": ("instance show paper-hard --json", 0),
        "instance save": ("instance save paper-hard -o hard.json --json", 0),
        "design": ("design paper-hard --json", 0),
        "certify": ("certify paper-hard weights.csv --json", 0),
        "certify --check": ("certify --check proof.json --json", 0),
        "complexity": ("complexity paper-hard --json", 0),
        "experiment": ("experiment small --resume --json", 0),
        "experiment list": ("experiment list --json", 0),
        "report": ("report small --json", 0),
        "plugin": ("plugin check rage --json", 0),
        "bench": ("bench --json", 0),
    }
    assert {each.split()[0] for each in lines} == set(commands()) - {"demo"}  # which says where its summary.json is
    for name, (line, code) in lines.items():
        text, _ = gems(line, "ascii", code)
        found = json.loads(text)
        if name not in ("run", "design"):  # these have times
            assert found == json.loads(gems(line, "utf-8", code)[0]), name


def test_a_new_package_is_reported_in_json(gems):
    found = json.loads(gems("plugin new my-algorithm --json", "ascii")[0])
    assert all(Path(each).is_file() for each in found["files"])
    assert found["next"][1] == "gems plugin check my-algorithm"


def test_a_specification_and_markdown_are_printed_in_utf_8(gems, tmp_path):
    for line in ("experiment small.toml --show", "report small --markdown"):
        if "report" in line:
            gems("experiment small.toml --jobs 0 -o small", "utf-8")
        stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        sys.stdout = stream  # the fixture restores it
        assert cli.main(line.split()) == 0
        stream.flush()
        assert "β = 4" in stream.buffer.getvalue().decode()


def test_options_that_exclude_each_other_are_refused(gems):
    gems("experiment small.toml --jobs 0 -o small", "utf-8")
    assert "Omit one of them" in gems("report small --markdown --json", "utf-8", 2)[1]
    assert "Omit --json" in gems("experiment small.toml --show --json", "utf-8", 2)[1]


def test_the_c_locale_without_utf_8():
    """As a process of its own, where Python itself chooses the encoding."""
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    environment.pop("PYTHONIOENCODING", None)
    line = [sys.executable, "-m", "gems_engine", "complexity", "paper-hard:d_star=2"]
    answer = subprocess.run(line, capture_output=True, env=environment, check=True)
    assert b"rho*_d" in answer.stdout
    assert answer.stdout.isascii()
