"""A bar with one sentence and buttons; it never blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy

from gems_gui.theme import restyle
from gems_gui.widgets.explained import explain
from gems_gui.widgets.focus import release_focus

_LETTERS = 30  # least characters of the sentence per line next to the buttons
_BETWEEN = 12  # pixels
_LONG_WORD = re.compile(r"([^\s/]{40})[^\s/]{20,}([^\s/]{20})")  # it cannot be wrapped and would widen the window
_TIPS = {"Dismiss": "Close this bar."}


class Notice(QFrame):
    """One sentence over the board, with buttons.

    Parameters
    ----------
    choices
        From the text of a button to its function; "Dismiss" closes the bar.
    tips
        Tooltips of buttons whose text is not clear enough.
    """

    def __init__(
        self,
        name: str,
        choices: dict[str, Callable[[], None]],
        tips: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self.setAccessibleName(name)
        self.sentence = QLabel()
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(12, 5, 8, 5)
        self._row.addWidget(self.sentence, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        self._row.addLayout(row)
        self.buttons: dict[str, QPushButton] = {}
        for words, action in choices.items():
            button = QPushButton(words)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the run
            button.clicked.connect(action)
            explain(button, {**_TIPS, **(tips or {})}.get(words, f"{words}."))
            row.addWidget(button)
            self.buttons[words] = button
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the buttons below the sentence where it would be too narrow next to them."""
        super().resizeEvent(event)
        taken = sum(button.sizeHint().width() + _BETWEEN for button in self.buttons.values())
        narrow = self.width() - taken < _LETTERS * self.fontMetrics().averageCharWidth()
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if way != self._row.direction():
            self._row.setDirection(way)

    def hideEvent(self, event: QHideEvent) -> None:
        release_focus(self)
        super().hideEvent(event)

    def show_message(self, sentence: str, error: bool = False) -> None:
        """Show the bar with this sentence, optionally as an error; an empty sentence hides it."""
        if error != bool(self.property("error")):
            self.setProperty("error", error)
            restyle(self)
        self.sentence.setText(_LONG_WORD.sub(r"\1…\2", sentence))
        self.setAccessibleDescription(sentence)
        self.setVisible(bool(sentence))
