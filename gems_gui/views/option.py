"""What a user may choose about a view: declared as data, so that menus, commands and tests all read the same."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from gems_engine.errors import InputError
from gems_engine.parameters import unknown_name


@dataclass(frozen=True)
class Option:
    """One choice of a view.

    Attributes
    ----------
    name
        Its key.
    label
        Its heading in the menu.
    choices
        From a value to its words; the first is the default.
    """

    name: str
    label: str
    choices: dict[str, str]

    @property
    def default(self) -> str:
        """The first choice."""
        return next(iter(self.choices))

    @property
    def words(self) -> str:
        """All that may be chosen."""
        return ", ".join(self.choices.values())

    def check(self, value: str) -> str:
        """The value itself, or an InputError with the nearest one."""
        if value not in self.choices:
            raise unknown_name(self.label, value, self.choices)
        return value

    def allows(self, value: str) -> bool:
        """Whether it may be chosen."""
        try:
            self.check(value)
        except InputError:
            return False
        return True


@dataclass(frozen=True)
class Whole(Option):
    """A whole number, too many of them for a menu: the view has a control of its own for it.

    Attributes
    ----------
    least, most, start
        Its range, and what it is by default.
    """

    choices: dict[str, str] = field(default_factory=dict)
    least: int = 0
    most: int = 100
    start: int = 0

    @property
    def default(self) -> str:
        """Where it starts."""
        return str(self.start)

    @property
    def words(self) -> str:
        """Its range and its default."""
        return f"{self.start}, or any whole number from {self.least} to {self.most}"

    def check(self, value: str) -> str:
        """The value itself, or an InputError with the range."""
        if not (value.isdecimal() and value.isascii() and self.least <= int(value) <= self.most):
            raise InputError(f"{self.label}: {value!r} is not a whole number from {self.least} to {self.most}.")
        return str(int(value))


@dataclass(frozen=True)
class Real(Whole):
    """Any number of a range, as large as it may be: written «5000», «0.5» or «1e12»."""

    @property
    def words(self) -> str:
        """Its range and its default."""
        return f"{self.start}, or any number from {self.least} to {self.most:g}"

    def check(self, value: str) -> str:
        """The value in its plainest form, or an InputError with the range."""
        try:
            found = float(value) if value.isascii() and "_" not in value else math.nan
        except ValueError:
            found = math.nan
        if not self.least <= found <= self.most:
            raise InputError(f"{self.label}: {value!r} is not a number from {self.least} to {self.most:g}.")
        return str(int(found)) if found.is_integer() else repr(found)
