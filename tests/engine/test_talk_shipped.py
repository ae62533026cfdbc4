"""The stories that come with the program: not stale, under two minutes, and every number in them has a value."""

from functools import cache
from pathlib import Path

import pytest

from gems_engine.complexity import rho_star
from gems_engine.diff import compare
from gems_engine.files import read_run
from gems_engine.formats import story_format
from gems_engine.summary import summarise
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.captions import Field, Term, fill, parse
from gems_engine.talk.shipped import SHIPPED
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
    for mine, theirs in zip(BoundStory(old).traces, BoundStory(new).traces, strict=True):
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
    bound_story = BoundStory(trace)
    assert trace.notes == []
    assert bound_story.story.title == SHIPPED[name].title
    assert bound_story.story.about == SHIPPED[name].about
    assert 5 <= len(bound_story) <= 10
    assert len(bound_story) == SHIPPED[name].moments
    assert abs(bound_story.duration - SHIPPED[name].seconds) <= 0.5
    assert bound_story.duration + 3.0 * len(bound_story) < 120  # three seconds are the longest way to a moment
    for at in range(len(bound_story)):
        assert bound_story.find(at)[1], f"moment {at + 1} is nowhere exactly"
        assert bound_story[at].notes
        assert 1 <= len(bound_story[at].views) <= 2
        assert len(bound_story.caption(at)) < 170  # two lines of a screen


@pytest.mark.parametrize("name", SHIPPED)
def test_every_placeholder_has_a_value(name):
    bound_story = BoundStory(shipped(name))
    for at in range(len(bound_story)):
        fields = [part for part in parse(bound_story[at].caption) if isinstance(part, Field)]
        for term in (term for field in fields for term in (field.term, field.over) if term is not None):
            words = fill(said(term), bound_story.trace_of(at), bound_story.state(at), bound_story.runs)
            assert words not in ("–", "", "not a number", "none"), (at + 1, term)


def said(term: Term) -> str:
    run, index = (f"{term.run}." if term.run else ""), (f"[{term.index}]" if term.index else "")
    return f"{{{run}{term.name}{index}}}"


def test_what_the_first_one_claims():
    """Its numbers, from the summaries of its runs and the reference values of the hard instance."""
    bound_story = BoundStory(shipped("why-model-selection"))
    gems, rage = map(summarise, bound_story.traces)
    words = " ".join(bound_story.caption(at) for at in range(len(bound_story)))
    assert f"ρ⋆ is {rho_star(bound_story.traces[0].instance, 10).value / 1e6:.0f} million" in words
    assert "ρ⋆\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}14.7" in words
    assert (gems.correct, rage.correct, rage.finish) == (True, False, "cap")
    assert (gems.recommendation, rage.recommendation) == (8, 9)
    assert rage.survivors == (8, 9)
    assert "which is wrong. It is wrong for 14 of the seeds 1 to 30; seed 1 was chosen to show it." in words
    assert bound_story.state(6).survivors.tolist() == [8]
    assert bound_story.state(6).recommendation == 8
    assert f"only x_9 remains after {bound_story.state(6).samples:,} samples".replace(",", THIN) in words
    assert f"two arms after {rage.samples:,}".replace(",", THIN) in words
    assert f"{rage.samples / bound_story.state(6).samples:.0f} times as many" in words
    (over,) = [probe for probe in bound_story.state(5).probes if probe.d == 10]
    assert f"instead of {4 ** bound_story.state(5).place.k * over.upper:.0f}" in words


def test_what_the_one_on_budgets_claims():
    """Who was named by lot, and where there is room for R¹."""
    bound_story = BoundStory(shipped("a-budget-spent-twice"))
    (trace,) = bound_story.traces
    solved = [trace[int(at)] for at in trace.positions("design solved")]
    assert {event.d for event in solved if event.place.ell in (2, 3)} == {1}
    assert not [event for event in solved if event.place.ell == 1]
    by_lot = {trace[int(at)].target for at in trace.positions("candidate kept") if trace[int(at)].place.ell == 1}
    assert trace.instance.best in by_lot
    assert bound_story.cursor(0) < bound_story.cursor(1)


def test_what_the_one_on_wrong_models_claims():
    """Who leaves by how much, who wins which validation, and what was lost."""
    bound_story = BoundStory(shipped("when-the-model-is-wrong"))
    (trace,) = bound_story.traces
    left = trace[bound_story.cursor(1) - 1]
    (at,) = (at for at, target in enumerate(left.targets) if target == 8)
    assert f"{left.gaps[at]:.3f} behind, just over the width of {left.widths[at]:.2f}" in bound_story.caption(1)
    assert left.by[at] == 27
    validated = bound_story.state(3).validated
    assert validated.targets[validated.means.argmax()] == 12 == bound_story.state(3).recommendation
    assert trace.state_at(bound_story.cursor(3) - 1).recommendation == 33
    assert trace.instance.gaps[33] < 2 * 0.1 < trace.instance.gaps[12]


def test_what_the_last_one_claims():
    """The design under Frank–Wolfe is far above the optimum, and its certificate says so; the other one is proven."""
    published, certified = BoundStory(shipped("a-design-that-lies")).traces
    lying, proven = (trace[int(trace.positions("design solved")[0])] for trace in (published, certified))
    assert lying.lower_bound < proven.lower_bound <= proven.value < lying.value / 20
    assert proven.value <= proven.lower_bound * (1 + 1e-6)
    assert published.finished.samples > 5 * certified.finished.samples
