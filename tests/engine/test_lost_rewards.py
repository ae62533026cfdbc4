"""Rewards that are lost for good: the estimate and the widths are those of the rewards that were observed."""

import copy
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from gems_engine import Instance, Session, explain, read_run, summarise, write_run
from gems_engine.branching import Branch
from gems_engine.decisions import DecisionComparison
from gems_engine.errors import InputError
from gems_engine.events import Allocated, Eliminated, Estimated, Place, Pulled
from gems_engine.explanation.ledger import Ledger
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.index_text import Labels
from gems_engine.narration import narrate
from gems_engine.observations import Observed
from gems_engine.problems import problems
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_engine.verification import verify
from gems_engine.wording import describe

GIVEN = {"rounds": 4, "selection_budget": 200.0, "max_samples": 400_000}
HARD = make("paper-hard", d_star=4, epsilon=0.3)


def measured(instance, arms, counts, rng):
    noise = np.sqrt(counts) * rng.standard_normal(len(arms))
    return np.where(counts > 0, counts * instance.rewards[arms] + noise, 0.0)


def losing(instance, algorithm="gems-c", kept=0.8, **given):
    """A session in which some rewards of every arm are lost."""
    session, rng = Session(instance, algorithm, 2, **given), np.random.default_rng(5)
    while (batch := session.next_batch()) is not None:
        counts = np.maximum(1, (kept * batch.counts * rng.uniform(0.5, 1.0, len(batch.arms))).astype(int))
        session.observe(measured(instance, batch.arms, counts, rng), counts)
    return session


@pytest.fixture(scope="module")
def trace():
    return losing(HARD, **GIVEN).trace


def test_estimates_and_widths_are_those_of_the_observed_rewards(trace):
    state, checked = None, 0
    for at, event in enumerate(trace):
        if not isinstance(event, Eliminated):
            continue
        state = trace.state_at(at)
        asked, rewards = state.allocation, state.pulled
        assert asked.lost > 0
        rows = HARD.arms[asked.arms][:, : asked.d]
        information = rows.T @ (asked.counts[:, None] * rows)
        targets = HARD.targets[:, : asked.d]
        inverse = np.linalg.pinv(information)
        theta = inverse @ rows.T @ rewards.sums
        k, left = event.place.k, len(state.survivors)
        omega = math.sqrt(2.0 * math.log(left**2 * k**2 / 0.05))
        for z, by, gap, width in zip(event.targets, event.by, event.gaps, event.widths, strict=True):
            direction = targets[by] - targets[z]
            assert gap == pytest.approx(direction @ theta, abs=1e-9)
            assert width == pytest.approx(omega * math.sqrt(direction @ inverse @ direction), rel=1e-9)
            checked += 1
    assert checked >= 3


def test_the_record_has_the_real_counts(trace):
    requests = [each for each in trace if isinstance(each, Allocated) and not each.lost]
    rest = [each for each in trace if isinstance(each, Allocated) and each.lost]
    assert len(rest) == len(requests) > 1
    for asked, used in zip(requests, rest, strict=True):
        assert asked.total == used.total + used.lost
        assert (used.place, used.d, used.guaranteed) == (asked.place, asked.d, False)
        assert used.factor >= asked.factor or len(used.arms) > 1
    assert rest[0].factor > requests[0].factor
    total = sum(each.total for each in rest)
    assert trace.finished.samples == summarise(trace).samples == total
    counts = np.zeros(len(HARD.arms), dtype=int)
    for used in rest:
        counts[used.arms] += used.counts
    end = trace.state_at(len(trace))
    assert end.counts.tolist() == end.subroutine_counts.tolist() == counts.tolist()
    history = History(trace)
    assert history.rounds.pulls.tolist() == trace.rounds["pulls"].tolist() == [each.total for each in rest]
    ledger = Ledger(trace)
    ledger.update()
    start = int(trace.subroutine_starts[0])
    assert [ledger.pulls(start, arm) for arm in range(len(counts))] == counts.tolist()


def test_it_is_verified_saved_and_copied_like_any_run(trace, tmp_path):
    assert verify(trace).same
    write_run(tmp_path / "a.gems", trace)
    again = read_run(tmp_path / "a.gems")
    assert list(again) == list(trace)
    assert verify(again).same
    for end in range(1, len(trace)):  # also where the rewards are lost but not yet used
        part = Trace(trace.instance)
        part.extend(trace[:end])
        assert verify(part).same
    with pytest.raises(InputError, match="came from outside"):
        Branch(trace, 3)
    comparison = DecisionComparison(trace, again)
    assert comparison.update()
    assert (comparison.found, comparison.rewards) == (None, None)


def test_what_is_said_about_it(trace):
    at = next(at for at, each in enumerate(trace) if isinstance(each, Allocated) and each.lost)
    used, requested = trace[at], trace[at - 1].total
    lost = f"{used.lost} of {requested} rewards"
    assert describe(used, HARD) == f"{lost} lost: {used.total} pulls of {len(used.arms)} arms kept"
    assert f"{lost} lost; the other {used.total} are used." in narrate(History(trace), trace.state_at(at + 1))
    said = explain(trace, at + 1).paragraphs[0]
    assert said.heading == "Why fewer pulls"
    assert f"{lost} were lost for good. The estimate uses the other {used.total}" in said.sentence
    assert "the widths are those of the pulls that count" in said.sentence
    assert explain(trace, at).paragraphs[0].heading.startswith("Why N")  # the request before it
    found = [each for each in problems(trace) if each.kind == "lost rewards"]
    assert len(found) == len([each for each in trace if isinstance(each, Allocated) and each.lost])
    assert found[0].event == at
    assert found[0].sentence.startswith(f"{lost} of round 1 were lost: its estimate uses the other {used.total}.")


def test_nothing_lost_is_as_if_no_counts_were_given():
    one, other = (Session(HARD, "gems-c", 2, **GIVEN) for _ in range(2))
    while (batch := one.next_batch()) is not None:
        sums = batch.counts * HARD.rewards[batch.arms]
        other.next_batch()
        one.observe(sums)
        other.observe(sums, batch.counts)
    other.next_batch()
    assert list(one.trace) == list(other.trace)


@pytest.mark.parametrize("algorithm", ["rage", "fixed-confidence", "gems-b"])
def test_other_algorithms_use_what_is_observed(algorithm):
    given = {"max_samples": 30_000} if algorithm != "gems-b" else {"budget": 4000, "rounds": 3}
    trace = losing(HARD, algorithm, **given).trace
    assert verify(trace).same
    assert any(isinstance(each, Allocated) and each.lost for each in trace)
    assert trace.finished.recommendation == HARD.best
    if algorithm == "gems-b":
        at = next(at for at, each in enumerate(trace) if isinstance(each, Allocated) and each.lost)
        assert "is that for all pulls" in explain(trace, at + 1).paragraphs[0].sentence


# -- what is refused --------------------------------------------------------------------------------------------


def test_an_estimate_that_is_not_determined_is_refused_by_the_arms_that_it_needs():
    session = Session(HARD, "gems-c", 2, **GIVEN)
    batch = session.next_batch()
    for gone in ([2], [0, 4], [0, 1, 2, 3, 4]):
        counts = batch.counts.copy()
        counts[gone] = 0
        names = "0-4" if len(gone) == 5 else ",".join(map(str, gone))
        with pytest.raises(InputError, match=rf"do not determine the estimate .* at least once more: {names}\.$"):
            session.observe(counts * HARD.rewards[batch.arms], counts)
        assert session.next_batch() is batch
        assert session.trace.pending.counts.sum() == 0
    counts[:] = batch.counts
    counts[[0, 4]] = 0
    session.observe(counts * HARD.rewards[batch.arms], counts, missing="repeat")
    more = session.next_batch()
    assert more.arms.tolist() == [0, 4]
    session.observe(HARD.rewards[more.arms], [1, 1])  # now the rest is lost
    session.next_batch()
    used = next(each for each in session.trace if isinstance(each, Allocated) and each.lost)
    assert used.counts.tolist() == [1, *batch.counts[1:4].tolist(), 1]
    assert used.lost == batch.counts[[0, 4]].sum() - 2


def test_an_arm_that_others_replace_may_be_lost_entirely():
    rng = np.random.default_rng(0)
    arms = np.vstack([np.eye(3), rng.standard_normal((5, 3))])
    many = Instance.linear(arms, [1.0, 0.2, 0.1])
    session = Session(many, "rage", 1, max_samples=50_000, solver="frank-wolfe", tolerance=0.2)
    batch = session.next_batch()
    assert len(batch.arms) > 3  # this solver leaves some weight on many arms
    for at, arm in enumerate(batch.arms.tolist()):
        counts = batch.counts.copy()
        counts[at] = 0
        trial = copy.copy(session)
        trial.observe(counts * many.rewards[batch.arms], counts)
        trial.next_batch()
        (used,) = (each for each in trial.trace if isinstance(each, Allocated) and each.lost)
        assert arm not in used.arms
        assert used.lost == batch.counts[at]
    assert session.next_batch() is batch  # the copies did not change it


def test_the_named_arms_are_enough_and_none_is_named_in_vain():
    rng = np.random.default_rng(1)
    many = Instance.linear(np.vstack([np.eye(4), rng.standard_normal((6, 4))]), [1.0, 0.3, 0.2, 0.1])
    session = Session(many, "rage", 1, max_samples=50_000, solver="frank-wolfe", tolerance=0.2)
    batch = session.next_batch()
    labels, refused = Labels(len(many.arms), str), 0
    for _ in range(30):
        counts = np.where(rng.random(len(batch.arms)) < 0.3, batch.counts, 0)
        rank = np.linalg.matrix_rank(many.arms[batch.arms[counts > 0]]) if counts.any() else 0
        trial = copy.copy(session)
        try:
            trial.observe(counts * many.rewards[batch.arms], counts)
            assert rank == 4
            continue
        except InputError as error:
            text = str(error).rpartition(": ")[2].removesuffix(".")
        named = [arm for part in text.split(",") for arm in labels.part(part)]
        refused += 1
        assert len(named) == 4 - rank
        counts[np.isin(batch.arms, named)] = 1
        trial.observe(counts * many.rewards[batch.arms], counts)
    assert refused > 5


@pytest.mark.parametrize("algorithm", ["gems-m", "misspecified", "fixed-budget"])
def test_where_the_guarantee_needs_all_rewards_they_are_named(algorithm):
    given = {"gems-m": {"rounds": 2, "selection_budget": 100.0}, "fixed-budget": {"budget": 2000}}.get(
        algorithm, {"epsilon": 0.3, "max_loops": 2}
    )
    session, refused = Session(HARD, algorithm, 1, **given), []
    while (batch := session.next_batch()) is not None:
        asked = session.trace[-1]
        counts = batch.counts.copy()
        counts[-1] -= 1
        sums = counts * HARD.rewards[batch.arms]
        try:
            session.observe(sums, counts)
        except InputError as error:
            if "determine" not in str(error):
                refused.append((asked, str(error), batch.arms[-1]))
            session.observe(batch.counts * HARD.rewards[batch.arms])
    assert refused
    for _, sentence, arm in refused:
        assert sentence.endswith(f"needs all of its rewards. Pull these arms again: {arm}.")
    if algorithm == "fixed-budget":  # only its validation
        assert {asked.d for asked, _, _ in refused} == {0}
        assert any(isinstance(each, Allocated) and each.lost for each in session.trace)
    else:
        assert not any(isinstance(each, Allocated) and each.lost for each in session.trace)
    assert verify(session.trace).same


def test_a_function_may_lose_rewards_too():
    rng = itertools.count()

    def measure(arms, counts):
        kept = counts - (next(rng) % 2)
        return Observed(kept * HARD.rewards[arms], dict(zip(arms.tolist(), kept.tolist(), strict=True)))

    trace = Run(HARD, "gems-c", 2, measure, **GIVEN).finish()
    lost = [each.lost for each in trace if isinstance(each, Allocated)]
    assert lost[:3] == [0, 0, 2]
    assert verify(trace).same
    wrong = Run(HARD, "gems-c", 2, lambda arms, counts: Observed(counts, counts + 1), **GIVEN)
    with pytest.raises(InputError, match="It must be a whole number from 0"):
        wrong.finish()


@pytest.mark.parametrize("wrong", ["keep", None, 3])
def test_what_becomes_of_missing_rewards_is_one_of_two(wrong):
    session = Session(HARD, "gems-c", 2, **GIVEN)
    batch = session.next_batch()
    with pytest.raises(InputError, match='must be "lost" or "repeat"'):
        session.observe(batch.counts, missing=wrong)


def test_lost_rewards_must_follow_their_request(trace):
    at = next(at for at, each in enumerate(trace) if isinstance(each, Allocated) and each.lost)
    used = trace[at]
    for events, problem in (
        ([*trace[: at - 1], used], "without a request"),
        ([*trace[: at + 1], used], "without a request"),
        ([*trace[: at + 2], used], "without a request"),
        ([*trace[:at], replace(used, lost=used.lost + 1)], "other pulls"),
        ([*trace[:at], replace(used, place=Place(1, 1, 2))], "without a request"),
    ):
        part = Trace(trace.instance)
        with pytest.raises(InputError, match=problem):
            part.extend(events)
    kinds = [type(each) for each in trace[at : at + 3]]
    assert kinds == [Allocated, Pulled, Estimated]
