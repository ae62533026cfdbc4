"""The theory of a shown run, for the views that need it."""

from __future__ import annotations

from gems_engine.complexity.run_theory import RunTheory
from gems_engine.complexity.theory_query import KNOWN
from gems_gui.series.theory import question_of
from gems_gui.snapshot import Snapshot
from gems_gui.views.view import View


def known_theory(view: View, snapshot: Snapshot) -> RunTheory | None:
    """The theory, if it is known; else it is requested. A picture waits for it."""
    question = question_of(snapshot)
    if view.exporting:
        return KNOWN.find(question)
    theory = KNOWN.get(question)
    if theory is None and question is not None:
        view.theory_asked.emit(question)
    return theory
