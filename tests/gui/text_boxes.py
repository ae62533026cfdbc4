"""Every text that a card shows, with the rectangle that it takes: what tests of layout look at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QImage, QPainter, QTextDocument
from PySide6.QtWidgets import QApplication, QGraphicsItem, QGraphicsSimpleTextItem, QGraphicsTextItem, QLabel, QWidget

from gems_gui.theme import Theme, palette, stylesheet
from gems_gui.views.annotations import Annotations
from gems_gui.views.bar_labels import BarLabels
from gems_gui.views.captions import Captions
from gems_gui.views.card import Card, ElidedLabel
from gems_gui.views.legend import Legend
from gems_gui.views.plot import Plot
from gems_gui.views.view import View

TOLERANCE = 1.0


class TextBox(NamedTuple):
    """A text, where it is drawn, and where it may be: all in the card's coordinates."""

    text: str
    box: QRectF
    room: QRectF


def card_of(view: View, theme: Theme) -> Card:
    """A view in its card as the window and pictures have it, on no screen."""
    card = Card(view.head, view.body)
    card.setFont(theme.font())
    card.setPalette(palette(theme))
    card.setStyleSheet(stylesheet(theme))
    card.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    return card


def settle(card: QWidget, width: int, height: int) -> QImage:
    """Lay a card out at a size and paint it; axes find out how wide their numbers are only when these are drawn."""
    card.setFixedSize(width, height)
    card.show()
    for _ in range(2):
        QApplication.sendPostedEvents()
        for plot in card.findChildren(Plot):
            for item in plot.scene().items():
                if isinstance(item, pg.AxisItem) and item.isVisible():
                    _tick_labels(item)
    QApplication.sendPostedEvents()
    image = QImage(width, height, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    card.render(painter, QPoint(0, 0))
    painter.end()
    return image


def text_boxes(card: QWidget) -> list[TextBox]:
    """All texts in sight."""
    boxes = [box for label in card.findChildren(QLabel) for box in _of_label(card, label)]
    for legend in card.findChildren(Legend):
        if legend.isVisibleTo(card):
            corner = QPointF(legend.mapTo(card, QPoint(0, 0)))
            room = QRectF(legend.rect()).translated(corner)
            boxes += [TextBox(text, box.translated(corner), room) for text, box in legend.boxes()]
    for plot in card.findChildren(Plot):
        for item in plot.scene().items():
            if item.isVisible() and item.opacity():
                boxes += _of_item(card, plot, item)
        words, box = plot.nothing_shown()
        if words:
            corner = QPointF(plot.viewport().mapTo(card, QPoint(0, 0)))
            boxes.append(TextBox(words, box.translated(corner), QRectF(plot.viewport().rect()).translated(corner)))
    return boxes


def assert_texts_fit(card: QWidget) -> list[TextBox]:
    """No text is cut off, leaves the card or lies on another; titles are whole. Returns what was looked at."""
    whole = QRectF(card.rect())
    boxes = text_boxes(card)
    for text, box, room in boxes:
        assert _inside(box, whole), f"«{text}» leaves the card: {_words(box)} in {_words(whole)}"
        assert _inside(box, room), f"«{text}» is cut off: {_words(box)} has {_words(room)}"
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            common = one.box & other.box
            apart = common.width() <= TOLERANCE or common.height() <= TOLERANCE
            assert apart, f"«{one.text}» {_words(one.box)} lies on «{other.text}» {_words(other.box)}"
    return boxes


def _of_label(card: QWidget, label: QLabel) -> Iterator[TextBox]:
    if not label.isVisibleTo(card) or not label.text():
        return
    inside = label.contentsRect()
    room = QRectF(inside.translated(label.mapTo(card, QPoint(0, 0))))
    if isinstance(label, ElidedLabel):
        text, wrapped = label.shown(), int(Qt.TextFlag.TextWordWrap)
        size = QSizeF(label.fontMetrics().horizontalAdvance(text), label.fontMetrics().height())
        if label.wraps and size.width() > inside.width():
            size = QSizeF(label.fontMetrics().boundingRect(inside, wrapped, text).size())
    elif label.textFormat() == Qt.TextFormat.RichText:
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.setDefaultFont(label.font())
        document.setHtml(label.text())
        document.setTextWidth(inside.width())
        text, size = document.toPlainText(), QSizeF(document.idealWidth(), document.size().height())
    else:
        text = label.text()
        size = QSizeF(label.fontMetrics().boundingRect(inside, int(label.alignment()), text).size())
    if not text:
        return
    box = QRectF(room.topLeft(), size)
    if label.alignment() & Qt.AlignmentFlag.AlignRight:
        box.moveRight(room.right())
    if label.alignment() & Qt.AlignmentFlag.AlignVCenter:
        box.moveTop(room.center().y() - size.height() / 2)
    yield TextBox(text, box, room)


def _of_item(card: QWidget, plot: Plot, item: QGraphicsItem) -> Iterator[TextBox]:
    room = _to_card(card, plot, plot.mapToScene(plot.viewport().rect()).boundingRect())
    if isinstance(item, pg.AxisItem):
        for box, text in _tick_labels(item):
            yield TextBox(text, _to_card(card, plot, item.mapRectToScene(box)), room)
    elif isinstance(item, Annotations | BarLabels | Captions):  # they draw in pixels of the plot's widget
        corner = QPointF(plot.viewport().mapTo(card, QPoint(0, 0)))
        for text, box in _drawn(item, plot):
            yield TextBox(text, box.translated(corner), room)
    elif isinstance(item, QGraphicsTextItem | QGraphicsSimpleTextItem):
        text = item.toPlainText() if isinstance(item, QGraphicsTextItem) else item.text()
        margin = item.document().documentMargin() if isinstance(item, QGraphicsTextItem) else 0.0
        box = item.mapRectToScene(item.boundingRect().adjusted(margin, margin, -margin, -margin))
        inside = _view_box(item)
        clip = None if inside is None else inside.sceneBoundingRect()
        if text and (clip is None or clip.intersects(box)):
            yield TextBox(text, _to_card(card, plot, box), room if clip is None else _to_card(card, plot, clip))


def _drawn(item: Annotations | BarLabels | Captions, plot: Plot) -> list[tuple[str, QRectF]]:
    if isinstance(item, Annotations):
        return [(mark.text, mark.room) for mark in item.shown() if mark.text]
    return item.shown() if isinstance(item, Captions) else item.placed(item.sceneTransform() * plot.viewportTransform())


def _tick_labels(axis: pg.AxisItem) -> list[tuple[QRectF, str]]:
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    specs = axis.generateDrawSpecs(painter)
    painter.end()
    return [(box, text) for box, _, text in specs[2] if text] if specs else []


def _view_box(item: QGraphicsItem) -> pg.ViewBox | None:
    """The part of a plot that cuts off what is drawn in it."""
    parent = item.parentItem()
    while parent is not None and not isinstance(parent, pg.ViewBox):
        parent = parent.parentItem()
    return parent


def _to_card(card: QWidget, plot: Plot, box: QRectF) -> QRectF:
    corner = plot.viewport().mapTo(card, QPoint(0, 0))
    return QRectF(plot.mapFromScene(box).boundingRect()).translated(corner)


def _inside(box: QRectF, room: QRectF) -> bool:
    return room.adjusted(-TOLERANCE, -TOLERANCE, TOLERANCE, TOLERANCE).contains(box)


def _words(box: QRectF) -> str:
    return f"({box.x():.0f}, {box.y():.0f}) {box.width():.0f}×{box.height():.0f}"
