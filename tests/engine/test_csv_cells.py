"""Texts in tables for other programs: no formula in CSV, no markup in Markdown and LaTeX, and nothing is lost."""

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gems_engine.experiment.tables import Table, latex_text, markdown_text, to_csv, to_latex, to_markdown
from gems_engine.files import read_instance, read_weights, write_instance
from gems_engine.formats.csv_cells import csv_text, escaped, is_number, restored
from gems_engine.formats.csv_format import read_items, rows_of
from gems_engine.formats.csv_format import to_csv as instance_csv
from gems_engine.instance import Instance

FORMULA = "=+-@\t\r"
hostile = st.text(st.sampled_from("=+-@\t\r\n'\",;|x1. ") | st.characters(exclude_categories=["Cs"]), max_size=12)
names = hostile.map(lambda text: "".join(each for each in text if each.isprintable()))
numbers = st.floats(allow_nan=False) | st.integers(-(10**20), 10**20)


# -- CSV ------------------------------------------------------------------------------------------------------------


@given(hostile)
@example("=1+1")
@example("'=1+1")
@example("''-x")
@example("'quoted'")
@example("-5")
def test_no_text_is_a_formula_and_every_text_comes_back(text):
    cell = escaped(text)
    assert restored(cell) == text
    assert not cell.startswith(tuple(FORMULA)) or is_number(cell)
    assert cell in (text, f"'{text}")


@given(st.lists(st.lists(hostile | numbers, min_size=1, max_size=5), max_size=5))
def test_a_table_is_read_back_exactly(rows):
    read = list(csv.reader(io.StringIO(csv_text(rows), newline="")))
    assert [[restored(cell) for cell in row] for row in read] == [[str(value) for value in row] for row in rows]
    for row, cells in zip(rows, read, strict=True):
        for value, cell in zip(row, cells, strict=True):
            assert isinstance(value, str) or cell == str(value), "a number is never escaped"


@given(numbers)
def test_a_number_given_as_text_stays_a_number(value):
    assert escaped(repr(value)) == repr(value)
    table = Table("t", "", ("x",), ((repr(value),),))
    assert float(to_csv(table).splitlines()[1]) == float(value)


@given(st.lists(names, min_size=3, max_size=3), st.lists(names.map(str.strip), min_size=2, max_size=2))
@example(["=cmd()", "+1x", "'@a"], ["-x", "'=y"])
def test_an_instance_comes_back_with_its_names_and_numbers(arms, features):
    made = Instance.linear(
        [[-1.0, 0.5], [0.25, -3e-9], [2.0, 1.0]], [1.0, -1.0], arm_names=arms, feature_names=features
    )
    data = instance_csv(made)
    items = read_items(data)
    assert items.names == tuple(arms)
    np.testing.assert_array_equal(items.features, made.arms)
    np.testing.assert_array_equal(items.rewards, made.rewards)
    assert items.columns in (tuple(features), ("x1", "x2"))
    for _, row in rows_of(data, ","):
        assert not any(cell.startswith(tuple(FORMULA)) and not is_number(cell) for cell in row)


def test_a_file_with_formulas_for_names_is_saved_and_opened(tmp_path):
    arm_names, feature_names = ('=HYPERLINK("x")', "-1+1", "'=a"), ("+a", "@b")
    made = Instance.linear(
        [[1.0, 0.0], [0.0, 1.0], [-0.5, 0.5]], [1.0, 0.0], arm_names=arm_names, feature_names=feature_names
    )
    write_instance(tmp_path / "a.csv", made)
    assert (tmp_path / "a.csv").read_text().splitlines()[0] == "name,reward,'+a,'@b"
    again = read_instance(tmp_path / "a.csv")
    assert (again.arm_names, again.feature_names) == (arm_names, feature_names)
    (tmp_path / "w.csv").write_text(csv_text([("arm", "weight"), (arm_names[1], 0.25), (arm_names[0], 0.75)]))
    assert read_weights(tmp_path / "w.csv", 3, arm_names).tolist() == [0.75, 0.25, 0.0]


# -- Markdown and LaTeX ---------------------------------------------------------------------------------------------


@given(st.text(max_size=30))
@example("<img src=x> | `a` *b* _c_ ~~d~~ [e](f) &lt; \\")
def test_markdown_has_no_new_cell_line_or_markup(text):
    shown = markdown_text(text)
    assert len(shown.splitlines()) <= 1
    bare = re.sub(r"\\.", "", shown)  # what has a backslash in front is shown as it is
    assert not re.search(r"[|`*_~\\]|<[A-Za-z/!?]|&#?\w+;|\]\([^)]*\)", bare)
    assert re.sub(r"\\([\\|`*_~<&(])", r"\1", shown) == re.sub(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+", " ", text)
    line = to_markdown([Table("t", text, ("a", "b"), ((text, "1"),))]).splitlines()[-1]
    assert re.sub(r"\\.", "", line).count("|") == 3


_BACK = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textbar{}": "|"}


@given(st.text(st.sampled_from("\\&%$#_{}~^|[]* ab\n"), max_size=20))
@example("[x] \\ & % $ # _ { } ~ ^ |")
def test_latex_shows_every_letter(text):
    shown = latex_text(text)
    assert "\n" not in shown
    back = re.sub(r"\\text\w+\{\}|\\([&%$#_{}])", lambda found: _BACK.get(found[0], found[1]), shown)
    assert back == re.sub(r"\n+", " ", text)
    table = to_latex([Table("t", text, (text, "x"), ((text, "1"), (text, "2")))])
    assert all(re.search(r"(?<!\\) & .*\\\\$", line) for line in table.splitlines() if line.endswith(r" \\"))
    assert not re.search(r"(\\\\|\\midrule|\\toprule)\s*[\[*]", table), "not read as an option"


@pytest.mark.parametrize("text", ["ε = 10⁻¹²", "12 340 [11 900, 12 800]", "> 15 000", "100 % [83, 100]"])
def test_what_experiments_print_is_readable(text):
    assert markdown_text(text) == text
