"""The section-4 strategy over GEMS-c written the straightforward way, to measure ours against.

Every difference vector is listed as 𝒴 is defined, every probe of the binary search runs Frank–Wolfe from the uniform
start, every reward is drawn, least squares sees one row per reward (in chunks, so that memory stays bounded), and every
pair of survivors is looked at in a loop. The schedule, N_k, the rounding and the elimination are those of the paper;
zero directions are left out, without which it would eliminate every arm (docs/decisions.md, 1).
"""

import math
import time
from dataclasses import dataclass, field

import numpy as np

CHUNK = 100_000


class TooLate(Exception):
    """The time that was allowed is over."""


@dataclass
class Reference:
    """One run, and what it spent its time on.

    Attributes
    ----------
    arms, means
        Feature rows, which are the targets too, and their mean rewards; the noise is standard normal.
    iterations
        The most iterations of Frank–Wolfe for one design.
    change
        Relative change of the value at which it stops before that: 0.01 as published, 0 for never.
    both_signs
        Whether z − z′ and z′ − z are both listed, as 𝒴 is defined (section 2), or one of them.
    limit
        Seconds of processor time after which it gives up.
    """

    arms: np.ndarray
    means: np.ndarray
    seed: int = 0
    iterations: int = 1000
    change: float = 0.01
    delta: float = 0.05
    zeta: float = 1.0
    base: int = 4
    cap: int = 10_000_000
    both_signs: bool = True
    limit: float = math.inf
    samples: int = 0
    recommended: int = -1
    finished: bool = False
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(("designs", "pulls", "elimination"), 0.0))
    probes: int = 0
    steps: int = 0

    def run(self) -> int:
        """Loops until the cap; the last recommendation."""
        self.generator = np.random.default_rng(self.seed)
        self.started = time.process_time()
        self.recommended = int(self.generator.integers(len(self.arms)))
        try:
            ell = 0
            while self._loop(ell := ell + 1):
                pass
            self.finished = True
        except TooLate:
            pass
        return self.recommended

    def _loop(self, ell: int) -> bool:
        for i in range(1, ell + 1):
            survivors = self._gems_c(self.base**i, float(self.base ** (ell - i)), self.delta / (2.0 * ell**3))
            if survivors is None:
                return False
            if len(survivors) == 1:
                self.recommended = survivors[0]
                break
        return True

    def _gems_c(self, n: int, budget: float, delta: float) -> list[int] | None:
        """The survivors, or None at the cap."""
        survivors = list(range(len(self.arms)))
        for k in range(1, n + 1):
            if len(survivors) == 1:
                break
            chosen = self._choose(survivors, k, budget)
            if chosen is None:
                break
            d, weights, cost = chosen
            log_term = math.log(len(survivors) ** 2 * k**2 / delta)
            pulls = math.ceil(2.0 * (1.0 + self.zeta) * cost * log_term)
            if self.samples + pulls > self.cap:
                return None
            theta, inverse = self._pull(self._round(weights, pulls), d)
            survivors = self._eliminate(survivors, d, theta, inverse, math.sqrt(2.0 * log_term))
        return survivors

    # -- OPT ------------------------------------------------------------------------------------------------------

    def _r(self, d: int) -> float:
        return (d * d + d + 2) / self.zeta

    def _choose(self, survivors: list[int], k: int, budget: float) -> tuple[int, np.ndarray, float] | None:
        """Binary search for the largest d with cost max{2^{2k}·ι, r_d} ≤ B."""
        started = time.process_time()
        low, high = 0, self.arms.shape[1] + 1
        best = None
        while high - low > 1:
            d = (low + high) // 2
            weights, value = self._frank_wolfe(survivors, d)
            cost = max(4.0 ** min(k, 500) * value if value else 0.0, self._r(d))
            if cost <= budget:
                low, best = d, (d, weights, cost)
            else:
                high = d
        self.spent["designs"] += time.process_time() - started
        return best

    def _frank_wolfe(self, survivors: list[int], d: int) -> tuple[np.ndarray, float]:
        self.probes += 1
        rows = self.arms[:, :d]
        directions = [rows[z] - rows[other] for z in survivors for other in survivors if self.both_signs or other < z]
        directions = np.array([y for y in directions if y.any()]).reshape(-1, d)
        weights = np.full(len(rows), 1.0 / len(rows))
        if not len(directions):
            return weights, 0.0
        value = math.inf
        for step in range(1, self.iterations + 2):
            if time.process_time() - self.started > self.limit:
                raise TooLate
            inverse = np.linalg.pinv(rows.T @ (weights[:, None] * rows))  # an optimal design may be singular
            norms = np.sum((directions @ inverse) * directions, axis=1)
            worst = int(norms.argmax())
            before, value = value, float(norms[worst])
            if step > self.iterations or (step > 1 and abs(before - value) < self.change * before):
                break
            toward = int(((rows @ (inverse @ directions[worst])) ** 2).argmax())
            size = 2.0 / (step + 2.0)
            weights *= 1.0 - size
            weights[toward] += size
            self.steps += 1
        return weights, value

    # -- a round --------------------------------------------------------------------------------------------------

    def _round(self, weights: np.ndarray, pulls: int) -> np.ndarray:
        """Pukelsheim's efficient apportionment."""
        support = np.flatnonzero(weights)
        share = weights[support]
        counts = np.maximum(np.ceil((pulls - len(support) / 2.0) * share), 0.0)
        while counts.sum() > pulls:
            counts[int(np.where(counts > 0, (counts - 1) / share, -np.inf).argmax())] -= 1
        while counts.sum() < pulls:
            counts[int((counts / share).argmin())] += 1
        whole = np.zeros(len(weights), dtype=np.int64)
        whole[support] = counts.astype(np.int64)
        return whole

    def _pull(self, counts: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
        """θ̂ and (XᵀX)⁻¹ from one row and one reward per pull."""
        started = time.process_time()
        pulled = np.repeat(np.arange(len(counts)), counts)
        information, moment = np.zeros((d, d)), np.zeros(d)
        for start in range(0, len(pulled), CHUNK):
            arms = pulled[start : start + CHUNK]
            rows = self.arms[arms, :d]
            rewards = self.means[arms] + self.generator.standard_normal(len(arms))
            information += rows.T @ rows
            moment += rows.T @ rewards
        self.samples += len(pulled)
        inverse = np.linalg.pinv(information)
        self.spent["pulls"] += time.process_time() - started
        return inverse @ moment, inverse

    def _eliminate(
        self, survivors: list[int], d: int, theta: np.ndarray, inverse: np.ndarray, omega: float
    ) -> list[int]:
        started = time.process_time()
        remaining = []
        for z in survivors:
            for other in survivors:
                y = self.arms[other, :d] - self.arms[z, :d]
                if y.any() and theta @ y >= omega * math.sqrt(y @ inverse @ y):
                    break
            else:
                remaining.append(z)
        self.spent["elimination"] += time.process_time() - started
        return remaining
