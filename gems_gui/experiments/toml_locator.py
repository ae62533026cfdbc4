"""The line of a specification that an error message refers to. Does not import Qt."""

from __future__ import annotations

import re

_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_TABLE = re.compile(r"^(instance|algorithm|paper|stop)(?: (\d+))?(?: \([^)]*\))?: ")
_HEAD = re.compile(r"^\s*\[\[?\s*([A-Za-z_][A-Za-z0-9_]*)\s*\]")
_KEY = re.compile(r"^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def line_of(sentence: str, text: str) -> int | None:
    """The number of the line, from 0, or None if the message is about the whole text.

    A message contains a line number ("at line 3"), or names a table by its number and one of its keys.
    """
    lines = text.split("\n")
    if found := _AT_LINE.search(sentence):
        return min(int(found[1]), len(lines)) - 1
    if not sentence or sentence.startswith("It is not TOML"):
        return None
    table = _TABLE.match(sentence)
    head = _head(lines, table[1], int(table[2] or 0)) if table else -1
    if head is None:
        return None
    words = _WORD.findall(sentence[table.end() :] if table else sentence)
    keys = {found[1]: at for at in _inside(lines, head) if (found := _KEY.match(lines[at]))}
    if not table:
        keys |= {found[1]: at for at, line in enumerate(lines) if (found := _HEAD.match(line))}
    named = next((keys[word] for word in words if word in keys), None)
    return named if named is not None else head if head >= 0 else None


def _head(lines: list[str], name: str, number: int) -> int | None:
    """The line at which a table begins; without a number, only if there is just one of that name."""
    heads = [at for at, line in enumerate(lines) if (found := _HEAD.match(line)) and found[1] == name]
    if not number:
        return heads[0] if len(heads) == 1 else None
    return heads[number - 1] if number <= len(heads) else None


def _inside(lines: list[str], head: int) -> range:
    """The lines of the table that begins there; −1 for those before the first table."""
    end = next((at for at in range(head + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
    return range(head + 1, end)
