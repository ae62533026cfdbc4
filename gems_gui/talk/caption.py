"""The caption under the views of a talk: as large as fits, and always in the same position."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.theme import Theme

_SIZE, _SMALLEST = 19, 11  # font size in pixels before font scaling
_LINES = 2
_FLAGS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class StageCaption(QWidget):
    """Centred text; a text that needs more than two lines is smaller."""

    clicked = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme: Theme) -> None:
        """Set colours and height."""
        height = QFontMetrics(theme.font(_SIZE)).lineSpacing()
        self.setFixedHeight(_LINES * height + theme.pixels(8))
        self.update()

    @property
    def words(self) -> str:
        """The text."""
        return self._words

    def set_text(self, words: str) -> None:
        """Set the text."""
        if words != self._words:
            self._words = words
            self.setAccessibleName(words)
            self.update()

    def letters(self) -> int:
        """The font size in pixels before font scaling: the largest at which everything fits."""
        for size in range(_SIZE, _SMALLEST, -1):
            metrics = QFontMetrics(self._appearance.theme.font(size))
            needs = metrics.boundingRect(self._room(), int(_FLAGS), self._words).size()
            if needs.height() <= self.height() and needs.width() <= self._room().width():
                return size
        return _SMALLEST

    def _room(self) -> QRect:
        margin = self._appearance.theme.pixels(16)
        return self.rect().adjusted(margin, 0, -margin, 0)

    def sizeHint(self) -> QSize:
        return QSize(0, self.height())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._words:
            return
        painter = QPainter(self)
        painter.setFont(self._appearance.theme.font(self.letters()))
        painter.setPen(self._appearance.theme.color("text"))
        painter.drawText(self._room(), int(_FLAGS), self._words)
