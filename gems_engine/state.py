"""Everything that views show at a cursor, and the pure step from one event to the next.

A state is a summary of the events so far: the newest event of each kind that still applies, and running totals. It
depends on nothing else, so that a replay, a saved run and a live run show the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from gems_engine.arrays import Floats, Integers, first_largest, frozen
from gems_engine.errors import InputError
from gems_engine.events import (
    OUTSIDE,
    RETURNS_A_SET,
    SINGLE_CALLS,
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
from gems_engine.forcing import forced_budgets
from gems_engine.instance import Instance

FIRST_GUESS, CARRIED, VALIDATED = "first guess", "carried over", "by validation"
_NOWHERE = Place()
SUBROUTINES = ("gems-c", "gems-m", "gems-b", "rage")
"""Subroutines whose formulas need the round k; those of other packages may use positions as they like."""


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """The state of a run after its first ``cursor`` events.

    Attributes
    ----------
    cursor : int
        The number of events.
    place : Place
        The position of the last event.
    survivors : array of int
        Sorted indices of the targets that this subroutine (the last one, between two) has not eliminated.
    fate_event, fate_round, fate_by : arrays of shape (targets,)
        For each target: the event, the round and the target by which this subroutine eliminated it, −1 while it
        survives.
    probes, design, allocation, pulled, estimated, eliminated, idle
        The events of the current round so far; a new round or a validation starts without them.
    chosen : int
        The event at which d_k of this round became known, −1 before.
    counts, subroutine_counts : arrays of shape (arms,)
        Pulls of every arm in the run and in this subroutine. Idle rounds are not drawn and are not in them.
    samples : int
        All samples so far, idle ones included.
    call_started, call_finished : int
        The events that started and finished this subroutine, −1 before.
    divided, top_dimension
        T′ and D̃ of this subroutine, if it is GEMS-b and the file has them.
    latest
        The last estimate of this subroutine, which may be of an earlier round.
    carried : bool
        Whether the recommendation is older than the subroutine, or than the elimination of its arm.
    features : array of shape (targets, D)
        The features of the targets.
    candidates : tuple of int
        The pre-selection set, in order. The first candidate after a validation starts a new one.
    """

    cursor: int
    place: Place
    targets: int
    """The number of targets."""
    kind: str
    """What a target is called: "arm" or "target"."""
    survivors: Integers
    fate_event: Integers
    fate_round: Integers
    fate_by: Integers
    counts: Integers
    subroutine_counts: Integers
    features: Floats
    samples: int = 0
    started: RunStarted | None = None
    subroutine: SubroutineStarted | None = None
    call_started: int = -1
    call_finished: int = -1
    divided: BudgetDivided | None = None
    top_dimension: TopDimensionChosen | None = None
    subroutine_finished: SubroutineFinished | None = None
    round_place: Place = _NOWHERE
    probes: tuple[DimensionProbed, ...] = ()
    design: DesignSolved | None = None
    allocation: Allocated | None = None
    pulled: Pulled | None = None
    estimated: Estimated | None = None
    eliminated: Eliminated | None = None
    idle: IdleRounds | None = None
    chosen: int = -1
    candidates: tuple[int, ...] = ()
    validated: Validated | None = None
    recommended: Recommended | None = None
    verifiable: BecameVerifiable | None = None
    finished: RunFinished | None = None
    latest: Estimated | None = None
    carried: bool = False

    @property
    def graded(self) -> bool:
        """Whether the right arm is known: not if the rewards come from outside."""
        return self.started is None or self.started.rewards != OUTSIDE

    @property
    def algorithm(self) -> str:
        """The id of the algorithm, empty before the run starts."""
        return self.started.algorithm if self.started else ""

    @property
    def d(self) -> int:
        """d_k of this round, 0 before it is chosen."""
        chosen = self.design or self.allocation or self.idle
        return chosen.d if chosen else 0

    @property
    def selection_budget(self) -> float:
        """B that this round chose d_k by, or would choose it by; ∞ without a subroutine."""
        B = inf if self.subroutine is None else self.subroutine.selection_budget
        if self.started is None or not self.started.forced:
            return B
        end = self.cursor if self.call_finished < 0 else self.call_finished
        end = end if self.chosen < 0 else self.chosen + 1
        forced = forced_budgets(self.started.forced, self.features.shape[1])
        return next((other for at, other in reversed(forced) if self.call_started < at < end), B)

    @property
    def theta(self) -> Floats | None:
        """θ̂_k, once this round has estimated."""
        return self.estimated.theta if self.estimated else None

    @property
    def sums(self) -> Floats | None:
        """Sums of rewards for the arms of this round's allocation, once they were pulled."""
        return self.pulled.sums if self.pulled else None

    @property
    def eliminated_now(self) -> Integers:
        """Targets eliminated in this round."""
        return self.eliminated.targets if self.eliminated else _NO_TARGETS

    @property
    def round_counts(self) -> Integers:
        """Pulls of every arm in this round."""
        counts = np.zeros_like(self.counts)
        if self.allocation is not None and self.pulled is not None:
            np.add.at(counts, self.allocation.arms, self.allocation.counts)
        return _shut(counts)

    @property
    def single_call(self) -> bool:
        """Whether the run is one call of a subroutine, which recommends nothing before its end."""
        return self.algorithm in SINGLE_CALLS

    @property
    def returns_set(self) -> bool:
        """Whether the run returns the set of surviving arms (GEMS-c)."""
        return self.algorithm == RETURNS_A_SET

    @property
    def recommendation(self) -> int | None:
        """The current recommendation; None in a single call before its end, and always for GEMS-c."""
        if self.finished is not None and self.finished.recommendation >= 0 and not self.single_call:
            return self.finished.recommendation
        return self.recommended.target if self.recommended else None

    @property
    def recommendation_carried(self) -> bool:
        """Whether the recommendation is older than this subroutine, which may have eliminated it."""
        return self.carried and self.recommendation is not None

    @property
    def origin(self) -> str:
        """The origin of the recommendation: ``first guess``, ``carried over``, ``by validation`` or empty."""
        if self.recommendation is None or self.recommended is None:
            return ""
        if self.recommended.is_guess:
            return FIRST_GUESS
        return CARRIED if self.carried else VALIDATED if self.recommended.by_validation else ""

    @property
    def validates(self) -> bool:
        """Whether a validation is the latest step: the candidates compete, not the last survivors."""
        return self.allocation is not None and not self.allocation.place.k and bool(self.candidates)

    @property
    def leader(self) -> int | None:
        """The survivor with the largest latest estimate of this subroutine; None before the first estimate."""
        if self.latest is None or not len(self.survivors):
            return None
        if self.finished is not None and self.finished.recommendation in self.survivors and self.single_call:
            return self.finished.recommendation
        theta = self.latest.theta
        estimates = self.features[self.survivors, : len(theta)] @ theta
        return int(self.survivors[first_largest(estimates)])

    @property
    def answer(self) -> tuple[int | None, str]:
        """The target to highlight, if any, and its role: recommended, or before a single call ends, the leader."""
        if self.recommendation is not None:
            return self.recommendation, ", ".join(filter(None, ("recommended", self.origin)))
        return (self.leader, "leader") if self.single_call else (None, f"recommended, {FIRST_GUESS}")

    def __repr__(self) -> str:
        at = self.place
        return (
            f"<State after {self.cursor} events: ℓ {at.ell} · i {at.i} · k {at.k}, {len(self.survivors)} survivors, "
            f"{self.samples} samples>"
        )


_NO_TARGETS = frozen([], np.int64)
_EMPTY_ROUND: dict[str, Any] = {
    "probes": (),
    "design": None,
    "allocation": None,
    "pulled": None,
    "estimated": None,
    "eliminated": None,
    "idle": None,
    "chosen": -1,
}


_OF_THE_CALL = (
    *_EMPTY_ROUND,
    *("round_place", "subroutine", "divided", "top_dimension", "subroutine_finished", "latest", "carried"),
    *("call_started", "call_finished"),
    *("survivors", "fate_event", "fate_round", "fate_by", "subroutine_counts"),
)


def with_call(state: State, call: State) -> State:
    """A state in which everything about the current call is as it was at another cursor of the same run."""
    return replace(state, **{name: getattr(call, name) for name in _OF_THE_CALL})


def initial_state(instance: Instance) -> State:
    """The state before the first event: all targets remain, nothing was pulled."""
    targets = len(instance.targets)
    never = frozen(np.full(targets, -1), np.int64)
    nothing = frozen(np.zeros(len(instance.arms)), np.int64)
    everyone = frozen(np.arange(targets), np.int64)
    return State(
        0, _NOWHERE, targets, instance.target_kind, everyone, never, never, never, nothing, nothing, instance.targets
    )


def fold(state: State, event: Event) -> State:
    """The state after one more event; arrays that it does not change are shared.

    Raises
    ------
    InputError
        If the event cannot follow: its sums of rewards do not match the last allocation, it has fewer samples than an
        event before it, it eliminates or keeps targets that are eliminated already, or it is a step of a round outside
        the current call.
    """
    changes = _FOLDS[type(event)](state, event)
    changes["cursor"] = state.cursor + 1
    changes["place"] = event.place
    return changed(state, changes)


def changed(state: State, changes: dict[str, Any]) -> State:
    """A copy of a state with some other values."""
    after = object.__new__(State)  # dataclasses.replace takes ten times as long, and this runs for every event
    values = after.__dict__
    values.update(state.__dict__)
    values.update(changes)
    return after


def _refusal(state: State, event: Event, problem: str) -> InputError:
    return InputError(f"Event {state.cursor + 1} ({event.kind}) {problem}.")


def _counted(state: State, event: Any) -> int:
    """The samples of an event: all so far, which never decrease."""
    samples: int = event.samples
    if samples < state.samples:
        raise _refusal(state, event, f"has {samples} samples, fewer than the {state.samples} before it")
    return samples


def _check_call(state: State, event: Event) -> None:
    """Raise InputError for a step outside the rounds of the current call of a built-in subroutine."""
    call, place = state.subroutine, event.place
    if call is None or call.name not in SUBROUTINES or (isinstance(event, Allocated) and not place.k):
        return  # a validation belongs to no call
    if not place.k or place.ell != call.place.ell or place.i != call.place.i:
        where = f"(ℓ, i) = ({call.place.ell}, {call.place.i})"
        raise _refusal(state, event, f"is not in a round of the current call, {where}")
    if place != state.round_place and isinstance(event, Estimated | Eliminated):
        raise _refusal(state, event, f"is in round {place.k}, which has not started")


def _shut(array: Integers) -> Integers:
    array.flags.writeable = False
    return array


def _in_round(state: State, event: Event, **changes: Any) -> dict[str, Any]:
    """Changes within a round; the previous round is cleared if this event starts a new one."""
    same = event.place == state.round_place
    if not same or not event.place.k:
        _check_call(state, event)
    if same:
        return changes
    return {**_EMPTY_ROUND, "round_place": event.place, **changes}


def _choosing(state: State, event: Event, **changes: Any) -> dict[str, Any]:
    """Changes within a round whose dimension is known by now."""
    known = state.chosen >= 0 and event.place == state.round_place
    return _in_round(state, event, chosen=state.chosen if known else state.cursor, **changes)


def _started(state: State, event: RunStarted) -> dict[str, Any]:
    return {"started": event}


def _subroutine_started(state: State, event: SubroutineStarted) -> dict[str, Any]:
    never = frozen(np.full(state.targets, -1), np.int64)
    return {
        **_EMPTY_ROUND,
        "round_place": event.place,
        "subroutine": event,
        "call_started": state.cursor,
        "call_finished": -1,
        "latest": None,
        "carried": True,
        "divided": None,
        "top_dimension": None,
        "subroutine_finished": None,
        "survivors": frozen(np.arange(state.targets), np.int64),
        "fate_event": never,
        "fate_round": never,
        "fate_by": never,
        "subroutine_counts": _shut(np.zeros_like(state.counts)),
    }


def _divided(state: State, event: BudgetDivided) -> dict[str, Any]:
    return {"divided": event}


def _top_chosen(state: State, event: TopDimensionChosen) -> dict[str, Any]:
    return {"top_dimension": event}


def _probed(state: State, event: DimensionProbed) -> dict[str, Any]:
    before = state.probes if event.place == state.round_place else ()
    return _in_round(state, event, probes=(*before, event))


def _solved(state: State, event: DesignSolved) -> dict[str, Any]:
    return _choosing(state, event, design=event)


def _allocated(state: State, event: Allocated) -> dict[str, Any]:
    if event.lost:
        asked = state.allocation
        if asked is None or state.pulled is not None or asked.lost or asked.place != event.place:
            raise _refusal(state, event, "has lost rewards without a request before it")
        if event.total + event.lost != asked.total or not np.isin(event.arms, asked.arms).all():
            raise _refusal(state, event, "has other pulls than the request before it, without the lost rewards")
    return _choosing(state, event, allocation=event, pulled=None)


def _pulled(state: State, event: Pulled) -> dict[str, Any]:
    asked = state.allocation
    answers = asked is not None and state.pulled is None and asked.place == event.place
    if asked is None or not answers or len(asked.arms) != len(event.sums):
        raise _refusal(state, event, f"has {len(event.sums)} sums of rewards, which do not match the last allocation")
    counts = state.counts.copy()
    np.add.at(counts, asked.arms, asked.counts)  # not counts[arms] += …: two candidates may be the same arm
    changes: dict[str, Any] = {"pulled": event, "samples": _counted(state, event), "counts": _shut(counts)}
    if event.place.k:  # a validation belongs to no subroutine
        here = state.subroutine_counts.copy()
        np.add.at(here, asked.arms, asked.counts)
        changes["subroutine_counts"] = _shut(here)
    return changes


def _estimated(state: State, event: Estimated) -> dict[str, Any]:
    if not event.place.k or event.place != state.round_place:
        _check_call(state, event)
    return {"estimated": event, "latest": event}


def _eliminated(state: State, event: Eliminated) -> dict[str, Any]:
    if not event.place.k or event.place != state.round_place:
        _check_call(state, event)
    in_call = state.subroutine is not None  # without any call, the eliminations of all rounds are mixed
    if in_call and event.left != len(state.survivors) - len(event.targets):
        problem = f"eliminates {len(event.targets)} of {len(state.survivors)} targets and says that {event.left} remain"
        raise _refusal(state, event, problem)
    if not len(event.targets):
        return {"eliminated": event}
    at, rounds, by = state.fate_event.copy(), state.fate_round.copy(), state.fate_by.copy()
    if in_call and max(at[event.targets].max(), at[event.by].max()) >= 0:
        raise _refusal(state, event, "names a target that was eliminated before")
    at[event.targets] = state.cursor
    rounds[event.targets] = event.place.k
    by[event.targets] = event.by
    lost = state.recommended is not None and state.recommended.target in event.targets
    return {
        "carried": state.carried or lost,
        "eliminated": event,
        "fate_event": _shut(at),
        "fate_round": _shut(rounds),
        "fate_by": _shut(by),
        "survivors": _shut(np.flatnonzero(at < 0).astype(np.int64, copy=False)),
    }


def _idle(state: State, event: IdleRounds) -> dict[str, Any]:
    return _choosing(state, event, idle=event, samples=_counted(state, event))


def _subroutine_finished(state: State, event: SubroutineFinished) -> dict[str, Any]:
    if state.subroutine is not None and state.fate_event[event.survivors].max() >= 0:
        raise _refusal(state, event, "keeps a target that was eliminated before")
    changes = {"subroutine_finished": event, "call_finished": state.cursor, "survivors": event.survivors}
    return {**changes, "samples": _counted(state, event)}


def _kept(state: State, event: CandidateKept) -> dict[str, Any]:
    if state.validated is not None:
        return {"candidates": (event.target,), "validated": None}
    known = event.target in state.candidates
    return {} if known else {"candidates": (*state.candidates, event.target)}


def _validated(state: State, event: Validated) -> dict[str, Any]:
    return {"validated": event}


def _recommended(state: State, event: Recommended) -> dict[str, Any]:
    if not event.holds(state.algorithm):
        return {"samples": _counted(state, event)}
    return {"recommended": event, "carried": False, "samples": _counted(state, event)}


def _verifiable(state: State, event: BecameVerifiable) -> dict[str, Any]:
    return {"verifiable": event, "samples": _counted(state, event)}


def _finished(state: State, event: RunFinished) -> dict[str, Any]:
    return {"finished": event, "survivors": event.survivors, "samples": _counted(state, event)}


_FOLDS: dict[type[Event], Callable[[State, Any], dict[str, Any]]] = {
    RunStarted: _started,
    SubroutineStarted: _subroutine_started,
    BudgetDivided: _divided,
    TopDimensionChosen: _top_chosen,
    DimensionProbed: _probed,
    DesignSolved: _solved,
    Allocated: _allocated,
    Pulled: _pulled,
    Estimated: _estimated,
    Eliminated: _eliminated,
    IdleRounds: _idle,
    SubroutineFinished: _subroutine_finished,
    CandidateKept: _kept,
    Validated: _validated,
    Recommended: _recommended,
    BecameVerifiable: _verifiable,
    RunFinished: _finished,
}
