"""Algorithms have a title on screen, and ids, aliases and titles are accepted as input."""

import numpy as np
import pytest

from gems_engine import plugins as module
from gems_engine.algorithms import BUILT_IN, algorithm_named, algorithm_title, installed_algorithm, subroutine_title
from gems_engine.algorithms.algorithm import BEST_ARM, SHARED, Algorithm
from gems_engine.cli import main
from gems_engine.errors import InputError
from gems_engine.events import Place, RunStarted, SubroutineStarted
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.wording import describe

TITLES = {
    "fixed-confidence": "GEMS (fixed confidence)",
    "fixed-budget": "GEMS (fixed budget)",
    "misspecified": "GEMS (misspecified)",
    "misspecified-best-arm": "GEMS (misspecified, best arm)",
    "rage": "RAGE",
    "gems-c": "GEMS-c, one call",
    "gems-b": "GEMS-b, one call",
    "gems-m": "GEMS-m, one call",
    "rage-oracle": "RAGE, told d⋆",
    "static-oracle": "Static oracle",
}
ALONE = Instance.linear(np.eye(2), [1.0, 0.0])


class Plugin:
    """An entry point of another package."""

    def __init__(self, name: str, title: str = "", aliases: tuple[str, ...] = ()) -> None:
        self.name, self.value, self.dist = name, "elsewhere:ALGORITHM", None
        self._algorithm = Algorithm(name, "Says nothing.", SHARED, BEST_ARM, print, title=title, aliases=aliases)

    def load(self) -> Algorithm:
        return self._algorithm


@pytest.fixture
def plugins(monkeypatch):
    def install(*found: Plugin) -> None:
        monkeypatch.setattr(module, "entry_points", lambda group: list(found))
        installed_algorithm.cache_clear()

    yield install
    installed_algorithm.cache_clear()


def test_built_in_algorithms_have_the_names_that_people_know():
    missing = "".join(f"\n    {name!r}: {each.title!r}," for name, each in BUILT_IN.items() if name not in TITLES)
    assert not missing, f"add to TITLES in tests/engine/test_algorithm_names.py:{missing}"
    assert {name: each.title for name, each in BUILT_IN.items()} == TITLES
    assert {name: algorithm_title(name) for name in BUILT_IN} == TITLES
    assert subroutine_title("gems-c") == "GEMS-c"
    assert subroutine_title("rage") == "RAGE"


def test_an_algorithm_without_a_title_is_shown_by_its_id(plugins):
    plugins(Plugin("thompson"), Plugin("lucb", "LUCB"))
    assert algorithm_title("thompson") == "thompson"
    assert algorithm_title("lucb") == "LUCB"
    assert algorithm_title("not-installed") == "not-installed"
    assert algorithm_title("") == ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gems", "fixed-confidence"),
        ("GEMS", "fixed-confidence"),
        ("gems-fixed-confidence", "fixed-confidence"),
        ("gems_fixed_budget", "fixed-budget"),
        ("gems-misspecified", "misspecified"),
        ("oracle", "static-oracle"),
        ("gems (fixed budget)", "fixed-budget"),
        ("RAGE, told d⋆", "rage-oracle"),
        ("gems-c", "gems-c"),
    ],
)
def test_aliases_and_titles_are_accepted(text, name):
    assert algorithm_named(text).name == name


def test_no_name_means_two_algorithms():
    spelled = [word.casefold() for each in BUILT_IN.values() for word in (each.name, *each.aliases)]
    assert len(set(spelled)) == len(spelled)


def test_an_id_of_another_package_wins_over_an_alias(plugins):
    plugins(Plugin("oracle"))
    assert algorithm_named("oracle").name == "oracle"


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("gem", '"fixed-confidence", GEMS (fixed confidence)'),
        ("gemss", '"fixed-confidence"'),
        ("gems-fixed-conf", '"fixed-confidence"'),
        ("fixed-budgets", '"fixed-budget"'),
        ("gems-d", '"gems-c"'),
        ("raeg", '"rage"'),
    ],
)
def test_the_sensible_name_is_proposed(text, proposed):
    with pytest.raises(InputError) as caught:
        algorithm_named(text)
    assert f"did you mean {proposed}" in str(caught.value)


def test_what_is_near_to_nothing_lists_all():
    with pytest.raises(InputError, match="choose one of fixed-confidence, fixed-budget"):
        algorithm_named("xyzzyq")


def test_files_have_the_id():
    run = Run(ALONE, "GEMS", 1, max_samples=500)
    started = next(iter(run))
    assert isinstance(started, RunStarted)
    assert started.algorithm == "fixed-confidence"


def test_events_are_told_with_titles():
    trace = Run(make("paper-hard", epsilon=0.3), "fixed-confidence", 1, max_samples=500).finish()
    assert describe(trace[0], trace.instance).startswith("GEMS (fixed confidence) on paper-hard")
    call = SubroutineStarted(Place(1, 1), "gems-c", 4, 2.0, 0.05, 0.0)
    assert describe(call, trace.instance).startswith("GEMS-c: n = 4")


def test_the_command_line_takes_an_alias_and_says_the_title(capsys):
    assert main(["run", "soare", "--algorithm", "gems", "--max-samples", "500"]) == 0
    assert capsys.readouterr().out.startswith("GEMS (fixed confidence) on soare")
    assert main(["run", "soare", "--algorithm", "gems", "--max-samples", "500", "--json"]) == 0
    assert '"algorithm": "fixed-confidence"' in capsys.readouterr().out


def test_the_help_names_every_alias(capsys):
    assert main(["run", "--help"]) == 0
    text = "".join(capsys.readouterr().out.split())
    for each in BUILT_IN.values():
        assert "".join([each.name, *([f"(or{','.join(each.aliases)})"] if each.aliases else [])]) in text


def test_an_experiment_takes_an_alias_and_shows_the_title():
    text = '[instance]\nfamily = "soare"\n[[algorithm]]\nname = "gems"\n[[algorithm]]\nname = "rage"\n'
    found = parse_specification(text, "small")
    assert [(cell.algorithm, cell.label) for cell in found.cells] == [
        ("fixed-confidence", "GEMS (fixed confidence)"),
        ("rage", "RAGE"),
    ]


def test_numbers_of_the_paper_may_name_the_id():
    paper = '[[paper]]\nmetric = "success"\nlabel = "rage"\nvalues = [1.0]\nwhere = "section 7"\n'
    found = parse_specification(f'[instance]\nfamily = "soare"\n[[algorithm]]\nname = "rage"\n{paper}', "small")
    assert [each.label for each in found.printed] == ["RAGE"]
