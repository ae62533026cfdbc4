"""The command palette: all commands, found by their words or abbreviations of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gems_engine.plain_text import plain
from gems_gui.actions.fuzzy import best_first
from gems_gui.appearance import Appearance
from gems_gui.markup import plain_text
from gems_gui.menus.action_set import ActionSet, key_text
from gems_gui.series.wordings import longest_prefix
from gems_gui.widgets.boxes import fill, vbox
from gems_gui.widgets.explained import described
from gems_gui.widgets.window_area import WindowArea

_WIDTH, _ROWS = 620, 12
_UNLIMITED = 10_000  # pixels
_END = re.compile(r"\.\s")  # of a sentence
_ITSELF = "palette"
SETTING = "settings preferences options"
"""The words by which what a user can set is found."""
_SETTINGS = ("Look", "Theme", "Truth", "Own layouts")  # sections


@dataclass(frozen=True)
class PaletteEntry:
    """A line of the palette.

    Attributes
    ----------
    text, where, key
        The text, the menu that has the command, and its key.
    tip
        What it does.
    do
        Carries it out.
    refusal
        Why it is not available now; empty if it is.
    words
        More words by which it is found.
    """

    text: str
    where: str
    key: str
    tip: str
    do: Callable[[], object]
    refusal: str = ""
    words: str = ""


def action_entries(actions: ActionSet) -> Iterator[PaletteEntry]:
    """An entry for each action except the palette itself and layouts, which are listed with the saved ones."""
    for spec in actions.specs:
        if spec.id == _ITSELF or spec.choice == "layout":
            continue
        action = actions[spec.id]
        text = action.text().replace("&&", "&")
        text = f"{spec.section}: {text}" if spec.choice else text
        if spec.checkable:
            text = f"{text}: switch {'off' if action.isChecked() else 'on'}"
        key = key_text(spec.keys[0]) if spec.keys else ""
        words = f"{spec.words} {SETTING}" if spec.section in _SETTINGS else spec.words
        where, refusal = spec.menu.replace("/", " ▸ "), actions.refusal(action)
        yield PaletteEntry(text, where, key, spec.tip, action.trigger, refusal, words)


class Palette(QFrame):
    """A search line and the matching commands; closes after a choice, by Esc or by a click outside.

    It is a child of the window and not modal.

    Parameters
    ----------
    focus_board
        Moves the focus when it closes and nothing had the focus before.
    """

    def __init__(
        self,
        host: QWidget,
        area: WindowArea,
        appearance: Appearance,
        entries: Sequence[PaletteEntry],
        focus_board: Callable[[], object],
    ) -> None:
        super().__init__(host)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "card")
        self.setAccessibleName("Command palette")
        self._area, self._focus_board = area, focus_board
        self._appearance = appearance
        self._before = QApplication.focusWidget()
        self._entries = entries
        self.found: list[PaletteEntry] = []
        self.line = described(QLineEdit(), name="Command")
        self.line.setPlaceholderText("Search commands, presets, stories, views, settings and files")
        self.line.setToolTip("Choose with ↑ and ↓, press Enter to run the command, Esc to close")
        self.line.setClearButtonEnabled(False)
        self.line.textChanged.connect(self._filter)
        self.list = self._make_list()
        self.about = described(QLabel(), role="dim")
        self.about.setTextFormat(Qt.TextFormat.PlainText)
        self.about.setWordWrap(True)
        self.about.setFixedHeight(2 * self.about.fontMetrics().lineSpacing())
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        fill(vbox(self, 8, margins=(10, 10, 10, 8)), self.line, self.list, self.about)
        self.line.installEventFilter(self)
        area.resized.connect(self._put)
        self._filter("")

    def _make_list(self) -> QTreeWidget:
        made = described(QTreeWidget(), name="Matching commands")
        made.setColumnCount(3)
        made.setHeaderHidden(True)
        made.setRootIsDecorated(False)
        made.setUniformRowHeights(True)
        made.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the line keeps the focus and moves the selection
        made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = made.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for place in (1, 2):
            head.setSectionResizeMode(place, QHeaderView.ResizeMode.ResizeToContents)
        made.itemClicked.connect(self._on_clicked)
        made.currentItemChanged.connect(self._explain)
        return made

    def activate(self) -> None:
        """Place it in front of the board, with the focus in the line."""
        self._put()
        self.raise_()
        self.line.setFocus(Qt.FocusReason.PopupFocusReason)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def _put(self) -> None:
        """Move it to the top centre of the window."""
        theme, room = self._appearance.theme, self._area.rect
        row = self.list.sizeHintForRow(0) if self.list.topLevelItemCount() else theme.pixels(22)
        self.list.setFixedHeight(min(_ROWS * row + 4, max((room.bottom() + 1) // 2, 3 * row)))
        width = min(theme.pixels(_WIDTH), room.width() - 24)
        self.setFixedWidth(width)
        self.adjustSize()
        self.move((room.width() - width) // 2, room.top() + theme.pixels(6))
        self._explain()

    # -- what is found ------------------------------------------------------------------------------------------

    def _filter(self, query: str) -> None:
        listed = sorted(self._entries, key=lambda command: bool(command.refusal))  # unavailable commands come last
        self.found = best_first(query, listed, _searched)  # but one that is searched for says why
        self.list.clear()
        theme = self._appearance.theme
        for command in self.found:
            item = QTreeWidgetItem(self.list, [command.text, command.where, command.key])
            for place in range(3):
                item.setToolTip(place, plain_text(command.tip))
                if place or command.refusal:
                    item.setForeground(place, theme.color("dim"))
            item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._step(0)
        self._explain()

    def _explain(self, *_: object) -> None:
        command = self.chosen
        words = "No matching command." if command is None else command.refusal or command.tip
        self.about.setAccessibleDescription(words)
        sentences = [words[: end.end()].rstrip() for end in _END.finditer(words)]
        fitting = (each for each in (words, *reversed(sentences)) if self._fits(each))
        self.about.setText(next(fitting, "") or longest_prefix(words, self._fits))

    def _fits(self, words: str) -> bool:
        """Whether the line below the list shows these words whole."""
        room = QRect(0, 0, self.about.width(), _UNLIMITED)
        needed = self.about.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), words)
        return needed.height() <= self.about.height()

    @property
    def chosen(self) -> PaletteEntry | None:
        """The command that Enter would run."""
        at = self._at()
        return self.found[at] if 0 <= at < len(self.found) else None

    def _at(self) -> int:
        """The selected row, −1 if there is none."""
        item = self.list.currentItem()
        return -1 if item is None else self.list.indexOfTopLevelItem(item)

    def _step(self, by: int) -> None:
        item = self.list.topLevelItem(min(max(self._at() + by, 0), len(self.found) - 1))
        if item is not None:
            self.list.setCurrentItem(item)

    # -- doing --------------------------------------------------------------------------------------------------

    def do(self) -> None:
        """Close, restore the focus, then run the chosen command; stay open if it is not available."""
        command = self.chosen
        if command is not None and not command.refusal:
            self._leave()
            command.do()

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        self.list.setCurrentItem(item)
        self.do()

    def _leave(self) -> None:
        before = self._before
        self._forget()
        self.close()
        if before is not None and before.isVisible():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        else:
            self._focus_board()

    def _forget(self) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.disconnect(self._on_focus_changed)
        self._area.resized.disconnect(self._put)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        """Close on a click outside, but not when another window comes to the front."""
        if new is not None and not self.isAncestorOf(new) and self.isVisible():
            self._forget()
            self.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list with the keys of the line."""
        if watched is self.line and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Tab):
                event.accept()
                return True
        elif watched is self.line and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -_ROWS, Qt.Key.Key_PageDown: _ROWS}
        key = Qt.Key(event.key())
        if key in steps:
            self._step(steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.do()
        elif key == Qt.Key.Key_Escape:
            self._leave()
        elif key not in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return False
        return True


def _searched(command: PaletteEntry) -> str:
    """What a query is compared with: also the text as it can be typed on any keyboard, "Set zeta" for "Set ζ"."""
    text = f"{command.text} {command.where} {command.words}"
    return text if text.isascii() else f"{text} {plain(command.text)}"
