"""The w on the active directions that makes the largest G_x smallest: a linear program whose columns are generated.

A column is a direction y with an n in the null space of A(λ); its entries are (xᵀu)² for u = A⁺y + n. The dual
variables are multipliers μ of the arms. For given μ the best column of each y is a least-squares problem, so that
nothing is ever listed: 1,000 independent arms have 499,500 directions of the same length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.active import ActiveDirections
from gems_engine.design.norm_frame import NormFrame

ROUNDS = 200
"""Of generating columns, at most; fewer give a w that is not quite the best."""
_FEW = 300  # directions, with one more for each arm, that are taken at once
_ENOUGH = 1e-6  # how far the program may be from its optimum, in parts of it
_DUST = 1e-12
_SPARSE = 0.1  # part of the entries below which only those that are not zero are stored


@dataclass(frozen=True)
class Minimax:
    """Keys of directions with their w, G_x under them, and the multipliers μ of the arms; w and μ sum to one."""

    keys: Integers
    w: Floats
    seen: Floats
    mu: Floats


def least_largest(frame: NormFrame, active: ActiveDirections, rounds: int = ROUNDS) -> Minimax:
    """Minimise the largest G_x over w (and n where A is singular)."""
    columns = _Columns.of(frame, active, _start(frame, active))
    best, proven = np.zeros(len(frame.arms)), -np.inf
    for _ in range(rounds):
        t, w, mu = _solve(columns.table)
        response, left = frame.response(mu)
        keys, squares = active.shortest(left)
        if squares.min() > proven:
            best, proven = mu, float(squares.min())
        if proven >= t * (1.0 - _ENOUGH):
            break
        cheap = np.argsort(squares, kind="stable")[: len(frame.arms) + _FEW]
        columns.add(keys[cheap[squares[cheap] < t * (1.0 - _ENOUGH)]], response)
    keys, w, seen = columns.merged(np.pad(w, (0, len(columns.keys) - len(w))))
    return Minimax(keys, w, seen, best)


def _start(frame: NormFrame, active: ActiveDirections) -> Integers:
    """All active directions where they are few; else some that cover the arms, the longest among them."""
    keys = active.keys
    if keys is None or len(keys) > _FEW + len(frame.arms):
        keys = active.some(frame.initial())
    return np.union1d(keys, [frame.longest]).astype(np.int64)


@dataclass
class _Columns:
    """The columns so far: directions by key with their n, and (xᵀu)² of every arm."""

    frame: NormFrame
    active: ActiveDirections
    keys: Integers
    parts: Floats
    table: Floats

    @staticmethod
    def of(frame: NormFrame, active: ActiveDirections, keys: Integers) -> _Columns:
        parts = np.zeros((len(keys), frame.blind.shape[1]))
        return _Columns(frame, active, keys, parts, frame.seen(active.vectors(keys), parts))

    def add(self, keys: Integers, response: Floats) -> None:
        rows = self.active.vectors(keys)
        parts = rows @ response
        self.keys = np.concatenate([self.keys, keys])
        self.parts = np.vstack([self.parts, parts])
        self.table = np.hstack([self.table, self.frame.seen(rows, parts)])

    def merged(self, w: Floats) -> tuple[Integers, Floats, Floats]:
        """Keys with their w, and G_x: several n of one direction become their mean, which no arm sees more of."""
        some = w > 0.0
        keys, place = np.unique(self.keys[some], return_inverse=True)
        total = np.asarray(np.bincount(place, w[some]), dtype=np.float64)
        parts = np.zeros((len(keys), self.parts.shape[1]))
        np.add.at(parts, place, w[some, None] * self.parts[some])
        seen = self.frame.seen(self.active.vectors(keys), parts / total[:, None])
        return keys, total, np.asarray(seen @ total)


def _solve(table: Floats) -> tuple[float, Floats, Floats]:
    """The least largest entry of table·w over the simplex, w, and the multipliers of the rows."""
    if table.shape[1] == 1:
        return _best_column(table)
    from scipy.optimize import linprog  # here: a window shows its forms before it needs to load this

    scale = float(table.max(axis=0).min()) or 1.0
    count = table.shape[1]
    answer = linprog(
        np.append(np.zeros(count), 1.0),
        A_ub=_matrix(np.hstack([table / scale, np.full((len(table), 1), -1.0)])),
        b_ub=np.zeros(len(table)),
        A_eq=_matrix(np.append(np.ones(count), 0.0)[None, :]),
        b_eq=np.ones(1),
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if answer.x is None:
        return _best_column(table)
    w = _tidy(answer.x[:count])
    return float((table @ w).max()), w, _tidy(-answer.ineqlin.marginals)


def _tidy(values: Floats) -> Floats:
    """On the simplex, without what is there by rounding only."""
    some = np.where(values > _DUST, values, 0.0)
    return np.asarray(some / some.sum())


def _best_column(table: Floats) -> tuple[float, Floats, Floats]:
    """The same where only one column is used."""
    w, mu = np.zeros(table.shape[1]), np.zeros(len(table))
    best = int(table.max(axis=0).argmin())
    w[best] = mu[int(table[:, best].argmax())] = 1.0
    return float(table[:, best].max()), w, mu


def _matrix(rows: Floats) -> Any:
    from scipy.sparse import csr_array

    return csr_array(rows) if np.count_nonzero(rows) < _SPARSE * rows.size else rows
