"""What a round decides by, from the state at a cursor: its survivors, θ̂_k, and the width that a gap must reach."""

from __future__ import annotations

from functools import lru_cache
from math import ldexp, sqrt

import numpy as np

from gems_engine.algorithms.run_context import constant, log_term, scaled
from gems_engine.arrays import Integers
from gems_engine.design import DesignProblem
from gems_engine.elimination import Fit, given_estimate
from gems_engine.instance import Instance
from gems_engine.margins import Width
from gems_engine.state import State
from gems_engine.terminal import superscript

BY_NORM = ("gems-c", "rage")
"""Subroutines whose widths grow with the norm of a direction."""
BY_ROUND = ("gems-b", "gems-m")
"""Subroutines whose width is 2^−k for every pair."""


def before_elimination(state: State) -> Integers:
    """Ŝ_k of the round at the cursor, as it was before the round eliminated any of them."""
    there = state.fate_event < 0
    there[state.eliminated_now] = True
    return np.flatnonzero(there)


def fitted(instance: Instance, state: State, survivors: Integers, problem: DesignProblem | None = None) -> Fit | None:
    """θ̂_k with the norm of its errors, from the pulls of the round at the cursor; None before there is one."""
    if state.estimated is None or state.allocation is None or state.pulled is None:
        return None
    d = len(state.estimated.theta)
    if problem is None or problem.d != d:
        problem = round_problem(instance, d, survivors)
    return given_estimate(state.estimated.theta, problem, state.allocation.arms, state.allocation.counts)


def round_problem(instance: Instance, d: int, survivors: Integers) -> DesignProblem:
    """The design problem of a round; the last few are cached with their geometry."""
    return _problem(instance, d, np.asarray(survivors, dtype=np.int64).tobytes())


@lru_cache(maxsize=4)  # consecutive rounds often start with the same survivors
def _problem(instance: Instance, d: int, survivors: bytes) -> DesignProblem:
    return DesignProblem(instance.arms[:, :d], targets=instance.targets[np.frombuffer(survivors, np.int64), :d])


def width_rule(state: State, survivors: Integers) -> tuple[str, Width] | None:
    """The symbol and value of the width that a gap must reach, ω or 2^−k; None if there is no elimination rule."""
    subroutine, k = state.subroutine, state.round_place.k
    if subroutine is None:
        return None
    if subroutine.name in BY_NORM:
        return "ω", scaled(sqrt(2.0 * log_term(survivors, k, subroutine.delta)))
    if subroutine.name in BY_ROUND:
        return f"2{superscript(-k)}", constant(ldexp(1.0, -k))
    return None
