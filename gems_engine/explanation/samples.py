"""Why this number of samples: N_k by each algorithm's formula, rounding, idle rounds, validations and the cap."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite, ldexp, log

from gems_engine.algorithms.run_context import log_term
from gems_engine.complexity.ceiling_sums import ceiling_sum
from gems_engine.complexity.schedule import BudgetGrid
from gems_engine.events import CAP, Allocated, IdleRounds
from gems_engine.explanation.dimension import pulls_per_round
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Paragraph
from gems_engine.terminal import number, plural
from gems_engine.wording import place_text

FACTORS = {"gems-c": 2.0, "gems-m": 8.0}
"""The factor in front of (1 + ζ)·g_k(d_k)·log(|Ŝ_k|²/δ_k)."""
_PURPOSE = {
    "gems-b": "The budget is shared equally among the rounds; B only limits the dimension.",
    "gems-m": "The noise of every gap is at most ½·2<sup>−k</sup>; the other half allows for the model error.",
    **dict.fromkeys(("gems-c", "rage"), "With these samples every width ω of this round is at most 2<sup>−k</sup>."),
}
_MISSED = " <now>This holds if rounding costs at most a factor of 1 + ζ; here it cost more.</now>"


@dataclass(frozen=True)
class Asked:
    """The number of pulls by a formula, and the formula with its numbers."""

    pulls: float
    formulas: tuple[str, ...]


def _rounded_up(value: float) -> float:
    """⌈value⌉ as a whole number; ∞ if the numbers of the run are that large."""
    return ceil(value) if isfinite(value) else inf


def round_pulls(scene: Scene) -> Asked | None:
    """N_k by the formula of the algorithm; None before a design, or for an algorithm of another package."""
    state, rule = scene.state, scene.rule
    if state.design is None:
        return None
    if rule in FACTORS:
        return _gems(scene, FACTORS[rule])
    if rule == "rage":
        return _rage(scene)
    if rule == "gems-b":
        return _gems_b(scene)
    return _static(scene) if scene.algorithm == "static-oracle" else None


def _log(scene: Scene) -> float:
    assert scene.state.subroutine is not None
    return log_term(scene.survivors, scene.k, scene.state.subroutine.delta)


def log_line(scene: Scene) -> str:
    """The formula of log(|Ŝ_k|²/δ_k) with its numbers."""
    assert scene.state.subroutine is not None
    delta, count, k = scene.state.subroutine.delta, len(scene.survivors), scene.k
    return (
        f"log(|Ŝ<sub>k</sub>|²/δ<sub>k</sub>) = log({number(count)}²/{number(delta / k**2, 3)}) = "
        f"{number(_log(scene))}, with δ<sub>k</sub> = δ/k² = {number(delta, 3)}/{number(k)}²"
    )


def _gems(scene: Scene, factor: float) -> Asked:
    assert scene.state.design is not None
    cost, log_k = scene.state.design.cost, _log(scene)
    exact = factor * (1.0 + scene.zeta) * cost * log_k
    N = _rounded_up(exact)
    head = f"N<sub>k</sub> = ⌈{number(factor)}(1+ζ)·g<sub>k</sub>(d<sub>k</sub>)·log(|Ŝ<sub>k</sub>|²/δ<sub>k</sub>)⌉"
    numbers = f"⌈{number(factor)}·{number(1.0 + scene.zeta)}·{number(cost)}·{number(log_k)}⌉"
    return Asked(N, (f"{head} = {numbers} = <b>{number(N)}</b>", log_line(scene)))


def _rage(scene: Scene) -> Asked:
    assert scene.state.design is not None
    value, log_k, d = scene.state.design.value, _log(scene), scene.state.design.d
    by_design = _rounded_up(2.0 * ldexp(1.0, 2 * min(scene.k, 500)) * value * (1.0 + scene.zeta) * log_k)
    r = ceil(scene.r(d))
    N = max(by_design, r)
    head = "N<sub>k</sub> = max{⌈2·4<sup>k</sup>·ι·(1+ζ)·log(|Ŝ<sub>k</sub>|²/δ<sub>k</sub>)⌉, ⌈r<sub>d</sub>(ζ)⌉}"
    numbers = (
        f"max{{⌈2·4<sup>{scene.k}</sup>·{number(value)}·{number(1.0 + scene.zeta)}·{number(log_k)}⌉, {number(r)}}} = "
        f"max{{{number(by_design)}, {number(r)}}}"
    )
    return Asked(N, (f"{head} = {numbers} = <b>{number(N)}</b>", log_line(scene)))


def _gems_b(scene: Scene) -> Asked:
    assert scene.state.subroutine is not None
    N, subroutine = pulls_per_round(scene.state), scene.state.subroutine
    T, n = number(subroutine.budget), number(subroutine.rounds)
    return Asked(N, (f"N<sub>k</sub> = T′ = ⌊T/n⌋ = ⌊{T}/{n}⌋ = <b>{number(N)}</b>, the same in every round",))


def _static(scene: Scene) -> Asked:
    assert scene.state.design is not None
    asked, delta, value = scene.parameters.get("pulls"), scene.parameters.get("delta"), scene.state.design.value
    if asked:
        return Asked(int(asked), (f"N = <b>{number(int(asked))}</b>, a parameter of the run",))
    N = max(1, _rounded_up(0.5 * value * log(1.0 / float(delta or 0.05))))
    return Asked(N, (f"N = ⌈½·ρ⋆·log(1/δ)⌉ = ⌈½·{number(value)}·log(1/{number(delta, 3)})⌉ = <b>{number(N)}</b>",))


def why_samples(scene: Scene, event: Allocated) -> Paragraph:
    """Why N_k, and what rounding cost; for a validation, why this number of pulls."""
    if event.d == 0:
        return why_validation(scene, event)
    if event.lost:
        return _why_fewer(scene, event)
    N = event.total
    heading = f"Why N<sub>k</sub> = {number(N)}"
    asked = round_pulls(scene)
    sentence = _PURPOSE.get(scene.rule, "The allocation is static: all pulls are in one round.")
    if scene.rule in ("gems-c", "gems-m", "rage") and not _rounds_well(scene, event):
        sentence += _MISSED
    formulas = asked.formulas if asked is not None else ()
    if asked is None:
        sentence = f"The algorithm requested {plural(N, 'pull')}."
    elif scene.finishes and asked.pulls > N and scene.setting("max_samples") == N:
        sentence = f"The last round is finished past the cap, with at most {number(N)} pulls, as many as the cap."
    elif asked.pulls != N:
        sentence += f" <now>The formula gives {number(asked.pulls)}, but the run recorded {number(N)}.</now>"
    return Paragraph(heading, sentence, (*formulas, _rounding(scene, event)))


def _why_fewer(scene: Scene, event: Allocated) -> Paragraph:
    """Why fewer pulls count than were requested."""
    requested = event.total + event.lost
    widths = (
        "the width 2<sup>−k</sup> is that for all pulls"
        if scene.rule == "gems-b"
        else "the widths are those of the pulls that count"
    )
    sentence = (
        f"{number(event.lost)} of {plural(requested, 'reward')} were lost for good. The estimate uses the other "
        f"{number(event.total)}, of {plural(len(event.arms), 'arm')}; {widths}."
    )
    asked = round_pulls(scene)
    reached = f"their longest direction is {number(event.factor)} times that of the design with as many pulls"
    return Paragraph("Why fewer pulls", sentence, (*(asked.formulas if asked is not None else ()), reached))


def _rounds_well(scene: Scene, event: Allocated) -> bool:
    return event.factor <= (1.0 + scene.zeta) * (1.0 + 1e-9)


def _rounding(scene: Scene, event: Allocated) -> str:
    limit, within = 1.0 + scene.zeta, _rounds_well(scene, event)
    sign = "≤" if within else "&gt;"
    word = "guaranteed by N ≥ p(1+ζ)/ζ" if event.guaranteed else "not guaranteed: N is small for this support"
    arms = plural(len(event.arms), "arm")
    reached = f"{number(event.factor)} {sign} 1 + ζ = {number(limit)}"
    text = f"rounded to whole pulls of {arms} at a factor of {reached} ({word})"
    return text if within else f"<now>{text}</now>"


def validation_pulls(scene: Scene) -> Asked | None:
    """Pulls of each candidate in a validation; None for an algorithm of another package."""
    candidates, given = len(scene.state.candidates), scene.parameters
    if scene.algorithm == "fixed-budget" and isinstance(given.get("budget"), int) and candidates:
        T = BudgetGrid.of(given["budget"]).T
        each = int(T // candidates)
        return Asked(
            each, (f"⌊T/|A|⌋ = ⌊{number(float(T))}/{number(candidates)}⌋ = <b>{number(each)}</b> pulls of each",)
        )
    if scene.algorithm == "misspecified" and scene.state.subroutine is not None and scene.state.subroutine.delta:
        delta, epsilon = scene.state.subroutine.delta, float(given["epsilon"])
        square = epsilon**2  # may be 0
        pulls = _rounded_up(8.0 * log(2.0 / delta) / square if square else inf)
        numbers = f"⌈8·log(2/{number(delta, 3)})/{number(epsilon, 3)}²⌉"
        return Asked(pulls, (f"⌈8·log(2/δ<sub>ℓ</sub>)/ε²⌉ = {numbers} = <b>{number(pulls)}</b> pulls of each",))
    return None


def why_validation(scene: Scene, event: Allocated) -> Paragraph:
    """Why this number of pulls of each candidate."""
    total, candidates = int(event.counts.sum()), len(scene.state.candidates)
    asked = validation_pulls(scene)
    who = (
        "the only candidate of the calls is pulled directly"
        if candidates == 1
        else f"the {number(candidates)} candidates of the calls are pulled directly, each equally often"
    )
    sentence = f"Validation: {who}, {plural(total, 'pull')} in all. Their means do not use the features."
    if asked is not None and asked.pulls * candidates != total:
        expected = number(asked.pulls * candidates)
        sentence += f" <now>The formula gives {expected}, but the run recorded {number(total)}.</now>"
    return Paragraph("Why these pulls", sentence, asked.formulas if asked is not None else ())


def idle_samples(scene: Scene, event: IdleRounds) -> Asked | None:
    """Samples of idle rounds by the formula."""
    rounds = event.last - event.first + 1
    if scene.rule == "gems-b":
        each = pulls_per_round(scene.state)
        return Asked(
            each * rounds, (f"{number(rounds)}·T′ = {number(rounds)}·{number(each)} = {number(each * rounds)}",)
        )
    if scene.rule not in FACTORS:
        return None
    factor, r = FACTORS[scene.rule], scene.r(event.d)
    c, start = factor * (1.0 + scene.zeta) * r, _log(scene) - 2.0 * log(event.first)
    total = ceiling_sum(c, start, event.last) - (ceiling_sum(c, start, event.first - 1) if event.first > 1 else 0)
    summed = f"Σ<sub>k = {number(event.first)} … {number(event.last)}</sub>"
    head = f"{summed} ⌈{number(factor)}(1+ζ)·r<sub>d</sub>(ζ)·log(|Ŝ|²k²/δ)⌉"
    return Asked(total, (f"{head} = <b>{number(total)}</b>, with r<sub>{event.d}</sub>(ζ) = {number(r)}",))


def why_idle(scene: Scene, event: IdleRounds) -> Paragraph:
    """Why rounds were counted without drawing rewards."""
    rounds = event.last - event.first + 1
    left = len(scene.state.survivors)
    equal = (
        f"One arm remains, {scene.label(scene.state.survivors[0])}: there is no other arm to compare it with."
        if left == 1
        else f"All {number(left)} survivors have the same first {event.d} features, so every direction is 0 in "
        f"R<sup>{event.d}</sup>, and a zero direction never eliminates."
    )
    sentence = (
        f"{equal} Costs only grow with k, so no later round can choose a larger dimension: the {number(rounds)} "
        f"rounds {number(event.first)} to {number(event.last)} change nothing. Their {number(event.drawn)} samples are "
        "counted but not drawn."
    )
    asked = idle_samples(scene, event)
    if asked is not None and asked.pulls != event.drawn:
        sentence += f" <now>The formula gives {number(asked.pulls)}, but the run recorded {number(event.drawn)}.</now>"
    return Paragraph("Why idle rounds", sentence, asked.formulas if asked is not None else ())


def why_capped(scene: Scene) -> Paragraph:
    """Why the run ended at its cap: what the next step would have cost."""
    state, cap = scene.state, scene.parameters.get("max_samples")
    finished = state.subroutine_finished
    in_validation = finished is not None and finished.why != CAP
    called = "" if state.subroutine is None or in_validation else place_text(state.subroutine.place, scene.algorithm)
    cut = f"The call {called} was cut off. " if called else ""
    limit = float(cap) if isinstance(cap, int | float) else inf
    if scene.past_cap:
        line = f"{number(state.samples)} ≥ {number(limit)}"
        return Paragraph(
            "Why it ends here", f"{cut}The round that exceeds the sample cap was finished, as set.", (line,)
        )
    sentence = f"{cut}The next step would exceed the sample cap, so nothing is drawn and the run ends."
    asked: Asked | None = None
    if in_validation and scene.algorithm == "misspecified":
        each = validation_pulls(scene)
        asked = None if each is None else Asked(each.pulls * len(state.candidates), each.formulas)
    elif state.idle is not None:
        sentence = f"{cut}The next idle round would exceed the sample cap, so it is not counted and the run ends."
    elif state.design is not None and state.allocation is None:
        asked = round_pulls(scene)
    if asked is None:
        return Paragraph("Why it ends here", sentence, (f"{number(state.samples)} of at most {number(limit)} samples",))
    total = state.samples + asked.pulls
    sign = "&gt;" if total > limit else "≤"
    line = f"{number(state.samples)} + {number(asked.pulls)} = {number(total)} {sign} {number(limit)}"
    return Paragraph("Why it ends here", sentence, (*asked.formulas, line))
