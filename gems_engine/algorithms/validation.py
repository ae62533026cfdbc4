"""Validation: pull candidates directly, each the same number of times, to see which one is best."""

from __future__ import annotations

import numpy as np

from gems_engine.algorithms.pseudocode import Line, Listing, Said, outside_rounds
from gems_engine.algorithms.run_context import Events, RunContext
from gems_engine.algorithms.symbols import Known, Symbol
from gems_engine.events import BY_VALIDATION, Allocated, Place, Pulled, Recommended, Validated


def validate(context: RunContext, place: Place, candidates: list[int], pulls: int) -> Events[int]:
    """The candidate with the highest mean of ``pulls`` pulls each; the first one in a tie."""
    targets = np.array(sorted(set(candidates)), dtype=np.int64)
    positions = context.instance.target_arms
    assert positions is not None, "candidates are pulled directly, so they must be arms"
    context.afford(pulls * len(targets))
    arms, where = np.unique(positions[targets], return_inverse=True)
    counts = np.bincount(where, minlength=len(arms)).astype(np.int64) * pulls
    sums = yield from context.pull(Allocated(place, 0, arms, counts, 1.0, True))
    means = (sums / counts)[where]
    yield Validated(place, targets, means, pulls)
    best = int(targets[int(means.argmax())])
    yield Recommended(place, best, context.samples, BY_VALIDATION)
    return best


def _candidates(at: Known) -> int | None:
    """|𝒜|."""
    return len(at.state.candidates) or None


def _pulls(at: Known) -> int | None:
    """m, from the total allocation to all candidates."""
    asked, candidates = at.state.allocation, _candidates(at)
    if at.state.validated is not None:
        return at.state.validated.pulls
    return int(asked.counts.sum()) // candidates if asked is not None and not asked.d and candidates else None


def _best_mean(at: Known) -> float | None:
    return float(at.state.validated.means.max()) if at.state.validated is not None else None


VALIDATION_LINES = Listing(
    "VALIDATE",
    "find the best candidate",
    (
        Line(
            "allocate",
            "request m pulls of each z ∈ 𝒜",
            events=(Said(Allocated, outside_rounds),),
            shows=("|𝒜|", "m"),
        ),
        Line("pull", "pull; receive the rewards", events=(Said(Pulled, outside_rounds),), shows=("samples",)),
        Line("means", "μ̂_z ← the mean reward of z, z ∈ 𝒜", events=(Validated,), shows=("max μ̂_z",)),
        Line(
            "best",
            "ẑ_⋆ ← argmax_{z ∈ 𝒜} μ̂_z",
            events=(Said(Recommended, lambda event: event.by_validation),),
            shows=("ẑ_⋆",),
        ),
    ),
    {
        "𝒜": Symbol("the candidates, a set"),
        "|𝒜|": Symbol("the number of candidates", _candidates),
        "m": Symbol("pulls of each candidate", _pulls),
        "μ̂_z": Symbol("the mean of the rewards of z in this validation"),
        "max μ̂_z": Symbol("the highest mean", _best_mean),
    },
)
"""The validation step of both strategies that have one."""
