"""«When the model is wrong»: rewards that are linear in no R^d, GEMS-m, and validation, which believes no model."""

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
            "{arms} arms whose rewards follow no linear model. The best one in R^1 is off by {gamma[1]:2}, in R^4 by "
            "{gamma[4]:1}, in R^10 by {gamma[10]:2}.",
            "γ̃(d) is the largest error of the best linear model in R^d. It falls and never reaches 0.",
        ),
        moment(
            at("eliminated", 4, 1, 2),
            "survivors gaps",
            "The budget B = {B} leaves room for R^{d_k} only. There the true best, {best}, seems to be 0.257 behind, "
            "just more than the 0.25 allowed, and is eliminated.",
            "Marked is the best arm. It leaves by a hair, behind arm 27, which is really 0.45 worse: the model is "
            "wrong.",
            arm=8,
            target=8,
        ),
        moment(
            at("subroutine finished", 4, 2),
            "survivors dimension",
            "Another subroutine in R^1 ends with {survivors} alone, and nothing in it says that the model was wrong.",
            "A singleton and small widths: from inside, this is a success.",
            arm=8,
            target=8,
        ),
        moment(
            at("recommended", 4),
            "counts grid",
            "Validation believes no model. It pulls {candidates}, {validation_pulls} times each. Arm 12 has the "
            "highest mean, {mean[12]:3}, and becomes the answer.",
            "Not one of these candidates is good: arm 27 has 0.06. Arm 33, the answer so far with 0.46, is not among "
            "them and is lost. Validation can choose only among what it is given.",
        ),
        moment(
            at("eliminated", 5, 1, 1),
            "survivors dimension",
            "With B = {B} the next loop begins in R^{d_k}, where models are off by {gamma[10]:2} only: {best} stays.",
            "Larger budgets reach larger dimensions: the loop ℓ tries all of them.",
            arm=8,
            target=8,
        ),
        moment(
            at("subroutine finished", 5, 1),
            "survivors gaps",
            "Its subroutine ends with {survivors}: three that are really close.",
            "The two others are within 0.06 of the best.",
            arm=8,
            target=8,
        ),
        moment(
            at("recommended", 5),
            "counts grid",
            "Now validation has something to choose: {best} with a mean of {mean[8]:3} against {mean[27]:2} for arm "
            "27.",
            "Eight thousand pulls each, as many as the confidence asks for.",
            arm=8,
            target=8,
        ),
        moment(
            END,
            "recommendation dimension",
            "Arm 33 had been right, within 2ε of the best with ε = {parameter[epsilon]}, and was lost at ℓ = 4. From "
            "sample {tau} on the answer is right for good: {recommendation}.",
            "The goal here is an arm within 2ε of the best: with a wrong model nobody can promise more. A wrong loop "
            "can undo a right answer; larger budgets mend it.",
        ),
    )
    trace.story = Story(shipped.title, moments, shipped.about, "GEMS")
    return trace
