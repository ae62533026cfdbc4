"""Design weights from CSV, NPY, NPZ or JSON files of another solver or ``gems design --json``."""

import json
from collections.abc import Iterator, Sequence
from typing import IO, Any

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.design.shares import proportions
from gems_engine.errors import InputError
from gems_engine.formats.csv_cells import is_number, restored
from gems_engine.formats.csv_format import header_of, number, rows_of, separator_of
from gems_engine.formats.json_format import numbers, parse_json
from gems_engine.formats.npz_format import pack, unpack, unpack_npy
from gems_engine.index_text import Labels
from gems_engine.parameters import shown


def weights_from_json(data: bytes) -> Any:
    """A list of numbers, or the list ``weights`` of an object."""
    said = parse_json(data)
    if isinstance(said, dict):
        if "weights" not in said:
            raise InputError("The field weights is missing: it must be a list with one number for each arm.")
        said = said["weights"]
    return numbers(said, "weights")


def weights_from_npz(stream: IO[bytes]) -> Any:
    """The array ``weights``, or the only array of the file."""
    arrays = unpack(stream, ("weights",), alone="weights")
    if "weights" not in arrays:
        raise InputError("The array weights is missing: if there are several arrays, one must have that name.")
    return arrays["weights"]


def weights_from_npy(data: bytes) -> Any:
    """The array of the file."""
    return unpack_npy(data, "weights")


def weights_from_csv(data: bytes, n_arms: int, arm_names: Sequence[str] | None = None) -> Any:
    """A column ``weight``, possibly with ``arm`` (index or name; missing arms get 0), one plain column, or one row."""
    rows = rows_of(data, separator_of(data))
    line, cells = next(rows, (0, []))
    if not cells:
        raise InputError('The file is empty. Add a column "weight".')
    if len(cells) == 1 and cells[0].strip() != "weight":
        return [number(row[0], at, "weight") if len(row) == 1 else _ragged(at) for at, row in [(line, cells), *rows]]
    if all(is_number(cell) for cell in cells):
        return _row(line, cells, rows)
    header = header_of(iter([(line, cells)]))
    if "weight" not in header:
        raise InputError('There is no column "weight". Add it with the weight of every arm.')
    at_weight, at_arm = header.index("weight"), header.index("arm") if "arm" in header else None
    found: list[float] = []
    sparse = np.zeros(n_arms)
    seen: set[int] = set()
    names = arm_names or ("",) * n_arms
    labels = Labels(n_arms, lambda arm: names[arm] or f"arm {arm}", "arm")
    for line, row in rows:
        if len(row) != len(header):
            _ragged(line)
        weight = number(row[at_weight], line, "weight")
        if at_arm is None:
            found.append(weight)
            continue
        arm = labels.find(restored(row[at_arm]))
        if arm is None:
            raise InputError(f'Line {line}, column "arm" is {shown(row[at_arm])}: {labels.advice}.')
        if arm in seen:
            raise InputError(f"Line {line}: {shown(row[at_arm])} appears twice.")
        seen.add(arm)
        sparse[arm] = weight
    return sparse if at_arm is not None else found


def _row(line: int, cells: list[str], rest: Iterator[tuple[int, list[str]]]) -> list[float]:
    """The numbers of the only row."""
    if next(rest, None) is not None:
        raise InputError("There are several rows of numbers. Give one row, one column, or the columns arm and weight.")
    return [number(cell, line, "weight") for cell in cells]


def _ragged(line: int) -> float:
    raise InputError(f"Line {line} does not have as many cells as the first line: all rows must be equally long.")


def checked(values: Any, n_arms: int) -> Floats:
    """Check the weights: as many as arms, none negative, at least one above 0."""
    try:
        weights = np.array(values, dtype=np.float64)
    except OverflowError as error:
        raise InputError("A weight is too large to be a number: weights are proportions.") from error
    if weights.shape != (n_arms,):
        raise InputError(f"There are {weights.size} weights: there must be {n_arms}, one for each arm.")
    bad = np.flatnonzero(~((weights >= 0) & (weights < np.inf)))
    if bad.size:
        i = int(bad[0])
        raise InputError(f"weights[{i}] is {float(weights[i])!r}: every weight must be a finite number of at least 0.")
    if not weights.any():
        raise InputError("Every weight is 0: at least one arm must have a positive weight.")
    return weights


def scaled(weights: Floats) -> Floats:
    """Weights as a point of the simplex: divided by their sum unless that is 1."""
    return weights if is_one(total(weights)) else proportions(weights)


def total(weights: Floats) -> float:
    """The sum of weights; ∞ if it overflows."""
    with np.errstate(over="ignore"):
        return float(weights.sum())


def is_one(sum_of_all: float) -> bool:
    """Whether a sum of weights is 1 up to rounding."""
    return abs(sum_of_all - 1.0) <= 1e-11


def rescaling(sum_of_all: float) -> str:
    """A sentence if weights with this sum are rescaled; else an empty string."""
    if is_one(sum_of_all):
        return ""
    if 0.0 < sum_of_all < np.inf:
        return f"The weights sum to {sum_of_all:.12g} and were divided by it."
    return "The weights were rescaled to sum to 1."


def to_bytes(suffix: str, weights: Floats) -> bytes:
    """The bytes of a weights file of that kind."""
    if suffix == ".npz":
        return pack({"weights": weights})
    if suffix == ".json":
        return (json.dumps({"weights": weights.tolist()}) + "\n").encode()
    lines = [f"{i},{weight!r}" for i, weight in enumerate(weights.tolist())]
    return "\n".join(["arm,weight", *lines, ""]).encode()
