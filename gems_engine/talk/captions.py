"""Captions: text with placeholders such as ``{samples}`` for numbers of the run, from a fixed and safe vocabulary.

A placeholder is a name of :data:`VOCABULARY` in braces, for some names with an argument in brackets: ``{rho_star[9]}``,
``{pulls[x_9]}``. It may be preceded by a run of the story and a point, ``{RAGE.samples}``: that run at its end.
Two may be divided, ``{rho_star[10]/rho_star[9]}``, and a colon is followed by the number of digits,
``{rho_star[9]:3}``. ``{{`` and ``}}`` are braces, and ``R^{D}`` becomes R¹⁰, ``d_k`` dₖ. No line breaks around =.
Nothing else is looked up or computed, whatever a file contains.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gems_engine.errors import InputError, quoted
from gems_engine.parameters import shown, unknown_name
from gems_engine.state import State
from gems_engine.talk.numbers import Lookup, compute
from gems_engine.talk.vocabulary import VOCABULARY, Sight, Value
from gems_engine.terminal import number, with_indices
from gems_engine.trace import Trace

HIDDEN = "hidden"
"""Shown instead of a number that reveals the truth while it is hidden."""
UNKNOWN = "unknown"
"""Shown instead of a number that depends on rewards that the instance does not have."""
PENDING = "…"
"""Shown instead of a number that is still being computed."""
_PIECES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_TERM = re.compile(r"(?:(?P<run>[A-Za-z][A-Za-z0-9_-]*)\.)?(?P<name>[A-Za-z_]+)(?:\[(?P<index>[^\[\]]{1,80})\])?")
_EQUALS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"  # no line break between B and its value
_DIGITS = 4


@dataclass(frozen=True)
class Term:
    """A name with its argument, and the name of a run; empty for the run of the moment."""

    name: str
    index: str = ""
    run: str = ""


@dataclass(frozen=True)
class Field:
    """The content of a placeholder."""

    term: Term
    over: Term | None = None
    digits: int = _DIGITS


def parse(caption: str) -> tuple[str | Field, ...]:
    """The texts and fields of a caption.

    Raises
    ------
    InputError
        One sentence: an extra brace, an unknown name, or a name with missing or extra brackets.
    """
    parts: list[str | Field] = []
    at = 0
    for found in _PIECES.finditer(caption):
        parts.append(caption[at : found.start()])
        at = found.end()
        if found[1] is not None:
            parts.append(_field(found[1]))
        elif found[0] in ("{{", "}}"):
            parts.append(found[0][0])
        else:
            raise InputError(
                f"The caption has a single {found[0]}. Write a placeholder as {{samples}}, a brace as {{{{."
            )
    parts.append(caption[at:])
    return tuple(part for part in parts if part != "")


def _field(text: str) -> Field:
    inner, colon, digits = text.partition(":")
    if colon and not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:3]) <= 12):
        raise InputError(
            f"{{{text[:60]}}} asks for {shown(digits)} digits: the number after the colon must be 1 to 12."
        )
    top, slash, below = inner.partition("/")
    return Field(_term(top, text), _term(below, text) if slash else None, int(digits) if colon else _DIGITS)


def _term(text: str, whole: str) -> Term:
    found = _TERM.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"{{{whole[:60]}}} is not a placeholder. Write a name, such as {{samples}} or {{rho_star[9]}}."
        )
    name, index = found["name"], found["index"] or ""
    if name not in VOCABULARY:
        raise _unknown(name)
    wants = VOCABULARY[name].of
    if wants and not index:
        raise InputError(f"{{{name}}} needs the {wants} in brackets. Write {{{name}[…]}}.")
    if index and not wants:
        raise InputError(f"{{{name}[{index[:20]}]}}: there is only one {name}. Write {{{name}}}.")
    return Term(name, index.strip(), found["run"] or "")


def _unknown(name: str) -> InputError:
    """The error for an unknown name, with the closest one or a few others."""
    near = unknown_name("placeholder", name, VOCABULARY)
    if "did you mean" in str(near):
        return near
    some = [f"{{{each}}}" for each in VOCABULARY][:6]
    more = len(VOCABULARY) - len(some)
    return InputError(f"Unknown placeholder {quoted(name)}: choose one of {', '.join(some)} and {more} more.")


def fill(
    caption: str,
    trace: Trace,
    state: State,
    runs: Mapping[str, Trace] | None = None,
    truth: bool = True,
    lookup: Lookup = compute,
) -> str:
    """A caption with its numbers.

    Parameters
    ----------
    trace, state
        The run of the moment, and its state there.
    runs
        The runs of the story by name, for placeholders about another run.
    truth
        Whether d⋆, the best arm and what follows from them may be shown; otherwise "hidden" is shown.
    lookup
        Returns numbers that need a solver; None while one is being computed, which is shown as "…".

    Raises
    ------
    InputError
        One sentence on the first placeholder that has no meaning here.
    """
    sight = _sights(trace, state, runs, lookup)
    words = "".join(part if isinstance(part, str) else _field_text(part, sight, truth) for part in parse(caption))
    return with_indices(words).replace(" = ", _EQUALS)


def value_of(
    placeholder: str,
    trace: Trace,
    state: State,
    runs: Mapping[str, Trace] | None = None,
    truth: bool = True,
    lookup: Lookup = compute,
) -> float | None:
    """The number of one placeholder such as "{tau}"; None if it is hidden, unknown or not computed yet.

    The parameters are those of :func:`fill`.

    Raises
    ------
    InputError
        One sentence if the text is not a single placeholder, or its value is not a number.
    """
    parts = parse(placeholder)
    if len(parts) != 1 or not isinstance(parts[0], Field):
        raise InputError(f"{shown(placeholder)} must be one placeholder, such as {{tau}}.")
    values = _values(parts[0], _sights(trace, state, runs, lookup), truth)
    if isinstance(values, str):
        return None
    found = _quotient(*values) if len(values) == 2 else values[0]
    if isinstance(found, str):
        raise InputError(f"{shown(placeholder)} is a name, not a number.")
    return None if found is None else float(found)


def _sights(trace: Trace, state: State, runs: Mapping[str, Trace] | None, lookup: Lookup) -> Callable[[str], Sight]:
    """The runs of placeholders by name: the one of the moment, and others at their ends."""
    here = Sight(trace, state, lookup)
    sights: dict[str, Sight] = {}

    def sight(name: str) -> Sight:
        if not name:
            return here
        if name not in (runs or {}):
            raise unknown_name("run of this story", name, runs or {})
        other = (runs or {})[name]
        return sights.setdefault(name, Sight(other, other.state_at(len(other)), lookup))

    return sight


def _field_text(field: Field, sight: Callable[[str], Sight], truth: bool) -> str:
    values = _values(field, sight, truth)
    if isinstance(values, str):
        return values
    if len(values) == 2:
        return _rounded(_quotient(*values), field.digits)
    value = values[0]
    return value if isinstance(value, str) else number(value, field.digits)


def _rounded(quotient: float | None, digits: int) -> str:
    """A quotient with this number of digits, even if it is large: 27 000 000, not 27 290 991."""
    if quotient is None or not math.isfinite(quotient):
        return number(quotient, digits)
    return number(float(f"{quotient:.{digits}g}"), digits)


def _values(field: Field, sight: Callable[[str], Sight], truth: bool) -> list[Value] | str:
    """The values of a field's terms, or what is shown instead of them."""
    terms = [term for term in (field.term, field.over) if term is not None]
    if not truth and any(VOCABULARY[term.name].truth for term in terms):
        return HIDDEN
    values: list[Value] = []
    for term in terms:
        seen = sight(term.run)
        if VOCABULARY[term.name].truth and not seen.instance.has_rewards:
            return UNKNOWN
        seen.waits = False
        values.append(VOCABULARY[term.name].value(seen, term.index))
        if seen.waits:
            return PENDING
    return values


def _quotient(top: Value, below: Value) -> float | None:
    if isinstance(top, str) or isinstance(below, str):
        raise InputError("A caption can divide only numbers, not names.")
    return None if top is None or not below else top / below


def reveals_truth(text: str) -> bool:
    """Whether a valid text has a number that reveals the truth."""
    fields = [part for part in parse(text) if isinstance(part, Field)]
    terms = [term for field in fields for term in (field.term, field.over) if term is not None]
    return any(VOCABULARY[term.name].truth for term in terms)
