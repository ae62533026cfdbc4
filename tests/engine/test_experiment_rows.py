"""Rows on disk: what is written comes back, a kill tears at most the last line, and no bytes do any harm."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gems_engine.errors import InputError
from gems_engine.experiment import folder as folder_module
from gems_engine.experiment.folder import (
    ROWS,
    SESSIONS,
    Recorder,
    first_session,
    holds_results,
    read_results,
    read_rows,
    rows_in_order,
)
from gems_engine.experiment.rows import Session, parse_line, row_line, session_line
from gems_engine.experiment.toml_format import parse_specification
from gems_engine.experiment.trials import Row, run_trial
from gems_engine.files import LineFile, write_instance
from gems_engine.gallery import make
from tests.engine.experiments import small

whole = st.integers(0, 2**53)
rows = st.builds(
    Row,
    index=whole,
    instance=st.text(),
    algorithm=st.text(),
    seed=whole,
    correct=st.none() | st.booleans(),
    tau=st.none() | whole,
    verified=st.none() | whole,
    finish=st.none() | st.text(),
    error=st.text(),
    seconds=st.floats(0, 1e9),
    seconds_to_tau=st.none() | st.floats(0, 1e9),
    tries=st.integers(1, 9),
    made_by=st.text(),
)


@settings(max_examples=30)
@given(rows)
def test_a_row_is_one_line_and_comes_back(row):
    line = row_line(row)
    assert line.count(b"\n") == 1
    back = parse_line(line[:-1], 1)
    assert back.as_dict() == row.as_dict()


@settings(max_examples=50)
@given(
    st.one_of(
        st.binary(),
        st.text().map(str.encode),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
            lambda each: (
                st.lists(each)
                | st.dictionaries(
                    st.sampled_from(["index", "seed", "format", "version", "tau", "instance"]) | st.text(), each
                )
            ),
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_no_bytes_do_any_harm(line):
    try:
        said = parse_line(line, 3)
    except InputError as error:
        said = str(error)
    assert isinstance(said, Row | Session) or said.startswith("Line 3")


@pytest.mark.parametrize("field", ["tau", "seconds", "seed"])
def test_a_number_of_400_digits_gets_one_sentence(field):
    line = json.dumps({"index": 0, "instance": "x", "algorithm": "rage", "seed": 1, field: 10**400}).encode()
    with pytest.raises(InputError, match=rf"^Line 7: The field {field} has an invalid value, a huge whole number\.$"):
        parse_line(line, 7)


def recorded(folder, said, count, resume=False):
    with Recorder(folder, said, "a test", resume) as recorder:
        for trial in list(said.missing(recorder.done))[:count]:
            recorder.add(run_trial(trial))
        return recorder


def test_what_was_recorded_is_read_again(tmp_path):
    said = small()
    recorded(tmp_path / "new" / "folder", said, 5)
    results = read_results(tmp_path / "new" / "folder")
    assert results.specification.digest == said.digest
    assert [row.index for row in read_rows(tmp_path / "new" / "folder")] == [0, 1, 2, 3, 4]
    assert list(results.done) == [1] * 5 + [0] * 11
    assert results.measures.done == 5
    assert results.notes == []
    assert (results.sessions[0].workers, results.sessions[0].seed, results.sessions[0].trials) == ("a test", 5, 4)


def test_a_torn_last_line_is_dropped_and_said_and_its_trial_is_run_again(tmp_path):
    said = small()
    recorded(tmp_path, said, 5)
    file = tmp_path / ROWS
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    for kept in (len(whole) - 1, len(whole) - len(lines[-1]) + 1):
        file.write_bytes(whole[:kept])
        results = read_results(tmp_path)
        assert results.measures.done == 4
        assert "incomplete" in results.notes[0]
    recorder = recorded(tmp_path, said, 1, resume=True)
    assert "incomplete" in recorder.notes[0]
    assert [row.index for row in read_rows(tmp_path)] == [0, 1, 2, 3, 4]
    assert len(read_results(tmp_path).sessions) == 2
    assert read_results(tmp_path).notes == []


def test_a_folder_that_was_only_begun_is_begun_again(tmp_path):
    said = small()
    recorded(tmp_path, said, 0)
    assert not holds_results(tmp_path)  # nothing was done, and nothing has to be gone on with
    recorded(tmp_path, said, 1)
    file = tmp_path / ROWS
    file.write_bytes(file.read_bytes()[:20])  # killed while it wrote its first line
    assert recorded(tmp_path, said, 2, resume=True).measures.done == 2
    assert read_results(tmp_path).measures.done == 2


def test_results_are_not_written_over(tmp_path):
    said = small()
    recorded(tmp_path, said, 2)
    before = (tmp_path / ROWS).read_bytes()
    other = parse_specification(said.text.replace("0.01", "0.02"), "other")
    for refused, resume, why in [
        (said, False, "has results already"),
        (other, True, "another specification"),
        (said.with_(seed=6), True, "seed 5, not 6"),
    ]:
        with pytest.raises(InputError, match=why):
            Recorder(tmp_path, refused, "a test", resume)
    assert (tmp_path / ROWS).read_bytes() == before


def test_more_trials_and_fewer_can_be_asked_for(tmp_path):
    recorded(tmp_path, small(2), 100)
    more = recorded(tmp_path, small(3), 100, resume=True)
    assert [row.index for row in read_rows(tmp_path)] == list(range(12))
    assert sum(more.done) == 12
    fewer = recorded(tmp_path, small(1), 100, resume=True)
    assert sum(fewer.done) == 4  # nothing was missing
    assert read_results(tmp_path).measures.done == 12  # and nothing is forgotten


def test_one_folder_has_one_writer(tmp_path):
    with Recorder(tmp_path, small(), "a test"), pytest.raises(InputError, match="another process is using it"):
        Recorder(tmp_path, small(), "a test", resume=True)


def as_version_0_1_0(folder):
    """Put the sessions before the rows, into one file."""
    rows, sessions = folder / ROWS, folder / SESSIONS
    rows.write_bytes(sessions.read_bytes() + rows.read_bytes())
    sessions.unlink()


ROW_DAMAGE = [
    (lambda lines: [b"x" + lines[0], *lines[1:]], "Line {} is damaged"),
    (lambda lines: [lines[0].replace(b'"seed":', b'"seat":'), *lines[1:]], 'Line {}: The field "seat"'),
    (lambda lines: [lines[0].replace(b'"index":0', b'"index":-1'), *lines[1:]], "Line {}: The field index"),
    (lambda lines: [lines[0].replace(b'"index":0', b'"index":16'), *lines[1:]], "does not belong to this experiment"),
    (lambda lines: [b"x" * (2**20 + 5)], "longer than"),
]
SESSION_DAMAGE = [
    (lambda lines: [lines[0].replace(b'"version":1', b'"version":2'), *lines[1:]], "version 2"),
    (lambda lines: [lines[0].replace(b'"seed":5', b'"seed":6'), *lines], "do not belong to the experiment"),
    (lambda lines: [lines[0].replace(b'"trials":4', b'"trials":99999999'), *lines[1:]], "at most 100000000"),
]


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize(
    ("damaged", "damage", "said"),
    [*((ROWS, *each) for each in ROW_DAMAGE), *((SESSIONS, *each) for each in SESSION_DAMAGE)],
)
def test_damage_is_named(tmp_path, damaged, damage, said, old):
    recorded(tmp_path, small(), 2)
    file = tmp_path / damaged
    file.write_bytes(b"".join(damage(file.read_bytes().splitlines(keepends=True))))
    if old:
        as_version_0_1_0(tmp_path)
        file = tmp_path / ROWS
    with pytest.raises(InputError, match=said.format(1 + old)) as refusal:
        read_results(tmp_path)
    assert str(file) in str(refusal.value)


def test_every_line_of_the_rows_is_a_row_and_of_the_sessions_a_session(tmp_path):
    recorded(tmp_path, small(), 2)
    recorded(tmp_path, small(), 3, resume=True)
    lines = [json.loads(line) for line in (tmp_path / ROWS).read_bytes().splitlines()]
    assert [line["index"] for line in lines] == [0, 1, 2, 3, 4]
    assert not any("format" in line for line in lines)
    sessions = [json.loads(line) for line in (tmp_path / SESSIONS).read_bytes().splitlines()]
    assert [session["format"] for session in sessions] == ["gems-experiment"] * 2


def test_a_folder_of_version_0_1_0_opens_and_is_continued(tmp_path):
    recorded(tmp_path, small(2), 2)
    as_version_0_1_0(tmp_path)
    old = read_results(tmp_path)
    assert (old.measures.done, len(old.sessions), old.specification.trials) == (2, 1, 2)
    assert first_session(tmp_path).experiment == "small"
    recorded(tmp_path, small(3), 100, resume=True)
    new = read_results(tmp_path)
    assert (new.measures.done, new.specification.trials) == (12, 3)
    assert [session.trials for session in new.sessions] == [2, 3]
    assert [row.index for row in rows_in_order(tmp_path, new)] == list(range(12))


def test_rows_without_their_sessions_are_refused(tmp_path):
    recorded(tmp_path, small(), 2)
    (tmp_path / SESSIONS).unlink()
    with pytest.raises(InputError, match=r"sessions\.jsonl is missing"):
        read_results(tmp_path)


def test_a_session_that_was_killed_before_its_first_row_does_not_count(tmp_path):
    recorded(tmp_path, small(seed=6), 1)
    (tmp_path / ROWS).write_bytes(b"")
    recorded(tmp_path, small(), 1)
    assert [session.seed for session in read_results(tmp_path).sessions] == [5]


def test_trials_asked_for_while_it_is_being_read(tmp_path, monkeypatch):
    """Another program extends the experiment after the sessions were read."""
    recorded(tmp_path, small(1), 100)
    begun = folder_module._begun

    def slow(place):
        monkeypatch.setattr(folder_module, "_begun", begun)
        results = begun(place)
        recorded(tmp_path, small(2), 100, resume=True)
        return results

    monkeypatch.setattr(folder_module, "_begun", slow)
    results = read_results(tmp_path)
    assert (results.measures.done, results.specification.trials, len(results.sessions)) == (8, 2, 2)


def test_rows_come_in_order_and_the_last_row_of_a_failed_trial_counts(tmp_path):
    said = small()
    rows = [run_trial(said.trial(index)) for index in (3, 0, 1)]
    failed = replace(rows[1], correct=None, error="broken")
    with Recorder(tmp_path, said, "a test") as recorder:
        for row in (rows[0], failed, rows[2]):
            recorder.add(row)
    with Recorder(tmp_path, said, "a test", resume=True, retry=True) as recorder:
        recorder.add(replace(failed, error="broken again"))
    with Recorder(tmp_path, said, "a test", resume=True, retry=True) as recorder:
        recorder.add(rows[1])
    found = list(rows_in_order(tmp_path, read_results(tmp_path)))
    assert found == [rows[1], rows[2], rows[0]]


def test_a_row_that_is_there_twice_counts_once(tmp_path):
    recorded(tmp_path, small(), 2)
    with LineFile(tmp_path / ROWS) as lines:
        lines.append(row_line(replace(next(read_rows(tmp_path)), seconds=9.0)))
    assert read_results(tmp_path).measures.done == 2


def test_folders_without_results_are_named(tmp_path):
    assert not holds_results(tmp_path)
    for folder, said in ((tmp_path / "none", "There is no folder"), (tmp_path, "no results")):
        with pytest.raises(InputError, match=said):
            read_results(folder)


def test_a_folder_keeps_the_instances_that_were_files(tmp_path):
    write_instance(tmp_path / "mine.json", make("soare", D=3))
    text = '[instance]\nfile = "mine.json"\n[[algorithm]]\nname = "rage"\nmax_samples = 1000\n'
    said = parse_specification(text, "own", lambda number, name, options: make("soare", D=3))
    recorded(tmp_path / "out", said, 1)
    (tmp_path / "mine.json").unlink()
    assert read_results(tmp_path / "out").specification.digest == said.digest


def test_a_session_comes_back():
    session = Session("small", "0f", 4, 5, 6, "two processes", "2026-01-01T00:00:00+00:00")
    assert parse_line(session_line(session)[:-1], 1) == session
