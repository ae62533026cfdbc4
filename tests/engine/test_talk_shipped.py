"""The stories that come with the program: not stale, under two minutes, and every number in them has a value."""

from functools import cache
from pathlib import Path

import pytest

from gems_engine.complexity import rho_star
from gems_engine.diff import compare
from gems_engine.files import read_run
from gems_engine.formats import story_format
from gems_engine.summary import summarise
from gems_engine.talk.captions import Field, Term, fill, parse
from gems_engine.talk.shipped import SHIPPED
from gems_engine.talk.telling import Telling
from gems_engine.terminal import THIN

FOLDER = Path(__file__).parents[2] / "assets" / "stories"
LAST_DIGITS = 1e-8
"""With numpy 2.5 instead of 2.4, a weight of 3e-6 in one of these designs differs by 1.1e-9 of itself."""


@cache
def shipped(name):
    return read_run(FOLDER / f"{name}.gems")


@pytest.mark.parametrize("name", SHIPPED)
def test_they_are_not_stale(name):
    """What `gems stories build` would write now does the same things; last digits may be those of another processor."""
    old, new = shipped(name), SHIPPED[name].build()
    assert story_format.to_json(old.story) == story_format.to_json(new.story)
    for mine, theirs in zip(Telling(old).traces, Telling(new).traces, strict=True):
        found = compare(mine, theirs)
        assert found.settings == ()
        assert found.parted is None, "it decides something else: run `gems stories build`"
        assert found.same or found.rounding <= LAST_DIGITS


def test_there_are_four_and_no_more_files():
    assert len(SHIPPED) == 4
    assert {file.name for file in FOLDER.iterdir()} == {f"{name}.gems" for name in SHIPPED}


@pytest.mark.parametrize("name", SHIPPED)
def test_each_is_whole_and_under_two_minutes(name):
    trace = shipped(name)
    telling = Telling(trace)
    assert trace.notes == []
    assert telling.story.title == SHIPPED[name].title
    assert telling.story.about == SHIPPED[name].about
    assert 5 <= len(telling) <= 10
    assert len(telling) == SHIPPED[name].moments
    assert abs(telling.duration - SHIPPED[name].seconds) <= 0.5
    assert telling.duration + 3.0 * len(telling) < 120  # three seconds are the longest way to a moment
    for at in range(len(telling)):
        assert telling.find(at)[1], f"moment {at + 1} is nowhere exactly"
        assert telling[at].notes
        assert 1 <= len(telling[at].views) <= 2
        assert len(telling.caption(at)) < 170  # two lines of a screen


@pytest.mark.parametrize("name", SHIPPED)
def test_every_placeholder_has_a_value(name):
    telling = Telling(shipped(name))
    for at in range(len(telling)):
        fields = [part for part in parse(telling[at].caption) if isinstance(part, Field)]
        for term in (term for field in fields for term in (field.term, field.over) if term is not None):
            words = fill(said(term), telling.trace_of(at), telling.state(at), telling.runs)
            assert words not in ("–", "", "not a number", "none"), (at + 1, term)


def said(term: Term) -> str:
    run, index = (f"{term.run}." if term.run else ""), (f"[{term.index}]" if term.index else "")
    return f"{{{run}{term.name}{index}}}"


def test_what_the_first_one_claims():
    """Its numbers, from the summaries of its runs and the reference values of the hard instance."""
    telling = Telling(shipped("why-model-selection"))
    gems, rage = map(summarise, telling.traces)
    words = " ".join(telling.caption(at) for at in range(len(telling)))
    assert f"ρ⋆ is {rho_star(telling.traces[0].instance, 10).value / 1e6:.0f} million" in words
    assert "ρ⋆\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}14.7" in words
    assert (gems.correct, rage.correct, rage.finish) == (True, False, "cap")
    assert (gems.recommendation, rage.recommendation) == (8, 9)
    assert rage.survivors == (8, 9)
    assert "which is wrong. It is wrong for 14 of the seeds 1 to 30; seed 1 was chosen to show it." in words
    assert telling.state(6).survivors.tolist() == [8]
    assert telling.state(6).recommendation == 8
    assert f"only x_9 remains after {telling.state(6).samples:,} samples".replace(",", THIN) in words
    assert f"two arms after {rage.samples:,}".replace(",", THIN) in words
    assert f"{rage.samples / telling.state(6).samples:.0f} times as many" in words
    (over,) = [probe for probe in telling.state(5).probes if probe.d == 10]
    assert f"instead of {4 ** telling.state(5).place.k * over.upper:.0f}" in words


def test_what_the_one_on_budgets_claims():
    """Who was named by lot, and where there is room for R¹."""
    telling = Telling(shipped("a-budget-spent-twice"))
    (trace,) = telling.traces
    solved = [trace[int(at)] for at in trace.positions("design solved")]
    assert {event.d for event in solved if event.place.ell in (2, 3)} == {1}
    assert not [event for event in solved if event.place.ell == 1]
    by_lot = {trace[int(at)].target for at in trace.positions("candidate kept") if trace[int(at)].place.ell == 1}
    assert trace.instance.best in by_lot
    assert telling.cursor(0) < telling.cursor(1)


def test_what_the_one_on_wrong_models_claims():
    """Who leaves by how much, who wins which validation, and what was lost."""
    telling = Telling(shipped("when-the-model-is-wrong"))
    (trace,) = telling.traces
    left = trace[telling.cursor(1) - 1]
    (at,) = (at for at, target in enumerate(left.targets) if target == 8)
    assert f"{left.gaps[at]:.3f} behind, just over the width of {left.widths[at]:.2f}" in telling.caption(1)
    assert left.by[at] == 27
    validated = telling.state(3).validated
    assert validated.targets[validated.means.argmax()] == 12 == telling.state(3).recommendation
    assert trace.state_at(telling.cursor(3) - 1).recommendation == 33
    assert trace.instance.gaps[33] < 2 * 0.1 < trace.instance.gaps[12]


def test_what_the_last_one_claims():
    """The design under Frank–Wolfe is far above the optimum, and its certificate says so; the other one is proven."""
    published, certified = Telling(shipped("a-design-that-lies")).traces
    lying, proven = (trace[int(trace.positions("design solved")[0])] for trace in (published, certified))
    assert lying.lower_bound < proven.lower_bound <= proven.value < lying.value / 20
    assert proven.value <= proven.lower_bound * (1 + 1e-6)
    assert published.finished.samples > 5 * certified.finished.samples
