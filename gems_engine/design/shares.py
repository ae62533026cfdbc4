"""Given weights as a point of the simplex."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats
from gems_engine.errors import InputError


def check_weights(weights: ArrayLike, arms: int) -> Floats:
    """Weights (or counts of pulls) scaled to sum to one, or an InputError that says why they are not a design.

    Parameters
    ----------
    weights : array_like
        One number for each arm, none of them negative.
    arms : int
        The number of arms.

    Returns
    -------
    array of shape (arms,)
        The weights, summing to one.

    Examples
    --------
    >>> from gems_engine.design import check_weights
    >>> check_weights([3, 1], arms=2).tolist()
    [0.75, 0.25]
    """
    try:
        given = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("The weights must be numbers, one for each arm.") from error
    if given.shape != (arms,):
        raise InputError(f"There are {given.size} weights for {arms} arms. Give one weight for each arm.")
    if not np.isfinite(given).all():
        raise InputError(f"Weight {int(np.flatnonzero(~np.isfinite(given))[0])} is not a finite number.")
    if (given < 0.0).any():
        worst = int(given.argmin())
        raise InputError(f"Weight {worst} is {given[worst]:g}; weights must be at least 0.")
    if not given.any():
        raise InputError("The weights sum to 0; at least one must be above 0.")
    return proportions(given)


def proportions(weights: Floats) -> Floats:
    """Weights that are not all 0, divided by their sum, even if that overflows."""
    if not 1e-290 < weights.max() < 1e290:
        weights = weights / weights.max()
    return np.asarray(weights / weights.sum())
