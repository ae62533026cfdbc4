"""The contract of a family of another package: it makes the same instances again, and refuses in one sentence."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from gems_engine.errors import InputError
from gems_engine.gallery import family_named, make
from gems_engine.gallery.family import Family
from gems_engine.parameters import Value
from gems_engine.plugin_contract import Violation, findings, require_sentence
from gems_engine.self_test import Finding


def check_family(name: str) -> Iterator[Finding]:
    """The findings about an installed family."""
    family = family_named(name)
    return findings(
        (
            ("documented", lambda: _documented(family)),
            ("instance", lambda: _instance(family)),
            ("same again", lambda: _same_again(family)),
            ("limits", lambda: _limits(family)),
        )
    )


def _documented(family: Family) -> str:
    require_sentence("summary", family.summary)
    for each in family.parameters:
        require_sentence(f"parameter {each.name}: its help", each.help)
    names = {each.name for each in family.parameters}
    missing = [name for name in ("D", "d_star", "epsilon") if name not in names and name not in family.instead]
    if missing:
        raise Violation(f"The form does not know what determines {', '.join(missing)}. Add them to instead.")
    return f"summary and {len(names)} parameters"


def _instance(family: Family) -> str:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make(family)
    if caught:
        raise Violation(f"It warns: {caught[0].message}. Avoid the operation, or handle its case first.")
    made.require_unique_best()
    return f"{len(made.arms)} arms, {len(made.targets)} targets, D = {made.D}"


def _same_again(family: Family) -> str:
    if make(family).digest != make(family).digest:
        raise Violation("The same parameters make another instance. Take random numbers from a parameter seed.")
    return "the same parameters make the same instance"


def _limits(family: Family) -> str:
    """Each parameter at its smallest value, or each of its choices: made, or refused in one sentence."""
    made, refused = 0, 0
    for each in family.parameters:
        values: list[Value] = list(each.choices)
        if each.minimum is not None and not each.exclusive_minimum:
            values.append(int(each.minimum) if each.kind == "int" else each.minimum)
        for value in values:
            try:
                make(family, **{each.name: value})
                made += 1
            except InputError as error:
                if "has an error: " in str(error) or "\n" in str(error):
                    raise Violation(
                        f"With {each.name} = {value}: {error} Raise InputError with one sentence."
                    ) from error
                refused += 1
    return f"{made} made" + (f", {refused} refused in one sentence" if refused else "")
