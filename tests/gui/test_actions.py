"""The table of acts, and the actions made of it: menus, handlers, and keys that nobody steals."""

import re
from collections import Counter
from functools import partial

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gems_engine.algorithms import BUILT_IN
from gems_gui.actions.stage_actions import STAGE_ACTIONS
from gems_gui.actions.table import ACTIONS, MENUS, TOOLBAR, ActionSpec, sections
from gems_gui.icons import NAMES
from gems_gui.menus.action_set import ActionSet, key_text
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.welcome.welcome_page import ABOUT

KEY = Qt.Key
SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
PLAIN_KEYS = {
    "hide_truth": (KEY.Key_T, NONE),
    "show_truth": (KEY.Key_T, SHIFT),
    "play": (KEY.Key_Space, NONE),
    "event_forward": (KEY.Key_Right, NONE),
    "event_back": (KEY.Key_Left, NONE),
    "round_forward": (KEY.Key_Right, SHIFT),
    "round_back": (KEY.Key_Left, SHIFT),
    "subroutine_forward": (KEY.Key_Right, CTRL),
    "subroutine_back": (KEY.Key_Left, CTRL),
    "first": (KEY.Key_Home, NONE),
    "last": (KEY.Key_End, NONE),
    "slower": (KEY.Key_BracketLeft, NONE),
    "faster": (KEY.Key_BracketRight, NONE),
    "live": (KEY.Key_L, NONE),
    "hold": (KEY.Key_H, NONE),
    "keys": (KEY.Key_Question, NONE),
    "run_until": (KEY.Key_U, NONE),
    "add_moment": (KEY.Key_M, NONE),
}
COMMAND_KEYS = {
    "undo": (KEY.Key_Z, CTRL),
    "redo": (KEY.Key_Z, CTRL | SHIFT),
    "copy_command": (KEY.Key_C, CTRL | SHIFT),
    "list_runs": (KEY.Key_L, CTRL),
    "loop_forward": (KEY.Key_Right, ALT),
    "loop_back": (KEY.Key_Left, ALT),
    "run": (KEY.Key_R, CTRL),
    "auto_run": (KEY.Key_R, CTRL | SHIFT),
    "stop": (KEY.Key_Period, CTRL),
    "run_to_end": (KEY.Key_Return, CTRL),
    "new_instance": (KEY.Key_N, CTRL),
    "edit_table": (KEY.Key_T, CTRL),
    "open": (KEY.Key_O, CTRL),
    "save": (KEY.Key_S, CTRL),
    "save_instance": (KEY.Key_S, CTRL | SHIFT),
    "export": (KEY.Key_E, CTRL),
    "copy_picture": (KEY.Key_E, CTRL | SHIFT),
    "go_to": (KEY.Key_G, CTRL),
    "until_forward": (KEY.Key_F3, NONE),
    "until_back": (KEY.Key_F3, SHIFT),
    "branch": (KEY.Key_B, CTRL),
    "compare": (KEY.Key_D, CTRL),
    "replicate": (KEY.Key_K, CTRL),
    "find_failing": (KEY.Key_K, CTRL | SHIFT),
    "sensitivity": (KEY.Key_J, CTRL),
    "debug_design": (KEY.Key_D, CTRL | SHIFT),
    "improve_weights": (KEY.Key_I, CTRL),
    "experiments": (KEY.Key_X, CTRL | SHIFT),
    "full_screen": (KEY.Key_F11, NONE),
    "help": (KEY.Key_F1, NONE),
    "quit": (KEY.Key_Q, CTRL),
    "font_larger": (KEY.Key_Plus, CTRL),
    "font_smaller": (KEY.Key_Minus, CTRL),
    "font_normal": (KEY.Key_0, CTRL),
    "maximise_view": (KEY.Key_M, CTRL),
    "float_view": (KEY.Key_M, CTRL | SHIFT),
    "leave_maximised": (KEY.Key_Escape, NONE),
    "layout_explore": (KEY.Key_1, CTRL),
    "layout_debug": (KEY.Key_2, CTRL),
    "layout_talk": (KEY.Key_3, CTRL),
    "layout_compare": (KEY.Key_4, CTRL),
    "run_beside": (KEY.Key_B, CTRL | SHIFT),
    "whats_this": (KEY.Key_F1, SHIFT),
    "palette": (KEY.Key_P, CTRL | SHIFT),
    "present": (KEY.Key_F5, NONE),
    "play_story": (KEY.Key_F5, SHIFT),
    "show_talk": (KEY.Key_T, CTRL | SHIFT),
}


class Desk:
    """A window with actions that write down when they are called, and every kind of input."""

    def __init__(self, qtbot):
        self.window = QMainWindow()
        qtbot.addWidget(self.window)
        self.called = []
        self.actions = ActionSet(self.window, LIGHT)
        for act in ACTIONS:
            self.actions.bind(act.name, partial(self.call, act.name))
        self.actions.fill(self.window.menuBar())
        self.plain = QWidget()
        self.plain.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.line = QLineEdit("abc def")
        self.text = QPlainTextEdit("abc def")
        self.spin = QSpinBox()
        self.combo = QComboBox()
        self.combo.addItems(["alpha", "beta"])
        self.list = QListWidget()
        self.list.addItems(["alpha", "beta"])
        self.check = QCheckBox("yes")
        self.button = QPushButton("push")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setValue(50)
        centre = QWidget()
        column = QVBoxLayout(centre)
        for each in (self.plain, self.line, self.text, self.spin, self.combo, self.list, self.check, self.button):
            column.addWidget(each)
        column.addWidget(self.slider)
        self.window.setCentralWidget(centre)
        self.window.show()
        self.window.activateWindow()
        qtbot.waitUntil(lambda: self.window.isActiveWindow())

    def call(self, *what):
        self.called.append(what)

    def press(self, widget, key, modifiers=NONE):
        """The acts that a key calls when this widget has the focus."""
        widget.setFocus()
        self.called.clear()
        QTest.keyClick(widget, key, modifiers)
        return [name for name, *_ in self.called]


@pytest.fixture
def desk(qtbot):
    return Desk(qtbot)


# -- the table ------------------------------------------------------------------------------------------------------


def test_names_and_keys_are_unique():
    assert max(Counter(act.name for act in ACTIONS).values()) == 1
    keys = Counter(QKeySequence(key).toString() for act in ACTIONS for key in act.keys)
    assert max(keys.values()) == 1
    assert "" not in keys


def test_every_act_is_in_a_menu_and_says_what_it_does():
    for act in ACTIONS:
        assert act.menu.split("/")[0] in MENUS, act
        assert act.section, act
        assert act.tip, act
        assert not act.tip.endswith("."), act
        assert not act.icon or act.icon in NAMES, act
        assert act.name.isidentifier(), act


def test_the_keys_are_those_that_were_agreed():
    agreed = {**PLAIN_KEYS, **COMMAND_KEYS}
    for name, (key, modifiers) in agreed.items():
        act = next(act for act in ACTIONS if act.name == name)
        assert QKeySequence(modifiers.value | key.value) in [QKeySequence(each) for each in act.keys], name
    assert {act.name for act in ACTIONS if act.keys} == set(agreed)


def test_the_transport_has_its_buttons_in_order():
    assert [act.name for act in TOOLBAR] == [
        "first", "event_back", "play", "event_forward", "last", "live", "run", "hold", "stop"
    ]  # fmt: skip


def test_all_text_can_be_drawn_with_the_font_we_ship_for(qapp):
    if "DejaVu Sans" not in QFontDatabase.families():
        pytest.fail("the tests need DejaVu Sans (fonts-dejavu-core)")
    metrics = QFontMetrics(QFont("DejaVu Sans"))
    words = "".join(act.text + act.tip + act.section + "".join(map(key_text, act.keys)) for act in ACTIONS)
    assert [each for each in sorted(set(words)) if not metrics.inFontUcs4(ord(each))] == []


def test_sections_have_only_what_has_a_key():
    listed = [act for acts in sections().values() for act in acts]
    assert listed == [act for act in ACTIONS if act.keys]


@pytest.mark.parametrize(
    ("key", "text"), [("Right", "→"), ("Shift+Left", "Shift+←"), ("Ctrl++", "Ctrl++"), ("?", "?"), ("Ctrl+.", "Ctrl+.")]
)
def test_keys_read_well(qapp, key, text):
    assert key_text(key) == text


# -- actions --------------------------------------------------------------------------------------------------------


def test_tooltips_name_the_key_and_status_tips_are_sentences(desk):
    assert desk.actions["event_forward"].toolTip() == "Show one more event (→)"
    assert desk.actions["theme_dark"].toolTip() == "Light text on a dark ground"
    assert all(action.statusTip().endswith(".") for action in desk.actions)


def test_menus_have_every_act_in_order_with_lines_between_sections(desk):
    bar = desk.window.menuBar().actions()
    assert [each.text().replace("&", "") for each in bar] == list(MENUS)
    for name in MENUS:
        menu = desk.actions.menu(name)
        shown = [each.objectName() for each in menu.actions() if not each.isSeparator() and each.menu() is None]
        assert shown == [act.name for act in ACTIONS if act.menu == name]
    lines = [at for at, each in enumerate(desk.actions.menu("Run").actions()) if each.isSeparator()]
    assert lines == [5, 11, 17, 23, 29, 33]
    theme = desk.actions.menu("View/Theme")
    assert [each.text() for each in theme.actions()] == ["System", "Light", "Dark"]


def test_others_may_add_menus(desk):
    views = desk.actions.menu("View/Views")
    views.addAction("Surviving arms")
    assert desk.actions.menu("View/Views") is views
    assert views.menuAction() in desk.actions.menu("View").actions()
    with pytest.raises(ValueError, match="no menu"):
        desk.actions.menu("Nowhere")


def test_a_handler_is_called_without_arguments_unless_it_is_on_or_off(desk):
    for name in ("run", "hold", "hold", "theme_dark", "theme_dark"):
        desk.actions[name].trigger()
    assert desk.called == [("run",), ("hold", True), ("hold", False), ("theme_dark",), ("theme_dark",)]


def test_to_mark_is_not_to_ask(desk):
    desk.actions.mark("live", True)
    desk.actions.mark("theme_light", True)
    desk.actions.mark("theme_dark", True)
    assert desk.actions["live"].isChecked()
    assert not desk.actions["theme_light"].isChecked()
    assert desk.called == []


def test_an_act_without_a_handler_is_an_error(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window, LIGHT)

    class Some:
        open = quit = staticmethod(lambda: None)

    actions.bind("run", lambda: None)
    actions.bind_all(Some())
    with pytest.raises(ValueError, match="without a handler: new_instance, save, ") as raised:
        actions.fill(window.menuBar())
    assert not {"run", "open", "quit"} & set(str(raised.value).partition(": ")[2].split(", "))
    with pytest.raises(ValueError, match="no act 'jump'"):
        actions.bind("jump", lambda: None)
    with pytest.raises(ValueError, match="bound already"):
        actions.bind("run", lambda: None)


def test_play_says_what_it_will_do_next(desk):
    play = desk.actions["play"]
    still = play.icon().cacheKey()
    desk.actions.show_playing(True)
    assert play.text() == "Pause"
    assert play.icon().cacheKey() != still
    desk.actions.set_theme(DARK)
    assert play.text() == "Pause"
    desk.actions.set_theme(LIGHT)
    desk.actions.show_playing(False)
    assert (play.text(), play.icon().cacheKey()) == ("Play", still)


def test_a_disabled_act_does_nothing(desk):
    desk.actions.enable(("run", "play"), False)
    assert desk.press(desk.plain, *COMMAND_KEYS["run"]) == []
    desk.actions.enable(("run", "play"), True)
    assert desk.press(desk.plain, *COMMAND_KEYS["run"]) == ["run"]


def test_only_what_may_go_on_goes_on_while_its_key_is_held(desk):
    assert not any(desk.actions[name].autoRepeat() for name in ("run", "play", "stop", "live", "open"))
    assert all(desk.actions[name].autoRepeat() for name in ("event_forward", "loop_back", "faster"))


# -- keys -----------------------------------------------------------------------------------------------------------


def test_every_key_calls_its_act(desk):
    for name, keys in {**PLAIN_KEYS, **COMMAND_KEYS}.items():
        assert desk.press(desk.plain, *keys) == [name]


def test_keys_hold_in_full_screen_without_a_menu_bar(desk):
    desk.window.menuBar().hide()
    assert desk.press(desk.plain, *PLAIN_KEYS["play"]) == ["play"]
    assert desk.press(desk.plain, *COMMAND_KEYS["full_screen"]) == ["full_screen"]


@pytest.mark.parametrize("where", ["line", "text", "spin", "combo", "list"])
def test_where_one_types_or_picks_plain_keys_are_not_shortcuts(desk, where):
    for name, keys in PLAIN_KEYS.items():
        assert desk.press(getattr(desk, where), *keys) == [], name


def test_commands_work_while_one_types(desk):
    for name, keys in COMMAND_KEYS.items():
        # A line takes its own typing back; those of the form leave that to the form, see DraftLine.
        assert desk.press(desk.line, *keys) == ([] if name in ("undo", "redo") else [name])


def test_the_key_of_an_act_that_cannot_be_asked_for_does_nothing_to_the_text(desk, qtbot):
    """Qt hands it to the line, which on some desktops erases itself with Ctrl+K."""
    desk.line.setFocus()
    desk.line.setText("kept")
    desk.line.home(False)
    desk.actions.enable(("replicate",), False)
    heard = []
    desk.line.installEventFilter(seen := _Heard(heard))
    desk.actions._own_keys._focus_changed(desk.line, desk.line)  # the last filter is the first to hear
    with qtbot.waitSignal(desk.actions.refused) as refused:
        QTest.keyClick(desk.line, KEY.Key_K, CTRL)
    assert refused.args[0].objectName() == "replicate"
    QTest.keyClick(desk.line, KEY.Key_A, CTRL)
    assert desk.line.selectedText() == desk.line.text() == "kept"
    assert heard == [KEY.Key_A]
    desk.line.removeEventFilter(seen)


class _Heard(QObject):
    """The keys that reach a widget."""

    def __init__(self, keys):
        super().__init__()
        self.keys = keys

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.KeyPress and event.key() != KEY.Key_Control:
            self.keys.append(event.key())
        return False


def test_what_is_typed_arrives(desk):
    desk.line.setFocus()
    desk.line.clear()
    QTest.keyClicks(desk.line, "hello [L] ok?")
    QTest.keyClick(desk.line, KEY.Key_Home)
    QTest.keyClick(desk.line, KEY.Key_Right)
    QTest.keyClicks(desk.line, "H")
    QTest.keyClick(desk.line, KEY.Key_End, SHIFT)
    assert desk.line.text() == "hHello [L] ok?"
    assert desk.line.selectedText() == "ello [L] ok?"
    assert desk.called == []
    desk.line.setReadOnly(True)
    assert desk.press(desk.line, *PLAIN_KEYS["event_back"]) == []


def test_brackets_typed_with_ctrl_and_alt_belong_to_the_text(desk):
    desk.line.setFocus()
    desk.line.clear()
    QTest.sendKeyEvent(QTest.KeyAction.Click, desk.line, KEY.Key_BracketLeft, "[", CTRL | ALT)
    assert desk.called == []


def test_the_key_works_again_when_the_focus_has_left_the_text(desk):
    assert desk.press(desk.line, *PLAIN_KEYS["live"]) == []
    assert desk.press(desk.plain, *PLAIN_KEYS["live"]) == ["live"]
    assert desk.press(desk.line, *PLAIN_KEYS["live"]) == []


def test_space_belongs_to_a_focused_button_and_nothing_else_does(desk):
    assert desk.press(desk.check, *PLAIN_KEYS["play"]) == []
    assert desk.check.isChecked()
    assert desk.press(desk.button, *PLAIN_KEYS["play"]) == []
    assert desk.press(desk.check, *PLAIN_KEYS["event_forward"]) == ["event_forward"]


def test_a_focused_slider_keeps_its_arrows_but_not_space(desk):
    assert desk.press(desk.slider, *PLAIN_KEYS["event_forward"]) == []
    assert desk.slider.value() == 51
    assert desk.press(desk.slider, *PLAIN_KEYS["play"]) == ["play"]
    assert desk.press(desk.slider, *PLAIN_KEYS["round_forward"]) == ["round_forward"]


def test_acts_of_ones_own_can_be_given(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(
        window, LIGHT, [ActionSpec("wave", "Wave", "Wave a hand", ("W",), menu="Help", section="Hands")]
    )
    actions.bind("wave", lambda: None)
    actions.fill(window.menuBar())
    assert [action.text() for action in actions.menu("Help").actions()] == ["Wave"]


def test_tips_and_parameters_are_told_in_plain_words():
    avoided = re.compile(r"\b([Nn]obody|so many|cursor stand|or stand|is left|arms left)\b|[«»]")
    told = [act.tip for act in (*ACTIONS, *STAGE_ACTIONS)] + [VIEWS["shares"].about, ABOUT]
    for algorithm in BUILT_IN.values():
        told += [algorithm.summary, *(each.help for each in algorithm.parameters)]
    assert [each for each in told if avoided.search(each)] == []
