"""The certified solver: a primal–dual interior-point method whose every iterate proves how good it is.

By homogeneity the design is  min Σ_x μ_x  over μ ≥ 0 with  yᵀA(μ)⁻¹y ≤ 1  for every direction (λ = μ/Σμ), which
needs neither a variable for the value nor an equation for the simplex. With c_xy = μ_x xᵀu_y its optimality
conditions are

    A(μ) u_y = y                         the estimator of y is unbiased
    u_yᵀ A(μ) u_y + s_y = 1              w_y s_y = ν
    Σ_y w_y (xᵀu_y)² + z_x = 1           μ_x z_x = ν

and Newton's method on *these*, with u_y as unknowns of their own instead of A(μ)⁻¹y, converges fast also where the
optimal A is singular: there u is not a function of the optimal μ. Eliminating all but Δμ leaves one positive definite
system of size arms (Mehrotra's predictor and corrector share its factor). Only a working set of directions takes
part; those that turn out too long join it.

Bounds, after every iteration: max over *all* directions at λ from above, and for whatever w and u have been reached
(Σ w yᵀu)² / (Σ w · max_x Σ w (xᵀu)²) from below (Cauchy–Schwarz), so no rounding in a Newton step can spoil a proof.
"""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats, relative_gap
from gems_engine.design.information import inverse_root
from gems_engine.design.problem import Geometry

FLOOR = 1e-11
"""ν is not driven below this part of the value: beyond, w/s outgrows the digits of the Newton system."""

PATIENCE = 25
"""Iterations without progress after which the method starts again with care, and then calls itself stalled."""

NEAR_PATH = 1e-4
"""ν keeps at least this part of the present gap: where bounds lag behind ν, the iterate has left the central path."""

MANY_ARMS = 1000
"""From here on the Newton system is put together from products of coordinates: 3,000 arms in R^8 take half as long."""


class InteriorPoint:
    """Steps of the method on one problem; `upper`, `lower` are the best bounds so far, in the geometry's unit.

    The canonical start depends on nothing but the problem, so that a design is a pure function of it.
    """

    name = "certified"

    def __init__(self, geometry: Geometry, floor: float = FLOOR) -> None:
        assert geometry.directions is not None
        self.arms = geometry.arms
        self.directions = geometry.directions
        self.floor = floor
        self.finished = False
        self.upper, self.lower = np.inf, 0.0
        self.careful = False
        self._begin()

    def _begin(self) -> None:
        """The canonical start."""
        self._waiting = 0
        arms = len(self.arms)
        root = inverse_root(self.arms, np.ones(arms))
        self._keys, longest = self.directions.longest(root)
        # Slack for every direction: the longest has squared norm 2/3.
        start = 1.5 * float(longest.max())
        self._mu = np.full(arms, start)
        self._root = root / np.sqrt(start)
        self._longest = longest / start
        self._working = self.directions.initial(self._root, arms)
        self._y = self.directions.vectors(self._working)
        self._u: Floats = (self._y @ self._root) @ self._root.T
        self._s = 1.0 - np.einsum("ij,ij->i", self._y, self._u)
        self._see()
        self._w = 1.0 / self._s
        self._w *= 0.9 / float((self._squares @ self._w).max())
        self._z = np.maximum(1.0 - self._squares @ self._w, 0.05)
        self._measure()

    def weights(self) -> Floats:
        """λ with the best upper bound so far."""
        return np.asarray(self._best_mu / self._best_mu.sum())

    def doubt(self) -> Floats:
        """Multiplier over share of the weights: above 1 for arms that have none at the optimum."""
        share = self._best_mu * len(self._best_mu) / self._best_mu.sum()
        return np.asarray(self._best_z / share)

    def dual(self) -> tuple[np.ndarray, Floats, Floats]:
        """Keys, w and u of the best lower bound so far."""
        return self._best_dual

    def step(self) -> None:
        """One predictor–corrector iteration."""
        self._admit()
        try:
            system = _NewtonSystem(self)
            if system.factor is None:
                raise np.linalg.LinAlgError
            self._move(*system.direction())
        except np.linalg.LinAlgError:  # the iterate is at the end of its digits; its bounds stay
            self._waiting = PATIENCE
        self._measure()

    def _see(self) -> None:
        """xᵀu_y and its square, arms × working set."""
        self._xu = self.arms @ self._u.T
        self._squares = self._xu * self._xu

    def _measure(self) -> None:
        """Bounds at the present iterate; keep the best."""
        before = relative_gap(self.upper, self.lower)
        upper = float(self._mu.sum() * self._longest.max())
        lower = self._lower(self._w, self._u, self._squares)
        if not np.isfinite(lower):
            lower = 0.0  # no proof, where numbers end
        if upper < self.upper:
            self.upper, self._best_mu, self._best_z = upper, self._mu, self._z
        if lower > self.lower:
            self.lower, self._best_dual = lower, (self._working, self._w, self._u)
        self._excess = relative_gap(upper, lower)
        gap = relative_gap(self.upper, self.lower)
        self._waiting = 0 if not gap > 0.9 * before else self._waiting + 1
        if self._waiting >= PATIENCE and not self.careful:
            self.careful = True
            self._begin()
        self.finished = self._waiting >= PATIENCE or gap <= 0.0

    def _lower(self, w: Floats, u: Floats, squares: Floats) -> float:
        along = float(w @ np.einsum("ij,ij->i", self._y, u))
        return along * along / (float((squares @ w).max()) * float(w.sum()))

    def _admit(self) -> None:
        """Take directions into the working set that are longer than all that are in it."""
        inside = self._y @ self._root
        reach = float(np.einsum("ij,ij->i", inside, inside).max()) * (1.0 + 1e-11)
        longer = self._longest > reach
        if not longer.any():
            return
        new = np.unique(self._keys[longer])
        y = self.directions.vectors(new)
        u = (y @ self._root) @ self._root.T
        square = np.einsum("ij,ij->i", y, u)
        nu = self._nu()
        room = 0.1 * np.sqrt(nu * len(self._mu) / self._mu.sum())
        s = np.maximum(np.maximum(1.0 - square, room), 1e-3 * square)
        self._working = np.concatenate([self._working, new])
        self._y, self._u = np.vstack([self._y, y]), np.vstack([self._u, u])
        self._s, self._w = np.concatenate([self._s, s]), np.concatenate([self._w, nu / s])
        self._see()

    def _nu(self) -> float:
        """Average complementarity product."""
        return float(self._w @ self._s + self._mu @ self._z) / (len(self._w) + len(self._mu))

    def _move(self, mu: Floats, s: Floats, w: Floats, z: Floats, u: Floats, length: float) -> None:
        """Take the step, shortened while it would lose more than it gains (far from the central path)."""
        for attempt in range(5):
            new_mu, new_w, new_u = self._mu + length * mu, self._w + length * w, self._u + length * u
            xu = self.arms @ new_u.T
            squares = xu * xu
            root = inverse_root(self.arms, new_mu)
            keys, longest = self.directions.longest(root)
            upper = float(new_mu.sum() * longest.max())
            if attempt == 4 or relative_gap(upper, self._lower(new_w, new_u, squares)) <= 3.0 * self._excess:
                break
            length *= 0.5
        self._mu, self._w, self._u = new_mu, new_w, new_u
        self._s, self._z = self._s + length * s, self._z + length * z
        self._xu, self._squares, self._root = xu, squares, root
        self._keys, self._longest = keys, longest


class _NewtonSystem:
    """The linearised conditions at one iterate, reduced to Δμ (in units of μ, which tames its condition)."""

    def __init__(self, at: InteriorPoint) -> None:
        from gems_engine.lapack import dpotrf  # here: a window shows its forms before it needs to load this

        self.at = at
        arms, y, u, w, s, mu, z = at.arms, at._y, at._u, at._w, at._s, at._mu, at._z
        self.unmet = y - u @ ((arms.T * mu) @ arms)  # y − A u
        self.primal = np.einsum("ij,ij->i", u, y + self.unmet) + s - 1.0
        white = arms @ at._root
        self.dual = 1.0 - at._squares @ w - z - 2.0 * ((at._xu * (white @ (self.unmet @ at._root).T)) @ w)
        half = np.sqrt(mu)[:, None]
        white = white * half
        scaled = arms * half
        matrix = white @ white.T
        matrix *= (scaled @ ((2.0 * u.T * w) @ u)) @ scaled.T
        active = self._active(scaled)
        matrix += active @ active.T
        diagonal = matrix.reshape(-1)[:: len(mu) + 1]
        diagonal += z * mu
        self.factor: Floats | None = None
        for nudge in (0.0, 1e-15, 1e-13, 1e-11):  # of the Newton step only: no bound depends on it
            diagonal *= 1.0 + nudge
            factor, failed = dpotrf(matrix, lower=1)
            if not failed:
                self.factor = factor
                break

    def _active(self, scaled: Floats) -> Floats:
        """What the slacks add to the system is this times its transpose.

        A column for each direction; but μ_x (xᵀu)² is linear in the products of two coordinates of x, of which there
        are d(d+1)/2, so that for many arms in few dimensions a triangle over these has it all.
        """
        at = self.at
        per_direction = np.sqrt(at._w / at._s)
        count, d = at._u.shape
        if len(at._mu) < MANY_ARMS or count < 4 * (d * (d + 1) // 2):
            return np.asarray((at._squares * at._mu[:, None]) * per_direction)
        whole = np.linalg.solve(at._root, at._u.T)  # u in the coordinates in which A is one, where no scale is lost
        triangle = np.asarray(np.linalg.qr(_products(whole.T, 2.0) * per_direction[:, None], mode="r"))
        return np.asarray(_products(scaled @ at._root, 1.0) @ triangle.T)

    def direction(self) -> tuple[Floats, Floats, Floats, Floats, Floats, float]:
        """Mehrotra's direction and how far it may be followed."""
        at = self.at
        nu = at._nu()
        total = len(at._w) + len(at._mu)
        mu, s, w, z = self._solve(-at._w * at._s, -at._mu * at._z)
        length = self._room(mu, s, w, z)
        reached = float((at._w + length * w) @ (at._s + length * s) + (at._mu + length * mu) @ (at._z + length * z))
        centring = min(1.0, reached / total / nu) ** 3
        least = max(at.floor, min((0.01 if at.careful else NEAR_PATH) * at._excess, 1.0))
        centring = min(1.0, max(centring, least * float(at._mu.sum()) / total / nu))
        # After a short predictor step its second-order term speaks of a place that is not reached.
        trust = 0.0 if at.careful else 1.0 if length > 0.3 else length**2
        mu, s, w, z = self._solve(
            centring * nu - at._w * at._s - trust * w * s, centring * nu - at._mu * at._z - trust * mu * z
        )
        near = 0.7 if at.careful else min(max(0.9, 1.0 - 10.0 * nu * total / float(at._mu.sum())), 0.9995)
        length = min(1.0, near * self._room(mu, s, w, z))
        u = ((self.unmet - (at._xu * mu[:, None]).T @ at.arms) @ at._root) @ at._root.T
        return mu, s, w, z, u, length

    def _solve(self, target_w: Floats, target_z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        at = self.at
        right = -self.dual + at._squares @ ((target_w + at._w * self.primal) / at._s) + target_z / at._mu
        from gems_engine.lapack import dpotrs

        mu, _ = dpotrs(self.factor, at._mu * right, lower=1)
        mu = mu * at._mu
        s = at._squares.T @ mu - self.primal
        return mu, s, (target_w - at._w * s) / at._s, (target_z - at._z * mu) / at._mu

    def _room(self, mu: Floats, s: Floats, w: Floats, z: Floats) -> float:
        at = self.at
        return min(_room(at._mu, mu), _room(at._s, s), _room(at._w, w), _room(at._z, z))


def _products(rows: Floats, twice: float) -> Floats:
    """Of every row the products of two coordinates, those of different ones so often."""
    first, second = np.triu_indices(rows.shape[1])
    return rows[:, first] * rows[:, second] * np.where(first == second, 1.0, twice)


def _room(value: Floats, change: Floats) -> float:
    """The largest step in [0, 1] that keeps value ≥ 0."""
    worst = float((change / value).min())
    return 1.0 if worst >= -1.0 else -1.0 / worst
