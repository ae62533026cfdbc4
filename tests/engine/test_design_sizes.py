"""One certified method for all sizes: four forms of one system, a pruned search, nothing that grows like a table."""

import itertools
import tracemalloc

import numpy as np
import pytest

from gems_engine.design import DesignProblem, DesignSolve, equivalence_of, interior_point, solve_design
from gems_engine.design.directions import PairDirections, far_tables, squares_of
from gems_engine.design.newton import Dense, Iterated, Products, Single
from tests.engine.problems import plain_value, sphere_arms


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


ALL = (Iterated, Single, Products, Dense)


class Counted:
    """Forms of the Newton system that were set up, and what each costs by the model."""

    def __init__(self, monkeypatch):
        self.forms, self.cost = [], 0.0
        for form in ALL:
            self._watch(monkeypatch, form)

    def _watch(self, monkeypatch, form):
        set_up = form.__init__

        def counted(system, t, u, *rest):
            if type(system) is form:
                self.forms.append(form)
                self.cost += form.cost(len(t), len(u), t.shape[1])
            set_up(system, t, u, *rest)

        monkeypatch.setattr(form, "__init__", counted)


def begin_with(monkeypatch, form):
    """Let the method start with one form whatever the size, and go on with the dense one when that is at its end."""
    monkeypatch.setattr(interior_point, "FORMS", (Dense,) if form is Dense else (form, Dense))
    monkeypatch.setattr(form, "cost", lambda *_: 0.0)


@pytest.mark.parametrize(
    "kind",
    ["anywhere", "on a sphere", "of all scales", "with many equal", "a basis and a cluster", "with a singular optimum"],
)
@pytest.mark.parametrize("listed", [False, True])
def test_every_form_finds_the_optimum(monkeypatch, kind, listed):
    rng = np.random.default_rng(7)
    for _ in range(3):
        arms, targets = arms_of(kind, rng)
        asked = {"directions": targets[1:90] - targets[:1]} if listed else {"targets": targets}
        found = {}
        for form in ALL:
            with monkeypatch.context() as patch:
                begin_with(patch, form)
                counted = Counted(patch)
                found[form] = solve_design(DesignProblem(arms, **asked), tolerance=1e-9)
                # Where all directions are on a line a linear program answers, and an even start may be the optimum.
                if found[form].iterations:
                    assert counted.forms[0] is form
        for design in found.values():
            assert design.status in ("certified", "exact")
            assert design.value == pytest.approx(found[Dense].value, rel=2e-9)
            assert design.lower_bound <= found[Dense].value * (1 + 1e-12)
            assert design.weights.sum() == pytest.approx(1.0)
            # The equivalence theorem holds over all arms, also those that had left.
            assert equivalence_of(DesignProblem(arms, **asked), design.weights, design.gap).g.max() <= 1 + 1e-3


@pytest.mark.parametrize("scales", [1.0, [1.0, 1e5, 1e-4] * 2], ids=["plain", "scales apart"])
def test_both_direct_forms_take_the_same_steps(monkeypatch, scales):
    arms = np.random.default_rng(6).normal(size=(120, 6)) * scales
    problem = DesignProblem(arms, targets=arms)
    found = []
    for form in (Dense, Products):
        with monkeypatch.context() as patch:
            begin_with(patch, form)
            found.append(solve_design(problem).history)
    count = min(map(len, found)) - 2
    assert count > 5
    np.testing.assert_allclose(found[0][:count], found[1][:count], rtol=1e-6)


def steps_of(arms, targets, within):
    """Newton steps until the bounds are this near to each other."""
    solve = DesignSolve(DesignProblem(arms, targets=targets), tolerance=within)
    while not solve.done:
        solve.step()
    return solve.iterations


@pytest.mark.parametrize(("within", "saved"), [(0.3, 0.6), (1e-6, 0.85)])
def test_the_start_is_nearer_than_an_even_one(monkeypatch, within, saved):
    problems = []
    for seed, d in itertools.product(range(4), (3, 8, 15)):
        arms = np.random.default_rng(seed).normal(size=(100, d))
        problems += [(arms, arms), (arms, arms[:12])]
    near = sum(steps_of(*each, within) for each in problems)
    monkeypatch.setattr(interior_point, "ROUNDS", 0)
    assert near < saved * sum(steps_of(*each, within) for each in problems)


def system(rng, nu):
    """What a form is set up from, with products of multipliers and slacks of about ν."""
    t, u = rng.normal(size=(80, 6)) / 9, rng.normal(size=(50, 6)) / 3
    w = rng.uniform(0.5, 1.5, size=50)
    return t, u, w, nu / w, nu * rng.uniform(0.5, 1.5, size=80)


@pytest.mark.parametrize(("form", "nu", "gap"), [(Iterated, 1.0, 1.0), (Single, 1e-2, 1e-3), (Products, 1e-2, 1e-3)])
def test_every_form_solves_the_same_system(form, nu, gap):
    given = system(np.random.default_rng(1), nu)
    t, u, w, s, diagonal = given
    seen = np.square(t @ u.T)
    matrix = (t @ t.T) * (t @ (2.0 * u.T * w) @ u @ t.T) + (seen * (w / s)) @ seen.T + np.diag(diagonal)
    right = np.random.default_rng(2).normal(size=80)
    exact = np.linalg.solve(matrix, right)
    dense = Dense(*given, gap)
    np.testing.assert_allclose(dense.solve(right), exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())
    other = form(*given, gap)
    near = 0.1 * gap * np.abs(exact).max() if form is not Products else 1e-7
    np.testing.assert_allclose(other.solve(right), exact, atol=near)
    for each in (dense, other):
        np.testing.assert_allclose(each.over_directions(w), seen @ w)
        np.testing.assert_allclose(each.over_arms(diagonal), diagonal @ seen)


@pytest.mark.parametrize("form", [Iterated, Single])
def test_conjugate_gradients_say_when_they_are_at_their_end(form):
    rng = np.random.default_rng(1)
    right = rng.normal(size=80)
    easy = form(*system(rng, 10.0), 1.0)
    easy.solve(right)
    assert not easy.spent
    with pytest.raises(np.linalg.LinAlgError):
        form(*system(rng, 1e-9), 1e-9).solve(right)


def test_the_form_changes_with_the_distance_to_the_optimum(monkeypatch):
    """Many arms in many dimensions: conjugate gradients far away, single precision, and the whole digits at the end."""
    counted = Counted(monkeypatch)
    rows = sphere_arms(900, 40)
    assert solve_design(DesignProblem(rows, targets=rows)).is_certified
    order = [ALL.index(form) for form in counted.forms]
    assert order == sorted(order)
    assert {Iterated, Dense} <= set(counted.forms)


@pytest.mark.parametrize(
    "kind",
    ["gaussian", "sphere", "lattice", "cube", "uneven circle", "scaled columns", "singular", "near-duplicates", "ties"],
)
def test_ten_digits_are_reached(kind):
    rng = np.random.default_rng(5)
    targets = None
    match kind:
        case "gaussian":  # here the form in products ends at seven digits
            arms = rng.normal(size=(500, 5))
        case "sphere":
            arms = sphere_arms(600, 8)
        case "lattice":
            arms = rng.integers(-3, 4, (400, 3)).astype(float)
        case "cube":
            arms = np.array(list(itertools.product([-1.0, 0.0, 1.0], repeat=4)))
        case "uneven circle":
            angle = np.sort(rng.uniform(0, 2 * np.pi, 500))
            arms = np.column_stack([np.cos(angle), np.sin(angle)])
        case "scaled columns":
            arms = rng.normal(size=(300, 5)) * 10.0 ** np.linspace(-4, 4, 5)
        case "singular":
            arms = rng.normal(size=(600, 6))
            targets = np.hstack([rng.normal(size=(30, 5)), np.zeros((30, 1))])
        case "near-duplicates":
            arms = np.vstack([sphere_arms(40, 6), sphere_arms(40, 6) + 1e-4 * rng.normal(size=(40, 6))])
        case "ties":
            arms = np.eye(10)
            arms[9, 8] = 1.0 - 1e-4
            arms = arms[:, :9]
    design = solve_design(DesignProblem(arms, targets=arms if targets is None else targets), tolerance=1e-10)
    assert design.status == "certified"
    assert design.gap <= 1e-10


def test_an_arm_that_was_ruled_out_wrongly_comes_back():
    arms = np.random.default_rng(2).normal(size=(300, 4))
    problem = DesignProblem(arms, targets=arms)
    expected = solve_design(problem, tolerance=1e-9)
    solve = DesignSolve(problem, tolerance=1e-9)
    solver = solve._solver
    while solver._excess > 1e-2:
        solve.step()
    assert len(solver._some) == 300
    heaviest = int(solver._mu.argmax())
    solver._keep(np.arange(300) != heaviest)
    while not solve.done:
        solve.step()
    assert heaviest in solver._some
    assert solve.design().is_certified
    assert solve.design().weights[heaviest] == pytest.approx(expected.weights[heaviest], rel=1e-3)
    assert solve.design().value == pytest.approx(expected.value, rel=2e-9)


def test_a_fine_circle_has_its_closed_form():
    """On the circle the even design is optimal: A = I/2, and two opposite arms are 2 apart: 2² · 2 = 8."""
    angle = 2 * np.pi * np.arange(2400) / 2400
    arms = np.column_stack([np.cos(angle), np.sin(angle)])
    design = solve_design(DesignProblem(arms, targets=arms), tolerance=1e-8)
    assert design.value == pytest.approx(8.0, rel=1e-8)
    assert design.lower_bound <= 8.0 * (1 + 1e-12)
    assert design.gap <= 1e-8
    assert plain_value(arms, 2 * arms[:1200], design.weights) == pytest.approx(design.value, rel=1e-9)


def test_the_cost_model_has_no_cliff():
    """5 % more arms, or a dimension more, never cost much more than in proportion, and never less."""

    def cost(arms, d):
        directions = max(300, min(arms, d * (d + 1) // 2))
        return min(form.cost(arms, directions, d) for form in ALL)

    sizes = [round(100 * 1.05**k) for k in range(109)]  # to 20,000
    for d in (2, 5, 10, 25, 50, 100):
        costs = [cost(arms, d) for arms in sizes]
        assert all(1.0 <= b / a < 1.05**3.2 for a, b in itertools.pairwise(costs))
    for arms in (100, 1000, 2000, 5000, 20000):
        costs = [cost(arms, d) for d in range(5, 101)]
        assert all(1.0 <= b / a <= ((d + 1) / d) ** 6 for d, (a, b) in enumerate(itertools.pairwise(costs), start=5))


@pytest.mark.parametrize("d", [3, 8])
def test_counted_operations_grow_smoothly(monkeypatch, d):
    """Whole solves, by the model: half as many arms again cost at most four times as much (n³ would be 3.4 times)."""
    totals = []
    for arms in (100, 150, 225, 337, 506, 759, 1139):
        with monkeypatch.context() as patch:
            counted = Counted(patch)
            rows = sphere_arms(arms, d)
            assert solve_design(DesignProblem(rows, targets=rows)).is_certified
            totals.append(counted.cost)
    assert all(b < 4.0 * a for a, b in itertools.pairwise(totals))
    assert totals[-1] < 40.0 * totals[0]  # eleven times as many arms: all of them dense would be a thousand times


def clouds(rng):
    yield "gaussian", rng.normal(size=(300, 3))
    yield "sphere", sphere_arms(400, 4)
    yield "many coordinates", rng.normal(size=(260, 30))
    yield "lattice", rng.integers(-2, 3, (500, 3)).astype(float)
    yield "far from the origin", 1e4 + rng.normal(size=(300, 2))
    yield "two clusters", np.vstack([rng.normal(size=(200, 3)), 50.0 + 0.01 * rng.normal(size=(200, 3))])
    yield "few", rng.normal(size=(5, 2))


def test_the_search_for_long_pairs_misses_none():
    rng = np.random.default_rng(0)
    for name, points in clouds(rng):
        points = np.unique(points, axis=0)
        n, d = points.shape
        root = np.triu(rng.normal(size=(d, d))) + 3.0 * np.eye(d)
        white = points @ root
        i, j = np.triu_indices(n, 1)
        squares = squares_of(white[i] - white[j])
        pairs = PairDirections(points)
        assert pairs.length(root) == pytest.approx(squares.max(), rel=1e-12), name
        for part in (0.5, 0.9, 0.999):
            than = part * squares.max()
            keys, found, peaks = pairs.longer(root, than)
            assert found.max() == pytest.approx(squares.max(), rel=1e-12)
            assert 1 <= peaks <= len(keys)
            assert len(set(keys.tolist())) == len(keys)
            assert np.allclose(found, squares_of(white[keys // n] - white[keys % n]))
            assert (found >= than * (1 - 1e-9)).all()
            # Every point with a far partner is in one of them, and no other point is farther from it.
            table = squares_of((white[:, None] - white[None]).reshape(-1, d)).reshape(n, n)
            far = np.flatnonzero(table.max(axis=1) >= than * (1 + 1e-9))
            longest = np.zeros(n)
            for ends in (keys // n, keys % n):
                np.maximum.at(longest, ends, found)
            assert np.allclose(longest[far], table.max(axis=1)[far])
            long = np.flatnonzero(squares >= than)
            every, lengths, same = pairs.longer(root, than, n * n)
            assert set(every.tolist()) >= set((i[long] * n + j[long]).tolist())
            assert same == peaks
            assert every[:peaks].tolist() == keys[:peaks].tolist()
            assert (np.diff(lengths[peaks:]) <= 0.0).all()
            few, _, _ = pairs.longer(root, than, 2)
            assert set(every[peaks : peaks + 2].tolist()) <= set(few.tolist()) | set(keys.tolist())
            assert len(few) <= len(keys) + 2
            assert set(pairs.near(root, part, n * n).tolist()) == set((i[long] * n + j[long]).tolist())
            if len(long) > 3:
                best = np.sort(squares)[-3]
                few = pairs.near(root, part, 3)
                assert squares_of(white[few // n] - white[few % n]).min() == pytest.approx(best)


def test_the_search_looks_at_few_pairs():
    """Of 4,000 points on a sphere in R³, and of as many normal ones in R⁵, nearly all pairs are passed over."""
    normal = np.random.default_rng(0).normal(size=(4000, 5))
    for points, most in ((sphere_arms(4000, 3), 0.1), (normal, 0.001)):
        pairs = PairDirections(points)
        than = 0.999 * pairs.length(np.eye(points.shape[1]))
        looked_at = sum(table.size for _, _, table in far_tables(points, pairs.balls, than))
        assert looked_at < most * len(points) ** 2 / 2


def test_memory_does_not_grow_like_a_table():
    """4,000 arms: a table of arms × arms alone has 128 MB."""
    arms = sphere_arms(4000, 4)
    problem = DesignProblem(arms, targets=arms)
    solve_design(DesignProblem(arms[:50], targets=arms[:50]))  # what is imported is not counted
    tracemalloc.start()
    design = solve_design(problem, stop=lambda solve: solve.iterations >= 6)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert design.iterations == 6
    assert np.isfinite(design.upper_bound)
    assert peak < 48e6


def test_bounds_only_improve_and_the_design_comes_again():
    arms = np.random.default_rng(3).normal(size=(2100, 3))
    solve = DesignSolve(DesignProblem(arms, targets=arms), tolerance=1e-9)
    while not solve.done:
        solve.step()
    history = solve.design().history
    assert len(history) == solve.iterations + 1
    assert (np.diff(history[:, 0]) <= 0).all()
    assert (np.diff(history[:, 1]) >= 0).all()
    again = solve_design(DesignProblem(arms, targets=arms), tolerance=1e-9)
    assert np.array_equal(solve.design().weights, again.weights)
    cancelled = solve_design(DesignProblem(arms, targets=arms), stop=lambda each: each.iterations >= 4)
    assert (cancelled.status, cancelled.iterations) == ("cancelled", 4)
    assert cancelled.lower_bound <= again.value <= cancelled.upper_bound
