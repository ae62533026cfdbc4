"""A design from all sides, against plain numpy with every pair listed."""

import json
import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as with_settings
from hypothesis import strategies as st

from gems_engine.cli import main
from gems_engine.design import DesignProblem, DesignSolve, certify, solve, solve_design
from gems_engine.design.examination import examine, examine_design
from gems_engine.errors import InputError
from gems_engine.files import read_instance, write_instance, write_weights
from gems_engine.gallery import make
from gems_engine.index_text import Labels, parse_targets, targets_text
from tests.engine.problems import hard_arms, plain_value, sphere_arms

VECTORS = json.loads((Path(__file__).parent.parent / "data" / "designs.json").read_text())


def pairs(arms, targets=None):
    return DesignProblem(arms, targets=arms if targets is None else targets)


def listed(targets):
    """All pairs i < j with their difference."""
    return [(i, j, targets[i] - targets[j]) for j in range(len(targets)) for i in range(j)]


def lower_bound_by_hand(arms, targets, seen):
    """The bound that the pairs and w of an examination's proof give with u = A⁻¹y, written out."""
    inverse = np.linalg.inv(arms.T @ (seen.weights[:, None] * arms))
    along, g = 0.0, np.zeros(len(arms))
    for (i, j), w in zip(seen.proof_pairs, seen.proof_weights, strict=True):
        y = targets[i] - targets[j]
        along += w * float(y @ inverse @ y)
        g += w * (arms @ inverse @ y) ** 2
    return along**2 / g.max()


@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.booleans())
@with_settings(max_examples=40)
def test_every_number_equals_the_textbook(seed, d, thorough):
    rng = np.random.default_rng(seed)
    arms, targets = rng.standard_normal((d + 5, d)), rng.standard_normal((d + 3, d))
    weights = 0.9 * rng.dirichlet(np.ones(d + 5)) + 0.1 / (d + 5)
    problem = pairs(arms, targets)
    design = solve_design(problem, tolerance=1e-9)
    seen = examine(problem, 7.0 * weights, [design], thorough=thorough)
    information = arms.T @ (weights[:, None] * arms)
    inverse = np.linalg.inv(information)
    assert seen.weights == pytest.approx(weights)
    assert seen.value == pytest.approx(plain_value(arms, [y for _, _, y in listed(targets)], weights), rel=1e-9)
    for i, j, y in listed(targets):
        assert seen.norms[i, j] == seen.norms[j, i] == pytest.approx(y @ inverse @ y, rel=1e-9)
    assert not np.diag(seen.norms).any()
    assert seen.norms[seen.worst] == pytest.approx(seen.value, rel=1e-9)
    assert seen.eigenvalues == pytest.approx(np.linalg.eigvalsh(information)[::-1], rel=1e-9)
    assert seen.condition == pytest.approx(np.linalg.cond(information), rel=1e-6)
    assert seen.rank == d
    # The proof is complete, and that of the solved design holds for these weights too.
    bound = lower_bound_by_hand(arms, targets, seen)
    assert seen.own_bound == pytest.approx(min(bound, seen.value), rel=1e-7)
    assert seen.lower_bound == max(seen.own_bound, design.lower_bound)
    assert seen.own_bound <= design.value * (1 + 1e-9)
    assert seen.proof_weights.sum() == pytest.approx(1.0)
    # What is drawn has weights w of its own, on the longest pairs only.
    drawn = seen.equivalence
    g = np.zeros(len(arms))
    for (i, j), w in zip(drawn.active, drawn.w, strict=True):
        assert seen.norms[i, j] >= seen.value * (1.0 - drawn.epsilon) * (1.0 - 1e-12)
        g += w * (arms @ inverse @ (targets[i] - targets[j])) ** 2
    assert drawn.w.sum() == pytest.approx(1.0)
    assert drawn.g == pytest.approx(g / (weights @ g), rel=1e-7, abs=1e-9)
    assert drawn.g @ drawn.weights == pytest.approx(1.0, abs=1e-9)


@given(st.integers(0, 2**32 - 1))
@with_settings(max_examples=15)
def test_a_search_proves_no_less_than_without_one_and_than_certify(seed):
    rng = np.random.default_rng(seed)
    arms = rng.standard_normal((9, 3))
    weights = 0.5 * rng.dirichlet(np.ones(9)) + 0.5 / 9
    problem = pairs(arms)
    design = solve_design(problem)
    quick, slow = (examine(problem, weights, [design], thorough=each) for each in (False, True))
    certificate = certify(problem, weights)
    assert slow.own_bound >= quick.own_bound * (1 - 1e-9)
    assert slow.lower_bound == pytest.approx(certificate.lower_bound, rel=1e-6)
    assert slow.value == pytest.approx(certificate.value, rel=1e-12)
    assert slow.worst == certificate.worst
    assert slow.equivalence.g == pytest.approx(certificate.equivalence.g, rel=1e-9)


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_reference_designs_touch_one_on_their_support_and_nowhere_above(case):
    arms, targets = (np.array(case[key])[:, : case["d"]] for key in ("arms", "targets"))
    problem = pairs(arms, targets)
    design = solve_design(problem)
    seen = examine_design(problem, design)
    assert seen.value == pytest.approx(case["value"], rel=1e-6)
    if design.status == "trivial":
        assert (seen.worst, seen.gap, seen.norms.max()) == (None, 0.0, 0.0)
        return
    drawn = seen.equivalence
    assert drawn.g.max() <= 1.0 + 1e-3
    assert drawn.g @ drawn.weights == pytest.approx(1.0, abs=1e-9)
    assert drawn.g[seen.weights > 1e-3] == pytest.approx(1.0, abs=1e-2)
    assert all(seen.norms[pair] >= design.value * (1.0 - 1e-5 - 4 * design.gap) for pair in drawn.active)
    assert seen.norms.max() == pytest.approx(design.value, rel=1e-9)
    for pair, w in zip(seen.proof_pairs, seen.proof_weights, strict=True):
        assert w <= 1e-3 or seen.norms[pair] >= 0.99 * design.value  # complementary slackness


@pytest.mark.parametrize(("arms", "d"), [(100, 25), (60, 10)])
def test_an_unfinished_frank_wolfe_rises_above_one(arms, d):
    problem = pairs(sphere_arms(arms, d))
    certified, published = (solve_design(problem, each) for each in ("certified", "frank-wolfe"))
    assert examine_design(problem, certified).equivalence.g.max() <= 1.0 + 1e-3
    seen = examine_design(problem, published)
    assert seen.equivalence.g.max() > 2.0
    assert 0 < len(seen.equivalence.more) < len(seen.support)
    assert seen.equivalence.g @ seen.weights == pytest.approx(1.0, abs=1e-9)
    # Examined with the certified design, its own weights prove more, and the bound is the optimum itself.
    better = examine(problem, published.weights, [certified, published])
    assert better.own_bound >= published.lower_bound
    assert better.lower_bound == certified.lower_bound
    assert better.gap == pytest.approx(published.value / certified.lower_bound - 1.0)


def test_more_weight_on_one_arm_moves_the_worst_pair_and_the_value():
    """On the basis of R³ with λ the norm of e_i − e_j is 1/λ_i + 1/λ_j: everything is known."""
    problem = pairs(np.eye(3))
    design = solve_design(problem)
    assert design.value == pytest.approx(6.0)
    for share, worst in ((0.5, (1, 2)), (0.2, (0, 1)), (0.05, (0, 1))):
        rest = (1.0 - share) / 2.0
        seen = examine(problem, [share, rest, rest], [design])
        assert seen.value == pytest.approx(max(1 / share + 1 / rest, 2 / rest))
        assert sorted(seen.worst) in ([0, 1], [0, 2]) if worst == (0, 1) else sorted(seen.worst) == [1, 2]
        assert seen.gap == pytest.approx(seen.value / 6.0 - 1.0, rel=1e-5)
        assert seen.condition == pytest.approx(max(share, rest) / min(share, rest))


def test_weights_that_leave_out_a_direction_prove_nothing_and_say_which():
    problem = pairs(np.eye(3))
    design = solve_design(problem)
    seen = examine(problem, [0.5, 0.5, 0.0], [design], thorough=True)
    assert seen.value == np.inf
    assert 2 in seen.worst
    assert np.isnan(seen.equivalence.g).all()
    assert (sorted(seen.equivalence.lost), seen.equivalence.arms.tolist()) == ([(0, 2), (1, 2)], [2])
    assert (seen.own_bound, seen.lower_bound, seen.gap) == (0.0, design.lower_bound, np.inf)
    assert seen.norms[0, 1] == pytest.approx(4.0)
    assert seen.norms[0, 2] == seen.norms[2, 1] == np.inf
    assert seen.eigenvalues.tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert seen.rank == 2


def test_a_singular_optimum_is_shown_with_the_solvers_own_proof():
    arms = hard_arms()
    problem = pairs(arms, arms[8:])
    design = solve_design(problem)
    by_itself, by_hand = examine_design(problem, design), examine(problem, design.weights, [design])
    for seen in (by_itself, by_hand):
        assert seen.value == pytest.approx(4.0)
        assert seen.rank < 10
        assert seen.gap <= 1e-6
        assert seen.equivalence.g.max() == pytest.approx(1.0, abs=1e-9)
        assert seen.norms[0, 1] == pytest.approx(4.0)


def test_near_targets_keep_their_digits_and_equal_ones_are_zero():
    targets = np.array([[1.0, 0.0], [1.0, 1e-9], [1.0, 0.0], [0.0, 1.0]])
    problem = pairs(np.eye(2), targets)
    seen = examine(problem, [0.5, 0.5])
    assert seen.norms[0, 1] == pytest.approx(2e-18, rel=1e-9)
    assert seen.norms[0, 2] == 0.0
    assert seen.norms[0, 3] == pytest.approx(4.0)


def test_no_direction_and_bad_weights():
    same = examine(pairs(np.eye(2), np.ones((3, 2))), [1.0, 3.0])
    assert (same.value, same.worst, same.gap) == (0.0, None, 0.0)
    assert same.norms.shape == (3, 3)
    assert same.eigenvalues.tolist() == pytest.approx([0.75, 0.25])
    with pytest.raises(InputError, match="one weight for each arm"):
        examine(pairs(np.eye(2)), [1.0])


def test_the_time_of_each_iteration_is_told_and_changes_nothing():
    problem = pairs(sphere_arms(30, 6))
    for solver in ("certified", "frank-wolfe"):
        once, again = (solve_design(problem, solver) for _ in range(2))
        assert len(once.seconds) == len(once.history) == once.iterations + 1
        assert (np.diff(once.seconds) >= 0.0).all()
        assert once.seconds[0] > 0.0
        assert once.weights.tobytes() == again.weights.tobytes()
        assert once.history.tobytes() == again.history.tobytes()
    assert len(solve_design(pairs(np.eye(2))).seconds) == 1
    kept = pickle.loads(pickle.dumps(once))
    assert kept.seconds.tolist() == once.seconds.tolist()


def test_the_time_is_that_of_the_solver_and_not_of_the_caller(monkeypatch):
    now = [50.0]

    def slow(seconds, what):
        def call(*given, **named):
            now[0] += seconds
            return what(*given, **named)

        return call

    monkeypatch.setattr(solve, "clock", SimpleNamespace(now=lambda: now[0]))
    monkeypatch.setattr(solve.InteriorPoint, "__init__", slow(1.0, solve.InteriorPoint.__init__))
    monkeypatch.setattr(solve.InteriorPoint, "step", slow(2.0, solve.InteriorPoint.step))
    monkeypatch.setattr(solve, "line_design", slow(3.0, solve.line_design))
    for tolerance, status in ((1e-6, "certified"), (1e-17, "uncertified")):
        running = DesignSolve(pairs(sphere_arms(10, 3)), tolerance=tolerance)
        while not running.done:
            now[0] += 100.0
            running.step()
        design = running.design()
        assert design.status == status
        assert len(design.seconds) == len(design.history)
        spent = np.diff(design.seconds, prepend=0.0).tolist()
        assert spent.pop(0) == 1.0
        assert sorted(spent) == [1.0] * (status == "uncertified") + [2.0] * (len(spent) - (status == "uncertified"))
    assert DesignSolve(pairs(np.eye(2))).design().seconds.tolist() == [3.0]
    assert DesignSolve(pairs(np.ones((2, 1)))).design().seconds.tolist() == [0.0]


def test_weights_that_are_dragged_are_examined_without_a_linear_program(monkeypatch):
    problem = pairs(sphere_arms(20, 4))
    thorough = examine(problem, np.full(20, 0.05), thorough=True)

    def refuse(*given, **named):
        raise AssertionError

    monkeypatch.setattr("scipy.optimize.linprog", refuse)
    quick = examine(problem, np.full(20, 0.05))
    assert quick.value == thorough.value
    assert quick.lower_bound < thorough.lower_bound <= thorough.value
    with pytest.raises(AssertionError):
        examine(problem, np.full(20, 0.05), thorough=True)


@given(st.sets(st.integers(0, 30), min_size=2))
def test_sets_of_targets_are_written_as_they_are_read(chosen):
    labels = Labels(31, lambda index: f"arm {index}")
    assert parse_targets(targets_text(chosen), labels, "set") == tuple(sorted(chosen))


def test_a_set_is_short():
    assert targets_text([9, 0, 1, 2, 3, 5, 6]) == "0-3,5,6,9"


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize(("d", "chosen"), [(9, (8, 9)), (10, (0, 3, 8, 9)), (4, tuple(range(10)))])
def test_a_saved_problem_has_the_same_value_on_the_command_line(tmp_path, capsys, suffix, d, chosen):
    instance = make("paper-hard", epsilon=0.1)
    design = solve_design(DesignProblem(instance.arms[:, :d], targets=instance.targets[list(chosen), :d]))
    file, weights = tmp_path / f"problem{suffix}", tmp_path / "weights.csv"
    write_instance(file, instance.comparing(chosen).truncated(d))
    write_weights(weights, design.weights)
    assert main(["design", str(file), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["value"], said["lower_bound"]) == (design.value, design.lower_bound)
    assert said["weights"] == design.weights.tolist()
    assert main(["certify", str(file), str(weights), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(design.value, rel=1e-9)
    kept = read_instance(file)
    assert d == kept.D
    if len(chosen) < 10:
        assert [kept.target_label(i) for i in range(len(chosen))] == [instance.target_label(i) for i in chosen]
