"""The plots of an experiment as files: SVG as drawn, or painted as PDF and PNG."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgRenderer

from gems_engine.errors import InputError
from gems_gui.painting.limits import DPI
from gems_gui.painting.pdf import describe, page_layout, with_page_size
from gems_gui.painting.render import png

SUFFIXES = (".svg", ".pdf", ".png")
"""The formats of the plots of an experiment."""
LEAST_SHARE = 0.85
"""How much a plot on paper may be reduced: its text has 8.25 points before, and at least 7 after."""
_SIZE = re.compile(r' width="([0-9.]+)" height="([0-9.]+)"')


@dataclass(frozen=True)
class PlotFigure:
    """One plot.

    Attributes
    ----------
    name, svg
        Its name, and the picture.
    inches
        Its width on paper; None for a picture in pixels.
    scale
        Factor for the pixels of a PNG in each direction.
    """

    name: str
    svg: str
    inches: float | None = None
    scale: float = 1.0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as drawn, in pixels."""
        match = _SIZE.search(self.svg)
        assert match is not None
        return float(match[1]), float(match[2])

    @property
    def reduced(self) -> float:
        """The factor from the size as drawn to that on paper; raises an InputError if text would be too small."""
        if self.inches is None:
            return 1.0
        share = self.inches * DPI / self.size[0]
        if share < LEAST_SHARE - 1e-9:
            least = self.size[0] * LEAST_SHARE / DPI
            raise InputError(
                f'The plot "{self.name}" needs a width of {least + 0.005:.2f} inches or more. Enlarge --size.'
            )
        return share

    def data(self, suffix: str) -> bytes:
        """The file in a format."""
        return {".svg": self._svg, ".pdf": self._pdf, ".png": self._png}[suffix]()

    def _svg(self) -> bytes:
        width, height = (side * self.reduced / DPI for side in self.size)
        if self.inches is None:
            return self.svg.encode()
        return _SIZE.sub(f' width="{width:.4g}in" height="{height:.4g}in"', self.svg, count=1).encode()

    def _pdf(self) -> bytes:
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        device = QPdfWriter(buffer)
        describe(device, self.name, f"{self.name} {self.inches} {self.svg}")
        device.setResolution(DPI)
        width, height = (side * self.reduced for side in self.size)
        points = width * 72 / DPI, height * 72 / DPI
        device.setPageLayout(page_layout(*points))
        painter = QPainter(device)
        QSvgRenderer(QByteArray(self.svg.encode())).render(painter, QRectF(0.0, 0.0, width, height))
        painter.end()
        buffer.close()
        return with_page_size(bytes(data.data()), *points)

    def _png(self) -> bytes:
        factor = self.reduced * self.scale
        image = QImage(QSize(*(round(side * factor) for side in self.size)), QImage.Format.Format_RGB32)
        image.fill("white")
        dots = round(DPI * self.scale / 0.0254)
        image.setDotsPerMeterX(dots)
        image.setDotsPerMeterY(dots)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        QSvgRenderer(QByteArray(self.svg.encode())).render(painter, QRectF(image.rect()))
        painter.end()
        return png(image)
