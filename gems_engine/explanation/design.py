"""Why these weights: the value of the design, its proof, its support and its longest pair."""

from __future__ import annotations

import numpy as np

from gems_engine.arrays import Floats, Integers
from gems_engine.blas import one_blas_thread
from gems_engine.design.directions import PairDirections
from gems_engine.design.equivalence import active_epsilon
from gems_engine.design.information import Information
from gems_engine.design.problem import DesignProblem
from gems_engine.design.result import how_proven
from gems_engine.events import DesignSolved
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Paragraph, escape_markup
from gems_engine.terminal import number, plural

_MOST_ARMS = 8
_MOST_COUNTED = 2000  # survivors up to which all pairs are counted
_BATCH = 64  # points compared with all others at a time


def why_weights(scene: Scene, event: DesignSolved) -> Paragraph:
    """Why λ_k."""
    heading = "Why these weights λ<sub>k</sub>"
    count, d = len(scene.survivors), event.d
    if event.value == 0.0 or event.status == "trivial":
        return Paragraph(
            heading, f"All survivors are equal in {scene.space(d)}: every direction is 0, so any λ is optimal."
        )
    what = (
        f"any two of the {number(count)} survivors"
        if scene.rule
        else "the best target and any other, in units of their gap"
    )
    # The published rule claims no proof, however small the gap is.
    proven = event.status != "as published" and event.is_proven
    does, so = ("minimises", "it is XY-optimal") if proven else ("should minimise", "this is not proven")
    sentence = (
        f"λ {does} the longest direction y between {what}, in the norm of A(λ)<sup>−1</sup> in {scene.space(d)}: "
        f"{so}. {_proof(event)}"
    )
    pair = active_pair(scene.problem, event, len(scene.instance.arms)) if scene.problem is not None else None
    lines = [f"max<sub>y</sub> ‖y‖² = {number(event.value, 6)}, {_bounds(event)}"]
    if pair is not None:
        one, other, square, ties = pair
        names = f"{scene.label(scene.survivors[one])} and {scene.label(scene.survivors[other])}"
        lines.append(
            f"longest pair: {names}, ‖ψ(z′) − ψ(z)‖² = {number(square, 6)}{_others(ties, active_epsilon(event.gap))}"
        )
    order = np.argsort(-event.weights, kind="stable")[:_MOST_ARMS]
    arms = ", ".join(
        f"{escape_markup(scene.instance.arm_label(int(event.support[at])))} {number(float(event.weights[at]), 3)}"
        for at in order
    )
    more = f" and {number(len(event.support) - _MOST_ARMS)} more" if len(event.support) > _MOST_ARMS else ""
    total = number(len(scene.instance.arms))
    lines.append(f"support: {number(len(event.support))} of {total} arms: {arms}{more}")
    return Paragraph(heading, sentence, tuple(lines))


def _others(ties: int | None, epsilon: float) -> str:
    """How many other pairs are as long."""
    if not ties:
        return "" if ties == 0 else "; others may be as long"
    return (
        f"; {plural(ties, 'other pair is', 'other pairs are')} as long, within a relative error of {number(epsilon, 2)}"
    )


def _bounds(event: DesignSolved) -> str:
    """What is known about the optimum."""
    if event.proof:
        return f"proven optimum ≥ {number(event.lower_bound, 6)}"
    return f"optimum ≥ {number(event.lower_bound, 6)} as computed; this file format does not include rounding errors"


def _proof(event: DesignSolved) -> str:
    gap = event.gap
    iterations = plural(event.iterations, "iteration")
    if event.status == "exact":
        how = f", {how_proven(escape_markup(event.proof))}" if event.proof else ""
        return f"All directions lie on one line, so a linear program gives the optimum exactly{how}."
    if event.status == "as published":
        known = (
            f"its own bound allows it to be {number(100 * gap, 3)} % above the optimum; open the design debugger to "
            "look for a better one"
            if np.isfinite(gap)
            else "nothing is proven"
        )
        return f"<now>{escape_markup(event.solver)} stopped by its published rule after {iterations}: {known}.</now>"
    if gap <= event.tolerance:
        how = how_proven(escape_markup(event.proof)) if event.proof else "as computed, without rounding errors"
        return f"After {iterations}, the relative gap to the optimum is at most {number(gap, 2)}, {how}."
    return f"<now>No certificate: {escape_markup(event.status)} after {iterations}, gap {number(gap, 3)}.</now>"


@one_blas_thread()
def active_pair(problem: DesignProblem, event: DesignSolved, arms: int) -> tuple[int, int, float, int | None] | None:
    """The positions of the two survivors with the longest direction, its squared norm, and the number of ties.

    The event records the length, so the search ends at the first pair that reaches it. Ties are the other active pairs
    of survivors (:func:`active_epsilon`); None if there are too many survivors to count them.
    """
    directions = problem.geometry.directions
    if not isinstance(directions, PairDirections):
        return None
    weights = np.zeros(arms)
    weights[event.support] = event.weights
    white = directions.points @ Information.of(problem.geometry.arms, weights).inverse_root
    one, other = _farthest(white, event.value / problem.geometry.unit**2)
    square = float(((white[one] - white[other]) ** 2).sum()) * problem.geometry.unit**2
    kept = problem.geometry.kept
    first, second = sorted((int(kept[one]), int(kept[other])))
    ties = None
    if len(white) <= _MOST_COUNTED:
        sizes = np.bincount(problem.geometry.place, minlength=len(white))
        ties = _as_far(white, sizes, (1.0 - active_epsilon(event.gap)) * square / problem.geometry.unit**2) - 1
    return first, second, square, ties


def _as_far(points: Floats, sizes: Integers, reach: float) -> int:
    """The number of pairs at least this squared distance apart; each point counts with its size."""
    squares = np.einsum("ij,ij->i", points, points)
    count = 0
    for start in range(0, len(points), _BATCH):
        end = start + _BATCH
        table = points[start:end] @ points[start:].T
        table *= -2.0
        table += squares[start:end, None]
        table += squares[start:]
        one, other = np.nonzero(table >= reach)
        once = other > one
        count += int(sizes[start + one[once]] @ sizes[start + other[once]])
    return count


def _farthest(points: Floats, reach: float) -> tuple[int, int]:
    """Two points at the largest distance, whose square is ``reach`` up to rounding."""
    squares = np.einsum("ij,ij->i", points, points)
    # Points far from the centre are likely ends of a longest direction.
    order = np.argsort(-((points - points.mean(axis=0)) ** 2).sum(axis=1), kind="stable")
    best, pair = -1.0, (0, min(1, len(points) - 1))
    for start in range(0, len(order), _BATCH):
        some = order[start : start + _BATCH]
        table = squares[some][:, None] + squares[None, :] - 2.0 * (points[some] @ points.T)
        row, column = divmod(int(table.argmax()), len(points))
        if table[row, column] > best:
            best, pair = float(table[row, column]), (int(some[row]), column)
        if best >= reach * (1.0 - 1e-9):
            break
    return pair
