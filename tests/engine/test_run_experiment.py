"""Experiments as data: results.csv, and experiments from Python on every kind of executor."""

import csv
import doctest
import io
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pandas
import pytest
from distributed import Client, LocalCluster

import gems_engine
from gems_engine import InputError, read_experiment, run_experiment
from gems_engine.algorithms import algorithm_named
from gems_engine.cli import main
from gems_engine.experiment import local_executor, runner
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.folder import ROWS, Recorder
from gems_engine.experiment.metrics import BUILT_IN
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.toml_text import to_toml
from gems_engine.experiment.trial_table import OF_TRIAL
from gems_engine.experiment.trials import run_trial
from gems_engine.gallery import family_named, make
from tests.engine.experiments import SMALL, small

SPHERE = {
    "title": 'Two "kinds" of θ\n',
    "trials": 2,
    "seed": 3,
    "x": "D",
    "instance": {"family": "sphere", "D": [3, 4], "n": 6, "d_star": 2, "min_gap": 0.0, "new_each_trial": True},
    "stop": {"samples": 300},
    "algorithm": [
        {"name": "fixed-confidence", "label": "=GEMS, fast", "base": 4},
        {"name": "misspecified", "label": "MIS", "epsilon": 0.5},
    ],
}
SHORT = {
    "instance": {"family": "paper-hard", "d_star": 2, "epsilon": [0.3, 0.2]},
    "stop": {"samples": 2000},
    "algorithm": {"name": "rage"},
    "trials": 3,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("sphere")
    run_experiment(SPHERE, folder=place / "results")
    return place / "results"


def lines_of(file):
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def test_results_csv_has_a_row_for_each_trial_with_everything_that_determined_it(folder):
    lines = lines_of(folder / "results.csv")
    said = parse_specification(to_toml(SPHERE), "experiment")
    assert len(lines) == len(said) == 8
    for index, line in enumerate(lines):
        trial, cell = divmod(index, 4)
        assert (line["experiment"], line["cell"], line["trial"]) == ("experiment", str(cell), str(trial))
        assert line["label"] == ("'=GEMS, fast", "MIS")[cell % 2]  # no spreadsheet takes it for a formula
        assert line["instance_D"] == ("3", "4")[cell // 2]
        assert line["experiment_seed"] == "3"
        assert line["seed"] == line["instance_seed"] == str(said.trial(index).seed)
        assert line["algorithm"] == said.cells[cell].algorithm
        row = run_trial(said.trial(index))
        assert (line["success"], line["samples"], line["stop"]) == (
            str(row.correct).lower(),
            str(row.samples),
            row.finish,
        )
        assert line["tau"] == ("" if row.tau is None else str(row.tau))
        assert line["versions"] == row.made_by
        assert float(line["runtime_seconds"]) > 0.0
    assert {line["algorithm_epsilon"] for line in lines} == {"", "0.5"}, "the instance has no ε, and GEMS neither"


def test_every_parameter_has_its_own_column_with_its_value_also_by_default(folder):
    line = lines_of(folder / "results.csv")[0]
    for parameter in algorithm_named("fixed-confidence").parameters:
        value = {"base": 4, "max_samples": 300}.get(parameter.name, parameter.default)
        text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        assert line[f"algorithm_{parameter.name}"] == text
    assert {f"instance_{each.name}" for each in family_named("sphere").parameters} <= set(line)
    assert list(line)[:4] == ["experiment", "cell", "label", "instance"]
    assert set(OF_TRIAL) <= set(line)


def test_a_trial_can_be_repeated_from_its_line(folder, capsys):
    line = lines_of(folder / "results.csv")[5]
    words = ["run", line["instance"], "--algorithm", line["algorithm"], "--seed", line["seed"], "--json"]
    for name in (each.name for each in algorithm_named(line["algorithm"]).parameters):
        if line[f"algorithm_{name}"]:
            words += [f"--{name.replace('_', '-')}", line[f"algorithm_{name}"]]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert f'"samples": {line["samples"]}' in said


def test_pandas_opens_it_as_it_is(folder):
    frame = pandas.read_csv(folder / "results.csv")
    assert frame.success.dtype == bool
    assert frame.instance_D.tolist() == [3, 3, 4, 4] * 2
    assert frame.groupby("label").samples.max().le(300).all()
    assert frame.algorithm_epsilon.isna().sum() == 4


def test_the_report_makes_it_again_and_the_same(folder, capsys):
    before = (folder / "results.csv").read_bytes()
    (folder / "results.csv").unlink()
    assert main(["report", str(folder)]) == 0
    assert (folder / "results.csv").read_bytes() == before
    capsys.readouterr()


def test_the_command_writes_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)
    assert main(["experiment", "small.toml", "--trials", "1", "--jobs", "0", "-o", "out"]) == 0
    assert [line["cell"] for line in lines_of(tmp_path / "out" / "results.csv")] == ["0", "1", "2", "3"]
    capsys.readouterr()


def test_failed_trials_are_in_it(tmp_path):
    said = small(1)
    with Recorder(tmp_path, said, "a test") as recorder:
        recorder.add(replace(run_trial(said.trial(0)), correct=None, tau=None, error="It broke."))
        recorder.add(run_trial(said.trial(1)))
    found = read_experiment(tmp_path)
    assert found["success"].tolist() == [False, True]
    assert found["error"].tolist() == ["It broke.", None]
    assert np.isnan(found["tau"][0])
    frame = found.to_dataframe()
    assert frame.tau.dtype == "Int64"
    assert frame.tau.isna().tolist() == [True, False]


def test_an_instance_from_a_file_is_named_with_its_digest():
    instance = make("soare", D=3)
    results = run_experiment({"instance": instance, "algorithm": {"name": "rage", "max_samples": 1000}, "trials": 1})
    assert results["instance_digest"].tolist() == [instance.digest]
    assert results["instance"].tolist() == [instance.name]


# -- from Python -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def serial():
    return run_experiment(SHORT)


def test_a_dict_a_file_a_name_and_an_object_are_the_same_experiment(tmp_path):
    (tmp_path / "small.toml").write_text(SMALL)
    as_dict = {
        "title": "A small one",
        "about": "x",
        "trials": 1,
        "seed": 5,
        "x": "epsilon",
        "instance": {"family": "paper-hard", "d_star": np.int64(3), "epsilon": np.array([0.3, 0.01])},
        "stop": {"samples": 15_000},
        "algorithm": [{"name": "fixed-confidence", "label": "GEMS", "base": 4}, {"name": "rage", "label": "RAGE"}],
        "paper": [{"metric": "success", "label": "RAGE", "values": (1.0, 0.25)}],
    }
    expected = list(run_trials(small(1).missing(bytearray())))
    for spec in (as_dict, tmp_path / "small.toml", str(tmp_path / "small.toml"), small()):
        assert list(run_experiment(spec, trials=1).rows) == expected
    assert run_experiment("verifiability", trials=1).specification.name == "verifiability"


def test_all_executors_give_the_same_rows(serial):
    told = []
    with ThreadPoolExecutor(2) as pool:
        assert run_experiment(SHORT, pool, progress=lambda done, total: told.append((done, total))).rows == serial.rows
        assert pool.submit(int).result() == 0, "it was not shut down"
    assert sorted(told) == [(done, 6) for done in range(1, 7)]
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert run_experiment(SHORT, pool).rows == serial.rows
    with local_executor(1) as pool:
        assert run_experiment(SHORT, pool).rows == serial.rows


def test_a_dask_client_runs_it_and_stays_connected(serial, tmp_path):
    local = {"n_workers": 1, "processes": False, "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(**local) as cluster, Client(cluster) as client:
        assert run_experiment(SHORT, client, folder=tmp_path / "out").rows == serial.rows
        assert client.submit(int).result() == 0
    assert "a Client" in (tmp_path / "out" / "sessions.jsonl").read_text()


def test_a_folder_is_resumed_and_has_the_report(tmp_path, serial):
    run_experiment(SHORT, trials=1, folder=tmp_path)
    with pytest.raises(InputError, match="has results already"):
        run_experiment(SHORT, folder=tmp_path)
    before = (tmp_path / ROWS).read_bytes()
    assert run_experiment(SHORT, folder=tmp_path, resume=True).rows == serial.rows
    assert (tmp_path / ROWS).read_bytes().startswith(before)
    assert (tmp_path / "report.html").is_file()
    assert read_experiment(tmp_path)["tau"].tolist() == serial["tau"].tolist()


def test_what_is_done_is_kept_when_the_caller_stops(tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment(SHORT, folder=tmp_path, progress=stop)
    assert len(read_experiment(tmp_path)) == 1
    assert len(lines_of(tmp_path / "results.csv")) == 1


def test_arrays_and_frame(serial):
    assert serial["instance_epsilon"].tolist() == [0.3, 0.2] * 3
    assert serial["success"].dtype == bool
    assert serial["tau"].dtype.kind == "i"
    assert serial["label"].tolist() == ["RAGE"] * 6
    frame = serial.to_dataframe()
    assert list(frame.columns) == list(serial.columns)
    assert frame.tau.tolist() == serial["tau"].tolist()
    assert len(serial) == 6
    assert repr(serial) == "<ExperimentResults experiment: 6 trials of 2 cells, 6 right>"
    assert serial.summary().cells[0].success.total == 3
    with pytest.raises(InputError, match='did you mean "tau"'):
        serial["tauu"]


def test_to_csv_is_what_pandas_reads_back(serial, tmp_path):
    serial.to_csv(tmp_path / "mine.csv")
    frame = pandas.read_csv(tmp_path / "mine.csv")
    assert frame.seed.tolist() == serial["seed"].tolist()
    assert frame.samples.tolist() == serial["samples"].tolist()


def test_without_pandas_the_refusal_says_what_to_install(serial, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pip install pandas"):
        serial.to_dataframe()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"trials": None}, "trials = None is not allowed: omit the key"),
        ({"stop": {"samples": {1}}}, "stop: samples = a list|must be a whole number"),
        ({"algorithm": {"name": b"rage"}}, "algorithm: name = a bytes is not allowed"),
        ({3: 4}, "The key 3 is not allowed"),
        ({"a b\x7f": 4}, "Unknown key"),
        ({"name": 4}, "name = 4 is not allowed"),
    ],
)
def test_a_wrong_dict_gets_one_sentence(change, why):
    with pytest.raises(InputError, match=why):
        run_experiment({**SHORT, **change})


def test_other_objects_are_refused():
    with pytest.raises(InputError, match="not a int"):
        run_experiment(3)
    with pytest.raises(InputError, match="An executor is"):
        run_experiment(SHORT, 4)
    with pytest.raises(InputError, match=r"Unknown experiment"):
        run_experiment("paper-tabel-1")


def test_texts_of_a_dict_come_back():
    said = parse_specification(to_toml({**SPHERE, "about": 'a "quoted"\\ line\n\x7f\t¶'}), "x")
    assert said.title == 'Two "kinds" of θ'
    assert said.about == 'a "quoted"\\ line\n\x7f\t¶'


def test_the_examples_of_the_documentation_run():
    results = doctest.testmod(runner)
    assert results.attempted >= 8
    assert results.failed == 0


def test_it_is_a_public_name():
    assert {"run_experiment", "read_experiment"} <= set(gems_engine.__all__)
    assert set(BUILT_IN) == {"success", "tau", "stopped", "verified", "runtime", "seconds"}
