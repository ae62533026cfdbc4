"""A line of text that changes often and shortens to fit, without moving anything around it."""

from __future__ import annotations

import math

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.markup import plain_text
from gems_gui.series.wordings import Phrasings, without_cut_number
from gems_gui.theme import BASE_SIZE, Theme

_DIM_SIZE = 11
_STEP = 24  # pixels by which the requested width grows


class _Letters:
    """A font, and the widths of texts in it."""

    def __init__(self, font: QFont) -> None:
        self.font, self.metrics = font, QFontMetrics(font)


class FittingLabel(QWidget):
    """One line with a bold and a dim part, in the longest wording that fits; the tooltip has all of it.

    A QLabel would trigger a new layout of the whole window at each new text. This one requests as much room as its
    longest text needed so far, and only when that grows.

    Parameters
    ----------
    sample
        A text that always fits.
    least
        The least width in pixels, before font scaling; None: it does not shrink.
    most
        The largest width that it requests.
    size, color
        Of the part that is not bold: its size before font scaling, and its colour in the theme.
    """

    def __init__(
        self,
        name: str,
        appearance: Appearance,
        sample: str = "",
        least: int | None = None,
        most: int = 480,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        size: int = _DIM_SIZE,
        color: str = "dim",
    ) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._appearance = appearance
        self._sample = sample
        self._least = least
        self._most = most
        self._align = align
        self._size, self._color = size, color
        self.bold = ""
        self._ways: Phrasings = ("",)
        self._widest = 0
        appearance.follow(self._apply_theme)

    @property
    def dim(self) -> str:
        """The complete dim text."""
        return self._ways[0]

    @property
    def text(self) -> str:
        """The complete text."""
        return "  ".join(filter(None, (self.bold, self.dim)))

    def set_text(self, dim: str | Phrasings, bold: str = "") -> None:
        """Show another text; the wordings of the dim part are ordered from the longest to the shortest."""
        said = (dim,) if isinstance(dim, str) else dim or ("",)
        if (said, bold) == (self._ways, self.bold):
            return
        self._ways, self.bold = said, bold
        self._reserve()
        self._update_accessibility()
        self.update()

    def _apply_theme(self, theme: Theme) -> None:
        self._bold, self._dim = _Letters(theme.font(BASE_SIZE, bold=True)), _Letters(theme.font(self._size))
        self.forget()

    def forget(self) -> None:
        """Release the room that earlier texts needed."""
        self._widest = self._dim.metrics.horizontalAdvance(self._sample) + 1 if self._sample else 0
        self._reserve()
        self.updateGeometry()
        self._update_accessibility()
        self.update()

    def reset(self) -> None:
        """Clear the text and release its room, for a new subject."""
        self._ways, self.bold = ("",), ""
        self.forget()

    @property
    def room(self) -> int:
        """The width of the longest text so far, in pixels."""
        return self._widest

    def set_room(self, room: int) -> None:
        """Request at least this width, or more if the current text needs it."""
        self._widest = room
        self._reserve()
        self.updateGeometry()

    def needed(self) -> int:
        """The width of the whole text."""
        width = self._bold.metrics.horizontalAdvance(self.bold) + self._dim.metrics.horizontalAdvance(self.dim)
        return width + (self._gap() if self.bold and self.dim else 0)

    def shown(self) -> tuple[str, str]:
        """The bold and the dim part as far as they fit."""
        bold = self._bold.metrics.elidedText(self.bold, Qt.TextElideMode.ElideRight, self.width())
        left = self.width() - (self._bold.metrics.horizontalAdvance(bold) + self._gap() if bold else 0)
        fits = (each for each in self._ways if self._dim.metrics.horizontalAdvance(each) <= left)
        short = self._dim.metrics.elidedText(self._ways[-1], Qt.TextElideMode.ElideRight, max(0, left))
        return without_cut_number(bold), next(fits, without_cut_number(short))

    def _gap(self) -> int:
        return self._appearance.theme.pixels(8)

    def _reserve(self) -> None:
        needed = self.needed()
        if needed > self._widest:
            self._widest = math.ceil(needed / _STEP) * _STEP
            self.updateGeometry()

    def _update_accessibility(self) -> None:
        whole = self.shown() == (self.bold, self.dim)
        self.setToolTip(plain_text(self.tip("" if whole else self.text)))
        self.setAccessibleDescription(self.text)

    def tip(self, cut: str) -> str:
        """The tooltip; `cut` is the complete text if it does not fit, otherwise empty."""
        return cut

    def sizeHint(self) -> QSize:
        width = self._widest if self._least is None else min(self._widest, self._appearance.theme.pixels(self._most))
        return QSize(width, self._bold.metrics.height())

    def minimumSizeHint(self) -> QSize:
        hint = self.sizeHint()
        if self._least is None:
            return hint
        return QSize(min(hint.width(), self._appearance.theme.pixels(self._least)), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_accessibility()

    def paintEvent(self, event: QPaintEvent) -> None:
        bold, dim = self.shown()
        painter = QPainter(self)
        box = QRect(self.rect())
        align = self._align | Qt.AlignmentFlag.AlignVCenter
        if bold:
            painter.setFont(self._bold.font)
            painter.setPen(self._appearance.theme.color("text"))
            painter.drawText(box, align, bold)
            box.setLeft(box.left() + self._bold.metrics.horizontalAdvance(bold) + self._gap())
        painter.setFont(self._dim.font)
        painter.setPen(self._appearance.theme.color(self._color))
        painter.drawText(box, align, dim)
