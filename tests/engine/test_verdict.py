"""The verdict on a run: against the tally, an independent loop over its events, and with the truth hidden."""

from collections import Counter

import pytest

from gems_engine.algorithms import BUILT_IN
from gems_engine.complexity.bounds import Bound, Condition
from gems_engine.complexity.run_theory import RunTheory, run_theory
from gems_engine.events import (
    ASKED,
    OUTSIDE,
    ROUNDS_DONE,
    Allocated,
    IdleRounds,
    Place,
    Pulled,
    RunFinished,
    SubroutineFinished,
)
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.terminal import number
from gems_engine.trace import Trace
from gems_engine.verdict import promise_text, verdict, verdict_of
from gems_engine.wording import ORACLES
from tests.engine.explained_runs import INSTANCES, run_of


@pytest.mark.parametrize("algorithm", BUILT_IN)
@pytest.mark.parametrize("family", INSTANCES)
def test_the_verdict_is_that_of_the_tally(algorithm, family):
    trace = run_of(algorithm, family)
    found, summary = verdict_of(trace), summarise(trace)
    assert (found.target, found.correct, found.tau) == (summary.recommendation, summary.correct, summary.tau)
    assert (found.samples, found.survivors, found.finish) == (
        summary.samples,
        len(summary.survivors),
        summary.finish,
    )


@pytest.mark.parametrize("algorithm", BUILT_IN)
@pytest.mark.parametrize("family", ["paper-hard", "equal"])
def test_samples_by_dimension_are_those_of_a_loop_over_the_events(algorithm, family):
    trace = run_of(algorithm, family)
    counted, asked = Counter(), None
    for event in trace:
        if isinstance(event, Allocated):
            asked = event
        elif isinstance(event, Pulled):
            counted[asked.d] += int(asked.counts.sum())
        elif isinstance(event, IdleRounds):
            counted[event.d] += event.drawn
    found = verdict_of(trace)
    assert dict(found.by_dimension) == {d: drawn for d, drawn in counted.items() if drawn}
    assert sum(drawn for _, drawn in found.by_dimension) == found.samples


def test_there_is_a_verdict_at_the_end_only():
    trace = run_of("fixed-confidence", "paper-hard")
    history = History(trace)
    assert verdict(history, trace.state_at(len(trace))) is not None
    assert verdict(history, trace.state_at(len(trace) - 1)) is None
    begun = Trace(trace.instance)
    begun.extend(trace[:-1])
    assert verdict_of(begun) is None


def test_the_sentence_of_a_right_run():
    found = verdict_of(run_of("fixed-confidence", "paper-hard"))
    said = found.sentence()
    assert said.startswith(f"✓ Right: x_3, from sample {number(found.tau)} on (τ) · ")
    assert f"{number(found.samples)} samples: 90" in said
    assert "in R⁴" in said
    assert said.endswith("ended: sample cap reached")


def test_a_right_first_guess_and_a_wrong_recommendation():
    assert "from the start (τ = 0)" in verdict_of(run_of("misspecified", "equal")).headline()
    wrong = verdict_of(run_of("misspecified-best-arm", "paper-hard"))
    assert wrong.headline() == "✗ Wrong: x_1"
    assert wrong.tau is None


@pytest.mark.parametrize("algorithm", BUILT_IN)
@pytest.mark.parametrize("family", INSTANCES)
def test_hidden_with_the_truth(algorithm, family):
    trace = run_of(algorithm, family)
    found = verdict_of(trace)
    said = found.sentence(hide_truth=True, promise="theory: τ ≤ 7")
    for secret in ("ight", "rong", "✓", "✗", "τ", "from sample", "theory"):
        assert secret not in said
    if algorithm in ORACLES:
        assert " in R" not in said
    assert found.name in said
    assert number(found.samples) in said


def test_external_rewards_and_stopped_calls_are_not_judged():
    instance = INSTANCES["paper-hard"]()
    run = Run(instance, "rage", 1, max_samples=20_000, rewards=lambda arms, counts: [float(n) for n in counts])
    trace = run.finish()
    assert trace.started.rewards == OUTSIDE
    found = verdict_of(trace)
    assert found.correct is None
    assert found.tau is None
    assert "Right" not in found.sentence()
    stopped = Run(instance, "gems-c", 1, rounds=5, selection_budget=300.0)
    begun = Trace(stopped.instance)
    for event in stopped:
        begun.append(event)
        if event.kind == "eliminated":
            break
    begun.append(stopped.stopped())
    assert begun.finished.why == ASKED
    assert verdict_of(begun).target is None
    assert verdict_of(begun).correct is None


def test_what_theory_promised_is_said_if_it_holds():
    trace = run_of("fixed-confidence", "paper-hard")
    theory = run_theory(trace.instance, "fixed-confidence", trace.started.parameters)
    assert promise_text(theory).startswith("theory: τ ≤ ")
    bound = theory.bounds[-1][1]
    value = float(promise_text(theory).split("≤ ")[1].split(" with")[0].replace("\N{NARROW NO-BREAK SPACE}", ""))
    assert bound.value <= value == pytest.approx(bound.value, rel=1e-2)
    assert promise_text(theory) in verdict_of(trace).sentence(promise=promise_text(theory))
    # An algorithm that is told d⋆ may stop earlier: the bound of RAGE is about those that are right everywhere.
    assert " samples to stop in Rᴰ with " in promise_text(run_theory(trace.instance, "rage", {}))
    assert " samples to stop with " in promise_text(run_theory(trace.instance, "rage-oracle", {}))


def test_a_promise_whose_conditions_fail_is_not_said():
    bound = Bound("fixed-confidence", "τ ≤ 5", "samples", 5.0, (Condition("base is 2", False),))
    assert promise_text(RunTheory((("upper", bound),))) == ""
    assert promise_text(RunTheory(says="none")) == ""
    vacuous = Bound("fixed-budget", "error ≤ 3", "error", 3.0, ())
    assert promise_text(RunTheory((("error", vacuous),))) == ""
    error = Bound("fixed-budget", "error ≤ 0.02", "error", 0.02, ())
    assert promise_text(RunTheory((("error", error),))) == "theory: error probability ≤ 0.02"


@pytest.mark.parametrize(
    ("side", "value", "said"),
    [("upper", 13_340_001.0, 13_400_000), ("lower", 3_109.9, 3_100), ("error", 0.01231, 0.0124), ("error", 0.05, 0.05)],
)
def test_a_bound_is_rounded_to_where_it_stays_true(side, value, said):
    told = promise_text(RunTheory(((side, Bound("pac-lower", "", "samples", value, ())),)))
    assert f" {number(said, 3)}" in told, told


def test_too_large_counts_are_not_divided_by_dimension():
    whole = run_of("gems-c", "paper-hard")
    many = 2**70
    trace = Trace(whole.instance)
    trace.extend(whole[:2])
    trace.append(IdleRounds(Place(1, 1, 1), 1, 5, 2, many, many, "all zero"))
    trace.append(SubroutineFinished(Place(1, 1), whole.finished.survivors, ROUNDS_DONE, many))
    trace.append(RunFinished(Place(), ROUNDS_DONE, -1, whole.finished.survivors, many))
    found = verdict_of(trace)
    assert found.samples == many
    assert found.by_dimension == ()
    assert found.cost() == f"{number(many)} samples"
