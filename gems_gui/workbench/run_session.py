"""A run of a window: what is recorded of it, where its cursor is, and where it comes from; knows no Qt."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gems_engine.forcing import Forced
from gems_engine.problems import Problems
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.run_request import Ending, RunRequest
from gems_gui.snapshot import NOTHING, Selection
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.run_facts import RunFacts

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates
    from gems_engine.talk.story import Story


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a branch comes from: the run, how many of its events they share, and what was forced then."""

    parent: RunSession
    cursor: int
    forced: Forced

    def __str__(self) -> str:
        return f"branch at {number(self.cursor)}: {self.forced or 'nothing forced'}"


@dataclass(eq=False)
class RunSession:
    """A run of this window: recorded, or being recorded.

    Attributes
    ----------
    name
        As lists show it.
    playback
        Its cursor, which stays where it was while another run is shown.
    request
        What the engine was asked for; of a run that was opened, what made it.
    draft
        The form that it was started from, None for an opened one.
    path
        The file it was opened from or saved to, empty if there is none.
    run_id
        The engine's, −1 for an opened one.
    ending
        How it ended, once it has.
    saved_events, saved_story
        How many events the file has, and its story: a run may go on after it was saved, and a story be edited.
    host
        The run in whose file it is too, as a companion of its story; None for most.
    color
        Its number among the runs of the window, which gives it a colour for good.
    pinned
        Whether it is kept for comparison, so that nothing replaces it.
    recovered
        Whether a window that ended without saving had it.
    by_hand
        Whether somebody has asked for it, other than by opening the window or a story of the program.
    stepwise
        Whether it waits for the user at its first event, instead of playing.
    origin
        Of a branch that was made in this window; a file that is opened says itself what was forced.
    is_comparison
        Whether a second engine computes it, beside the shown run and to its end.
    replicates
        More seeds of it, if somebody has asked for them.
    unasked
        The form as it was when this run came without it, as the trial of an experiment does; None for most.
    """

    name: str
    playback: Playback
    request: RunRequest | None
    draft: Draft | None = None
    path: str = ""
    run_id: int = -1
    ending: Ending | None = None
    selection: Selection = NOTHING
    began: float = field(default_factory=time.monotonic)
    saved_events: int = 0
    saved_story: Story | None = None
    host: RunSession | None = None
    color: int = 0
    pinned: bool = False
    recovered: bool = False
    by_hand: bool = True
    stepwise: bool = False
    origin: Origin | None = None
    is_comparison: bool = False
    replicates: Replicates | None = None
    unasked: Draft | None = None

    def __post_init__(self) -> None:
        self._facts = RunFacts(self.trace)
        self._problems = Problems(self.trace)

    @property
    def problems(self) -> Problems:
        """Its problems, as far as somebody has looked for them."""
        if self._problems.trace is not self.trace:
            self._problems = Problems(self.trace)
        return self._problems

    @property
    def facts(self) -> RunFacts:
        """What it has found and taken, as far as somebody has asked for it."""
        if self._facts.trace is not self.trace:  # the run was computed again
            self._facts = RunFacts(self.trace)
        return self._facts

    @property
    def trace(self) -> Trace:
        """What is recorded."""
        return self.playback.trace

    def end(self, ending: Ending) -> None:
        """It has ended: nothing more is recorded."""
        self.ending = ending
        self.playback.ended = True

    @property
    def settled_request(self) -> RunRequest | None:
        """What was asked for, with B and T as the run took them where they were left to the instance."""
        started = self.trace.started
        if self.request is None or started is None:
            return self.request
        return replace(self.request, parameters=started.parameters)

    @property
    def saved(self) -> bool:
        """Whether a file has all of it."""
        if self.host is not None and self.host.saved:
            return True
        return bool(self.path) and self.saved_events >= len(self.trace) and self.story_saved

    @property
    def story_saved(self) -> bool:
        """Whether a file has its story as it is."""
        return self.trace.story is self.saved_story
