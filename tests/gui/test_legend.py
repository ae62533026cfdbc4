"""The legend of a view says how many of its entries have no room."""

from itertools import pairwise

import pytest

from gems_gui.appearance import Appearance
from gems_gui.drafts.presets import PRESETS
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import VIEWS
from gems_gui.views.legend import Legend
from tests.gui.sample_runs import run
from tests.gui.text_boxes import card_of, settle
from tests.gui.window_driver import finished_run

ENTRIES = [("■", role, words) for role, words in (("surviving", "surviving"), ("now", "eliminated this round"),
           ("before", "eliminated before"), ("best", "true best"), ("chosen", "recommended"))]  # fmt: skip


def test_what_has_no_room_is_counted_and_in_the_tooltip(qtbot):
    legend = Legend()
    qtbot.addWidget(legend)
    legend.show_entries(ENTRIES, LIGHT)
    line = legend.fontMetrics().height()
    whole = [f"{mark} {words}" for mark, _, words in ENTRIES]
    for width in range(1500, 60, -35):
        legend.resize(width, line)
        legend.set_room(width, line)
        shown = legend.boxes()
        texts, left = [text for text, _ in shown], len(ENTRIES)
        if texts != whole:
            left = len(texts) - 1
            assert texts == [*whole[:left], f"+{len(ENTRIES) - left} more"]
        assert (legend.toolTip() == "") == (left == len(ENTRIES))
        assert shown[-1][1].right() <= width or len(shown) == 1
        assert all(one.right() < other.left() for (_, one), (_, other) in pairwise(shown))
    assert left < len(ENTRIES)


def test_an_entry_that_is_wider_than_the_legend_is_elided_and_in_the_tooltip(qtbot):
    legend, words = Legend(), "a rather long name of an arm survives"
    qtbot.addWidget(legend)
    legend.show_entries([("─", "dim", words), *ENTRIES], LIGHT)
    needs = legend.fontMetrics().horizontalAdvance(f"─ {words}")
    for width in (needs, needs - 1, needs - 30):
        legend.resize(width, 300)
        legend.set_room(width, 300)
        (text, box), *_ = legend.boxes()
        assert box.right() <= width
        assert legend.fontMetrics().horizontalAdvance(text) <= box.width()
        assert (text == f"─ {words}") == (width == needs) == (legend.toolTip() == "")
        assert text.endswith("…") == (width < needs)


def test_legends_of_two_plots_are_of_equal_height(qtbot):
    long, short = Legend(), Legend()
    for legend, entries in ((long, ENTRIES), (short, ENTRIES[:1])):
        qtbot.addWidget(legend)
        legend.complete = True
        legend.show_entries(entries, LIGHT)
        legend.set_room(300, 300)
    assert short.sizeHint().height() < long.sizeHint().height()
    for legend in (long, short):
        legend.level((long, short))
    assert short.sizeHint() == long.sizeHint()
    short.level(())
    assert short.sizeHint().height() < long.sizeHint().height()


@pytest.mark.parametrize("size", [(360, 270), (480, 300)])
@pytest.mark.parametrize("preset", ["", "gems-c-steps"])
def test_a_legend_that_wraps_does_not_move_the_plot_while_stepping(qtbot, preset, size):
    trace = finished_run(PRESETS[preset].draft) if preset else run("paper-hard")
    for name in ("survivors", "cost", "weights", "counts", "dimension", "gaps"):
        view = VIEWS[name](Appearance(LIGHT))
        card = card_of(view, LIGHT)
        qtbot.addWidget(card)
        heights = set()
        for cursor in (0, 2, 4, 8, 12, 20, 40, len(trace)):
            view.show(Snapshot.of(trace, min(cursor, len(trace))))
            settle(card, *size)
            heights.add(view.plot.height())
        assert len(heights) == 1, name
