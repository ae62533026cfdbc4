"""The screens of a talk: one for the audience, and another one for the speaker if there is one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from gems_gui.widgets.timers import single_shot
from gems_gui.widgets.window_area import WindowArea

_SETTLE = 100  # milliseconds: plugging in a screen is several changes


def plugged_in() -> list[QScreen]:
    """All screens of the desktop."""
    return QGuiApplication.screens()


class Screens(QObject):
    """Chooses the screens of a talk, and reports when they have changed.

    The audience has a screen without the window, if there is one, so that the speaker keeps the window.
    """

    changed = Signal()
    """A screen was plugged in or removed, or has another size."""

    def __init__(self, area: WindowArea, parent: QObject) -> None:
        super().__init__(parent)
        self._area = area
        self._chosen: QScreen | None = None
        self._hidden: tuple[QWidget, ...] = ()
        self._later = single_shot(self, self.changed.emit, _SETTLE)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.screenAdded.connect(self._on_screen_added)
        app.screenRemoved.connect(self._on_change)
        for screen in plugged_in():
            screen.geometryChanged.connect(self._on_change)

    def _on_screen_added(self, screen: QScreen) -> None:
        screen.geometryChanged.connect(self._on_change)
        self._on_change()

    def _on_change(self, *_: object) -> None:
        self._later.start()

    # -- which --------------------------------------------------------------------------------------------------

    @property
    def audience(self) -> QScreen:
        """The screen of the stage."""
        screens, here = plugged_in(), self._area.screen
        if self._chosen is not None and any(screen is self._chosen for screen in screens):
            return self._chosen
        return next((screen for screen in screens if screen is not here), here)

    @property
    def speaker(self) -> QScreen | None:
        """The screen of the speaker's window; None if the audience has the only one."""
        audience, here = self.audience, self._area.screen
        if here is not audience:
            return here
        return next((screen for screen in plugged_in() if screen is not audience), None)

    def swap(self) -> None:
        """Choose the next screen for the audience."""
        screens = plugged_in()
        at = next(at for at, screen in enumerate(screens) if screen is self.audience)
        self._chosen = screens[(at + 1) % len(screens)]

    # -- windows ------------------------------------------------------------------------------------------------

    def fill(self, stage: QWidget) -> None:
        """Show the stage in full screen for the audience; floating docks and dialogs on its screen are hidden."""
        screen = self.audience
        self.restore()
        if screen is self._area.screen:
            others = [each for each in QApplication.topLevelWidgets() if each is not stage]
            self._hidden = tuple(each for each in others if each.isVisible() and each.parent() is not None)
            for each in self._hidden:
                each.hide()
        if not (stage.isFullScreen() and stage.screen() is screen and stage.geometry() == screen.geometry()):
            stage.setWindowState(stage.windowState() & ~Qt.WindowState.WindowFullScreen)
            stage.setScreen(screen)
            stage.setGeometry(screen.geometry())
            stage.showFullScreen()

    def restore(self) -> None:
        """Show again what a stage has hidden."""
        hidden, self._hidden = self._hidden, ()
        for each in filter(isValid, hidden):  # a dialog may be deleted during a talk
            each.show()
