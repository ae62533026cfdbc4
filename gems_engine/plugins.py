"""Plug-ins, which other packages provide by entry points; a broken one is listed and never used."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
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
        What it provides, in one word: ``algorithm``, ``family`` ….
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
        what = f'{self.what} "{self.name}"' if self.name else _plural(self.what)
        return f"The {what}{_of(self.package)} cannot be used: {self.reason}"


@dataclass
class Plugins(Generic[T]):
    """The usable plug-ins of a group by name, and the broken ones."""

    usable: dict[str, T] = field(default_factory=dict)
    broken: list[BrokenPlugin] = field(default_factory=list)


@dataclass(frozen=True)
class PluginGroup:
    """A group of entry points, and the functions that know its plug-ins; their modules are imported on first use.

    Attributes
    ----------
    group, what
        Its name, and what a plug-in of it provides, in one word.
    finder
        ``module:function`` that returns the plug-ins.
    contract
        ``module:function`` from the name of a usable plug-in to the findings of its contract.
    built_in
        ``module:function`` that returns the names that a plug-in cannot have.
    """

    group: str
    what: str
    finder: str
    contract: str
    built_in: str

    def find(self) -> Plugins[Any]:
        """The plug-ins of the group; nothing is imported if no package has one."""
        return _function(self.finder)() if has_plugins(self.group) else Plugins()

    def taken(self) -> Iterable[str]:
        """The names that a plug-in cannot have."""
        found: Iterable[str] = _function(self.built_in)()
        return found

    def check(self, name: str) -> Iterator[Any]:
        """The findings of the contract of a usable plug-in."""
        found: Iterator[Any] = _function(self.contract)(name)
        return found


def _function(home: str) -> Callable[..., Any]:
    module, _, name = home.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found


class Registry(Mapping[str, T]):
    """What is built in and what other packages provide, by name; the latter is looked up when it is first needed.

    Parameters
    ----------
    group, what, check
        As for :func:`plugins`.
    built_in
        What is built in, in order; its names cannot be taken by a plug-in.
    """

    def __init__(self, group: str, what: str, check: Callable[[EntryPoint, Any], T], built_in: Mapping[str, T]) -> None:
        self.group, self.what, self.built_in = group, what, dict(built_in)
        self._check = check
        self._seen: tuple[Any, Plugins[T]] | None = None

    def plugins(self) -> Plugins[T]:
        """The plug-ins, with those that cannot be used."""
        entries = _entries(self.group, self.what, [])
        if self._seen is None or self._seen[0] is not entries:
            self._seen = entries, plugins(self.group, self.what, self._checked)
        return self._seen[1]

    def _checked(self, entry: EntryPoint, found: Any) -> T:
        if entry.name in self.built_in:
            raise InputError(f"a built-in {self.what} has this name. Rename it.")
        return self._check(entry, found)

    def __getitem__(self, name: str) -> T:
        return self.built_in[name] if name in self.built_in else self.plugins().usable[name]

    def __contains__(self, name: object) -> bool:
        return name in self.built_in or name in self.plugins().usable

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from self.plugins().usable

    def __len__(self) -> int:
        return len(self.built_in) + len(self.plugins().usable)

    def refuse_broken(self, name: str) -> None:
        """Raise InputError with the reason if the plug-in of this name cannot be used."""
        for each in self.plugins().broken:
            if each.name == name and name not in self:
                raise InputError(each.sentence)


_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def require_name(what: str, entry: EntryPoint, name: object) -> None:
    """Raise InputError unless a plug-in calls itself as its entry point does, by a name that can be typed."""
    if name != entry.name:
        called = f'"{name[:60]}"' if isinstance(name, str) else f"something of the type {type(name).__name__}"
        raise InputError(f"the {what} calls itself {called}. Give the entry point the same name.")
    if not _NAME.fullmatch(entry.name):
        raise InputError("its name must be lower-case letters, digits and hyphens, such as my-name. Rename it.")


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
    """The entry points of a group in all installed packages, which are looked through once for all groups."""
    return _of_group(group, tuple((folder, _changed(folder)) for folder in sys.path))


@lru_cache(maxsize=32)
def _of_group(group: str, state: tuple[tuple[str, int], ...]) -> Iterable[EntryPoint]:
    return tuple(_scanned(state).select(group=group))


@lru_cache(maxsize=1)
def _scanned(state: tuple[tuple[str, int], ...]) -> Any:
    from importlib import metadata  # a window is painted before it looks for plug-ins

    return metadata.entry_points()


def _changed(folder: str) -> int:
    """When something was last added to a folder of packages; 0 if it is none."""
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


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


def _plural(what: str) -> str:
    return f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"


def _of(package: str) -> str:
    return f" of the package {package}" if package else ""


def _named(package: str) -> str:
    return f", {package}," if package else ""
