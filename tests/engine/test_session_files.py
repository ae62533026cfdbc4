"""A session continues tomorrow: files, copies and pickles of sessions, runs, traces and instances."""

import copy
import doctest
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from gems_engine import Instance, Run, Session, read_run, summarise, write_run
from gems_engine import instance as instance_module
from gems_engine import session as session_module
from gems_engine.branching import Branch
from gems_engine.errors import Cancelled, InputError
from gems_engine.events import Allocated, RunFinished
from gems_engine.files import atomic_write, read_recovery
from gems_engine.formats import journal, pending_format
from gems_engine.gallery import make
from gems_engine.observations import Pending
from gems_engine.trace import Trace
from gems_engine.verification import verify

GIVEN = {"max_samples": 20_000}
HARD = make("paper-hard", d_star=3, epsilon=0.3)
PILLS = Instance.from_features(HARD.arms, name="pills")
STATES = ("fresh", "asked", "half observed", "observed", "lost", "second batch", "finished")
COPIES = (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each)))


def tell(session, batch):
    session.observe(batch.counts * HARD.rewards[batch.arms])


def finish(session):
    while (batch := session.next_batch()) is not None:
        tell(session, batch)
    return session


def session_in(state):
    """A session in one of the states in which it may be left overnight."""
    session = Session(PILLS, "fixed-confidence", 4, **GIVEN)
    if state == "finished":
        return finish(session)
    if state == "fresh":
        return session
    batch = session.next_batch()
    if state == "half observed":
        half = batch.counts // 3
        session.observe(half * HARD.rewards[batch.arms], half, "repeat")
    elif state == "lost":
        session.observe((batch.counts - 1) * HARD.rewards[batch.arms], batch.counts - 1)
    elif state != "asked":
        tell(session, batch)
    if state == "second batch":
        session.next_batch()
    return session


def facts(session):
    """Everything about a session; a batch by its content."""
    pending = session.trace.pending
    batch = session._batch
    return (
        [(each.kind, each.place) for each in session.trace],
        None if pending is None else (pending.sums.tolist(), pending.counts.tolist(), pending.complete),
        None if batch is None else (batch.arms.tolist(), batch.counts.tolist()),
        session.recommendation,
        session.finished,
    )


@pytest.fixture(scope="module")
def ends():
    """The events of each session if it is not interrupted."""
    return {state: list(finish(session_in(state)).trace) for state in STATES}


# -- files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_a_session_is_continued_from_its_file(state, ends, tmp_path):
    session = session_in(state)
    session.save(tmp_path / "pills.gems")
    before = facts(session)
    again = Session.open(tmp_path / "pills.gems")
    assert facts(again) == before
    assert again.trace.instance == PILLS
    assert list(finish(again).trace) == ends[state]
    assert facts(session) == before  # another session
    again.save(tmp_path / "pills.gems")
    trace = read_run(tmp_path / "pills.gems")
    assert verify(trace).same
    assert trace.pending is None
    assert list(finish(session).trace) == ends[state]


def test_a_session_may_be_saved_after_every_step(ends, tmp_path):
    session = Session(PILLS, "fixed-confidence", 4, **GIVEN)
    file = tmp_path / "pills.gems"
    while (batch := session.next_batch()) is not None:
        session.save(file)
        session = Session.open(file)
        assert session.next_batch().counts.tolist() == batch.counts.tolist()
        tell(session, batch)
        session.save(file)
        session = Session.open(file)
    assert list(session.trace) == ends["fresh"]
    assert session.next_batch() is None
    with pytest.raises(InputError, match="nothing to observe"):
        session.observe([])


def test_a_file_of_an_older_program_is_continued():
    folder = Path(__file__).parents[1] / "data" / "sessions"
    session = Session.open(folder / "version-3-half-observed.gems")
    assert (len(session.trace), session.next_batch().counts.tolist()) == (165, [836, 1045])
    assert session.trace.pending.counts.tolist() == [835, 626]
    finish(session)
    assert verify(session.trace).alike


def test_where_a_session_cannot_be_continued_one_sentence_says_why(tmp_path):
    file = tmp_path / "a.gems"
    with pytest.raises(InputError, match=r"must end in \.gems"):
        session_in("asked").save(tmp_path / "a.txt")
    with pytest.raises(InputError, match="There is no file"):
        Session.open(file)
    file.write_text("hello")
    with pytest.raises(InputError, match=r"a\.gems: The file is not a run"):
        Session.open(file)
    write_run(file, Run(HARD, "rage", 1).finish())
    with pytest.raises(InputError, match=r"a\.gems: The run was simulated, so there is no session to continue"):
        Session.open(file)
    write_run(file, Trace(PILLS))
    with pytest.raises(InputError, match="has no events"):
        Session.open(file)
    session_in("half observed").save(file)
    data = file.read_bytes()
    file.write_bytes(data[:-5])
    with pytest.raises(
        InputError, match=r"a\.gems: Its session cannot be continued\. The end of the file is incomplete"
    ):
        Session.open(file)
    assert list(read_run(file)) == list(session_in("half observed").trace)  # it can still be looked at


def test_another_version_that_comes_to_other_events_says_so(tmp_path, monkeypatch):
    session = finish_some(3)
    session.save(tmp_path / "a.gems")
    trace = read_run(tmp_path / "a.gems")
    at = next(at for at, each in enumerate(trace) if isinstance(each, Allocated))
    older = Trace(PILLS)
    started = replace(trace[0], versions={**trace[0].versions, "numpy": "1.0.0"})
    older.extend([started, *trace[1:]])
    write_run(tmp_path / "b.gems", older)
    assert Session.open(tmp_path / "b.gems").trace[0].versions["numpy"] == "1.0.0"  # the same events
    allocate = Run.__next__

    def other(run):
        event = allocate(run)
        return replace(event, counts=event.counts + 1) if isinstance(event, Allocated) else event

    monkeypatch.setattr(Run, "__next__", other)
    message = (
        rf"cannot be continued: run again with its rewards, event {at + 1} differs\. Recorded: allocated: .* now: "
    )
    with pytest.raises(InputError, match=message + r".* The versions are the same"):
        Session.open(tmp_path / "a.gems")
    with pytest.raises(InputError, match=message + rf".* recorded with numpy 1\.0\.0 \(now {np.__version__}\)\."):
        Session.open(tmp_path / "b.gems")

    def failing(run):
        raise ZeroDivisionError("no")

    monkeypatch.setattr(Run, "__next__", failing)
    with pytest.raises(InputError, match=r"at event 1 it ends with an error: ZeroDivisionError: no"):
        Session.open(tmp_path / "a.gems")


def finish_some(batches):
    session = Session(PILLS, "fixed-confidence", 4, **GIVEN)
    for _ in range(batches):
        tell(session, session.next_batch())
    session.next_batch()
    return session


GOOD = {"sums": [0.0, 0.0, 1.5, 0.0], "counts": [1, 0, 2, 0], "complete": False}
PENDING = {
    "a list": ([], "must have sums, counts and complete"),
    "another field": ({**GOOD, "x": 1}, "must have sums, counts and complete"),
    "a text": ({**GOOD, "sums": "1"}, "it must be a list"),
    "too few": ({**GOOD, "counts": [1]}, "number of counts is 1"),
    "too many": ({**GOOD, "counts": [10**9, 0, 2, 0]}, "whole number from 0"),
    "a fraction": ({**GOOD, "counts": [0.5, 0, 2, 0]}, "whole number from 0"),
    "nothing": ({**GOOD, "sums": [None, 0.0, 1.5, 0.0]}, "must be a number"),
    "a sum of nothing": ({**GOOD, "sums": [0.0, 2.0, 1.5, 0.0]}, "a count of 0"),
    "a number": ({**GOOD, "complete": 1}, "must be true or false"),
}


@pytest.mark.parametrize(("said", "problem"), PENDING.values(), ids=PENDING)
def test_what_is_observed_is_checked_like_any_part_of_a_file(said, problem, tmp_path):
    session = Session(PILLS, "rage", 4, **GIVEN)
    assert len(session.next_batch().arms) == len(GOOD["counts"])
    trace = session.trace
    head = [journal.header(PILLS), *(record for record, _ in trace.records_from(0))]
    file = tmp_path / "a.gems"
    atomic_write(file, [*head, journal.pending_record(json.dumps(GOOD).encode())])
    assert read_run(file).pending.counts.tolist() == GOOD["counts"]
    atomic_write(file, [*head, journal.pending_record(json.dumps(said).encode())])
    for read in (read_run, Session.open):
        with pytest.raises(InputError, match=rf"a\.gems: What the session has observed .*{problem}"):
            read(file)
    recovered = read_recovery(file)
    assert (recovered.pending, len(recovered)) == (None, len(trace))
    assert problem.split()[-1] in recovered.notes[0]


def test_what_is_observed_needs_its_request():
    done = pending_format.to_json(Pending(np.zeros(1), np.zeros(1, dtype=np.int64)))
    for last in (None, session_in("asked").trace[1]):
        with pytest.raises(InputError, match="needs a request for rewards as the last event"):
            pending_format.from_json(done, last)
    asked = session_in("asked").trace[-1]
    full = pending_format.to_json(Pending(np.zeros(len(asked.arms)), asked.counts))
    with pytest.raises(InputError, match="all that was requested, but it is not complete"):
        pending_format.from_json(full, asked)


# -- copies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_a_copy_of_a_session_is_independent_of_it(state, ends):
    session = session_in(state)
    before = facts(session)
    for make_copy in COPIES:
        again = make_copy(session)
        assert facts(again) == before
        assert again.trace is not session.trace
        assert list(finish(again).trace) == ends[state]
        assert facts(session) == before
    assert list(finish(session).trace) == ends[state]


def measure(arms, counts):
    """The rewards of a real experiment, for runs in other processes."""
    return counts * HARD.rewards[arms]


@pytest.mark.parametrize("rewards", [None, measure])
def test_a_copy_of_a_run_is_independent_of_it(rewards):
    def fresh():
        return Run(HARD, "fixed-confidence", 1, rewards, max_samples=20_000)

    events = list(fresh())
    request = next(at for at, each in enumerate(events) if isinstance(each, Allocated))
    for made in (0, 1, request, request + 1, request + 3, len(events), len(events) + 1):
        run = fresh()
        for _ in range(made):
            next(run, None)
        for make_copy in COPIES:
            assert list(make_copy(run)) == events[made:]
        assert list(run.trace) == events[:made]
        assert next(run, None) == (events[made] if made < len(events) else None)
        trace = run.finish()  # also after next()
        assert list(trace) == list(run.finish()) == events
        assert trace.finished is not None


def test_a_copy_of_a_branch_is_a_branch():
    parent = Run(HARD, "rage", 1).finish()
    branch = Branch(parent, 6)
    for _ in range(9):
        next(branch)
    for make_copy in COPIES:
        again = make_copy(branch)
        assert isinstance(again, Branch)
        assert list(again) == list(parent)[9:]
    assert list(branch.finish()) == list(parent)


def test_a_run_says_that_its_function_cannot_be_pickled():
    run = Run(HARD, "rage", 1, lambda arms, counts: counts * HARD.rewards[arms])
    next(run)
    with pytest.raises(InputError, match=r"cannot be pickled with this function rewards: .*top level of a module"):
        pickle.dumps(run)
    assert len(list(copy.deepcopy(run))) == len(list(run))  # a copy has the same function
    with pytest.raises(InputError, match="cannot be pickled with this function stop"):
        pickle.dumps(Run(HARD, "rage", 1, stop=lambda: False))


class TwoArgumentsError(Exception):
    """An exception that pickle cannot restore."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


def test_a_copy_of_a_failed_run_says_the_same(monkeypatch):
    for raised, said in ((Cancelled(), Cancelled), (TwoArgumentsError("no", "current"), InputError)):

        def stop(raised=raised):
            raise raised

        run = Run(HARD, "rage", 1)
        next(run)
        run._context.stop = stop
        with pytest.raises(type(raised)):
            list(run)
        run._context.stop = None
        for make_copy in COPIES:
            again = make_copy(run)
            with pytest.raises(said, match="cancelled" if said is Cancelled else "no current"):
                next(again)
            assert len(again.trace) == len(run.trace) >= 1


def test_a_pickle_of_a_run_that_comes_to_other_events_says_so(monkeypatch):
    run = Run(HARD, "rage", 1)
    for _ in range(8):
        next(run)
    data = pickle.dumps(run)
    monkeypatch.setattr("gems_engine.rewards.Rewards.sums_of", lambda self, arms, counts: counts * 2.0)
    with pytest.raises(InputError, match="cannot be restored with this version of the program"):
        pickle.loads(data)


def test_a_copy_of_a_trace_is_independent_of_it():
    session = session_in("half observed")
    trace = session.trace
    trace.notes.append("a note")
    for make_copy in COPIES:
        again = make_copy(trace)
        assert list(again) == list(trace)
        assert again.pending.counts.tolist() == trace.pending.counts.tolist()
        again.notes.append("another")
        again.append(RunFinished(again[0].place, "asked to stop", -1, np.zeros(0, dtype=np.int64), 0))
    assert trace.notes == ["a note"]
    assert trace.finished is None
    long = Run(HARD, "fixed-confidence", 1, max_samples=10**7).finish()
    assert len(long) > 512
    assert summarise(pickle.loads(pickle.dumps(long))) == summarise(long)
    for make_copy in COPIES:
        assert list(make_copy(long)) == list(long)
        assert not len(make_copy(Trace(HARD)))


def test_a_copy_of_an_instance_is_as_immutable():
    for instance in (HARD, PILLS):
        assert instance.digest  # cached
        for make_copy in COPIES:
            again = make_copy(instance)
            assert again == instance
            assert again.digest == instance.digest
            for array in (again.arms, again.targets):
                with pytest.raises(ValueError, match="read-only"):
                    array[0, 0] = 7.0


def work(session, run, trace, instance):
    """Continue everything in another process."""
    tell(session, session.next_batch())
    session.next_batch()
    return session, list(run), trace, instance.digest, run


def test_they_travel_to_a_worker_process_and_back(ends):
    run = Run(HARD, "rage", 1, measure)
    for _ in range(5):
        next(run)
    session = session_in("half observed")
    before = facts(session)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        done, events, trace, digest, ended = pool.submit(work, session, run, session.trace, PILLS).result()
    assert facts(session) == before
    assert len(done.trace) > len(session.trace)
    assert list(finish(done).trace) == ends["half observed"]
    assert list(run) == events
    assert list(ended.trace)[5:] == events
    assert trace is done.trace  # as here
    assert digest == PILLS.digest


def test_the_examples_of_sessions_and_instances_run():
    for module in (session_module, instance_module):
        results = doctest.testmod(module)
        assert results.attempted
        assert not results.failed


# -- plain errors -----------------------------------------------------------------------------------------------


class InstrumentError(RuntimeError):
    """An exception of a user's own."""


def test_an_exception_of_a_function_leaves_a_run_to_look_at():
    calls = []
    wrong = InstrumentError("the instrument is off")

    def broken(arms, counts):
        calls.append(len(arms))
        if len(calls) == 2:
            raise wrong
        return measure(arms, counts)

    expected = list(Run(HARD, "fixed-confidence", 1, measure, max_samples=20_000))
    run = Run(HARD, "fixed-confidence", 1, broken, max_samples=20_000)
    with pytest.raises(InstrumentError) as raised:
        run.finish()
    assert raised.value is wrong
    assert raised.value.__cause__ is None
    assert isinstance(run.trace[-1], Allocated)
    assert list(run.trace) == expected[: len(run.trace)]
    assert verify(run.trace).same
    assert list(run.finish()) == expected  # the rewards before it are not requested again
    assert len(calls) == 1 + sum(isinstance(each, Allocated) for each in expected)


def test_the_end_of_an_iterator_in_a_function_is_not_the_end_of_the_run():
    run = Run(HARD, "rage", 1, lambda arms, counts: next(iter(())))
    with pytest.raises(RuntimeError, match="raised StopIteration") as raised:
        run.finish()
    assert isinstance(raised.value.__cause__, StopIteration)
    assert run.trace.finished is None


def test_a_session_whose_computation_was_interrupted_is_continued_from_its_events(ends, tmp_path, monkeypatch):
    session = session_in("second batch")
    tell(session, session.next_batch())

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("gems_engine.algorithms.run_context.separations", interrupted)
        with pytest.raises(KeyboardInterrupt):
            session.next_batch()
    with pytest.raises(InputError, match="KeyboardInterrupt"):
        session.next_batch()
    session.save(tmp_path / "a.gems")
    for again in (copy.copy(session), Session.open(tmp_path / "a.gems")):
        assert list(finish(again).trace) == ends["fresh"]


def test_numpy_numbers_and_texts_of_noise_are_as_good_as_any():
    given = {"delta": np.float32(0.25), "max_samples": np.int32(5000)}
    one = Run(HARD, "rage", np.int64(3), noise="gaussian:0.5", **given).finish()
    other = Run(HARD.with_noise("gaussian:0.5"), "rage", 3, delta=0.25, max_samples=5000).finish()
    assert list(one)[1:] == list(other)[1:]
    assert type(one.started.seed) is int
    assert type(one.started.parameters["delta"]) is float
    assert list(Run(HARD, "rage", 3, noise=one.instance.noise, **given))[1:] == list(one)[1:]
