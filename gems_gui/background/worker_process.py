"""A worker process and the thread that owns it. Does not import Qt."""

from __future__ import annotations

import atexit
import contextlib
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from gems_engine.processes import begin_worker, main_hidden

_SPAWN = get_context("spawn")  # never fork under Qt


def _child(connection: Connection, module: str) -> None:
    """The entry point of the process."""
    begin_worker()
    import_module(module).serve(connection)  # imports numpy, after the limits above are set


class WorkerProcess:
    """A spawned process that runs the function ``serve`` of a module at the other end of a pipe."""

    def __init__(self, name: str, module: str) -> None:
        self.connection, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_child, args=(theirs, module), name=name, daemon=True)
        try:
            with main_hidden():
                self._process.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()
        self.ready = False
        self.pid = self._process.pid
        self.sentinel = self._process.sentinel

    def kill(self) -> None:
        """Kill the process."""
        self._process.kill()

    def reap(self) -> str:
        """Release the resources of an ended process; returns how it ended, in words."""
        self._process.join()
        code = self._process.exitcode or 0
        self._process.close()
        self.connection.close()
        if code >= 0:
            return f"it exited with code {code}"
        with contextlib.suppress(ValueError):
            return f"it was killed by signal {signal.Signals(-code).name}"
        return f"it was killed by signal {-code}"


class ProcessSupervisor:
    """A thread that owns one worker process and moves messages between it and the rest of the program.

    Parameters
    ----------
    name
        The name of the thread and the process.
    hear
        Called in the thread with every message of the process.
    lost
        Called in the thread when the process cannot be started or has ended unexpectedly, with words that say how.
    module
        The module whose function ``serve`` the process runs.
    """

    def __init__(
        self,
        name: str,
        hear: Callable[[Any], None],
        lost: Callable[[str], None],
        module: str = "gems_gui.background.worker",
    ) -> None:
        self._name = name
        self._module = module
        self._hear = hear
        self._lost = lost
        self._process: WorkerProcess | None = None
        self._unsent: list[Any] = []
        self._calls: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._closing = False
        self._thread: threading.Thread | None = None
        self._waker: Connection | None = None
        self._woken = False
        self._alarm: tuple[float, Callable[[], None]] | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, if there is one."""
        process = self._process
        return process.pid if process else None

    @property
    def listening(self) -> bool:
        """Whether the process has started and receives messages."""
        process = self._process
        return process is not None and process.ready

    def call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call a function in the thread, from any other thread, and return at once."""
        with self._lock:
            if self._closing:
                return
            self._calls.append(partial(function, *arguments))
            if self._thread is None:
                sleeper, self._waker = _SPAWN.Pipe(duplex=False)
                self._thread = threading.Thread(target=self._live, args=(sleeper,), name=self._name, daemon=True)
                self._thread.start()
                # Before multiprocessing ends the processes, which would look like a crash.
                atexit.register(self.close)
            self._wake()

    def close(self, seconds: float = 2.0) -> None:
        """End process and thread after all earlier calls; wait for them for at most some seconds."""
        with self._lock:
            self._closing = True
            self._wake()
        atexit.unregister(self.close)
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(seconds / 2)
            process = self._process
            if self._thread.is_alive() and process is not None:
                process.kill()  # half a message from a process that hangs would block the thread
                self._thread.join(seconds / 2)

    def _wake(self) -> None:
        if self._waker is not None and not self._woken:
            self._woken = True
            self._waker.send_bytes(b"!")

    # -- in the thread ------------------------------------------------------------------------------------------

    def ensure(self) -> None:
        """Start the process if there is none."""
        if self._process is None:
            self._process = WorkerProcess(self._name, self._module)

    def send(self, *message: Any) -> None:
        """Send a message, now or as soon as the process listens; a blocked thread could not stop anything."""
        self.ensure()
        assert self._process is not None
        if not self._process.ready:
            self._unsent.append(message)
            return
        with contextlib.suppress(OSError):  # it has ended, which the pipe reports next
            self._process.connection.send(message)

    def set_alarm(self, seconds: float, function: Callable[[], None]) -> None:
        """Call a function in the thread after some time, unless another alarm replaces this one."""
        self._alarm = time.monotonic() + seconds, function

    def clear_alarm(self) -> None:
        """Cancel the alarm."""
        self._alarm = None

    def end_process(self) -> str:
        """Kill the process, if there is one; returns how it ended, in words."""
        process, self._process = self._process, None
        self._unsent.clear()
        if process is None:
            return ""
        process.kill()
        return process.reap()

    def _live(self, sleeper: Connection) -> None:
        if hasattr(signal, "pthread_sigmask"):
            # Inherited by the process, which may receive Ctrl-C before its first line.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            while self._make_calls():
                self._listen(sleeper)
        finally:
            self.end_process()
            with self._lock:
                assert self._waker is not None
                self._waker.close()
                self._waker = None
            sleeper.close()

    def _make_calls(self) -> bool:
        """Make the requested calls; returns False when the thread must end."""
        while True:
            with self._lock:
                if not self._calls:
                    return not self._closing
                call = self._calls.popleft()
            try:
                call()
            except OSError as error:
                self.end_process()
                self._lost(f"it cannot be started: {error.strerror or error}")

    def _listen(self, sleeper: Connection) -> None:
        """Wait for a call, a message or the end of the process."""
        process = self._process
        awaited: list[Any] = [sleeper] if process is None else [sleeper, process.connection, process.sentinel]
        ready = wait(awaited, None if self._alarm is None else max(0.0, self._alarm[0] - time.monotonic()))
        if self._alarm is not None and time.monotonic() >= self._alarm[0]:
            (_, function), self._alarm = self._alarm, None
            self.call(function)  # with the other calls, which handle a process that cannot be started
        if sleeper in ready:
            with self._lock:
                sleeper.recv_bytes()
                self._woken = False
        if process is None or ready in ([], [sleeper]):
            return
        try:
            # The last messages of a process that has ended are still in the pipe.
            if process.connection not in ready and not process.connection.poll():
                raise EOFError
            message = process.connection.recv()
        except (EOFError, OSError):
            self._process = None
            self._unsent.clear()
            process.kill()
            self._lost(process.reap())
            return
        if message == ("ready",):
            process.ready = True
            unsent, self._unsent = self._unsent, []
            for each in unsent:
                self.send(*each)
        else:
            self._hear(message)
