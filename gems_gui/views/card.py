"""The frame around a view: a head that names it and says what exactly is shown, a body, a legend."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from gems_gui.views.legend import Legend


class ElidedLabel(QLabel):
    """A line that gives way: what has no room ends in «…» and stands whole in the tooltip.

    Its size does not depend on its text, so that another text, many times a second, never lays the window out anew.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(0)
        self.setText(text)

    def sizeHint(self) -> QSize:
        """One line, as wide as there is room."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """No width is too small."""
        return QSize(0, self.fontMetrics().height())

    def text(self) -> str:
        """The whole line."""
        return self._words

    def setText(self, text: str) -> None:
        """Show another line."""
        if text != self._words:
            self._words = text
            self.setAccessibleName(text)
            self._tell()
            self.update()

    def shown(self) -> str:
        """What there is room for."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def _tell(self) -> None:
        tip = self._words if self.shown() != self._words else ""
        if tip != self.toolTip():
            self.setToolTip(tip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The room has changed, and with it whether a tooltip is needed."""
        super().resizeEvent(event)
        self._tell()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what there is room for."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment(), self.shown())


class Head(QFrame):
    """Title, what exactly is shown, and the button with the view's options."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "head")
        self.title = QLabel(title)
        self.title.setProperty("role", "title")
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.subtitle = ElidedLabel()
        self.subtitle.setProperty("role", "dim")
        self.subtitle.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.options = QToolButton()
        self.options.setAccessibleName(f"Options of {title}")
        self.options.setToolTip("What this view shows, and how")
        self.options.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 7, 8, 0)
        row.setSpacing(10)
        row.addWidget(self.title)
        row.addWidget(self.subtitle, 1)
        row.addWidget(self.options)


class Body(QFrame):
    """What is under the head: the view's own widget and its legend."""

    def __init__(self, content: QWidget, legend: Legend) -> None:
        super().__init__()
        self.setProperty("role", "body")
        self._legend = legend
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 8, 8)
        column.setSpacing(2)
        column.addWidget(content, 1)
        column.addWidget(legend)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A quarter is for the legend, at most."""
        super().resizeEvent(event)
        self._legend.set_room(self.contentsRect().width() - 16, self.height() // 4)


class Card(QWidget):
    """Head and body in one piece, for pictures; in the window a dock holds the two."""

    def __init__(self, head: Head, body: Body) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(body, 1)
