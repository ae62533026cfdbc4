"""Check the certificate of a design: recompute both bounds in exact rational arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpz, fmpz_mat

from gems_engine.arrays import Floats, relative_gap
from gems_engine.formats.certificate_format import DesignCertificate

MERGED = Fraction(1001, 10**15)
"""Two targets may be merged if no entry differs by more than this fraction of its column's scale. The rule is 1e-12 in
double precision; the last digit covers rounding. docs/check_certificate.py uses the same value."""


class _Fails(Exception):
    """Why a certificate does not hold, as the second half of a sentence."""


@dataclass(frozen=True)
class Verdict:
    """The result of an exact check.

    Attributes
    ----------
    value
        The exact value of the weights, Σλ · max_y yᵀA(λ)⁻¹y; None if it could not be computed.
    bound
        The exact lower bound that the dual proves.
    failure
        Why the certificate does not hold, or None if it holds.
    """

    value: Fraction | None
    bound: Fraction | None
    failure: str | None

    @property
    def holds(self) -> bool:
        """Whether both stated bounds and the status follow."""
        return self.failure is None


def check_certificate(certificate: DesignCertificate) -> Verdict:
    """Recompute both bounds exactly and compare them with those of the certificate."""
    value = bound = None
    try:
        problem = _Problem.of(certificate)
        value = _value(problem, certificate.weights)
        bound = _bound(problem, certificate)
        _compare(certificate, value, bound)
    except _Fails as failure:
        return Verdict(value, bound, str(failure))
    return Verdict(value, bound, None)


def _compare(certificate: DesignCertificate, value: Fraction, bound: Fraction) -> None:
    if value > Fraction(certificate.upper_bound):
        raise _Fails("the exact value of the weights is above its upper bound")
    if bound < Fraction(certificate.lower_bound):
        raise _Fails("its dual proves less than its lower bound")
    lower, upper = certificate.lower_bound, certificate.upper_bound
    gap = relative_gap(upper, lower) if upper >= lower >= 0.0 else math.inf
    within = value <= (1 + Fraction(certificate.tolerance)) * bound and gap <= certificate.tolerance
    # Exactly equal bounds are stated as the doubles next to them.
    claims = {"certified": within, "exact": value == bound and gap <= 2.0**-51, "trivial": upper == lower == 0.0}
    if not claims.get(certificate.status, True):
        raise _Fails(f"its bounds do not show that the design is {certificate.status}")


@dataclass(frozen=True)
class _Problem:
    """Arms and points, as integers in a common unit; a direction is (points[i] − points[j]) / divisor."""

    arms: fmpz_mat
    points: fmpz_mat
    pairs: bool
    divisors: tuple[Fraction, ...]  # of the rows
    kept_at: dict[int, int]  # the positions of the targets that are not merged

    @staticmethod
    def of(certificate: DesignCertificate) -> _Problem:
        if not certificate.digest_holds:
            raise _Fails("the arms do not match its digest")
        if certificate.targets is not None:
            kept = _kept(certificate.targets, certificate.merged)
            arms, rows = _integers(certificate.arms, certificate.targets)
            points = [[a - b for a, b in zip(rows[i], rows[kept[0]], strict=True)] for i in kept]
            return _Problem(fmpz_mat(arms), fmpz_mat(points), True, (), {i: at for at, i in enumerate(kept)})
        assert certificate.plus is not None
        assert certificate.minus is not None
        assert certificate.divisors is not None
        divisors = tuple(Fraction(a) + Fraction(b) for a, b in certificate.divisors.tolist())
        if not all(divisors):
            raise _Fails(f"the divisor of row {divisors.index(Fraction(0))} is 0")
        arms, plus, minus = _integers(certificate.arms, certificate.plus, certificate.minus)
        return _Problem(fmpz_mat(arms), fmpz_mat(plus) - fmpz_mat(minus), False, divisors, {})


def _integers(*tables: Floats) -> list[list[list[int]]]:
    """The tables times the power of two that makes every entry an integer."""
    ratios = [[[x.as_integer_ratio() for x in row] for row in table.tolist()] for table in tables]
    power = max((q for table in ratios for row in table for _, q in row), default=1)
    return [[[p * (power // q) for p, q in row] for row in table] for table in ratios]


def _kept(targets: Floats, merged: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    gone = {i for i, _ in merged}
    largest = [MERGED * Fraction(each) for each in np.abs(targets).max(axis=0).tolist()]
    for i, k in merged:
        apart = zip(targets[i].tolist(), targets[k].tolist(), largest, strict=True)
        if k in gone or any(abs(Fraction(a) - Fraction(b)) > most for a, b, most in apart):
            raise _Fails(f"targets {i} and {k} are merged but are not equal within 1e-12 of a feature's scale")
    return tuple(i for i in range(len(targets)) if i not in gone)


def _solve(matrix: fmpz_mat, rights: fmpz_mat) -> tuple[fmpz_mat, fmpz, int]:
    """S and m ≠ 0 with matrix · S = m · rights, and the rank of the matrix."""
    both = fmpz_mat([[*a, *b] for a, b in zip(matrix.tolist(), rights.tolist(), strict=True)])
    reduced, m, _ = both.rref()
    width = matrix.ncols()
    rows = reduced.tolist()
    found = [[fmpz(0)] * rights.ncols() for _ in range(width)]
    rank = 0
    for row in rows:
        lead = next((k for k in range(width) if row[k] != 0), None)
        if lead is not None:
            found[lead] = row[width:]
            rank += 1
    solution = fmpz_mat(found)
    if matrix * solution != rights * m:
        raise _Fails("a direction is outside the span of the arms with positive weight, or of its basis")
    return solution, m, rank


def _value(problem: _Problem, weights: Floats) -> Fraction:
    """Σλ · max_y yᵀA(λ)⁻¹y."""
    [[shares]] = _integers(weights[None])
    if min(shares) < 0 or not any(shares):
        raise _Fails("a weight is negative, or all are 0")
    weighted = fmpz_mat([[share * x for x in row] for share, row in zip(shares, problem.arms.tolist(), strict=True)])
    solution, m, _ = _solve(problem.arms.transpose() * weighted, problem.points.transpose())
    products = (problem.points * solution).tolist()
    squares = [row[i] for i, row in enumerate(products)]
    if problem.pairs:
        sign = 1 if m > 0 else -1
        longest = max(
            sign * (squares[i] + squares[j] - 2 * row[j]) for i, row in enumerate(products) for j in range(i + 1)
        )
        return sum(shares) * Fraction(int(longest), abs(int(m)))
    lengths = (Fraction(int(square), int(m)) / q**2 for square, q in zip(squares, problem.divisors, strict=True))
    return sum(shares) * max(lengths)


def _bound(problem: _Problem, certificate: DesignCertificate) -> Fraction:
    """(Σ w yᵀu)² / (Σ w · max_x Σ w (xᵀu)²); 0 if that is undefined, which is a valid bound too."""
    arms, points = problem.arms, problem.points
    if certificate.basis is not None:
        arms, points = _in_basis(problem, certificate.basis)
    [w], u = _integers(certificate.w[None], certificate.u)
    if any(each < 0 for each in w):
        raise _Fails("a weight of its dual is negative")
    if not any(w):
        return Fraction(0)
    vectors = fmpz_mat(u).transpose()
    most = max(
        sum((each * p * p for each, p in zip(w, row, strict=True)), fmpz(0)) for row in (arms * vectors).tolist()
    )
    products = (points * vectors).tolist()
    along = Fraction(0)
    for column, each in enumerate(w):
        along += each * _product(problem, products, certificate.directions[column], column)
    return along**2 / int(most * sum(w)) if most else Fraction(0)


def _product(problem: _Problem, products: list[list[fmpz]], key: tuple[int, int] | int, column: int) -> Fraction:
    """yᵀu for an entry of the dual."""
    if not isinstance(key, tuple):
        return Fraction(int(products[key][column])) / problem.divisors[key]
    if not problem.kept_at.keys() >= set(key):
        raise _Fails(f"its dual uses the difference of targets {key[0]} and {key[1]}, of which one is merged")
    i, j = (problem.kept_at[each] for each in key)
    return Fraction(int(products[i][column] - products[j][column]))


def _in_basis(problem: _Problem, basis: tuple[int, ...]) -> tuple[fmpz_mat, fmpz_mat]:
    """Arms and points in coordinates of the basis, times a common integer."""
    rows = problem.arms.tolist()
    chosen = fmpz_mat([rows[b] for b in basis]) if basis else fmpz_mat(0, problem.arms.ncols())
    every = fmpz_mat([*rows, *problem.points.tolist()])
    coordinates, _, rank = _solve(chosen.transpose(), every.transpose())
    if rank != len(basis):
        raise _Fails("the arms of its basis are not independent")
    found = coordinates.transpose().tolist()
    return fmpz_mat(found[: len(rows)]), fmpz_mat(found[len(rows) :])
