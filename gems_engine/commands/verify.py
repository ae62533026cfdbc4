"""`gems verify`: run a recorded run again and compare every event."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gems_engine.commands.command import Command
from gems_engine.terminal import ProgressBar, number

if TYPE_CHECKING:
    from gems_engine.trace import Trace

_ROWS = 6  # differences shown per event


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a .gems file")


def _run(arguments: Namespace) -> int:
    from gems_engine.commands.run import forced_lines
    from gems_engine.diff import differences_between
    from gems_engine.diff_wording import side_by_side
    from gems_engine.files import read_run
    from gems_engine.verification import verify
    from gems_engine.wording import describe, ordinal

    trace = read_run(arguments.run)
    for note in trace.notes:
        print(note)
    with ProgressBar("verify") as bar:
        verdict = verify(trace, bar)
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
