"""About the program: what it is made of, the paper and how to cite it, the licence, and whether everything works."""

from __future__ import annotations

import json
import platform
import sys

from PySide6.QtCore import QProcess, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QLabel, QPlainTextEdit, QPushButton, QTabWidget, QWidget

from gems_engine.self_test import Finding, installed
from gems_gui.assets import asset
from gems_gui.self_test import MARKS, verdict
from gems_gui.widgets.boxes import vbox
from gems_gui.widgets.dialogs import Dialog, push_button, sentence_label
from gems_gui.widgets.explained import explain

ABOUT = "A laboratory for model selection in pure exploration linear bandits: GEMS-c, GEMS-b, GEMS-m and RAGE."
PAPER = (
    "The algorithms are those of «Near Instance Optimal Model Selection for Pure Exploration Linear Bandits» by "
    "Yinglun Zhu, Julian Katz-Samuels and Robert Nowak, AISTATS 2022. Whoever uses them cites it:"
)
LICENCE = "GEMS Lab is free software under the MIT licence. Copyright © 2026 The GEMS Lab authors."
PACKAGES = {"numpy": "numpy", "scipy": "scipy", "PySide6": "PySide6-Essentials", "pyqtgraph": "pyqtgraph"}
"""What the program stands on besides Python and Qt: from the name that people know to the package."""
CHECKING = (
    "Tests designs, runs, files, worker processes, letters and pictures on this machine, as gems doctor does, in a "
    "process of its own: a run in the window goes on."
)
DOCTOR = "from gems_gui.self_test import say_findings; say_findings()"
"""What that process does."""

_CHARACTERS, _LINES = 92, 25  # that the dialog has room for


def versions() -> dict[str, str]:
    """What the program is made of, by name, as it runs here."""
    found = {
        "GEMS Lab": installed("gems-lab") or "a checkout that is not installed",
        "Python": f"{platform.python_version()}, {platform.system()} on {platform.machine()}",
        "Qt": qVersion(),
    }
    return found | {name: installed(package) or "not installed" for name, package in PACKAGES.items()}


def citation() -> str:
    """The paper as BibTeX has it."""
    return asset("paper.bib").read_text(encoding="utf-8").strip()


class About(Dialog):
    """Three pages beside the window. The checks run in a process of their own, so that nothing waits for them."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, "About GEMS Lab")
        self.copy_versions = push_button(
            "Copy versions", "Copy these lines, for a report of a bug", self._copy_versions
        )
        self.bibtex = _text("The paper as BibTeX", citation())
        self.copy_citation = push_button("Copy BibTeX", "Copy the entry, for a bibliography", self._copy_citation)
        self.check = push_button("Check", "Test designs, runs, files, processes, letters and pictures", self._check)
        self.findings = _text("What the checks found")
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.tabBar().setDrawBase(False)
        self.pages.tabBar().setAccessibleName("Pages about the program")
        explain(self.pages.tabBar(), "Versions, how to cite the paper, or whether everything works here.")
        title = QLabel("GEMS Lab")
        title.setProperty("role", "headline")
        self.pages.addTab(
            _page(title, _sentence(ABOUT), _facts(versions()), _sentence(LICENCE), None, self.copy_versions), "Versions"
        )
        self.pages.addTab(_page(_sentence(PAPER), self.bibtex, self.copy_citation), "Cite the paper")
        self.pages.addTab(_page(_sentence(CHECKING), self.findings, self.check), "Does everything work?")
        self.column.addWidget(self.pages)
        self.process = QProcess(self)
        self.process.readyReadStandardOutput.connect(self._read_output)
        self.process.finished.connect(self._on_finished)
        self._found: list[Finding] = []
        self.ensurePolished()
        high = max(self.fontMetrics().lineSpacing() * _LINES, self.sizeHint().height())  # else descenders are cut
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
        """Show what was found, as it comes."""
        while self.process.canReadLine():
            finding = Finding(**json.loads(bytes(self.process.readLine().data())))
            self._found.append(finding)
            self.findings.appendPlainText(f"{MARKS[finding.good]} {finding.about}: {finding.result}")

    def _on_finished(self, code: int) -> None:
        self.check.setEnabled(True)
        self.check.setText("Check again")
        ended = "The process that checks has ended before it was done."
        self.findings.appendPlainText("\n" + (ended if code else verdict(self._found)))

    def done(self, result: int) -> None:
        """End what is still being checked."""
        if self.process.state() != QProcess.ProcessState.NotRunning:
            self.process.finished.disconnect(self._on_finished)
            self.process.kill()
            self.process.waitForFinished(1000)
        super().done(result)


def _page(*parts: QWidget | None) -> QWidget:
    """Parts one below the other; None is the room that is left, unless a text takes it."""
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
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(3)
    grid.setColumnStretch(1, 1)
    for line, (name, found) in enumerate(facts.items()):
        for column, words in enumerate((name, found)):
            label = QLabel(words)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("role", "choice" if column else "lead")
            grid.addWidget(label, line, column)
    return box


def _text(name: str, words: str = "") -> QPlainTextEdit:
    """Lines to read and to copy."""
    text = QPlainTextEdit(words)
    text.setReadOnly(True)
    text.setTabChangesFocus(True)
    text.setAccessibleName(name)
    explain(text, f"{name}.")
    return text
