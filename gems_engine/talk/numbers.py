"""Numbers of captions that need a solver: pure functions of an instance, which another process can compute."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from gems_engine.errors import InputError
from gems_engine.instance import Instance

_REMEMBERED = 256


@dataclass(frozen=True)
class Wanted:
    """A number of an instance: its kind, in R^d, for these survivors (all targets if empty)."""

    quantity: str
    d: int
    survivors: tuple[int, ...] = ()


Lookup = Callable[[Instance, Wanted], float | None]
"""Returns a number, or None while it is being computed."""

_memory: OrderedDict[tuple[str, Wanted], float] = OrderedDict()


def compute(instance: Instance, wanted: Wanted) -> float:
    """Compute the number."""
    key = (instance.digest, wanted)
    if key not in _memory:
        _memory[key] = _QUANTITIES[wanted.quantity](instance, wanted)
        while len(_memory) > _REMEMBERED:
            _memory.popitem(last=False)
    return _memory[key]


def compute_all(instance: Instance, wanted: tuple[Wanted, ...]) -> dict[Wanted, float]:
    """Compute several numbers of one instance; NaN for those that do not exist."""
    found = {}
    for each in wanted:
        try:
            found[each] = compute(instance, each)
        except InputError:
            found[each] = float("nan")
    return found


def _rho_star(instance: Instance, wanted: Wanted) -> float:
    from gems_engine.complexity import rho_star

    return rho_star(instance, wanted.d).value


def _iota_star(instance: Instance, wanted: Wanted) -> float:
    from gems_engine.complexity import iota_star

    return iota_star(instance, wanted.d).value


def _iota(instance: Instance, wanted: Wanted) -> float:
    from gems_engine.complexity import iota

    return iota(instance, wanted.d, wanted.survivors or None).value


def _gamma(instance: Instance, wanted: Wanted) -> float:
    return instance.misspecification()[wanted.d - 1].gamma_tilde


_QUANTITIES: dict[str, Callable[[Instance, Wanted], float]] = {
    "rho_star": _rho_star,
    "iota_star": _iota_star,
    "iota": _iota,
    "gamma": _gamma,
}
