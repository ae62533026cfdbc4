"""With which probability the fixed-confidence theorems hold (docs/decisions.md, 12).

The paper's proof of GEMS-c ends with ∏(1 − δ/k²) = sin(πδ)/(πδ). That product is sin(π√δ)/(π√δ), which is below 1 − δ.
What its argument proves is counted here: the failures of all rounds and calls, added up. A round fails with probability
at most δ_k, since each of its |S|²/2 pairs has a two-sided tail of 2·exp(−t²/2) = 2·δ_k/|S|². Gaussian noise has half
that tail, exp(−t²/2), and so half of every sum.
"""

import math
from dataclasses import dataclass

from gems_engine.rewards import Noise

ROUNDS = math.pi**2 / 6
"""Σ 1/k²: the rounds of one call, with δ_k = δ/k²."""
ONE_CALL = ROUNDS
"""A call of GEMS-c or GEMS-m, or a run of RAGE, with δ."""
STRATEGY = ROUNDS**2 / 2
"""ℓ calls in loop ℓ with δ_ℓ = δ/(2ℓ³) each: Σ ℓ·ROUNDS/(2ℓ³)."""
VALIDATED = ROUNDS * (ROUNDS + 1) / 4
"""With δ_ℓ = δ/(4ℓ³), ℓ calls and as many validated candidates in loop ℓ: Σ ℓ·(ROUNDS + 1)/(4ℓ³)."""


@dataclass(frozen=True)
class Level:
    """What is proven: right with probability at least 1 − factor·δ.

    Attributes
    ----------
    factor
        Of δ, and above 1 where the argument does not give the 1 − δ of the paper.
    delta
        δ.
    """

    factor: float
    delta: float

    @classmethod
    def of(cls, factor: float, delta: float, noise: Noise | None) -> "Level":
        """The level of a sum over rounds and calls; Gaussian noise, or none at all, halves it. None: it is unknown."""
        halved = noise is not None and noise.kind in ("gaussian", "deterministic")
        return cls(factor / 2 if halved else factor, delta)

    @property
    def value(self) -> float:
        """The probability itself; at 0 or below it says nothing."""
        return 1.0 - max(1.0, self.factor) * self.delta

    def __str__(self) -> str:
        """ "1 − δ" where that is proven, else the factor, rounded up."""
        return "1 − δ" if self.factor <= 1 else f"1 − {math.ceil(1000 * self.factor) / 1000:.3f}·δ"
