"""GEMS-m, appendix: gap elimination with model selection under misspecification, fixed confidence."""

from __future__ import annotations

from math import ldexp

from gems_engine.algorithms.algorithm import (
    COUNT_IDLE,
    DELTA,
    EPSILON,
    EPSILON_GOAL,
    LITERAL,
    MAX_SAMPLES,
    ROUNDS,
    SELECTION_BUDGET,
    SHARED,
    Algorithm,
)
from gems_engine.algorithms.pseudocode import Line, Listing
from gems_engine.algorithms.run_context import Events, RunContext, constant
from gems_engine.algorithms.subroutine import (
    BY_ROUND,
    ENDS,
    RETURNED,
    Outcome,
    alone_in_rounds,
    eliminate_in_rounds,
    lines_in_rounds,
)
from gems_engine.events import Place


def gems_m(
    context: RunContext,
    place: Place,
    n: int,
    B: float,
    delta: float,
    literal: bool = False,
    count_idle: bool = True,
) -> Events[Outcome]:
    """The subroutine: like GEMS-c with four times the samples and 2^−k for ω, as room for the model's error."""
    return eliminate_in_rounds(
        context,
        place,
        "gems-m",
        n,
        B,
        delta,
        factor=8.0,
        width=lambda k, log_k: constant(ldexp(1.0, -k)),  # 2^−k
        whole=True,
        literal=literal,
        count_idle=count_idle,
    )


GEMS_M_LINES = Listing(
    "GEMS-m",
    "gap elimination with model selection under misspecification",
    (
        *lines_in_rounds(8, BY_ROUND),
        Line(
            "output",
            "**output** any ẑ_⋆ ∈ Ŝ_{n+1}, or all of Ŝ_{n+1}",
            events=RETURNED,
            alone=ENDS,
            shows=("|Ŝ_{n+1}|", "ẑ_⋆", "ended"),
            numbered=False,
        ),
    ),
)
"""GEMS-c with four times the pulls and the same width for all pairs (appendix)."""

GEMS_M = Algorithm(
    "gems-m",
    "One call of GEMS-m: GEMS-c for rewards that are not quite linear (appendix).",
    (EPSILON_GOAL, ROUNDS, SELECTION_BUDGET, DELTA, MAX_SAMPLES, LITERAL, COUNT_IDLE, *SHARED),
    EPSILON,
    lambda context, given: alone_in_rounds(context, given, gems_m, "gems-m"),
    listing=GEMS_M_LINES,
    title="GEMS-m, one call",
    rival="gems-c",
)
