"""The frame around a view: a head with title and subtitle, a body and a legend."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QToolButton, QWidget

from gems_engine.terminal import with_indices
from gems_gui.markup import plain_text
from gems_gui.series.wordings import Phrasings
from gems_gui.theme import Theme
from gems_gui.views.legend import Legend
from gems_gui.widgets.boxes import hbox, vbox

_ICON, _AROUND = 16, 8  # pixels of the button's icon, and around it
_LEAST_LETTERS = 5  # a text cut to fewer letters is useless


class ElidedLabel(QLabel):
    """A line that shows the longest phrasing that fits; the full text is in the tooltip.

    Its size does not depend on its text, so that frequent changes of the text do not trigger a new layout of the
    window.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ways: Phrasings = ()
        self._shown = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(0)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def text(self) -> str:
        """The full text."""
        return self._ways[0] if self._ways else ""

    def setText(self, text: str | Phrasings) -> None:
        """Set the text; phrasings are given from the longest to the shortest."""
        said = text if isinstance(text, tuple) else (text,) if text else ()
        if said != self._ways:
            self._ways = said
            self.setAccessibleName(self.text())
            self._fit()
            self.update()

    def shown(self) -> str:
        """The phrasing that fits."""
        return self._shown

    def _fit(self) -> None:
        """Choose the phrasing; if even the shortest does not fit, elide it."""
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        said = [with_indices(each) for each in self._ways]
        self._shown = next((each for each in said if metrics.horizontalAdvance(each) <= room), "")
        if said and not self._shown:
            short = metrics.elidedText(said[-1], Qt.TextElideMode.ElideRight, room)
            self._shown = short if len(short) >= _LEAST_LETTERS else ""
        tip = plain_text(self.text()) if self._shown != with_indices(self.text()) else ""
        if tip != self.toolTip():
            self.setToolTip(tip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment(), self._shown)


class Head(QFrame):
    """The title, the subtitle and the button with the view's options."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "head")
        self.title = QLabel(with_indices(title))
        self.title.setProperty("role", "title")
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.subtitle = ElidedLabel()
        self.subtitle.setProperty("role", "dim")
        self.subtitle.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.options = QToolButton()
        self.options.setAccessibleName(f"Options of {title}")
        self.options.setToolTip("Choose what this view shows, and how")
        self.options.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options.hide()
        row = hbox(self, 6, margins=(12, 7, 8, 0))
        row.addWidget(self.title)
        row.addWidget(self.subtitle, 1)
        row.addWidget(self.options)

    def apply_theme(self, theme: Theme) -> None:
        """Reserve space for the button even if there is none, so that heads side by side have the same height."""
        side = theme.pixels(_ICON)
        self.options.setIconSize(QSize(side, side))
        self.title.setMinimumHeight(side + _AROUND)


class Body(QFrame):
    """The area below the head: the widget of the view and its legend.

    Signals
    -------
    resized
        The body has a new size.
    """

    resized = Signal()

    def __init__(self, content: QWidget, legend: Legend) -> None:
        super().__init__()
        self.setProperty("role", "body")
        self._legend = legend
        column = vbox(self, 2, margins=(8, 2, 8, 8))
        column.addWidget(content, 1)
        column.addWidget(legend)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the legend at most an eighth of the height."""
        super().resizeEvent(event)
        self._legend.set_room(self.contentsRect().width() - 16, self.height() // 8)
        self.resized.emit()


class Card(QWidget):
    """Head and body in one widget, for pictures; in the window, a dock contains both."""

    def __init__(self, head: Head, body: Body) -> None:
        super().__init__()
        column = vbox(self, 0)
        column.addWidget(head)
        column.addWidget(body, 1)
