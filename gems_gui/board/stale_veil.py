"""What lies over the board while it shows an old run: a line at once, and a veil with words when it takes longer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gems_gui.appearance import Appearance
from gems_gui.theme import Theme
from gems_gui.widgets.timers import single_shot

_LONG = 350  # milliseconds: a veil that comes and goes ten times a second would be no help
_LINE = 3  # pixels before the scale of fonts
_VEIL = 110  # of 255
_HEAD = 40  # pixels before the scale of fonts, in which the first views have their titles


class StaleVeil(QWidget):
    """Covers a widget without taking its mouse.

    Attributes
    ----------
    words : str
        Why what is below is old; empty: it is not, and nothing is drawn.
    veiled : bool
        Whether the words and the veil are drawn, not only the line.
    """

    def __init__(self, over: QWidget, appearance: Appearance) -> None:
        super().__init__(over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Whether the views are up to date")
        self._over = over
        self._appearance = appearance
        self.reason = ""
        self.active = False
        self._timer = single_shot(self, self._veil, _LONG)
        over.installEventFilter(self)
        self.hide()
        appearance.follow(self._apply_theme)

    def set_reason(self, words: str) -> None:
        """Say why the views are old, or, with an empty text, that they are not."""
        if words == self.reason:
            return
        self.reason = words
        self.setAccessibleDescription(words)
        if words:
            if not self.isVisible():
                self._timer.start()
            self._cover()
            self.show()
            self.raise_()
        else:
            self._timer.stop()
            self.active = False
            self.hide()
        self.update()

    def refreshed(self, *_: object) -> None:
        """Something newer is shown, though not the newest: it is not veiled before it is old again."""
        if self.reason:
            self._timer.start()
            if self.active:
                self.active = False
                self._cover()

    def _apply_theme(self, theme: Theme) -> None:
        self._cover()
        self.update()

    def _veil(self) -> None:
        self.active = True
        self._cover()
        self.update()

    def _cover(self) -> None:
        """Only as large as needed: what lies below is painted again with every change of what lies above."""
        line = self._appearance.theme.pixels(_LINE)
        self.setGeometry(QRect(0, 0, self._over.width(), self._over.height() if self.active else line))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of what is covered."""
        if event.type() == QEvent.Type.Resize:
            self._cover()
        return False

    @property
    def label_rect(self) -> QRect:
        """Where the words stand when it is veiled: over what is old, under the titles of the first views."""
        theme = self._appearance.theme
        metrics = QFontMetrics(theme.font(bold=True))
        width = metrics.horizontalAdvance(self.reason) + theme.pixels(24)
        return QRect((self.width() - width) // 2, theme.pixels(_HEAD), width, metrics.height() + theme.pixels(10))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the line, and the veil if it is time."""
        painter, theme = QPainter(self), self._appearance.theme
        if self.active:
            box = self.label_rect
            painter.fillRect(self.rect(), theme.color("window", _VEIL))
            painter.setFont(theme.font(bold=True))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(theme.color("card"))
            painter.setPen(theme.color("line"))
            painter.drawRoundedRect(box, 6, 6)
            painter.setPen(theme.color("text"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.reason)
        painter.fillRect(0, 0, self.width(), theme.pixels(_LINE), theme.color("best"))
