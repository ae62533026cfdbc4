"""The registry of the algorithms, one file each.

To add one, write a file with an `Algorithm` and add a line to `_ALGORITHMS`; other packages use the entry-point group
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
"""The file and the name of each."""


BUILT_IN: dict[str, Algorithm] = {each.name: each for each in (registered(__name__, home) for home in _ALGORITHMS)}
"""The built-in algorithms by name, in the order of forms."""


def algorithms() -> dict[str, Algorithm]:
    """All algorithms by name: the built-in ones, then those of other packages."""
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
