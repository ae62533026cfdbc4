"""Ask and tell: an algorithm whose rewards come from a real experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers
from gems_engine.errors import InputError
from gems_engine.events import NO_ARM, Allocated
from gems_engine.instance import Instance
from gems_engine.observations import counts_of, sums_of
from gems_engine.running import Run
from gems_engine.trace import Trace


@dataclass(frozen=True, eq=False)
class Batch:
    """Pulls requested by an algorithm: arm `arms[j]` is pulled `counts[j]` times."""

    arms: Integers
    counts: Integers


class Session:
    """Ask and tell: drive a real experiment with GEMS.

    ``next_batch()`` returns which arms to pull how often; ``observe(sums)`` takes the sums of the rewards. The instance
    does not need true rewards for this.

    Parameters
    ----------
    instance, algorithm, seed, parameters
        As for a :class:`~gems_engine.running.Run`; the seed affects only the algorithm's random choices.

    Attributes
    ----------
    trace : Trace
        The events so far.
    """

    def __init__(
        self, instance: Instance, algorithm: str = "fixed-confidence", seed: int = 0, **parameters: Any
    ) -> None:
        self._run = Run(instance, algorithm, seed, self._observed, **parameters)
        self.trace = Trace(self._run.instance)
        self._asked: Allocated | None = None
        self._batch: Batch | None = None
        self._missing: Integers = np.zeros(0, dtype=np.int64)  # pulls not observed yet
        self._sums: Floats = np.zeros(0)

    @property
    def recommendation(self) -> int | None:
        """The current recommendation; None in a single call before its end, and always for GEMS-c."""
        return None if self._run._recommended == NO_ARM else self._run._recommended

    @property
    def finished(self) -> bool:
        """Whether the algorithm has ended."""
        return self.trace.finished is not None

    def __repr__(self) -> str:
        from gems_engine.notebook import session_state

        run = self._run
        where = run.instance.name or "an unnamed instance"
        return f"<Session {run.algorithm.name} on {where}, seed {run.seed}: {session_state(self)}>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import session_html

        return session_html(self)

    def next_batch(self) -> Batch | None:
        """The next pulls, the same until they are observed; None at the end."""
        while self._batch is None and not self.finished:
            event = next(self._run)
            self.trace.append(event)
            if isinstance(event, Allocated):
                self._asked, self._missing, self._sums = event, event.counts.copy(), np.zeros(len(event.arms))
                self._batch = self._remaining()
        return self._batch

    def _remaining(self) -> Batch | None:
        """The pulls that are still to be observed."""
        if self._asked is None or not self._missing.any():
            return None
        left = self._missing > 0
        return Batch(self._asked.arms[left], self._missing[left])

    def observe(
        self,
        sums: ArrayLike | Mapping[int, float],
        counts: ArrayLike | Mapping[int, int] | None = None,
    ) -> None:
        """Take the rewards of the last batch.

        Parameters
        ----------
        sums
            The sum of the rewards of each arm: one number per arm in the order of the batch, or a mapping from arm to
            sum.
        counts
            The number of rewards in each sum if measurements were lost, in the same form. The next batch then has
            the missing pulls, until all are observed, so that the guarantees of the algorithm hold.

        Raises
        ------
        InputError
            For anything else; the batch can then be observed again.
        """
        batch = self._batch
        if batch is None:
            raise InputError("There is nothing to observe. Call next_batch() first.")
        found = sums_of(sums, batch.arms)
        drawn = batch.counts if counts is None else counts_of(counts, batch.arms, batch.counts)
        if np.any(found[drawn == 0]):
            arm = batch.arms[(drawn == 0) & (found != 0)][0]
            raise InputError(f"Arm {arm} has a sum but a count of 0. Give 0 as the sum of an arm without rewards.")
        left = self._missing > 0
        with np.errstate(over="ignore"):
            self._sums[left] = sums_of(self._sums[left] + found, batch.arms)  # large sums may overflow together
        self._missing[left] -= drawn
        self._batch = self._remaining()

    def _observed(self, arms: Integers, counts: Integers) -> ArrayLike:
        return self._sums
