"""Plots with a slider under them, by which an option of the view is chosen."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from gems_gui.theme import Theme
from gems_gui.views.plot_view import PlotView, Series, stacked
from gems_gui.widgets.explained import explain

_LOW = 150  # pixels of the body, before the scale of fonts, below which the plot needs the room of the controls


class Controls(QWidget):
    """A slider from 0 to ``most``; a subclass lays it out with what else it has.

    Signals
    -------
    chosen
        The name of an option and its new value.
    """

    name: ClassVar[str]
    most: ClassVar[int]
    page: ClassVar[int]
    tip: ClassVar[str]

    chosen = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, self.most)
        self.slider.setPageStep(self.page)
        self.slider.setAccessibleName(self.name)
        self.slider.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        explain(self.slider, self.tip)
        self.slider.valueChanged.connect(self._on_slider_moved)

    def _on_slider_moved(self, place: int) -> None:
        raise NotImplementedError

    def set_place(self, place: int) -> None:
        """Let the slider stand there, without telling others."""
        self.slider.blockSignals(True)
        self.slider.setValue(place)
        self.slider.blockSignals(False)


class SliderView(PlotView[Series]):
    """A plot with controls under it, where a window has room for them."""

    kind_of_controls: ClassVar[type[Controls]]

    def make(self) -> QWidget:
        """The plot over the controls."""
        self.controls = self.kind_of_controls()
        self.controls.chosen.connect(self.set_option)
        self.controls.setVisible(False)
        return stacked((super().make(), 1), (self.controls, 0))

    def apply_theme(self, theme: Theme) -> None:
        """The slider is as high as a line of text."""
        super().apply_theme(theme)
        self.controls.slider.setFixedHeight(theme.pixels(18))

    def clear(self) -> None:
        """Without the controls."""
        super().clear()
        self.controls.setVisible(False)

    def make_room(self) -> None:
        """The controls are for a window, and for a card that is high enough."""
        high = self.body.height() >= self.theme.pixels(_LOW)
        self.controls.setVisible(high and not self.exporting and self.series is not None)
