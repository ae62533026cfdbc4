"""Sets of directions that a design is for: all differences of some points, never listed, or rows given one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from gems_engine.arrays import Floats, Integers

EPS = float(np.finfo(np.float64).eps)

BLOCK = 512
"""Rows of the table of all pairs that are in memory at one time."""

NUDGE = 1e-7
"""What a pair's squared length loses, in parts, by the way around the circle: less than any difference that matters."""

BALL = 256
"""At most this many points are in a ball of the search for long pairs."""


class Directions(Protocol):
    """A set of directions in the coordinates of a design problem's geometry, which may be far too many to list."""

    @property
    def count(self) -> int:
        """How many there are."""

    def initial(self, inverse_root: Floats, size: int) -> Integers:
        """Keys of a working set of about this size, likely to hold directions that matter at A = (root·rootᵀ)⁻¹."""

    def vectors(self, keys: Integers) -> Floats:
        """The directions with these keys, as rows."""

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """Keys of directions among which is the longest one in the norm of A⁻¹, and their squared norms."""

    def length(self, inverse_root: Floats) -> float:
        """The largest squared norm."""

    def longer(self, inverse_root: Floats, than: float, most: int = 0) -> tuple[Integers, Floats, int]:
        """Keys and squared norms of directions that are at least √than long: peaks first, and how many of these.

        A peak has no longer neighbour; the longest of all directions is one. Of the others, at least this many of the
        longest are there.
        """

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Keys of the directions whose squared norm is at least this part of the largest: the longest of them."""


@dataclass(frozen=True)
class PairDirections:
    """All differences of a set of distinct points, never listed: the key of p_i − p_j is i·n + j."""

    points: Floats

    @property
    def count(self) -> int:
        """Of all pairs."""
        return len(self.points) * (len(self.points) - 1) // 2

    def initial(self, inverse_root: Floats, size: int) -> Integers:
        """Every pair where they are few; else the longest of those of some points with the one farthest from each."""
        n = len(self.points)
        if self.count <= max(300, size):
            return every_pair(n)
        white = self.points @ inverse_root
        keys = np.unique(self._farthest(white, spread(n, 2 * size), nudge=n <= 2 * size))
        if len(keys) <= size:
            return keys
        squares = squares_of(white[keys // n] - white[keys % n])
        return np.sort(keys[np.argsort(-squares, kind="stable")[:size]])

    def vectors(self, keys: Integers) -> Floats:
        """The differences of the pairs with these keys."""
        n = len(self.points)
        difference: Floats = self.points[keys // n] - self.points[keys % n]
        return difference

    def longest(self, inverse_root: Floats) -> tuple[Integers, Floats]:
        """For every point its farthest other point."""
        white = self.points @ inverse_root
        n = len(white)
        keys = self._farthest(white, np.arange(n))
        # Norms again from the differences themselves: the Gram form cancels for near points.
        difference = white[keys // n] - white[keys % n]
        return keys, squares_of(difference)

    def length(self, inverse_root: Floats) -> float:
        """Of the farthest pair."""
        if len(self.points) <= BALL:
            return float(self.longest(inverse_root)[1].max())
        some = self._some_length(self.points @ inverse_root)
        return float(self.longer(inverse_root, some * (1.0 - 1e-9))[1].max())

    def longer(self, inverse_root: Floats, than: float, most: int = 0) -> tuple[Integers, Floats, int]:
        """Of every point its farthest other, if it is that far; of a peak neither end has a farther one."""
        white = centred(self.points @ inverse_root)
        n = len(white)
        index = _places(n)
        farthest, partner = np.full(n, -np.inf), index.copy()
        others: Integers = index[:0]
        for rows, columns, squares in far_tables(white, self.balls, than):
            if most:
                others = self._longest(white, np.union1d(others, _pairs_in(rows, columns, squares >= than, n)), most)
            if rows is columns:  # all points
                partner = squares.argmax(axis=1)
                farthest = squares[index, partner]
                continue
            for some, rest, table in ((columns, rows, squares.T), (rows, columns, squares)):
                at = table.argmax(axis=1)
                found = table[index[: len(some)], at]
                better = found > farthest[some]
                farthest[some[better]], partner[some[better]] = found[better], rest[at[better]]
        some = ((farthest >= than) & (partner != index)).nonzero()[0]
        other = partner[some]
        once = (partner[other] != some) | (some < other)  # each is the farthest of the other: the same pair
        some, other = some[once], other[once]
        lower = farthest[other] > farthest[some] * (1.0 + 1e-12)
        keys = np.minimum(some, other) * n + np.maximum(some, other)
        others = np.setdiff1d(others, keys)
        keys, lower = np.concatenate([keys, others]), np.concatenate([lower, np.ones(len(others), dtype=bool)])
        # Norms again from the differences themselves: the table's form cancels for near points.
        squares = squares_of(white[keys // n] - white[keys % n])
        order = np.lexsort((keys, -squares, lower))
        return keys[order], squares[order], len(keys) - int(lower.sum())

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Pairs nearly as far apart as the farthest."""
        white = centred(self.points @ inverse_root)
        n = len(white)
        than = part * self.length(inverse_root)
        keys: Integers = np.empty(0, dtype=np.int64)
        for rows, columns, squares in far_tables(white, self.balls, than):
            keys = self._longest(white, np.union1d(keys, _pairs_in(rows, columns, squares >= than, n)), most)
        return keys

    def _longest(self, white: Floats, keys: Integers, most: int) -> Integers:
        """At most this many of the pairs with these keys, in the order of keys."""
        if len(keys) <= most:
            return keys
        squares = squares_of(white[keys // len(white)] - white[keys % len(white)])
        return np.sort(_longest_first(keys, squares, most)[0])

    def _some_length(self, white: Floats) -> float:
        """The squared length of some long pair."""
        n = len(white)
        keys = self._farthest(white, spread(n, 64))
        return float(squares_of(white[keys // n] - white[keys % n]).max())

    @cached_property
    def balls(self) -> list[Integers]:
        """The points in groups of neighbours: halved along their widest coordinate until they are few."""
        groups, found = [np.arange(len(self.points))], []
        while groups:
            group = groups.pop()
            if len(group) <= BALL:
                found.append(group)
                continue
            column = self.points[group, int(np.ptp(self.points[group], axis=0).argmax())]
            order = np.argsort(column, kind="stable")
            groups += [group[order[: len(group) // 2]], group[order[len(group) // 2 :]]]
        return found

    def _farthest(self, white: Floats, rows: Integers, nudge: bool = False) -> Integers:
        """Keys of the pairs of these points with the one that is farthest from each.

        Where many tie (as many arms as dimensions: all of them do), the first would make a star around one point: a
        nudge prefers the next one in the circle, which covers them evenly.
        """
        n = len(white)
        squares = squares_of(white)
        partner = np.empty(len(rows), dtype=np.int64)
        for start in range(0, len(rows), BLOCK):
            block = rows[start : start + BLOCK]
            distance = white[block] @ white.T
            distance *= -2.0
            distance += squares
            if nudge:
                distance += squares[block, None]
                distance *= _around(n)[n - block]
            distance[np.arange(len(block)), block] = -np.inf
            partner[start : start + BLOCK] = distance.argmax(axis=1)
        return np.minimum(rows, partner) * n + np.maximum(rows, partner)


@dataclass(frozen=True)
class ListedDirections:
    """Directions given one by one: the key is the row."""

    rows: Floats

    @property
    def count(self) -> int:
        """Of the rows."""
        return len(self.rows)

    def initial(self, inverse_root: Floats, size: int) -> Integers:
        """All where they are few; else the longest."""
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

    def length(self, inverse_root: Floats) -> float:
        """Of the longest row."""
        return float(squares_of(self.rows @ inverse_root).max())

    def longer(self, inverse_root: Floats, than: float, most: int = 0) -> tuple[Integers, Floats, int]:
        """Rows at least this long, each a peak."""
        keys, squares = self.longest(inverse_root)
        keys, squares = _longest_first(keys[squares >= than], squares[squares >= than])
        return keys, squares, len(keys)

    def near(self, inverse_root: Floats, part: float, most: int) -> Integers:
        """Rows nearly as long as the longest."""
        return np.sort(self.longer(inverse_root, part * self.length(inverse_root))[0][:most])


def centred(points: Floats) -> Floats:
    """From their mean: squared distances then lose the fewest digits in a table."""
    return np.asarray(points - np.add.reduce(points) / len(points))


def far_tables(points: Floats, balls: list[Integers], than: float) -> Iterator[tuple[Integers, Integers, Floats]]:
    """All pairs of points at least √than apart, and few others: points, other points, table of squared distances.

    The points are :func:`centred`. Ball by ball: with norms from any origin ‖x − y‖² = 2‖x‖² + 2‖y‖² − ‖x + y‖², and
    ‖x + y‖ is at least ‖c + y‖ − r for all x of a ball around c: only points y that may be far enough from some x by
    that are looked at one by one.
    """
    squares = squares_of(points)
    than -= search_rounding(points.shape[1], squares)
    if len(balls) == 1:
        table = points @ (-2.0 * points.T)
        table += squares
        table += squares[:, None]
        if table.max() >= than:
            yield balls[0], balls[0], table
        return
    out = np.sqrt(squares) + np.sqrt(squares.max()) >= np.sqrt(max(than, 0.0))
    balls = [ball[out[ball]] for ball in balls]
    order = np.concatenate(balls)
    points, squares = points[order], squares[order]
    left, right = np.column_stack([-2.0 * points, squares]), np.column_stack([points, np.ones(len(order))])
    end = 0
    for ball in balls:
        start, end = end, end + len(ball)
        if start == end:
            continue
        inside, rest = points[start:end], squares[start:]
        centre = inside.mean(axis=0)
        radius = np.sqrt(squares_of(inside - centre).max())
        sums = rest + 2.0 * (points[start:] @ centre) + centre @ centre
        apart = np.maximum(np.sqrt(np.maximum(sums, 0.0)) - radius, 0.0)
        far = start + np.flatnonzero(2.0 * (squares[start:end].max() + rest) - apart * apart >= than)
        if 2 * len(far) > len(rest):  # then a choice costs more than it saves
            table, rows = left[start:] @ right[start:end].T, order[start:]
        else:
            table, rows = left[far] @ right[start:end].T, order[far]
        table += squares[start:end]
        some = table.max(axis=1) >= than
        if some.any():
            yield rows[some], ball, table[some]


@lru_cache(maxsize=64)
def _around(count: int) -> Floats:
    """In row n − i what pairs of point i with all n points keep: least with the one before it in the circle."""
    return np.lib.stride_tricks.sliding_window_view(1.0 - NUDGE / count * np.tile(np.arange(count), 2), count)


@lru_cache(maxsize=256)
def _places(count: int) -> Integers:
    """0, 1, 2, …"""
    found = np.arange(count)
    found.setflags(write=False)
    return found


def _pairs_in(rows: Integers, columns: Integers, table: np.ndarray, count: int) -> Integers:
    """Keys of the pairs of different points that a table of yes and no says yes to."""
    i, j = np.nonzero(table)
    one, other = rows[i], columns[j]
    return np.asarray((np.minimum(one, other) * count + np.maximum(one, other))[one != other])


def _longest_first(keys: Integers, squares: Floats, most: int | None = None) -> tuple[Integers, Floats]:
    """Sorted by length, then by key; at most ``most`` of them."""
    order = np.lexsort((keys, -squares))[:most]
    return keys[order], squares[order]


@lru_cache(maxsize=64)
def every_pair(count: int) -> Integers:
    """Keys of all pairs of ``count`` points."""
    i, j = np.triu_indices(count, 1)
    keys: Integers = (i * count + j).astype(np.int64)
    keys.setflags(write=False)
    return keys


def spread(count: int, most: int) -> Integers:
    """At most ``most`` of ``count`` indices, evenly spread."""
    some = min(count, most)
    return np.arange(some) * count // some


def search_rounding(d: int, squares: Floats) -> float:
    """More than all rounding in squared distances by :func:`far_tables`, from squared norms of the centred points."""
    return 16.0 * (d + 8) * EPS * float(squares.max())


def squares_of(rows: Floats) -> Floats:
    """Squared norms of rows."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def row_lengths(rows: Floats) -> Floats:
    """Norms of rows."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))
