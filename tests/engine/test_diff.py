"""Two runs compared: every difference planted is found, and nothing else."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine import events as ev
from gems_engine.algorithms import algorithms
from gems_engine.branching import Branch
from gems_engine.cli import main
from gems_engine.diff import Comparison, compare, relative_difference
from gems_engine.diff_wording import difference_text
from gems_engine.files import write_run
from gems_engine.forcing import Forced
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.terminal import number
from gems_engine.trace import Trace
from tests.engine.synthetic_runs import small_instance, synthetic_trace
from tests.engine.test_trace import short_run

RUN = short_run("fixed-confidence")


def changed(trace, changes):
    """A copy with some events replaced; a change of None ends it there."""
    made = Trace(trace.instance)
    for at, event in enumerate(trace):
        if at in changes and changes[at] is None:
            break
        made.append(changes.get(at, event))
    return made


def position(kind, number=3):
    return int(RUN.positions(kind)[number])


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_a_run_equals_itself_made_again(name):
    found = compare(short_run(name), short_run(name))
    assert found.same
    assert not found.only_rounding
    assert (found.position, found.parted, found.widest, found.rounding) == (None, None, None, 0.0)


def test_timings_and_versions_are_no_difference():
    spoiled = {0: replace(RUN.started, versions={"numpy": "0"})}
    at = position(ev.DesignSolved)
    spoiled[at] = replace(RUN[at], seconds=99.0)
    assert compare(RUN, changed(RUN, spoiled)).same


def test_what_was_asked_differently():
    instance = make("paper-hard", d_star=3)
    a = Run(instance, "fixed-confidence", 1, max_samples=3000).finish()
    b = Run(instance, "fixed-confidence", 2, max_samples=4000, noise="rademacher").finish()
    found = compare(a, b)
    told = {each.name: (each.a, each.b) for each in found.settings}
    assert told == {
        "instance.noise": ("gaussian:1.0", "rademacher"),
        "seed": (1, 2),
        "parameters.max_samples": (3000, 4000),
    }
    assert not found.same


def test_instances_are_compared_entry_by_entry():
    a = Run(make("paper-hard", d_star=3, epsilon=0.25), "rage", 1, max_samples=3000).finish()
    b = Run(make("paper-hard", d_star=3, epsilon=0.125), "rage", 1, max_samples=3000).finish()
    assert sentence(a, b).startswith("The instances differ. The first event that differs is event ")
    told = {each.name: list(each.pairs()) for each in compare(a, b).settings}
    assert told["instance.arms"] == [("instance.arms[3, 2]", 0.75, 0.875, 0.125 / 0.875)]
    assert told["instance.rewards"] == [("instance.rewards[3]", 0.75, 0.875, 0.125 / 0.875)]
    other = Run(make("paper-hard", d_star=4), "rage", 1, max_samples=3000).finish()
    shapes = {each.name: (each.a.shape, each.b.shape) for each in compare(a, other).settings if each.name != "seed"}
    assert shapes["instance.arms"] == ((4, 4), (5, 5))


def test_a_branch_parts_where_something_was_forced():
    branch = Branch(RUN, 60, Forced(dimension=1)).finish()
    found = compare(RUN, branch)
    assert {each.name: (each.a, each.b) for each in found.settings} == {
        "forced.60.dimension": (None, 1),
        "forced.60.dimension_for": (None, "next round"),
    }
    expected = next(i for i in range(1, len(RUN)) if RUN[i] != branch[i])
    assert found.position == expected >= 60
    assert (found.a, found.b) == (RUN[expected], branch[expected])
    assert found.place == RUN[expected].place


def test_a_float_in_an_array_is_found_with_its_entry():
    at = position(ev.Pulled)
    sums = RUN[at].sums.copy()
    sums[1] *= 1.0 + 1e-12
    found = compare(RUN, changed(RUN, {at: replace(RUN[at], sums=sums)}))
    assert found.settings == ()
    assert (found.position, found.parted, found.widest) == (at, None, at)
    (field,) = found.fields
    ((name, a, b, relative),) = field.pairs()
    assert (name, a, b) == ("sums[1]", RUN[at].sums[1], sums[1])
    assert relative == pytest.approx(1e-12, rel=1e-3)
    assert found.rounding == relative
    assert found.only_rounding
    assert not found.same


def test_floats_that_differ_by_more_are_not_called_rounding():
    at = position(ev.DesignSolved)
    found = compare(RUN, changed(RUN, {at: replace(RUN[at], value=RUN[at].value * 1.5)}))
    assert found.parted is None
    assert not found.only_rounding
    assert found.rounding == pytest.approx(1 / 3)


def test_the_largest_rounding_before_the_runs_part():
    small, large, far = position(ev.DesignSolved, 1), position(ev.DesignSolved, 4), position(ev.DesignSolved, 8)
    parts = position(ev.Recommended, len(RUN.positions(ev.Recommended)) - 1)
    assert small < large < far
    spoiled = {at: replace(RUN[at], value=RUN[at].value * (1 + by)) for at, by in ((small, 1e-14), (large, 1e-11))}
    spoiled[parts] = replace(RUN[parts], target=(RUN[parts].target + 1) % 4)
    found = compare(RUN, changed(RUN, spoiled))
    assert (found.position, found.widest, found.parted) == (small, large, parts)
    assert found.rounding == pytest.approx(1e-11, rel=1e-2)
    assert [each.name for each in found.fields] == ["value"]
    assert not found.only_rounding


@pytest.mark.parametrize(
    ("kind", "change", "name"),
    [
        (ev.Allocated, lambda e: {"counts": e.counts + 1}, "counts"),
        (ev.Recommended, lambda e: {"why": "so"}, "why"),
        (ev.Allocated, lambda e: {"guaranteed": not e.guaranteed}, "guaranteed"),
        (ev.DimensionProbed, lambda e: {"verdict": "fits"}, "verdict"),
        (ev.Estimated, lambda e: {"theta": e.theta[:-1]}, "theta"),
    ],
)
def test_what_is_more_than_floats_parts_the_runs(kind, change, name):
    at = position(kind)
    made = Trace(RUN.instance)
    made.extend(replace(event, **change(event)) if i == at else event for i, event in enumerate(RUN))
    found = compare(RUN, made)
    assert found.position == found.parted == at
    (field,) = found.fields
    assert (field.name, field.structural, len(field.relative)) == (name, True, 0)
    if name == "counts":
        assert field.entries.tolist() == list(range(len(RUN[at].counts)))


def test_one_run_ends_before_the_other():
    found = compare(RUN, changed(RUN, {50: None}))
    assert (found.position, found.parted, found.a, found.b) == (50, 50, RUN[50], None)
    assert found.place == RUN[50].place
    back = compare(changed(RUN, {50: None}), RUN)
    assert (back.position, back.a, back.b, back.place) == (50, None, RUN[50], RUN[50].place)


def test_how_a_solver_came_to_its_answer_is_shown_and_no_decision():
    at = next(at for at, event in enumerate(RUN) if getattr(event, "verdict", "") == "fits")
    way = {"lower": 0.5 * RUN[at].lower, "verdict": "tie", "reason": "tie", "iterations": RUN[at].iterations + 3}
    found = compare(RUN, changed(RUN, {at: replace(RUN[at], **way)}))
    assert [each.name for each in found.fields] == list(way)
    assert (found.position, found.parted, found.rounding, found.only_rounding) == (at, None, 0.0, True)
    assert found.fields[0].largest == 0.5


def test_two_kinds_of_events():
    at = position(ev.DimensionProbed)
    other = ev.Recommended(RUN[at].place, 0, 0, "made up")
    found = compare(RUN, changed(RUN, {at: other}))
    assert (found.position, found.parted, found.b) == (at, at, other)
    assert found.fields == ()


def test_infinities_and_what_is_no_number():
    at = position(ev.DesignSolved)
    none = replace(RUN[at], value=float("nan"))
    assert compare(changed(RUN, {at: none}), changed(RUN, {at: none})).same
    assert compare(RUN, changed(RUN, {at: none})).rounding == np.inf
    odd = synthetic_trace(floats=lambda value: float("inf"))
    assert compare(odd, synthetic_trace(floats=lambda value: float("inf"))).same
    assert compare(odd, synthetic_trace(floats=lambda value: float("-inf"))).fields[0].largest == np.inf


def test_long_runs_are_read_side_by_side():
    long = synthetic_trace(small_instance(), loops=2, subroutines=3, rounds=60)
    again = synthetic_trace(small_instance(), loops=2, subroutines=3, rounds=60)
    told = []
    assert compare(long, again, lambda done, total: told.append((done, total))).same
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert {total for _, total in told} == {len(long)}
    assert 0 < told[0][0] <= len(long) // 10
    assert told[-1][0] <= len(long)
    assert compare(long, synthetic_trace(small_instance(), loops=2, rounds=60, seed=1)).position == 1


@pytest.mark.parametrize("at", [1, 40, 100])
def test_runs_that_still_grow_are_compared_as_far_as_both_have_come(at):
    a, b = Trace(RUN.instance), Trace(RUN.instance)
    spoiled = changed(RUN, {at: ev.Recommended(RUN[at].place, 0, RUN.state_at(at).samples, "made up")})
    comparison = Comparison(a, b)
    assert comparison.update(0.0, (False, False))
    for step, (event, other) in enumerate(zip(RUN, spoiled, strict=True)):
        a.append(event)
        assert comparison.update(0.0, (False, False))
        assert comparison.events == min(step, at + 1), "the other one has not come so far"
        b.append(other)
        while not comparison.update(0.0, (False, False)):
            pass
        assert (comparison.found.position is None) == (step < at)
    found, whole = comparison.found, compare(RUN, spoiled)
    assert (found.position, found.parted, found.a, found.b) == (whole.position, whole.parted, whole.a, whole.b)


def test_a_run_that_is_over_differs_from_one_that_goes_on():
    short = changed(RUN, {50: None})
    for over, differs in (((False, True), False), ((True, False), True), ((True, True), True)):
        comparison = Comparison(short, RUN)
        while not comparison.update(0.0, over):
            pass
        assert (comparison.found.position == 50) == differs
        assert comparison.events == 50 + differs


# -- decisions ---------------------------------------------------------------------------------------------------


def sentence(a, b, **shown):
    comparison = Comparison(a, b)
    comparison.update()
    return difference_text(comparison, **shown)


def decisions(trace):
    """What each round decides, read plainly: its dimension, what it eliminates, what is recommended after samples."""
    rounds, samples, started = [[None, set(), None]], 0, trace.started
    for event in trace:
        samples = getattr(event, "samples", samples)
        if isinstance(event, ev.Allocated | ev.IdleRounds):
            rounds.append([event.d, set(), rounds[-1][2]])
        elif isinstance(event, ev.Eliminated):
            rounds[-1][1] |= set(event.targets.tolist())
        elif isinstance(event, ev.Recommended) and event.holds(started.algorithm) and samples:
            rounds[-1][2] = event.target
        elif isinstance(event, ev.RunFinished) and samples and event.recommendation >= 0:
            rounds[-1][2] = event.recommendation
    return rounds


def test_the_first_decision_that_differs_between_any_two_algorithms():
    runs = {name: short_run(name) for name in sorted(algorithms())}
    kinds = set()
    for one, other in combinations(runs, 2):
        a, b = runs[one], runs[other]
        # A single call recommends nothing before its end, so only what both decide is compared.
        alike = (one in ev.SINGLE_CALLS) == (other in ev.SINGLE_CALLS)
        found = compare(a, b).decision
        rounds = tuple([each[: 3 if alike else 2] for each in decisions(trace)] for trace in (a, b))
        first = next((at for at, (x, y) in enumerate(zip(*rounds, strict=False)) if x != y), None)
        if first is None:
            assert (found is None) == (len(rounds[0]) == len(rounds[1])), (one, other)
            continue
        x, y = rounds[0][first], rounds[1][first]
        at = next(at for at, (mine, theirs) in enumerate(zip(x, y, strict=True)) if mine != theirs)
        assert found.what == ("dimension", "eliminated", "recommended")[at], (one, other)
        value = (lambda each: tuple(sorted(each))) if at == 1 else (lambda each: each)
        assert (found.a.value, found.b.value) == (value(x[at]), value(y[at])), (one, other)
        for trace, side in ((a, found.a), (b, found.b)):
            state = trace.state_at(side.event + (at > 0))
            assert side.samples == state.samples, (one, other, found.what)
            assert trace[side.event].place == side.place or at == 2
        kinds.add(found.what)
    assert kinds == {"dimension", "eliminated"}


def test_two_algorithms_are_compared_by_what_they_decide_and_not_by_their_names():
    instance = make("paper-hard", d_star=4, epsilon=0.3)
    gems, rage, told = (
        Run(instance, name, 1, max_samples=30_000).finish() for name in ("fixed-confidence", "rage", "rage-oracle")
    )
    assert sentence(gems, rage) == (
        "The decisions first differ before any sample: GEMS (fixed confidence) chooses d = 1 (ℓ 3 · i 1 · k 1); "
        "RAGE chooses d = 5 (k 1)."
    )
    assert sentence(rage, told).endswith("RAGE chooses d = 5; RAGE, told d⋆ chooses d = 4.")
    assert sentence(rage, told, truth=False).endswith("RAGE chooses d = 5; RAGE, told d⋆ chooses the hidden d.")


def test_another_seed_is_called_so_and_no_rounding(files, capsys):
    instance = make("paper-hard", d_star=4, epsilon=0.3)
    a, b = (Run(instance, "fixed-confidence", seed, max_samples=30_000).finish() for seed in (1, 2))
    rewards = next(at for at, (x, y) in enumerate(zip(a, b, strict=False)) if isinstance(x, ev.Pulled) and x != y)
    assert sentence(a, b) == (
        f"The seeds differ (1 and 2). The rewards first differ at event {rewards + 1} (ℓ 3 · i 1 · k 1). The decisions "
        f"first differ at ℓ 8 · i 1 · k 1, after {number(11354)} samples: seed 1 eliminates x_5; seed 2 does not."
    )
    branch = Branch(a, 60, Forced(seed=9)).finish()
    said = sentence(branch, a)
    rewards = next(at for at, (x, y) in enumerate(zip(a, branch, strict=False)) if at and x != y)
    assert isinstance(a[rewards], ev.Pulled)
    assert said.startswith(
        f"The seeds differ after event 60 (9 and 1). The rewards first differ at event {rewards + 1} ("
    )
    assert "rounding" not in said
    assert main(["diff", *files(branch, a)]) == 1
    assert said in capsys.readouterr().out.splitlines()
    assert main(["diff", *files(branch, a), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["rewards"] == [rewards + 1, rewards + 1]
    assert found["decision"]["what"] == "eliminated"
    alike = sentence(*(Run(instance, "rage", seed, max_samples=30_000).finish() for seed in (1, 2)))
    assert alike.endswith("All decisions are the same, except the guess before any sample.")


def test_decisions_of_runs_that_grow_are_compared_as_far_as_both_have_come():
    instance = make("paper-hard", d_star=4, epsilon=0.3)
    wholes = [Run(instance, name, 1, max_samples=30_000).finish() for name in ("fixed-confidence", "rage")]
    whole, growing = compare(*wholes).decision, [Trace(instance), Trace(instance)]
    comparison = Comparison(*growing)
    for at in range(max(map(len, wholes))):
        for trace, each in zip(growing, wholes, strict=True):
            trace.extend(each[at : at + 1])
        while not comparison.update(0.0, (False, False)):
            pass
        assert not comparison.busy((False, False))
        assert (comparison.found.decision is not None) == (at >= max(whole.a.event, whole.b.event))
    assert comparison.found.decision == whole


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS, NUMBERS)
def test_relative_differences(a, b):
    one, other = relative_difference(np.array([a, b]), np.array([b, a]))
    assert one == other
    assert 0.0 <= one <= 2.0
    assert (one == 0.0) == (a == b)
    double = relative_difference(np.array([2.0 * a]), np.array([2.0 * b]))[0]
    if np.isfinite(2.0 * a) and np.isfinite(2.0 * b) and min(abs(a), abs(b)) > 1e-290:
        assert double == pytest.approx(one, rel=1e-12, abs=1e-15)


# -- on the command line -----------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    def made(*traces):
        paths = []
        for at, trace in enumerate(traces):
            paths.append(str(tmp_path / f"{at}.gems"))
            write_run(paths[-1], trace)
        return paths

    return made


def test_equal_runs_end_with_0(files, capsys):
    assert main(["diff", *files(RUN, RUN)]) == 0
    assert f"All {len(RUN)} events are the same." in capsys.readouterr().out


def test_both_numbers_stand_side_by_side(files, capsys):
    at = position(ev.Pulled)
    sums = RUN[at].sums.copy()
    sums[0] = np.nextafter(sums[0], np.inf)
    assert main(["diff", *files(RUN, changed(RUN, {at: replace(RUN[at], sums=sums)}))]) == 1
    out = capsys.readouterr().out
    assert f"event {at + 1} (ℓ " in out
    row = next(line for line in out.splitlines() if line.startswith("sums[0]")).split()
    assert row[1] != row[2]
    assert "The runs differ only by rounding, with a relative difference of at most" in out


def test_a_difference_in_words_and_as_json(files, capsys):
    branch = Branch(RUN, 60, Forced(dimension=1)).finish()
    pair = files(RUN, branch)
    assert main(["diff", *pair]) == 1
    out = capsys.readouterr().out
    assert "forced.60.dimension " in out
    assert "All events before it are identical." in out
    assert main(["diff", *pair, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    found = compare(RUN, branch)
    assert said["position"] == said["parted"] == found.position + 1
    assert said["place"] == {"ell": found.place.ell, "i": found.place.i, "k": found.place.k}
    assert [each["name"] for each in said["fields"]] == [each.name for each in found.fields]
    assert said["events"] == [len(RUN), len(branch)]
    assert said["settings"][0] == {"name": "forced.60.dimension", "a": None, "b": 1, "relative": None}


@pytest.mark.parametrize("end", [50, 1])
def test_a_shorter_run_and_another_kind_in_words(files, capsys, end):
    assert main(["diff", *files(RUN, changed(RUN, {end: None}))]) == 1
    assert "nothing: the run has ended" in capsys.readouterr().out


def test_long_tables_are_cut(files, capsys):
    instance = make("sphere", D=6, d_star=3, n=40, min_gap=0.01, seed=4)
    other = make("sphere", D=6, d_star=3, n=40, min_gap=0.01, seed=5)
    a, b = (Run(each, "rage", 1, max_samples=3000).finish() for each in (instance, other))
    assert main(["diff", *files(a, b)]) == 1
    out = capsys.readouterr().out
    assert "more" in out
    assert len(out.splitlines()) < 60


def test_bad_input_ends_with_2(files, capsys, tmp_path):
    (tmp_path / "bad.gems").write_bytes(b"nothing")
    for other in ("nowhere.gems", str(tmp_path / "bad.gems")):
        assert main(["diff", *files(RUN), other]) == 2
        said = capsys.readouterr()
        assert len(said.err.strip().splitlines()) == 1
        assert said.out == ""


def test_targets_are_called_by_their_names(files, capsys):
    at = position(ev.Recommended)
    other = (RUN[at].target + 1) % len(RUN.instance.targets)
    assert main(["diff", *files(RUN, changed(RUN, {at: replace(RUN[at], target=other)}))]) == 1
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("target "))
    assert row.split() == ["target", *(RUN.instance.target_label(each) for each in (RUN[at].target, other))]


def test_a_run_is_no_instance(capsys):
    assert main(["design", "a.gems"]) == 2
    assert "a.gems is a run. Give an instance" in capsys.readouterr().err
