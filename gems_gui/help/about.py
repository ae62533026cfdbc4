"""The dialog "About": versions, the paper and how to cite it, the licence, and a self-test."""

from __future__ import annotations

import json
import platform
import sys

from PySide6.QtCore import QProcess, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QTabWidget, QWidget

from gems_engine.self_test import Finding, installed
from gems_gui.assets import asset
from gems_gui.self_test import MARKS, verdict
from gems_gui.widgets.boxes import grid, vbox
from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label
from gems_gui.widgets.explained import described, explain

ABOUT = "A laboratory for model selection in pure exploration linear bandits: GEMS-c, GEMS-b, GEMS-m and RAGE."
PAPER = (
    'The algorithms are those of "Near Instance Optimal Model Selection for Pure Exploration Linear Bandits" by '
    "Yinglun Zhu, Julian Katz-Samuels and Robert Nowak, AISTATS 2022. If you use them, please cite the paper:"
)
LICENCE = "GEMS Lab is free software under the MIT licence. Copyright © 2026 The GEMS Lab authors."
PACKAGES = {"numpy": "numpy", "scipy": "scipy", "PySide6": "PySide6-Essentials", "pyqtgraph": "pyqtgraph"}
"""The main dependencies other than Python and Qt, by common name, with their packages."""
CHECKING = (
    "Test designs, runs, files, worker processes, fonts and pictures on this machine, as gems doctor does. The "
    "tests run in a separate process; runs in the window continue."
)
DOCTOR = "from gems_gui.self_test import say_findings; say_findings()"
"""The code of that process."""

_CHARACTERS, _LINES = 92, 25  # that fit in the dialog


def versions() -> dict[str, str]:
    """Versions of the program and its dependencies, by name."""
    found = {
        "GEMS Lab": installed("gems-lab") or "not installed (checkout)",
        "Python": f"{platform.python_version()}, {platform.system()} on {platform.machine()}",
        "Qt": qVersion(),
    }
    return found | {name: installed(package) or "not installed" for name, package in PACKAGES.items()}


def citation() -> str:
    """The BibTeX entry of the paper."""
    return asset("paper.bib").read_text(encoding="utf-8").strip()


class About(Dialog):
    """A dialog with three pages. The checks run in a separate process and do not block the window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "About GEMS Lab")
        self.copy_versions = push_button("Copy versions", "Copy the versions for a bug report", self._copy_versions)
        self.bibtex = _text("The paper as BibTeX", citation())
        self.copy_citation = push_button("Copy BibTeX", "Copy the entry for a bibliography", self._copy_citation)
        self.check = push_button("Check", "Test designs, runs, files, processes, fonts and pictures", self._check)
        self.findings = _text("Results of the checks")
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.tabBar().setDrawBase(False)
        self.pages.tabBar().setAccessibleName("Pages about the program")
        explain(self.pages.tabBar(), "Show versions, how to cite the paper, or the self-test.")
        title = described(QLabel("GEMS Lab"), role="headline")
        self.pages.addTab(
            _page(title, _sentence(ABOUT), _facts(versions()), _sentence(LICENCE), None, self.copy_versions), "Versions"
        )
        self.pages.addTab(_page(_sentence(PAPER), self.bibtex, self.copy_citation), "Cite the paper")
        self.pages.addTab(_page(_sentence(CHECKING), self.findings, self.check), "Self-test")
        self.column.addWidget(self.pages)
        self.process = QProcess(self)
        self.process.readyReadStandardOutput.connect(self._read_output)
        self.process.finished.connect(self._on_finished)
        self._found: list[Finding] = []
        self.ensurePolished()
        high = max(self.fontMetrics().lineSpacing() * _LINES, self.sizeHint().height())  # otherwise descenders are cut
        self.resize(self.fontMetrics().averageCharWidth() * _CHARACTERS, high)

    def _copy_versions(self) -> None:
        QGuiApplication.clipboard().setText("".join(f"{name} {found}\n" for name, found in versions().items()))
        self.copy_versions.setText("Copied")

    def _copy_citation(self) -> None:
        QGuiApplication.clipboard().setText(f"{self.bibtex.toPlainText()}\n")
        self.copy_citation.setText("Copied")

    # -- checks -------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        self._found = []
        self.findings.clear()
        self.check.setEnabled(False)
        self.check.setText("Checking …")
        self.process.start(sys.executable, ["-c", DOCTOR])

    def _read_output(self) -> None:
        """Show results as they arrive."""
        while self.process.canReadLine():
            finding = Finding(**json.loads(bytes(self.process.readLine().data())))
            self._found.append(finding)
            self.findings.appendPlainText(f"{MARKS[finding.good]} {finding.about}: {finding.result}")

    def _on_finished(self, code: int) -> None:
        self.check.setEnabled(True)
        self.check.setText("Check again")
        ended = "The self-test ended before it was complete. Run it again."
        self.findings.appendPlainText("\n" + (ended if code else verdict(self._found)))

    def done(self, result: int) -> None:
        """Stop the checks."""
        if self.process.state() != QProcess.ProcessState.NotRunning:
            self.process.finished.disconnect(self._on_finished)
            self.process.kill()
            self.process.waitForFinished(1000)
        super().done(result)


def _page(*parts: QWidget | None) -> QWidget:
    """A column of widgets; None adds a stretch, unless a text already takes the room."""
    page = QWidget()
    column = vbox(page, 10, margins=(0, 12, 0, 0))
    for part in parts:
        if part is None:
            column.addStretch(1)
        elif isinstance(part, QPushButton):
            column.addWidget(part, 0, Qt.AlignmentFlag.AlignLeft)
        else:
            column.addWidget(part, int(isinstance(part, QPlainTextEdit)))
    return page


def _sentence(words: str) -> QLabel:
    label = sentence_label()
    label.setText(words)
    return label


def _facts(facts: dict[str, str]) -> QWidget:
    box = QWidget()
    rows = grid(box, (16, 3), (0, 0, 0, 0), stretched=1)
    for line, (name, found) in enumerate(facts.items()):
        for column, words in enumerate((name, found)):
            label = QLabel(words)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", "choice" if column else "lead")
            rows.addWidget(label, line, column)
    return box


def _text(name: str, words: str = "") -> QPlainTextEdit:
    """A read-only text that can be copied."""
    text = QPlainTextEdit(words)
    text.setReadOnly(True)
    text.setTabChangesFocus(True)
    text.setAccessibleName(name)
    explain(text, f"{name}.")
    return text
