"""One parameter over several values: paired seeds, the numbers of runs made one by one, the file that repeats it."""

import math

import numpy as np
import pytest

from gems_engine.algorithms import algorithm_named
from gems_engine.errors import InputError
from gems_engine.experiment import run_trials
from gems_engine.experiment.harness import Harness
from gems_engine.experiment.sensitivity import Sensitivity, proposed, varied_parameters
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.summary import summarise

HARD = make("paper-hard", d_star=3, epsilon=0.3)
SMALL = {"base": 4, "max_samples": 3_000}


def sensitivity(name="delta", values=(0.01, 0.2), instance=HARD, trials=4, **parameters):
    return Sensitivity(instance, "fixed-confidence", {**SMALL, **parameters}, name, values, trials, 7)


def test_the_numbers_are_those_of_paired_runs_made_one_by_one():
    asked = sensitivity()
    harness = Harness(asked.specification)
    harness.run()
    seeds = [{asked.specification.trial(at).seed for at in range(cell, 8, 2)} for cell in (0, 1)]
    assert seeds[0] == seeds[1]
    for cell, value in zip(harness.summary().cells, asked.values, strict=True):
        alone = [
            summarise(Run(HARD, "fixed-confidence", seed, **{**SMALL, "delta": value}).finish()) for seed in seeds[0]
        ]
        taus = sorted(math.inf if each.tau is None else float(each.tau) for each in alone)
        assert cell.measured["tau"].known == sum(map(math.isfinite, taus))
        assert cell.success.count == sum(each.correct for each in alone)
        assert cell.measured["tau"].median.value == taus[1]


@pytest.mark.parametrize(
    ("name", "values"),
    [("zeta", (0.5, 1.0)), ("noise", ("gaussian:0.5", "rademacher")), ("rounding", ("quadratic", "linear"))],
)
def test_the_file_repeats_it(name, values):
    asked = sensitivity(name, values, HARD.with_noise("gaussian:0.8"), trials=2)
    read = parse_specification(asked.toml(), "sensitivity")
    assert (read.x, read.xs, read.trials, read.seed) == (name, values, 2, 7)
    rows = [list(run_trials(each.missing(bytearray()))) for each in (asked.specification, read)]
    facts = [[(row.seed, row.tau, row.samples, row.recommendation, row.error) for row in each] for each in rows]
    assert facts[0] == facts[1]
    assert not any(row.error for row in rows[0])


def test_an_instance_by_hand_is_run_but_has_no_file():
    asked = sensitivity(instance=Instance.linear(np.eye(3), [1.0, 0.5, 0.0]), trials=1)
    assert not any(row.error for row in run_trials(asked.specification.missing(bytearray())))
    with pytest.raises(InputError, match="does not belong to a family"):
        asked.toml()


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "fixed-budget", "misspecified", "gems-c", "static-oracle"])
def test_proposals_are_allowed_and_have_the_present_value(algorithm):
    for parameter in varied_parameters(algorithm):
        values = proposed(parameter, parameter.default, HARD)
        assert len(set(values)) == len(values) >= 2, parameter.name
        assert all(parameter.check(each) == each for each in values)
        if parameter.default is not None:
            assert parameter.default in values
        assert tuple(parameter.parse(str(each)) for each in values) == values


def test_a_proposal_stays_in_range_and_around_an_odd_value():
    delta = next(each for each in algorithm_named("fixed-confidence").parameters if each.name == "delta")
    assert proposed(delta, 0.05, HARD) == (0.00625, 0.0125, 0.025, 0.05, 0.1, 0.2, 0.4)
    assert max(proposed(delta, 0.3, HARD)) < 1
    noise = next(each for each in algorithm_named("fixed-confidence").parameters if each.name == "noise")
    assert proposed(noise, None, HARD.with_noise("rademacher"))[-1] == "rademacher"


def test_bad_values_are_refused():
    for name, values in (("delta", ()), ("delta", (0.1, 0.1)), ("delta", (2.0,)), ("noise", ("bernoulli",))):
        with pytest.raises(InputError):
            sensitivity(name, values, Instance.linear(np.eye(2), [3.0, 0.0]))
