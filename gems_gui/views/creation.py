"""Creates views; one that cannot be created is replaced by its error."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gems_gui.appearance import Appearance
from gems_gui.snapshot import Snapshot
from gems_gui.theme import Theme
from gems_gui.views import STAGE_VIEWS
from gems_gui.views.view import View, failure_of


class BrokenView(View):
    """In place of a view that could not be created.

    Signals
    -------
    replacement_requested
        The user wants the view to be created again.
    """

    is_plot = False
    has_numbers = False
    marks_selection = False
    replacement_requested = Signal()

    def __init__(self, name: str, appearance: Appearance, error: Exception) -> None:
        # Not the error itself: it would keep the widgets that were created before it.
        self._why = failure_of(name, STAGE_VIEWS.title_of(name), "is not created", error)
        self.__dict__.update(name=name, title=STAGE_VIEWS.title_of(name))
        super().__init__(appearance)

    def make(self) -> QWidget:
        return QWidget()

    def show(self, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        self.cover(*self._why)

    def apply_theme(self, theme: Theme) -> None:
        pass

    def retry(self) -> None:
        self.replacement_requested.emit()


def create_view(name: str, appearance: Appearance) -> View:
    """The view of this name, or its error."""
    try:
        return STAGE_VIEWS[name](appearance)
    except Exception as error:  # of its module, too: it may come from a plug-in
        return BrokenView(name, appearance, error)
