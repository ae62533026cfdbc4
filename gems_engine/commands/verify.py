"""`gems verify`: run a recorded run again and compare every event."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command, add_json
from gems_engine.terminal import ProgressBar, number, print_json

if TYPE_CHECKING:
    from gems_engine.events import Event
    from gems_engine.trace import Trace
    from gems_engine.verification import Verdict

_ROWS = 6  # differences shown per event


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a .gems file")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.commands.run import forced_lines
    from gems_engine.diff import differences_between
    from gems_engine.diff_wording import side_by_side
    from gems_engine.files import read_run
    from gems_engine.verification import verify
    from gems_engine.wording import describe, ordinal

    trace = read_run(arguments.run)
    for note in () if arguments.json else trace.notes:
        print(note)
    with ProgressBar("verify") as bar:
        verdict = verify(trace, bar)
    if arguments.json:
        print_json(_as_dict(arguments.run, trace, verdict))
        return 0 if verdict.alike else 1
    if verdict.alike:
        said = f"{arguments.run}: all {number(verdict.checked)} events are the same."
        if verdict.regraded is not None or verdict.rounded is not None:
            said = f"{arguments.run}: every decision in its {number(verdict.checked)} events is the same."
        if verdict.regraded is not None:
            said += (
                f" From event {ordinal(verdict.regraded)} on, the bounds, status or reason of some designs differ: "
                "another version of this program proved them."
            )
        if verdict.rounded is not None:
            cause = f"the run was made by {made_by}" if (made_by := _versions(trace)) else "as on another processor"
            said += (
                f" From event {ordinal(verdict.rounded)} on, numbers differ by rounding errors (relative "
                f"difference at most {verdict.rounding:.1e}): {cause}."
            )
        print("\n".join([said, *forced_lines(trace)]))
        return 0
    old, new = (
        "nothing" if event is None else f"{event.kind}: {describe(event, trace.instance)}"
        for event in (verdict.recorded, verdict.again)
    )
    print(f"{arguments.run}: event {ordinal(verdict.checked)} differs.\n  recorded  {old}\n  now       {new}")
    fields = differences_between(verdict.recorded, verdict.again)
    rows, more = side_by_side((each for each in fields if not each.on_the_way), _ROWS)
    for name, recorded, again, _ in rows:
        print(f"  {name}: {recorded} recorded, {again} now")
    if more:
        print(f"  … and {number(more)} more")
    if verdict.other_design:
        print("  Both designs are optimal within their tolerance: the solver has changed, and so has the run.")
    made_by = _versions(trace)
    if made_by:
        print(f"  The run was made by {made_by}: another version may round or break ties differently.")
    return 1


def _as_dict(file: str, trace: Trace, verdict: Verdict) -> dict[str, Any]:
    """The verdict as plain values for JSON; events are counted from 0."""
    from gems_engine.diff import differences_between
    from gems_engine.diff_wording import side_by_side
    from gems_engine.wording import describe

    def shown(event: Event | None) -> dict[str, str] | None:
        return None if event is None else {"kind": event.kind, "text": describe(event, trace.instance)}

    fields = [] if verdict.alike else differences_between(verdict.recorded, verdict.again)
    rows, _ = side_by_side((each for each in fields if not each.on_the_way), 10**9)
    return {
        "run": file,
        "same_events": verdict.same,
        "same_decisions": verdict.alike,
        "events_checked": verdict.checked,
        "first_proof_that_differs": verdict.regraded,
        "first_event_that_differs_by_rounding": verdict.rounded,
        "largest_rounding": verdict.rounding,
        "recorded": shown(verdict.recorded),
        "now": shown(verdict.again),
        "differences": [{"field": name, "recorded": old, "now": new} for name, old, new, _ in rows],
        "made_by_other_versions": _versions(trace) or None,
        "forced": trace.started.forced if trace.started is not None else {},
        "notes": list(trace.notes),
    }


def _versions(trace: Trace) -> str:
    """The versions that made a run, as far as they differ from those installed; empty if none does."""
    from gems_engine.running import versions

    here = versions()
    made = trace.started.versions if trace.started is not None else {}
    return ", ".join(
        f"{name} of an unknown version" if version == "unknown" else f"{name} {version}"
        for name, version in made.items()
        if here.get(name) != version
    )


COMMAND = Command(
    summary="run a recorded run again from its seed, and compare every event",
    example="gems run paper-hard --max-samples 1e5 -o run.gems && gems verify run.gems",
    configure=_configure,
    run=_run,
)
