"""The exact design where all directions are multiples of one: a linear program (Elfving).

min ‖c‖₁ with Xᵀc = y; λ = |c|/‖c‖₁ and the value is ‖c‖₁². Its dual, max yᵀu with |xᵀu| ≤ 1, proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats


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
    from scipy.optimize import linprog  # here: a window shows its forms before it needs to load this

    answer = linprog(np.tile(price, 2), A_eq=np.vstack([rows, -rows]).T, b_eq=unit, bounds=(0, None), method="highs-ds")
    if answer.x is None:
        return None
    rough = answer.x[: len(seen)] - answer.x[len(seen) :]
    used = np.flatnonzero(np.abs(rough) > 1e-11 * np.abs(rough).max())
    # HiGHS meets its equations to 1e-7; on the support it found they have an exact solution.
    polished = np.zeros(len(arms))
    polished[seen[used]] = np.linalg.lstsq(rows[used].T, unit, rcond=None)[0] / sizes[seen[used]]
    duals = [np.asarray(answer.eqlin.marginals, dtype=float)]
    missing = np.sign(rough[used]) * price[used] - rows[used] @ duals[0]
    duals.append(duals[0] + np.linalg.lstsq(rows[used], missing, rcond=None)[0])
    return _proven(arms, unit, length, polished, duals)


def _proven(arms: Floats, unit: Floats, length: float, c: Floats, duals: list[Floats]) -> LineDesign | None:
    off = float(np.abs(arms.T @ c - unit).max())
    norm = float(np.abs(c).sum())
    bounds = [float(unit @ u) ** 2 / float(np.max((arms @ u) ** 2)) for u in duals if (arms @ u).any()]
    if off > 1e-9 or not bounds or not np.isfinite(norm):
        return None
    best = int(np.argmax(bounds))
    return LineDesign(np.abs(c) / norm, norm**2 * length**2, min(bounds[best], norm**2) * length**2, duals[best])
