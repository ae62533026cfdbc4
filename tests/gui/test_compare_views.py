"""Runs side by side: at every clock each is where a walk through its events says, and its random numbers are common."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtWidgets import QStyleOptionViewItem

from gems_engine.algorithms import BUILT_IN, algorithm_title, algorithms
from gems_engine.errors import InputError
from gems_engine.events import Allocated, DesignSolved, Eliminated, IdleRounds, Pulled, Recommended
from gems_engine.files import write_run
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_gui.appearance import Appearance
from gems_gui.commands.render import COMMAND
from gems_gui.compare.comparison_run_dialog import ComparisonRunDialog
from gems_gui.compare.comparison_runs import comparison_request
from gems_gui.drafts.draft import Draft
from gems_gui.painting.frames import SEVERAL
from gems_gui.series.compare_counts import PULLS, SHARE, compared_counts
from gems_gui.series.compare_table import TAU, result_series
from gems_gui.series.race import LINEAR, LOG, lane_series, lane_text, lives
from gems_gui.series.side_by_side import CURSOR, END, MOST, sides_of
from gems_gui.snapshot import ComparedRun, Selection, Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.compare_table import GIVE_WAY
from tests.engine.synthetic_runs import small_instance
from tests.gui.sample_runs import run, same, snapshot_of
from tests.gui.text_boxes import card_of, settle
from tests.gui.window_driver import SMALL, driven

QUICK = {"max_samples": 40_000}


@cache
def runs():
    """Four runs on one instance with one seed, of very different lengths."""
    instance = make("paper-hard", epsilon=0.3)
    asked = (
        ("fixed-confidence", {"base": 4, **QUICK}),
        ("rage", QUICK),
        ("rage-oracle", {}),
        ("fixed-confidence", {"base": 2, **QUICK}),
    )
    return tuple(Run(instance, name, 1, **given).finish() for name, given in asked)


@cache
def every_algorithm():
    """One run of each built-in algorithm on one instance with one seed."""
    instance = make("paper-hard", d_star=3, epsilon=0.5)
    return {
        name: Run(
            instance,
            name,
            3,
            **({"max_samples": 3000} if any(p.name == "max_samples" for p in each.parameters) else {}),
        ).finish()
        for name, each in BUILT_IN.items()
    }


@cache
def histories(traces):
    return tuple(History(trace) for trace in traces)


def snapshot_among(traces, shown, cursor, truth=True, target=None):
    """A snapshot of one of several runs, with the others."""
    compared = tuple(
        ComparedRun(*each, color) for color, each in enumerate(zip(traces, histories(traces), strict=True))
    )
    selection = Selection() if target is None else Selection.of_target(traces[0].instance, target)
    own = Snapshot(traces[shown], histories(traces)[shown], traces[shown].state_at(cursor), selection, truth)
    return replace(own, compared=compared)


def walked(trace, samples):
    """How many events there are before the first that has more samples than that, one by one."""
    for at, event in enumerate(trace):
        if getattr(event, "samples", 0) > samples:
            return at
    return len(trace)


# -- the clock -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["paper-hard", "fixed-budget", "made up", "transductive"])
def test_the_cursor_at_a_number_of_samples_is_the_last_one_with_no_more(name):
    trace = run(name)
    history = History(trace)
    seen = sorted({int(getattr(event, "samples", 0)) for event in trace})
    wanted = {each + more for each in (*seen[:12], *seen[-12:]) for more in (-1, 0, 1)} - {-1}
    for samples in wanted:
        assert history.cursor_at(samples) == walked(trace, samples), samples
    assert history.cursor_at(2**70) == len(trace)


@pytest.mark.parametrize("shown", range(4))
def test_every_run_stands_at_its_last_event_with_no_more_samples(shown):
    """At its end, a run has its result at any number of samples: the others go on to theirs."""
    traces = runs()
    first, length = walked(traces[shown], 0) + 1, len(traces[shown])
    for cursor in (first, (first + length) // 2, length - 1, length):
        snapshot = snapshot_among(traces, shown, cursor)
        sides = sides_of(snapshot)
        ends = [trace.finished.samples for trace in traces]
        assert sides.clock == (traces[shown].state_at(cursor).samples if cursor < length else max(ends))
        others = [each for each in traces if each is not traces[shown]]
        assert [side.snapshot.trace for side in sides.runs] == [traces[shown], *others]
        assert sides.runs[0].snapshot is snapshot
        for side, trace in zip(sides.runs[1:], others, strict=True):
            assert side.snapshot.cursor == walked(trace, sides.clock)
            assert side.snapshot.state.samples <= sides.clock
        assert sides.common


@pytest.mark.parametrize("shown", range(4))
def test_before_the_first_sample_nobody_is_ahead(shown):
    traces = runs()
    for cursor in range(walked(traces[shown], 0)):
        snapshot = replace(snapshot_among(traces, shown, cursor), clock=0)
        series = lane_series(snapshot, LOG, CURSOR)
        cursors = [lane.side.snapshot.cursor for lane in series.lanes[1:]]
        assert cursors == [min(cursor, walked(each, 0)) for each in traces if each is not traces[shown]]
        assert {len(lane.path.targets) for lane in series.lanes} == {int(cursor > 1)}, "the first guess of all or none"
        assert not any(word in series.subtitle[0] for word in ("ahead", "level", "right"))
        waits = [lane.detail[0].startswith("no recommendation yet · 10 of 10 arms") for lane in series.lanes]
        assert waits == [cursor < 2] * 4


def test_nothing_after_the_clock_is_shown():
    """Runs that end at the time shown look the same as those that go on: nothing knows more."""
    traces = runs()
    cursor = len(traces[1]) // 2
    snapshot = snapshot_among(traces, 1, cursor, target=3)
    cut = []
    for side in sorted(sides_of(snapshot).runs, key=lambda each: each.color):
        trace = Trace(side.snapshot.instance)
        trace.extend(side.snapshot.trace[: side.snapshot.cursor])
        cut.append(trace)
    short = snapshot_among(tuple(cut), 1, cursor, target=3)
    for one, other in zip(lane_series(snapshot, LOG, CURSOR).lanes, lane_series(short, LOG, CURSOR).lanes, strict=True):
        assert same(replace(one, side=None), replace(other, side=None))
    rows = [[row.cells for row in result_series(each, CURSOR).rows] for each in (snapshot, short)]
    assert rows[0] == rows[1]
    counts = [compared_counts(each, PULLS, "index", CURSOR).pulls for each in (snapshot, short)]
    assert np.array_equal(counts[0], counts[1])


# -- what is shown ---------------------------------------------------------------------------------------------------


def test_a_lane_says_what_the_events_say():
    traces = runs()
    for until in (CURSOR, END):
        series = lane_series(snapshot_among(traces, 1, len(traces[1]), target=2), LINEAR, until)
        for lane in series.lanes:
            events = lane.side.snapshot.trace[: lane.side.snapshot.cursor]
            drawn, spans, left, d, before = [], [], [], 0, 0
            survivors = len(lane.side.snapshot.instance.targets)
            for event in events:
                if event.kind == "subroutine started":
                    survivors = len(lane.side.snapshot.instance.targets)
                if isinstance(event, DesignSolved):
                    d = event.d
                if isinstance(event, Pulled | IdleRounds):
                    spans.append((before, event.samples))
                    left.append(survivors)
                    drawn.append(event.d if isinstance(event, IdleRounds) else d)
                    before = event.samples
                if isinstance(event, Eliminated):
                    survivors = event.left
            assert list(zip(lane.begin.tolist(), lane.end.tolist(), strict=True)) == spans
            assert lane.d.tolist() == drawn
            assert lane.survivors.tolist() == left
            said = [event.target for event in events if isinstance(event, Recommended)]
            assert lane.path.targets[-1] == said[-1]


def test_where_a_picked_target_lives():
    snapshot = snapshot_among(runs(), 0, len(runs()[0]), target=4)
    pairs = lives(snapshot).reshape(-1, 2)
    samples, alive = 0, []
    for event in snapshot.trace:
        if event.kind == "subroutine started":
            alive.append([samples, None])
        samples = getattr(event, "samples", samples)
        gone = isinstance(event, Eliminated) and 4 in event.targets
        if (gone or event.kind == "subroutine finished") and alive[-1][1] is None:
            alive[-1][1] = samples
    ends = [[begin, samples if end is None else end] for begin, end in alive]
    assert pairs[:, 0].tolist() == [begin for begin, _ in ends]
    assert (pairs[:, 1] >= pairs[:, 0]).all()
    eliminated = [at for at, (begin, end) in enumerate(alive) if end is not None]
    assert pairs[eliminated, 1].tolist() == [ends[at][1] for at in eliminated]
    assert not len(lives(replace(snapshot, selection=Selection())))


def test_nothing_is_a_multiple_of_zero_samples():
    """With seed 3 both are right from their first guess on: there is no ratio, and neither is ahead."""
    instance = make("paper-hard", d_star=2, epsilon=0.3)
    gems, rage, late, other = (
        Run(instance, name, seed, max_samples=30_000).finish()
        for name, seed in (("fixed-confidence", 3), ("rage", 3), ("rage", 1), ("rage", 2))
    )
    for traces, ratios in (((gems, late), ["–", "× ∞"]), ((gems, rage), ["–", "–"]), ((late, other), ["× 1", "× 1"])):
        shown = snapshot_among(traces, 0, len(traces[0]))
        series = result_series(shown, END)
        assert [row.cells[series.columns.index("ratio")] for row in series.rows] == ratios
    level = lane_series(snapshot_among((gems, rage), 0, len(gems)), LOG, END).subtitle
    assert level[0].startswith("GEMS and RAGE are level: right from the start")
    ahead = lane_series(snapshot_among((gems, late), 0, len(gems)), LOG, END).subtitle
    assert ahead[0].startswith("GEMS is ahead: right from the start")


def test_the_table_says_who_found_what_and_the_ratio():
    traces = runs()
    series = result_series(snapshot_among(traces, 0, 5), END)
    facts = [summarise(trace) for trace in traces]
    assert [row.since for row in series.rows] == [each.tau for each in facts]
    assert [row.recommended for row in series.rows] == [each.recommendation for each in facts]
    assert [row.right for row in series.rows] == [each.correct for each in facts]
    least = min(each.tau for each in facts if each.tau)
    assert [row.ratio for row in series.rows] == pytest.approx([each.tau / least for each in facts])
    table = series.table(snapshot_among(traces, 0, 5))
    assert [row[table.columns.index("samples")] for row in table.rows] == [each.samples for each in facts]
    assert [row.side.label for row in series.rows] == [
        "GEMS (fixed confidence), β = 4",
        "RAGE",
        "RAGE, told d⋆",
        "GEMS (fixed confidence), β = 2",
    ]
    assert "β = 4" in series.rows[0].side.differs
    assert "seed" not in series.rows[0].side.differs
    hidden = result_series(snapshot_among(traces, 0, 5, truth=False), END)
    assert [row.right for row in hidden.rows] == [None] * 4
    assert [row.since for row in hidden.rows] == [each.trajectory[-1][0] for each in facts]
    assert "τ" not in hidden.columns
    assert series.columns[-1] == "differs"
    alike = result_series(snapshot_among(traces[:2], 0, 5), END)
    assert not any(row.side.differs for row in alike.rows)
    assert "differs" not in alike.columns, "an empty column"
    assert all(len(row.cells) == len(alike.columns) for row in alike.rows)


def test_the_counts_are_those_of_each_run():
    traces = runs()
    snapshot = snapshot_among(traces, 1, len(traces[1]))
    pulls = compared_counts(snapshot, PULLS, "index", CURSOR)
    shares = compared_counts(snapshot, SHARE, "index", CURSOR)
    for side, counted, share in zip(pulls.sides.runs, pulls.pulls, shares.shown, strict=True):
        total = np.zeros(len(snapshot.instance.arms))
        for event in side.snapshot.trace[: side.snapshot.cursor]:
            if isinstance(event, Allocated):
                asked = event
            if isinstance(event, Pulled):
                np.add.at(total, asked.arms, asked.counts)
        assert np.array_equal(counted, total)
        assert share.sum() == pytest.approx(100.0)


def test_every_algorithm_stands_beside_every_other(qapp):
    known = every_algorithm()
    names = list(known)
    for first in range(0, len(names), MOST):
        traces = tuple(known[name] for name in names[first : first + MOST])
        for until in (CURSOR, END):
            snapshot = snapshot_among(traces, 0, len(traces[0]), target=0)
            assert [side.label for side in sides_of(snapshot, until).runs] == [
                algorithm_title(each) for each in names[first : first + MOST]
            ]
            for name in SEVERAL:
                view = VIEWS[name](Appearance(LIGHT), exporting=True)
                view.settings["until"] = until
                view.show(snapshot)
                assert bool(view.as_table().rows) == (name != "seeds"), "there is no race"
                for part in (view.head, view.body):
                    part.deleteLater()


def test_the_table_cuts_no_number_and_says_what_it_leaves_out(qapp):
    traces = tuple(every_algorithm().values())[:MOST]
    snapshot = snapshot_among(traces, 0, len(traces[0]))
    for scale, exporting, width in ((1.0, True, 340), (1.0, False, 340), (1.5, False, 540), (1.0, False, 950)):
        theme = replace(LIGHT, font_scale=scale)
        view = VIEWS["compare-table"](Appearance(theme), exporting=exporting)
        view.body.resize(width, 200)
        view.body.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        view.body.show()
        view.show(snapshot)
        table, metrics = view.table, QFontMetrics(theme.font())
        out = {name: table.isColumnHidden(at) for at, name in enumerate(view.series.columns)}
        assert any(out.values()) == (width < 950)
        assert not out["recommends"]
        assert not out[TAU]
        left = [name for name in out if out[name]]
        said = view.head.subtitle._ways if left else ()
        assert all(f": {', '.join(left)}" in each or f"{len(left)} more column" in each for each in said)
        shown = [at for at, name in enumerate(out) if at and not out[name]]
        for row in view.series.rows:
            assert all(table.columnWidth(at) > metrics.horizontalAdvance(row.cells[at]) for at in shown)
        assert sum(table.columnWidth(at) for at in (0, *shown)) <= table.viewport().width()
        for at, row in enumerate(() if exporting else view.series.rows):
            option, place = QStyleOptionViewItem(), view.model.index(at, 0)
            id_ = row.side.snapshot.trace.started.algorithm
            assert place.data(Qt.ItemDataRole.ToolTipRole).endswith(f"\nId: {id_}")
            option.rect = table.visualRect(place)
            option.font = theme.font()
            option.fontMetrics = metrics
            table.itemDelegateForIndex(place).initStyleOption(option, place)
            assert metrics.horizontalAdvance(option.text) <= option.rect.width() - theme.pixels(12)
            if option.text != row.cells[0]:
                assert "…" in option.text
                wide = table.columnWidth(0) >= 0.39 * table.viewport().width()
                assert wide or all(out.get(name, True) for name in GIVE_WAY), "columns are hidden first"
        if left and not exporting:  # the table alone gets more room: the head follows at once
            table.resize(1200, 200)
            assert not table.left_out
            assert not any("column" in each or "no room" in each for each in view.head.subtitle._ways)
        for part in (view.head, view.body):
            part.deleteLater()


def test_runs_of_another_instance_are_refused_in_a_sentence():
    other = snapshot_of("sphere")
    snapshot = snapshot_among(runs(), 0, 40)
    stranger = ComparedRun(other.trace, other.history, 7)
    sides = sides_of(replace(snapshot, compared=(*snapshot.compared[:2], stranger)))
    assert len(sides.runs) == 2
    assert sides.refused == "another run is on another instance and cannot be compared"
    alone = sides_of(replace(snapshot, compared=(snapshot.compared[0], stranger)))
    assert len(alone.runs) == 1
    assert alone.refused in alone.subtitle()[1][0]
    many = sides_of(replace(snapshot, compared=snapshot.compared + snapshot.compared[1:]))
    assert (len(many.runs), len(many.left_out)) == (MOST, 3)
    assert many.subtitle()[0][-1] == f"{MOST} of 7 runs"
    assert many.refused == f"without {many.left_out[0]} and 2 others: pin the runs to show"


def test_another_noise_is_the_same_instance_and_another_seed_is_said():
    first = runs()[0]
    noisy = Run(first.instance, "rage", 2, noise="gaussian:0.5", max_samples=5000).finish()
    sides = sides_of(snapshot_among((first, noisy), 0, 30))
    assert len(sides.runs) == 2
    assert not sides.common
    assert "noise = N(0, 0.25)" in sides.runs[1].differs
    assert "seed 2" in sides.runs[1].differs
    assert any("no common random numbers, different noise" in part for part in sides.subtitle()[1])
    unstarted = sides_of(snapshot_among((first, Trace(first.instance)), 0, 30))
    assert "seed" not in str(unstarted.subtitle()), "before a run has started, its seed is not known"


def test_degenerate_runs_stand_side_by_side(qapp):
    two = Instance.linear(np.eye(2), [1.0, 0.0])
    traces = tuple(Run(two, name, 1, max_samples=cap).finish() for name, cap in (("rage", 1), ("gems-c", 500)))
    empty = Trace(small_instance())
    for snapshot in (snapshot_among(traces, 0, len(traces[0]), target=0), Snapshot.of(empty), snapshot_of("made up")):
        for name in SEVERAL:
            view = VIEWS[name](Appearance(LIGHT), exporting=True)
            view.show(snapshot)
            for part in (view.head, view.body):
                part.deleteLater()


# -- common random numbers -------------------------------------------------------------------------------------------


def first_noise(trace):
    """For each arm the noise of its first batch, in standard deviations; with how many pulls."""
    found = {}
    asked = None
    for event in trace:
        if isinstance(event, Allocated):
            asked = event
        if isinstance(event, Pulled) and asked is not None:
            for arm, count, total in zip(asked.arms, asked.counts, event.sums, strict=True):
                if count and int(arm) not in found:
                    mean = trace.instance.rewards[arm]
                    found[int(arm)] = float(total - count * mean) / np.sqrt(count)
    return found


def test_with_one_seed_the_first_batch_of_an_arm_has_the_same_noise_in_every_run():
    traces = runs()
    noises = [first_noise(trace) for trace in traces]
    common = set.intersection(*map(set, noises))
    assert len(common) >= 5
    for arm in common:
        assert [each[arm] for each in noises] == pytest.approx([noises[0][arm]] * 4, abs=1e-9)
    guesses = {next(event.target for event in trace if isinstance(event, Recommended)) for trace in traces}
    assert len(guesses) == 1
    other = first_noise(Run(traces[0].instance, "rage", 2, **QUICK).finish())
    assert all(abs(other[arm] - noises[1][arm]) > 1e-6 for arm in common & set(other))


# -- views -----------------------------------------------------------------------------------------------------------


def lanes_of(snapshot, **options):
    view = VIEWS["race"](Appearance(LIGHT), exporting=True)
    view.settings |= options
    view.body.resize(900, 500)
    view.show(snapshot)
    return view


def test_lanes_are_drawn_from_the_numbers(qapp):
    snapshot = snapshot_among(runs(), 0, len(runs()[0]), target=3)
    view = lanes_of(snapshot, scale=LINEAR)
    try:
        parts = view._parts(view.series)
        assert view.plot.box.viewRange()[1] == pytest.approx([-parts.band, 4.0])
        middles, widths = (np.asarray(view.left.opts[each]) for each in ("x", "width"))
        rows = np.floor(np.asarray(view.left.opts["y0"]))
        for row, lane in enumerate(view.series.lanes):
            assert widths[rows == row].sum() == pytest.approx(lane.end[-1])
            at = np.searchsorted(lane.begin, middles[rows == row], side="right") - 1
            share = np.asarray(view.left.opts["height"])[rows == row] / (parts.foot - parts.top)
            assert share == pytest.approx(lane.survivors[at] / view.series.targets)
            ribbon = [curve.getData() for curve in (view.right, view.wrong)]
            reach = max(x[np.floor(y) == row].max(initial=0.0) for x, y in ribbon)
            assert reach == pytest.approx(view.series.sides.clock), "a recommendation holds after the end of a run"
        heights = np.asarray(view.left.opts["height"])
        assert heights.max() / heights[0] == pytest.approx(1.0)  # the first round has all
        assert [name.isVisible() for name in view.names.values()] == [True] * 4
        assert view.names[1].toPlainText() == "RAGE: x_9"
        assert view.judgements[1].toPlainText() == "right since 2\N{NARROW NO-BREAK SPACE}433"
        assert "RAGE at 0 samples: d = 10, 10 of 10 arms remain" in lane_text(view.series, 0.0, 1)
        assert lane_text(view.series, 0.0, 9) == ""
        end = float(view.series.lanes[2].end[-1])
        assert "one arm remains" in lane_text(view.series, end + 10.0, 2)
        assert not any("singleton" in words for lane in view.series.lanes for words in lane.words)
        picked = []
        view.samples_picked.connect(picked.append)
        view.plot.pick(1000.0, 2.5)
        assert picked == [1000]
    finally:
        for part in (view.head, view.body):
            part.deleteLater()


def test_large_texts_are_somewhat_smaller_where_they_then_say_since_when_a_run_is_right(qapp, monkeypatch):
    snapshot = snapshot_among(runs()[:2], 0, len(runs()[0]))

    def judged():
        view = lanes_of(snapshot)
        try:
            return view.judgements[1].toPlainText()
        finally:
            for part in (view.head, view.body):
                part.deleteLater()

    assert judged() == "right since 2\N{NARROW NO-BREAK SPACE}433"
    monkeypatch.setattr("gems_gui.views.race._SAYS_MORE", 1.0)
    assert judged() == "right"


def test_a_long_run_is_thinned_to_what_it_is_at_each_place(qapp, monkeypatch):
    monkeypatch.setattr("gems_gui.views.race._MOST_STEPS", 20)
    trace = runs()[3]
    view = lanes_of(snapshot_among((trace,), 0, len(trace)), scale=LINEAR)
    try:
        lane = view.series.lanes[0]
        assert len(lane.begin) > 20 >= len(view.left.opts["x"]) > 1
        x = np.asarray(view.left.opts["x"])
        heights = np.asarray(view.left.opts["height"])
        parts = view._parts(view.series)
        shares = heights / (parts.foot - parts.top)
        assert set(np.round(shares * view.series.targets)) <= set(lane.survivors.tolist())
        assert (np.diff(x) > 0).all()
    finally:
        for part in (view.head, view.body):
            part.deleteLater()


def test_nothing_is_drawn_behind_the_texts_of_lanes_and_nothing_is_cut_by_them(qtbot):
    """Only where a lane is too low for a line of text does a name cover a part of it."""
    view = VIEWS["race"](Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    view.show(snapshot_among(runs(), 0, len(runs()[0]) - 1))
    for size, headed in (((900, 560), True), ((420, 300), True), ((420, 180), False)):
        settle(card, *size)
        parts, lanes = view._parts(view.series), len(view.series.lanes)
        assert [name.fill.color().alpha() for name in view.names.values()] == [0 if headed else 215] * len(view.names)
        assert not any(each.fill.color().alpha() for each in (*view.judgements.values(), *view.details.values()))
        ends = view.hand.getData()[1]
        assert len(ends) == (2 * lanes if parts.size else 0)
        across = view.plot.box.childTransform()
        texts = [*view.names.values(), *view.judgements.values(), *view.details.values(), view.clock]
        for begin, end in zip(ends[::2], ends[1::2], strict=True):
            upper, lower = (across.map(QPointF(0.0, each)).y() for each in (begin, end))
            for box in (box for text in texts for box in text.covered(across)):
                assert lower <= box.top() + 4.0 or box.bottom() <= upper + 4.0, "4 pixels are the margin of the text"


@pytest.mark.parametrize("size", [(900, 500), (420, 700), (420, 160), (260, 400), (200, 100)])
def test_every_lane_has_its_name_at_every_size(qapp, size):
    sphere = make("sphere", D=5, d_star=2, n=8)
    given = {"rounds": 8, "selection_budget": 80.0}
    calls = tuple(Run(sphere, name, 1, **given).finish() for name in ("gems-c", "gems-m"))
    for traces, names in (
        (calls, ("GEMS-c", "GEMS-m")),
        (runs(), ("GEMS, β = 4", "RAGE", "RAGE, told d⋆", "GEMS, β = 2")),
    ):
        for cursor in (len(traces[0]) - 1, len(traces[0])):
            view = VIEWS["race"](Appearance(LIGHT))
            view.body.resize(900, 500)
            view.body.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
            view.body.show()
            view.show(snapshot_among(traces, 0, cursor))
            assert [lane.short for lane in view.series.lanes] == list(names)
            for item, lane in zip(view.names.values(), view.series.lanes, strict=False):
                assert item.isVisible()
                assert item.toPlainText().startswith((lane.short[:6], lane.side.label[:6]))
            for part in (view.head, view.body):
                part.deleteLater()


# -- the window ------------------------------------------------------------------------------------------------------


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, SMALL) as made:
        yield made


def click_box(driver, box):
    """Click a check box where its mark is."""
    driver.click(box, QPoint(8, box.height() // 2))


def test_run_beside_it_computes_and_shows_them_side_by_side(driver):
    driver.finished()
    first = driver.run
    dialog = driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
    assert dialog.chosen == ["rage"], "what GEMS is usually compared with"
    assert not dialog.boxes["fixed-confidence"].isEnabled()
    for name, algorithm in algorithms().items():
        said = "This is the current run" if name == "fixed-confidence" else algorithm.summary
        assert dialog.lines[name].text_shown.startswith(said)
        assert dialog.lines[name].isVisible()
    width = dialog.width()
    click_box(driver, dialog.boxes["rage"])
    assert not dialog.go.isEnabled()
    driver.click(dialog.lines["rage"])
    for name in ("rage-oracle", "gems-c", "static-oracle"):
        click_box(driver, dialog.boxes[name])
    assert not dialog.go.isEnabled()
    assert "at most 3" in dialog.sentence.text()
    assert dialog.width() == width
    assert dialog.height() == dialog.column.heightForWidth(width)
    click_box(driver, dialog.boxes["gems-c"])
    driver.press("Return")
    work = driver.workbench
    driver.wait(lambda: len(work.runs) == 4 and not driver.window.comparison_runs.runs.busy)
    assert work.active is first, "the shown run stays"
    assert all(each.pinned for each in work.runs)
    assert driver.board.layout_name == "compare"
    driver.press("End")
    driver.shown()
    view = driver.views["race"]
    assert [lane.side.label for lane in view.series.lanes] == [
        "GEMS (fixed confidence)",
        "RAGE",
        "RAGE, told d⋆",
        "Static oracle",
    ]
    assert [lane.side.color for lane in view.series.lanes] == [each.color for each in work.runs]
    assert view.tau.zValue() > view.over.zValue(), "τ is seen also where it is the end"
    work.activate(work.runs[1])
    dialog = driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
    assert dialog.chosen == ["fixed-confidence"], "and RAGE with GEMS"
    driver.press("Esc")
    work.activate(first)
    again = Run(first.trace.instance, "rage", 1, max_samples=3000, delta=0.05).finish()
    assert work.runs[1].trace[:] == again[:] or len(work.runs[1].trace) == len(again)
    rows = driver.views["compare-table"].model
    assert rows.rowCount() == 4
    work.activate(work.runs[1])
    driver.press("End")
    driver.shown()
    assert driver.views["race"].series.lanes[0].side.label == "RAGE"
    work.pin(work.runs[2], False)
    driver.shown()
    assert len(driver.views["race"].series.lanes) == 3
    # Without pins all of the instance, also with another noise; for the oldest there is no room, and that is said.
    for each in work.runs:
        work.pin(each, False)
    noisy = Run(first.trace.instance, "gems-c", 1, max_samples=3000, noise="gaussian:0.5").finish()
    latest = work.open(noisy, "noisy.gems")
    assert work.compared == (latest, *work.runs[1:4], first)
    driver.shown()
    sides = driver.views["race"].series.sides
    assert ([side.label for side in sides.runs][:1], sides.left_out) == (
        ["GEMS-c, one call"],
        ("GEMS (fixed confidence)",),
    )
    assert driver.views["compare-table"].series.subtitle[0].startswith("4 of 5 runs, N ≤ ")
    assert "without GEMS (fixed confidence)" in driver.views["compare-table"].series.subtitle[0]
    work.activate(work.runs[1])
    driver.press("T")
    driver.shown()
    assert "✓" not in driver.views["race"].names[0].toPlainText()


def test_a_comparison_with_what_is_right_from_the_start_has_no_ratio(qtbot):
    """With this seed, τ is 0 for both."""
    draft = Draft.of("paper-hard", seed=3, instance={"d_star": 2, "epsilon": 0.3}, parameters={"max_samples": 30_000})
    with driven(qtbot, draft) as driver:
        driver.finished()
        driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
        driver.press("Return")
        driver.wait(lambda: len(driver.workbench.runs) == 2 and not driver.window.comparison_runs.runs.busy)
        driver.press("End")
        driver.shown()
        view = driver.views["compare-table"]
        rows, columns = view.model.rowCount(), view.model.columnCount()
        cells = [[str(view.model.index(row, at).data()) for at in range(columns)] for row in range(rows)]
        assert [row.since for row in view.series.rows] == [0, 0]
        assert [row[view.series.columns.index("ratio")] for row in cells] == ["–", "–"]


def test_a_longer_run_has_its_result_at_the_end_of_the_shown_one(qtbot):
    sphere = Draft.of("sphere", "gems-c", 1, {"D": 5, "d_star": 2, "n": 8}, {"rounds": 8, "selection_budget": 80.0})
    with driven(qtbot, sphere, size=(1440, 900)) as driver:
        driver.finished()
        dialog = driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
        assert dialog.chosen == ["rage"], "as the button of its verdict"
        for name in ("rage", "gems-m"):
            click_box(driver, dialog.boxes[name])
        driver.press("Return")
        driver.wait(lambda: len(driver.workbench.runs) == 2 and not driver.window.comparison_runs.runs.busy)
        shown, other = driver.workbench.runs
        assert other.trace.finished.samples > shown.trace.finished.samples
        view, table = driver.views["race"], driver.views["compare-table"]
        driver.press("End")
        driver.press("Left")
        driver.shown()
        assert view.details[1].toPlainText().startswith("no recommendation yet · ")
        assert table.series.rows[1].cells[1] == "no recommendation yet"
        assert "ahead" not in view.series.subtitle[0], "the other has not recommended anything"
        driver.press("End")
        driver.shown()
        found = summarise(other.trace)
        assert [row.recommended for row in table.series.rows][1] == found.recommendation
        assert [row.since for row in table.series.rows][1] == found.tau
        assert [row.cells[4] for row in table.series.rows][1] == f"{number(found.samples)} ■"
        assert view.series.subtitle[0].startswith("GEMS-c, one call is ahead: right since ")


def test_what_cannot_run_beside_it_says_why_and_starts_nothing(driver):
    driver.finished()
    run_ = driver.run
    with pytest.raises(InputError, match="were not recorded"):
        comparison_request(replace(run_, request=None), "rage")
    shared = comparison_request(run_, "rage")
    assert (shared.seed, shared.instance) == (run_.request.seed, run_.request.instance)
    assert shared.parameters["max_samples"] == 3000
    with pytest.raises(InputError, match="ragee"):
        comparison_request(run_, "ragee")
    tied = Instance.linear([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [1.0, 0.0])
    driver.workbench.open(Run(tied, "misspecified", 1, max_samples=3000).finish(), "tied.gems")
    dialog = driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
    assert not dialog.boxes["rage"].isEnabled()
    assert "tied for the best" in dialog.lines["rage"].text_shown
    assert dialog.chosen == []
    driver.click(dialog.boxes["rage"])
    assert not dialog.go.isEnabled()


@pytest.mark.parametrize("name", algorithms())
def test_every_algorithm_has_another_one_that_it_is_usually_compared_with(name):
    rival = algorithms()[name].rival
    assert rival in algorithms()
    assert rival != name


# -- without a window ------------------------------------------------------------------------------------------------


def test_render_paints_runs_from_files_side_by_side(qapp, tmp_path, capsys):
    files = []
    for at, trace in enumerate(runs()[:2]):
        files.append(str(tmp_path / f"{at}.gems"))
        write_run(files[-1], trace)
    other = str(tmp_path / "other.gems")
    write_run(other, run("sphere"))

    def render(*words):
        from argparse import ArgumentParser

        parser = ArgumentParser()
        COMMAND.configure(parser)
        return COMMAND.run(parser.parse_args([files[0], *words]))

    csv, png, lone = tmp_path / "a.csv", tmp_path / "a.png", tmp_path / "b.png"
    assert render("--view", "compare-table", "--with", files[1], "-o", str(csv)) == 0
    with pytest.raises(InputError, match="twice"):
        render("--view", "compare-table", "--with", files[1], "--with", files[1], "-o", str(csv))
    lines = csv.read_text().splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["GEMS (fixed confidence)", "RAGE"]
    assert render("--view", "race", "--with", files[1], "-o", str(png), "--size", "700x400") == 0
    assert render("--view", "race", "-o", str(lone), "--size", "700x400") == 0
    assert QImage(str(png)) != QImage(str(lone))
    with pytest.raises(InputError, match="made on another instance"):
        render("--view", "race", "--with", other, "-o", str(png))
    with pytest.raises(InputError, match="is the rendered run itself"):
        render("--view", "race", "--with", files[0], "-o", str(png))
    with pytest.raises(InputError, match="at most 3 runs"):
        render("--view", "race", *(["--with", files[1]] * 4), "-o", str(png))
