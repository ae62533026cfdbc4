"""What a control says of itself: in its tool tip, in the line of status tips, and when asked «What is this?»."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget


def explain(widget: QWidget, sentence: str) -> None:
    """Say it everywhere; a tool tip that says more, or says how things are now, stays."""
    widget.setStatusTip(sentence.partition("\n")[0])
    widget.setWhatsThis(sentence)
    if not widget.toolTip():
        widget.setToolTip(sentence)


def complete(root: QWidget) -> None:
    """Let every control inside that has only a tool tip say the same in the other two places."""
    for widget in root.findChildren(QWidget):
        tip = widget.toolTip()
        control = isinstance(widget, QAbstractButton) or bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
        if not control or not tip:
            continue
        if not widget.statusTip():
            widget.setStatusTip(tip.partition("\n")[0])
        if not widget.whatsThis():
            widget.setWhatsThis(tip)
