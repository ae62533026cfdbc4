"""g_1(d) of every dimension for all targets: the costs in the first round, before any dimension is examined."""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.dimension import within
from gems_gui.series.dimension_book import Chosen, book_of
from gems_gui.series.dimension_rounds import NO_ROUNDING, costs, pulls_of, rounding_of
from gems_gui.series.last_round import validates
from gems_gui.snapshot import Snapshot

MOST_TARGETS = 400
"""With more, computing designs in every dimension takes too long."""


def first_set(snapshot: Snapshot) -> Chosen:
    """All targets, if the run is about to choose a dimension for them; else none."""
    state, targets = snapshot.state, len(snapshot.instance.targets)
    call = snapshot.call
    if call is None or not np.isfinite(snapshot.selection_budget) or snapshot.keeps_d or validates(snapshot):
        return ()
    return tuple(range(targets)) if state.round_place.k <= 1 and 1 < targets <= MOST_TARGETS else ()


def first_costs(snapshot: Snapshot) -> Floats:
    """Proven upper bounds on g_1(d) for d = 1, …, D, as far as the book of the instance has them, else NaN.

    They are not part of the run: a second process computes them for the view. None above D̃ in a call of GEMS-b.
    """
    chosen = first_set(snapshot)
    if not chosen:
        return np.full(snapshot.instance.D, np.nan)
    curve = book_of(snapshot.instance).curve(chosen)
    rounding, pulls = rounding_of(snapshot), first_pulls(snapshot)
    _, upper = costs(curve, 1, rounding, pulls)
    allowed = np.array([pulls is None or within(samples, pulls) for samples in rounding.tolist()])
    return np.where(allowed & ~np.isnan(curve.upper), upper, np.nan)


def first_pulls(snapshot: Snapshot) -> float | None:
    """T′ of GEMS-b at the cursor or after it; None for all others."""
    call, here = snapshot.call, snapshot.call_row
    if call is None or call.name != NO_ROUNDING:
        return None
    return float(pulls_of(snapshot, here) or 0) if snapshot.state.subroutine else float(call.budget // call.rounds)
