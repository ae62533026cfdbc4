"""Fields for a feature: they take its number or its name, and show both."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from gems_gui.widgets.feature_box import FeatureBox

NAMES = ("age", "blood pressure", "1")


@pytest.mark.parametrize(
    ("typed", "value", "shown"),
    [
        ("2", 2, "→ 2 blood pressure"),
        ("blood pressure", 2, "→ 2 blood pressure"),
        ("AGE", 1, "→ 1 age"),
        ("1", 1, "→ 1 age"),
        ("blood", 3, "→ 3 1"),
        ("weight", 3, "→ 3 1"),
    ],
)
def test_a_feature_is_typed_by_number_or_name(qtbot, typed, value, shown):
    box = FeatureBox()
    qtbot.addWidget(box)
    box.name("Across", "→ ")
    box.show_value(3, 3, NAMES)
    box.selectAll()
    QTest.keyClicks(box, typed)
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert (box.value(), box.text()) == (value, shown)
