"""The table of actions, and those of Qt made of it: menus, conditions, and keys that no field takes."""

import importlib.util
import inspect
import re
import runpy
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetrics, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
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
from gems_gui.action_table import ACTIONS, EVERY_ACTION, MENUS
from gems_gui.actions.interface import Interface
from gems_gui.actions.run_actions import RUN_ACTIONS
from gems_gui.actions.spec import ActionSpec, checked_table, in_menu_order, sections
from gems_gui.appearance import Appearance
from gems_gui.icons import NAMES
from gems_gui.menus.action_set import ActionSet, key_text
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import VIEWS
from gems_gui.welcome.welcome_page import ABOUT
from gems_gui.workbench.playback import Playback
from tests.gui.recorded_actions import bench, recorded
from tests.gui.sample_runs import run as sample_run
from tests.gui.window_driver import driven

KEY = Qt.Key
SHIFT, CTRL, ALT = (
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
)
NONE = Qt.KeyboardModifier.NoModifier
WAVE = ActionSpec("wave", "Wave", "Wave a hand", ("W",), do=print)
PLAIN_KEYS = {
    "toggle_truth": (KEY.Key_T, NONE),
    "race": (KEY.Key_R, NONE),
    "play": (KEY.Key_Space, NONE),
    "event_forward": (KEY.Key_Right, NONE),
    "event_back": (KEY.Key_Left, NONE),
    "interest_forward": (KEY.Key_N, NONE),
    "interest_back": (KEY.Key_N, SHIFT),
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
    "save_run_as": (KEY.Key_S, CTRL | SHIFT),
    "save_instance": (KEY.Key_I, CTRL | SHIFT),
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
    "layout_race": (KEY.Key_5, CTRL),
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
        self.on, self.disabled = set(), set()
        self.actions = ActionSet(self.window, Appearance(LIGHT))
        self.actions.add([self.controlled(act) for act in recorded(ACTIONS, self.call)], self)
        self.actions.fill(self.window.menuBar(), ACTIONS)
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

    def controlled(self, act):
        """The action in the states that the rig gives it."""
        return replace(
            act,
            refusal=lambda rig: "Not now." if act.id in rig.disabled else "",
            checked=None if act.checked is None else lambda rig: act.id in rig.on,
            text_of=None,
            icon_of=None,
        )

    def call(self, *what):
        self.called.append(what)
        name, *on = what
        if on:
            self.on = self.on | {name} if on[0] else self.on - {name}

    def press(self, widget, key, modifiers=NONE):
        """The acts that a key calls when this widget has the focus."""
        widget.setFocus()
        self.called.clear()
        QTest.keyClick(widget, key, modifiers)
        return [name for name, *_ in self.called]


@pytest.fixture
def rig(qtbot):
    return Desk(qtbot)


# -- the table ------------------------------------------------------------------------------------------------------


def test_names_and_keys_are_unique():
    assert max(Counter(act.id for act in EVERY_ACTION).values()) == 1
    keys = Counter(QKeySequence(key).toString() for act in ACTIONS for key in act.keys)
    assert max(keys.values()) == 1
    assert "" not in keys


def test_every_act_is_in_a_menu_and_says_what_it_does():
    for act in ACTIONS:
        assert act.section in MENUS[act.menu], f"{act.id}: write {act.section!r} into MENUS of gems_gui/action_table.py"
        assert act.section, f"{act.id}: wrap its ActionSpec in in_section(menu, section, …)"
        assert act.tip, f"{act.id}: give its ActionSpec a tip, a sentence without a full stop"
        assert not act.tip.endswith("."), f"{act.id}: take the full stop off its tip, which is added where it is shown"
        assert not act.icon or act.icon in NAMES, f"{act.id}: draw its icon {act.icon!r} in gems_gui/icons.py"
        assert act.id.isidentifier(), f"{act.id}: use letters, digits and _ for its id"


def test_the_keys_are_those_that_were_agreed():
    agreed = {**PLAIN_KEYS, **COMMAND_KEYS}
    for name, (key, modifiers) in agreed.items():
        act = next((act for act in ACTIONS if act.id == name), None)
        gone = f"{name} has no action or another key: change its line in the tables of tests/gui/test_actions.py"
        assert act is not None, gone
        assert QKeySequence(modifiers.value | key.value) in [QKeySequence(each) for each in act.keys], gone
    missing = [f'"{act.id}": ({_written(act.keys[0])}),' for act in ACTIONS if act.keys and act.id not in agreed]
    assert not missing, (
        f"write {' '.join(missing)} into COMMAND_KEYS of tests/gui/test_actions.py, so that nothing changes the key "
        "unseen; into PLAIN_KEYS where a text field keeps the key for itself"
    )


def _written(key):
    """A key as the tables above have it."""
    (held,) = QKeySequence(key)
    names = {SHIFT: "SHIFT", CTRL: "CTRL", ALT: "ALT"}
    modifiers = " | ".join(name for each, name in names.items() if held.keyboardModifiers() & each)
    return f"KEY.{held.key().name}, {modifiers or 'NONE'}"


def test_the_transport_has_its_buttons_in_order(rig):
    steps = ["first", "interest_back", "event_back", "play", "event_forward", "interest_forward", "last"]
    buttons = [*steps, "live", "run", "hold", "stop"]
    assert [act.id for act in rig.actions.toolbar] == buttons, (
        "write the id of the new button into the list of this test, where toolbar= puts it; a button of the engine "
        "into _ENGINE of gems_gui/transport/transport.py, too"
    )


def test_all_text_can_be_drawn_with_the_font_we_ship_for(qapp):
    if "DejaVu Sans" not in QFontDatabase.families():
        pytest.fail("the tests need DejaVu Sans (fonts-dejavu-core)")
    metrics = QFontMetrics(QFont("DejaVu Sans"))
    words = "".join(act.text + act.tip + act.section + "".join(map(key_text, act.keys)) for act in ACTIONS)
    assert [each for each in sorted(set(words)) if not metrics.inFontUcs4(ord(each))] == []


def test_sections_have_only_what_has_a_key():
    listed = [act for acts in sections(ACTIONS).values() for act in acts]
    assert listed == [act for act in ACTIONS if act.keys]


@pytest.mark.parametrize(
    ("key", "text"), [("Right", "→"), ("Shift+Left", "Shift+←"), ("Ctrl++", "Ctrl++"), ("?", "?"), ("Ctrl+.", "Ctrl+.")]
)
def test_keys_read_well(qapp, key, text):
    assert key_text(key) == text


# -- actions --------------------------------------------------------------------------------------------------------


def test_tooltips_name_the_key_and_status_tips_are_sentences(rig):
    assert rig.actions["event_forward"].toolTip() == "Go forward one event (→)"
    assert rig.actions["theme_dark"].toolTip() == "Use light text on a dark background"
    assert all(action.statusTip().endswith(".") for action in rig.actions)


def test_menus_have_every_act_in_order_with_lines_between_sections(rig):
    bar = rig.window.menuBar().actions()
    assert [each.text().replace("&", "") for each in bar] == [menu for menu in MENUS if "/" not in menu]
    for name in MENUS:
        menu = rig.actions.menu(name)
        shown = [each.objectName() for each in menu.actions() if not each.isSeparator() and each.menu() is None]
        assert shown == [act.id for act in ACTIONS if act.menu == name]
    lines = [at for at, each in enumerate(rig.actions.menu("Run").actions()) if each.isSeparator()]
    sizes = [sum((act.menu, act.section) == ("Run", section) for act in ACTIONS) for section in MENUS["Run"]]
    assert lines == [sum(sizes[:at]) + at - 1 for at in range(1, len(sizes))]
    assert len(lines) == 3
    theme = rig.actions.menu("View/Theme")
    assert [each.text() for each in theme.actions()] == ["System", "Light", "Dark"]


def test_others_may_add_menus(rig):
    views = rig.actions.menu("View/Views")
    views.addAction("Surviving arms")
    assert rig.actions.menu("View/Views") is views
    assert views.menuAction() in rig.actions.menu("View").actions()
    with pytest.raises(ValueError, match="no menu"):
        rig.actions.menu("Nowhere")


def test_a_handler_is_called_without_arguments_unless_it_is_on_or_off(rig):
    for name in ("run", "hold", "hold", "theme_dark", "theme_dark"):
        rig.actions[name].trigger()
    assert rig.called == [("run",), ("hold", True), ("hold", False), ("theme_dark",), ("theme_dark",)]


def test_to_mark_is_not_to_ask(rig):
    for theme in ("theme_light", "theme_dark"):
        rig.on = {"live", theme}
        rig.actions.refresh()
    assert rig.actions["live"].isChecked()
    assert not rig.actions["theme_light"].isChecked()
    assert rig.called == []


def test_menus_and_what_was_added_must_agree(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window, Appearance(LIGHT))
    actions.add(RUN_ACTIONS, bench())
    with pytest.raises(ValueError, match="were not added: new_instance, open, save, ") as raised:
        actions.fill(window.menuBar(), ACTIONS)
    assert not {"run", "play", "stop"} & set(str(raised.value).partition(": ")[2].split(", "))
    with pytest.raises(ValueError, match="'run' already"):
        actions.add(RUN_ACTIONS[1:2], bench())
    actions.add([WAVE], window)
    with pytest.raises(ValueError, match="not in the table: wave; add their tuple to ACTIONS in gems_gui/action_table"):
        actions.fill(window.menuBar(), RUN_ACTIONS)


def test_one_id_or_one_key_in_one_context_for_two_actions_is_an_error():
    again = replace(WAVE, text="Again", keys=())
    with pytest.raises(ValueError, match="two actions have the id 'wave': 'Wave' and 'Again'"):
        checked_table([*EVERY_ACTION, WAVE, again])
    shout = replace(WAVE, id="shout", keys=("W", "Ctrl+R"))
    with pytest.raises(ValueError, match=r"two actions have the key Ctrl\+R in the window: run and shout"):
        checked_table([*EVERY_ACTION, shout])
    with pytest.raises(ValueError, match=r"the key shift\+Ctrl\+x in the window: experiments and shout"):
        checked_table([*EVERY_ACTION, replace(shout, keys=("shift+Ctrl+x",))])
    plus = replace(shout, keys=("Ctrl+Alt++", "Alt++"))
    assert checked_table([*EVERY_ACTION, plus]) == (*EVERY_ACTION, plus)
    with pytest.raises(ValueError, match="shout and cry"):
        checked_table([plus, replace(plus, id="cry", keys=("Alt+Ctrl++",))])
    delete = replace(shout, keys=("Ctrl+Delete", "Escape"))
    for other in ("Ctrl+Del", "Esc"):
        with pytest.raises(ValueError, match="shout and cry"):
            checked_table([delete, replace(delete, id="cry", keys=(other,))])
    with pytest.raises(ValueError, match="the action 'shout' has an empty key"):
        replace(shout, keys=("",))
    elsewhere = replace(shout, contexts=("stage",))
    assert checked_table([*EVERY_ACTION, elsewhere]) == (*EVERY_ACTION, elsewhere)
    with pytest.raises(ValueError, match="the key F5 in the stage: screen and shout"):
        checked_table([*EVERY_ACTION, replace(elsewhere, keys=("F5",))])


def test_the_table_is_checked_when_it_is_imported(monkeypatch):
    from gems_gui.help import actions as help_actions

    monkeypatch.setattr(help_actions, "HELP_ACTIONS", (*help_actions.HELP_ACTIONS, help_actions.HELP_ACTIONS[0]))
    source = importlib.util.find_spec("gems_gui.action_table").origin
    with pytest.raises(ValueError, match="two actions have the id 'help'"):
        runpy.run_path(source)


def test_an_action_is_in_a_section_and_after_one_of_it():
    menus = {"Help": ("Hands",)}
    wave = replace(WAVE, menu="Help", section="Hands")
    bow, nod = replace(wave, id="bow", after="nod"), replace(wave, id="nod")
    assert [act.id for act in in_menu_order([bow, wave, nod], menus)] == ["wave", "nod", "bow"]
    with pytest.raises(ValueError, match="'wave' is in no section of a menu"):
        in_menu_order([WAVE], menus)
    with pytest.raises(ValueError, match="'bow' follows 'nod', which is not in its section"):
        in_menu_order([bow, wave], menus)


def test_an_action_does_one_thing_and_says_whether_it_is_on():
    with pytest.raises(ValueError, match="either do or toggle"):
        replace(WAVE, do=None)
    with pytest.raises(ValueError, match="either do or toggle"):
        replace(WAVE, toggle=print)
    for wrong in ({"do": None, "toggle": print}, {"choice": "hand"}, {"checked": bool}):
        with pytest.raises(ValueError, match="needs checked"):
            replace(WAVE, **wrong)


def test_play_says_what_it_will_do_next(qtbot):
    window, at = QMainWindow(), bench(Playback(sample_run("paper-hard")))
    qtbot.addWidget(window)
    appearance = Appearance(LIGHT)
    actions = ActionSet(window, appearance)
    actions.add(RUN_ACTIONS, at)
    play = actions["play"]
    still = play.icon().cacheKey()
    at.workbench.playback.play()
    actions.refresh()
    assert play.text() == "Pause"
    assert play.icon().cacheKey() != still
    appearance.set_theme(DARK)
    assert play.text() == "Pause"
    appearance.set_theme(LIGHT)
    at.workbench.playback.pause()
    actions.refresh()
    assert (play.text(), play.icon().cacheKey()) == ("Play", still)


def test_a_disabled_act_does_nothing(rig):
    rig.disabled = {"run", "play"}
    rig.actions.refresh()
    assert rig.press(rig.plain, *COMMAND_KEYS["run"]) == []
    rig.disabled = set()
    rig.actions.refresh()
    assert rig.press(rig.plain, *COMMAND_KEYS["run"]) == ["run"]


def test_only_what_may_go_on_goes_on_while_its_key_is_held(rig):
    assert not any(rig.actions[name].autoRepeat() for name in ("run", "play", "stop", "live", "open"))
    assert all(rig.actions[name].autoRepeat() for name in ("event_forward", "loop_back", "faster"))


# -- keys -----------------------------------------------------------------------------------------------------------


def test_every_key_calls_its_act(rig):
    for name, keys in {**PLAIN_KEYS, **COMMAND_KEYS}.items():
        assert rig.press(rig.plain, *keys) == [name]


def test_keys_hold_in_full_screen_without_a_menu_bar(rig):
    rig.window.menuBar().hide()
    assert rig.press(rig.plain, *PLAIN_KEYS["play"]) == ["play"]
    assert rig.press(rig.plain, *COMMAND_KEYS["full_screen"]) == ["full_screen"]


@pytest.mark.parametrize("where", ["line", "text", "spin"])
def test_where_one_types_or_picks_plain_keys_are_not_shortcuts(rig, where):
    for name, keys in PLAIN_KEYS.items():
        assert rig.press(getattr(rig, where), *keys) == [], name


def test_commands_work_while_one_types(rig):
    for name, keys in COMMAND_KEYS.items():
        # A line takes its own typing back; those of the form leave that to the form, see DraftLine.
        assert rig.press(rig.line, *keys) == ([] if name in ("undo", "redo") else [name])


def test_the_key_of_an_act_that_cannot_be_asked_for_does_nothing_to_the_text(rig, qtbot):
    """Qt hands it to the line, which on some desktops erases itself with Ctrl+K."""
    rig.line.setFocus()
    rig.line.setText("kept")
    rig.line.home(False)
    rig.disabled = {"replicate"}
    rig.actions.refresh()
    heard = []
    rig.line.installEventFilter(seen := _Heard(heard))
    rig.actions._text_field_shortcuts._on_focus_changed(rig.line, rig.line)  # the last filter is the first to hear
    with qtbot.waitSignal(rig.actions.refused) as refused:
        QTest.keyClick(rig.line, KEY.Key_K, CTRL)
    assert refused.args[0].objectName() == "replicate"
    QTest.keyClick(rig.line, KEY.Key_A, CTRL)
    assert rig.line.selectedText() == rig.line.text() == "kept"
    assert heard == [KEY.Key_A]
    rig.line.removeEventFilter(seen)


class _Heard(QObject):
    """The keys that reach a widget."""

    def __init__(self, keys):
        super().__init__()
        self.keys = keys

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.KeyPress and event.key() != KEY.Key_Control:
            self.keys.append(event.key())
        return False


def test_what_is_typed_arrives(rig):
    rig.line.setFocus()
    rig.line.clear()
    QTest.keyClicks(rig.line, "hello [L] ok?")
    QTest.keyClick(rig.line, KEY.Key_Home)
    QTest.keyClick(rig.line, KEY.Key_Right)
    QTest.keyClicks(rig.line, "H")
    QTest.keyClick(rig.line, KEY.Key_End, SHIFT)
    assert rig.line.text() == "hHello [L] ok?"
    assert rig.line.selectedText() == "ello [L] ok?"
    assert rig.called == []
    rig.line.setReadOnly(True)
    assert rig.press(rig.line, *PLAIN_KEYS["event_back"]) == []


def test_brackets_typed_with_ctrl_and_alt_belong_to_the_text(rig):
    rig.line.setFocus()
    rig.line.clear()
    QTest.sendKeyEvent(QTest.KeyAction.Click, rig.line, KEY.Key_BracketLeft, "[", CTRL | ALT)
    assert rig.called == []


def test_the_key_works_again_when_the_focus_has_left_the_text(rig):
    assert rig.press(rig.line, *PLAIN_KEYS["live"]) == []
    assert rig.press(rig.plain, *PLAIN_KEYS["live"]) == ["live"]
    assert rig.press(rig.line, *PLAIN_KEYS["live"]) == []


def test_a_list_and_a_text_to_be_read_keep_only_what_moves_in_them(rig):
    rig.text.setReadOnly(True)
    moves = {KEY.Key_Left, KEY.Key_Right, KEY.Key_Home, KEY.Key_End}
    for where in (rig.list, rig.text):
        for name, (key, modifiers) in PLAIN_KEYS.items():
            assert rig.press(where, key, modifiers) == ([] if key in moves else [name])
    rig.list.setEditTriggers(QListWidget.EditTrigger.AnyKeyPressed)
    assert rig.press(rig.list, *PLAIN_KEYS["live"]) == [], "a table into which one types"


def test_space_belongs_to_a_focused_button_or_box_and_nothing_else_does(rig):
    for name, keys in PLAIN_KEYS.items():
        assert rig.press(rig.combo, *keys) == ([] if name == "play" else [name])
        assert rig.combo.view().isVisible() == (name == "play")
        rig.combo.hidePopup()
    assert rig.press(rig.check, *PLAIN_KEYS["play"]) == []
    assert rig.check.isChecked()
    assert rig.press(rig.button, *PLAIN_KEYS["play"]) == []
    assert rig.press(rig.check, *PLAIN_KEYS["event_forward"]) == ["event_forward"]


def test_a_focused_slider_keeps_its_arrows_but_not_space(rig):
    assert rig.press(rig.slider, *PLAIN_KEYS["event_forward"]) == []
    assert rig.slider.value() == 51
    assert rig.press(rig.slider, *PLAIN_KEYS["play"]) == ["play"]
    assert rig.press(rig.slider, *PLAIN_KEYS["round_forward"]) == ["round_forward"]


def test_acts_of_ones_own_can_be_given(qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    actions, wave = ActionSet(window, Appearance(LIGHT)), replace(WAVE, menu="Help", section="Hands")
    actions.add([wave], window)
    actions.fill(window.menuBar(), [wave])
    assert [action.text() for action in actions.menu("Help").actions()] == ["Wave"]


def test_tips_and_parameters_are_told_in_plain_words():
    avoided = re.compile(r"\b([Nn]obody|so many|cursor stand|or stand|is left|arms left)\b|[«»]")
    told = [act.tip for act in EVERY_ACTION] + [VIEWS["shares"].about, ABOUT]
    for algorithm in BUILT_IN.values():
        told += [algorithm.summary, *(each.help for each in algorithm.parameters)]
    assert [each for each in told if avoided.search(each)] == []


# -- what they say --------------------------------------------------------------------------------------------------


def told(actions):
    return {each.objectName(): (each.isEnabled(), each.isChecked(), each.text()) for each in actions}


def test_a_refresh_touches_only_what_has_changed(rig):
    touched = []
    for action in rig.actions:
        action.changed.connect(partial(touched.append, action.objectName()))
    rig.actions.refresh()
    assert touched == []
    rig.disabled, rig.on = {"replicate"}, {"live"}
    rig.actions.refresh()
    assert set(touched) == {"replicate", "live"}


def test_menus_are_true_however_something_was_changed(qtbot):
    """Who changes something other than by an action has the actions look again."""
    with driven(qtbot) as driver:
        driver.finished()
        driver.finished()
        window, work, acts = driver.window, driver.workbench, driver.actions
        for name in ("list_runs", "show_log", "edit_table", "show_talk", "replicate", "debug_design", "experiments"):
            acts[name].trigger()
        ways = {
            "a draft": lambda: window.workbench.drafts.set_draft(
                window.workbench.drafts.draft.with_text("run.seed", "77")
            ),
            "undo": window.workbench.drafts.undo,
            "the truth": lambda: work.set_truth(False),
            "the page of experiments": lambda: window.experiments.page.close_asked.emit(),
            "a view maximised": lambda: window.board.toggle_maximised("survivors"),
            "and not": window.board.leave_maximised,
            "another layout": lambda: window.layouts.choose("debug"),
            "a layout kept": lambda: window.layouts.keep("mine"),
            "and what it says": work.messages.dismiss,
            "the welcome page": window.welcome.welcome,
            "and gone": window.welcome.dismiss,
            "auto-run": lambda: window.auto_run.auto.auto_run(True),
            "auto-run off": lambda: window.auto_run.auto.auto_run(False),
            "a moment": window.talk.add_moment,
            "the debugger": lambda: window.designs.debug_design(True),
            "the debugger closed": lambda: window.designs.panel.close_asked.emit(),
            "a run removed": lambda: work.remove(work.runs[-1]),
            "the last run removed": lambda: work.remove(work.runs[-1]),
        }
        for dock in (window.run_list.runs_dock, window.run_list.log_dock, window.instance_table.dock, window.talk.dock):
            ways[dock.windowTitle()] = dock.close_button.click
        for way, change in ways.items():
            before = told(acts)
            change()
            QApplication.processEvents()
            after = told(acts)
            acts.refresh()
            assert told(acts) == after, way
            assert after != before, f"{way}: nothing is to be seen in a menu, so that this tests nothing"


def test_what_actions_may_do_to_the_interface_is_little():
    methods = {name: each for name, each in vars(Interface).items() if inspect.isfunction(each) and name[0] != "_"}
    assert len(methods) <= 12
    hints = [hint for each in methods.values() for hint in each.__annotations__.values()]
    assert len(hints) > 12
    assert [hint for hint in hints if "Any" in hint] == []
