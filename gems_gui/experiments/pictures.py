"""The plots of an experiment: those of the report, drawn for the width and the theme of the window."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.explained import described, explain

_GAP = 8
_LEAST = 420  # smallest width in pixels before font scaling; a narrower area scrolls
EMPTY = "No results yet. Choose an experiment and start it; the plots are updated as trials finish."


class Picture(QWidget):
    """One plot, painted from its SVG at the font scale."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.svg = ""
        self._renderer = QSvgRenderer(self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_svg(self, svg: str) -> None:
        """Show another picture."""
        if svg != self.svg:
            self.svg = svg
            self._renderer.load(QByteArray(svg.encode()))
            name = svg.partition("<title>")[2].partition("</title>")[0]
            self.setAccessibleName(name)
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        size, scale = self._renderer.defaultSize(), self._appearance.theme.font_scale
        return QSize(round(size.width() * scale), round(size.height() * scale))

    def event(self, event: QEvent) -> bool:
        """Suppress the tool tip of the parent, which would cover the plot."""
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._renderer.render(painter)


class Pictures(QScrollArea):
    """All plots, one below the other; emits a signal if its size or theme requires new ones."""

    redraw_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.setAccessibleName("Plots of the experiment")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        explain(self, "Plots of the results so far, updated as trials finish.")
        self.setWidgetResizable(True)
        self.setFrameStyle(0)
        inside = QWidget()
        self._column = vbox(inside, _GAP)
        self.empty = described(QLabel(EMPTY), role="dim")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self._column.addWidget(self.empty, 1000)  # centred while there are no plots
        self._column.addStretch(1)
        self.setWidget(inside)
        self.pictures: dict[str, Picture] = {}
        appearance.changed.connect(self.redraw_requested)

    @property
    def room(self) -> int:
        """The width for a plot, before font scaling."""
        scroll = self.verticalScrollBar().sizeHint().width()
        return max(_LEAST, int((self.width() - scroll - 2) / self._appearance.theme.font_scale))

    @property
    def dark(self) -> bool:
        """Whether the theme is dark."""
        return self._appearance.theme.dark

    def show_pictures(self, svgs: dict[str, str]) -> None:
        """Show these plots, in this order."""
        self.empty.setVisible(not svgs)
        for name in [each for each in self.pictures if each not in svgs]:
            old = self.pictures.pop(name)
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        for place, (name, svg) in enumerate(svgs.items(), start=1):
            if name not in self.pictures:
                self.pictures[name] = Picture(self._appearance)
                self._column.insertWidget(place, self.pictures[name])
            self.pictures[name].show_svg(svg)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.redraw_requested.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw_requested.emit()
