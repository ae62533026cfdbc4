"""The round before the one at the cursor, which is shown while the current one has nothing to show yet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gems_gui.snapshot import Snapshot


def last_round(snapshot: Snapshot) -> Snapshot | None:
    """The end of the last finished round in this subroutine; None outside of rounds, and in the first one.

    This avoids empty plots at the start of every round, in the validation of a fixed-budget run, and at the end of a
    run that the cap stopped before a round: there it is the last round of the run that has drawn samples.
    """
    rounds, here = snapshot.history.rounds, snapshot.call_row
    ended = snapshot.state.finished is not None or validates(snapshot)
    if not ended and (not snapshot.state.place.k or here < 0):
        return None
    all_calls = ended and snapshot.completed < 0
    first = 0 if all_calls else int(snapshot.history.subroutines.first_round[here])
    last = snapshot.history.rounds_before(snapshot.call_end)
    decided = rounds.decided[first:last]
    over = np.flatnonzero((decided >= 0) & (decided < snapshot.cursor) & ~(ended & rounds.idle[first:last]))
    if not len(over):
        return None
    return replace(snapshot, state=snapshot.trace.state_at(int(decided[over[-1]]) + 1))


def validates(snapshot: Snapshot) -> bool:
    """Whether the candidates of a fixed-budget run are compared by their means, which is not a round."""
    allocation = snapshot.state.allocation
    return allocation is not None and allocation.d == 0
