"""A paint device that produces an SVG which looks the same everywhere.

Qt's own generator leaves text to the fonts of the viewer, clips the wrong parts of a widget, and keeps line widths by
an attribute that many viewers ignore. Here, everything is in the coordinates of the picture, text is converted to
outlines, and only widely supported elements are used: paths, images, clip paths and patterns.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable
from xml.sax.saxutils import escape

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPainterPathStroker,
    QPen,
    QPixmap,
    QPolygonF,
    QRegion,
    QTextItem,
    QTransform,
)

from gems_gui.painting.render import png
from gems_gui.painting.svg_paths import Outlines, filled_data, path_data, rectangle_data
from gems_gui.painting.svg_paths import number_text as _n

Box = QRectF | QRect
_CAPS = {Qt.PenCapStyle.RoundCap: "round", Qt.PenCapStyle.SquareCap: "square"}
_JOINS = {Qt.PenJoinStyle.RoundJoin: "round", Qt.PenJoinStyle.BevelJoin: "bevel"}
_ANY_COLOR = Qt.ImageConversionFlag.AutoColor
_HATCH = 8  # pixels between two lines of a hatching, as on screen
_HATCHES = {
    Qt.BrushStyle.BDiagPattern: "M-1,1 L1,-1 M0,8 L8,0 M7,9 L9,7",
    Qt.BrushStyle.FDiagPattern: "M-1,7 L1,9 M0,0 L8,8 M7,-1 L9,1",
    Qt.BrushStyle.DiagCrossPattern: "M0,8 L8,0 M0,0 L8,8",
    Qt.BrushStyle.HorPattern: "M0,4 L8,4",
    Qt.BrushStyle.VerPattern: "M4,0 L4,8",
    Qt.BrushStyle.CrossPattern: "M0,4 L8,4 M4,0 L4,8",
}
_DIRTY_CLIP = (
    QPaintEngine.DirtyFlag.DirtyClipPath
    | QPaintEngine.DirtyFlag.DirtyClipRegion
    | QPaintEngine.DirtyFlag.DirtyClipEnabled
)


_OUTLINES = Outlines()


class SvgDevice(QPaintDevice):
    """Paint on it with a QPainter; after its end, :meth:`svg` is the picture.

    Parameters
    ----------
    size
        Width and height in the units of the painter.
    scale
        Nominal size of the picture: pixels per unit.
    inches
        Nominal size on paper, in place of the scale.
    live_text
        Whether text is text in a font of the viewer, instead of outlines.
    """

    def __init__(
        self,
        size: tuple[int, int],
        scale: float = 1.0,
        title: str = "",
        inches: tuple[float, float] | None = None,
        live_text: bool = False,
    ) -> None:
        super().__init__()
        self._size, self._scale, self._title, self._inches = size, scale, title, inches
        self._engine = _SvgPaintEngine(live_text)

    def paintEngine(self) -> QPaintEngine:
        return self._engine

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        """One pixel per unit, as on a screen; text is measured by it."""
        kind = QPaintDevice.PaintDeviceMetric
        width, height = self._size
        return {
            kind.PdmWidth: width,
            kind.PdmHeight: height,
            kind.PdmWidthMM: round(width * 25.4 / 96),
            kind.PdmHeightMM: round(height * 25.4 / 96),
            kind.PdmNumColors: 2**24,
            kind.PdmDepth: 32,
            kind.PdmDevicePixelRatio: 1,
            kind.PdmDevicePixelRatioScaled: int(QPaintDevice.devicePixelRatioFScale()),
        }.get(metric, 96)

    def svg(self) -> bytes:
        """The complete document."""
        width, height = self._size
        nominal = [_n(width * self._scale), _n(height * self._scale)]
        if self._inches is not None:
            nominal = [f"{_n(side)}in" for side in self._inches]
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" '
            f'width="{nominal[0]}" height="{nominal[1]}" viewBox="0 0 {width} {height}">',
            f"<title>{escape(self._title)}</title>",
            *(["<defs>", *self._engine.definitions, "</defs>"] if self._engine.definitions else []),
            *self._engine.drawn(),
            "</svg>",
            "",
        ]
        return "\n".join(lines).encode()


class _SvgPaintEngine(QPaintEngine):
    """Writes paths, lines and images as elements; Qt converts text to paths.

    A painter uses its own coordinates; the output is in those of the device.
    """

    def __init__(self, live_text: bool = False) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self._live_text = live_text
        self.definitions: list[str] = []
        self._known: dict[str, str] = {}  # definitions and their names
        self._elements: list[tuple[str, str]] = []  # the name of the clip path, and the element
        self._clip: QPainterPath | None = None
        self._clip_is_old = True

    def drawn(self) -> list[str]:
        """All elements in their order, grouped by clip path."""
        lines: list[str] = []
        group = ""
        for clip, element in self._elements:
            if clip != group:
                lines += ["</g>"] if group else []
                lines += [f'<g clip-path="url(#{clip})">'] if clip else []
                group = clip
            lines.append(element)
        return [*lines, "</g>"] if group else lines

    # -- QPaintEngine ---------------------------------------------------------------------------------------------

    def begin(self, device: QPaintDevice) -> bool:
        return True

    def end(self) -> bool:
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, state: QPaintEngineState) -> None:
        """Note only changes of the clip path, which is expensive; all else is read from the painter when needed."""
        if state.state() & _DIRTY_CLIP:
            self._clip_is_old = True

    def drawPath(self, path: QPainterPath) -> None:
        if _OUTLINES.takes(path):
            return
        painter = self.painter()
        self._fill(path, painter.brush())
        self._stroke(path, painter.pen())

    def drawPolygon(self, points: Iterable[QPointF], mode: QPaintEngine.PolygonDrawMode) -> None:
        path = QPainterPath()
        path.addPolygon(QPolygonF([QPointF(each) for each in points]))
        painter = self.painter()
        if mode != QPaintEngine.PolygonDrawMode.PolylineMode:
            path.closeSubpath()
            if mode == QPaintEngine.PolygonDrawMode.WindingMode:
                path.setFillRule(Qt.FillRule.WindingFill)
            self._fill(path, painter.brush())
        self._stroke(path, painter.pen())

    def drawTextItem(self, point: QPointF | QPoint | QPainterPath.Element, item: QTextItem) -> None:
        assert isinstance(point, QPointF)  # the others are for calls from Python
        if self._live_text:
            self._write(point, item)
        elif data := _OUTLINES.data(self, point, item):
            painter = self.painter()
            color = painter.pen().color()
            opacity = _opacity("fill-opacity", color.alphaF() * painter.opacity())
            self._add(f'<path d="{data}" fill="{color.name()}"{opacity}/>')

    def drawPixmap(self, room: Box, pixmap: QPixmap | QImage, part: Box) -> None:
        self.drawImage(room, pixmap.toImage() if isinstance(pixmap, QPixmap) else pixmap, part)

    def drawImage(self, room: Box, image: QImage, part: Box, flags: Qt.ImageConversionFlag = _ANY_COLOR) -> None:
        painter = self.painter()
        if (cut := QRectF(part).toRect()) != image.rect():
            image = image.copy(cut)
        matrix = painter.deviceTransform()
        matrix.translate(room.x(), room.y())
        matrix.scale(room.width() / image.width(), room.height() / image.height())
        values = (matrix.m11(), matrix.m12(), matrix.m21(), matrix.m22(), matrix.dx(), matrix.dy())
        size = f'width="{image.width()}" height="{image.height()}" preserveAspectRatio="none"'
        sharp = 'image-rendering="optimizeSpeed" style="image-rendering:pixelated"'  # in SVG 1 and 2
        place = f'transform="matrix({" ".join(map(_n, values))})"{_opacity("opacity", painter.opacity())}'
        self._add(f'<image {size} {sharp} {place} xlink:href="data:image/png;base64,{_base64(image)}"/>')

    # -- elements ---------------------------------------------------------------------------------------------------

    def _write(self, place: QPointF, item: QTextItem) -> None:
        """Write a text in its font, with its width, so that it fits in another one."""
        painter, font = self.painter(), item.font()
        matrix = painter.deviceTransform()
        scale = math.sqrt(abs(matrix.determinant()))
        at = matrix.map(place)
        turn = round(math.degrees(math.atan2(matrix.m12(), matrix.m11())), 2)
        size = (font.pixelSize() if font.pixelSize() > 0 else font.pointSizeF() * 96 / 72) * scale
        attributes = [
            f'x="{_n(at.x())}" y="{_n(at.y())}" font-family="{escape(font.family())}, sans-serif"',
            f'font-size="{_n(size)}" fill="{painter.pen().color().name()}"',
            'font-weight="bold"' if font.bold() else "",
            'font-style="italic"' if font.italic() else "",
            f'textLength="{_n(item.width() * scale)}" lengthAdjust="spacingAndGlyphs"',
            f'transform="rotate({_n(turn)} {_n(at.x())} {_n(at.y())})"' if turn else "",
        ]
        self._add(f"<text {' '.join(filter(None, attributes))}>{escape(item.text())}</text>")

    def _fill(self, path: QPainterPath, brush: QBrush) -> None:
        if brush.style() == Qt.BrushStyle.NoBrush or path.isEmpty():
            return
        painter = self.painter()
        where = painter.deviceTransform().map(path)
        color = brush.color()
        ink = color.name() if brush.style() not in _HATCHES else f"url(#{self._hatching(brush.style(), color)})"
        rule = "" if path.fillRule() == Qt.FillRule.WindingFill else ' fill-rule="evenodd"'
        opacity = _opacity("fill-opacity", color.alphaF() * painter.opacity())
        self._add(f'<path d="{filled_data(where)}" fill="{ink}"{rule}{opacity}{self._edges()}/>')

    def _stroke(self, path: QPainterPath, pen: QPen) -> None:
        if pen.style() == Qt.PenStyle.NoPen or path.isEmpty():
            return
        painter = self.painter()
        matrix = painter.deviceTransform()
        width = pen.widthF() or 1.0
        if not (pen.isCosmetic() or pen.widthF() == 0):
            if not _keeps_shapes(matrix):  # a line whose width depends on its direction, only possible as a shape
                self._fill(_outline(path, pen), pen.brush())
                return
            width *= math.sqrt(abs(matrix.determinant()))
        color = pen.color()
        dashes = [_n(each * width) for each in pen.dashPattern()] if pen.style() != Qt.PenStyle.SolidLine else []
        attributes = [
            f'stroke="{color.name()}"',
            f'stroke-width="{_n(width)}"' if width != 1 else "",
            f'stroke-linecap="{_CAPS[pen.capStyle()]}"' if pen.capStyle() in _CAPS else "",
            f'stroke-linejoin="{_JOINS[pen.joinStyle()]}"' if pen.joinStyle() in _JOINS else "",
            f'stroke-dasharray="{" ".join(dashes)}"' if dashes else "",
            _opacity("stroke-opacity", color.alphaF() * painter.opacity()).strip(),
        ]
        words = " ".join(filter(None, attributes))
        self._add(f'<path d="{path_data(matrix.map(path))}" fill="none" {words}{self._edges()}/>')

    def _edges(self) -> str:
        """Edges that are not antialiased on screen must be sharp here, too."""
        smooth = self.painter().testRenderHint(QPainter.RenderHint.Antialiasing)
        return "" if smooth else ' shape-rendering="crispEdges"'

    def _hatching(self, style: Qt.BrushStyle, color: QColor) -> str:
        stroke = f'stroke="{color.name()}" stroke-width="1"'
        return self._defined(
            f'<pattern id="{{}}" width="{_HATCH}" height="{_HATCH}" patternUnits="userSpaceOnUse">'
            f'<path d="{_HATCHES[style]}" fill="none" {stroke}/></pattern>'
        )

    def _add(self, element: str) -> None:
        clip = self._cut()
        if clip is not None:
            self._elements.append((clip, element))

    # -- clipping ---------------------------------------------------------------------------------------------------

    def _cut(self) -> str | None:
        """The name of the current clip path; empty for none, None if everything is clipped."""
        painter = self.painter()
        if self._clip_is_old:
            self._clip_is_old = False
            inside = painter.hasClipping()
            self._clip = painter.deviceTransform().map(painter.clipPath()) if inside else None
        system: QRegion = self.systemClip()  # the visible part of a widget
        room = None if system.isEmpty() else QRectF(system.boundingRect())
        shape = self._clip
        if shape is not None and (inner := _rectangle_of(shape)) is not None:
            room, shape = inner if room is None else room & inner, None
        if (room is not None and room.isEmpty()) or (shape is not None and shape.isEmpty()):
            return None
        name = ""
        for data in (room and rectangle_data(room), shape and path_data(shape)):
            if data:
                inner_clip = f' clip-path="url(#{name})"' if name else ""
                name = self._defined(f'<clipPath id="{{}}"{inner_clip}><path d="{data}"/></clipPath>')
        return name

    def _defined(self, element: str) -> str:
        """The name of a definition, which is written once."""
        if element not in self._known:
            self._known[element] = f"d{len(self._known)}"
            self.definitions.append(element.replace("{}", self._known[element], 1))
        return self._known[element]


def _rectangle_of(path: QPainterPath) -> QRectF | None:
    """The rectangle, if a path is an axis-aligned one."""
    box = path.boundingRect()
    corners = [path.elementAt(at) for at in range(path.elementCount())]
    upright = all(each.x in (box.left(), box.right()) and each.y in (box.top(), box.bottom()) for each in corners)
    return box if len(corners) == 5 and upright else None


def _outline(path: QPainterPath, pen: QPen) -> QPainterPath:
    return QPainterPathStroker(pen).createStroke(path)


def _keeps_shapes(matrix: QTransform) -> bool:
    """Whether a circle remains a circle."""
    across, down = math.hypot(matrix.m11(), matrix.m12()), math.hypot(matrix.m21(), matrix.m22())
    return math.isclose(across, down, rel_tol=1e-3)


def _opacity(name: str, value: float) -> str:
    return "" if value >= 1 else f' {name}="{_n(value)}"'


def _base64(image: QImage) -> str:
    return base64.b64encode(png(image)).decode("ascii")
