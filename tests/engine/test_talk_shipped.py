"""The stories that come with the program: not stale, under two minutes, and every number in them has a value."""

from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from scipy.optimize import linprog

from gems_engine.complexity import iota, rho_star
from gems_engine.diff import compare
from gems_engine.files import read_run
from gems_engine.formats import story_format
from gems_engine.talk.annotation import Bracket, placeholders
from gems_engine.talk.bound_story import BoundStory
from gems_engine.talk.captions import Field, Term, fill, parse
from gems_engine.talk.shipped import SHIPPED
from gems_engine.talk.shipped.making import recorded
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
    assert 5 <= len(bound_story) <= 9
    assert len(bound_story) == SHIPPED[name].moments
    assert abs(bound_story.duration - SHIPPED[name].seconds) <= 0.5
    assert bound_story.duration + 3.0 * len(bound_story) < 120  # three seconds are the longest way to a moment
    for at in range(len(bound_story)):
        moment = bound_story[at]
        assert bound_story.find(at)[1], f"moment {at + 1} is nowhere exactly"
        assert moment.notes
        plots = len(moment.views) * (1 if moment.second is None or moment.views == ("race",) else 2)
        assert 1 <= plots <= 2
        assert len(bound_story.caption(at)) <= 100
        assert len(bound_story.marks(at)) == len(moment.annotations), "an annotation has no value"


@pytest.mark.parametrize("name", SHIPPED)
def test_every_placeholder_has_a_value(name):
    bound_story = BoundStory(shipped(name))
    for at in range(len(bound_story)):
        fields = [part for part in parse(bound_story[at].caption) if isinstance(part, Field)]
        for term in (term for field in fields for term in (field.term, field.over) if term is not None):
            words = fill(f"{{{said(term)}}}", bound_story.trace_of(at), bound_story.state(at), bound_story.runs)
            assert words not in ("–", "", "not a number", "none"), (at + 1, term)


def said(term: Term) -> str:
    run, index = (f"{term.run}." if term.run else ""), (f"[{term.index}]" if term.index else "")
    return f"{run}{term.name}{index}"


# -- factors ------------------------------------------------------------------------------------------------------


def settled(trace):
    """τ, from the recommendations alone: the samples at the first of those that are right to the end."""
    best, samples, since = trace.instance.best, 0, None
    for event in trace:
        if event.kind == "pulled":
            samples = event.samples
        elif event.kind == "recommended":
            since = (samples if since is None else since) if event.target == best else None
    return since


def stopped(trace):
    """The samples of a run that ended by its own rule."""
    assert trace.finished.why == "singleton"
    return trace.finished.samples


def chebyshev(instance, d):
    """The smallest largest error of a linear model in R^d, by a linear program of scipy."""
    arms, rewards = instance.arms[:, :d], instance.rewards
    ones = np.ones((len(arms), 1))
    found = linprog(
        np.append(np.zeros(d), 1.0),
        np.block([[arms, -ones], [-arms, -ones]]),
        np.append(rewards, -rewards),
        bounds=[(None, None)] * d + [(0, None)],
    )
    return found.fun


def race_factor():
    gems, rage = BoundStory(shipped("why-model-selection")).traces
    return settled(rage) / settled(gems)


def stop_factor():
    published, certified = BoundStory(shipped("a-design-that-lies")).traces
    return stopped(published) / stopped(certified)


def design_factor():
    """The value of the first published design over the optimum."""
    published = shipped("a-design-that-lies")
    return published[int(published.positions("design solved")[0])].value / iota(published.instance, 10).value


def complexity_factor():
    instance = shipped("why-model-selection").instance
    return rho_star(instance, 10).value / rho_star(instance, 9).value


def error_factor():
    instance = shipped("when-the-model-is-wrong").instance
    return chebyshev(instance, 1) / chebyshev(instance, 10)


FACTORS = {
    ("why-model-selection", "rho_star[10]/rho_star[9]"): complexity_factor,
    ("why-model-selection", "tau/GEMS.tau"): race_factor,
    ("when-the-model-is-wrong", "gamma[1]/gamma[10]"): error_factor,
    ("a-design-that-lies", "value/optimum"): design_factor,
    ("a-design-that-lies", "stop/certified.stop"): stop_factor,
}
ALIKE = {("value", "optimum")}
"""Different names for like quantities: the value of a design, and the best value of any design."""


def test_every_factor_compares_like_with_like_and_is_right():
    """Factors in captions and at brackets, each recomputed here; none is typed."""
    found = set()
    for name in SHIPPED:
        bound_story = BoundStory(shipped(name))
        for at in range(len(bound_story)):
            moment = bound_story[at]
            texts = [moment.caption, *(each for one in moment.annotations for each in placeholders(one))]
            for field in (part for text in texts for part in parse(text) if isinstance(part, Field) and part.over):
                names = field.term.name, field.over.name
                assert names[0] == names[1] or names in ALIKE
                key = name, f"{said(field.term)}/{said(field.over)}"
                found.add(key)
                words = fill(
                    f"{{{key[1]}:{field.digits}}}", bound_story.trace_of(at), bound_story.state(at), bound_story.runs
                )
                shown = float(words.replace(THIN, ""))
                assert shown == float(f"{FACTORS[key]():.{field.digits}g}"), key
            for bracket in (each for each in moment.annotations if isinstance(each, Bracket)):
                assert "×" in bracket.text
                assert not any(sign.isdigit() for sign in bracket.text.partition("{")[0])
                assert bracket.start.startswith("{")
                assert bracket.end.startswith("{")
            assert "times" not in moment.caption or any(
                isinstance(part, Field) and (part.over or part.term.name == "validation_pulls")
                for part in parse(moment.caption)
            )
    assert found == set(FACTORS)


def test_every_story_locks_its_comparisons():
    """The same view in several moments or of two runs has the same axes where it is compared."""
    stories = {name: shipped(name).story for name in SHIPPED}
    race = [each for each in stories["why-model-selection"].moments if "race" in each.views]
    assert len(race) == 5
    assert {each.lock for each in race} == {"race"}
    halves = [each for each in stories["a-budget-spent-twice"].moments if each.views == ("shares",)]
    assert len(halves) == 3
    assert {each.lock for each in halves} == {"halves"}
    pairs = [each.views for name in SHIPPED for each in stories[name].moments if each.second is not None]
    assert pairs == [("gaps",), ("design-equivalence",), ("counts",)]


# -- other claims -------------------------------------------------------------------------------------------------


def test_what_the_first_one_claims():
    """Its numbers, from the runs and the reference values of the hard instance."""
    bound_story = BoundStory(shipped("why-model-selection"))
    gems, rage = bound_story.traces
    words = " ".join(bound_story.caption(at) for at in range(len(bound_story)))
    notes = " ".join(each.notes for each in bound_story.story.moments)
    easy, hard = (rho_star(gems.instance, d).value for d in (9, 10))
    assert f"{easy:.0f} in R^9 and {hard / 1e6:.0f} million in R^10" in notes
    assert f"GEMS settles on x_9 at sample {settled(gems):,}".replace(",", THIN) in words
    assert f"RAGE settles on x_9 only after {settled(rage):,} samples".replace(",", THIN) in words
    assert f"RAGE stops after {stopped(rage):,} samples".replace(",", THIN) in words
    guesses = [event.target == 8 for event in rage if event.kind == "recommended"][1:5]
    assert sorted(guesses) == [False, False, True, True]
    assert guesses[-1] is False  # "wrong again"
    assert bound_story.state(1).survivors.tolist() == bound_story.state(4).survivors.tolist() == [8, 9]
    assert bound_story.state(3).d == 9
    over = [probe for probe in bound_story.state(3).probes if probe.d == 10]
    assert 4 ** bound_story.state(3).place.k * over[0].upper > bound_story.state(3).subroutine.selection_budget


def test_the_race_is_typical():
    """The medians of τ over the seeds 1 to 30 are those of the seed that is shown."""
    gems, rage = BoundStory(shipped("why-model-selection")).traces
    for trace, rest in ((gems, {"base": 4}), (rage, {})):
        cap = trace.started.parameters["max_samples"]
        runs = (
            recorded(trace.instance, trace.started.algorithm, seed, max_samples=cap, **rest) for seed in range(1, 31)
        )
        assert median(map(settled, runs)) == settled(trace)


def test_what_the_one_on_budgets_claims():
    """Who was named by lot, where there is room for R¹, and how both halves are spent."""
    bound_story = BoundStory(shipped("a-budget-spent-twice"))
    (trace,) = bound_story.traces
    solved = [trace[int(at)] for at in trace.positions("design solved")]
    assert {event.d for event in solved if event.place.ell in (2, 3)} == {1}
    assert not [event for event in solved if event.place.ell == 1]
    by_lot = {trace[int(at)].target for at in trace.positions("candidate kept") if trace[int(at)].place.ell == 1}
    assert trace.instance.best in by_lot
    assert 8 not in bound_story.state(2).survivors
    validated = bound_story.state(5).validated
    spent = validated.pulls * len(validated.targets)
    assert bound_story.state(4).samples <= 10_000
    assert spent <= 10_000
    assert bound_story.state(5).samples == bound_story.state(4).samples + spent
    texts = [mark.text for mark in bound_story.marks(5)]
    assert texts == [
        f"{len(validated.targets)} candidates",
        f"{len(validated.targets)} × {validated.pulls:,}".replace(",", THIN),
    ]
    assert validated.targets[validated.means.argmax()] == 8


def test_what_the_one_on_wrong_models_claims():
    """Who leaves by how much, who wins which validation, and what was lost."""
    bound_story = BoundStory(shipped("when-the-model-is-wrong"))
    (trace,) = bound_story.traces
    left = trace[bound_story.cursor(2) - 1]
    (at,) = (at for at, target in enumerate(left.targets) if target == 8)
    arrow = bound_story[2].annotations[0]
    assert arrow.x == f"{left.gaps[at]:.3f}"
    assert left.widths[at] < left.gaps[at] < 1.05 * left.widths[at]  # "just over the width"
    assert left.by[at] == 27
    assert trace.instance.gaps[27] == pytest.approx(0.45, abs=0.005)
    first, second = bound_story.state(3), trace.state_at(bound_story.second_cursor(3))
    assert (first.d, second.d) == (1, 10)
    assert first.place.k == second.place.k == 2
    assert [each.subroutine.selection_budget for each in (first, second)] == [64, 1024]
    assert second.leader == 8
    validated = bound_story.state(5).validated
    means = dict(zip(validated.targets.tolist(), validated.means.tolist(), strict=True))
    assert max(means, key=means.get) == 12 == bound_story.state(5).recommendation
    assert f"{means[27]:.2f}" == "0.06"
    assert trace.state_at(bound_story.cursor(5) - 1).recommendation == 33
    assert trace.instance.target_rewards[33] == pytest.approx(0.46, abs=0.005)
    assert trace.instance.gaps[33] < 2 * 0.1 < trace.instance.gaps[12]
    reached = [event for event in trace if event.kind == "design solved" and event.place.ell == 5 and event.d == 10]
    assert reached
    assert 7_500 < bound_story.state(6).validated.pulls < 8_500


def test_what_the_last_one_claims():
    """The design under Frank–Wolfe is far above the optimum, and its certificate says so; the other one is proven."""
    bound_story = BoundStory(shipped("a-design-that-lies"))
    published, certified = bound_story.traces
    lying, proven = (trace[int(trace.positions("design solved")[0])] for trace in (published, certified))
    assert lying.lower_bound < proven.lower_bound <= proven.value < lying.value / 20
    assert proven.value <= proven.lower_bound * (1 + 1e-6)
    pulls = [int(trace[int(trace.positions("allocated")[0])].counts.sum()) for trace in (published, certified)]
    most = [int(trace[int(trace.positions("allocated")[0])].counts.max()) for trace in (published, certified)]
    assert [mark.text.replace(THIN, "") for mark in bound_story.marks(4)] == [
        f"{largest} of {whole} pulls" for largest, whole in zip(most, pulls, strict=True)
    ]


def test_arrows_point_at_what_they_name():
    """Positions that are typed: rows and columns of arms, rounds and iterations."""

    def arrows(name, at):
        return BoundStory(shipped(name))[at].annotations

    budget, wrong, lies = (BoundStory(shipped(name)) for name in list(SHIPPED)[1:])
    best = budget.traces[0].instance.best
    for at in (2, 3):  # arms by true reward: the best is in the first row; a column for each round
        (arrow,) = arrows("a-budget-spent-twice", at)
        assert (arrow.x, arrow.y) == (str(budget.state(at).place.k), "0.5")
        assert ("survives" in arrow.text) == (best in budget.state(at).survivors)
    for arrow, arm in zip(arrows("a-budget-spent-twice", 6), ("x_9", "x_6"), strict=True):
        assert arrow.y == f"{{pulls[{arm}]}}"
        assert budget.traces[0].instance.arm_labels.find(arm) == int(arrow.x)
    (alone,) = arrows("when-the-model-is-wrong", 4)
    rewards = wrong.traces[0].instance.target_rewards
    assert wrong.state(4).survivors.tolist() == [27]
    assert alone.y == f"{(rewards > rewards[27]).sum()}.5"
    assert alone.x == str(max(event.place.k for event in wrong.traces[0] if (event.place.ell, event.place.i) == (4, 2)))
    for at in (2, 3):  # by estimated gap: those that remain come first, then the one just over the width
        left = wrong.traces[0][wrong.cursor(at) - 1]
        assert left.targets[left.gaps.argmin()] == 8
        assert wrong[at].annotations[0].y == f"{len(wrong.state(at).survivors)}.5"
    for at in (5, 6):
        for arrow in arrows("when-the-model-is-wrong", at):
            assert f"mean[{arrow.x}]" in arrow.text
    (stopped_at,) = arrows("a-design-that-lies", 1)
    lying = lies.traces[0][int(lies.traces[0].positions("design solved")[0])]
    assert stopped_at.x == str(lying.iterations)
