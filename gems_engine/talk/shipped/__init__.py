"""The registry of the stories that come with the program, one file each.

A new one is a file with a function ``build`` and a line here; `gems stories build` makes their files anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gems_engine.trace import Trace


@dataclass(frozen=True)
class Shipped:
    """A story that comes with the program.

    Attributes
    ----------
    name
        That of its file, and of its module with - for _.
    title, about
        A few words, and what there is to see.
    moments, seconds
        How many moments it has, and how long it takes to read them: said before its file is read.
    """

    name: str
    title: str
    about: str
    moments: int
    seconds: int

    def build(self) -> Trace:
        """Run it anew: the trace with its story."""
        trace: Trace = import_module(f"{__name__}.{self.name.replace('-', '_')}").build(self)
        return trace


SHIPPED: dict[str, Shipped] = {
    each.name: each
    for each in (
        Shipped(
            "why-model-selection",
            "Why model selection matters",
            "One feature too many makes the hard instance millions of times harder: GEMS against RAGE.",
            8,
            77,
        ),
        Shipped(
            "a-budget-spent-twice",
            "A budget, spent twice",
            "With a fixed number of samples, one half names candidates and the other half judges them.",
            7,
            69,
        ),
        Shipped(
            "when-the-model-is-wrong",
            "When the model is wrong",
            "Rewards that no linear model describes: how far off each dimension is, and what can be found even so.",
            8,
            73,
        ),
        Shipped(
            "a-design-that-lies",
            "A design that lies",
            "Frank–Wolfe stopped too early looks finished; the certificate shows by how much it is not.",
            7,
            57,
        ),
    )
}
"""All of them, in the order in which they are offered; the first is what `gems demo` plays."""
