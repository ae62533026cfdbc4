"""ι, cost, r_d, ρ⋆ and γ̃ for all dimensions, with d⋆ and B."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.terminal import number, plural
from gems_gui.series.axis import subroutine_label
from gems_gui.series.dimension_book import Chosen, CostCurve, book_of
from gems_gui.series.dimension_rounds import costs, current_set, pulls_of, rounding_of
from gems_gui.series.last_round import last_round, validates
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

SURVIVORS, EVERYONE = "survivors", "everyone"
ALL, COMPLEXITY, ERROR = "all", "complexity", "error"
_NAMES = {COMPLEXITY: "ρ⋆", ERROR: "γ̃"}


@dataclass(frozen=True, eq=False)
class DimensionsSeries:
    """What the view draws; arrays have one entry for each d = 1, …, D, NaN if not known yet.

    Attributes
    ----------
    iota, cost, rounding
        The proven upper bounds on ι and on g_k(d), and r_d(ζ).
    rho, gamma
        ρ⋆_d and γ̃(d); None while the truth is hidden.
    budget
        B, ∞ if there is none.
    chosen
        d_k, 0 while none is chosen.
    waits
        What is still being computed, as text; empty for nothing.
    """

    iota: Floats
    cost: Floats
    rounding: Floats
    rho: Floats | None
    gamma: Floats | None
    budget: float
    chosen: int
    d_star: int | None
    waits: str
    subtitle: Phrasings
    placeholder: str = ""

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each dimension."""
        truth = {}
        if self.rho is not None and self.gamma is not None:
            truth = {"rho_star": _plain(self.rho), "gamma_tilde": _plain(self.gamma)}
        return by_columns(
            {
                "d": np.arange(1, len(self.iota) + 1),
                "iota": _plain(self.iota),
                "cost": _plain(self.cost),
                "rounding_samples": self.rounding,
                **truth,
                "chosen": np.arange(1, len(self.iota) + 1) == self.chosen,
                "budget": masked(np.full(len(self.iota), self.budget), np.isfinite(self.budget)),
            }
        )


def _plain(values: Floats) -> list[float | None]:
    return masked(values, ~np.isnan(values))


def shown_round(snapshot: Snapshot) -> Snapshot:
    """The snapshot whose round is shown: the last one that drew samples if there is none at the cursor."""
    ended = snapshot.state.finished is not None or validates(snapshot)
    return (last_round(snapshot) or snapshot) if ended else snapshot


def shown_set(snapshot: Snapshot, of: str) -> tuple[Chosen, int]:
    """The targets whose ι is shown, and k of their round."""
    survivors, k = current_set(shown_round(snapshot))
    return survivors if of == SURVIVORS else tuple(range(len(snapshot.instance.targets))), k


def single_series(snapshot: Snapshot, of: str, show: str) -> tuple[DimensionsSeries, Floats]:
    """The same and one of its curves alone, ρ⋆ or γ̃: with its own subtitle, and empty while the truth is hidden."""
    series, name = dimensions_series(snapshot, of), _NAMES[show]
    values = series.rho if show == COMPLEXITY else series.gamma
    if values is None:
        return replace(series, placeholder=f"{name} is hidden with the truth"), np.full(len(series.iota), np.nan)
    first, last = (f"{number(float(values[at]), 2)} in R^{at % len(values) + 1}" for at in (0, -1))
    known = int((~np.isnan(values)).sum())
    words = (
        f"{name}: {first}, {last}" if known == len(values) else f"computing: {number(known)} of {number(len(values))}"
    )
    return replace(series, subtitle=phrasings(words)), values


def dimensions_series(snapshot: Snapshot, of: str) -> DimensionsSeries:
    """The curves of the round at the cursor, or of all targets in it."""
    chosen, k = shown_set(snapshot, of)
    snapshot = shown_round(snapshot)
    instance, state = snapshot.instance, snapshot.state
    book = book_of(instance)
    rounding = rounding_of(snapshot)
    here = snapshot.call_row
    curve = book.curve(chosen)
    if len(chosen) < 2:
        curve = CostCurve(np.zeros(instance.D), np.zeros(instance.D))  # nothing to distinguish
    _, cost = costs(curve, k, rounding, pulls_of(snapshot, here) if here >= 0 else None)
    budget = state.selection_budget
    waits = _waits(curve.known, book.rho.known, book.gamma.known, instance.D, snapshot.truth)
    where = " ".join(filter(None, (subroutine_label(snapshot, here), f"k{k}" if here >= 0 else "")))
    return DimensionsSeries(
        curve.upper.copy(),
        cost.copy(),
        rounding,
        book.rho.upper.copy() if snapshot.truth else None,
        book.gamma.upper.copy() if snapshot.truth else None,
        float(budget),
        state.d if here >= 0 and not state.idle else 0,
        instance.d_star if snapshot.truth else None,
        waits,
        phrasings(
            (waits, "computing…") if waits else where or "all targets",
            plural(len(chosen), "target"),
            f"B = {number(budget)}" if np.isfinite(budget) else "",
        ),
    )


def _waits(iota: int, rho: int, gamma: int, D: int, truth: bool) -> str:
    parts = [("ι", iota), *((("ρ⋆", rho), ("γ̃", gamma)) if truth else ())]
    left = [f"{name} {number(known)}" for name, known in parts if known < D]
    return f"computing: {', '.join(left)} of {number(D)}" if left else ""


def dimensions_text(series: DimensionsSeries, x: float) -> str:
    """Everything known about the dimension at x."""
    d = int(np.floor(x + 0.5))
    if not 1 <= d <= len(series.iota):
        return ""

    def said(values: Floats) -> str:
        return "not known yet" if np.isnan(values[d - 1]) else number(float(values[d - 1]))

    lines = [f"d = {d}: ι = {said(series.iota)}, r_d = {said(series.rounding)}, cost {said(series.cost)}"]
    if np.isfinite(series.budget) and not np.isnan(series.cost[d - 1]):
        lines[0] += f" {'≤' if series.cost[d - 1] <= series.budget * (1 + 1e-9) else '>'} B = {number(series.budget)}"
    if series.rho is not None and series.gamma is not None:
        lines.append(f"ρ⋆_d = {said(series.rho)}, γ̃(d) = {said(series.gamma)}")
    return "\n".join(lines)
