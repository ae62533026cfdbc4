"""The dock of a story: its moments can be added, reordered, edited, deleted and presented."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QScrollArea,
    QToolButton,
)

from gems_engine.bookmark import Bookmark
from gems_engine.errors import InputError
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.story import Companion, SecondRun, Story, StoryMoment
from gems_gui.board.board import Board
from gems_gui.board.side_dock import SideDock
from gems_gui.drafts.undo_stack import EditHistory
from gems_gui.markup import label_text, plain_text
from gems_gui.services import Services
from gems_gui.talk.caption_numbers import CaptionNumbers
from gems_gui.talk.moment_delegate import RIGHT, WHERE, MomentDelegate
from gems_gui.talk.moment_editor import MomentEditor
from gems_gui.talk.moment_text import caption_text, second_text, where_text
from gems_gui.talk.presenter import Presenter, clock
from gems_gui.talk.visibility import chosen_options
from gems_gui.widgets.boxes import fill, hbox
from gems_gui.widgets.explained import described, explain
from gems_gui.workbench.changes import Field
from gems_gui.workbench.run_session import RunSession

_TEXT, _SPOKEN = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole
_EMPTY = "No story yet. Go to a position in the run and press M to add it as the first moment. F5 presents the story."


class MomentList(QListWidget):
    """The moments; Enter goes to one, Alt and the arrows move it, Del deletes it."""

    gone_to = Signal()
    moved = Signal(int)
    deleted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Moments of the story")
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        explain(self, "Enter goes to a moment, Alt+Up and Alt+Down move it, Del deletes it.")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alt = event.modifiers() == Qt.KeyboardModifier.AltModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.gone_to.emit()
        elif alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.matches(QKeySequence.StandardKey.Delete):
            self.deleted.emit()
        else:
            super().keyPressEvent(event)


class StoryEditor(Protocol):
    """What the dock calls: the stories of runs, and the parts of a talk."""

    @property
    def numbers(self) -> CaptionNumbers:
        """The numbers of captions that need a solver."""

    @property
    def presenter(self) -> Presenter:
        """The object that gives talks."""

    def told_run(self) -> RunSession | None:
        """The run whose story is shown."""

    def bound_story(self, run: RunSession, before: BoundStory | None = None) -> BoundStory:
        """The story of a run."""

    def add_moment(self) -> None:
        """Add the current views and cursor to the story."""

    def edits(self, run: RunSession) -> EditHistory[Story | None]:
        """The history of a run's story."""

    def set_story(self, run: RunSession, story: Story | None, what: str, merge: str = "") -> None:
        """Change the story of a run; this can be undone."""

    def undo_story(self, run: RunSession) -> None:
        """Undo the last change of a story."""

    def redo_story(self, run: RunSession) -> None:
        """Redo the last change that was undone."""


class TalkDock(SideDock):
    """The story of the current run."""

    def __init__(self, controller: StoryEditor, services: Services, board: Board) -> None:
        super().__init__("talk", "Story for a talk", services.appearance, services.host)
        self._controller, self._workbench, self._board = controller, services.workbench, board
        self._run: RunSession | None = None
        self._bound_story: BoundStory | None = None
        self._filling = False
        self.title = described(QLineEdit(), name="Title of the story")
        self.title.setMaxLength(200)
        explain(self.title, "Edit the title of the story.")
        self.list = MomentList()
        self.list.setItemDelegate(MomentDelegate(services.appearance, self.list))
        self.empty = described(QLabel(_EMPTY), role="dim")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.time = described(QLabel(), name="Duration of the story", role="dim")
        self.editor = MomentEditor()
        self.buttons: dict[str, QToolButton] = {}
        self._actions = {
            "add": self.act(
                "Add", "Add the current views and cursor after the selected moment (M)", controller.add_moment
            ),
            "go": self.act("Go there", "Show the run at the selected moment (Enter)", self.go),
            "up": self.act("Up", "Move the selected moment up (Alt+Up)", self.move_up),
            "down": self.act("Down", "Move the selected moment down (Alt+Down)", self.move_down),
            "here": self.act("Update", "Update the selected moment to the current cursor and views", self.set_here),
            "delete": self.act("Delete", "Delete the selected moment (Del)", self.delete),
            "undo": self.act("Undo", "Undo the last change of the story", self.undo),
            "redo": self.act("Redo", "Redo the last change that was undone", self.redo),
            "present": self.act("Present", "Present the story from the selected moment", self.present),
        }
        self._lay_out()
        self._connect()
        services.appearance.changed.connect(self._on_look_changed)

    # -- parts --------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        column = self.column()
        fill(column, self.title, (self.list, 1), (self.empty, 1))
        for names in (("add", "here", "go", "up", "down", "delete"), ("undo", "redo", "run", "present")):
            row = hbox(spacing=2)
            for name in names:
                row.addWidget(self._run_button() if name == "run" else self._tool(name))
            row.addStretch(1)
            if "undo" in names:
                row.addWidget(self.time)
            column.addLayout(row)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(self.editor)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.fields = scroll
        column.addWidget(scroll, 1)

    def _tool(self, name: str) -> QToolButton:
        self.buttons[name] = self.tool(self._actions[name])
        return self.buttons[name]

    def _run_button(self) -> QToolButton:
        """A button that adds another run of the window to the story."""
        button = QToolButton()
        button.setText("Add a run…")
        button.setAccessibleName("Add a run to the story")
        button.setProperty("role", "tool")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        explain(button, "Add another run of this window to the story, so that moments can show it.")
        menu = QMenu(button)
        menu.aboutToShow.connect(self._fill_runs)
        menu.triggered.connect(self._add_run)
        button.setMenu(menu)
        self.buttons["run"] = button
        return button

    def _connect(self) -> None:
        self.title.textEdited.connect(self._on_title_edited)
        self.title.editingFinished.connect(self._seal)
        self.list.currentRowChanged.connect(self._show_chosen)
        self.list.itemDoubleClicked.connect(self.go)
        self.list.gone_to.connect(self.go)
        self.list.moved.connect(self._move)
        self.list.deleted.connect(self.delete)
        self.editor.changed.connect(self._on_moment_changed)
        self.editor.picked_asked.connect(self._mark_picked)
        self.editor.second_asked.connect(self._show_second)
        self.editor.sealed.connect(self._seal)
        work = self._workbench
        work.subscribe(self._on_active_changed, Field.ACTIVE, Field.TRUTH)
        self._controller.numbers.came.connect(self._on_active_changed)
        self._controller.presenter.changed.connect(self._follow_talk)

    def _on_look_changed(self) -> None:
        self.list.scheduleDelayedItemsLayout()
        self.list.viewport().update()

    # -- display ------------------------------------------------------------------------------------------------

    @property
    def story(self) -> Story | None:
        """The story of the current run."""
        return None if self._run is None else self._run.trace.story

    @property
    def chosen(self) -> int:
        """The selected moment; −1 if there is none."""
        return self.list.currentRow()

    def choose(self, at: int) -> None:
        """Select a moment."""
        self.refresh()
        self.list.setCurrentRow(at)

    def _on_active_changed(self, *_: object) -> None:
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Show the story as it is now."""
        self._run = run = self._controller.told_run()
        story = self.story
        self._bound_story = (
            None if run is None or story is None else self._controller.bound_story(run, self._bound_story)
        )
        self._filling = True
        moments = 0 if story is None else len(story.moments)
        row = self.list.currentRow()
        while self.list.count() > moments:
            self.list.takeItem(self.list.count() - 1)
        while self.list.count() < moments:
            self.list.addItem(QListWidgetItem())
        for at in range(moments):
            self._fill(at)
        if not self.title.hasFocus() or story is None or self.title.text().strip() == "":
            self.title.setText("" if story is None else story.title)
        self.title.setEnabled(story is not None)
        self.list.setVisible(moments > 0)
        self.empty.setVisible(moments == 0)
        self.fields.setVisible(moments > 0)
        if moments:
            self.list.setCurrentRow(min(max(row, 0), moments - 1))
        self._filling = False
        self._show_chosen()

    def _fill(self, at: int) -> None:
        assert self._bound_story is not None
        words, right = self._words(at)
        item = self.list.item(at)
        where = f"{at + 1} · {where_text(self._bound_story, at)}"
        for role, value in ((_TEXT, words), (WHERE, where), (RIGHT, right), (_SPOKEN, f"{where}: {words}")):
            if item.data(role) != value:
                item.setData(role, value)

    def _words(self, at: int) -> tuple[str, bool]:
        assert self._bound_story is not None
        return caption_text(self._bound_story, at, self._workbench.truth, self._controller.numbers.look_up)

    def _show_chosen(self, *_: object) -> None:
        if self._filling:
            return
        at, bound_story, run = self.chosen, self._bound_story, self._run
        there = bound_story is not None and 0 <= at < len(bound_story)
        features = 0 if run is None else run.trace.instance.D
        moment = bound_story[at] if bound_story is not None and there else None
        second = second_text(bound_story, at) if bound_story is not None and there else ""
        self.editor.show_moment(moment, features, second)
        if there:
            self.editor.show_preview(*self._words(at))
        edits = None if run is None else self._controller.edits(run)
        count = 0 if bound_story is None else len(bound_story)
        possible = {
            "add": run is not None,
            "go": there,
            "here": there,
            "up": there and at > 0,
            "down": there and at + 1 < count,
            "delete": there,
            "undo": edits is not None and bool(edits.undo_text),
            "redo": edits is not None and bool(edits.redo_text),
            "present": count > 0,
        }
        for name, on in possible.items():
            self._actions[name].setEnabled(on)
        if edits is not None:
            self._actions["undo"].setToolTip(plain_text(f"Undo {edits.undo_text}".strip()))
        self.buttons["run"].setEnabled(run is not None and len(self._workbench.runs) > 1)
        self._show_time()

    def _show_time(self) -> None:
        bound_story = self._bound_story
        words = ""
        if bound_story is not None and len(bound_story):
            try:
                look_up, truth = self._controller.numbers.look_up, self._workbench.truth
                words = clock(round(sum(bound_story.seconds(at, truth, look_up) for at in range(len(bound_story)))))
            except InputError:
                words = ""
        talk = self._controller.presenter
        if talk.on:
            words = f"{clock(talk.seconds)} of {words}" if words else clock(talk.seconds)
        self.time.setText(words)

    def _follow_talk(self) -> None:
        """Follow a talk on another screen, as the speaker looks at this list."""
        talk = self._controller.presenter
        if self.isVisible() and talk.on and talk.bound_story is not None:
            self.list.setCurrentRow(talk.at)

    # -- commands -----------------------------------------------------------------------------------------------

    def _set(self, story: Story, what: str, merge: str = "") -> None:
        assert self._run is not None
        self._controller.set_story(self._run, story, what, merge)

    def _seal(self) -> None:
        if self._run is not None:
            self._controller.edits(self._run).seal()

    def _on_title_edited(self, text: str) -> None:
        story = self.story
        if story is not None and text.strip() and text.isprintable():
            self._set(replace(story, title=text), "change of the title", "title")

    def _on_moment_changed(self, moment: StoryMoment, what: str, merge: str) -> None:
        story, at = self.story, self.chosen
        if story is not None and 0 <= at < len(story.moments):
            self._set(story.with_changed(at, moment), what, f"{merge} {at}" if merge else "")

    def _mark_picked(self) -> None:
        active, moment = self._workbench.active, self.editor.moment
        if active is not None and moment is not None:
            marked = replace(moment, arm=active.selection.arm, target=active.selection.target)
            self._on_moment_changed(marked, "choice of the marked arm", "")

    def _show_second(self) -> None:
        """Show the current run at its cursor as the second run of the selected moment."""
        active, moment, story = self._workbench.active, self.editor.moment, self._bound_story
        if active is None or moment is None or story is None:
            return
        numbers = [number for number, trace in enumerate(story.traces) if trace is active.trace]
        if not numbers:
            self._workbench.messages.show("The current run is not part of the story. Add it with Add a run… first.")
            return
        second = SecondRun(numbers[0], Bookmark.of(active.trace, active.playback.cursor))
        self._on_moment_changed(replace(moment, second=second), "choice of the second run", "")

    def go(self, *_: object) -> None:
        """Show the run at the selected moment, with its marks."""
        talk, at = self._controller.presenter, self.chosen
        if self._run is None or self._bound_story is None or not 0 <= at < len(self._bound_story):
            return
        if talk.on and talk.bound_story is not None:
            talk.go(at, play=False)
        else:
            talk.show_in_window(self._run, self._bound_story, at)

    def set_here(self) -> None:
        """Update the selected moment to the current cursor and views."""
        story, at, active = self.story, self.chosen, self._workbench.active
        if story is None or active is None or self._bound_story is None or at < 0:
            return
        numbers = [number for number, trace in enumerate(self._bound_story.traces) if trace is active.trace]
        where = Bookmark.of(active.trace, active.playback.cursor)
        before = story.moments[at]
        shown = [name for name in before.views if name in self._board.docks]
        kept = tuple(each for each in before.options if each[0] not in shown)  # of views that the board does not have
        options = (*kept, *chosen_options(self._board, shown))
        moment = replace(before, where=where, run=numbers[0], options=options)
        self._set(story.with_changed(at, moment), "change of the position")

    def move_up(self) -> None:
        """Move the selected moment up."""
        self._move(-1)

    def move_down(self) -> None:
        """Move the selected moment down."""
        self._move(1)

    def _move(self, by: int) -> None:
        story, at = self.story, self.chosen
        if story is not None and 0 <= at < len(story.moments) and 0 <= at + by < len(story.moments):
            self._set(story.with_moved(at, at + by), "change of the order")
            self.choose(at + by)

    def delete(self) -> None:
        """Delete the selected moment; deleting the last one removes the story."""
        story, at = self.story, self.chosen
        if story is None or self._run is None or not 0 <= at < len(story.moments):
            return
        left = story.without(at)
        self._controller.set_story(self._run, left if left.moments else None, "deletion of a moment")

    def undo(self) -> None:
        """Undo the last change of the story."""
        if self._run is not None:
            self._controller.undo_story(self._run)

    def redo(self) -> None:
        """Redo the last change that was undone."""
        if self._run is not None:
            self._controller.redo_story(self._run)

    def present(self) -> None:
        """Present the story from the selected moment."""
        self._controller.presenter.begin(self._run, at=max(self.chosen, 0))

    # -- other runs ---------------------------------------------------------------------------------------------

    def _fill_runs(self) -> None:
        menu = self.buttons["run"].menu()
        menu.clear()
        known = () if self._bound_story is None else self._bound_story.traces
        for run in self._workbench.runs:
            if run is not self._run and run.trace not in known:
                action = menu.addAction(label_text(run.name))
                action.setToolTip(plain_text(run.name))
                action.setData(run)
                action.setStatusTip("Add this run to the story.")

    def _add_run(self, action: QAction) -> None:
        run, story = action.data(), self.story
        if self._run is None or not isinstance(run, RunSession):
            return
        story = story or Story(f"A story of {self._run.name}"[:200])
        name = run.request.algorithm if run.request is not None else "run"
        names = (name, *(f"{name}-{number}" for number in range(2, 20)))
        try:
            free = next(each for each in names if each not in story.run_names)
            added = replace(story, companions=(*story.companions, Companion(free, run.trace)))
            self._set(added, "addition of a run")
        except InputError as error:
            self._workbench.messages.show(str(error))
