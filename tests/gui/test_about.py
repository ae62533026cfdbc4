"""About: the versions are those that run, the citation is that of the README, and the checks come as they are made."""

import json
import platform
import sys
from pathlib import Path

import numpy
import pyqtgraph
import PySide6
import pytest
import scipy
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from gems_engine.self_test import Finding
from gems_gui import self_test
from gems_gui.help import about
from gems_gui.help.about import About, citation, versions

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def dialog(qtbot):
    parent = QWidget()
    made = About(parent)
    made.show()
    yield made
    parent.deleteLater()


def test_the_versions_are_those_that_run_here(dialog):
    found = versions()
    for name, module in {"numpy": numpy, "scipy": scipy, "PySide6": PySide6, "pyqtgraph": pyqtgraph}.items():
        assert found[name] == module.__version__
    assert found["Python"].startswith(platform.python_version())
    shown = [label.text() for label in dialog.findChildren(QLabel)]
    assert set(found) | set(found.values()) <= set(shown)
    dialog.copy_versions.click()
    assert QGuiApplication.clipboard().text().splitlines() == [f"{name} {each}" for name, each in found.items()]


def test_the_citation_is_that_of_the_readme(dialog):
    dialog.copy_citation.click()
    assert QGuiApplication.clipboard().text().strip() == citation()
    assert f"```bibtex\n{citation()}\n```" in README


def test_checks_run_beside_it_and_say_what_they_find(dialog, qtbot, monkeypatch, capsys):
    findings = [Finding("designs", "exact", good=True), Finding("letters", "no ρ⋆", good=False)]
    monkeypatch.setattr(self_test, "ENGINE", [])
    monkeypatch.setattr(self_test, "CHECKS", [(each.about, lambda each=each: each) for each in findings])
    self_test.say_findings()
    lines = capsys.readouterr().out
    assert [Finding(**json.loads(line)) for line in lines.splitlines()] == findings
    for code, last in (("", "Not working: letters."), ("; exit(1)", "ended before it was complete. Run it again.")):
        monkeypatch.setattr(about, "DOCTOR", f"print({lines!r}, end=''){code}")
        with qtbot.waitSignal(dialog.process.finished, timeout=20_000):
            dialog.check.click()
        said = dialog.findings.toPlainText().splitlines()
        assert said[:2] == ["✓ designs: exact", "✗ letters: no ρ⋆"]
        assert said[-1].endswith(last)
        assert dialog.check.isEnabled()


def test_what_it_asks_a_process_for_is_there_and_ends_with_it(dialog, qtbot):
    dialog.check.click()
    qtbot.waitUntil(lambda: dialog.findings.toPlainText() != "", timeout=20_000)
    assert dialog.findings.toPlainText().startswith("· machine: Python " + platform.python_version())
    process = dialog.process
    assert process.program() == sys.executable
    dialog.close()
    assert process.state() == process.ProcessState.NotRunning
