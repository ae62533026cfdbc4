"""The view of the survivors: its raster against the events themselves, its options, words, marks and colours."""

from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPicture

from gems_engine import events as ev
from gems_engine.events import Place
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.trace import Trace
from gems_gui.moment import Moment, Selection
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.fate_raster import BEFORE, NOW, SURVIVING, UNDECIDED, FateColumns, sampled, squeezed
from gems_gui.series.surviving_arms import (
    ESTIMATE,
    EVENTS,
    INDEX,
    REWARD,
    ROUNDS,
    SAMPLES,
    survival_raster,
    survival_series,
    survival_words,
)
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.card import Card
from gems_gui.views.surviving_arms import SurvivingArms
from tests.engine.synthetic_runs import synthetic_trace

RUNS = {
    "hard": lambda: Run(make("paper-hard"), "fixed-confidence", 1, base=4, max_samples=100_000),
    "sphere": lambda: Run(make("sphere", n=30, D=6), "fixed-confidence", 2, base=4, max_samples=50_000),
    "budget": lambda: Run(make("paper-hard"), "fixed-budget", 3),
    "transductive": lambda: Run(make("transductive"), "fixed-confidence", 1, max_samples=20_000),
    "rage": lambda: Run(make("paper-hard"), "rage", 1),
    "static": lambda: Run(make("paper-hard"), "static-oracle", 1),
    "idle": None,
}


@lru_cache
def trace_of(name):
    return synthetic_trace(loops=2, subroutines=2) if name == "idle" else RUNS[name]().finish()


@lru_cache
def history_of(name):
    return History(trace_of(name))


def moment_of(name, cursor=None, **rest):
    trace = trace_of(name)
    return Moment(trace, history_of(name), trace.state_at(len(trace) if cursor is None else cursor), **rest)


cursors = st.tuples(st.sampled_from(sorted(RUNS)), st.floats(0, 1))


def at(name, part):
    return round(part * len(trace_of(name)))


# -- the same, told again from the events -----------------------------------------------------------------------


@dataclass
class Told:
    place: Place
    begin: int
    gone_before: set
    left: int
    gone: set = field(default_factory=set)
    end: int | None = None
    drawn: int = 0


def retold(events, targets):
    """Subroutines, each a list of its rounds."""
    subroutines, gone, asked = [[]], set(), 0  # the first for what is in none
    for index, event in enumerate(events):
        rounds = subroutines[-1]
        now = rounds[-1] if rounds else None
        if isinstance(event, ev.SubroutineStarted):
            rounds, now, gone = [], None, set()
            subroutines.append(rounds)
        begins = isinstance(event, ev.DimensionProbed | ev.DesignSolved | ev.Allocated | ev.IdleRounds)
        if begins and event.place.k and (now is None or now.place != event.place):
            now = Told(event.place, index, set(gone), targets - len(gone))
            rounds.append(now)
        if isinstance(event, ev.Allocated):
            asked = int(event.counts.sum())
        if event.place.k and isinstance(event, ev.Pulled):
            now.drawn = asked
        if isinstance(event, ev.IdleRounds):
            now.drawn, now.end = event.drawn, index + 1
        if isinstance(event, ev.Eliminated):
            now.gone = set(event.targets.tolist())
            gone |= now.gone
            now.left, now.end = event.left, index + 1
        if isinstance(event, ev.SubroutineFinished | ev.RunFinished) and now is not None and now.end is None:
            now.end = index + 1
    return subroutines


def column(told, targets):
    alive = UNDECIDED if told.end is None else SURVIVING
    return [BEFORE if z in told.gone_before else NOW if z in told.gone else alive for z in range(targets)]


def raster(moment, series, kept=None, columns=2000, rows=10_000):
    return survival_raster(moment, series, kept or FateColumns(moment.history), columns, rows)


@given(cursors, st.sampled_from([RUN, SUBROUTINE]))
@settings(max_examples=60)
def test_the_raster_is_what_the_events_say(place, scope):
    name, part = place
    moment = moment_of(name, at(name, part))
    targets = len(moment.instance.targets)
    told = retold(moment.trace[: moment.cursor], targets)
    rounds = [one for each in (told if scope == RUN else told[-1:]) for one in each]
    series = survival_series(moment, scope, INDEX, ROUNDS)
    assert len(series.rounds) == len(rounds)
    assert series.survivors.tolist() == [one.left for one in rounds]
    if not rounds:
        return
    assert series.undecided == (rounds[-1].end is None)
    assert all(one.end is not None for one in rounds[:-1])
    codes, shown = raster(moment, series)
    assert shown.tolist() == list(range(len(rounds)))
    assert codes.T.tolist() == [column(one, targets) for one in rounds]
    by_events = survival_series(moment, scope, INDEX, EVENTS)
    widths = [(moment.cursor if one.end is None else one.end) - one.begin for one in rounds]
    assert np.diff(by_events.edges).tolist() == widths
    by_samples = np.diff(survival_series(moment, scope, INDEX, SAMPLES).edges)
    drawn = [one.drawn for one in rounds]
    if any(drawn):
        known = slice(None, -1 if series.undecided and not drawn[-1] else None)
        assert by_samples[known] == pytest.approx(drawn[known], rel=1e-12, abs=1e-6)
    assert by_samples[-1] > 0 or not series.undecided


@given(cursors, st.sampled_from([RUN, SUBROUTINE]), st.sampled_from([ROUNDS, EVENTS, SAMPLES]))
@settings(max_examples=40)
def test_nothing_after_the_cursor_enters(place, scope, axis):
    name, part = place
    whole = moment_of(name, at(name, part))
    cut = Trace(whole.instance)
    cut.extend(whole.trace[: whole.cursor])
    alone = Moment.of(cut)
    for order in (REWARD, ESTIMATE, INDEX):
        one, other = (survival_series(moment, scope, order, axis) for moment in (whole, alone))
        for each in fields(one):
            a, b = getattr(one, each.name), getattr(other, each.name)
            if each.name == "rounds":
                assert (a.first, a.last, a.subroutines) == (b.first, b.last, b.subroutines)
            else:
                assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, each.name
    if not len(one.rounds):
        return
    assert np.array_equal(raster(whole, one, columns=300)[0], raster(alone, other, columns=300)[0])
    for x in np.linspace(0, one.edges[-1], 23):
        for y in range(0, len(one.order), 3):
            assert survival_words(whole, one, x, y + 0.5) == survival_words(alone, other, x, y + 0.5)


# -- order ------------------------------------------------------------------------------------------------------


@given(cursors)
def test_orders(place):
    name, part = place
    moment = moment_of(name, at(name, part))
    instance = moment.instance
    by_reward = survival_series(moment, RUN, REWARD, ROUNDS)
    assert (np.diff(instance.gaps[by_reward.order]) >= 0).all()
    assert by_reward.best == 0
    assert by_reward.order[0] == instance.best
    estimates = [event.theta for event in moment.trace[: moment.cursor] if isinstance(event, ev.Estimated)]
    by_estimate = survival_series(moment, RUN, ESTIMATE, ROUNDS)
    if not estimates:
        assert by_estimate.order.tolist() == list(range(len(instance.targets)))
        return
    values = instance.targets[:, : len(estimates[-1])] @ estimates[-1]
    expected = sorted(range(len(values)), key=lambda z: (-values[z], z))
    assert by_estimate.order.tolist() == expected
    if len(by_reward.rounds):
        in_order = raster(moment, by_estimate)[0]
        by_index = raster(moment, survival_series(moment, RUN, INDEX, ROUNDS))[0]
        assert np.array_equal(in_order, by_index[expected])


def test_the_truth_can_be_hidden():
    moment = replace(moment_of("sphere"), truth=False)
    series = survival_series(moment, RUN, REWARD, ROUNDS)
    assert series.order.tolist() == list(range(30))
    assert series.best is None
    assert "by index" in series.subtitle
    assert survival_series(moment_of("sphere"), RUN, REWARD, ROUNDS).order.tolist() != list(range(30))


# -- the axis ---------------------------------------------------------------------------------------------------


def test_the_axis_keeps_room_for_the_rounds_that_are_planned():
    trace = trace_of("hard")
    widths = set()
    for cursor in range(int(trace.subroutines[-1]) + 1, len(trace) + 1):
        series = survival_series(moment_of("hard", cursor), SUBROUTINE, REWARD, ROUNDS)
        widths.add(series.width)
        assert [name for _, name in series.places] == ["1", "2", "3", "4"]
        assert [x for x, _ in series.places] == [0.5, 1.5, 2.5, 3.5]
    assert widths == {4.0}


def test_subroutines_have_names_and_boundaries_in_the_whole_run():
    moment = moment_of("hard")
    series = survival_series(moment, RUN, REWARD, ROUNDS)
    told = [each for each in retold(moment.trace, 10) if each]
    assert series.boundaries.tolist() == np.cumsum([len(each) for each in told])[:-1].tolist()
    names = [f"ℓ{each[0].place.ell} i{each[0].place.i}" for each in told]
    assert [name for _, name in series.places] == names
    assert [name for _, name in survival_series(moment_of("budget"), RUN, REWARD, ROUNDS).places][:2] == [
        "i1 j1",
        "i1 j2",
    ]


def test_idle_rounds_are_one_column():
    moment = moment_of("idle")
    series = survival_series(moment, SUBROUTINE, INDEX, ROUNDS)
    assert len(series.rounds) == 5
    assert series.places[:5][-1] == (4.5, "5–7")
    words = survival_words(moment, series, 4.5, float(np.flatnonzero(series.order == moment.state.survivors[0])[0]))
    assert "k5–7 · survives, |Ŝ_8| = " in words
    assert "idle" in words


# -- a run that is long -----------------------------------------------------------------------------------------


def long_trace(rounds, targets=40, per_subroutine=25):
    instance = Instance.linear(np.random.default_rng(1).standard_normal((targets, 3)), [1.0, 0.5, 0.2])
    trace, samples = Trace(instance), 0
    trace.append(ev.RunStarted(Place(), instance.digest, "synthetic", {}, 0, "best arm", {}))
    rng = np.random.default_rng(0)
    for number in range(rounds):
        ell, k = divmod(number, per_subroutine)
        if k == 0:
            trace.append(ev.SubroutineStarted(Place(ell + 1, 1), "gems-c", per_subroutine, 4.0, 0.05, 0.0))
            left = rng.permutation(targets)
        here = Place(ell + 1, 1, k + 1)
        counts = rng.integers(1, 1000, 1)
        samples += int(counts.sum())
        trace.append(ev.Allocated(here, 1, np.array([0]), counts, 1.0, True))
        trace.append(ev.Pulled(here, np.array([1.0]), samples))
        gone, left = left[:1], left[1:]
        trace.append(ev.Eliminated(here, gone, left[:1], np.ones(1), np.ones(1), len(left)))
    return trace


def test_a_long_run_is_sampled_and_what_is_kept_does_not_show():
    trace = long_trace(3000)
    history = History(trace)
    kept = FateColumns(history)
    rng = np.random.default_rng(5)
    every = None
    for cursor in [len(trace), *rng.integers(2000, len(trace), 12).tolist()]:
        moment = Moment(trace, history, trace.state_at(cursor))
        for axis in (ROUNDS, SAMPLES):
            series = survival_series(moment, RUN, INDEX, axis)
            codes, shown = survival_raster(moment, series, kept, 500, 10_000)
            assert codes.shape == (40, 500)
            assert shown[-1] == len(series.rounds) - 1
            assert (np.diff(shown) >= 0).all()
            fresh, _ = raster(moment, series, columns=500)
            assert np.array_equal(codes, fresh)
            if every is None:
                every = raster(moment, survival_series(moment, RUN, INDEX, ROUNDS), columns=3000)[0]
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
        moment = Moment(grown, history, grown.state_at(cursor))
        series = survival_series(moment, RUN, INDEX, ROUNDS)
        if len(series.rounds):
            expected = raster(moment_of("sphere", cursor), series)[0]
            assert np.array_equal(raster(moment, series, kept)[0], expected)


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


# -- words ------------------------------------------------------------------------------------------------------


def worded_trace(width=0.41, names=None):
    """Five arms; the first round eliminates arm 4 by arm 0, the second has only begun."""
    instance = Instance.linear(np.eye(5), [0.5, 0.4, 0.3, 0.2, 0.1], arm_names=names)
    trace = Trace(instance)
    first, second = Place(5, 1, 1), Place(5, 1, 2)
    trace.extend(
        [
            ev.RunStarted(Place(), instance.digest, "fixed-confidence", {}, 0, "best arm", {}),
            ev.Recommended(Place(), 2, 0, "first guess"),
            ev.SubroutineStarted(Place(5, 1), "gems-c", 4, 64.0, 0.05, 0.0),
            ev.Allocated(first, 5, np.arange(5), np.full(5, 20), 1.0, True),
            ev.Pulled(first, np.ones(5), 100),
            ev.Estimated(first, np.array([0.9, 0.1, 0.2, 0.3, 0.05])),
            ev.Eliminated(first, np.array([4]), np.array([0]), np.array([0.83]), np.array([width]), 4),
            ev.Allocated(second, 5, np.arange(5), np.full(5, 20), 1.0, True),
        ]
    )
    return trace


def test_hovering_tells_the_fate_and_its_numbers():
    moment = Moment.of(worded_trace())
    series = survival_series(moment, SUBROUTINE, REWARD, ROUNDS)

    def words(x, y):
        return survival_words(moment, series, x, y)

    assert words(0.5, 4.5) == "arm 4 · ℓ5 i1 k1 · eliminated by arm 0: gap 0.83 ≥ ω 0.41"
    assert words(0.5, 0.5) == "arm 0 · ℓ5 i1 k1 · survives, |Ŝ_2| = 4"
    assert words(1.5, 0.5) == "arm 0 · ℓ5 i1 k2 · being decided, |Ŝ_2| = 4"
    assert words(1.5, 4.5) == "arm 4 · ℓ5 i1 k2 · eliminated in k1 by arm 0: gap 0.83 ≥ ω 0.41"
    assert [words(2.5, 0.5), words(0.5, 5.5), words(-0.1, 0.5), words(0.5, -0.1)] == [""] * 4


def test_the_rule_of_halving_widths_and_names_of_arms_are_said():
    moment = Moment.of(worded_trace(0.5, ["a", "b", "c", "d", "the last of all arms"]))
    series = survival_series(moment, SUBROUTINE, REWARD, ROUNDS)
    words = survival_words(moment, series, 0.5, 4.5)
    assert words == "the last of all arms · ℓ5 i1 k1 · eliminated by a: gap 0.83 ≥ 2⁻¹ = 0.5"
    assert [name for _, name in series.names] == ["a", "b", "c", "d", "the last of…"]


def test_an_algorithm_without_subroutines_has_its_round():
    moment = moment_of("static")
    for scope in (RUN, SUBROUTINE):
        series = survival_series(moment, scope, REWARD, ROUNDS)
        assert series.places == [(0.5, "1")]
        assert survival_words(moment, series, 0.5, 0.5).endswith(
            "k1 · survives, |Ŝ_2| = 10: nobody was to be eliminated"
        )
        assert series.subtitle == "arms by true reward · one column per round"


def test_targets_that_are_no_arms_are_called_targets():
    series = survival_series(moment_of("transductive"), SUBROUTINE, REWARD, ROUNDS)
    assert series.y_label == "target"
    assert survival_words(moment_of("transductive"), series, 0.0, 0.5).startswith("target ")
    assert survival_series(moment_of("sphere"), SUBROUTINE, REWARD, ROUNDS).y_label == "arm"


# -- the widget -------------------------------------------------------------------------------------------------


@pytest.fixture
def show(qtbot):
    """A view in a card of a size, showing a moment."""

    def make_card(moment, size=(700, 320), theme=LIGHT, **options):
        view = SurvivingArms(theme, exporting=True)
        view.settings.update(options)
        card = Card(view.head, view.body)
        card.setStyleSheet(f"QFrame {{ background: {theme.card}; }}")
        card.resize(*size)
        card.view = view
        qtbot.addWidget(card)
        view.show(moment)
        with qtbot.waitExposed(card):
            card.show()
        return view, card

    return make_card


def pixel(view, card, x, y):
    """Where in the card a place of the plot is."""
    scene = view.plot.box.mapViewToScene(QPointF(x, y))
    return view.plot.viewport().mapTo(card, view.plot.mapFromScene(scene))


def blended(theme, alpha=110):
    front, back = theme.color("surviving"), theme.color("card")
    return [
        round(alpha / 255 * a + (1 - alpha / 255) * b)
        for a, b in zip(front.getRgb()[:3], back.getRgb()[:3], strict=True)
    ]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize(
    ("name", "part", "options"),
    [
        ("hard", 1.0, {}),
        ("hard", 1.0, {"scope": RUN}),
        ("sphere", 0.9, {"scope": RUN, "order": ESTIMATE, "axis": EVENTS}),
        ("sphere", 1.0, {"scope": RUN, "order": INDEX, "axis": SAMPLES}),
    ],
)
def test_cells_have_the_colours_of_their_fates(show, name, part, options, theme):
    moment = moment_of(name, at(name, part))
    view, card = show(moment, (1100, 420), theme, **options)
    image = card.grab().toImage()
    codes, shown = raster(moment, view.series)
    assert codes.shape[0] == len(moment.instance.targets)
    middles = (view.series.edges[:-1] + view.series.edges[1:]) / 2
    wide = np.diff(view.series.edges) / view.series.width * view.plot.box.width() > 14
    checked = set()
    for row, line in enumerate(codes):
        for round_, middle in enumerate(middles.tolist()):
            code = int(line[np.flatnonzero(shown == round_)[0]]) if round_ in shown else UNDECIDED
            if code == UNDECIDED or not wide[round_]:
                continue
            where = pixel(view, card, middle, row + 0.5)
            role = {SURVIVING: "surviving", NOW: "now", BEFORE: "before"}[code]
            assert image.pixelColor(where).name() == theme.color(role).name(), (row, round_)
            checked.add(role)
    assert len(checked) >= 2


def test_a_round_that_is_being_decided_is_lighter_and_hatched(show):
    moment = Moment.of(worded_trace())
    view, card = show(moment)
    image = card.grab().toImage()
    corner = pixel(view, card, 1.2, 0.3)
    colors = [
        tuple(image.pixelColor(corner.x() + x, corner.y() + y).getRgb()[:3]) for x in range(24) for y in range(12)
    ]
    commonest = max(set(colors), key=colors.count)
    assert np.abs(np.subtract(commonest, blended(LIGHT))).max() <= 3
    assert LIGHT.color("card").getRgb()[:3] in colors
    assert view.hatch.isVisible()
    view.show(Moment.of(moment.trace, 7))
    assert not view.hatch.isVisible()


def test_marks_stand_beside_their_rows(show):
    moment = Moment.of(worded_trace(), selection=Selection(3, 3))
    view, card = show(moment)
    image = card.grab().toImage()
    for item, role, position in ((view.best, "best", 0), (view.recommended, "chosen", 2)):
        (x,), (y,) = item.getData()
        assert x < 0
        assert y == position + 0.5
        assert image.pixelColor(pixel(view, card, x, y)).name() == LIGHT.color(role).name()
    row = view.chosen_row.rect()
    assert (row.top(), row.bottom(), row.left(), row.right()) == (3.0, 4.0, 0.0, 4.0)
    outline = pixel(view, card, 0.5, 3.0)
    near = {image.pixelColor(outline.x(), outline.y() + dy).name() for dy in (-1, 0, 1)}
    assert LIGHT.color("text").name() in near
    assert view.current.rect().left() == 1.0
    view.show(replace(moment, truth=False, selection=Selection()))
    assert len(view.best.getData()[0]) == 0
    assert not view.chosen_row.isVisible()
    assert "true best" not in view.legend.text()


def test_the_count_is_in_numbers_where_they_have_room_and_a_line_elsewhere(show):
    moment = moment_of("hard")
    view, card = show(moment, (1300, 420), scope=RUN)
    assert [name for _, name in view.numbers.places] == [str(left) for left in view.series.survivors]
    assert not view.strip.isVisible()
    card.resize(500, 300)
    assert view.strip.isVisible()
    assert not view.numbers.isVisible()
    x, y = view.strip_line.getData()
    middles = (view.series.edges[:-1] + view.series.edges[1:]) / 2
    drawn = [y[np.searchsorted(x, middle, side="right")] for middle in middles]
    assert 10 ** np.array(drawn) == pytest.approx(view.series.survivors)


def test_clicking_picks_a_target_and_clears_it_again(qtbot, show):
    moment = Moment.of(worded_trace())
    view, _card = show(moment)
    picked = []
    view.target_picked.connect(picked.append)

    def click(x, y):
        where = view.plot.mapFromScene(view.plot.box.mapViewToScene(QPointF(x, y)))
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=where)

    click(0.5, 3.5)
    assert picked == [3]
    view.show(replace(moment, selection=Selection(3, 3)))
    click(1.5, 3.5)
    click(0.5, 1.5)
    view.show(replace(moment, selection=Selection(1, 1)))
    click(3.5, 1.5)
    assert picked == [3, None, 1, None]


def test_pointing_shows_the_words(qtbot, show):
    view, _card = show(Moment.of(worded_trace()))
    where = view.plot.mapFromScene(view.plot.box.mapViewToScene(QPointF(0.5, 4.5)))
    qtbot.mouseMove(view.plot.viewport(), where)
    qtbot.waitUntil(view.plot.readout.isVisible)
    assert view.plot.readout.text() == "arm 4 · ℓ5 i1 k1 · eliminated by arm 0: gap 0.83 ≥ ω 0.41"


def texts_of(axis):
    """Rectangles of the words at the ticks, in the plot's pixels."""
    picture = QPicture()
    painter = QPainter(picture)
    _, _, texts = axis.generateDrawSpecs(painter)
    painter.end()
    return [(axis.mapRectToScene(rectangle), words) for rectangle, _, words in texts]


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("size", [(420, 230), (700, 320), (1300, 420)])
def test_texts_stay_inside_and_apart(show, size, scale):
    for options in ({}, {"scope": RUN}, {"scope": RUN, "axis": SAMPLES}):
        view, card = show(moment_of("sphere", at("sphere", 0.9)), size, LIGHT.scaled(scale), **options)
        card.grab()
        assert view.plot.box.height() > 40
        inside = view.plot.rect().toRectF().adjusted(-2, -2, 2, 6)  # a label's rectangle has room for descenders
        for axis in (view.plot.x_axis, view.plot.y_axis):
            assert inside.contains(axis.label.mapRectToScene(axis.label.boundingRect().adjusted(2, 2, -2, -2)))
        axes = (view.plot.x_axis, view.plot.y_axis, view.numbers, view.strip_axis)
        shown = [texts_of(axis) for axis in axes if axis.isVisible()]
        assert all(shown)
        texts = [each for found in shown for each in found]
        for rectangle, words in texts:
            assert inside.contains(rectangle), words
        for (one, first), (other, second) in combinations(texts, 2):
            assert not one.adjusted(1, 2, -1, -2).intersects(other.adjusted(1, 2, -1, -2)), (first, second)
        card.close()


def test_a_zoomed_plot_shows_every_row(show):
    trace = long_trace(30, targets=600)
    view, _card = show(Moment.of(trace), scope=RUN)
    assert view.image.image.shape[0] < 600
    view.plot.box.scaleBy((0.5, 0.5))
    view.plot.box.sigRangeChangedManually.emit(view.plot.box.mouseEnabled())
    assert view.image.image.shape == (600, 30)


def test_without_a_run_it_is_empty_and_every_option_is_offered(show):
    view, card = show(moment_of("hard"))
    for option in SurvivingArms.options:
        for value in option.choices:
            view.set_option(option.name, value)
            card.grab()
            assert view.settings[option.name] == value
    view.show(None)
    assert not view.image.isVisible()
    assert view.head.subtitle.text() == ""
    view.show(moment_of("hard", 0))
    assert view.head.subtitle.text() == "before the first round"
    assert not view.image.isVisible()
    assert VIEWS["survivors"] is SurvivingArms
