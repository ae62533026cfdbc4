"""Taking a moment into a story as somebody watches a run: what happened there is its first caption."""

from __future__ import annotations

from collections.abc import Sequence

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
from gems_engine.talk.story import MOST_VIEWS, StoryMoment, ViewOption
from gems_engine.trace import Trace

_START = "{arms} arms in R^{D}, and nothing is known yet."
_CAPTIONS: dict[type[Event], str] = {
    RunStarted: _START,
    SubroutineStarted: "A subroutine begins with all {targets} arms and B = {B}.",
    BudgetDivided: "Each round may pull {T_prime} times.",
    TopDimensionChosen: "With {T_prime} pulls in each round, the search for d_k begins at {D_tilde}.",
    DimensionProbed: "Which dimension fits B = {B}?",
    DesignSolved: "The round works in R^{d_k}, with a design of value {value}.",
    Allocated: "{round_samples} pulls, as the design has them.",
    Pulled: "{samples} samples so far.",
    Estimated: "From {samples} samples comes an estimate in R^{d_k}.",
    Eliminated: "Round {k} in R^{d_k}: {eliminated} eliminated, {left} remain.",
    IdleRounds: "In R^{d_k} nothing can be told apart any more.",
    SubroutineFinished: "The subroutine ends after {samples} samples with {survivors}.",
    CandidateKept: "The candidates so far: {candidates}.",
    Validated: "Each of {candidates} was pulled {validation_pulls} times.",
    Recommended: "After {samples} samples {recommendation} is recommended.",
    BecameVerifiable: "From here on {recommendation} can be trusted.",
    RunFinished: "The end: {recommendation}, after {samples} samples.",
}


def suggested_caption(trace: Trace, cursor: int) -> str:
    """What could be said about the event that a cursor shows last."""
    if not cursor:
        return _START
    event = trace[cursor - 1]
    if isinstance(event, RunFinished) and trace.state_at(cursor).returns_set:
        return "The end: {left} of {targets} arms remain after {samples} samples; {leader} leads."
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
    """A moment of a story at a cursor, with a caption to begin with."""
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
