"""Designs that are solved only once, however often they are needed.

A design is a pure function of its problem, its solver and its tolerance, and so is every intermediate bound. OPT stops
a solve as soon as its bounds decide, which depends on the budget. So the whole sequence is stored, and every caller
follows it from the start: what a caller sees does not depend on earlier callers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from hashlib import blake2b

import numpy as np

from gems_engine.arrays import Floats, bytes_of_arrays
from gems_engine.design.information import design_value
from gems_engine.design.problem import DesignProblem
from gems_engine.design.proof import upper_bound
from gems_engine.design.result import Design
from gems_engine.design.solve import DesignSolve
from gems_engine.errors import Cancelled
from gems_engine.memo import MEMO, Memo


class Solution:
    """A problem, and its solve as far as it was needed.

    Parameters
    ----------
    problem, solver, tolerance
        As for a :class:`~gems_engine.design.DesignSolve`.
    """

    def __init__(self, problem: DesignProblem, solver: str, tolerance: float) -> None:
        self.problem = problem
        self._settings = solver, tolerance
        self._lock = threading.RLock()  # a memo is shared by threads
        self._furthest: DesignSolve | None = None
        self._bounds: list[tuple[float, float]] = []  # upper and lower, after 0, 1, 2, … iterations
        self._proven: dict[int, tuple[float, float]] = {}
        self._weights: dict[int, Floats] = {}
        self._design: Design | None = None
        self._end: int | None = None
        self._values: dict[bytes, float] = {}
        self._uppers: dict[bytes, float] = {}

    @property
    def nbytes(self) -> int:
        """About how much room it takes."""
        found = nbytes_of(self.problem)
        if self._furthest is not None:
            found += self._furthest.nbytes
        if self._design is not None:
            found += bytes_of_arrays(self._design) + bytes_of_arrays(self._design.dual)
        found += sum(each.nbytes for each in self._weights.values())
        return found + 128 * (len(self._bounds) + len(self._values) + len(self._uppers)) + 4096

    def start(self) -> Following:
        """Follow the solve from its start."""
        return Following(self)

    def design(self, stop: Callable[[], bool] | None = None) -> Design:
        """The finished design.

        Raises
        ------
        Cancelled
            If `stop` returns True; it is called before every iteration, and once if the design is known.
        """
        while stop is None or not stop():
            if self._design is not None:
                return self._design
            self._reach(len(self._bounds))
        raise Cancelled

    def bounds(self, iteration: int) -> tuple[float, float]:
        """Upper and lower bound, as computed."""
        self._reach(iteration)
        return self._bounds[iteration]

    def is_end(self, iteration: int) -> bool:
        """Whether further iterations bring no improvement."""
        self._reach(iteration)
        return iteration == self._end

    def proven(self, iteration: int) -> tuple[float, float]:
        """The proven lower and upper bound at this iteration."""
        with self._lock:
            if iteration not in self._proven:
                self._proven[iteration] = self._at(iteration).proven()
            return self._proven[iteration]

    def weights(self, iteration: int) -> Floats:
        """The weights that have the upper bound."""
        with self._lock:
            if iteration not in self._weights:
                self._weights[iteration] = self._at(iteration).weights()
            return self._weights[iteration]

    def value_of(self, weights: Floats) -> float:
        """max_y yᵀA(λ)⁻¹y of given weights, as computed."""
        key = _digest(weights)
        if key not in self._values:
            self._values[key] = design_value(self.problem.geometry, weights)
        return self._values[key]

    def upper_bound_of(self, weights: Floats) -> float:
        """The proven upper bound on the value of given weights."""
        key = _digest(weights)
        if key not in self._uppers:
            self._uppers[key] = upper_bound(self.problem, weights)
        return self._uppers[key]

    def _reach(self, iteration: int) -> None:
        if iteration < len(self._bounds):
            return
        with self._lock:
            if self._furthest is None:
                self._furthest = self._replayed(len(self._bounds) - 1)
                self._note(self._furthest)
            while len(self._bounds) <= iteration and self._end is None:
                solve, self._furthest = (
                    self._furthest,
                    None,
                )  # dropped if it fails here; it then fails again from its start
                solve.step()
                self._furthest = solve
                self._note(solve)

    def _note(self, solve: DesignSolve) -> None:
        if solve.iterations == len(self._bounds):
            self._bounds.append((solve.upper, solve.lower))
        if solve.done and self._design is None:
            self._design = solve.design()
        if solve.exhausted:
            self._end = solve.iterations

    def _at(self, iteration: int) -> DesignSolve:
        """The solve at this iteration; a new one if the stored solve is already beyond it."""
        self._reach(iteration)
        assert self._furthest is not None
        return self._furthest if self._furthest.iterations == iteration else self._replayed(iteration)

    def _replayed(self, iteration: int) -> DesignSolve:
        solve = DesignSolve(self.problem, *self._settings)
        while solve.iterations < iteration:
            solve.step()
        return solve


class Following:
    """A solve followed from its start, independent of earlier callers."""

    def __init__(self, solution: Solution) -> None:
        self._solution = solution
        self.iterations = 0

    @property
    def upper(self) -> float:
        """The best value so far."""
        return self._solution.bounds(self.iterations)[0]

    @property
    def lower(self) -> float:
        """The best lower bound so far."""
        return self._solution.bounds(self.iterations)[1]

    @property
    def exhausted(self) -> bool:
        """Whether further steps bring no improvement."""
        return self._solution.is_end(self.iterations)

    def proven(self) -> tuple[float, float]:
        """The lower and upper bound on the optimum proven so far."""
        return self._solution.proven(self.iterations)

    def weights(self) -> Floats:
        """The weights with the value `upper`."""
        return self._solution.weights(self.iterations)

    def step(self) -> None:
        """Do one iteration; do nothing once it is exhausted."""
        if not self.exhausted:
            self.iterations += 1
            self._solution.bounds(self.iterations)


class _Arms:
    """The arms in R^d, which all problems there share."""

    def __init__(self, arms: Floats) -> None:
        self.problem = DesignProblem(arms, targets=arms[:1])

    @property
    def nbytes(self) -> int:
        """About how much room they take."""
        return nbytes_of(self.problem)


class Solutions:
    """The design problems of an instance, each with its solution.

    Parameters
    ----------
    arms, targets
        The feature tables.
    memo
        The cache of solutions; by default that of the process.
    """

    def __init__(self, arms: Floats, targets: Floats, memo: Memo | None = None) -> None:
        self.arms, self.targets = arms, targets
        self.memo = MEMO if memo is None else memo
        self._tables = _digest(arms), _digest(targets)

    def of(self, survivors: tuple[int, ...], d: int, solver: str, tolerance: float) -> Solution:
        """The design problem of these survivors in R^d, solved as far as it was needed."""

        def make() -> Solution:
            arms = self.memo.get((self._tables[0], d), lambda: _Arms(self.arms[:, :d]))
            return Solution(arms.problem.for_targets(self.targets[list(survivors), :d]), solver, tolerance)

        return self.memo.get((self._tables, survivors, d, solver, tolerance), make)


def nbytes_of(problem: DesignProblem) -> int:
    """About how much room a problem takes: its tables, scaled, white, and their sizes."""
    rows = problem.directions if problem.targets is None else problem.targets
    assert rows is not None
    return 5 * (problem.arms.nbytes + rows.nbytes) + 1024


def _digest(table: Floats) -> bytes:
    return blake2b(np.ascontiguousarray(table).data, digest_size=16, person=repr(table.shape).encode()[:16]).digest()
