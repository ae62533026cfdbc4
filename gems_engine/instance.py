"""An instance of the problem: arms, targets and their mean rewards, validated once and immutable."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.assumptions import LARGEST_GAP, Assumption, check_assumptions
from gems_engine.errors import InputError
from gems_engine.features import as_name, as_names, as_table, as_vector, linear_rewards, match_rows
from gems_engine.index_text import Labels, targets_text
from gems_engine.misspecification import (
    Level,
    intrinsic_dimension,
    misspecification_curve,
    misspecification_in_full,
)
from gems_engine.parameters import shown
from gems_engine.recipe import Recipe
from gems_engine.rewards import Noise
from gems_engine.span import Span

_UNKNOWN = "so its best arm, its gaps and d⋆ are unknown"
NOT_SIMULATED = "so a run on it cannot be simulated"
"""The consequence for a run, see :meth:`Instance.require_rewards`."""
TIE = 1e-12
"""Targets whose rewards differ by at most this fraction of the largest one are tied: the difference is rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Instance:
    """A transductive linear bandit problem with nested features (section 2).

    Made by ``Instance.linear`` from a parameter, by ``Instance.from_rewards`` from any mean rewards, or by
    ``Instance.from_features`` without rewards, for a real experiment: these are then unknown, and so are the best
    target, the gaps and d⋆.

    Parameters
    ----------
    arms : array_like of shape (K, D)
        𝒳, one row of features for each arm that can be pulled.
    targets : array_like of shape (n, D)
        𝒵, what is compared: the arms, some of them, or other vectors in their span.
    rewards : array_like of shape (K,), optional
        Mean rewards h of the arms; None if they are not known.
    target_rewards : array_like of shape (n,), optional
        Mean rewards h of the targets; None if those of the arms are.
    theta : array_like of shape (D,), optional
        θ⋆, if the rewards are linear.
    noise : Noise or str
        For example ``"gaussian:0.5"``.
    name : str
    recipe : Recipe
        How the instance was made.
    arm_names, target_names, feature_names : sequence of str, optional

    Attributes
    ----------
    target_arms : array of shape (n,) or None
        The arm of each target; None if some target is not an arm (transductive).

    Examples
    --------
    >>> from gems_engine import Instance
    >>> instance = Instance.linear([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]], theta=[1.0, 0.0])
    >>> instance.D, instance.d_star, instance.best, instance.gaps.tolist()
    (2, 1, 0, [0.0, 1.0, 0.4])
    """

    arms: Floats
    targets: Floats
    rewards: Floats | None = None
    target_rewards: Floats | None = None
    theta: Floats | None = None
    noise: Noise = field(default_factory=Noise)
    name: str = ""
    recipe: Recipe = field(default_factory=Recipe)
    arm_names: tuple[str, ...] | None = None
    target_names: tuple[str, ...] | None = None
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        arms = as_table(self.arms, "arms", self.feature_names)
        targets = arms if self.targets is self.arms else as_table(self.targets, "targets", self.feature_names)
        if targets.shape[1] != arms.shape[1]:
            raise InputError(
                f"The targets have {targets.shape[1]} features but the arms have {arms.shape[1]}. "
                "Both must have the same number."
            )
        if len(targets) < 2:
            raise InputError("There is only one target, so there is nothing to compare. Give at least two.")
        put = object.__setattr__
        put(self, "arms", arms)
        put(self, "targets", targets)
        put(self, "noise", Noise.of(self.noise))
        if self.rewards is not None:
            put(self, "rewards", as_vector(self.rewards, "rewards", len(arms), "arm"))
        if self.target_rewards is not None:
            put(self, "target_rewards", as_vector(self.target_rewards, "target_rewards", len(targets), "target"))
        if self.theta is not None:
            put(self, "theta", as_vector(self.theta, "theta", self.D, "feature"))
        put(self, "arm_names", as_names(self.arm_names, "arm_names", len(arms)))
        put(self, "target_names", as_names(self.target_names, "target_names", len(targets)))
        put(self, "feature_names", as_names(self.feature_names, "feature_names", self.D))
        put(self, "name", as_name(self.name, "name"))
        self._check()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or pickle; the arrays of a pickle are writeable."""
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)

    def _check(self) -> None:
        absent = [each is None for each in (self.rewards, self.target_rewards)]
        if any(absent) and not (all(absent) and self.theta is None):
            raise InputError(
                "The rewards of the arms and of the targets must both be given, or neither and no theta. "
                "Instance.linear computes them from theta."
            )
        if not self.arms.any():
            raise InputError("Every feature of every arm is 0. At least one must be different from 0.")
        if self.target_arms is None:
            outside = self.span.outside(self.targets)
            if outside:
                raise InputError(
                    f"targets[{outside[0]}] lies outside the span of the arms ({len(outside)} such targets), so its "
                    "reward cannot be learned from them. Add arms or remove the target."
                )
        if self.rewards is None or self.target_rewards is None:
            return
        if self.theta is not None:
            _check_linear(self.arms, self.theta, self.rewards, "rewards")
            _check_linear(self.targets, self.theta, self.target_rewards, "target_rewards")
        self.noise.check_means(self.rewards, self.arm_names)

    # -- makers ---------------------------------------------------------------------------------------------

    @classmethod
    def linear(cls, arms: ArrayLike, theta: ArrayLike, targets: ArrayLike | None = None, **rest: Any) -> "Instance":
        """An instance with rewards h(x) = ⟨θ, x⟩.

        Parameters
        ----------
        arms : array_like of shape (K, D)
            𝒳.
        theta : array_like of shape (D,)
            θ⋆.
        targets : array_like of shape (n, D), optional
            𝒵; by default the arms.
        rest
            ``noise``, ``name``, ``recipe``, ``arm_names``, ``target_names`` and ``feature_names``, as for the class.
        """
        table = as_table(arms, "arms", rest.get("feature_names"))
        goals = table if targets is None else as_table(targets, "targets", rest.get("feature_names"))
        parameter = as_vector(theta, "theta", table.shape[1], "feature")
        known = goals.shape[1] == table.shape[1]  # if not, the constructor says so
        goals_rewards = linear_rewards(goals, parameter) if known else np.zeros(len(goals))
        rest = _names_for_targets(rest, targets)
        return cls(table, goals, linear_rewards(table, parameter), goals_rewards, parameter, **rest)

    @classmethod
    def from_rewards(
        cls,
        arms: ArrayLike,
        rewards: ArrayLike,
        targets: ArrayLike | None = None,
        target_rewards: ArrayLike | None = None,
        **rest: Any,
    ) -> "Instance":
        """An instance with any mean rewards, linear or not.

        Parameters
        ----------
        arms : array_like of shape (K, D)
            𝒳.
        rewards : array_like of shape (K,)
            h of the arms.
        targets : array_like of shape (n, D), optional
            𝒵; by default the arms.
        target_rewards : array_like of shape (n,), optional
            h of the targets; not needed if all of them are arms.
        rest
            ``noise``, ``name``, ``recipe``, ``arm_names``, ``target_names`` and ``feature_names``, as for the class.
        """
        table = as_table(arms, "arms", rest.get("feature_names"))
        means = as_vector(rewards, "rewards", len(table), "arm")
        goals = table if targets is None else as_table(targets, "targets", rest.get("feature_names"))
        if target_rewards is None:
            target_rewards = rewards_of_targets(table, goals, means)
        rest = _names_for_targets(rest, targets)
        return cls(table, goals, means, np.asarray(target_rewards), **rest)

    @classmethod
    def from_features(cls, arms: ArrayLike, targets: ArrayLike | None = None, **rest: Any) -> "Instance":
        """An instance whose rewards are not known, for a real experiment.

        A :class:`~gems_engine.session.Session`, or a run with a function ``rewards``, collects rewards of its arms.
        What depends on the true rewards (a simulation, the best target, the gaps, d⋆) is refused.

        Parameters
        ----------
        arms : array_like of shape (K, D)
            𝒳.
        targets : array_like of shape (n, D), optional
            𝒵; by default the arms.
        rest
            ``noise``, ``name``, ``recipe``, ``arm_names``, ``target_names`` and ``feature_names``, as for the class.

        Examples
        --------
        >>> from gems_engine import Instance
        >>> pills = Instance.from_features([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], arm_names=("red", "blue", "both"))
        >>> pills.has_rewards
        False
        """
        table = as_table(arms, "arms", rest.get("feature_names"))
        goals = table if targets is None else as_table(targets, "targets", rest.get("feature_names"))
        return cls(table, goals, **_names_for_targets(rest, targets))

    def with_noise(self, noise: Noise | str) -> "Instance":
        """The same instance with another noise, for example ``"gaussian:0.5"``."""
        return replace(self, noise=Noise.of(noise))

    def with_scaled_rewards(self) -> "Instance":
        """The instance with all rewards divided by one number, so that the largest gap is at most 2; itself if it is.

        The number is half the largest gap, rounded up to three digits. Rewards that are linear stay linear, because
        nothing is added. The noise stays as it is, and is in the new units: σ = 1 is as much as the number before.
        """
        rewards, target_rewards = self.require_rewards("so there are no rewards to scale")
        largest = float(self.gaps.max())
        if largest <= LARGEST_GAP:
            return self
        number = _rounded_up(largest / LARGEST_GAP)
        step = f"rewards divided by {number:g}"
        settings = self.recipe.settings if self.recipe.family else (*self.recipe.settings, ("scale_rewards", True))
        return replace(
            self,
            rewards=rewards / number,
            target_rewards=target_rewards / number,
            theta=None if self.theta is None else self.theta / number,
            recipe=replace(self.recipe, settings=settings, steps=(*self.recipe.steps, step)),
        )

    def truncated(self, d: int) -> "Instance":
        """The instance with only the first d features; its rewards do not change, linear or not."""
        if isinstance(d, bool) or not isinstance(d, int | np.integer) or not 1 <= d <= self.D:
            raise InputError(
                f"The dimension d = {shown(d)} is not allowed: it must be a whole number from 1 to {self.D}."
            )
        keeps = self.theta is not None and not self.theta[d:].any()
        recipe = replace(self.recipe, steps=(*self.recipe.steps, f"first {d} features"))
        return replace(
            self,
            arms=self.arms[:, :d],
            targets=self.targets[:, :d],
            theta=self.theta[:d] if keeps and self.theta is not None else None,
            recipe=recipe,
            feature_names=self.feature_names[:d] if self.feature_names else None,
        )

    def comparing(self, targets: Sequence[int]) -> "Instance":
        """The instance restricted to these targets, which keep their labels."""
        chosen = list(targets)
        if chosen == list(range(len(self.targets))):
            return self
        return replace(
            self,
            targets=self.targets[chosen],
            target_rewards=None if self.target_rewards is None else self.target_rewards[chosen],
            target_names=tuple(self.target_label(i) for i in chosen),
            recipe=replace(self.recipe, steps=(*self.recipe.steps, f"targets {targets_text(chosen)}")),
        )

    # -- what it knows --------------------------------------------------------------------------------------

    @property
    def D(self) -> int:
        """Ambient dimension."""
        return int(self.arms.shape[1])

    @property
    def has_rewards(self) -> bool:
        """Whether the mean rewards are known, and with them the best target, the gaps and d⋆."""
        return self.rewards is not None

    def require_rewards(self, consequence: str = _UNKNOWN) -> tuple[Floats, Floats]:
        """The mean rewards of the arms and of the targets.

        Raises
        ------
        InputError
            If they are not known; ``consequence`` is a part of its sentence.
        """
        if self.rewards is None or self.target_rewards is None:
            raise InputError(
                f"The instance has no mean rewards, {consequence}. Add them, or collect rewards in an experiment with "
                "a Session or a function from Python."
            )
        return self.rewards, self.target_rewards

    @cached_property
    def span(self) -> Span:
        """The space that the arms span."""
        return Span(self.arms)

    @cached_property
    def _positions(self) -> Integers:
        """The arm that equals each target in features and reward (if that is known), or −1."""
        if (self.targets is self.arms or np.array_equal(self.targets, self.arms)) and (
            not self.has_rewards or np.array_equal(*self.require_rewards())
        ):
            return frozen(np.arange(len(self.arms)), np.int64)
        if not self.has_rewards:
            return match_rows(self.targets, self.arms)
        rewards, target_rewards = self.require_rewards()
        return match_rows(np.column_stack([self.targets, target_rewards]), np.column_stack([self.arms, rewards]))

    @cached_property
    def target_arms(self) -> Integers | None:
        """The arm of each target, or None if some target is not an arm."""
        return None if (self._positions < 0).any() else self._positions

    @property
    def target_kind(self) -> str:
        """What a target is called: "arm" if every target is one."""
        return "target" if self.target_arms is None else "arm"

    @cached_property
    def gaps(self) -> Floats:
        """Δ_z = h(z⋆) − h(z) for every target; differences due to rounding are 0."""
        _, rewards = self.require_rewards()
        gaps = rewards.max() - rewards
        gaps[gaps <= TIE * np.abs(rewards).max()] = 0.0
        return frozen(gaps)

    @cached_property
    def best(self) -> int:
        """Index of the best target z⋆; the first of several tied ones."""
        return int(np.flatnonzero(self.gaps == 0)[0])

    @cached_property
    def best_is_unique(self) -> bool:
        """Whether one target is better than all others."""
        return int((self.gaps == 0).sum()) == 1

    @cached_property
    def min_gap(self) -> float:
        """Δ_min, the smallest gap of a target other than the best: 0 if the best is tied."""
        return float(np.delete(self.gaps, self.best).min())

    @cached_property
    def d_star(self) -> int | None:
        """d⋆: the last coordinate that θ uses, or the smallest d in which the rewards are linear, or None."""
        if self.theta is not None:
            return int(np.flatnonzero(self.theta)[-1]) + 1 if self.theta.any() else 1
        return intrinsic_dimension(*self.union)

    def S(self, k: int) -> Integers:
        """S_k = {z : Δ_z < 4·2^−k} as sorted indices; S_1 is all of 𝒵, and z⋆ is in every one."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InputError(f"S_k is defined for whole numbers k of at least 1, not for {shown(k)}.")
        if k == 1:
            return frozen(np.arange(len(self.targets)), np.int64)
        limit = math.ldexp(4.0, -int(min(k, 5000)))  # 0 for large k, without overflow
        return frozen(np.flatnonzero((self.gaps < limit) | (self.gaps == 0)), np.int64)

    @cached_property
    def union(self) -> tuple[Floats, Floats]:
        """Features and rewards of 𝒳 ∪ 𝒵: the arms, then the targets that are not arms."""
        rewards, target_rewards = self.require_rewards()
        new = self._positions < 0
        if not new.any():
            return self.arms, rewards
        return (
            frozen(np.vstack([self.arms, self.targets[new]])),
            frozen(np.append(rewards, target_rewards[new])),
        )

    @cached_property
    def linear_fit(self) -> Level:
        """γ̃(D): how far the rewards are from linear in all features, with the best fit; computed once."""
        return misspecification_in_full(self)

    @cached_property
    def _curve(self) -> tuple[Level, ...]:
        return misspecification_curve(self)

    def misspecification(self) -> tuple[Level, ...]:
        """γ̃(d) with its fit and its proof, for d = 1, …, D (section 6); computed once."""
        return self._curve

    def assumptions(self) -> tuple[Assumption, ...]:
        """The paper's assumptions: whether each holds, and what breaks if it does not.

        Without rewards only two: those about linearity, the best target and the gaps depend on them.
        """
        return check_assumptions(self)

    def require_unique_best(self) -> None:
        """Raise InputError if the best target is tied, for goals that need a single best arm."""
        _, rewards = self.require_rewards()
        if not self.best_is_unique:
            raise InputError(
                f"There is no single best target: {self.tied_labels()} are tied for the best reward, "
                f"{rewards[self.best]:.6g}. Change the instance, or choose GEMS (misspecified), which accepts any "
                "target within 2ε of the best."
            )

    def tied_labels(self) -> str:
        """The labels of the first five best targets, with indices if one occurs twice, and how many more there are."""
        tied = np.flatnonzero(self.gaps == 0).tolist()
        labels = [self.target_label(i) for i in tied[:5]]
        if len(set(labels)) < len(labels):
            indices = tied if self.target_arms is None else self.target_arms[tied].tolist()
            labels = [f"{label} ({self.target_kind} {i})" for label, i in zip(labels, indices, strict=False)]
        more = [f"{len(tied) - 5} more"] if len(tied) > 5 else []
        *head, last = labels + more
        return f"{', '.join(head)} and {last}" if head else last

    def arm_label(self, i: int) -> str:
        """An arm in words: its name, or its index."""
        return self.arm_names[i] if self.arm_names and self.arm_names[i] else f"arm {i}"

    def target_label(self, i: int) -> str:
        """A target in words: its name, or its index; one that is an arm is called as that is."""
        if self.target_names and self.target_names[i]:
            return self.target_names[i]
        return f"target {i}" if self.target_arms is None else self.arm_label(int(self.target_arms[i]))

    def feature_label(self, j: int) -> str:
        """A feature in words: the name of its column, or its number from 1."""
        return self.feature_names[j] if self.feature_names and self.feature_names[j] else f"feature {j + 1}"

    @cached_property
    def target_labels(self) -> Labels:
        """How targets are written and found: by label or index."""
        return Labels(len(self.targets), self.target_label, self.target_kind)

    @cached_property
    def arm_labels(self) -> Labels:
        """How arms are written and found: by label or index."""
        return Labels(len(self.arms), self.arm_label, "arm")

    @cached_property
    def feature_labels(self) -> Labels:
        """How features are written and found: by name, or by number from 1."""
        return Labels(self.D, self.feature_label, "feature", first=1)

    # -- identity -------------------------------------------------------------------------------------------

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that a run depends on (not of names and recipe): a key for caches."""
        state = hashlib.sha256(f"gems-instance {self.noise}".encode())
        for array in (self.arms, self.targets, self.rewards, self.target_rewards, self.theta):
            if array is None:
                state.update(b"none")
            else:
                state.update(f"{array.shape}".encode())
                state.update((array + 0.0).astype("<f8").tobytes())  # + 0.0 makes −0 equal to 0
        return state.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        return self.digest == other.digest and self._words() == other._words()

    def __hash__(self) -> int:
        return hash(self.digest)

    def _words(self) -> tuple[Any, ...]:
        return self.name, self.recipe, self.arm_names, self.target_names, self.feature_names

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, because a pickled numpy array is no longer read-only.
        targets = None if self.targets is self.arms else self.targets
        numbers = (self.arms, targets, self.rewards, self.target_rewards, self.theta)
        return _rebuilt, (*numbers, self.noise, *self._words())

    def __repr__(self) -> str:
        same = "the arms" if self.targets is self.arms else f"{len(self.targets)}"
        return f"<Instance {self.name or 'unnamed'}: {len(self.arms)} arms in R^{self.D}, targets: {same}>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import instance_html

        return instance_html(self)


def _rounded_up(value: float) -> float:
    """A positive number rounded up to three digits."""
    exponent = math.floor(math.log10(value)) - 2
    number = float(f"{math.ceil(value / 10.0**exponent)}e{exponent}")
    return number if number >= value else float(f"{math.ceil(value / 10.0**exponent) + 1}e{exponent}")


def _rebuilt(
    arms: Floats,
    targets: Floats | None,
    rewards: Floats | None,
    target_rewards: Floats | None,
    theta: Floats | None,
    noise: Noise,
    name: str,
    recipe: Recipe,
    arm_names: tuple[str, ...] | None,
    target_names: tuple[str, ...] | None,
    feature_names: tuple[str, ...] | None,
) -> Instance:
    goals = arms if targets is None else targets
    words = (name, recipe, arm_names, target_names, feature_names)
    return Instance(arms, goals, rewards, target_rewards, theta, noise, *words)


def rewards_of_targets(arms: Floats, targets: Floats, rewards: Floats) -> Floats:
    """Rewards of targets that are arms, by their features."""
    if targets is arms or np.array_equal(targets, arms):
        return rewards
    if targets.shape[1] != arms.shape[1]:
        return np.zeros(len(targets))  # the constructor says what is wrong
    places = match_rows(targets, arms)
    if (places < 0).any():
        i = int(np.flatnonzero(places < 0)[0])
        raise InputError(
            f"targets[{i}] is not one of the arms, so its reward must be given. "
            f"Add theta or {len(targets)} target_rewards."
        )
    return rewards[places]


def _names_for_targets(rest: dict[str, Any], targets: ArrayLike | None) -> dict[str, Any]:
    if targets is None and "target_names" not in rest:
        rest = {**rest, "target_names": rest.get("arm_names")}
    return rest


def _check_linear(features: Floats, theta: Floats, rewards: Floats, field_name: str) -> None:
    expected = linear_rewards(features, theta)
    sizes = linear_rewards(np.abs(features), np.abs(theta))
    wrong = np.flatnonzero(~(np.abs(rewards - expected) <= 1e-9 * np.maximum(np.abs(rewards), sizes)))
    if wrong.size:
        i = int(wrong[0])
        raise InputError(
            f"{field_name}[{i}] is {rewards[i]:.9g} but theta gives {expected[i]:.9g}. Omit theta if the rewards are "
            "not linear."
        )
