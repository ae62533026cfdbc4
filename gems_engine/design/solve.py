"""`solve_design`: the entry point to every solver, at once or step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers, bytes_of_arrays, relative_gap, trimmed
from gems_engine.blas import one_blas_thread
from gems_engine.design.collinear import FRACTIONS, exact_bound, exact_value, line_design, rounded_down, rounded_up
from gems_engine.design.even import circle, even_weights
from gems_engine.design.frank_wolfe import FrankWolfe
from gems_engine.design.information import design_value
from gems_engine.design.interior_point import FEW_ARMS, FLOOR, InteriorPoint
from gems_engine.design.problem import DesignProblem, Geometry
from gems_engine.design.proof import AS_COMPUTED, Dual, between, lower_bound, upper_bound
from gems_engine.design.result import Design, Status
from gems_engine.errors import InputError, quoted

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
        """The ratio of an arm's multiplier to its share of the weights: above 1 the arm may be dropped."""

    def dual(self) -> tuple[np.ndarray, Floats, Floats]:
        """Keys of directions, their w, and u, which prove `lower`."""


SOLVERS: dict[str, Callable[..., Solver]] = {
    "certified": InteriorPoint,
    "frank-wolfe": FrankWolfe,
}
"""The solvers by name; to add one, write a file and add a line here."""


class DesignSolve:
    """A design being solved: call `step()` until `done`; `upper`, `lower` and `design()` are available at any time.

    The design is a pure function of problem, solver and tolerance: steps beyond the tolerance (which OPT takes to
    decide a tie) do not change it.

    Parameters
    ----------
    problem
        The problem.
    solver
        ``certified`` or ``frank-wolfe``. Under the first, collinear directions are solved exactly, by a linear program,
        and targets that are linearly independent arms by a closed form if it is optimal.
    tolerance
        The relative gap at which the certified solver is done.
    """

    @one_blas_thread()
    def __init__(self, problem: DesignProblem, solver: str = "certified", tolerance: float = TOLERANCE) -> None:
        if solver not in SOLVERS:
            raise InputError(f"There is no solver {quoted(str(solver))}. Choose one of {', '.join(SOLVERS)}.")
        if not 0.0 < tolerance < 1.0:
            raise InputError(f"The tolerance must be a relative gap between 0 and 1, not {tolerance:g}.")
        self._since = clock.now()
        self._spent = 0.0  # seconds before that; time between two steps does not count
        self._seconds: list[float] = []
        self.problem = problem
        self.name = solver
        self.tolerance = tolerance
        self.iterations = 0
        self._history: list[tuple[float, float]] = []
        self._solver: Solver | None = None
        self._design: Design | None = None
        self._best: Design | None = None
        self._begin(problem.geometry)
        self._note()

    def _begin(self, geometry: Geometry) -> None:
        """Start in these coordinates: a closed form if there is one, else a solver at its canonical start."""
        self._geometry = geometry
        self._square = geometry.unit**2  # solvers work in the geometry's unit
        self._began = self.iterations
        self._next_proof = np.inf
        self._proven: tuple[int, float, float] | None = None
        if geometry.directions is None:
            self._design = self._trivial()
        elif self.name != "certified":
            self._solver = SOLVERS[self.name](geometry)
        elif (design := self._at_once(geometry)) is not None:
            self._design = design
        else:
            # Down to 1e-10 all tolerances share one sequence of iterates.
            self._solver = InteriorPoint(geometry, floor=min(FLOOR, 0.1 * self.tolerance))

    @property
    def upper(self) -> float:
        """The best value so far, as computed (for Frank–Wolfe that of its present weights); see :meth:`proven`."""
        return self._solver.upper * self._square if self._solver else self._finished_design.value

    @property
    def lower(self) -> float:
        """The best lower bound on the optimum so far, as computed; see :meth:`proven`."""
        return self._solver.lower * self._square if self._solver else self._finished_design.lower_bound

    @property
    def nbytes(self) -> int:
        """How many bytes the arrays of the solver have."""
        return bytes_of_arrays(self._solver) if self._solver else 0

    @property
    def done(self) -> bool:
        """Whether the requested design is available (or cannot be reached)."""
        return self._design is not None

    @property
    def exhausted(self) -> bool:
        """Whether further steps bring no improvement."""
        return self._solver is None or (self._spent_here and not self._can_be_exact)

    @property
    def _spent_here(self) -> bool:
        """Whether the solver cannot improve in the current coordinates."""
        return self._solver is not None and (self._solver.finished or self.iterations - self._began >= self._limit)

    @property
    def _can_be_exact(self) -> bool:
        """Whether there are better coordinates than the current ones."""
        frame = self._geometry.frame
        return self.name == "certified" and frame is not None and frame.basis is None

    @property
    def _finished_design(self) -> Design:
        assert self._design is not None
        return self._design

    @property
    def _limit(self) -> int:
        return 1000 if self.name == "frank-wolfe" else LIMIT

    @one_blas_thread()
    def step(self) -> None:
        """Do one iteration of the solver; do nothing once it is exhausted."""
        if self.exhausted or self._solver is None:
            return
        self._since = clock.now()
        if self._spent_here:
            self._begin(self.problem.exact_geometry)
        else:
            self._solver.step()
        self.iterations += 1
        self._note()

    def proven(self) -> tuple[float, float]:
        """The lower and upper bound on the optimum proven so far, rounding errors included."""
        if self._solver is None:
            return self._finished_design.lower_bound, self._finished_design.upper_bound
        if self._proven is None or self._proven[0] != self.iterations:
            self._proven = self.iterations, self._lower_bound(*self._dual()), self._upper_bound()
        return self._proven[1:]

    def weights(self) -> Floats:
        """The weights with the value `upper`."""
        return self._solver.weights() if self._solver else self._finished_design.weights

    def design(self, status: Status = "cancelled") -> Design:
        """The finished design, or the best so far with this status."""
        return self._design if self._design is not None else self._report(status)

    def _note(self) -> None:
        self._history.append((self.upper, self.lower))
        self._spent += clock.now() - self._since
        self._seconds.append(self._spent)
        if self._design is not None or self._solver is None:
            return
        if self.name == "frank-wolfe":
            if self._solver.finished:
                self._design = self._report("as published")
            return
        gap = relative_gap(self.upper, self.lower)
        if gap <= min(self.tolerance, self._next_proof):
            self._next_proof = 0.5 * gap
            self._keep(self._report("uncertified"))
            if self._best is not None and self._best.is_certified:
                self._design = self._best
                return
        if self._spent_here and not self._can_be_exact:
            self._keep(self._report("uncertified"))
            assert self._best is not None
            self._design = replace(self._best, history=np.array(self._history), seconds=np.array(self._seconds))

    def _keep(self, design: Design) -> None:
        """Remember the design with the smallest proven gap."""
        if self._best is None or design.gap < self._best.gap:
            self._best = design

    def _report(self, status: Status) -> Design:
        """The design so far: of this status, unless its bounds prove it."""
        assert self._solver is not None
        weights, value, upper = self._tidy()
        keys, w, u = self._dual()
        lower = self._lower_bound(keys, w, u)
        if self.name == "certified" and relative_gap(upper, lower) <= self.tolerance:
            status = "certified"
        return self._made(weights, value, lower, upper, status, keys, w, u)

    def _made(
        self,
        weights: Floats,
        value: float,
        lower: float,
        upper: float,
        status: Status,
        keys: Integers,
        w: Floats,
        u: Floats,
        proof: str = "",
    ) -> Design:
        """A design with its proof, by the arithmetic of the frame unless another one is named."""
        frame = self._geometry.frame
        assert frame is not None
        return Design(
            weights=weights,
            value=between(value, lower, upper),
            lower_bound=lower,
            upper_bound=upper,
            status=status,
            iterations=self.iterations,
            history=np.array(self._history or [(value, lower)]),
            dual=Dual(self.problem.name_directions(keys), w, u / frame.scale, frame.basis),
            proof=proof or frame.method,
            solver=self.name,
            tolerance=self.tolerance,
            seconds=np.array(self._seconds or [clock.now() - self._since]),
        )

    def _dual(self) -> tuple[Integers, Floats, Floats]:
        """Directions, w and u (in the frame) of the best lower bound, without those that add next to nothing."""
        assert self._solver is not None
        keys, w, u = self._solver.dual()
        gap = min(max(relative_gap(self.upper, self.lower), 1e-13), 1e-3)
        some = w > 1e-4 * gap / len(w) * w.sum()
        return keys[some], w[some] / w[some].sum(), self._geometry.in_frame(u[some])

    def _lower_bound(self, keys: Integers, w: Floats, u: Floats) -> float:
        return lower_bound(self.problem, self._geometry, keys, w, u)

    def _upper_bound(self) -> float:
        """The proven upper bound; without arms of next to no weight where these hold a nearly singular A together."""
        bound = upper_bound(self.problem, self.weights(), self.upper)
        if bound > self.upper * (1.0 + AS_COMPUTED) and (fewer := self._with_fewer_arms(self.upper)) is not None:
            bound = min(bound, fewer[2])
        return bound

    def _tidy(self) -> tuple[Floats, float, float]:
        """Leave out arms that an interior iterate holds by a thread, where the certificate does not suffer.

        Weights, their value as computed, and the proven bound of it.
        """
        fewer = self._with_fewer_arms(max(self.upper, self.lower * (1.0 + self.tolerance)))
        return fewer or (self.weights(), self.upper, upper_bound(self.problem, self.weights(), self.upper))

    def _with_fewer_arms(self, allowed: float) -> tuple[Floats, float, float] | None:
        """The same with as few arms as this value allows; None if it allows no fewer."""
        assert self._solver is not None
        weights, doubt = self._solver.weights(), self._solver.doubt()
        before = 0
        for level in (1.0, 1e-2, 1e-4, 1e-6):
            leave = doubt > 1.0 / level
            count = int(leave.sum())
            if count in (0, before, len(leave)):
                continue
            before = count
            kept = np.where(leave, 0.0, weights)
            kept /= kept.sum()
            value = design_value(self._geometry, kept)
            if value <= allowed and (upper := upper_bound(self.problem, kept, value)) <= allowed * (1.0 + AS_COMPUTED):
                return kept, value, upper
        return None

    def _trivial(self) -> Design:
        arms = len(self.problem.arms)
        return Design(
            np.full(arms, 1.0 / arms),
            value=0.0,
            lower_bound=0.0,
            upper_bound=0.0,
            status="trivial",
            iterations=0,
            history=np.zeros((1, 2)),
            dual=Dual((), np.empty(0), np.empty((0, self.problem.d))),
            proof="every direction is zero",
            solver=self.name,
            tolerance=self.tolerance,
            seconds=np.array([clock.now() - self._since]),
        )

    def _at_once(self, geometry: Geometry) -> Design | None:
        """By a closed form or linear program; None where there is none, or its proof does not reach the tolerance."""
        if geometry.collinear is not None:
            return self._on_line(geometry.collinear)
        arms, rank = geometry.arms.shape
        if rank < arms <= FEW_ARMS:
            return None  # it takes little longer step by step, and runs that were recorded stay what they are
        some = geometry.targets_as_arms(self.problem)
        return None if some is None else self._on_independent(some)

    def _on_independent(self, some: Integers) -> Design | None:
        """Even weights on targets that are linearly independent arms, where these are the best."""
        geometry = self._geometry
        count = len(some)
        vectors = circle(geometry.arms, some, 0.5 * self.tolerance)
        if vectors is None:
            return None
        weights = even_weights(len(geometry.arms), some)
        place = np.arange(count)
        keys, w = place * count + (place + 1) % count, np.full(count, 1.0 / count)
        u = geometry.in_frame(vectors)
        value = 2.0 * count
        lower, upper = self._lower_bound(keys, w, u), upper_bound(self.problem, weights, value)
        if not relative_gap(upper, lower) <= self.tolerance:
            return None
        return self._made(weights, value, lower, upper, "certified", keys, w, u)

    def _on_line(self, line: Floats) -> Design | None:
        """Where all directions are multiples of one."""
        geometry = self._geometry
        answer = line_design(geometry.arms, line)
        if answer is None:
            return None
        assert geometry.directions is not None
        key = self._longest_on_line()
        ahead = np.sign(geometry.directions.vectors(key) @ answer.u)
        ahead /= np.abs(geometry.arms @ answer.u).max()
        u, w = geometry.in_frame(ahead[:, None] * answer.u), np.ones(1)
        weights = answer.weights
        # Without their last digits: where the best numbers are simple, these are they, and the proof is exact.
        lower, upper, status, proof = self._line_bounds(trimmed(weights), key, w, trimmed(u))
        if status == "exact":
            weights, u = trimmed(weights), trimmed(u)
        else:
            lower, upper, status, proof = self._line_bounds(weights, key, w, u)
        if not relative_gap(upper, lower) <= self.tolerance:
            return None
        return self._made(weights, answer.value * self._square, lower, upper, status, key, w, u, proof)

    def _longest_on_line(self) -> Integers:
        """The key of the longest direction where all are on one line; in R¹ of the exactly longest."""
        problem, geometry = self.problem, self._geometry
        assert geometry.directions is not None
        if problem.targets is not None and problem.d == 1:
            column = problem.targets[geometry.kept, 0]
            return np.array([int(column.argmax()) * len(column) + int(column.argmin())])
        keys, squares = geometry.directions.longest(np.eye(geometry.arms.shape[1]))
        return np.array([keys[int(squares.argmax())]])

    def _line_bounds(self, weights: Floats, key: Integers, w: Floats, u: Floats) -> tuple[float, float, Status, str]:
        """In fractions where they are few, and then perhaps equal; else as for any design. And how."""
        frame = self._geometry.frame
        assert frame is not None
        value = exact_value(self.problem, weights) if frame.basis is None else None
        if value is None:
            return self._lower_bound(key, w, u), upper_bound(self.problem, weights), "certified", frame.method
        bound = exact_bound(self.problem, u[0] / frame.scale)
        return rounded_down(bound), rounded_up(value), "exact" if bound == value else "certified", FRACTIONS


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

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.design import DesignProblem, solve_design
    >>> arms = instances.make("paper-hard").arms
    >>> design = solve_design(DesignProblem(arms, targets=arms))
    >>> round(design.value, 6), design.status
    (20.0, 'certified')
    """
    solve = DesignSolve(problem, solver, tolerance)
    while not solve.done:
        if stop is not None and stop(solve):
            break
        solve.step()
    return solve.design()
