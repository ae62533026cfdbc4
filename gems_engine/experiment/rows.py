"""Rows and sessions on disk: one line of JSON each, appended as they are computed, in a file for each of the two.

After a kill, at most the last line is incomplete: it is dropped with a note. Any other unreadable line is an error.
Up to version 0.1.0, one file contained both.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, TypeVar

from gems_engine.errors import InputError, quoted
from gems_engine.experiment.trials import Row
from gems_engine.formats.content import require_version
from gems_engine.parameters import shown

FORMAT = "gems-experiment"
VERSION = 1


@dataclass(frozen=True)
class Session:
    """One session of an experiment.

    Attributes
    ----------
    experiment, digest, cells
        The name of the experiment, and the digest and the size of its grid.
    seed, trials
        The requested seed and trials.
    workers
        A description of the workers.
    started
        The start, as an ISO date.
    """

    experiment: str
    digest: str
    cells: int
    seed: int
    trials: int
    workers: str
    started: str


def session_line(session: Session) -> bytes:
    """A session as a line."""
    return _line({"format": FORMAT, "version": VERSION, **asdict(session)})


def row_line(row: Row) -> bytes:
    """A row as a line; unknown fields are omitted."""
    return _line({key: value for key, value in row.as_dict().items() if value is not None})


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def parse_line(line: bytes, number: int) -> Session | Row:
    """The session or the row in a line."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"Line {number} is damaged: it is not JSON.") from error
    if not isinstance(said, dict):
        raise InputError(f"Line {number} is damaged: it is not an object.")
    try:
        return _session(said) if "format" in said else _made(Row, said)
    except InputError as error:
        raise InputError(f"Line {number}: {error}") from error


def _session(said: dict[str, Any]) -> Session:
    if said.pop("format") != FORMAT:
        raise InputError(f'It is not a file of rows of an experiment: "format" must be "{FORMAT}".')
    require_version(said.pop("version", None), VERSION)
    return _made(Session, said)


T = TypeVar("T", Session, Row)
_TYPES: dict[str, tuple[type, ...]] = {"int": (int,), "str": (str,), "bool": (bool,), "float": (int, float)}


_FIELDS = {
    kind: {
        each.name: (_TYPES[str(each.type).removesuffix(" | None")], each.default is MISSING) for each in fields(kind)
    }
    for kind in (Session, Row)
}
"""The fields of a line by name: their types, and whether they are required."""


def _made(kind: type[T], said: dict[str, Any]) -> T:
    """A value of a dataclass from untrusted fields."""
    known = _FIELDS[kind]
    for name, value in said.items():
        if name not in known:
            raise InputError(f"The field {quoted(name)} is unknown.")
        types, _ = known[name]
        good = isinstance(value, types) and (bool in types or not isinstance(value, bool))
        if good and not isinstance(value, str):
            good = 0 <= value < 2**63  # not for NaN; a whole number may be too large for a float
        if not good:
            raise InputError(f"The field {name} has an invalid value, {shown(value)}.")
    for name, (_, needed) in known.items():
        if needed and name not in said:
            raise InputError(f"The field {name} is missing.")
    return kind(**said)
