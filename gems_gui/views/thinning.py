"""Long lines, reduced to the points that shape their picture: drawing time depends on the width, not on the run."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gems_engine.arrays import Floats

MOST_POINTS = 10_000
"""Lines of at most this number of points are drawn as they are."""


def drawn_columns(painter: QPainter, seen: QRectF) -> tuple[float, float, float]:
    """The visible range of x and the width of a pixel, for :func:`thinned`."""
    return seen.left(), seen.right(), 1.0 / max(abs(painter.deviceTransform().m11()), 1e-300)


def thinned(x: Floats, y: Floats, left: float, right: float, column: float) -> tuple[Floats, Floats]:
    """The part of a line between two ends, with at most six points in each column of the given width.

    A column keeps its first and its last point, and the range of y between them at both. Gaps (NaN) are kept unless
    they are narrower than a column. A line that goes back is returned as it is.
    """
    if len(x) < 2 or not column > 0 or not bool((np.diff(x) >= 0).all()):
        return x, y
    first = max(int(np.searchsorted(x, left)) - 1, 0)
    last = int(np.searchsorted(x, right, side="right")) + 1
    x, y = x[first:last], y[first:last]
    columns, known = np.floor((x - left) / column), np.isfinite(y)
    kept = known | ~np.isin(columns, columns[known])
    x, y, columns = x[kept], y[kept], columns[kept]
    begin = np.flatnonzero(np.append(True, np.diff(columns) != 0))
    end = np.append(begin[1:], len(x)) - 1
    low, high = np.minimum.reduceat(y, begin), np.maximum.reduceat(y, begin)
    across = np.column_stack([x[begin], x[begin], x[begin], x[end], x[end], x[end]])
    down = np.column_stack([y[begin], low, high, high, low, y[end]])
    return across.ravel(), down.ravel()
