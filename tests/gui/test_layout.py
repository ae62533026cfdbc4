"""Texts of all views fit, at the sizes of cards that a window gives, at all scales of fonts, light and dark."""

from dataclasses import replace
from functools import cache

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from gems_engine.terminal import with_indices
from gems_gui.appearance import Appearance
from gems_gui.snapshot import Selection, Snapshot
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import ARRANGEMENT, EVERY_VIEW
from gems_gui.views.option import Whole
from gems_gui.workbench.layouts import LEAST
from tests.gui.sample_runs import RUNS, filled, run
from tests.gui.text_boxes import assert_texts_fit, card_of, settle

WINDOWS = ((1024, 700), (1440, 900), (2560, 1440))
_FORM, _TRANSPORT, _MENU, _GAP = 290, 60, 24, 8
_ROWS = 3  # of the board when all of its views are there


@cache
def snapshots(name):
    """Before the first event, early, in the middle with an arm selected, and at the end with the truth hidden."""
    trace = run(name)
    selected = Selection.of_arm(trace.instance, len(trace.instance.arms) // 2)
    found = [Snapshot.of(trace, cursor) for cursor in (0, 8)]
    found += [Snapshot.of(trace, len(trace) // 2, selected), replace(Snapshot.of(trace), truth=False)]
    return [filled(each, name) for each in found]


def card_size(view, window):
    """Width and height of a view's card on the board of a window."""
    abreast = 1 if ARRANGEMENT[0] == (view,) else max([2, *(len(row) for row in ARRANGEMENT if view in row)])
    width, height = window
    rows = max(_ROWS, len(ARRANGEMENT))
    inner = width - _FORM - _GAP
    return (
        (inner - (abreast + 1) * _GAP) // abreast,
        (height - _TRANSPORT - _MENU - (rows + 1) * _GAP) // rows,
    )


def test_a_window_gives_wide_cards_to_what_stands_alone():
    alone, abreast = ARRANGEMENT[0][0], ARRANGEMENT[-1][0]
    assert card_size(alone, (1024, 700)) == (710, 194)
    assert card_size(abreast, (1024, 700)) == (351, 194)


def checked(view, card, size, scale, name):
    """The texts of a card at a size for fonts of a scale, after a check that they fit."""
    width, height = (max(each, round(scale * least)) for each, least in zip(size, LEAST, strict=True))
    settle(card, width, height)
    where = f"{width}×{height} at {scale}, {name}, event {view.snapshot.cursor}"
    assert view.failure is None, f"{where}: {view.failure[0]}"
    try:
        return assert_texts_fit(card)
    except AssertionError as error:
        raise AssertionError(f"{where}: {error}") from None


SIZES = (LEAST, (519, 196), (741, 431))
"""Of cards, before font scaling: the smallest, a usual one, and one on a large screen."""


@pytest.mark.parametrize(
    ("scales", "sizes", "names"),
    [
        pytest.param((1.0, 1.5, 2.0), SIZES, ("800 arms",), id="many arms at every size"),
        pytest.param((1.5,), ((351, 194),), RUNS, id="large text in the smallest window"),
        pytest.param(
            (0.7, 1.0, 1.25, 1.5, 2.0, 2.5),
            (*SIZES, (1046, 204), (368, 240), (837, 929)),
            (*RUNS, "800 arms"),
            id="everything",
            marks=pytest.mark.long,
        ),
    ],
)
@pytest.mark.parametrize("view", EVERY_VIEW)
def test_texts_fit(qtbot, view, scales, sizes, names):
    for scale in scales:
        theme = LIGHT.scaled(scale)
        shown = EVERY_VIEW[view](Appearance(theme))
        card = card_of(shown, theme)
        qtbot.addWidget(card)
        for name in names:
            for snapshot in snapshots(name):
                shown.show(snapshot)
                for size in sizes:
                    texts = [box.text for box in checked(shown, card, size, scale, name)]
                    assert with_indices(shown.title) in texts
                    # A plot has a title, a subtitle or legend, and numbers at both axes, or says why not; a text
                    # scrolls, and may have nothing to say before the first event.
                    empty = shown.is_plot and shown.plot.placeholder
                    assert len(texts) >= (5 if shown.is_plot and not empty else 2 if snapshot.cursor else 1)
                    assert not empty or shown.plot.placeholder[0] in texts


CHOICES = [
    (view, option.name, choice)
    for view, kind in EVERY_VIEW.items()
    for option in kind.options
    if not isinstance(option, Whole)
    for choice in option.choices
    if choice != option.default
]


@pytest.mark.parametrize(("view", "option", "choice"), CHOICES)
def test_texts_fit_with_every_option(qtbot, view, option, choice):
    theme = LIGHT.scaled(1.25)
    shown = EVERY_VIEW[view](Appearance(theme))
    card = card_of(shown, theme)
    qtbot.addWidget(card)
    shown.set_option(option, choice)
    for name in ("fixed-budget", "800 arms"):
        for snapshot in snapshots(name):
            shown.show(snapshot)
            checked(shown, card, LEAST, 1.25, name)


def test_texts_fit_in_the_dark(qtbot):
    for view, kind in EVERY_VIEW.items():
        shown = kind(Appearance(DARK))
        card = card_of(shown, DARK)
        qtbot.addWidget(card)
        for name in RUNS:
            shown.show(snapshots(name)[1])
            settle(card, *card_size(view, WINDOWS[1]))
            assert_texts_fit(card)


@pytest.mark.parametrize("view", EVERY_VIEW)
def test_a_view_survives_a_card_without_room(qtbot, view):
    theme = LIGHT.scaled(2.0)
    shown = EVERY_VIEW[view](Appearance(theme))
    card = card_of(shown, theme)
    qtbot.addWidget(card)
    for snapshot in snapshots("fixed-budget"):
        for height in (600, 150, 20):
            settle(card, 520, height)
            shown.show(snapshot)
            assert shown.failure is None, shown.failure[1]


def test_empty_views_fit(qtbot):
    theme = LIGHT.scaled(1.5)
    for view, kind in EVERY_VIEW.items():
        shown = kind(Appearance(theme))
        card = card_of(shown, theme)
        qtbot.addWidget(card)
        shown.show(None)
        settle(card, *card_size(view, WINDOWS[0]))
        texts = [box.text for box in assert_texts_fit(card)]
        assert with_indices(shown.title) in texts
        assert not shown.is_plot or {with_indices(shown.about), "no run yet"} & set(texts)


def board_of(*places):
    """A widget with labels at (text, x, y, width, height)."""
    board = QWidget()
    board.resize(400, 100)
    for text, *place in places:
        label = QLabel(text, board)
        label.setFont(LIGHT.font())
        label.setGeometry(*place)
    return board


CUT_OFF = ("a text that is much too long for this", 10, 10, 40, 20)
OUTSIDE = ("far away", 390, 10, 100, 20)
ONE = ("number one", 10, 10, 100, 20)
OVER_ONE = ("number two", 40, 12, 100, 20)
BESIDE_ONE = ("number two", 120, 10, 100, 20)


def test_the_check_sees_what_does_not_fit(qtbot):
    for places, sentence in (
        ((ONE, OVER_ONE), r"«number two» .* lies on «number one»"),
        ((CUT_OFF,), r"«a text .* is cut off"),
        ((ONE, OUTSIDE), r"«far away» leaves the card"),
    ):
        board = board_of(*places)
        qtbot.addWidget(board)
        with pytest.raises(AssertionError, match=sentence):
            assert_texts_fit(board)
    board = board_of(ONE, BESIDE_ONE)
    qtbot.addWidget(board)
    assert [box.text for box in assert_texts_fit(board)] == ["number one", "number two"]
