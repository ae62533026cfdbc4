"""The texts of a page to share: what each step says, and what there is to say about a run. Does not import Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gems_engine.errors import InputError
from gems_engine.explanation import Explanation, explain
from gems_engine.explanation.step import Memory
from gems_engine.explanation.text import plain
from gems_engine.forcing import Forced
from gems_engine.narration import narrate
from gems_engine.trace import Trace
from gems_engine.verdict import promise_of, verdict_of
from gems_gui.drafts.run_request import RunRequest
from gems_gui.painting.frames import Frame, snapshot_at
from gems_gui.series.event_list import EventList
from gems_gui.series.status import caption, outcome
from gems_gui.snapshot import Snapshot
from gems_gui.workbench.command_line import branch_line, command_line

MOST_EVENTS = 20_000
"""Events that a page lists; of a longer range, it lists the last one of each step."""
Event = tuple[int, str, str, str]
"""The number of an event from 1, its position, its kind, and what happened."""


class StepTexts:
    """The texts of steps; paragraphs that repeat are numbered."""

    def __init__(self) -> None:
        self._memories: dict[Trace, Memory] = {}
        self._paragraphs: dict[tuple[Any, ...], int] = {}
        self._new: list[tuple[Any, ...]] = []

    def of(self, snapshot: Snapshot, frame: Frame) -> dict[str, Any]:
        """The narrator's line, the status, the caption and the explanation of a step."""
        why = explain(
            snapshot.trace,
            frame.cursor,
            truth=snapshot.truth,
            target=frame.selection.target,
            history=snapshot.history,
            memory=self._memories.setdefault(snapshot.trace, {}),
        )
        ended = snapshot.state.finished is not None
        return {
            "said": narrate(snapshot.history, snapshot.state, snapshot.truth),
            "status": outcome(snapshot, promise_of(snapshot.trace) if ended and snapshot.truth else ""),
            "caption": frame.caption,
            "why": plain(why.title),
            "because": self._numbers(why),
        }

    def take_new(self) -> list[tuple[Any, ...]]:
        """The paragraphs since the last call, in the order of their numbers: heading, sentence and formulas."""
        new, self._new = self._new, []
        return new

    def _numbers(self, explanation: Explanation) -> list[int]:
        numbers = []
        for each in explanation.paragraphs:
            said = plain(each.heading), plain(each.sentence), tuple(map(plain, each.formulas))
            if said not in self._paragraphs:
                self._paragraphs[said] = len(self._paragraphs)
                self._new.append(said)
            numbers.append(self._paragraphs[said])
        return numbers


def events_of(base: Snapshot, cursors: Iterable[int]) -> list[Event]:
    """The events up to the last of these cursors from the first one on; if they are many, that before each cursor.

    The dimension of an oracle is d⋆: while the truth is hidden, the narrator tells its events.
    """
    stops = sorted(set(cursors))
    first, last = max(stops[0] - 1, 0), stops[-1]
    wanted = range(first, last) if last - first <= MOST_EVENTS else [stop - 1 for stop in stops if stop]
    events, trace = EventList(base.trace), base.trace
    listed = []
    for at in wanted:
        place, kind, words = events.line(trace[at])
        if base.keeps_d:
            words = narrate(base.history, snapshot_at(base, Frame(at + 1)).state, truth=False)
        listed.append((at + 1, place, kind.replace("_", " "), words))
    return listed


def about_run(trace: Trace, truth: bool, file: str) -> dict[str, str]:
    """Name, verdict and command of a run; no command while the truth is hidden.

    Parameters
    ----------
    file
        The name of its file in the page; empty if it has none.
    """
    begun = replace(Snapshot.of(trace, min(1, len(trace))), truth=truth)
    judged = verdict_of(trace)
    return {
        "title": caption(begun),
        "verdict": "" if judged is None else judged.sentence(not truth, promise_of(trace) if truth else ""),
        "command": command_of(trace, file) if truth else "",
    }


def command_of(trace: Trace, file: str) -> str:
    """The command that repeats a run: on a family of instances, or on the run file; empty if there is none."""
    request = RunRequest.of_trace(trace)
    started = trace.started
    if request is None or started is None or started.rewards:
        return ""
    recipe = request.instance.recipe
    if not started.forced and recipe.family and not recipe.file:
        try:
            return command_line(request)
        except InputError:  # changed since it was made, or of another version
            pass
    return branch_line(file, 0, Forced()) if file else ""
