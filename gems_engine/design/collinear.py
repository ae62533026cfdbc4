"""The exact design if all directions are multiples of one: a linear program (Elfving).

min ‖c‖₁ with Xᵀc = y; λ = |c|/‖c‖₁ and the value is ‖c‖₁². Its dual, max yᵀu with |xᵀu| ≤ 1, proves it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats
from gems_engine.design.problem import DesignProblem

FRACTIONS = "exact fractions"
"""The arithmetic that proves the bounds."""

MOST_ARMS = 6
"""On more arms, exact fractions take longer than the design, and the bounds of doubles suffice."""


def exact_value(problem: DesignProblem, weights: Floats) -> Fraction | None:
    """Σλ · yᵀA(λ)⁻¹y as a rational number, where there is one direction y and few arms have weight; else None.

    The coefficients c with Σ c_x x = y on independent arms are unique, and yᵀA(λ)⁻¹y = Σ c²/λ.
    """
    support = np.flatnonzero(weights)
    y = _one_direction(problem) if len(support) <= MOST_ARMS else None
    found = None if y is None else _coefficients(problem.arms[support], *y)
    if found is None:
        return None
    c, pivot = found
    share = [Fraction(each) for each in weights[support].tolist()]
    return sum(share) * sum((a * a / b for a, b in zip(c, share, strict=True)), Fraction(0)) / pivot**2


def exact_bound(problem: DesignProblem, u: Floats) -> Fraction:
    """(yᵀu)² / max_x (xᵀu)² as a rational number, for the one direction y; u is in the features."""
    y = _one_direction(problem)
    assert y is not None
    rough = np.abs(problem.arms @ u)
    near = problem.arms[rough >= 0.999 * rough.max()]  # no other arm comes near the maximum
    [vector], _ = _integers(u[None])  # the bound is the same in any unit of u, and in one of arms and y
    rows, unit = _integers(near)
    most = max(abs(sum(map(mul, row, vector))) for row in rows)
    direction, other = y
    along = sum(map(mul, direction, vector))
    return Fraction(along, most) ** 2 * Fraction(2) ** (2 * (other - unit))


def rounded_up(value: Fraction) -> float:
    """The smallest double that is not below it."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def rounded_down(value: Fraction) -> float:
    """The largest double that is not above it."""
    near = float(value)
    return near if Fraction(near) <= value else math.nextafter(near, -math.inf)


def _one_direction(problem: DesignProblem) -> tuple[list[int], int] | None:
    """The longest direction, exactly, if it is unique: of two targets, or in R¹.

    As integers, in units of two to the power of the second number.
    """
    kept = problem.geometry.kept
    if problem.targets is None:
        return None
    if problem.d == 1:
        column = problem.targets[kept]
        ends = np.array([column[column[:, 0].argmax()], column[column[:, 0].argmin()]])
    elif len(kept) == 2:
        ends = problem.targets[kept]
    else:
        return None
    (one, other), unit = _integers(ends)
    return [a - b for a, b in zip(one, other, strict=True)], unit


def _integers(table: Floats) -> tuple[list[list[int]], int]:
    """The table in units of two to the power of the second number: exact."""
    mantissa, exponent = np.frexp(table)
    least = int(exponent[table != 0.0].min(initial=2000))
    shift = np.where(table != 0.0, exponent - least, 0)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    rows = zip(whole.tolist(), shift.tolist(), strict=True)
    return [[value << by for value, by in zip(*row, strict=True)] for row in rows], least - 53


def _coefficients(arms: Floats, y: list[int], unit: int) -> tuple[list[Fraction], Fraction] | None:
    """c and a divisor m with Σ c_x x = m·y exactly; None if there is no solution or more than one.

    By fraction-free elimination (Bareiss): every division is exact.
    """
    columns, own = _integers(arms.T)
    rows = [[*column, value] for column, value in zip(columns, y, strict=True)]
    count, last = len(arms), 1
    for place in range(count):
        pivot = next((i for i in range(place, len(rows)) if rows[i][place]), None)
        if pivot is None:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        top = rows[place]
        for i, row in enumerate(rows):
            if i != place:
                rows[i] = [(top[place] * a - row[place] * b) // last for a, b in zip(row, top, strict=True)]
        last = top[place]
    if any(row[count] for row in rows[count:]):
        return None
    return [Fraction(row[count]) for row in rows[:count]], last * Fraction(2) ** (own - unit)


@dataclass(frozen=True)
class LineDesign:
    """Weights, their value, and the vector u that gives the best bound."""

    weights: Floats
    value: float
    u: Floats


def line_design(arms: Floats, y: Floats) -> LineDesign | None:
    """Solve the design for ±y and its multiples; None if the program finds no solution.

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
    answer = _by_walk(rows, price, unit) or _by_program(rows, price, unit)
    if answer is None:
        return None
    rough, dual = answer
    used = np.flatnonzero(np.abs(rough) > 1e-11 * np.abs(rough).max())
    # HiGHS satisfies its equations to 1e-7; on the support found they have an exact solution.
    polished = np.zeros(len(arms))
    polished[seen[used]] = np.linalg.lstsq(rows[used].T, unit, rcond=None)[0] / sizes[seen[used]]
    duals = [dual]
    missing = np.sign(rough[used]) * price[used] - rows[used] @ duals[0]
    duals.append(duals[0] + np.linalg.lstsq(rows[used], missing, rcond=None)[0])
    return _proven(arms, unit, length, polished, duals)


def _by_walk(rows: Floats, price: Floats, unit: Floats) -> tuple[Floats, Floats] | None:
    """c and u from a walk along the edges of |xᵀu| ≤ price, uphill in yᵀu: the simplex method, a fraction of a ms.

    It begins at u = 0 and holds as many xᵀu as there are dimensions, of unit vectors as long as of no arms. Where c is
    not surely the only optimal one, or the walk does not end, None: then the program chooses.
    """
    d = len(unit)
    held, side, inverse = np.full(d, -1), np.zeros(d), np.eye(d)
    u, seen = np.zeros(d), np.zeros(len(rows))
    for _ in range(10 * d + 50):
        c = unit @ inverse
        gain = np.where(held < 0, np.abs(c), -side * c)
        leave = int(gain.argmax())
        if gain[leave] <= 1e-12 * np.abs(c).max():
            break
        way = np.sign(c[leave]) * inverse[:, leave]
        rate = rows @ way
        size = np.abs(rate)
        room = np.full(len(rows), np.inf)
        np.divide(price - np.sign(rate) * seen, size, out=room, where=size > 1e-11 * size.max())
        enter = int(room.argmin())
        length = max(float(room[enter]), 0.0)
        u, seen = u + length * way, seen + length * rate
        held[leave], side[leave] = enter, np.sign(rate[enter])
        row = rows[enter] @ inverse
        column = inverse[:, leave] / row[leave]
        row[leave] -= 1.0
        inverse = inverse - np.outer(column, row)
    else:
        return None
    arms = held >= 0
    weights = np.zeros(len(rows))
    weights[held[arms]] = c[arms]
    weights[np.abs(weights) <= 1e-11 * np.abs(c).max()] = 0.0
    # Every optimal c rests on arms at their price: one that does is the only one where these are independent.
    part = np.abs(rows @ u) / price
    near = rows[part >= 1.0 - 1e-9]
    sure = len(near) <= d and part.max() <= 1.0 + 1e-9 and np.linalg.cond(near) < 1e8
    return (weights, u) if sure and abs(unit @ u - price @ np.abs(weights)) <= 1e-9 * (unit @ u) else None


def _by_program(rows: Floats, price: Floats, unit: Floats) -> tuple[Floats, Floats] | None:
    """c and u of the linear program; None if it finds no solution."""
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
    return LineDesign(np.abs(c) / norm, norm**2 * length**2, duals[int(np.argmax(bounds))])
