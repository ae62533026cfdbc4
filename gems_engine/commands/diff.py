"""`gems diff`: where do two recorded runs part?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command, add_json
from gems_engine.terminal import ProgressBar, number, shown_json, table

if TYPE_CHECKING:
    from gems_engine.diff import Difference, FieldDifference
    from gems_engine.events import Event
    from gems_engine.trace import Trace

_ROWS = 20  # of one table


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("a", metavar="RUN", help="a .gems file")
    parser.add_argument("b", metavar="RUN", help="another one")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.diff import compare
    from gems_engine.files import read_run

    a, b = read_run(arguments.a), read_run(arguments.b)
    with ProgressBar("diff") as bar:
        found = compare(a, b, bar)
    if arguments.json:
        print(shown_json(as_dict(found)))
    else:
        for name, trace in ((arguments.a, a), (arguments.b, b)):
            for note in trace.notes:
                print(f"{name}: {note}")
        print(text(found, a, b))
    return 0 if found.same else 1


def text(found: Difference, a: Trace, b: Trace) -> str:
    """What differs, for people; ``a`` and ``b`` are the runs that were compared."""
    lines = [f"A  {_title(a)}", f"B  {_title(b)}"]
    if found.settings:
        lines += ["", "They were asked differently:", _side_by_side(found.settings)]
    if found.position is None:
        lines += [
            "",
            f"All {number(found.events[0])} events are the same." if found.same else "All events are the same.",
        ]
        return "\n".join(lines)
    lines += ["", _where(found, a, b)]
    if found.fields:
        lines += [_side_by_side(found.fields)]
    else:
        lines += [f"  A  {_said(found.a, a)}", f"  B  {_said(found.b, b)}"]
    lines += ["", _rounding(found)]
    return "\n".join(lines)


def _title(trace: Trace) -> str:
    from gems_engine.commands.run import forced_lines

    started = trace.started
    if started is None:
        return f"a run without a beginning on {trace.instance.name}"
    forced = "".join(f",{line[1:]}" for line in forced_lines(trace))
    many = f"{number(len(trace))} events"
    return f"{started.algorithm} on {trace.instance.name}, seed {started.seed}{forced}: {many}"


def _where(found: Difference, a: Trace, b: Trace) -> str:
    from gems_engine.wording import place_text

    event, trace = (found.a, a) if found.a is not None else (found.b, b)
    assert event is not None
    place = place_text(event.place, trace.started.algorithm if trace.started else "")
    kind = event.kind if type(found.a) is type(found.b) else "not of the same kind"
    return f"The first event that differs is event {number(found.position)}{f' ({place})' if place else ''}: {kind}."


def _said(event: Event | None, trace: Trace) -> str:
    from gems_engine.wording import describe

    return "nothing: the run has ended" if event is None else f"{event.kind}: {describe(event, trace.instance)}"


def _rounding(found: Difference) -> str:
    if found.widest is None:
        return "Before it, not a single bit differs."
    most = f"by a part of at most {number(found.rounding, 3)} (event {number(found.widest)})"
    if found.only_rounding:
        return f"The runs differ only by rounding: in floats alone, {most}."
    if found.parted is None:
        return f"To the end the runs differ in floats alone, {most}."
    return f"They part at event {number(found.parted)}; before it they differ in floats alone, {most}."


def _side_by_side(fields: Iterable[FieldDifference]) -> str:
    rows: list[list[str]] = []
    more = 0
    for field in fields:
        for name, a, b, relative in field.pairs():
            if len(rows) < _ROWS:
                rows.append([name, *_both(a, b), "" if relative is None else number(relative, 3)])
            else:
                more += 1
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    lines = table(["", "A", "B", "relative"][: len(rows[0])], rows, left=1)
    return lines + (f"\n… and {number(more)} more" if more else "")


def _both(a: Any, b: Any) -> tuple[str, str]:
    """Two values with as many digits as it takes to see that they differ."""
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
        return f"{size} numbers" if value.ndim > 1 or value.size > 6 else f"({', '.join(map(_word, value.tolist()))})"
    if hasattr(value, "ell"):
        return f"({value.ell}, {value.i}, {value.k})"
    return str(value)


def as_dict(found: Difference) -> dict[str, Any]:
    """What differs, as plain values for JSON."""
    return {
        "same": found.same,
        "only_rounding": found.only_rounding,
        "events": list(found.events),
        "settings": [_field(each) for each in found.settings],
        "position": found.position,
        "place": _plain(found.place),
        "kinds": [None if each is None else each.kind for each in (found.a, found.b)],
        "fields": [_field(each) for each in found.fields],
        "parted": found.parted,
        "rounding": found.rounding,
        "widest": found.widest,
    }


def _field(each: FieldDifference) -> dict[str, Any]:
    if not len(each.entries):
        relative = each.largest if len(each.relative) else None
        return {"name": each.name, "a": _plain(each.a), "b": _plain(each.b), "relative": relative}
    flat = each.entries
    return {
        "name": each.name,
        "entries": flat,
        "a": each.a.ravel()[flat],
        "b": each.b.ravel()[flat],
        "relative": each.relative if len(each.relative) else None,
    }


def _plain(value: Any) -> Any:
    return {"ell": value.ell, "i": value.i, "k": value.k} if hasattr(value, "ell") else value


COMMAND = Command(
    summary="compare two recorded runs and show the first event that differs",
    example="gems diff run.gems run.gems",
    configure=_configure,
    run=_run,
)
