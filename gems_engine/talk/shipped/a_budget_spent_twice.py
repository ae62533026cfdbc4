"""A budget, spent twice: GEMS-b finds candidates with one half of the samples; the other half validates them."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Story
from gems_engine.trace import Trace


def build(shipped: Shipped) -> Trace:
    """The hard instance with a large gap, and twenty thousand samples."""
    trace = recorded(make("paper-hard", d_star=9, epsilon=0.3), "fixed-budget", 1, budget=20_000)
    moments = (
        moment(
            at("candidate kept", 1, 6),
            "grid",
            "{parameter[budget]} samples and no more. One half is for selection: many small calls of GEMS-b, each with "
            "a budget B for the dimension and a share of the samples.",
            "Each cell is a call. Its i gives the budget B = 2ⁱ, its j the number of rounds 2ʲ.",
        ),
        moment(
            at("candidate kept", 3, 4),
            "grid dimension",
            "B = 2 is too small for any dimension: those calls recommend a random arm. For B = 4 and B = {B}, "
            "R^1 fits. So far: {candidate_count} candidates, after {samples} samples.",
            "Samples that a call does not use are not passed on: the theorem does not need them. The true best "
            "arm was among the random ones: a green cell at B = 2 is luck.",
        ),
        moment(
            at("eliminated", 4, 3, 1),
            "survivors dimension",
            "For B = {B}, R^{d_k} fits, and there {survivors} looks best: {gone} arms are eliminated, including the "
            "true best, {best}.",
            "Below d⋆ estimates are biased. Nothing inside the call shows it.",
            arm=8,
            target=8,
        ),
        moment(
            at("eliminated", 7, 1, 1),
            "survivors dimension",
            "With B = {B} a call works in R^{d_k}: {survivors} remain.",
            "Here dₖ is at least d⋆, so the estimates can be trusted.",
        ),
        moment(
            at("candidate kept", 9, 1),
            "grid shares",
            "Selection ends after {samples} samples. It has found {candidate_count} candidates: {candidates}. It does "
            "not know which one is right.",
            "Right and wrong calls look alike from outside. This is why there is a second half.",
        ),
        moment(
            at("validated"),
            "counts shares",
            "The second half is for validation. It uses no model: each candidate is pulled {validation_pulls} times. "
            "{best} has the mean {mean[x_9]:3}, the next one {mean[x_1]:2}.",
            "There are few candidates, so each gets many pulls. There are at most as many as cells in the grid of i "
            "and j, of the order of log² T.",
            arm=8,
            target=8,
        ),
        moment(
            END,
            "recommendation grid",
            "GEMS recommends {recommendation} after {samples} of {parameter[budget]} samples. Wrong candidates cost a "
            "share of the validation, and calls below d⋆ the samples they drew.",
            "Green at B = 2: x_9 was a random choice there. The probability of a wrong recommendation decreases "
            "exponentially in T divided by the complexity in the first d⋆ features.",
        ),
    )
    trace.story = Story(shipped.title, moments, shipped.about, "GEMS")
    return trace
