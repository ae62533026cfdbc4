"""The context of an algorithm: an instance, a count of samples, and the steps that all rounds share.

An algorithm is a generator of events. It never sees the mean of a reward or a random number that it did not request:
its caller replies to an `Allocated` event with the sums of the rewards.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np

from gems_engine import clock
from gems_engine.arrays import Floats, Integers
from gems_engine.complexity.ceiling_sums import ceiling_sum, ceiling_sum_at_least
from gems_engine.design import Design, DesignProblem
from gems_engine.dimension import DimensionChoice, KnownBounds, Probe, Selection, as_set, choose_dimension, within
from gems_engine.elimination import Fit, separations
from gems_engine.errors import InputError
from gems_engine.events import (
    Allocated,
    DesignSolved,
    DimensionProbed,
    Eliminated,
    Estimated,
    Event,
    IdleRounds,
    Place,
    Pulled,
)
from gems_engine.forcing import Forced, Forcing
from gems_engine.index_text import targets_text
from gems_engine.instance import Instance
from gems_engine.margins import Width
from gems_engine.memo import Memo
from gems_engine.rounding import Allocation, Form, rounding_of, rounding_samples
from gems_engine.solutions import Solution, Solutions

__all__ = ["Chosen", "RunContext"]

T = TypeVar("T")
Events = Generator[Event, Floats | None, T]
"""A generator of events that returns a T; it is sent the sums of rewards for its `Allocated` events."""

FORCED = "forced"
"""The reason of a forced dimension, whether it fits or not."""
_LARGEST_COST = 1e300  # the cost of a forced dimension may overflow; every cap is smaller
DROP, FINISH = "drop", "finish"
"""What to do with the round that would exceed the cap."""


class CapReached(Exception):
    """The sample cap allows no further round: the run ends."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """The result of OPT for a round: d_k, the design problem in R^{d_k}, its optimal design λ_k, and g_k(d_k)."""

    d: int
    """d_k."""
    problem: DesignProblem
    """The design problem."""
    design: Design
    """λ_k, with its proof."""
    cost: float
    """g_k(d_k)."""


@dataclass
class RunContext:
    """The features of an instance, the settings of a run, and its count of samples.

    Attributes
    ----------
    instance
        Only the oracles use its rewards.
    zeta, rounding, solver, tolerance
        The settings of every design and rounding.
    cap, last_round
        The sample cap, or None; and whether the round that would exceed it is dropped or finished.
    generator
        For the algorithm's random choices, never for rewards.
    stop
        Called between the iterations of a solver.
    samples
        All samples so far, including those of idle rounds.
    known
        Bounds from earlier choices, which save work without changing results.
    memo
        The cache of solved designs, by default that of the process; it does not change results either.
    forcing
        What is forced.
    older
        Whether to produce the events of version 1 of the format, to repeat an older run.
    without_lost
        The allocation that remains if only these numbers of rewards are observed; None if the algorithm needs all.
    used
        The allocation that remains because rewards were lost; None if none were.
    survivors, estimates
        Targets that the current subroutine has not eliminated, and their last estimates (None before the first).
    """

    instance: Instance
    zeta: float = 1.0
    rounding: Form = "quadratic"
    solver: str = "certified"
    tolerance: float = 1e-6
    cap: int | None = None
    last_round: str = DROP
    generator: np.random.Generator = field(default_factory=np.random.default_rng)
    stop: Callable[[], bool] | None = None
    samples: int = 0
    known: KnownBounds = field(default_factory=KnownBounds)
    forcing: Forcing = field(default_factory=Forcing)
    older: bool = False
    memo: Memo | None = None
    without_lost: Callable[[Integers], Allocation] | None = field(default=None, init=False)
    used: Allocation | None = field(default=None, init=False)
    survivors: Integers = field(init=False)
    estimates: Floats | None = field(init=False)

    def __post_init__(self) -> None:
        self._r: dict[int, float] = {}
        self.solutions = Solutions(self.instance.arms, self.instance.targets, self.memo)
        self.reset_survivors()

    @property
    def D(self) -> int:
        """Ambient dimension."""
        return self.instance.D

    def reset_survivors(self) -> Integers:
        """Make all targets survivors, without estimates: Ŝ_1."""
        self.survivors = np.arange(len(self.instance.targets), dtype=np.int64)
        self.estimates = None
        return self.survivors

    def everyone(self) -> Integers:
        """The former name of `reset_survivors`, kept for plug-ins for a release."""
        warnings.warn("RunContext.everyone() is now reset_survivors().", DeprecationWarning, stacklevel=2)
        return self.reset_survivors()

    @property
    def left(self) -> Integers:
        """The former name of `survivors`, kept for plug-ins for a release."""
        warnings.warn("Use RunContext.survivors.", DeprecationWarning, stacklevel=2)
        return self.survivors

    def pick(self) -> int:
        """ "Any uneliminated arm": the largest last estimate, or a random arm without one (docs/decisions.md, 11)."""
        if self.estimates is None:
            return self.any_of(self.survivors)
        return int(self.survivors[int(self.estimates.argmax())])

    def r(self, d: int) -> float:
        """r_d(ζ)."""
        if d not in self._r:
            self._r[d] = rounding_samples(d, self.zeta, self.rounding)
        return self._r[d]

    def any_of(self, targets: Integers) -> int:
        """A random target, by the seed."""
        return int(targets[int(self.generator.integers(len(targets)))])

    def limit(self, given: Mapping[str, Any]) -> None:
        """Set the cap, and what to do with the round that would exceed it: drop it, unless the parameters say."""
        self.cap, self.last_round = given["max_samples"], given.get("last_round", DROP)

    def require_room(self) -> None:
        """Raise CapReached if a finished round has reached the cap; called before a round, call or validation."""
        if self.last_round == FINISH and self.cap is not None and self.samples >= self.cap:
            raise CapReached

    def afford(self, pulls: int, least: int | None = None) -> int:
        """The number of pulls to draw of a round or validation; raises CapReached if it is not drawn.

        A last round that is finished has at most as many pulls as the cap, as in the authors' code, so that a run has
        fewer than twice the cap. If these are fewer than ``least``, by default all of them, it is not drawn.
        """
        if self.cap is None or self.samples + pulls <= self.cap:
            return pulls
        shortened = min(pulls, self.cap)
        if self.last_round == DROP or self.samples >= self.cap or shortened < (pulls if least is None else least):
            raise CapReached
        return shortened

    def force(self, forced: Forced) -> None:
        """Apply what is forced; designs of another solver or tolerance are dropped."""
        settings = forced.solver or self.solver, forced.tolerance or self.tolerance
        if settings != (self.solver, self.tolerance):
            self.solver, self.tolerance = settings
            self.known = KnownBounds()
            self.forcing.changes += 1
        self.forcing.add(forced)

    # -- the steps of a round ---------------------------------------------------------------------------------

    def choose_dimension(
        self, place: Place, survivors: Integers, budget: float, rounding_counts: bool = True, top: int | None = None
    ) -> Events[Chosen | None]:
        """OPT: d_k, λ_k and g_k(d_k), after an event for every dimension probed; None if none fits."""
        started = clock.now()
        changes = self.forcing.changes
        selection = Selection(
            self.instance.arms,
            self.instance.targets,
            tuple(survivors.tolist()),
            place.k,
            self.forcing.selection_budget(budget),
            self.r if rounding_counts else None,
            self.D if top is None else top,
        )
        if self.forcing.dimension is not None:
            choice, probes = self._forced_choice(place, survivors, selection, self.forcing.dimension)
        else:
            choice = choose_dimension(selection, self.solver, self.tolerance, self.known, self.stop, self.solutions)
            probes = [probed(place, probe) for probe in choice.probes]
        seconds = clock.now() - started
        for probe in probes:
            yield probe
            if self.forcing.changes != changes:  # something was forced before all events of this choice
                return (yield from self.choose_dimension(place, survivors, budget, rounding_counts, top))
        self.forcing.dimension_used()
        if choice.d is None or choice.problem is None or choice.design is None:
            return None
        yield solved(place, choice.d, choice.design, choice.cost, seconds)
        return Chosen(choice.d, choice.problem, choice.design, choice.cost)

    def design_in(
        self, place: Place, survivors: Integers, d: int, scale: float
    ) -> Events[tuple[DesignProblem, Design]]:
        """The optimal design in a given dimension, for algorithms that do not choose one."""
        started = clock.now()
        d = self.forcing.dimension or d
        self.forcing.dimension_used()
        problem, design = self._design(survivors, d)
        cost = scale * design.safe_value if design.value else 0.0
        yield solved(place, d, design, cost, clock.now() - started)
        return problem, design

    def _design(self, survivors: Integers, d: int) -> tuple[DesignProblem, Design]:
        some = tuple(survivors.tolist())
        solution = self.solutions.of(some, d, self.solver, self.tolerance)
        design = solution.design(self.stop)
        self.known.first_finished(as_set(some), d)
        return solution.problem, design

    def _forced_choice(
        self, place: Place, survivors: Integers, selection: Selection, d: int
    ) -> tuple[DimensionChoice, list[DimensionProbed]]:
        """The forced dimension, and whether it would have fitted."""
        problem, design = self._design(survivors, d)
        cost = min(selection.cost(d, design.safe_value), _LARGEST_COST)
        verdict = "fits" if within(cost, selection.budget) else "too dear"
        samples = selection.rounding_samples(d)
        said = DimensionProbed(place, d, *design.bounds, samples, verdict, FORCED, design.iterations)
        return DimensionChoice(d, design, cost, (), problem), [said]

    def solve(self, problem: DesignProblem) -> Design:
        """Solve a design, or raise Cancelled if the run is stopped."""
        return Solution(problem, self.solver, self.tolerance).design(self.stop)

    def sample(
        self, place: Place, problem: DesignProblem, design: Design, pulls: int, whole: bool = False
    ) -> Events[Fit]:
        """ROUND, pull, and θ̂ by least squares; the last round may be shortened unless it must be whole."""
        pulls = self.afford(pulls, None if whole else math.ceil(self.r(problem.d)))
        allocation = self.rounded(problem, design, pulls)
        if not whole:  # then its widths follow the pulls, or it has none
            self.without_lost = partial(allocation.without_lost, value=design.value)
        sums = yield from self.pull(allocated(place, problem.d, allocation))
        fit = (self.used or allocation).norm.fit(sums)
        yield Estimated(place, fit.theta)
        return fit

    def rounded(self, problem: DesignProblem, design: Design, pulls: int) -> Allocation:
        """ROUND, computed once for the same design and number of pulls."""
        # A rounding references its problem, so no other problem can have this id while it is cached.
        key = id(problem), design.solver, design.tolerance, self.zeta
        memo = self.solutions.memo

        def make() -> Allocation:
            rounding = memo.get(key, lambda: rounding_of(problem, design.weights, self.zeta, design.value))
            return rounding.to(pulls)

        return memo.get((*key, pulls), make)

    def pull(self, allocated: Allocated) -> Events[Floats]:
        """Pull these arms; return the sums of their rewards.

        Rewards may be lost only in :meth:`sample`, which then estimates without them.
        """
        started = time.perf_counter()
        self.used = None
        sums = yield allocated
        self.without_lost = None
        assert sums is not None, "the reply to an allocation is the sums of its rewards"
        if self.used is not None:
            norm = self.used.norm
            sums = sums[np.isin(allocated.arms, norm.arms)]
            lost = allocated.total - int(norm.counts.sum())
            d, factor = allocated.d, self.used.factor
            allocated = Allocated(allocated.place, d, norm.arms, norm.counts, factor, self.used.guaranteed, lost)
            yield allocated
        self.samples += allocated.total
        yield Pulled(allocated.place, sums, self.samples, time.perf_counter() - started)
        return sums

    def lose(self, asked: Allocated, observed: Integers) -> None:
        """Before the reply to an allocation: only these numbers of rewards were observed, and the others are lost.

        Raises
        ------
        InputError
            If the algorithm needs those; it names the arms.
        """
        if self.without_lost is None:
            arms = targets_text(asked.arms[observed < asked.counts].tolist())
            raise InputError(f"This step of the algorithm needs all of its rewards. Pull these arms again: {arms}.")
        self.used = self.without_lost(observed)

    def eliminate(self, place: Place, survivors: Integers, fit: Fit, width: Width) -> Events[Integers]:
        """Ŝ_{k+1}: without those z that some z′ beats by ⟨θ̂, ψ(z′) − ψ(z)⟩ ≥ width(‖ψ(z′) − ψ(z)‖_{A⁻¹})."""
        leave, by, gaps, widths = separations(fit, width)
        self.survivors, self.estimates = survivors, fit.estimates
        if len(leave):
            stays = np.ones(len(survivors), dtype=bool)
            stays[leave] = False
            self.survivors, self.estimates = survivors[stays], fit.estimates[stays]
            leave, by = survivors[leave], survivors[by]
        yield Eliminated(place, leave, by, gaps, widths, len(self.survivors))
        return self.survivors

    # -- rounds in which nothing happens ------------------------------------------------------------------------

    def idle(self, place: Place, last: int, d: int, c: float, start: float | None, why: str) -> Events[None]:
        """Rounds k … last with ⌈c·(start + 2·log k)⌉ samples each, or c without a start: counted, not drawn.

        If not all of them fit under the cap, those that do are counted, and the run ends. If the last round is
        finished, the one that exceeds the cap is counted too, unless it is larger than the cap itself.
        """
        before = ceiling_sum(c, start, place.k - 1) if start is not None and place.k > 1 else 0

        def drawn(end: int) -> int:
            if end < place.k:
                return 0
            if start is None:
                return int(c) * (end - place.k + 1)
            return ceiling_sum(c, start, end) - before

        def fits(end: int) -> bool:
            if self.cap is None:
                return True
            if start is not None and ceiling_sum_at_least(c, start, end) > self.cap - self.samples + before:
                return False  # far beyond the cap there is no need to count
            return self.samples + drawn(end) <= self.cap

        end = last
        if not fits(last):
            low, high = place.k - 1, last  # the largest end that fits
            while high - low > 1:
                middle = (low + high) // 2
                if fits(middle):
                    low = middle
                else:
                    high = middle
            end = low
            if self._finishes(drawn(end), drawn(end + 1)):
                end += 1
        if end >= place.k:
            pulls = drawn(end)
            self.samples += pulls
            yield IdleRounds(place, place.k, end, d, pulls, self.samples, why)
        if end < last:
            raise CapReached

    def _finishes(self, before: int, after: int) -> bool:
        """Whether an idle round that exceeds the cap is counted, given the idle samples before and after it."""
        if self.last_round == DROP or self.cap is None:
            return False
        return self.samples + before < self.cap and after - before <= self.cap


def log_term(survivors: Integers, k: int, delta: float) -> float:
    """log(|Ŝ_k|²/δ_k) with δ_k = δ/k²."""
    return 2.0 * math.log(len(survivors)) + 2.0 * math.log(k) - math.log(delta)


def scaled(omega: float) -> Width:
    """Widths that grow with the norm: ω(z′, z) = omega·‖ψ(z′) − ψ(z)‖_{A⁻¹}."""
    return Width(slope=omega)


def constant(width: float) -> Width:
    """The same width for every pair."""
    return Width(level=width)


def count_to(n: int) -> Iterator[int]:
    """k = 1, 2, …, n; n may be 4^40."""
    k = 1
    while k <= n:
        yield k
        k += 1


def probed(place: Place, probe: Probe) -> DimensionProbed:
    """A probe of OPT as an event."""
    return DimensionProbed(
        place,
        probe.d,
        probe.lower,
        probe.upper,
        probe.rounding_samples,
        probe.verdict,
        probe.reason,
        probe.iterations,
    )


def allocated(place: Place, d: int, allocation: Allocation) -> Allocated:
    """Whole pulls as an event."""
    norm = allocation.norm
    return Allocated(place, d, norm.arms, norm.counts, allocation.factor, allocation.guaranteed)


def solved(place: Place, d: int, design: Design, cost: float, seconds: float) -> DesignSolved:
    """A design as an event: its weights on their support."""
    return DesignSolved(
        place,
        d,
        design.support,
        design.support_weights,
        design.value,
        design.lower_bound,
        design.upper_bound,
        cost,
        design.status,
        design.proof,
        design.iterations,
        design.solver,
        design.tolerance,
        seconds,
    )
