"""The frame around a view: a head that names it and says what exactly is shown, a body, a legend."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QToolButton, QWidget

from gems_gui.series.wordings import Phrasings
from gems_gui.theme import Theme
from gems_gui.views.legend import Legend
from gems_gui.widgets.boxes import hbox, vbox

_ICON, _AROUND = 16, 8  # pixels of the button's icon, and of the button around it
_LEAST_LETTERS = 5  # fewer of a text that is cut off say nothing
_INDEX = re.compile(r"(?<=[λdgN])_([0-9]+|k)(?!\w)")
_LOWERED = str.maketrans("0123456789k", "₀₁₂₃₄₅₆₇₈₉ₖ")


def with_indices(text: str) -> str:
    """λ_k, d_k, g_1 and N_k as λₖ, dₖ, g₁ and Nₖ; names of arms stay as they are everywhere else."""
    return _INDEX.sub(lambda found: found[1].translate(_LOWERED), text)


class ElidedLabel(QLabel):
    """A line that gives way: of the ways to say it the longest that has room, and all of it in the tooltip.

    Its size does not depend on its text, so that another text, many times a second, never lays the window out anew.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ways: Phrasings = ()
        self._shown = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(0)

    def sizeHint(self) -> QSize:
        """One line, as wide as there is room."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """No width is too small."""
        return QSize(0, self.fontMetrics().height())

    def text(self) -> str:
        """The whole line."""
        return self._ways[0] if self._ways else ""

    def setText(self, text: str | Phrasings) -> None:
        """Show another line, whose ways are given from the longest to the shortest."""
        said = text if isinstance(text, tuple) else (text,) if text else ()
        if said != self._ways:
            self._ways = said
            self.setAccessibleName(self.text())
            self._fit()
            self.update()

    def shown(self) -> str:
        """What there is room for."""
        return self._shown

    def _fit(self) -> None:
        """Choose the way to say it; of the shortest, only its beginning where even that has no room."""
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        said = [with_indices(each) for each in self._ways]
        self._shown = next((each for each in said if metrics.horizontalAdvance(each) <= room), "")
        if said and not self._shown:
            short = metrics.elidedText(said[-1], Qt.TextElideMode.ElideRight, room)
            self._shown = short if len(short) >= _LEAST_LETTERS else ""
        tip = self.text() if self._shown != with_indices(self.text()) else ""
        if tip != self.toolTip():
            self.setToolTip(tip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The room has changed, and with it what is said."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """So it is with larger letters."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what there is room for."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment(), self._shown)


class Head(QFrame):
    """Title, what exactly is shown, and the button with the view's options."""

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
        self.options.setToolTip("What this view shows, and how")
        self.options.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.options.hide()
        row = hbox(self, 6, margins=(12, 7, 8, 0))
        row.addWidget(self.title)
        row.addWidget(self.subtitle, 1)
        row.addWidget(self.options)

    def apply_theme(self, theme: Theme) -> None:
        """Make room for the button, whether there is one or not: heads side by side are equally high."""
        side = theme.pixels(_ICON)
        self.options.setIconSize(QSize(side, side))
        self.title.setMinimumHeight(side + _AROUND)


class Body(QFrame):
    """What is under the head: the view's own widget and its legend.

    Signals
    -------
    resized
        It has other room.
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
        """An eighth is for the legend, at most."""
        super().resizeEvent(event)
        self._legend.set_room(self.contentsRect().width() - 16, self.height() // 8)
        self.resized.emit()


class Card(QWidget):
    """Head and body in one piece, for pictures; in the window a dock holds the two."""

    def __init__(self, head: Head, body: Body) -> None:
        super().__init__()
        column = vbox(self, 0)
        column.addWidget(head)
        column.addWidget(body, 1)
