"""`gems doctor`: what this machine has, and whether everything works on it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from gems_engine.commands.command import Command, add_json
from gems_engine.terminal import shown_json

_MARKS = {True: "✓", False: "✗", None: "·"}


def _configure(parser: ArgumentParser) -> None:
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine import checkup as engine
    from gems_gui import checkup as window

    findings = []
    for finding in engine.examined((*engine.CHECKS, *window.CHECKS)):
        findings.append(finding)
        if not arguments.json:
            print(f"{_MARKS[finding.good]} {finding.about:<17} {finding.said}", flush=True)
    broken = [each.about for each in findings if each.good is False]
    if arguments.json:
        print(shown_json({"works": not broken, "findings": [asdict(each) for each in findings]}))
    else:
        print(f"\nWhat does not work: {', '.join(broken)}." if broken else "\nEverything works.")
    return 1 if broken else 0


COMMAND = Command(
    summary="versions, display, Qt's libraries, fonts, and a self-test: does everything work here?",
    example="gems doctor",
    configure=_configure,
    run=_run,
)
