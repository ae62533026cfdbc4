"""The page on which pseudo-code is painted: laid out once for a stack of calls, then only marks and values change."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetricsF,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QToolTip

from gems_engine.algorithms.pseudocode import Line, Listing
from gems_gui.help.markup import inline
from gems_gui.series.pseudocode import (
    CALLING,
    CURRENT,
    NOTE,
    PASSED,
    Piece,
    PseudocodeSeries,
    as_text,
    pieces,
    symbol_pieces,
    value_text,
)
from gems_gui.theme import Theme
from gems_gui.views.typesetting import Run, Setter, ascent, plain_letters, row_height

_SIZES = (24, 22, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10)  # pixels of letters before the scale of fonts
_LEAST = 12  # pixels after it
_VALUES = 0.36  # of the width, at most, is for values
_BELOW = 37.0  # sizes of letters: on a narrower page values are below their lines
_PAD = 0.45  # sizes of letters around what is called
_TIGHT = 46.0  # sizes of letters: on a narrower page what is called begins at the left
_SAMPLES = {
    "θ̂_k": "(−0.888, −0.888, …)",
    "θ̂": "(−0.888, −0.888, …)",
    "g(d)": "[8 888.8, 8 888.8]",
    "by": "rounding alone",
    "ended": "nothing to tell apart",
    "ω(z′, z)": "0.8888 … 0.8888",
    "ẑ_⋆": "arm 888",
    "samples": "8 888 888",
    "N_k": "888 888",
    "B": "88 888",
    "T": "88 888",
    "T′": "8 888.8",
    "T″": "8 888.8",
    "ι": "888.88",
    "g_k(d_k)": "8 888.8",
    "idle": "88 … 888",
}
"""Values as wide as they usually are, for the room beside a line."""
_SAMPLE, _SMALL = "8.888e−8", "88"
_WHY, _SHORT_WHY = "Why?", "?"
_REMEMBERED = 4
_WRAPPED = 0.34  # of the lines may go on in a second row for larger letters
_UNITS = "kℓijpdD"


@dataclass(frozen=True)
class Slot:
    """Room for a value."""

    symbol: str
    label: list[Run]
    x: float
    baseline: float
    width: float
    """Of label and value, up to the next one."""
    labelled: float
    """Width of the label."""


@dataclass(frozen=True)
class Row:
    """A line on the page."""

    depth: int
    line: Line
    box: QRectF
    runs: list[Run]
    slots: list[Slot]
    number: Run | None
    baseline: float


@dataclass
class Block:
    """A call on the page."""

    depth: int
    title: list[Run]
    box: QRectF
    guides: list[tuple[float, float, float]] = field(default_factory=list)
    """Vertical lines along what is in a loop: x, and from where to where."""


@dataclass
class Layout:
    """Where everything is."""

    size: float
    rows: list[Row] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    height: float = 0.0
    gutter: float = 0.0
    """At the right, where the line of the event has a link to «why»."""
    wrapped: int = 0
    """How many rows are there because lines go on in them."""
    pictures: dict[tuple[object, ...], QPixmap] = field(default_factory=dict)
    """Rows without their marks and values, painted once: letters take ten times as long as a picture of them."""


Chain = tuple[tuple[Listing, str], ...]
"""Listings on a stack, each with the line of the one before that calls it."""


def deepest(listing: Listing) -> list[Chain]:
    """Every stack of calls that a listing can have, as deep as it can be."""
    chains: list[Chain] = []
    for line in listing.lines:
        if line.calls is not None:
            chains += [((listing, ""), (rest[0][0], line.id), *rest[1:]) for rest in deepest(line.calls)]
    return chains or [((listing, ""),)]


class _Maker:
    """Lays out one stack at one size and width; folded, the outermost call is the line that calls the next one."""

    def __init__(self, chain: Chain, width: float, size: float, exporting: bool, folded: bool = False) -> None:
        self.chain, self.width, self.size, self.folded = chain, width, size, folded
        self.setter, self.layout = Setter(size), Layout(size)
        self.height, self.ascent = row_height(size), ascent(size)
        self._labels: dict[str, tuple[list[Run], float, float]] = {}
        self.below = width < _BELOW * size
        self.tight = folded or width < _TIGHT * size
        self.layout.gutter = (0.3 if exporting else 1.7 if self.below else 3.2) * size
        self.right = width - self.layout.gutter
        wanted = max((self._values_width(line) for listing, _ in chain for line in listing.lines), default=0.0)
        self.column = self.right if self.below else min(self.right - min(wanted, _VALUES * width), self._longest())
        self.layout.height = self._block(0, 0.0, 0.0) + 0.3 * size

    def _sample(self, symbol: str) -> str:
        small = symbol.startswith("|") or (symbol[0] in _UNITS and symbol not in ("j",) and "(" not in symbol)
        return _SAMPLES.get(symbol, _SMALL if small or symbol in ("n", "β", "eliminated") else _SAMPLE)

    def _slot_width(self, symbol: str) -> tuple[list[Run], float, float]:
        if symbol not in self._labels:
            parts = symbol_pieces(symbol)
            label, wide = self.setter.line((*parts, Piece(" = " if parts[0].style else ": ", style=NOTE)))
            value = self.setter.line((Piece(self._sample(symbol)),), bold=True)[1]  # as on the line of the event
            self._labels[symbol] = label, wide, wide + value + 0.9 * self.size
        return self._labels[symbol]

    def _values_width(self, line: Line) -> float:
        return sum(self._slot_width(symbol)[2] for symbol in line.shows)

    def _longest(self) -> float:
        """Where the longest line with values ends, and a little further: values are not far from their lines."""
        left, end = 0.0, 0.0
        for depth, (listing, _) in enumerate(self.chain):
            for line in listing.lines:
                if line.shows:
                    end = max(end, self._text_x(left, line) + self.setter.line(pieces(line.text, listing))[1])
            if depth + 1 < len(self.chain):
                left = self._called_x(left, listing[self.chain[depth + 1][1]]) + _PAD * self.size
        return end + 2.0 * self.size

    def _called_x(self, left: float, line: Line) -> float:
        """Where what a line calls begins."""
        return left + 0.7 * self.size if self.tight else self._text_x(left, line) - 0.2 * self.size

    def _block(self, depth: int, x: float, y: float) -> float:
        """Lay out a call and what it calls; where it ends."""
        size, listing = self.size, self.chain[depth][0]
        pad = _PAD * size if depth else 0.0
        block = Block(depth, [], QRectF())
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
        room = (self.column - 0.8 * size if line.shows and not self.below else self.right) - x
        runs, rows, last = self.setter.paragraph(pieces(line.text, listing), max(room, 6 * size))
        self.layout.wrapped += rows - 1
        slots, value_rows = self._slots(line, x, rows, last)
        rows = max(rows, value_rows)
        top = y + 0.06 * size
        number = listing.number_of(line.id)
        mark = str(number) if number else "+" if line.ours else ""
        marks, wide = self.setter.line((Piece(mark, style=NOTE),)) if mark else ([], 0.0)
        base = top + self.ascent
        self.layout.rows.append(
            Row(
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

    def _slots(self, line: Line, x: float, rows: int, last: float) -> tuple[list[Slot], int]:
        """Room for the values of a line, in a column at its right or below it, and how many rows that takes."""
        if not line.shows:
            return [], 0
        left = x + self.size if self.below else self.column
        at, row = (x + last + self.size, rows - 1) if self.below else (left, 0)
        slots = []
        for symbol in line.shows:
            label, labelled, wide = self._slot_width(symbol)
            if at > left and at + wide - 0.9 * self.size > self.right:
                at, row = left, row + 1
            slots.append(Slot(symbol, label, at, row * self.height, wide - 0.5 * self.size, labelled))
            at += wide
        return slots, row + 1


def _title(name: str) -> tuple[Piece, ...]:
    """A name of a listing, whose indices are indices too."""
    before, sign, after = name.partition("_")
    return (Piece(before), Piece(after, "_")) if sign else (Piece(name),)


class Page(QAbstractScrollArea):
    """Pseudo-code with the line of the event, the lines that called it, and values.

    Up and Down move a frame over the lines, Return goes to the next event of one, Shift+Return to the previous one,
    Space asks why.
    """

    asked = Signal(str, str, bool)
    """Go to the next event of a line, or to the previous one: the listing, the line, whether forward."""
    why_asked = Signal()
    """Say why the step at the cursor happened."""

    def __init__(self, exporting: bool) -> None:
        super().__init__()
        self._exporting = exporting
        self.series = PseudocodeSeries(())
        self.layout_now = Layout(1.0)
        self._layouts: dict[tuple[object, ...], Layout] = {}
        """The last ones: a strategy that calls and goes on needs two of them in turn."""
        self._theme: Theme | None = None
        self._chain: Chain = ()
        self._key: tuple[object, ...] = ()
        self._fits: dict[tuple[object, ...], tuple[float, bool]] = {}
        self.folds = True
        self._hovered: tuple[int, str] | None = None
        self._picked: tuple[int, str] | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setStyleSheet("QAbstractScrollArea { background: transparent; }")
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(not exporting)
        self.setAccessibleName("Pseudo-code")

    # -- what is shown ------------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        self._theme = theme
        self._key = ()
        self._layouts.clear()
        self._lay_out()

    def show_series(self, series: PseudocodeSeries) -> None:
        """Show a moment; where the calls are the same, only marks and values change."""
        self.series = series
        self._lay_out()
        self._follow()
        self.viewport().update()

    def reset(self) -> None:
        """Forget where it was scrolled to."""
        self.verticalScrollBar().setValue(0)

    def _lay_out(self) -> None:
        theme, width = self._theme, self.viewport().width()
        chain: Chain = tuple((frame.listing, frame.caller) for frame in self.series.stack)
        names = tuple((id(listing), caller) for listing, caller in chain)
        current = self.series.current
        inner = current is not None and current[0] > 0
        key = (names, inner, self.folds, width, self.viewport().height(), theme.font_scale if theme else 1.0)
        if theme is None or not chain or key == self._key:
            if not chain:
                self.layout_now, self._key = Layout(1.0), ()
                self.verticalScrollBar().setRange(0, 0)
            return
        self._key, self._chain = key, chain
        bar, room = self.verticalScrollBar(), self.viewport().height()
        size, folded = self._size(chain[0][0], theme)
        if key not in self._layouts:
            made = _Maker(chain, width, size, self._exporting).layout
            if folded and inner and made.height > room:
                made = _Maker(chain, width, size, self._exporting, folded=True).layout
            self._layouts = dict([*self._layouts.items(), (key, made)][-_REMEMBERED:])
        self.layout_now = self._layouts[key]
        bar.setRange(0, max(0, round(self.layout_now.height) - room))
        bar.setPageStep(room)
        bar.setSingleStep(round(row_height(size)))

    def _size(self, listing: Listing, theme: Theme) -> tuple[float, bool]:
        """The largest letters with which even the deepest stack has room, and whether it is folded.

        It is where a strategy has no room with the smallest letters, unless that is not wanted. All of this depends on
        no moment, so that nothing changes its size during a run.
        """
        room = self.maximumViewportSize()
        key = (id(listing), room.width(), room.height(), theme.font_scale, self.folds)
        if key not in self._fits:
            chains = deepest(listing)
            sizes = [size for each in _SIZES if (size := theme.pixels(each)) >= _LEAST]

            def fits(size: float, folded: bool) -> bool:
                for chain in chains:
                    made = _Maker(chain, room.width(), size, self._exporting, folded).layout
                    if made.height > room.height() or (size > sizes[-1] and made.wrapped > _WRAPPED * len(made.rows)):
                        return False
                return True

            low, high = 0, len(sizes) - 1
            nested = self.folds and max(map(len, chains)) > 2
            smallest = fits(sizes[high], False)
            folded = nested and not smallest
            while low < high and (smallest or folded):
                middle = (low + high) // 2
                low, high = (low, middle) if fits(sizes[middle], folded) else (middle + 1, high)
            self._fits = {key: (float(sizes[high]), folded)}
        return self._fits[key]

    def _follow(self) -> None:
        """Have the line of the event in sight, with some of what is around it."""
        current = self.series.current
        row = self.row_of(current[0], current[1].id) if current is not None else None
        if row is None:
            return
        bar, around = self.verticalScrollBar(), 2 * row_height(self.layout_now.size)
        top, bottom, room = row.box.top() - around, row.box.bottom() + around, self.viewport().height()
        if top < bar.value():
            bar.setValue(max(0, round(top)))
        elif bottom > bar.value() + room:
            bar.setValue(round(bottom) - room)

    def row_of(self, depth: int, line: str) -> Row | None:
        """Where a line is on the page."""
        return next((row for row in self.layout_now.rows if (row.depth, row.line.id) == (depth, line)), None)

    def visible_box(self, row: Row) -> QRectF:
        """Where a row is in sight."""
        return row.box.translated(0, -self.verticalScrollBar().value())

    # -- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Blocks, marks, lines, values."""
        theme = self._theme
        if theme is None:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(0, -self.verticalScrollBar().value())
        seen = QRectF(event.rect()).translated(0, self.verticalScrollBar().value())
        for block in self.layout_now.blocks:
            self._paint_block(painter, theme, block)
        for row in self.layout_now.rows:
            if row.box.intersects(seen):
                self._paint_row(painter, theme, row)
        painter.end()

    def _runs(self, depth: int) -> bool:
        return bool(self.series.stack[depth].line) or not any(frame.line for frame in self.series.stack)

    def _paint_block(self, painter: QPainter, theme: Theme, block: Block) -> None:
        if block.depth:
            painter.setPen(QPen(theme.color("line"), theme.stroke(1)))
            painter.setBrush(theme.color("window") if block.depth % 2 else theme.color("card"))
            painter.drawRoundedRect(block.box, 5, 5)
        painter.setPen(QPen(theme.color("line"), theme.stroke(1)))
        for x, start, end in block.guides:
            painter.drawLine(QPointF(x, start), QPointF(x, end))
        for run in block.title:
            color = theme.color("dim") if run.style == NOTE else theme.color("text")
            self._draw(painter, run, color)

    def _paint_row(self, painter: QPainter, theme: Theme, row: Row) -> None:
        part = self.series.part_of(row.depth, row.line.id)
        box, bar = row.box, theme.stroke(3)
        painter.setPen(Qt.PenStyle.NoPen)
        strong = 72 if theme.dark else 48
        fills = {CURRENT: theme.color("surviving", strong), CALLING: theme.color("surviving", strong // 3)}
        if part in fills:
            painter.setBrush(fills[part])
            painter.drawRoundedRect(box, 4, 4)
        elif self._hovered == (row.depth, row.line.id):
            painter.setBrush(theme.color("text", 14))
            painter.drawRoundedRect(box, 4, 4)
        if part:
            painter.setBrush(theme.color("surviving", {CURRENT: 255, CALLING: 140, PASSED: 90}[part]))
            painter.drawRoundedRect(QRectF(box.left(), box.top() + 1, bar, box.height() - 2), 1, 1)
        if self.hasFocus() and self._picked == (row.depth, row.line.id):
            painter.setPen(QPen(theme.color("surviving"), theme.stroke(1)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        self._paint_letters(painter, theme, row, part)
        self._paint_values(painter, theme, row, part)
        if part == CURRENT and not self._exporting:
            painter.setPen(theme.color("surviving"))
            font = theme.font(min(13.0, self.layout_now.size / theme.font_scale))
            font.setUnderline(True)
            painter.setFont(font)
            text = _WHY if self.layout_now.gutter > 2 * self.layout_now.size else _SHORT_WHY
            painter.drawText(self._why_box(row), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_letters(self, painter: QPainter, theme: Theme, row: Row, part: str) -> None:
        """A line, its number and the labels of its values: on a screen from a picture."""
        values = self.series.stack[row.depth].values
        role = "text" if part == CURRENT or (self._runs(row.depth) and not row.line.ours) else "dim"
        labels = tuple(slot.symbol for slot in row.slots if (row.line.id, slot.symbol) in values)
        if self._exporting:
            self._draw_letters(painter, theme, row, role, part == CURRENT, labels)
            return
        ratio, around = self.devicePixelRatioF(), self.layout_now.size
        key = (row.depth, row.line.id, role, part == CURRENT, labels, ratio)
        if key not in self.layout_now.pictures:
            picture = QPixmap((row.box.size() * ratio).toSize() + QSize(2, round(2 * around * ratio)))
            picture.setDevicePixelRatio(ratio)
            picture.fill(Qt.GlobalColor.transparent)
            own = QPainter(picture)
            own.setRenderHint(QPainter.RenderHint.Antialiasing)
            own.translate(-row.box.left(), around - row.box.top())
            self._draw_letters(own, theme, row, role, part == CURRENT, labels)
            own.end()
            self.layout_now.pictures[key] = picture
        painter.drawPixmap(row.box.topLeft() - QPointF(0, self.layout_now.size), self.layout_now.pictures[key])

    def _draw_letters(
        self, painter: QPainter, theme: Theme, row: Row, role: str, current: bool, labels: tuple[str, ...]
    ) -> None:
        if row.number is not None:
            self._draw(painter, row.number, theme.color("surviving" if current else "dim"))
        for run in row.runs:
            self._draw(painter, run, theme.color("dim" if run.style == NOTE else role))
        for slot in row.slots:
            for run in slot.label if slot.symbol in labels else ():
                self._draw(painter, run, theme.color("dim"))

    def _why_box(self, row: Row) -> QRectF:
        size, gutter = self.layout_now.size, self.layout_now.gutter
        return QRectF(row.box.right() - gutter, row.box.top(), gutter - 0.3 * size, row_height(size))

    def _paint_values(self, painter: QPainter, theme: Theme, row: Row, part: str) -> None:
        values = self.series.stack[row.depth].values
        runs = self._runs(row.depth)
        for slot in row.slots:
            value = values.get((row.line.id, slot.symbol))
            if value is None:
                continue
            font = theme.font()
            font.setPixelSize(max(1, round(self.layout_now.size)))
            font.setBold(part == CURRENT)
            text = value_text(value)
            if slot.labelled and (room := slot.width - slot.labelled) > 0:
                room = max(room, self._room(row, slot))
                text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.setFont(font)
            painter.setPen(theme.color("surviving" if part == CURRENT else "text" if runs else "dim"))
            painter.drawText(QPointF(slot.x + slot.labelled, slot.baseline), text)

    def _room(self, row: Row, slot: Slot) -> float:
        """For a value: up to the next one that is shown in its row, or to the end of the row."""
        values = self.series.stack[row.depth].values
        after = [
            each.x
            for each in row.slots
            if each.baseline == slot.baseline and each.x > slot.x and (row.line.id, each.symbol) in values
        ]
        right = row.box.right() - self.layout_now.gutter - 0.2 * self.layout_now.size
        return min(after, default=right) - slot.x - slot.labelled

    @staticmethod
    def _draw(painter: QPainter, run: Run, color: QColor) -> None:
        painter.setFont(run.font)
        painter.setPen(color)
        painter.drawText(run.at, run.text)

    # -- mouse --------------------------------------------------------------------------------------------------

    def _at(self, point: QPoint | QPointF) -> QPointF:
        return QPointF(point) + QPointF(0, self.verticalScrollBar().value())

    def row_at(self, point: QPoint | QPointF) -> Row | None:
        """The line under a point of the viewport."""
        at = self._at(point)
        return next((row for row in self.layout_now.rows if row.box.contains(at)), None)

    def symbol_at(self, point: QPoint | QPointF) -> tuple[Listing, str] | None:
        """The symbol under a point of the viewport, and the listing that it is in."""
        row, at = self.row_at(point), self._at(point)
        if row is None:
            return None
        listing = self.series.stack[row.depth].listing
        for run in (*row.runs, *(run for slot in row.slots for run in slot.label)):
            if run.symbol and run.box.contains(at):
                return listing, run.symbol
        return None

    def explained(self, point: QPoint | QPointF) -> str:
        """What a tool tip says there, as rich text: a symbol's definition and value, else what a click does."""
        row, found = self.row_at(point), self.symbol_at(point)
        if row is None:
            return ""
        is_current = self.series.part_of(row.depth, row.line.id) == CURRENT
        if is_current and self._why_box(row).contains(self._at(point)):
            return "<p>Say why the step at the cursor happened (W).</p>"
        if found is not None:
            listing, name = found
            words = plain_letters(f"**{name}**: {listing.symbol(name).means}.")
            value = self.series.stack[row.depth].values.get((row.line.id, name))
            now = f"<br>Now: {escape(value_text(value))}" if value is not None else ""
            return f"<p>{inline(words)}{now}</p>"
        return f"<p>{_what_a_click_does(row)}</p>"

    def viewportEvent(self, event: QEvent) -> bool:
        """Explain the symbol under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.explained(event.pos()), self.viewport())
            return True
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show what a click would do."""
        row = self.row_at(event.position())
        self._hover(None if row is None else (row.depth, row.line.id))
        super().mouseMoveEvent(event)

    def _hover(self, what: tuple[int, str] | None) -> None:
        if what != self._hovered:
            self._hovered = what
            shape = Qt.CursorShape.ArrowCursor if what is None else Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(shape)
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the next event of a line, with Shift to the previous one; or ask why."""
        row = self.row_at(event.position())
        if row is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._picked = (row.depth, row.line.id)
        is_current = self.series.part_of(row.depth, row.line.id) == CURRENT
        if is_current and self._why_box(row).contains(self._at(event.position())):
            self.why_asked.emit()
        else:
            self._ask(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """What can be asked of a line."""
        row = self.row_at(event.pos())
        if row is not None:
            self._picked = (row.depth, row.line.id)
            self.menu(row).popup(event.globalPos())

    def menu(self, row: Row) -> QMenu:
        """What can be asked of a line."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, tip, ask in (
            ("Next event of this line", "Go on until this line is reached", lambda: self._ask(True)),
            ("Previous event of this line", "Go back to where this line was reached", lambda: self._ask(False)),
            ("Why this step", "Say why the step at the cursor happened", self.why_asked.emit),
            ("Copy as text", "Copy all lines with their values", self.copy),
        ):
            action = menu.addAction(text)
            action.setStatusTip(tip)
            action.triggered.connect(ask)
        return menu

    # -- keys ---------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Keep the keys that mean something here from becoming shortcuts."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._means(event):
            event.accept()
            return True
        return super().event(event)

    def _means(self, event: QKeyEvent) -> bool:
        plain = not event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier)
        shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.matches(QKeySequence.StandardKey.Copy):
            return True
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return plain
        return plain and not shifted and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_W)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move over lines, go to events, ask why, copy."""
        if not self._means(event) or not self.layout_now.rows:
            super().keyPressEvent(event)
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() == Qt.Key.Key_W:
            self.why_asked.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._ask(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        else:
            self._move(1 if event.key() == Qt.Key.Key_Down else -1)

    def _move(self, by: int) -> None:
        """Pick the next line, from the current one on."""
        rows = [(row.depth, row.line.id) for row in self.layout_now.rows]
        current = self.series.current
        now = self.picked or (None if current is None else (current[0], current[1].id))
        at = rows.index(now) + by if now in rows else 0 if by > 0 else len(rows) - 1
        self._picked = rows[min(max(at, 0), len(rows) - 1)]
        row = self.row_of(*self._picked)
        if row is not None:
            box, bar = row.box, self.verticalScrollBar()
            bar.setValue(round(min(max(bar.value(), box.bottom() - self.viewport().height()), box.top())))
        self.viewport().update()

    @property
    def picked(self) -> tuple[int, str] | None:
        """The line that keys have picked, while it is on the page."""
        return self._picked if self._picked and self.row_of(*self._picked) is not None else None

    def _ask(self, forward: bool) -> None:
        current = self.series.current
        picked = self.picked or (None if current is None else (current[0], current[1].id))
        if picked is not None:
            self.asked.emit(self.series.stack[picked[0]].listing.name, picked[1], forward)

    def copy(self) -> None:
        """Put all lines with their values into the clipboard."""
        QGuiApplication.clipboard().setText(as_text(self.series))

    # -- room ---------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Other room, other lines."""
        super().resizeEvent(event)
        self._lay_out()
        self._follow()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Paint what is in sight now."""
        self.viewport().update()


def _what_a_click_does(row: Row) -> str:
    ours = " The paper has no such line: docs/decisions.md says why we have it." if row.line.ours else ""
    return f"Click to go to the next event of this line, Shift+click to the previous one.{ours}"
