"""The available specifications: built in, of other packages, from files, or from results. Does not import Qt.

Edits are kept when another specification is selected, until they are saved or discarded.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gems_engine.errors import InputError
from gems_engine.experiment.folder import ROWS, SPECIFICATION, first_session, holds_results, parse_beside, parse_kept
from gems_engine.experiment.library import EXPERIMENTS
from gems_engine.experiment.specification import Specification
from gems_engine.files import read_text

_FIRST = "paper-table-1"
Kind = Literal["built-in", "plug-in", "file", "results"]


@dataclass(frozen=True)
class SpecSource:
    """Where a specification comes from.

    Attributes
    ----------
    kind
        Built in, of another package, a file, or from a folder of results.
    path
        The file, or that folder; empty if a function of another package has made it.
    name
        The name of the experiment.
    """

    kind: Kind
    path: str
    name: str

    @property
    def key(self) -> str:
        """A unique key."""
        return f"{self.kind}:{self.path or self.name}"

    @staticmethod
    def of_file(path: str) -> SpecSource:
        """A TOML file."""
        return SpecSource("file", path, Path(path).stem)

    @staticmethod
    def of_results(folder: str) -> SpecSource:
        """The specification of a folder of results, by the name in its rows."""
        if not holds_results(folder):
            raise InputError(f"{folder} is not a folder of results: it has no {ROWS}.")
        return SpecSource("results", folder, first_session(folder).experiment)


def read_source(source: SpecSource) -> str:
    """The text of a source."""
    if source.kind == "plug-in":
        return EXPERIMENTS[source.name].text
    return read_text(Path(source.path) / SPECIFICATION if source.kind == "results" else source.path)


def examined(text: str, source: SpecSource, edited: bool) -> Specification:
    """The specification of a text; raises an InputError if something is wrong.

    An edited specification with a name gets another one, so that its report does not give the name as a way to repeat
    it.
    """
    name = f"{source.name}-edited" if edited and source.kind in ("built-in", "plug-in") else source.name
    if source.kind == "plug-in":
        return EXPERIMENTS[source.name].parse(text, name)
    if source.kind == "results":
        return parse_kept(text, name, source.path)
    return parse_beside(text, name, Path(source.path).parent)


class ExperimentSession:
    """All specifications, and which one is selected.

    Attributes
    ----------
    chosen
        The selected source.
    """

    def __init__(self) -> None:
        self._sources: dict[str, SpecSource] = {}
        self._saved: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        for name, each in EXPERIMENTS.items():
            kind: Kind = "built-in" if name in EXPERIMENTS.built_in else "plug-in"
            self.put(SpecSource(kind, "" if each.file is None else str(each.file), name), each.text)
        self.chosen = next((each for each in self if each.name == _FIRST), next(iter(self)))

    def __iter__(self) -> Iterator[SpecSource]:
        return iter(self._sources.values())

    def __getitem__(self, key: str) -> SpecSource:
        return self._sources[key]

    def put(self, source: SpecSource, text: str) -> None:
        """Add a source with its saved text; if it exists with edits, they are kept."""
        self._sources[source.key] = source
        edited = self.edited(source)
        self._saved[source.key] = text
        if not edited:
            self._texts[source.key] = text

    @property
    def text(self) -> str:
        """The text of the selected source, with edits."""
        return self._texts[self.chosen.key]

    def write(self, text: str) -> None:
        """Change the text of the selected source."""
        self._texts[self.chosen.key] = text

    def revert(self) -> None:
        """Discard the edits of the selected source."""
        self._texts[self.chosen.key] = self._saved[self.chosen.key]

    def edited(self, source: SpecSource) -> bool:
        """Whether a source has unsaved edits."""
        return self._texts.get(source.key) != self._saved.get(source.key)

    def unsaved(self) -> list[SpecSource]:
        """The sources with edits that closing the window would lose."""
        return [each for each in self if self.edited(each)]

    def text_of(self, source: SpecSource) -> str:
        """The text of a source, with edits."""
        return self._texts[source.key]

    def title(self, source: SpecSource) -> str:
        """The title in the text of a source, or empty."""
        found = re.search(r'^title\s*=\s*"(.*)"\s*$', self._texts[source.key], re.MULTILINE)
        return found[1] if found else ""

    def description(self, source: SpecSource) -> tuple[str, str]:
        """The title and the description in the text of a source, as far as it has them; known before it is checked."""
        try:
            found = tomllib.loads(self._texts[source.key])
        except tomllib.TOMLDecodeError:
            return self.title(source), ""
        return str(found.get("title", "")), str(found.get("about", ""))

    def saved_as(self, source: SpecSource, path: str, text: str) -> SpecSource:
        """Note that this text of a source was saved to a file, which is then a source without edits."""
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
