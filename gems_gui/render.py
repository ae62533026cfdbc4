"""Painting without a screen: the picture of a view or of the whole board, at any size.

A picture is painted into an image, never grabbed from a screen, so that it is the same with and without a display.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication, QFrame, QGridLayout, QWidget

from gems_engine.parameters import unknown_name
from gems_engine.trace import Trace
from gems_gui.moment import Moment
from gems_gui.series.status import caption, status
from gems_gui.theme import THEMES, Theme, family, palette, stylesheet
from gems_gui.views import ARRANGEMENT, VIEWS
from gems_gui.views.card import Card, ElidedLabel
from gems_gui.views.view import View

BOARD = "board"
"""The views of the first layout in one picture; in the window, those that are in sight."""
_GAP = 8


def view_names() -> list[str]:
    """What can be painted."""
    return [BOARD, *VIEWS]


def picture(
    trace: Trace,
    cursor: int | None = None,
    view: str = BOARD,
    size: tuple[int, int] = (1600, 1000),
    theme: str = "light",
    scale: float = 1.0,
) -> bytes:
    """A picture of a run as the bytes of a PNG.

    Parameters
    ----------
    cursor
        How many events are shown; all of them if it is not given.
    view
        A registered view, or «board» for those of the first layout.
    size
        In pixels, before the scale.
    scale
        Pixels of the picture for each of these: 2 for a print.
    """
    return png(paint(Moment.of(trace, cursor), view, size, THEMES[theme], scale))


def paint(
    moment: Moment,
    view: str,
    size: tuple[int, int],
    theme: Theme,
    scale: float = 1.0,
    options: Mapping[str, Mapping[str, str]] | None = None,
    in_sight: Sequence[str] | None = None,
) -> QImage:
    """A view, or the board, as an image.

    Parameters
    ----------
    in_sight
        The views of the board; those of the first layout if it is not given.
    options
        For each view by name, what was chosen about it; the rest is as it is by default.
    """
    if view not in view_names():
        raise unknown_name("view", view, view_names())
    rows = ((view,),) if view != BOARD else ARRANGEMENT if in_sight is None else arranged(in_sight)
    views = [VIEWS[name](theme, exporting=True) for row in rows for name in row]
    sheet = _sheet(views, rows, moment, theme)
    try:
        for each in views:
            each.settings |= (options or {}).get(each.name, {})
            each.show(moment)
        return paint_widget(sheet, size, theme, scale)
    finally:
        sheet.deleteLater()


def arranged(names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Views in rows: those of the first layout where they are there, the others two in a row."""
    rows = [tuple(name for name in row if name in names) for row in ARRANGEMENT]
    placed = {name for row in rows for name in row}
    rest = [name for name in names if name not in placed]
    rows += [tuple(rest[at : at + 2]) for at in range(0, len(rest), 2)]
    return tuple(row for row in rows if row) or ARRANGEMENT


def paint_widget(widget: QWidget, size: tuple[int, int], theme: Theme, scale: float = 1.0) -> QImage:
    """A widget that nobody has seen, laid out at a size and painted there."""
    widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    widget.setFixedSize(*size)
    widget.show()  # lays out, on no screen
    image = QImage(QSize(*size) * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    for _ in range(2):  # an axis learns how wide its numbers are while it is painted
        QApplication.sendPostedEvents()
        image.fill(theme.color("window"))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        widget.render(painter, QPoint(0, 0))
        painter.end()
    widget.hide()
    return image


def png(image: QImage) -> bytes:
    """An image as the bytes of a PNG."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(data.data())


def _sheet(views: list[View], rows: Sequence[Sequence[str]], moment: Moment, theme: Theme) -> QWidget:
    """The views on the window's ground, arranged as on the board; a lone one fills it."""
    sheet = QFrame()
    sheet.setObjectName("sheet")
    sheet.setFont(theme.font())
    sheet.setPalette(palette(theme))
    # Where a style sheet is, texts and tables take their font from the program and not from the widget around them.
    font = f'font-family: "{family()}"; font-size: {theme.pixels()}px;'
    rules = (f"QLabel, QTextBrowser, QAbstractItemView {{ {font} }}", f"#sheet {{ background: {theme.window}; }}")
    sheet.setStyleSheet("\n".join((rules[0], stylesheet(theme), rules[1])))
    grid = QGridLayout(sheet)
    grid.setContentsMargins(_GAP, _GAP, _GAP, _GAP)
    grid.setSpacing(_GAP)
    if len(views) == 1:
        grid.addWidget(Card(views[0].head, views[0].body), 0, 0)
        return sheet
    cards = iter(Card(view.head, view.body) for view in views)
    columns = math.lcm(*map(len, rows))
    for number, row in enumerate(rows):
        span = columns // len(row)
        for place in range(len(row)):
            grid.addWidget(next(cards), number, place * span, 1, span)
        grid.setRowStretch(number, 1)
    for column in range(columns):
        grid.setColumnStretch(column, 1)
    line = ElidedLabel(f"{caption(moment)} · {status(moment)}")
    line.setProperty("role", "dim")
    grid.addWidget(line, len(rows), 0, 1, columns)
    return sheet
