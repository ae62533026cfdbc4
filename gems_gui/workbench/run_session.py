"""A run of a window: its trace, its cursor and its origin; independent of Qt."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gems_engine.forcing import Forced
from gems_engine.problems import Problems
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_engine.verdict import Verdict, verdict
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.run_request import Ending, RunRequest
from gems_gui.snapshot import NOTHING, Selection
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.run_facts import RunFacts

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates
    from gems_engine.experiment.seed_trials import SeedTrials
    from gems_engine.history import History
    from gems_engine.talk.story import Story


COLORS = 8
"""The number of colours of runs in a theme."""
_ALGORITHMS = (
    "fixed-confidence",
    "rage",
    "rage-oracle",
    "static-oracle",
    "fixed-budget",
    "misspecified",
    "gems-c",
    "gems-b",
)
"""The algorithms with a colour of their own, in the order of the colours."""


@dataclass(frozen=True, eq=False)
class Origin:
    """The origin of a branch: the run, the number of shared events, and what was forced after them."""

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
        Its name in lists.
    playback
        Its cursor, which stays where it was while another run is shown.
    request
        The request to the engine; for an opened run, the request that made it.
    draft
        The form that it was started from; None for an opened run.
    path
        The file it was opened from or saved to, empty if there is none.
    proposed
        The file it had before a crash: it is proposed for saving it, because another program may have changed it.
    run_id
        The id of the engine, −1 for an opened run.
    ending
        How it ended, or None.
    saved_events, saved_story
        The number of events and the story in the file: a run may continue, and its story be edited, after saving.
    made_story
        The first story that was made of it by a button, as it was before any edit.
    main_run
        The run whose file contains it as a companion of the story; None for most.
    companions
        The histories of the other runs of its story that were read with its file.
    color
        The number of its colour: that of its algorithm, if no run compared with it has the same.
    pinned
        Whether it is pinned for comparison, so that nothing replaces it.
    recovered
        Whether it was recovered after a crash.
    by_hand
        Whether the user started it, other than by opening the window or a built-in story.
    stepwise
        Whether it starts paused instead of playing.
    origin
        The origin of a branch made in this window; an opened file itself records what was forced.
    is_comparison
        Whether a second engine computes it to its end, for comparison with the shown run.
    race
        The runs of its race, with this one; empty without a race.
    seeds
        More seeds of all runs of the race.
    replicates
        More seeds of it, if they were requested.
    """

    name: str
    playback: Playback
    request: RunRequest | None
    draft: Draft | None = None
    path: str = ""
    proposed: str = ""
    run_id: int = -1
    ending: Ending | None = None
    selection: Selection = NOTHING
    began: float = field(default_factory=time.monotonic)
    saved_events: int = 0
    saved_story: Story | None = None
    made_story: Story | None = None
    main_run: RunSession | None = None
    companions: tuple[History, ...] = ()
    color: int = 0
    pinned: bool = False
    recovered: bool = False
    by_hand: bool = True
    stepwise: bool = False
    origin: Origin | None = None
    is_comparison: bool = False
    race: tuple[RunSession, ...] = ()
    seeds: SeedTrials | None = None
    replicates: Replicates | None = None

    def __post_init__(self) -> None:
        self._facts = RunFacts(self.trace)
        self._problems = Problems(self.trace)
        self._judged: Trace | None = None
        self._verdict: Verdict | None = None

    @property
    def problems(self) -> Problems:
        """Its problems, as far as they were searched for."""
        if self._problems.trace is not self.trace:
            self._problems = Problems(self.trace)
        return self._problems

    @property
    def facts(self) -> RunFacts:
        """Its summary, as far as it was read."""
        if self._facts.trace is not self.trace:  # the run was computed again
            self._facts = RunFacts(self.trace)
        return self._facts

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, once the run has ended and its history is read."""
        trace, history = self.trace, self.playback.history
        if trace.finished is None or history.events < len(trace):
            return None
        if self._judged is not trace:
            self._judged, self._verdict = trace, verdict(history, trace.state_at(len(trace)))
        return self._verdict

    @property
    def trace(self) -> Trace:
        """The trace."""
        return self.playback.trace

    def end(self, ending: Ending) -> None:
        """Record how it ended."""
        self.ending = ending
        self.playback.ended = True

    @property
    def settled_request(self) -> RunRequest | None:
        """The parameters, with the values of B and T that the run used where they were derived from the instance."""
        started = self.trace.started
        if self.request is None or started is None:
            return self.request
        return replace(self.request, parameters=started.parameters)

    @property
    def saved(self) -> bool:
        """Whether all of it is saved."""
        if self.main_run is not None and self.main_run.saved:
            return True
        return bool(self.path) and self.saved_events >= len(self.trace) and self.story_saved

    @property
    def story_saved(self) -> bool:
        """Whether its current story is saved."""
        return self.trace.story is self.saved_story

    @property
    def story_edited(self) -> bool:
        """Whether closing would lose its story: it is not saved, and no button makes it again."""
        return not self.story_saved and (self.trace.story is None or self.trace.story is not self.made_story)


def set_colors(runs: Iterable[RunSession]) -> bool:
    """Give each run the colour of its algorithm, or the next one that no run before it has; whether one changes."""
    taken: list[int] = []
    before = [(run, run.color) for run in runs]
    for run, _ in before:
        started = run.trace.started
        name = started.algorithm if started is not None else "" if run.request is None else run.request.algorithm
        own = _ALGORITHMS.index(name) if name in _ALGORITHMS else 0
        run.color = next((each for at in range(COLORS) if (each := (own + at) % COLORS) not in taken), own)
        taken.append(run.color)
    return any(run.color != color for run, color in before)
