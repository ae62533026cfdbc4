"""The Newton system of the interior-point method: one positive definite system for Δμ in units of μ, in four forms.

In the coordinates in which A is the identity, with t = √μ x and K = 2 Σ w u uᵀ, its matrix is

    t tᵀ ∘ t K tᵀ  +  Σ_y (w/s) (tᵀu)² (t'ᵀu)²  +  diag(z μ)

The closer to the optimum, the more digits are needed to solve it. Two forms are direct: arms × arms (:class:`Dense`),
which is always accurate enough, and in products of coordinates (:class:`Products`). Two use conjugate gradients,
preconditioned by the diagonal (:class:`Iterated`) or by a factor in single precision (:class:`Single`). The cheapest
form that is accurate enough is used.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers
from gems_engine.design.directions import BLOCK, squares_of

SOLVED, REFINEMENTS = 1e-9, 12
"""The dense form replaces the form in products if more than this part of a right side remains after 12 steps."""

ROUGH = 0.01
"""Conjugate gradients go on until this part of the gap remains of a right side, in the norm of where they start."""

CALLS = 1e6
"""What calls of many small operations cost, in multiplications."""

TABLE = 200_000
"""Squares of products of arms and directions are in a table up to this size; larger ones are slower than forms."""


class Form:
    """What all forms share: how sums over arms or directions are taken.

    Attributes
    ----------
    spent
        Whether the next system, nearer to the optimum, is likely to be too much for this form.
    correctors
        The number of extra right sides that pay off, since they cost little compared with the setup.
    ruled_out
        An arm is dropped if its multiplier is this many times its share of the weights, and a direction if its slack is
        as many times its share of the multipliers. They may be added again.
    """

    spent = False
    correctors: ClassVar[int] = 2
    ruled_out: ClassVar[float] = 0.3

    def __init__(self, t: Floats, u: Floats, w: Floats, s: Floats, diagonal: Floats, gap: float) -> None:
        self.t, self.u, self.diagonal, self.slacks = t, u, diagonal, w / s
        self.enough = (ROUGH * min(gap, 0.1)) ** 2
        self.bend: Floats = (u.T * (2.0 * w)) @ u
        self.squares = np.square(t @ u.T) if len(t) * len(u) <= TABLE else None

    @staticmethod
    def cost(arms: int, directions: int, d: int) -> float:
        """Multiplications to set up and solve a system of this size."""
        raise NotImplementedError

    def solve(self, right: Floats) -> Floats:
        """The solution, or ``LinAlgError`` where this form has not the digits."""
        raise NotImplementedError

    def over_directions(self, values: Floats) -> Floats:
        """Σ_y v_y (tᵀu)² of every arm."""
        if self.squares is not None:
            return np.asarray(self.squares @ values)
        return forms(self.t, (self.u.T * values) @ self.u)

    def over_arms(self, values: Floats) -> Floats:
        """Σ_x v_x (tᵀu)² of every direction."""
        if self.squares is not None:
            return np.asarray(values @ self.squares)
        return forms(self.u, (self.t.T * values) @ self.t)

    def _matrix(self, dtype: type[np.floating[Any]]) -> NDArray[Any]:
        """The lower triangle without the diagonal part, in blocks: there is one table of arms × arms only."""
        from gems_engine import lapack  # here: a window shows its forms before it needs to load this

        syrk = lapack.dsyrk if dtype is np.float64 else lapack.ssyrk
        t, u, per_direction = self.t.astype(dtype, copy=False), self.u, np.sqrt(self.slacks)
        matrix = syrk(1.0, t.T, trans=1, lower=1)
        bent = t @ self.bend.astype(dtype, copy=False)
        for at in range(0, len(t), BLOCK):
            matrix[at:, at : at + BLOCK] *= (bent[at : at + BLOCK] @ t[at:].T).T
        count, d = u.shape
        if triangle_cost(len(t), count, d) < table_cost(len(t), count):
            # (tᵀu)² is linear in the products of two coordinates: a triangle over these has it all
            triangle = np.asarray(np.linalg.qr(products(u, 2.0) * per_direction[:, None], mode="r"), dtype=dtype)
            active = np.ascontiguousarray(products(t) @ triangle.T)
            return np.asarray(syrk(1.0, active.T, beta=1.0, c=matrix, trans=1, lower=1, overwrite_c=1))
        u, per_direction = u.astype(dtype, copy=False), per_direction.astype(dtype, copy=False)
        for at in range(0, count, BLOCK):
            some = slice(at, at + BLOCK)
            seen = np.square(t @ u[some].T) if self.squares is None else self.squares[:, some].astype(dtype, copy=False)
            matrix = syrk(1.0, (seen * per_direction[some]).T, beta=1.0, c=matrix, trans=1, lower=1, overwrite_c=1)
        return np.asarray(matrix)


class Dense(Form):
    """The matrix itself, arms × arms, by its Cholesky factor."""

    @staticmethod
    def cost(arms: int, directions: int, d: int) -> float:
        """The cost of assembling and factoring the matrix."""
        slacks = min(table_cost(arms, directions), triangle_cost(arms, directions, d))
        return arms**3 / 6 + 1.5 * arms**2 * d + slacks

    def __init__(self, t: Floats, u: Floats, w: Floats, s: Floats, diagonal: Floats, gap: float) -> None:
        super().__init__(t, u, w, s, diagonal, gap)
        from gems_engine.lapack import dpotrf

        # With a nudge where rounding asks for it: of the Newton step only, no bound depends on it.
        for nudge in (0.0, 1e-15, 1e-13, 1e-11):
            matrix = self._matrix(np.float64)
            np.fill_diagonal(matrix, (matrix.diagonal() + diagonal) * (1.0 + nudge))
            self.factor, failed = dpotrf(matrix, lower=1, overwrite_a=1)
            if not failed:
                return
        raise np.linalg.LinAlgError

    def solve(self, right: Floats) -> Floats:
        """Solve with the factor."""
        return back(self.factor, right)


class Products(Form):
    """The same as D + P M Pᵀ: every entry depends on an arm only through the products of its coordinates.

    In the coordinates that make K diagonal, P are the products t_a t_b (a ≤ b) of each arm, and M is diagonal except
    for the part of the slacks, a product of the directions' products. The solution follows from a system of the size
    d(d+1)/2. But it divides by D, which goes to 0 for the arms that keep weight: this form does not reach 1e-10.
    """

    ruled_out = 100.0  # with fewer arms it is hardly faster, and sooner at the end of its digits

    @staticmethod
    def cost(arms: int, directions: int, d: int) -> float:
        """The cost of more but smaller operations."""
        count = d * (d + 1) // 2
        return (arms + directions) * count**2 / 2 + 4 * count**3 / 3 + CALLS

    def __init__(self, t: Floats, u: Floats, w: Floats, s: Floats, diagonal: Floats, gap: float) -> None:
        from gems_engine.lapack import dtrmm  # here: a window shows its forms before it needs to load this

        super().__init__(t, u, w, s, diagonal, gap)
        bend, axes = np.linalg.eigh(self.bend)
        first, second = pairs_of(len(bend))
        self.products = products(t @ axes)
        slacks = products(u @ axes, 2.0) * np.sqrt(self.slacks)[:, None]
        self.middle = slacks.T @ slacks
        self.middle.flat[:: len(first) + 1] += np.where(first == second, bend[first], bend[first] + bend[second])
        scaled = self.products / np.sqrt(diagonal)[:, None]
        self.root = cholesky(self.middle, 1e-14 * self.middle.max())  # few directions leave it singular
        system = dtrmm(1.0, self.root, scaled.T @ scaled, side=1, lower=1)
        system = dtrmm(1.0, self.root, system, side=0, lower=1, trans_a=1)
        self.factor = cholesky(system, 1.0)

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
        return (right - self.products @ (self.root @ back(self.factor, inner))) / self.diagonal


class Iterated(Form):
    """The matrix is never formed: conjugate gradients, in which a step costs only (arms + directions)·d².

    Far from the optimum the diagonal dominates, so that a few steps suffice, and a rough direction is good enough.

    Attributes
    ----------
    most
        Steps for a right side.
    """

    most: ClassVar[int] = 40
    correctors = 0

    @staticmethod
    def cost(arms: int, directions: int, d: int) -> float:
        """The cost of half the largest number of steps, for two right sides."""
        return Iterated.most * _step_cost(arms, directions, d)

    def __init__(self, t: Floats, u: Floats, w: Floats, s: Floats, diagonal: Floats, gap: float) -> None:
        super().__init__(t, u, w, s, diagonal, gap)
        self.inverse = 1.0 / (diagonal + squares_of(t) * forms(t, self.bend))

    def solve(self, right: Floats) -> Floats:
        """An approximate solution; raises an error if it would take too many steps."""
        answer, unmet = np.zeros_like(right), right
        along = ahead = self._about(right)
        first = square = float(right @ ahead)
        for taken in range(1, self.most + 1):
            bent = self._times(along)
            length = square / float(along @ bent)
            answer, unmet = answer + length * along, unmet - length * bent
            ahead = self._about(unmet)
            before, square = square, float(unmet @ ahead)
            if square <= self.enough * first:
                self.spent |= 3 * taken >= self.most
                return answer
            along = ahead + (square / before) * along
        raise np.linalg.LinAlgError

    def _about(self, right: Floats) -> Floats:
        """Where the steps start from."""
        return self.inverse * right

    def _times(self, values: Floats) -> Floats:
        """The matrix times this."""
        change = (self.t.T * values) @ self.t
        pull = self.slacks * forms(self.u, change)
        return self.diagonal * values + forms(self.t, change @ self.bend + (self.u.T * pull) @ self.u)


class Single(Iterated):
    """By conjugate gradients from the matrix's factor in single precision, which takes half as long."""

    most: ClassVar[int] = 12
    correctors = 2

    @staticmethod
    def cost(arms: int, directions: int, d: int) -> float:
        """The cost of a factor, and of steps that use it."""
        steps = Single.most * (_step_cost(arms, directions, d) + arms**2)
        return Dense.cost(arms, directions, d) / 2 + steps

    def __init__(self, t: Floats, u: Floats, w: Floats, s: Floats, diagonal: Floats, gap: float) -> None:
        from gems_engine.lapack import spotrf

        Form.__init__(self, t, u, w, s, diagonal, gap)
        matrix = self._matrix(np.float32)
        np.fill_diagonal(matrix, matrix.diagonal() + diagonal)
        self.factor, failed = spotrf(matrix, lower=1, overwrite_a=1)
        if failed:
            raise np.linalg.LinAlgError

    def _about(self, right: Floats) -> Floats:
        from gems_engine.lapack import spotrs

        return np.asarray(spotrs(self.factor, right.astype(np.float32), lower=1)[0], dtype=np.float64)


def table_cost(arms: int, directions: int) -> float:
    """Multiplications for the slacks' part of the matrix from the table of arms and directions."""
    return arms**2 * directions / 2


def triangle_cost(arms: int, directions: int, d: int) -> float:
    """The same from a triangle over the products of coordinates."""
    count = d * (d + 1) // 2
    return (2 * directions + arms) * count**2 + arms**2 * count / 2 + CALLS


def _step_cost(arms: int, directions: int, d: int) -> float:
    """Of a step of conjugate gradients."""
    return 2 * (arms + directions) * d * d + CALLS / 10


def cholesky(matrix: Floats, diagonal: float) -> Floats:
    """The lower triangle of the factor of a symmetric matrix with this added to its diagonal, nudged where needed."""
    from gems_engine.lapack import dpotrf

    own = matrix.diagonal() + diagonal
    for nudge in (0.0, 1e-15, 1e-13, 1e-11):
        np.fill_diagonal(matrix, own * (1.0 + nudge))
        factor, failed = dpotrf(matrix, lower=1)
        if not failed:
            return np.asarray(factor)
    raise np.linalg.LinAlgError


def back(factor: Floats, right: Floats) -> Floats:
    """The solution of a system from its Cholesky factor."""
    from gems_engine.lapack import dpotrs

    return np.asarray(dpotrs(factor, right, lower=1)[0])


def forms(rows: Floats, matrix: Floats) -> Floats:
    """xᵀMx of every row: sums over squares of products with other vectors need no table of them."""
    return np.asarray(np.einsum("ij,ij->i", rows @ matrix, rows))


def products(rows: NDArray[Any], twice: float = 1.0) -> NDArray[Any]:
    """Of every row the products of two coordinates, those of different ones so often."""
    first, second = pairs_of(rows.shape[1])
    found = rows[:, first] * rows[:, second]
    if twice != 1.0:
        found *= np.where(first == second, 1.0, twice)
    return np.asarray(found)


@lru_cache(maxsize=256)
def pairs_of(d: int) -> tuple[Integers, Integers]:
    """Which two coordinates each product is of."""
    return np.triu_indices(d)
