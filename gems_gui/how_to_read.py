"""What the program is, what its views show, and what the colours mean: the window behind F1."""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QTextBrowser, QWidget

from gems_gui.dialogs import Dialog
from gems_gui.theme import Theme
from gems_gui.views import VIEWS

_ROLES = (
    ("surviving", "surviving"),
    ("now", "eliminated this round"),
    ("before", "eliminated before"),
    ("chosen", "recommended or chosen"),
    ("best", "the true best"),
    ("budget", "the budget B"),
)
_HIDDEN = "The truth is hidden: no view says d⋆, the best arm or what follows from them. Shift+T shows it."


class HowToRead(Dialog):
    """A page that stays beside the window while a run goes on."""

    def __init__(self, parent: QWidget, theme: Theme, truth: bool = True) -> None:
        super().__init__(parent, "How to read this window")
        self.page = QTextBrowser()
        self.page.setAccessibleName("How to read this window")
        self.page.setHtml(page(theme, truth))
        self.column.addWidget(self.page)
        self.resize(theme.pixels(620), theme.pixels(640))


def page(theme: Theme, truth: bool = True) -> str:
    """The page in rich text; where the truth is hidden, so is the colour of it."""
    views = "".join(f"<p><b>{escape(view.title)}</b><br>{escape(view.about)}</p>" for view in VIEWS.values())
    roles = " &nbsp; ".join(
        f'<span style="color:{getattr(theme, role)}">■</span> {escape(words)}'
        for role, words in _ROLES
        if truth or role != "best"
    )
    hidden = "" if truth else f"<p>{_HIDDEN}</p>"
    return (
        "<h2>What you see</h2>"
        "<p>Arms have features in R<sup>D</sup>, and the mean reward is linear in the first d⋆ of them only. Nobody "
        "knows d⋆. Each round k, GEMS takes the richest dimension d<sub>k</sub> whose optimal design fits the "
        "selection budget B, samples by that design, estimates by least squares in R<sup>d<sub>k</sub></sup>, and "
        "eliminates arms that are worse by more than the width ω. A strategy calls such a subroutine again and again: "
        "loop ℓ, subroutine i, with more rounds n and another B.</p>"
        "<p>The form on the left edits a <i>draft</i>. <b>Run</b> starts the engine on it and plays from the first "
        "event. Views always show the run, never the draft. The cursor below moves through the events of the run: "
        "play, step by event, round, subroutine or loop, or drag. A step at the end of what is computed asks the "
        "engine for exactly one more.</p>"
        f"<h3>Colours</h3><p>{roles}</p>{hidden}"
        f"<h3>Views</h3>{views}"
        "<p>Click an arm in any view to mark it in all. The wheel zooms, a double click shows everything again. "
        "Press ? for the keys.</p>"
    )
