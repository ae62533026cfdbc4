"""Why arms were eliminated, how close the others came, and the estimate behind it."""

from __future__ import annotations

from math import sqrt

import numpy as np

from gems_engine.algorithms.run_context import log_term
from gems_engine.arrays import Integers
from gems_engine.elimination import MOST_COMPARED, Rivals, nearest_rivals
from gems_engine.events import Eliminated, Estimated
from gems_engine.explanation.round import BY_NORM, width_rule
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Paragraph, escape_markup
from gems_engine.terminal import number

MOST_LEAVING = 8
MOST_STAYING = 4
_MOST_FEATURES = 12


def why_estimate(scene: Scene, event: Estimated) -> Paragraph:
    """θ̂_k, and the arm with the largest estimate."""
    d = len(event.theta)
    head = ", ".join(number(float(each), 3) for each in event.theta[:_MOST_FEATURES])
    more = f", … {number(d - _MOST_FEATURES)} more" if d > _MOST_FEATURES else ""
    estimates = scene.instance.targets[scene.survivors, :d] @ event.theta
    first = int(estimates.argmax())
    leader = f"{scene.label(scene.survivors[first])}, ⟨θ̂, ψ(z)⟩ = {number(float(estimates[first]))}"
    sentence = (
        f"θ̂<sub>k</sub> = A<sup>−1</sup>b by least squares in {scene.space(d)}, from the samples of this round alone. "
        f"The largest estimate is that of {leader}."
    )
    return Paragraph("What was estimated", sentence, (f"θ̂<sub>k</sub> = ({head}{more})",))


def why_eliminated(scene: Scene, event: Eliminated) -> Paragraph:
    """Which arms were eliminated and by which, and the smallest margins of those that remain."""
    rule = width_rule(scene.state, scene.survivors)
    sign = rule[0] if rule is not None else "the width"
    gone, left = len(event.targets), event.left
    verb = "is" if gone == 1 else "are"
    heading = f"Why {f'{number(gone)} {verb}' if gone else 'none is'} eliminated"
    sentence = f"z is eliminated if some z′ has ⟨θ̂, y⟩ ≥ {sign}, where y = ψ(z′) − ψ(z). "
    sentence += f"{number(gone)} of {number(gone + left)} {verb}" if gone else f"None of {number(left)} is"
    sentence += f" eliminated; {number(left)} remain{'s' if left == 1 else ''}."
    sentence += _about_the_best(scene, event)
    rivals = rivals_of(scene)
    order = np.argsort(event.widths - event.gaps, kind="stable")
    picked = None if scene.target is None else int(scene.target)
    if picked is not None:
        order = np.concatenate([order[event.targets[order] == picked], order[event.targets[order] != picked]])
    lines = [*_width_lines(scene), *(_leaves(scene, event, int(at), sign) for at in order[:MOST_LEAVING])]
    if gone > MOST_LEAVING:
        lines.append(f"… and {number(gone - MOST_LEAVING)} more, with smaller margins")
    if rivals is not None:
        nearest = _nearest(scene, rivals, event, picked)
        lines += [_stays(scene, rivals, int(at), sign) for at in nearest[:MOST_STAYING]]
        if len(nearest) > MOST_STAYING:
            lines.append(f"… and {number(len(nearest) - MOST_STAYING)} more remain")
        if len(scene.survivors) > MOST_COMPARED:
            sentence += f" Margins are computed among the {number(MOST_COMPARED)} arms closest to elimination."
    return Paragraph(heading, sentence, tuple(lines))


def rivals_of(scene: Scene) -> Rivals | None:
    """For each survivor of the round, the pair that decides about it; None if there is no elimination rule."""
    rule = width_rule(scene.state, scene.survivors)
    if scene.fit is None or rule is None:
        return None
    keep = np.flatnonzero(scene.survivors == (-1 if scene.target is None else scene.target))
    return nearest_rivals(scene.fit, rule[1], keep)


def _width_lines(scene: Scene) -> tuple[str, ...]:
    subroutine = scene.state.subroutine
    if subroutine is None:
        return ()
    if scene.rule in BY_NORM:
        factor = sqrt(2.0 * log_term(scene.survivors, scene.k, subroutine.delta))
        return (
            "ω(z′, z) = √(2·log(|Ŝ<sub>k</sub>|²/δ<sub>k</sub>))·‖y‖<sub>A⁻¹</sub> = "
            f"{number(factor)}·‖y‖<sub>A⁻¹</sub>",
        )
    return (f"the width is 2<sup>−k</sup> = {number(2.0**-scene.k)} for every pair",)


def _leaves(scene: Scene, event: Eliminated, at: int, sign: str) -> str:
    gap, width = number(float(event.gaps[at]), 3), number(float(event.widths[at]), 3)
    return (
        f"<now>{scene.label(event.targets[at])}</now>: ⟨θ̂, y⟩ = {gap} ≥ {escape_markup(sign)} = {width}, "
        f"by {scene.label(event.by[at])}"
    )


def _stays(scene: Scene, rivals: Rivals, at: int, sign: str) -> str:
    name = f"<surviving>{scene.label(scene.survivors[at])}</surviving> remains"
    if rivals.rival[at] < 0 or not np.isfinite(rivals.gap[at]):
        return f"{name}: it equals all others here"
    gap, width = float(rivals.gap[at]), float(rivals.width[at])
    against = scene.label(scene.survivors[rivals.rival[at]])
    return (
        f"{name}: ⟨θ̂, y⟩ = {number(gap, 3)} &lt; {escape_markup(sign)} = {number(width, 3)} against {against}, "
        f"{number(width - gap, 3)} short"
    )


def _nearest(scene: Scene, rivals: Rivals, event: Eliminated, picked: int | None) -> Integers:
    """Positions of the survivors, closest to elimination first; the picked one comes before all."""
    stay = np.flatnonzero(~np.isin(scene.survivors, event.targets))
    short = np.where(np.isfinite(rivals.gap[stay]), rivals.width[stay] - rivals.gap[stay], np.inf)
    order = stay[np.argsort(short, kind="stable")]
    if picked is not None:
        mine = scene.survivors[order] == picked
        order = np.concatenate([order[mine], order[~mine]])
    return np.asarray(order, dtype=np.int64)


def _about_the_best(scene: Scene, event: Eliminated) -> str:
    if not scene.judges:
        return ""
    best = scene.instance.best
    if best in event.targets.tolist():
        return f" <now>The true best, {scene.label(best)}, is eliminated here.</now>"
    if best in scene.survivors.tolist():
        return f" The true best, <best>{scene.label(best)}</best>, remains."
    return f" The true best, <best>{scene.label(best)}</best>, was eliminated before."
