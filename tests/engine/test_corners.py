"""Every algorithm runs, or refuses with the range that works, at the corners of its declared ranges."""

import math
from itertools import islice, product

import pytest

from gems_engine.algorithms import BUILT_IN
from gems_engine.cli import main
from gems_engine.complexity import guarantees
from gems_engine.complexity.run_theory import run_theory
from gems_engine.errors import InputError
from gems_engine.explanation import explain
from gems_engine.gallery import make
from gems_engine.parameters import check_all
from gems_engine.problems import problems
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.trace import Trace

MOST = 40  # events of each run: some corners never end
INSTANCES = {"hard": make("paper-hard", d_star=3, epsilon=1e-6), "soare": make("soare", D=2)}
LARGEST = {"int": 10**15, "float": 1e300}
"""Where a range has no end."""


def corners(parameter):
    """The smallest and the largest value, or all choices."""
    if parameter.kind == "bool":
        return [False, True]
    if parameter.kind in ("choice", "text"):
        return list(parameter.choices)
    low, high = parameter.minimum, parameter.maximum
    if parameter.kind == "int":
        assert not parameter.exclusive_minimum
        assert not parameter.exclusive_maximum
        return [-LARGEST["int"] if low is None else int(low), LARGEST["int"] if high is None else int(high)]
    low = -LARGEST["float"] if low is None else math.nextafter(low, math.inf) if parameter.exclusive_minimum else low
    high = LARGEST["float"] if high is None else math.nextafter(high, low) if parameter.exclusive_maximum else high
    return [low, high]


def single(name):
    """Each parameter at each corner, with all others at their defaults."""
    return [{each.name: value} for each in BUILT_IN[name].parameters for value in corners(each)]


def combined(name):
    """All combinations of the corners of the numbers."""
    numbers = [each for each in BUILT_IN[name].parameters if each.kind in LARGEST]
    names = [each.name for each in numbers]
    return [dict(zip(names, values, strict=True)) for values in product(*map(corners, numbers))]


@pytest.mark.parametrize("instance", INSTANCES.values(), ids=INSTANCES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_corners_of_the_declared_ranges(name, instance):
    ran = 0
    for given in (*single(name), *combined(name)):
        refusal = ""
        try:
            run = Run(instance, name, 1, **given)
            trace = Trace(run.instance)
            trace.extend(islice(run, MOST))
        except InputError as error:
            refusal = str(error)
        if refusal:
            assert "must be" in refusal, given  # which range works
            continue
        ran += 1
        if trace.finished is None:
            trace.append(run.stopped())
        assert trace.state_at(len(trace)).samples == trace.finished.samples >= 0, given
        summarise(trace)
        explain(trace, len(trace))
        problems(trace)
    assert ran >= sum(2 for each in BUILT_IN[name].parameters if each.kind in LARGEST) - 1


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_theory_of_a_run_at_the_corners(name):
    for given in single(name):
        theory = run_theory(INSTANCES["soare"], name, check_all(BUILT_IN[name].parameters, given))
        assert theory.says or all(_has_value_or_says_why(bound) for _, bound in theory.bounds), given


def _has_value_or_says_why(bound):
    if bound.value is None:
        return not all(condition.holds for condition in bound.conditions)
    return bound.value >= 0


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (
            "--algorithm misspecified --epsilon 1e-200",
            "epsilon = 1e-200 is not allowed: it must be a number from 1e-50 to 10.",
        ),
        (
            "--algorithm misspecified --delta 1e-323",
            "delta = 1e-323 is not allowed: it must be a number of at least 1e-200 and below 1.",
        ),
        (
            "--algorithm static-oracle --delta 5e-324",
            "delta = 5e-324 is not allowed: it must be a number of at least 1e-200 and below 1.",
        ),
    ],
)
def test_what_crashed_in_the_first_release_is_refused_with_the_range(capsys, line, answer):
    assert main(["run", "soare", *line.split()]) == 2
    assert capsys.readouterr().err == f"gems: {answer}\n"


def test_the_theorems_have_the_same_smallest_delta(capsys):
    with pytest.raises(InputError, match="it must be at least 1e-200 and below 1"):
        guarantees(INSTANCES["soare"], delta=5e-324)
    assert all(
        bound.value == bound.value for bound in guarantees(INSTANCES["soare"], delta=1e-200, epsilon=1e-50).bounds
    )
    assert main(["complexity", "soare", "--delta", "5e-324"]) == 2
    assert '--delta "5e-324" is not allowed: it must be a number above 1e-200' in capsys.readouterr().err
