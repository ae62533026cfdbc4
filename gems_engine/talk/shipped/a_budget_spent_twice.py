"""«A budget, spent twice»: GEMS-b names candidates with one half of the samples and judges them with the other."""

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
            "{parameter[budget]} samples and not one more. One half is for selection: many small subroutines, each "
            "with a budget B for the dimension and a share of the samples.",
            "Each cell is a subroutine. Its i is the budget B = 2^i, its j the number of rounds 2^j.",
        ),
        moment(
            at("candidate kept", 3, 4),
            "grid dimension",
            "B = 2 is too small for any dimension: those subroutines named an arm by lot. B = 4 and B = {B} have room "
            "for R^1. So far {candidate_count} candidates, after {samples} samples.",
            "What a subroutine does not spend is not handed on: the theorem needs no more. By lot the true best was "
            "named, too: a green cell at B = 2 is luck.",
        ),
        moment(
            at("eliminated", 4, 3, 1),
            "survivors dimension",
            "B = {B} has room for R^{d_k}, and there {survivors} looks best: {gone} arms leave, the true best "
            "{best} among them.",
            "Below d⋆ estimates are biased. Nothing inside the subroutine can tell.",
            arm=8,
            target=8,
        ),
        moment(
            at("eliminated", 7, 1, 1),
            "survivors dimension",
            "With B = {B} a subroutine works in R^{d_k}: {survivors} are left.",
            "Here d_k is at least d⋆, so that the estimates can be trusted.",
        ),
        moment(
            at("candidate kept", 9, 1),
            "grid shares",
            "Selection is over after {samples} samples. It has named {candidate_count} candidates: {candidates}. "
            "Which one is right, it does not know.",
            "Right and wrong subroutines look alike from outside: that is why there is a second half.",
        ),
        moment(
            at("validated"),
            "counts shares",
            "The second half is for validation: no model, each candidate is pulled {validation_pulls} times. {best} "
            "has the mean {mean[x_9]:3}, the next one {mean[x_1]:2}.",
            "Few candidates, so each of them gets many pulls. There are at most as many as cells in the grid of i "
            "and j, of the order of log² T.",
            arm=8,
            target=8,
        ),
        moment(
            END,
            "recommendation grid",
            "{recommendation} it is, after {samples} of {parameter[budget]} samples. Wrong candidates cost a share of "
            "the validation, and subroutines below d⋆ the samples that they drew.",
            "Green at B = 2: x_9 was named there by lot. The probability of a wrong answer falls exponentially in T "
            "over the complexity in R^d⋆.",
        ),
    )
    trace.story = Story(shipped.title, moments, shipped.about, "GEMS")
    return trace
