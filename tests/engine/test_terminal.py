"""Numbers and bars for a terminal."""

import io
import math

import pytest

from gems_engine.terminal import THIN, ProgressBar, number, short_number, shown_json, table


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (20_000_000, f"20{THIN}000{THIN}000"),
        (40008.0004, f"40{THIN}008"),
        (14.6568542, "14.66"),
        (0.05, "0.05"),
        (1.25e-7, "1.25e−7"),
        (-3.5, "−3.5"),
        (math.inf, "∞"),
        (None, "–"),
        (2.5e15, "2.5e15"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (10_213_350_123, 4, "1.021e10"),
        (10**400, 1, "1e400"),
        (0.00390625, 2, "0.0039"),
        (3.90625e-4, 1, "4e−4"),
        (-98.7, 1, "−99"),
        (10, 1, "10"),
        (0.0, 1, "0"),
        (math.inf, 2, "∞"),
    ],
)
def test_numbers_with_few_digits(value, digits, text):
    assert short_number(value, digits) == text


def test_table_sets_columns():
    assert table(["arm", "λ"], [["x", "0.5"], ["yy", "10"]], left=1) == "arm    λ\n───  ───\nx    0.5\nyy    10"


def test_json_has_no_infinity():
    assert shown_json({"a": [math.inf, 1.0, math.nan]}) == '{\n  "a": [\n    null,\n    1.0,\n    null\n  ]\n}'


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_bar_comes_late_and_goes_away(monkeypatch):
    clock = iter([0.0, 0.2, 1.0, 1.05, 2.0])
    monkeypatch.setattr("gems_engine.terminal.time.monotonic", lambda: next(clock))
    stream = Terminal()
    with ProgressBar("work", stream) as bar:
        assert bar(1, 10)
        assert stream.getvalue() == ""  # no bar for what takes a moment
        bar(5, 10)
        assert "work [" in stream.getvalue()
        assert " 50%" in stream.getvalue()
        drawn = len(stream.getvalue())
        bar(6, 10)
        assert len(stream.getvalue()) == drawn  # not more than ten times a second
    assert stream.getvalue().endswith("\r\x1b[K")


def test_no_bar_where_nobody_looks():
    stream = io.StringIO()
    with ProgressBar("work", stream) as bar:
        bar.started -= 100
        bar(1, 2)
    assert stream.getvalue() == ""
