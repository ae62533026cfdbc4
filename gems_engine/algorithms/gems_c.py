"""GEMS-c, section 4: gap elimination with model selection, fixed confidence."""

from __future__ import annotations

from math import sqrt

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
)
from gems_engine.algorithms.pseudocode import Line, Listing
from gems_engine.algorithms.run_context import Events, RunContext, scaled
from gems_engine.algorithms.subroutine import (
    BY_WIDTH,
    ENDS,
    RETURNED,
    WIDTH,
    Outcome,
    alone_in_rounds,
    eliminate_in_rounds,
    lines_in_rounds,
)
from gems_engine.events import Place


def gems_c(
    context: RunContext,
    place: Place,
    n: int,
    B: float,
    delta: float,
    literal: bool = False,
    count_idle: bool = True,
) -> Events[Outcome]:
    """The subroutine: n rounds, selection budget B, confidence δ."""
    return eliminate_in_rounds(
        context,
        place,
        "gems-c",
        n,
        B,
        delta,
        factor=2.0,
        width=lambda k, log_k: scaled(sqrt(2.0 * log_k)),  # ω(z′, z)
        whole=False,
        literal=literal,
        count_idle=count_idle,
    )


GEMS_C_LINES = Listing(
    "GEMS-c",
    "gap elimination with model selection, fixed confidence",
    (
        *lines_in_rounds(2, WIDTH, BY_WIDTH),
        Line(
            "output",
            "**output** Ŝ_{n+1}",
            events=RETURNED,
            alone=ENDS,
            shows=("|Ŝ_{n+1}|", "ended"),
            numbered=False,
        ),
    ),
)
"""Algorithm 1 of the paper."""

GEMS_C = Algorithm(
    "gems-c",
    "One call of GEMS-c: n rounds of elimination in the largest dimension that fits B (section 4).",
    (ROUNDS, SELECTION_BUDGET, DELTA, MAX_SAMPLES, LITERAL, COUNT_IDLE, *SHARED),
    BEST_ARM,
    lambda context, given: alone_in_rounds(context, given, gems_c, "gems-c"),
    listing=GEMS_C_LINES,
    title="GEMS-c, one call",
)
