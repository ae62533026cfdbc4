"""Plots with a slider below them that sets an option of the view."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSlider, QWidget

from gems_gui.theme import Theme
from gems_gui.views.plot_view import PlotView, Series, stacked
from gems_gui.widgets.explained import explain

_LOW = 150  # pixels, before font scaling: in a lower body, the controls are hidden


class Controls(QWidget):
    """A slider from 0 to ``most``; a subclass lays it out with its other widgets.

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
        """Move the slider without emitting a signal."""
        self.slider.blockSignals(True)
        self.slider.setValue(place)
        self.slider.blockSignals(False)


class SliderView(PlotView[Series]):
    """A plot with controls below it, shown in a window that is high enough."""

    kind_of_controls: ClassVar[type[Controls]]

    def make(self) -> QWidget:
        self.controls = self.kind_of_controls()
        self.controls.chosen.connect(self.set_option)
        self.controls.setVisible(False)
        return stacked((super().make(), 1), (self.controls, 0))

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self.controls.slider.setFixedHeight(theme.pixels(18))

    def clear(self) -> None:
        super().clear()
        self.controls.setVisible(False)

    def make_room(self) -> None:
        """Show the controls in a window if the card is high enough; pictures and the stage of a talk have none."""
        high = self.body.height() >= self.theme.pixels(_LOW)
        still = self.exporting or self.theme.hall
        self.controls.setVisible(high and not still and self.series is not None)
