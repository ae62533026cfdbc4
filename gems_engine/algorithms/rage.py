"""RAGE (Fiez et al. 2019) in the paper's notation: the baseline in R^D, and its oracle in R^{d⋆}."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from math import ceil, inf, ldexp, sqrt
from typing import Any

from gems_engine.algorithms.algorithm import (
    BEST_ARM,
    DELTA,
    LAST_ROUND,
    MAX_SAMPLES,
    SHARED,
    Algorithm,
    needs_linear_rewards,
)
from gems_engine.algorithms.pseudocode import ROUND, Line, Listing, Said, before_loops, in_round
from gems_engine.algorithms.run_context import CapReached, Events, RunContext, log_term, scaled
from gems_engine.algorithms.subroutine import BEGIN, CONFIDENCE, PULL
from gems_engine.algorithms.symbols import Symbol
from gems_engine.events import (
    CAP,
    NOTHING_TO_TELL_APART,
    SINGLETON,
    Allocated,
    DesignSolved,
    Eliminated,
    Estimated,
    Place,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
)


def rage(context: RunContext, d: int, delta: float) -> Events[RunFinished]:
    """Eliminate in R^d until one arm remains; the recommendation is the survivor with the largest current estimate."""
    start = Place(1, 1, 0)
    survivors = context.reset_survivors()
    recommended = context.any_of(survivors)
    yield Recommended(Place(), recommended, 0, "first guess")
    yield SubroutineStarted(start, "rage", 0, inf, delta, 0.0)
    why = SINGLETON
    try:
        for k in count(1):
            if len(survivors) == 1:
                break
            context.require_room()
            here = Place(1, 1, k)
            log_k = log_term(survivors, k, delta)
            scale = ldexp(1.0, 2 * min(k, 500))
            problem, design = yield from context.design_in(here, survivors, d, scale)
            if problem.is_trivial:
                why = NOTHING_TO_TELL_APART
                break
            N = max(ceil(2.0 * scale * design.safe_value * (1.0 + context.zeta) * log_k), ceil(context.r(problem.d)))
            fit = yield from context.sample(here, problem, design, N)
            survivors = yield from context.eliminate(here, survivors, fit, scaled(sqrt(2.0 * log_k)))
            recommended = context.pick()
            yield Recommended(here, recommended, context.samples, "the largest estimate among those left")
    except CapReached:
        why = CAP
    yield SubroutineFinished(start, survivors, why, context.samples)
    return RunFinished(start, why, recommended, survivors, context.samples)


def _rage(context: RunContext, given: Mapping[str, Any]) -> Events[RunFinished]:
    context.limit(given)
    return rage(context, context.D, given["delta"])


def _oracle(context: RunContext, given: Mapping[str, Any]) -> Events[RunFinished]:
    context.limit(given)
    assert context.instance.d_star is not None
    return rage(context, context.instance.d_star, given["delta"])


def _listing(name: str, title: str, d: str) -> Listing:
    """The listing of RAGE in R^d, for a given symbol of the dimension."""
    psi, r = f"ψ_{{{d}}}" if len(d) > 1 else f"ψ_{d}", f"r_{{{d}}}(ζ)" if len(d) > 1 else f"r_{d}(ζ)"
    return Listing(
        name,
        title,
        (
            Line(
                "input",
                "**input** δ" + (f", {d}" if d != "D" else ""),
                events=(RunStarted,),
                shows=("δ", d),
                numbered=False,
            ),
            Line("guess", "ẑ_⋆ ← a random z ∈ 𝒵", events=(Said(Recommended, before_loops),), shows=("ẑ_⋆",), ours=True),
            BEGIN,
            Line("round", "**for** k = 1, 2, … **while** |Ŝ_k| > 1 **do**", passed=ROUND, shows=("k",)),
            CONFIDENCE,
            Line(
                "design",
                f"λ_k ← argmin_λ max_{{z, z′ ∈ Ŝ_k}} ‖{psi}(z) − {psi}(z′)‖²_{{A(λ)^{{−1}}}}",
                1,
                (Said(DesignSolved, in_round),),
                shows=("ι", "|supp λ_k|"),
            ),
            Line(
                "pulls",
                f"N_k ← max{{⌈2·2^{{2k}}·ι (1 + ζ) log(|Ŝ_k|²/δ_k)⌉, ⌈{r}⌉}}",
                1,
                passed=("allocate",),
                shows=("N_k", "ζ"),
            ),
            Line(
                "allocate",
                f"{{x_1, …, x_{{N_k}}}} ← ROUND(λ_k, N_k, {d}, ζ)",
                1,
                (Said(Allocated, in_round),),
            ),
            PULL,
            Line(
                "estimate",
                f"θ̂_k ← A_k^{{−1}} b_k, A_k = Σ_i {psi}(x_i) {psi}(x_i)^⊤, b_k = Σ_i {psi}(x_i) r_i",
                1,
                (Estimated,),
                shows=("θ̂_k",),
            ),
            Line(
                "width",
                f"ω(z′, z) := ‖{psi}(z′) − {psi}(z)‖_{{A_k^{{−1}}}} √(2 log(|Ŝ_k|²/δ_k))",
                1,
                passed=("eliminate",),
                shows=("ω(z′, z)",),
            ),
            Line(
                "eliminate",
                f"Ŝ_{{k+1}} ← Ŝ_k ∖ {{z ∈ Ŝ_k : ∃ z′, ⟨θ̂_k, {psi}(z′) − {psi}(z)⟩ ≥ ω(z′, z)}}",
                1,
                (Eliminated,),
                shows=("eliminated", "|Ŝ_{k+1}|"),
            ),
            Line(
                "recommend",
                f"ẑ_⋆ ← argmax_{{z ∈ Ŝ_{{k+1}}}} ⟨θ̂_k, {psi}(z)⟩",
                1,
                (Said(Recommended, in_round),),
                shows=("ẑ_⋆",),
                ours=True,
            ),
            Line(
                "output",
                "**output** ẑ_⋆",
                events=(SubroutineFinished, RunFinished),
                shows=("ẑ_⋆", "ended"),
                numbered=False,
            ),
        ),
        {
            "δ": Symbol("the allowed probability of a wrong recommendation", lambda at: at.parameter("delta")),
            psi: Symbol(f"{psi}(x) are the first {d} features of x" if d != "D" else "ψ_D(x) are all D features of x"),
            r: Symbol(f"pulls needed for rounding in R^{{{d}}}"),
            "A(λ)": Symbol(f"Σ λ_x {psi}(x) {psi}(x)^⊤: the information of the design about each direction"),
            "A_k": Symbol(f"Σ {psi}(x_i) {psi}(x_i)^⊤ over the pulls of round k"),
            "b_k": Symbol(f"Σ {psi}(x_i) r_i over the pulls of round k"),
            "θ̂_k": Symbol(f"the least-squares estimate of round k, in R^{{{d}}}", lambda at: at.theta),
        },
    )


RAGE_LINES = _listing("RAGE", "elimination in all D features", "D")
ORACLE_LINES = _listing("RAGE", "elimination in the first d⋆ features, with d⋆ given", "d_⋆")

RAGE = Algorithm(
    "rage",
    "The baseline without model selection: elimination in Rᴰ until one arm remains.",
    (DELTA, MAX_SAMPLES, LAST_ROUND, *SHARED),
    BEST_ARM,
    _rage,
    listing=RAGE_LINES,
    title="RAGE",
    rival="fixed-confidence",
)

RAGE_ORACLE = Algorithm(
    "rage-oracle",
    "RAGE in the first d⋆ features, told d⋆: the best case, which needs to know d⋆.",
    (DELTA, MAX_SAMPLES, LAST_ROUND, *SHARED),
    BEST_ARM,
    _oracle,
    needs_linear_rewards,
    listing=ORACLE_LINES,
    title="RAGE, told d⋆",
    rival="fixed-confidence",
)
