"""The eigenvalues of A(λ), largest first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.terminal import number
from gems_gui.design_study import Study
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot


@dataclass(frozen=True, eq=False)
class SpectrumSeries:
    """Eigenvalues of the main design and of the compared one (empty if there is none); 0 outside the range of A."""

    values: Floats
    compared: Floats
    compared_label: str
    subtitle: Phrasings
    placeholder = ""

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each eigenvalue, the largest first."""
        compared = self.compared if self.compared_label else np.zeros(len(self.values))
        return by_columns(
            {
                "index": np.arange(1, len(self.values) + 1),
                "eigenvalue": self.values,
                "eigenvalue_beside": masked(compared, bool(self.compared_label)),
            }
        )


def spectrum_series(study: Study) -> SpectrumSeries:
    """The spectra of a study."""
    seen, other = study.main.examination, study.other
    values = seen.eigenvalues
    parts = [f"condition {number(seen.condition, 4)}"]
    if seen.rank < len(values):
        parts.append(f"rank {seen.rank} of {len(values)}")
    parts.append(f"eigenvalues {number(float(values[0]), 3)} to {number(float(values[max(seen.rank, 1) - 1]), 3)}")
    if other is not None:
        parts.append(f"{other.label}: condition {number(other.examination.condition, 4)}")
    return SpectrumSeries(
        values,
        np.zeros(0) if other is None else other.examination.eigenvalues,
        "" if other is None else other.label,
        phrasings(*parts),
    )


def spectrum_text(series: SpectrumSeries, x: float) -> str:
    """ "eigenvalue 3 of 10: 0.12"."""
    at = round(x) - 1
    if not 0 <= at < len(series.values):
        return ""
    other = f" · {series.compared_label}: {number(float(series.compared[at]), 4)}" if series.compared_label else ""
    return f"eigenvalue {at + 1} of {len(series.values)}: {number(float(series.values[at]), 4)}{other}"
