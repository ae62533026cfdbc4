"""The registry of the subcommands of `gems`, one file each.

To add one, write a file with a `Command` and add a line to `BUILT_IN`. Other packages add theirs through the
entry-point group ``gems.commands``; the window does so, and the engine never imports it. Modules here import the
engine inside `run`, so that `gems --help` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gems_engine.commands.command import Command
from gems_engine.errors import InputError
from gems_engine.plugins import OWN, BrokenPlugin, PluginGroup, Plugins, plugins

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

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
    "plugin",
    "bench",
    "demo",
)
"""Modules of this package, in the order of the help."""
WINDOW = "window"
"""The command that `gems` runs without arguments, if another package provides it."""


def built_in_commands() -> dict[str, Command]:
    """The subcommands of the engine by name."""
    return {name: import_module(f"gems_engine.commands.{name}").COMMAND for name in BUILT_IN}


def plugin_commands() -> Plugins[Command]:
    """The subcommands of other packages; only the window may replace a built-in one."""
    return plugins("gems.commands", "command", _checked)


def commands() -> dict[str, Command]:
    """All subcommands by name; those of other packages come last."""
    return {**built_in_commands(), **plugin_commands().usable}


def plugin_groups() -> list[PluginGroup]:
    """The groups of entry points that the commands use, without that of the commands themselves."""
    return [group for command in commands().values() for group in command.groups]


def broken_plugins() -> list[BrokenPlugin]:
    """The plug-ins of all groups that cannot be used; a module is imported only if a package has such a plug-in."""
    found = [each for group in plugin_groups() for each in group.find().broken]
    return [*found, *plugin_commands().broken]


def _checked(entry: EntryPoint, found: Any) -> Command:
    if not isinstance(found, Command):
        raise InputError(f"it is of the type {type(found).__name__}, not a Command.")
    if not (isinstance(found.summary, str) and isinstance(found.example, str)):
        raise InputError("its summary and its example must be text.")
    if not (callable(found.configure) and callable(found.run)):
        raise InputError("its configure and run must be functions.")
    if not all(isinstance(group, PluginGroup) for group in found.groups):
        raise InputError("its groups must be a tuple of PluginGroup.")
    if entry.name in BUILT_IN and not entry.value.startswith(OWN):
        raise InputError("a built-in command has this name. Rename it.")
    return found
