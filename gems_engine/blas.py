"""One BLAS thread: for small matrices threads only cost time, and results are equal on any number of cores."""

from contextlib import ContextDecorator
from threading import Lock
from typing import Any

from gems_engine import clock
from gems_engine.processes import one_thread_from_the_start


class _OneThread(ContextDecorator):
    """The limit for the process: set on the first entry, lifted on the last exit."""

    def __init__(self) -> None:
        self._lock = Lock()  # BLAS is shared by all threads of the process
        self._controller: Any = None
        self._limit: Any = None
        self._inside = 0

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = self._taken()
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()

    def _taken(self) -> Any:
        """The limit, or None if the process has one thread anyway."""
        if one_thread_from_the_start():
            return None
        if self._controller is None:
            clock.load("gems_engine.lapack")  # has its own BLAS, which must be loaded to be found
            self._controller = clock.load("threadpoolctl").ThreadpoolController()
        return self._controller.limit(limits=1, user_api="blas")


_GUARD = _OneThread()


def one_blas_thread() -> _OneThread:
    """A context manager and decorator that limits BLAS to one thread; nesting it costs almost nothing."""
    return _GUARD
