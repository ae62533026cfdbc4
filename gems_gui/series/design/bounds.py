"""The bounds of a design over iterations or time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.design import relative_gap
from gems_engine.terminal import number, plural
from gems_gui.design_study import DesignEntry, Study
from gems_gui.series.table import Table
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

ITERATIONS, TIME = "iterations", "time"
BOUNDS, GAP = "bounds", "gap"


@dataclass(frozen=True, eq=False)
class Course:
    """The progress of a solver: iterations or milliseconds, its own bounds, and the gap between them."""

    words: str
    x: Floats
    upper: Floats
    lower: Floats
    gap: Floats


@dataclass(frozen=True, eq=False)
class BoundSeries:
    """The progress of a study's solved designs, the main one first; custom weights have none."""

    courses: list[Course]
    bound: float
    tolerance: float
    axis: str
    subtitle: Phrasings
    placeholder = ""

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each iteration of each design; with the time only if it is drawn."""
        timed = self.axis != ITERATIONS
        rows = []
        for course in self.courses:
            for at, (x, upper, lower) in enumerate(zip(course.x, course.upper, course.lower, strict=True)):
                rows.append((course.words, at, *((float(x),) if timed else ()), float(upper), float(lower)))
        return Table(("design", "iteration", *((self.axis,) if timed else ()), "upper", "lower"), rows)


def bound_series(study: Study, axis: str) -> BoundSeries:
    """The progress of the solvers of a study's designs."""
    solved = [each for each in (study.solved, study.compared, study.reference) if each is not None]
    courses = [_course(each, axis) for each in solved]
    return BoundSeries(
        courses,
        study.bound,
        study.solved.tolerance,
        "iterations" if axis == ITERATIONS else "milliseconds",
        phrasings(*(_words(each, axis) for each in solved)),
    )


def _course(entry: DesignEntry, axis: str) -> Course:
    design = entry.design
    assert design is not None
    upper, lower = design.history[:, 0], design.history[:, 1]
    x = np.arange(len(upper), dtype=float) if axis == ITERATIONS else 1e3 * design.seconds
    pairs = zip(upper.tolist(), lower.tolist(), strict=True)
    gap = np.array([max(0.0, relative_gap(high, low)) for high, low in pairs])
    return Course(entry.label, x, upper, lower, gap)


def _words(entry: DesignEntry, axis: str) -> Phrasings:
    design = entry.design
    assert design is not None
    steps = plural(design.iterations, "iteration")
    taken = steps if axis == ITERATIONS else f"{number(1e3 * float(design.seconds[-1]), 3)} ms"
    status = "" if entry.label.startswith(design.status) else f"{design.status}, "
    return f"{entry.label}: {status}{taken}", f"{entry.label}: {taken}", f"{taken}"


def bound_text(series: BoundSeries, x: float) -> str:
    """The bounds of every design at a position."""
    lines = []
    for course in series.courses:
        at = int(np.searchsorted(course.x, x, side="right")) - 1
        if series.axis == ITERATIONS:
            at = round(x)
        if not 0 <= at < len(course.x):
            continue
        where = f"iteration {at}" if series.axis == ITERATIONS else f"{number(float(course.x[at]), 3)} ms"
        low, high = number(float(course.lower[at]), 6), number(float(course.upper[at]), 6)
        lines.append(f"{course.words}, {where}: {low} ≤ optimum ≤ {high}, own gap {number(float(course.gap[at]), 2)}")
    return "\n".join(lines)
