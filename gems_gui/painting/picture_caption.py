"""The caption under the views of a talk or a picture: as large as fits, and always in the same position."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.series.wordings import longest_prefix
from gems_gui.theme import Theme

_SIZE, _SMALLEST = 16, 11  # font size in pixels before font scaling
_LARGE, _SMALL = 1.2, 0.6  # the same on a projector, relative to the text of plots
_LINES = 2
_FLAGS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class PictureCaption(QWidget):
    """Centred text on two lines; a longer text is smaller and, if it does not fit at the smallest size, elided."""

    clicked = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme: Theme) -> None:
        """Set colours and height."""
        height = QFontMetrics(self._font(self._sizes()[0])).lineSpacing()
        self.setFixedHeight(_LINES * height + theme.pixels(4))
        self.update()

    def _sizes(self) -> range:
        """Font sizes in pixels, the largest first."""
        theme = self._appearance.theme
        if theme.hall:
            return range(round(_LARGE * theme.hall_text), ceil(_SMALL * theme.hall_text) - 1, -1)
        return range(theme.pixels(_SIZE), theme.pixels(_SMALLEST) - 1, -1)

    def _font(self, letters: int) -> QFont:
        font = self._appearance.theme.font()
        font.setPixelSize(max(1, letters))
        return font

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
        """The font size in pixels: the largest at which everything fits."""
        sizes = self._sizes()
        return next((size for size in sizes if self._fits(self._words, size)), sizes[-1])

    def _fits(self, words: str, letters: int) -> bool:
        room = self._room()
        needs = QFontMetrics(self._font(letters)).boundingRect(room, int(_FLAGS), words).size()
        return needs.height() <= self.height() and needs.width() <= room.width()

    def shown(self) -> str:
        """The text as far as it fits."""
        letters = self.letters()
        if self._fits(self._words, letters):
            return self._words
        return longest_prefix(self._words, lambda words: self._fits(words, letters))

    def lines(self) -> str:
        """The text that fits, broken into lines of similar widths if it needs two."""
        words = self.shown()
        metrics, room = QFontMetrics(self._font(self.letters())), self._room().width()
        if "\n" in words or metrics.horizontalAdvance(words) <= room:
            return words
        spaces = [at for at, sign in enumerate(words) if sign == " "]
        spaces = [at for at in spaces if not words[at + 1 : at + 2].isdigit()] or spaces  # "arm 27" stays together
        widest = {
            at: max(metrics.horizontalAdvance(words[:at]), metrics.horizontalAdvance(words[at + 1 :])) for at in spaces
        }
        best = min(widest, key=lambda at: widest[at], default=None)
        if best is None or widest[best] > room:
            return words  # a single word, or three lines of small text: Qt breaks them
        return f"{words[:best]}\n{words[best + 1 :]}"

    def _room(self) -> QRect:
        margin = self._appearance.theme.pixels(4)
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
        painter.setFont(self._font(self.letters()))
        painter.setPen(self._appearance.theme.color("text"))
        painter.drawText(self._room(), int(_FLAGS), self.lines())
