"""What a user may choose about a view: declared as data, so that menus, commands and tests all read the same."""

from __future__ import annotations

from dataclasses import dataclass

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

    def check(self, value: str) -> str:
        """The value itself, or an InputError with the nearest one."""
        if value not in self.choices:
            raise unknown_name(self.label, value, self.choices)
        return value
