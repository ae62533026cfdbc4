"""The glossary: terms and symbols with their meanings, read from its page of help; knows no Qt.

The page `assets/help/topics/glossary.md` is the source. Every row of its tables is an entry.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from gems_gui.assets import asset

GLOSSARY = "topics/glossary"
"""The key of its page of help."""
_HEAD = "| term | symbol | meaning |"
_ORDINARY = frozenset({"x", "y", "z", "X", "Y", "Z", "h", "g", "A", "S"})
"""Symbols that also mean an axis, a word or something else in ordinary text: they are not looked for."""
_WIDTH = 90  # letters of a line
_COMMA = re.compile(r",\s*(?![^(]*\))")


@dataclass(frozen=True)
class GlossaryEntry:
    """A term.

    Attributes
    ----------
    term, meaning
        The term, and its definition in full sentences.
    symbols
        How the paper and the views write it; empty where it has no symbol.
    theme
        The section of the page.
    """

    term: str
    symbols: tuple[str, ...]
    meaning: str
    theme: str

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return re.sub(r"[^a-z]+", "-", self.term.lower()).strip("-")

    @property
    def tip(self) -> str:
        """It in a tooltip, in short lines: Qt does not break those of plain text."""
        name = f"{', '.join(self.symbols)}: {self.term}" if self.symbols else self.term
        return textwrap.fill(f"{name}. {self.meaning}", _WIDTH)


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
    """The glossary at these entries, which are marked: a key that the window of help understands."""
    anchors = [each.anchor for each in entries]
    return f"{GLOSSARY}?marked={','.join(anchors)}#{anchors[0]}" if anchors else GLOSSARY


def legend(text: str) -> str:
    """What the symbols in a text mean, a line each."""
    return "\n".join(each.tip for each in entries_in(text))


@lru_cache(maxsize=256)
def _with_symbols(used: frozenset[str]) -> tuple[GlossaryEntry, ...]:
    return tuple(each for each in glossary().values() if used.intersection(map(_normal, each.symbols)))


@cache
def _pattern() -> re.Pattern[str]:
    """Every symbol that is looked for, the longest first, where it is a word of its own."""
    symbols = {_normal(symbol) for each in glossary().values() for symbol in each.symbols} - _ORDINARY
    ordered = sorted(symbols, key=lambda each: (-len(each), each))
    return re.compile(rf"(?<![\w^_{{/])(?:{'|'.join(map(re.escape, ordered))})(?![\w{chr(0x302)}]|[.]\w|_)")


def _normal(text: str) -> str:
    """With accents as separate characters, as the hat of θ̂ has to be."""
    return unicodedata.normalize("NFD", text)
