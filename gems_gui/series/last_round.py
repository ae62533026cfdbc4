"""The round before the one at the cursor: what a picture shows while this one has nothing to show yet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gems_gui.moment import Moment


def last_round(moment: Moment) -> Moment | None:
    """The end of the last round that is over in this subroutine; None outside of rounds, and in the first one.

    So that a picture that is played does not go blank at the beginning of every round, nor in the validation of a
    fixed-budget run, nor at the end of a run that the cap has ended in front of a round: there it is the last round of
    the run that has drawn samples.
    """
    rounds, here = moment.history.rounds, moment.history.subroutine_at(moment.cursor)
    ended = moment.state.finished is not None or validates(moment)
    if not ended and (not moment.state.place.k or here < 0):
        return None
    first = 0 if ended else int(moment.history.subroutines.first_round[here])
    last = moment.history.rounds_before(moment.cursor)
    decided = rounds.decided[first:last]
    over = np.flatnonzero((decided >= 0) & (decided < moment.cursor) & ~(ended & rounds.idle[first:last]))
    if not len(over):
        return None
    return replace(moment, state=moment.trace.state_at(int(decided[over[-1]]) + 1))


def validates(moment: Moment) -> bool:
    """Whether the candidates of a fixed-budget run are compared by their means: that is no round."""
    allocation = moment.state.allocation
    return allocation is not None and allocation.d == 0
