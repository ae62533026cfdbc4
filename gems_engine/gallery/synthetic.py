"""Random and textbook families beyond the paper's own."""

import math

import numpy as np

from gems_engine.features import check_size
from gems_engine.gallery.family import SEED, Family, count, dimension, intrinsic, require_within
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter


def soare(D: int, omega: float) -> Instance:
    """The benchmark of Soare et al. (2014): X = {e_1, …, e_D, cos ω·e_1 + sin ω·e_2}, θ = 2·e_1.

    The last arm has the gap 2(1 − cos ω); to distinguish it from e_1, pull e_2, which is far from both.
    """
    check_size(D + 1, D, "arms")
    arms = np.eye(D + 1, D)
    arms[D, :2] = math.cos(omega), math.sin(omega)
    names = [*(f"e_{i}" for i in range(1, D + 1)), "x_ω"]
    return Instance.linear(arms, 2 * np.eye(D)[0], arm_names=names)


SOARE = Family(
    "soare",
    "The sin/cos benchmark of Soare et al.: a confusing arm at angle ω to the best one.",
    (
        dimension(5, 2),
        Parameter(
            "omega",
            "float",
            0.1,
            "Angle between the best arm and the confusing one.",
            "ω",
            1e-5,
            math.pi / 2,
            exclusive_maximum=True,
            unit="rad",
        ),
    ),
    soare,
    {"d_star": "d⋆ = 1 in this family.", "epsilon": "ω determines Δ_min = 2(1 − cos ω)."},
)


def transductive(D: int, d_star: int, n: int, seed: int) -> Instance:
    """Arms e_1, …, e_D; targets n random unit vectors of R^D; θ_i = 1/√d⋆ for i ≤ d⋆."""
    require_within(d_star, D)
    check_size(max(n, D), D, "targets")
    targets = np.random.default_rng(seed).standard_normal((n, D))
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    theta = np.zeros(D)
    theta[:d_star] = 1 / math.sqrt(d_star)
    return Instance.linear(np.eye(D), theta, targets, arm_names=[f"e_{i}" for i in range(1, D + 1)])


TRANSDUCTIVE = Family(
    "transductive",
    "Pull the standard basis, compare other unit vectors.",
    (dimension(10, 2), intrinsic(4), count(30, "targets"), SEED),
    transductive,
    {"epsilon": "The random targets determine Δ_min."},
)


def gaussian(D: int, d_star: int, n: int, seed: int) -> Instance:
    """n arms with independent N(0, 1) features; θ a random unit vector of the first d⋆ coordinates."""
    require_within(d_star, D)
    check_size(n, D, "arms")
    generator = np.random.default_rng(seed)
    theta = np.zeros(D)
    theta[:d_star] = generator.standard_normal(d_star)
    return Instance.linear(generator.standard_normal((n, D)), theta / np.linalg.norm(theta))


GAUSSIAN = Family(
    "gaussian",
    "Random Gaussian features and a random parameter.",
    (dimension(10, 1), intrinsic(3), count(50, "arms"), SEED),
    gaussian,
    {"epsilon": "The random features determine Δ_min."},
)
