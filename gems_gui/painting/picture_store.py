"""Many pictures in little space: lines of SVG that repeat are stored once, and so are the shapes in them.

A picture is a list of lines, a line a list of texts and shapes. A shape is a contour of a letter or a symbol, which is
the same wherever it is (:mod:`gems_gui.painting.svg_paths`). Does not import Qt.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

_SHAPE = re.compile(r'([lc][^"zm]*z)')
Line = str | list[str | int]
"""A line of SVG: a text, or texts and numbers of shapes in turns."""


class PictureStore:
    """Pictures, each with a number; equal ones have the same."""

    def __init__(self) -> None:
        self._shapes: dict[str, int] = {}
        self._lines: dict[bytes, int] = {}  # by their digests: the lines themselves would fill the memory
        self._pictures: dict[bytes, int] = {}
        self._new: dict[str, list[Any]] = {"shapes": [], "lines": [], "pictures": []}

    def add(self, svg: str) -> int:
        """The number of a picture."""
        lines = [self._line(line) for line in svg.split("\n")]
        key = _digest(" ".join(map(str, lines)))
        if key not in self._pictures:
            self._pictures[key] = len(self._pictures)
            self._new["pictures"].append(lines)
        return self._pictures[key]

    def take_new(self) -> dict[str, list[Any]]:
        """The shapes, lines and pictures since the last call, in the order of their numbers."""
        new, self._new = self._new, {"shapes": [], "lines": [], "pictures": []}
        return new

    def _line(self, line: str) -> int:
        key = _digest(line)
        if key not in self._lines:
            self._lines[key] = len(self._lines)
            self._new["lines"].append(self._parted(line))
        return self._lines[key]

    def _parted(self, line: str) -> Line:
        texts = _SHAPE.split(line) if line.startswith("<path ") else [line]
        if len(texts) == 1:
            return line
        return [self._shape(text) if at % 2 else text for at, text in enumerate(texts)]

    def _shape(self, data: str) -> int:
        if data not in self._shapes:
            self._shapes[data] = len(self._shapes)
            self._new["shapes"].append(data)
        return self._shapes[data]


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()
