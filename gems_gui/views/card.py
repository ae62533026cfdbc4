"""The frame around a view: a head with title and subtitle, a body and a legend."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QSizePolicy, QToolButton, QWidget

from gems_engine.terminal import with_indices
from gems_gui.markup import plain_text
from gems_gui.series.wordings import Phrasings, without_cut_number
from gems_gui.theme import Theme
from gems_gui.views.legend import Legend
from gems_gui.widgets.boxes import hbox, vbox

_ICON, _AROUND = 16, 8  # pixels of the button's icon, and around it
_EDGE = 4  # pixels around text, which some letters touch
_LEAST_LETTERS = 5  # a text cut to fewer letters is useless
_NARROW = 44  # font sizes: in a narrower view on a projector, the subtitle is below the title
_NOWHERE = QRect(-1, -1, 1, 1)  # an empty mask would mask nothing
_UNLIMITED = 10_000  # pixels
_WRAPPED = Qt.TextFlag.TextWordWrap


class ElidedLabel(QLabel):
    """A line that shows the longest phrasing that fits; the full text is in the tooltip.

    Only where text is written does it take the mouse. Its size does not depend on its text, so that frequent changes of
    the text do not trigger a new layout of the window.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ways: Phrasings = ()
        self._shown = ""
        self._lines = 1
        self._least = 0
        self.wraps = False
        """Whether the shortest phrasing is wrapped instead of elided where it does not fit: for a projector."""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(0)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, max(self._least, self._lines * self.fontMetrics().height()))

    def set_least_height(self, pixels: int) -> None:
        """Reserve a height. A QLabel would keep a former minimum height in its size hint."""
        self._least = pixels
        self.updateGeometry()

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
        lines = 1
        if said and not self._shown and self.wraps:
            self._shown = said[-1]
            box = metrics.boundingRect(QRect(0, 0, max(room, 1), _UNLIMITED), int(_WRAPPED), self._shown)
            lines = max(1, round(box.height() / metrics.height()))
        elif said and not self._shown:
            short = without_cut_number(metrics.elidedText(said[-1], Qt.TextElideMode.ElideRight, room))
            self._shown = short if len(short) >= _LEAST_LETTERS else ""
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()
        self._leave_blank_space()
        tip = plain_text(self.text()) if self._shown != with_indices(self.text()) else ""
        if tip != self.toolTip():
            self.setToolTip(tip)

    def _leave_blank_space(self) -> None:
        """Leave the mouse where no text is written to the widget below."""
        written = self.fontMetrics().boundingRect(self.contentsRect(), self._flags, self._shown)
        self.setMask(written.adjusted(-_EDGE, -_EDGE, _EDGE, _EDGE) if self._shown else _NOWHERE)

    @property
    def _flags(self) -> int:
        return int(self.alignment() | (_WRAPPED if self.wraps else Qt.TextFlag.TextSingleLine))  # widths are rounded

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
        painter.drawText(self.contentsRect(), self._flags, self._shown)


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
        self._narrow = 0
        self._below: bool | None = None
        self._row = hbox(self, 6, margins=(12, 7, 8, 0))
        self._row.addWidget(self.title)
        self._row.addWidget(self.subtitle, 1)
        self._row.addWidget(self.options)

    def apply_theme(self, theme: Theme) -> None:
        """Reserve space for the button even if there is none, so that heads side by side have the same height."""
        side = theme.pixels(_ICON)
        self.options.setIconSize(QSize(side, side))
        self.subtitle.set_least_height(0 if theme.hall else side + _AROUND)
        self._narrow = _NARROW * theme.letters() if theme.hall else 0
        self.subtitle.wraps = theme.hall
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the subtitle next to the title or, in a narrow view on a projector, below it."""
        below = self.width() < self._narrow
        if below == self._below:
            return  # a change of the layout in every resize event would ask for another layout
        self._below = below
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)
        self._row.setSpacing(0 if below else 6)
        aside = Qt.AlignmentFlag.AlignLeft if below else Qt.AlignmentFlag.AlignRight
        self.subtitle.setAlignment(aside | Qt.AlignmentFlag.AlignVCenter)


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
