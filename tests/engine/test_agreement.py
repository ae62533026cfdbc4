"""Experiments compared with the numbers that the paper prints."""

import json
import math
from dataclasses import replace

import pytest

from gems_engine.errors import InputError
from gems_engine.experiment.agreement import agreement_text, comparison_of, comparisons
from gems_engine.experiment.library import built_in_specification
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.report import markdown, page, summary_json
from gems_engine.experiment.statistics import mean_interval, wilson
from gems_engine.experiment.tables import tables_of
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import Row

TEXT = """
trials = 200
[instance]
family = "paper-hard"
d_star = 2
epsilon = [0.3, 0.1]
[[algorithm]]
name = "rage"
label = "RAGE"
[[paper]]
metric = "success"
label = "RAGE"
values = [0.95, 0.60]
trials = 100
where = "a table"
[[paper]]
metric = "tau"
label = "RAGE"
values = [1000, 1300]
trials = 100
[[paper]]
metric = "runtime"
label = "RAGE"
values = [3.5, 4.5]
trials = 100
"""


def summary(text=TEXT, right=190):
    """200 trials of two cells: τ is 900 or 1 100 where they are right."""
    said = parse_specification(text, "made-up")
    found = Measures(said)
    for index in range(len(said)):
        good = index // 2 < right
        tau = (900 if index // 2 % 2 else 1100) if good else None
        row = Row(index, "paper-hard", "rage", 1, correct=good, recommendation=1, samples=2000, tau=tau, finish="cap")
        found.add(replace(row, seconds=0.5, seconds_to_tau=0.25 if good else None))
    return found.summary()


def test_shares_agree_if_their_wilson_intervals_overlap():
    one, other = (comparison_of(summary(), cell, "success") for cell in summary().cells)
    assert (one.measured, one.paper, one.agrees) == (0.95, 0.95, True)
    assert one.paper_interval == (wilson(95, 100).low, wilson(95, 100).high)
    assert other.agrees is False
    assert other.difference == pytest.approx(0.35)
    assert wilson(190, 200).low > wilson(60, 100).high


def test_means_agree_if_their_intervals_overlap_and_times_are_not_compared():
    one, other = (comparison_of(summary(), cell, "tau") for cell in summary().cells)
    assert (one.measured, one.agrees, other.agrees) == (1000.0, True, False)
    assert one.interval == pytest.approx(mean_interval(1000.0, 100.0 * math.sqrt(190 / 189), 190))
    assert other.paper_interval[0] > other.interval[1]
    assert {each.agrees for each in comparisons(summary()) if each.printed.metric == "runtime"} == {None}


def test_the_report_names_each_cell_that_differs_and_by_how_much():
    text = agreement_text(summary())
    assert text.startswith("2 of 4 cells agree with the paper: the two 95 % intervals overlap.")
    assert "RAGE, ε = 0.1 differs: success minus the paper's is +35 points." in text
    assert "RAGE, ε = 0.1 differs: sample complexity τ minus the paper's is −300 samples." in text
    rows = {row[0]: row[1:] for row in next(t for t in tables_of(summary()) if t.name == "success").rows}
    assert rows["RAGE, in the paper"] == ("95 % [89, 98]", "60 % [50, 69]")
    assert rows["RAGE, minus the paper"] == ("0 points, agrees", "+35 points, differs")
    taus = {row[0]: row[1:] for row in next(t for t in tables_of(summary()) if t.name == "tau").rows}
    assert taus["RAGE, mean of right trials"][0] == "1\u202f000 [986, 1\u202f014]"
    assert "RAGE, ε = 0.1 differs" in markdown(summary())
    found = json.loads(json.dumps(summary_json(summary())))["paper"]
    assert [each["agrees"] for each in found] == [True, False, True, False, None, None]
    assert found[0]["where"] == "a table"


def test_the_page_says_it_too(tmp_path):
    from gems_engine.experiment.folder import Results

    said = parse_specification(TEXT, "made-up")
    results = Results(said, [], Measures(said), bytearray())
    text = page(results, summary(), {}, {})
    assert "<h3>Compared with the paper</h3>" in text
    assert "differs: success minus the paper&#x27;s is +35 points." in text
    assert "Compared with the paper" not in page(results, Measures(said).summary(), {}, {})


def test_without_the_papers_trials_nothing_is_compared():
    found = summary(TEXT.replace("trials = 100\n", ""))
    assert agreement_text(found) == ""
    assert {each.agrees for each in comparisons(found)} == {None}
    rows = [row[0] for table in tables_of(found) for row in table.rows]
    assert "RAGE, in the paper" in rows
    assert "RAGE, minus the paper" not in rows


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("values = [0.95, 0.60]\ntrials = 100", "values = [0.95, 0.60]\ntrials = 1.5", "paper 1: trials = 1.5"),
        ("[0.95, 0.60]", "[95, 60]", "paper 1: values of success must be from 0 to 1"),
    ],
)
def test_bad_numbers_of_the_paper_are_refused(old, new, words):
    with pytest.raises(InputError, match=words):
        parse_specification(TEXT.replace(old, new), "made-up")


@pytest.mark.parametrize("name", ["paper-table-1", "paper-appendix"])
def test_the_papers_experiments_do_what_the_authors_did(name):
    said = built_in_specification(name, rehearse=False)
    assert {cell.parameters["last_round"] for cell in said.cells} == {"finish"}
    assert {each.trials for each in said.printed} == {100}
    labels = {"paper-table-1": ("success_rate_1", "runtime"), "paper-appendix": ("success_rate_2", "runtime_unif")}
    assert {each.where.partition("tab:")[2].partition(")")[0] for each in said.printed} == set(labels[name])
