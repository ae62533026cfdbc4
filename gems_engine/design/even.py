"""Even weights on targets that are linearly independent arms: the best design wherever no other arm is worth more.

Then y = x − x′ has the squared norm 1/λ_x + 1/λ_x′, which is twice the number of targets. The proof that no design is
better uses the differences of neighbours in a cycle of the targets, each with a vector u whose product is 1 with x, −1
with x′ and 0 with all other targets. If the targets do not span the space, there are many such u. They prove optimality
if (Σ (xᵀu)²)/2 over the cycle is at most 1 for every arm x; for the targets it is always 1.
"""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.directions import squares_of

ROUNDS = 4
"""Of weighing arms that are worth too much more, until none is."""
FAR = 2.0
"""What an arm may be worth in the first round: where it is more, other weights are better, as a rule."""
LEAST = 0.01
"""What counts for least, in parts of the best."""


def even_weights(count: int, some: Integers) -> Floats:
    """Of this number of arms, the same weight on some and none on the others."""
    weights = np.zeros(count)
    weights[some] = 1.0 / len(some)
    return weights


def circle(arms: Floats, some: Integers, slack: float) -> Floats | None:
    """One u for each of these arms and its neighbour; None where some arm is worth more than 1 + slack.

    The columns of the arms are orthonormal.
    """
    targets = arms[some]
    count, rank = arms.shape
    if count == rank:  # the inverse of an orthogonal matrix is its transpose
        return np.asarray(targets - np.roll(targets, -1, axis=0))
    share = np.ones(count)
    for attempt in range(ROUNDS):
        try:
            reach = targets if attempt == 0 else np.linalg.solve((arms.T * share) @ arms, targets.T).T
            vectors = np.linalg.solve(reach @ targets.T, reach)
        except np.linalg.LinAlgError:
            return None
        vectors = vectors - np.roll(vectors, -1, axis=0)
        worth = 0.5 * squares_of(arms @ vectors.T)
        most = float(worth.max())
        if most <= 1.0 + slack:
            return np.asarray(vectors)
        if not most < FAR:
            return None
        share *= np.maximum(worth / most, LEAST)
    return None
