"""The raster of a run that is long: sampled, kept while it grows, and no survivor lost."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.history import History
from gems_engine.trace import Trace
from gems_gui.series.axis import RUN
from gems_gui.series.fate_raster import BEFORE, UNDECIDED, FateColumns, sampled, squeezed
from gems_gui.series.surviving_arms import (
    INDEX,
    ROUNDS,
    SAMPLES,
    survival_series,
)
from gems_gui.snapshot import Snapshot
from tests.gui.survival_runs import long_trace, raster, snapshot_of, trace_of


def test_a_long_run_is_sampled_and_what_is_kept_does_not_show():
    trace = long_trace(3000)
    history = History(trace)
    kept = FateColumns(history)
    rng = np.random.default_rng(5)
    every = None
    for cursor in [len(trace), *rng.integers(2000, len(trace), 12).tolist()]:
        snapshot = Snapshot(trace, history, trace.state_at(cursor))
        for axis in (ROUNDS, SAMPLES):
            series = survival_series(snapshot, RUN, INDEX, axis)
            codes, shown = raster(snapshot, series, kept, 500)
            assert codes.shape == (40, 500)
            assert shown[-1] == len(series.rounds) - 1
            assert (np.diff(shown) >= 0).all()
            fresh, _ = raster(snapshot, series, columns=500)
            assert np.array_equal(codes, fresh)
            if every is None:
                every = raster(snapshot, survival_series(snapshot, RUN, INDEX, ROUNDS), columns=3000)[0]
            over = shown < len(series.rounds) - series.undecided
            assert np.array_equal(codes[:, over], every[:, shown[over]])
            assert not series.undecided or set(np.unique(codes[:, ~over])) <= {BEFORE, UNDECIDED}


def test_more_columns_than_are_kept():
    trace = long_trace(5000, targets=30)
    kept = FateColumns(History(trace))
    for first, last in ((0, 2000), (2000, 4000), (3500, 5000), (0, 1000)):
        rounds = np.arange(first, last)
        assert np.array_equal(kept.over(rounds), FateColumns(kept.history).over(rounds))


def test_columns_are_kept_while_a_run_grows():
    whole = trace_of("sphere")
    grown = Trace(whole.instance)
    history = History(grown)
    kept = FateColumns(history)
    for cursor in range(1, len(whole) + 1):
        grown.append(whole[cursor - 1])
        history.update()
        snapshot = Snapshot(grown, history, grown.state_at(cursor))
        series = survival_series(snapshot, RUN, INDEX, ROUNDS)
        if len(series.rounds):
            expected = raster(snapshot_of("sphere", cursor), series)[0]
            assert np.array_equal(raster(snapshot, series, kept)[0], expected)


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=60).filter(any), st.integers(0, 10_000), st.integers(1, 300))
def test_a_sampled_round_lies_where_it_is_shown(widths, first, columns):
    edges = np.concatenate([[0.0], np.cumsum(widths)])
    rounds = sampled(edges, first, columns) - first
    assert len(rounds) == columns
    assert ((rounds >= 0) & (rounds < len(widths))).all()
    bounds = np.linspace(0, edges[-1], columns + 1)
    slack = 1e-9 * edges[-1]
    for here, low, high in zip(rounds[:-1].tolist(), bounds[:-2], bounds[1:-1], strict=True):
        assert edges[here] <= high + slack
        assert edges[here + 1] >= low - slack
    assert rounds[-1] == len(widths) - 1


def test_few_columns_are_new_when_a_long_run_grows():
    one, other = (set(sampled(np.arange(n + 1.0), 0, 1000).tolist()) for n in (100_000, 100_001))
    assert len(other - one) < 50


@given(st.integers(1, 80), st.integers(1, 6), st.integers(1, 90), st.randoms(use_true_random=False))
def test_no_survivor_vanishes_where_rows_share_a_pixel(targets, columns, rows, random):
    codes = np.array([[random.randint(1, 4) for _ in range(columns)] for _ in range(targets)], dtype=np.uint8)
    order = np.array(random.sample(range(targets), targets))
    seen = squeezed(codes, order, rows)
    if targets <= rows:
        assert np.array_equal(seen, codes[order])
        return
    bounds = [row * targets // rows for row in range(rows + 1)]
    expected = [codes[order[a:b]].max(axis=0) for a, b in pairwise(bounds)]
    assert np.array_equal(seen, expected)
