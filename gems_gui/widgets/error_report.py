"""An error report: a sentence for the user, and details to copy for the developers."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from gems_gui.icons import icon
from gems_gui.widgets.boxes import STRETCH, fill
from gems_gui.widgets.dialogs import Dialog, sentence_label
from gems_gui.widgets.explained import described


class ErrorReport(Dialog):
    """A dialog with the sentence, the details, and a button that copies both."""

    def __init__(self, parent: QWidget, sentence: str, report: str) -> None:
        super().__init__(parent, "Unexpected error")
        self.sentence = sentence_label()
        self.sentence.setText(sentence)
        self.details = QPlainTextEdit(report)
        self.details.setReadOnly(True)
        self.details.setAccessibleName("Details")
        self.details.setToolTip("Read the technical details for a bug report")
        self.details.setTabChangesFocus(True)
        self.copy = QPushButton("Copy")
        self.copy.setIcon(icon("copy"))
        self.copy.setToolTip("Copy the message and the details")
        self.copy.clicked.connect(self._copy)
        shut = described(QPushButton("Close"), tip="Close this report; the recorded events are kept")
        shut.clicked.connect(self.close)
        shut.setDefault(True)
        row = fill(QHBoxLayout(), self.copy, STRETCH, shut)
        fill(self.column, self.sentence, (self.details, 1), row)
        self.details.ensurePolished()
        metrics = self.details.fontMetrics()
        self.copy.setIconSize(QSize(metrics.height(), metrics.height()))
        self.resize(metrics.averageCharWidth() * 92, metrics.height() * 18)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.sentence.text()}\n\n{self.details.toPlainText()}\n")
        self.copy.setText("Copied")
