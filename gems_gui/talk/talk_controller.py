"""What the actions on talks do: present, add a moment, show the list of moments, play a built-in story."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup

from gems_engine.errors import InputError
from gems_engine.files import read_run
from gems_engine.talk.shipped import SHIPPED
from gems_gui.actions.refusals import needs_run
from gems_gui.assets import asset
from gems_gui.board.board import Board
from gems_gui.drafts.undo_stack import EditHistory
from gems_gui.services import Services
from gems_gui.talk.visibility import chosen_options, views_left_out, visible_views
from gems_gui.transport.transport import Transport
from gems_gui.widgets.window_area import WindowArea
from gems_gui.workbench.run_session import RunSession

if TYPE_CHECKING:
    from gems_engine.talk.bound_story import BoundStory
    from gems_engine.talk.story import Story
    from gems_engine.trace import Trace
    from gems_gui.talk.caption_numbers import CaptionNumbers
    from gems_gui.talk.presenter import Presenter
    from gems_gui.talk.speaker_side import PicturePainter
    from gems_gui.talk.talk_dock import TalkDock

_NO_STORY = "This run has no story yet. Press M to add the current moment to one."


class StoryEdits:
    """The edits of the story of a run, to undo and redo."""

    def __init__(self, controller: TalkController, run: RunSession) -> None:
        self._controller, self._run = controller, run

    @property
    def history(self) -> EditHistory[Story | None]:
        """Its edits."""
        return self._controller.edits(self._run)

    def undo(self) -> None:
        """Undo the newest edit."""
        self._controller.undo_story(self._run)

    def redo(self) -> None:
        """Redo the edit that was undone last."""
        self._controller.redo_story(self._run)


class TalkController(QObject):
    """The methods behind these actions. What they need is loaded on first use."""

    def __init__(self, services: Services, board: Board, transport: Transport, area: WindowArea) -> None:
        super().__init__(services.host)
        self._workbench, self._actions, self._queries = services.workbench, services.actions, services.queries
        self._services, self._board, self._transport, self._area = services, board, transport, area
        self._presenter: Presenter | None = None
        self._dock: TalkDock | None = None
        self._edits: WeakKeyDictionary[Trace, EditHistory[Story | None]] = WeakKeyDictionary()
        self._pictures: PicturePainter | None = None
        self._first = ""
        self._stories = QActionGroup(self)
        self._stories.triggered.connect(self._choose_story)

    ended = Signal()
    """A talk has ended, and the views of the window are visible again."""

    # -- parts --------------------------------------------------------------------------------------------------

    @cached_property
    def numbers(self) -> CaptionNumbers:
        """The numbers of captions that need a solver."""
        from gems_gui.talk.caption_numbers import CaptionNumbers  # loaded with the first talk

        return CaptionNumbers(self._queries, self)

    @property
    def presenter(self) -> Presenter:
        """The object that gives talks."""
        if self._presenter is None:
            from gems_gui.talk.presenter import Presenter  # brings the plots: not needed to start

            self._presenter = Presenter(self._services, self._board, self._transport, self._area, self)
            self._presenter.changed.connect(self._actions.refresh)
            if self._pictures is not None:
                self._presenter.speaker.use(self._pictures)
            self._presenter.left.connect(self.ended)
        return self._presenter

    def use_pictures(self, pictures: PicturePainter) -> None:
        """Use this painter for small pictures of moments."""
        self._pictures = pictures

    @property
    def dock(self) -> TalkDock:
        """The list of moments."""
        if self._dock is None:
            from gems_gui.talk.talk_dock import TalkDock  # brings the plots: not needed to start

            self._dock = TalkDock(self, self._services, self._board)
            self._dock.visibilityChanged.connect(self._actions.refresh)
            self._dock.take_place_hidden()
        return self._dock

    @property
    def covers(self) -> bool:
        """Whether a talk hides the views of the window."""
        return self._presenter is not None and self._presenter.covers

    # -- talks --------------------------------------------------------------------------------------------------

    def present_refusal(self) -> str:
        """Why there is no run to present."""
        return needs_run(self._workbench)

    def play_story_refusal(self) -> str:
        """Why there is no story to play."""
        return self.present_refusal() or ("" if self.has_story() else _NO_STORY)

    def has_story(self) -> bool:
        """Whether the run has a story with moments."""
        run = self.told_run()
        return run is not None and run.trace.story is not None and bool(run.trace.story.moments)

    def lists_moments(self) -> bool:
        """Whether the list of moments is open, perhaps as a tab behind others."""
        return self._dock is not None and not self._dock.isHidden()

    def present(self) -> None:
        """Start a talk in full screen, switch a story that plays in the window to full screen, or end the talk."""
        stage = None if self._presenter is None else self._presenter.stage
        if self._presenter is not None and stage is not None:
            if stage.isWindow():
                self._presenter.leave()
            else:
                self._presenter.fill_the_screen()
        else:
            self.presenter.begin(self.told_run())

    def play_story(self) -> None:
        """Play the story automatically in the window."""
        self.tell_in_window(self.told_run())

    def tell_in_window(self, run: RunSession | None) -> None:
        """Play the story of a run automatically in the window."""
        if run is None or run.trace.story is None or not run.trace.story.moments:
            self._workbench.messages.show(_NO_STORY)
        else:
            self.presenter.begin(run, full_screen=False, automatic=True)

    def told_run(self) -> RunSession | None:
        """The run whose story is shown: the active run, or the one that it is a companion of."""
        work = self._workbench
        active = work.active
        if active is None or active.trace.story is not None:
            return active
        for run in work.runs:
            story = run.trace.story
            if story is not None and any(each.trace is active.trace for each in story.companions):
                return run
        return active

    def bound_story(self, run: RunSession, before: BoundStory | None = None) -> BoundStory:
        """The story of a run, reusing runs that were already read."""
        from gems_engine.talk.bound_story import BoundStory  # loaded with the first talk

        known = [each for run in self._workbench.runs for each in (*run.companions, run.playback.history)]
        return BoundStory(run.trace, None, (*(() if before is None else before.histories), *known))

    def story_to_export(self) -> BoundStory | None:
        """The story of the current run with its runs, if it has moments."""
        run = self.told_run()
        story = None if run is None else run.trace.story
        return self.bound_story(run) if run is not None and story is not None and story.moments else None

    def close(self) -> None:
        """End a talk with the window."""
        if self._presenter is not None:
            self._presenter.leave()

    # -- editing a story ----------------------------------------------------------------------------------------

    def add_moment(self) -> None:
        """Add the current views and cursor to the story of the run, after the moment selected in the list."""
        from gems_engine.talk.recording import recorded_moment  # loaded with the first talk
        from gems_engine.talk.story import Story  # loaded with the first talk

        active, told = self._workbench.active, self.told_run()
        if active is None or told is None:
            return
        story = told.trace.story or Story(f"A story of {told.name}"[:200])
        traces = [told.trace, *(each.trace for each in story.companions)]
        picked, views = active.selection, visible_views(self._board)
        moment = recorded_moment(
            active.trace,
            active.playback.cursor,
            views,
            picked.arm,
            picked.target,
            picked.dimension,
            next(number for number, trace in enumerate(traces) if trace is active.trace),
            chosen_options(self._board, views),
        )
        at = len(story.moments)
        if self._dock is not None and self._dock.isVisible() and self._dock.chosen >= 0:
            at = min(self._dock.chosen + 1, at)
        try:
            self.set_story(told, story.with_moment(at, moment), "addition of a moment")
        except InputError as error:
            self._workbench.messages.show(str(error))
            return
        if self._dock is not None:
            self._dock.choose(at)
        extra = views_left_out(self._board)
        but = f" with {len(views)} of the {len(views) + extra} visible views" if extra else ""
        self._workbench.messages.show(
            f'Added moment {at + 1} to the story "{story.title}"{but}. Ctrl+Shift+T edits the story, F5 presents it.'
        )

    def make_story(self) -> None:
        """Make a first story of the current run from its start, its changes and its end, and list its moments."""
        from gems_engine.talk.recording import recorded_story  # loaded with the first talk

        run = self.told_run()
        if run is not None and not self.has_story():
            views = visible_views(self._board)
            title = f"A story of {run.name}"[:200]
            story = recorded_story(run.playback.history, title, views, chosen_options(self._board, views))
            self.set_story(run, story, "new story")
            run.made_story = story
        self.show_talk(True)

    def edits(self, run: RunSession) -> EditHistory[Story | None]:
        """The history of a run's story."""
        if run.trace not in self._edits:
            self._edits[run.trace] = EditHistory(run.trace.story)
        return self._edits[run.trace]

    def set_story(self, run: RunSession, story: Story | None, what: str, merge: str = "") -> None:
        """Change the story of a run; this can be undone."""
        edits = self.edits(run)
        edits.record(story, what, merge)
        self._put(run, edits.now)

    def edited_story(self) -> StoryEdits | None:
        """The edits of the story of the shown run; None if there are none."""
        run = self.told_run()
        return None if run is None or run.trace not in self._edits else StoryEdits(self, run)

    def undo_story(self, run: RunSession) -> None:
        """Undo the last change of a story."""
        self._put(run, self.edits(run).undo())

    def redo_story(self, run: RunSession) -> None:
        """Redo the last change of a story that was undone."""
        self._put(run, self.edits(run).redo())

    def _put(self, run: RunSession, story: Story | None) -> None:
        run.trace.story = story
        if self._dock is not None:
            self._dock.refresh()
        self._workbench.runs_changed()

    def show_talk(self, on: bool) -> None:
        """Bring the list of moments to the front, or hide it if it is there.

        While it is empty, the keys stay with the run: one goes to a position in it and adds that as a moment.
        """
        if self.dock.toggle(on):
            self.dock.refresh()
            if self.has_story():
                self.dock.list.setFocus()

    # -- built-in stories ---------------------------------------------------------------------------------------

    def fill_menus(self) -> None:
        """List the built-in stories."""
        menu = self._actions.menu("Talk/Stories")
        menu.setToolTipsVisible(True)
        for name, shipped in SHIPPED.items():
            action = QAction(shipped.title, self._stories)
            action.setData(name)
            action.setStatusTip(shipped.about)
            action.setToolTip(shipped.about)
            menu.addAction(action)

    def _choose_story(self, action: QAction) -> None:
        self.tell(action.data())

    def tell(self, name: str) -> None:
        """Open a built-in story and play it in the window."""
        work = self._workbench
        title = SHIPPED[name].title
        run = next((each for each in work.runs if each.trace.story is not None and each.name == title), None)
        if run is None:
            try:
                trace = read_run(asset(f"stories/{name}.gems"))
            except (InputError, FileNotFoundError) as error:
                self._workbench.messages.show(f"Cannot open the story: {error}", error=True)
                return
            run = work.open(trace, "", title)
        else:
            work.activate(run)
        self.tell_in_window(run)

    def tell_first(self, name: str) -> None:
        """Play a built-in story as soon as the window is shown."""
        self._first = name
        self._board.views_created.connect(self._tell_first)

    def _tell_first(self) -> None:
        name, self._first = self._first, ""
        if name:
            self.tell(name)
