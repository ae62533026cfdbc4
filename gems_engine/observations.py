"""Rewards and counts from a caller: one number per arm, in order or by arm."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.errors import InputError
from gems_engine.parameters import shown
from gems_engine.terminal import plural


def sums_of(given: Any, arms: Integers) -> Floats:
    """Sums of rewards of these arms, from a sequence in their order or a mapping from arm to sum."""
    sums = []
    for arm, value in zip(arms.tolist(), _by_arm(given, arms, "sums"), strict=True):
        if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
            raise InputError(f"The sum of arm {arm} is {shown(value)}. It must be a number.")
        sums.append(_finite(value, arm))
    return frozen(sums)


def counts_of(given: Any, arms: Integers, most: Integers) -> Integers:
    """Numbers of rewards of these arms, each from 0 to the number of pulls requested."""
    counts = []
    for arm, value, top in zip(arms.tolist(), _by_arm(given, arms, "counts"), most.tolist(), strict=True):
        if not isinstance(value, Integral) or isinstance(value, bool | np.bool_) or not 0 <= int(value) <= top:
            raise InputError(f"The count of arm {arm} is {shown(value)}. It must be a whole number from 0 to {top}.")
        counts.append(int(value))
    return np.array(counts, dtype=np.int64)


def _finite(value: Real, arm: int) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise InputError(f"The sum of arm {arm} is {shown(value)}. It must be a finite number.")
    return number


def _by_arm(given: Any, arms: Integers, what: str) -> list[Any]:
    """The values in the order of the arms."""
    if isinstance(given, Mapping):
        return _of_mapping(given, arms, what)
    values = list(given) if isinstance(given, list | tuple) else _of_array(given, what)
    if len(values) != len(arms):
        raise InputError(
            f"The number of {what} is {len(values)}, but the batch has {plural(len(arms), 'arm')}. "
            "Give one for each arm."
        )
    return values


def _of_mapping(given: Mapping[Any, Any], arms: Integers, what: str) -> list[Any]:
    if len(set(arms.tolist())) != len(arms):
        raise InputError(f"An arm occurs twice in the batch. Give the {what} as a list in the order of the batch.")
    extra = [key for key in given if isinstance(key, bool) or key not in set(arms.tolist())]
    if extra:
        raise InputError(f"The {what} have {shown(extra[0])}, which is not an arm of the batch.")
    missing = [arm for arm in arms.tolist() if arm not in given]
    if missing:
        raise InputError(f"The {what} lack arm {missing[0]} of the batch. Give one for each arm.")
    return [given[arm] for arm in arms.tolist()]


def _of_array(given: Any, what: str) -> list[Any]:
    """The values of an array with one axis; a string, a set, an iterator or a pandas series is not one."""
    refusal = f"The {what} are {shown(given)}. Give one number for each arm in the order of the batch, or a mapping."
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise InputError(f"Some {what} are masked. Give the numbers of rewards as counts if measurements were lost.")
    if hasattr(given, "keys"):  # by its labels or in its order? A series of pandas could mean both
        raise InputError(refusal)
    try:
        array = np.asarray(given)
    except Exception as error:  # an object of another package may raise anything
        raise InputError(refusal) from error
    if array.ndim != 1 or array.dtype.kind not in "iufO":
        raise InputError(refusal)
    return list(array)
