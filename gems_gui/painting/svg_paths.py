"""Paths in the syntax of SVG.

A shape with curves, such as a letter or a symbol, is written relative to its first point: it is the same text wherever
it is, so that a file of many pictures stores it once.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPaintEngine, QPainterPath, QTextItem, QTransform

_MOVE, _LINE, _CURVE = (
    QPainterPath.ElementType.MoveToElement,
    QPainterPath.ElementType.LineToElement,
    QPainterPath.ElementType.CurveToElement,
)
_MOST_OUTLINES = 5000  # texts whose outlines are kept


def number_text(value: float) -> str:
    """A number, to a hundredth of a pixel, or with as many digits as a small one needs."""
    text = f"{value:.2f}" if abs(value) >= 1 or value == 0 else f"{value:.4g}"
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    return "0" if text in ("", "-0") else text


def path_data(path: QPainterPath) -> str:
    """A path in the coordinates of the picture."""
    words: list[str] = []
    at = 0
    while at < path.elementCount():
        element = path.elementAt(at)
        if element.type == _CURVE:
            points = [path.elementAt(at + step) for step in range(3)]
            words.append("C" + " ".join(f"{number_text(each.x)},{number_text(each.y)}" for each in points))
            at += 3
            continue
        words.append(f"{'M' if element.type == _MOVE else 'L'}{number_text(element.x)},{number_text(element.y)}")
        at += 1
    return " ".join(words)


def rectangle_data(box: QRectF) -> str:
    """An upright rectangle."""
    left, top, right, bottom = map(number_text, (box.left(), box.top(), box.right(), box.bottom()))
    return f"M{left},{top} H{right} V{bottom} H{left} Z"


def filled_data(path: QPainterPath) -> str:
    """A path that is filled: relative to its first point if it has curves."""
    if all(path.elementAt(at).type != _CURVE for at in range(path.elementCount())):
        return path_data(path)
    return placed(path.elementAt(0).x, path.elementAt(0).y, relative_data(path))


def placed(x: float, y: float, shape: str) -> str:
    """A relative shape with its first point at a position."""
    return f"M{number_text(x)},{number_text(y)}{shape}"


def relative_data(path: QPainterPath) -> str:
    """A filled path relative to its first point, which is not included.

    Positions are rounded, not the steps between them, so that errors do not add up.
    """
    first = path.elementAt(0)
    words: list[str] = []
    start, last, command, of_curve = (0, 0), (0, 0), "", 0
    for at in range(1, path.elementCount()):
        element = path.elementAt(at)
        to = _hundredths(element.x - first.x), _hundredths(element.y - first.y)
        if element.type == _MOVE:
            words.append(f"zm{_step(start, to)}")
            start, last, command = to, to, ""
            continue
        kind = "l" if element.type == _LINE else "c"
        words.append(f"{' ' if kind == command else kind}{_step(last, to)}")
        command = kind
        of_curve = 0 if kind == "l" else (of_curve + 1) % 3
        if not of_curve:  # the end of a line, or of a curve
            last = to
    return "".join([*words, "z"])


def _hundredths(value: float) -> int:
    return round(round(value * 100, 4))  # first without the noise of the matrix, which would decide ties


def _step(start: tuple[int, int], end: tuple[int, int]) -> str:
    return ",".join(number_text((after - before) / 100) for before, after in zip(start, end, strict=True))


class Outlines:
    """The outlines of texts, each computed once wherever the text is drawn."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[QPointF, str]] = {}
        self._taken: QPainterPath | None = None

    def takes(self, path: QPainterPath) -> bool:
        """Take a path while Qt converts a text; False at any other time."""
        if self._taken is None:
            return False
        self._taken.addPath(path)
        return True

    def data(self, engine: QPaintEngine, point: QPointF, item: QTextItem) -> str:
        """A text as the data of a path, in the coordinates of the picture; empty for spaces."""
        matrix = engine.painter().deviceTransform()
        turned = matrix.m11(), matrix.m12(), matrix.m21(), matrix.m22()
        key = item.text(), item.font().key(), turned
        if key not in self._known:
            if len(self._known) >= _MOST_OUTLINES:
                self._known.clear()
            self._known[key] = self._converted(engine, item, QTransform(*turned, 0, 0))
        offset, shape = self._known[key]
        where = matrix.map(point) + offset
        return placed(where.x(), where.y(), shape) if shape else ""

    def _converted(self, engine: QPaintEngine, item: QTextItem, matrix: QTransform) -> tuple[QPointF, str]:
        self._taken = QPainterPath()
        try:
            QPaintEngine.drawTextItem(engine, QPointF(), item)  # calls drawPath
            path = matrix.map(self._taken)
        finally:
            self._taken = None
        if not path.elementCount():
            return QPointF(), ""
        return QPointF(path.elementAt(0).x, path.elementAt(0).y), relative_data(path)
