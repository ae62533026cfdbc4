"""Every format is opened by a reader that is not ours, has the size that was asked for and shows what the PNG shows."""

import csv
import io
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib.util import find_spec

import av
import numpy as np
import pypdf
import pypdfium2
import pytest
import resvg_py
from PIL import Image

from gems_engine.errors import InputError
from gems_engine.history import History
from gems_gui.painting import film
from gems_gui.painting.export import Export, export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.formats import SUFFIXES, format_by_suffix, suffix_of
from gems_gui.painting.frames import MOST_FRAMES, Frame, FrameRange, Look, step_caption, steps
from gems_gui.painting.render import PictureSheet
from gems_gui.snapshot import Snapshot, at_rest
from gems_gui.views import VIEWS
from tests.gui.sample_runs import replicates_of, run

SIZE = (640, 400)
LOOK = Look(SIZE)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def trace():
    return run("paper-hard")


def history_of(trace):
    history = History(trace)
    history.update()
    return history


def cursor(trace):
    """Inside a later round, when all is known about it but who leaves: there is hatching, too."""
    return [at for at in trace.positions("estimated").tolist() if trace[at].place.k > 1][-2] + 1


def pictured(trace, frame, look=LOOK, replicates=None):
    """What a sheet of its own paints, as red, green and blue."""
    sheet = PictureSheet(frame.views, look)
    sheet.show(at_rest(replace(Snapshot.of(trace, frame.cursor), replicates=replicates)), frame.caption)
    image = sheet.image()
    sheet.close()
    return film.pixels(image)[:, :, 2::-1].astype(int)


def apart(one, other):
    """Mean difference of two pictures, and the share of pixels that no smoothing explains."""
    assert one.shape == other.shape
    difference = np.abs(one.astype(int) - other.astype(int))
    return float(difference.mean()), float((difference.max(axis=2) > 64).mean())


def opened(data):
    with Image.open(io.BytesIO(data) if isinstance(data, bytes) else data) as image:
        return np.asarray(image.convert("RGB"))


def pages(file, numbers):
    """Pages of a PDF as a browser paints them."""
    document = pypdfium2.PdfDocument(file)
    images = [np.asarray(document[at].render(scale=96 / 72).to_pil().convert("RGB")) for at in numbers]
    document.close()
    return images


# -- one picture ------------------------------------------------------------------------------------------------------


def test_png(qapp, trace, tmp_path):
    frame = Frame(cursor(trace))
    assert export(trace, ExportJob(tmp_path / "a.png", [frame], replace(LOOK, scale=1.5)))
    with Image.open(tmp_path / "a.png") as found:
        assert (found.format, found.size) == ("PNG", (960, 600))
    assert np.array_equal(opened(tmp_path / "a.png"), pictured(trace, frame, replace(LOOK, scale=1.5)))


# Seeds of a race do not depend on the cursor, and the gallery paints them.
# One of each kind: the board, an image, bars, points, an outline, a text and a table; the others paint as these do.
KINDS = (None, "survivors", "counts", "geometry", "replicates", "why", "events")


@pytest.mark.parametrize(
    "view", [*KINDS, *(pytest.param(each, marks=pytest.mark.long) for each in VIEWS if each not in (*KINDS, "seeds"))]
)
def test_svg_and_pdf_show_what_the_png_shows(qapp, trace, tmp_path, view):
    frame = Frame(cursor(trace), () if view is None else (view,))
    more = replicates_of("paper-hard") if view in ("replicates", "tau") else None
    expected = pictured(trace, frame, replicates=more)
    export(trace, ExportJob(tmp_path / "a.svg", [frame], LOOK), replicates=more)
    svg = opened(bytes(resvg_py.svg_to_bytes(svg_string=(tmp_path / "a.svg").read_text("utf-8"), dpi=96)))
    export(trace, ExportJob(tmp_path / "a.pdf", [frame], LOOK), replicates=more)
    (pdf,) = pages(tmp_path / "a.pdf", [0])
    elsewhere = pictured(trace, Frame(cursor(trace) // 2, frame.views))
    for found in (svg, pdf):
        mean, share = apart(found, expected)
        assert mean < 4.5
        assert share < 0.03
        # It would be noticed: a table of one run differs in a few digits.
        assert apart(found, elsewhere)[1] > 1.5 * share


def test_svg_is_plain_and_has_no_text(qapp, trace, tmp_path):
    """So that it looks the same where our font is not installed, in any reader."""
    for view in ((), ("why",), ("events",)):
        export(
            trace,
            ExportJob(tmp_path / "a.svg", [Frame(cursor(trace), view)], replace(LOOK, scale=2), title="A <b> & c"),
        )
        root = ET.parse(tmp_path / "a.svg").getroot()
        assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("1280", "800", "0 0 640 400")
        assert root.findtext(f"{SVG}title") == "A <b> & c"
        tags = {each.tag.removeprefix(SVG) for each in root.iter()}
        assert tags <= {"svg", "title", "defs", "clipPath", "pattern", "g", "path", "image"}
        names = {each.get("id") for each in root.iter() if each.get("id")}
        used = set(re.findall(r"url\(#(\w+)\)", (tmp_path / "a.svg").read_text("utf-8")))
        assert used == names
        assert "nan" not in (tmp_path / "a.svg").read_text("utf-8")


def test_pdf_has_its_size_its_title_and_its_fonts(qapp, trace, tmp_path):
    for scale in (1.0, 1.7):
        job = ExportJob(tmp_path / "a.pdf", [Frame(cursor(trace))], replace(LOOK, scale=scale), title="A run")
        export(trace, job)
        found = pypdf.PdfReader(tmp_path / "a.pdf")
        assert found.metadata.title == "A run"
        (page,) = found.pages
        assert np.allclose([page.mediabox.width, page.mediabox.height], np.array(SIZE) * 0.75 * scale, atol=1.0)
        fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
        assert fonts
        for font in fonts:
            descriptor = font["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()
            assert "DejaVu" in descriptor["/FontName"]
            assert len(descriptor["/FontFile2"].get_object().get_data()) > 1000
        assert "Surviving arms" in " ".join(page.extract_text().split())


# -- several ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def frames(trace):
    return FrameRange(140, len(trace), caption=None).frames(Snapshot.of(trace))


CAPTIONED = replace(LOOK, captions=True)


def test_a_page_for_each_step(qapp, trace, frames, tmp_path):
    export(trace, ExportJob(tmp_path / "a.pdf", frames, CAPTIONED))
    found = pypdf.PdfReader(tmp_path / "a.pdf")
    assert len(found.pages) == len(frames)
    some = (0, 5, len(frames) - 1)
    for at, picture in zip(some, pages(tmp_path / "a.pdf", some), strict=True):
        words = " ".join(found.pages[at].extract_text().split())
        assert " ".join(frames[at].caption.split())[:30] in words
        assert apart(picture, pictured(trace, frames[at], CAPTIONED))[1] < 0.03


def test_numbered_pictures(qapp, trace, frames, tmp_path):
    export(trace, ExportJob(tmp_path / "film", frames, CAPTIONED))
    names = [f"{number:04}.png" for number in range(1, len(frames) + 1)]
    assert sorted(each.name for each in (tmp_path / "film").iterdir()) == names
    assert [each.name for each in tmp_path.iterdir()] == ["film"]
    for at in (0, 5, len(frames) - 1):
        assert np.array_equal(opened(tmp_path / "film" / names[at]), pictured(trace, frames[at], CAPTIONED))


def decoded(file):
    """Frames of a film with the seconds at which each begins."""
    if file.suffix == ".gif":
        images, seconds = [], [0.0]
        with Image.open(file) as found:
            for at in range(found.n_frames):
                found.seek(at)
                images.append(np.asarray(found.convert("RGB")))
                seconds.append(seconds[-1] + found.info["duration"] / 1000)
        return images, seconds[:-1]
    with av.open(file) as found:
        shown = list(found.decode(video=0))
        return [each.to_ndarray(format="rgb24") for each in shown], [each.time for each in shown]


@pytest.mark.parametrize(
    ("suffix", "most"), [("gif", (0.5, 0.0)), pytest.param("mp4", (1.5, 0.005), marks=pytest.mark.long)]
)
def test_each_frame_of_a_film_is_the_picture_of_its_step(qapp, trace, frames, tmp_path, suffix, most):
    file = tmp_path / f"a.{suffix}"
    export(trace, ExportJob(file, frames, CAPTIONED, fps=4))
    images, seconds = decoded(file)
    assert np.allclose(seconds, np.arange(len(frames)) / 4, atol=0.006)
    expected = [pictured(trace, frame, CAPTIONED) for frame in frames]
    for at, image in enumerate(images):
        mean, share = apart(image, expected[at])
        assert mean < most[0]
        assert share <= most[1]
        others = [apart(image, other)[0] for number, other in enumerate(expected) if number != at]
        assert mean < min(others)  # it is this step and no other
    without = [replace(frame, caption="") for frame in frames[:1]]
    top = round(0.9 * SIZE[1])
    assert apart(images[0][top:], pictured(trace, without[0], CAPTIONED)[top:])[0] > 2  # the caption is in it


def test_a_film_in_the_colours_that_players_expect(qapp, trace, tmp_path):
    export(trace, ExportJob(tmp_path / "a.mp4", [Frame(9), Frame(10)], LOOK))
    with av.open(tmp_path / "a.mp4") as found:
        stream = found.streams.video[0]
        assert (stream.width, stream.height, stream.codec_context.name) == (*SIZE, "h264")
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert (stream.codec_context.colorspace, stream.codec_context.color_range) == (1, 1)


def test_frames_may_have_views_of_their_own(qapp, trace, tmp_path):
    """As a story has them."""
    frames = [Frame(50, ("counts",), "First."), Frame(20, (), "Then."), Frame(90, ("counts",), "Last.")]
    export(trace, ExportJob(tmp_path / "film", frames, CAPTIONED))
    for number, frame in enumerate(frames, 1):
        assert np.array_equal(opened(tmp_path / "film" / f"{number:04}.png"), pictured(trace, frame, CAPTIONED))


def test_frames_may_stay_and_be_of_other_runs(qapp, trace, tmp_path):
    other = run("made up")
    frames = [Frame(9, ("counts",), seconds=0.5), Frame(40, ("counts",), run=1), Frame(60, ("counts",))]
    export(trace, ExportJob(tmp_path / "a.mp4", frames, LOOK, fps=8), companions=[other])
    images, _ = decoded(tmp_path / "a.mp4")
    expected = [pictured(other if frame.run else trace, frame) for frame in frames]
    nearest = [int(np.argmin([apart(image, picture)[0] for picture in expected])) for image in images]
    assert nearest == [0, 0, 0, 0, 1, 2]


# -- steps and words --------------------------------------------------------------------------------------------------


def test_steps_are_those_of_the_transport(trace):
    history = history_of(trace)
    for unit in ("event", "round", "subroutine", "loop"):
        cursors = steps(history, 0, len(trace), unit)
        at, expected = 0, [0]
        while (stop := history.stop_after(unit, at)) is not None:
            at = stop
            expected.append(at)
        assert cursors == expected
    assert steps(history, 7, 7, "round") == [7]
    inner = steps(history, 30, 61, "round")
    assert (inner[0], inner[-1]) == (30, 61)
    assert set(inner[1:-1]) == {int(stop) for stop in history.stops("round") if 30 < stop < 61}


@pytest.mark.parametrize(
    ("first", "last", "unit", "said"),
    [(5, 4, "event", "forwards"), (0, 10**6, "event", "180 events"), (0, 5, "rond", 'did you mean "round"')],
)
def test_steps_that_are_none(trace, first, last, unit, said):
    with pytest.raises(InputError, match=said):
        steps(history_of(trace), first, last, unit)


def test_too_many_steps(trace):
    class Endless:
        events = 10**9

    with pytest.raises(InputError, match="Use larger steps"):
        steps(Endless(), 0, MOST_FRAMES + 1)


def test_captions_say_what_happened_and_hide_the_truth(trace):
    at = int(trace.positions("recommended")[-1])
    said = step_caption(Snapshot.of(trace, at + 1))
    assert "samples" in said
    assert "recommends x_9 (" in said
    start = Snapshot.of(trace, 1)
    assert trace.instance.name not in step_caption(replace(start, truth=False))
    assert step_caption(Snapshot.of(trace, 0))


# -- tables -----------------------------------------------------------------------------------------------------------


def rows(file):
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_csv_of_one_step_and_of_several(qapp, trace, tmp_path):
    at = cursor(trace)
    export(trace, ExportJob(tmp_path / "a.csv", [Frame(at, ("weights",))]))
    design = trace.state_at(at).design
    weights = {int(row["arm"]): float(row["weight"]) for row in rows(tmp_path / "a.csv")}
    assert len(weights) == len(trace.instance.arms)
    assert {arm: weight for arm, weight in weights.items() if weight} == dict(
        zip(design.support.tolist(), design.weights.tolist(), strict=True)
    )
    export(trace, ExportJob(tmp_path / "b.csv", [Frame(each, ("counts",)) for each in (40, at)]))
    several = rows(tmp_path / "b.csv")
    for each in (40, at):
        pulls = [int(row["pulls_in_run"]) for row in several if row["after_events"] == str(each)]
        assert pulls == trace.state_at(each).counts.tolist()


def test_csv_of_what_has_no_numbers(qapp, trace, tmp_path):
    with pytest.raises(InputError, match='"why" shows no numbers'):
        export(trace, ExportJob(tmp_path / "a.csv", [Frame(9, ("why",))]))
    for views in ((), ("counts", "weights")):
        with pytest.raises(InputError, match="of one view"):
            export(trace, ExportJob(tmp_path / "a.csv", [Frame(9, views)]))
    assert list(tmp_path.iterdir()) == []


# -- refusals, and giving up ------------------------------------------------------------------------------------------


def test_every_format_is_registered_under_its_suffix():
    for suffix in SUFFIXES:
        chosen = format_by_suffix(suffix)
        assert chosen.suffix == suffix
        assert chosen.title
        assert chosen.about.endswith(".")


@pytest.mark.parametrize(
    ("name", "frames", "look", "fps", "said"),
    [
        ("a.jpg", 1, LOOK, 10, "must end in .png, .svg, .pdf, .gif, .mp4"),
        ("a.png", 2, LOOK, 10, "contains one picture"),
        ("a.svg", 2, LOOK, 10, "contains one picture"),
        ("a.mp4", 2, Look((641, 400)), 10, "Use 642 × 400"),
        ("a.gif", 2, LOOK, 0, "frames per second"),
        ("a.png", 0, LOOK, 10, "no step"),
        ("taken", 2, LOOK, 10, "new or empty"),
        ("nowhere/a.png", 1, LOOK, 10, "Cannot write"),
        ("nowhere/film", 2, LOOK, 10, "Cannot create the folder"),
    ],
)
def test_what_cannot_be_written(qapp, trace, tmp_path, name, frames, look, fps, said):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match=said):
        export(trace, ExportJob(tmp_path / name, [Frame(at) for at in range(frames)], look, fps))
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_films_without_the_encoder(qapp, trace, tmp_path, monkeypatch):
    monkeypatch.setattr(film, "find_spec", lambda name: None if name == "av" else find_spec(name))
    for suffix in ("gif", "mp4"):
        with pytest.raises(InputError, match=r"pip install \"gems-lab\[video\]\""):
            export(trace, ExportJob(tmp_path / f"a.{suffix}", [Frame(9)], LOOK))
    export(trace, ExportJob(tmp_path / "a.png", [Frame(9)], LOOK))  # all else goes on


def test_only_films_need_the_encoder():
    code = "import sys; import gems_gui.painting.export, gems_gui.painting.pdf; sys.exit('av' in sys.modules)"
    import subprocess

    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_cancelled_export_leaves_nothing(qapp, trace, tmp_path, suffix):
    several = format_by_suffix(suffix).several
    old = tmp_path / f"old{suffix}"
    if suffix:
        old.write_bytes(b"what was there before")
    frames = [Frame(at, ("counts",)) for at in range(9 if several else 1)]
    told = []

    def go_on(done, total):
        told.append((done, total))
        return done < (6 if several else 0)

    for file in (old, tmp_path / f"new{suffix}"):
        told.clear()
        assert export(trace, ExportJob(file, frames, LOOK), go_on) is False
        assert told == [(done, len(frames)) for done in range(7 if several else 1)]
    assert [each.name for each in tmp_path.iterdir()] == ([old.name] if suffix else [])
    if suffix:
        assert old.read_bytes() == b"what was there before"


@pytest.mark.parametrize("suffix", [".pdf", ".mp4", ""])
def test_an_export_that_fails_leaves_nothing(qapp, trace, tmp_path, suffix):
    frames = [Frame(9), Frame(10), Frame(10**6)]
    with pytest.raises(IndexError):
        export(trace, ExportJob(tmp_path / f"a{suffix}", frames, LOOK))
    assert list(tmp_path.iterdir()) == []


def test_an_encoder_that_fails_is_one_sentence(qapp, trace, tmp_path, monkeypatch):
    from gems_gui.painting.mp4 import _Mp4Writer

    monkeypatch.setattr(_Mp4Writer, "container", "no such thing")
    with pytest.raises(InputError, match=r"encoding the film failed: .*no such thing"):
        export(trace, ExportJob(tmp_path / "a.mp4", [Frame(at) for at in range(9)], LOOK))
    assert list(tmp_path.iterdir()) == []


def test_how_far_it_is(qapp, trace, tmp_path):
    made = Export(trace, ExportJob(tmp_path / "a.pdf", [Frame(3), Frame(4)], LOOK))
    assert (made.done, made.total) == (0, 2)
    assert made.step()
    assert (made.done, made.total) == (1, 2)
    assert not made.step()
    assert not (tmp_path / "a.pdf").exists()
    made.finish()
    assert (tmp_path / "a.pdf").exists()


def test_suffixes_in_capitals(tmp_path):
    assert suffix_of(tmp_path / "A.PNG") == ".png"
