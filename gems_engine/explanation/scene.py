"""What an explanation may look at: a run up to a cursor, and whether the truth may be told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gems_engine.arrays import Integers
from gems_engine.design import DesignProblem
from gems_engine.elimination import Fit
from gems_engine.explanation.round import before_elimination, fitted, round_problem
from gems_engine.explanation.text import escape_markup
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.rounding import SMALLEST_ZETA, Form, rounding_samples
from gems_engine.state import State
from gems_engine.terminal import number
from gems_engine.wording import ORACLES


@dataclass(frozen=True, eq=False)
class Scene:
    """A moment of a run; nothing after its cursor is looked at.

    Attributes
    ----------
    history
        Of the trace; it may know more than the cursor allows.
    state
        That at the cursor.
    truth
        Whether d⋆, the best target and what follows from them may be told.
    target
        The one that the user points at.
    """

    history: History
    state: State
    truth: bool = False
    target: int | None = None

    @property
    def instance(self) -> Instance:
        """What is run on."""
        return self.history.trace.instance

    @property
    def parameters(self) -> dict[str, Any]:
        """Of the run."""
        return self.state.started.parameters if self.state.started else {}

    @property
    def algorithm(self) -> str:
        """The name of the whole run's algorithm."""
        return self.state.algorithm

    @property
    def judges(self) -> bool:
        """Whether answers may be judged: the truth is shown, and it is the instance's rewards that were drawn."""
        return self.truth and self.state.graded

    @property
    def keeps_d(self) -> bool:
        """Whether the dimension may not be named: that of an oracle is d⋆, and the truth is hidden."""
        return not self.truth and self.algorithm in ORACLES

    def space(self, d: int) -> str:
        """R^d, by its number where that may be named."""
        return f"R<sup>{'d' if self.keeps_d else d}</sup>"

    @property
    def rule(self) -> str:
        """The name of the subroutine, which decides by which formulas a round goes."""
        return self.state.subroutine.name if self.state.subroutine else ""

    @property
    def k(self) -> int:
        """The round, also after it is over."""
        return self.state.round_place.k

    @property
    def zeta(self) -> float:
        """ζ, 1 where a run of another package does not say."""
        value = self.parameters.get("zeta")
        return float(value) if isinstance(value, int | float) and value >= SMALLEST_ZETA else 1.0

    @property
    def form(self) -> Form:
        """Of r_d(ζ)."""
        return "linear" if self.parameters.get("rounding") == "linear" else "quadratic"

    def r(self, d: int) -> float:
        """r_d(ζ)."""
        return rounding_samples(d, self.zeta, self.form)

    @cached_property
    def survivors(self) -> Integers:
        """Ŝ_k of the round at the cursor, also after it has eliminated some of them."""
        return before_elimination(self.state)

    @cached_property
    def problem(self) -> DesignProblem | None:
        """The design problem of the round; None before its dimension is known and where directions are listed."""
        d = self.state.d
        if not d or not self.rule:
            return None
        return round_problem(self.instance, d, self.survivors)

    @cached_property
    def fit(self) -> Fit | None:
        """θ̂_k with the norm of its errors; None while there is none."""
        return fitted(self.instance, self.state, self.survivors, self.problem)

    @property
    def d_star(self) -> int | None:
        """d⋆ if it may be told and exists."""
        return self.instance.d_star if self.truth else None

    def label(self, target: int) -> str:
        """A target in words."""
        return escape_markup(self.instance.target_label(int(target)))

    def labels(self, targets: Integers, most: int = 6) -> str:
        """Some targets in words, and how many more."""
        names = ", ".join(self.label(int(each)) for each in targets[:most])
        return f"{names} and {number(len(targets) - most)} more" if len(targets) > most else names

    def previous_recommendation(self) -> int | None:
        """What was recommended before the event at the cursor."""
        rows = int(np.searchsorted(self.history.recommendations.event, self.state.cursor - 1, side="left"))
        return int(self.history.recommendations.target[rows - 1]) if rows else None
