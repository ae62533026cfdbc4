"""One BLAS thread: the matrices are small, threads only cost, and the same bits come out on any number of cores."""

from contextlib import ContextDecorator
from threading import Lock
from typing import Any

from gems_engine import clock
from gems_engine.processes import one_thread_from_the_start


class _OneThread(ContextDecorator):
    """The guard of the process: the first who comes in takes the limit, the last who leaves gives it back."""

    def __init__(self) -> None:
        self._lock = Lock()  # BLAS is one for the whole process, from whichever thread it is called
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
        """The limit, or None where the process has one thread anyway."""
        if one_thread_from_the_start():
            return None
        if self._controller is None:
            clock.load("gems_engine.lapack")  # brings a BLAS of its own, which must be there to be found
            self._controller = clock.load("threadpoolctl").ThreadpoolController()
        return self._controller.limit(limits=1, user_api="blas")


_GUARD = _OneThread()


def one_blas_thread() -> _OneThread:
    """Limit BLAS to one thread while inside; a call within another costs next to nothing. Also a decorator."""
    return _GUARD
