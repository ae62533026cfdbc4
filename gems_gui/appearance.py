"""The current theme, and notification of its changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from gems_gui import theme as looks
from gems_gui.settings import Settings
from gems_gui.theme import LARGEST_SCALE, SMALLEST_SCALE, Theme


class Appearance(QObject):
    """The theme, and the objects that follow it.

    Attributes
    ----------
    changed : Signal of Theme
        The theme or the text size has changed.
    applied : Signal
        All followers have applied the theme, so that sizes can be read.
    """

    changed = Signal(object)
    applied = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme

    def follow(self, apply: Callable[[Theme], object]) -> None:
        """Call a function with the theme now and whenever it changes; a method does not keep its object alive."""
        self.changed.connect(apply)
        apply(self.theme)

    def set_theme(self, theme: Theme) -> None:
        """Set another theme."""
        self.theme = theme
        self.changed.emit(theme)
        self.applied.emit()


class ChosenAppearance(Appearance):
    """The appearance of the whole application, as chosen in the settings.

    Attributes
    ----------
    changing : Signal
        Another theme or text size will be applied next; `applied` follows.
    """

    changing = Signal()

    def __init__(self, app: QApplication, settings: Settings) -> None:
        screen = app.primaryScreen()
        size = screen.size()
        settings.usual_scale = looks.text_scale(size.width(), size.height(), screen.logicalDotsPerInch())
        super().__init__(looks.theme_for(settings.theme, settings.font_scale))
        self._app = app
        self._settings = settings
        looks.prepare(app, self.theme)  # before the window is created: its widgets take the font from it
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    def set_style_sheet(self) -> None:
        """Apply the style sheet, after the widgets of the window were created."""
        self._app.setStyleSheet(looks.stylesheet(self.theme))

    @property
    def choice(self) -> str:
        """``system``, ``light`` or ``dark``."""
        return self._settings.theme

    def choose(self, choice: str | None = None, font_scale: float | None = None) -> None:
        """Set another theme or text size, and save the choice."""
        if choice is not None:
            self._settings.theme = choice
        if font_scale is not None:
            self._settings.font_scale = font_scale
        self._update()

    def scale_text(self, factor: float | None) -> None:
        """Scale all text by a factor and save the choice; None: restore the usual size of the screen."""
        if factor is None:
            self._settings.font_scale = None
            self._update()
        else:
            self.choose(font_scale=min(max(self.theme.font_scale * factor, SMALLEST_SCALE), LARGEST_SCALE))

    def _update(self) -> None:
        self.changing.emit()
        self.theme = looks.theme_for(self._settings.theme, self._settings.font_scale)
        looks.apply(self._app, self.theme)
        self.set_theme(self.theme)

    def _on_system_changed(self) -> None:
        if self._settings.theme == "system":
            self._update()
