"""`gems experiment` and `gems report`, as a person types them."""

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import psutil
import pytest

from gems_engine.cli import main
from gems_engine.commands.experiment import _Watch
from gems_engine.experiment import run_trials
from gems_engine.experiment.folder import first_session, read_results, read_rows
from gems_engine.experiment.harness import Harness, Progress
from gems_engine.files import write_instance
from gems_engine.gallery import make_from_spec
from gems_engine.terminal import LiveLines
from tests.engine.experiments import SMALL, by_index, small


@pytest.fixture
def gems(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("gems_engine.plugins.entry_points", lambda group: [])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)

    def run(line, code=0):
        assert main(shlex.split(line)) == code
        out, err = capsys.readouterr()
        return out if code == 0 else err

    return run


def test_run_report_resume_and_more_trials(gems, tmp_path):
    out = gems("experiment small.toml --jobs 0 --trials 2")
    assert "A small one" in out
    assert "RAGE, in the paper" in out
    folder = tmp_path / "gems-small"
    assert f"8 trials. Report: {folder.relative_to(tmp_path) / 'report.html'}" in out
    first = list(read_rows(folder))
    assert "has results already. Use --resume" in gems("experiment small.toml --jobs 0", code=2)
    assert "has results already. Use --resume to continue" in gems("experiment gems-small", code=2)
    gems("experiment gems-small --resume --jobs 0 --trials 4")  # only what is missing
    rows = list(read_rows(folder))
    assert rows[:8] == first
    assert by_index(rows) == list(run_trials(small().missing(bytearray())))
    before = (folder / "rows.jsonl").read_bytes()
    said = json.loads(gems("experiment small.toml --resume --json"))  # nothing is missing, and no worker is started
    assert said["done"] == 16
    assert (folder / "rows.jsonl").read_bytes() == before
    (folder / "report.html").unlink()
    again = gems("report gems-small")
    assert (folder / "report.html").exists()
    assert "Success (Wilson 95 % intervals)" in again
    markdown = gems("report gems-small --markdown")
    assert markdown.strip() == (folder / "tables.md").read_text().strip()
    assert json.loads(gems("report gems-small --json"))["cells"] == said["cells"]


def test_seeds_and_folders(gems, tmp_path):
    gems("experiment small.toml --jobs 0 --trials 1 --seed 9 -o out/there")
    rows = by_index(read_rows(tmp_path / "out" / "there"))
    assert rows == list(run_trials(small(1, 9).missing(bytearray())))
    assert "seed 9, not 10" in gems("experiment small.toml --seed 10 --resume -o out/there", code=2)
    gems("experiment small.toml --jobs 0 --trials 2 --resume -o out/there")  # the seed is that of its rows
    assert by_index(read_rows(tmp_path / "out" / "there")) == list(run_trials(small(2, 9).missing(bytearray())))


def test_the_report_says_how_to_do_it_again_also_with_an_instance_of_ones_own(gems, tmp_path, monkeypatch, capsys):
    (tmp_path / "elsewhere").mkdir()
    write_instance(tmp_path / "elsewhere" / "mine.json", make_from_spec("soare:D=3,omega=0.8"))
    (tmp_path / "elsewhere" / "own.toml").write_text(
        '[instance]\nfile = "mine.json"\n[[algorithm]]\nname = "rage"\nmax_samples = 2000\n'
    )
    gems("experiment elsewhere/own.toml --trials 2 --seed 3 --jobs 0 -o out")
    (tmp_path / "elsewhere" / "mine.json").unlink()
    (command,) = re.findall(r"<pre>gems (experiment .*?)</pre>", (tmp_path / "out" / "report.html").read_text())
    monkeypatch.chdir(tmp_path / "out")
    gems(f"{command} --jobs 0")
    assert list(read_rows("again")) == list(read_rows("."))
    assert first_session("again").experiment == "own"
    assert main(shlex.split("experiment again --resume --jobs 0 --trials 1")) == 0
    assert "The folder has more than 1 trials of each cell" in capsys.readouterr().err


def test_what_is_left_is_seen_on_a_narrow_terminal(monkeypatch):
    monkeypatch.setattr(Harness, "progress", Progress(5_000, 24_000, 0, 12, 60.0, 3000.0))
    watch = _Watch(Harness(small()), "the Dask scheduler tcp://10.0.0.1:8786", LiveLines(io.StringIO()))
    assert "12 failed, about 50 min to go" in watch._line()[:79]


def test_a_torn_line_is_said(gems, tmp_path, capsys):
    gems("experiment small.toml --jobs 0 --trials 1")
    file = tmp_path / "gems-small" / "rows.jsonl"
    file.write_bytes(file.read_bytes()[:-5])
    assert main(["report", "gems-small"]) == 0
    assert "The last line of rows.jsonl is incomplete" in capsys.readouterr().err
    assert main(shlex.split("experiment small.toml --resume --jobs 0 --trials 1")) == 0
    assert "was incomplete; its trial is run again" in capsys.readouterr().err


def test_a_cluster_that_is_not_there_leaves_a_folder_that_can_be_used(gems, monkeypatch):
    monkeypatch.setattr("gems_engine.experiment.cluster._PATIENCE", 0.2)
    answer = gems("experiment small.toml --trials 1 --scheduler tcp://127.0.0.1:9", code=2)
    assert answer.startswith("gems: --scheduler tcp://127.0.0.1:9: no Dask scheduler responds at this address")
    gems("experiment small.toml --trials 1 --jobs 0")


def test_what_there_is(gems):
    listed = gems("experiment list")
    assert "paper-table-1" in listed
    assert "sensitivity" in listed
    shown = gems("experiment paper-table-1 --show")
    assert 'family = "paper-hard"' in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("experiment paper-table-2", 'Unknown experiment "paper-table-2": did you mean "paper-table-1"?'),
        ("experiment none.toml", "There is no file none.toml."),
        ("experiment small.toml --trials 0", '--trials "0" is not allowed'),
        ("experiment small.toml --show --trials 3", "Omit --trials and --seed"),
        ("experiment small.toml --retry-failed", "Add --resume"),
        ("experiment small.toml --jobs -1", '--jobs "-1" is not allowed'),
        ("experiment small.toml --jobs 2 --scheduler tcp://x:1", "--jobs applies to processes on this machine"),
        ("report nowhere", "There is no folder nowhere."),
        ("report .", "has no results of an experiment"),
    ],
)
def test_bad_words_are_refused_in_one_sentence(gems, line, said):
    answer = gems(line, code=2)
    assert said in answer
    assert answer.count("\n") == 1


def test_a_bad_specification_is_refused_by_its_file_and_key(gems, tmp_path):
    (tmp_path / "bad.toml").write_text(SMALL.replace("base = 4", "base = 1"))
    answer = gems("experiment bad.toml", code=2)
    assert answer.startswith("gems: bad.toml: algorithm 1 (fixed-confidence): base = 1 is not allowed")


# -- interrupted ---------------------------------------------------------------------------------------------------


@pytest.fixture
def under_way(tmp_path):
    """A real `gems experiment` with a worker, after its first rows."""
    (tmp_path / "small.toml").write_text(SMALL)
    child = subprocess.Popen(
        [sys.executable, "-m", "gems_engine", *shlex.split("experiment small.toml --trials 100000 --jobs 1 -o out")],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        rows = tmp_path / "out" / "rows.jsonl"
        wait_until(lambda: rows.exists() and rows.read_bytes().count(b"\n") > 5)
        yield child
    finally:
        child.kill()
        child.communicate()


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def kept(tmp_path):
    """The rows in the folder, the first of which are what they have to be."""
    rows = by_index(read_rows(tmp_path / "out"))
    assert rows[:4] == list(run_trials(small(1).missing(bytearray())))
    assert len(rows) == read_results(tmp_path / "out").measures.done >= 5
    return rows


def test_ctrl_c_keeps_what_is_done(tmp_path, under_way):
    under_way.send_signal(signal.SIGINT)
    out, err = under_way.communicate(timeout=60)
    assert under_way.returncode == 130
    assert "Traceback" not in err
    assert "trials, which are saved. To continue: gems experiment out --resume" in err
    assert "Success" in out
    assert kept(tmp_path)
    assert read_results(tmp_path / "out").notes == []


def test_a_kill_keeps_what_is_done_and_leaves_no_process(gems, tmp_path, under_way):
    workers = psutil.Process(under_way.pid).children(recursive=True)
    assert workers
    under_way.kill()
    wait_until(lambda: not any(each.is_running() and each.status() != psutil.STATUS_ZOMBIE for each in workers))
    rows = kept(tmp_path)
    trials = len(rows) // 4 + 2
    gems(f"experiment out --resume --jobs 0 --trials {trials}")
    assert by_index(read_rows(tmp_path / "out")) == list(run_trials(small(trials).missing(bytearray())))
