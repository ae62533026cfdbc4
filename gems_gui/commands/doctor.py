"""`gems doctor`: checks whether everything works on this machine."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from gems_engine.commands.command import Command, add_json
from gems_engine.terminal import print_json


def _configure(parser: ArgumentParser) -> None:
    add_json(parser)


def _run(arguments: Namespace) -> int:
    from gems_engine import self_test as engine  # imports platform, not needed to list commands
    from gems_gui import self_test  # imports subprocess, not needed to list commands

    findings = []
    for finding in engine.examined((*engine.CHECKS, *self_test.CHECKS)):
        findings.append(finding)
        if not arguments.json:
            print(f"{self_test.MARKS[finding.good]} {finding.about:<17} {finding.result}", flush=True)
    works = all(each.good is not False for each in findings)
    if arguments.json:
        print_json({"works": works, "findings": [asdict(each) for each in findings]})
    else:
        print(f"\n{self_test.verdict(findings)}")
    return 0 if works else 1


COMMAND = Command(
    summary="check versions, display, Qt libraries and fonts, and run a self-test",
    example="gems doctor",
    configure=_configure,
    run=_run,
)
