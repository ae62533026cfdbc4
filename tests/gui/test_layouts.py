"""Layouts: where views are in every size of window, without squeezing one or cutting off a text."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QPoint, QRect
from PySide6.QtWidgets import QApplication, QMainWindow, QTabBar

from gems_engine.terminal import with_indices
from gems_gui.appearance import Appearance
from gems_gui.board.board import Board
from gems_gui.theme import LIGHT, apply
from gems_gui.views import VIEWS
from gems_gui.workbench.layouts import (
    LAYOUTS,
    LEAST,
    WIDE,
    Split,
    Tabs,
    column,
    fitted,
    fronts_of,
    least_size,
    names_in,
    row,
    tabs,
)
from tests.gui.sample_runs import snapshot_of
from tests.gui.text_boxes import assert_texts_fit
from tests.gui.window_driver import choose_in_context, driven

BOARDS = {(1024, 700): (704, 545), (1440, 900): (1120, 745), (1920, 1080): (1600, 925), (2560, 1440): (2240, 1311)}
"""What a window of a size leaves for its board, next to the form, between the strip and the transport."""

leaves = st.lists(st.just("view"), min_size=1, max_size=3).map(lambda some: Tabs(tuple(some)))
shapes = st.recursive(
    leaves,
    lambda inner: st.tuples(st.sampled_from(["across", "down"]), st.lists(inner, min_size=2, max_size=3)).map(
        lambda pair: Split(pair[0], tuple(pair[1]), (1,) * len(pair[1]))
    ),
    max_leaves=8,
)


def numbered(part, count):
    """The part with another name for each view."""
    if isinstance(part, Tabs):
        return Tabs(tuple(f"view {next(count)}" for _ in part.names))
    return Split(part.way, tuple(numbered(each, count) for each in part.parts), part.shares)


parts = shapes.map(lambda part: numbered(part, count()))


@given(parts, st.integers(LEAST[0], 3000), st.integers(LEAST[1] + 40, 2000))
def test_what_is_fitted_loses_no_view_and_has_room(part, width, height):
    fit = fitted(part, width, height)
    assert sorted(names_in(fit)) == sorted(names_in(part))
    assert fronts_of(fit)[0] == fronts_of(part)[0]
    assert least_size(fit)[0] <= width
    assert least_size(fit)[1] <= height
    assert fitted(fit, 10_000, 10_000) == fit


@given(parts)
def test_where_there_is_room_nothing_changes(part):
    assert fitted(part, 20_000, 20_000) == part


def test_the_last_parts_become_tabs_with_those_in_front_first():
    part = column("a", row(tabs("b", "x"), "c"), row("d", "e"))
    assert fitted(part, 700, 600) == part
    assert fitted(part, 400, 600) == column("a", tabs("b", "c", "x"), tabs("d", "e"))
    assert fitted(part, 400, 400) == column("a", tabs("b", "c", "d", "e", "x"))
    assert fitted(part, 400, 200) == tabs("a", "b", "c", "d", "e", "x")


def test_layouts_know_the_views():
    for layout in LAYOUTS.values():
        for part in (layout.wide, layout.narrow):
            assert set(names_in(part)) <= set(VIEWS)
            assert len(set(names_in(part))) == len(names_in(part))
    for which in ("wide", "narrow"):
        missing = sorted(set(VIEWS) - set(names_in(getattr(LAYOUTS["debug"], which))))
        assert missing == [], (
            f'gems_gui/workbench/layouts.py: the layout "debug" has every view; write {missing} into '
            f'one of the tabs("...") of its part {which}='
        )
    debugged = {"survivors", "dimension", "cost", "why", "events", "problems"}
    assert set(fronts_of(LAYOUTS["debug"].part(WIDE, 800))) >= debugged
    assert set(fronts_of(LAYOUTS["debug"].part(WIDE - 1, 800))) >= debugged - {"cost"}
    seven = {"survivors", "dimension", "cost", "weights", "counts", "pseudocode", "gaps"}
    assert set(fronts_of(LAYOUTS["explore"].part(WIDE, 800))) == seven
    assert set(fronts_of(LAYOUTS["explore"].part(WIDE - 1, 800))) == seven - {"pseudocode", "gaps"}
    behind = {"grid", "geometry", "theory", "dimensions", "budgets"}
    assert "pseudocode" in fronts_of(LAYOUTS["talk"].part(WIDE, 800))
    assert set(names_in(LAYOUTS["explore"].part(WIDE - 1, 800))) == seven | behind


@pytest.fixture
def board(qtbot):
    """A board in a window, with a run on it."""
    apply(QApplication.instance(), LIGHT)
    window, appearance = QMainWindow(), Appearance(LIGHT)
    made = Board(appearance)
    made.look = appearance.set_theme
    window.setCentralWidget(made)
    yield made
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def place(board, name):
    """Where a dock with its tabs is on the board."""
    return QRect(board.docks[name].mapTo(board, QPoint(0, 0)), board.docks[name].size())


def exposed_views(board):
    return {name for name, dock in board.docks.items() if dock.exposed}


def tab_bars(board):
    return [bar for bar in board.findChildren(QTabBar) if bar.geometry().right() >= 0 and bar.isVisible()]


def bars(board):
    """The tabs that can be seen: their texts, by the row of tabs."""
    return [[bar.tabText(at) for at in range(bar.count())] for bar in tab_bars(board)]


def assert_well_laid_out(board):
    """Nothing is squeezed, lies on another or leaves the board."""
    seen = exposed_views(board)
    places = {name: place(board, name) for name in seen}
    for name, box in places.items():
        dock = board.docks[name]
        assert board.rect().contains(box), (name, box)
        assert box.width() >= dock.minimumSizeHint().width(), name
        assert box.height() >= dock.minimumSizeHint().height(), name
        assert dock.view.body.isVisible(), name
        for other in seen - {name}:
            assert not box.intersects(places[other]), (name, other)
    covered = sum(box.width() * box.height() for box in places.values())
    assert covered > 0.85 * board.width() * board.height()


@pytest.mark.parametrize("scale", [pytest.param(1.0, marks=pytest.mark.long), 1.5])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_readable_in_every_window(board, qtbot, layout, scale):
    theme = LIGHT.scaled(scale)
    apply(QApplication.instance(), theme)
    board.look(theme)
    board.layout_name = layout
    window = board.parentWidget()
    window.show()
    board.show_snapshot(snapshot_of("paper-hard"))
    for size in list(BOARDS.values())[: 4 if scale == 1.0 else 2]:
        room = size if scale == 1.0 else (size[0] - 148, size[1] - 60)
        window.resize(*room)
        expected = LAYOUTS[layout].part(room[0] / scale, room[1] / scale)
        qtbot.waitUntil(lambda e=expected: board.settled and exposed_views(board) == set(fronts_of(e)))
        for _ in range(2):  # axes learn how wide their numbers are while they are painted
            qtbot.wait(1)
            board.grab()
        assert board.size().toTuple() == room
        assert_well_laid_out(board)
        assert sorted(title for bar in bars(board) for title in bar) == sorted(
            VIEWS.tabs[name] for group in groups(expected) if len(group) > 1 for name in group
        )
        assert scale > 1 or all(bar.sizeHint().width() <= bar.width() for bar in tab_bars(board)), "no tab needs arrows"
        for name in exposed_views(board):
            try:
                texts = [box.text for box in assert_texts_fit(board.docks[name])]
            except AssertionError as error:
                raise AssertionError(f"{room}, {name}: {error}") from None
            assert with_indices(VIEWS[name].title) in texts
            if VIEWS[name].is_plot:  # it has a way to say it that has room
                assert not board.docks[name].view.head.subtitle.shown().endswith("…"), (room, name)


def groups(part):
    return [part.names] if isinstance(part, Tabs) else [names for each in part.parts for names in groups(each)]


def test_the_sketch(board, qtbot):
    """Survivors on top, dimension and cost under them, weights and counts below, pseudo-code and gaps on the right."""
    window = board.parentWidget()
    window.resize(*BOARDS[1440, 900])
    window.show()
    at = {name: place(board, name) for name in exposed_views(board)}
    assert at["survivors"].top() == at["pseudocode"].top() == 0
    assert at["survivors"].bottom() < at["dimension"].top() == at["cost"].top()
    assert at["dimension"].bottom() < at["weights"].top() == at["counts"].top()
    assert at["dimension"].right() < at["cost"].left()
    assert at["cost"].right() == at["survivors"].right() < at["pseudocode"].left() == at["gaps"].left()
    assert at["pseudocode"].bottom() < at["gaps"].top()
    assert abs(at["dimension"].width() - at["cost"].width()) <= 2
    assert at["survivors"].width() == pytest.approx(5 / 3 * at["pseudocode"].width(), rel=0.02)


def test_docks_that_somebody_moved_stay_when_the_room_changes(board, qtbot):
    window = board.parentWidget()
    window.resize(*BOARDS[1440, 900])
    window.show()
    choose_in_context(board.docks["counts"].view.head, "Float")
    choose_in_context(board.docks["counts"].view.head, "Float")
    assert board.moved
    before = exposed_views(board)
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: board.width() == 1000)
    qtbot.wait(20)
    assert exposed_views(board) == before
    # Where there is no room for it, what is seen shares one place; all of it is back with the room.
    shown = {name for name, dock in board.docks.items() if not dock.isHidden()}
    places = {name: board.docks[name].geometry() for name in before}
    state = board.state()
    window.resize(300, 200)
    qtbot.waitUntil(lambda: len(exposed_views(board)) == 1)
    assert board.size().toTuple() == (300, 200)
    assert {name for name, dock in board.docks.items() if not dock.isHidden()} == shown
    assert_well_laid_out(board)
    assert board.moved
    assert board.state() == state, "what is remembered is where it was"
    board.show_view("theory")
    qtbot.waitUntil(lambda: exposed_views(board) == {"theory"})
    assert board.size().toTuple() == (300, 200)
    choose_in_context(board.docks["theory"].view.head, "Hide")
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: exposed_views(board) == before)
    assert {name: board.docks[name].geometry() for name in before} == places
    board.reset()
    assert not board.moved
    assert exposed_views(board) == set(fronts_of(LAYOUTS["explore"].part(*board.room)))
    window.resize(300, 300)
    qtbot.waitUntil(lambda: exposed_views(board) == {"survivors"})


def test_moved_docks_are_not_one_stack_where_there_is_room_for_more(board, qtbot):
    """As next to the table of an instance: a board that was wide has 682 pixels."""
    window = board.parentWidget()
    window.resize(*BOARDS[1440, 900])
    window.show()
    board.show_view("why")
    assert board.moved
    qtbot.waitUntil(lambda: "why" in exposed_views(board))
    before, shown = exposed_views(board), {name for name, dock in board.docks.items() if not dock.isHidden()}
    window.resize(682, 786)
    qtbot.waitUntil(lambda: board.width() == 682)
    qtbot.wait(20)
    assert exposed_views(board) <= before
    assert len(exposed_views(board)) >= 6
    assert_well_laid_out(board)
    assert {name for name, dock in board.docks.items() if not dock.isHidden()} == shown
    window.resize(*BOARDS[1440, 900])
    qtbot.waitUntil(lambda: exposed_views(board) == before)


def test_a_window_shrinks_at_once_to_any_size(qtbot):
    with driven(qtbot, size=(1920, 1080)) as driver:
        driver.window.resize(1024, 700)
        driver.wait(lambda: "gaps" not in exposed_views(driver.board))
        assert driver.window.size().toTuple() == (1024, 700)
        assert_well_laid_out(driver.board)


def test_nonsense_is_not_restored(board):
    board.parentWidget().resize(*BOARDS[1440, 900])
    board.parentWidget().show()
    before = exposed_views(board)
    assert not board.restore("mine", QByteArray(b"no state"))
    assert (board.layout_name, exposed_views(board)) == ("explore", before)


def test_small_windows_with_the_layout_debug_show_why():
    for height in (480, 500, 520, 545):
        assert {"survivors", "why"} <= set(fronts_of(LAYOUTS["debug"].part(704, height)))


def test_a_window_of_that_size_leaves_that_room(qtbot):
    with driven(qtbot, size=(1024, 700)) as driver:
        for size in BOARDS:
            driver.window.resize(*size)
            assert_layouts_by_keys(driver, size)


def assert_layouts_by_keys(driver, size):
    """Each layout comes by its key, and fits into the window as it is."""
    board = driver.board
    assert driver.window.size().toTuple() == size
    driver.wait(lambda: board.width() >= BOARDS[size][0] - 8 and board.height() >= BOARDS[size][1] - 10)
    for key, layout in (("Ctrl+2", "debug"), ("Ctrl+3", "talk"), ("Ctrl+1", "explore")):
        driver.press(key)
        expected = set(fronts_of(LAYOUTS[layout].part(*board.room)))
        driver.wait(lambda e=expected: exposed_views(board) == e)
        assert driver.actions[f"layout_{layout}"].isChecked()
        assert_well_laid_out(board)
        assert driver.window.size().toTuple() == size
