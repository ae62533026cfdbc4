"""`gems render`: pictures of runs, painted without a display."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from gems_engine.commands.command import Command, open_instance, real
from gems_engine.errors import InputError
from gems_engine.terminal import ProgressBar, number
from gems_gui.commands.arguments import MOST_PIXELS, picture_file, picture_size, refuse
from gems_gui.start_checks import painting_obstacle

if TYPE_CHECKING:
    from gems_engine.instance import Instance
    from gems_engine.trace import Trace

CAP = 1_000_000
"""Samples of a run that is made only to be painted."""
_BUDGET_LETTERS = {"i": "ell", "j": "i", "k": "k"}
_LETTERS = {"l": "ell", "ℓ": "ell", "i": "i", "k": "k"}


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "sources",
        metavar="RUN|INSTANCE",
        nargs="+",
        help="a run (.gems), or an instance to run fixed-confidence on: a file or a family as in paper-hard:d_star=9",
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE.png", required=True, help="the picture; of several: FILE-1.png, FILE-2.png, …"
    )
    parser.add_argument("--view", default="board", metavar="NAME", help="one view instead of the whole board")
    parser.add_argument("--at", metavar="STEP", help="after so many events, or at l=5,i=1,k=3 (default: the end)")
    parser.add_argument("--size", default="1600x1000", metavar="WxH", help="in pixels, before --scale (1600x1000)")
    parser.add_argument("--theme", choices=["light", "dark"], default="light", help="(default light)")
    parser.add_argument(
        "--scale", metavar="S", help="so many times the pixels in each direction, for print (default 1)"
    )


def _run(arguments: Namespace) -> int:
    output = picture_file(arguments.output, "-o")
    size = picture_size(arguments.size)
    scale = real(arguments.scale, 1.0, "--scale", 0.0, 8.0)
    if size[0] * size[1] * scale**2 > MOST_PIXELS:
        raise InputError(
            f"--scale {arguments.scale} makes {number(int(size[0] * size[1] * scale**2))} pixels of {arguments.size}: "
            f"at most {MOST_PIXELS // 10**6} million are allowed."
        )
    if obstacle := painting_obstacle():
        return refuse(obstacle)
    start_painting()

    from gems_engine.files import atomic_write
    from gems_engine.parameters import unknown_name
    from gems_gui.render import picture, view_names

    if arguments.view not in view_names():
        raise unknown_name("view", arguments.view, view_names())
    for count, source in enumerate(arguments.sources, 1):
        trace = recorded(source)
        cursor = cursor_at(trace, arguments.at)
        file = output if len(arguments.sources) == 1 else output.with_stem(f"{output.stem}-{count}")
        atomic_write(file, picture(trace, cursor, arguments.view, size, arguments.theme, scale))
        print(
            f"{file}: {arguments.view} of {trace.started.algorithm if trace.started else 'a run'} on "
            f"{trace.instance.name or 'an instance'} after {number(cursor)} of {number(len(trace))} events"
        )
        for note in trace.notes:
            print(f"  {note}")
    return 0


def start_painting() -> None:
    """Make the application, on no screen where that is possible, so that a picture never depends on one."""
    if os.name == "posix":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gems_gui.showing import application

    application()


def recorded(source: str) -> Trace:
    """The run that a word means: a file of one, or a new one on an instance."""
    from gems_engine.files import LIMITS, RUN_SUFFIX, read_run

    file = Path(source)
    if file.suffix.lower() == RUN_SUFFIX or (file.is_file() and file.suffix.lower() not in LIMITS):
        return read_run(source)
    return _run_on(open_instance(source))


def _run_on(instance: Instance) -> Trace:
    from gems_engine.blas import one_blas_thread
    from gems_engine.running import Run
    from gems_engine.trace import Trace

    run = Run(instance, "fixed-confidence", max_samples=CAP)
    trace = Trace(run.instance)
    with ProgressBar("fixed-confidence") as bar, one_blas_thread():
        for event in run:
            trace.append(event)
            bar(min(int(getattr(event, "samples", 0)), CAP), CAP)
    return trace


def cursor_at(trace: Trace, text: str | None) -> int:
    """The cursor that --at means: a number of events, or the end of a loop, subroutine or round."""
    if text is None:
        return len(trace)
    if "=" in text:
        return _end_of_place(trace, text)
    try:
        cursor = int(text)
    except ValueError:
        raise InputError(f"--at {text!r}: write a number of events, or a place as in l=5,i=1,k=3.") from None
    if not 0 <= cursor <= len(trace):
        raise InputError(f"--at {text}: the run has {len(trace)} events, so that it must be from 0 to {len(trace)}.")
    return cursor


def _end_of_place(trace: Trace, text: str) -> int:
    from gems_engine.wording import place_names, place_text

    algorithm = trace.started.algorithm if trace.started is not None else ""
    budget = "j" in place_names(algorithm)
    letters = _BUDGET_LETTERS if budget else _LETTERS
    wanted: dict[str, int] = {}
    for part in text.split(","):
        letter, _, value = (each.strip() for each in part.partition("="))
        if letter not in letters or not value.isdecimal() or letters[letter] in wanted:
            example = "i=5,j=1,k=3" if budget else "l=5,i=1,k=3"
            raise InputError(f"--at {text!r}: {part.strip()!r} is no part of a place in this run, as in {example}.")
        wanted[letters[letter]] = int(value)
    found = trace.find(**wanted)
    if found is None:
        last = place_text(trace[int(trace.rounds[-1])].place, algorithm) if len(trace.rounds) else "nowhere"
        raise InputError(f"--at {text}: the run never comes there; its last round is {last}.")
    depth = 3 if "k" in wanted else 2 if "i" in wanted else 1

    def place(at: int) -> tuple[int, ...]:
        where = trace[at].place
        return (where.ell, where.i, where.k)[:depth]

    end = found
    while end < len(trace) and place(end) == place(found):
        end += 1
    return end


COMMAND = Command(
    summary="paint a run, or a view of it, into a picture; needs no display",
    example="gems render run.gems -o run.png",
    configure=_configure,
    run=_run,
)
