"""The base of the views with arms side by side: their plot, and which arm is at a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from gems_gui.views.arm_axis import ArmPlot
from gems_gui.views.item_spec import items_of
from gems_gui.views.items import BarItem, CurveItem
from gems_gui.views.plot_view import Axes, Entries, PlotView, Series
from gems_gui.views.view import ARM


class ArmView(PlotView[Series]):
    """A view with a bar for every arm. A subclass declares its items, paints them and describes them."""

    picks = ARM
    kind_of_plot: ClassVar[type[ArmPlot]] = ArmPlot
    blanks = False
    plot: ArmPlot
    axes = Axes(printed=("arm", ""))

    def new_plot(self) -> ArmPlot:
        return self.kind_of_plot()

    def entries(self, series: Series) -> Entries:
        """The marks of arms; a subclass puts its own entries before them."""
        order = self.plot.order
        assert order is not None
        return (
            ("★", "best", self.best_words, order.best is not None),
            ("◆", "chosen", order.called, order.recommended is not None),
        )

    def explain(self) -> None:
        """Empty the items that were not drawn this time, and explain the others."""
        self.plot.finish(*(each for each in items_of(self) if isinstance(each, BarItem | CurveItem)))
        super().explain()

    def in_order(self) -> Sequence[int]:
        return () if self.plot.order is None else self.plot.order.arms.tolist()

    def index_at(self, series: Series, x: float, y: float) -> int | None:
        return None if self.plot.order is None else self.plot.order.arm_at(x)
