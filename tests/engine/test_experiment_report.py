"""What is made of the rows: every number again from the rows themselves, and pictures that show it where they say."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from statistics import mean, median_low
from xml.etree import ElementTree

import pytest
from scipy import stats

from gems_engine.complexity import guarantees
from gems_engine.experiment import words
from gems_engine.experiment.folder import Recorder, read_rows
from gems_engine.experiment.harness import Harness
from gems_engine.experiment.library import built_in, built_in_specification
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.metrics import METRICS
from gems_engine.experiment.plots import PLOTS, plots_of
from gems_engine.experiment.plots.curves import Curve, Point, draw_curves
from gems_engine.experiment.plots.scale import Scale, log_scale
from gems_engine.experiment.plots.svg import Sheet, text_width
from gems_engine.experiment.report import write_report
from gems_engine.experiment.tables import Table, everything, latex_text, tables_of, to_csv, to_latex, to_markdown
from gems_engine.experiment.theory import bounds_of
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import Row, failed
from gems_engine.gallery import make_from_spec
from tests.engine.experiments import SMALL, small

TRIALS = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("results")
    said = small(TRIALS)
    with Recorder(place, said, "a test") as recorder:
        Harness(said, None, recorder).run()
    write_report(place)
    return place


@pytest.fixture(scope="module")
def rows(folder):
    found = {}
    for row in read_rows(folder):
        found.setdefault(row.index % 4, []).append(row)
    return found


# -- numbers -------------------------------------------------------------------------------------------------------


def test_the_numbers_of_the_summary_are_those_of_the_rows(folder, rows):
    lines = list(csv.DictReader(io.StringIO((folder / "summary.csv").read_text())))
    said = json.loads((folder / "summary.json").read_text())
    assert (said["done"], said["failed"], len(lines)) == (4 * TRIALS, 0, 4)
    for number, line in enumerate(lines):
        mine = rows[number]
        right = sum(row.correct for row in mine)
        assert (int(line["trials"]), int(line["right"]), int(line["failed"])) == (TRIALS, right, 0)
        wilson = stats.binomtest(right, TRIALS).proportion_ci(0.95, "wilson")
        assert (float(line["success_low"]), float(line["success_high"])) == pytest.approx((wilson.low, wilson.high))
        taus = [math.inf if row.tau is None else row.tau for row in mine]
        assert float(line["tau_p50"]) == median_low(taus)
        assert int(line["tau_censored"]) == taus.count(math.inf)
        assert int(line["tau_zeros"]) == taus.count(0)
        assert float(line["tau_mean_of_known"]) == pytest.approx(mean(tau for tau in taus if tau < math.inf))
        times = [row.seconds_to_tau for row in mine if row.tau is not None]
        assert float(line["runtime_mean_of_known"]) == pytest.approx(mean(times))
        assert float(line["seconds_p50"]) == pytest.approx(median_low(row.seconds for row in mine))
        as_json = said["cells"][number]
        assert as_json["success"]["count"] == right
        assert as_json["tau"]["censored"] == taus.count(math.inf)
    assert {line["algorithm"] for line in lines} == {"fixed-confidence", "rage"}
    assert [line["paper_success"] for line in lines] == ["", "1.0", "", "0.25"]


def test_the_tables_show_what_was_measured_beside_what_the_paper_prints(folder, rows):
    text = (folder / "tables.md").read_text()
    tables = text.split("\n\n")
    table = tables[tables.index("**Success (Wilson 95 % intervals)**") + 1].splitlines()
    assert table[0] == "|  | ε = 0.3 | ε = 0.01 |"
    shown = {line.split(" | ")[0].strip("| "): line for line in table[2:]}
    assert list(shown) == ["GEMS", "RAGE", "RAGE, in the paper"]
    for name, cells in (("GEMS", (0, 2)), ("RAGE", (1, 3))):
        shares = [f"{round(100 * sum(row.correct for row in rows[cell]) / TRIALS, 1):g} % [" for cell in cells]
        assert all(share in shown[name] for share in shares)
    assert shown["RAGE, in the paper"].endswith("| 100 % | 25 % |")
    assert "RAGE, mean of right trials" in text  # of the runtime
    latex = (folder / "tables.tex").read_text()
    assert latex.count(r"\begin{table}") == text.count("**") // 2
    assert r"$\varepsilon$ = 0.3" in latex
    assert not re.search(r"(?<!\\)[%&#](?!\s|.*\\\\)", latex.replace(" & ", ""))


def test_text_for_latex_and_markdown_cannot_break_out():
    nasty = "a & b_c % {x} $y$ \\ | ~ ^ #"
    table = Table("t", nasty, ("", "x"), ((nasty, "1"),))
    assert latex_text(nasty).count("&") == latex_text(nasty).count(r"\&")
    assert latex_text("\\") == r"\textbackslash{}"
    assert latex_text("ε = 10⁻¹²") == r"$\varepsilon$ = 10$^{-12}$"
    assert to_latex([table]).count(" & ") == 2  # one in each line: those in the text have a backslash
    assert r"\|" in to_markdown([table]).splitlines()[-1]


@pytest.mark.parametrize("name", built_in())
def test_latex_can_print_all_that_the_built_in_experiments_say(name):
    said = built_in_specification(name, rehearse=False)
    texts = [said.title, *said.all_series, *(said.group(cell) for cell in said.cells)]
    assert "".join(map(latex_text, texts)).isascii()


# -- censoring -----------------------------------------------------------------------------------------------------


def test_metrics_of_a_row_are_infinite_where_it_did_not_get_there():
    said = small()
    right = Row(0, "x", "rage", 0, True, 1, 900, 700, 700, 1, 3, 800, "singleton", seconds=2.0, seconds_to_tau=1.0)
    wrong = replace(right, correct=False, tau=None, seconds_to_tau=None)
    capped = replace(right, finish="cap", verified=None)
    broken = failed(said.trial(0), "it broke")
    of = {name: [metric.of(row) for row in (right, wrong, capped, broken)] for name, metric in METRICS.items()}
    inf = math.inf
    assert of == {
        "success": [1, 0, 1, 0],
        "tau": [700, inf, 700, inf],
        "stopped": [900, 900, inf, inf],
        "verified": [800, 800, inf, inf],
        "runtime": [1.0, inf, 1.0, inf],
        "seconds": [2.0, 2.0, 2.0, inf],
    }


def test_more_trials_that_never_get_there_only_raise_a_median():
    said = small(30)
    measures = Measures(said)
    for number in range(10):
        measures.add(Row(4 * number, "x", "rage", 0, correct=True, tau=100 + number, seconds_to_tau=1.0))
    few = measures.summary().cells[0].measured["tau"].median
    for number in range(10, 19):
        measures.add(Row(4 * number, "x", "rage", 0, correct=False))
    more = measures.summary().cells[0].measured["tau"].median
    measures.add(failed(said.trial(4 * 19), "it broke"))
    most = measures.summary().cells[0]
    assert (few.value, more.value, most.measured["tau"].median.value) == (104.0, 109.0, 109.0)
    assert (most.success.count, most.success.total, most.failed) == (10, 20, 1)


def test_what_was_cut_off_is_above_the_cap_what_stopped_wrong_is_never_and_what_failed_is_unknown():
    """The least that is known of a trial that did not get there, in every form in which it is shown."""
    said = small(8)
    cap = Row(0, "x", "rage", 0, False, 1, 14_000, finish="cap", seconds=2.0)
    ends = {
        "cap": [cap] * 8,
        "loop": [replace(cap, finish="last loop")] * 8,
        "wrong": [replace(cap, finish="singleton")] * 8,
        "failed": [cap] * 3 + [failed(said.trial(0), "it broke")] * 5,
        "half": [replace(cap, correct=True, tau=100 + number, seconds_to_tau=1.0) for number in range(4)] + [cap] * 4,
    }
    shown, csv_, json_ = {}, {}, {}
    for name, rows in ends.items():
        measures = Measures(said).extend(replace(row, index=4 * at) for at, row in enumerate(rows))
        summary = measures.summary()
        shown[name] = [words.median(summary.cells[0], metric) for metric in ("tau", "stopped", "runtime")]
        line = next(csv.DictReader(io.StringIO(to_csv(everything(summary, {})))))
        csv_[name] = [line[f"tau_p50{part}"] for part in ("", "_censored_at", "_low", "_high")]
        json_[name] = summary.as_dict()["cells"][0]["tau"]["quantiles"][2]
    thin = "\u202f"
    assert shown["cap"] == [f"> 15{thin}000", f"> 15{thin}000", "> 2 s"]  # the next step would have passed the cap
    assert shown["loop"] == [f"> 14{thin}000", f"> 14{thin}000", "> 2 s"]
    assert shown["wrong"] == ["never", f"14{thin}000 [14{thin}000, 14{thin}000]", "never"]
    assert shown["failed"] == ["failed"] * 3
    assert shown["half"][0] == "103 [100, ∞]"  # half of them have it by then
    ninth = Measures(said).extend(
        replace(row, index=4 * at)
        for at, row in enumerate([*ends["half"][:4], cap, cap, *[failed(said.trial(0), "it broke")] * 2])
    )
    tau = ninth.summary().cells[0].measured["tau"]
    # Were those that failed the best of all, the sixth of eight were the one that has 103; the last is cut off anyway.
    assert [words.middle_of(tau.quantiles[each], "samples") for each in (0.75, 0.9)] == ["≥ 103", f"> 15{thin}000"]
    assert csv_["cap"] == ["inf", "15000.0", "15000.0", "inf"]
    assert csv_["wrong"] == ["inf", "", "inf", "inf"]
    assert csv_["failed"] == ["inf", "0.0", "0.0", "inf"]
    assert json_["cap"]["censored_at"] == json_["cap"]["low"] == 15_000


# -- theory --------------------------------------------------------------------------------------------------------


def test_bounds_are_those_of_the_theorems():
    said = small()
    bounds = bounds_of(said)
    for cell in said.cells:
        instance = make_from_spec(cell.instance)
        promised = guarantees(instance, base=4)
        lower = next(each for each in bounds[cell.index] if each.side == "lower")
        if cell.label == "GEMS":
            assert lower.value == pytest.approx(promised.bound("pac-lower").value)
            upper = next(each for each in bounds[cell.index] if each.side == "upper")
            assert upper.value == promised.bound("fixed-confidence").value
            assert upper.holds
        else:  # in R^D it is harder
            assert lower.value > promised.bound("pac-lower").value * 2
            assert "R⁴" in lower.says


def test_bounds_of_budgets_misspecification_and_of_what_has_none():
    text = """
        [instance]
        family = "soare"
        D = 3
        omega = 0.8
        [[algorithm]]
        name = "fixed-budget"
        budget = [1_000, 2_000_000]
        [[algorithm]]
        name = "misspecified"
        epsilon = 0.2
        [[algorithm]]
        name = "misspecified-best-arm"
        [[algorithm]]
        name = "static-oracle"
        [[algorithm]]
        name = "rage-oracle"
    """
    said = parse_specification(text, "bounds")
    bounds = bounds_of(said)
    promised = guarantees(make_from_spec("soare:D=3,omega=0.8"), epsilon=0.2, budget=2_000_000)
    assert bounds[0] == ()  # it says nothing there
    assert [each.value for each in bounds[1]] == [promised.bound("fixed-budget").value]
    assert [each.value for each in bounds[2]] == [promised.bound("misspecified-fixed-confidence").value]
    assert [each.value for each in bounds[3]] == [promised.bound("misspecified-best-arm").value]
    assert bounds[4] == ()
    assert [each.value for each in bounds[5]] == [pytest.approx(promised.bound("pac-lower").value)]


# -- pictures ------------------------------------------------------------------------------------------------------


def shapes(svg, tag, role):
    root = ElementTree.fromstring(svg)
    kinds = {f"f-{role}", f"k-{role}"}
    return [each for each in root.iter() if each.tag.endswith(tag) and kinds & set(each.get("class", "").split())]


def test_every_plot_is_good_xml_and_complete(folder):
    files = {path.stem: path.read_text() for path in (folder / "plots").iterdir()}
    assert set(files) <= set(PLOTS)
    assert {"success", "samples", "runtime"} <= set(files)
    for name, svg in files.items():
        root = ElementTree.fromstring(svg)
        width, height = float(root.get("width")), float(root.get("height"))
        for each in root.iter():
            for key, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
                if each.get(key) is not None:
                    assert 0 <= float(each.get(key)) <= limit
        texts = [each.text for each in root.iter() if each.tag.endswith("text")]
        assert {"ε = 0.3", "ε = 0.01"} <= set(texts)
        only = {"stopped": {"RAGE"}, "verified": {"GEMS"}}  # what the other never does
        assert {"GEMS", "RAGE"} & set(texts) == only.get(name, {"GEMS", "RAGE"})


def test_who_was_cut_off_in_every_trial_has_a_row_and_a_box_that_says_so():
    cut = Row(0, "x", "fixed-confidence", 0, False, 1, 14_000, finish="cap", seconds=2.0)
    summary = Measures(small(8)).extend(replace(cut, index=at) for at in range(32)).summary()
    stopped = next(each for each in tables_of(summary) if each.name == "stopped")
    thin = "\u202f"
    assert stopped.rows == (("RAGE, cut off in every trial", f"> 15{thin}000", f"> 15{thin}000"),)  # GEMS never stops
    svg = PLOTS["stopped"](summary, {}, Sheet())
    (cap,) = [float(each.get("x")) for each in shapes(svg, "text", "dim") if each.text == "cap"]
    boxes = [each for each in shapes(svg, "rect", "s1") if each.get("fill-opacity")]
    assert [float(each.get("x")) for each in boxes] == pytest.approx([cap, cap], abs=0.2)
    assert all(float(each.get("width")) >= 27 for each in boxes)
    said = [each.text for each in shapes(svg, "text", "dim") if "> 15" in each.text]
    assert said == [f"> 15{thin}000; 8 censored"] * 2, "once in each row"
    svg = PLOTS["stopped"](summary, {}, Sheet(500, paper=True))  # without texts at the right
    (cap,) = [float(each.get("x")) for each in shapes(svg, "text", "dim") if each.text == "cap"]
    texts = [each for each in shapes(svg, "text", "dim") if each.text == f"> 15{thin}000"]
    assert len(texts) == 2
    for each in texts:
        x = float(each.get("x"))
        assert x > cap + 3 or x + text_width(each.text, 11) < cap - 3, "the line of the cap does not cross it"


@pytest.mark.parametrize(
    ("low", "high", "names"),
    [
        (1, 1e4, ["1", "10", "100", "1\u202f000", "10\u202f000"]),
        (1e3, 1e6, ["10³", "10⁴", "10⁵", "10⁶"]),
        (1e-4, 10, ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1", "10"]),
    ],
)
def test_a_logarithmic_axis_has_one_notation(low, high, names):
    assert [name for _, name in Scale(low, high, 0, 500, log=True).ticks()] == names
    values = [10.0 ** round(math.log10(low) + at) for at in range(len(names))]
    curve = Curve("GEMS", 0, [Point(x, 1.0, 1.0, 1.0) for x in values])
    drawn = [each.text for each in shapes(draw_curves("", "", "x", "y", [curve], Sheet()), "text", "dim")]
    assert set(names) <= set(drawn)


def test_a_plot_with_a_cap_says_if_the_last_round_is_finished_above_it():
    right = Row(0, "x", "rage", 0, True, 1, 16_000, finish="cap", seconds=2.0, tau=16_000)
    finished = SMALL.replace("15_000", '15_000\nlast_round = "finish"')
    for text, count in ((SMALL, 0), (finished, 1)):
        said = parse_specification(text, "small")
        summary = Measures(said).extend(replace(right, index=at) for at in range(16)).summary()
        svg = PLOTS["samples"](summary, {}, Sheet())
        assert svg.count("the last round is finished, also above the cap") == count


def test_what_the_paper_prints_stands_around_an_equal_point(folder):
    svg = PLOTS["success"](small_summary(folder), {}, Sheet())
    diamonds = [each for each in shapes(svg, "polygon", "text") if each.get("stroke-width")]
    assert len(diamonds) == 2
    for each in diamonds:
        assert each.get("fill") == "none"
        xs, ys = zip(*(map(float, corner.split(",")) for corner in each.get("points").split()), strict=True)
        assert min(max(xs) - min(xs), max(ys) - min(ys)) / 2**1.5 > 4.5  # no side comes nearer than a point is large


def test_success_is_drawn_where_it_is(folder, rows):
    summary = small_summary(folder)
    svg = PLOTS["success"](summary, {}, Sheet())
    grid = {each.text: float(each.get("x")) for each in shapes(svg, "text", "dim") if each.text.endswith(" %")}
    start, end = grid["0 %"], grid["100 %"]
    circles = [float(each.get("cx")) for each in shapes(svg, "circle", "s0")]
    drawn = sorted(round((x - start) / (end - start), 3) for x in circles if x >= start)
    assert drawn == sorted(round(sum(row.correct for row in rows[cell]) / TRIALS, 3) for cell in (0, 2))


def test_samples_are_drawn_where_they_are(folder, rows):
    """The median of GEMS: a line of its colour, at its place between two powers of ten."""
    svg = PLOTS["samples"](small_summary(folder), {}, Sheet())
    ticks = [(each.text.replace("\u202f", ""), float(each.get("x"))) for each in shapes(svg, "text", "dim")]
    (low, left), *_, (high, right) = [(float(text), x) for text, x in ticks if text.isdigit() and x < 700]
    per_decade = (right - left) / math.log10(high / low)
    taus = [median_low(math.inf if row.tau is None else row.tau for row in rows[cell]) for cell in (0, 2)]
    expected = sorted(left + per_decade * math.log10(tau / low) for tau in taus)
    lines = [each for each in shapes(svg, "polyline", "s0") if each.get("stroke-width") == "2.4"]
    drawn = sorted(float(each.get("points").split(",")[0]) for each in lines)
    assert drawn == pytest.approx(expected, abs=0.5)


def small_summary(folder):
    return Measures(small(TRIALS)).extend(read_rows(folder)).summary()


def test_nothing_is_drawn_of_nothing():
    assert plots_of(Measures(small()).summary(), {}) == {}


@pytest.mark.parametrize("log", [False, True])
def test_scales_keep_order_and_put_what_lies_outside_at_the_edge(log):
    scale = Scale(1.0, 1000.0, 50.0, 350.0, log)
    places = [scale(value) for value in (-5, 0, 1, 2, 10, 100, 1000, 1e9, math.inf)]
    assert places == sorted(places)
    assert (scale(0), scale(1), scale(1000), scale(math.inf)) == (50, 50, 350, 350)
    assert scale(10) == (150 if log else pytest.approx(50 + 300 * 9 / 999))
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 10
    assert all(1 <= value <= 1000 for value, _ in ticks)


@pytest.mark.parametrize("values", [[3.0], [1e-3, 1e12], [0, math.inf, 7.0], [], [900.0, 1100.0]])
def test_a_logarithmic_scale_holds_what_is_positive_and_finite(values):
    scale = log_scale(values, 0, 100)
    for value in values:
        if 0 < value < math.inf:
            assert 0 < scale(value) < 100
    assert scale.ticks()


# -- the page ------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """What a browser would see: open elements, texts, and anything that it would have to fetch."""

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.fetched = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.fetched += [value for name, value in attributes if name in ("src", "href", "srcset", "data")]

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_needs_nothing_else_and_says_what_was_done(folder, rows):
    page = Page()
    html = (folder / "report.html").read_text()
    page.feed(html)
    assert page.open == []
    assert page.fetched == []
    assert "url(" not in html
    assert "@import" not in html
    text = " ".join(page.texts)
    assert "48 of 48 trials, 4 cells, seed 5." in text
    assert "one algorithm < another" in text
    assert rows[0][0].made_by in text
    assert "gems experiment specification.toml --trials 12 --seed 5" in text
    assert html.count("<svg") == len(list((folder / "plots").iterdir()))
    assert "the strategy over GEMS-c recommends the best target" in text


def test_failed_trials_are_on_the_page_with_their_seeds(tmp_path):
    said = small(1)
    with Recorder(tmp_path, said, "a test") as recorder:
        for index in range(4):
            recorder.add(failed(said.trial(index), f"it <broke> {index}", 2))
    write_report(tmp_path)
    html = (tmp_path / "report.html").read_text()
    assert "it &lt;broke&gt; 3" in html
    assert str(said.trial(3).seed) in html
    assert "4 failed" in html
