"""Background queries: pure functions computed in an analysis process; only the newest query of a key counts."""

from __future__ import annotations

import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from gems_gui.background.worker import Outcome, answer, report
from gems_gui.background.worker_process import ProcessSupervisor
from gems_gui.drafts.run_request import FINISHED
from gems_gui.workbench.ports import Answer

_PATIENCE = 0.2  # seconds for which an unwanted query may go on; starting a new process takes longer
_LONG = 0.2  # seconds after which a query counts as long, so that urgent ones do not wait for it
_AGAIN = 40  # milliseconds between checks whether the second process has started
_REMEMBERED = 64


@dataclass
class _Query:
    key: str
    ticket: int
    name: str
    asked: bytes
    memory: Hashable | None
    urgent: bool = False
    sent: int = 0
    since: float = 0.0

    @property
    def seconds(self) -> float:
        """The time for which it has been computed."""
        return time.monotonic() - self.since


class _Lane:
    """A process, and the query that it computes."""

    def __init__(self, name: str, heard: Callable[[Any], None], gone: Callable[[int, str], None]) -> None:
        self.current: _Query | None = None
        self._in_process = 0
        self._gone = gone
        self.supervisor = ProcessSupervisor(name, heard, self._tell_of_loss)

    def begin(self, query: _Query) -> None:
        """Compute a query."""
        self.supervisor.call(self._send, query.sent, query.asked)

    def reset(self) -> None:
        """Abandon the current query and replace the process."""
        self.current = None
        self.supervisor.call(self._replace)

    # -- in the supervisor's thread -------------------------------------------------------------------------------

    def _send(self, sent: int, asked: bytes) -> None:
        self._in_process = sent
        self.supervisor.send("query", sent, asked)

    def _replace(self) -> None:
        self.supervisor.end_process()
        self.supervisor.ensure()

    def _tell_of_loss(self, how: str) -> None:
        self._gone(self._in_process, how)


class Queries(QObject):
    """Computes queries one after the other in a process that is kept running, urgent ones first.

    Some queries take seconds, and users who edit the form wait for theirs: a second process computes urgent queries
    during a long one. It is started when that first happens, or in advance.

    Parameters
    ----------
    parent
        Its Qt parent.
    in_thread
        Compute in the window's thread, from its event loop, for tests and debugging.

    Attributes
    ----------
    answered : Signal of Answer
        Always emitted through the event loop, even if the answer is already known.
    """

    answered = Signal(object)
    _heard = Signal(object)
    _gone = Signal(int, str)
    _known = Signal(object)
    _turn = Signal()

    def __init__(self, parent: QObject | None = None, *, in_thread: bool = False) -> None:
        super().__init__(parent)
        self._in_thread = in_thread
        self._closed = False
        self._tickets = count(1)
        self._newest: dict[str, int] = {}
        self._queue: list[_Query] = []
        self._lanes = [_Lane("gems-analysis", self._heard.emit, self._gone.emit)]
        self._memory: OrderedDict[Hashable, Any] = OrderedDict()
        self._urgent_timer, self._long = QTimer(self), QTimer(self)
        for timer, slot in ((self._urgent_timer, self._give_up), (self._long, self._hurry)):
            timer.setSingleShot(True)
            timer.timeout.connect(slot)
        queued = Qt.ConnectionType.QueuedConnection
        self._heard.connect(self._take, queued)
        self._gone.connect(self._on_process_lost, queued)
        self._known.connect(self._deliver, queued)
        # In the window's thread, the next query waits for the event loop, so that other events are handled in between.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._next)
        self._turn.connect(self._soon.start if in_thread else self._next, queued)

    @property
    def pid(self) -> int | None:
        """The id of the analysis process, if there is one."""
        return self._lanes[0].supervisor.pid

    def warm(self) -> None:
        """Start the process now, so that the first query does not wait for it."""
        if not self._in_thread:
            self._lanes[0].supervisor.call(self._lanes[0].supervisor.ensure)

    def start_second_process(self) -> None:
        """Start the second process in advance, before a query that takes seconds."""
        if self._in_thread or self._closed:
            return
        if len(self._lanes) == 1:
            self._lanes.append(_Lane("gems-analysis-2", self._heard.emit, self._gone.emit))
        self._lanes[1].supervisor.call(self._lanes[1].supervisor.ensure)

    def ask(
        self,
        key: str,
        function: Callable[..., Any],
        *arguments: Any,
        cache_key: Hashable | None = None,
        urgent: bool = False,
    ) -> int:
        """Ask for ``function(*arguments)``; returns the ticket of the answer.

        Parameters
        ----------
        key
            The purpose; an earlier query with the same key is dropped.
        function
            A pure function at the top level of a module that does not import Qt.
        arguments
            Anything that can be pickled.
        cache_key
            The key for caching; by default the function and its arguments, if they can be hashed.
        urgent
            Whether a user waits for it: it is computed before others, and does not wait for a long one.
        """
        if self._closed:
            raise RuntimeError("the queries are closed")
        asked = pickle.dumps((function, arguments))
        memory = _memory(function, arguments) if cache_key is None else ("given", cache_key)
        query = _Query(key, next(self._tickets), function.__name__, asked, memory, urgent)
        self._forget(key)
        self._newest[key] = query.ticket
        same = [each for each in self._computed if each.key == key and each.memory == memory is not None]
        if memory is not None and memory in self._memory:
            self._memory.move_to_end(memory)
            self._known.emit(Answer(key, query.ticket, self._memory[memory]))
        elif same:
            same[0].ticket = query.ticket  # it is already being computed
        else:
            self._queue.append(query)
            self._turn.emit()
        self._look_at_current()
        return query.ticket

    def cancel(self, key: str) -> None:
        """Cancel the query of this key."""
        self._forget(key)
        self._look_at_current()

    def busy(self, key: str) -> bool:
        """Whether an answer for this key is pending."""
        return key in self._newest

    def close(self) -> None:
        """End the process and its thread, and wait for them; pending answers are dropped."""
        self._closed = True
        self._urgent_timer.stop()
        self._long.stop()
        self._queue.clear()
        self._newest.clear()
        for lane in self._lanes:
            lane.current = None
            lane.supervisor.close()

    @property
    def _computed(self) -> list[_Query]:
        return [lane.current for lane in self._lanes if lane.current is not None]

    def _forget(self, key: str) -> None:
        self._newest.pop(key, None)
        self._queue = [each for each in self._queue if each.key != key]

    def _wanted(self, query: _Query) -> bool:
        return self._newest.get(query.key) == query.ticket

    def _look_at_current(self) -> None:
        """Give a query that is no longer wanted a moment to finish."""
        unwanted = [query.seconds for query in self._computed if not self._wanted(query)]
        if not unwanted:
            self._urgent_timer.stop()
        elif not self._urgent_timer.isActive():
            self._urgent_timer.start(max(0, round(1000 * (_PATIENCE - max(unwanted)))))

    @Slot()
    def _give_up(self) -> None:
        for lane in self._lanes:
            query = lane.current
            if query is not None and not self._wanted(query) and query.seconds > 0.9 * _PATIENCE:
                lane.reset()
        self._look_at_current()
        self._next()

    @Slot()
    def _hurry(self) -> None:
        """Start a second process if an urgent query waits for a long one, and compute it there."""
        first = self._lanes[0]
        if self._closed or first.current is None or not any(query.urgent for query in self._queue):
            return
        if first.supervisor.listening:  # otherwise the first process is still starting
            self.start_second_process()
        self._long.start(_AGAIN)
        self._next()

    @Slot()
    def _next(self) -> None:
        if self._closed or not self._queue:
            return
        first, *second = self._lanes
        hurried = [query for query in self._queue if query.urgent]
        if first.current is None:
            self._begin(first, hurried[0] if hurried else self._queue[0])
        elif hurried and not self._in_thread:
            if second and second[0].supervisor.listening:
                if second[0].current is None:
                    self._begin(second[0], hurried[0])
            elif not self._long.isActive():
                self._long.start(max(0, round(1000 * (_LONG - first.current.seconds))))

    def _begin(self, lane: _Lane, query: _Query) -> None:
        self._queue.remove(query)
        lane.current = query
        query.since = time.monotonic()
        query.sent = query.ticket
        if self._in_thread:
            self._take(("answer", query.sent, *answer(query.asked)))
        else:
            lane.begin(query)

    def _taken(self, sent: int) -> _Query | None:
        """Remove and return the query that was sent under this number; None if it was abandoned."""
        for lane in self._lanes:
            query = lane.current
            if query is not None and query.sent == sent:
                lane.current = None
                self._urgent_timer.stop()
                self._look_at_current()
                return query
        return None

    @Slot(object)
    def _take(self, message: tuple[str, int, bytes, Outcome]) -> None:
        _, sent, value, outcome = message
        query = self._taken(sent)
        if query is None:
            return
        if outcome.how != FINISHED:
            self._deliver(Answer(query.key, query.ticket, None, outcome.sentence, outcome.report))
        else:
            found = pickle.loads(value)
            self._remember(query.memory, found)
            self._deliver(Answer(query.key, query.ticket, found))
        self._turn.emit()

    @Slot(int, str)
    def _on_process_lost(self, sent: int, how: str) -> None:
        query = self._taken(sent)
        if query is None:
            return
        sentence = f"The analysis process ended unexpectedly while computing {query.name}: {how}."
        self._deliver(Answer(query.key, query.ticket, None, sentence, report(query.name, sentence)))
        self._turn.emit()

    @Slot(object)
    def _deliver(self, found: Answer) -> None:
        if self._newest.get(found.key) == found.ticket:
            del self._newest[found.key]
            self.answered.emit(found)

    def _remember(self, memory: Hashable | None, value: Any) -> None:
        if memory is not None:
            self._memory[memory] = value
            while len(self._memory) > _REMEMBERED:
                self._memory.popitem(last=False)


def _memory(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Hashable | None:
    """The cache key of a call; it distinguishes 1, 1.0 and True, which are equal."""
    memory = function, arguments, tuple(type(each) for each in arguments)
    try:
        hash(memory)
    except TypeError:
        return None
    return memory
