"""The paper's five assumptions (section 2), checked and put into words: warnings, never errors."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gems_engine.span import Span
from gems_engine.terminal import superscript

if TYPE_CHECKING:
    from gems_engine.instance import Instance


@dataclass(frozen=True)
class Assumption:
    """One assumption of the paper: whether it holds, in words, and what breaks if it does not."""

    name: str
    holds: bool
    statement: str
    consequence: str


def check_assumptions(instance: "Instance") -> tuple[Assumption, ...]:
    """The five assumptions in the paper's order; without rewards, those that do not depend on them."""
    if not instance.has_rewards:
        return _arms_span(instance), _noise(instance)
    return (
        _arms_span(instance),
        _differences_span(instance),
        _gaps(instance),
        _unique_best(instance),
        _noise(instance),
    )


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
        "gaps",
        gap <= 2,
        "No gap is above 2."
        if gap <= 2
        else f"The gap of {instance.target_label(worst)} is {gap:.6g}, but the paper assumes gaps of at most 2.",
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
        'The goal "best arm" has no single right arm, and ρ⋆_d is infinite; goals with ε > 0 are fine.',
    )


def _noise(instance: "Instance") -> Assumption:
    sigma = instance.noise.sub_gaussian
    return Assumption(
        "noise",
        sigma <= 1,
        f"The noise is {sigma:g}-sub-Gaussian, {'at most' if sigma <= 1 else 'but the paper assumes at most'} 1.",
        "The confidence widths are too narrow by the factor σ: errors may be more frequent than δ.",
    )
