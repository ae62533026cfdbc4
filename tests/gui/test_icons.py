"""Icons: each is there, is unlike the others, and has the colours of its theme."""

from collections import Counter

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage

from gems_gui import theme as looks
from gems_gui.icons import NAMES, icon
from gems_gui.theme import DARK, LIGHT

NAMED = {
    *("first", "back", "play", "pause", "forward", "last", "live", "hold", "stop", "run"),
    *("run_to_end", "loop", "options", "dice", "open", "save", "copy", "close", "help", "maximise", "goto"),
}
MODE, STATE = QIcon.Mode, QIcon.State


def painted(name, theme, mode=MODE.Normal, state=STATE.Off, side=32, ratio=1.0):
    picture = icon(name, theme).pixmap(QSize(side, side), ratio, mode, state).toImage()
    return picture.convertToFormat(QImage.Format.Format_ARGB32)


def colors(image):
    """How often each colour covers a pixel wholly."""
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return Counter(color.name() for color in pixels if color.alpha() == 255)


def covered(image):
    return sum(image.pixelColor(x, y).alphaF() for x in range(image.width()) for y in range(image.height()))


def test_there_is_every_icon_that_was_asked_for(qapp):
    assert set(NAMES) >= NAMED


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_an_icon_is_drawn_in_the_colour_of_the_text_and_dimmed_when_it_is_off(qapp, theme):
    for name in NAMES:
        normal, disabled = painted(name, theme), painted(name, theme, MODE.Disabled)
        assert set(colors(normal)) == {QColor(theme.text).name()}, name
        assert 0 < covered(disabled) < 0.7 * covered(normal), name
        assert set(colors(painted(name, theme, MODE.Selected))) == {QColor(theme.on_primary).name()}, name


def test_no_two_icons_look_alike(qapp):
    pictures = [bytes(painted(name, LIGHT).constBits()) for name in NAMES]
    assert len(set(pictures)) == len(NAMES)


def test_live_is_a_ring_that_is_filled_when_it_is_on(qapp):
    off, on = painted("live", LIGHT), painted("live", LIGHT, state=STATE.On)
    assert off.pixelColor(16, 16).alpha() == 0
    assert on.pixelColor(16, 16) == QColor(LIGHT.text)


def test_it_is_as_sharp_on_a_fine_screen_as_at_twice_the_size(qapp):
    fine, large = painted("dice", LIGHT, side=18, ratio=2.0), painted("dice", LIGHT, side=36)
    assert fine.devicePixelRatio() == 2.0
    assert bytes(fine.constBits()) == bytes(large.constBits())


def test_a_wide_place_has_the_icon_in_its_middle(qapp):
    wide = icon("stop", LIGHT).pixmap(QSize(64, 32)).toImage()
    assert wide.pixelColor(32, 16) == QColor(LIGHT.text)
    assert wide.pixelColor(8, 16).alpha() == 0


def test_a_copy_that_is_changed_leaves_the_icon_as_it_was(qapp):
    copy = QIcon(icon("play", LIGHT))
    copy.addPixmap(icon("stop", LIGHT).pixmap(QSize(8, 8)))
    assert bytes(painted("play", LIGHT).constBits()) == bytes(painted("play", LIGHT.scaled(1.5)).constBits())


def test_icons_are_made_once_per_theme(qapp):
    assert icon("play", LIGHT).cacheKey() == icon("play", LIGHT.scaled(2.0)).cacheKey()
    assert icon("play", LIGHT).cacheKey() != icon("play", DARK).cacheKey()


def test_without_a_theme_it_has_the_colours_that_the_program_wears(qapp):
    before = qapp.palette()
    try:
        for theme in (LIGHT, DARK):
            qapp.setPalette(looks.palette(theme))
            assert icon("dice").cacheKey() == icon("dice", theme).cacheKey()
    finally:
        qapp.setPalette(before)


def test_an_unknown_icon_is_an_error(qapp):
    with pytest.raises(KeyError):
        icon("unicorn", LIGHT)


def test_corners_stay_free(qapp):
    for name in NAMES:
        image = painted(name, LIGHT, side=48)
        corners = [image.pixelColor(x, y).alpha() for x in (0, 47) for y in (0, 47)]
        assert corners == [0, 0, 0, 0], name
        assert image.hasAlphaChannel()
        assert image.pixelColor(0, 0) == QColor(Qt.GlobalColor.transparent)
