"""Stories as pictures, pages and films: every snapshot as in a talk, its caption in the picture."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pypdf
import pytest
from PySide6.QtGui import QImage

from gems_engine.bookmark import Bookmark
from gems_engine.cli import Parser, execute
from gems_engine.errors import InputError
from gems_engine.events import Eliminated
from gems_engine.files import write_run
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.shipped import SHIPPED
from gems_engine.talk.story import Companion, Story, StoryMoment
from gems_gui.commands import render, stories, story_files
from gems_gui.exports.export_choice import ExportChoice, Scene, preview_of, render_line, request_of, traces_of
from gems_gui.exports.export_fields import STORY
from gems_gui.painting.export import Export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.formats import FILMS, SUFFIXES, format_by_suffix
from gems_gui.painting.frames import Look
from gems_gui.painting.story_frames import story_frames
from gems_gui.snapshot import Snapshot
from gems_gui.views import STAGE_VIEWS, VIEWS
from tests.gui.page_reader import Page
from tests.gui.sample_runs import run
from tests.gui.window_driver import driven

LOOK = Look((960, 540), captions=True, projector=True)


@pytest.fixture
def bound_story():
    """Four snapshots over two runs; the second is some rounds behind the first."""
    trace, other = run("paper-hard"), run("transductive")
    early, late = (int(trace.positions(Eliminated)[at]) + 1 for at in (1, -1))
    moments = (
        StoryMoment(
            Bookmark.of(trace, early),
            ("survivors", "cost"),
            "Round one has {left} left",
            arm=2,
            target=2,
            options=(("survivors", "scope", "run"),),
        ),
        StoryMoment(Bookmark.of(trace, late), ("dimension",), "Now in {d_k} dimensions", dimension=5, seconds=2.0),
        StoryMoment(Bookmark(end=True), ("survivors",), "Elsewhere", run=1, arm=500),
        StoryMoment(Bookmark(), (), "Back"),
    )
    return BoundStory(trace, Story("Four", moments, "", "main", (Companion("other", other),)))


def test_every_moment_is_a_frame(bound_story):
    frames = story_frames(bound_story)
    assert [frame.cursor for frame in frames] == [bound_story.cursor(at) for at in range(4)]
    assert [frame.caption for frame in frames] == [bound_story.caption(at) for at in range(4)]
    assert [frame.views for frame in frames[:3]] == [moment.views for moment in bound_story.story.moments[:3]]
    assert set(frames[3].views) <= set(VIEWS)
    assert [frame.run for frame in frames] == [0, 0, 1, 0]
    assert (frames[0].selection.arm, frames[1].selection.dimension) == (2, 5)
    assert frames[2].selection.arm is None  # the other run has no such arm
    assert {frame.seconds for frame in frames} == {None}


def test_a_film_shows_the_ways_and_stays_as_long_as_it_takes_to_read(bound_story):
    fps = 10.0
    frames = story_frames(bound_story, film=fps)
    stays = [frame for frame in frames if frame.seconds is not None]
    assert [frame.seconds for frame in stays] == [bound_story.seconds(at) for at in range(4)]
    assert [frame.cursor for frame in stays] == [bound_story.cursor(at) for at in range(4)]
    way = frames[1 : frames.index(stays[1])]
    assert 0.5 * fps <= len(way) + 1 <= 3.0 * fps
    cursors = [frame.cursor for frame in way]
    assert cursors == sorted(cursors)
    assert stays[0].cursor <= cursors[0] < cursors[-1] <= stays[1].cursor
    assert {frame.caption for frame in way} == {""}  # neither caption is true on the way
    assert {frame.views for frame in way} == {stays[1].views}
    assert len(frames) == 4 + len(way)  # another run, and a place before, are there at once


def test_the_truth_can_be_left_out_of_captions(bound_story):
    story = Story("T", (StoryMoment(Bookmark(end=True), ("why",), "{best}"),))
    assert story_frames(BoundStory(bound_story.traces[0], story), truth=False)[0].caption == "hidden"


@pytest.mark.parametrize("name", SHIPPED)
def test_stories_of_the_program_show_views_that_there_are(name):
    for frame in story_frames(BoundStory(story_files.story_of(name)), film=5.0):
        assert set(frame.views) <= set(STAGE_VIEWS)


def pixels(image):
    data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return data[:, : image.width(), :3].astype(int)


def painted(bound_story, frame, look=LOOK):
    made = Export(bound_story.traces[0], ExportJob(Path("x.png"), [frame], look), bound_story.traces[1:])
    try:
        return pixels(made.shown(frame).image())
    finally:
        made.cancel()


@pytest.fixture
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # rendering sets it: the fixture puts it back


def test_the_caption_is_in_the_picture_and_under_the_views(qapp, bound_story):
    frame = story_frames(bound_story)[0]
    with_words, without = painted(bound_story, frame), painted(bound_story, replace(frame, caption=""))
    rows = np.flatnonzero((with_words != without).any(axis=(1, 2)))
    assert rows.min() > 0.85 * 540  # nothing above moves
    ink = (with_words[rows.min() :] < 100).all(axis=2).sum()
    assert ink > 200  # black letters on white
    assert (without[rows.min() + 2 : rows.max() - 2] == 255).all()


def test_it_looks_as_in_a_talk(qapp, bound_story, in_a_folder):
    """High contrast, large text, views side by side."""
    frame = story_frames(bound_story)[0]
    made = Export(bound_story.traces[0], ExportJob(Path("x.png"), [frame], LOOK), bound_story.traces[1:])
    sheet = made.shown(frame)
    one, other = sheet.views
    assert one.head.mapTo(sheet.widget, one.head.pos()).y() == other.head.mapTo(sheet.widget, other.head.pos()).y()
    assert sheet.theme.text == "#000000"
    assert sheet.theme.letters(11) >= 540 / 28
    assert [view.snapshot.cursor for view in sheet.views] == [frame.cursor] * 2
    assert one.settings["scope"] == "run"  # as the snapshot has it, and not as by default
    other_look = made.shown(replace(frame, options=()))
    assert other_look is not sheet
    assert other_look.views[0].settings["scope"] == "subroutine"
    made.cancel()


# -- the command ------------------------------------------------------------------------------------------------


@pytest.fixture
def gems(capsys, qapp, in_a_folder, bound_story):
    trace = bound_story.traces[0]
    trace.story = bound_story.story
    write_run("told.gems", trace)
    trace.story = None
    write_run("plain.gems", trace)

    def call(line, code=0):
        name, *words = shlex.split(line)
        command = {"render": render.COMMAND, "stories": stories.COMMAND}[name]
        parser = Parser(prog=f"gems {name}")
        command.configure(parser)
        parser.set_defaults(execute=command.run)
        assert execute(parser, words) == code
        out, err = capsys.readouterr()
        assert (len(err.splitlines()) == 1) == (code != 0)
        return err if code else out

    return call


def test_pages_of_a_story(gems, bound_story):
    assert "Four, 4 moments" in gems("render told.gems -o story.pdf --story --size 960x540")
    pages = pypdf.PdfReader("story.pdf").pages
    assert len(pages) == 4
    for at, page in enumerate(pages):
        words = page.extract_text().split()
        assert [word for word in bound_story.caption(at).split() if word not in words] == []
        assert tuple(map(float, page.mediabox[2:])) == (720.0, 405.0)


def test_one_moment_as_a_picture(gems, bound_story):
    assert "moment 2 of 4" in gems("render told.gems -o two.png --story 2 --size 640x360 --theme dark")
    image = QImage("two.png")
    assert (image.width(), image.height()) == (640, 360)
    assert image.pixelColor(2, 358).name() == "#000000"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("render told.gems -o x.png --story", "a .png contains one picture"),
        ("render told.gems -o x.png --story 9", '--story "9" is not allowed'),
        ("render told.gems -o x.png --story 1 --at 5", "--at cannot be used with --story"),
        ("render told.gems -o x.pdf --story --caption Hello", "--caption cannot be used with --story"),
        ("render plain.gems -o x.pdf --story", "plain.gems has no story"),
        ("render why-model-selectio -o x.pdf --story", 'did you mean "why-model-selection"?'),
        ("stories shwo", 'did you mean "show"?'),
        ("stories show plain.gems", "plain.gems has no story"),
        ("stories build -o nowhere", "the folder does not exist"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(gems, line, words):
    assert words in gems(line, code=2)


def test_a_story_of_the_program_by_its_name(gems):
    assert "A design that lies, moment 1 of 6" in gems("render a-design-that-lies -o one.svg --story 1 --size 640x360")


def test_the_stories_are_listed_shown_and_built(gems, tmp_path):
    listed = gems("stories")
    assert all(each.title in listed and name in listed for name, each in SHIPPED.items())
    text = gems("stories show told.gems")
    assert "Round one has" in text
    assert "4 moments" in text
    assert [each["name"] for each in json.loads(gems("stories --json"))] == list(SHIPPED)
    told = json.loads(gems("stories show told.gems --json"))
    assert len(told["moments"]) == 4
    assert all(each["caption"] in text for each in told["moments"])
    (tmp_path / "new").mkdir()
    gems("stories build -o new")
    assert {file.stem for file in (tmp_path / "new").iterdir()} == set(SHIPPED)


# -- from the window ----------------------------------------------------------------------------------------------


@pytest.fixture
def scene(bound_story):
    return Scene(Snapshot.of(bound_story.traces[0], 30), ("counts",), {"counts": {"scale": "log"}}, 1.3, bound_story)


def same(one, other):
    """Whether frames say the same; what two of them mark is never equal."""
    return str(one) == str(other)


def test_a_choice_of_the_story_is_an_order_of_its_frames(scene, bound_story):
    choice = ExportChoice(suffix=".pdf", story=True, size="800 × 450", captioned=False)
    order = request_of(choice, scene, "a.pdf")
    assert same(order.what, story_frames(bound_story))
    assert order.look == Look((800, 450), captions=True, projector=True)
    assert order.title == "Four"
    assert order.job(scene.snapshot).title == "Four"
    film = request_of(replace(choice, suffix=".gif", fps="5"), scene, "a.gif")
    assert same(film.what, story_frames(bound_story, film=5.0))
    assert same([preview_of(choice, scene)], story_frames(bound_story)[:1])
    assert traces_of(choice, scene) == bound_story.traces
    assert render_line(choice, scene, "r.gems", "a.pdf") == (
        "gems render r.gems -o a.pdf --story --size 800x450 --theme light"
    )
    film = replace(choice, suffix=".mp4", scale="2", theme="dark")
    hidden = replace(scene, snapshot=replace(scene.snapshot, truth=False))
    assert render_line(film, hidden, "r.gems", "a.mp4").endswith(
        "--story --size 800x450 --theme dark --scale 2 --fps 10 --hide-truth"
    )


def test_without_a_story_the_choice_means_the_step_that_is_shown(scene):
    plain = replace(scene, bound_story=None)
    assert request_of(ExportChoice(story=True), plain, "a.png") == request_of(ExportChoice(), plain, "a.png")
    assert traces_of(ExportChoice(story=True), plain) == (scene.snapshot.trace,)


def test_a_number_that_is_not_there_yet_is_waited_for(bound_story):
    story = Story("T", (StoryMoment(Bookmark(end=True), ("why",), "{rho_star[2]}"),))
    told = BoundStory(bound_story.traces[0], story)
    scene = Scene(Snapshot.of(told.traces[0]), bound_story=told, lookup=lambda instance, wanted: None)
    with pytest.raises(InputError, match="still being computed"):
        request_of(ExportChoice(suffix=".pdf", story=True), scene, "a.pdf")


def test_films_are_the_formats_that_play():
    assert {suffix for suffix in SUFFIXES if format_by_suffix(suffix).film} == set(FILMS)


def test_the_dialog_exports_the_story(qtbot, tmp_path):
    with driven(qtbot, size=(1150, 760)) as driver:
        driver.finished()
        driver.press("Ctrl+E")
        dialog = driver.window.exports.dialog
        assert dialog.fields.steps.findData(STORY) < 0
        trace = driver.trace
        moments = (
            StoryMoment(Bookmark.of(trace, 30), ("survivors",), "After {samples} samples"),
            StoryMoment(Bookmark(end=True), ("counts", "weights"), "Complexity {rho_star[2]}"),
        )
        driver.window.talk.set_story(driver.run, Story("Two", moments), "making")
        driver.window.exports.show_scene()
        assert dialog.fields.steps.findData(STORY) >= 0
        dialog.choose(replace(dialog.choice, suffix=".pdf", story=True, size="640 × 360"))
        dialog.changed.emit()
        driver.wait(lambda: dialog.valid)  # the numbers of the captions have come
        assert dialog.summary.text().startswith("2 moments")
        assert not dialog.fields.what.isEnabled()
        assert not dialog.fields.captioned.isEnabled()
        driver.wait(lambda: not dialog.preview._pixmap.isNull())
        driver.window.exports.export_to(str(tmp_path / "story.pdf"))
        driver.wait(lambda: not driver.window.exports.exports.busy)
        pages = pypdf.PdfReader(tmp_path / "story.pdf").pages
        words = [" ".join(page.extract_text().split()) for page in pages]
        bound_story = BoundStory(trace)
        assert [bound_story.caption(at).split()[0] in words[at] for at in range(2)] == [True, True]
        assert len(pages) == 2
        dialog.choose(replace(dialog.choice, suffix=".html", story=True))
        driver.window.exports.export_to(str(tmp_path / "story.html"))
        driver.wait(lambda: not driver.window.exports.exports.busy)
        page = Page(tmp_path / "story.html")
        assert page.index["moments"] == [[at + 1, bound_story.caption(at)] for at in range(2)]
        write_run(tmp_path / "run.gems", trace)
        assert page.files["story.gems"] == (tmp_path / "run.gems").read_bytes(), "with its story"
        driver.window.talk.set_story(driver.run, None, "deletion")
        driver.window.exports.show_scene()
        assert dialog.fields.steps.findData(STORY) < 0
        assert dialog.valid
