"""Designs in exact rational arithmetic (FLINT's fmpq), by other formulas than the engine and the checker use.

Values go through a principal submatrix of A(λ) of full rank instead of a solve; duals with a basis go back to
vectors in feature coordinates instead of coordinates in the basis; closed forms where they are known.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
from flint import fmpq, fmpq_mat, fmpz


def rational(x) -> fmpq:
    if isinstance(x, Fraction):
        return fmpq(x.numerator, x.denominator)
    p, q = float(x).as_integer_ratio()
    return fmpq(fmpz(p), fmpz(q))


def matrix(rows) -> fmpq_mat:
    return fmpq_mat([[rational(x) for x in row] for row in rows])


def fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


def exact_directions(problem) -> dict:
    """Every direction of a design problem by its key, as a 1 × d matrix; of a pair and its reverse both."""
    if problem.targets is not None:
        kept = [int(i) for i in problem.geometry.kept]
        rows = {i: matrix(problem.targets[i : i + 1]) for i in kept}
        return {(i, j): rows[i] - rows[j] for i in kept for j in kept if i != j}
    if problem.plus is None:
        return {i: matrix([row]) for i, row in enumerate(problem.directions)}
    quotients = zip(problem.plus, problem.minus, problem.divisors, strict=True)
    return {
        i: (matrix([plus]) - matrix([minus])) / (rational(a) + rational(b))
        for i, (plus, minus, (a, b)) in enumerate(quotients)
    }


def pivots(table: fmpq_mat) -> list[int]:
    """Columns that are independent and span the others."""
    reduced, rank = table.rref()
    return [next(k for k in range(table.ncols()) if reduced[i, k] != 0) for i in range(rank)]


def picked(table: fmpq_mat, rows, columns) -> fmpq_mat:
    return fmpq_mat([[table[i, j] for j in columns] for i in rows])


def information(arms, weights) -> fmpq_mat:
    x = matrix(arms)
    scaled = matrix([[rational_product(w, entry) for entry in row] for w, row in zip(weights, arms, strict=True)])
    return x.transpose() * scaled


def rational_product(a, b) -> Fraction:
    return Fraction(float(a)) * Fraction(float(b))


def exact_value(problem, weights) -> Fraction | None:
    """Σλ · max_y yᵀA(λ)⁻¹y, or None where a direction is not in the range of A(λ): there it is infinite."""
    weights = [float(w) for w in weights]
    assert min(weights) >= 0.0
    assert sum(weights) > 0.0
    a = information(problem.arms, weights)
    rows = list(range(problem.d))
    base = pivots(a)
    if not base:
        return None if any(y != y * 0 for y in exact_directions(problem).values()) else Fraction(0)
    inverse = picked(a, base, base).inv()  # of a principal submatrix: A is positive semidefinite
    back = picked(a, rows, base) * inverse
    longest = fmpq(0)
    for y in exact_directions(problem).values():
        part = fmpq_mat([[y[0, k] for k in base]]).transpose()
        if back * part != y.transpose():
            return None
        longest = max(longest, (part.transpose() * inverse * part)[0, 0])
    return fraction(longest) * sum(map(Fraction, weights))


def exact_lower(problem, dual) -> Fraction:
    """(Σ w yᵀu)² / (Σ w · max_x Σ w (xᵀu)²), the lower bound that a dual proves."""
    if not len(dual.keys) or not np.any(dual.weights):
        return Fraction(0)
    assert np.min(dual.weights) >= 0.0
    w = [rational(each) for each in dual.weights]
    u = [matrix([row]) for row in dual.vectors]
    if dual.basis is not None:
        u = [_from_basis(problem.arms, dual.basis, row) for row in dual.vectors]
    directions = exact_directions(problem)
    along = sum(
        (a * (directions[key] * v.transpose())[0, 0] for a, key, v in zip(w, dual.keys, u, strict=True)), fmpq(0)
    )
    seen = [
        sum((a * (x * v.transpose())[0, 0] ** 2 for a, v in zip(w, u, strict=True)), fmpq(0))
        for x in map(_row, problem.arms)
    ]
    most = max(seen) * sum(w, fmpq(0))
    return fraction(along**2 / most) if most != 0 else Fraction(0)


def _row(x) -> fmpq_mat:
    return matrix([x])


def _from_basis(arms, basis, products) -> fmpq_mat:
    """A vector u whose products with the arms of the basis are these."""
    chosen = matrix([arms[int(b)] for b in basis])
    assert chosen.rank() == len(basis) == matrix(arms).rank()
    columns = pivots(chosen)
    part = picked(chosen, range(len(basis)), columns).inv() * matrix([[p] for p in products])
    u = fmpq_mat(1, chosen.ncols())
    for at, k in enumerate(columns):
        u[0, k] = part[at, 0]
    return u


def line_optimum(arms, y) -> Fraction | None:
    """Closed form for one direction (Elfving): the square of the least Σ|c| with Σ c_x x = y; by all bases."""
    x, right = matrix(arms).transpose(), matrix([y]).transpose()
    rank = x.rank()
    costs = []
    for columns in combinations(range(len(arms)), rank):
        part = picked(x, range(x.nrows()), columns)
        if part.rank() < rank:
            continue
        rows = pivots(part.transpose())
        c = picked(part, rows, range(rank)).inv() * picked(right, rows, [0])
        if part * c == right:
            costs.append(sum((abs(c[i, 0]) for i in range(rank)), fmpq(0)) ** 2)
    return fraction(min(costs)) if costs else None
