"""What the views with arms side by side share: their plot, how it is emptied, and pointing at its bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.theme import Theme
from gems_gui.views.arm_axis import ArmPlot
from gems_gui.views.items import BarItem, CurveItem
from gems_gui.views.legend import Entry
from gems_gui.views.plot import bars
from gems_gui.views.view import ARM, View


class ArmView(View):
    """Something about every arm as bars. A subclass makes its items, paints them and has words for them."""

    picks = ARM
    kind_of_plot: ClassVar[type[ArmPlot]] = ArmPlot
    blanks = False

    def make(self) -> QWidget:
        """The arms, with nothing about them yet."""
        self.plot = self.kind_of_plot()
        self.plot.on_arm(self._words, self.arm_picked.emit)
        self._items: list[BarItem | CurveItem] = []
        return self.plot

    def bars(self) -> BarItem:
        """A new set of bars, in front of those before."""
        self._items.append(made := bars(self.plot))
        return made

    def line(self) -> CurveItem:
        """A new line of short pieces, in front of what is there."""
        self._items.append(made := CurveItem(self.plot.box, connect="pairs"))
        return made

    def apply_theme(self, theme: Theme) -> None:
        """Colours."""
        self.plot.apply_theme(theme)

    def clear(self) -> None:
        """Empty axes."""
        for item in self._items:
            item.empty()
        self.plot.empty()

    def finish(self, subtitle: str | Phrasings, legend: list[Entry], nothing: str = "") -> None:
        """Empty what was not drawn this time, and say what was, or why there is nothing."""
        assert self.plot.order is not None
        self.plot.finish(*self._items)
        if self.plot.order.best is not None:
            legend.append(("★", "best", "true best"))
        if self.plot.order.recommended is not None:
            legend.append(("◆", "chosen", self.plot.order.called))
        self.legend.show_entries(legend, self.theme)
        self.set_subtitle(subtitle, phrasings(nothing))

    def in_order(self) -> Sequence[int]:
        """The bars from the left."""
        return () if self.plot.order is None else self.plot.order.arms.tolist()

    def _words(self, x: float) -> str:
        """What is known of the arm at x; empty for nothing."""
        raise NotImplementedError
