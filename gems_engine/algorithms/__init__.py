"""The registry of the algorithms, one file each.

To add one, write a file with an `Algorithm` and add a line to `_ALGORITHMS`; other packages use the entry-point group
``gems.algorithms``.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING, Any

from gems_engine.algorithms.algorithm import Algorithm
from gems_engine.algorithms.contract import checked_algorithm
from gems_engine.errors import InputError, quoted
from gems_engine.plugins import Plugins, plugins
from gems_engine.registry import registered

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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


def built_in_names() -> tuple[str, ...]:
    """The names that an algorithm of another package cannot have."""
    return tuple(BUILT_IN)


def algorithms() -> dict[str, Algorithm]:
    """All algorithms by name: the built-in ones, then those of other packages that can be used."""
    return {**BUILT_IN, **plugin_algorithms().usable}


def plugin_algorithms() -> Plugins[Algorithm]:
    """The algorithms of other packages, with those that cannot be used; looks through every installed package."""
    return plugins("gems.algorithms", "algorithm", _checked)


def _checked(entry: EntryPoint, found: Any) -> Algorithm:
    if _folded(entry.name) in BUILT_IN:
        raise InputError("a built-in algorithm has this name. Rename it.")
    checked = checked_algorithm(entry.name, found)
    taken = _spellings(BUILT_IN)
    for word in (checked.title, *checked.aliases):
        if _folded(word) in taken and word != checked.name:
            raise InputError(f'its title or alias "{word}" is a name of {taken[_folded(word)].title}. Change it.')
    return checked


def algorithm_named(name: str) -> Algorithm:
    """The algorithm of that id, alias or title, or an InputError with the nearest one."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    installed = plugin_algorithms()
    known = {**BUILT_IN, **installed.usable}
    found = known.get(name) or _spellings(known).get(_folded(name))
    if found is not None:
        return found
    for each in installed.broken:
        if each.name == name:
            raise InputError(each.sentence)
    raise _unknown(name, known)


@cache
def installed_algorithm(name: str) -> Algorithm | None:
    """The algorithm of a recorded run by its id, None if it is not installed; looks for plug-ins once for each id."""
    return BUILT_IN.get(name) or (plugin_algorithms().usable.get(name) if name else None)


def algorithm_title(name: str) -> str:
    """What an algorithm is called on screen, by its id; the id itself where none is registered under it."""
    known = installed_algorithm(name)
    return name if known is None else known.title


def subroutine_title(name: str) -> str:
    """What one call of an algorithm is called within another: GEMS-c, not "GEMS-c, one call"."""
    return algorithm_title(name).removesuffix(_ONE_CALL)


_ONE_CALL = ", one call"
_CUTOFF = 0.5  # of difflib's ratio, above which a name is near


def _spellings(known: dict[str, Algorithm]) -> dict[str, Algorithm]:
    """Algorithms by every name that is accepted: the id, then aliases and the title, in any case."""
    found = {_folded(each.name): each for each in known.values()}
    for each in known.values():
        for word in (*each.aliases, each.title):
            found.setdefault(_folded(word), each)
    return found


def _folded(name: str) -> str:
    return name.strip().casefold().replace("_", "-")


def _unknown(name: str, known: dict[str, Algorithm]) -> InputError:
    """The refusal of a name, with the id of the algorithm that has the nearest one."""
    spelled = _spellings(known)
    near = {word: SequenceMatcher(None, _folded(name), word).ratio() for word in spelled}
    nearest = max(near, key=near.__getitem__)
    if near[nearest] < _CUTOFF:
        return InputError(f"Unknown algorithm {quoted(name)}: choose one of {', '.join(known)}.")
    meant = spelled[nearest]
    title = "" if meant.title == meant.name else f", {meant.title}"
    return InputError(f"Unknown algorithm {quoted(name)}: did you mean {quoted(meant.name)}{title}?")
