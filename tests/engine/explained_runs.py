"""Runs of every algorithm that are short enough to explain each of their events."""

from functools import cache

import numpy as np

from gems_engine.algorithms import BUILT_IN
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.trace import Trace

GIVEN = {"max_samples": 60_000, "selection_budget": 512.0, "rounds": 5, "epsilon": 0.2}

INSTANCES = {
    "paper-hard": lambda: make("paper-hard", d_star=3),
    "sphere": lambda: make("sphere", n=24, D=8, min_gap=0.1),
    "close": lambda: make("sphere", n=24, D=8, min_gap=0.01),
    # Equal in R^1, where a small budget keeps every round.
    "equal": lambda: Instance.linear([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]], [0.5, 0.3, 0.0]),
}


@cache
def run_of(algorithm, family="sphere", **settings):
    """A short run of any algorithm on a small instance."""
    instance = INSTANCES[family]()
    known = {each.name for each in BUILT_IN[algorithm].parameters}
    given = {**GIVEN, **settings}
    return Run(instance, algorithm, 1, **{name: value for name, value in given.items() if name in known}).finish()


def cut(trace, cursor):
    """The same run as if nothing had been recorded after a cursor."""
    short = Trace(trace.instance)
    short.extend(trace[:cursor])
    return short


def named_instance():
    """Arms whose names look like markup."""
    arms = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    return Instance.linear(arms, [0.9, 0.1], arm_names=["<b>bold</b>", "a & b", "x_{1}"])
