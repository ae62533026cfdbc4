"""More seeds of the runs of a race: whether each is right at the end, and from which sample on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gems_engine.algorithms import algorithm_title
from gems_engine.arrays import Floats, Integers
from gems_engine.experiment.seed_trials import SeedTrials
from gems_engine.terminal import plural
from gems_gui.series.side_by_side import asked_of
from gems_gui.series.table import Table
from gems_gui.series.wordings import Phrasings
from gems_gui.snapshot import Snapshot

NO_RACE = ("no race yet: press R to race GEMS against RAGE", "no race yet: press R")
_HIDDEN = ("which seeds are right depends on the truth, which is hidden: press T to show it", "hidden")
_DECADES = 4.0  # of the axis, up to the cap
_ASIDE = 0.6  # decades from the lower end of the axis to the place of τ = 0
_COLUMNS = ("run", "seed", "right", "tau", "samples")


@dataclass(frozen=True, eq=False)
class SeedLane:
    """The seeds of one run.

    Attributes
    ----------
    name, color
        The name of its algorithm, and the number of its colour.
    seeds, logs
        Those that are right at the end, with log10 of τ; τ = 0 is at the place of zero.
    wrong
        Those that are not.
    """

    name: str
    color: int
    seeds: Integers
    logs: Floats
    wrong: Integers

    @property
    def done(self) -> int:
        """The number of seeds with a result."""
        return len(self.seeds) + len(self.wrong)


@dataclass(frozen=True, eq=False)
class SeedSeries:
    """What the view of the seeds draws.

    Attributes
    ----------
    trials
        The results; None without a race.
    lanes
        One for each run.
    own
        The seed of the race.
    lowest, zero
        The lower end of the logarithmic axis, and the place of τ = 0 below it.
    cap
        log10 of the sample cap: the height of seeds that are wrong there.
    """

    trials: SeedTrials | None
    lanes: tuple[SeedLane, ...]
    own: int | None
    lowest: float
    zero: float
    cap: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    subtitle: Phrasings
    placeholder: Phrasings

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each run with each seed."""
        if self.trials is None or self.placeholder:
            return Table(_COLUMNS, [])
        rows = [
            (lane.name, row.seed, bool(row.correct), row.tau, row.samples)
            for at, lane in enumerate(self.lanes)
            for row in self.trials.rows(at)
        ]
        return Table(_COLUMNS, rows)

    def seed_at(self, x: float) -> int | None:
        """The seed at a position of the axis."""
        seed = round(x)
        return seed if self.trials is not None and seed in self.trials.seeds else None


def seed_series(snapshot: Snapshot) -> SeedSeries:
    """The seeds of the race that have ended."""
    trials = snapshot.seeds
    if trials is None:
        return _placeholder(NO_RACE)
    if not snapshot.truth:
        return _placeholder(_HIDDEN)
    colors = {asked_of(each.trace).get("algorithm"): each.color for each in snapshot.compared}
    cap = float(np.log10(max(trials.most, 10)))
    lowest = _lowest(trials, cap)
    zero = lowest - _ASIDE
    lanes = tuple(_lane(trials, at, colors.get(name, at), zero) for at, (name, _) in enumerate(trials.lanes))
    started = snapshot.started
    return SeedSeries(
        trials,
        lanes,
        None if started is None else started.seed,
        lowest,
        zero,
        cap,
        (trials.seeds.start - 0.7, trials.seeds.stop - 0.3),
        (zero - 0.3, cap + 0.3),
        _sentence(trials, lanes),
        (),
    )


def _lowest(trials: SeedTrials, cap: float) -> float:
    """The lower end of the axis: four decades below the cap, or the smallest τ > 0."""
    taus = [row.tau for at in range(len(trials.lanes)) for row in trials.rows(at) if row.correct and row.tau]
    return float(min(max(0.0, cap - _DECADES), np.log10(min(taus, default=trials.most))))


def _placeholder(why: Phrasings) -> SeedSeries:
    return SeedSeries(None, (), None, 0.0, 0.0, 1.0, (0.0, 1.0), (0.0, 1.0), (), why)


def _lane(trials: SeedTrials, at: int, color: int, zero: float) -> SeedLane:
    rows = trials.rows(at)
    right = [row for row in rows if row.correct]
    return SeedLane(
        algorithm_title(trials.lanes[at][0]).partition(" (")[0],
        color,
        np.array([row.seed for row in right], dtype=np.int64),
        np.array([np.log10(row.tau) if row.tau else zero for row in right]),
        np.array([row.seed for row in rows if not row.correct], dtype=np.int64),
    )


def _sentence(trials: SeedTrials, lanes: tuple[SeedLane, ...]) -> Phrasings:
    """How often each run is wrong: "RAGE is wrong with 14 of 30 seeds, GEMS with 0, at 10 000 000 samples"."""
    if not any(lane.done for lane in lanes):
        return (f"0 of {plural(len(trials.seeds), 'seed')} done",)
    if not any(len(lane.wrong) for lane in lanes) and len(lanes) > 1:
        return _all_right(trials, lanes)
    order = sorted(lanes, key=lambda lane: -len(lane.wrong))
    counts = [f"{lane.name} {'is wrong ' if not at else ''}with {_count(lane, at)}" for at, lane in enumerate(order)]
    words = ", ".join(counts)
    return (f"{words}, at the cap of {plural(trials.most, 'sample')}", words)


def _all_right(trials: SeedTrials, lanes: tuple[SeedLane, ...]) -> Phrasings:
    """Which run is right first most often, if all are right at the end."""
    done = [seed for seed in trials.seeds if all(trials.row(at, seed) is not None for at in range(len(lanes)))]
    first = [0] * len(lanes)
    for seed in done:
        taus = [row.tau or 0 for at in range(len(lanes)) if (row := trials.row(at, seed)) is not None]
        if taus.count(min(taus)) == 1:
            first[taus.index(min(taus))] += 1
    if not done:
        return (f"0 of {plural(len(trials.seeds), 'seed')} done",)
    some = len(done) < len(trials.seeds)
    seeds = f"the first {plural(len(done), 'seed')}" if some else f"all {plural(len(done), 'seed')}"
    best = max(range(len(lanes)), key=first.__getitem__)
    names = f"{', '.join(lane.name for lane in lanes[:-1])} and {lanes[-1].name}"
    words = f"{names} are right with {seeds}"
    if not first[best]:
        return (f"{words}, level with all",)
    level = len(done) - sum(first)
    return (f"{words}, {lanes[best].name} first with {first[best]}{f', level with {level}' if level else ''}",)


def _count(lane: SeedLane, at: int) -> str:
    return f"{len(lane.wrong)} of {plural(lane.done, 'seed')}" if not at else f"{len(lane.wrong)} of {lane.done}"


def seed_text(series: SeedSeries, x: float) -> str:
    """What is known of a seed: "seed 7: GEMS right since 53 413 samples, RAGE wrong; click to race with it"."""
    seed = series.seed_at(x)
    if seed is None or series.trials is None:
        return ""
    words = []
    for at, lane in enumerate(series.lanes):
        row = series.trials.row(at, seed)
        if row is None:
            words.append(f"{lane.name} not run yet")
        elif row.error:
            words.append(f"{lane.name} failed")
        else:
            right = f"right since {plural(row.tau, 'sample')}" if row.tau else "right from the start"
            words.append(f"{lane.name} {right if row.correct else 'wrong'}")
    return f"seed {seed}: {', '.join(words)}; {'this race' if seed == series.own else 'click to race with it'}"
