"""Why there is nothing to show for a round yet: how far the round is, with its probes so far."""

from __future__ import annotations

from gems_engine.events import NO_DIMENSION_FITS
from gems_engine.terminal import number
from gems_gui.snapshot import Snapshot


def to_come(snapshot: Snapshot, what: str) -> str:
    """ "no design yet: round 1 is choosing its dimension", with the dimensions examined so far.

    Parameters
    ----------
    what
        What is missing, such as "design".
    """
    state = snapshot.state
    if snapshot.waits:
        return f"no {what} yet: round 1 has not started"
    k, ended = state.round_place.k, state.subroutine_finished
    if ended is not None or state.finished is not None or not k:
        return f"no {what}" + (": no dimension fits" if ended is not None and ended.why == NO_DIMENSION_FITS else "")
    if state.pulled is not None:
        return f"no {what} yet: round {number(k)} has pulled but not estimated"
    if state.allocation is not None:
        pulls = number(int(state.allocation.counts.sum()))
        return f"no {what} yet: round {number(k)} is about to pull {pulls} samples"
    if state.design is not None:
        return f"no {what} yet: round {number(k)} is rounding its design"
    if snapshot.keeps_d or not state.probes:
        return f"no {what} yet: round {number(k)} is choosing its dimension"
    looked = ", ".join(str(each.d) for each in state.probes)
    return f"no {what} yet: round {number(k)} has examined d\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{looked}"
