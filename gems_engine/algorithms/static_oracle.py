"""The static allocation of the lower-bound theorem (section 3): it knows θ⋆ and recommends by least squares."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log
from typing import Any

from gems_engine import clock
from gems_engine.algorithms.algorithm import BEST_ARM, DELTA, SHARED, Algorithm, needs_linear_rewards
from gems_engine.algorithms.pseudocode import Line, Listing, Said, before_loops, in_loop
from gems_engine.algorithms.run_context import Events, RunContext, allocated, solved
from gems_engine.algorithms.symbols import SYMBOLS, Symbol
from gems_engine.complexity.quantities import gap_divisors, rho_problem
from gems_engine.design import DesignProblem
from gems_engine.elimination import least_squares
from gems_engine.events import (
    BUDGET_SPENT,
    Allocated,
    DesignSolved,
    Estimated,
    Place,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
)
from gems_engine.parameters import Parameter


def static_oracle(context: RunContext, given: Mapping[str, Any]) -> Events[RunFinished]:
    """Round the design of ρ⋆_{d⋆} to N pulls, by default ½·ρ⋆·log(1/δ), and take the arm with the largest estimate."""
    instance = context.instance
    d = instance.d_star
    assert d is not None
    yield Recommended(Place(), context.any_of(context.reset_survivors()), 0, "first guess")
    place = Place(1, 1, 1)
    problem = rho_problem(instance, d, gap_divisors(instance))
    started = clock.now()
    design = context.solve(problem)  # its value is ρ⋆_{d⋆}
    yield solved(place, d, design, design.safe_value, clock.now() - started)
    pulls = given["pulls"] or max(1, ceil(0.5 * design.safe_value * log(1.0 / given["delta"])))
    allocation = context.rounded(problem, design, pulls)
    sums = yield from context.pull(allocated(place, d, allocation))
    everyone = DesignProblem(instance.arms[:, :d], targets=instance.targets[:, :d])
    fit = least_squares(everyone, allocation.norm.arms, allocation.norm.counts, sums)
    yield Estimated(place, fit.theta)
    best = int(fit.estimates.argmax())
    yield Recommended(place, best, context.samples, "the largest estimate")
    return RunFinished(place, BUDGET_SPENT, best, context.reset_survivors()[best : best + 1], context.samples)


STATIC_ORACLE_LINES = Listing(
    "Static oracle",
    "the static allocation of the lower bound",
    (
        Line("input", "**input** δ, θ_⋆", events=(RunStarted,), shows=("δ", "d_⋆"), numbered=False),
        Line("guess", "ẑ_⋆ ← a random z ∈ 𝒵", events=(Said(Recommended, before_loops),), shows=("ẑ_⋆",), ours=True),
        Line(
            "design",
            "λ_⋆ ← argmin_λ max_{z ≠ z_⋆} ‖ψ_{d_⋆}(z_⋆) − ψ_{d_⋆}(z)‖²_{A(λ)^{−1}}/Δ_z²",
            events=(DesignSolved,),
            shows=("ρ_⋆", "|supp λ_⋆|"),
        ),
        Line("pulls", "N ← ⌈½ ρ_⋆ log(1/δ)⌉, unless N is given", passed=("allocate",), shows=("N",)),
        Line("allocate", "{x_1, …, x_N} ← ROUND(λ_⋆, N, d_⋆, ζ)", events=(Allocated,), shows=("ζ",)),
        Line("pull", "pull x_1, …, x_N; receive r_1, …, r_N", events=(Pulled,), shows=("samples",)),
        Line(
            "estimate",
            "θ̂ ← (Σ_i ψ_{d_⋆}(x_i) ψ_{d_⋆}(x_i)^⊤)^{−1} Σ_i ψ_{d_⋆}(x_i) r_i",
            events=(Estimated,),
            shows=("θ̂",),
        ),
        Line(
            "recommend",
            "ẑ_⋆ ← argmax_{z ∈ 𝒵} ⟨θ̂, ψ_{d_⋆}(z)⟩",
            events=(Said(Recommended, in_loop),),
            shows=("ẑ_⋆",),
        ),
        Line("output", "**output** ẑ_⋆", events=(RunFinished,), shows=("ended",), numbered=False),
    ),
    {
        "δ": Symbol("the allowed probability of a wrong recommendation", lambda at: at.parameter("delta")),
        "θ_⋆": Symbol("the parameter: the mean reward of x is ⟨θ_⋆, x⟩"),
        "z_⋆": Symbol("the best target"),
        "λ_⋆": Symbol("the optimal static design for this θ_⋆"),
        "|supp λ_⋆|": SYMBOLS["|supp λ_k|"],
        "A(λ)": Symbol("Σ λ_x ψ_{d_⋆}(x) ψ_{d_⋆}(x)^⊤: the information of the design about each direction"),
        "Δ_z": Symbol("the gap of z: the mean reward of z_⋆ minus that of z"),
        "ρ_⋆": Symbol("the value of λ_⋆: the complexity of the instance in R^{d_⋆}", SYMBOLS["ι"].value),
        "ψ_{d_⋆}": Symbol("ψ_{d_⋆}(x) are the first d_⋆ features of x"),
        "N": Symbol("all pulls", SYMBOLS["N_k"].value),
        "x_N": Symbol("the arm of the last pull"),
        "r_N": Symbol("the reward of the last pull"),
        "θ̂": Symbol("the least-squares estimate in R^{d_⋆}", lambda at: at.theta),
    },
)
"""The allocation of the non-interactive lower bound (section 3)."""

STATIC_ORACLE = Algorithm(
    "static-oracle",
    "The static allocation of the non-interactive lower bound, which knows θ⋆ (section 3).",
    (
        Parameter("pulls", "int", None, "Number of pulls. None: ½·ρ⋆·log(1/δ).", "N", 1, 10**15, optional=True),
        DELTA,
        *SHARED,
    ),
    BEST_ARM,
    static_oracle,
    needs_linear_rewards,
    listing=STATIC_ORACLE_LINES,
    title="Static oracle",
    aliases=("oracle",),
    rival="fixed-confidence",
)
