"""Multivariate testing: all settings of two-level factors, with interactions."""

from itertools import combinations

import numpy as np

from gems_engine.errors import InputError
from gems_engine.features import linear_rewards
from gems_engine.gallery.family import SEED, Family
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter


def multivariate(m: int, d_star: int, seed: int) -> Instance:
    """All 2^m settings s of m factors at −1 or +1; features 1, s_i, s_i·s_j, s_i·s_j·s_k in this order.

    θ has random signs and sizes from 1/2 to 1 on the first d⋆ features, and is scaled so that the largest gap is 2.
    With d⋆ ≤ m some factor has no effect, and the best setting is not unique.
    """
    subsets = [subset for size in range(4) for subset in combinations(range(m), size)]
    D = len(subsets)
    if d_star > D:
        raise InputError(f"d_star = {d_star} is not allowed: {m} factors have only {D} features up to triples.")
    settings = 1.0 - 2.0 * ((np.arange(2**m)[:, None] >> np.arange(m)[::-1]) & 1)
    arms = np.column_stack([settings[:, subset].prod(axis=1) for subset in subsets])
    generator = np.random.default_rng(seed)
    theta = np.zeros(D)
    theta[:d_star] = generator.choice([-1.0, 1.0], d_star) * generator.uniform(0.5, 1.0, d_star)
    if d_star > 1:
        rewards = linear_rewards(arms, theta)
        theta *= 2 / (rewards.max() - rewards.min())
    names = ["".join("+" if level > 0 else "-" for level in setting) for setting in settings]
    return Instance.linear(arms, theta, arm_names=names)


MULTIVARIATE = Family(
    "multivariate",
    "All ±1 settings of m factors: constant, main effects, pairs, triples; the first d⋆ of these matter.",
    (
        Parameter("m", "int", 4, "Number of factors; 2^m arms.", "m", 1, 14),
        Parameter("d_star", "int", 8, "Number of leading effects that matter.", "d⋆", 1, 470),
        SEED,
    ),
    multivariate,
    {"D": "D follows from m: all effects up to triples.", "epsilon": "The random effects determine Δ_min."},
)
