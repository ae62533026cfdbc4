"""A specification that is given as a dict, as TOML text: it is then read, checked and saved like any other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.parameters import shown


def with_files(said: Mapping[str, Any]) -> tuple[dict[str, Any], dict[int, Instance]]:
    """Replace instances among the values of the key ``instance`` by tables with a file; return both.

    Parameters
    ----------
    said
        The specification; ``instance`` is a table, an instance, or a list of both.
    """
    given = said.get("instance", [])
    tables = list(given) if isinstance(given, list | tuple) else [given]
    files = {number: each for number, each in enumerate(tables, start=1) if isinstance(each, Instance)}
    named = {number: {"file": each.name or f"instance-{number}"} for number, each in files.items()}
    return {**said, "instance": [named.get(number, each) for number, each in enumerate(tables, start=1)]}, files


def to_toml(said: Mapping[str, Any]) -> str:
    """A specification as TOML.

    Raises
    ------
    InputError
        If a value is of a type that specifications do not have.
    """
    lines = [f"{_key(key)} = {_value(value, key)}" for key, value in said.items() if not _tables(value)]
    for key, value in said.items():
        for table in _tables(value):
            lines += ["", f"[[{_key(key)}]]" if isinstance(value, list | tuple) else f"[{_key(key)}]"]
            lines += [f"{_key(name)} = {_value(each, f'{key}: {name}')}" for name, each in table.items()]
    return "\n".join(lines) + "\n"


def _tables(value: Any) -> list[Mapping[str, Any]]:
    """The tables of a value: itself, or those of a list; empty if it is something else."""
    each = [value] if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else []
    return list(each) if all(isinstance(table, Mapping) for table in each) else []


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise InputError(f"The key {shown(key)} is not allowed: it must be text.")
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _text(key)


def _value(value: Any, where: str) -> str:
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(each, where)}" for key, each in value.items()) + "}"
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return "[" + ", ".join(_value(each, where) for each in value) + "]"
    hint = "omit the key for its default" if value is None else "it must be a number, text, true or false, or a list"
    raise InputError(f"{where} = {shown(value)} is not allowed: {hint}.")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", r"\u007f")
