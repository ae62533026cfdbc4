"""What the window asks of the engine and what it gets back: a request, a run that grows, how it ended; no Qt."""

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
    """Everything that a run depends on: asked again, it gives the same events.

    Attributes
    ----------
    branch
        For a branch of another run, which has the same settings: what they share, and what is forced then.
    """

    instance: Instance
    algorithm: str
    seed: int
    parameters: Mapping[str, Value]
    branch: BranchRequest | None = None

    def __post_init__(self) -> None:
        # A copy: the form's own dictionary may change, and a read-only view of it could not travel to another process.
        object.__setattr__(self, "parameters", dict(self.parameters))

    @staticmethod
    def of_branch(branch: BranchRequest) -> RunRequest:
        """The request for a branch."""
        given: dict[str, Any] = branch.parameters
        return RunRequest(branch.instance, branch.algorithm, branch.seed, given, branch)

    def run(self, stop: Callable[[], bool] | None = None) -> Run:
        """The run itself, ready to be iterated."""
        from gems_engine.running import Run  # brings the algorithms, which a worker loads later

        if self.branch is not None:
            return self.branch.run(stop)
        parameters: dict[str, Any] = dict(self.parameters)
        return Run(self.instance, self.algorithm, self.seed, stop=stop, **parameters)

    @cached_property
    def settings(self) -> Mapping[str, Value]:
        """All parameters of the algorithm, checked once: those that were not given have their defaults."""
        from gems_engine.algorithms import (  # brings the algorithms, which a worker loads later
            algorithm_named,
        )

        return check_all(algorithm_named(self.algorithm).parameters, self.parameters)

    def recorded_on(self) -> Instance:
        """The instance that the trace of this run is about: a parameter may give it another noise.

        Where that fails, the instance as it is: the run says the reason when it starts.
        """
        try:
            noise = self.settings.get("noise")
            return self.instance.with_noise(noise) if isinstance(noise, str) else self.instance
        except Exception:  # an algorithm of another package may fail to load
            return self.instance

    @property
    def title(self) -> str:
        """What its algorithm is called on screen."""
        from gems_engine.algorithms import algorithm_title  # brings the algorithms, which a worker loads later

        return algorithm_title(self.algorithm)

    @property
    def name(self) -> str:
        """What a run of it is called in lists."""
        what = self.instance.recipe.family or self.instance.name or "instance"
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
    """A run that the engine was asked for; its trace grows while it computes.

    Attributes
    ----------
    unseen
        Whether nobody sees it before it is far on: its events need not come one by one.
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
        Whose end it is.
    how
        ``finished``, ``stopped`` or ``failed``.
    sentence
        For the person who watched.
    report
        To be copied where something failed that should not have: versions, request, traceback; empty otherwise.
    """

    run_id: int
    how: str
    sentence: str
    report: str = ""


def stopped_event(trace: Trace) -> RunFinished:
    """The last event of a run that was stopped where its trace ends; as ``Run.stopped`` says it, without the run."""
    state = trace.state_at(len(trace))
    recommended = NO_ARM if state.recommendation is None else state.recommendation
    return RunFinished(Place(), ASKED, recommended, state.survivors, state.samples)


def seal(trace: Trace) -> None:
    """End the record of a run that was stopped, unless it has not begun or has ended by itself."""
    if trace.started is not None and trace.finished is None:
        # An algorithm of another package may have said what does not fit together: then there is no last state.
        with suppress(InputError):
            trace.append(stopped_event(trace))
