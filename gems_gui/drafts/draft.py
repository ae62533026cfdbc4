"""The content of the form: an instance, an algorithm and their parameters as typed, valid or not.

A draft is immutable: an edit makes a new one, and undo is a stack of them. A run has its own instance and never reads
a draft.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath

from gems_engine.algorithms import algorithm_named
from gems_engine.algorithms.algorithm import BEST_ARM, Algorithm
from gems_engine.assumptions import FOR_MISSPECIFIED_REWARDS, GAPS, LINEAR, Assumption
from gems_engine.errors import InputError
from gems_engine.files import is_sheet
from gems_engine.gallery import Family, family_named, make
from gems_engine.gallery.family import require_within
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value, check_all
from gems_engine.recipe import Recipe
from gems_engine.rewards import Noise
from gems_engine.terminal import plural
from gems_gui.drafts.instance_table import PASTED, InstanceTable
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
"""Keys of fields that are not parameters; keys of parameters are like "instance.D" and "algorithm.delta"."""
D_FIELD = f"{INSTANCE}.D"
_NO_REWARDS = (
    "The instance has no rewards, so a run on it cannot be simulated. Open its file again and choose the column of the "
    'rewards, or paste a sheet with a column "reward" into the table (Ctrl+T). Real experiments run from Python.'
)

RUN_SEED = Parameter(
    "seed", "int", 0, "Seed of the rewards and of the algorithm's own random choices.", "", 0, 2**63 - 1
)


def assumptions_of(instance: Instance) -> tuple[Assumption, ...]:
    """Check the paper's assumptions; runs in a background process."""
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
        The seed of the run as typed.
    own
        Instances made by hand that are in no file and were replaced by something else; the list of instances
        offers them.
    others
        The texts of parameters that this algorithm does not have, where another one last had no default in the form.
    """

    source: Source
    algorithm: str
    texts: Texts
    seed: str
    own: tuple[FromTable, ...] = ()
    others: Texts = field(default=(), compare=False)

    @classmethod
    def of(
        cls,
        family: str = "paper-hard",
        algorithm: str = "fixed-confidence",
        seed: int = 0,
        instance: Mapping[str, Value] | None = None,
        parameters: Mapping[str, Value] | None = None,
    ) -> Draft:
        """A draft with these values, and defaults for the others."""
        source = FromGallery(family, _texts(family_named(family).parameters, instance or {}))
        method = algorithm_named(algorithm)
        texts = _texts(method.parameters, parameters or {})
        return cls(source, method.name, texts, text_of(RUN_SEED, RUN_SEED.check(seed)))

    # -- content ------------------------------------------------------------------------------------------------

    @property
    def family(self) -> Family | None:
        """The family of the gallery, or None if the instance comes from a file."""
        return family_named(self.source.family) if isinstance(self.source, FromGallery) else None

    @property
    def method(self) -> Algorithm:
        """The algorithm itself."""
        return algorithm_named(self.algorithm)

    def text(self, key: str) -> str:
        """The text of a field."""
        scope, _, name = key.partition(".")
        if key == SEED_FIELD:
            return self.seed
        return dict(self._texts_of(scope))[name]

    def family_values(self) -> dict[str, Value]:
        """The values of the family's parameters; raises the InputError of the first invalid one."""
        return self.source.values() if isinstance(self.source, FromGallery) else {}

    def algorithm_values(self) -> dict[str, Value]:
        """The values of the algorithm's parameters; raises the InputError of the first invalid one."""
        return dict(self._algorithm_values)

    @cached_property
    def _algorithm_values(self) -> dict[str, Value]:
        return values_of(self.method.parameters, self.texts)

    def seed_value(self) -> int:
        """The seed of the run; raises InputError if it is not valid."""
        value = parsed(RUN_SEED, self.seed)
        assert isinstance(value, int)
        return value

    def errors(self) -> dict[str, str]:
        """The error of every invalid field, in one sentence each.

        Errors found only when the instance is built come from `build_instance`; `refused` assigns them to fields.
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
            return {D_FIELD: f"The instance has {plural(question.old, 'feature')}. {question.sentence}"}
        sentence = source.table.refusal() if isinstance(source, FromTable) else ""
        return {FAMILY_FIELD: sentence} if sentence else {}

    def question(self) -> FeatureQuestion | None:
        """The question to answer before D changes to the typed value, or None; values of a file are never invented."""
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
        """The error of building the instance, at the field that it mentions."""
        if not isinstance(self.source, FromGallery):
            return {FAMILY_FIELD: sentence}
        sentence = sentence.removeprefix(f"{self.source.family}: ")
        parameters = self.source.parameters
        name = _first_named(sentence, parameters)
        sentence = in_letters(sentence, parameters, INSTANCE)
        return {f"{INSTANCE}.{name}" if name else FAMILY_FIELD: sentence}

    @cached_property
    def noise(self) -> Noise | None:
        """The noise that the run has instead of that of the instance; None if it keeps that one, or is not valid."""
        text = dict(self.texts).get("noise", "")
        try:
            return Noise.parse(text) if text.strip() else None
        except InputError:
            return None

    def refused_by_algorithm(self, instance: Instance) -> dict[str, str]:
        """Why the algorithm cannot run on this instance, at the field that it mentions; empty if it can."""
        if not instance.has_rewards:
            return {FAMILY_FIELD: _NO_REWARDS}
        try:
            values = self.algorithm_values()
        except InputError:
            return {}  # `errors` reports it
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
        """Everything that prevents the draft from running, by field: invalid texts, then errors of the instance.

        Parameters
        ----------
        instance
            The built instance, if known: the algorithm may not accept it.
        refusal
            Why building it failed, if it did.
        """
        found = self.errors()
        if refusal:
            found = self.refused(refusal) | found
        if instance is not None:
            found = self.refused_by_algorithm(instance) | found
        return found

    def instance_key(self) -> tuple[object, ...] | None:
        """The key of the instance in a cache of built ones; None while the draft's instance is not valid."""
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
        """The draft with another text in one field."""
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
        """The draft with another family; parameters that both have keep their values where valid."""
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
        """The draft with an opened instance."""
        return replace(self, source=FromFile(instance, path))

    def with_table(self, table: InstanceTable) -> Draft:
        """The draft with an edited instance; its origin and its file are remembered."""
        old = self.source
        if table.recipe.steps == (PASTED,):
            return replace(self, source=FromTable(table, old.path if isinstance(old, FromTable | FromFile) else ""))
        if isinstance(old, FromTable):
            return self if table == old.table else replace(self, source=FromTable(table, old.path, old.origin))
        if isinstance(old, FromFile):
            origin = PurePath(old.path).name or old.instance.name
            return replace(self, source=FromTable(table, "" if _made_from(old) else old.path, origin))
        return replace(self, source=FromTable(table, "", old.family))

    def with_new_table(self, table: InstanceTable) -> Draft:
        """The draft with a new custom instance that starts with this table."""
        return replace(self, source=FromTable(table), own=self._all_own())

    def with_own(self, at: int) -> Draft:
        """The draft with one of the custom instances that were set aside."""
        chosen = self.own[at]
        return replace(self, source=chosen, own=tuple(each for each in self._all_own() if each != chosen))

    def keeping(self, before: Draft) -> Draft:
        """This draft, with the custom instances of the previous draft, including the one that it replaces."""
        edited = isinstance(self.source, FromTable)  # or chosen: the other one was then set aside too
        wanted = (*(before.own if edited else before._all_own()), *self.own)
        return replace(self, own=tuple(each for each in dict.fromkeys(wanted) if each != self.source))

    def _all_own(self) -> tuple[FromTable, ...]:
        own = self.source
        return (*self.own, own) if isinstance(own, FromTable) and not own.untouched else self.own

    def answered(self, agreed: bool) -> Draft:
        """The draft after an answer to the `question`."""
        question, source = self.question(), self.source
        if question is None or isinstance(source, FromGallery):
            return self
        if not agreed:
            return replace(self, source=replace(source, D_text=None))
        table = source.table if isinstance(source, FromTable) else InstanceTable.of(source.instance)
        return self.with_table(table.with_D(question.new))

    def with_algorithm(self, name: str) -> Draft:
        """The draft with another algorithm; parameters that it has, or last had in the form, keep valid values."""
        method = algorithm_named(name)
        texts = _kept(method.parameters, dict(self.others) | dict(self.texts))
        defaults = _texts(self.method.parameters, {})
        chosen = dict(self.others) | dict(each for each in self.texts if each not in defaults)
        others = tuple(each for each in chosen.items() if each[0] not in dict(texts))
        return replace(self, algorithm=method.name, texts=texts, others=others)

    def proposals(self) -> tuple[str, ...]:
        """The assumptions about the instance for which there is something to do, if they do not hold."""
        return (GAPS,) if self.algorithm in FOR_MISSPECIFIED_REWARDS else (LINEAR, GAPS)

    def with_proposal(self, assumption: str, instance: Instance) -> Draft:
        """The draft that does something about an assumption that does not hold for its built instance."""
        if assumption == LINEAR:
            return self.with_algorithm("misspecified")
        if isinstance(self.source, FromGallery) and "scale_rewards" in dict(self.source.texts):
            return self.with_text(f"{INSTANCE}.scale_rewards", "true")
        scaled = instance.with_scaled_rewards()
        if isinstance(self.source, FromFile):
            return self.with_instance(scaled, self.source.path)
        return self.with_table(InstanceTable.of(scaled))

    def _texts_of(self, scope: str) -> Texts:
        if scope == ALGORITHM:
            return self.texts
        if isinstance(self.source, FromGallery):
            return self.source.texts
        typed = self.source.D_text
        return (("D", text_of(FEATURES, self.source.D) if typed is None else typed),)

    # -- runs ---------------------------------------------------------------------------------------------------

    def request(self, instance: Instance) -> RunRequest:
        """The request for a run of this draft on its built instance; raises InputError if the draft is not valid."""
        return RunRequest(instance, self.algorithm, self.seed_value(), self.algorithm_values())

    @classmethod
    def from_request(cls, request: RunRequest) -> Draft:
        """The draft that requests this run.

        The instance's recipe is used if it gives the same instance; checking it takes as long as building
        the instance.
        """
        method = algorithm_named(request.algorithm)
        return cls(
            _source_of(request.instance),
            request.algorithm,
            _texts(method.parameters, request.parameters),
            text_of(RUN_SEED, RUN_SEED.check(request.seed)),
        )

    def differs_from(self, request: RunRequest, instance: Instance | None) -> bool:
        """Whether this draft, whose instance is `instance` (None: not built yet), requests another run."""
        if self.errors() or self.algorithm != request.algorithm or self.seed_value() != request.seed:
            return True
        try:
            return self._differs_in_values(request, instance)
        except InputError:  # a run of another version: this one cannot request it
            return True

    def _differs_in_values(self, request: RunRequest, instance: Instance | None) -> bool:
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
    """The old texts where they are valid here too, otherwise defaults."""
    texts = []
    for each in parameters:
        text = old.get(each.name)
        keep = text is not None and not refusal_of(each, text, INSTANCE)
        texts.append((each.name, text if keep and text is not None else text_of(each, each.default)))
    return tuple(texts)


def _first_named(sentence: str, parameters: Iterable[Parameter]) -> str:
    """The parameter whose name or symbol occurs first in a sentence as "name = ", or an empty text."""
    places = {}
    for each in parameters:
        words = "|".join(re.escape(word) for word in (each.name, each.symbol) if word)
        match = re.search(rf"(?<![\w.])(?:{words}) = ", sentence)
        if match:
            places[each.name] = match.start()
    return min(places, key=lambda name: places[name]) if places else ""


def _made_from(source: FromFile) -> bool:
    """Whether the instance is not what its file contains, so that saving it there would destroy the data."""
    recipe = source.instance.recipe
    return bool(recipe.file and recipe.settings and not recipe.family) and is_sheet(source.path)


def _source_of(instance: Instance) -> Source:
    recipe = instance.recipe
    if recipe.family and not recipe.steps:
        try:
            made = make(recipe.family, **recipe.parameters)
            if made.with_noise(instance.noise).digest == instance.digest:
                return FromGallery(recipe.family, _texts(family_named(recipe.family).parameters, recipe.parameters))
        except InputError:
            pass  # a recipe of another version, or written by hand: the instance itself counts
    return FromFile(instance, recipe.file)
