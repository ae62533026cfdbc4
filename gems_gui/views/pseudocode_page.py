"""The interactive page of pseudo-code: mouse and keyboard."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHelpEvent, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QMenu, QToolTip

from gems_engine.algorithms.pseudocode import Listing
from gems_gui.markup import inline
from gems_gui.series.pseudocode import CURRENT, as_text, value_text
from gems_gui.views.pseudocode_layout import PageRow
from gems_gui.views.pseudocode_sheet import PseudocodeSheet
from gems_gui.views.typesetting import plain_letters


class PseudocodePage(PseudocodeSheet):
    """Pseudo-code that can be clicked.

    Up and Down select a line, Return goes to its next event, Shift+Return to the previous one, W asks why.
    """

    asked = Signal(str, str, bool)
    """Go to the next or previous event of a line: the listing, the line, whether forwards."""
    why_asked = Signal()
    """Explain why the step at the cursor happened."""

    def __init__(self, exporting: bool) -> None:
        super().__init__(exporting)
        self.has_run = False
        """Whether the lines belong to a run and have events to go to."""
        self.viewport().setMouseTracking(not exporting)
        self.setToolTip("Click a line to go to its next event, with Shift to the previous one")

    # -- mouse --------------------------------------------------------------------------------------------------

    def _at(self, point: QPoint | QPointF) -> QPointF:
        return QPointF(point) + QPointF(0, self.verticalScrollBar().value())

    def row_at(self, point: QPoint | QPointF) -> PageRow | None:
        """The line at a point of the viewport."""
        at = self._at(point)
        return next((row for row in self.layout_now.rows if row.box.contains(at)), None)

    def symbol_at(self, point: QPoint | QPointF) -> tuple[Listing, str] | None:
        """The symbol at a point of the viewport, and its listing."""
        row, at = self.row_at(point), self._at(point)
        if row is None:
            return None
        listing = self.series.stack[row.depth].listing
        for run in (*row.runs, *(run for slot in row.slots for run in slot.label)):
            if run.symbol and run.box.contains(at):
                return listing, run.symbol
        return None

    def explained(self, point: QPoint | QPointF) -> str:
        """The tooltip at a point, as rich text: a symbol's definition and value, else what a click does."""
        row, found = self.row_at(point), self.symbol_at(point)
        if row is None:
            return ""
        is_current = self.series.part_of(row.depth, row.line.id) == CURRENT
        if is_current and self.why_box(row).contains(self._at(point)):
            return "<p>Explain why the step at the cursor happened (W).</p>"
        if found is not None:
            listing, name = found
            words = plain_letters(f"**{name}**: {listing.symbol(name).means}.")
            value = self.series.stack[row.depth].values.get((row.line.id, name))
            now = f"<br>Now: {escape(value_text(value))}" if value is not None else ""
            return f"<p>{inline(words)}{now}</p>"
        return f"<p>{_what_a_click_does(row, self.has_run)}</p>"

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.explained(event.pos()), self.viewport())
            return True
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position())
        self._hover(None if row is None else (row.depth, row.line.id))
        super().mouseMoveEvent(event)

    def _hover(self, what: tuple[int, str] | None) -> None:
        if what != self.hovered:
            self.hovered = what
            leads = what is not None and self.has_run
            shape = Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor
            self.viewport().setCursor(shape)
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the next event of a line, with Shift to the previous one; or ask why."""
        row = self.row_at(event.position())
        if row is None or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self.framed = (row.depth, row.line.id)
        is_current = self.series.part_of(row.depth, row.line.id) == CURRENT
        if is_current and self.why_box(row).contains(self._at(event.position())):
            self.why_asked.emit()
        else:
            self._ask(not event.modifiers() & Qt.KeyboardModifier.ShiftModifier)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row = self.row_at(event.pos())
        if row is not None:
            self.framed = (row.depth, row.line.id)
            self.menu(row).popup(event.globalPos())

    def menu(self, row: PageRow) -> QMenu:
        """The context menu of a line."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, tip, ask, possible in (
            ("Next event of this line", "Go to the next event of this line", lambda: self._ask(True), self.has_run),
            (
                "Previous event of this line",
                "Go to the previous event of this line",
                lambda: self._ask(False),
                self.has_run,
            ),
            ("Why this step", "Explain why the step at the cursor happened", self.why_asked.emit, self.has_run),
            ("Copy as text", "Copy all lines with their values", self.copy, True),
        ):
            action = menu.addAction(text)
            action.setEnabled(possible)
            action.setStatusTip(tip)
            action.triggered.connect(ask)
        return menu

    # -- keys ---------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Accept keys that have a meaning here, so that they do not trigger shortcuts."""
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
        """Select the next line, starting from the current one."""
        rows = [(row.depth, row.line.id) for row in self.layout_now.rows]
        current = self.series.current
        now = self.picked or (None if current is None else (current[0], current[1].id))
        at = rows.index(now) + by if now in rows else 0 if by > 0 else len(rows) - 1
        self.framed = rows[min(max(at, 0), len(rows) - 1)]
        row = self.row_of(*self.framed)
        if row is not None:
            box, bar = row.box, self.verticalScrollBar()
            bar.setValue(round(min(max(bar.value(), box.bottom() - self.viewport().height()), box.top())))
        self.viewport().update()

    @property
    def picked(self) -> tuple[int, str] | None:
        """The line selected by keyboard, if it is on the page."""
        return self.framed if self.framed and self.row_of(*self.framed) is not None else None

    def _ask(self, forward: bool) -> None:
        current = self.series.current
        picked = self.picked or (None if current is None else (current[0], current[1].id))
        if picked is not None:
            self.asked.emit(self.series.stack[picked[0]].listing.name, picked[1], forward)

    def copy(self) -> None:
        """Copy all lines with their values to the clipboard."""
        QGuiApplication.clipboard().setText(as_text(self.series))


def _what_a_click_does(row: PageRow, has_run: bool) -> str:
    ours = " This line is not in the paper; docs/decisions.md gives the reason." if row.line.ours else ""
    how = "Click to go to the next event of this line, Shift+click to the previous one."
    return f"{how if has_run else 'Press Run. Then click to go to the next event of this line.'}{ours}"
