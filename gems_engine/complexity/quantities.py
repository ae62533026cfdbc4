"""The complexities of an instance in R^d: ρ⋆_d, ι⋆_d, ι(𝒴(ψ_d(S))), ρ⋆_d(ε) and ρ̃⋆_d(ε) (sections 3 and 6)."""

from collections.abc import Sequence

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.complexity.certified import Certified, solve_certified
from gems_engine.complexity.schedule import SMALLEST_EPSILON
from gems_engine.complexity.ticker import Ticker
from gems_engine.design import DesignProblem
from gems_engine.design.coordinates import in_large_units
from gems_engine.design.problem import coordinate_scale, equal_to
from gems_engine.design.solve import TOLERANCE
from gems_engine.errors import InputError
from gems_engine.instance import TIE, Instance
from gems_engine.parameters import shown
from gems_engine.terminal import superscript


def rho_star(
    instance: Instance, d: int, epsilon: float = 0.0, tolerance: float = TOLERANCE, ticker: Ticker | None = None
) -> Certified:
    """ρ⋆_d, or with ε > 0 its relaxation ρ⋆_d(ε), where gaps below ε count as ε.

    Without ε the best target must be unique. The dual keys of the design are indices of targets.

    Parameters
    ----------
    instance : Instance
        Its best target must be unique, unless ε is given.
    d : int
        The dimension.
    epsilon : float
        ε of the goal; 0 for the best target.
    tolerance : float
        Relative gap to prove between the value and its lower bound.
    ticker : Ticker, optional
        Counts finished steps, and may end the work.

    Returns
    -------
    Certified
        The value, with its proof.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.complexity import rho_star
    >>> hard = instances.make("paper-hard", epsilon=0.01)
    >>> round(rho_star(hard, 9).value, 3), round(rho_star(hard, 10).value)
    (14.657, 40008)
    """
    _check_dimension(instance, d)
    check_epsilon(epsilon)
    if epsilon == 0:
        instance.require_unique_best()
    return _weighted(instance, d, gap_divisors(instance, epsilon), tolerance, ticker)


def rho_tilde_star(
    instance: Instance, d: int, epsilon: float, tolerance: float = TOLERANCE, ticker: Ticker | None = None
) -> Certified:
    """ρ̃⋆_d(ε): as ρ⋆_d(ε), with the gaps of the linear component ⟨θ⋆^d, ψ_d(·)⟩ (section 6).

    θ⋆^d need not be unique, and the value depends on it: it is that of ``Instance.misspecification``. With ε = 0 the
    value is infinite if z⋆ does not beat every other target under it (it does if γ̃(d) < Δ_min/2).

    Parameters
    ----------
    instance : Instance
        Any instance.
    d : int
        The dimension.
    epsilon : float
        ε of the goal.
    tolerance : float
        Relative gap to prove between the value and its lower bound.
    ticker : Ticker, optional
        Counts finished steps, and may end the work.

    Returns
    -------
    Certified
        The value, with its proof.
    """
    _check_dimension(instance, d)
    check_epsilon(epsilon)
    theta = instance.misspecification()[d - 1].theta
    size = float(np.abs(instance.targets[:, :d] @ theta).max())
    gaps = best_directions(instance, d) @ theta
    gaps[np.abs(gaps) <= TIE * size] = 0.0
    return _weighted(instance, d, _alone(np.maximum(gaps, epsilon)), tolerance, ticker)


def iota_star(instance: Instance, d: int, tolerance: float = TOLERANCE, ticker: Ticker | None = None) -> Certified:
    """ι⋆_d: the design for the differences to the best target, without gaps.

    Parameters
    ----------
    instance : Instance
        Its best target must be unique.
    d : int
        The dimension.
    tolerance : float
        Relative gap to prove between the value and its lower bound.
    ticker : Ticker, optional
        Counts finished steps, and may end the work.

    Returns
    -------
    Certified
        The value, with its proof.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.complexity import iota_star
    >>> round(iota_star(instances.make("paper-hard"), 9).value, 4)  # (1 + √8)²
    14.6569
    """
    _check_dimension(instance, d)
    return _weighted(instance, d, _alone(np.ones(len(instance.targets))), tolerance, ticker)


def iota(
    instance: Instance,
    d: int,
    survivors: Sequence[int] | Integers | None = None,
    tolerance: float = TOLERANCE,
    ticker: Ticker | None = None,
) -> Certified:
    """ι(𝒴(ψ_d(S))): the design for all differences of the survivors S, by default of all targets.

    Parameters
    ----------
    instance : Instance
        Any instance.
    d : int
        The dimension.
    survivors : sequence of int, optional
        Indices of targets.
    tolerance : float
        Relative gap to prove between the value and its lower bound.
    ticker : Ticker, optional
        Counts finished steps, and may end the work.

    Returns
    -------
    Certified
        The value, with its proof.

    Examples
    --------
    >>> from gems_engine import instances
    >>> from gems_engine.complexity import iota
    >>> round(iota(instances.make("paper-hard"), 10).value, 6)
    20.0
    """
    _check_dimension(instance, d)
    targets = instance.targets[:, :d]
    if survivors is not None:
        targets = targets[_checked(instance, survivors)]
    return solve_certified(DesignProblem(instance.arms[:, :d], targets=targets), tolerance, ticker, instance)


def best_directions(instance: Instance, d: int) -> Floats:
    """ψ_d(z⋆) − ψ_d(z) for every target, exactly 0 if their features are equal (docs/decisions.md, 1)."""
    best, others = _against_best(instance, d)
    directions: Floats = best - others
    return directions


def gap_divisors(instance: Instance, epsilon: float = 0.0) -> Floats:
    """For every target two numbers whose exact sum is its gap, or ε if the gap is at most ε.

    The difference of two rewards is rarely a double, and ρ⋆ is proven for the exact difference.
    """
    _, rewards = instance.require_rewards()
    exact = np.column_stack([np.broadcast_to(rewards[instance.best], rewards.shape), -rewards])
    return np.where((instance.gaps > epsilon)[:, None], exact, _alone(np.full(len(rewards), epsilon)))


def rho_problem(instance: Instance, d: int, divisors: Floats) -> DesignProblem:
    """The design problem whose optimum is ρ⋆_d: ψ_d(z⋆) − ψ_d(z) over the gap of z; a direction 0 stays 0."""
    best, others = _against_best(instance, d)
    asked = (best != others).any(axis=1)
    divisors = np.where(asked[:, None], divisors, _alone(np.ones(len(others))))
    return DesignProblem.weighted(instance.arms[:, :d], best, others, divisors)


def _against_best(instance: Instance, d: int) -> tuple[Floats, Floats]:
    """ψ_d(z⋆), repeated for every target, and ψ_d(z); targets with the features of z⋆ are z⋆."""
    targets = instance.targets[:, :d]
    best = targets[instance.best]
    scale = coordinate_scale(targets)
    same = equal_to(in_large_units(best, scale), in_large_units(targets, scale))
    return np.tile(best, (len(targets), 1)), np.where(same[:, None], best, targets)


def _alone(divisors: Floats) -> Floats:
    return np.column_stack([divisors, np.zeros(len(divisors))])


def check_epsilon(epsilon: float) -> float:
    """Return ε if it is a finite number of at least 0."""
    if not (epsilon == 0 or SMALLEST_EPSILON <= epsilon < 1e50):
        raise InputError(f"ε = {shown(epsilon)} is not allowed as a goal: it must be 0 or a number from 1e-50 to 1e50.")
    return epsilon


def _weighted(instance: Instance, d: int, divisors: Floats, tolerance: float, ticker: Ticker | None) -> Certified:
    """min over λ of max over z of ‖ψ_d(z⋆ − z)‖²/divisor²; a zero direction counts as 0 for any divisor."""
    best, others = _against_best(instance, d)
    lost = np.flatnonzero((best != others).any(axis=1) & (divisors.sum(axis=1) <= 0))
    if lost.size:
        label = instance.target_label(int(lost[0]))
        return Certified.infinite(
            f"{label} is at least as good as the best target in R{superscript(d)}: its gap there is not above 0."
        )
    return solve_certified(rho_problem(instance, d, divisors), tolerance, ticker, instance)


def _check_dimension(instance: Instance, d: int) -> None:
    if isinstance(d, bool) or not isinstance(d, int | np.integer) or not 1 <= d <= instance.D:
        raise InputError(
            f"The dimension d = {shown(d)} is not allowed: it must be a whole number from 1 to {instance.D}."
        )


def _checked(instance: Instance, survivors: Sequence[int] | Integers) -> Integers:
    indices = np.asarray(survivors)
    n = len(instance.targets)
    if indices.ndim != 1 or not indices.size or indices.dtype.kind not in "iu":
        raise InputError("The survivors must be a list of at least one index of a target.")
    if indices.min() < 0 or indices.max() >= n:
        wrong = indices[(indices < 0) | (indices >= n)][0]
        raise InputError(f"There is no target {wrong}: the survivors must be from 0 to {n - 1}.")
    return np.unique(indices).astype(np.int64)
