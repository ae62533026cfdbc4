"""The worker process: it computes the runs and queries that it receives, within their credit.

It does not import Qt. Three threads share the work: the main thread computes, one receives messages, so that new credit
arrives while an algorithm is busy, and one sends, so that an event is sent while the next one is being computed.
"""

from __future__ import annotations

import os
import pickle
import platform
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from typing import Any

from gems_engine.blas import one_blas_thread
from gems_engine.error_log import one_line
from gems_engine.errors import Cancelled, InputError
from gems_engine.events import Event
from gems_engine.formats import journal
from gems_engine.formats.chunk import MOST_NUMBERS, numbers_in
from gems_engine.formats.event_rules import Sizes
from gems_engine.trace import CHUNK
from gems_gui.background.credited_run import CreditedRun
from gems_gui.drafts.run_request import FAILED, FINISHED, STOPPED, RunRequest
from gems_gui.workbench.playback import Credit

_NEEDED = ("gems_engine.running", "gems_engine.lapack", "threadpoolctl", "scipy.optimize", "flint")
"""Modules to load while idle, in the order in which a run needs them."""
_PAUSE = 0.035  # seconds between batches: a single event is sent at once, hundreds together; views need no more
_PAUSE_UNSEEN = 0.06  # for a run that is not shown before its end: fewer batches take less time
_LEVEL = 1  # of zlib, as for a trace in memory


@dataclass(frozen=True)
class Outcome:
    """How a job ended, with a sentence if it failed, and a report if the failure was unexpected."""

    how: str
    sentence: str = ""
    report: str = ""


def perform(request: RunRequest, credited: CreditedRun, tell: Callable[[Event], None]) -> Outcome:
    """Run a request on credit until it finishes, is stopped or fails."""
    try:
        with one_blas_thread():
            done = credited.drive(request.run(credited.stopped), tell, request.recorded_on())
            return Outcome(FINISHED if done else STOPPED)
    except Cancelled:
        return Outcome(STOPPED)
    except BaseException as error:  # a plugin may raise anything, and the window must go on
        return failure(error, f"The run of {request.title} failed", str(request))


def failure(error: BaseException, sentence: str, doing: str) -> Outcome:
    """The outcome for an error: the message of an InputError; for all other errors a sentence with a report."""
    if isinstance(error, InputError):
        return Outcome(FAILED, str(error))
    return unexpected(error, sentence, doing)


def unexpected(error: BaseException, sentence: str, doing: str) -> Outcome:
    """The outcome for an error that nothing expected: a sentence with a report."""
    return Outcome(FAILED, f"{sentence}: {one_line(error)}", report(doing, _traceback(error)))


def report(doing: str, trouble: str) -> str:
    """A text to copy into a bug report."""
    from gems_engine.running import versions  # loaded while idle

    known = ", ".join(f"{name} {number}" for name, number in versions().items())
    return f"{doing}\n{known}, {platform.platform()}\n\n{trouble.rstrip()}\n"


def _traceback(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


class _Outbox:
    """Sends events in batches, and everything in order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._items: SimpleQueue[Any] = SimpleQueue()
        self._hurry = threading.Event()
        self.unseen = False
        """Whether the current events belong to a run that is not shown yet."""
        self.put = self._items.put
        threading.Thread(target=self._send_all, name="sender", daemon=True).start()

    def put_urgent(self, item: Any) -> None:
        """Add an item that is sent at once."""
        self.put(item)
        self._hurry.set()

    def _send_all(self) -> None:
        sent = 0.0
        while True:
            items = [self._items.get()]
            pause = _PAUSE_UNSEEN if self.unseen else _PAUSE
            self._hurry.wait(max(0.0, sent + pause - time.monotonic()))
            self._hurry.clear()
            try:
                while True:
                    items.append(self._items.get_nowait())
            except Empty:
                pass
            try:
                for message in _batched(items):
                    self._connection.send(message)
            except OSError:  # the other end has closed
                os._exit(0)
            sent = time.monotonic()


@dataclass(frozen=True)
class _Told:
    """An event to send, with what is needed to pack it."""

    run_id: int
    request: RunRequest
    event: Event


def _batched(items: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The items as messages: successive events become records of a journal."""
    batch: list[_Told] = []
    numbers = 0
    for item in items:
        event = isinstance(item, _Told)
        if batch and (not event or len(batch) >= CHUNK or numbers >= MOST_NUMBERS or batch[0].run_id != item.run_id):
            yield _record(batch)
            batch, numbers = [], 0
        if event:
            batch.append(item)
            numbers += numbers_in(item.event)
        else:
            yield item
    if batch:
        yield _record(batch)


def _record(batch: list[_Told]) -> tuple[Any, ...]:
    first = batch[0]
    try:
        data = journal.record([each.event for each in batch], Sizes.of(first.request.instance), _LEVEL)
    except Exception as error:  # values of a plugin may not fit into an event
        sentence = f"Cannot record an event of {first.request.title}"
        outcome = failure(error, sentence, str(first.request))
        if not outcome.report:
            outcome = Outcome(FAILED, f"{sentence}: {outcome.sentence}", report(str(first.request), _traceback(error)))
        return ("ended", first.run_id, outcome)
    return ("events", first.run_id, data)


class _JobQueue:
    """Receives messages while the main thread computes, and passes it one job after the other."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._outbox = _Outbox(connection)
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._runs: dict[int, CreditedRun] = {}

    def work(self) -> None:
        """Process jobs; the process ends when the other end closes the pipe."""
        threading.Thread(target=self._receive_all, name="receiver", daemon=True).start()
        self._outbox.put(("ready",))
        for name in _NEEDED:
            if self._jobs.empty():  # otherwise a job waits, which may not need it
                import_module(name)
        while True:
            self._jobs.get()()

    def _receive_all(self) -> None:
        take: dict[str, Callable[..., None]] = {
            "run": self._take_run,
            "grant": self._take_grant,
            "received": self._take_received,
            "drop": self._take_drop,
            "query": self._take_query,
        }
        while True:
            try:
                kind, number, *rest = self._connection.recv()
            except (EOFError, OSError):
                os._exit(0)
            take[kind](number, *rest)

    def _take_run(self, run_id: int, asked: bytes, credit: Credit, unseen: bool) -> None:
        credited = CreditedRun(credit, lambda used_up: self._outbox.put_urgent(("waits", run_id, used_up)))
        self._runs[run_id] = credited
        self._jobs.put(lambda: self._run(run_id, asked, credited, unseen))

    def _run(self, run_id: int, asked: bytes, credited: CreditedRun, unseen: bool) -> None:
        self._outbox.unseen = unseen
        try:
            request: RunRequest = pickle.loads(asked)
        except Exception as error:
            outcome = failure(error, "Cannot read the request of a run", "a run")
        else:
            outcome = perform(request, credited, lambda event: self._outbox.put(_Told(run_id, request, event)))
        self._runs.pop(run_id, None)
        self._outbox.put_urgent(("ended", run_id, outcome))

    def _take_grant(self, run_id: int, credit: Credit) -> None:
        if run_id in self._runs:
            self._runs[run_id].grant(credit)

    def _take_received(self, run_id: int, count: int) -> None:
        if run_id in self._runs:
            self._runs[run_id].acknowledge(count)

    def _take_drop(self, run_id: int) -> None:
        if run_id in self._runs:
            self._runs[run_id].stop()

    def _take_query(self, ticket: int, asked: bytes) -> None:
        self._jobs.put(lambda: self._outbox.put_urgent(("answer", ticket, *answer(asked))))


def answer(asked: bytes) -> tuple[bytes, Outcome]:
    """Call a pickled function with its arguments; returns the pickled value and the outcome."""
    name = "a query"
    try:
        function, arguments = pickle.loads(asked)
        name = f"{function.__module__}.{function.__qualname__}"
        with one_blas_thread():
            return pickle.dumps(function(*arguments)), Outcome(FINISHED)
    except BaseException as error:
        return b"", failure(error, f"The computation {name.rpartition('.')[2]} failed", name)


def serve(connection: Connection) -> None:
    """The main function of a worker process."""
    _JobQueue(connection).work()
