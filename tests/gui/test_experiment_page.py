"""The page of experiments: chosen, edited, run, watched; a trial's run is the trial, and nothing is lost."""

from functools import partial
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from gems_engine.cli import main
from gems_engine.experiment import run_trials
from gems_engine.experiment.folder import Recorder, read_rows
from gems_engine.experiment.harness import Harness
from gems_engine.experiment.library import built_in
from gems_engine.experiment.plots import plots_of
from gems_engine.experiment.tables import tables_of
from gems_engine.experiment.theory import bounds_of_cell
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import failed as failed_row
from gems_engine.experiment.trials import run_trial
from gems_engine.summary import summarise
from gems_gui.background.queries import Queries
from gems_gui.experiments.live_summary import LiveSummary
from gems_gui.experiments.page import HIDDEN
from gems_gui.help.context import page_meant
from gems_gui.workbench.changes import Publisher
from gems_gui.workbench.jobs import Jobs
from tests.engine.experiments import SMALL, by_index
from tests.gui.window_driver import driven

FRESH = """
title = "Each trial its own"
trials = 3
seed = 7

[instance]
family = "gaussian"
n = 6
D = 3
d_star = 2
new_each_trial = true

[stop]
samples = 2_000

[[algorithm]]
name = "fixed-confidence"
"""
LONG = SMALL.replace("trials = 4", "trials = 50_000")


class PageDriver:
    """The page and the hands of its user."""

    def __init__(self, driver, folder):
        self.driver, self.window, self.folder = driver, driver.window, folder
        self.wait = driver.wait

    @property
    def experiments(self):
        return self.window.experiments

    @property
    def page(self):
        return self.experiments.page

    def open(self, text=None, name="own"):
        """Open the page, and a file of one's own in it."""
        if not self.experiments.is_open:
            self.driver.press("Ctrl+Shift+X")
        if text is not None:
            path = self.folder / f"{name}.toml"
            path.write_text(text)
            self.window.open_files([str(path)])
            self.wait(lambda: self.experiments.choice.session.chosen.path == str(path))
        self.wait(lambda: not self.experiments.choice.is_pending)
        self.experiments.choice.set_folder(str(self.folder / "results"))

    def start(self):
        self.driver.click(self.page.spec_picker.start)
        self.wait(lambda: self.experiments.live_summary.running)

    def finish(self):
        live = self.experiments.live_summary
        self.wait(lambda: not live.running and live.summariser.idle)

    def run(self, text=SMALL):
        self.open(text)
        self.start()
        self.finish()

    def rows(self):
        return by_index(read_rows(self.folder / "results"))

    def lines(self):
        model = self.page.trials.model
        return [model.line_at(row) for row in range(model.rowCount())]


@pytest.fixture
def page(qtbot, tmp_path):
    with driven(qtbot, layout="talk") as driver:
        yield PageDriver(driver, tmp_path)


@pytest.fixture(scope="module")
def serial():
    said = parse_specification(SMALL, "own")
    return list(run_trials(said.missing(bytearray())))


def test_chosen_and_run_it_has_the_rows_of_the_command(page, serial, capsys):
    page.run()
    (page.folder / "by-command.toml").write_text(SMALL)
    assert main(["experiment", str(page.folder / "by-command.toml"), "--jobs", "0", "-o", str(page.folder / "c")]) == 0
    assert page.rows() == by_index(read_rows(page.folder / "c")) == serial
    assert [line.index for line in page.lines()] == [row.index for row in serial]
    assert [(line.seed, line.right, line.tau, line.samples) for line in page.lines()] == [
        (row.seed, row.correct, row.tau, row.samples) for row in serial
    ]
    picker = page.page.spec_picker
    assert picker.progress.text_shown == "16 of 16 trials."
    assert (picker.bar.value(), picker.bar.maximum()) == (16, 16)
    assert (picker.start.text(), picker.start.isEnabled()) == ("Complete", False)
    picker.trials.setFocus()
    QTest.keyClicks(picker.trials, "5")
    assert (picker.start.text(), picker.start.isEnabled()) == ("Continue", True)
    assert picker.progress.text_shown == "16 of 20 trials."
    assert (picker.bar.value(), picker.bar.maximum()) == (16, 20)
    page.start()
    page.finish()
    assert len(page.rows()) == 20
    assert page.rows()[:16] == serial


def test_plots_and_numbers_are_those_of_the_summary(page, serial):
    page.run()
    experiments = page.experiments
    live, shown = experiments.live_summary, page.page.pictures
    page.wait(lambda: len(live.bounds) == 4 and not experiments.queries.busy("experiment pictures"))
    summary = Harness(live.specification)
    summary.measures.extend(page.rows())
    known = plots_of(summary.summary(), live.bounds, float(shown.room))
    assert {name: each.svg for name, each in shown.pictures.items()} == known
    assert "samples" in known
    assert any(live.bounds.values())
    texts = [each.text for each in ElementTree.fromstring(shown.pictures["success"].svg).iter() if each.text]
    assert "100 % [51, 100]" in texts
    page.page.show_tab("Numbers")
    flat = [row for table in tables_of(summary.summary()) for row in ((table.title,), *table.rows)]
    assert page.page.numbers.lines == flat
    numbers = page.page.numbers
    texts = [numbers.fontMetrics().horizontalAdvance(line[2]) for line in numbers.lines if len(line) > 2]
    assert numbers.columnWidth(2) >= max(texts) + 15, "a gap between the columns"
    numbers.setFixedWidth(numbers.columnWidth(0) + 100)
    page.wait(lambda: numbers.horizontalScrollBar().maximum() > 0)
    assert numbers.frozen.isHidden()
    numbers.horizontalScrollBar().setValue(numbers.horizontalScrollBar().maximum())
    frozen = numbers.frozen
    assert frozen.isVisible(), "the names of the rows stay in sight"
    starts = [numbers.columnViewportPosition(column) for column in range(1, numbers.model().columnCount())]
    assert frozen.width() in starts, "a whole column is next to them"
    for row in range(3):
        name, number = (
            frozen.visualRect(frozen.model().index(row, 0)),
            numbers.visualRect(numbers.model().index(row, 1)),
        )
        assert (name.top(), name.height()) == (number.top(), number.height())
        assert name.left() == 0
    assert ("RAGE, in the paper", "100 %", "25 %") in flat
    image = shown.grab().toImage()
    page.page.show_tab("Plots")
    page.wait(shown.isVisible)
    page.driver.set_look("dark")
    page.wait(lambda: "#22272E" in shown.pictures["success"].svg)
    dark = shown.grab().toImage()
    assert dark.pixelColor(12, 60).lightness() < 80 < image.pixelColor(12, 60).lightness()
    experiments.experiment_markdown()
    assert "| RAGE, in the paper | 100 % | 25 % |" in QGuiApplication.clipboard().text()
    experiments.experiment_csv()
    assert QGuiApplication.clipboard().text().count("\n") == 5


@pytest.mark.parametrize("text", [SMALL, FRESH], ids=["one instance", "an instance for every trial"])
def test_a_trial_is_opened_as_the_run_that_it_was(page, text):
    page.run(text)
    page.page.show_tab("Trials")
    table = page.page.trials.table
    row = page.rows()[2]
    table.selectRow(2)
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Return)
    page.wait(lambda: page.driver.run is not None)
    run, bar = page.driver.run, page.driver.difference_bar
    assert bar.isVisible()  # the form has other settings, as for any run that is opened
    page.driver.finish()
    assert page.driver.shown() == len(run.trace), "at its end, with its verdict"
    found = summarise(run.trace)
    for name in ("correct", "recommendation", "samples", "tau", "first_right", "changes", "rounds", "finish"):
        assert getattr(found, name) == getattr(row, name), name
    assert run.request.seed == row.seed
    assert run.name.startswith("own, trial 2: ")
    assert not page.experiments.is_open
    assert page.driver.board.isVisible()
    assert bar.isVisible()
    page.driver.press("Ctrl+Shift+X")
    assert bar.isHidden()  # its buttons are about the other page
    page.driver.press("Ctrl+Shift+X")
    page.driver.click(bar.buttons["Revert form"])
    page.wait(bar.isHidden)
    assert page.driver.draft.seed_value() == row.seed
    assert page.window.run_list.runs_dock.model.row_of(run) >= 0


def test_another_seed_makes_other_instances_and_so_has_other_bounds(qtbot, tmp_path):
    queries = Queries(in_thread=True)
    live = LiveSummary(queries, Jobs(Publisher()), in_thread=True)
    said = parse_specification(FRESH, "own")
    for seed in (7, 8):
        live.start(said.with_(1, seed), str(tmp_path / f"{seed}"))
        qtbot.waitUntil(lambda: not live.running and bool(live.bounds))
        assert live.bounds == {0: bounds_of_cell(said.with_(1, seed), 0)}
    live.close()
    queries.close()


def test_paused_it_begins_no_trial_and_cancelled_it_is_gone_on_with(page, tmp_path):
    page.open(LONG)
    live, picker = page.experiments.live_summary, page.page.spec_picker
    page.start()
    page.wait(lambda: len(page.lines()) > 3)
    assert picker.start.text() == "Running"
    page.wait(lambda: page.experiments.tabs.tabText(1).endswith(" %"))
    assert page.experiments.tabs.width() >= page.experiments.tabs.sizeHint().width()
    page.driver.click(picker.pause)
    assert live.paused
    assert (picker.pause.text(), picker.start.text()) == ("Resume", "Paused")
    assert "Its finished trials are kept" in page.driver.workbench.jobs.at_close
    control = live.trials.job.harness.control
    assert control.paused
    page.wait(lambda: "paused" in picker.progress.text_shown)
    page.driver.click(picker.pause)
    assert not control.paused
    there = len(page.lines())
    page.wait(lambda: len(page.lines()) > there)
    page.driver.click(picker.cancel)
    page.wait(lambda: not live.running)
    done = page.rows()
    assert len(done) == len(page.lines()) < len(live.specification)
    # Go on, with fewer trials than were asked for: only what is missing is run.
    trials = len(done) // 4 + 2
    picker.trials.setText(str(trials))
    page.experiments.choice.refresh()
    assert picker.start.text() == "Continue"
    page.start()
    page.finish()
    said = parse_specification(LONG, "own").with_(trials)
    assert page.rows() == list(run_trials(said.missing(bytearray())))
    assert sorted(line.index for line in page.lines()) == list(range(len(said)))


def test_a_folder_of_results_is_shown_and_gone_on_with_and_another_is_refused(page, serial):
    said = parse_specification(SMALL, "own")
    with Recorder(page.folder / "half", said, "a test") as recorder:
        for row in serial[:7]:
            recorder.add(row)
    page.open()
    page.window.open_files([str(page.folder / "half")])  # as gems window FOLDER does
    page.wait(lambda: len(page.lines()) == 7)
    page.finish()
    picker = page.page.spec_picker
    assert picker.progress.text_shown == "7 of 16 trials."
    assert page.driver.notice.isHidden(), page.driver.notice.sentence.text()
    assert (picker.seed.text(), picker.trials.text()) == ("5", "4")
    assert page.experiments.live_summary.summary.done == 7
    page.start()
    page.finish()
    assert by_index(read_rows(page.folder / "half")) == serial
    assert len(page.lines()) == 16
    picker.seed.setText("6")
    page.experiments.choice.refresh()
    assert "The results in this folder have seed 5, not 6" in picker.error.text_shown
    assert picker.folder.property("invalid") == "true"
    page.open(FRESH)
    page.experiments.choice.set_folder(str(page.folder / "half"))
    assert picker.folder.toolTip() == str(page.folder / "half")
    picker.folder.clearFocus()
    assert picker.folder.shown.startswith("…")
    assert picker.folder.shown.endswith("/half")
    assert 'another specification, "own"' in picker.error.text_shown
    assert not picker.start.isEnabled()
    page.experiments.open_results(str(page.folder))
    assert page.driver.said() == f"{page.folder} is not a folder of results: it has no rows.jsonl."


def test_a_folder_that_is_complete_says_so_and_is_shown_also_when_it_is_not_opened_as_results(page, serial):
    with Recorder(page.folder / "results", parse_specification(SMALL, "own"), "a test") as recorder:
        for row in serial:
            recorder.add(row)
    page.open(SMALL)
    page.wait(lambda: len(page.lines()) == 16)
    page.finish()
    picker = page.page.spec_picker
    assert (picker.start.text(), picker.progress.text_shown) == ("Complete", "16 of 16 trials.")
    assert page.experiments.live_summary.summary.done == 16
    page.experiments.choice.choose(f"built-in:{built_in()['budget']}")
    page.wait(lambda: not page.experiments.choice.is_pending)
    page.experiments.choice.set_folder(str(page.folder / "new"))
    assert (picker.start.text(), picker.progress.text_shown, picker.bar.isVisible()) == ("Start", "", False)


def test_a_bad_key_is_said_and_marked_and_edits_are_never_lost(page):
    page.open(SMALL)
    page.page.show_tab("Specification")
    editor, choice = page.page.editor, page.experiments.choice
    at = SMALL.splitlines().index("d_star = 3")
    cursor = editor.text.textCursor()
    cursor.setPosition(SMALL.index("d_star"))
    editor.text.setTextCursor(cursor)
    QTest.keyClicks(editor.text, "x")
    page.wait(lambda: bool(editor.sentence.text_shown))
    assert editor.sentence.text_shown == 'instance 1: Unknown key "xd_star": did you mean "d_star"?'
    assert editor.line == at
    assert [each.cursor.blockNumber() for each in editor.text.extraSelections()] == [at]
    assert page.page.spec_picker.error.text_shown == editor.sentence.text_shown
    assert not page.page.spec_picker.start.isEnabled()
    own = choice.session.chosen
    assert [each.name for each in page.experiments.unsaved()] == ["own"]
    choice.choose(next(each.key for each in choice.session if each.name == "budget"))
    page.wait(lambda: not choice.is_pending)
    assert editor.text.toPlainText() == built_in()["budget"].read_text()
    assert page.page.spec_picker.size_text.text_shown == "20 cells × 200 trials = 4\u202f000"
    choice.choose(own.key)
    assert "xd_star" in editor.text.toPlainText()
    # Closing asks, and saves.
    assert not page.window.close()
    dialog = page.window.closing.dialog
    assert [each.title for each in dialog.items] == ["The specification own, edited"]
    dialog.rows[0].save.click()
    page.wait(lambda: any(each.isVisible() for each in page.window.findChildren(QFileDialog)))
    page.driver.answer(page.folder / "kept.toml")
    page.wait(lambda: not page.window.isVisible())
    assert (page.folder / "kept.toml").read_text() == SMALL.replace("d_star", "xd_star")
    assert (page.folder / "own.toml").read_text() == SMALL


def test_a_failing_trial_is_listed_with_its_error_and_can_be_filtered(page, monkeypatch):
    def run(trial, stop):
        return failed_row(trial, "It broke.") if trial.index in (3, 9) else run_trial(trial, stop)

    monkeypatch.setattr("gems_engine.experiment.harness.run_trials", partial(run_trials, work=run))
    page.run()
    page.page.show_tab("Trials")
    trials = page.page.trials
    assert [row.index for row in page.rows() if row.error] == [3, 9]
    trials.failed.click()
    assert [(line.index, line.error) for line in page.lines()] == [(3, "It broke."), (9, "It broke.")]
    assert [trials.model.index(0, column).data() for column in (3, 4, 7)] == ["failed", "–", "It broke."]
    assert trials.count.text == "2 of 16 trials"
    assert page.page.spec_picker.progress.text_shown == "16 of 16 trials, 2 failed."
    trials.failed.click()
    trials.table.sortByColumn(4, Qt.SortOrder.DescendingOrder)
    taus = [line.tau for line in page.lines()]
    known = [tau for tau in taus if tau is not None]
    assert taus == [None] * (len(taus) - len(known)) + sorted(known, reverse=True)
    heads = [trials.model.headerData(at, Qt.Orientation.Horizontal) for at in range(trials.model.columnCount())]
    assert [head for head in heads if head[-1] in "▲▼"] == ["τ ▼"]
    trials.cell.setCurrentIndex(2)
    assert {line.index % 4 for line in page.lines()} == {1}


def test_with_processes_of_its_own_it_is_drawn_while_it_runs_and_closing_keeps_the_rows(qtbot, tmp_path, serial):
    with driven(qtbot, in_thread=False, layout="talk") as driver:
        page = PageDriver(driver, tmp_path)
        page.wait = partial(qtbot.waitUntil, timeout=60_000)  # for three processes that start
        page.open(LONG)
        page.page.spec_picker.jobs.setText("1")
        page.start()
        page.wait(lambda: len(page.lines()) > 8 and "success" in page.page.pictures.pictures)
        live = page.experiments.live_summary
        assert live.running
        assert driver.window.close()
        assert not live.running
    rows = page.rows()
    assert len(rows) == len(live.store) > 8
    assert rows[:8] == serial[:8]


def test_the_report_is_written_into_the_folder(page, monkeypatch):
    opened = []
    monkeypatch.setattr("gems_gui.experiments.experiment_controller.QDesktopServices.openUrl", opened.append)
    page.run()
    page.driver.click(page.page.report)
    page.wait(lambda: bool(opened))
    assert opened[0].toLocalFile() == str(page.folder / "results" / "report.html")
    assert "A small one" in (page.folder / "results" / "report.html").read_text()


def test_hiding_the_truth_hides_what_the_trials_say(page):
    page.run()
    page.page.show_tab("Trials")
    page.page.trials.table.setFocus()
    listed = page.page.spec_picker.source
    assert any("d⋆" in listed.itemText(at) for at in range(listed.count()))
    built_in = next(at for at in range(listed.count()) if "paper-table-1" in listed.itemData(at))
    assert listed.itemData(built_in, 3).endswith("Id: paper-table-1")
    assert "paper-table-1" not in listed.itemText(built_in)
    QTest.keyClick(page.page.trials.table, Qt.Key.Key_T)
    assert not page.driver.workbench.truth
    assert not any("d⋆" in listed.itemText(at) + str(listed.itemData(at, 3)) for at in range(listed.count()))
    assert page.page.veil.isVisible()
    assert page.page.veil.text() == HIDDEN
    assert not page.page.stack.isVisible()
    assert not page.page.spec_picker.about.isVisible()
    assert page.page.spec_picker.title.text_shown == "own"
    assert page.page.spec_picker.progress.text_shown == "16 of 16 trials."
    for name in ("experiment_report", "experiment_markdown", "experiment_csv", "experiment_save_as"):
        assert not page.window.action_set[name].isEnabled()
    page.driver.workbench.set_truth(True)
    assert page.page.stack.isVisible()
    assert page.window.action_set["experiment_report"].isEnabled()


def test_page_board_and_debugger_share_one_place(page):
    window, tabs = page.window, page.window.experiments.tabs
    page.open()
    assert (tabs.currentIndex(), window.board.isVisible(), window.form.isVisible()) == (1, False, False)
    assert page_meant(window) == "topics/experiments"
    page.driver.press("Ctrl+Shift+D")
    assert (window.designs.is_open, page.experiments.is_open, window.board.isVisible()) == (True, False, False)
    assert not window.action_set["experiments"].isChecked()
    page.driver.press("Ctrl+Shift+X")
    assert (window.designs.is_open, page.experiments.is_open) == (False, True)
    page.driver.press("Ctrl+1")  # a layout of the board
    assert (page.experiments.is_open, window.board.isVisible(), window.form.isVisible()) == (False, True, True)
    page.driver.click(tabs, tabs.tabRect(1).center())
    assert page.experiments.is_open
    page.driver.click(page.page.close_button)
    assert (tabs.currentIndex(), page.experiments.is_open) == (0, False)


def test_a_folder_that_is_typed_stays_and_an_empty_one_is_proposed_again(page):
    page.driver.press("Ctrl+Shift+X")
    page.experiments.choice.choose(f"built-in:{built_in()['budget']}")
    page.wait(lambda: not page.experiments.choice.is_pending)
    field, start = page.page.spec_picker.folder, page.page.spec_picker.start
    proposed = field.text()
    page.driver.click(field)
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(field, str(page.folder / "typed"))
    assert field.text() == str(page.folder / "typed") == page.experiments.choice.folder
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert not field.text()
    assert not start.isEnabled()
    assert page.page.spec_picker.error.text_shown == "Choose a folder for the results."
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert field.text() == proposed
    assert start.isEnabled()
