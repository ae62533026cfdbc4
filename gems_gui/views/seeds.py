"""The seeds of a race: a mark for each run with each seed, at its τ or, if it is wrong, at the sample cap."""

from __future__ import annotations

from PySide6.QtGui import QFontMetricsF

from gems_gui.series.seeds import SeedSeries, seed_series, seed_text
from gems_gui.series.side_by_side import MOST
from gems_gui.snapshot import Snapshot
from gems_gui.views.kit import DASHED, ItemGroup, bars, hairline, line, marks, text_label
from gems_gui.views.number_axis import Level
from gems_gui.views.plot_view import Axes, Entries, PlotView

_SIZES = (13, 15, 18, 22, 26, 32, 40)  # of the sentence, in pixels before font scaling
_ROOM = 5.0  # least height of the plot, in sizes of the sentence
_GAP = 6.0  # pixels between the sentence and the marks at the cap
_APART = 0.18  # between the marks of two runs with one seed


class Seeds(PlotView[SeedSeries]):
    """Dots for seeds that are right at the end, crosses for those that are not."""

    name = "seeds"
    title = "Seeds of the race"
    marks_selection = False
    about = (
        "The race with the seeds 1, 2, 3 and so on; in the window, up to 30. A dot is a run that is right at the end, "
        "at τ, the sample after which its recommendation stays right. A cross is a run that is wrong at the end. Click "
        "a seed to race with it."
    )

    axes = Axes(whole="x", log="y")
    own = bars("text", 14, hairline("text", 150))
    cap = line("budget", 1, DASHED)
    sentence = text_label("text", bold=True, z=10)
    right = ItemGroup({at: marks("o", "", 9, like_text=False) for at in range(MOST)})
    wrong = ItemGroup({at: marks("x", "", 11, like_text=False) for at in range(MOST)})

    def paint(self, snapshot: Snapshot) -> None:
        series = self.series = seed_series(snapshot)
        if series.placeholder:
            return
        low, high = series.y_range
        self.plot.y_axis.highest = high
        self.plot.y_axis.name_levels(self, Level(series.zero, "0", self.theme.dim))
        self.cap.setData(series.x_range, [series.cap] * 2)
        for at in range(MOST):
            if at >= len(series.lanes):
                self.right[at].empty()
                self.wrong[at].empty()
                continue
            lane = series.lanes[at]
            shift = _APART * (at - (len(series.lanes) - 1) / 2.0)
            for item in (self.right[at], self.wrong[at]):
                item.setBrush(self.theme.color(f"run {lane.color}"))
            self.right[at].setData(lane.seeds + shift, lane.logs)
            self.wrong[at].setData(lane.wrong + shift, [series.cap] * len(lane.wrong))
        marked = [float(series.own)] if series.own is not None and series.seed_at(series.own) is not None else []
        self.own.setOpts(x=marked, y0=[low] * len(marked), height=[high - low] * len(marked), width=0.8)
        self.plot.label("seed", "τ", self.theme)
        self.resized(snapshot, series)

    def resized(self, snapshot: Snapshot, series: SeedSeries) -> None:
        """Write the sentence above the marks, as large as it fits."""
        if series.placeholder:
            return
        width, height = self.plot.box.width(), self.plot.box.height()
        fitting = (each for each in _SIZES if self._width(series, each) <= width and _ROOM * each <= height)
        size = max(fitting, default=0)
        above = QFontMetricsF(self.theme.font(size, bold=True)).height() + _GAP if size else 0.0
        self.plot.frame(series.x_range, series.y_range, above)
        self.plot.y_axis.lowest = series.lowest
        self.sentence.set_text(series.subtitle[-1] if size else "")
        if size:
            self.sentence.setFont(self.theme.font(size, bold=True))
            (left, _), (_, high) = self.plot.box.viewRange()
            self.sentence.setPos(left, high)

    def _width(self, series: SeedSeries, size: int) -> float:
        return QFontMetricsF(self.theme.font(size, bold=True)).horizontalAdvance(series.subtitle[-1]) + 16.0

    def entries(self, series: SeedSeries) -> Entries:
        return (
            *(("●", f"run {lane.color}", lane.name) for lane in series.lanes),
            ("×", "text", "wrong at the end", any(len(lane.wrong) for lane in series.lanes)),
            ("┄", "budget", "sample cap"),
            ("▮", "dim", "this race", series.own is not None),
        )

    def describe(self, snapshot: Snapshot, series: SeedSeries, x: float, y: float) -> str:
        return seed_text(series, x)

    def clicked(self, snapshot: Snapshot, series: SeedSeries, x: float, y: float) -> None:
        seed = series.seed_at(x)
        if seed is not None:
            self.race_seed_picked.emit(seed)
