"""Conversion of a few hundred events to bytes and back: a table per kind, exact to the bit, without pickle.

A chunk is compressed with zlib. It has the length of a JSON text, that text, and raw little-endian numbers of eight
bytes. The text has the order of the kinds, and one column for each field of each kind: integers, texts and booleans
themselves, the lengths of arrays, and ``"f8"`` for a column of raw floats, since JSON has no infinite floats. Reading
trusts nothing: sizes are checked before memory is allocated, and every value by the rule of its field. Writing applies
the same rules, so that every written chunk can be read.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any, get_type_hints

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.errors import InputError, quoted
from gems_engine.events import EVENTS, Event, Place, array_fields
from gems_engine.formats.event_rules import Columns, Sizes
from gems_engine.formats.json_format import parse_json
from gems_engine.parameters import shown, unknown_name

MOST_EVENTS = 4096
"""The largest number of events in one chunk."""
MOST_NUMBERS = 2**19
"""A chunk ends when its arrays have this number of entries (4 MiB), so that it is small for any instance."""
MOST_TEXT = 2**22
"""The largest size of the JSON text of one chunk in bytes."""


def most_bytes(sizes: Sizes) -> int:
    """The largest unpacked size of a chunk in bytes: its last event may have four arrays of full length."""
    return 8 + MOST_TEXT + 8 * MOST_NUMBERS + 64 * MOST_EVENTS + 32 * max(sizes.arms, sizes.targets, sizes.features)


_LATER: dict[str, dict[str, Callable[[], Any]]] = {
    "run started": {"forced": dict},  # version 1
    "design solved": {"upper_bound": lambda: math.nan, "proof": str},  # version 2
}
"""Fields added in later versions, and their values in records that do not have them."""

_PLACE = ("ell", "i", "k")
_TYPES = {int: "int", float: "float", str: "str", bool: "bool", Floats: "floats", Integers: "integers"}
_TYPES |= {dict[str, Any]: "words", dict[str, str]: "words"}


def _schema(kind: type[Event]) -> dict[str, str]:
    hints = get_type_hints(kind)
    return {each.name: _TYPES[hints[each.name]] for each in fields(kind) if each.name != "place"}


SCHEMAS: dict[str, dict[str, str]] = {name: _schema(kind) for name, kind in EVENTS.items()}
"""The type of every field of every kind of event."""


def numbers_in(event: Event) -> int:
    """The total number of entries of its arrays."""
    held = event.__dict__
    return sum([held[name].size for name in array_fields(event)])


# -- events to bytes --------------------------------------------------------------------------------------------


def encode(events: Sequence[Event], sizes: Sizes, level: int = 6, first: int = 0) -> tuple[bytes, int]:
    """The compressed bytes, and the size before compression; ``first`` is the index of the first event in its run."""
    groups: dict[str, list[Event]] = {}
    in_run: dict[str, list[int]] = {}
    for number, event in enumerate(events, first + 1):
        groups.setdefault(event.kind, []).append(event)
        in_run.setdefault(event.kind, []).append(number)
    numbers = {kind: i for i, kind in enumerate(groups)}
    raw: list[bytes] = []
    tables = {kind: _columns(kind, group, in_run[kind], sizes, raw) for kind, group in groups.items()}
    said = {"order": [numbers[event.kind] for event in events], "kinds": tables}
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 8)
    if len(events) > MOST_EVENTS or len(text) > MOST_TEXT:
        raise InputError(f"{len(events)} events with {len(text)} bytes of text are too many for one chunk.")
    data = b"".join((len(text).to_bytes(8, "little"), text, *raw))
    return zlib.compress(data, level), len(data)


def _columns(kind: str, group: list[Event], numbers: list[int], sizes: Sizes, raw: list[bytes]) -> dict[str, Any]:
    table: dict[str, Any] = {name: [getattr(event.place, name) for event in group] for name in _PLACE}
    values: dict[str, Any] = dict(table)
    for name, type_ in SCHEMAS[kind].items():
        column: Any = [getattr(event, name) for event in group]
        values[name] = column
        if type_ == "float":
            for entry in column:
                if not isinstance(entry, float):
                    raise _refusal(kind, name, entry, "a number")
            values[name] = np.array(column, dtype=np.float64)
            raw.append(values[name].astype("<f8", copy=False).tobytes())
            table[name] = "f8"
        elif type_ in ("floats", "integers"):
            dtype = "<f8" if type_ == "floats" else "<i8"
            for entry in column:
                if not isinstance(entry, np.ndarray) or entry.ndim != 1 or entry.dtype != np.dtype(dtype):
                    raise _refusal(kind, name, entry, f"a vector of {type_}")
            table[name] = [len(entry) for entry in column]
            values[name] = np.concatenate(column)
            raw.append(values[name].astype(dtype, copy=False).tobytes())
        else:
            table[name] = values[name] = [_packed(entry) for entry in column] if type_ == "words" else column
    check(kind, numbers, table, values, sizes)
    return table


def check(kind: str, numbers: Sequence[int], table: dict[str, Any], values: dict[str, Any], sizes: Sizes) -> None:
    """Raise InputError for a table with values that break the rules of their fields."""
    schema = SCHEMAS[kind]
    lengths = {name: table[name] for name, type_ in schema.items() if type_ in ("floats", "integers")}
    Columns(kind, schema, numbers, values, lengths).check(sizes)


def _packed(words: Any) -> Any:
    """A dictionary with floats that JSON can represent."""
    if not isinstance(words, dict):
        return words
    return {
        key: {"float": repr(float(value))} if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in words.items()
    }


# -- bytes to events --------------------------------------------------------------------------------------------


def decode(data: bytes, length: int, count: int, sizes: Sizes, first: int | None = 0) -> list[Event]:
    """The events of a chunk.

    Parameters
    ----------
    data : bytes
        The compressed bytes.
    length, count : int
        The unpacked size in bytes and the number of events, from its header.
    first : int or None
        The index of its first event in the run; None for a chunk whose values were checked before.
    """
    if count > MOST_EVENTS or length > most_bytes(sizes):
        raise InputError(f"It declares {count} events in {length} bytes, more than a chunk may have.")
    body = _unpacked(data, length)
    size = int.from_bytes(body[:8], "little")
    if len(body) < 8 or size > min(len(body) - 8, MOST_TEXT) or size % 8:
        raise InputError("The length of its text is wrong.")
    said = parse_json(body[8 : 8 + size], "The list of its events")
    if not isinstance(said, dict) or set(said) != {"order", "kinds"}:
        raise InputError("It must have an order and kinds.")
    order, tables = said["order"], said["kinds"]
    if not isinstance(order, list) or not isinstance(tables, dict) or len(order) != count:
        raise InputError(f"It must have the order of {count} events, and a table for each kind.")
    if not all(type(entry) is int and 0 <= entry < len(tables) for entry in order):
        raise InputError("The order of its events names a kind that is missing.")
    in_run: list[list[int]] = [[] for _ in tables]
    for number, kind in enumerate(order, (first or 0) + 1):
        in_run[kind].append(number)
    made: list[list[Event]] = []
    at = 8 + size
    for (name, table), numbers in zip(tables.items(), in_run, strict=True):
        group, at = _group(name, table, numbers, body, at, sizes, first is not None)
        made.append(group)
    if at != len(body):
        raise InputError(f"It has {len(body) - at} bytes more than its events need.")
    each = [iter(group) for group in made]
    return [next(each[number]) for number in order]


def _unpacked(data: bytes, length: int) -> bytes:
    """Decompress, but never to more than the declared size."""
    unpacker = zlib.decompressobj()
    try:
        body = unpacker.decompress(data, length + 1)
    except zlib.error as error:
        raise InputError("It cannot be decompressed.") from error
    if len(body) != length or not unpacker.eof or unpacker.unused_data:
        raise InputError(f"It does not unpack to its declared {length} bytes.")
    return body


def _group(
    kind: str, table: Any, numbers: list[int], body: bytes, at: int, sizes: Sizes, checks: bool
) -> tuple[list[Event], int]:
    """All events of one kind, and the start of the raw numbers of the next kind."""
    count = len(numbers)
    if kind not in EVENTS:
        raise unknown_name("kind of event", kind, EVENTS)
    schema = SCHEMAS[kind]
    if not isinstance(table, dict):
        raise InputError(f"The events {quoted(kind)} are {shown(table)}: they must be a table.")
    for name in table:
        if name not in schema and name not in _PLACE:
            raise unknown_name(f"field of {quoted(kind)}", name, (*_PLACE, *schema))
    missing = [name for name in _LATER.get(kind, {}) if name not in table]
    for name, default in _LATER.get(kind, {}).items():
        if name not in table:
            table = {**table, name: [default() for _ in range(count)]}
    values: dict[str, Any] = {}
    for name, type_ in chain(((name, "int") for name in _PLACE), schema.items()):
        column = table.get(name)
        if type_ == "float" and name in missing:
            values[name] = np.array(column, dtype=np.float64)
            continue
        if type_ == "float":
            if column != "f8":
                raise InputError(f"The field {name} of {quoted(kind)} must be raw floats.")
            values[name], at = _raw(body, at, count, "<f8", kind)
            continue
        if not isinstance(column, list) or len(column) != count:
            raise InputError(
                f"The field {name} of {quoted(kind)} must be a list of {count} entries, one for each event."
            )
        values[name] = column
        if type_ in ("floats", "integers"):
            most = max(sizes.arms, sizes.targets, sizes.features)
            if not all(type(entry) is int and 0 <= entry <= most for entry in column):
                raise InputError(f"The field {name} of {quoted(kind)} has a length outside 0 … {most}.")
            values[name], at = _raw(body, at, sum(column), "<f8" if type_ == "floats" else "<i8", kind)
    if checks:
        check(kind, numbers, table, values, sizes)
    columns = [_entries(type_, values[name], table[name]) for name, type_ in schema.items()]
    places = map(Place, *(table[name] for name in _PLACE))
    return _events(EVENTS[kind], ("place", *schema), zip(places, *columns, strict=True)), at


def _raw(body: bytes, at: int, count: int, dtype: str, kind: str) -> tuple[Any, int]:
    if 8 * count > len(body) - at:
        raise InputError(f"Some numbers of {quoted(kind)} are missing.")
    array = np.frombuffer(body, dtype, count, at)
    return array.astype(array.dtype.newbyteorder("="), copy=False), at + 8 * count


def _entries(type_: str, column: Any, said: Any) -> Iterable[Any]:
    """The values of a column, one for each event."""
    if type_ == "float":
        return list(column.tolist())
    if type_ == "words":
        return [
            {key: float(value["float"]) if isinstance(value, dict) else value for key, value in words.items()}
            for words in column
        ]
    if type_ not in ("floats", "integers"):
        return list(column)
    ends = np.cumsum(said, dtype=np.int64).tolist()
    arrays = [column[end - length : end].copy() for end, length in zip(ends, said, strict=True)]
    for array in arrays:  # copies, so that an event does not keep its whole chunk in memory
        array.flags.writeable = False
    return arrays


def _events(kind: type[Event], names: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> list[Event]:
    """Events from values that are already checked and frozen, without the constructor, which would copy them."""
    made = []
    for row in rows:
        event = object.__new__(kind)
        event.__dict__.update(zip(names, row, strict=True))
        made.append(event)
    return made


def _refusal(kind: str, name: str, value: Any, allowed: str) -> InputError:
    return InputError(f"The field {name} of {quoted(kind)} is {shown(value)}: it must be {allowed}.")
