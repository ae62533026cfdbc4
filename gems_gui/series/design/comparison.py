"""The designs of a study side by side, one row each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.design.result import how_proven
from gems_engine.terminal import number
from gems_gui.design_study import DesignEntry, Method, Study
from gems_gui.series.design.arms import percent
from gems_gui.series.table import Table, TextRow
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot

COLUMNS = (
    "design",
    "value",
    "proven ≥",
    "above the bound",
    "largest g",
    "support",
    "condition",
    "iterations",
    "ms",
    "worst pair",
)
"""The columns."""
_MOST_PAIRS = 4  # pairs of a proof that are named


def apart(column: int, text: str) -> str:
    """A text with a space before it, next to a right-aligned number."""
    return f"    {text}" if column == len(COLUMNS) - 1 else text


@dataclass(frozen=True)
class ComparisonRow(TextRow):
    """A design as text; `main`: it is shown in the plots, `optimal`: it is proven to be within its tolerance."""

    cells: tuple[str, ...]
    main: bool
    optimal: bool
    proof: str = ""
    """What the bound in "proven ≥" is based on."""

    def texts(self) -> tuple[str, ...]:
        return tuple(map(apart, range(len(COLUMNS)), self.cells))

    def tip(self, column: int) -> str:
        proof = f"\n{self.proof}" if self.proof and COLUMNS[column] == "proven ≥" else ""
        return f"{COLUMNS[column]}: {self.cells[column]}{proof}"

    def role(self, column: int) -> str:
        return "chosen" if self.optimal and COLUMNS[column] == "above the bound" else ""

    def bold(self, column: int) -> bool:
        return self.main


@dataclass(frozen=True, eq=False)
class ComparisonSeries:
    """All designs of a study in rows, and a summary of the main one."""

    study: Study
    rows: list[ComparisonRow]
    subtitle: Phrasings

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each design."""
        study = self.study
        rows = []
        for entry in study.entries:
            seen, design = entry.examination, entry.design
            worst = (None, None) if seen.worst is None else tuple(study.subject.chosen[each] for each in seen.worst)
            finite = np.isfinite(seen.value)
            rows.append(
                (
                    entry.label,
                    seen.value if finite else None,
                    study.bound,
                    study.excess(entry) if finite else None,
                    float(seen.equivalence.g.max()) if finite else None,
                    len(seen.support),
                    seen.condition,
                    None if design is None else design.iterations,
                    *worst,
                )
            )
        columns = ("design", "value", "lower_bound", "excess", "largest_g", "support", "condition")
        return Table((*columns, "iterations", "worst", "worst_other"), rows)


def comparison_series(study: Study, timed: bool = True) -> ComparisonSeries:
    """One row for each design, and one for the recorded design if it differs; optionally with the time."""
    rows = [_row(study, each, each is study.main, timed) for each in study.entries]
    recorded, value = study.subject.recorded, study.solved.examination.value
    same = recorded is not None and study.subject.method == Method(recorded.solver, recorded.tolerance)
    if recorded is not None and same and abs(recorded.value - value) > 1e-9 * max(recorded.value, value):
        cells = ["as the run recorded it", _digits(recorded.value), _digits(recorded.lower_bound)]
        rows.append(ComparisonRow((*cells, *("–" for _ in COLUMNS[3:])), main=False, optimal=False))
    return ComparisonSeries(study, rows, summary(study))


def _digits(value: float) -> str:
    """Seven digits, or five and a power of ten: both are as wide as the column, which would cut the power off."""
    text = number(value, 7)
    return number(value, 5) if "e" in text else text


def _row(study: Study, entry: DesignEntry, main: bool, timed: bool) -> ComparisonRow:
    seen, design = entry.examination, entry.design
    excess = study.excess(entry)
    most = number(float(seen.equivalence.g.max()), 5) if np.isfinite(seen.value) else "–"
    cells = (
        entry.label,
        _digits(seen.value),
        _digits(study.bound),
        percent(excess),
        most,
        number(len(seen.support)),
        number(seen.condition, 3),
        "–" if design is None else number(design.iterations),
        "–" if design is None or not timed else number(1e3 * float(design.seconds[-1]), 3),
        study.subject.pair(seen.worst),
    )
    return ComparisonRow(cells, main, excess <= entry.tolerance, _proof(study))


def _proof(study: Study) -> str:
    """The pairs that the best bound is based on with their own w, the largest first."""
    seen = max((each.examination for each in study.entries), key=lambda each: each.own_bound)
    order = np.argsort(-seen.proof_weights, kind="stable")[:_MOST_PAIRS].tolist()
    if not order:
        return ""
    pairs = "; ".join(
        f"{study.subject.pair(seen.proof_pairs[each])} {number(float(seen.proof_weights[each]), 3)}" for each in order
    )
    more = f"; and {number(len(seen.proof_pairs) - len(order))} more" if len(seen.proof_pairs) > len(order) else ""
    return f"{how_proven(study.proof)}, with the w of these pairs: {pairs}{more}"


def summary(study: Study) -> Phrasings:
    """A summary of the main design."""
    seen = study.main.examination
    if seen.worst is None:
        return "all directions are zero: any weights are optimal", "all directions are zero"
    bound = number(study.bound, 6)
    if not np.isfinite(seen.value):
        nothing = f"infinite: {study.subject.pair(seen.worst)} cannot be estimated"
        return f"{nothing} · lower bound on the optimum {bound}", nothing, "infinite"
    excess = study.excess(study.main)
    how = "proven optimal" if excess <= study.main.tolerance else f"at most {percent(excess)} above the optimum"
    value = f"value {number(seen.value, 6)}"
    return f"{value}, lower bound on the optimum {bound}: {how}", f"{value}: {how}", value
