"""GEMS and RAGE once more, in a few lines of numpy, with a switch for each way in which implementations differ.

The engine has one answer to each question that the paper leaves open (docs/decisions.md). To measure what the other
answers do, this module has both. With the default `Variant` it is the engine's algorithm; with `AUTHORS` it does what
the authors' published code does, as far as reading it tells. It shares only the certified designs with the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log
from typing import Literal

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.design import DesignProblem, solve_design
from gems_engine.instance import Instance

TINY = 1e-5
"""The smallest weight of a design in the authors' code, and its ridge in R^D."""


@dataclass(frozen=True)
class Variant:
    """How an implementation reads the paper.

    Attributes
    ----------
    design
        "certified": optimal to 10⁻⁶. "value": Frank–Wolfe that stops when its value changes by less than 1 %, as the
        paper says. "weights": Frank–Wolfe that stops when its weights change by less than 1 %, as in the authors' code.
    iterations
        The most iterations of Frank–Wolfe.
    rounding
        "quadratic": r_d = (d² + d + 2)/ζ. "support": 2·|supp λ|/ζ, as in the authors' code.
    ties
        Whether a cost that equals the budget fits it.
    duplicates
        Whether two targets that are equal in R^d eliminate each other.
    finish
        Whether the round that would exceed the cap is drawn.
    first
        The first i of each loop ℓ: calls have n = β^i and B = β^(ℓ−i). The paper starts at 1, the authors' code at 0.
    in_all
        Whether each round also eliminates in R^D, for all later calls.
    leader
        Whether the arm with the largest estimate is recommended until the first singleton.
    wide
        A factor inside the logarithm of ω; the authors' code has 2 in GEMS.
    guess
        Whether the first recommendation is a random arm; in the authors' code it is a wrong one.
    """

    design: Literal["certified", "value", "weights"] = "certified"
    iterations: int = 1000
    rounding: Literal["quadratic", "support"] = "quadratic"
    ties: bool = True
    duplicates: bool = False
    finish: bool = False
    first: int = 1
    in_all: bool = False
    leader: bool = False
    wide: float = 1.0
    guess: bool = True


AUTHORS = Variant("weights", 1000, "support", True, True, True, 0, True, True, 2.0, False)
"""The authors' code."""


@dataclass(frozen=True)
class Outcome:
    """The end of a run: whether it is right, from which sample on (None if it is not), and all its samples."""

    right: bool
    tau: int | None
    samples: int


class Capped(Exception):
    """The run has reached its cap."""


class Trial:
    """One run.

    Parameters
    ----------
    instance
        Its targets must be its arms, and its noise Gaussian with σ = 1.
    variant
        How to read the paper.
    seed, cap, delta, base, zeta
        As in the engine.
    """

    def __init__(
        self,
        instance: Instance,
        variant: Variant,
        seed: int,
        cap: int,
        delta: float = 0.05,
        base: int = 4,
        zeta: float = 1.0,
    ) -> None:
        self.X = np.asarray(instance.arms)
        self.h = instance.require_rewards()[0]
        self.D, self.best = instance.D, instance.best
        self.variant, self.cap, self.delta, self.base, self.zeta = variant, cap, delta, base, zeta
        self.random = np.random.default_rng(seed)
        self.samples = 0
        self.seen: list[tuple[int, int]] = []
        self.start = np.arange(len(self.X))  # targets that no elimination in R^D has removed
        self.singletons: list[tuple[int, int, bool]] = []  # calls with one arm left: n, B, right or not
        self.designs: dict[tuple[bytes, int], tuple[float, Floats]] = {}
        wrong = (self.best - 1) % len(self.X)
        self.recommend(int(self.random.integers(len(self.X))) if variant.guess else wrong)

    def recommend(self, arm: int) -> None:
        """Recommend an arm from now on."""
        self.seen.append((self.samples, arm))

    def outcome(self) -> Outcome:
        """The end of the run."""
        right = self.seen[-1][1] == self.best
        tau = None
        for at, arm in reversed(self.seen):
            if arm != self.best:
                break
            tau = at
        return Outcome(right, tau if right else None, self.samples)

    # -- designs -------------------------------------------------------------------------------------------------

    def design(self, some: np.ndarray, d: int) -> tuple[float, Floats]:
        """The value and the weights of the design for the differences of some targets in R^d; value 0 for none."""
        key = some.tobytes(), d
        if key not in self.designs:
            arms, targets = self.X[:, :d], self.X[some, :d]
            if (targets == targets[0]).all():
                self.designs[key] = 0.0, np.full(len(arms), 1.0 / len(arms))
            elif self.variant.design == "certified":
                design = solve_design(DesignProblem(arms, targets=targets))
                self.designs[key] = design.safe_value, np.asarray(design.weights)
            else:
                by_weights = self.variant.design == "weights"
                start = int(self.random.integers(len(arms))) if by_weights else None
                self.designs[key] = frank_wolfe(arms, targets, self.variant.iterations, start)
        return self.designs[key]

    def r(self, d: int, weights: Floats) -> float:
        """r_d(ζ)."""
        if self.variant.rounding == "support":
            return 2.0 * int((weights > 0.0).sum()) / self.zeta
        return (d * d + d + 2) / self.zeta

    def cost(self, some: np.ndarray, k: int, d: int) -> float:
        """g_k(d)."""
        value, weights = self.design(some, d)
        return max(_scaled(k, value), self.r(d, weights))

    def choose(self, some: np.ndarray, k: int, budget: float) -> int:
        """OPT: the largest dimension that fits, by binary search; 0 if none does."""
        most = budget * (1.0 + 1e-9 if self.variant.ties else 1.0 - 1e-9)
        low, high = 0, self.D + 1
        while high - low > 1:
            d = (low + high) // 2
            if self.variant.rounding == "quadratic" and (d * d + d + 2) / self.zeta > most:
                high = d
            elif self.cost(some, k, d) <= most:
                low = d
            else:
                high = d
        return low

    # -- a round -------------------------------------------------------------------------------------------------

    def pull(self, weights: Floats, pulls: int, least: float) -> tuple[np.ndarray, Floats]:
        """Pulls of each arm, rounded from a design, and the sums of their rewards."""
        if self.samples + pulls > self.cap:
            shortened = min(pulls, self.cap)
            if not self.variant.finish or self.samples >= self.cap or shortened < least:
                raise Capped
            pulls = shortened
        self.samples += pulls
        counts = rounded(weights, pulls)
        return counts, counts * self.h + np.sqrt(counts) * self.random.standard_normal(len(counts))

    def survivors(
        self, some: np.ndarray, d: int, counts: np.ndarray, sums: Floats, log_k: float, ridge: float = 0.0
    ) -> tuple[np.ndarray, int]:
        """The targets that remain, and the one with the largest estimate."""
        X = self.X[:, :d]
        inverse = np.linalg.pinv(X.T @ (counts[:, None] * X) + ridge * np.eye(d))
        Z = X[some]
        estimates = Z @ (inverse @ (X.T @ sums))
        gram = Z @ inverse @ Z.T
        squares = np.maximum(np.diag(gram)[:, None] + np.diag(gram)[None, :] - 2.0 * gram, 0.0)
        gaps = estimates[None, :] - estimates[:, None]  # of z′ (columns) over z (rows)
        beaten = gaps >= np.sqrt(2.0 * squares * max(log_k, 1.0))
        equal = (Z[:, None, :] == Z[None, :, :]).all(axis=2)
        beaten[equal] = self.variant.duplicates
        np.fill_diagonal(beaten, False)
        return some[~beaten.any(axis=1)], int(some[estimates.argmax()])

    def afford(self) -> None:
        """End the run if it has reached the cap."""
        if self.samples >= self.cap:
            raise Capped

    # -- GEMS ----------------------------------------------------------------------------------------------------

    def call(self, rounds: int, budget: float, delta: float) -> np.ndarray:
        """One call of GEMS-c: the targets that remain."""
        some = self.start
        k = 1
        while k <= rounds and len(some) > 1:
            self.afford()
            d = self.choose(some, k, budget)
            if d == 0:
                break
            value, weights = self.design(some, d)
            log_k = log(len(some) ** 2 * k**2 / delta)
            least = self.r(d, weights)
            pulls = ceil(2.0 * (1.0 + self.zeta) * max(_scaled(k, value), least) * max(log_k, 1.0))
            if value == 0.0 and not self.variant.duplicates:  # equal targets: nothing happens in the rounds that remain
                self.idle(rounds - k + 1, pulls)
                break
            counts, sums = self.pull(weights, pulls, least)
            some, leader = self.survivors(some, d, counts, sums, log_k + log(self.variant.wide))
            if self.variant.in_all:
                log_all = log(self.variant.wide * len(self.start) ** 2 * k**2 / delta)
                self.start, _ = self.survivors(self.start, self.D, counts, sums, log_all, TINY)
            if self.variant.leader and not self.singletons:
                self.recommend(leader)
            if len(self.start) <= 1:
                raise Capped  # the authors' code ends there
            k += 1
        return some

    def idle(self, rounds: int, pulls: int) -> None:
        """Count the samples of rounds that change nothing, as far as the cap allows."""
        possible = (self.cap - self.samples) // pulls
        self.samples += pulls * min(rounds, possible)
        if rounds > possible:
            raise Capped

    def gems(self) -> Outcome:
        """The strategy of section 4."""
        first = self.variant.first
        try:
            ell = 0
            while True:
                ell += 1
                delta = self.delta / (2.0 * ell**3)
                for i in range(first, first + ell):
                    self.afford()
                    some = self.call(self.base**i, float(self.base ** (ell - i)), delta)
                    if len(some) == 1:
                        self.singletons.append((self.base**i, self.base ** (ell - i), int(some[0]) == self.best))
                        self.recommend(int(some[0]))
                        break
        except Capped:
            return self.outcome()

    # -- RAGE ----------------------------------------------------------------------------------------------------

    def rage(self) -> Outcome:
        """RAGE in R^D."""
        some, k = self.start, 0
        try:
            while len(some) > 1:
                k += 1
                self.afford()
                value, weights = self.design(some, self.D)
                log_k = log(len(some) ** 2 * k**2 / self.delta)
                least = self.r(self.D, weights)
                pulls = max(ceil(2.0 * (1.0 + self.zeta) * _scaled(k, value) * log_k), ceil(least))
                counts, sums = self.pull(weights, pulls, least)
                some, leader = self.survivors(some, self.D, counts, sums, log_k)
                self.recommend(leader)
        except Capped:
            pass
        return self.outcome()


def _scaled(k: int, value: float) -> float:
    """2^{2k}·value."""
    return 0.0 if value == 0.0 else 4.0**k * value if k < 500 else inf


def frank_wolfe(arms: Floats, targets: Floats, iterations: int, start: int | None) -> tuple[float, Floats]:
    """Frank–Wolfe with steps 2/(k+2): from equal weights, it stops by its value; from one arm, by its weights."""
    weights = np.full(len(arms), 1.0 / len(arms))
    if start is not None:
        weights = np.zeros(len(arms))
        weights[start] = 1.0
    value = before = inf
    for k in range(1, iterations + 1):
        if start is not None:
            weights[weights < TINY] = TINY
        inverse = np.linalg.inv(arms.T @ (weights[:, None] * arms))
        gram = targets @ inverse @ targets.T
        squares = np.diag(gram)[:, None] + np.diag(gram)[None, :] - 2.0 * gram
        z, other = np.unravel_index(int(squares.argmax()), squares.shape)
        value = float(squares[z, other])
        if start is None and abs(before - value) < 0.01 * value:
            break
        before = value
        slope = (arms @ inverse @ (targets[z] - targets[other])) ** 2
        step = -2.0 / (k + 2) * weights
        step[int(slope.argmax())] += 2.0 / (k + 2)
        change = float(np.linalg.norm(step) / np.linalg.norm(weights))
        weights = weights + step
        if start is not None and change < 0.01:
            break
    weights[weights <= (TINY if start is not None else 0.0)] = 0.0
    return value, weights / weights.sum()


def rounded(weights: Floats, pulls: int) -> np.ndarray:
    """Whole pulls for a design (Pukelsheim)."""
    support = np.flatnonzero(weights > 0.0)
    share = weights[support] / weights[support].sum()
    counts = np.ceil((pulls - 0.5 * len(support)) * share)
    while counts.sum() < pulls:
        counts[(counts / share).argmin()] += 1
    while counts.sum() > pulls:
        counts[((counts - 1) / share).argmax()] -= 1
    found = np.zeros(len(weights), dtype=np.int64)
    found[support] = counts
    return found


def trials(
    make: Callable[[int], Instance], variant: Variant, seeds: Sequence[int], cap: int, rage: bool = False
) -> list[Outcome]:
    """Runs on the instances of several seeds."""
    runs = (Trial(make(seed), variant, seed, cap) for seed in seeds)
    return [each.rage() if rage else each.gems() for each in runs]


def changed(**switches: object) -> Variant:
    """The engine's reading with some switches changed."""
    return replace(Variant(), **switches)  # type: ignore[arg-type]
