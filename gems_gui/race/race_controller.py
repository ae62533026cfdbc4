"""What the actions of the race do: they start its runs, keep them on one clock, and compute its seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gems_engine.errors import InputError
from gems_gui.actions.run_actions import form_differs
from gems_gui.board.board import Board
from gems_gui.compare.comparison_runs import ComparisonRuns, comparison_request, own_settings_text
from gems_gui.drafts.draft import SEED_FIELD
from gems_gui.drafts.run_request import STOPPED, RunRequest
from gems_gui.editing.auto_run import AutoRun
from gems_gui.services import Services
from gems_gui.widgets.timers import soon
from gems_gui.workbench.changes import Change, Field
from gems_gui.workbench.pending_run import AUTO_RUN
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.race_clock import SPEED, RaceClock
from gems_gui.workbench.run_session import RunSession

if TYPE_CHECKING:
    from gems_gui.race.race_seeds import RaceSeeds

GEMS, RAGE, ORACLE = "fixed-confidence", "rage", "rage-oracle"
_VIEWS = ("race", "seeds")
_NO_REWARDS = "The instance of this run has no rewards, so there is nothing to simulate. Run the form first."
_PASSED_OVER = (
    "This race has the settings of the opened run, not those of the form. "
    "To race the form, run it first: press Ctrl+R, then R."
)


class RaceController(QObject):
    """The race that is shown, its engines and its seeds.

    Parameters
    ----------
    runs
        The engines of the runs other than the shown one.
    auto
        Auto-run, which a race switches on: a changed form then starts all runs again.
    show_layout
        Shows a layout by name.

    Attributes
    ----------
    oracle : bool
        Whether RAGE, told d⋆, takes part.
    """

    def __init__(
        self,
        services: Services,
        board: Board,
        runs: ComparisonRuns,
        auto: AutoRun,
        show_layout: Callable[[str], object],
    ) -> None:
        super().__init__(services.host)
        self._workbench, self._board, self._runs, self._auto = services.workbench, board, runs, auto
        self._show_layout, self._in_thread, self._ui = show_layout, services.in_thread, services.ui
        self.oracle = False
        self._asked = False  # the next run of the form is a race
        self._passed_over = False  # that race passes the form over, which differs, for the shown run
        self._before = "explore"  # the layout to go back to
        self._switched = False  # whether the race has switched auto-run on
        self._passing: list[RunSession] = []  # the rivals of the last run of auto-run
        self._shown: RunSession | None = None  # the run that was shown last
        self._form = services.workbench.drafts.draft  # the form when that run was shown
        self._seeds: RaceSeeds | None = None
        runs.grew.connect(self._on_rival_grew)
        board.samples_picked.connect(self._go_to_samples)
        board.race_seed_picked.connect(self.race_with_seed)
        self._workbench.subscribe(self._follow, Field.ACTIVE, Field.RUNS, Field.PENDING)

    @property
    def racing(self) -> RunSession | None:
        """The shown run, if it is the first of a race."""
        run = self._workbench.active
        return run if run is not None and run.playback.clock is not None else None

    @property
    def seeds(self) -> RaceSeeds:
        """The seeds of the race, in the background."""
        if self._seeds is None:
            from gems_gui.race.race_seeds import RaceSeeds  # brings executors of trials

            self._seeds = RaceSeeds(self._workbench.jobs, self, in_thread=self._in_thread)
            self._seeds.changed.connect(self._on_seeds_changed)
        return self._seeds

    # -- start ------------------------------------------------------------------------------------------------------

    def race_refusal(self) -> str:
        """Why there can be no race: the shown run was opened from a file, and its instance has no rewards."""
        opened = self._opened()
        return "" if opened is None or opened.instance.has_rewards else _NO_REWARDS

    def _opened(self) -> RunRequest | None:
        """The settings of the shown run, if the form did not start it and has not been changed since it was shown."""
        run = self._workbench.active
        if run is None or run.request is None or run.draft is not None or run.request.branch is not None:
            return None
        if self._workbench.drafts.draft is not self._form:
            return None
        return run.request

    def race(self) -> None:
        """Race with the settings of the form, or of a shown run that it did not start and that was shown after it."""
        opened = self._opened()
        self._passed_over = opened is not None and form_differs(self._workbench)
        self._race(opened)

    def race_run_refusal(self) -> str:
        """Why the shown run cannot be raced."""
        run = self._workbench.active
        if run is None or run.request is None:
            return "No run is shown. Press R to race with the settings of the form."
        if run.request.branch is not None:
            return "A branch cannot be raced. Show the run that it comes from, or press R to race the form."
        return "" if run.request.instance.has_rewards else _NO_REWARDS

    def race_run(self) -> None:
        """Race with the settings of the shown run, whatever the form shows."""
        run, self._passed_over = self._workbench.active, False
        self._race(run.request if run is not None and form_differs(self._workbench) else None)

    def _race(self, request: RunRequest | None) -> None:
        """Race with these settings, or with those of the form."""
        if request is None and self._workbench.drafts.problems():
            self._workbench.run()  # it says why it cannot; the views stay
            return
        self._ui.focus_board()
        if self._board.layout_name != "race":
            self._before = self._board.layout_name
        self._show_layout("race")
        self._runs.warm()
        self._asked = True
        if request is not None:
            self._workbench.start(request)
        else:
            self._workbench.run()

    def race_with_seed(self, seed: int) -> None:
        """Race with another seed."""
        work, run = self._workbench, self.racing
        if run is None or run.request is None:
            return
        self._asked = True
        if run.draft is None:
            request = run.request
            work.start(RunRequest(request.instance, request.algorithm, seed, request.parameters))
            return
        work.drafts.set_draft(run.draft.with_text(SEED_FIELD, str(seed)))
        if not self._auto.on:
            work.run()

    def set_oracle(self, on: bool) -> None:
        """Let the oracle take part, in this race and the next ones, or not."""
        self.oracle = on
        if (run := self.racing) is not None:
            self._join(run, run)

    def _rivals_of(self, run: RunSession) -> list[RunRequest]:
        """The requests for the other runs; those that are not possible on the instance are left out."""
        assert run.request is not None
        own = run.request.algorithm
        names = [GEMS if own in (RAGE, ORACLE) else RAGE, *([ORACLE] if self.oracle else [])]
        requests = []
        for name in names:
            try:
                requests += [comparison_request(run, name)] if name != own else []
            except InputError as error:
                self._workbench.messages.show(str(error), lambda: self._workbench.active is run, error=True)
        return requests

    def _join(self, run: RunSession, before: RunSession | None) -> None:
        """Start the other runs of a race, in place of those of the race before if this one has replaced it."""
        work = self._workbench
        passing = AUTO_RUN if work.is_passing(run) else ""
        old = list(run.race[1:]) or [each for each in self._passing if each.race[0] not in work.runs]
        old = [each for each in old if each in work.runs and not (each.pinned or each.path)]
        rivals = self._runs.start(self._rivals_of(run), pinned=False, instead=old, prefix=passing)
        if passing:
            self._passing = rivals
        run.race = (run, *rivals)
        run.playback.late = True  # a race goes to its end: its runs are compared there
        for rival in rivals:
            rival.race, rival.by_hand = run.race, run.by_hand
        clock = RaceClock([each.playback for each in run.race])
        clock.samples = run.playback.history.samples_at(run.playback.cursor)
        was, run.playback.clock = None if before is None else before.playback.samples, clock
        self._start_seeds(run)
        self._set_clock(run, before, was)
        begins = before is None or before.playback.clock is None  # else the user has switched auto-run off
        if begins and not self._auto.on and run.draft is not None:
            self._switched = True
            self._auto.auto_run(True)

    def _say_settings(self, run: RunSession) -> None:
        """Say where the settings of the runs come from that the form does not show."""
        rivals = [each.request for each in run.race[1:] if each.request is not None]
        passed_over, self._passed_over = self._passed_over, False
        said = f"{_PASSED_OVER if passed_over else ''} {own_settings_text(run, rivals)}".strip()
        if said:
            self._workbench.messages.show(said, lambda: self.racing is run, transient=True)

    def end(self) -> None:
        """End the race that is shown, because its first run is compared with others; its runs stay in the list."""
        run = self.racing
        if run is None:
            return
        for each in run.race:
            each.race = ()
        run.playback.clock = None
        run.playback.set_speed(1.0)
        self.seeds.forget()
        run.seeds = None
        self._run_only_when_asked()
        if self._board.layout_name == "race":
            self._show_layout("compare")

    def _leave(self) -> None:
        """Go back to the layout before the race, and to running only when asked: the shown run has no rival."""
        soon(self, self._show_before)  # when the page with the board is shown, whose sizes count
        self._run_only_when_asked()

    def _run_only_when_asked(self) -> None:
        if self._switched and self._auto.on:
            self._auto.auto_run(False)
        self._switched = False

    def _show_before(self) -> None:
        if self._board.layout_name == "race" and self.racing is None:
            self._show_layout(self._before)

    def _set_clock(self, run: RunSession, before: RunSession | None, was: int | None) -> None:
        """Show a race that auto-run has started again at the samples of the one before; play any other one."""
        if before is None or was is None or not (before is run or self._workbench.is_passing(run)):
            run.playback.set_speed(SPEED)
            self._workbench.control(Playback.catch_up, run)
        elif before.playback.live or before.playback.over:
            self._workbench.control(Playback.follow, run)
        else:
            self._workbench.control(lambda playback: playback.go_to_samples(was), run)

    # -- follow -----------------------------------------------------------------------------------------------------

    def _follow(self, change: Change) -> None:
        run, before = self._workbench.active, self._shown
        self._shown = run
        if run is not before:
            self._form = self._workbench.drafts.draft
        if run is not before and run is not None and not run.race and self._is_raced(run, before, change.started):
            asked, self._asked = self._asked, False
            self._join(run, before)
            if asked:
                self._say_settings(run)
        elif run is not before and self.racing is None:
            if self._seeds is not None:
                self._seeds.forget()
            if run is not None and not run.race and (run.path or (before is not None and before.race)):
                self._leave()
        for each in change.ended:
            if each.playback.clock is not None and each.ending is not None and each.ending.how == STOPPED:
                for rival in each.race:
                    self._runs.stop(rival)
                if each is run and self._seeds is not None:
                    self._seeds.forget()

    def _is_raced(self, run: RunSession, before: RunSession | None, started: Sequence[RunSession]) -> bool:
        """Whether a run begins a race: if it is shown for the first time, and this was asked or it replaces a race.

        Auto-run replaces the race in every layout; a run that is asked for does so while the race is on screen.

        A preset that is chosen is a new start, and ends a race: only R races on it. One that the form comes back to,
        by undo or a slider, is not.
        """
        if run.request is None or run.run_id < 0 or run.is_comparison or run.origin is not None:
            return False
        if run not in started and not self._workbench.is_passing(run):
            return False
        if self._asked or before is None or before.playback.clock is None or run.draft is None:
            return self._asked
        goes_on = self._workbench.is_passing(run) or self._board.docks["race"].exposed
        drafts = self._workbench.drafts
        return goes_on and not (drafts.chosen and run.draft == drafts.draft != before.draft)

    def _on_rival_grew(self) -> None:
        run = self.racing
        if run is not None:
            self._workbench.control(Playback.catch_up, run)
            for name in _VIEWS:
                self._board.show_again(name)

    def _go_to_samples(self, samples: int) -> None:
        self._workbench.control(lambda playback: playback.go_to_samples(samples))

    # -- seeds ------------------------------------------------------------------------------------------------------

    def _start_seeds(self, run: RunSession) -> None:
        from gems_engine.experiment.seed_trials import SeedTrials  # brings executors of trials

        requests = [each.request for each in run.race if each.request is not None]
        lanes = [(request.algorithm, request.parameters) for request in requests]
        run.seeds = self.seeds.want(SeedTrials(requests[0].instance, lanes))

    def _on_seeds_changed(self) -> None:
        self._board.show_again("seeds")

    def close(self) -> None:
        """Cancel the trials, and wait for them."""
        if self._seeds is not None:
            self._seeds.close()
