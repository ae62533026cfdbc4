"""How the window looks now, and who is told when that changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from gems_gui import theme as looks
from gems_gui.settings import LARGEST_SCALE, SMALLEST_SCALE, Settings
from gems_gui.theme import Theme


class Appearance(QObject):
    """The theme, and everything that follows it.

    Attributes
    ----------
    changed : Signal of Theme
        Another theme, or another size of text.
    applied : Signal
        Everything that follows has it now: what depends on the sizes of others may look at them.
    """

    changed = Signal(object)
    applied = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def follow(self, apply: Callable[[Theme], object]) -> None:
        """Apply the theme now, and again whenever it changes; a method is forgotten with its object."""
        self.changed.connect(apply)
        apply(self.theme)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme."""
        self.theme = theme
        self.changed.emit(theme)
        self.applied.emit()


class ChosenAppearance(Appearance):
    """The appearance that the user has chosen in the settings, for the whole application."""

    def __init__(self, app: QApplication, settings: Settings) -> None:
        super().__init__(looks.theme_for(settings.theme, settings.font_scale))
        self._app = app
        self._settings = settings
        looks.prepare(app, self.theme)  # before there is a window: everything in it gets its font from it
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    @property
    def choice(self) -> str:
        """``system``, ``light`` or ``dark``."""
        return self._settings.theme

    def choose(self, choice: str | None = None, font_scale: float | None = None) -> None:
        """Take another theme, or another size of text, now and for the next start."""
        if choice is not None:
            self._settings.theme = choice
        if font_scale is not None:
            self._settings.font_scale = font_scale
        self._update()

    def scale_text(self, factor: float | None) -> None:
        """Make all text larger or smaller by a factor, now and for the next start; None: give it its normal size."""
        scale = 1.0 if factor is None else self.theme.font_scale * factor
        self.choose(font_scale=min(max(scale, SMALLEST_SCALE), LARGEST_SCALE))

    def _update(self) -> None:
        self.theme = looks.theme_for(self._settings.theme, self._settings.font_scale)
        looks.apply(self._app, self.theme)
        self.set_theme(self.theme)

    def _on_system_changed(self) -> None:
        if self._settings.theme == "system":
            self._update()
