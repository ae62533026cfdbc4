"""Branches: the past is the parent's, the future is as forced, and both come again."""

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine import events as ev
from gems_engine.algorithms import algorithms
from gems_engine.algorithms.run_context import RunContext
from gems_engine.branching import Branch, BranchRequest
from gems_engine.cli import main
from gems_engine.design import DesignProblem, solve_design
from gems_engine.diff import compare
from gems_engine.errors import Cancelled, InputError
from gems_engine.files import read_run, write_run
from gems_engine.forcing import (
    NEXT_SUBROUTINE,
    ONWARDS,
    THIS_SUBROUTINE,
    Forced,
    Fork,
    check_forks,
    fork_text,
    forks_of,
)
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.rewards import Rewards
from gems_engine.running import Run
from gems_engine.session import Session
from gems_engine.trace import Trace
from gems_engine.verification import verify
from tests.engine.small_settings import SETTINGS
from tests.engine.test_algorithms import INSTANCES
from tests.engine.test_trace import short_run

RUNS = {}


def parent(name="fixed-confidence"):
    if name not in RUNS:
        RUNS[name] = short_run(name)
    return RUNS[name]


def of(events, kind, start=0):
    return [event for event in list(events)[start:] if isinstance(event, kind)]


def first(trace, kind, after=0):
    """How many events there are up to and with the first one of a kind."""
    return next(at + 1 for at, event in enumerate(trace) if at >= after and isinstance(event, kind))


# -- nothing changed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_with_nothing_forced_it_equals_its_parent(name):
    trace = parent(name)
    for cursor in (0, 1, len(trace) // 3, len(trace) // 2, len(trace) - 1):
        assert list(Branch(trace, cursor)) == list(trace)
    request = pickle.loads(pickle.dumps(BranchRequest.of(trace, len(trace) // 2)))
    assert list(request.run()) == list(trace)


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_what_is_so_already_is_not_forced(name):
    trace = parent(name)
    branch = Branch(trace, 3, Forced(seed=trace.started.seed, solver="certified", tolerance=1e-6))
    assert branch.forks == ()
    assert list(branch) == list(trace)


def test_a_branch_of_a_branch_with_nothing_forced_is_that_branch():
    trace = Branch(parent(), 60, Forced(dimension=1)).finish()
    for cursor in (10, 60, 70):
        assert list(Branch(trace, cursor)) == list(trace)


def test_it_runs_with_a_noise_that_a_parameter_gave():
    instance = make("paper-hard", d_star=3)
    trace = Run(instance, "rage", 1, noise="rademacher", max_samples=20_000).finish()
    assert list(Branch(trace, 8)) == list(trace)


# -- the past is the parent's, whatever is forced ----------------------------------------------------------------

CHANGES = [
    Forced(seed=9),
    Forced(dimension=2),
    Forced(dimension=1, dimension_for=ONWARDS),
    Forced(selection_budget=40.0),
    Forced(selection_budget=40.0, budget_for=NEXT_SUBROUTINE),
    Forced(selection_budget=40.0, budget_for=ONWARDS),
    Forced(solver="frank-wolfe"),
    Forced(tolerance=0.3),
    Forced(seed=2, dimension=3, solver="frank-wolfe"),
]


@pytest.mark.parametrize("forced", CHANGES, ids=str)
@pytest.mark.parametrize(
    "name",
    [
        each if each in ("gems-c", "gems-b", "gems-m") else pytest.param(each, marks=pytest.mark.long)
        for each in sorted(set(algorithms()) - {"static-oracle", "rage", "rage-oracle"})
    ],
)
def test_the_prefix_is_shared_and_the_branch_comes_again(name, forced):
    trace = parent(name)
    cursor = len(trace) // 2
    branch = Branch(trace, cursor, forced).finish()
    assert list(branch)[1:cursor] == list(trace)[1:cursor]
    assert branch.started == replace(trace.started, forced=fork_text([Fork(cursor, forced)]))
    assert branch.finished is not None
    assert verify(branch).same
    assert verify(forged(branch, {})).same == (list(branch)[1:] == list(trace)[1:])


@pytest.mark.parametrize("scope", [THIS_SUBROUTINE, NEXT_SUBROUTINE, ONWARDS])
@pytest.mark.parametrize("name", ["gems-c", "fixed-confidence", "fixed-budget"])
def test_every_round_has_the_budget_that_it_chose_by(name, scope, monkeypatch):
    used, choose = {}, RunContext.choose_dimension

    def watched(context, place, survivors, budget, *others, **named):
        used[place] = context.forcing.selection_budget(budget)  # again if B is forced before the choice is done
        return (yield from choose(context, place, survivors, budget, *others, **named))

    trace = parent(name)
    middle = int(trace.positions(ev.DesignSolved)[trace.positions(ev.DesignSolved).size // 2])
    for cursor in range(middle - 2, middle + 4):
        forced = Forced(selection_budget=40.0, budget_for=scope)
        with monkeypatch.context() as patch:
            patch.setattr(RunContext, "choose_dimension", watched)
            used.clear()
            branch = Branch(trace, cursor, forced).finish()
        history, end = History(branch), len(branch)
        rounds = history.rounds
        at = zip(rounds.ell.tolist(), rounds.i.tolist(), rounds.k.tolist(), strict=True)
        expected = [used[ev.Place(*each)] for each in at]
        assert 40.0 in expected or scope == NEXT_SUBROUTINE
        assert history.round_budgets(np.arange(len(rounds)), end).tolist() == expected
        latest = dict(zip(rounds.subroutine.tolist(), expected, strict=True))
        for call, B in enumerate(history.call_budgets(len(history.subroutines), end).tolist()):
            assert latest.get(call, B) == B
        for row, B in enumerate(expected):
            known = int(rounds.chosen[row] if rounds.chosen[row] >= 0 else rounds.end[row] - 1)
            over = int(rounds.end[row])
            assert {branch.state_at(at).selection_budget for at in range(known + 1, over + 1)} == {B}
            assert history.round_budgets(np.array([row]), known + 1).tolist() == [B], "at the cursor, too"


def forged(trace, forced):
    """The same events under a beginning that says something else."""
    made = Trace(trace.instance)
    made.extend([replace(trace.started, forced=forced), *list(trace)[1:]])
    return made


@pytest.mark.parametrize("name", ["fixed-confidence", "fixed-budget", "misspecified", "rage"])
def test_on_larger_instances_too(name):
    trace = Run(INSTANCES["sphere"](), name, 2, **SETTINGS[name]).finish()
    cursor = len(trace) // 2 if name != "rage" else first(trace, ev.SubroutineStarted)
    branch = Branch(trace, cursor, Forced(dimension=5, dimension_for=ONWARDS)).finish()
    chosen = of(branch, ev.DesignSolved, cursor + 1 if name != "rage" else cursor)
    assert chosen
    assert {event.d for event in chosen} == {5}
    assert verify(branch).same


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(CHANGES))
def test_from_any_event(number, forced):
    trace = parent("gems-b")
    cursor = number % len(trace)
    events = list(Branch(trace, cursor, forced))
    assert events[1:cursor] == list(trace)[1:cursor]


# -- what is forced happens --------------------------------------------------------------------------------------


def test_another_seed_draws_other_rewards_from_there_on():
    trace = parent()
    asked = first(trace, ev.Allocated, after=80)  # the rewards of this allocation come after the cursor
    branch = Branch(trace, asked, Forced(seed=11)).finish()
    old, new = trace[asked], branch[asked]
    assert isinstance(old, ev.Pulled)
    assert not np.array_equal(old.sums, new.sums)
    streams = Rewards(trace.instance.rewards, trace.instance.noise, np.random.SeedSequence(11).spawn(2)[1])
    assert new.sums.tolist() == streams.sums_of(trace[asked - 1].arms, trace[asked - 1].counts).tolist()
    late = Branch(trace, asked + 1, Forced(seed=11)).finish()
    assert late[asked] == old


def test_the_first_guess_is_a_random_choice_of_the_seed():
    trace = parent()
    guesses = {Branch(trace, 1, Forced(seed=seed)).finish()[1].target for seed in range(4, 9)}
    assert len(guesses) > 1
    assert Branch(trace, 2, Forced(seed=5)).finish()[1] == trace[1]


def test_a_forced_dimension_holds_for_one_round_or_for_all():
    trace = parent()
    start = int(trace.subroutine_starts[-3]) + 1
    once = Branch(trace, start, Forced(dimension=2)).finish()
    always = Branch(trace, start, Forced(dimension=2, dimension_for=ONWARDS)).finish()
    reasons = [event.reason for event in of(once, ev.DimensionProbed, start)]
    assert reasons[0] == "forced"
    assert reasons.count("forced") == 1
    assert {event.reason for event in of(always, ev.DimensionProbed, start)} == {"forced"}
    assert {event.d for event in of(always, ev.DesignSolved, start)} == {2}
    design = of(once, ev.DesignSolved, start)[0]
    assert design.d == 2
    arms = trace.instance.arms[:, :2]
    exact = solve_design(DesignProblem(arms, targets=trace.instance.targets[:, :2]))
    assert design.value == exact.value
    assert len(of(once, ev.Estimated, start)[0].theta) == 2


def test_a_forced_probe_says_whether_it_would_have_fitted():
    trace = Run(make("paper-hard", d_star=3), "gems-c", 1, rounds=3, selection_budget=20.0).finish()
    start = first(trace, ev.SubroutineStarted)
    for d in (1, 2, 3, 4):
        probe = of(Branch(trace, start, Forced(dimension=d)), ev.DimensionProbed)[0]
        cost = max(4.0 * probe.upper, d * d + d + 2)
        assert (probe.d, probe.verdict) == (d, "fits" if cost <= 20.0 else "too dear")


def test_a_dimension_forced_while_one_is_looked_for_begins_the_search_anew():
    trace = parent()
    probes = of(trace, ev.DimensionProbed)
    place = next(a.place for a, b in pairwise(probes) if a.place == b.place and a.place.k)
    at = next(i for i, event in enumerate(trace) if event.place == place)
    branch = Branch(trace, at + 1, Forced(dimension=1)).finish()
    here = [event for event in branch if event.place == place]
    assert here[0] == trace[at]
    assert (here[1].reason, here[1].d) == ("forced", 1)
    assert isinstance(here[2], ev.DesignSolved)
    assert here[2].d == 1
    assert verify(branch).same


def test_a_tolerance_forced_while_a_dimension_is_looked_for_holds_for_this_design():
    trace = parent()
    probes = of(trace, ev.DimensionProbed)
    place = next(a.place for a, b in pairwise(probes) if a.place == b.place and a.place.k)
    at = next(i for i, event in enumerate(trace) if event.place == place)
    branch = Branch(trace, at + 1, Forced(tolerance=1e-3)).finish()
    here = [event for event in branch if event.place == place]
    assert here[0] == trace[at]
    assert here[1].d == here[0].d  # the search begins again
    assert [event.tolerance for event in here if isinstance(event, ev.DesignSolved)] == [1e-3]
    assert verify(branch).same


def test_a_cost_beyond_all_numbers_ends_by_the_cap():
    instance = make("paper-hard", d_star=3)
    given = {"rounds": 600, "selection_budget": 1e15, "noise": "deterministic", "literal": True, "max_samples": 10**6}
    trace = Run(instance, "gems-c", 0, **given).finish()
    branch = Branch(trace, len(trace) - 4, Forced(dimension=4, dimension_for=ONWARDS)).finish()
    assert branch.finished is not None
    context = Run(instance, "gems-c", 0, **given)._context
    context.force(Forced(dimension=4))
    steps = context.choose_dimension(ev.Place(1, 1, 2000), np.arange(4), 10.0)
    assert [next(steps).verdict, next(steps).cost] == ["too dear", 1e300]


def budgets(events, start=0):
    return [event.selection_budget for event in of(events, ev.SubroutineStarted, start)]


def test_another_budget_for_this_subroutine_the_next_or_all():
    trace = parent()
    inside = int(trace.subroutine_starts[-4]) + 1
    before = int(trace.subroutine_starts[-4])
    B = 31.5
    old = budgets(trace, before)

    this = Branch(trace, inside, Forced(selection_budget=B)).finish()
    assert B not in budgets(this)  # it had started
    costs = [event.cost for event in of(this, ev.DesignSolved) if event.place.ell == trace[before].place.ell]
    assert max(costs) <= B * (1 + 1e-6) or old[0] <= B

    between = Branch(trace, before, Forced(selection_budget=B)).finish()
    assert budgets(between, before)[0] == B
    assert B not in budgets(between, before)[1:]

    coming = Branch(trace, inside, Forced(selection_budget=B, budget_for=NEXT_SUBROUTINE)).finish()
    ends = first(trace, ev.SubroutineFinished, after=inside)
    assert list(coming)[1:ends] == list(trace)[1:ends]
    assert budgets(coming, inside)[0] == B
    assert B not in budgets(coming, inside)[1:]

    onwards = Branch(trace, before, Forced(selection_budget=B, budget_for=ONWARDS)).finish()
    assert set(budgets(onwards, before)) == {B}
    assert all(event.cost <= B * (1 + 2e-6) for event in of(onwards, ev.DesignSolved, before))


def test_a_small_budget_leaves_no_dimension():
    trace = parent("gems-c")
    branch = Branch(trace, first(trace, ev.Eliminated), Forced(selection_budget=1.0)).finish()
    assert branch.finished.why == ev.NO_DIMENSION_FITS


def test_another_solver_and_tolerance():
    trace = parent()
    start = int(trace.subroutine_starts[-3])
    branch = Branch(trace, start, Forced(solver="frank-wolfe", tolerance=0.2)).finish()
    assert {event.solver for event in of(branch, ev.DesignSolved)[: len(of(trace[:start], ev.DesignSolved))]} == {
        "certified"
    }
    later = of(branch, ev.DesignSolved, start)
    assert {event.solver for event in later} == {"frank-wolfe"}
    assert {event.tolerance for event in later} == {0.2}


# -- branches of branches ----------------------------------------------------------------------------------------


def test_forks_add_up_and_those_behind_the_cursor_are_left_out():
    trace = parent()
    one = Branch(trace, 60, Forced(solver="frank-wolfe")).finish()
    two = Branch(one, 80, Forced(seed=4)).finish()
    D = trace.instance.D
    assert forks_of(two.started.forced, D) == (Fork(60, Forced(solver="frank-wolfe")), Fork(80, Forced(seed=4)))
    assert verify(two).same
    earlier = Branch(two, 70, Forced(seed=6)).finish()
    assert forks_of(earlier.started.forced, D) == (Fork(60, Forced(solver="frank-wolfe")), Fork(70, Forced(seed=6)))
    back = Branch(one, 80, Forced(solver="certified")).finish()
    assert forks_of(back.started.forced, D)[-1] == Fork(80, Forced(solver="certified"))
    request = pickle.loads(pickle.dumps(BranchRequest.of(one, 80, Forced(seed=4))))
    assert list(request.run()) == list(two)


# -- refusals ----------------------------------------------------------------------------------------------------


def refuses(words, trace, cursor, forced=None):
    with pytest.raises(InputError, match=words):
        Branch(trace, cursor, forced)
    with pytest.raises(InputError, match=words):
        BranchRequest.of(trace, cursor, forced)


def test_what_cannot_be_branched_is_refused():
    trace = parent()
    refuses("has not started", Trace(trace.instance), 0)
    refuses(f"from 0 to {len(trace) - 1}", trace, len(trace), Forced(seed=1))
    refuses("Cannot branch at event -1", trace, -1)
    refuses("d = 5 cannot be forced: it must be a whole number from 1 to D = 4", trace, 5, Forced(dimension=5))
    refuses("RAGE chooses no dimension", parent("rage"), 5, Forced(selection_budget=3.0))
    refuses("Static oracle has no rounds", parent("static-oracle"), 2, Forced(dimension=1))
    session = Session(trace.instance, "gems-c", 0, rounds=2, selection_budget=200.0)
    session.next_batch()
    refuses("came from outside", session.trace, 2)


def test_what_cannot_be_forced_is_refused():
    for values in ({"seed": -1}, {"dimension": 0}, {"tolerance": 2.0}, {"solver": "magic"}, {"selection_budget": 0.0}):
        with pytest.raises(InputError, match=f"{next(iter(values))} = .* is not allowed"):
            Forced(**values)
    with pytest.raises(InputError, match="at a later event"):
        check_forks([Fork(5, Forced(seed=1)), Fork(5, Forced(seed=2))], 4)
    with pytest.raises(InputError, match="something that is forced"):
        check_forks([Fork(5, Forced())], 4)


def test_a_past_that_does_not_come_again_is_named():
    trace = parent()
    at = first(trace, ev.Pulled) - 1
    forged_run = Trace(trace.instance)
    events = list(trace)
    events[at] = replace(events[at], sums=events[at].sums + 1e-4)
    forged_run.extend(events)
    branch = Branch(forged_run, at + 3, Forced(seed=1))
    for _ in range(at):
        next(branch)
    with pytest.raises(InputError, match=rf"run again from its seed, event {at + 1} differs. Recorded: pulled"):
        next(branch)
    assert list(Branch(forged_run, at, Forced(dimension=1)))[1:at] == events[1:at]  # what is behind does not matter


def test_a_branch_can_be_stopped_inside_a_design():
    trace = parent()
    asked = iter([False] * 5)
    branch = Branch(trace, 60, Forced(tolerance=1e-9), stop=lambda: next(asked, True))
    with pytest.raises(Cancelled):
        list(branch)
    assert branch.stopped().why == ev.ASKED


@given(
    st.lists(
        st.tuples(
            st.integers(1, 10**6),
            st.builds(
                Forced,
                st.none() | st.integers(0, 2**63 - 1),
                st.none() | st.integers(1, 6),
                st.sampled_from(["next round", ONWARDS]),
                st.none() | st.floats(1e-300, 1e300),
                st.sampled_from(["this subroutine", NEXT_SUBROUTINE, ONWARDS]),
                st.none() | st.sampled_from(["certified", "frank-wolfe"]),
                st.none() | st.floats(1e-12, 0.5),
            ),
        ),
        max_size=4,
        unique_by=lambda each: each[0],
    )
)
def test_forks_to_words_and_back(given):
    forks = tuple(Fork(cursor, forced) for cursor, forced in sorted(given, key=lambda each: each[0]) if forced)
    assert forks_of(fork_text(forks), 6) == forks


# -- on the command line -----------------------------------------------------------------------------------------


def test_a_branch_on_the_command_line(tmp_path, capsys):
    run, branch = tmp_path / "run.gems", tmp_path / "branch.gems"
    write_run(run, parent())
    line = ["run", str(run), "--at", "60", "--force", "dimension=2,seed=8", "-o", str(branch)]
    assert main(line) == 0
    assert "forced after event 60: seed 8, d = 2 in the next round" in capsys.readouterr().out
    made = read_run(branch)
    assert list(made) == list(Branch(parent(), 60, Forced(seed=8, dimension=2)))
    assert main(["verify", str(branch)]) == 0
    out = capsys.readouterr().out
    assert "events are the same." in out
    assert "forced after event 60" in out
    assert main(["run", str(run), "--at", "60", "--json"]) == 0
    assert '"forced"' not in capsys.readouterr().out
    assert main(["run", str(branch), "--at", "5", "--force", "seed=8", "--json"]) == 0
    assert '"5.seed": 8' in capsys.readouterr().out
    assert compare(parent(), made).position >= 60


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run {run} --force seed=1", "needs --at"),
        ("run {run} --at x --force seed=1", '--at "x" is not allowed'),
        ("run {run} --at 100000", '--at "100000" is not allowed'),
        ("run {run} --at 5 --force seed", "Write name=value"),
        ("run {run} --at 5 --force d=3", '--force: Unknown name "d": did you mean "dimension"?'),
        ("run {run} --at 5 --force dimension=77", "from 1 to D = 4"),
        ("run {run} --at 5 --force tolerance=x", "tolerance = x is not allowed"),
        ("run {run} --at 5 --seed 3", "--seed is not allowed"),
        ("run {run} --at 5 --max-samples 3", "--max-samples is not allowed"),
        ("run {run} --at 5 --algorithm rage", "--algorithm is not allowed"),
        ("run paper-hard --at 5", "--at applies to a branch"),
        ("run paper-hard --force seed=5", "--force applies to a branch"),
        ("run nowhere.gems --at 5", "There is no file"),
    ],
)
def test_bad_branches_are_one_sentence(tmp_path, capsys, line, words):
    run = tmp_path / "run.gems"
    write_run(run, parent())
    assert main(line.format(run=run).split()) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert len(said.err.strip().splitlines()) == 1
