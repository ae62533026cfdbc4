"""The controls below the geometry plot: the slider for the truncation, and the features on the axes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel

from gems_engine.terminal import superscript
from gems_gui.views.slider_view import Controls
from gems_gui.widgets.boxes import hbox
from gems_gui.widgets.explained import explain
from gems_gui.widgets.feature_box import FeatureBox

_SLIDE = "Truncate: moving right shrinks the coordinates beyond d to 0, the last one first"
_WHOLE = "Nothing to truncate: the round works in all D features"
_INSIDE = "Nothing to truncate: this plane lies in Rᵈ and does not show coordinates beyond d"


class GeometryControls(Controls):
    """A slider for the truncation from R^D to R^d, and fields for two features."""

    name, most, page, tip = "Truncation from Rᴰ to Rᵈ", 100, 10, _SLIDE

    def __init__(self) -> None:
        super().__init__()
        self.whole, self.short = QLabel(), QLabel()
        for label in (self.whole, self.short):
            label.setProperty("role", "dim")
        self.across, self.up = FeatureBox(), FeatureBox()
        self.across.name("Horizontal feature", "→ ")
        self.up.name("Vertical feature", "↑ ")
        for box, name in ((self.across, "across"), (self.up, "up")):
            explain(box, box.toolTip())
            box.valueChanged.connect(self._on_across_changed if name == "across" else self._on_up_changed)
        row = hbox(self, 6)
        for widget, stretch in ((self.whole, 0), (self.slider, 3), (self.short, 0), (self.across, 1), (self.up, 1)):
            row.addWidget(widget, stretch)

    def show_plane(
        self, d: int, D: int, truncation: int, still: bool, features: tuple[int, int] | None, names: Sequence[str] = ()
    ) -> None:
        """Show the chosen values; the slider is off where nothing can be truncated, and only features have boxes."""
        self.whole.setText(f"R{superscript(D)}")
        short = f"R{superscript(d)}"
        self.short.setText(short if not still else "d = D" if d == D else f"all in {short}")
        why = _SLIDE if not still else _WHOLE if d == D else _INSIDE
        for part in (self.whole, self.slider, self.short):
            part.setEnabled(not still)
            part.setToolTip(f"{why}.")
            explain(part, f"{why}.")
        self.set_place(truncation)
        for box, value in zip((self.across, self.up), features or (1, 1), strict=True):
            box.setVisible(features is not None)
            box.show_value(value, D, names)

    def _on_slider_moved(self, place: int) -> None:
        self.chosen.emit("truncation", str(place))

    def _on_across_changed(self, feature: int) -> None:
        self.chosen.emit("across", str(feature))

    def _on_up_changed(self, feature: int) -> None:
        self.chosen.emit("up", str(feature))
