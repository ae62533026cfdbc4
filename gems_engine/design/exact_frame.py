"""Arms and directions in the norm of given weights, by ball arithmetic, where doubles are not accurate enough.

In a basis that begins with arms with weight and continues with others, A(λ) is regular on the first part, every
direction is known to the last digit, and a direction is lost if and only if a later coordinate is not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers
from gems_engine.design import balls
from gems_engine.design.problem import DesignProblem

_Extended = tuple[Integers, Integers, int, Integers, np.ndarray]


@dataclass(frozen=True, eq=False)
class ExactFrame:
    """What :class:`NormFrame` has, rounded once.

    Attributes
    ----------
    arms, points
        In coordinates in which the norm of A(λ)⁻¹ is the length; points in the geometry's unit.
    blind
        The arms' later coordinates, those of arms with weight zero.
    lift
        From such coordinates of A⁻¹y to u in the coordinates of the problem's frame.
    groups
        Directions between points of different groups are lost; of a list, those with a group other than 0.
    restoring
        Arms that together restore all lost directions; none of them can be left out.
    """

    arms: Floats
    points: Floats
    blind: Floats
    lift: Floats
    groups: Integers
    restoring: Integers

    @staticmethod
    def of(problem: DesignProblem, share: Floats) -> ExactFrame:
        """Find the basis, and go on to higher precision until every length is known."""
        clock.load("flint")
        used = np.flatnonzero(share)
        known: dict[bytes, _Extended] = problem.__dict__.setdefault("_extended", {})
        if used.tobytes() not in known:
            basis = balls.extended_basis(problem.arms, used)
            known[used.tobytes()] = *basis, *_lost(problem, *basis)
        arms, columns, rank, groups, needed = known[used.tobytes()]
        for bits in balls.PRECISIONS:
            with balls.workprec(bits):
                found = _rounded(problem, share, arms, columns, rank)
            if found is not None:
                return ExactFrame(*found, groups, np.sort(arms[rank:][needed]))
        raise balls.not_told()


PRIMES = (2**61 - 1, 2**64 - 59, 2**63 - 25)
"""Numbers that differ modulo one of these differ; that they do not is checked. One is always enough, nearly."""


def _lost(problem: DesignProblem, arms: Integers, columns: Integers, rank: int) -> tuple[Integers, np.ndarray]:
    """The groups, and which of the basis' later arms some direction needs: exactly.

    Coordinates modulo a prime tell what differs, and exact ranks that the rest does not.
    """
    kept = problem.geometry.kept
    count = len(arms)
    if rank == count:
        return np.zeros(len(kept), dtype=np.int64), np.zeros(0, dtype=bool)
    plus, minus, _ = problem.parts(kept)
    table = balls.whole_numbers(np.vstack([problem.arms[arms], plus, minus])[:, columns])
    basis, upper, lower = table[:count], table[count : count + len(kept)], table[count + len(kept) :]
    rows = [[a - b for a, b in zip(*pair, strict=True)] for pair in zip(upper, lower, strict=True)]
    for prime in PRIMES:
        found = _modulo(prime, basis, rows, rank)
        if found is None:
            continue
        known: dict[tuple[int, ...], int] = {(0,) * (count - rank): -1}
        leaders = [known.setdefault(each, at) for at, each in enumerate(found)]
        differences = [
            row if leader < 0 else [a - b for a, b in zip(row, rows[leader], strict=True)]
            for at, (row, leader) in enumerate(zip(rows, leaders, strict=True))
            if leader != at
        ]
        needed = np.array(found, dtype=object).any(axis=0).astype(bool)
        enough = [*basis[:rank], *(row for row, wanted in zip(basis[rank:], needed, strict=True) if wanted)]
        if balls.exact_rank([*basis[:rank], *differences]) == rank and _spans(enough, rows):
            return np.array(leaders, dtype=np.int64) + 1, needed
    raise balls.not_told()


def _spans(basis: list[list[int]], rows: list[list[int]]) -> bool:
    return balls.exact_rank([*basis, *rows]) == len(basis)


def _modulo(prime: int, basis: list[list[int]], rows: list[list[int]], rank: int) -> list[tuple[int, ...]] | None:
    """The later coordinates of rows in the basis; None where the prime divides a denominator."""
    from flint import nmod_mat

    try:
        found = nmod_mat(rows, prime) * nmod_mat(basis, prime).inv()
    except ZeroDivisionError:
        return None
    return [tuple(int(each) for each in row[rank:]) for row in found.tolist()]


def _rounded(
    problem: DesignProblem, share: Floats, basis: Integers, columns: Integers, rank: int
) -> tuple[Floats, Floats, Floats, Floats] | None:
    """Arms, points, blind parts and lift with the current bits; None where these do not suffice."""
    from flint import arb, arb_mat

    geometry = problem.geometry
    kept, used = geometry.kept, np.flatnonzero(share)
    count, dimension = len(problem.arms), len(basis)
    inverse = balls.inverse(balls.balls(problem.arms[np.ix_(basis, columns)]))
    if inverse is None:
        return None
    table = (balls.balls(problem.arms[:, columns]) * inverse).tolist()
    for at, arm in enumerate(basis.tolist()):
        table[arm] = [arb(int(at == j)) for j in range(dimension)]
    blind = _blind([row[rank:] for row in table], used)
    if not rank:
        return np.zeros((count, 0)), np.zeros((len(kept), 0)), blind, np.zeros((0, dimension))
    seen = arb_mat([row[:rank] for row in table])
    own = [seen.tolist()[arm] for arm in used.tolist()]
    weighted = arb_mat([[entry * arb(weight) for entry in row] for row, weight in zip(own, share[used], strict=True)])
    lower = balls.cholesky(arb_mat(own).transpose() * weighted)
    inverted = None if lower is None else balls.inverse(lower)
    if inverted is None:
        return None
    root = inverted.transpose()
    plus, minus, divisors = problem.parts(kept)
    rows = (balls.balls(plus[:, columns]) - balls.balls(minus[:, columns])) * inverse
    scales = [arb(geometry.unit)] * len(kept)
    if divisors is not None:
        scales = [unit * (arb(one) + arb(other)) for unit, (one, other) in zip(scales, divisors.tolist(), strict=True)]
    rows = arb_mat([[each / by for each in row[:rank]] for row, by in zip(rows.tolist(), scales, strict=True)])
    arms, points = balls.enclosed(seen * root), balls.enclosed(rows * root)
    if not (_is_close(arms, used) and _is_close(points, np.arange(0))):
        return None
    return arms.middle, points.middle, blind, _lift(problem, basis, root)


def _blind(rows: list[list[Any]], used: Integers) -> Floats:
    """Later coordinates in units of the largest of each column."""
    from flint import arb_mat

    if not rows[0]:
        return np.zeros((len(rows), 0))
    columns = [arb_mat([[row[j]] for row in rows]) for j in range(len(rows[0]))]
    parts = [balls.enclosed_entries(balls.times_powers(each, [-balls.largest_exponent(each)])) for each in columns]
    found = np.column_stack([np.where(np.abs(middle) <= radius, 0.0, middle) for middle, radius in parts])
    found[used] = 0.0
    return found


def _is_close(table: balls.Enclosed, used: Integers) -> bool:
    """Whether the radii are negligible: next to the row and to all rows, or to the shortest of some."""
    size = np.abs(table.middle).max(axis=1, initial=0.0)
    if not np.isfinite(size).all():
        return True  # too large to be a double, however many bits it has
    some = size[used] if len(used) else size.max(keepdims=True)
    floor = float(some[some > 0.0].min(initial=np.inf))
    return bool((table.floor <= balls.CLOSE * np.maximum(size, floor) + balls.UNDERFLOW).all())


def _lift(problem: DesignProblem, basis: Integers, root: Any) -> Floats:
    """Zeros where the frame's own coordinates do not tell the basis apart: then nothing is proven with them."""
    frame = problem.geometry.frame
    assert frame is not None
    from flint import arb_mat

    rank = root.nrows()
    back = balls.inverse(balls.balls(frame.arms[basis]))
    if back is None:
        return np.zeros((rank, frame.arms.shape[1]))
    found = arb_mat([row[:rank] for row in back.tolist()]) * root
    middle = balls.enclosed(balls.times_powers(found, [-balls.largest_exponent(found)] * rank)).middle
    return np.ascontiguousarray(middle.T)
