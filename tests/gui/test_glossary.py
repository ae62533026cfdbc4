"""The glossary has every term once, and symbols on screen lead to it."""

import re

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_engine.terminal import with_indices
from gems_gui.appearance import Appearance
from gems_gui.glossary import GLOSSARY, entries_in, glossary, glossary_key, legend
from gems_gui.help.context import page_meant
from gems_gui.help.help_browser import HelpBrowser
from gems_gui.help.help_window import HelpWindow
from gems_gui.help.pages import SYMBOLS, pages, resolved, view_key, view_symbols
from gems_gui.theme import LIGHT
from gems_gui.views import EVERY_VIEW
from gems_gui.widgets.symbol_label import SymbolLabel
from tests.gui.window_driver import SMALL, driven
from tests.words.forbidden import violations
from tests.words.python_texts import Entry, Kind

WANTED = (
    "arm, target, feature, gap, design, XY-optimal, support, direction, active direction, certificate, cap, loop, "
    "call, round, leader, recommendation, validation, misspecification, eliminated, remaining, proven, probe, trace, "
    "cursor, branch, snapshot, story, moment, preset, family, selection budget, sample budget, "
    "rounding, width, estimate"
)
SYMBOLS_OF = {
    "ℓ": "loop",
    "i": "call",
    "k": "round",
    "n": "round",
    "B": "selection budget",
    "T": "sample budget",
    "N": "samples",
    "N_k": "pulls",
    "ω": "width",
    "ζ": "rounding loss",
    "τ": "settling time",
    "r_d": "rounding",
    "g_k(d)": "cost",
    "d_k": "chosen dimension",
    "d⋆": "intrinsic dimension",
    "ε": "goal accuracy",
    "δ": "error probability",
    "ρ⋆": "complexity",
    "ι": "XY-optimal",
    "θ̂": "estimate",
    "γ̃": "misspecification",
}


def terms(text):
    return [each.term for each in entries_in(text)]


def test_it_has_what_was_asked_for_each_once():
    entries = list(glossary().values())
    assert len(entries) >= 40
    found = [each.term for each in entries]
    assert set(WANTED.split(", ")) <= set(found)
    assert len(set(found)) == len(found)
    assert len({each.anchor for each in entries}) == len(entries)
    symbols = [symbol for each in entries for symbol in each.symbols]
    assert len(set(symbols)) == len(symbols)


@pytest.mark.parametrize("entry", glossary().values(), ids=list(glossary()))
def test_an_entry_is_defined_in_sentences(entry):
    assert entry.theme
    assert entry.meaning.endswith(".")
    assert len(entry.meaning.split()) >= 4
    assert re.fullmatch("[a-z-]+", entry.anchor)
    assert not list(violations(Entry("glossary", 1, Kind.TEXT, entry.meaning)))


@pytest.mark.parametrize(("symbol", "term"), SYMBOLS_OF.items())
def test_a_symbol_means_one_term(symbol, term):
    assert terms(f"the value of {symbol}, or more") == [term]


def test_symbols_are_found_in_text_and_words_are_not():
    assert terms("ℓ 5 · i 1 · k 3 of 7 · N 12 · recommends x_9") == ["call", "round", "samples", "loop"]
    assert terms("i.e. an x axis, a plan B-side, R^{d_k}, 2^{2k} and kind") == ["selection budget"]
    assert terms("cost gₖ(d)") == terms("cost g_k(d)") == ["cost"]
    assert terms("no symbols") == []
    meaning = glossary()["selection-budget"].meaning
    assert " ".join(legend("B").split()) == with_indices(f"B: selection budget. {meaning}")
    assert max(map(len, legend("ℓ, i, k and r_d(ζ)").splitlines())) <= 90


@pytest.mark.parametrize("name", EVERY_VIEW)
def test_the_page_of_a_view_ends_with_its_symbols(name):
    text, key = pages()[view_key(name)].text, view_key(name)
    before, _, symbols = text.partition(f"\n## {SYMBOLS}\n")
    anchors = [each.anchor for each in view_symbols(name)]
    assert anchors == [each.anchor for each in entries_in(before)]
    linked = [resolved(target, key) for target in re.findall(r"\]\(([^)\s]+)\)", symbols)]
    whole = [glossary_key(view_symbols(name))] if anchors else []
    assert linked == [*(f"{GLOSSARY}#{anchor}" for anchor in anchors), *whole]


def test_views_use_what_they_draw():
    used = {name: {symbol for each in view_symbols(name) for symbol in each.symbols} for name in EVERY_VIEW}
    assert {"B", "g_k(d)", "d_k"} <= used["cost"]
    assert {"ℓ", "i", "B", "k"} <= used["grid"]
    assert "τ" in used["tau"]
    assert {"ω", "θ̂"} <= used["gaps"]


def test_the_page_shows_all_and_marks_some(qtbot):
    browser = HelpBrowser(Appearance(LIGHT), True)
    qtbot.addWidget(browser)
    browser.resize(700, 300)
    browser.show()
    browser.show_page(glossary_key(entries_in("τ and δ")))
    QApplication.processEvents()
    assert browser.key == GLOSSARY
    assert browser.verticalScrollBar().value() > 0
    plain = browser.toPlainText().replace("\N{NON-BREAKING HYPHEN}", "-")
    assert all(each.term in plain for each in glossary().values())
    html = browser.html(GLOSSARY, ("settling-time",))
    assert re.findall(r'<tr bgcolor="[^"]+"><td><a name="([a-z-]+)"', html) == ["settling-time"]
    before = browser.verticalScrollBar().value()
    browser.show_page(GLOSSARY)
    QApplication.processEvents()
    assert browser.verticalScrollBar().value() != before


def test_a_line_explains_its_symbols(qapp, qtbot):
    label = SymbolLabel("Status", Appearance(LIGHT))
    qtbot.addWidget(label)
    label.resize(400, 20)
    label.set_text("samples 12", "ℓ 5 · k 3")
    assert glossary()["loop"].tip in label.toolTip()
    assert glossary()["round"].tip in label.toolTip()
    with qtbot.waitSignal(label.symbols_requested) as asked:
        QTest.mouseClick(label, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert asked.args == [f"{GLOSSARY}?marked=round,loop#round"]
    label.set_text("no run yet")
    assert label.toolTip() == ""
    with qtbot.assertNotEmitted(label.symbols_requested):
        QTest.mouseClick(label, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))


def test_status_line_view_and_field_lead_to_the_glossary(qtbot):
    with driven(qtbot, SMALL) as driver:
        window = driver.window
        status = window.transport.status
        status.set_text("samples 12", "ℓ 5 · k 3")
        QTest.mouseClick(status, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
        (shown,) = window.findChildren(HelpWindow)
        assert shown.browser.key == GLOSSARY
        assert shown.browser.source().fragment() == "round"
        bar = shown.browser.verticalScrollBar()
        at = bar.value()
        assert at > 0
        assert shown.browser.toHtml().count("<td bgcolor=") == 2 * 3, "the rows of ℓ and k are marked"
        bar.setValue(0)
        QTest.mouseClick(status, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
        assert bar.value() == at
        driver.choose_in_context(driver.views["cost"].head.title, "Symbols")
        assert shown.browser.key == GLOSSARY
        assert "selection-budget" in shown.browser.source().query()
        field = window.form.algorithm_form.fields["algorithm.delta"]
        assert glossary()["error-probability"].tip in field.input.toolTip()
        field = window.form.instance_form.list.fields["instance.d_star"]
        assert glossary()["intrinsic-dimension"].tip in field.input.toolTip()
        field = window.form.instance_form.list.fields["instance.epsilon"]
        assert glossary()["goal-accuracy"].tip not in field.input.toolTip(), "another ε"


def click_at(head, position):
    """Click what is at a position of a head."""
    to = head.childAt(position) or head
    QTest.mouseClick(to, Qt.MouseButton.LeftButton, pos=to.mapFrom(head, position) if to is not head else position)


def test_a_click_on_the_subtitle_of_a_view_opens_the_glossary_at_its_symbols(qtbot):
    with driven(qtbot, layout="explore") as driver:
        driver.start()
        driver.finish()
        dock = driver.window.board.docks["survivors"]
        asked = []
        dock.symbols_requested.connect(asked.append)
        head = dock.view.head
        subtitle = head.subtitle
        driver.wait(lambda: subtitle.text() != "")
        click_at(head, head.title.geometry().center())
        assert asked == []
        text = subtitle.fontMetrics().horizontalAdvance(subtitle.shown())
        assert text + 40 < subtitle.width()
        blank = QPoint(subtitle.geometry().left() + 15, subtitle.geometry().center().y())
        click_at(head, blank)
        assert asked == [], "nothing is written here"
        assert head.childAt(blank) is None, "so the hint and the mouse pointer are those of the head"
        written = QPoint(subtitle.geometry().right() - text // 2, subtitle.geometry().center().y())
        assert head.childAt(written).cursor().shape() == Qt.CursorShape.PointingHandCursor
        click_at(head, written)
        assert asked == ["survivors"]
        subtitle.setText("")
        assert head.childAt(written) is None


def test_f1_over_the_status_line_opens_the_glossary(qtbot):
    with driven(qtbot, SMALL) as driver:
        window = driver.window
        window.activateWindow()
        window.form.algorithm_form.fields["algorithm.delta"].input.setFocus()
        status = window.transport.status
        status.set_text("samples 12", "ℓ 5 · k 3")
        assert "delta" in page_meant(window)
        status.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)
        assert page_meant(window) == status.property("help")
        assert page_meant(window).startswith(GLOSSARY)
