"""Kills of experiments: a worker, the command, and a window that runs one; then the rest is run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import psutil

from gems_engine.experiment import run_trials
from gems_engine.experiment.folder import read_results, read_rows
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import Row
from tests.reliability.outcome import Outcome, note_rest
from tests.reliability.program import ROOT, Home, wait_until, window

TRIALS = 40
TEXT = f"""
title = "Trials that are killed"
trials = {TRIALS // 4}
seed = 3

[instance]
family = "paper-hard"
d_star = 4
epsilon = [0.3, 0.1]

[stop]
samples = 100_000

[[algorithm]]
name = "fixed-confidence"

[[algorithm]]
name = "rage"
"""


@cache
def undisturbed() -> list[Row]:
    """The rows of the experiment, computed in this process."""
    return list(run_trials(parse_specification(TEXT, "killed").missing(bytearray())))


def _begin(user: Home, *words: str) -> subprocess.Popen[bytes]:
    """A `gems experiment` in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "gems_engine", "experiment", *words, "--jobs", "2"],
        cwd=user.path,
        env={**user.environment, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _written(folder: Path) -> int:
    """The rows in a folder."""
    file = folder / "rows.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def _workers(pid: int) -> list[psutil.Process]:
    children = psutil.Process(pid).children()
    return sorted((each for each in children if "spawn_main" in " ".join(each.cmdline())), key=lambda each: each.pid)


def _note_rows(outcome: Outcome, user: Home) -> None:
    """Require that every row is there once and equals that of an undisturbed experiment."""
    folder, serial = user.path / "out", undisturbed()
    rows = sorted(read_rows(folder), key=lambda row: row.index)
    outcome.require(rows == serial, f"{len(rows)} rows differ from the {len(serial)} of an undisturbed experiment")
    outcome.require(read_results(folder).measures.done == TRIALS, "the results are not complete")


def _specified(user: Home) -> None:
    (user.path / "killed.toml").write_text(TEXT)


def worker_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill a worker of `gems experiment`: another one takes its place."""
    _specified(user)
    rows, which = dice.randrange(TRIALS - 5), dice.randrange(2)
    outcome = Outcome(f"after {rows} rows, worker {which + 1}")
    command = _begin(user, "killed.toml", "-o", "out")
    wait_until(lambda: _written(user.path / "out") >= rows and len(_workers(command.pid)) == 2, f"{rows} rows")
    os.kill(_workers(command.pid)[which].pid, signal.SIGKILL)
    outcome.require(command.wait(120) == 0, f"the command ends with {command.returncode}")
    _note_rows(outcome, user)
    note_rest(outcome, user)
    return outcome


def experiment_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill `gems experiment` itself: its workers end, and --resume runs what is missing."""
    _specified(user)
    rows = dice.randrange(TRIALS - 5)
    outcome = Outcome(f"after {rows} rows")
    command = _begin(user, "killed.toml", "-o", "out")
    wait_until(lambda: (user.path / "out" / "rows.jsonl").exists() and _written(user.path / "out") >= rows, f"{rows}")
    command.kill()
    command.wait()
    _go_on(outcome, user, rows)
    return outcome


def window_kill(dice: random.Random, user: Home) -> Outcome:
    """Kill a window that runs an experiment: its workers end, and --resume runs what is missing."""
    _specified(user)
    rows = dice.randrange(1, TRIALS - 5)
    outcome = Outcome(f"after {rows} rows")
    with window(user) as shown:
        shown("experiment", str(user.path / "killed.toml"), str(user.path / "out"), 2)
        wait_until(lambda: _written(user.path / "out") >= rows, f"{rows} rows")
        shown.kill()
    _go_on(outcome, user, rows)
    return outcome


def _go_on(outcome: Outcome, user: Home, rows: int) -> None:
    """Resume an experiment that was killed."""
    orphans = user.orphans()
    outcome.require(_written(user.path / "out") >= rows, "rows are lost")
    again = _begin(user, "killed.toml", "-o", "out", "--resume")
    outcome.require(again.wait(120) == 0, f"--resume ends with {again.returncode}")
    _note_rows(outcome, user)
    note_rest(outcome, user)
    outcome.processes += orphans
