"""The strip above the plots: one line about the event at the cursor, or the verdict on a run, and buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from gems_gui.appearance import Appearance
from gems_gui.series.wordings import Phrasings
from gems_gui.theme import BASE_SIZE, Theme
from gems_gui.widgets.boxes import fill, hbox
from gems_gui.widgets.explained import explain
from gems_gui.widgets.symbol_label import SymbolLabel

_HEIGHT = 38  # pixels before font scaling: a message of one line covers it exactly
_LEAST = 340  # pixels of text and margins: buttons for which there is less are not shown
_SPACING = 6


class StripButton(QPushButton):
    """A button of the strip, with its tooltip."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the run
        explain(self, tip)


class Aside(QWidget):
    """A widget at the end of the strip, which is visible at times."""

    def fit(self, room: int) -> None:
        """Use a shorter form if this width is too small for the usual one."""


class Strip(QFrame):
    """A line of fixed height: its text shortens to fit, so that nothing below it ever moves.

    Parameters
    ----------
    aside
        The widget at its end.

    Signals
    -------
    why_requested
        The user asks for the explanation of the event.
    """

    why_requested = Signal()

    def __init__(self, appearance: Appearance, aside: Aside) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName("Narrator")
        self.text = SymbolLabel("Narrator", appearance, least=120, most=4_000, size=BASE_SIZE, color="text")
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.why = StripButton("Why", "Show the view that explains the event at the cursor.")
        self.why.clicked.connect(self.why_requested)
        self._aside = aside
        self._verdict: list[QPushButton] = []
        self._override: QPushButton | None = None
        self._offered = (False, False)  # the buttons of the verdict, and the one that continues a run
        self._row = hbox(self, _SPACING, margins=(12, 0, 6, 0))
        fill(self._row, (self.text, 1), self.why, aside)
        appearance.follow(self._apply_theme)

    def add_buttons(self, buttons: Sequence[QPushButton]) -> None:
        """Add the buttons of the verdict, the most important first."""
        for button in buttons:
            self._row.insertWidget(self._row.count() - 1, button)
            button.hide()
        self._verdict += buttons

    def add_override(self, button: QPushButton) -> None:
        """Add the button that continues a run that was stopped."""
        self._row.insertWidget(self._row.count() - 1, button)
        button.hide()
        self._override = button

    def show_text(
        self,
        words: str | Phrasings,
        headline: str = "",
        *,
        explained: bool,
        verdict: bool = False,
        stopped: bool = False,
    ) -> None:
        """Show a line.

        Parameters
        ----------
        words
            The text, with shorter phrasings.
        headline
            A bold text before it.
        explained
            Whether there is an event to explain.
        verdict
            Whether it is a verdict, with its buttons.
        stopped
            Whether it says why a run was stopped, with the button that continues it.
        """
        self.text.set_text(words, headline)
        self.why.setEnabled(explained)
        if (verdict, stopped) != self._offered:
            self._offered = verdict, stopped
            self.arrange()

    def arrange(self) -> None:
        """Show the buttons for which there is room."""
        room = self.width() - self._least()
        if self._aside.isVisibleTo(self):
            self._aside.fit(room)
            room -= self._aside.sizeHint().width() + _SPACING
        verdict, stopped = self._offered
        parts = [(self.why, True), *((button, verdict) for button in self._verdict)]
        if self._override is not None:
            parts.insert(0, (self._override, stopped))
        for button, offered in parts:
            room -= (button.sizeHint().width() + _SPACING) * offered
            button.setVisible(offered and room >= 0)

    def minimumSizeHint(self) -> QSize:
        """No width of its own: it shows what fits above the board, and never widens the window."""
        return QSize(0, super().minimumSizeHint().height())

    def _least(self) -> int:
        return round(_LEAST * self.height() / _HEIGHT)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def _apply_theme(self, theme: Theme) -> None:
        self.setFixedHeight(theme.pixels(_HEIGHT))
        self.arrange()
