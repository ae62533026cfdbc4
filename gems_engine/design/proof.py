"""Bounds on a design problem's optimum that hold including every rounding error of evaluating them.

This is the one place that decides what is proven. The bounds are for the exact rational problem that the doubles of the
input define, after the merging of equal targets, and for the weights as the doubles that they are:

    above:  Σλ · max_y yᵀA(λ)⁻¹y.  With any R close to a root of A(λ)⁻¹ and η ≥ ‖I − RᵀA(λ)R‖ this is at most
            Σλ · max_y ‖Rᵀy‖² / (1 − η).
    below:  (Σ w_y yᵀu_y)² / (Σ w_y · max_x Σ w_y (xᵀu_y)²)  for any w ≥ 0 and any vectors u_y (Cauchy–Schwarz).

Products are computed in doubles, and their errors are bounded by |fl(aᵀb) − aᵀb| ≤ γ_n |a|ᵀ|b| with γ_n ≈ n·2⁻⁵³.
Where that does not suffice in the features, it does in the coordinates that balls provide (:mod:`coordinates`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.design.coordinates import FEATURES, RELATIVE, Frame
from gems_engine.design.directions import (
    BLOCK,
    EPS,
    PairDirections,
    centred,
    far_tables,
    row_lengths,
    search_rounding,
    squares_of,
)
from gems_engine.design.information import inverse_root
from gems_engine.design.problem import DesignProblem, Geometry

AS_COMPUTED = 1e-9
"""A value is used as computed where its proven upper bound is at most this part above it, else the bound is."""

NEGLIGIBLE = 1e-150
"""Weights below this part of the largest are left out of a bound, which stays a bound."""

TINY = 1e-280
"""More than all underflow of a product: entries of a frame are of size 1."""

SMALL = 1e-150
"""Squares of numbers above this are normal numbers, and what underflows in their sums is below any rounding."""

LEAST = 1e-305
"""Bounds below this are not used: the last operations of computing them may have underflowed."""

ROUND = 0.5 * EPS * (1.0 + 1e-6)
"""γ_n is n times this: the error of a sum of n products, in parts of the sum of their sizes."""

UP, DOWN = 1.0 + 16.0 * EPS, 1.0 - 16.0 * EPS
"""Factors for the last few operations of a bound."""

LOOSE = 1e-11
"""Where norms lose more than this part of a lower bound, the sharper error bound, entry by entry, is computed."""


@dataclass(frozen=True, eq=False)
class Dual:
    """The proof of a lower bound.

    Attributes
    ----------
    keys
        The directions: pairs of targets, or rows of the list.
    weights
        w, one for each.
    vectors
        u, one row for each: in the coordinates of the features, or, with a basis, the products with its arms.
    basis
        Arms that are independent and span all others, or None.
    """

    keys: tuple[tuple[int, int], ...] | tuple[int, ...]
    weights: Floats
    vectors: Floats
    basis: Integers | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", frozen(self.weights))
        object.__setattr__(self, "vectors", frozen(self.vectors))


def upper_bound(problem: DesignProblem, weights: Floats, value: float | None = None) -> float:
    """A number that the exact Σλ · max_y yᵀA(λ)⁻¹y of these double weights does not exceed; ∞ if none is proven.

    A bound that is far above the value as computed is tried again in a basis of the arms with weight: they may be
    badly scaled, or span less than all arms, if it is enough.
    """
    return upper_with_method(problem, weights, value)[0]


def upper_with_method(problem: DesignProblem, weights: Floats, value: float | None) -> tuple[float, str]:
    """As :func:`upper_bound`, with the arithmetic that proves it."""
    geometry = problem.geometry
    if geometry.frame is None:
        return 0.0, FEATURES
    used = (weights > NEGLIGIBLE * weights.max(initial=0.0)).nonzero()[0]
    balls = geometry.directions.balls if isinstance(geometry.directions, PairDirections) else None
    bound, method = _above(geometry.frame, weights[used], used, balls, value), geometry.frame.method
    enough = np.finfo(float).max if value is None else value * (1.0 + AS_COMPUTED)
    if not bound <= enough and len(used) and (frame := problem.span_of(used)) is not None:
        other = _above(frame, weights[used], np.arange(len(used)), balls, value)
        if other < bound:
            bound, method = other, frame.method
    if 0 < len(used) < len(weights):
        bound *= math.fsum(weights.tolist()) / math.fsum(weights[used].tolist())
    return bound * UP, method


def between(value: float, lower: float, upper: float) -> float:
    """A value as computed, where that is within what is proven of it; else the bound that it is beyond."""
    return min(max(value, lower), upper)


def lower_bound(problem: DesignProblem, geometry: Geometry, keys: Integers, w: Floats, u: Floats) -> float:
    """A number that is at most the exact optimum: what directions, w and u in the frame's coordinates prove."""
    frame = geometry.frame
    if frame is None:
        return 0.0
    pairs = problem.targets is not None
    along = _along(frame, keys, w, u, pairs)
    if not along > SMALL:
        return 0.0
    seen = _seen(frame, w, u)
    bound = along * along / (math.fsum(w.tolist()) * seen) * frame.unit**2 * DOWN if seen > SMALL**2 else 0.0
    return bound if LEAST < bound < math.inf else 0.0


def _above(frame: Frame, share: Floats, used: Integers, balls: list[Integers] | None, value: float | None) -> float:
    arms, sizes, floor = frame.arms, frame.arm_sizes, frame.arm_floor
    if len(used) < len(arms):
        arms, sizes, floor = arms[used], sizes[used], floor[used]
    if len(arms) < arms.shape[1]:
        return math.inf
    try:
        root = inverse_root(arms, share)
    except np.linalg.LinAlgError:
        return math.inf
    reaches = row_lengths(root)
    seen = arms @ root
    eta = nearness(seen, row_lengths(seen), product_error(sizes, floor, reaches), share)
    if not eta < 0.5:
        return math.inf
    points, apart = frame.rows @ root, product_error(frame.row_sizes, frame.row_floor, reaches)
    total = math.fsum(share.tolist())
    if balls is None:
        longest = float((row_lengths(points) * UP + apart).max())
    else:
        about = 0.0 if value is None else value / total / frame.unit**2
        longest = _longest_pair(points, apart, balls, about)
    bound = total * longest * longest / (1.0 - eta) * frame.unit**2 * UP
    return bound * (1.0 + (len(root) + 8) * EPS) if LEAST < bound < math.inf else math.inf


def nearness(seen: Floats, lengths: Floats, error: Floats, share: Floats) -> float:
    """At least ‖I − RᵀA(share)R‖, where `seen` are the arms' products with R, of these lengths and up to these errors.

    Off by E, the rows of √λ·seen make RᵀAR off by at most 2·‖√λ·seen‖·‖E‖ + ‖E‖²; its own sums are off by γ_K.
    """
    off = math.sqrt(float(share @ (error * error)))
    square = (seen.T * share) @ seen
    square.flat[:: len(square) + 1] -= 1.0
    eta = math.sqrt(float(np.vdot(square, square)))
    summed = (len(share) + 4) * ROUND * float(share @ (lengths * lengths))
    return 1.01 * (eta + summed + off * (2.0 * math.sqrt(1.0 + eta + summed) + off))


def product_error(sizes: Floats, floor: Floats, reaches: Floats) -> Floats:
    """How far each row of a product may be off, as a length: from |rows|, their floors, the row norms of the factor."""
    relative = 1.02 * ((len(reaches) + 2) * ROUND + RELATIVE)
    return np.asarray(relative * (sizes @ reaches) + floor * (1.02 * float(reaches.sum())) + TINY)


def _longest_pair(points: Floats, error: Floats, balls: list[Integers], about: float) -> float:
    """At least the largest distance of two points that are known up to these errors; its square is about this."""
    least = about * (1.0 - AS_COMPUTED) if math.isfinite(about) else 0.0  # a search from here passes over shorter ones
    points = centred(points)
    largest = max((float(table.max()) for _, _, table in far_tables(points, balls, least)), default=0.0)
    doubt = search_rounding(points.shape[1], squares_of(points))
    return math.sqrt(max(largest, least) + doubt) * UP + 2.0 * float(error.max())


def _along(frame: Frame, keys: Integers, w: Floats, u: Floats, pairs: bool) -> float:
    """At most Σ w_y yᵀu_y."""
    rows, floor = frame.rows, frame.row_floor
    if pairs:
        n = len(rows)
        one, other, sizes = keys // n, keys % n, frame.row_sizes
        y, size, blur = rows[one] - rows[other], sizes[one] + sizes[other], floor[one] + floor[other]
    else:
        y, size, blur = rows[keys], frame.row_sizes[keys], floor[keys]
    reach = np.abs(u)
    products = np.einsum("ij,ij->i", y, u)
    size = RELATIVE * size + (y.shape[1] + 4) * ROUND * np.abs(y)
    doubt = np.einsum("ij,ij->i", size, reach) + blur * reach.sum(axis=1) + TINY
    doubt += (len(w) + 4) * ROUND * np.abs(products)
    return float(w @ products) - 1.01 * float(w @ doubt)


def _seen(frame: Frame, w: Floats, u: Floats) -> float:
    """At least max_x Σ w (xᵀu)²: by the form xᵀ(Σ w u uᵀ)x, or product by product where that is loose.

    The form's own rounding, and the arms' errors, are below (m + 2d) roundings of |x|ᵀ(Σ w |u||u|ᵀ)|x| ≤ |x|² Σ w |u|².
    """
    d = u.shape[1]
    blocks = [slice(each, each + BLOCK) for each in range(0, len(frame.arms), BLOCK)]
    if len(w) <= 4 * d:  # then a table costs no more
        return max(_seen_one_by_one(frame, each, w, u) for each in blocks)
    inside = np.einsum("ij,ij->i", frame.arms @ ((u.T * w) @ u), frame.arms)
    lengths = row_lengths(frame.arms)
    spread = float(w @ squares_of(u))
    relative = (len(w) + 3 * d + 16) * ROUND + 2.0 * RELATIVE
    floor = frame.arm_floor * math.sqrt(d)
    doubt = (relative * lengths**2 + 2.0 * floor * (lengths + floor)) * spread
    bound = float((inside + 1.01 * doubt).max() + TINY) * UP
    if bound <= float(inside.max()) * (1.0 + LOOSE):
        return bound
    return min(bound, max(_seen_one_by_one(frame, each, w, u) for each in blocks))


def _seen_one_by_one(frame: Frame, some: slice, w: Floats, u: Floats) -> float:
    """The same for some arms: |x|ᵀ|u| below the product of the lengths, or by entries where that is loose."""
    arms, floor = frame.arms[some], frame.arm_floor[some]
    products = arms @ u.T
    inside = np.square(products) @ w
    summed = 1.0 + (len(w) + 8) * ROUND
    relative = (u.shape[1] + 2) * ROUND + RELATIVE
    error = relative * row_lengths(arms) + floor * math.sqrt(u.shape[1])
    spread = math.sqrt(float(w @ squares_of(u)))
    bound = float(((np.sqrt(inside) + 1.01 * (error * spread + TINY)) ** 2).max()) * summed * UP
    if bound <= float(inside.max()) * (1.0 + LOOSE):
        return bound
    reach = np.abs(u)
    doubt = relative * (np.abs(arms) @ reach.T) + floor[:, None] * reach.sum(axis=1) + TINY
    return min(bound, float((np.square(np.abs(products) + 1.01 * doubt) @ w).max()) * summed * UP)
