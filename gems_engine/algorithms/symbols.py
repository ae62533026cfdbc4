"""The paper's symbols: their meanings, and their values at a cursor.

This is the only table of them. A value is shown only if the events up to the cursor determine it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, ldexp
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gems_engine.events import (
    ASKED,
    BUDGET_SPENT,
    CAP,
    LAST_LOOP,
    NO_DIMENSION_FITS,
    NOTHING_TO_TELL_APART,
    ROUNDS_DONE,
    SINGLETON,
    VERIFIED,
    CandidateKept,
    Event,
    SubroutineStarted,
)
from gems_engine.state import CARRIED, FIRST_GUESS, State
from gems_engine.terminal import number, short_number
from gems_engine.trace import Trace
from gems_engine.wording import ORACLES, vector_ends

if TYPE_CHECKING:
    from gems_engine.algorithms.pseudocode import Line

Value = int | float | str
"""The value of a symbol: a number or a text."""


class Numbers(str):
    """A text with a number for each pair of braces in a pattern, such as an interval."""

    _pattern: str
    _values: tuple[float, ...]

    def __new__(cls, pattern: str, *values: float, digits: int = 4) -> Self:
        made = super().__new__(cls, pattern.format(*(number(each, digits) for each in values)))
        made._pattern, made._values = pattern, values
        return made

    def rounded(self, digits: int) -> str:
        """The text with fewer digits."""
        return self._pattern.format(*(short_number(each, digits) for each in self._values))


ENDS = {
    SINGLETON: "one target remains",
    ROUNDS_DONE: "all rounds are done",
    NO_DIMENSION_FITS: "no dimension fits",
    NOTHING_TO_TELL_APART: "nothing to tell apart",
    CAP: "the sample cap is reached",
    LAST_LOOP: "the last loop is done",
    BUDGET_SPENT: "the budget is spent",
    VERIFIED: "it is verifiable",
    ASKED: "stopped",
}
"""Why a call or a run ended, in words."""
_COORDINATES = 2  # of θ̂_k shown


@dataclass(frozen=True)
class Known:
    """What is known at a cursor.

    Attributes
    ----------
    trace, state
        The run, and its state at the cursor; nothing after the cursor is used.
    truth
        Whether d⋆ may be shown.
    line
        The line that a value is shown at.
    alone
        Whether its listing is the whole run.
    """

    trace: Trace
    state: State
    truth: bool
    line: Line
    alone: bool = True

    def says(self, event: Event | None) -> bool:
        """Whether an event belongs to the line."""
        return self.line.says(event, self.alone)

    def parameter(self, name: str) -> Any:
        """A parameter of the run, None if it has no such parameter."""
        return self.state.started.parameters.get(name) if self.state.started else None

    def of_call(self, read: Callable[[SubroutineStarted], Value], name: str) -> Value | None:
        """A parameter of the current call; before it starts, the run's parameter of that name."""
        call = self.state.subroutine
        found: Value | None = self.parameter(name) if call is None else read(call)
        return found

    def label(self, target: int | None) -> str | None:
        """The label of a target."""
        return None if target is None else self.trace.instance.target_label(target)

    @property
    def hides_d(self) -> bool:
        """Whether the dimension is kept secret: that of an oracle is d⋆, and the truth is hidden."""
        return not self.truth and self.state.algorithm in ORACLES

    @property
    def k(self) -> int | None:
        """The round."""
        return self.state.round_place.k or None

    @property
    def B(self) -> float | None:
        """The selection budget that the round chose by, or would choose by: another one may be forced in a call."""
        B: float | None = self.of_call(lambda _: self.state.selection_budget, "selection_budget")  # type: ignore[assignment]
        return B

    @property
    def top(self) -> int | None:
        """The largest dimension that OPT may choose: D, or D̃ in GEMS-b."""
        state = self.state
        if state.subroutine is None or state.subroutine.name != "gems-b":
            return self.trace.instance.D
        return state.top_dimension.top if state.top_dimension is not None else None

    @property
    def theta(self) -> str | None:
        """The first and the last coordinate of θ̂_k."""
        theta = self.state.theta
        if theta is None or self.hides_d:
            return None
        pattern, values = vector_ends(theta, _COORDINATES)
        return Numbers(pattern, *values, digits=3)

    @property
    def widths(self) -> Value | None:
        """ω of the pairs that eliminated in this round."""
        eliminated = self.state.eliminated
        if eliminated is None or not len(eliminated.widths):
            return None
        low, high = float(eliminated.widths.min()), float(eliminated.widths.max())
        return low if number(low) == number(high) else Numbers("{} … {}", low, high)

    @property
    def recommended(self) -> str | None:
        """The recommended target, at the line that recommends it, and at the last line once the run is over.

        It is marked as a first guess, or if it was carried over from an earlier subroutine, since the current one may
        have eliminated it.
        """
        state = self.state
        label = self.label(state.recommendation)
        if label is None or not (self.says(state.recommended) or self.says(state.finished)):
            return None
        return f"{label}, {state.origin}" if state.origin in (FIRST_GUESS, CARRIED) else label

    @property
    def returned(self) -> str | None:
        """The target that the last call of a strategy has returned, until the next one starts."""
        cursor = self.state.cursor
        kept = self.trace.positions(CandidateKept)
        before = int(np.searchsorted(kept, cursor))
        started = int(np.searchsorted(self.trace.subroutine_starts, cursor))
        if not (before and started) or kept[before - 1] < self.trace.subroutine_starts[started - 1]:
            return None
        return self.label(self.trace[int(kept[before - 1])].target)  # type: ignore[attr-defined]

    @property
    def ended(self) -> str | None:
        """Why the run or the call ended, at the line that ends it."""
        for each in (self.state.finished, self.state.subroutine_finished):
            if each is not None and self.says(each):
                return ENDS.get(each.why, each.why)
        return None

    @property
    def samples(self) -> int | None:
        """All samples so far, once this round has drawn."""
        return self.state.samples if self.state.pulled is not None else None

    # -- OPT ----------------------------------------------------------------------------------------------------

    @property
    def largest_that_fits(self) -> int:
        """The largest dimension known to fit, 0 if there is none yet."""
        return max((each.d for each in self.state.probes if each.fits), default=0)

    @property
    def smallest_that_does_not(self) -> int | None:
        """The smallest dimension known not to fit, D + 1 if there is none yet."""
        over = [each.d for each in self.state.probes if not each.fits]
        return min(over) if over else None if self.top is None else self.top + 1

    @property
    def probed_cost(self) -> str | None:
        """The bounds on g(d) of the last probe."""
        if not self.state.probes or self.k is None:
            return None
        probe = self.state.probes[-1]
        low, high = (max(_scaled(self.k, bound), probe.rounding_samples) for bound in (probe.lower, probe.upper))
        return Numbers("[{}, {})" if high == inf else "[{}, {}]", low, high)


def _scaled(k: int, iota: float) -> float:
    try:
        return ldexp(iota, 2 * k)
    except OverflowError:
        return inf


@dataclass(frozen=True)
class Symbol:
    """A symbol of the paper.

    Attributes
    ----------
    means
        Its definition: a sentence without a full stop.
    value
        Computes its value, None while that is not known; None for a symbol without a single value.
    """

    means: str
    value: Callable[[Known], Value | None] | None = None


SYMBOLS: dict[str, Symbol] = {
    # the instance
    "𝒵": Symbol("the targets, of which the best one is to be found; often the arms themselves"),
    "|𝒵|": Symbol("the number of targets", lambda at: at.state.targets),
    "z": Symbol("a target"),
    "z′": Symbol("another target, which may eliminate z"),
    "z_⋆": Symbol("the best target"),
    "x_i": Symbol("the arm of the i-th pull"),
    "x_1": Symbol("the arm of the first pull"),
    "x_{N_k}": Symbol("the arm of the last pull of round k"),
    "i": Symbol("counts the pulls of a round"),
    "r_i": Symbol("the reward of the i-th pull"),
    "r_1": Symbol("the reward of the first pull"),
    "r_{N_k}": Symbol("the reward of the last pull of round k"),
    "d": Symbol("a dimension: the number of leading features used"),
    "D": Symbol("the ambient dimension: all features", lambda at: at.trace.instance.D),
    "d_⋆": Symbol(
        "the smallest dimension in which the rewards are linear; an oracle is told it",
        lambda at: None if at.hides_d else at.state.d or None,
    ),
    "ψ_d": Symbol("ψ_d(x) are the first d features of x"),
    "ψ_{d_k}": Symbol("ψ_{d_k}(x) are the first d_k features of x"),
    # parameters of a run or a call
    "δ": Symbol("the allowed probability of an error", lambda at: at.of_call(lambda call: call.delta, "delta")),
    "ε": Symbol("the goal: any arm within 2ε of the best is right", lambda at: at.parameter("epsilon")),
    "ζ": Symbol("rounding to whole pulls may cost a factor 1 + ζ", lambda at: at.parameter("zeta")),
    "β": Symbol("the base of the schedule; 2 in the paper's pseudo-code", lambda at: at.parameter("base")),
    "n": Symbol("the largest number of rounds of the call", lambda at: at.of_call(lambda call: call.rounds, "rounds")),
    "B": Symbol("the selection budget: d_k is the largest dimension whose cost is at most B", lambda at: at.B),
    # a round
    "k": Symbol("the round", lambda at: at.k),
    "δ_k": Symbol(
        "the share of δ for round k: δ/k²",
        lambda at: at.state.subroutine.delta / at.k**2 if at.state.subroutine and at.k else None,
    ),
    "Ŝ_1": Symbol("the targets that remain in round 1: all of them"),
    "Ŝ_k": Symbol("the targets that remain in round k"),
    "|Ŝ_k|": Symbol(
        "the number of targets that remain in round k",
        lambda at: len(at.state.survivors) + len(at.state.eliminated_now) if at.k else None,
    ),
    "Ŝ_{k+1}": Symbol("the targets that remain after round k"),
    "|Ŝ_{k+1}|": Symbol(
        "the number of targets that remain after round k",
        lambda at: at.state.eliminated.left if at.state.eliminated else None,
    ),
    "Ŝ_{n+1}": Symbol("the targets that remain at the end"),
    "|Ŝ_{n+1}|": Symbol(
        "the number of targets that remain at the end",
        lambda at: len(at.state.survivors) if at.state.subroutine_finished else None,
    ),
    "g_k": Symbol("g_k(d) is the cost of dimension d in round k"),
    "g_k(d_k)": Symbol(
        "the cost of the chosen dimension",
        lambda at: at.state.design.cost if at.state.design and not at.hides_d else None,
    ),
    "d_k": Symbol(
        "the dimension of round k: the largest one that fits the selection budget", lambda at: at.state.d or None
    ),
    "ι": Symbol(
        "the value of the optimal design: the largest squared norm of a difference of two targets",
        lambda at: at.state.design.value if at.state.design and not at.hides_d else None,
    ),
    "𝒴": Symbol("𝒴(S) are the differences of all pairs in S"),
    "r_d(ζ)": Symbol("pulls needed for rounding in R^d: (d² + d + 2)/ζ, or 180·d/ζ²"),
    "λ": Symbol("a design: a weight for every arm; the weights sum to 1"),
    "λ_k": Symbol("the optimal design of round k"),
    "|supp λ_k|": Symbol(
        "the number of arms with positive weight in the design",
        lambda at: len(at.state.design.support) if at.state.design and not at.hides_d else None,
    ),
    "A_{d_k}(λ)": Symbol("Σ λ_x ψ_{d_k}(x) ψ_{d_k}(x)^⊤: the information of the design about each direction"),
    "N_k": Symbol("pulls of round k", lambda at: at.state.allocation.total if at.state.allocation else None),
    "OPT": Symbol("the largest dimension whose cost is within the budget"),
    "ROUND": Symbol("turns weights into whole pulls, at a loss of at most a factor 1 + ζ"),
    "A_k": Symbol("Σ ψ_{d_k}(x_i) ψ_{d_k}(x_i)^⊤ over the pulls of round k"),
    "b_k": Symbol("Σ ψ_{d_k}(x_i) r_i over the pulls of round k"),
    "θ̂_k": Symbol("the least-squares estimate of round k, in R^{d_k}", lambda at: at.theta),
    "ω(z′, z)": Symbol(
        "the width that the estimated gap of z′ over z must reach to eliminate z; shown for the pairs that decided an "
        "elimination in this round, from the smallest to the largest",
        lambda at: at.widths,
    ),
    "2^{−k}": Symbol(
        "the width that an estimated gap must reach in round k", lambda at: ldexp(1.0, -at.k) if at.k else None
    ),
    "ẑ_⋆": Symbol("the recommended target", lambda at: at.recommended),
    # words
    "samples": Symbol("all samples so far", lambda at: at.samples),
    "eliminated": Symbol(
        "the number of targets that this round eliminated",
        lambda at: len(at.state.eliminated.targets) if at.state.eliminated else None,
    ),
    "idle": Symbol(
        "rounds that are counted but change nothing",
        lambda at: Numbers("{} … {}", at.state.idle.first, at.state.idle.last) if at.state.idle else None,
    ),
    "ended": Symbol("why it ended", lambda at: at.ended),
}
"""The meaning of every symbol, by its spelling."""
