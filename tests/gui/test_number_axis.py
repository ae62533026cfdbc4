"""Numbers at the axes: right, readable next to each other, and only where the scale is."""

import math

import numpy as np
import pyqtgraph as pg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_gui.appearance import Appearance
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.number_axis import Level
from gems_gui.views.plot import NumberAxis, Plot
from gems_gui.views.sample_counts import SampleCounts
from tests.gui.sample_runs import snapshot_of
from tests.gui.text_boxes import assert_texts_fit, card_of, settle, text_boxes

SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")


@pytest.fixture(scope="module")
def axis(qapp):
    """A vertical axis with the font of all numbers."""
    made = NumberAxis("left")
    made.setTickFont(LIGHT.font(11))
    return made


def value_of(text):
    """The number that a reader sees."""
    if text.startswith("10") and text[2:].strip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹") == "" and len(text) > 2:
        return 10.0 ** int(text[2:].translate(SUPERSCRIPTS))
    factor, _, power = text.partition("·10")
    value = float(factor.replace("\N{NARROW NO-BREAK SPACE}", "").translate(SUPERSCRIPTS))
    return value * 10.0 ** int(power.translate(SUPERSCRIPTS) or 0)


@given(st.floats(-12, 12), st.floats(0.3, 14), st.floats(30, 800))
def test_logarithmic_numbers_are_true_and_have_room(axis, low, span, size):
    axis.setLogMode(False, True)
    axis.lowest = -math.inf
    (spacing, named), (nothing, marks) = axis.tickValues(low, low + span, size)
    words = axis.tickStrings(named, 1.0, spacing)
    assert np.allclose([math.log10(value_of(text)) for text in words], named, atol=1e-9)
    assert axis.tickStrings(marks, 1.0, nothing) == [""] * len(marks)
    assert all(low <= value <= low + span for value in (*named, *marks))
    line = QFontMetricsF(LIGHT.font(11)).height()
    assert (np.diff(named) * size / span >= line - 1e-6).all()
    assert not set(named) & set(marks)
    if span >= 1 and size / span >= line:
        assert named  # a decade in sight has a number


@pytest.mark.parametrize(("low", "high"), [(308.2, 308.9), (307.0, 311.0), (-330.5, -330.1), (-324.0, -320.0)])
def test_powers_of_ten_beyond_doubles_have_numbers_too(axis, low, high):
    axis.setLogMode(False, True)
    axis.lowest = -math.inf
    (spacing, named), _ = axis.tickValues(low, high, 400.0)
    powers = [int(text[2:].translate(SUPERSCRIPTS)) for text in axis.tickStrings(named, 1.0, spacing)]
    assert powers == list(range(math.ceil(low), math.floor(high) + 1))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(30, 800))
def test_linear_numbers_are_true_and_have_room(axis, low, span, size):
    axis.setLogMode(False, False)
    axis.lowest = -math.inf
    line = QFontMetricsF(LIGHT.font(11)).height()
    for spacing, values in axis.tickValues(low, low + span, size):
        assert spacing * size / span >= line - 1e-6
        if abs(low) < 1e3 and span > 1:
            assert np.allclose([value_of(text) for text in axis.tickStrings(values, 1.0, spacing)], values, atol=1e-3)


def test_small_numbers_have_powers_of_ten_on_every_scale(axis):
    axis.setLogMode(False, False)
    assert axis.tickStrings([-1e-4, -5e-5, 0.0, 5e-5, 1.5e-4], 1.0, 5e-5) == [
        "−10⁻⁴",
        "−5·10⁻⁵",
        "0",
        "5·10⁻⁵",
        "1.5·10⁻⁴",
    ]
    assert axis.tickStrings([0.0, 5e-4, 1e-3, 1.5e-3], 1.0, 5e-4) == ["0", "0.0005", "0.001", "0.0015"], "one notation"
    axis.setLogMode(False, True)
    assert axis.tickStrings([-5.0, math.log10(2e-5)], 1.0, 0.3) == ["10⁻⁵", "2·10⁻⁵"]


def test_room_for_marks_has_no_numbers(axis):
    for log in (False, True):
        axis.setLogMode(False, log)
        axis.lowest = 0.0
        assert min(value for _, values in axis.tickValues(-3.0, 5.0, 300) for value in values) == 0.0
        axis.lowest = -math.inf
        assert min(value for _, values in axis.tickValues(-3.0, 5.0, 300) for value in values) == -3.0


@pytest.mark.parametrize("name", ["survivors", "gaps", "cost", "counts"])
def test_another_kind_of_run_has_the_space_that_it_needs(qtbot, name):
    """Not that of the longer names and numbers of the run before it."""
    names = [f"a name with letters {at}" for at in range(3)]
    long = Run(Instance.linear(np.eye(3), [1.0, 0.5, 0.0], arm_names=names), "fixed-confidence", 1, max_samples=10**9)
    short = Run(make("sphere", D=5, d_star=2, n=8, seed=6), "gems-c", 1, rounds=8, selection_budget=80.0)

    def left(view, card, *traces):
        for trace in traces:
            view.show(Snapshot.of(trace, len(trace)))
            settle(card, 420, 300)
        return view.plot.box.geometry().left()

    def made():
        view = VIEWS[name](Appearance(LIGHT))
        card = card_of(view, view.theme)
        qtbot.addWidget(card)
        return view, card

    traces = long.finish(), short.finish()
    assert left(*made(), *traces) == left(*made(), traces[1])
    assert left(*made(), *traces, traces[0]) == left(*made(), traces[0])


def test_a_low_plot_leaves_out_the_names_of_its_axes(qtbot):
    plot = Plot()
    qtbot.addWidget(plot)
    plot.apply_theme(LIGHT)
    plot.label("something along", "something with a rather long name", LIGHT)
    for height, x, y in ((400, True, True), (150, True, False), (80, False, False), (400, True, True)):
        plot.setFixedSize(400, height)
        plot.show()
        QApplication.sendPostedEvents()
        assert (plot.x_axis.label.isVisible(), plot.y_axis.label.isVisible()) == (x, y)


def test_a_legend_leaves_room_for_what_it_explains(qtbot):
    theme = LIGHT.scaled(1.5)
    view = SampleCounts(Appearance(theme))
    card = card_of(view, theme)
    qtbot.addWidget(card)
    view.show(snapshot_of("paper-hard"))
    names = ["this round", "rest of this call", "rest of the run", "true best"]
    low, narrow, wide, large = (351, 150), (351, 230), (560, 230), (700, 520)
    for size, entries in ((low, 0), (large, 4), (narrow, 1), (wide, 3), (low, 0)):
        settle(card, *size)
        texts = [box.text for box in text_boxes(card)]
        assert [name for name in names if any(name in text for text in texts)] == names[:entries], size
        assert view.legend.isVisible() == bool(entries)
        assert all(name in view.legend.toolTip() for name in names) == (entries < 4), "what is left out is in the tip"
        assert view.plot.height() >= size[1] / 2


@pytest.mark.parametrize(("low", "high"), [(21_000, 98_000), (2_100, 4_900), (610, 990), (51_000, 110_000)])
def test_a_short_part_of_a_logarithmic_scale_has_more_than_one_number(axis, low, high):
    axis.setLogMode(False, True)
    axis.lowest = -math.inf
    (spacing, named), _ = axis.tickValues(math.log10(low), math.log10(high), 300.0)
    numbers = [value_of(text) for text in axis.tickStrings(named, 1.0, spacing)]
    assert len(set(numbers)) >= 2
    assert all(low <= each <= high for each in numbers)
    assert np.allclose(np.log10(numbers), named)


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_a_scale_from_0_to_1_shows_both(qtbot, scale):
    theme = LIGHT.scaled(scale)
    whole, plot = QWidget(), Plot()
    qtbot.addWidget(whole)
    whole.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    QVBoxLayout(whole).addWidget(plot)
    plot.apply_theme(theme)
    for above, below in ((0, 0), (8, 4), (20, 15)):
        for size in ((160, 110), (260, 146), (400, 240), (900, 431)):
            plot.frame((0.0, 1.0), (0.0, 1.0), scale * above, scale * below)
            settle(whole, *(round(scale * each) for each in size))
            boxes = assert_texts_fit(whole)
            assert [box.text for box in boxes].count("0") == [box.text for box in boxes].count("1") == 2, size


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_names_are_a_line_apart(qtbot, scale):
    """Names extend below the line of digits: x_9 above x_10."""
    theme = LIGHT.scaled(scale)
    whole, plot = QWidget(), Plot()
    qtbot.addWidget(whole)
    whole.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    QVBoxLayout(whole).addWidget(plot)
    plot.apply_theme(theme)
    axis = plot.y_axis
    axis.set_tick_labels([(row + 0.5, f"x_{row}") for row in range(10)])
    axis.name_levels(plot, *(Level(row + 0.5, f"x_{row}", theme.text) for row in (0, 1)))
    metrics = QFontMetricsF(axis.style["tickFont"])
    ink = metrics.tightBoundingRect("x_10").height()
    for height in range(80, 240, 8):
        plot.frame((0.0, 1.0), (0.0, 10.0))
        settle(whole, round(scale * 300), round(scale * height))
        texts = axis.generateDrawSpecs(None)[2]
        assert {"x_0", "x_1"} <= {text for _, _, text in texts}
        middles = sorted(box.center().y() for box, _, text in texts if text)
        assert np.diff(middles).min() >= ink + 1, height
        named = sorted(box.center().y() for box, _, text in texts if text in ("x_0", "x_1"))
        assert named[1] - named[0] >= ink + 1, "an underscore does not touch the name below"


def test_axes_keep_no_space_for_numbers_of_another_size(qtbot):
    """Numbers are wider in larger text, and on a scale so long that 200 000 has room between powers of ten."""
    whole, plot = QWidget(), Plot()
    qtbot.addWidget(whole)
    whole.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    QVBoxLayout(whole).addWidget(plot)
    plot.y_axis.set_log(True)
    lefts = []
    for scale, height in ((1.0, 140), (1.0, 520), (1.0, 140), (2.0, 520), (1.0, 140)):
        plot.apply_theme(LIGHT.scaled(scale))
        plot.frame((0.0, 1.0), (4.6, 8.5))
        settle(whole, 300, height)
        plot.settle()
        lefts.append(plot.box.sceneBoundingRect().left())
    assert lefts[1] > lefts[0]
    assert lefts[0] == lefts[2] == lefts[4], lefts


@pytest.mark.parametrize("size", [8, 11, 12, 16, 24])
def test_the_underscore_of_a_name_is_clear_of_the_name_below(qapp, size):
    axis = NumberAxis("left")
    axis.setTickFont(LIGHT.scaled(size / 11).font(11))
    rows = []
    for name in ("x_9", "X_10"):
        image = QImage(60, 60, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        painter.setFont(axis.style["tickFont"])
        painter.drawText(2, 40, name)
        painter.end()
        rows.append([y for y in range(60) if any(image.pixelColor(x, y).lightness() < 220 for x in range(60))])
    above, below = rows[0], [y + axis.name_line for y in rows[1]]
    assert min(below) - max(above) >= 2, "a white row is between them"


def test_no_tick_crosses_a_mark_at_the_edge(qtbot):
    plot = Plot()
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    plot.apply_theme(LIGHT)
    plot.x_axis.setTextPen("#ff0000")
    plot.x_axis.setPen("#ff0000")
    dot = pg.ScatterPlotItem([0.5], [0.0], size=16, brush=pg.mkBrush("#0000ff"), pen=None)
    plot.addItem(dot)
    plot.box.setRange(xRange=(0.0, 1.0), yRange=(0.0, 1.0), padding=0)
    plot.show()
    image = plot.grab().toImage()
    place = plot.mapFromScene(plot.box.mapViewToScene(QPointF(0.5, 0.0)))
    above = [image.pixelColor(place.x(), place.y() - up).name() for up in range(1, 4)]
    assert above == ["#0000ff"] * 3


@pytest.mark.parametrize("name", ["cost", "counts"])
def test_an_axis_keeps_the_room_of_wider_numbers_until_the_plot_has_another_size(qtbot, name):
    view = VIEWS[name](Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    end = snapshot_of("sphere")

    def room(cursor, width):
        view.show(snapshot_of("sphere", cursor))
        settle(card, width, 300)
        return view.plot.y_axis.width()

    early = room(end.cursor // 4, 600)
    wide = room(end.cursor, 600)
    assert wide > early + 5
    assert room(end.cursor // 4, 600) == wide, "the plot does not move while the cursor does"
    assert room(end.cursor // 4, 601) == early
