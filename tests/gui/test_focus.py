"""The keys belong to the run: after Run, after a choice by mouse, and after whatever was open is closed."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QToolButton,
    QWidget,
)

from gems_engine.files import write_run
from gems_gui.action_table import ACTIONS
from gems_gui.drafts.presets import PRESETS
from gems_gui.panels.plane import FEATURES
from gems_gui.panels.plane_editor import PlaneEditor
from gems_gui.transport.go_to import GoTo
from gems_gui.widgets.form_widgets import WrappingLabel
from tests.gui.window_driver import SMALL, choose_by_keys, driven, finished_run, open_dialog, pick

KEY = Qt.Key
SECTIONS, ENGINE = ("Play", "Step forward", "Step back"), ("hold", "run_to_end", "stop")
TRANSPORT = [act for act in ACTIONS if act.keys and (act.section in SECTIONS or act.id in ENGINE)]


def focused():
    return QApplication.focusWidget()


def other(box):
    """A row of a combo box that is not chosen."""
    return next(row for row in range(1, box.count()) if row != box.currentIndex())


def field(driver, kind):
    """An input of the form of this kind that can be used."""
    form = driver.form
    form.algorithm_form.unfold(True)
    inputs = [each.input for each in form.fields.values()]
    return next(each for each in inputs if isinstance(each, kind) and each.isEnabled() and each.isVisible())


def click_cell(driver, row, column):
    """Click a cell of the table; the first column has the names."""
    view = driver.window.instance_table.editor.view
    driver.wait(lambda: view.isVisible() and view.isEnabled())
    driver.click(view.viewport(), view.visualRect(view.model().index(row, column)).center())
    assert focused() is view


KINDS = (QComboBox, QLineEdit, QCheckBox, QPushButton, QToolButton, QSlider, QSpinBox, PlaneEditor)
"""The widgets of the form that can have the focus: `touched` touches one of each."""


def touched(driver):
    """Touch every kind of widget of the form, and the table, one after the other; says what was touched."""
    form, plane = driver.form, driver.window.auto_run.plane
    for name in ("presets", "family", "algorithm"):
        box = {"presets": form.presets, "family": form.instance_form.family, "algorithm": form.algorithm_form.algorithm}
        pick(box[name], other(box[name]))
        yield name
        driver.drafts.set_draft(SMALL)
    line = field(driver, QLineEdit)
    driver.click(line)
    assert focused() is line
    driver.type_into("run.seed", "3")
    yield "a line"
    check = field(driver, QCheckBox)
    driver.click(check)
    assert focused() is check
    yield "a check box"
    choice = field(driver, QComboBox)
    pick(choice, other(choice))
    yield "a list of choices"
    driver.click(form.fields["run.seed"].dice)
    yield "the dice"
    driver.click(form.fields["run.seed"].input)
    driver.press("Tab")
    assert focused() is form.algorithm_form.more
    driver.press("Space")
    assert not form.algorithm_form.rare.isVisible()
    yield "the button that folds a part of the form"
    driver.click(plane.plot.viewport())
    assert focused() is plane.plot
    yield "the plane"
    pick(plane.axes, plane.axes.findData(FEATURES))
    yield "the axes of the plane"
    driver.click(plane.across)
    assert focused() is plane.across
    yield "a feature of the plane"
    driver.click(plane.fit)
    assert focused() is driver.window.centralWidget(), "a click on a button leaves the keys to the run"
    while focused() is not form.run:
        driver.press("Tab")
    yield "a button"
    driver.press("Ctrl+Shift+R")
    focusable = [each for each in form.findChildren(QWidget) if each.focusPolicy() and each.isVisibleTo(form)]
    unknown = {type(each) for each in focusable if not isinstance(each, KINDS) and each is not plane.plot.viewport()}
    assert not unknown, "touch these kinds of widgets here, too"
    slider = next(each for each in focusable if isinstance(each, QSlider))
    slider.setFocus()  # as Tab does
    driver.press("PgDown")
    driver.wait(lambda: driver.run.request.instance == driver.drafts.instance and driver.playback.ended)
    yield "a slider"
    driver.press("Ctrl+Shift+R")
    driver.click(form.instance_form.edit_table)
    view = driver.window.instance_table.editor.view
    assert focused() is view
    click_cell(driver, 0, 1)
    yield "the table"
    driver.press("Ctrl+T")
    driver.press("Ctrl+T")
    click_cell(driver, 1, 1)
    driver.press("F2")
    assert view.isAncestorOf(focused())
    yield "a cell that is open"


def test_after_run_every_key_of_the_transport_controls_the_run_whatever_was_touched(qtbot):
    with driven(qtbot, layout="talk") as driver:
        called = []
        for act in TRANSPORT:
            driver.actions[act.id].triggered.connect(lambda *_, name=act.id: called.append(name))
        for what in touched(driver):
            driver.start()
            driver.finish()
            draft = driver.draft
            for act in TRANSPORT:
                driver.workbench.rest()
                driver.seek(driver.playback.length // 2)
                called.clear()
                refusal = driver.actions.refusal(driver.actions[act.id])
                driver.press(act.keys[0])
                assert called == ([] if refusal else [act.id]), f"{act.id} after {what}"
                assert not refusal or driver.message == refusal
                assert QApplication.activePopupWidget() is None, f"{act.id} after {what}"
            assert focused() is driver.window.centralWidget(), what
            assert driver.draft == draft, what


def test_a_preset_by_mouse_then_run_space_and_end_play_and_seek(qtbot):
    with driven(qtbot, layout="talk") as driver:
        form = driver.form
        driver.click(form.fields["run.seed"].input)  # the focus was in the form
        pick(form.presets, form.presets.findData("budget"))
        driver.press("Ctrl+R")
        assert focused() is driver.window.centralWidget(), "at once, not when the run starts"
        driver.wait(lambda: driver.run is not None)
        assert driver.playback.playing
        driver.press("Space")
        assert not driver.playback.playing
        driver.wait(lambda: not driver.playback.at_end)
        newest = driver.playback.length
        driver.press("End")
        assert driver.cursor >= newest
        assert driver.draft == PRESETS["budget"].draft


def test_after_a_choice_by_mouse_the_keys_are_the_runs_and_tab_goes_on_from_there(qtbot):
    with driven(qtbot, layout="talk") as driver:
        form = driver.form
        for box in (form.algorithm_form.algorithm, form.instance_form.family):
            driver.click(form.fields["run.seed"].input)
            pick(box, other(box))
            assert focused() is driver.window.centralWidget()
            driver.press("Tab")
            after = focused()
            assert form.isAncestorOf(after)
            driver.press("Shift+Tab")
            assert focused() is box
            driver.press("Tab")
            assert focused() is after


def test_normal_noise_chosen_by_mouse_asks_for_its_deviation_and_its_assumption_is_checked(qtbot):
    with driven(qtbot, layout="talk") as driver:

        def assumed(words):
            return words in [each.text_shown for each in driver.form.assumptions.findChildren(WrappingLabel)]

        driver.wait(lambda: assumed("The noise is 1-sub-Gaussian; the paper allows up to 1."))
        driver.form.algorithm_form.unfold(True)
        noise = driver.form.fields["algorithm.noise"]
        pick(noise.input, noise.input.findData("gaussian"))
        assert focused() is noise.sigma
        QTest.keyClicks(noise.sigma, "2")
        assert driver.draft.text("algorithm.noise") == "gaussian:2"
        assert assumed("The noise is 2-sub-Gaussian, but the paper assumes at most 1.")
        driver.press("Tab")
        assert focused() is not noise.sigma
        assert driver.form.isAncestorOf(focused())


def test_run_takes_what_is_being_typed_into_the_table(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.press("Ctrl+T")
        table = driver.window.instance_table.editor
        runs = {
            "Ctrl+R": lambda: driver.press("Ctrl+R"),
            "Ctrl+Return": lambda: driver.press("Ctrl+Return"),
            "its button": lambda: driver.click(driver.form.run),
            "that of the transport": lambda: driver.click(driver.transport.buttons["run"]),
        }
        for number, (way, run) in enumerate(runs.items(), 6):
            before = driver.run
            click_cell(driver, 0, table.model.first)
            driver.press(str(number))  # opens the editor of the cell
            assert isinstance(focused(), QLineEdit)
            assert table.view.isAncestorOf(focused())
            run()
            assert focused() is driver.window.centralWidget(), way
            driver.wait(lambda before=before: driver.run is not before)
            assert driver.run.request.instance.arms[0][0] == number, way
            driver.finish()
            driver.press("Home")
            driver.press("Right")
            assert driver.cursor == 1
            assert driver.drafts.draft.source.table.arms[0][0] == number


def test_a_letter_that_opens_the_editor_of_a_cell_is_no_command(qtbot):
    """Not of an action that is not available either: nothing is said about the engine."""
    with driven(qtbot, layout="talk") as driver:
        driver.start()
        driver.finish()
        driver.press("End")
        driver.shown()
        driver.press("Ctrl+T")
        for letter in "nlhtrm":
            click_cell(driver, 0, 0)
            driver.window.workbench.messages.dismiss()
            driver.press(letter)
            assert isinstance(focused(), QLineEdit), letter
            assert focused().text() == letter
            assert driver.message == "", letter
            driver.press("Esc")


def plays(driver):
    """Whether Space plays, and pauses again."""
    driver.workbench.rest()
    driver.press("Home")
    driver.press("Space")
    playing = driver.playback.playing
    driver.press("Space")
    return playing and not driver.playback.playing


def test_what_is_closed_or_clicked_leaves_the_keys_to_the_run(qtbot):
    with driven(qtbot) as driver:
        driver.finished()
        line = driver.form.fields["run.seed"].input
        for key, dock in (("Ctrl+L", driver.window.run_list.runs_dock), ("Ctrl+T", None), ("Ctrl+K", None)):
            driver.press(key)
            dock = dock or {"Ctrl+T": driver.window.instance_table, "Ctrl+K": driver.window.replicates}[key].dock
            assert dock.isAncestorOf(focused()), key
            driver.click(dock.close_button)
            assert plays(driver), key
        for key in ("Ctrl+K", "Ctrl+J"):
            driver.press(key)
            field = focused()
            typed = field.text()
            QTest.keyClick(field, KEY.Key_Escape)
            assert plays(driver), f"Esc leaves the field that {key} opens"
            assert field.text() == typed
            driver.press(key)
        driver.press("Ctrl+L")
        runs = driver.window.run_list.runs_dock.list
        driver.click(runs.viewport(), runs.visualRect(runs.model().index(0, 0)).center())
        assert focused() is runs
        driver.press("Space")
        assert driver.playback.playing, "a run that was chosen in the list"
        driver.press("Ctrl+L")
        driver.click(line)
        driver.press("Ctrl+G")
        dialog = open_dialog(driver.window, GoTo)
        driver.wait(dialog.isActiveWindow)
        QTest.keyClick(dialog, KEY.Key_Escape)
        assert plays(driver), "a dialog"
        driver.click(driver.views["counts"].plot.viewport())
        assert plays(driver), "a plot"
        driver.views["counts"].body.setFocus()  # as Tab does
        driver.hide_view("counts")
        assert not driver.board.docks["counts"].exposed
        assert plays(driver), "a hidden view"
        for name in ("event_forward", "first"):
            driver.press("Right")
            driver.click(driver.transport.buttons[name])
            assert plays(driver), name
        driver.workbench.messages.show("Something.")
        driver.click(driver.notice.buttons["Dismiss"])
        assert not driver.message
        assert plays(driver), "a message"
        driver.workbench.messages.show("Something.")
        driver.notice.buttons["Dismiss"].setFocus()
        driver.press("Space")
        assert not driver.message
        assert plays(driver), "a message that was dismissed by a key"
        driver.press("End")
        driver.shown()
        strip = [each for each in driver.window.strip.findChildren(QPushButton) if each.isVisible()]
        assert strip
        for button in strip:
            driver.click(button)
            assert plays(driver), button.text()
        driver.type_into("run.seed", "5")
        driver.click(driver.difference_bar.buttons["Revert form"])
        driver.press("Esc")
        assert plays(driver), "the bar of differences, and Esc in the field"


def test_a_dropped_run_has_the_keys(qtbot, tmp_path):
    write_run(tmp_path / "dropped.gems", finished_run(SMALL))
    with driven(qtbot, layout="talk") as driver:
        line = field(driver, QLineEdit)
        driver.click(line)
        before = line.text()
        assert driver.drop(driver.window, tmp_path / "dropped.gems")
        driver.wait(lambda: driver.run is not None)
        assert not driver.form.isAncestorOf(focused())
        driver.press("Home")
        driver.press("Right")
        assert (driver.shown(), line.text()) == (1, before)


def test_auto_run_does_not_take_the_focus_from_the_field_that_changes(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.press("Ctrl+Shift+R")
        driver.type_into("run.seed", "12")
        driver.wait(lambda: driver.run is not None and driver.run.request.seed == 12)
        assert focused() is driver.form.fields["run.seed"].input


def assert_only_its_list_changes(driver, box):
    """Only in its open list do keys change a choice, and the wheel never does."""
    draft = driver.draft
    box.setFocus()  # as Tab does
    for key in ("G", "P", "R", "1", "Right", "Left", "PgDown", "PgUp", "Home", "End"):
        if key != "R":  # it races
            driver.press(key)
    down = QPoint(0, -120)
    middle = QPointF(box.rect().center())
    wheel = QWheelEvent(
        middle,
        QPointF(box.mapToGlobal(middle.toPoint())),
        down,
        down,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, wheel)
    assert driver.draft == draft
    assert driver.playback.at_end, "Home and End went to the run"
    row = box.currentIndex()
    for key in ("Space", "Down", "F4"):
        driver.press(key)
        assert box.view().isVisible(), f"{key} opens it"
        QTest.keyClick(box.view(), KEY.Key_Escape)
        driver.wait(lambda: not box.view().isVisible())
    choose_by_keys(box, KEY.Key_Down)
    driver.wait(lambda: box.currentIndex() != row)
    assert driver.draft != draft, "the list of an open box is for the keys"


def test_no_stray_key_and_no_wheel_changes_a_choice(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.finished()
        for box in (driver.form.presets, driver.form.algorithm_form.algorithm):
            driver.window.centralWidget().setFocus()
            driver.press("End")
            assert_only_its_list_changes(driver, box)


def test_space_after_a_refused_run_empties_no_field(qtbot):
    with driven(qtbot, layout="talk") as driver:
        driver.wait(lambda: driver.drafts.instance is not None)
        driver.type_into("algorithm.base", "100")
        driver.press("Ctrl+R")
        field = driver.form.algorithm_form.fields["algorithm.base"].input
        driver.wait(field.hasFocus)
        assert field.selectedText() == "100"
        driver.press("Space")
        assert field.text() == "100"
        QTest.keyClicks(field, "3")
        assert field.text() == "3", "anything else replaces it"
