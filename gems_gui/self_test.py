"""Whether a window can open here and pictures can be painted; imports no Qt, which could abort the process.

What needs Qt is done by :mod:`gems_gui.painting.sample_picture` in a process of its own, which says it as JSON.
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
"""By whether something is good; None is neither."""
_PATIENCE = 60.0  # seconds for a process that paints one picture


def _qt() -> Finding:
    names = ("PySide6-Essentials", "pyqtgraph")
    found = {name: installed(name) for name in names}
    said = ", ".join(f"{name} {found[name] or '(not installed)'}" for name in names)
    return Finding("window", said, good=all(found.values()))


def _libraries() -> Finding:
    obstacle = painting_obstacle()
    return Finding("Qt's libraries", obstacle or "all there, and fonts too", good=not obstacle)


def _display() -> Finding:
    obstacle = window_obstacle()
    if not obstacle and not display_available():
        return Finding(
            "display", "Qt was told to paint into nothing (QT_QPA_PLATFORM): windows open, and nobody sees them"
        )
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
        last = (answer.stderr.strip().splitlines() or ["it said nothing"])[-1]
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
"""What is looked at besides the engine, in this order."""


def verdict(findings: Iterable[Finding]) -> str:
    """What follows from all of them, in a sentence."""
    broken = [each.about for each in findings if each.good is False]
    return f"What does not work: {', '.join(broken)}." if broken else "Everything works."


def say_findings() -> None:
    """Check everything in this process, each finding a line of JSON: for a window that goes on meanwhile."""
    for finding in examined((*ENGINE, *CHECKS)):
        print(json.dumps(asdict(finding)), flush=True)
