"""Linked selection over the whole registry: what is picked in one view is painted in every other that shows arms."""

import re
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
from PySide6.QtGui import QImage

from gems_engine.explanation import explain
from gems_gui.drafts.draft import Draft
from gems_gui.series.gaps import GAP, gap_series
from gems_gui.series.recommendation import LINEAR, recommendation_series
from gems_gui.series.subroutine_grid import SURVIVORS, grid_series
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.views import VIEWS
from gems_gui.views.text_view import TextView
from gems_gui.views.view import ARM, PLACE, TARGET
from gems_gui.workbench.layouts import BoardLayout, column, row
from tests.gui.window_driver import driven, finished_run

DRAFT = Draft.of("paper-hard", seed=1, parameters={"base": 4, "max_samples": 100_000})
PICKING = [name for name, view in VIEWS.items() if view.picks in (ARM, TARGET)]
MARKING = [name for name, view in VIEWS.items() if view.marks_selection]


@contextmanager
def with_views(qtbot, names, size):
    """A window with some views in rows, and a finished run."""
    part = column(*(row(*names[at : at + 4]) for at in range(0, len(names), 4)))
    with driven(qtbot, DRAFT, size=size) as made:
        made.board.arrange(BoardLayout("some", "Some", "", part, part))
        made.finished()
        yield made


def pixels(view):
    image = getattr(view, "plot", view.body).grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine()).copy()


@cache
def somewhere_everywhere():
    """A cursor and an arm which estimates, recommendations, subroutines before it and the step's reasons all know."""
    trace = finished_run(DRAFT)
    for cursor in range(len(trace), 0, -1):
        snapshot = Snapshot.of(trace, cursor)
        shown = set(gap_series(snapshot, GAP).targets.tolist())
        shown &= set(recommendation_series(snapshot, LINEAR).targets.tolist())
        for target in sorted(shown):
            picked = Snapshot.of(trace, cursor, Selection.of_target(trace.instance, target))
            told = explain(trace, cursor, target=target) != explain(trace, cursor)
            if told and grid_series(picked, SURVIVORS).left_in.any():
                return cursor, target
    raise AssertionError("no arm is in all views at once")


def go_where_one_arm_is_everywhere(driver):
    """Go to that cursor; the arm."""
    cursor, arm = somewhere_everywhere()
    driver.seek(cursor)
    assert driver.shown() == cursor
    return arm


def click(driver, name, arm):
    """Click an arm in a view, with the mouse."""
    view = driver.views[name]
    at = list(view.in_order()).index(arm)
    (left, right), (low, high) = view.plot.box.viewRange()
    if name == "geometry":
        driver.click_plot(name, *view.series.targets[arm].tolist())
    elif view.picks == ARM:
        driver.click_plot(name, at, (low + high) / 2)
    else:
        across = view.series.edges[-1] / 2 if name == "survivors" else (left + right) / 2
        driver.click_plot(name, float(across), at + 0.5)
    driver.shown()


def marked(view):
    """What a view's items mark: an arm or a target, whether something left, or None."""
    if view.name in ("weights", "counts", "compare-counts"):
        places = list(view.plot.band.opts["x"])
        return int(view.plot.order.arms[int(places[0])]) if places else None
    if view.name == "survivors":
        return int(view.series.order[int(view.chosen_row.rect().center().y())]) if view.chosen_row.isVisible() else None
    if view.name == "gaps":
        return int(view.series.targets[int(view.row.rect().y())]) if view.row.isVisible() else None
    if view.name == "recommendation":
        places = list(view.band.opts["x"])
        return int(view.series.targets[int(view.band.opts["y0"][0])]) if places else None
    if view.name == "geometry":
        rings = np.column_stack(view.ring.getData())
        return int(np.abs(view.series.targets - rings[0]).max(axis=1).argmin()) if len(rings) else None
    if view.name == "race":
        return view.snapshot.selection.target if len(view.lives.getData()[0]) else None
    if view.name == "compare-table":
        labels = [view.snapshot.instance.target_label(each) for each in range(len(view.snapshot.instance.targets))]
        return next((labels.index(name) for name in view.model.columns if name in labels), None)
    if view.name == "grid":
        return len(view.left.getData()[0]) or None
    if isinstance(view, TextView):
        target = view.snapshot.selection.target
        if target is None:
            return None
        label = re.escape(view.snapshot.instance.target_label(target))
        text = f"{view.head.subtitle.text()}\n{view.page.toPlainText()}"
        return target if re.search(rf"\b{label}\b", text) else None
    raise AssertionError(f"how does {view.name} mark what is picked?")


def test_every_view_either_marks_what_is_picked_or_has_no_arms():
    without = {"dimension", "cost", "shares", "events", "problems", "replicates", "seeds", "tau", "theory"}
    assert set(VIEWS) - set(MARKING) == without | {"dimensions", "budgets", "pseudocode"}, (
        "a view with marks_selection = False shows no arms: if so, add its name to `without` in "
        "tests/gui/test_linked_selection.py. A view with arms marks the picked one, and `marked` there says how"
    )
    assert set(PICKING) <= set(MARKING)
    assert "grid" in {name for name, view in VIEWS.items() if view.picks == PLACE}


def test_what_is_picked_in_any_view_is_painted_in_every_other(qtbot):
    with with_views(qtbot, list(VIEWS), (1920, 1260)) as driver:
        arm = go_where_one_arm_is_everywhere(driver)
        theory = driver.views["theory"]  # computed in the background: nothing may come between two pictures
        driver.wait(lambda: theory.series is not None and bool(theory.series.bars) and driver.board.settled)
        assert set(driver.views) == set(VIEWS)
        assert all(view.body.isVisible() for view in driver.views.values())
        before = {each: pixels(view) for each, view in driver.views.items()}
        for name in PICKING:
            before = assert_painted_everywhere(driver, name, arm, before)


def assert_painted_everywhere(driver, name, arm, before):
    """A click in a view marks the arm in all others, and another click takes the marks away; the pictures then."""
    views, after = driver.views, dict(before)
    assert [marked(views[each]) for each in MARKING] == [None] * len(MARKING)
    click(driver, name, arm)
    for each in MARKING:
        assert marked(views[each]) == (arm if each != "grid" else marked(views["grid"])) is not None, each
        assert not np.array_equal(pixels(views[each]), before[each]), each
    for each in set(VIEWS) - set(MARKING):
        assert np.array_equal(pixels(views[each]), before[each]), each
    click(driver, name, arm)
    for each in MARKING:
        assert marked(views[each]) is None, each
        after[each] = pixels(views[each])
        if after[each].shape == before[each].shape:  # a legend keeps the room that it once needed
            assert np.array_equal(after[each], before[each]), each
    return after


@pytest.mark.long
def test_the_arrow_keys_pick_in_the_order_of_any_view_and_escape_lets_go(qtbot):
    with with_views(qtbot, [*PICKING, "grid"], (1500, 950)) as driver:
        go_where_one_arm_is_everywhere(driver)
        for name in PICKING:
            assert_arrows_pick(driver, driver.views[name])
        driver.press("End")
        driver.shown()
        assert_escape_first_lets_go_and_then_gives_back_the_room(driver)
        assert_arrows_go_from_subroutine_to_subroutine(driver)


def assert_arrows_pick(driver, view):
    """Down and Up go through the arms as the view shows them."""
    order = list(view.in_order())
    assert len(order) >= 2
    view.body.setFocus()
    for key, expected in (("Down", 0), ("Down", 1), ("Up", 0), ("Up", 0)):
        driver.press(key)
        driver.shown()
        assert marked(view) == order[expected], key
    cursor = driver.cursor
    driver.press("Right")
    assert driver.cursor == cursor + 1, "the other arrows are the transport's"
    driver.press("Left")
    driver.press("Esc")
    driver.shown()
    assert marked(view) is None
    driver.press("Up")
    driver.shown()
    assert marked(view) == order[-1]
    driver.press("Esc")
    driver.shown()


def assert_escape_first_lets_go_and_then_gives_back_the_room(driver):
    driver.views["counts"].body.setFocus()
    driver.press("Down")
    driver.shown()
    driver.press("Ctrl+M")
    assert driver.board.maximised == "counts"
    driver.press("Esc")
    driver.shown()
    assert driver.board.maximised == "counts"
    assert marked(driver.views["counts"]) is None
    driver.press("Esc")
    assert driver.board.maximised is None


def assert_arrows_go_from_subroutine_to_subroutine(driver):
    grid = driver.views["grid"]
    events = list(grid.in_order())
    grid.body.setFocus()
    before = events.index(grid.pointed_at()) - 1  # a call that was cut off is not pointed at
    driver.press("Up")
    assert driver.cursor == events[before] + 1
    driver.shown()
    assert grid.pointed_at() == events[before]
