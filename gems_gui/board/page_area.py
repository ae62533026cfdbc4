"""The pages in the middle of the window: the board with the form, or another page."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Signal
from PySide6.QtWidgets import QBoxLayout, QWidget

from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page, Workbench

_WITH_FORM = (Page.BOARD, Page.WELCOME)


class PageArea(QObject):
    """Shows the current page of the workbench; a page is created when it is first shown."""

    changing = Signal()
    """Another page is about to be shown."""
    shown = Signal(object)
    """Another page is shown, and created; with the page."""

    def __init__(self, workbench: Workbench, form: QWidget, board: QWidget, layout: QBoxLayout) -> None:
        super().__init__(board)
        self._workbench = workbench
        self._form, self._board, self._layout = form, board, layout
        self._makers: dict[Page, Callable[[], QWidget]] = {}
        self._pages: dict[Page, QWidget] = {}
        workbench.subscribe(self._show, Field.PAGE)
        workbench.subscribe(self._lay_out, Field.PAGE, last=True)

    def add(self, page: Page, make: Callable[[], QWidget]) -> None:
        """Register the function that creates a page."""
        self._makers[page] = make

    def _show(self, *_: object) -> None:
        now = self._workbench.page
        self.changing.emit()
        for page, widget in self._pages.items():
            if page is not now:
                widget.hide()
        # before the page is shown: a window grows by everything visible at once
        self._form.setVisible(now in _WITH_FORM)
        self._board.setVisible(now is Page.BOARD)
        if now in self._makers and now not in self._pages:
            self._pages[now] = widget = self._makers[now]()
            widget.hide()
            self._layout.addWidget(widget, 1)
        if now in self._pages:
            self._pages[now].show()
            self._pages[now].updateGeometry()  # the style sheet gives it another size when it is first shown
        self.shown.emit(now)

    def _lay_out(self, *_: object) -> None:
        """Lay out the page and what surrounds it now: Qt would paint them first, and then move them."""
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
