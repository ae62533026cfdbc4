"""What the form may say while the truth is hidden; knows no Qt.

The truth is d⋆, the best arm, the gaps, and everything that follows from them. Views leave it out where
``Moment.truth`` is False; texts about the draft go through here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gems_engine.assumptions import Assumption
from gems_engine.instance import Instance
from gems_gui.field_text import INSTANCE

HIDDEN = "hidden"
"""What stands where the truth would."""
REASON = "Hidden with the truth. Shift+T shows it."
ORACLE = (
    "An oracle is told d⋆. Its dimension is not named while the truth is hidden, but its designs, estimates, events, "
    "samples and replicates give it away."
)
TOLD = "no selection: this oracle was told its dimension, which is hidden"
_UNSAID = "This does not fit the rest; why is hidden with the truth, and Shift+T shows it."
_OPEN = frozenset(("D", "n", "m", "seed", "extra_arm"))  # how many features and arms there are, and which dice fell
_ASSUMED = {
    "differences-span": "What the differences to the best target span is hidden.",
    "gaps": "Whether a gap is above 2 is hidden.",
    "unique-best": "Whether the best target is unique is hidden.",
}
_REVEALING = ("d⋆", "best", "gap")


def reveals(name: str) -> bool:
    """Whether a parameter of an instance says something of the truth."""
    return name not in _OPEN


def discreet_errors(errors: Mapping[str, str]) -> dict[str, str]:
    """Refusals by field, with those that speak of the truth unsaid."""
    return {key: discreet_sentence(sentence, key) for key, sentence in errors.items()}


def discreet_sentence(sentence: str, key: str = "") -> str:
    """A refusal, or that its reason is hidden where it would speak of the truth."""
    scope, _, name = key.partition(".")
    secret = (scope == INSTANCE and reveals(name)) or any(word in sentence for word in _REVEALING)
    return _UNSAID if sentence and secret else sentence


def discreet_assumptions(found: Sequence[Assumption]) -> tuple[Assumption, ...]:
    """The paper's assumptions, without those that are about the best target and gaps: they count as holding."""
    return tuple(
        replace(each, holds=True, statement=_ASSUMED[each.name], consequence=REASON) if is_hidden(each) else each
        for each in found
    )


def is_hidden(assumption: Assumption) -> bool:
    """Whether checking this assumption needs the truth."""
    return assumption.name in _ASSUMED


def discreet_name(instance: Instance) -> str:
    """What an instance may be called: the name of one from the gallery has d⋆ and ε in it."""
    return instance.recipe.family or instance.name.partition(":")[0]
