"""What views declare: created in order, themed, emptied and explained by one kit."""

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor

from gems_gui.appearance import Appearance
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import EVERY_VIEW
from gems_gui.views.item_spec import declared, items_of
from gems_gui.views.items import BarItem
from gems_gui.views.kit import DASHED, ItemGroup, Stroke, bars, hairline, line, marks, outline, right_axis, text_label
from gems_gui.views.plot_view import Axes, PlotView
from tests.gui.sample_runs import cursor_after, snapshot_of
from tests.gui.text_boxes import card_of

PLOTS = [name for name, view in EVERY_VIEW.items() if issubclass(view, PlotView)]


class Sketch(PlotView):
    """A view with an item of most kinds."""

    name = "sketch"
    title = "Sketch"
    about = "For tests."

    axes = Axes(whole="x", named="x", log="y", silent="y", bare="x", down=True)
    right = right_axis("budget")
    above = line("best", on="right")
    ground = ItemGroup({role: bars(role) for role in ("surviving", "now")})
    steps = line("chosen", 2, DASHED)
    thin = line("text", 2, grows=False)
    dots = marks("o", "best", 7, rim=Stroke("card", 1.5), like_text=False)
    frame = outline(hairline("text"))
    words = text_label("dim", z=10)

    def paint(self, snapshot):
        self.series = SimpleNamespace(subtitle=("said",), placeholder="")
        self.steps.setData([0, 1], [0, 1])

    def entries(self, series):
        return ("─", "chosen", "always"), ("●", "best", "never", 0), ("■", "now", "there", [1])

    def describe(self, snapshot, series, x, y):
        return f"{x:.0f} {y:.0f}"


@pytest.fixture
def made(qtbot):
    """Makes a view that is gone after the test."""

    def make(kind):
        view = kind(Appearance(LIGHT))
        cards.append(card_of(view, LIGHT))
        qtbot.addWidget(cards[-1])
        return view

    cards = []
    return make


@pytest.fixture
def view(made):
    return made(Sketch)


def test_what_is_declared_first_lies_below(view):
    assert [each.name for each in declared(Sketch)] == [
        *("right", "above", "ground", "steps", "thin", "dots", "frame", "words")
    ]
    drawn = [view.ground["surviving"], view.ground["now"], view.steps, view.thin, view.dots, view.frame]
    stacked = [each for each in view.plot.box.childGroup.childItems() if any(each is item for item in drawn)]
    assert [drawn.index(each) for each in stacked] == list(range(len(drawn)))
    assert view.words.zValue() == 10
    assert view.above.getViewBox() is view.right.box


def test_each_view_has_items_of_its_own_and_the_class_has_the_declaration(view, made):
    other = made(Sketch)
    assert other.steps is not view.steps
    assert Sketch.steps is next(each for each in declared(Sketch) if each.name == "steps")
    with pytest.raises(AttributeError, match="steps is not made yet"):
        Sketch.steps.__get__(object(), Sketch)


def test_a_theme_reaches_every_item(view):
    for theme in (DARK, LIGHT.scaled(1.5)):
        view.appearance.set_theme(theme)
        pen = view.steps.opts["pen"]
        assert (pen.color(), pen.style(), pen.widthF()) == (QColor(theme.chosen), DASHED, theme.stroke(2))
        assert view.thin.opts["pen"].widthF() == 2
        assert view.ground["now"].opts["brush"] == QColor(theme.now)
        assert (view.dots._brush.color(), view.dots._size) == (QColor(theme.best), theme.stroke(7))
        assert view.frame.pen().color() == QColor(theme.text)


def test_axes_are_as_they_are_declared(view):
    plot = view.plot
    assert (plot.x_axis.whole, plot.y_axis.whole) == (True, False)
    assert (bool(plot.x_axis.logMode), bool(plot.y_axis.logMode)) == (False, True)
    assert (plot.x_axis.tick_labels, plot.y_axis.tick_labels) == ([], None)
    assert plot.falls_silent == (plot.y_axis,)
    assert plot.x_axis.style["tickLength"] == 0
    assert plot.box.yInverted()


def test_the_legend_has_what_is_there_and_nothing_else(view):
    view.show(snapshot_of("sphere"))
    assert view.legend.text() == "─ always   ■ there"
    assert view.head.subtitle.text() == "said"


def test_without_a_run_nothing_is_drawn_said_or_picked(view, qtbot):
    view.show(snapshot_of("sphere"))
    view.dots.setData([1.0], [1.0])
    view.ground["now"].setOpts(x=[1.0], height=[1.0])
    view.frame.set_outline(QRectF(0.0, 0.0, 1.0, 1.0))
    view.words.set_text("here")
    view.plot.x_axis.set_tick_labels([(0.5, "one")])
    assert view.plot.describe(1.0, 2.0) == "1 2"
    view.show(None)
    assert not any(item.isVisible() for item in (view.steps, view.dots, *view.ground.values(), view.frame, view.words))
    assert view.plot.x_axis.tick_labels == []
    assert view.plot.describe(1.0, 2.0) == ""
    with qtbot.assertNotEmitted(view.target_picked), qtbot.assertNotEmitted(view.arm_picked):
        view.plot.pick(0.0, 0.0)
        view.show(snapshot_of("sphere"))
        view.plot.pick(0.0, 0.0)  # it picks nothing


def numbers(item):
    """All numbers that an item is drawn from, as far as it tells."""
    if isinstance(item, BarItem):
        return [item.opts[each] for each in ("x", "x0", "y") if item.opts[each] is not None]
    return [each for each in item.getData() if each is not None] if hasattr(item, "getData") else []


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_is_as_empty_after_a_run_as_it_was_before(made, name):
    view = made(EVERY_VIEW[name])

    def drawn():
        return [len(np.atleast_1d(each)) for item in items_of(view) for each in numbers(item)]

    before = drawn()
    assert any(before) == (name == "gaps"), "which has a line at 0"
    view.show(snapshot_of("sphere", cursor_after("sphere", "allocated", 3), arm=1))
    assert drawn() != before or view.plot.placeholder
    view.show(None)
    assert drawn() == before
    assert view.series is None
    assert view.legend.text() == ""
