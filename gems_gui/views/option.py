"""Options of a view, declared as data that menus, commands and tests share."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from gems_engine.errors import InputError, quoted
from gems_engine.parameters import unknown_name


@dataclass(frozen=True)
class Option:
    """An option of a view with a choice of values.

    Attributes
    ----------
    name
        Key of the option.
    label
        Heading in the menu.
    choices
        Maps each value to its text; the first is the default.
    """

    name: str
    label: str
    choices: dict[str, str]

    @property
    def default(self) -> str:
        """The default value."""
        return next(iter(self.choices))

    @property
    def words(self) -> str:
        """All values that may be chosen, as a text."""
        return ", ".join(self.choices.values())

    def check(self, value: str) -> str:
        """The value itself; an InputError suggests the closest valid one."""
        if value not in self.choices:
            raise unknown_name(self.label, value, self.choices)
        return value

    def allows(self, value: str) -> bool:
        """Whether a value is valid."""
        try:
            self.check(value)
        except InputError:
            return False
        return True


@dataclass(frozen=True)
class Whole(Option):
    """A whole number, for which the view has its own control instead of a menu.

    Attributes
    ----------
    least, most, start
        Its range and default.
    """

    choices: dict[str, str] = field(default_factory=dict)
    least: int = 0
    most: int = 100
    start: int = 0

    @property
    def default(self) -> str:
        return str(self.start)

    @property
    def words(self) -> str:
        return f"{self.start}, or any whole number from {self.least} to {self.most}"

    def check(self, value: str) -> str:
        """The value itself; an InputError gives the range."""
        if not (value.isdecimal() and value.isascii() and self.least <= int(value) <= self.most):
            raise InputError(f"{self.label}: {quoted(value)} is not a whole number from {self.least} to {self.most}.")
        return str(int(value))


@dataclass(frozen=True)
class Real(Whole):
    """A number in a range, written as "5000", "0.5" or "1e12"."""

    @property
    def words(self) -> str:
        return f"{self.start}, or any number from {self.least} to {self.most:g}"

    def check(self, value: str) -> str:
        """The value in its simplest form; an InputError gives the range."""
        try:
            found = float(value) if value.isascii() and "_" not in value else math.nan
        except ValueError:
            found = math.nan
        if not self.least <= found <= self.most:
            raise InputError(f"{self.label}: {quoted(value)} is not a number from {self.least} to {self.most:g}.")
        return str(int(found)) if found.is_integer() else repr(found)
