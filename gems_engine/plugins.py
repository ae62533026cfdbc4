"""Plug-ins, which other packages provide by entry points; a broken one is listed and never used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gems_engine.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
OWN = "gems_gui."
"""The package of this project that has entry points: the window, which the engine never imports."""
_LONGEST = 200  # characters of an error in a sentence


@dataclass(frozen=True)
class BrokenPlugin:
    """An entry point that cannot be used, and why.

    Attributes
    ----------
    what
        ``algorithm`` or ``command``.
    name, package
        The name of the entry point, and the package that has it; empty if unknown.
    reason
        One sentence.
    """

    what: str
    name: str
    package: str
    reason: str

    @property
    def sentence(self) -> str:
        """What is broken, and why."""
        name = f' "{self.name}"' if self.name else "s"
        return f"The {self.what}{name}{_of(self.package)} cannot be used: {self.reason}"


@dataclass
class Plugins(Generic[T]):
    """The usable plug-ins of a group by name, and the broken ones."""

    usable: dict[str, T] = field(default_factory=dict)
    broken: list[BrokenPlugin] = field(default_factory=list)


def plugins(group: str, what: str, check: Callable[[EntryPoint, Any], T]) -> Plugins[T]:
    """Load the entry points of a group.

    Parameters
    ----------
    group
        The group of entry points.
    what
        What they provide, in one word.
    check
        From an entry point and its object to what is used instead; raises InputError with the reason if there is
        nothing to use.
    """
    found: Plugins[T] = Plugins()
    owners: dict[str, str] = {}
    for entry, package in sorted(_named_entries(group, what, found.broken), key=_rank):
        try:
            if entry.name in owners:
                raise InputError(f"another package{_named(owners[entry.name])} has one of this name. Rename one.")
            found.usable[entry.name] = check(entry, _loaded(entry))
            owners[entry.name] = package
        except InputError as error:
            found.broken.append(BrokenPlugin(what, entry.name, package, str(error)))
        except Exception as error:  # what it provides may raise anything when it is looked at
            found.broken.append(BrokenPlugin(what, entry.name, package, f"it cannot be checked: {in_words(error)}"))
    return found


def has_plugins(group: str) -> bool:
    """Whether a package has entry points in this group, usable or not; nothing is loaded."""
    unreadable: list[BrokenPlugin] = []
    return bool([*_entries(group, "", unreadable), *unreadable])


def _named_entries(group: str, what: str, broken: list[BrokenPlugin]) -> Iterable[tuple[EntryPoint, str]]:
    """The entry points of a group, each with its package, whose metadata is read once."""
    packages: dict[int, str] = {}
    for entry in _entries(group, what, broken):
        if id(entry.dist) not in packages:
            packages[id(entry.dist)] = _package(entry)
        yield entry, packages[id(entry.dist)]


def _rank(named: tuple[EntryPoint, str]) -> tuple[str, bool, str]:
    """Sorts by name; of two with the same name, ours comes first."""
    entry, package = named
    return entry.name, not entry.value.startswith(OWN), package


def in_words(error: BaseException) -> str:
    """An error of another package in one line."""
    line = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".:")
    return f"{line[:_LONGEST]}…" if len(line) > _LONGEST else f"{line}."


def broken_list(broken: Iterable[BrokenPlugin]) -> str:
    """The broken plug-ins for the end of a help text; empty if there are none."""
    lines = [f"\n  {each.sentence}" for each in broken]
    return f"\n\nBroken plug-ins:{''.join(lines)}" if lines else ""


def entry_points(group: str) -> Iterable[EntryPoint]:
    """The entry points of a group in all installed packages."""
    from importlib import metadata  # a window is painted before it looks for plug-ins

    return metadata.entry_points(group=group)


def _entries(group: str, what: str, broken: list[BrokenPlugin]) -> Iterable[EntryPoint]:
    """The entry points of a group; a package whose list cannot be read is added to the broken ones."""
    try:
        return entry_points(group)
    except Exception:  # the list of one package is malformed: read them one by one
        from importlib.metadata import distributions  # as below

        found: dict[tuple[str, str], EntryPoint] = {}
        for each in distributions():
            try:
                found |= {(each.name, entry.name): entry for entry in each.entry_points if entry.group == group}
            except Exception as error:
                if group in (each.read_text("entry_points.txt") or ""):
                    reason = f"its entry points cannot be read: {in_words(error)}"
                    broken.append(BrokenPlugin(what, "", each.name, reason))
        return found.values()


def _loaded(entry: EntryPoint) -> Any:
    """The object of an entry point; a failed import is not tried again in this process."""
    found, error = _attempt(entry)
    if error is not None:
        raise InputError(f"it cannot be loaded: {in_words(error)}") from error
    return found


@cache
def _attempt(entry: EntryPoint) -> tuple[Any, BaseException | None]:
    try:
        with redirect_stdout(sys.stderr):  # what a module prints is no output of a command
            return entry.load(), None
    except (Exception, SystemExit) as error:  # a module of another package may raise anything
        return None, error


def _package(entry: EntryPoint) -> str:
    try:
        return str(entry.dist.name or "") if entry.dist is not None else ""
    except Exception:  # its metadata is malformed
        return ""


def _of(package: str) -> str:
    return f" of the package {package}" if package else ""


def _named(package: str) -> str:
    return f", {package}," if package else ""
