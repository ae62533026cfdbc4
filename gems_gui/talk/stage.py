"""The stage of a talk: views and a caption, large enough for the last row."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QCursor, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QTextBrowser, QWidget

from gems_engine.talk.annotation import Mark
from gems_gui.actions.spec import ActionSpec
from gems_gui.appearance import Appearance
from gems_gui.painting.frames import Frame, panels_of, view_of
from gems_gui.painting.locked_axes import FrameSnapshots, SharedAxes, level_legends, shared_axes
from gems_gui.painting.picture_caption import PictureCaption
from gems_gui.painting.rows import hall_text, projector_cells
from gems_gui.snapshot import Snapshot
from gems_gui.talk.pointer import dot
from gems_gui.talk.speaker_window import SpeakerNotes
from gems_gui.talk.stage_actions import STAGE_ACTIONS, Speaker
from gems_gui.theme import BASE_SIZE, Theme, family, palette, stylesheet
from gems_gui.views import STAGE_VIEWS
from gems_gui.views.card import Card
from gems_gui.views.creation import BrokenView, create_view
from gems_gui.views.view import View
from gems_gui.widgets.boxes import fill, grid, hbox, vbox
from gems_gui.widgets.explained import described
from gems_gui.widgets.timers import repeating, single_shot

_GAP = 8
_BEAT = 200  # milliseconds between updates of the clock and the mouse pointer
_IDLE = 3_000 // _BEAT  # beats after which a mouse pointer that does not move is hidden
_NOTES = 28  # percent of the width that notes take
_NUMPAD = Qt.KeyboardModifier.KeypadModifier


class Stage(QWidget):
    """The views of a moment in rows, a caption under them, clock and number in the corner, and a strip for notes.

    Nothing covers the views: corner and strip have their own room.

    Parameters
    ----------
    appearance
        The appearance of the window, which the stage follows with more contrast and text as large as fits.
    parent
        The parent widget; None for a full-screen window.
    """

    asked = Signal(object)
    """A key of :data:`STAGE_ACTIONS` was pressed: the action."""
    number_typed = Signal(int)
    """A number was typed, followed by Return."""
    view_made = Signal(object)
    painted = Signal()
    """Every view shows the newest snapshot."""
    typed_changed = Signal(str)
    """The digits of a number that is being typed; empty if it was completed or cleared."""
    closed = Signal()
    """The desktop has closed the stage."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stage")
        self.setAccessibleName("Talk")
        self.setWindowTitle("Talk")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._window_appearance = appearance
        self.appearance = Appearance(appearance.theme.for_projector(BASE_SIZE))
        self.views: dict[str, View] = {}
        """The views by panel: by name and, for a second run, again."""
        self._cards: dict[str, Card] = {}
        self.shown: tuple[str, ...] = ()
        self.snapshot: Snapshot | None = None
        self._second: Snapshot | None = None
        self._shared: SharedAxes = {}
        self._dirty: deque[str] = deque()
        self._typed = ""
        self._corner_text = ""
        self._dotted = True
        self._mouse = (QPoint(), 0)
        self._keys = {QKeySequence(key): spec for spec in STAGE_ACTIONS for key in spec.keys}
        self.caption = PictureCaption(self.appearance)
        self._ground = QWidget()
        self._grid = grid(self._ground, margins=(0, 0, 0, 0))
        self.corner = described(QLabel(), name="Clock of the talk")
        self.corner.setObjectName("corner")
        self.corner.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom)
        self.notes = SpeakerNotes()
        self.notes.hide()
        below = fill(hbox(spacing=_GAP), (self.caption, 1), self.corner)
        picture = fill(vbox(spacing=_GAP), (self._ground, 1), below)
        fill(hbox(self, _GAP, margins=(_GAP, _GAP, _GAP, _GAP)), (picture, 1), self.notes)
        self.cover = described(QWidget(self), name="Black screen")
        self.cover.setAutoFillBackground(True)
        self.cover.setStyleSheet("background: black;")
        self.cover.hide()
        self._painter = single_shot(self, self._paint_next)
        self._beat = repeating(self, self._look_at_mouse, _BEAT)
        self._beat.start()
        self.caption.clicked.connect(partial(self._ask, "next_moment"))
        appearance.follow(self._apply_theme)

    # -- display ------------------------------------------------------------------------------------------------

    def arrange(
        self,
        names: Sequence[str],
        options: Mapping[str, Mapping[str, str]] | None = None,
        runs: tuple[str, str] = ("", ""),
    ) -> None:
        """Show these views, as far as they exist, with these options; other options have their defaults.

        With the names of two runs, each view is shown for both, unless it shows several runs itself.
        """
        self._place(panels_of([name for name in names if name in STAGE_VIEWS], bool(runs[1])))
        for panel in self.shown:
            name, second = view_of(panel)
            choose(self.views[panel], (options or {}).get(name, {}))
            self.views[panel].name_run(runs[second])
        self._shared = {}

    def lock_axes(self, frame: Frame, snapshots: FrameSnapshots) -> None:
        """Give the views the axes that they share with other moments; they are painted again afterwards."""
        if frame.lock:
            self._shared = shared_axes({panel: self.views[panel] for panel in self.shown}, frame, snapshots)
        for panel in self.shown:
            self.views[panel].lock_axes(self._shared.get(view_of(panel)[0], ()))
        self._mark_all()

    def annotate(self, marks: Sequence[Mark]) -> None:
        """Draw these arrows and brackets in the views."""
        for panel in self.shown:
            self.views[panel].annotate([mark for mark in marks if (mark.view, mark.second) == view_of(panel)])

    def _place(self, wanted: tuple[str, ...]) -> None:
        if wanted == self.shown:
            return
        self.shown = wanted
        for card in self._cards.values():
            self._grid.removeWidget(card)
            card.setVisible(False)
        for at in range(self._grid.rowCount()):
            self._grid.setRowStretch(at, 0)
        for at in range(self._grid.columnCount()):
            self._grid.setColumnStretch(at, 0)
        self._apply_theme()  # more views have smaller text
        for name, (row, column, rows, columns) in projector_cells(wanted).items():
            card = self._card(name)
            self._grid.addWidget(card, row, column, rows, columns)
            for at in range(row, row + rows):
                self._grid.setRowStretch(at, 1)
            for at in range(column, column + columns):
                self._grid.setColumnStretch(at, 1)
            card.show()
        self._mark_all()

    def _card(self, name: str) -> Card:
        if name not in self._cards:
            view = create_view(view_of(name)[0], self.appearance)
            if isinstance(view, BrokenView):
                view.replacement_requested.connect(partial(self._replace, name))
            view.setParent(self)
            view.head.options.hide()
            card = Card(view.head, view.body)
            card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)  # the grid decides the size
            for part in (card, *card.findChildren(QWidget)):
                part.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # all keys go to the stage
                part.unsetCursor()
                if isinstance(part, QTextBrowser):
                    part.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
            self.views[name], self._cards[name] = view, card
            self.view_made.emit(view)
        return self._cards[name]

    def _replace(self, name: str) -> None:
        """Create a view again that could not be created."""
        self._grid.removeWidget(card := self._cards.pop(name))
        for each in (card, self.views.pop(name)):
            each.deleteLater()
        shown, self.shown = self.shown, ()
        self._place(shown)

    def show_snapshot(self, snapshot: Snapshot | None, second: Snapshot | None = None) -> None:
        """Show a snapshot in every view, one in each pass of the event loop; intermediate snapshots are skipped.

        Panels of a second run show that of the second run.
        """
        self.snapshot, self._second = snapshot, second
        for name, view in self.views.items():
            hidden = snapshot is not None and not snapshot.truth and view.snapshot is not None and view.snapshot.truth
            if hidden and name not in self.shown:
                view.show(None)  # so that nothing of a hidden truth remains visible
        self._mark_all()

    def _mark_all(self) -> None:
        self._dirty = deque(self.shown)
        if not self._painter.isActive():
            self._painter.start(0)

    def _paint_next(self) -> None:
        if self._dirty:
            panel = self._dirty.popleft()
            self.views[panel].show(self._second if view_of(panel)[1] else self.snapshot)
        if self._dirty:
            self._painter.start(0)
        else:
            level_legends({panel: self.views[panel] for panel in self.shown})
            self.painted.emit()

    @property
    def settled(self) -> bool:
        """Whether every view shows the newest snapshot."""
        return not self._dirty

    def settle(self) -> None:
        """Show everything pending now."""
        while self._dirty:
            self._paint_next()
        self._painter.stop()

    # -- for the speaker ----------------------------------------------------------------------------------------

    def say_corner(self, words: str) -> None:
        """Set the small text in the corner, such as clock and number of the moment, or hide it if empty."""
        self._corner_text = words
        self._show_corner()

    def _show_corner(self) -> None:
        words = f"→ {self._typed}" if self._typed else self._corner_text
        self.corner.setText(words)
        self.corner.setVisible(bool(words))

    def show_notes(self, on: bool) -> None:
        """Show the strip with the notes, or give its room to the views."""
        self.notes.setVisible(on)
        self._place_notes()

    def _place_notes(self) -> None:
        self.notes.setFixedWidth(self.width() * _NOTES // 100)

    @property
    def black(self) -> bool:
        """Whether the screen is black."""
        return not self.cover.isHidden()

    def set_black(self, on: bool) -> None:
        """Show a black screen, or the talk again."""
        self.cover.setGeometry(self.rect())
        self.cover.setVisible(on)
        self.cover.raise_()

    @property
    def dotted(self) -> bool:
        """Whether the mouse pointer is a dot."""
        return self._dotted

    def set_dotted(self, on: bool) -> None:
        """Make the mouse pointer a dot or an arrow."""
        self._dotted = on
        self._point()

    def _point(self) -> None:
        self.setCursor(dot(self.theme) if self._dotted else QCursor(Qt.CursorShape.ArrowCursor))

    def _look_at_mouse(self) -> None:
        """Hide a mouse pointer that does not move."""
        at, beats = QCursor.pos(), self._mouse[1]
        if at != self._mouse[0]:
            if beats >= _IDLE:
                self._point()
            self._mouse = (at, 0)
            return
        self._mouse = (at, beats + 1)
        if beats + 1 == _IDLE:
            self.setCursor(Qt.CursorShape.BlankCursor)

    # -- theme --------------------------------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """The current theme."""
        return self.appearance.theme

    def _apply_theme(self, *_: object) -> None:
        """Apply the theme of the window, adapted to a large screen."""
        text = hall_text(self.width(), self.height(), len(self.shown))
        theme = self._window_appearance.theme.for_projector(text)
        if theme == self.theme and self.styleSheet():
            return
        self.setFont(theme.font())
        self.setPalette(palette(theme))
        small = theme.for_tables().letters()
        font = f'font-family: "{family()}"; font-size: {small}px;'
        rules = (
            f"QLabel, QTextBrowser, QAbstractItemView, QHeaderView, QLineEdit, QComboBox, QPushButton {{ {font} }}",
            stylesheet(theme),
            f"#stage {{ background: {theme.window}; }}",
            f"#corner {{ font-size: {small}px; color: {theme.dim}; background: {theme.window}; }}",
            f"#speaker {{ background: {theme.card}; border: 2px solid {theme.dim}; border-radius: 8px; }}",
            f"#speaker QLabel, #keys QLabel {{ font-size: {small}px; }}",
        )
        self.setStyleSheet("\n".join(rules))
        self._grid.setSpacing(theme.pixels(_GAP))
        self.appearance.set_theme(theme)
        self._point()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._apply_theme()
        self.cover.setGeometry(self.rect())
        self._place_notes()

    # -- keys ---------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Give the keys of a talk precedence over the shortcuts of the window."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._takes(event):
            event.accept()
            return True
        return super().event(event)

    def _takes(self, event: QKeyEvent) -> bool:
        """Whether a key belongs to the stage."""
        return bool(_digit(event)) or self._meant(event) is not None

    def _meant(self, event: QKeyEvent) -> ActionSpec[Speaker] | None:
        """The action of a key; None if it has none on the stage.

        Shift belongs to a character that is typed with it, such as ? on most keyboards.
        """
        held = event.modifiers() & ~_NUMPAD
        if event.text().isprintable() and event.text().strip() and not event.text().isalpha():
            held &= ~Qt.KeyboardModifier.ShiftModifier
        return self._keys.get(QKeySequence(held.value | event.key()))

    def _ask(self, action: str) -> None:
        self.asked.emit(next(spec for spec in STAGE_ACTIONS if spec.id == action))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        digit, meant = _digit(event), self._meant(event)
        if digit:
            self._type((self._typed + digit)[-3:])
        elif meant is None:
            super().keyPressEvent(event)
        else:
            typed = self._typed
            self._type("")
            if meant.id == "go_to_moment" and typed:
                self.number_typed.emit(int(typed))
            elif not (meant.id == "leave" and typed):  # Esc first clears a typed number
                self.asked.emit(meant)

    def _type(self, digits: str) -> None:
        self._typed = digits
        self._show_corner()
        self.typed_changed.emit(digits)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()


def _digit(event: QKeyEvent) -> str:
    """The digit that a key types, or empty."""
    typed = event.text().isascii() and event.text().isdigit() and not event.modifiers() & ~_NUMPAD
    return event.text() if typed else ""


def choose(view: View, options: Mapping[str, str]) -> None:
    """Set these options of a view, and the others to their defaults."""
    for option in view.options:
        value = options.get(option.name, option.default)
        if option.allows(value) and view.settings[option.name] != value:
            view.set_option(option.name, value)
