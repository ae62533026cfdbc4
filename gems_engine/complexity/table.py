"""The complexities of an instance for every dimension, as in the paper's tables."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gems_engine.blas import one_blas_thread
from gems_engine.complexity.certified import Certified
from gems_engine.complexity.quantities import iota, iota_star, rho_star
from gems_engine.complexity.ticker import Progress, Ticker
from gems_engine.design.solve import TOLERANCE
from gems_engine.instance import Instance
from gems_engine.misspecification import Level
from gems_engine.rounding import Form, rounding_samples
from gems_engine.terminal import number


@dataclass(frozen=True, eq=False)
class DimensionComplexity:
    """The cost of identifying the best target in R^d."""

    d: int
    """The dimension."""
    rho_star: Certified
    """ρ⋆_d."""
    iota_star: Certified
    """ι⋆_d."""
    iota: Certified
    """ι(𝒴(ψ_d(𝒵)))."""
    misspecification: Level
    """How far the rewards are from linear in R^d."""
    rounding_samples: float
    """r_d(ζ)."""
    rho_star_epsilon: Certified | None = None
    """ρ⋆_d(ε), if ε was given."""

    @property
    def gamma_tilde(self) -> float:
        """γ̃(d), the misspecification level."""
        return self.misspecification.gamma_tilde

    def as_dict(self) -> dict[str, Any]:
        """For JSON: every value with its proven bounds; infinite values are null, with a note."""
        entry: dict[str, Any] = {"d": self.d}
        notes = []
        for name in ("rho_star", "rho_star_epsilon", "iota_star", "iota"):
            found: Certified | None = getattr(self, name)
            if found is None:
                continue
            entry[name] = finite_or_none(found.value)
            entry[f"{name}_lower"] = finite_or_none(found.lower_bound)
            entry[f"{name}_upper"] = finite_or_none(found.upper_bound)
            if found.note:
                notes.append(f"{name}{'' if found.is_finite else ' is infinite'}: {found.note}")
        entry["gamma_tilde"] = self.gamma_tilde
        entry["gamma_tilde_lower"] = self.misspecification.lower_bound
        entry["rounding_samples"] = self.rounding_samples
        if notes:
            entry["notes"] = notes
        return entry


@dataclass(frozen=True, eq=False)
class Complexities:
    """One row for every d = 1, …, D, with the settings of the computation."""

    dimensions: tuple[DimensionComplexity, ...]
    """One row for each d, the first for d = 1."""
    d_star: int | None
    """d⋆, or None."""
    tolerance: float
    """Relative gap of every value."""
    zeta: float
    """ζ."""
    rounding: Form
    """The form of r_d(ζ)."""
    epsilon: float | None = None
    """ε of the goal, or None."""

    def __getitem__(self, d: int) -> DimensionComplexity:
        """The row of R^d, counted from 1."""
        if not 1 <= d <= len(self.dimensions):
            raise IndexError(f"there is no dimension {d}")
        return self.dimensions[d - 1]

    def __repr__(self) -> str:
        star = "none" if self.d_star is None else f"{self.d_star}"
        return f"<Complexities of R^1 to R^{len(self.dimensions)}: d⋆ {star}, tolerance {self.tolerance:g}>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import complexities_html

        return complexities_html(self)

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values for JSON."""
        return {
            "D": len(self.dimensions),
            "d_star": self.d_star,
            "tolerance": self.tolerance,
            "zeta": self.zeta,
            "rounding": self.rounding,
            "epsilon": self.epsilon,
            "dimensions": [row.as_dict() for row in self.dimensions],
        }


def cells(numbers: Complexities) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a table with one row per dimension; each number is proven within the tolerance."""
    relaxed = numbers.epsilon is not None
    rows = []
    for row in numbers.dimensions:
        proven = [each for each in (row.rho_star, row.rho_star_epsilon, row.iota_star, row.iota) if each is not None]
        line = [f"{row.d}{' d⋆' if row.d == numbers.d_star else ''}", number(row.rho_star.value, 7)]
        if relaxed and row.rho_star_epsilon is not None:
            line.append(number(row.rho_star_epsilon.value, 7))
        line += [number(row.iota_star.value, 7), number(row.iota.value, 7), number(row.gamma_tilde, 4)]
        line += [number(row.rounding_samples, 6), number(max(each.gap for each in proven), 2)]
        rows.append(line)
    header = ["d", "ρ⋆_d", *(["ρ⋆_d(ε)"] if relaxed else []), "ι⋆_d", "ι(Y(ψ_d(Z)))", "γ̃(d)", "r_d(ζ)", "proven within"]
    return header, rows


@one_blas_thread()
def complexities(
    instance: Instance,
    tolerance: float = TOLERANCE,
    zeta: float = 1.0,
    rounding: Form = "quadratic",
    progress: Progress | None = None,
    epsilon: float | None = None,
) -> Complexities:
    """ρ⋆_d, ι⋆_d, ι(𝒴(ψ_d(𝒵))), γ̃(d) and r_d(ζ) for d = 1, …, D, each with its proof.

    Parameters
    ----------
    instance
        The instance; its best target must be unique, unless the goal has an ε.
    tolerance
        Relative gap between every value and its lower bound.
    zeta, rounding
        ζ and the form of r_d(ζ).
    progress
        Called with (designs done, total designs) before every iteration of a solver. If it returns False, the work
        ends with Cancelled; its exceptions propagate.
    epsilon
        ε of the goal; adds ρ⋆_d(ε), even if the best target is tied.

    Returns
    -------
    Complexities
        One row for each dimension.

    Examples
    --------
    >>> from gems_engine import complexities, instances
    >>> table = complexities(instances.make("paper-hard", epsilon=0.01))
    >>> [round(table.dimensions[d - 1].rho_star.value, 2) for d in (8, 9, 10)]
    [8.0, 14.66, 40008.0]
    """
    if epsilon is None:
        instance.require_unique_best()
    samples = [rounding_samples(d, zeta, rounding) for d in range(1, instance.D + 1)]
    ticker = Ticker(progress, 3 * instance.D)
    ticker.beat()
    levels = instance.misspecification()
    rows = []
    for d in range(1, instance.D + 1):

        def of(quantity: Callable[..., Certified], d: int = d) -> Certified:
            found = quantity(instance, d, tolerance=tolerance, ticker=ticker)
            ticker.advance()
            return found

        if instance.best_is_unique:
            exact = of(rho_star)
        else:
            exact = Certified.infinite(f"{instance.tied_labels()} are tied for the best: no samples tell them apart.")
        relaxed = None if epsilon is None else rho_star(instance, d, epsilon, tolerance, ticker)
        rows.append(DimensionComplexity(d, exact, of(iota_star), of(iota), levels[d - 1], samples[d - 1], relaxed))
    return Complexities(tuple(rows), instance.d_star, tolerance, zeta, rounding, epsilon)


def finite_or_none(value: float | None) -> float | None:
    """A number for JSON, which has no infinity."""
    return value if value is not None and math.isfinite(value) else None
