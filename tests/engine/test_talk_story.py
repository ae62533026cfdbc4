"""Stories: what they hold, where their moments are, and that they survive files, old programs and hostile bytes."""

import io
import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gems_engine.bookmark import Bookmark
from gems_engine.errors import InputError
from gems_engine.events import EVENTS, DesignSolved, Eliminated, Place
from gems_engine.files import read_run, write_run
from gems_engine.formats import journal, story_format
from gems_engine.gallery import make
from gems_engine.running import Run
from gems_engine.talk.story import Companion, Story, StoryMoment
from gems_engine.talk.telling import Telling, reading_seconds
from tests.engine.synthetic_runs import small_instance, synthetic_trace
from tests.engine.test_fuzz_files import mutated
from tests.engine.test_fuzz_runs import VALUE, in_pieces

FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def moment_at(trace, cursor, **rest):
    return StoryMoment(Bookmark.of(trace, cursor), **rest)


def told():
    """A run with a story of five moments over two runs."""
    trace = synthetic_trace(loops=2, subroutines=1, rounds=2)
    other = synthetic_trace(loops=1, subroutines=1, rounds=1, seed=5)
    moments = (
        StoryMoment(Bookmark(), ("survivors",), "Nothing yet: {samples} samples."),
        moment_at(trace, 9, views=("survivors", "cost"), caption="d = {d_k}", arm=2, target=2, dimension=3),
        moment_at(trace, 25, notes="Breathe.\nThen go on.", seconds=2.5, options=(("why", "scope", "this one"),)),
        moment_at(other, 12, run=1, caption="{other.samples} at its end", target=1),
        StoryMoment(Bookmark(end=True), ("why",), "{samples}"),
    )
    trace.story = Story("Two runs", moments, "What there is to see.", "main", (Companion("other", other),))
    return trace


def plain(story):
    """All of a story that can be compared."""
    return (
        replace(story, companions=()) if not story.companions else story.title,
        story.about,
        story.moments,
        story.run_names,
        [list(each.trace) for each in story.companions],
        [each.trace.instance for each in story.companions],
    )


# -- to a file and back -------------------------------------------------------------------------------------------


def test_a_story_comes_back_from_a_file_with_its_other_runs(tmp_path):
    trace = told()
    write_run(tmp_path / "told.gems", trace)
    again = read_run(tmp_path / "told.gems")
    assert list(again) == list(trace)
    assert again.notes == []
    assert plain(again.story) == plain(trace.story)
    write_run(tmp_path / "again.gems", again)
    assert (tmp_path / "again.gems").read_bytes() == (tmp_path / "told.gems").read_bytes()


def test_a_run_without_a_story_is_stored_as_before(tmp_path):
    trace = synthetic_trace()
    write_run(tmp_path / "run.gems", trace)
    assert b"STRY" not in (tmp_path / "run.gems").read_bytes()
    assert read_run(tmp_path / "run.gems").story is None


def test_the_record_can_be_read_by_eye():
    said = json.loads(story_format.to_json(told().story))
    assert said["runs"] == ["main", "other"]
    assert said["moments"][1] == {
        "where": {"kind": "design solved", "ell": 1, "i": 1, "k": 2} | said["moments"][1]["where"],
        "views": ["survivors", "cost"],
        "caption": "d = {d_k}",
        "arm": 2,
        "target": 2,
        "dimension": 3,
    }
    assert said["moments"][-1]["where"] == {"end": True}
    assert said["moments"][0]["where"] == {}


def test_what_is_not_known_is_left_out_and_said(tmp_path):
    trace = told()
    write_run(tmp_path / "told.gems", trace)
    data = (tmp_path / "told.gems").read_bytes()
    (tmp_path / "newer.gems").write_bytes(data + journal._framed(b"XTRA", b"something new", 13, 0))
    newer = read_run(tmp_path / "newer.gems")
    assert plain(newer.story) == plain(trace.story)
    assert newer.notes == ["Chunk 5 (XTRA) is unknown to this version of the program and was skipped."]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": 5}, "title is 5: it must be text"),
        ({"title": " "}, "A story needs a title"),
        ({"colour": 1}, 'Unknown field of the story "colour"'),
        ({"runs": ["main"]}, "the file has 2"),
        ({"runs": ["main", "main"]}, "each with its own name"),
        ({"runs": ["main", "a b"]}, "cannot be the name of a run"),
        ({"moments": {}}, "must be a list"),
        ({"moments": [5]}, "Moment 1 is 5"),
        ({"moments": [{"where": {"kind": "exploded"}}]}, 'Unknown kind of event "exploded"'),
        ({"moments": [{"where": {"ell": 1}}]}, "needs the kind of an event"),
        ({"moments": [{"where": {"end": True, "k": 1}}]}, "together with other fields"),
        ({"moments": [{"where": {"kind": "pulled", "k": -1}}]}, "k is -1"),
        ({"moments": [{"views": ["a", "a"]}]}, "each once"),
        ({"moments": [{"views": ["../etc"]}]}, "is not the name of a view"),
        ({"moments": [{"options": {}}]}, "must be a list, each with a view, an option and a value"),
        ({"moments": [{"options": [["a", "b"]]}]}, "must be a list, each with a view, an option and a value"),
        ({"moments": [{"options": [["a", "b", 3]]}]}, "3 is not part of an option"),
        ({"moments": [{"options": [["a", "b", "c"]] * 41}]}, "at most 40 options"),
        ({"moments": [{"run": 2}]}, "Moment 1 belongs to run 2, but the story has 2"),
        ({"moments": [{"arm": True}]}, "arm is True"),
        ({"moments": [{"seconds": 0}]}, "seconds is 0"),
        ({"moments": [{"caption": "a\u0007b"}]}, "one printable line"),
        ({"moments": [{"notes": "x" * 6000}]}, "at most 5000"),
        ({"moments": [{}] * 501}, "at most 500"),
    ],
)
def test_a_bad_story_costs_a_note_and_not_the_run(tmp_path, change, words):
    trace = told()
    write_run(tmp_path / "told.gems", trace)
    data = (tmp_path / "told.gems").read_bytes()
    said = json.loads(story_format.to_json(trace.story)) | change
    record = journal.story_record(json.dumps(said).encode())
    (tmp_path / "bad.gems").write_bytes(data[: data.index(b"STRY")] + record)
    bad = read_run(tmp_path / "bad.gems")
    assert list(bad) == list(trace)
    assert bad.story is None
    (note,) = bad.notes
    assert note.startswith("The story in the file was skipped: ")
    assert words in note


def test_other_runs_without_a_story_are_named(tmp_path):
    write_run(tmp_path / "told.gems", told())
    data = (tmp_path / "told.gems").read_bytes()
    (tmp_path / "torn.gems").write_bytes(data[: data.index(b"STRY") + 30])
    torn = read_run(tmp_path / "torn.gems")
    assert torn.story is None
    assert "is incomplete" in torn.notes[0]
    assert "further runs" in torn.notes[1]


# -- whatever the bytes -------------------------------------------------------------------------------------------


def as_file(trace):
    story = trace.story
    parts = [in_pieces(trace, 20)]
    for each in story.companions:
        parts += [journal.beginning(each.trace.instance), *(record for record, _ in each.trace.records_from(0))]
    return b"".join([*parts, journal.story_record(story_format.to_json(story))])


SEED = as_file(told())


def read_bytes(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "story.gems"
    path.write_bytes(data)
    try:
        return read_run(path), ""
    except InputError as error:
        return None, str(error)


def survives(tmp_path_factory, data):
    """A run whose story, if it has one, can be told to its end and written again; or one sentence."""
    trace, said = read_bytes(tmp_path_factory, data)
    if trace is None:
        assert said.endswith((".", "?"))
        assert said.isprintable()
        return
    assert all(note.isprintable() and note.endswith((".", "?")) for note in trace.notes)
    if trace.story is None:
        return
    telling = Telling(trace)
    for at in range(len(telling)):
        assert 0 <= telling.cursor(at) <= len(telling.trace_of(at))
        refused = ""
        try:
            telling.caption(at)
        except InputError as error:
            refused = str(error)
        assert not refused or refused.startswith(f"Moment {at + 1}: ")
    again = story_format.from_json(story_format.to_json(trace.story), [each.trace for each in trace.story.companions])
    assert plain(again) == plain(trace.story)


@settings(FUZZ, max_examples=300)
@given(mutated([SEED]))
def test_mutated_files_with_a_story(tmp_path_factory, data):
    survives(tmp_path_factory, data)


@FUZZ
@given(st.integers(0, len(SEED)))
def test_cut_off_anywhere(tmp_path_factory, end):
    survives(tmp_path_factory, SEED[:end])


@FUZZ
@given(st.binary(max_size=200) | VALUE.map(lambda value: json.dumps(value).encode()))
def test_any_record_of_a_story(tmp_path_factory, data):
    survives(tmp_path_factory, SEED[: SEED.index(b"STRY")] + journal.story_record(data))


FIELDS = st.dictionaries(
    st.sampled_from(
        ["where", "views", "options", "caption", "notes", "arm", "target", "dimension", "run", "seconds", "x"]
    ),
    VALUE | st.dictionaries(st.sampled_from(["kind", "end", "ell", "i", "k", "ordinal"]), VALUE, max_size=3),
    max_size=4,
)


@FUZZ
@given(st.lists(FIELDS, max_size=3), VALUE)
def test_structured_stories(tmp_path_factory, moments, title):
    said = {"title": title, "runs": ["main", "other"], "moments": moments}
    record = journal.story_record(json.dumps(said).encode())
    survives(tmp_path_factory, SEED[: SEED.index(b"STRY")] + record)


def test_a_bit_of_damage_in_a_story_is_found(tmp_path_factory):
    """Behind its head no changed bit gives another story: it is the end of the file, so it is dropped and said."""
    start = SEED.index(b"STRY")
    for at in range(start + 24, len(SEED), 97):
        spoiled = bytearray(SEED)
        spoiled[at] ^= 4
        trace, _ = read_bytes(tmp_path_factory, bytes(spoiled))
        assert trace.story is None
        assert trace.notes


def test_damage_in_front_of_another_record_is_refused(tmp_path_factory):
    """A story in the middle cannot be taken for a torn end, whatever kind of record comes behind it."""
    tail = journal.beginning(small_instance())
    spoiled = bytearray(SEED + tail)
    spoiled[SEED.index(b"STRY") + 60] ^= 1
    assert "is damaged" in read_bytes(tmp_path_factory, bytes(spoiled))[1]
    spoiled = bytearray(SEED + tail)
    spoiled[SEED.index(b"STRY") + 1] ^= 1
    assert "is damaged" in read_bytes(tmp_path_factory, bytes(spoiled))[1]
    assert io.BytesIO(SEED).read() == SEED


# -- where moments are --------------------------------------------------------------------------------------------


def test_every_event_of_a_run_can_be_a_moment_and_is_found_again():
    trace = synthetic_trace(loops=2, subroutines=2, rounds=3)
    moments = tuple(moment_at(trace, cursor) for cursor in range(len(trace) + 1))
    telling = Telling(trace, Story("All", moments))
    assert [telling.find(at) for at in range(len(telling))] == [(cursor, True) for cursor in range(len(trace) + 1)]


def test_a_moment_is_found_where_the_same_happens_in_another_run():
    """Another seed and solver give other numbers and other lengths of rounds, and the same places."""
    instance = make("paper-hard", d_star=4, epsilon=0.3)
    first = Run(instance, "fixed-confidence", 1, max_samples=20_000).finish()
    second = Run(instance, "fixed-confidence", 2, solver="frank-wolfe", max_samples=20_000).finish()
    shared, moved = 0, 0
    for kind in (DesignSolved, Eliminated):
        there = {second[at].place: at + 1 for at in second.positions(kind).tolist()}
        for at in first.positions(kind).tolist():
            found, exact = Telling(second, Story("Again", (moment_at(first, at + 1),))).find(0)
            place = first[at].place
            assert (found, exact) == (there[place], True) if place in there else not exact
            shared += place in there
            moved += exact and found != at + 1
    assert shared > 10
    assert moved > 5


def test_what_was_read_of_a_run_is_not_read_again():
    trace = told()
    first = Telling(trace)
    assert [history.trace for history in first.histories] == []
    cursors = [first.cursor(at) for at in range(len(first))]
    assert [history.trace for history in first.histories] == [trace, trace.story.companions[0].trace]
    second = Telling(trace, histories=first.histories)
    assert [second.cursor(at) for at in range(len(second))] == cursors
    assert all(one is other for one, other in zip(second.histories, first.histories, strict=True))


def test_a_place_that_the_run_does_not_have_gives_the_nearest_before():
    trace = synthetic_trace(loops=1, subroutines=1, rounds=2)
    where = Bookmark(Place(7, 1, 1), EVENTS["eliminated"])
    cursor, exact = Telling(trace, Story("Beyond", (StoryMoment(where),))).find(0)
    assert not exact
    assert 0 < cursor <= len(trace)


def test_stories_change_by_becoming_others():
    a, b, c = (StoryMoment(Bookmark(), caption=text) for text in "abc")
    story = Story("abc", (a, b))
    assert story.with_moment(1, c).moments == (a, c, b)
    assert story.with_changed(0, c).moments == (c, b)
    assert story.without(0).moments == (b,)
    assert story.with_moment(2, c).with_moved(0, 2).moments == (b, c, a)
    assert story.with_moment(2, c).with_moved(2, 0).moments == (c, a, b)
    assert story.moments == (a, b)


def test_how_long_a_moment_stays():
    trace = told()
    telling = Telling(trace)
    assert telling.seconds(2) == 2.5
    assert telling.seconds(0) == reading_seconds("Nothing yet: 0 samples.")
    assert reading_seconds("") == 3.0 < reading_seconds("x" * 100) < reading_seconds("x" * 200) < 20.0
    assert telling.duration == pytest.approx(sum(telling.seconds(at) for at in range(5)))


def test_a_run_without_a_story_says_so():
    with pytest.raises(InputError, match=re.escape("The run has no story.")):
        Telling(synthetic_trace())
