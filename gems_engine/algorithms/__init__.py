"""The algorithms, one file each, and their registry. A new one is a file with an `Algorithm` and a line below.

Another package adds one by the entry-point group ``gems.algorithms``.
"""

from __future__ import annotations

from importlib.metadata import entry_points

from gems_engine.algorithms.algorithm import Algorithm
from gems_engine.algorithms.fixed_budget import FIXED_BUDGET
from gems_engine.algorithms.fixed_confidence import FIXED_CONFIDENCE, MISSPECIFIED_BEST_ARM
from gems_engine.algorithms.gems_b import GEMS_B
from gems_engine.algorithms.gems_c import GEMS_C
from gems_engine.algorithms.gems_m import GEMS_M
from gems_engine.algorithms.misspecified import MISSPECIFIED
from gems_engine.algorithms.rage import RAGE, RAGE_ORACLE
from gems_engine.algorithms.static_oracle import STATIC_ORACLE
from gems_engine.parameters import unknown_name

BUILT_IN: dict[str, Algorithm] = {
    each.name: each
    for each in (
        FIXED_CONFIDENCE,
        FIXED_BUDGET,
        MISSPECIFIED,
        MISSPECIFIED_BEST_ARM,
        RAGE,
        GEMS_C,
        GEMS_B,
        GEMS_M,
        RAGE_ORACLE,
        STATIC_ORACLE,
    )
}
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
