"""The buttons of the welcome page: a title with a description."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QLabel, QPushButton, QSizePolicy

from gems_gui.series.wordings import Phrasings
from gems_gui.views.card import ElidedLabel
from gems_gui.widgets.boxes import hbox, vbox
from gems_gui.widgets.explained import explain


class WelcomeChoice(QPushButton):
    """A button that contains labels; Enter presses it like a click.

    Parameters
    ----------
    title, about
        A title and a description, also for screen readers.
    tip
        The tooltip.
    do
        Called on a click.
    """

    def __init__(self, title: str, about: str, tip: str, do: Callable[[], object]) -> None:
        super().__init__()
        self.setAutoDefault(True)  # Enter
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(title)
        self.setAccessibleDescription(about)
        explain(self, tip)
        self._do = do
        self.clicked.connect(self._on_clicked)

    def _on_clicked(self) -> None:
        self._do()

    def _hold(self, inside: QBoxLayout, *labels: QLabel) -> None:
        for label in labels:
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            inside.addWidget(label)

    def sizeHint(self) -> QSize:
        """The size of the labels; a Qt button only considers its text."""
        layout = self.layout()
        return super().sizeHint() if layout is None else layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        layout = self.layout()
        return super().minimumSizeHint() if layout is None else layout.minimumSize()


class WelcomeLink(WelcomeChoice):
    """A button that looks like a link."""

    def __init__(self, words: str, tip: str, do: Callable[[], object]) -> None:
        super().__init__(words, tip, tip, do)
        self.setText(words)
        self.setProperty("role", "link")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)


class StoryCard(WelcomeChoice):
    """A card: the title, a sentence that may wrap, and a last line."""

    def __init__(self, title: str, about: str, length: str, tip: str, do: Callable[[], object]) -> None:
        super().__init__(title, f"{about} {length}", tip, do)
        self.setProperty("role", "choice")
        self.title = _label(QLabel(title), "choice")
        self.about = _label(QLabel(about), "")
        self.length = _label(QLabel(length), "dim")
        for label in (self.about, self.length):
            label.setWordWrap(True)
        column = vbox(self, 4, margins=(14, 10, 14, 10))
        self._hold(column, self.title, self.about)
        column.addStretch(1)
        self._hold(column, self.length)


class LineTitle(ElidedLabel):
    """A title as wide as its text, elided where there is less room: the name of a file may be long."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.setText(title)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 1, hint.height())


class WelcomeLine(WelcomeChoice):
    """A line: the title, followed by as much of the description as fits."""

    def __init__(self, title: str, about: str | Phrasings, tip: str, do: Callable[[], object]) -> None:
        super().__init__(title, about if isinstance(about, str) else about[0], tip, do)
        self.setProperty("role", "line")
        self.title = _label(LineTitle(title), "choice")
        self.about = _label(ElidedLabel(), "dim")
        row = hbox(self, 10, margins=(8, 4, 8, 4))
        self._hold(row, self.title, self.about)
        self.set_subtitle(about)

    def set_subtitle(self, about: str | Phrasings) -> None:
        """Change the description after the title."""
        self.about.setText(about)
        self.setAccessibleDescription(self.about.text())


Label = TypeVar("Label", bound=QLabel)


def _label(label: Label, role: str) -> Label:
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    return label
