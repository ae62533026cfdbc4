"""Graphics items that are redrawn many times a second: marks, bars and curves that cost nothing while empty.

pyqtgraph asks each item several times per frame for its bounds and computes the size of a pixel with a dozen calls.
A view box clips its content, so the visible range is a sufficient bounding rectangle for all items here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPaintEngine, QPainter, QPainterPath, QPen, QTransform
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPathItem, QGraphicsRectItem, QWidget

from gems_engine.arrays import Floats
from gems_engine.history import Booleans
from gems_gui.theme import mixed
from gems_gui.views.print_marks import dashed, hatch_over, mark_of, path_of
from gems_gui.views.thinning import MOST_POINTS, drawn_columns, thinned

MOST_MARKS = 2000
"""Of more marks than this, those on the same pixel are drawn once."""
_NOWHERE = QPainterPath()
_SHARP = 2.0  # pixels per cell in a picture that will be enlarged
_MOST_PIXELS = 4e6
_MOST_RECTANGLES = 20_000  # of a raster in print; a larger one is an image


class ScatterItem(QGraphicsItem):
    """Something drawn at points, with a size in pixels; hidden while there are no points."""

    def __init__(self, box: pg.ViewBox, size: float) -> None:
        super().__init__()
        self._box = box
        self._size = size
        self._x = self._y = np.zeros(0)
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def setData(self, x: ArrayLike, y: ArrayLike) -> None:
        across, down = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        if _same(across, self._x) and _same(down, self._y):
            return
        self._x, self._y = across, down
        self._moved()
        self.setVisible(len(across) > 0)
        self.update()

    def empty(self) -> None:
        self.setData([], [])

    def set_point(self, x: float, y: float | None) -> None:
        """Draw it at one point; nowhere without a y."""
        self.setData([] if y is None else [x], [] if y is None else [y])

    def _moved(self) -> None:
        """Discard what was computed for the previous points."""

    def getData(self) -> tuple[Floats, Floats]:
        """The points."""
        return self._x, self._y

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        """An empty shape: the plot itself finds out what is below the mouse."""
        return _NOWHERE


class MarkItem(ScatterItem):
    """Symbols of one kind, size and colour at points; the size is in pixels."""

    def __init__(self, box: pg.ViewBox, symbol: str = "o", size: float = 7.0) -> None:
        super().__init__(box, size)
        self._name = symbol
        self._brush = QBrush()
        self._pen = QPen(Qt.PenStyle.NoPen)
        self._path = QPainterPath()
        self._path_of: QTransform | None = None

    def _moved(self) -> None:
        self._path_of = None

    @property
    def _symbol(self) -> QPainterPath:
        """The symbol; in print, that of the role in place of a disc."""
        disc = self._name == "o" and in_print(self._box)
        found: QPainterPath = Symbols[mark_of(self._brush.color()).symbol if disc else self._name]
        return found

    def setBrush(self, color: QColor | str) -> None:
        """Set the fill colour."""
        if QColor(color) != self._brush.color() or self._brush.style() == Qt.BrushStyle.NoBrush:
            self._brush = QBrush(QColor(color))
            self.update()

    def setPen(self, pen: QPen) -> None:
        """Set the pen of the outline."""
        if pen != self._pen:
            self._pen = pen
            self.update()

    def setSize(self, size: float) -> None:
        """Set the size in pixels."""
        if size != self._size:
            self._size, self._path_of = size, None
            self.update()

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        path = self._in_pixels(painter.transform())
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(self._pen)
        painter.setBrush(self._brush)
        painter.drawPath(path)

    def _in_pixels(self, transform: QTransform) -> QPainterPath:
        """All symbols as one path, cached until something moves: repaints are more frequent."""
        if self._path_of != transform:
            symbol = QTransform.fromScale(self._size, self._size).map(self._symbol)
            path = QPainterPath()
            path.setFillRule(Qt.FillRule.WindingFill)
            for x, y in zip(*self._apart(transform), strict=True):
                path.addPath(symbol.translated(transform.map(QPointF(x, y))))
            self._path, self._path_of = path, transform
        return self._path

    def _apart(self, transform: QTransform) -> tuple[list[float], list[float]]:
        """The points; of many, those that are not on the same pixel as another."""
        x, y = self._x, self._y
        if len(x) > MOST_MARKS:
            pixels = np.stack([np.rint(x * transform.m11()), np.rint(y * transform.m22())])
            first = np.sort(np.unique(pixels, axis=1, return_index=True)[1])
            x, y = x[first], y[first]
        return x.tolist(), y.tolist()


class SizedMarkItem(MarkItem):
    """Symbols of one kind and colour with individual sizes in pixels."""

    _sizes: Floats = np.zeros(0)

    def set_sizes(self, sizes: Floats) -> None:
        """Set the sizes, one for each point."""
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
    """Round dots of one size and colour with a rim, all drawn by one call of Qt."""

    def __init__(self, box: pg.ViewBox, size: float = 8.0) -> None:
        super().__init__(box, size)
        self._colors = QColor(), QColor()

    def set_look(self, color: QColor, rim: QColor, size: float) -> None:
        """Set fill colour, rim colour and the size including the rim, in pixels."""
        if (self._colors, self._size) != ((color, rim), size):
            self._colors, self._size = (color, rim), size
            self.update()

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw all rims first, so that the inside of overlapping dots is not covered."""
        transform = painter.transform()
        places = [transform.map(QPointF(x, y)) for x, y in zip(self._x.tolist(), self._y.tolist(), strict=True)]
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for color, size in zip(reversed(self._colors), (self._size, self._size - 2.0), strict=True):
            pen = QPen(color, size)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            if in_print(self._box) and (symbol := mark_of(self._colors[0]).symbol) != "o":
                shape = QTransform.fromScale(size, size).map(Symbols[symbol])
                for place in places:
                    painter.fillPath(shape.translated(place), color)
            else:
                painter.drawPoints(places)


class RasterItem(QGraphicsItem):
    """Cells of equal size in rows from the top, given as codes with a colour each or as RGBA.

    Colours are looked up here at once: pyqtgraph builds a table of 256 colours for each image, and Qt takes three times
    as long to draw an image with a colour table.
    """

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self._box = box
        self._colors = np.zeros(256, dtype=np.uint32)
        self._rect = QRectF()
        self._pixels: NDArray[np.uint32] | None = None
        self._picture = QImage()
        self.image: NDArray[np.uint8] | None = None
        """The cells."""
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_colors(self, colors: Mapping[int, QColor], ground: QColor) -> None:
        """Set the colour of each code, blended with the background where it is transparent."""
        self._colors[:] = ground.rgb()
        for code, color in colors.items():
            self._colors[code] = mixed(color, ground, color.alphaF()).rgb()
        image, self.image = self.image, None
        if image is not None:
            self.set_image(image)

    def fill(self, image: NDArray[np.uint8], rect: QRectF) -> None:
        """Draw cells in a part of the plane."""
        self.set_image(image)
        self.set_rect(rect)
        self.setVisible(True)

    def set_image(self, image: NDArray[np.uint8]) -> None:
        """Set the cells: one code or four numbers for each."""
        if self.image is not None and _same(image, self.image):
            return
        self.image = image
        if image.ndim == 2:
            pixels, form = self._colors[image], QImage.Format.Format_RGB32
        else:
            red, green, blue, alpha = (image[..., part].astype(np.uint32) for part in range(4))
            pixels = np.asarray(alpha << 24 | red << 16 | green << 8 | blue, dtype=np.uint32)
            form = QImage.Format.Format_ARGB32
        self._pixels = np.ascontiguousarray(pixels)  # QImage does not copy them
        rows, columns = pixels.shape
        self._picture = QImage(self._pixels.data, columns, rows, 4 * columns, form)
        self.update()

    def empty(self) -> None:
        self.setVisible(False)

    def set_rect(self, rect: QRectF) -> None:
        """Set the part of the plane that the cells fill."""
        if rect != self._rect:
            self._rect = rect
            self.update()

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        return _NOWHERE

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw sharp cells: readers of PDF and SVG smooth enlarged images, so the image is enlarged in advance."""
        if in_print(self._box) and self._pixels is not None and paint_rectangles(painter, self._pixels, self._rect):
            return
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
    """Bars of one colour, at a tenth of the cost of a list of colours."""

    def __init__(self, box: pg.ViewBox, **options: Any) -> None:
        self._box = box
        super().__init__(**options)
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def setOpts(self, **options: Any) -> None:
        known = self.opts
        fresh = {name: value for name, value in options.items() if name not in known or not _same(known[name], value)}
        if fresh:
            super().setOpts(**fresh)
            self.setVisible(self._dataBounds[0][0] is not None)

    def set_outlined(self, thin: bool) -> None:
        """Outline bars that would be too thin to see; remove the outline of others."""
        if thin != (self.opts["pen"].style() != Qt.PenStyle.NoPen):
            self.setOpts(pen=pg.mkPen(self.opts["brush"]) if thin else QPen(Qt.PenStyle.NoPen))

    def set_hatched(self, color: QColor) -> None:
        """Hatch the bars in a colour; to be called again after the visible range has changed."""
        self.setOpts(brush=hatched(color, *self._box.viewPixelSize()), pen=pg.mkPen(color))

    def paint(self, painter: QPainter, *rest: Any) -> None:
        super().paint(painter, *rest)
        brush = pg.mkBrush(self.opts["brush"])
        if in_print(self._box) and brush.style() == Qt.BrushStyle.SolidPattern:
            path = path_of(map(painter.transform().mapRect, self._rectarray.instances()))
            painter.save()
            painter.resetTransform()
            hatch_over(painter, path, brush.color())
            painter.restore()

    def empty(self) -> None:
        if self.opts["y"] is None:
            self.setOpts(x=[], height=[], y0=0.0, width=0.8)
        else:
            self.setOpts(x0=[], y=[], width=[])

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        return _NOWHERE


class OutlineItem(QGraphicsRectItem):
    """A rectangle."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self._box = box
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_outline(self, rect: QRectF | None, aside: float = 0.0, least: float = 0.0) -> None:
        """Set the rectangle, or none.

        Parameters
        ----------
        aside
            Distance of the outline from the rectangle, in pixels.
        least
            Smallest height of the outline, in pixels.
        """
        self.setVisible(rect is not None)
        if rect is not None:
            across, up = pixel_size(self._box)
            more = max(aside * up, (least * up - rect.height()) / 2, 0.0)
            self.setRect(rect.adjusted(-aside * across, -more, aside * across, more))

    def empty(self) -> None:
        self.setVisible(False)


class HatchItem(QGraphicsPathItem):
    """Hatched rows of a rectangle."""

    def __init__(self, box: pg.ViewBox) -> None:
        super().__init__()
        self._box = box
        self._color = QColor()
        self.setPen(QPen(Qt.PenStyle.NoPen))
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_color(self, color: QColor) -> None:
        """Set the colour of the lines, from the next rows on."""
        self._color = color

    def fill(self, rows: Booleans, rect: QRectF) -> None:
        """Hatch some of the rows of equal height that divide a rectangle, from the top."""
        path = QPainterPath()
        height = rect.height() / max(len(rows), 1)
        some = np.flatnonzero(rows)
        for each in np.split(some, np.flatnonzero(np.diff(some) > 1) + 1):
            if len(each):
                path.addRect(QRectF(rect.left(), rect.top() + each[0] * height, rect.width(), len(each) * height))
        self.setPath(path)
        self.setBrush(hatched(self._color, *pixel_size(self._box)))
        self.setVisible(not path.isEmpty())

    def empty(self) -> None:
        self.setVisible(False)


class WordItem(pg.TextItem):  # type: ignore[misc]
    """One line of text; its left end or its centre is at its position."""

    def __init__(self, box: pg.ViewBox, middle: float = 0.0) -> None:
        super().__init__(anchor=(middle, 0.0))
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def set_text(self, words: str) -> None:
        """Show a text, or nothing."""
        self.setVisible(bool(words))
        if words and self.toPlainText() != words:
            self.setPlainText(words)

    def set_fill(self, color: QColor) -> None:
        """Stand on a rectangle of this colour."""
        self.fill = pg.mkBrush(color)
        self.update()

    def covered(self, transform: QTransform) -> list[QRectF]:
        """The rectangle in pixels that the text covers, if there is one."""
        box = self.textItem.boundingRect()
        box.moveTopLeft(transform.map(self.pos()) - QPointF(self.anchor.x() * box.width(), 0.0))
        return [box] if self.isVisible() else []

    def empty(self) -> None:
        self.setVisible(False)


class CurveItem(pg.PlotCurveItem):  # type: ignore[misc]
    """A line of one colour."""

    def __init__(self, box: pg.ViewBox, **options: Any) -> None:
        self._box = box
        self._shape: tuple[object, tuple[Floats, Floats]] | None = None  # what is drawn of a long line, and for what
        super().__init__(**options)
        self.setVisible(False)
        box.addItem(self, ignoreBounds=True)

    def setData(self, x: ArrayLike = (), y: ArrayLike = (), **options: Any) -> None:
        across, down = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        known = self.getData()
        if not options and known[0] is not None and _same(across, known[0]) and _same(down, known[1]):
            return
        super().setData(across, down, **options)
        self._shape = None
        self.setVisible(len(across) > 0)

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw the line; of a long one, the points that shape its picture at this size, as a solid line."""
        whole, pen = self.getData(), self.opts["pen"]
        if whole[0] is not None and len(whole[0]) > MOST_POINTS and self.opts["connect"] != "pairs":
            self.xData, self.yData = self._thinned(painter)
            self.opts["pen"] = solid = QPen(pen)
            solid.setStyle(Qt.PenStyle.SolidLine)
        if in_print(self._box):
            self.opts["pen"] = dashed(self.opts["pen"])
        super().paint(painter, option, widget)
        self.xData, self.yData = whole
        self.opts["pen"] = pen

    def _thinned(self, painter: QPainter) -> tuple[Floats, Floats]:
        drawn_for = drawn_columns(painter, view_range(self._box))
        if self._shape is None or self._shape[0] != drawn_for:
            self._shape = drawn_for, thinned(self.xData, self.yData, *drawn_for)
            self.path, self._lineSegmentsRendered = None, False
        return self._shape[1]

    def set_rules(self, x: Sequence[float], rows: Floats, y: Sequence[float], columns: Floats) -> None:
        """Draw horizontal lines between two ends at some heights, then vertical ones; for a line in pairs."""
        self.setData(
            np.concatenate([np.tile(x, len(rows)), np.repeat(columns, 2)]),
            np.concatenate([np.repeat(rows, 2), np.tile(y, len(columns))]),
        )

    def empty(self) -> None:
        self.setData()

    def boundingRect(self) -> QRectF:
        return view_range(self._box)

    def shape(self) -> QPainterPath:
        return _NOWHERE


def hatched(color: QColor, across: float, up: float) -> QBrush:
    """A hatching of this size in pixels; without its own transform it would be stretched with the axes."""
    brush = QBrush(color, Qt.BrushStyle.BDiagPattern)
    brush.setTransform(QTransform.fromScale(across, up))
    return brush


def in_print(box: pg.ViewBox) -> bool:
    """Whether a box is in a picture for print."""
    return bool(getattr(box, "paper", False))


def rectangles(cells: NDArray[np.uint32], most: int) -> dict[int, list[tuple[int, int, int, int]]] | None:
    """Equal neighbouring cells as rectangles (column, row, columns, rows) by value; None for more than ``most``."""
    found: dict[int, list[tuple[int, int, int, int]]] = {}
    above: dict[tuple[int, int, int], int] = {}  # the first row of the runs that reach the last row
    count, rows = 0, len(cells)
    for row in range(rows + 1):
        runs: dict[tuple[int, int, int], int] = {}
        if row < rows:
            edges = [0, *(np.flatnonzero(np.diff(cells[row])) + 1).tolist(), cells.shape[1]]
            for start, end in pairwise(edges):
                run = start, end, int(cells[row, start])
                runs[run] = above.get(run, row)
        for (start, end, code), first in above.items():
            if (start, end, code) not in runs:
                found.setdefault(code, []).append((start, first, end - start, row - first))
                count += 1
        if count > most:
            return None
        above = runs
    return found


def paint_rectangles(painter: QPainter, cells: NDArray[np.uint32], rect: QRectF) -> bool:
    """Draw cells, given as colours, as hatched rectangles; returns False if there would be too many."""
    if (boxes := rectangles(cells, _MOST_RECTANGLES)) is None:
        return False
    rows, columns = cells.shape
    place = QTransform(painter.transform())
    place.translate(rect.x(), rect.y())
    place.scale(rect.width() / columns, rect.height() / rows)
    painter.save()
    painter.resetTransform()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    for code, several in boxes.items():
        color, path = QColor.fromRgba(code), path_of(place.mapRect(QRectF(*box)) for box in several)
        if color.alpha():
            painter.fillPath(path, color)
            hatch_over(painter, path, color)
    painter.restore()
    return True


def _enlarged(image: QImage, across: int, down: int) -> QImage:
    """Repeat every pixel; Qt's own scaling places the edges differently."""
    plain = image.convertToFormat(QImage.Format.Format_ARGB32)
    pixels = np.frombuffer(plain.constBits(), np.uint32).reshape(plain.height(), plain.width())
    data = pixels.repeat(across, axis=1).repeat(down, axis=0)
    return QImage(data.tobytes(), data.shape[1], data.shape[0], 4 * data.shape[1], QImage.Format.Format_ARGB32).copy()


def pixel_size(box: pg.ViewBox) -> tuple[float, float]:
    """Width and height of a pixel, in units of the axes."""
    seen = view_range(box)
    return seen.width() / max(box.width(), 1.0), seen.height() / max(box.height(), 1.0)


def view_range(box: pg.ViewBox) -> QRectF:
    """The part of the plane that a box shows."""
    (left, right), (low, high) = box.state["viewRange"]  # viewRect() takes ten times as long
    return QRectF(left, low, right - left, high - low)


def _same(one: Any, other: Any) -> bool:
    """Whether two options are equal; arrays are compared entry by entry."""
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        # By their bytes: ten times as fast as comparing numbers, and NaN equals itself.
        return one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes()
    return type(one) is type(other) and bool(one == other)
