"""A page on which pseudo-code is painted: laid out once per call stack; afterwards only marks and values change."""

from __future__ import annotations

from functools import lru_cache
from math import inf

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from gems_engine.algorithms.pseudocode import Listing
from gems_engine.algorithms.symbols import Value
from gems_gui.series.names import shortened
from gems_gui.series.pseudocode import CALLING, CURRENT, NOTE, PASSED, PseudocodeSeries, value_phrasings
from gems_gui.series.wordings import without_cut_number
from gems_gui.theme import Theme
from gems_gui.views.pseudocode_layout import Chain, Maker, PageLayout, PageRow, Slot, TextBlock, deepest
from gems_gui.views.typesetting import Run, row_height

_SIZES = (24, 22, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10)  # font sizes in pixels, before font scaling
_LEAST = 12  # pixels after scaling
_WHY, _SHORT_WHY = "Why?", "?"
_REMEMBERED = 4
_NAMES = "ẑ"  # symbols whose values are names
_LEAST_NAME = 5  # letters of a shortened name
_WRAPPED = 0.34  # share of lines that may wrap in favour of a larger font


class PseudocodeSheet(QAbstractScrollArea):
    """Pseudo-code with the current line, the lines that called it, and values."""

    def __init__(self, exporting: bool) -> None:
        super().__init__()
        self._exporting = exporting
        self.series = PseudocodeSeries(())
        self.layout_now = PageLayout(1.0)
        self._layouts: dict[tuple[object, ...], PageLayout] = {}
        """The last layouts: a strategy that calls and continues needs two of them alternately."""
        self._theme: Theme | None = None
        self._chain: Chain = ()
        self._key: tuple[object, ...] = ()
        self.folds = True
        self.hovered: tuple[int, str] | None = None
        """The line below the mouse."""
        self.framed: tuple[int, str] | None = None
        """The line selected by keyboard."""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setStyleSheet("QAbstractScrollArea { background: transparent; }")
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName("Pseudo-code")

    # -- content ------------------------------------------------------------------------------------------------

    def apply_theme(self, theme: Theme) -> None:
        """Set fonts and colours."""
        self._theme = theme
        self._key = ()
        self._layouts.clear()
        self._lay_out()

    def show_series(self, series: PseudocodeSeries) -> None:
        """Show a snapshot; if the calls are the same, only marks and values change."""
        self.series = series
        self._lay_out()
        self._follow()
        self.viewport().update()

    def reset(self) -> None:
        """Reset the scroll position."""
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
                self.layout_now, self._key = PageLayout(1.0), ()
                self.verticalScrollBar().setRange(0, 0)
            return
        self._key, self._chain = key, chain
        bar, room = self.verticalScrollBar(), self.viewport().height()
        size, folded = self._size(chain[0][0], theme)
        if key not in self._layouts:
            without_bar = self.maximumViewportSize().width()
            made = Maker(chain, without_bar, size, self._exporting).layout
            if made.height > room:
                made = Maker(chain, width, size, self._exporting, folded and inner).layout
            self._layouts = dict([*self._layouts.items(), (key, made)][-_REMEMBERED:])
        self.layout_now = self._layouts[key]
        bar.setRange(0, self._row_from(self.layout_now.height - room))
        bar.setPageStep(room)
        bar.setSingleStep(round(row_height(size)))

    def _size(self, listing: Listing, theme: Theme) -> tuple[float, bool]:
        """The largest font size at which even the deepest stack fits, and whether the stack is folded.

        A strategy that does not fit at the smallest size is folded, unless the user has turned this off. The result
        does not depend on a snapshot, so the size does not change during a run.
        """
        room = self.maximumViewportSize()
        least = theme.hall_text or _LEAST
        sizes = tuple(float(size) for each in _SIZES if (size := theme.pixels(each)) >= least)
        return _fitting_size(listing, room.width(), room.height(), sizes, self.folds, self._exporting)

    def _follow(self) -> None:
        """Scroll to the current line, with as much above it as fits; to the top before the first event."""
        current = self.series.current
        row = self.row_of(current[0], current[1].id) if current is not None else None
        room, needed = self.viewport().height(), 0.0
        if row is not None:
            needed = min(row.box.bottom() + row_height(self.layout_now.size) - room, row.box.top())
        self.verticalScrollBar().setValue(self._row_from(needed))

    def _row_from(self, y: float) -> int:
        """The first position at or below this one at which a row starts, so that no row is cut at the top."""
        if y <= 0:
            return 0
        tops = [row.box.top() for row in self.layout_now.rows]
        return round(min((top for top in tops if top >= y - 1), default=tops[-1]))

    def row_of(self, depth: int, line: str) -> PageRow | None:
        """The row of a line on the page."""
        return next((row for row in self.layout_now.rows if (row.depth, row.line.id) == (depth, line)), None)

    # -- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        if theme is None:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(0, -self.verticalScrollBar().value())
        seen = QRectF(event.rect()).translated(0, self.verticalScrollBar().value())
        still = self._exporting or theme.hall  # nothing scrolls: a line is shown as a whole or not at all
        low = self.verticalScrollBar().value() + self.viewport().height() + 1 if still else inf
        for block in self.layout_now.blocks:
            self._paint_block(painter, theme, block)
        for row in self.layout_now.rows:
            if row.box.intersects(seen) and row.box.bottom() <= low:
                self._paint_row(painter, theme, row)
        painter.end()

    def _runs(self, depth: int) -> bool:
        return bool(self.series.stack[depth].line) or not any(frame.line for frame in self.series.stack)

    def _paint_block(self, painter: QPainter, theme: Theme, block: TextBlock) -> None:
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

    def _paint_row(self, painter: QPainter, theme: Theme, row: PageRow) -> None:
        part = self.series.part_of(row.depth, row.line.id)
        box, bar = row.box, theme.stroke(3)
        painter.setPen(Qt.PenStyle.NoPen)
        strong = 72 if theme.dark else 48
        fills = {CURRENT: theme.color("surviving", strong), CALLING: theme.color("surviving", strong // 3)}
        if part in fills:
            painter.setBrush(fills[part])
            painter.drawRoundedRect(box, 4, 4)
        elif self.hovered == (row.depth, row.line.id):
            painter.setBrush(theme.color("text", 14))
            painter.drawRoundedRect(box, 4, 4)
        if part:
            painter.setBrush(theme.color("surviving", {CURRENT: 255, CALLING: 140, PASSED: 90}[part]))
            painter.drawRoundedRect(QRectF(box.left(), box.top() + 1, bar, box.height() - 2), 1, 1)
        if self.hasFocus() and self.framed == (row.depth, row.line.id):
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
            painter.drawText(self.why_box(row), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_letters(self, painter: QPainter, theme: Theme, row: PageRow, part: str) -> None:
        """Paint a line, its number and the labels of its values: on screen from a cached image."""
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
        self, painter: QPainter, theme: Theme, row: PageRow, role: str, current: bool, labels: tuple[str, ...]
    ) -> None:
        if row.number is not None:
            self._draw(painter, row.number, theme.color("surviving" if current else "dim"))
        for run in row.runs:
            self._draw(painter, run, theme.color("dim" if run.style == NOTE else role))
        for slot in row.slots:
            for run in slot.label if slot.symbol in labels else ():
                self._draw(painter, run, theme.color("dim"))

    def why_box(self, row: PageRow) -> QRectF:
        """The rectangle of the link to "why" on the current line."""
        size, gutter = self.layout_now.size, self.layout_now.gutter
        return QRectF(row.box.right() - gutter, row.box.top(), gutter - 0.3 * size, row_height(size))

    def _paint_values(self, painter: QPainter, theme: Theme, row: PageRow, part: str) -> None:
        values = self.series.stack[row.depth].values
        runs = self._runs(row.depth)
        for slot in row.slots:
            value = values.get((row.line.id, slot.symbol))
            if value is None:
                continue
            font = theme.font()
            font.setPixelSize(max(1, round(self.layout_now.size)))
            font.setBold(part == CURRENT)
            names = slot.symbol.startswith(_NAMES)
            text = fitting_text(value, QFontMetricsF(font), self.room_of(row, slot), names)
            painter.setFont(font)
            painter.setPen(theme.color("surviving" if part == CURRENT else "text" if runs else "dim"))
            painter.drawText(QPointF(slot.x + slot.labelled, slot.baseline), text)

    def room_of(self, row: PageRow, slot: Slot) -> float:
        """The width available for a value: up to the next one shown in its row, or to the end of the row."""
        values = self.series.stack[row.depth].values
        after = [
            each.x - 0.5 * self.layout_now.size
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

    # -- size ---------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.updatesEnabled():
            self._lay_out()
            self._follow()
        else:  # the docks are being moved: only the last of several sizes counts
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.LayoutRequest))  # comes before painting

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._lay_out()
            self._follow()
        return done

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()


def fitting_text(value: Value, metrics: QFontMetricsF, room: float, names: bool = False) -> str:
    """The longest text of a value that fits; a text is cut, but never inside a number.

    Parameters
    ----------
    names
        Whether a text begins with the name of an arm or a target, which often differs from others at its end.
    """
    said = value_phrasings(value)
    fitting = (text for text in said if metrics.horizontalAdvance(text) <= room)
    if len(said) > 1:
        return next(fitting, said[-1])
    name = said[0].partition(", ")[0]
    if names and metrics.horizontalAdvance(name) > room:
        shorter = (shortened(name, most) for most in range(len(name) - 1, _LEAST_NAME, -1))
        short = next((each for each in shorter if metrics.horizontalAdvance(each) <= room), "")
        if short and not _cuts_a_number(name, short):
            return short
    cut = without_cut_number(metrics.elidedText(said[0], Qt.TextElideMode.ElideRight, room))
    return name if names and len(cut) <= len(name) else cut


def _cuts_a_number(name: str, short: str) -> bool:
    """Whether a name that is shortened in its middle lacks the beginning of a number."""
    end = short.rpartition("…")[2]
    return end[:1].isdigit() and name[: -len(end)][-1:].isdigit()


@lru_cache(maxsize=64)
def _fitting_size(
    listing: Listing, width: int, height: int, sizes: tuple[float, ...], folds: bool, exporting: bool
) -> tuple[float, bool]:
    """The first of some sizes with which every stack of a listing has room, else the last one; and whether it folds."""
    deep = deepest(listing)
    chains = [*deep, *(chain[:-1] for chain in deep if chain[-1][0].folds)]

    def fits(size: float, folded: bool) -> bool:
        for chain in chains:
            made = Maker(chain, width, size, exporting, folded).layout
            needed = made.blocks[-1].box.bottom() if chain[-1][0].folds else made.height
            if needed > height or (size > sizes[-1] and made.wrapped > _WRAPPED * len(made.rows)):
                return False
        return True

    low, high = 0, len(sizes) - 1
    nested = folds and max(map(len, chains)) > 2
    smallest = fits(sizes[high], False)
    folded = nested and not smallest
    while low < high and (smallest or folded):
        middle = (low + high) // 2
        low, high = (low, middle) if fits(sizes[middle], folded) else (middle + 1, high)
    return sizes[high], folded
