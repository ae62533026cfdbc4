"""The round that would exceed the sample cap: dropped, or finished as in the authors' code (docs/decisions.md, 9)."""

import dataclasses

import numpy as np
import pytest

from gems_engine import instances
from gems_engine.algorithms import BUILT_IN
from gems_engine.branching import Branch
from gems_engine.diff import compare
from gems_engine.events import (
    Allocated,
    BecameVerifiable,
    CandidateKept,
    DesignSolved,
    Eliminated,
    Estimated,
    IdleRounds,
    Pulled,
    Recommended,
    RunFinished,
    RunStarted,
    SubroutineFinished,
    Validated,
)
from gems_engine.experiment.following import most_samples
from gems_engine.explanation import as_text, explain
from gems_engine.files import read_run, write_run
from gems_engine.forcing import Forced
from gems_engine.rounding import rounding_samples
from gems_engine.running import Run
from gems_engine.session import Session
from gems_engine.trace import Trace
from gems_engine.verification import verify
from tests.engine.replay import Replay
from tests.engine.test_algorithms import twins

CAPPED = ("rage", "rage-oracle", "fixed-confidence", "misspecified", "misspecified-best-arm")
OF_A_ROUND = (Allocated, Pulled, Estimated, Eliminated, Recommended, SubroutineFinished)
AFTER_A_ROUND = (BecameVerifiable, CandidateKept, Validated)
ENDLESS = 10**12


def hard(**given):
    return instances.make("paper-hard", **{"d_star": 5, "epsilon": 0.02, **given})


def events_of(name, cap, last_round, seed=3, instance=None, **given):
    given |= {} if "rage" in name else {"max_loops": 7}
    return list(Run(instance or hard(), name, seed, max_samples=cap, last_round=last_round, **given))


def same(mine, theirs):
    """Whether events are equal, except for the parameters in the first one."""
    pairs = list(zip(mine, theirs, strict=True))
    return isinstance(pairs[0][0], RunStarted) and all(a == b for a, b in pairs[1:])


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_who_has_it_and_what_it_is_by_default():
    having = {name for name, each in BUILT_IN.items() if any(one.name == "last_round" for one in each.parameters)}
    assert having == set(CAPPED)
    assert Run(hard(), "rage").parameters["last_round"] == "drop"


@pytest.mark.parametrize("name", CAPPED)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_both_are_the_run_without_a_cap_cut_before_or_after_one_round(name, seed):
    """An independent cut: by the samples of a run without a cap, the round that crosses it is known."""
    # In R^{d⋆} the hard instance is decided in one round.
    close = {"D": 8, "d_star": 5, "n": 20, "min_gap": 0.02, "seed": 1}
    instance = instances.make("sphere", **close) if name == "rage-oracle" else hard()
    endless = events_of(name, ENDLESS, "drop", seed, instance)
    assert not of(endless, IdleRounds)
    asked = [at for at, event in enumerate(endless) if isinstance(event, Allocated)]
    sizes = [int(endless[at].counts.sum()) for at in asked]
    totals = np.cumsum(sizes)
    tried = 0
    for which in range(1, len(asked), max(1, len(asked) // 6)):
        before, after, at = int(totals[which - 1]), int(totals[which]), asked[which]
        for cap in {max(before + 1, sizes[which]), after - 1}:  # at least the size of the round: it is not shortened
            if not before < cap < after:
                continue
            tried += 1
            dropped, finished = (events_of(name, cap, way, seed, instance) for way in ("drop", "finish"))
            assert (dropped[-1].why, dropped[-1].samples) == ("cap", before)
            assert same(dropped[:at], endless[:at])
            assert isinstance(dropped[at], SubroutineFinished | RunFinished)  # instead of the round
            cut = isinstance(finished[-2], SubroutineFinished) and finished[-2].why == "cap"
            kept = len(finished) - 1 - cut
            assert same(finished[:kept], endless[:kept])
            assert isinstance(finished[at], Allocated)
            assert {type(event) for event in finished[at:]} <= {*OF_A_ROUND, *AFTER_A_ROUND, RunFinished}
            assert len(of(finished[at:], Pulled)) == 1
            assert finished[-1].samples == after
            assert finished[-1].recommendation == of(finished, Recommended)[-1].target
            assert finished[-1].why == ("singleton" if "rage" in name and len(finished[-1].survivors) == 1 else "cap")
    assert tried > 1


@pytest.mark.parametrize("name", CAPPED)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cap", [1, 60, 1_000, 30_000, 400_000])
def test_a_plain_second_computation_agrees_for_every_cap(name, cap, seed):
    """Every number is recomputed from the events; with drop the cap is never exceeded, with finish by one round."""
    instance = hard()
    for last_round in ("drop", "finish"):
        replay = Replay(instance)
        events = events_of(name, cap, last_round, seed, instance)
        for event in events:
            replay.follow(event)
        samples = [event.samples for event in events if isinstance(event, Pulled | IdleRounds)]
        assert all(each < cap or last_round == "drop" for each in samples[:-1])
        assert events[-1].samples == replay.samples == (samples[-1] if samples else 0)
        assert events[-1].samples <= (cap if last_round == "drop" else 2 * cap - 1)


def test_a_last_round_that_is_larger_than_the_cap_is_shortened_to_it():
    instance = hard()
    whole = of(events_of("rage", ENDLESS, "drop"), Allocated)
    sizes = [int(event.counts.sum()) for event in whole]
    before = sum(sizes[:3])
    cap = before + 1
    assert sizes[3] > cap
    finished = events_of("rage", cap, "finish", instance=instance)
    last = of(finished, Allocated)[-1]
    assert (int(last.counts.sum()), finished[-1].samples) == (cap, before + cap)
    assert last.place.k == 4
    trace = Run(instance, "rage", 3, max_samples=cap, last_round="finish").finish()
    at = max(at for at in range(len(trace)) if isinstance(trace[at], Allocated))
    assert "The last round is finished past the cap" in why(trace, at + 1)


def why(trace, cursor):
    """The explanation of the event before a cursor, as text."""
    return as_text(explain(trace, cursor))


def test_a_round_that_rounding_cannot_shorten_is_not_drawn():
    least = int(np.ceil(rounding_samples(6, 1.0)))
    for cap, drawn in ((least, True), (least - 1, False)):
        events = events_of("rage", cap, "finish")
        assert bool(of(events, Pulled)) == drawn
        assert events[-1].samples == (cap if drawn else 0)


def test_rounds_and_validations_that_need_all_their_pulls_are_not_shortened():
    """The widths of GEMS-m and of a validation assume all pulls."""
    instance = instances.make("misspecified", D=6, d_star=2, n=20)
    endless = events_of("misspecified", ENDLESS, "drop", 1, instance)
    at = next(at for at, event in enumerate(endless) if isinstance(event, Allocated) and event.place.ell == 2)
    assert not endless[at].place.k
    size, before = int(endless[at].counts.sum()), of(endless[:at], Pulled)[-1].samples
    assert size > before
    for cap, drawn in ((size, True), (size - 1, False)):
        events = events_of("misspecified", cap, "finish", 1, instance)
        assert len(of(events, Validated)) == 1 + drawn
        assert events[-1].samples == (before + size if drawn else before)


def test_the_idle_round_that_exceeds_the_cap_is_counted():
    given = {"instance": twins(), "noise": "deterministic"}
    idle = of(events_of("fixed-confidence", ENDLESS, "drop", **given), IdleRounds)[-1]
    assert idle.last - idle.first > 10
    cap = idle.samples - idle.drawn // 2
    dropped, finished = (events_of("fixed-confidence", cap, way, **given) for way in ("drop", "finish"))
    one, other = of(dropped, IdleRounds)[-1], of(finished, IdleRounds)[-1]
    assert (other.first, other.last) == (one.first, one.last + 1)
    assert one.samples <= cap < other.samples
    assert finished[-1].samples == other.samples


def test_a_run_ends_before_anything_else_is_computed():
    events = events_of("fixed-confidence", 3_000, "finish")
    last = max(at for at, event in enumerate(events) if isinstance(event, Allocated))
    assert not of(events[last:], DesignSolved)
    exactly = of(events_of("rage", ENDLESS, "drop"), Pulled)[2].samples
    ended = events_of("rage", exactly, "finish")
    assert ended[-1].samples == exactly  # a round that ends at the cap is the last one
    assert isinstance(ended[-2], SubroutineFinished)


def test_the_reasons_say_which_way_was_taken():
    for way, words in (("drop", "would exceed the cap of"), ("finish", "The last round reached the cap of")):
        trace = Run(hard(), "rage", 3, max_samples=3_000, last_round=way).finish()
        assert f"{words} 3 000 samples" in why(trace, len(trace)).replace("\u202f", " ")


# -- files, branches, sessions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CAPPED)
def test_recorded_runs_verify_and_branch(name, tmp_path):
    run = Run(hard(), name, 5, max_samples=20_000, last_round="finish")
    trace = run.finish()
    write_run(tmp_path / "run.gems", trace)
    again = read_run(tmp_path / "run.gems")
    assert again.started.parameters["last_round"] == "finish"
    assert verify(again).same
    branch = list(Branch(again, len(again) // 2))
    assert same(branch, list(again))
    other = list(Branch(again, len(again) // 2, Forced(seed=77)))
    assert other[-1].samples < 2 * 20_000
    assert other[0].parameters["last_round"] == "finish"


def test_a_run_of_a_version_without_it_verifies_branches_and_does_not_differ(tmp_path):
    trace = Run(hard(), "rage", 5, max_samples=20_000).finish()
    older = Trace(trace.instance)
    for event in trace:
        if isinstance(event, RunStarted):
            parameters = {key: value for key, value in event.parameters.items() if key != "last_round"}
            event = dataclasses.replace(event, parameters=parameters)
        older.append(event)
    write_run(tmp_path / "older.gems", older)
    opened = read_run(tmp_path / "older.gems")
    assert "last_round" not in opened.started.parameters
    assert verify(opened).same
    assert list(Branch(opened, 8))[1:] == list(trace)[1:]
    assert not compare(opened, trace).settings
    finished = Run(hard(), "rage", 5, max_samples=20_000, last_round="finish").finish()
    assert [(each.name, each.a, each.b) for each in compare(opened, finished).settings] == [
        ("parameters.last_round", "drop", "finish")
    ]


def test_a_session_asks_for_the_last_round_too():
    def asked(way):
        session, batches = Session(hard(), "rage", 3, max_samples=3_000, last_round=way), []
        noise = np.random.default_rng(1)
        while (batch := session.next_batch()) is not None:
            batches.append(int(batch.counts.sum()))
            session.observe(batch.counts * hard().rewards[batch.arms] + noise.normal(size=len(batch.arms)))
        assert session.finished
        assert verify(session.trace).same
        return batches, session.trace.finished.samples

    (dropped, fewer), (finished, more) = asked("drop"), asked("finish")
    assert finished[:-1] == dropped
    assert (sum(dropped), sum(finished)) == (fewer, more)
    assert fewer <= 3_000 < more < 6_000


def test_the_largest_number_of_samples_that_replicates_expect():
    assert most_samples("rage", {"max_samples": 100}) == 100
    assert most_samples("rage", {"max_samples": 100, "last_round": "finish"}) == 199
