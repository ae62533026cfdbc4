"""The results of the compared runs in a table, with the samples needed and their ratio to the fewest."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from gems_engine.state import State
from gems_engine.terminal import number
from gems_engine.wording import candidate_count
from gems_gui.series.race import found_text
from gems_gui.series.recommendation import trajectory
from gems_gui.series.side_by_side import Side, Sides, brief_names, sides_of
from gems_gui.series.table import Table, TextRow
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

TAU, SINCE = "τ", "since"


@dataclass(frozen=True)
class ResultRow(TextRow):
    """One run at the common number of samples.

    Attributes
    ----------
    recommended, right
        The target, None before the first; and whether it is right, None if that is hidden or there is none.
    since
        τ, None while the recommendation is wrong. While the truth is hidden, the samples after which the
        recommendation has not changed.
    ratio
        ``since`` as a multiple of the smallest one; ∞ if only that is 0, None if there is nothing to divide.
    columns, cells
        All of it as text, for the columns of the view.
    """

    side: Side = field(compare=False)
    recommended: int | None
    right: bool | None
    since: int | None
    ratio: float | None
    columns: tuple[str, ...]
    cells: tuple[str, ...]

    def texts(self) -> tuple[str, ...]:
        return self.cells

    def tip(self, column: int) -> str:
        said = (f"{name} {cell}" for name, cell in zip(self.columns[1:], self.cells[1:], strict=True) if cell)
        started = self.side.snapshot.trace.started
        id_ = "" if started is None else f"\nId: {started.algorithm}"
        return f"{self.side.label}: {', '.join(said)}; {self.side.standing}{id_}"

    def role(self, column: int) -> str:
        if column == 0:
            return f"run {self.side.color}"
        return "" if column != 1 or self.right is None else "chosen" if self.right else "now"


@dataclass(frozen=True, eq=False)
class ResultSeries:
    """The rows of the table, the shown run first."""

    sides: Sides
    columns: tuple[str, ...]
    rows: tuple[ResultRow, ...]
    subtitle: Phrasings

    def table(self, snapshot: Snapshot) -> Table:
        """The same as plain values."""
        truth = snapshot.truth
        names = ("run", "recommended", *(("right", "tau") if truth else ("since",)), "ratio", "samples", "d", "left")
        rows = []
        for row in self.rows:
            state = row.side.snapshot.state
            judged = (row.right, row.since) if truth else (row.since,)
            now = (state.samples, _dimension(row.side), len(state.survivors), row.side.standing, row.side.differs)
            rows.append((row.side.label, row.recommended, *judged, row.ratio, *now))
        return Table((*names, "standing", "differs"), rows)


def _dimension(side: Side) -> int | None:
    """The current d of a run; None if there is none, or it is hidden."""
    return None if side.snapshot.keeps_d else side.snapshot.state.d or None


def _fate(state: State, target: int) -> str:
    """The current state of a target."""
    if state.validates:
        return "candidate" if target in state.candidates else "no candidate"
    return "remains" if target in state.survivors else "eliminated"


def result_series(snapshot: Snapshot, until: str) -> ResultSeries:
    """The results at the common number of samples, or each at its own end."""
    sides = sides_of(snapshot, until)
    paths = [trajectory(side.snapshot) for side in sides.runs]
    sinces = [path.tau if snapshot.truth else int(path.samples[-1]) if len(path.samples) else None for path in paths]
    least = min((each for each in sinces if each is not None), default=0)
    target = snapshot.selection.target
    picked = () if target is None else (snapshot.instance.target_label(target),)
    differ = any(side.differs for side in sides.runs)
    columns = (
        "run",
        "recommends",
        TAU if snapshot.truth else SINCE,
        "ratio",
        "samples",
        "d",
        "remain",
        *picked,
        *(("differs",) if differ else ()),
    )
    rows = []
    for side, name, path, since in zip(sides.runs, brief_names(sides), paths, sinces, strict=True):
        state = side.snapshot.state
        ratio = (since / least if least else inf) if since and len(sides.runs) > 1 else None
        cells = (
            name,
            found_text(side.snapshot, path),
            number(since),
            "–" if ratio is None else f"× {number(ratio, 3)}",
            f"{number(state.samples)}{'' if state.finished is None else ' ■'}",
            str(_dimension(side) or "–"),
            candidate_count(len(state.candidates)) if state.validates else number(len(state.survivors)),
            *(() if target is None else (_fate(state, target),)),
            *((side.differs,) if differ else ()),
        )
        known = len(path.targets) > 0
        right = bool(path.right[-1]) if known and path.right is not None else None
        rows.append(ResultRow(side, int(path.targets[-1]) if known else None, right, since, ratio, columns, cells))
    return ResultSeries(sides, columns, tuple(rows), phrasings(*sides.subtitle()))
