"""The state of a window: the draft, the runs, the shown one and its cursor, and messages; independent of Qt.

Everything that the window shows is here, or is a function of what is here. Parts that show something subscribe to the
fields that it depends on; parts that change something call a method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum, auto
from itertools import chain, count
from pathlib import PurePath
from typing import TYPE_CHECKING

from gems_engine.forcing import Forced
from gems_engine.trace import Trace
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.presets import waits
from gems_gui.drafts.run_request import FAILED, FINISHED, STOPPED, Ending, RunRequest
from gems_gui.series.side_by_side import MOST, alike
from gems_gui.snapshot import ComparedRun, Selection, Snapshot, at_rest
from gems_gui.truth import discreet_sentence
from gems_gui.workbench.changes import Field, Listener, Publisher, Subscription
from gems_gui.workbench.draft_controller import DraftController
from gems_gui.workbench.engine_credit import EngineCredit
from gems_gui.workbench.jobs import Jobs
from gems_gui.workbench.messages import Messages
from gems_gui.workbench.pending_run import AUTO_RUN, PendingRun, credit_for
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.ports import EnginePort, QueryPort, TimerFactory
from gems_gui.workbench.run_place import RunPlace
from gems_gui.workbench.run_session import COLORS, Origin, RunSession, set_colors
from gems_gui.workbench.run_status import engine_text, state_word

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates
    from gems_engine.history import History

LOOK_AHEAD = 20_000  # events
MOST_COMPARED = MOST - 1  # runs compared with the shown one
_LONGEST_TICK = 0.25  # seconds: after a stall the cursor continues without a jump


class Page(Enum):
    """The page in the middle of a window."""

    BOARD = auto()
    WELCOME = auto()
    DESIGNS = auto()
    """The design debugger."""
    EXPERIMENTS = auto()


class Workbench:
    """All state of a window.

    Attributes
    ----------
    drafts
        The draft of the next run, with its history, instance and assumptions.
    runs, active
        The runs of the window, and the shown one.
    pending
        The run of a changed draft that is computed before it is shown.
    truth
        Whether d⋆, the best arm and what follows from them may be shown in views and texts.
    stale
        Why the shown run does not match the form, in a few words; empty if it does.
    messages, jobs
        Messages with the log, and other background jobs.
    page
        The page in the middle of the window.
    saved_instances
        Digests of instances with their files, as far as this window has opened or saved them.
    play_opened
        Whether what the program was started with plays at once.
    """

    def __init__(self, draft: Draft, engine: EnginePort, queries: QueryPort, timer: TimerFactory) -> None:
        self._publisher = Publisher()
        self._engine, self._credit = engine, EngineCredit(engine)
        self.messages = Messages(self._publisher)
        self.jobs = Jobs(self._publisher)
        self.drafts = DraftController(draft, queries, timer, self._publisher, self._start_draft, self._refuse)
        self.runs: list[RunSession] = []
        self.active: RunSession | None = None
        self.pending: PendingRun | None = None
        self.truth = True
        self.stale = ""
        self.look_ahead = LOOK_AHEAD
        self.page = Page.BOARD
        self.saved_instances: dict[str, str] = {}
        self.play_opened = False
        self._rerun: RunSession | None = None
        self._shown: tuple[object, ...] = ()
        self._kept = self.subscribe(self.messages.recheck, Field.DRAFT, Field.TRUTH, Field.RUNS, Field.SNAPSHOT)

    def subscribe(self, listener: Listener, *fields: Field, last: bool = False) -> Subscription:
        """Call a listener after each change of these fields, after the others if it reads their results."""
        return self._publisher.subscribe(listener, *fields, last=last)

    # -- the draft's run ------------------------------------------------------------------------------------------

    def run(self, *, to_the_end: bool = False) -> None:
        """Start the run of the draft, now or as soon as its instance is built."""
        with self._publisher.changing():
            self.drafts.run(to_the_end)

    def _start_draft(self, request: RunRequest, to_the_end: bool) -> None:
        with self._publisher.changing():
            draft = self.drafts.draft
            opened = self.play_opened and not self.runs
            stepwise = waits(draft) and not opened
            run = self.start(request, draft, play=not stepwise, to_the_end=to_the_end)
            run.by_hand, run.stepwise = not opened, stepwise  # a run of `--play` is not started by the user

    def _refuse(self, sentence: str) -> None:
        """Show why a run cannot start, without the hidden truth, until that is corrected."""
        truth, shown = self.truth, sentence if self.truth else discreet_sentence(sentence)
        self.messages.show(
            shown, lambda: truth == self.truth and sentence in self.drafts.problems().values(), error=True
        )

    # -- runs -----------------------------------------------------------------------------------------------------

    def start(
        self,
        request: RunRequest,
        draft: Draft | None = None,
        play: bool = True,
        *,
        to_the_end: bool = False,
    ) -> RunSession:
        """Start a run, and show it from its first event.

        Parameters
        ----------
        draft
            The form that requested it.
        to_the_end
            Whether the engine runs to the end without waiting for the cursor, which follows it.
        """
        with self._publisher.changing():
            run = self._begin(request, self._name(request.name), draft)
            if play:
                run.playback.play()
            if to_the_end:
                run.playback.run_to_end()
            self._add(run)
        return run

    def branch(self, parent: RunSession, cursor: int, forced: Forced) -> RunSession:
        """Run a branch of another run, which may still be running, and show it where the two separate.

        Raises
        ------
        InputError
            If the branch is not possible.
        """
        from gems_engine.branching import BranchRequest  # loaded with the first branch

        request = RunRequest.of_branch(BranchRequest.of(parent.trace, cursor, forced))
        origin = Origin(parent, cursor, forced)
        with self._publisher.changing():
            run = self._begin(request, self._name(f"{origin} · {parent.name}"), parent.draft, cursor)
            run.origin, run.selection = origin, parent.selection
            run.playback.speed = parent.playback.speed
            self._add(run)
        return run

    def _begin(self, request: RunRequest, name: str, draft: Draft | None, cursor: int = 0) -> RunSession:
        """Start a run in the engine, with the cursor at a position in it."""
        self.pending = None
        self.messages.answer()  # a new run does not resolve messages about files that were not written
        self.messages.forget_unread_files()
        playback = Playback(Trace(request.recorded_on()), self.look_ahead)
        playback.go_on_to(cursor)
        live = self._engine.start(request, self._credit.begin(playback.credit()), trace=playback.trace)
        return RunSession(name, playback, request, draft, run_id=live.run_id)

    def rerun(self, request: RunRequest, draft: Draft | None = None) -> None:
        """Compute the run of a changed draft; when it is far enough, show it at the position of the last such run."""
        with self._publisher.changing():
            credit = self._credit.begin(credit_for(self.playback, self.look_ahead))
            live = self._engine.start(request, credit, unseen=True)
            playback = Playback(live.trace, self.look_ahead, late=False)
            name = f"{AUTO_RUN} · {request.name}"
            self.pending = PendingRun(RunSession(name, playback, request, draft, run_id=live.run_id))
            self._refresh()

    def is_passing(self, run: RunSession) -> bool:
        """Whether auto-run made it or races it, so that the next such run replaces it."""
        return self._rerun is not None and run in (self._rerun, *self._rerun.race) and not run.pinned

    @property
    def computes_pinned(self) -> bool:
        """Whether the engine computes a run that the user wants to keep: only the user stops it."""
        run = self._computed()
        return run is not None and run.pinned and run is not self._rerun

    @property
    def computes(self) -> bool:
        """Whether the engine has a run of the list, computing or waiting."""
        return self._computed() is not None

    def _show_pending(self) -> None:
        assert self.pending is not None
        new, old = self.pending, self._rerun
        self.pending, self._rerun = None, new.run
        self._publisher.note(Field.PENDING)
        new.go_where(self.active)
        new.run.name = self._name(new.run.name, old)
        if old is None or old not in self.runs or old.pinned or old.path or old.trace.story is not None:
            self._add(new.run)
        else:
            self.runs[self.runs.index(old)] = self.active = new.run
            self._publisher.note(Field.RUNS, Field.ACTIVE)
            self._refresh()

    def set_stale(self, words: str) -> None:
        """Set why the shown run does not match the form; empty if it does."""
        if words != self.stale:
            self.stale = words
            self._publisher.note(Field.STALE, Field.ENGINE)

    def open(
        self,
        trace: Trace,
        path: str,
        name: str = "",
        *,
        histories: tuple[History, ...] = (),
        play: bool = False,
        main_run: RunSession | None = None,
    ) -> RunSession:
        """Show a run from a file, from its first event; its default name is that of the file.

        Parameters
        ----------
        histories
            The history of the run and those of the other runs of its story, if they are known.
        main_run
            The run whose file contains it as a companion of the story.
        """
        request = RunRequest.of_trace(trace)
        name = name or path.rpartition("/")[2] or "run"
        playback = Playback(trace, history=histories[0] if histories else None)
        run = RunSession(name, playback, request, path=path, saved_events=len(trace), saved_story=trace.story)
        run.playback.ended, run.by_hand, run.main_run, run.companions = True, False, main_run, histories[1:]
        if play:
            run.playback.play()
        with self._publisher.changing():
            self._add(run)
        return run

    def recover(self, histories: tuple[History, ...], name: str, pinned: bool = False, cursor: int = 0) -> RunSession:
        """Show a run recovered after a crash at its last position; it is not saved."""
        with self._publisher.changing(Field.RUNS):
            run = self.open(histories[0].trace, "", name, histories=histories)
            run.playback.seek(cursor)
            run.saved_events, run.saved_story = 0, None
            run.recovered = run.by_hand = True
            run.pinned = pinned
            self._refresh()
        return run

    def activate(self, run: RunSession) -> None:
        """Show this run at its last position."""
        with self._publisher.changing():
            if run is not self.active:
                self.active = run
                self._publisher.note(Field.ACTIVE)
            self._refresh()

    def remove(self, run: RunSession) -> None:
        """Remove a run; the engine stops if it computes this run."""
        with self._publisher.changing(Field.RUNS):
            if self._computed() is run:
                self.stop()
                run.end(Ending(run.run_id, STOPPED, f"{run.name} was stopped."))
            at = self.runs.index(run)
            self.runs.remove(run)
            if run is self.active:
                self.active = self.runs[min(at, len(self.runs) - 1)] if self.runs else None
                self._publisher.note(Field.ACTIVE)
            self._refresh()

    def restore_run(self, run: RunSession, at: int) -> None:
        """Restore a removed run at its old place in the list."""
        with self._publisher.changing(Field.RUNS):
            self.runs.insert(min(at, len(self.runs)), run)
            if self.active is None:
                self.activate(run)
            self._refresh()

    def rename(self, run: RunSession, name: str) -> None:
        """Rename a run; an empty name changes nothing."""
        if (name := name.strip()) and name != run.name:
            run.name, run.by_hand = name, True
            if run.path:
                file = PurePath(run.path).name
                self.messages.show(f"The run has this name in this window only. Its file is still called {file}.")
            self._publisher.note(Field.RUNS)

    def pin(self, run: RunSession, on: bool) -> None:
        """Pin or unpin a run for comparison."""
        with self._publisher.changing(Field.RUNS):
            run.pinned = on
            self._refresh()

    def add_compared(self, run: RunSession, instead: RunSession | None = None) -> None:
        """Add a run that another engine computes, for comparison with the shown one; it may replace another."""
        with self._publisher.changing(Field.RUNS):
            run.name = self._name(run.name, instead)
            if instead is not None and instead in self.runs:
                self.runs[self.runs.index(instead)] = run
            else:
                self._list(run)
            self._refresh()

    def runs_changed(self) -> None:
        """Publish a change of a run: where it is saved, or its story."""
        self._publisher.note(Field.RUNS)

    def run_ended(self, run: RunSession, ending: Ending) -> None:
        """A run has ended, in this engine or another; a removed run is not reported."""
        with self._publisher.changing():
            run.end(ending)
            if run in self.runs:
                self._publisher.note(Field.RUNS, ended=run)
                if not ending.report:
                    self.messages.log(f"{run.name}: {ending.sentence}")
                self._refresh()

    def _list(self, run: RunSession) -> None:
        """Append a run to the list."""
        self.runs.append(run)
        self._publisher.note(Field.RUNS, started=run)
        if run.run_id >= 0:
            self.messages.log(f"Started {run.name}.")

    def _add(self, run: RunSession) -> None:
        self._list(run)
        self.activate(run)

    def _name(self, base: str, instead: RunSession | None = None) -> str:
        """A name that no run has, except for one that is replaced."""
        taken = {run.name for run in self.runs if run is not instead}
        return next(name for name in chain((base,), (f"{base} ({at})" for at in count(2))) if name not in taken)

    def _computed(self) -> RunSession | None:
        """The run that the engine computes."""
        current = self._engine.current
        return None if current is None or not self._engine.running else self._find(current.run_id)

    # -- what is shown --------------------------------------------------------------------------------------------

    @property
    def playback(self) -> Playback | None:
        """The playback of the active run."""
        return None if self.active is None else self.active.playback

    @property
    def snapshot(self) -> Snapshot | None:
        """The current snapshot."""
        run = self.active
        if run is None:
            return None
        at, stale = run.playback, bool(self.stale)
        compared = tuple(ComparedRun(each.trace, each.playback.history, each.color) for each in self.compared)
        shown = at_rest(Snapshot(run.trace, at.history, at.state, run.selection, self.truth, stale, run.problems))
        return replace(shown, compared=compared, replicates=run.replicates, clock=at.samples, seeds=run.seeds)

    @property
    def compared(self) -> tuple[RunSession, ...]:
        """The shown run and those compared with it: those of its race, or the pinned ones, or all of its instance.

        The most important ones come first, in case not all fit: the newest of the same instance.
        """
        run = self.active
        if run is None:
            return ()
        others = [each for each in self.runs if each is not run]
        pinned = [each for each in others if each in run.race] or [each for each in others if each.pinned]
        if not pinned:
            same = [each for each in others if alike(each.trace.instance, run.trace.instance)]
            pinned = [*same[-MOST_COMPARED:], *same[:-MOST_COMPARED]]
        return (run, *pinned)

    def set_replicates(self, run: RunSession, replicates: Replicates) -> None:
        """Set the replicates of a run, which may still grow; they do not change the run."""
        run.replicates = replicates
        if run is self.active:
            self._publisher.note(Field.SNAPSHOT)

    def set_truth(self, shown: bool) -> None:
        """Show or hide d⋆, the best arm and what follows from them in all views and texts."""
        if shown == self.truth:
            return
        with self._publisher.changing(Field.TRUTH):
            self.truth = shown
            if not shown:
                for run in self.runs:
                    run.playback.forget_truth()
            self.messages.log("Truth shown." if shown else "Truth hidden.")
            self._refresh()

    def select_arm(self, arm: int | None) -> None:
        """Mark an arm in every view."""
        if self.active is not None:
            self.active.selection = Selection.of_arm(self.active.trace.instance, arm)
            self._refresh()

    def select_target(self, target: int | None) -> None:
        """Mark a target in every view."""
        if self.active is not None:
            self.active.selection = Selection.of_target(self.active.trace.instance, target)
            self._refresh()

    def control(self, change: Callable[[Playback], object], *runs: RunSession) -> None:
        """Change the playback of the shown run, or of these runs; does nothing if no run is shown."""
        chosen = runs or (() if self.active is None else (self.active,))
        with self._publisher.changing():
            for run in chosen:
                change(run.playback)
            if chosen:
                self._refresh()

    def seek(self, cursor: int, *runs: RunSession) -> None:
        """Move the cursor of the shown run, or of these, to this position or the nearest recorded one."""
        self.control(lambda playback: playback.seek(cursor), *runs)

    def show_at(self, run: RunSession, cursor: int, selection: Selection) -> None:
        """Show a run at this cursor, paused and with this selection."""
        with self._publisher.changing():
            run.playback.pause()
            run.playback.seek(cursor)
            run.selection = selection
            self.activate(run)

    def restore(self, places: Iterable[RunPlace], shown: RunSession | None) -> None:
        """Restore positions of runs, and show this one if it still exists."""
        with self._publisher.changing():
            for place in places:
                place.restore()
            if shown is not None and shown in self.runs:
                self.activate(shown)
            else:
                self._refresh()

    def _refresh(self) -> None:
        """After the cursor has moved or may move: publish the change, and grant credit to the engine."""
        with self._publisher.changing(Field.ENGINE):
            if (computed := self._computed()) is not None:
                self._credit.grant(computed.playback.credit())
            run = self.active
            shown: tuple[object, ...] = ()
            if run is not None:
                begun = run.trace.started is not None  # cursor 0 shows what was requested
                at, compared = run.playback, self.compared
                if set_colors(sorted(compared[:COLORS], key=self.runs.index)):
                    self._publisher.note(Field.RUNS)
                shown = (run, at.cursor, at.samples, id(run.selection), self.truth, compared, begun)
            if shown != self._shown or run is None:
                self._shown = shown
                self._publisher.note(Field.SNAPSHOT)

    @property
    def moving(self) -> bool:
        """Whether the cursor moves by itself, so that :meth:`tick` must be called."""
        return self.active is not None and self.active.playback.moving

    def tick(self, seconds: float) -> None:
        """Advance the cursor by the time since the last tick."""
        playback = self.playback
        if playback is None or playback.tick(min(seconds, _LONGEST_TICK)) or not playback.moving:
            self._refresh()

    @property
    def searching(self) -> bool:
        """Whether a search of "run until" is in progress in the shown run."""
        return self.playback is not None and self.playback.search is not None

    def stop_search(self) -> bool:
        """Cancel "run until" in the shown run; returns whether a search was in progress."""
        if found := self.searching:
            self.control(Playback.pause)
        return found

    def take_missed(self) -> str:
        """A sentence, returned once, that the condition holds nowhere in the shown run; otherwise empty."""
        return "" if self.playback is None else self.playback.take_missed()

    def rest(self) -> None:
        """Pause every cursor."""
        for run in self.runs:
            run.playback.pause()

    def set_look_ahead(self, events: int) -> None:
        """Set how far the engine may run ahead of the cursor, in this run and the next ones."""
        self.look_ahead = events
        for run in self.runs:
            run.playback.look_ahead = events
        self._refresh()

    def show_page(self, page: Page) -> None:
        """Show a page in the middle of the window, or the board."""
        if page is not self.page:
            with self._publisher.changing(Field.PAGE):
                self.page = page

    # -- the engine -----------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop the current run; recorded events are kept."""
        self._engine.stop()

    @property
    def engine_running(self) -> bool:
        """Whether the engine has a run, shown or pending."""
        return self._engine.running

    @property
    def engine_text(self) -> str:
        """The status of the engine, for the transport."""
        run = self.active
        if run is None or self.stale:
            return self.stale
        return engine_text(run, self._computed() is run, self._credit.used_up, self._engine.rounds_per_second)

    def state_of(self, run: RunSession) -> str:
        """The state of a run: running, done, stopped, failed, or not finished."""
        replaced = self.stale if run is self.active and self.is_passing(run) else ""
        return state_word(run, self._computed() is run, replaced)

    def run_grew(self, run_id: int) -> None:
        """The engine has recorded more events of a run."""
        with self._publisher.changing():
            run = self._find(run_id)
            if run is not None:
                run.playback.catch_up()
                if run is self.active or not run.is_comparison:  # comparison runs are not shown
                    self._refresh()
            elif self._is_pending(run_id) and self.pending is not None and self.pending.far_enough(self.active):
                self._show_pending()

    def engine_waits(self, run_id: int) -> None:
        """The engine has computed everything granted for a run."""
        with self._publisher.changing():
            run = self._find(run_id)
            if run is not None:
                self._credit.used_up = True
                run.playback.halted()
                self._refresh()
            elif self._is_pending(run_id):
                self._credit.used_up = True
                self._show_pending()

    def engine_ended(self, ending: Ending) -> None:
        """The engine has ended a run."""
        with self._publisher.changing():
            run = self._find(ending.run_id)
            if run is None:
                if self._is_pending(ending.run_id):
                    self._pending_ended(ending)
                return
            if run is self._rerun:  # up to ten per second: not logged
                run.end(ending)
                self._publisher.note(Field.RUNS)
                self._refresh()
            else:
                self.run_ended(run, ending)
            if ending.how == FAILED:
                self.fail(ending, lambda: run in self.runs)

    def fail(self, ending: Ending, holds: Callable[[], bool] | None = None) -> None:
        """Report a failed run, as long as that is of interest."""
        with self._publisher.changing():
            self.messages.fail(ending.sentence, ending.report, holds)
            self._publisher.note(Field.RUNS, failed=ending)

    def _pending_ended(self, ending: Ending) -> None:
        assert self.pending is not None
        self.pending.run.end(ending)
        if ending.how == FINISHED:
            self._show_pending()
            return
        self.pending = None
        self._publisher.note(Field.PENDING)
        if ending.how == FAILED:
            draft = self.drafts.draft
            self.fail(ending, lambda: self.drafts.draft is draft)

    def _is_pending(self, run_id: int) -> bool:
        return self.pending is not None and self.pending.run.run_id == run_id

    def _find(self, run_id: int) -> RunSession | None:
        return next((run for run in self.runs if run.run_id == run_id), None)
