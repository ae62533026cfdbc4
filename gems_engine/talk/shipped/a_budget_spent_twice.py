"""A budget, spent twice: GEMS-b finds candidates with one half of the samples; the other half validates them."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.annotation import Arrow
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Story
from gems_engine.trace import Trace

_HALVES = ("shares.by=half",)
_SELECTED = Arrow("shares", "1", "33", "{candidate_count} candidates", "above")  # over the share at the end of the bar


def build(shipped: Shipped) -> Trace:
    """The hard instance with a large gap, and twenty thousand samples."""
    trace = recorded(make("paper-hard", d_star=9, epsilon=0.3), "fixed-budget", 1, budget=20_000)
    moments = (
        moment(
            at("candidate kept", 3, 4),
            "shares",
            "{parameter[budget]} samples: one half for selection, one for validation. {samples} are spent so far.",
            "The dashed line is one half of the budget. The orange samples were drawn in R^1, below d⋆ = 9, where "
            "estimates are biased.",
            _HALVES,
            lock="halves",
            annotations=(Arrow("shares", "1", "50", "selection may use this much", "below"),),
        ),
        moment(
            at("candidate kept", 3, 4),
            "grid",
            "Selection is many small calls: a row for each budget B, a column for each number of rounds.",
            "Each cell is a call. Its i gives the budget B = 2ⁱ, its j the number of rounds 2ʲ. B = 2 is too small for "
            "any dimension: those calls recommend a random arm. For B = 4 and B = 8, R^1 fits.",
        ),
        moment(
            at("eliminated", 4, 3, 1),
            "survivors",
            "With B = {B} only R^{d_k} fits. There {survivors} looks best, and the true best, {best}, is lost.",
            "Below d⋆ estimates are biased. Nothing inside the call shows it.",
            arm=8,
            target=8,
            annotations=(Arrow("survivors", "1", "0.5", "the true best is lost", "right"),),
        ),
        moment(
            at("eliminated", 7, 1, 1),
            "survivors",
            "With B = {B} a call works in R^{d_k}: {survivors} remain.",
            "Here d_k is at least d⋆, so the estimates can be trusted.",
            arm=8,
            target=8,
            annotations=(Arrow("survivors", "1", "0.5", "the true best survives", "right"),),
        ),
        moment(
            at("candidate kept", 9, 1),
            "shares",
            "Selection ends: {samples} samples, {candidate_count} candidates. It does not know which one is right.",
            "Samples that a call does not use are not passed on: the theorem does not need them. Right and wrong calls "
            "look alike from outside. This is why there is a second half.",
            _HALVES,
            lock="halves",
            annotations=(_SELECTED,),
        ),
        moment(
            at("validated"),
            "shares",
            "The other half uses no model: each candidate is pulled {validation_pulls} times.",
            "There are few candidates, so each gets many pulls. There are at most as many as cells in the grid of i "
            "and j, of the order of log² T.",
            _HALVES,
            lock="halves",
            annotations=(
                _SELECTED,
                Arrow("shares", "2.4", "25", "{candidate_count} × {validation_pulls}", "right"),
            ),
        ),
        moment(
            at("validated"),
            "counts",
            "Every candidate has the same pulls, and {best} has the largest mean.",
            "Validation can only choose among its candidates, and it needs no assumption about the model.",
            arm=8,
            target=8,
            annotations=(
                Arrow("counts", "8", "{pulls[x_9]}", "mean {mean[x_9]:3}", "above"),
                Arrow("counts", "5", "{pulls[x_6]}", "mean {mean[x_6]:1}", "above"),
            ),
        ),
        moment(
            END,
            "shares grid",
            "GEMS recommends {recommendation} after {samples} of {parameter[budget]} samples.",
            "Green at B = 2: x_9 was a random choice there. Wrong candidates cost a share of the validation, and calls "
            "below d⋆ the samples they drew. The probability of a wrong recommendation decreases exponentially in T "
            "divided by the complexity in the first d⋆ features.",
            _HALVES,
        ),
    )
    trace.story = Story(shipped.title, moments, shipped.about, "GEMS")
    return trace
