"""The exact design where all directions are multiples of one: a linear program (Elfving).

min ‖c‖₁ with Xᵀc = y; λ = |c|/‖c‖₁ and the value is ‖c‖₁². Its dual, max yᵀu with |xᵀu| ≤ 1, proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from gems_engine.arrays import Floats


@dataclass(frozen=True)
class LineDesign:
    """Weights, value, proven lower bound and the vector u that proves it."""

    weights: Floats
    value: float
    lower: float
    u: Floats


def line_design(arms: Floats, y: Floats) -> LineDesign:
    """Solve the design for ±y and its multiples; `arms` have full column rank."""
    length = float(np.linalg.norm(y))
    unit = y / length
    if arms.shape[1] == 1:
        c = np.zeros(len(arms))
        best = int(np.abs(arms[:, 0]).argmax())
        c[best] = unit[0] / arms[best, 0]
        u = np.sign(unit) / np.abs(arms[best, 0])
        return _proven(arms, unit, length, c, [u])
    both = np.vstack([arms, -arms]).T
    answer = linprog(np.ones(both.shape[1]), A_eq=both, b_eq=unit, bounds=(0, None), method="highs-ds")
    if answer.x is None:
        raise ArithmeticError(f"the linear program of a line design failed: {answer.message}")
    rough = answer.x[: len(arms)] - answer.x[len(arms) :]
    support = np.flatnonzero(np.abs(rough) > 1e-9 * np.abs(rough).max())
    # HiGHS meets its equations to 1e-7; on the support it found they have an exact solution.
    polished = np.zeros(len(arms))
    polished[support] = np.linalg.lstsq(arms[support].T, unit, rcond=None)[0]
    duals = [np.asarray(answer.eqlin.marginals, dtype=float)]
    duals.append(
        duals[0] + np.linalg.lstsq(arms[support], np.sign(rough[support]) - arms[support] @ duals[0], rcond=None)[0]
    )
    return _proven(arms, unit, length, polished, duals)


def _proven(arms: Floats, unit: Floats, length: float, c: Floats, duals: list[Floats]) -> LineDesign:
    off = float(np.abs(arms.T @ c - unit).max())
    norm = float(np.abs(c).sum())
    value = norm**2 if off <= 1e-9 else np.inf
    bounds = [float(unit @ u) ** 2 / float(np.max((arms @ u) ** 2)) for u in duals]
    best = int(np.argmax(bounds))
    return LineDesign(np.abs(c) / norm, value * length**2, min(bounds[best], value) * length**2, duals[best])
