"""Sets of directions that a design is for: all differences of some points, never listed, or rows given one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gems_engine.arrays import Floats, Integers

BLOCK = 512
"""Rows of the table of all pairs that are in memory at one time."""


class Directions(Protocol):
    """A set of directions in the coordinates of a design problem's geometry, which may be far too many to list."""

    def initial(self, inverse_root: Floats, arms: int) -> Integers:
        """Keys of a working set that is likely to hold the directions that matter at A = (root·rootᵀ)."""

    def vectors(self, keys: Integers) -> Floats:
        """The directions with these keys, as rows."""

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """Keys of directions among which is the longest one in the norm of A⁻¹, and their squared norms."""

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Keys of the directions whose squared norm is at least this part of the largest: the longest of them."""


@dataclass(frozen=True)
class PairDirections:
    """All differences of a set of distinct points, never listed: the key of p_i − p_j is i·n + j."""

    points: Floats

    def initial(self, inverse_root: Floats, arms: int) -> Integers:
        """Every pair where they are few; else for every point the one that is farthest from it."""
        n = len(self.points)
        if n * (n - 1) // 2 <= max(300, arms):
            i, j = np.triu_indices(n, 1)
            return (i * n + j).astype(np.int64)
        # Where many pairs tie (as many arms as dimensions: all of them do), «the first» would choose a
        # star around one point; a nudge that prefers the next point in the circle covers them evenly.
        return np.unique(self._farthest(self.points @ inverse_root, nudge=1e-7))

    def vectors(self, keys: Integers) -> Floats:
        """The differences of the pairs with these keys."""
        n = len(self.points)
        difference: Floats = self.points[keys // n] - self.points[keys % n]
        return difference

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """For every point its farthest other point."""
        white = self.points @ inverse_root
        keys = self._farthest(white)
        n = len(white)
        # Norms again from the differences themselves: the Gram form cancels for near points.
        difference = white[keys // n] - white[keys % n]
        return keys, squares_of(difference)

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Pairs nearly as far apart as the farthest."""
        white = self.points @ inverse_root
        n = len(white)
        _, longest = self.longest(inverse_root)
        keys = np.empty(0, dtype=np.int64)
        found = np.empty(0)
        for start in range(0, n, BLOCK):
            block = white[start : start + BLOCK]
            squares = squares_of(block)[:, None] + squares_of(white)[None, :] - 2.0 * (block @ white.T)
            i, j = np.nonzero(squares >= part * longest.max())
            i, j = i[start + i < j], j[start + i < j]
            keys = np.concatenate([keys, (start + i) * n + j])
            found = np.concatenate([found, squares[i, j]])
            best = np.argsort(-found, kind="stable")[:most]
            keys, found = keys[best], found[best]
        return np.sort(keys)

    def _farthest(self, white: Floats, nudge: float = 0.0) -> Integers:
        n = len(white)
        squares = squares_of(white)
        index = np.arange(n)
        partner = np.empty(n, dtype=np.int64)
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            distance = white[rows] @ white.T
            distance *= -2.0
            distance += squares
            if nudge:
                distance += squares[rows, None]
                distance *= 1.0 - nudge * ((index - index[rows, None]) % n) / n
            distance[np.arange(len(distance)), index[rows]] = -np.inf
            partner[rows] = distance.argmax(axis=1)
        return np.minimum(index, partner) * n + np.maximum(index, partner)


@dataclass(frozen=True)
class ListedDirections:
    """Directions given one by one: the key is the row."""

    rows: Floats

    def initial(self, inverse_root: Floats, arms: int) -> Integers:
        """All where they are few; else the longest two per arm."""
        size = max(300, 2 * arms)
        if len(self.rows) <= size:
            return np.arange(len(self.rows), dtype=np.int64)
        _, squares = self.longest(inverse_root)
        return np.sort(np.argsort(-squares, kind="stable")[:size]).astype(np.int64)

    def vectors(self, keys: Integers) -> Floats:
        """The rows with these keys."""
        rows: Floats = self.rows[keys]
        return rows

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """Every direction."""
        white = self.rows @ inverse_root
        return np.arange(len(white), dtype=np.int64), squares_of(white)

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Rows nearly as long as the longest."""
        keys, squares = self.longest(inverse_root)
        order = np.argsort(-squares, kind="stable")[:most]
        return np.sort(keys[order[squares[order] >= part * squares.max()]])


def squares_of(rows: Floats) -> Floats:
    """Squared norms of rows."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def row_lengths(rows: Floats) -> Floats:
    """Norms of rows."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
