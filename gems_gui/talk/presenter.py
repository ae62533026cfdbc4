"""Gives a talk: shows the moments of a story on a stage, and afterwards restores the window."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gems_engine.errors import InputError
from gems_engine.narration import narrate
from gems_engine.talk.captions import PENDING, reveals_truth
from gems_engine.terminal import with_indices
from gems_gui.actions.spec import ActionSpec
from gems_gui.board.board import Board
from gems_gui.painting.frames import Frame, shows_several, snapshots_at
from gems_gui.painting.rows import ALONE
from gems_gui.painting.story_frames import moment_frame, picture_frame
from gems_gui.painting.transition import Transition
from gems_gui.series.status import status, talk_caption
from gems_gui.services import Services
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.talk.caption_numbers import CaptionNumbers
from gems_gui.talk.moment_text import caption_text, view_options
from gems_gui.talk.sleep_inhibitor import SleepInhibitor
from gems_gui.talk.speaker_side import SpeakerSide
from gems_gui.talk.speaker_window import LAST, NO_NOTES, SpeakerText
from gems_gui.talk.stage import Stage
from gems_gui.talk.stage_actions import Speaker
from gems_gui.talk.stage_costs import StageCosts
from gems_gui.talk.visibility import visible_views
from gems_gui.transport.transport import Transport
from gems_gui.views.view import View
from gems_gui.widgets.timers import repeating, single_shot
from gems_gui.widgets.window_area import WindowArea
from gems_gui.workbench.changes import Field, Subscription
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.run_place import RunPlace
from gems_gui.workbench.run_session import RunSession

if TYPE_CHECKING:
    from gems_engine.talk.annotation import Mark
    from gems_engine.talk.bound_story import BoundStory

_HINT = "{next} · Esc explore the run · ? keys\n"  # in the window, where there is no speaker
_FRAME = 40  # milliseconds between frames while playing to a moment


@dataclass(frozen=True, eq=False)
class _Before:
    """The state of the window to restore."""

    focus: QWidget | None
    shown: RunSession | None = None
    places: tuple[RunPlace, ...] = ()
    """The cursor of each run; empty if the talk may move the runs."""
    rooms: tuple[int, ...] = ()
    """The text fields of the transport."""


class Stories(Protocol):
    """The stories that a talk needs."""

    @property
    def numbers(self) -> CaptionNumbers:
        """The numbers of captions that need a solver."""

    def bound_story(self, run: RunSession, before: BoundStory | None = None) -> BoundStory:
        """The story of a run."""


class Presenter(QObject):
    """A talk.

    Attributes
    ----------
    stage
        None while there is no talk.
    bound_story
        The story with its runs; None if the run is shown without a story.
    at
        The current moment, from 0.
    automatic
        Whether the story plays automatically.

    Signals
    -------
    changed
        A talk has started or ended, or has moved to another moment.
    """

    changed = Signal()
    left = Signal()
    """A talk has ended."""

    def __init__(
        self, services: Services, board: Board, transport: Transport, area: WindowArea, stories: Stories
    ) -> None:
        super().__init__(services.host)
        self._workbench, self._appearance, self._actions = services.workbench, services.appearance, services.actions
        self._host, self._board, self._transport, self._area = services.host, board, transport, area
        self._stories, self._numbers = stories, stories.numbers
        self.stage: Stage | None = None
        self.bound_story: BoundStory | None = None
        self.at = 0
        self.automatic = False
        self._sleep_inhibitor = SleepInhibitor(self)
        self._before = _Before(None)
        self._main: RunSession | None = None
        self._picture: Frame | None = None
        self._going = False
        self._transition: Transition | None = None
        self._transition_start = 0.0
        self._transition_cursor = 0
        self._began = 0.0
        self._clock_chosen: bool | None = None
        self._mover = repeating(self, self._move, _FRAME)
        self._stay = single_shot(self, self.next_moment)
        self._clock = repeating(self, self._show_clock, 1000)
        self._following: Subscription | None = None
        self._costs = StageCosts(services, self)
        self._costs.came.connect(self._show_costs)
        self.speaker = SpeakerSide(services, area)
        self.speaker.placed.connect(self._show_text)
        area.resized.connect(self._fit)
        self._numbers.came.connect(self._show_text)
        self._workbench.subscribe(self._show_text, Field.TRUTH)

    # -- start and end ------------------------------------------------------------------------------------------

    @property
    def on(self) -> bool:
        """Whether a talk is in progress."""
        return self.stage is not None

    @property
    def covers(self) -> bool:
        """Whether all views of the window are hidden, so that they need not be painted."""
        stage = self.stage
        return stage is not None and (not stage.isWindow() or stage.screen() is self._area.screen)

    def begin(self, run: RunSession | None, *, full_screen: bool = True, at: int = 0, automatic: bool = False) -> None:
        """Start a talk with the story of a run, or with the run alone if it has no story."""
        if self.on:
            self.leave()
        story = None if run is None else run.trace.story
        self._main = run
        told = run is not None and story is not None and bool(story.moments)
        self.bound_story = self._stories.bound_story(run) if told and run is not None else None
        self.at = 0 if self.bound_story is None else min(max(at, 0), len(self.bound_story) - 1)
        self.stage = stage = Stage(self._appearance, self._host)
        stage.asked.connect(self._do)
        stage.number_typed.connect(self._go_to_number)
        stage.view_made.connect(self._connect_view)
        stage.painted.connect(self._on_painted)
        stage.typed_changed.connect(self._show_clock)
        stage.closed.connect(self.leave)
        stage.addActions(self._actions.in_context("stage") if full_screen else [])
        self._open(stage, full_screen)
        self._began = time.monotonic()
        self._clock_chosen = None
        self._clock.start()
        self.automatic = automatic
        self._following = self._workbench.subscribe(self._follow, Field.SNAPSHOT)
        if self.bound_story is None:
            stage.arrange(self._visible_views(), self._board.options)
            self._show(self._workbench.snapshot)
        else:
            self.go(self.at, play=False)
        self._show_clock()
        self.changed.emit()

    def _open(self, stage: Stage, full_screen: bool) -> None:
        runs = self._workbench.runs if full_screen and self.bound_story is not None else ()
        places = tuple(map(RunPlace.of, runs))
        self._before = _Before(QApplication.focusWidget(), self._workbench.active, places, self._transport.rooms)
        if full_screen:
            stage.setWindowFlag(Qt.WindowType.Window)
            self._sleep_inhibitor.begin()
        else:
            self._fit()
            stage.show()
            stage.raise_()
        self.speaker.open(stage, full_screen)
        stage.setFocus()

    def _fit(self) -> None:
        """Resize a stage inside the window with it."""
        if self.stage is not None and not self.stage.isWindow():
            self.stage.setGeometry(self._area.rect)

    def leave(self) -> None:
        """End the talk and restore the window.

        After a story in full screen, its runs are also restored, and play on if they were playing; companion runs
        that were opened for it are removed. Without a story, or after a story in the window, which invites users to
        explore, the cursor and companion runs stay.
        """
        stage, self.stage = self.stage, None
        if stage is None:
            return
        before = self._before
        for timer in (self._mover, self._stay, self._clock):
            timer.stop()
        self._transition, self._going, self.bound_story, self.automatic = None, False, None, False
        self._picture = None
        if self._following is not None:
            self._following.cancel()
        self._sleep_inhibitor.end()
        self._costs.stop()
        stage.closed.disconnect(self.leave)
        self.speaker.close()
        stage.close()
        stage.deleteLater()
        self._go_back(before)
        self._area.activate()
        if before.focus is not None and isValid(before.focus):
            before.focus.setFocus()
        self.left.emit()
        if before.places:
            self._transport.set_rooms(before.rooms)
        self.changed.emit()

    def fill_the_screen(self) -> None:
        """Switch a story that plays in the window to full screen, at the same moment.

        In full screen, nothing changes: a clicker sends the same key to start a talk.
        """
        if self.stage is None or self.stage.isWindow():
            return
        run, at, automatic = self._main, self.at, self.automatic
        self.leave()
        self.begin(run, at=at, automatic=automatic)

    def _go_back(self, before: _Before) -> None:
        """Restore the cursors and the current run from before the story, and remove companion runs."""
        work = self._workbench
        if not before.places:
            return
        work.restore(before.places, before.shown)
        there = [place.run for place in before.places]
        for joined in [run for run in work.runs if run.main_run is self._main and run not in there]:
            work.remove(joined)

    def _connect_view(self, view: View) -> None:
        work = self._workbench
        view.arm_picked.connect(work.select_arm)
        view.target_picked.connect(work.select_target)
        view.failed.connect(work.messages.log_error)
        if view.failure is not None:
            work.messages.log_error(*view.failure)

    # -- moments ------------------------------------------------------------------------------------------------

    def go(self, at: int, play: bool = True) -> None:
        """Show a moment: if it is ahead in the same run, play to it; otherwise go there at once."""
        bound_story = self.bound_story
        if bound_story is None or self.stage is None or self._main is None:
            return
        self.at, self._going, self._transition = at, True, None
        self._stay.stop()
        self._mover.stop()
        run = self._run_of(self._main, bound_story, at)
        same = run is self._workbench.active
        if not same:
            self._workbench.activate(run)
        self._workbench.control(Playback.pause, run)
        cursor = bound_story.cursor(at)
        now = run.playback.cursor
        self._picture = frame = picture_frame(bound_story, at)
        views = bound_story[at].views or self._visible_views()
        self.stage.arrange(views, view_options(bound_story[at].options), frame.names)
        self.stage.lock_axes(frame, self._snapshots)
        self._show(self._workbench.snapshot)
        self.changed.emit()
        if play and same and now < cursor:
            self._transition = Transition.between(run.playback.history, now, cursor)
            self._transition_start, self._transition_cursor = time.monotonic(), now
            self._mover.start()
        else:
            self._arrive()

    def _move(self) -> None:
        transition = self._transition
        if transition is None:
            self._mover.stop()
            return
        cursor = transition.at(time.monotonic() - self._transition_start)
        if cursor >= transition.end:
            self._arrive()
        else:
            self._transition_cursor = cursor
            self._workbench.seek(cursor)

    def _arrive(self) -> None:
        """Show the moment: its cursor, marks and caption."""
        bound_story = self.bound_story
        assert bound_story is not None
        assert self._main is not None
        self._mover.stop()
        self._transition = None
        self.show_in_window(self._main, bound_story, self.at)
        self._going = False
        self._show_text()
        if self.automatic:
            truth = self._workbench.truth
            self._stay.start(round(1000 * bound_story.seconds(self.at, truth, self._numbers.look_up)))

    def _at_moment(self, snapshot: Snapshot | None) -> bool:
        """Whether a snapshot is exactly that of the moment: its run, its cursor and its marks."""
        story = self.bound_story
        if story is None or snapshot is None or snapshot.trace is not story.trace_of(self.at):
            return False
        moment, marked = story[self.at], snapshot.selection
        wanted = Selection.as_far_as(snapshot.instance, moment.arm, moment.target, moment.dimension)
        same = (wanted.arm, wanted.target, wanted.dimension) == (marked.arm, marked.target, marked.dimension)
        return same and snapshot.cursor == story.cursor(self.at)

    @property
    def _left_moment(self) -> bool:
        """Whether the speaker has played, stepped or marked something since the moment was shown."""
        return not self._going and not self._at_moment(self._workbench.snapshot)

    def show_in_window(self, main: RunSession, bound_story: BoundStory, at: int) -> None:
        """Show the run of a moment at its cursor, with its marks."""
        work, moment = self._workbench, bound_story[at]
        run = self._run_of(main, bound_story, at)
        selection = Selection.as_far_as(run.trace.instance, moment.arm, moment.target, moment.dimension)
        work.show_at(run, bound_story.cursor(at), selection)

    def _run_of(self, main: RunSession, bound_story: BoundStory, at: int) -> RunSession:
        """The run of a moment; a companion run is added to the window when it is needed."""
        work, number = self._workbench, bound_story[at].run
        if number == 0:
            return main
        trace = bound_story.traces[number]
        known = next((run for run in work.runs if run.trace is trace), None)
        if known is None:
            name = f"{bound_story.story.run_names[number]} · {main.name}"
            known = work.open(trace, "", name, histories=(bound_story.history_of(at),), main_run=main)
        return known

    def next_moment(self) -> None:
        """Go to the next moment; if the cursor is still playing to one, jump there."""
        if self._transition is not None:
            self._arrive()
        elif self.bound_story is None:
            self._actions["round_forward"].trigger()
        elif self.at + 1 < len(self.bound_story):
            self.go(self.at + 1)
        elif self._left_moment:
            self.go(self.at, play=False)
        else:
            self.automatic = False

    def previous_moment(self) -> None:
        """Go back to a moment that the speaker has left, else to the previous one.

        If the cursor is still playing to a moment, go back to the start of that.
        """
        if self.bound_story is None:
            self._actions["round_back"].trigger()
        elif self._left_moment:
            self.go(self.at, play=False)
        elif self.at > 0:
            self.go(self.at - 1, play=False)

    def first_moment(self) -> None:
        """Go to the first moment; without a story, to the start of the run."""
        if self.bound_story is None:
            self._actions["first"].trigger()
        else:
            self.go(0, play=False)

    def last_moment(self) -> None:
        """Go to the last moment; without a story, to the newest event."""
        if self.bound_story is None:
            self._actions["last"].trigger()
        else:
            self.go(len(self.bound_story) - 1, play=False)

    def _go_to_number(self, number: int) -> None:
        if self.bound_story is not None and 1 <= number <= len(self.bound_story):
            self.go(number - 1, play=False)
        elif self.bound_story is not None and self.stage is not None:
            self.stage.say_corner(f"There is no moment {number}. Type a number from 1 to {len(self.bound_story)}.")
            self._clock.start()  # shown for a second, until the next update of the clock

    # -- keys ---------------------------------------------------------------------------------------------------

    def _do(self, asked: ActionSpec[Speaker]) -> None:
        """Do what a key asks for; on a black screen, the first key only shows the talk again."""
        stage = self.stage
        if stage is None:
            return
        if stage.black and asked.id not in ("leave", "screen", "swap_screens"):
            stage.set_black(False)
            if asked.id in ("black", "next_moment", "go_to_moment"):
                return
        asked.perform(self)

    def do_in_window(self, action: str) -> None:
        """Play or step as in the window; a transition ends where it is."""
        self._end_transition()
        self._actions[action].trigger()

    def _end_transition(self) -> None:
        """Leave the cursor where the transition has taken it."""
        self._mover.stop()
        self._transition, self._going = None, False

    def show_black(self) -> None:
        """Show a black screen."""
        if self.stage is not None:
            self.stage.set_black(True)

    def switch_pointer(self) -> None:
        """Switch the mouse pointer between a large dot and an arrow."""
        if self.stage is not None:
            self.stage.set_dotted(not self.stage.dotted)

    def switch_notes(self) -> None:
        """Show or hide the notes and the next moment."""
        self.speaker.switch()

    def swap_screens(self) -> None:
        """Show the talk on the next screen."""
        self.speaker.swap()

    def switch_keys(self) -> None:
        """Show or hide the keys of a talk."""
        self.speaker.switch_keys()

    def switch_clock(self) -> None:
        """Show or hide the time since the talk began and the number of the moment."""
        self._clock_chosen = not self._clock_shown
        self._show_clock()

    def switch_automatic(self) -> None:
        """Play or pause the story."""
        self.set_automatic(not self.automatic)

    def set_automatic(self, on: bool) -> None:
        """Play or pause the story."""
        self.automatic = on and self.bound_story is not None
        self._stay.stop()
        if self.automatic and self._transition is None:
            self.next_moment()

    # -- texts --------------------------------------------------------------------------------------------------

    def _follow(self, *_: object) -> None:
        snapshot = self._workbench.snapshot
        if self._transition is not None and (snapshot is None or snapshot.cursor != self._transition_cursor):
            self._end_transition()  # the speaker has moved the cursor
        if self.automatic and self.bound_story is not None and self._left_moment:
            self.automatic = False
            self._stay.stop()
        self._show(snapshot)

    def _show(self, snapshot: Snapshot | None) -> None:
        if self.stage is not None:
            self.stage.show_snapshot(*self._with_other_runs(snapshot))
            self._show_text()

    def _with_other_runs(self, snapshot: Snapshot | None) -> tuple[Snapshot | None, Snapshot | None]:
        """A snapshot with the runs that its moment compares it with, and the snapshot of its second run."""
        story, frame = self.bound_story, self._picture
        if story is None or snapshot is None or frame is None or snapshot.trace is not story.traces[frame.run]:
            return snapshot, None
        first, second = self._snapshots(frame)
        return replace(snapshot, compared=first.compared) if shows_several(frame.views) else snapshot, second

    def _snapshots(self, frame: Frame) -> tuple[Snapshot, Snapshot | None]:
        story, truth = self.bound_story, self._workbench.truth
        assert story is not None

        def run(number: int) -> Snapshot:
            trace = story.traces[number]
            return Snapshot(trace, story.history_of_run(number), trace.state_at(0), truth=truth)

        return snapshots_at(run, len(story.traces), frame)

    def _on_painted(self) -> None:
        self._show_text()
        if self.stage is not None:
            self._costs.look(self.stage)

    def _show_costs(self) -> None:
        """Show curves that have been computed, on axes that fit them."""
        if self.stage is not None and self._picture is not None:
            self.stage.lock_axes(self._picture, self._snapshots)
        self._show(self._workbench.snapshot)

    def _show_text(self, *_: object) -> None:
        """Show the text that is true of the picture, and the notes."""
        if self.stage is not None:
            self.stage.caption.set_text(self._text(self._workbench.snapshot))
            self.stage.annotate(self._marks(self._workbench.snapshot))
            self._show_clock()
            self._show_next()

    def _text(self, snapshot: Snapshot | None) -> str:
        """The caption if exactly its moment is shown, else the narrator's line; nothing on the way to a moment."""
        if snapshot is None or self._going:
            return ""
        if self.bound_story is None:
            return f"{talk_caption(snapshot)}\n{status(snapshot)}"
        if not self._at_moment(snapshot):
            return narrate(snapshot.history, snapshot.state, snapshot.truth)
        if self.stage is None or not self.stage.settled:
            return ""  # the picture is still that of another moment
        words, valid = caption_text(self.bound_story, self.at, snapshot.truth, self._numbers.look_up)
        if valid and not snapshot.truth and reveals_truth(self.bound_story[self.at].caption):
            return narrate(snapshot.history, snapshot.state, snapshot.truth)
        return words

    def _marks(self, snapshot: Snapshot | None) -> tuple[Mark, ...]:
        """The arrows and brackets of the moment, if exactly that is shown."""
        stage = self.stage
        if self.bound_story is None or snapshot is None or stage is None:
            return ()
        if self._going or not stage.settled or not self._at_moment(snapshot):
            return ()
        with suppress(InputError):  # shown in place of the caption
            return self.bound_story.marks(self.at, snapshot.truth, self._numbers.look_up)
        return ()

    def _show_next(self) -> None:
        """Show the next moment to the speaker."""
        bound_story, truth = self.bound_story, self._workbench.truth
        if bound_story is None or not self.speaker.on_second_screen or self._going:
            return
        frame = None
        if self.at + 1 < len(bound_story):
            with suppress(InputError):
                frame = moment_frame(bound_story, self.at + 1, truth, self._numbers.look_up)
        self.speaker.show_next(bound_story.traces, frame, truth)

    def _upcoming(self) -> str:
        """The caption of the next moment."""
        if self.bound_story is None:
            return ""
        if self.at + 1 >= len(self.bound_story):
            return LAST
        return caption_text(self.bound_story, self.at + 1, self._workbench.truth, self._numbers.look_up)[0]

    @property
    def _clock_shown(self) -> bool:
        """Whether the audience sees the clock: as chosen, else if the speaker has no other."""
        return not self.speaker.on_second_screen if self._clock_chosen is None else self._clock_chosen

    @property
    def seconds(self) -> int:
        """Seconds since the talk began."""
        return int(time.monotonic() - self._began) if self.on else 0

    def _show_clock(self, typed: str = "") -> None:
        stage, story = self.stage, self.bound_story
        if stage is None:
            return
        place = "" if story is None else f"{self.at + 1} / {len(story)}"
        words = " · ".join(filter(None, (place, clock(self.seconds))))
        last = story is not None and self.at + 1 == len(story)
        keys = "" if stage.isWindow() else _HINT.format(next="the end · ← back" if last else "→ next")
        stage.say_corner(f"{keys}{words}" if self._clock_shown else "")
        notes = "" if story is None else with_indices(story[self.at].notes) or NO_NOTES
        self.speaker.show_text(
            SpeakerText(
                f"→ {typed}" if typed else place,
                clock(self.seconds),
                time.strftime("%H:%M"),
                notes,
                stage.caption.words,
                self._upcoming(),
            )
        )

    @property
    def waits(self) -> bool:
        """Whether a number of the caption is still being computed."""
        return self.stage is not None and PENDING in self.stage.caption.words

    def _visible_views(self) -> tuple[str, ...]:
        """The visible views of the window, without the view of recommendations if the run recommends no arm."""
        snapshot = self._workbench.snapshot
        silent = snapshot is not None and snapshot.trace.started is not None and snapshot.trace.state_at(1).returns_set
        views = visible_views(self._board) or ALONE
        return tuple(name for name in views if not silent or name != "recommendation") or views


def clock(seconds: int) -> str:
    """Seconds as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02d}"
