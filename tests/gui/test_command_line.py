"""«Copy as command»: the line that is copied gives the same events when a shell runs it."""

import shlex
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QGuiApplication

from gems_engine.algorithms import algorithms
from gems_engine.cli import Parser
from gems_engine.commands.run import COMMAND, given_parameters
from gems_engine.errors import InputError
from gems_engine.files import read_run, write_instance
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.parameters import check_all
from gems_gui.board import message_bar
from gems_gui.drafts.draft import Draft
from gems_gui.drafts.run_request import RunRequest
from gems_gui.workbench.command_line import command_line
from tests.gui.window_driver import SMALL, driven


def request_of(draft):
    return draft.request(make(draft.family.name, **draft.family_values()))


def test_a_run_of_the_gallery_names_family_seed_and_what_is_not_default():
    request = request_of(SMALL)
    assert command_line(request, SMALL.source) == (
        "gems run paper-hard:d_star=4,epsilon=0.3 --seed 1 --max-samples 3000"
    )
    plain = request_of(Draft.of("paper-hard"))
    assert command_line(plain) == "gems run paper-hard"


def test_an_opened_run_whose_recipe_makes_another_instance_does_not_name_it():
    request = request_of(SMALL)
    other = Instance.linear(np.eye(2), [1.0, 0.5], recipe=request.instance.recipe)
    with pytest.raises(InputError, match="Save it"):
        command_line(replace(request, instance=other))


def test_a_file_is_named_as_long_as_it_holds_the_instance(tmp_path):
    instance = Instance.linear(np.eye(3), [1.0, 0.5, 0.0])
    path = tmp_path / "an instance's file.json"
    request = RunRequest(instance, "rage", 0, {"max_samples": 500})
    with pytest.raises(InputError, match="Save it"):
        command_line(request)
    write_instance(path, instance)
    saved = {instance.digest: str(path)}
    assert shlex.split(command_line(request, None, saved)) == [
        *("gems", "run", str(path), "--algorithm", "rage", "--max-samples", "500")
    ]
    write_instance(path, Instance.linear(np.eye(3), [0.0, 0.5, 1.0]))
    with pytest.raises(InputError, match="contains a different instance"):
        command_line(request, None, saved)


@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_parameters_survive_the_command_line(data):
    """What argparse and the algorithm read from the flags is what the run had."""
    algorithm = algorithms()[data.draw(st.sampled_from(sorted(algorithms())))]
    values = {}
    for each in algorithm.parameters:
        if each.kind == "bool":
            values[each.name] = data.draw(st.booleans())
        elif each.kind == "choice":
            values[each.name] = data.draw(st.sampled_from(each.choices))
        elif each.kind == "float":
            drawn = data.draw(st.one_of(st.just(each.default), st.floats(1e-9, 1.0)))
            try:
                values[each.name] = each.check(drawn)
            except InputError:
                values[each.name] = each.default
        elif each.optional:
            values[each.name] = data.draw(st.sampled_from([None, each.default]))
    request = RunRequest(make("paper-hard"), algorithm.name, data.draw(st.integers(0, 2**63 - 1)), values)
    words = shlex.split(command_line(request))
    parser = Parser(prog="gems run")
    COMMAND.configure(parser)
    read = parser.parse_args(words[2:])
    assert words[:2] == ["gems", "run"]
    named = read.algorithm or "fixed-confidence"
    assert (read.instance, named, int(read.seed or 0)) == ("paper-hard", algorithm.name, request.seed)
    assert check_all(algorithm.parameters, given_parameters(read)) == check_all(algorithm.parameters, values)


@pytest.mark.parametrize(
    "draft",
    [
        SMALL,
        Draft.of("paper-hard", "fixed-budget", seed=3, parameters={"budget": 2000, "noise": "gaussian:0.5"}),
    ],
    ids=["gallery", "budget and noise"],
)
def test_the_copied_command_repeats_the_active_run(qtbot, tmp_path, draft):
    with driven(qtbot, draft, layout="talk") as driver:
        driver.start()
        driver.finish()
        driver.press("Ctrl+Shift+C")
        copied = QGuiApplication.clipboard().text()
        assert copied.startswith("gems run paper-hard")
        assert "copied" in driver.said()
        events = list(driver.trace)
    output = tmp_path / "again.gems"
    words = [sys.executable, "-m", "gems_engine", *shlex.split(copied)[1:], "-o", str(output)]
    subprocess.run(words, check=True, capture_output=True, timeout=60)
    assert list(read_run(output)) == events


def test_what_is_said_of_the_hidden_truth_goes_with_it_and_what_is_copied_goes_by_itself(qtbot, monkeypatch):
    with driven(qtbot, layout="talk") as driver:
        driver.finished()
        driver.press("T")
        driver.press("Ctrl+Shift+C")
        assert "hidden truth" in driver.said()
        driver.drafts.set_draft(SMALL.with_text("run.seed", "2"))
        assert driver.message, "the form does not change that"
        driver.press("T")
        assert not driver.message
        monkeypatch.setattr(message_bar, "_PASSES", 0)
        monkeypatch.setattr(message_bar, "_READ", 0)
        driver.press("Ctrl+Shift+C")
        driver.wait(lambda: not driver.message)
        driver.window.open_files(["nowhere.json"])
        assert "nowhere.json" in driver.said()
        assert driver.notice.property("error"), "to be told from what is only said"
        refused = driver.said()
        driver.press("Ctrl+Shift+C")
        driver.wait(lambda: driver.message == refused)  # the copy has gone
        driver.click(driver.notice.buttons["Dismiss"])
        assert not driver.notice.property("error")


def test_without_a_run_or_with_an_instance_in_no_file_a_sentence_says_what_to_do(qtbot):
    own = SMALL.with_instance(Instance.linear(np.eye(2), [1.0, 0.5]))
    with driven(qtbot, own, layout="talk") as driver:
        assert not driver.actions["copy_command"].isEnabled()
        driver.start()
        QGuiApplication.clipboard().setText("before")
        driver.press("Ctrl+Shift+C")
        assert "Save it with Ctrl+Shift+I" in driver.said()
        assert QGuiApplication.clipboard().text() == "before"
