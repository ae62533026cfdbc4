"""The runs of a window, the one that is shown, and the clock that moves its cursor; knows the engine, no widgets."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from gems_engine.forcing import Forced
from gems_engine.problems import Problems
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.background.engine_client import EngineClient
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.run_request import FAILED, FINISHED, STOPPED, Ending, RunRequest
from gems_gui.series.side_by_side import MOST, alike
from gems_gui.snapshot import NOTHING, ComparedRun, Selection, Snapshot
from gems_gui.workbench.pending_run import AUTO_RUN, PendingRun, credit_for
from gems_gui.workbench.playback import Credit, Playback
from gems_gui.workbench.run_facts import RunFacts

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates
    from gems_engine.talk.story import Story

LOOK_AHEAD = 20_000  # events
MOST_BESIDE = MOST - 1  # runs that stand beside the shown one
FRAME = 30  # milliseconds between two looks at the clock while something moves: no eye sees the cursor jump


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
    origin
        Of a branch that was made in this window; a file that is opened says itself what was forced.
    beside
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
    origin: Origin | None = None
    beside: bool = False
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


class Workspace(QObject):
    """All runs, the active one, and what the window is to show of it.

    Signals
    -------
    moment_changed
        Something on screen has changed: the new snapshot, or None where there is no run.
    active_changed
        Another run is shown.
    runs_changed
        The list of runs, or what is known of one, has changed.
    engine_changed
        What the engine does has changed: the words about it are new.
    failed
        An `Ending` with a report.
    added, ended
        A `RunSession` that has begun or was opened; one that has ended.
    truth_changed
        Whether d⋆, the best arm and what follows from them may be shown: no view or text may say them otherwise.
    rerun_free, rerun_over
        The run that :meth:`rerun` asked for has come so far that another can be asked for; it is shown, or will not
        come.
    stale_changed
        Why what is shown is old, in a few words, or an empty text: it is not.
    missed
        What the shown run was run until happens nowhere in it, in a sentence.
    """

    snapshot_changed = Signal(object)
    active_changed = Signal(object)
    runs_changed = Signal()
    engine_changed = Signal()
    failed = Signal(object)
    added = Signal(object)
    ended = Signal(object)
    truth_changed = Signal(bool)
    rerun_free = Signal()
    rerun_over = Signal()
    stale_changed = Signal(str)
    missed = Signal(str)

    def __init__(self, engine: EngineClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.engine = engine
        self.runs: list[RunSession] = []
        self.active: RunSession | None = None
        self.truth = True
        self.look_ahead = LOOK_AHEAD
        self._colors_given = 0
        self._granted: Credit | None = None
        self._waits = False
        self.coming: PendingRun | None = None
        self.stale = ""
        self._rerun: RunSession | None = None
        self._shown: tuple[object, ...] = ()
        self._clock = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME)
        self._timer.timeout.connect(self._frame)
        engine.grew.connect(self._grew)
        engine.ended.connect(self._ended)
        engine.waits.connect(self._engine_waits)

    # -- runs ---------------------------------------------------------------------------------------------------

    def start(self, request: RunRequest, draft: Draft | None = None, play: bool = True) -> RunSession:
        """Run this, and show it from its first event on."""
        run = self._begin(request, self._name(request.name), draft)
        if play:
            run.playback.play()
        self._add(run)
        return run

    def branch(self, parent: RunSession, cursor: int, forced: Forced) -> RunSession:
        """Run a branch of another run, which may still be computed, and show it where it leaves that.

        Raises
        ------
        InputError
            If there is no such branch.
        """
        from gems_engine.branching import BranchRequest  # with the whole engine, which a window does not wait for

        request = RunRequest.of_branch(BranchRequest.of(parent.trace, cursor, forced))
        origin = Origin(parent, cursor, forced)
        run = self._begin(request, self._name(f"{origin} · {parent.name}"), parent.draft, cursor)
        run.origin, run.selection = origin, parent.selection
        run.playback.speed = parent.playback.speed
        self._add(run)
        return run

    def _begin(self, request: RunRequest, name: str, draft: Draft | None, cursor: int = 0) -> RunSession:
        """Have the engine begin a run whose cursor goes to a place in it."""
        self.coming = None
        first = Playback(Trace(request.recorded_on()), self.look_ahead)
        first.go_on_to(cursor)
        self._granted, self._waits = first.credit(), False
        live = self.engine.start(request, self._granted)
        run = RunSession(name, Playback(live.trace, self.look_ahead), request, draft, run_id=live.run_id)
        run.playback.go_on_to(cursor)
        return run

    def rerun(self, request: RunRequest, draft: Draft | None = None) -> None:
        """Compute the run of a changed draft; when it is far enough, it is shown where the last such run was."""
        credit = credit_for(self.playback, self.look_ahead)
        live = self.engine.start(request, credit, unseen=True)
        playback = Playback(live.trace, self.look_ahead)
        name = f"{AUTO_RUN} · {request.name}"
        self.coming = PendingRun(RunSession(name, playback, request, draft, run_id=live.run_id))
        self._granted, self._waits = credit, False
        self.refresh()

    def is_passing(self, run: RunSession) -> bool:
        """Whether auto-run made it, so that the next such run takes its place."""
        return run is self._rerun and not run.pinned

    @property
    def computes_pinned(self) -> bool:
        """Whether the engine is at a run that the user has started and wants to keep: only the user ends that."""
        run = self._computed()
        return run is not None and run.pinned and run is not self._rerun

    @property
    def computes(self) -> bool:
        """Whether the engine is at a run of the list, computing it or waiting to go on."""
        return self._computed() is not None

    def _show_coming(self) -> None:
        assert self.coming is not None
        new, old = self.coming, self._rerun
        self.coming, self._rerun = None, new.run
        self.rerun_free.emit()  # first: the engine computes the next one while this one is read and painted
        new.go_where(self.active)
        if old is None or old not in self.runs or old.pinned or old.path or old.trace.story is not None:
            self._add(new.run)
        else:
            new.run.color = old.color
            self.runs[self.runs.index(old)] = self.active = new.run
            self.runs_changed.emit()
            self.active_changed.emit(new.run)
            self.refresh()
        self.rerun_over.emit()

    def set_stale(self, words: str) -> None:
        """Say why what is shown is not what the form asks for; an empty text: it is."""
        if words != self.stale:
            self.stale = words
            self.stale_changed.emit(words)
            self.engine_changed.emit()

    def open(self, trace: Trace, path: str, name: str = "") -> RunSession:
        """Show a run from a file, from its first event on; it has the name of the file if no other is given."""
        started = trace.started
        request = None
        if started is not None:
            request = RunRequest(trace.instance, started.algorithm, started.seed, started.parameters)
        name = name or path.rpartition("/")[2] or "run"
        run = RunSession(name, Playback(trace), request, path=path, saved_events=len(trace), saved_story=trace.story)
        run.playback.ended, run.by_hand = True, False
        self._add(run)
        return run

    def recover(self, trace: Trace, name: str, pinned: bool = False, cursor: int = 0) -> RunSession:
        """Show a run that a window had when it ended unexpectedly, where it was; no file of the user's has it."""
        run = self.open(trace, "", name)
        run.playback.seek(cursor)
        run.saved_events, run.saved_story = 0, None
        run.recovered = run.by_hand = True
        run.pinned = pinned
        self.runs_changed.emit()
        self.refresh()
        return run

    def activate(self, run: RunSession) -> None:
        """Show this run, where it was left."""
        if run is not self.active:
            self.active = run
            self.active_changed.emit(run)
        self.refresh()

    def remove(self, run: RunSession) -> None:
        """Forget a run; the engine stops if it is the one being computed."""
        if self._computed() is run:
            self.stop()
            run.ending = Ending(run.run_id, STOPPED, f"{run.name} was stopped.")
            run.playback.ended = True
        at = self.runs.index(run)
        self.runs.remove(run)
        self.runs_changed.emit()
        if run is self.active:
            self.active = self.runs[min(at, len(self.runs) - 1)] if self.runs else None
            self.active_changed.emit(self.active)
        self.refresh()

    def put_back(self, run: RunSession, at: int) -> None:
        """Take a run that was removed into the list again, at its old place."""
        self.runs.insert(min(at, len(self.runs)), run)
        self.runs_changed.emit()
        if self.active is None:
            self.activate(run)
        self.refresh()

    def rename(self, run: RunSession, name: str) -> None:
        """Give a run another name; an empty one changes nothing."""
        if name.strip() and name.strip() != run.name:
            run.name, run.by_hand = name.strip(), True
            self.runs_changed.emit()

    def pin(self, run: RunSession, on: bool) -> None:
        """Keep a run for comparison, or not."""
        run.pinned = on
        self.runs_changed.emit()
        self.refresh()

    def add_beside(self, run: RunSession) -> None:
        """Take a run into the list that somebody else computes, to be compared with the shown one."""
        run.name = self._name(run.name)
        self._list(run)
        self.added.emit(run)
        self.runs_changed.emit()
        self.refresh()

    def _list(self, run: RunSession) -> None:
        """At the end of the list, in a colour of its own."""
        run.color = self._colors_given
        self._colors_given += 1
        self.runs.append(run)

    def _add(self, run: RunSession) -> None:
        self._list(run)
        self.active = run
        self.added.emit(run)
        self.runs_changed.emit()
        self.active_changed.emit(run)
        self.refresh()

    def _name(self, base: str) -> str:
        same = sum(run.name == base or run.name.startswith(f"{base} (") for run in self.runs)
        return f"{base} ({same + 1})" if same else base

    def _computed(self) -> RunSession | None:
        """The run that the engine is at."""
        current = self.engine.current
        if current is None or not self.engine.running:
            return None
        return next((run for run in self.runs if run.run_id == current.run_id), None)

    # -- what is shown ------------------------------------------------------------------------------------------

    @property
    def playback(self) -> Playback | None:
        """That of the active run."""
        return None if self.active is None else self.active.playback

    @property
    def snapshot(self) -> Snapshot | None:
        """What there is to see now."""
        run = self.active
        if run is None:
            return None
        at, beside = run.playback, self.compared
        shown = Snapshot(run.trace, at.history, at.state, run.selection, self.truth, bool(self.stale), run.problems)
        return replace(
            shown,
            compared=tuple(ComparedRun(each.trace, each.playback.history, each.color) for each in beside),
            replicates=run.replicates,
        )

    @property
    def compared(self) -> tuple[RunSession, ...]:
        """The shown run, and those beside it: the pinned ones, or without any all of the same instance.

        Those come first that are shown where there is no room for all: of the same instance the newest.
        """
        run = self.active
        if run is None:
            return ()
        others = [each for each in self.runs if each is not run]
        pinned = [each for each in others if each.pinned]
        if not pinned:
            same = [each for each in others if alike(each.trace.instance, run.trace.instance)]
            pinned = [*same[-MOST_BESIDE:], *same[:-MOST_BESIDE]]
        return (run, *pinned)

    def set_replicates(self, run: RunSession, replicates: Replicates) -> None:
        """Let a run have replicates, which may still come; they change nothing of it."""
        run.replicates = replicates
        if run is self.active:
            self.snapshot_changed.emit(self.snapshot)

    def set_truth(self, shown: bool) -> None:
        """Show d⋆, the best arm and what follows from them, or take them out of every view and text."""
        if shown != self.truth:
            self.truth = shown
            if not shown:
                for run in self.runs:
                    run.playback.forget_truth()
            self.truth_changed.emit(shown)
            self.refresh()

    def select_arm(self, arm: int | None) -> None:
        """Mark an arm in every view."""
        if self.active is not None:
            self.active.selection = Selection.of_arm(self.active.trace.instance, arm)
            self.refresh()

    def select_target(self, target: int | None) -> None:
        """Mark a target in every view."""
        if self.active is not None:
            self.active.selection = Selection.of_target(self.active.trace.instance, target)
            self.refresh()

    def refresh(self) -> None:
        """Show what there is now, let the engine know what it may do, and keep the clock going if needed."""
        self._grant()
        run = self.active
        shown: tuple[object, ...] = ()
        if run is not None:
            begun = run.trace.started is not None  # of what was asked for, cursor 0 has something to show
            shown = (run, run.playback.cursor, id(run.selection), self.truth, self.compared, begun)
        if shown != self._shown or run is None:
            self._shown = shown
            self.snapshot_changed.emit(self.snapshot)
        self.engine_changed.emit()
        if run is not None and run.playback.missed:
            sentence, run.playback.missed = run.playback.missed, ""
            self.missed.emit(sentence)
        moving = run is not None and run.playback.moving
        if moving and not self._timer.isActive():
            self._clock.start()
            self._timer.start()
        elif not moving:
            self._timer.stop()

    def _frame(self) -> None:
        seconds = min(self._clock.restart() / 1e3, 0.25)  # after a stall it goes on, it does not leap
        playback = self.playback
        if playback is None or playback.tick(seconds) or not playback.moving:
            self.refresh()

    def close(self) -> None:
        """Let every cursor stand: nobody watches any more."""
        for run in self.runs:
            run.playback.pause()
        self._timer.stop()

    def set_look_ahead(self, events: int) -> None:
        """How far the engine may run ahead of the cursor, in this run and the next ones."""
        self.look_ahead = events
        for run in self.runs:
            run.playback.look_ahead = events
        self.refresh()

    # -- the engine ---------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """End the run that is computed; what is recorded stays."""
        self.engine.stop()

    @property
    def engine_words(self) -> str:
        """What the engine does, for the transport."""
        run = self.active
        if run is None or self.stale:
            return self.stale
        if run.playback.search is not None:
            return f"running until {run.playback.search_words}"
        if self._computed() is run:
            if run.playback.held:
                return "engine held"
            if self._waits:
                ahead = run.playback.length - run.playback.cursor
                return f"waits: {number(ahead)} ahead" if ahead else "waits for a step"
            speed = self.engine.rounds_per_second
            return f"running · {number(round(speed))} rounds/s" if speed >= 1 else "running"
        if run.beside and run.ending is None:
            return "running beside"
        if run.ending is not None and run.ending.how in (STOPPED, FAILED):
            return run.ending.how
        return "done" if run.trace.finished is not None else "recorded, not finished"

    def state_of(self, run: RunSession) -> str:
        """How a run stands, in a word: running, done, stopped, failed, or recorded without an end."""
        if self._computed() is run or (run.beside and run.ending is None):
            return "running"
        if run.ending is not None and run.ending.how in (STOPPED, FAILED):
            dropped = run.ending.how == STOPPED and run is self.active and self.is_passing(run)
            return (self.stale if dropped else "") or run.ending.how  # nobody stopped it: a newer one is on its way
        return "done" if run.trace.finished is not None else "not finished"

    def _grant(self) -> None:
        run = self._computed()
        if run is None:
            return
        credit = run.playback.credit()
        if credit != self._granted:
            self._granted = credit
            self._waits = False
            self.engine.grant(credit)

    def _grew(self, run_id: object) -> None:
        run = self._find(run_id)
        if run is not None:
            run.playback.grown()
            self.refresh()
        elif self._comes(run_id) and self.coming is not None and self.coming.far_enough(self.active):
            self._show_coming()

    def _engine_waits(self, run_id: object) -> None:
        run = self._find(run_id)
        if run is not None:
            self._waits = True
            run.playback.halted()
            self.refresh()
        elif self._comes(run_id):
            self._waits = True
            self._show_coming()

    def _ended(self, ending: Ending) -> None:
        run = self._find(ending.run_id)
        if run is None:
            if self._comes(ending.run_id):
                self._coming_ended(ending)
            return
        run.ending = ending
        run.playback.ended = True
        self.runs_changed.emit()
        if run is not self._rerun:  # of which there may be ten in a second: nobody wants to read of each
            self.ended.emit(run)
        self.refresh()
        if ending.how == FAILED:
            self.failed.emit(ending)

    def _comes(self, run_id: object) -> bool:
        return self.coming is not None and self.coming.run.run_id == run_id

    def _coming_ended(self, ending: Ending) -> None:
        assert self.coming is not None
        run = self.coming.run
        run.ending = ending
        run.playback.ended = True
        if ending.how == FINISHED:
            self._show_coming()
            return
        self.coming = None
        self.rerun_over.emit()
        if ending.how == FAILED:
            self.failed.emit(ending)

    def _find(self, run_id: object) -> RunSession | None:
        return next((run for run in self.runs if run.run_id == run_id), None)
