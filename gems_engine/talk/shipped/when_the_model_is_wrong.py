"""When the model is wrong: rewards that are linear in no R^d, GEMS-m, and validation, which uses no model."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Story
from gems_engine.trace import Trace


def build(shipped: Shipped) -> Trace:
    """Forty arms whose rewards deviate from every linear model, less in larger dimensions."""
    trace = recorded(make("misspecified"), "misspecified", 1, base=4, max_samples=1_000_000)
    moments = (
        moment(
            at("eliminated", 4, 1, 1),
            "survivors dimension",
            "{arms} arms whose rewards follow no linear model. The best linear model has an error of {gamma[1]:2} in "
            "R^1, {gamma[4]:1} in R^4 and {gamma[10]:2} in R^10.",
            "γ̃(d) is the largest error of the best linear model in Rᵈ. It decreases but never reaches 0.",
        ),
        moment(
            at("eliminated", 4, 1, 2),
            "survivors gaps",
            "With B = {B} only R^{d_k} fits. There the true best, {best}, seems to be 0.257 behind, just over the "
            "width of 0.25, and is eliminated.",
            "The best arm is marked. Arm 27 narrowly eliminates it, although arm 27 is really 0.45 worse: the model is "
            "wrong.",
            arm=8,
            target=8,
        ),
        moment(
            at("subroutine finished", 4, 2),
            "survivors dimension",
            "Another call in R^1 ends with {survivors} alone, and nothing in it shows that the model is wrong.",
            "One survivor and small widths: from inside, this looks like a success.",
            arm=8,
            target=8,
        ),
        moment(
            at("recommended", 4),
            "counts grid",
            "Validation uses no model. It pulls {candidates}, {validation_pulls} times each. Arm 12 has the highest "
            "mean, {mean[12]:3}, and is recommended.",
            "None of these candidates is good: arm 27 has 0.06. Arm 33, recommended so far with 0.46, is not among "
            "them and is lost. Validation can only choose among its candidates.",
        ),
        moment(
            at("eliminated", 5, 1, 1),
            "survivors dimension",
            "With B = {B} the next loop starts in R^{d_k}, where the model error is only {gamma[10]:2}: {best} "
            "remains.",
            "Larger budgets reach larger dimensions: loop ℓ tries all of them.",
            arm=8,
            target=8,
        ),
        moment(
            at("subroutine finished", 5, 1),
            "survivors gaps",
            "Its first call ends with {survivors}: three arms that are really close.",
            "The two others are within 0.06 of the best.",
            arm=8,
            target=8,
        ),
        moment(
            at("recommended", 5),
            "counts grid",
            "Now validation has a good candidate: {best} with a mean of {mean[8]:3}, compared with {mean[27]:2} for "
            "arm 27.",
            "Eight thousand pulls each, as the confidence level requires.",
            arm=8,
            target=8,
        ),
        moment(
            END,
            "recommendation dimension",
            "Arm 33 was right, within 2ε of the best with ε = {parameter[epsilon]}, and was lost at ℓ = 4. From sample "
            "{tau} on, the recommendation stays right: {recommendation}.",
            "The goal here is an arm within 2ε of the best: with a wrong model no algorithm can promise more. A loop "
            "can replace a right recommendation with a wrong one; larger budgets correct it.",
        ),
    )
    trace.story = Story(shipped.title, moments, shipped.about, "GEMS")
    return trace
