"""The view of the norms of all pairwise directions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QGraphicsRectItem, QWidget

from gems_engine.arrays import Floats
from gems_gui.series.design.directions import DirectionSeries, direction_series, direction_words
from gems_gui.series.design.study import Study
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.design.study_view import StudyView
from gems_gui.views.items import MarkItem, SizedMarkItem
from gems_gui.views.plot import Plot
from gems_gui.views.view import TARGET

_SHADES = 255
_INFINITE = _SHADES  # the last entry of the colours


class Directions(StudyView):
    """A heat map of ‖z − z′‖² in the norm of A(λ)⁻¹; the active pairs are marked, larger where their w is."""

    name = "design-directions"
    title = "Norms of all directions"
    picks = TARGET
    about = (
        "Squared norm of the difference of every two targets under the design, from 0 (light) to the longest (full). "
        "An optimal design makes many of them equally long. Marked, above the diagonal: the active pairs, which "
        "are as long as the longest but for a small part, and the worst pair. The size of a mark shows its weight w in "
        "the equivalence theorem."
    )

    def make(self) -> QWidget:
        """The image, the marks, and the row and column of the marked target."""
        self.plot = Plot()
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.plot.box.invertY(True)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.row, self.column = QGraphicsRectItem(), QGraphicsRectItem()
        for item in (self.image, self.row, self.column):
            self.plot.addItem(item, ignoreBounds=True)
        self.active = SizedMarkItem(self.plot.box, "o")
        self.worst = MarkItem(self.plot.box, "d")
        self.series: DirectionSeries | None = None
        self._codes: np.ndarray | None = None
        self.plot.box.sigResized.connect(self._follow)
        self.plot.box.sigRangeChanged.connect(self._follow)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        """Shades from the card to the full colour, and the colour of what is infinite."""
        self.plot.apply_theme(theme)
        card, full, infinite = (_rgb(theme, role) for role in ("card", "surviving", "now"))
        part = (np.arange(_SHADES) / (_SHADES - 1))[:, None]
        shades = np.vstack([card + (full - card) * (0.06 + 0.94 * part), infinite[None, :]])
        self.image.setLookupTable(np.rint(shades).astype(np.ubyte))
        self.image.setLevels((0, _INFINITE + 1))
        for item in (self.row, self.column):
            item.setPen(pg.mkPen(theme.color("text", 200)))
        self.active.setBrush(theme.card)
        self.active.setPen(pg.mkPen(theme.text))
        self.worst.setBrush(theme.now)
        self.worst.setPen(pg.mkPen(theme.card))

    def clear(self) -> None:
        """Empty axes."""
        self.series = None
        self._codes = None
        self.image.setVisible(False)
        for axis in (self.plot.x_axis, self.plot.y_axis):
            axis.name_places(None)
        self.plot.frame((0.0, 1.0), (0.0, 1.0))
        self._follow()

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        """The norms under the weights of a study."""
        series = self.series = direction_series(snapshot, study)
        codes = np.where(
            np.isfinite(series.shares), np.rint(np.minimum(series.shares, 1.0) * (_SHADES - 1)), _INFINITE
        ).astype(np.uint16)
        count = len(series)
        if self._codes is None or not np.array_equal(self._codes, codes):
            self._codes = codes
            self.image.setImage(codes, autoLevels=False)
        self.image.setVisible(True)
        self.image.setRect(QRectF(0.0, 0.0, count, count))
        for axis in (self.plot.x_axis, self.plot.y_axis):
            axis.name_places(series.names)
        what = "arm" if snapshot.instance.targets is snapshot.instance.arms else "target"
        self.plot.label(what, what, self.theme)
        self.plot.frame((0.0, float(count)), (0.0, float(count)))
        self._follow()
        self.set_subtitle(series.subtitle)
        self._explain(series)

    def _explain(self, series: DirectionSeries) -> None:
        legend = [("■", "surviving", "the longest")] if series.worst is not None else []
        if series.active:
            legend.append(("○", "text", "active, size w"))
        if series.worst is not None:
            legend.append(("◆", "now", "worst pair"))
        if np.isinf(series.norms).any():
            legend.append(("■", "now", "infinite"))
        self.legend.show_entries(legend, self.theme)

    def _follow(self, *_: object) -> None:
        """Marks within their cells, the row and the column of the marked target."""
        series = self.series
        active = [] if series is None else series.active
        worst = [] if series is None or series.worst is None else [series.worst]
        (left, right), _ = self.plot.box.viewRange()
        cell = self.plot.box.width() / max(right - left, 1e-9)
        largest = float(np.clip(0.7 * cell, self.theme.pixels(5), self.theme.pixels(14)))
        for item, pairs in ((self.active, active), (self.worst, worst)):
            item.setData([j + 0.5 for _, j in pairs], [i + 0.5 for i, _ in pairs])
        if series is not None:
            self.active.set_sizes(mark_sizes(series.w, self.theme.pixels(4), largest))
        self.worst.setSize(float(np.clip(0.8 * cell, self.theme.pixels(8), self.theme.pixels(13))))
        at = None if series is None else series.selected
        for line in (self.row, self.column):
            line.setVisible(at is not None)
        if series is not None and at is not None:
            self.row.setRect(QRectF(0.0, at, len(series), 1.0))
            self.column.setRect(QRectF(at, 0.0, 1.0, len(series)))

    def in_order(self) -> Sequence[int]:
        """The rows from the top."""
        return () if self.series is None else self.series.chosen

    def _describe(self, x: float, y: float) -> str:
        return "" if self.series is None or self.study is None else direction_words(self.series, self.study, x, y)

    def _pick(self, x: float, y: float) -> None:
        if self.series is None or self.snapshot is None:
            return
        pair = self.series.pair_at(x, y)
        target = None if pair is None else self.series.chosen[pair[0]]
        self.target_picked.emit(None if target == self.snapshot.selection.target else target)


def mark_sizes(w: Floats, smallest: float, largest: float) -> Floats:
    """Diameters in pixels: the area of a mark grows with its w, and one without any can still be seen."""
    return np.asarray(np.maximum(smallest, largest * np.sqrt(w / max(float(w.max(initial=0.0)), 1e-300))))


def _rgb(theme: Theme, role: str) -> Floats:
    color = theme.color(role)
    return np.array([color.red(), color.green(), color.blue()], dtype=np.float64)
