"""Experiments without a window: the session, the line that a sentence means, and rows kept flat."""

import sys

import numpy as np
import pytest

from gems_engine.errors import InputError
from gems_engine.experiment import run_trials
from gems_engine.experiment.folder import Recorder
from gems_engine.experiment.library import built_in
from gems_engine.experiment.trials import Row
from gems_gui.experiments.experiment_session import ExperimentSession, SpecSource, examined
from gems_gui.experiments.job import proposed, refusal
from gems_gui.experiments.toml_locator import line_of
from gems_gui.experiments.trial_store import COLUMNS, TrialStore
from tests.engine.experiments import SMALL, small

WRONG = {
    "d_star = 3": "d_star = 0",
    "[instance]": "[[instants]]",
    "epsilon = [0.3, 0.01]": "epsilon = [0.3, 0.3]",
    "trials = 4": "trials = 0",
    "seed = 5": "sead = 5",
    'family = "paper-hard"': 'family = "paper-hart"',
    "samples = 15_000": "sample = 15_000",
    "base = 4": "base = 1",
    'name = "rage"': 'name = "range"',
    "values = [1.0, 0.25]": "values = [1.0]",
    'label = "GEMS"': 'label = "GEMS',
    'x = "epsilon"': 'x = "delta"',
}


@pytest.mark.parametrize("right", WRONG)
def test_the_line_of_a_mistake_is_found_from_its_sentence(right, tmp_path):
    text = SMALL.replace(right, WRONG[right], 1)
    with pytest.raises(InputError) as refused:
        examined(text, SpecSource.of_file(str(tmp_path / "own.toml")), edited=False)
    found = line_of(str(refused.value), text)
    assert found is not None
    assert text.split("\n")[found] == WRONG[right]


def test_a_sentence_about_the_whole_marks_no_line():
    assert line_of("The table [[instance]] is missing. An experiment needs at least one.", "trials = 4\n") is None
    assert line_of("", SMALL) is None


def test_edits_stay_until_they_are_saved_or_given_up(tmp_path):
    session = ExperimentSession()
    assert [each.name for each in session] == list(built_in())
    assert all(session.title(each) for each in session)
    first, second = session.chosen, next(each for each in session if each.name == "budget")
    session.write(SMALL)
    session.chosen = second
    assert session.text == built_in()[second.name].read_text()
    session.chosen = first
    assert (session.text, session.unsaved()) == (SMALL, [first])
    assert examined(SMALL, first, session.edited(first)).name == f"{first.name}-edited"
    saved = session.saved_as(first, str(tmp_path / "mine.toml"), SMALL)
    assert (session.chosen, session.text, session.unsaved()) == (saved, SMALL, [])
    assert session.text_of(first) == built_in()[first.name].read_text()
    session.write("x")
    session.put(saved, SMALL)  # opened once more: edits stay
    assert session.text == "x"
    session.revert()
    assert (session.text, session.unsaved()) == (SMALL, [])


def test_a_folder_is_proposed_in_which_the_experiment_can_begin_or_go_on(tmp_path):
    said, other = small(), small(seed=6)
    first = proposed(tmp_path, said)
    assert first == tmp_path / "gems-small"
    with Recorder(first, said, "a test") as recorder:
        recorder.add(next(run_trials(said.missing(bytearray()))))
    assert proposed(tmp_path, said) == first
    assert proposed(tmp_path, other) == tmp_path / "gems-small-2"
    assert refusal(other, str(first)) == "The results in this folder have seed 5, not 6. Choose another folder."
    assert "Choose a folder" in refusal(said, " ")


def test_rows_are_sorted_and_filtered_as_arrays():
    said = small(trials=3)
    rows = list(run_trials(said.missing(bytearray())))
    rows[5] = Row(5, rows[5].instance, rows[5].algorithm, rows[5].seed, error="It broke.")
    store = TrialStore(said)
    store.extend(reversed(rows))
    assert [store.index_of(place) for place in store.order()] == list(reversed(range(12)))
    assert [store.index_of(place) for place in store.order("trial")] == list(range(12))
    assert [store.index_of(place) for place in store.order(failed_only=True)] == [5]
    assert [store.index_of(place) for place in store.order(cell=1)] == [9, 5, 1]
    keys = {
        "cell": lambda row: row.index % 4,
        "seed": lambda row: row.seed,
        "right": lambda row: np.inf if row.correct is None else row.correct,
        "tau": lambda row: np.inf if row.tau is None else row.tau,
        "samples": lambda row: np.inf if row.samples is None else row.samples,
        "seconds": lambda row: row.seconds,
        "error": lambda row: row.error,
    }
    assert set(keys) | {"trial"} == set(COLUMNS)
    for column, key in keys.items():
        places = store.order(column)
        came = rows[::-1]
        assert [store.index_of(place) for place in places] == [row.index for row in sorted(came, key=key)], column
        assert list(store.order(column, down=True)) == list(places[::-1])
    again = Row(5, rows[5].instance, rows[5].algorithm, rows[5].seed, correct=True, tau=7, samples=9)
    store.extend([again])  # it was run again
    assert len(store) == 12
    assert len(store.order(failed_only=True)) == 0
    assert (store.line(6).index, store.line(6).tau, store.line(6).error) == (5, 7, "")
    line = store.line(11)
    assert (line.index, line.seed, line.tau, line.cell) == (0, rows[0].seed, rows[0].tau, "GEMS, ε = 0.3")


def test_a_hundred_thousand_rows_take_a_few_megabytes():
    said = small(trials=25_000)
    store = TrialStore(said)
    store.extend(Row(index, "an instance", "rage", 1, True, 3, 1000, 500, seconds=0.1) for index in range(len(said)))
    kept = sum(sys.getsizeof(each) for each in vars(store).values() if hasattr(each, "__len__"))
    assert len(store) == 100_000
    assert kept < 5e6
