"""Which page has the middle of the window: the board with the form, or what takes their place."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QBoxLayout, QWidget

from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page, Workbench

_WITH_FORM = (Page.BOARD, Page.WELCOME)


class PageArea(QObject):
    """Shows the page of the workbench and hides the others; a page is made when it is first shown."""

    def __init__(self, workbench: Workbench, form: QWidget, board: QWidget, layout: QBoxLayout) -> None:
        super().__init__(board)
        self._workbench = workbench
        self._form, self._board, self._layout = form, board, layout
        self._makers: dict[Page, Callable[[], QWidget]] = {}
        self._pages: dict[Page, QWidget] = {}
        workbench.subscribe(self._show, Field.PAGE)

    def add(self, page: Page, make: Callable[[], QWidget]) -> None:
        """Say how a page is made."""
        self._makers[page] = make

    def _show(self, *_: object) -> None:
        now = self._workbench.page
        for page, widget in self._pages.items():
            if page is not now:
                widget.hide()
        # before the page: a window grows by what it has to hold at once
        self._form.setVisible(now in _WITH_FORM)
        self._board.setVisible(now is Page.BOARD)
        if now in self._makers and now not in self._pages:
            self._pages[now] = widget = self._makers[now]()
            widget.hide()
            self._layout.addWidget(widget, 1)
        if now in self._pages:
            self._pages[now].show()
