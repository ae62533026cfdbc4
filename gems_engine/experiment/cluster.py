"""Workers of a Dask cluster: the same executor interface, on as many machines as its scheduler has."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from importlib import import_module
from typing import Any

from gems_engine.errors import InputError
from gems_engine.experiment.control import Lost
from gems_engine.experiment.trials import made_by, sentence

_PATIENCE = 10.0
"""Seconds for which a scheduler may not answer."""
_ASK = 2.0
"""Seconds after which the size of the cluster is asked for again: workers come and go."""
_LEAST_AHEAD = 8
_CLOSING = 2.0
"""Seconds for which to wait that a scheduler takes its leave: one that is gone never does."""
_CHATTY = ("distributed", "asyncio", "tornado")
"""Those who log tracebacks of a cluster that is gone, beside the one sentence that says it."""


class ClusterExecutor(Executor):
    """The workers of a Dask scheduler.

    The scheduler itself begins a trial again whose worker dies. Trials that a worker has begun are run to their end
    there, also when nobody wants their rows any more.

    Parameters
    ----------
    address : str
        Of the scheduler, as in ``tcp://10.0.0.1:8786``.
    """

    def __init__(self, address: str) -> None:
        try:
            client: Any = import_module("distributed").Client  # ships few types
        except ImportError as error:
            raise InputError(
                'A cluster needs dask.distributed, which is not installed: pip install "gems-lab[cluster]".'
            ) from error
        _silence_loggers()
        # Made, and then begun: one that finds no scheduler can be closed here, and not when it happens to be collected,
        # where it would wait for twice its patience and print a traceback.
        self._client: Any = client.__new__(client)
        try:
            self._client.__init__(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            self.shutdown(wait=False)
            why = f"{error}".splitlines()[0] if f"{error}" else type(error).__name__
            raise InputError(f"--scheduler {address}: no Dask scheduler answers there ({why}).") from error
        self._address = address
        self._threads, self._asked = 0, float("-inf")
        try:
            self.made_by: dict[str, str] = self._client.run(made_by)
        except Exception as error:
            self.shutdown(wait=False)
            raise InputError(
                f"--scheduler {address}: its workers cannot run trials; is gems-lab installed there? "
                f"({type(error).__name__}: {error})"
            ) from error

    @property
    def threads(self) -> int:
        """Of all workers together."""
        if time.monotonic() - self._asked > _ASK:
            try:
                self._threads = sum(self._client.nthreads().values())
            except Exception as error:
                raise Lost(f"The Dask scheduler {self._address} is gone.") from error
            self._asked = time.monotonic()
        return self._threads

    @property
    def ahead(self) -> int:
        """Trials that it should have at a time: every thread one, and the next."""
        return max(_LEAST_AHEAD, 2 * self.threads)

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Hand work to the scheduler.

        Dask's own executor does the same, but its futures never end when the scheduler is gone.
        """
        try:
            theirs = self._client.submit(work, *arguments, pure=False, **named)
        except Exception as error:
            raise Lost(f"The Dask scheduler {self._address} is gone.") from error
        ours: Future[Any] = Future()
        ours.add_done_callback(lambda _: theirs.cancel() if ours.cancelled() else None)
        theirs.add_done_callback(lambda _: _hand_over(theirs, ours))
        return ours

    def kill(self) -> None:
        """Leave the cluster; what its workers have begun ends there, unheard."""
        self.shutdown(wait=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster; it stays."""
        with suppress(Exception):  # nobody is there any more to take leave of
            self._client.close(_CLOSING)
        self._client.status = "closed"  # or its collector would try again


def _silence_loggers() -> None:
    """Let nobody log tracebacks, who has a level of his own."""
    for name in {*_CHATTY, *logging.Logger.manager.loggerDict}:
        if name.partition(".")[0] in _CHATTY:
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _hand_over(theirs: Any, ours: Future[Any]) -> None:
    """Give the end of Dask's future to ours; called in a thread of the client."""
    if theirs.status in ("cancelled", "lost"):
        ours.cancel()
    if not ours.set_running_or_notify_cancel():
        return
    erred = theirs.status == "error"  # then what follows is the work's own end, or that of the workers that it killed
    try:
        ours.set_result(theirs.result())
    except BaseException as error:
        if erred:
            ours.set_exception(error)
        else:  # it was done, and on the way here it was lost
            lost = Lost(f"The Dask cluster is gone: {sentence(error)}.")
            lost.__cause__ = error
            ours.set_exception(lost)
    finally:
        theirs.release()  # at once: a cluster keeps, and a dying worker computes again, what somebody may still ask for


def cluster_executor(address: str) -> ClusterExecutor:
    """The workers of the Dask scheduler at this address."""
    return ClusterExecutor(address)
