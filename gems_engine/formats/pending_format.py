"""What a session has observed of its last request, as JSON in the file of its run: readable, and untrusted."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from gems_engine.arrays import frozen
from gems_engine.errors import InputError
from gems_engine.events import Allocated
from gems_engine.formats.json_format import parse_json
from gems_engine.observations import Pending, observed_of
from gems_engine.parameters import shown

_WHAT = "What the session has observed"


def to_json(pending: Pending) -> bytes:
    """The bytes of the record."""
    said = {"sums": pending.sums.tolist(), "counts": pending.counts.tolist(), "complete": pending.complete}
    return json.dumps(said, allow_nan=False).encode()


def from_json(data: bytes, asked: object) -> Pending:
    """What is observed of the last event of a run; raises InputError unless that is a request with such arms."""
    said = parse_json(data, _WHAT)
    if not isinstance(said, dict) or set(said) != {"sums", "counts", "complete"}:
        raise InputError(f"{_WHAT} must have sums, counts and complete.")
    if not isinstance(asked, Allocated):
        raise InputError(f"{_WHAT} needs a request for rewards as the last event of the run.")
    sums, counts = (_list(said[name], name) for name in ("sums", "counts"))
    if not isinstance(said["complete"], bool):
        raise InputError(f"{_WHAT} is complete = {shown(said['complete'])}: it must be true or false.")
    try:
        found, drawn = observed_of(sums, counts, asked.arms, asked.counts)
    except InputError as error:
        raise InputError(f"{_WHAT} is wrong: {error}") from error
    if not said["complete"] and np.array_equal(drawn, asked.counts):
        raise InputError(f"{_WHAT} is all that was requested, but it is not complete.")
    return Pending(found, frozen(drawn, np.int64), said["complete"])


def _list(values: Any, name: str) -> list[Any]:
    if not isinstance(values, list):
        raise InputError(f"{_WHAT} has {name} = {shown(values)}: it must be a list.")
    return values
