"""Branches: the same run up to an event, then continued with something forced.

The shared events are computed again from the seed and compared with the recorded ones, so that a branch always
continues what really happened. A branch with nothing forced equals its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gems_engine.algorithms import algorithm_named, algorithm_title, subroutine_title
from gems_engine.errors import InputError
from gems_engine.events import OUTSIDE, Event, RunStarted, SubroutineStarted
from gems_engine.forcing import Forced, Fork, fork_text, forks_of
from gems_engine.formats import journal
from gems_engine.formats.event_rules import Sizes
from gems_engine.instance import Instance
from gems_engine.parameters import Value, check_all
from gems_engine.running import Run, is_older
from gems_engine.trace import Trace
from gems_engine.verification import is_alike
from gems_engine.wording import describe, ordinal


class Branch(Run):
    """A run that shares its first events with another one; iterate over it like any run.

    Parameters
    ----------
    parent : Trace
        A recorded run, finished or not, which may be a branch itself.
    cursor : int
        The number of events they share. What is forced takes effect with the first decision after them: if the cursor
        is within the search for a round's dimension, that search starts again.
    forced : Forced
        What is forced. Values equal to the parent's are dropped; what the parent forced at the cursor or later is
        dropped too, unless nothing is forced at all.
    stop
        As for a run.

    Raises
    ------
    InputError
        If there is nothing to branch from, or what is forced can have no effect in this run; while iterating, if the
        shared events cannot be reproduced.
    """

    def __init__(
        self, parent: Trace, cursor: int, forced: Forced | None = None, stop: Callable[[], bool] | None = None
    ) -> None:
        started = _branchable(parent, cursor)
        cursor = max(cursor, 1)
        past = forks_of(started.forced, parent.instance.D)
        forced = _changes(started, [fork for fork in past if fork.cursor < cursor], forced or Forced())
        if forced:
            _check_effect(parent, forced)
            past = (*(fork for fork in past if fork.cursor < cursor), Fork(cursor, forced))
        super().__init__(
            parent.instance,
            started.algorithm,
            started.seed,
            stop=stop,
            forks=past,
            older=is_older(parent),
            **started.parameters,
        )
        self.request = {"parent": parent, "cursor": cursor, "forced": forced}
        self.cursor = cursor
        self._parent = parent
        self._shared = replace(started, forced=fork_text(past))
        self._made = 0

    def __next__(self) -> Event:
        event = super().__next__()
        if self._made < self.cursor:
            recorded = self._parent[self._made] if self._made else self._shared
            if not is_alike(recorded, event):
                raise InputError(
                    f"Cannot branch from this run: run again from its seed, event {ordinal(self._made)} differs. "
                    f"Recorded: {recorded.kind}: {describe(recorded, self.instance)}; now: {event.kind}: "
                    f"{describe(event, self.instance)}."
                )
        self._made += 1
        return event


@dataclass(frozen=True, eq=False)
class BranchRequest:
    """A branch to be run in another process: ``BranchRequest.of(trace, cursor, forced)`` here, ``run()`` there.

    Attributes
    ----------
    instance, algorithm, seed, parameters
        Those in the parent's ``RunStarted``.
    cursor, forced
        As for a :class:`Branch`.
    prefix
        The parent's events up to the cursor, as records of a journal.
    """

    instance: Instance
    algorithm: str
    seed: int
    parameters: dict[str, object]
    cursor: int
    forced: Forced
    prefix: tuple[bytes, ...]

    @staticmethod
    def of(parent: Trace, cursor: int, forced: Forced | None = None) -> BranchRequest:
        """The request for a branch; raises InputError if the branch would."""
        run = Branch(parent, cursor, forced)
        started = parent.started
        assert started is not None
        records, count = [], 0
        for record, events in parent.records_from(0):
            if count >= run.cursor:
                break
            records.append(record)
            count += events
        given = dict(started.parameters)
        return BranchRequest(
            parent.instance, started.algorithm, started.seed, given, run.cursor, forced or Forced(), tuple(records)
        )

    def run(self, stop: Callable[[], bool] | None = None) -> Branch:
        """The branch, ready to iterate over."""
        parent = Trace(self.instance)
        sizes = Sizes.of(self.instance)
        for record in self.prefix:
            parent.extend_with_record(record, journal.batch_of(record, sizes))
        return Branch(parent, self.cursor, self.forced, stop)

    def __str__(self) -> str:
        title = algorithm_title(self.algorithm)
        return f"{title} on {self.instance.name}, seed {self.seed}; {Fork(self.cursor, self.forced)}"


def _branchable(parent: Trace, cursor: int) -> RunStarted:
    started = parent.started
    if started is None:
        raise InputError("The run has not started, so there is nothing to branch from.")
    if started.rewards == OUTSIDE:
        raise InputError(
            "Cannot branch from this run: its rewards came from outside, so a branch cannot draw new ones."
        )
    last = len(parent) - (parent.finished is not None)
    if not 0 <= cursor <= last:
        raise InputError(f"Cannot branch at event {cursor}: choose one from 0 to {last}, before the end of the run.")
    return started


def in_force(parent: Trace, cursor: int) -> dict[str, Value]:
    """The seed, solver and tolerance of a run at a cursor: those of a branch from there unless forced."""
    started = _branchable(parent, cursor)
    past = forks_of(started.forced, parent.instance.D)
    return _now(started, [fork for fork in past if fork.cursor < max(cursor, 1)])


def _now(started: RunStarted, past: Sequence[Fork]) -> dict[str, Value]:
    given = check_all(algorithm_named(started.algorithm).parameters, started.parameters)  # a file may lack some
    now = {"seed": started.seed, "solver": given["solver"], "tolerance": given["tolerance"]}
    for fork in past:
        now |= {name: value for name, value in fork.forced.words().items() if name in now}
    return now


def _changes(started: RunStarted, past: Sequence[Fork], forced: Forced) -> Forced:
    """The forced values that differ from those in force."""
    now = _now(started, past)
    kept = {name: value for name, value in forced.words().items() if name not in now or now[name] != value}
    return Forced(**kept)  # type: ignore[arg-type]


def _check_effect(parent: Trace, forced: Forced) -> None:
    """Raise InputError if what is forced can have no effect in this run, as far as its events show."""
    starts = parent.positions(SubroutineStarted)
    if not len(starts):
        if parent.finished is not None and (forced.dimension is not None or forced.selection_budget is not None):
            title = algorithm_title(parent.state_at(1).algorithm)
            raise InputError(f"{title} has no rounds, so neither d nor B can be forced.")
        return
    first = parent[int(starts[0])]
    assert isinstance(first, SubroutineStarted)
    if forced.selection_budget is not None and first.selection_budget == float("inf"):
        title = subroutine_title(first.name)
        raise InputError(f"{title} chooses no dimension, so B cannot be forced. Force d instead.")
