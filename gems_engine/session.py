"""Ask and tell: an algorithm whose rewards come from a real experiment."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gems_engine.arrays import Floats, Integers, frozen
from gems_engine.blas import one_blas_thread
from gems_engine.errors import InputError
from gems_engine.events import OUTSIDE, Allocated, RunStarted
from gems_engine.files import PathLike, read_run, write_run
from gems_engine.files.names import as_path, named
from gems_engine.instance import Instance
from gems_engine.observations import Observed, Pending, observed_of, sums_of
from gems_engine.parameters import shown
from gems_engine.plugins import in_words
from gems_engine.running import Run, versions
from gems_engine.trace import Trace
from gems_engine.verification import is_alike, repeated
from gems_engine.wording import describe, ordinal

LOST, REPEAT = "lost", "repeat"
"""What becomes of the rewards that are missing in a batch."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Pulls requested by an algorithm: arm `arms[j]` is pulled `counts[j]` times."""

    arms: Integers
    counts: Integers


class Session:
    """Ask and tell: drive a real experiment with GEMS.

    ``next_batch()`` returns which arms to pull how often; ``observe(sums)`` takes the sums of the rewards. The instance
    does not need true rewards for this. ``save(path)`` writes the session to a file, and ``Session.open(path)``
    continues it. A session can also be copied and pickled; a copy has its own trace.

    Parameters
    ----------
    instance, algorithm, seed, parameters
        As for a :class:`~gems_engine.running.Run`; the seed affects only the algorithm's random choices.

    Attributes
    ----------
    trace : Trace
        The events so far.

    Examples
    --------
    >>> import numpy as np
    >>> from gems_engine import Instance, Session
    >>> features = Instance.from_features([[1.0, 0.2], [0.4, 0.9], [0.3, 0.5]])
    >>> session = Session(features, "gems-c", rounds=4, selection_budget=200.0)
    >>> means = np.array([0.7, 0.1, 0.4])  # what you would measure
    >>> while (batch := session.next_batch()) is not None:
    ...     session.observe(batch.counts * means[batch.arms])
    >>> session.trace.finished.survivors.tolist()
    [0]
    """

    def __init__(
        self, instance: Instance, algorithm: str = "fixed-confidence", seed: int = 0, **parameters: Any
    ) -> None:
        self._continue(Run(instance, algorithm, seed, self._observed, **parameters))

    def _continue(self, run: Run) -> None:
        self._run = run
        self.trace = run.trace
        self._batch = self._remaining()

    @property
    def recommendation(self) -> int | None:
        """The current recommendation; None in a single call before its end, and always for GEMS-c."""
        return self.trace.state_at(len(self.trace)).recommendation

    @property
    def finished(self) -> bool:
        """Whether the algorithm has ended."""
        return self.trace.finished is not None

    def __repr__(self) -> str:
        from gems_engine.notebook import session_state

        run = self._run
        where = run.instance.name or "an unnamed instance"
        return f"<Session {run.algorithm.name} on {where}, seed {run.seed}: {session_state(self)}>"

    def _repr_html_(self) -> str:
        from gems_engine.notebook import session_html

        return session_html(self)

    # -- ask and tell -----------------------------------------------------------------------------------------

    def next_batch(self) -> Batch | None:
        """The next pulls, the same until they are observed; None at the end."""
        while self._batch is None and not self.finished:
            event = next(self._run)
            if isinstance(event, Allocated) and not event.lost:
                self.trace.pending = Pending.nothing(len(event.arms))
                self._batch = self._remaining()
        return self._batch

    def _remaining(self) -> Batch | None:
        """The pulls that are still to be observed."""
        if self.trace.pending is None or self.trace.pending.complete:
            return None
        missing = self._asked.counts - self.trace.pending.counts
        return Batch(self._asked.arms[missing > 0], missing[missing > 0])

    @property
    def _asked(self) -> Allocated:
        """The last request, of which something may be observed."""
        last = self.trace[-1]
        assert isinstance(last, Allocated)
        return last

    def observe(
        self,
        sums: ArrayLike | Mapping[int, float],
        counts: ArrayLike | Mapping[int, int] | None = None,
        missing: str = LOST,
    ) -> None:
        """Take the rewards of the last batch.

        Parameters
        ----------
        sums
            The sum of the rewards of each arm: one number per arm in the order of the batch, or a mapping from arm to
            sum.
        counts
            The number of rewards in each sum if some are missing, in the same form.
        missing : {"lost", "repeat"}
            What becomes of those that are missing. If they are lost for good, the estimate and the widths of the round
            are those of the rewards that were observed. If they are repeated, the next batch has them, until all are
            observed.

        Raises
        ------
        InputError
            For anything else, and for lost rewards without which the estimate is not determined, or which the algorithm
            needs for its guarantee (GEMS-m and validations); it names the arms. The batch can then be observed again.
        """
        batch, pending = self._batch, self.trace.pending
        if batch is None or pending is None:
            raise InputError("There is nothing to observe. Call next_batch() first.")
        if missing not in (LOST, REPEAT):
            raise InputError(f'missing = {shown(missing)} is not allowed: it must be "{LOST}" or "{REPEAT}".')
        found, drawn = self._checked(sums, counts, batch)
        asked = self._asked
        left = asked.counts > pending.counts
        all_sums, all_counts = pending.sums.copy(), pending.counts.copy()
        with np.errstate(over="ignore"):
            all_sums[left] = sums_of(all_sums[left] + found, batch.arms)  # large sums may overflow together
        all_counts[left] += drawn
        complete = bool((all_counts == asked.counts).all())
        if not complete and missing == LOST:
            self._run.lose(all_counts)
            complete = True
        self.trace.pending = Pending(frozen(all_sums), frozen(all_counts, np.int64), complete)
        self._batch = self._remaining()

    @staticmethod
    def _checked(sums: Any, counts: Any, batch: Batch) -> tuple[Floats, Integers]:
        if counts is None:
            return sums_of(sums, batch.arms), batch.counts
        return observed_of(sums, counts, batch.arms, batch.counts)

    def _observed(self, arms: Integers, counts: Integers) -> ArrayLike | Observed:
        pending = self.trace.pending
        assert pending is not None
        return Observed(pending.sums, pending.counts)

    # -- files and copies -------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Save as a .gems file, atomically: the events, the batch that is not observed, and what is observed of it.

        The window opens the file like that of any run.
        """
        if not len(self.trace):
            next(self._run)  # the first event has the algorithm and its parameters
        write_run(path, self.trace)

    @classmethod
    def open(cls, path: PathLike) -> Session:
        """Continue the session in a .gems file.

        The algorithm runs again with the recorded rewards, and must come to the same events.

        Raises
        ------
        InputError
            One sentence that names the file, if it is not that of a session, is damaged, or if this version of the
            program comes to other events.
        """
        trace = read_run(path)
        with named(as_path(path)):
            if trace.notes:
                raise InputError(f"Its session cannot be continued. {trace.notes[0]}")
            return _restored(cls, trace)

    def __copy__(self) -> Session:
        """An independent session."""
        if len(self.trace):
            return _restored(type(self), copy(self.trace))
        return _new(type(self), self._run.request)

    def __deepcopy__(self, memo: dict[int, Any]) -> Session:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        if len(self.trace):
            return _restored, (type(self), self.trace)
        return _new, (type(self), self._run.request)


def _new(kind: type[Session], request: dict[str, Any]) -> Session:
    """A session that has not begun."""
    return kind(**request)


def _restored(kind: type[Session], trace: Trace) -> Session:
    """The session of a trace, which it continues."""
    started = trace.started
    if started is None:
        raise InputError("The run has no events, so there is no session to continue.")
    if started.rewards != OUTSIDE:
        raise InputError("The run was simulated, so there is no session to continue. Branch from it instead.")
    run = repeated(trace, started)
    if trace.finished is None:
        with one_blas_thread():
            _repeat(run, trace, started)
    session = kind.__new__(kind)
    run.continue_with(session._observed, trace)
    session._continue(run)
    return session


def _repeat(run: Run, trace: Trace, started: RunStarted) -> None:
    """Run again; raise InputError at the first event that differs in more than rounding."""
    for position, old in enumerate(trace):
        try:
            new = next(run, None)
        except Exception as error:  # the algorithm of another package may raise anything
            raise _refusal(started, f"at event {ordinal(position)} it ends with an error: {in_words(error)}") from error
        if not is_alike(old, new):
            now = "it ends" if new is None else f"{new.kind}: {describe(new, trace.instance)}"
            recorded = f"{old.kind}: {describe(old, trace.instance)}"
            raise _refusal(started, f"event {ordinal(position)} differs. Recorded: {recorded}; now: {now}.")


def _refusal(started: RunStarted, what: str) -> InputError:
    now = versions()
    others = [name for name, version in started.versions.items() if now.get(name, version) != version]
    made = " and ".join(f"{name} {started.versions[name]} (now {now[name]})" for name in others)
    by = f"It was recorded with {made}." if others else "The versions are the same; an algorithm or a file may differ."
    return InputError(f"The session cannot be continued: run again with its rewards, {what} {by}")
