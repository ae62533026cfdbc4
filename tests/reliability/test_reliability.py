"""The measurements measure what they say; and each of them once, with the real program."""

import random

import pytest

from tests.reliability import files, hostile, kills, soak, two_windows
from tests.reliability.__main__ import main
from tests.reliability.outcome import Outcome, note_loss, report
from tests.reliability.program import home, table


class Killed:
    """A window that had ten more events every tenth of a second, until it was killed at 100."""

    def __init__(self):
        self.beats = [(98 + at / 10, 10 * at) for at in range(20)]
        self.events = 190


@pytest.mark.parametrize(("kept", "lost"), [(190, 0.0), (180, 0.1), (140, 0.5)])
def test_what_is_lost_is_as_old_as_its_oldest_event(kept, lost):
    outcome = Outcome("")
    note_loss(outcome, Killed(), 100.0, kept)
    assert outcome.lost == pytest.approx(lost)
    assert outcome.wrong == []


def test_more_than_a_second_is_wrong():
    outcome = Outcome("")
    note_loss(outcome, Killed(), 100.0, 60)
    assert outcome.wrong == ["1.30 s are lost (60 of 190 events)"]
    said = report([("window", [Outcome(""), outcome])])
    assert "| window | 2 | 1.30 s | 0 | 0 | 1.30 s are lost (60 of 190 events) |" in said


def test_the_growth_is_that_of_the_second_half():
    readings = [
        [at, 200.0 + min(at, 100) / 10 + max(at - 100, 0) / 1000, 30.0 + at / 50 - 6 * (at == 150)]
        for at in range(10, 201, 10)
    ]
    assert soak.growth(readings) == pytest.approx((1.0, 20.0))


def test_a_cell_of_a_table_is_one_line():
    assert table(("a", "b"), [("x\ny", "p|q")]) == "| a | b |\n| --- | --- |\n| x y | p\\|q |"


def test_without_a_name_the_measurements_are_listed(capsys):
    assert main([]) == 2
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("kills", "soak", "two_windows", "files", "hostile"))


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", kills.KINDS)
def test_a_kill(kind):
    (outcome,) = kills.at_moments(kind, 1, seed=2)
    assert (outcome.wrong, outcome.processes, outcome.files) == ([], 0, [])


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", two_windows.CASES)
def test_two_windows(name):
    with home() as user:
        outcome = two_windows.CASES[name](random.Random(2), user)
    assert (outcome.wrong, outcome.processes, outcome.files) == ([], 0, [])


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", files.CASES)
def test_a_file_that_another_program_changes(name):
    outcome = files.tried(name, random.Random(2)).outcome
    assert (outcome.wrong, outcome.processes, outcome.files) == ([], 0, [])


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", hostile.CASES, ids=[case[0] for case in hostile.CASES])
def test_a_hostile_file(case, tmp_path):
    *_, wrong = hostile.tried(case, tmp_path)
    assert wrong == []


@pytest.mark.long
@pytest.mark.timeout(600)
def test_memory_does_not_grow_with_closed_runs():
    with home() as user:
        readings = soak.soak(user, 100, 10)
        assert (user.orphans(), user.left()) == (0, [])
    kilobytes, objects = soak.growth(readings)
    assert kilobytes < 100.0  # a leaked run takes more
    assert objects < 12.0  # the steps of undo are not yet at their limit
