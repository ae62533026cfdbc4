"""The base of all views that are plots: creates, themes, empties and explains the items that they declare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Generic, TypeVar

from PySide6.QtWidgets import QWidget

from gems_engine.terminal import number
from gems_gui.series.table import Plotted
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views.item_spec import apply_theme_to_items, create_items, items_of
from gems_gui.views.legend import Entry
from gems_gui.views.plot import Plot
from gems_gui.views.view import View
from gems_gui.widgets.boxes import vbox

Series = TypeVar("Series", bound=Plotted)
ConditionalEntry = Entry | tuple[str, str, str, object]
"""An entry of a legend, and whether it is shown."""
Entries = Iterable[ConditionalEntry]


@dataclass(frozen=True)
class Axes:
    """The axes of a plot; each attribute but the last two names some of them, such as "y" or "xy".

    Attributes
    ----------
    whole
        Axes with whole numbers only.
    named
        Axes with names instead of numbers, also while there are none.
    log
        Logarithmic axes.
    silent
        Axes that are hidden while the plot is empty.
    bare
        Axes without ticks, which would cover the content.
    fixed
        Axes that the mouse does not zoom or move.
    down
        Whether y increases downwards.
    printed
        Labels of x and y where the view gives none, in print, where every axis has one.
    """

    whole: str = ""
    named: str = ""
    log: str = ""
    silent: str = "xy"
    bare: str = ""
    fixed: str = ""
    down: bool = False
    printed: tuple[str, str] = ("", "")

    def plot(self) -> Plot:
        """A new plot with these axes."""
        plot = Plot("x" in self.whole, "y" in self.whole)
        axis = {"x": plot.x_axis, "y": plot.y_axis}
        plot.falls_silent = tuple(axis[name] for name in self.silent)
        for name in self.named:
            axis[name].set_tick_labels([])
        for name in self.log:
            axis[name].set_log(True)
        for name in self.bare:
            axis[name].setStyle(tickLength=0)
        plot.box.setMouseEnabled("x" not in self.fixed, "y" not in self.fixed)
        if self.down:
            plot.box.invertY(True)
        return plot


class PlotView(View, Generic[Series]):
    """A view that is a plot. A subclass declares its axes and items, and fills them with a series in ``paint``.

    The series has the subtitle, and says why there is nothing to show. The subclass implements those of the methods
    below that it needs, such as ``entries`` for the legend; they are called only while there is something to show.
    """

    axes: ClassVar[Axes] = Axes()
    series: Series | None = None

    # -- for subclasses ------------------------------------------------------------------------------------------

    def entries(self, series: Series) -> Entries:
        """What the legend explains of the items as they are drawn now."""
        return ()

    def subtitle(self, series: Series) -> Phrasings:
        """What is shown next to the title."""
        return series.subtitle

    def describe(self, snapshot: Snapshot, series: Series, x: float, y: float) -> str:
        """A text about what is at a point of the plot; empty for nothing."""
        return ""

    def index_at(self, series: Series, x: float, y: float) -> int | None:
        """The arm or target that a click there selects; a second click clears the selection."""
        return None

    def clicked(self, snapshot: Snapshot, series: Series, x: float, y: float) -> None:
        """Handle a click."""
        if self.picks:
            at = self.index_at(series, x, y)
            self.point(None if at == self.pointed_at() else at)

    def range_changed(self, snapshot: Snapshot, series: Series) -> None:
        """Update items at an edge or with a size in pixels after the visible range has changed."""

    def resized(self, snapshot: Snapshot, series: Series) -> None:
        """Fit everything into the new size of the plot, or into the range to which the user has zoomed."""

    @property
    def best_words(self) -> str:
        """What the star marks."""
        instance = None if self.snapshot is None else self.snapshot.instance
        if instance is None or not instance.has_rewards or instance.best_is_unique:
            return "true best"
        return f"one of {number(int((instance.gaps == 0).sum()))} best"

    # -- shared --------------------------------------------------------------------------------------------------

    def new_plot(self) -> Plot:
        """The plot, without the items of the view."""
        return self.axes.plot()

    def make(self) -> QWidget:
        self.plot = self.new_plot()
        self.plot.print_labels = self.axes.printed
        create_items(self, self.plot)
        self.plot.describe = self._describe
        self.plot.pick = self._pick
        self.plot.box.sigResized.connect(self._on_plot_resized)
        self.plot.box.sigRangeChangedManually.connect(self._on_plot_resized)
        self.plot.box.sigRangeChanged.connect(self._on_range_changed)
        return self.plot

    def apply_theme(self, theme: Theme) -> None:
        self.plot.apply_theme(theme)
        apply_theme_to_items(self, theme)

    def clear(self) -> None:
        self.series = None
        for item in items_of(self):
            item.empty()
        self.plot.empty()

    def reset(self) -> None:
        for item in items_of(self):
            item.empty()
        super().reset()

    def explain(self) -> None:
        """Show the legend and the subtitle of what is drawn, or why there is nothing."""
        if self.series is not None:
            possible = tuple(self.entries(self.series))
            shown = [each[:3] for each in possible if len(each) == 3 or each[3]]
            self.legend.show_entries(shown, self.theme, [each[:3] for each in possible])
            self.set_subtitle(self.subtitle(self.series), phrasings(self.series.placeholder))
        self.plot.renew_readout()

    def _describe(self, x: float, y: float) -> str:
        if self.snapshot is None or self.series is None:
            return ""
        return self.describe(self.snapshot, self.series, x, y)

    def _pick(self, x: float, y: float) -> None:
        if self.snapshot is not None and self.series is not None:
            self.clicked(self.snapshot, self.series, x, y)

    def _on_plot_resized(self, *_: object) -> None:
        """Fit the content into the new size."""
        if self.snapshot is not None and self.series is not None:
            self.refit(partial(self.resized, self.snapshot, self.series))
            self.refit(self.explain)

    def _on_range_changed(self, *_: object) -> None:
        if self.snapshot is not None and self.series is not None:
            self.refit(partial(self.range_changed, self.snapshot, self.series))


def stacked(*parts: tuple[QWidget, int]) -> QWidget:
    """Widgets below each other, each with a stretch factor."""
    whole = QWidget()
    column = vbox(whole, 4)
    for widget, share in parts:
        column.addWidget(widget, share)
    return whole
