"""What a run starts with, and why a call has its n, B and δ."""

from __future__ import annotations

from gems_engine.algorithms import algorithm_title, installed_algorithm, subroutine_title
from gems_engine.complexity.schedule import BudgetGrid
from gems_engine.events import EPSILON, RunStarted, SubroutineStarted
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Paragraph, escape_markup
from gems_engine.terminal import number, plural
from gems_engine.wording import parameter_text

_DELTA_PARTS = {"fixed-confidence": 2.0, "misspecified-best-arm": 2.0, "misspecified": 4.0}
"""δ_ℓ = δ/(part·ℓ³)."""


def what_begins(scene: Scene, event: RunStarted) -> Paragraph:
    """The run itself."""
    known = installed_algorithm(event.algorithm)
    instance = scene.instance
    count, D = number(len(instance.arms)), instance.D
    sentence = f"<b>{escape_markup(algorithm_title(event.algorithm))}</b>"
    sentence += f": {escape_markup(known.summary)}" if known is not None else "."
    sentence += f" {count} arms in R<sup>{D}</sup>, seed {event.seed}. "
    epsilon = event.parameters.get("epsilon")
    sentence += (
        f"The goal is any arm within 2ε = {number(2.0 * float(epsilon), 3)} of the best."
        if event.goal == EPSILON and isinstance(epsilon, int | float)
        else "The goal is the best arm."
    )
    if scene.judges:
        d = instance.d_star
        sentence += f" The truth: {f'd⋆ = {d}' if d is not None else 'there is no d⋆'}, and the best arm is "
        sentence += f"<best>{scene.label(instance.best)}</best>."
    given = tuple(map(escape_markup, parameter_text(event)))
    return Paragraph("What starts", sentence, given)


def why_subroutine(scene: Scene, event: SubroutineStarted) -> Paragraph:
    """Where n, B and δ, or the budget, come from."""
    where, title = event.place, escape_markup(subroutine_title(event.name))
    sentence = f"<b>{title}</b> starts with all {plural(scene.state.targets, 'target')}."
    given = scene.parameters
    algorithm = scene.algorithm
    lines: tuple[str, ...]
    if algorithm in _DELTA_PARTS:
        base, ell, i = given.get("base", 2), where.ell, where.i
        part = _DELTA_PARTS[algorithm]
        sentence += " In each loop ℓ, the first calls have few rounds and a large B, the last ones many rounds."
        lines = (
            f"n = β<sup>i</sup> = {base}<sup>{i}</sup> = {number(event.rounds)}",
            f"B = β<sup>ℓ−i</sup> = {base}<sup>{ell - i}</sup> = {number(event.selection_budget)}",
            f"δ<sub>ℓ</sub> = δ/({number(part)}ℓ³) = {number(given.get('delta'), 3)}/({number(part)}·{ell}³) = "
            f"{number(event.delta, 3)}",
        )
    elif algorithm == "fixed-budget" and isinstance(given.get("budget"), int):
        lines = _grid_lines(BudgetGrid.of(given["budget"]), event)
    elif event.name == "rage":
        sentence += " It eliminates until one arm remains. There is no selection budget."
        lines = (f"δ = {number(event.delta, 3)}",)
    else:
        sentence += " Its n and B are parameters of the run."
        last = f"T = {number(event.budget)}" if event.budget else f"δ = {number(event.delta, 3)}"
        lines = (f"n = {number(event.rounds)}", f"B = {number(event.selection_budget)}", last)
    return Paragraph("Why this call", sentence, lines)


def _grid_lines(grid: BudgetGrid, event: SubroutineStarted) -> tuple[str, ...]:
    i, j = event.place.ell, event.place.i
    q = grid.q_of(i)
    return (
        f"B<sub>i</sub> = 2<sup>i</sup> = 2<sup>{i}</sup> = {number(event.selection_budget)}",
        f"n<sub>j</sub> = 2<sup>j</sup> = 2<sup>{j}</sup> = {number(event.rounds)}",
        f"T″ = T/(p·q<sub>i</sub>) = {number(float(grid.T))}/({grid.p}·{q}) = {number(event.budget)}",
    )
