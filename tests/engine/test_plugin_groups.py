"""Families, metrics and experiments of other packages: used like built-in ones; a broken one is one sentence."""

import json
import sys

import pytest

from gems_engine import plugins
from gems_engine.cli import main
from gems_engine.errors import InputError
from gems_engine.experiment import metrics, run_experiment
from gems_engine.experiment.library import EXPERIMENTS, built_in, plugin_experiments, specification_of
from gems_engine.experiment.metrics import METRICS, plugin_metrics
from gems_engine.experiment.trial_table import OF_CELL, OF_TRIAL
from gems_engine.experiment.trials import Row
from gems_engine.files import read_run
from gems_engine.gallery import FAMILIES, family_named, make, plugin_families
from gems_engine.plugin_contract import check_plugin, require_plugin_contract
from gems_engine.self_test import CHECKS
from tests.plugin_packages import install, template

FAMILY, METRIC = template("toy", "family"), template("toy", "metric")
SPEC = (
    'title = "Toy"\nabout = "A toy."\ntrials = 2\n[instance]\nfamily = "soare"\nD = 3\n[[algorithm]]\nname = "rage"\n'
)
FILE = "from pathlib import Path\nPLUGIN = Path(__file__).with_name('{}')"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path of this process."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)
    plugins._attempt.cache_clear()


def family(name, before="", after=""):
    return FAMILY.replace('"toy"', f'"{name}"').replace(before, after) + "\nPLUGIN = TOY"


def metric(name, before="", after=""):
    return METRIC.replace('"toy"', f'"{name}"').replace(before, after) + "\nPLUGIN = TOY"


# -- what works -----------------------------------------------------------------------------------------------------


def test_a_family_of_another_package_is_used_everywhere(site, tmp_path, capsys):
    install(site, "ring", family("ring"), "gems.families")
    assert list(FAMILIES) == [*FAMILIES.built_in, "ring"]
    assert make("ring", n=9).name == "ring:n=9,spread=180.0"
    assert main(["instance", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[-1]["name"] == "ring"
    path = tmp_path / "run.gems"
    assert main(["run", "ring:n=4", "--algorithm", "rage", "--max-samples", "500", "-o", str(path)]) == 0
    assert main(["verify", str(path)]) == 0
    assert str(read_run(path).instance.recipe) == "ring:n=4,spread=180.0"
    results = run_experiment({"trials": 1, "instance": {"family": "ring"}, "algorithm": [{"name": "rage"}]})
    assert len(results.rows) == 1
    require_plugin_contract("ring")
    with pytest.raises(InputError, match="spread = 0 is not allowed: it must be a number from 1 to 360"):
        make("ring", spread=0)


def test_a_metric_of_another_package_is_in_tables_and_results(site, tmp_path, capsys):
    install(site, "late", metric("late"), "gems.metrics")
    (site / "toy.toml").write_text(SPEC)
    folder = tmp_path / "results"
    assert main(["experiment", str(site / "toy.toml"), "--jobs", "0", "-o", str(folder)]) == 0
    assert "\nToy (medians over all trials" in capsys.readouterr().out
    header, *rows = (folder / "results.csv").read_text().splitlines()
    assert header.endswith(",late")
    assert all(row.rsplit(",", 1)[1] for row in rows)
    assert ",late_p50," in (folder / "summary.csv").read_text()
    require_plugin_contract("late")


def test_a_failing_metric_is_one_sentence_and_no_trial_is_lost(site, tmp_path, capsys):
    install(
        site,
        "late",
        metric("late", "return inf if row.tau is None or row.samples is None else ", "1 / 0; "),
        "gems.metrics",
    )
    (site / "toy.toml").write_text(SPEC)
    folder = tmp_path / "results"
    assert main(["experiment", str(site / "toy.toml"), "--jobs", "0", "-o", str(folder)]) == 2
    assert capsys.readouterr().err == (
        'gems: The metric "late" has an error at trial 0: ZeroDivisionError: division by zero. Correct it or uninstall '
        "its package; the trials are saved.\n"
    )
    assert len((folder / "rows.jsonl").read_text().splitlines()) == 1
    (site / "late.py").unlink()
    (site / "late-1.0.dist-info" / "entry_points.txt").unlink()
    (site / "late-1.0.dist-info" / "METADATA").unlink()
    (site / "late-1.0.dist-info").rmdir()
    assert main(["experiment", str(folder), "--resume", "--jobs", "0"]) == 0
    assert len((folder / "rows.jsonl").read_text().splitlines()) == 2


def test_experiments_of_other_packages_are_files_or_functions(site, capsys):
    (site / "toy.toml").write_text(SPEC)
    install(site, "by-file", FILE.format("toy.toml"), "gems.experiments")
    said = "{'title': 'Made', 'trials': 1, 'instance': {'family': 'soare'}, 'algorithm': [{'name': 'rage'}]}"
    function = f"def PLUGIN():\n    return {said}"
    install(site, "by-function", function, "gems.experiments")
    parsed = "from gems_engine.experiment.toml_format import parse_specification\n"
    parsed += f"PLUGIN = lambda: parse_specification({SPEC!r}, 'x')"
    install(site, "by-specification", parsed, "gems.experiments")
    assert list(EXPERIMENTS) == [*built_in(), "by-file", "by-function", "by-specification"]
    assert specification_of("by-file").title == "Toy"
    assert (specification_of("by-function").name, specification_of("by-function").trials) == ("by-function", 1)
    assert specification_of("by-specification").name == "by-specification"
    assert main(["experiment", "list"]) == 0
    assert "\nby-file " in capsys.readouterr().out
    require_plugin_contract("by-file")


def test_the_doctor_names_all_of_them(site):
    install(site, "ring", family("ring"), "gems.families")
    install(site, "late", metric("late"), "gems.metrics")
    (finding,) = [check() for about, check in CHECKS if about == "plug-ins"]
    assert (finding.good, finding.result) == (True, "ring, late")


# -- what does not --------------------------------------------------------------------------------------------------

BROKEN = {
    ("families", "raises"): ("1 / 0", "it cannot be loaded: ZeroDivisionError: division by zero."),
    ("families", "is-a-number"): ("PLUGIN = 3", "it is of the type int, not a Family."),
    ("families", "another"): (family("other"), 'the family calls itself "other". Give the entry point the same name.'),
    ("families", "sphere"): (family("sphere"), "a built-in family has this name. Rename it."),
    ("families", "a:b"): (family("a:b"), "its name must be lower-case letters, digits and hyphens, such as my-name."),
    ("families", "same"): (
        family("same", '"spread"', '"n"'),
        "its parameters must have different names such as d_star.",
    ),
    ("families", "no-function"): (family("no-function", "    make,", "    None,"), "its make must be a function."),
    ("families", "no-text"): (
        family("no-text", '"Unit', '3 or "Unit'),
        "its summary must be text, and its instead a dict.",
    ),
    ("families", "no-list"): (
        family("no-list", '        Parameter("n"', '        3,\n        Parameter("n"'),
        "its parameters must be a tuple of Parameter.",
    ),
    ("metrics", "is_a_number"): ("PLUGIN = 3", "it is of the type int, not a Metric."),
    ("metrics", "another"): (metric("other"), 'the metric calls itself "other". Give the entry point the same name.'),
    ("metrics", "tau"): (metric("tau"), "a built-in metric has this name. Rename it."),
    ("metrics", "samples"): (metric("samples"), "results.csv has another column of this name. Rename it."),
    ("metrics", "instance_n"): (metric("instance_n"), "results.csv has another column of this name. Rename it."),
    ("metrics", "a-b"): (metric("a-b"), "its name must be lower-case letters, digits and _, such as my_metric. Rename"),
    ("metrics", "share"): (metric("share", '"samples",', '"share",'), 'its kind must be "samples" or "seconds".'),
    ("metrics", "no_of"): (
        metric("no_of", "    samples_after_tau,", "    3,"),
        "its title and says must be text, and of a",
    ),
    ("experiments", "is-a-number"): ("PLUGIN = 3", "it is of the type int, not the path of a TOML file or a function."),
    ("experiments", "no-file"): (FILE.format("x.toml"), "There is no file "),
    ("experiments", "raises"): (
        "def PLUGIN():\n    1 / 0",
        "its function has an error: ZeroDivisionError: division by zero.",
    ),
    ("experiments", "returns-a-number"): (
        "PLUGIN = lambda: 3",
        "its function returns something of the type int, not a",
    ),
    ("experiments", "no-algorithm"): ("PLUGIN = lambda: {'instance': {'family': 'soare'}}", "[algorithm]"),
    ("experiments", "dimension"): ("PLUGIN = lambda: 3", "a built-in experiment has this name. Rename it."),
    ("experiments", "A"): ("PLUGIN = lambda: 3", "its name must be lower-case letters, digits and hyphens, such as"),
}
FIND = {"families": plugin_families, "metrics": plugin_metrics, "experiments": plugin_experiments}
WHAT = {"families": "family", "metrics": "metric", "experiments": "experiment"}


@pytest.mark.parametrize(
    ("key", "source", "reason"), [(key, *each) for key, each in BROKEN.items()], ids=map(" ".join, BROKEN)
)
def test_a_broken_one_is_listed_with_its_reason_and_is_not_used(site, capsys, key, source, reason):
    group, name = key
    install(site, "theirs", source, f"gems.{group}", entry=name)
    found = FIND[group]()
    assert found.usable == {}
    (broken,) = found.broken
    assert reason in broken.reason
    assert broken.sentence == f'The {WHAT[group]} "{name}" of the package theirs cannot be used: {broken.reason}'
    assert "\n" not in broken.sentence
    (finding,) = [check() for about, check in CHECKS if about == "plug-ins"]
    assert (finding.good, finding.result) == (False, broken.sentence)
    command = {"families": "instance", "metrics": "experiment", "experiments": "experiment"}[group]
    for words in (["--help"], [command, "--help"]):
        assert main(words) == 0
        assert f"Broken plug-ins:\n  {broken.sentence}" in capsys.readouterr().out
    ((what, told),) = check_plugin(name)
    assert (what, told.about, told.good, told.result) == (WHAT[group], "loads", False, broken.sentence)


def test_a_broken_one_that_is_asked_for_says_why(site, capsys):
    install(site, "ring", "1 / 0", "gems.families")
    install(site, "mine", "1 / 0", "gems.experiments")
    for words in (["instance", "show", "ring"], ["run", "ring:n=3"], ["experiment", "mine"]):
        assert main(words) == 2
        assert "cannot be used: it cannot be loaded: ZeroDivisionError" in capsys.readouterr().err
    with pytest.raises(InputError, match='The family "ring" of the package ring cannot be used'):
        family_named("ring")


def test_a_family_that_fails_refuses_in_one_sentence(site):
    install(site, "ring", family("ring", "    angles =", "    1 / (n - 2)\n    angles ="), "gems.families")
    with pytest.raises(InputError, match=r"^ring: the family has an error: ZeroDivisionError: division by zero\.$"):
        make("ring", n=2)
    assert len(make("ring", n=3).arms) == 3
    found = {each.about: each for _, each in check_plugin("ring")}
    assert [about for about, each in found.items() if not each.good] == ["limits"]
    assert found["limits"].result.startswith("With n = 2: ring: the family has an error: ZeroDivisionError")


FAULTS = {
    "documented": family("ring", "best arm.", "best arm"),
    "instance": family("ring", "    angles =", "    np.log(np.zeros(1))\n    angles ="),
    "same again": family("ring", "np.radians(spread)", "np.random.default_rng().uniform(1, 2)"),
}


@pytest.mark.parametrize("about", FAULTS)
def test_each_check_of_a_family_can_fail(site, about):
    install(site, "ring", FAULTS[about], "gems.families")
    found = {each.about: each for _, each in check_plugin("ring")}
    assert not found[about].good
    with pytest.raises(AssertionError, match=f'The plug-in "ring" does not meet its contract.\nfamily, {about}: '):
        require_plugin_contract("ring")


@pytest.mark.parametrize(
    ("before", "after", "about", "words"),
    [
        ("right already.", "right already", "documented", "Its description (says) is not a sentence."),
        ("float(row.samples - row.tau)", "float('nan')", "numbers", 'The metric "late" is nan at trial'),
        ("float(row.samples - row.tau)", "float(row.tau - row.samples)", "numbers", 'The metric "late" is -'),
        (
            "float(row.samples - row.tau)",
            "id(object()) + __import__('random').random()",
            "numbers",
            "The same trial has another",
        ),
    ],
)
def test_each_check_of_a_metric_can_fail(site, before, after, about, words):
    assert before in METRIC
    install(site, "late", metric("late", before, after), "gems.metrics")
    found = {each.about: each for _, each in check_plugin("late")}
    assert not found[about].good
    assert found[about].result.startswith(words)


def test_each_check_of_an_experiment_can_fail(site):
    text = SPEC.replace('title = "Toy"\n', "").replace('name = "rage"', 'name = "rage"\nnoise = "nonsense"')
    (site / "toy.toml").write_text(text)
    install(site, "yours", FILE.format("toy.toml"), "gems.experiments")
    results = {each.about: each for _, each in check_plugin("yours")}
    assert [each.good for each in results.values()] == [False, False]
    assert results["documented"].result == "It has no title. Add title = to its specification."
    assert "nonsense" in results["every cell"].result


# -- registries -----------------------------------------------------------------------------------------------------


def test_nothing_is_looked_for_while_built_in_names_suffice(monkeypatch):
    monkeypatch.setattr(plugins, "entry_points", lambda group: pytest.fail(f"looks for {group}"))
    assert make("soare", D=3).D == 3
    assert METRICS["tau"].of(Row(0, "", "", 1, tau=3)) == 3.0
    assert "dimension" in EXPERIMENTS
    assert specification_of("budget", rehearse=False).name == "budget"


def test_all_groups_look_through_the_packages_once(site, monkeypatch):
    from importlib import metadata

    install(site, "ring", family("ring"), "gems.families")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a folder that changes is looked through again
    seen, plain = [], metadata.entry_points
    monkeypatch.setattr(metadata, "entry_points", lambda **given: seen.append(given) or plain(**given))
    for _ in range(3):
        for find in FIND.values():
            find()
    assert len(seen) == 1
    install(site, "circle", family("circle"), "gems.families")
    assert list(plugin_families().usable) == ["circle", "ring"]


def test_the_columns_of_results_are_not_names_of_metrics():
    own = {"instance", "family", "algorithm", "trial", "experiment_seed", "seed"}
    assert {*OF_CELL, *OF_TRIAL, *own} == metrics.COLUMNS
