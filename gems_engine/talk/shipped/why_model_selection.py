"""Why model selection matters: the race of GEMS and RAGE on the hard instance, on one axis of samples."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.annotation import Arrow, Bracket
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Companion, Story
from gems_engine.trace import Trace

_RAGE = 1
_CAP = 20_000_000_000


def build(shipped: Shipped) -> Trace:
    """GEMS and RAGE until RAGE stops, ε = 10⁻⁴.

    For the seeds 1 to 30, the medians of τ are those of seed 1, for both algorithms.
    """
    instance = make("paper-hard", d_star=9, epsilon=1e-4)
    gems = recorded(instance, "fixed-confidence", 1, base=4, max_samples=_CAP)
    rage = recorded(instance, "rage", 1, max_samples=_CAP)
    moments = (
        moment(
            at("recommended", 1, 1, 1),
            "race",
            "{arms} arms in R^{D}. Only the first {d_star} features matter, but neither algorithm is told this.",
            "The paper's hard instance. One lane for each algorithm, and one axis of samples for both: it stays the "
            "same to the end of the story. RAGE works in R^10. After one round two arms remain, x_9 and x_10.",
            run=_RAGE,
            lock="race",
        ),
        moment(
            at("recommended", 1, 1, 4),
            "race",
            "In R^{D} the last two arms differ by {smallest_gap}. RAGE's recommendation follows the noise.",
            "The ribbon at the foot of a lane is green while the recommendation is right. RAGE has guessed right twice "
            "and wrong twice so far.",
            run=_RAGE,
            lock="race",
            annotations=(Arrow("race", "{samples}", "0.9", "wrong again", "right"),),
        ),
        moment(
            at("design solved", 5, 1, 4),
            "dimensions",
            "The last feature makes telling them apart {rho_star[10]/rho_star[9]:2} times harder.",
            "ρ⋆ is the number of samples that the best possible method needs, up to logarithms: 15 in R^9 and 400 "
            "million in R^10. The second best arm has a feature of its own, which does not matter but has to "
            "be estimated.",
            ("dimensions.show=complexity",),
            annotations=(Bracket("dimensions", "{rho_star[9]}", "{rho_star[10]}", "× {factor:2}", "y", 0.8),),
        ),
        moment(
            at("design solved", 5, 1, 4),
            "cost",
            "For these two arms R^{D} is over GEMS's budget, B = {B}. It falls back to R^{d_k}.",
            "This is the whole idea: the budget chooses the dimension. A bar is the cost of a dimension in this round, "
            "and the dashed line is B.",
            dimension=9,
            annotations=(Arrow("cost", "{d_k}", "{cost}", "the largest that fits", "left"),),
        ),
        moment(
            at("recommended", 1, 1, 5),
            "race",
            "GEMS settles on {best} at sample {GEMS.tau}. RAGE still has two arms.",
            "GEMS tries larger and larger budgets. This is the call that finds x_9.",
            run=_RAGE,
            lock="race",
            annotations=(Arrow("race", "{GEMS.tau}", "1.9", "GEMS settles on {best}", "above"),),
        ),
        moment(
            at("recommended", 1, 1, 10),
            "race",
            "RAGE settles on {best} only after {tau} samples, {tau/GEMS.tau:2} times as many.",
            "τ with τ: the sample after which the recommendation stays right. For the seeds 1 to 30, these are the "
            "medians of both. RAGE's τ grows as 1/ε², and that of GEMS does not depend on ε.",
            run=_RAGE,
            lock="race",
            annotations=(Bracket("race", "{GEMS.tau}", "{tau}", "× {factor:2}", at=0.52),),
        ),
        moment(
            END,
            "race",
            "RAGE stops after {stop} samples. GEMS cannot stop, as it is not told d⋆, but stays right.",
            "The paper gives an example in which stopping early is wrong (the instance verifiability), and cites a "
            "bound: verifying the best arm in R^D takes about ρ⋆_D samples.",
            run=_RAGE,
            lock="race",
            annotations=(Bracket("race", "{GEMS.tau}", "{tau}", "× {factor:2}", at=0.52),),
        ),
    )
    gems.story = Story(shipped.title, moments, shipped.about, "GEMS", (Companion("RAGE", rage),))
    return gems
