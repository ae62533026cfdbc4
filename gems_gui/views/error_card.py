"""The card that covers a view which cannot be drawn: what happened, a report to copy, and another attempt."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from gems_gui.widgets.boxes import vbox


class ErrorCard(QFrame):
    """Covers a widget, so that nothing of an earlier moment remains visible.

    Signals
    -------
    retry_requested
        The user wants the view to be drawn again.
    """

    retry_requested = Signal()

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setProperty("role", "body")
        self.setAccessibleName("This view cannot be drawn")
        self._over = over
        self._report = ""
        self.sentence = QLabel()
        self.sentence.setProperty("role", "error")
        self.sentence.setTextFormat(Qt.TextFormat.PlainText)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setWordWrap(True)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the message and the details for a bug report")
        self.copy.clicked.connect(self._copy_report)
        self.retry = QPushButton("Try again")
        self.retry.setToolTip("Draw this view again")
        self.retry.clicked.connect(self.retry_requested)
        buttons = QHBoxLayout()
        buttons.addWidget(self.retry)
        buttons.addWidget(self.copy)
        buttons.addStretch(1)
        column = vbox(self, 8, margins=(12, 8, 12, 12))
        column.addWidget(self.sentence)
        column.addLayout(buttons)
        column.addStretch(1)
        over.installEventFilter(self)
        self.hide()

    def cover(self, sentence: str, report: str) -> None:
        """Show what happened in place of the view."""
        self._report = report
        self.sentence.setText(sentence)
        self.copy.setText("Copy")
        self._fit()
        self.show()
        self.raise_()

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.sentence.text()}\n\n{self._report}\n")
        self.copy.setText("Copied")

    def _fit(self) -> None:
        self.setGeometry(self._over.rect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisibleTo(self._over):
            self._fit()
        return False
