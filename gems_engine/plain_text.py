"""Text for streams whose encoding lacks letters such as ρ⋆: they are replaced by ASCII that reads the same.

Python writes UTF-8 wherever the locale allows it, and in the C locale too. What remains are locales such as latin-1,
pipes on Windows (cp1252), and an explicit PYTHONIOENCODING.
"""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TextIO, cast

_RAISED = dict(zip("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹ᵈᴰⁱʲᵏⁿᵀ", "-+0123456789dDijknT", strict=True))
_LOWERED = dict(zip("₋₊₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₙ", "-+0123456789ijkn", strict=True))
_RUN = re.compile(f"[{''.join(_RAISED)}]+|[{''.join(_LOWERED)}]+")
"""Exponents and indices are replaced as a whole: cp1252 has ¹ but not ⁰, and R¹⁰ must not become R¹^0."""

_BETWEEN = re.compile(r"(?:(?<=\s)|(?<![\s\S]))·(?=\s)")
"""A dot that separates or marks, not one that multiplies."""

_LIKE = {
    "⋆": "*",
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "≈": "~",
    "∞": "inf",
    "×": "x",
    "·": " * ",
    "ℓ": "l",
    "✓": "ok",
    "✗": "x",
    "█": "#",
    "░": ".",
    "─": "-",
    "│": "|",
    "→": "->",
    "←": "<-",
    "▸": ">",
    "▷": ">",
    "▶": ">",
    "▲": "^",
    "▼": "v",
    "◥": "^",
    "◇": "o",
    "↦": "->",
    "±": "+/-",
    "∘": "o",
    "∪": "u",
    "∅": "{}",
    "«": '"',
    "»": '"',
    "⌈": "ceil(",
    "⌉": ")",
    "⌊": "floor(",
    "⌋": ")",
    "‖": "||",
    "⟨": "<",
    "⟩": ">",
    "√": "sqrt",
    "Σ": "Sum",
    "∑": "Sum",
    "∏": "Product",
    "∈": "in",
    "∃": "exists",
    "∖": "\\",
    "⊤": "^T",
    "′": "'",
    "″": "''",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "\N{COMBINING CIRCUMFLEX ACCENT}": "_hat",
    "\N{COMBINING TILDE}": "~",
    "\N{COMBINING MACRON}": "_bar",
    "\N{FRACTION SLASH}": "/",
}
_GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?([A-Z]+)")


class PlainOutput:
    """A text stream that writes what its encoding lacks as ASCII.

    Parameters
    ----------
    stream
        The stream; everything but writing is passed on to it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        self._stream.write(plain(text, self._stream.encoding))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def readable(stream: TextIO) -> TextIO:
    """A stream that never fails because of a letter: the same if it writes UTF-8, else one that writes ASCII for it."""
    if isinstance(stream, PlainOutput):
        return stream
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")  # for file names that are not valid text
    return stream if _is_unicode(stream) else cast("TextIO", PlainOutput(stream))


def _is_unicode(stream: TextIO) -> bool:
    encoding = getattr(stream, "encoding", None)  # a StringIO has None
    return encoding is None or codecs.lookup(encoding).name.startswith("utf")


def writes_unicode() -> bool:
    """Whether standard output has every letter."""
    return _is_unicode(sys.stdout)


def printable(text: str) -> str:
    """A text as standard output shows it, for alignment."""
    return text if writes_unicode() else plain(text, sys.stdout.encoding)


def plain(text: str, encoding: str = "ascii") -> str:
    """A text in which letters that an encoding lacks are replaced by ASCII.

    Examples
    --------
    >>> plain("ρ⋆_d ≤ 10⁻⁵ in R¹⁰, θ̂ₖ ✓")
    'rho*_d <= 10^-5 in R^10, theta_hat_k ok'
    """
    if text.isascii() or _has(text, encoding):
        return text
    parts: list[str] = []
    for letter in _RUN.sub(lambda run: _raised_or_lowered(run[0], encoding), _BETWEEN.sub("-", text)):
        spoken = letter if _has(letter, encoding) else _spoken(letter)
        if len(spoken) > 1 and spoken[0].isalpha() and parts and parts[-1][-1:].isalnum():
            parts.append(" ")  # 2ε is "2 epsilon"
        parts.append(spoken)
    return "".join(parts)


def _has(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _raised_or_lowered(run: str, encoding: str) -> str:
    """An exponent or an index, R^10 or d_k; unchanged if the encoding has all of it."""
    if _has(run, encoding):
        return run
    if run[0] in _RAISED:
        return "^" + "".join(_RAISED[letter] for letter in run)
    return "_" + "".join(_LOWERED[letter] for letter in run)


@lru_cache(maxsize=1024)
def _spoken(letter: str) -> str:
    """ASCII for one letter: a sign that looks the same, the name of a Greek letter, the base of one with an accent."""
    if letter in _LIKE:
        return _LIKE[letter]
    found = _GREEK.match(unicodedata.name(letter, ""))
    if found:
        name = found[2].lower()
        return {"lamda": "lambda"}.get(name, name) if found[1] == "SMALL" else name.capitalize()
    if unicodedata.category(letter) == "Zs":
        return " "
    apart = unicodedata.normalize("NFKD", letter)
    if apart == letter:
        return "" if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf" else "?"
    return "".join(each if each.isascii() else _spoken(each) for each in apart)
