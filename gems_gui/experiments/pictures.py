"""The plots of an experiment: those of the report, drawn for the width and the theme of the window."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from gems_gui.appearance import Appearance
from gems_gui.experiments.map_picture import MapPicture
from gems_gui.experiments.picture import Picture
from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.explained import described, explain

_GAP = 8
_LEAST = 420  # smallest width in pixels before font scaling; a narrower area scrolls
MAP = "map"
"""The name of the plot whose cells can be opened."""
EMPTY = "No results yet. Choose an experiment and start it; the plots are updated as trials finish."


class Pictures(QScrollArea):
    """All plots, one below the other; emits a signal if its size or theme requires new ones."""

    redraw_requested = Signal()
    cell_asked = Signal(int)
    """Open the runs of this cell of the map."""

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
        self._tips: dict[int, str] = {}
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

    def show_tips(self, tips: dict[int, str]) -> None:
        """Show these texts at the cells of the map."""
        self._tips = tips
        for picture in self.pictures.values():
            if isinstance(picture, MapPicture):
                picture.tips = tips

    def _make(self, name: str) -> Picture:
        if name != MAP:
            return Picture(self._appearance)
        picture = MapPicture(self._appearance)
        picture.tips = self._tips
        picture.asked.connect(self.cell_asked)
        return picture

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
                self.pictures[name] = self._make(name)
                self._column.insertWidget(place, self.pictures[name])
                if name == MAP:
                    QWidget.setTabOrder(self, self.pictures[name])
            self.pictures[name].show_svg(svg)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.redraw_requested.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw_requested.emit()
