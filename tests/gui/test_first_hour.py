"""What annoyed a newcomer in the first hour at the window, by mouse and keys."""

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QScrollArea

from gems_gui.compare.compare_dialog import CompareDialog
from gems_gui.compare.comparison_run_dialog import ComparisonRunDialog
from gems_gui.drafts.draft import FromTable
from gems_gui.drafts.presets import PRESETS
from gems_gui.menus.key_sheet import KeySheet
from gems_gui.panels.paste_dialog import PasteDialog
from gems_gui.theme import RUN_COLORS
from gems_gui.workbench.run_session import COLORS
from gems_gui.workbench.workbench import Page
from tests.gui.sample_runs import point
from tests.gui.stage_driver import arrived, finished, presenter, stage, told
from tests.gui.test_race import MIDDLE, race, settle
from tests.gui.window_driver import LEFT, choose_by_keys, driven

KEY = Qt.Key


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, MIDDLE) as made:
        yield made


class PaintCounter(QObject):
    """Counts the paint events of a widget."""

    def __init__(self, widget):
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def verdict_buttons(driver):
    return [button.text() for button in driver.window.strip._verdict]


def test_algorithms_compared_after_a_race_are_shown_in_place_of_it(driver):
    first = race(driver)
    driver.press("End")
    assert "Race again" in verdict_buttons(driver)
    dialog = driver.opened("Ctrl+Shift+B", ComparisonRunDialog)
    box = next(each for each in dialog.findChildren(QCheckBox) if each.text() == "RAGE, told d⋆")
    driver.click(box, QPoint(8, box.height() // 2))
    driver.click(dialog.go)
    driver.wait(lambda: not driver.window.comparison_runs.runs.busy)
    names = {run.request.algorithm for run in driver.workbench.compared}
    assert names == {"fixed-confidence", "rage", "rage-oracle"}
    assert driver.run is first
    assert not first.race
    assert driver.board.layout_name == "compare"
    assert not driver.window.auto_run.auto.on, "the race had switched it on"
    driver.shown()
    assert len(driver.views["race"].series.lanes) == 3
    # A run that was computed in the background is shown at its end.
    driver.press("Ctrl+L")
    runs = driver.window.run_list.runs_dock
    other = next(run for run in driver.workbench.runs if run.request.algorithm == "rage-oracle")
    index = runs.model.index(driver.workbench.runs.index(other), 0)
    runs.list.scrollTo(index)
    for click in (QTest.mouseClick, QTest.mouseDClick):
        click(runs.list.viewport(), LEFT, pos=runs.list.visualRect(index).center())
    driver.wait(lambda: driver.run is other)
    assert driver.playback.at_end


def test_a_preset_ends_a_race(driver):
    race(driver)
    presets = driver.form.presets
    choose_by_keys(presets, KEY.Key_Home, *[KEY.Key_Down] * presets.findData("budget"))
    driver.wait(lambda: not driver.window.auto_run.auto.busy and driver.run.request.algorithm == "fixed-budget")
    driver.wait(lambda: driver.board.layout_name != "race")
    assert not driver.run.race
    assert not driver.window.auto_run.auto.on
    driver.press("R")
    settle(driver)
    assert {run.request.algorithm for run in driver.run.race} == {"fixed-budget", "rage"}


def test_a_run_of_rage_is_raced_against_gems_and_compared_with_its_own_instance(driver):
    driver.finished()
    ours = driver.run
    driver.type_into("instance.epsilon", "0.4")
    driver.start("Ctrl+Return")
    driver.finish()
    driver.drafts.set_draft(MIDDLE.with_algorithm("rage"))
    driver.start("Ctrl+Return")
    driver.finish()
    driver.press("End")
    assert "Race GEMS" in verdict_buttons(driver)
    dialog = driver.opened("Ctrl+D", CompareDialog)
    comparing = driver.window.comparison.comparing
    assert comparing.other is ours
    driver.wait(lambda: not comparing.busy)
    assert "instances" not in dialog.sentence.text()
    comparing.choose(driver.workbench.runs[1])
    driver.wait(lambda: not comparing.busy)
    assert dialog.sentence.text().startswith("The instances differ.")


def test_compared_runs_have_different_colours(driver):
    assert len(RUN_COLORS) == COLORS
    for seed in range(COLORS + 4):
        driver.type_into("run.seed", str(seed + 1))
        driver.start("Ctrl+Return")
        if seed == 0:
            driver.workbench.pin(driver.run, True)
        colors = [run.color % COLORS for run in driver.workbench.compared]
        assert len(set(colors)) == len(colors)


def test_control_return_goes_to_the_end_of_a_run_that_is_computed(driver):
    driver.finished()
    assert driver.cursor == 0
    driver.press("Ctrl+Return")
    assert driver.playback.at_end
    assert not driver.message
    driver.press("Ctrl+Return")
    assert "has ended" in driver.said()


def test_escape_leaves_a_field_so_that_letters_are_commands(driver):
    driver.finished()
    driver.type_into("run.seed", "12")
    driver.press("Esc")
    assert driver.draft.text("run.seed") == "12"
    driver.press("T")
    assert not driver.workbench.truth
    driver.press("T")
    driver.press("Ctrl+2")
    driver.shown()
    field = driver.views["events"].search_field
    driver.click(field)
    QTest.keyClicks(field, "elim")
    driver.press("Esc")
    assert not field.text()
    assert not field.hasFocus()


def test_a_maximised_view_keeps_the_focus_and_a_floating_one_moves_aside(driver):
    driver.finished()
    view = driver.views["survivors"]
    driver.click(view.plot.viewport())
    focused = QApplication.focusWidget()
    assert view.body.isAncestorOf(focused) or focused is view.body
    for _ in range(2):
        driver.press("Ctrl+M")
        driver.shown()
        assert QApplication.focusWidget() is focused
    before = driver.board.docks["survivors"].mapToGlobal(QPoint())
    driver.press("Ctrl+Shift+M")
    dock = driver.board.docks["survivors"]
    after = dock.mapToGlobal(QPoint())
    assert after.x() != before.x()
    assert after.y() != before.y()
    assert dock.screen().availableGeometry().contains(dock.frameGeometry()), "and all of it can be seen"
    driver.wait(lambda: QApplication.focusWidget() is focused)
    driver.press("Ctrl+Shift+M")
    assert not any(dock.isFloating() for dock in driver.board.docks.values())
    driver.wait(lambda: QApplication.focusWidget() is focused)


def test_a_pasted_sheet_has_no_name_of_another_instance(driver):
    driver.wait(lambda: driver.drafts.instance is not None)
    driver.press("Ctrl+T")
    driver.wait(driver.window.instance_table.editor.view.hasFocus)
    QApplication.clipboard().setText("name,a,b,reward\napple,1,0,0.9\npear,0,1,0.4\n")
    driver.opened("Ctrl+V", PasteDialog)
    driver.press("Return")
    assert isinstance(driver.draft.source, FromTable)
    assert driver.draft.source.title == "Custom instance"
    driver.start("Ctrl+Return")
    assert "paper-hard" not in driver.run.name
    driver.press("Ctrl+Z")
    driver.wait(lambda: driver.drafts.instance is not None)
    assert not isinstance(driver.draft.source, FromTable)


def test_undoing_a_paste_gives_back_the_headers(driver):
    driver.press("Ctrl+N")
    view = driver.window.instance_table.editor.view
    driver.wait(view.hasFocus)
    driver.wait(lambda: driver.drafts.instance is not None)
    shape = driver.drafts.instance.arms.shape
    header = view.horizontalHeader().viewport()

    def cell():
        driver.click(view.viewport(), view.visualRect(view.model().index(0, 1)).center())

    cell()
    before = header.grab().toImage()
    rows = "\n".join(",".join("1" if i == j else "0" for j in range(shape[1])) for i in range(shape[0]))
    QApplication.clipboard().setText(",".join("pqrstuvwxyz"[: shape[1]]) + f"\n{rows}\n")
    driver.opened("Ctrl+V", PasteDialog)
    driver.press("Return")
    driver.wait(lambda: header.grab().toImage() != before)
    QApplication.processEvents()  # it is painted
    paints = PaintCounter(header)
    driver.press("Ctrl+Z")
    driver.wait(lambda: paints.count > 0)
    cell()  # headers show which cells are selected
    assert header.grab().toImage() == before


def test_a_paste_and_its_undoing_leave_the_keys_to_the_table(driver):
    driver.press("Ctrl+N")
    view = driver.window.instance_table.editor.view
    driver.wait(view.isVisible)
    driver.wait(lambda: driver.drafts.instance is not None)
    QApplication.clipboard().setText("name,a,b,reward\nu,1,0,0.7\nv,0,1,0.1\nw,1,1,0.4\n")
    driver.click(view.viewport(), view.visualRect(view.model().index(0, 1)).center())
    for _ in range(2):
        driver.opened("Ctrl+V", PasteDialog)
        driver.press("Return")
        driver.wait(lambda: (found := driver.drafts.instance) is not None and found.arm_label(0) == "u")
        assert driver.window.focusWidget() is view
        driver.press("Ctrl+Z")
        driver.wait(lambda: (found := driver.drafts.instance) is not None and found.arm_label(0) != "u")
        assert driver.window.focusWidget() is view


def test_the_pointer_of_the_ruler_stays_under_the_mouse(qtbot):
    with driven(qtbot, PRESETS["gems-c-steps"].draft) as driver:
        ruler = driver.form.algorithm_form.fields["algorithm.selection_budget"].ruler
        driver.wait(lambda: ruler.ruler is not None and ruler.ruler.ends is not None and ruler.isVisible())
        to = QPoint(round(0.45 * ruler.width()), 6)
        QTest.mousePress(ruler, LEFT, pos=QPoint(round(ruler.x_of(ruler.ruler.present)), 6))
        QTest.mouseMove(ruler, to)
        QTest.mouseRelease(ruler, LEFT, pos=to)
        driver.wait(lambda: driver.drafts.instance is not None)
        assert abs(ruler.x_of(ruler.ruler.present) - to.x()) < 5
        QApplication.sendEvent(ruler, QEvent(QEvent.Type.Leave))
        assert ruler._held is None


def test_the_keys_of_a_story_in_the_window_fit_and_return_the_focus(qtbot, monkeypatch):
    with finished(qtbot, monkeypatch) as driver:
        told(driver)
        presenter(driver).begin(driver.run, full_screen=False)
        arrived(driver, 0)
        QTest.keyClick(stage(driver), KEY.Key_Question)
        (sheet,) = stage(driver).findChildren(KeySheet)
        sheet.activateWindow()
        driver.wait(sheet.isActiveWindow)
        (area,) = sheet.findChildren(QScrollArea)
        wanted, room = area.widget().minimumSizeHint().width(), 0.94 * sheet.screen().availableSize().width()
        assert wanted <= area.viewport().width() or sheet.width() >= room, "as wide as its text, or as the screen"
        QTest.keyClick(sheet, KEY.Key_Escape)
        driver.window.activateWindow()  # as the desktop does
        driver.wait(lambda: stage(driver).hasFocus())
        QTest.keyClick(QApplication.focusWidget(), KEY.Key_Right)
        arrived(driver, 1)


def test_the_text_at_the_mouse_follows_the_run_and_the_truth(driver):
    race(driver)
    driver.press("End")
    driver.wait(lambda: not driver.window.race.seeds.busy)
    driver.shown()
    seeds, lanes = driver.views["seeds"].plot, driver.views["race"].plot
    seeds.point_at(QPointF(point(seeds, 3, seeds.box.viewRange()[1][0] + 0.1)))
    assert seeds.readout.isVisible()
    assert "right" in seeds.readout.text()
    lanes.point_at(QPointF(lanes.viewport().rect().center()))
    before = lanes.readout.text()
    assert "right" in before or "wrong" in before
    driver.press("T")
    driver.shown()
    assert not seeds.readout.isVisible()
    assert "right" not in lanes.readout.text()
    assert "wrong" not in lanes.readout.text()
    assert "↓" not in lanes.statusTip(), "the race has nothing to select"


def test_the_menu_run_fits_a_small_screen(driver):
    menu = driver.actions.menu("Run")
    assert menu.sizeHint().height() < 700
    assert {"Next event", "Go to ℓ, i, k…"} <= {each.text() for each in driver.actions.menu("Run/Go").actions()}


def test_without_a_view_maximising_and_floating_say_what_to_do(driver):
    driver.finished()
    driver.workbench.show_page(Page.WELCOME)
    for key in ("Ctrl+M", "Ctrl+Shift+M"):
        driver.press(key)
        assert driver.message == "No view is shown here. Press Ctrl+1 for the views of the run.", key
        driver.workbench.messages.dismiss()
    driver.press("Ctrl+1")
    driver.press("Ctrl+M")
    assert driver.board.maximised is not None
