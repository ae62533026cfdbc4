"""What a user asks the design debugger for. Does not import Qt."""

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
    """What to examine; attributes that are None follow the run at the cursor.

    Attributes
    ----------
    chosen, d
        Targets and dimension chosen by the user.
    method
        The solver; None for that of the run.
    compared
        A second solver to compare with, or None.
    pulls
        N for the rounding.
    custom
        Weights set by hand or read from a file.
    held
        Whether it is pinned only because of custom weights.
    fixed
        The design problem that it is pinned to, as it was then.
    """

    chosen: tuple[int, ...] | None = None
    d: int | None = None
    method: Method | None = None
    compared: Method | None = None
    pulls: int | None = None
    custom: CustomWeights | None = None
    held: bool = False
    fixed: Subject | None = None

    @property
    def pinned(self) -> bool:
        """Whether it does not follow the cursor."""
        return self.chosen is not None or self.d is not None

    def subject(self, snapshot: Snapshot) -> Subject | None:
        """The design problem at a snapshot; before the first design of the run, all targets in R^D.

        None for a single target, which has no directions.
        """
        found = self.fixed or self._subject_at(snapshot)
        return found if found is None or self.method is None else replace(found, method=self.method)

    def _subject_at(self, snapshot: Snapshot) -> Subject | None:
        found = subject_at(snapshot)
        if not self.pinned and found is not None:
            return found
        instance = snapshot.instance
        if len(instance.targets) < 2:
            return None
        chosen = self.chosen or (found.chosen if found is not None else tuple(range(len(instance.targets))))
        d = self.d or (found.d if found is not None else instance.D)
        if found is not None and (found.chosen, found.d) == (chosen, d):
            return found
        method = found.method if found is not None else Method()
        scene = Scene(snapshot.history, snapshot.state)
        pulls = min(ceil(scene.r(d)), MOST_PULLS)
        words = "custom" if self.pinned else "all targets, before the first design"
        return Subject(instance, chosen, d, method, words, pulls, scene.zeta)

    def pinned_to(self, subject: Subject, hand: CustomWeights | None = None) -> Inquiry:
        """The same inquiry, pinned to this subject, with custom weights if they are given."""
        held = hand is not None and (self.held or not self.pinned)
        return replace(self, chosen=subject.chosen, d=subject.d, custom=hand or self.custom, held=held, fixed=subject)

    def fixed_at(self, snapshot: Snapshot) -> Inquiry:
        """The same inquiry; if it is pinned, what it is about no longer depends on the cursor."""
        return replace(self, fixed=self.subject(snapshot)) if self.pinned and self.fixed is None else self

    def picking(self, chosen: tuple[int, ...], d: int) -> Inquiry:
        """The same inquiry about other targets and another dimension, with the N of that design."""
        return replace(self, chosen=chosen, d=d, pulls=None, held=False, fixed=None)

    def without_custom(self) -> Inquiry:
        """The same inquiry with the solver's weights; it follows the cursor again if only custom weights pinned it."""
        return self.following() if self.held else replace(self, custom=None)

    def following(self) -> Inquiry:
        """The same inquiry about the round at the cursor, with the solver's weights and the N of the round."""
        return replace(self, chosen=None, d=None, custom=None, pulls=None, held=False, fixed=None)


def chosen_from(text: str, instance: Instance) -> tuple[int, ...] | None:
    """Targets from a text such as x_3,x_7 or 0-4,9; None if it is empty."""
    return parse_targets(text, instance.target_labels, "Targets") if text.strip() else None


def method_from(solver: str, tolerance: str) -> Method:
    """A method from a solver and the text of a tolerance."""
    return Method(solver, real(tolerance.strip().replace("−", "-") or None, 1e-6, "The tolerance", 0.0, 0.5))


def pulls_from(text: str) -> int | None:
    """N from a text, which may contain spaces; None if it is empty."""
    plain = "".join(text.split())
    return whole(plain, 1, "N", 1, MOST_PULLS) if plain else None


def tolerance_text(method: Method) -> str:
    """A tolerance as :func:`method_from` reads it; empty if the method has none."""
    return f"{method.tolerance:g}".replace("e-0", "e−") if method.solver == CERTIFIED else ""


def reweighted(weights: Floats, arm: int, share: float) -> Floats:
    """Weights with another share for one arm; the others keep their proportions.

    If the arm has all the weight, what it loses is shared equally by the others.
    """
    if not np.isfinite(share):
        raise InputError(f"A weight must be a number from 0 to 1, not {share}.")
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
