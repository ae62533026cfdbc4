"""The verdict on a finished run: right or wrong, which arm, since when, what it cost, and what theory promised.

It is computed from the columns of the history and the state at the end, without reading the events again.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING

import numpy as np

from gems_engine.events import ASKED, RETURNS_A_SET, SINGLE_CALLS, RunFinished
from gems_engine.history import History
from gems_engine.state import State
from gems_engine.terminal import THIN, mark, number, plural, superscript
from gems_engine.trace import Trace
from gems_engine.trajectory import trajectory_of
from gems_engine.wording import ORACLES, recorded_text, remaining

if TYPE_CHECKING:
    from gems_engine.complexity.bounds import Bound
    from gems_engine.complexity.run_theory import RunTheory, Side

MOST_TARGETS = 300
"""With more targets the theorems may take long: what they promised is shown only where it is asked for."""
_MOST = 3  # dimensions named
_LEAST = 0.01  # share of samples of one that is named
_UNKNOWN = 2**63 - 1  # a column that could not hold a number has this one


@dataclass(frozen=True)
class Verdict:
    """The result of a finished run.

    Attributes
    ----------
    target, name
        The arm that is judged: the recommendation, or the leader of the set that GEMS-c returns; None if there is none.
    correct
        Whether it is right; None if there is no such arm, or the rewards come from outside.
    tau
        τ; None if the last recommendation is wrong or cannot be judged.
    by_dimension
        (d, samples) of the rounds, from the lowest dimension, where 0 is a validation; empty if a number is too large
        to be exact.
    survivors, targets
        Targets that remain in the last call, and all.
    kind
        What a target is called: "arm" or "target".
    """

    algorithm: str
    target: int | None
    name: str
    correct: bool | None
    tau: int | None
    samples: int
    by_dimension: tuple[tuple[int, int], ...]
    survivors: int
    targets: int
    kind: str
    finish: str

    def headline(self, hide_truth: bool = False) -> str:
        """Right or wrong, which arm, and from which sample on: "✓ Right: x_9, from sample 1 204 on (τ)"."""
        returns_set = self.algorithm == RETURNS_A_SET
        there = remaining(self.survivors, self.targets, self.kind)
        if self.target is None:
            return there if returns_set else "No recommendation"
        found = f"{there}, leader {self.name}" if returns_set else self.name
        if self.correct is None or hide_truth:
            return found if returns_set else f"Recommends {found}"
        if not self.correct:
            return f"{mark(False)} Wrong: {found}"
        return f"{mark(True)} Right: {found}{self._since()}"

    def _since(self) -> str:
        if self.tau is None or self.algorithm in SINGLE_CALLS:
            return ""
        return f", from sample {number(self.tau)} on (τ)" if self.tau else ", from the start (τ = 0)"

    def cost(self, hide_truth: bool = False, brief: bool = False) -> str:
        """The samples, by dimension: "30 532 samples: 92 % in R⁹, 8 % in R¹⁰"; the dimension of an oracle is hidden.

        Parameters
        ----------
        brief
            Whether to name only the dimension with the most samples: "N = 30 532: 92 % in R⁹".
        """
        said = f"N = {number(self.samples)}" if brief else plural(self.samples, "sample")
        if not self.by_dimension or not self.samples or (hide_truth and self.algorithm in ORACLES):
            return said
        if len(self.by_dimension) == 1 and self.by_dimension[0][1] == self.samples:
            return f"{said} in {_space(self.by_dimension[0][0])}"
        some = [(d, drawn / self.samples) for d, drawn in self.by_dimension if drawn / self.samples >= _LEAST]
        largest = sorted(some, key=lambda each: (-each[1], each[0]))[: 1 if brief else _MOST]
        shares = [f"{min(round(100 * share), 99)}{THIN}% in {_space(d)}" for d, share in largest]
        more = ", …" if len(self.by_dimension) > len(largest) and not brief else ""
        return f"{said}: {', '.join(shares)}{more}"

    def parts(self, hide_truth: bool = False, promise: str = "") -> tuple[str, ...]:
        """The headline, the cost, what theory promised, as far as that is known, and why the run ended.

        Parameters
        ----------
        promise
            As :func:`promise_text` gives it; it depends on the truth.
        """
        shown = "" if hide_truth else promise
        ended = f"ended: {recorded_text(self.finish)}"
        return tuple(filter(None, (self.headline(hide_truth), self.cost(hide_truth), shown, ended)))

    def sentence(self, hide_truth: bool = False, promise: str = "") -> str:
        """The verdict in one line; see :meth:`parts`."""
        return " · ".join(self.parts(hide_truth, promise))


def verdict(history: History, state: State) -> Verdict | None:
    """The verdict at the end of a run; None at any other cursor."""
    end = state.finished
    if end is None:
        return None
    path = trajectory_of(history, state, state.graded)
    stopped = end.why == ASKED and state.single_call  # it would have recommended at its end
    target = int(path.targets[-1]) if len(path.targets) and not stopped else None
    tau = None if stopped else path.tau
    instance = history.trace.instance
    return Verdict(
        algorithm=state.algorithm,
        target=target,
        name="" if target is None else instance.target_label(target),
        correct=None if target is None or path.right is None else bool(path.right[-1]),
        tau=None if tau == _UNKNOWN else tau,
        samples=end.samples,
        by_dimension=_by_dimension(history, end),
        survivors=len(end.survivors),
        targets=len(instance.targets),
        kind=instance.target_kind,
        finish=end.why,
    )


def verdict_of(trace: Trace) -> Verdict | None:
    """The verdict on a recorded run; None if it has not ended."""
    return verdict(History(trace), trace.state_at(len(trace))) if trace.finished is not None else None


def promise_of(trace: Trace) -> str:
    """What theory promised about a recorded run; empty if nothing, and with more than `MOST_TARGETS` targets."""
    from gems_engine.complexity.theory_query import KNOWN, query_of  # brings the theorems, which few commands need

    started, instance = trace.started, trace.instance
    if started is None or not trace.state_at(len(trace)).graded or len(instance.targets) > MOST_TARGETS:
        return ""
    return promise_text(KNOWN.find(query_of(started, instance)))


def _by_dimension(history: History, end: RunFinished) -> tuple[tuple[int, int], ...]:
    """Samples of the rounds that were drawn or counted, by their dimension."""
    rounds = history.rounds
    counted = (rounds.pulled >= 0) | rounds.idle
    d, pulls = rounds.d[counted], rounds.pulls[counted]
    if end.samples >= _UNKNOWN or (len(pulls) and int(pulls.max()) == _UNKNOWN):
        return ()
    found = np.zeros(int(d.max()) + 1 if len(d) else 0, dtype=np.int64)
    np.add.at(found, d, pulls)
    shares = {int(each): int(found[each]) for each in np.flatnonzero(found)}
    if rest := end.samples - sum(shares.values()):
        shares = {0: rest, **shares}
    return tuple(shares.items())


def _space(d: int) -> str:
    return f"R{superscript(d)}" if d else "validation"


def promise_text(theory: RunTheory | None) -> str:
    """What the last theorem about a run promised; empty if there is none, or its conditions do not hold.

    Parameters
    ----------
    theory
        None if it is not known yet.
    """
    if theory is None or not theory.bounds:
        return ""
    side, bound = theory.bounds[-1]
    if not bound.holds or bound.says_nothing or bound.value is None:
        return ""
    return f"theory: {_promised(side, bound)}"


def _promised(side: Side, bound: Bound) -> str:
    value = number(_rounded(bound.value or 0.0, up=side != "lower"), 3)
    if side == "error":
        return f"error probability ≤ {value}"
    if side == "lower":
        if bound.name == "non-interactive-lower":
            return f"at least {value} samples for any fixed allocation"
        space = f" in R{superscript('D')}" if bound.name == "pac-lower-everywhere" else ""
        return f"on average ≥ {value} samples to stop{space} with probability ≥ 1 − δ of being right"
    level = "" if bound.level is None else f" with probability ≥ {bound.level}"
    return f"τ ≤ {value}{level}"


def _rounded(value: float, up: bool) -> float:
    """Three digits of a bound, in the direction in which it stays true."""
    context = Context(prec=3, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return float(context.create_decimal(repr(float(value))))
