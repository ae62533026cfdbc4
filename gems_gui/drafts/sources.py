"""The source of a draft's instance: the gallery, a file, or a table edited by hand; independent of Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from gems_engine.gallery import family_named, make
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value
from gems_engine.terminal import plural
from gems_gui.drafts.instance_table import InstanceTable, small_table
from gems_gui.field_text import INSTANCE, parsed, refusal_of

Texts = tuple[tuple[str, str], ...]
"""Parameters by name, as typed: pairs, so that a draft is hashable."""

FEATURES = Parameter("D", "int", 1, "Number of features.", "D", 1, 10_000)
"""The parameter D of an instance that has no family."""


@dataclass(frozen=True)
class FromGallery:
    """An instance to be built from a family and the texts of its parameters."""

    family: str
    texts: Texts

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the family."""
        return family_named(self.family).parameters

    def values(self) -> dict[str, Value]:
        """The values of the parameters; raises the InputError of the first invalid one."""
        return dict(self._values)

    @cached_property  # read many times for each position of a dragged slider
    def _values(self) -> dict[str, Value]:
        return values_of(self.parameters, self.texts)


@dataclass(frozen=True)
class FromFile:
    """An existing instance: opened from a file, or that of a run.

    Attributes
    ----------
    D_text
        Another number of features that was typed but not confirmed yet; None if there is none.
    """

    instance: Instance
    path: str
    D_text: str | None = None

    @property
    def title(self) -> str:
        """Its name in the list of families."""
        if self.path:
            return f"File: {PurePath(self.path).name}"
        recipe = self.instance.recipe
        return (recipe.title if recipe.edited else self.instance.name) or "Opened instance"

    @property
    def D(self) -> int:
        """Number of features."""
        return self.instance.D


@dataclass(frozen=True)
class FromTable:
    """An instance edited by hand that differs from every file.

    Attributes
    ----------
    table
        Its cells.
    path
        The file that it was opened from and is saved to; empty if there is none.
    origin
        The family or file that it was edited from; empty if there is none.
    D_text
        The number of features as typed, valid or not; None: that of the table.
    whole
        The table with all features from before D was first changed, so that changing D back and
        forth loses none of them; None: the table.
    """

    table: InstanceTable
    path: str = ""
    origin: str = ""
    D_text: str | None = None
    whole: InstanceTable | None = None

    @property
    def title(self) -> str:
        """Its name in the list of families."""
        return f"Custom instance (from {self.origin})" if self.origin else "Custom instance"

    @property
    def untouched(self) -> bool:
        """Whether it is a new instance in which nothing was changed."""
        return self == FromTable(small_table())

    @property
    def D(self) -> int:
        """Number of features."""
        return self.table.D

    def with_D(self, D: int, text: str | None = None) -> FromTable:
        """The instance with more features, of zeros, or with fewer."""
        whole = self.whole if self.whole is not None else self.table
        text = None if text == str(D) else text
        return replace(self, table=whole.with_D(D), D_text=text, whole=None if whole.D == D else whole)


Source = FromGallery | FromFile | FromTable


@dataclass(frozen=True)
class FeatureQuestion:
    """The question to the user before the instance of a file gets another number of features."""

    old: int
    new: int

    @property
    def sentence(self) -> str:
        """The question itself."""
        if self.new > self.old:
            count = self.new - self.old
            return f"Add {plural(count, 'feature')} of zeros?"
        first, last = self.new + 1, self.old
        return f"Drop feature {last}?" if first == last else f"Drop features {first}…{last}?"

    @property
    def yes(self) -> str:
        """The text of the button that confirms."""
        return "Add zeros" if self.new > self.old else "Drop"

    @property
    def no(self) -> str:
        """The text of the other button."""
        return f"Keep D = {self.old}"


def question_of(source: FromFile | FromTable) -> FeatureQuestion | None:
    """The question to answer before D changes to the typed value, or None."""
    text = source.D_text
    if text is None or (isinstance(source, FromTable) and not source.path) or refusal_of(FEATURES, text, INSTANCE):
        return None
    wanted = wanted_D(text)
    return FeatureQuestion(source.D, wanted) if wanted != source.D else None


def build_instance(source: Source) -> Instance:
    """Build the instance of a source; runs in a background process, since a large one takes a second."""
    if isinstance(source, FromTable):
        return source.table.instance()
    return source.instance if isinstance(source, FromFile) else make(source.family, **source.values())


def wanted_D(text: str) -> int:
    """The number of features in a text; raises InputError if it is not valid."""
    value = parsed(FEATURES, text)
    assert isinstance(value, int)
    return value


def with_typed_D(source: FromFile | FromTable, text: str) -> FromFile | FromTable:
    """A source with another text in the field of D; it takes effect at once only for a table without a file."""
    if refusal_of(FEATURES, text, INSTANCE):
        return replace(source, D_text=text)
    D = wanted_D(text)
    if isinstance(source, FromTable) and not source.path:
        return source.with_D(D, text)
    return replace(source, D_text=None if D == source.D else text)


def values_of(parameters: Iterable[Parameter], texts: Texts) -> dict[str, Value]:
    """The values of texts; raises the InputError of the first invalid one."""
    typed = dict(texts)
    return {each.name: parsed(each, typed[each.name]) for each in parameters}
