"""The line of status tips, to the right of the menus: it covers and moves nothing."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QLabel, QMainWindow

_LEAST_WORDS = 4  # fewer are only the title before a colon
_CLAUSE = re.compile(r"[.:;](?= |$)")


class StatusTip(QLabel):
    """Shows status tips of menus and controls.

    A status bar would always take a line, or change the layout of the window each time it appears. This label uses the
    empty part of the menu bar. Qt's own status bar stays hidden and only receives the messages.

    Parameters
    ----------
    window
        The window whose status tips it shows.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("statusTip")
        self.setAccessibleName("Status tip")
        self.setProperty("role", "tip")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        bar = window.statusBar()
        bar.setSizeGripEnabled(False)
        bar.hide()
        bar.messageChanged.connect(self.show_text)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.show_text(self.accessibleDescription())
        return False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.isVisible():
            self.show_text(self.accessibleDescription())

    def show_text(self, sentence: str) -> None:
        """Show a sentence; an empty one hides the line."""
        window = self._window
        self.setVisible(bool(sentence) and window.isVisible())
        if not sentence:
            return
        self.ensurePolished()
        menus = window.menuBar()
        left = max((menus.actionGeometry(each).right() for each in menus.actions()), default=0) + 16
        corner = menus.cornerWidget()  # must stay visible and clickable
        right = window.width() if corner is None or not corner.isVisible() else corner.mapTo(window, QPoint()).x()
        self.setText(self._fitting(sentence, right - left - 24))
        self.setAccessibleDescription(sentence)
        self.adjustSize()
        self.move(right - self.width() - 8, max(0, (menus.height() - self.height()) // 2))
        self.raise_()

    def _fitting(self, sentence: str, room: int) -> str:
        """The clauses that fit; elided if they are less than half of what there is space for."""
        metrics = self.fontMetrics()
        if metrics.horizontalAdvance(sentence) <= room:
            return sentence
        clauses = [f"{sentence[: each.start()]}." for each in _CLAUSE.finditer(sentence)]
        widths = [metrics.horizontalAdvance(each) for each in clauses]
        fits = [each for each, width in zip(clauses, widths, strict=True) if room / 2 <= width <= room]
        fitting = [each for each in fits if each.count(" ") >= _LEAST_WORDS]
        return fitting[-1] if fitting else metrics.elidedText(sentence, Qt.TextElideMode.ElideRight, room)
