"""The design problem of a snapshot, and its study in the design debugger."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

import numpy as np

from gems_engine.events import Allocated, DesignSolved
from gems_engine.explanation.round import before_elimination
from gems_engine.explanation.scene import Scene
from gems_engine.rounding import MOST_PULLS
from gems_engine.wording import place_text
from gems_gui.design_study import DesignQuery, Method, Solved, Study, Subject, answer, entry_of, needs
from gems_gui.snapshot import Snapshot


def subject_at(snapshot: Snapshot) -> Subject | None:
    """The last design of the run before the cursor; None if there is none, or if it is for other directions."""
    at = int(np.searchsorted(snapshot.trace.positions(DesignSolved), snapshot.cursor, side="left")) - 1
    if at < 0:
        return None
    position = int(snapshot.trace.positions(DesignSolved)[at])
    design = snapshot.trace[position]
    assert isinstance(design, DesignSolved)
    # For a finished round, the state right after its design; for the current one, that of the snapshot.
    state = snapshot.state if snapshot.state.design == design else snapshot.trace.state_at(position + 1)
    if state.subroutine is None:  # the oracle's directions are scaled by the gaps, which are hidden
        return None
    allocation = _allocation_after(snapshot, position, design)
    scene = Scene(snapshot.history, snapshot.state)
    chosen = tuple(before_elimination(state).tolist())
    if len(chosen) < 2:
        return None
    place = place_text(design.place, snapshot.state.algorithm)
    return Subject(
        snapshot.instance,
        chosen,
        design.d,
        Method(design.solver, design.tolerance),
        place,
        int(allocation.counts.sum()) if allocation is not None else min(ceil(scene.r(design.d)), MOST_PULLS),
        scene.zeta,
        design,
        allocation is not None,
    )


def _allocation_after(snapshot: Snapshot, position: int, design: DesignSolved) -> Allocated | None:
    """The allocation after a design, if it is before the cursor."""
    places = snapshot.trace.positions(Allocated)
    after = places[int(np.searchsorted(places, position)) :][:1]
    if not len(after) or after[0] >= snapshot.cursor:
        return None
    found = snapshot.trace[int(after[0])]
    assert isinstance(found, Allocated)
    return found if found.place == design.place and found.d == design.d else None


def study_of(snapshot: Snapshot) -> Study | None:
    """The study of the design debugger for a snapshot or, in a picture, the design of the round at the cursor.

    Raises
    ------
    InputError
        If the problem cannot be solved.
    """
    if snapshot.study is not None:
        return snapshot.study
    subject = subject_at(snapshot)
    if subject is None:
        return None
    parts = {
        name: entry_of(method, _answered(subject.question(method)))
        for name, method in needs(subject.method, None).items()
    }
    return Study(subject, parts["solved"], reference=parts.get("reference"), pulls=subject.pulls)


@lru_cache(maxsize=32)
def _answered(question: DesignQuery) -> Solved:
    """The solution, cached: all views of a picture show the same design."""
    return answer(question)
