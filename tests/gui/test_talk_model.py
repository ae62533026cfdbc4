"""What a talk decides without Qt: where views are, how large text is, the way between moments, undo."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.bookmark import Bookmark
from gems_engine.history import History
from gems_engine.talk.story import Story, StoryMoment
from gems_engine.talk.vocabulary import VOCABULARY
from gems_gui.action_table import ACTIONS, EVERY_ACTION
from gems_gui.assets import asset
from gems_gui.drafts.undo_stack import LONGEST, EditHistory
from gems_gui.painting.rows import hall_text, projector_cells, rows_of
from gems_gui.painting.transition import Transition
from tests.gui.sample_runs import run


@pytest.mark.parametrize(
    ("views", "rows"),
    [
        ("", ()),
        ("a", (("a",),)),
        ("ab", (("a", "b"),)),
        ("abc", (("a",), ("b", "c"))),
        ("abcd", (("a", "b"), ("c", "d"))),
        ("abcde", (("a",), ("b", "c"), ("d", "e"))),
    ],
)
def test_views_stand_in_rows_in_their_order(views, rows):
    assert rows_of(views) == rows


@pytest.mark.parametrize(
    ("views", "cells"),
    [
        (("a", "b", "c"), {"a": (0, 0, 1, 2), "b": (1, 0, 1, 1), "c": (1, 1, 1, 1)}),
        (("pseudocode",), {"pseudocode": (0, 0, 1, 1)}),
        (("a", "pseudocode"), {"a": (0, 0, 1, 4), "pseudocode": (0, 4, 1, 3)}),
        (("a", "pseudocode", "b"), {"a": (0, 0, 1, 4), "b": (1, 0, 1, 4), "pseudocode": (0, 4, 2, 3)}),
        (
            ("a", "b", "c", "pseudocode"),
            {"a": (0, 0, 1, 4), "b": (1, 0, 1, 2), "c": (1, 2, 1, 2), "pseudocode": (0, 4, 2, 3)},
        ),
    ],
)
def test_pseudo_code_has_the_whole_height_of_a_stage(views, cells):
    assert projector_cells(views) == cells


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (3840, 2160), (1024, 768)])
def test_text_of_plots_is_a_28th_of_the_height_where_one_or_two_views_are_shown(size):
    assert hall_text(*size, 1) == hall_text(*size, 2) == size[1] / 28
    sizes = [hall_text(*size, views) for views in range(1, 9)]
    assert sizes == sorted(sizes, reverse=True)


def test_a_high_and_narrow_stage_has_the_text_of_its_width():
    assert hall_text(1080, 1920, 1) == hall_text(1080, 810, 1)


def test_the_way_is_played_round_by_round_and_never_long():
    history = History(run("paper-hard"))
    history.update()
    end = history.events
    for start, stop in ((0, 1), (0, 40), (40, end), (0, end)):
        way = Transition.between(history, start, stop)
        assert 0.5 <= way.seconds <= 3.0
        cursors = [way.at(seconds) for seconds in np.linspace(0.0, way.seconds, 20)]
        assert cursors[0] == start
        assert cursors[-1] == way.at(100.0) == stop
        assert cursors == sorted(cursors)
    assert Transition.between(history, 10, 10).at(0.0) == 10
    assert Transition.between(history, 10, 4).at(0.0) == 4


def story(*captions):
    return Story("S", tuple(StoryMoment(Bookmark(), caption=each) for each in captions))


def test_undo_and_redo_of_a_story():
    edits = EditHistory(None)
    assert (edits.now, edits.undo_text, edits.redo_text) == (None, "", "")
    edits.record(story("a"), "adding")
    edits.record(story("ab"), "typing", "caption 0")
    edits.record(story("abc"), "typing", "caption 0")  # one step with the one before
    edits.record(story("abc"), "nothing")
    assert edits.undo_text == "typing"
    assert edits.undo() == story("a")
    assert edits.redo_text == "typing"
    assert edits.redo() == story("abc")
    edits.undo()
    edits.record(story("x"), "adding")
    assert edits.redo_text == ""
    assert [edits.undo(), edits.undo(), edits.undo()] == [story("a"), None, None]


def test_what_is_typed_after_a_pause_is_a_step_of_its_own():
    edits = EditHistory(story("a"))
    edits.record(story("b"), "typing", "caption 0")
    edits.seal()
    edits.record(story("c"), "typing", "caption 0")
    assert edits.undo() == story("b")


@given(st.integers(1, 250))
def test_only_so_many_steps_are_remembered(count):
    edits = EditHistory(None)
    for number in range(count):
        edits.record(story(str(number)), "adding")
    steps = 0
    while edits.undo_text:
        edits.undo()
        steps += 1
    assert steps == min(count, LONGEST)


def test_keys_of_a_talk_are_unique_and_steps_inside_a_moment_have_their_own():
    stage = [act for act in EVERY_ACTION if "stage" in act.contexts]
    keys = [key for act in stage if act not in ACTIONS for key in act.keys]
    kept = [key for act in stage if act in ACTIONS for key in act.keys]
    assert len(keys) == len(set(keys))
    assert not set(keys) & set(kept)
    steps = {f"{unit}_{way}" for unit in ("round", "subroutine", "loop") for way in ("forward", "back")}
    known = steps | {"slower", "faster", "live", "toggle_truth"}
    assert {act.id for act in stage if act in ACTIONS} == known, (
        "write the id of the action that is on_stage_too into the set of this test, "
        "and its key into assets/help/topics/talks.md"
    )
    assert {"PgDown", "PgUp", "Right", "Left", "Space", "Return", "Home", "End", "B", ".", "Esc", "F5"} <= set(keys)
    others = {f"talk_{name}" for name in ("play", "event_forward", "event_back")}
    assert others <= {act.id for act in stage}, "what these keys do in the window has another key in a talk"


def test_the_page_of_help_has_the_whole_vocabulary_and_every_key():
    page = asset("help/topics/talks.md").read_text(encoding="utf-8")
    plain, secret = page.split("## Captions that reveal the truth")
    for name, word in VOCABULARY.items():
        brackets = r"\[[^\]]+\]" if word.of else ""
        row = rf"`{{{name}{brackets}}}` \| {re.escape(word.about)} \|"
        assert re.search(row, secret if word.truth else plain), name
    assert plain.count("| `{") + secret.count("| `{") == len(VOCABULARY)
