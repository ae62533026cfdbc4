"""Instances as JSON: readable, with one row of features per line, and exact, because floats are written by ``repr``."""

import contextlib
import json
import sys
from typing import Any

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.features import MAX_ROWS
from gems_engine.formats.content import WORDS, assemble, check_version, implies_target_rewards, words
from gems_engine.instance import Instance
from gems_engine.parameters import shown, unknown_name

_ARRAYS = ("arms", "targets", "rewards", "target_rewards", "theta")

_MOST_LISTS = 2 * MAX_ROWS + 10_000  # a row is a list, and an empty list takes twenty times its text in memory

_MOST_MEMORY = 160 * 2**20
"""The largest memory in bytes that parsing may take; the file and the arrays of an instance come on top."""


def to_json(instance: Instance) -> bytes:
    """The file's bytes."""
    fields = {key: json.dumps(value, ensure_ascii=False) for key, value in words(instance).items()}
    fields["arms"] = _rows(instance.arms)
    same = instance.targets.tobytes() == instance.arms.tobytes()
    fields["targets"] = '"arms"' if same else _rows(instance.targets)
    if instance.rewards is not None:
        fields["rewards"] = json.dumps(instance.rewards.tolist())
    if instance.target_rewards is not None and not implies_target_rewards(instance):
        fields["target_rewards"] = json.dumps(instance.target_rewards.tolist())
    if instance.theta is not None:
        fields["theta"] = json.dumps(instance.theta.tolist())
    lines = [f"  {json.dumps(key)}: {text}" for key, text in fields.items()]
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _rows(table: Floats) -> str:
    return "[\n" + ",\n".join("    " + json.dumps(row) for row in table.tolist()) + "\n  ]"


def from_json(data: bytes, default_name: str, file: str) -> Instance:
    """The instance in the bytes of a file; ``targets`` may be "arms" or omitted, which means the same."""
    return instance_of(parse_json(data), default_name, file)


def instance_of(said: Any, default_name: str, file: str) -> Instance:
    """The instance in untrusted JSON values."""
    if not isinstance(said, dict):
        raise InputError("The file must be one JSON object with the fields of an instance.")
    check_version(said)
    for key in said:
        if key not in WORDS + _ARRAYS:
            raise unknown_name("field", key, WORDS + _ARRAYS)
    if said.get("arms") is None:
        raise InputError("The field arms is missing: it must be a list with one list of features for each arm.")
    if said.get("targets") == "arms":
        del said["targets"]
    arrays: dict[str, Any] = {}
    for key in _ARRAYS:
        if said.get(key) is not None:
            value = said.pop(key)
            arrays[key] = _table(value, key) if key in ("arms", "targets") else numbers(value, key)
    return assemble(said, default_name, file, **arrays)


def parse_json(data: bytes, what: str = "The file") -> Any:
    """Parse strict JSON: no NaN, no duplicate names, limited nesting, size in memory, and no more lists than rows.

    Parameters
    ----------
    what
        The subject of error messages.
    """
    if data.count(b"[") > _MOST_LISTS or data.count(b"{") > _MOST_LISTS:
        raise InputError(f"{what} has more than {_MOST_LISTS} lists or objects, which is too many.")
    try:
        text = data.decode("utf-8-sig")
        if _memory(data, text) > _MOST_MEMORY:
            raise InputError(f"{what} has too many values to be read as JSON. Save an instance of this size as NPZ.")
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is not UTF-8 text (byte {error.start}).") from error
    except json.JSONDecodeError as error:
        raise InputError(
            f"{what} is not valid JSON: line {error.lineno}, column {error.colno}, {error.msg.lower()}."
        ) from error
    except RecursionError as error:
        raise InputError(f"{what} nests JSON too deeply.") from error
    except InputError:
        raise
    except ValueError as error:  # Python refuses whole numbers of more than 4300 digits
        raise InputError(f"{what} has a whole number with thousands of digits.") from error


def _memory(data: bytes, text: str) -> int:
    """An upper estimate of the memory in bytes that parsing takes: 24 for a float, 50 for a text, 8 in its list."""
    entries, strings, fields = data.count(b","), data.count(b'"') // 2, data.count(b":")
    return sys.getsizeof(text) + 32 * entries + 52 * strings + 180 * fields


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise InputError(f"The field {shown(key)} appears twice.")
            seen.add(key)
    return found


def _constant(word: str) -> float:
    raise InputError(f"It contains {word}: every number must be finite.")


def numbers(value: Any, field: str) -> list[float]:
    """A JSON list of numbers, without other types that Python would accept as numbers."""
    if not isinstance(value, list):
        raise InputError(f"{field} is {shown(value)}: it must be a list of numbers.")
    for i, entry in enumerate(value):
        if type(entry) is not float and type(entry) is not int:
            raise InputError(f"{field}[{i}] is {shown(entry)}: it must be a finite number.")
    return value


def _table(value: Any, field: str) -> list[Any]:
    """Rows of numbers, each as an array: as a list it takes four times the memory."""
    if not isinstance(value, list):
        raise InputError(f"{field} is {shown(value)}: it must be a list with one list of features for each row.")
    for i, row in enumerate(value):
        entries = numbers(row, f"{field}[{i}]")
        with contextlib.suppress(OverflowError):  # a whole number may be too large; the caller names it
            value[i] = np.array(entries, dtype=np.float64)
    return value
