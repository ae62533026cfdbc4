"""The view of the eigenvalues of A(λ)."""

from __future__ import annotations

import math

import numpy as np

from gems_engine.arrays import Floats
from gems_gui.design_study import Study
from gems_gui.series.design.spectrum import SpectrumSeries, spectrum_series, spectrum_text
from gems_gui.snapshot import Snapshot
from gems_gui.views.design.study_view import StudyView
from gems_gui.views.kit import bars, line, marks
from gems_gui.views.plot_view import Axes, Entries, PlotView

_DECADES = 16.0  # largest range of the scale: the precision of a float
_NARROW = 100  # with more eigenvalues, bars get an outline: those thinner than a pixel would disappear


class Spectrum(StudyView, PlotView[SpectrumSeries]):
    """Eigenvalues as bars on a logarithmic scale, the largest first; those of the compared design as caps."""

    name = "design-spectrum"
    title = "Spectrum of A(λ)"
    marks_selection = False
    about = (
        "The eigenvalues of the information matrix A(λ) = Σ λ_x x xᵀ in R^d, the largest first. Their ratio is the "
        "condition number: the larger it is, the more digits estimates lose. An eigenvalue of 0 has no bar: directions "
        "outside the range of A cannot be estimated."
    )

    axes = Axes(whole="x", log="y")
    values = bars("surviving")
    caps = line("text", 2, grows=False, connect="pairs")
    zero = marks("t", "now", 9)

    def draw(self, snapshot: Snapshot, study: Study) -> None:
        series = self.series = spectrum_series(study)
        base, top = _scale(series)
        d = np.arange(1, len(series.values) + 1, dtype=float)
        positive = series.values > 0.0
        heights = np.maximum(np.log10(series.values[positive]) - base, 0.0)
        self.values.setOpts(x=d[positive], y0=base, height=heights, width=0.8)
        self.values.set_outlined(len(d) > _NARROW)
        self.zero.setData(d[~positive], np.full(int((~positive).sum()), base))
        seen = series.compared > 0.0
        at = d[: len(seen)][seen]
        ends = np.stack([at - 0.45, at + 0.45], axis=1).ravel()
        self.caps.setData(ends, np.repeat(np.maximum(np.log10(series.compared[seen]), base), 2))
        self.plot.label("eigenvalue", "value (log)", self.theme)
        self.plot.x_axis.lowest, self.plot.x_axis.highest = 1.0, float(len(d))
        margin = max(0.1, 0.01 * len(d))
        self.plot.frame((0.5 - margin, len(d) + 0.5 + margin), (base, top), self.theme.pixels(6), self.theme.pixels(8))

    def entries(self, series: SpectrumSeries) -> Entries:
        assert self.study is not None
        return (
            ("■", "surviving", self.study.main.label),
            ("─", "text", series.compared_label, series.compared_label),
            ("▼", "now", "zero", self.zero.isVisible()),
        )

    def describe(self, snapshot: Snapshot, series: SpectrumSeries, x: float, y: float) -> str:
        return spectrum_text(series, x)


def _scale(series: SpectrumSeries) -> tuple[float, float]:
    """First and last logarithm: all nonzero eigenvalues, at least one decade."""
    some: Floats = np.concatenate([series.values, series.compared])
    logs = np.log10(some[some > 0.0])
    top = float(logs.max()) if len(logs) else 0.0
    base = math.floor(max(float(logs.min()) if len(logs) else -1.0, top - _DECADES) - 0.05)
    return float(base), max(top, base + 1.0)
