"""Advice on B, n and T of a call: the dimensions they buy and suggested values; independent of Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gems_engine import suggestion
from gems_engine.instance import Instance
from gems_engine.suggestion import SUGGESTING, Setting, Suggestion
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.rulers import Ruler, cost_ruler, sample_ruler
from gems_gui.field_text import ALGORITHM, parsed, refusal_of
from gems_gui.truth import REASON

if TYPE_CHECKING:
    from gems_gui.series.dimension_book import CostCurve

B, T, N = "selection_budget", "budget", "rounds"
_NO_INSTANCE = "Computed when the instance is valid."
_BUILDING = "Building the instance …"
_WAITS = "Suggested when the design in Rᴰ is computed."
_NO_REWARDS = "No n is suggested because the instance has no rewards."
_TIED = "No n is suggested because the best arm is tied."


@dataclass(frozen=True)
class Offer:
    """A suggested value, or the reason why there is none."""

    suggestion: Suggestion | None
    why_none: str = ""


@dataclass(frozen=True)
class Advice:
    """Rulers and suggestions for the parameters of a call, by their names."""

    rulers: Mapping[str, Ruler]
    offers: Mapping[str, Offer]

    def value(self, name: str) -> float | None:
        """The suggestion for a parameter."""
        offer = self.offers.get(name)
        return None if offer is None or offer.suggestion is None else offer.suggestion.value


def advice(
    draft: Draft, instance: Instance | None, curve: CostCurve | None, truth: bool, refused: bool = False
) -> Advice | None:
    """The advice for a draft; None if its algorithm does not take B.

    Parameters
    ----------
    instance
        The built instance, None if there is none yet.
    curve
        Bounds on ι of all targets, as far as they are known.
    truth
        Whether Δ_min may be shown.
    refused
        Whether building the instance failed although all fields are valid.
    """
    if draft.algorithm not in SUGGESTING:
        return None
    names = [name for name in (B, T) if name in dict(draft.texts)]
    if instance is None or curve is None:
        why = _NO_INSTANCE if refused or draft.instance_key() is None else _BUILDING
        return Advice(dict.fromkeys(names, Ruler((), None, why)), dict.fromkeys((*names, N), Offer(None, why)))
    given = _valid(draft)
    setting = Setting.of(instance, draft.algorithm, given)
    offers = {N: _rounds(instance) if truth else Offer(None, REASON)}
    iota = float(curve.upper[instance.D - 1])
    offers[B] = Offer(None, _WAITS) if np.isnan(iota) else Offer(suggestion.selection_budget(setting, iota))
    present = _present(given[B], offers[B])
    if T not in names:
        return Advice({B: cost_ruler(setting, curve, present)}, offers)
    n = given[N]
    offers[T] = Offer(None, _WAITS) if present is None else Offer(suggestion.budget(setting, present, n))
    samples = _present(given[T], offers[T])
    top = None if samples is None else setting.richest(samples, n)
    rulers = {B: cost_ruler(setting, curve, present, top), T: sample_ruler(setting, n, samples)}
    return Advice(rulers, offers)


def _rounds(instance: Instance) -> Offer:
    if not instance.has_rewards:
        return Offer(None, _NO_REWARDS)
    found = suggestion.rounds(instance)
    return Offer(found, "" if found is not None else _TIED)


def _present(typed: float | None, offer: Offer) -> float | None:
    """The value that a run would use."""
    return typed if typed is not None or offer.suggestion is None else offer.suggestion.value


def _valid(draft: Draft) -> dict[str, Any]:
    """The values of the algorithm's parameters, with defaults for invalid texts."""
    typed = dict(draft.texts)
    return {
        each.name: each.default if refusal_of(each, typed[each.name], ALGORITHM) else parsed(each, typed[each.name])
        for each in draft.method.parameters
    }
