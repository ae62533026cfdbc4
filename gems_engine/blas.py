"""One BLAS thread: the matrices are small, threads only cost, and the same bits come out on any number of cores."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()  # BLAS is one for the whole process, whoever calls us from which thread
_controller: Any = None
_limit: Any = None
_inside = 0


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread while anybody is in here; almost free where somebody is already. Also a decorator."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _controller, _limit, _inside
    with _lock:
        if _inside == 0:
            if _controller is None:
                import scipy.linalg  # noqa: F401 - brings a BLAS of its own, which must be there to be found
                from threadpoolctl import ThreadpoolController

                _controller = ThreadpoolController()
            _limit = _controller.limit(limits=1, user_api="blas")
        _inside += 1


def _leave() -> None:
    global _inside
    with _lock:
        _inside -= 1
        if _inside == 0:
            _limit.restore_original_limits()
