"""A line in several phrasings, from the full text to the most important part: a view shows the longest that fits."""

from __future__ import annotations

import re
from collections.abc import Callable

Phrasings = tuple[str, ...]
"""A text and shorter phrasings of it, the longest first; empty for no text."""
_CUT_NUMBER = re.compile("(?<!\\w)[−-]?\\d[\\d.\N{NARROW NO-BREAK SPACE}]*…$")


def phrasings(*parts: str | Phrasings) -> Phrasings:
    """Parts joined by dots; if they do not fit, the last ones are shortened and omitted first.

    A part is a text that may be omitted, or phrasings of it, the shortest last; an empty one omits the part. The first
    part is never omitted.

    Examples
    --------
    >>> phrasings("ℓ2 i1", ("5 probes", "5 p."))
    ('ℓ2 i1 · 5 probes', 'ℓ2 i1 · 5 p.')
    """
    known = [part if isinstance(part, tuple) else (part, "") for part in parts if part and part[0]]
    if not known:
        return ()
    if known[0][-1] == "":
        known[0] = known[0][:-1]
    chosen = [part[0] for part in known]
    said = [_joined(chosen)]
    for at in reversed(range(len(known))):
        for shorter in known[at][1:]:
            chosen[at] = shorter
            said.append(_joined(chosen))
    return tuple(said)


def without_cut_number(elided: str) -> str:
    """An elided text that does not end with a part of a number, which would be another number.

    Examples
    --------
    >>> without_cut_number("samples 13…")
    'samples …'
    """
    return _CUT_NUMBER.sub("…", elided)


def wrapped(words: str, most: int = 70) -> str:
    """A sentence wrapped into lines."""
    lines = [""]
    for word in words.split(" "):
        if len(lines[-1]) + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def _joined(parts: list[str]) -> str:
    return " · ".join(filter(None, parts))


def longest_prefix(words: str, fits: Callable[[str], bool]) -> str:
    """The longest prefix that fits with "…" appended."""
    low, high = 0, len(words)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(f"{words[:middle].rstrip()}…") else (low, middle)
    return f"{words[:low].rstrip()}…"
