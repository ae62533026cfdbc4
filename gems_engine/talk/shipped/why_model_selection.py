"""«Why model selection matters»: the hard instance, RAGE in R^10 first, then GEMS."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Companion, Story
from gems_engine.trace import Trace

_RAGE = 1


def build(shipped: Shipped) -> Trace:
    """GEMS and RAGE with a cap of ten million samples, ε = 10⁻⁴.

    Seed 1 is one with which RAGE is wrong at the cap, as it is with 14 of the seeds 1 to 30; GEMS is right with all.
    """
    instance = make("paper-hard", d_star=9, epsilon=1e-4)
    gems = recorded(instance, "fixed-confidence", 1, base=4, max_samples=10_000_000)
    rage = recorded(instance, "rage", 1, max_samples=10_000_000)
    moments = (
        moment(
            at("recommended", 1, 1, 1),
            "survivors counts",
            "{arms} arms in R^{D}; only the first {d_star} features matter, and nobody knows it. RAGE works with all "
            "{D}: after one round {left} arms are left.",
            "The paper's hard instance. The runner-up has a feature of its own, which does not matter and has to be "
            "estimated all the same.",
            run=_RAGE,
        ),
        moment(
            at("recommended", 1, 1, 5),
            "survivors gaps",
            "Their rewards differ by {smallest_gap}. To see that in R^{D} is hard, ρ⋆ is 400 million: after "
            "{samples} samples both are still there.",
            "ρ⋆ is the number of samples that the best possible method needs, up to logarithms. The answer changes "
            "from round to round: it is the sign of the noise.",
            run=_RAGE,
        ),
        moment(
            END,
            "survivors recommendation",
            "At its cap of {parameter[max_samples]} samples RAGE has {left} arms left and says {recommendation}, which "
            "is {verdict}. So it is with 14 of the seeds 1 to 30; seed {seed} was picked.",
            "With the other 16 it is right: a coin would do as well. GEMS is right with all 30. RAGE ends before its "
            "cap, since its next round would pass it.",
            run=_RAGE,
        ),
        moment(
            at("design solved", 4, 1, 1),
            "cost dimension",
            "In R^{d_star} the same question has ρ⋆ = {rho_star[9]:3}. GEMS chooses its dimension in every round: the "
            "largest that fits a budget. B = {B} has room for d = {d_k}.",
            "A bar is what a dimension would cost this round; the dashed line is B. Costs never fall with d.",
        ),
        moment(
            at("eliminated", 5, 1, 1),
            "survivors dimension",
            "A larger budget, B = {B}, has room for all of R^{d_k}: {gone} arms leave at once.",
            "B grows from loop to loop, and each loop tries every split between B and the number of rounds.",
        ),
        moment(
            at("design solved", 5, 1, 4),
            "cost dimension",
            "For the last {left} arms R^{D} has become too dear. The round falls back to R^{d_k}, and there it is "
            "cheap: {cost:3} instead of 1024.",
            "This is the whole idea: the budget chooses the dimension, and the easy dimension decides.",
            dimension=9,
        ),
        moment(
            at("recommended", 5, 1),
            "survivors gaps",
            "This subroutine is down to {survivors} alone after {samples} samples in all. RAGE still had two arms "
            "after {RAGE.samples}, {RAGE.samples/samples:2} times that.",
            "To tell the two apart takes RAGE a number of samples that grows as 1/ε², and GEMS the same number for "
            "every ε. For ε = 0.01, the largest of the paper, RAGE often guesses the right one earlier: the help page "
            "of RAGE says why.",
            arm=8,
            target=8,
        ),
        moment(
            END,
            "recommendation dimension",
            "Nobody tells GEMS d⋆, so it cannot stop. It goes on, and from sample {tau} to sample {samples} its answer "
            "stays {recommendation}.",
            "The paper gives an example in which stopping early is wrong (the instance «verifiability»), and cites a "
            "bound: to verify the best arm in R^D takes about ρ⋆_D samples.",
        ),
    )
    gems.story = Story(shipped.title, moments, shipped.about, "GEMS", (Companion("RAGE", rage),))
    return gems
