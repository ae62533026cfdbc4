"""The line under the views of a talk: as large as it has room, and always in the same place."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_gui.theme import Theme

_SIZE, _SMALLEST = 19, 11  # pixels of its letters before the scale of fonts
_LINES = 2
_FLAGS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class StageCaption(QWidget):
    """Words in the middle; what needs more than two lines is written smaller."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self._theme: Theme | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        """Its colours, and the room that it always has."""
        self._theme = theme
        height = QFontMetrics(theme.font(_SIZE)).lineSpacing()
        self.setFixedHeight(_LINES * height + theme.pixels(8))
        self.update()

    @property
    def words(self) -> str:
        """What it says."""
        return self._words

    def say(self, words: str) -> None:
        """Say something else."""
        if words != self._words:
            self._words = words
            self.setAccessibleName(words)
            self.update()

    def letters(self) -> int:
        """The size of its letters in pixels, before the scale: the largest at which everything has room."""
        assert self._theme is not None
        for size in range(_SIZE, _SMALLEST, -1):
            needs = QFontMetrics(self._theme.font(size)).boundingRect(self._room(), int(_FLAGS), self._words).size()
            if needs.height() <= self.height() and needs.width() <= self._room().width():
                return size
        return _SMALLEST

    def _room(self) -> QRect:
        margin = 0 if self._theme is None else self._theme.pixels(16)
        return self.rect().adjusted(margin, 0, -margin, 0)

    def sizeHint(self) -> QSize:
        """As high as it always is."""
        return QSize(0, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The words."""
        if self._theme is None or not self._words:
            return
        painter = QPainter(self)
        painter.setFont(self._theme.font(self.letters()))
        painter.setPen(self._theme.color("text"))
        painter.drawText(self._room(), int(_FLAGS), self._words)
