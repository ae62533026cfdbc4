"""`gems run` and `gems verify`, as a person types them."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from functools import partial

import pytest

from gems_engine.cli import main
from gems_engine.events import RunFinished
from gems_engine.files import read_run

FAST = "run paper-hard:d_star=4,epsilon=0.1 --base 4 --max-samples 50000"
KEYS = {
    "algorithm",
    "seed",
    "goal",
    "recommendation",
    "origin",
    "correct",
    "survivors",
    "samples",
    "tau",
    "first_right",
    "changes",
    "rounds",
    "subroutines",
    "finish",
    "seconds",
    "trajectory",
    "data",
}


@pytest.fixture
def gems(capsys, monkeypatch):
    monkeypatch.setattr("gems_engine.plugins.entry_points", lambda group: [])  # the engine without the window

    def run(line, code=0):
        assert main(shlex.split(line)) == code
        out, err = capsys.readouterr()
        return out if code != 2 else err

    return run


def test_json_has_the_promised_keys_and_is_reproducible(gems):
    first, second = (json.loads(gems(f"{FAST} --seed 3 --json")) for _ in range(2))
    assert set(first) == KEYS
    assert first.pop("seconds") > 0
    second.pop("seconds")
    assert first == second
    assert first["recommendation"] == 3
    assert first["correct"] is True
    assert first["trajectory"][0][0] == 0
    assert first["trajectory"][-1] == [first["tau"], 3]
    assert first["samples"] <= 50_000


def test_summary_for_people(gems):
    text = gems(f"{FAST} --seed 1")
    assert "✓ Right: x_4, from sample " in text
    assert " · theory: τ ≤ " in text
    assert "  recommends x_4 (carried over)\n" in text
    assert "ended: sample cap reached" in text
    assert "ℓ" in text
    assert "right from there on" in text


def test_watch_prints_events_as_they_come(gems):
    text = gems(f"{FAST} --seed 3 --watch")
    for words in ("d = ", "design in R", "samples so far", "θ̂ = ", "remain", "recommends x_4", "run ends"):
        assert words in text


@pytest.mark.parametrize(
    "line",
    [
        "run paper-hard:epsilon=0.3 --algorithm fixed-budget --budget 2000",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm misspecified --epsilon 0.2 --max-samples 100000",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm misspecified-best-arm --max-samples 100000",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm rage --max-samples 100000 --noise rademacher",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm rage-oracle --zeta 0.5",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm static-oracle --pulls 200",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm gems-c --rounds 4 --selection-budget 200 --solver frank-wolfe",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm gems-b --budget 3000 --rounds 4 --literal",
        "run paper-hard:d_star=4,epsilon=0.3 --algorithm gems-m --rounds 4 --count-idle false --rounding linear",
    ],
)
def test_every_algorithm_runs_saves_and_verifies(gems, tmp_path, line):
    file = tmp_path / "run.gems"
    facts = json.loads(gems(f"{line} --seed 5 -o {file} --json"))
    assert set(facts) == KEYS
    trace = read_run(file)
    assert isinstance(trace[len(trace) - 1], RunFinished)
    assert "events are the same." in gems(f"verify {file}")


def test_verify_names_the_first_event_that_differs(gems, tmp_path):
    from dataclasses import replace

    from gems_engine.events import Pulled
    from gems_engine.files import write_run
    from gems_engine.trace import Trace

    file = tmp_path / "run.gems"
    gems(f"{FAST} --seed 3 -o {file}")
    trace = read_run(file)
    forged = Trace(trace.instance)
    place = next(i for i, event in enumerate(trace) if isinstance(event, Pulled))
    for i, event in enumerate(trace):
        forged.append(replace(event, sums=event.sums + 1e-4) if i == place else event)
    write_run(file, forged)
    said = gems(f"verify {file}", code=1)
    assert f"event {place + 1} differs" in said
    assert "sums[0]: " in said  # and which number of it, where the words for both are the same
    assert "The run was made by" not in said


def test_verify_tells_rounding_from_another_run(gems, tmp_path):
    from dataclasses import replace

    from gems_engine.events import DimensionProbed, Estimated
    from gems_engine.files import write_run
    from gems_engine.trace import Trace

    file = tmp_path / "run.gems"
    gems(f"{FAST} --seed 3 -o {file}")
    trace = read_run(file)

    def elsewhere(event):  # as another kind of processor would have recorded it
        if isinstance(event, Estimated):
            return replace(event, theta=event.theta * (1 + 3e-14))
        if isinstance(event, DimensionProbed) and event.verdict == "fits":
            return replace(event, verdict="tie", reason="tie", iterations=event.iterations + 1, lower=0.9 * event.lower)
        return event

    rounded = Trace(trace.instance)
    rounded.extend(map(elsewhere, trace))
    write_run(file, rounded)
    said = gems(f"verify {file}")
    assert f"every decision in its {len(trace)} events is the same." in said
    assert "(relative difference at most 3.0e-14)" in said
    first = next(i for i, event in enumerate(trace) if isinstance(event, Estimated))
    assert f"From event {first + 1} on, numbers differ by rounding" in said
    assert said.endswith(": as on another processor.\n")
    older = trace[0]
    renamed = Trace(trace.instance)
    renamed.extend([replace(older, versions={**older.versions, "numpy": "0.9"}), *map(elsewhere, list(trace)[1:])])
    write_run(file, renamed)
    assert gems(f"verify {file}").endswith(": the run was made by numpy 0.9.\n")
    graded = next(i for i, event in enumerate(trace) if isinstance(event, DimensionProbed) and event.verdict == "fits")
    assert f"From event {graded + 1} on, the bounds, status or reason of some designs differ" in said


def test_verify_tells_another_design_from_another_run(gems, tmp_path):
    from dataclasses import replace

    from gems_engine.events import DesignSolved
    from gems_engine.files import write_run
    from gems_engine.trace import Trace

    file = tmp_path / "run.gems"
    gems(f"{FAST} --seed 3 -o {file}")
    trace = read_run(file)
    at = next(i for i, event in enumerate(trace) if isinstance(event, DesignSolved) and len(event.support) > 1)

    def saying(**parts):
        changed = Trace(trace.instance)
        changed.extend(replace(event, **parts) if i == at else event for i, event in enumerate(trace))
        write_run(file, changed)
        return gems(f"verify {file}", 1)

    weights = trace[at].weights.copy()
    weights[:2] += [1e-7, -1e-7]
    assert "the solver has changed, and so has the run" in saying(weights=weights)
    assert "the solver has changed" not in saying(value=2 * trace[at].value)


def test_interrupt_keeps_and_saves_what_was_run(tmp_path):
    file = tmp_path / "run.gems"
    line = [sys.executable, "-m", "gems_engine", "run", "sphere:D=60,n=120,seed=1", "--base", "2"]
    line += ["--max-samples", "1000000000000", "--max-loops", "200", "-o", str(file), "--watch"]
    # In the background of a shell Ctrl-C is ignored, and the process would inherit that.
    heard = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", preexec_fn=heard
    )
    for text in process.stdout:
        if text.startswith("ℓ 5"):
            break
    os.kill(process.pid, signal.SIGINT)
    deadline = time.monotonic() + 60
    out, err = process.communicate(timeout=max(1.0, deadline - time.monotonic()))
    assert process.returncode == 130
    assert "Traceback" not in err
    trace = read_run(file)
    assert trace.finished.why == "asked to stop"
    assert "end            stopped" in out
    assert main(["verify", str(file)]) == 0


LONG = ["run", "gaussian:n=500,D=100,d_star=5", "--base", "2", "--max-samples", "1000000000000", "--max-loops", "200"]


def test_a_killed_run_leaves_its_recovery_file(tmp_path):
    file = tmp_path / "run.gems"
    line = [sys.executable, "-m", "gems_engine", *LONG, "-o", str(file)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    recovery = tmp_path / "run.gems.recovery"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (recovery.exists() and len(read_run_or_nothing(recovery)) > 20):
        time.sleep(0.1)
    process.kill()
    process.communicate()
    trace = read_run(recovery)
    assert len(trace) > 20
    assert trace.finished is None
    assert main(["verify", str(recovery)]) == 0
    assert not file.exists()


def read_run_or_nothing(path):
    from gems_engine.errors import InputError

    try:
        return read_run(path)
    except InputError:
        return []


def test_a_reader_that_leaves_early_costs_no_run(tmp_path):
    file = tmp_path / "run.gems"
    one = f"{shlex.quote(sys.executable)} -m gems_engine {FAST} --watch -o {file} | head -n 2"
    subprocess.run(one, shell=True, capture_output=True, executable="/bin/bash", timeout=60)
    assert read_run(file).finished.why == "asked to stop"
    assert not (tmp_path / "run.gems.recovery").exists()


def test_rounds_are_counted_in_one_way(gems, tmp_path):
    file = tmp_path / "run.gems"
    facts = json.loads(gems(f"{FAST} --seed 1 -o {file} --json"))
    assert read_run(file).rounds["rounds"].sum() == facts["rounds"]
    assert not (tmp_path / "run.gems.recovery").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run sphere --max-samples 1e12 -o /nowhere/at/all/x.gems", "/nowhere/at/all/x.gems"),
        ("run sphere --max-samples 1e12 -o x.txt", "must end in .gems"),
        ("run paper-hard --algorithm rge", "rage"),
        ("run paper-hard --algorithm rage --budget 5", "rage has no parameter --budget"),
        ("run paper-hard --delta 2", "delta"),
        ("run paper-hard --seed x", "--seed"),
        ("run transductive --algorithm fixed-budget", "every target must be an arm"),
        ("run paper-hard --algorithm fixed-budget --budget 5", "budget"),
        ("run multivariate:m=4,d_star=2", "tied"),
        ("verify nowhere.gems", "nowhere.gems"),
        ("run paper-hard --noise bernoulli:3", "noise"),
    ],
)
def test_bad_input_is_one_sentence(gems, line, words):
    error = gems(line, code=2)
    assert words in error.lower() or words in error
    assert len(error.strip().splitlines()) == 1


def test_demo_races_gems_against_rage(gems):
    text = gems("demo")
    rows = {line.split("  ")[0]: line for line in text.splitlines()}
    assert "10 of 10" in rows["GEMS"]
    assert "41\u202f986" in rows["GEMS"]
    assert "RAGE in R¹⁰" in rows
    assert "10 of 10" in rows["RAGE in R⁹, told d⋆"]
