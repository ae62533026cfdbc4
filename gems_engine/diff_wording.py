"""How two runs differ, in words and table rows, for the command line and the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from gems_engine.algorithms import algorithm_title, subroutine_title
from gems_engine.decisions import DIMENSION, ENDED, Decision
from gems_engine.diff import Comparison, Difference, FieldDifference
from gems_engine.events import Event, Recommended
from gems_engine.instance import Instance
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace
from gems_engine.wording import ORACLES, describe, listed, ordinal, place_text, recorded_text

_FEW = 6  # entries of an array that are shown
_NAMED = 3  # eliminated arms that are named in a sentence
_NAMES = ("the first run", "the second run")
Row = tuple[str, str, str, str]
"""What differs, both values, and their relative difference where that is defined."""


def difference_text(
    comparison: Comparison,
    over: tuple[bool, bool] = (True, True),
    *,
    busy: bool = False,
    truth: bool = True,
    names: tuple[str, str] = _NAMES,
) -> str:
    """The differences of two runs, in a few sentences: where they begin, and where the decisions first differ.

    Parameters
    ----------
    over
        Whether each run has ended.
    busy
        Whether there are events that have not been compared yet.
    truth
        Whether the truth may be shown: the dimension of an oracle is d⋆.
    names
        What the two runs are called if neither their algorithms nor their seeds tell them apart.
    """
    found, a, b = comparison.found, comparison.a, comparison.b
    if found.position is not None:
        decided = decision_text(found, a, b, truth, names) or ("" if busy else alike_text(found, all(over)))
        if _differs(found, "algorithm"):
            words = ["The instances differ." if _other_instance(found) else "", decided]
        elif seeds := seed_text(found, a, b):
            words = [seeds, rewards_text(found, a, b) or where_text(found, a, b), decided]
        elif _other_instance(found):
            words = ["The instances differ.", where_text(found, a, b), decided]
        else:
            words = [where_text(found, a, b), rounding_text(found), decided]
        return " ".join(filter(None, (*words, _compared(comparison) if busy else "")))
    if busy:
        return f"No event differs so far. {_compared(comparison)}"
    asked = ", although their settings differ" if found.settings else ""
    if all(over):
        return f"All {number(comparison.events)} events are the same{asked}."
    return f"The {number(comparison.events)} events that both have are the same{asked}."


def _compared(comparison: Comparison) -> str:
    most = min(len(comparison.a), len(comparison.b))
    return f"{number(min(comparison.events, most))} of {plural(most, 'event')} compared."


def _differs(found: Difference, name: str) -> bool:
    return any(each.name == name for each in found.settings)


def _other_instance(found: Difference) -> bool:
    return any(each.name.startswith("instance.") for each in found.settings)


def seed_text(found: Difference, a: Trace, b: Trace) -> str:
    """That two runs have different seeds, from their start or from a branch on; empty if they have the same."""
    for each in found.settings:
        if each.name == "seed":
            return f"The seeds differ ({each.a} and {each.b})."
    for each in found.settings:  # in the order of the events
        part, _, rest = each.name.partition(".")
        at, _, name = rest.partition(".")
        if part == "forced" and name == "seed":
            first, second = (_seed(value, trace) for value, trace in ((each.a, a), (each.b, b)))
            return f"The seeds differ after event {number(int(at))} ({first} and {second})."
    return ""


def _seed(forced: int | None, trace: Trace) -> int:
    return forced if forced is not None or trace.started is None else trace.started.seed  # type: ignore[return-value]


def rewards_text(found: Difference, a: Trace, b: Trace) -> str:
    """Where the rewards of two runs first differ; empty if they are nowhere comparable and different."""
    if found.rewards is None:
        return ""
    first, second = found.rewards
    if first == second:
        return f"The rewards first differ at event {_located(a, first)}."
    return f"The rewards first differ at event {_located(a, first)} and event {_located(b, second)}."


def _located(trace: Trace, position: int) -> str:
    """The number of an event and its place: "57 (ℓ 4 · i 1 · k 2)"."""
    place = place_text(trace[position].place, trace.started.algorithm if trace.started else "")
    return f"{ordinal(position)}{f' ({place})' if place else ''}"


def decision_text(found: Difference, a: Trace, b: Trace, truth: bool = True, names: tuple[str, str] = _NAMES) -> str:
    """The first decision in which two runs differ, in a sentence; empty if there is none."""
    first = found.decision
    if first is None:
        return ""
    places = [_place(trace, each) for trace, each in ((a, first.a), (b, first.b))]
    same = places[0] == places[1]
    says = [
        f"{who} {what}{'' if same or not place else f' ({place})'}"
        for who, what, place in zip(_who(found, names), decided(found, a, b, truth), places, strict=True)
    ]
    where = f" at {places[0]}," if same and places[0] else ""
    return f"The decisions first differ{where} {_after(first.a.samples, first.b.samples)}: {says[0]}; {says[1]}."


def alike_text(found: Difference, over: bool) -> str:
    """That two runs differ in no decision: a recommendation before any sample is a guess."""
    guess = isinstance(found.a, Recommended) and isinstance(found.b, Recommended) and not found.a.samples
    return f"All decisions are the same{'' if over else ' so far'}{', except the guess before any sample' * guess}."


def decided(found: Difference, a: Trace, b: Trace, truth: bool = True) -> tuple[str, str]:
    """What each run decides where the decisions first differ: "chooses d = 1", "eliminates x_4"."""
    assert found.decision is not None
    what, first, second = found.decision.what, found.decision.a, found.decision.b
    return _decided(what, first, second.value, a, truth), _decided(what, second, first.value, b, truth)


def _place(trace: Trace, decision: Decision) -> str:
    return place_text(decision.place, trace.started.algorithm if trace.started else "")


def _who(found: Difference, names: tuple[str, str]) -> tuple[str, str]:
    """What tells the two runs apart."""
    for each in found.settings:
        if each.name == "algorithm":
            return algorithm_title(each.a), algorithm_title(each.b)
        if each.name == "seed":
            return f"seed {each.a}", f"seed {each.b}"
    return names


def _decided(what: str, decision: Decision, other: Any, trace: Trace, truth: bool) -> str:
    label, value = trace.instance.target_label, decision.value
    if isinstance(value, tuple):  # the arms that only one of them eliminates
        own = [each for each in value if each not in other]
        return f"eliminates {listed(own, label, _NAMED)}" if own else "does not" if value else "eliminates nothing"
    if what in (DIMENSION, ENDED):
        told = trace.started is not None and trace.started.algorithm in ORACLES and not truth
        verb = "continues with" if what == ENDED else "chooses"
        return "has ended" if value is None else f"{verb} {'the hidden d' if told else f'd = {value}'}"
    return "recommends nothing" if value is None else f"recommends {label(value)}"


def _after(first: int, second: int) -> str:
    if first == second:
        return f"after {plural(first, 'sample')}" if first else "before any sample"
    return f"after {number(first)} and {number(second)} samples"


def position_text(found: Difference, a: Trace, b: Trace) -> str:
    """The first event that differs: "event 57 (ℓ 4 · i 1 · k 2)"."""
    event, trace = (found.a, a) if found.a is not None else (found.b, b)
    assert event is not None
    place = place_text(event.place, trace.started.algorithm if trace.started else "")
    return f"event {ordinal(found.position)}{f' ({place})' if place else ''}"


def where_text(found: Difference, a: Trace, b: Trace) -> str:
    """The first event that differs, in a sentence."""
    event = found.a or found.b
    assert event is not None
    kind = event.kind if type(found.a) is type(found.b) else "the kinds differ"
    return f"The first event that differs is {position_text(found, a, b)}: {kind}."


def event_text(event: Event | None, trace: Trace) -> str:
    """The event of one run at the first difference."""
    if event is None:
        return "nothing: the run has ended"
    return f"{event.kind}: {describe(event, trace.instance, trace.started.algorithm if trace.started else '')}"


def rounding_text(found: Difference) -> str:
    """Whether two runs whose events differ do so only by rounding, in a sentence."""
    if found.widest is None:
        return "All events before it are identical."
    most = f"a relative difference of at most {number(found.rounding, 3)} (event {ordinal(found.widest)})"
    parts = "The runs diverge at" if found.decision else "Their steps first differ at"
    if not found.rounding:
        way = "only in the steps of a solver; its results are identical"
        if found.parted is None:
            return f"The runs differ {way}."
        return f"{parts} event {ordinal(found.parted)}; before it they differ {way}."
    if found.only_rounding:
        return f"The runs differ only by rounding, with {most}."
    if found.parted is None:
        return f"The runs differ only in floats, with {most}."
    return f"{parts} event {ordinal(found.parted)}; before it they differ only in floats, with {most}."


def side_by_side(
    fields: Iterable[FieldDifference], most: int, instances: tuple[Instance, Instance] | None = None
) -> tuple[list[Row], int]:
    """One row for each entry that differs, ``most`` at most, and how many more there are.

    Parameters
    ----------
    instances
        The instances of the two runs, if the differences are in an event: arms and targets then appear by label.
    """
    rows: list[Row] = []
    more = 0
    for field in fields:
        room = most - len(rows)
        for name, a, b, relative in islice(field.pairs(), room):
            words = _named(field.name, a, b, instances)
            rows.append((name, *words, "" if relative is None else number(relative, 3)))
        more += max(max(len(field.entries), 1) - room, 0)
    return rows, more


_TARGETS = ("target", "targets", "by", "survivors", "recommendation")
_ARMS = ("arms", "support")
"""Fields of events that hold indices."""
_TITLED: dict[str, Callable[[str], str]] = {"algorithm": algorithm_title, "name": subroutine_title}
"""The fields that hold ids: of the algorithm of a run, and of the subroutine that is called."""


def _named(name: str, a: Any, b: Any, instances: tuple[Instance, Instance] | None) -> tuple[str, str]:
    """Two values of a field: algorithms by title, arms and targets by label, or by index if the labels are equal."""
    if name in _TITLED:
        return _TITLED[name](str(a)), _TITLED[name](str(b))
    if instances is None or name not in (*_TARGETS, *_ARMS):
        return both(a, b)
    known = [_labelled(value, name, instance) for value, instance in zip((a, b), instances, strict=True)]
    return (known[0], known[1]) if known[0] != known[1] else both(a, b)


def _labelled(value: Any, name: str, instance: Instance) -> str:
    """An index, or a few of them, by label."""
    rows, label = (instance.arms, instance.arm_label) if name in _ARMS else (instance.targets, instance.target_label)
    if isinstance(value, int) and 0 <= value < len(rows):
        return label(value)
    if getattr(value, "ndim", 0) == 1 and 0 < len(value) <= _FEW:
        return f"({', '.join(_labelled(each, name, instance) for each in value.tolist())})"
    return _word(value)


def both(a: Any, b: Any) -> tuple[str, str]:
    """Two values with enough digits to see that they differ."""
    if isinstance(a, float) and isinstance(b, float):
        for digits in range(6, 18):
            one, other = number(a, digits), number(b, digits)
            if one != other:
                return one, other
        return repr(a), repr(b)
    return _word(a), _word(b)


def _word(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number(value, 6)
    if hasattr(value, "shape"):
        size = " × ".join(number(each) for each in value.shape)
        return (
            f"{size} numbers" if value.ndim > 1 or value.size > _FEW else f"({', '.join(map(_word, value.tolist()))})"
        )
    if hasattr(value, "ell"):
        return f"({value.ell}, {value.i}, {value.k})"
    return recorded_text(str(value))
