"""Where the instance of a draft comes from, the gallery, a file, or somebody's own hands; knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from gems_engine.gallery import family_named, make
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.field_text import INSTANCE, parsed, refusal_of

Texts = tuple[tuple[str, str], ...]
"""Parameters by name, as typed: pairs, so that a draft is hashable."""

FEATURES = Parameter("D", "int", 1, "Number of features.", "D", 1, 10_000)
"""What the field of D takes where no family says it."""


@dataclass(frozen=True)
class FromGallery:
    """An instance that is still to be made: a family, and the texts of all its parameters."""

    family: str
    texts: Texts

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the family."""
        return family_named(self.family).parameters

    def values(self) -> dict[str, Value]:
        """The parameters' values, or an InputError with the first refusal."""
        return dict(self._values)

    @cached_property  # many ask, for each place of a slider that is dragged
    def _values(self) -> dict[str, Value]:
        return values_of(self.parameters, self.texts)


@dataclass(frozen=True)
class FromFile:
    """An instance that exists already: it was opened from a file, or belongs to a run.

    Attributes
    ----------
    D_text
        Another number of features that was typed but not agreed to yet; None if none was.
    """

    instance: Instance
    path: str
    D_text: str | None = None

    @property
    def title(self) -> str:
        """As the list of families names it."""
        return f"File: {PurePath(self.path).name}" if self.path else self.instance.name or "An opened instance"

    @property
    def D(self) -> int:
        """Number of features."""
        return self.instance.D


@dataclass(frozen=True)
class FromTable:
    """An instance that is edited by hand, and that no file has as it is.

    Attributes
    ----------
    table
        Its cells.
    path
        The file that it was opened from, where saving it goes; empty if there is none.
    origin
        The family or file that it was before somebody edited it; empty if it was nothing.
    D_text
        The number of features as typed, valid or not; None: that of the table.
    whole
        The table with all the features that it had when D was first changed, so that a D that is typed or dragged to
        and fro drops none of them; None: the table.
    """

    table: InstanceTable
    path: str = ""
    origin: str = ""
    D_text: str | None = None
    whole: InstanceTable | None = None

    @property
    def title(self) -> str:
        """As the list of families names it."""
        return f"Own instance (from {self.origin})" if self.origin else "Own instance"

    @property
    def D(self) -> int:
        """Number of features."""
        return self.table.D

    def with_D(self, D: int, text: str | None = None) -> FromTable:
        """More features, of zeros, or fewer."""
        whole = self.whole if self.whole is not None else self.table
        text = None if text == str(D) else text
        return replace(self, table=whole.with_D(D), D_text=text, whole=None if whole.D == D else whole)


Source = FromGallery | FromFile | FromTable


@dataclass(frozen=True)
class FeatureQuestion:
    """What a user must agree to before a file's instance gets another number of features."""

    old: int
    new: int

    @property
    def sentence(self) -> str:
        """The question itself."""
        if self.new > self.old:
            count = self.new - self.old
            return f"Pad {count} new feature{'s' if count > 1 else ''} with zeros?"
        first, last = self.new + 1, self.old
        return f"Drop feature {last}?" if first == last else f"Drop features {first}…{last}?"

    @property
    def yes(self) -> str:
        """Agreement, as a button says it."""
        return "Pad with zeros" if self.new > self.old else "Drop"

    @property
    def no(self) -> str:
        """The other choice."""
        return f"Keep D = {self.old}"


def question_of(source: FromFile | FromTable) -> FeatureQuestion | None:
    """What must be agreed to before D is what was typed, None if nothing."""
    text = source.D_text
    if text is None or (isinstance(source, FromTable) and not source.path) or refusal_of(FEATURES, text, INSTANCE):
        return None
    wanted = wanted_D(text)
    return FeatureQuestion(source.D, wanted) if wanted != source.D else None


def build_instance(source: Source) -> Instance:
    """The instance of a source; for a background process, since a large one takes a second."""
    if isinstance(source, FromTable):
        return source.table.instance()
    return source.instance if isinstance(source, FromFile) else make(source.family, **source.values())


def wanted_D(text: str) -> int:
    """The number of features that a text stands for, or an InputError."""
    value = parsed(FEATURES, text)
    assert isinstance(value, int)
    return value


def with_typed_D(source: FromFile | FromTable, text: str) -> FromFile | FromTable:
    """A source with another text in the field of D: followed at once only where no file is behind the table."""
    if refusal_of(FEATURES, text, INSTANCE):
        return replace(source, D_text=text)
    D = wanted_D(text)
    if isinstance(source, FromTable) and not source.path:
        return source.with_D(D, text)
    return replace(source, D_text=None if D == source.D else text)


def values_of(parameters: Iterable[Parameter], texts: Texts) -> dict[str, Value]:
    """The values that texts stand for, or an InputError with the first refusal."""
    typed = dict(texts)
    return {each.name: parsed(each, typed[each.name]) for each in parameters}
