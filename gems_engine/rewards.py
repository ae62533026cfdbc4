"""Noise models, drawn as sums per arm: twenty million samples cost as much as twenty."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.errors import InputError, quoted
from gems_engine.parameters import shown

KINDS = ("gaussian", "bernoulli", "rademacher", "deterministic")
MAX_PULLS = 10**15
"""The largest number of pulls of one arm in one call: below 2^53, so that every count is exact as a float."""


@dataclass(frozen=True)
class Noise:
    """How a reward is drawn around its mean.

    Parameters
    ----------
    kind : {"gaussian", "bernoulli", "rademacher", "deterministic"}
        N(h, σ²), 0 or 1 with mean h, h ± 1 with equal probability, or h itself.
    sigma : float
        Standard deviation, for Gaussian noise only.
    """

    kind: str = "gaussian"
    sigma: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.kind, str) and ":" in self.kind:
            raise InputError(f"The kind of a noise is a name, not {shown(self.kind)}. Use Noise.parse for such a text.")
        if self.kind not in KINDS:
            raise InputError(f"Unknown noise {shown(self.kind)}: it must be one of {', '.join(KINDS)}.")
        sigma = self.sigma.item() if isinstance(self.sigma, np.generic) else self.sigma
        if isinstance(sigma, bool) or not isinstance(sigma, int | float) or not 0 < sigma <= 1e100:
            raise InputError(f"σ of the noise is {shown(self.sigma)}: it must be a number above 0, such as 0.5.")
        if self.kind != "gaussian" and self.sigma != 1.0:
            raise InputError(f"The noise {self.kind} has no sigma; only gaussian has one, for example gaussian:0.5.")
        object.__setattr__(self, "sigma", float(self.sigma))

    @classmethod
    def parse(cls, text: str) -> "Noise":
        """The noise of a text such as ``gaussian:0.5`` or ``bernoulli``."""
        kind, colon, sigma = text.strip().partition(":")
        if not colon:
            return cls(kind.strip())
        try:
            number = float(sigma)
        except ValueError as error:
            sentence = f"σ of the noise is {quoted(sigma.strip())}: it must be a number above 0, such as 0.5."
            raise InputError(sentence) from error
        if kind.strip() in KINDS[1:]:
            raise InputError(f"The noise {kind.strip()} has no sigma; only gaussian has one, for example gaussian:0.5.")
        return cls(kind.strip(), number)

    @classmethod
    def of(cls, given: "Noise | str") -> "Noise":
        """A noise, or that of a text."""
        if isinstance(given, str):
            return cls.parse(given)
        if not isinstance(given, cls):
            raise InputError(f"The noise is {shown(given)}. Write for example gaussian:0.5.")
        return given

    def __str__(self) -> str:
        return f"gaussian:{self.sigma!r}" if self.kind == "gaussian" else self.kind

    @property
    def sub_gaussian(self) -> float:
        """The smallest known σ for which the noise is σ-sub-Gaussian; the paper assumes 1 (section 2)."""
        return {"gaussian": self.sigma, "bernoulli": 0.5, "rademacher": 1.0, "deterministic": 0.0}[self.kind]

    @property
    def warning(self) -> str:
        """A warning about this noise, or an empty string."""
        if self.sub_gaussian <= 1:
            return ""
        return (
            f"The noise has σ = {self.sigma:g}, but the confidence widths assume σ ≤ 1: errors may be more frequent "
            f"than δ. To be safe, divide all rewards by {self.sigma:g}."
        )

    def check_means(self, means: Floats, names: Sequence[str] | None = None) -> None:
        """Raise InputError for means that this noise cannot have: a Bernoulli mean is a probability."""
        if self.kind != "bernoulli":
            return
        bad = np.flatnonzero(~((means >= 0) & (means <= 1)))
        if bad.size:
            i = int(bad[0])
            arm = names[i] if names and names[i] else f"arm {i}"
            raise InputError(
                f"Bernoulli noise needs mean rewards from 0 to 1, but {arm} has {float(means[i]):.6g}. "
                "Rescale the rewards or choose another noise."
            )


class Rewards:
    """The rewards of one run: an independent seeded stream per arm, drawn as sums.

    The rewards of an arm depend only on the seed and on the earlier pulls of that arm, never on which other arms are
    pulled.

    Parameters
    ----------
    means : array_like of shape (K,)
        Mean reward of every arm.
    noise : Noise or str
    seed : int or numpy.random.SeedSequence
        The stream of arm i has this entropy and the spawn key i after the seed's own.
    """

    def __init__(self, means: ArrayLike, noise: Noise | str, seed: int | np.random.SeedSequence) -> None:
        self.means: Floats = frozen(means)
        if self.means.ndim != 1 or not np.isfinite(self.means).all():
            raise InputError("The mean rewards must be finite numbers, one for every arm.")
        self.noise = Noise.of(noise)
        self.noise.check_means(self.means)
        if isinstance(seed, np.random.SeedSequence):
            self._sequence = seed
        elif isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
            raise InputError(f"The seed of a run must be a whole number of at least 0, not {shown(seed)}.")
        else:
            self._sequence = np.random.SeedSequence(int(seed))
        self._means: list[float] = self.means.tolist()
        self._generators: dict[int, np.random.Generator] = {}

    def pull(self, counts: ArrayLike) -> Floats:
        """Pull every arm the given number of times; return the sum of the rewards of each arm.

        This takes one draw per pulled arm, whatever the counts: the sum of n independent rewards is exactly
        N(n·h, n·σ²), Binomial(n, h), or n·h + 2·Binomial(n, ½) − n. An arm with count 0 draws nothing.
        """
        pulls = self._checked(counts)
        sums = pulls * self.means
        if self.noise.kind == "deterministic":
            return sums
        for arm in np.flatnonzero(pulls).tolist():
            sums[arm] = self._sum(arm, int(pulls[arm]))
        return sums

    def sums_of(self, arms: Integers, counts: Integers) -> Floats:
        """Like ``pull``, for some arms only: the sum of the rewards of each."""
        if self.noise.kind == "deterministic":
            return np.asarray(counts * self.means[arms])
        often = counts.tolist()
        if often and not 0 < min(often) <= max(often) <= MAX_PULLS:
            raise InputError(f"The counts of pulled arms must be from 1 to {MAX_PULLS:.0e}.")
        return np.array([self._sum(arm, n) for arm, n in zip(arms.tolist(), often, strict=True)])

    def _sum(self, arm: int, n: int) -> float:
        generator = self._generators.get(arm) or self._generator(arm)
        mean = self._means[arm]
        if self.noise.kind == "gaussian":
            return n * mean + math.sqrt(n) * self.noise.sigma * float(generator.standard_normal())
        if self.noise.kind == "bernoulli":
            return float(generator.binomial(n, mean))
        return n * mean + float(2 * int(generator.binomial(n, 0.5)) - n)

    def _generator(self, arm: int) -> np.random.Generator:
        parent = self._sequence
        key = (*parent.spawn_key, arm)
        child = np.random.SeedSequence(parent.entropy, spawn_key=key, pool_size=parent.pool_size)
        self._generators[arm] = np.random.Generator(np.random.PCG64(child))
        return self._generators[arm]

    def _checked(self, counts: ArrayLike) -> Integers:
        array = np.asarray(counts)
        if array.shape != self.means.shape or array.dtype.kind not in "iu":
            raise InputError(f"The counts must be {self.means.size} whole numbers, one for every arm.")
        if array.size and (int(array.min()) < 0 or int(array.max()) > MAX_PULLS):
            raise InputError(f"The counts must be from 0 to {MAX_PULLS:.0e}.")
        return array.astype(np.int64)
