"""Checks whether a window can open and pictures can be painted; does not import Qt, which could abort the process.

Checks that need Qt are done by :mod:`gems_gui.painting.sample_picture` in a separate process, which prints JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict

from gems_engine.self_test import CHECKS as ENGINE
from gems_engine.self_test import Check, Finding, examined, installed
from gems_gui.start_checks import display_available, painting_obstacle, window_obstacle

MARKS = {True: "✓", False: "✗", None: "·"}
"""Marks of good and bad results; None is neutral."""
_PATIENCE = 60.0  # seconds for the process that paints one picture


def _qt() -> Finding:
    names = ("PySide6-Essentials", "pyqtgraph")
    found = {name: installed(name) for name in names}
    said = ", ".join(f"{name} {found[name] or '(not installed)'}" for name in names)
    return Finding("window", said, good=all(found.values()))


def _libraries() -> Finding:
    obstacle = painting_obstacle()
    return Finding("Qt's libraries", obstacle or "all found, with fonts", good=not obstacle)


def _display() -> Finding:
    obstacle = window_obstacle()
    if not obstacle and not display_available():
        return Finding("display", "Qt paints off screen (QT_QPA_PLATFORM), so windows are not visible")
    if not obstacle:
        shown = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or "the desktop's own"
        return Finding("display", f"{shown}: a window can open", good=True)
    return Finding("display", obstacle, good=False if display_available() else None)


def _painting() -> Finding:
    environment = dict(os.environ)
    if os.name == "posix":
        environment["QT_QPA_PLATFORM"] = "offscreen"
    command = [sys.executable, "-c", "from gems_gui.painting.sample_picture import painted_here; painted_here()"]
    answer = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=_PATIENCE
    )
    if answer.returncode:
        last = (answer.stderr.strip().splitlines() or ["no message"])[-1]
        return Finding("pictures", f"the process that paints ended with code {answer.returncode}: {last}", good=False)
    said = json.loads(answer.stdout.strip().splitlines()[-1])
    sentence = f"the board of a run in {said['milliseconds']:.0f} ms, {said['bytes']:,} bytes of PNG, in {said['font']}"
    if said["lacking"]:
        return Finding("pictures", f"{sentence}, which lacks {said['lacking']}: install fonts-dejavu-core", good=False)
    return Finding("pictures", sentence, good=said["colours"] > 2)


def _extras() -> Finding:
    kinds = (("films", "av", "video"), ("clusters", "distributed", "cluster"))
    told = [
        f"{what}: {package} {found}"
        if (found := installed(package))
        else f'{what}: no; pip install "gems-lab[{extra}]"'
        for what, package, extra in kinds
    ]
    return Finding("extras", "; ".join(told))


CHECKS: tuple[tuple[str, Check], ...] = (
    ("window", _qt),
    ("Qt's libraries", _libraries),
    ("display", _display),
    ("pictures", _painting),
    ("extras", _extras),
)
"""The checks after those of the engine, in this order."""


def verdict(findings: Iterable[Finding]) -> str:
    """The conclusion in one sentence."""
    broken = [each.about for each in findings if each.good is False]
    return f"Not working: {', '.join(broken)}." if broken else "Everything works."


def say_findings() -> None:
    """Run all checks in this process and print each finding as a line of JSON, for a window in another process."""
    for finding in examined((*ENGINE, *CHECKS)):
        print(json.dumps(asdict(finding)), flush=True)
