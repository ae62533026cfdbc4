"""The certified solver: a primal–dual interior-point method whose every iterate proves how good it is.

By homogeneity the design is  min Σ_x μ_x  over μ ≥ 0 with  yᵀA(μ)⁻¹y ≤ 1  for every direction (λ = μ/Σμ), which
needs neither a variable for the value nor an equation for the simplex. With c_xy = μ_x xᵀu_y its optimality
conditions are

    A(μ) u_y = y                         the estimator of y is unbiased
    u_yᵀ A(μ) u_y + s_y = 1              w_y s_y = ν
    Σ_y w_y (xᵀu_y)² + z_x = 1           μ_x z_x = ν

and Newton's method on *these*, with u_y as unknowns of their own instead of A(μ)⁻¹y, converges fast even if the
optimal A is singular: there u is not a function of the optimal μ. Eliminating all but Δμ leaves one positive definite
system (Mehrotra's predictor and corrector share its factor).

The same method is used for ten arms and for tens of thousands. What keeps it fast:

- The system is solved in the form that takes the fewest operations and is accurate enough (:mod:`newton`): far from
  the optimum by conjugate gradients, then from a factor in single precision or in products of two coordinates, and
  finally arms × arms, with the arms and directions that the multipliers have not ruled out by then. The cost of an
  iteration is the smallest of smooth functions.
- The start is near: a few rounds of multiplicative updates, which cost little, come first.
- A right side costs little compared with a factor, so correctors make steps longer and fewer.
- Sums over arms or directions of squares of products are quadratic forms: no large table of arms × directions
  is needed.
- Only a working set of directions takes part. Those that are about to be the longest join it before they are: one that
  is missing at the end costs a whole iteration.

Bounds, after every iteration: max over *all* directions at λ from above, and for whatever w and u have been reached
(Σ w yᵀu)² / (Σ w · max_x Σ w (xᵀu)²) over *all* arms x from below (Cauchy–Schwarz). So no rounding in a Newton step,
and no arm or direction that does not take part, can spoil a proof.
"""

from __future__ import annotations

import math

import numpy as np

from gems_engine.arrays import Floats, Integers, relative_gap
from gems_engine.design.directions import BALL, spread, squares_of
from gems_engine.design.information import inverse_root, roots
from gems_engine.design.newton import Dense, Form, Iterated, Products, Single, back, forms
from gems_engine.design.problem import Geometry

FLOOR = 1e-11
"""ν is not driven below this part of the value: beyond, w/s outgrows the digits of the Newton system."""

PATIENCE = 25
"""Iterations without progress after which the method starts again with care, and then calls itself stalled."""

NEAR_PATH = 1e-4
"""ν keeps at least this part of the present gap: where bounds lag behind ν, the iterate has left the central path."""

FEW_ARMS = 60
"""Up to this many there is little to gain: the start is even, no arm leaves, a direction joins as the longest."""

NEAR = 0.03
"""Directions join the working set before they are the longest: from this part below it, or a third of the gap."""

FORMS: tuple[type[Form], ...] = (Iterated, Single, Products, Dense)
"""Of the Newton system, those with more digits last."""

SETTLING = 1e-2
"""The gap from which on arms and directions may leave. Of more arms than a ball has, all directions near the longest
join from there on, not only the farthest of each target."""

SLACK, EVEN_SLACK = 1.1, 1.5
"""The start is this many times what its longest direction needs; the larger one where it is even."""

ROUNDS, LEAST_WORTH = 5, 0.01
"""How often weights grow with worth before the start, and what counts for least, in parts of the best."""

LONG, LONGER = 0.95, 0.3
"""Correctors are tried for steps shorter than this, and try for as much more."""

Changes = tuple[Floats, Floats, Floats]
"""Of μ in units of it, of μ and s, of z and w."""

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
        self._forms = FORMS
        self._release_at = SETTLING
        self._some = np.arange(len(self.arms))
        self._root = np.eye(self.arms.shape[1])  # A of even weights is one in the geometry's coordinates
        self._working = self.directions.initial(self._root, self._size)
        self._known = set(self._working.tolist())
        self._y = self._u = self._seen = self.directions.vectors(self._working)
        self._mu, self._white = np.ones(len(self.arms)), self.arms
        slack = EVEN_SLACK
        if self._foresees:
            self._mu, slack = self._by_worth(), SLACK
            self._renew()
        self._look()
        start = slack * self._longest  # slack for every direction
        self._longest /= start
        self._mu = start * self._mu
        half = np.sqrt(start)
        self._root, self._white = self._root / half, self._white / half
        self._seen = self._whole = self._seen / half
        self._u = self._seen @ self._root.T
        self._s = 1.0 - np.einsum("ij,ij->i", self._y, self._u)
        self._w = 1.0 / self._s
        worths = self._worths(self._w)
        scale = 0.9 / float(worths.max())
        self._w *= scale
        self._weigh(worths * scale)
        self._z = np.maximum(1.0 - self._worth, 0.05)
        self._measure()

    @property
    def _foresees(self) -> bool:
        """Whether work to come is worth preparing for, and nothing has gone wrong yet."""
        return len(self.arms) > FEW_ARMS and not self.careful

    def _by_worth(self) -> Floats:
        """Even weights after a few rounds in which each grows with what its arm is worth to the longest directions.

        A round costs a tenth of a step, and together they save two or three.
        """
        from gems_engine.lapack import dpotrf  # here: a window shows its forms before it needs to load this

        mu = np.ones(len(self.arms))
        u, square = self._y, squares_of(self._y)
        for _ in range(ROUNDS):
            w = np.square(np.square(square / square.max()))  # the longest count most
            worth = forms(self.arms, (u.T * w) @ u)
            mu *= np.sqrt(np.maximum(worth / worth.max(), LEAST_WORTH))
            factor, _ = dpotrf((self.arms.T * mu) @ self.arms, lower=1)  # weights this even leave no doubt of it
            u = back(factor, self._y.T).T
            square = np.einsum("ij,ij->i", self._y, u)
        return mu

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
        """By the cheapest form of the Newton system that has the digits; there is no way back to one with fewer."""
        while True:
            form = min(self._forms, key=lambda each: each.cost(*self._counts))
            rest = self._forms[self._forms.index(form) :]
            try:
                step = _NewtonStep(self, form)
                direction = step.direction()
            except np.linalg.LinAlgError:
                if form is Dense:
                    raise
                self._forms = rest[1:]
                if form is Products:  # the next one is arms by arms
                    self._release_at = np.inf
                    self._release()
                    self._thin()
                continue
            self._forms = rest[1:] if step.form.spent else rest
            return direction

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
        """What follows from μ and u: A's root, and arms, directions and u in the coordinates in which A is one."""
        inside = self.arms if len(self._some) == len(self.arms) else self.arms[self._some]
        whole, self._root = roots(inside, self._mu)
        self._white = inside @ self._root
        self._seen = self._y @ self._root
        self._whole = self._u @ whole.T

    def _look(self) -> None:
        """Directions that are long now, and the squared norm of the longest of all."""
        reach = self._longest = float(squares_of(self._seen).max())
        self._keys, self._peaks = self._working[:0], 0
        if len(self._working) == self.directions.count:
            return
        part = 1.0 - min(NEAR, 0.3 * self._excess) if len(self.arms) > FEW_ARMS else 1.0 + 1e-11
        every = len(self.arms) > BALL and self._excess < SETTLING and len(self._working) < self._bind
        most = self._bind if every else 0
        self._keys, squares, self._peaks = self.directions.longer(self._root, part * reach, most)
        self._longest = max(reach, float(squares.max(initial=0.0)))

    def _worths(self, w: Floats) -> Floats:
        """Σ w (xᵀu)² of all arms."""
        white = self._white if len(self._some) == len(self.arms) else self.arms @ self._root
        return forms(white, (self._whole.T * w) @ self._whole)

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

    def _weigh(self, worth: Floats) -> None:
        """The bounds that the iterate proves, from what every arm is worth to the lower one."""
        self._worth = worth
        along = float(self._w @ np.einsum("ij,ij->i", self._y, self._u))
        lower = along * along / (float(self._worth.max()) * float(self._w.sum()))
        self._bounds = float(self._mu.sum() * self._longest), lower if math.isfinite(lower) else 0.0

    def _release(self) -> None:
        """Let arms and directions go that multipliers have ruled out, each time that the gap is five times smaller."""
        if self._excess > self._release_at or len(self._mu) <= FEW_ARMS:
            return
        self._release_at = 0.2 * self._excess
        most = self._forms[0].ruled_out
        stay = self._s < most * self._w * len(self._w) / self._w.sum()
        if not stay.all():
            self._known.difference_update(self._working[~stay].tolist())
            self._working, self._w, self._s = self._working[stay], self._w[stay], self._s[stay]
            self._y, self._u, self._seen, self._whole = (
                each[stay] for each in (self._y, self._u, self._seen, self._whole)
            )
        stay = self._z < most * self._mu * len(self._mu) / self._mu.sum()
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
        worth = self._worth.copy()
        worth[self._some] = 0.0
        new = (worth > float(self._worth[self._some].max()) * (1.0 + 1e-11)).nonzero()[0]
        if not len(new):
            return
        z = self._room(1.0 - self._worth[new])
        mu, some = self._nu() / z, np.concatenate([self._some, new])
        order = some.argsort()  # where all arms are back, each is in its place
        self._some = some[order]
        self._mu, self._z = np.concatenate([self._mu, mu])[order], np.concatenate([self._z, z])[order]
        self._renew()

    def _admit_directions(self) -> None:
        """Take directions into the working set that are longer than all that are in it, or soon may be.

        Peaks first; others fill it up to twice the number that can bind.
        """
        outside = np.array([key not in self._known for key in self._keys.tolist()], dtype=bool)
        if not outside.any():
            return
        wanted = max(int(outside[: self._peaks].sum()), self._bind - len(self._working))
        new = self._keys[outside][: min(wanted, self._size)]
        if not len(new):
            return
        y = self.directions.vectors(new)
        seen = y @ self._root
        u = seen @ self._root.T
        square = np.einsum("ij,ij->i", y, u)
        s = np.maximum(self._room(1.0 - square), 1e-3 * square)
        self._working = np.concatenate([self._working, new])
        self._known.update(new.tolist())
        self._y, self._u = np.vstack([self._y, y]), np.vstack([self._u, u])
        self._w, self._s = np.concatenate([self._w, self._nu() / s]), np.concatenate([self._s, s])
        self._seen, self._whole = np.vstack([self._seen, seen]), np.vstack([self._whole, seen])

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
            self._look()
            self._weigh(self._worths(self._w))
            if attempt == 4 or relative_gap(*self._bounds) <= 10.0 * self._excess:
                break
            length *= 0.5
        self._s, self._z = self._s + length * s, self._z + length * z


class _NewtonStep:
    """The linearised conditions at one iterate, reduced to Δμ; all in the coordinates in which A is one.

    μ and s are one vector, z and w another: the conditions are that their products are equal.
    """

    def __init__(self, at: InteriorPoint, form: type[Form]) -> None:
        self.at = at
        whole, w, mu = at._whole, at._w, at._mu
        self.value, self.other = np.concatenate([mu, at._s]), np.concatenate([at._z, w])
        self.product = self.value * self.other
        self.unmet = at._seen - whole  # of A u = y
        ahead = at._seen + self.unmet
        self.primal = np.einsum("ij,ij->i", whole, ahead) + at._s - 1.0
        t = at._white * np.sqrt(mu)[:, None]
        apart = self.product[: len(mu)]
        self.dual = mu - apart - forms(t, (whole.T * w) @ ahead)  # in units of μ
        self.form = form(t, whole, w, at._s, apart, at._excess)

    def direction(self) -> Direction:
        """Mehrotra's."""
        at, arms, total = self.at, len(self.at._mu), len(self.value)
        nu, size = float(self.product.sum()) / total, float(at._mu.sum())
        _, value, other = found = self._solve(-self.product)
        length = self._room(found)
        # The sum of products changes by their linear part, which is solved for, and by the second order.
        reached = (1.0 - length) * nu + length**2 * float(value @ other) / total
        centring = min(1.0, reached / nu) ** 3
        least = max(at.floor, min((0.01 if at.careful else NEAR_PATH) * at._excess, 1.0))
        centring = min(1.0, max(centring, least * size / total / nu))
        # After a short predictor step its second-order term speaks of a place that is not reached.
        trust = 0.0 if at.careful else 1.0 if length > 0.3 else length**2
        found, room = self._centred(centring * nu - self.product - trust * value * other, centring * nu)
        near = 0.7 if at.careful else min(max(0.9, 1.0 - 10.0 * nu * total / size), 0.9995)
        length = min(1.0, near * room)
        part, value, other = found
        change = (self.form.t.T * part) @ self.form.t
        u = (self.unmet - at._whole @ change) @ at._root.T
        return value[:arms], value[arms:], other[arms:], other[:arms], u, length

    def _centred(self, aim: Floats, nu: float) -> tuple[Changes, float]:
        """The solution for these changes of products, and for others while that allows a longer step (Gondzio).

        Where the step could be longer but for products that are far from the others, it is these that are aimed at.
        """
        found = self._solve(aim)
        room = self._room(found)
        for _ in range(self.form.correctors if self.at._foresees and room < LONG else 0):
            ahead = min(1.0, room + LONGER)
            reached = (self.value + ahead * found[1]) * (self.other + ahead * found[2])
            aim = aim + np.maximum(np.minimum(np.maximum(reached, 0.1 * nu), 10.0 * nu) - reached, -10.0 * nu)
            try:
                other = self._solve(aim)
            except np.linalg.LinAlgError:  # what was found has the digits
                break
            if (longer := self._room(other)) < room + 0.02:
                break
            found, room = other, longer
        return found, room

    def _solve(self, aim: Floats) -> Changes:
        """What changes products by this, but for the second order."""
        arms = len(self.at._mu)
        pull = (aim[arms:] + self.other[arms:] * self.primal) / self.value[arms:]
        part = self.form.solve(self.form.over_directions(pull) - self.dual + aim[:arms])
        value = np.concatenate([part * self.value[:arms], self.form.over_arms(part) - self.primal])
        return part, value, (aim - self.other * value) / self.value

    def _room(self, found: Changes) -> float:
        """The largest step in [0, 1] that keeps everything at least 0."""
        worst = min(float((found[1] / self.value).min()), float((found[2] / self.other).min()))
        return 1.0 if worst >= -1.0 else -1.0 / worst
