"""Facts of the registries about every parameter: owners, allowed values and default; independent of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from gems_engine.algorithms import algorithms
from gems_engine.conditions import CONDITIONS
from gems_engine.forcing import PARAMETERS
from gems_engine.gallery import FAMILIES
from gems_engine.parameters import Parameter
from gems_gui.drafts.draft import RUN_SEED
from gems_gui.drafts.sources import FEATURES
from gems_gui.field_text import ALGORITHM, FORCED, INSTANCE, RUN, UNTIL, label_of, text_of

SCOPES = {
    INSTANCE: "Parameters of instances",
    ALGORITHM: "Parameters of algorithms",
    RUN: "Parameters of runs",
    FORCED: "Parameters of branches",
    UNTIL: 'Parameters of "run until"',
}
"""The scopes of parameters, and their headings in the contents."""
Owned = tuple[str, Parameter]
"""The owner and the parameter."""


def _registered() -> Iterator[tuple[str, str, Parameter]]:
    """Scope, owner and parameter, in the order of the forms."""
    for family in FAMILIES.values():
        yield from ((INSTANCE, family.name, each) for each in family.parameters)
    yield INSTANCE, "an opened instance", FEATURES
    for algorithm in algorithms().values():
        yield from ((ALGORITHM, algorithm.title, each) for each in algorithm.parameters)
    yield RUN, "every run", RUN_SEED
    yield from ((FORCED, "every branch", each) for each in PARAMETERS)
    for condition in CONDITIONS.values():
        yield from ((UNTIL, condition.name, each) for each in condition.parameters)


@cache
def parameters() -> dict[tuple[str, str], tuple[Owned, ...]]:
    """Every parameter by scope and name, with all owners of that name."""
    found: dict[tuple[str, str], tuple[Owned, ...]] = {}
    for scope, owner, parameter in _registered():
        key = scope, parameter.name
        found[key] = (*found.get(key, ()), (owner, parameter))
    return found


def label(scope: str, name: str) -> str:
    """Its label in forms, or all labels of parameters with this name."""
    return ", ".join(dict.fromkeys(label_of(each, scope) for _, each in parameters()[scope, name]))


def sentences(scope: str, name: str) -> str:
    """The descriptions in the registries, for a page without a file."""
    return " ".join(dict.fromkeys(each.help for _, each in parameters()[scope, name]))


def facts(scope: str, name: str) -> str:
    """Owners, allowed values and defaults as a table."""
    alike: dict[Parameter, list[str]] = {}
    for owner, parameter in parameters()[scope, name]:
        alike.setdefault(parameter, []).append(owner)
    rows = [_row(parameter, _whose(scope, owners), scope) for parameter, owners in alike.items()]
    return "\n".join(["| of | label | allowed | default |", "|---|---|---|---|", *rows, "", _typed(scope, name)])


def _row(parameter: Parameter, whose: str, scope: str) -> str:
    unit = f" {parameter.unit}" if parameter.unit else ""
    default = text_of(parameter, parameter.default) or "none"
    return f"| {whose} | {label_of(parameter, scope)} | {parameter.allowed}{unit} | {default}{unit} |"


def _whose(scope: str, owners: list[str]) -> str:
    everyone = {owner for (whose, _), owned in parameters().items() if whose == ALGORITHM for owner, _ in owned}
    return "every algorithm" if scope == ALGORITHM and set(owners) == everyone else "; ".join(owners)


def _typed(scope: str, name: str) -> str:
    """Its form on the command line."""
    if scope == INSTANCE:
        owner, parameter = parameters()[scope, name][0]
        return f"On the command line: `{owner}:{name}={_word(parameter)}`."
    if scope == FORCED:
        return f"On the command line: `gems run RUN.gems --at N --force {name}=…`."
    return "" if scope == UNTIL else f"On the command line: `--{name.replace('_', '-')}`."


def _word(parameter: Parameter) -> str:
    default = parameter.default
    return str(default).lower() if isinstance(default, bool) else str(default)
