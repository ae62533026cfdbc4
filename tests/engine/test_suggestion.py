"""B, T and n that follow from an instance: each is checked by what it promises, and a run records what it took."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.dimension import Selection, choose_dimension
from gems_engine.errors import Cancelled
from gems_engine.events import Eliminated, SubroutineStarted
from gems_engine.files import read_run, write_run
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.rounding import rounding_samples
from gems_engine.running import Run
from gems_engine.suggestion import RISK, SUGGESTING, Setting, rounded_up, rounds, selection_budget
from gems_engine.verification import verify

INSTANCES = {
    "hard": lambda: make("paper-hard"),
    "sphere": lambda: make("sphere", D=8, n=30),
    "soare": lambda: make("soare"),
    "transductive": lambda: make("transductive"),
    "multivariate": lambda: make("multivariate"),
}


def taken(instance, algorithm, **parameters):
    """The parameters of a run as its first event records them."""
    return next(Run(instance, algorithm, 1, **parameters)).parameters


def opt(instance, B, k, algorithm, **rest):
    """d_k with all targets, by OPT itself."""
    counts = None if algorithm == "gems-b" else lambda d: rounding_samples(d, rest.get("zeta", 1.0))
    everyone = tuple(range(len(instance.targets)))
    return choose_dimension(Selection(instance.arms, instance.targets, everyone, k, B, counts, instance.D)).d


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize("algorithm", SUGGESTING)
def test_the_suggested_B_is_the_smallest_that_buys_all_features_in_round_two(name, algorithm):
    instance = INSTANCES[name]()
    B = taken(instance, algorithm)["selection_budget"]
    assert float(f"{B:.2e}") == B
    assert opt(instance, B, 1, algorithm) == opt(instance, B, 2, algorithm) == instance.D
    assert opt(instance, 0.98 * B, 2, algorithm) < instance.D


def test_rounding_is_part_of_the_cost_unless_T_is_given():
    instance = make("sphere", D=12, n=20)
    assert taken(instance, "gems-c", zeta=0.1)["selection_budget"] == rounded_up(rounding_samples(12, 0.1))
    assert taken(instance, "gems-b", zeta=0.1)["selection_budget"] < rounding_samples(12, 0.1)


@pytest.mark.parametrize("name", INSTANCES)
@pytest.mark.parametrize(("B", "n", "zeta"), [(None, 8, 1.0), (50.0, 3, 0.5), (1e-3, 4, 1.0)])
def test_the_suggested_T_keeps_the_best_arm_by_a_union_bound(name, B, n, zeta):
    instance = INSTANCES[name]()
    took = taken(instance, "gems-b", selection_budget=B, rounds=n, zeta=zeta)

    def error(T):
        """Rounds, targets, and the tail of a Gaussian whose variance is (1 + ζ)·ι/T′ with ι ≤ B/4^k, beyond 2^−k."""
        return n * len(instance.targets) * math.exp(-(T // n) / (2 * (1 + zeta) * took["selection_budget"]))

    r = rounding_samples(instance.D, zeta)
    assert error(took["budget"]) <= RISK
    assert took["budget"] // n >= r
    assert error(0.97 * took["budget"]) > RISK or 0.97 * took["budget"] // n < r


def test_the_best_arm_remains_as_often_as_the_suggested_T_says():
    instance = make("sphere", D=5, d_star=2, n=8, min_gap=0.05, theta="flat", seed=6)
    gone = 0
    for seed in range(40):
        events = list(Run(instance, "gems-b", seed))
        gone += any(instance.best in each.targets for each in events if isinstance(each, Eliminated))
    assert gone <= 2  # 40 · 0.05


@pytest.mark.parametrize("name", INSTANCES)
def test_the_suggested_n_is_the_first_after_which_only_the_best_may_remain(name):
    instance = INSTANCES[name]()
    found = rounds(instance)
    assert instance.S(found.value + 1).tolist() == [instance.best]
    assert found.value == 1 or len(instance.S(found.value)) > 1


def test_no_n_is_suggested_where_the_best_is_tied():
    assert rounds(Instance.linear(np.eye(2), [1.0, 1.0])) is None


@given(st.floats(1e-9, 1e12))
def test_rounding_up_keeps_three_digits_and_misses_nothing(value):
    up = rounded_up(value)
    assert value * (1 - 1e-9) <= up <= value * 1.0101
    assert float(f"{up:.2e}") == up
    assert rounded_up(up) == up


def test_what_nothing_buys_is_not_promised():
    found = selection_budget(Setting(3, 5), math.inf)
    assert found.value == 1e15
    assert "two rounds in R³ cost more" in found.sentence


@pytest.mark.parametrize("algorithm", SUGGESTING)
def test_a_run_records_what_it_took_and_is_repeated_by_it(algorithm, tmp_path):
    instance = make("soare")
    trace = Run(instance, algorithm, 3).finish()
    recorded = trace.started.parameters
    assert isinstance(recorded["selection_budget"], float)
    (call,) = [each for each in trace if isinstance(each, SubroutineStarted)]
    assert call.selection_budget == recorded["selection_budget"]
    if algorithm == "gems-b":
        assert call.budget == recorded["budget"]
    again = Run(instance, algorithm, 3, **recorded)
    assert [each.place for each in again.finish()] == [each.place for each in trace]
    assert again.suggested == {}
    path = tmp_path / "run.gems"
    write_run(path, trace)
    assert verify(read_run(path)).same


def test_given_values_stay_and_other_algorithms_are_left_alone():
    instance = make("soare")
    assert taken(instance, "gems-c", selection_budget=7.0)["selection_budget"] == 7.0
    assert taken(instance, "gems-b", budget=600)["budget"] == 600
    assert taken(instance, "fixed-budget")["budget"] == 20_000
    assert "selection_budget" not in taken(instance, "fixed-confidence")


def test_making_a_run_computes_nothing_and_its_first_event_can_be_stopped():
    run = Run(make("sphere"), "gems-c", stop=lambda: True)
    assert run.parameters["selection_budget"] is None
    with pytest.raises(Cancelled):
        next(run)
