"""The bounds of the paper's theorems for one instance (sections 3–6), with the corrections of docs/decisions.md, 12.

Every bound uses the side of ρ⋆'s enclosure that keeps it true: the proven lower bound for lower bounds on samples, the
proven upper bound for upper bounds.
"""

import math
from collections.abc import Callable

from gems_engine.complexity.bounds import Bound, Checks, Condition, at_most
from gems_engine.complexity.certified import FINE, Certified
from gems_engine.complexity.good_subroutines import GoodSubroutine, good_subroutine
from gems_engine.complexity.levels import STRATEGY, VALIDATED, Level
from gems_engine.complexity.quantities import rho_star
from gems_engine.complexity.schedule import BudgetGrid, confidence_samples, exponent, validation_samples
from gems_engine.complexity.suboptimality import EpsilonDimension
from gems_engine.complexity.ticker import Ticker
from gems_engine.instance import Instance
from gems_engine.rounding import Form
from gems_engine.terminal import number, superscript


class Theorems:
    """The parameters that all bounds share, and one method for each theorem."""

    def __init__(
        self,
        instance: Instance,
        delta: float,
        zeta: float,
        base: int,
        rounding: Form,
        tolerance: float,
        ticker: Ticker,
    ) -> None:
        self.instance = instance
        self.delta, self.zeta, self.base, self.rounding = delta, zeta, base, rounding
        self.tolerance = tolerance
        self.ticker = ticker
        self.targets = len(instance.targets)
        self.checks = Checks(instance, zeta, rounding)
        self.strategy = Level.of(STRATEGY, delta, instance.noise)
        self.validated = Level.of(VALIDATED, delta, instance.noise)
        self._good: dict[tuple[int, float], GoodSubroutine] = {}

    def good(self, d: int | None, epsilon: float) -> GoodSubroutine | None:
        """The good subroutine in R^d, solved once."""
        if d is None:
            return None
        if (d, epsilon) not in self._good:
            self._good[d, epsilon] = good_subroutine(
                self.instance, d, epsilon, self.zeta, self.base, self.rounding, self.tolerance, self.ticker
            )
            self.ticker.advance()
        return self._good[d, epsilon]

    # -- lower bounds (section 3) --------------------------------------------------------------------------

    def pac_lower(self, good: GoodSubroutine | None) -> Bound:
        """Theorem of section 3 on algorithms that stop."""
        value = _of(good, lambda g: max(0.0, g.rho.lower_bound * math.log(1 / (2.4 * self.delta))))
        return Bound(
            "pac-lower",
            f"Every algorithm that stops by itself and is right with probability 1 − δ, even one that knows d⋆, takes "
            f"on average {_samples(value, 'at least')}: ρ⋆_d⋆·log(1/2.4δ).",
            "samples",
            value,
            (*self._well_specified, at_most(self.delta, 0.15), self.checks.standard_normal),
        )

    def pac_lower_everywhere(self, good: GoodSubroutine | None) -> Bound:
        """The same with D instead of d⋆, for algorithms that must be right for every θ in R^D, such as RAGE."""
        bound = self.pac_lower(good)
        says = (
            f"Every algorithm that stops by itself and is right with probability 1 − δ for every θ in "
            f"R{superscript(self.instance.D)} takes on average {_samples(bound.value, 'at least')}: ρ⋆_D·log(1/2.4δ)."
        )
        return Bound("pac-lower-everywhere", says, bound.kind, bound.value, bound.conditions)

    def non_interactive_lower(self, good: GoodSubroutine | None) -> Bound:
        """Theorem of section 3 on static allocations."""
        # That ρ⋆_d does not decrease in d needs no assumption: for the same λ, ‖y‖² is a supremum over R^d.
        value = _of(good, lambda g: 0.5 * g.rho.lower_bound * math.log(1 / self.delta))
        return Bound(
            "non-interactive-lower",
            f"Every static allocation with least squares in Rᵈ, d ≥ d⋆, even one that knows θ, is wrong with "
            f"probability at least δ if it takes {_samples(value, 'at most')}: ½·ρ⋆_d⋆·log(1/δ).",
            "samples",
            value,
            (*self._well_specified, at_most(self.delta, 0.015), self.checks.standard_normal),
        )

    # -- fixed confidence (sections 4 and 6) ---------------------------------------------------------------

    def fixed_confidence(self, good: GoodSubroutine | None) -> Bound:
        """Theorem of section 4."""
        value = _of(good, lambda g: confidence_samples(g.ell_star, self.targets, self.delta, self.zeta, self.base))
        return Bound(
            "fixed-confidence",
            f"With probability at least {self.strategy} the strategy over GEMS-c recommends the best target from the "
            f"end of loop ℓ⋆{_loop(good)} on, after {_samples(value, 'at most')}.",
            "samples",
            value,
            (*self._well_specified, self.checks.gaps, self.checks.noise, self.checks.rounding),
            self.strategy,
        )

    def misspecified_best_arm(self, good: GoodSubroutine | None, dimension: EpsilonDimension | None) -> Bound:
        """The appendix on identifying the optimal arm under misspecification: ε is Δ_min."""
        value = _of(
            good,
            lambda g: confidence_samples(g.ell_star, self.targets, self.delta, self.zeta, self.base, factor=8.0),
        )
        return Bound(
            "misspecified-best-arm",
            f"With probability at least {self.strategy} the section-4 strategy over GEMS-m recommends the best target "
            f"from the end of loop ℓ⋆{_loop(good)} on, after {_samples(value, 'at most')}, linear rewards or not.",
            "samples",
            value,
            (
                self.checks.unique_best,
                *_exists(dimension),
                self.checks.gaps,
                self.checks.noise,
                self.checks.rounding,
            ),
            self.strategy,
        )

    def misspecified_fixed_confidence(self, good: GoodSubroutine | None, dimension: EpsilonDimension) -> Bound:
        """Theorem of section 6, fixed confidence."""

        def samples(g: GoodSubroutine) -> float:
            return confidence_samples(
                g.ell_star, self.targets, self.delta, self.zeta, self.base, factor=8.0, share=4.0
            ) + validation_samples(g.ell_star, self.delta, dimension.epsilon)

        value = _of(good, samples)
        return Bound(
            "misspecified-fixed-confidence",
            f"With probability at least {self.validated} the misspecified strategy recommends targets within "
            f"2ε = {2 * dimension.epsilon:g} of the best from the end of loop ℓ⋆{_loop(good)} on, after "
            f"{_samples(value, 'at most')}.",
            "samples",
            value,
            (
                *_exists(dimension),
                self.checks.targets_are_arms,
                self.checks.gaps,
                self.checks.noise,
                self.checks.rounding,
            ),
            self.validated,
        )

    # -- fixed budget (sections 5 and 6) -------------------------------------------------------------------

    def fixed_budget(self, good: GoodSubroutine | None, grid: BudgetGrid) -> Bound:
        """Theorem of section 5."""
        value, conditions = self._budget(good, grid, 1024)
        return Bound(
            "fixed-budget",
            f"With 2T = {number(grid.budget)} samples the fixed-budget strategy misses the best target with "
            f"{_error(value)}.",
            "error",
            value,
            (*self._well_specified, *conditions),
        )

    def misspecified_fixed_budget(
        self, good: GoodSubroutine | None, dimension: EpsilonDimension, grid: BudgetGrid
    ) -> Bound:
        """Theorem of section 6, fixed budget."""
        value, conditions = self._budget(good, grid, 4096)
        return Bound(
            "misspecified-fixed-budget",
            f"With 2T = {number(grid.budget)} samples the fixed-budget strategy misses every target within "
            f"2ε = {2 * dimension.epsilon:g} of the best with {_error(value)}.",
            "error",
            value,
            (*_exists(dimension), *conditions),
        )

    def _budget(
        self, good: GoodSubroutine | None, grid: BudgetGrid, constant: int
    ) -> tuple[float | None, tuple[Condition, ...]]:
        """The error bound of section 5 with T″ = T/(p·q_i⋆), as in its proof (docs/decisions.md, 12)."""
        always = (self.checks.targets_are_arms, self.checks.gaps, self.checks.noise, self.checks.rounding)
        if good is None:
            return None, always
        rho = self._fine_rho(good)
        i, j = self.budget_place(good)
        n, T = 2**j, float(grid.T)
        within = 2**i <= 128 * rho.lower_bound
        squared_log = math.log2(T) ** 2
        conditions = [
            *always,
            _compare(f"p = {grid.p}, the largest selection exponent,", grid.p, i, f"i⋆ = {i}"),
            Condition(f"B_i⋆ = {2**i} is {'' if within else 'not '}within twice 64ρ = {64 * rho.value:.6g}.", within),
        ]
        # Hoeffding with the exponent of the theorem needs T/(log₂T)² pulls for each candidate, twice what its proof
        # grants; the number of subroutines is in fact small enough, which is checked here.
        pulls = math.floor(grid.T / grid.subroutines)
        conditions += [
            _compare(f"T = {T:g}", T, 2 * squared_log, f"2(log₂T)² = {2 * squared_log:.6g}"),
            _compare(
                f"The number of validation pulls per candidate, {pulls} or more,",
                pulls,
                T / squared_log,
                f"T/(log₂T)² = {T / squared_log:.6g}",
            ),
        ]
        share = grid.share(i)
        if share is None:
            conditions.append(Condition(f"There is no call with i⋆ = {i}: the budget is too small for it.", False))
            return None, tuple(conditions)
        each = float(share)
        conditions += [
            _compare(f"q_i⋆ = {grid.q[i - 1]}, its largest round exponent,", grid.q[i - 1], j, f"j⋆ = {j}"),
            _compare(
                f"T″/n_j⋆ = {each / n:.6g}",
                each / n,
                good.rounding_samples + 1,
                f"r_d(ζ) + 1 = {good.rounding_samples + 1:.6g}",
            ),
        ]
        wrong = n * self.targets**2 * math.exp(-each / (constant * n * rho.upper_bound)) if rho.value > 0 else 0.0
        miss = 2 * squared_log * math.exp(-T * good.accuracy**2 / (8 * squared_log))
        return wrong + miss, tuple(conditions)

    def budget_place(self, good: GoodSubroutine) -> tuple[int, int]:
        """i⋆ and j⋆ of the fixed-budget grid: the first exponents with 2^i⋆ ≥ 64ρ and 2^j⋆ ≥ n⋆."""
        return exponent(64 * self._fine_rho(good).upper_bound, 2, least=1), exponent(good.n_star, 2, least=1)

    def _fine_rho(self, good: GoodSubroutine) -> Certified:
        """ρ, solved more finely if a power of two lies between its bounds; here B_i⋆ does not include r_d."""
        rho = good.rho
        if exponent(64 * rho.lower_bound) != exponent(64 * rho.upper_bound) and rho.gap > FINE:
            return rho_star(self.instance, good.d, good.epsilon, FINE, self.ticker)
        return rho

    @property
    def _well_specified(self) -> tuple[Condition, Condition]:
        return self.checks.unique_best, self.checks.linear


def _of(good: GoodSubroutine | None, value: Callable[[GoodSubroutine], float]) -> float | None:
    return None if good is None else value(good)


def _exists(dimension: EpsilonDimension | None) -> tuple[Condition, ...]:
    return () if dimension is None else (Condition(dimension.sentence, dimension.d is not None),)


def _compare(what: str, value: float, least: float, name: str) -> Condition:
    return Condition(f"{what} is {'' if value >= least else 'not '}at least {name}.", value >= least)


def _samples(value: float | None, bound: str) -> str:
    return (
        "a number of samples that the theorem does not give here"
        if value is None
        else f"{bound} {number(value, 6)} samples"
    )


def _loop(good: GoodSubroutine | None) -> str:
    return "" if good is None else f" = {good.ell_star}"


def _error(value: float | None) -> str:
    if value is None:
        return "a probability that the theorem does not bound here"
    return f"probability at most {value:.6g}" + (", which is vacuous" if value >= 1 else "")
