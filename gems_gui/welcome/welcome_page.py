"""The welcome page: what the program does, what to start with, and where to read more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gems_engine.talk.shipped import SHIPPED
from gems_gui.appearance import Appearance
from gems_gui.drafts.presets import PRESETS, RACE
from gems_gui.icons import icon
from gems_gui.markup import plain_text
from gems_gui.menus.action_set import ActionSet, key_text
from gems_gui.theme import Theme
from gems_gui.welcome.welcome_choice import StoryCard, WelcomeChoice, WelcomeLine, WelcomeLink
from gems_gui.widgets.boxes import STRETCH, fill, hbox, vbox
from gems_gui.widgets.explained import described, explain
from gems_gui.widgets.flow_layout import FlowLayout

TITLE = "Welcome to GEMS Lab"
ABOUT = (
    "GEMS Lab shows how an algorithm finds the best arm of a linear bandit when the number of relevant features is "
    "unknown. Run GEMS or RAGE on an instance, step forwards and backwards through every decision, and read why it was "
    "taken."
)
KEYS = (
    (("play",), "play or pause"),
    (("event_forward", "event_back"), "next, previous event"),
    (("help",), "help on a view or field"),
    (("keys",), "all shortcuts"),
    (("palette",), "search commands"),
)
"""Actions whose shortcuts are worth knowing first, and what they do."""
READING = {
    "start": "How to read this window",
    "topics/glossary": "Glossary",
    "topics/decisions": "What the paper leaves open",
    "topics/talks": "Talks and stories",
    "topics/experiments": "Experiments",
}
"""Help pages that are worth reading first, and the texts of their links."""
FILES = 5
"""Number of recent files listed; the menu has the others."""

_WIDEST = 1200  # pixels before font scaling: longer lines are hard to read
_STORY = 225  # least width of a story in pixels before font scaling
_HALF = 300  # and of each of the two lists side by side
_UNDER_HEAD = 2  # the index in the column, after the stretch and the head
_STEP = "→ next event · Shift+→ next round · Space plays"
_RACE = "R races on the instance in the form, or on an opened run · Space plays"
_GONE = "not found: moved or deleted"


class WelcomePage(QFrame):
    """The page that replaces the board.

    Attributes
    ----------
    race, steps, stories, presets, files
        Its buttons: the race, step-by-step presets, stories and other presets by name, files by path.
    """

    story_chosen = Signal(str)
    preset_chosen = Signal(str)
    file_chosen = Signal(str)
    page_chosen = Signal(str)
    forget_asked = Signal()
    """The user wants to remove missing files from the list."""
    start_chosen = Signal(bool)
    """Whether the page is shown at the start."""
    closed = Signal()

    def __init__(self, actions: ActionSet, appearance: Appearance, at_start: bool) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName("Welcome")
        self._appearance = appearance
        self._columns: tuple[int, int] | None = None
        self.steps: dict[str, WelcomeChoice] = {
            name: self._step(name) for name in PRESETS if PRESETS[name].step_by_step
        }
        self.race = self._race()
        self.stories: dict[str, WelcomeChoice] = {name: self._story(name) for name in SHIPPED}
        self.presets: dict[str, WelcomeChoice] = {
            name: self._preset(name) for name in PRESETS if name not in (*self.steps, RACE)
        }
        self.files: dict[str, WelcomeLine] = {}
        self.open = WelcomeLink("Open a file…", "Open instances or recorded runs.", actions["open"].trigger)
        self.build = WelcomeLink(
            "Build your own instance",
            "Start from a small table; you can paste cells from a spreadsheet.",
            actions["new_instance"].trigger,
        )
        self.forget = WelcomeLink("Remove missing files", "Remove files that no longer exist.", self.forget_asked.emit)
        self.at_start = QCheckBox("Show this page at startup")
        self.at_start.setChecked(at_start)
        explain(self.at_start, "Show this page when the program starts. Help ▸ Welcome page always shows it.")
        self.at_start.toggled.connect(self.start_chosen)
        self.close_button = QToolButton()
        self.close_button.setAccessibleName("Close the welcome page")
        self.close_button.setToolTip("Close this page and show the views (Esc)")
        explain(self.close_button, "Close this page and show the views.")
        self.close_button.clicked.connect(self.closed)
        self._area, self._column, self._head = QScrollArea(), QVBoxLayout(), QHBoxLayout()
        self._steps, self._stories, self._lists = QGridLayout(), QGridLayout(), QGridLayout()
        self._presets, self._files = _List("Presets", self.presets.values()), _List("Your files", ())
        self._file_lines = QVBoxLayout()
        self._lay_out(actions)
        appearance.follow(self._apply_theme)

    # -- parts --------------------------------------------------------------------------------------------------

    def _story(self, name: str) -> StoryCard:
        story = SHIPPED[name]
        length = f"{story.moments} moments, {story.seconds} seconds to read"
        tip = f'Play "{story.title}" in the window. Press Esc to leave it and explore the run.'
        return StoryCard(story.title, story.about, length, tip, partial(self.story_chosen.emit, name))

    def _step(self, name: str) -> StoryCard:
        preset = PRESETS[name]
        tip = "Load this preset into the form and start it, paused before the first event."
        return StoryCard(preset.title, preset.summary, _STEP, tip, partial(self.preset_chosen.emit, name))

    def _race(self) -> StoryCard:
        preset = PRESETS[RACE]
        tip = "Load the hard instance into the form and race GEMS against RAGE on it."
        return StoryCard(preset.title, preset.summary, _RACE, tip, partial(self.preset_chosen.emit, RACE))

    def _preset(self, name: str) -> WelcomeLine:
        preset = PRESETS[name]
        tip = f"{preset.summary}\nClick to load it into the form and run it."
        return WelcomeLine(preset.title, (preset.summary, preset.brief), tip, partial(self.preset_chosen.emit, name))

    def _lay_out(self, actions: ActionSet) -> None:
        content = QWidget()
        content.setLayout(self._column)
        fill(self._head, (_label(TITLE, "headline"), 1), self.close_button)
        about = QLabel(ABOUT)
        about.setWordWrap(True)
        self._presets.column.addStretch(1)
        self._file_lines.setSpacing(0)
        column = self._files.column
        fill(column, self._file_lines, self.open, self.build, self.forget, STRETCH)
        fill(self._column, STRETCH, self._head, about, _heading("The race"), self.race)
        fill(self._column, _heading("Step by step"), self._steps, _heading("Stories"))
        fill(self._column, self._stories, self._lists, _keys(actions), self._reading(), 3 * STRETCH)
        self._area.setWidget(content)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it scrolls to the focused widget
        around = vbox(self)
        around.addWidget(self._area)
        self.show_files(())

    def _reading(self) -> FlowLayout:
        row = FlowLayout(gap=4)
        row.addWidget(_label("Read more", "lead"))
        for key, words in READING.items():
            row.addWidget(WelcomeLink(words, f'Open the help page "{words}".', partial(self.page_chosen.emit, key)))
        return row

    # -- files --------------------------------------------------------------------------------------------------

    def show_files(self, paths: Sequence[str]) -> None:
        """List these files."""
        for line in self.files.values():
            self._file_lines.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.files = {path: self._file(path) for path in paths[:FILES]}
        before: QWidget = self.open
        for line in reversed(self.files.values()):
            self._file_lines.insertWidget(0, line)
            QWidget.setTabOrder(line, before)
            before = line
        self.forget.hide()

    def _file(self, path: str) -> WelcomeLine:
        folder = str(PurePath(path).parent)
        ways = (folder, f"…/{PurePath(folder).name}")
        return WelcomeLine(PurePath(path).name, ways, f"Open {path}.", partial(self.file_chosen.emit, path))

    def show_gone(self, gone: Iterable[str]) -> None:
        """Mark the files that no longer exist."""
        for path in self.files.keys() & set(gone):
            line = self.files[path]
            line.set_subtitle((_GONE, "not found"))
            line.setToolTip(plain_text(f"Cannot find {path}: it was moved or deleted."))
            self.forget.show()

    # -- looks --------------------------------------------------------------------------------------------------

    def _apply_theme(self, theme: Theme) -> None:
        self.close_button.setIcon(icon("close", theme))
        self.close_button.setIconSize(QSize(theme.pixels(16), theme.pixels(16)))
        self._column.setSpacing(theme.pixels(10))
        self._steps.setSpacing(theme.pixels(10))
        self._stories.setSpacing(theme.pixels(10))
        self._lists.setSpacing(theme.pixels(10))
        self._columns = None
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Arrange the stories in as many columns as fit, and the lists side by side or one below the other."""
        pixels = self._appearance.theme.pixels
        margin = max(pixels(20), (self.width() - pixels(_WIDEST)) // 2)
        self._column.setContentsMargins(margin, pixels(16), margin, pixels(14))
        room = self.width() - 2 * margin
        columns = next((each for each in (4, 2) if room >= each * pixels(_STORY) + (each - 1) * pixels(10)), 1)
        halves = 2 if room >= 2 * pixels(_HALF) else 1
        if (columns, halves) == self._columns:
            return
        self._columns = (columns, halves)
        for place in (self._head, self._column):
            place.removeWidget(self.at_start)
        if halves == 2:
            self._head.insertWidget(1, self.at_start)
        else:
            self._column.insertWidget(_UNDER_HEAD, self.at_start)
        _fill(self._steps, list(self.steps.values()), halves)
        _fill(self._stories, list(self.stories.values()), columns)
        _fill(self._lists, [self._presets, self._files], halves)


def _fill(grid: QGridLayout, parts: Sequence[QWidget], columns: int) -> None:
    """Put parts into a grid with columns of equal width."""
    while grid.count():
        grid.takeAt(0)
    for at, part in enumerate(parts):
        grid.addWidget(part, at // columns, at % columns)
    for column in range(len(parts)):
        grid.setColumnStretch(column, int(column < columns))


class _List(QFrame):
    """A list of buttons under a heading."""

    def __init__(self, words: str, choices: Iterable[WelcomeChoice]) -> None:
        super().__init__()
        self.setProperty("role", "group")
        self.column = vbox(self, 0, margins=(5, 8, 5, 6))
        heading = _heading(words)
        heading.setContentsMargins(9, 0, 0, 4)
        fill(self.column, heading, *choices)


def _keys(actions: ActionSet) -> FlowLayout:
    """The most important shortcuts, read from the action table."""
    row = FlowLayout(gap=14)
    for names, words in KEYS:
        pair = QWidget()
        inside = hbox(pair, 5)
        for spec in actions.specs:
            if spec.id in names:
                key = described(_label(key_text(spec.keys[0]), "key"), tip=spec.tip)
                inside.addWidget(key)
        inside.addWidget(_label(words, "dim"))
        row.addWidget(pair)
    return row


def _heading(words: str) -> QLabel:
    return _label(words.upper(), "section")


def _label(words: str, role: str) -> QLabel:
    return described(QLabel(words), role=role)
