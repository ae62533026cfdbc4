"""The bounds of the theorems for a run's instance and the measured values, each with its conditions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gems_engine.algorithms import algorithm_title
from gems_engine.complexity.bounds import Bound
from gems_engine.complexity.run_theory import RunTheory, Side
from gems_engine.complexity.theory_query import TheoryQuery, query_of
from gems_engine.terminal import number, plural
from gems_gui.series.recommendation import trajectory
from gems_gui.series.sample_shares import percent
from gems_gui.series.table import Table, TextRow
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

BOUND, SENTENCE, FACT = "bound", "sentence", "fact"
"""Kinds of rows of the table."""
WAITING = "computing the bounds of the theorems …"
UNKNOWN = "the bounds depend on the mean rewards, which are not known"
HIDDEN = "the bounds depend on the truth, which is hidden"
_NAMES = {
    "pac-lower": "lower, with stopping",
    "pac-lower-everywhere": "lower, with stopping",
    "non-interactive-lower": "lower, fixed design",
    "fixed-confidence": "upper, ℓ⋆",
    "misspecified-best-arm": "upper, ℓ⋆",
    "misspecified-fixed-confidence": "upper, ℓ⋆",
    "fixed-budget": "error",
}
_SAYS = {
    "pac-lower": "on average, for every algorithm that stops: ρ⋆·log(1/2.4δ)",
    "pac-lower-everywhere": "on average, to stop and be right for every θ in Rᴰ: ρ⋆_D·log(1/2.4δ)",
    "non-interactive-lower": "for every fixed allocation with least squares: ½·ρ⋆·log(1/δ)",
    "fixed-confidence": "until the recommendation stays the best, with probability at least {level}",
    "misspecified-best-arm": "until the recommendation stays the best, with probability at least {level}",
    "misspecified-fixed-confidence": "until the recommendation stays within 2ε, with probability at least {level}",
    "fixed-budget": "that the best is not recommended when the budget is used up",
}


def question_of(snapshot: Snapshot) -> TheoryQuery | None:
    """The query at a snapshot; None before the run has started, and if the truth is hidden."""
    started = snapshot.state.started
    return None if started is None or not snapshot.truth else query_of(started, snapshot.instance)


# -- what is drawn --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """A bar on the log axis: a bound or a measured value; without a value, a note takes its place."""

    name: str
    role: str
    value: float | None
    holds: bool
    words: str
    note: Phrasings = ()
    """Why there is no bar, in phrasings from the longest to the shortest."""


@dataclass(frozen=True)
class TheoryRow(TextRow):
    """A row of the table: a bound with its value and the measured one, or a sentence about it, usually a condition."""

    kind: str
    holds: bool | None
    name: str
    promised: str
    measured: str
    whole: str
    """The full text."""

    @property
    def merged(self) -> bool:
        return self.kind == SENTENCE

    def texts(self) -> tuple[str, ...]:
        return "" if self.holds is None else "✓" if self.holds else "✗", self.name, self.promised, self.measured

    def tip(self, column: int) -> str:
        return self.whole if self.holds is None else f"{'holds' if self.holds else 'does not hold'}: {self.whole}"

    def role(self, column: int) -> str:
        if column == 0:
            return "chosen" if self.holds else "now"
        return "dim" if self.merged and self.holds is not False else ""

    def bold(self, column: int) -> bool:
        return self.kind == BOUND and column in (1, 2)


@dataclass(frozen=True, eq=False)
class TheorySeries:
    """What the view of the theory draws.

    Attributes
    ----------
    bars
        From the top: measured values, then bounds.
    rows
        Of the table: what is guaranteed to succeed, then each bound with its conditions.
    bounds
        The computed bounds with their sides.
    good
        B⋆, n⋆, ℓ⋆ and what they belong to, by name; empty if no theorem has them.
    x_label
        Label of the log axis.
    waits
        Whether the bounds are still being computed.
    placeholder
        Why the view is empty, if it is.
    """

    bars: tuple[Bar, ...]
    rows: tuple[TheoryRow, ...]
    bounds: tuple[tuple[Side, Bound], ...]
    good: dict[str, Any]
    samples: int
    tau: int | None
    right: bool | None
    x_label: str
    waits: bool
    subtitle: Phrasings
    placeholder: str

    def range(self) -> tuple[float, float]:
        """The range that contains all bars, in logarithms."""
        values = [bar.value for bar in self.bars if bar.value is not None and 0.0 < bar.value < np.inf]
        logs = np.log10(values) if values else np.zeros(1)
        low = float(np.floor(logs.min() - 0.5))
        if self.x_label == _SAMPLES:
            return min(low, 0.0), float(np.ceil(logs.max() + 0.1))
        return low, max(float(np.ceil(logs.max())), 0.0)  # no probability is above 1, but a bound may be

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each condition of each bound, for the measured values, and for the guaranteed subroutine."""
        columns = ("bound", "side", "value", "holds", "samples", "tau", "right", "condition", "condition_holds")
        good = tuple(self.good.get(name) for name in _GOOD)
        rows: list[tuple[Any, ...]] = []
        for side, bound in self.bounds:
            said = (bound.name, side, bound.value, bound.holds, self.samples, self.tau, self.right)
            rows += [(*said, each.sentence, each.holds, *good) for each in bound.conditions]
        return Table((*columns, *_GOOD), rows)


_NO_BOUND = {True: ("no bound: a condition fails", "no bound"), False: ("no bound",)}
_SAMPLES, _ERROR = "samples", "probability of an error"
_GOOD = ("rho_star", "B_star", "n_star", "i_star", "j_star", "ell_star", "guaranteed")


def theory_series(snapshot: Snapshot, theory: RunTheory | None) -> TheorySeries:
    """The theory of a run and its measurements at the cursor; None: not known yet, or hidden."""
    path = trajectory(snapshot)
    right = None if path.right is None or not len(path.right) else bool(path.right[-1])
    measured = snapshot.state.samples, path.tau, right
    if theory is None or theory.says:
        if snapshot.hides:
            why = HIDDEN
        elif not snapshot.truth:
            why = UNKNOWN
        elif snapshot.state.started is None:
            why = "before the run"
        else:
            why = WAITING if theory is None else theory.says
        waits = theory is None and snapshot.truth and snapshot.state.started is not None
        return TheorySeries((), (), (), {}, *measured, _SAMPLES, waits, (), why)
    error = theory.bounds[0][0] == "error"
    bars = (*_measured(snapshot, right, path.tau, error), *(_bar(side, bound) for side, bound in theory.bounds))
    rows = tuple(row for side, bound in theory.bounds for row in _rows(snapshot, side, bound, path.tau, right))
    return TheorySeries(
        bars,
        (*_facts(theory), *rows),
        theory.bounds,
        _good(theory),
        *measured,
        _ERROR if error else _SAMPLES,
        False,
        _subtitle(snapshot, theory),
        "",
    )


def _measured(snapshot: Snapshot, right: bool | None, tau: int | None, error: bool) -> list[Bar]:
    """The measured values of the run, as bars above the bounds."""
    samples = snapshot.state.samples
    if error:
        verdict = "right" if right else "wrong"
        words = f"this run: {_unjudged(snapshot)[0] if right is None else verdict}"
        name = "this run" if right is None else f"this run: {verdict}"
        note = _unjudged(snapshot) if right is None else ("✓ no error",) if right else ()
        return [Bar(name, _role(right), None if right in (None, True) else 1.0, True, words, note)]
    none = () if samples else phrasings("none yet")
    so_far = f"{plural(samples, 'sample')} so far"
    drawn = Bar("N so far", "chosen" if samples else "dim", float(samples) if samples else None, True, so_far, none)
    return [drawn, _tau(snapshot, right, tau)]


def _role(right: bool | None) -> str:
    return "dim" if right is None else "chosen" if right else "now"


def _unjudged(snapshot: Snapshot) -> Phrasings:
    """Why the recommendation is neither right nor wrong."""
    if snapshot.state.graded:
        return ("no recommendation yet", "none yet")
    return ("unknown: external rewards", "unknown")


def _tau(snapshot: Snapshot, right: bool | None, tau: int | None) -> Bar:
    """A bar if τ is positive; if it is 0 and if there is none, distinct texts."""
    if tau is None:
        if right is None:
            return Bar("τ", "dim", None, True, f"τ: {_unjudged(snapshot)[0]}", _unjudged(snapshot))
        wrong = f"✗ not right after {plural(snapshot.state.samples, 'sample')}"
        return Bar("τ", "now", None, True, "τ: the recommendation is wrong", (wrong, "✗ not right"))
    if tau == 0:
        first = ("✓ τ = 0: the first guess was right", "✓ τ = 0")
        return Bar("τ", "chosen", None, True, "τ = 0: the first guess was right", first)
    return Bar("τ", "chosen", float(tau), True, f"τ = {number(tau)}: right since then")


def _bar(side: Side, bound: Bound) -> Bar:
    role = {"lower": "dim", "upper": "surviving", "error": "surviving"}[side]
    words = bound.statement if bound.holds else f"{bound.statement} A condition fails: {' '.join(bound.failing)}"
    drawn = bound.value is not None and 0.0 < bound.value < np.inf
    note = () if drawn else _NO_BOUND[bool(bound.failing)] if bound.value is None else (number(bound.value),)
    return Bar(_NAMES.get(bound.name, bound.name), role, bound.value, bound.holds, words, note)


def _rows(snapshot: Snapshot, side: Side, bound: Bound, tau: int | None, right: bool | None) -> list[TheoryRow]:
    """A bound, then its conditions, those that fail first."""
    value = "none" if bound.value is None else number(float(f"{bound.value:.4g}"))
    sign = {"lower": "≥", "upper": "≤", "error": "≤"}[side]
    promised = f"{sign} {value}" if bound.value is not None else value
    if bound.says_nothing and bound.value is not None:
        promised += ", a vacuous bound"
    name, measured = _NAMES.get(bound.name, bound.name), _compared(snapshot, side, bound, tau, right)
    return [
        TheoryRow(BOUND, bound.holds, name, promised, measured, bound.statement),
        _sentence(None, _says(bound), bound.statement),
        *(_sentence(each.holds, each.sentence) for each in sorted(bound.conditions, key=lambda each: each.holds)),
    ]


def _says(bound: Bound) -> str:
    """A short text, with the proven probability."""
    says = _SAYS.get(bound.name, bound.statement)
    return says if bound.level is None else says.format(level=bound.level)


def _sentence(holds: bool | None, words: str, whole: str = "") -> TheoryRow:
    return TheoryRow(SENTENCE, holds, words, "", "", whole or words)


def _compared(snapshot: Snapshot, side: Side, bound: Bound, tau: int | None, right: bool | None) -> str:
    """The measured value of the run for a bound, up to the cursor."""
    samples = snapshot.state.samples
    if side == "error":
        return _unjudged(snapshot)[0] if right is None else "right" if right else "wrong"
    if side == "lower":
        return f"N = {number(samples)}"
    if tau is not None:
        part = f", {percent(100.0 * tau / bound.value)} of it" if bound.value else ""
        return f"τ = {number(tau)}{part}"
    if right is None:
        return _unjudged(snapshot)[0]
    late = bound.value is not None and samples > bound.value
    return f"not right at {number(samples)}{', beyond it' if late else ''}"


def _good(theory: RunTheory) -> dict[str, Any]:
    """B⋆, n⋆, ℓ⋆; for a fixed-budget run, the exponents of its own grid, which has no ℓ."""
    good = theory.good
    if good is None:
        return {}
    i, j = theory.place or (good.i_star, good.j_star)
    loop = None if theory.place is not None else good.ell_star
    values = (good.rho.value, good.B_star, good.n_star, i, j, loop, theory.promises)
    return dict(zip(_GOOD, values, strict=True))


def _facts(theory: RunTheory) -> list[TheoryRow]:
    """B⋆, n⋆ and ℓ⋆, and what they mean, in sentences short enough for a narrow card."""
    good = theory.good
    if good is None:
        return []
    if theory.place is not None:
        i, j = theory.place
        named = f"i⋆ = {i}, j⋆ = {j}"
        said = ["The proof relies on this call:", f"B = {number(2**i)} ≥ 64ρ⋆ and n = {number(2**j)} ≥ n⋆."]
    else:
        named = f"ℓ⋆ = {number(good.ell_star)}, n⋆ = {number(good.n_star)}"
        sure = "Guaranteed:" if theory.promises else "Not guaranteed, because a condition fails. It would be"
        said = [
            f"{sure} i = {good.j_star} from ℓ = {good.ell_star} on,",
            f"since n = {number(good.n)} ≥ n⋆ and B ≥ {number(good.B)} ≥ B⋆.",
        ]
    values = f"B⋆ = {number(float(f'{good.B_star:.4g}'))}" if theory.place is None else f"n⋆ = {number(good.n_star)}"
    unsure = "" if theory.promises else "A condition fails, so nothing is guaranteed here. If it were met: "
    whole = " ".join(said) if theory.place is not None else f"{unsure}{good.sentence}"
    fact = TheoryRow(FACT, theory.promises, named, values, "", whole)
    rho = number(float(f"{good.rho.value:.4g}"))
    complexity = TheoryRow(FACT, None, "complexity ρ⋆", rho, "", f"ρ⋆ = {rho}; all these bounds grow with it.")
    return [fact, *(_sentence(None, each, whole) for each in said), complexity]


def _subtitle(snapshot: Snapshot, theory: RunTheory) -> Phrasings:
    holding = sum(bound.holds for _, bound in theory.bounds)
    many = len(theory.bounds)
    started = snapshot.state.started
    name = algorithm_title(started.algorithm) if started is not None else ""
    return phrasings(
        (f"{number(holding)} of {number(many)} bounds apply", f"{number(holding)} of {number(many)} apply"),
        name,
        f"N = {number(snapshot.state.samples)}",
    )
