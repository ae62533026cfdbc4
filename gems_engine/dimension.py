"""OPT: the largest dimension whose optimal design fits the selection budget, and why no larger one does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.blas import one_blas_thread
from gems_engine.design.even import even_weights
from gems_engine.design.problem import DesignProblem
from gems_engine.design.result import Design
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import Cancelled, InputError
from gems_engine.memo import Memo
from gems_engine.solutions import Following, Solution, Solutions

__all__ = ["DimensionChoice", "Probe", "Selection", "choose_dimension"]

TIE = 1e-9
"""A cost is over budget only if it provably exceeds B by more than this fraction (docs/decisions.md, 2)."""


def within(cost: float, budget: float) -> bool:
    """Whether a cost is at most a budget; one that exceeds it by a relative 10⁻⁹ or less is a tie, and fits."""
    return cost <= budget * (1.0 + TIE)


def richest_rounded(top: int, rounding: Callable[[int], float], pulls: float) -> int:
    """D̃ = OPT(T′, D, r) of GEMS-b: the largest d up to D with r_d(ζ) at most T′ pulls, 0 if there is none."""
    return max((d for d in range(1, top + 1) if within(rounding(d), pulls)), default=0)


Verdict = Literal["fits", "too dear", "tie"]
Reason = Literal[
    "rounding alone",
    "upper bound",
    "lower bound",
    "larger design",
    "known bound",
    "all zero",
    "tie",
    "not proven",
    "undecided",
    "value",
    "forced",
]

REASONS: dict[Reason, str] = {
    "rounding alone": "r_d(ζ) alone exceeds B",
    "upper bound": "the proven upper bound on its cost is at most B",
    "lower bound": "the proven lower bound on its cost exceeds B",
    "larger design": "a design found in a larger dimension already costs at most B here",
    "known bound": "a bound from an earlier round decides it",
    "all zero": "all survivors are equal here: there is nothing to tell apart, and the cost is r_d(ζ)",
    "tie": "its cost equals B as far as can be proven, and a tie fits",
    "not proven": "its proven bounds enclose B, so the computed value decides",
    # in runs of formats 0 and 1
    "undecided": "its bounds enclose B and the solver can prove no more; this counts as a tie, and fits",
    "forced": "it is forced, whatever fits B",
    "value": "the value of the published solver decides, without proof",
}
"""What decided a probe, as a clause."""


_BY_BOUNDS: dict[Verdict, Reason] = {"fits": "upper bound", "too dear": "lower bound", "tie": "tie"}


@dataclass(frozen=True)
class Probe:
    """One dimension probed: proven bounds on its ι, and what decided whether it fits.

    Attributes
    ----------
    d
        The dimension.
    lower, upper
        Proven bounds on ι(𝒴(ψ_d(Ŝ_k))) when the probe was decided; 0 and ∞ if no design was solved.
    rounding_samples
        r_d(ζ), or 0 if it is not part of the cost.
    verdict, reason
        Whether d fits, and why; :data:`REASONS` has the clause.
    iterations
        Solver iterations that this probe took.
    """

    d: int
    lower: float
    upper: float
    rounding_samples: float
    verdict: Verdict
    reason: Reason
    iterations: int = 0

    @property
    def fits(self) -> bool:
        """A tie fits."""
        return self.verdict != "too dear"


@dataclass(frozen=True)
class DimensionChoice:
    """The result of OPT.

    Attributes
    ----------
    d
        The largest dimension that fits, or None.
    design
        The optimal design there, solved to the tolerance.
    cost
        g_k(d): max{2^{2k}·value, r_d(ζ)}, the value being the design's :attr:`Design.safe_value`.
    probes
        Every dimension probed, in order.
    problem
        The design problem in R^d.
    """

    d: int | None
    design: Design | None
    cost: float
    probes: tuple[Probe, ...]
    problem: DesignProblem | None = None


class KnownBounds:
    """Bounds on ι kept between choices, within one run and one solver.

    They may decide a probe but never enter a design (docs/decisions.md, 3). A design for a set is an upper bound for
    every subset in every smaller dimension; a lower bound for a set holds for every larger dimension and every larger
    set. Sets are integers with one bit per target.
    """

    def __init__(self) -> None:
        self._seen: list[tuple[int, int, float, float]] = []
        self._designed: dict[tuple[int, int], None] = {}

    def note(self, survivors: int, d: int, lower: float, upper: float) -> None:
        """Remember bounds on ι for these survivors in R^d."""
        self._seen.append((survivors, d, lower, upper))
        del self._seen[:-64]

    def first_finished(self, survivors: int, d: int) -> bool:
        """Note that the design for these survivors in R^d is finished; return whether it is the first time."""
        if (survivors, d) in self._designed:
            return False
        self._designed[survivors, d] = None
        if len(self._designed) > 128:
            del self._designed[next(iter(self._designed))]
        return True

    def bounds(self, survivors: int, d: int) -> tuple[float, float]:
        """The known bounds on ι for these survivors in R^d."""
        lower, upper = 0.0, np.inf
        for other, dimension, low, high in self._seen:
            if dimension >= d and other & survivors == survivors:
                upper = min(upper, high)
            if dimension <= d and other & survivors == other:
                lower = max(lower, low)
        return lower, upper


@lru_cache(256)
def as_set(targets: tuple[int, ...]) -> int:
    """Targets as an integer with one bit each."""
    bits = np.zeros(max(targets) + 1, dtype=np.uint8)
    bits[np.array(targets)] = 1
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


@dataclass(frozen=True)
class Selection:
    """The problem of OPT: the cost 2^{2k}·ι(𝒴(ψ_d(Ŝ))) and, for GEMS-c and GEMS-m, r_d(ζ), against the budget B.

    Attributes
    ----------
    arms, targets
        Feature rows; `survivors` are indices into the targets.
    k
        The round.
    budget
        B.
    rounding
        d ↦ r_d(ζ) as part of the cost, or None (GEMS-b, which limits `top` by it instead).
    top
        D, or D̃.
    """

    arms: Floats
    targets: Floats
    survivors: tuple[int, ...]
    """Indices of the targets in Ŝ_k."""
    k: int
    budget: float
    rounding: Callable[[int], float] | None
    top: int

    def __post_init__(self) -> None:
        D, targets = self.arms.shape[1], len(self.targets)
        if not 1 <= self.top <= D:
            raise InputError(f"The largest dimension is {self.top}; it must be from 1 to D = {D}.")
        if not self.survivors or not 0 <= min(self.survivors) <= max(self.survivors) < targets:
            raise InputError(f"The survivors must be one or more indices of targets, from 0 to {targets - 1}.")
        if not 0.0 < self.budget < math.inf or self.k < 0:
            raise InputError("The selection budget must be a finite number above 0, and the round at least 0.")

    def rounding_samples(self, d: int) -> float:
        """r_d(ζ), or 0 if it is not part of the cost."""
        return self.rounding(d) if self.rounding else 0.0

    @property
    def threshold(self) -> float:
        """B/2^{2k}, the largest ι that fits; 0 if 2^{2k} overflows (docs/decisions.md, 7)."""
        return math.ldexp(self.budget, -2 * self.k)

    @property
    def ceiling(self) -> float:
        """The threshold plus the tolerance of a tie, so that rounding of the processor does not decide."""
        return self.threshold * (1.0 + TIE)

    def verdict_on(self, lower: float, upper: float) -> Verdict | None:
        """The verdict that bounds on ι prove, None if they prove none yet."""
        if lower > self.ceiling:
            return "too dear"
        if upper > self.ceiling:
            return None
        return "tie" if lower >= self.threshold * (1.0 - TIE) else "fits"

    def cost(self, d: int, iota: float) -> float:
        """g_k(d) for a given ι."""
        return max(times_four_to_the(self.k, iota), self.rounding_samples(d))


def times_four_to_the(k: int, iota: float) -> float:
    """2^{2k}·ι; ι = 0 gives 0, and overflow gives ∞ (docs/decisions.md, 7)."""
    try:
        return math.ldexp(iota, 2 * k)
    except OverflowError:
        return math.inf


@one_blas_thread()
def choose_dimension(
    selection: Selection,
    solver: str = "certified",
    tolerance: float = TOLERANCE,
    known: KnownBounds | None = None,
    stop: Callable[[], bool] | None = None,
    solutions: Solutions | None = None,
) -> DimensionChoice:
    """The largest d in 1 … top whose cost fits the budget, by binary search (the cost does not decrease in d).

    Probes stop as soon as their proven bounds decide. If the bounds enclose B until the end, the value decides.

    Parameters
    ----------
    selection
        The problem.
    solver, tolerance
        Those of the returned design; with ``frank-wolfe`` its published value decides, as in the paper's code.
    known
        Bounds from earlier choices of the same run; they save work without changing the result.
    stop
        Called between solver iterations; True raises :class:`Cancelled`.
    solutions
        Solutions of the design problems of these arms and targets; they save work without changing the result either.

    Returns
    -------
    DimensionChoice
        The largest d that fits with its design, or None, and every probe.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.dimension import Selection, choose_dimension
    >>> from gems_engine.rounding import rounding_samples
    >>> hard = instances.make("paper-hard")
    >>> survivors = tuple(range(10))
    >>> selection = Selection(hard.arms, hard.targets, survivors, 1, 100.0, lambda d: rounding_samples(d, 1.0), hard.D)
    >>> choose_dimension(selection).d
    9
    """
    if solutions is None:
        solutions = Solutions(selection.arms, selection.targets, Memo())
    return _Search(selection, solver, tolerance, known or KnownBounds(), stop, solutions).run()


class _Search:
    def __init__(
        self,
        selection: Selection,
        solver: str,
        tolerance: float,
        known: KnownBounds,
        stop: Callable[[], bool] | None,
        solutions: Solutions,
    ) -> None:
        self.selection = selection
        self.solver = solver
        self.tolerance = tolerance
        self.known = known
        self.stop = stop
        self.solutions = solutions
        self.survivors = as_set(selection.survivors)
        self.probes: list[Probe] = []
        self.larger: Floats | None = None  # weights of the smallest dimension that did not fit

    def run(self) -> DimensionChoice:
        fits, over = 0, self._within_rounding() + 1
        d = over - 1  # the largest first: if rounding is the limit, it is the result
        while over - fits > 1:
            probe = self._probe(d)
            self.probes.append(probe)
            if probe.fits:
                fits = d
            else:
                over = d
            d = (fits + over) // 2
        if fits == 0:
            return DimensionChoice(None, None, math.inf, tuple(self.probes))
        problem, design = self._design(fits)
        cost = self.selection.cost(fits, design.safe_value)
        return DimensionChoice(fits, design, cost, tuple(self.probes), problem)

    def _within_rounding(self) -> int:
        """The largest d with r_d(ζ) ≤ B; the next one is a probe that needed no design."""
        low, high = 0, self.selection.top + 1
        middle = self.selection.top  # usually all of them are
        while high - low > 1:
            if within(self.selection.rounding_samples(middle), self.selection.budget):
                low = middle
            else:
                high = middle
            middle = (low + high) // 2
        if high <= self.selection.top:
            samples = self.selection.rounding_samples(high)
            self.probes.append(Probe(high, 0.0, math.inf, samples, "too dear", "rounding alone"))
        return low

    def _probe(self, d: int) -> Probe:
        samples = self.selection.rounding_samples(d)
        lower, upper = self.known.bounds(self.survivors, d)
        certified = self.solver == "certified"
        if certified and upper > 0.0 and (probe := self._decided(d, lower, upper, "known bound")) is not None:
            return probe
        solution = self._solution(d)
        if solution.problem.is_trivial:
            return Probe(d, 0.0, 0.0, samples, "fits", "all zero")
        if certified and self.larger is not None:
            upper = min(upper, self._with_larger(solution))
            if (probe := self._decided(d, lower, upper, "larger design")) is not None:
                return probe
        return self._solve(d, solution, samples)

    def _solution(self, d: int) -> Solution:
        return self.solutions.of(self.selection.survivors, d, self.solver, self.tolerance)

    def _decided(self, d: int, lower: float, upper: float, reason: Reason) -> Probe | None:
        """The verdict by known bounds without a solver, for this reason or as a tie; None if they do not decide."""
        verdict = self.selection.verdict_on(lower, upper)
        if verdict is None:
            return None
        samples = self.selection.rounding_samples(d)
        return Probe(d, min(lower, upper), upper, samples, verdict, "tie" if verdict == "tie" else reason)

    def _solve(self, d: int, solution: Solution, samples: float) -> Probe:
        if self.solver != "certified":
            design = solution.design(self.stop)
            published: Verdict = "fits" if design.value <= self.selection.ceiling else "too dear"
            return Probe(d, *design.bounds, samples, published, "value", design.iterations)
        solve = solution.start()
        if self._is_open(solve) and (even := self._with_even(solution)) <= self.selection.ceiling:
            lower, upper = solve.proven()[0], even
            verdict: Verdict = self.selection.verdict_on(lower, upper) or "fits"
            reason = _BY_BOUNDS[verdict]
        else:
            verdict, reason = self._decide(solve)
            lower, upper = solve.proven()
        if verdict == "too dear":
            self.larger = solve.weights()
        self.known.note(self.survivors, d, lower, upper)
        return Probe(d, min(lower, upper), upper, samples, verdict, reason, solve.iterations)

    def _decide(self, solve: Following) -> tuple[Verdict, Reason]:
        """The verdict by proven bounds as soon as they decide, or by the value if they never do."""
        while True:
            if solve.exhausted or not self._is_open(solve):
                verdict = self.selection.verdict_on(*solve.proven())
                if verdict is not None:
                    return verdict, _BY_BOUNDS[verdict]
            if solve.exhausted:
                return ("fits" if solve.upper <= self.selection.ceiling else "too dear"), "not proven"
            if self.stop is not None and self.stop():
                raise Cancelled
            solve.step()

    def _is_open(self, solve: Following) -> bool:
        """Whether the bounds as computed do not decide yet."""
        return self.selection.verdict_on(solve.lower, solve.upper) is None

    def _with_even(self, solution: Solution) -> float:
        """A proven upper bound from even weights on survivors that are independent arms if it may decide, else ∞.

        Their cost is twice their number, which is often B itself: the solver would approach it without reaching it.
        """
        problem = solution.problem
        some = problem.geometry.targets_as_arms(problem)
        if some is None or 2.0 * len(some) > self.selection.ceiling:
            return math.inf
        return solution.upper_bound_of(even_weights(len(problem.arms), some))

    def _with_larger(self, solution: Solution) -> float:
        """A proven upper bound from the weights of a larger dimension if it may decide, else ∞."""
        assert self.larger is not None
        if solution.value_of(self.larger) > self.selection.ceiling:
            return math.inf
        return solution.upper_bound_of(self.larger)

    def _design(self, d: int) -> tuple[DesignProblem, Design]:
        solution = self._solution(d)
        design = solution.design(self.stop)
        if self.known.first_finished(self.survivors, d):
            self.known.note(self.survivors, d, *design.bounds)
        return solution.problem, design
