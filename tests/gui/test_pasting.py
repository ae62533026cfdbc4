"""Text of a spreadsheet: separators, headers, names, numbers as people write them, and cells that are none."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gems_engine.errors import InputError
from gems_engine.formats.spreadsheet import number_in
from gems_gui.drafts.instance_table import ARMS, THETA, InstanceTable, small_table
from gems_gui.drafts.pasting import SPACES, read_block, separator_of, written

THIN, NARROW = "\N{THIN SPACE}", "\N{NARROW NO-BREAK SPACE}"


# -- numbers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        (" -3 ", -3.0),
        ("−2.5e−3", -2.5e-3),
        ("0,5", 0.5),
        (",5", 0.5),
        ("-12,25", -12.25),
        ("0,125", 0.125),
        ("1,2345", 1.2345),
        ("1,5e3", 1500.0),
        (f"1{THIN}000", 1000.0),
        (f"12{NARROW}345,6", 12345.6),
        ("1 234 567.8", 1234567.8),
        ("1'000", 1000.0),
        ("1,234,567", 1234567.0),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1.234.567", 1234567.0),
        ("1.234", 1.234),
        ("1e100", 1e100),
    ],
)
def test_a_number_as_people_write_it(text, value):
    assert number_in(text) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("abc", '"abc" is not a number'),
        ("1 5", '"1 5" is not a number'),
        ("1_5", '"1_5" is not a number'),
        ("1,2,3", "not a number"),
        ("1.2.3", "not a number"),
        ("nan", "finite"),
        ("inf", "finite"),
        ("1e101", "finite"),
        (",", "not a number"),
        ("50 %", "not a number"),
        ("1,234", "write 1.234 or 1234"),
        ("x" * 500, '…" is not a number'),
    ],
)
def test_what_is_no_number_says_why_in_a_sentence(text, words):
    with pytest.raises(InputError) as error:
        number_in(text)
    assert words in str(error.value)
    assert len(str(error.value)) < 120


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_read_as_it_is_written(value):
    if abs(value) <= 1e100:
        assert math.copysign(1, number_in(repr(value))) == math.copysign(1, value)
        assert number_in(repr(value)) == value


@given(st.integers(-(10**12), 10**12), st.text("0123456789", min_size=1, max_size=6))
@example(1000, "5")
def test_grouped_numbers_with_a_decimal_comma_are_understood(whole, part):
    grouped = f"{whole:,}".replace(",", THIN)
    expected = float(f"{whole}.{part}")
    assert number_in(f"{grouped},{part}", decimal_comma=True) == expected
    assert number_in(f"{whole:,}.{part}") == expected


# -- blocks ---------------------------------------------------------------------------------------------------------


def read(text, **rest):
    block = read_block(text, **rest)
    return block.values.tolist(), dict(block.bad), block.names, block.header


@pytest.mark.parametrize(
    "text",
    [
        "1\t2\n3\t4",
        "1\t2\r\n3\t4\r\n",
        "1;2\n3;4\n",
        "1,2\n3,4",
        "\ufeff1\t2\n3\t4\n\n",
        '"1"\t2\n3\t"4"',
        "1,0;2\n3,0;4",
    ],
)
def test_separators(text):
    assert read(text) == ([[1.0, 2.0], [3.0, 4.0]], {}, None, None)


def test_a_name_with_another_separator_stays_one_name():
    assert read("a;b,1,2\nc,3,4") == ([[1.0, 2.0], [3.0, 4.0]], {}, ("a;b", "c"), None)
    assert read("a,b;1,5;2\nc;3;4,5") == ([[1.5, 2.0], [3.0, 4.5]], {}, ("a,b", "c"), None)


def test_header_and_names():
    values = [[1.0, 2.0], [3.0, 4.0]]
    assert read("a\tb\n1\t2\n3\t4") == (values, {}, None, ("a", "b"))
    assert read("x\t1\t2\ny\t3\t4") == (values, {}, ("x", "y"), None)
    assert read("arm\ta\tb\nx\t1\t2\ny\t3\t4") == (values, {}, ("x", "y"), ("arm", "a", "b"))
    assert read("\ta\tb\n0\t1\t2\n1\t3\t4") == (values, {}, ("0", "1"), ("", "a", "b")), "as pandas writes an index"
    assert read("Name,2020,2021\n7,1,2\n,3,4") == (values, {}, ("7", ""), ("Name", "2020", "2021"))
    assert read("x\n1\n2") == ([[1.0], [2.0]], {}, None, ("x",))


def test_only_names():
    for text in ("a\nb", "name\na\nb"):
        block = read_block(text, at_names=True)
        assert block.names == ("a", "b")
        assert block.values.shape == (2, 0)
    assert read_block("1\n2", at_names=True).values.tolist() == [[1.0], [2.0]], "numbers are no names"
    assert read_block("a\nb\n1").bad == {(0, 0): "b"}, "nor are texts where there are no names"


def test_a_bad_cell_is_kept_and_so_is_the_rest():
    block = read_block("1\tx\t3\n4\t5\n\t8\t1e999")
    assert block.bad == {(0, 1): "x", (1, 2): "", (2, 0): "", (2, 2): "1e999"}
    assert np.isnan([block.values[cell] for cell in block.bad]).all()
    assert block.values[0, [0, 2]].tolist() == [1, 3]
    assert block.values[1, :2].tolist() == [4, 5]
    assert block.values[2, 1] == 8
    lone = read_block('1\t"2\n3\t4')
    assert lone.bad == {(0, 1): '"2'}, "a lone quote does not swallow what is behind it"
    assert lone.values[1].tolist() == [3, 4]


def test_the_decimal_sign_is_that_of_all_cells():
    assert read("0,5\t1,234\n2\t3")[0] == [[0.5, 1.234], [2.0, 3.0]], "0,5 says what the comma in 1,234 is"
    assert read("1,234\t2")[1] == {(0, 0): "1,234"}, "alone it may be two numbers"
    assert read("0,5\t1.234")[1] == {(0, 1): "1.234"}, "next to a decimal comma a point may group digits"
    assert read("0,5\t1.25")[0] == [[0.5, 1.25]]
    assert read("0,5\n0,25", one_column=True)[0] == [[0.5], [0.25]]
    assert read("0,5\n0,25")[0] == [[0.0, 5.0], [0.0, 25.0]], "where there is room for two, commas separate"


@pytest.mark.parametrize("text", ["", "\n\n", "\t\t\n", '""'])
def test_nothing_to_paste_says_so(text):
    with pytest.raises(InputError, match="Cannot paste: the clipboard contains no text"):
        read_block(text)


@given(st.text())
def test_any_text_is_a_block_or_a_sentence(text):
    try:
        block = read_block(text)
    except InputError:
        assert not any(letter.isalnum() for letter in text)
        return
    assert np.isnan(block.values).sum() == len(block.bad)
    assert np.isfinite(block.values).sum() + len(block.bad) == block.values.size
    assert block.names is None or len(block.names) == len(block.values)


CELLS = st.one_of(
    st.floats(-1e100, 1e100).map(repr),
    st.sampled_from(("", "x", 'a"b', "a\tb", "1,5 or so", "a;b", "two\nlines", "1,234", "=1+1", "'-x", "@", "''+")),
)
NAMES = ("", "left", "7", "a\tb", "x1", 'q"', "=HYPERLINK(1)", "-x", "'@y", "+", " spaced ", "'quoted'", "\t=z")


@given(st.data(), st.integers(1, 4), st.integers(1, 4), st.booleans())
def test_what_is_copied_is_pasted_as_it_was(data, rows, columns, named):
    table = small_table().with_D(columns).insert_rows(ARMS, 0, rows).remove_rows(ARMS, (rows, rows + 1, rows + 2))
    for i in range(rows):
        if named:
            table = table.with_name(ARMS, i, data.draw(st.sampled_from(NAMES)))
        for j in range(columns):
            table = table.with_cell(ARMS, i, j, data.draw(CELLS))
    sheet, names = table.sheet(ARMS), table.names(ARMS)
    cells = [[*([names[i]] if named else []), *(sheet.text(i, j) for j in range(columns))] for i in range(rows)]
    header = [*(["name"] if named else []), *(f"x{j + 1}" for j in range(columns))]
    block = read_block(written(cells, header), one_column=columns == 1)
    blank = table.with_block(ARMS, 0, 0, read_block("\t".join("0" * columns) + "\n"))
    for i in range(rows):
        blank = blank.with_name(ARMS, i, "" if named else names[i])
    assert blank.with_block(ARMS, 0, 0, block) == table


def test_no_copied_text_is_a_formula_and_no_number_is_escaped():
    text = written([["=cmd()", "-1.5"], ["@x", "+2"], ["a\t=b", "-x"]], ["name", "+f"])
    assert text == "name\t'+f\n'=cmd()\t-1.5\n'@x\t+2\n\"a\t=b\"\t'-x\n"
    block = read_block(text)
    assert block.names == ("=cmd()", "@x", "a\t=b")
    assert block.header == ("name", "+f")
    assert block.bad == {(2, 0): "-x"}


def test_a_column_with_empty_cells_keeps_its_rows():
    text = written([["1.5"], [""], [""]], ["x1"])
    assert text == 'x1\n1.5\n""\n""\n'
    block = read_block(text, one_column=True)
    assert block.header == ("x1",)
    assert block.values[0].tolist() == [1.5]
    assert block.bad == {(1, 0): "", (2, 0): ""}


def test_a_thousand_arms_with_a_hundred_features():
    values = np.random.default_rng(1).normal(size=(1000, 100))
    header = ["name", *(f"feature {j}" for j in range(100))]
    text = written([[f"arm {i}", *map(repr, row)] for i, row in enumerate(values.tolist())], header)
    table = InstanceTable.of(small_table().instance()).with_block(ARMS, 0, 0, read_block(text))
    assert np.array_equal(table.arms, values)
    assert table.arm_names[999] == "arm 999"
    assert table.sheet(THETA).shape == (100, 1)


@pytest.mark.parametrize(
    ("text", "values", "names", "header"),
    [
        ("1 2 3\n4 5 6\n", [[1, 2, 3], [4, 5, 6]], None, None),
        ("  1.0   -2.5 \n 10.25  3\n\n", [[1, -2.5], [10.25, 3]], None, None),
        ("a b c\n1 2 3\n4 5 6", [[1, 2, 3], [4, 5, 6]], None, ("a", "b", "c")),
        ("first 1 2\nsecond 3 4", [[1, 2], [3, 4]], ("first", "second"), None),
        ("name x y\nfirst 1 2\nsecond 3 4", [[1, 2], [3, 4]], ("first", "second"), ("name", "x", "y")),
        ("1 000\n12 500", [[1000], [12500]], None, None),
        ("1e-3 2\t5\n1 2\t6", None, None, None),
        ("arm 5\narm 6", None, None, None),
        ("one two\nthree", None, None, None),
    ],
)
def test_what_programs_print_has_spaces_between_its_cells(text, values, names, header):
    if values is None:
        assert separator_of(text) != SPACES
        return
    block = read_block(text)
    assert (block.values.tolist(), dict(block.bad)) == (values, {})
    assert (block.names, block.header) == (names, header)
