"""How two runs differ, in words and table rows, for the command line and the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from gems_engine.algorithms import algorithm_title, subroutine_title
from gems_engine.diff import Difference, FieldDifference
from gems_engine.events import Event
from gems_engine.instance import Instance
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_engine.wording import describe, ordinal, place_text, recorded_text

_FEW = 6  # entries of an array that are shown
Row = tuple[str, str, str, str]
"""What differs, both values, and their relative difference where that is defined."""


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
    if not found.rounding:
        way = "only in the steps of a solver; its results are identical"
        if found.parted is None:
            return f"The runs differ {way}."
        return f"The runs diverge at event {ordinal(found.parted)}; before it they differ {way}."
    if found.only_rounding:
        return f"The runs differ only by rounding, with {most}."
    if found.parted is None:
        return f"The runs differ only in floats, with {most}."
    return f"The runs diverge at event {ordinal(found.parted)}; before it they differ only in floats, with {most}."


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
