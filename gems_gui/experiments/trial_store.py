"""Rows of an experiment as flat arrays, a few bytes each, for sorting and filtering. Does not import Qt."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.experiment.specification import Specification
from gems_engine.experiment.trials import Row

COLUMNS = ("trial", "cell", "seed", "right", "tau", "samples", "seconds", "error")
"""The columns of the list of trials, in order."""
_UNKNOWN = -1
_ERRORS = 10_000
"""The most error messages that are kept; the others are only in the folder."""


@dataclass(frozen=True)
class TrialLine:
    """What the list shows of a trial; None for values that it does not have."""

    index: int
    cell: str
    seed: int
    right: bool | None
    tau: int | None
    samples: int | None
    seconds: float
    error: str


class TrialStore:
    """The rows of one experiment in order of arrival.

    Parameters
    ----------
    specification
        The specification of the experiment, which gives the cell of each row.
    """

    def __init__(self, specification: Specification) -> None:
        self._index, self._seed, self._tau, self._samples = array("q"), array("q"), array("q"), array("q")
        self._seconds = array("d")
        self._right = array("b")  # 1, 0, or −1 without a result
        self._errors: dict[int, str] = {}
        self._failed: dict[int, int] = {}  # positions of failed trials, which may be run again
        said = specification
        self.cells = [", ".join(filter(None, (said.series(each), said.group(each)))) for each in said.cells]

    def __len__(self) -> int:
        return len(self._index)

    def extend(self, rows: Iterable[Row]) -> None:
        """Add rows."""
        for row in rows:
            if row.index in self._failed:
                self._replace(self._failed[row.index], row)
                continue
            if row.error:
                self._failed[row.index] = len(self)
                self._errors[len(self)] = row.error if len(self._errors) < _ERRORS else "failed; see the results folder"
            self._index.append(row.index)
            self._seed.append(row.seed)
            self._right.append(_UNKNOWN if row.correct is None else int(row.correct))
            self._tau.append(_UNKNOWN if row.tau is None else row.tau)
            self._samples.append(_UNKNOWN if row.samples is None else row.samples)
            self._seconds.append(row.seconds)

    def _replace(self, place: int, row: Row) -> None:
        """Replace the row of a failed trial by that of its second run."""
        del self._errors[place]
        if row.error:
            self._errors[place] = row.error
        else:
            del self._failed[row.index]
        self._right[place] = _UNKNOWN if row.correct is None else int(row.correct)
        self._tau[place] = _UNKNOWN if row.tau is None else row.tau
        self._samples[place] = _UNKNOWN if row.samples is None else row.samples
        self._seconds[place] = row.seconds

    def line(self, place: int) -> TrialLine:
        """The trial at a position."""
        index = self._index[place]
        right, tau, samples = self._right[place], self._tau[place], self._samples[place]
        return TrialLine(
            index,
            self.cells[index % len(self.cells)],
            self._seed[place],
            None if right == _UNKNOWN else bool(right),
            None if tau == _UNKNOWN else tau,
            None if samples == _UNKNOWN else samples,
            self._seconds[place],
            self._errors.get(place, ""),
        )

    def index_of(self, place: int) -> int:
        """The number of the trial at a position."""
        return self._index[place]

    def order(self, column: str = "", down: bool = False, failed_only: bool = False, cell: int = -1) -> Integers:
        """The positions of the trials to list, sorted by a column, or by arrival without one.

        Missing values are censored: they are larger than any number.
        """
        index = np.array(self._index, dtype=np.int64)
        keep = np.ones(len(index), dtype=bool)
        if failed_only:
            keep[:] = False
            keep[list(self._errors)] = True
        if cell >= 0:
            keep &= index % len(self.cells) == cell
        places = np.flatnonzero(keep)
        if not column:
            return places
        ordered = np.argsort(self._keys(column, index)[places], kind="stable")
        return places[ordered[::-1]] if down else places[ordered]

    def _keys(self, column: str, index: Integers) -> np.ndarray:
        if column == "trial":
            return index
        if column == "cell":
            return index % len(self.cells)
        if column == "seed":
            return np.array(self._seed)
        if column == "seconds":
            return np.array(self._seconds)
        if column == "error":
            failed = np.zeros(len(index), dtype=np.int64)
            names = {each: number for number, each in enumerate(sorted(set(self._errors.values())), start=1)}
            for place, error in self._errors.items():
                failed[place] = names[error]
            return failed
        of: dict[str, array[int]] = {"right": self._right, "tau": self._tau, "samples": self._samples}
        known = np.array(of[column], dtype=np.int64)
        return np.where(known == _UNKNOWN, np.iinfo(np.int64).max, known)
