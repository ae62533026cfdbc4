"""A page to share has the painter's pictures and the engine's texts, the run itself, and nothing from outside."""

import base64
import hashlib
import re
import shlex
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QPainter

from gems_engine.cli import main
from gems_engine.diff import compare
from gems_engine.errors import InputError
from gems_engine.explanation import as_text, explain
from gems_engine.files import read_run, write_run
from gems_engine.formats import story_format
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.narration import narrate
from gems_engine.running import Run
from gems_engine.talk.bound_story import BoundStory, reading_seconds
from gems_engine.verdict import promise_of, verdict_of
from gems_engine.wording import describe
from gems_gui.painting import html, page_texts
from gems_gui.painting.export import Export, export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.frames import Frame, FrameRange, Look, look_at, snapshots_at
from gems_gui.painting.page_texts import command_of
from gems_gui.painting.render import PictureSheet
from gems_gui.painting.story_frames import story_frames
from gems_gui.painting.svg_device import SvgDevice
from gems_gui.snapshot import Snapshot, at_rest
from gems_gui.views import EVERY_VIEW
from tests.gui.page_reader import Page
from tests.gui.sample_runs import run

ROOT = Path(__file__).parents[2]
LOOK = Look((480, 300))
NASTY = ("</script><img src=x onerror=alert(1)>", "<!--", "&lt;b&gt; \" ' `", "]]></svg><script>alert(1)</script>")
POLICY = re.compile(
    r"default-src 'none'; script-src '(sha256-\S+)'; style-src '(sha256-\S+)'; img-src blob:; "
    r"base-uri 'none'; form-action 'none'"
)


def judged(trace):
    """The verdict with what theory promised, as the strip of the window shows it."""
    return verdict_of(trace).sentence(promise=promise_of(trace))


@pytest.fixture
def trace():
    return run("paper-hard")


def painted(trace, frame, view, look=LOOK):
    """What a sheet of its own paints."""
    sheet = PictureSheet((view,), look)
    snapshot = replace(Snapshot.of(trace, frame.cursor, frame.selection), truth=look.truth)
    sheet.show(at_rest(snapshot))
    return drawn(sheet, view, look)


def painted_moment(bound, frame, view, look=LOOK):
    """What a sheet of its own paints of a moment, with its marks, options and axes."""
    sheet = PictureSheet((view,), look_at(look, frame))
    runs = [Snapshot.of(trace, 0) for trace in bound.traces]
    sheet.show_frame(replace(frame, panel=view), partial(snapshots_at, runs.__getitem__, len(runs)))
    return drawn(sheet, view, look)


def drawn(sheet, view, look):
    device = SvgDevice(look.size, look.scale, EVERY_VIEW[view].title)
    painter = QPainter(device)
    sheet.paint(painter)
    painter.end()
    sheet.close()
    return device.svg().decode()


def written(file, trace, frames, look=LOOK, title="A run", **given):
    assert export(trace, ExportJob(file, frames, look, title=title, **given))
    return Page(file)


def hashed(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def nasty_run():
    """A run whose every name is an attempt."""
    names = [f"{NASTY[at % 4]}{at}" for at in range(4)]
    arms = np.vstack([np.eye(3), [0.5, 0.5, 0.1]])
    instance = Instance.linear(arms, [1.0, 0.2, 0.1], arm_names=names, feature_names=NASTY[:3], name=NASTY[0])
    return Run(instance, "fixed-confidence", 1, max_samples=3000).finish()


def test_every_picture_and_text_is_that_of_its_cursor(qapp, trace, tmp_path):
    """More steps than one block has, at events of several kinds, in both themes."""
    frames = [Frame(cursor, ("survivors", "dimension", "counts")) for cursor in (0, 1, *range(20, 37), len(trace))]
    dark = replace(LOOK, theme="dark")
    page = written(tmp_path / "a.html", trace, frames, dark)
    assert [step[:3] for step in page.index["steps"]] == [[frame.cursor, 0, 0] for frame in frames]
    base = Snapshot.of(trace, 0)
    for at, frame in enumerate(frames):
        said = page.steps[at]
        assert said["said"] == narrate(base.history, trace.state_at(frame.cursor))
        assert page.why(at) == as_text(explain(trace, frame.cursor, truth=True))
        if at in (0, 5, 17, 19):  # of both blocks
            for view in frame.views:
                assert page.svg(at, view) == painted(trace, frame, view, dark)
    assert page.steps[-1]["status"] == judged(trace)
    assert page.index["events"]["0"] == [
        [at + 1, page_texts.EventList(trace).line(event)[0], event.kind.replace("_", " "), words]
        for at, event in enumerate(trace[at] for at in range(len(trace)))
        for words in [page_texts.EventList(trace).line(event)[2]]
    ]
    assert describe(trace[36], trace.instance) in page.index["events"]["0"][36][3]
    again = tmp_path / "again" / "a.html"
    again.parent.mkdir()
    written(again, trace, frames, dark)
    assert again.read_bytes() == (tmp_path / "a.html").read_bytes()


def test_the_policy_allows_the_program_and_the_style_and_nothing_else(qapp, trace, tmp_path):
    page = written(tmp_path / "a.html", trace, [Frame(30, ("counts",))])
    (allowed,) = [each["content"] for tag, each in page.elements if each.get("http-equiv")]
    program, style = POLICY.fullmatch(allowed).groups()
    scripts = [each for tag, each in page.elements if tag == "script"]
    assert [each for each in scripts if each.get("type") != "text/plain"] == [{}], "one program, the rest is data"
    assert hashed(page.content["script", None]) == program
    assert hashed(page.content["style", None]) == style
    for tag, each in page.elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not [name for name in each if name.startswith("on") or name in ("style", "src", "href")], (tag, each)
    assert "http" not in re.sub(r"http-equiv", "", page.text), "no address of anything"
    assert "innerHTML" not in page.content["script", None]
    images = re.findall(r"xlink:href=\"(.{5})", "".join(page.svg(0, "counts")))
    assert set(images) <= {"data:"}


def test_everything_that_can_be_pressed_has_a_name(qapp, trace, tmp_path):
    page = written(tmp_path / "a.html", trace, [Frame(30, ("counts",))])
    pressed = [each for tag, each in page.elements if tag in ("button", "input", "select")]
    assert len(pressed) == 8
    assert all(each.get("aria-label") for each in pressed)
    (language,) = [each["lang"] for tag, each in page.elements if tag == "html"]
    assert language == "en"
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in [
        each for tag, each in page.elements if tag == "meta"
    ]


def test_names_are_data(qapp, tmp_path):
    trace = nasty_run()
    file = tmp_path / "a.html"
    title = f"GEMS on {NASTY[0]}"
    page = written(file, trace, [Frame(len(trace), ("survivors", "why", "events"))], title=title)
    assert page.content["title", None] == page.content["h1", "title"] == title == page.index["title"]
    known = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "h1",
        "noscript",
        "p",
        "main",
        "section",
        "div",
        "button",
    }
    known |= {"svg", "path", "input", "output", "label", "select", "option", "details", "summary", "ol", "script"}
    assert {tag for tag, _ in page.elements} == known
    assert len([tag for tag, _ in page.elements if tag == "script"]) == 1 + 1 + 1 + 1  # index, block, file, program
    assert NASTY[0] not in page.text
    said = page.texts()
    assert NASTY[0] in said
    assert "&lt;/script" not in said, "no markup in texts either"
    for view in ("survivors", "why", "events"):
        assert set(re.findall(r"<(\w+)", page.svg(0, view))) <= {
            "svg",
            "title",
            "defs",
            "clipPath",
            "pattern",
            "path",
            "g",
            "image",
        }
    command = page.index["runs"][0]["command"]
    assert command == "gems run a.gems --at 0", "no family makes it, but its file does"
    assert page.index["runs"][0]["title"].endswith(f"on {NASTY[0]}, seed 1")


def test_the_run_is_in_the_page_and_its_command_repeats_it(qapp, trace, tmp_path, monkeypatch):
    page = written(tmp_path / "a b.html", trace, [Frame(len(trace), ("counts",))])
    write_run(tmp_path / "run.gems", trace)
    assert page.files == {"a b.gems": (tmp_path / "run.gems").read_bytes()}
    (about,) = page.index["runs"]
    assert about["verdict"] == judged(trace)
    assert "theory: τ ≤ " in about["verdict"]
    monkeypatch.chdir(tmp_path)
    for command in (about["command"], command_of(nasty_run(), "nasty.gems")):
        write_run("nasty.gems", nasty_run())
        name, *words = shlex.split(command)
        assert name == "gems"
        assert main([*words, "-o", "again.gems"]) == 0
        again, asked = read_run("again.gems"), trace if command == about["command"] else nasty_run()
        assert compare(again, asked).same


def test_compared_runs_are_in_the_page_too(qapp, trace, tmp_path):
    other = Run(trace.instance, "rage", 1, max_samples=3000).finish()
    job = ExportJob(tmp_path / "a.html", [Frame(40, ("compare-table",))], LOOK)
    assert export(trace, job, companions=[other])
    page = Page(tmp_path / "a.html")
    for name, each in (("a.gems", trace), ("a-2.gems", other)):
        (tmp_path / name).write_bytes(page.files[name])
        assert compare(read_run(tmp_path / name), each).same
    assert [each["verdict"] for each in page.index["runs"]] == [judged(each) for each in (trace, other)]
    assert page.index["runs"][1]["command"] == "gems run paper-hard --algorithm rage --seed 1 --max-samples 3000"


def test_hiding_the_truth_leaves_out_run_command_and_truth(qapp, trace, tmp_path):
    hidden = replace(LOOK, truth=False)
    steps = FrameRange(0, len(trace), "subroutine", ("survivors", "dimension"))
    base = replace(Snapshot.of(trace, 0), truth=False)
    page = written(tmp_path / "a.html", trace, steps.frames(base), hidden, title="paper-hard")
    assert page.files == {}
    assert not [name for _, name in page.content if (name or "").startswith("file-")]
    (about,) = page.index["runs"]
    assert about["command"] == ""
    assert about["title"] == "GEMS (fixed confidence) on paper-hard, seed 1"
    said = page.texts()
    for secret in ("d⋆", "d_star", "epsilon", "true best", "✓", "✗", "Right", "Wrong", "τ"):
        assert secret not in said
    shown = written(tmp_path / "b.html", trace, steps.frames(base)).texts()
    assert all(each in shown for each in ("d_star", "epsilon", "✓", "Right", "τ")), "it would be noticed"
    last = len(page.steps) - 1
    assert page.svg(last, "dimension") == painted(trace, Frame(len(trace)), "dimension", hidden)


def test_an_oracle_keeps_its_dimension(qapp, tmp_path):
    """Its dimension is d⋆, which its events name."""
    trace = Run(make("paper-hard", epsilon=0.3), "rage-oracle", 1, max_samples=20_000).finish()
    frames = [Frame(cursor, ("counts",)) for cursor in (0, len(trace))]
    page = written(tmp_path / "a.html", trace, frames, replace(LOOK, truth=False))
    assert len(page.index["events"]["0"]) == len(trace)
    assert all("R⁹" not in words for *_, words in page.index["events"]["0"])
    open_page = written(tmp_path / "b.html", trace, frames)
    assert any("R⁹" in words for *_, words in open_page.index["events"]["0"])


def test_many_events_are_listed_once_per_step(qapp, trace, tmp_path, monkeypatch):
    monkeypatch.setattr(page_texts, "MOST_EVENTS", 10)
    page = written(tmp_path / "a.html", trace, [Frame(cursor, ("counts",)) for cursor in (0, 7, 30)])
    assert [number for number, *_ in page.index["events"]["0"]] == [7, 30]
    monkeypatch.setattr(html, "MOST_PICTURES", 2)
    with pytest.raises(InputError, match=r"these are 3 pictures, and a page has at most 2\. Use larger steps"):
        Export(trace, ExportJob(tmp_path / "b.html", [Frame(3, ("counts", "gaps", "why"))], LOOK))


def test_a_story_has_its_moments_and_its_runs(qapp, tmp_path, monkeypatch, capsys):
    """By its name alone, as pages of other formats need --story; and with the rounds on the way."""
    monkeypatch.chdir(tmp_path)
    assert main(["render", "why-model-selection", "-o", "a.html", "--size", "480x300"]) == 0
    assert capsys.readouterr().out == "a.html: Why model selection matters, 7 moments\n"
    page = Page(Path("a.html"))
    told = read_run(ROOT / "assets/stories/why-model-selection.gems")
    bound = BoundStory(told)
    assert page.index["moments"] == [[at + 1, bound.caption(at)] for at in range(7)]
    assert [step[1:] for step in page.index["steps"]] == [
        [bound[at].run, at + 1, round(reading_seconds(bound.caption(at)), 1)] for at in range(7)
    ]
    for at in (3, 5):
        frame = story_frames(bound)[at]
        assert frame.marks
        assert [view for view, _ in page.steps[at]["pictures"]] == list(frame.views)
        for view in frame.views:
            assert page.svg(at, view) == painted_moment(bound, frame, view)
    write_run("story.gems", told)
    assert page.files == {"a.gems": Path("story.gems").read_bytes()}
    assert [each["verdict"] for each in page.index["runs"]] == [judged(each) for each in bound.traces]
    assert all(each["command"].startswith("gems run paper-hard") for each in page.index["runs"])
    more = story_frames(bound, every="round")
    assert [frame.moment for frame in more if frame.moment] == list(range(1, 8))
    assert len(more) > 7
    between = [frame for frame in more if not frame.moment]
    assert {frame.caption for frame in between} == {""}, "a caption is about its moment alone"
    assert main(["render", "why-model-selection", "-o", "a.pdf", "--story", "--every", "round"]) == 2


def test_the_time_of_a_moment_is_its_own(qapp, tmp_path):
    told = read_run(ROOT / "assets/stories/why-model-selection.gems")
    story = replace(told.story, moments=tuple(replace(each, seconds=7.5) for each in told.story.moments[:1]))
    frames = [replace(frame, views=("counts",)) for frame in story_frames(BoundStory(told, story))]
    others = [each.trace for each in story.companions]
    job = ExportJob(tmp_path / "a.html", frames, LOOK, story=story_format.to_json(story))
    assert export(told, job, companions=others)
    assert Page(tmp_path / "a.html").index["steps"][0][3] == 7.5


def test_all_rounds_of_the_usual_views_by_default(qapp, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["render", "paper-hard:epsilon=0.3", "-o", "a.html", "--to", "l=3"]) == 0
    page = Page(Path("a.html"))
    assert [view for view, _ in page.steps[0]["pictures"]] == ["survivors", "dimension", "cost", "weights", "counts"]
    assert page.index["size"] == [640, 400]
    assert page.svg(0, "cost").count('viewBox="0 0 640 400"') == 1
    assert len(page.steps) > 3


def test_a_picture_takes_little_space(qapp, tmp_path):
    """A part of the hard instance; bench_html.py measures all of it: 126 rounds, or 827 events."""
    trace = Run(make("paper-hard", epsilon=1e-3), "fixed-confidence", 1, max_samples=10**6).finish()
    steps = FrameRange(300, 400, "round", ("dimension", "cost"))
    frames = steps.frames(Snapshot.of(trace, 0))
    page = written(tmp_path / "a.html", trace, frames, Look((800, 500)))
    pictures = 2 * len(frames)
    assert pictures > 30
    stored = sum(len(text) for (tag, name), text in page.content.items() if (name or "").startswith("block-"))
    assert stored / pictures < 3_000_000 / (4 * 126)
    assert stored / pictures < sum(len(page.svg(at, "dimension")) for at in range(len(frames))) / len(frames) / 15


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("every", "steps", "most"), [("round", 126, 3_000_000), ("event", 828, 10_000_000)])
def test_the_hard_instance_fits(qapp, tmp_path, every, steps, most):
    trace = Run(make("paper-hard", epsilon=1e-3), "fixed-confidence", 1, max_samples=10**6).finish()
    views = ("survivors", "dimension", "cost", "counts")
    frames = FrameRange(0, len(trace), every, views).frames(Snapshot.of(trace, 0))
    assert len(frames) == steps
    written(tmp_path / "a.html", trace, frames, Look((800, 500)))
    assert (tmp_path / "a.html").stat().st_size <= most
