"""Every text of the application that Qt may read as markup or as a mnemonic, and what Qt would make of it."""

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDockWidget,
    QGraphicsTextItem,
    QGraphicsView,
    QGroupBox,
    QHeaderView,
    QLabel,
    QMenu,
    QTabBar,
    QTextEdit,
)

HOSTILE = '<img src="canary-{}.png">&lt;&x'
"""A name that a tooltip would load, with an entity and an ampersand."""
IMAGE = "\N{OBJECT REPLACEMENT CHARACTER}"
_ROLE = Qt.ItemDataRole
_DRAWN = {_ROLE.DisplayRole, _ROLE.EditRole, _ROLE.AccessibleTextRole, _ROLE.AccessibleDescriptionRole}
_MARKUP_ROLES = [role for role in _ROLE if role not in _DRAWN and role.value < _ROLE.UserRole.value]
"""All roles but those that delegates and screen readers take as they are, and our own."""
_MOST_ROWS = 400


class Recorder(QTextDocument):
    """A document that notes what it would load, and loads nothing."""

    def __init__(self, html):
        super().__init__()
        self.asked = []
        self.setHtml(html)
        self.size()  # lays out: images are loaded here

    def loadResource(self, kind, name):
        self.asked.append(name.toString())


def misread(text):
    """What Qt loads or loses if it may read a text as markup; empty if the text stays as it is."""
    if not GuiQt.mightBeRichText(text):
        return ""
    document = Recorder(text)
    if document.asked or IMAGE in document.toPlainText():
        return f"loads {document.asked} for {text!r}"
    return ""


def lost_mnemonics(text):
    """Whether an ampersand of a name would be lost: a control shows "&&" as "&" and underlines after "&"."""
    return "&" in text.replace("&&", "").removeprefix("&") and "canary" in text


def markup_texts():
    """Where and what: every text that Qt shows by guessing whether it is markup."""
    for widget in QApplication.allWidgets():
        name = f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()!r}"
        yield f"{name} tooltip", widget.toolTip()
        yield f"{name} what's this", widget.whatsThis()
        yield f"{name} status tip", widget.statusTip()
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
            yield f"{name} label", widget.text()
        if isinstance(widget, QTabBar):
            for at in range(widget.count()):
                yield f"{name} tab tooltip", widget.tabToolTip(at)
                yield f"{name} tab what's this", widget.tabWhatsThis(at)
        for model in models_of(widget):
            yield from ((f"{name} {where}", text) for where, text in model_texts(model))
        if isinstance(widget, QGraphicsView) and widget.scene() is not None:
            yield from ((f"{name} item tooltip", item.toolTip()) for item in widget.scene().items())
    for action in actions():
        yield "action tooltip", action.toolTip()
        yield "action what's this", action.whatsThis()
        yield "action status tip", action.statusTip()


def mnemonic_texts():
    """Where and what: every text in which "&" marks a key."""
    for action in actions():
        yield "action", action.text()
    for widget in QApplication.allWidgets():
        name = f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()!r}"
        if isinstance(widget, QAbstractButton):
            yield name, widget.text()
        elif isinstance(widget, QGroupBox | QMenu):
            yield name, widget.title()
        elif isinstance(widget, QDockWidget):
            yield name, widget.windowTitle()
        elif isinstance(widget, QTabBar):
            yield from ((name, widget.tabText(at)) for at in range(widget.count()))


def documents():
    """Where and what: every document with rich text."""
    for widget in QApplication.allWidgets():
        name = f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()!r}"
        if isinstance(widget, QTextEdit):
            yield name, widget.document()
        if isinstance(widget, QGraphicsView) and widget.scene() is not None:
            for item in widget.scene().items():
                if isinstance(item, QGraphicsTextItem):
                    yield f"{name} {type(item).__name__}", item.document()


def actions():
    """All actions of all widgets."""
    found = {id(each): each for widget in QApplication.allWidgets() for each in widget.actions()}
    return found.values()


def models_of(widget):
    """The models of a widget."""
    if isinstance(widget, QHeaderView) or not isinstance(widget, QAbstractItemView | QComboBox):
        return []
    return [widget.model()] if isinstance(widget.model(), QAbstractItemModel) else []


def model_texts(model, parent=None):
    """Every text of a model that Qt may read as markup, in cells and headers; other roles are drawn as they are."""
    parent = QModelIndex() if parent is None else parent
    rows = min(model.rowCount(parent), _MOST_ROWS)
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)  # private in a list
    flat = isinstance(model, QAbstractListModel | QAbstractTableModel)
    for orientation, count in ((Qt.Orientation.Horizontal, columns), (Qt.Orientation.Vertical, rows)):
        for section in range(count):
            for role in _MARKUP_ROLES:
                if isinstance(text := model.headerData(section, orientation, role), str):
                    yield f"header {role.name}", text
    for row in range(rows):
        for column in range(columns):
            index = model.index(row, column, parent)
            for role in _MARKUP_ROLES:
                if isinstance(text := model.data(index, role), str):
                    yield f"cell {role.name}", text
            if column == 0 and not flat and model.rowCount(index):
                yield from model_texts(model, index)


def faults():
    """Every text on screen, or ready to be shown, that Qt would not show as it is."""
    found = [f"{where}: {what}" for where, text in markup_texts() if (what := misread(text))]
    found += [f"{where}: loses a letter of {text!r}" for where, text in mnemonic_texts() if lost_mnemonics(text)]
    return [*found, *(f"{where}: has an image" for where, each in documents() if IMAGE in each.toPlainText())]
