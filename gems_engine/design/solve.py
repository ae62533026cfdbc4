"""`solve_design`: one door to every solver, whole or step by step."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.blas import one_blas_thread
from gems_engine.design.collinear import line_design
from gems_engine.design.exchange import Exchange, takes_some_at_a_time
from gems_engine.design.frank_wolfe import FrankWolfe
from gems_engine.design.information import design_value
from gems_engine.design.interior_point import FLOOR, InteriorPoint
from gems_engine.design.problem import DesignProblem
from gems_engine.design.result import Design, Status, relative_gap
from gems_engine.errors import InputError

TOLERANCE = 1e-6
LIMIT = 200


class Solver(Protocol):
    """A method that improves its bounds step by step."""

    name: str
    upper: float
    lower: float
    finished: bool

    def step(self) -> None:
        """One iteration."""

    def weights(self) -> Floats:
        """The weights that have value `upper`."""

    def doubt(self) -> Floats:
        """How many times an arm's multiplier outweighs its share of the weights: above 1 it may be left out."""

    def dual(self) -> tuple[np.ndarray, Floats, Floats]:
        """Keys of directions, their w, and u: what `lower` rests on."""


SOLVERS: dict[str, Callable[..., Solver]] = {
    "certified": InteriorPoint,
    "frank-wolfe": FrankWolfe,
}
"""The solvers by name; a new one is a file and a line here."""


class DesignSolve:
    """A design being solved: `step()` while not `done`, look at `upper` and `lower`, ask for `design()` at any time.

    The design is a pure function of problem, solver and tolerance: steps beyond the tolerance (OPT takes them to
    settle a tie) do not change it.

    Parameters
    ----------
    problem
        What to solve.
    solver
        ``certified`` or ``frank-wolfe``. Collinear directions are solved exactly, by linear program, under the first.
    tolerance
        The relative gap at which the certified solver is done.
    """

    @one_blas_thread()
    def __init__(self, problem: DesignProblem, solver: str = "certified", tolerance: float = TOLERANCE) -> None:
        if solver not in SOLVERS:
            raise InputError(f"There is no solver {solver!r}; there are {', '.join(SOLVERS)}.")
        if not 0.0 < tolerance < 1.0:
            raise InputError(f"The tolerance is a relative gap between 0 and 1, not {tolerance:g}.")
        self._since = time.perf_counter()
        self._spent = 0.0  # seconds before that: between two steps the time is somebody else's
        self._seconds: list[float] = []
        self.problem = problem
        self.name = solver
        self.tolerance = tolerance
        self.iterations = 0
        self._history: list[tuple[float, float]] = []
        self._solver: Solver | None = None
        self._design: Design | None = None
        geometry = problem.geometry
        self._square = geometry.unit**2  # solvers work in the geometry's unit
        line = geometry.collinear if solver == "certified" else None
        exact = None if line is None else self._exact(line)
        if geometry.directions is None:
            self._design = self._trivial()
        elif exact is not None:
            self._design = exact
        elif solver == "certified":
            # Down to 1e-10 all tolerances share one sequence of iterates.
            method = Exchange if takes_some_at_a_time(geometry) else InteriorPoint
            self._solver = method(geometry, floor=min(FLOOR, 0.1 * tolerance))
        else:
            self._solver = SOLVERS[solver](geometry)
        self._note()

    @property
    def upper(self) -> float:
        """The best proven upper bound of the optimum (for Frank–Wolfe the value of its present weights)."""
        return self._solver.upper * self._square if self._solver else self._finished_design.value

    @property
    def lower(self) -> float:
        """The best proven lower bound of the optimum."""
        return self._solver.lower * self._square if self._solver else self._finished_design.lower_bound

    @property
    def done(self) -> bool:
        """Whether the design that was asked for is there (or will not come)."""
        return self._design is not None

    @property
    def exhausted(self) -> bool:
        """Whether further steps would bring nothing."""
        return self._solver is None or self._solver.finished or self.iterations >= max(LIMIT, self._limit)

    @property
    def _finished_design(self) -> Design:
        assert self._design is not None
        return self._design

    @property
    def _limit(self) -> int:
        return 1000 if self.name == "frank-wolfe" else LIMIT

    @one_blas_thread()
    def step(self) -> None:
        """One iteration of the solver; nothing once it is exhausted."""
        if self.exhausted or self._solver is None:
            return
        self._since = time.perf_counter()
        self._solver.step()
        self.iterations += 1
        self._note()

    def weights(self) -> Floats:
        """The weights that have value `upper` now."""
        return self._solver.weights() if self._solver else self._finished_design.weights

    def dual_keys(self) -> np.ndarray:
        """Keys of the directions that the lower bound rests on, in the problem's geometry."""
        if self._solver is None:
            return np.empty(0, dtype=np.int64)
        keys, w, _ = self._solver.dual()
        return np.asarray(keys[w > 1e-9 * w.max()])

    def design(self, status: Status = "cancelled") -> Design:
        """The finished design, or the best so far with this status."""
        return self._design if self._design is not None else self._report(status)

    def _note(self) -> None:
        self._history.append((self.upper, self.lower))
        self._spent += time.perf_counter() - self._since
        self._seconds.append(self._spent)
        if self._design is not None or self._solver is None:
            return
        if self.name == "frank-wolfe":
            if self._solver.finished:
                self._design = self._report("as published")
        elif relative_gap(self.upper, self.lower) <= self.tolerance:
            self._design = self._report("certified")
        elif self._solver.finished:
            self._design = self._report("stalled")
        elif self.iterations >= LIMIT:
            self._design = self._report("iteration limit")

    def _report(self, status: Status) -> Design:
        assert self._solver is not None
        weights, value = self._tidy()
        if self.name == "certified" and relative_gap(value, self.lower) <= self.tolerance:
            status = "certified"
        keys, w, u = self._solver.dual()
        share = np.asarray(w / w.sum())
        directions = self.problem.geometry.directions
        assert directions is not None
        along = float(share @ np.einsum("ij,ij->i", directions.vectors(keys), u))
        seen = self.problem.geometry.arms @ u.T
        shown = np.flatnonzero(share > 1e-9 * share.max())
        return Design(
            weights=weights,
            value=value,
            lower_bound=min(self.lower, value),
            status=status,
            iterations=self.iterations,
            history=np.array(self._history),
            dual_keys=self.problem.name_directions(keys[shown]),
            dual_weights=share[shown] / share[shown].sum(),
            sensitivity=(seen * seen) @ share * (value / self._square / along**2),
            solver=self.name,
            tolerance=self.tolerance,
            seconds=np.array(self._seconds),
        )

    def _tidy(self) -> tuple[Floats, float]:
        """Leave out arms that an interior iterate holds by a thread, where the certificate does not suffer."""
        assert self._solver is not None
        weights = self._solver.weights()
        allowed = max(self.upper, self.lower * (1.0 + self.tolerance))
        doubt = self._solver.doubt()
        before = 0
        for level in (1.0, 1e-2, 1e-4, 1e-6):
            leave = doubt > 1.0 / level
            count = int(leave.sum())
            if count in (0, before, len(leave)):
                continue
            before = count
            kept = np.where(leave, 0.0, weights)
            kept /= kept.sum()
            value = design_value(self.problem.geometry, kept)
            if value <= allowed:
                return kept, value
        return weights, self.upper

    def _trivial(self) -> Design:
        arms = len(self.problem.arms)
        return self._closed(np.full(arms, 1.0 / arms), 0.0, 0.0, "trivial", (), np.empty(0), np.zeros(arms))

    def _exact(self, line: Floats) -> Design | None:
        """By linear program; None where its own proof does not reach the tolerance, and the general method may."""
        geometry = self.problem.geometry
        answer = line_design(geometry.arms, line)
        if answer is None or not relative_gap(answer.value, answer.lower) <= self.tolerance:
            return None
        assert geometry.directions is not None
        keys, squares = geometry.directions.longest(np.eye(geometry.arms.shape[1]))
        key = self.problem.name_direction(int(keys[int(squares.argmax())]))
        seen = (geometry.arms @ answer.u) ** 2 * (answer.value / float(line @ answer.u) ** 2)
        value, lower = answer.value * self._square, answer.lower * self._square
        return self._closed(answer.weights, value, lower, "exact", (key,), np.ones(1), seen)

    def _closed(
        self, weights: Floats, value: float, lower: float, status: Status, keys: Any, w: Floats, sensitivity: Floats
    ) -> Design:
        return Design(
            weights,
            value,
            lower,
            status,
            0,
            np.array([(value, lower)]),
            keys,
            w,
            sensitivity,
            self.name,
            self.tolerance,
            np.array([time.perf_counter() - self._since]),
        )


@one_blas_thread()
def solve_design(
    problem: DesignProblem,
    solver: str = "certified",
    tolerance: float = TOLERANCE,
    stop: Callable[[DesignSolve], bool] | None = None,
) -> Design:
    """The XY-optimal design of a problem, with its proof.

    Parameters
    ----------
    problem
        Arms and directions.
    solver
        ``certified`` (default) or ``frank-wolfe`` (as published).
    tolerance
        Relative gap to reach between the value and its proven lower bound.
    stop
        Called before every iteration; True cancels, and the best design so far is returned with its true bounds.

    Returns
    -------
    Design
        Look at `status` and `gap`: a design that missed its tolerance says so.
    """
    solve = DesignSolve(problem, solver, tolerance)
    while not solve.done:
        if stop is not None and stop(solve):
            break
        solve.step()
    return solve.design()
