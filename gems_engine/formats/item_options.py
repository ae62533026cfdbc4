"""How the columns of a CSV file of items become an instance: one set of options for Python, files, flags and forms."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gems_engine.errors import InputError
from gems_engine.features import is_name
from gems_engine.formats.csv_cells import csv_text
from gems_engine.parameters import Value, shown, unknown_name
from gems_engine.recipe import Recipe
from gems_engine.terminal import plural

AS_IS, STANDARDISED, COMPONENTS = "as-is", "standardised", "principal-components"
FEATURES = (AS_IS, STANDARDISED, COMPONENTS)
"""Treatments of the columns of a CSV file: see :func:`~gems_engine.formats.csv_format.transform`."""
_OLD_NAMES = {"as-given": AS_IS}  # of older versions: accepted, never written
NAME, REWARD = "name", "reward"
"""The columns of names and of mean rewards, unless others are chosen."""
KEYS = ("features", "intercept", "name_column", "reward_column", "ignore", "columns", "scale_rewards")
"""The options in specifications and recipes; on the command line they are flags, with dashes."""


@dataclass(frozen=True)
class ItemOptions:
    """What is made of the columns of a CSV file; the defaults take every column as it is.

    Attributes
    ----------
    features
        One of :data:`FEATURES`.
    intercept
        Whether a first feature of ones is added; None: unless features are taken as they are.
    name_column, reward_column
        The columns of names and of mean rewards. The default ones may be absent.
    ignore
        Columns that are left out.
    columns
        The features in the order of the nested classes; None: all other columns, in their order.
    scale_rewards
        Whether the rewards are divided by a number so that the largest gap is at most 2.
    """

    features: str = AS_IS
    intercept: bool | None = None
    name_column: str = NAME
    reward_column: str = REWARD
    ignore: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    scale_rewards: bool = False

    def __post_init__(self) -> None:
        treatment = _OLD_NAMES.get(self.features, self.features)
        if treatment not in FEATURES:
            raise InputError(
                f"Unknown treatment of features {shown(self.features)}: it must be one of {', '.join(FEATURES)}."
            )
        object.__setattr__(self, "features", treatment)
        if self.intercept is not None and self.intercept == (treatment != AS_IS):
            object.__setattr__(self, "intercept", None)  # equal options are equal

    @property
    def has_intercept(self) -> bool:
        """Whether a first feature of ones is added."""
        return self.features != AS_IS if self.intercept is None else self.intercept

    @property
    def of_columns(self) -> bool:
        """Whether some option other than the scale of the rewards is not the default."""
        return any(key != "scale_rewards" for key in self.given())

    def roles(self, header: Sequence[str]) -> tuple[tuple[str, ...], str | None, str | None]:
        """The columns of features, and those of names and of rewards (None if absent), in a file with this header.

        Raises
        ------
        InputError
            For a column that the file does not have, with the closest name, or one with two roles.
        """
        known = set(header)
        chosen = [self.name_column] * (self.name_column != NAME) + [self.reward_column] * (self.reward_column != REWARD)
        for column in (*chosen, *self.ignore, *(self.columns or ())):
            if column not in known:
                raise unknown_name("column", column, header)
        name, reward = (
            column if column in known and column not in self.ignore and column not in (self.columns or ()) else None
            for column in (self.name_column, self.reward_column)
        )
        if name is not None and name == reward:
            raise InputError(
                f"The column {shown(name)} cannot have both the names and the rewards. Choose another one."
            )
        out = {name, reward, *self.ignore}
        if self.columns is None:
            return tuple(column for column in header if column not in out), name, reward
        for i, column in enumerate(self.columns):
            if column in self.columns[:i]:
                raise InputError(f"The column {shown(column)} is listed twice among the features. List it once.")
            if column in self.ignore or column in chosen:
                role = "ignored" if column in self.ignore else "chosen for names or rewards"
                raise InputError(f"The column {shown(column)} is a feature and {role}. Choose one of the two.")
        return self.columns, name, reward

    def given(self) -> dict[str, Any]:
        """The options that are not the default, by the names of :data:`KEYS`."""
        default = ItemOptions()
        return {key: getattr(self, key) for key in KEYS if getattr(self, key) != getattr(default, key)}

    def values(self) -> dict[str, Value]:
        """All options by the names of :data:`KEYS`, lists in one line; None for all columns."""
        found = {key: getattr(self, key) for key in KEYS} | {"intercept": self.has_intercept}
        return {key: listed(value) if isinstance(value, tuple) else value for key, value in found.items()}

    # -- recipes and command lines ------------------------------------------------------------------------------

    def settings(self) -> tuple[tuple[str, Value], ...]:
        """The options as the settings of a recipe; a text that is too long for a file is left out."""
        found: list[tuple[str, Value]] = []
        for key, value in self.given().items():
            word = listed(value) if isinstance(value, tuple) else value
            if not isinstance(word, str) or is_name(word):
                found.append((key, word))
        return tuple(found)

    @staticmethod
    def of_settings(settings: Mapping[str, Value]) -> ItemOptions:
        """The options in the settings of a recipe; raises InputError if there are others, or invalid ones."""
        lists = {key: split(value) for key, value in settings.items() if key in _LISTS and isinstance(value, str)}
        return item_options({**settings, **lists})

    def flags(self) -> list[str]:
        """The options as words of a command line."""
        words: list[str] = []
        for key, value in self.given().items():
            flag = key.replace("_", "-")
            if isinstance(value, bool):
                words.append(f"--{'' if value else 'no-'}{flag}")
            else:
                text = listed(value) if isinstance(value, tuple) else value
                words += [f"--{flag}={text}"] if text.startswith("-") or not text else [f"--{flag}", text]
        return words

    # -- in words -----------------------------------------------------------------------------------------------

    def sentences(self, header: Sequence[str], made: int) -> tuple[str, ...]:
        """What becomes of the columns of a file, for the steps of a recipe; ``made`` is the number of features."""
        columns, name, reward = self.roles(header)
        count, own = plural(len(columns), "feature"), made - self.has_intercept
        if self.features == COMPONENTS:
            what = f"as {plural(own, 'principal component')}"
        else:
            dropped = len(columns) - own  # the intercept replaces constant columns
            unchanged = "as it is" if len(columns) == 1 else "as they are"
            what = "standardised" if self.features == STANDARDISED else unchanged
            what += f", {dropped} constant left out" if dropped else ""
        first = f"{count} {what}, {'with' if self.has_intercept else 'without'} an intercept"
        names = f"name: {_short(name)}" if name is not None else "no names"
        roles = f"{names}, reward: {_short(reward)}" if reward is not None else f"{names}, no rewards"
        out = [column for column in header if column not in {*columns, name, reward}]
        ignored = [_short(column) for column in out[:3]] + ([f"{len(out) - 3} more"] if len(out) > 3 else [])
        return (first, roles, *([f"ignored: {', '.join(ignored)}"] if ignored else []))


_LISTS = ("ignore", "columns")


def item_options(given: Mapping[str, Any]) -> ItemOptions:
    """The options in untrusted values by the names of :data:`KEYS`, as in a specification or a recipe."""
    for key, value in given.items():
        if key not in KEYS:
            raise unknown_name("key", key, KEYS)
        if key in ("intercept", "scale_rewards"):
            if not isinstance(value, bool):
                raise InputError(f"{key} = {shown(value)} is not allowed: it must be true or false.")
        elif key in _LISTS:
            if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
                raise InputError(f"{key} = {shown(value)} is not allowed: it must be a list of columns.")
        elif not isinstance(value, str):
            raise InputError(f"{key} = {shown(value)} is not allowed: it must be text.")
    values: dict[str, Any] = {key: tuple(value) if key in _LISTS else value for key, value in given.items()}
    return ItemOptions(**values)


def how_read(recipe: Recipe) -> dict[str, Value]:
    """The CSV file of an instance and all options with which it was read; nothing if it comes from something else."""
    if recipe.family or not recipe.file:
        return {}
    try:
        return {"file": recipe.file, **ItemOptions.of_settings(recipe.parameters).values()}
    except InputError:  # a recipe of another version
        return {}


def listed(columns: Sequence[str]) -> str:
    """Columns in one line, as after --columns; a name with a comma is quoted as in a CSV file."""
    return ",".join(csv_text([[column]]).removesuffix("\n") if column else '""' for column in columns)


def split(text: str) -> tuple[str, ...]:
    """The columns in a text such as ``x3,x1,"a, b"``."""
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise InputError(f"Cannot read the list of columns {shown(text)}: {error}.") from error
    return tuple(cell.strip() for cell in rows[0]) if rows else ()


def _short(column: str) -> str:
    printable = column if column.isprintable() else ascii(column)[1:-1]
    return printable if len(printable) <= 40 else f"{printable[:39]}…"
