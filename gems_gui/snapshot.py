"""The input of a view: a run, a position in it, and the user's selection; does not import Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from gems_engine.events import CAP, SINGLE_CALLS, Place, RunStarted, SubroutineFinished, SubroutineStarted
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.problems import Problems
from gems_engine.state import State, with_call
from gems_engine.trace import Trace
from gems_engine.wording import ONE_CALL, ORACLES

if TYPE_CHECKING:
    from gems_engine.experiment.replicates import Replicates
    from gems_engine.experiment.seed_trials import SeedTrials
    from gems_gui.design_study import Study

ARM = "arm"
TARGET = "target"
PLACE = "place"
"""What a user may select in a view: an arm, a target, or a position in the run."""


@dataclass(frozen=True, eq=False)
class Selection:
    """The arm and the target that are marked in every view; a story may mark a dimension.

    A target that is an arm is selected with it, and vice versa; in a transductive instance, there may be only one.
    """

    arm: int | None = None
    target: int | None = None
    dimension: int | None = None

    @property
    def any(self) -> bool:
        """Whether anything is marked."""
        return any(each is not None for each in (self.arm, self.target, self.dimension))

    @classmethod
    def of_arm(cls, instance: Instance, arm: int | None) -> Selection:
        """An arm, with the first target that equals it."""
        if arm is None:
            return cls()
        places = instance.target_arms
        same = [] if places is None else [target for target, place in enumerate(places) if place == arm]
        return cls(arm, same[0] if same else None)

    @classmethod
    def of_target(cls, instance: Instance, target: int | None) -> Selection:
        """A target, with the arm that it is."""
        if target is None:
            return cls()
        places = instance.target_arms
        return cls(None if places is None else int(places[target]), target)

    @classmethod
    def as_far_as(cls, instance: Instance, arm: int | None, target: int | None, dimension: int | None) -> Selection:
        """A given selection, without indices that the instance does not have."""
        limits = (len(instance.arms), len(instance.targets), instance.D + 1)
        wanted = zip((arm, target, dimension), limits, strict=True)
        return cls(*(None if at is None or at >= end else at for at, end in wanted))


NOTHING = Selection()


@dataclass(frozen=True, eq=False)
class ComparedRun:
    """A run in a comparison.

    Attributes
    ----------
    trace, history
        Its recorded events and its rounds.
    color
        Its number among the runs, which gives it a colour.
    """

    trace: Trace
    history: History
    color: int = 0


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything on screen is a function of this.

    Nothing after the cursor may enter a view: a snapshot of a live run looks the same when the run is replayed.

    Attributes
    ----------
    history
        The rounds of the trace; it may contain more than is shown at the cursor.
    state
        The state at the cursor.
    selection
        The user's selection.
    truth
        Whether d⋆, the best arm and what follows from them may be shown; never if the instance has no rewards.
    stale
        Whether the form has requested another run that is not available yet.
    problems
        The problems of the trace found so far; like the history, they may extend beyond the cursor. If not given, none
        are found yet.
    study
        The study of the design debugger; None: the design of the round at the cursor.
    compared
        The compared runs, including this one; empty if there are no others.
    replicates
        More seeds of this run, as far as they are finished; they are not part of the run and have no cursor.
    clock
        The number of samples at which the compared runs are shown, in a race; None: that of the state.
    seeds
        More seeds of all runs of a race, as far as they are finished.
    completed
        At the end of a run whose last call was cut off: the row of the last completed call, which the state is about;
        −1 at every other cursor. See :func:`at_rest`.
    """

    trace: Trace
    history: History
    state: State
    selection: Selection = NOTHING
    truth: bool = True
    stale: bool = False
    problems: Problems = cast(Problems, None)  # noqa: RUF009 - a constant
    study: Study | None = None
    compared: tuple[ComparedRun, ...] = ()
    replicates: Replicates | None = None
    clock: int | None = None
    seeds: SeedTrials | None = None
    completed: int = -1

    def __post_init__(self) -> None:
        if self.problems is None:
            object.__setattr__(self, "problems", Problems(self.trace))
        if not self.trace.instance.has_rewards:
            object.__setattr__(self, "truth", False)

    @classmethod
    def of(cls, trace: Trace, cursor: int | None = None, selection: Selection = NOTHING) -> Snapshot:
        """A snapshot of a recorded run; its end if no cursor is given."""
        history = History(trace)
        history.update()
        return cls(trace, history, trace.state_at(len(trace) if cursor is None else cursor), selection)

    def with_runs(self, snapshots: Sequence[Snapshot], colors: Sequence[int] = ()) -> Snapshot:
        """The same snapshot with other runs, given by any snapshot of each; without colours, they are counted."""
        given = colors if len(colors) == len(snapshots) else range(len(snapshots))
        runs = [ComparedRun(each.trace, each.history, color) for color, each in zip(given, snapshots, strict=True)]
        return replace(self, compared=tuple(sorted(runs, key=lambda each: each.trace is not self.trace)))

    @property
    def instance(self) -> Instance:
        """The instance of the run."""
        return self.trace.instance

    @property
    def judges(self) -> bool:
        """Whether recommendations may be judged: the truth is shown, and the rewards are those of the instance."""
        return self.truth and self.state.graded

    @property
    def hides(self) -> bool:
        """Whether the user has hidden the truth; that of an instance without rewards is unknown, not hidden."""
        return self.trace.instance.has_rewards and not self.truth

    @property
    def keeps_d(self) -> bool:
        """Whether the run's dimension must not be shown: that of an oracle is d⋆, and the truth is hidden."""
        return not self.truth and self.algorithm in ORACLES

    @property
    def started(self) -> RunStarted | None:
        """The settings of the run, available from cursor 0 on, before the first event."""
        return self.state.started or self.trace.started

    @property
    def algorithm(self) -> str:
        """Name of the algorithm; empty while the run has no event at all."""
        return self.started.algorithm if self.started else ""

    @property
    def call(self) -> SubroutineStarted | None:
        """The subroutine at the cursor; before the only one of a run, its settings from the run's parameters."""
        asked = self.started
        if self.state.subroutine is not None or asked is None or asked.algorithm not in SINGLE_CALLS:
            return self.state.subroutine
        n, B, delta, T = (asked.parameters.get(name) for name in ("rounds", "selection_budget", "delta", "budget"))
        if n is None or B is None:  # algorithms of other packages may use other names
            return None
        return SubroutineStarted(Place(1, 1), asked.algorithm, int(n), float(B), float(delta or 0), float(T or 0))

    @property
    def selection_budget(self) -> float:
        """B that the round chose d_k by, or would choose it by; ∞ if there is none."""
        if self.state.subroutine is not None or self.call is None:
            return self.state.selection_budget
        return self.call.selection_budget

    @property
    def call_row(self) -> int:
        """The row of the call that is shown, in the history: that at the cursor, or the last completed one."""
        return self.completed if self.completed >= 0 else self.history.subroutine_at(self.cursor)

    @property
    def call_end(self) -> int:
        """The cursor up to which the call that is shown is shown."""
        return int(self.history.subroutines.event[self.completed + 1]) if self.completed >= 0 else self.cursor

    @property
    def cut_row(self) -> int:
        """The row of the call that the sample cap cut off, if another one is shown; otherwise −1."""
        return self.history.subroutine_at(self.cursor) if self.completed >= 0 else -1

    @property
    def waits(self) -> bool:
        """Whether the subroutine at the cursor, or the first one of the run, has not started its first round."""
        state = self.state
        begun = state.place.k or state.round_place.k or state.allocation is not None or state.validated is not None
        return not (begun or state.subroutine_finished is not None or state.finished is not None)

    @property
    def one_call(self) -> bool:
        """Whether the run is a single call of a subroutine, so that rounds are numbered by k only."""
        return self.algorithm in ONE_CALL

    @property
    def cursor(self) -> int:
        """The number of events shown."""
        return self.state.cursor


_AT_END: WeakKeyDictionary[Trace, State] = WeakKeyDictionary()
"""The states before the calls that the cap cut off."""


def at_rest(snapshot: Snapshot) -> Snapshot:
    """What to show at a cursor: at the end of a run whose last call the cap cut off, the last completed call.

    A call that was cut off says little: it may have just started, with all arms. Of the completed calls it is the last
    one that had a round, because where no dimension fits there is nothing to see. At every other cursor, and if no call
    was completed, the snapshot itself.
    """
    end, history = snapshot.state.finished, snapshot.history
    if end is None or end.why != CAP:
        return snapshot
    cut = history.subroutine_at(snapshot.cursor)
    last = int(history.subroutines.finished[cut]) if cut >= 0 else -1
    event = snapshot.trace[last] if last >= 0 else None
    if cut < 1 or (isinstance(event, SubroutineFinished) and event.why != CAP):
        return snapshot
    drawn = history.rounds.subroutine[history.rounds.chosen >= 0]
    row = int(drawn[drawn < cut].max(initial=-1))
    if row < 0:
        return snapshot
    if snapshot.trace not in _AT_END:
        _AT_END[snapshot.trace] = snapshot.trace.state_at(int(history.subroutines.event[row + 1]))
    return replace(snapshot, state=with_call(snapshot.state, _AT_END[snapshot.trace]), completed=row)
