"""Compare two runs: how their settings differ, and the first event at which they diverge.

Timings and versions of libraries do not count. Differences in floats alone are distinguished from differences in kind,
position, integers, words or lengths: two machines may round differently throughout and still make the same decisions.
The number of steps of a solver and its bounds at the time of a decision are not decisions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.algorithms.recorded import all_parameters
from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.decisions import DecisionComparison, DecisionDifference
from gems_engine.events import DesignSolved, DimensionProbed, Event, Place, Pulled, RunStarted
from gems_engine.instance import Instance
from gems_engine.trace import Trace

ROUNDING = 1e-9
"""Floats with at most this relative difference are equal up to rounding."""
_AT_A_TIME = 32  # events between two checks of the clock

_ON_THE_WAY: dict[type[Event], frozenset[str]] = {
    DimensionProbed: frozenset({"lower", "upper", "reason", "iterations"}),
    DesignSolved: frozenset({"lower_bound", "upper_bound", "status", "proof", "iterations"}),
}
"""Fields about a solver's steps: they may differ if processors round differently; its result may not."""


@dataclass(frozen=True, eq=False)
class FieldDifference:
    """One field that differs.

    Attributes
    ----------
    name
        The name of the field.
    a, b
        Both values.
    entries
        For arrays of equal shape, flat indices of the entries that differ; else empty.
    relative
        For floats, the relative difference of each of these entries, or of the two numbers; else empty.
    structural
        Whether it concerns more than floats and more than a solver's steps.
    on_the_way
        Whether it concerns only a solver's steps.
    """

    name: str
    a: Any
    b: Any
    entries: Integers
    relative: Floats
    structural: bool
    on_the_way: bool = False

    @property
    def largest(self) -> float:
        """The largest relative difference, 0 if none is defined."""
        return float(self.relative.max()) if len(self.relative) else 0.0

    def pairs(self) -> Iterator[tuple[str, Any, Any, float | None]]:
        """One row per difference: the field or ``field[entry]``, both values, and their relative difference."""
        if not len(self.entries):
            yield self.name, self.a, self.b, self.largest if len(self.relative) else None
            return
        relatives = self.relative.tolist() if len(self.relative) else [None] * len(self.entries)
        for entry, relative in zip(self.entries.tolist(), relatives, strict=True):
            where = ", ".join(str(each) for each in np.unravel_index(entry, self.a.shape))
            yield f"{self.name}[{where}]", self.a.flat[entry].item(), self.b.flat[entry].item(), relative


@dataclass(frozen=True, eq=False)
class Difference:
    """How two runs differ.

    Attributes
    ----------
    settings
        Differences in instance, algorithm, parameters, seed, rewards and forced values.
    events
        The number of events of each run.
    position
        The first event after ``RunStarted`` that differs; None if there is none.
    a, b
        The two events there; None if a run ended before.
    fields
        The differences between them.
    parted
        The first event that differs in more than floats; None if there is none.
    rounding
        The largest relative difference of two floats in all events before ``parted``.
    widest
        The event with this difference, None if all floats are the same.
    decision
        The first decision that differs: a dimension, an elimination, or a recommendation; None if there is none.
    rewards
        The event of each run at which the rewards first differ; None if there is none before another decision.
    """

    settings: tuple[FieldDifference, ...]
    events: tuple[int, int]
    position: int | None = None
    a: Event | None = None
    b: Event | None = None
    fields: tuple[FieldDifference, ...] = ()
    parted: int | None = None
    rounding: float = 0.0
    widest: int | None = None
    decision: DecisionDifference | None = None
    rewards: tuple[int, int] | None = None

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.settings and self.position is None

    @property
    def only_rounding(self) -> bool:
        """Whether the events differ only in the last digits of their floats."""
        return self.position is not None and self.parted is None and self.rounding <= ROUNDING

    @property
    def place(self) -> Place | None:
        """The position of the first event that differs, in the first run, or in the second if the first has ended."""
        event = self.a or self.b
        return event.place if event else None


def compare(a: Trace, b: Trace, progress: Callable[[int, int], object] | None = None) -> Difference:
    """Compare two recorded runs, reading both side by side up to where they diverge, and to the first other decision.

    Parameters
    ----------
    a, b
        The runs, on any instances and with any algorithms.
    progress
        Called with the number of events compared, and the total at most.
    """
    comparison = Comparison(a, b)
    most = max(len(a), len(b))
    while not comparison.update(0.0):
        if progress is not None:
            progress(comparison.events, most)
    return comparison.found


class Comparison:
    """Compares two runs step by step; they may still grow.

    Attributes
    ----------
    a, b : Trace
    events : int
        The number of pairs of events compared.

    Parameters
    ----------
    most
        The largest number of events of each run to compare; None for all.
    """

    def __init__(self, a: Trace, b: Trace, most: int | None = None) -> None:
        self.a = a
        self.b = b
        self._most = most
        self.events = 0
        self._asked: tuple[bool, tuple[FieldDifference, ...]] | None = None
        self._first: dict[str, Any] = {}
        self._parted: int | None = None
        self._rounding = 0.0
        self._widest: int | None = None
        self._decisions: DecisionComparison | None = None
        self._rewards: tuple[int, int] | None = None

    def update(self, seconds: float | None = None, over: tuple[bool, bool] = (True, True)) -> bool:
        """Continue for at most ``seconds``, but at least a few events; True if there is nothing more to compare now.

        Parameters
        ----------
        over
            Whether each run has ended: an ended run without further events differs from one that has more.
        """
        until = None if seconds is None else time.perf_counter() + seconds
        while self._parted is None:
            end = self.events + _AT_A_TIME
            end = end if self._most is None else min(end, self._most)
            more = self.a[self.events : end], self.b[self.events : end]
            compared = min(map(len, more))
            for each, other in zip(*more, strict=False):
                self._compare(each, other)
                if self._parted is not None:
                    break
            else:
                if compared < _AT_A_TIME:
                    left, right = (events[compared] if len(events) > compared else None for events in more)
                    if left is right or not over[0 if left is None else 1]:  # one of them is None
                        return True
                    self._compare(left, right)
            if until is not None and time.perf_counter() > until:
                return not self.busy(over)
        if self._decisions is None:
            self._decisions = DecisionComparison(self.a, self.b, self._parted, self._most)
        return self._decisions.update(seconds, over)

    def busy(self, over: tuple[bool, bool] = (True, True)) -> bool:
        """Whether there is more to compare now; see :meth:`update`."""
        if self._parted is not None:
            return self._decisions is None or self._decisions.can_continue(over)
        lengths = len(self.a), len(self.b)
        ended = any(self.events >= length and end for length, end in zip(lengths, over, strict=True))
        return self.events < min(lengths) or (ended and self.events < max(lengths))

    def _compare(self, left: Event | None, right: Event | None) -> None:
        position, self.events = self.events, self.events + 1
        if isinstance(left, RunStarted) and isinstance(right, RunStarted):
            return
        found = differences_between(left, right)
        if not found and type(left) is type(right):
            return
        if not self._first:
            self._first = {"position": position, "a": left, "b": right, "fields": tuple(found)}
        if isinstance(left, Pulled) and self._rewards is None and any(each.name == "sums" for each in found):
            self._rewards = position, position
        if type(left) is not type(right) or any(each.structural for each in found):
            self._parted = position
            return
        wide = _largest(found)
        if self._widest is None or wide > self._rounding:
            self._rounding, self._widest = wide, position

    @property
    def found(self) -> Difference:
        """The differences found so far."""
        begun = self.a.started is not None and self.b.started is not None
        if self._asked is None or self._asked[0] != begun:
            self._asked = begun, tuple(_settings(self.a, self.b))
        return Difference(
            self._asked[1],
            (len(self.a), len(self.b)),
            **self._first,
            parted=self._parted,
            rounding=self._rounding,
            widest=self._widest,
            decision=None if self._decisions is None else self._decisions.found,
            rewards=self._rewards or (None if self._decisions is None else self._decisions.rewards),
        )


def differences_between(a: Event | None, b: Event | None) -> list[FieldDifference]:
    """The fields in which two events of one kind differ; empty if the kinds differ."""
    if a is None or b is None or type(a) is not type(b) or a == b:
        return []
    mine, theirs = a.parts(), b.parts()
    found = [each for name in mine if (each := _differ(name, mine[name], theirs[name])) is not None]
    return [_judged(each, type(a)) for each in found]


def _judged(found: FieldDifference, kind: type[Event]) -> FieldDifference:
    """The same difference, marked if it concerns only a solver's steps."""
    agree = found.name == "verdict" and "too dear" not in (found.a, found.b)  # a tie fits
    if agree or found.name in _ON_THE_WAY.get(kind, ()):
        return replace(found, structural=False, on_the_way=True)
    return found


def _largest(found: list[FieldDifference]) -> float:
    """The largest relative difference in the results of an event."""
    return max((each.largest for each in found if not each.on_the_way), default=0.0)


def rounding_between(a: Event, b: Event) -> float | None:
    """The largest relative difference of the numbers of two events; None if it is more than rounding."""
    found = differences_between(a, b)
    if type(a) is not type(b) or any(each.structural for each in found):
        return None
    largest = _largest(found)
    return largest if largest <= ROUNDING else None


def _settings(a: Trace, b: Trace) -> Iterator[FieldDifference]:
    yield from _instances(a.instance, b.instance)
    if a.started is None or b.started is None:
        return
    mine, theirs = a.started, b.started
    for name in ("algorithm", "seed", "goal", "rewards"):
        yield from _one(name, getattr(mine, name), getattr(theirs, name))
    parameters, forced = (all_parameters(mine), all_parameters(theirs)), (mine.forced, theirs.forced)
    for part, (given, other) in (("parameters", parameters), ("forced", forced)):
        for name in sorted(set(given) | set(other), key=[*given, *other].index):
            # The noise is part of the instance, whether or not a parameter set it.
            if name != "noise" or part != "parameters":
                yield from _one(f"{part}.{name}", given.get(name), other.get(name))


def _instances(a: Instance, b: Instance) -> Iterator[FieldDifference]:
    """The differences of two instances that can affect a run; names do not count."""
    if a.digest == b.digest:
        return
    for name in ("arms", "targets", "rewards", "target_rewards", "theta"):
        yield from _one(f"instance.{name}", getattr(a, name), getattr(b, name))
    yield from _one("instance.noise", str(a.noise), str(b.noise))


def _one(name: str, a: Any, b: Any) -> Iterator[FieldDifference]:
    found = _differ(name, a, b)
    if found is not None:
        yield found


def _differ(name: str, a: Any, b: Any) -> FieldDifference | None:
    """The difference of two values, None if their bits are equal or both are NaN."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.shape != b.shape or a.dtype != b.dtype:
            return FieldDifference(name, a, b, _NO_ENTRIES, _NO_FLOATS, True)
        flat, other = a.ravel(), b.ravel()
        differs = flat != other
        if flat.dtype.kind == "f":
            differs |= np.signbit(flat) != np.signbit(other)  # −0 and 0 are not the same bits
            differs &= ~(np.isnan(flat) & np.isnan(other))
        entries = np.flatnonzero(differs)
        if not len(entries):
            return None
        floats = flat.dtype.kind == "f"
        relative = relative_difference(flat[entries], other[entries]) if floats else _NO_FLOATS
        return FieldDifference(name, a, b, frozen(entries, np.int64), frozen(relative), not floats)
    if isinstance(a, float) and isinstance(b, float):
        if a == b or (a != a and b != b):
            return None
        relative = relative_difference(np.array([a]), np.array([b]))
        return FieldDifference(name, a, b, _NO_ENTRIES, frozen(relative), False)
    if type(a) is type(b) and a == b:
        return None
    return FieldDifference(name, a, b, _NO_ENTRIES, _NO_FLOATS, True)


def relative_difference(a: NDArray[Any], b: NDArray[Any]) -> Floats:
    """|a − b| over the larger of |a| and |b|, entry by entry; 0 if equal, ∞ if only one is finite."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    size = np.maximum(np.abs(x), np.abs(y))
    finite = np.isfinite(x) & np.isfinite(y)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(all="ignore"):
        apart = np.abs(x - y)
        # The difference of very large numbers may overflow, so scaled values are compared.
        parts = np.where(np.isfinite(apart), apart / size, np.abs(x / size - y / size))
    return np.asarray(np.where(same, 0.0, np.where(finite, parts, np.inf)))


_NO_ENTRIES = frozen([], np.int64)
_NO_FLOATS = frozen([])
