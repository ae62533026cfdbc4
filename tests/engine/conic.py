"""The optimum of a design by an independent conic solver (Clarabel), from its formulation with second-order cones.

yᵀA(λ)⁻¹y is the least Σ_x c_x²/λ_x with Σ c_x x = y, so the optimum is the least t with Σ_x s_xy ≤ t, c_xy² ≤ s_xy λ_x.
"""

import clarabel
import numpy as np
from scipy import sparse


def conic_optimum(arms: np.ndarray, directions: np.ndarray) -> float:
    """The optimum to about eight digits, for well-scaled problems."""
    n, m = len(arms), len(directions)
    size = 1 + n + 2 * n * m  # t, λ, then c and s for every direction and arm
    at_c = 1 + n + np.arange(n * m).reshape(m, n)
    at_s = at_c + n * m
    rows: list[tuple[dict[int, float], float]] = [({1 + x: 1.0 for x in range(n)}, 1.0)]
    for y in range(m):
        for k in range(arms.shape[1]):
            rows.append(({int(at_c[y, x]): float(arms[x, k]) for x in range(n)}, float(directions[y, k])))
    cones = [clarabel.ZeroConeT(len(rows))]
    rows += [({0: -1.0, **{int(at_s[y, x]): 1.0 for x in range(n)}}, 0.0) for y in range(m)]
    cones.append(clarabel.NonnegativeConeT(m))
    for y in range(m):
        for x in range(n):  # ‖(2c, s − λ)‖ ≤ s + λ
            c, s, share = int(at_c[y, x]), int(at_s[y, x]), 1 + x
            rows += [({s: -1.0, share: -1.0}, 0.0), ({c: -2.0}, 0.0), ({s: -1.0, share: 1.0}, 0.0)]
            cones.append(clarabel.SecondOrderConeT(3))
    return _solved(rows, cones, size)


def _solved(rows, cones, size: int) -> float:
    entries = [(i, j, value) for i, (row, _) in enumerate(rows) for j, value in row.items()]
    i, j, values = zip(*entries, strict=True)
    table = sparse.csc_matrix((values, (i, j)), shape=(len(rows), size))
    cost = np.zeros(size)
    cost[0] = 1.0
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    right = np.array([value for _, value in rows])
    answer = clarabel.DefaultSolver(sparse.csc_matrix((size, size)), cost, table, right, cones, settings).solve()
    assert "Solved" in str(answer.status), answer.status
    return float(answer.obj_val)
