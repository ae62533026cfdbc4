"""What an explanation may use: a run up to the cursor, and whether the truth may be shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gems_engine.algorithms.run_context import FINISH
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
    """A run at a cursor; nothing after the cursor is used.

    Attributes
    ----------
    history
        The history of the trace; it may reach beyond the cursor.
    state
        The state at the cursor.
    truth
        Whether d⋆, the best target and what follows from them may be shown.
    target
        The target that the user points at.
    """

    history: History
    state: State
    truth: bool = False
    target: int | None = None

    @property
    def instance(self) -> Instance:
        """The instance of the run."""
        return self.history.trace.instance

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the run."""
        return self.state.started.parameters if self.state.started else {}

    def setting(self, name: str) -> int | float | None:
        """A parameter that is a number; None if the run has none, or another package means something else by it."""
        value = self.parameters.get(name)
        return value if type(value) in (int, float) else None

    @property
    def finishes(self) -> bool:
        """Whether the round that exceeds the sample cap is finished."""
        return self.parameters.get("last_round") == FINISH

    @property
    def past_cap(self) -> bool:
        """Whether a finished last round has reached the sample cap."""
        cap = self.setting("max_samples")
        return self.finishes and cap is not None and self.state.samples >= cap

    @property
    def algorithm(self) -> str:
        """The id of the run's algorithm."""
        return self.state.algorithm

    @property
    def judges(self) -> bool:
        """Whether recommendations may be judged: the truth is shown, and rewards come from the instance."""
        return self.truth and self.state.graded

    @property
    def keeps_d(self) -> bool:
        """Whether the dimension is kept secret: that of an oracle is d⋆, and the truth is hidden."""
        return not self.truth and self.algorithm in ORACLES

    def space(self, d: int) -> str:
        """R^d, with the number d unless it is kept secret."""
        return f"R<sup>{'d' if self.keeps_d else d}</sup>"

    @property
    def rule(self) -> str:
        """The name of the subroutine, which decides the formulas of a round."""
        return self.state.subroutine.name if self.state.subroutine else ""

    @property
    def k(self) -> int:
        """The current round, or the last one if it is over."""
        return self.state.round_place.k

    @property
    def zeta(self) -> float:
        """ζ; 1 if a run of another package does not set it, or means something else by it."""
        value = self.setting("zeta")
        return float(value) if value is not None and SMALLEST_ZETA <= value <= 1.0 else 1.0

    @property
    def form(self) -> Form:
        """The form of r_d(ζ)."""
        return "linear" if self.parameters.get("rounding") == "linear" else "quadratic"

    def r(self, d: int) -> float:
        """r_d(ζ)."""
        return rounding_samples(d, self.zeta, self.form)

    @cached_property
    def survivors(self) -> Integers:
        """Ŝ_k of the round at the cursor, as it was before the round eliminated any of them."""
        return before_elimination(self.state)

    @cached_property
    def problem(self) -> DesignProblem | None:
        """The design problem of the round; None before its dimension is known, or if directions are listed."""
        d = self.state.d
        if not d or not self.rule:
            return None
        return round_problem(self.instance, d, self.survivors)

    @cached_property
    def fit(self) -> Fit | None:
        """θ̂_k with the norm of its errors; None before there is one."""
        return fitted(self.instance, self.state, self.survivors, self.problem)

    @property
    def d_star(self) -> int | None:
        """d⋆ if it exists, is known and may be shown."""
        return self.instance.d_star if self.truth and self.instance.has_rewards else None

    def label(self, target: int) -> str:
        """The label of a target."""
        return escape_markup(self.instance.target_label(int(target)))

    def labels(self, targets: Integers, most: int = 6) -> str:
        """The labels of the first few targets, and how many more there are."""
        names = ", ".join(self.label(int(each)) for each in targets[:most])
        return f"{names} and {number(len(targets) - most)} more" if len(targets) > most else names

    def previous_recommendation(self) -> int | None:
        """The recommendation before the event at the cursor."""
        rows = int(np.searchsorted(self.history.recommendations.event, self.state.cursor - 1, side="left"))
        return int(self.history.recommendations.target[rows - 1]) if rows else None
