"""`gems plugin`: write a new package with a plug-in, and check the contracts of installed ones."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command, add_json
from gems_engine.errors import InputError
from gems_engine.terminal import mark, shown_json

if TYPE_CHECKING:
    from gems_engine.self_test import Finding

_KINDS = ("algorithm", "family", "metric", "view", "experiment")
EXAMPLES = {"new": "gems plugin new my-algorithm", "check": "gems plugin check --all"}
"""An example command line for each action."""


def _configure(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(
        dest="action", metavar="new | check", required=True, help="write a package, or check one"
    )
    new = actions.add_parser(
        "new", help="write a package with a plug-in that works", epilog=f"Example: {EXAMPLES['new']}"
    )
    new.add_argument("name", metavar="NAME", help="name of the package and of the plug-in, such as my-algorithm")
    new.add_argument("--kind", choices=_KINDS, default="algorithm", help="what it provides (default: algorithm)")
    new.add_argument("-o", "--output", metavar="DIR", help="folder to write, which must not exist (default: NAME)")
    check = actions.add_parser(
        "check",
        help="run an installed plug-in and check its contract; exit code 1 if it does not meet it",
        epilog=f"Example: {EXAMPLES['check']}",
    )
    check.add_argument("name", metavar="NAME", nargs="?", help="name of the plug-in, or of a built-in algorithm")
    check.add_argument("--all", action="store_true", help="check every installed plug-in")
    add_json(check)


def _run(arguments: Namespace) -> int:
    return _new(arguments) if arguments.action == "new" else _check(arguments)


def _new(arguments: Namespace) -> int:
    from pathlib import Path

    from gems_engine.plugin_scaffold import KINDS, new_plugin

    folder = Path(arguments.output if arguments.output is not None else arguments.name)
    files = new_plugin(arguments.name, arguments.kind, folder)
    name = arguments.name.replace("-", "_") if arguments.kind == "metric" else arguments.name
    print(f"Written: {', '.join(str(each) for each in files)}.")
    print("\nNext:")
    for line in (f"pip install -e {folder}", f"gems plugin check {name}", KINDS[arguments.kind].trial):
        print(f"  {line.replace('@NAME@', name)}")
    return 0


def _check(arguments: Namespace) -> int:
    from gems_engine.plugin_contract import installed_plugins

    if arguments.all == (arguments.name is not None):
        raise InputError("Give the NAME of a plug-in, or --all.")
    names = list(dict.fromkeys(name for _, name in installed_plugins())) if arguments.all else [arguments.name]
    found = []
    for name in names:
        found += list(_said(name, arguments.json))
    works = all(each["good"] for each in found)
    if arguments.json:
        print(shown_json({"works": works, "findings": found}))
    elif not names:
        print("No plug-ins are installed. Write one with gems plugin new NAME.")
    return 0 if works else 1


def _said(name: str, quiet: bool) -> Iterable[dict[str, Any]]:
    """The findings about the plug-ins of a name; each is printed when it is known, unless JSON is printed later."""
    before = ""
    for what, finding in _findings(name):
        if not quiet:
            if what != before:
                print(f"{what} {name}")
                before = what
            print(f"  {mark(bool(finding.good))} {finding.about:<21} {finding.result}", flush=True)
        yield {"plugin": name, "kind": what, **asdict(finding)}


def _findings(name: str) -> Iterable[tuple[str, Finding]]:
    from gems_engine.algorithms import BUILT_IN
    from gems_engine.algorithms.contract import check_algorithm
    from gems_engine.plugin_contract import check_plugin

    if name in BUILT_IN:
        return (("algorithm", finding) for finding in check_algorithm(name))
    return check_plugin(name)


COMMAND = Command(
    summary="write a package with your own algorithm, family, metric, view or experiment, or check one",
    example=EXAMPLES["new"],
    configure=_configure,
    run=_run,
)
