"""What a user asks the design debugger for; knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from gems_engine.arrays import Floats
from gems_engine.commands.command import real, whole
from gems_engine.errors import InputError
from gems_engine.explanation.scene import Scene
from gems_engine.index_text import parse_targets
from gems_engine.instance import Instance
from gems_engine.rounding import MOST_PULLS
from gems_gui.design_study import CERTIFIED, CustomWeights, Method, Subject
from gems_gui.series.design.study import subject_at
from gems_gui.snapshot import Snapshot

BY_HAND, IMPROVED = "by hand", "improved"


@dataclass(frozen=True, eq=False)
class Inquiry:
    """What is looked at; what is None is as the run has it at the cursor.

    Attributes
    ----------
    chosen, d
        Targets and dimension that the user has picked.
    method
        The solver; a run's own if it is None.
    compared
        Another one, for comparison; None: nothing is beside it.
    pulls
        N for the rounding.
    custom
        Weights from a hand or a file.
    held
        Whether nothing but the hand keeps it where it is when the cursor moves.
    """

    chosen: tuple[int, ...] | None = None
    d: int | None = None
    method: Method | None = None
    compared: Method | None = None
    pulls: int | None = None
    custom: CustomWeights | None = None
    held: bool = False

    @property
    def pinned(self) -> bool:
        """Whether it stays where it is when the cursor moves."""
        return self.chosen is not None or self.d is not None

    def subject(self, snapshot: Snapshot) -> Subject | None:
        """The design problem that this means at a snapshot: all targets in R^D where the run has none before it.

        None for a single target, which has no directions.
        """
        found = subject_at(snapshot)
        if not self.pinned and found is not None:
            return found if self.method is None else replace(found, method=self.method)
        instance = snapshot.instance
        if len(instance.targets) < 2:
            return None
        chosen = self.chosen or (found.chosen if found is not None else tuple(range(len(instance.targets))))
        d = self.d or (found.d if found is not None else instance.D)
        method = self.method or (found.method if found is not None else Method())
        if found is not None and (found.chosen, found.d) == (chosen, d):
            return replace(found, method=method)
        scene = Scene(snapshot.history, snapshot.state)
        pulls = min(ceil(scene.r(d)), MOST_PULLS)
        words = "picked" if self.pinned else "all targets, before the first design"
        return Subject(instance, chosen, d, method, words, pulls, scene.zeta)

    def pinned_to(self, subject: Subject, hand: CustomWeights | None = None) -> Inquiry:
        """The same about this subject, whatever the cursor does; perhaps with weights from elsewhere."""
        held = hand is not None and (self.held or not self.pinned)
        return replace(self, chosen=subject.chosen, d=subject.d, custom=hand or self.custom, held=held)

    def picking(self, chosen: tuple[int, ...], d: int) -> Inquiry:
        """The same about targets and a dimension that the user picks, with their own N."""
        return replace(self, chosen=chosen, d=d, pulls=None, held=False)

    def without_custom(self) -> Inquiry:
        """The same with the solver's own weights, at the cursor again if it was the hand that kept it elsewhere."""
        return self.following() if self.held else replace(self, custom=None)

    def following(self) -> Inquiry:
        """The same about the round at the cursor again, with the solver's own weights and the round's own N."""
        return replace(self, chosen=None, d=None, custom=None, pulls=None, held=False)


def chosen_from(text: str, instance: Instance) -> tuple[int, ...] | None:
    """Targets as they are written, x_3,x_7 or 0-4,9; nothing means: as the run has it."""
    return parse_targets(text, instance.target_labels, "Targets") if text.strip() else None


def method_from(solver: str, tolerance: str) -> Method:
    """A solver and a tolerance as they are written."""
    return Method(solver, real(tolerance.strip() or None, 1e-6, "The tolerance", 0.0, 0.5))


def pulls_from(text: str) -> int | None:
    """N as it is written, with any spaces; nothing means: as the run has it."""
    plain = "".join(text.split())
    return whole(plain, 1, "N", 1, MOST_PULLS) if plain else None


def tolerance_text(method: Method) -> str:
    """A tolerance as :func:`method_from` reads it; empty where the method heeds none."""
    return f"{method.tolerance:g}".replace("e-0", "e-") if method.solver == CERTIFIED else ""


def reweighted(weights: Floats, arm: int, share: float) -> Floats:
    """Weights with another share for one arm; the others keep their proportions.

    An arm that has all the weight shares what it gives evenly with the others.
    """
    if not np.isfinite(share):
        raise InputError(f"A weight is a number from 0 to 1, not {share}.")
    share = min(max(share, 0.0), 1.0)
    rest = np.array(weights, dtype=np.float64)
    rest[arm] = 0.0
    if rest.sum() <= 1e-200:
        if len(rest) == 1:
            return np.ones(1)
        rest[:] = 1.0
        rest[arm] = 0.0
    changed = rest * ((1.0 - share) / rest.sum())
    changed[arm] = share
    return np.asarray(changed)
