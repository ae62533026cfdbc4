"""How far rewards are from linear in the first d coordinates: γ̃(d), θ⋆^d and η_d (section 6).

γ̃(d) is a Chebyshev fit, a linear program. It is solved in an orthonormal basis of the nested feature columns and on the
residuals of least squares, so that neither badly scaled features nor large rewards with a small γ̃ cost digits; a dual
vector bounds the distance to the optimum.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gems_engine.arrays import Floats, frozen
from gems_engine.blas import one_blas_thread

if TYPE_CHECKING:
    from gems_engine.instance import Instance

EXACT = 1e-9
"""A fit whose largest residual is at most this fraction of the largest reward is exact."""

_DEPENDENT = 1e-12  # a column that others explain up to this fraction of its norm adds no dimension

_MOST_ENTRIES = 100_000  # of a table for whose fit alone a linear program is solved: it takes a second


@dataclass(frozen=True, eq=False)
class Level:
    """The misspecification in R^d.

    Attributes
    ----------
    gamma_tilde : float
        γ̃(d): the largest residual of ``theta``, an upper bound on the optimum; exactly 0 for an exact fit.
    theta : array of shape (d,)
        θ⋆^d, a parameter that attains it.
    residuals : array of shape (m,)
        η_d = h − ⟨θ⋆^d, ψ_d(·)⟩ for every row.
    lower_bound : float
        No parameter of R^d does better, up to rounding; ``certificate`` proves it.
    certificate : array of shape (m,)
        Weights μ, orthogonal to every feature column, with ‖μ‖₁ ≤ 1: ⟨μ, h⟩ bounds every fit from below.
    """

    gamma_tilde: float
    theta: Floats
    residuals: Floats
    lower_bound: float
    certificate: Floats

    @property
    def d(self) -> int:
        """The dimension of the fit."""
        return int(self.theta.size)

    @property
    def gap(self) -> float:
        """How far ``gamma_tilde`` may be above the optimum, relative to it."""
        return 0.0 if self.gamma_tilde == 0 else max(0.0, 1 - self.lower_bound / self.gamma_tilde)


class NestedBasis:
    """Orthonormal bases of the first 1, 2, … columns of a feature table, each extending the previous one.

    Gram–Schmidt, twice for each column, on columns scaled to size 1; a column that the earlier ones explain is omitted,
    and its coefficient is 0. Householder QR would invent a direction for it.
    """

    def __init__(self, features: Floats) -> None:
        m, D = features.shape
        size = np.abs(features).max(axis=0, initial=0.0)
        self.scale: Floats = np.where(size > 0, size, 1.0)
        scaled = features / self.scale
        self.vectors: Floats = np.zeros((m, min(m, D)), order="F")
        self.triangle: Floats = np.zeros((min(m, D), min(m, D)))
        self.kept: list[int] = []
        self._rank: list[int] = []
        for j in range(D):
            self._add(j, scaled[:, j])
            self._rank.append(len(self.kept))

    def _add(self, j: int, column: Floats) -> None:
        p = len(self.kept)
        norm = float(np.linalg.norm(column))
        if norm == 0 or p == self.vectors.shape[1]:
            return
        known = self.vectors[:, :p]
        first = known.T @ column
        rest = column - known @ first
        second = known.T @ rest
        rest = rest - known @ second
        left = float(np.linalg.norm(rest))
        if left <= _DEPENDENT * norm:
            return
        self.vectors[:, p] = rest / left
        self.triangle[:p, p] = first + second
        self.triangle[p, p] = left
        self.kept.append(j)

    def rank(self, d: int) -> int:
        """Dimension of the space that the first d columns span."""
        return self._rank[d - 1] if d else 0

    def of(self, d: int) -> Floats:
        """Orthonormal basis of the first d columns."""
        return self.vectors[:, : self.rank(d)]

    def theta(self, coefficients: Floats, d: int) -> Floats:
        """The parameter of R^d whose rewards have these coefficients in the basis."""
        p = coefficients.size
        theta = np.zeros(d)
        if p:
            kept = self.kept[:p]
            theta[kept] = np.linalg.solve(self.triangle[:p, :p], coefficients) / self.scale[kept]
        return theta


def intrinsic_dimension(features: Floats, rewards: Floats) -> int | None:
    """The smallest d in which the rewards are linear up to 1e-9 of their size, or None."""
    basis = NestedBasis(features)
    scale = float(np.abs(rewards).max(initial=0.0))
    left, used = rewards.copy(), 0
    for d in range(1, features.shape[1] + 1):
        for j in range(used, basis.rank(d)):
            vector = basis.vectors[:, j]
            left = left - vector * (vector @ left)
        used = basis.rank(d)
        if np.abs(left).max(initial=0.0) <= EXACT * scale:
            return d
    return None


@one_blas_thread()
def misspecification_curve(instance: "Instance") -> tuple[Level, ...]:
    """γ̃(1), …, γ̃(D) over the rows of 𝒳 ∪ 𝒵, non-increasing (proposition in section 6)."""
    features, rewards = instance.union
    basis = NestedBasis(features)
    levels: list[Level] = []
    for d in range(1, instance.D + 1):
        before = levels[-1] if levels else None
        if instance.theta is not None and instance.d_star is not None and d >= instance.d_star:
            level = _exact(instance.theta[:d], rewards.size)
        elif before is not None and before.gamma_tilde == 0:
            level = _exact(np.append(before.theta, 0.0), rewards.size)
        elif before is not None and basis.rank(d) == basis.rank(d - 1):
            level = _widened(before)  # the new column adds nothing
        else:
            level = _level(basis, features, rewards, d)
            if before is not None and level.gamma_tilde > before.gamma_tilde:
                level = _widened(before, level)
        levels.append(level)
    return tuple(levels)


@one_blas_thread()
def misspecification_in_full(instance: "Instance") -> Level:
    """γ̃(D) alone. For a large table, the fit is that of least squares, and only the bounds of the level hold."""
    features, rewards = instance.union
    if instance.theta is not None:
        return _exact(instance.theta, rewards.size)
    return _level(NestedBasis(features), features, rewards, instance.D, features.size <= _MOST_ENTRIES)


def _exact(theta: Floats, rows: int) -> Level:
    return Level(0.0, frozen(theta), frozen(np.zeros(rows)), 0.0, frozen(np.zeros(rows)))


def _widened(before: Level, bound: Level | None = None) -> Level:
    """The fit of d − 1 used in d, so that rounding does not make γ̃ grow. The certificate is that of d."""
    proof = bound or before
    theta = frozen(np.append(before.theta, 0.0))
    return Level(before.gamma_tilde, theta, before.residuals, proof.lower_bound, proof.certificate)


def _level(basis: NestedBasis, features: Floats, rewards: Floats, d: int, best: bool = True) -> Level:
    vectors = basis.of(d)
    coefficients = vectors.T @ rewards
    left = rewards - vectors @ coefficients
    correction = vectors.T @ left
    coefficients, left = coefficients + correction, left - vectors @ correction
    size = float(np.abs(left).max())
    if size <= EXACT * float(np.abs(rewards).max()):
        return _exact(basis.theta(coefficients, d), rewards.size)

    # Least squares is a fit, and its residual, orthogonal to the features, is a certificate. The linear program
    # improves both; its result is checked here, so a poor one only leads to a wider gap.
    fits, proofs = [coefficients], [left / size]
    solution = _chebyshev(vectors, left / size) if best else None
    if solution is not None:
        step, weights = solution
        fits.append(coefficients + size * step)
        proofs.append(weights)
    level: Level | None = None
    lower, certificate = 0.0, np.zeros(rewards.size)
    for weights in proofs:
        weights = weights - vectors @ (vectors.T @ weights)
        weights = weights - vectors @ (vectors.T @ weights)
        norm = float(np.abs(weights).sum())
        if norm > 0 and (bound := abs(float(weights @ left)) / norm) > lower:
            lower, certificate = bound, weights * (np.sign(weights @ left) / norm)
    for fit in fits:
        theta = basis.theta(fit, d)
        residuals = rewards - features[:, :d] @ theta
        value = float(np.abs(residuals).max())
        if level is None or value < level.gamma_tilde:
            level = Level(value, frozen(theta), frozen(residuals), min(lower, value), frozen(certificate))
    assert level is not None
    return level


def _chebyshev(vectors: Floats, left: Floats) -> tuple[Floats, Floats] | None:
    """Best step and dual weights for min over c of ‖left − V c‖_∞, or None if HiGHS finds none.

    Solved in its dual form, max ⟨left, u − v⟩ with Vᵀ(u − v) = 0 and Σ(u + v) = 1: it has as many rows as V has
    columns, which suits the simplex method. The step is the multiplier of its first rows.
    """
    from scipy.optimize import linprog  # imported here because it would dominate the start-up time

    m, p = vectors.shape
    result = linprog(
        np.concatenate([-left, left]),
        A_eq=np.vstack([np.hstack([vectors.T, -vectors.T]), np.ones((1, 2 * m))]),
        b_eq=np.append(np.zeros(p), 1.0),
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status != 0 or result.x is None:
        return None
    return -np.asarray(result.eqlin.marginals[:p]), np.asarray(result.x[:m] - result.x[m:])
