"""The map on the experiments page: it is drawn with its cells, and a click or a key opens the runs of a cell."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from gems_engine.experiment import words
from gems_engine.summary import summarise
from tests.engine.test_where_it_pays import D_BY_GAP, EPSILON_BY_D
from tests.gui.test_experiment_page import PageDriver
from tests.gui.window_driver import driven

TEXTS = {
    "one instance": EPSILON_BY_D.replace("trials = 11", "trials = 3"),
    "an instance for every trial": D_BY_GAP.replace("trials = 7", "trials = 3"),
}


@pytest.fixture
def page(qtbot, tmp_path):
    with driven(qtbot, layout="talk") as driver:
        yield PageDriver(driver, tmp_path)


def drawn(page, text):
    """Run the experiment, and return its map as soon as it shows all trials."""
    page.run(text)
    summary = page.experiments.live_summary.summary
    shown = page.page.pictures
    texts = [words.ratio(each) for each in summary.ratios]
    page.wait(lambda: "map" in shown.pictures and all(f">{each}<" in shown.pictures["map"].svg for each in texts))
    page.wait(lambda: not page.experiments.queries.busy("experiment pictures"))
    return shown.pictures["map"], summary


def centre(picture, cell):
    return picture.area(cell).center().toPoint()


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_a_click_on_a_cell_opens_both_runs_of_its_median_trial(page, text):
    picture, summary = drawn(page, text)
    assert next(iter(page.page.pictures.pictures)) == "map"  # on top
    ratio = summary.ratios[-1]
    QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=centre(picture, ratio.of.index))
    workbench = page.window.workbench
    page.wait(lambda: len(workbench.runs) == 2)
    assert not page.experiments.is_open
    page.driver.actions["run_to_end"].trigger()
    page.wait(lambda: all(run.playback.ended for run in workbench.runs))
    said, rows = summary.specification, page.rows()
    first = ratio.trial * len(said.cells)
    for run, cell in zip(workbench.runs, (ratio.over, ratio.of), strict=True):
        row = rows[first + cell.index]
        found = summarise(run.trace)
        assert (run.request.algorithm, run.request.seed) == (row.algorithm, row.seed)
        assert [getattr(found, name) for name in ("tau", "samples", "recommendation", "correct", "finish")] == [
            getattr(row, name) for name in ("tau", "samples", "recommendation", "correct", "finish")
        ]
    shown, other = workbench.runs
    assert workbench.active is shown
    assert workbench.compared == (shown, other)
    assert shown.name.startswith(f"own, trial {first + ratio.over.index}: ")


def test_another_cell_is_compared_alone_and_all_runs_are_kept(page):
    picture, summary = drawn(page, TEXTS["one instance"])
    workbench = page.window.workbench
    for count, ratio in ((2, summary.ratios[0]), (4, summary.ratios[1])):
        page.open()
        QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=centre(picture, ratio.of.index))
        page.wait(lambda count=count: len(workbench.runs) == count)
    assert [run.pinned for run in workbench.runs] == [False, False, True, True]
    assert workbench.compared == tuple(workbench.runs[2:])


def test_arrows_choose_a_cell_and_enter_opens_it(page):
    picture, summary = drawn(page, TEXTS["one instance"])
    QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=centre(picture, summary.ratios[0].of.index))
    page.wait(lambda: len(page.window.workbench.runs) == 2)  # the arrows of a run are not those of the map
    page.open()
    at = {tuple(each.of.varied.values()): each.of.index for each in summary.ratios}
    asked = []
    picture.asked.disconnect()
    picture.asked.connect(asked.append)
    page.page.pictures.setFocus()
    QTest.keyClick(page.page.pictures, Qt.Key.Key_Tab)
    assert picture.hasFocus()
    QTest.keyClick(picture, Qt.Key.Key_Left)  # no cell there
    seen = [picture.current]
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(picture, key)
        seen.append(picture.current)
    assert seen == [at[each] for each in ((0.3, 2), (0.05, 2), (0.05, 5), (0.05, 5), (1e-3, 5), (1e-3, 2))]
    QTest.keyClick(picture, Qt.Key.Key_Return)
    assert asked == [at[1e-3, 2]]
    QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))  # no cell
    QTest.mouseClick(picture, Qt.MouseButton.RightButton, pos=centre(picture, at[0.3, 5]))
    assert asked == [at[1e-3, 2]]


def test_the_text_at_a_cell_says_its_ratio_and_what_a_click_does(page):
    picture, summary = drawn(page, TEXTS["one instance"])
    for each in summary.ratios:
        text = picture.tips[each.of.index]
        assert words.ratio(each) in text
        assert summary.specification.setting("epsilon", each.of.varied["epsilon"]) in text
        assert "Click to run both algorithms" in text
        assert picture.cell_at(picture.area(each.of.index).center()) == each.of.index


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_cells_are_where_they_are_painted_at_every_font_scale_and_in_both_themes(page, scale):
    picture, summary = drawn(page, TEXTS["one instance"])
    page.driver.set_look(font_scale=scale)
    for look in ("light", "dark"):
        page.driver.set_look(look)
        page.wait(lambda look=look: ("#22272E" in picture.svg) == (look == "dark"))
        page.wait(lambda: not page.experiments.queries.busy("experiment pictures"))
        image = picture.grab().toImage()
        card = image.pixelColor(8, picture.height() // 2)
        for each in summary.ratios:
            area = picture.area(each.of.index)
            assert image.pixelColor(round(area.left() + 3), round(area.top() + 3)) != card
            assert image.pixelColor(round(area.left() + 3), round(area.bottom() - 3)) != card


def test_with_the_truth_hidden_the_map_is_covered(page):
    picture, _ = drawn(page, TEXTS["one instance"])
    page.driver.workbench.set_truth(False)
    assert not picture.isVisible()
