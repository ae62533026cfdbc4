"""The round before the one at the cursor: what a picture shows while this one has nothing to show yet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gems_gui.moment import Moment


def last_round(moment: Moment) -> Moment | None:
    """The end of the last round that is over in this subroutine; None outside of rounds, and in the first one.

    So that a picture that is played does not go blank at the beginning of every round.
    """
    rounds, here = moment.history.rounds, moment.history.subroutine_at(moment.cursor)
    if not moment.state.place.k or here < 0:
        return None
    first = int(moment.history.subroutines.first_round[here])
    decided = rounds.decided[first : moment.history.rounds_before(moment.cursor)]
    over = np.flatnonzero((decided >= 0) & (decided < moment.cursor))
    if not len(over):
        return None
    return replace(moment, state=moment.trace.state_at(int(decided[over[-1]]) + 1))
