"""Which rows of a plot of targets are named: all if they fit, else the recommended and the best one, then survivors."""

from __future__ import annotations

import numpy as np

from gems_engine.terminal import number
from gems_gui.series.names import short_name
from gems_gui.series.surviving_arms import SurvivalSeries
from gems_gui.snapshot import Snapshot


def row_names(
    snapshot: Snapshot, series: SurvivalSeries, most: int, all_fit: bool, low: float, high: float
) -> tuple[list[tuple[float, str, bool]], tuple[float, str] | None]:
    """Names at the middles of their rows, from the top, and whether each is among those named first.

    Also, if not all survivors are named, how many more there are, and where to say so: below the last of them.

    Parameters
    ----------
    most
        The largest number of names.
    all_fit
        Whether a row is high enough for its name.
    low, high
        The visible rows.
    """
    first = dict.fromkeys(row for row in (series.recommended, series.best, series.selected) if row is not None)
    marked = [row for row in first if low <= row + 0.5 <= high][: max(most, 1)]
    seen = series.remaining[(series.remaining + 0.5 >= low) & (series.remaining + 0.5 <= high)]
    important = {*marked, *seen.tolist()}
    rows = [row for row in range(len(series.order)) if low <= row + 0.5 <= high] if all_fit else sorted(important)
    if len(rows) > most:
        rows = _thinned(rows, marked, max(most - 2, 1))  # and the number of the others, with some air
    names = [(row + 0.5, short_name(snapshot.instance, int(series.order[row])), row in important) for row in rows]
    left = len(seen) - int(np.isin(seen, rows).sum())
    return names, (min(float(seen[-1]) + 1.0, high), f"+{number(left)} more") if left and most > 1 else None


def _thinned(rows: list[int], marked: list[int], most: int) -> list[int]:
    """Rows at equal steps; each marked one replaces its nearest."""
    kept = rows[:: -(-len(rows) // most)]
    for row in marked:
        near = [each for each in kept if each not in marked]
        if row not in kept and near:
            kept.remove(min(near, key=lambda each: abs(each - row)))
    return sorted({*kept, *marked})[: max(most, len(marked))]
