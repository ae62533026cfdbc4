"""What docs/decisions.md says of RAGE, caps, ties in validation and the last round, each in a run."""

import math

import numpy as np
import pytest

from gems_engine import instances
from gems_engine.algorithms.run_context import RunContext
from gems_engine.algorithms.validation import validate
from gems_engine.complexity.schedule import configuration
from gems_engine.dimension import TIE, richest_rounded, within
from gems_engine.events import Allocated, DesignSolved, Eliminated, Place, Pulled, Recommended
from gems_engine.explanation.dimension import largest_looked_at, pulls_of_call
from gems_engine.explanation.scene import Scene
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.rounding import rounding_samples
from gems_engine.running import Run


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


# -- RAGE ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("zeta", "larger"), [(1.0, {True}), (0.01, {True, False})])
def test_rage_takes_the_larger_of_its_design_and_the_rounding(zeta, larger):
    instance = instances.make("paper-hard", d_star=5, epsilon=0.01)
    events = list(Run(instance, "rage", 1, delta=0.1, zeta=zeta))
    left, seen = len(instance.targets), set()
    drawn = of(events, Allocated)
    rounds = zip(of(events, DesignSolved)[: len(drawn)], drawn, of(events, Eliminated), strict=True)
    for design, pulled, out in rounds:
        k = design.place.k
        log = math.log(left**2 * k**2 / 0.1)
        by_design = math.ceil(2 * 4**k * design.value * (1 + zeta) * log)
        rounding = math.ceil(rounding_samples(instance.D, zeta))
        assert int(pulled.counts.sum()) == max(by_design, rounding)
        seen.add(by_design > rounding)
        left -= len(out.targets)
    assert seen == larger


def test_rage_ends_where_those_left_are_equal():
    arms = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    instance = Instance(arms, arms, np.zeros(3), np.zeros(3))
    events = list(Run(instance, "rage", 3, lambda pulled, counts: counts * np.array([1.0, 1.0, 0.0])[pulled]))
    assert events[-1].why == "nothing to tell apart"
    assert events[-1].survivors.tolist() == [0, 1]
    assert events[-1].recommendation == of(events, Recommended)[-1].target
    assert events[-1].recommendation in (0, 1)
    assert events[-1].samples == of(events, Pulled)[-1].samples


# -- schedules -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "ell", "i"), [(2, 5, 2), (4, 30, 29), (64, 200, 1), (64, 200, 199)])
def test_rounds_and_budgets_are_cut_where_no_run_can_get_to(base, ell, i):
    n, B = configuration(base, ell, i)
    assert n == min(base**i, 10**18)
    assert float(min(base ** (ell - i), 10**300)) == B
    assert math.isfinite(B)


# -- validation ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [[2, 1], [1, 2], [2, 1, 2, 0]])
def test_of_candidates_that_tie_in_validation_the_first_is_recommended(order):
    """The lowest index, whatever the order in which the subroutines named them."""
    instance = Instance.linear(np.eye(3), [0.0, 0.5, 0.5])
    steps = validate(RunContext(instance), Place(), order, 10)
    allocated = next(steps)
    assert allocated.counts.tolist() == [10] * len(set(order))
    steps.send(allocated.counts * instance.rewards[allocated.arms])
    *_, recommended = steps
    assert isinstance(recommended, Recommended)
    assert recommended.target == 1


# -- the last round at a cap -----------------------------------------------------------------------------------


@pytest.mark.parametrize("short", [1, 1000])
def test_a_round_that_would_pass_the_cap_is_solved_and_not_drawn(short):
    instance = instances.make("paper-hard", d_star=5, epsilon=0.01)
    whole = list(Run(instance, "rage", 1, max_samples=10**8))
    third, fourth = of(whole, Pulled)[2:4]
    exactly = list(Run(instance, "rage", 1, max_samples=fourth.samples))
    assert of(exactly, Pulled)[-1].samples == fourth.samples  # one that ends at the cap is drawn
    capped = list(Run(instance, "rage", 1, max_samples=fourth.samples - short))
    assert (capped[-1].why, capped[-1].samples) == ("cap", third.samples)
    assert of(capped, DesignSolved)[-1].place == fourth.place
    assert of(capped, Pulled)[-1].place == third.place
    assert capped[-1].recommendation == next(e for e in of(whole, Recommended) if e.place == third.place).target


def test_a_validation_that_would_pass_the_cap_is_not_drawn():
    instance = instances.make("misspecified", D=6, d_star=3, size=0.05)
    whole = list(Run(instance, "misspecified", 0, epsilon=0.2, max_samples=10**6))
    first = next(event for event in of(whole, Pulled) if event.place.k == 0)
    capped = list(Run(instance, "misspecified", 0, epsilon=0.2, max_samples=first.samples - 1))
    assert capped[-1].why == "cap"
    assert all(event.place.k > 0 for event in of(capped, Pulled))
    assert capped[-1].recommendation == of(capped, Recommended)[-1].target  # the first guess


# -- D̃ ---------------------------------------------------------------------------------------------------------


def test_the_largest_dimension_of_gems_b_has_the_slack_of_opt():
    assert rounding_samples(52, 0.7) > 3940  # by a last digit: (52² + 52 + 2)/0.7 is 3940
    assert within(rounding_samples(52, 0.7), 3940)
    assert not within(3940 * (1 + 2 * TIE), 3940)
    assert richest_rounded(60, lambda d: rounding_samples(d, 0.7), 3940) == 52
    assert richest_rounded(60, lambda d: rounding_samples(d, 0.7), 3939) == 51
    assert richest_rounded(60, lambda d: rounding_samples(d, 0.7), 1) == 0


def test_a_run_of_gems_b_and_its_explanation_have_the_same_largest_dimension():
    instance = Instance.linear(np.vstack([np.eye(53), -np.eye(53)[:1]]), np.eye(53)[0])
    trace = Run(instance, "gems-b", 0, budget=3940, rounds=1, selection_budget=1e6, zeta=0.7).finish()
    design = of(trace, DesignSolved)[0]
    assert design.d == 52
    history = History(trace)
    history.update()
    at = next(at for at, event in enumerate(trace) if event is design or event == design)
    scene = Scene(history, trace.state_at(at + 1))
    assert largest_looked_at(scene) == 52
    assert pulls_of_call(trace, int(trace.subroutine_starts[0])) == 3940
