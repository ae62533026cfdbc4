"""Events as columns: a batch has one table for each kind of event, and a table has one column for each field.

What reads many events at once reads columns; an event is made of them only where one is needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Floats, Integers
from gems_engine.events import EVENTS, Event, Place

INT64 = 2**63 - 1
PLACE = ("ell", "i", "k")
ARRAYS = ("floats", "integers")
"""The types of fields that are arrays."""
_DTYPES = {"float": np.float64, "floats": np.float64, "integers": np.int64}
_TYPES = {int: "int", float: "float", str: "str", bool: "bool", Floats: "floats", Integers: "integers"}
_TYPES |= {dict[str, Any]: "words", dict[str, str]: "words"}


def _schema(kind: type[Event]) -> dict[str, str]:
    hints = get_type_hints(kind)
    return {each.name: _TYPES[hints[each.name]] for each in fields(kind) if each.name != "place"}


SCHEMAS: dict[str, dict[str, str]] = {name: _schema(kind) for name, kind in EVENTS.items()}
"""The type of every field of every kind of event."""
KINDS: tuple[type[Event], ...] = tuple(EVENTS.values())
NUMBERS: dict[type[Event], int] = {kind: number for number, kind in enumerate(KINDS)}
"""The number of each kind in columns."""
_COUNTING = tuple(kind for kind in KINDS if "samples" in SCHEMAS[kind.kind])


def among(*kinds: type[Event]) -> NDArray[np.bool_]:
    """For each number of a kind, whether it is one of these: ``among(Pulled)[batch.kinds]`` is a mask of events."""
    return np.isin(np.arange(len(KINDS)), [NUMBERS[kind] for kind in kinds])


def whole(column: Sequence[int]) -> Integers:
    """Integers as an array; those beyond 64 bits, such as counts of idle rounds, become the largest."""
    try:
        return np.array(column, dtype=np.int64)
    except OverflowError:
        return np.array([max(-INT64, min(entry, INT64)) for entry in column], dtype=np.int64)


class Table:
    """The columns of all events of one kind in a batch.

    Parameters
    ----------
    kind
        The kind.
    at : array of int
        The position of each event in its batch.
    values
        For each field, and for ell, i and k: the values of all events. The entries of arrays are in one array, floats
        are an array, dictionaries have floats that JSON can represent, and other values are a list.
    lengths
        For each field that is an array, its length in each event.
    """

    def __init__(self, kind: type[Event], at: Integers, values: dict[str, Any], lengths: dict[str, list[int]]) -> None:
        self.kind = kind
        self.at = at
        self.values = values
        self.lengths = lengths

    @classmethod
    def of(cls, kind: type[Event], at: Sequence[int], events: Sequence[Event]) -> Table:
        """The table of these events."""
        values: dict[str, Any] = {name: [getattr(event.place, name) for event in events] for name in PLACE}
        lengths = {}
        for name, type_ in SCHEMAS[kind.kind].items():
            column: list[Any] = [getattr(event, name) for event in events]
            if type_ == "float":
                values[name] = np.array(column, dtype=np.float64)
            elif type_ in ARRAYS:
                lengths[name] = [len(entry) for entry in column]
                values[name] = np.concatenate(column)
            else:
                values[name] = [_packed(entry) for entry in column] if type_ == "words" else column
        return cls(kind, np.array(at, dtype=np.int64), values, lengths)

    def __len__(self) -> int:
        return len(self.at)

    def whole(self, name: str) -> Integers:
        """A column of integers as an array."""
        return whole(self.values[name])

    def sizes(self, name: str) -> Integers:
        """The length of an array in each event."""
        return np.array(self.lengths[name], dtype=np.int64)

    def sums(self, name: str) -> Integers:
        """The sum of an array of integers in each event."""
        running = np.concatenate(([0], self.values[name].cumsum()))
        sizes = self.sizes(name)
        ends = np.cumsum(sizes)
        return np.asarray(running[ends] - running[ends - sizes])

    def event(self, row: int) -> Event:
        """One event."""
        schema, values = SCHEMAS[self.kind.kind], self.values
        made: list[Any] = [Place(values["ell"][row], values["i"][row], values["k"][row])]
        made += [self._entry(row, name, type_) for name, type_ in schema.items()]
        return _made(self.kind, ("place", *schema), made)

    def _entry(self, row: int, name: str, type_: str) -> Any:
        column = self.values[name]
        if type_ in ARRAYS:
            lengths = self.lengths[name]
            end = sum(lengths[: row + 1])
            return _frozen(column[end - lengths[row] : end])
        if type_ == "float":
            return column[row].item()
        return _unpacked(column[row]) if type_ == "words" else column[row]

    def events(self) -> list[Event]:
        """All events."""
        schema = SCHEMAS[self.kind.kind]
        columns = [self._entries(name, type_) for name, type_ in schema.items()]
        places = map(Place, *(self.values[name] for name in PLACE))
        names = ("place", *schema)
        return [_made(self.kind, names, row) for row in zip(places, *columns, strict=True)]

    def _entries(self, name: str, type_: str) -> Iterable[Any]:
        column = self.values[name]
        if type_ == "float":
            return list(column.tolist())
        if type_ == "words":
            return map(_unpacked, column)
        if type_ not in ARRAYS:
            return list(column)
        ends = np.cumsum(self.lengths[name], dtype=np.int64).tolist()
        return [_frozen(column[end - length : end]) for end, length in zip(ends, self.lengths[name], strict=True)]


class Batch:
    """Consecutive events as tables.

    Parameters
    ----------
    kinds : array of uint8
        The number of the kind of each event, see :data:`NUMBERS`.
    tables
        The tables of the kinds that occur.
    """

    def __init__(self, kinds: NDArray[np.uint8], tables: dict[type[Event], Table]) -> None:
        self.kinds = kinds
        self._tables = tables

    @classmethod
    def of(cls, events: Sequence[Event]) -> Batch:
        """The batch of these events."""
        kinds = np.array([NUMBERS[EVENTS[event.kind]] for event in events], dtype=np.uint8)
        return cls(kinds, {kind: Table.of(kind, *group) for kind, group in grouped(events).items()})

    def __len__(self) -> int:
        return len(self.kinds)

    def table(self, kind: type[Event]) -> Table:
        """The table of a kind, which may be empty."""
        return self._tables.get(kind) or _EMPTY[kind]

    @cached_property
    def places(self) -> Integers:
        """ℓ, i and k of each event, of shape (3, events)."""
        places = np.empty((3, len(self)), dtype=np.int64)
        for table in self._tables.values():
            places[:, table.at] = [table.values[name] for name in PLACE]
        return places

    @cached_property
    def samples(self) -> Integers:
        """The samples that each event has; −1 if it does not count them."""
        samples = np.full(len(self), -1, dtype=np.int64)
        for kind in _COUNTING:
            if kind in self._tables:
                samples[self._tables[kind].at] = self._tables[kind].whole("samples")
        return samples

    def count(self, *kinds: type[Event]) -> int:
        """The number of events of these kinds."""
        return sum(len(self.table(kind)) for kind in kinds)

    def kind(self, at: int) -> type[Event]:
        """The kind of the event at a position."""
        return KINDS[int(self.kinds[at])]

    def event(self, at: int) -> Event:
        """The event at a position."""
        table = self._tables[self.kind(at)]
        return table.event(int(table.at.searchsorted(at)))

    def events(self) -> list[Event]:
        """All events."""
        each = {NUMBERS[kind]: iter(table.events()) for kind, table in self._tables.items()}
        return [next(each[kind]) for kind in self.kinds.tolist()]


def _empty(kind: type[Event]) -> Table:
    values: dict[str, Any] = {name: [] for name in PLACE}
    lengths: dict[str, list[int]] = {}
    for name, type_ in SCHEMAS[kind.kind].items():
        values[name] = np.empty(0, _DTYPES[type_]) if type_ in _DTYPES else []
        if type_ in ARRAYS:
            lengths[name] = []
    return Table(kind, np.empty(0, dtype=np.int64), values, lengths)


_EMPTY = {kind: _empty(kind) for kind in KINDS}


def grouped(events: Iterable[Event]) -> dict[type[Event], tuple[list[int], list[Event]]]:
    """The positions and the events of each kind, in the order of their first events."""
    groups: dict[type[Event], tuple[list[int], list[Event]]] = {}
    for at, event in enumerate(events):
        positions, group = groups.setdefault(EVENTS[event.kind], ([], []))
        positions.append(at)
        group.append(event)
    return groups


def _made(kind: type[Event], names: tuple[str, ...], row: Iterable[Any]) -> Event:
    """An event of values that are already checked and frozen, without the constructor, which would copy them."""
    event = object.__new__(kind)
    event.__dict__.update(zip(names, row, strict=True))
    return event


def _frozen(part: Any) -> Any:
    """A copy, so that an event does not keep its whole batch in memory."""
    array = part.copy()
    array.flags.writeable = False
    return array


def _packed(words: Any) -> Any:
    """A dictionary with floats that JSON can represent."""
    if not isinstance(words, dict):
        return words
    return {
        key: {"float": repr(float(value))} if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in words.items()
    }


def _unpacked(words: dict[str, Any]) -> dict[str, Any]:
    return {key: float(value["float"]) if isinstance(value, dict) else value for key, value in words.items()}
