"""Why a subroutine or the run ended, and why the recommendation changed or did not change."""

from __future__ import annotations

import numpy as np

from gems_engine.complexity.levels import STRATEGY, Level
from gems_engine.events import (
    ASKED,
    BUDGET_SPENT,
    CAP,
    EPSILON,
    LAST_LOOP,
    NO_DIMENSION_FITS,
    NOTHING_TO_TELL_APART,
    RETURNS_A_SET,
    ROUNDS_DONE,
    SINGLETON,
    VERIFIED,
    BecameVerifiable,
    CandidateKept,
    Recommended,
    RunFinished,
    SubroutineFinished,
    Validated,
)
from gems_engine.explanation.dimension import why_none_fits
from gems_engine.explanation.samples import why_capped
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Paragraph, escape_markup
from gems_engine.terminal import number, plural
from gems_engine.wording import candidate_count, recorded_text, remain_words, remaining

_BY_SINGLETON = ("fixed-confidence", "misspecified-best-arm")
_BY_VALIDATION = ("fixed-budget", "misspecified")
_MOST_MEANS = 8


def why_subroutine_ended(scene: Scene, event: SubroutineFinished) -> tuple[Paragraph, ...]:
    """Why it ended, and what that means for the recommendation."""
    count, n = len(event.survivors), scene.state.subroutine.rounds if scene.state.subroutine else 0
    remain = remain_words(count)
    names = scene.labels(event.survivors)
    if event.why == SINGLETON:
        sentence = f"One arm remains: <chosen>{names}</chosen>. There is no other arm to compare it with."
    elif event.why == ROUNDS_DONE:
        sentence = f"All rounds of the call are done (n = {number(n)}); {remain}: {names}."
    elif event.why == NOTHING_TO_TELL_APART:
        sentence = (
            f"The {number(count)} that remain ({names}) are equal in the dimension that fits, and costs only grow: no "
            "later round can tell them apart."
        )
    elif event.why == NO_DIMENSION_FITS:
        sentence = f"Not even d = 1 fits, so the call ends; {remain}: {names}."
    elif event.why == CAP:
        sentence = f"{_at_cap(scene, 'round', 'sample cap')}; {remain}: {names}."
    else:
        sentence = f"{escape_markup(event.why)}; {remain}: {names}."
    parts = [Paragraph("Why the call ends", sentence)]
    if event.why == NO_DIMENSION_FITS:
        parts.append(why_none_fits(scene))
    elif event.why == CAP:
        parts.append(why_capped(scene))
    meaning = _for_the_recommendation(scene, event)
    return (*parts, *([meaning] if meaning is not None else []))


def _for_the_recommendation(scene: Scene, event: SubroutineFinished) -> Paragraph | None:
    now = scene.state.recommendation
    stays = f"It stays {scene.label(now)}" if now is not None else "There is no recommendation yet"
    if scene.algorithm in _BY_SINGLETON:
        if event.why == CAP:
            return Paragraph("Why the recommendation does not change", f"{stays}: the run ends before it is updated.")
        if len(event.survivors) == 1:
            return None  # the next event recommends it, and says why
        remain = remain_words(len(event.survivors))
        words = f"{stays}: this strategy recommends an arm only when it remains alone, and {remain}."
        return Paragraph("Why the recommendation does not change", words)
    if scene.algorithm in _BY_VALIDATION:
        words = f"{stays}: this strategy collects a candidate from each call, and the validation decides."
        return Paragraph("Why the recommendation does not change", words)
    return None


def why_candidate(scene: Scene, event: CandidateKept) -> Paragraph:
    """Why this arm is added to the pre-selection set."""
    name = f"<chosen>{scene.label(event.target)}</chosen>"
    sentence = f"{name} {_why_picked(scene)}. It {'is a new' if event.new else 'was already a'} candidate: "
    count = len(scene.state.candidates)
    sentence += f"{candidate_count(count)} so far."
    return Paragraph("Why this candidate", sentence)


def _why_picked(scene: Scene) -> str:
    """How "any uneliminated arm" was picked."""
    state = scene.state
    if len(state.survivors) == 1:
        return "is the only arm that remains in the call"
    if not state.subroutine_counts.any():
        return "was drawn at random: the call could not sample, so nothing is known"
    return f"has the largest last estimate of the {number(len(state.survivors))} that remain"


def why_validated(scene: Scene, event: Validated) -> Paragraph:
    """The means of the candidates, and which is highest."""
    order = np.argsort(-event.means, kind="stable")
    best = int(order[0])
    sentence = f"{scene.label(event.targets[best])} has the highest mean of {plural(event.pulls, 'pull')}."
    if len(order) > 1:
        ahead = float(event.means[best] - event.means[order[1]])
        sentence += f" It is {number(ahead, 3)} ahead of {scene.label(event.targets[order[1]])}."
    lines = [f"{scene.label(event.targets[at])}: {number(float(event.means[at]))}" for at in order[:_MOST_MEANS]]
    if len(order) > _MOST_MEANS:
        lines.append(f"… and {number(len(order) - _MOST_MEANS)} more")
    return Paragraph("What validation found", sentence, tuple(lines))


def why_recommended(scene: Scene, event: Recommended) -> Paragraph:
    """Why this arm is recommended, and whether the recommendation changes."""
    before = scene.previous_recommendation()
    name = f"<chosen>{scene.label(event.target)}</chosen>"
    if not event.holds(scene.algorithm):
        words = "An older version recorded this. GEMS-c returns the set of surviving arms and recommends none of them."
        if scene.algorithm != RETURNS_A_SET:
            words = "An older version recorded this. A single call recommends nothing before it ends."
        return Paragraph("No recommendation", f"{scene.label(event.target)}: {words}")
    if event.is_guess:
        return Paragraph(
            "Why this recommendation",
            f"{name}: nothing is known yet, so this is a seeded random guess.{_right(scene, event.target)}",
        )
    heading, instead = "Why this recommendation", ""
    if before is not None:
        changed = before != event.target
        heading = "Why the recommendation changes" if changed else "Why the recommendation does not change"
        instead = f" instead of {scene.label(before)}" if changed else " again"
    sentence = f"{name}{instead}: {_recommended_because(scene, event)}.{_right(scene, event.target)}"
    lines = _runner_up(scene, event)
    return Paragraph(heading, sentence, lines)


def _recommended_because(scene: Scene, event: Recommended) -> str:
    if event.why == "the first singleton of this loop":
        return (
            "it is the first arm in this loop to remain alone at the end of a call. Calls with a larger B come first, "
            "so this is the call with the largest B in which a single arm remained"
        )
    if event.why == "the largest last estimate among those left":
        return f"it {_why_picked(scene)}"
    return escape_markup(recorded_text(event.why))


def _runner_up(scene: Scene, event: Recommended) -> tuple[str, ...]:
    """The largest and the second largest estimate, if they decided."""
    state = scene.state
    if "estimate" not in event.why or state.estimated is None or (len(state.survivors) < 2 and scene.rule):
        return ()
    there = state.survivors if scene.rule else scene.survivors
    d = len(state.estimated.theta)
    estimates = scene.instance.targets[there, :d] @ state.estimated.theta
    order = np.argsort(-estimates, kind="stable")[:2]
    return tuple(f"⟨θ̂, ψ({scene.label(there[at])})⟩ = {number(float(estimates[at]))}" for at in order)


def _right(scene: Scene, target: int) -> str:
    if not scene.judges:
        return ""
    gap, started = float(scene.instance.gaps[target]), scene.state.started
    epsilon = started.parameters.get("epsilon") if started is not None and started.goal == EPSILON else None
    allowed = 2.0 * float(epsilon) if isinstance(epsilon, int | float) else 0.0
    if gap <= allowed:
        return " That is right." if gap == 0.0 else f" That is right: Δ = {number(gap, 3)} ≤ 2ε = {number(allowed, 3)}."
    best = scene.label(scene.instance.best)
    return f" <now>That is wrong</now>: Δ = {number(gap, 3)}, and the best arm is <best>{best}</best>."


def why_verifiable(scene: Scene, event: BecameVerifiable) -> Paragraph:
    """Why it can be trusted without knowing d⋆, as far as the model holds."""
    D = scene.instance.D
    sentence = (
        f"<chosen>{scene.label(event.target)}</chosen> remained alone in a call that worked in all D = {D} "
        f"dimensions in every round. If the rewards are linear in R<sup>{D}</sup>, then with probability at least "
        f"{_proven(scene)} it is the best arm, whatever d⋆ is"
    )
    if scene.algorithm == "misspecified-best-arm":
        sentence += "; this algorithm is made for rewards that are not, and for those this proves nothing"
    return Paragraph("Why it is verifiable", f"{sentence}.{_right(scene, event.target)}")


def _proven(scene: Scene) -> Level:
    """The probability with which every call of a strategy that works in R^D throughout keeps the best arm."""
    noise = scene.instance.noise if scene.state.graded else None
    delta = scene.setting("delta") or 0.0
    return Level.of(STRATEGY, delta if 0.0 < delta < 1.0 else 0.05, noise)


def _returned(scene: Scene, event: RunFinished) -> str:
    """The set that GEMS-c returns, and which of its arms leads."""
    count = len(event.survivors)
    if event.why == ASKED:
        return f"GEMS-c was not finished: {remaining(count, scene.state.targets, scene.state.kind)}."
    answer = f"GEMS-c returns the set of surviving arms, {number(count)} of {number(scene.state.targets)}: "
    answer += f"{scene.labels(event.survivors)}, after {number(event.samples)} samples."
    if event.recommendation < 0:
        return f"{answer} Nothing was estimated, so there is no leader."
    leader = f"<chosen>{scene.label(event.recommendation)}</chosen>"
    if count == 1:
        return f"{answer}{_right(scene, event.recommendation)}"
    return f"{answer} The leader, by the latest estimate, is {leader}.{_right(scene, event.recommendation)}"


def _at_cap(scene: Scene, what: str, cap: str) -> str:
    """Why the cap ends a call or a run."""
    return f"The last round reached the {cap}" if scene.past_cap else f"The next {what} would exceed the {cap}"


def why_ended(scene: Scene, event: RunFinished) -> tuple[Paragraph, ...]:
    """Why the run ended."""
    top = scene.state.top_dimension
    unfit = (
        "the selection budget any more" if top is None or top.top else f"the T′ = {number(top.pulls)} pulls of a round"
    )
    reasons = {
        LAST_LOOP: f"Loop ℓ = {number(scene.setting('max_loops'))} was the last loop allowed",
        BUDGET_SPENT: "The budget is spent, up to whole rounds",
        VERIFIED: "The recommendation became verifiable, and the run was set to stop there",
        SINGLETON: "One arm remains",
        ROUNDS_DONE: "All rounds are done",
        NO_DIMENSION_FITS: f"No dimension fits {unfit}",
        NOTHING_TO_TELL_APART: "The arms that remain cannot be told apart here",
        CAP: _at_cap(scene, "step", f"cap of {number(scene.setting('max_samples'))} samples"),
        ASKED: "The run was stopped",
    }
    answer = "There is no recommendation."
    if scene.state.returns_set:
        answer = _returned(scene, event)
    elif scene.state.recommendation is not None:
        origin = f" ({scene.state.origin})" if scene.state.origin else ""
        answer = f"The recommendation is <chosen>{scene.label(event.recommendation)}</chosen>{origin}"
        answer += f", after {number(event.samples)} samples.{_right(scene, event.recommendation)}"
    parts = [Paragraph("Why the run ends", f"{reasons.get(event.why, escape_markup(event.why))}. {answer}")]
    return (*parts, why_capped(scene)) if event.why == CAP else tuple(parts)
