"""The probability with which the fixed-confidence theorems hold (docs/decisions.md, 12).

The paper's proof of GEMS-c ends with ∏(1 − δ/k²) = sin(πδ)/(πδ). That product is sin(π√δ)/(π√δ), which is below 1 − δ.
Here the failure probabilities of all rounds and calls are added up, which is what its argument proves. A round fails
with probability at most δ_k, since each of its |S|²/2 pairs has a two-sided tail of 2·exp(−t²/2) = 2·δ_k/|S|². Gaussian
noise has half that tail, exp(−t²/2), and so half of every sum.
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
    """The proven probability of being right: at least 1 − factor·δ.

    Attributes
    ----------
    factor
        The factor of δ, above 1 if the argument does not give the 1 − δ of the paper.
    delta
        δ.
    """

    factor: float
    delta: float

    @classmethod
    def of(cls, factor: float, delta: float, noise: Noise | None) -> "Level":
        """The level of a sum over rounds and calls; halved for Gaussian noise or no noise. None means unknown noise."""
        halved = noise is not None and noise.kind in ("gaussian", "deterministic")
        return cls(factor / 2 if halved else factor, delta)

    @property
    def value(self) -> float:
        """The probability; vacuous if it is 0 or below."""
        return 1.0 - max(1.0, self.factor) * self.delta

    def __str__(self) -> str:
        """ "1 − δ" if that is proven, else with the factor, rounded up."""
        return "1 − δ" if self.factor <= 1 else f"1 − {math.ceil(1000 * self.factor) / 1000:.3f}·δ"
