"""Thousands of arms, some at a time: the same optimum as with all at once, proven for all of them."""

import numpy as np
import pytest

from gems_engine.design import DesignProblem, DesignSolve, equivalence_of, exchange, solve_design
from gems_engine.design.exchange import Exchange
from gems_engine.design.solve import LIMIT
from tests.engine.problems import plain_value


def arms_of(kind, rng):
    """Arms of one kind, many times as many as a design needs, and their targets."""
    d = int(rng.integers(2, 6))
    n = 20 * d * (d + 1) // 2 + int(rng.integers(0, 60))
    arms = rng.normal(size=(n, d))
    match kind:
        case "on a sphere":
            arms /= np.linalg.norm(arms, axis=1)[:, None]
        case "of all scales":
            arms *= 10.0 ** rng.uniform(-4, 4, size=d)
        case "with many equal":
            arms = rng.integers(-2, 3, size=(n, d)).astype(float)
        case "a basis and a cluster":
            arms = np.vstack([3.0 * np.eye(d), 0.05 * arms[d:]])
    targets = arms
    if kind == "with a singular optimum":
        targets = np.hstack([rng.normal(size=(30, d - 1)), np.zeros((30, 1))])
    return arms, targets


@pytest.mark.parametrize(
    "kind",
    ["anywhere", "on a sphere", "of all scales", "with many equal", "a basis and a cluster", "with a singular optimum"],
)
@pytest.mark.parametrize("listed", [False, True])
def test_the_optimum_is_that_of_all_at_once(monkeypatch, kind, listed):
    rng = np.random.default_rng(7)
    for _ in range(3):
        arms, targets = arms_of(kind, rng)
        asked = {"directions": targets[1:90] - targets[:1]} if listed else {"targets": targets}
        all_at_once = solve_design(DesignProblem(arms, **asked), tolerance=1e-9)
        monkeypatch.setattr(exchange, "LEAST_ARMS", 0)
        some = DesignSolve(DesignProblem(arms, **asked), tolerance=1e-9)
        while not some.done:
            some.step()
        monkeypatch.undo()
        design = some.design()
        assert isinstance(some._solver, Exchange) or design.status == "exact"  # on a line a linear program does
        assert design.status in ("certified", "exact")
        assert design.value == pytest.approx(all_at_once.value, rel=2e-9)
        assert design.lower_bound <= all_at_once.value * (1 + 1e-12)
        assert design.weights.sum() == pytest.approx(1.0)
        # Proven over all arms and directions, also those that never took part.
        assert design.is_certified
        # The equivalence theorem holds over all arms, also those that never took part.
        assert equivalence_of(DesignProblem(arms, **asked), design.weights, design.gap).g.max() <= 1 + 1e-3


def test_a_fine_circle_has_its_closed_form():
    """On the circle the even design is optimal: A = I/2, and two opposite arms are 2 apart: 2² · 2 = 8."""
    angle = 2 * np.pi * np.arange(2400) / 2400
    arms = np.column_stack([np.cos(angle), np.sin(angle)])
    problem = DesignProblem(arms, targets=arms)
    design = solve_design(problem, tolerance=1e-8)
    assert design.value == pytest.approx(8.0, rel=1e-8)
    assert design.lower_bound <= 8.0 * (1 + 1e-12)
    assert design.gap <= 1e-8
    assert np.count_nonzero(design.weights) < 100
    assert plain_value(arms, 2 * arms[:1200], design.weights) == pytest.approx(design.value, rel=1e-9)


def test_it_is_for_many_more_arms_than_a_design_needs():
    rng = np.random.default_rng(0)
    for (arms, d), some in {(2000, 2): False, (2001, 2): True, (2500, 15): True, (2500, 16): False}.items():
        features = rng.normal(size=(arms, d))
        geometry = DesignProblem(features, targets=features[:5]).geometry
        assert exchange.takes_some_at_a_time(geometry) is some


def test_bounds_only_improve_and_the_design_comes_again():
    arms = np.random.default_rng(3).normal(size=(2100, 3))
    problem = DesignProblem(arms, targets=arms)
    running = DesignSolve(problem, tolerance=1e-9)
    while not running.done:
        running.step()
    history = running.design().history
    assert (np.diff(history[:, 0]) <= 0).all()
    assert (np.diff(history[:, 1]) >= 0).all()
    assert np.array_equal(
        running.design().weights, solve_design(DesignProblem(arms, targets=arms), tolerance=1e-9).weights
    )


def test_it_ends_where_its_digits_do(monkeypatch):
    arms = np.random.default_rng(3).normal(size=(120, 2))
    solver = Exchange(DesignProblem(arms, targets=arms).geometry)
    looks = []
    look = solver._look_at_all
    monkeypatch.setattr(solver, "_look_at_all", lambda: looks.append(1) or look())
    steps = 0
    while not solver.finished:
        solver.step()
        steps += 1
        assert steps < LIMIT
    assert solver.lower <= solver.upper <= solver.lower * (1.0 + 1e-9)
    assert 1 < len(looks) < steps / 2  # at all arms only where those that take part are solved well enough
