"""Runs of other versions and packages, and files made by hand: they are used with defaults, or refused when read."""

import io
from unittest import mock

import pytest

from gems_engine import files
from gems_engine.branching import Branch, in_force
from gems_engine.errors import InputError
from gems_engine.explanation import explain
from gems_engine.explanation.text import as_text
from gems_engine.formats import journal
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.verification import verify
from tests.engine.small_settings import SHORTER
from tests.engine.synthetic_runs import synthetic_trace
from tests.fuzz.run_mutations import _records, _unchecked, _with


def with_parameters(run, change):
    """A run as it would be read from a file with other parameters in its first event; None removes one."""
    events = list(run)
    words = {name: value for name, value in {**events[0].parameters, **change}.items() if value is not None}
    events[0] = _with(events[0], parameters=words)
    with mock.patch("gems_engine.formats.chunk.check", _unchecked):
        records = _records(events, journal.Sizes.of(run.instance), 4000)
    data = journal.header(run.instance) + b"".join(records)
    return files._recorded(journal.Journal(io.BytesIO(data), "name", "file"))


def recorded(algorithm, **given):
    return Run(make("paper-hard", d_star=2), algorithm, 1, **{**SHORTER[algorithm], **given}).finish()


def test_a_branch_of_a_run_without_its_solver_uses_the_default():
    run = recorded("rage")
    bare = with_parameters(run, {"solver": None, "tolerance": None})
    assert in_force(bare, 3) == in_force(run, 3)
    assert list(Branch(bare, 3))[1:-1] == list(run)[1:-1]
    assert verify(bare).alike


def test_a_branch_of_a_run_with_a_parameter_of_another_version_says_so():
    with pytest.raises(InputError, match="Unknown parameter"):
        in_force(with_parameters(recorded("rage"), {"temperature": 3}), 1)


def test_a_run_of_another_package_may_mean_something_else_by_zeta():
    run = synthetic_trace(loops=1, rounds=2)
    odd, plain = with_parameters(run, {"zeta": 1e300}), with_parameters(run, {"zeta": 1.0})
    for cursor in range(2, len(run) + 1):
        assert as_text(explain(odd, cursor)) == as_text(explain(plain, cursor))


@pytest.mark.parametrize(
    ("algorithm", "change", "words"),
    [
        ("gems-c", {"budget": "best arm"}, "budget = best arm is not allowed"),
        ("fixed-budget", {"budget": 7}, "it must be a whole number from 8"),
    ],
)
def test_parameters_that_no_run_has_are_refused(algorithm, change, words):
    with pytest.raises(InputError, match=f"In the parameters of event 1 .* {words}"):
        with_parameters(recorded(algorithm), change)


def test_calls_outside_the_grid_of_a_recorded_budget_are_explained():
    odd = with_parameters(recorded("fixed-budget", budget=2000), {"budget": 8})
    history = History(odd)
    found = [as_text(explain(odd, cursor, history=history)) for cursor in range(len(odd) + 1)]
    assert any("4/(1·0)" in each for each in found)
