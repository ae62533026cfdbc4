"""`gems diff`: find the first event and the first decision in which two recorded runs differ."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command, add_json
from gems_engine.terminal import ProgressBar, number, plural, print_json, table

if TYPE_CHECKING:
    from gems_engine.decisions import DecisionDifference
    from gems_engine.diff import Comparison, Difference, FieldDifference
    from gems_engine.instance import Instance
    from gems_engine.trace import Trace

_ROWS = 20  # per table


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("a", metavar="RUN", help="a .gems file")
    parser.add_argument("b", metavar="RUN", help="another .gems file")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.diff import Comparison
    from gems_engine.files import read_run

    a, b = read_run(arguments.a), read_run(arguments.b)
    comparison, most = Comparison(a, b), max(len(a), len(b))
    with ProgressBar("diff") as bar:
        while not comparison.update(0.0):
            bar(comparison.events, most)
    found = comparison.found
    if arguments.json:
        print_json(as_dict(found))
    else:
        for name, trace in ((arguments.a, a), (arguments.b, b)):
            for note in trace.notes:
                print(f"{name}: {note}")
        print(text(comparison))
    return 0 if found.same else 1


def text(comparison: Comparison) -> str:
    """The differences between two runs, A and B, as text."""
    from gems_engine.diff_wording import difference_text, event_text

    found, a, b = comparison.found, comparison.a, comparison.b
    lines = [f"A  {_title(a)}", f"B  {_title(b)}"]
    if found.settings:
        lines += ["", "Their settings differ:", _table(found.settings)]
    lines += ["", difference_text(comparison)]
    if any(each.name == "algorithm" for each in found.settings):
        return "\n".join(lines)  # other algorithms have other events
    if found.fields:
        lines += [_table(found.fields, (a.instance, b.instance))]
    elif found.position is not None:
        lines += [f"  A  {event_text(found.a, a)}", f"  B  {event_text(found.b, b)}"]
    return "\n".join(lines)


def _title(trace: Trace) -> str:
    from gems_engine.algorithms import algorithm_title
    from gems_engine.commands.run import forced_lines

    started = trace.started
    if started is None:
        return f"a run without its first event on {trace.instance.name}"
    forced = "".join(f",{line[1:]}" for line in forced_lines(trace))
    many = plural(len(trace), "event")
    return f"{algorithm_title(started.algorithm)} on {trace.instance.name}, seed {started.seed}{forced}: {many}"


def _table(fields: Iterable[FieldDifference], instances: tuple[Instance, Instance] | None = None) -> str:
    from gems_engine.diff_wording import side_by_side

    found, more = side_by_side(fields, _ROWS, instances)
    rows = [list(row) for row in found]
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    lines = table(["", "A", "B", "relative"][: len(rows[0])], rows, left=1)
    return lines + (f"\n… and {number(more)} more" if more else "")


def as_dict(found: Difference) -> dict[str, Any]:
    """The differences as plain values for JSON; events are numbered from 1."""
    return {
        "same": found.same,
        "only_rounding": found.only_rounding,
        "events": list(found.events),
        "settings": [_field(each) for each in found.settings],
        "position": _from_one(found.position),
        "place": _plain(found.place),
        "kinds": [None if each is None else each.kind for each in (found.a, found.b)],
        "fields": [_field(each) for each in found.fields],
        "parted": _from_one(found.parted),
        "rounding": found.rounding,
        "widest": _from_one(found.widest),
        "rewards": None if found.rewards is None else [_from_one(each) for each in found.rewards],
        "decision": None if found.decision is None else _decision(found.decision),
    }


def _decision(found: DecisionDifference) -> dict[str, Any]:
    sides = {
        name: {
            "value": each.value,
            "event": _from_one(each.event),
            "place": _plain(each.place),
            "samples": each.samples,
        }
        for name, each in (("a", found.a), ("b", found.b))
    }
    return {"what": found.what, **sides}


def _from_one(position: int | None) -> int | None:
    """The number of an event: the first is 1, and with --at N event N is the last one shown."""
    return None if position is None else position + 1


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
    summary="compare two recorded runs: the first event and the first decision that differ",
    example="gems run paper-hard -o a.gems && gems run paper-hard --seed 1 -o b.gems && gems diff a.gems b.gems",
    configure=_configure,
    run=_run,
)
