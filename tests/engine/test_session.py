"""Rewards from outside: a function, or ask and tell."""

import math
from fractions import Fraction

import numpy as np
import pytest

from gems_engine.errors import Cancelled, InputError
from gems_engine.events import Allocated, RunFinished
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.session import Session
from gems_engine.verification import verify

GIVEN = {"rounds": 4, "selection_budget": 200.0, "max_samples": 400_000}


@pytest.fixture(scope="module")
def instance():
    return make("paper-hard", d_star=4, epsilon=0.3)


def truth(instance, arms, counts):
    return counts * instance.rewards[arms]


def told(instance, tell):
    """A session in which the rewards of each batch are told in some form."""
    session = Session(instance, "gems-c", 2, **GIVEN)
    while (batch := session.next_batch()) is not None:
        assert session.next_batch() is batch  # the same until it is observed
        tell(session, batch)
    assert session.finished
    with pytest.raises(InputError, match="nothing to observe"):
        session.observe([])
    return session


def same(first, second):
    return list(first.trace)[1:-1] == list(second.trace)[1:-1]


@pytest.fixture(scope="module")
def plain(instance):
    return told(instance, lambda session, batch: session.observe(truth(instance, batch.arms, batch.counts)))


# -- what is accepted -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        lambda sums: [float(each) for each in sums],
        lambda sums: np.array(sums, dtype=object),
        lambda sums: np.ma.MaskedArray(sums),  # nothing is masked
        lambda sums: [Fraction(each) for each in sums],
    ],
)
def test_one_number_per_arm_in_the_order_of_the_batch(instance, plain, form):
    session = told(instance, lambda at, batch: at.observe(form(truth(instance, batch.arms, batch.counts))))
    assert same(session, plain)
    assert session.recommendation is None  # GEMS-c returns a set
    assert session.trace.finished.survivors.tolist() == [instance.best]


def test_a_mapping_from_arm_to_sum_in_any_order(instance, plain):
    def tell(session, batch):
        sums = dict(zip(batch.arms.tolist(), truth(instance, batch.arms, batch.counts).tolist(), strict=True))
        session.observe(dict(reversed(sums.items())))

    assert same(told(instance, tell), plain)


@pytest.mark.parametrize("by_arm", [False, True])
def test_lost_measurements_are_requested_again_until_all_are_observed(instance, plain, by_arm):
    batches = []

    def tell(session, batch):
        batches.append(batch)
        drawn = np.where(batch.counts > 3, batch.counts // 2, batch.counts)
        drawn[0] = 0 if len(batches) % 3 == 1 else drawn[0]
        sums = truth(instance, batch.arms, drawn)
        if by_arm:
            arms = batch.arms.tolist()
            sums, drawn = dict(zip(arms, sums, strict=True)), dict(zip(arms, drawn, strict=True))
        session.observe(sums, counts=drawn, missing="repeat")

    session = told(instance, tell)
    allocated = [each for each in session.trace if isinstance(each, Allocated)]
    assert len(batches) > 2 * len(allocated)
    again = Session(instance, "gems-c", 2, **GIVEN)
    first = again.next_batch()
    counts = first.counts.copy()
    counts[1] -= 2
    again.observe(truth(instance, first.arms, counts), counts, missing="repeat")
    missing = again.next_batch()
    assert (missing.arms.tolist(), missing.counts.tolist()) == ([first.arms[1]], [2])
    # The algorithm sees the same counts as without a loss, and the same sums up to rounding.
    for ours, theirs in zip(session.trace, plain.trace, strict=True):
        if ours.kind == "pulled":
            np.testing.assert_allclose(ours.sums, theirs.sums, rtol=1e-12)
        assert ours.kind == theirs.kind
    assert session.trace.finished.samples == plain.trace.finished.samples


def test_a_real_experiment_needs_no_true_rewards_and_can_be_verified():
    rewards = np.array([0.0, 0.0, 1.0, 0.2])
    unknown = Instance(np.eye(4), np.eye(4), np.zeros(4), np.zeros(4))
    session = Session(unknown, "gems-c", 0, rounds=5, selection_budget=200.0)
    rng = np.random.default_rng(0)
    while (batch := session.next_batch()) is not None:
        noise = np.sqrt(batch.counts) * rng.standard_normal(len(batch.arms))
        session.observe(batch.counts * rewards[batch.arms] + noise)
    assert session.trace.finished.survivors.tolist() == [2]
    assert verify(session.trace).same
    with pytest.raises(InputError, match="tied"):
        Run(unknown, "gems-c")


# -- what is refused --------------------------------------------------------------------------------------------


class Labelled:
    """A sequence with labels, as a series of pandas."""

    def __init__(self, size):
        self.size = size

    def keys(self):
        return range(self.size)[::-1]

    def __array__(self, dtype=None, copy=None):
        return np.zeros(self.size)


class Unreadable:
    def __array__(self, *_, **__):
        raise RuntimeError("no")


REFUSED = {
    "too many": lambda n: [0.0] * (n + 1),
    "none": lambda n: [],
    "nan": lambda n: [math.nan] * n,
    "infinite": lambda n: [math.inf] * n,
    "huge": lambda n: [10**400] * n,
    "text": lambda n: "1" * n,
    "bytes": lambda n: b"1" * n,
    "texts": lambda n: ["1.0"] * n,
    "texts in an array": lambda n: np.array(["1.0"] * n),
    "true": lambda n: [True] * n,
    "truths in an array": lambda n: np.ones(n, dtype=bool),
    "complex": lambda n: [1j] * n,
    "nothing": lambda n: None,
    "nothings": lambda n: [None] * n,
    "a number": lambda n: 3.0,
    "a set": lambda n: set(range(n)),
    "an iterator": lambda n: iter([0.0] * n),
    "keys": lambda n: dict.fromkeys(range(n)).keys(),
    "lists of rewards": lambda n: [[0.0]] * n,
    "two axes": lambda n: np.zeros((n, 1)),
    "ragged": lambda n: [[0.0], [0.0, 1.0], *[[0.0]] * (n - 2)],
    "dates": lambda n: np.zeros(n, dtype="datetime64[s]"),
    "masked": lambda n: np.ma.MaskedArray(np.zeros(n), [True] + [False] * (n - 1)),
    "unreadable": lambda n: Unreadable(),
    "labelled": lambda n: Labelled(n),
    "a mapping without an arm": lambda n: {},
    "a mapping with others": lambda n: {f"x_{arm}": 0.0 for arm in range(n)},
    "a mapping with lists": lambda n: {arm: [0.0] for arm in range(100)},
}


@pytest.mark.parametrize("nonsense", REFUSED.values(), ids=REFUSED)
def test_anything_else_is_refused_and_the_batch_can_be_observed_again(instance, plain, nonsense):
    def tell(session, batch):
        given = nonsense(len(batch.arms))
        with pytest.raises(InputError):
            session.observe(given)
        given = nonsense(len(batch.arms))
        if given is not None:  # the default
            with pytest.raises(InputError) as refusal:
                session.observe(batch.counts, counts=given)
            assert str(refusal.value).endswith(".")
        assert session.next_batch() is batch
        session.observe(truth(instance, batch.arms, batch.counts))

    assert same(told(instance, tell), plain)
    with pytest.raises(InputError):
        list(Run(instance, "gems-c", 2, lambda arms, counts: nonsense(len(arms)), **GIVEN))


def test_counts_are_whole_and_at_most_what_was_requested(instance):
    session = Session(instance, "gems-c", 2, **GIVEN)
    with pytest.raises(InputError, match=r"Call next_batch\(\) first"):
        session.observe([1.0])
    batch = session.next_batch()
    sums, arm, most = np.ones(len(batch.arms)), batch.arms[0], batch.counts[0]
    for wrong in (most + 1, -1, 0.5, True):
        with pytest.raises(InputError, match=f"count of arm {arm} is .* It must be a whole number from 0 to {most}"):
            session.observe(sums, counts=[wrong, *batch.counts[1:].tolist()])
    with pytest.raises(InputError, match=f"Arm {arm} has a sum but a count of 0"):
        session.observe(sums, counts=[0, *batch.counts[1:].tolist()])


def test_sums_that_overflow_together_are_refused_and_the_rest_can_be_observed_again(instance):
    session = Session(instance, "gems-c", 2, **GIVEN)
    batch = session.next_batch()
    session.observe(np.full(len(batch.arms), 1.5e308), np.ones_like(batch.counts), "repeat")
    rest = session.next_batch()
    with pytest.raises(InputError, match=f"The sum of arm {rest.arms[0]} is inf. It must be a finite number"):
        session.observe(np.full(len(rest.arms), 1.5e308))
    assert session.next_batch() is rest
    session.observe(np.full(len(rest.arms), -1.5e308))
    session.next_batch()
    pulled = next(each for each in session.trace if each.kind == "pulled")
    assert not pulled.sums.any()


def test_the_keys_of_a_mapping_are_not_taken_for_rewards(instance):
    """Release 0.1.0 recorded the keys, and recommended a wrong arm."""
    session = Session(instance, "gems-c", 2, **GIVEN)
    batch = session.next_batch()
    session.observe(dict.fromkeys(batch.arms.tolist(), 7.0))
    session.next_batch()
    pulled = next(each for each in session.trace if each.kind == "pulled")
    assert pulled.sums.tolist() == [7.0] * len(batch.arms)


# -- callbacks ----------------------------------------------------------------------------------------------------


def test_rewards_of_a_function(instance, plain):
    run = Run(instance, "gems-c", 2, lambda arms, counts: truth(instance, arms, counts), **GIVEN)
    assert list(run)[1:-1] == list(plain.trace)[1:-1]
    by_arm = Run(
        instance,
        "gems-c",
        2,
        lambda arms, counts: dict(zip(arms, truth(instance, arms, counts), strict=True)),
        **GIVEN,
    )
    assert list(by_arm)[1:-1] == list(plain.trace)[1:-1]


@pytest.mark.parametrize("kind", [ValueError, TypeError, OSError, InputError, KeyboardInterrupt, Cancelled])
def test_after_an_exception_of_the_function_the_run_can_continue(instance, plain, kind):
    wrong = kind("the instrument is off")
    calls = []

    def measure(arms, counts):
        calls.append(counts.tolist())
        if len(calls) % 3:
            raise wrong
        return truth(instance, arms, counts)

    run = Run(instance, "gems-c", 2, measure, **GIVEN)
    events, raised = [], []
    while not events or not isinstance(events[-1], RunFinished):
        try:
            events.append(next(run))
        except kind as error:
            raised.append(error)
    assert events[1:-1] == list(plain.trace)[1:-1]
    assert len(raised) == 2 * len(calls) // 3
    assert all(error is wrong for error in raised)  # as it was raised
    assert all(calls[at : at + 3] == [calls[at]] * 3 for at in range(0, len(calls), 3))  # asked for the same again


def test_after_an_exception_of_stop_the_run_is_over_and_says_why(instance):
    def stop():
        raise ZeroDivisionError("nothing to divide by")

    run = Run(instance, "rage", 1, stop=stop)
    with pytest.raises(ZeroDivisionError):
        list(run)
    for _ in range(2):
        with pytest.raises(InputError, match="has ended with an error: ZeroDivisionError: nothing to divide by") as now:
            next(run)
        assert isinstance(now.value.__cause__, ZeroDivisionError)
    assert isinstance(run.stopped(), RunFinished)


def test_a_cancelled_run_stays_cancelled(instance):
    run = Run(instance, "rage", 1, stop=lambda: True)
    for _ in range(2):
        with pytest.raises(Cancelled):
            list(run)


def test_a_session_whose_algorithm_fails_says_why_afterwards(instance, monkeypatch):
    session = Session(instance, "gems-c", 2, **GIVEN)
    batch = session.next_batch()
    session.observe(truth(instance, batch.arms, batch.counts))
    monkeypatch.setattr("gems_engine.algorithms.run_context.separations", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        session.next_batch()
    with pytest.raises(InputError, match="ZeroDivisionError") as now:
        session.next_batch()
    assert isinstance(now.value.__cause__, ZeroDivisionError)
