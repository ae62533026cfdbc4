"""Problems are found on runs that were built to have them, and none on a clean one."""

from dataclasses import replace

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine.design.problem import equal_groups
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.problems import ILL_CONDITIONED, KINDS, Problems, problems
from gems_engine.running import Run
from gems_engine.terminal import number
from gems_engine.trace import Trace
from tests.engine.synthetic_runs import synthetic_trace


def run(instance, algorithm="gems-c", seed=1, **given):
    return Run(instance, algorithm, seed, **given).finish()


def sphere(**given):
    return make("sphere", n=20, D=5, min_gap=0.1, **given)


def of_kind(trace, kind, truth=True):
    return [each for each in problems(trace, truth=truth) if each.kind == kind]


def changed(trace, event_at, **changes):
    """The same record with one event changed."""
    other = Trace(trace.instance)
    other.extend(replace(event, **changes) if at == event_at else event for at, event in enumerate(trace))
    return other


def test_a_clean_run_has_none():
    for algorithm in ("gems-c", "rage"):
        known = {"selection_budget": 1e6} if algorithm == "gems-c" else {}
        trace = run(sphere(), algorithm, **known)
        assert trace.finished.why == ev.SINGLETON
        assert problems(trace, truth=True) == []


def test_the_true_best_eliminated():
    instance = make("paper-hard")
    trace = run(instance, "fixed-budget")
    found = of_kind(trace, "best eliminated")
    gone = [at for at in trace.positions(ev.Eliminated).tolist() if instance.best in trace[at].targets.tolist()]
    assert [each.event for each in found] == gone
    assert gone
    event = trace[gone[0]]
    row = event.targets.tolist().index(instance.best)
    assert instance.target_label(instance.best) in found[0].sentence
    assert f"by {instance.target_label(int(event.by[row]))}" in found[0].sentence
    assert f"{number(float(event.gaps[row]), 3)} ≥ {number(float(event.widths[row]), 3)}" in found[0].sentence
    assert found[0].severity == "error"


def test_a_dimension_below_the_truth_is_said_once_per_subroutine():
    trace = run(make("paper-hard"), "fixed-confidence", base=4, max_samples=50_000)
    found = of_kind(trace, "below d⋆")
    starts = trace.subroutine_starts
    first = {}
    for at in trace.positions(ev.DesignSolved).tolist():
        if trace[at].d < 9:
            first.setdefault(int(np.searchsorted(starts, at)), at)
    assert [each.event for each in found] == list(first.values())
    assert "below d⋆ = 9" in found[0].sentence


def test_no_dimension_fits():
    trace = run(make("paper-hard"), "fixed-confidence", base=4, max_samples=50_000)
    ended = [at for at in trace.positions(ev.SubroutineFinished) if trace[int(at)].why == ev.NO_DIMENSION_FITS]
    assert [each.event for each in of_kind(trace, "no dimension fits")] == ended != []


def test_a_design_without_a_certificate():
    trace = run(sphere(), solver="frank-wolfe", selection_budget=1e6)
    found = of_kind(trace, "uncertified design", truth=False)
    assert len(found) == 1  # said once in the only subroutine
    event = trace[found[0].event]
    gap = event.value / event.lower_bound - 1
    assert gap > event.tolerance
    assert f"{number(100 * gap, 3)} % above" in found[0].sentence
    unproven = changed(run(sphere(), selection_budget=1e6), found[0].event, lower_bound=0.0)
    assert "has no proven bound" in of_kind(unproven, "uncertified design")[0].sentence


def test_rounding_that_costs_too_much():
    trace = run(sphere(), "static-oracle", pulls=6, zeta=0.1)
    asked = trace[int(trace.positions(ev.Allocated)[0])]
    (found,) = of_kind(trace, "rounding", truth=False)
    assert asked.factor > 1.1
    assert f"{number(asked.factor)}, above 1 + ζ = 1.1" in found.sentence
    assert trace[found.event] is not None
    within = changed(trace, found.event, factor=1.05)
    assert "not guaranteed" in of_kind(within, "rounding")[0].sentence
    assert not of_kind(changed(trace, found.event, factor=1.05, guaranteed=True), "rounding")


def test_an_ill_conditioned_information_matrix():
    scale = np.array([1.0, 1e-6])
    arms = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7], [-0.5, 0.4]]) * scale
    trace = run(Instance.linear(arms, [1.0, 0.0]), "rage", max_samples=10**6)
    (found,) = of_kind(trace, "ill-conditioned", truth=False)
    event = trace[found.event]
    rows = arms[event.support]
    condition = np.linalg.cond(rows.T @ (event.weights[:, None] * rows))
    assert condition > ILL_CONDITIONED
    assert f"condition number of {number(float(condition), 2)}" in found.sentence
    assert "above 1e10:" in found.sentence
    even = run(Instance.linear(arms / scale, [1.0, 0.0]), "rage", max_samples=10**6)
    assert not of_kind(even, "ill-conditioned")


@pytest.mark.parametrize(
    ("arms", "words"),
    [
        (np.random.default_rng(0).standard_normal((8, 3)) + 1e9, "Features 1, 2, 3 vary by less than 1e-5"),
        (
            np.array([[1.1e10, 7e9, 1.3e10], [0.3, 1.2, -0.4], [1.1, 0.2, 0.9]]),
            "Arm 0 is more than a million times longer",
        ),
        (
            np.array([[1.0, 2.0], [2.0, 4.0 + 1e-9], [-1.0, 3.0 - 5.0]]),
            "nearly dependent: arm 0 differs from a combination",
        ),
    ],
)
def test_badly_scaled_arms_are_named_once_at_the_start(arms, words):
    instance = Instance.from_rewards(arms, 0.5 - 0.25 * np.arange(len(arms)))
    trace = run(instance, "rage", max_samples=10**4)
    (found,) = of_kind(trace, "badly scaled", truth=False)
    assert found.event == 0
    assert words in found.sentence
    named = replace(
        instance, arm_names=("red", "blue", *"cdefgh")[: len(arms)], feature_names=tuple("uvw")[: arms.shape[1]]
    )
    (found,) = of_kind(run(named, "rage", max_samples=10**4), "badly scaled", truth=False)
    assert words.replace("0", "red").replace("1, 2, 3", "u, v, w") in found.sentence
    even = run(Instance.linear(np.eye(3), [1.0, 0.0, 0.0]), "rage", max_samples=10**4)
    assert not of_kind(even, "badly scaled")


def test_zero_and_nearly_zero_directions():
    arms = np.array([[1.0, 0.0], [0.3, 0.9], [0.3, 0.9 + 1e-8], [-0.8, 0.2]])
    near = run(Instance.linear(arms, [1.0, 0.1]), "rage", max_samples=10**5)
    (found,) = of_kind(near, "near-zero direction", truth=False)
    assert "arm 1 and arm 2 differ by at most 1.1e−8" in found.sentence
    assert not of_kind(near, "zero direction")
    twin = Instance.linear(np.vstack([arms[:2], [[0.3, 0.2]], arms[3:]]), [1.0, 0.1])
    trace = run(twin, "gems-c", selection_budget=20.0, zeta=0.25)  # r_2 = 32: every round is in R^1
    (found,) = of_kind(trace, "zero direction", truth=False)
    assert "2 of 4 survivors equal another one in R¹, for example arm 1 and arm 2" in found.sentence
    assert not of_kind(trace, "near-zero direction")


def test_conditions_of_theorems():
    loud = sphere().with_noise("gaussian:2")
    (found,) = of_kind(run(loud, selection_budget=1e6), "theorem", truth=False)
    assert found.event == 0
    assert "2-sub-Gaussian" in found.sentence
    wide = Instance.linear(np.eye(3), [5.0, 1.0, 0.5])
    trace = run(wide, "rage")
    assert not of_kind(trace, "theorem", truth=False)
    assert any("gap of arm 2 is 4.5" in each.sentence for each in of_kind(trace, "theorem"))
    bent = Instance.from_rewards(np.column_stack([np.ones(6), np.arange(6.0) / 6]), [0.0, 0.9, 0.1, 0.3, 0.8, 0.2])
    trace = run(bent, "fixed-confidence", max_samples=500)
    assert any("not linear in any Rᵈ" in each.sentence for each in of_kind(trace, "theorem"))


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "fixed-budget"])
def test_the_truth_is_hidden_and_the_cursor_limits(algorithm):
    trace = run(make("paper-hard"), algorithm, **({"max_samples": 30_000} if algorithm == "fixed-confidence" else {}))
    everything, hidden = problems(trace, truth=True), problems(trace)
    assert {"below d⋆"} <= {each.kind for each in everything}
    assert hidden == [each for each in everything if not each.truth]
    assert not any("d⋆ =" in each.sentence or "true best" in each.sentence for each in hidden)
    for cursor in (0, 1, everything[3].event, everything[3].event + 1, len(trace)):
        short = Trace(trace.instance)
        short.extend(trace[:cursor])
        assert problems(short, truth=True) == problems(trace, cursor, truth=True)
        assert all(each.event < cursor for each in problems(trace, cursor, truth=True))
    assert {each.kind for each in everything} <= set(KINDS)


def test_a_growing_run_is_looked_at_a_little_at_a_time():
    whole = synthetic_trace(loops=12, rounds=3)
    trace = Trace(whole.instance)
    found = Problems(trace)
    part = len(whole) // 5 + 1
    for start in range(0, len(whole), part):
        trace.extend(whole[start : start + part])
        looks = 0
        while not found.update(0.0):
            looks += 1
            assert found.events < len(trace)
        assert looks > 10
        assert found.before(len(trace), truth=True) == problems(trace, truth=True)


def test_equal_designs_are_looked_at_once(monkeypatch):
    """A long run solves few different designs, and only these cost more than a look."""
    trace = run(make("paper-hard"), "fixed-confidence", base=4, max_samples=10**6)
    looks = []

    def look(rows):
        looks.append(rows.tobytes())
        return equal_groups(rows)

    monkeypatch.setattr("gems_engine.problems.equal_groups", look)
    problems(trace, truth=True)
    assert 0 < len(looks) == len(set(looks)) < len(trace.positions(ev.DesignSolved))
