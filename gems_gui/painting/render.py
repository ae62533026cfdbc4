"""Painting without a screen: the picture of a view or of the whole board, at any size, on any device.

Pictures are painted, never grabbed from a screen, so they are the same with and without a display.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QGridLayout, QSizePolicy, QWidget

from gems_engine.parameters import unknown_name
from gems_gui.appearance import Appearance
from gems_gui.painting.frames import Frame, Look, view_of
from gems_gui.painting.limits import DPI
from gems_gui.painting.locked_axes import FrameSnapshots, SharedAxes, level_legends, shared_axes
from gems_gui.painting.picture_caption import PictureCaption
from gems_gui.painting.rows import BOARD, cells_of, hall_text, projector_cells
from gems_gui.painting.typeset_names import Typesetter
from gems_gui.series.status import caption, outcome
from gems_gui.snapshot import Snapshot
from gems_gui.theme import THEMES, Theme, family, palette, stylesheet
from gems_gui.views import ARRANGEMENT, EVERY_VIEW
from gems_gui.views.card import Card, ElidedLabel
from gems_gui.views.plot import Plot
from gems_gui.views.view import View

_GAP = 8
_MOST_LAYOUTS = 6  # the numbers of one plot may change the space for another one


def view_names() -> list[str]:
    """The names of all views that can be painted."""
    return [BOARD, *EVERY_VIEW]


def arranged(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Views in rows: the first layout, if they are in it, then two per row; for none, the first layout."""
    rows = [tuple(name for name in row if name in names) for row in ARRANGEMENT]
    placed = {name for row in rows for name in row}
    rest = [name for name in names if name not in placed]
    rows += [tuple(rest[at : at + 2]) for at in range(0, len(rest), 2)]
    return tuple(row for row in rows if row) or ARRANGEMENT


class PictureSheet:
    """Views on the background of the window, created once and painted for any number of snapshots.

    The result depends only on the snapshot and the look, not on earlier pictures: the frames of a film are the same as
    if they were painted one by one.

    Parameters
    ----------
    views
        Names; one fills the sheet, several are arranged as on the board, none means those of the first layout. A view
        may be there twice, for two runs: see :func:`gems_gui.painting.frames.panels_of`.
    """

    def __init__(self, views: Sequence[str], look: Look) -> None:
        look.check()
        for panel in views:
            if view_of(panel)[0] not in EVERY_VIEW:
                raise unknown_name("view", panel, view_names())
        self.look = look
        self._cells = projector_cells(views) if look.projector and views else cells_of(arranged(views))
        self.appearance = Appearance(self._theme())
        self.views: list[View] = [
            EVERY_VIEW[view_of(panel)[0]](self.appearance, exporting=True) for panel in self._cells
        ]
        self._axes: dict[tuple[Frame, ...], SharedAxes] = {}
        for view in self.views:
            for option, value in look.options.get(view.name, {}).items():
                if option not in view.settings:
                    raise unknown_name(f"option of {view.name}", option, view.settings)
                view.set_option(option, value)
        self._typesetter = Typesetter()
        self.line = ElidedLabel()
        self.caption = PictureCaption(self.appearance)
        self.widget = self._laid_out()
        self._plots: list[Plot] = self.widget.findChildren(Plot)
        self._areas = [each for each in self.widget.findChildren(QAbstractScrollArea) if not isinstance(each, Plot)]
        if self.theme.paper or self.theme.hall:
            for area in self._areas:  # nothing scrolls on paper and in a film
                area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
                area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self.widget.setFixedSize(*look.size)
        self.widget.show()  # for the layout; nothing appears on screen

    @property
    def theme(self) -> Theme:
        """The theme of the sheet."""
        return self.appearance.theme

    def _theme(self) -> Theme:
        look, theme = self.look, THEMES[self.look.theme]
        if look.inches is not None:
            return theme.for_paper(look.scale)
        if not look.projector:
            return theme.scaled(look.text)
        return theme.for_projector(look.text * hall_text(*look.size, len(self._cells)))

    # -- content ------------------------------------------------------------------------------------------------

    def show_frame(self, frame: Frame, snapshots: FrameSnapshots) -> None:
        """Show a frame: its runs, its caption, its arrows and brackets, and the axes that it shares with others.

        Parameters
        ----------
        snapshots
            Returns the snapshots of its run and of its second run, for this frame and for those in its lock.
        """
        if frame.lock and frame.lock not in self._axes:
            panels = dict(zip(self._cells, self.views, strict=True))
            self._axes[frame.lock] = shared_axes(panels, frame, snapshots)
        shared = self._axes.get(frame.lock, {})
        first, second = snapshots(frame)
        for panel, view in zip(self._cells, self.views, strict=True):
            name, other = view_of(panel)
            view.lock_axes(shared.get(name, ()))
            view.annotate([mark for mark in frame.marks if (mark.view, mark.second) == (name, other)])
            view.name_run(frame.names[other])
        self._show(first, second, frame.caption)

    def show(self, snapshot: Snapshot, words: str = "") -> None:
        """Show a snapshot, with a caption if the look has space for it."""
        self._show(snapshot, None, words)

    def _show(self, snapshot: Snapshot, second: Snapshot | None, words: str) -> None:
        if self.theme.paper:
            snapshot = self._typesetter.typeset(snapshot)
        self.line.setText(caption(snapshot) if self.look.captions else f"{caption(snapshot)} · {outcome(snapshot)}")
        self.caption.set_text(words)
        for panel, view in zip(self._cells, self.views, strict=True):
            view.reset()
            view.show(second if second is not None and view_of(panel)[1] else snapshot)
        self._settle()

    def _settle(self) -> None:
        """Repeat the layout until it is stable: the width of an axis is known only after its layout."""
        before: list[object] = []
        for _ in range(_MOST_LAYOUTS):
            level_legends(dict(zip(self._cells, self.views, strict=True)))
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            for area in self._areas:  # scroll bars are shown and hidden by queued calls
                QApplication.sendPostedEvents(area, QEvent.Type.MetaCall)
            for plot in self._plots:
                plot.settle()
            now: list[object] = [(plot.geometry(), plot.box.geometry()) for plot in self._plots]
            now += [area.viewport().geometry() for area in self._areas]
            if now == before and all(plot.settled for plot in self._plots):
                return
            before = now

    # -- pictures -----------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        """Paint the sheet, one unit per pixel before scaling."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.widget.render(painter, QPoint(0, 0))

    def image(self) -> QImage:
        """The sheet as an image."""
        image = QImage(QSize(*self.look.pixels), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(self.look.scale)
        if self.look.inches is not None:
            image.setDotsPerMeterX(round(DPI * self.look.scale / 0.0254))
            image.setDotsPerMeterY(round(DPI * self.look.scale / 0.0254))
        image.fill(self.theme.color("window"))
        painter = QPainter(image)
        self.paint(painter)
        painter.end()
        return image

    def close(self) -> None:
        """Release all resources."""
        self.widget.hide()
        self.widget.deleteLater()
        QApplication.sendPostedEvents(self.widget, QEvent.Type.DeferredDelete)

    # -- parts --------------------------------------------------------------------------------------------------

    def _laid_out(self) -> QWidget:
        """The views on the background of the window, arranged as on the board; a single one fills it."""
        sheet, theme = QFrame(), self.theme
        sheet.setObjectName("sheet")
        sheet.setFont(theme.font())
        sheet.setPalette(palette(theme))
        # With a style sheet, texts and tables take their font from the application, not from their parent widget.
        font = f'font-family: "{family()}"; font-size: {theme.for_tables().letters()}px;'
        bare = ' QFrame[role="body"] { border: none; }' if theme.paper else ""
        rules = (
            f"QLabel, QTextBrowser, QAbstractItemView, QHeaderView {{ {font} }}",
            f"#sheet {{ background: {theme.window}; }}{bare}",
        )
        sheet.setStyleSheet("\n".join((rules[0], stylesheet(theme), rules[1])))
        grid = QGridLayout(sheet)
        around = 0 if self.theme.paper else _GAP
        grid.setContentsMargins(around, around, around, around)
        grid.setSpacing(_GAP)
        for view, cell in zip(self.views, self._cells.values(), strict=True):
            grid.addWidget(self._card(view), *cell)
        for number in range(grid.rowCount()):
            grid.setRowStretch(number, 1)
        for column in range(grid.columnCount()):
            grid.setColumnStretch(column, 1)
        rows, columns = grid.rowCount(), grid.columnCount()
        plain = self.look.projector or self.theme.paper
        below = [self.line] if len(self.views) > 1 and not plain else []
        self.line.setProperty("role", "dim")
        for number, widget in enumerate([*below, *([self.caption] if self.look.captions else [])]):
            grid.addWidget(widget, rows + number, 0, 1, columns)
        for unused in (self.line, self.caption):
            if unused.parent() is None:
                unused.setParent(sheet)
                unused.hide()
        return sheet

    @staticmethod
    def _card(view: View) -> Card:
        """A view with the size given by the grid, independent of its size hint, which changes with the snapshot.

        On paper, it has no head and no margins.
        """
        card = Card(view.head, view.body)
        if view.theme.paper:
            view.head.hide()
            layout = view.body.layout()
            assert layout is not None
            layout.setContentsMargins(0, 0, 2, 0)
        card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        return card


def paint(
    snapshot: Snapshot,
    view: str,
    size: tuple[int, int],
    theme: Theme,
    scale: float = 1.0,
    options: Mapping[str, Mapping[str, str]] | None = None,
) -> QImage:
    """A view, or the board, as an image.

    Parameters
    ----------
    options
        The options of each view, by name; all others have their default.
    """
    if view not in view_names():
        raise unknown_name("view", view, view_names())
    look = Look(size, scale, theme.name, theme.font_scale, options=options or {})
    sheet = PictureSheet(() if view == BOARD else (view,), look)
    try:
        sheet.show(snapshot)
        return sheet.image()
    finally:
        sheet.close()


def png(image: QImage) -> bytes:
    """An image as the bytes of a PNG."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())
