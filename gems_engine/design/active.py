"""The directions that are nearly as long as the longest, searched in blocks because there may be too many to list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.design.directions import BLOCK, Directions, PairDirections, squares_of

LISTED = 10_000
"""More directions than this are not listed."""
_BLUR = 1e-13  # error of a table of distances, relative to the largest squared norm
_PAIRS = 4096  # differences in memory at a time
_NUDGE = 1e-9  # if many pairs tie, prefers the next point in the circle, so that they do not form a star


@dataclass(frozen=True)
class ActiveDirections:
    """The directions whose squared norm is at least `floor`.

    Attributes
    ----------
    directions
        All of them.
    white
        Their points (of pairs) or rows (of a list) in coordinates in which the norm of A⁻¹ is the length.
    sizes
        The number of equal targets at each point; one if that is not known.
    """

    directions: Directions
    white: Floats
    floor: float
    sizes: Integers | None = None

    @property
    def is_pairs(self) -> bool:
        """Whether the directions are all differences of points."""
        return isinstance(self.directions, PairDirections)

    def vectors(self, keys: Integers) -> Floats:
        """The directions with these keys in the same coordinates as `white`."""
        n = len(self.white)
        rows: Floats = self.white[keys // n] - self.white[keys % n] if self.is_pairs else self.white[keys]
        return rows

    def some(self, keys: Integers) -> Integers:
        """The active ones among these keys."""
        return np.asarray(keys[squares_of(self.vectors(keys)) >= self.floor])

    @cached_property
    def _found(self) -> tuple[Integers | None, int]:
        found: list[Integers] = []
        count = 0
        for keys, _ in self._blocks():
            found.append(keys[: max(0, LISTED + 1 - count)])
            n = len(self.white)
            count += len(keys) if self.sizes is None else int(self.sizes[keys // n] @ self.sizes[keys % n])
        return (np.concatenate(found) if count <= LISTED else None), count

    @property
    def keys(self) -> Integers | None:
        """All keys; None if there are more than :data:`LISTED`."""
        return self._found[0]

    @property
    def count(self) -> int:
        """Their number, counting each pair of equal targets."""
        return self._found[1]

    def first(self) -> Integers:
        """All keys, or the first ones if there are too many."""
        if self.keys is not None:
            return self.keys
        return next(keys for keys, _ in self._blocks() if len(keys))[:LISTED]

    def narrowed(self, floor: float) -> ActiveDirections:
        """Those that are still active with a higher floor."""
        fewer = replace(self, floor=floor)
        if self.keys is not None:
            keys = fewer.some(self.keys)
            fewer.__dict__["_found"] = keys, len(keys)  # known without another search
        return fewer

    def shortest(self, change: Floats) -> tuple[Integers, Floats]:
        """Keys of active directions that `change` makes short, and their squared norms then.

        The shortest of all is among them; of very many pairs there is one for each point, so that they cover many arms.
        """
        keys = self.keys
        if keys is None and self.is_pairs:
            seen = self.white @ change
            keys = np.unique(np.concatenate([_first(some, squares, len(seen)) for some, squares in self._blocks(seen)]))
        elif keys is None:
            keys = next(self._blocks())[0]
        return keys, squares_of(self.vectors(keys) @ change)

    def _blocks(self, seen: Floats | None = None) -> Iterator[tuple[Integers, Floats]]:
        """All active keys with the squared norms of their differences in `seen`, block by block."""
        if not self.is_pairs:
            keys = np.flatnonzero(squares_of(self.white) >= self.floor).astype(np.int64)
            yield keys, np.zeros(len(keys))
            return
        n = len(self.white)
        blur = _BLUR * float(squares_of(self.white).max())
        for start in range(0, n, BLOCK):
            table = _distances(self.white, start)
            i, j = np.nonzero(table >= self.floor - blur)
            i, j = i[start + i < j], j[start + i < j]
            keys = ((start + i) * n + j).astype(np.int64)
            kept = self._decided(keys, table[i, j], blur)
            squares = np.zeros(len(i)) if seen is None else _distances(seen, start)[i, j]
            yield keys[kept], squares[kept]

    def _decided(self, keys: Integers, squares: Floats, blur: float) -> np.ndarray:
        """Which of these keys are active; computed from the differences if the table is not accurate enough."""
        kept = squares >= self.floor + blur
        unsure = np.flatnonzero(~kept)
        for at in range(0, len(unsure), _PAIRS):
            some = unsure[at : at + _PAIRS]
            kept[some] = squares_of(self.vectors(keys[some])) >= self.floor
        return np.asarray(kept)


def _distances(points: Floats, start: int) -> Floats:
    """Squared distances from a block of points to all."""
    block = points[start : start + BLOCK]
    return np.asarray(squares_of(block)[:, None] + squares_of(points) - 2.0 * (block @ points.T))


def _first(keys: Integers, squares: Floats, n: int) -> Integers:
    """For each point, its pair with the smallest square; in a tie, the next point in the circle."""
    if not len(keys):
        return keys
    i, j = keys // n, keys % n
    scale = _NUDGE * max(float(np.abs(squares).max()), 1e-300)
    chosen = []
    for one, other in ((i, j), (j, i)):
        cost = squares + scale * ((other - one) % n) / n
        order = np.lexsort((cost, one))
        chosen.append(keys[order[np.unique(one[order], return_index=True)[1]]])
    return np.concatenate(chosen)
