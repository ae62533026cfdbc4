"""The designs and pulls of every round of the subroutine at the cursor, read once from the trace."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.events import Allocated, DesignSolved, Event, Pulled
from gems_engine.trace import Trace
from gems_gui.snapshot import Snapshot

MOST_ROUNDS = 300
"""The largest number of rounds shown, the newest ones: more would be thinner than a pixel."""
_MOST_READ = 3000  # cached events
_READ: WeakKeyDictionary[Trace, dict[int, Event]] = WeakKeyDictionary()  # events never change


@dataclass(frozen=True, eq=False)
class RoundDesigns:
    """The design of each round that has one at the cursor, from the first.

    Attributes
    ----------
    k, d
        Round and dimension of each.
    weights
        λ_k, of shape (rounds, arms).
    """

    k: Integers
    d: Integers
    weights: Floats

    @classmethod
    def none(cls, arms: int) -> RoundDesigns:
        """No rounds."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, arms)))

    def __len__(self) -> int:
        return len(self.k)

    @property
    def support(self) -> np.ndarray:
        """Which arms have weight in any of them."""
        return np.asarray((self.weights > 0).any(axis=0))


def round_designs(snapshot: Snapshot) -> RoundDesigns:
    """The designs of the rounds of this subroutine, or of the run if it calls none."""
    found = [event for event in _events(snapshot, DesignSolved) if isinstance(event, DesignSolved)]
    weights = np.zeros((len(found), len(snapshot.instance.arms)))
    for row, design in enumerate(found):
        weights[row, design.support] = design.weights
    return RoundDesigns(
        np.array([each.place.k for each in found], dtype=np.int64),
        np.array([each.d for each in found], dtype=np.int64),
        weights,
    )


def round_pulls(snapshot: Snapshot) -> tuple[Integers, Integers]:
    """k and the pulls of every arm, of shape (rounds, arms), for each round of this subroutine with pulls."""
    pulled = [event.place.k for event in _events(snapshot, Pulled) if event.place.k]
    asked = {
        each.place.k: each for each in _events(snapshot, Allocated) if isinstance(each, Allocated) and each.place.k
    }
    counts = np.zeros((len(pulled), len(snapshot.instance.arms)), dtype=np.int64)
    for row, k in enumerate(pulled):
        np.add.at(counts[row], asked[k].arms, asked[k].counts)
    return np.array(pulled, dtype=np.int64), counts


def _events(snapshot: Snapshot, kind: type[Event]) -> list[Event]:
    """The newest events of a kind in the subroutine at the cursor."""
    here = snapshot.call_row
    begin = int(snapshot.history.subroutines.event[here]) if here >= 0 else 0
    at = snapshot.trace.positions(kind)
    first, last = np.searchsorted(at, (begin, snapshot.call_end))
    read = _READ.setdefault(snapshot.trace, {})
    if len(read) > _MOST_READ:
        read.clear()
    found = at[max(int(first), int(last) - MOST_ROUNDS) : int(last)].tolist()
    for each in found:
        if each not in read:
            read[each] = snapshot.trace[each]
    return [read[each] for each in found]
