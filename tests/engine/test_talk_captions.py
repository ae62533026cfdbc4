"""Captions: their numbers are those of the run, by an account of their own; what means nothing is one sentence."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gems_engine.complexity import complexities
from gems_engine.design import DesignProblem, solve_design
from gems_engine.errors import InputError
from gems_engine.events import Allocated, DesignSolved, Eliminated, Pulled, Recommended, SubroutineStarted, Validated
from gems_engine.gallery import make
from gems_engine.instance import Instance
from gems_engine.running import Run
from gems_engine.summary import summarise
from gems_engine.talk.captions import HIDDEN, PENDING, Field, Term, fill, parse
from gems_engine.talk.numbers import Wanted, compute, compute_all
from gems_engine.talk.vocabulary import VOCABULARY
from gems_engine.terminal import THIN, number


@pytest.fixture(scope="module")
def hard():
    return Run(make("paper-hard", epsilon=0.01), "fixed-confidence", 1, base=4, max_samples=60_000).finish()


@pytest.fixture(scope="module")
def budget():
    return Run(make("paper-hard", d_star=4, epsilon=0.3), "fixed-budget", 1, budget=2000).finish()


def at(trace, kind, which=-1):
    return int(trace.positions(kind)[which]) + 1


def said(caption, trace, cursor=None, **rest):
    return fill(caption, trace, trace.state_at(len(trace) if cursor is None else cursor), **rest)


def test_numbers_of_the_state_equal_an_account_of_the_events(hard):
    """Everything up to the last elimination, added up here from the events alone."""
    cursor = at(hard, Eliminated)
    events = hard[:cursor]
    pulls, last = np.zeros(10, dtype=int), None
    for event in events:
        if isinstance(event, Allocated):
            last = event
        if isinstance(event, Pulled):
            pulls[last.arms] += last.counts
    designs = [event for event in events if isinstance(event, DesignSolved)]
    start = next(event for event in reversed(events) if isinstance(event, SubroutineStarted))
    gone = events[-1]
    expected = {
        "samples": pulls.sum(),
        "round_samples": last.counts.sum(),
        "pulls[x_9]": pulls[8],
        "pulls[0]": pulls[0],
        "d_k": designs[-1].d,
        "value": designs[-1].value,
        "lower_bound": designs[-1].lower_bound,
        "cost": designs[-1].cost,
        "weight[x_9]": designs[-1].weights[designs[-1].support == 8].sum(),
        "left": gone.left,
        "gone": len(gone.targets),
        "eliminated": ", ".join(f"x_{z + 1}" for z in gone.targets) or "none",
        "ell": gone.place.ell,
        "i": gone.place.i,
        "k": gone.place.k,
        "rounds": start.rounds,
        "B": start.selection_budget,
        "event": cursor,
        "events": len(hard),
        "D": 10,
        "arms": 10,
        "targets": 10,
        "seed": 1,
        "algorithm": "fixed-confidence",
        "parameter[base]": 4,
        "recommendation": next(f"x_{e.target + 1}" for e in reversed(events) if isinstance(e, Recommended))
        + " (carried over)",
    }
    assert events.index(start) > max(at for at, e in enumerate(events) if isinstance(e, Recommended))
    for name, value in expected.items():
        words = value if isinstance(value, str) else number(float(value) if value != int(value) else int(value))
        assert said(f"{{{name}}}", hard, cursor) == words, name


def test_numbers_of_the_instance_equal_those_of_its_tables(hard):
    table = complexities(hard.instance, tolerance=1e-9)
    for d in (1, 8, 9, 10):
        assert said(f"{{rho_star[{d}]}}", hard) == number(table[d].rho_star.value)
        assert said(f"{{iota_star[{d}]:3}}", hard) == number(table[d].iota_star.value, 3)
        assert said(f"{{iota[{d}]}}", hard) == number(table[d].iota.value)
    assert said("{rho_star[9]:3} against {rho_star[10]}", hard) == f"14.7 against 40{THIN}008"
    assert said("{rho_star[10]/rho_star[9]:3}", hard) == number(table[10].rho_star.value / table[9].rho_star.value, 3)
    assert said("{d_star} {best} {smallest_gap} {gap[x_10]}", hard) == "9 x_9 0.01 0.01"
    assert said("{tau} {verdict}", hard) == f"{number(summarise(hard).tau)} right"
    assert said("{verdict}", hard, 10) == "wrong"  # its first guess is x_1
    wrong = make("misspecified", D=5, n=8)
    trace = Run(wrong, "misspecified", 1, max_samples=500).finish()
    assert said("{gamma[2]}", trace) == number(wrong.misspecification()[1].gamma_tilde)


def test_the_optimum_is_that_of_the_problem_which_the_round_had():
    """Under Frank–Wolfe as published, the design of the first round in R^10 has 35.7 where 20 is possible."""
    trace = Run(make("paper-hard"), "rage", 1, solver="frank-wolfe", max_samples=10**6).finish()
    for which in range(len(trace.positions(DesignSolved))):
        design = trace[int(trace.positions(DesignSolved)[which])]
        before = trace.state_at(int(trace.positions(DesignSolved)[which])).survivors
        problem = DesignProblem(trace.instance.arms[:, : design.d], targets=trace.instance.targets[before, : design.d])
        best = solve_design(problem, tolerance=1e-9).value
        for kind in (DesignSolved, Allocated, Eliminated):  # it stays the same when arms have left since
            assert said("{optimum}", trace, at(trace, kind, which)) == number(best)
    assert said("{value:3} instead of {optimum}", trace, at(trace, DesignSolved, 0)) == "35.7 instead of 20"


def test_selection_and_validation(budget):
    cursor = at(budget, Validated)
    event = budget[cursor - 1]
    names = [budget.instance.target_label(int(z)) for z in event.targets]
    assert sorted(said("{candidates}", budget, cursor).split(", ")) == names
    assert said("{candidate_count}", budget, cursor) == str(len(names))
    assert said("{validation_pulls}", budget, cursor) == number(event.pulls)
    assert said(f"{{mean[{names[0]}]}}", budget, cursor) == number(float(event.means[0]))
    assert said("{mean[x_5]}", budget, cursor - 1) == "–"
    start = budget.state_at(at(budget, SubroutineStarted, 0))
    assert said("{T}", budget, start.cursor) == number(start.subroutine.budget)


def test_a_feature_is_written_by_name_or_number():
    sphere = make("sphere", D=3, d_star=2)
    named = Instance.linear(sphere.arms, sphere.theta, feature_names=("age", "weight", "2"))
    trace = Run(named, "rage", 1, max_samples=10**5).finish()
    first, second = trace.state_at(len(trace)).theta[:2]
    assert said("{theta[age]}, {theta[Weight]}, {theta[1]}", trace) == ", ".join(map(number, (first, second, first)))
    with pytest.raises(InputError, match=r"no such feature\. Write its name, or an index from 1 to 3"):
        said("{theta[height]}", trace)


def test_what_is_not_there_yet_is_a_dash(hard):
    for name in ("d_k", "cost", "value", "optimum", "weight[0]", "theta[1]", "round_samples", "B", "rounds", "T"):
        assert said(f"{{{name}}}", hard, 0) == "–", name
    assert said("{value/samples}", hard, 0) == "–"
    assert said("{eliminated}, {survivors}", hard, 0).startswith("none, x_1, x_2")


def test_another_run_of_the_story_is_told_at_its_end(hard, budget):
    words = "{B-2.samples} and {samples}, {B-2.samples/samples:2}"
    runs = {"A": hard, "B-2": budget}
    ends = [trace.state_at(len(trace)).samples for trace in (budget, hard)]
    expected = f"{number(ends[0])} and {number(ends[1])}, {number(ends[0] / ends[1], 2)}"
    assert said(words, hard, runs=runs) == expected
    with pytest.raises(InputError, match='Unknown run of this story "C"'):
        said("{C.samples}", hard, runs=runs)


@pytest.mark.parametrize(
    ("caption", "words"),
    [
        ("{sampls}", 'Unknown placeholder "sampls": did you mean "samples"?'),
        ("{samples.__class__}", 'Unknown placeholder "__class__"'),
        ("{samples.left}", 'Unknown run of this story "samples"'),
        ("{__class__}", 'Unknown placeholder "__class__"'),
        ("{0}", "is not a placeholder"),
        ("{}", "is not a placeholder"),
        ("{samples!r}", "is not a placeholder"),
        ("{samples:>30}", "1 to 12"),
        ("{samples:0}", "1 to 12"),
        ("{samples", "a single {"),
        ("samples}", "a single }"),
        ("{rho_star}", "needs the dimension in brackets"),
        ("{samples[3]}", "there is only one samples"),
        ("{rho_star[11]}", "from 1 to 10"),
        ("{rho_star[x_9]}", "from 1 to 10"),
        ("{pulls[x_99]}", "there is no such arm"),
        ("{gap[10]}", "there is no such target"),
        ("{parameter[power]}", 'Unknown parameter of the run "power"'),
        ("{best/samples}", "divide only numbers"),
        ("{samples/D/D}", "is not a placeholder"),
        ("{samples[", "a single {"),
    ],
)
def test_what_means_nothing_is_one_sentence(hard, caption, words):
    with pytest.raises(InputError, match=re.escape(words)) as raised:
        said(caption, hard)
    assert str(raised.value).endswith((".", "?"))


@given(st.text(alphabet="{}[]/:.!_abdkmpsxlez019 ", max_size=24))
def test_any_caption_is_filled_or_refused(text):
    trace = Run(make("paper-hard", d_star=2), "rage", 1, max_samples=200).finish()
    words, refused = text, ""
    try:
        words = fill(text, trace, trace.state_at(len(trace)))
    except InputError as error:
        refused = str(error)
    assert len(refused.splitlines()) <= 1
    assert refused or "{" not in text or words != text


def test_powers_are_raised(hard):
    assert said("R^{D}, R^9, R^d, 2^i and d_k for x_9", hard) == "R¹⁰, R⁹, Rᵈ, 2ⁱ and dₖ for x_9"


def test_braces_and_parts():
    assert parse("a {{b}} {samples:3}/{x.rho_star[9]/D}") == (
        "a ",
        "{",
        "b",
        "}",
        " ",
        Field(Term("samples"), None, 3),
        "/",
        Field(Term("rho_star", "9", "x"), Term("D")),
    )


def test_the_truth_can_be_hidden(hard):
    secret = [name for name, word in VOCABULARY.items() if word.truth]
    assert {"d_star", "best", "gap", "smallest_gap", "rho_star", "iota_star", "gamma", "verdict", "tau"} == set(secret)
    assert said("{samples}: {best}, {rho_star[9]/D}", hard, truth=False).split(": ")[1] == f"{HIDDEN}, {HIDDEN}"


def test_a_number_that_is_being_computed_shows_as_dots(hard):
    asked = []

    def later(instance, wanted):
        asked.append(wanted)

    assert said("{rho_star[9]} {samples}", hard, lookup=later) == f"{PENDING} {number(hard.finished.samples)}"
    assert asked == [Wanted("rho_star", 9)]
    found = compute_all(hard.instance, (*asked, Wanted("iota", 10)))
    assert found[Wanted("rho_star", 9)] == compute(hard.instance, Wanted("rho_star", 9))
    assert said("{rho_star[9]:3}", hard, lookup=lambda instance, wanted: found[wanted]) == "14.7"


def test_every_name_of_the_vocabulary_says_what_it_is(hard, budget):
    brackets = {"": "", "arm": "[0]", "target": "[0]", "dimension": "[2]", "feature": "[1]", "parameter": "[zeta]"}
    for name, word in VOCABULARY.items():
        assert word.about
        assert not word.about.endswith(".")
        for trace in (hard, budget):
            for cursor in (0, len(trace) // 2, len(trace)):
                assert said(f"{{{name}{brackets[word.of]}}}", trace, cursor)
