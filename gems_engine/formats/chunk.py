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
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.errors import InputError, quoted
from gems_engine.events import EVENTS, Event, array_fields
from gems_engine.formats.event_rules import Columns, Sizes
from gems_engine.formats.json_format import parse_json
from gems_engine.formats.tables import ARRAYS, NUMBERS, PLACE, SCHEMAS, Batch, Table, grouped
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
    "allocated": {"lost": int},  # version 3
}
"""Fields added in later versions, and their values in records that do not have them."""

_RAW = {"float": np.dtype("<f8"), "floats": np.dtype("<f8"), "integers": np.dtype("<i8")}
"""The types of fields that are raw numbers, and theirs."""
_FIELDS = {kind: {**dict.fromkeys(PLACE, "int"), **schema} for kind, schema in SCHEMAS.items()}


def numbers_in(event: Event) -> int:
    """The total number of entries of its arrays."""
    held = event.__dict__
    return sum([held[name].size for name in array_fields(event)])


# -- events to bytes --------------------------------------------------------------------------------------------


def encode(events: Sequence[Event], sizes: Sizes, level: int = 6, first: int = 0) -> tuple[bytes, int]:
    """The compressed bytes, and the size before compression; ``first`` is the index of the first event in its run."""
    groups = grouped(events)
    numbers = {kind: i for i, kind in enumerate(groups)}
    raw: list[bytes] = []
    tables = {kind.kind: _said(kind, *group, sizes, first, raw) for kind, group in groups.items()}
    said = {"order": [numbers[EVENTS[event.kind]] for event in events], "kinds": tables}
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 8)
    if len(events) > MOST_EVENTS or len(text) > MOST_TEXT:
        raise InputError(f"{len(events)} events with {len(text)} bytes of text are too many for one chunk.")
    data = b"".join((len(text).to_bytes(8, "little"), text, *raw))
    return zlib.compress(data, level), len(data)


def _said(
    kind: type[Event], at: list[int], group: list[Event], sizes: Sizes, first: int, raw: list[bytes]
) -> dict[str, Any]:
    """The table of one kind as JSON values; its raw numbers are added to ``raw``."""
    schema = SCHEMAS[kind.kind]
    for name, type_ in schema.items():
        _check_types(kind.kind, name, type_, group)
    table = Table.of(kind, at, group)
    check(table, sizes, first)
    said = {name: table.values[name] for name in PLACE}
    for name, type_ in schema.items():
        column = table.values[name]
        if type_ in _RAW:
            raw.append(column.astype(_RAW[type_], copy=False).tobytes())
            column = table.lengths.get(name, "f8")
        said[name] = column
    return said


def _check_types(kind: str, name: str, type_: str, group: list[Event]) -> None:
    """Raise InputError for a float or an array of another type."""
    for event in group if type_ in _RAW else ():
        entry = getattr(event, name)
        if type_ == "float" and not isinstance(entry, float):
            raise _refusal(kind, name, entry, "a number")
        array = isinstance(entry, np.ndarray) and entry.ndim == 1 and entry.dtype == _RAW[type_]
        if type_ in ARRAYS and not array:
            raise _refusal(kind, name, entry, f"a vector of {type_}")


def check(table: Table, sizes: Sizes, first: int) -> None:
    """Raise InputError for a table with values that break the rules of their fields."""
    kind = table.kind.kind
    Columns(kind, SCHEMAS[kind], table.at + (first + 1), table.values, table.lengths).check(sizes)


# -- bytes to events --------------------------------------------------------------------------------------------


def decode(data: bytes, length: int, count: int, sizes: Sizes, first: int | None = 0) -> Batch:
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
    order, kinds = said["order"], said["kinds"]
    if not isinstance(order, list) or not isinstance(kinds, dict) or len(order) != count:
        raise InputError(f"It must have the order of {count} events, and a table for each kind.")
    if not _are_wholes(order, len(kinds) - 1):
        raise InputError("The order of its events names a kind that is missing.")
    places = np.array(order, dtype=np.int64)
    tables = []
    at = 8 + size
    for number, (name, columns) in enumerate(kinds.items()):
        table, at = _table(name, columns, np.flatnonzero(places == number), body, at, sizes)
        if first is not None:
            check(table, sizes, first)
        tables.append(table)
    if at != len(body):
        raise InputError(f"It has {len(body) - at} bytes more than its events need.")
    numbers = np.array([NUMBERS[table.kind] for table in tables], dtype=np.uint8)
    return Batch(numbers[places], {table.kind: table for table in tables if len(table)})


def _are_wholes(column: list[Any], most: int) -> bool:
    """Whether all entries are integers from 0 to ``most``."""
    return not column or (set(map(type, column)) == {int} and min(column) >= 0 and max(column) <= most)


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


def _table(kind: str, said: Any, places: Integers, body: bytes, at: int, sizes: Sizes) -> tuple[Table, int]:
    """The table of one kind, and the start of the raw numbers of the next kind."""
    count = len(places)
    if kind not in EVENTS:
        raise unknown_name("kind of event", kind, EVENTS)
    types = _FIELDS[kind]
    if not isinstance(said, dict):
        raise InputError(f"The events {quoted(kind)} are {shown(said)}: they must be a table.")
    for name in said:
        if name not in types:
            raise unknown_name(f"field of {quoted(kind)}", name, tuple(types))
    missing = {name: make for name, make in _LATER.get(kind, {}).items() if name not in said}
    values: dict[str, Any] = {}
    lengths: dict[str, list[int]] = {}
    most = max(sizes.arms, sizes.targets, sizes.features)
    for name, type_ in types.items():
        if name in missing:
            column: Any = [missing[name]() for _ in range(count)]
            values[name] = np.array(column, dtype=np.float64) if type_ == "float" else column
            continue
        column = said.get(name)
        if type_ == "float":
            if column != "f8":
                raise InputError(f"The field {name} of {quoted(kind)} must be raw floats.")
            values[name], at = _raw(body, at, count, _RAW[type_], kind)
            continue
        if not isinstance(column, list) or len(column) != count:
            raise InputError(
                f"The field {name} of {quoted(kind)} must be a list of {count} entries, one for each event."
            )
        values[name] = column
        if type_ in ARRAYS:
            if not _are_wholes(column, most):
                raise InputError(f"The field {name} of {quoted(kind)} has a length outside 0 … {most}.")
            lengths[name] = column
            values[name], at = _raw(body, at, sum(column), _RAW[type_], kind)
    return Table(EVENTS[kind], places, values, lengths), at


def _raw(body: bytes, at: int, count: int, dtype: np.dtype[Any], kind: str) -> tuple[Any, int]:
    if 8 * count > len(body) - at:
        raise InputError(f"Some numbers of {quoted(kind)} are missing.")
    array = np.frombuffer(body, dtype, count, at)
    return array if dtype.isnative else array.astype(dtype.newbyteorder("=")), at + 8 * count


def _refusal(kind: str, name: str, value: Any, allowed: str) -> InputError:
    return InputError(f"The field {name} of {quoted(kind)} is {shown(value)}: it must be {allowed}.")
