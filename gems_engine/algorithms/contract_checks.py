"""The checks of the contract of an algorithm, which run it; :func:`gems_engine.algorithms.contract.check_algorithm`.

To add a check, write a function of a `_Subject` that raises `Violation` with what happened and what to do, and add a
line to `CHECKS`.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from gems_engine.algorithms import algorithm_named
from gems_engine.algorithms.algorithm import Algorithm, context_settings
from gems_engine.algorithms.run_context import RunContext
from gems_engine.arrays import Floats, Integers
from gems_engine.errors import Cancelled, InputError
from gems_engine.events import NO_ARM, RETURNS_A_SET, SINGLE_CALLS, Allocated, Event, Place, Pulled, Recommended
from gems_engine.files import read_run, write_run
from gems_engine.gallery import make_from_spec
from gems_engine.instance import Instance
from gems_engine.memo import Memo
from gems_engine.plugin_contract import Violation
from gems_engine.plugin_contract import findings as findings_of
from gems_engine.plugins import in_words
from gems_engine.running import RewardCallback, Run
from gems_engine.self_test import Finding
from gems_engine.terminal import plural
from gems_engine.trace import Trace
from gems_engine.verification import same_again, verify
from gems_engine.wording import ordinal

_ORDINARY = ("paper-hard:epsilon=0.3", "soare:D=3", "transductive:D=4,d_star=2,n=6", "misspecified:D=4,d_star=2,n=8")
"""The instances on which it is checked: the first that it does not refuse."""
_CAP = 20_000
_MOST_EVENTS = 100_000
_PATIENCE = 2.0  # seconds without an event or a look at `context.stop`
_LONGEST = 300  # characters of a refusal
_SEED = 7


@dataclass
class _Subject:
    """The algorithm, and what its runs have shown so far."""

    name: str
    warned: list[str] = field(default_factory=list)

    @cached_property
    def algorithm(self) -> Algorithm:
        return algorithm_named(self.name)

    def settings(self, most: int = _CAP) -> dict[str, Any]:
        """The parameters of a short run."""
        known = {each.name for each in self.algorithm.parameters}
        return {name: most for name in ("max_samples", "budget") if name in known}

    @cached_property
    def spec(self) -> str:
        """An ordinary instance that it accepts."""
        refusals = []
        for spec in _ORDINARY:
            try:
                self.run(make_from_spec(spec))
            except InputError as error:
                refusals.append(f"{spec}: {error}")
            else:
                return spec
        raise Violation(f"It refuses every ordinary instance. Correct its function refuse. {refusals[0]}")

    @cached_property
    def instance(self) -> Instance:
        return make_from_spec(self.spec)

    @cached_property
    def trace(self) -> Trace:
        """A run on the ordinary instance."""
        return self.played(self.run(self.instance))

    def run(self, instance: Instance, most: int = _CAP, **rest: Any) -> Run:
        """A run whose designs are solved again, so that none comes from an earlier run."""
        return Run(instance, self.name, rest.pop("seed", _SEED), memo=Memo(), **self.settings(most), **rest)

    def played(self, run: Run) -> Trace:
        """The run to its end; warnings are collected."""
        trace = Trace(run.instance)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for event in run:
                trace.append(event)
                if len(trace) > _MOST_EVENTS:
                    raise Violation(
                        f"It has not ended after {_MOST_EVENTS} events with at most {_CAP} samples. "
                        "End it when the samples are used up."
                    )
        for each in caught:
            where = f"{Path(each.filename).name}, line {each.lineno}"
            self.warned.append(f"{each.category.__name__} ({where}): {in_words_of(each.message)}")
        return trace


def in_words_of(message: Warning | str) -> str:
    """The text of a warning in one line."""
    return " ".join(str(message).split())


# -- what it defines --------------------------------------------------------------------------------------------------


def _documented(subject: _Subject) -> str:
    algorithm = subject.algorithm
    if not algorithm.summary.strip().endswith("."):
        raise Violation("Its summary is not a sentence. Write one that ends with a full stop.")
    if algorithm.title == algorithm.name:
        raise Violation("It has no title. Set title= to the name that people know.")
    if algorithm.listing is None:
        raise Violation("It has no pseudo-code, so the view Pseudo-code is empty. Set listing= to a Listing of Lines.")
    return f"{algorithm.title}, with {len(algorithm.listing.lines)} lines of pseudo-code"


def _parameters(subject: _Subject) -> str:
    parameters = subject.algorithm.parameters
    for each in parameters:
        if not each.help.strip().endswith("."):
            raise Violation(f"Its parameter {each.name} is not described. Give it a help sentence.")
    return f"all {len(parameters)} described"


# -- its events -------------------------------------------------------------------------------------------------------


def _events(subject: _Subject) -> str:
    trace = subject.trace
    first = trace[1]
    guesses = isinstance(first, Recommended) and first.place == Place() and first.samples == 0
    if not guesses and subject.name not in SINGLE_CALLS:
        raise Violation("Its first event is no guess. Yield Recommended(Place(), target, 0, …) before any sample.")
    asked: Allocated | None = None
    samples, last = 0, NO_ARM
    for event in trace:
        if isinstance(event, Allocated):
            before = (0, 0, 0) if asked is None else _position(asked)
            if (0, 0, 0) != _position(event) < before:
                raise Violation(f"The position (ℓ, i, k) of Allocated goes back, from {before} to {_position(event)}.")
            asked = event
        if isinstance(event, Pulled):
            assert asked is not None
            drawn = int(asked.counts.sum())
            if event.samples != samples + drawn:
                raise Violation(
                    f"Pulled counts {event.samples} samples after {samples} and {drawn} more. Pull by context.pull, "
                    "which counts them."
                )
        samples = int(getattr(event, "samples", samples))
        last = event.target if isinstance(event, Recommended) else last
    finished = trace.finished
    assert finished is not None
    if finished.recommendation not in (NO_ARM, last) and subject.name != RETURNS_A_SET:
        raise Violation(
            f"RunFinished recommends target {finished.recommendation}, but the last Recommended was {last}. "
            "Yield Recommended whenever the recommendation changes."
        )
    return f"{len(trace)} events on {subject.spec}, complete and in order"


def _position(event: Event) -> tuple[int, int, int]:
    return event.place.ell, event.place.i, event.place.k


def _same_seed(subject: _Subject) -> str:
    _require_same(
        subject.trace,
        subject.played(subject.run(subject.instance)),
        "a second run with the same seed",
        "Take random numbers only from context.generator, and keep nothing between runs.",
    )
    return f"seed {_SEED} gives the same events again"


def _replay(subject: _Subject) -> str:
    given: list[Floats] = []
    means = subject.instance.require_rewards()[0]

    def measured(arms: Integers, counts: Integers) -> Floats:
        """Rewards with an error that no other run has."""
        given.append(counts * means[arms] + np.sqrt(counts) * np.cos(1.0 + np.arange(len(arms)) + len(given)))
        return given[-1]

    trace = subject.played(subject.run(subject.instance, rewards=measured))
    for at, told in zip(trace.positions(Pulled), list(given), strict=False):
        event = trace[int(at)]
        assert isinstance(event, Pulled)
        if not np.array_equal(event.sums, told):
            raise Violation(
                f"Event {ordinal(int(at))}, Pulled, has other sums than were measured. Yield what Allocated returns."
            )
    recorded = iter(given.copy())
    again = subject.played(subject.run(subject.instance, rewards=lambda arms, counts: next(recorded)))
    what = "a run with the recorded rewards"
    _require_same(trace, again, what, "Use only the rewards that Allocated returns, and keep nothing between runs.")
    return f"the rewards of {plural(len(given), 'allocation')} give the same {len(trace)} events"


def _require_same(one: Trace, two: Trace, what: str, remedy: str) -> None:
    for at in range(max(len(one), len(two))):
        if at >= min(len(one), len(two)):
            raise Violation(f"The run has {len(one)} events, {what} {len(two)}. {remedy}")
        if not same_again(one[at], two[at]):
            raise Violation(f"Event {ordinal(at)}, {type(one[at]).__name__}, differs in {what}. {remedy}")


def _file(subject: _Subject) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.gems"
        write_run(path, subject.trace)
        read = read_run(path)
    if list(read) != list(subject.trace):
        raise Violation("The run that was read back differs from the one written. Yield events with plain numbers.")
    verdict = verify(read)
    if not verdict.alike:
        raise Violation(
            f"gems verify finds that event {ordinal(verdict.checked)} differs. Use only context, the parameters and "
            "the rewards that Allocated returns."
        )
    return f"{verdict.checked} events written, read and verified"


def _cap(subject: _Subject) -> str:
    caps = subject.settings()
    if not caps:
        raise Violation("It has no parameter max_samples. Add MAX_SAMPLES, LAST_ROUND and context.limit(given).")
    (name,) = list(caps)[:1]
    for most in (1, 10, 1000):
        try:
            run = subject.run(subject.instance, most)
        except InputError:  # such as a budget that is too small
            continue
        finished = subject.played(run).finished
        assert finished is not None
        if finished.samples > most:
            raise Violation(
                f"With {name} = {most} it draws {finished.samples} samples. Ask context.afford(pulls) before each "
                "allocation and end when it raises CapReached."
            )
    return f"{name} of 1, 10 and 1000 respected"


# -- degenerate instances ---------------------------------------------------------------------------------------------


def _degenerate_instances() -> dict[str, tuple[Instance, RewardCallback | None]]:
    """The instances, and the rewards of those that cannot be simulated."""
    plane = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.6]])

    def even(arms: Integers, counts: Integers) -> Floats:
        return np.asarray(counts * plane[arms].sum(axis=1), dtype=float)

    return {
        "one arm": (Instance.linear([[1.0]], [1.0], targets=[[1.0], [0.5]]), None),
        "D = 1": (Instance.linear([[1.0], [0.5], [-0.5]], [1.0]), None),
        "duplicate arms": (Instance.linear([*plane, *plane[1:]], [1.0, 0.1]), None),
        "arms on a line": (Instance.linear([[1.0, 2.0], [0.5, 1.0], [-1.0, -2.0]], [1.0, 0.0]), None),
        "tied best arms": (Instance.linear(plane[:2], [1.0, 1.0]), even),
        "features only": (Instance.from_features(plane), even),
        "targets that are not arms": (Instance.linear(plane, [1.0, 0.1], targets=[[2.0, 0.0], [0.0, 3.0]]), None),
    }


def _degenerate(subject: _Subject) -> str:
    ran, refused = 0, []
    for what, (instance, rewards) in _degenerate_instances().items():
        try:
            subject.played(subject.run(instance, most=2000, rewards=rewards))
            ran += 1
        except InputError as error:
            if str(error).startswith(f'The algorithm "{subject.name}"'):
                raise Violation(f"On {what}: {error}") from error
            if "\n" in str(error) or len(str(error)) > _LONGEST or not str(error).endswith("."):
                raise Violation(f"On {what} it refuses, but not in one sentence. Raise InputError with one.") from error
            refused.append(what)
        except Violation:
            raise
        except Exception as error:
            raise Violation(
                f"On {what} it fails: {in_words(error)} Handle it, or let its function refuse raise InputError."
            ) from error
    return f"{ran} run" + (f"; refused in one sentence: {', '.join(refused)}" if refused else "")


# -- stopping, and other processes ------------------------------------------------------------------------------------


def _cancel(subject: _Subject) -> str:
    _require_closable(subject)
    looks, stopping, told = [time.perf_counter()], False, False

    def stop() -> bool:
        nonlocal told
        looks.append(time.perf_counter())
        told = told or stopping
        return stopping

    try:
        for _ in subject.run(subject.instance, stop=stop):
            looks.append(time.perf_counter())
            if told:
                raise Violation("It goes on after context.stop() was true. Let Cancelled end it.")
            stopping = len(looks) > 2
    except Cancelled:
        pass
    longest = max(np.diff(looks), default=0.0)
    if longest > _PATIENCE:
        raise Violation(
            f"It computes for {longest:.1f} s without an event, so it cannot be cancelled. Call context.stop() in long "
            "loops and raise Cancelled if it is true."
        )
    return "stops at the next event or iteration"


def _require_closable(subject: _Subject) -> None:
    """Its generator can be closed after any event."""
    started = subject.trace.started
    assert started is not None
    settings = context_settings(started.parameters)
    context = RunContext(subject.instance, generator=np.random.default_rng(_SEED), **settings)
    steps = subject.algorithm.steps(context, started.parameters)
    event = next(steps)
    for _ in range(3):
        try:
            reply = np.zeros(len(event.arms)) if isinstance(event, Allocated) else None
            event = steps.send(reply)
        except StopIteration:
            break
    try:
        steps.close()
    except RuntimeError as error:
        raise Violation("It yields events after it was closed. Do not catch GeneratorExit or BaseException.") from error


def _worker(subject: _Subject) -> str:
    from gems_engine.experiment import local_executor, repeated, run_trials  # starts processes, only here

    trials = list(repeated(subject.spec, subject.name, 1, **subject.settings()))
    with local_executor(1) as executor:
        (there,) = run_trials(trials, executor)
    (here,) = run_trials(trials)
    if there.error:
        raise Violation(f"In a worker process it fails: {there.error} Install its package there too.")
    if there != here:
        raise Violation("In a worker process the result of a trial differs. Depend on nothing but context and given.")
    return "the same result in another process"


def _warnings(subject: _Subject) -> str:
    if subject.warned:
        raise Violation(f"It warns: {subject.warned[0]}. Avoid the operation, or handle its case first.")
    return "none in all of these runs"


CHECKS: tuple[tuple[str, Callable[[_Subject], str]], ...] = (
    ("documented", _documented),
    ("parameters", _parameters),
    ("events", _events),
    ("same seed", _same_seed),
    ("replay", _replay),
    ("file", _file),
    ("cap", _cap),
    ("degenerate instances", _degenerate),
    ("cancel", _cancel),
    ("worker process", _worker),
    ("warnings", _warnings),
)
"""The checks, in order: what is checked, and the function."""


def findings(name: str) -> Iterator[Finding]:
    """The finding of every check, one by one."""
    subject = _Subject(name)
    return findings_of((about, partial(check, subject)) for about, check in CHECKS)
