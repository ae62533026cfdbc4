"""The paper's linear model and its five assumptions (section 2), checked and put into words: warnings, never errors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gems_engine.span import Span
from gems_engine.terminal import THIN, number, superscript

if TYPE_CHECKING:
    from gems_engine.instance import Instance
    from gems_engine.rewards import Noise

LINEAR, GAPS, NOISE = "linear", "gaps", "noise"
"""The names of two assumptions that real data often break, and of the one that a run can change."""
FOR_MISSPECIFIED_REWARDS = ("misspecified", "misspecified-best-arm", "gems-m")
"""The algorithms whose guarantees allow for rewards that are not linear; all others are told if they are not."""
LARGEST_GAP = 2.0
"""The largest gap that the paper allows."""
_PROVEN = 0.01  # a fit whose size is proven to this fraction is called the best


@dataclass(frozen=True)
class Assumption:
    """One assumption of the paper: whether it holds, in words, and what breaks if it does not."""

    name: str
    holds: bool
    statement: str
    consequence: str


def check_assumptions(instance: "Instance") -> tuple[Assumption, ...]:
    """Linear rewards, then the five assumptions in the paper's order; without rewards, those that do not need them."""
    if not instance.has_rewards:
        return _arms_span(instance), noise_assumption(instance.noise)
    return (
        _linear(instance),
        _arms_span(instance),
        _differences_span(instance),
        _gaps(instance),
        _unique_best(instance),
        noise_assumption(instance.noise),
    )


def _linear(instance: "Instance") -> Assumption:
    D = instance.D
    space = f"R{superscript(D)}"
    return Assumption(
        LINEAR,
        instance.d_star is not None,
        f"The rewards are linear in {space}." if instance.d_star is not None else _how_far(instance, space),
        "Theorems for linear rewards do not apply, and a run may settle on a wrong arm. GEMS (misspecified) allows for "
        "the error.",
    )


def _how_far(instance: "Instance", space: str) -> str:
    """How far the rewards are from linear, in their own units and as a part of their range."""
    level, (_, rewards) = instance.linear_fit, instance.union
    size, spread = level.gamma_tilde, float(np.ptp(rewards))
    part = f" ({100 * size / spread:.2g}{THIN}% of their range)" if spread > 0 else ""
    fit = "The best linear fit" if level.gap <= _PROVEN else "The linear fit of least squares"
    return f"{fit} in {space} misses the rewards by up to {number(size, 3)}{part}."


def _arms_span(instance: "Instance") -> Assumption:
    rank, D = instance.span.rank, instance.D
    return Assumption(
        "arms-span",
        rank == D,
        f"The arms span R{superscript(D)}." if rank == D else f"The arms span only {rank} of the {D} dimensions.",
        "θ is not determined by the rewards of the arms: estimates are unique only within their span, and the "
        "theorems hold after projecting to it.",
    )


def _differences_span(instance: "Instance") -> Assumption:
    D = instance.D
    rank = Span(instance.targets[instance.best] - instance.targets).rank
    return Assumption(
        "differences-span",
        rank == D,
        "The differences to the best target span "
        + (f"R{superscript(D)}." if rank == D else f"only {rank} of the {D} dimensions."),
        "The proof that ρ⋆_d does not decrease above d⋆ uses this assumption; directions in which no target differs "
        "from the best one are never needed.",
    )


def _gaps(instance: "Instance") -> Assumption:
    worst = int(np.argmax(instance.gaps))
    gap = float(instance.gaps[worst])
    return Assumption(
        GAPS,
        gap <= LARGEST_GAP,
        "No gap is above 2."
        if gap <= LARGEST_GAP
        else f"The gap of {instance.target_label(worst)} is {number(gap, 6)}, but the paper assumes gaps of at most 2.",
        "The rounds start at a gap of 2: larger gaps void the upper bounds on samples and the first elimination "
        "steps. To fix this, divide all rewards and σ by the same number.",
    )


def _unique_best(instance: "Instance") -> Assumption:
    if instance.best_is_unique:
        statement = f"The best target is unique: {instance.target_label(instance.best)}."
    else:
        statement = f"The best target is not unique: {instance.tied_labels()} have the same mean reward."
    return Assumption(
        "unique-best",
        instance.best_is_unique,
        statement,
        'The goal "best arm" has no single right arm, and ρ⋆_d is infinite; GEMS (misspecified) accepts ties.',
    )


def noise_assumption(noise: "Noise") -> Assumption:
    """The assumption on the noise, which a run may change."""
    sigma = noise.sub_gaussian
    allowed = "; the paper allows up to" if sigma <= 1 else ", but the paper assumes at most"
    return Assumption(
        NOISE,
        sigma <= 1,
        f"The noise is {sigma:g}-sub-Gaussian{allowed} 1.",
        "The confidence widths are too narrow by the factor σ: errors may be more frequent than δ.",
    )
