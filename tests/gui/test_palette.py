"""The command palette: everything that can be asked for, found by some letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gems_engine.files import write_instance
from gems_engine.gallery import make
from gems_engine.talk.shipped import SHIPPED
from gems_gui.action_table import ACTIONS
from gems_gui.actions.fuzzy import best_first, score
from gems_gui.drafts.draft import FromFile
from gems_gui.drafts.presets import PRESETS
from gems_gui.menus.palette import Palette
from gems_gui.views import VIEWS
from gems_gui.workbench.layouts import LAYOUTS
from tests.gui.window_driver import driven

LINES = ["Run to the end", "Run", "Reset layout", "Next round", "Theme: Dark", "Layout: Debug", "Newest event"]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("run", "Run"),
        ("rte", "Run to the end"),
        ("dark", "Theme: Dark"),
        ("lay deb", "Layout: Debug"),
        ("deb lay", "Layout: Debug"),
        ("NEXT", "Next round"),
        ("nwst", "Newest event"),
        ("", "Run to the end"),
    ],
)
def test_the_best_answer_comes_first(query, first):
    assert best_first(query, LINES, str)[0] == first


def test_letters_scattered_inside_words_do_not_answer():
    assert best_first("font", ["Full screen: switch on View"], str) == []
    assert best_first("colour", ["Set Count idle rounds Form"], str) == []
    assert best_first("resla", LINES, str) == ["Reset layout"], "starts of words do"


def test_what_lacks_a_letter_does_not_answer():
    assert best_first("qx", LINES, str) == []
    assert best_first("", LINES, str) == LINES
    assert score("ba", "ab") is None


def abbreviates(short, words):
    """Whether letters in their order are taken from some of the words, and from each its first letter."""

    def from_one(part, word):
        rest = iter(word)
        return part[0] == word[0] and all(letter in rest for letter in part)

    return not short or any(
        from_one(short[:end], word) and abbreviates(short[end:], words[at + 1 :])
        for at, word in enumerate(words)
        for end in range(1, len(short) + 1)
    )


@given(st.text("abc ", max_size=8), st.text("abc ", max_size=12))
def test_words_parts_of_words_and_abbreviations_are_found_and_nothing_else(query, text):
    found = all(word in text or abbreviates(word, text.split()) for word in query.split())
    assert (score(query, text) is not None) == found


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, size=(1440, 900)) as made:
        yield made


def opened(driver):
    driver.press("Ctrl+Shift+P")
    palette = driver.window.findChild(Palette)
    assert palette.isVisible()
    driver.wait(palette.line.hasFocus)
    return palette


def closed(driver):
    driver.wait(lambda: driver.window.findChild(Palette) is None)


def test_it_has_all_acts_presets_stories_views_layouts_settings_runs_and_files(driver):
    driver.start()
    other = driver.run.name
    driver.start()
    driver.window.settings.add_recent("/somewhere/old run.gems")
    found = opened(driver)._entries
    texts = [command.text for command in found]
    assert len(set(texts)) == len(texts)
    for act in ACTIONS:
        if act.id != "palette" and act.choice != "layout":
            assert any(driver.actions[act.id].text() in text for text in texts), act.id
    assert {f"Preset: {preset.title}" for preset in PRESETS.values()} <= set(texts)
    assert {f"Show view: {view.title}" for view in VIEWS.values()} <= set(texts)
    assert {f"Layout: {layout.title}" for layout in LAYOUTS.values()} <= set(texts)
    assert {f"Story: {story.title}" for story in SHIPPED.values()} <= set(texts)
    assert f"Run: {driver.run.name}" not in texts, "it is shown already"
    assert {f"Run: {other}", "Open: old run.gems", "Set δ", "Welcome page at start: switch off"} <= set(texts)
    play = next(command for command in found if command.tip.startswith("Play or pause"))
    assert (play.where, play.key) == ("Run", "Space")
    assert all(command.tip and command.where for command in found)


def test_letters_and_enter_do_it(driver):
    palette = opened(driver)
    QTest.keyClicks(palette.line, "lay talk")
    assert palette.chosen.text == "Layout: Talk"
    assert palette.list.topLevelItem(0).text(2) == "Ctrl+3"
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    assert driver.board.layout_name == "talk"
    closed(driver)


def test_it_finds_views_presets_runs_settings_recent_files_and_stories(driver, tmp_path):
    write_instance(tmp_path / "plums.json", make("soare"))
    assert driver.drop(driver.window, tmp_path / "plums.json")
    driver.wait(lambda: isinstance(driver.draft.source, FromFile))
    driver.press("Ctrl+Z")
    presenter, story = driver.window.talk.presenter, next(iter(SHIPPED.values()))
    driver.start()
    first, scale = driver.run, driver.theme.font_scale
    driver.start()
    for query, done in (
        ("text size", lambda: driver.theme.font_scale > scale),
        ("show sample shares", lambda: driver.board.docks["shares"].exposed),
        ("preset budget", lambda: driver.draft == PRESETS["budget"].draft),
        (f"run: {first.name}", lambda: driver.run is first),
        ("dark", lambda: driver.theme.dark),
        ("hide truth", lambda: not driver.workbench.truth),
        ("plums", lambda: isinstance(driver.draft.source, FromFile)),
        (story.title.lower(), lambda: presenter.on and presenter.bound_story.story.title == story.title),
    ):
        palette = opened(driver)
        QTest.keyClicks(palette.line, query)
        QTest.keyClick(palette.line, Qt.Key.Key_Return)
        driver.wait(done)
        closed(driver)


def test_settings_are_found_by_the_words_that_users_type(driver):
    palette = opened(driver)
    for query, first in (
        ("font", "Larger text"),
        ("png", "Export…"),
        ("wrong seed", "Find a failing seed"),
        ("shortcuts", "Keys"),
        ("cite", "About GEMS Lab"),
        ("zoom", "Larger text"),
        ("zoom out", "Smaller text"),
        ("text size", "Larger text"),
        ("colour", "Theme: Dark"),
        ("color dark", "Theme: Dark"),
        ("dark mode", "Theme: Dark"),
        ("hide truth", "Show the truth: switch off"),
        ("fullscreen", "Full screen: switch on"),
        ("exit", "Quit"),
        ("zeta", "Set ζ"),
        ("delta", "Set δ"),
        ("d_star", "Set d⋆"),
        ("lambda", "Show view: Design weights λ_k"),
    ):
        palette.line.clear()
        QTest.keyClicks(palette.line, query)
        assert palette.chosen.text == first, query
    palette.line.clear()
    QTest.keyClicks(palette.line, "set noise")
    assert palette.chosen.text == "Set Noise"
    assert palette.about.text() == "How a reward is drawn around its mean.", "as at the field, which is a list"


def test_descriptions_are_whole_lines(driver):
    palette = opened(driver)
    QTest.keyClicks(palette.line, "show view")
    ended = set()
    for _ in palette.found:
        about, tip = palette.about, palette.chosen.tip
        room = QRect(0, 0, about.width(), 10_000)
        assert (
            about.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), about.text()).height()
            <= about.height()
        )
        assert tip.startswith(about.text().rstrip("…").rstrip())
        assert about.text() == tip or about.text().endswith((".", "…"))
        ended.add("all" if about.text() == tip else about.text()[-1])
        QTest.keyClick(palette.line, Qt.Key.Key_Down)
    assert ended >= {"all", "."}


def test_arrows_choose_the_mouse_too_and_what_cannot_be_done_now_is_last(driver):
    palette = opened(driver)
    QTest.keyClicks(palette.line, "theme")
    first, second = palette.found[:2]
    QTest.keyClick(palette.line, Qt.Key.Key_Down)
    assert palette.chosen is second
    for _ in range(3):
        QTest.keyClick(palette.line, Qt.Key.Key_Up)
    assert palette.chosen is first
    assert palette.about.text() == first.tip
    palette.line.selectAll()
    QTest.keyClick(palette.line, Qt.Key.Key_Backspace)
    refused = [bool(command.refusal) for command in palette.found]
    assert refused == sorted(refused)
    assert any(refused)
    QTest.keyClicks(palette.line, "go to ")
    palette.line.insert("ℓ")  # QTest types Latin letters
    assert palette.chosen.text.startswith("Go to ℓ")
    assert palette.about.text() == "No run yet. Press Ctrl+R to start one.", "what is refused says why"
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.line.selectAll()
    QTest.keyClicks(palette.line, "theme dark")
    item = palette.list.topLevelItem(0)
    QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=palette.list.visualItemRect(item).center())
    assert driver.window.settings.theme == "dark"
    closed(driver)


def test_escape_gives_the_focus_back_and_the_keys_of_the_window_wait(driver):
    driver.finished()
    field = driver.form.presets
    field.setFocus()
    palette = opened(driver)
    QTest.keyClicks(palette.line, "l ]")  # «live» and «faster» outside of a line of text
    assert not driver.playback.live
    assert palette.line.text() == "l ]"
    QTest.keyClick(palette.line, Qt.Key.Key_Tab)
    assert palette.line.hasFocus()
    QTest.keyClick(palette.line, Qt.Key.Key_Escape)
    closed(driver)
    assert QApplication.focusWidget() is field


def test_a_click_beside_it_ends_it_and_a_run_goes_on_under_it(driver):
    palette = opened(driver)
    assert not palette.isModal()
    driver.workbench.run()
    driver.wait(lambda: driver.run is not None)
    driver.finish()
    assert palette.isVisible()
    driver.click(driver.form.presets.parentWidget())
    driver.form.presets.setFocus()
    closed(driver)


def test_it_is_in_the_middle_at_the_top_and_stays_there(driver):
    palette = opened(driver)
    for width in (1440, 1100):
        driver.window.resize(width, 800)
        driver.wait(lambda w=width: driver.window.width() == w and abs(palette.geometry().center().x() - w // 2) <= 1)
        assert palette.y() < 60
    QTest.keyClicks(palette.line, "zzzz")
    assert palette.about.text() == "No matching command."
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    assert palette.isVisible()
    QTest.keyClick(palette.line, Qt.Key.Key_Escape)
    closed(driver)
    assert opened(driver).line.text() == ""
