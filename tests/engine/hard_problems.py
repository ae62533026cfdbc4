"""Design problems that are hard for floating point: seeded, of many kinds, some with a known optimum.

A kind is a function of a seed; ``KINDS`` has them by name, ``SECTION_1`` the fixed cases that release 0.1.0 got wrong,
``EVERY`` both. ``make(kind, seed)`` gives a :class:`HardProblem`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gems_engine.design import DesignProblem


@dataclass(frozen=True)
class HardProblem:
    """Arms with targets, directions or quotients, and the exact optimum where a closed form is known.

    ``independent``: the arms are independent and the targets are the arms, so that the optimum is twice the number of
    targets that are not merged (0 where that is one), whatever the scales.
    """

    name: str
    arms: np.ndarray
    targets: np.ndarray | None = None
    directions: np.ndarray | None = None
    quotients: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None  # plus, minus, divisors
    optimum: Fraction | None = None
    independent: bool = False

    def closed_form(self, problem: DesignProblem) -> Fraction | None:
        """The exact optimum of its design problem, after targets were merged; None where no formula is known."""
        if not self.independent:
            return self.optimum
        kept = len(problem.geometry.kept)
        return Fraction(2 * kept if kept > 1 else 0)

    def problem(self) -> DesignProblem:
        if self.quotients is not None:
            return DesignProblem.weighted(self.arms, *self.quotients)
        if self.directions is not None:
            return DesignProblem(self.arms, directions=self.directions)
        return DesignProblem(self.arms, targets=self.targets)


Random = np.random.Generator


def _size(rng: Random, most_arms: int = 10, most_d: int = 5) -> tuple[int, int]:
    d = int(rng.integers(2, most_d + 1))
    return int(rng.integers(d + 1, most_arms + 1)), d


def _normal(rng: Random) -> np.ndarray:
    return rng.standard_normal(_size(rng))


def _spread(rng: Random, shape) -> np.ndarray:
    return 10.0 ** rng.uniform(-6, 6, shape)


def _of_arms(name: str, arms: np.ndarray, optimum: Fraction | None = None, independent: bool = False) -> HardProblem:
    return HardProblem(name, arms, targets=arms, optimum=optimum, independent=independent)


def gaussian(rng: Random) -> HardProblem:
    return _of_arms("gaussian", _normal(rng))


def scaled_rows(rng: Random) -> HardProblem:
    arms = _normal(rng)
    return _of_arms("scaled-rows", arms * _spread(rng, (len(arms), 1)))


def scaled_columns(rng: Random) -> HardProblem:
    arms = _normal(rng)
    return _of_arms("scaled-columns", arms * _spread(rng, arms.shape[1]))


def scaled_both(rng: Random) -> HardProblem:
    arms = _normal(rng)
    return _of_arms("scaled-both", arms * _spread(rng, (len(arms), 1)) * _spread(rng, arms.shape[1]))


def offset(rng: Random) -> HardProblem:
    return _of_arms("offset", _normal(rng) + 10.0 ** rng.uniform(0, 9))


def near_collinear(rng: Random) -> HardProblem:
    k, d = _size(rng)
    line = rng.standard_normal(d)
    arms = rng.standard_normal((k, 1)) * line + 1e-8 * rng.standard_normal((k, d))
    return _of_arms("near-collinear", arms)


def near_duplicates(rng: Random) -> HardProblem:
    arms = _normal(rng)
    twins = arms[rng.integers(0, len(arms), 3)]
    return _of_arms("near-duplicates", np.vstack([arms, twins + 1e-11 * rng.standard_normal(twins.shape)]))


def duplicates(rng: Random) -> HardProblem:
    """Some rows twice, some twice within the rule of merging: 1e-13 of a feature."""
    arms = _normal(rng)
    twins = arms[rng.integers(0, len(arms), 2)]
    close = arms[rng.integers(0, len(arms), 2)] * (1.0 + 1e-13)
    return _of_arms("duplicates", np.vstack([arms, twins, close]))


def lattice(rng: Random) -> HardProblem:
    """Small whole numbers: many ties, and often less than full rank."""
    k, d = _size(rng)
    arms = rng.integers(-2, 3, (k, d)).astype(float)
    arms[0, 0] += 1.0 if not arms.any() else 0.0
    return _of_arms("lattice", arms)


def one_dimension(rng: Random) -> HardProblem:
    """Closed form: the widest difference against the longest arm."""
    around = rng.standard_normal((int(rng.integers(2, 8)), 1)) + 10.0 ** rng.uniform(-3, 6)
    arms = around * _spread(rng, (1, 1))
    values = [Fraction(x) for x in arms[:, 0].tolist()]
    optimum = ((max(values) - min(values)) / max(map(abs, values))) ** 2
    return _of_arms("one-dimension", arms, optimum)


def few_arms(rng: Random) -> HardProblem:
    k = int(rng.integers(2, 5))
    arms = rng.standard_normal((k, k + int(rng.integers(1, 5)))) + float(rng.choice([0.0, 1e4, 1e8]))
    return _of_arms("few-arms", arms, independent=True)


def independent(rng: Random) -> HardProblem:
    """K = D independent arms: exactly 2K, whatever their scales."""
    k = int(rng.integers(2, 7))
    return _of_arms("independent", rng.standard_normal((k, k)) * _spread(rng, (k, 1)), independent=True)


def transductive(rng: Random) -> HardProblem:
    arms = _normal(rng)
    targets = rng.standard_normal((int(rng.integers(2, 7)), arms.shape[1])) * 10.0 ** rng.uniform(-3, 3)
    return HardProblem("transductive", arms, targets=targets)


def transductive_deficient(rng: Random) -> HardProblem:
    """Arms that span less than R^d, exactly: whole-number combinations of few whole-number rows."""
    rank, d = int(rng.integers(1, 4)), 5
    rows = rng.integers(-4, 5, (rank, d)).astype(float)
    arms = np.vstack([rows, rng.integers(-3, 4, (5, rank)) @ rows])
    targets = rng.integers(-3, 4, (4, rank)) @ rows + float(rng.choice([0.0, 1e6]))  # the offset is not in the span
    arms[0, 0] += 1.0 if not arms.any() else 0.0
    return HardProblem("transductive-deficient", arms, targets=targets)


def listed(rng: Random) -> HardProblem:
    arms = _normal(rng)
    directions = rng.standard_normal((6, arms.shape[1])) * _spread(rng, (6, 1)) ** 0.5
    directions[3] = 0.0
    return HardProblem("listed", arms, directions=directions)


def quotients(rng: Random) -> HardProblem:
    """As ρ⋆ has them: differences to the best arm, divided by gaps of which some are tiny."""
    arms = _normal(rng)
    rewards = np.sort(arms @ rng.standard_normal(arms.shape[1]))[::-1]
    rewards[1] = np.nextafter(rewards[0], -np.inf) if rng.random() < 0.3 else rewards[1]
    n = len(arms) - 1
    divisors = np.column_stack([np.full(n, rewards[0]), -rewards[1:]])
    return HardProblem("quotients", arms, quotients=(np.repeat(arms[:1], n, axis=0), arms[1:], divisors))


def singular_optimum(rng: Random) -> HardProblem:
    """Directions in a plane that the longest arms span; arms that leave it are of no use."""
    plane = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) * 10.0 ** rng.uniform(0, 3)
    others = np.column_stack([rng.standard_normal((3, 2)) * 0.1, rng.uniform(5, 50, 3)])
    targets = np.column_stack([rng.standard_normal((4, 2)), np.full(4, 3.0)])
    return HardProblem("singular-optimum", np.vstack([plane, others]), targets=targets)


def one_hot(rng: Random) -> HardProblem:
    """Two categories with an intercept: the columns of each sum to the first, so the rank is below D."""
    a, b = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    rows = [np.concatenate([[1.0], np.eye(a)[i], np.eye(b)[j]]) for i in range(a) for j in range(b)]
    return _of_arms("one-hot", np.array(rows))


def rotated_deficient(rng: Random) -> HardProblem:
    """Arms that span less than R^d but for rounding: a rotation in doubles of whole numbers with columns of zeros."""
    arms = np.hstack([rng.integers(-4, 5, (8, 3)).astype(float), np.zeros((8, 2))])
    arms[:3, :3] += 9.0 * np.eye(3)
    return _of_arms("rotated-deficient", arms @ np.linalg.qr(rng.standard_normal((5, 5)))[0])


def two_targets(rng: Random) -> HardProblem:
    """One direction: a linear program, whose optimum is found exactly by trying all bases."""
    from tests.engine.exact import line_optimum

    k, d = _size(rng, 7, 3)
    arms = rng.standard_normal((k, d)) * _spread(rng, (k, 1)) ** 0.5
    targets = rng.integers(-8, 9, (2, d)).astype(float)
    targets[1, 0] += 1.0 if (targets[0] == targets[1]).all() else 0.0
    return HardProblem("two-targets", arms, targets=targets, optimum=line_optimum(arms, targets[0] - targets[1]))


def subnormal(rng: Random) -> HardProblem:
    """Some entries below the normal numbers, where doubles have few digits and scaling loses them."""
    arms = _normal(rng)
    arms[rng.random(arms.shape) < 0.3] *= 5e-324 * 1e8
    arms[0, 0] = 1.0
    return _of_arms("subnormal", arms)


def wide_column(rng: Random) -> HardProblem:
    """K = D independent arms whose first feature has entries of ratios beyond 1e300: exactly 2K."""
    k = int(rng.integers(2, 5))
    arms = np.tril(rng.uniform(1.0, 2.0, (k, k)))[:, ::-1]
    arms[:, 0] *= 10.0 ** np.sort(rng.uniform(-320, 60, k))
    arms[-1, 0] = 10.0 ** rng.uniform(20, 60)
    return _of_arms("wide-column", arms[rng.permutation(k)], independent=True)


def wide_line(rng: Random) -> HardProblem:
    """Short arms and a short direction in a feature that one arm has 1e300 times as much of; one direction."""
    from tests.engine.exact import line_optimum

    arms = np.array([[10.0 ** rng.uniform(10, 60), 1.0]] + [[x, 0.0] for x in rng.uniform(1, 9, 2) * 1e-300])
    direction = np.array([float(rng.uniform(1, 9)) * 1e-300, 0.0])
    optimum = line_optimum(arms, direction)
    return HardProblem("wide-line", arms, directions=direction[None], optimum=optimum)


KINDS: dict[str, Callable[[Random], HardProblem]] = {
    "gaussian": gaussian,
    "scaled-rows": scaled_rows,
    "scaled-columns": scaled_columns,
    "scaled-both": scaled_both,
    "offset": offset,
    "near-collinear": near_collinear,
    "near-duplicates": near_duplicates,
    "duplicates": duplicates,
    "lattice": lattice,
    "one-dimension": one_dimension,
    "few-arms": few_arms,
    "independent": independent,
    "transductive": transductive,
    "transductive-deficient": transductive_deficient,
    "listed": listed,
    "quotients": quotients,
    "singular-optimum": singular_optimum,
    "one-hot": one_hot,
    "rotated-deficient": rotated_deficient,
    "two-targets": two_targets,
    "subnormal": subnormal,
    "wide-column": wide_column,
    "wide-line": wide_line,
}


def make(kind: str, seed: int) -> HardProblem:
    return KINDS[kind](np.random.default_rng([seed, *kind.encode()]))


def _first_rows(b: float) -> list[HardProblem]:
    """As targets, and with all three exact differences: 6."""
    arms = np.array([[1.1 * b, 0.7 * b, 1.3 * b], [0.3, 1.2, -0.4], [1.1, 0.2, 0.9]])
    differences = (arms[[0, 0, 1]], arms[[1, 2, 2]], np.tile([1.0, 0.0], (3, 1)))
    return [
        _of_arms(f"one long row, {b:.0e}", arms, independent=True),
        HardProblem(f"one long row, {b:.0e}, none merged", arms, quotients=differences, optimum=Fraction(6)),
    ]


def _draws(seed: int) -> Random:
    return np.random.default_rng(seed)


def _section_1() -> dict[str, HardProblem]:
    """Every row of the table of cases where 0.1.0 called a wrong bound proven, or refused."""
    found = [each for b in (1e10, 1e13, 1e16) for each in _first_rows(b)]
    for seed in range(4):
        rng = _draws(seed)
        k = 3 + seed
        arms = rng.standard_normal((k, k)) * 10.0 ** rng.uniform(-6, 6, (k, 1))
        found.append(_of_arms(f"independent rows of any scale, {seed}", arms, independent=True))
    found += [
        _of_arms("8 arms + 1e9 in R^3", _draws(0).standard_normal((8, 3)) + 1e9),
        _of_arms("6 arms 1 + 1e-11 N in R^3", 1.0 + 1e-11 * _draws(0).standard_normal((6, 3))),
        _of_arms("10 arms + 1e8 in R^20", _draws(0).standard_normal((10, 20)) + 1e8, independent=True),
        _near_line(),
        _of_arms("a feature of 1e10 and of 5e-324", np.array([[1e10, 1.0], [5e-324, 0.0]]), independent=True),
        _of_arms("a feature of 1e100 and of 1e-300", np.array([[1e100, 1.0], [1e-300, 0.0]]), independent=True),
    ]
    return {each.name: each for each in found}


def _near_line() -> HardProblem:
    rng = _draws(0)
    arms = rng.standard_normal(6) * rng.standard_normal((4, 1)) + 1e-8 * rng.standard_normal((4, 6))
    return _of_arms("4 near-collinear arms in R^6", arms, independent=True)


SECTION_1: dict[str, HardProblem] = _section_1()
"""The cases that were once called proven and were wrong, or were refused."""
