"""An axis with readable numbers that is cheap to redraw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from gems_engine.terminal import PLAIN_FROM, number, superscript
from gems_gui.views.spacing import readable, spread_out

Levels = list[tuple[float, list[float]]]
Stroke = tuple[QPen, QPointF, QPointF]
Specs = tuple[Stroke, list[Stroke], list[tuple[QRectF, Qt.AlignmentFlag, str]]]
Drawing = tuple[Sequence[tuple[QPen, list[QLineF]]], Sequence[tuple[QPointF, str, QColor | None]]]


class Level(NamedTuple):
    """A value with its own name and colour.

    Attributes
    ----------
    exact
        Whether the name belongs to this very value: then a line leads to it where the name is not next to it.
    """

    value: float
    words: str
    color: str
    exact: bool = True


_TWO = math.log10(2.0)
_LARGEST_POWER = 300  # of ten: doubles end soon after it
_APART = 6  # pixels between two names
_BORDER = 2.0  # pixels by which the line of an axis is longer than the box
_NUMBER = 0.8  # height of a number relative to a line: digits have no descenders
_MOST_SIZES = 2000  # texts whose sizes are cached
_BEYOND = 0.25  # of a name: by how much the middles of names may be beyond the rows
_LEADER = 0.7  # of a line: the width of the lines that lead from names to values
_CLOSE = 0.6  # of the usual distance between powers of ten, where that would leave one number
_AT_END = 0.5  # pixels between a tick and the end of its axis
_AROUND_LABEL = 4.4  # pixels of the rectangle of a label that numbers may cover
_LEAST_WIDTH, _LEAST_HEIGHT = 30, 18  # initial pixels for numbers, as in pyqtgraph
_INWARDS = {"left": (0, 0, 1, 0), "right": (1, 0, 0, 0), "top": (0, 0, 0, 1), "bottom": (0, 1, 0, 0)}
"""The edges of an axis, clockwise from the left, beyond which its ticks lie."""
_ALIGN = {
    "left": Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
    "right": Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    "top": Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom,
    "bottom": Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop,
}


class NumberAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis whose numbers have thin spaces for thousands; optionally, only whole numbers."""

    def __init__(self, orientation: str, whole: bool = False) -> None:
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)
        self.whole = whole
        self.tick_labels: Sequence[tuple[float, str]] | None = None  # set by :meth:`set_tick_labels`
        """Names at positions, in order; those that do not fit are omitted."""
        self.lowest, self.highest = -math.inf, math.inf
        """Range of the scale; there are no numbers beyond it, only space for marks."""
        self.steady = False
        """Whether the space for numbers depends on the current ones only: for pictures."""
        self.resized = False
        """Whether the next numbers determine the space alone: those before them had another size or font."""
        self.levels: dict[object, tuple[Level, ...]] = {}
        """Values with their own names, by owner."""
        self.silent = False
        """Whether only the line is drawn, because the plot is empty."""
        self.picture: Drawing | None = None
        self._sizes: dict[str, tuple[float, float]] = {}
        self.setStyle(tickLength=-4, hideOverlappingLabels=True, autoExpandTextSpace=True, autoReduceTextSpace=False)

    def set_tick_labels(self, labels: Sequence[tuple[float, str]] | None) -> None:
        """Name positions; the axis is redrawn only if they have changed."""
        if labels != self.tick_labels:
            self.tick_labels = labels
            self.picture = None
            self.update()

    def name_levels(self, owner: object, *levels: Level) -> None:
        """Show names instead of numbers at values of a vertical axis; they replace the previous ones of this owner."""
        if levels != self.levels.get(owner, ()):
            self.levels[owner] = levels
            self.picture = None
            self.update()

    @property
    def most_levels(self) -> int:
        """How many names of values fit below each other."""
        low, high = self._span(self.mapRectFromParent(self.geometry()))
        return max(0, math.floor((high - low) / self.name_line) + 1)

    def clear_names(self) -> None:
        """Remove all names of positions and values; an axis with numbers keeps them."""
        if self.tick_labels:
            self.set_tick_labels([])
        for owner in self.levels:
            self.name_levels(owner)

    def set_log(self, log: bool) -> None:
        """Set whether the axis is logarithmic."""
        if bool(self.logMode) != log:
            self.setLogMode(log)

    def hide_labels(self, silent: bool) -> None:
        """Hide ticks, numbers and the label but keep their space, or show them again."""
        if silent != self.silent:
            self.silent = silent
            self.label.setOpacity(0.0 if silent else 1.0)
            self.picture = None
            self.update()

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Tick positions by level; on a whole axis, none between two whole numbers."""
        if self.silent:
            return []
        if self.tick_labels is not None:
            return [(0.0, self.shown_labels(min(low, high), max(low, high), size - _BORDER))]  # reversed axes
        if self.logMode:
            return self._log_ticks(min(low, high), max(low, high), size)
        levels = self._linear_ticks(min(low, high), max(low, high), size)
        if self.whole:
            levels = [(spacing, values) for spacing, values in levels if spacing >= 1 or spacing == 0]
            if not levels:
                levels = [(1.0, [float(value) for value in range(math.ceil(low), math.floor(high) + 1)])]
        slack = 1e-9 * abs(high - low)
        begin, end = self.lowest - slack, self.highest + slack
        return [(spacing, [float(value) for value in values if begin <= value <= end]) for spacing, values in levels]

    def _linear_ticks(self, low: float, high: float, size: float) -> Levels:
        """Multiples of every spacing, each number at the coarsest level that contains it."""
        levels: Levels = []
        seen: set[int] = set()
        spacings = self.tickSpacing(low, high, size)
        near = 0.02 * spacings[-1][0]  # all spacings are multiples of this, so that equal numbers have equal keys
        for spacing, offset in spacings:
            start = math.ceil((low - offset) / spacing) * spacing + offset
            every = [start + step * spacing for step in range(int((high - start) / spacing) + 1)]
            keys = [round(value / near) for value in every]
            levels.append((spacing, [value for value, key in zip(every, keys, strict=True) if key not in seen]))
            seen.update(keys)
        return levels

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        """Tick spacings, large enough that numbers do not touch (horizontally: whole numbers)."""
        levels: list[tuple[float, float]] = super().tickSpacing(low, high, size)
        flat = self.orientation in ("bottom", "top")
        least = (self._widest(low, high) if flat else self._line()) * abs(high - low) / max(size, 1.0)
        if (flat and not self.whole) or not 0 < least < math.inf:
            return levels
        ten = 10.0 ** math.floor(math.log10(least))
        coarse = next(step * ten for step in (1, 2, 5, 10) if step * ten >= least)
        return [level for level in levels if level[0] >= least] or [(coarse, 0.0)]

    def _log_ticks(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """1, 2 and 5 times every power of ten where they fit, else powers of ten; with minor ticks without numbers."""
        decade = size / (high - low) if high > low else 0.0
        need = self._line() * (1.0 if self.orientation in ("left", "right") else 4.0)
        first, last = math.floor(low), math.ceil(high)
        begin, end = max(low, self.lowest - 1e-9), min(high, self.highest + 1e-9)
        fine = _TWO * decade >= 1.3 * need and last - first <= 20 and max(-first, last) <= _LARGEST_POWER
        step = next((step for step in (1, 2, 3, 5, 10, 20, 50) if step * decade >= need), 100)
        if self.orientation in ("bottom", "top") and step > max(1.0, (end - begin) / 2):  # perhaps just one number
            close = _CLOSE * need
            step = next((fine for fine in (1, 2, 3, 5, 10, 20, 50) if fine * decade >= close), step)
        powers = [float(power) for power in range(first - first % step, last + 1, step)]
        named = [power + each for power in range(first, last + 1) for each in (0.0, _TWO, 1 - _TWO)] if fine else powers
        between = (
            [power + math.log10(each) for power in range(first, last) for each in range(2, 10)] if step == 1 else []
        )
        shown = {value for value in named if begin <= value <= end}
        if self.lowest == self.highest:
            shown, fine = {self.lowest}, True
        if len(shown) < 2 and begin < end:
            plain = self._plain_ticks(begin, min(high, self.highest), 1.3 * need / max(decade, 1e-9))
            shown, fine = (plain, True) if len(plain) > 1 else (shown, fine)
        marks = {value for value in between if begin <= value <= end} - shown
        return [(_TWO if fine else float(step), sorted(shown)), (0.0, sorted(marks))]

    @staticmethod
    def _plain_ticks(begin: float, end: float, apart: float) -> set[float]:
        """Multiples of one spacing, for a range too short for two of 1, 2 and 5: as many as fit."""
        if not -_LARGEST_POWER < begin < end < _LARGEST_POWER:
            return set()
        low, high = 10**begin, 10**end
        if high - low < 1e-3 * high:  # the numbers would be long
            return set()
        ten = 10.0 ** math.floor(math.log10(high - low))
        for step in (0.2 * ten, 0.5 * ten, ten, 2 * ten, 5 * ten):
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            ticks = [math.log10(each * step) for each in range(max(first, 1), last + 1)]
            ticks = [each for each in ticks if begin <= each <= end]
            if len(ticks) > 1 and ticks[-1] - ticks[-2] >= apart:  # ticks are closest at the upper end
                return set(ticks)
        return set()

    def _line(self) -> float:
        """Line height of the numbers."""
        return QFontMetricsF(self.style["tickFont"] or QFont()).height()

    @property
    def name_line(self) -> float:
        """Distance of two names below each other: the underscore of one does not touch the capitals of the next."""
        ink = QFontMetricsF(self.style["tickFont"] or QFont()).tightBoundingRect("X_")  # deeper than other descenders
        return math.ceil(ink.height()) + 1.0

    def _widest(self, low: float, high: float) -> float:
        """Width of the widest whole number in a range."""
        metrics = QFontMetricsF(self.style["tickFont"] or QFont())
        return max(metrics.horizontalAdvance(number(round(each))) for each in (low, high)) + 10.0

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self.logMode:
            return self.logTickStrings(values, scale, spacing)
        if self.tick_labels is not None:
            names = dict(self.tick_labels)
            return [names.get(value, "") for value in values]
        if self.whole:
            return [number(round(value)) if abs(value - round(value)) < 1e-6 else "" for value in values]
        decimals = max(0, -math.floor(math.log10(spacing * scale) + 1e-9)) if spacing > 0 else 3
        rounded = [round(value * scale, decimals) for value in values]
        sizes = [abs(value) for value in rounded if value]
        if sizes and min(sizes) < PLAIN_FROM <= max(sizes):  # 0.0005 next to 0.001, not 5·10⁻⁴
            return [f"{value:.{decimals}f}".rstrip("0").rstrip(".").replace("-", "−") for value in rounded]
        return [_tick_text(value, 6) for value in rounded]

    def _updateMaxTextSize(self, size: float) -> None:
        """Reserve space for whole lines: pyqtgraph assumes four fifths of a line, which cuts off descenders."""
        flat = self.orientation in ("bottom", "top")
        if not (self.steady or self.resized):
            super()._updateMaxTextSize(size * 1.25 if flat else size)
            return
        self.resized = False
        if flat:  # update even if the size is the same: the axis may have been hidden
            self.textHeight = max(_LEAST_HEIGHT, size * 1.25)
            self._updateHeight()
        else:
            self.textWidth = max(_LEAST_WIDTH, size)
            self._updateWidth()

    def _updateWidth(self) -> None:
        """Keep the label as far from the numbers as it is at the normal text size."""
        super()._updateWidth()
        if self.fixedWidth is None and self.isVisible() and self.label.isVisible():
            height = self.label.boundingRect().height()
            more = max(0.0, (height - _AROUND_LABEL) - 0.8 * height)  # pyqtgraph reserves four fifths
            self.setMaximumWidth(self.maximumWidth() + more)
            self.setMinimumWidth(self.maximumWidth())

    def shown_labels(self, low: float, high: float, size: float) -> list[float]:
        """Named positions that can be read next to each other on an axis of this size, including the last one."""
        if self.tick_labels is None:
            return []
        seen = [place for place in self.tick_labels if low <= place[0] <= high]
        seen = seen[:: max(1, len(seen) // 400)]  # no axis has space for more, and each is measured
        pixels = size / (high - low) if high > low else 0.0
        flat = self.orientation in ("bottom", "top")
        line = self._line()
        if not flat:  # a name at an end would be cut off
            half = _NUMBER * line / 2 + 1.0
            seen = [place for place in seen if half <= (place[0] - low) * pixels <= size - half]
        boxes = [((position - low) * pixels, self._size(name)[0] / 2 if flat else line / 2) for position, name in seen]
        if flat:  # a name at an end is moved inwards, see `_texts`, and then needs more space there
            boxes = [
                (middle, half + _APART / 2 + max(0.0, half - middle, middle + half - size)) for middle, half in boxes
            ]
        return [seen[at][0] for at in readable(boxes)]

    def logTickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Powers of ten, or plain numbers if there are others between them; nothing at minor ticks."""
        if spacing == 0:
            return [""] * len(values)
        if spacing < 1:
            return [_tick_text(float(f"{10**value:.6g}")) for value in values]
        powers = [round(value) for value in values]
        return [number(10**power) if power in (0, 1) else f"10{superscript(power)}" for power in powers]

    def reset(self) -> None:
        """Forget the reserved space, and show the label: whether it fits is determined again."""
        self.textWidth, self.textHeight = _LEAST_WIDTH, _LEAST_HEIGHT
        self.showLabel(bool(self.labelText))
        self._adjustSize()

    # -- drawing ------------------------------------------------------------------------------------------------------
    # Draws the same pixels as pyqtgraph at a fifth of the cost: texts are measured once, ticks of one length are drawn
    # at once, and texts are laid out without recording a picture first.

    def setTickFont(self, font: QFont) -> None:
        super().setTickFont(font)
        self._sizes.clear()
        self.resized = True

    def boundingRect(self) -> QRectF:
        """Its own rectangle and that of the ticks, which lie inside the box; cached, since Qt asks often."""
        inwards = -min(0.0, self.style["tickLength"])
        left, top, right, bottom = _INWARDS[self.orientation]
        size = self.size()
        return QRectF(
            -left * inwards,
            -top * inwards,
            size.width() + (left + right) * inwards,
            size.height() + (top + bottom) * inwards,
        )

    def prepare(self) -> None:
        """Determine what is drawn, and so how much space it needs, before painting."""
        if self.picture is None and self.isVisible():
            self.picture = self._drawing()

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        if self.picture is None:
            self.picture = self._drawing()
        strokes, words = self.picture
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing, True)
        for pen, lines in strokes:
            painter.setPen(pen)
            painter.drawLines(lines)
        if not words:
            return
        if self.style["tickFont"] is not None:
            painter.setFont(self.style["tickFont"])
        below = math.ceil(self._line() / 2 + _BEYOND * self.name_line)  # the lowest name may extend below the box
        painter.setClipRect(self.boundingRect().toAlignedRect().adjusted(0, -4, 0, below))
        for place, text, color in words:
            painter.setPen(color or self.textPen())
            painter.drawText(place, text)

    def _drawing(self) -> Drawing:
        """Pens with their lines, and texts with their positions."""
        specs = self.generateDrawSpecs(None)
        if specs is None:
            return (), ()
        (pen, begin, end), ticks, texts = specs
        strokes = [(pen, [QLineF(begin, end)])]
        for pen, begin, end in ticks:
            if pen is not strokes[-1][0]:
                strokes.append((pen, []))
            strokes[-1][1].append(QLineF(begin, end))
        ascent = QFontMetricsF(self.style["tickFont"] or QFont()).ascent()
        colors = {level.words: QColor(level.color) for each in self.levels.values() for level in each}
        return strokes, [
            (QPointF(box.left(), self._top(box, text) + ascent), text, colors.get(text))
            for box, _, text in texts
            if text
        ]

    def _top(self, box: QRectF, text: str) -> float:
        """Where a line of text starts whose box has four fifths of its height."""
        height = self._size(text)[1]
        if self.orientation == "bottom":
            return box.top()
        return box.bottom() - height if self.orientation == "top" else box.center().y() - height / 2

    def _size(self, text: str) -> tuple[float, float]:
        """Width and height of a text, cached: most texts are drawn again in the next frame."""
        size = self._sizes.get(text)
        if size is None:
            if len(self._sizes) > _MOST_SIZES:
                self._sizes.clear()
            metrics = QFontMetricsF(self.style["tickFont"] or QFont())
            box = metrics.boundingRect(QRectF(0, 0, 100, 100), int(Qt.AlignmentFlag.AlignCenter), text)
            size = self._sizes[text] = box.width(), box.height()
        return size

    def generateDrawSpecs(self, painter: QPainter | None) -> Specs | None:
        """The line of the axis, ticks with their pens, texts with their boxes; None if it is not in a scene."""
        if self.getViewWidget() is None:
            return None
        flat = self.orientation in ("bottom", "top")
        bounds = self.mapRectFromParent(self.geometry())
        length = (bounds.width() if flat else bounds.height()) + _BORDER
        levels = self.tickValues(self.range[0], self.range[1], length)
        positions = self._positions(levels, bounds, flat)
        edge = {"left": bounds.right, "right": bounds.left, "top": bounds.bottom, "bottom": bounds.top}[
            self.orientation
        ]()
        outwards = 1.0 if self.orientation in ("right", "bottom") else -1.0
        named, leaders = self._named_levels(bounds, edge)
        aside = _LEADER * self._line() if leaders else 0.0
        texts, deepest = self._texts(levels, positions, length, edge - aside)
        apart = self.name_line - _NUMBER * self._line()  # names and powers of ten extend beyond the height of a number
        for over, words in named:
            around = over.adjusted(0.0, -apart, 0.0, apart)
            texts = [each for each in texts if not (each[0].intersects(around) or each[2] == words)]
        texts += [(box, _ALIGN[self.orientation], text) for box, text in named]
        deepest = max([deepest, *(box.width() for box, _ in named)])
        self._updateMaxTextSize(deepest + aside)
        if flat:
            line = QPointF(bounds.left() - 1.0, edge + outwards), QPointF(bounds.right() + 1.0, edge + outwards)
        else:
            line = QPointF(edge + outwards, bounds.top() - 1.0), QPointF(edge + outwards, bounds.bottom() + 1.0)
        return (self.pen(), *line), [*self._marks(positions, edge, outwards, flat), *leaders], texts

    def _positions(self, levels: Levels, bounds: QRectF, flat: bool) -> list[list[float | None]]:
        """Positions of the ticks along the axis; None for those outside."""
        begin, end = self.range
        size = bounds.width() if flat else -bounds.height()
        scale = size / (end - begin) if end != begin else 1.0
        offset = (begin * scale - (0.0 if flat else bounds.height())) if end != begin else 0.0
        low, high = sorted((begin * scale - offset, end * scale - offset))
        return [
            [at if low <= at <= high else None for at in (value * scale - offset for value in values)]
            for _, values in levels
        ]

    def _named_levels(self, bounds: QRectF, edge: float) -> tuple[list[tuple[QRectF, str]], list[Stroke]]:
        """The names of the visible levels with their boxes, from the top, without overlaps.

        If some are not next to their values, lines lead from these to the values.
        """
        levels = [] if self.silent else [level for each in self.levels.values() for level in each]
        at = self._positions([(0.0, [level.value for level in levels])], bounds, flat=False)[0] if levels else []
        seen = sorted((y, level.words, level.exact) for y, level in zip(at, levels, strict=True) if y is not None)
        line = self._line()
        height = _NUMBER * line
        middles = spread_out([y for y, *_ in seen], self.name_line, *self._span(bounds))
        moved = [
            (y, middle)
            for (y, _, exact), middle in zip(seen, middles, strict=True)
            if exact and abs(y - middle) > height / 2
        ]
        aside, offset = (_LEADER * line if moved else 0.0), self.style["tickTextOffset"][0]
        boxes = [
            (_box(self.orientation, edge - aside, offset, y, self._size(words)[0], height), words)
            for y, (_, words, _) in zip(middles, seen, strict=True)
        ]
        pen = QPen(self.textPen())
        pen.setWidthF(self.pen().widthF())
        return boxes, [(pen, QPointF(edge - aside, middle), QPointF(edge, y)) for y, middle in moved]

    def _span(self, bounds: QRectF) -> tuple[float, float]:
        """The range of the middles of names; of those of rows, somewhat more than from the first row to the end."""
        half = _NUMBER * self._line() / 2
        if self.range[0] < self.range[1]:
            return bounds.top() + half, bounds.bottom() - half
        begin = self._positions([(0.0, [self.lowest])], bounds, flat=False)[0][0]
        beyond = _BEYOND * self.name_line
        return max(bounds.top() + half, (begin or 0.0) - beyond), bounds.bottom() + beyond

    def _marks(self, positions: list[list[float | None]], edge: float, outwards: float, flat: bool) -> list[Stroke]:
        """A short line at every tick, shorter and paler for finer levels."""
        strokes: list[Stroke] = []
        for level, row in enumerate(positions):
            end = edge + outwards * self.style["tickLength"] / (0.5 * level + 1.0)
            pen = QPen(self.tickPen())
            color = QColor(pen.color())
            color.setAlpha(255 // (level + 1))
            if pen.brush().style() == Qt.BrushStyle.SolidPattern:
                pen.setColor(color)
            for at in row:
                if at is not None and flat:
                    strokes.append((pen, QPointF(at, edge), QPointF(at, end)))
                elif at is not None:
                    strokes.append((pen, QPointF(edge, at), QPointF(end, at)))
        return strokes

    def _texts(
        self, levels: Levels, positions: list[list[float | None]], length: float, edge: float
    ) -> tuple[list[tuple[QRectF, Qt.AlignmentFlag, str]], float]:
        """The numbers of as many levels as fit, and the space that they need across the axis."""
        flat = self.orientation in ("bottom", "top")
        align, offset = _ALIGN[self.orientation], self.style["tickTextOffset"][1 if flat else 0]
        room = self.boundingRect()
        scale = [end for end in (self.lowest, self.highest) if math.isfinite(end)]
        inner = self._positions([(0.0, scale)], self.mapRectFromParent(self.geometry()), flat)[0]
        ends = [0.0, length - 2.0, *(at for at in inner if at is not None)]
        texts: list[tuple[QRectF, Qt.AlignmentFlag, str]] = []
        along = deepest = across = 0.0
        for level, ((spacing, values), row) in enumerate(zip(levels, positions, strict=True)):
            if level > self.style["maxTextLevel"]:
                break
            strings = self.tickStrings(values, self.autoSIPrefixScale * self.scale, spacing)
            shown = [(at, text, *self._size(text)) for at, text in zip(row, strings, strict=True) if at is not None]
            if not strings:
                continue
            along += sum(width if flat else _NUMBER * height for _, _, width, height in shown)
            across = max([across, *(_NUMBER * height if flat else width for _, _, width, height in shown)])
            limits = self.style["textFillLimits"]
            if (
                level
                and len(texts) > 1
                and any(len(texts) >= many and along / length >= limit for many, limit in limits)
            ):
                break
            deepest = across
            for at, text, width, height in shown:
                box = _box(self.orientation, edge, offset, at, width, _NUMBER * height)
                if flat and self.tick_labels is not None:
                    box = _moved_into(box, room, flat)
                elif self.tick_labels is None and min(abs(at - end) for end in ends) < _AT_END:
                    box = _moved_into(box, room, flat)
                    texts = [each for each in texts if not each[0].intersects(box)]  # the end of a scale is named
                if (room & box) == box and not any(box.intersects(each) for each, *_ in texts):
                    texts.append((box, align, text))
        return texts, deepest


def _tick_text(value: float, digits: int = 4) -> str:
    """A number at a tick, with a power of ten as on logarithmic axes: 5·10⁻⁵, 10⁻⁴."""
    factor, exponential, power = number(value, digits).partition("e")
    if not exponential:
        return factor
    ten = f"10{superscript(power)}"
    return f"{factor.removesuffix('1')}{ten}" if factor in ("1", "−1") else f"{factor}·{ten}"


def _moved_into(box: QRectF, room: QRectF, flat: bool) -> QRectF:
    """A box, moved along an axis so that it does not extend beyond its end."""
    if flat:
        return box.translated(max(0.0, room.left() - box.left()) - max(0.0, box.right() - room.right()), 0.0)
    return box.translated(0.0, max(0.0, room.top() - box.top()) - max(0.0, box.bottom() - room.bottom()))


def _box(orientation: str, edge: float, offset: float, at: float, width: float, height: float) -> QRectF:
    """The box of a number next to its tick."""
    if orientation == "left":
        return QRectF(edge - offset - width, at - height / 2, width, height)
    if orientation == "right":
        return QRectF(edge + offset, at - height / 2, width, height)
    if orientation == "top":
        return QRectF(at - width / 2, edge - offset - height, width, height)
    return QRectF(at - width / 2, edge + offset, width, height)
