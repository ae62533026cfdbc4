"""The specifications that lie on the desk, built in, opened, or of results, edited or not; knows no Qt.

What is edited is kept when another one is taken up, until it is saved or given up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gems_engine.errors import InputError
from gems_engine.experiment.folder import (
    ROWS,
    SPECIFICATION,
    first_session,
    holds_results,
    parse_beside,
    parse_kept,
)
from gems_engine.experiment.library import built_in
from gems_engine.experiment.specification import Specification
from gems_engine.files import read_text

_FIRST = "paper-table-1"
Kind = Literal["built-in", "file", "results"]


@dataclass(frozen=True)
class SpecSource:
    """Where a specification comes from.

    Attributes
    ----------
    kind
        It came with the program, is a file, or is kept in a folder of results.
    path
        The file, or that folder.
    name
        Of the experiment.
    """

    kind: Kind
    path: str
    name: str

    @property
    def key(self) -> str:
        """By which it is told from the others."""
        return f"{self.kind}:{self.path}"

    @staticmethod
    def of_file(path: str) -> SpecSource:
        """A TOML file."""
        return SpecSource("file", path, Path(path).stem)

    @staticmethod
    def of_results(folder: str) -> SpecSource:
        """What a folder of results is of, by the name that its rows have."""
        if not holds_results(folder):
            raise InputError(f"{folder}: it is no folder of results, as it has no rows in {ROWS}.")
        return SpecSource("results", folder, first_session(folder).experiment)


def read_source(source: SpecSource) -> str:
    """Its text."""
    return read_text(Path(source.path) / SPECIFICATION if source.kind == "results" else source.path)


def examined(text: str, source: SpecSource, edited: bool) -> Specification:
    """The specification that a text on the desk is; an InputError says what is wrong in one sentence.

    One that came with the program and was edited has another name: its report must not say that the program's own
    gives the same.
    """
    name = f"{source.name}-edited" if edited and source.kind == "built-in" else source.name
    if source.kind == "results":
        return parse_kept(text, name, source.path)
    return parse_beside(text, name, Path(source.path).parent)


class ExperimentSession:
    """All that lies there, and which one is taken up.

    Attributes
    ----------
    chosen
        The source that is taken up.
    """

    def __init__(self) -> None:
        self._sources: dict[str, SpecSource] = {}
        self._saved: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        for name, path in built_in().items():
            source = SpecSource("built-in", str(path), name)
            self.put(source, read_text(path))
        self.chosen = next((each for each in self if each.name == _FIRST), next(iter(self)))

    def __iter__(self) -> Iterator[SpecSource]:
        return iter(self._sources.values())

    def __getitem__(self, key: str) -> SpecSource:
        return self._sources[key]

    def put(self, source: SpecSource, text: str) -> None:
        """Lay it there as it is saved; one that is there and edited stays as it is."""
        self._sources[source.key] = source
        edited = self.edited(source)
        self._saved[source.key] = text
        if not edited:
            self._texts[source.key] = text

    @property
    def text(self) -> str:
        """Of the one that is taken up, as it was edited."""
        return self._texts[self.chosen.key]

    def write(self, text: str) -> None:
        """Edit the one that is taken up."""
        self._texts[self.chosen.key] = text

    def revert(self) -> None:
        """Give up what was edited in the one that is taken up."""
        self._texts[self.chosen.key] = self._saved[self.chosen.key]

    def edited(self, source: SpecSource) -> bool:
        """Whether it is not as it was saved."""
        return self._texts.get(source.key) != self._saved.get(source.key)

    def unsaved(self) -> list[SpecSource]:
        """Those whose edits a closed window would lose."""
        return [each for each in self if self.edited(each)]

    def text_of(self, source: SpecSource) -> str:
        """Its text, as it was edited."""
        return self._texts[source.key]

    def title(self, source: SpecSource) -> str:
        """What it asks, as its text says in one line; empty where it does not."""
        found = re.search(r'^title\s*=\s*"(.*)"\s*$', self._texts[source.key], re.MULTILINE)
        return found[1] if found else ""

    def saved_as(self, source: SpecSource, path: str, text: str) -> SpecSource:
        """A file has this text of it now: its edits are there, and no more here."""
        file = SpecSource.of_file(path)
        if self._texts[source.key] == text and source.key != file.key:
            self._texts[source.key] = self._saved[source.key]
        self._sources[file.key] = file
        self._saved[file.key] = text
        if source.key != file.key or file.key not in self._texts:
            self._texts[file.key] = text
        if self.chosen.key == source.key:
            self.chosen = file
        return file
