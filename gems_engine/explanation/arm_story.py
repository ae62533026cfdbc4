"""The history of one arm: where it survived, what eliminated it, how often it was pulled and recommended."""

from __future__ import annotations

import numpy as np

from gems_engine.algorithms import subroutine_title
from gems_engine.explanation.ledger import Ledger
from gems_engine.explanation.scene import Scene
from gems_engine.explanation.text import Explanation, Paragraph
from gems_engine.history import History
from gems_engine.state import State
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace
from gems_engine.wording import ONE_CALL, place_names

MOST_SUBROUTINES = 40
"""Subroutines listed individually, newest first."""
_MOST_SPELLS = 8


def story_of_arm(
    trace: Trace,
    target: int,
    cursor: int | None = None,
    *,
    truth: bool = False,
    history: History | None = None,
    ledger: Ledger | None = None,
) -> Explanation:
    """What happened to a target up to the cursor, call by call.

    Parameters
    ----------
    trace
        The run.
    target
        Its index.
    cursor, truth, history
        As in :func:`gems_engine.explanation.explain`.
    ledger
        Pulls by subroutine, as far as they have been read; if None, the whole run is read.
    """
    state = trace.state_at(len(trace) if cursor is None else cursor)
    if ledger is None:
        ledger = Ledger(trace)
        ledger.update()
    scene = Scene(history or History(trace), state, truth, target)
    told = [_now(scene, target), *_subroutines(scene, target, ledger), _recommended(scene, target)]
    return Explanation(f"History of {scene.label(target)}", tuple(told))


def _arm(scene: Scene, target: int) -> int | None:
    arms = scene.instance.target_arms
    return None if arms is None else int(arms[target])


def _now(scene: Scene, target: int) -> Paragraph:
    state, arm = scene.state, _arm(scene, target)
    parts = [_fate(scene, state, target)]
    if arm is not None:
        count, lately = int(state.counts[arm]), int(state.subroutine_counts[arm])
        several = state.subroutine is not None and scene.algorithm not in ONE_CALL
        here = f", {number(lately)} of them in this call" if several and count else ""
        parts.append(f"It was {_pulled(count)}{here}.")
    else:
        parts.append("It is a target, not an arm: it is compared but never sampled.")
    if state.recommendation == target:
        origin = f" ({state.origin})" if state.origin else ""
        parts.append(f"<chosen>It is recommended now{origin}.</chosen>")
    elif state.answer[0] == target:
        parts.append("<chosen>It leads: its latest estimate is the largest among the survivors.</chosen>")
    if target in state.candidates:
        parts.append("It is a candidate.")
    if scene.judges:
        gap = float(scene.instance.gaps[target])
        parts.append("<best>It is the best arm.</best>" if gap == 0.0 else f"Its true gap is Δ = {number(gap, 3)}.")
    return Paragraph("Now", " ".join(parts))


def _times(count: int) -> str:
    return "once" if count == 1 else f"{number(count)} times"


def _pulled(count: int) -> str:
    return f"pulled {_times(count)}" if count else "never pulled"


def _fate(scene: Scene, state: State, target: int) -> str:
    if state.subroutine is None:
        return "No call has started."
    if state.fate_event[target] < 0:
        count = len(state.survivors)
        alone = " alone" if count == 1 else f", one of {number(count)}"
        return f"<surviving>It survives{alone}</surviving>."
    by = scene.label(int(state.fate_by[target]))
    return f"<now>It was eliminated in round {number(int(state.fate_round[target]))}</now> of this call, by {by}."


def _subroutines(scene: Scene, target: int, ledger: Ledger) -> list[Paragraph]:
    history, cursor = scene.history, scene.state.cursor
    count = int(np.searchsorted(history.subroutines.event, cursor, side="left"))
    if not count:
        return []
    gone = history.eliminations
    known = int(np.searchsorted(gone.event, cursor, side="left"))
    rows = np.flatnonzero(gone.target[:known] == target)
    where = history.rounds.subroutine[gone.round[rows]]
    fates = dict(zip(where.tolist(), rows.tolist(), strict=True))
    eliminated = len(fates)
    sentence = (
        f"In {plural(count, 'call')} so far, it was eliminated in {number(eliminated)} and survived in "
        f"{number(count - eliminated)}."
    )
    if not ledger.complete_before(cursor) and _arm(scene, target) is not None:
        sentence += " Its pulls are still being counted."
    shown = range(count - 1, max(-1, count - 1 - MOST_SUBROUTINES), -1)
    lines = [_line(scene, target, ledger, each, fates.get(each), each == count - 1) for each in shown]
    if scene.algorithm in ONE_CALL:
        return [Paragraph("In this call", f"The run is one call of {subroutine_title(scene.algorithm)}.", tuple(lines))]
    if count > MOST_SUBROUTINES:
        lines.append(f"… and {number(count - MOST_SUBROUTINES)} earlier")
    return [Paragraph("Call by call, newest first", sentence, tuple(lines))]


def _line(scene: Scene, target: int, ledger: Ledger, row: int, fate: int | None, current: bool) -> str:
    history, state = scene.history, scene.state
    table, gone = history.subroutines, history.eliminations
    outer, inner, _ = place_names(scene.algorithm)
    place = f"{outer} {table.ell[row]} · {inner} {table.i[row]}" if outer else "this call"
    if fate is not None:
        k = int(history.rounds.k[gone.round[fate]])
        gap, width = number(float(gone.gap[fate]), 3), number(float(gone.width[fate]), 3)
        words = f"<now>eliminated</now> in round {number(k)}: ⟨θ̂, y⟩ = {gap} ≥ {width}, by {scene.label(gone.by[fate])}"
    else:
        rounds = _rounds_of(history, row, state.cursor)
        open_still = current and state.subroutine_finished is None
        stays = f"<surviving>{'survives' if open_still else 'survived'}</surviving>"
        so_far = f"{stays} {plural(rounds, 'round')}" if rounds else "no round was decided"
        words = f"{so_far}, {_company(scene, row, current)}"
    arm = _arm(scene, target)
    if arm is None:
        return f"{place}: {words}"
    if current:
        return f"{place}: {words}; {_pulled(int(state.subroutine_counts[arm]))}"
    if not ledger.complete_before(int(table.event[row + 1])):
        return f"{place}: {words}"
    return f"{place}: {words}; {_pulled(ledger.pulls(int(table.event[row]), arm))}"


def _rounds_of(history: History, row: int, cursor: int) -> int:
    """Rounds of a call, sampled or idle, before the cursor."""
    first, last = _range(history, row, cursor)
    table = history.rounds
    decided = table.decided[first:last]
    done = (decided >= 0) & (decided < cursor)
    return int((table.last_k[first:last] - table.k[first:last] + 1)[done].sum())


def _range(history: History, row: int, cursor: int) -> tuple[int, int]:
    starts = history.subroutines.first_round
    last = history.rounds_before(cursor)
    first = int(starts[row])
    return first, max(first, min(last, int(starts[row + 1]))) if row + 1 < len(starts) else max(first, last)


def _company(scene: Scene, row: int, current: bool) -> str:
    """How many arms survived with it."""
    if current:
        count = len(scene.state.survivors)
    else:
        first, last = _range(scene.history, row, scene.state.cursor)
        count = int(scene.history.rounds.survivors_after[last - 1]) if last > first else scene.state.targets
    return "alone" if count == 1 else f"one of {number(count)}"


def _recommended(scene: Scene, target: int) -> Paragraph:
    table, cursor = scene.history.recommendations, scene.state.cursor
    count = int(np.searchsorted(table.event, cursor, side="left"))
    chosen = table.target[:count] == target
    heading = "When it was recommended"
    if not chosen.any():
        return Paragraph(heading, "Never so far.")
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]]).astype(np.int8)))
    spells = [(int(edges[at]), int(edges[at + 1])) for at in range(0, len(edges), 2)]
    lines = [_spell(scene, first, end, count) for first, end in spells[-_MOST_SPELLS:]]
    if len(spells) > _MOST_SPELLS:
        lines.insert(0, f"{_times(len(spells) - _MOST_SPELLS)} earlier")
    return Paragraph(heading, f"It became the recommendation {_times(len(spells))}.", tuple(lines))


def _spell(scene: Scene, first: int, end: int, count: int) -> str:
    samples = scene.history.recommendations.samples
    begin = f"from sample {number(int(samples[first]))}"
    if end == count:
        return f"<chosen>{begin} to now</chosen>"
    return f"{begin} to sample {number(int(samples[end]))}"
