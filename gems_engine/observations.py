"""Rewards and counts from a caller: one number per arm, in order or by arm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.errors import InputError
from gems_engine.parameters import shown
from gems_engine.terminal import plural


@dataclass(frozen=True, eq=False)
class Observed:
    """The rewards of a request of which some were lost for good; a function for rewards may return it.

    Attributes
    ----------
    sums
        The sum of the rewards of each arm: one number per arm in the order of the request, or a mapping from arm to
        sum.
    counts
        The number of rewards in each sum, in the same form.
    """

    sums: ArrayLike | Mapping[int, float]
    counts: ArrayLike | Mapping[int, int]


@dataclass(frozen=True, eq=False)
class Pending:
    """What is observed of the last request of a session, which the algorithm has not used yet.

    Attributes
    ----------
    sums, counts
        For each arm of the request, the sum of its rewards and their number.
    complete
        Whether nothing more is expected: all rewards are observed, or the others are lost.
    """

    sums: Floats
    counts: Integers
    complete: bool = False

    @classmethod
    def nothing(cls, arms: int) -> Pending:
        """No rewards of this number of arms."""
        return cls(frozen(np.zeros(arms)), frozen(np.zeros(arms), np.int64))


def observed_of(sums: Any, counts: Any, arms: Integers, most: Integers) -> tuple[Floats, Integers]:
    """Sums of rewards of these arms and their numbers, each from 0 to the number of pulls requested."""
    found, drawn = sums_of(sums, arms), counts_of(counts, arms, most)
    if np.any(found[drawn == 0]):
        arm = arms[(drawn == 0) & (found != 0)][0]
        raise InputError(f"Arm {arm} has a sum but a count of 0. Give 0 as the sum of an arm without rewards.")
    return found, drawn


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
