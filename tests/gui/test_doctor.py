"""`gems doctor`: the window's half, and the command."""

import json
from argparse import Namespace

import pytest

from gems_engine.self_test import Finding
from gems_gui import self_test
from gems_gui.commands.doctor import COMMAND


def test_a_picture_is_painted_in_a_process_of_its_own_with_letters_for_all_of_the_paper():
    found = self_test._painting()
    assert found.good is True
    assert "DejaVu Sans" in found.result


def test_a_process_that_cannot_paint_is_what_is_broken(monkeypatch):
    monkeypatch.setattr(self_test.sys, "executable", "false")
    found = self_test._painting()
    assert found == Finding("pictures", "the process that paints ended with code 1: no message", good=False)


@pytest.mark.parametrize(
    ("obstacle", "looks", "good"), [("", True, True), ("", False, None), ("No.", False, None), ("No.", True, False)]
)
def test_no_display_is_no_illness_but_one_that_cannot_be_used_is(monkeypatch, obstacle, looks, good):
    monkeypatch.setattr(self_test, "window_obstacle", lambda: obstacle)
    monkeypatch.setattr(self_test, "display_available", lambda: looks)
    assert self_test._display().good is good


@pytest.mark.parametrize("broken", [False, True])
def test_the_command_says_it_in_lines_or_json_and_ends_accordingly(monkeypatch, capsys, broken):
    lines = [Finding("machine", "a machine"), Finding("designs", "exact", good=not broken)]
    monkeypatch.setattr("gems_engine.self_test.CHECKS", [(each.about, lambda each=each: each) for each in lines])
    monkeypatch.setattr("gems_gui.self_test.CHECKS", [])
    assert COMMAND.run(Namespace(json=False)) == int(broken)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "· machine           a machine"
    assert said[1] == f"{'✗' if broken else '✓'} designs           exact"
    assert said[-1] == ("Not working: designs." if broken else "Everything works.")
    COMMAND.run(Namespace(json=True))
    assert json.loads(capsys.readouterr().out)["works"] is not broken
