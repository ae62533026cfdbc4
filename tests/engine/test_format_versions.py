"""Files of every version load for good, runs are the same when they are run again, and newer files are refused."""

import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gems_engine.branching import BranchRequest
from gems_engine.diff import compare
from gems_engine.errors import InputError
from gems_engine.events import OUTSIDE, BudgetDivided, DesignSolved, TopDimensionChosen
from gems_engine.experiment.rows import Session, parse_line, session_line
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.explanation.dimension import largest_looked_at, pulls_of_call
from gems_engine.explanation.scene import Scene
from gems_engine.files import read_instance, read_recovery, read_run, write_run
from gems_engine.forcing import ONWARDS, Forced, Fork, forks_of
from gems_engine.formats import chunk, content, journal
from gems_engine.formats.event_rules import Sizes
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.instance import Instance
from gems_engine.recipe import Recipe
from gems_engine.rewards import Noise
from gems_engine.running import Run, is_older
from gems_engine.summary import summarise
from gems_engine.talk.bound_story import BoundStory
from gems_engine.terminal import THIN
from gems_engine.verification import verify

FOLDER = Path(__file__).parents[1] / "data" / "runs"
FILES = sorted(FOLDER.glob("*.gems"))
FACTS = {  # events, samples, recommended, ended by: as the program of that version said
    "version-0-fixed-confidence": (157, 59_440, 2, "cap"),
    "version-0-fixed-budget": (176, 2_206, 3, "budget spent"),
    "version-0-rage": (23, 10_242, 10, "singleton"),
    "version-0-misspecified": (40, 35_600, 3, "last loop"),
    "version-0-outside": (26, 2_585, 2, "singleton"),
    "version-1-fixed-confidence": (157, 59_440, 2, "cap"),
    "version-1-fixed-budget": (176, 2_206, 3, "budget spent"),
    "version-1-branch": (403, 58_947, 2, "cap"),
    "version-1-story": (75, 1_220, 2, "cap"),
    "version-2-fixed-confidence": (157, 59_440, 2, "cap"),
    "version-2-fixed-budget": (204, 2_206, 3, "budget spent"),
    "version-3-lost": (230, 28_882, 2, "cap"),
}


def test_there_are_files_of_every_version():
    versions = {int(re.match(r"version-(\d+)-", file.name)[1]) for file in FILES}
    assert versions == set(range(journal.VERSION + 1))
    assert {file.stem for file in FILES} == set(FACTS)
    for file in FILES:
        assert file.read_bytes().startswith(f"gems-run {file.name.split('-')[1]}\n".encode())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_says_what_it_said(file):
    trace = read_run(file)
    end = trace.finished
    assert trace.notes == []
    assert (len(trace), end.samples, end.recommendation, end.why) == FACTS[file.stem]
    assert (trace.started.rewards == OUTSIDE) == (file.stem in ("version-0-outside", "version-3-lost"))


def only_the_odd_pull(old, new):
    """The program of version 0 let a last digit say which of two equal arms gets it."""
    return np.abs(old.counts - new.counts).tolist() == [1, 1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_comes_again(file):
    verdict = verify(read_run(file))  # another processor may round differently, and must do the same things
    assert verdict.rounding < 1e-12
    if verdict.alike:
        assert verdict.checked == FACTS[file.stem][0]
    else:
        assert file.stem.startswith("version-0-")
        assert only_the_odd_pull(verdict.recorded, verdict.again)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_saved_again_it_is_of_this_version_and_the_same_run(file, tmp_path):
    trace = read_run(file)
    write_run(tmp_path / "again.gems", trace)
    assert (tmp_path / "again.gems").read_bytes().startswith(journal.LINE)
    again = read_run(tmp_path / "again.gems")
    assert list(again) == list(trace)
    assert again.instance == trace.instance
    assert again.finished.seconds == trace.finished.seconds


def test_two_versions_tell_one_run():
    for name in ("fixed-confidence", "fixed-budget"):
        old, new = (read_run(FOLDER / f"version-{number}-{name}.gems") for number in (0, 1))
        found = compare(old, new)
        assert found.settings == ()
        assert only_the_odd_pull(old[found.parted], new[found.parted])
        assert old.started.forced == new.started.forced == {}


@pytest.mark.parametrize("number", [0, 1])
def test_a_run_of_before_t_prime_and_d_tilde_were_said_still_tells_them(number):
    old, new = (read_run(FOLDER / f"version-{each}-fixed-budget.gems") for each in (number, 2))
    assert is_older(old)
    assert not is_older(new)
    assert len(old.positions(BudgetDivided)) == len(old.positions(TopDimensionChosen)) == 0
    said = [new[int(at)] for at in new.positions(TopDimensionChosen)]
    assert len(said) == len(old.subroutine_starts) == len(new.subroutine_starts)
    assert [pulls_of_call(old, int(at)) for at in old.subroutine_starts] == [each.pulls for each in said]
    assert [pulls_of_call(new, int(at)) for at in new.subroutine_starts] == [each.pulls for each in said]
    history = History(old)
    tops = [largest_looked_at(Scene(history, old.state_at(int(at) + 1))) for at in old.subroutine_starts]
    assert tops == [each.top for each in said]


def test_a_run_of_an_older_version_can_be_branched_from():
    old = read_run(FOLDER / "version-1-fixed-budget.gems")
    branch = BranchRequest.of(old, 40).run().finish()
    assert [event.kind for event in branch] == [event.kind for event in old]
    forced = BranchRequest.of(old, 40, Forced(dimension=1, dimension_for=ONWARDS)).run().finish()
    assert {event.d for event in forced[40:] if isinstance(event, DesignSolved)} == {1}
    assert verify(forced).alike


@pytest.mark.parametrize("name", ["gems-c", "gems-b", "gems-m"])
def test_one_call_of_an_older_version_is_verified_and_recommends_nothing_before_its_end(name, tmp_path):
    """It began with a first guess, and GEMS-c ended with an arm."""
    instance = make("sphere", D=6, d_star=3, n=15, min_gap=0.05, seed=2)
    given = {"rounds": 3, "selection_budget": 60.0}
    write_run(tmp_path / "old.gems", Run(instance, name, 1, older=True, **given).finish())
    old, new = read_run(tmp_path / "old.gems"), Run(instance, name, 1, **given).finish()
    assert [event.why for event in old if event.kind == "recommended"] == [
        "first guess",
        "the largest last estimate among those left",
    ]
    assert is_older(old)
    assert not is_older(new)
    assert verify(old).same
    assert verify(new).same
    assert BranchRequest.of(old, 5).run().finish().finished == old.finished
    said = ("recommended", "budget divided", "top dimension chosen")
    assert [event for event in old if event.kind not in (*said, "run started")] == [
        event for event in new if event.kind not in (*said, "run started")
    ]
    answer = None if name == "gems-c" else old.finished.recommendation
    for trace in (old, new):
        states = [trace.state_at(cursor) for cursor in range(len(trace) + 1)]
        assert all(state.recommendation is None for state in states[:-2])
        assert states[-1].recommendation == answer
        assert summarise(trace).trajectory == ((trace.finished.samples, trace.finished.recommendation),)
        assert History(trace).recommendations.target.tolist() == ([] if answer is None else [answer])
    assert [summarise(old).tau, summarise(old).correct] == [summarise(new).tau, summarise(new).correct]


def test_a_branch_says_what_was_forced_and_where():
    trace = read_run(FOLDER / "version-1-branch.gems")
    assert forks_of(trace.started.forced, trace.instance.D) == (
        Fork(57, Forced(dimension=2, selection_budget=40.0, budget_for=ONWARDS)),
        Fork(90, Forced(seed=7, solver="frank-wolfe", tolerance=0.1)),
    )


def test_a_story_is_told_as_it_was():
    bound_story = BoundStory(read_run(FOLDER / "version-1-story.gems"))
    assert (bound_story.story.title, bound_story.story.about) == ("A sample", "For the tests of the format.")
    assert bound_story.story.run_names == ("GEMS", "RAGE")
    assert [bound_story.find(at) for at in range(3)] == [(0, True), (68, True), (17, True)]
    assert [bound_story.caption(at) for at in range(3)] == [
        "Nothing yet: 0",
        f"4 left in R², 2{THIN}216 there",
        "The end of RAGE: x_3",
    ]
    middle = bound_story[1]
    assert (middle.views, middle.notes, middle.seconds) == (("survivors", "cost"), "Say it.\nTwice.", 4.5)
    assert (middle.arm, middle.target, middle.dimension) == (2, 2, 3)
    assert middle.options == (("survivors", "scope", "subroutine"),)


@pytest.mark.parametrize(
    ("forced", "words"),
    [
        ({"57.seed": -1}, "seed = -1 is not allowed"),
        ({"57.dimension": 99, "57.dimension_for": "next round"}, "d = 99 cannot be forced"),
        ({"57.colour": 1}, 'Unknown parameter "colour"'),
        ({"0.seed": 1}, "is not an event with a name"),
        ({"seed": 1}, "is not an event with a name"),
        ({"57.dimension": 2}, "contradict each other"),
        ({"57.budget_for": "next subroutine"}, "contradict each other"),
        ({"57.tolerance": {"float": "nan"}}, "tolerance"),
        ({"57.tolerance": True}, "tolerance"),
    ],
)
def test_a_file_that_forces_nonsense_is_refused(forced, words):
    trace = read_run(FOLDER / "version-1-fixed-budget.gems")
    sizes = Sizes.of(trace.instance)
    packed, _ = chunk.encode([trace.started], sizes)
    said = json.loads(zlib.decompress(packed)[8:])
    said["kinds"]["run started"]["forced"] = [forced]
    text = json.dumps(said).encode()
    text += b" " * (-len(text) % 8)
    data = len(text).to_bytes(8, "little") + text
    with pytest.raises(InputError, match=re.escape(words)):
        chunk.decode(zlib.compress(data), len(data), 1, sizes)


# -- instances, experiments ----------------------------------------------------------------------------------------

INSTANCES = FOLDER.parent / "instances"
KNOWN = Instance(
    np.array([[1.0, 0.0, 0.1], [0.0, 1.0, 1 / 3], [0.5, -0.5, 1e-9]]),
    np.array([[1.0, 0.0, 0.1], [0.25, 0.25, 0.25]]),
    np.array([0.1, 0.7, -0.3]),
    np.array([0.1, 0.2]),
    None,
    Noise("gaussian", 0.5),
    "old but good",
    Recipe("", (), "items.csv", ("edited by hand",)),
    ("α", "b", "c"),
    ("first", "second"),
)


NAMED = replace(KNOWN, feature_names=("height", "weight", "age"))
"""What version 2 has more."""
FEATURES = replace(NAMED, rewards=None, target_rewards=None, theta=None)
"""What version 3 may lack."""


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_an_instance_of_every_version_is_read_for_good(suffix):
    versions = [int(file.stem.split("-")[1]) for file in INSTANCES.glob(f"version-*{suffix}")]
    assert sorted(versions) == list(range(1, content.VERSION + 1))
    for version in versions:
        assert read_instance(INSTANCES / f"version-{version}{suffix}") == {1: KNOWN, 2: NAMED, 3: FEATURES}[version]


def newer_json(folder):
    (folder / "a.json").write_bytes(
        (INSTANCES / "version-1.json").read_bytes().replace(b'"version": 1', b'"version": 9')
    )
    read_instance(folder / "a.json")


def newer_npz(folder):
    with np.load(INSTANCES / "version-1.npz") as stored:
        arrays = dict(stored)
    words = arrays["meta"].tobytes().replace(b'"version": 1', b'"version": 9')
    np.savez(folder / "a.npz", **{**arrays, "meta": np.frombuffer(words, np.uint8)})
    read_instance(folder / "a.npz")


def newer_run(folder):
    (folder / "a.gems").write_bytes(FILES[-1].read_bytes().replace(journal.LINE, b"gems-run 9\n", 1))
    read_run(folder / "a.gems")


def newer_recovery(folder):
    (folder / "a.gems").write_bytes(FILES[-1].read_bytes().replace(journal.LINE, b"gems-run 9\n", 1))
    read_recovery(folder / "a.gems")


def newer_rows(folder):
    session = Session("small", "0f", 4, 5, 6, "two processes", "2026-01-01T00:00:00+00:00")
    parse_line(session_line(session).replace(b'"version":1', b'"version":9'), 1)


def newer_specification(folder):
    parse_specification('version = 9\nshape = "new"\n', "mine")


@pytest.mark.parametrize(
    "read",
    [newer_json, newer_npz, newer_run, newer_recovery, newer_rows, newer_specification],
    ids=lambda each: each.__name__,
)
def test_a_newer_file_is_refused_by_name(read, tmp_path):
    with pytest.raises(
        InputError, match=r"made by a newer version of this program \(file version 9; this program reads \d\)"
    ):
        read(tmp_path)


def test_a_specification_may_say_its_version():
    text = '[instance]\nfamily = "paper-hard"\n[algorithm]\nname = "rage"\n'
    assert parse_specification(f"version = 1\n{text}", "mine", rehearse=False).cells
