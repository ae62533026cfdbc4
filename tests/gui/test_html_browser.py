"""A page to share in a real browser: it plays, steps, seeks by link, searches, and reports no error."""

import base64
import io
import json
from dataclasses import replace

import numpy as np
import pypdf
import pytest
import resvg_py
from PIL import Image

from gems_engine.files import read_run
from gems_engine.formats import story_format
from gems_engine.talk.bound_story import BoundStory
from gems_gui.assets import asset
from gems_gui.painting.export import export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.frames import FrameRange, Look
from gems_gui.painting.story_frames import story_frames
from gems_gui.snapshot import Snapshot
from tests.gui.chromium import ABSENT, PROGRAM, Chromium
from tests.gui.page_reader import Page
from tests.gui.sample_runs import run
from tests.gui.test_html_page import NASTY, nasty_run

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=ABSENT)
LOOK = Look((480, 300))
HASH = "location.hash"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Chromium(tmp_path_factory.mktemp("chromium"))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def quiet(browser):
    """After each test: no error, no warning, and nothing was loaded but files of the test and what they contain."""
    browser.errors.clear()
    browser.requested.clear()
    browser.resize(1366, 768)
    browser.prefer("light")
    yield
    assert browser.errors == []
    assert {url.partition(":")[0] for url in browser.requested} <= {"file", "blob", "data", "about"}
    browser.call("Page.navigate", url="about:blank")


@pytest.fixture(scope="module")
def page(qapp, tmp_path_factory):
    """Every event of a part of a run, in more than one block."""
    trace = run("paper-hard")
    frames = FrameRange(10, 50, "event", ("survivors", "dimension")).frames(Snapshot.of(trace, 0))
    file = tmp_path_factory.mktemp("page") / "run.html"
    export(trace, ExportJob(file, frames, LOOK, title="A run"))
    return file


def where(browser):
    """The step that is shown, from 1."""
    return int(browser.text("#where").split()[1])


def pixels(data):
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def test_it_plays_steps_and_scrubs(qapp, browser, page):
    browser.open(page.as_uri())
    read = Page(page)
    assert where(browser) == 1
    assert browser.text("#said") == read.steps[0]["said"]
    assert browser.text("#where") == "Step 1 of 41 · event 10"
    assert browser.ask("document.getElementById('back').disabled")
    browser.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert where(browser) == 2
    browser.click("#next")
    assert where(browser) == 3
    assert browser.text("#said") == read.steps[2]["said"]
    browser.until(f"{HASH} === '#event=12'")
    browser.press("End")
    assert where(browser) == 41
    assert browser.ask("document.getElementById('next').disabled")
    browser.press("Home")
    browser.ask("document.getElementById('speed').value = '10'")
    browser.press(" ")
    assert browser.ask("document.getElementById('play').ariaLabel") == "Pause"
    browser.until("document.getElementById('scrub').value > 3")
    browser.press(" ")
    at = where(browser)
    assert browser.ask("document.getElementById('play').ariaLabel") == "Play"
    assert browser.text("#said") == read.steps[at - 1]["said"]
    browser.ask("document.getElementById('scrub').focus()")
    browser.press("ArrowRight")
    assert where(browser) == at + 1
    why = browser.ask("[...document.querySelectorAll('#why > *')].map((each) => each.textContent)")
    assert why == [line.strip() for line in read.why(at).splitlines() if line]


def test_it_stops_at_the_end_and_starts_again(qapp, browser, page):
    browser.open(page.as_uri() + "#event=48")
    browser.ask("document.getElementById('speed').value = '10'")
    browser.click("#play")
    browser.until("document.getElementById('play').ariaLabel === 'Play'")
    assert where(browser) == 41
    browser.click("#play")
    browser.until("document.getElementById('scrub').value < 20")
    browser.click("#play")


def test_a_picture_is_that_of_the_painter_and_has_the_narrators_words(qapp, browser, page):
    browser.open(page.as_uri() + "#event=37")
    read, step = Page(page), 27
    assert where(browser) == step + 1
    for at, view in enumerate(("survivors", "dimension")):
        image = f"document.querySelectorAll('#pictures img')[{at}]"
        browser.until(f"{image}.complete && {image}.naturalWidth")
        source = browser.ask(
            f"createImageBitmap({image}).then((each) => {{ const c = document.createElement('canvas');"
            " c.width = each.width; c.height = each.height; c.getContext('2d').drawImage(each, 0, 0);"
            " return c.toDataURL().split(',')[1]; })"
        )
        shown = pixels(base64.b64decode(source))
        expected = pixels(bytes(resvg_py.svg_to_bytes(svg_string=read.svg(step, view), dpi=96)))
        assert shown.shape == expected.shape
        assert np.abs(shown - expected).mean() < 3
        assert browser.ask(f"{image}.alt").endswith(f": {read.steps[step]['said']}")
        assert read.steps[step]["said"] in browser.ask(f"{image}.parentNode.ariaLabel")


def test_it_seeks_by_link(qapp, browser, page):
    browser.open(page.as_uri() + "#event=37")
    assert browser.text("#where").endswith("event 37")
    browser.ask(f"{HASH} = '#event=20'")
    browser.until("document.getElementById('where').textContent.endsWith('event 20')")
    for odd, event in (("#event=9999", 50), ("#event=3", 10), ("#event=x", 10), ("#moment=7&run=z", 10)):
        browser.open(page.as_uri() + odd)
        assert browser.text("#where").endswith(f"event {event}"), odd


def test_it_searches(qapp, browser, page):
    browser.open(page.as_uri())
    read = Page(page)
    events = read.index["events"]["0"]
    assert browser.text("#found") == f"{len(events)} events"
    browser.press("/")
    assert browser.ask("document.activeElement.id") == "search"
    browser.type("Over BUDGET")
    hits = [number for number, *said in events if "over budget" in " ".join(said).lower()]
    assert 0 < len(hits) < len(events)
    assert browser.text("#found") == f"{len(hits)} of {len(events)} events"
    visible = (
        "[...document.querySelectorAll('#events li')].filter((each) => each.offsetHeight).map((each) => each.number)"
    )
    assert browser.ask(visible) == hits
    browser.press("Enter")
    after = next(number for number in hits if number > 10)
    assert browser.text("#where").endswith(f"event {after}")
    marked = browser.text("#events [aria-current]")
    assert marked.startswith(f"{after} ")
    browser.press("Escape", "ArrowRight")
    assert browser.text("#where").endswith(f"event {after + 1}"), "the keys step again"
    thousands = next(said for *_, said in events if "\N{NARROW NO-BREAK SPACE}" in said)
    number = next(word for word in thousands.split(" ") if "\N{NARROW NO-BREAK SPACE}" in word)
    browser.ask("document.getElementById('search').value = ''")
    browser.press("/")
    browser.type(number.replace("\N{NARROW NO-BREAK SPACE}", ""))
    assert "0 of" not in browser.text("#found")[:4], "numbers are found without the spaces in them"
    browser.press("Escape")
    browser.ask("document.getElementById('search').value = ''")
    browser.ask("document.getElementById('search').dispatchEvent(new Event('input'))")
    browser.click(f"#events li:nth-child({hits[-1] - 9}) button")
    assert browser.text("#where").endswith(f"event {hits[-1]}")


def test_it_is_narrow_on_a_phone_and_follows_the_system(qapp, browser, page):
    colors = []
    for theme in ("light", "dark"):
        browser.prefer(theme)
        browser.open(page.as_uri())
        colors.append(browser.ask("getComputedStyle(document.body).backgroundColor"))
    assert colors == ["rgb(243, 245, 247)", "rgb(27, 31, 36)"]
    assert browser.ask("document.querySelectorAll('#pictures img')[1].getBoundingClientRect().left") > 400
    browser.resize(360, 740, phone=True)
    browser.open(page.as_uri())
    assert browser.ask("document.documentElement.scrollWidth") <= 360
    assert browser.ask("document.querySelectorAll('#pictures img')[1].getBoundingClientRect().left") < 20
    smallest = "Math.min(...[...document.querySelectorAll('#transport button')].map((each) => each.offsetHeight))"
    assert browser.ask(smallest) >= 34
    width = "document.querySelector('#pictures img').offsetWidth"
    before = browser.ask(width)
    browser.click("#pictures button")
    assert browser.ask(width) > 1.9 * before
    assert browser.ask("document.documentElement.scrollWidth") <= 360, "the picture scrolls, the page does not"


def test_it_can_be_embedded_and_printed(qapp, browser, page, tmp_path):
    """In a frame that may run scripts and nothing else."""
    outer = tmp_path / "outer.html"
    source = f'<iframe sandbox="allow-scripts" width="1000" height="700" src="{page.as_uri()}#event=30"></iframe>'
    outer.write_text(f"<!DOCTYPE html><title>outer</title><body>{source}</body>", "utf-8")
    browser.call("Page.navigate", url=outer.as_uri())
    browser.until("document.title === 'outer' && document.readyState === 'complete'")
    blue = 0
    while blue < 4000:  # survivors; the button alone has a third of it
        blue = int((pixels(browser.picture()) == (0, 114, 178)).all(axis=2).sum())
    browser.open(page.as_uri() + "#event=30")
    browser.until("[...document.images].every((each) => each.complete && each.naturalWidth)")
    printed = "".join(each.extract_text() for each in pypdf.PdfReader(io.BytesIO(browser.printed())).pages)
    assert Page(page).steps[20]["said"].split(":")[0] in printed
    assert "Why" in printed
    assert "Search" not in printed


def test_the_run_can_be_saved(qapp, browser, page, tmp_path):
    browser.open(page.as_uri())
    browser.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.click("#runs a")
    file = tmp_path / "run.gems"
    browser.until("true")
    for _ in range(200):
        if file.exists() and file.stat().st_size:
            break
        browser.ask("new Promise((done) => setTimeout(done, 20))")
    assert file.read_bytes() == Page(page).files["run.gems"]
    assert browser.text("#runs pre") == Page(page).index["runs"][0]["command"]


def test_names_are_shown_as_they_are(qapp, browser, tmp_path):
    trace, file = nasty_run(), tmp_path / "nasty.html"
    frames = FrameRange(0, len(trace), "loop", ("survivors",)).frames(Snapshot.of(trace, 0))
    export(trace, ExportJob(file, frames, LOOK, title=NASTY[0]))
    browser.open(file.as_uri())
    browser.press("End")
    assert browser.text("h1") == NASTY[0] == browser.ask("document.title")
    assert browser.ask("document.scripts.length") == 3 + 1
    assert browser.ask("[...document.images].filter((each) => !each.src.startsWith('blob:')).length") == 0
    browser.press("/")
    browser.type("onerror=alert(1)")
    assert browser.ask("[...document.querySelectorAll('#events li')].some((each) => each.offsetHeight)")
    assert NASTY[0] in browser.text("#runs h2")


def test_a_story_goes_from_moment_to_moment(qapp, browser, tmp_path):
    told = read_run(asset("stories/why-model-selection.gems"))
    bound = BoundStory(told)
    frames = [replace(frame, views=("counts",), options=()) for frame in story_frames(bound, every="round")]
    file = tmp_path / "story.html"
    job = ExportJob(file, frames, LOOK, title=bound.story.title, story=story_format.to_json(bound.story))
    export(told, job, companions=bound.traces[1:])
    browser.open(file.as_uri())
    assert browser.text("#caption") == bound.caption(0)
    assert browser.ask("document.querySelectorAll('#moments li').length") == len(bound)
    browser.press("PageDown", "PageDown")
    assert browser.text("#caption") == bound.caption(2)
    assert browser.text("#where").startswith(f"Moment 3 of {len(bound)}")
    browser.until(f"{HASH} === '#moment=3'")
    browser.press("PageUp")
    assert browser.text("#caption") == bound.caption(1)
    last = len(bound)
    browser.click(f"#moments li:nth-child({last}) button")
    assert browser.text("#caption") == bound.caption(last - 1)
    assert browser.text("#moments [aria-current]").startswith(f"{last} ")
    assert browser.text("#said") == Page(file).steps[-1]["said"]
    on_the_way = next(at for at, frame in enumerate(frames) if not frame.moment)
    browser.ask(f"document.getElementById('scrub').value = {on_the_way}")
    browser.ask("document.getElementById('scrub').dispatchEvent(new Event('input'))")
    assert browser.ask("document.getElementById('caption').hidden"), "a caption is about its moment alone"
    assert browser.text("#said") == Page(file).steps[on_the_way]["said"]
    browser.open(file.as_uri() + "#moment=5")
    assert browser.text("#caption") == bound.caption(4)


def test_a_damaged_page_says_so(qapp, browser, page, tmp_path):
    file = tmp_path / "damaged.html"
    text = page.read_text("utf-8")
    at = text.index('id="block-1">') + 200
    file.write_text(text[:at] + "AAAA" + text[at + 4 :], "utf-8")
    browser.call("Page.navigate", url=file.as_uri())
    browser.until("document.getElementById('trouble') && !document.getElementById('trouble').hidden")
    assert "The file may be damaged" in browser.text("#trouble")
    assert json.loads(browser.ask("JSON.stringify(document.body.dataset.ready || null)")) is None
