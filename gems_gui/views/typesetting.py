"""Typesets lines of pseudo-code: fonts for every level of indices, line breaks, and the position of each symbol."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from gems_gui.series.pseudocode import KEYWORD, SYMBOL, Piece
from gems_gui.theme import family

_SHRINK = (1.0, 0.74, 0.62, 0.58)  # font size by the level of indices
_DOWN, _UP = 0.2, 0.36  # offset of indices and exponents, relative to the size of their base
_SETS = str.maketrans("𝒜𝒳𝒴𝒵", "AXYZ")
"""Script letters, which DejaVu Sans lacks; upright, since all other symbols are slanted."""
_STAR = str.maketrans("⋆", "★")  # the small star would look like a dot in an index
_PRIMES = "′″"
_HAIR = "\N{HAIR SPACE}"  # before a prime, which would overlap a slanted letter
_WORD = re.compile("[A-Za-z]{3,}")
_HANGING = 1.6  # font sizes by which continuation lines are indented


def plain_letters(text: str) -> str:
    """The same text without letters that many fonts lack."""
    return text.translate(_SETS)


class Run(NamedTuple):  # thousands are made for a page: a frozen dataclass takes twice as long
    """Some letters in one font.

    Attributes
    ----------
    at
        Its start, on the base line.
    box
        Its bounding box.
    """

    text: str
    font: QFont
    at: QPointF
    box: QRectF
    style: str
    symbol: str

    def moved(self, x: float, y: float) -> Run:
        """The same run at another position."""
        return Run(self.text, self.font, self.at + QPointF(x, y), self.box.translated(x, y), self.style, self.symbol)


@lru_cache(maxsize=256)
def _font(size: float, bold: bool, slanted: bool) -> tuple[QFont, QFontMetricsF]:
    font = QFont(family())
    font.setPixelSize(max(1, round(size)))
    font.setBold(bold)
    font.setItalic(slanted)
    return font, QFontMetricsF(font)


@lru_cache(maxsize=8192)
def _advance(text: str, size: int, bold: bool, slanted: bool) -> float:
    return _font(size, bold, slanted)[1].horizontalAdvance(text)


def row_height(size: float) -> float:
    """Distance from one base line to the next."""
    return round(size * 1.62)


def ascent(size: float) -> float:
    """Distance from the top of a row to its base line."""
    return round(size * 1.18)


class Setter:
    """Sets pieces one after the other, and breaks lines between words.

    Parameters
    ----------
    size
        Font size in pixels.
    """

    def __init__(self, size: float) -> None:
        self.size = size

    def line(self, parts: Iterable[Piece], bold: bool = False) -> tuple[list[Run], float]:
        """Pieces in one row that starts at 0, and its width."""
        runs: list[Run] = []
        x = 0.0
        for piece in parts:
            for text, slanted in _split(piece):
                run, width = self._run(text, piece, slanted, bold, x)
                runs.append(run)
                x += width
        return runs, x

    def paragraph(self, parts: Iterable[Piece], width: float) -> tuple[list[Run], int, float]:
        """Pieces in rows of at most this width: the runs, the number of rows, and the width of the last one."""
        runs: list[Run] = []
        x, row, hanging = 0.0, 0, _HANGING * self.size
        for word in _words(parts):
            found, wide = self.line(word)
            if x and x + wide > width:
                x, row = hanging, row + 1
                if not "".join(piece.text for piece in word).strip():
                    continue
            runs += [run.moved(x, row * row_height(self.size)) for run in found]
            x += wide
        return runs, row + 1, x

    def _run(self, text: str, piece: Piece, slanted: bool, bold: bool, x: float) -> tuple[Run, float]:
        level = min(len(piece.scripts), len(_SHRINK) - 1)
        font, metrics = _font(self.size * _SHRINK[level], bold or piece.style == KEYWORD, slanted)
        y = 0.0
        for depth, sign in enumerate(piece.scripts):
            size = self.size * _SHRINK[min(depth, len(_SHRINK) - 1)]
            y += _DOWN * size if sign == "_" else -_UP * size
        width = _advance(text, font.pixelSize(), font.bold(), slanted)
        box = QRectF(x, y - metrics.ascent(), width, metrics.height())
        return Run(text, font, QPointF(x, y), box, piece.style, piece.symbol), width


def _split(piece: Piece) -> Iterable[tuple[str, bool]]:
    """Split into slanted and upright parts: only the letters of symbols are slanted, except names of sets."""
    text = piece.text.translate(_STAR) if piece.scripts else piece.text
    if not piece.symbol or not piece.style:
        return [(plain_letters(text), False)]
    words = {at for found in _WORD.finditer(text) for at in range(*found.span())}
    parts: list[tuple[str, bool]] = []
    for at, letter in enumerate(text):
        slanted = (
            (letter.isalpha() or letter in _PRIMES or bool(combining(letter)))
            and ord(letter) not in _SETS
            and at not in words
        )
        shown = f"{_HAIR}{letter}" if letter in _PRIMES else plain_letters(letter)
        if parts and parts[-1][1] == slanted:
            parts[-1] = (parts[-1][0] + shown, slanted)
        else:
            parts.append((shown, slanted))
    return parts


def _words(parts: Iterable[Piece]) -> list[list[Piece]]:
    """Pieces between spaces, and the spaces: lines break there, but not inside an index."""
    words: list[list[Piece]] = [[]]
    for piece in parts:
        if piece.scripts or " " not in piece.text or (piece.symbol and piece.style == SYMBOL):
            words[-1].append(piece)
            continue
        for at, text in enumerate(piece.text.split(" ")):
            if at:
                words += [[Piece(" ", style=piece.style)], []]
            if text:
                words[-1].append(Piece(text, "", piece.style, piece.symbol))
    return [word for word in words if word]
