"""The status of a run in a few words; independent of Qt."""

from __future__ import annotations

from gems_engine.terminal import number, plural
from gems_engine.wording import waiting_text
from gems_gui.drafts.run_request import FAILED, STOPPED
from gems_gui.workbench.run_session import RunSession


def engine_text(run: RunSession, computed: bool, waits: bool, rounds_per_second: float) -> str:
    """The status of the engine for the shown run, for the transport.

    Parameters
    ----------
    computed
        Whether the engine of the window computes this run.
    waits
        Whether it has computed everything granted.
    """
    playback = run.playback
    if playback.search is not None:
        return f"running until {playback.search_text}"
    if computed:
        if playback.held:
            return "engine paused"
        if playback.settled_in is not None:
            return _settled(playback.settled_in)
        if waits:
            ahead = playback.length - playback.cursor
            return f"waiting: {number(ahead)} ahead" if ahead else "waiting for a step"
        return f"running · {plural(round(rounds_per_second), 'round')}/s" if rounds_per_second >= 1 else "running"
    if run.is_comparison and run.ending is None:
        return "running for comparison"
    if early := _ended_early(run):
        return early
    return "done" if run.trace.finished is not None else waiting_text(run.trace) or "recorded, not finished"


def state_word(run: RunSession, computed: bool, replaced: str = "") -> str:
    """Running, done, stopped, failed, waiting for rewards, or recorded without an end, for the list of runs.

    Parameters
    ----------
    replaced
        Why a newer run replaces it, in a few words; empty if none does. It then does not count as stopped.
    """
    if computed and run.playback.settled_in is not None:
        return _settled(run.playback.settled_in)
    if computed or (run.is_comparison and run.ending is None):
        return "running"
    early = _ended_early(run)
    if early == STOPPED and replaced:
        return replaced
    if early:
        return early
    return "done" if run.trace.finished is not None else waiting_text(run.trace) or "not finished"


def _settled(loop: int) -> str:
    return f"stopped: verifiable since ℓ {loop}"


def _ended_early(run: RunSession) -> str:
    return run.ending.how if run.ending is not None and run.ending.how in (STOPPED, FAILED) else ""
