"""Why the step at the cursor happened: the step itself, then the steps of its round that led to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
from gems_engine.explanation.beginning import what_begins, why_subroutine
from gems_engine.explanation.design import why_weights
from gems_engine.explanation.dimension import why_dimension, why_divided, why_probe, why_top
from gems_engine.explanation.elimination import why_eliminated, why_estimate
from gems_engine.explanation.outcome import (
    why_candidate,
    why_ended,
    why_recommended,
    why_subroutine_ended,
    why_validated,
    why_verifiable,
)
from gems_engine.explanation.samples import why_idle, why_samples
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Explanation, Paragraph
from gems_engine.history import History
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace
from gems_engine.wording import place_text

NAMES = {
    RunStarted: "the run starts",
    SubroutineStarted: "a call starts",
    BudgetDivided: "the budget is divided",
    TopDimensionChosen: "the top dimension",
    DimensionProbed: "a dimension is probed",
    DesignSolved: "dimension and design",
    Allocated: "whole pulls",
    Pulled: "rewards",
    Estimated: "estimate",
    Eliminated: "elimination",
    IdleRounds: "idle rounds",
    SubroutineFinished: "the call ends",
    CandidateKept: "a candidate",
    Validated: "validation",
    Recommended: "recommendation",
    BecameVerifiable: "verifiable",
    RunFinished: "the run ends",
}
"""The name of a step in a title."""

Memory = dict[tuple[Any, ...], tuple[Paragraph, ...]]
"""Paragraphs about the events of rounds; they never change once written."""
_MOST_REMEMBERED = 64
_OF_A_ROUND = (DesignSolved, Allocated, Estimated, Eliminated)


def explain(
    trace: Trace,
    cursor: int | None = None,
    *,
    truth: bool = False,
    target: int | None = None,
    history: History | None = None,
    memory: Memory | None = None,
) -> Explanation:
    """Why the last event before the cursor happened, with the paper's inequalities and the numbers in them.

    Parameters
    ----------
    trace
        The run.
    cursor
        The number of events so far; all of them by default. Nothing after the cursor is used.
    truth
        Whether d⋆, the best target and what follows from them are shown.
    target
        A target whose fate comes first.
    history
        The history of the trace, if it is already available.
    memory
        A cache of paragraphs about the current round, so that stepping through it computes nothing twice. One for each
        trace.

    Returns
    -------
    Explanation
        A title and paragraphs; as text, ``str`` of it or of its parts.

    Examples
    --------
    >>> from gems_engine import explain, instances, run
    >>> trace = run(instances.make("paper-hard"), "gems-c", seed=1, rounds=1, selection_budget=200.0).finish()
    >>> "R¹⁰" in str(explain(trace, trace.positions("design solved")[0] + 1))
    True
    """
    history = history or History(trace)
    state = trace.state_at(len(trace) if cursor is None else cursor)
    if not state.cursor:
        nothing = Paragraph("Nothing has happened yet", "The run has not started.")
        return Explanation("Before the first event", (nothing,))
    event = trace[state.cursor - 1]
    scene = Scene(history, state, truth, target)
    where = place_text(event.place, state.algorithm)
    name = NAMES[type(event)]
    title = f"{where} — {name}" if where else name.capitalize()
    memory = {} if memory is None else memory
    if len(memory) > _MOST_REMEMBERED:
        memory.clear()
    return Explanation(title, (*_step(scene, event, memory), *_before_in_round(scene, event, memory)))


def _step(scene: Scene, event: Event, memory: Memory) -> tuple[Paragraph, ...]:
    """The paragraphs about an event; those about events of a round are computed once."""
    if type(event) not in _OF_A_ROUND or not event.place.k:
        return _STEPS[type(event)](scene, event)
    lost = isinstance(event, Allocated) and event.lost > 0  # follows the request for all pulls
    key = (scene.history.rounds_before(scene.state.cursor), type(event), lost, scene.truth, scene.target)
    if key not in memory:
        memory[key] = _STEPS[type(event)](scene, event)
    return memory[key]


def _before_in_round(scene: Scene, event: Event, memory: Memory) -> tuple[Paragraph, ...]:
    """What led to a step, in order."""
    state, told = scene.state, type(event)
    led: list[Paragraph] = []
    if event.place.k and event.place == state.round_place and told not in (DimensionProbed, DesignSolved):
        for each in (state.design, state.allocation, state.estimated, state.eliminated):
            if each is not None and told is not type(each):
                led += _step(scene, each, memory)
    elif isinstance(event, Recommended) and state.validated is not None:
        led.append(why_validated(scene, state.validated))
    return tuple(led)


def _pulled(scene: Scene, event: Pulled) -> Paragraph:
    allocation = scene.state.allocation
    drawn = int(allocation.counts.sum()) if allocation is not None else 0
    mean = float(event.sums.sum()) / drawn if drawn else 0.0
    sentence = (
        f"{plural(drawn, 'reward')} drawn, {plural(event.samples, 'sample')} so far; their mean is {number(mean, 3)}. "
        "Least squares needs only the sum of each arm's rewards."
    )
    return Paragraph("What was drawn", sentence)


def _one(write: Callable[[Scene, Any], Paragraph]) -> Callable[[Scene, Any], tuple[Paragraph, ...]]:
    return lambda scene, event: (write(scene, event),)


def _design(scene: Scene, event: DesignSolved) -> tuple[Paragraph, ...]:
    return why_dimension(scene), why_weights(scene, event)


_STEPS: dict[type[Event], Callable[[Scene, Any], tuple[Paragraph, ...]]] = {
    RunStarted: _one(what_begins),
    SubroutineStarted: _one(why_subroutine),
    BudgetDivided: _one(why_divided),
    TopDimensionChosen: _one(why_top),
    DimensionProbed: _one(why_probe),
    DesignSolved: _design,
    Allocated: _one(why_samples),
    Pulled: _one(_pulled),
    Estimated: _one(why_estimate),
    Eliminated: _one(why_eliminated),
    IdleRounds: _one(why_idle),
    SubroutineFinished: why_subroutine_ended,
    CandidateKept: _one(why_candidate),
    Validated: _one(why_validated),
    Recommended: _one(why_recommended),
    BecameVerifiable: _one(why_verifiable),
    RunFinished: why_ended,
}
"""The first paragraphs, by kind of event."""
