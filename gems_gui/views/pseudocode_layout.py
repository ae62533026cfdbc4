"""The layout of a page of pseudo-code: lines, the calls below them, and slots for values."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPixmap

from gems_engine.algorithms.pseudocode import Line, Listing
from gems_gui.series.pseudocode import NOTE, Piece, pieces, symbol_pieces
from gems_gui.views.typesetting import Run, Setter, ascent, row_height

_NARROW = 37.0  # font sizes: on a narrower page, the link to "why" is a symbol
_BEHIND = 1.5  # font sizes between a line and its values
_PAD = 0.45  # font sizes around a called listing
_TIGHT = 46.0  # font sizes: on a narrower page, called listings are not indented
_SAMPLES = {
    "θ̂_k": "(−0.888, …, −0.888)",
    "θ̂": "(−0.888, …, −0.888)",
    "g(d)": "[8 888.8, 8 888.8]",
    "by": "rounding alone",
    "ended": "nothing to tell apart",
    "ω(z′, z)": "0.8888 … 0.8888",
    "ẑ_⋆": "target 888",
    "ẑ_{ij}": "target 888",
    "ẑ_i": "target 888",
    "r_{D̃}(ζ)": "8 888",
    "r_{D̃+1}(ζ)": "8 888",
    "δ": "0.008888",
    "δ_k": "0.008888",
    "samples": "8 888 888",
    "N_k": "8 888 888",
    "B": "8 888 888",
    "T": "8 888 888",
    "T′": "8 888.8",
    "T″": "8 888.8",
    "ι": "0.008888",
    "g_k(d_k)": "8 888.8",
    "idle": "88 … 88",
    "ζ": "0.88",
}
"""Typical values, which determine the width of the slots next to a line."""
_SAMPLE, _COUNT, _SMALL = "8.888e−8", "8 888", "88"
_UNITS = "kℓijpdD"


@dataclass(frozen=True)
class Slot:
    """A slot for a value."""

    symbol: str
    label: list[Run]
    x: float
    baseline: float
    width: float
    """Width of label and value, up to the next slot."""
    labelled: float
    """Width of the label."""


@dataclass(frozen=True)
class PageRow:
    """A line on the page."""

    depth: int
    line: Line
    box: QRectF
    runs: list[Run]
    slots: list[Slot]
    number: Run | None
    baseline: float


@dataclass
class TextBlock:
    """A call on the page."""

    depth: int
    title: list[Run]
    box: QRectF
    guides: list[tuple[float, float, float]] = field(default_factory=list)
    """Vertical lines along loops: x, start and end."""


@dataclass
class PageLayout:
    """The layout of a page."""

    size: float
    rows: list[PageRow] = field(default_factory=list)
    blocks: list[TextBlock] = field(default_factory=list)
    height: float = 0.0
    gutter: float = 0.0
    """Right end of the link to "why" on the current line."""
    wrapped: int = 0
    """Number of extra rows due to line wrapping."""
    pictures: dict[tuple[object, ...], QPixmap] = field(default_factory=dict)
    """Images of the rows without marks and values: drawing text takes ten times as long as drawing an image."""


Chain = tuple[tuple[Listing, str], ...]
"""Listings on a stack, each with the line of the previous one that calls it."""


def deepest(listing: Listing) -> list[Chain]:
    """Every maximal call stack of a listing."""
    chains: list[Chain] = []
    for line in listing.lines:
        if line.calls is not None:
            chains += [((listing, ""), (rest[0][0], line.id), *rest[1:]) for rest in deepest(line.calls)]
    return chains or [((listing, ""),)]


class Maker:
    """Lays out one stack at one size and width; if folded, the outermost call is reduced to the calling line."""

    def __init__(self, chain: Chain, width: float, size: float, exporting: bool, folded: bool = False) -> None:
        self.chain, self.width, self.size, self.folded = chain, width, size, folded
        self.setter, self.layout = Setter(size), PageLayout(size)
        self.height, self.ascent = row_height(size), ascent(size)
        self._labels: dict[str, tuple[list[Run], float, float]] = {}
        self.tight = folded or width < _TIGHT * size
        self.layout.gutter = (0.3 if exporting else 1.7 if width < _NARROW * size else 3.2) * size
        self.right = width - self.layout.gutter
        self.layout.height = self._block(0, 0.0, 0.0) + 0.3 * size

    def _sample(self, symbol: str) -> str:
        count = symbol.startswith("|") or symbol in ("n", "eliminated")
        small = symbol == "β" or (symbol[0] in _UNITS and symbol not in ("j",) and "(" not in symbol)
        return _SAMPLES.get(symbol, _COUNT if count else _SMALL if small else _SAMPLE)

    def _slot_width(self, symbol: str) -> tuple[list[Run], float, float]:
        if symbol not in self._labels:
            parts = symbol_pieces(symbol)
            label, wide = self.setter.line((*parts, Piece(" = " if parts[0].style else ": ", style=NOTE)))
            value = self.setter.line((Piece(self._sample(symbol)),), bold=True)[1]  # as on the current line
            self._labels[symbol] = label, wide, wide + value + 0.9 * self.size
        return self._labels[symbol]

    def _called_x(self, left: float, line: Line) -> float:
        """The x position of a listing called by a line."""
        return left + 0.7 * self.size if self.tight else self._text_x(left, line) - 0.2 * self.size

    def _block(self, depth: int, x: float, y: float) -> float:
        """Lay out a call and the calls in it; returns where it ends."""
        size, listing = self.size, self.chain[depth][0]
        pad = _PAD * size if depth else 0.0
        block = TextBlock(depth, [], QRectF())
        self.layout.blocks.append(block)
        top, y = y, y + pad
        left = x + pad
        name, wide = self.setter.line(_title(listing.name), bold=True)
        block.title = [run.moved(left + 0.45 * size, y + self.ascent) for run in name]
        block.title += self._elided(listing.title, left + 1.1 * size + wide, y + self.ascent)
        y += self.height
        spans: dict[int, tuple[float, float]] = {}
        only = self.chain[1][1] if self.folded and depth == 0 and len(self.chain) > 1 else ""
        for line in [listing[only]] if only else listing.lines:
            begun = y
            y = self._row(depth, line, left, y)
            if depth + 1 < len(self.chain) and self.chain[depth + 1][1] == line.id:
                y = self._block(depth + 1, self._called_x(left, line), y + 0.15 * size) + 0.3 * size
            for level in range(1, line.indent + 1):
                spans[level] = (spans.get(level, (begun, 0.0))[0], y)
        for level, (start, end) in spans.items():
            block.guides.append((left + 2.45 * size + (level - 1) * 1.5 * size, start, end))
        y += pad
        block.box = QRectF(x, top, self.width - x - 0.2 * size * depth, y - top)
        return y

    def _elided(self, text: str, x: float, y: float) -> list[Run]:
        runs, wide = self.setter.line((Piece(text, style=NOTE),))
        if x + wide > self.width - self.size and runs:
            metrics = QFontMetricsF(runs[0].font)
            short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, self.width - self.size - x))
            runs = self.setter.line((Piece(short if len(short) > 3 else "", style=NOTE),))[0]
        return [run.moved(x, y) for run in runs]

    def _text_x(self, left: float, line: Line) -> float:
        return left + (2.2 + 1.5 * line.indent) * self.size

    def _row(self, depth: int, line: Line, left: float, y: float) -> float:
        size, listing, x = self.size, self.chain[depth][0], self._text_x(left, line)
        runs, rows, last = self.setter.paragraph(pieces(line.text, listing), max(self.right - x, 6 * size))
        self.layout.wrapped += rows - 1
        slots, value_rows = self._slots(line, x, rows, last, self.right - 0.2 * size * (depth + 1))
        rows = max(rows, value_rows)
        top = y + 0.06 * size
        number = listing.number_of(line.id)
        mark = str(number) if number else "+" if line.ours else ""
        marks, wide = self.setter.line((Piece(mark, style=NOTE),)) if mark else ([], 0.0)
        base = top + self.ascent
        self.layout.rows.append(
            PageRow(
                depth,
                line,
                QRectF(left, y, self.width - left - 0.2 * size * depth, rows * self.height),
                [run.moved(x, base) for run in runs],
                [
                    Slot(
                        s.symbol,
                        [r.moved(s.x, base + s.baseline) for r in s.label],
                        s.x,
                        base + s.baseline,
                        s.width,
                        s.labelled,
                    )
                    for s in slots
                ],
                marks[0].moved(left + 1.8 * size - wide, base) if marks else None,
                base,
            )
        )
        return y + rows * self.height

    def _slots(self, line: Line, x: float, rows: int, last: float, right: float) -> tuple[list[Slot], int]:
        """Slots for the values of a line, after its text or below it up to the right end, and the number of rows."""
        if not line.shows:
            return [], 0
        left = x + self.size
        at, row = x + last + _BEHIND * self.size, rows - 1
        slots = []
        for symbol in line.shows:
            label, labelled, wide = self._slot_width(symbol)
            if at > left and at + wide - 0.9 * self.size > right:
                at, row = left, row + 1
            slots.append(Slot(symbol, label, at, row * self.height, wide - 0.5 * self.size, labelled))
            at += wide
        return slots, row + 1


def _title(name: str) -> tuple[Piece, ...]:
    """The name of a listing, with its indices."""
    before, sign, after = name.partition("_")
    return (Piece(before), Piece(after, "_")) if sign else (Piece(name),)
