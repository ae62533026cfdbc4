"""The event at a cursor in one sentence of plain words, for readers who do not know the paper's symbols yet.

:mod:`gems_engine.wording` lists the numbers of an event; this module says what the event means in its run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.events import (
    CAP,
    NO_DIMENSION_FITS,
    NOTHING_TO_TELL_APART,
    SINGLETON,
    Allocated,
    BecameVerifiable,
    BudgetDivided,
    CandidateKept,
    DesignSolved,
    DimensionProbed,
    Eliminated,
    Estimated,
    IdleRounds,
    Place,
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
from gems_engine.instance import Instance
from gems_engine.state import State
from gems_engine.terminal import number, plural, superscript
from gems_engine.wording import (
    ONE_CALL,
    ORACLES,
    candidate_count,
    describe,
    recorded_text,
    remain_words,
    remaining,
)

BEFORE = "Before the first event: nothing is known about the arms yet."


@dataclass(frozen=True)
class _Narrator:
    """What the sentences are about.

    Attributes
    ----------
    state
        The state after the event.
    before
        The recommendation before it, if it is one.
    truth
        Whether the dimension of an oracle, which is d⋆, may be named.
    """

    instance: Instance
    state: State
    before: int | None
    truth: bool

    def label(self, target: int) -> str:
        return self.instance.target_label(int(target))

    def space(self, d: int) -> str:
        """ "R⁹"; "its dimension" for an oracle while the truth is hidden."""
        hidden = not self.truth and self.state.algorithm in ORACLES
        return "its dimension" if hidden or not d else f"R{superscript(d)}"

    def place(self, place: Place) -> str:
        """ "Loop 5, call 1, round 2"; in a single call "Round 2"."""
        named = [("loop", place.ell), ("call", place.i), ("round", place.k)]
        if self.state.algorithm in ONE_CALL:
            del named[:2]
        words = ", ".join(f"{name} {number(value)}" for name, value in named if value)
        return words[:1].upper() + words[1:] or "The call"


def narrate(history: History, state: State, truth: bool = True) -> str:
    """The event at the cursor of a state, in one sentence; it depends on no event after it.

    Parameters
    ----------
    history
        The history of the run; it may extend beyond the cursor.
    truth
        Whether the truth may be shown: the dimension of an oracle is d⋆.
    """
    if not state.cursor:
        return BEFORE
    event = history.trace[state.cursor - 1]
    teller = _Narrator(history.trace.instance, state, _recommended_before(history, state.cursor - 1), truth)
    return _SENTENCES[event.kind](teller, event)


def _recommended_before(history: History, event: int) -> int | None:
    table = history.recommendations
    at = int(np.searchsorted(table.event, event, side="left"))
    return int(table.target[at - 1]) if at else None


def _started(teller: _Narrator, event: RunStarted) -> str:
    from gems_engine.algorithms import algorithm_title  # a module that imports wording

    instance = teller.instance
    arms = f"{plural(len(instance.arms), 'arm')} in {f'R{superscript(instance.D)}'}"
    return f"{algorithm_title(event.algorithm)} starts: {arms}, seed {event.seed}."


def _subroutine(teller: _Narrator, event: SubroutineStarted) -> str:
    everything = plural(teller.state.targets, teller.state.kind)
    rounds = f"up to {plural(event.rounds, 'round')}" if event.rounds else ""
    budget = f"selection budget B = {number(event.selection_budget)}" if np.isfinite(event.selection_budget) else ""
    limits = ", ".join(filter(None, (rounds, budget)))
    return f"{teller.place(event.place)} starts with all {everything}{': ' if limits else ''}{limits}."


def _divided(teller: _Narrator, event: BudgetDivided) -> str:
    return f"{teller.place(event.place)} divides its budget T: T′ = {plural(event.pulls, 'pull')} in each round."


def _top_chosen(teller: _Narrator, event: TopDimensionChosen) -> str:
    pulls = f"T′ = {plural(event.pulls, 'pull')}"
    if not event.top:
        return f"{teller.place(event.place)}: {pulls} cannot be rounded to a design in any dimension."
    return f"{teller.place(event.place)}: designs up to {teller.space(event.top)} can be rounded to {pulls}."


def _probed(teller: _Narrator, event: DimensionProbed) -> str:
    where, tried = teller.place(event.place), teller.space(event.d)
    return f"{where} tries {tried}: {'it fits the budget' if event.fits else 'over budget'}."


def _solved(teller: _Narrator, event: DesignSolved) -> str:
    cost = f" at a cost of {number(event.cost)}" if teller.truth or teller.state.algorithm not in ORACLES else ""
    arms = plural(len(event.support), "arm")
    return f"{teller.place(event.place)} works in {teller.space(event.d)}: its design uses {arms}{cost}."


def _allocated(teller: _Narrator, event: Allocated) -> str:
    if event.lost:
        lost = f"{number(event.lost)} of {plural(event.total + event.lost, 'reward')}"
        return f"{teller.place(event.place)}: {lost} lost; the other {number(event.total)} are used."
    pulls = plural(event.total, "pull")
    if not event.d:
        return f"Validation: {pulls} of {candidate_count(len(event.arms))} planned, equally often."
    where = f"{teller.place(event.place)} works in {teller.space(event.d)}"
    return f"{where}: {pulls} of {plural(len(event.arms), 'arm')} planned."


def _pulled(teller: _Narrator, event: Pulled) -> str:
    asked = teller.state.allocation
    assert asked is not None  # the fold refuses rewards without an allocation
    where = teller.place(event.place) if event.place.k else "Validation"
    return f"{where}: {plural(int(asked.counts.sum()), 'pull')} done, {plural(event.samples, 'sample')} so far."


def _estimated(teller: _Narrator, event: Estimated) -> str:
    leader = teller.state.leader
    leads = "" if leader is None else f": {teller.label(leader)} leads"
    where = f"{teller.place(event.place)} estimates all rewards in {teller.space(len(event.theta))}"
    return f"{where}{leads}."


def _eliminated(teller: _Narrator, event: Eliminated) -> str:
    where = f"{teller.place(event.place)} works in {teller.space(teller.state.d)}"
    kind = teller.state.kind
    gone = f"{plural(len(event.targets), kind)} eliminated" if len(event.targets) else f"no {kind} eliminated"
    return f"{where}: {gone}, {remain_words(event.left)}."


def _idle(teller: _Narrator, event: IdleRounds) -> str:
    where = teller.place(Place(event.place.ell, event.place.i, event.first))
    if event.last > event.first:
        where = f"{where.replace('ound ', 'ounds ')} to {number(event.last)}"
    drawn = f"{plural(event.drawn, 'sample')} counted, not drawn"
    return f"{where} cannot tell the survivors apart in {teller.space(event.d)}: {drawn}."


def _ended(teller: _Narrator, event: SubroutineFinished) -> str:
    where, count = teller.place(Place(event.place.ell, event.place.i)), len(event.survivors)
    remain = remaining(count, teller.state.targets, teller.state.kind)
    if event.why == SINGLETON and count == 1:
        return f"{where} ends: {teller.label(event.survivors[0])} remains alone."
    if event.why == NO_DIMENSION_FITS:
        return f"{where} ends: no dimension fits the budget; {remain}."
    if event.why == CAP:
        return f"{where} is cut off: its next round would exceed the sample cap; {remain}."
    if event.why == NOTHING_TO_TELL_APART:
        return f"{where} ends: the survivors cannot be told apart; {remain}."
    return f"{where} ends ({recorded_text(event.why)}): {remain}."


def _candidate(teller: _Narrator, event: CandidateKept) -> str:
    new = "becomes a candidate" if event.new else "was a candidate already"
    so_far = candidate_count(len(teller.state.candidates))
    return f"{teller.place(event.place)}: {teller.label(event.target)} {new}; {so_far} so far."


def _validated(teller: _Narrator, event: Validated) -> str:
    if not len(event.targets):
        return "Validation: no candidates."
    best = int(np.argmax(event.means))
    mean = number(float(event.means[best]), 3)
    name = teller.label(event.targets[best])
    return f"Validation: {name} has the highest mean, {mean}, in {plural(event.pulls, 'pull')} of each candidate."


def _recommended(teller: _Narrator, event: Recommended) -> str:
    name = teller.label(event.target)
    if not event.holds(teller.state.algorithm):
        return f"An older version recorded {name}; a single call recommends nothing here."
    if event.is_guess:
        return f"The first recommendation, {name}, is a random guess."
    because = recorded_text(event.why)
    if teller.before is None:
        return f"Recommends {name}: {because}."
    if teller.before == event.target:
        return f"Recommends {name} again: {because}."
    return f"Recommends {name} instead of {teller.label(teller.before)}: {because}."


def _verifiable(teller: _Narrator, event: BecameVerifiable) -> str:
    name, D = teller.label(event.target), superscript(teller.instance.D)
    return f"Verifiable, whatever d⋆ is: {name} remained alone, and every round worked in R{D}."


def _finished(teller: _Narrator, event: RunFinished) -> str:
    words = describe(event, teller.instance, teller.state.algorithm)
    return f"{words[:1].upper()}{words[1:]}."


_SENTENCES: dict[str, Callable[[_Narrator, Any], str]] = {
    RunStarted.kind: _started,
    SubroutineStarted.kind: _subroutine,
    BudgetDivided.kind: _divided,
    TopDimensionChosen.kind: _top_chosen,
    DimensionProbed.kind: _probed,
    DesignSolved.kind: _solved,
    Allocated.kind: _allocated,
    Pulled.kind: _pulled,
    Estimated.kind: _estimated,
    Eliminated.kind: _eliminated,
    IdleRounds.kind: _idle,
    SubroutineFinished.kind: _ended,
    CandidateKept.kind: _candidate,
    Validated.kind: _validated,
    Recommended.kind: _recommended,
    BecameVerifiable.kind: _verifiable,
    RunFinished.kind: _finished,
}
