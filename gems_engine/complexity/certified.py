"""The value of an optimal design with proven bounds, or the reason why it is infinite."""

import math
from dataclasses import dataclass

from gems_engine.complexity.ticker import Ticker
from gems_engine.design import Design, DesignProblem, relative_gap, solve_design
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import InputError
from gems_engine.instance import Instance

FINE = 1e-10
"""The tolerance of a second solve if the first one does not decide a comparison."""

LAST_DIGITS = 1e-9
"""Numbers with at most this relative difference are tied: a last digit must not decide (docs/decisions.md, 2)."""


@dataclass(frozen=True, eq=False)
class Certified:
    """The value of an optimal design, enclosed.

    Attributes
    ----------
    value : float
        The value of ``design``, as computed; infinite if no allocation of pulls suffices.
    lower_bound, upper_bound : float
        Proven bounds on the optimum, rounding errors included.
    design : Design or None
        The design behind both; None if the value is infinite.
    note : str
        Why the value is infinite, or what is proven if the tolerance was missed; else empty.
    """

    value: float
    lower_bound: float
    upper_bound: float
    design: Design | None = None
    note: str = ""

    @classmethod
    def infinite(cls, why: str) -> "Certified":
        """An infinite value, and the reason for it."""
        return cls(math.inf, math.inf, math.inf, None, why)

    @property
    def is_finite(self) -> bool:
        """Whether some allocation of pulls attains the value."""
        return math.isfinite(self.value)

    @property
    def gap(self) -> float:
        """Relative distance between the bounds; 0 if both are infinite."""
        return 0.0 if self.upper_bound == self.lower_bound else relative_gap(self.upper_bound, self.lower_bound)


def solve_certified(
    problem: DesignProblem,
    tolerance: float = TOLERANCE,
    ticker: Ticker | None = None,
    instance: Instance | None = None,
) -> Certified:
    """The optimum of a design problem; infinite, with the reason, if a direction is outside the span of the arms.

    With an instance, a warning names its arms and features by label.
    """
    try:
        _ = problem.geometry
    except InputError as outside:
        return Certified.infinite(str(outside))

    def stop(_: object) -> bool:
        if ticker is not None:
            ticker.beat()
        return False

    design = solve_design(problem, tolerance=tolerance, stop=stop)
    note = "" if design.is_certified else f"The design is {design.status}: it is only proven to {design.gap:.2%}."
    warning = problem.warning if instance is None else problem.warning_with(instance.arm_label, instance.feature_label)
    if warning:
        note = f"{note} {warning}".strip()
    return Certified(design.value, design.lower_bound, design.upper_bound, design, note)
