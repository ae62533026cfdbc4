"""Algorithms and commands of other packages: a broken one is listed with its error, and everything else works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gems_engine import plugins
from gems_engine.algorithms import (
    BUILT_IN,
    algorithm_named,
    algorithm_title,
    algorithms,
    installed_algorithm,
    plugin_algorithms,
)
from gems_engine.algorithms.algorithm import BEST_ARM, SHARED, Algorithm
from gems_engine.algorithms.contract import checked_algorithm
from gems_engine.cli import main
from gems_engine.commands import plugin_commands
from gems_engine.errors import InputError
from gems_engine.instance import Instance
from gems_engine.parameters import Parameter
from gems_engine.running import Run
from gems_engine.self_test import CHECKS
from tests.plugin_packages import algorithm, install

ROOT = Path(__file__).parents[2]
TWO = Instance.linear(np.eye(2), [1.0, 0.0])
COMMAND = """
from gems_engine.commands.command import Command
PLUGIN = Command("greet 100% of the world", "gems {name}", lambda parser: {configure}, lambda arguments: 0)
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path of this process."""
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for path in tmp_path.glob("*.py"):
        sys.modules.pop(path.stem, None)
    plugins._attempt.cache_clear()
    installed_algorithm.cache_clear()


def reasons(found):
    return {each.name: each.reason for each in found.broken}


# -- loading --------------------------------------------------------------------------------------------------------

SOURCES = {
    "fails-on-import": (
        "import a_package_that_is_not_there",
        "it cannot be loaded: ModuleNotFoundError: No module named",
    ),
    "raises": ("1 / 0", "it cannot be loaded: ZeroDivisionError: division by zero."),
    "has-a-syntax-error": (
        "def (",
        "it cannot be loaded: SyntaxError: invalid syntax (has_a_syntax_error.py, line 1).",
    ),
    "exits": ("import sys; sys.exit('no')", "it cannot be loaded: SystemExit: no."),
    "lacks-its-object": (
        "",
        "it cannot be loaded: AttributeError: module 'lacks_its_object' has no attribute 'PLUGIN'.",
    ),
    "is-long": ("raise ValueError('x' * 1000)", "xxx…"),
    "is-no-algorithm": ("PLUGIN = 3", "it is an int, not an Algorithm."),
    "lacks-parameters": (
        algorithm("lacks-parameters", parameters="*SHARED[1:],"),
        "it lacks the shared parameters zeta. Add *SHARED to its parameters.",
    ),
    "differs": (algorithm("another"), 'the algorithm calls itself "another". Give the entry point the same name.'),
    "has-a-taken-title": (
        algorithm("has-a-taken-title").replace("steps)", "steps, title='rage')"),
        'its title or alias "rage" is a name of RAGE. Change it.',
    ),
    "has-a-taken-alias": (
        algorithm("has-a-taken-alias").replace("steps)", "steps, aliases=('oracle',))"),
        'its title or alias "oracle" is a name of Static oracle. Change it.',
    ),
    "cannot-be-checked": (
        algorithm("cannot-be-checked", parameters="Parameter(3, 'int', 0, ''), *SHARED,"),
        "it cannot be checked: AttributeError: 'int' object has no attribute 'isidentifier'.",
    ),
    "takes-a-seed": (
        algorithm("takes-a-seed", parameters="Parameter('seed', 'int', 0, 'A seed.'), *SHARED,"),
        'its parameter "seed" has the name of an option of every run. Rename it.',
    ),
}


@pytest.mark.parametrize(("name", "source", "reason"), [(name, *each) for name, each in SOURCES.items()], ids=SOURCES)
def test_a_broken_algorithm_is_listed_with_its_reason_and_is_not_used(site, capsys, name, source, reason):
    install(site, name, source)
    install(site, "good", algorithm("good"))
    found = plugin_algorithms()
    assert list(found.usable) == ["good"]
    (broken,) = found.broken
    assert reason in broken.reason
    assert broken.sentence == f'The algorithm "{name}" of the package {name} cannot be used: {broken.reason}'
    assert "\n" not in broken.sentence
    assert list(algorithms()) == [*BUILT_IN, "good"]
    assert algorithm_title(name) == name
    with pytest.raises(InputError) as refusal:
        algorithm_named(name)
    assert str(refusal.value) == broken.sentence
    assert main(["run", "soare", "--algorithm", name]) == 2
    assert capsys.readouterr().err == f"gems: {broken.sentence}\n"
    (finding,) = [check() for about, check in CHECKS if about == "plug-ins"]
    assert (finding.good, finding.result) == (False, broken.sentence)


def test_a_failed_import_is_tried_once_in_a_process(site):
    install(site, "counts", "with open(__file__ + '.log', 'a') as log: log.write('x')\n1 / 0")
    for _ in range(3):
        assert "ZeroDivisionError" in reasons(plugin_algorithms())["counts"]
    assert (site / "counts.py.log").read_text() == "x"


def test_what_a_module_prints_is_no_output_of_a_command(site, capsys):
    install(site, "prints", "print('hello')\n" + algorithm("prints"))
    assert main(["run", "soare", "--max-samples", "100", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["algorithm"] == "fixed-confidence"
    assert said.err == "hello\n"


@pytest.mark.parametrize("name", ["rage", "RAGE", "gems_c"])
def test_a_name_of_a_built_in_algorithm_is_a_clash(site, name):
    install(site, "theirs", algorithm(name), entry=name)
    assert reasons(plugin_algorithms()) == {name: "a built-in algorithm has this name. Rename it."}
    assert algorithm_named("rage") is BUILT_IN["rage"]


def test_of_two_packages_with_the_same_name_the_first_is_used(site):
    install(site, "zeta-package", algorithm("toy"), entry="toy")
    install(site, "alpha-package", algorithm("toy"), entry="toy")
    found = plugin_algorithms()
    assert list(found.usable) == ["toy"]
    (broken,) = found.broken
    assert broken.package == "zeta-package"
    assert broken.reason == "another package, alpha-package, has one of this name. Rename one."


def test_a_malformed_list_of_entry_points_hides_no_other_package(site):
    install(site, "good", algorithm("good"))
    install(site, "malformed", "", lines="this is not an entry point")
    found = plugin_algorithms()
    assert list(found.usable) == ["good"]
    (broken,) = found.broken
    assert broken.sentence.startswith("The algorithms of the package malformed cannot be used: its entry points")


def test_without_plugins_the_doctor_says_so(monkeypatch):
    monkeypatch.setattr(plugins, "entry_points", lambda group: [])
    (finding,) = [check() for about, check in CHECKS if about == "plug-ins"]
    assert (finding.good, finding.result) == (None, "none installed")


def test_the_doctor_names_plugins_that_work(site, monkeypatch):
    install(site, "good", algorithm("good"))
    (finding,) = [check() for about, check in CHECKS if about == "plug-ins"]
    assert (finding.good, finding.result) == (True, "good")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"goal": "glory"}, 'its goal must be "best arm" or "epsilon".'),
        ({"steps": None}, "its steps and refuse must be functions."),
        ({"summary": None}, "its summary must be text."),
        ({"aliases": (1,)}, "its aliases must be text."),
        ({"listing": "x"}, "its listing must be a Listing or None."),
        ({"parameters": list(SHARED)}, "its parameters must be a tuple of Parameter."),
        ({"parameters": (*SHARED, "x")}, "one of its parameters is a str, not a Parameter."),
        ({"parameters": (*SHARED, SHARED[0])}, 'it has two parameters "zeta".'),
        ({"parameters": (*SHARED, Parameter("a-b", "int", 0, ""))}, 'its parameter "a-b" must have a name such as'),
        ({"parameters": (Parameter("zeta", "text", "", ""), *SHARED[1:])}, 'its parameter "zeta" differs from the'),
    ],
)
def test_what_an_algorithm_must_define(change, reason):
    whole = {"name": "toy", "summary": "A toy.", "parameters": SHARED, "goal": BEST_ARM, "steps": print}
    assert checked_algorithm("toy", Algorithm(**whole)).name == "toy"
    with pytest.raises(InputError) as refusal:
        checked_algorithm("toy", Algorithm(**whole | change))
    assert str(refusal.value).startswith(reason)


def test_a_check_of_an_instance_that_fails_is_a_refusal():
    def refuse(instance, parameters):
        raise KeyError("nothing")

    toy = checked_algorithm("toy", Algorithm("toy", "A toy.", SHARED, BEST_ARM, print, refuse))
    with pytest.raises(InputError, match=r'The algorithm "toy" cannot check this instance: KeyError: \'nothing\'\.'):
        toy.refuse(TWO, {})


# -- commands -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "source", "reason"),
    [
        ("raises", "1 / 0", "it cannot be loaded: ZeroDivisionError: division by zero."),
        ("is-no-command", "PLUGIN = 3", "it is of the type int, not a Command."),
        ("run", COMMAND.format(name="run", configure=None), "a built-in command has this name. Rename it."),
        ("window", COMMAND.format(name="window", configure=None), "another package, gems-lab, has one of this name."),
    ],
)
def test_a_broken_command_is_listed_and_every_other_works(site, capsys, name, source, reason):
    install(site, "a-theirs", source, "gems.commands", entry=name)
    assert reasons(plugin_commands())[name].startswith(reason)
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert f'\nBroken plug-ins:\n  The command "{name}" of the package a-theirs cannot be used: {reason}' in text
    assert main(["instance", "list"]) == 0
    assert capsys.readouterr().err == ""
    if name not in ("run", "window"):
        assert main([name]) == 2
        assert capsys.readouterr().err.startswith(f'gems: The command "{name}" of the package a-theirs cannot be used:')


def test_a_command_whose_arguments_fail_affects_no_other(site, capsys):
    install(site, "hello", COMMAND.format(name="hello", configure="1 / 0"), "gems.commands")
    install(site, "greet", COMMAND.format(name="greet", configure="None"), "gems.commands")
    assert main(["--help"]) == 0
    assert "greet 100% of the world" in capsys.readouterr().out
    assert main(["greet"]) == 0
    assert main(["instance", "show", "hello"]) == 2
    assert "There is no file of that name either" in capsys.readouterr().err
    assert main(["hello"]) == 2
    assert capsys.readouterr().err == 'gems: The command "hello" cannot be used: ZeroDivisionError: division by zero.\n'


# -- events ---------------------------------------------------------------------------------------------------------

ASK = "yield Allocated(place, 2, np.arange(2), np.full(2, 3), 1.0, True)"
BODIES = {
    "no end": ("return None", "it ends without RunFinished, which it must return"),
    "yields its end": (
        "yield RunFinished(place, 'x', 0, context.survivors, 0)",
        "it yields RunFinished, which it must",
    ),
    "yields its start": ("yield RunStarted(place, '', 'x', {}, 0, '', {})", "it yields RunStarted, which the program"),
    "no event": ("yield 'hello'", "it yields a str, not an event"),
    "no pulls": (
        f"{ASK}\nyield Estimated(place, np.zeros(2))",
        "it yields Estimated instead of Pulled after Allocated",
    ),
    "ends without pulls": (ASK, "it ends after Allocated without Pulled"),
    "pulls without a request": ("yield Pulled(place, np.zeros(2), 6)", "it yields Pulled without Allocated before it"),
    "too few sums": (f"{ASK}\nyield Pulled(place, np.zeros(1), 6)", "it yields Pulled with 1 sums for 2 arms"),
    "no subroutine": (
        "yield Eliminated(place, *[np.zeros(0, int)] * 2, *[np.zeros(0)] * 2, 2)",
        "it yields Eliminated without SubroutineStarted before it",
    ),
}


@pytest.mark.parametrize(("body", "what"), BODIES.values(), ids=BODIES)
def test_a_missing_event_is_one_sentence(site, capsys, body, what):
    install(site, "toy", algorithm("toy", body))
    with pytest.raises(InputError) as refusal:
        Run(TWO, "toy").finish()
    assert str(refusal.value).startswith(f'The algorithm "toy" has an error: {what}')
    assert str(refusal.value).endswith(". See docs/events.md.")
    assert main(["run", "soare", "--algorithm", "toy"]) == 2
    assert capsys.readouterr().err == f"gems: {refusal.value}\n"


def test_no_recommendation_and_no_generator_are_one_sentence_each(site):
    install(site, "toy", algorithm("toy").replace("    yield Recommended(Place(), 0", "    if 0: yield Place(0"))
    with pytest.raises(InputError, match="it ends with a recommendation without Recommended before it"):
        Run(TWO, "toy").finish()
    install(site, "listed", algorithm("listed").replace("steps)", "lambda context, given: [])"))
    with pytest.raises(InputError, match="its steps return a list, not a generator of events"):
        Run(TWO, "listed").finish()


def test_an_algorithm_with_every_event_runs(site):
    install(site, "toy", algorithm("toy", f"sums = {ASK}\ncontext.samples += 6\nyield Pulled(place, sums, 6)"))
    trace = Run(TWO, "toy", 1).finish()
    assert [each.kind for each in trace] == ["run started", "recommended", "allocated", "pulled", "run finished"]


# -- the program, in processes of its own -----------------------------------------------------------------------


def gems(folder, *words, code=0):
    path = os.pathsep.join([str(folder), str(ROOT)])
    answer = subprocess.run(
        [sys.executable, "-m", "gems_engine", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "100"},
        timeout=100,
    )
    assert answer.returncode == code, answer.stderr
    assert "Traceback" not in answer.stderr
    return answer.stdout if code == 0 else answer.stderr


def test_with_broken_packages_installed_the_program_works(tmp_path):
    for name, (source, _) in SOURCES.items():
        install(tmp_path, name, source)
    install(tmp_path, "broken-command", "1 / 0", "gems.commands")
    install(tmp_path, "good", algorithm("good"))
    text = gems(tmp_path, "run", "--help")
    assert "good" in text
    for name in SOURCES:
        assert f'\n  The algorithm "{name}" of the package {name} cannot be used: ' in text
    text = gems(tmp_path, "--help")
    assert 'The command "broken-command" of the package broken-command cannot be used: ' in text
    for name in SOURCES:
        assert f'\n  The algorithm "{name}" of the package {name} cannot be used: ' in text
    assert "recommends e_1" in gems(tmp_path, "run", "soare", "--max-samples", "1000")
    assert json.loads(gems(tmp_path, "run", "soare", "--algorithm", "good", "--json"))["algorithm"] == "good"
    assert "ZeroDivisionError" in gems(tmp_path, "run", "soare", "--algorithm", "raises", code=2)


def test_an_error_in_the_steps_of_an_algorithm_is_one_sentence_and_a_report(tmp_path):
    install(tmp_path, "toy", algorithm("toy", 'raise ValueError("no rounds today")'))
    reports = tmp_path / "reports"
    reports.mkdir()
    words = [sys.executable, "-m", "gems_engine", "run", "soare", "--algorithm", "toy"]
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(reports), "GEMS_DEBUG": ""}
    answer = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=100)
    [report] = reports.glob("gems-report-*.txt")
    said = "gems: An unexpected error occurred: ValueError: no rounds today."
    assert (answer.returncode, answer.stderr) == (1, f"{said} The report is in {report}.\n")
    text = report.read_text(encoding="utf-8")
    assert text.startswith("gems run soare --algorithm toy\n")
    assert "toy.py" in text
    assert text.endswith("ValueError: no rounds today\n")
    if os.name == "posix":
        assert report.stat().st_mode & 0o777 == 0o600
    raised = subprocess.run(words, capture_output=True, text=True, env={**environment, "GEMS_DEBUG": "1"}, timeout=100)
    assert raised.returncode == 1
    assert "Traceback" in raised.stderr
