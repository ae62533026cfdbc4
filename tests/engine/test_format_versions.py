"""Files of every version of the run format load for good, and are the same runs when they are run again."""

import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from gems_engine.diff import compare
from gems_engine.errors import InputError
from gems_engine.events import OUTSIDE
from gems_engine.files import read_run, write_run
from gems_engine.forcing import ONWARDS, Forced, Fork, forks_of
from gems_engine.formats import chunk, journal
from gems_engine.formats.chunk import Sizes
from gems_engine.talk.telling import Telling
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
    assert (trace.started.rewards == OUTSIDE) == (file.stem == "version-0-outside")


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


def test_a_branch_says_what_was_forced_and_where():
    trace = read_run(FOLDER / "version-1-branch.gems")
    assert forks_of(trace.started.forced, trace.instance.D) == (
        Fork(57, Forced(dimension=2, selection_budget=40.0, budget_for=ONWARDS)),
        Fork(90, Forced(seed=7, solver="frank-wolfe", tolerance=0.1)),
    )


def test_a_story_is_told_as_it_was():
    telling = Telling(read_run(FOLDER / "version-1-story.gems"))
    assert (telling.story.title, telling.story.about) == ("A sample", "For the tests of the format.")
    assert telling.story.run_names == ("GEMS", "RAGE")
    assert [telling.find(at) for at in range(3)] == [(0, True), (68, True), (17, True)]
    assert [telling.caption(at) for at in range(3)] == [
        "Nothing yet: 0",
        f"4 left in R², 2{THIN}216 there",
        "The end of RAGE: x_3",
    ]
    middle = telling[1]
    assert (middle.views, middle.notes, middle.seconds) == (("survivors", "cost"), "Say it.\nTwice.", 4.5)
    assert (middle.arm, middle.target, middle.dimension) == (2, 2, 3)
    assert middle.options == (("survivors", "scope", "subroutine"),)


@pytest.mark.parametrize(
    ("forced", "words"),
    [
        ({"57.seed": -1}, "seed = -1 is not allowed"),
        ({"57.dimension": 99, "57.dimension_for": "next round"}, "d = 99 cannot be forced"),
        ({"57.colour": 1}, "Unknown parameter 'colour'"),
        ({"0.seed": 1}, "is no event with a name"),
        ({"seed": 1}, "is no event with a name"),
        ({"57.dimension": 2}, "does not fit together"),
        ({"57.budget_for": "next subroutine"}, "does not fit together"),
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
