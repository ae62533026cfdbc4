"""The room above a page: the strip of the board, and notices that float below it instead of moving the plots."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint
from PySide6.QtGui import QMoveEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gems_gui.board.strip import Strip
from gems_gui.widgets.boxes import fill, vbox
from gems_gui.widgets.notice import Notice
from gems_gui.workbench.changes import Field
from gems_gui.workbench.workbench import Page, Workbench

_COMES_OR_GOES = (QEvent.Type.ShowToParent, QEvent.Type.HideToParent)
_RESIZES = (QEvent.Type.LayoutRequest, QEvent.Type.Resize)
_BETWEEN = 4  # pixels between notices


class NoticeArea(QWidget):
    """Has the height of the strip on the board, and that of the notices on other pages.

    Notices float below the strip, over the plots, so that no message hides the verdict.
    """

    def __init__(self, workbench: Workbench, strip: Strip, notices: Sequence[Notice], host: QWidget) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._workbench, self._strip, self._host = workbench, strip, host
        fill(vbox(self), strip)
        self.notices = QWidget(host)
        fill(vbox(self.notices, _BETWEEN), *notices)
        self._shown = notices
        for watched in (self.notices, strip, *notices):
            watched.installEventFilter(self)
        workbench.subscribe(self._place, Field.PAGE)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the notices that come and go, and the size of the strip."""
        if event.type() in (_COMES_OR_GOES if watched in self._shown else _RESIZES):
            self._place()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._place()

    def _place(self, *_: object) -> None:
        height = self._needed()
        on_board = self._workbench.page is Page.BOARD
        self._strip.setVisible(on_board)
        self.setFixedHeight(self._strip.minimumHeight() if on_board else height)
        corner = self.mapTo(self._host, QPoint(0, 0)) if self._host.isAncestorOf(self) else QPoint(0, 0)
        top = corner.y() + (self.height() if on_board else 0)
        self.notices.setGeometry(corner.x(), top, self.width(), height)
        self.notices.raise_()
        layout = self.notices.layout()
        if height and layout is not None:
            layout.activate()

    def _needed(self) -> int:
        """The height of the notices that are shown, 0 if there are none."""
        layout = self.notices.layout()
        assert layout is not None
        if not any(each.isVisibleTo(self.notices) for each in self._shown):
            return 0
        return layout.heightForWidth(self.width()) if layout.hasHeightForWidth() else layout.sizeHint().height()
