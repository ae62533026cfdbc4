"""The view of the survivors as it is painted: colours, marks, counts, mouse."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPainter, QPicture, QWheelEvent
from PySide6.QtWidgets import QApplication

from gems_engine import events as ev
from gems_engine.events import Place
from gems_engine.instance import Instance
from gems_engine.trace import Trace
from gems_gui.appearance import Appearance
from gems_gui.drafts.draft import Draft
from gems_gui.series.axis import RUN, SUBROUTINE
from gems_gui.series.fate_raster import BEFORE, NOW, SURVIVING, UNDECIDED
from gems_gui.series.surviving_arms import (
    ESTIMATE,
    EVENTS,
    INDEX,
    REWARD,
    SAMPLES,
)
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.card import Card
from gems_gui.views.surviving_arms import SurvivingArms
from tests.gui.survival_runs import at, long_trace, raster, snapshot_of, worded_trace
from tests.gui.text_boxes import assert_texts_fit, card_of, settle
from tests.gui.window_driver import driven

# -- the widget -------------------------------------------------------------------------------------------------


@pytest.fixture
def show(qtbot):
    """A view in a card of a size, showing a snapshot."""

    def make_card(snapshot, size=(700, 320), theme=LIGHT, **options):
        view = SurvivingArms(Appearance(theme), exporting=True)
        view.settings.update(options)
        card = Card(view.head, view.body)
        card.setStyleSheet(f"QFrame {{ background: {theme.card}; }}")
        card.resize(*size)
        card.view = view
        qtbot.addWidget(card)
        view.show(snapshot)
        with qtbot.waitExposed(card):
            card.show()
        return view, card

    return make_card


def pixel(view, card, x, y):
    """Where in the card a place of the plot is."""
    scene = view.plot.box.mapViewToScene(QPointF(x, y))
    return view.plot.viewport().mapTo(card, view.plot.mapFromScene(scene))


def test_the_pointer_is_above_the_cells_also_in_a_low_plot(show):
    view, card = show(snapshot_of("sphere", at("sphere", 0.5)))
    for height in (320, 100, 80, 60):
        view.plot.setFixedHeight(height)
        card.grab()
        view.show(view.snapshot)
        (x,), (y,) = view.pointer.getData()
        assert pixel(view, card, x, y).y() <= pixel(view, card, x, 0.0).y() - LIGHT.pixels(6)


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
    snapshot = snapshot_of(name, at(name, part))
    view, card = show(snapshot, (1100, 420), theme, **options)
    image = card.grab().toImage()
    codes, shown = raster(snapshot, view.series)
    assert codes.shape[0] == len(snapshot.instance.targets)
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
    snapshot = Snapshot.of(worded_trace())
    view, card = show(snapshot)
    image = card.grab().toImage()
    corner = pixel(view, card, 1.2, 0.3)
    colors = [
        tuple(image.pixelColor(corner.x() + x, corner.y() + y).getRgb()[:3]) for x in range(24) for y in range(12)
    ]
    commonest = max(set(colors), key=colors.count)
    assert np.abs(np.subtract(commonest, blended(LIGHT))).max() <= 3
    assert LIGHT.color("card").getRgb()[:3] in colors
    assert view.hatch.isVisible()
    view.show(Snapshot.of(snapshot.trace, 7))
    assert not view.hatch.isVisible()


def one_round(targets, *survivors, decided=True, recommended=None):
    """Of many arms some remain after the first round; or the round is not over."""
    survivor, others = survivors[0], np.delete(np.arange(targets), survivors)
    instance = Instance.linear(np.random.default_rng(3).standard_normal((targets, 3)), [1.0, 0.5, 0.2])
    here, each = Place(1, 1, 1), np.ones(len(others))
    trace = Trace(instance)
    trace.extend(
        [
            ev.RunStarted(Place(), instance.digest, "synthetic", {}, 0, "best arm", {}),
            *([] if recommended is None else [ev.Recommended(Place(), recommended, 0, "guess")]),
            ev.SubroutineStarted(Place(1, 1), "gems-c", 4, 4.0, 0.05, 0.0),
            ev.Allocated(here, 1, np.array([0]), np.array([9]), 1.0, True),
            ev.Pulled(here, np.array([1.0]), 9),
        ]
    )
    if decided:
        trace.append(ev.Eliminated(here, others, np.full(len(others), survivor), each, each, len(survivors)))
    return trace


@pytest.mark.parametrize("selected", [False, True])
@pytest.mark.parametrize("targets", [100, 1500])
@pytest.mark.parametrize("place", [0.0, 0.37, 1.0])
def test_one_survivor_of_many_is_seen(show, targets, place, selected):
    survivor = round(place * (targets - 1))
    snapshot = Snapshot.of(one_round(targets, survivor))
    if selected:
        snapshot = replace(snapshot, selection=Selection(survivor, survivor))
    view, card = show(snapshot, (560, 300), order=INDEX)
    for zoom in (1.0, 0.8):
        view.plot.box.scaleBy((1.0, zoom), center=QPointF(0.5, survivor + 0.5))
        view.plot.box.sigRangeChangedManually.emit(view.plot.box.mouseEnabled())
        image = card.grab().toImage()
        middle = pixel(view, card, 0.5, survivor + 0.5)
        near = [image.pixelColor(middle.x(), middle.y() + y).name() for y in range(-6, 7)]
        assert near.count(LIGHT.color("surviving").name()) >= (1 if selected else 2), zoom


def named_rows(view, card):
    """The names at the rows as they are painted, after nothing was found to overprint or leave the card."""
    settle(card, card.width(), card.height())
    assert_texts_fit(card)
    return [words for _, words in texts_of(view.plot.y_axis)]


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_survivors_the_best_and_the_recommended_arm_are_named(qtbot, scale):
    best = one_round(800, 0).instance.best
    few, many = (5, 6, 7), (*range(100, 160), best)
    theme = LIGHT.scaled(scale)
    view = SurvivingArms(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    for size in ((700, 240), (420, 320), (1300, 700)):
        card.setFixedSize(*(round(scale * each) for each in size))
        for order in (INDEX, REWARD):
            view.set_option("order", order)
            view.show(Snapshot.of(one_round(800, *few, recommended=400)))
            names = named_rows(view, card)
            assert {"5", "6", "7", "400", str(best)} <= set(names), (size, names)
            assert len(set(names)) == len(names)
            assert not any("more" in name for name in names)
            view.show(replace(view.snapshot, truth=False))
            assert {"5", "6", "7", "400"} <= set(named_rows(view, card))
            for trace, remain in (
                (one_round(800, *many, recommended=400), set(map(str, many))),
                (one_round(800, 0, decided=False, recommended=400), set(map(str, range(800)))),
            ):
                view.show(Snapshot.of(trace))
                names = named_rows(view, card)
                assert {"400", str(best)} <= set(names)
                shown = len(remain & set(names))
                assert f"+{len(remain) - shown} more" in names
                assert shown >= view.plot.y_axis.most_levels // 2, "as many as fit"


def test_the_number_of_other_survivors_is_below_all_names_and_points_at_no_row(qtbot):
    view = SurvivingArms(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    view.show(Snapshot.of(one_round(11, 0, decided=False)))
    counted = 0
    for height in range(170, 260, 6):
        card.setFixedSize(740, height)
        names = named_rows(view, card)
        counted += "more" in names[-1]
        assert not any("more" in name for name in names[:-1]), height
        axis = view.plot.y_axis
        edge = axis.mapRectFromParent(axis.geometry()).right()
        (count,) = [box for box, words in texts_of(axis) if "more" in words] or [None]
        _, ticks, _ = axis.generateDrawSpecs(None)
        if count is not None:
            middle = axis.mapRectFromScene(count).center().y()
            assert all(abs(begin.y() - middle) > 1 for _, begin, end in ticks if end.x() == edge), "no line leads away"
    assert counted > 3


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_ten_survivors_are_named_wherever_ten_lines_have_room(qtbot, scale):
    theme = LIGHT.scaled(scale)
    view = SurvivingArms(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    view.show(Snapshot.of(one_round(10, 0, decided=False)))
    low = 0
    for height in range(200, 300, 6):
        card.setFixedSize(round(scale * 740), round(scale * height))
        names, row, line = named_rows(view, card), 1 / view.plot.pixel[1], view.plot.y_axis.name_line
        if 10 * row >= 105 * scale:  # as in the window at its usual size
            assert sorted(names) == sorted(map(str, range(10))), height
            low += row < line
    assert low, "also where a row is lower than its name"


def test_where_rows_are_high_enough_all_are_named(qtbot):
    view = SurvivingArms(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    for trace in (one_round(8, 0, 1, 2, 3), one_round(8, 0), one_round(8, 0, decided=False)):
        view.show(Snapshot.of(trace))
        for height in range(240, 330, 6):
            card.setFixedSize(740, height)
            names = named_rows(view, card)
            if 1 / view.plot.pixel[1] >= view.plot.y_axis.name_line:
                assert sorted(names) == sorted(map(str, range(8))), height
    assert len(names) == 8


def test_names_of_many_rows_reach_down_to_the_last_ones_without_gaps(qtbot):
    view = SurvivingArms(Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    view.show(Snapshot.of(one_round(800, 0)))
    view.set_option("order", INDEX)
    for height in range(220, 340, 10):
        card.setFixedSize(740, height)
        names = sorted(map(int, named_rows(view, card)))
        assert names[0] == 0
        assert names[-1] > 0.85 * 800, height
        assert max(np.diff(names)) <= 2 * min(np.diff(names)), height


def test_a_name_away_from_its_row_is_led_to_it(show):
    view, card = show(Snapshot.of(one_round(800, 5, 6, 7)), (700, 320), order=INDEX)
    image = card.grab().toImage()
    axis = view.plot.y_axis
    boxes = {words: box for box, words in texts_of(axis)}
    edge = axis.mapRectToScene(axis.boundingRect()).right()
    for name in ("6", "7"):
        row = pixel(view, card, 0.0, float(name) + 0.5).y()
        from_, to = QPointF(boxes[name].right() + 5, boxes[name].center().y()), QPointF(edge, 0)
        middle = view.plot.viewport().mapTo(card, view.plot.mapFromScene((from_ + to) / 2))
        colors = {image.pixelColor(middle.x(), y).name() for y in range(row, round(from_.y()) + 60)}
        assert len(colors) > 1, name
    view.show(Snapshot.of(one_round(800, 5)))
    assert "5" in named_rows(view, card)


def test_turning_the_wheel_names_the_survivors_in_sight(qtbot, show):
    view, card = show(Snapshot.of(one_round(800, *range(300, 400))), (700, 320), order=INDEX)
    assert "+" in "".join(named_rows(view, card))
    where = QPointF(view.plot.mapFromScene(view.plot.box.mapViewToScene(QPointF(0.5, 304.5))))
    for _ in range(40):
        if np.ptp(view.plot.box.viewRange()[1]) < 14:
            break
        wheel = QWheelEvent(
            where,
            view.plot.viewport().mapToGlobal(where),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(view.plot.viewport(), wheel)
    low, high = view.plot.box.viewRange()[1]
    inside = [str(row) for row in range(300, 400) if low <= row + 0.5 <= high]
    assert set(inside) <= set(named_rows(view, card))
    assert len(inside) > 5


def test_many_arms_that_are_being_decided_are_hatched_too(show):
    view, card = show(Snapshot.of(one_round(1500, 0, decided=False)), (560, 300), order=INDEX)
    image = card.grab().toImage()
    top, bottom = (pixel(view, card, 0.3, y).y() for y in (30, 1470))
    x = pixel(view, card, 0.3, 0).x()
    colors = [image.pixelColor(x, y).getRgb()[:3] for y in range(top, bottom)]
    lines = [at for at, color in enumerate(colors) if color == LIGHT.color("card").getRgb()[:3]]
    assert np.diff([-1, *lines, len(colors)]).max() < 20, "from top to bottom"
    assert len(lines) < len(colors) / 2
    assert "▨ being decided" in view.legend.text()
    view.show(Snapshot.of(one_round(1500, 0)))
    assert not view.hatch.isVisible()


def test_marks_stand_beside_their_rows(show):
    snapshot = Snapshot.of(worded_trace(), selection=Selection(3, 3))
    view, card = show(snapshot, scope=SUBROUTINE)
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
    assert view.current.rect().left() == pytest.approx(1.0 - 2 * view.plot.box.viewPixelSize()[0]), "around its column"
    view.show(replace(snapshot, truth=False, selection=Selection()))
    assert len(view.best.getData()[0]) == 0
    assert not view.chosen_row.isVisible()
    assert "true best" not in view.legend.text()


def test_the_count_is_in_numbers_where_they_have_room_and_a_line_elsewhere(show):
    snapshot = snapshot_of("hard")
    view, card = show(snapshot, (1300, 420), scope=RUN)
    assert [name for _, name in view.counts.numbers.tick_labels] == [str(left) for left in view.series.survivors]
    assert not view.counts.box.isVisible()
    card.resize(500, 300)
    assert view.counts.box.isVisible()
    assert not view.counts.numbers.isVisible()
    x, y = view.counts.line.getData()
    middles = (view.series.edges[:-1] + view.series.edges[1:]) / 2
    drawn = [y[np.searchsorted(x, middle, side="right")] for middle in middles]
    assert 10 ** np.array(drawn) == pytest.approx(view.series.survivors)


def test_clicking_picks_a_target_and_clears_it_again(qtbot, show):
    snapshot = Snapshot.of(worded_trace())
    view, _card = show(snapshot, scope=SUBROUTINE)
    picked = []
    view.target_picked.connect(picked.append)

    def click(x, y):
        where = view.plot.mapFromScene(view.plot.box.mapViewToScene(QPointF(x, y)))
        qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=where)

    click(0.5, 3.5)
    assert picked == [3]
    view.show(replace(snapshot, selection=Selection(3, 3)))
    click(1.5, 3.5)
    click(0.5, 1.5)
    view.show(replace(snapshot, selection=Selection(1, 1)))
    click(3.5, 1.5)
    assert picked == [3, None, 1, None]


def test_pointing_shows_the_words(qtbot, show):
    view, _card = show(Snapshot.of(worded_trace()))
    where = view.plot.mapFromScene(view.plot.box.mapViewToScene(QPointF(0.5, 4.5)))
    qtbot.mouseMove(view.plot.viewport(), where)
    qtbot.waitUntil(view.plot.readout.isVisible)
    assert view.plot.readout.text() == "arm 4 · ℓ5 i1 k1 · eliminated by arm 0: gap 0.83 ≥ ω = 0.41"


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
    for options in ({"scope": SUBROUTINE}, {"scope": RUN}, {"scope": RUN, "axis": SAMPLES}):
        view, card = show(snapshot_of("sphere", at("sphere", 0.9)), size, LIGHT.scaled(scale), **options)
        QApplication.sendPostedEvents()
        card.grab()
        assert view.plot.box.height() > 40
        inside = view.plot.rect().toRectF().adjusted(-2, -2, 2, 6)  # a label's rectangle has room for descenders
        for axis in (view.plot.x_axis, view.plot.y_axis):
            assert inside.contains(axis.label.mapRectToScene(axis.label.boundingRect().adjusted(2, 2, -2, -2)))
        axes = (view.plot.x_axis, view.plot.y_axis, view.counts.numbers, view.counts.axis)
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
    view, _card = show(Snapshot.of(trace), scope=RUN)
    assert view.image.image.shape[0] < 600
    view.plot.box.scaleBy((0.05, 0.05))
    view.plot.box.sigRangeChangedManually.emit(view.plot.box.mouseEnabled())
    assert view.image.image.shape == (600, 30)


def test_without_a_run_it_is_empty_and_every_option_is_offered(show):
    view, card = show(snapshot_of("hard"))
    for option in SurvivingArms.options:
        for value in option.choices:
            view.set_option(option.name, value)
            card.grab()
            assert view.settings[option.name] == value
    view.show(None)
    assert not view.image.isVisible()
    assert view.head.subtitle.text() == ""
    view.show(snapshot_of("hard", 0))
    assert view.plot.placeholder == ()
    assert set(view.image.image.ravel().tolist()) == {UNDECIDED}, "all arms are candidates of the first round"
    assert view.plot.y_axis.tick_labels, "the arms are there"
    assert view.plot.x_axis.tick_labels == [(0.5, "1")], "how many rounds there will be is not known"
    assert not view.current.isVisible()
    assert VIEWS["survivors"] is SurvivingArms


@pytest.mark.parametrize(("height", "dock"), [(868, ""), (878, "Ctrl+T")])
def test_all_arms_of_the_papers_instance_are_named_in_a_usual_window(qtbot, height, dock):
    """Also while all of them survive, so that the first picture of a run hides none; and next to a dock."""
    with driven(qtbot, Draft.of("paper-hard", seed=1), size=(1440, height), layout="explore") as driver:
        if dock:
            driver.press(dock)
            driver.wait(lambda: driver.window.instance_table.dock.isVisible() and driver.board.settled)
            driver.window.centralWidget().setFocus()
        driver.start()
        driver.press("Space")
        driver.press("Home")
        driver.press("Right", times=3)
        assert driver.shown() == 3
        levels = driver.views["survivors"].plot.y_axis.levels
        named = {level.words for each in levels.values() for level in each}
        assert named == {f"x{subscript}" for subscript in ("₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉", "₁₀")}
