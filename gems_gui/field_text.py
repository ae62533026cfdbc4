"""Parameters as texts in forms: labels, values, and error messages with the symbols of the paper."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gems_engine.errors import InputError
from gems_engine.forcing import NEXT_SUBROUTINE, THIS_SUBROUTINE
from gems_engine.formats.spreadsheet import only_decimal
from gems_engine.parameters import Parameter, Value
from gems_engine.rewards import Noise
from gems_engine.terminal import number

INSTANCE, ALGORITHM, RUN = "instance", "algorithm", "run"
"""Scopes of parameters: there are two ε and two n."""
UNTIL, FORCED = "until", "forced"
"""The scopes of "run until" and of branches."""

_NAMES = {
    (INSTANCE, "epsilon"): "ε (instance)",
    (INSTANCE, "seed"): "Instance seed",
    (INSTANCE, "extra_arm"): "Extra arm",
    (INSTANCE, "case"): "Case",
    (INSTANCE, "size"): "Deviation",
    (INSTANCE, "decay"): "Decay",
    (ALGORITHM, "epsilon"): "ε (goal)",
    (ALGORITHM, "rounds"): "n (rounds)",
    (ALGORITHM, "max_samples"): "Sample cap",
    (ALGORITHM, "last_round"): "Last round",
    (ALGORITHM, "stop_when_verifiable"): "Stop when verifiable",
    (ALGORITHM, "literal"): "Count all n rounds",
    (ALGORITHM, "count_idle"): "Count idle rounds",
    (ALGORITHM, "solver"): "Solver",
    (ALGORITHM, "tolerance"): "Tolerance",
    (ALGORITHM, "noise"): "Noise",
    (RUN, "seed"): "Run seed",
    (UNTIL, "who"): "Which arm",
    (UNTIL, "target"): "Arm",
    (UNTIL, "across"): "Also from one call to the next",
    (UNTIL, "samples"): "N (samples)",
    (UNTIL, "way"): "Direction",
    (UNTIL, "kind"): "Kind of event",
    (FORCED, "seed"): "Run seed",
    (FORCED, "dimension"): "d",
    (FORCED, "dimension_for"): "d for",
    (FORCED, "selection_budget"): "B",
    (FORCED, "budget_for"): "B for",
    (FORCED, "solver"): "Solver",
    (FORCED, "tolerance"): "Tolerance",
}
PART_TITLES = {
    "arms": "Arms",
    "targets": "Targets",
    "theta": "θ⋆",
    "rewards": "Rewards",
    "target_rewards": "Target rewards",
}
"""The parts of an instance."""
_NOISE = {"bernoulli": "Bernoulli", "rademacher": "Rademacher", "deterministic": "No noise"}
_CHOICES = {THIS_SUBROUTINE: "this call", NEXT_SUBROUTINE: "next call"}
"""Choices that are shown in other words than those in files."""
_POWERS_FROM = 10**9  # larger numbers do not fit into a field of the form
_FEW_DIGITS = 4
_GROUPED_FROM = 10_000  # smaller numbers are readable without spaces


def label_of(parameter: Parameter, scope: str) -> str:
    """The label in a form: the symbol of the paper, or words."""
    named = _NAMES.get((scope, parameter.name)) or parameter.symbol
    return named or parameter.name.replace("_", " ").capitalize()


def choice_text(choice: str) -> str:
    """A choice as it is shown in a form."""
    return _CHOICES.get(choice, choice)


def noise_text(noise: Noise) -> str:
    """A noise in the form, the list of runs and comparisons."""
    return _NOISE.get(noise.kind) or f"N(0, {number(noise.sigma**2)})"


def text_of(parameter: Parameter, value: Value) -> str:
    """A value as text in a form; parsing the text gives exactly the same value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        if parameter.name == "seed" or abs(value) < _GROUPED_FROM:
            return str(value)
        return _in_powers(value) if abs(value) >= _POWERS_FROM else number(value)
    shown = number(value)
    return shown if float(plain_number(shown)) == value else repr(value)


def _in_powers(value: int) -> str:
    """A large whole number as "1e15" where that is shorter, to fit into a field."""
    digits = str(abs(value)).rstrip("0")
    zeros = len(str(abs(value))) - len(digits)
    return f"{value // 10**zeros}e{zeros}" if len(digits) <= _FEW_DIGITS and zeros else number(value)


def parsed(parameter: Parameter, text: str) -> Value:
    """The value of a typed text: "10 000 000", "1e-3", "1e−3" and "0,5" are numbers."""
    try:
        value = parameter.parse(plain_number(text) if parameter.kind in ("int", "float") else text)
    except InputError:
        return parameter.parse(text)  # raises an error that shows what was typed
    if parameter.name == "noise" and isinstance(value, str):
        Noise.parse(value)
    return value


def refusal_of(parameter: Parameter, text: str, scope: str) -> str:
    """The error of a text, in one sentence; empty if it is valid."""
    label = label_of(parameter, scope)
    if not text.strip() and not parameter.optional:
        return f"{label} is missing: it must be {parameter.allowed}."
    try:
        parsed(parameter, text)
    except InputError as error:
        return in_letters(str(error), (parameter,), scope)
    return ""


def in_letters(sentence: str, parameters: Iterable[Parameter], scope: str) -> str:
    """An error message with labels instead of names in code: "d⋆ = 9 is not allowed"."""
    for parameter in parameters:
        before, *rest = re.split(rf"(?<![\w.]){re.escape(parameter.name)}(?= = )", sentence)
        sentence = label_of(parameter, scope).join((before, *rest))
    return sentence


def plain_number(text: str) -> str:
    """The text without spaces between digits, with an ASCII minus and a decimal point, for Python."""
    plain = re.sub(r"(?<=\d)\s+(?=\d)", "", text).replace("−", "-")
    return plain.replace(",", ".") if only_decimal(plain) else plain
