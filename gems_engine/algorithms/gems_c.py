"""GEMS-c, section 4: gap elimination with model selection, fixed confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np

from gems_engine.algorithms.algorithm import (
    BEST_ARM,
    COUNT_IDLE,
    DELTA,
    LITERAL,
    MAX_SAMPLES,
    ROUNDS,
    SELECTION_BUDGET,
    SHARED,
    Algorithm,
    needs_one_best,
)
from gems_engine.algorithms.laboratory import CapReached, Events, Laboratory, Width, count_to, log_term, scaled
from gems_engine.arrays import Floats, Integers
from gems_engine.events import (
    CAP,
    NO_DIMENSION_FITS,
    NOTHING_TO_TELL_APART,
    ROUNDS_DONE,
    SINGLETON,
    Place,
    Recommended,
    RunFinished,
    SubroutineFinished,
    SubroutineStarted,
)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a subroutine leaves behind.

    Attributes
    ----------
    survivors
        Ŝ_{n+1}.
    pick
        «Any uneliminated arm»: the survivor with the largest last estimate, or a random one without any estimate.
    verified
        Whether every round worked in R^D.
    """

    survivors: Integers
    pick: int
    verified: bool

    @property
    def singleton(self) -> bool:
        """Whether one arm is left."""
        return len(self.survivors) == 1


def gems_c(
    lab: Laboratory,
    place: Place,
    n: int,
    B: float,
    delta: float,
    literal: bool = False,
    count_idle: bool = True,
) -> Events[Outcome]:
    """The subroutine: n rounds, selection budget B, confidence δ."""

    def omega(log_k: float, k: int) -> Width:
        return scaled(sqrt(2.0 * log_k))  # ω(z′, z)

    return (yield from eliminate_in_rounds(lab, place, "gems-c", n, B, delta, 2.0, omega, literal, count_idle))


def eliminate_in_rounds(
    lab: Laboratory,
    place: Place,
    name: str,
    n: int,
    B: float,
    delta: float,
    factor: float,
    widths: Callable[[float, int], Width],
    literal: bool,
    count_idle: bool,
) -> Events[Outcome]:
    """The rounds that GEMS-c and GEMS-m share; they differ in the factor of N_k and in the width of an elimination."""
    yield SubroutineStarted(place, name, n, B, delta, 0.0)
    survivors = lab.everyone()
    estimates: Floats | None = None
    verified, why = True, ROUNDS_DONE
    try:
        for k in count_to(n):
            here = Place(place.ell, place.i, k)
            if len(survivors) == 1 and not literal:
                why = SINGLETON
                break
            log_k = log_term(survivors, k, delta)  # log(|Ŝ_k|²/δ_k), δ_k = δ/k²
            choice = yield from lab.choose_dimension(here, survivors, B)  # d_k = OPT(B, D, g_k), λ_k, g_k(d_k)
            if choice.d is None or choice.problem is None or choice.design is None:
                why = NO_DIMENSION_FITS
                break
            if choice.problem.geometry.directions is None:
                # ι = 0 here and in every later round, and the costs only grow: nothing will change any more.
                why = SINGLETON if len(survivors) == 1 else NOTHING_TO_TELL_APART
                if count_idle:
                    cost = factor * (1.0 + lab.zeta) * lab.r(choice.d)
                    yield from lab.idle(here, n, choice.d, cost, log_k - 2.0 * np.log(k), why)
                break
            N = ceil(factor * (1.0 + lab.zeta) * choice.cost * log_k)
            fit = yield from lab.sample(here, choice.problem, choice.design, N)  # θ̂_k by least squares in R^{d_k}
            before = survivors
            survivors = yield from lab.eliminate(here, survivors, fit, widths(log_k, k))
            estimates = fit.estimates[np.searchsorted(before, survivors)]
            verified = verified and choice.d == lab.D
        else:
            why = SINGLETON if len(survivors) == 1 else ROUNDS_DONE
    except CapReached as cap:
        yield SubroutineFinished(place, survivors, CAP, lab.samples)
        raise CapReached(survivors) from cap
    yield SubroutineFinished(place, survivors, why, lab.samples)
    pick = lab.any_of(survivors) if estimates is None else int(survivors[int(estimates.argmax())])
    return Outcome(survivors, pick, verified and estimates is not None)


def alone(
    lab: Laboratory,
    subroutine: Callable[[Place], Events[Outcome]],
    recommend: Callable[[Outcome], bool] = lambda _: True,
) -> Events[RunFinished]:
    """A subroutine as a run of its own: it recommends any arm that it has not eliminated."""
    guess = lab.any_of(lab.everyone())
    yield Recommended(Place(), guess, 0, "first guess")
    place = Place(1, 1, 0)
    try:
        outcome = yield from subroutine(place)
    except CapReached as cap:
        return RunFinished(place, CAP, guess, cap.survivors, lab.samples)
    yield Recommended(place, outcome.pick, lab.samples, "largest last estimate among those left")
    why = SINGLETON if outcome.singleton else ROUNDS_DONE
    return RunFinished(place, why, outcome.pick, outcome.survivors, lab.samples)


def _steps(lab: Laboratory, given: Mapping[str, Any]) -> Events[RunFinished]:
    lab.cap = given["max_samples"]
    return alone(
        lab,
        lambda place: gems_c(
            lab,
            place,
            given["rounds"],
            given["selection_budget"],
            given["delta"],
            given["literal"],
            given["count_idle"],
        ),
    )


GEMS_C = Algorithm(
    "gems-c",
    "GEMS-c alone: n rounds of elimination in the richest dimension that fits B (section 4).",
    (ROUNDS, SELECTION_BUDGET, DELTA, MAX_SAMPLES, LITERAL, COUNT_IDLE, *SHARED),
    BEST_ARM,
    _steps,
    needs_one_best,
)
