"""What the form shows while the truth is hidden; does not import Qt.

The truth is d⋆, the best arm, the gaps, and everything that follows from them. Views omit it if ``Snapshot.truth`` is
False; texts about the draft are filtered here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gems_engine.assumptions import Assumption
from gems_engine.instance import Instance
from gems_gui.field_text import INSTANCE

HIDDEN = "hidden"
"""Placeholder for the truth."""
UNKNOWN = "unknown"
"""Placeholder for the truth of an instance without rewards."""
NO_REWARDS = "The instance has no rewards, so this is unknown."
REASON = "Hidden with the truth. Press T to show it."
ORACLE = (
    "An oracle is told d⋆. Its dimension is hidden with the truth, but its designs, estimates, events, samples and "
    "replicates reveal it."
)
TOLD = "no selection: this oracle was told its dimension, which is hidden"
_UNSAID = "This value does not match the others. The reason is hidden with the truth; press T to show it."
_OPEN = frozenset(  # numbers of features and arms, the seed, and what is made of a file of data
    ("D", "n", "m", "seed", "extra_arm", "features", "scale_rewards")
)
_ASSUMED = {
    "linear": "Whether the rewards are linear is hidden.",
    "differences-span": "The span of the differences to the best target is hidden.",
    "gaps": "Whether a gap is above 2 is hidden.",
    "unique-best": "Whether the best target is unique is hidden.",
}
_REVEALING = ("d⋆", "best", "gap")


def reveals(name: str) -> bool:
    """Whether a parameter of an instance reveals something about the truth."""
    return name not in _OPEN


def discreet_errors(errors: Mapping[str, str]) -> dict[str, str]:
    """Error messages by field; those that reveal the truth are replaced."""
    return {key: discreet_sentence(sentence, key) for key, sentence in errors.items()}


def discreet_sentence(sentence: str, key: str = "") -> str:
    """An error message, or that its reason is hidden if it would reveal the truth."""
    scope, _, name = key.partition(".")
    secret = (scope == INSTANCE and reveals(name)) or any(word in sentence for word in _REVEALING)
    return _UNSAID if sentence and secret else sentence


def discreet_assumptions(found: Sequence[Assumption]) -> tuple[Assumption, ...]:
    """The paper's assumptions; those about the best target and gaps are hidden and count as holding."""
    return tuple(
        replace(each, holds=True, statement=_ASSUMED[each.name], consequence=REASON) if is_hidden(each) else each
        for each in found
    )


def is_hidden(assumption: Assumption) -> bool:
    """Whether checking this assumption needs the truth."""
    return assumption.name in _ASSUMED


def discreet_name(instance: Instance) -> str:
    """The name of an instance without the truth: the name of one from the gallery contains d⋆ and ε."""
    if not instance.has_rewards:
        return instance.name
    return instance.recipe.title or instance.name.partition(":")[0]
