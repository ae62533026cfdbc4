"""Texts along a line: which of them fit next to each other, and where they are placed if all are shown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def readable(boxes: Sequence[tuple[float, float]]) -> list[int]:
    """Indices of those of these (centre, half width) that fit next to each other, including the first and the last.

    Equally spaced texts are thinned out with a constant stride, if one of at most twice the smallest one works.
    """
    if not boxes:
        return []
    last = len(boxes) - 1
    steps = [after[0] - before[0] for before, after in pairwise(boxes)]
    if steps and max(steps) - min(steps) <= 1e-6 * max(steps):
        least = next((stride for stride in range(1, last + 1) if _apart(boxes[::stride])), last + 1)
        even = (each for each in range(least, 2 * least) if last % each == 0 and _apart(boxes[::each]))
        kept = list(range(0, last + 1, next(even, least)))
    else:
        kept = [0]
        for at in range(1, last + 1):
            if _apart((boxes[kept[-1]], boxes[at])):
                kept.append(at)
    while len(kept) > 1 and kept[-1] != last and not _apart((boxes[kept[-1]], boxes[last])):
        kept.pop()
    return [*kept, last] if _apart((boxes[kept[-1]], boxes[last])) else kept


def _apart(boxes: Sequence[tuple[float, float]]) -> bool:
    return all(one + half <= other - half_other + 1e-9 for (one, half), (other, half_other) in pairwise(boxes))


def spread_out(wanted: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Positions from low to high, closest to the wanted ones (ascending), at least ``apart`` from each other."""
    blocks: list[tuple[float, int]] = []  # touching positions share the mean of the wanted ones
    for at, place in enumerate(wanted):
        mean, count = place - at * apart, 1
        while blocks and blocks[-1][0] > mean:
            other, others = blocks.pop()
            mean, count = (mean * count + other * others) / (count + others), count + others
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    most = high - apart * (len(means) - 1)
    return [max(low, min(mean, most)) + at * apart for at, mean in enumerate(means)]
