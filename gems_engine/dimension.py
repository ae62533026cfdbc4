"""OPT: the richest dimension whose optimal design still fits the selection budget, and why no larger one does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.blas import one_blas_thread
from gems_engine.design.problem import DesignProblem
from gems_engine.design.result import Design
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import Cancelled, InputError
from gems_engine.memo import Memo
from gems_engine.solutions import Following, Solution, Solutions

TIE = 1e-9
"""A cost is too dear only if it is proven to pass B by more than this part (docs/decisions.md, 2)."""


def within(cost: float, budget: float) -> bool:
    """Whether a cost is at most a budget; one that passes it by a part of 10⁻⁹ or less is a tie, and fits."""
    return cost <= budget * (1.0 + TIE)


def richest_rounded(top: int, rounding: Callable[[int], float], pulls: float) -> int:
    """D̃ = OPT(T′, D, r) of GEMS-b: the largest d up to D whose r_d(ζ) is within T′ pulls, 0 if none is."""
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
    "upper bound": "the proven upper bound of its cost is at most B",
    "lower bound": "the proven lower bound of its cost exceeds B",
    "larger design": "a design found in a larger dimension already costs at most B here",
    "known bound": "a bound from an earlier round decides it",
    "all zero": "all survivors are equal here: nothing to tell apart, cost r_d(ζ)",
    "tie": "its cost is B within what can be proven, and a tie fits",
    "not proven": "its proven bounds enclose B; the value as computed decides",
    # in runs of formats 0 and 1
    "undecided": "its bounds still enclose B where the solver can prove no more: it counts as a tie, and fits",
    "forced": "a person has forced it, whatever fits B",
    "value": "the value that the published solver stopped at decides it, without proof",
}
"""What decided a probe, as a sentence."""


_BY_BOUNDS: dict[Verdict, Reason] = {"fits": "upper bound", "too dear": "lower bound", "tie": "tie"}


@dataclass(frozen=True)
class Probe:
    """One dimension looked at: proven bounds of its ι, and what decided whether it fits.

    Attributes
    ----------
    d
        The dimension.
    lower, upper
        Proven bounds of ι(𝒴(ψ_d(Ŝ_k))) when the probe was decided; 0 and ∞ where no design was looked at.
    rounding_samples
        r_d(ζ), or 0 where it is not part of the cost.
    verdict, reason
        Whether d fits, and by what; :data:`REASONS` has the sentence.
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
    """The answer of OPT.

    Attributes
    ----------
    d
        The largest dimension that fits, or None.
    design
        The optimal design there, solved to the tolerance.
    cost
        g_k(d): max{2^{2k}·value, r_d(ζ)}, the value being the design's :attr:`Design.safe_value`.
    probes
        Every dimension that was looked at, in order.
    problem
        The design problem in R^d.
    """

    d: int | None
    design: Design | None
    cost: float
    probes: tuple[Probe, ...]
    problem: DesignProblem | None = None


class KnownBounds:
    """Bounds of ι that outlive a choice, within one run and one solver.

    They may decide a probe and never enter a design (docs/decisions.md, 3). A design for a set bounds every subset of
    it, in every smaller dimension, from above; a lower bound for a set holds for every larger dimension and every
    larger set. Sets are whole numbers, one bit for each target.
    """

    def __init__(self) -> None:
        self._seen: list[tuple[int, int, float, float]] = []
        self._designed: dict[tuple[int, int], None] = {}

    def note(self, survivors: int, d: int, lower: float, upper: float) -> None:
        """Remember bounds of ι for these survivors in R^d."""
        self._seen.append((survivors, d, lower, upper))
        del self._seen[:-64]

    def first_finished(self, survivors: int, d: int) -> bool:
        """Note that the design for these survivors in R^d was finished; whether that was for the first time."""
        if (survivors, d) in self._designed:
            return False
        self._designed[survivors, d] = None
        if len(self._designed) > 128:
            del self._designed[next(iter(self._designed))]
        return True

    def bounds(self, survivors: int, d: int) -> tuple[float, float]:
        """What is known of ι for these survivors in R^d."""
        lower, upper = 0.0, np.inf
        for other, dimension, low, high in self._seen:
            if dimension >= d and other & survivors == survivors:
                upper = min(upper, high)
            if dimension <= d and other & survivors == other:
                lower = max(lower, low)
        return lower, upper


@lru_cache(256)
def as_set(targets: tuple[int, ...]) -> int:
    """Targets as a whole number, one bit for each."""
    bits = np.zeros(max(targets) + 1, dtype=np.uint8)
    bits[np.array(targets)] = 1
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


@dataclass(frozen=True)
class Selection:
    """What OPT is asked: cost 2^{2k}·ι(𝒴(ψ_d(Ŝ))) and, for GEMS-c and GEMS-m, r_d(ζ), against the budget B.

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
    k: int
    budget: float
    rounding: Callable[[int], float] | None
    top: int

    def __post_init__(self) -> None:
        D, targets = self.arms.shape[1], len(self.targets)
        if not 1 <= self.top <= D:
            raise InputError(f"The largest dimension to look at is {self.top}; it must be from 1 to D = {D}.")
        if not self.survivors or not 0 <= min(self.survivors) <= max(self.survivors) < targets:
            raise InputError(f"The survivors must be indices of targets, from 0 to {targets - 1}, and at least one.")
        if not 0.0 < self.budget < math.inf or self.k < 0:
            raise InputError("The selection budget must be a finite number above 0, and the round not below 0.")

    def rounding_samples(self, d: int) -> float:
        """r_d(ζ), or 0 where it is not part of the cost."""
        return self.rounding(d) if self.rounding else 0.0

    @property
    def threshold(self) -> float:
        """B/2^{2k}, the largest ι that fits; 0 where 2^{2k} is beyond all numbers (docs/decisions.md, 7)."""
        return math.ldexp(self.budget, -2 * self.k)

    @property
    def ceiling(self) -> float:
        """The threshold, and what a tie may pass it by: processors round differently, no last digit decides."""
        return self.threshold * (1.0 + TIE)

    def verdict_on(self, lower: float, upper: float) -> Verdict | None:
        """What bounds of ι prove, None while they leave it open."""
        if lower > self.ceiling:
            return "too dear"
        if upper > self.ceiling:
            return None
        return "tie" if lower >= self.threshold * (1.0 - TIE) else "fits"

    def cost(self, d: int, iota: float) -> float:
        """g_k(d) for a given ι."""
        return max(times_four_to_the(self.k, iota), self.rounding_samples(d))


def times_four_to_the(k: int, iota: float) -> float:
    """2^{2k}·ι; ι = 0 stays 0, and what is too large for a number is infinite (docs/decisions.md, 7)."""
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

    Probes stop as soon as their proven bounds decide. Where the bounds enclose B until the end, the value decides.

    Parameters
    ----------
    selection
        What is asked.
    solver, tolerance
        Of the design that is returned; with ``frank-wolfe`` its published value decides, as in the paper's code.
    known
        Bounds from earlier choices of the same run; they save work and change no answer.
    stop
        Called between solver iterations; True raises :class:`Cancelled`.
    solutions
        Of the design problems of these arms and targets; they save work and change no answer either.
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
        fits, dear = 0, self._affordable() + 1
        d = dear - 1  # the richest first: where rounding limits it, that is the answer
        while dear - fits > 1:
            probe = self._probe(d)
            self.probes.append(probe)
            if probe.fits:
                fits = d
            else:
                dear = d
            d = (fits + dear) // 2
        if fits == 0:
            return DimensionChoice(None, None, math.inf, tuple(self.probes))
        problem, design = self._design(fits)
        cost = self.selection.cost(fits, design.safe_value)
        return DimensionChoice(fits, design, cost, tuple(self.probes), problem)

    def _affordable(self) -> int:
        """The largest d with r_d(ζ) ≤ B; the next one is a probe that needed no design."""
        low, high = 0, self.selection.top + 1
        middle = self.selection.top  # mostly all of them are
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
        """What bounds that are known say without a solver, by this reason or by a tie; None where they say nothing."""
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
        verdict, reason = self._decide(solve)
        lower, upper = solve.proven()
        if verdict == "too dear":
            self.larger = solve.weights()
        self.known.note(self.survivors, d, lower, upper)
        return Probe(d, min(lower, upper), upper, samples, verdict, reason, solve.iterations)

    def _decide(self, solve: Following) -> tuple[Verdict, Reason]:
        """By proven bounds, as soon as they decide; by the value where they never do."""
        while True:
            if self.selection.verdict_on(solve.lower, solve.upper) is not None or solve.exhausted:
                verdict = self.selection.verdict_on(*solve.proven())
                if verdict is not None:
                    return verdict, _BY_BOUNDS[verdict]
            if solve.exhausted:
                return ("fits" if solve.upper <= self.selection.ceiling else "too dear"), "not proven"
            if self.stop is not None and self.stop():
                raise Cancelled
            solve.step()

    def _with_larger(self, solution: Solution) -> float:
        """A proven upper bound from the weights of a larger dimension, where it may decide; else ∞."""
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
