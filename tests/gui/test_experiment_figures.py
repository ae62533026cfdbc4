"""`gems render FOLDER`: the plots of an experiment as files, read by programs that are not ours."""

import io
from xml.etree import ElementTree

import pypdf
import pypdfium2
import pytest
from PIL import Image

from gems_engine.cli import Parser, execute, main
from gems_gui.commands import render

SVG = "{http://www.w3.org/2000/svg}"
PLOTS = ["success", "samples", "growth", "stopped", "verified", "runtime"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment") / "results"
    assert main(["experiment", "verifiability", "--trials", "2", "--jobs", "0", "-o", str(folder)]) == 0
    return folder


@pytest.fixture
def gems(capsys, qapp, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")  # rendering sets it: the fixture puts it back

    def run(*words, code=0):
        parser = Parser(prog="gems render")
        render.COMMAND.configure(parser)
        parser.set_defaults(execute=render.COMMAND.run)
        assert execute(parser, [str(each) for each in words]) == code
        out, err = capsys.readouterr()
        return err if code else out

    return run


def texts(svg):
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_folder_has_every_plot_in_every_format(gems, results, tmp_path):
    gems(results, "-o", "figures", "--style", "paper")
    found = sorted(each.name for each in (tmp_path / "figures").iterdir())
    assert found == sorted(f"{name}.{suffix}" for name in PLOTS for suffix in ("svg", "pdf", "png"))
    for name in PLOTS:
        root = ElementTree.fromstring((tmp_path / "figures" / f"{name}.svg").read_bytes())
        width, height = (float(root.get(side).removesuffix("in")) for side in ("width", "height"))
        assert width == pytest.approx(3.25, abs=0.001)
        shown = float(root.get("viewBox").split()[2]) / 96 / width  # pixels of the drawing for one on paper
        sizes = [72 / 96 * float(each.get("font-size")) / shown for each in root.iter(f"{SVG}text")]
        assert all(6.99 <= size <= 9.01 for size in sizes)
        assert all(len(set(line.get("points").split())) > 1 for line in root.iter(f"{SVG}polyline"))
        data = (tmp_path / "figures" / f"{name}.pdf").read_bytes()
        (page,) = pypdfium2.PdfDocument(data)
        assert page.get_size() == pytest.approx((72 * width, 72 * height), abs=0.6)
        words = page.get_textpage().get_text_range()
        assert "GEMS, case = 1" in words
        fonts = [
            each.get_object() for each in pypdf.PdfReader(io.BytesIO(data)).pages[0]["/Resources"]["/Font"].values()
        ]
        assert all(
            "/FontFile2" in each["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object() for each in fonts
        )
        with Image.open(tmp_path / "figures" / f"{name}.png") as image:
            assert image.size == pytest.approx((300 * width, 300 * height), abs=2)
            assert image.info["dpi"] == pytest.approx((300, 300), abs=0.5)


def test_titles_are_off_on_paper_only_and_series_have_markers(gems, results, tmp_path):
    assert "one.svg" in gems(results, "-o", "one.svg", "--view", "success")
    gems(results, "-o", "two.svg", "--view", "success", "--style", "paper")
    gems(results, "-o", "two-again.svg", "--view", "success", "--style", "paper")
    one, two = ((tmp_path / name).read_bytes() for name in ("one.svg", "two.svg"))
    assert "How often is it right?" in texts(one)
    assert not [each for each in texts(two) if "right?" in each or "Wilson" in each]
    assert two == (tmp_path / "two-again.svg").read_bytes()
    shapes = {each.tag for each in ElementTree.fromstring(two)}
    assert {f"{SVG}circle", f"{SVG}polygon"} <= shapes


def test_several_plots_have_a_file_each(gems, results, tmp_path):
    gems(results, "-o", "figure.pdf", "--view", "success,growth", "--style", "paper", "--size", "neurips")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["figure-growth.pdf", "figure-success.pdf"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "x.gif"), ".svg, .pdf or .png"),
        (("-o", "x.pdf", "--view", "succes"), 'did you mean "success"?'),
        (("-o", "x.pdf", "--at", "3"), "--at applies to runs"),
        (("-o", "x.pdf", "--style", "paper", "--size", "1.6x2in"), "Enlarge --size"),
        (("-o", "-", "--format", "svg"), "Choose one with --view"),
        (("run.gems", "-o", "x.pdf"), "Name one folder"),
    ],
)
def test_bad_words(gems, results, tmp_path, words, said):
    assert said in gems(results, *words, code=2)
    assert not list(tmp_path.iterdir())


def test_a_folder_without_results(gems, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "has no results of an experiment" in gems("empty", "-o", "x.pdf", code=2)
