"""The line of status tips shows whole clauses where a sentence does not fit."""

from PySide6.QtWidgets import QMainWindow

from gems_gui.widgets.status_tip import StatusTip

CLAUSES = ("Results by run: What each run recommends", "right or wrong", "the ratio to the smallest one, and much more")
SENTENCE = "; ".join(CLAUSES) + "."


def test_clauses_that_fit_are_whole(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    tip = StatusTip(window)
    window.show()
    shown = set()
    for width in range(200, 1400, 20):
        window.resize(width, 100)
        tip.show_text(SENTENCE)
        assert tip.text() in (SENTENCE, "; ".join(CLAUSES[:2]) + ".", CLAUSES[0] + ".") or tip.text().endswith("…")
        assert tip.accessibleDescription() == SENTENCE
        shown.add(tip.text())
        if tip.text().endswith("…"):
            assert width < 520, "only where there is space for few words"
    assert {SENTENCE, "; ".join(CLAUSES[:2]) + ".", CLAUSES[0] + "."} <= shown
