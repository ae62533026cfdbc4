"""What the form says: an instance, an algorithm and their parameters as they were typed, valid or not.

A draft is immutable: editing makes a new one, and undo is a stack of them. A run owns its own instance and never looks
at a draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath

from gems_engine.algorithms import algorithm_named
from gems_engine.algorithms.algorithm import BEST_ARM, Algorithm
from gems_engine.assumptions import Assumption
from gems_engine.errors import InputError
from gems_engine.gallery import Family, family_named, make
from gems_engine.gallery.family import require_within
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value, check_all
from gems_engine.recipe import Recipe
from gems_gui.drafts.instance_table import InstanceTable
from gems_gui.drafts.run_request import RunRequest
from gems_gui.drafts.sources import (
    FEATURES,
    FeatureQuestion,
    FromFile,
    FromGallery,
    FromTable,
    Source,
    Texts,
    build_instance,
    question_of,
    values_of,
    with_typed_D,
)
from gems_gui.field_text import ALGORITHM, INSTANCE, RUN, in_letters, parsed, refusal_of, text_of

__all__ = ["Draft", "FromFile", "FromGallery", "FromTable", "Source", "Texts", "assumptions_of", "build_instance"]

FAMILY_FIELD, ALGORITHM_FIELD, SEED_FIELD = "family", "algorithm", f"{RUN}.seed"
"""Keys of the fields that are no parameter of a family or an algorithm; those are «instance.D», «algorithm.delta»."""
D_FIELD = f"{INSTANCE}.D"

RUN_SEED = Parameter(
    "seed", "int", 0, "Seed of the rewards and of the algorithm's own random choices.", "", 0, 2**63 - 1
)


def assumptions_of(instance: Instance) -> tuple[Assumption, ...]:
    """The paper's assumptions, checked; for a background process."""
    return instance.assumptions()


@dataclass(frozen=True)
class Draft:
    """The form's content.

    Attributes
    ----------
    source
        Where the instance comes from.
    algorithm
        A registered name.
    texts
        The algorithm's parameters as typed.
    seed
        The run's, as typed.
    own
        Instances that were made by hand, that no file has, and that something else took the place of: the list of
        instances offers them.
    """

    source: Source
    algorithm: str
    texts: Texts
    seed: str
    own: tuple[FromTable, ...] = ()

    @classmethod
    def of(
        cls,
        family: str = "paper-hard",
        algorithm: str = "fixed-confidence",
        seed: int = 0,
        instance: Mapping[str, Value] | None = None,
        parameters: Mapping[str, Value] | None = None,
    ) -> Draft:
        """A draft of values; those that are not given are the defaults."""
        source = FromGallery(family, _texts(family_named(family).parameters, instance or {}))
        method = algorithm_named(algorithm)
        texts = _texts(method.parameters, parameters or {})
        return cls(source, method.name, texts, text_of(RUN_SEED, RUN_SEED.check(seed)))

    # -- what it says -------------------------------------------------------------------------------------------

    @property
    def family(self) -> Family | None:
        """The gallery's family, or None where the instance came from a file."""
        return family_named(self.source.family) if isinstance(self.source, FromGallery) else None

    @property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        return algorithm_named(self.algorithm)

    def text(self, key: str) -> str:
        """What stands in a field."""
        scope, _, name = key.partition(".")
        if key == SEED_FIELD:
            return self.seed
        return dict(self._texts_of(scope))[name]

    def family_values(self) -> dict[str, Value]:
        """The values of the family's parameters, or an InputError with the first refusal."""
        return self.source.values() if isinstance(self.source, FromGallery) else {}

    def algorithm_values(self) -> dict[str, Value]:
        """The values of the algorithm's parameters, or an InputError with the first refusal."""
        return dict(self._algorithm_values)

    @cached_property
    def _algorithm_values(self) -> dict[str, Value]:
        return values_of(self.method.parameters, self.texts)

    def seed_value(self) -> int:
        """The run's seed, or an InputError."""
        value = parsed(RUN_SEED, self.seed)
        assert isinstance(value, int)
        return value

    def errors(self) -> dict[str, str]:
        """For every field that is not right, why, in one sentence.

        What only the making of the instance finds is told by `build_instance`, and placed by `refused`.
        """
        return dict(self._errors)

    @cached_property
    def _errors(self) -> dict[str, str]:
        found: dict[str, str] = {}
        if isinstance(self.source, FromGallery):
            found |= _refusals(self.source.parameters, self.source.texts, INSTANCE)
            if not found:
                found |= self._too_many_features(self.source)
        else:
            found |= self._table_errors(self.source)
        found |= _refusals(self.method.parameters, self.texts, ALGORITHM)
        sentence = refusal_of(RUN_SEED, self.seed, RUN)
        return found | ({SEED_FIELD: sentence} if sentence else {})

    def _table_errors(self, source: FromFile | FromTable) -> dict[str, str]:
        if source.D_text is not None and (sentence := refusal_of(FEATURES, source.D_text, INSTANCE)):
            return {D_FIELD: sentence}
        if question := self.question():
            return {D_FIELD: f"There are {question.old} features. {question.sentence}"}
        sentence = source.table.refusal() if isinstance(source, FromTable) else ""
        return {FAMILY_FIELD: sentence} if sentence else {}

    def question(self) -> FeatureQuestion | None:
        """What must be agreed to before D is what was typed, None if nothing: values of a file are never invented."""
        return None if isinstance(self.source, FromGallery) else question_of(self.source)

    def _too_many_features(self, source: FromGallery) -> dict[str, str]:
        values = source.values()
        d_star, D = values.get("d_star"), values.get("D")
        if isinstance(d_star, int) and isinstance(D, int):
            try:
                require_within(d_star, D)
            except InputError as error:
                return self.refused(str(error))
        return {}

    def refused(self, sentence: str) -> dict[str, str]:
        """A family's refusal to make the instance, at the field that it speaks of."""
        if not isinstance(self.source, FromGallery):
            return {FAMILY_FIELD: sentence}
        sentence = sentence.removeprefix(f"{self.source.family}: ")
        parameters = self.source.parameters
        name = _first_named(sentence, parameters)
        sentence = in_letters(sentence, parameters, INSTANCE)
        return {f"{INSTANCE}.{name}" if name else FAMILY_FIELD: sentence}

    def refused_by_algorithm(self, instance: Instance) -> dict[str, str]:
        """Why the algorithm would not run on this instance, at the field that it speaks of; empty if it would."""
        try:
            values = self.algorithm_values()
        except InputError:
            return {}  # `errors` says so
        noise = values.get("noise")
        if isinstance(noise, str):
            try:
                instance = instance.with_noise(noise)
            except InputError as error:
                return {f"{ALGORITHM}.noise": str(error)}
        try:
            if self.method.goal == BEST_ARM:
                instance.require_unique_best()
            self.method.refuse(instance, values)
        except InputError as error:
            name = _first_named(str(error), self.method.parameters)
            sentence = in_letters(str(error), self.method.parameters, ALGORITHM)
            return {f"{ALGORITHM}.{name}" if name else ALGORITHM_FIELD: sentence}
        return {}

    def problems(self, instance: Instance | None = None, refusal: str = "") -> dict[str, str]:
        """Everything that keeps the draft from running, by field: what is typed wrong, then what came out later.

        Parameters
        ----------
        instance
            The built one, if it is known: the algorithm may refuse it.
        refusal
            Why it could not be built, if so.
        """
        found = self.errors()
        if refusal:
            found = self.refused(refusal) | found
        if instance is not None:
            found = self.refused_by_algorithm(instance) | found
        return found

    def instance_key(self) -> tuple[object, ...] | None:
        """What the instance depends on, for a cache of built ones; None while that is not valid."""
        return self._instance_key

    @cached_property
    def _instance_key(self) -> tuple[object, ...] | None:
        if isinstance(self.source, FromFile):
            return "file", self.source.instance.digest, self.source.instance.name
        if isinstance(self.source, FromTable):
            return None if self.source.table.refusal() else ("table", self.source.table.digest)
        if any(key.startswith(f"{INSTANCE}.") for key in self.errors()):
            return None
        return self.source.family, *self.source.values().items()

    # -- other drafts -------------------------------------------------------------------------------------------

    def with_text(self, key: str, text: str) -> Draft:
        """Another text in one field."""
        scope, _, name = key.partition(".")
        if key == SEED_FIELD:
            return replace(self, seed=text)
        texts = tuple((each, text if each == name else old) for each, old in self._texts_of(scope))
        if scope == ALGORITHM:
            return replace(self, texts=texts)
        if isinstance(self.source, FromGallery):
            return replace(self, source=replace(self.source, texts=texts))
        return replace(self, source=with_typed_D(self.source, text))

    def with_family(self, name: str) -> Draft:
        """Another family; parameters that both have keep their values where they are valid."""
        parameters = family_named(name).parameters
        old = dict(self.source.texts) if isinstance(self.source, FromGallery) else {}
        kept = _kept(parameters, old)
        changed = replace(self, source=FromGallery(name, kept))
        if any(key.startswith(f"{INSTANCE}.") for key in changed.errors()):  # d⋆ ≤ D no longer holds
            old.pop("d_star", None)
            changed = replace(self, source=FromGallery(name, _kept(parameters, old)))
        if any(key.startswith(f"{INSTANCE}.") for key in changed.errors()):
            changed = replace(self, source=FromGallery(name, _texts(parameters, {})))
        return changed

    def with_instance(self, instance: Instance, path: str = "") -> Draft:
        """An instance that was opened."""
        return replace(self, source=FromFile(instance, path))

    def with_table(self, table: InstanceTable) -> Draft:
        """An instance that was edited; what it was before, and its file, are remembered."""
        old = self.source
        if isinstance(old, FromTable):
            return self if table == old.table else replace(self, source=FromTable(table, old.path, old.origin))
        if isinstance(old, FromFile):
            origin = PurePath(old.path).name or old.instance.name
            return replace(self, source=FromTable(table, old.path, origin))
        return replace(self, source=FromTable(table, "", old.family))

    def with_new_table(self, table: InstanceTable) -> Draft:
        """An instance of one's own that begins with this table."""
        return replace(self, source=FromTable(table), own=self._all_own())

    def with_own(self, at: int) -> Draft:
        """One of one's own instances that something else took the place of."""
        chosen = self.own[at]
        return replace(self, source=chosen, own=tuple(each for each in self._all_own() if each != chosen))

    def keeping(self, before: Draft) -> Draft:
        """This draft, with the instances made by hand that the draft before it had and that it replaces."""
        edited = isinstance(self.source, FromTable)  # or chosen: then the other one was set aside with it
        wanted = (*(before.own if edited else before._all_own()), *self.own)
        return replace(self, own=tuple(each for each in dict.fromkeys(wanted) if each != self.source))

    def _all_own(self) -> tuple[FromTable, ...]:
        return (*self.own, self.source) if isinstance(self.source, FromTable) else self.own

    def answered(self, agreed: bool) -> Draft:
        """The draft after the `question` was answered."""
        question, source = self.question(), self.source
        if question is None or isinstance(source, FromGallery):
            return self
        if not agreed:
            return replace(self, source=replace(source, D_text=None))
        table = source.table if isinstance(source, FromTable) else InstanceTable.of(source.instance)
        return self.with_table(table.with_D(question.new))

    def with_algorithm(self, name: str) -> Draft:
        """Another algorithm; parameters that both have keep their values where they are valid."""
        method = algorithm_named(name)
        return replace(self, algorithm=method.name, texts=_kept(method.parameters, dict(self.texts)))

    def _texts_of(self, scope: str) -> Texts:
        if scope == ALGORITHM:
            return self.texts
        if isinstance(self.source, FromGallery):
            return self.source.texts
        typed = self.source.D_text
        return (("D", text_of(FEATURES, self.source.D) if typed is None else typed),)

    # -- runs ---------------------------------------------------------------------------------------------------

    def request(self, instance: Instance) -> RunRequest:
        """The run that this draft asks for, on its built instance; an InputError where something is not valid."""
        return RunRequest(instance, self.algorithm, self.seed_value(), self.algorithm_values())

    @classmethod
    def from_request(cls, request: RunRequest) -> Draft:
        """The draft that asks for this run.

        The instance's recipe is followed, and believed where it gives the same instance; that takes as long as making
        it.
        """
        method = algorithm_named(request.algorithm)
        return cls(
            _source_of(request.instance),
            request.algorithm,
            _texts(method.parameters, request.parameters),
            text_of(RUN_SEED, RUN_SEED.check(request.seed)),
        )

    def differs_from(self, request: RunRequest, instance: Instance | None) -> bool:
        """Whether this draft, whose instance is `instance` (None: not built yet), asks for another run."""
        if self.errors() or self.algorithm != request.algorithm or self.seed_value() != request.seed:
            return True
        values = self.algorithm_values()
        if values != request.settings:
            return True
        if instance is None:
            recipe = request.instance.recipe
            return self.family is None or recipe != Recipe.of(self.family.name, self.family_values())
        noise = values.get("noise")
        both = (instance, request.instance)
        mine, theirs = (each.with_noise(noise) if isinstance(noise, str) else each for each in both)
        return mine.digest != theirs.digest


def _texts(parameters: Iterable[Parameter], given: Mapping[str, Value]) -> Texts:
    parameters = tuple(parameters)
    values = check_all(parameters, given)
    return tuple((each.name, text_of(each, values[each.name])) for each in parameters)


def _refusals(parameters: Iterable[Parameter], texts: Texts, scope: str) -> dict[str, str]:
    typed = dict(texts)
    found = {f"{scope}.{each.name}": refusal_of(each, typed[each.name], scope) for each in parameters}
    return {key: sentence for key, sentence in found.items() if sentence}


def _kept(parameters: Iterable[Parameter], old: Mapping[str, str]) -> Texts:
    """The old texts where they are valid here too, and defaults."""
    texts = []
    for each in parameters:
        text = old.get(each.name)
        keep = text is not None and not refusal_of(each, text, INSTANCE)
        texts.append((each.name, text if keep and text is not None else text_of(each, each.default)))
    return tuple(texts)


def _first_named(sentence: str, parameters: Iterable[Parameter]) -> str:
    """The parameter whose name or symbol comes first in a sentence as «name = », or an empty text."""
    places = {}
    for each in parameters:
        words = "|".join(re.escape(word) for word in (each.name, each.symbol) if word)
        match = re.search(rf"(?<![\w.])(?:{words}) = ", sentence)
        if match:
            places[each.name] = match.start()
    return min(places, key=lambda name: places[name]) if places else ""


def _source_of(instance: Instance) -> Source:
    recipe = instance.recipe
    if recipe.family and not recipe.steps:
        try:
            made = make(recipe.family, **recipe.parameters)
            if made.with_noise(instance.noise).digest == instance.digest:
                return FromGallery(recipe.family, _texts(family_named(recipe.family).parameters, recipe.parameters))
        except InputError:
            pass  # a recipe of another version, or one that a hand has written: the instance itself is what counts
    return FromFile(instance, recipe.file)
