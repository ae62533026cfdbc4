"""The question when a window is closed during an export: wait for the file, cancel, or keep the window open."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label

_WIDTH = 380  # pixels at normal text size


class ExportClosing(Dialog):
    """The dialog with the name of the file."""

    wait_asked = Signal()
    """Close as soon as the file is written."""
    give_up_asked = Signal()
    """Cancel the export and close now."""

    def __init__(self, parent: QWidget, file: str, font_scale: float) -> None:
        super().__init__(parent, "Close while exporting?")
        self.sentence = sentence_label()
        name = PurePath(file).name
        self.sentence.setText(f"{name} is still being written. Closing now cancels the export, and no file is written.")
        self.sentence.setMinimumWidth(round(_WIDTH * font_scale))
        self.wait = push_button("Close when done", "Close the window as soon as the file is written", self._wait)
        self.give_up = push_button("Cancel the export", "Close now; no file is written", self._give_up)
        self.stay = push_button("Keep open", "Keep the window open and continue exporting (Esc)", self.close)
        self.stay.setDefault(True)
        row = fill(QHBoxLayout(), self.wait, self.give_up, STRETCH, self.stay)
        fill(self.column, self.sentence, row)

    def _wait(self) -> None:
        self.close()
        self.wait_asked.emit()

    def _give_up(self) -> None:
        self.close()
        self.give_up_asked.emit()
