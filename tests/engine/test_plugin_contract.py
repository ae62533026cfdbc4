"""The contract of an algorithm: the one that `gems plugin new` writes meets it, and every check can fail."""

import json
import sys

import pytest

from gems_engine import plugins
from gems_engine.algorithms import contract_checks, installed_algorithm
from gems_engine.algorithms.contract import check_algorithm, require_contract
from gems_engine.cli import main
from tests.plugin_packages import install, template

GOOD = template("toy", "algorithm")
PULL = """context.pull(Allocated(place, instance.D, arms, counts, factor=1.0, guaranteed=enough))"""
BY_HAND = """_pull(context, Allocated(place, instance.D, arms, counts, factor=1.0, guaranteed=enough))"""
HELPER = """
def _pull(context, asked):
    sums = yield asked
    context.samples += int(asked.counts.sum()){more}
    yield Pulled(asked.place, {sums}, context.samples)
    return sums


def steps("""
FIT = "fit = least_squares(problem, arms, counts, sums)  # of this round"
GUESS = 'yield Recommended(Place(), best, 0, "first guess")  # before any sample'


def changed(before, after, *more):
    """The good algorithm with something replaced."""
    source = GOOD
    for old, new in ((before, after), *zip(more[::2], more[1::2], strict=True)):
        assert old in source, old
        source = source.replace(old, new)
    return source


def pulling(sums="sums", more=""):
    """One that yields Pulled by itself."""
    return changed(PULL, BY_HAND, "\ndef steps(", HELPER.format(sums=sums, more=more))


def first(code):
    """One that does something at the beginning of its steps."""
    return changed("    context.limit(given)", f"    {code}\n    context.limit(given)")


FAULTS = {
    "no summary": (
        "documented",
        changed("recommends by least squares.", "recommends"),
        "Its summary is not a sentence.",
    ),
    "no title": ("documented", changed('    title="Toy",\n', ""), "It has no title. Set title="),
    "no listing": ("documented", changed("listing=LISTING", "listing=None"), "It has no pseudo-code, so the view"),
    "no help": ("parameters", changed("Number of rounds.", ""), "Its parameter rounds is not described."),
    "no guess": ("events", changed(GUESS, "pass"), "Its first event is no guess. Yield Recommended(Place(), target,"),
    "miscounts": (
        "events",
        pulling(more=" + 1"),
        "Pulled counts 101 samples after 0 and 100 more. Pull by context.pull",
    ),
    "goes back": (
        "events",
        changed("Place(1, 1, k)", "Place(1, 1, 9 - k)"),
        "The position (ℓ, i, k) of Allocated goes",
    ),
    "changes its mind": (
        "events",
        changed("why, best, context", "why, (best + 1) % len(arms), context"),
        "RunFinished recommends target",
    ),
    "no end": (
        "events",
        changed("return RunFinished", "RunFinished"),
        'The algorithm "toy" has an error: it ends without',
    ),
    "crashes": ("events", first("1 / 0"), "It fails: ZeroDivisionError: division by zero. Correct it."),
    "random": (
        "same seed",
        changed("Estimated(place, fit.theta)", "Estimated(place, fit.theta + np.random.default_rng().normal())"),
        "differs in a second run with the same seed. Take random numbers only from context.generator",
    ),
    "other sums": ("replay", pulling("2 * sums"), "Pulled, has other sums than were measured. Yield what Allocated"),
    "counts its runs": (
        "file",
        changed(
            "\ndef steps(",
            "RUNS = []\n\n\ndef steps(",
            GUESS,
            f"RUNS.append(best)\n    best = int(len(RUNS) > 1)\n    {GUESS}",
        ),
        "gems verify finds that event 2 differs. Use only context, the parameters and the rewards",
    ),
    "no parameter": (
        "cap",
        changed(
            "        MAX_SAMPLES,\n        LAST_ROUND,\n", "", "    context.limit(given)  # respect max_samples\n", ""
        ),
        "It has no parameter max_samples. Add MAX_SAMPLES",
    ),
    "no limit": (
        "cap",
        changed("    context.limit(given)  # respect max_samples\n", ""),
        "With max_samples = 1 it draws 25500 samples. Ask context.afford(pulls)",
    ),
    "D = 1": ("degenerate instances", first("assert context.D > 1"), "On one arm it fails: AssertionError"),
    "two lines": (
        "degenerate instances",
        changed("    steps,\n", "    steps,\n    lambda instance, given: instance.require_rewards('x\\ny'),\n"),
        "On features only it refuses, but not in one sentence. Raise InputError with one.",
    ),
    "cannot be closed": (
        "cancel",
        changed(
            GUESS,
            f"try:\n        for _ in range(5):\n            {GUESS}\n    except GeneratorExit:\n        {GUESS}",
        ),
        "It yields events after it was closed. Do not catch GeneratorExit",
    ),
    "ignores stop": (
        "cancel",
        changed(FIT, f"context.stop and context.stop()\n            {FIT}"),
        "It goes on after context.st",
    ),
    "another process": (
        "worker process",
        first("import multiprocessing; given = {**given, 'rounds': 2 if multiprocessing.parent_process() else 3}"),
        "In a worker process the result of a trial differs. Depend on nothing but context",
    ),
    "warns": ("warnings", first("np.log(np.zeros(1))"), "It warns: RuntimeWarning (toy.py, line 33): divide by zero"),
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("toy", None)
    plugins._attempt.cache_clear()
    installed_algorithm.cache_clear()


def only(monkeypatch, *names):
    """Make only these checks: a whole contract starts a process."""
    known = dict(contract_checks.CHECKS)
    monkeypatch.setattr(contract_checks, "CHECKS", tuple((name, known[name]) for name in names))


def toy(site, source):
    install(site, "toy", source, lines="toy = toy:TOY")


@pytest.mark.parametrize(("about", "source", "words"), FAULTS.values(), ids=FAULTS)
def test_each_check_can_fail_and_says_what_to_do(site, monkeypatch, about, source, words):
    toy(site, source)
    only(monkeypatch, *(("events",) if about == "warnings" else ()), about)
    found = {each.about: each for each in check_algorithm("toy")}
    assert not found[about].good
    assert words in found[about].result
    assert "\n" not in found[about].result


def test_one_that_computes_for_long_without_an_event_cannot_be_cancelled(site, monkeypatch):
    toy(site, GOOD)
    only(monkeypatch, "cancel")
    assert [each.good for each in check_algorithm("toy")] == [True]
    monkeypatch.setattr(contract_checks, "_PATIENCE", -1.0)
    (found,) = check_algorithm("toy")
    assert found.result.startswith(
        "It computes for 0.0 s without an event, so it cannot be cancelled. Call context.stop"
    )


def test_one_that_does_not_end_and_one_that_refuses_everything(site, monkeypatch):
    toy(
        site,
        changed(
            "    context.limit(given)",
            "    while True:\n        yield Recommended(Place(), 0, 0, 'again')\n    context.limit(given)",
        ),
    )
    only(monkeypatch, "events")
    monkeypatch.setattr(contract_checks, "_MOST_EVENTS", 50)
    (found,) = check_algorithm("toy")
    assert found.result.startswith("It has not ended after 50 events with at most 20000 samples. End it when")


def test_a_refusal_of_every_instance_is_a_fault(site, monkeypatch):
    refuses = "    steps,\n    lambda instance, given: 1 / 0,\n"
    toy(site, changed("    steps,\n", refuses))
    only(monkeypatch, "events")
    (found,) = check_algorithm("toy")
    assert found.result.startswith("It refuses every ordinary instance. Correct its function refuse. paper-hard:")


def test_an_algorithm_needs_no_parameter_for_its_last_round(site, monkeypatch):
    toy(site, changed("        LAST_ROUND,\n", ""))
    only(monkeypatch, "events", "cap")
    assert [each.result for each in check_algorithm("toy")] == [
        "31 events on paper-hard:epsilon=0.3, complete and in order",
        "max_samples of 1, 10 and 1000 respected",
    ]


@pytest.mark.parametrize("name", ["fixed-budget", "gems-c", "gems-m", "rage", "static-oracle"])
def test_built_in_algorithms_meet_the_contract(monkeypatch, name):
    only(monkeypatch, *(about for about, _ in contract_checks.CHECKS if about != "worker process"))
    failed = [each.about for each in check_algorithm(name) if not each.good]
    assert failed == (["cap"] if name == "static-oracle" else [])  # it draws as many as the lower bound says


def test_the_command_prints_a_line_for_each_check_and_the_test_function_raises(site, monkeypatch, capsys):
    toy(site, FAULTS["no title"][1])
    install(site, "broken", "1 / 0")
    only(monkeypatch, "documented", "parameters")
    assert main(["plugin", "check", "toy"]) == 1
    said = capsys.readouterr().out
    assert said == (
        "algorithm toy\n  ✗ documented            It has no title. Set title= to the name that people know.\n"
        "  ✓ parameters            all 9 described\n"
    )
    with pytest.raises(AssertionError, match=r'"toy" does not meet the contract.\ndocumented: It has no title.'):
        require_contract("toy")
    assert main(["plugin", "check", "--all", "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert not facts["works"]
    assert {(each["plugin"], each["kind"], each["about"], each["good"]) for each in facts["findings"]} == {
        ("broken", "algorithm", "loads", False),
        ("toy", "algorithm", "documented", False),
        ("toy", "algorithm", "parameters", True),
    }
    for words, sentence in (
        ([], "Give the NAME of a plug-in, or --all."),
        (["toi"], 'Unknown plug-in "toi": did you mean "toy"?'),
    ):
        assert main(["plugin", "check", *words]) == 2
        assert capsys.readouterr().err == f"gems: {sentence}\n"


def test_without_plug_ins_the_command_says_so(monkeypatch, capsys):
    monkeypatch.setattr(plugins, "entry_points", lambda group: [])
    assert main(["plugin", "check", "--all"]) == 0
    assert capsys.readouterr().out == "No plug-ins are installed. Write one with gems plugin new NAME.\n"
    assert main(["plugin", "check", "nothing"]) == 2
    assert capsys.readouterr().err == 'gems: Unknown plug-in "nothing": there are none.\n'
