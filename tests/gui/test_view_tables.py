"""The numbers of a view as a table: those that the events say, and nothing of the truth where that is hidden."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from gems_engine.errors import InputError
from gems_engine.events import DesignSolved, IdleRounds, Recommended, SubroutineStarted
from gems_gui.appearance import Appearance
from gems_gui.painting.csv_table import joined
from gems_gui.series.table import Table, as_csv
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from tests.gui.sample_runs import run
from tests.gui.test_truth import cursor_in, with_another_truth

RUNS = ("paper-hard", "fixed-budget", "made up", "transductive")


def table(name, snapshot, **options):
    """What a view would write."""
    return next(tables(name, [snapshot], **options))


def tables(name, snapshots, **options):
    """What a view would write at each of some snapshots."""
    view = VIEWS[name](Appearance(LIGHT), exporting=True)
    try:
        view.settings |= options
        for snapshot in snapshots:
            view.show(snapshot)
            yield view.as_table()
    finally:
        for part in (view.head, view.body):
            part.deleteLater()


def column(found, name):
    return [row[found.columns.index(name)] for row in found.rows]


def snapshots(name):
    trace = run(name)
    return [Snapshot.of(trace, cursor) for cursor in (len(trace) // 2, cursor_in(trace), len(trace))]


@pytest.mark.parametrize("name", VIEWS)
def test_every_plot_has_a_table_at_every_moment(qapp, name):
    if name in ("why", "story"):
        with pytest.raises(InputError, match="no numbers"):
            table(name, Snapshot.of(run("paper-hard")))
        return
    traces = [run(each) for each in RUNS]
    everywhere = [Snapshot.of(trace, at) for trace in traces for at in (0, 1, len(trace) // 3, len(trace))]
    for found in tables(name, everywhere):
        assert all(len(row) == len(found.columns) for row in found.rows)
        assert len(set(found.columns)) == len(found.columns)


@pytest.mark.parametrize("name", RUNS)
def test_what_each_arm_was_given(qapp, name):
    for snapshot in snapshots(name):
        state = snapshot.state
        counts = table("counts", snapshot)
        assert column(counts, "arm") == list(range(len(snapshot.instance.arms)))
        assert column(counts, "pulls_in_run") == state.counts.tolist()
        assert column(counts, "pulls_in_round") == state.round_counts.tolist()
        weights = table("weights", snapshot, order="size")
        if state.design is not None:
            by_arm = dict(zip(column(weights, "arm"), column(weights, "weight"), strict=True))
            assert [by_arm[arm] for arm in state.design.support.tolist()] == state.design.weights.tolist()
            assert column(weights, "weight") == sorted(column(weights, "weight"), reverse=True)  # as it is drawn


@pytest.mark.parametrize("name", RUNS)
def test_rounds_and_subroutines(qapp, name):
    for snapshot in snapshots(name):
        events = snapshot.trace[: snapshot.cursor]
        solved = {each.place: each.d for each in events if isinstance(each, DesignSolved | IdleRounds) and each.place.k}
        dimension = table("dimension", snapshot, scope="run")
        chosen = [row for row in dimension.rows if row[3] is not None]
        assert {row[:3]: row[3] for row in chosen} == {(place.ell, place.i, place.k): d for place, d in solved.items()}
        grid = table("grid", snapshot)
        calls = [each for each in events if isinstance(each, SubroutineStarted)]
        assert [row[:2] for row in grid.rows] == [(each.place.ell, each.place.i) for each in calls]
        assert [each for each in column(grid, "budget") if each is not None] == [
            each.selection_budget for each in calls if np.isfinite(each.selection_budget)
        ]
        shares = table("shares", snapshot)
        assert sum(column(shares, "samples")) == snapshot.state.samples
        if snapshot.state.samples:
            assert sum(column(shares, "percent")) == pytest.approx(100.0)


@pytest.mark.parametrize("name", RUNS)
def test_who_survives_and_who_is_recommended(qapp, name):
    for snapshot in snapshots(name):
        survivors = table("survivors", snapshot)
        if survivors.rows:
            fates = survivors.rows[-1][4:]
            left = {
                int(title.split(" ")[0])
                for title, fate in zip(survivors.columns[4:], fates, strict=True)
                if fate in ("surviving", "being decided")
            }
            state = snapshot.state if snapshot.state.place.k else None
            if state is not None and snapshot.state.finished is None:
                assert left == set(state.survivors)
            assert len(left) == survivors.rows[-1][3]
        said = [each for each in snapshot.trace[: snapshot.cursor] if isinstance(each, Recommended)]
        found = table("recommendation", snapshot)
        assert column(found, "target")[-1:] == [each.target for each in said][-1:]
        assert set(column(found, "target")) == {each.target for each in said}


def test_gaps_and_costs(qapp):
    trace = run("paper-hard")
    at = next(at for at in trace.positions("eliminated").tolist() if len(trace[at].targets))
    event, found = trace[at], table("gaps", Snapshot.of(trace, at + 1))
    gone = [row for row in found.rows if row[found.columns.index("leaves")]]
    assert sorted(row[0] for row in gone) == sorted(event.targets.tolist())
    numbers = {row[0]: (row[2], row[4], row[5]) for row in gone}
    for target, by, gap, width in zip(event.targets, event.by, event.gaps, event.widths, strict=True):
        assert numbers[target] == (by, gap, width)
    assert column(table("gaps", Snapshot.of(trace, at)), "decided") == [False] * len(found.rows)
    solved = next(at for at in trace.positions("design solved").tolist() if trace[at].d > 1)
    snapshot = Snapshot.of(trace, solved + 1)
    costs = table("cost", snapshot)
    assert column(costs, "d") == list(range(1, trace.instance.D + 1))
    assert [d for d, chosen in zip(column(costs, "d"), column(costs, "chosen"), strict=True) if chosen] == [
        trace[solved].d
    ]
    assert costs.rows[trace[solved].d - 1][2] == trace[solved].cost
    fits = {probe.d: probe.verdict != "too dear" for probe in snapshot.state.probes}
    assert {d: fit for d, fit in zip(column(costs, "d"), column(costs, "fits"), strict=True) if fit is not None} == fits


def test_lists(qapp):
    snapshot = Snapshot.of(run("paper-hard"), 40)
    events = table("events", snapshot)
    assert column(events, "event") == list(range(1, 41))
    assert column(events, "kind") == [each.kind for each in snapshot.trace[:40]]
    problems = table("problems", snapshot)
    assert problems.rows
    assert all(1 <= at <= 40 for at in column(problems, "event"))


@pytest.mark.parametrize("name", [each for each in VIEWS if each not in ("why", "story")])
def test_tables_hide_the_truth(qapp, name):
    trace, other = run("paper-hard"), with_another_truth("paper-hard")
    hidden = [table(name, replace(Snapshot.of(each, cursor_in(each)), truth=False)) for each in (trace, other)]
    assert as_csv(hidden[0]) == as_csv(hidden[1])
    assert "d_star" not in " ".join(hidden[0].columns)


def test_cells(qapp):
    written = as_csv(Table(("a", "b, c"), [(1, 0.1 + 0.2), (True, None), ("é", float("inf"))]))
    assert list(csv.reader(io.StringIO(written))) == [
        ["a", "b, c"],
        ["1", "0.30000000000000004"],
        ["true", ""],
        ["é", "inf"],
    ]


def test_steps_one_under_another():
    found = joined([(3, Table(("a", "b"), [(1, 2)])), (7, Table(("a", "c"), [(4, 5), (6, 7)])), (9, Table(("a",), []))])
    assert found == Table(("after_events", "a", "b", "c"), [(3, 1, 2, None), (7, 4, None, 5), (7, 6, None, 7)])
