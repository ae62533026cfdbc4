"""The form as JSON, valid or not, with the table of an edited instance; every input is checked; independent of Qt.

Versions, all of which can be read (``tests/data/drafts`` has files of each):

1. The first one.
2. May have custom instances that were set aside.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gems_engine.algorithms import algorithm_named
from gems_engine.arrays import frozen
from gems_engine.errors import InputError, quoted
from gems_engine.features import LARGEST, as_names, check_size
from gems_engine.formats import json_format
from gems_engine.formats.content import recipe_of, recipe_text, require_version
from gems_engine.gallery import family_named
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, shown
from gems_engine.rewards import Noise
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.instance_table import ARMS, PARTS, REWARDS, TARGET_REWARDS, TARGETS, THETA, InstanceTable
from gems_gui.drafts.sheet import NumberGrid
from gems_gui.drafts.sources import FromFile, FromGallery, FromTable, Source, Texts
from gems_gui.field_text import text_of

FORMAT = "gems-draft"
VERSION = 2
_LONGEST = 2**20  # characters of a text
_GALLERY, _FILE, _TABLE = "gallery", "file", "table"


# -- writing --------------------------------------------------------------------------------------------------------


def to_json(draft: Draft) -> Iterator[bytes]:
    """The bytes of the file in pieces: packing a large table at once would freeze the window."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "algorithm": draft.algorithm,
        "texts": dict(draft.texts),
        "seed": draft.seed,
    }
    yield _packed(head)[:-1] + b',\n"source": '
    yield from _source(draft.source)
    for at, own in enumerate(draft.own):
        yield b",\n" if at else b',\n"own": ['
        yield from _source(own)
    yield b"]}\n" if draft.own else b"}\n"


def _source(source: Source) -> Iterator[bytes]:
    if isinstance(source, FromGallery):
        yield _packed({"kind": _GALLERY, "family": source.family, "texts": dict(source.texts)})
    elif isinstance(source, FromFile):
        yield _packed({"kind": _FILE, "path": source.path, "D_text": source.D_text})[:-1] + b',\n"instance": '
        yield json_format.to_json(source.instance)
        yield b"}"
    else:
        said = {"kind": _TABLE, "path": source.path, "origin": source.origin, "D_text": source.D_text}
        yield _packed(said)[:-1] + b',\n"table": '
        yield from _table(source.table)
        if source.whole is not None:
            yield b',\n"whole": '
            yield from _table(source.whole)
        yield b"}"


def _table(table: InstanceTable) -> Iterator[bytes]:
    said: dict[str, Any] = {"name": table.name, "noise": str(table.noise), "recipe": recipe_text(table.recipe)}
    for side in ("arm_names", "target_names", "feature_names"):
        if (names := getattr(table, side)) is not None:
            said[side] = list(names)
    yield _packed(said)[:-1]
    for part in table.parts:
        sheet = table.sheet(part)
        bad = [[row, column, text] for (row, column), text in sheet.bad.items()]
        yield f',\n"{part}": '.encode() + _packed({"bad": bad})[:-1] + b', "rows": [\n'
        for at, row in enumerate(sheet.values.tolist()):
            cells = [None if math.isnan(cell) else cell for cell in row] if bad else row
            yield (b",\n" if at else b"") + _packed(cells)
        yield b"]}"
    yield b"}"


def _packed(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


# -- reading --------------------------------------------------------------------------------------------------------


def from_json(data: bytes) -> Draft:
    """The draft in the bytes of a file.

    Raises
    ------
    InputError
        If the file is invalid, or was written by a newer version of the program.
    """
    said = _object(json_format.parse_json(data, "The draft"), "The draft")
    if said.get("format") != FORMAT:
        raise InputError(f"The field format is {shown(said.get('format'))}: a draft has {quoted(FORMAT)} there.")
    require_version(said.get("version"), VERSION)
    algorithm = _text(said, "algorithm")
    parameters = algorithm_named(algorithm).parameters
    source, own = _read_source(said.get("source")), _read_own(said.get("own", []))
    return Draft(source, algorithm, _texts(said, parameters), _text(said, "seed"), own)


def _read_own(value: Any) -> tuple[FromTable, ...]:
    found = [_read_source(each) for each in value] if isinstance(value, list) else [None]
    tables = tuple(each for each in found if isinstance(each, FromTable))
    if len(tables) < len(found):
        raise InputError("The custom instances must be a list of tables.")
    return tables


def _read_source(value: Any) -> Source:
    said = _object(value, "source")
    kind = said.get("kind")
    if kind == _GALLERY:
        family = _text(said, "family")
        return FromGallery(family, _texts(said, family_named(family).parameters))
    path, typed = _text(said, "path"), said.get("D_text")
    if typed is not None:
        typed = _text(said, "D_text")
    if kind == _FILE:
        instance: Instance = json_format.instance_of(said.get("instance"), "", "")
        return FromFile(instance, path, typed)
    if kind == _TABLE:
        table = _read_table(said.get("table"))
        whole = None if said.get("whole") is None else _read_table(said["whole"])
        return FromTable(table, path, _text(said, "origin"), typed, whole)
    raise InputError(f"The instance comes from {shown(kind)}: it must be {_GALLERY}, {_FILE} or {_TABLE}.")


def _read_table(value: Any) -> InstanceTable:
    said = _object(value, "table")
    sheets = {part: _sheet(said[part], part) for part in PARTS if said.get(part) is not None}
    _require_fitting(sheets)
    arms, targets = sheets[ARMS], sheets.get(TARGETS)
    return InstanceTable(
        arms,
        targets,
        sheets.get(THETA),
        sheets.get(REWARDS),
        sheets.get(TARGET_REWARDS),
        _names(said, "arm_names", arms),
        None if targets is None else _names(said, "target_names", targets),
        _text(said, "name"),
        Noise.parse(_text(said, "noise")),
        recipe_of(said.get("recipe", {})),
        as_names(said.get("feature_names"), "feature_names", arms.shape[1]),
    )


def _require_fitting(sheets: Mapping[str, NumberGrid]) -> None:
    """Raise InputError if no table has these parts together."""
    parts = set(sheets)
    kinds = (
        {ARMS},
        {ARMS, TARGETS},
        {ARMS, THETA},
        {ARMS, TARGETS, THETA},
        {ARMS, REWARDS},
        {ARMS, TARGETS, REWARDS, TARGET_REWARDS},
    )
    if parts not in kinds:
        raise InputError(f"The table has the parts {', '.join(sorted(parts)) or 'none'}, which do not fit together.")
    rows, D = sheets[ARMS].shape
    goals = sheets[TARGETS].shape[0] if TARGETS in sheets else 0
    shapes = {ARMS: (rows, D), TARGETS: (goals, D), THETA: (D, 1), REWARDS: (rows, 1), TARGET_REWARDS: (goals, 1)}
    for part, sheet in sheets.items():
        if sheet.shape != shapes[part]:
            raise InputError(f"The part {part} of the table does not have the size of the others.")


def _sheet(value: Any, part: str) -> NumberGrid:
    said = _object(value, part)
    rows, bad = said.get("rows"), said.get("bad", [])
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise InputError(f"{part} must have rows, each a list of cells.")
    width = len(rows[0])
    check_size(len(rows), width, part)
    if any(len(row) != width for row in rows):
        raise InputError(f"The rows of {part} do not have the same number of cells.")
    for row in rows:
        json_format.numbers([0.0 if cell is None else cell for cell in row], part)
    try:
        values = np.array(rows, dtype=np.float64)  # None becomes NaN
    except OverflowError as error:  # an integer too large for a float
        raise InputError(f"A cell of {part} is too large.") from error
    texts = _bad(bad, part)
    empty = {(int(i), int(j)) for i, j in np.argwhere(np.isnan(values))}
    if empty != set(texts) or (np.abs(values[~np.isnan(values)]) > LARGEST).any():
        raise InputError(f"The cells of {part} are not valid.")
    return NumberGrid(frozen(values), texts)


def _bad(value: Any, part: str) -> dict[tuple[int, int], str]:
    found = {}
    for each in value if isinstance(value, list) else [None]:
        if not isinstance(each, list) or [type(word) for word in each] != [int, int, str] or len(each[2]) > _LONGEST:
            raise InputError(f"The marked cells of {part} must be a list of row, column and text.")
        found[each[0], each[1]] = each[2]
    return found


def _names(said: Mapping[str, Any], side: str, sheet: NumberGrid) -> tuple[str, ...] | None:
    names = said.get(side)
    if names is None:
        return None
    fitting = isinstance(names, list) and len(names) == sheet.shape[0]
    if not fitting or not all(isinstance(name, str) and len(name) <= _LONGEST for name in names):
        raise InputError(f"{side} must be a list with a text for each row.")
    return tuple(names)


def _texts(said: Mapping[str, Any], parameters: tuple[Parameter, ...]) -> Texts:
    """The typed texts, with defaults for new parameters and without those that no longer exist."""
    given = _object(said.get("texts"), "texts")
    return tuple(
        (each.name, _text(given, each.name) if each.name in given else text_of(each, each.default))
        for each in parameters
    )


def _text(said: Mapping[str, Any], name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise InputError(f"The field {name} is {shown(value)}: it must be a text.")
    return value


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"{what} is {shown(value)}: it must be an object.")
    return value
