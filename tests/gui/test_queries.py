"""Background queries: the newest counts, the rest is forgotten, and nothing that happens to one harms the next."""

import gc
import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, QThread

from gems_engine.gallery import make
from gems_gui.background.queries import Queries
from tests.gui import query_functions as functions

SECONDS = 20_000


class Answers(QObject):
    def __init__(self, queries):
        super().__init__()
        self.all = []
        queries.answered.connect(self._take)

    def _take(self, answer):
        assert QThread.currentThread() is self.thread()
        self.all.append(answer)

    @property
    def values(self):
        return [(each.key, each.value) for each in self.all]


@pytest.fixture(scope="module", params=[False, True], ids=["process", "thread"])
def _shared(qapp, request):
    queries = Queries(in_thread=request.param)
    queries.warm()
    while not request.param and queries.pid is None:
        time.sleep(0.001)
    yield queries
    queries.close()


@pytest.fixture
def shared(_shared):
    """Queries of each kind, for tests that do not end their process."""
    _shared._memory.clear()
    return _shared


@pytest.fixture
def queries(qapp):
    queries = Queries()
    yield queries
    queries.close()


def test_an_answer_comes_through_the_event_loop_with_its_ticket(shared, qtbot):
    answers = Answers(shared)
    ticket = shared.ask("square", functions.square, 7)
    assert shared.busy("square")
    assert not answers.all
    qtbot.waitUntil(lambda: bool(answers.all), timeout=SECONDS)
    (answer,) = answers.all
    assert (answer.key, answer.ticket, answer.value, answer.error, answer.report) == ("square", ticket, 49, "", "")
    assert not shared.busy("square")


def test_a_design_is_the_same_as_computed_here(shared, qtbot):
    instance = make("sphere", D=8, n=20)
    answers = Answers(shared)
    shared.ask("design", functions.best_design, instance, 4)
    qtbot.waitUntil(lambda: bool(answers.all), timeout=SECONDS)
    assert answers.all[0].value == functions.best_design(instance, 4)


def test_different_keys_queue_and_the_newest_of_a_key_wins(shared, qtbot, tmp_path):
    answers = Answers(shared)
    log = tmp_path / "log"
    for x in range(20):
        shared.ask("a", functions.logged, str(log), x)
        shared.ask(f"b{x % 2}", functions.square, x)
    qtbot.waitUntil(lambda: len(answers.all) == 3, timeout=SECONDS)
    qtbot.wait(30)
    assert sorted(answers.values) == [("a", 361), ("b0", 324), ("b1", 361)]
    assert log.read_text().split() == ["19"]  # those that were superseded in time were never computed


def test_values_are_remembered_and_equal_numbers_of_other_types_are_other_questions(shared, qtbot, tmp_path):
    answers = Answers(shared)
    log = tmp_path / "log"
    for number in range(1, 4):
        shared.ask("square", functions.logged, str(log), 3)
        qtbot.waitUntil(lambda number=number: len(answers.all) == number, timeout=SECONDS)
    assert log.read_text().split() == ["3"]
    for number, (x, shown) in enumerate([(1, "int 1"), (1.0, "float 1.0"), (True, "bool True")], 4):
        shared.ask("words", functions.described, x)
        qtbot.waitUntil(lambda number=number: len(answers.all) == number, timeout=SECONDS)
        assert answers.all[-1].value == shown


def test_what_cannot_be_hashed_is_remembered_under_a_given_key(shared, qtbot):
    answers = Answers(shared)
    shared.ask("list", functions.described, [1], cache_key="one")
    qtbot.waitUntil(lambda: len(answers.all) == 1, timeout=SECONDS)
    shared.ask("list", functions.described, [2], cache_key="one")  # a caller that gives a key answers for it
    qtbot.waitUntil(lambda: len(answers.all) == 2, timeout=SECONDS)
    shared.ask("list", functions.described, [2])
    qtbot.waitUntil(lambda: len(answers.all) == 3, timeout=SECONDS)
    assert [each.value for each in answers.all] == ["list [1]", "list [1]", "list [2]"]


def test_a_cancelled_query_is_not_answered_also_when_its_value_is_known(shared, qtbot):
    answers = Answers(shared)
    for _ in range(2):
        shared.ask("square", functions.square, 5)
        shared.cancel("square")
        assert not shared.busy("square")
        shared.ask("other", functions.square, 5)
        qtbot.waitUntil(lambda: not shared.busy("other"), timeout=SECONDS)
    assert answers.values == [("other", 25), ("other", 25)]


def test_bad_input_is_a_sentence_and_a_fault_has_a_report(shared, qtbot):
    answers = Answers(shared)
    shared.ask("input", functions.refuse)
    shared.ask("fault", functions.fail)
    shared.ask("value", functions.unpicklable)
    qtbot.waitUntil(lambda: len(answers.all) == 3, timeout=SECONDS)
    refused, failed, lost = answers.all
    assert (refused.error, refused.report, refused.value) == ("D must be at least 1.", "", None)
    assert "ZeroDivisionError: nothing to divide by" in failed.error
    assert "\n" not in failed.error
    assert "Traceback" in failed.report
    assert "query_functions.fail" in failed.report
    assert "numpy" in failed.report
    assert lost.error
    assert lost.report
    shared.ask("input", functions.square, 2)  # failures are not remembered
    qtbot.waitUntil(lambda: len(answers.all) == 4, timeout=SECONDS)
    assert answers.all[-1].value == 4


def test_what_cannot_travel_is_refused_where_it_is_asked(shared):
    with pytest.raises(Exception, match="pickle"):
        shared.ask("lambda", lambda: 1)
    assert not shared.busy("lambda")


def test_the_process_is_another_one_without_qt_and_with_one_blas_thread(queries, qtbot):
    answers = Answers(queries)
    queries.ask("where", functions.surroundings)
    qtbot.waitUntil(lambda: bool(answers.all), timeout=SECONDS)
    pid, modules, threads = answers.all[0].value
    assert pid == queries.pid != os.getpid()
    assert threads == "1"
    assert not [name for name in modules if name.split(".")[0] in ("PySide6", "shiboken6", "pyqtgraph")]


def test_a_superseded_query_that_goes_on_is_ended_with_its_process(queries, qtbot, tmp_path):
    answers = Answers(queries)
    path = tmp_path / "pid"
    queries.ask("a", functions.endless, str(path))
    queries.ask("b", functions.square, 2)  # waits for its turn
    qtbot.waitUntil(lambda: path.exists() and path.read_text() != "", timeout=SECONDS)
    pid = int(path.read_text())
    queries.ask("a", functions.square, 3)
    assert queries.busy("a")
    qtbot.waitUntil(lambda: len(answers.all) == 2, timeout=SECONDS)
    assert answers.values == [("b", 4), ("a", 9)]
    assert not Path(f"/proc/{pid}").exists()
    path.unlink()
    queries.ask("a", functions.endless, str(path))
    qtbot.waitUntil(lambda: path.exists() and path.read_text() != "", timeout=SECONDS)
    queries.cancel("a")
    queries.ask("b", functions.square, 5)
    qtbot.waitUntil(lambda: len(answers.all) == 3, timeout=SECONDS)
    assert answers.values[-1] == ("b", 25)


def test_what_is_urgent_waits_for_no_long_one_and_goes_before_the_others(queries, shared, qtbot, tmp_path):
    answers, path = Answers(queries), tmp_path / "go"
    queries.ask("long", functions.after, str(path), 1)
    queries.ask("other", functions.square, 2)
    queries.ask("form", functions.square, 3, urgent=True)
    queries.ask("checks", functions.square, 4, urgent=True)
    qtbot.waitUntil(lambda: len(answers.all) == 2, timeout=SECONDS)
    assert answers.values == [("form", 9), ("checks", 16)]
    assert queries.busy("long")
    assert queries.busy("other")
    path.touch()
    qtbot.waitUntil(lambda: len(answers.all) == 4, timeout=SECONDS)
    assert [each.key for each in answers.all[2:]] == ["long", "other"]
    order = Answers(shared)
    for key in "abc":
        shared.ask(key, functions.square, 5, urgent=key == "c", cache_key=key)
    qtbot.waitUntil(lambda: len(order.all) == 3, timeout=SECONDS)
    assert [each.key for each in order.all] == ["c", "a", "b"]


def test_asking_for_what_is_being_computed_does_not_begin_again(queries, qtbot, tmp_path):
    answers = Answers(queries)
    path = tmp_path / "go"
    queries.warm()
    queries.ask("a", functions.after, str(path), 1)
    qtbot.waitUntil(lambda: bool(queries._computed) and queries.pid is not None, timeout=SECONDS)
    pid = queries.pid
    ticket = queries.ask("a", functions.after, str(path), 1)
    qtbot.wait(300)  # longer than an abandoned query may go on
    path.touch()
    qtbot.waitUntil(lambda: bool(answers.all), timeout=SECONDS)
    assert [(each.ticket, each.value) for each in answers.all] == [(ticket, 1)]
    assert queries.pid == pid


def test_a_dead_process_is_an_error_and_the_next_query_works(queries, qtbot):
    answers = Answers(queries)
    queries.ask("die", functions.die)
    queries.ask("square", functions.square, 6)
    qtbot.waitUntil(lambda: len(answers.all) == 2, timeout=SECONDS)
    died, square = answers.all
    assert "SIGKILL" in died.error
    assert "die" in died.report
    assert square.value == 36


def test_closing_while_busy_leaves_no_threads_processes_or_pipes(qapp, qtbot, tmp_path):
    before, counts = set(threading.enumerate()), []
    for number in range(2):
        queries = Queries()
        answers = Answers(queries)
        path = tmp_path / f"pid-{number}"
        queries.ask("a", functions.endless, str(path))
        queries.ask("b", functions.square, 2)
        qtbot.waitUntil(lambda path=path: path.exists() and path.read_text() != "", timeout=SECONDS)
        queries.close()
        queries.close()
        assert not Path(f"/proc/{path.read_text()}").exists()
        assert set(threading.enumerate()) <= before
        assert not queries.busy("a")
        with pytest.raises(RuntimeError, match="closed"):
            queries.ask("a", functions.square, 2)
        qtbot.wait(10)
        assert not answers.all
        gc.collect()
        counts.append(len(os.listdir("/proc/self/fd")))
    assert counts[0] == counts[1]


def test_in_the_windows_thread_one_query_is_computed_in_a_turn(qapp):
    """So that a chain of slow queries, each asked for by the answer before, does not hold up the event loop."""
    queries = Queries(in_thread=True)
    answers = Answers(queries)
    queries.answered.connect(lambda found: len(answers.all) < 5 and queries.ask("chain", functions.square, found.value))
    queries.ask("chain", functions.square, 1.5)
    counts = []
    while len(answers.all) < 5:
        qapp.processEvents()
        counts.append(len(answers.all))
    assert (np.diff([0, *counts]) <= 1).all()
    queries.close()
