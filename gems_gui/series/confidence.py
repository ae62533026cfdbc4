"""The confidence region of a least-squares estimate, projected to a plane."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.information import Information
from gems_engine.design.problem import coordinate_scale
from gems_engine.rewards import Noise

_CORNERS = 96  # of the polygon that approximates an ellipse
_NONE = 1e-9  # relative to the readings: smaller numbers are rounding errors

ELLIPSE, SEGMENT, POINT, BAND, OPEN = "ellipse", "segment", "point", "band", "open"
"""Kinds of regions: full, flat, a single point, unbounded in one direction, unbounded in all."""


@dataclass(frozen=True, eq=False)
class Region:
    """The region of the two readings u = Pψ_d(θ⋆) of the parameter, with confidence ``level``.

    Attributes
    ----------
    kind
        :data:`ELLIPSE`, or a degenerate form of it: a :data:`SEGMENT` if the plane reads one number only, a
        :data:`POINT` if it reads none or there is no uncertainty, a :data:`BAND` if the pulls determine one
        combination of the two readings, :data:`OPEN` if they determine none.
    centre : array of shape (2,)
        Pθ̂.
    axes : array of shape (2, 2)
        Semi-axes as rows, the longer first; for a band, the half width, then the unit vector along it.
    rank
        How many of the d coordinates the pulls determine.
    whatever_plane
        Whether the level holds for all planes at once, and so at least for one that depends on θ̂.
    """

    kind: str
    level: float
    centre: Floats
    axes: Floats
    rank: int
    d: int
    whatever_plane: bool = False

    def outline(self, reach: float = 1.0) -> Floats:
        """The boundary as a line, interrupted by rows of NaN; a band extends by ``reach`` in both directions."""
        if self.kind == ELLIPSE:
            turn = np.linspace(0.0, 2.0 * np.pi, _CORNERS + 1)
            return np.asarray(self.centre + np.column_stack([np.cos(turn), np.sin(turn)]) @ self.axes)
        if self.kind == SEGMENT:
            return np.asarray(self.centre + np.array([[-1.0], [1.0]]) * self.axes[0])
        if self.kind == BAND:
            aside, along = self.axes[0], reach * self.axes[1]
            corners = [aside - along, aside + along, (np.nan, np.nan), -aside - along, -aside + along]
            return np.asarray(self.centre + np.array(corners))
        return np.zeros((0, 2))

    def covers(self, place: Floats) -> bool:
        """Whether a point of the plane is inside."""
        away = np.asarray(place, dtype=float) - self.centre
        if self.kind == OPEN:
            return True
        lengths = np.linalg.norm(self.axes, axis=1)
        if self.kind == BAND:
            return bool(abs(away @ self.axes[0]) <= lengths[0] ** 2)
        units = self.axes / np.where(lengths > 0.0, lengths, 1.0)[:, None]
        if self.kind == ELLIPSE:
            return bool((((units @ away) / lengths) ** 2).sum() <= 1.0)
        slack = 1e-9 * (float(np.abs(self.centre).max()) + float(lengths.max()))
        remainder = away - (units[0] @ away) * units[0]
        return bool(np.abs(remainder).max() <= slack and abs(units[0] @ away) <= lengths[0] + slack)


def two_readings(level: float) -> float:
    """The quantile χ²_{2,level}, in closed form."""
    return -2.0 * log(1.0 - level)


def one_reading(level: float) -> float:
    """The quantile χ²_{1,level}."""
    return NormalDist().inv_cdf((1.0 + level) / 2.0) ** 2


def readings(count: int, level: float) -> float:
    """The quantile χ²_{count,level}."""
    if count == 1:
        return one_reading(level)
    if count == 2:
        return two_readings(level)
    from scipy.special import gammaincinv  # imported late: the window shows its forms first

    return 2.0 * float(gammaincinv(count / 2.0, level))


def variance_of(noise: Noise) -> float:
    """The variance of one reward, or its largest possible value: a Bernoulli's depends on its hidden mean."""
    return {"gaussian": noise.sigma**2, "bernoulli": 0.25, "rademacher": 1.0, "deterministic": 0.0}[noise.kind]


def confidence_region(
    plane: Floats,
    theta: Floats,
    arms: Floats,
    counts: Integers,
    variance: float,
    level: float,
    whatever_plane: bool = False,
) -> Region:
    """The region of Pψ_d(θ⋆) around Pθ̂, for an estimate from given numbers of pulls of these arms, fixed in advance.

    θ̂ = A⁻¹b has the covariance σ²A⁻¹ with A = Σ n_x ψ_d(x)ψ_d(x)ᵀ, so Pθ̂ has PσA⁻¹Pᵀ: the region is
    {u : (u − Pθ̂)ᵀ(Pσ²A⁻¹Pᵀ)⁻¹(u − Pθ̂) ≤ χ²_{2,level}}. If A is singular, the region is unbounded in the directions
    that the pulls do not determine; a pseudo-inverse alone would treat them as known.

    That holds for a plane that does not depend on θ̂. One that does needs the projection of the whole ellipsoid
    {v : (v − θ̂)ᵀA(v − θ̂) ≤ σ²χ²_{r,level}}, r the rank of A (Scheffé): if ψ_d(θ⋆) is in the ellipsoid, it is in the
    projection on every plane, so the projection has at least the confidence level, for any plane.

    Parameters
    ----------
    plane : array of shape (2, d)
        P, the linear map from R^d to the two coordinates of the plane.
    theta : array of shape (d,)
        θ̂.
    arms : array of shape (p, d)
        ψ_d of the arms that were pulled.
    counts : array of shape (p,)
        How often each was pulled.
    variance
        σ² of one reward.
    whatever_plane
        Whether the plane may depend on θ̂.
    """
    centre, d = plane @ theta, len(theta)
    scale = coordinate_scale(arms)
    reads = plane / scale
    known = Information.of(arms / scale, counts.astype(np.float64))
    rank = len(known.singular_values)
    size = float(np.linalg.norm(reads)) or 1.0
    sides, lost, _ = np.linalg.svd(reads @ known.null) if known.null.shape[1] else (np.eye(2), np.zeros(2), None)
    lost = np.append(lost, np.zeros(2 - len(lost)))
    gone = lost > max(_NONE, known.blur) * size
    one, two = (readings(max(rank, 1) if whatever_plane else count, level) for count in (1, 2))
    spread = sqrt(variance) * (reads @ known.inverse_root)  # PΣPᵀ is this times its transpose
    if gone.all():
        return Region(OPEN, level, centre, np.zeros((2, 2)), rank, d, whatever_plane)
    if gone.any():
        seen = sides[:, 1]  # the combination without undetermined directions
        half = sqrt(one) * float(np.linalg.norm(seen @ spread))
        return Region(BAND, level, centre, np.array([half * seen, sides[:, 0]]), rank, d, whatever_plane)
    turn, lengths, _ = np.linalg.svd(spread, full_matrices=False)
    lengths, turn = np.append(lengths, 0.0)[:2], turn if turn.shape[1] == 2 else np.column_stack([turn, _across(turn)])
    there = lengths > _NONE * max(float(lengths[0]), 1e-300)
    if there.all():
        return Region(ELLIPSE, level, centre, (turn * (sqrt(two) * lengths)).T, rank, d, whatever_plane)
    if there.any() and lengths[0] > 0.0:
        half = sqrt(one) * float(lengths[0])
        return Region(SEGMENT, level, centre, np.array([half * turn[:, 0], (0.0, 0.0)]), rank, d, whatever_plane)
    return Region(POINT, level, centre, np.zeros((2, 2)), rank, d, whatever_plane)


def _across(column: Floats) -> Floats:
    """The unit vector orthogonal to a vector in the plane."""
    return np.array([[-column[1, 0]], [column[0, 0]]])
