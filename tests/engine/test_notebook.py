"""Objects in a notebook: one line each, HTML that escapes, tables with missing values, pictures."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from gems_engine import InputError, Instance, Session, complexities, explain, instances, run, summarise
from gems_engine.design import DesignProblem, solve_design
from gems_engine.events import Allocated, Estimated, IdleRounds
from gems_engine.experiment import run_experiment
from gems_engine.rounds import COLUMNS
from gems_engine.trace import Trace

HOSTILE = '<script>alert(1)</script> & "x"'


@pytest.fixture(scope="module")
def instance():
    return instances.make("paper-hard", d_star=3, epsilon=0.1)


@pytest.fixture(scope="module")
def trace(instance):
    return run(instance, seed=1, base=4, max_samples=200_000).finish()


def shown(instance, trace):
    session = Session(instance, seed=1)
    session.next_batch()
    return {
        "instance": instance,
        "run": run(instance, seed=1),
        "trace": trace,
        "empty trace": Trace(instance),
        "summary": summarise(trace),
        "session": session,
        "design": solve_design(DesignProblem(instance.arms, targets=instance.targets)),
        "complexities": complexities(instance),
        "explanation": explain(trace),
        "rounds": trace.rounds,
        "results": run_experiment("verifiability", trials=1),
    }


def test_every_object_is_one_line_and_a_table(instance, trace):
    for name, each in shown(instance, trace).items():
        assert re.fullmatch(r"<[A-Z]\w+ ?[^\n]+>", repr(each)), name
        ElementTree.fromstring(f"<div>{each._repr_html_()}</div>")  # well-formed


def test_names_are_never_markup():
    hostile = Instance.linear(
        [[1.0, 0.0], [0.0, 1.0]], [1.0, 0.5], arm_names=(HOSTILE, "b"), feature_names=("f", HOSTILE), name=HOSTILE
    )
    for each in shown(hostile, run(hostile, seed=1, max_samples=2_000).finish()).values():
        assert "<script" not in each._repr_html_()


def test_the_lines_say_what_was_computed(instance, trace):
    summary = summarise(trace)
    assert f"recommends target {summary.recommendation}, right, τ = " in repr(summary)
    assert f"{len(trace)} events, {len(trace.round_starts)} rounds" in repr(trace)
    assert "sample cap reached" in repr(trace)
    assert repr(run(instance, seed=1)).endswith("seed 1: 0 events so far>")
    session = Session(instance, seed=1)
    assert "0 samples, ready for next_batch()" in repr(session)
    batch = session.next_batch()
    assert f"waiting for {batch.counts.sum()} rewards of {len(batch.arms)} arm" in repr(session)
    assert f"<td>{instance.arm_label(int(batch.arms[0]))}</td>" in session._repr_html_()
    assert str(explain(trace)).startswith("The run ends\n")


def test_missing_values_of_rounds_are_missing(trace):
    """A value is there exactly if an event of the round has it, by a plain search through the events."""
    rounds = trace.rounds
    assert rounds is trace.rounds
    assert rounds["event"].tolist() == trace.round_starts.tolist()
    ends = [*trace.round_starts.tolist()[1:], len(trace)]
    drawn = decided = 0
    for row, (start, end) in enumerate(zip(trace.round_starts.tolist(), ends, strict=True)):
        place = trace[start].place
        events = [event for event in trace[start:end] if event.place == place]
        pulls = [int(e.counts.sum()) for e in events if isinstance(e, Allocated)]
        pulls += [e.drawn for e in events if isinstance(e, IdleRounds)]
        assert rounds["pulls"][row] == pulls[0] if pulls else np.isnan(rounds["pulls"][row])
        d = [len(e.theta) for e in events if isinstance(e, Estimated)]
        assert not d or rounds["d"][row] == d[0]
        assert rounds["d"][row] != 0
        drawn, decided = drawn + bool(pulls), decided + bool(d)
    assert 0 < decided <= drawn < len(rounds), "the run has rounds with and without pulls"
    frame = trace.to_dataframe()
    assert list(frame) == list(COLUMNS)
    assert str(frame["d"].dtype) == str(frame["pulls"].dtype) == "Int64"
    assert frame["d"].isna().tolist() == np.isnan(rounds["d"]).tolist()
    with pytest.raises(InputError, match='did you mean "pulls"'):
        rounds["pull"]


def test_a_growing_trace_has_a_new_table(instance):
    trace, events = Trace(instance), iter(run(instance, seed=1, max_samples=5_000))
    assert len(trace.rounds) == 0
    assert trace.rounds["d"].dtype == np.int64
    trace.extend(events)
    assert len(trace.rounds) == len(trace.round_starts) > 0


def test_the_former_name_of_the_columns_warns(trace):
    with pytest.warns(DeprecationWarning, match=r"Trace.rounds.columns"):
        assert trace.columns() is trace.rounds.columns
    with pytest.warns(DeprecationWarning, match="subroutine_starts"):
        assert (trace.subroutines == trace.subroutine_starts).all()
    with pytest.warns(DeprecationWarning, match="loop_starts"):
        assert (trace.loops == trace.loop_starts).all()


def test_events_as_a_table(trace):
    frame = trace.to_dataframe("events")
    assert frame["event"].tolist() == list(range(len(trace)))
    assert frame["kind"].tolist() == [event.kind for event in trace]
    assert frame["k"].isna().tolist() == [event.place.k == 0 for event in trace]
    assert frame["samples"].iloc[-1] == trace.state_at(len(trace)).samples
    assert frame["text"].iloc[-1].startswith("run ends (sample cap reached)")
    with pytest.raises(InputError, match='"rounds" or "events"'):
        trace.to_dataframe("loops")


def test_without_pandas_the_sentence_says_what_to_install(trace, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pip install pandas"):
        trace.to_dataframe()


def test_a_plot_is_the_picture_of_gems_render(trace, tmp_path):
    """The same bytes, without Qt in this process; it can be saved; faults are one sentence."""
    from gems_engine.files import write_run

    picture = trace.plot("survivors", size=(640, 360), theme="dark", order="index", truth=False)
    ElementTree.fromstring(picture.svg)
    assert picture._repr_svg_() == picture.svg
    write_run(tmp_path / "run.gems", trace)
    words = ["--size", "640x360", "--theme", "dark", "--option", "survivors.order=index", "--hide-truth"]
    line = ["render", str(tmp_path / "run.gems"), "--view", "survivors", *words, "-o", str(tmp_path / "run.svg")]
    # in another process: tests of the window change Qt in this one
    subprocess.run([sys.executable, "-m", "gems_engine", *line], check=True)
    assert (tmp_path / "run.svg").read_text(encoding="utf-8") == picture.svg
    picture.save(tmp_path / "saved.svg")
    assert (tmp_path / "saved.svg").read_text(encoding="utf-8") == picture.svg
    with pytest.raises(InputError, match=r"must end in \.svg"):
        picture.save(tmp_path / "saved.png")
    with pytest.raises(InputError, match='did you mean "survivors"'):
        trace.plot("survivrs")


def test_the_plots_of_an_experiment():
    results = run_experiment("verifiability", trials=1)
    ElementTree.fromstring(results.plot("samples").svg)
    with pytest.raises(InputError, match='did you mean "success"'):
        results.plot("sucess")
