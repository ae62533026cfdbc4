"""Figures for print: sizes, fonts, lines, legends and roles, read by programs that are not ours."""

import io
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pypdf
import pypdfium2
import pytest
from PIL import Image
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from gems_engine.errors import InputError
from gems_gui.exports.export_choice import ExportChoice, Scene, look_of, render_line
from gems_gui.painting.export import export
from gems_gui.painting.format import ExportJob
from gems_gui.painting.frames import Frame, paper_look, print_scale
from gems_gui.painting.picture_size import PAPER_SIZES, paper_size
from gems_gui.painting.render import PictureSheet
from gems_gui.snapshot import Snapshot
from gems_gui.theme import LIGHT
from gems_gui.views import EVERY_VIEW
from gems_gui.views.items import rectangles
from gems_gui.views.plot import Plot
from gems_gui.views.print_marks import ROLE_MARKS, RUN_MARKS, hatch_over, path_of
from tests.gui.pdf_objects import objects
from tests.gui.sample_runs import run

SVG = "{http://www.w3.org/2000/svg}"
PLOTS = [name for name, kind in EVERY_VIEW.items() if kind.is_plot]


@pytest.fixture(scope="module")
def trace(qapp):
    return run("paper-hard")


@pytest.fixture(scope="module")
def figure(trace, tmp_path_factory):
    """The bytes of a view in a format, made once."""
    folder, made = tmp_path_factory.mktemp("figures"), {}

    def make(view, suffix, size="icml-column", live=False):
        key = view, suffix, size, live
        if key not in made:
            file = Path(folder, f"{len(made)}{suffix}")
            frame = Frame(len(trace) - 20, (view,))
            export(trace, ExportJob(file, [frame], paper_look(size, print_scale(suffix), live_text=live)))
            made[key] = file.read_bytes()
        return made[key]

    return make


def sheet_of(trace, view, size="icml-column"):
    sheet = PictureSheet((view,), paper_look(size))
    sheet.show(Snapshot.of(trace, len(trace) - 20))
    return sheet


@pytest.mark.parametrize(
    ("text", "inches"),
    [
        ("3.25x2.2in", (3.25, 2.2)),
        ("8.5 × 6 cm", (8.5 / 2.54, 6 / 2.54)),
        ("icml-column", (3.25, 2.2)),
        ("IEEE-page", PAPER_SIZES["ieee-page"]),
    ],
)
def test_sizes_on_paper(text, inches):
    assert paper_size(text) == pytest.approx(inches)


@pytest.mark.parametrize("text", ["3.25x2.2", "300x200", "1x1in", "90x90in", "a4", "3,25x2in", ""])
def test_a_size_without_a_unit_is_refused_in_one_sentence(text):
    with pytest.raises(InputError, match=r"such as 3\.25x2\.2in or 8\.5x6cm"):
        paper_size(text)


def test_pages_have_the_requested_size_in_every_format(figure):
    for size, (width, height) in {"icml-column": (3.25, 2.2), "8.5x6cm": (8.5 / 2.54, 6 / 2.54)}.items():
        box = pypdf.PdfReader(io.BytesIO(figure("cost", ".pdf", size))).pages[0].mediabox
        assert (float(box.width), float(box.height)) == pytest.approx((72 * width, 72 * height), abs=0.01)
        page = pypdfium2.PdfDocument(figure("cost", ".pdf", size))[0]
        assert page.get_size() == pytest.approx((72 * width, 72 * height), abs=0.01)
        root = ElementTree.fromstring(figure("cost", ".svg", size))
        assert float(root.get("width").removesuffix("in")) == pytest.approx(width, abs=0.005)
        assert float(root.get("height").removesuffix("in")) == pytest.approx(height, abs=0.005)
        with Image.open(io.BytesIO(figure("cost", ".png", size))) as image:
            assert image.size == pytest.approx((300 * width, 300 * height), abs=1)
            assert image.info["dpi"] == pytest.approx((300, 300), abs=0.5)


@pytest.mark.parametrize("view", PLOTS)
def test_text_has_7_to_9_points_and_lines_are_visible(figure, view):
    """Read from the live text of an SVG, whose unit is 1/96 inch."""
    root = ElementTree.fromstring(figure(view, ".svg", live=True))
    texts = list(root.iter(f"{SVG}text"))
    sizes = {each.text: 72 / 96 * float(each.get("font-size")) for each in texts}
    assert sizes
    indices = {text for text, size in sizes.items() if size < 7}
    assert indices <= {"d"}  # in r_d
    assert all(5 <= size <= 9.01 for size in sizes.values())
    assert not [text for text in sizes if re.search(r"\w_\w|\w\^\w|more$", text)]  # typeset, and complete
    widths = [float(each.get("stroke-width", "1")) for each in root.iter(f"{SVG}path") if each.get("stroke")]
    assert all(0.35 <= 72 / 96 * width <= 6 for width in widths)


def test_the_fonts_of_a_pdf_are_embedded_and_its_text_can_be_read(figure):
    page = pypdf.PdfReader(io.BytesIO(figure("weights", ".pdf"))).pages[0]
    fonts = [each.get_object() for each in page["/Resources"]["/Font"].values()]
    assert fonts
    for font in fonts:
        inside = font.get("/DescendantFonts", [font])[0].get_object()["/FontDescriptor"]
        assert any(f"/FontFile{kind}" in inside for kind in ("", "2", "3"))
    words = pypdfium2.PdfDocument(figure("weights", ".pdf"))[0].get_textpage().get_text_range()
    for each in ("λ", "x₉", "arm", "share of pulls"):
        assert each in words


@pytest.mark.parametrize("view", ["why", "events", "problems"])
def test_names_in_texts_and_tables_are_typeset(figure, view):
    root = ElementTree.fromstring(figure(view, ".svg", "6x4in", live=True))
    words = " ".join(each.text for each in root.iter(f"{SVG}text"))
    assert re.search("x[₀-₉]+", words)
    assert not re.search("x_[0-9]", words)


def test_live_text_says_the_same_as_the_pdf(figure):
    root = ElementTree.fromstring(figure("gaps", ".svg", live=True))
    words = pypdfium2.PdfDocument(figure("gaps", ".pdf"))[0].get_textpage().get_text_range()
    for each in root.iter(f"{SVG}text"):
        assert each.text.strip() in words
    assert not list(ElementTree.fromstring(figure("gaps", ".svg")).iter(f"{SVG}text"))  # outlines without the option


@pytest.mark.parametrize("view", PLOTS)
def test_legends_are_complete_axes_labelled_and_nothing_around_them(trace, view):
    sheet = sheet_of(trace, view)
    (shown,) = sheet.views
    assert shown.head.isHidden()
    assert sheet.line.isHidden()
    assert [words for words, _ in shown.legend.boxes()] == shown.legend.text().split("   ")[: len(shown.legend.boxes())]
    assert len(shown.legend.boxes()) == len(shown.legend._entries)
    assert all(box.right() <= shown.legend.width() + 1 for _, box in shown.legend.boxes())
    for plot in shown.body.findChildren(Plot):
        if plot.isVisible() and not plot.placeholder:
            for axis, room in ((plot.x_axis, plot.box.width()), (plot.y_axis, plot.box.height())):
                assert axis.labelText
                assert axis.label.isVisible()
                assert axis.label.boundingRect().width() <= room + 60
    sheet.close()


@pytest.mark.parametrize("view", ["survivors", "dimensions", "theory", "grid"])
def test_the_sizes_of_text_and_lines_in_a_pdf(figure, view):
    sizes, widths = objects(pypdfium2.PdfDocument(figure(view, ".pdf"))[0])
    assert sizes
    assert widths
    assert all(5.2 <= size <= 9.05 for size in sizes)
    assert np.mean(np.array(sizes) >= 6.95) > 0.9  # smaller: the d of r_d
    assert all(0.35 <= width <= 6 for width in widths)


@pytest.mark.parametrize("view", PLOTS)
def test_plots_contain_no_pixels(figure, view):
    assert not list(ElementTree.fromstring(figure(view, ".svg")).iter(f"{SVG}image"))


def test_lines_are_as_wide_in_pixels_as_in_a_pdf(figure):
    """The share of dark pixels of an outline and axes in a PNG, and in the PDF at the same resolution."""
    with Image.open(io.BytesIO(figure("grid", ".png"))) as image:
        own = np.asarray(image.convert("L"))
    page = pypdfium2.PdfDocument(figure("grid", ".pdf"))[0].render(scale=300 / 72)
    other = np.asarray(page.to_pil().convert("L"))
    assert (own < 90).mean() == pytest.approx((other < 90).mean(), rel=0.25)


def test_survivors_are_rectangles_and_a_large_raster_is_an_image(figure):
    root = ElementTree.fromstring(figure("survivors", ".svg"))
    assert not list(root.iter(f"{SVG}image"))
    assert not pypdf.PdfReader(io.BytesIO(figure("survivors", ".pdf"))).pages[0].images
    cells = np.array([[1, 1, 2], [1, 1, 2], [3, 3, 3]], dtype=np.uint32)
    assert rectangles(cells, 9) == {1: [(0, 0, 2, 2)], 2: [(2, 0, 1, 2)], 3: [(0, 2, 3, 1)]}
    assert rectangles(np.arange(100, dtype=np.uint32).reshape(10, 10), 50) is None


def test_roles_have_different_marks():
    fills = [mark.hatch for role, mark in ROLE_MARKS.items() if role not in ("surviving", "text")]
    assert len(set(fills)) == len(fills)
    assert all(fills)
    symbols = [mark.symbol for mark in ROLE_MARKS.values()]
    assert len(set(symbols)) == len(symbols)
    assert len({mark.hatch for mark in RUN_MARKS}) == len({mark.symbol for mark in RUN_MARKS}) == len(RUN_MARKS)


def test_roles_differ_in_greyscale_where_their_colours_do_not(figure):
    """Hatched areas of the survivors' picture: the lines over eliminated arms, and none over the survivors."""
    with Image.open(io.BytesIO(figure("survivors", ".png"))) as image:
        colored = np.asarray(image.convert("RGB")).astype(int)
        grey = np.asarray(image.convert("L")).astype(int)

    def spread(role):
        """How much the grey varies around the pixel that has the most of its neighbours in the colour of a role."""
        color = LIGHT.for_paper().color(role)
        own = (np.abs(colored - (color.red(), color.green(), color.blue())) <= 2).all(axis=2)
        windows = np.lib.stride_tricks.sliding_window_view(own, (17, 33))[::4, ::4]
        row, column = np.unravel_index(windows.sum(axis=(2, 3)).argmax(), windows.shape[:2])
        return grey[4 * row : 4 * row + 17, 4 * column : 4 * column + 33].std()

    assert abs(grey_of("surviving") - grey_of("now")) < 40  # without hatches they would look alike
    assert spread("now") > 3 * max(spread("surviving"), 1.0)


def test_every_two_roles_differ_in_greyscale(qapp):
    """By the pattern of their areas, or where both are plain by their grey."""
    patches = {}
    for role, mark in ROLE_MARKS.items():
        image = QImage(QSize(48, 48), QImage.Format.Format_RGB32)
        image.fill(LIGHT.for_paper().color(role))
        painter = QPainter(image)
        hatch_over(painter, path_of([QRectF(0, 0, 48, 48)]), LIGHT.for_paper().color(role))
        painter.end()
        grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
        patches[role] = np.frombuffer(grey.constBits(), np.uint8).reshape(48, 48).astype(float)
        assert (patches[role].std() > 10) == bool(mark.hatch)
    for (one, a), (other, b) in combinations(patches.items(), 2):
        if not ROLE_MARKS[one].hatch and not ROLE_MARKS[other].hatch:
            assert abs(a.mean() - b.mean()) > 60, (one, other)
        else:
            assert np.abs((a - a.mean()) - (b - b.mean())).mean() > 6, (one, other)


def grey_of(role):
    color = LIGHT.for_paper().color(role)
    return 0.299 * color.red() + 0.587 * color.green() + 0.114 * color.blue()


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_command_gives_the_same_bytes(figure, trace, tmp_path, suffix):
    file = tmp_path / f"again{suffix}"
    export(trace, ExportJob(file, [Frame(len(trace) - 20, ("cost",))], paper_look("icml-column", print_scale(suffix))))

    def plain(data):  # without the date of a PDF
        return re.sub(rb"\(D:[^)]*\)|\d{4}-\d\d-\d\dT[\d:+Z-]+", b"", data)

    assert plain(file.read_bytes()) == plain(figure("cost", suffix))


def test_the_dialog_has_the_style_too(trace):
    scene = Scene(Snapshot.of(trace, 90), ("counts",))
    choice = ExportChoice("cost", ".pdf", style="paper", paper_size="8.5 × 6 cm")
    assert look_of(choice, scene).inches == pytest.approx((8.5 / 2.54, 6 / 2.54))
    line = render_line(choice, scene, "run.gems", "run.pdf")
    assert "--style paper --size 3.34646x2.3622in" in line
    assert "--scale" not in line
    assert "--theme" not in line
    with pytest.raises(InputError, match="The size on paper"):
        look_of(ExportChoice("cost", ".pdf", style="paper", paper_size="8 × 6"), scene)
