"""Setup of spawned processes, what they must not inherit from their parent, and whether a process exists."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import ModuleType

from gems_engine.error_log import log_worker_errors

_hiding = threading.Lock()


@contextlib.contextmanager
def main_hidden() -> Iterator[None]:
    """Keep a child from importing the program's main module, which loads Qt or is a script without a guard."""
    with _hiding:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def _began_with_one() -> bool:
    """Whether the initial environment of this process limits BLAS to one thread; known on Linux only."""
    try:
        with open("/proc/self/environ", "rb") as file:
            began = file.read().split(b"\0")
    except OSError:
        return False
    return all(f"{name}=1".encode() in began and os.environ.get(name) == "1" for name in _THREADS)


_one_from_the_start = _began_with_one()


def one_thread_each() -> None:
    """Limit BLAS to one thread here and in child processes; call it before numpy is imported."""
    global _one_from_the_start
    for name in _THREADS:
        os.environ.setdefault(name, "1")
    if "numpy" not in sys.modules:
        _one_from_the_start = all(os.environ[name] == "1" for name in _THREADS)


def one_thread_from_the_start() -> bool:
    """Whether BLAS has had only one thread since the start of this process."""
    return _one_from_the_start


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def step_back() -> None:
    """Lower the priority of this process, for background work."""
    if sys.platform == "win32":
        import ctypes

        below_normal = 0x4000
        ctypes.windll.kernel32.SetPriorityClass(ctypes.windll.kernel32.GetCurrentProcess(), below_normal)
    else:
        with contextlib.suppress(OSError):
            os.nice(10)


def may_exist(process: int) -> bool:
    """Whether there may be a process with this id; on Windows it is not known, because the question would end it."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # of another user
    return True


def begin_worker() -> None:
    """Set up a worker; call it first, before numpy is imported there."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # the parent handles Ctrl-C in the terminal, and then ends this process
    one_thread_each()
    log_worker_errors()


def die_with_parent() -> None:
    """End this process when its parent has ended: otherwise a worker of a pool would wait for work forever.

    A worker holds both ends of its queue, so it sees no end of file when its parent is killed.
    """
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()
