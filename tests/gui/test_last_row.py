"""Talks are readable from the last row: sizes of text and widths of lines, read by programs that are not ours."""

from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pypdfium2
import pytest
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.shipped import SHIPPED
from gems_gui.appearance import Appearance
from gems_gui.commands.story_files import story_of
from gems_gui.painting.export import export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.frames import Frame, Look, shows_several
from gems_gui.painting.picture_caption import PictureCaption
from gems_gui.painting.render import PictureSheet
from gems_gui.painting.story_frames import story_frames
from gems_gui.talk.stage import Stage
from gems_gui.theme import DARK, LIGHT
from gems_gui.views import DESIGN_VIEWS, VIEWS
from gems_gui.views.card import Card
from gems_gui.views.legend import Legend
from gems_gui.views.plot import Plot
from gems_gui.views.pseudocode_sheet import PseudocodeSheet
from tests.gui.pdf_objects import objects
from tests.gui.sample_runs import race_seeds, replicates_of, run, snapshot_of
from tests.gui.test_snapshots import COMPARED, DESIGN_RUN, RUN, RUNS, cursor
from tests.gui.text_boxes import assert_texts_fit

SVG = "{http://www.w3.org/2000/svg}"
SIZES = [(1280, 720), (1920, 1080), (1024, 768)]
PLOT, TABLE, LINE = 1 / 28, 1 / 40, 1 / 360
CAPTION = "GEMS finds the best arm with 4 950 samples, and RAGE, which is told nothing, with 25 740 samples: × 5.2"
PLOTS = [name for name, kind in VIEWS.items() if kind.is_plot]
TEXTS = [name for name, kind in VIEWS.items() if not kind.is_plot]
WITH_INDICES = {"pseudocode", "why", "story"}
"""Views with formulas: their indices are smaller than their text."""


def look(size, theme="light", **rest):
    return Look(size, 1.0, theme, captions=True, projector=True, **rest)


def snapshot(view):
    """A snapshot that fills a view."""
    shown = snapshot_of(RUNS.get(view, DESIGN_RUN if view in DESIGN_VIEWS else RUN), cursor(view))
    if shows_several((view,)):
        shown = shown.with_runs([shown, snapshot_of(COMPARED)])
    if view in RUNS:
        shown = replace(shown, replicates=replicates_of(RUNS[view]))
    return replace(shown, seeds=race_seeds()) if view == "seeds" else shown


def check(sizes, widths, height, view):
    """Text and lines of a picture with a view, as parts of its height."""
    least = PLOT if view in PLOTS else TABLE
    assert sizes
    if view in WITH_INDICES:
        assert np.mean(np.array(sizes) >= least * height) > 0.5, (view, Counter(sizes))
        assert min(sizes) >= 0.55 * least * height, (view, Counter(sizes))
    else:
        assert min(sizes) >= least * height - 0.01, (view, Counter(sizes))
    assert min(widths, default=height) >= LINE * height, (view, Counter(widths))


@pytest.mark.parametrize("size", SIZES)
def test_text_and_lines_of_every_view_in_a_pdf(qapp, tmp_path, size):
    """One page for each view, next to another one."""
    frames = [Frame(cursor(), (view, "gaps"), CAPTION) for view in VIEWS]
    file = tmp_path / "views.pdf"
    export(run(RUN), ExportJob(file, frames, look(size)), companions=[run(COMPARED)])
    document = pypdfium2.PdfDocument(file.read_bytes())
    for view, page in zip(VIEWS, document, strict=True):
        check(*objects(page), page.get_height(), view)


@pytest.mark.parametrize("name", SHIPPED)
def test_text_and_lines_of_every_moment_of_a_story_in_a_pdf(qapp, tmp_path, name):
    story = BoundStory(story_of(name))
    frames = list(story_frames(story))
    file = tmp_path / "story.pdf"
    export(story.traces[0], ExportJob(file, frames, look((1280, 720))), companions=story.traces[1:])
    for frame, page in zip(frames, pypdfium2.PdfDocument(file.read_bytes()), strict=True):
        assert len(frame.views) <= 2
        for view in frame.views:
            if view not in PLOTS:
                check(*objects(page), page.get_height(), view)
                break
        else:
            check(*objects(page), page.get_height(), frame.views[0])


@pytest.mark.parametrize("view", VIEWS)
def test_text_and_lines_of_every_view_in_an_svg_with_live_text(qapp, tmp_path, view):
    file = tmp_path / "view.svg"
    export(
        run(RUN),
        ExportJob(file, [Frame(cursor(), (view,), CAPTION)], look((1024, 768), "dark", live_text=True)),
        companions=[run(COMPARED)],
    )
    root = ElementTree.fromstring(file.read_bytes())
    hatches = {line for pattern in root.iter(f"{SVG}pattern") for line in pattern.iter()}
    sizes = [float(each.get("font-size")) for each in root.iter(f"{SVG}text")]
    widths = [
        float(each.get("stroke-width", "1"))
        for each in root.iter()
        if each.get("stroke") not in (None, "none") and each not in hatches
    ]
    check(sizes, widths, 768, view)
    said = " ".join(each.text for each in root.iter(f"{SVG}text"))
    assert said.replace(" ", "").count(CAPTION.replace(" ", "")) == 1


@pytest.mark.parametrize(("size", "theme"), [((1280, 720), "light"), ((1024, 768), "dark")])
@pytest.mark.parametrize("view", [*VIEWS, *(name for name in DESIGN_VIEWS if name != "design-table")])
def test_no_text_is_elided_cut_off_or_covered(qapp, view, size, theme):
    """Alone and next to another view; a table next to another view may name the columns that it hides."""
    for views in ((view,), (view, "survivors" if view != "survivors" else "gaps")):
        sheet = PictureSheet(views, look(size, theme))
        sheet.show(snapshot(view), CAPTION)
        sheet.image()
        for card in sheet.widget.findChildren(Card):
            boxes = assert_texts_fit(card)
            assert not [each.text for each in boxes if each.text.endswith("…")], view
            legend = card.findChild(Legend)
            assert len(legend.boxes()) == len(legend._entries)
        assert sheet.caption.shown() == CAPTION
        assert sheet.caption.letters() >= PLOT * size[1]
        assert {each.verticalScrollBar().isVisible() for each in sheet._areas} <= {False}
        sheet.close()


def test_text_changes_the_size(qapp):
    sizes = {}
    for text in (0.8, 1.0, 1.25):
        sheet = PictureSheet(("cost",), replace(look((1280, 720)), text=text))
        sizes[text] = sheet.theme.letters(11)
        sheet.close()
    assert sizes == {0.8: 21, 1.0: 26, 1.25: 33}


def fonts_of(stage: Stage) -> dict[str, set[int]]:
    """The sizes in pixels of the fonts of each view of a stage: labels, legend, axes and tables."""
    found = {}
    for name in stage.shown:
        view = stage.views[name]
        sizes = {each.fontInfo().pixelSize() for each in view.head.findChildren(QLabel)}
        sizes.add(view.legend.font().pixelSize() if view.legend.isVisible() else 10_000)
        for plot in view.body.findChildren(Plot):
            for axis in plot._axes():
                sizes.add(axis.style["tickFont"].pixelSize())
                sizes |= {QFontInfo(axis.label.font()).pixelSize()} if axis.label.isVisible() else set()
        sheets = view.body.findChildren(PseudocodeSheet)
        sizes |= {round(each.layout_now.size) for each in sheets}
        if not sheets and not view.is_plot:
            sizes |= {
                each.fontInfo().pixelSize()
                for each in view.body.findChildren(QWidget)
                if each.isVisible() and each.metaObject().className() in ("QTextBrowser", "RowTable", "QHeaderView")
            }
        found[name] = sizes
    return found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", [LIGHT, DARK.scaled(0.8)])
def test_fonts_of_the_live_stage(qtbot, size, theme):
    """The size of the window's text makes no difference."""
    stage = Stage(Appearance(theme))
    qtbot.addWidget(stage)
    stage.resize(*size)
    stage.show()
    for view in VIEWS:
        stage.arrange((view, "counts" if view != "counts" else "gaps"))
        stage.show_snapshot(snapshot(view))
        stage.caption.set_text(CAPTION)
        stage.settle()
        QApplication.processEvents()
        for name, sizes in fonts_of(stage).items():
            assert min(sizes) >= (PLOT if VIEWS[name].is_plot else TABLE) * size[1], (view, name, sizes)
        assert stage.caption.letters() >= PLOT * size[1]
        assert stage.caption.shown() == CAPTION


def test_the_two_lines_of_a_caption_are_of_similar_widths(qtbot):
    caption = PictureCaption(Appearance(LIGHT.for_projector(26.0)))
    qtbot.addWidget(caption)
    caption.resize(700, caption.height())
    caption.set_text("Another call ends with one arm alone, and from inside it looks like success")
    first, second = caption.lines().split("\n")
    assert abs(len(first) - len(second)) <= 8
    assert f"{first} {second}" == caption.words
    caption.set_text("Validation has only three candidates, arm 27, arm 21, arm 12")
    assert not any(line[0].isdigit() for line in caption.lines().split("\n"))
    caption.set_text("short")
    assert caption.lines() == "short"
    caption.set_text("ℓ 1 · i 1 · k 1 of a run that has lines of its own\nand a second one that is as long as this")
    assert caption.lines().count("\n") == 1


def test_a_caption_that_is_too_long_is_smaller_and_then_elided(qtbot):
    caption = PictureCaption(Appearance(LIGHT.for_projector(26.0)))
    qtbot.addWidget(caption)
    caption.resize(1200, caption.height())
    caption.set_text("short")
    largest = caption.letters()
    caption.set_text(" ".join(["word"] * 30))
    assert caption.shown() == caption.words
    assert caption.letters() < largest
    caption.set_text(" ".join(["word"] * 300))
    assert caption.shown().endswith("…")
