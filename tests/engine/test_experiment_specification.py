"""Specifications: what they mean, and what is said of bad ones."""

import tomllib
from pathlib import Path

import pytest

from gems_engine.errors import InputError
from gems_engine.experiment import trial_seed
from gems_engine.experiment.folder import read_specification
from gems_engine.experiment.library import built_in, built_in_specification
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.files import write_instance
from gems_engine.gallery import make

GOOD = """
title = "A small one"
trials = 3
seed = 7

[instance]
family = "paper-hard"
d_star = 3
epsilon = [0.3, 0.1]

[stop]
samples = 20_000

[[algorithm]]
name = "fixed-confidence"
label = "GEMS"
base = [2, 4]

[[algorithm]]
name = "rage"
max_samples = 5_000
"""


def parsed(text, **rest):
    return parse_specification(text, "small", **rest)


# -- what it means -------------------------------------------------------------------------------------------------


def test_the_grid_is_every_instance_with_every_algorithm():
    said = parsed(GOOD)
    assert (said.title, said.trials, said.seed, said.x) == ("A small one", 3, 7, "epsilon")
    seen = [(cell.instance, cell.label, dict(cell.parameters)) for cell in said.cells]
    easy, hard = "paper-hard:d_star=3,epsilon=0.3", "paper-hard:d_star=3,epsilon=0.1"
    algorithms = [
        ("GEMS", {"base": 2, "max_samples": 20_000}),
        ("GEMS", {"base": 4, "max_samples": 20_000}),
        ("RAGE", {"max_samples": 5_000}),
    ]
    assert seen == [(instance, *one) for instance in (easy, hard) for one in algorithms]
    assert [said.series(cell) for cell in said.cells[:3]] == ["GEMS, β = 2", "GEMS, β = 4", "RAGE"]
    assert [said.group(cell) for cell in said.cells[2:4]] == ["ε = 0.3", "ε = 0.1"]
    assert said.xs == (0.3, 0.1)
    assert len(said) == 18


def test_trials_go_through_all_cells_before_the_next_number_and_share_its_seed():
    said = parsed(GOOD)
    trials = list(said.missing(bytearray()))
    assert [trial.index for trial in trials] == list(range(18))
    assert [trial.seed for trial in trials] == [trial_seed(7, number) for number in range(3) for _ in range(6)]
    assert [trial.algorithm for trial in trials[:3]] == ["fixed-confidence", "fixed-confidence", "rage"]
    more = said.with_(trials=5)  # those that were there keep their numbers
    assert [more.trial(index) for index in range(18)] == trials
    done = bytearray(18)
    done[0] = done[7] = done[17] = 1
    assert [trial.index for trial in said.missing(done)] == [i for i in range(18) if i not in (0, 7, 17)]
    assert parsed(GOOD).with_(seed=8).trial(0).seed == trial_seed(8, 0)


def test_a_new_instance_for_every_trial_is_the_same_for_every_algorithm():
    text = """
        [instance]
        family = "sphere"
        D = [6, 8]
        n = 12
        new_each_trial = true
        [[algorithm]]
        name = "rage"
        [[algorithm]]
        name = "fixed-confidence"
    """
    said = parsed(text)
    first = [said.trial(index) for index in range(8)]
    seeds = [trial_seed(0, 0), trial_seed(0, 1)]
    assert [trial.instance for trial in first[:4]] == [f"sphere:D={D},n=12,seed={seeds[0]}" for D in (6, 6, 8, 8)]
    assert [trial.instance for trial in first[4:]] == [f"sphere:D={D},n=12,seed={seeds[1]}" for D in (6, 6, 8, 8)]


def test_the_digest_is_of_what_decides_the_rows():
    said = parsed(GOOD)
    assert (
        parsed(GOOD.replace("A small one", "Another title").replace("trials = 3", "trials = 9")).digest == said.digest
    )
    assert parsed(GOOD.replace("base = [2, 4]", "base = [2, 8]")).digest != said.digest
    assert parsed(GOOD.replace("0.3", "0.2")).digest != said.digest


def test_instances_from_files_are_looked_for_beside_the_specification(tmp_path):
    instance = make("soare", D=3)
    write_instance(tmp_path / "mine.json", instance)
    text = '[instance]\nfile = "mine.json"\n[[algorithm]]\nname = "rage"\n'
    (tmp_path / "own.toml").write_text(text)
    said = read_specification(tmp_path / "own.toml")
    assert said.name == "own"
    assert said.trial(3).instance.digest == instance.digest
    (tmp_path / "own.toml").write_text(text.replace("mine", "yours"))
    with pytest.raises(InputError, match=r"own\.toml: instance 1: file: There is no file"):
        read_specification(tmp_path / "own.toml")


def test_what_the_paper_prints_is_laid_on_its_cells():
    paper = '[[paper]]\nmetric = "success"\nlabel = "GEMS"\nat = { base = 4 }\nvalues = [0.5, 1]\nwhere = "there"\n'
    said = parsed(GOOD + paper)
    [printed] = said.printed
    assert dict(printed.values) == {1: 0.5, 4: 1.0}
    assert [said.cells[index].varied for index in printed.values] == [
        {"epsilon": 0.3, "base": 4},
        {"epsilon": 0.1, "base": 4},
    ]


# -- bad ones ------------------------------------------------------------------------------------------------------

BAD = {
    "trials = 3 = 4": ("trials = 3", "trials = 3 = 4", "not TOML"),
    "unknown key": ("trials", "trails", '"trails": did you mean "trials"'),
    "no trials": ("trials = 3", "trials = 0", "trials = 0 is not allowed"),
    "half a trial": ("trials = 3", "trials = 2.5", "trials = 2.5 is not allowed"),
    "seed": ("seed = 7", 'seed = "x"', "seed = x is not allowed"),
    "title": ('title = "A small one"', "title = 3", "title = 3 is not allowed: it must be text"),
    "x": ("seed = 7", 'seed = 7\nx = "epsilom"', 'x: .*"epsilom": did you mean "epsilon"'),
    "family": ("paper-hard", "paper-hart", 'instance 1: .*"paper-hart": did you mean "paper-hard"'),
    "no family": ('family = "paper-hard"', "", "instance 1: give exactly one of the keys family and file"),
    "parameter of a family": ("d_star = 3", "dstar = 3", 'instance 1: .*"dstar": did you mean "d_star"'),
    "value of it": ("d_star = 3", "d_star = -3", "instance 1: d_star = -3 is not allowed"),
    "value in a list": ("[0.3, 0.1]", "[0.3, 7]", "instance 1: epsilon = 7 is not allowed"),
    "empty list": ("[0.3, 0.1]", "[]", "instance 1: the list epsilon is empty"),
    "twice in a list": ("[0.3, 0.1]", "[0.3, 0.3]", "instance 1: the list epsilon has a value twice"),
    "nothing random": (
        "d_star = 3",
        "new_each_trial = true",
        "instance 1: new_each_trial: .*is not random",
    ),
    "new or not": ("d_star = 3", "new_each_trial = 1", "instance 1: new_each_trial = 1 is not allowed"),
    "file": (
        'family = "paper-hard"\nd_star = 3\nepsilon = [0.3, 0.1]',
        'file = "x.json"',
        'instance 1: file = "x.json"',
    ),
    "algorithm": ('"rage"', '"rag"', 'algorithm 2: name: .*"rag": did you mean "rage"'),
    "no name": ('name = "rage"', "", "algorithm 2: the key name is missing"),
    "parameter": ("max_samples", "max_sample", r'algorithm 2 \(rage\): .*"max_sample": did you mean "max_samples"'),
    "its value": ("base = [2, 4]", "base = [2, 1]", r"algorithm 1 \(fixed-confidence\): base = 1 is not allowed"),
    "stop": ("samples = 20_000", "sample = 20_000", 'stop: .*"sample": did you mean "samples"'),
    "its number": ("samples = 20_000", "samples = -1", "stop: samples = -1 is not allowed: it must be a whole number"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_specification_is_refused_in_a_sentence_that_names_the_key(name):
    old, new, said = BAD[name]
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    with pytest.raises(InputError, match=said) as refusal:
        parsed(text)
    assert str(refusal.value).count("\n") == 0
    assert str(refusal.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('label = "GEMS"\nvalues = [1, 1]', "paper 1: the key metric is missing"),
        ('metric = "sucess"\nlabel = "GEMS"\nvalues = [1]', 'paper 1: metric: .*"sucess": did you mean "success"'),
        ('metric = "success"\nlabel = "GEM"\nvalues = [1]', 'paper 1: label: .*"GEM": did you mean "GEMS"'),
        ('metric = "success"\nlabel = "GEMS"\nvalues = [1, 1]', "paper 1: values must be a list of 4 numbers"),
        ('metric = "success"\nlabel = "rage"\nvalues = [1, "x"]', "paper 1: values = x is not allowed"),
        ('metric = "success"\nlabel = "rage"\nat = 3\nvalues = [1, 1]', "paper 1: at = 3 is not allowed"),
        ('metric = "success"\nlabel = "rage"\nat = {D = 3}\nvalues = [1, 1]', 'paper 1: at: .*"D"'),
    ],
)
def test_bad_numbers_of_the_paper_are_refused(more, said):
    with pytest.raises(InputError, match=said):
        parsed(f"{GOOD}\n[[paper]]\n{more}\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"\[\[instance\]\] is missing"),
        ('[instance]\nfamily = "soare"', r"\[\[algorithm\]\] is missing"),
        ('instance = 3\n[[algorithm]]\nname = "rage"', "instance = 3 is not allowed: it must be a table"),
        ('stop = 3\n[instance]\nfamily = "soare"\n[[algorithm]]\nname = "rage"', "stop = 3 is not allowed"),
        ('[instance]\nfile = "x.json"\n[[algorithm]]\nname = "rage"', 'instance 1: file = "x.json" is not allowed'),
        (
            '[instance]\nfamily = "sphere"\nd_star = 9\nD = 5\n[[algorithm]]\nname = "rage"',
            "instance: sphere: d_star = 9 is not allowed",
        ),
        (
            '[instance]\nfamily = "soare"\n[[algorithm]]\nname = "fixed-budget"\n[stop]\nloops = 3',
            "stop: none of these algorithms uses the key loops",
        ),
        (
            '[instance]\nfamily = "soare"\n[[algorithm]]\nname = "rage"\n[[algorithm]]\nname = "rage"\ndelta = 0.1',
            'two algorithms are called "RAGE". Give each its own label',
        ),
        (
            '[[instance]]\nfamily = "soare"\n[[instance]]\nfamily = "soare"\n[[algorithm]]\nname = "rage"',
            'instance: two instances are called "soare". Change one of them',
        ),
        (
            '[instance]\nfamily = "soare"\n[[algorithm]]\nname = "fixed-budget"\nbudget = 3',
            r"algorithm 1 \(fixed-budget\): budget = 3 is not allowed: it must be a whole number from 8",
        ),
        (
            '[instance]\nfamily = "transductive"\n[[algorithm]]\nname = "misspecified"',
            'algorithm "misspecified" on transductive: .*every target must be an arm',
        ),
        (
            '[instance]\nfamily = "sphere"\nseed = 3\nnew_each_trial = true\n[[algorithm]]\nname = "rage"',
            "instance 1: seed is not allowed",
        ),
        (
            '[instance]\nfamily = "paper-hard"\nepsilon = [0.1, 0.2]\n[[algorithm]]\nname = "misspecified"\n'
            "epsilon = [0.1, 0.2]",
            "epsilon is varied twice",
        ),
        ("x = " + "[" * 5000, "not TOML|nested too deep"),
        ("#" * (2**20 + 1), "more than"),
    ],
)
def test_what_is_missing_or_cannot_run_is_said(text, said):
    with pytest.raises(InputError, match=said):
        parsed(text)


def test_more_trials_than_can_be_kept_track_of_are_refused():
    assert len(parsed(GOOD).with_(trials=10_000_000)) == 60_000_000
    with pytest.raises(InputError, match="120000000 trials, and at most"):
        parsed(GOOD).with_(trials=20_000_000)


def test_a_grid_that_is_too_large_is_refused():
    many = ", ".join(map(str, range(1, 102)))
    text = f'[instance]\nfamily = "paper-hard"\nd_star = [{many}]\n[[algorithm]]\nname = "rage"\nmax_samples = [{many}]'
    with pytest.raises(InputError, match="10201 cells"):
        parsed(text)


# -- those that come with the program ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", built_in())
def test_built_in_experiments_are_good_and_say_what_the_paper_says(name):
    said = built_in_specification(name, rehearse=name not in ("dimension", "sensitivity"))
    assert said.name == name
    assert said.title
    assert "The paper" in said.about or said.printed
    assert len(said.cells) >= 5
    assert said.text == Path(built_in()[name]).read_text(encoding="utf-8")


def test_the_issue_names_them_and_they_hold_what_it_names():
    assert set(built_in()) >= {
        "paper-table-1",
        "paper-appendix",
        "budget",
        "misspecified",
        "verifiability",
        "dimension",
        "sensitivity",
    }
    table = built_in_specification("paper-table-1", rehearse=False)
    assert (table.xs, table.labels, table.trials) == ((1e-2, 1e-3, 1e-4, 1e-5), ("GEMS", "RAGE"), 100)
    printed = {(each.metric, each.label): list(each.values.values()) for each in table.printed}
    assert printed["success", "RAGE"] == [1.0, 0.98, 0.56, 0.62]
    assert printed["runtime", "GEMS"] == [12.12, 11.17, 12.44, 12.41]
    appendix = built_in_specification("paper-appendix", rehearse=False)
    assert appendix.xs == (25, 50, 75, 100)
    for each in appendix.printed:
        assert [appendix.cells[index].varied["D"] for index in each.values] == [25, 50, 75, 100]
        assert {appendix.cells[index].varied["theta"] for index in each.values} == {"inverse-square"}
    assert built_in_specification("dimension", rehearse=False).xs[-1] == 400


def test_they_are_in_the_package():
    import gems_engine

    folder = Path(gems_engine.__file__).parent
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["gems_engine", "gems_gui"]
    assert all(path.is_relative_to(folder) for path in built_in().values())
    with pytest.raises(InputError, match='"paper-table-2": did you mean "paper-table-1"'):
        built_in_specification("paper-table-2")


def test_a_file_whose_name_cannot_be_shown_is_refused():
    text = GOOD.replace('family = "paper-hard"\nd_star = 3\nepsilon = [0.3, 0.1]', 'file = "a\uf36a.json"')
    with pytest.raises(InputError, match="has a character that cannot be shown") as caught:
        parsed(text, open_file=lambda *given: pytest.fail("it is not opened"))
    assert str(caught.value).isprintable()
