"""The plots of an experiment: the report's own pictures, drawn for the width and the look of the window."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.explained import explain

_GAP = 8
_LEAST = 420  # pixels before the scale of fonts: a narrower picture is scrolled to
EMPTY = "The plots fill up as trials are done: choose an experiment and start it."


class Picture(QWidget):
    """One plot, painted from its SVG at the scale of the fonts."""

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
        """As the picture says, at the scale of the fonts."""
        size, scale = self._renderer.defaultSize(), self._appearance.theme.font_scale
        return QSize(round(size.width() * scale), round(size.height() * scale))

    def event(self, event: QEvent) -> bool:
        """Show no tool tip of what is around it: that would lie over the plot."""
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it whole."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._renderer.render(painter)


class Pictures(QScrollArea):
    """All plots, one below the other; says when others are wanted because of its size or look."""

    redraw_requested = Signal()

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.setAccessibleName("Plots of the experiment")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        explain(self, "What the trials say so far, drawn anew as they come.")
        self.setWidgetResizable(True)
        self.setFrameStyle(0)
        inside = QWidget()
        self._column = vbox(inside, _GAP)
        self.empty = QLabel(EMPTY)
        self.empty.setProperty("role", "dim")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self._column.addWidget(self.empty, 1000)  # in the middle, as long as there is nothing else
        self._column.addStretch(1)
        self.setWidget(inside)
        self.pictures: dict[str, Picture] = {}
        appearance.changed.connect(self._on_look_changed)

    @property
    def room(self) -> int:
        """The width that a picture should have, before the scale of fonts."""
        scroll = self.verticalScrollBar().sizeHint().width()
        return max(_LEAST, int((self.width() - scroll - 2) / self._appearance.theme.font_scale))

    @property
    def dark(self) -> bool:
        """Whether they stand on a dark ground."""
        return self._appearance.theme.dark

    def _on_look_changed(self) -> None:
        self.redraw_requested.emit()

    def show_pictures(self, svgs: dict[str, str]) -> None:
        """Show these, in their order."""
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
        """Another width wants other pictures."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.redraw_requested.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Somebody looks."""
        super().showEvent(event)
        self.redraw_requested.emit()
