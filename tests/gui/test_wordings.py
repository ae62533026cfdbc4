"""Lines that are said in several ways, and texts that have room next to each other."""

from itertools import pairwise
from string import digits

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.terminal import number
from gems_gui.series.names import shortened
from gems_gui.series.wordings import phrasings
from gems_gui.theme import LIGHT
from gems_gui.views.card import ElidedLabel
from gems_gui.views.spacing import readable, spread_out


def test_the_last_part_gives_way_first():
    assert phrasings("ℓ6 i2", ("5 probes", "5 p."), "g_4(d) against B") == (
        "ℓ6 i2 · 5 probes · g_4(d) against B",
        "ℓ6 i2 · 5 probes",
        "ℓ6 i2 · 5 p.",
    )
    assert phrasings("", ("long", "short", ""), "") == ("long", "short")
    assert phrasings() == phrasings("") == ()


parts = st.one_of(st.text("abc", max_size=4), st.lists(st.text("abc", max_size=4), min_size=1, max_size=3).map(tuple))


@given(st.lists(parts, max_size=5))
def test_every_way_is_said_and_the_first_part_stays(given):
    said = phrasings(*given)
    known = [part for part in given if part and part[0]]
    assert bool(said) == bool(known)
    if said:
        assert said[0] == " · ".join(part if isinstance(part, str) else part[0] for part in known)
        stays = known[0] if isinstance(known[0], str) else known[0][0]
        assert all(each.split(" · ")[0] in (stays, *known[0]) for each in said)


def test_a_text_that_just_fits_is_on_one_line(qtbot):
    """Widths are rounded to pixels: it may need a part of a pixel more."""
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.show()
    for size in range(10, 19):
        label.setFont(LIGHT.font(size))
        for at in range(1, 12):
            text = f"ℓ{at} i1 (completed) · ℓ{at + 1} i1 (cut off)"
            label.setText(text)
            metrics = label.fontMetrics()
            label.resize(metrics.horizontalAdvance(text), 3 * metrics.height())
            assert label.shown() == text
            assert label.mask().boundingRect().height() < 2 * metrics.height(), (size, text)


def test_a_label_shows_the_longest_way_that_has_room(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setFont(LIGHT.font(11))
    said = phrasings("ℓ6 i2 k4", "5 probes", "g_4(d) against B")
    label.setText(said)
    width, whole = label.fontMetrics().horizontalAdvance, "ℓ6 i2 k4 · 5 probes · g₄(d) against B"
    for room, shown in (
        (width(whole), whole),
        (width(whole) - 1, said[1]),
        (width(said[1]) - 1, said[2]),
        (width("ℓ6 i2 …"), "ℓ6 i2 …"),  # not even the shortest: its beginning
        (width("ℓ6…"), ""),  # which would say nothing
    ):
        label.resize(room, 20)
        label.grab()  # a widget that was never shown is told its size when it is painted
        assert label.shown() == shown
        assert label.text() == said[0]
        assert label.toolTip() == ("" if shown == whole else said[0])
    label.resize(width(said[1]), 20)
    label.grab()
    label.setFont(LIGHT.scaled(1.5).font(11))
    assert label.shown() == said[2], "larger letters need more room"


boxes = st.lists(st.tuples(st.floats(0, 500), st.floats(1, 60)), min_size=1, max_size=30).map(sorted)


@given(boxes)
def test_what_is_kept_does_not_touch_and_has_the_first_and_the_last(given):
    kept = readable(given)
    assert kept == sorted(set(kept))
    assert kept[0] == 0
    for one, other in pairwise(kept):
        assert given[one][0] + given[one][1] <= given[other][0] - given[other][1] + 1e-6
    if given[0][0] + given[0][1] <= given[-1][0] - given[-1][1]:
        assert kept[-1] == len(given) - 1


@given(st.integers(2, 200), st.floats(1, 40), st.floats(1, 60))
def test_of_places_at_equal_distances_those_that_are_kept_are_so_too(count, step, half):
    kept = readable([(step * at, half) for at in range(count)])
    strides = np.diff(kept)
    assert len(set(strides[:-1].tolist())) <= 1
    if 2 * half <= step:
        assert kept == list(range(count))


def test_ten_arms_in_little_room_have_their_last_one():
    assert readable([(15.0 * at, 13.0) for at in range(10)]) == [0, 3, 6, 9]


@given(st.lists(st.floats(0, 100), max_size=6).map(sorted), st.floats(1, 16))
def test_names_are_pushed_apart_and_stay_inside(wanted, apart):
    found = spread_out(wanted, apart, 0.0, 100.0)
    assert all(other - one >= apart - 1e-9 for one, other in pairwise(found))
    assert all(-1e-9 <= each <= 100 + 1e-9 for each in found)
    if all(other - one >= apart for one, other in pairwise(wanted)):
        assert np.allclose(found, wanted)


def test_a_label_shows_no_part_of_a_number(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    whole = f"samples {number(13_539_032_980)} in this round"
    label.setText(whole)
    shown = set()
    for width in range(20, label.fontMetrics().horizontalAdvance(whole) + 20):
        label.resize(width, 20)
        label.grab()
        shown.add(label.shown())
    assert whole in shown
    assert any(number(13_539_032_980) in each for each in shown - {whole})
    for each in shown - {whole}:
        assert number(13_539_032_980) in each or not set(each) & set(digits), each


@given(st.text(st.characters(exclude_characters="…"), max_size=60), st.integers(3, 20))
def test_a_long_name_keeps_both_ends(name, most):
    short = shortened(name, most)
    assert len(short) <= most
    if len(name) <= most:
        assert short == name
    else:
        first, last = short.split("…")[0], short.split("…")[-1]
        assert name.startswith(first)
        assert name.endswith(last)


def test_long_names_that_differ_at_their_end_differ():
    names = [f"a rather long item name {at}" for at in range(40)]
    assert len({shortened(name, 12) for name in names}) == 40
    assert shortened(names[6], 12) == "a rath…ame 6"
    assert shortened("a rather long item 1234567", 12) == "a ra…1234567", "a number stays whole"
    assert shortened("x" * 30 + "123456789012", 12) == "xxxxxx…89012", "a very long one has both ends"
