"""Values in named columns of equal length, where a missing value is missing: arrays, a DataFrame, a table in HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gems_engine.errors import InputError
from gems_engine.parameters import Value, unknown_name

if TYPE_CHECKING:
    import pandas


class Columns:
    """A table by columns.

    Parameters
    ----------
    values : mapping from names to sequences, or a function that returns one
        The columns as Python's own values; None is a missing value. A function is called on first use.
    """

    def __init__(self, values: Mapping[str, Sequence[Value]] | Callable[[], Mapping[str, Sequence[Value]]]) -> None:
        self._given = values

    @cached_property
    def _values(self) -> Mapping[str, Sequence[Value]]:
        return self._given() if callable(self._given) else self._given

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The columns as arrays by name. Missing numbers are NaN, and missing texts and truth values are None."""
        return {name: _array(values) for name, values in self._values.items()}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise unknown_name("column", name, self.columns)
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self._values.values()), ()))

    def to_dataframe(self) -> pandas.DataFrame:
        """The columns as a pandas DataFrame.

        Missing values are missing there too, and whole numbers stay whole (``Int64``) where some are missing.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise InputError("A DataFrame needs pandas, which is not installed. Run: pip install pandas") from error
        nullable = {
            name: pandas.array(values, dtype=kind) for name, values in self._values.items() if (kind := _kind(values))
        }
        return pandas.DataFrame({**self.columns, **nullable})

    def _repr_html_(self) -> str:
        from gems_engine.notebook import columns_html

        return columns_html(self._values)


def _kind(values: Sequence[Value]) -> str:
    """The pandas type for whole numbers or truth values of which some are missing; empty for other values."""
    kinds = {type(value) for value in values}
    return "Int64" if kinds == {int, type(None)} else "boolean" if kinds == {bool, type(None)} else ""


def _array(values: Sequence[Value]) -> np.ndarray:
    """Values as an array: of their type if none is missing, else numbers with NaN or objects with None."""
    kinds = {type(value) for value in values}
    if kinds <= {bool} and kinds:
        return np.array(values, dtype=bool)
    if kinds <= {int}:
        return np.array(values, dtype=np.int64)
    if kinds <= {int, float, type(None)} and kinds != {type(None)}:
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(values, dtype=object)
