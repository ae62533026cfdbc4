"""docs/reproduction.md is true as far as a fast test can tell, and the variants are what they claim to be."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from gems_engine.experiment.library import built_in_specification
from gems_engine.experiment.statistics import wilson
from gems_engine.experiment.words import share
from gems_engine.running import Run
from gems_engine.summary import summarise
from tests.reproduction.__main__ import DIFFERENCES, EQUAL, HARD, MEASUREMENTS, PAPER, SPHERE, hard, main, sphere
from tests.reproduction.variants import AUTHORS, Trial, frank_wolfe, rounded

PAGE = (Path(__file__).parents[2] / "docs" / "reproduction.md").read_text(encoding="utf-8")


def cells(line):
    return [re.sub(r"[*\s\u202f]", "", each) for each in line.strip("|").split(" | ")]


def test_without_a_difference_the_variant_is_the_engine():
    engine = summarise(Run(hard()(1), "gems", 1, base=4, max_samples=HARD, last_round="finish").finish()).as_dict()
    found = Trial(hard()(1), PAPER, 1, HARD).gems()
    assert (found.right, found.tau) == (engine["correct"], engine["tau"]) == (True, 41_986)
    assert found.samples == engine["samples"]


def test_differences_have_the_effect_on_the_page():
    assert Trial(hard()(1), DIFFERENCES["ties refused"], 1, HARD).gems().tau == 19_553
    run = Trial(hard()(1), DIFFERENCES[EQUAL], 1, HARD)
    assert run.gems().right
    assert run.seen[1] == (166, 0)
    assert Trial(hard()(1), DIFFERENCES["schedule from i = 0"], 1, HARD).gems().tau == 56_930


def test_the_authors_code_as_a_whole_runs_on_both_instances():
    assert Trial(hard()(1), AUTHORS, 1, 100_000).gems().samples > 100_000
    assert Trial(sphere(6)(1), replace(AUTHORS, iterations=20), 1, 2_000).gems().samples >= 2_000
    assert Trial(sphere(6)(1), replace(PAPER, rounding="support"), 1, SPHERE).rage().right


def test_frank_wolfe_and_rounding_are_exact_where_they_can_be():
    arms = hard()(1).arms
    value, weights = frank_wolfe(arms, arms, 1000, 0)
    assert value == pytest.approx(20.0, rel=0.02)
    assert rounded(weights, 137).sum() == 137


@pytest.mark.parametrize("name", ["designs", "duplicates"])
def test_fast_tables_are_on_the_page(name, capsys):
    assert main([name, "--trials", "2"]) == 0
    page = PAGE.splitlines()
    for line in capsys.readouterr().out.splitlines()[2:]:
        head, *numbers = cells(line)
        (there,) = [each for each in page if each.startswith("|") and cells(each)[0].startswith(head)]
        for each in numbers if name == "designs" else numbers[1:]:  # the page has more trials
            assert each.split(",")[0] in "".join(cells(there)), (each, there)


def test_the_page_names_every_measurement():
    for name in MEASUREMENTS:
        assert f"python -m tests.reproduction {name}" in PAGE


@pytest.mark.parametrize("name", ["paper-table-1", "paper-appendix"])
def test_the_papers_numbers_on_the_page_are_those_of_the_experiment(name):
    for printed in built_in_specification(name, rehearse=False).printed:
        if printed.metric == "success":
            row = [share(wilson(round(100 * each), 100)) for each in printed.values.values()]
            assert f"| {printed.label}, in the paper | {' | '.join(row)} |" in PAGE
