"""Typed parameters with ranges: one description for the command line, files and forms."""

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from numbers import Integral, Real
from typing import Any

import numpy as np

from gems_engine.errors import InputError, quoted
from gems_engine.terminal import number

__all__ = ["Parameter"]

Value = int | float | bool | str | None

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "choice": "one of",
    "text": "text",
}
_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}


@dataclass(frozen=True)
class Parameter:
    """One parameter: its type, range, default, and the paper's symbol.

    Parameters
    ----------
    name : str
        The name in code, in files and on the command line.
    kind : {"int", "float", "bool", "choice", "text"}
    default : Value
    help : str
        One sentence.
    symbol : str
        The paper's symbol, for labels: "d⋆", "ε".
    minimum, maximum, exclusive_minimum, exclusive_maximum
        The allowed range of a number.
    choices : tuple of str
        The allowed values of a choice.
    optional : bool
        Whether ``None`` is a value.
    unit : str
        Shown after the number.
    """

    name: str
    kind: str
    default: Value
    help: str
    symbol: str = ""
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    choices: tuple[str, ...] = ()
    optional: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"unknown kind of parameter: {self.kind!r}")
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError(f"{self.name}: choices belong to the kind 'choice', and it needs them")
        self.check(self.default)

    @property
    def allowed(self) -> str:
        """The allowed values in words: "a whole number from 1 to 10 000"."""
        words = _KINDS[self.kind]
        if self.kind == "choice":
            words = f"one of {', '.join(self.choices)}"
        elif self.kind in ("int", "float"):
            words += self._range()
        return words + (" or none" if self.optional else "")

    def _range(self) -> str:
        low, high = (None if bound is None else self._bound(bound) for bound in (self.minimum, self.maximum))
        if low is not None and high is not None and not (self.exclusive_minimum or self.exclusive_maximum):
            return f" from {low} to {high}"
        lower = "" if low is None else f" above {low}" if self.exclusive_minimum else f" of at least {low}"
        most = "at most" if lower else "of at most"  # "a number above 0 and at most 1", but "a number of at most 1"
        upper = "" if high is None else f" below {high}" if self.exclusive_maximum else f" {most} {high}"
        return lower + (" and" if lower and upper else "") + upper

    def _bound(self, bound: float) -> str:
        """A bound of the range, exact for whole numbers."""
        return number(int(bound)) if self.kind == "int" else f"{bound:.15g}"

    def parse(self, text: str) -> Value:
        """The value of a text, as typed on the command line or into a form."""
        try:
            return self.check(self._converted(text.strip()))
        except ValueError as error:  # also an InputError: the message must show what was typed
            raise self._refusal(text) from error

    def _converted(self, word: str) -> Value:
        if self.optional and word.lower() in ("none", ""):
            return None
        if self.kind == "bool":
            return True if word.lower() in _TRUE else False if word.lower() in _FALSE else word
        if self.kind == "int":
            return _whole(word)
        return float(word) if self.kind == "float" else word

    def check(self, value: Any) -> Value:
        """Return ``value`` (numbers as Python's own types), or raise an InputError that says what is allowed."""
        if value is None and self.optional:
            return None
        if self.kind == "bool":
            if isinstance(value, bool | np.bool_):
                return bool(value)
            raise self._refusal(value)
        if self.kind in ("int", "float"):
            return self._number(value)
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise self._refusal(value)
        return value

    def _number(self, value: Any) -> int | float:
        if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
            raise self._refusal(value)
        if isinstance(value, Integral):
            number: int | float = int(value)
        else:
            number = float(value)
            if not math.isfinite(number):
                raise self._refusal(value)
        if self.kind == "int":
            if number != int(number):
                raise self._refusal(value)
            number = int(number)
        if self.minimum is not None and (number < self.minimum or (self.exclusive_minimum and number == self.minimum)):
            raise self._refusal(value)
        if self.maximum is not None and (number > self.maximum or (self.exclusive_maximum and number == self.maximum)):
            raise self._refusal(value)
        if self.kind == "float":
            try:
                number = float(number)
            except OverflowError as error:
                raise self._refusal(value) from error
        return number

    def _refusal(self, value: Any) -> InputError:
        word = value if isinstance(value, str) and value.isprintable() and 0 < len(value) <= 40 else shown(value)
        return InputError(f"{self.name} = {word} is not allowed: it must be {self.allowed}.")


def _whole(word: str) -> int:
    """The exact integer of a text; 1e7 is one, 1e400000 would exhaust the memory."""
    try:
        number = Decimal(word)
    except InvalidOperation as error:
        raise ValueError from error
    if not number.is_finite() or number.adjusted() > 30 or number != number.to_integral_value():
        raise ValueError
    return int(number)


def check_all(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Value]:
    """All values in the order of ``parameters``: the given ones, checked, and defaults for the rest."""
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            raise unknown_name("parameter", name, known)
    return {
        name: parameter.check(given[name]) if name in given else parameter.default for name, parameter in known.items()
    }


def unknown_name(what: str, name: str, known: Iterable[str]) -> InputError:
    """The error for an unknown name, with the closest known one."""
    return InputError(f"Unknown {what} {quoted(name)}: {name_hint(name, known)}")


def name_hint(name: str, known: Iterable[str]) -> str:
    """What to write instead of an unknown name: the closest known one, or a list of all."""
    names = list(known)
    near = closest_name(name, names)
    if near:
        return f"did you mean {quoted(near)}?"
    return f"choose one of {', '.join(names)}." if names else "there are none."


def closest_name(name: str, known: Iterable[str]) -> str:
    """The known name that starts with this one, or else the one spelled most like it; empty if none is close."""
    names = list(known)
    longer = [each for each in names if name and each.startswith(name)]
    return next(iter(longer or difflib.get_close_matches(name, names, n=1, cutoff=0.5)), "")


def shown(value: Any) -> str:
    """Any value in a few characters, for a message: values from files may be huge or deeply nested."""
    if isinstance(value, str):
        return quoted(value, 40)
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_):
        return str(value) if abs(int(value)) < 10**40 else "a huge whole number"
    if value is None or isinstance(value, bool | float | np.bool_ | np.floating):
        return str(value)
    return f"a {type(value).__name__}"
