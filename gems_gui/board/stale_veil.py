"""The overlay of the board while its run is out of date: a line at once, and a veil with text if it takes longer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gems_gui.appearance import Appearance
from gems_gui.theme import Theme
from gems_gui.widgets.timers import single_shot

_LONG = 350  # milliseconds: a shorter delay would make the veil flicker
_LINE = 3  # pixels before font scaling
_VEIL = 110  # of 255
_HEAD = 40  # pixels before font scaling, in which the first views have their titles


class StaleVeil(QWidget):
    """Covers a widget without taking its mouse.

    Attributes
    ----------
    reason : str
        Why the board is out of date; empty: it is up to date, and nothing is drawn.
    active : bool
        Whether the text and the veil are drawn, not only the line.
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
        """Set the reason why the views are out of date; empty if they are up to date."""
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
        """A newer run is shown, though not the newest: restart the delay of the veil."""
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
        """Resize to what is needed: everything below is repainted with every change of the overlay."""
        line = self._appearance.theme.pixels(_LINE)
        self.setGeometry(QRect(0, 0, self._over.width(), self._over.height() if self.active else line))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._cover()
        return False

    @property
    def label_rect(self) -> QRect:
        """The position of the text: under the titles of the first views."""
        theme = self._appearance.theme
        metrics = QFontMetrics(theme.font(bold=True))
        width = metrics.horizontalAdvance(self.reason) + theme.pixels(24)
        return QRect((self.width() - width) // 2, theme.pixels(_HEAD), width, metrics.height() + theme.pixels(10))

    def paintEvent(self, event: QPaintEvent) -> None:
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
