"""What plots are drawn with: right to the pixel, nothing while empty, and nothing again for the same numbers."""

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gems_engine.history import History
from gems_gui.appearance import Appearance
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.items import BarItem, CurveItem, MarkItem, RasterItem
from gems_gui.views.number_axis import NumberAxis
from gems_gui.views.plot import Plot
from tests.gui.sample_runs import race_seeds, replicates_of, run, snapshot_of
from tests.gui.text_boxes import card_of, settle

RED = QColor("#ff0000")
PLOTS = [name for name, kind in VIEWS.items() if kind.is_plot]


@pytest.fixture
def plot(qtbot):
    """A plot of 0 to 10 in both directions."""
    made = Plot()
    qtbot.addWidget(made)
    made.apply_theme(LIGHT)
    made.frame((0.0, 10.0), (0.0, 10.0))
    made.resize(400, 300)
    made.show()
    made.settle()
    return made


def painted(plot):
    QApplication.sendPostedEvents()
    return plot.grab().toImage()


def color_at(plot, x, y):
    scene = plot.box.mapViewToScene(QPointF(x, y))
    return painted(plot).pixelColor(plot.mapFromScene(scene))


def red_pixels(plot):
    image = painted(plot).convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[:, : image.width()]
    return int(((rows[:, :, 2] == 255) & (rows[:, :, 1] == 0)).sum())


def test_marks_are_where_their_numbers_say_and_as_large_in_any_range(plot):
    marks = MarkItem(plot.box, "o", size=20)
    marks.setBrush(RED)
    assert not marks.isVisible()
    marks.setData([3.0], [7.0])
    assert color_at(plot, 3.0, 7.0) == RED
    assert color_at(plot, 7.0, 3.0) != RED
    area = red_pixels(plot)
    assert abs(area - np.pi * 100) < 80
    plot.frame((0.0, 100.0), (0.0, 50.0))
    plot.settle()
    assert color_at(plot, 3.0, 7.0) == RED
    assert abs(red_pixels(plot) - area) < 0.5 * area  # cut off by the edge of the box
    marks.setData([], [])
    assert not marks.isVisible()
    assert red_pixels(plot) == 0


def test_bars_and_curves_are_drawn_and_emptied(plot):
    bars = BarItem(plot.box, x=[], height=[], width=0.8)
    assert not bars.isVisible()
    bars.setOpts(x=np.array([2.0, 5.0]), height=np.array([4.0, 8.0]), brush=RED, pen=None)
    assert color_at(plot, 2.0, 3.0) == color_at(plot, 5.0, 7.0) == RED
    assert color_at(plot, 2.0, 7.0) != RED
    bars.empty()
    assert not bars.isVisible()
    assert red_pixels(plot) == 0
    curve = CurveItem(plot.box, connect="pairs", pen=pg.mkPen(RED, width=4))
    assert not curve.isVisible()
    curve.setData([1.0, 4.0, 6.0, 9.0], [5.0, 5.0, 5.0, 5.0])
    assert color_at(plot, 2.5, 5.0) == color_at(plot, 7.5, 5.0) == RED
    assert color_at(plot, 5.0, 5.0) != RED
    curve.empty()
    assert not curve.isVisible()
    assert red_pixels(plot) == 0


def test_a_raster_has_a_colour_for_each_code_or_those_that_it_is_given(plot):
    plot.box.invertY(True)
    raster = RasterItem(plot.box)
    raster.set_colors({1: RED, 2: QColor(0, 0, 255, 51)}, QColor("#ffffff"))
    raster.set_image(np.array([[1, 2, 1], [2, 2, 1]], dtype=np.uint8))
    raster.set_rect(QRectF(0.0, 0.0, 6.0, 10.0))
    assert not raster.isVisible()
    raster.setVisible(True)
    pale = QColor(204, 204, 255)  # a fifth of the blue on white
    assert [color_at(plot, x, 2.5) for x in (1.0, 3.0, 5.0)] == [RED, pale, RED]
    assert [color_at(plot, x, 7.5) for x in (1.0, 3.0, 5.0)] == [pale, pale, RED]
    assert color_at(plot, 8.0, 5.0) == QColor(LIGHT.card)
    raster.set_colors({1: QColor("#00ff00")}, QColor("#ffffff"))
    assert color_at(plot, 1.0, 2.5) == QColor("#00ff00"), "what is shown has the new colours"
    raster.set_image(np.array([[[255, 0, 0, 255], [9, 9, 9, 0]]], dtype=np.uint8))
    assert color_at(plot, 1.0, 5.0) == RED
    assert color_at(plot, 5.0, 5.0) == QColor(LIGHT.card)


def test_the_same_numbers_are_not_prepared_again(plot):
    bars = BarItem(plot.box, x=[], height=[], width=0.8)
    curve = CurveItem(plot.box)
    told = []
    curve.sigPlotChanged.connect(told.append)
    for height in (1.0, 1.0, 2.0):
        bars.setOpts(x=np.array([2.0]), height=np.array([height]))
        curve.setData([0.0, 1.0, np.nan], [height, 2.0, np.nan])
        assert bars.boundingRect() == curve.boundingRect()
        assert bars.opts["height"].tolist() == [height]
        assert curve.getData()[1][0] == height
    assert len(told) == 2


@given(
    st.sampled_from(["bottom", "left", "top", "right"]),
    st.booleans(),
    st.floats(-1e5, 1e5),
    st.floats(1e-2, 1e6),
    st.integers(60, 900),
)
def test_an_axis_is_drawn_as_pyqtgraph_would(axes, orientation, log, low, span, size):
    axis = axes[orientation]
    axis.setLogMode(log, log)
    low, span = (low / 1e4, span / 1e5 + 0.1) if log else (low, span)
    axis.setGeometry(0, 0, *((size, 60) if orientation in ("bottom", "top") else (60, size)))
    axis.setRange(low, low + span)
    assert axis.boundingRect() == pg.AxisItem.boundingRect(axis)
    line, marks, texts = axis.generateDrawSpecs(None)
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    expected_line, expected_marks, expected_texts = pg.AxisItem.generateDrawSpecs(axis, painter)
    painter.end()
    assert [(each.x(), each.y()) for each in line[1:]] == [(each.x(), each.y()) for each in expected_line[1:]]
    along = QPointF.x if orientation in ("bottom", "top") else QPointF.y
    assume(all(2.5 < along(begin) < size - 2.5 for _, begin, _ in expected_marks))  # pyqtgraph leaves out those numbers
    drawn = {(text, tuple(np.round(box.getRect(), 3))): box for box, _, text in texts}
    for box, _, text in expected_texts:
        if (
            drawn.pop((text, tuple(np.round(box.getRect(), 3))), None) is None
        ):  # pyqtgraph draws numbers over each other
            assert any(box.intersects(each) for each, _, _ in texts)
    assert not drawn
    assert len(marks) == len(expected_marks)
    for (pen, *ends), (expected_pen, *expected_ends) in zip(marks, expected_marks, strict=True):
        assert pen.color() == expected_pen.color()
        assert np.allclose([(e.x(), e.y()) for e in ends], [(e.x(), e.y()) for e in expected_ends])


@given(st.floats(-1e5, 1e5), st.floats(1e-2, 1e6), st.integers(60, 900))
def test_ticks_are_those_of_pyqtgraph(axes, low, span, size):
    axis = axes["left"]
    axis.setLogMode(False, False)
    found, expected = axis.tickValues(low, low + span, size), pg.AxisItem.tickValues(axis, low, low + span, size)
    assert len(found) == len(expected)
    for (spacing, values), (expected_spacing, expected_values) in zip(found, expected, strict=True):
        assert spacing == expected_spacing
        assert np.allclose(values, expected_values, rtol=1e-9, atol=1e-9 * span)


@pytest.fixture(scope="module")
def axes(qapp):
    """An axis at each side of a plot."""
    plot = Plot()
    made = {side: NumberAxis(side) for side in ("bottom", "left", "top", "right")}
    for side, axis in made.items():
        plot.scene().addItem(axis)
        axis.setPen(pg.mkPen(LIGHT.line))
        axis.setTickFont(LIGHT.font(11))
        axis.setStyle(autoExpandTextSpace=False)  # it would be wider the second time
        (axis.setHeight if side in ("bottom", "top") else axis.setWidth)(60)
    yield made
    plot.close()
    plot.deleteLater()


@pytest.mark.parametrize("name", PLOTS)
def test_a_moment_is_painted_once(qtbot, name):
    view = VIEWS[name](Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    trace = run("paper-hard")
    snapshots = [snapshot_of("paper-hard", at) for at in (len(trace) // 2, len(trace) // 2 + 9, len(trace) // 3)]
    if name in ("replicates", "tau"):
        snapshots = [replace(each, replicates=replicates_of("paper-hard", 3 + at)) for at, each in enumerate(snapshots)]
    if name == "seeds":
        snapshots = [replace(each, seeds=race_seeds(3 + at)) for at, each in enumerate(snapshots)]
    for snapshot in snapshots:  # the legend and the axes get the room that they need
        view.show(snapshot)
        settle(card, 700, 320)
    counter = _Paints(view.plot.viewport())
    for snapshot in snapshots:
        view.show(snapshot)
        before = counter.count
        for _ in range(4):
            QApplication.processEvents()
        assert counter.count - before <= 1
    assert counter.count


@pytest.mark.long
@pytest.mark.parametrize("name", PLOTS)
def test_what_is_not_painted_again_would_look_the_same(qtbot, name):
    """A view may leave out a picture only where it is the one that is there."""
    view = VIEWS[name](Appearance(LIGHT))
    card = card_of(view, LIGHT)
    qtbot.addWidget(card)
    settle(card, 700, 320)
    trace = run("paper-hard")
    history, counter, before = History(trace), _Paints(view.plot.viewport()), None
    for cursor in (0, *range(60, 100), 30, 31, 30):
        view.show(Snapshot(trace, history, trace.state_at(cursor)))
        QApplication.processEvents()
        painted_again, counter.count = counter.count > 0, 0
        picture = view.plot.grab().toImage()
        QApplication.processEvents()
        counter.count = 0  # what the picture itself has asked for
        if before is not None and not painted_again:
            assert picture == before
        before = picture


class _Paints(pg.QtCore.QObject):
    """Counts the paints of a widget."""

    def __init__(self, watched):
        super().__init__(watched)
        self.count = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched, event):
        self.count += event.type() == event.Type.Paint
        return False
