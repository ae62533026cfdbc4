"""The story of an arm: every line is what the events say, counted again by hand."""

import re
from itertools import pairwise

import numpy as np
import pytest

from gems_engine import events as ev
from gems_engine.explanation import as_text, story_of_arm
from gems_engine.explanation.ledger import Ledger
from gems_engine.gallery import make
from gems_engine.history import History
from gems_engine.running import Run
from gems_engine.terminal import number
from tests.engine.explained_runs import cut, run_of
from tests.engine.synthetic_runs import synthetic_trace


def told_by_events(trace, target, cursor):
    """(ℓ, i) → who eliminated it in which round and by which numbers, and pulls, from the events alone."""
    arm = trace.instance.target_arms[target]
    fates, pulls, here = {}, {}, None
    for event in trace[:cursor]:
        if isinstance(event, ev.SubroutineStarted):
            here = (event.place.ell, event.place.i)
            fates[here], pulls[here] = None, 0
        elif isinstance(event, ev.Eliminated) and target in event.targets.tolist():
            at = event.targets.tolist().index(target)
            fates[here] = (event.place.k, int(event.by[at]), float(event.gaps[at]), float(event.widths[at]))
        elif isinstance(event, ev.Allocated) and event.d:
            asked = event
        elif isinstance(event, ev.Pulled) and event.place.k and here is not None:
            pulls[here] += int(asked.counts[asked.arms == arm].sum())
    return fates, pulls


@pytest.mark.parametrize(("algorithm", "names"), [("fixed-confidence", "ℓi"), ("fixed-budget", "ij"), ("rage", "")])
def test_every_subroutine_is_told(algorithm, names):
    trace = run_of(algorithm, max_samples=40_000)
    label = trace.instance.target_label
    left = 0
    for target in (0, 7, trace.instance.best):
        for cursor in (len(trace) // 2, len(trace)):
            fates, pulls = told_by_events(trace, target, cursor)
            words = as_text(story_of_arm(trace, target, cursor))
            assert words.startswith(f"History of {label(target)}\n")
            for ell, i in list(fates)[-20:]:
                place = f"{names[0]} {ell} · {names[1]} {i}" if names else "this call"
                line = next(each for each in words.splitlines() if f"{place}:" in each)
                count = pulls[ell, i]
                times = "never pulled" if not count else "once" if count == 1 else f"pulled {number(count)} times"
                assert line.endswith(times)
                if fates[ell, i] is None:
                    assert "survive" in line or "no round was decided" in line
                else:
                    k, by, gap, width = fates[ell, i]
                    fate = f"eliminated in round {k}: ⟨θ̂, y⟩ = {number(gap, 3)} ≥ {number(width, 3)}, by {label(by)}"
                    assert fate in line
                    left += 1
            gone = sum(fate is not None for fate in fates.values())
            assert (f"it was eliminated in {gone} and survived in {len(fates) - gone}." in words) == bool(names)
            total = int(trace.state_at(cursor).counts[trace.instance.target_arms[target]])
            assert f"pulled {number(total)} times" in words or total < 2
    assert left


def test_when_it_was_recommended():
    trace = run_of("rage", "close", max_samples=10**6)
    made = [(event.samples, event.target) for event in trace if isinstance(event, ev.Recommended)]
    changes = [made[0]] + [now for before, now in pairwise(made) if before[1] != now[1]]
    assert len(changes) > 1
    for number_of, (samples, target) in enumerate(changes):
        words = as_text(story_of_arm(trace, target))
        begin = f"from sample {number(samples)} "
        if number_of + 1 < len(changes):
            assert f"{begin}to sample {number(changes[number_of + 1][0])}\n" in words
        else:
            assert f"{begin}to now\n" in words
            assert "It is recommended now." in words
    never = next(z for z in range(24) if z not in {target for _, target in made})
    assert "Never so far." in as_text(story_of_arm(trace, never))


def test_nothing_after_the_cursor_and_no_truth_unless_asked():
    trace = run_of("fixed-confidence")
    history = History(trace)
    ledger = Ledger(trace)
    ledger.update()
    for cursor in (0, 1, 5, len(trace) // 2, len(trace) - 2):
        for truth in (False, True):
            told = story_of_arm(trace, 3, cursor, truth=truth, history=history, ledger=ledger)
            assert told == story_of_arm(cut(trace, cursor), 3, cursor, truth=truth)
            assert ("true gap" in as_text(told)) == truth
    assert "It is the best arm." in as_text(story_of_arm(trace, trace.instance.best, truth=True))
    assert "It is the best arm." not in as_text(story_of_arm(trace, trace.instance.best))


def test_a_target_that_is_no_arm_has_no_pulls():
    trace = Run(make("transductive"), "fixed-confidence", 1, max_samples=5_000).finish()
    assert "pulled" not in re.sub("arms are pulled", "", as_text(story_of_arm(trace, 0)))


def test_a_ledger_reads_a_little_at_a_time():
    trace = synthetic_trace(loops=6, rounds=60, probes=1)
    whole, slowly = Ledger(trace), Ledger(trace)
    assert whole.update()
    reads = 0
    while not slowly.update(0.0):
        reads += 1
        assert not slowly.complete_before(len(trace))
    assert reads > 2
    assert slowly.complete_before(len(trace))
    starts = trace.subroutine_starts.tolist()
    arms = len(trace.instance.arms)
    table = np.array([[slowly.pulls(start, arm) for arm in range(arms)] for start in starts])
    assert (table == [[whole.pulls(start, arm) for arm in range(arms)] for start in starts]).all()
    validations = sum(int(event.counts.sum()) for event in trace if isinstance(event, ev.Allocated) and not event.d)
    assert table.sum() + validations == trace.state_at(len(trace)).counts.sum()
    assert "being counted" in as_text(story_of_arm(trace, 0, ledger=Ledger(trace)))
