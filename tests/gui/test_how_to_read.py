"""The page behind F1 says what every view shows."""

from PySide6.QtWidgets import QWidget

from gems_gui.how_to_read import HowToRead, page
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS


def test_every_view_and_colour_is_explained(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = HowToRead(parent, LIGHT)
    dialog.show()
    words = dialog.page.toPlainText()
    for view in VIEWS.values():
        assert view.title in words
        assert view.about in words
    assert dialog.page.isVisible()
    assert dialog.page.width() > 300
    dialog.close()


def test_colours_are_those_of_the_theme():
    assert LIGHT.surviving in page(LIGHT)
    assert DARK.surviving in page(DARK)
    assert LIGHT.surviving not in page(DARK)
