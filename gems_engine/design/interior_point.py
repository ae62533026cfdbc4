"""The certified solver: a primal–dual interior-point method whose every iterate proves how good it is.

By homogeneity the design is  min Σ_x μ_x  over μ ≥ 0 with  yᵀA(μ)⁻¹y ≤ 1  for every direction (λ = μ/Σμ), which
needs neither a variable for the value nor an equation for the simplex. With c_xy = μ_x xᵀu_y its optimality
conditions are

    A(μ) u_y = y                         the estimator of y is unbiased
    u_yᵀ A(μ) u_y + s_y = 1              w_y s_y = ν
    Σ_y w_y (xᵀu_y)² + z_x = 1           μ_x z_x = ν

and Newton's method on *these*, with u_y as unknowns of their own instead of A(μ)⁻¹y, converges fast also where the
optimal A is singular: there u is not a function of the optimal μ. Eliminating all but Δμ leaves one positive definite
system (Mehrotra's predictor and corrector share its factor).

From ten arms to tens of thousands it is this one method. What keeps it fast:

- The system has two forms, of the size of the arms (:class:`_Dense`) and of the number of products of two coordinates
  (:class:`_Products`). The one with fewer operations is taken, so that the cost per iteration is the smaller of two
  smooth functions. The second form loses its digits near the optimum; where its own residual says so, the first one
  takes over, with the arms that the multipliers have not ruled out by then.
- Sums over arms or directions of squares of products are quadratic forms: there is no table of arms × directions.
- Only a working set of directions takes part. Those that are about to be the longest join it before they are.

Bounds, after every iteration: max over *all* directions at λ from above, and for whatever w and u have been reached
(Σ w yᵀu)² / (Σ w · max_x Σ w (xᵀu)²) over *all* arms x from below (Cauchy–Schwarz). So no rounding in a Newton step,
and no arm or direction that does not take part, can spoil a proof.
"""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats, Integers, relative_gap
from gems_engine.design.directions import spread, squares_of
from gems_engine.design.information import inverse_root, roots
from gems_engine.design.problem import Geometry

FLOOR = 1e-11
"""ν is not driven below this part of the value: beyond, w/s outgrows the digits of the Newton system."""

PATIENCE = 25
"""Iterations without progress after which the method starts again with care, and then calls itself stalled."""

NEAR_PATH = 1e-4
"""ν keeps at least this part of the present gap: where bounds lag behind ν, the iterate has left the central path."""

SOLVED, REFINEMENTS = 1e-9, 12
"""The form in products is left for the dense one where more than this part of a right side remains after 12 steps."""

RULED_OUT = 100.0
"""An arm leaves where its multiplier is this many times its share of the weights; it may come back."""

FEW_ARMS = 60
"""Up to this many there is little to gain, and nothing is foreseen: no arm leaves, a direction joins as the longest."""

NEAR = 0.03
"""Directions join the working set before they are the longest: from this part below it, or a third of the gap."""

Direction = tuple[Floats, Floats, Floats, Floats, Floats, float]
"""Changes of μ, s, w, z and u, and how far to follow them."""


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
        count, d = self.arms.shape
        self._bind = d * (d + 1)  # twice the number of directions that can bind at an optimum
        self._size = max(300, min(count, self._bind // 2) // 2)
        self._begin()

    def _begin(self) -> None:
        """The canonical start."""
        self._waiting = 0
        self._excess = np.inf
        self._dense = False
        self._release_at = 1e-2
        self._some = np.arange(len(self.arms))
        even = np.eye(self.arms.shape[1])  # A of even weights is one in the geometry's coordinates
        self._working = self.directions.initial(even, self._size)
        self._y = self.directions.vectors(self._working)
        self._look(even)
        # Slack for every direction: the longest has squared norm 2/3.
        start = 1.5 * self._longest
        self._longest /= start
        self._mu = np.full(len(self.arms), start)
        self._u: Floats = self._y / start
        self._renew()
        self._s = 1.0 - np.einsum("ij,ij->i", self._y, self._u)
        self._w = 1.0 / self._s
        self._w *= 0.9 / float(self._worths(self._w).max())
        self._weigh()
        self._z = np.maximum(1.0 - self._worth, 0.05)
        self._measure()

    def weights(self) -> Floats:
        """λ with the best upper bound so far."""
        return self._spread(self._best_mu / self._best_mu.sum(), 0.0)

    def doubt(self) -> Floats:
        """Multiplier over share of the weights: above 1 for arms that have none at the optimum."""
        share = self._best_mu * len(self._best_mu) / self._best_mu.sum()
        return self._spread(self._best_z / share, np.inf)

    def _spread(self, values: Floats, others: float) -> Floats:
        """Of the arms that took part in the best weights, for all arms."""
        spread = np.full(len(self.arms), others)
        spread[self._best_some] = values
        return spread

    def dual(self) -> tuple[np.ndarray, Floats, Floats]:
        """Keys, w and u of the best lower bound so far."""
        return self._best_dual

    def step(self) -> None:
        """One predictor–corrector iteration."""
        self._release()
        self._admit_arms()
        self._admit_directions()
        try:
            self._move(*self._direction())
        except np.linalg.LinAlgError:  # the iterate is at the end of its digits; its bounds stay
            self._waiting = PATIENCE
        self._measure()

    def _direction(self) -> Direction:
        """By the cheaper form of the Newton system as long as that has the digits, then by the dense one."""
        if not self._dense and products_cost(*self._counts) < dense_cost(*self._counts):
            try:
                return _NewtonStep(self, _Products).direction()
            except np.linalg.LinAlgError:
                self._dense = True
                self._thin()
        return _NewtonStep(self, _Dense).direction()

    @property
    def _counts(self) -> tuple[int, int, int]:
        """Arms and directions that take part, and their dimension."""
        return len(self._mu), len(self._w), self.arms.shape[1]

    def _thin(self) -> None:
        """Where thousands of arms are equally good, some do: the dense system cannot have all of them."""
        arms, _, d = self._counts
        few = max(2000, 3 * (d * (d + 1) // 2))
        if arms <= few:
            return
        stay = spread(arms, few)
        self._mu = self._mu * (float(self._mu.sum()) / float(self._mu[stay].sum()))
        self._keep(stay)

    def _renew(self) -> None:
        """What follows from μ and u: A's root, and arms and u in the coordinates in which A is one."""
        inside = self.arms[self._some]
        whole, self._root = roots(inside, self._mu)
        self._white = inside @ self._root
        self._whole = self._u @ whole.T

    def _look(self, root: Floats) -> None:
        """Directions that are long for this root of A⁻¹, and the squared norm of the longest of all."""
        reach = self._longest = float(squares_of(self._y @ root).max())
        self._keys, self._peaks = self._working[:0], 0
        if len(self._working) == self.directions.count:
            return
        part = 1.0 - min(NEAR, 0.3 * self._excess) if len(self.arms) > FEW_ARMS else 1.0 + 1e-11
        self._keys, squares, self._peaks = self.directions.longer(root, part * reach)
        self._longest = max(reach, float(squares.max(initial=0.0)))

    def _worths(self, w: Floats) -> Floats:
        """Σ w (xᵀu)² of the arms that take part."""
        return _forms(self._white, (self._whole.T * w) @ self._whole)

    def _measure(self) -> None:
        """Bounds at the present iterate; keep the best."""
        before = relative_gap(self.upper, self.lower)
        upper, lower = self._bounds
        if upper < self.upper:
            self.upper, self._best_some, self._best_mu, self._best_z = upper, self._some, self._mu, self._z
        if lower > self.lower:
            self.lower, self._best_dual = lower, (self._working, self._w, self._u)
        self._excess = relative_gap(upper, lower)
        gap = relative_gap(self.upper, self.lower)
        self._waiting = 0 if not gap > 0.9 * before else self._waiting + 1
        if self._waiting >= PATIENCE and not self.careful:
            self.careful = True
            self._begin()
        self.finished = self._waiting >= PATIENCE or gap <= 0.0

    def _weigh(self) -> None:
        """The bounds that the iterate proves, and what every arm is worth to the lower one."""
        self._worth = self._worths(self._w)
        if len(self._some) < len(self.arms):
            self._worth = _forms(self.arms @ self._root, (self._whole.T * self._w) @ self._whole)
        along = float(self._w @ np.einsum("ij,ij->i", self._y, self._u))
        lower = along * along / (float(self._worth.max()) * float(self._w.sum()))
        self._bounds = float(self._mu.sum() * self._longest), lower if np.isfinite(lower) else 0.0

    def _release(self) -> None:
        """Let arms go that the multipliers have ruled out, each time that the gap is ten times smaller."""
        if self._excess > self._release_at or len(self._mu) <= FEW_ARMS:
            return
        self._release_at = 0.1 * self._excess
        stay = self._z < RULED_OUT * self._mu * len(self._mu) / self._mu.sum()
        if not stay.all() and self._do_without(~stay):
            self._keep(stay)

    def _do_without(self, some: np.ndarray) -> bool:
        """Whether the directions stay about as long without some arms: those may hold a nearly singular A together."""
        try:
            root = inverse_root(self.arms[self._some[~some]], self._mu[~some])
        except np.linalg.LinAlgError:
            return False
        return float(squares_of(self._y @ root).max()) < 1.1 * self._longest

    def _keep(self, stay: np.ndarray | Integers) -> None:
        """Only these of the arms that take part."""
        self._some, self._mu, self._z = self._some[stay], self._mu[stay], self._z[stay]
        self._renew()

    def _admit_arms(self) -> None:
        """Take arms back that are worth more than all that take part."""
        if len(self._some) == len(self.arms):
            return
        best = float(self._worth[self._some].max())
        new = np.setdiff1d(np.flatnonzero(self._worth > best * (1.0 + 1e-11)), self._some)
        if not len(new):
            return
        z = self._room(1.0 - self._worth[new])
        self._some = np.concatenate([self._some, new])
        self._mu, self._z = np.concatenate([self._mu, self._nu() / z]), np.concatenate([self._z, z])
        self._renew()

    def _admit_directions(self) -> None:
        """Take directions into the working set that are longer than all that are in it, or soon may be.

        Peaks first; others fill it up to twice the number that can bind.
        """
        if not len(self._keys):
            return
        known = set(self._working.tolist())
        outside = np.array([key not in known for key in self._keys.tolist()])
        wanted = max(int(outside[: self._peaks].sum()), self._bind - len(self._working))
        new = self._keys[outside][: min(wanted, self._size)]
        if not len(new):
            return
        y = self.directions.vectors(new)
        u = (y @ self._root) @ self._root.T
        square = np.einsum("ij,ij->i", y, u)
        s = np.maximum(self._room(1.0 - square), 1e-3 * square)
        self._working = np.concatenate([self._working, new])
        self._y, self._u = np.vstack([self._y, y]), np.vstack([self._u, u])
        self._w, self._s = np.concatenate([self._w, self._nu() / s]), np.concatenate([self._s, s])
        self._whole = np.vstack([self._whole, y @ self._root])

    def _room(self, slack: Floats) -> Floats:
        """Slacks for those that join: not so small that they would block the next step."""
        return np.asarray(np.maximum(slack, 0.1 * np.sqrt(self._nu() * len(self._mu) / self._mu.sum())))

    def _nu(self) -> float:
        """Average complementarity product."""
        return float(self._w @ self._s + self._mu @ self._z) / (len(self._w) + len(self._mu))

    def _move(self, mu: Floats, s: Floats, w: Floats, z: Floats, u: Floats, length: float) -> None:
        """Take the step, shortened while it would lose more than it gains (far from the central path)."""
        before = self._mu, self._w, self._u
        for attempt in range(5):
            self._mu, self._w, self._u = before[0] + length * mu, before[1] + length * w, before[2] + length * u
            self._renew()
            self._look(self._root)
            self._weigh()
            if attempt == 4 or relative_gap(*self._bounds) <= 3.0 * self._excess:
                break
            length *= 0.5
        self._s, self._z = self._s + length * s, self._z + length * z


class _NewtonStep:
    """The linearised conditions at one iterate, reduced to Δμ; all in the coordinates in which A is one."""

    def __init__(self, at: InteriorPoint, form: type[_Dense] | type[_Products]) -> None:
        self.at = at
        white, whole, w = at._white, at._whole, at._w
        y = at._y @ at._root
        self.unmet = y - whole  # of A u = y
        self.primal = np.einsum("ij,ij->i", whole, y + self.unmet) + at._s - 1.0
        self.dual = 1.0 - at._z - _forms(white, (whole.T * w) @ (whole + 2.0 * self.unmet))
        half = np.sqrt(at._mu)[:, None]
        self.matrix = form(white * half, whole, w, at._s, at._z * at._mu)

    def direction(self) -> Direction:
        """Mehrotra's."""
        at = self.at
        nu = at._nu()
        total = len(at._w) + len(at._mu)
        mu, s, w, z, _ = self._solve(-at._w * at._s, -at._mu * at._z)
        length = self._room(mu, s, w, z)
        reached = float((at._w + length * w) @ (at._s + length * s) + (at._mu + length * mu) @ (at._z + length * z))
        centring = min(1.0, reached / total / nu) ** 3
        least = max(at.floor, min((0.01 if at.careful else NEAR_PATH) * at._excess, 1.0))
        centring = min(1.0, max(centring, least * float(at._mu.sum()) / total / nu))
        # After a short predictor step its second-order term speaks of a place that is not reached.
        trust = 0.0 if at.careful else 1.0 if length > 0.3 else length**2
        mu, s, w, z, change = self._solve(
            centring * nu - at._w * at._s - trust * w * s, centring * nu - at._mu * at._z - trust * mu * z
        )
        near = 0.7 if at.careful else min(max(0.9, 1.0 - 10.0 * nu * total / float(at._mu.sum())), 0.9995)
        length = min(1.0, near * self._room(mu, s, w, z))
        return mu, s, w, z, (self.unmet - at._whole @ change) @ at._root.T, length

    def _solve(self, target_w: Floats, target_z: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Changes of μ, s, w, z, and of A."""
        at = self.at
        pull = (target_w + at._w * self.primal) / at._s
        right = _forms(at._white, (at._whole.T * pull) @ at._whole) - self.dual + target_z / at._mu
        mu = self.matrix.solve(at._mu * right) * at._mu
        change = (at._white.T * mu) @ at._white
        s = _forms(at._whole, change) - self.primal
        return mu, s, (target_w - at._w * s) / at._s, (target_z - at._z * mu) / at._mu, change

    def _room(self, mu: Floats, s: Floats, w: Floats, z: Floats) -> float:
        at = self.at
        return min(_room(at._mu, mu), _room(at._s, s), _room(at._w, w), _room(at._z, z))


class _Dense:
    """The system arms × arms, in units of μ, which tames its condition: t tᵀ ∘ t K tᵀ, what slacks add, and z μ.

    With t = √μ x and K = 2 Σ w u uᵀ; the slacks add Σ_y (w/s) μ (xᵀu)² (x'ᵀu)² μ'.
    """

    def __init__(self, t: Floats, u: Floats, w: Floats, s: Floats, diagonal: Floats) -> None:
        from gems_engine.lapack import dsyrk  # here: a window shows its forms before it needs to load this

        matrix = dsyrk(1.0, t.T, trans=1, lower=1)
        matrix *= ((t @ ((2.0 * u.T * w) @ u)) @ t.T).T
        count, d = u.shape
        if count < 4 * (d * (d + 1) // 2):
            active = np.square(t @ u.T) * np.sqrt(w / s)
        else:  # (xᵀu)² is linear in the products of two coordinates: a triangle over these has it all
            slacks = _products(u, 2.0) * np.sqrt(w / s)[:, None]
            active = np.ascontiguousarray(_products(t) @ np.asarray(np.linalg.qr(slacks, mode="r")).T)
        matrix = dsyrk(1.0, active.T, beta=1.0, c=matrix, trans=1, lower=1, overwrite_c=1)
        self.factor = _cholesky(matrix, diagonal)

    def solve(self, right: Floats) -> Floats:
        return _back(self.factor, right)


class _Products:
    """The same system as D + P M Pᵀ: every entry depends on an arm only through the products of its coordinates.

    In the coordinates that make K diagonal, P are the products t_a t_b (a ≤ b) of each arm, and M is diagonal but for
    the slacks' part, which is a product of the directions' products. Its solution is that of a system of the
    size d(d+1)/2. But D, which is divided by, goes to 0 for the arms that keep weight: this form does not reach 1e-10.
    """

    def __init__(self, t: Floats, u: Floats, w: Floats, s: Floats, diagonal: Floats) -> None:
        from gems_engine.lapack import dtrmm  # here: a window shows its forms before it needs to load this

        bend, axes = np.linalg.eigh((2.0 * u.T * w) @ u)
        first, second = np.triu_indices(len(bend))
        self.diagonal, self.products = diagonal, _products(t @ axes)
        slacks = _products(u @ axes, 2.0) * np.sqrt(w / s)[:, None]
        self.middle = slacks.T @ slacks
        self.middle.flat[:: len(first) + 1] += np.where(first == second, bend[first], bend[first] + bend[second])
        scaled = self.products / np.sqrt(diagonal)[:, None]
        self.root = _cholesky(self.middle, 1e-14 * self.middle.max())  # few directions leave it singular
        system = dtrmm(1.0, self.root, scaled.T @ scaled, side=1, lower=1)
        system = dtrmm(1.0, self.root, system, side=0, lower=1, trans_a=1)
        self.factor = _cholesky(system, 1.0)

    def solve(self, right: Floats) -> Floats:
        """With steps of refinement; an error where these do not solve the system, at the end of this form's digits."""
        answer, unmet = np.zeros_like(right), right
        for _ in range(REFINEMENTS):
            answer += self._about(unmet)
            unmet = right - self.diagonal * answer - self.products @ (self.middle @ (self.products.T @ answer))
            if np.abs(unmet).max() <= SOLVED * np.abs(right).max():
                return answer
        raise np.linalg.LinAlgError

    def _about(self, right: Floats) -> Floats:
        inner = self.root.T @ ((right / self.diagonal) @ self.products)
        return (right - self.products @ (self.root @ _back(self.factor, inner))) / self.diagonal


def dense_cost(arms: int, directions: int, d: int) -> float:
    """Multiplications to set up and factor the dense system."""
    return arms**3 / 6 + arms**2 * (min(directions, 4 * (d * (d + 1) // 2)) / 2 + 1.5 * d)


def products_cost(arms: int, directions: int, d: int) -> float:
    """The same for the system of products; that takes more, if smaller, operations, which are counted as a million."""
    products = d * (d + 1) // 2
    return (arms + directions) * products**2 / 2 + 4 * products**3 / 3 + 1e6


def _cholesky(matrix: Floats, diagonal: Floats | float) -> Floats:
    """The lower triangle of the factor of a symmetric matrix with this added to its diagonal.

    With a nudge where rounding asks for it: of the Newton step only, no bound depends on it.
    """
    from gems_engine.lapack import dpotrf

    own = matrix.diagonal() + diagonal
    for nudge in (0.0, 1e-15, 1e-13, 1e-11):
        np.fill_diagonal(matrix, own * (1.0 + nudge))
        factor, failed = dpotrf(matrix, lower=1)
        if not failed:
            return np.asarray(factor)
    raise np.linalg.LinAlgError


def _back(factor: Floats, right: Floats) -> Floats:
    """The solution of a system from its Cholesky factor."""
    from gems_engine.lapack import dpotrs

    return np.asarray(dpotrs(factor, right, lower=1)[0])


def _forms(rows: Floats, matrix: Floats) -> Floats:
    """xᵀMx of every row: sums over squares of products with other vectors need no table of them."""
    return np.asarray(np.einsum("ij,ij->i", rows @ matrix, rows))


def _products(rows: Floats, twice: float = 1.0) -> Floats:
    """Of every row the products of two coordinates, those of different ones so often."""
    first, second = np.triu_indices(rows.shape[1])
    return rows[:, first] * rows[:, second] * np.where(first == second, 1.0, twice)


def _room(value: Floats, change: Floats) -> float:
    """The largest step in [0, 1] that keeps value ≥ 0."""
    worst = float((change / value).min())
    return 1.0 if worst >= -1.0 else -1.0 / worst
