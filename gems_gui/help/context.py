"""The context of F1: the view or field that has the focus or is under the mouse."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from gems_gui.board.side_dock import SideDock
from gems_gui.board.view_dock import ViewDock
from gems_gui.glossary import GLOSSARY
from gems_gui.help.pages import START, algorithm_key, family_key, parameter_key, view_key
from gems_gui.panels.algorithm_form import AlgorithmForm
from gems_gui.panels.instance_form import InstanceForm
from gems_gui.panels.parameter_field import ParameterField
from gems_gui.views import DESIGN_VIEWS
from gems_gui.views.card import Card
from gems_gui.widgets.fitting_label import FittingLabel


def page_meant(window: QWidget) -> str:
    """The key of the page to open.

    A view or the status line under the mouse takes precedence while the focus is still in a field. If the focus was
    moved with the keyboard, it takes precedence over the mouse.
    """
    focus = QApplication.focusWidget()
    if focus is not None and focus.window() is not window:  # a dialog, or a floating view
        return _page_with(focus) or START
    pointed = _page_under_mouse(window)
    by_keys = window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    if pointed.startswith((view_key(""), GLOSSARY)) and not by_keys:
        return pointed
    return _page_with(focus) or pointed or START


def page_of(widget: QWidget) -> str:
    """The key of the page about a widget itself; empty if there is none."""
    if isinstance(widget, ViewDock) or (isinstance(widget, Card) and widget.objectName() in DESIGN_VIEWS):
        return view_key(widget.objectName())
    if isinstance(widget, ParameterField):
        return parameter_key(*widget.key.split(".", 1))
    if isinstance(widget, AlgorithmForm):
        return algorithm_key(widget.algorithm.currentData())
    if isinstance(widget, InstanceForm) and widget.family.currentData():  # an opened instance has no family
        return family_key(widget.family.currentData())
    return str(widget.property("help") or "")


def _page_with(widget: QWidget | None) -> str:
    """The key of the page about a widget or its closest parent."""
    while widget is not None and not page_of(widget):
        widget = widget.parentWidget()
    return "" if widget is None else page_of(widget)


def _page_under_mouse(window: QWidget) -> str:
    """The key of the page about the widget that the mouse entered; a menu may cover it now."""
    kinds = (ViewDock, SideDock, Card, ParameterField, AlgorithmForm, InstanceForm, FittingLabel)
    under = (each for kind in kinds for each in window.findChildren(kind) if each.underMouse() and each.isVisible())
    return next(filter(None, map(page_of, under)), "")
