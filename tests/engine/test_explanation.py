"""Explanations of steps: their numbers are those that a second, plain computation gives."""

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine.algorithms import BUILT_IN
from gems_engine.complexity.schedule import BudgetGrid
from gems_engine.design import DesignProblem, DesignSolve, equivalence_of
from gems_engine.design.result import how_proven
from gems_engine.explanation import as_html, as_text, explain
from gems_engine.explanation.design import active_pair
from gems_engine.explanation.text import ROLES, escape_markup, plain
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.problems import problems
from gems_engine.running import Run
from gems_engine.terminal import number, subscript, superscript
from gems_engine.trace import Trace
from gems_engine.wording import remain_words
from tests.engine.explained_runs import cut, named_instance, run_of
from tests.engine.synthetic_runs import synthetic_trace

FAMILIES = ("sphere", "paper-hard")
EVERY = [(algorithm, family) for algorithm in BUILT_IN for family in FAMILIES]
COLORS = {role: f"#{number:06x}" for number, role in enumerate(ROLES)}
FACTORS = {"gems-c": 2.0, "gems-m": 8.0}


def text_at(trace, at, **rest):
    """The explanation of one event."""
    return as_text(explain(trace, at + 1, **rest))


def some_of(trace, most=100):
    """Indices of the first events of each kind, and of others all over the run."""
    first = {at for kind in ev.EVENTS for at in trace.positions(kind).tolist()[:3]}
    return sorted(first | set(range(0, len(trace), max(1, len(trace) // most))) | {len(trace) - 1})


def rounds_of(trace, kind):
    """(index, event, state after it) of all events of a kind that belong to rounds."""
    for at in trace.positions(kind).tolist():
        if trace[at].place.k:
            yield at, trace[at], trace.state_at(at + 1)


def there(state):
    """Who took part in the round."""
    gone = set(state.eliminated_now.tolist())
    return [z for z in range(state.targets) if state.fate_event[z] < 0 or z in gone]


def r(trace, d):
    given = trace.started.parameters
    zeta = given["zeta"]
    return (d * d + d + 2) / zeta if given["rounding"] == "quadratic" else 180 * d / zeta**2


@pytest.mark.parametrize(("algorithm", "family"), EVERY)
def test_every_event_is_explained_without_what_comes_after(algorithm, family):
    trace = run_of(algorithm, family)
    history, memory = History(trace), {}
    for at in some_of(trace):
        told = explain(trace, at + 1, truth=True, history=history, memory=memory)
        assert told.paragraphs
        words = as_text(told)
        assert "The formula gives" not in words
        assert not re.search(r"</?(b|sub|sup|\w+)>|&[a-z]+;", words), words
        html = as_html(told, COLORS)
        ElementTree.fromstring(f"<div>{html}</div>")  # well-formed: every tag is closed
    for at in {len(trace) // 3, len(trace) // 2, len(trace) - 3}:
        assert explain(cut(trace, at), at, truth=True) == explain(trace, at, truth=True, history=history)


@pytest.mark.parametrize(("algorithm", "family"), EVERY)
def test_the_truth_is_told_only_if_asked(algorithm, family):
    trace = run_of(algorithm, family)
    history = History(trace)
    secrets = re.compile(r"d⋆ = \d|equals d⋆|true best|That is (right|wrong)|The truth|the best arm is |Δ = ")
    hidden = "".join(as_text(explain(trace, at + 1, history=history)) for at in some_of(trace))
    told = "".join(as_text(explain(trace, at + 1, truth=True, history=history)) for at in some_of(trace))
    assert not secrets.search(hidden)
    assert re.search(r"d⋆ = \d", told)
    assert f"the best arm is {plain(escape_markup(trace.instance.target_label(trace.instance.best)))}" in told


@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_N_is_that_of_the_formula(algorithm):
    trace = run_of(algorithm)
    given, zeta = trace.started.parameters, trace.started.parameters["zeta"]
    looked = 0
    if not len(trace.positions(ev.DesignSolved)):
        return  # without a design there is no formula: its pulls are a parameter
    for at, event, state in rounds_of(trace, ev.Allocated):
        subroutine, k, count = state.subroutine, event.place.k, len(there(state))
        if subroutine is None:
            expected = max(1, math.ceil(state.design.value * math.log(1 / given["delta"]) / 2))
        elif subroutine.name == "gems-b":
            grid = BudgetGrid.of(given["budget"])
            share = given["budget"] if algorithm == "gems-b" else grid.share(event.place.ell)
            expected = int(share // subroutine.rounds)
        else:
            log = math.log(count**2 * k**2 / subroutine.delta)
            expected = math.ceil(FACTORS.get(subroutine.name, 2.0) * (1 + zeta) * state.design.cost * log * (1 - 1e-13))
            if subroutine.name == "rage":
                expected = max(expected, math.ceil(r(trace, event.d)))
            words = text_at(trace, at)
            assert f"log({number(count)}²/{number(subroutine.delta / k**2, 3)}) = {number(log)}" in words
        words = text_at(trace, at)
        assert f"Why Nₖ = {number(expected)}\n" in words, (
            f"{algorithm} has a formula of its own for N_k: say it in gems_engine/explanation/samples.py, and compute "
            "`expected` by it in this test"
        )
        assert f"= {number(expected)}" in words.split("Why Nₖ")[1].split("\n\n")[0]
        assert f"factor of {number(event.factor)} ≤ 1 + ζ = {number(1 + zeta)}" in words
        looked += 1
    assert looked


@pytest.mark.parametrize("algorithm", ["gems-c", "gems-m", "gems-b", "fixed-confidence", "fixed-budget"])
def test_the_dimension_fits_and_the_next_does_not(algorithm):
    trace = run_of(algorithm, selection_budget=20.0 if algorithm == "gems-b" else 60.0)
    instance, rejected = trace.instance, 0
    for at, event, state in rounds_of(trace, ev.DesignSolved):
        k, d, B = event.place.k, event.d, state.subroutine.selection_budget
        by_rounding = state.subroutine.name != "gems-b"
        cost = max(4.0**k * event.value, r(trace, d) if by_rounding else 0.0)
        words = text_at(trace, at)
        assert f"Why dₖ = {d}\n" in words
        assert f"= {number(cost)} ≤ B = {number(B)}" in words or "within the tolerance" in words
        assert cost <= B * (1 + 2e-6)
        if d == instance.D:
            assert "there is no larger dimension" in words
        elif f"d = {d + 1} does not fit" in words and rejected < 12:
            rejected += 1
            survivors = there(state)
            solve = DesignSolve(DesignProblem(instance.arms[:, : d + 1], targets=instance.targets[survivors, : d + 1]))
            while not solve.done:
                solve.step()
            optimum = max(4.0**k * solve.design().value, r(trace, d + 1) if by_rounding else 0.0)
            assert optimum > B
            line = next(line for line in words.splitlines() if f"g{subscript(k)}({d + 1}) ≥" in line)
            shown = float(re.findall(r"= ([\d\u202f.]+) > B", line)[0].replace("\u202f", ""))
            assert B * (1 - 1e-3) < shown <= optimum * (1 + 1e-3)  # a proven bound, as rounded on screen
    assert rejected


def test_a_dimension_limited_by_the_pulls_of_a_round():
    trace = run_of("gems-b", budget=60, rounds=2, selection_budget=1e9)
    at = int(trace.positions(ev.DesignSolved)[0])
    d = trace[at].d
    assert r(trace, d) <= 30 < r(trace, d + 1)
    assert f"r{subscript(d + 1)}(ζ) = {number(r(trace, d + 1))} > T′ = 30" in text_at(trace, at)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_active_pair_is_the_longest_direction(family):
    trace = run_of("fixed-confidence", family)
    instance, looked = trace.instance, 0
    for at, event, state in rounds_of(trace, ev.DesignSolved):
        if event.value == 0.0:
            assert "any λ will do" in text_at(trace, at)
            continue
        survivors = there(state)
        rows = instance.targets[survivors, : event.d]
        arms = instance.arms[event.support, : event.d]
        inverse = np.linalg.pinv(arms.T @ (event.weights[:, None] * arms), rcond=1e-12, hermitian=True)
        squares = {
            (i, j): float((rows[i] - rows[j]) @ inverse @ (rows[i] - rows[j]))
            for i in range(len(rows))
            for j in range(i)
        }
        longest = max(squares.values())
        problem = DesignProblem(instance.arms[:, : event.d], targets=rows)
        one, other, square, ties = active_pair(problem, event, len(instance.arms))
        assert square == pytest.approx(longest, rel=1e-6)
        assert squares[max(one, other), min(one, other)] == pytest.approx(longest, rel=1e-6)
        words = text_at(trace, at)
        names = [instance.target_label(survivors[each]) for each in (one, other)]
        assert f"longest pair: {names[0]} and {names[1]}" in words
        near = max(1e-5, 4 * event.gap)
        parts = (1 - near + 1e-8, 1 - near - 1e-8)
        sure = [sum(each >= part * longest for each in squares.values()) - 1 for part in parts]
        assert sure[0] <= ties <= sure[1]
        weights = np.zeros(len(instance.arms))
        weights[event.support] = event.weights
        seen = equivalence_of(problem, weights, event.gap)  # as the design debugger counts and marks them
        assert seen.epsilon > near or seen.active_count == len(seen.active) == ties + 1
        assert (
            f"; {ties} other pair{' is' if ties == 1 else 's are'} as long, within a relative error of 1e−5" in words
        ) == (ties > 0)
        assert f"max_y ‖y‖² = {number(event.value, 6)}, proven optimum ≥ {number(event.lower_bound, 6)}" in words
        if event.status == "certified":
            assert how_proven(event.proof) in words
        if event.status == "exact":
            assert "gives the optimum exactly, proven in exact fractions." in words
        heaviest = int(event.weights.argmax())
        label = instance.arm_label(int(event.support[heaviest]))
        assert (
            f"{len(event.support)} of {len(instance.arms)} arms: {label} {number(event.weights[heaviest], 3)}" in words
        )
        looked += 1
    assert looked


@pytest.mark.parametrize("algorithm", ["gems-c", "gems-m", "gems-b", "rage", "fixed-confidence"])
def test_who_leaves_and_how_near_the_others_came(algorithm):
    trace = run_of(algorithm)
    instance, left, stayed = trace.instance, 0, 0
    for at, event, state in rounds_of(trace, ev.Eliminated):
        survivors, k, d = there(state), event.place.k, len(state.theta)
        rows, counts = instance.arms[state.allocation.arms, :d], state.allocation.counts
        inverse = np.linalg.pinv(rows.T @ (counts[:, None] * rows), rcond=1e-12, hermitian=True)
        by_norm = state.subroutine.name in ("gems-c", "rage")
        log = math.log(len(survivors) ** 2 * k**2 / state.subroutine.delta) if by_norm else 0.0
        deciding = {}
        for z in survivors:
            pairs = []
            for other in survivors:
                y = instance.targets[other, :d] - instance.targets[z, :d]
                if np.abs(y).max() > 1e-12:
                    width = math.sqrt(2 * log * float(y @ inverse @ y)) if by_norm else 2.0**-k
                    pairs.append((float(state.theta @ y) - width, float(state.theta @ y), width, other))
            deciding[z] = max(pairs)
        sign = "ω" if by_norm else "2⁻" + "⁰¹²³⁴⁵⁶⁷⁸⁹"[k]
        words = text_at(trace, at)
        for z in sorted(event.targets.tolist(), key=lambda z: -deciding[z][0])[:3]:
            _, gap, width, other = deciding[z]
            names = instance.target_label(z), instance.target_label(other)
            assert f"{names[0]}: ⟨θ̂, y⟩ = {number(gap, 3)} ≥ {sign} = {number(width, 3)}, by {names[1]}" in words
            left += 1
        stay = [z for z in survivors if z not in event.targets.tolist()]
        if stay:
            nearest = max(stay, key=lambda z: deciding[z][0])
            margin, gap, width, other = deciding[nearest]
            assert margin < 0
            names = instance.target_label(nearest), instance.target_label(other)
            line = f"{names[0]} remains: ⟨θ̂, y⟩ = {number(gap, 3)} < {sign} = {number(width, 3)} against {names[1]}"
            assert f"{line}, {number(width - gap, 3)} short" in words
            assert (f"… and {len(stay) - 4} more stay" in words) == (len(stay) > 4)
            stayed += 1
    assert left
    assert stayed


def test_the_picked_target_is_told_first():
    trace = run_of("gems-c")
    at = next(at for at, event, _ in rounds_of(trace, ev.Eliminated) if len(event.targets) > 1)
    for z in (int(trace[at].targets[-1]), int(trace.state_at(at + 1).survivors[-1])):
        words = text_at(trace, at, target=z)
        lines = [line.strip() for line in words.splitlines() if "⟨θ̂, y⟩ =" in line]
        mine = [line for line in lines if line.startswith((f"{trace.instance.target_label(z)}:",
                                                           f"{trace.instance.target_label(z)} remains"))]  # fmt: skip
        kind = [line for line in lines if (" remains" in line) == (" remains" in mine[0])]
        assert kind[0] == mine[0]


def test_the_estimate_and_its_leader():
    trace = run_of("rage")
    for at, event, state in rounds_of(trace, ev.Estimated):
        survivors = there(state)
        values = trace.instance.targets[survivors, : len(event.theta)] @ event.theta
        leader = trace.instance.target_label(survivors[int(values.argmax())])
        words = text_at(trace, at)
        assert f"{leader}, ⟨θ̂, ψ(z)⟩ = {number(float(values.max()))}" in words
        assert f"θ̂ₖ = ({number(float(event.theta[0]), 3)}, " in words


@pytest.mark.parametrize("algorithm", ["gems-c", "gems-m", "gems-b", "fixed-confidence", "misspecified"])
def test_idle_rounds_are_counted_by_the_formula(algorithm):
    trace = run_of(algorithm, "equal", rounds=9, max_samples=10**6, max_loops=5, selection_budget=5.0, budget=99)
    positions = trace.positions(ev.IdleRounds).tolist()
    assert positions
    for at in positions[:5]:
        event, state = trace[at], trace.state_at(at + 1)
        rule, count = state.subroutine, len(state.survivors)
        if rule.name == "gems-b":
            expected = (event.last - event.first + 1) * (trace.started.parameters["budget"] // rule.rounds)
        else:
            c = FACTORS[rule.name] * 2.0 * r(trace, event.d)
            rounds = range(event.first, event.last + 1)
            expected = sum(math.ceil(c * math.log(count**2 * k**2 / rule.delta) * (1 - 1e-13)) for k in rounds)
        words = text_at(trace, at)
        assert f"= {number(expected)}" in words
        assert f"Their {number(expected)} samples are counted" in words
        assert f"same first {event.d} features" in words or "One arm is left" in words


def test_why_a_subroutine_ends():
    trace = run_of("fixed-confidence")
    seen = set()
    for at in trace.positions(ev.SubroutineFinished).tolist():
        event, words = trace[at], text_at(trace, at)
        seen.add(event.why)
        if event.why == ev.SINGLETON:
            assert f"One arm remains: {trace.instance.target_label(int(event.survivors[0]))}." in words
        elif event.why == ev.ROUNDS_DONE:
            rounds = trace.state_at(at + 1).subroutine.rounds
            assert f"All n = {number(rounds)} rounds are done; {remain_words(len(event.survivors))}: " in words
        elif event.why == ev.NO_DIMENSION_FITS:
            assert re.search(r"g[₀-₉]+\(1\) ≥ .* > B = ", words)
        if event.why not in (ev.SINGLETON, ev.CAP):
            assert "recommends an arm only when it remains alone" in words
    assert {ev.SINGLETON, ev.NO_DIMENSION_FITS} <= seen


def test_the_end_of_a_call_names_the_budget_that_no_dimension_fits():
    ends = {
        (12, 100.0): "No dimension fits the T′ = 2 pulls of a round.",  # r_1 is 4
        (60_000, 1e-3): "No dimension fits the selection budget any more.",
    }
    for (T, B), sentence in ends.items():
        trace = Run(named_instance(), "gems-b", 1, budget=T, rounds=6, selection_budget=B).finish()
        assert trace.finished.why == ev.NO_DIMENSION_FITS
        assert sentence in text_at(trace, len(trace) - 1)


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "rage", "gems-c", "misspecified", "gems-m"])
def test_why_the_cap_ends_a_run(algorithm):
    given = {"selection_budget": 1e6, "rounds": 12, "epsilon": 0.05}
    trace = run_of(algorithm, "close", max_samples=20_000, **given)
    finished = trace.finished
    assert finished.why == ev.CAP
    words = text_at(trace, len(trace) - 1)
    sums = re.search(r"([\d\u202f]+) \+ ([\d\u202f]+) = ([\d\u202f]+) > ([\d\u202f]+)", words)
    before, more, total, cap = (int(each.replace("\u202f", "")) for each in sums.groups())
    assert (before, cap) == (finished.samples, 20_000)
    assert before + more == total > cap
    longer = run_of(algorithm, "close", max_samples=total, **given)
    drawn = next(event for event in longer[len(trace) - 4 :] if isinstance(event, ev.Pulled) and event.samples > before)
    assert drawn.samples == total  # the step that was not drawn takes exactly this number


def test_a_budget_that_cannot_round_at_all():
    trace = run_of("gems-b", budget=6, rounds=3)
    at = int(trace.positions(ev.SubroutineFinished)[0])
    assert f"r₁(ζ) = {number(r(trace, 1))} > T′ = 2" in text_at(trace, at)
    assert "could not sample" in text_at(trace, at + 1)  # the recommendation is a guess


def test_validation_and_candidates():
    for algorithm in ("fixed-budget", "misspecified"):
        trace = run_of(algorithm, max_samples=10**6, max_loops=3)
        given, instance = trace.started.parameters, trace.instance
        at = int(trace.positions(ev.Validated)[0])
        event, state = trace[at], trace.state_at(at + 1)
        if algorithm == "fixed-budget":
            expected = given["budget"] // 2 // len(state.candidates)
        else:
            delta = given["delta"] / (4 * event.place.ell**3)
            expected = math.ceil(8 * math.log(2 / delta) / given["epsilon"] ** 2)
        assert expected == event.pulls
        asked = int(max(each for each in trace.positions(ev.Allocated).tolist() if each < at))
        assert f"= {number(expected)} pulls of each" in text_at(trace, asked)
        best = int(event.means.argmax())
        label = instance.target_label(int(event.targets[best]))
        assert f"{label} has the highest mean of {number(expected)} pulls" in text_at(trace, at)
        assert f"{label}: {number(float(event.means[best]))}" in text_at(trace, at)
        for kept in trace.positions(ev.CandidateKept).tolist():
            words, state = text_at(trace, kept), trace.state_at(kept + 1)
            new = (
                trace[kept].target not in trace.state_at(kept).candidates or trace.state_at(kept).validated is not None
            )
            assert ("It is a new candidate" in words) == new
            assert ("drawn at random" in words) == (not state.subroutine_counts.any())


@pytest.mark.parametrize("algorithm", BUILT_IN)
def test_whether_the_recommendation_changes(algorithm):
    trace = run_of(algorithm)
    before = None
    for at in trace.positions(ev.Recommended).tolist():
        target, words = trace[at].target, text_at(trace, at)
        name = trace.instance.target_label(target)
        if before is None and algorithm in ev.SINGLE_CALLS:  # at its end
            assert f"Why this recommendation\n{name}: it " in words
        elif before is None:
            assert f"{name}: nothing is known yet, so this is a seeded random guess." in words
        elif before == target:
            assert f"Why the recommendation does not change\n{name} again" in words
        else:
            change = f"{name} instead of {trace.instance.target_label(before)}"
            assert f"Why the recommendation changes\n{change}" in words
        before = target


@pytest.mark.parametrize(
    ("algorithm", "given"),
    [
        ("gems-b", {"budget": 130, "rounds": 4}),
        ("gems-b", {"budget": 9_999, "rounds": 2}),
        ("gems-b", {"budget": 6, "rounds": 3}),
        ("gems-b", {"budget": 5_000, "rounds": 3, "rounding": "linear", "zeta": 0.7}),
        ("fixed-budget", {}),
    ],
)
def test_why_t_prime_and_d_tilde(algorithm, given):
    trace = run_of(algorithm, **given)
    starts = trace.positions(ev.SubroutineStarted).tolist()
    assert [at + 1 for at in starts] == trace.positions(ev.BudgetDivided).tolist()
    assert [at + 2 for at in starts] == trace.positions(ev.TopDimensionChosen).tolist()
    D = trace.instance.D
    for at in starts:
        call, divided, chosen = trace[at : at + 3]
        share = given.get("budget") or BudgetGrid.of(trace.started.parameters["budget"]).share(call.place.ell)
        pulls = math.floor(share / call.rounds)
        fit = [d for d in range(1, D + 1) if r(trace, d) <= pulls * (1 + 1e-9)]
        top = max(fit, default=0)
        assert divided.pulls == chosen.pulls == pulls
        assert chosen.top == top
        assert chosen.rounding_samples.tolist() == [r(trace, d) for d in range(1, D + 1)]
        state = trace.state_at(at + 3)
        assert (state.divided, state.top_dimension) == (divided, chosen)
        assert trace.state_at(at + 1).divided is trace.state_at(at + 2).top_dimension is None
        words = text_at(trace, at + 1)
        assert f"T′ = ⌊T/n⌋ = ⌊{number(call.budget)}/{number(call.rounds)}⌋ = {number(pulls)}\n" in words
        words = text_at(trace, at + 2)
        if top:
            assert f"Why D̃ = {top}\n" in words
            assert f"r{subscript(top)}(ζ) = " in words
            assert f"= {number(r(trace, top))} ≤ T′ = {number(pulls)}\n" in words
        else:
            assert "not even a design in R¹ can be rounded, so this call ends immediately" in words
            assert isinstance(trace[at + 3], ev.SubroutineFinished)
        if top == D:
            assert f"d = D = {D}: there is no larger dimension." in words
        else:
            assert f"= {number(r(trace, top + 1))} > T′ = {number(pulls)}\n" in words


def test_subroutines_begin_as_the_schedule_says():
    trace = run_of("fixed-confidence", base=4)
    for at in trace.positions(ev.SubroutineStarted).tolist():
        ell, i, words = trace[at].place.ell, trace[at].place.i, text_at(trace, at)
        assert f"n = βⁱ = 4{superscript(i)} = {number(4**i)}\n" in words
        assert f"= {number(4 ** (ell - i))}\n" in words
        assert f"= {number(0.05 / (2 * ell**3), 3)}\n" in words
    trace = run_of("fixed-budget")
    grid = BudgetGrid.of(trace.started.parameters["budget"])
    for at in trace.positions(ev.SubroutineStarted).tolist():
        i, j = trace[at].place.ell, trace[at].place.i
        assert f"= {number(2**i)}\n" in text_at(trace, at)
        assert f"2{superscript(j)} = {number(2**j)}\n" in text_at(trace, at)
        assert f"= {number(float(grid.share(i)))}\n" in text_at(trace, at)


def test_an_unfinished_solver_is_called_so():
    trace = run_of("gems-c", solver="frank-wolfe")
    at = next(at for at, event, _ in rounds_of(trace, ev.DesignSolved) if event.status == "as published")
    gap = trace[at].value / trace[at].lower_bound - 1
    said = text_at(trace, at)
    assert f"its own bound allows it to be {number(100 * gap, 3)} % above the optimum" in said
    assert "this is not proven" in said
    assert "XY-optimal" not in said
    assert "without proof" in said
    certified = run_of("gems-c")
    at = next(at for at, event, _ in rounds_of(certified, ev.DesignSolved) if event.status == "certified")
    assert "it is XY-optimal" in text_at(certified, at)


def test_what_does_not_follow_from_the_formulas_is_said():
    trace = synthetic_trace()
    at = next(at for at in trace.positions(ev.Allocated).tolist() if trace[at].d)
    drawn = number(int(trace[at].counts.sum()))
    assert re.search(rf"The formula gives [\d\u202f]+, but the run recorded {drawn}\.", text_at(trace, at))
    assert as_text(explain(trace, 0)).startswith("Before the first event")


def test_names_are_never_markup():
    trace = Run(named_instance(), "rage", 1, max_samples=10**6).finish()
    at = next(at for at, event, _ in rounds_of(trace, ev.Eliminated) if len(event.targets))
    told = explain(trace, at + 1, truth=True)
    assert "<b>bold</b>" in as_text(told)
    assert "&lt;b&gt;bold&lt;/b&gt;" in as_html(told, COLORS)
    assert isinstance(trace, Trace)


def test_plain_text_writes_scripts_as_tex_does():
    assert plain("N<sub>k</sub> in R<sup>12</sup>, 2<sup>2k</sup> &lt; B") == "Nₖ in R¹², 2²ᵏ < B"
    trace = run_of("gems-c")
    html = as_html(explain(trace, int(trace.positions(ev.DesignSolved)[0]) + 1), COLORS)
    assert f'<span style="color:{COLORS["chosen"]}">d = ' in html


@pytest.mark.parametrize("algorithm", ["misspecified-best-arm", "fixed-confidence"])
def test_a_verifiable_answer_is_trusted_only_as_far_as_the_model_is(algorithm):
    # The design pulls the outer two alone, and on the line between them the middle arm, the best, is far from it.
    bent = Instance.from_rewards([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 1.2, 1.0])
    trace = Run(bent, algorithm, 0, max_samples=100_000, stop_when_verifiable=True).finish()
    assert trace.finished.why == ev.VERIFIED
    assert trace.finished.recommendation != bent.best
    at = int(trace.positions("became verifiable")[0])
    told = text_at(trace, at, truth=True)
    assert "If the rewards are linear in R², then with probability at least 1 − δ it is" in told
    assert "That is wrong" in told
    assert ("made for rewards that are not" in told) == (algorithm == "misspecified-best-arm")
    assert "wrong" not in text_at(trace, at)


def test_a_verifiable_answer_in_other_noise_has_the_level_that_is_proven_there():
    bent = Instance.from_rewards([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 1.2, 1.0]).with_noise("rademacher")
    trace = Run(bent, "fixed-confidence", 0, max_samples=100_000, stop_when_verifiable=True).finish()
    told = text_at(trace, int(trace.positions("became verifiable")[0]))
    assert "with probability at least 1 − 1.353·δ it is" in told


@pytest.mark.parametrize("algorithm", ["gems-c", "rage", "gems-m"])
def test_widths_are_at_most_what_is_said_of_them(algorithm):
    trace = run_of(algorithm)
    for at in trace.positions("allocated"):
        told = text_at(trace, int(at))
        bound = "½·2⁻ᵏ" if algorithm == "gems-m" else "2⁻ᵏ"
        assert f"at most {bound}" in told
        assert "here it cost more" not in told  # rounding costs at most 1 + ζ in these runs
    for at in trace.positions("eliminated"):
        event = trace[int(at)]
        assert (event.widths <= 2.0**-event.place.k * (1 + 1e-9)).all()


def test_where_rounding_costs_too_much_no_width_is_promised():
    trace = run_of("gems-c")
    at = int(trace.positions("allocated")[0])
    spoilt = Trace(trace.instance)
    spoilt.extend([*trace[:at], replace(trace[at], factor=3.0)])
    assert "here it cost more" in text_at(spoilt, at)


def test_answers_from_outside_are_not_judged():
    trace = run_of("fixed-confidence", "paper-hard")
    outside = Trace(trace.instance)
    outside.extend([replace(trace[0], rewards=ev.OUTSIDE), *trace[1:]])
    own, other = (" ".join(text_at(each, at, truth=True) for at in range(len(each))) for each in (trace, outside))
    assert "That is right" in own
    for words in ("That is right", "That is wrong", "The true best", "The truth:", "true gap"):
        assert words not in other


def test_a_best_arm_that_is_eliminated_is_no_problem_where_the_best_is_unknown():
    bent = Instance.from_rewards([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]], [0.0, 1.2, 1.0])
    trace = Run(bent, "fixed-confidence", 0, max_samples=100_000).finish()
    outside = Trace(bent)
    outside.extend([replace(trace[0], rewards=ev.OUTSIDE), *trace[1:]])
    counts = [sum("true best" in each.sentence for each in problems(run, truth=True)) for run in (trace, outside)]
    assert counts[0] > 0 == counts[1]
