"""Events in words: one line each, with the paper's symbols and readable numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from gems_engine.arrays import Floats
from gems_engine.events import (
    ASKED,
    CAP,
    LAST_LOOP,
    NOTHING_TO_TELL_APART,
    OUTSIDE,
    RETURNS_A_SET,
    ROUNDS_DONE,
    SINGLETON,
    VERIFIED,
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
from gems_engine.forcing import forks_of
from gems_engine.instance import Instance
from gems_engine.state import State
from gems_engine.terminal import number, plural, subscript, superscript

if TYPE_CHECKING:
    from gems_engine.trace import Trace

ORACLES = ("rage-oracle", "static-oracle")
"""Algorithms that are told d⋆: their dimension is the truth itself."""
ONE_CALL = ("gems-c", "gems-b", "gems-m", "rage", *ORACLES)
"""Algorithms that make one call of a subroutine: a position in them is a round k."""
_COORDINATES = 6  # of θ̂ shown


def place_names(algorithm: str) -> tuple[str, str, str]:
    """The paper's names of the three counters of a position: ℓ, i, k; in a fixed-budget run i, j, k.

    In a single call, the first two counters have no name and are not shown.
    """
    if algorithm in ONE_CALL:
        return "", "", "k"
    return ("i", "j", "k") if algorithm == "fixed-budget" else ("ℓ", "i", "k")


def ordinal(position: int | None) -> str:
    """The number of an event, as shown everywhere: the first event is 1, the last of n is n."""
    return number(None if position is None else position + 1)


def waiting_text(trace: Trace) -> str:
    """What a recorded session waits for: "waiting for 340 rewards of 5 arms"; empty if it does not wait."""
    asked = trace[-1] if len(trace) else None
    started, pending = trace.started, trace.pending
    if not isinstance(asked, Allocated) or started is None or started.rewards != OUTSIDE:
        return ""
    if asked.lost or (pending is not None and pending.complete):
        return "rewards observed, not used yet"
    missing = asked.counts if pending is None else asked.counts - pending.counts
    return f"waiting for {plural(int(missing.sum()), 'reward')} of {plural(int((missing > 0).sum()), 'arm')}"


def place_text(place: Place, algorithm: str = "") -> str:
    """A position: "ℓ 5 · i 1 · k 3", in a fixed-budget run "i 5 · j 1 · k 3", in a single call "k 3"."""
    parts = zip(place_names(algorithm), (place.ell, place.i, place.k), strict=True)
    return " · ".join(f"{name} {value}" for name, value in parts if name and value)


def describe(event: Event, instance: Instance, algorithm: str = "") -> str:
    """An event in one line; the algorithm decides whether it ends with a set or a recommendation."""
    if isinstance(event, RunFinished) and algorithm == RETURNS_A_SET:
        samples = plural(event.samples, "sample")
        return f"run ends ({recorded_text(event.why)}): {survivors_text(event, instance)}, {samples}"
    return _WORDS[event.kind](event, instance)


_SHOWN = {
    "too dear": "over budget",
    "all zero": "all survivors are equal",
    "the largest estimate among those left": "the largest estimate among the survivors",
    "the largest last estimate among those left": "the largest last estimate among the survivors",
    "the first singleton of this loop": "the first arm of this loop to remain alone",
    SINGLETON: "one arm remains",
    ROUNDS_DONE: "all rounds done",
    NOTHING_TO_TELL_APART: "the survivors cannot be told apart",
    CAP: "sample cap reached",
    LAST_LOOP: "last loop done",
    VERIFIED: "the recommendation is verifiable",
    ASKED: "stopped",
}


def recorded_text(recorded: str) -> str:
    """A recorded verdict or reason as it is shown: run files keep their words, readers get plainer ones."""
    return _SHOWN.get(recorded, recorded)


def remain_words(count: int) -> str:
    """A count of survivors: "1 remains", "3 remain"."""
    return f"{number(count)} remain{'s' if count == 1 else ''}"


def remaining(count: int, of: int, kind: str) -> str:
    """A count of survivors out of all arms or targets: "5 of 100 arms remain"."""
    return f"{number(count)} of {plural(of, kind)} remain{'s' if count == 1 else ''}"


def contenders(state: State) -> str:
    """The arms in contention: "5 of 100 arms remain", after a validation "6 candidates"."""
    if state.validates:
        return candidate_count(len(state.candidates))
    return remaining(len(state.survivors), state.targets, state.kind)


def candidate_count(count: int) -> str:
    """A count of candidates: "1 candidate", "6 candidates"."""
    return plural(count, "candidate")


def survivors_text(event: RunFinished, instance: Instance) -> str:
    """The set that GEMS-c returns: how many arms remain, and the leader."""
    leader = f", leader {instance.target_label(event.recommendation)}" if event.recommendation >= 0 else ""
    return f"{remaining(len(event.survivors), len(instance.targets), instance.target_kind)}{leader}"


def answer_text(state: State, instance: Instance) -> str:
    """The recommendation and its origin; before a single call ends, the leader."""
    target, _ = state.answer
    if target is None:
        return ""
    name = instance.target_label(target)
    if state.recommendation is None:
        return f"leader {name}"
    return f"recommends {name}" + (f" ({state.origin})" if state.origin else "")


def listed(indices: Iterable[int], label: Callable[[int], str], most: int = 6) -> str:
    """A list of names: "x_1, x_2 and 4 more"."""
    names = [label(int(index)) for index in indices]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def parameter_text(event: RunStarted) -> list[str]:
    """The parameters of a run with their symbols, as "B = 80"; a parameter without a symbol has its name."""
    from gems_engine.algorithms import installed_algorithm  # a module that imports this one

    known = installed_algorithm(event.algorithm)
    labels = {} if known is None else {each.name: each.symbol for each in known.parameters}
    words = []
    for name, value in event.parameters.items():
        if value is not None:
            said = {True: "on", False: "off"}[value] if isinstance(value, bool) else value
            text = number(said, 12) if isinstance(said, int | float) else str(said)
            words.append(f"{labels.get(name) or name.replace('_', ' ')} = {text}")
    return words


def _started(event: RunStarted, instance: Instance) -> str:
    from gems_engine.algorithms import algorithm_title  # a module that imports this one

    given = ", ".join(parameter_text(event))
    forced = "".join(f"; {fork}" for fork in forks_of(event.forced, instance.D))
    return f"{algorithm_title(event.algorithm)} on {instance.name or 'an instance'}, seed {event.seed}: {given}{forced}"


def _subroutine(event: SubroutineStarted, instance: Instance) -> str:
    from gems_engine.algorithms import subroutine_title  # imports what this module is imported by

    parts = [f"n = {number(event.rounds)}"] if event.rounds else []
    if event.selection_budget != float("inf"):
        parts.append(f"B = {number(event.selection_budget)}")
    parts.append(f"T = {number(event.budget)}" if event.budget else f"δ = {number(event.delta, 3)}")
    return f"{subroutine_title(event.name)}: {', '.join(parts)}"


def _divided(event: BudgetDivided, instance: Instance) -> str:
    return f"T′ = {plural(event.pulls, 'pull')} in each round"


def _top_chosen(event: TopDimensionChosen, instance: Instance) -> str:
    pulls, r = number(event.pulls), event.rounding_samples
    if not event.top:
        return f"no dimension: r₁ = {number(float(r[0]))} > T′ = {pulls}"
    words = f"D̃ = {event.top}: r{subscript(event.top)} = {number(float(r[event.top - 1]))} fits T′ = {pulls}"
    if event.top == len(r):
        return f"{words}, and D̃ = D"
    return f"{words}, r{subscript(event.top + 1)} = {number(float(r[event.top]))} does not"


def _probed(event: DimensionProbed, instance: Instance) -> str:
    bounds = "no design" if event.upper == float("inf") else f"ι in [{number(event.lower)}, {number(event.upper)}]"
    verdict = event.verdict if event.fits else "is over budget"
    if event.verdict == event.reason == "tie":
        return f"d = {event.d} fits: its cost ties with B ({bounds}, r_d = {number(event.rounding_samples)})"
    return f"d = {event.d} {verdict}: {recorded_text(event.reason)} ({bounds}, r_d = {number(event.rounding_samples)})"


def _solved(event: DesignSolved, instance: Instance) -> str:
    return (
        f"design in R{superscript(event.d)}: value {number(event.value, 6)}, proven ≥ {number(event.lower_bound, 6)}, "
        f"cost {number(event.cost)}, {plural(len(event.support), 'arm')}"
    )


def _allocated(event: Allocated, instance: Instance) -> str:
    if event.lost:
        lost = f"{number(event.lost)} of {plural(event.total + event.lost, 'reward')} lost"
        return f"{lost}: {plural(event.total, 'pull')} of {plural(len(event.arms), 'arm')} kept"
    what = f"rounded at a factor of {number(event.factor)}" if event.d else "validation"
    return f"{plural(int(event.counts.sum()), 'pull')} of {plural(len(event.arms), 'arm')}, {what}"


def _pulled(event: Pulled, instance: Instance) -> str:
    return f"{plural(event.samples, 'sample')} so far"


def _estimated(event: Estimated, instance: Instance) -> str:
    pattern, values = vector_ends(event.theta, _COORDINATES)
    return f"θ̂ = {pattern.format(*(number(each, 3) for each in values))}"


def vector_ends(vector: Floats, most: int) -> tuple[str, list[float]]:
    """A pattern with braces for the first and the last entries of a vector, as many as are allowed, and these.

    Both ends, because the first features often do not tell the last survivors apart.
    """
    values = [float(each) for each in vector]
    if len(values) <= most:
        return f"({', '.join(['{}'] * len(values))})", values
    first, last = most // 2, most - most // 2
    return f"({', '.join(['{}'] * first + ['…'] + ['{}'] * last)})", [*values[:first], *values[-last:]]


def _eliminated(event: Eliminated, instance: Instance) -> str:
    if not len(event.targets):
        return f"none eliminated, {remain_words(event.left)}"
    gone = listed(event.targets, instance.target_label)
    first = (
        f"{instance.target_label(int(event.targets[0]))}: {number(float(event.gaps[0]), 3)} ≥ "
        f"{number(float(event.widths[0]), 3)} by {instance.target_label(int(event.by[0]))}"
    )
    return f"{gone} eliminated, {remain_words(event.left)} ({first})"


def _idle(event: IdleRounds, instance: Instance) -> str:
    rounds = f"rounds {number(event.first)} to {number(event.last)} idle"
    why = f"{recorded_text(event.why)} in R{superscript(event.d)}"
    return f"{rounds} ({why}): {plural(event.drawn, 'sample')} counted"


def _ended(event: SubroutineFinished, instance: Instance) -> str:
    names, s = listed(event.survivors, instance.target_label), "s" if len(event.survivors) == 1 else ""
    return f"call ends ({recorded_text(event.why)}): {names} remain{s}, {plural(event.samples, 'sample')}"


def _candidate(event: CandidateKept, instance: Instance) -> str:
    return f"candidate {instance.target_label(event.target)}{'' if event.new else ' (again)'}"


def _validated(event: Validated, instance: Instance) -> str:
    means = [
        f"{instance.target_label(int(z))} {number(float(mean), 3)}"
        for z, mean in zip(event.targets, event.means, strict=True)
    ]
    return f"means of {plural(event.pulls, 'pull')} each: {', '.join(means[:6])}{', …' if len(means) > 6 else ''}"


def _recommended(event: Recommended, instance: Instance) -> str:
    name, why = instance.target_label(event.target), recorded_text(event.why)
    return f"recommends {name} ({why}), {plural(event.samples, 'sample')}"


def _verifiable(event: BecameVerifiable, instance: Instance) -> str:
    name = instance.target_label(event.target)
    return f"{name} is verifiable: it remained alone, with d = D = {instance.D} in every round"


def _finished(event: RunFinished, instance: Instance) -> str:
    best = event.recommendation
    answer = f"recommends {instance.target_label(best)}" if best >= 0 else "no recommendation"
    return f"run ends ({recorded_text(event.why)}): {answer}, {plural(event.samples, 'sample')}"


_WORDS: dict[str, Callable[[Any, Instance], str]] = {
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
