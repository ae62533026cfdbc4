"""A bar with one sentence and what can be done about it: says, and never blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy

from gems_gui.theme import restyle
from gems_gui.widgets.explained import explain

_LETTERS = 30  # of the sentence on a line beside the buttons, at least
_BETWEEN = 12  # pixels
_MOST_LINES = 6  # the log has all of them
_LONG_WORD = re.compile(r"([^\s/]{40})[^\s/]{20,}([^\s/]{20})")  # no line breaks in it: it would widen the window
_PASSES = 6_000  # milliseconds of a sentence that only confirms what was asked for
_TIPS = {"Dismiss": "Close this bar."}


class Notice(QFrame):
    """One sentence over the board, with buttons.

    Parameters
    ----------
    choices
        From the words of a button to what it does; «Dismiss» closes the bar.
    tips
        What a button does, in a sentence, where its words do not say it.
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
        self._said: list[str] = []
        self._failed = ""
        self._refused: list[str] = []
        self._lasting: list[str] = []
        self._passes = QTimer(self)
        self._passes.setSingleShot(True)
        self._passes.setInterval(_PASSES)
        self._passes.timeout.connect(self._pass)
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
            button.clicked.connect(action)
            explain(button, {**_TIPS, **(tips or {})}.get(words, f"{words}."))
            row.addWidget(button)
            self.buttons[words] = button
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the sentence would become a column of words beside the buttons, these stand below it."""
        super().resizeEvent(event)
        beside = sum(button.sizeHint().width() + _BETWEEN for button in self.buttons.values())
        narrow = self.width() - beside < _LETTERS * self.fontMetrics().averageCharWidth()
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if way != self._row.direction():
            self._row.setDirection(way)

    def say(self, sentence: str, error: bool = False, passing: bool = False) -> None:
        """Show the bar with this sentence instead of what was said before; an empty one takes only that away.

        Parameters
        ----------
        error
            Whether it says what could not be done, and is not to be overlooked: it stays, above what is said later,
            until another one takes its place, or it is answered or dismissed.
        passing
            Whether it goes by itself after some seconds.
        """
        self._said = [sentence] if sentence and not error else []
        if error:
            self._failed = sentence
        self._passes.stop()
        if passing:
            self._passes.start()
        self._show()

    def _show(self) -> None:
        errors = [*self._refused, *filter(None, [self._failed])]
        lasting, said, error = self._lasting[:_MOST_LINES], [*errors, *self._said], bool(errors)
        lines = [*lasting, *said[max(len(said) + len(lasting) - _MOST_LINES, 0) :]]  # what is said last is seen
        if more := len(self._lasting) + len(said) - len(lines):
            lines.append(f"… and {more} more: the log has all of them (View/Log).")
        sentence = "\n".join(lines)
        if error != bool(self.property("error")):
            self.setProperty("error", error)
            restyle(self)
        self.sentence.setText(_LONG_WORD.sub(r"\1…\2", sentence))
        self.setAccessibleDescription(sentence)
        self.setVisible(bool(sentence))

    @property
    def said(self) -> str:
        """What it says, apart from what lasts and what could not be done."""
        return "\n".join(self._said)

    def add(self, sentence: str, error: bool = False) -> None:
        """Say this too, on a line of its own: of several files each may have something to say.

        Parameters
        ----------
        error
            Whether it says what could not be done: it stays until it is taken back or dismissed.
        """
        (self._refused if error else self._said).append(sentence)
        self._passes.stop()
        self._show()

    def add_lasting(self, sentence: str) -> None:
        """Say this too, above whatever else is said, until it is taken back or somebody has dismissed it.

        What is said in passing, and whatever makes room for it, must not push away what the user has to know.
        """
        self._lasting.append(sentence)
        self._show()

    def take_back(self, sentence: str) -> None:
        """A sentence that would stay holds no more."""
        for each in (self._lasting, self._refused):
            if sentence in each:
                each.remove(sentence)
                self._show()

    def answer(self) -> None:
        """What was said, and the last thing that failed, are answered by what begins now; what else stays, stays."""
        self._failed = ""
        self.say("")

    def dismiss(self) -> None:
        """Say nothing, not even what lasts."""
        self._lasting.clear()
        self._refused.clear()
        self.answer()

    def _pass(self) -> None:
        self.say("")
