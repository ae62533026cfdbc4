"""What the fields of events may be: one rule for each field, checked for all events of a chunk at once.

The rules say what a number means: a probability, a cost, an index of an arm. Everything that shows or explains a run
relies on them, so a run file with other numbers is refused, and an event with other numbers is not written. What an
event may follow is checked by :func:`gems_engine.state.fold`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.errors import InputError
from gems_engine.forcing import forks_of
from gems_engine.formats.tables import INT64
from gems_engine.instance import Instance
from gems_engine.parameters import shown

LETTERS = 1000
"""The largest length of a text."""
ENTRIES = 1000
"""The largest number of entries of a dictionary."""
HUGE = 2**1023
"""The largest count of rounds, which grow like β^i; it is still a finite float."""
LARGEST = 1e300
"""The largest magnitude of a finite number, where plots still have room for a margin. Costs are cut off there."""
SHARES_OFF = 1e-6
"""How far the sum of the weights of a design may be from 1."""


@dataclass(frozen=True)
class Sizes:
    """Upper limits of the indices and lengths in events."""

    arms: int
    targets: int
    features: int

    @classmethod
    def of(cls, instance: Instance) -> Sizes:
        """The sizes of an instance."""
        return cls(len(instance.arms), len(instance.targets), instance.D)


Bound = int | float | Callable[[Sizes], int]


@dataclass(frozen=True)
class Rule:
    """What a number may be, or each entry of an array.

    Attributes
    ----------
    low, high
        The smallest and the largest value.
    above, below
        Whether that value itself is excluded.
    unknown
        Whether NaN is allowed: the value is not known.
    least, most
        The smallest and the largest length of an array.
    increasing
        Whether each entry of an array must be larger than the one before.
    shares
        Whether the entries of an array must sum to 1.
    """

    low: float = 0
    high: Bound = LARGEST
    above: bool = False
    below: bool = False
    unknown: bool = False
    least: Bound = 0
    most: Bound = 0
    increasing: bool = False
    shares: bool = False

    def allowed(self, sizes: Sizes) -> str:
        """The allowed values in words."""
        high = limit(self.high, sizes)
        lower = f"above {shown(self.low)}" if self.above else f"at least {shown(self.low)}"
        if high == HUGE:
            return f"{lower} and finite"
        if high == np.inf:
            return lower
        if not self.above and not self.below:
            return f"from {shown(self.low)} to {shown(high)}"
        return f"{lower} and {'below' if self.below else 'at most'} {shown(high)}"


def limit(bound: Bound, sizes: Sizes) -> Any:
    """The value of a limit for an instance."""
    return bound(sizes) if callable(bound) else bound


def _arms(sizes: Sizes) -> int:
    return sizes.arms


def _last_arm(sizes: Sizes) -> int:
    return sizes.arms - 1


def _targets(sizes: Sizes) -> int:
    return sizes.targets


def _last_target(sizes: Sizes) -> int:
    return sizes.targets - 1


def _features(sizes: Sizes) -> int:
    return sizes.features


def _most(sizes: Sizes) -> int:
    return max(sizes.arms, sizes.targets)


_ANY = Rule(-LARGEST)
_SECONDS = _ANY  # a clock may be adjusted
_COUNT = Rule(0, INT64)
_HUGE_COUNT = Rule(0, HUGE)
_DIMENSION = Rule(1, _features)
_POSITIVE = Rule(0, above=True)
_BOUND = Rule(0, np.inf)
_TARGET = Rule(0, _last_target)
_SET_OF_TARGETS = Rule(0, _last_target, most=_targets, increasing=True)
_SOME_TARGETS = Rule(0, _last_target, most=_targets, increasing=True, least=1)

RULES: dict[str, dict[str, Rule]] = {
    "run started": {"seed": _HUGE_COUNT},
    "subroutine started": {
        "rounds": _HUGE_COUNT,
        "selection_budget": Rule(0, np.inf, above=True),
        "delta": Rule(0, 1, below=True),
        "budget": Rule(0),
    },
    "budget divided": {"pulls": _COUNT},
    "top dimension chosen": {
        "pulls": _COUNT,
        "top": Rule(0, _features),
        "rounding_samples": Rule(0, least=_features, most=_features),
    },
    "dimension probed": {
        "d": _DIMENSION,
        "lower": _BOUND,
        "upper": _BOUND,
        "rounding_samples": Rule(0),
        "iterations": _COUNT,
    },
    "design solved": {
        "d": _DIMENSION,
        "support": Rule(0, _last_arm, least=1, most=_arms, increasing=True),
        "weights": Rule(0, 1 + SHARES_OFF, above=True, least=1, most=_arms, shares=True),
        "value": Rule(0),
        "lower_bound": _BOUND,
        "upper_bound": Rule(0, np.inf, unknown=True),
        "cost": Rule(0),
        "iterations": _COUNT,
        "tolerance": Rule(0, 1, above=True),
        "seconds": _SECONDS,
    },
    "allocated": {
        "d": Rule(0, _features),
        "arms": Rule(0, _last_arm, least=1, most=_most),
        "counts": Rule(0, INT64, least=1, most=_most),
        "factor": Rule(0, np.inf, above=True),
        "lost": _COUNT,
    },
    "pulled": {"sums": Rule(-LARGEST, least=1, most=_most), "samples": _COUNT, "seconds": _SECONDS},
    "estimated": {"theta": Rule(-LARGEST, least=1, most=_features)},
    "eliminated": {
        "targets": _SET_OF_TARGETS,
        "by": Rule(0, _last_target, most=_targets),
        "gaps": Rule(-LARGEST, most=_targets),
        "widths": Rule(0, most=_targets),
        "left": Rule(1, _targets),
    },
    "idle rounds": {
        "first": Rule(1, HUGE),
        "last": Rule(1, HUGE),
        "d": _DIMENSION,
        "drawn": _HUGE_COUNT,
        "samples": _COUNT,
    },
    "subroutine finished": {"survivors": _SOME_TARGETS, "samples": _COUNT},
    "candidate kept": {"target": _TARGET},
    "validated": {
        "targets": Rule(0, _last_target, least=1, most=_targets),
        "means": Rule(-LARGEST, least=1, most=_targets),
        "pulls": _COUNT,
    },
    "recommended": {"target": _TARGET, "samples": _COUNT},
    "became verifiable": {"target": _TARGET, "samples": _COUNT},
    "run finished": {
        "recommendation": Rule(-1, _last_target),
        "survivors": _SET_OF_TARGETS,
        "samples": _COUNT,
        "seconds": _SECONDS,
    },
}
"""The rule of every number and array of every kind of event."""
_WITH_CONFIDENCE = ("gems-c", "gems-m", "rage")
"""Subroutines whose numbers of samples and widths depend on δ."""
_PLACE = dict.fromkeys(("ell", "i", "k"), Rule(0, 2**31 - 1))  # a file has fewer events
_EQUALLY_LONG = {
    "design solved": ("support", "weights"),
    "allocated": ("arms", "counts"),
    "eliminated": ("targets", "by", "gaps", "widths"),
    "validated": ("targets", "means"),
}


class Columns:
    """The columns of all events of one kind in a chunk.

    Parameters
    ----------
    kind
        The kind.
    schema
        The type of each field.
    numbers
        The number of each event in its run, from 1.
    values
        For each field, the values of all events; for an array, the entries of all events in one array.
    lengths
        For each array, its length in each event.
    """

    def __init__(
        self,
        kind: str,
        schema: dict[str, str],
        numbers: Integers,
        values: dict[str, Any],
        lengths: dict[str, list[int]],
    ) -> None:
        self.kind = kind
        self._schema = schema
        self._numbers = numbers
        self._values = values
        self._lengths = lengths

    def check(self, sizes: Sizes) -> None:
        """Raise InputError with the first event and field that break a rule."""
        for name, rule in _PLACE.items():
            self._check_wholes(name, rule, sizes)
        for name, type_ in self._schema.items():
            if type_ in ("float", "floats", "integers"):
                self._check_lengths(name, RULES[self.kind][name], sizes)
                self._check_array(name, RULES[self.kind][name], sizes)
            elif type_ == "int":
                self._check_wholes(name, RULES[self.kind][name], sizes)
            elif type_ == "bool":
                self._check_booleans(name)
            elif type_ == "str":
                self._check_texts(name)
            else:
                self._check_words(name, sizes)
        self._check_together()

    # -- one field ------------------------------------------------------------------------------------------------

    def _check_wholes(self, name: str, rule: Rule, sizes: Sizes) -> None:
        column = self._values[name]
        if set(map(type, column)) - {int}:
            self._check_each(name, lambda entry: type(entry) is int, "a whole number")
        high = limit(rule.high, sizes)
        if column and not (min(column) >= rule.low and max(column) <= high):
            self._check_each(name, lambda entry: rule.low <= entry <= high, rule.allowed(sizes))

    def _check_booleans(self, name: str) -> None:
        if set(map(type, self._values[name])) - {bool}:
            self._check_each(name, lambda entry: type(entry) is bool, "true or false")

    def _check_each(self, name: str, good: Callable[[Any], bool], allowed: str) -> None:
        for at, entry in enumerate(self._values[name]):
            if not good(entry):
                raise self._refusal(at, name, entry, allowed)

    def _check_texts(self, name: str) -> None:
        column = self._values[name]
        if set(map(type, column)) - {str} or not all(_is_line(entry) for entry in set(column)):
            self._check_each(name, _is_line, f"one printable line of at most {LETTERS} characters")

    def _check_lengths(self, name: str, rule: Rule, sizes: Sizes) -> None:
        lengths = self._lengths.get(name)
        if not lengths:
            return
        least, most = limit(rule.least, sizes), limit(rule.most, sizes)
        if min(lengths) >= least and max(lengths) <= most:
            return
        at = next(at for at, length in enumerate(lengths) if not least <= length <= most)
        allowed = str(least) if least == most else f"from {least} to {most}"
        raise InputError(f"{self._named(at, name)} has {lengths[at]} entries: it must have {allowed}.")

    def _check_array(self, name: str, rule: Rule, sizes: Sizes) -> None:
        column = self._values[name]
        if not len(column):
            return
        high = limit(rule.high, sizes)
        least, largest = (np.fmin, np.fmax) if rule.unknown else (np.minimum, np.maximum)
        low_ends, high_ends = least.reduce(column), largest.reduce(column)  # NaN if there is one that is not allowed
        good = low_ends >= rule.low and high_ends <= high
        good = good and not (rule.above and low_ends == rule.low) and not (rule.below and high_ends == high)
        if not good and not (rule.unknown and np.isnan(low_ends)):
            wrong = ~((column >= rule.low) & (column <= high))
            wrong |= (rule.above & (column == rule.low)) | (rule.below & (column == high))
            wrong &= ~(rule.unknown & np.isnan(column))
            raise self._entry_refusal(int(np.argmax(wrong)), name, rule.allowed(sizes))
        if rule.increasing:
            self._check_increasing(name, column)
        if rule.shares:
            self._check_shares(name, column)

    def _check_increasing(self, name: str, column: Any) -> None:
        falls = np.flatnonzero(column[1:] <= column[:-1]) + 1
        if len(falls):
            begins = np.cumsum([0, *self._lengths[name]])
            inside = falls[~np.isin(falls, begins)]
            if len(inside):
                raise self._entry_refusal(int(inside[0]), name, "larger than the entry before it")

    def _check_shares(self, name: str, column: Any) -> None:
        begins = np.cumsum([0, *self._lengths[name][:-1]])
        sums = np.add.reduceat(column, begins)
        off = np.abs(sums - 1.0) > SHARES_OFF
        if off.any():
            at = int(np.argmax(off))
            raise InputError(f"{self._named(at, name)} has the sum {float(sums[at]):.9g}: it must be 1.")

    def _check_words(self, name: str, sizes: Sizes) -> None:
        for at, words in enumerate(self._values[name]):
            if type(words) is not dict or len(words) > ENTRIES:
                raise self._refusal(at, name, words, f"an object of at most {ENTRIES} plain values")
            for key, value in words.items():
                if not _is_line(key):
                    raise self._refusal(at, name, key, f"named by printable lines of at most {LETTERS} characters")
                if not (_is_line(value) if name == "versions" else _is_plain(value)):
                    raise self._refusal(at, f"{name}.{key[:60]}", value, "a plain value")
            if name == "forced":
                forks_of(words, sizes.features)

    # -- several fields -------------------------------------------------------------------------------------------

    def _check_together(self) -> None:
        """Check what the fields of one event have to do with each other."""
        first, *others = _EQUALLY_LONG.get(self.kind, ("",))
        for name in others:
            if self._lengths[name] != self._lengths[first]:
                pairs = zip(self._lengths[name], self._lengths[first], strict=True)
                at = next(at for at, (one, other) in enumerate(pairs) if one != other)
                raise InputError(
                    f"The fields {first} and {name} of event {self._numbers[at]} ({self.kind}) must be equally long."
                )
        if self.kind == "subroutine started":
            for at, (name, delta) in enumerate(zip(self._values["name"], self._values["delta"], strict=True)):
                if name in _WITH_CONFIDENCE and not delta:
                    raise self._refusal(at, "delta", float(delta), f"above 0 for {name}")
        if self.kind == "idle rounds":
            rows = zip(self._values["k"], self._values["first"], self._values["last"], strict=True)
            for at, (k, begin, end) in enumerate(rows):
                if begin != k:
                    raise self._refusal(at, "first", begin, f"its round, {k}")
                if end < begin:
                    raise self._refusal(at, "last", end, f"at least the first, {begin}")

    # -- what is said ---------------------------------------------------------------------------------------------

    def _named(self, at: int, name: str) -> str:
        return f"The field {name} of event {self._numbers[at]} ({self.kind})"

    def _refusal(self, at: int, name: str, value: Any, allowed: str) -> InputError:
        return InputError(f"{self._named(at, name)} is {shown(value)}: it must be {allowed}.")

    def _entry_refusal(self, entry: int, name: str, allowed: str) -> InputError:
        """The refusal of an entry of a column of numbers or arrays."""
        value = self._values[name][entry].item()
        if name not in self._lengths:
            return self._refusal(entry, name, value, allowed)
        ends = np.cumsum(self._lengths[name])
        at = int(np.searchsorted(ends, entry, side="right"))
        return self._refusal(at, f"{name}[{entry - int(ends[at]) + self._lengths[name][at]}]", value, allowed)


def _is_line(entry: Any) -> bool:
    return type(entry) is str and len(entry) <= LETTERS and entry.isprintable()


def _is_plain(value: Any) -> bool:
    """Whether an untrusted value of a dictionary is a text, a number, a truth value or nothing."""
    if isinstance(value, dict):
        return set(value) == {"float"} and value["float"] in ("inf", "-inf", "nan")
    if isinstance(value, str):
        return _is_line(value)
    return value is None or type(value) in (bool, float) or (type(value) is int and abs(value) <= HUGE)
