"""The space that some rows of features span, and which other rows lie in it."""

import numpy as np

from gems_engine.arrays import Floats

_INSIDE = 1e-9  # a unit vector this close to a space counts as inside


class Span:
    """The space that rows span, computed robustly for features of any scale.

    Columns are scaled to size 1 and then rows to norm 1; neither changes whether a row lies in the span.
    The rank is that of the singular values above rounding.
    """

    def __init__(self, rows: Floats) -> None:
        size = np.abs(rows).max(axis=0, initial=0.0)
        self._used = size > 0
        self._scale = np.where(self._used, size, 1.0)
        unit = _unit_rows(rows / self._scale)
        _, values, basis = np.linalg.svd(unit, full_matrices=False)
        noise = 4 * max(unit.shape) * np.finfo(float).eps * values.max(initial=0.0)
        self.rank = int((values > noise).sum())
        self._basis = basis[: self.rank]

    def outside(self, rows: Floats) -> list[int]:
        """Indices of the rows that do not lie in the span."""
        unit = _unit_rows(rows / self._scale)
        rest = unit - (unit @ self._basis.T) @ self._basis
        far = (np.linalg.norm(rest, axis=1) > _INSIDE) | (rows[:, ~self._used] != 0).any(axis=1)
        return [int(i) for i in np.flatnonzero(far)]


def _unit_rows(rows: Floats) -> Floats:
    size = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    rows = rows / np.where(size > 0, size, 1.0)  # first, so that tiny rows do not underflow when squared
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1.0)
