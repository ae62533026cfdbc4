"""The registry of the subcommands of `gems`, one file each.

To add one, write a file with a `Command` and add a line to `BUILT_IN`. Other packages add theirs through the
entry-point group ``gems.commands``; the window does so, and the engine never imports it. Modules here import the
engine inside `run`, so that `gems --help` is fast.
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
"""The command that `gems` runs without arguments, if another package provides it."""


def commands() -> dict[str, Command]:
    """All subcommands by name; those of other packages come last and replace built-in ones of the same name."""
    found = {name: import_module(f"gems_engine.commands.{name}").COMMAND for name in BUILT_IN}
    for entry in sorted(entry_points(group="gems.commands"), key=lambda each: each.name):
        found[entry.name] = entry.load()
    return found
