"""Runs side by side: which runs, each at the same number of samples, and how their settings differ.

The number of samples is that of the shown run at its cursor. Every other run is shown at its last event with no
more samples than that, so everything is a function of the traces and that one cursor. The result of a run that has
ended stays what it is: at the end of the shown run, the number of samples is that of the longest run. Before the first
sample, the runs advance event by event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gems_engine.algorithms import algorithm_title
from gems_engine.forcing import forks_of
from gems_engine.instance import Instance
from gems_engine.rewards import Noise
from gems_engine.terminal import number, plural
from gems_engine.trace import Trace
from gems_gui.field_text import noise_text
from gems_gui.series.setting_titles import parameter_of
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import ComparedRun, Snapshot, at_rest

MOST = 4
"""The largest number of runs side by side: more lanes would be too low."""
_NAMED = 2  # of the runs that are not shown, at most
CURSOR = "cursor"
END = "end"
SEED = "seed"
ALONE: Phrasings = (
    "only this run: pin other runs of this instance, or choose Run ▸ Compare algorithms",
    "only this run: pin others, or compare algorithms",
    "only this run",
)
"""The text if there is no other run."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of the runs.

    Attributes
    ----------
    snapshot
        Of this run, at the common number of samples.
    color
        Its number among the runs.
    label
        Its algorithm and, if another run has the same, what distinguishes them.
    differs
        Its settings that differ from those of another run with the same parameter.
    seeds
        Of its rewards: its own, and those that a branch forces after an event; None before it has started.
    short
        What distinguishes it if all runs have the same algorithm; else its label.
    """

    snapshot: Snapshot
    color: int
    label: str
    differs: str
    seeds: tuple[object, ...] | None
    short: str

    @property
    def standing(self) -> str:
        """Why the run has ended, that it continues, or that no more is recorded."""
        state = self.snapshot.state
        if state.finished is not None:
            return state.finished.why
        return "continues" if state.cursor < self.snapshot.history.events else "recorded so far"


@dataclass(frozen=True, eq=False)
class Sides:
    """The runs at the same number of samples, the shown one first.

    Attributes
    ----------
    clock
        The common number of samples; if each run is shown at its own end, the largest one.
    refused
        Why other runs are missing, as one sentence; empty if none is.
    left_out
        Labels of runs that could be compared but do not fit.
    """

    runs: tuple[Side, ...]
    clock: int
    refused: str
    left_out: tuple[str, ...] = ()

    @property
    def common(self) -> bool:
        """Whether all have the same seed: then the noise of an arm comes from the same stream in each run."""
        return len({side.seeds for side in self.runs}) == 1

    def subtitle(self) -> tuple[str | Phrasings, ...]:
        """How many runs there are, at how many samples, and whether they share random numbers."""
        if len(self.runs) == 1:
            return (f"N = {number(self.clock)}", (self.refused, "")) if self.refused else (ALONE,)
        noisy = len({side.snapshot.instance.digest for side in self.runs}) > 1  # only the noise can differ: see alike
        seeds = "common random numbers" if self.common else "different seeds, no common random numbers"
        seeds += ", different noise" if noisy else ""
        runs, clock = plural(len(self.runs), "run"), f"N ≤ {number(self.clock)}"
        known = all(side.seeds is not None for side in self.runs)
        if self.left_out:
            runs = f"{len(self.runs)} of {len(self.runs) + len(self.left_out)} runs"
        return (
            (f"{runs}, {clock}", runs if self.left_out else clock),
            (seeds, "same seed" if self.common else "different seeds", "") if known else "",
            (self.refused, ""),
        )


def sides_of(snapshot: Snapshot, until: str = CURSOR) -> Sides:
    """The runs compared with a snapshot, at its number of samples or each at its end."""
    own = next((each for each in snapshot.compared if each.trace is snapshot.trace), None)
    own = own or ComparedRun(snapshot.trace, snapshot.history)
    others = [each for each in snapshot.compared if each.trace is not snapshot.trace]
    fit = (own, *(each for each in others if alike(each.trace.instance, snapshot.instance)))
    shown = fit[:MOST]
    clock = _clock(snapshot, shown)
    snapshots = [_at(snapshot, each, clock if until == CURSOR else None) for each in shown]
    if until == END:
        clock = max(each.state.samples for each in snapshots)
    asked = [asked_of(each.trace) for each in shown]
    one_kind = len({each.get("algorithm") for each in asked}) == 1
    sides = []
    for here, (each, at) in enumerate(zip(shown, snapshots, strict=True)):
        label, differs = _label(asked, here), differences(asked, here)
        short = differs if one_kind and differs else label
        sides.append(Side(at, each.color, label, differs, _seeds(each.trace), short))
    every = asked + [asked_of(each.trace) for each in fit[MOST:]]
    left_out = tuple(_label(every, here) for here in range(MOST, len(every)))
    return Sides(tuple(sides), clock, _refusal(1 + len(others) - len(fit), left_out), left_out)


def own_names(sides: Sides, short: Callable[[str], str]) -> list[str]:
    """The label of each run, shortened where the short form is its own among the runs."""
    labels = [side.label for side in sides.runs]
    names = list(map(short, labels))
    return [name if names.count(name) == 1 else label for name, label in zip(names, labels, strict=True)]


def brief_names(sides: Sides) -> list[str]:
    """The first part of the label of each run, such as GEMS, if that is its own among the runs; else its label."""
    return own_names(sides, lambda label: label.partition(" (")[0] if label.endswith(")") else label)


def _clock(snapshot: Snapshot, shown: Sequence[ComparedRun]) -> int:
    """The common number of samples: that of a race or of the shown run; at its end, that of the longest run."""
    if snapshot.clock is not None:
        return snapshot.clock
    if snapshot.state.finished is None:
        return snapshot.state.samples
    return max(each.history.samples_at(each.history.events) for each in shown)


def _at(snapshot: Snapshot, run: ComparedRun, samples: int | None) -> Snapshot:
    """A run's snapshot at a number of samples, or at its end; the shown run stays at its cursor."""
    if run.trace is snapshot.trace and samples is not None:
        return snapshot
    cursor = run.history.events if samples is None else run.history.cursor_at(samples)
    if samples == 0:
        cursor = min(cursor, snapshot.cursor)
    own = snapshot.problems if run.trace is snapshot.trace else None
    state = run.trace.state_at(cursor)
    shown = Snapshot(run.trace, run.history, state, snapshot.selection, snapshot.truth, snapshot.stale, own)  # type: ignore[arg-type]
    return at_rest(shown)


def _refusal(elsewhere: int, left_out: Sequence[str]) -> str:
    if elsewhere:
        runs = "another run is" if elsewhere == 1 else f"{elsewhere} other runs are"
        return f"{runs} on another instance and cannot be compared"
    if not left_out:
        return ""
    named = left_out if len(left_out) <= _NAMED else (*left_out[: _NAMED - 1], f"{len(left_out) - _NAMED + 1} others")
    return f"without {' and '.join(named)}: pin the runs to show"


@lru_cache(maxsize=64)
def _task(instance: Instance) -> str:
    return instance.with_noise("deterministic").digest


def alike(one: Instance, other: Instance) -> bool:
    """Whether two instances are the same except for their noise, which a run may set by a parameter."""
    return one.digest == other.digest or _task(one) == _task(other)


# -- settings -----------------------------------------------------------------------------------------------------


def asked_of(trace: Trace) -> dict[str, Any]:
    """All settings of a run, by name; empty before it has started."""
    started = trace.started
    if started is None:
        return {}
    forced = " · ".join(map(str, forks_of(started.forced, trace.instance.D)))
    return {"algorithm": started.algorithm, **parameters_of(trace), SEED: started.seed, "forced": forced}


def parameters_of(trace: Trace) -> dict[str, Any]:
    """The parameters of a run, by name, with the noise that it has, also where no parameter sets it."""
    return {} if trace.started is None else {**trace.started.parameters, "noise": trace.instance.noise}


def _seeds(trace: Trace) -> tuple[object, ...] | None:
    """The seed of a run, and those that a branch forces, with the events after which it does."""
    if (started := trace.started) is None:
        return None
    forks = forks_of(started.forced, trace.instance.D)
    return started.seed, *((fork.cursor, fork.forced.seed) for fork in forks if fork.forced.seed is not None)


def differences(asked: Sequence[Mapping[str, Any]], here: int, among: Sequence[int] | None = None) -> str:
    """The settings of a run that differ from those of another one with the same parameter: "δ = 0.1, seed 2"."""
    mine = asked[here]
    others = [asked[each] for each in (range(len(asked)) if among is None else among) if each != here]
    found = [
        name
        for name, value in mine.items()
        if name != "algorithm" and any(name in other and other[name] != value for other in others)
    ]
    return ", ".join(filter(None, (_words(mine["algorithm"], name, mine[name]) for name in found)))


def _words(algorithm: str, name: str, value: Any) -> str:
    if name == "forced":
        return str(value)
    return f"seed {value_text(value)}" if name == SEED else f"{_symbol(algorithm, name)} = {value_text(value)}"


def value_text(value: Any) -> str:
    """The value of a setting: "yes", "0.05", "N(0, 1)", "none"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Noise):
        return noise_text(value)
    return number(value) if isinstance(value, int | float) else "none" if value is None else str(value)


def _symbol(algorithm: str, name: str) -> str:
    """The symbol of a parameter in the paper, else its name."""
    known = parameter_of(algorithm, name)
    return (known.symbol if known is not None else "") or name.replace("_", " ")


def _label(asked: Sequence[Mapping[str, Any]], here: int) -> str:
    name = asked[here].get("algorithm", "not started")
    same = [place for place, each in enumerate(asked) if each.get("algorithm") == name]
    own = differences(asked, here, same) if len(same) > 1 else asked[here].get("forced", "")
    return ", ".join(filter(None, (algorithm_title(name), own)))
