"""What follows the appearance: at once, after every change, once each, and no longer than it exists."""

from __future__ import annotations

import gc
import weakref

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject

from gems_gui.appearance import Appearance
from gems_gui.theme import DARK, LIGHT
from tests.gui.window_driver import driven


class Follower(QObject):
    def __init__(self, appearance, taken):
        super().__init__()
        self.taken = taken
        appearance.follow(self._apply_theme)

    def _apply_theme(self, theme):
        self.taken.append(theme)


def test_a_follower_has_the_theme_at_once_and_after_every_change(qapp):
    appearance, taken = Appearance(LIGHT), []
    follower = Follower(appearance, taken)
    assert taken == [LIGHT]
    appearance.applied.connect(lambda: taken.append("applied"))
    late = Follower(appearance, taken)
    appearance.set_theme(DARK)
    assert taken == [LIGHT, LIGHT, DARK, DARK, "applied"], "which is told when everything has it"
    assert follower.taken is late.taken


def test_a_follower_that_is_gone_is_not_called(qapp):
    appearance, taken = Appearance(LIGHT), []
    kept, forgotten = Follower(appearance, taken), Follower(appearance, taken)
    gone = weakref.ref(forgotten)
    del forgotten
    gc.collect()
    assert gone() is None, "the appearance keeps nothing alive"
    kept.deleteLater()
    QCoreApplication.sendPostedEvents(kept, QEvent.Type.DeferredDelete)
    assert not shiboken6.isValid(kept)
    taken.clear()
    appearance.set_theme(DARK)
    assert taken == []


def test_another_theme_paints_every_view_once(qtbot, monkeypatch):
    with driven(qtbot) as driver:
        driver.finished()
        driver.shown()
        driver.choose("View/Theme", "Light")
        for name in ("edit_table", "list_runs", "show_talk", "sensitivity", "replicate", "debug_design", "experiments"):
            driver.do(name)
        painted = []
        views = {**driver.board.views, **driver.window.designs.views}
        for name, view in views.items():
            monkeypatch.setattr(
                view, "show", lambda snapshot, name=name, show=view.show: painted.append(name) or show(snapshot)
            )
        driver.choose("View/Theme", "Dark")
        assert sorted(painted) == sorted(views)


@pytest.mark.parametrize("theme", [LIGHT, DARK, LIGHT.for_projector(26.0), DARK.for_projector(26.0)])
@pytest.mark.parametrize("behind", ["card", "window", "field"])
def test_small_text_of_errors_can_be_read(theme, behind):
    first, second = sorted((_luminance(theme.color("error")), _luminance(theme.color(behind))))
    assert (second + 0.05) / (first + 0.05) >= 4.5, "the contrast that WCAG asks of small text"


def _luminance(color):
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.getRgbF()[:3])
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
