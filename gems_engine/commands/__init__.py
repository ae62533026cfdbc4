"""The registry of the subcommands of `gems`, one file each.

A new one is a file with a `Command` and a line in `BUILT_IN`. Another package adds one by the entry-point group
``gems.commands``, which is how the window comes in without the engine ever importing it. Modules here
import the engine inside `run`, so that `gems --help` is instant.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points

from gems_engine.commands.command import Command

BUILT_IN = (
    "run",
    "verify",
    "diff",
    "instance",
    "design",
    "certify",
    "complexity",
    "experiment",
    "report",
    "bench",
    "demo",
)
"""Modules of this package, in the order of the help."""
WINDOW = "window"
"""The command that bare `gems` runs, if another package brings it."""


def commands() -> dict[str, Command]:
    """All subcommands by name, those of other packages after our own and replacing them where they say so."""
    found = {name: import_module(f"gems_engine.commands.{name}").COMMAND for name in BUILT_IN}
    for entry in sorted(entry_points(group="gems.commands"), key=lambda each: each.name):
        found[entry.name] = entry.load()
    return found
