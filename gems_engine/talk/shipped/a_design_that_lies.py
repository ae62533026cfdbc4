"""A design that lies: RAGE on a sphere with Frank–Wolfe stopped as published, and with certified designs."""

from __future__ import annotations

from gems_engine.gallery import make
from gems_engine.talk.annotation import Arrow, Bracket
from gems_engine.talk.shipped import Shipped
from gems_engine.talk.shipped.making import END, at, moment, recorded
from gems_engine.talk.story import Companion, SecondRun, Story
from gems_engine.trace import Trace

_CERTIFIED = 1
_SOLVED, _PULLED = at("design solved", 1, 1, 1), at("pulled", 1, 1, 1)
_LINEAR = ("race.scale=linear",)


def build(shipped: Shipped) -> Trace:
    """Forty random arms in R^10; the two runs differ only in the solver of their designs."""
    instance = make("sphere", D=10, n=40)
    published = recorded(instance, "rage", 1, solver="frank-wolfe", max_samples=1_000_000)
    certified = recorded(instance, "rage", 1, max_samples=1_000_000)
    moments = (
        moment(
            _SOLVED,
            "weights",
            "{arms} arms in R^{D}. Frank–Wolfe stops, as published, once its value changes by less than 1 %.",
            "Steps of 2/(k+2) from the uniform design. The stopping rule tests the change of the value, not its "
            "distance from the optimum. The design looks finished.",
        ),
        moment(
            _SOLVED,
            "design-bounds",
            "On the way its value only grows. It stops where the curve is flat, not where it is low.",
            "Solid: Frank–Wolfe. Dashed: the certified solver, whose upper and lower bounds meet at the optimum.",
            lock="bounds",
            annotations=(Arrow("design-bounds", "8", "{value}", "stopped: flat", "below"),),
        ),
        moment(
            _SOLVED,
            "design-bounds",
            "Its value is {value:3}. The optimum, proven, is {optimum:3}: {value/optimum:2} times less.",
            "Any weights give a dual bound. If value and bound are far apart, the design is not proven to be good.",
            lock="bounds",
            annotations=(Bracket("design-bounds", "{optimum}", "{value}", "× {value/optimum:2}", "y", 0.9),),
        ),
        moment(
            _SOLVED,
            "design-equivalence",
            "The equivalence theorem: a design is optimal if and only if no arm is above 1.",
            "Both plots have the same axis. Under the published design 29 of 40 arms are above the line; under the "
            "certified one, none.",
            ("design-equivalence.scale=log",),
            second=SecondRun(_CERTIFIED, _SOLVED),
        ),
        moment(
            _PULLED,
            "counts",
            "The value sets the pulls of a round, so the round pays for the design.",
            "N_k is proportional to the value of the design. Both plots have the same axis.",
            second=SecondRun(_CERTIFIED, _PULLED),
            annotations=(
                Arrow("counts", "31", "{pulls[31]}", "{pulls[31]} of {round_samples} pulls", "left"),
                Arrow("counts", "21", "{pulls[21]}", "{pulls[21]} of {round_samples} pulls", "above", second=True),
            ),
        ),
        moment(
            END,
            "race",
            "With certified designs RAGE stops after {certified.stop} samples, with Frank–Wolfe after {stop}.",
            "Same instance, same seed, same algorithm. Stop is compared with stop. The "
            "certificate showed it before the first sample was drawn.",
            _LINEAR,
            annotations=(Bracket("race", "{certified.stop}", "{stop}", "× {factor:2}", at=0.12),),
        ),
    )
    published.story = Story(shipped.title, moments, shipped.about, "published", (Companion("certified", certified),))
    return published
