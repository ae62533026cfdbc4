"""One BLAS thread: the matrices are small, threads only cost, and the same bits come out on any number of cores."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_controller: Any = None
_depth = 0


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread for a while; free where it is limited already. Also a decorator."""
    global _controller, _depth
    if _controller is None:
        import scipy.linalg  # noqa: F401 - brings a BLAS of its own, which must be there to be found
        from threadpoolctl import ThreadpoolController

        _controller = ThreadpoolController()
    if _depth:
        yield
        return
    _depth += 1
    try:
        with _controller.limit(limits=1, user_api="blas"):
            yield
    finally:
        _depth -= 1
