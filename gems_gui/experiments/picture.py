"""One plot of an experiment, painted from its SVG."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_gui.appearance import Appearance


class Picture(QWidget):
    """One plot, painted from its SVG at the font scale."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.svg = ""
        self.renderer = QSvgRenderer(self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_svg(self, svg: str) -> None:
        """Show another picture."""
        if svg != self.svg:
            self.svg = svg
            self.renderer.load(QByteArray(svg.encode()))
            name = svg.partition("<title>")[2].partition("</title>")[0]
            self.setAccessibleName(name)
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        size = self.renderer.defaultSize()
        return QSize(round(size.width() * self.scale), round(size.height() * self.scale))

    @property
    def scale(self) -> float:
        """Pixels of the widget for each of the plot."""
        return self._appearance.theme.font_scale

    def focus_pen(self) -> QPen:
        """The pen that marks what has the focus."""
        return QPen(self._appearance.theme.color("text"), 2.0, Qt.PenStyle.DotLine)

    def event(self, event: QEvent) -> bool:
        """Suppress the tool tip of the parent, which would cover the plot."""
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.renderer.render(painter)
