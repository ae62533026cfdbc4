"""Stories show their point: arrows, brackets, two runs and locked axes, in pictures and pages of every format."""

import math
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
from PySide6.QtCore import QPointF

from gems_engine.bookmark import Bookmark
from gems_engine.files import read_run
from gems_engine.talk.annotation import Arrow, Bracket, Mark
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.shipped import SHIPPED
from gems_engine.talk.story import Companion, SecondRun, Story, StoryMoment
from gems_gui.assets import asset
from gems_gui.painting.export import Export, export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.frames import Look, view_of
from gems_gui.painting.story_frames import story_frames
from gems_gui.theme import LIGHT
from gems_gui.views.arm_axis import ArmPlot
from gems_gui.views.plot import Plot
from tests.gui.page_reader import Page
from tests.gui.sample_runs import run as sample_run

LOOK = Look((1920, 1080), captions=True, projector=True)


def told_by(name):
    return BoundStory(read_run(asset(f"stories/{name}.gems")))


def open_export(story, look=LOOK, suffix=".pdf"):
    return Export(story.traces[0], ExportJob(Path(f"x{suffix}"), story_frames(story), look), story.traces[1:])


def device(plot, x, y):
    """The pixel of the plot's widget at a data position."""
    return plot.mapFromScene(plot.box.mapViewToScene(QPointF(x, y)))


def on_axis(plot, value, axis):
    return math.log10(value) if (plot.x_axis if axis == "x" else plot.y_axis).logMode else value


def check_marks(view, marks):
    """What is drawn is at its data positions, with its text inside the plot and beside all other texts."""
    plot = view.plot
    drawn = plot.annotations.shown()
    assert [each.text for each in drawn] == [mark.text for mark in marks]
    inside = plot.mapFromScene(plot.box.sceneBoundingRect()).boundingRect().adjusted(-2, -2, 2, 2)
    for mark, each in zip(marks, drawn, strict=True):
        assert inside.contains(each.room.toAlignedRect()), mark.text
        if mark.kind == "bracket":
            at = [on_axis(plot, value, mark.side) for value in mark.points]
            ends = [each.lines[0][0], each.lines[0][-1]]
            low = plot.box.viewRange()[1 if mark.side == "x" else 0][0]
            for value, end in zip(at, ends, strict=True):
                pixel = device(plot, value, low) if mark.side == "x" else device(plot, low, value)
                gap = end.x() - pixel.x() if mark.side == "x" else end.y() - pixel.y()
                assert abs(gap) <= 1.5, mark.text
        else:
            x, y = (on_axis(plot, value, axis) for value, axis in zip(mark.points, "xy", strict=True))
            tip, pixel = each.tip[0], device(plot, x, y)
            assert abs(tip.x() - pixel.x()) <= 1.5
            assert abs(tip.y() - pixel.y()) <= 1.5
            (shaft,) = each.lines
            along = [shaft[0] + part / 20 * (shaft[1] - shaft[0]) for part in range(21)]
            words = each.room.adjusted(1.0, 1.0, -1.0, -1.0)
            assert not each.text or not any(words.contains(point) for point in along), f"the arrow crosses {each.text}"
    rooms = [each.room for each in drawn]
    if isinstance(plot, ArmPlot):
        names = [box for _, box in plot.labels.placed(plot.labels.sceneTransform() * plot.viewportTransform())]
        assert not any(name.intersects(room) for name in names for room in rooms)
    assert not any(one.intersects(two) for at, one in enumerate(rooms) for two in rooms[:at])


def shown_ranges(sheet):
    """The visible ranges of each plot: from and to on x, from and to on y."""
    plots = [view for view in sheet.views if hasattr(view, "plot")]
    return [(view.name, [end for axis in view.plot.box.viewRange() for end in axis]) for view in plots]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_moment_of_every_story_is_complete(qapp, name):
    """Captions on two lines, nothing elided, at most two plots, marks at their places, locked axes."""
    story = told_by(name)
    made = open_export(story)
    ranges = {}
    for at, frame in enumerate(story_frames(story)):
        sheet = made.shown(frame)
        assert sheet.caption.shown() == frame.caption
        assert len(sheet.views) == len(frame.panels) <= 2
        for panel, view in zip(frame.panels, sheet.views, strict=True):
            mine = [mark for mark in frame.marks if (mark.view, mark.second) == view_of(panel)]
            if hasattr(view, "plot"):
                assert not view.plot.placeholder
                check_marks(view, mine)
            else:
                assert mine == []
            if view_of(panel)[1] or (frame.second and view.name != "race"):
                assert view.head.title.text().startswith(f"{frame.names[view_of(panel)[1]]}: ")
        if group := story[at].lock:
            for view, shown in shown_ranges(sheet):
                assert ranges.setdefault((group, view), shown) == pytest.approx(shown, rel=0.02, abs=0.03), (
                    at + 1,
                    view,
                )
        if frame.second and len(sheet.views) == 2:
            (_, left), (_, right) = shown_ranges(sheet)
            assert left == pytest.approx(right, rel=0.02)  # a legend may have one more line
    made.cancel()


def test_the_equivalence_picture_says_what_the_notes_say(qapp):
    story = told_by("a-design-that-lies")
    (at,) = (at for at in range(len(story)) if "design-equivalence" in story[at].views)
    made = open_export(story)
    published, certified = made.shown(story_frames(story)[at]).views
    assert published.head.subtitle.text().startswith("29 arms above 1")
    assert "none above" in certified.head.subtitle.text()
    assert "29 of 40 arms" in story[at].notes
    (way,) = (view for view in made.shown(story_frames(story)[1]).views)
    upper = way.series.courses[0].upper
    assert (upper[1:] >= upper[:-1]).all()  # "its value only grows"
    assert upper[-1] / upper[-2] - 1 < 0.01
    made.cancel()


@pytest.fixture(scope="module")
def two_runs():
    """A story over two runs with everything that a moment can have."""
    trace, other = sample_run("paper-hard"), sample_run("soare")
    early = Bookmark.of(trace, len(trace) // 2)
    moments = (
        StoryMoment(early, ("counts",), "Early", lock="c"),
        StoryMoment(
            Bookmark(end=True),
            ("counts",),
            "Late",
            second=SecondRun(0, early),
            lock="c",
            annotations=(
                Arrow("counts", "0", "{pulls[0]}", "here {samples}", "right"),
                Arrow("counts", "1", "{pulls[1]}", "there {samples}", "right", second=True),
                Bracket("counts", "0", "4", "four arms"),
            ),
        ),
        StoryMoment(Bookmark(end=True), ("counts", "why"), "Alone"),
        StoryMoment(Bookmark(end=True), ("weights",), "Other", run=1),
    )
    return BoundStory(trace, Story("T", moments, "", "hard", (Companion("soare", other),)))


def test_marks_are_in_every_format(qapp, two_runs, tmp_path):
    frames = story_frames(two_runs)
    texts = [mark.text for mark in frames[1].marks]
    assert len(texts) == 3
    look = replace(LOOK, live_text=True)
    for suffix in (".svg", ".pdf", ".html", ".png"):
        chosen = frames if suffix == ".html" else frames[1:2]
        small = replace(look, size=(640, 400)) if suffix == ".html" else look
        job = ExportJob(tmp_path / f"story{suffix}", chosen, small, title="T")
        assert export(two_runs.traces[0], job, companions=two_runs.traces[1:])
    svg = (tmp_path / "story.svg").read_text("utf-8")
    (page,) = pypdf.PdfReader(tmp_path / "story.pdf").pages
    pdf = "".join(page.extract_text().split())
    for text in texts:
        assert text in svg
        assert "".join(text.split()) in pdf
    shared = Page(tmp_path / "story.html")
    assert [[view for view, _ in step["pictures"]] for step in shared.steps] == [
        ["counts"],
        ["counts", "counts"],
        ["counts", "why"],
        ["weights"],
    ]
    assert [cursor for cursor, *_ in shared.index["steps"]] == [frame.cursor for frame in frames]
    late, alone = (shared.steps[at] for at in (1, 2))
    assert {**late, "pictures": [], "caption": 0} == {**alone, "pictures": [], "caption": 0}  # texts of the first run


def test_marks_change_the_picture_and_only_at_their_moment(qapp, two_runs):
    made = open_export(two_runs, replace(LOOK, size=(640, 360)))
    frame = story_frames(two_runs)[1]
    marked, plain = (made.shown(each).image().copy() for each in (frame, replace(frame, marks=())))
    assert marked != plain
    assert made.shown(frame).image() == marked  # not of earlier pictures
    for each in story_frames(two_runs, film=5.0):
        assert bool(each.marks) == (each.moment == 2)
    made.cancel()


def test_axes_are_those_of_the_largest_moment_unless_they_are_free(qapp, two_runs):
    made = open_export(two_runs)
    frames = story_frames(two_runs)
    (early,), (late, _, *_), (free, *_) = (shown_ranges(made.shown(frame)) for frame in frames[:3])
    assert early[1][3] == pytest.approx(late[1][3], rel=0.15)  # the space above bars is in pixels
    (alone,) = shown_ranges(made.shown(replace(frames[0], lock=())))
    assert alone[1][3] < early[1][3]
    assert free[1][3] == pytest.approx(early[1][3], rel=0.15)
    made.cancel()


def test_hidden_truth_hides_marks_that_tell_it(qapp):
    story = told_by("why-model-selection")
    frames = story_frames(story, truth=False)
    assert [mark.text for frame in frames for mark in frame.marks if "×" in mark.text] == []
    assert any(mark.text == "wrong again" for frame in frames for mark in frame.marks) is True


@pytest.mark.parametrize("scale", [1.0, 1.8])
@pytest.mark.parametrize("side", ["above", "below", "left", "right"])
def test_an_arrow_does_not_cross_its_own_text(qtbot, side, scale):
    """Also at an edge of the plot, where the text is moved into it."""
    plot = Plot()
    qtbot.addWidget(plot)
    plot.apply_theme(LIGHT.scaled(scale))
    plot.resize(320, 220)
    plot.show()
    plot.frame((0.0, 1.0), (0.0, 1.0))
    plot.settle()
    for x in (0.0, 0.05, 0.3, 0.5, 0.9, 1.0):
        for y in (0.0, 0.1, 0.5, 0.8, 1.0):
            plot.annotations.show_marks((Mark("arrow", "x", False, (x, y), "eliminated in R¹", side),))
            (mark,) = plot.annotations.shown()
            (shaft,) = mark.lines
            words = mark.room.adjusted(1.0, 1.0, -1.0, -1.0)
            along = [shaft[0] + part / 20 * (shaft[1] - shaft[0]) for part in range(21)]
            assert not any(words.contains(each) for each in (*along, *mark.tip)), (x, y)
