"""Problems of a run: errors, and conditions of the theorems that do not hold, found event by event.

What repeats from round to round is reported once per subroutine, at its first occurrence.
"""

from __future__ import annotations

import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.assumptions import FOR_MISSPECIFIED_REWARDS, LINEAR
from gems_engine.blas import one_blas_thread
from gems_engine.complexity.bounds import linearity, rounding_condition
from gems_engine.design.information import Spectrum
from gems_engine.design.problem import EQUAL, DesignProblem, coordinate_scale, equal_groups
from gems_engine.errors import InputError
from gems_engine.events import (
    BEST_ARM,
    NO_DIMENSION_FITS,
    OUTSIDE,
    Allocated,
    DesignSolved,
    Eliminated,
    Event,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
    gap_of_bounds,
)
from gems_engine.formats.tables import Batch, Table, among
from gems_engine.instance import Instance
from gems_engine.rounding import SMALLEST_ZETA, Form
from gems_engine.terminal import number, plural, superscript
from gems_engine.trace import Trace

ILL_CONDITIONED = 1e10
"""The condition number of A(λ) on its range in R^d above which estimates lose five of their sixteen digits."""
_ILL_CONDITIONED = f"{ILL_CONDITIONED:.0e}".replace("+", "")
NEAR_ZERO = 1e-6
"""Two survivors are nearly equal if no feature differs by more than this fraction of its scale."""

_NONE: array[int] = array("q")
_LOST = "Widths that follow the pulls are larger; bounds on samples and on fixed budgets assume all rewards."

Severity = Literal["error", "warning", "note"]

KINDS: dict[str, tuple[Severity, str]] = {
    "best eliminated": ("error", "the true best arm is eliminated"),
    "below d⋆": ("warning", "a dimension below d⋆"),
    "uncertified design": ("warning", "a design without a certificate"),
    "rounding": ("warning", "rounding that cost more than 1 + ζ, or might have"),
    "lost rewards": ("warning", "rewards that were lost for good"),
    "ill-conditioned": ("warning", "an ill-conditioned A"),
    "badly scaled": ("warning", "badly scaled arms"),
    "near-zero direction": ("warning", "survivors that are nearly equal"),
    "zero direction": ("note", "survivors that are equal after truncation"),
    "no dimension fits": ("note", "no dimension fits"),
    "theorem": ("warning", "a condition of a theorem that does not hold"),
}
"""Kinds of problems, each with its severity and its words."""


@dataclass(frozen=True)
class Problem:
    """An error, or a condition of the theorems that does not hold.

    Attributes
    ----------
    event
        Index of the event at which it appears.
    kind
        One of :data:`KINDS`.
    truth
        Whether it reveals something about d⋆ or the best target.
    """

    event: int
    kind: str
    sentence: str
    truth: bool = False

    @property
    def severity(self) -> Severity:
        """Its severity: ``error``, ``warning`` or ``note``."""
        return KINDS[self.kind][0]


def problems(trace: Trace, upto: int | None = None, truth: bool = False) -> list[Problem]:
    """The problems of a run before a cursor, in the order of their events."""
    found = Problems(trace)
    found.update()
    return found.before(len(trace) if upto is None else upto, truth)


class Problems:
    """The problems of a trace; call :meth:`update` when the trace has grown.

    Its length is the number of problems found so far.

    Attributes
    ----------
    trace : Trace
    events : int
        The number of events examined.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.events = 0
        self._steps: Iterator[None] | None = None  # of an examination that goes on
        self._found: list[Problem] = []
        self._at: list[int] = []
        self._by_severity: dict[tuple[Severity, bool], array[int]] = {}  # events, and whether they reveal the truth
        self._reported: set[str] = set()  # kinds already reported for this subroutine
        self._there = np.ones(len(trace.instance.targets), dtype=bool)
        self._examined: set[tuple[int, bool]] = set()  # sorts of designs of these survivors, see _may_report_design
        self._zeta = 1.0
        self._conditions: dict[tuple[int, bytes], float] = {}
        self._twins: dict[tuple[int, bytes], _Twins] = {}

    def update(self, seconds: float | None = None) -> bool:
        """Examine what was recorded since the last call, for at most ``seconds``; True once all is examined."""
        until = None if seconds is None else time.perf_counter() + seconds
        while not self.complete:
            self._steps = self._steps or self._examine()
            for _ in self._steps:
                if until is not None and time.perf_counter() > until:
                    return self.complete
            self._steps = None
        return True

    def _examine(self) -> Iterator[None]:
        """Examine what is recorded now, one event that may have a problem or one batch in each step."""
        for batch in self.trace.batches(self.events, len(self.trace)):
            start = self.events
            for at, table, row in self._worth_a_look(batch):
                self.events = start + at
                _LOOKS[table.kind](self, table.event(row))
                self.events += 1
                yield
            self.events = start + len(batch)
            yield

    def _worth_a_look(self, batch: Batch) -> Iterator[tuple[int, Table, int]]:
        """The events that may have something to report: the position, the table and the row of each, in order."""
        rows = dict.fromkeys(_LOOKS, -1)
        for at in np.flatnonzero(_EXAMINED[batch.kinds]).tolist():
            kind = batch.kind(at)
            rows[kind] = row = rows[kind] + 1
            table = batch.table(kind)
            if kind not in _MAY_REPORT or _MAY_REPORT[kind](self, table, row):
                yield at, table, row

    def __len__(self) -> int:
        return len(self._found)

    @property
    def complete(self) -> bool:
        """Whether all recorded events were examined."""
        return self.events == len(self.trace)

    def before(self, cursor: int, truth: bool = False) -> list[Problem]:
        """The problems before a cursor; without the truth, only those that do not reveal it."""
        return self.between(0, cursor, truth)

    def at(self, event: int, truth: bool = False) -> list[Problem]:
        """The problems at an event."""
        return self.between(event, event + 1, truth)

    def positions(self, severity: Severity, truth: bool = False) -> Integers:
        """The events with a problem of this severity, in order."""
        listed = (False, True) if truth else (False,)
        found = [self._by_severity.get((severity, reveals), _NONE) for reveals in listed]
        return frozen(np.unique(np.concatenate([np.array(each, dtype=np.int64) for each in found])), np.int64)

    def between(self, start: int, end: int, truth: bool = False) -> list[Problem]:
        """The problems from one event up to another, the latter excluded."""
        some = self._found[bisect_left(self._at, start) : bisect_left(self._at, end)]
        return [each for each in some if truth or not each.truth]

    def _report(self, kind: str, sentence: str, truth: bool = False) -> None:
        self._found.append(Problem(self.events, kind, sentence, truth))
        self._at.append(self.events)
        self._by_severity.setdefault((KINDS[kind][0], truth), array("q")).append(self.events)

    def _say_once(self, kind: str, sentence: str, truth: bool = False) -> None:
        """Report a problem unless this subroutine has had it already."""
        if kind not in self._reported:
            self._reported.add(kind)
            self._report(kind, sentence, truth)

    # -- the events ---------------------------------------------------------------------------------------------

    @one_blas_thread()
    def _started(self, event: RunStarted) -> None:
        zeta = event.parameters.get("zeta")
        if isinstance(zeta, int | float) and zeta >= SMALLEST_ZETA:
            self._zeta = float(zeta)
        if warning := _scaling(self.trace.instance):
            self._report("badly scaled", warning)
        for sentence, truth in _unmet(self.trace, event, self._zeta):
            self._report("theorem", sentence, truth)

    def _subroutine_started(self, event: SubroutineStarted) -> None:
        self._reported.clear()
        self._there[:] = True
        self._examined.clear()

    def _may_report_design(self, table: Table, row: int) -> bool:
        """Whether a design is uncertified, or the first of its sort.

        Except for its certificate, what is reported of a design depends on d, on whether its value is 0, and on the
        survivors; and it is reported only once for a subroutine.
        """
        values = table.values
        sort = values["d"][row], bool(values["value"][row] == 0.0)
        if sort not in self._examined:
            self._examined.add(sort)
            return True
        if "uncertified design" in self._reported:
            return False
        value, lower, upper = (float(values[name][row]) for name in ("value", "lower_bound", "upper_bound"))
        return gap_of_bounds(value, lower, upper) > float(values["tolerance"][row])

    @one_blas_thread()
    def _solved(self, event: DesignSolved) -> None:
        d, k, instance = event.d, event.place.k, self.trace.instance
        d_star = instance.d_star if instance.has_rewards and "below d⋆" not in self._reported else None
        if d_star is not None and d < d_star:
            words = f"Round {k} works in R{superscript(d)}, below d⋆ = {d_star}: the rewards are not linear there."
            self._say_once("below d⋆", words, truth=True)
        gap = event.gap
        if gap > event.tolerance:
            known = (
                f"may be {number(100.0 * gap, 3)} % above the optimum" if np.isfinite(gap) else "has no proven bound"
            )
            asked = f"({event.status}, tolerance {number(event.tolerance, 2)})"
            self._say_once("uncertified design", f"The design of round {k} in R{superscript(d)} {known} {asked}.")
        if event.value == 0.0:  # all survivors are equal: A is not used
            self._look_for_twins(event)
            return
        if "ill-conditioned" not in self._reported:
            condition = self._condition(event)
            if condition > ILL_CONDITIONED:
                words = f"A(λ) of round {k} in R{superscript(d)} has a condition number of {number(condition, 2)}"
                self._say_once("ill-conditioned", f"{words}, above {_ILL_CONDITIONED}: estimates lose digits.")
        self._look_for_twins(event)

    def _condition(self, event: DesignSolved) -> float:
        key = event.d, self._there.tobytes()
        if key not in self._conditions:
            weights = np.zeros(len(self.trace.instance.arms))
            weights[event.support] = event.weights
            self._conditions[key] = Spectrum.of(self.trace.instance.arms[:, : event.d], weights).condition
        return self._conditions[key]

    def _look_for_twins(self, event: DesignSolved) -> None:
        if {"zero direction", "near-zero direction"} <= self._reported:
            return
        instance, d, k = self.trace.instance, event.d, event.place.k
        key = d, self._there.tobytes()
        survivors = np.flatnonzero(self._there)
        if key not in self._twins:
            self._twins[key] = _twins(instance.targets[survivors, :d])
        twins = self._twins[key]

        def pair(positions: tuple[int, int]) -> str:
            one, other = (instance.target_label(int(survivors[each])) for each in positions)
            return f"{one} and {other}"

        if twins.equal is not None:
            words = f"In round {k}, {number(twins.equals)} of {number(len(survivors))} survivors equal another one in "
            words += f"R{superscript(d)}, for example {pair(twins.equal)}: no pull can tell them apart there."
            self._say_once("zero direction", words)
        if twins.near is not None:
            words = (
                f"In round {k}, {pair(twins.near)} differ by at most {number(twins.apart, 2)} of the features' scale "
            )
            self._say_once(
                "near-zero direction",
                f"{words}in R{superscript(d)}: their direction is nearly 0 and costly to resolve.",
            )

    def _may_report_allocation(self, table: Table, row: int) -> bool:
        values = table.values
        return not values["guaranteed"][row] or bool(values["factor"][row] > 1.0 + self._zeta)

    def _allocated(self, event: Allocated) -> None:
        limit, k = 1.0 + self._zeta, event.place.k
        if not event.d:
            return
        if event.lost:
            lost = f"{number(event.lost)} of {plural(event.total + event.lost, 'reward')} of round {k} were lost"
            self._report("lost rewards", f"{lost}: its estimate uses the other {number(event.total)}. {_LOST}")
            return
        factor = number(event.factor)
        if event.factor > limit * (1.0 + 1e-9):
            words = f"Rounding in round {k} cost a factor of {factor}, above 1 + ζ = {number(limit)}"
            pulls = f"{number(int(event.counts.sum()))} pulls are too few for its support"
            self._say_once("rounding", f"{words}: {pulls}, and widths are larger than the theorems assume.")
        elif not event.guaranteed:
            words = f"Rounding in round {k} is not guaranteed to cost at most 1 + ζ = {number(limit)}"
            self._say_once("rounding", f"{words}: it cost {factor} here, and N is small for its support.")

    def _may_report_elimination(self, table: Table, row: int) -> bool:
        return table.lengths["targets"][row] > 0

    def _eliminated(self, event: Eliminated) -> None:
        self._there[event.targets] = False
        self._examined.clear()
        instance, started = self.trace.instance, self.trace.started
        if started is not None and started.rewards == OUTSIDE:
            return
        for at in np.flatnonzero(instance.gaps[event.targets] == 0.0).tolist():
            best, by = (instance.target_label(int(each[at])) for each in (event.targets, event.by))
            gap, width = number(float(event.gaps[at]), 3), number(float(event.widths[at]), 3)
            words = f"The true best, {best}, is eliminated in round {event.place.k} by {by}: {gap} ≥ {width}."
            self._report("best eliminated", words, truth=True)

    def _ended(self, event: SubroutineFinished) -> None:
        if event.why == NO_DIMENSION_FITS:
            survivors = plural(len(event.survivors), "survivor")
            self._report("no dimension fits", f"Not even d = 1 fits, so the call ends with {survivors}.")


_LOOKS: dict[type[Event], Callable[[Problems, Any], None]] = {
    RunStarted: Problems._started,
    SubroutineStarted: Problems._subroutine_started,
    DesignSolved: Problems._solved,
    Allocated: Problems._allocated,
    Eliminated: Problems._eliminated,
    SubroutineFinished: Problems._ended,
}
_EXAMINED = among(*_LOOKS)
_MAY_REPORT: dict[type[Event], Callable[[Problems, Table, int], bool]] = {
    DesignSolved: Problems._may_report_design,
    Allocated: Problems._may_report_allocation,
    Eliminated: Problems._may_report_elimination,
}
"""Of most events the columns tell that there is nothing to report."""


# -- survivors that agree -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Twins:
    """Equal rows, their number, and two nearly equal rows with their distance."""

    equal: tuple[int, int] | None
    equals: int
    near: tuple[int, int] | None
    apart: float


def _twins(rows: Floats) -> _Twins:
    group = equal_groups(rows)
    again = np.flatnonzero(group != np.arange(len(rows)))
    equal = (int(group[again[0]]), int(again[0])) if len(again) else None
    equals = int(np.isin(group, group[again]).sum())
    near, apart = _nearest(rows, np.unique(group))
    return _Twins(equal, equals, near, apart)


def _nearest(rows: Floats, some: np.ndarray) -> tuple[tuple[int, int] | None, float]:
    """The two closest of these rows whose coordinates differ by at most NEAR_ZERO of their scale."""
    scaled = rows[some] / coordinate_scale(rows)
    line = 0.5 + (np.arange(1, rows.shape[1] + 1) * 0.6180339887498949) % 1.0
    position = scaled @ line
    order = np.argsort(position, kind="stable")
    position, scaled = position[order], scaled[order]
    best: tuple[int, int] | None = None
    apart = NEAR_ZERO
    for step in range(1, len(order)):  # nearly equal rows are close on any line
        close = np.flatnonzero(position[step:] - position[:-step] <= NEAR_ZERO * line.sum())
        if not len(close):
            break
        distance = np.abs(scaled[close + step] - scaled[close]).max(axis=1)
        nearest = int(distance.argmin())
        if EQUAL < distance[nearest] <= apart:
            apart = float(distance[nearest])
            one, other = sorted((int(some[order[close[nearest]]]), int(some[order[close[nearest] + step]])))
            best = one, other
    return best, apart


# -- theorems -----------------------------------------------------------------------------------------------------

_ABOUT_THE_TRUTH = ("differences-span", "gaps", "unique-best")


def _scaling(instance: Instance) -> str:
    """The warning of the design problem of all targets about the scale of the arms."""
    try:
        problem = DesignProblem(instance.arms, targets=instance.targets)
        return problem.warning_with(instance.arm_label, instance.feature_label)
    except InputError:  # a direction is outside the span of the arms: the run reports it
        return ""


def _unmet(trace: Trace, started: RunStarted, zeta: float) -> list[tuple[str, bool]]:
    """The cheaply checked conditions that do not hold, each with whether it reveals the truth."""
    instance = trace.instance
    outside = started.rewards == OUTSIDE  # then the true rewards are not known
    found = []
    for each in instance.assumptions():
        about_truth = each.name in _ABOUT_THE_TRUTH
        if each.holds or each.name == LINEAR or (outside and (about_truth or each.name == "noise")):
            continue
        if each.name != "unique-best" or started.goal == BEST_ARM:
            found.append((f"{each.statement} {each.consequence}", about_truth))
    form: Form = "linear" if started.parameters.get("rounding") == "linear" else "quadratic"
    rounding = rounding_condition(instance.D, zeta, form)
    if not rounding.holds:
        found.append((rounding.sentence, False))
    allowed = started.algorithm in FOR_MISSPECIFIED_REWARDS
    if not allowed and not outside and not (linear := linearity(instance)).holds:
        found.append((linear.sentence, True))
    return found
