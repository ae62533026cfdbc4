"""What our numbers are measured against: Frank–Wolfe with step 2/(k+2), written twice."""

import numpy as np


def frank_wolfe_listed(arms: np.ndarray, iterations: int) -> float:
    """The straightforward way: every difference vector listed, every norm from the vectors."""
    directions = np.array([a - b for i, a in enumerate(arms) for b in arms[:i]])
    weights = np.full(len(arms), 1.0 / len(arms))
    for k in range(1, iterations + 1):
        inverse = np.linalg.inv(arms.T @ (weights[:, None] * arms))
        values = np.sum((directions @ inverse) * directions, axis=1)
        worst = directions[int(values.argmax())]
        best = int(((arms @ (inverse @ worst)) ** 2).argmax())
        weights *= 1.0 - 2.0 / (k + 2.0)
        weights[best] += 2.0 / (k + 2.0)
    inverse = np.linalg.inv(arms.T @ (weights[:, None] * arms))
    return float(np.sum((directions @ inverse) * directions, axis=1).max())


def frank_wolfe_gram(arms: np.ndarray, iterations: int) -> float:
    """As fast as numpy allows: norms of all differences from the Gram matrix, no pair ever built."""
    count = len(arms)
    weights = np.full(count, 1.0 / count)

    for k in range(1, iterations + 1):
        solved = np.linalg.solve((arms.T * weights) @ arms, arms.T)
        gram = arms @ solved
        diagonal = gram.diagonal().copy()
        gram *= -2.0
        gram += diagonal[:, None]
        gram += diagonal
        i, j = divmod(int(gram.argmax()), count)
        seen = arms @ (solved[:, i] - solved[:, j])
        seen *= seen
        weights *= 1.0 - 2.0 / (k + 2.0)
        weights[int(seen.argmax())] += 2.0 / (k + 2.0)
    gram = arms @ np.linalg.solve((arms.T * weights) @ arms, arms.T)
    diagonal = gram.diagonal()
    return float((diagonal[:, None] + diagonal[None, :] - 2.0 * gram).max())
