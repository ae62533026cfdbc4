"""Certificates as files and on the command line: written, checked, and refused in one sentence."""

import ast
import json
import subprocess
import sys

import pytest

from gems_engine.cli import main
from gems_engine.files import read_certificate, write_certificate
from tests.engine.certificates import CHECKER, as_dict, by_hand, refusal
from tests.engine.hard_problems import HardProblem
from tests.engine.problems import sphere_arms

SPHERE = HardProblem("sphere", sphere_arms(8, 3), targets=sphere_arms(8, 3))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    good, bad = folder / "good.json", folder / "bad.json"
    write_certificate(good, by_hand(SPHERE))
    bad.write_text(json.dumps(as_dict(by_hand(SPHERE)) | {"upper_bound": (1.0).hex()}))
    return good, bad


def test_the_checker_is_one_page_of_the_standard_library():
    text = CHECKER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        name
        for node in imported
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
    }
    assert names <= {"fractions", "hashlib", "json", "operator", "sys"}


def test_the_checker_says_one_sentence_and_exits_with_0_or_1(files):
    good, bad = files
    command = [sys.executable, "-I", str(CHECKER)]
    holds = subprocess.run([*command, str(good)], capture_output=True, text=True, encoding="utf-8")
    assert (holds.returncode, holds.stderr) == (0, "")
    assert holds.stdout.startswith("It holds in exact arithmetic: optimum ≥ ")
    assert "certified (tolerance 1e-06)" in holds.stdout
    refused = subprocess.run([*command, str(bad)], capture_output=True, text=True, encoding="utf-8")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "Refused: the weights have a value above upper_bound.\n"
    for arguments in ([], [str(good.with_name("none.json"))], [str(CHECKER)]):
        nothing = subprocess.run([*command, *arguments], capture_output=True, text=True, encoding="utf-8")
        assert nothing.returncode == 1
        assert nothing.stderr.startswith("Refused: ")
        assert len(nothing.stderr.splitlines()) == 1


def test_gems_certify_check_says_what_holds(files, capsys):
    good, bad = files
    certificate = read_certificate(good)
    assert main(["certify", "--check", str(good)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        f"The certificate holds in exact arithmetic: the optimum is at least {certificate.lower_bound!r} "
    )
    assert f"at most {certificate.upper_bound!r}, a gap of " in said
    assert said.endswith("(certified to 1e-06).\n")
    assert main(["certify", "--check", str(bad)]) == 1
    assert capsys.readouterr().out == (
        "The certificate does not hold: the exact value of the weights is above its upper bound.\n"
    )
    assert main(["certify", "--check", str(bad), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["holds"], said["upper_bound"]) == (False, 1.0)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (["certify"], "Give an INSTANCE and a file of WEIGHTS"),
        (["certify", "soare"], "Give an INSTANCE and a file of WEIGHTS"),
        (["certify", "soare", "--check", "good.json"], "--check takes only a certificate"),
        (["certify", "--check", "none.json"], "There is no file"),
        (["certify", "--check", str(CHECKER)], "is not valid JSON"),
    ],
)
def test_gems_certify_refuses_in_one_sentence(line, sentence, capsys):
    assert main(line) == 2
    assert sentence in capsys.readouterr().err


def test_gems_design_writes_a_certificate_that_both_accept(tmp_path, capsys):
    path = tmp_path / "certificate.json"
    assert main(["design", "soare:D=3", "--certificate", str(path)]) == 0
    assert main(["certify", "--check", str(path)]) == 0
    assert refusal(path.read_bytes()) is None
    assert read_certificate(path).lower_bound > 0
