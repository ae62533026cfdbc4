"""The log: what happened, in order, with the time, to be copied; errors with their reports."""

import re

from PySide6.QtGui import QDesktopServices, QGuiApplication

from gems_gui.drafts.run_request import FAILED, Ending
from gems_gui.workbench.messages import LONGEST
from tests.gui.window_driver import SMALL, driven


def log_of(driver):
    return driver.window.run_list.log_dock


def sentences(driver):
    return [entry.sentence for entry in log_of(driver).entries]


def test_runs_files_and_messages_are_written_down_in_order(qtbot, tmp_path):
    with driven(qtbot, layout="talk") as driver:
        assert not log_of(driver).isVisible()
        driver.start()
        driver.finish()
        name = driver.run.name
        driver.window.files.save_run(str(tmp_path / "kept.gems"), driver.trace)
        driver.wait(lambda: driver.run.saved)
        driver.window.open_files([str(tmp_path / "missing.json")])
        driver.said()
        driver.wait(lambda: len(sentences(driver)) >= 5)
        said = sentences(driver)
        assert said[0] == f"Started {name}."
        assert said[1].startswith(f"{name}: The run has finished")
        assert f"Saved the run as {tmp_path / 'kept.gems'}." in said[2:]
        last = log_of(driver).entries[-1]
        assert "missing.json" in last.sentence
        assert last.kind == "error"


def test_an_error_is_coloured_and_copied_with_its_report(qtbot):
    with driven(qtbot, layout="talk") as driver:
        log = log_of(driver)
        driver.do("show_log")
        assert log.isVisible()
        driver.workbench.messages.show("Only this happened.")
        driver.workbench.fail(Ending(99, FAILED, "It broke.", "the report"))
        driver.wait(lambda: "It broke." in sentences(driver))
        at = sentences(driver).index("It broke.")
        theme = driver.theme
        assert log.list.item(at).foreground().color() == theme.color("error")
        assert log.list.item(0).foreground().color() == theme.color("text")
        assert re.fullmatch(r"\d\d:\d\d:\d\d  Only this happened\.", log.list.item(0).text())
        log.list.item(at).setSelected(True)
        log.list.setFocus()
        driver.press("Ctrl+C")
        copied = QGuiApplication.clipboard().text()
        assert "It broke." in copied
        assert "the report" in copied
        assert "Only this" not in copied
        log.list.clearSelection()
        driver.click(log.copy)
        assert "Only this happened." in QGuiApplication.clipboard().text()
        driver.set_look("dark" if theme.name == "light" else "light")
        assert log.list.item(0).foreground().color() == driver.theme.color("text")
        driver.click(log.empty)
        assert sentences(driver) == []


def test_the_messages_of_earlier_windows_are_one_click_away(qtbot, monkeypatch, tmp_path):
    opened, file, viewers = [], tmp_path / "gems-lab.log", [True]
    monkeypatch.setattr("gems_gui.board.log_dock.log_path", lambda: file)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or viewers[0])
    with driven(qtbot, layout="talk") as driver:
        log = log_of(driver)
        driver.do("show_log")
        assert not log.earlier.isEnabled()
        file.write_text("2026-01-01 10:00:00  A run could be repeated by gems run …")
        driver.do("show_log")
        driver.do("show_log")
        driver.click(log.earlier)
        assert opened == [str(file)]
        assert str(file) in log.earlier.toolTip()
        assert driver.message == ""
        viewers[0] = False
        driver.click(log.earlier)
        assert str(file) in driver.said()


def test_the_log_follows_the_newest_forgets_the_oldest_and_is_hidden_at_the_start(qtbot):
    with driven(qtbot, SMALL, layout="talk") as driver:
        log = log_of(driver)
        for number in range(LONGEST + 5):
            driver.workbench.messages.log(f"sentence {number}")
        driver.do("show_log")
        driver.workbench.messages.log("")
        assert sentences(driver)[0] == "sentence 5"
        assert len(sentences(driver)) == LONGEST
        bar = log.list.verticalScrollBar()
        driver.wait(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
        driver.workbench.messages.log("the newest")
        driver.wait(lambda: not log._following.isActive())
        assert log.list.visualItemRect(log.list.item(LONGEST - 1)).bottom() <= log.list.viewport().height()
        driver.click(log.list.viewport())
        driver.press("Home")
        assert bar.value() == 0
        driver.workbench.messages.log("one more")
        driver.qtbot.wait(20)
        assert bar.value() == 0, "the position of a reader is kept"
