"""Why this dimension was chosen, and why the next larger one was rejected."""

from __future__ import annotations

from fractions import Fraction
from math import floor, inf

from gems_engine.complexity.schedule import BudgetGrid
from gems_engine.dimension import REASONS, richest_rounded, times_four_to_the
from gems_engine.events import BudgetDivided, DimensionProbed, RunStarted, SubroutineStarted, TopDimensionChosen
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Paragraph, escape_markup
from gems_engine.state import State
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace
from gems_engine.wording import ORACLES

CHOOSE = ("gems-c", "gems-m", "gems-b")
"""Subroutines that choose their dimension by OPT."""


def why_dimension(scene: Scene) -> Paragraph:
    """Why d_k, once a design or idle rounds have decided it."""
    d, rule = scene.state.d, scene.rule
    heading = "Why this d<sub>k</sub>" if scene.keeps_d else f"Why d<sub>k</sub> = {d}"
    if rule not in CHOOSE:
        return Paragraph(heading, _not_chosen(scene, d))
    chosen = next((each for each in scene.state.probes if each.d == d), None)
    sentence = (
        f"<chosen>d = {d}</chosen> is the largest dimension whose cost g<sub>k</sub>(d) fits the selection budget "
        f"<budget>B = {number(_budget(scene))}</budget>."
    )
    if chosen is not None:
        sentence += f" It fits because {escape_markup(_reason(chosen))}."
    sentence += _against_truth(scene, d)
    return Paragraph(heading, sentence, (_chosen_cost(scene, d), *_rejection(scene, d)))


def why_probe(scene: Scene, probe: DimensionProbed) -> Paragraph:
    """What one probe of OPT found."""
    word = "<chosen>fits</chosen>" if probe.fits else "<now>is over budget</now>"
    sentence = f"d = {probe.d} {word}: {escape_markup(_reason(probe))}."
    if probe.iterations:
        sentence += f" The solver took {plural(probe.iterations, 'iteration')}."
    return Paragraph(f"Does d = {probe.d} fit?", sentence, (_bounds(scene, probe), *_rounding_line(scene, probe.d)))


def why_none_fits(scene: Scene) -> Paragraph:
    """Why a call could not continue."""
    heading = "Why no dimension fits"
    first = next((each for each in scene.state.probes if each.d == 1), None)
    if first is not None:
        sentence = f"Costs do not decrease in d, and even d = 1 is over budget: {escape_markup(_reason(first))}."
        return Paragraph(heading, sentence, (_bounds(scene, first), *_rounding_line(scene, 1)))
    pulls, r = pulls_per_round(scene.state), scene.r(1)
    sentence = "Each round has T′ = ⌊T/n⌋ pulls, but rounding needs r<sub>1</sub>(ζ) pulls even in R<sup>1</sup>."
    return Paragraph(heading, sentence, (f"r<sub>1</sub>(ζ) = {number(r)} &gt; T′ = {number(pulls)}",))


def why_divided(scene: Scene, event: BudgetDivided) -> Paragraph:
    """T′."""
    call = scene.state.subroutine
    sentence = (
        "GEMS-b has a budget of T samples and n rounds. Every round pulls T′ times, T/n rounded down, so that all n "
        "rounds together never exceed T."
    )
    if call is None:
        return Paragraph(f"Why T′ = {number(event.pulls)}", sentence)
    n, T = number(call.rounds), number(call.budget)
    lines = (
        f"T′ = ⌊T/n⌋ = ⌊{T}/{n}⌋ = {number(event.pulls)}",
        f"n·T′ = {n}·{number(event.pulls)} = {number(call.rounds * event.pulls)} ≤ T = {T}",
    )
    return Paragraph(f"Why T′ = {number(event.pulls)}", sentence, lines)


def why_top(scene: Scene, event: TopDimensionChosen) -> Paragraph:
    """D̃: which r_d(ζ) fit T′, and why it is not one more."""
    T, top, D = number(event.pulls), event.top, len(event.rounding_samples)
    sentence = (
        "With at least r<sub>d</sub>(ζ) pulls, a design in R<sup>d</sup> is rounded to whole pulls at a loss of at "
        f"most a factor 1 + ζ; here ζ = {number(scene.zeta)}. D̃ = OPT(T′, D, r) is the largest d whose "
        f"r<sub>d</sub>(ζ) is at most T′ = {T}. "
    )
    if not top:
        sentence += (
            "<now>There is none</now>: not even a design in R<sup>1</sup> can be rounded, so this call ends "
            "immediately. It draws no samples and eliminates no arm."
        )
        return Paragraph("Why no dimension fits", sentence, (_against_pulls(scene, event, 1),))
    fit = "Only d = 1 fits" if top == 1 else f"d = 1 to {top} fit"
    sentence += f"{fit}. In every round, OPT considers only these: d<sub>k</sub> ≤ D̃ = <chosen>{top}</chosen>."
    above = f"d = D = {D}: there is no larger dimension." if top == D else _against_pulls(scene, event, top + 1)
    return Paragraph(f"Why D̃ = {top}", sentence, (_against_pulls(scene, event, top), above))


def _against_pulls(scene: Scene, event: TopDimensionChosen, d: int) -> str:
    """r_d(ζ) with its formula, against T′."""
    r, T = float(event.rounding_samples[d - 1]), event.pulls
    if d > event.top:
        against = f"&gt; T′ = {number(T)}"
    else:
        against = f"≤ T′ = {number(T)}" if r <= T else f"= T′ = {number(T)} within 10<sup>−9</sup>"
    return f"{_rounding_formula(scene, d)} = {number(r)} {against}"


def _rounding_formula(scene: Scene, d: int) -> str:
    zeta = number(scene.zeta)
    text = f"({d}² + {d} + 2)/{zeta}" if scene.form == "quadratic" else f"180·{d}/{zeta}²"
    return f"r<sub>{d}</sub>(ζ) = {text}"


def pulls_per_round(state: State) -> int:
    """T′ of the current call, 0 if there is none."""
    if state.divided is not None:
        return state.divided.pulls
    return 0 if state.subroutine is None else _divide(state.started, state.subroutine)


def pulls_of_call(trace: Trace, subroutine: int) -> int:
    """T′ of the GEMS-b call that starts at this event."""
    said = trace[subroutine + 1] if subroutine + 1 < len(trace) else None
    if isinstance(said, BudgetDivided):
        return said.pulls
    call = trace[subroutine]
    assert isinstance(call, SubroutineStarted)
    return _divide(trace.started, call)


def _divide(started: RunStarted | None, call: SubroutineStarted) -> int:
    """⌊T/n⌋ for files of versions 0 and 1, which do not record it: from the exact share of a fixed-budget grid."""
    if not call.rounds:
        return 0
    share: Fraction | float | None = None
    budget = None if started is None else started.parameters.get("budget")
    if started is not None and started.algorithm == "fixed-budget" and isinstance(budget, int):
        share = BudgetGrid.of(budget).share(call.place.ell)
    return floor((call.budget if share is None else share) / call.rounds)


def largest_looked_at(scene: Scene) -> int:
    """D, or D̃ where GEMS-b limits it by r_d(ζ) ≤ T′."""
    D = scene.instance.D
    if scene.rule != "gems-b":
        return D
    said = scene.state.top_dimension
    return said.top if said is not None else richest_rounded(D, scene.r, pulls_per_round(scene.state))


def _budget(scene: Scene) -> float:
    return scene.state.selection_budget


def _reason(probe: DimensionProbed) -> str:
    known: dict[str, str] = {str(key): words for key, words in REASONS.items()}
    return known.get(probe.reason, probe.reason)


def _chosen_cost(scene: Scene, d: int) -> str:
    """The formula of g_k(d_k) with its numbers, against B."""
    state, k, B = scene.state, scene.k, _budget(scene)
    iota = state.design.value if state.design is not None else 0.0
    scaled, r = times_four_to_the(k, iota), scene.r(d)
    cost = state.design.cost if state.design is not None else r
    against = f"≤ B = {number(B)}" if cost <= B else "= B within the tolerance of the design"
    name = f"g<sub>{k}</sub>({d})"
    if scene.rule == "gems-b":
        product = f"2<sup>{2 * k}</sup>·{number(iota)} = {number(scaled)}"
        return f"{name} = 2<sup>2k</sup>·ι = {product} {against}"
    inside = f"max{{2<sup>{2 * k}</sup>·{number(iota)}, {number(r)}}}"
    return f"{name} = max{{2<sup>2k</sup>·ι, r<sub>d</sub>(ζ)}} = {inside} = {number(cost)} {against}"


def _rejection(scene: Scene, d: int) -> tuple[str, ...]:
    """Why the next larger dimension does not fit."""
    top = largest_looked_at(scene)
    if d >= scene.instance.D:
        return (f"d = D = {d}: there is no larger dimension.",)
    if d >= top:
        pulls = number(pulls_per_round(scene.state))
        return (
            f"d = D̃ = {d}: r<sub>{d + 1}</sub>(ζ) = {number(scene.r(d + 1))} &gt; T′ = {pulls}, "
            "so OPT considers no larger dimension.",
        )
    larger = next((each for each in scene.state.probes if each.d == d + 1), None)
    if larger is None:
        return ()
    return (f"d = {d + 1} does not fit: {escape_markup(_reason(larger))}.", _bounds(scene, larger))


def _bounds(scene: Scene, probe: DimensionProbed) -> str:
    """The inequality that decided a probe."""
    k, B = probe.place.k, _budget(scene)
    name = f"g<sub>{k}</sub>({probe.d})"
    if probe.reason == "rounding alone":
        return f"{name} ≥ r<sub>{probe.d}</sub>(ζ) = {number(probe.rounding_samples)} &gt; B = {number(B)}"
    low, high = (max(times_four_to_the(k, iota), probe.rounding_samples) for iota in (probe.lower, probe.upper))
    rounded = probe.rounding_samples > 0.0

    def cost(iota: float) -> str:
        inside = f"2<sup>{2 * k}</sup>·{number(iota)}"
        return f"max{{{inside}, {number(probe.rounding_samples)}}}" if rounded else inside

    if probe.reason == "undecided" and high == inf:
        return f"{name} ≥ {cost(probe.lower)} = {number(low)}, with no proven upper bound; B = {number(B)}"
    if probe.verdict == "fits":
        sign = "≤" if probe.reason != "value" else "≈"
        return f"{name} {sign} {cost(probe.upper)} = {number(high)} ≤ B = {number(B)}"
    if probe.verdict == "tie":
        return f"{number(low, 10)} ≤ {name} ≤ {number(high, 10)}, and B = {number(B)}"
    if probe.reason == "value":
        return f"{name} ≈ {cost(probe.upper)} = {number(high)} &gt; B = {number(B)}, without proof"
    return f"{name} ≥ {cost(probe.lower)} = {number(low)} &gt; B = {number(B)}"


def _rounding_line(scene: Scene, d: int) -> tuple[str, ...]:
    """The formula of r_d(ζ) with its numbers."""
    if scene.rule == "gems-b":
        return ()
    return (f"{_rounding_formula(scene, d)} = {number(scene.r(d))}",)


def _not_chosen(scene: Scene, d: int) -> str:
    if scene.algorithm in ORACLES:
        told = "the dimension, which is hidden" if scene.keeps_d else f"d⋆ = {d}"
        return f"There is no choice: this oracle is told {told}."
    if scene.rule == "rage":
        return f"There is no choice: RAGE works in all D = {d} dimensions in every round.{_against_truth(scene, d)}"
    return f"The algorithm works in R<sup>{d}</sup> here."


def _against_truth(scene: Scene, d: int) -> str:
    d_star = scene.d_star
    if d_star is None:
        return ""
    if d < d_star:
        return (
            f" <now>It is below d⋆ = {d_star}</now>: the rewards are not linear in R<sup>{d}</sup>, so the theorems do "
            "not cover the eliminations of this round."
        )
    return (
        f" It equals d⋆ = {d_star}."
        if d == d_star
        else f" It is above d⋆ = {d_star}: the model is right, but costs more than it needs to."
    )
