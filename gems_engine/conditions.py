"""Conditions for "run until", on events, with typed parameters.

A condition reads a value from some events and compares it with the value read before. States alone are not enough: a
state drops d_k of the last round as soon as the next round starts to choose its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from math import floor, isfinite, log10
from typing import Any, ClassVar, cast

import numpy as np

from gems_engine.algorithms import algorithm_named
from gems_engine.algorithms.pseudocode import LOOP, ROUND, RUN, Line, Listing
from gems_engine.arrays import Integers
from gems_engine.design.information import Spectrum
from gems_engine.errors import InputError
from gems_engine.events import (
    EVENTS,
    Allocated,
    BecameVerifiable,
    DesignSolved,
    Eliminated,
    Event,
    IdleRounds,
    Place,
    Pulled,
    Recommended,
    RunFinished,
    SubroutineFinished,
    SubroutineStarted,
)
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value, check_all, unknown_name
from gems_engine.rounds import BEGIN_A_ROUND
from gems_engine.state import State
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace
from gems_engine.wording import place_names, place_text

ANY, TRUE_BEST, THIS = "any", "the true best", "this one"
_LOOKED_BACK = 100  # events of a kind searched for a suggestion
RISES, FALLS = "rises to", "falls below"


class Condition(ABC):
    """A condition to wait for; a subclass is a frozen dataclass whose fields are its parameters.

    Attributes
    ----------
    name, summary
        For a list to choose from.
    parameters
        For a form.
    kinds
        The events that it reads; empty means all of them.
    of_truth
        For some parameters, the choices that depend on d⋆ or the best target.
    returns
        Whether the cursor returns to where it was if the run ends first, instead of staying at the end.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    kinds: ClassVar[tuple[type[Event], ...]] = ()
    of_truth: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    returns: ClassVar[bool] = False

    @property
    def truth(self) -> bool:
        """Whether the condition reveals something about d⋆ or the best target."""
        return any(getattr(self, name) in choices for name, choices in self.of_truth.items())

    def __post_init__(self) -> None:
        given = {each.name: getattr(self, each.name) for each in fields(cast(Any, self))}
        for name, value in check_all(self.parameters, given).items():
            object.__setattr__(self, name, value)

    def check(self, instance: Instance) -> None:  # noqa: B027 - most have nothing to refuse
        """Raise InputError for what cannot happen on this instance."""

    @abstractmethod
    def words(self, instance: Instance, algorithm: str = "") -> str:
        """The condition in words, to follow "until"; the algorithm decides the names of the counters."""

    @abstractmethod
    def read(self, event: Event, instance: Instance) -> Any:
        """The value of an event of these kinds; None if it has none."""

    @abstractmethod
    def met(self, before: Any, now: Any) -> bool:
        """Whether the condition is met between two consecutive readings; ``before`` is None at the first."""

    def combined(self, before: Any, now: Any) -> Any:
        """What the next reading is compared with: the last one, unless a condition follows several values."""
        return now

    def last_reading(self, readings: Iterable[Any]) -> Any:
        """What the first reading is compared with, given those before it, the newest first."""
        return next(iter(readings), None)

    def missed(self, instance: Instance, algorithm: str, forward: bool) -> str:
        """The message that it was not found up to the end, or back to the beginning, of the run."""
        words = self.words(instance, algorithm)
        if not forward:
            return f"Not found before the cursor: {words}."
        return f"Not found after the cursor: {words}. The run has ended."

    def positions(self, history: History) -> Integers | None:
        """All events that meet it, in order, from the columns of a history; None if the events must be read."""
        return None

    @classmethod
    def suggested(cls, trace: Trace, state: State) -> dict[str, Value]:
        """Useful parameters at a cursor, as the initial values of a form.

        They depend on nothing after the cursor and not on the truth.
        """
        return {}


@dataclass(frozen=True)
class TargetEliminated(Condition):
    """An arm is eliminated."""

    name = "eliminated"
    summary = "An arm is eliminated."
    parameters = (
        Parameter("who", "choice", ANY, "Which arm.", choices=(ANY, TRUE_BEST, THIS)),
        Parameter("target", "int", 0, 'Label or index of the arm, for "this one".', "z", 0, 10**9),
    )
    kinds = (Eliminated,)
    of_truth = {"who": (TRUE_BEST,)}  # noqa: RUF012 - declared above
    who: str = ANY
    target: int = 0

    def check(self, instance: Instance) -> None:
        if self.who == THIS and self.target >= len(instance.targets):
            raise InputError(f"There is no arm {self.target}: {instance.target_labels.advice}.")
        if self.who == TRUE_BEST:
            instance.require_rewards()

    def words(self, instance: Instance, algorithm: str = "") -> str:
        who = {ANY: "an arm", TRUE_BEST: "the true best arm", THIS: ""}[self.who]
        return f"{who or instance.target_label(self.target)} is eliminated"

    def _wanted(self, targets: Integers, instance: Instance) -> Any:
        if self.who == THIS:
            return targets == self.target
        return instance.gaps[targets] == 0.0 if self.who == TRUE_BEST else np.ones(len(targets), dtype=bool)

    def read(self, event: Event, instance: Instance) -> bool:
        assert isinstance(event, Eliminated)
        return bool(self._wanted(event.targets, instance).any())

    def met(self, before: Any, now: Any) -> bool:
        return bool(now)

    def positions(self, history: History) -> Integers:
        gone = history.eliminations
        return np.unique(gone.event[self._wanted(gone.target, history.trace.instance)])


@dataclass(frozen=True)
class DimensionChanges(Condition):
    """The dimension differs from that of the previous round."""

    name = "dimension"
    summary = "dₖ changes."
    parameters = (Parameter("across", "bool", False, "Also from one call to the next."),)
    kinds = (SubroutineStarted, DesignSolved, Allocated, IdleRounds)
    across: bool = False

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return "dₖ changes" + (", also between calls" if self.across else "")

    def read(self, event: Event, instance: Instance) -> int | None:
        """d_k; 0 at the start of a subroutine, unless changes between subroutines count."""
        if isinstance(event, SubroutineStarted):
            return None if self.across else 0
        assert isinstance(event, DesignSolved | Allocated | IdleRounds)
        return event.d if event.place.k and event.d else None

    def met(self, before: Any, now: Any) -> bool:
        return bool(before and now and before != now)

    def positions(self, history: History) -> Integers:
        rounds = history.rounds
        chosen = np.flatnonzero((rounds.chosen >= 0) & (rounds.d > 0))
        d, subroutine = rounds.d[chosen], rounds.subroutine[chosen]
        changed = d[1:] != d[:-1]
        if not self.across:
            changed &= subroutine[1:] == subroutine[:-1]
        return cast(Integers, rounds.chosen[chosen[1:]][changed])


@dataclass(frozen=True)
class RecommendationChanges(Condition):
    """A different arm is recommended."""

    name = "recommendation"
    summary = "The recommendation changes."
    kinds = (Recommended, RunFinished)

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return "the recommendation changes"

    def read(self, event: Event, instance: Instance) -> int | None:
        """The arm; None if a run ended before its first guess."""
        assert isinstance(event, Recommended | RunFinished)
        target = event.target if isinstance(event, Recommended) else event.recommendation
        return target if target >= 0 else None

    def met(self, before: Any, now: Any) -> bool:
        return before is not None and before != now

    def positions(self, history: History) -> Integers:
        said = history.recommendations
        events, targets = said.event, said.target
        end = history.trace.finished
        if end is not None and end.recommendation >= 0 and history.events == len(history.trace):
            events = np.append(events, history.events - 1)
            targets = np.append(targets, end.recommendation)
        return cast(Integers, events[1:][targets[1:] != targets[:-1]])


@dataclass(frozen=True)
class EventOfInterest(Condition):
    """An arm is eliminated, or d_k or the recommendation changes: what the transport steps to.

    A reading is a pair of d_k and the recommendation, None for what the event says nothing about, or an elimination.
    """

    name = "interest"
    summary = "An arm is eliminated, or dₖ or the recommendation changes."
    kinds = (DesignSolved, Allocated, IdleRounds, Eliminated, Recommended, RunFinished)

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return "an arm is eliminated, or dₖ or the recommendation changes"

    def read(self, event: Event, instance: Instance) -> tuple[int | None, int | None, bool] | None:
        if isinstance(event, Eliminated):
            return (None, None, True) if len(event.targets) else None
        if isinstance(event, Recommended | RunFinished):
            target = RecommendationChanges().read(event, instance)
            return None if target is None else (None, target, False)
        d = DimensionChanges(across=True).read(event, instance)
        return None if d is None else (d, None, False)

    def met(self, before: Any, now: Any) -> bool:
        if now[2]:
            return True
        known = before or (None, None, False)
        return any(
            new is not None and old is not None and new != old for old, new in zip(known[:2], now[:2], strict=True)
        )

    def combined(self, before: Any, now: Any) -> Any:
        known = before or (None, None, False)
        d, target = (old if new is None else new for old, new in zip(known[:2], now[:2], strict=True))
        return d, target, False

    def last_reading(self, readings: Iterable[Any]) -> Any:
        found: Any = None
        for each in readings:
            found = self.combined(each, found or (None, None, False))
            if None not in found:
                break
        return found

    def positions(self, history: History) -> Integers:
        conditions = (TargetEliminated(), DimensionChanges(across=True), RecommendationChanges())
        return np.unique(np.concatenate([each.positions(history) for each in conditions]))


@dataclass(frozen=True)
class SamplesPass(Condition):
    """A given number of samples is drawn."""

    name = "samples"
    summary = "N samples are drawn."
    parameters = (Parameter("samples", "int", 1000, "Number of samples.", "N", 1, 10**15),)
    kinds = (Pulled, IdleRounds, SubroutineFinished, Recommended, BecameVerifiable, RunFinished)
    samples: int = 1000

    @classmethod
    def suggested(cls, trace: Trace, state: State) -> dict[str, Value]:
        """The next of 1,000, 2,000, 5,000, 10,000 …"""
        ladder = (first * 10**power for power in range(3, 16) for first in (1, 2, 5))
        return {"samples": next((each for each in ladder if each > state.samples), 10**15)}

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return f"{plural(self.samples, 'sample is', 'samples are')} drawn"

    def read(self, event: Event, instance: Instance) -> int:
        return int(cast(Any, event).samples)

    def met(self, before: Any, now: Any) -> bool:
        return bool((before or 0) < self.samples <= now)

    def positions(self, history: History) -> Integers:
        rounds, trace = history.rounds, history.trace
        row = int(np.searchsorted(rounds.samples, self.samples))
        begin = int(rounds.event[row - 1]) if row else 0
        end = int(rounds.event[row + 1]) if row + 1 < len(rounds) else history.events
        for at in range(begin, end):
            event = trace[at]
            if isinstance(event, self.kinds) and self.read(event, trace.instance) >= self.samples:
                return np.array([at], dtype=np.int64)
        return np.array([], dtype=np.int64)


@dataclass(frozen=True)
class Passes(Condition):
    """A number rises to a value or falls below it; the first reading counts too."""

    parameters = (
        Parameter("value", "float", 1.0, "Value that it rises to or falls below."),
        Parameter("way", "choice", RISES, "Whether it rises to the value or falls below it.", choices=(RISES, FALLS)),
    )
    what: ClassVar[str]
    value: float = 1.0
    way: str = RISES

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return f"{self.what} {self.way} {number(self.value)}"

    def met(self, before: Any, now: Any) -> bool:
        return self._beyond(now) and (before is None or not self._beyond(before))

    def _beyond(self, now: Any) -> bool:
        return bool(now >= self.value if self.way == RISES else now < self.value)


@dataclass(frozen=True)
class GapPasses(Passes):
    """The largest estimated gap of an elimination."""

    name = "gap"
    summary = "The estimated gap ⟨θ̂, ψ(z′) − ψ(z)⟩ of an elimination passes a value."
    kinds = (Eliminated,)
    what = "the largest gap of an elimination"

    @classmethod
    def suggested(cls, trace: Trace, state: State) -> dict[str, Value]:
        """Half of the last one: gaps become smaller during a run."""
        at = [each for each in _so_far(trace, Eliminated, state) if len(cast(Eliminated, trace[each]).gaps)]
        last = float(cast(Eliminated, trace[at[-1]]).gaps.max()) if at else 1.0
        return {"value": float(f"{last / 2:.1g}"), "way": FALLS}

    def read(self, event: Event, instance: Instance) -> float | None:
        """The largest gap; None if no arm is eliminated."""
        assert isinstance(event, Eliminated)
        return float(event.gaps.max()) if len(event.gaps) else None

    def positions(self, history: History) -> Integers:
        gone = history.eliminations
        events, first = np.unique(gone.event, return_index=True)
        if not len(events):
            return events
        gaps = np.maximum.reduceat(gone.gap, first)
        beyond = gaps >= self.value if self.way == RISES else gaps < self.value
        return cast(Integers, events[beyond & ~np.append(False, beyond[:-1])])


@dataclass(frozen=True)
class DesignGapPasses(Passes):
    """The relative gap between the proven bounds of a design."""

    name = "design gap"
    summary = "The relative gap between the bounds of a design passes a value."
    kinds = (DesignSolved,)
    what = "the relative gap of the design"

    @classmethod
    def suggested(cls, trace: Trace, state: State) -> dict[str, Value]:
        """More than the tolerance: a design without a certificate."""
        at = _so_far(trace, DesignSolved, state)
        return {"value": cast(DesignSolved, trace[at[-1]]).tolerance if at else 1e-6, "way": RISES}

    def read(self, event: Event, instance: Instance) -> float:
        """How far the value may be above the optimum, relative to it."""
        assert isinstance(event, DesignSolved)
        return event.gap


@dataclass(frozen=True)
class ConditionNumberPasses(Passes):
    """The condition number of A(λ_k)."""

    name = "condition number"
    summary = "The condition number of A(λ) of a round's design passes a value."
    kinds = (DesignSolved,)
    what = "the condition number of A(λ)"

    @classmethod
    def suggested(cls, trace: Trace, state: State) -> dict[str, Value]:
        """The power of ten above the last one."""
        at = _so_far(trace, DesignSolved, state)
        last = cls().read(trace[at[-1]], trace.instance) if at else 1.0
        return {"value": 10.0 ** (floor(log10(last)) + 1) if isfinite(last) else 10.0, "way": RISES}

    def read(self, event: Event, instance: Instance) -> float:
        """The condition number of A(λ_k) on its range in R^{d_k}; ∞ if the weights in a file make A zero."""
        assert isinstance(event, DesignSolved)
        seen = instance.arms[event.support, : event.d][event.weights > 0.0]
        if not seen.any() or not np.isfinite(event.weights).all():
            return float("inf")
        return Spectrum.of(seen, event.weights[event.weights > 0.0]).condition


@dataclass(frozen=True)
class PlaceReached(Condition):
    """A given (ℓ, i, k)."""

    name = "place"
    summary = "A given loop, call or round starts."
    parameters = (
        Parameter("ell", "int", 1, "Loop; 0: any.", "ℓ", 0, 10**9),
        Parameter("i", "int", 0, "Call in the loop; 0: any.", "i", 0, 10**9),
        Parameter("k", "int", 0, "Round in the call; 0: any.", "k", 0, 10**18),
    )
    ell: int = 1
    i: int = 0
    k: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.ell or self.i or self.k):
            raise InputError("Set at least one of ℓ, i and k.")

    @classmethod
    def suggested(cls, trace: Trace, state: State) -> dict[str, Value]:
        """The next loop; in a single call, the next round."""
        return {"ell": state.place.ell + 1} if all(place_names(state.algorithm)) else {"k": state.place.k + 1}

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return f"{place_text(Place(self.ell, self.i, self.k), algorithm) or 'the call'} starts"

    def read(self, event: Event, instance: Instance) -> tuple[int, ...]:
        """The counters that are set, or an empty tuple at another position."""
        at = event.place
        last = event.last if isinstance(event, IdleRounds) else at.k
        if self.ell not in (0, at.ell) or self.i not in (0, at.i) or (self.k and not at.k <= self.k <= last):
            return ()
        return (at.ell, at.i, self.k) if self.k else (at.ell, at.i) if self.i else (at.ell,)

    def met(self, before: Any, now: Any) -> bool:
        return bool(now) and now != before

    def positions(self, history: History) -> Integers | None:
        rows = history.rounds if self.k else history.subroutines
        if not len(rows):
            return None
        here = np.ones(len(rows), dtype=bool)
        for column, wanted in ((rows.ell, self.ell), (rows.i, self.i)):
            here &= (column == wanted) | (wanted == 0)
        if self.k:
            rounds = history.rounds
            begins = rounds.event[here & (rounds.k == self.k)]
            among = rounds.decided[here & rounds.idle & (rounds.k < self.k) & (self.k <= rounds.last_k)]
            return np.sort(np.concatenate((begins, among)))
        if not self.i:
            here &= ~np.append(False, here[:-1])  # the first subroutine of the loop
        return rows.event[here]


@dataclass(frozen=True)
class EventOfKind(Condition):
    """The next event of a kind."""

    name = "event"
    summary = "An event of a given kind occurs."
    parameters = (Parameter("kind", "choice", Recommended.kind, "Kind of event.", choices=tuple(EVENTS)),)
    kind: str = Recommended.kind

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return f'an event "{self.kind}" occurs'

    def read(self, event: Event, instance: Instance) -> bool:
        return event.kind == self.kind

    def met(self, before: Any, now: Any) -> bool:
        return bool(now)

    def positions(self, history: History) -> Integers:
        return history.trace.positions(self.kind)


@dataclass(frozen=True)
class LineReached(Condition):
    """A line of the pseudo-code is reached. Only the pseudo-code view uses this; forms do not offer it."""

    name = "line"
    summary = "A line of the pseudo-code is reached."
    parameters = (
        Parameter("algorithm", "text", "", "Algorithm of the run."),
        Parameter("listing", "text", "", "Listing with the line: the algorithm, or a subroutine."),
        Parameter("line", "text", "", "Name of the line."),
    )
    returns = True  # a click on a line that is never reached does not move the cursor
    algorithm: str = ""
    listing: str = ""
    line: str = ""

    @property
    def _found(self) -> tuple[Listing, Line]:
        whole = algorithm_named(self.algorithm).listing
        assert whole is not None, "only a line of a listing can be waited for"
        listing = next(each for each in whole.all_called() if each.name == self.listing)
        return listing, listing[self.line]

    @property
    def kinds(self) -> tuple[type[Event], ...]:  # type: ignore[override]
        """The events of the line, or those that start the unit that passes it."""
        listing, line = self._found
        if isinstance(line.passed, str):
            return BEGIN_A_ROUND if line.passed == ROUND else (SubroutineStarted,)
        return tuple(dict.fromkeys(kind for each in listing.sayers(line) for kind in each.kinds))

    def words(self, instance: Instance, algorithm: str = "") -> str:
        return f"{self._which} of {self.listing} is reached"

    @property
    def _which(self) -> str:
        number = self._found[0].number_of(self.line)
        return f"line {number}" if number else "this line"

    def missed(self, instance: Instance, algorithm: str, forward: bool) -> str:
        """The message that the line was not found, and how to search in the other direction."""
        words = f"{self._which.capitalize()} of {self.listing} is not reached"
        if not forward:
            return f"{words} before the cursor."
        return f"{words} after the cursor: the run has ended. Shift+click the line to search before the cursor."

    def read(self, event: Event, instance: Instance) -> Any:
        """Whether an event belongs to the line; if it starts a unit, which one."""
        listing, line = self._found
        if isinstance(line.passed, str):
            if line.passed == ROUND:
                return event.place if event.place.k else None
            return event.place.ell if line.passed == LOOP else event.place
        path = algorithm_named(self.algorithm).listing.path_of(event)  # type: ignore[union-attr]
        if not path:
            return False
        returned = any(each.calls is listing for each in path[-1][0].lines) and line.says(event, False)
        return returned or path[-1][1] in listing.sayers(line)

    def met(self, before: Any, now: Any) -> bool:
        passed = self._found[1].passed
        if passed == RUN:
            return before is None
        return bool(now) and (now != before or not isinstance(passed, str))


def _so_far(trace: Trace, kind: type[Event], state: State) -> list[int]:
    """The last events of a kind before the cursor."""
    at = trace.positions(kind)
    end = int(np.searchsorted(at, state.cursor))
    return cast(list[int], at[max(0, end - _LOOKED_BACK) : end].tolist())


CONDITIONS: dict[str, type[Condition]] = {
    each.name: each
    for each in (
        TargetEliminated,
        DimensionChanges,
        RecommendationChanges,
        SamplesPass,
        GapPasses,
        DesignGapPasses,
        ConditionNumberPasses,
        PlaceReached,
        EventOfKind,
    )
}
"""All conditions by name, in the order of the form; to add one, write a class and add a line here."""


def make_condition(name: str, values: Mapping[str, Any], instance: Instance) -> Condition:
    """Make a condition by name and check it."""
    if name not in CONDITIONS:
        raise unknown_name("condition", name, CONDITIONS)
    made = CONDITIONS[name](**check_all(CONDITIONS[name].parameters, values))
    made.check(instance)
    return made
