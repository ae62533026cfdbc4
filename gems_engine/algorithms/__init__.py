"""The registry of the algorithms, one file each.

A new one is a file with an `Algorithm` and a line in `_ALGORITHMS`; another package adds one by the entry-point group
``gems.algorithms``.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from gems_engine.algorithms.algorithm import Algorithm
from gems_engine.parameters import unknown_name
from gems_engine.registry import registered

_ALGORITHMS = (
    "fixed_confidence.FIXED_CONFIDENCE",
    "fixed_budget.FIXED_BUDGET",
    "misspecified.MISSPECIFIED",
    "fixed_confidence.MISSPECIFIED_BEST_ARM",
    "rage.RAGE",
    "gems_c.GEMS_C",
    "gems_b.GEMS_B",
    "gems_m.GEMS_M",
    "rage.RAGE_ORACLE",
    "static_oracle.STATIC_ORACLE",
)
"""Where each is: its file here, and its name there."""


BUILT_IN: dict[str, Algorithm] = {each.name: each for each in (registered(__name__, home) for home in _ALGORITHMS)}
"""Our own algorithms by name, in the order in which they are offered."""


def algorithms() -> dict[str, Algorithm]:
    """All algorithms by name: our own, then those that other packages register."""
    found = dict(BUILT_IN)
    for entry in sorted(entry_points(group="gems.algorithms"), key=lambda each: each.name):
        if entry.name not in BUILT_IN:
            found[entry.name] = entry.load()
    return found


def algorithm_named(name: str) -> Algorithm:
    """The algorithm of that name, or an InputError with the nearest one."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    known = algorithms()  # looks through every installed package
    if name not in known:
        raise unknown_name("algorithm", name, known)
    return known[name]
