"""Pseudo-code: every event is one line, every line is reached, and what is shown is what the events say."""

from functools import cache
from itertools import pairwise
from math import ceil, floor, ldexp, log
from pathlib import Path

import pytest

from gems_engine.algorithms import BUILT_IN
from gems_engine.algorithms.algorithm import SHARED, Algorithm
from gems_engine.algorithms.frames import frames
from gems_engine.algorithms.pseudocode import LOOP, ROUND, RUN, SUBROUTINE
from gems_engine.algorithms.symbols import SYMBOLS
from gems_engine.branching import Branch
from gems_engine.conditions import LineReached
from gems_engine.events import (
    Allocated,
    CandidateKept,
    DesignSolved,
    DimensionProbed,
    Eliminated,
    IdleRounds,
    Pulled,
    RunStarted,
    SubroutineFinished,
    SubroutineStarted,
    TopDimensionChosen,
    Validated,
)
from gems_engine.files import read_run
from gems_engine.forcing import Forced
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.until import Search

RECORDED = Path(__file__).parent.parent / "data" / "runs"
TWINS = Instance.linear([[1.0, 0.0, 0.0], [1.0, 0.0, 0.4], [0.0, 1.0, 0.0]], [1.0, 0.2, 0.1])
"""In R^2 the first two are equal."""
WITH_LINES = {name: each for name, each in BUILT_IN.items() if each.listing is not None}
"""All, as the first test asks for: the others are not to fail for what it says better."""
SCENARIOS = {
    "gems-c": ("paper-hard", "gems-c", {"selection_budget": 200.0, "max_samples": 10**7}),
    "gems-c, one target remains": ("soare", "gems-c", {"selection_budget": 1e6, "rounds": 12}),
    "gems-c, nothing fits": ("paper-hard", "gems-c", {"selection_budget": 1.0}),
    "gems-c, cap": ("paper-hard", "gems-c", {"selection_budget": 200.0, "max_samples": 3000}),
    "gems-c, idle": (TWINS, "gems-c", {"selection_budget": 8.0, "rounds": 20}),
    "gems-c, literal": ("soare", "gems-c", {"selection_budget": 1e6, "rounds": 9, "literal": True}),
    "gems-m": ("paper-hard", "gems-m", {"selection_budget": 200.0}),
    "gems-m, idle": (TWINS, "gems-m", {"selection_budget": 8.0, "rounds": 20}),
    "gems-b": ("paper-hard", "gems-b", {"selection_budget": 200.0}),
    "gems-b, nothing fits": ("paper-hard", "gems-b", {"budget": 8}),
    "gems-b, idle": (TWINS, "gems-b", {"selection_budget": 8.0, "rounds": 20}),
    "strategy, cap": ("paper-hard", "fixed-confidence", {"max_samples": 5000, "base": 4}),
    "strategy, last loop": ("soare", "fixed-confidence", {"max_loops": 3}),
    "strategy, verifiable": ("sphere", "fixed-confidence", {"stop_when_verifiable": True, "base": 4}),
    "best arm, misspecified": ("sphere", "misspecified-best-arm", {"stop_when_verifiable": True, "base": 4}),
    "misspecified": ("paper-hard", "misspecified", {"max_samples": 10_000, "epsilon": 0.5}),
    "fixed budget": ("paper-hard", "fixed-budget", {"budget": 2000}),
    "rage": ("soare", "rage", {}),
    "rage, cap": ("soare", "rage", {"max_samples": 50}),
    "rage, oracle": ("paper-hard", "rage-oracle", {"max_samples": 30_000}),
    "static oracle": ("paper-hard", "static-oracle", {}),
}


@cache
def run(name):
    instance, algorithm, parameters = SCENARIOS[name]
    return Run(make(instance) if isinstance(instance, str) else instance, algorithm, 1, **parameters).finish()


def listing(name):
    return BUILT_IN[SCENARIOS[name][1]].listing


@cache
def stack(name, cursor, truth=True):
    trace = run(name)
    return frames(listing(name), trace, trace.state_at(cursor), truth)


def value(found, symbol):
    """The value of a symbol in a frame; None where none is shown."""
    return next((each for (_, name), each in found.values.items() if name == symbol), None)


def test_every_algorithm_has_lines():
    bare = [name for name, each in BUILT_IN.items() if each.listing is None]
    assert bare == [], (
        f"{bare}: give each Algorithm its pseudo-code in its own file, listing=Listing(name, title, lines, symbols); "
        "gems_engine/algorithms/static_oracle.py is the shortest that there is"
    )
    missing = sorted(set(BUILT_IN) - {algorithm for _, algorithm, _ in SCENARIOS.values()})
    assert missing == [], (
        f"{missing}: add a run of each to SCENARIOS in tests/engine/test_pseudocode.py, so that every line is reached: "
        '"name": ("paper-hard", "algorithm", {"parameter": value})'
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_event_is_exactly_one_line_at_every_cursor(name):
    trace, whole = run(name), listing(name)
    for cursor in range(1, len(trace) + 1):
        event, found = trace[cursor - 1], stack(name, cursor)
        path = whole.path_of(event)
        assert path, f"{event.kind} at {cursor} has no line"
        innermost = path[-1][0]
        assert sum(line.says(event, innermost is whole) for line in innermost.lines) == 1
        running = [frame for frame in found if frame.line]
        assert [(frame.listing, frame.line) for frame in running] == [(each, line.id) for each, line in path]
        assert found[: len(running)] == tuple(running), "what has returned is below what runs"
        for caller, called in pairwise(found):
            assert caller.listing[called.caller].calls is called.listing


def test_every_line_is_reached_in_some_scenario():
    reached = set()
    for name in SCENARIOS:
        for cursor in range(1, len(run(name)) + 1):
            for frame in stack(name, cursor):
                reached |= {(id(frame.listing), line) for line in (frame.line, *frame.passed) if line}
    for algorithm in WITH_LINES.values():
        for each in algorithm.listing.all_called():
            missed = [line.id for line in each.lines if (id(each), line.id) not in reached]
            assert not missed, f"{each.name} of {algorithm.name}: no event reaches {missed}"


def test_the_scenarios_say_every_kind_of_event():
    from gems_engine.events import EVENTS

    said = {event.kind for name in SCENARIOS for event in run(name)}
    assert said == set(EVENTS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_line_leads_to_its_events_and_to_no_others(name):
    """What a click goes to, found by the search that the window uses, against a walk over all cursors."""
    trace, whole = run(name), listing(name)
    marked = {}
    for cursor in range(1, len(trace) + 1):
        for frame in stack(name, cursor):
            for line in frame.listing.lines:
                innermost = frame.line == line.id and not any(
                    each.caller == line.id and each.line for each in stack(name, cursor)
                )
                if innermost or line.id in frame.passed:
                    marked.setdefault((frame.listing.name, line.id), []).append(cursor)
    for each in whole.all_called():
        for line in each.lines:
            expected = marked.get((each.name, line.id), [])
            if line.calls is not None and not isinstance(line.passed, str):  # a call without a unit: its first line
                expected = marked.get((line.calls.name, line.calls.lines[0].id), [])
            condition = LineReached(SCENARIOS[name][1], each.name, line.id)
            found, at = [], 0
            while (at := Search(trace, condition, at).update()) is not None:
                found.append(at)
            assert found == expected, (each.name, line.id)
            back, at = [], len(trace) + 1
            while (at := Search(trace, condition, at, forward=False).update()) is not None:
                back.append(at)
            assert back[::-1] == expected, (each.name, line.id)


@pytest.mark.parametrize("algorithm", WITH_LINES)
def test_a_line_is_told_by_its_number_and_never_by_its_internal_name(algorithm):
    instance = make("sphere", D=3, d_star=2, n=4, seed=1)
    for each in BUILT_IN[algorithm].listing.all_called():
        for line in each.lines:
            condition, number = LineReached(algorithm, each.name, line.id), each.number_of(line.id)
            which = f"ine {number} of {each.name} is " if number else f"his line of {each.name} is "
            assert condition.words(instance, algorithm)[1:] == f"{which}reached"
            assert condition.missed(instance, algorithm, False)[1:] == f"{which}not reached before the cursor."
            assert condition.missed(instance, algorithm, True)[1:].startswith(f"{which}not reached after the cursor: ")


# -- values --------------------------------------------------------------------------------------------------------


def by_hand(name):
    """Walk over a run of one call, and collect what a reader would write next to the letters."""
    trace, known = run(name), {}
    for cursor, event in enumerate(trace, start=1):
        if isinstance(event, RunStarted):
            known = {"n": event.parameters["rounds"], "B": event.parameters["selection_budget"]}
        if event.place.k and event.place.k != known.get("k"):
            before = known.get("|Ŝ_{k+1}|", len(trace.instance.targets))
            known = {name: known[name] for name in ("n", "B", "T", "D̃") if name in known}
            known |= {"k": event.place.k, "|Ŝ_k|": before}
        match event:
            case SubroutineStarted():
                known |= {"T": event.budget} if event.budget else {"δ": event.delta}
            case TopDimensionChosen():
                known["D̃"] = event.top
            case DesignSolved():
                known |= {"d_k": event.d, "g_k(d_k)": event.cost, "ι": event.value}
            case Allocated():
                known["N_k"] = event.counts.sum()
            case Pulled():
                known["samples"] = event.samples
            case Eliminated():
                known |= {"|Ŝ_{k+1}|": event.left, "eliminated": len(event.targets)}
            case SubroutineFinished():
                known["|Ŝ_{n+1}|"] = len(event.survivors)
        yield cursor, known


@pytest.mark.parametrize("name", ["gems-c", "gems-c, one target remains", "gems-c, nothing fits", "gems-m", "gems-b"])
def test_values_are_those_that_the_events_have_said(name):
    asked = {symbol for line in listing(name).lines for symbol in line.shows}
    for cursor, known in by_hand(name):
        frame = stack(name, cursor)[0]
        for symbol in ("k", "n", "B", "d_k", "g_k(d_k)", "ι", "N_k", "samples", "|Ŝ_k|", "|Ŝ_{k+1}|", "eliminated"):
            if symbol in asked:
                assert value(frame, symbol) == known.get(symbol), (cursor, symbol)
        for symbol in ("|Ŝ_{n+1}|", "D̃"):
            if symbol in asked:
                assert value(frame, symbol) == known.get(symbol), (cursor, symbol)
        if value(frame, "T′") is not None:
            assert value(frame, "T′") == floor(known["T"] / known["n"])


def test_the_formulas_give_the_numbers_next_to_them():
    """δ_k, N_k and g_k(d_k) as the lines define them, from the values next to their letters."""
    for cursor in range(1, len(run("gems-c")) + 1):
        found = {name: each for (_, name), each in stack("gems-c", cursor)[0].values.items()}
        if "k" in found:
            assert found["δ_k"] == found["δ"] / found["k"] ** 2
        if "d_k" in found:
            d, r = found["d_k"], found["d_k"] ** 2 + found["d_k"] + 2
            assert found["g_k(d_k)"] == pytest.approx(max(ldexp(found["ι"], 2 * found["k"]), r), rel=1e-6)
            assert found["g_k(d_k)"] <= found["B"] * (1 + 1e-9)
            assert 1 <= d <= run("gems-c").instance.D
        if "N_k" in found:
            wanted = ceil(2 * (1 + found["ζ"]) * found["g_k(d_k)"] * log(found["|Ŝ_k|"] ** 2 / found["δ_k"]))
            assert found["N_k"] == wanted


def test_opt_shows_the_bisection():
    seen = 0
    for cursor in range(1, len(run("gems-c")) + 1):
        event = run("gems-c")[cursor - 1]
        if not isinstance(event, DimensionProbed):
            continue
        seen += 1
        caller, opt = stack("gems-c", cursor)
        assert (caller.line, opt.listing.name) == ("choose", "OPT")
        assert opt.line == ("over" if event.verdict == "too dear" else "fits")
        assert value(opt, "d") == event.d
        assert value(opt, "by") == event.reason
        low, high = value(opt, "d_−"), value(opt, "d_+")
        assert low < high
        assert event.d in (low, high)
        assert value(caller, "d_k") is None, "it is not known before OPT has returned"
    assert seen > 5
    solved = [at + 1 for at in run("gems-c").positions("design solved").tolist()]
    for cursor in solved:
        caller, opt = stack("gems-c", cursor)
        assert (value(opt, "d_−"), value(opt, "d_+")) == (value(caller, "d_k"), value(caller, "d_k") + 1)
        assert (opt.line, opt.passed) == ("", {"output"}), "it has returned"


def test_a_strategy_shows_its_schedule_and_what_it_has_called():
    for cursor in range(1, len(run("strategy, cap")) + 1):
        state = run("strategy, cap").state_at(cursor)
        strategy, *called = stack("strategy, cap", cursor)
        call = state.subroutine
        assert value(strategy, "ℓ") == (call and call.place.ell)
        if call is None:
            assert not called
            continue
        ell, i = call.place.ell, call.place.i
        assert (value(strategy, "γ_ℓ"), value(strategy, "n_i"), value(strategy, "B_i")) == (
            4**ell,
            4**i,
            4 ** (ell - i),
        )
        assert value(strategy, "δ_ℓ") == 0.05 / (2 * ell**3)
        assert called[0].listing.name == "GEMS-c"
        shown = [name for (_, name) in strategy.values if name == "ẑ_⋆"]
        assert len(shown) == 1 + (state.finished is not None), "it is at the line that recommended it"
        label = run("strategy, cap").instance.target_label(state.recommendation)
        assert state.origin in ("first guess", "carried over", "")
        assert value(strategy, "ẑ_⋆") == (f"{label}, {state.origin}" if state.origin else label), "as the status says"


def test_the_budget_grid_and_its_validation():
    trace = run("fixed budget")
    for cursor in range(1, len(trace) + 1):
        strategy, *called = stack("fixed budget", cursor)
        event, found = trace[cursor - 1], {name: each for (_, name), each in strategy.values.items()}
        if "T″" in found:
            assert found["p"] * 2 ** found["p"] <= found["T"] < (found["p"] + 1) * 2 ** (found["p"] + 1)
            assert found["T″"] == pytest.approx(found["T"] / found["p"] / found["q_i"])
            assert (found["B_i"], found["n_j"]) == (2 ** found["i"], 2 ** found["j"])
        if isinstance(event, Validated):
            assert called[0].listing.name == "VALIDATE"
            assert value(called[0], "m") == event.pulls
            assert value(called[0], "max μ̂_z") == event.means.max()
            assert value(called[0], "|𝒜|") == len(event.targets)
    assert [frame.listing.name for frame in stack("fixed budget", len(trace))] == ["Adaptive strategy", "VALIDATE"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_shown_that_is_not_known_at_the_cursor(name):
    """The stack of a run that has come this far is that of the whole run at this cursor."""
    trace = run(name)
    for cursor in sorted({0, 1, 2, 5, len(trace) // 3, len(trace) // 2, len(trace) - 1}):
        short = type(trace)(trace.instance)
        short.extend(trace[:cursor])
        now = frames(listing(name), short, short.state_at(cursor))
        assert now == stack(name, cursor)


@pytest.mark.parametrize("name", ["rage, oracle", "static oracle"])
def test_what_an_oracle_is_told_is_not_shown_while_the_truth_is_hidden(name):
    for cursor in range(len(run(name)) + 1):
        for hidden, shown in zip(stack(name, cursor, truth=False), stack(name, cursor), strict=True):
            told = {symbol for (_, symbol) in shown.values}
            kept = {symbol for (_, symbol) in hidden.values}
            assert told - kept <= {"d_⋆", "θ̂_k", "θ̂", "ι", "ρ_⋆", "|supp λ_k|", "|supp λ_⋆|"}
            assert not kept & {"d_⋆", "θ̂_k", "θ̂", "ι", "ρ_⋆"}


def test_a_forced_budget_is_the_one_that_is_shown():
    parent = run("gems-c")
    fork = int(parent.positions("eliminated")[0]) + 1
    branch = Branch(parent, fork, Forced(selection_budget=37.5)).finish()
    shown = [value(frames(listing("gems-c"), branch, branch.state_at(at))[0], "B") for at in range(1, len(branch) + 1)]
    assert shown == [200.0] * fork + [37.5] * (len(branch) - fork)


def test_idle_rounds_and_the_end_say_why():
    trace = run("gems-c, idle")
    at = int(trace.positions(IdleRounds)[0]) + 1
    frame = stack("gems-c, idle", at)[0]
    assert frame.line == "idle"
    assert value(frame, "idle") == f"{trace[at - 1].first} … {trace[at - 1].last}"
    assert value(frame, "ι") == 0.0
    ended = {name: value(stack(name, len(run(name)))[0], "ended") for name in SCENARIOS}
    assert ended["gems-c, nothing fits"] == ended["gems-b, nothing fits"] == "no dimension fits"
    assert ended["gems-c, cap"] == ended["strategy, cap"] == "the sample cap is reached"
    assert ended["gems-c, one target remains"] == ended["rage"] == "one target remains"
    assert (ended["strategy, last loop"], ended["strategy, verifiable"]) == (
        "the last loop is done",
        "it is verifiable",
    )


ENDED_ON = {"singleton": "single", "no dimension fits": "none", "nothing to tell apart": "idle"}
"""The line on which a call ends, by why; with all rounds or at a cap it is its last one."""


def test_a_call_ends_on_the_line_that_says_why():
    seen = set()
    for name in SCENARIOS:
        for at, event in enumerate(run(name), start=1):
            if isinstance(event, SubroutineFinished) and not SCENARIOS[name][1].startswith("rage"):
                line = next(frame.line for frame in reversed(stack(name, at)) if frame.line)
                assert line == ENDED_ON.get(event.why, "output"), (name, event.why)
                seen.add(line)
    assert seen == {*ENDED_ON.values(), "output"}


def test_values_are_on_the_lines_that_set_them():
    for name, algorithm in (("gems-c", "GEMS-c"), ("rage", "RAGE"), ("gems-m", "GEMS-m")):
        at = int(run(name).positions(Allocated)[0]) + 1
        frame = stack(name, at)[0]
        assert frame.listing.name == algorithm
        assert frame.values["pulls", "N_k"] == run(name)[at - 1].counts.sum()
        assert "pulls" in frame.passed


def test_the_top_dimension_shows_what_was_compared_with_its_pulls():
    tight = Run(make("paper-hard"), "gems-b", 1, selection_budget=200.0, budget=400, rounds=4).finish()
    for trace in (run("gems-b"), run("gems-b, nothing fits"), tight):
        at = int(trace.positions(TopDimensionChosen)[0]) + 1
        (frame,) = frames(BUILT_IN["gems-b"].listing, trace, trace.state_at(at))
        asked = {d: d * d + d + 2 for d in range(1, trace.instance.D + 1)}  # ζ = 1
        fits = [d for d, pulls in asked.items() if pulls <= trace[at - 1].pulls]
        assert frame.values["top", "D̃"] == len(fits)
        assert frame.values.get(("top", "r_{D̃}(ζ)")) == asked.get(len(fits))
        assert frame.values.get(("top", "r_{D̃+1}(ζ)")) == asked.get(len(fits) + 1)


@pytest.mark.parametrize(("name", "symbol"), [("fixed budget", "ẑ_{ij}"), ("misspecified", "ẑ_i")])
def test_what_a_call_returns_to_a_strategy_is_on_the_line_that_calls_it(name, symbol):
    returned, seen = None, 0
    for cursor, event in enumerate(run(name), start=1):
        if isinstance(event, SubroutineStarted):
            returned = None
        if isinstance(event, CandidateKept):
            returned, seen = run(name).instance.target_label(event.target), seen + 1
        assert stack(name, cursor)[0].values.get(("call", symbol)) == returned
    assert seen > 2


# -- texts -----------------------------------------------------------------------------------------------------------


def listings():
    return {id(each): each for algorithm in WITH_LINES.values() for each in algorithm.listing.all_called()}.values()


def test_texts_are_well_formed():
    for each in listings():
        assert len({line.id for line in each.lines}) == len(each.lines)
        for line in each.lines:
            assert line.text.count("**") % 2 == 0
            assert line.text.count("{") == line.text.count("}")
            assert all(symbol in each.symbols or symbol in SYMBOLS for symbol in line.shows)
            if isinstance(line.passed, str):
                assert line.passed in (RUN, LOOP, SUBROUTINE, ROUND)
            else:
                assert all(each[other].events for other in line.passed)
        assert not any(symbol.means.endswith(".") for symbol in each.symbols.values())


def test_an_algorithm_of_another_package_needs_no_lines():
    assert Algorithm("x", "X.", SHARED, "epsilon", lambda context, given: iter(())).listing is None


def test_every_symbol_that_is_defined_is_written_somewhere():
    written = " ".join(line.text + " ".join(line.shows) for each in listings() for line in each.lines)
    assert not [name for name in SYMBOLS if name not in written]
    for each in listings():
        own = " ".join(line.text + " ".join(line.shows) for line in each.lines)
        assert not [name for name in each.symbols if name not in own and name not in ("i", "δ")], each.name


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*.gems")), ids=lambda file: file.stem)
def test_events_of_older_files_have_lines_too(file):
    trace = read_run(file)
    whole = BUILT_IN[trace.started.algorithm].listing
    for cursor, event in enumerate(trace, start=1):
        assert whole.path_of(event), event.kind
        assert any(frame.line for frame in frames(whole, trace, trace.state_at(cursor)))
