"""All guarantees of the paper for an instance."""

from dataclasses import dataclass
from typing import Any

from gems_engine.blas import one_blas_thread
from gems_engine.complexity.bounds import Bound
from gems_engine.complexity.good_subroutines import GoodSubroutine
from gems_engine.complexity.quantities import check_epsilon
from gems_engine.complexity.schedule import SMALLEST_DELTA, BudgetGrid, check_base
from gems_engine.complexity.suboptimality import EpsilonDimension, GammaCurve
from gems_engine.complexity.theorems import Theorems
from gems_engine.complexity.ticker import Progress, Ticker
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.rounding import Form


@dataclass(frozen=True, eq=False)
class Guarantees:
    """The statements of the theorems about an instance with given parameters.

    Attributes
    ----------
    best_arm : GoodSubroutine or None
        For the section-4 strategy with GEMS-c; None without a d⋆ or with a tied best target.
    misspecified_best_arm : GoodSubroutine or None
        For the same strategy with GEMS-m, with ε = Δ_min; None if d⋆(Δ_min) does not exist.
    epsilon_optimal : GoodSubroutine or None
        For the misspecified strategy with the goal's ε; None without ε or if d⋆(ε) does not exist.
    best_arm_dimension, epsilon_dimension : EpsilonDimension or None
        d⋆(Δ_min) and d⋆(ε).
    bounds : tuple of Bound
    """

    delta: float
    """δ."""
    zeta: float
    """ζ."""
    base: int
    """β of the schedule."""
    epsilon: float | None
    """ε of the goal, or None."""
    budget: int | None
    """2T, or None."""
    rounding: Form
    """The form of r_d(ζ)."""
    best_arm: GoodSubroutine | None
    misspecified_best_arm: GoodSubroutine | None
    epsilon_optimal: GoodSubroutine | None
    best_arm_dimension: EpsilonDimension | None
    epsilon_dimension: EpsilonDimension | None
    bounds: tuple[Bound, ...]

    def bound(self, name: str) -> Bound:
        """The bound of that name."""
        for each in self.bounds:
            if each.name == name:
                return each
        raise KeyError(name)

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON."""
        entry: dict[str, Any] = {
            name: getattr(self, name) for name in ("delta", "zeta", "base", "epsilon", "budget", "rounding")
        }
        for name in ("best_arm", "misspecified_best_arm", "epsilon_optimal"):
            good: GoodSubroutine | None = getattr(self, name)
            entry[name] = None if good is None else good.as_dict()
        for name in ("best_arm_dimension", "epsilon_dimension"):
            found: EpsilonDimension | None = getattr(self, name)
            entry[name] = None if found is None else {"d": found.d, "sentence": found.sentence}
        entry["bounds"] = [each.as_dict() for each in self.bounds]
        return entry


@one_blas_thread()
def guarantees(
    instance: Instance,
    delta: float = 0.05,
    zeta: float = 1.0,
    base: int = 2,
    epsilon: float | None = None,
    budget: int | None = None,
    rounding: Form = "quadratic",
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
) -> Guarantees:
    """The guarantees of the paper for an instance, with all their conditions.

    Parameters
    ----------
    instance
        Any instance; bounds that do not apply are marked.
    delta
        δ of the fixed-confidence setting.
    zeta, rounding
        ζ and the form of r_d(ζ).
    base
        β of the fixed-confidence schedules; the paper's proofs use 2. The fixed-budget grid always has base 2.
    epsilon
        The goal's ε, for the misspecified versions.
    budget
        Total samples of the fixed-budget strategy, 2T in the paper.
    tolerance, progress
        As in ``complexities``; the number of steps is an upper bound.

    Returns
    -------
    Guarantees
        The bounds of the theorems, each with its conditions and whether they hold.

    Examples
    --------
    >>> from gems_engine import guarantees, instances
    >>> found = guarantees(instances.make("paper-hard", epsilon=0.01), delta=0.05)
    >>> [(bound.name, bound.holds) for bound in found.bounds][:2]
    [('pac-lower', True), ('non-interactive-lower', False)]
    """
    if not SMALLEST_DELTA <= delta < 1:
        raise InputError(f"δ = {delta:g} is not allowed: it must be at least {SMALLEST_DELTA:g} and below 1.")
    if epsilon is not None and check_epsilon(epsilon) == 0:
        raise InputError("ε = 0 is not allowed as a goal: omit it if the goal is the best arm.")
    grid = None if budget is None else BudgetGrid.of(budget)
    ticker = Ticker(progress, instance.D + 3)
    ticker.beat()
    theorems = Theorems(instance, delta, zeta, check_base(base), rounding, tolerance, ticker)
    curve = GammaCurve(instance, zeta, tolerance, ticker)

    unique = instance.best_is_unique
    best_arm = theorems.good(instance.d_star, 0.0) if unique else None
    dimension = curve.d_star(instance.min_gap) if unique else None
    # All gaps are at least Δ_min, so ρ⋆_d(Δ_min) is ρ⋆_d.
    mis_best_arm = theorems.good(dimension.d, 0.0) if dimension is not None else None
    bounds = [
        theorems.pac_lower(best_arm),
        theorems.non_interactive_lower(best_arm),
        theorems.fixed_confidence(best_arm),
        theorems.misspecified_best_arm(mis_best_arm, dimension),
    ]
    if grid is not None:
        bounds.append(theorems.fixed_budget(best_arm, grid))
    optimal, found = None, None
    if epsilon is not None:
        found = curve.d_star(epsilon)
        optimal = theorems.good(found.d, epsilon)
        bounds.append(theorems.misspecified_fixed_confidence(optimal, found))
        if grid is not None:
            bounds.append(theorems.misspecified_fixed_budget(optimal, found, grid))
    ticker.finish()
    return Guarantees(
        delta, zeta, base, epsilon, budget, rounding, best_arm, mis_best_arm, optimal, dimension, found, tuple(bounds)
    )
