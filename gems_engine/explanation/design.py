"""Why these weights: the value of the design, its proof, its support and the pair that it is worst for."""

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
from gems_engine.terminal import number

_MOST_ARMS = 8
_MOST_COUNTED = 2000  # survivors whose pairs are all looked at
_BATCH = 64  # points that are compared with all others at one time


def why_weights(scene: Scene, event: DesignSolved) -> Paragraph:
    """Why λ_k."""
    heading = "Why these weights λ<sub>k</sub>"
    count, d = len(scene.survivors), event.d
    if event.value == 0.0 or event.status == "trivial":
        return Paragraph(
            heading, f"All survivors are equal in {scene.space(d)}: every direction is 0 and any λ will do."
        )
    what = (
        f"any two of the {number(count)} survivors"
        if scene.rule
        else "the best target and any other, in units of their gap"
    )
    # The published rule asks for no proof, whatever the gap happens to be.
    proven = event.status != "as published" and event.is_proven
    does, so = ("makes", "it is XY-optimal.") if proven else ("should make", "that it does is not proven.")
    sentence = (
        f"λ {does} the longest of all directions y between {what} as short as it can be, in the norm of "
        f"A(λ)<sup>−1</sup> in {scene.space(d)}: {so} {_proof(event)}"
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
    return f"; {number(ties)} other pair{' is' if ties == 1 else 's are'} as long within a part of {number(epsilon, 2)}"


def _bounds(event: DesignSolved) -> str:
    """What is known about the optimum, and how."""
    if event.proof:
        return f"proven optimum ≥ {number(event.lower_bound, 6)}"
    return f"optimum ≥ {number(event.lower_bound, 6)} as computed; this file's version did not count rounding errors"


def _proof(event: DesignSolved) -> str:
    gap = event.gap
    iterations = f"{number(event.iterations)} iteration{'' if event.iterations == 1 else 's'}"
    if event.status == "exact":
        how = f", {how_proven(escape_markup(event.proof))}" if event.proof else ""
        return f"All directions lie on one line, so a linear program gives the optimum exactly{how}."
    if event.status == "as published":
        known = (
            f"by its own bound it may be {number(100 * gap, 3)} % above the optimum; the design debugger looks for a "
            "better one"
            if np.isfinite(gap)
            else "nothing is proven"
        )
        return f"<now>{escape_markup(event.solver)} stopped by its published rule after {iterations}: {known}.</now>"
    if gap <= event.tolerance:
        how = how_proven(escape_markup(event.proof)) if event.proof else "as computed, without counting rounding errors"
        return f"Its value is within a part of {number(gap, 2)} of the optimum after {iterations}, {how}."
    return (
        f"<now>There is no certificate: {escape_markup(event.status)} after {iterations}, gap {number(gap, 3)}.</now>"
    )


@one_blas_thread()
def active_pair(problem: DesignProblem, event: DesignSolved, arms: int) -> tuple[int, int, float, int | None] | None:
    """Two survivors (their positions) whose direction is the longest under the design, its squared norm, its equals.

    The event knows how long that is, so that the search ends at the first pair that reaches it. Its equals are how many
    other pairs of survivors are active (:func:`active_epsilon`); None where there are too many survivors to count them.
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
    """How many pairs are so far apart, squared; each point stands for so many."""
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
    """Two points as far apart as any: squared, ``reach`` or all but."""
    squares = np.einsum("ij,ij->i", points, points)
    # Those far out are likely ends of a longest direction.
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
