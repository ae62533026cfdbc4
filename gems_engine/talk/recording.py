"""Moments of a story recorded from a run, with captions that describe their events; and a first story of a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gems_engine.bookmark import Bookmark
from gems_engine.events import (
    Allocated,
    BecameVerifiable,
    BudgetDivided,
    CandidateKept,
    DesignSolved,
    DimensionProbed,
    Eliminated,
    Estimated,
    Event,
    IdleRounds,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
    TopDimensionChosen,
    Validated,
)
from gems_engine.history import History
from gems_engine.talk.story import MOST_VIEWS, Story, StoryMoment, ViewOption
from gems_engine.trace import Trace

_MOST_CHANGES = 6  # moments of a first story between its start and its end
_START = "{arms} arms in R^{D}, and nothing is known yet."
_CAPTIONS: dict[type[Event], str] = {
    RunStarted: _START,
    SubroutineStarted: "A call starts with all {targets} arms and B = {B}.",
    BudgetDivided: "Each round has {T_prime} pulls.",
    TopDimensionChosen: "With {T_prime} pulls in each round, d_k is at most {D_tilde}.",
    DimensionProbed: "Which dimension fits B = {B}?",
    DesignSolved: "The round works in R^{d_k}, with a design of value {value}.",
    Allocated: "{round_samples} pulls, distributed by the design.",
    Pulled: "{samples} samples so far.",
    Estimated: "{samples} samples give an estimate in R^{d_k}.",
    Eliminated: "Round {k} in R^{d_k}: {eliminated} eliminated, {left} remaining.",
    IdleRounds: "In R^{d_k} the remaining arms cannot be told apart.",
    SubroutineFinished: "The call ends after {samples} samples with {survivors}.",
    CandidateKept: "The candidates so far: {candidates}.",
    Validated: "Validation of {candidates}, with {validation_pulls} pulls each.",
    Recommended: "After {samples} samples {recommendation} is recommended.",
    BecameVerifiable: "{recommendation} is now verifiable.",
    RunFinished: "The end: {recommendation}, after {samples} samples.",
}


def suggested_caption(trace: Trace, cursor: int) -> str:
    """A caption for the last event before a cursor."""
    if not cursor:
        return _START
    event = trace[cursor - 1]
    if isinstance(event, RunFinished) and trace.state_at(cursor).returns_set:
        return "The end, after {samples} samples: {left} of {targets} arms remaining; {leader} leads."
    return _CAPTIONS[type(event)]


def recorded_moment(
    trace: Trace,
    cursor: int,
    views: Sequence[str],
    arm: int | None = None,
    target: int | None = None,
    dimension: int | None = None,
    run: int = 0,
    options: Sequence[ViewOption] = (),
) -> StoryMoment:
    """A moment of a story at a cursor, with an initial caption."""
    return StoryMoment(
        Bookmark.of(trace, cursor),
        tuple(views)[:MOST_VIEWS],
        suggested_caption(trace, cursor),
        arm=arm,
        target=target,
        dimension=dimension,
        run=run,
        options=tuple(options),
    )


def recorded_story(history: History, title: str, views: Sequence[str], options: Sequence[ViewOption] = ()) -> Story:
    """A first story of a run, to be edited: its start, the last changes of its recommendation, and its end."""
    trace, table = history.trace, history.recommendations
    changed = np.flatnonzero(np.diff(table.target, prepend=-1))[1:]
    changes = (table.event[changed] + 1).tolist()
    cursors = sorted({min(1, len(trace)), *changes[-_MOST_CHANGES:], len(trace)})
    return Story(title, tuple(recorded_moment(trace, cursor, views, options=options) for cursor in cursors))
