"""The registry of the families of instances, and functions to make an instance by name.

To add a family, write a file with a `Family` and add a line to `_FAMILIES`; other packages use the entry-point group
``gems.families``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError, quoted
from gems_engine.gallery.family import Family
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter, Value, check_all, unknown_name
from gems_engine.plugins import Plugins, Registry, in_words, require_name
from gems_engine.recipe import Recipe
from gems_engine.registry import registered

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_FAMILIES = (
    "paper.HARD",
    "paper.SPHERE",
    "paper.VERIFIABILITY",
    "synthetic.SOARE",
    "synthetic.TRANSDUCTIVE",
    "multivariate.MULTIVARIATE",
    "misspecified.MISSPECIFIED",
    "synthetic.GAUSSIAN",
    "datasets.DIABETES",
    "datasets.WINE",
)
"""The file and the name of each."""


def _checked(entry: EntryPoint, found: Any) -> Family:
    """The family of an entry point; raises InputError with the reason if it cannot be used."""
    if not isinstance(found, Family):
        raise InputError(f"it is of the type {type(found).__name__}, not a Family.")
    require_name("family", entry, found.name)
    if not isinstance(found.summary, str) or not isinstance(found.instead, Mapping):
        raise InputError("its summary must be text, and its instead a dict.")
    if not isinstance(found.parameters, tuple) or not all(isinstance(each, Parameter) for each in found.parameters):
        raise InputError("its parameters must be a tuple of Parameter.")
    names = [each.name for each in found.parameters]
    if len(set(names)) < len(names) or not all(name.isidentifier() for name in names):
        raise InputError("its parameters must have different names such as d_star.")
    if not callable(found.make):
        raise InputError("its make must be a function.")
    return replace(found, make=_guarded(found))


def _guarded(family: Family) -> Callable[..., Instance]:
    """A function that makes an instance or raises InputError: the form calls it after every change."""

    def make(**values: Value) -> Instance:
        try:
            made = family.make(**values)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"the family has an error: {in_words(error)}") from error
        if not isinstance(made, Instance):
            raise InputError(f"the family has an error: it makes something of the type {type(made).__name__}.")
        return made

    return make


FAMILIES: Registry[Family] = Registry(
    "gems.families",
    "family",
    _checked,
    {each.name: each for each in (registered(__name__, home) for home in _FAMILIES)},
)
"""All families by name, in the order of forms: the built-in ones, then those of other packages."""

MOST_NUMBERS = 10_000_000
"""The largest number of entries in the features of an instance."""

__all__ = ["FAMILIES", "Family", "make", "make_from_spec", "parse_spec"]


def built_in_names() -> tuple[str, ...]:
    """The names that a family of another package cannot have."""
    return tuple(FAMILIES.built_in)


def plugin_families() -> Plugins[Family]:
    """The families of other packages, with those that cannot be used."""
    return FAMILIES.plugins()


def family_named(name: str) -> Family:
    """The family of that name, or an InputError with the closest one."""
    if name not in FAMILIES:
        FAMILIES.refuse_broken(name)
        raise unknown_name("family", name, FAMILIES)
    return FAMILIES[name]


def make(name: str | Family, /, **parameters: Any) -> Instance:
    """Make an instance of a family.

    Parameters
    ----------
    name
        The name of the family, as in :data:`FAMILIES`, or the family itself.
    parameters
        The parameters of the family; omitted ones have their defaults.

    Returns
    -------
    Instance
        The instance, with a recipe that names the family and its parameters.

    Examples
    --------
    >>> from gems_engine import instances
    >>> instance = instances.make("sphere", D=10, d_star=3, n=20, seed=1)
    >>> len(instance.arms), instance.D, instance.d_star
    (20, 10, 3)
    """
    family = family_named(name) if isinstance(name, str) else name
    try:
        values = check_all(family.parameters, parameters)
        _require_room(values)
        instance = family.make(**values)
    except InputError as error:
        raise InputError(f"{family.name}: {error}") from error
    recipe = Recipe.of(family.name, values)
    return replace(instance, name=recipe.spec, recipe=recipe)


def _require_room(values: Mapping[str, Value]) -> None:
    """Raise InputError for sizes that would exhaust the memory, which a text or a file may contain."""
    n, D = values.get("n"), values.get("D")
    if isinstance(n, int) and isinstance(D, int) and n * D > MOST_NUMBERS:
        raise InputError(f"n = {n} and D = {D} make {n * D} numbers: at most {MOST_NUMBERS} are allowed.")


def parse_spec(text: str) -> tuple[Family, dict[str, Value]]:
    """The family and the parameters in a text such as ``paper-hard:d_star=9,epsilon=0.01``.

    Parameters
    ----------
    text : str
        The name of a family, and its parameters after a colon.

    Returns
    -------
    Family, dict
        The family, and the parameters that the text gives.

    Examples
    --------
    >>> from gems_engine.gallery import parse_spec
    >>> family, given = parse_spec("paper-hard:d_star=9,epsilon=0.01")
    >>> family.name, given
    ('paper-hard', {'d_star': 9, 'epsilon': 0.01})
    """
    name, _, rest = text.strip().partition(":")
    family = family_named(name.strip())
    known = {parameter.name: parameter for parameter in family.parameters}
    values: dict[str, Value] = {}
    for item in filter(None, (part.strip() for part in rest.split(","))):
        key, equals, word = (part.strip() for part in item.partition("="))
        if not equals:
            raise InputError(f"{family.name}: cannot read {quoted(item)}. Write name=value, for example seed=1.")
        if key not in known:
            raise InputError(f"{family.name}: {unknown_name('parameter', key, known)}")
        if key in values:
            raise InputError(f"{family.name}: {key} is given twice.")
        try:
            values[key] = known[key].parse(word)
        except InputError as error:
            raise InputError(f"{family.name}: {error}") from error
    return family, values


def make_from_spec(text: str) -> Instance:
    """Make an instance from a text such as ``sphere:D=50,seed=3``.

    Parameters
    ----------
    text : str
        The name of a family, and its parameters after a colon; omitted ones have their defaults.

    Returns
    -------
    Instance
        As :func:`make` returns it.

    Examples
    --------
    >>> from gems_engine import instances
    >>> instances.make_from_spec("sphere:D=10,d_star=3,n=20,seed=1").D
    10
    """
    family, values = parse_spec(text)
    return make(family, **values)
