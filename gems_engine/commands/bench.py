"""`gems bench`: measure how fast this machine is."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from gems_engine.commands.command import Command, add_json, real
from gems_engine.terminal import print_json


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("--seconds", metavar="S", help="approximate time for each line (default 1)")
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine.benchmarks import benchmarks

    lines = []
    for line in benchmarks(real(arguments.seconds, 1.0, "--seconds", 0.0, 600.0)):
        lines.append(line)
        if not arguments.json:
            note = f"  ({line.compared})" if line.compared else ""
            print(f"{line.milliseconds:10.3f} ms  {line.what}{note}", flush=True)
    if arguments.json:
        print_json([asdict(line) for line in lines])
    return 0


COMMAND = Command(
    summary="measure the speed of designs, dimension choices, whole runs and seeks on this machine",
    example="gems bench --seconds 0.2",
    configure=_configure,
    run=_run,
)
