"""The plot that all views share: unobtrusive axes with readable numbers, a readout at the mouse, selection by click."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPaintEvent, QTransform
from PySide6.QtWidgets import QGraphicsGridLayout, QLabel

from gems_engine.terminal import with_indices
from gems_gui.glossary import legend
from gems_gui.series.wordings import Phrasings
from gems_gui.theme import LIGHT, Theme
from gems_gui.views.annotations import Annotations
from gems_gui.views.item_spec import ItemSpec, apply_theme_to_items, create_items
from gems_gui.views.items import pixel_size, view_range
from gems_gui.views.number_axis import NumberAxis
from gems_gui.views.placeholder import draw_placeholder, fitting_placeholder, ground_of

Range = tuple[float, float]
_LOW = 10  # lines of text: a lower plot has no label at its x axis
_MOST_LAYOUTS = 3  # one layout may change the space that the next one needs
LEAST_PART = 0.3
"""The part of the height of a low plot that is left to its range, whatever room is asked for above and below."""
_LEAST_WIDTH = 50.0  # pixels for the range, between the space before and after it


class PlotRange(NamedTuple):
    """The range of a plot, and the space around it in pixels."""

    x: Range
    y: Range
    above: float
    below: float
    before: float
    after: float


class AxisRanges(NamedTuple):
    """The ranges that a view gives to the axes of a plot, in logarithms on a logarithmic axis; None for no range.

    The margins are the space above, below, before and after them in pixels.
    """

    x: Range | None
    y: Range | None
    log: tuple[bool, bool]
    margins: tuple[float, float, float, float]


def united(ranges: Sequence[AxisRanges]) -> AxisRanges:
    """The union of ranges; an axis that is logarithmic in some of them only has none."""
    log = ranges[-1].log
    alike = [all(each.log[at] == log[at] for each in ranges) for at in (0, 1)]
    x, y = ([each[at] for each in ranges if each[at] is not None] if alike[at] else [] for at in (0, 1))
    above, below, before, after = (max(each.margins[at] for each in ranges) for at in range(4))
    return AxisRanges(_union(x), _union(y), log, (above, below, before, after))


def _union(ranges: Sequence[Any]) -> Range | None:
    return (min(low for low, _ in ranges), max(high for _, high in ranges)) if ranges else None


class Plot(pg.GraphicsView):  # type: ignore[misc]
    """A plot in a card: a box with an axis on the left and one below.

    This is not pyqtgraph's PlotWidget, which creates two menus with dialogs for every plot. They are not used here and
    would add 20 ms per plot to the start.

    Attributes
    ----------
    grid : QGraphicsGridLayout
        The axis on the left is in row 2, column 0; rows 0 and 1 and the columns from 2 on are free.

    Parameters
    ----------
    whole_x, whole_y
        Whether only whole numbers make sense on the axis.
    """

    annotations: ItemSpec[Annotations] = ItemSpec(
        lambda plot, box: Annotations(plot, box), lambda item, theme: item.apply_theme(theme), z=30
    )

    unsettled = Signal()
    """The surroundings of the box need another size; a request during a layout would be lost."""

    def __init__(self, whole_x: bool = False, whole_y: bool = False) -> None:
        super().__init__(background=None)
        self.x_axis = NumberAxis("bottom", whole_x)
        self.y_axis = NumberAxis("left", whole_y)
        self.box = pg.ViewBox(enableMenu=False, defaultPadding=0.0)
        centre = pg.GraphicsWidget()
        self.grid = QGraphicsGridLayout()
        self.grid.setContentsMargins(1.0, 1.0, 1.0, 1.0)
        self.grid.setSpacing(0.0)
        self.grid.setRowStretchFactor(2, 100)
        self.grid.setColumnStretchFactor(1, 100)
        centre.setLayout(self.grid)
        self.setCentralItem(centre)
        self.grid.addItem(self.box, 2, 1)
        for axis, row, column in ((self.y_axis, 2, 0), (self.x_axis, 3, 1)):
            self.grid.addItem(axis, row, column)
            axis.linkToView(self.box)
            axis.setZValue(self.box.zValue() - 1.0)  # marks at an edge lie over the ticks there
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameStyle(0)
        # Opaque, so that the card behind it with its round corners is not repainted each time.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setViewportUpdateMode(pg.QtWidgets.QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.readout = QLabel(self)
        self.readout.setProperty("role", "readout")
        self.readout.setTextFormat(Qt.TextFormat.PlainText)
        self.readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # it may lie at the mouse
        self.readout.hide()
        self._pointed_at = QPointF()
        self.describe: Callable[[float, float], str] | None = None
        """Maps a point of the plot to a text about what is there; empty for nothing."""
        self.pick: Callable[[float, float], None] | None = None
        """Called with the position of a click."""
        self.zoomed = False
        """Whether the user has zoomed; a double click resets the range."""
        self.print_labels = "", ""
        """Labels of x and y in print, where every axis has one; on screen, the title of the view says it."""
        self._settled_for = (-1, -1)  # no QSize: as an attribute, it crashes PySide when the program ends
        self.placeholder: Phrasings = ()
        """Why the plot is empty, if it is."""
        self.falls_silent: tuple[NumberAxis, ...] = (self.x_axis, self.y_axis)
        """The axes that are hidden while the plot is empty."""
        self._theme = LIGHT
        self._whole: PlotRange | None = None
        self._asked: PlotRange | None = None
        self.locked: AxisRanges | None = None
        """The ranges that the plot shares with others; None if it fits its own content."""
        self._pressed_at: QPointF | None = None
        self.box.sigRangeChangedManually.connect(self._zoom)
        self.box.sigResized.connect(self._on_resized)
        self.setMouseTracking(True)
        self.unsettled.connect(self.settle, Qt.ConnectionType.QueuedConnection)
        create_items(self, self)

    def addItem(self, item: Any, ignoreBounds: bool = False) -> None:
        self.box.addItem(item, ignoreBounds=ignoreBounds)

    # -- looks --------------------------------------------------------------------------------------------------

    def apply_theme(self, theme: Theme) -> None:
        """Set the colours of axes, labels, readout and the plot's own items."""
        self._theme = theme
        self.box.paper = theme.paper  # the items in it differ in print
        self.setBackground(theme.card)
        for axis in (self.x_axis, self.y_axis):
            axis.setPen(pg.mkPen(theme.line, width=theme.pen_width(1)))
            axis.setTextPen(pg.mkPen(theme.dim))
            axis.setTickFont(theme.font(11))
            axis.label.setFont(theme.font(11))
            axis.setStyle(tickTextOffset=4)
        self.readout.setFont(theme.font(11))
        self.readout.setStyleSheet(
            f"background: {theme.card}; color: {theme.text}; border: 1px solid {theme.line}; border-radius: 4px;"
            f"padding: 3px 6px; font-size: {theme.letters(11)}px;"
        )
        apply_theme_to_items(self, theme)

    def label(self, x: str, y: str, theme: Theme) -> None:
        """Label the axes, with units."""
        if theme.paper:
            x, y = x or self.print_labels[0], y or self.print_labels[1]
        style = {"color": theme.dim, "font-size": f"{theme.letters(11)}px"}
        others = [
            (axis, text)
            for axis, text in ((self.x_axis, x), (self.y_axis, y))
            if axis.labelText != text or axis.labelStyle != style
        ]
        for axis, text in others:
            axis.setLabel(text, **style)
            axis.setToolTip(legend(text))
            axis.label.setFont(theme.font(11))
            axis.resizeEvent()  # centres the label, which setLabel forgets
        if others:
            self._fit_labels()

    def _fit_labels(self) -> None:
        """Hide the label of an axis that is too short for it, and that of x in a low plot."""
        low = not self._theme.paper and self.height() < _LOW * QFontMetricsF(self.x_axis.label.font()).height()
        for axis, room in ((self.x_axis, 0.0 if low else self.box.width()), (self.y_axis, self.box.height())):
            fits = bool(axis.labelText) and (self._theme.paper or axis.label.boundingRect().width() <= room)
            if axis.label.isVisible() != fits:
                axis.showLabel(fits)

    def frame(
        self, x: Range, y: Range, above: float = 0.0, below: float = 0.0, before: float = 0.0, after: float = 0.0
    ) -> None:
        """Show this range (logarithms on a logarithmic axis), unless the user has zoomed.

        Parameters
        ----------
        above, below, before, after
            Space for text and marks around the range, in pixels.
        """
        self._asked = PlotRange(x, y, above, below, before, after)
        if self.locked is not None and self.locked.log == self._log:
            x, y = self.locked.x or x, self.locked.y or y
            above, below, before, after = self.locked.margins
        self._whole = PlotRange(x, y, above, below, before, after)
        self.y_axis.lowest = y[0] if below else -math.inf
        if not self.zoomed:
            self._frame()

    @property
    def _log(self) -> tuple[bool, bool]:
        return bool(self.x_axis.logMode), bool(self.y_axis.logMode)

    @property
    def axis_ranges(self) -> AxisRanges:
        """The ranges that the view has asked for, whether or not others are shown."""
        if self._asked is None or self.placeholder:
            return AxisRanges(None, None, self._log, (0.0, 0.0, 0.0, 0.0))
        x, y, *margins = self._asked
        above, below, before, after = margins
        return AxisRanges(x, y, self._log, (above, below, before, after))

    @property
    def framed_pixel(self) -> Range:
        """Width and height of a pixel while the user has not zoomed, in units of the axes."""
        assert self._whole is not None
        (left, right), (low, high), above, below, before, after = self._whole
        width, height = self.box.width(), self.box.height()
        across = (right - left) / max(width - before - after, _LEAST_WIDTH)
        return across, (high - low) / max(height - above - below, LEAST_PART * height, 1.0)

    @property
    def pixel(self) -> Range:
        """Width and height of a pixel in the visible range, in units of the axes."""
        return pixel_size(self.box)

    def empty(self) -> None:
        """Remove the labels of the axes."""
        for axis in (self.x_axis, self.y_axis):
            axis.clear_names()
        self.frame((0.0, 1.0), (0.0, 1.0))

    def _frame(self) -> None:
        assert self._whole is not None
        (left, right), (low, high), above, below, before, after = self._whole
        across = self.framed_pixel[0]
        x = left - before * across, right + after * across
        low, high = self._with_room(low, high, above, below)
        shown = self.box.viewRange()
        if not (alike(shown[0], x) and alike(shown[1], (low, high))):
            self.box.setRange(xRange=x, yRange=(low, high), padding=0.0, disableAutoRange=True)

    def _with_room(self, low: float, high: float, above: float, below: float) -> Range:
        """A range of y, extended by pixels above and below."""
        height = self.box.height()
        scale = (high - low) / max(height - above - below, LEAST_PART * height, 1.0)
        return low - below * scale, high + above * scale

    def let_go(self) -> None:
        """Let the next numbers and names of the axes determine their space alone."""
        for axis in self._axes():
            axis.resized = True
            axis.picture = None

    def _on_resized(self, *_: object) -> None:
        self._fit_labels()
        if self._whole is not None and not self.zoomed:
            self._frame()

    def freeze_layout(self) -> None:
        """Let the space of the axes depend on their current numbers only."""
        for axis in self._axes():
            axis.steady = True

    def reset(self) -> None:
        """Reset the space of the axes to that before anything was drawn."""
        for axis in self._axes():
            axis.reset()
        self.grid.activate()

    def _axes(self) -> list[NumberAxis]:
        return [item for item in self.centralWidget.childItems() if isinstance(item, NumberAxis)]

    @property
    def settled(self) -> bool:
        """Whether the space of the axes fits their current numbers."""
        known = self.grid.isActivated() and all(axis.picture or not axis.isVisible() for axis in self._axes())
        return known and (self.width(), self.height()) == self._settled_for

    def settle(self) -> None:
        """Determine the space that the numbers of the axes need, and reserve it before painting.

        Space for the numbers of another size is let go of. Only the size now counts: while docks are arranged, a plot
        may have others in between, and one that ends as large as it was must not move.
        """
        size = self.width(), self.height()
        if size != self._settled_for:
            self._settled_for = size
            self.let_go()
        axes = self._axes()
        for _ in range(_MOST_LAYOUTS):
            for axis in axes:
                axis.prepare()
            if self.grid.isActivated():
                break
            self.grid.activate()
        self.scene().prepareForPaint()

    # -- placeholder --------------------------------------------------------------------------------------------

    def show_placeholder(self, why: Phrasings, known: bool = True) -> None:
        """Show in the middle of the box why it is empty; without a text, show the axes again.

        Parameters
        ----------
        known
            Whether there is a run: without one, no axis has a scale.
        """
        why = tuple(map(with_indices, why))
        for axis in (self.x_axis, self.y_axis):
            axis.hide_labels(bool(why) and (not known or axis in self.falls_silent))
        if why != self.placeholder:
            self.placeholder = why
            self.viewport().update()

    def nothing_shown(self) -> tuple[str, QRectF]:
        """The placeholder text that fits, with its rectangle on the widget."""
        room = self.mapFromScene(self.box.sceneBoundingRect()).boundingRect()
        return fitting_placeholder(self.placeholder, QRectF(room), self._theme)

    def covered(self, transform: QTransform) -> list[QRectF]:
        """What annotations and the placeholder cover, in pixels of a transform: no label belongs there."""
        words, box = fitting_placeholder(self.placeholder, transform.mapRect(view_range(self.box)), self._theme)
        return [*self.annotations.covered(transform), *([ground_of(box)] if words else [])]

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.settled:  # its size has changed since its snapshot was shown
            self.settle()
        super().paintEvent(event)
        if self.placeholder:
            draw_placeholder(self.viewport(), *self.nothing_shown(), self._theme)

    # -- mouse --------------------------------------------------------------------------------------------------

    def place_of(self, position: QPointF) -> tuple[float, float] | None:
        """The position in the plot of a point on the widget; None outside."""
        scene = self.mapToScene(position.toPoint())
        if not self.box.sceneBoundingRect().contains(scene):
            return None
        place = self.box.mapSceneToView(scene)
        return place.x(), place.y()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.point_at(event.position())

    def point_at(self, position: QPointF) -> str:
        """Show what is at a point of the widget, and return it."""
        self._pointed_at = position
        place = self.place_of(position)
        words = with_indices(self.describe(*place)) if place is not None and self.describe is not None else ""
        if not words:
            self.readout.hide()
            return ""
        self._say_at(position, words)
        self.readout.show()
        return words

    def renew_readout(self) -> None:
        """Show what is at the mouse now: what was drawn there has changed."""
        if self.readout.isVisible():
            self.point_at(self._pointed_at)

    def _say_at(self, position: QPointF, words: str) -> None:
        """Show a text next to a point, wrapped at the width of the plot, and inside it."""
        said, room = self.readout, self.width() - 4
        said.setWordWrap(False)
        said.setText(words)
        said.adjustSize()
        if said.width() > room:
            said.setWordWrap(True)
            said.resize(room, said.heightForWidth(room))
        x = min(int(position.x()) + 14, self.width() - said.width() - 2)
        y = int(position.y()) - said.height() - 8
        y = y if y >= 2 else int(position.y()) + 16
        said.move(max(2, x), max(2, min(y, self.height() - said.height() - 2)))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.readout.hide()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click selects; a drag only moves the plot."""
        pressed, self._pressed_at = self._pressed_at, None
        super().mouseReleaseEvent(event)
        if pressed is None or (event.position() - pressed).manhattanLength() > 4 or self.pick is None:
            return
        place = self.place_of(event.position())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self.pick(*place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = event.position()
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        super().mouseDoubleClickEvent(event)
        self.show_all()

    def show_all(self) -> None:
        """Show everything again."""
        self.zoomed = False
        if self._whole is not None:
            self._frame()

    def _zoom(self, *_: object) -> None:
        self.zoomed = True


def alike(shown: Sequence[float], wanted: Range) -> bool:
    """Whether a range is visible already, up to rounding."""
    return all(abs(one - other) <= 1e-9 * abs(other) for one, other in zip(shown, wanted, strict=True))
