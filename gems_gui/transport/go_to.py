"""The dialog "Go to": ℓ, i and k in three fields, only k for a single call."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QWidget

from gems_engine.errors import InputError
from gems_engine.terminal import THIN
from gems_engine.wording import place_names
from gems_gui.glossary import legend
from gems_gui.theme import restyle
from gems_gui.widgets.boxes import STRETCH, fill, hbox
from gems_gui.widgets.dialogs import SpeakingDialog, sentence_label
from gems_gui.widgets.explained import described
from gems_gui.workbench.playback import Playback

_WHAT = ("loop", "call", "round")
_SYMBOLS = ("ℓ", "i", "k")


class GoTo(SpeakingDialog):
    """A field for each counter, of which the later ones may stay empty; shows an error if there is no such position.

    Parameters
    ----------
    go
        Goes to a position ℓ, i, k, of which the later ones may be None; raises InputError if there is none.
    """

    def __init__(
        self, parent: QWidget, playback: Playback, go: Callable[[int, int | None, int | None], object]
    ) -> None:
        super().__init__(parent, "Go to")
        self._go = go
        state, started = playback.state, playback.trace.started
        self.names = place_names(started.algorithm if started is not None else "")
        place = (state.place.ell, state.place.i, state.place.k)
        intro = sentence_label("dim")
        what = "Go to the start of a loop, a call or a round. Empty fields mean the first one."
        intro.setText(what if all(self.names) else "Go to the start of a round.")
        self.column.addWidget(intro)
        row = hbox(spacing=8)
        self.fields: list[QLineEdit] = []
        for name, symbol, what, value in zip(self.names, _SYMBOLS, _WHAT, place, strict=True):
            if not name:
                continue
            field = described(QLineEdit(str(value) if value else ""), name=f"{name}, the {what}")
            meaning = legend(name) if name == symbol else ""  # a fixed-budget run has other letters
            field.setToolTip("\n".join(filter(None, (f"Enter the number of the {what}, from 1.", meaning))))
            label = QLabel(name)
            label.setBuddy(field)
            fill(row, label, (field, 1))
            field.textEdited.connect(self._on_text_edited)
            self.fields.append(field)
        self.button = described(QPushButton("Go"), role="primary")
        self.button.setDefault(True)
        self.button.clicked.connect(self.go)
        fill(row, self.cancel_button("Go nowhere"), self.button)
        fill(self.column, row, self.sentence, STRETCH)
        self.fields[0].selectAll()
        self.fields[0].setFocus()

    def go(self) -> None:
        """Go there and close, or say why not."""
        try:
            self._spread()
            first, *rest = (self._number(at) for at in range(len(self.fields)))
            if first is None:
                self._mark(0)
                raise InputError(f"Enter at least {self._called(0)}, a whole number of at least 1.")
            if all(self.names):
                self._go(first, *rest)
            else:
                self._go(1, 1, first)
        except InputError as error:
            self.show_message(str(error))
            return
        self.close()

    def _spread(self) -> None:
        """Distribute "5, 1, 2", typed into the first field, over all fields."""
        parts = self.fields[0].text().strip(" ()").split(",")
        if 1 < len(parts) <= len(self.fields):
            for field, text in zip(self.fields, (*parts, "", ""), strict=False):
                field.setText(text.strip())

    def _number(self, at: int) -> int | None:
        text = "".join(self.fields[at].text().replace(THIN, " ").split())
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) >= 1):
            self._mark(at)
            raise InputError(f"{self._called(at)} must be a whole number of at least 1.")
        return int(text)

    def _called(self, at: int) -> str:
        return [name for name in self.names if name][at]

    def _mark(self, at: int) -> None:
        self.fields[at].setProperty("invalid", True)
        restyle(self.fields[at])
        self.fields[at].setFocus()
        self.fields[at].selectAll()

    def _on_text_edited(self) -> None:
        self.show_message("")
        for field in self.fields:
            if field.property("invalid"):
                field.setProperty("invalid", False)
                restyle(field)
