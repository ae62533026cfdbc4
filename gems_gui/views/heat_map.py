"""Square cells in shades of one colour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gems_engine.arrays import Floats
from gems_gui.theme import Theme
from gems_gui.views.items import in_print, paint_rectangles

_SHADES = 255
_INFINITE = _SHADES  # the last code


class HeatMap(pg.ImageItem):  # type: ignore[misc]
    """Cells in shades up to the full colour, and in a separate colour for infinity."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__(axisOrder="row-major")
        self._box = box
        self._colors = np.zeros(_SHADES + 1, dtype=np.uint32)
        box.addItem(self, ignoreBounds=True)
        self.empty()

    def apply_theme(self, theme: Theme, full: str, infinite: str) -> None:
        """Set the colour of each code, from the roles of the largest value and of infinity."""
        roles = map(theme.color, ("card", full, infinite))
        card, most, beyond = (np.array([color.red(), color.green(), color.blue()]) for color in roles)
        part = (np.arange(_SHADES) / (_SHADES - 1))[:, None]
        shades = np.vstack([card + (most - card) * (0.06 + 0.94 * part), beyond[None, :]])
        table = np.rint(shades).astype(np.ubyte)
        red, green, blue = table.astype(np.uint32).T
        self._colors = np.asarray(0xFF000000 | red << 16 | green << 8 | blue, dtype=np.uint32)
        self.setLookupTable(table)
        self.setLevels((0, _INFINITE + 1))

    def fill(self, shares: Floats) -> None:
        """Draw these values, from 0 to 1."""
        finite = np.rint(np.minimum(shares, 1.0) * (_SHADES - 1))
        codes = np.where(np.isfinite(shares), finite, _INFINITE).astype(np.uint16)
        if self.image is None or not np.array_equal(self.image, codes):
            self.setImage(codes, autoLevels=False)
        self.setRect(QRectF(0.0, 0.0, len(codes), len(codes)))
        self.setVisible(True)

    def paint(self, painter: QPainter, *rest: Any) -> None:
        """Draw the cells; in print as rectangles, unless there are too many."""
        if (
            self.image is None
            or not in_print(self._box)
            or not paint_rectangles(painter, self._colors[self.image], QRectF(0, 0, *self.image.shape[::-1]))
        ):
            super().paint(painter, *rest)

    def empty(self) -> None:
        self.setVisible(False)
