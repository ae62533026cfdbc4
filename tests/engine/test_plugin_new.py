"""`gems plugin new`: the packages are written, installed by pip, checked, tested and used as an author would."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gems_engine.cli import main
from gems_engine.plugin_scaffold import KINDS, TEMPLATES

ROOT = Path(__file__).parents[2]
CACHE = str(ROOT / ".mypy_cache" / "plugins")
"""What mypy knows of the modules that the packages import; the first run in a checkout fills it."""


def call(folder, environment, *words):
    answer = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, env=environment, capture_output=True, encoding="utf-8"
    )
    assert answer.returncode == 0, f"{words}: {answer.stdout}{answer.stderr}"
    return answer.stdout


@pytest.mark.timeout(600)  # the first time, mypy reads all that the packages import
def test_new_packages_install_pass_their_tests_and_are_used(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {kind: f"my-{kind}" for kind in KINDS}
    for kind, name in names.items():
        assert main(["plugin", "new", name, "--kind", kind]) == 0
        entry = name.replace("-", "_") if kind == "metric" else name
        assert f"  pip install -e {name}\n  gems plugin check {entry}\n" in capsys.readouterr().out
        assert (tmp_path / name / "README.md").read_text().startswith(f"# {name}\n")
        assert not any("@NAME@" in path.read_text() for path in (tmp_path / name).rglob("*") if path.is_file())
    site = tmp_path / "site"
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONIOENCODING": "utf-8", "QT_QPA_PLATFORM": "offscreen"}
    pip = ("pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", str(site))
    call(tmp_path, environment, *pip, *(f"./{name}" for name in names.values()))
    call(tmp_path, environment, "ruff", "check", "--no-cache", *names.values())
    call(tmp_path, environment, "ruff", "format", "--no-cache", "--check", *names.values())
    modules = [f"{name}/{name.replace('-', '_')}" for name in names.values()]
    call(tmp_path, environment, "mypy", "--strict", "--cache-dir", CACHE, *modules)
    tests = [f"{name}/tests" for name in names.values()]
    said = call(tmp_path, environment, "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", *tests)
    assert "10 passed" in said
    said = call(
        tmp_path, environment, "gems_engine", "run", "paper-hard", "--algorithm", "my-algorithm", "-o", "a.gems"
    )
    assert said.startswith("My algorithm on paper-hard:")
    said = call(tmp_path, environment, "gems_engine", "plugin", "check", "my-algorithm")
    assert said.startswith("algorithm my-algorithm\n  ✓ documented ")
    assert (said.count("✓"), said.count("✗")) == (11, 0)
    call(tmp_path, environment, "gems_engine", "verify", "a.gems")
    call(tmp_path, environment, "gems_engine", "render", "a.gems", "-o", "a.png", "--view", "my-view")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    said = call(tmp_path, environment, "gems_engine", "instance", "show", "my-family:n=8")
    assert "8 in R²" in said
    call(tmp_path, environment, "gems_engine", "experiment", "my-experiment", "--trials", "1", "--jobs", "0", "-o", "r")
    assert (tmp_path / "r" / "results.csv").read_text().splitlines()[0].endswith(",my_metric")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["My"],
            '"My" is not a name for a plug-in: use at most 50 lower-case letters, digits and single hyphens, such as',
        ),
        (["a_b"], '"a_b" is not a name for a plug-in: use'),
        (["../a"], '"../a" is not a name for a plug-in: use'),
        (["a" * 51], "is not a name for a plug-in: use at most 50"),
        (["class"], '"class" is not a name for a plug-in: Python has a word or module of this name.'),
        (["json"], '"json" is not a name for a plug-in: Python has a word or module of this name.'),
        (["gems-engine"], '"gems-engine" is not a name for a plug-in: Python has'),
        (["rage"], '"rage" is the name of something built in. Choose another name.'),
        (["sphere", "--kind", "family"], '"sphere" is the name of something built in.'),
        (["tau", "--kind", "metric"], '"tau" is the name of something built in.'),
        (["budget", "--kind", "experiment"], '"budget" is the name of something built in.'),
        (["gaps", "--kind", "view"], '"gaps" is the name of something built in.'),
        (["taken"], "taken exists already. Choose another name or --output."),
        (["fine", "-o", "taken"], "taken exists already. Choose another name or --output."),
        (["fine", "-o", "file/inside"], "Cannot create the folder "),
        (["fine", "--kind", "familly"], '--kind "familly" is not allowed: did you mean "family"? See gems plugin new'),
        ([], "NAME is missing. See gems plugin new --help."),
    ],
)
def test_a_bad_name_or_folder_is_one_sentence_and_nothing_is_written(tmp_path, monkeypatch, capsys, words, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").touch()
    assert main(["plugin", "new", *words]) == 2
    said = capsys.readouterr().err
    assert said.startswith("gems: ")
    assert sentence in said
    assert len(said.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken"]
    assert list((tmp_path / "taken").iterdir()) == []


def test_output_is_the_folder_and_every_template_is_used(tmp_path, capsys):
    assert main(["plugin", "new", "fine", "--output", str(tmp_path / "deep" / "folder")]) == 0
    files = {
        path.relative_to(tmp_path / "deep" / "folder").as_posix() for path in tmp_path.rglob("*") if path.is_file()
    }
    assert files == {"README.md", "fine/__init__.py", "fine/py.typed", "pyproject.toml", "tests/test_fine.py"}
    used = {"README.md.txt", "pyproject.toml.txt", *(each for kind in KINDS.values() for _, each in kind.files)}
    used |= {f"{kind}{suffix}" for kind in KINDS for suffix in (".py.txt", "_test.py.txt")}
    assert {path.name for path in TEMPLATES.iterdir()} == used
