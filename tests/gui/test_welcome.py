"""The welcome page: when it is there, that its choices do what they say, and that it is not in the way."""

from contextlib import contextmanager

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from gems_engine.files import write_instance
from gems_engine.gallery import make
from gems_engine.talk.shipped import SHIPPED
from gems_gui import window as window_module
from gems_gui.action_table import ACTIONS
from gems_gui.drafts.presets import PRESETS
from gems_gui.help.help_window import HelpWindow
from gems_gui.help.pages import START, pages
from gems_gui.settings import Settings
from gems_gui.views.card import ElidedLabel
from gems_gui.welcome.welcome_page import FILES, READING, WelcomeLink
from tests.gui.stage_driver import press
from tests.gui.test_keyboard import reachable, said, spoken, walk
from tests.gui.window_driver import SMALL, driven


def welcome(driver):
    """The page of the first start."""
    return driver.window.welcome


@contextmanager
def welcomed(qtbot, size=(1150, 760), layout=None):
    """A window that shows the page, as after a start without words."""
    with driven(qtbot, size=size, layout=layout) as driver:
        welcome(driver).welcome()
        yield driver


@pytest.fixture
def driver(qtbot):
    with welcomed(qtbot) as made:
        yield made


def page(driver):
    return welcome(driver).page


def assert_given_back(driver):
    """The board is where the page was."""
    driver.wait(driver.board.isVisible)
    assert not welcome(driver).is_open
    assert not page(driver).isVisible()
    driver.wait(lambda: driver.board.ready)


@pytest.mark.parametrize(
    "words", [{}, {"preset": "budget"}, {"play": True}, {"story": "a-design-that-lies"}, {"files": ["a.gems"]}]
)
def test_it_is_there_at_a_start_without_words(monkeypatch, words):
    asked = []

    class Asked:
        """Remembers whatever the window is asked for."""

        def __init__(self, name=""):
            self._name = name

        def __getattr__(self, name):
            return Asked(f"{self._name}.{name}")

        def __call__(self, *values, **rest):
            asked.append((self._name, rest))

    monkeypatch.setattr(window_module, "MainWindow", lambda *values, **rest: Asked())
    window_module.open_window(**words)
    assert asked == [(".begin_with", {"welcome": not words, "recovers": True})]


def test_the_check_box_decides_about_the_next_start(qtbot):
    for wanted in (True, False):
        with driven(qtbot) as driver:
            welcome(driver).begin()
            assert welcome(driver).is_open is wanted
            if wanted:
                assert page(driver).at_start.isChecked()
                driver.click(page(driver).at_start, QPoint(8, page(driver).at_start.height() // 2))
                assert_it_comes_by_its_act(driver)


def assert_it_comes_by_its_act(driver):
    driver.press("Esc")
    assert_given_back(driver)
    driver.choose("Help", "Welcome page")
    assert welcome(driver).is_open
    assert not driver.board.isVisible()
    assert not page(driver).at_start.isChecked()


def test_it_goes_when_asked_and_when_something_wants_its_place(driver):
    for go in (
        lambda: driver.press("Esc"),
        lambda: driver.click(page(driver).close_button),
        lambda: driver.press("Ctrl+2"),
        lambda: driver.show_view("gaps"),
        lambda: assert_taken_by(driver, "debug_design"),
        lambda: assert_taken_by(driver, "experiments"),
        lambda: driver.click(page(driver).build),
    ):
        welcome(driver).welcome()
        assert not driver.board.isVisible()
        assert driver.form.isVisible()
        go()
        assert_given_back(driver)
        assert not page(driver).isAncestorOf(QApplication.focusWidget())
    assert driver.window.instance_table.dock.isVisible()


def assert_taken_by(driver, act):
    """What replaces form and board takes that of the page too, and gives it to the board."""
    driver.do(act)
    assert driver.actions[act].isChecked()
    assert not welcome(driver).is_open
    assert not driver.board.isVisible()
    driver.do(act)


def test_the_form_works_beside_it_and_its_run_takes_the_place(driver):
    driver.type_into("instance.epsilon", "0.25")
    assert welcome(driver).is_open
    driver.start()
    assert_given_back(driver)
    assert driver.shown() == driver.cursor
    driver.do("welcome")
    assert welcome(driver).is_open
    driver.press("Esc")
    assert_given_back(driver)
    assert driver.shown() == driver.cursor


def test_enter_on_a_card_plays_its_story(driver):
    card = page(driver).stories["a-design-that-lies"]
    assert QApplication.focusWidget() is page(driver).race
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Return)
    assert driver.window.talk.presenter.on
    assert driver.run.name == "A design that lies"
    press(driver, "Esc")
    assert_given_back(driver)


def test_a_preset_fills_the_form_and_runs(qtbot):
    with welcomed(qtbot, layout="race") as driver:  # the last session ended with a race
        driver.click(page(driver).presets["budget"])
        driver.wait(lambda: driver.run is not None)
        assert driver.draft == PRESETS["budget"].draft
        assert driver.run.request.algorithm == "fixed-budget"
        assert_given_back(driver)
        assert driver.board.layout_name == "explore", "there is no race to show"
        assert driver.board.docks["survivors"].exposed


def test_recent_files_are_opened_and_what_is_gone_is_said_and_can_be_forgotten(qtbot, tmp_path):
    there, gone = tmp_path / "there.json", tmp_path / "gone.gems"
    write_instance(there, make("paper-hard", d_star=3))
    for number in range(FILES):
        Settings().add_recent(str(tmp_path / f"older-{number}.json"))
    for path in (gone, there):
        Settings().add_recent(str(path))
    with welcomed(qtbot) as driver:
        shown = page(driver)
        assert list(shown.files)[:2] == [str(there), str(gone)]
        assert len(shown.files) == FILES
        driver.wait(lambda: "not found" in shown.files[str(gone)].about.text())
        assert "not found" not in shown.files[str(there)].about.text()
        driver.click(shown.files[str(gone)])
        assert "gone.gems" in driver.said()
        assert welcome(driver).is_open
        driver.click(shown.forget)
        assert list(shown.files) == [str(there)]
        assert Settings().recent() == [str(there)]
        assert [each.text() for each in driver.actions.menu("File/Recent").actions()] == ["there.json"]
        driver.click(shown.files[str(there)])
        assert_given_back(driver)
        assert driver.draft.source.path == str(there)


def test_its_keys_stories_and_links_are_those_that_there_are(driver):
    assert set(READING) <= {START, *pages()}
    driver.click(next(each for each in page(driver).findChildren(WelcomeLink) if each.accessibleName() == "Glossary"))
    (help_window,) = driver.window.findChildren(HelpWindow)
    assert help_window.browser.source().path() == "topics/glossary"
    texts = [label.text() for label in page(driver).findChildren(QLabel)]
    keys = {act.id: act.keys[0] for act in ACTIONS if act.keys}
    for name, words in {"play": "Space", "event_forward": "→", "help": "F1", "palette": "Ctrl+Shift+P"}.items():
        assert words in texts
        assert words == keys[name].replace("Right", "→")
    assert {*page(driver).steps, *page(driver).presets, "race"} == set(PRESETS)
    assert {PRESETS["race"].title, PRESETS["race"].summary} <= set(texts)
    for name in page(driver).steps:
        assert {PRESETS[name].title, PRESETS[name].summary} <= set(texts)
    assert {"event_forward", "round_forward", "play"} <= keys.keys()
    assert (keys["round_forward"], keys["play"]) == ("Shift+Right", "Space")
    for story in SHIPPED.values():
        assert {story.title, story.about, f"{story.moments} moments, {story.seconds} seconds to read"} <= set(texts)


_SIZES = [
    ((1024, 700), 1.5),
    ((700, 700), 1.0),
    pytest.param((1024, 700), 1.0, marks=pytest.mark.long),
    pytest.param((1920, 1080), 1.5, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("size", "scale"), _SIZES)
def test_nothing_is_cut_and_tab_leads_everywhere(qtbot, size, scale):
    Settings().add_recent(f"/a/folder/of/a-user/branch-at-9-seed-7-{'RAGE-on-paper-hard-' * 9}.gems")
    with welcomed(qtbot, size=size) as driver:
        driver.set_look("dark", scale)
        QApplication.processEvents()
        shown = page(driver)
        assert [line.title.shown()[-1] for line in shown.files.values()] == ["…"]
        for line in shown.presets.values():
            assert line.title.shown() == line.title.text()
        for label in shown.findChildren(QLabel):
            if label.isVisible() and not isinstance(label, ElidedLabel):
                left = label.mapTo(shown, QPoint(0, 0)).x()
                assert 0 <= left <= left + label.width() <= shown.width(), label.text()
                needed = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
                assert label.height() >= needed, label.text()
                if not label.wordWrap():
                    assert label.width() >= label.sizeHint().width(), label.text()
        stops = walk(driver)
        assert set(stops) == reachable(driver.window)
        for stop in stops:
            assert spoken(stop)
            if shown.isAncestorOf(stop):
                assert all(said(stop, what) for what in ("toolTip", "statusTip", "whatsThis")), spoken(stop)
        assert {*shown.steps.values(), *shown.stories.values()} <= set(stops)


def test_the_window_that_was_never_shown_otherwise_makes_its_views_when_the_page_goes(qtbot):
    """As at a real start: the page is there before the first paint, and no view is made behind it."""
    from gems_gui.window import MainWindow

    window = MainWindow(in_thread=True)
    try:
        window.welcome.welcome()
        window.workbench.drafts.set_draft(SMALL)
        window.show()
        with qtbot.waitSignal(window.board.views_created, timeout=20_000):
            pass
        assert not window.board.views
        assert "plane" in vars(window.auto_run)
        with qtbot.waitSignal(window.board.views_created, timeout=20_000):
            window.welcome.dismiss()
        assert window.board.ready
        assert window.board.views
    finally:
        window.close_without_asking()
        window.deleteLater()


@pytest.mark.parametrize("size", [(1440, 900), (1150, 760)])
def test_no_preset_is_cut_off(qtbot, size):
    with welcomed(qtbot, size=size) as driver:
        for name, line in page(driver).presets.items():
            driver.wait(lambda line=line: line.about.shown() != "")
            assert line.about.shown() in (PRESETS[name].summary, PRESETS[name].brief)
