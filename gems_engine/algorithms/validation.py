"""Pulling candidates directly, each the same number of times, to see which one is best."""

from __future__ import annotations

import numpy as np

from gems_engine.algorithms.laboratory import Events, Laboratory
from gems_engine.events import Allocated, Place, Recommended, Validated


def validate(lab: Laboratory, place: Place, candidates: list[int], pulls: int) -> Events[int]:
    """The candidate with the highest mean of so many pulls each; the first of those that tie."""
    targets = np.array(sorted(set(candidates)), dtype=np.int64)
    positions = lab.instance.target_arms
    assert positions is not None, "candidates are pulled directly, so they must be arms"
    lab.afford(pulls * len(targets))
    arms, where = np.unique(positions[targets], return_inverse=True)
    counts = np.bincount(where, minlength=len(arms)).astype(np.int64) * pulls
    sums = yield from lab.pull(Allocated(place, 0, arms, counts, 1.0, True))
    means = (sums / counts)[where]
    yield Validated(place, targets, means, pulls)
    best = int(targets[int(means.argmax())])
    yield Recommended(place, best, lab.samples, "the highest mean in validation")
    return best
