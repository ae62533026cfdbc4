"""Background queries: pure functions computed in an analysis process, of which a key's newest one counts."""

from __future__ import annotations

import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import count
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from gems_gui.run_request import FINISHED
from gems_gui.worker import Outcome, answer, report
from gems_gui.worker_process import Keeper

_PATIENCE = 0.2  # seconds that a query may go on which nobody waits for: a new process takes longer than that
_REMEMBERED = 64


@dataclass(frozen=True)
class Answer:
    """The answer to a query.

    Attributes
    ----------
    key, ticket
        Whose answer it is.
    value
        What the function returned; None where it failed.
    error
        Empty, or one sentence.
    report
        To be copied where something failed that should not have; empty otherwise.
    """

    key: str
    ticket: int
    value: Any = None
    error: str = ""
    report: str = ""


@dataclass
class _Query:
    key: str
    ticket: int
    name: str
    asked: bytes
    memory: Hashable | None
    sent: int = 0
    since: float = 0.0


class Queries(QObject):
    """Computes queries one after the other in one process that is kept warm.

    Parameters
    ----------
    parent
        Its Qt parent.
    in_thread
        Compute in the window's own thread, from its event loop, for tests and debugging.

    Attributes
    ----------
    answered : Signal of Answer
        Always through the event loop, also where the answer is known already.
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
        self._current: _Query | None = None
        self._memory: OrderedDict[Hashable, Any] = OrderedDict()
        self._keeper = Keeper("gems-analysis", self._heard.emit, self._tell_of_loss)
        self._in_process = 0
        self._impatience = QTimer(self)
        self._impatience.setSingleShot(True)
        self._impatience.timeout.connect(self._give_up)
        queued = Qt.ConnectionType.QueuedConnection
        self._heard.connect(self._take, queued)
        self._gone.connect(self._lost, queued)
        self._known.connect(self._deliver, queued)
        self._turn.connect(self._next, queued)

    @property
    def pid(self) -> int | None:
        """Of the analysis process, if there is one."""
        return self._keeper.pid

    def warm(self) -> None:
        """Start the process now, so that the first query does not wait for it."""
        if not self._in_thread:
            self._keeper.call(self._keeper.ensure)

    def ask(self, key: str, function: Callable[..., Any], *arguments: Any, cache_key: Hashable | None = None) -> int:
        """Ask for ``function(*arguments)``; the ticket of its answer.

        Parameters
        ----------
        key
            What it is for; a query before it with the same key is forgotten.
        function
            Pure, of the top level of a module that does not import Qt.
        arguments
            Anything that can be pickled.
        cache_key
            Under which the value is remembered; without one the function and its arguments, if they can be hashed.
        """
        if self._closed:
            raise RuntimeError("the queries are closed")
        asked = pickle.dumps((function, arguments))
        memory = _memory(function, arguments) if cache_key is None else ("given", cache_key)
        query = _Query(key, next(self._tickets), function.__name__, asked, memory)
        self._forget(key)
        self._newest[key] = query.ticket
        current = self._current
        if memory is not None and memory in self._memory:
            self._memory.move_to_end(memory)
            self._known.emit(Answer(key, query.ticket, self._memory[memory]))
        elif current is not None and current.key == key and current.memory == memory is not None:
            current.ticket = query.ticket  # it is being computed already
        else:
            self._queue.append(query)
            self._turn.emit()
        self._look_at_current()
        return query.ticket

    def cancel(self, key: str) -> None:
        """Forget what was asked under this key."""
        self._forget(key)
        self._look_at_current()

    def busy(self, key: str) -> bool:
        """Whether an answer for this key is still to come."""
        return key in self._newest

    def close(self) -> None:
        """End the process and its thread, and wait for them; nothing is answered any more."""
        self._closed = True
        self._impatience.stop()
        self._queue.clear()
        self._newest.clear()
        self._current = None
        self._keeper.close()

    def _forget(self, key: str) -> None:
        self._newest.pop(key, None)
        self._queue = [each for each in self._queue if each.key != key]

    def _wanted(self, query: _Query) -> bool:
        return self._newest.get(query.key) == query.ticket

    def _look_at_current(self) -> None:
        """Give a query that nobody waits for any more a moment to end by itself."""
        current = self._current
        if current is None or self._wanted(current):
            self._impatience.stop()
        elif not self._impatience.isActive():
            left = current.since + _PATIENCE - time.monotonic()
            self._impatience.start(max(0, round(1000 * left)))

    @Slot()
    def _give_up(self) -> None:
        if self._current is not None and not self._wanted(self._current):
            self._current = None
            self._keeper.call(self._replace)
            self._next()

    @Slot()
    def _next(self) -> None:
        if self._closed or self._current is not None or not self._queue:
            return
        self._current = query = self._queue.pop(0)
        query.since = time.monotonic()
        query.sent = query.ticket
        if self._in_thread:
            self._take(("answer", query.sent, *answer(query.asked)))
        else:
            self._keeper.call(self._send, query.sent, query.asked)

    @Slot(object)
    def _take(self, message: tuple[str, int, bytes, Outcome]) -> None:
        _, sent, value, outcome = message
        query = self._current
        if query is None or query.sent != sent:
            return  # of a query that was given up
        self._current = None
        self._impatience.stop()
        if outcome.how != FINISHED:
            self._deliver(Answer(query.key, query.ticket, None, outcome.sentence, outcome.report))
        else:
            found = pickle.loads(value)
            self._remember(query.memory, found)
            self._deliver(Answer(query.key, query.ticket, found))
        self._turn.emit()

    @Slot(int, str)
    def _lost(self, sent: int, how: str) -> None:
        query = self._current
        if query is None or query.sent != sent:
            return
        self._current = None
        self._impatience.stop()
        sentence = f"The analysis process is gone while it computed {query.name}: {how}."
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

    # -- in the keeper's thread -----------------------------------------------------------------------------------

    def _send(self, sent: int, asked: bytes) -> None:
        self._in_process = sent
        self._keeper.send("query", sent, asked)

    def _replace(self) -> None:
        self._keeper.end_process()
        self._keeper.ensure()

    def _tell_of_loss(self, how: str) -> None:
        self._gone.emit(self._in_process, how)


def _memory(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Hashable | None:
    """Under what a value is remembered; 1, 1.0 and True are equal and yet not the same question."""
    memory = function, arguments, tuple(type(each) for each in arguments)
    try:
        hash(memory)
    except TypeError:
        return None
    return memory
