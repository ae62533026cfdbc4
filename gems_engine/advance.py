"""The state after many events at once, from their columns: only events that the new state has are made and folded.

What :func:`gems_engine.state.fold` checks of each event is checked for all of them at once. Where that cannot tell
whether an event may follow, there is no answer, and the events have to be folded one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gems_engine.arrays import Integers, sealed
from gems_engine.errors import InputError
from gems_engine.events import (
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
from gems_engine.formats.tables import NUMBERS, Batch, Table, among
from gems_engine.state import SUBROUTINES, State, changed, fold

Mask = NDArray[np.bool_]

_STARTS = among(SubroutineStarted)
_TURNS = among(SubroutineStarted, DimensionProbed, DesignSolved, Allocated, IdleRounds)
"""Events at whose position the round is."""
_STEPS = among(DimensionProbed, DesignSolved, Allocated, IdleRounds, Estimated, Eliminated)
_LATER_STEPS = among(Estimated, Eliminated)
_OF_A_CALL = among(SubroutineStarted, SubroutineFinished, Eliminated)
_SINGLY = among(
    SubroutineStarted,
    BudgetDivided,
    TopDimensionChosen,
    SubroutineFinished,
    CandidateKept,
    Validated,
    Recommended,
    BecameVerifiable,
)
"""Events that are always folded: they are few, and last longer than a round."""


def advanced(state: State, batch: Batch) -> State | None:
    """The state after a batch, as if each event were folded; None if they have to be folded one by one."""
    if state.subroutine is None or state.finished is not None or batch.count(RunStarted, RunFinished):
        return None
    if any(batch.table(Allocated).values["lost"]):
        return None
    steps = _Steps(state, batch)
    if not (steps.count_samples() and steps.are_in_calls() and steps.answer_allocations() and steps.leave_survivors()):
        return None
    try:
        return steps.fold()
    except InputError:
        return None


class _Steps:
    """The events of a batch, relative to the state before it."""

    def __init__(self, state: State, batch: Batch) -> None:
        self._state = state
        self._batch = batch
        self._places = batch.places
        self._turns = _TURNS[batch.kinds]
        begun = np.concatenate((_column(state.round_place), self._places[:, self._turns]), axis=1)
        self._round_places = begun[:, self._turns.cumsum()]  # after each event
        self._calls = _STARTS[batch.kinds].cumsum()  # the number of calls started in the batch, for each event

    # -- checks ---------------------------------------------------------------------------------------------------

    def count_samples(self) -> bool:
        """Whether samples never decrease."""
        samples = self._batch.samples[self._batch.samples >= 0]
        if not len(samples):
            return True
        return bool(samples[0] >= self._state.samples and (samples[1:] >= samples[:-1]).all())

    def are_in_calls(self) -> bool:
        """Whether the steps of built-in subroutines are in rounds of the current call, and of the current round."""
        call = self._state.subroutine
        assert call is not None
        started = self._batch.table(SubroutineStarted)
        names = [call.name, *started.values["name"]]
        places = np.concatenate((_column(call.place), self._places[:, started.at]), axis=1)
        known = np.array([name in SUBROUTINES for name in names])[self._calls]
        kinds, rounds = self._batch.kinds, self._places[2]
        bound = known & _STEPS[kinds] & ((rounds > 0) | (kinds != NUMBERS[Allocated]))
        inside = (rounds > 0) & (self._places[:2] == places[:2, self._calls]).all(axis=0)
        begun = (self._places == self._round_places).all(axis=0)
        return bool(inside[bound].all() and begun[known & _LATER_STEPS[kinds]].all())

    def answer_allocations(self) -> bool:
        """Whether the last step before rewards is the allocation that they answer."""
        pulled, allocated = self._batch.table(Pulled), self._batch.table(Allocated)
        if not len(pulled):
            return True
        lengths = np.full(len(self._batch), -1)
        lengths[allocated.at] = allocated.lengths["arms"]
        steps = np.flatnonzero(self._turns | (self._batch.kinds == NUMBERS[Pulled]))
        before = steps.searchsorted(pulled.at) - 1
        first = int(before[0] < 0)  # answers an allocation before the batch
        if first:
            asked = self._state.allocation
            if asked is None or self._state.pulled is not None or len(asked.arms) != pulled.lengths["sums"][0]:
                return False
            if (_column(asked.place)[:, 0] != self._places[:, pulled.at[0]]).any():
                return False
        asked_at = steps[before[first:]]
        same = (self._places[:, asked_at] == self._places[:, pulled.at[first:]]).all()
        return bool(same and (lengths[asked_at] == pulled.lengths["sums"][first:]).all())

    def leave_survivors(self) -> bool:
        """Whether eliminations count the targets that remain; which ones they are is checked as they are folded."""
        table = self._batch.table(Eliminated)
        order = self._batch.kinds[_OF_A_CALL[self._batch.kinds]]
        if ((order[1:] == NUMBERS[Eliminated]) & (order[:-1] == NUMBERS[SubroutineFinished])).any():
            return False
        gone = table.sizes("targets").cumsum()
        calls = self._calls[table.at]
        before = np.append(0, gone)[calls.searchsorted(calls)]  # gone in earlier calls of the batch
        at_first = np.where(calls > 0, self._state.targets, len(self._state.survivors))
        return bool((table.whole("left") == at_first - (gone - before)).all())

    # -- the state after ------------------------------------------------------------------------------------------

    def fold(self) -> State:
        """Fold the last round, and before it what lasts longer; the pulls before it are added up."""
        state, batch, start = self._state, self._batch, self._state.cursor
        begins = self._begins()
        last = int(begins[-1]) if len(begins) else 0
        for at in np.flatnonzero(self._folded(begins, last)).tolist():
            state = fold(changed(state, {"cursor": start + at}), batch.event(at))
        changes = self._pulls(last)
        samples = batch.samples[batch.samples >= 0]
        if len(samples):
            changes["samples"] = int(samples[-1])
        for name in ("counts", "subroutine_counts"):
            changes[name] = sealed(state.__dict__[name] + changes[name])
        return changed(state, changes)

    def _begins(self) -> Integers:
        """The events that start a round or a call, so that nothing of the round before remains."""
        before = np.concatenate((_column(self._state.round_place), self._round_places[:, :-1]), axis=1)
        new = (self._round_places != before).any(axis=0) | _STARTS[self._batch.kinds]
        return np.flatnonzero(new)

    def _folded(self, begins: Integers, last: int) -> Mask:
        """The events that are folded."""
        folded: Mask = _SINGLY[self._batch.kinds]
        folded[last:] = True
        eliminated, estimated = self._batch.table(Eliminated), self._batch.table(Estimated).at
        latest = estimated[estimated < last][-1:]
        needed = np.append(latest, eliminated.at[eliminated.sizes("targets") > 0])
        folded[needed] = True
        of = begins.searchsorted(needed, side="right") - 1
        folded[begins[of[of >= 0]]] = True  # their rounds
        folded[begins[-2:]] = True  # the last may be at the position of one before
        return folded

    def _pulls(self, last: int) -> dict[str, Any]:
        """The pulls of every arm before the last round, in all and in the last call."""
        counts, here = np.zeros_like(self._state.counts), np.zeros_like(self._state.counts)
        allocated, pulled = self._batch.table(Allocated), self._batch.table(Pulled).at
        pulled = pulled[pulled < last]
        rows = allocated.at.searchsorted(pulled) - 1
        in_call = (self._calls[pulled] == self._calls[-1]) & (self._places[2, pulled] > 0)
        if len(rows) and rows[0] < 0:
            asked = self._state.allocation
            assert asked is not None
            np.add.at(counts, asked.arms, asked.counts)
            if in_call[0]:
                np.add.at(here, asked.arms, asked.counts)
        _add_pulls(counts, allocated, rows[rows >= 0])
        _add_pulls(here, allocated, rows[(rows >= 0) & in_call])
        return {"counts": counts, "subroutine_counts": here}


def _column(place: Place) -> Integers:
    return np.array([[place.ell], [place.i], [place.k]], dtype=np.int64)


def _add_pulls(counts: Integers, allocated: Table, rows: Integers) -> None:
    """Add the pulls of these allocations to those of each arm."""
    some = np.zeros(len(allocated), dtype=bool)
    some[rows] = True
    entries = np.repeat(some, allocated.sizes("arms"))
    np.add.at(counts, allocated.values["arms"][entries], allocated.values["counts"][entries])
