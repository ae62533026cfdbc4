"""Gives a talk: shows the moments of a story on a stage, and afterwards restores the window."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gems_engine.errors import InputError
from gems_engine.talk.captions import PENDING
from gems_gui.actions.spec import ActionSpec
from gems_gui.board.board import Board
from gems_gui.painting.rows import ALONE
from gems_gui.painting.transition import Transition
from gems_gui.series.status import caption, status
from gems_gui.services import Services
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.talk.caption_numbers import CaptionNumbers
from gems_gui.talk.sleep_inhibitor import SleepInhibitor
from gems_gui.talk.stage import Stage
from gems_gui.talk.stage_actions import Speaker
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
    from gems_engine.talk.bound_story import BoundStory
    from gems_engine.talk.story import ViewOption

_HINT = "Page Down: next · Esc: explore the run · "  # in the window, where there is no speaker
_FRAME = 40  # milliseconds between frames while playing to a moment


@dataclass(frozen=True, eq=False)
class _Before:
    """The state of the window to restore."""

    focus: QWidget | None
    hidden: tuple[QWidget, ...]
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
        self._before = _Before(None, ())
        self._main: RunSession | None = None
        self._way: Transition | None = None
        self._way_began = 0.0
        self._began = 0.0
        self._clock_shown = True
        self._notes_shown = False
        self._mover = repeating(self, self._move, _FRAME)
        self._stay = single_shot(self, self.next_moment)
        self._clock = repeating(self, self._show_clock, 1000)
        self._following: Subscription | None = None
        area.resized.connect(self._fit)
        self._numbers.came.connect(self._show_caption)
        self._workbench.subscribe(self._show_caption, Field.TRUTH)

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
        self.stage = stage = Stage(self._appearance, self._host)
        stage.asked.connect(self._do)
        stage.number_typed.connect(self._go_to_number)
        stage.view_made.connect(self._connect_view)
        stage.closed.connect(self.leave)
        stage.addActions(self._actions.in_context("stage") if full_screen else [])
        self._open(stage, full_screen)
        self._began = time.monotonic()
        self._notes_shown = False  # a new audience
        self._clock.start()
        self.automatic = automatic
        self._following = self._workbench.subscribe(self._follow, Field.SNAPSHOT)
        if self.bound_story is None:
            stage.arrange(self._visible_views(), self._board.options)
            self._show(self._workbench.snapshot)
        else:
            self.go(min(max(at, 0), len(self.bound_story) - 1), play=False)
        self._show_clock()
        self.changed.emit()

    def _open(self, stage: Stage, full_screen: bool) -> None:
        hidden: tuple[QWidget, ...] = ()
        if full_screen:
            screen = self._screen()
            stage.setWindowFlag(Qt.WindowType.Window)
            stage.setGeometry(screen.geometry())
            if screen is self._area.screen:
                others = [each for each in QApplication.topLevelWidgets() if each is not stage]
                hidden = tuple(each for each in others if each.isVisible() and each.parent() is not None)
        runs = self._workbench.runs if full_screen and self.bound_story is not None else ()
        places = tuple(map(RunPlace.of, runs))
        active, rooms = self._workbench.active, self._transport.rooms
        self._before = _Before(QApplication.focusWidget(), hidden, active, places, rooms)
        for each in hidden:  # floating docks and dialogs would cover it
            each.hide()
        if full_screen:
            stage.showFullScreen()
            stage.activateWindow()
            self._sleep_inhibitor.begin()
        else:
            self._fit()
            stage.show()
            stage.raise_()
        stage.setFocus()

    def _screen(self) -> QScreen:
        """A screen without the window, if there is one, so that the speaker still sees the window."""
        here = self._area.screen
        return next((screen for screen in QGuiApplication.screens() if screen is not here), here)

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
        self._way, self.bound_story, self.automatic = None, None, False
        if self._following is not None:
            self._following.cancel()
        self._sleep_inhibitor.end()
        stage.closed.disconnect(self.leave)
        stage.close()
        stage.deleteLater()
        self._go_back(before)
        for each in filter(isValid, before.hidden):  # a dialog may be deleted during a talk
            each.show()
        self._area.activate()
        if before.focus is not None and isValid(before.focus):
            before.focus.setFocus()
        self.left.emit()
        if before.places:
            self._transport.set_rooms(before.rooms)
        self.changed.emit()

    def fill_the_screen(self) -> None:
        """Switch a story that plays in the window to full screen, at the same moment."""
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
        self.at = at
        self._stay.stop()
        run = self._run_of(self._main, bound_story, at)
        same = run is self._workbench.active
        if not same:
            self._workbench.activate(run)
        self._workbench.control(Playback.pause, run)
        cursor = bound_story.cursor(at)
        now = run.playback.cursor
        self.stage.arrange(bound_story[at].views or self._visible_views(), view_options(bound_story[at].options))
        self._show_clock()
        self.changed.emit()
        if play and same and now < cursor:
            self._way = Transition.between(run.playback.history, now, cursor)
            self._way_began = time.monotonic()
            self._mover.start()
        else:
            self._arrive()

    def _move(self) -> None:
        way = self._way
        if way is None:
            self._mover.stop()
            return
        cursor = way.at(time.monotonic() - self._way_began)
        if cursor >= way.end:
            self._arrive()
        else:
            self._workbench.seek(cursor)

    def _arrive(self) -> None:
        """Show the moment: its cursor, marks and caption."""
        bound_story = self.bound_story
        assert bound_story is not None
        assert self._main is not None
        self._mover.stop()
        self._way = None
        self.show_in_window(self._main, bound_story, self.at)
        self._show_caption()
        if self.automatic:
            truth = self._workbench.truth
            self._stay.start(round(1000 * bound_story.seconds(self.at, truth, self._numbers.look_up)))

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
        if self._way is not None:
            self._arrive()
        elif self.bound_story is None:
            self._actions["round_forward"].trigger()
        elif self.at + 1 < len(self.bound_story):
            self.go(self.at + 1)
        else:
            self.automatic = False

    def previous_moment(self) -> None:
        """Go to the previous moment; if the cursor is still playing to one, go back to its start."""
        if self.bound_story is None:
            self._actions["round_back"].trigger()
        elif self.at > 0:
            self._mover.stop()
            self._way = None
            self.go(self.at - 1, play=False)

    def _go_to_number(self, number: int) -> None:
        if self.bound_story is not None and 1 <= number <= len(self.bound_story):
            self._mover.stop()
            self._way = None
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
        if stage.black and asked.id not in ("leave", "screen"):
            stage.set_black(False)
            if asked.id in ("black", "next_moment", "go_to_moment"):
                return
        asked.perform(self)

    def show_black(self) -> None:
        """Show a black screen."""
        if self.stage is not None:
            self.stage.set_black(True)

    def switch_pointer(self) -> None:
        """Switch the mouse pointer between a large dot and an arrow."""
        if self.stage is not None:
            self.stage.set_dotted(not self.stage.dotted)

    def switch_notes(self) -> None:
        """Show or hide the notes of this moment."""
        self._notes_shown = not self._notes_shown
        self._say_notes()

    def switch_clock(self) -> None:
        """Show or hide the time since the talk began and the number of the moment."""
        self._clock_shown = not self._clock_shown
        self._show_clock()

    def switch_automatic(self) -> None:
        """Play or pause the story."""
        self.set_automatic(not self.automatic)

    def switch_screen(self) -> None:
        """Switch a story that plays in the window to full screen; in full screen, end the talk."""
        if self.stage is not None and not self.stage.isWindow():
            self.fill_the_screen()
        else:
            self.leave()

    def set_automatic(self, on: bool) -> None:
        """Play or pause the story."""
        self.automatic = on and self.bound_story is not None
        self._stay.stop()
        if self.automatic and self._way is None:
            self.next_moment()

    # -- texts --------------------------------------------------------------------------------------------------

    def _follow(self, *_: object) -> None:
        self._show(self._workbench.snapshot)

    def _show(self, snapshot: Snapshot | None) -> None:
        if self.stage is None:
            return
        self.stage.show_snapshot(snapshot)
        if self.bound_story is None:
            self.stage.caption.set_text("" if snapshot is None else f"{caption(snapshot)}\n{status(snapshot)}")

    def _show_caption(self, *_: object) -> None:
        """Show the caption of the moment, with the numbers that are known."""
        bound_story, stage = self.bound_story, self.stage
        if bound_story is None or stage is None or self._way is not None:
            return
        try:
            words = bound_story.caption(self.at, self._workbench.truth, self._numbers.look_up)
        except InputError as error:
            words = str(error)
        stage.caption.set_text(words)
        self._say_notes()

    def _say_notes(self) -> None:
        if self.stage is not None:
            notes = "" if self.bound_story is None else self.bound_story[self.at].notes
            self.stage.say_notes(notes or "No notes for this moment." if self._notes_shown else "")

    @property
    def seconds(self) -> int:
        """Seconds since the talk began."""
        return int(time.monotonic() - self._began) if self.on else 0

    def _show_clock(self) -> None:
        if self.stage is None:
            return
        place = "" if self.bound_story is None else f"{self.at + 1} / {len(self.bound_story)} · "
        keys = "" if self.stage.isWindow() else _HINT
        self.stage.say_corner(f"{keys}{place}{clock(self.seconds)}" if self._clock_shown else "")

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


def view_options(options: Iterable[ViewOption]) -> dict[str, dict[str, str]]:
    """The options of views, by view."""
    found: dict[str, dict[str, str]] = {}
    for view, option, value in options:
        found.setdefault(view, {})[option] = value
    return found


def clock(seconds: int) -> str:
    """Seconds as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02d}"
