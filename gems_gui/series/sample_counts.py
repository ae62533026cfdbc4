"""How often every arm was pulled: in this round, in this subroutine, and in the whole run."""

from __future__ import annotations

from dataclasses import dataclass

from gems_engine.arrays import Integers
from gems_engine.terminal import number, plural
from gems_gui.series.arm_order import ArmOrder, arm_columns, arm_order
from gems_gui.series.axis import subroutine_label
from gems_gui.series.round_designs import round_pulls
from gems_gui.series.table import Table, by_columns
from gems_gui.series.to_come import to_come
from gems_gui.series.wordings import Phrasings, phrasings
from gems_gui.snapshot import Snapshot

ALL = "all"
ROUND = "round"
SUBROUTINE = "subroutine"
RUN = "run"
BY_ROUND = "rounds"
EVERY, PULLED = "every", "pulled"
"""Which arms are shown."""
MOST_LAYERS = 8
"""Distinguishable parts of a bar: with more rounds, the earliest share one part."""


@dataclass(frozen=True, eq=False)
class CountSeries:
    """What the view of the pulls draws; arrays have one entry for each arm, by its index.

    Attributes
    ----------
    this_round, this_subroutine, run
        Pulls in each of these. A validation is its own round and belongs to no subroutine.
    subroutine_before
        Pulls of this subroutine without this round.
    run_before
        Pulls of the run in neither of these: the three add up to the run.
    validation
        Whether this round is a validation.
    layers
        If pulls are stacked by round: the name of each round of this subroutine (the earliest ones share one) and its
        pulls of every arm, from the first; else empty.
    one_call
        Whether the run is a single call of a subroutine.
    idle
        Samples that idle rounds count without drawing them.
    placeholder
        Why the view is empty, if it is.
    """

    order: ArmOrder
    this_round: Integers
    this_subroutine: Integers
    run: Integers
    subroutine_before: Integers
    run_before: Integers
    validation: bool
    layers: tuple[tuple[str, Integers], ...]
    one_call: bool
    idle: int
    subtitle: Phrasings
    placeholder: str

    def table(self, snapshot: Snapshot) -> Table:
        """One row for each arm, from the left."""
        arms = self.order.arms
        if self.layers:
            rounds = {f"pulls_in_k_{name.replace('–', '_to_')}": counts[arms] for name, counts in self.layers}
            return by_columns({**arm_columns(snapshot.instance, arms), **rounds})
        return by_columns(
            {
                **arm_columns(snapshot.instance, arms),
                "pulls_in_round": self.this_round[arms],
                "pulls_in_subroutine": self.this_subroutine[arms],
                "pulls_in_run": self.run[arms],
            }
        )


def _layers(snapshot: Snapshot) -> tuple[tuple[str, Integers], ...]:
    k, counts = round_pulls(snapshot)
    many = max(0, len(k) - (MOST_LAYERS - 1)) if len(k) > MOST_LAYERS else 0
    early = [(f"{k[0]}–{k[many - 1]}", counts[:many].sum(axis=0))] if many else []
    return (*early, *((str(k[row]), counts[row]) for row in range(many, len(k))))


def count_series(snapshot: Snapshot, shows: str, order: str, which: str = EVERY) -> CountSeries:
    """The pulls up to the cursor."""
    state = snapshot.state
    here, subroutine, run = state.round_counts, state.subroutine_counts, state.counts
    validation = state.pulled is not None and state.pulled.place.k == 0
    subroutine_before = subroutine if validation else subroutine - here
    sizes = {ROUND: here, SUBROUTINE: subroutine, BY_ROUND: subroutine}.get(shows, run)
    idle = state.samples - int(run.sum())
    return CountSeries(
        arm_order(snapshot, order, sizes, sizes > 0 if which == PULLED else None),
        here,
        subroutine,
        run,
        subroutine_before,
        run - subroutine_before - here,
        validation,
        _layers(snapshot) if shows == BY_ROUND else (),
        snapshot.one_call,
        idle,
        _subtitle(snapshot, int(subroutine.sum()), int(here.sum()), validation, idle) if state.samples else (),
        "" if state.samples else to_come(snapshot, "samples"),
    )


def _subtitle(snapshot: Snapshot, subroutine: int, here: int, validation: bool, idle: int) -> Phrasings:
    call, last = names(snapshot, validation)
    return phrasings(
        f"samples {number(snapshot.state.samples)}",
        (f"{number(idle)} idle, not drawn", f"{number(idle)} idle", "") if idle else "",
        "" if snapshot.one_call else f"{call} {number(subroutine)}",
        f"{last} {number(here)}",
    )


def names(snapshot: Snapshot, validation: bool) -> tuple[str, str]:
    """What the call and the round are called: if the cap cut off the last call, they are those of another one."""
    if snapshot.completed >= 0:
        return subroutine_label(snapshot, snapshot.completed), "its last round"
    return "this call", "this validation" if validation else "this round"


def count_text(snapshot: Snapshot, series: CountSeries, x: float) -> str:
    """How often the arm at x was pulled: "arm 4: 1 204 pulls, 310 in this call, 12 in this round"."""
    arm = series.order.arm_at(x)
    if arm is None:
        return ""
    call, last = names(snapshot, series.validation)
    run, subroutine, here = (int(counts[arm]) for counts in (series.run, series.this_subroutine, series.this_round))
    label = snapshot.instance.arm_label(arm)
    if series.layers:
        parts = [f"k{name}: {number(int(counts[arm]))}" for name, counts in series.layers if counts[arm]]
        return f"{label}: {plural(subroutine, 'pull')}{' · ' if parts else ''}{', '.join(parts)}"
    inside = "" if series.one_call else f", {number(subroutine)} in {call}"
    return f"{label}: {plural(run, 'pull')}{inside}, {number(here)} in {last}"
