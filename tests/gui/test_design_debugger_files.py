"""The design debugger reads and writes files: weights, problems and certificates."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from gems_engine.cli import main
from gems_engine.design import certify
from tests.engine.certificates import refusal
from tests.gui.debugger_driver import Debugged, save
from tests.gui.window_driver import driven


@pytest.fixture
def opened(qtbot):
    with driven(qtbot, size=(1440, 900), layout="talk") as driver:
        yield Debugged(driver)


# -- files ----------------------------------------------------------------------------------------------------------


def load(opened, path):
    """Certify weights from a file, through the dialog."""
    opened.panel.certify.click()
    opened.driver.answer(path)


def test_certify_mine(opened, tmp_path):
    opened.go_to_design(-1)
    chosen, d = opened.study.subject.chosen, opened.study.subject.d
    arms = len(opened.driver.trace.instance.arms)
    for suffix, first in ((".csv", 1.0), (".npz", 2.0), (".json", 3.0)):
        counts = first + np.arange(arms) ** 2
        file = tmp_path / f"mine{suffix}"
        if suffix == ".csv":
            file.write_text("arm,weight\n" + "".join(f"{arm},{count:g}\n" for arm, count in enumerate(counts)))
        elif suffix == ".npz":
            np.savez(file, weights=counts)
        else:
            file.write_text(json.dumps({"weights": counts.tolist()}))
        load(opened, file)
        wait_for_proof_of(opened, file.name)
        proof = certify(opened.problem(chosen, d), counts)
        assert opened.seen.value == pytest.approx(proof.value)
        assert opened.seen.lower_bound == pytest.approx(proof.lower_bound, rel=1e-6)
        assert opened.seen.worst == proof.worst
        assert opened.rows()[0][0] == file.name
        assert opened.bars("design-weights", "by_hand") == pytest.approx(counts / counts.sum())


def wait_for_proof_of(opened, words):
    """Until the weights from a file are there, with the best proof that was found for them."""

    def there():
        hand = opened.debugger.inquiry.custom
        return hand is not None and hand.label == words and hand.examination is not None

    opened.driver.wait(there)
    opened.shown()


BAD = {
    "0.5\n0.5\n": "There are 2 weights",
    "arm,weight\n0,-1\n": "must be a finite number of at least 0",
    "weight\nheavy\n": "heavy",
    "": "empty",
}


def test_a_bad_file_is_one_sentence_and_nothing_is_lost(opened, tmp_path):
    opened.go_to_design(-1)
    before = opened.study
    for at, (text, words) in enumerate(BAD.items()):
        file = tmp_path / f"mine{at}.csv"
        file.write_text(text)
        load(opened, file)
        opened.driver.wait(lambda f=file: f.name in opened.driver.message)
        sentence = opened.driver.said()
        assert words in sentence
        assert sentence.count("\n") == 0
        opened.driver.workbench.messages.dismiss()
        assert opened.study is before


def test_what_is_saved_is_read_by_the_command_line(opened, tmp_path, capsys):
    opened.go_to_design(0)
    opened.write(opened.panel.pickers.targets, "0,2-4")
    opened.panel.pickers.d.setValue(4)
    value = opened.shown().solved.design.value
    opened.debugger.drag(0, 0.5)
    opened.debugger.drop()
    by_hand = opened.shown().main.examination.value
    problem, weights = tmp_path / "problem.json", tmp_path / "weights.csv"
    save(opened, 0)
    opened.driver.answer(problem)
    opened.driver.wait(problem.exists)
    save(opened, 1)
    dialog = next(each for each in opened.window.findChildren(QFileDialog) if each.isVisible())
    assert Path(dialog.selectedFiles()[0]).name.endswith("-4-targets-d4-weights.csv"), "a name that says what it is"
    opened.driver.answer(weights)
    opened.driver.wait(weights.exists)
    assert main(["design", str(problem), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == value
    assert main(["certify", str(problem), str(weights), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["value"] == pytest.approx(by_hand, rel=1e-9)
    assert said["optimum"] == pytest.approx(value, rel=1e-6)


def test_certificates_that_are_saved_hold_for_solved_and_for_own_weights(opened, tmp_path, capsys):
    opened.go_to_design(-1)
    opened.shown()
    for name in ("solved", "by hand"):
        if name == "by hand":
            opened.debugger.drag(0, 0.5)
            opened.debugger.drop()
            opened.shown()
        file = tmp_path / f"{name}.json"
        save(opened, 2)
        opened.driver.answer(file)
        opened.driver.wait(file.exists)
        assert main(["certify", "--check", str(file)]) == 0
        assert ("not certified" in capsys.readouterr().out) == (name == "by hand")
        assert refusal(file.read_bytes()) is None
        said = json.loads(file.read_text())
        assert float.fromhex(said["upper_bound"]) == opened.seen.upper_bound
        assert "double precision with error bounds" in opened.window.designs.views["design-table"].series.rows[0].proof
