"""Requests to the engine and their results: a run that grows, and how it ended; independent of Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gems_engine.errors import InputError
from gems_engine.events import ASKED, NO_ARM, Place, RunFinished
from gems_engine.instance import Instance
from gems_engine.parameters import Value, check_all
from gems_engine.trace import Trace

if TYPE_CHECKING:
    from gems_engine.branching import BranchRequest
    from gems_engine.running import Run

FINISHED = "finished"
STOPPED = "stopped"
FAILED = "failed"


@dataclass(frozen=True)
class RunRequest:
    """Everything that a run depends on: an equal request gives the same events.

    Attributes
    ----------
    branch
        For a branch of a run with the same settings: the events they share, and what is forced after those.
    """

    instance: Instance
    algorithm: str
    seed: int
    parameters: Mapping[str, Value]
    branch: BranchRequest | None = None

    def __post_init__(self) -> None:
        # A copy: the form's dictionary may change, and a read-only view of it cannot be sent to another process.
        object.__setattr__(self, "parameters", dict(self.parameters))

    @staticmethod
    def of_branch(branch: BranchRequest) -> RunRequest:
        """The request for a branch."""
        given: dict[str, Any] = branch.parameters
        return RunRequest(branch.instance, branch.algorithm, branch.seed, given, branch)

    @staticmethod
    def of_trace(trace: Trace) -> RunRequest | None:
        """The request for a recorded run; None if its first event is missing."""
        started = trace.started
        if started is None:
            return None
        return RunRequest(trace.instance, started.algorithm, started.seed, started.parameters)

    def run(self, stop: Callable[[], bool] | None = None) -> Run:
        """The run, ready to be iterated."""
        from gems_engine.running import Run  # brings the algorithms, which a worker loads later

        if self.branch is not None:
            return self.branch.run(stop)
        parameters: dict[str, Any] = dict(self.parameters)
        return Run(self.instance, self.algorithm, self.seed, stop=stop, **parameters)

    @cached_property
    def settings(self) -> Mapping[str, Value]:
        """All parameters of the algorithm, checked once, with defaults for those not given."""
        from gems_engine.algorithms import algorithm_named  # brings the algorithms, which a worker loads later

        return check_all(algorithm_named(self.algorithm).parameters, self.parameters)

    @cached_property
    def refusal(self) -> str:
        """Why it cannot run here, in one sentence: no such algorithm, or other parameters; empty if it can."""
        try:
            _ = self.settings
        except InputError as error:  # of an algorithm that is not installed, or of another version
            return str(error)
        return ""

    def recorded_on(self) -> Instance:
        """The instance in the trace of this run: a parameter may change its noise.

        If that fails, the instance as given: the run reports the reason when it starts.
        """
        try:
            noise = self.settings.get("noise")
            return self.instance.with_noise(noise) if isinstance(noise, str) else self.instance
        except Exception:  # an algorithm of another package may fail to load
            return self.instance

    @property
    def title(self) -> str:
        """The title of its algorithm on screen."""
        from gems_engine.algorithms import algorithm_title  # brings the algorithms, which a worker loads later

        return algorithm_title(self.algorithm)

    @property
    def name(self) -> str:
        """The name of its run in lists."""
        what = self.instance.recipe.title or self.instance.name or "instance"
        return f"{self.title} · {what} · seed {self.seed}"

    def __str__(self) -> str:
        of = self.instance
        given = ", ".join(f"{name} = {value!r}" for name, value in self.parameters.items()) or "all defaults"
        branch = "" if self.branch is None else f"; a branch: {self.branch}"
        return (
            f"{self.algorithm} on {of.name} ({len(of.arms)} arms, {len(of.targets)} targets, D = {of.D}, "
            f"digest {of.digest}), seed {self.seed}, parameters: {given}{branch}"
        )


@dataclass(frozen=True, eq=False)
class LiveRun:
    """A run requested from the engine; its trace grows during the computation.

    Attributes
    ----------
    unseen
        Whether it is shown only later, so that its events need not arrive one by one.
    """

    run_id: int
    request: RunRequest
    trace: Trace
    unseen: bool = False


@dataclass(frozen=True)
class Ending:
    """How a run ended.

    Attributes
    ----------
    run_id
        The run that ended.
    how
        ``finished``, ``stopped`` or ``failed``.
    sentence
        A message for the user.
    report
        After an unexpected failure: versions, request and traceback, to be copied; empty otherwise.
    """

    run_id: int
    how: str
    sentence: str
    report: str = ""


def stopped_event(trace: Trace) -> RunFinished:
    """The last event of a run that was stopped at the end of its trace, as ``Run.stopped`` makes it."""
    state = trace.state_at(len(trace))
    recommended = NO_ARM if state.recommendation is None else state.recommendation
    return RunFinished(Place(), ASKED, recommended, state.survivors, state.samples)


def seal(trace: Trace) -> None:
    """Append the last event to a stopped run, unless it has not started or has ended by itself."""
    if trace.started is not None and trace.finished is None:
        # An algorithm of another package may have recorded inconsistent events: then there is no last state.
        with suppress(InputError):
            trace.append(stopped_event(trace))
