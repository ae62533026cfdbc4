"""The map of the ratio of two algorithms: every cell again by a plain loop, and what is drawn and written of it."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from gems_engine.cli import main
from gems_engine.errors import InputError
from gems_engine.events import Recommended
from gems_engine.experiment import words
from gems_engine.experiment.executors import run_trials
from gems_engine.experiment.library import built_in_specification
from gems_engine.experiment.measures import Measures
from gems_engine.experiment.plots import plots_of
from gems_engine.experiment.plots.svg import ROLES, for_dark_theme
from gems_engine.experiment.ratios import bounds_of_ratio, cell_ratio
from gems_engine.experiment.tables import everything, tables_of, to_csv
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import failed, trial_seed
from gems_engine.gallery import make
from gems_engine.running import Run

EPSILON_BY_D = """
title = "ε and d⋆"
trials = 11
seed = 3
x = "epsilon"

[instance]
family = "paper-hard"
epsilon = [0.3, 0.05, 1e-3]
d_star = [2, 5]

[stop]
samples = 20_000

[map]
y = "d_star"
ratio = ["RAGE", "GEMS"]

[[algorithm]]
name = "fixed-confidence"
label = "GEMS"
base = 4

[[algorithm]]
name = "rage"
label = "RAGE"
"""
D_BY_GAP = """
title = "D and the smallest gap"
trials = 7
seed = 4
x = "D"

[instance]
family = "sphere"
D = [6, 12]
min_gap = [0.2, 0.05]
d_star = 3
n = 15
new_each_trial = true

[stop]
samples = 3_000

[map]
ratio = ["rage-oracle", "RAGE"]

[[algorithm]]
name = "rage"

[[algorithm]]
name = "rage-oracle"
"""
TEXTS = {"ε × d⋆": EPSILON_BY_D, "D × gap": D_BY_GAP}


def summary_of(said):
    return Measures(said).extend(run_trials(said.missing(bytearray()))).summary()


@pytest.fixture(scope="module", params=list(TEXTS))
def summary(request):
    return summary_of(parse_specification(TEXTS[request.param], "own"))


# -- the same by a plain loop ------------------------------------------------------------------------------------------


def plain_tau(instance, algorithm, seed, parameters):
    """(lowest, highest) possible τ of one run, from its recommendations."""
    events = list(Run(instance, algorithm, seed, **parameters))
    best = int(instance.target_rewards.argmax())
    said = [(event.samples, event.target == best) for event in events if isinstance(event, Recommended)]
    if said[-1][1]:
        wrong = [at for at, (_, right) in enumerate(said) if not right]
        tau = said[wrong[-1] + 1][0] if wrong else 0
        return tau, tau
    end = events[-1]
    stopped = end.why in ("singleton", "nothing to tell apart")
    return (math.inf if stopped else max(end.samples, parameters["max_samples"])), math.inf


def plain_ratio(a, b):
    """Every ratio that two such numbers may have, as (lowest, highest); None for 0 : 0."""
    if a[1] == 0 and b[1] == 0:
        return None
    if a[0] == b[0] == math.inf:
        return 0, math.inf
    low = math.inf if a[0] == math.inf or b[1] == 0 else 0 if b[1] == math.inf else a[0] / b[1]
    high = 0 if b[0] == math.inf or a[1] == 0 else math.inf if a[1] == math.inf or b[0] == 0 else a[1] / b[0]
    return low, high


def plain_ranks(n):
    """The ranks of a 95 % interval of a median, from binomial coefficients."""

    def fewer_than(k):
        return sum(math.comb(n, j) for j in range(k)) / 2**n

    lower = max(rank for rank in range(n + 1) if fewer_than(rank) <= 0.025)
    upper = min((rank for rank in range(1, n + 1) if fewer_than(rank) >= 0.975), default=n + 1)
    return lower, upper


def recomputed(said, point):
    """The bounds of the median, its interval and the counts at one point of a map."""
    of, over = point
    found = []
    for number in range(said.trials):
        seed = trial_seed(said.seed, number)
        family, _, given = str(of.instance).partition(":")
        values = {key: float(value) if "." in value or "e" in value else _whole(value) for key, value in _pairs(given)}
        instance = make(family, **values, **({"seed": seed} if of.fresh else {}))
        taus = [plain_tau(instance, cell.algorithm, seed, dict(cell.parameters)) for cell in (of, over)]
        found.append(plain_ratio(*taus))
    ratios = [each for each in found if each is not None]
    lowest, highest = sorted(low for low, _ in ratios), sorted(high for _, high in ratios)
    n = len(ratios)
    lower, upper = plain_ranks(n)
    middle = math.ceil(n / 2) - 1
    return {
        "trials": len(found),
        "at_zero": len(found) - n,
        "unknown": sum(low != high for low, high in ratios),
        "least": lowest[middle],
        "most": highest[middle],
        "low": lowest[lower - 1] if lower else 0,
        "high": highest[upper - 1] if upper <= n else math.inf,
    }


def _pairs(given):
    return [each.split("=") for each in given.split(",")]


def _whole(value):
    return {"true": True, "false": False}.get(value) if value in ("true", "false") else int(value)


def check(said, ratios):
    for point, each in zip(said.map.cells, ratios, strict=True):
        expected = recomputed(said, point)
        assert {name: getattr(each, name) for name in expected} == pytest.approx(expected), words.ratio(each)


def test_every_cell_again_by_a_plain_loop(summary):
    check(summary.specification, summary.ratios)


@pytest.mark.long
def test_the_built_in_map_again_by_a_plain_loop():
    said = built_in_specification("where-it-pays").with_(5)
    check(said, summary_of(said).ratios)


def test_the_small_maps_have_known_bounded_and_censored_cells():
    found = summary_of(parse_specification(EPSILON_BY_D, "own")).ratios
    assert any(each.known and not each.unknown for each in found)
    assert any(each.unknown for each in found)
    assert any(each.pays for each in found)
    assert any(each.costs for each in found)


def test_what_the_built_in_one_says():
    said = built_in_specification("where-it-pays", rehearse=False)
    assert (said.x, said.map.y, said.map.of, said.map.over) == ("epsilon", "d_star", "RAGE", "GEMS")
    assert {cell.algorithm for cell in said.cells} == {"fixed-confidence", "rage"}
    assert {cell.parameters["max_samples"] for cell in said.cells} == {10_000_000}
    assert {cell.parameters["last_round"] for cell in said.cells} == {"finish"}
    assert len(said.map.cells) == 30
    assert all(of.varied == over.varied and of.instance == over.instance for of, over in said.map.cells)


# -- ratios ------------------------------------------------------------------------------------------------------------

INF = math.inf
CUT, NEVER, FAILED = (100.0, INF), (INF, INF), (0.0, INF)


def known(tau):
    return (float(tau), float(tau))


@pytest.mark.parametrize(
    ("of", "over", "bounds"),
    [
        (known(30), known(10), (3.0, 3.0)),
        (known(0), known(10), (0.0, 0.0)),
        (known(10), known(0), (INF, INF)),  # never ×1 against a right first guess
        (known(0), known(0), None),
        (CUT, known(10), (10.0, INF)),
        (known(10), CUT, (0.0, 0.1)),
        (CUT, CUT, (0.0, INF)),
        (CUT, known(0), (INF, INF)),
        (known(0), CUT, (0.0, 0.0)),
        (NEVER, known(10), (INF, INF)),
        (known(10), NEVER, (0.0, 0.0)),
        (NEVER, NEVER, (0.0, INF)),
        (NEVER, CUT, (0.0, INF)),
        (FAILED, known(10), (0.0, INF)),
        (known(10), FAILED, (0.0, INF)),
        (FAILED, known(0), (0.0, INF)),
        (known(0), FAILED, (0.0, INF)),
        (FAILED, FAILED, (0.0, INF)),
    ],
)
def test_the_bounds_of_one_ratio(of, over, bounds):
    assert bounds_of_ratio(of, over) == bounds


def ratio_of(*pairs):
    of, over = built_in_specification("where-it-pays", rehearse=False).map.cells[0]
    first, second = ({number: pair[at] for number, pair in enumerate(pairs)} for at in (0, 1))
    return cell_ratio(of, over, first, second)


@pytest.mark.parametrize(
    ("pairs", "text", "interval"),
    [
        ([], "–", ""),
        ([(known(0), known(0))] * 3, "0 : 0", ""),
        ([(known(160), known(10))] * 7, "×16", "[16, 16]"),
        ([(known(160), known(10))] * 5, "×16", "[0, ∞]"),  # too few for an interval
        ([(known(160), known(10))] * 7 + [(known(0), known(0))] * 20, "×16", "[16, 16]"),
        ([(CUT, known(10))] * 9 + [(known(50), known(10))] * 3, "≥ ×10", "[5, ∞]"),
        ([(CUT, known(10))] * 3 + [(known(50), known(10))] * 9, "×5", "[5, ∞]"),
        ([(known(10), CUT)] * 9, "≤ ×0.1", "[0, 0.1]"),
        ([(CUT, CUT)] * 9, "?", "[0, ∞]"),
        ([(known(0), known(10))] * 9, "×0", "[0, 0]"),
        ([(known(10), known(0))] * 9, "×∞", "[∞, ∞]"),
        ([(known(1_649_300), known(100))] * 9, "×16 500", "[16 500, 16 500]"),
    ],
)
def test_a_cell_in_words(pairs, text, interval):
    found = ratio_of(*pairs)
    assert words.ratio(found).replace("\u202f", " ") == text
    assert words.ratio_interval(found).replace("\u202f", " ") == interval
    assert found.trials == len(pairs)


def test_what_pays_and_what_is_certain():
    pays, costs = ratio_of(*[(known(160), known(10))] * 9), ratio_of(*[(known(10), known(160))] * 9)
    assert (pays.pays, pays.costs, pays.certain) == (True, False, True)
    assert (costs.pays, costs.costs, costs.certain) == (False, True, True)
    mixed = ratio_of(*[(known(20), known(10))] * 5, *[(known(5), known(10))] * 4)
    assert (mixed.pays, mixed.certain) == (True, False)
    assert not ratio_of(*[(CUT, CUT)] * 9).pays


def test_trials_are_paired_by_their_number_and_the_median_one_is_named():
    of, over = built_in_specification("where-it-pays", rehearse=False).map.cells[0]
    first = {0: known(10), 1: known(100), 2: known(1000), 9: known(5)}
    second = {2: known(10), 1: known(100), 0: known(1000), 5: known(5)}
    found = cell_ratio(of, over, first, second)
    assert (found.trials, found.least, found.most, found.trial) == (3, 1.0, 1.0, 1)


def test_a_failed_trial_that_runs_again_replaces_its_own_numbers():
    said = parse_specification(EPSILON_BY_D, "own").with_(3)
    rows = list(run_trials(said.missing(bytearray())))
    whole = Measures(said).extend(rows).summary().ratios
    measures = Measures(said)
    broken = {said.cells[0].index + len(said.cells), said.cells[1].index}
    for row in rows:
        measures.add(failed(said.trial(row.index), "lost") if row.index in broken else row)
    assert measures.summary().ratios != whole
    for row in rows:
        if row.index in broken:
            measures.forget_failed(row.index, failed(said.trial(row.index), "lost").made_by)
            measures.add(row)
    assert measures.summary().ratios == whole


# -- what is drawn and written -----------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def drawn(summary, width=900.0):
    return ElementTree.fromstring(plots_of(summary, {}, width)["map"])


def test_the_map_has_a_cell_for_every_point_with_its_colour_and_words(summary):
    root = drawn(summary)
    cells = {each.get("id"): each for each in root.iter(f"{SVG}rect") if each.get("id")}
    texts = [each.text for each in root.iter(f"{SVG}text")]
    labels = summary.specification.labels
    for each in summary.ratios:
        box = cells.pop(f"cell-{each.of.index}")
        side = each.over.label if each.pays else each.of.label if each.costs else None
        role = "dim" if side is None else f"s{labels.index(side)}"
        assert box.get("fill") == ROLES[role][0]
        assert words.ratio(each) in texts
        assert words.ratio_interval(each) in texts
    assert not cells
    hatched = [each for each in summary.ratios if not each.known]
    lines = [each for each in root.iter(f"{SVG}polyline") if each.get("stroke-opacity") == "0.35"]
    assert bool(lines) == bool(hatched)


def test_the_border_separates_the_cells_above_one_from_the_rest():
    """By geometry: the two sides of each piece of the border are a cell that pays and one that does not."""
    summary = summary_of(parse_specification(EPSILON_BY_D, "own"))
    root = drawn(summary)
    boxes = {}
    for each in root.iter(f"{SVG}rect"):
        if each.get("id"):
            x, y, wide, high = (float(each.get(name)) for name in ("x", "y", "width", "height"))
            boxes[int(each.get("id").removeprefix("cell-"))] = (x, y, x + wide, y + high)
    pays = {each.of.index: each.pays for each in summary.ratios}
    pieces = [each.get("points") for each in root.iter(f"{SVG}polyline") if each.get("stroke-width") == "2.6"]
    assert pieces
    for points in pieces:
        (x, y), (u, v) = (tuple(map(float, point.split(","))) for point in points.split())
        middle, step = ((x + u) / 2, (y + v) / 2), (8.0, 0.0) if x == u else (0.0, 8.0)
        sides = [(middle[0] + sign * step[0], middle[1] + sign * step[1]) for sign in (-1, 1)]
        found = [
            next(cell for cell, (a, b, c, d) in boxes.items() if a <= at[0] <= c and b <= at[1] <= d) for at in sides
        ]
        assert sorted(pays[cell] for cell in found) == [False, True]
    by_place = {tuple(each.of.varied.values()): each.pays for each in summary.ratios}
    xs, ys = summary.specification.xs, (2, 5)
    expected = sum(by_place[a, y] != by_place[b, y] for y in ys for a, b in pairwise(xs))
    expected += sum(by_place[x, ys[0]] != by_place[x, ys[1]] for x in xs)
    assert len(pieces) == expected


def test_texts_fit_into_their_cells_and_a_narrow_page_gets_a_wide_picture(summary):
    from gems_engine.experiment.plots.svg import text_width

    for width in (300.0, 900.0):
        root = drawn(summary, width)
        wide = float(next(each for each in root.iter(f"{SVG}rect") if each.get("id")).get("width"))
        assert all(text_width(words.ratio_interval(each), 11) <= wide for each in summary.ratios)
        assert float(root.get("width")) >= width


def test_a_dark_page_recolours_it(summary):
    svg = plots_of(summary, {})["map"]
    dark = for_dark_theme(svg)
    assert ROLES["text"][0] in svg
    assert ROLES["text"][0] not in dark
    assert ROLES["card"][1] in dark


def test_the_table_the_csv_and_the_json_have_the_same_numbers(summary):
    said = summary.specification
    table = tables_of(summary)[0]
    assert table.name == "map"
    assert table.header[1:] == tuple(dict.fromkeys(said.group(cell) for cell in said.cells))
    shown = {(row[0], head): text for row in table.rows for head, text in zip(table.header, row, strict=True)}
    lines = list(csv.DictReader(io.StringIO(to_csv(everything(summary, {})))))
    points = json.loads(json.dumps(summary.as_dict(), default=str))["map"]["points"]
    for each, point in zip(summary.ratios, points, strict=True):
        text = shown[said.setting(said.map.y, each.of.varied[said.map.y]), said.group(each.of)]
        assert text.startswith(words.ratio(each))
        assert (f"{each.unknown} of {each.trials} unknown" in text) == bool(each.unknown)
        assert float(lines[each.of.index]["ratio_least"]) == each.least == float(point["least"])
        assert float(lines[each.of.index]["ratio_high"]) == each.high
        assert lines[each.over.index]["ratio_least"] == ""
    assert "growth" not in plots_of(summary, {})


def test_without_a_map_nothing_is_added():
    said = parse_specification(re.sub(r"\[map\]\n.*\n.*\n", "", EPSILON_BY_D), "own").with_(1)
    found = summary_of(said)
    assert not found.ratios
    assert "map" not in plots_of(found, {})
    assert "map" not in found.as_dict()
    assert "ratio_least" not in everything(found, {}).header


def test_the_command_prints_the_map_and_the_report_explains_it(tmp_path, capsys):
    (tmp_path / "own.toml").write_text(EPSILON_BY_D)
    assert (
        main(["experiment", str(tmp_path / "own.toml"), "--jobs", "0", "--trials", "7", "-o", str(tmp_path / "r")]) == 0
    )
    printed = capsys.readouterr().out
    assert "τ of RAGE divided by τ of GEMS" in printed
    said = parse_specification(EPSILON_BY_D, "own").with_(7)
    assert all(words.ratio(each) in printed for each in summary_of(said).ratios)
    report = (tmp_path / "r" / "report.html").read_text()
    assert 'id="cell-' in report
    assert "If both were, there is no ratio" in report
    assert (tmp_path / "r" / "plots" / "map.svg").exists()


# -- specifications ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('ratio = ["RAGE", "GEMS"]', 'ratio = "RAGE"', "must be two labels"),
        ('ratio = ["RAGE", "GEMS"]', 'ratio = ["RAGE", 3]', "must be two labels"),
        ('ratio = ["RAGE", "GEMS"]', 'ratio = ["RAGE", "RAGE"]', "two different algorithms"),
        ('ratio = ["RAGE", "GEMS"]', 'ratio = ["RAGE", "GEM"]', 'did you mean "GEMS"'),
        ('y = "d_star"', 'y = "epsilon"', "varied parameter"),
        ('y = "d_star"', "y = 3", "must be text"),
        ('y = "d_star"', 'z = "d_star"', "Unknown key"),
        ("d_star = [2, 5]", "d_star = 2", "varied parameter"),
        ("base = 4", "base = [2, 4]", "base is varied too"),
        ('[map]\ny = "d_star"\nratio', "map = 3\nratio", "must be a table"),
    ],
)
def test_a_bad_map_is_refused_in_one_sentence(old, new, words):
    text = EPSILON_BY_D.replace(old, new)
    if "map = 3" in new:
        text = "map = 3\n" + re.sub(r"\[map\]\n.*\n.*\n", "", EPSILON_BY_D)
    assert text != EPSILON_BY_D
    with pytest.raises(InputError, match=words):
        parse_specification(text, "own")


def test_y_may_be_omitted_where_only_one_other_parameter_is_varied():
    said = parse_specification(D_BY_GAP, "own")
    assert (said.map.y, said.map.of, said.map.over) == ("min_gap", "RAGE, told d⋆", "RAGE")
    assert replace(said, trials=3).map is said.map
