"""Symbols in the colours of the roles with their meaning; painted here, so that changes never trigger a new layout."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QLineF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_engine.terminal import with_indices
from gems_gui.markup import plain_text
from gems_gui.theme import Theme
from gems_gui.views.print_marks import dashed, hatch_over, mark_of, path_of

Entry = tuple[str, str, str]
"""A symbol such as "■", the role of its colour, and a text."""

_GAP = 1.2  # between two entries, in line heights
_SIZE = 11
_UNLIMITED = 10_000  # pixels
_SWATCH = 15.0  # pixels of an area or a line in print, with the space after it
_INDEX = re.compile(r"(?<=[r⋆])_(d)(?!\w)")  # Unicode has no small d
_SMALL, _DOWN = 0.75, 0.2  # size of an index, and how far it is lowered, in font sizes
_WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
_AREAS, _LINES = ("■", "▨", "□"), ("─", "━", "—")


def _indexed(entries: Sequence[Entry]) -> list[Entry]:
    return [(mark, role, with_indices(words)) for mark, role, words in entries]


def _letters(entries: Sequence[Entry]) -> int:
    """A measure of the length of a legend."""
    return sum(len(mark) + len(words) + 4 for mark, _, words in entries)


class Legend(QWidget):
    """The legend of a view; it wraps in a narrow card and shows how many entries do not fit into a low one.

    Its height fits all entries that the view can have, and the longest legend shown so far: entries change with the
    cursor many times a second, and the plot must not move.
    """

    steady = False
    """Whether its height depends on the current entries only, at least one line: for pictures."""
    complete = False
    """Whether all entries are shown, however low the view is: for print and projectors."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "dim")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._entries: list[Entry] = []
        self._theme: Theme | None = None
        self._longest: list[Entry] = []
        self._possible: list[Entry] = []
        self._width, self._most = 0, _UNLIMITED
        self._height = 0
        self._least = 0
        self.hide()

    def text(self) -> str:
        """All entries in one line."""
        return "   ".join(f"{mark} {words}" for mark, _, words in self._entries)

    def show_entries(self, entries: Sequence[Entry], theme: Theme, possible: Sequence[Entry] = ()) -> None:
        """Show these entries.

        Parameters
        ----------
        possible
            All that may be shown at other moments: their lines are reserved, except for pictures and projectors.
        """
        entries, possible = _indexed(entries), _indexed(possible)
        if _letters(possible) <= _letters(self._possible):
            possible = self._possible
        if entries == self._entries and theme == self._theme and possible == self._possible:
            return
        if theme != self._theme:
            self.setFont(theme.font(_SIZE))
        self._entries, self._theme, self._possible = entries, theme, possible
        if self.steady or _letters(entries) > _letters(self._longest):
            self._longest = self._entries
        self.setAccessibleName(self.text())
        self._fit()
        self.update()

    def set_room(self, width: int, height: int) -> None:
        """Limit its size; the legend is hidden where less than a line is available."""
        self._width, self._most = width, _UNLIMITED if self.complete else height
        self._fit()

    def _fit(self) -> None:
        now, most = self._lines(self._entries), self._lines(self._longest)
        if now > most:  # fewer letters may need more lines
            self._longest = self._entries
        lines = max(now, most, self._reserved(), self._least)
        lines = min(lines, self._most_lines())
        if bool(lines) == self.isHidden():
            self.setVisible(bool(lines))
        if lines * self._line_height() != self._height:
            self._height = lines * self._line_height()
            self.updateGeometry()
        placed = self._placed(self._entries, self._width)
        whole = len(placed) == len(self._entries) and self._shown(placed) == [words for *_, words in self._entries]
        tip = "\n".join(f"{mark} {words}" for mark, _, words in self._entries)
        self.setToolTip("" if whole else plain_text(tip))

    def _reserved(self) -> int:
        """Lines for entries that are not shown now."""
        if self.complete:
            return 0
        return 1 if self.steady else self._lines(self._possible)

    def level(self, others: Sequence[Legend]) -> None:
        """Be as high as the highest of these legends, so that plots next to each other are of equal height."""
        least = max((each._lines(each._longest) for each in others), default=0)
        if least != self._least:
            self._least = least
            self._fit()

    def sizeHint(self) -> QSize:
        return QSize(0, self._height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._width = self.width()
        self._fit()

    # -- positions ----------------------------------------------------------------------------------------------

    def _line_height(self) -> int:
        return self.fontMetrics().height()

    def _most_lines(self) -> int:
        return self._most // self._line_height()

    def _lines(self, entries: list[Entry]) -> int:
        boxes = self._placed(entries, self._width)
        return round(boxes[-1].bottom() / self._line_height()) if boxes else 0

    def _placed(self, entries: list[Entry], width: int) -> list[QRectF]:
        """The rectangle of each entry, as far as there are lines for them."""
        metrics, line = self.fontMetrics(), self._line_height()
        x, y, boxes = 0.0, 0.0, []
        for mark, _, words in entries:
            needs: float = metrics.horizontalAdvance(f"{mark} {words}")
            if self._theme is not None and self._theme.paper:
                needs = self._mark_width(mark) + sum(width for *_, width in self._pieces(words))
            if x and x + needs > width:
                x, y = 0.0, y + line
            if y >= line * self._most_lines():
                break
            high = self._wrapped(mark, words, width) if self.complete and needs > width else line
            boxes.append(QRectF(x, y, min(needs, width) if high > line or not self.complete else needs, high))
            x, y = x + needs + _GAP * metrics.height(), y + high - line
        return boxes

    def _shown(self, placed: Sequence[QRectF]) -> list[str]:
        """The texts of the entries in these rectangles: one that is wider than the view is elided."""
        metrics, shown = self.fontMetrics(), []
        for (mark, _, words), box in zip(self._entries, placed, strict=False):
            cut = not self.complete and metrics.horizontalAdvance(f"{mark} {words}") > box.width()
            room = int(box.width() - self._mark_width(mark))
            shown.append(metrics.elidedText(words, Qt.TextElideMode.ElideRight, room) if cut else words)
        return shown

    def _wrapped(self, mark: str, words: str, width: int) -> int:
        """The height of an entry that is wider than the view."""
        room = QRect(0, 0, max(1, width - ceil(self._mark_width(mark))), _UNLIMITED)
        lines = self.fontMetrics().boundingRect(room, int(_WRAPPED), words).height() / self.fontMetrics().lineSpacing()
        return max(1, round(lines)) * self._line_height()

    def _mark_width(self, mark: str) -> float:
        """Width of a symbol, with the space after it."""
        if self._theme is not None and self._theme.paper and mark in (*_AREAS, *_LINES):
            return _SWATCH
        return float(self.fontMetrics().horizontalAdvance(f"{mark} "))

    def _pieces(self, words: str) -> list[tuple[str, QFont, float, float]]:
        """A text in pieces: their fonts, how far they are lowered, their widths. In print, r_d has a real index."""
        font, small = self.font(), QFont(self.font())
        indexed = _INDEX.split(words) if self._theme is not None and self._theme.paper else [words]
        if len(indexed) > 1:
            small.setPixelSize(round(font.pixelSize() * _SMALL))
        fonts = (font, 0.0), (small, _DOWN * font.pixelSize())
        return [
            (piece, *fonts[at % 2], QFontMetricsF(fonts[at % 2][0]).horizontalAdvance(piece))
            for at, piece in enumerate(indexed)
            if piece
        ]

    def _paint_mark(self, painter: QPainter, box: QRectF, mark: str, role: str) -> None:
        """Paint a symbol; in print, with the hatching, the dashes or the shape that its role has in the plot."""
        assert self._theme is not None
        color = self._theme.color(role)
        if not self._theme.paper or mark not in (*_AREAS, *_LINES):
            painter.setPen(color)
            replaced = mark_of(color).glyph if self._theme.paper and mark == "●" else mark
            line = QRectF(box.topLeft(), QSizeF(box.width(), self._line_height()))
            painter.drawText(line, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), replaced)
            return
        middle = box.top() + self._line_height() / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if mark in _LINES:
            painter.setPen(dashed(QPen(color, 1.5)))
            painter.drawLine(QLineF(box.left(), middle, box.left() + 12, middle))
        else:
            path = path_of([QRectF(box.left(), middle - 4, 11, 8)])
            if mark == "■":
                painter.fillPath(path, color)
                hatch_over(painter, path, color)
            else:
                painter.setPen(QPen(color, 1))
                painter.setBrush(QBrush(color, Qt.BrushStyle.BDiagPattern) if mark == "▨" else QBrush())
                painter.drawPath(path)
        painter.restore()

    def _with_rest(self, width: int) -> tuple[list[QRectF], str, QRectF]:
        """The rectangles of the entries, and the text and rectangle of "+n more" for those that do not fit."""
        metrics, boxes = self.fontMetrics(), self._placed(self._entries, width)
        rest, x, y = len(self._entries) - len(boxes), 0.0, 0.0
        if not rest or not self._most_lines():
            return boxes, "", QRectF()
        while True:
            words = f"+{rest} more"
            needs = metrics.horizontalAdvance(words)
            if boxes:
                x, y = boxes[-1].right() + _GAP * metrics.height(), boxes[-1].top()
            if not boxes or x + needs <= width:
                return boxes, words, QRectF(x if boxes else 0.0, y if boxes else 0.0, needs, metrics.height())
            boxes.pop()
            rest += 1

    def boxes(self) -> list[tuple[str, QRectF]]:
        """Every painted entry with its rectangle, and how many more there are."""
        placed, rest, place = self._with_rest(self.width())
        texts = zip(self._entries, self._shown(placed), placed, strict=False)
        shown = [(f"{mark} {words}", box) for (mark, *_), words, box in texts]
        return [*shown, (rest, place)] if rest else shown

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._theme is None:
            return
        painter = QPainter(self)
        flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        placed, rest, place = self._with_rest(self.width())
        for (mark, role, _), words, box in zip(self._entries, self._shown(placed), placed, strict=False):
            self._paint_mark(painter, box, mark, role)
            painter.setPen(self._theme.color("dim"))
            x = self._mark_width(mark)
            if box.height() > self._line_height():
                painter.drawText(box.adjusted(x, 0, 1, 0), int(_WRAPPED), words)
                continue
            for piece, font, down, width in self._pieces(words):
                painter.setFont(font)
                painter.drawText(box.adjusted(x, down, 1, down), flags, piece)
                x += width
            painter.setFont(self.font())
        if rest:
            painter.setPen(self._theme.color("dim"))
            painter.drawText(place.adjusted(0, 0, 1, 0), flags, rest)
