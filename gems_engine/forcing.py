"""Values that a user forces on a run from some event on: another seed, d, B, solver or tolerance.

The first event of a run records what was forced and where, so that the run can be repeated; there a fork has the form
``{"57.dimension": 2, "57.dimension_for": "next round"}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from math import isfinite

from gems_engine.design.solve import SOLVERS
from gems_engine.errors import InputError
from gems_engine.events import Event, SubroutineFinished, SubroutineStarted
from gems_engine.parameters import Parameter, Value, check_all, shown
from gems_engine.terminal import number

NEXT_ROUND = "next round"
ONWARDS = "from here on"
THIS_SUBROUTINE = "this subroutine"
NEXT_SUBROUTINE = "next subroutine"

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("seed", "int", None, "Another seed for rewards and random choices.", "", 0, 2**63 - 1, optional=True),
    Parameter("dimension", "int", None, "The dimension of the round, whatever fits B.", "d", 1, 10**6, optional=True),
    Parameter(
        "dimension_for",
        "choice",
        NEXT_ROUND,
        "For which rounds: the next one that has no dimension yet, or all from here on.",
        choices=(NEXT_ROUND, ONWARDS),
    ),
    Parameter(
        "selection_budget",
        "float",
        None,
        "Another selection budget.",
        "B",
        0.0,
        1e300,
        exclusive_minimum=True,
        optional=True,
    ),
    Parameter(
        "budget_for",
        "choice",
        THIS_SUBROUTINE,
        "For which call; between two calls, the next one counts as this one.",
        choices=(THIS_SUBROUTINE, NEXT_SUBROUTINE, ONWARDS),
    ),
    Parameter("solver", "choice", None, "Another solver for the designs.", choices=tuple(SOLVERS), optional=True),
    Parameter("tolerance", "float", None, "Another relative gap to prove for designs.", "", 1e-12, 0.5, optional=True),
)
"""What can be forced, for forms and the command line."""
_SCOPES = {"dimension": "dimension_for", "selection_budget": "budget_for"}
_KEY = re.compile(r"([1-9]\d{0,8})\.([a-z_]+)", re.ASCII)


@dataclass(frozen=True)
class Forced:
    """What is forced; None leaves a value unchanged. See :data:`PARAMETERS`.

    A dimension or budget that is not forced has no scope, so that equal values have equal representations.
    """

    seed: int | None = None
    dimension: int | None = None
    dimension_for: str = NEXT_ROUND
    selection_budget: float | None = None
    budget_for: str = THIS_SUBROUTINE
    solver: str | None = None
    tolerance: float | None = None

    def __post_init__(self) -> None:
        checked = check_all(PARAMETERS, {each.name: getattr(self, each.name) for each in fields(self)})
        for name, scope in _SCOPES.items():
            if checked[name] is None:
                checked[scope] = getattr(type(self), scope)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __bool__(self) -> bool:
        return self != Forced()

    def words(self) -> dict[str, Value]:
        """What is forced, by name, each with its scope."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        unscoped = {scope for name, scope in _SCOPES.items() if given[name] is None}
        return {name: value for name, value in given.items() if value is not None and name not in unscoped}

    def __str__(self) -> str:
        parts = []
        if self.seed is not None:
            parts.append(f"seed {self.seed}")
        if self.dimension is not None:
            parts.append(f"d = {self.dimension}" + (" in the next round" if self.dimension_for == NEXT_ROUND else ""))
        if self.selection_budget is not None:
            scope = {THIS_SUBROUTINE: " in this call", NEXT_SUBROUTINE: " in the next call", ONWARDS: ""}
            parts.append(f"B = {number(self.selection_budget)}{scope[self.budget_for]}")
        if self.solver is not None:
            parts.append(f"solver {self.solver}")
        if self.tolerance is not None:
            parts.append(f"tolerance {number(self.tolerance)}")
        return ", ".join(parts) or "nothing"


@dataclass(frozen=True)
class Fork:
    """Something forced after the first ``cursor`` events."""

    cursor: int
    forced: Forced

    def __str__(self) -> str:
        return f"after event {number(self.cursor)}: {self.forced}"


def check_forks(forks: Sequence[Fork], D: int) -> tuple[Fork, ...]:
    """Return the forks, or raise InputError if they cannot be forced on a run in R^D."""
    for fork in forks:
        if fork.cursor < 1 or not fork.forced:
            raise InputError("A branch needs at least one event before it, and something that is forced.")
        if fork.forced.dimension is not None and fork.forced.dimension > D:
            raise InputError(
                f"d = {fork.forced.dimension} cannot be forced: it must be a whole number from 1 to D = {D}."
            )
    if any(a.cursor >= b.cursor for a, b in pairwise(forks)):
        raise InputError("Branches must be in the order of their events, each at a later event.")
    return tuple(forks)


def fork_text(forks: Sequence[Fork]) -> dict[str, Value]:
    """Forks as one flat dictionary, as stored in the first event of a run."""
    return {f"{fork.cursor}.{name}": value for fork in forks for name, value in fork.forced.words().items()}


def forks_of(words: Mapping[str, Value], D: int) -> tuple[Fork, ...]:
    """The forks in a dictionary of :func:`fork_text`, which may come from any file."""
    found: dict[int, dict[str, Value]] = {}
    for key, value in words.items():
        match = _KEY.fullmatch(key)
        if match is None:
            raise InputError(f"Cannot read what was forced: {shown(key)} is not an event with a name.")
        found.setdefault(int(match[1]), {})[match[2]] = value
    forks = []
    for cursor, given in sorted(found.items()):
        check_all(PARAMETERS, given)
        forced = Forced(**given)  # type: ignore[arg-type]
        if forced.words() != given:
            raise InputError(f"The values forced after event {cursor} contradict each other.")
        forks.append(Fork(cursor, forced))
    return check_forks(forks, D)


def forced_budgets(words: Mapping[str, Value], D: int) -> list[tuple[int, float]]:
    """Each B that was forced on a call that may have started: after how many events, and the value.

    It counts from the first event after them, until the call ends. What was forced for a later call is in its events.
    """
    forced = ((fork.cursor, fork.forced) for fork in forks_of(words, D))
    now = ((cursor, each.selection_budget) for cursor, each in forced if each.budget_for != NEXT_SUBROUTINE)
    return [(cursor, B) for cursor, B in now if B is not None]


class Forcing:
    """What is currently in force, for the context of a run.

    Attributes
    ----------
    dimension : int or None
        The dimension that the next choice must return.
    changes : int
        Increases when a choice in progress should start again.
    """

    def __init__(self) -> None:
        self.dimension: int | None = None
        self.changes = 0
        self._stays = False  # the dimension
        self._budget: float | None = None  # of the current subroutine
        self._coming: float | None = None  # of the next one
        self._onwards = False  # whether of all that come
        self._inside = False  # a subroutine

    def add(self, forced: Forced) -> None:
        """Put something into force."""
        if forced.dimension is not None:
            self.dimension, self._stays = forced.dimension, forced.dimension_for == ONWARDS
            self.changes += 1
        B = forced.selection_budget
        if B is None:
            return
        if self._inside and forced.budget_for != NEXT_SUBROUTINE:
            self._budget = B
            self.changes += 1
        if not self._inside or forced.budget_for != THIS_SUBROUTINE:
            self._coming, self._onwards = B, forced.budget_for == ONWARDS

    def dimension_used(self) -> None:
        """Note that a round has started with the forced dimension."""
        if not self._stays:
            self.dimension = None

    def selection_budget(self, B: float) -> float:
        """B of the current subroutine, given the algorithm's own value."""
        return B if self._budget is None else self._budget

    def apply(self, event: Event) -> Event:
        """An algorithm's event, with the forced B if it starts a subroutine."""
        if isinstance(event, SubroutineFinished):
            self._inside, self._budget = False, None
        elif isinstance(event, SubroutineStarted):
            self._inside, self._budget = True, None
            if self._coming is not None and isfinite(event.selection_budget):
                self._budget = self._coming
                if not self._onwards:
                    self._coming = None
                return replace(event, selection_budget=self._budget)
        return event
