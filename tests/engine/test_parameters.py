"""Parameters: what people type is understood or refused in one sentence that names the range."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.errors import InputError, quoted
from gems_engine.parameters import Parameter, check_all, closest_name, shown
from gems_engine.terminal import THIN, number

D = Parameter("D", "int", 25, "Features.", "D", 1, 10**15)
EPSILON = Parameter("epsilon", "float", 0.1, "Gap.", "ε", 0, 1, exclusive_minimum=True)
FLAG = Parameter("extra", "bool", False, "Extra arm.")
THETA = Parameter("theta", "choice", "flat", "Shape.", choices=("flat", "inverse-square"))
CAP = Parameter("cap", "int", None, "Cap.", minimum=1, optional=True)
NOTE = Parameter("note", "text", "", "Words.")


@pytest.mark.parametrize(
    ("parameter", "text", "value"),
    [
        (D, "7", 7),
        (D, " 1e7 ", 10_000_000),
        (D, "2.5e1", 25),
        (D, "999999999999999", 999_999_999_999_999),  # exact, not through a float
        (EPSILON, "1e-2", 0.01),
        (EPSILON, "1", 1.0),
        (FLAG, "True", True),
        (FLAG, "off", False),
        (THETA, "flat", "flat"),
        (CAP, "none", None),
        (CAP, "3", 3),
        (NOTE, "words", "words"),
    ],
)
def test_parse_understands_what_people_type(parameter, text, value):
    parsed = parameter.parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("parameter", "text", "allowed"),
    [
        (D, "2.5", f"a whole number from 1 to {number(10**15)}."),
        (D, "0", "a whole number from 1"),
        (D, "10000000000000000", "a whole number from 1"),
        (D, "1e999999999", "a whole number from 1"),
        (D, "nan", "a whole number"),
        (EPSILON, "0", "a number above 0 and at most 1"),
        (EPSILON, "inf", "a number above 0"),
        (EPSILON, "half", "a number above 0"),
        (FLAG, "maybe", "true or false"),
        (THETA, "steep", "one of flat, inverse-square"),
        (CAP, "0", "a whole number of at least 1 or none"),
    ],
)
def test_refusals_name_parameter_value_and_range(parameter, text, allowed):
    with pytest.raises(InputError) as caught:
        parameter.parse(text)
    message = str(caught.value)
    assert message.startswith(f"{parameter.name} = {text} is not allowed: it must be {allowed}")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [(D, True), (D, "7"), (D, None), (D, 1.5), (EPSILON, 10**400), (EPSILON, 1j), (FLAG, 1), (THETA, 3), (D, [1])],
)
def test_check_refuses_wrong_types(parameter, value):
    with pytest.raises(InputError, match=f"^{parameter.name} = "):
        parameter.check(value)


def test_check_turns_numpy_numbers_into_pythons():
    assert type(D.check(np.int64(5))) is int
    assert type(D.check(5.0)) is int
    assert type(EPSILON.check(np.float32(0.5))) is float
    assert type(EPSILON.check(1)) is float
    assert FLAG.check(np.bool_(True)) is True


@given(st.text())
def test_any_text_parses_or_is_refused_in_one_sentence(text):
    for parameter in (D, EPSILON, FLAG, THETA, CAP, NOTE):
        try:
            value = parameter.parse(text)
        except InputError as error:
            message = str(error)
        else:
            message = ""
            assert parameter.check(value) == value
        assert message.replace(THIN, "").isprintable()


@given(st.floats(min_value=0, max_value=1, exclude_min=True))
def test_floats_round_trip_through_text(value):
    assert EPSILON.parse(repr(value)) == value


def test_check_all_fills_defaults_in_order_and_suggests_names():
    assert check_all((D, EPSILON), {"epsilon": 0.5}) == {"D": 25, "epsilon": 0.5}
    assert list(check_all((D, EPSILON), {"epsilon": 0.5})) == ["D", "epsilon"]
    with pytest.raises(InputError, match=r'Unknown parameter "epsilom": did you mean "epsilon"\?'):
        check_all((D, EPSILON), {"epsilom": 1})
    with pytest.raises(InputError, match="choose one of D, epsilon"):
        check_all((D, EPSILON), {"zzz": 1})


def test_a_default_outside_its_own_range_is_a_bug():
    with pytest.raises(InputError):
        Parameter("n", "int", 0, "Rows.", minimum=1)
    with pytest.raises(ValueError, match="unknown kind"):
        Parameter("n", "whole", 0, "Rows.")


def test_shown_is_short_for_anything():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert shown(deep) == "a list"
    assert shown(10**6000) == "a huge whole number"
    assert len(shown("x" * 10_000)) < 50
    assert shown(math.inf) == "inf"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("fig", '"fig"'),
        ("", '""'),
        ("two\nlines\x1b", '"two\\nlines\\x1b"'),
        ("\udc80", '"\\udc80"'),
        ("x" * 61, f'"{"x" * 59}…"'),
    ],
)
def test_quoted_text_is_short_printable_and_on_one_line(text, seen):
    assert quoted(text) == seen


def test_the_start_of_a_name_is_enough_to_propose_it():
    assert closest_name("d", ("seed", "dimension", "dimension_for")) == "dimension"
    assert closest_name("", ("seed", "dimension")) == ""
