"""Why model selection matters: the hard instance, RAGE in R^10 first, then GEMS."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Companion, Story
from gems_engine.trace import Trace

_RAGE = 1


def build(shipped: Shipped) -> Trace:
    """GEMS and RAGE with a cap of ten million samples, ε = 10⁻⁴.

    RAGE is wrong at the cap for 14 of the seeds 1 to 30, and seed 1 is one of them; GEMS is right for all.
    """
    instance = make("paper-hard", d_star=9, epsilon=1e-4)
    gems = recorded(instance, "fixed-confidence", 1, base=4, max_samples=10_000_000)
    rage = recorded(instance, "rage", 1, max_samples=10_000_000)
    moments = (
        moment(
            at("recommended", 1, 1, 1),
            "survivors counts",
            "{arms} arms in R^{D}. Only the first {d_star} features matter, but the algorithms are not told this. RAGE "
            "uses all {D}: after one round {left} arms remain.",
            "The paper's hard instance. The second best arm has a feature of its own, which does not matter but has to "
            "be estimated anyway.",
            run=_RAGE,
        ),
        moment(
            at("recommended", 1, 1, 5),
            "survivors gaps",
            "Their rewards differ by {smallest_gap}. This is hard to see in R^{D}, where ρ⋆ is 400 million: after "
            "{samples} samples both arms remain.",
            "ρ⋆ is the number of samples that the best possible method needs, up to logarithms. The recommendation "
            "changes from round to round: it follows the sign of the noise.",
            run=_RAGE,
        ),
        moment(
            END,
            "survivors recommendation",
            "At its cap of {parameter[max_samples]} samples {left} arms remain, and RAGE recommends {recommendation}, "
            "which is {verdict}. It is wrong for 14 of the seeds 1 to 30; seed {seed} was chosen to show it.",
            "For the other 16 seeds RAGE is right: no better than a coin toss. GEMS is "
            "right for all 30. RAGE ends before its cap because its next round would exceed it.",
            run=_RAGE,
        ),
        moment(
            at("design solved", 4, 1, 1),
            "cost dimension",
            "In R^{d_star} the same question has ρ⋆ = {rho_star[9]:3}. In every round, GEMS chooses the largest "
            "dimension that fits its budget. For B = {B} this is d = {d_k}.",
            "A bar is the cost of a dimension in this round; the dashed line is B. Costs never decrease with d.",
        ),
        moment(
            at("eliminated", 5, 1, 1),
            "survivors dimension",
            "With a larger budget, B = {B}, all of R^{d_k} fits: {gone} arms are eliminated at once.",
            "B grows from loop to loop, and each loop tries every split between B and the number of rounds.",
        ),
        moment(
            at("design solved", 5, 1, 4),
            "cost dimension",
            "For the last {left} arms R^{D} is over budget. The round falls back to R^{d_k}, where it is cheap: "
            "{cost:3} instead of 1024.",
            "This is the whole idea: the budget chooses the dimension, and the easy dimension decides.",
            dimension=9,
        ),
        moment(
            at("recommended", 5, 1),
            "survivors gaps",
            "In this call only {survivors} remains after {samples} samples in all. RAGE still had two arms "
            "after {RAGE.samples}, {RAGE.samples/samples:2} times as many.",
            "To tell the two apart, RAGE needs a number of samples that grows as 1/ε², and GEMS the same number for "
            "every ε. For ε = 0.01, the largest in the paper, RAGE is often right earlier: the help page on RAGE "
            "explains why.",
            arm=8,
            target=8,
        ),
        moment(
            END,
            "recommendation dimension",
            "GEMS is not told d⋆, so it cannot stop. It continues, and from sample {tau} to sample {samples} it "
            "recommends {recommendation}.",
            'The paper gives an example in which stopping early is wrong (the instance "verifiability"), and cites a '
            "bound: verifying the best arm in Rᴰ takes about ρ⋆_D samples.",
        ),
    )
    gems.story = Story(shipped.title, moments, shipped.about, "GEMS", (Companion("RAGE", rage),))
    return gems
