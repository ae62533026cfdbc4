"""The glossary: terms and symbols with their meanings, read from its help page; independent of Qt.

The page `assets/help/topics/glossary.md` is the source. Every row of its tables is an entry.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from gems_engine.terminal import with_indices
from gems_gui.assets import asset

GLOSSARY = "topics/glossary"
"""The key of its help page."""
_HEAD = "| term | symbol | meaning |"
_ORDINARY = frozenset({"x", "y", "z", "X", "Y", "Z", "h", "g", "A", "S"})
"""Symbols that also have another meaning in ordinary text; they are not searched for."""
_WIDTH = 90  # characters of a line
_COMMA = re.compile(r",\s*(?![^(]*\))")


@dataclass(frozen=True)
class GlossaryEntry:
    """A term.

    Attributes
    ----------
    term, meaning
        The term, and its definition in full sentences.
    symbols
        Its symbols in the paper and the views; empty if it has none.
    theme
        The section of the page.
    """

    term: str
    symbols: tuple[str, ...]
    meaning: str
    theme: str

    @property
    def anchor(self) -> str:
        """Its anchor in the page."""
        return re.sub(r"[^a-z]+", "-", self.term.lower()).strip("-")

    @property
    def tip(self) -> str:
        """The entry as a tooltip in short lines, since Qt does not wrap plain text."""
        name = f"{', '.join(self.symbols)}: {self.term}" if self.symbols else self.term
        return textwrap.fill(with_indices(f"{name}. {self.meaning}"), _WIDTH)


@cache
def glossary() -> dict[str, GlossaryEntry]:
    """All entries by anchor, in the order of the page."""
    theme, found = "", {}
    for line in asset(f"help/{GLOSSARY}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            theme = line[3:].strip()
        elif line.startswith("| ") and line != _HEAD:
            term, symbols, meaning = (cell.strip() for cell in line.strip("|").split("|"))
            entry = GlossaryEntry(term, tuple(filter(None, _COMMA.split(symbols))), meaning, theme)
            found[entry.anchor] = entry
    return found


def entries_in(text: str) -> tuple[GlossaryEntry, ...]:
    """The entries whose symbols a text uses, in the order of the page."""
    used = frozenset(_pattern().findall(_normal(text)))
    return _with_symbols(used)


def glossary_key(entries: Iterable[GlossaryEntry]) -> str:
    """The key of the glossary page with these entries marked, for the help window."""
    anchors = [each.anchor for each in entries]
    return f"{GLOSSARY}?marked={','.join(anchors)}#{anchors[0]}" if anchors else GLOSSARY


def legend(text: str) -> str:
    """The meanings of the symbols in a text, one line each."""
    return "\n".join(each.tip for each in entries_in(text))


@lru_cache(maxsize=256)
def _with_symbols(used: frozenset[str]) -> tuple[GlossaryEntry, ...]:
    return tuple(each for each in glossary().values() if used.intersection(map(_normal, each.symbols)))


@cache
def _pattern() -> re.Pattern[str]:
    """A pattern for every symbol as a separate word, the longest first."""
    symbols = {_normal(symbol) for each in glossary().values() for symbol in each.symbols} - _ORDINARY
    ordered = sorted(symbols, key=lambda each: (-len(each), each))
    return re.compile(rf"(?<![\w^_{{/])(?:{'|'.join(map(re.escape, ordered))})(?![\w{chr(0x302)}]|[.]\w|_)")


def _normal(text: str) -> str:
    """The text with accents as separate characters, as in θ̂, and _k and ^d for ₖ and ᵈ."""
    return unicodedata.normalize("NFD", text).replace("ₖ", "_k").replace("ᵈ", "^d")
