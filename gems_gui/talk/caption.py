"""The line under the views of a talk: as large as it has room, and always in the same place."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.theme import Theme

_SIZE, _SMALLEST = 19, 11  # pixels of its letters before the scale of fonts
_LINES = 2
_FLAGS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class StageCaption(QWidget):
    """Words in the middle; what needs more than two lines is written smaller."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme: Theme) -> None:
        """Its colours, and the room that it always has."""
        height = QFontMetrics(theme.font(_SIZE)).lineSpacing()
        self.setFixedHeight(_LINES * height + theme.pixels(8))
        self.update()

    @property
    def words(self) -> str:
        """What it says."""
        return self._words

    def set_text(self, words: str) -> None:
        """Say something else."""
        if words != self._words:
            self._words = words
            self.setAccessibleName(words)
            self.update()

    def letters(self) -> int:
        """The size of its letters in pixels, before the scale: the largest at which everything has room."""
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
        """As high as it always is."""
        return QSize(0, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The words."""
        if not self._words:
            return
        painter = QPainter(self)
        painter.setFont(self._appearance.theme.font(self.letters()))
        painter.setPen(self._appearance.theme.color("text"))
        painter.drawText(self._room(), int(_FLAGS), self._words)
