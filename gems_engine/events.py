"""The events of a run: frozen and typed, each with its position (ℓ, i, k).

A run is a stream of events and nothing else: everything shown about it is computed from them and the instance. Data per
arm is stored on its support only, no data is stored per pair, and nothing large is stored twice. Timings are part of an
event but not of its equality.

The position of an event is the loop ℓ, the subroutine i in it and the round k in that, counted as in section 4; in a
fixed-budget run, ℓ is its i and i its j. What does not apply is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen, is_frozen, relative_gap

__all__ = [
    "Allocated",
    "BecameVerifiable",
    "BudgetDivided",
    "CandidateKept",
    "DesignSolved",
    "DimensionProbed",
    "Eliminated",
    "Estimated",
    "Event",
    "IdleRounds",
    "Place",
    "Pulled",
    "Recommended",
    "RunFinished",
    "RunStarted",
    "SubroutineFinished",
    "SubroutineStarted",
    "TopDimensionChosen",
    "Validated",
]

# The goal of a run.
BEST_ARM = "best arm"
EPSILON = "epsilon"

# Why a subroutine or a run ended.
SINGLETON = "singleton"
ROUNDS_DONE = "rounds done"
NO_DIMENSION_FITS = "no dimension fits"
NOTHING_TO_TELL_APART = "nothing to tell apart"
CAP = "cap"
LAST_LOOP = "last loop"
BUDGET_SPENT = "budget spent"
VERIFIED = "verified"
ASKED = "asked to stop"

NO_ARM = -1
"""The recommendation of a run that ended without one."""

SINGLE_CALLS = ("gems-c", "gems-b", "gems-m")
"""Algorithms that are one call of a subroutine: they recommend at their end, not before."""
RETURNS_A_SET = "gems-c"
"""The one of them that returns the set of surviving arms; it recommends nothing."""
BY_VALIDATION = "the highest mean in validation"
"""Why the winner of a validation is recommended."""

OUTSIDE = "outside"
"""Rewards from a callback or a real experiment, which no seed reproduces."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a run: loop ℓ, subroutine i, round k."""

    ell: int = 0
    """ℓ."""
    i: int = 0
    """The call in loop ℓ."""
    k: int = 0
    """The round of the call."""


@dataclass(frozen=True, eq=False)
class Event:
    """One event. Equal events have equal fields, bit for bit, except for timings."""

    kind: ClassVar[str] = ""
    place: Place
    """Where in the run it happened."""

    def __post_init__(self) -> None:
        for name in _ARRAYS.get(type(self)) or array_fields(self):
            value = self.__dict__[name]
            if not is_frozen(value):
                object.__setattr__(self, name, frozen(value, np.int64 if value.dtype.kind in "iu" else np.float64))

    def parts(self) -> dict[str, Any]:
        """The fields that count for equality."""
        return {name: getattr(self, name) for name in _compared(self)}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Event):
            return NotImplemented
        mine, theirs = self.__dict__, other.__dict__
        return all(_same(mine[name], theirs[name]) for name in _compared(self))

    __hash__ = None  # type: ignore[assignment]


_COMPARED: dict[type, tuple[str, ...]] = {}


def _compared(event: Event) -> tuple[str, ...]:
    """Names of the fields that count for equality: looked up once per kind of event."""
    kind = type(event)
    if kind not in _COMPARED:
        _COMPARED[kind] = tuple(each.name for each in fields(event) if each.compare)
    return _COMPARED[kind]


_ARRAYS: dict[type, tuple[str, ...]] = {}


def array_fields(event: Event) -> tuple[str, ...]:
    """Names of the fields that hold arrays, by their annotations: looked up once per kind of event."""
    kind = type(event)
    if kind not in _ARRAYS:
        _ARRAYS[kind] = tuple(each.name for each in fields(event) if str(each.type) in ("Floats", "Integers"))
    return _ARRAYS[kind]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float) and isinstance(b, float) and a != a:
        return b != b
    return type(a) is type(b) and a == b


@dataclass(frozen=True, eq=False)
class RunStarted(Event):
    """Everything that is needed to repeat the run."""

    kind: ClassVar[str] = "run started"
    instance: str
    """Digest of the instance, which the trace stores with its events."""
    algorithm: str
    """Its id."""
    parameters: dict[str, Any]
    """All parameters, also those with their defaults."""
    seed: int
    """Of the rewards and of random choices."""
    goal: str
    """``best arm``, or ``epsilon`` if any 2ε-optimal arm is right."""
    versions: dict[str, str]
    """Of the program and of what it computes with."""
    rewards: str = ""
    """``outside`` if they did not come from the instance's noise."""
    forced: dict[str, Any] = field(default_factory=dict)
    """What was forced, and from which event on; see :mod:`gems_engine.forcing`."""


@dataclass(frozen=True, eq=False)
class SubroutineStarted(Event):
    """A subroutine starts with all targets."""

    kind: ClassVar[str] = "subroutine started"
    name: str
    """``gems-c``, ``gems-b``, ``gems-m`` or ``rage``."""
    rounds: int
    """n."""
    selection_budget: float
    """B; ∞ if no dimension is chosen (RAGE)."""
    delta: float
    """δ of this call; 0 for a fixed budget."""
    budget: float
    """T of this call; 0 for fixed confidence."""


@dataclass(frozen=True, eq=False)
class BudgetDivided(Event):
    """GEMS-b divides its budget T among its n rounds. Files of versions 0 and 1 do not have this event."""

    kind: ClassVar[str] = "budget divided"
    pulls: int
    """T′ = ⌊T/n⌋."""


@dataclass(frozen=True, eq=False)
class TopDimensionChosen(Event):
    """GEMS-b limits d to designs that T′ pulls can round. Files of versions 0 and 1 do not have this event."""

    kind: ClassVar[str] = "top dimension chosen"
    pulls: int
    """T′."""
    top: int
    """D̃ = OPT(T′, D, r): the largest d with r_d(ζ) ≤ T′, 0 if there is none."""
    rounding_samples: Floats
    """r_1(ζ) … r_D(ζ)."""


@dataclass(frozen=True, eq=False)
class DimensionProbed(Event):
    """OPT probed a dimension: the bounds on ι, and what decided."""

    kind: ClassVar[str] = "dimension probed"
    d: int
    """The dimension."""
    lower: float
    """Proven lower bound on ι; 0 if no design was solved."""
    upper: float
    """Proven upper bound on ι; ∞ if no design was solved."""
    rounding_samples: float
    """r_d(ζ), or 0 if it is not part of the cost."""
    verdict: str
    """Whether it fits."""
    reason: str
    """What decided; see :class:`~gems_engine.dimension.Probe`."""
    iterations: int
    """Of the solver."""

    @property
    def fits(self) -> bool:
        """Whether it fits the budget; a tie fits."""
        return self.verdict != "too dear"


@dataclass(frozen=True, eq=False)
class DesignSolved(Event):
    """λ_k in R^{d_k}; with the current survivors, the solver and the tolerance it can be solved again."""

    kind: ClassVar[str] = "design solved"
    d: int
    """d_k."""
    support: Integers
    """Arms with positive weight."""
    weights: Floats
    """Their weights, summing to one."""
    value: float
    """As computed."""
    lower_bound: float
    """No design has a smaller value."""
    upper_bound: float
    """The bounds are proven, rounding errors included; NaN in files of versions 0 and 1."""
    cost: float
    """g_k(d_k)."""
    status: str
    """As in :class:`~gems_engine.design.Design`."""
    proof: str
    """The arithmetic that proves the bounds; empty in files of versions 0 and 1, which have computed bounds."""
    iterations: int
    """Of the solver."""
    solver: str
    """``certified`` or ``frank-wolfe``."""
    tolerance: float
    """The requested relative gap."""
    seconds: float = field(default=0.0, compare=False)
    """The time it took."""

    @property
    def gap(self) -> float:
        """Relative distance between the bounds: how far the design may be above the optimum."""
        return gap_of_bounds(self.value, self.lower_bound, self.upper_bound)

    @property
    def is_proven(self) -> bool:
        """Whether the design is proven to be within its tolerance, rounding errors included."""
        return bool(self.proof) and self.gap <= self.tolerance


def gap_of_bounds(value: float, lower: float, upper: float) -> float:
    """The relative distance between the bounds of a design; without an upper bound, from its value."""
    return relative_gap(value if np.isnan(upper) else upper, lower)


@dataclass(frozen=True, eq=False)
class Allocated(Event):
    """Whole pulls for the design; the caller of the algorithm replies to this event with the sums of rewards."""

    kind: ClassVar[str] = "allocated"
    d: int
    """The dimension that the pulls are for; 0 for a validation."""
    arms: Integers
    """The arms to pull."""
    counts: Integers
    """How often, for each of them."""
    factor: float
    """The factor that rounding costs, relative to the design."""
    guaranteed: bool
    """Whether there are enough pulls for the factor 1 + ζ."""
    lost: int = 0
    """Rewards of the request before this event that were lost for good; then these arms and counts are the rest.

    Only such an event may follow another ``Allocated`` of its round. Files before version 3 do not have this field.
    """

    @property
    def total(self) -> int:
        """All pulls."""
        return int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Pulled(Event):
    """Sums of rewards for the arms of the last allocation, and all samples so far."""

    kind: ClassVar[str] = "pulled"
    sums: Floats
    """One for each of these arms."""
    samples: int
    """All samples so far."""
    seconds: float = field(default=0.0, compare=False)
    """The time it took."""


@dataclass(frozen=True, eq=False)
class Estimated(Event):
    """θ̂_k in R^{d_k} by least squares."""

    kind: ClassVar[str] = "estimated"
    theta: Floats
    """d_k numbers."""


@dataclass(frozen=True, eq=False)
class Eliminated(Event):
    """The arms eliminated, the arms that eliminated them, and the numbers of the inequality gap ≥ width."""

    kind: ClassVar[str] = "eliminated"
    targets: Integers
    """Those eliminated in this round."""
    by: Integers
    """For each of them, a target that eliminated it."""
    gaps: Floats
    """⟨θ̂_k, ψ(z′) − ψ(z)⟩."""
    widths: Floats
    """ω(z′, z), or 2^−k if that is the rule."""
    left: int
    """The size of Ŝ_{k+1}."""


@dataclass(frozen=True, eq=False)
class IdleRounds(Event):
    """Rounds in which the survivors cannot be told apart: counted, not drawn (docs/decisions.md, 4)."""

    kind: ClassVar[str] = "idle rounds"
    first: int
    """The first of these rounds."""
    last: int
    """The last."""
    d: int
    """The dimension in which the survivors are equal."""
    drawn: int
    """Their samples."""
    samples: int
    """All samples so far."""
    why: str
    """In a clause."""


@dataclass(frozen=True, eq=False)
class SubroutineFinished(Event):
    """The targets that remain, and why the subroutine ended."""

    kind: ClassVar[str] = "subroutine finished"
    survivors: Integers
    """Targets that remain."""
    why: str
    """Such as ``singleton``."""
    samples: int
    """All samples so far."""


@dataclass(frozen=True, eq=False)
class CandidateKept(Event):
    """The arm of a subroutine is added to the pre-selection set."""

    kind: ClassVar[str] = "candidate kept"
    target: int
    """The candidate."""
    new: bool
    """Whether it was not a candidate before."""


@dataclass(frozen=True, eq=False)
class Validated(Event):
    """Means of the candidates, each pulled the same number of times."""

    kind: ClassVar[str] = "validated"
    targets: Integers
    """The candidates."""
    means: Floats
    """Their mean rewards."""
    pulls: int
    """The number of pulls of each."""


@dataclass(frozen=True, eq=False)
class Recommended(Event):
    """The recommendation from here on; recorded even if it does not change."""

    kind: ClassVar[str] = "recommended"
    target: int
    """The recommended target."""
    samples: int
    """All samples so far."""
    why: str
    """In a clause."""

    @property
    def is_guess(self) -> bool:
        """Whether it is the first guess of a run."""
        return not self.place.ell and not self.samples

    @property
    def by_validation(self) -> bool:
        """Whether a validation decided among candidates of several subroutines."""
        return self.why == BY_VALIDATION

    def holds(self, algorithm: str) -> bool:
        """Whether it counts: in formats 0 and 1, single calls start with a guess, and GEMS-c recommends an arm."""
        return algorithm not in SINGLE_CALLS or (algorithm != RETURNS_A_SET and self.place.ell > 0)


@dataclass(frozen=True, eq=False)
class BecameVerifiable(Event):
    """One arm remained, with d = D in every round: right if rewards are linear in R^D, whatever d⋆ is."""

    kind: ClassVar[str] = "became verifiable"
    target: int
    """The arm that remained."""
    samples: int
    """All samples so far."""


@dataclass(frozen=True, eq=False)
class RunFinished(Event):
    """The end of the run, and why it ended."""

    kind: ClassVar[str] = "run finished"
    why: str
    """Such as ``cap``."""
    recommendation: int
    """The recommended arm; for GEMS-c, which returns a set, its leader. −1 if there is none."""
    survivors: Integers
    """Targets that its last subroutine has not eliminated."""
    samples: int
    """All samples."""
    seconds: float = field(default=0.0, compare=False)
    """The time it took."""


EVENTS: dict[str, type[Event]] = {
    each.kind: each
    for each in (
        RunStarted,
        SubroutineStarted,
        BudgetDivided,
        TopDimensionChosen,
        DimensionProbed,
        DesignSolved,
        Allocated,
        Pulled,
        Estimated,
        Eliminated,
        IdleRounds,
        SubroutineFinished,
        CandidateKept,
        Validated,
        Recommended,
        BecameVerifiable,
        RunFinished,
    )
}
"""All kinds of events by name."""
