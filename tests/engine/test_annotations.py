"""Annotations, second runs and locked axes of stories: their numbers come from the runs, and bad ones are refused."""

import json
import math
from dataclasses import replace

import pytest

from gems_engine.bookmark import Bookmark
from gems_engine.errors import InputError
from gems_engine.files import read_run, write_run
from gems_engine.formats import journal, story_format
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.talk.annotation import Arrow, Bracket
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.story import Companion, SecondRun, Story, StoryMoment
from gems_engine.trace import Trace

END = Bookmark(end=True)


def run_of(seed):
    trace = Trace(make("soare"))
    for event in Run(trace.instance, "rage", seed, max_samples=100_000):
        trace.append(event)
    return trace


@pytest.fixture(scope="module")
def runs():
    return run_of(1), run_of(2)


def told(runs, *annotations, **rest):
    main, other = runs
    moments = (
        StoryMoment(END, ("race",), lock="race", second=SecondRun(1, END), annotations=annotations, **rest),
        StoryMoment(Bookmark(), ("race",), lock="race"),
        StoryMoment(END, ("gaps",)),
    )
    return BoundStory(main, Story("S", moments, "", "A", (Companion("B", other),)))


ARROW = Arrow("race", "{samples}", "0.5", "{samples} samples", "left")
BRACKET = Bracket("race", "{B.stop}", "{stop}", "× {factor:3}", at=0.25)


def test_numbers_come_from_the_runs(runs):
    first, last = (trace.finished.samples for trace in runs)
    story = told(runs, ARROW, BRACKET, replace(ARROW, second=True))
    arrow, bracket, other = story.marks(0)
    assert (arrow.points, arrow.side, arrow.second) == ((first, 0.5), "left", False)
    assert arrow.text.replace("\N{THIN SPACE}", "").replace("\N{NARROW NO-BREAK SPACE}", "") == f"{first} samples"
    assert (bracket.points, bracket.side, bracket.at) == ((last, first), "x", 0.25)
    assert float(bracket.text.removeprefix("× ")) == float(f"{first / last:.3g}")
    assert (other.points, other.second) == ((last, 0.5), True)  # the numbers of the second run


def test_a_run_that_was_cut_off_has_no_stop():
    trace = Trace(make("soare"))
    for event in Run(trace.instance, "fixed-confidence", 1, max_samples=2000):
        trace.append(event)
    assert summarise(trace).finish == "cap"
    annotations = (Arrow("race", "{stop}", "1"), Arrow("race", "{samples}", "1"))
    story = BoundStory(trace, Story("S", (StoryMoment(END, annotations=annotations),)))
    (shown,) = story.marks(0)
    assert shown.points == (trace.finished.samples, 1.0)


def test_what_reveals_the_truth_is_hidden_with_it(runs):
    told_tau = Bracket("race", "{B.tau}", "{tau}", "× {factor}")
    story = told(runs, told_tau, Arrow("race", "1", "1", "{best}"), ARROW)
    assert len(story.marks(0)) == 3
    assert [mark.kind for mark in story.marks(0, truth=False)] == ["arrow"]


def test_a_number_that_is_being_computed_is_awaited(runs):
    annotations = (Arrow("race", "{rho_star[2]}", "1"), Arrow("race", "1", "1", "{rho_star[2]}"), ARROW)
    story = told(runs, *annotations)
    assert len(story.marks(0, lookup=lambda instance, wanted: None)) == 1
    assert len(story.marks(0)) == 3


def test_the_axes_of_a_group_and_of_two_runs_are_locked(runs):
    story = told(runs).story
    assert [story.locked_with(at) for at in range(3)] == [(0, 1), (0, 1), ()]
    alone = replace(story, moments=tuple(replace(each, lock="") for each in story.moments))
    assert [alone.locked_with(at) for at in range(3)] == [(0,), (), ()]


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (Arrow("race", "{nonsense}", "1"), 'Moment 1: Unknown placeholder "nonsense"'),
        (Arrow("race", "{algorithm}", "1"), "is a name, not a number"),
        (Arrow("race", "1", "1", "{"), "single {"),
        (Arrow("race", "{C.samples}", "1"), 'Unknown run of this story "C"'),
    ],
)
def test_what_has_no_meaning_here_is_one_sentence(runs, annotation, words):
    with pytest.raises(InputError) as caught:
        told(runs, annotation).marks(0)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("make_it", "words"),
    [
        (lambda: Bracket("race", "1", "16", "× {factor}"), "{factor} compares like with like"),
        (lambda: Bracket("race", "{tau}", "{B.samples}", "× {factor}"), "{factor} compares like with like"),
        (lambda: Bracket("race", "{tau/samples}", "{tau}", "× {factor}"), "{factor} compares like with like"),
        (lambda: Bracket("race", "1", "2", axis="z"), "it must be x or y"),
        (lambda: Bracket("race", "1", "2", at=1.5), "a number from 0 to 1"),
        (lambda: Bracket("race", "1", "2", at=math.nan), "a number from 0 to 1"),
        (lambda: Arrow("race", "here", "1"), "it must be a number such as 2.5, or a placeholder such as {tau}"),
        (lambda: Arrow("race", 1, "1"), "x is 1: it must be a number"),
        (lambda: Arrow("race", "1", "nan"), "y is"),
        (lambda: Arrow("../x", "1", "1"), "is not the name of a view"),
        (lambda: Arrow("race", "1", "1", "a\nb"), "one printable line"),
        (lambda: Arrow("race", "1", "1", "x" * 121), "at most 120 characters"),
        (lambda: Arrow("race", "1", "1", side="up"), "one of above, below, left, right"),
        (lambda: Arrow("race", "1", "1", second=1), "true or false"),
        (lambda: StoryMoment(END, lock="a/b"), "cannot be the name of a group of axes"),
        (lambda: StoryMoment(END, annotations=(ARROW,) * 13), "at most 12 annotations"),
        (lambda: StoryMoment(END, annotations=("x",)), "is not an annotation"),
        (lambda: SecondRun(-1, END), "must be a whole number"),
        (lambda: Story("S", (StoryMoment(END, second=SecondRun(1, END)),)), "second run of moment 1 is 1"),
    ],
)
def test_bad_values_are_refused(make_it, words):
    with pytest.raises(InputError) as caught:
        make_it()
    assert words in str(caught.value)


def test_they_come_back_from_a_file(runs, tmp_path):
    story = told(runs, ARROW, BRACKET, replace(ARROW, second=True)).story
    main = runs[0]
    main.story = story
    write_run(tmp_path / "told.gems", main)
    main.story = None
    again = read_run(tmp_path / "told.gems")
    assert again.notes == []
    assert again.story.moments == story.moments
    said = json.loads(story_format.to_json(story))
    assert said["version"] == 2
    assert said["moments"][0]["second"] == {"run": 1, "where": {"end": True}}
    assert said["moments"][0]["annotations"][1] == {
        "kind": "bracket",
        "view": "race",
        "start": "{B.stop}",
        "end": "{stop}",
        "text": "× {factor:3}",
        "at": 0.25,
    }


def test_a_story_without_them_is_written_as_before(runs):
    plain = Story("S", (StoryMoment(END, ("race",), "Done"),))
    said = json.loads(story_format.to_json(plain))
    assert "version" not in said
    assert set(said["moments"][0]) == {"where", "views", "caption"}
    assert story_format.from_json(json.dumps(said).encode(), []).moments == plain.moments


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 3}, "made by a newer version of this program"),
        ({"version": "2"}, "it must be 2"),
        ({"moments": [{"lock": 5}]}, "5 cannot be the name of a group of axes"),
        ({"moments": [{"second": 1}]}, "second is 1: it must be an object"),
        ({"moments": [{"second": {"where": {}}}]}, "the second run is -1"),
        ({"moments": [{"second": {"run": True}}]}, "the second run is True"),
        ({"moments": [{"second": {"run": 0, "where": {"kind": "no"}}}]}, "Unknown kind of event"),
        ({"moments": [{"second": {"run": 7}}]}, "The second run of moment 1 is 7"),
        ({"moments": [{"annotations": {}}]}, "The annotations of moment 1 must be a list"),
        ({"moments": [{"annotations": [5]}]}, "it must have the kind arrow or bracket"),
        ({"moments": [{"annotations": [{"kind": "circle"}]}]}, "it must have the kind arrow or bracket"),
        ({"moments": [{"annotations": [{"kind": ["arrow"]}]}]}, "it must have the kind arrow or bracket"),
        ({"moments": [{"annotations": [{"kind": "arrow", "view": "race", "x": "1"}]}]}, "needs the field y"),
        (
            {"moments": [{"annotations": [{"kind": "arrow", "view": "race", "x": "1", "y": "1", "z": 1}]}]},
            'has no field "z"',
        ),
        ({"moments": [{"annotations": [{"kind": "arrow", "view": "a", "x": "1", "y": "1"}] * 13}]}, "at most 12"),
    ],
)
def test_a_bad_file_costs_a_note_and_not_the_run(runs, tmp_path, change, words):
    main = runs[0]
    main.story = story = told(runs).story
    write_run(tmp_path / "told.gems", main)
    main.story = None
    data = (tmp_path / "told.gems").read_bytes()
    said = json.loads(story_format.to_json(story)) | change
    record = journal.story_record(json.dumps(said).encode())
    (tmp_path / "bad.gems").write_bytes(data[: data.index(b"STRY")] + record)
    bad = read_run(tmp_path / "bad.gems")
    assert bad.story is None
    (note,) = bad.notes
    assert words in note
