"""The exact design where all directions are multiples of one: a linear program (Elfving).

min ‖c‖₁ with Xᵀc = y; λ = |c|/‖c‖₁ and the value is ‖c‖₁². Its dual, max yᵀu with |xᵀu| ≤ 1, proves it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats
from gems_engine.design.problem import DesignProblem

MOST_ARMS = 6
"""On more arms than these exact fractions take longer than the design; the bounds of doubles serve as well there."""


def exact_value(problem: DesignProblem, weights: Floats) -> Fraction | None:
    """Σλ · yᵀA(λ)⁻¹y as a rational number, where there is one direction y and few arms have weight; else None.

    The coefficients c with Σ c_x x = y on independent arms are unique, and yᵀA(λ)⁻¹y = Σ c²/λ.
    """
    support = np.flatnonzero(weights)
    y = _one_direction(problem) if len(support) <= MOST_ARMS else None
    c = None if y is None else _coefficients(problem.arms[support], y)
    if c is None:
        return None
    share = [Fraction(each) for each in weights[support].tolist()]
    return sum(share) * sum((a * a / b for a, b in zip(c, share, strict=True)), Fraction(0))


def exact_bound(problem: DesignProblem, u: Floats) -> Fraction:
    """(yᵀu)² / max_x (xᵀu)² as a rational number, for the one direction y; u is in the features."""
    y = _one_direction(problem)
    assert y is not None
    rough = np.abs(problem.arms @ u)
    near = problem.arms[rough >= 0.999 * rough.max()]  # no other arm comes near the maximum
    vector = [Fraction(each) for each in u.tolist()]
    most = max(abs(_dot(row, vector)) for row in near.tolist())
    return _dot(y, vector) ** 2 / most**2


def rounded_up(value: Fraction) -> float:
    """The least double that is not below it."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def rounded_down(value: Fraction) -> float:
    """The largest double that is not above it."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def _one_direction(problem: DesignProblem) -> list[Fraction] | None:
    """The longest direction, exactly, where it is clear which one it is: of two targets, or in R¹."""
    kept = problem.geometry.kept
    if problem.targets is None:
        return None
    if problem.d == 1:
        column = problem.targets[kept, 0]
        return [Fraction(float(column.max())) - Fraction(float(column.min()))]
    if len(kept) != 2:
        return None
    one, other = problem.targets[kept].tolist()
    return [Fraction(a) - Fraction(b) for a, b in zip(one, other, strict=True)]


def _coefficients(arms: Floats, y: list[Fraction]) -> list[Fraction] | None:
    """c with Σ c_x x = y exactly; None if there are none, or more than one."""
    rows = [[Fraction(each) for each in column] + [value] for column, value in zip(arms.T.tolist(), y, strict=True)]
    count = len(arms)
    for place in range(count):
        pivot = next((i for i in range(place, len(rows)) if rows[i][place]), None)
        if pivot is None:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        top = rows[place] = [each / rows[place][place] for each in rows[place]]
        for i, row in enumerate(rows):
            if i != place and row[place]:
                rows[i] = [a - row[place] * b for a, b in zip(row, top, strict=True)]
    return None if any(row[count] for row in rows[count:]) else [row[count] for row in rows[:count]]


def _dot(row: Sequence[float | Fraction], u: list[Fraction]) -> Fraction:
    return sum((Fraction(a) * b for a, b in zip(row, u, strict=True)), Fraction(0))


@dataclass(frozen=True)
class LineDesign:
    """Weights, value, proven lower bound and the vector u that proves it."""

    weights: Floats
    value: float
    lower: float
    u: Floats


def line_design(arms: Floats, y: Floats) -> LineDesign | None:
    """Solve the design for ±y and its multiples; None where the program gives no answer.

    The arms have full column rank.
    """
    length = float(np.linalg.norm(y))
    unit = y / length
    if arms.shape[1] == 1:
        c = np.zeros(len(arms))
        best = int(np.abs(arms[:, 0]).argmax())
        c[best] = unit[0] / arms[best, 0]
        u = np.sign(unit) / np.abs(arms[best, 0])
        return _proven(arms, unit, length, c, [u])
    # Arms as unit vectors, at a price of one over their length: rows of very different scales stay in sight.
    sizes = np.sqrt(np.einsum("ij,ij->i", arms, arms))
    seen = np.flatnonzero(sizes > 0.0)
    rows = arms[seen] / sizes[seen, None]
    price = sizes.max() / sizes[seen]
    answer = _at_sight(rows, price, unit) or _by_program(rows, price, unit)
    if answer is None:
        return None
    rough, dual = answer
    used = np.flatnonzero(np.abs(rough) > 1e-11 * np.abs(rough).max())
    # HiGHS meets its equations to 1e-7; on the support it found they have an exact solution.
    polished = np.zeros(len(arms))
    polished[seen[used]] = np.linalg.lstsq(rows[used].T, unit, rcond=None)[0] / sizes[seen[used]]
    duals = [dual]
    missing = np.sign(rough[used]) * price[used] - rows[used] @ duals[0]
    duals.append(duals[0] + np.linalg.lstsq(rows[used], missing, rcond=None)[0])
    return _proven(arms, unit, length, polished, duals)


def _at_sight(rows: Floats, price: Floats, unit: Floats) -> tuple[Floats, Floats] | None:
    """c and u where only one c can be optimal and is seen without a program, which takes longer to load than a run.

    That is so where one arm is parallel to y and all others are seen less than it by u along y, and where there are as
    many arms as dimensions, so that Xᵀc = y has one solution.
    """
    along = rows @ unit
    best = int(np.abs(along).argmax())
    if abs(along[best]) > 1.0 - 1e-15:
        others = np.arange(len(rows)) != best
        if (price[best] * np.abs(along[others]) < (1.0 - 1e-9) * price[others]).all():
            return np.where(others, 0.0, along), np.asarray(price[best] * unit)
    if len(rows) != len(unit) or not np.linalg.cond(rows) < 1e8:
        return None
    c = np.linalg.solve(rows.T, unit)
    c[np.abs(c) <= 1e-11 * np.abs(c).max()] = 0.0
    return np.asarray(c), np.asarray(np.linalg.solve(rows, np.sign(c) * price))


def _by_program(rows: Floats, price: Floats, unit: Floats) -> tuple[Floats, Floats] | None:
    """c and u of the linear program; None where it gives no answer."""
    linprog = clock.load("scipy.optimize").linprog

    answer = linprog(np.tile(price, 2), A_eq=np.vstack([rows, -rows]).T, b_eq=unit, bounds=(0, None), method="highs-ds")
    if answer.x is None:
        return None
    return answer.x[: len(rows)] - answer.x[len(rows) :], np.asarray(answer.eqlin.marginals, dtype=float)


def _proven(arms: Floats, unit: Floats, length: float, c: Floats, duals: list[Floats]) -> LineDesign | None:
    off = float(np.abs(arms.T @ c - unit).max())
    norm = float(np.abs(c).sum())
    bounds = [float(unit @ u) ** 2 / float(np.max((arms @ u) ** 2)) for u in duals if (arms @ u).any()]
    if off > 1e-9 or not bounds or not np.isfinite(norm):
        return None
    best = int(np.argmax(bounds))
    return LineDesign(np.abs(c) / norm, norm**2 * length**2, min(bounds[best], norm**2) * length**2, duals[best])
