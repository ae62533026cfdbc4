"""Shared by plots over the dimensions: their frame, the star of d⋆, and the band of a dimension marked in a story."""

from __future__ import annotations

from gems_gui.theme import Theme
from gems_gui.views.items import BarItem, MarkItem
from gems_gui.views.plot import Plot, Range


def frame_dimensions(plot: Plot, theme: Theme, D: int, y: Range, starred: bool) -> None:
    """Show all dimensions, with space for the star."""
    plot.x_axis.lowest, plot.x_axis.highest = 1.0, float(D)
    margin = max(0.1, 0.01 * D)
    plot.frame((0.5 - margin, D + 0.5 + margin), y, theme.pixels(10), theme.pixels(17 if starred else 6))


def mark_dimensions(
    plot: Plot, theme: Theme, star: MarkItem, d_star: int | None, band: BarItem, marked: int | None
) -> None:
    """Keep the star of d⋆ at the lower edge of the visible range; show a band at a dimension marked in a story."""
    low, high = plot.box.viewRange()[1]
    star.set_point(d_star or 0.0, None if d_star is None else low + theme.pixels(8) * plot.pixel[1])
    x = [] if marked is None else [float(marked)]
    band.setOpts(x=x, y0=[low] * len(x), height=[high - low] * len(x), width=1.0)
