"""The contract of an algorithm of another package: what it must define, and the events that it must yield.

:func:`check_algorithm` runs an installed algorithm and checks all of it, as ``gems plugin check`` does. In a test::

    from gems_engine.algorithms.contract import require_contract

    def test_the_contract() -> None:
        require_contract("my-algorithm")
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gems_engine.algorithms.algorithm import BEST_ARM, EPSILON, SHARED, Algorithm
from gems_engine.algorithms.pseudocode import Listing
from gems_engine.errors import InputError, quoted
from gems_engine.events import (
    EVENTS,
    NO_ARM,
    RETURNS_A_SET,
    Allocated,
    DimensionProbed,
    Eliminated,
    Event,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineStarted,
)
from gems_engine.formats.item_options import KEYS as ITEM_OPTIONS
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter
from gems_engine.plugins import in_words

if TYPE_CHECKING:
    from gems_engine.self_test import Finding

__all__ = ["check_algorithm", "require_contract"]

_PAGE = "See docs/events.md."
_OF_RUN = ("instance", "algorithm", "seed", "rewards", "stop", "forks", "older", "memo")
_OF_COMMAND = ("output", "watch", "json", "at", "force", "help")
_RESERVED = frozenset((*_OF_RUN, *_OF_COMMAND, *ITEM_OPTIONS))  # arguments of `Run` and options of `gems run`
_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "name": (str, "text"),
    "summary": (str, "text"),
    "parameters": (tuple, "a tuple of Parameter"),
    "goal": (str, "text"),
    "stops": (bool, "true or false"),
    "listing": ((Listing, type(None)), "a Listing or None"),
    "title": (str, "text"),
    "aliases": (tuple, "a tuple of names"),
}


def checked_algorithm(name: str, found: Any) -> Algorithm:
    """The algorithm of an entry point with this name; raises InputError with the reason if it cannot be used."""
    if not isinstance(found, Algorithm):
        raise InputError(f"it is {_a(found)}, not an Algorithm.")
    for attribute, (kind, words) in _TYPES.items():
        if not isinstance(getattr(found, attribute), kind):
            raise InputError(f"its {attribute} must be {words}.")
    if found.name != name:
        raise InputError(f'the algorithm calls itself "{found.name}". Give the entry point the same name.')
    if found.goal not in (BEST_ARM, EPSILON):
        raise InputError(f'its goal must be "{BEST_ARM}" or "{EPSILON}".')
    if not callable(found.steps) or not callable(found.refuse):
        raise InputError("its steps and refuse must be functions.")
    if not all(isinstance(alias, str) for alias in found.aliases):
        raise InputError("its aliases must be text.")
    _check_parameters(found.parameters)
    return replace(found, refuse=_guarded(found.name, found.refuse))


def _check_parameters(parameters: tuple[Any, ...]) -> None:
    own: dict[str, Parameter] = {}
    for each in parameters:
        if not isinstance(each, Parameter):
            raise InputError(f"one of its parameters is {_a(each)}, not a Parameter.")
        if not each.name.isidentifier():
            raise InputError(f"its parameter {quoted(each.name[:60])} must have a name such as max_samples.")
        if each.name in own:
            raise InputError(f'it has two parameters "{each.name}".')
        if each.name in _RESERVED:
            raise InputError(f'its parameter "{each.name}" has the name of an option of every run. Rename it.')
        own[each.name] = each
    missing = [each.name for each in SHARED if each.name not in own]
    if missing:
        raise InputError(f"it lacks the shared parameters {', '.join(missing)}. Add *SHARED to its parameters.")
    for each in SHARED:
        if own[each.name].kind != each.kind:
            raise InputError(f'its parameter "{each.name}" differs from the shared one. Use *SHARED.')


def _guarded(
    name: str, refuse: Callable[[Instance, Mapping[str, Any]], None]
) -> Callable[[Instance, Mapping[str, Any]], None]:
    """A check of an instance that raises nothing but InputError: the form calls it after every change."""

    def guarded(instance: Instance, parameters: Mapping[str, Any]) -> None:
        try:
            refuse(instance, parameters)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f'The algorithm "{name}" cannot check this instance: {in_words(error)}') from error

    return guarded


def _a(found: object) -> str:
    kind = type(found).__name__
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def check_algorithm(name: str) -> Iterator[Finding]:
    """Run an algorithm and check every part of its contract.

    Parameters
    ----------
    name : str
        The id of an installed algorithm.

    Yields
    ------
    Finding
        What was checked, the result or what is wrong and what to do, and whether it is good.
    """
    from gems_engine.algorithms.contract_checks import findings  # runs need this module

    return findings(name)


def require_contract(name: str) -> None:
    """Raise AssertionError with every part of the contract that an algorithm does not meet; for tests."""
    broken = [f"{each.about}: {each.result}" for each in check_algorithm(name) if not each.good]
    if broken:
        raise AssertionError("\n".join((f'The algorithm "{name}" does not meet the contract.', *broken)))


class EventOrder:
    """Checks that an algorithm yields the events that it must, in order; raises InputError with what is missing.

    Parameters
    ----------
    name : str
        The id of the algorithm.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._asked: Allocated | None = None
        self._in_subroutine = self._recommended = False

    def begun(self, steps: Any) -> Generator[Event, Any, RunFinished]:
        """The generator of an algorithm."""
        if not isinstance(steps, Generator):
            raise self._wrong(f"its steps return {_a(steps)}, not a generator of events")
        return steps

    def check(self, event: object) -> None:
        """Check the next event."""
        if type(event) not in _KINDS:
            raise self._wrong(f"it yields {_a(event)}, not an event")
        if isinstance(event, RunStarted):
            raise self._wrong("it yields RunStarted, which the program adds")
        if isinstance(event, RunFinished):
            raise self._wrong("it yields RunFinished, which it must return")
        if isinstance(event, Allocated) and event.lost:
            self._check_lost(event)
        elif isinstance(event, Pulled) or self._asked is not None:
            self._check_pulled(event)
        if isinstance(event, DimensionProbed | Eliminated) and not self._in_subroutine:
            raise self._wrong(f"it yields {type(event).__name__} without SubroutineStarted before it")
        self._asked = event if isinstance(event, Allocated) else None
        self._in_subroutine = self._in_subroutine or isinstance(event, SubroutineStarted)
        self._recommended = self._recommended or isinstance(event, Recommended)

    def _check_lost(self, event: Allocated) -> None:
        if self._asked is None or self._asked.lost:
            raise self._wrong("it yields Allocated with lost rewards without Allocated before it")

    def _check_pulled(self, event: object) -> None:
        if not isinstance(event, Pulled):
            raise self._wrong(f"it yields {type(event).__name__} instead of Pulled after Allocated")
        if self._asked is None:
            raise self._wrong("it yields Pulled without Allocated before it")
        if len(event.sums) != len(self._asked.arms):
            raise self._wrong(f"it yields Pulled with {len(event.sums)} sums for {len(self._asked.arms)} arms")

    def finished(self, event: object) -> RunFinished:
        """The value that the algorithm has returned."""
        if not isinstance(event, RunFinished):
            raise self._wrong("it ends without RunFinished, which it must return")
        if self._asked is not None:
            raise self._wrong("it ends after Allocated without Pulled")
        if event.recommendation != NO_ARM and not self._recommended and self._name != RETURNS_A_SET:
            raise self._wrong("it ends with a recommendation without Recommended before it")
        return event

    def _wrong(self, what: str) -> InputError:
        return InputError(f'The algorithm "{self._name}" has an error: {what}. {_PAGE}')


_KINDS = frozenset(EVENTS.values())
