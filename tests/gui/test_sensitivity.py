"""Sensitivity in the window: one click from a field to a curve whose numbers are those of an experiment."""

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from gems_engine.experiment.harness import Harness
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.running import Run
from tests.gui.sample_runs import point
from tests.gui.window_driver import LEFT, choose_in_list, driven, write


@pytest.fixture
def driver(qtbot):
    with driven(qtbot, layout="talk") as made:
        made.wait(lambda: made.drafts.instance is not None)
        yield made


def ask(driver, name, values, trials=3):
    """Open it from the field of a parameter, as a right click does, and run it."""
    field = driver.form.algorithm_form.fields[f"algorithm.{name}"]
    driver.choose_in_context(field.label, f"Sensitivity of {field.label_text}…")
    handlers = driver.window.sensitivity
    dock = handlers.dock
    assert dock.parameter.currentData() == name
    assert field.text in dock.values.text()
    write(dock.values, values)
    write(dock.trials, str(trials))
    driver.click(dock.start)
    driver.wait(lambda: not handlers.running)
    return dock, handlers


def test_from_a_field_to_a_curve_its_numbers_its_file_and_a_run(driver):
    dock, _ = ask(driver, "delta", "0.01, 0.1, 0.5")
    series = dock.plots.series
    assert (series.done, dock.refusal.text()) == (9, "")
    driver.click(dock.toml)
    said = parse_specification(QGuiApplication.clipboard().text(), "x")
    assert said.xs == (0.01, 0.1, 0.5)
    harness = Harness(said)
    harness.run()
    cells = harness.summary().cells
    driver.click(dock.copy)
    rows = list(csv.DictReader(io.StringIO(QGuiApplication.clipboard().text())))
    assert [float(row["delta"]) for row in rows] == [0.01, 0.1, 0.5]
    for row, cell, drawn in zip(rows, cells, series.success.T, strict=True):
        assert float(row["success"]) == cell.success.share == drawn[0]
        assert (float(row["success_low"]), float(row["success_high"])) == (cell.success.low, cell.success.high)
        assert int(row["without_tau"]) == cell.measured["tau"].censored
    left = [each.plot.y_axis.width() for each in (dock.plots.tau, dock.plots.success)]
    assert left[0] == left[1] > 0
    named = [text for *_, text in dock.plots.success.plot.y_axis.generateDrawSpecs(None)[2]]
    assert {"0 %", "100 %"} <= set(named)
    x, y = dock.plots.success.points.getData()
    assert y.tolist() == [cell.success.share for cell in cells]
    assert x.tolist() == series.x.tolist()
    # The trials of a point are listed, and one of them is opened: the same run, with the same seed and value.
    plot = dock.plots.success.plot
    driver.click(plot.viewport(), point(plot, x[1], sum(plot.box.viewRange()[1]) / 2))
    assert dock.list.count() == 3
    assert dock.heading.text().startswith("δ = 0.1 · median τ ")
    assert " · seed " in dock.list.item(0).text()
    first = dock.list.visualItemRect(dock.list.item(0)).center()
    driver.click(dock.list.viewport(), first)
    QTest.mouseDClick(dock.list.viewport(), LEFT, pos=first)
    driver.wait(lambda: driver.run is not None)
    driver.finish()
    request = driver.run.request
    assert request.parameters["delta"] == 0.1
    assert request.seed in {said.trial(index).seed for index in (1, 4, 7)}
    assert driver.trace[:] == Run(request.instance, request.algorithm, request.seed, **request.parameters).finish()[:]
    assert driver.run.draft.text("algorithm.delta") == "0.1"
    driver.press("T")
    assert dock.plots.series is None
    assert not dock.list.count()
    assert not dock.copy.isEnabled()


def test_choices_are_categories_and_what_makes_no_sense_is_said(driver):
    dock, handlers = ask(driver, "rounding", "quadratic, linear", trials=1)
    assert [name for _, name in dock.plots.series.names] == ["quadratic", "linear"]
    for values, trials, word in (("", "1", "values"), ("quadratic, cubic", "1", "cubic"), ("linear", "x", "trials")):
        write(dock.values, values)
        write(dock.trials, trials)
        driver.click(dock.start)
        assert word in dock.refusal.text()
        assert not handlers.running
    driver.drafts.set_draft(driver.draft.with_algorithm("rage"))
    assert dock.parameter.currentData() == "rounding"
    driver.press("Ctrl+J")
    assert dock.parameter.findData("base") < 0


def test_it_is_cancelled_at_once_and_another_takes_its_place(driver):
    handlers = driver.window.sensitivity
    driver.press("Ctrl+J")
    write(handlers.dock.trials, "5000")
    driver.click(handlers.dock.start)
    driver.wait(lambda: handlers.dock.plots.series is not None and handlers.dock.plots.series.done > 0)
    write(handlers.dock.values, "0.2, 0.3", Qt.Key.Key_Return)
    driver.wait(lambda: handlers.asked.values == (0.2, 0.3))
    assert [job.title for job in driver.workbench.jobs.running] == [f"Sensitivity to {handlers.asked.label}"]
    driver.click(handlers.dock.stop)
    driver.wait(lambda: not handlers.running)
    assert handlers.dock.plots.series.done < 10_000
    assert not driver.workbench.jobs.running


def test_a_parameter_is_called_as_in_the_form_everywhere(driver):
    driver.press("Ctrl+J")
    dock = driver.window.sensitivity.dock
    choose_in_list(dock.parameter, "max_samples")
    write(dock.values, "100, abc")
    write(dock.trials, "2")
    driver.click(dock.start)
    assert dock.refusal.text().startswith("Sample cap = abc is not allowed: it must be a whole number")
    dock, _ = ask(driver, "max_samples", "1e3, 2e3")
    assert [each.plot.x_axis.labelText for each in (dock.plots.tau, dock.plots.success)] == ["Sample cap"] * 2
    assert dock.plots.series.words(0).startswith("Sample cap = 1")
