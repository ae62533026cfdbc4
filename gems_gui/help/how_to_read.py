"""The start page of the help: the program, its views and their colours."""

from __future__ import annotations

from gems_gui.help.pages import GROUPS, pages, view_key
from gems_gui.markup import as_html, inline
from gems_gui.theme import Theme
from gems_gui.views import EVERY_VIEW

TITLE = "How to read this window"
_ROLES = (
    ("surviving", "surviving"),
    ("now", "eliminated this round"),
    ("before", "eliminated before"),
    ("chosen", "recommended or chosen"),
    ("best", "the true best"),
    ("budget", "the budget B"),
)
_HIDDEN = "The truth is hidden: no view shows d⋆, the best arm or what follows from them. Press T to show it."


_INTRODUCTION = f"""# {TITLE}
Arms have features in R^D, and the mean reward is linear in only the first d⋆ of them. d⋆ is unknown. In each round k,
GEMS selects the largest dimension d_k whose optimal design fits the selection budget B, samples by that design, fits
least squares in R^{{d_k}}, and eliminates arms that are worse by at least the width ω. A strategy calls this
subroutine repeatedly: loop ℓ, call i, with more rounds n and another B.

The form on the left edits a *draft*. **Run** starts a run with it and plays from the first event. Views always show
the run, never the draft. The cursor below moves through the events of the run: play, step by event, round, call or
loop, or drag. A step at the last computed event makes the engine compute exactly one more.

The page *Experiments* (Ctrl+Shift+X) runs many trials in the background and shows how often an algorithm is
right, and after how many samples. Each trial can be opened as a run.

F1 opens help on the view or field that has the focus or is under the mouse. Click an arm in any view to select it in
all views. The wheel zooms, and a double click shows everything again. Press ? for all shortcuts.
"""


def page(theme: Theme, truth: bool = True) -> str:
    """The page in rich text; the colour of the truth is omitted while the truth is hidden."""
    views = "".join(
        f'<p><a href="help:{view_key(view.name)}"><b>{inline(view.title)}</b></a><br>{inline(view.about)}</p>'
        for view in EVERY_VIEW.values()
    )
    roles = " &nbsp; ".join(
        f'<span style="color:{getattr(theme, role)}">■</span> {words}'
        for role, words in _ROLES
        if truth or role != "best"
    )
    hidden = "" if truth else as_html(_HIDDEN)
    links = "".join(map(_links, GROUPS[1:]))
    return f"{as_html(_INTRODUCTION)}{as_html('## Colours')}<p>{roles}</p>{hidden}{as_html('## Views')}{views}{links}"


def _links(group: str) -> str:
    """The pages of a group in one paragraph."""
    links = [f'<a href="help:{each.key}">{inline(each.label)}</a>' for each in pages().values() if each.group == group]
    return as_html(f"## {group}") + f"<p>{' · '.join(links)}</p>"
