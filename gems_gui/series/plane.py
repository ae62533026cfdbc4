"""Arms in the plane: vectors of R^D in two coordinates or two principal components, and how to move them there."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats, Integers, first_largest, frozen
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.terminal import number

_ROUNDING = 1e-12
_SAME = 1e-9  # relative to the width of the plot: closer arms are one point
_TIED = 1e-9  # relative to the largest variance: components that differ by less span a space without preferred axes
_MOST_SAID = 6  # entries of a vector in a text

_GRID = 8.0  # pixels between two lines of the grid, or more
_STACKED = 5.0  # pixels: points that are closer than this are on top of each other
_NEAR = 10.0  # pixels within which the mouse hits a point

THETA = -1
"""Denotes the tip of θ⋆ where an index denotes an arm."""

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Projection:
    """A plane in R^D.

    Attributes
    ----------
    basis : array of shape (2, D)
        Orthonormal directions of the two axes; the second is 0 if there is only one feature.
    centre : array of shape (D,)
        The point shown at (0, 0).
    names
        Labels of the axes.
    share
        The part of the arms' variance that is shown, for the arms that the plane was computed for; None for
        coordinates.
    """

    basis: Floats
    centre: Floats
    names: tuple[str, str]
    share: float | None = None

    def seen(self, vectors: Floats) -> Floats:
        """The points of vectors in the plane: one row of two numbers for each."""
        return (vectors - self.centre) @ self.basis.T

    def moved(self, vector: Floats, to: tuple[float, float]) -> Floats:
        """The vector at another point of the plane that differs from the given one only in the plane.

        Rounding must not change a coordinate that the plane does not contain, and coordinates are set exactly.
        """
        if self.share is None:
            moved = np.array(vector)
            for axis, value in zip(self.basis, to, strict=True):
                if axis.any():
                    moved[int(np.argmax(axis))] = value
            return frozen(moved)
        step = (np.asarray(to, dtype=np.float64) - self.seen(vector[None, :])[0]) @ self.basis
        return frozen(np.where(self.basis.any(axis=0), vector + step, vector))


def _numbered(feature: int) -> str:
    return f"feature {feature + 1}"


def coordinates(D: int, first: int, second: int, label: Callable[[int], str] = _numbered) -> Projection:
    """The plane of two features, counted from 0; with one feature, the vertical axis is empty."""
    for feature in (first, second):
        if not 0 <= feature < D:
            raise InputError(f"There is no feature {feature + 1}: this instance has D = {D}.")
    if first == second and D > 1:
        raise InputError(f"Feature {first + 1} cannot be on both axes. Choose another one for the second axis.")
    basis = np.zeros((2, D))
    basis[0, first] = 1.0
    if D > 1:
        basis[1, second] = 1.0
    names = label(first), label(second) if D > 1 else ""
    return Projection(frozen(basis), frozen(np.zeros(D)), names)


def principal_components(arms: Floats, like: Projection | None = None) -> Projection:
    """The plane in which the arms have the largest variance.

    Parameters
    ----------
    like
        The previous plane: axes with the opposite sign are flipped, so that the plot does not jump.
    """
    D = arms.shape[1]
    centre = arms.mean(axis=0)
    _, lengths, directions = np.linalg.svd(arms - centre, full_matrices=False)
    basis = _main_axes(lengths, directions)
    basis[np.abs(basis) < _ROUNDING] = 0.0  # remove rounding errors
    for axis in basis:
        largest = int(np.argmax(np.abs(axis)))
        sign = axis[largest]
        if like is not None and like.basis.shape == basis.shape:
            nearest = like.basis @ axis
            sign = nearest[np.argmax(np.abs(nearest))] or sign
        axis *= -1.0 if sign < 0 else 1.0
    total = float((lengths**2).sum())
    share = float((lengths[:2] ** 2).sum()) / total if total > 0 else 1.0
    names = "component 1", "component 2" if D > 1 else ""
    return Projection(frozen(basis), frozen(centre), names, share)


def _main_axes(lengths: Floats, directions: Floats) -> Floats:
    """Two orthonormal directions of the largest variance; among ties, those closest to a coordinate axis.

    Otherwise, rounding in the factorisation would choose among tied components, as on the hard instance.
    """
    D = directions.shape[1]
    basis = np.zeros((2, D))
    spread = int((lengths > _ROUNDING * max(float(lengths.max(initial=0.0)), 1e-300)).sum())
    for at in range(min(2, D)):
        if at < spread:
            tied = directions[:spread][np.abs(lengths[:spread] - lengths[at]) <= _TIED * lengths[0]]
            space = tied.T @ tied
        else:  # no variance: any orthogonal direction
            space = np.eye(D) - directions[:spread].T @ directions[:spread]
        across = np.eye(D) - basis[:at].T @ basis[:at]
        space = across @ space @ across
        axis = space[:, first_largest(np.diag(space))]
        basis[at] = axis / np.linalg.norm(axis)
    return basis


def share_shown(arms: Floats, projection: Projection) -> float:
    """The part of the arms' variance that a plane shows."""
    centred = arms - arms.mean(axis=0)
    total = float((centred**2).sum())
    return float(((centred @ projection.basis.T) ** 2).sum()) / total if total > 0 else 1.0


def is_edited(before: Instance, after: Instance) -> bool:
    """Whether an instance is another one with a few arms or θ⋆ changed, so that its picture keeps its axes.

    One arm, or half of them, may differ; a new seed changes more. Another family is another instance.
    """
    families = before.recipe.family, after.recipe.family
    if before.D != after.D or (all(families) and families[0] != families[1]):
        return False
    both = min(len(before.arms), len(after.arms))
    differ = int((before.arms[:both] != after.arms[:both]).any(axis=1).sum())
    return differ <= max(1, both // 2)


def grid_step(pixel: float) -> float:
    """The step of the grid, 1, 2 or 5 times a power of ten, for the size of a pixel."""
    least = _GRID * pixel
    power = 10.0 ** math.floor(math.log10(least))
    return float(f"{next(each for each in (1, 2, 5, 10) if each * power >= least * (1 - _SAME)) * power:.3g}")


def on_grid(value: float, step: float) -> float:
    """The nearest multiple of a step, without rounding errors: 0.3, not 0.30000000000000004."""
    whole = round(value / step) * step
    return float(f"{whole:.{max(0, 1 - math.floor(math.log10(step)))}f}")


def to_a_pixel(value: float, pixel: float) -> float:
    """A number with no more digits than a pixel can show."""
    return on_grid(value, 10.0 ** math.floor(math.log10(pixel)))


def spanned(first: Floats, second: Floats, names: tuple[str, str]) -> Projection | None:
    """The plane of two vectors, the first one horizontal; None if they are parallel."""
    long, short = float(np.linalg.norm(first)), float(np.linalg.norm(second))
    if not (long > 0.0 and short > 0.0):
        return None
    across = first / long
    rest = second / short
    rest = rest - (rest @ across) * across
    rest = rest - (rest @ across) * across  # twice is enough for all digits
    length = float(np.linalg.norm(rest))
    if length < _SAME:
        return None
    return Projection(frozen([across, rest / length]), frozen(np.zeros(len(first))), names)


def range_of(points: Floats) -> tuple[Range, Range]:
    """The ranges of both axes that contain all of these points; neither is empty."""
    low, high = points.min(axis=0), points.max(axis=0)
    widest = float((high - low).max())
    least = 0.2 * widest if widest > 0 else 1.0
    middle, half = (low + high) / 2, np.maximum(high - low, least) / 2
    edges = [(float(m - 1.12 * h), float(m + 1.12 * h)) for m, h in zip(middle, half, strict=True)]
    return edges[0], edges[1]


@dataclass(frozen=True, eq=False)
class PlaneSeries:
    """What the plot of an instance draws.

    Attributes
    ----------
    arms : array of shape (K, 2)
    others : array of shape (m, 2)
        The targets that are not arms.
    best : array of shape (1, 2) or (0, 2)
        The best target, unless it is hidden.
    best_arm
        The arm that it is, if it is one and not hidden.
    best_name
        Its name if it is no arm.
    arrow : array of shape (2, 2) or (0, 2)
        From the origin to θ⋆; empty if there is none, or if it is hidden.
    """

    projection: Projection
    arms: Floats
    others: Floats
    best: Floats
    best_arm: int | None
    best_name: str
    arrow: Floats

    @property
    def points(self) -> Floats:
        """All points that should be visible."""
        return np.vstack([self.arms, self.others, self.arrow])

    def range(self) -> tuple[Range, Range]:
        """The ranges of both axes that contain everything."""
        return range_of(self.points)

    def place(self, point: int) -> Floats:
        """The place of an arm, or of the tip of θ⋆."""
        return np.asarray(self.arrow[1] if point == THETA else self.arms[point])

    @property
    def grips(self) -> list[int]:
        """The points that can be moved: all arms and, if it is shown, θ⋆."""
        return [*range(len(self.arms)), *([THETA] if len(self.arrow) else [])]

    def stack(self, place: Range, pixel: Range) -> list[int]:
        """The nearest point to a place and those on top of it, arms first; empty if none is near.

        Parameters
        ----------
        pixel
            Width and height of a pixel.
        """
        places = np.vstack([self.arms, self.arrow[1:]]) / pixel
        away = np.hypot(*(places - np.asarray(place) / pixel).T)
        nearest = int(np.argmin(away))
        if away[nearest] > _NEAR:
            return []
        there = np.flatnonzero(np.hypot(*(places - places[nearest]).T) < _STACKED)
        return [THETA if at == len(self.arms) else int(at) for at in there]


def plane_series(instance: Instance, projection: Projection, truth: bool = True) -> PlaneSeries:
    """An instance, projected to a plane."""
    truth = truth and instance.has_rewards
    empty = np.zeros((0, 2))
    positions = instance.target_arms
    outside = np.zeros(0, dtype=np.int64) if positions is not None else _outside(instance)
    arrow = empty
    if instance.theta is not None and truth:
        arrow = projection.seen(np.vstack([np.zeros(instance.D), instance.theta]))
    best = projection.seen(instance.targets[instance.best][None, :]) if truth else empty
    return PlaneSeries(
        projection,
        projection.seen(instance.arms),
        projection.seen(instance.targets[outside]) if len(outside) else empty,
        best,
        int(positions[instance.best]) if positions is not None and truth else None,
        instance.target_label(instance.best) if positions is None and truth else "",
        arrow,
    )


def _outside(instance: Instance) -> Integers:
    """The targets that are not arms."""
    rows = {row.tobytes() for row in instance.arms + 0.0}
    return np.array([j for j, row in enumerate(instance.targets + 0.0) if row.tobytes() not in rows], dtype=np.int64)


def words_for_vector(vector: Floats) -> str:
    """A vector in a few numbers: "(1, 0.5, 0 …)"."""
    shown = ", ".join(number(float(f"{value:.3g}")) for value in vector[:_MOST_SAID])
    return f"({shown}{' …' if len(vector) > _MOST_SAID else ''})"


def point_label(instance: Instance, point: int) -> str:
    """The name of an arm, or θ⋆."""
    return "θ⋆" if point == THETA else instance.arm_label(point)


def words_for_point(instance: Instance, projection: Projection, point: int, truth: bool = True) -> list[str]:
    """An arm or θ⋆ in lines: its name, its coordinates on the axes, and its reward and gap, or the best arm."""
    vector = instance.theta if point == THETA else instance.arms[point]
    assert vector is not None
    seen = projection.seen(vector[None, :])[0]
    seen = np.where(np.abs(seen) <= _ROUNDING * np.abs(vector).max(initial=1.0), 0.0, seen)
    said = [point_label(instance, point), _words_for_place(projection.names, seen)]
    if truth and instance.has_rewards:
        said.append(_words_for_best(instance) if point == THETA else _words_for_reward(instance, point))
    return said


def _words_for_place(names: tuple[str, str], seen: Floats) -> str:
    """A place on the axes: "age 31, income 2", or "feature 1, 2: 0.3, 0.5" where the names differ in a number only."""
    (first, number_1), (second, number_2) = (name.rsplit(" ", 1) if " " in name else (name, "") for name in names)
    if first == second and number_1.isdigit() and number_2.isdigit():
        return f"{first} {number_1}, {number_2}: {_short(seen[0])}, {_short(seen[1])}"
    return ", ".join(f"{name} {_short(value)}" for name, value in zip(names, seen, strict=True) if name)


def _words_for_reward(instance: Instance, arm: int) -> str:
    reward = f"mean reward {_short(instance.require_rewards()[0][arm])}"
    if instance.targets is not instance.arms:
        return reward
    if gap := float(instance.gaps[arm]):
        return f"{reward}, gap {_short(gap)}"
    return f"{reward}, {'best' if instance.best_is_unique else 'tied for best'}"


def _words_for_best(instance: Instance) -> str:
    best = instance.target_label(instance.best)
    return f"best {best}, by {_short(instance.min_gap)}" if instance.best_is_unique else f"best {best}, tied"


def _short(value: float) -> str:
    return number(float(f"{value:.4g}"))
