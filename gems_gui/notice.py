"""A bar with one sentence and what can be done about it: says, and never blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from gems_gui.explained import explain

_MOST_LINES = 6  # the log has all of them
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
        parent: QWidget | None = None,
        tips: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.setAccessibleName(name)
        self._said: list[str] = []
        self.sentence = QLabel()
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setWordWrap(True)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.addWidget(self.sentence, 1)
        self.buttons: dict[str, QPushButton] = {}
        for words, action in choices.items():
            button = QPushButton(words)
            button.clicked.connect(action)
            explain(button, {**_TIPS, **(tips or {})}.get(words, f"{words}."))
            row.addWidget(button)
            self.buttons[words] = button
        self.hide()

    def say(self, sentence: str) -> None:
        """Show the bar with this sentence; an empty one hides it."""
        self._said = [sentence] if sentence else []
        self.sentence.setText(sentence)
        self.setAccessibleDescription(sentence)
        self.setVisible(bool(sentence))

    def add(self, sentence: str) -> None:
        """Say this too, on a line of its own: of several files each may have something to say."""
        said = [*self._said, sentence]
        more = len(said) - _MOST_LINES
        lines = [*said[:_MOST_LINES], f"… and {more} more: the log has all of them (View/Log)."] if more > 0 else said
        self.say("\n".join(lines))
        self._said = said
