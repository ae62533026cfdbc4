"""The registry of the stories that come with the program, one file each.

A new one is a file with a function ``build`` and a line here; `gems stories build` rebuilds their files.
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
        Of its file, and of its module with _ for -.
    title, about
        A short title, and a sentence on what it shows.
    moments, seconds
        The number of moments, and how long they take to read: known before the file is read.
    """

    name: str
    title: str
    about: str
    moments: int
    seconds: int

    def build(self) -> Trace:
        """Run it again and return the trace with its story."""
        trace: Trace = import_module(f"{__name__}.{self.name.replace('-', '_')}").build(self)
        return trace


SHIPPED: dict[str, Shipped] = {
    each.name: each
    for each in (
        Shipped(
            "why-model-selection",
            "Why model selection matters",
            "One feature too many makes the hard instance millions of times harder: GEMS and RAGE compared.",
            7,
            46,
        ),
        Shipped(
            "a-budget-spent-twice",
            "A budget, spent twice",
            "With a fixed number of samples, one half selects candidates and the other half validates them.",
            8,
            51,
        ),
        Shipped(
            "when-the-model-is-wrong",
            "When the model is wrong",
            "Rewards that no linear model describes: the error in each dimension, and what can still be found.",
            8,
            56,
        ),
        Shipped(
            "a-design-that-lies",
            "A design that lies",
            "Frank–Wolfe, stopped too early, looks finished; the certificate shows how far it is from the optimum.",
            6,
            41,
        ),
    )
}
"""All of them, in the order of the menu; `gems demo` plays the first."""
