"""The bound of a theorem and its conditions; each condition is checked, none assumed."""

from dataclasses import dataclass
from typing import Any, Literal

from gems_engine.complexity.levels import Level
from gems_engine.complexity.table import finite_or_none
from gems_engine.instance import Instance
from gems_engine.rounding import Form
from gems_engine.terminal import superscript

Kind = Literal["samples", "error"]


@dataclass(frozen=True)
class Condition:
    """A condition of a theorem, in words for this instance, and whether it holds."""

    sentence: str
    """The condition, with the numbers of the instance."""
    holds: bool
    """Whether it holds."""


@dataclass(frozen=True)
class Bound:
    """A theorem's bound for one instance.

    Attributes
    ----------
    name : str
        A key such as ``fixed-confidence``.
    statement : str
        The statement of the theorem, in words and numbers.
    kind : {"samples", "error"}
        Whether the value is a number of samples or a probability.
    value : float or None
        The bound, whether or not its conditions hold; None if its formula has no value here.
    conditions : tuple of Condition
    level : Level or None
        The proven probability of an upper bound on samples; None for other bounds.
    """

    name: str
    statement: str
    kind: Kind
    value: float | None
    conditions: tuple[Condition, ...]
    level: Level | None = None

    @property
    def holds(self) -> bool:
        """Whether there is a value and every condition holds."""
        return self.value is not None and all(condition.holds for condition in self.conditions)

    @property
    def says_nothing(self) -> bool:
        """Whether the bound is vacuous even if it holds: no probability is above 1 or below 0."""
        if self.level is not None and self.level.value <= 0:
            return True
        return self.value is None or (self.kind == "error" and self.value >= 1)

    @property
    def failing(self) -> tuple[str, ...]:
        """The conditions that do not hold."""
        return tuple(condition.sentence for condition in self.conditions if not condition.holds)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "statement": self.statement,
            "kind": self.kind,
            "value": finite_or_none(self.value),
            "level": None if self.level is None else self.level.value,
            "holds": self.holds,
            "says_nothing": self.says_nothing,
            "conditions": [{"sentence": each.sentence, "holds": each.holds} for each in self.conditions],
        }


class Checks:
    """Conditions that several theorems share, checked once for an instance."""

    def __init__(self, instance: Instance, zeta: float, rounding: Form) -> None:
        named = {each.name: Condition(each.statement, each.holds) for each in instance.assumptions()}
        self.unique_best = named["unique-best"]
        self.gaps = named["gaps"]
        self.noise = named["noise"]
        self.linear = linearity(instance)
        self.standard_normal = _standard_normal(instance)
        self.targets_are_arms = _targets_are_arms(instance)
        self.rounding = rounding_condition(instance.D, zeta, rounding)


def at_most(delta: float, limit: float) -> Condition:
    """δ within the range of a lower bound."""
    return Condition(f"δ = {delta:g} is {'' if delta <= limit else 'not '}at most {limit:g}.", delta <= limit)


def linearity(instance: Instance) -> Condition:
    """Whether there is a d⋆."""
    d = instance.d_star
    if d is None:
        return Condition(f"The rewards are not linear in any Rᵈ up to d = {instance.D}: there is no d⋆.", False)
    return Condition(f"The rewards are linear in R{superscript(d)}: d⋆ = {d}.", True)


def _standard_normal(instance: Instance) -> Condition:
    noise = instance.noise
    holds = noise.kind == "gaussian" and noise.sigma == 1
    return Condition(f"The noise is {'' if holds else f'{noise}, not '}Gaussian with σ = 1.", holds)


def _targets_are_arms(instance: Instance) -> Condition:
    holds = instance.target_arms is not None
    return Condition("Every target is an arm." if holds else "Some target is not an arm and cannot be pulled.", holds)


def rounding_condition(D: int, zeta: float, form: Form) -> Condition:
    """(d²+d+2)/ζ pulls always suffice on d(d+1)/2 + 1 arms (docs/decisions.md); for 180 d/ζ² it must be checked."""
    if form == "quadratic":
        return Condition("(d²+d+2)/ζ pulls are enough to round any design within 1 + ζ.", True)
    # The ratio to p(1+ζ)/ζ decreases with d (for d = 1 it is far above 1), so the largest d decides.
    holds = all(180 * d / zeta >= (d * (d + 1) / 2 + 1) * (1 + zeta) for d in {1, D})
    words = "are enough" if holds else "are not always enough for the rounding used here"
    return Condition(f"180·d/ζ² pulls {words} to round any design within 1 + ζ up to d = {D}.", holds)
