"""The workbench without Qt: fields, notifications, runs on a fake engine, messages and jobs."""

import gc
import subprocess
import sys

import pytest

from gems_engine.errors import InputError
from gems_engine.gallery import make
from gems_engine.trace import Trace
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.run_request import FAILED, FINISHED, Ending, LiveRun, RunRequest
from gems_gui.snapshot import Selection
from gems_gui.workbench.changes import Field, Publisher
from gems_gui.workbench.playback import Playback
from gems_gui.workbench.ports import Answer
from gems_gui.workbench.run_place import RunPlace
from gems_gui.workbench.workbench import Workbench

SMALL = Draft.of("paper-hard", seed=1, instance={"d_star": 4, "epsilon": 0.3}, parameters={"max_samples": 3000})
HARD = make("paper-hard", d_star=4, epsilon=0.3)


class FakeEngine:
    """Records what it is told, and computes only when a test says so."""

    def __init__(self):
        self.current, self.running, self.rounds_per_second = None, False, 0.0
        self.started, self.granted, self.stops = [], [], 0

    def start(self, request, credit, unseen=False, trace=None):
        trace = Trace(request.recorded_on()) if trace is None else trace
        self.current = LiveRun(len(self.started) + 1, request, trace, unseen)
        self.running = True
        self.started.append((request, credit, unseen))
        return self.current

    def grant(self, credit):
        self.granted.append(credit)

    def stop(self):
        self.stops += 1

    def compute(self, workbench, events=None):
        """Record events of the current run, all of them where no number is given."""
        live = self.current
        for event in live.request.run():
            live.trace.append(event)
            if events is not None and len(live.trace) >= events:
                break
        workbench.run_grew(live.run_id)
        if events is None:
            self.running = False
            workbench.engine_ended(Ending(live.run_id, FINISHED, "It has finished."))


class FakeQueries:
    def __init__(self):
        self.asked = {}

    def ask(self, key, function, *arguments, cache_key=None, urgent=False):
        self.asked[key] = (function, arguments)
        return len(self.asked)

    def cancel(self, key):
        self.asked.pop(key, None)

    def answer(self, workbench):
        """Answer everything that is asked, and what is asked then."""
        while self.asked:
            key, (function, arguments) = self.asked.popitem()
            workbench.drafts.answered(Answer(key, 1, function(*arguments)))


class FakeTimer:
    def __init__(self, call):
        self.call = call

    def start(self, milliseconds):
        self.call()

    def stop(self):
        pass


class Bench:
    """A workbench on fakes, and everything that it has published."""

    def __init__(self, draft=SMALL):
        self.engine, self.queries = FakeEngine(), FakeQueries()
        self.workbench = Workbench(draft, self.engine, self.queries, FakeTimer)
        self.changes = []
        self.workbench.subscribe(self.hear)

    def hear(self, change):
        self.changes.append(change)

    def take(self):
        """The notifications since the last time."""
        taken, self.changes = self.changes, []
        return taken

    def built(self):
        self.workbench.drafts.begin()
        self.queries.answer(self.workbench)
        self.take()
        return self


@pytest.fixture
def bench():
    return Bench().built()


def request(seed=1):
    return RunRequest(HARD, "fixed-confidence", seed, {"max_samples": 3000})


def test_it_needs_no_qt():
    code = "import sys; import gems_gui.workbench.workbench; print([m for m in sys.modules if 'PySide6' in m])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_run_is_one_notification_with_all_that_changed(bench):
    bench.workbench.run()
    (change,) = bench.take()
    run = bench.workbench.active
    assert change.started == (run,)
    assert {Field.RUNS, Field.ACTIVE, Field.SNAPSHOT, Field.ENGINE, Field.MESSAGES} <= change.fields
    assert (run.draft, run.playback.trace) == (SMALL, bench.engine.current.trace)
    assert len(bench.engine.started) == 1
    assert run.playback.playing


def test_a_run_that_waits_for_its_instance_starts_with_it():
    bench = Bench()
    bench.workbench.run()
    bench.workbench.drafts.begin()
    assert bench.engine.started == []
    bench.queries.answer(bench.workbench)
    assert len(bench.engine.started) == 1


def test_a_draft_that_cannot_run_is_refused_in_one_sentence(bench):
    bench.workbench.drafts.set_draft(SMALL.with_text("algorithm.delta", "2"))
    bench.workbench.run()
    assert bench.engine.started == []
    assert bench.workbench.messages.errors
    assert "δ" in bench.workbench.messages.errors[0]
    bench.workbench.drafts.set_draft(SMALL)
    bench.workbench.run()
    assert bench.workbench.messages.errors == [], "a run that starts answers it"


def test_the_cursor_moves_by_ticks_and_tells_only_what_is_new(bench):
    bench.workbench.run()
    bench.engine.compute(bench.workbench)
    assert bench.workbench.state_of(bench.workbench.active) == "done"
    bench.take()
    bench.workbench.tick(0.1)
    bench.workbench.tick(100.0)
    cursor = bench.workbench.playback.cursor
    assert 0 < cursor < 40, "a long tick is a stall, not a leap"
    bench.workbench.control(Playback.pause)
    assert not bench.workbench.moving
    bench.take()
    bench.workbench.control(Playback.pause)
    (change,) = bench.take()
    assert Field.SNAPSHOT not in change


def test_who_reads_what_others_made_of_a_change_is_told_last(bench):
    told, work = [], bench.workbench
    kept = [
        work.subscribe(lambda change: told.append("actions"), Field.TRUTH, last=True),
        work.subscribe(lambda change: told.append("form"), Field.TRUTH),
        work.subscribe(lambda change: told.append("board"), Field.TRUTH),
    ]
    work.set_truth(False)
    assert told == ["form", "board", "actions"]
    kept[0].cancel()
    work.set_truth(True)
    assert told[3:] == ["form", "board"]


def test_what_is_asked_of_the_cursor_is_one_notification(bench):
    work = bench.workbench
    work.run()
    bench.engine.compute(work)
    first, second = work.active, work.open(work.active.trace, "again.gems", play=True)
    assert second.playback.playing
    places = [RunPlace.of(run) for run in (first, second)]
    bench.take()
    arm = Selection.of_arm(HARD, 2)
    for ask, shown, cursors in (
        (lambda: work.seek(7), second, (0, 7)),
        (lambda: work.seek(5, first, second), second, (5, 5)),
        (lambda: work.control(lambda playback: playback.step("event"), first), second, (6, 5)),
        (lambda: work.show_at(first, 9, arm), first, (9, 5)),
        (lambda: work.restore(places, second), second, (0, 0)),
    ):
        ask()
        (change,) = bench.take()
        assert (work.active, first.playback.cursor, second.playback.cursor) == (shown, *cursors)
        assert Field.ENGINE in change
    assert (first.selection.arm, second.playback.playing) == (None, True)
    with pytest.raises(InputError, match="no ℓ 99"):
        work.control(lambda playback: playback.go_to(99))
    assert bench.take() == []


def test_ending_and_failing_are_told_and_logged(bench):
    bench.workbench.run()
    run = bench.workbench.active
    bench.engine.compute(bench.workbench, events=5)
    bench.take()
    bench.workbench.engine_ended(Ending(run.run_id, FAILED, "It broke.", "a report"))
    (change,) = bench.take()
    assert (change.ended, [each.report for each in change.failed]) == ((run,), ["a report"])
    assert bench.workbench.messages.errors == ["It broke."]
    assert [each.kind for each in bench.workbench.messages.entries if each.details] == ["error"]
    assert len(run.trace) == 5, "what is recorded stays"


def test_a_pending_run_takes_the_place_of_the_one_before(bench):
    bench.workbench.rerun(request(2))
    first = bench.workbench.pending.run
    bench.engine.compute(bench.workbench)
    assert bench.workbench.active is first
    bench.workbench.rerun(request(3))
    bench.take()
    bench.engine.compute(bench.workbench)
    fields = frozenset().union(*(change.fields for change in bench.take()))
    assert {Field.PENDING, Field.ACTIVE, Field.RUNS} <= fields
    assert [run.request.seed for run in bench.workbench.runs] == [3]
    assert bench.workbench.pending is None


def test_listeners_hear_one_change_before_the_next_and_never_recursively(bench):
    workbench, heard, depth = bench.workbench, [], [0]

    def first(change):
        depth[0] += 1
        assert depth[0] == 1
        heard.append(("first", frozenset(change.fields)))
        if Field.TRUTH in change:
            workbench.set_stale("old")
        depth[0] -= 1

    def second(change):
        heard.append(("second", frozenset(change.fields)))

    workbench.subscribe(first, Field.TRUTH, Field.STALE)
    subscription = workbench.subscribe(second, Field.TRUTH, Field.STALE)
    workbench.set_truth(False)
    assert [Field.STALE in fields for _, fields in heard] == [False, False, True, True]
    assert {who for who, _ in heard[:2]} == {who for who, _ in heard[2:]} == {"first", "second"}
    subscription.cancel()
    heard.clear()
    workbench.set_truth(True)
    assert {who for who, _ in heard} == {"first"}


def test_a_bound_method_does_not_keep_its_object():
    class Listener:
        def hear(self, change):
            heard.append(change)

    heard, publisher = [], Publisher()
    listener = Listener()
    publisher.subscribe(listener.hear)
    publisher.note(Field.JOBS)
    del listener
    gc.collect()
    publisher.note(Field.JOBS)
    assert len(heard) == 1


def test_a_change_is_told_even_if_what_made_it_raised():
    publisher, heard = Publisher(), []
    publisher.subscribe(heard.append)
    with pytest.raises(ZeroDivisionError), publisher.changing(Field.DRAFT):
        raise ZeroDivisionError
    assert [change.fields for change in heard] == [{Field.DRAFT}]


def test_a_listener_that_fails_keeps_nobody_else_from_hearing():
    publisher, heard = Publisher(), []

    def fail(change):
        raise ZeroDivisionError

    publisher.subscribe(fail)
    publisher.subscribe(heard.append)
    with pytest.raises(ZeroDivisionError):
        publisher.note(Field.DRAFT)
    assert [change.fields for change in heard] == [{Field.DRAFT}]
    with pytest.raises(ZeroDivisionError):
        publisher.note(Field.JOBS)
    assert len(heard) == 2, "and it publishes again"


def test_messages_last_hold_and_are_answered(bench):
    messages, truth = bench.workbench.messages, bench.workbench
    messages.add_persistent("A disk is full.")
    messages.refuse_file("a.json", "Cannot read a.json.")
    messages.show("The truth is hidden.", holds=lambda: not truth.truth)
    bench.workbench.set_truth(False)
    assert messages.current == ["The truth is hidden."]
    bench.workbench.set_truth(True)
    assert messages.current == [], "it no longer holds"
    messages.show("It failed.", error=True)
    assert messages.errors == ["Cannot read a.json.", "It failed."]
    messages.answer()
    assert messages.errors == ["Cannot read a.json."]
    messages.accept_file("a.json")
    assert (messages.errors, messages.persistent) == ([], ["A disk is full."])
    messages.remove_persistent("A disk is full.")
    messages.add("One file.")
    messages.add("Another.")
    assert messages.current == ["One file.", "Another."]
    messages.dismiss()
    assert (messages.current, messages.persistent, messages.errors) == ([], [], [])
    assert [each.sentence for each in messages.entries][-1] == "It failed.", "what is added is not logged twice"


def test_jobs_say_what_closing_does_to_them(bench):
    jobs = bench.workbench.jobs
    jobs.begin("export", "Export to a.mp4", lambda: None)
    jobs.begin("experiment", "An experiment", lambda: None, at_close="It ends too.")
    assert jobs.at_close == "It ends too."
    jobs.end("experiment")
    assert jobs.at_close == ""


def test_jobs_come_and_go_with_their_progress(bench):
    jobs, stopped = bench.workbench.jobs, []
    jobs.begin("export", "Export to a.mp4", lambda: stopped.append(True))
    jobs.progress("export", 3, 10)
    assert [(each.title, each.done, each.total) for each in jobs.running] == [("Export to a.mp4", 3, 10)]
    jobs.running[0].stop()
    jobs.end("export")
    jobs.end("export")
    assert (jobs.running, stopped, jobs.get("export")) == ((), [True], None)
    assert [Field.JOBS in change for change in bench.take()] == [True, True, True]
