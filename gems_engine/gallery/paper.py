"""The paper's instances: the hard one, the sphere, and the one that shows why nothing can be verified early."""

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.errors import InputError
from gems_engine.features import check_size, linear_rewards
from gems_engine.gallery.family import SEED, Family, count, dimension, intrinsic, require_within
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter
from gems_engine.rewards import Noise


def hard(d_star: int, epsilon: float, extra_arm: bool) -> Instance:
    """X = Z = {e_1, …, e_d⋆, (1 − ε)·e_d⋆ + e_D} in R^(d⋆+1) with θ = e_d⋆ (section 7 and section 3.1).

    The footnote's extra arm e_D/2 comes last, so that the other indices do not depend on it.
    """
    D = d_star + 1
    check_size(D + 1, D, "arms")
    arms = np.eye(D + extra_arm, D)
    arms[d_star, d_star - 1] = 1 - epsilon
    names = [f"x_{i}" for i in range(1, D + 1)]
    if extra_arm:
        arms[D, d_star] = 0.5
        names.append("x_0")
    return Instance.linear(arms, np.eye(D)[d_star - 1], arm_names=names)


HARD = Family(
    "paper-hard",
    "The paper's hard instance: one irrelevant feature raises its complexity to the order of 1/ε².",
    (
        Parameter("d_star", "int", 9, "Number of leading features that matter.", "d⋆", 1, 5000),
        Parameter("epsilon", "float", 0.01, "Gap of the second best arm; at most 1/2 in the paper.", "ε", 1e-9, 1),
        Parameter("extra_arm", "bool", False, "Add the footnote's arm e_D/2, so that the differences span Rᴰ."),
    ),
    hard,
    {"D": "D = d⋆ + 1."},
)

_BATCH = 64  # instances drawn at once
_NUMBERS = 50_000_000  # random numbers after which the search for min_gap ends, about a second


def sphere(D: int, d_star: int, n: int, min_gap: float, theta: str, seed: int) -> Instance:
    """n arms uniform on the unit sphere of R^D, whole instances redrawn until Δ_min ≥ min_gap (last appendix).

    Rewards need only the first d⋆ coordinates and the length of the rest, whose square is χ² with D − d⋆ degrees of
    freedom: the rest is drawn only for an accepted instance.
    """
    require_within(d_star, D)
    check_size(n, D, "arms")
    parameter = np.zeros(D)
    i = np.arange(1, d_star + 1)
    parameter[:d_star] = 1 / i**2 if theta == "inverse-square" else 1 / np.sqrt(d_star)
    generator = np.random.default_rng(seed)
    heads, tails = _accepted(generator, parameter[:d_star], D, n, min_gap)
    rest = generator.standard_normal((n, D - d_star))
    if d_star < D:
        rest *= (tails / np.linalg.norm(rest, axis=1))[:, None]
    arms = np.hstack([heads, rest])
    return Instance.linear(arms / np.linalg.norm(arms, axis=1, keepdims=True), parameter)


def _accepted(generator: np.random.Generator, theta: Floats, D: int, n: int, min_gap: float) -> tuple[Floats, Floats]:
    """The first coordinates and the lengths of the rest, before scaling to the sphere, of an accepted instance."""
    d = theta.size
    largest = 2 * float(np.linalg.norm(theta))
    if min_gap > largest:
        raise InputError(f"min_gap = {min_gap:g} cannot be met: rewards on the sphere differ by at most {largest:.6g}.")
    tries = min(max(_NUMBERS // (n * (d + 1)), 20), 100_000)
    batch = min(_BATCH, max(1, 1_000_000 // (n * (d + 1))))
    widest, done = 0.0, 0
    while done < tries:
        heads = generator.standard_normal((batch, n, d))
        tails = generator.chisquare(D - d, (batch, n)) if d < D else np.zeros((batch, n))
        lengths = np.sqrt((heads**2).sum(axis=2) + tails)
        rewards = linear_rewards(heads.reshape(-1, d), theta).reshape(batch, n) / lengths
        two = np.partition(rewards, n - 2, axis=1)[:, n - 2 :]
        gaps = two.max(axis=1) - two.min(axis=1)
        # slightly more than min_gap, so that rounding of the rewards cannot fall below it
        fits = np.flatnonzero(gaps >= min_gap * (1 + 1e-12))
        if fits.size:
            return heads[fits[0]], np.sqrt(tails[fits[0]])
        widest, done = max(widest, float(gaps.max())), done + batch
    raise InputError(
        f"min_gap = {min_gap:g} was not reached in {done} tries with n = {n}, D = {D}, d_star = {d}; the best try had "
        f"{widest:.3g}. Lower min_gap, n or D."
    )


SPHERE = Family(
    "sphere",
    "Random arms on the unit sphere, as in the paper's second experiment.",
    (
        dimension(25, 2),
        intrinsic(5),
        count(100, "arms"),
        Parameter("min_gap", "float", 0.08, "Instances with a smaller Δ_min are redrawn.", "min gap", 0, 4),
        Parameter(
            "theta",
            "choice",
            "inverse-square",
            "θ_i = 1/i² as in the paper, or flat, 1/√d⋆.",
            "θ",
            choices=("inverse-square", "flat"),
        ),
        SEED,
    ),
    sphere,
    {"epsilon": "Min gap below is a lower bound on Δ_min."},
)


def verifiability(D: int, case: int) -> Instance:
    """X = Z = {e_1, …, e_D} without noise: θ = e_1 in case 1, e_1 + 2·e_D in case 2 (end of section 4)."""
    theta = np.zeros(D)
    theta[0] = 1
    if case == 2:
        theta[D - 1] = 2
    names = [f"e_{i}" for i in range(1, D + 1)]
    return Instance.linear(np.eye(D), theta, noise=Noise("deterministic"), arm_names=names)


VERIFIABILITY = Family(
    "verifiability",
    "Two cases that are equal in every Rᵈ with d < D; they show why no recommendation can be verified early.",
    (
        dimension(10, 2),
        Parameter("case", "int", 2, "1: e_1 is best and d⋆ = 1; 2: e_D is best and d⋆ = D.", "", 1, 2),
    ),
    verifiability,
    {"d_star": "The case determines it: 1 or D.", "epsilon": "Δ_min = 1 in both cases."},
)
