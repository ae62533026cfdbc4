"""When the model is wrong: rewards that are linear in no R^d, GEMS-m, and validation, which uses no model."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.annotation import Arrow, Bracket
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import SecondRun, Story
from gems_engine.trace import Trace

_ERROR = ("dimensions.show=error",)
_VALIDATION = ("counts.shows=round",)
_IN_R1, _IN_R10 = at("eliminated", 4, 1, 2), at("eliminated", 6, 1, 2)


def build(shipped: Shipped) -> Trace:
    """Forty arms whose rewards deviate from every linear model, less in larger dimensions."""
    trace = recorded(make("misspecified"), "misspecified", 1, base=4, max_samples=1_000_000)
    moments = (
        moment(
            _IN_R1,
            "dimensions",
            "{arms} arms whose rewards follow no linear model. In R^1, the best one is off by {gamma[1]:1}.",
            "γ̃(d) is the largest error of the best linear model in R^d. It decreases with d but never reaches 0.",
            _ERROR,
            lock="error",
            annotations=(Arrow("dimensions", "1", "{gamma[1]}", "off by {gamma[1]:1}", "below"),),
        ),
        moment(
            _IN_R1,
            "dimensions",
            "Every feature bends the model closer: in R^10 its error is {gamma[1]/gamma[10]:2} times smaller.",
            "The axis is logarithmic. Larger dimensions have a smaller error, and cost more samples.",
            _ERROR,
            lock="error",
            annotations=(Bracket("dimensions", "{gamma[10]}", "{gamma[1]}", "× {factor:2}", "y", 0.98),),
        ),
        moment(
            _IN_R1,
            "gaps",
            "With B = {B} only R^{d_k} fits. There the true best, {best}, is just over the width, and eliminated.",
            "The best arm is marked. Arm 27 eliminates it, although arm 27 is really 0.45 worse: the model is wrong.",
            arm=8,
            target=8,
            annotations=(Arrow("gaps", "0.257", "8.5", "the true best, eliminated", "right"),),
        ),
        moment(
            _IN_R1,
            "gaps",
            "Round 2 in R^1, and round 2 in R^10: only in R^10 does {best} lead.",
            "Both plots have the same axis and the same width. On the left B = 64 and on the right B = 1024.",
            arm=8,
            target=8,
            second=SecondRun(0, _IN_R10),
            annotations=(
                Arrow("gaps", "0.257", "8.5", "eliminated in R^{d_k}", "right"),
                Arrow("gaps", "0", "0.5", "leads in R^{d_k}", "right", second=True),
            ),
        ),
        moment(
            at("subroutine finished", 4, 2),
            "survivors",
            "Another call in R^1 ends with {survivors} alone. From inside, this looks like a success.",
            "One survivor and small widths: nothing in the call shows that the model is wrong.",
            arm=8,
            target=8,
            annotations=(Arrow("survivors", "6", "16.5", "arm 27 alone", "right"),),
        ),
        moment(
            at("recommended", 4),
            "counts",
            "Validation uses no model, but only has {candidates}. Arm 12 wins, with {mean[12]:2}.",
            "None of these candidates is good: arm 27 has 0.06. Arm 33, recommended so far with 0.46, is not among "
            "them and is lost. Validation can only choose among its candidates.",
            _VALIDATION,
            lock="counts",
            annotations=(
                Arrow("counts", "12", "{validation_pulls}", "mean {mean[12]:2}", "left"),
                Arrow("counts", "27", "{validation_pulls}", "mean {mean[27]:1}", "right"),
            ),
        ),
        moment(
            at("recommended", 5),
            "counts",
            "With B = 256 a call reached R^10. Now {best} is a candidate: {mean[8]:3}, and arm 27 has {mean[27]:1}.",
            "Eight thousand pulls each, as the confidence level requires. Larger budgets reach larger dimensions.",
            _VALIDATION,
            lock="counts",
            arm=8,
            target=8,
            annotations=(
                Arrow("counts", "8", "{validation_pulls}", "{mean[8]:3}", "right"),
                Arrow("counts", "27", "{validation_pulls}", "mean {mean[27]:1}", "right"),
            ),
        ),
        moment(
            END,
            "recommendation",
            "From sample {tau} on, the recommendation stays within 2ε of the best: {recommendation}.",
            "The goal here is an arm within 2ε of the best, ε = 0.1: with a wrong model no algorithm can promise more. "
            "Arm 33 was right, too, and was lost at ℓ = 4: a loop can replace a right recommendation with a wrong one, "
            "and larger budgets correct it.",
            annotations=(Arrow("recommendation", "{tau}", "0.5", "settles on {best}", "left"),),
        ),
    )
    trace.story = Story(shipped.title, moments, shipped.about, "GEMS")
    return trace
