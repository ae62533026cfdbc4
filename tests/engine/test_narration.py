"""The sentence about the event at a cursor: every kind of event of every algorithm, with true numbers."""

import re

import numpy as np
import pytest

from gems_engine.algorithms import BUILT_IN
from gems_engine.events import EVENTS, Allocated, Eliminated, IdleRounds, SubroutineFinished
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.narration import BEFORE, narrate
from gems_engine.running import Run
from gems_engine.terminal import number, superscript
from gems_engine.trace import Trace
from gems_engine.verdict import verdict_of
from gems_engine.wording import ORACLES, contenders
from tests.engine.explained_runs import INSTANCES, cut, run_of
from tests.engine.synthetic_runs import small_instance, synthetic

LONGEST = 110


def sentences(trace, truth=True):
    """The sentence after each event of a run."""
    history = History(trace)
    return [narrate(history, trace.state_at(cursor), truth) for cursor in range(1, len(trace) + 1)]


def made_up():
    """A run with idle rounds and validations."""
    instance = small_instance()
    trace = Trace(instance)
    trace.extend(synthetic(instance))
    return trace


@pytest.mark.parametrize("algorithm", BUILT_IN)
@pytest.mark.parametrize("family", INSTANCES)
def test_every_event_of_every_algorithm_has_one_short_sentence(algorithm, family):
    for words in sentences(run_of(algorithm, family)):
        assert words.endswith(".")
        assert "\n" not in words
        assert words[0].isupper()
        assert len(words) <= LONGEST, words


def test_every_kind_of_event_has_a_sentence():
    told = set()
    for trace in (made_up(), *(run_of(algorithm, family) for algorithm in BUILT_IN for family in INSTANCES)):
        told.update(event.kind for event, words in zip(trace, sentences(trace), strict=True) if words)
    assert told >= set(EVENTS) - {"became verifiable"}
    verified = run_of("fixed-confidence", "sphere", stop_when_verifiable=True, max_samples=10_000_000)
    assert "is verifiable" in " ".join(sentences(verified))


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "fixed-budget", "misspecified", "rage", "gems-c"])
@pytest.mark.parametrize("family", ["paper-hard", "close"])
def test_eliminations_are_told_with_the_numbers_of_an_independent_fold(algorithm, family):
    trace = run_of(algorithm, family)
    alive, d = set(), 0
    for event, words in zip(trace, sentences(trace), strict=True):
        if event.kind == "subroutine started":
            alive = set(range(len(trace.instance.targets)))
        elif isinstance(event, Allocated):
            d = event.d
        elif isinstance(event, Eliminated):
            alive -= set(event.targets.tolist())
            gone = len(event.targets)
            count = "no arm eliminated" if not gone else f"{gone} arm{'s' if gone > 1 else ''} eliminated"
            remain = f"{len(alive)} remain{'s' if len(alive) == 1 else ''}."
            assert words.endswith(f"works in R{superscript(d)}: {count}, {remain}")
        elif isinstance(event, SubroutineFinished):
            assert (f"{len(alive)} of " in words) or ("remains alone" in words and len(alive) == 1)


def test_positions_are_loops_calls_and_rounds_and_a_single_call_has_rounds_only():
    for algorithm, named in (("fixed-confidence", "Loop 4, call 1, round 1 "), ("rage", "Round 1 ")):
        trace = run_of(algorithm, "paper-hard")
        assert any(words.startswith(named) for words in sentences(trace))
    assert not any("Loop" in words or "call 1" in words for words in sentences(run_of("gems-b", "paper-hard")))


def test_idle_rounds_are_told_with_their_samples():
    trace = run_of("fixed-budget", "paper-hard")
    told = [(e, w) for e, w in zip(trace, sentences(trace), strict=True) if isinstance(e, IdleRounds)]
    assert told
    for event, words in told:
        assert f"{number(event.drawn)} sample" in words
        assert "counted, not drawn" in words
        rounds = f"rounds {event.first} to {event.last}" if event.last > event.first else f"round {event.first} "
        assert rounds in words.lower()


def test_a_recommendation_is_told_with_the_one_before_it():
    trace = run_of("rage", "paper-hard")
    before, history = None, History(trace)
    for at, event in enumerate(trace):
        if event.kind != "recommended":
            continue
        words, name = narrate(history, trace.state_at(at + 1)), trace.instance.target_label(event.target)
        if before is None:
            assert "guess" in words
        elif before == event.target:
            assert words.startswith(f"Recommends {name} again")
        else:
            assert words.startswith(f"Recommends {name} instead of {trace.instance.target_label(before)}")
        before = event.target


@pytest.mark.parametrize("algorithm", ["fixed-confidence", "fixed-budget", "gems-b"])
def test_a_sentence_depends_on_no_later_event(algorithm):
    trace = run_of(algorithm, "paper-hard")
    whole = sentences(trace)
    for cursor in np.linspace(1, len(trace), 12).astype(int).tolist():
        short = cut(trace, cursor)
        assert narrate(History(short), short.state_at(cursor)) == whole[cursor - 1]
    assert narrate(History(trace), trace.state_at(0)) == BEFORE


@pytest.mark.parametrize("algorithm", ORACLES)
def test_the_dimension_of_an_oracle_is_not_told_while_the_truth_is_hidden(algorithm):
    trace = run_of(algorithm, "paper-hard")
    d_star = f"R{superscript(trace.instance.d_star)}"
    assert any(d_star in words for words in sentences(trace))
    assert not any(d_star in words or "cost" in words for words in sentences(trace, truth=False))


def test_targets_that_are_no_arms_are_called_targets():
    trace = Run(make("transductive"), "rage", 1, max_samples=100_000).finish()
    told = sentences(trace)
    assert any("starts with all 30 targets" in words for words in told)
    assert any(re.search(r"[0-9]+ targets? eliminated", words) for words in told)
    assert not any(re.search(r"all [0-9]+ arms|arms? eliminated|of 30 arm", words) for words in told)
    assert contenders(trace.state_at(len(trace))).endswith(("of 30 targets remain", "of 30 targets remains"))
    judged = verdict_of(Run(make("transductive"), "gems-c", 1, selection_budget=1e4, rounds=4).finish())
    assert "of 30 targets remain" in judged.headline()
