"""Which survivors this round eliminates: for each survivor, the rival that comes closest to eliminating it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.algorithms.run_context import constant
from gems_engine.arrays import Floats, Integers
from gems_engine.elimination import MOST_COMPARED, Fit, Rivals, nearest_rivals
from gems_engine.explanation.round import before_elimination, fitted, width_rule
from gems_engine.terminal import number
from gems_gui.series.axis import subroutine_label
from gems_gui.series.last_round import last_round, validates
from gems_gui.series.names import axis_label, short_name
from gems_gui.series.table import Table, by_columns, masked
from gems_gui.series.to_come import to_come
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

GAP, MARGIN, INDEX = "gap", "margin", "index"
MOST_ROWS = 40
"""The largest number of survivors shown: those closest to the decision."""


def fit_of(snapshot: Snapshot, survivors: Integers) -> Fit | None:
    """θ̂_k with the norm of its errors, from the pulls of the round at the cursor; None while there is none."""
    return fitted(snapshot.instance, snapshot.state, survivors)


@dataclass(frozen=True, eq=False)
class GapSeries:
    """What the view of the gaps draws; row j, counted from the top, lies between j and j + 1.

    Attributes
    ----------
    targets, rivals
        The survivor z of each row and the z′ of its pair.
    gaps, widths
        ⟨θ̂_k, ψ(z′) − ψ(z)⟩ and the width that it has to reach; 0 if there is no rule.
    leaves
        Whether z is eliminated, or would be if nothing is decided yet.
    decided
        Whether the round has decided.
    survivors
        |Ŝ_k|.
    rule
        Symbol of the width, empty if there is no rule.
    best, recommended, selected
        Rows, None if there is none to show.
    called
        Label of the recommended one: recommended, carried over, or the leader in a single call.
    placeholder
        Why the view is empty, if it is.
    """

    targets: Integers
    rivals: Integers
    gaps: Floats
    widths: Floats
    leaves: np.ndarray
    decided: bool
    survivors: int
    rule: str
    names: list[tuple[float, str]]
    best: int | None
    recommended: int | None
    called: str
    selected: int | None
    x_label: str
    y_label: str
    subtitle: Phrasings
    placeholder: str

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each survivor, from the top."""
        names = [snapshot.instance.target_label(target) for target in self.targets.tolist()]
        rivals = [snapshot.instance.target_label(rival) if rival >= 0 else None for rival in self.rivals.tolist()]
        compared = bool(self.rule) or self.decided
        return by_columns(
            {
                "target": self.targets,
                "name": names,
                "rival": masked(self.rivals, self.rivals >= 0),
                "rival_name": rivals,
                "gap": self.gaps,
                "width": masked(self.widths, compared),
                "leaves": masked(self.leaves, compared),
                "decided": [self.decided] * len(names),
            }
        )

    def row_at(self, y: float) -> int | None:
        """The row at a height of the plot."""
        return int(y) if 0 <= y < len(self.targets) else None


def last_estimated(snapshot: Snapshot) -> Snapshot:
    """The snapshot, or the end of the last round before it in this subroutine if this one has no estimate yet."""
    if snapshot.state.estimated is not None or snapshot.state.idle is not None:
        return snapshot
    return last_round(snapshot) or snapshot


def gap_series(snapshot: Snapshot, order: str = GAP) -> GapSeries:
    """The deciding pairs of the round at the cursor, or of the previous one while this one has no estimate."""
    shown = last_estimated(snapshot)
    late = "" if shown is snapshot else "validation" if validates(snapshot) else "last"
    return _series_at(shown, order, late, snapshot.state.answer)


def _series_at(snapshot: Snapshot, order: str, late: str, answer: tuple[int | None, str]) -> GapSeries:
    state = snapshot.state
    survivors = before_elimination(state)
    marked = (snapshot.instance.best if snapshot.truth else None, answer[0], snapshot.selection.target)
    keep = np.flatnonzero(np.isin(survivors, [each for each in marked if each is not None]))
    fit = fit_of(snapshot, survivors)
    rule = width_rule(state, survivors) if fit is not None else None
    sign, width = rule or ("", constant(0.0))
    if fit is None:
        none = np.full(len(survivors), np.nan)
        found = Rivals(np.full(len(survivors), -1), none, none)
    else:
        found = nearest_rivals(fit, width, keep)
    rivals = np.where(found.rival >= 0, survivors[found.rival], -1)
    gaps, widths = found.gap.copy(), found.width.copy()
    leaves = gaps >= widths if rule else np.zeros(len(survivors), dtype=bool)
    event = state.eliminated
    if event is not None:  # decisions are shown as recorded
        at = np.searchsorted(survivors, event.targets)
        leaves = np.isin(survivors, event.targets)
        rivals[at], gaps[at], widths[at] = event.by, event.gaps, event.widths
    rows = _rows(gaps, widths, survivors, order, keep)
    places = {int(target): row for row, target in enumerate(survivors[rows])}
    best, recommended, selected = (None if each is None else places.get(each) for each in marked)
    few = len(survivors) <= MOST_ROWS  # with more, it is not known yet which are close to the decision
    named = survivors[rows] if len(rows) or not few else survivors
    return GapSeries(
        survivors[rows],
        rivals[rows],
        gaps[rows],
        widths[rows],
        leaves[rows],
        event is not None,
        len(survivors),
        sign,
        [(row + 0.5, short_name(snapshot.instance, int(target))) for row, target in enumerate(named)],
        best,
        recommended,
        answer[1],
        selected,
        f"estimated gap · line: width {sign}" if sign else "estimated gap",
        axis_label(snapshot.instance),
        _subtitle(snapshot, len(survivors), len(rows), leaves, sign, late) if len(rows) else (),
        "" if len(rows) else _placeholder(snapshot),
    )


def _rows(gaps: Floats, widths: Floats, survivors: Integers, order: str, keep: Integers) -> Integers:
    """Positions of the rows that are shown, from the top."""
    known = np.flatnonzero(np.isfinite(gaps))
    if len(known) > MOST_ROWS:
        distance = np.abs(gaps - widths)
        distance[keep] = -1.0  # marked rows are always shown
        known = known[np.argsort(distance[known], kind="stable")[:MOST_ROWS]]
    size = {GAP: gaps, MARGIN: gaps - widths, INDEX: survivors}[order]
    return known[np.lexsort((known, size[known]))]


# -- words --------------------------------------------------------------------------------------------------------


def gap_text(snapshot: Snapshot, series: GapSeries, y: float) -> str:
    """ "arm 4: gap 0.83 ≥ ω = 0.41 against arm 9: eliminated", or how far the gap is below the width."""
    row = series.row_at(y)
    if row is None:
        return ""
    gap, width = float(series.gaps[row]), float(series.widths[row])
    name = snapshot.instance.target_label(int(series.targets[row]))
    against = f"against {snapshot.instance.target_label(int(series.rivals[row]))}"
    if not series.rule and not series.decided:
        return f"{name}: gap {number(gap, 3)} {against}"
    sign = f"{series.rule} = " if series.rule else "width "
    leaves = bool(series.leaves[row])
    compared = f"{name}: gap {number(gap, 3)} {'≥' if leaves else '<'} {sign}{number(width, 3)} {against}"
    would = "" if series.decided else "would "
    if leaves:
        return f"{compared}: {'would be ' if would else ''}eliminated"
    return f"{compared}: {would}{'remain' if would else 'remains'}, {number(width - gap, 3)} short"


def _subtitle(snapshot: Snapshot, survivors: int, rows: int, leaves: np.ndarray, sign: str, late: str) -> Phrasings:
    state, kind = snapshot.state, snapshot.instance.target_kind
    place = subroutine_label(snapshot, snapshot.call_row) if state.subroutine else ""
    where = " ".join(filter(None, (place, f"k{number(state.round_place.k)}")))
    gone = int(leaves.sum())
    if state.eliminated is not None:
        leave: Phrasings = (f"{number(gone)} of {number(survivors)} eliminated", f"{number(gone)} eliminated", "")
    elif sign:
        leave = (f"{'at least ' if survivors > MOST_COMPARED else ''}{number(gone)} would be eliminated", "")
    else:
        leave = ("none eliminated", "")
    more = f"{number(rows)} {kind}s closest to the decision, and {number(survivors - rows)} more"
    before = {"last": "", "validation": "validation compares means · "}.get(late, "")
    return phrasings(
        (f"{before}{where}, the last estimate", f"{where}, the last estimate", f"last: {where}", "last")
        if late
        else where,
        leave,
        (more, f"{number(rows)} of {number(survivors)} {kind}s", "") if rows < survivors else "",
    )


def _placeholder(snapshot: Snapshot) -> str:
    state = snapshot.state
    if validates(snapshot):
        return "validation compares means; nothing is estimated"
    if state.idle is not None:
        return f"idle: {state.idle.why}"
    if state.estimated is not None:
        return "all survivors are equal in this dimension"
    if state.finished is not None:
        return "no round of the run has an estimate"
    return to_come(snapshot, "estimate")
