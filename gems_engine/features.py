"""Features, rewards and names from users: checked and made read-only, or refused in one sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.errors import InputError, quoted
from gems_engine.parameters import shown
from gems_engine.terminal import plural

MAX_ENTRIES = 2**24
"""The largest number of entries of a feature table (128 MiB)."""
MAX_ROWS = 250_000
"""The largest number of arms or targets: fifty times what a design can be solved for."""
LARGEST, SMALLEST = 1e100, 1e-100
"""Sizes of features whose squares and products are far from overflow and underflow."""
MAX_NAME = 200


def check_size(rows: int, columns: int, what: str) -> None:
    """Raise InputError for a table that is too large, before it takes memory."""
    if rows > MAX_ROWS:
        raise InputError(f"The {what} would have {rows} rows: at most {MAX_ROWS} are allowed.")
    if rows * columns > MAX_ENTRIES:
        raise InputError(f"The {what} would be {rows} × {columns} numbers: at most {MAX_ENTRIES} are allowed.")


def as_table(values: Any, field_name: str, feature_names: Any = None) -> Floats:
    """A table of features with one row for each arm or target; an error names a feature if it has a name."""
    if isinstance(values, np.ndarray) and values.ndim == 2:
        check_size(len(values), values.shape[1], field_name)
    array = _numbers(values, field_name)
    if array.size == 0:
        raise InputError(f"There are no {field_name}. Give at least one row with one feature.")
    if array.ndim != 2:
        raise InputError(f"The {field_name} must be a table: one row each, one column for each feature.")
    check_size(len(array), array.shape[1], field_name)
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        i, j = bad[0]
        raise InputError(f"{field_name}[{i}][{j}] is {array[i, j]}: every feature must be a finite number.")
    size = np.abs(array).max(axis=0)
    for j in np.flatnonzero((size > LARGEST) | ((size < SMALLEST) & (size > 0))):
        names = as_names(feature_names, "feature_names", array.shape[1])
        raise InputError(
            f"Feature {(names and names[j]) or j + 1} of the {field_name} has the size {size[j]:.3g}. "
            f"Rescale it to be between {SMALLEST:g} and {LARGEST:g}."
        )
    return array


def as_vector(values: Any, field_name: str, length: int, one_per: str) -> Floats:
    """A vector of ``length`` numbers."""
    array = _numbers(values, field_name)
    if array.shape != (length,):
        shape = " × ".join(map(str, array.shape)) or "one"
        raise InputError(f"{field_name} has {shape} numbers: it must have {length}, one for each {one_per}.")
    bad = np.flatnonzero(~(np.abs(array) <= LARGEST))
    if bad.size:
        i = int(bad[0])
        raise InputError(
            f"{field_name}[{i}] is {float(array[i])!r}: it must be a finite number of magnitude at most {LARGEST:g}."
        )
    return array


def _numbers(values: Any, field_name: str) -> Floats:
    """Read-only floats, or an InputError that names the first bad row or entry."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "fiub":
            raise InputError(f"{field_name} has entries of the type {values.dtype}: they must be real numbers.")
        if values.dtype == np.float64 and values.flags.c_contiguous and not _writable(values):
            return values
    try:
        return frozen(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(_why_not_numbers(values, field_name)) from error


def _writable(array: Any) -> bool:
    """Whether the array's memory can be written through it or an array that it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return array is not None


def _why_not_numbers(values: Any, field_name: str) -> str:
    rows = values if isinstance(values, Sequence) and not isinstance(values, str) else ()
    lengths = [len(row) if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else -1 for row in rows]
    for i, length in enumerate(lengths):
        if length != lengths[0]:
            entries = ["one number" if n < 0 else plural(n, "entry", "entries") for n in (length, lengths[0])]
            return (
                f"{field_name}[{i}] has {entries[0]} but {field_name}[0] has {entries[1]}: rows must be equally long."
            )
    for i, row in enumerate(rows):
        for j, entry in enumerate(row if lengths[i] >= 0 else [row]):
            try:
                float(entry)
            except (ValueError, TypeError, OverflowError):
                place = f"[{i}][{j}]" if lengths[i] >= 0 else f"[{i}]"
                return f"{field_name}{place} is {shown(entry)}: it must be a finite number."
    return f"{field_name} must be numbers."


def is_name(text: str) -> bool:
    """Whether a text is one printable line of at most `MAX_NAME` characters."""
    return len(text) <= MAX_NAME and text.isprintable()


def as_name(name: Any, field_name: str) -> str:
    """One printable line of text."""
    if not isinstance(name, str):
        raise InputError(f"{field_name} must be text, not {shown(name)}.")
    if not is_name(name):
        raise InputError(
            f"{field_name} {quoted(name, 30)} must be one printable line of at most {MAX_NAME} characters."
        )
    return name


def as_names(names: Any, field_name: str, length: int) -> tuple[str, ...] | None:
    """As many names as there are rows, or None."""
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != length:
        raise InputError(f"{field_name} must be {length} texts, one for each row.")
    return tuple(as_name(name, f"{field_name}[{i}]") for i, name in enumerate(names))


def linear_rewards(features: Floats, theta: Floats) -> Floats:
    """⟨θ, x⟩ for every row, summed feature by feature.

    The result has the same bits on every machine, for every order of the rows, and for features truncated to any
    d ≥ d⋆. BLAS promises none of this, but ties and saved files rely on it.
    """
    rewards = np.zeros(len(features))
    for j in np.flatnonzero(theta).tolist():
        rewards += features[:, j] * theta[j]
    return rewards


def match_rows(wanted: Floats, rows: Floats) -> Integers:
    """For each wanted row, the index of the first equal one in ``rows``, or −1."""
    places: dict[bytes, int] = {}
    for i, row in enumerate(_as_bytes(rows)):
        places.setdefault(row, i)
    return frozen([places.get(row, -1) for row in _as_bytes(wanted)], np.int64)


def _as_bytes(rows: Floats) -> list[bytes]:
    """Each row as the bytes of its numbers; those of −0 are those of 0."""
    table = np.ascontiguousarray(rows + 0.0)
    if not table.size:
        return [b""] * len(table)
    found: list[bytes] = table.view(f"V{table.itemsize * table.shape[1]}").ravel().tolist()
    return found
