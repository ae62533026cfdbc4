"""Problems that several tests use, and slow independent answers to them."""

import numpy as np
from scipy.optimize import minimize


def hard_arms(d_star: int = 9, epsilon: float = 0.01) -> np.ndarray:
    arms = np.eye(d_star + 1)
    arms[d_star, d_star - 1] = 1.0 - epsilon
    return arms


def sphere_arms(n: int, dimension: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((n, dimension))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def listed_pairs(targets: np.ndarray) -> np.ndarray:
    """All differences, listed the straightforward way."""
    return np.array([a - b for i, a in enumerate(targets) for b in targets[:i]])


def plain_value(arms: np.ndarray, directions: np.ndarray, weights: np.ndarray) -> float:
    """max yᵀA⁻¹y by the textbook, for A well conditioned."""
    inverse = np.linalg.inv(arms.T @ (weights[:, None] * arms))
    return max(float(y @ inverse @ y) for y in directions)


def slow_optimum(arms: np.ndarray, directions: np.ndarray) -> float:
    """The optimum by scipy's SLSQP on the epigraph: min t with yᵀA(λ)⁻¹y ≤ t."""
    count = len(arms)

    def inverse(x):
        return np.linalg.inv(arms.T @ (np.maximum(x[:count], 1e-12)[:, None] * arms))

    def slack(x):
        return x[-1] - np.einsum("ij,jk,ik->i", directions, inverse(x), directions)

    def slack_slope(x):
        seen = (directions @ inverse(x)) @ arms.T
        return np.hstack([seen**2, np.ones((len(directions), 1))])

    start = np.full(count, 1.0 / count)
    start = np.append(start, plain_value(arms, directions, start))
    answer = minimize(
        lambda x: x[-1],
        start,
        jac=lambda x: np.append(np.zeros(count), 1.0),
        bounds=[(0.0, 1.0)] * count + [(0.0, None)],
        constraints=[
            {"type": "ineq", "fun": slack, "jac": slack_slope},
            {"type": "eq", "fun": lambda x: x[:count].sum() - 1.0, "jac": lambda x: np.append(np.ones(count), 0.0)},
        ],
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    # Its constraints hold only to a tolerance: what counts is the value of the weights that it found.
    weights = np.maximum(answer.x[:count], 1e-9)
    return plain_value(arms, directions, weights / weights.sum())
