"""The view of the bounds of the theorems, as bars on a logarithmic axis and as a table with every condition."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtWidgets import QWidget

from gems_gui.series.theory import BOUND, KNOWN, SENTENCE, TheoryRow, TheorySeries, question_of, theory_series
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.captions import PlotCaption
from gems_gui.views.kit import ItemGroup, captions, hairline, level_bars
from gems_gui.views.option import Option
from gems_gui.views.plot_view import Axes, PlotView, stacked
from gems_gui.views.rows import Index, RowModel, RowTable

_LOW = 250  # pixels, before font scaling: a lower body shows only bars
_LIGHT = 80  # of 255: opacity of a bound whose conditions fail
_ROW = 26  # largest height in pixels of a bar with its gap
_INDENT = 4.0  # pixels from the axis to a text in place of a bar
_AXIS = 44  # pixels of the axis below the bars with its label
_UNLIMITED = 16777215  # Qt's value for no maximum
_MEASURED = 3  # the column that a narrow table hides: the bars above show the same
_SAMPLES = ("✓", "lower, fixed design  ", "B⋆ = 938, n⋆ = 12", "N = 123 456 789")
BOTH, BARS, TABLE = "both", "bars", "conditions"
_WORDS = {"chosen": "measured", "now": "wrong", "dim": "lower bound", "surviving": "upper bound"}


class TheoryModel(RowModel):
    """Bounds and their conditions as rows."""

    columns = ("", "bound", "promised", "measured")

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[TheoryRow, ...] = ()

    def list(self, rows: tuple[TheoryRow, ...]) -> None:
        """Replace the bounds or the measurements."""
        if rows != self.rows:
            reset = len(rows) != len(self.rows)
            reset |= [row.kind for row in rows] != [row.kind for row in self.rows]
            self.rows = rows
            self.set_rows(len(rows), reset)
            for at in () if reset else range(len(rows)):
                self.changed(at)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        mark = "" if row.holds is None else "✓" if row.holds else "✗"
        if role == Qt.ItemDataRole.DisplayRole:
            return (mark, row.name, row.promised, row.measured)[column]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.whole if row.holds is None else f"{'holds' if row.holds else 'does not hold'}: {row.whole}"
        if role == Qt.ItemDataRole.ForegroundRole:
            if column == 0:
                return self.brush("chosen" if row.holds else "now")
            return self.brush("dim") if row.kind == SENTENCE and row.holds is not False else None
        if role == Qt.ItemDataRole.FontRole and row.kind == BOUND and column in (1, 2):
            return self.bold
        return None


class Theory(PlotView[TheorySeries]):
    """The bounds next to the measured values."""

    name = "theory"
    title = "Theory"
    marks_selection = False
    about = (
        "The bounds of the paper's theorems for this instance, and what the run has measured, on a logarithmic axis. "
        "Light bars: a condition fails. A text in place of a bar says why there is none. The table lists every "
        "condition of each bound, and whether it holds here."
    )

    options = (
        Option("show", "Show", {BOTH: "Bars, and conditions where they fit", BARS: "Bars", TABLE: "Conditions"}),
    )

    axes = Axes(log="x", bare="y", down=True)
    bars = ItemGroup(
        {(role, True): level_bars(0.66, role) for role in _WORDS}
        | {(role, False): level_bars(0.66, role, _LIGHT, hairline(role)) for role in _WORDS}
    )
    notes = captions()

    def make(self) -> QWidget:
        self.model = TheoryModel()
        tip = "The bounds of the theorems, each with its conditions"
        self.table = RowTable(self.model, self.title, tip, _SAMPLES, (_MEASURED,))
        self.table.least = 0
        self.table.whole = self.exporting
        self.table.rows_left_out.connect(self._show_subtitle)
        self.table.setVisible(False)
        self._more = 0
        whole = stacked((super().make(), 3), (self.table, 2))
        self.plot.box.setMouseEnabled(True, False)
        return whole

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self.table.apply_theme(theme)

    def clear(self) -> None:
        super().clear()
        self.model.list(())
        self.table.setVisible(False)
        self.plot.setVisible(True)
        self.plot.setMaximumHeight(_UNLIMITED)

    def paint(self, snapshot: Snapshot) -> None:
        """Show the bounds; if they are not known yet, show that they are being computed and request them."""
        question = question_of(snapshot)
        theory = KNOWN.find(question) if self.exporting else KNOWN.get(question)
        series = self.series = theory_series(snapshot, theory)
        self._draw(series)
        self._list(series.rows)
        self.plot.label(series.x_label, "", self.theme)
        self.plot.y_axis.set_tick_labels([(at + 0.5, bar.name) for at, bar in enumerate(series.bars)])
        self.resized(snapshot, series)
        self._show_subtitle(self._more)
        self.make_room()
        if series.waits and question is not None:
            self.theory_asked.emit(question)

    def _show_subtitle(self, more: int) -> None:
        """Show how many bounds hold, and how many rows do not fit into a picture."""
        self._more = more
        series = self.series
        if series is not None:
            rest = f"+{more} more rows" if more and not self.table.isHidden() else ""
            said = tuple(f"{rest} · {each}" if rest else each for each in series.subtitle)
            roles = {(bar.role, bar.holds) for bar in series.bars if bar.value}
            self.finish(
                (*said, *((rest,) if rest else ())),
                *(("■", role, words, (role, True) in roles) for role, words in _WORDS.items()),
                *(("□", role, f"{words}, a condition fails", (role, False) in roles) for role, words in _WORDS.items()),
                nothing=series.placeholder,
            )

    def _list(self, rows: tuple[TheoryRow, ...]) -> None:
        """List the rows; a sentence spans all columns."""
        before = [row.kind for row in self.model.rows]
        self.model.list(rows)
        if [row.kind for row in rows] != before:
            self.table.clearSpans()
            for at, row in enumerate(rows):
                if row.kind == SENTENCE:
                    self.table.setSpan(at, 1, 1, len(self.model.columns) - 1)
            self.table.leave_out()

    def _draw(self, series: TheorySeries) -> None:
        low, high = series.range()
        self.notes.show_captions(
            [
                PlotCaption(
                    QRectF(low, at, high - low, 1.0), (bar.note,), self.theme.color(bar.role), _INDENT, begins=True
                )
                for at, bar in enumerate(series.bars)
                if bar.note
            ]
        )
        for (role, holds), bars in self.bars.items():
            some = [
                (at, bar.value)
                for at, bar in enumerate(series.bars)
                if (bar.role, bar.holds) == (role, holds) and bar.value is not None and 0.0 < bar.value < np.inf
            ]
            logs = np.log10([value for _, value in some]) if some else np.zeros(0)
            bars.setOpts(x0=np.full(len(some), low), y=np.array([at + 0.5 for at, _ in some]), width=logs - low)

    def make_room(self) -> None:
        """Give the bars the height that they need and the table the rest, or all of it if only the table is chosen."""
        series, show = self.series, self.settings["show"]
        if series is None:
            return
        high = self.body.height() >= self.theme.pixels(_LOW)
        tabled = bool(series.rows) and (show == TABLE or (show == BOTH and high))
        self.table.setVisible(tabled)
        self.plot.setVisible(not tabled or show != TABLE)
        most = self.theme.pixels(_ROW * len(series.bars) + _AXIS) if tabled else _UNLIMITED
        if self.plot.maximumHeight() != most:
            self.plot.setMaximumHeight(most)

    def resized(self, snapshot: Snapshot, series: TheorySeries) -> None:
        if series.bars:
            rows = max(float(len(series.bars)), self.plot.box.height() / self.theme.pixels(_ROW))
            self.plot.frame(series.range(), (0.0, rows))

    def describe(self, snapshot: Snapshot, series: TheorySeries, x: float, y: float) -> str:
        return _wrapped(series.bars[int(y)].words) if 0 <= y < len(series.bars) else ""


def _wrapped(words: str, most: int = 70) -> str:
    """A sentence wrapped into lines."""
    lines = [""]
    for word in words.split(" "):
        if len(lines[-1]) + len(word) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
