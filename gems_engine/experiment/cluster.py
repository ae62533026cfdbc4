"""Workers of a Dask cluster, with the same executor interface."""

from __future__ import annotations

import logging
import ssl
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from gems_engine.errors import InputError
from gems_engine.experiment.control import Lost
from gems_engine.experiment.trials import made_by, sentence
from gems_engine.terminal import plural

_PATIENCE = 10.0
"""Seconds to wait for a scheduler."""
_ASK = 2.0
"""Seconds between two queries of the size of the cluster, which may change."""
_LEAST_AHEAD = 8
_CLOSING = 2.0
"""Seconds to wait for a scheduler to close the connection; a lost one never does."""
_CHATTY = ("distributed", "asyncio", "tornado")
"""Loggers that would print tracebacks for a lost cluster, in addition to our message."""


@dataclass(frozen=True)
class Tls:
    """The files of an encrypted connection, as Dask takes them.

    Attributes
    ----------
    ca
        The certificate of the authority that signed those of the cluster.
    cert, key
        Our certificate, and its private key, None if the same file has it.
    """

    ca: str
    cert: str
    key: str | None = None

    def security(self, distributed: Any) -> Any:
        """Dask's settings, which refuse a connection without encryption."""
        for option, file in (("--tls-ca", self.ca), ("--tls-cert", self.cert), ("--tls-key", self.key)):
            if file is not None and not Path(file).is_file():
                raise InputError(f"{option} {file}: there is no such file.")
        try:
            ssl.create_default_context(cafile=self.ca).load_cert_chain(self.cert, self.key)
        except OSError as error:
            raise InputError(f"--tls-ca, --tls-cert or --tls-key: no certificate and its key ({error}).") from error
        return distributed.Security(
            tls_ca_file=self.ca, tls_client_cert=self.cert, tls_client_key=self.key, require_encryption=True
        )


class ClusterExecutor(Executor):
    """The workers of a Dask scheduler, which is trusted: it can run code in this process.

    The scheduler itself restarts a trial whose worker dies. Trials that a worker has started run to their end there,
    even if their rows are no longer needed.

    Parameters
    ----------
    client : distributed.Client
        A connected client.
    address : str
        The address of its scheduler, for messages.
    tell : callable, optional
        Takes a sentence when the cluster has no workers, and when it has some again.
    lent : bool
        Whether the client stays connected at the end, because the caller connected it.
    """

    def __init__(
        self, client: Any, address: str, tell: Callable[[str], None] | None = None, lent: bool = False
    ) -> None:
        self._client, self._address, self._tell, self._lent = client, address, tell, lent
        self._threads, self._asked = -1, float("-inf")
        try:
            self.made_by: dict[str, str] = client.run(made_by)
        except Exception as error:
            self.shutdown(wait=False)
            raise InputError(
                f"--scheduler {address}: its workers cannot run trials. Is gems-lab installed there? "
                f"({type(error).__name__}: {error})"
            ) from error

    @property
    def threads(self) -> int:
        """The number of threads of all workers."""
        if time.monotonic() - self._asked > _ASK:
            before = self._threads
            try:
                self._threads = sum(self._client.nthreads().values())
            except Exception as error:
                raise Lost(f"The connection to the Dask scheduler {self._address} is lost.") from error
            self._asked = time.monotonic()
            self._tell_change(before)
        return self._threads

    def _tell_change(self, before: int) -> None:
        if self._tell is None or ((before > 0) == (self._threads > 0) and before >= 0):
            return
        if not self._threads:
            self._tell(f"The scheduler {self._address} has no workers. Trials start when it has.")
        elif before == 0:
            self._tell(f"The scheduler {self._address} has {plural(self._threads, 'worker thread')}.")

    @property
    def ahead(self) -> int:
        """The number of trials to submit at a time: two per thread."""
        return max(_LEAST_AHEAD, 2 * self.threads)

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Submit work to the scheduler.

        Dask's own executor does the same, but its futures never end if the scheduler is lost.
        """
        try:
            theirs = self._client.submit(work, *arguments, pure=False, **named)
        except Exception as error:
            raise Lost(f"The connection to the Dask scheduler {self._address} is lost.") from error
        ours: Future[Any] = Future()
        ours.add_done_callback(lambda _: theirs.cancel() if ours.cancelled() and not theirs.done() else None)
        # On the client's event loop: fetching from a worker that has just died takes Dask 30 seconds, during which
        # other results must go on.
        self._client.loop.add_callback(_hand_over, self._client, theirs, ours)
        return ours

    def kill(self) -> None:
        """Disconnect from the cluster; trials under way finish there, and their results are dropped."""
        self.shutdown(wait=False)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the cluster, which keeps running."""
        if not self._lent:
            _disconnect(self._client)


def _silence_loggers() -> None:
    """Silence the loggers that would print tracebacks."""
    for name in {*_CHATTY, *logging.Logger.manager.loggerDict}:
        if name.partition(".")[0] in _CHATTY:
            logging.getLogger(name).setLevel(logging.CRITICAL)


async def _hand_over(client: Any, theirs: Any, ours: Future[Any]) -> None:
    """Copy the result of Dask's future to ours once it is done."""
    error = result = None
    try:
        result = await client.gather(theirs, asynchronous=True)
    except BaseException as raised:
        error = raised
    if error is not None and theirs.status in ("cancelled", "lost"):
        ours.cancel()
    if not ours.set_running_or_notify_cancel():
        return
    if error is None:
        ours.set_result(result)
    elif theirs.status == "error":  # the error of the work, or of workers that it killed
        ours.set_exception(error)
    else:  # it was done, but its result was lost
        lost = Lost(f"The Dask cluster is lost: {sentence(error)}.")
        lost.__cause__ = error
        ours.set_exception(lost)
    theirs.release()  # now: a cluster keeps and may recompute results that are still referenced


def cluster_executor(
    address: str, tls: Tls | None = None, tell: Callable[[str], None] | None = None
) -> ClusterExecutor:
    """Connect to the Dask scheduler at an address, such as ``tcp://10.0.0.1:8786``.

    Parameters
    ----------
    address
        The address.
    tls
        The files of an encrypted connection.
    tell
        Takes a sentence when the cluster has no workers, and when it has some again.

    Returns
    -------
    ClusterExecutor
        An executor for :func:`run_trials`; use it as a context manager.
    """
    try:
        distributed: Any = import_module("distributed")  # ships few types
    except ImportError as error:
        raise InputError(
            'A cluster needs dask.distributed, which is not installed. Run: pip install "gems-lab[cluster]"'
        ) from error
    _silence_loggers()
    more = {} if tls is None else {"security": tls.security(distributed)}
    # Created and then started separately: a client without a scheduler can be closed here, instead of at garbage
    # collection, where it would wait for twice its timeout and print a traceback.
    client = distributed.Client.__new__(distributed.Client)
    try:
        client.__init__(address, timeout=_PATIENCE, set_as_default=False, **more)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        _disconnect(client)
        why = f"{error}".splitlines()[0] if f"{error}" else type(error).__name__
        raise InputError(f"--scheduler {address}: no Dask scheduler responds at this address ({why}).") from error
    return ClusterExecutor(client, address, tell)


def client_executor(client: Any) -> ClusterExecutor:
    """The workers of a Dask client that the caller has connected, and that stays connected."""
    if client.asynchronous:
        raise InputError("The Dask client is asynchronous. Connect one without asynchronous=True.")
    return ClusterExecutor(client, client.scheduler.address, lent=True)


def is_client(executor: object) -> bool:
    """Whether an object is a Dask client; imports nothing."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(executor, distributed.Client)


def _disconnect(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be lost
        client.close(_CLOSING)
    client.status = "closed"  # otherwise garbage collection would try again
