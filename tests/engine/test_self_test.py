"""`gems doctor` and `gems bench`: what they find, and that they find what is broken."""

import json
from types import SimpleNamespace

import pytest

from gems_engine import self_test
from gems_engine.benchmarks import measured
from gems_engine.cli import main
from gems_engine.self_test import CHECKS, Finding, examined


def test_every_part_of_the_engine_works_here():
    findings = list(examined(CHECKS))
    assert [each.about for each in findings] == [about for about, _ in CHECKS]
    assert [each for each in findings if each.good is False] == []
    assert any("the same again from its seed" in each.result for each in findings)


def test_a_check_that_raises_has_found_what_is_broken_and_the_others_go_on():
    def broken():
        raise OSError("no space left")

    found = list(examined([("files", broken), ("fine", lambda: Finding("fine", "well", good=True))]))
    assert found == [Finding("files", "OSError: no space left", good=False), Finding("fine", "well", good=True)]


def test_a_wrong_design_is_found(monkeypatch):
    wrong = SimpleNamespace(value=15.0, lower_bound=14.0)
    monkeypatch.setattr("gems_engine.design.solve_design", lambda problem: wrong)
    (finding,) = examined([("designs", self_test._designs)])
    assert finding.good is False
    assert finding.result.startswith("wrong: 7 orthonormal arms cost 15.000000 (known: 14)")


def test_bench_measures_each_line(capsys):
    assert main(["bench", "--seconds", "0.001", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)
    assert len(lines) == 9
    assert all(line["milliseconds"] > 0 and line["times"] >= 3 for line in lines)
    hard = next(line for line in lines if "paper-hard, R¹⁰" in line["what"])
    assert hard["compared"].endswith("for 1.79 times the optimum")  # 35.7 instead of 20


def test_bench_refuses_no_time(capsys):
    assert main(["bench", "--seconds", "0"]) == 2
    assert '--seconds "0" is not allowed' in capsys.readouterr().err


def test_a_median_of_three_turns_at_least_after_one_that_does_not_count():
    turns = []
    assert measured(lambda: turns.append(1), seconds=1e-9)[1] == 3
    assert len(turns) == 4


@pytest.mark.parametrize("package", ["no-such-package-of-anybody"])
def test_what_is_not_installed_is_said_without_importing(package):
    assert self_test.installed(package) is None
