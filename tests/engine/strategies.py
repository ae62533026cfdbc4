"""Random instances for property tests."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from gems_engine.instance import Instance


@st.composite
def instances(draw, misspecified=None):
    """Small instances; coarse features make targets equal after truncation, large ones badly scaled columns."""
    D = draw(st.integers(2, 5))
    n = draw(st.integers(D + 1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    arms = rng.standard_normal((n, D))
    if draw(st.booleans()):
        arms = np.round(arms)
        arms[:D] += 3 * np.eye(D)  # still spans
    if draw(st.booleans()):
        arms = arms * 10.0 ** rng.integers(-3, 4, D)
    d_star = draw(st.integers(1, D))
    theta = np.append(rng.standard_normal(d_star), np.zeros(D - d_star)) / np.abs(arms).max(axis=0)
    rewards = arms @ theta
    if misspecified if misspecified is not None else draw(st.booleans()):
        rewards = rewards + 10.0 ** rng.uniform(-4, 0) * rng.uniform(-1, 1, n)
    rewards = rewards / max(1.0, np.ptp(rewards) / 2)
    assume(np.sort(rewards)[-1] - np.sort(rewards)[-2] > 1e-4)
    keep = np.arange(n)
    if draw(st.booleans()):  # some of the arms
        keep = np.sort(rng.permutation(n)[: max(3, n - 2)])
        assume(np.sort(rewards[keep])[-1] - np.sort(rewards[keep])[-2] > 1e-4)
    return Instance.from_rewards(arms, rewards, arms[keep], rewards[keep])
