"""What is drawn in the box of a plot, many times a second: marks, bars and curves that cost nothing while empty.

pyqtgraph asks each item several times for each picture how much room it takes, and finds out with a dozen calls how
large a pixel is. A box cuts off what lies outside of it, so what is in sight is all the room that these ever need.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPaintEngine, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsRectItem, QWidget

from gems_engine.arrays import Floats
from gems_gui.theme import mixed

_NOWHERE = QPainterPath()
_SHARP = 2.0  # pixels of cells for each of a picture that others enlarge
_MOST_PIXELS = 4e6


class ScatterItem(QGraphicsItem):
    """What is drawn at some places, in pixels; not there at all while there are none."""

    def __init__(self, box: pg.ViewBox, size: float) -> None:
        super().__init__()
        self._box = box
        self._size = size
        self._x = self._y = np.zeros(0)
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def setData(self, x: ArrayLike, y: ArrayLike) -> None:
        """Where they are."""
        across, down = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        if _same(across, self._x) and _same(down, self._y):
            return
        self._x, self._y = across, down
        self._moved()
        self.setVisible(len(across) > 0)
        self.update()

    def empty(self) -> None:
        """Draw none of them."""
        self.setData([], [])

    def _moved(self) -> None:
        """Forget what was made for the old places."""

    def getData(self) -> tuple[Floats, Floats]:
        """Where they are."""
        return self._x, self._y

    def boundingRect(self) -> QRectF:
        """What is in sight."""
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        """Nothing that the mouse could hit: the plot itself knows what is under it."""
        return _NOWHERE


class MarkItem(ScatterItem):
    """Symbols of one kind, size and colour at some places; their size is in pixels."""

    def __init__(self, box: pg.ViewBox, symbol: str = "o", size: float = 7.0) -> None:
        super().__init__(box, size)
        self._symbol = Symbols[symbol]
        self._brush = QBrush()
        self._pen = QPen(Qt.PenStyle.NoPen)
        self._path = QPainterPath()
        self._path_of: QTransform | None = None

    def _moved(self) -> None:
        self._path_of = None

    def setBrush(self, color: QColor | str) -> None:
        """What they are filled with."""
        if QColor(color) != self._brush.color() or self._brush.style() == Qt.BrushStyle.NoBrush:
            self._brush = QBrush(QColor(color))
            self.update()

    def setPen(self, pen: QPen) -> None:
        """What is around them."""
        if pen != self._pen:
            self._pen = pen
            self.update()

    def setSize(self, size: float) -> None:
        """How large they are, in pixels."""
        if size != self._size:
            self._size, self._path_of = size, None
            self.update()

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw in pixels, all in one go."""
        path = self._in_pixels(painter.transform())
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(self._pen)
        painter.setBrush(self._brush)
        painter.drawPath(path)

    def _in_pixels(self, transform: QTransform) -> QPainterPath:
        """All of them as one path, the same as long as nothing moves: what is around them is painted more often."""
        if self._path_of != transform:
            symbol = QTransform.fromScale(self._size, self._size).map(self._symbol)
            path = QPainterPath()
            path.setFillRule(Qt.FillRule.WindingFill)
            for x, y in zip(self._x.tolist(), self._y.tolist(), strict=True):
                path.addPath(symbol.translated(transform.map(QPointF(x, y))))
            self._path, self._path_of = path, transform
        return self._path


class SizedMarkItem(MarkItem):
    """Symbols of one kind and colour, each of a size of its own, in pixels."""

    _sizes: Floats = np.zeros(0)

    def set_sizes(self, sizes: Floats) -> None:
        """How large they are; as many as there are places."""
        if not _same(sizes, self._sizes):
            self._sizes, self._path_of = sizes, None
            self.update()

    def _in_pixels(self, transform: QTransform) -> QPainterPath:
        if self._path_of != transform:
            path = QPainterPath()
            path.setFillRule(Qt.FillRule.WindingFill)
            for x, y, size in zip(self._x.tolist(), self._y.tolist(), self._sizes.tolist(), strict=True):
                symbol = QTransform.fromScale(size, size).map(self._symbol)
                path.addPath(symbol.translated(transform.map(QPointF(x, y))))
            self._path, self._path_of = path, transform
        return self._path


class DotItem(ScatterItem):
    """Round dots of one size and colour with a rim, as many as there are: all of them are one call of Qt."""

    def __init__(self, box: pg.ViewBox, size: float = 8.0) -> None:
        super().__init__(box, size)
        self._colors = QColor(), QColor()

    def set_look(self, color: QColor, rim: QColor, size: float) -> None:
        """What they are filled with, what is around them, and how large they are with it, in pixels."""
        if (self._colors, self._size) != ((color, rim), size):
            self._colors, self._size = (color, rim), size
            self.update()

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """The rims first, so that dots that lie on each other stay whole, then what is inside of them."""
        transform = painter.transform()
        places = [transform.map(QPointF(x, y)) for x, y in zip(self._x.tolist(), self._y.tolist(), strict=True)]
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for color, size in zip(reversed(self._colors), (self._size, self._size - 2.0), strict=True):
            pen = QPen(color, size)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawPoints(places)


class RasterItem(QGraphicsItem):
    """Cells of one size in rows from the top, as codes with a colour each or as red, green, blue and alpha.

    Colours are looked up here, in one go: pyqtgraph makes a table of 256 of them for each picture, and Qt takes thrice
    as long for an image with a table.
    """

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self._box = box
        self._colors = np.zeros(256, dtype=np.uint32)
        self._rect = QRectF()
        self._pixels: NDArray[np.uint32] | None = None
        self._picture = QImage()
        self.image: NDArray[np.uint8] | None = None
        """What is shown."""
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_colors(self, colors: Mapping[int, QColor], ground: QColor) -> None:
        """The colour of each code, mixed with the ground where it is transparent."""
        self._colors[:] = ground.rgb()
        for code, color in colors.items():
            self._colors[code] = mixed(color, ground, color.alphaF()).rgb()
        image, self.image = self.image, None
        if image is not None:
            self.set_image(image)

    def fill(self, image: NDArray[np.uint8], rect: QRectF) -> None:
        """Draw cells over a part of the plane."""
        self.set_image(image)
        self.set_rect(rect)
        self.setVisible(True)

    def set_image(self, image: NDArray[np.uint8]) -> None:
        """Codes, one for each cell, or four numbers for each."""
        if self.image is not None and _same(image, self.image):
            return
        self.image = image
        if image.ndim == 2:
            pixels, form = self._colors[image], QImage.Format.Format_RGB32
        else:
            red, green, blue, alpha = (image[..., part].astype(np.uint32) for part in range(4))
            pixels = np.asarray(alpha << 24 | red << 16 | green << 8 | blue, dtype=np.uint32)
            form = QImage.Format.Format_ARGB32
        self._pixels = np.ascontiguousarray(pixels)  # the picture has no copy of them
        rows, columns = pixels.shape
        self._picture = QImage(self._pixels.data, columns, rows, 4 * columns, form)
        self.update()

    def empty(self) -> None:
        """Draw nothing."""
        self.setVisible(False)

    def set_rect(self, rect: QRectF) -> None:
        """The part of the plane that the cells fill."""
        if rect != self._rect:
            self._rect = rect
            self.update()

    def boundingRect(self) -> QRectF:
        """What is in sight."""
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        """Nothing that the mouse could hit."""
        return _NOWHERE

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw sharp cells: readers of PDF and SVG smooth what they enlarge, so there they get it enlarged already."""
        if painter.paintEngine().type() == QPaintEngine.Type.Raster or self._picture.isNull():
            painter.drawImage(self._rect, self._picture)
            return
        columns, rows = self._picture.width(), self._picture.height()
        seen = painter.deviceTransform().mapRect(self._rect)
        most = math.sqrt(_MOST_PIXELS / (columns * rows))
        across, down = (
            max(1, min(math.ceil(_SHARP * pixels / cells), int(most)))
            for pixels, cells in ((seen.width(), columns), (seen.height(), rows))
        )
        painter.drawImage(self._rect, _enlarged(self._picture, across, down))


class BarItem(pg.BarGraphItem):  # type: ignore[misc]
    """Bars of one colour, which cost a tenth of those with a list of colours."""

    def __init__(self, box: pg.ViewBox, **options: Any) -> None:
        self._box = box
        super().__init__(**options)
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def setOpts(self, **options: Any) -> None:
        """Change some of what they are drawn from."""
        known = self.opts
        fresh = {name: value for name, value in options.items() if name not in known or not _same(known[name], value)}
        if fresh:
            super().setOpts(**fresh)
            self.setVisible(self._dataBounds[0][0] is not None)

    def set_outlined(self, thin: bool) -> None:
        """Draw a line of their colour around bars that are so thin that they would vanish; around others none."""
        if thin != (self.opts["pen"].style() != Qt.PenStyle.NoPen):
            self.setOpts(pen=pg.mkPen(self.opts["brush"]) if thin else QPen(Qt.PenStyle.NoPen))

    def empty(self) -> None:
        """Draw none of them."""
        if self.opts["y"] is None:
            self.setOpts(x=[], height=[], y0=0.0, width=0.8)
        else:
            self.setOpts(x0=[], y=[], width=[])

    def boundingRect(self) -> QRectF:
        """What is in sight."""
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        """Nothing that the mouse could hit."""
        return _NOWHERE


class OutlineItem(QGraphicsRectItem):
    """A rectangle."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_outline(self, rect: QRectF | None) -> None:
        """Draw it there, or nowhere."""
        self.setVisible(rect is not None)
        if rect is not None:
            self.setRect(rect)

    def empty(self) -> None:
        """Draw nothing."""
        self.setVisible(False)


class WordItem(pg.TextItem):  # type: ignore[misc]
    """One line of text, whose left end or middle is at its place."""

    def __init__(self, box: pg.ViewBox, middle: float = 0.0) -> None:
        super().__init__(anchor=(middle, 0.0))
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_text(self, words: str) -> None:
        """Show these words, or nothing."""
        self.setVisible(bool(words))
        if words and self.toPlainText() != words:
            self.setPlainText(words)

    def empty(self) -> None:
        """Draw nothing."""
        self.setVisible(False)


class CurveItem(pg.PlotCurveItem):  # type: ignore[misc]
    """A line of one colour."""

    def __init__(self, box: pg.ViewBox, **options: Any) -> None:
        self._box = box
        super().__init__(**options)
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def setData(self, x: ArrayLike = (), y: ArrayLike = (), **options: Any) -> None:
        """Where it goes."""
        across, down = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        known = self.getData()
        if not options and known[0] is not None and _same(across, known[0]) and _same(down, known[1]):
            return
        super().setData(across, down, **options)
        self.setVisible(len(across) > 0)

    def empty(self) -> None:
        """Draw nothing."""
        self.setData()

    def boundingRect(self) -> QRectF:
        """What is in sight."""
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        """Nothing that the mouse could hit."""
        return _NOWHERE


def hatched(color: QColor, across: float, up: float) -> QBrush:
    """Hatching in pixels of such a size: without a scale of its own it would be stretched with the axes."""
    brush = QBrush(color, Qt.BrushStyle.BDiagPattern)
    brush.setTransform(QTransform.fromScale(across, up))
    return brush


def _enlarged(image: QImage, across: int, down: int) -> QImage:
    """Every pixel as so many; Qt's own way to do that puts the edges between them elsewhere."""
    plain = image.convertToFormat(QImage.Format.Format_ARGB32)
    pixels = np.frombuffer(plain.constBits(), np.uint32).reshape(plain.height(), plain.width())
    data = pixels.repeat(across, axis=1).repeat(down, axis=0)
    return QImage(data.tobytes(), data.shape[1], data.shape[0], 4 * data.shape[1], QImage.Format.Format_ARGB32).copy()


def view_range(box: pg.ViewBox) -> QRectF:
    """The part of the plane that a box shows."""
    (left, right), (low, high) = box.state["viewRange"]  # not viewRect(), which costs ten times as much
    return QRectF(left, low, right - left, high - low)


def _same(one: Any, other: Any) -> bool:
    """Whether two options are equal, arrays in each entry."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        # By their bytes: a tenth of the cost of a comparison of numbers, and what is not a number equals itself.
        return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    return type(one) is type(other) and bool(one == other)
