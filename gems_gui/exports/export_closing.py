"""What a window asks that is closed while it exports: wait for the file, give it up, or stay."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label

_WIDTH = 380  # pixels at the normal size of text


class ExportClosing(Dialog):
    """Names the file that is being written."""

    wait_asked = Signal()
    """Close as soon as it is written."""
    give_up_asked = Signal()
    """Close now, without it."""

    def __init__(self, parent: QWidget, file: str, font_scale: float) -> None:
        super().__init__(parent, "Close while exporting?")
        self.sentence = sentence_label()
        self.sentence.setText(f"{PurePath(file).name} is still being written: closing now would leave nothing of it.")
        self.sentence.setMinimumWidth(round(_WIDTH * font_scale))
        self.wait = push_button("Close when it is done", "Close the window as soon as the file is written", self._wait)
        self.give_up = push_button("Cancel the export", "Close now; nothing of the file stays", self._give_up)
        self.stay = push_button("Stay", "Keep the window open, and go on exporting (Esc)", self.close)
        self.stay.setDefault(True)
        row = QHBoxLayout()
        row.addWidget(self.wait)
        row.addWidget(self.give_up)
        row.addStretch(1)
        row.addWidget(self.stay)
        self.column.addWidget(self.sentence)
        self.column.addLayout(row)

    def _wait(self) -> None:
        self.close()
        self.wait_asked.emit()

    def _give_up(self) -> None:
        self.close()
        self.give_up_asked.emit()
