"""Rewards that are exactly linear in no R^d; a larger d fits them better."""

import numpy as np

from gems_engine.features import check_size, linear_rewards
from gems_engine.gallery.family import SEED, Family, count, dimension, intrinsic, require_within
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter


def misspecified(D: int, d_star: int, n: int, size: float, decay: float, seed: int) -> Instance:
    """Linear in d⋆ coordinates plus a deviation of at most ``size`` in later coordinates.

    With a = ``size``, r = ``decay``, features uniform on [−1, 1], random signs s_j and one more uniform v for each
    arm, which represents all coordinates after D:

        h(x) = (1 − a)/d⋆ · Σ_{j ≤ d⋆} s_j x_j + a · [Σ_{d⋆ < j ≤ D} (1 − r) r^(j − d⋆ − 1) s_j x_j + r^(D − d⋆) v].

    The weights in brackets sum to 1, so |h| ≤ 1 and γ̃(d) ≤ a·r^(d − d⋆) for every d ≥ d⋆: it decreases geometrically,
    but not to 0 at D. (With a = 0, or r = 0 and D > d⋆, the rewards are linear.)
    """
    require_within(d_star, D)
    check_size(n, D, "arms")
    generator = np.random.default_rng(seed)
    signs = generator.choice([-1.0, 1.0], D)
    arms = generator.uniform(-1.0, 1.0, (n, D))
    hidden = generator.uniform(-1.0, 1.0, n)
    theta = np.full(D, (1 - size) / d_star)
    theta[d_star:] = size * (1 - decay) * decay ** np.arange(D - d_star)
    theta *= signs
    left = size * decay ** (D - d_star)
    if left == 0:
        return Instance.linear(arms, theta)
    return Instance.from_rewards(arms, linear_rewards(arms, theta) + left * hidden)


MISSPECIFIED = Family(
    "misspecified",
    "Linear in d⋆ coordinates up to a deviation that later coordinates explain step by step.",
    (
        dimension(10, 2),
        intrinsic(4),
        count(40, "arms"),
        Parameter(
            "size",
            "float",
            0.1,
            "Largest deviation from a linear model in the first d⋆ features.",
            "",
            0,
            1,
            exclusive_maximum=True,
        ),
        Parameter(
            "decay",
            "float",
            0.5,
            "Factor by which each further coordinate reduces it.",
            "",
            0,
            1,
            exclusive_maximum=True,
        ),
        SEED,
    ),
    misspecified,
    {"epsilon": "The random features determine Δ_min."},
)
