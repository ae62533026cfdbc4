"""A design that lies: RAGE on a sphere with Frank–Wolfe stopped as published, and with certified designs."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Companion, Story
from gems_engine.trace import Trace

_CERTIFIED = 1


def build(shipped: Shipped) -> Trace:
    """Forty random arms in R^10; the two runs differ only in the solver of their designs."""
    instance = make("sphere", D=10, n=40)
    published = recorded(instance, "rage", 1, solver="frank-wolfe", max_samples=1_000_000)
    certified = recorded(instance, "rage", 1, max_samples=1_000_000)
    moments = (
        moment(
            at("design solved", 1, 1, 1),
            "weights",
            "{arms} arms in R^{D}. Frank–Wolfe stops, as published, when its value changes by less than 1 %, and "
            "returns this design. It looks finished.",
            "Steps of 2/(k+2) from the uniform design. The stopping rule tests the change of the value, not "
            "its distance from the optimum.",
        ),
        moment(
            at("design solved", 1, 1, 1),
            "weights why",
            "Its value is {value:3}. All that is proven about the best possible value is that it is at least "
            "{lower_bound:3}. The certificate does not support this design.",
            "Any weights give a dual bound. If value and bound are far apart, the design is not proven to be good.",
        ),
        moment(
            at("design solved", 1, 1, 1),
            "weights",
            "A certified solver finds the value {value:4} and proves that no design has less than {lower_bound:4}.",
            "An interior-point method with a proof after every iteration, nine of them here.",
            run=_CERTIFIED,
        ),
        moment(
            at("pulled", 1, 1, 1),
            "counts weights",
            "The value of the design sets the number of pulls of a round. Certified: {round_samples} pulls.",
            "Nₖ is proportional to the value of the design.",
            run=_CERTIFIED,
        ),
        moment(
            at("pulled", 1, 1, 1),
            "counts weights",
            "The value from Frank–Wolfe is {value/optimum:2} times too large, and the round pays for it: "
            "{round_samples} pulls.",
            "The recommendation is not wrong. It just costs many times more.",
        ),
        moment(
            END,
            "survivors recommendation",
            "With certified designs one arm remains after {samples} samples.",
            "Same instance, same seed, same algorithm.",
            run=_CERTIFIED,
        ),
        moment(
            END,
            "survivors recommendation",
            "With Frank–Wolfe it takes {samples}, {samples/certified.samples:2} times as many. The certificate showed "
            "this before the first sample was drawn.",
            "A number without a proof is a guess. Here every design comes with its proof.",
        ),
    )
    published.story = Story(shipped.title, moments, shipped.about, "published", (Companion("certified", certified),))
    return published
